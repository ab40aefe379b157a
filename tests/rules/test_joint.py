"""The step of CSAda and AdaDB: the root of their equations, however it is found."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq

from costboost._core.cells import Cells, Outcome, RowCells
from costboost._core.rules.discrete import balance, mistaken_parts, polynomial_root

FLOOR = 1e-10
STEPS = pytest.mark.parametrize("step", [balance, polynomial_root])
SAME = settings(deadline=None, derandomize=True, database=None)


def class_cells(shares: Any, fn: float, fp: float, polarity: int = 1) -> Cells:
    """Positives left, right, negatives left, right; the weights D = c w of a vote's four cells."""
    w = np.asarray(shares, dtype=float)
    cost = np.array([fn, fn, fp, fp])
    D = w * (cost / cost.max())
    margin = polarity * np.array([-1.0, 1.0, 1.0, -1.0])
    return Cells(D / D.sum(), Outcome(margin), cost, np.array([True, True, False, False]))


def equation(shares: Any, fn: float, fp: float, x: float) -> float:
    """2 C+ b cosh + 2 C- d cosh - C+ T+ e^- - C- T- e^-, all divided by the greater cost."""
    a, b, c, d = shares
    T, missed = (a + b, c + d), (max(a, FLOOR * (a + b)), max(d, FLOOR * (c + d)))
    total = 0.0
    for rate, wrong, whole in zip((fn, fp), missed, T, strict=True):
        rate = rate / max(fn, fp)
        total += 2 * rate * wrong * math.cosh(rate * x) - rate * whole * math.exp(-rate * x)
    return total


@STEPS
@pytest.mark.parametrize("seed", range(6))
def test_the_root_of_the_papers_equation(step: Any, seed: int) -> None:
    rng = np.random.default_rng(seed)
    found = 0
    for _ in range(50):
        shares = rng.exponential(size=4) * rng.choice([0.0, 0.01, 1.0], 4)
        fn, fp = 10.0 ** rng.uniform(-2, 2, 2)
        if shares[:2].sum() == 0 or shares[2:].sum() == 0 or shares[1:3].sum() == 0:
            continue
        alpha = step(class_cells(shares, fn, fp))
        if equation(shares, fn, fp, 0.0) >= -1e-12:
            assert alpha <= 1e-9 / max(fn, fp)
            continue
        root = brentq(lambda x: equation(shares, fn, fp, x), 0, 600, xtol=1e-13)  # noqa: B023
        assert alpha * max(fn, fp) == pytest.approx(root, rel=1e-9)
        found += 1
    assert found > 10


@given(
    shares=st.lists(st.floats(1e-6, 1), min_size=4, max_size=4),
    log_ratio=st.floats(-6, 6),
    polarity=st.sampled_from([1, -1]),
)
@settings(SAME, max_examples=150)
def test_both_ways_to_the_step_agree(shares: Any, log_ratio: float, polarity: int) -> None:
    cells = class_cells(shares, 10.0**log_ratio, 1.0, polarity)
    one, other = balance(cells), polynomial_root(cells)
    assert one == pytest.approx(other, rel=1e-9, abs=1e-12 / cells.cost.max())
    assert (one > 0) == (other > 0) or abs(one - other) * cells.cost.max() < 1e-9


@STEPS
def test_equal_costs_are_adaboost(step: Any) -> None:
    cells = class_cells([0.1, 0.5, 0.3, 0.1], 2.0, 2.0)
    assert step(cells) == pytest.approx(0.5 * math.log(0.8 / 0.2) / 2.0, rel=1e-13)


@STEPS
def test_no_step_pays(step: Any) -> None:
    assert step(class_cells([0.5, 0.1, 0.1, 0.3], 1.0, 1.0)) == 0
    assert step(class_cells([0.25, 0.25, 0.25, 0.25], 3.0, 3.0)) == 0
    assert step(class_cells([0.3, 0.05, 0.05, 0.6], 5.0, 1.0)) == 0


@STEPS
def test_a_vote_that_is_never_right(step: Any) -> None:
    assert step(class_cells([0.3, 0.0, 0.0, 0.7], 5.0, 1.0)) == 0


