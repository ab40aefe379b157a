"""Splits under costs of their own for every row, against all candidates one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from learners.rows import Floats, Small
from numpy.typing import NDArray
from scipy.optimize import brentq

from costboost import CSAdaClassifier
from costboost.engine._kernels import MISSING
from costboost.learners import by_rows
from costboost.rules import Criterion
from costboost.rules.real import cost_log_odds, cost_log_odds_of_rows

TIE = 1e-12
ROUNDING = 1e-13
FLOOR = 1e-10
LEAF = Criterion("cost exponential", 1e-4, 2.0, 0.5)
SAME = settings(deadline=None, derandomize=True, database=None)

# ---- slowly --------------------------------------------------------------------------------------


def rising(function: Callable[[float], float]) -> float:
    """The root of an increasing function."""
    low, high = -1.0, 1.0
    while function(low) > 0:
        low *= 2
    while function(high) < 0:
        high *= 2
    return float(brentq(function, low, high, xtol=1e-300, rtol=1e-14, maxiter=500))


def log_sum(logs: Floats) -> float:
    most = logs.max(initial=-np.inf)
    return float(most + np.log(np.exp(logs - most).sum())) if np.isfinite(most) else -np.inf


def vote_loss(weight: Floats, cost: Floats, margin: Floats, positive: NDArray[np.bool_]) -> float:
    """sum w exp(-c alpha y h) at the best alpha >= 0, w summing to 1."""
    w = weight / cost
    w = w / w.sum()
    wrong = (margin < 0).astype(float)
    for rows in (positive, ~positive):
        if w[rows] @ wrong[rows] < FLOOR * w[rows].sum():
            wrong[rows] = FLOOR
    with np.errstate(divide="ignore"):
        up, down = np.log(w * cost * wrong), np.log(w * cost * (1 - wrong))

    def gap(step: float) -> float:
        return log_sum(up + cost * step) - log_sum(down - cost * step)

    if not gap(0.0) < 0:
        return 1.0
    step = rising(gap)
    with np.errstate(divide="ignore"):
        terms = [np.log(w * wrong) + cost * step, np.log(w * (1 - wrong)) - cost * step]
    return float(np.exp(terms).sum())


def leaf_value(weight: Floats, label: Floats, cost: Floats, criterion: Criterion) -> float:
    """The root of sum c y w exp(-c y g) with a row of either class more."""
    e, fn, fp = criterion[1:]
    with np.errstate(divide="ignore"):
        logs = np.log(weight) + np.log(cost)
    up, down = label > 0, label < 0

    def gap(g: float) -> float:
        against = log_sum(np.append(logs[down] + cost[down] * g, np.log(e * fp) + fp * g))
        for_it = log_sum(np.append(logs[up] - cost[up] * g, np.log(e * fn) - fn * g))
        return against - for_it

    return rising(gap)


def leaf_loss(weight: Floats, label: Floats, cost: Floats, criterion: Criterion) -> float:
    g = leaf_value(weight, label, cost, criterion)
    return float((weight * np.exp(-cost * label * g)).sum())


class Candidate(NamedTuple):
    feature: int
    position: int
    missing_left: bool
    on_left: NDArray[np.bool_]  # of all rows


def candidates(
    small: Small, weight: Floats, least: int, members: NDArray[np.intp] | None = None
) -> Iterator[Candidate]:
    """All ways to part the members, in order."""
    rows, label = small.rows, small.label
    members = np.arange(label.size) if members is None else members
    for f in range(rows.n_features):
        bins = rows.bins(f)
        order = list(range(rows.n_bins[f]))
        if rows.categorical[f]:
            share = {}
            for b in order:
                here = members[bins[members] == b]
                if weight[here].sum() > 0:
                    share[b] = weight[here][label[here] > 0].sum() / weight[here].sum()
            order = sorted(share, key=lambda b: share[b])
        for k in range(len(order) - 1):
            for missing_left in (False, True):
                on_left = np.isin(bins, order[: k + 1]) | ((bins == MISSING) & missing_left)
                n_left = on_left[members].sum()
                if missing_left and not (bins[members] == MISSING).any():
                    continue
                if least <= min(n_left, members.size - n_left):
                    yield Candidate(f, k, missing_left, on_left)


def assert_chosen(
    split: Any, values: dict[tuple[int, int, int, bool], float], found: float
) -> tuple[int, int, int, bool]:
    """The split is the first within TIE of the least."""
    least = min(values.values())
    place = split.feature, split.bin, (1 - split.polarity) // 2
    sides = {k[3]: v for k, v in values.items() if k[:3] == place}
    assert min(sides.values()) <= least + TIE + ROUNDING
    assert found == pytest.approx(min(sides.values()), rel=1e-11, abs=TIE + ROUNDING)
    for other, value in values.items():
        if other[:3] < place:
            assert value > least + TIE - ROUNDING
    if len(sides) == 2 and abs(sides[True] - sides[False]) > TIE + ROUNDING:
        assert split.missing_left == (sides[True] < sides[False])
    return (*place, split.missing_left)


def random_small(seed: int, **options: Any) -> Small:
    rng = np.random.default_rng(seed)
    n = int(rng.choice([2, 4, 9, 25, 60]))
    missing = float(rng.choice([0.0, 0.2]))
    small = Small(rng, n, int(rng.integers(1, 4)), missing=missing, **options)
    if rng.random() < 0.3:  # as they are after many rounds
        small.weight = 10.0 ** rng.uniform(-6, 0, n)
    if rng.random() < 0.2:
        small.X[:, 0] = small.positive  # a perfect split
        small.rebinned()
    return small.weigh()


# ---- votes chosen together with their steps ------------------------------------------------------


def joint_losses(small: Small, least: int) -> dict[tuple[int, int, int, bool], float]:
    """Losses by feature, position, polarity and side of the missing rows."""
    rows, label = small.rows, small.label
    weight = rows.own_weight / rows.own_cost
    return {
        (c.feature, c.position, p, c.missing_left): vote_loss(
            rows.own_weight,
            rows.own_cost,
            label * np.where(c.on_left, -1, 1) * (1 - 2 * p),
            label > 0,
        )
        for c in candidates(small, weight, least)
        for p in (0, 1)
    }


def constant_losses(small: Small) -> list[float]:
    rows, label = small.rows, small.label
    return [
        vote_loss(rows.own_weight, rows.own_cost, label * sign, label > 0) for sign in (1.0, -1.0)
    ]


def margins(small: Small, split: Any) -> Floats:
    on_left = split.left.astype(bool)[small.rows.bins(max(split.feature, 0))]
    if split.feature < 0:
        on_left = np.zeros_like(on_left)
    return small.label * np.where(on_left, -1.0, 1.0) * split.polarity


@pytest.mark.parametrize("least", [1, 3])
@pytest.mark.parametrize("seed", range(14))
def test_joint_split(seed: int, least: int) -> None:
    small = random_small(seed)
    rows = small.rows
    split = by_rows.joint_split(rows, least)
    values, constants = joint_losses(small, least), constant_losses(small)
    everything = min([*values.values(), *constants])
    found = vote_loss(rows.own_weight, rows.own_cost, margins(small, split), small.label > 0)
    assert found <= everything + 2 * TIE + ROUNDING
    if split.feature < 0:
        assert min(values.values(), default=np.inf) > everything + TIE - ROUNDING
        assert constants[(1 - split.polarity) // 2] <= everything + TIE + ROUNDING
    else:
        assert_chosen(split, values, found)


def test_joint_splits_of_both_kinds_are_seen() -> None:
    features = [by_rows.joint_split(random_small(seed).rows, 1).feature for seed in range(25)]
    assert len(set(features)) >= 3


def test_the_measured_loss_is_that_of_the_step() -> None:
    """`vote_loss` is the loss at the step that the rule will take."""
    for seed in range(10):
        small = random_small(seed)
        rows = small.rows
        weight = rows.own_weight / rows.own_cost
        weight = weight / weight.sum()
        for c in candidates(small, weight, 1):
            margin = small.label * np.where(c.on_left, -1.0, 1.0)
            slow = vote_loss(rows.own_weight, rows.own_cost, margin, small.label > 0)
            assert by_rows.vote_loss(rows, weight, margin) == pytest.approx(slow, rel=1e-12)


@pytest.mark.parametrize("sign", [1, -1])
def test_constants_win_where_nothing_is_told_apart(sign: int) -> None:
    rng = np.random.default_rng(0)
    small = Small(rng, 30, 1, missing=0.0, categories=False)
    small.X[:] = 1.0
    small.rebinned()
    small.weight = np.where(small.positive == (sign > 0), 5.0, 1.0)
    small.cost[:] = rng.uniform(1, 2, 30)
    split = by_rows.joint_split(small.weigh().rows, 1)
    assert (split.feature, split.polarity) == (-1, sign)


# ---- leaves with values --------------------------------------------------------------------------


def leaf_losses(
    small: Small,
    least: int,
    members: NDArray[np.intp] | None = None,
    criterion: Criterion = LEAF,
) -> dict[tuple[int, int, int, bool], float]:
    rows, label = small.rows, small.label
    chosen = np.arange(label.size) if members is None else members
    result = {}
    for c in candidates(small, rows.own_weight, least, members):
        parts = [chosen[c.on_left[chosen]], chosen[~c.on_left[chosen]]]
        result[c.feature, c.position, 0, c.missing_left] = sum(
            leaf_loss(rows.own_weight[part], label[part], rows.own_cost[part], criterion)
            for part in parts
        )
    return result


@pytest.mark.parametrize("least", [1, 3])
@pytest.mark.parametrize("seed", range(10))
def test_leaf_split(seed: int, least: int) -> None:
    small = random_small(seed)
    split = by_rows.leaf_split(small.rows, None, LEAF, least)
    values = leaf_losses(small, least)
    if not values:
        assert split is None
        return
    assert split is not None
    assert_chosen(split, values, split.value)
    assert by_rows.split_loss(small.rows, split, LEAF) == pytest.approx(split.value, rel=1e-12)


@pytest.mark.parametrize(
    ("seed", "least"),
    [(seed, least) for seed in range(7) for least in (1, 4)],
)
def test_node_split(seed: int, least: int) -> None:
    """The rows of a node only, after any split of all."""
    rng = np.random.default_rng(seed)
    small = Small(rng, 50, 3, n_shards=1 + seed % 2).weigh()
    rows = small.rows
    rows.class_weights()
    root = rows.root(with_counts=seed % 3 == 0)
    assert by_rows.node_loss(rows, root, LEAF) == pytest.approx(
        leaf_loss(rows.own_weight, small.label, rows.own_cost, LEAF), rel=1e-12
    )
    first = by_rows.node_split(rows, root, LEAF, least)
    assert first is not None
    on_left = first.left.astype(bool)[rows.bins(first.feature)]
    for node, side in zip(rows.divide(root, first), (on_left, ~on_left), strict=True):
        members = np.flatnonzero(side)
        np.testing.assert_array_equal(np.sort(rows.members(node)), members)
        arguments = rows.own_weight[members], small.label[members], rows.own_cost[members]
        assert by_rows.node_loss(rows, node, LEAF) == pytest.approx(
            leaf_loss(*arguments, LEAF), rel=1e-11
        )
        values = leaf_losses(small, least, members)
        split = by_rows.node_split(rows, node, LEAF, least)
        if not values:
            assert split is None
            continue
        assert split is not None
        assert_chosen(split, values, split.value)
        left, right = rows.divide(node, split)
        assert min(left.size, right.size) >= least


@pytest.mark.parametrize("max_bins", [255, 3])
@pytest.mark.parametrize("seed", range(8))
def test_best_table(seed: int, max_bins: int) -> None:
    small = random_small(seed, max_bins=max_bins)
    rows, label = small.rows, small.label
    losses = []
    for f in range(rows.n_features):
        bins = rows.bins(f)
        parts = [np.flatnonzero(bins == b) for b in np.unique(bins)]
        losses.append(
            sum(leaf_loss(rows.own_weight[p], label[p], rows.own_cost[p], LEAF) for p in parts)
            if (bins != MISSING).any()
            else np.inf
        )
    chosen = by_rows.best_table(rows, LEAF)
    assert losses[chosen] <= min(losses) + TIE + ROUNDING
    assert all(value > min(losses) + TIE - ROUNDING for value in losses[:chosen])


def test_a_table_of_nothing_but_missing_values_is_never_chosen() -> None:
    small = Small(np.random.default_rng(0), 20, 3, categories=False)
    small.X[:, 0] = np.nan
    small.X[:, 1] = 1.0
    small.X[:, 2] = 1.0
    assert by_rows.best_table(small.rebinned().weigh().rows, LEAF) == 1


def assert_best(small: Small, kind: str) -> None:
    """The split found has the least loss of all."""
    rows = small.rows
    if kind == "joint":
        vote = by_rows.joint_split(rows, 1)
        values = [*joint_losses(small, 1).values(), *constant_losses(small)]
        found = vote_loss(rows.own_weight, rows.own_cost, margins(small, vote), small.label > 0)
    else:
        values = [*leaf_losses(small, 1).values()]
        split = by_rows.leaf_split(rows, None, LEAF, 1)
        found = np.inf if split is None else split.value
    assert found <= min(values, default=np.inf) + 2 * TIE + ROUNDING


# ---- bounds --------------------------------------------------------------------------------------

SEARCHES: dict[str, Callable[..., Any]] = {
    "joint": lambda rows, criterion: by_rows.joint_split(rows, 1),
    "leaf": lambda rows, criterion: by_rows.leaf_split(rows, None, criterion, 1),
    "table": lambda rows, criterion: by_rows.best_table(rows, criterion),
}


def watch(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Floats, Floats]]:
    """What is known of every candidate, look after look, is put into this list."""
    screen, seen = by_rows.screen, []

    def watched(look: Any, judge: Any, *rest: Any, **options: Any) -> Any:
        def remember(bounds: Any) -> Any:
            seen.append(judge(bounds))
            return seen[-1]

        return screen(look, remember, *rest, **options)

    monkeypatch.setattr(by_rows, "screen", watched)
    return seen


@pytest.mark.parametrize("kind", ["joint", "leaf", "table"])
@pytest.mark.parametrize("seed", range(6))
def test_bounds_hold_after_every_look(
    seed: int, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For each candidate: not above its loss, not below it."""
    small = random_small(seed + 50)
    rows, label = small.rows, small.label
    seen = watch(monkeypatch)
    criterion = LEAF._replace(smoothing=0.1 if seed % 2 else 1e-4)
    SEARCHES[kind](rows, criterion)
    if kind == "table":
        exact = {
            (f,): sum(
                leaf_loss(rows.own_weight[p], label[p], rows.own_cost[p], criterion)
                for p in (np.flatnonzero(rows.bins(f) == b) for b in np.unique(rows.bins(f)))
            )
            for f in range(rows.n_features)
        }
        shape: tuple[int, ...] = (rows.n_features,)
    else:
        polarities = 2 if kind == "joint" else 1
        losses = joint_losses(small, 1)
        if kind == "leaf":
            losses = leaf_losses(small, 1, criterion=criterion)
        exact = {(int(m), f, k, p): value for (f, k, p, m), value in losses.items()}
        shape = (2, rows.n_features, MISSING - 1, polarities)
    assert seen or not exact
    for least, most in seen:
        for place, value in exact.items():
            assert least.reshape(shape)[place] <= value + ROUNDING
            assert most.reshape(shape)[place] >= value - ROUNDING
        if kind != "table":
            assert np.isfinite(most).sum() == len(exact)


