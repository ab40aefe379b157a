"""Bounds that spare the search, values of leaves, and shards; rows have costs of their own."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from math import fsum
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from learners.rows import Floats, Small
from learners.slowly import (
    LEAF,
    ROUNDING,
    TIE,
    candidates,
    constant_losses,
    joint_losses,
    leaf_loss,
    leaf_losses,
    leaf_value,
    margins,
    random_small,
    vote_loss,
)

from costboost._core.engine._kernels import MISSING, raise_bounds
from costboost._core.learners.row_costs import search as row_costs
from costboost._core.learners.row_costs.joint import Screened, Votes
from costboost._core.rules.real import cost_log_odds, cost_log_odds_of_rows
from costboost._core.rules.record import Criterion
from costboost.algorithms import CSAdaClassifier, CSRealBoostClassifier

SAME = settings(deadline=None, derandomize=True, database=None)


# ---- leaves with values --------------------------------------------------------------------------


def assert_best(small: Small, kind: str) -> None:
    """The split found has the least loss of all."""
    rows = small.rows
    if kind == "joint":
        vote = row_costs.joint_split(rows, 1)
        values = [*joint_losses(small, 1).values(), *constant_losses(small)]
        found = vote_loss(small.row_weight, small.row_cost, margins(small, vote), small.label > 0)
    else:
        values = [*leaf_losses(small, 1).values()]
        best = row_costs.leaf_split(rows, None, LEAF, 1)
        found = np.inf if best is None else best[0].value
    assert found <= min(values, default=np.inf) + 2 * TIE + ROUNDING


# ---- bounds --------------------------------------------------------------------------------------

SEARCHES: dict[str, Callable[..., Any]] = {
    "leaf": lambda rows, criterion: row_costs.leaf_split(rows, None, criterion, 1),
    "table": lambda rows, criterion: row_costs.best_table(rows, criterion),
}


def watch(monkeypatch: pytest.MonkeyPatch) -> list[Floats]:
    """A list to which the bounds of all candidates are added, first and after every probe."""
    best_first, seen = row_costs.best_first, []

    def watched(least: Floats, value_of: Any, probe: Any, features_of: Any) -> Any:
        seen.append(least.copy())

        def remember(at: float, left: Any) -> None:
            probe(at, left)
            seen.append(least.copy())

        return best_first(least, value_of, remember, features_of)

    monkeypatch.setattr(row_costs, "best_first", watched)
    return seen


def losses_of(small: Small, kind: str, criterion: Criterion) -> dict[tuple[int, ...], float]:
    """Losses of all candidates, by their places in the arrays of bounds."""
    if kind == "leaf":
        losses = leaf_losses(small, 1, criterion=criterion)
        return {(f, int(m), k): value for (f, k, _, m), value in losses.items()}
    return {
        (f,): sum(
            leaf_loss(small.row_weight[p], small.label[p], small.row_cost[p], criterion)
            for p in (np.flatnonzero(small.bins(f) == b) for b in np.unique(small.bins(f)))
        )
        for f in np.flatnonzero(small.rows.varies)
    }


@pytest.mark.parametrize("kind", ["leaf", "table"])
@pytest.mark.parametrize("spread", [0.2, 2.0])
@pytest.mark.parametrize("seed", range(8))
def test_bounds_hold_after_every_probe(
    seed: int, spread: float, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bound of each candidate is not above its loss, and probes raise bounds only."""
    small = random_small(seed + 50)
    small.cost = 10.0 ** np.random.default_rng(seed).uniform(-spread, spread, small.cost.size)
    seen = watch(monkeypatch)
    criterion = LEAF._replace(smoothing=0.1 if seed % 2 else 1e-4)
    SEARCHES[kind](small.weigh().rows, criterion)
    exact = losses_of(small, kind, criterion)
    assert seen or not exact
    for least in seen:
        assert np.isfinite(least).sum() == len(exact)
        for place, value in exact.items():
            assert least[place] <= value + ROUNDING
    for before, after in pairwise(seen):
        assert (after >= before).all()


