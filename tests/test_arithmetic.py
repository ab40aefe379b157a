"""Exponentials, logarithms and sums that do not depend on the machine."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal, localcontext
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from costboost._core import arithmetic
from costboost._core.arithmetic import (
    LocalVector,
    dot,
    exp,
    expit,
    interpolate,
    log,
    log1p,
    logit,
    matrix_product,
    power,
    symmetric_inverse,
)
from costboost._core.engine import _kernels

FINITE = st.floats(allow_nan=False, allow_infinity=False)
POSITIVE = st.floats(min_value=5e-324, allow_infinity=False, allow_nan=False)
SPECIAL = [0.0, -0.0, np.inf, -np.inf, np.nan, 5e-324, -5e-324, 1.0, -1.0, 709.8, -745.2, 1.8e308]
FUNCTIONS = [exp, log, log1p, expit, logit]


def ulps(found: float, expected: Decimal) -> float:
    """Distance in units of the last place of the float next to the expected number."""
    nearest = float(expected)
    if found == nearest:
        return 0.0
    return float(abs(Decimal(found) - expected) / Decimal(math.ulp(nearest)))


def error(function: Callable[[Any], float], x: float, true: Callable[[Decimal], Decimal]) -> float:
    with localcontext(prec=60, Emax=10**6, Emin=-(10**6)):
        return ulps(function(x), true(Decimal(x)))


def decimal_sinh(x: Decimal) -> Decimal:
    with localcontext(prec=120, Emax=10**6, Emin=-(10**6)):
        return (x.exp() - (-x).exp()) / 2


# ---- accuracy ------------------------------------------------------------------------------------


@settings(max_examples=300, deadline=None)
@given(st.floats(min_value=-745.1, max_value=709.78))
@example(-708.0)
@example(708.0)
@example(709.782712893384)
@example(1e-300)
def test_exp_is_exact_to_the_last_place(x: float) -> None:
    assert error(exp, x, Decimal.exp) < (0.76 if x < -708 else 0.53)


@settings(max_examples=300, deadline=None)
@given(POSITIVE | st.floats(min_value=0.5, max_value=2.0))
@example(math.nextafter(1.0, 0.0))
@example(5e-324)
def test_log_is_exact_to_the_last_place(x: float) -> None:
    assert error(log, x, Decimal.ln) < 0.61


@settings(max_examples=300, deadline=None)
@given(st.floats(min_value=-0.9999999, max_value=1e308) | st.floats(-0.9, 2.0))
@example(-1 + 1e-16)
@example(5e-324)
def test_log1p_is_exact_to_the_last_place(x: float) -> None:
    def true(at: Decimal) -> Decimal:
        with localcontext(prec=400, Emax=10**6, Emin=-(10**6)):
            small = abs(at) < Decimal("1e-30")
            return at - at * at / 2 if small else (1 + at).ln()

    assert error(log1p, x, true) < 0.61


@settings(max_examples=200, deadline=None)
@given(POSITIVE)
def test_log2_is_exact_to_the_last_place(x: float) -> None:
    assert error(_kernels.log2, x, lambda at: at.ln() / Decimal(2).ln()) < 0.63


def test_log2_of_powers_is_whole() -> None:
    assert all(_kernels.log2(2.0**k) == k for k in range(-1074, 1024))


@settings(max_examples=200, deadline=None)
@given(st.floats(min_value=-700.0, max_value=700.0))
@example(0.3)
def test_sinh(x: float) -> None:
    if abs(x) > 1e-30:
        assert error(_kernels.sinh, x, decimal_sinh) < 3


@settings(max_examples=200, deadline=None)
@given(st.floats(min_value=-700.0, max_value=700.0))
def test_expit_is_exact_to_two_units(x: float) -> None:
    def true(at: Decimal) -> Decimal:
        return 1 / (1 + (-at).exp())

    assert error(expit, x, true) < 2.5


@settings(max_examples=200, deadline=None)
@given(st.floats(min_value=1e-300, max_value=1 - 1e-16))
@example(0.5)
def test_logit_is_exact_to_two_units(p: float) -> None:
    if p != 0.5:
        assert error(logit, p, lambda at: (at / (1 - at)).ln()) < 2.5
    assert logit(0.5) == 0.0


@settings(max_examples=200, deadline=None)
@given(st.floats(1e-8, 1e8), st.floats(-3, 3))
def test_powers(x: float, y: float) -> None:
    bound = 0.6 + abs(y * math.log(x)) / 8
    assert error(lambda at: power(at, y), x, lambda at: (Decimal(y) * at.ln()).exp()) < bound
    assert power(x, 2.0) == x * x
    assert power(x, 0.5) == math.sqrt(x)
    assert power(x, 1.0) == x
    assert power(x, 0.0) == 1


# ---- special values ------------------------------------------------------------------------------


@pytest.mark.parametrize("x", SPECIAL)
def test_special_values_are_those_of_the_standard(x: float) -> None:
    with np.errstate(all="ignore"):
        for own, other in ((exp, np.exp), (log, np.log), (log1p, np.log1p)):
            assert np.array_equal(own(x), other(x), equal_nan=True), (own, x)
            assert np.signbit(own(x)) == np.signbit(other(x)) or np.isnan(own(x))
        for y in (-np.inf, -1.5, 0.0, 0.5, 1.0, 2.0, 3.7, np.inf):
            if not x < 0:
                assert np.array_equal(power(abs(x), y), np.power(abs(x), y), equal_nan=True)


def test_ends_of_expit_and_logit() -> None:
    assert expit(np.inf) == 1
    assert expit(-np.inf) == 0
    assert expit(0.0) == 0.5
    assert logit(0.0) == -np.inf
    assert logit(1.0) == np.inf
    assert np.isnan(expit(np.nan))
    assert np.isnan(logit(2.0))


# ---- properties ----------------------------------------------------------------------------------


@settings(max_examples=300, deadline=None)
@given(FINITE, FINITE)
def test_functions_do_not_decrease(x: float, y: float) -> None:
    low, high = sorted((x, y))
    assert exp(low) <= exp(high)
    assert expit(low) <= expit(high)
    if low > 0:
        assert log(low) <= log(high)
    if low > -1:
        assert log1p(low) <= log1p(high)


@settings(max_examples=300, deadline=None)
@given(st.floats(min_value=-700.0, max_value=700.0))
def test_neighbours_are_in_order(x: float) -> None:
    after = math.nextafter(x, math.inf)
    assert exp(x) <= exp(after)
    assert x <= 0 or log(x) <= log(after)


@settings(deadline=None)
@given(st.floats(min_value=-700.0, max_value=700.0))
def test_log_inverts_exp(x: float) -> None:
    assert log(exp(x)) == pytest.approx(x, rel=1e-15, abs=3e-16)
    assert expit(-x) == pytest.approx(1 - expit(x), abs=3e-16)


@settings(deadline=None)
@given(st.floats(min_value=-30.0, max_value=30.0))
def test_logit_inverts_expit(x: float) -> None:
    assert logit(expit(x)) == pytest.approx(x, rel=1e-15, abs=2e-16 * (1 + math.exp(abs(x))))


# ---- arrays --------------------------------------------------------------------------------------


@pytest.mark.parametrize("function", FUNCTIONS)
def test_arrays_are_mapped_entry_by_entry(function: Callable[[Any], Any]) -> None:
    x = np.random.default_rng(0).uniform(0.01, 0.99, size=(40, 60))
    expected = np.array([[function(value) for value in row] for row in x.tolist()])
    assert np.array_equal(function(x), expected)
    assert np.array_equal(function(np.asfortranarray(x)), expected)
    assert np.array_equal(function(x[:, ::-2]), expected[:, ::-2])
    assert np.array_equal(function(x.T), expected.T)
    assert np.array_equal(function(x.tolist()), expected)
    assert function(x[:0]).shape == (0, 60)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_numbers_give_floats_and_the_argument_stays(function: Callable[[Any], Any]) -> None:
    x = np.array([0.25, 0.5])
    of_numbers = [function(0.25), function(np.float64(0.25)), function(np.array(0.25))]
    assert {type(one) for one in of_numbers} == {float}
    assert of_numbers == [function(x)[0]] * 3
    assert type(function(np.float32(0.25))) is float
    assert function(0) == function(0.0)
    assert function(np.array([0, 1])).dtype == np.float64
    assert function(np.array([True]))[0] == function(1.0)
    assert np.array_equal(x, [0.25, 0.5])
    x.flags.writeable = False
    assert function(x)[1] == function(0.5)


@pytest.mark.parametrize("function", [*FUNCTIONS, lambda x: power(x, 3.0)])
def test_vectors_in_shards(function: Callable[[Any], Any]) -> None:
    parts = [np.array([0.1, 0.2]), np.array([0.3])]
    found = function(LocalVector(parts))
    assert isinstance(found, LocalVector)
    for part, result in zip(parts, found.parts, strict=True):
        assert np.array_equal(result, function(part))


@pytest.mark.parametrize("wrong", ["a", object(), [[1.0], []], np.array(["a"])])
def test_what_is_no_number_is_refused(wrong: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        exp(wrong)


# ---- sums of products ----------------------------------------------------------------------------


@settings(deadline=None)
@given(st.lists(st.tuples(FINITE, FINITE), max_size=30))
def test_dot_adds_in_order(pairs: list[tuple[float, float]]) -> None:
    a, b = np.array([one for one, _ in pairs]), np.array([other for _, other in pairs])
    total = 0.0
    for one, other in pairs:
        total += one * other
    assert np.array_equal(dot(a, b), total, equal_nan=True)
    assert np.array_equal(dot(np.repeat(a, 2)[::2], b), total, equal_nan=True)


def test_dot_refuses_other_shapes() -> None:
    with pytest.raises(ValueError, match="length"):
        dot(np.ones(3), np.ones(2))
    with pytest.raises(ValueError, match="dimensions"):
        dot(np.ones((2, 2)), np.ones(2))


def test_products_of_matrices_are_sums_in_order() -> None:
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=(7, 5)), rng.normal(size=(5, 9))
    expected = [[dot(row, column) for column in b.T] for row in a]
    assert np.array_equal(matrix_product(a, b), expected)
    assert np.array_equal(matrix_product(a.T.copy().T, np.asfortranarray(b)), expected)
    assert np.array_equal(matrix_product(a, b[:, 3]), np.array(expected)[:, 3])
    assert matrix_product(a[:0], b).shape == (0, 9)
    with pytest.raises(ValueError, match="length"):
        matrix_product(a, b.T)


@pytest.mark.parametrize("n", [1, 2, 3, 12])
def test_inverses(n: int) -> None:
    A = np.random.default_rng(n).normal(size=(n + 2, n)) * np.logspace(0, 2, n)
    np.testing.assert_allclose(symmetric_inverse(A.T @ A), np.linalg.pinv(A.T @ A), rtol=1e-7)


def test_pseudoinverses_of_singular_matrices() -> None:
    for matrix in (np.zeros((1, 1)), np.ones((2, 2)), np.diag([2.0, 0.0, -3.0]), np.ones((3, 3))):
        expected = np.linalg.pinv(matrix, hermitian=True)
        np.testing.assert_allclose(symmetric_inverse(matrix), expected, atol=1e-15)
    assert symmetric_inverse([]).shape == (0, 0)


# ---- lines between points ------------------------------------------------------------------------


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.floats(-1e300, 1e300), min_size=1, max_size=8, unique=True),
    st.lists(st.floats(-1.7e308, 1.7e308), max_size=8),
)
def test_interpolation_is_that_of_numpy(points: list[float], others: list[float]) -> None:
    at = np.sort(np.array(points) + 0.0)
    values = np.linspace(0, 1, at.size) ** 3
    x = np.concatenate([at, others, (at[1:] + at[:-1]) / 2])
    with np.errstate(all="ignore"):
        expected = np.interp(x, at, values)
    if np.all(np.diff(at) > 1e-290):
        np.testing.assert_allclose(interpolate(x, at, values), expected, rtol=4e-16, atol=1e-300)
    assert np.array_equal(interpolate(at, at, values), values)


def test_interpolation_between_huge_and_tiny_points() -> None:
    at, values = np.array([-1.7e308, 1.7e308]), np.array([0.0, 1.0])
    found = interpolate(np.array([-np.inf, 0.0, np.inf]), at, values)
    np.testing.assert_allclose(found, [0.0, 0.5, 1.0], rtol=1e-15)
    at = np.array([0.0, 5e-324])
    assert interpolate(np.array([-1.0, 0.0, 5e-324, 1.0]), at, values).tolist() == [0, 0, 1, 1]


def test_every_function_is_documented() -> None:
    for function in (exp, log, log1p, expit, logit, power, dot, matrix_product):
        assert function.__doc__
        assert getattr(arithmetic, function.__name__) is function