@STEPS
@pytest.mark.parametrize("ratio", [1e-6, 1.0, 1e6])
def test_a_perfect_vote_has_a_finite_step(step: Any, ratio: float) -> None:
    shares = [0.0, 0.4, 0.6, 0.0]
    alpha = step(class_cells(shares, ratio, 1.0))
    assert 0 < alpha < math.inf
    # of every class FLOOR is taken to be wrong
    assert equation(shares, ratio, 1.0, alpha * max(ratio, 1.0)) == pytest.approx(0, abs=1e-9)


def test_parts_of_cells_that_are_counted_as_wrong() -> None:
    cells = class_cells([0.0, 0.4, 0.5, 0.1], 3.0, 1.0)
    assert mistaken_parts(cells).tolist() == [FLOOR, FLOOR, 0.0, 1.0]
    cells = class_cells([0.2, 0.2, 0.6, 0.0], 3.0, 1.0)
    assert mistaken_parts(cells).tolist() == [1.0, 0.0, FLOOR, FLOOR]
    cells = class_cells([0.4 * FLOOR, 0.4, 0.5, 0.1], 3.0, 1.0)
    assert mistaken_parts(cells).tolist() == [FLOOR, FLOOR, 0.0, 1.0]  # no more than that little


@STEPS
@pytest.mark.parametrize("ratio", [1e-300, 1e-30, 1e30, 1e300])
def test_costs_of_any_ratio(step: Any, ratio: float) -> None:
    for shares in ([0.1, 0.5, 0.3, 0.1], [0.0, 0.5, 0.5, 0.0], [0.4, 0.1, 0.4, 0.1]):
        alpha = step(class_cells(shares, ratio, 1.0))
        assert math.isfinite(alpha)
        assert alpha >= 0


@STEPS
@pytest.mark.parametrize("exponent", [-900, -3, 1, 40, 900])
def test_the_step_is_measured_in_units_of_cost(step: Any, exponent: int) -> None:
    shares, scale = [0.1, 0.5, 0.3, 0.1], 2.0**exponent
    plain = step(class_cells(shares, 7.3, 0.9))
    assert step(class_cells(shares, 7.3 * scale, 0.9 * scale)) * scale == plain


# ---- rows as cells -------------------------------------------------------------------------------


def row_cells(rng: np.random.Generator, n: int) -> RowCells:
    cost = 10.0 ** rng.uniform(-2, 2, n)
    D = rng.exponential(size=n)
    margin = np.where(rng.random(n) < 0.2, -1.0, 1.0)
    return RowCells(D / D.sum(), Outcome(margin), cost, rng.random(n) < 0.5)


def taken(cells: RowCells, order: Any) -> RowCells:
    return RowCells(
        cells.weight[order], Outcome(cells.margin[order]), cells.cost[order], cells.positive[order]
    )


@STEPS
@pytest.mark.parametrize("seed", range(5))
def test_rows_of_any_cost(step: Any, seed: int) -> None:
    rng = np.random.default_rng(seed)
    cells = row_cells(rng, 40)
    alpha = step(cells)
    rate = cells.cost / cells.cost.max()

    def slope(x: float) -> float:
        return float((cells.weight * cells.margin * np.exp(-rate * x * cells.margin)).sum())

    assert slope(0.0) > 0
    root = brentq(slope, 0, 600, xtol=1e-13)
    assert alpha * cells.cost.max() == pytest.approx(root, rel=1e-9)
    for _ in range(5):  # to the last bit, in whatever order the rows are added
        assert step(taken(cells, rng.permutation(40))).hex() == alpha.hex()


@STEPS
def test_rows_of_equal_costs_are_cells(step: Any) -> None:
    shares = np.array([0.15, 0.35, 0.4, 0.1])
    cells = class_cells(shares, 4.0, 1.0)
    rows = RowCells(
        np.repeat(cells.weight / 5, 5),
        Outcome(np.repeat(cells.margin, 5)),
        np.repeat(cells.cost, 5),
        np.repeat(cells.positive, 5),
    )
    assert step(rows) == pytest.approx(step(cells), rel=1e-12)