def test_bounds_are_tight_near_the_best_value(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few candidates are evaluated, in every round of a fit."""
    calls: list[int] = []
    best_first = row_costs.best_first

    def watched(least: Floats, value_of: Any, *rest: Any) -> Any:
        evaluated: list[int] = []

        def remember(k: int) -> Any:
            evaluated.append(k)
            return value_of(k)

        left = best_first(least, remember, *rest)
        assert len(set(evaluated)) == len(evaluated)
        calls.append(len(evaluated))
        return left

    monkeypatch.setattr(row_costs, "best_first", watched)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 3))
    y = (X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=2000) > 1.5).astype(int)
    clf = CSRealBoostClassifier(estimator="stump", n_estimators=4)
    clf.fit(X, y, fn_cost=rng.uniform(1, 9, 2000))
    assert len(calls) == 4
    assert max(calls) <= 12


def leaf_bounds(
    weight: Floats, rate: Floats, criterion: Criterion, values: Any, error: float = 0.0
) -> tuple[Floats, Floats, Floats]:
    """Low and high limits of the value of one leaf, and its bound, after moments at the values."""
    low, high, least = np.array([-np.inf]), np.array([np.inf]), np.array([0.0])
    for at in values:
        terms = weight * np.exp(rate * at) * rate ** np.arange(4)[:, None]
        moments = np.array([[fsum(term)] for term in terms])
        given = criterion.fn_cost, criterion.fp_cost, criterion.smoothing, at
        raise_bounds(moments, error + 1e-15 * float(moments[0, 0]), given, low, high, least)
    return low, high, least


@given(
    seed=st.integers(0, 2**32), spread=st.floats(0, 4),
    smoothing=st.sampled_from([1e-12, 1e-4, 1.0]),
    values=st.lists(st.floats(-20, 20), min_size=1, max_size=4),
)  # fmt: skip
@settings(SAME, max_examples=200)
def test_bounds_of_a_leaf(seed: int, spread: float, smoothing: float, values: list[float]) -> None:
    """Its value is in the interval, and its loss not below the bound.

    Weights and costs differ by orders of magnitude, and some leaves have rows of one class only.
    """
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 12))
    weight, cost = 10.0 ** rng.uniform(-spread, 0, (2, n))
    cost /= cost.max()
    label = np.where(rng.random(n) < rng.choice([0.0, 0.5, 1.0]), 1.0, -1.0)
    criterion = LEAF._replace(smoothing=smoothing, fn_cost=float(cost.mean()), fp_cost=0.3)
    low, high, least = leaf_bounds(weight, -label * cost, criterion, values)
    value = leaf_value(weight, label, cost, criterion)
    slack = 1e-6 * (1 + abs(value))  # of the root, where the slope is hardly known
    assert low[0] - slack <= value <= high[0] + slack
    assert least[0] <= leaf_loss(weight, label, cost, criterion) * (1 + 1e-9)


@given(seed=st.integers(0, 2**32), shares=st.lists(st.floats(-1, 1), min_size=4, max_size=4))
@settings(SAME, max_examples=100)
def test_bounds_of_a_leaf_whose_moments_are_rounded(seed: int, shares: list[float]) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 30))
    weight, cost = rng.exponential(size=n), rng.uniform(0.01, 1.0, n)
    label = rng.choice([-1.0, 1.0], n)
    error = 10.0 ** rng.uniform(-12, -1)
    low, high, least = np.array([-np.inf]), np.array([np.inf]), np.array([0.0])
    moments = (weight * (-label * cost) ** np.arange(4)[:, None]).sum(axis=1, keepdims=True)
    moments += error * np.array(shares)[:, None]
    criterion = LEAF._replace(fn_cost=0.5, fp_cost=0.2)
    given = criterion.fn_cost, criterion.fp_cost, criterion.smoothing, 0.0
    raise_bounds(moments, error * (1 + 1e-9) + 1e-14 * n, given, low, high, least)
    value = leaf_value(weight, label, cost, criterion)
    assert low[0] - 1e-9 <= value <= high[0] + 1e-9
    assert least[0] <= leaf_loss(weight, label, cost, criterion) * (1 + 1e-9)


def test_bounds_of_a_leaf_are_tight() -> None:
    """Up to the fourth power of the distance between value and moments."""
    rng = np.random.default_rng(0)
    weight, cost = rng.exponential(size=500), rng.uniform(0.05, 1.0, 500)
    weight /= weight.sum()
    label = rng.choice([-1.0, 1.0], 500)
    criterion = LEAF._replace(smoothing=1e-12, fn_cost=0.5, fp_cost=0.5)
    value, loss = (of(weight, label, cost, criterion) for of in (leaf_value, leaf_loss))
    for distance in (0.4, 0.2, 0.1):
        for side in (-1, 1):
            *_, least = leaf_bounds(weight, -label * cost, criterion, [value + side * distance])
            assert 0 <= loss - least[0] <= 0.02 * distance**4


CASES: list[Any] = [("leaf", 43, 1.0, 0.1), ("leaf", 24, 3.0, 0.1), ("leaf", 24, 3.0, 4.0)]
CASES += [("joint", 15, 3.0, 12.0)]
CASES += [
    ("leaf", 187, 1.0, 4.0),
    ("leaf", 155, 3.0, 12.0),
    ("joint", 204, 3.0, 12.0),
    ("joint", 217, 4.0, 12.0),
]


@pytest.mark.parametrize(("kind", "seed", "spread", "weights"), CASES)
def test_rounding_does_not_exclude_the_best_candidate(
    kind: str, seed: int, spread: float, weights: float
) -> None:
    rng = np.random.default_rng(seed)
    n = 8 + seed % 30
    small = Small(rng, n, 2)
    small.cost = 10.0 ** rng.uniform(-spread, spread, n)
    small.weight = 10.0 ** rng.uniform(-weights, 0, n)
    assert_best(small.weigh(), kind)


# ---- bounds of votes with their steps ------------------------------------------------------------


def losses_by_place(small: Small) -> dict[tuple[int, int, int, int], float]:
    """Losses of all votes by side of missing values, feature, position and polarity."""
    losses = {(int(m), f, k, p): loss for (f, k, p, m), loss in joint_losses(small, 1).items()}
    return losses | {(0, 0, MISSING - 1, p): v for p, v in enumerate(constant_losses(small))}


@pytest.mark.parametrize("spread", [0.3, 2.0])
@pytest.mark.parametrize("seed", range(12))
def test_bounds_of_votes_hold_after_every_probe(
    seed: int, spread: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bounds enclose the loss of each vote; only votes that are not the best are excluded."""
    small = random_small(seed + 50)
    small.cost = 10.0 ** np.random.default_rng(seed).uniform(-spread, spread, small.cost.size)
    exact, exclude, probe = losses_by_place(small.weigh()), Screened.exclude, Screened.probe
    best = min(exact.values())
    n_checked = 0

    def check(screened: Screened) -> None:
        nonlocal n_checked
        n_checked += 1
        for (side, f, k, p), loss in exact.items():
            if f in screened.features:
                place = side, int(np.flatnonzero(screened.features == f)[0]), k, p
                least, most = screened.least[place], screened.most[place]
                assert least <= loss + ROUNDING or loss > best + TIE - ROUNDING
                assert least == np.inf or least <= loss + ROUNDING
                assert most >= loss - ROUNDING

    def checked_probe(screened: Screened, terms: Any) -> None:
        probe(screened, terms)
        check(screened)

    def checked_exclude(screened: Screened, limit: float) -> None:
        exclude(screened, limit)
        check(screened)

    monkeypatch.setattr(Screened, "probe", checked_probe)
    monkeypatch.setattr(Screened, "exclude", checked_exclude)
    row_costs.joint_split(small.rows, 1)
    assert n_checked


@pytest.mark.parametrize("seed", range(12))
def test_no_vote_below_the_least_edge_reaches_the_loss(seed: int) -> None:
    """For losses of votes and steps of any size; some limits are above some edges."""
    small = random_small(seed + 80)
    votes = Votes(small.rows)
    exact = losses_by_place(small)
    weight = small.row_weight / small.row_cost
    edges: dict[float, float] = {}
    for c in candidates(small, weight, 1):
        for p in (0, 1):
            margin = small.label * np.where(c.on_left, -1, 1) * (1 - 2 * p)
            loss = exact[int(c.missing_left), c.feature, c.position, p]
            edges[loss] = max(float((small.row_weight * margin).sum()), edges.get(loss, -1.0))
    per_weight = votes.fall / small.row_weight.sum()
    for step in np.geomspace(1e-3, 30, 12) / votes.largest:
        terms = votes.terms(float(step))
        for reached in exact.values():
            limit = votes.least_edge(terms, reached)
            for loss, edge in edges.items():
                # a class that is nearly free of mistakes is counted as if it were
                assert edge * per_weight >= limit - 1e-9 * votes.fall or loss > reached


def test_few_probes_leave_one_vote(monkeypatch: pytest.MonkeyPatch) -> None:
    """In every round of a fit no step is probed twice, and few votes are evaluated exactly."""
    survivors, probe = Screened.survivors, Screened.probe
    calls: list[int] = []
    steps: list[float] = []

    def watched(screened: Screened, step: float) -> Any:
        steps.clear()
        left = survivors(screened, step)
        assert len(set(steps)) == len(steps)
        calls.append(int(left.sum()))
        return left

    def noted(screened: Screened, terms: Any) -> None:
        steps.append(terms.step)
        probe(screened, terms)

    monkeypatch.setattr(Screened, "survivors", watched)
    monkeypatch.setattr(Screened, "probe", noted)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 3))
    y = (X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=2000) > 1.5).astype(int)
    CSAdaClassifier(n_estimators=4).fit(X, y, fn_cost=rng.uniform(1, 9, 2000))
    assert len(calls) == 4
    assert max(calls) <= 3