@pytest.mark.parametrize("kind", ["joint", "leaf", "table"])
def test_every_look_tells_more(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of no candidate is less known after another look."""
    seen = watch(monkeypatch)
    for seed in range(10):
        rows = random_small(seed + 50).rows
        seen.clear()
        SEARCHES[kind](rows, LEAF)
        for (least, most), (more, less) in pairwise(seen):
            known = np.isfinite(most)
            assert (more >= least - 1e-9)[known].all()
            assert (less <= most + 1e-9)[known].all()


CASES: list[Any] = [("leaf", 43, 1.0, 0.1), ("leaf", 24, 3.0, 0.1), ("leaf", 24, 3.0, 4.0)]
CASES += [("joint", 15, 3.0, 12.0)]
CASES += [
    ("leaf", 187, 1.0, 4.0),
    ("leaf", 155, 3.0, 12.0),
    ("joint", 204, 3.0, 12.0),
    ("joint", 217, 4.0, 12.0),
]


@pytest.mark.parametrize(("kind", "seed", "spread", "weights"), CASES)
def test_the_winner_is_not_lost_to_rounding(
    kind: str, seed: int, spread: float, weights: float
) -> None:
    rng = np.random.default_rng(seed)
    n = 8 + seed % 30
    small = Small(rng, n, 2)
    small.cost = 10.0 ** rng.uniform(-spread, spread, n)
    small.weight = 10.0 ** rng.uniform(-weights, 0, n)
    assert_best(small.weigh(), kind)


def test_no_number_is_looked_at_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few looks leave few candidates, in every round."""
    screen, calls = by_rows.screen, []

    def watched(look: Any, *rest: Any, **options: Any) -> Any:
        numbers: list[float] = []

        def remember(at: float) -> Any:
            numbers.append(at)
            return look(at)

        left = screen(remember, *rest, **options)
        calls.append((numbers, left.size))
        return left

    monkeypatch.setattr(by_rows, "screen", watched)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 3))
    y = (X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=2000) > 1.5).astype(int)
    CSAdaClassifier(n_estimators=4).fit(X, y, fn_cost=rng.uniform(1, 9, 2000))
    assert len(calls) == 4
    for numbers, n_left in calls:
        assert len(set(numbers)) == len(numbers)
        assert n_left <= 50


@given(seed=st.integers(0, 2**32), spread=st.floats(0, 3), kind=st.sampled_from(["joint", "leaf"]))
@settings(SAME, max_examples=40)
def test_the_winner_is_never_gone(seed: int, spread: float, kind: str) -> None:
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
    found = set()
    for n_shards, n_threads in ((1, 1), (3, 1), (3, 2), (7, 8)):
        small.rows, small.place = small.shards(n_shards, n_threads)
        rows = small.weigh().rows
        joint = by_rows.best_split(rows, Criterion("joint"), 2)
        leaves = by_rows.best_split(rows, LEAF, 2)
        table = by_rows.best_table(rows, LEAF)
        rows.class_weights()
        root = rows.root(with_counts=False)
        loss = by_rows.node_loss(rows, root, LEAF).hex()
        inner = by_rows.node_split(rows, root, LEAF, 2)
        found.add((described(joint), described(leaves), described(inner), loss, table))
    assert len(found) == 1
