"""Calibrators against independent optimisers and scikit-learn, and their invariances."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import Bounds, minimize
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.isotonic import IsotonicRegression

from costboost.calibration import (
    CALIBRATORS,
    BetaCalibrator,
    Calibrator,
    IsotonicCalibrator,
    LogisticCalibrator,
    LogOddsCalibrator,
    PlattCalibrator,
)

EACH = pytest.mark.parametrize("cls", CALIBRATORS.values(), ids=CALIBRATORS.keys())
SIGMOIDS = pytest.mark.parametrize("cls", [PlattCalibrator, LogisticCalibrator])
rng = np.random.default_rng(0)
Y = np.repeat([0, 1], [40, 25])
N = len(Y)
OVERLAPPING = rng.normal(size=N) + 1.5 * Y
SEPARABLE = np.linspace(0, 1, N)
CONSTANT = np.full(N, 0.3)
WEIGHT = rng.integers(0, 4, N).astype(float)


# ---- sigmoids against scipy ----------------------------------------------------------------------


def targets(cls: type[Calibrator], y: np.ndarray, weight: np.ndarray) -> np.ndarray:
    if cls is LogisticCalibrator:
        return np.where(y == 1, 1 - 1e-10, 1e-10)
    n_positive, n_negative = weight[y == 1].sum(), weight[y == 0].sum()
    if cls is LogOddsCalibrator:
        smaller = min(n_positive, n_negative)
        more = 0.25 + 5 / smaller
        lost = smaller * more / (smaller + 2 * more)
        return np.where(y == 1, 1 - lost / n_positive, lost / n_negative)
    more = 1.0
    t_positive, t_negative = (
        (n_positive + more) / (n_positive + 2 * more),
        more / (n_negative + 2 * more),
    )
    return np.where(y == 1, t_positive, t_negative)


def best_sigmoid(score: np.ndarray, t: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """A and B by scipy, the objective and its derivatives as Lin, Lin & Weng print them."""

    def probability(ab: np.ndarray) -> np.ndarray:
        return 1 / (1 + np.exp(ab[0] * score + ab[1]))

    def loss(ab: np.ndarray) -> float:
        f = ab[0] * score + ab[1]
        above = t * f + np.log1p(np.exp(-np.abs(f)))
        below = (t - 1) * f + np.log1p(np.exp(-np.abs(f)))
        return float(weight @ np.where(f >= 0, above, below))

    def gradient(ab: np.ndarray) -> np.ndarray:
        pull = weight * (t - probability(ab))
        return np.array([pull @ score, pull.sum()])

    def hessian(ab: np.ndarray) -> np.ndarray:
        h = weight * probability(ab) * (1 - probability(ab))
        return np.array([[h @ score**2, h @ score], [h @ score, h.sum()]])

    options = {"gtol": 1e-11, "maxiter": 10_000}
    found = minimize(
        loss, [0, 0], jac=gradient, hess=hessian, method="trust-exact", options=options
    )
    return found.x


@SIGMOIDS
@pytest.mark.parametrize("weight", [None, WEIGHT, 7.5 * WEIGHT], ids=["plain", "weighted", "heavy"])
def test_sigmoid_is_that_of_scipy(cls: Any, weight: np.ndarray | None) -> None:
    w = np.ones(N) if weight is None else weight
    fitted = cls().fit(OVERLAPPING, Y, weight)
    expected = best_sigmoid(OVERLAPPING, targets(cls, Y, w), w)
    assert_allclose([fitted.a_, fitted.b_], expected, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["plain", "weighted"])
def test_platt_on_separable_scores_is_that_of_scipy(weight: np.ndarray | None) -> None:
    w = np.ones(N) if weight is None else weight
    fitted = PlattCalibrator().fit(SEPARABLE, Y, weight)
    expected = best_sigmoid(SEPARABLE, targets(PlattCalibrator, Y, w), w)
    assert_allclose([fitted.a_, fitted.b_], expected, rtol=1e-6)


@SIGMOIDS
@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["plain", "weighted"])
def test_constant_scores_give_the_mean_target(cls: Any, weight: np.ndarray | None) -> None:
    w = np.ones(N) if weight is None else weight
    t = targets(cls, Y, w)
    fitted = cls().fit(CONSTANT, Y, weight)
    assert fitted.a_ == 0
    a, b = best_sigmoid(CONSTANT, t, w)
    assert fitted.b_ == pytest.approx(a * 0.3 + b, rel=1e-6)
    assert_allclose(fitted.probability([-5, 0.3, 5]), w @ t / w.sum(), rtol=1e-9)


def test_plain_logistic_on_separable_scores_is_sure_and_finite() -> None:
    fitted = LogisticCalibrator().fit(SEPARABLE, Y)
    p = fitted.probability(SEPARABLE)
    assert np.isfinite([fitted.a_, fitted.b_]).all()
    assert p[Y == 0].max() < 1e-5
    assert p[Y == 1].min() > 1 - 1e-5


@pytest.mark.parametrize("score", [OVERLAPPING, SEPARABLE], ids=["overlapping", "separable"])
def test_log_odds_are_those_of_scipy(score: np.ndarray) -> None:
    fitted = LogOddsCalibrator().fit(1 / (1 + np.exp(-score)), Y)
    a, b = best_sigmoid(score, targets(LogOddsCalibrator, Y, np.ones(len(Y))), np.ones(len(Y)))
    assert (fitted.a_, fitted.b_) == pytest.approx((a, b), rel=1e-6)


def test_two_score_values_meet_platts_targets() -> None:
    fitted = PlattCalibrator().fit([0, 0, 0, 1, 1], [0, 0, 0, 1, 1])
    assert_allclose(fitted.probability([0, 1]), [1 / 5, 3 / 4], rtol=1e-9)


def test_no_error_in_the_last_digits_far_from_zero() -> None:
    near = PlattCalibrator().fit(OVERLAPPING, Y).probability(OVERLAPPING)
    moved = 2.0**40 + OVERLAPPING
    far = PlattCalibrator().fit(moved, Y).probability(moved)
    assert_allclose(far, near, atol=1e-3)  # the precision of the scores themselves


# ---- isotonic ------------------------------------------------------------------------------------

scores = arrays(np.float64, st.integers(2, 40), elements=st.floats(-5, 5, width=16))


@settings(deadline=None, derandomize=True)
@given(scores, st.data())
def test_isotonic_is_that_of_scikit_learn(score: np.ndarray, data: Any) -> None:
    y = np.array(data.draw(st.lists(st.booleans(), min_size=len(score), max_size=len(score))))
    y[:2] = [False, True]
    counts = st.lists(st.integers(0, 3), min_size=len(score), max_size=len(score))
    weight = np.array(data.draw(counts), dtype=float)
    weight[:2] += 1
    theirs = IsotonicRegression(y_min=0, y_max=1, out_of_bounds="clip").fit(score, y, weight)
    grid = np.linspace(-6, 6, 101)
    ours = IsotonicCalibrator().fit(score, y, weight).probability(grid)
    assert_array_equal(ours, theirs.predict(grid))


# ---- beta ----------------------------------------------------------------------------------------


def best_beta(score: np.ndarray, y: np.ndarray, weight: np.ndarray) -> tuple[np.ndarray, float]:
    """a, b >= 0 and c by scipy, and the loss there."""
    logs = np.column_stack([np.log(score), -np.log1p(-score), np.ones(len(score))])
    sign = 2.0 * y - 1

    def loss(abc: np.ndarray) -> float:
        return float(weight @ np.logaddexp(0, -sign * (logs @ abc)) / weight.sum())

    def gradient(abc: np.ndarray) -> np.ndarray:
        wrong = 1 / (1 + np.exp(sign * (logs @ abc)))
        return -(weight * sign * wrong) @ logs / weight.sum()

    options = {"ftol": 1e-16, "gtol": 1e-12, "maxiter": 10_000}
    bounds = Bounds([0, 0, -np.inf], np.inf)
    found = minimize(
        loss, [1, 1, 0], jac=gradient, bounds=bounds, method="L-BFGS-B", options=options
    )
    return found.x, float(found.fun)


@pytest.mark.parametrize("power", [0.3, 1.0, 3.0])
@pytest.mark.parametrize("seed", range(4))
def test_beta_is_that_of_scipy(power: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    score, weight = rng.uniform(0.02, 0.98, 300), rng.integers(1, 4, 300).astype(float)
    y = (rng.random(300) < score**power).astype(int)
    fitted = BetaCalibrator().fit(score, y, weight)
    expected, _ = best_beta(score, y, weight)
    assert_allclose([fitted.a_, fitted.b_, fitted.c_], expected, atol=2e-4)


@settings(deadline=None, max_examples=30)
@given(st.lists(st.tuples(st.integers(1, 19), st.booleans()), min_size=4, max_size=30))
def test_beta_is_the_best_with_both_powers_not_negative(rows: list[tuple[int, bool]]) -> None:
    score = np.array([s / 20 for s, _ in rows] + [0.05, 0.95, 0.05, 0.95])
    y = np.array([int(label) for _, label in rows] + [0, 0, 1, 1])
    fitted = BetaCalibrator().fit(score, y)
    assert min(fitted.a_, fitted.b_) >= 0
    p = fitted.probability(score)
    loss = -np.mean(np.log(np.where(y == 1, p, 1 - p)))
    assert loss <= best_beta(score, y, np.ones(len(y)))[1] + 1e-9


def test_beta_keeps_calibrated_probabilities() -> None:
    rng = np.random.default_rng(1)
    score = rng.random(200_000)
    fitted = BetaCalibrator().fit(score, rng.random(200_000) < score)
    assert_allclose([fitted.a_, fitted.b_, fitted.c_], [1, 1, 0], atol=0.03)


def test_beta_drops_a_coefficient_below_zero() -> None:
    rng = np.random.default_rng(2)
    score = rng.random(5000)
    y = rng.random(5000) < 1 / (1 + np.exp(0.5 * np.log(score) + 2 * np.log1p(-score)))
    fitted = BetaCalibrator().fit(score, y)
    assert fitted.a_ == 0
    assert fitted.b_ > 1


def test_beta_on_scores_that_run_against_the_labels() -> None:
    fitted = BetaCalibrator().fit(1 - SEPARABLE, Y)
    assert (fitted.a_, fitted.b_) == (0, 0)
    assert_allclose(fitted.probability([0, 0.5, 1]), Y.mean(), rtol=1e-6)


# ---- all -----------------------------------------------------------------------------------------


@EACH
def test_a_weight_of_two_is_a_row_twice(cls: Any) -> None:
    score = 1 / (1 + np.exp(-OVERLAPPING))
    count = WEIGHT.astype(int)
    weighted = cls().fit(score, Y, WEIGHT).probability(score)
    repeated = cls().fit(np.repeat(score, count), np.repeat(Y, count)).probability(score)
    assert_allclose(weighted, repeated, atol=1e-9)


@EACH
@pytest.mark.parametrize("y", [Y.astype(bool), np.where(Y, "yes", "no"), 3 - 2 * (1 - Y)])
def test_the_greater_label_is_positive(cls: Any, y: np.ndarray) -> None:
    score = 1 / (1 + np.exp(-OVERLAPPING))
    fitted = cls().fit(score, y)
    assert_array_equal(fitted.classes_, np.unique(y))
    assert_array_equal(fitted.probability(score), cls().fit(score, Y).probability(score))


@EACH
def test_two_columns_that_add_up_to_one(cls: Any) -> None:
    fitted = cls().fit(SEPARABLE, Y)
    both = fitted.predict_proba(SEPARABLE)
    assert both.shape == (N, 2)
    assert_array_equal(both[:, 1], fitted.probability(SEPARABLE))
    assert_allclose(both.sum(axis=1), 1, rtol=1e-15)
    assert fitted.predict_proba(np.empty(0)).shape == (0, 2)


@EACH
def test_state_is_arrays_and_comes_back(cls: Any) -> None:
    fitted = cls().fit(SEPARABLE, np.where(Y, "yes", "no"))
    state = fitted.get_state()
    assert all(isinstance(value, np.ndarray) and value.dtype != object for value in state.values())
    again = cls.from_state(state)
    assert_array_equal(again.predict_proba(SEPARABLE), fitted.predict_proba(SEPARABLE))
    assert_array_equal(again.classes_, fitted.classes_)


@EACH
def test_scikit_learn_can_clone_it(cls: Any) -> None:
    fresh = clone(cls().fit(SEPARABLE, Y))
    with pytest.raises(NotFittedError):
        fresh.predict_proba(SEPARABLE)


@SIGMOIDS
@pytest.mark.parametrize("factor", [1e-305, 1e-9, -3.0, 1e12, 1e300])
@pytest.mark.parametrize("score", [OVERLAPPING, SEPARABLE], ids=["overlapping", "separable"])
def test_the_scale_of_the_scores_does_not_matter(
    cls: Any, factor: float, score: np.ndarray
) -> None:
    plain = cls().fit(score, Y).probability(score)
    scaled = cls().fit(factor * score, Y)
    assert_allclose(scaled.probability(factor * score), plain, atol=1e-9)
    assert np.isfinite([scaled.a_, scaled.b_]).all()


@EACH
@pytest.mark.parametrize("weight", [1e-300, 1e300], ids=str)
def test_weights_of_any_size(cls: Any, weight: float) -> None:
    p = cls().fit(SEPARABLE, Y, np.full(N, weight)).probability(SEPARABLE)
    assert np.all((p >= 0) & (p <= 1))


finite = st.floats(allow_nan=False, allow_infinity=False)
rows = st.lists(st.tuples(finite, st.booleans(), st.integers(1, 5)), max_size=20)


@EACH
@settings(deadline=None, derandomize=True)
@given(rows=rows, two=st.tuples(finite, finite), new=arrays(np.float64, 5, elements=finite))
def test_never_nan(cls: Any, rows: list[Any], two: tuple[float, float], new: np.ndarray) -> None:
    rows = [(two[0], False, 1), (two[1], True, 1), *rows]
    score, y, weight = (np.array(column) for column in zip(*rows, strict=True))
    if cls in (BetaCalibrator, LogOddsCalibrator):
        score, new = (np.abs(values) / (1 + np.abs(values)) for values in (score, new))
    fitted = cls().fit(score, y, weight)
    p = fitted.probability(np.concatenate([score, new]))
    assert np.all((p >= 0) & (p <= 1))
    assert all(np.all(np.isfinite(value)) for value in fitted.get_state().values())


@EACH
def test_rows_of_weight_zero_take_no_part(cls: Any) -> None:
    weight = np.where(np.arange(N) % 3 == 0, 0.0, 1.0)
    kept = weight > 0
    some = cls().fit(SEPARABLE[kept], Y[kept]).get_state()
    all_rows = cls().fit(SEPARABLE, Y, weight).get_state()
    for name, value in some.items():
        assert_array_equal(all_rows[name], value)


# ---- bad input -----------------------------------------------------------------------------------

BAD: dict[str, tuple[Any, Any, Any, str]] = {
    "missing": ([0.1, np.nan, 0.3], [0, 1, 1], None, "score must be finite, got nan in row 1"),
    "infinite": ([0.1, 0.2, np.inf], [0, 1, 1], None, "score must be finite, got inf in row 2"),
    "columns": (np.full((3, 2), 0.5), [0, 1, 1], None, r"shape \(3, 2\).*predict_proba"),
    "number": (0.5, [0], None, r"shape \(\)"),
    "empty": ([], [], None, "score is empty"),
    "words": (["a", "b"], [0, 1], None, "score must be numbers"),
    "objects": ([None, "b"], [0, 1], None, "score must be numbers"),
    "short y": ([0.1, 0.2, 0.3], [0, 1], None, r"each of the 3 scores.*\(2,\)"),
    "one class": ([0.1, 0.2], [1, 1], None, "two classes, got 1: 1"),
    "three classes": ([0.1, 0.2, 0.3], [0, 1, 2], None, "two classes, got 3: 0, 1, 2"),
    "y missing": ([0.1, 0.2], [0, np.nan], None, "y contains labels that are missing or infinite"),
    "y None": ([0.1, 0.2], ["a", None], None, "y contains labels that are missing or infinite"),
    "y mixed": ([0.1, 0.2], np.array(["a", 1], dtype=object), None, "cannot be sorted"),
    "weights": ([0.1, 0.2], [0, 1], [1, -1], "not negative, got -1 in row 1"),
    "weight NaN": ([0.1, 0.2], [0, 1], [np.nan, 1], "finite and not negative, got nan in row 0"),
    "no weight": ([0.1, 0.2], [0, 1], [0, 0], "sample_weight is zero for every row"),
    "too heavy": ([0.1, 0.2], [0, 1], [1e308, 1e308], "scale it down"),
    "short weights": ([0.1, 0.2], [0, 1], [1], r"each of the 2 scores.*\(1,\)"),
    "one class counts": ([0.1, 0.2, 0.3], [0, 0, 1], [1, 1, 0], "one class only among the rows"),
}


@EACH
@pytest.mark.parametrize("case", BAD)
def test_bad_input(cls: Any, case: str) -> None:
    score, y, weight, message = BAD[case]
    with pytest.raises(ValueError, match=message):
        cls().fit(score, y, weight)


@EACH
def test_bad_scores_to_predict(cls: Any) -> None:
    fitted = cls().fit(SEPARABLE, Y)
    with pytest.raises(ValueError, match="score must be finite"):
        fitted.predict_proba([0.1, np.nan])
    with pytest.raises(ValueError, match=r"shape \(2, 1\)"):
        fitted.predict_proba([[0.1], [0.2]])


@pytest.mark.parametrize("score", [[-0.1, 0.5], [0.1, 1.5]])
def test_beta_takes_probabilities_only(score: list[float]) -> None:
    with pytest.raises(ValueError, match=r"scores from 0 to 1, got .*PlattCalibrator"):
        BetaCalibrator().fit(score, [0, 1])
    with pytest.raises(ValueError, match="scores from 0 to 1"):
        BetaCalibrator().fit(SEPARABLE, Y).predict_proba(score)