@given(seed=st.integers(0, 2**32), spread=st.floats(0, 3), kind=st.sampled_from(["joint", "leaf"]))
@settings(SAME, max_examples=40)
def test_the_best_candidate_is_never_excluded(seed: int, spread: float, kind: str) -> None:
    rng = np.random.default_rng(seed)
    small = Small(rng, int(rng.integers(2, 40)), 2)
    small.cost = 10.0 ** rng.uniform(-spread, spread, len(small.cost))
    assert_best(small.weigh(), kind)


# ---- values of leaves ----------------------------------------------------------------------------


@pytest.mark.parametrize("spread", [0.0, 2.0, 6.0])
def test_values_of_leaves(spread: float) -> None:
    """Roots found by bisection, for leaves of many rows, of one, and of none."""
    rng = np.random.default_rng(int(spread))
    for _ in range(30):
        n, n_leaves = int(rng.integers(1, 30)), int(rng.integers(1, 6))
        weight = 10.0 ** rng.uniform(-8, 0, n)
        label = rng.choice([-1.0, 1.0], n)
        cost = 10.0 ** rng.uniform(-spread, spread, n)
        leaf = rng.integers(0, n_leaves, n)
        criterion = LEAF._replace(fn_cost=float(cost.mean()), fp_cost=float(cost.max()))
        found = cost_log_odds_of_rows(weight, label, cost, leaf, n_leaves, criterion)
        for k in range(n_leaves):
            here = leaf == k
            expected = leaf_value(weight[here], label[here], cost[here], criterion)
            assert found[k] == pytest.approx(expected, rel=1e-9, abs=1e-12 / cost.max())


def test_values_of_leaves_under_equal_costs() -> None:
    rng = np.random.default_rng(0)
    weight, label = rng.exponential(size=50), rng.choice([-1.0, 1.0], 50)
    leaf, criterion = rng.integers(0, 4, 50), LEAF._replace(fn_cost=3.0, fp_cost=0.7)
    cost = np.where(label > 0, 3.0, 0.7)
    p, q = (np.bincount(leaf, weight * (label == s), 4) for s in (1, -1))
    np.testing.assert_allclose(
        cost_log_odds_of_rows(weight, label, cost, leaf, 4, criterion),
        cost_log_odds(p, q, criterion),
        rtol=1e-12,
    )


def test_values_of_leaves_do_not_depend_on_the_order_of_the_rows() -> None:
    rng = np.random.default_rng(1)
    weight, label = rng.exponential(size=60), rng.choice([-1.0, 1.0], 60)
    cost, leaf = 10.0 ** rng.uniform(-2, 2, 60), rng.integers(0, 3, 60)
    one = cost_log_odds_of_rows(weight, label, cost, leaf, 3, LEAF)
    for _ in range(5):
        order = rng.permutation(60)
        given = (values[order] for values in (weight, label, cost, leaf))
        assert cost_log_odds_of_rows(*given, 3, LEAF).tobytes() == one.tobytes()


# ---- shards --------------------------------------------------------------------------------------


def described(split: Any) -> tuple[Any, ...]:
    return (
        split.feature, split.bin, split.polarity, split.missing_left, split.quanta,
        split.left.tobytes(), split.value.hex(),
    )  # fmt: skip


@pytest.mark.parametrize("seed", range(3))
def test_shards_and_threads_do_not_matter(seed: int) -> None:
    small = Small(np.random.default_rng(seed), 80, 4)
    found, found_values = set(), set()
    for n_shards, n_threads in ((1, 1), (3, 1), (3, 2), (7, 8)):
        small.rows, small.place = small.shards(n_shards, n_threads)
        rows = small.weigh().rows
        joint, leaves = (row_costs.best_split(rows, of, 2) for of in (Criterion("joint"), LEAF))
        assert joint is not None
        assert leaves is not None
        table, values = row_costs.best_table(rows, LEAF)
        rows.class_shares()
        root = rows.root(with_counts=False)
        loss = row_costs.node_loss(rows, root, LEAF).hex()
        inner = row_costs.node_split(rows, root, LEAF, 2)
        found.add((*map(described, (joint[0], leaves[0], inner)), loss, table))
        assert joint[1] is None
        assert leaves[1] is not None
        found_values.add((leaves[1].tobytes(), values.tobytes()))
    assert len(found) == len(found_values) == 1
