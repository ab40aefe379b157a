"""Splits of rows with costs of their own are those that trying them all would find."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
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
    margins,
    random_small,
    vote_loss,
)
from numpy.typing import NDArray

from costboost._core.engine._kernels import MISSING
from costboost._core.learners.row_costs import search as row_costs
from costboost._core.learners.row_costs.joint import Votes
from costboost._core.learners.row_costs.node_losses import split_loss
from costboost._core.rules.real import cost_log_odds_of_rows

# ---- slowly --------------------------------------------------------------------------------------


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


# ---- votes chosen together with their steps ------------------------------------------------------


@pytest.mark.parametrize("least", [1, 3])
@pytest.mark.parametrize("seed", range(14))
def test_joint_split(seed: int, least: int) -> None:
    small = random_small(seed)
    rows = small.rows
    split = row_costs.joint_split(rows, least)
    values, constants = joint_losses(small, least), constant_losses(small)
    everything = min([*values.values(), *constants])
    found = vote_loss(small.row_weight, small.row_cost, margins(small, split), small.label > 0)
    assert found <= everything + 2 * TIE + ROUNDING
    if split.feature < 0:
        assert min(values.values(), default=np.inf) > everything + TIE - ROUNDING
        assert constants[(1 - split.polarity) // 2] <= everything + TIE + ROUNDING
    else:
        assert_chosen(split, values, found)


def test_joint_splits_of_both_kinds_occur() -> None:
    features = [row_costs.joint_split(random_small(seed).rows, 1).feature for seed in range(25)]
    assert len(set(features)) >= 3


def test_the_measured_loss_is_that_of_the_step() -> None:
    """`Votes.loss` is the loss at the step that the rule will take."""
    for seed in range(10):
        small = random_small(seed)
        votes = Votes(small.rows)
        for c in candidates(small, small.row_weight / small.row_cost, 1):
            margin = small.label * np.where(c.on_left, -1.0, 1.0)
            slow = vote_loss(small.row_weight, small.row_cost, margin, small.label > 0)
            assert votes.loss(margin) == pytest.approx(slow, rel=1e-12)


@pytest.mark.parametrize("sign", [1, -1])
def test_constants_win_if_no_split_separates_the_classes(sign: int) -> None:
    rng = np.random.default_rng(0)
    small = Small(rng, 30, 1, missing=0.0, categories=False)
    small.X[:] = 1.0
    small.rebinned()
    small.weight = np.where(small.positive == (sign > 0), 5.0, 1.0)
    small.cost[:] = rng.uniform(1, 2, 30)
    split = row_costs.joint_split(small.weigh().rows, 1)
    assert (split.feature, split.polarity) == (-1, sign)


# ---- leaves with values --------------------------------------------------------------------------


def assert_values(small: Small, values: Floats | None, leaf: NDArray[Any]) -> None:
    """The values of the leaves are those that the rule finds by itself."""
    given = small.row_weight, small.label, small.row_cost, leaf
    expected = None if values is None else cost_log_odds_of_rows(*given, len(values), LEAF)
    np.testing.assert_array_equal(values, expected)


@pytest.mark.parametrize("least", [1, 3])
@pytest.mark.parametrize("seed", range(10))
def test_leaf_split(seed: int, least: int) -> None:
    small = random_small(seed)
    found = row_costs.leaf_split(small.rows, None, LEAF, least)
    values = leaf_losses(small, least)
    if not values:
        assert found is None
        return
    assert found is not None
    split, of_sides = found
    assert_chosen(split, values, split.value)
    assert_values(small, of_sides, 1 - split.left.astype(np.intp)[small.bins(split.feature)])
    assert split_loss(small.rows, split, LEAF) == pytest.approx(split.value, rel=1e-12)


@pytest.mark.parametrize(
    ("seed", "least"),
    [(seed, least) for seed in range(7) for least in (1, 4)],
)
def test_node_split(seed: int, least: int) -> None:
    """The rows of a node only, after any split of all."""
    rng = np.random.default_rng(seed)
    small = Small(rng, 50, 3, n_shards=1 + seed % 2).weigh()
    rows = small.rows
    rows.class_shares()
    root = rows.root(with_counts=seed % 3 == 0)
    assert row_costs.node_loss(rows, root, LEAF) == pytest.approx(
        leaf_loss(small.row_weight, small.label, small.row_cost, LEAF), rel=1e-12
    )
    first = row_costs.node_split(rows, root, LEAF, least)
    assert first is not None
    on_left = first.left.astype(bool)[small.bins(first.feature)]
    for node, side in zip(*rows.divide([(root, first)]), (on_left, ~on_left), strict=True):
        members = np.flatnonzero(side)
        np.testing.assert_array_equal(np.sort(small.members(node)), members)
        arguments = small.row_weight[members], small.label[members], small.row_cost[members]
        assert row_costs.node_loss(rows, node, LEAF) == pytest.approx(
            leaf_loss(*arguments, LEAF), rel=1e-11
        )
        values = leaf_losses(small, least, members)
        split = row_costs.node_split(rows, node, LEAF, least)
        if not values:
            assert split is None
            continue
        assert split is not None
        assert_chosen(split, values, split.value)
        [(left, right)] = rows.divide([(node, split)])
        assert min(left.size, right.size) >= least


@pytest.mark.parametrize("max_bins", [255, 3])
@pytest.mark.parametrize("seed", range(8))
def test_best_table(seed: int, max_bins: int) -> None:
    small = random_small(seed, max_bins=max_bins)
    rows, label = small.rows, small.label
    losses = []
    for f in range(rows.n_features):
        bins = small.bins(f)
        parts = [np.flatnonzero(bins == b) for b in np.unique(bins)]
        losses.append(
            sum(leaf_loss(small.row_weight[p], label[p], small.row_cost[p], LEAF) for p in parts)
            if (bins != MISSING).any()
            else np.inf
        )
    chosen, of_bins = row_costs.best_table(rows, LEAF)
    assert_values(small, of_bins, np.minimum(small.bins(chosen), rows.n_bins[chosen]))
    assert losses[chosen] <= min(losses) + TIE + ROUNDING
    assert all(value > min(losses) + TIE - ROUNDING for value in losses[:chosen])


def test_a_table_of_missing_values_only_is_never_chosen() -> None:
    small = Small(np.random.default_rng(0), 20, 3, categories=False)
    small.X[:, 0] = np.nan
    small.X[:, 1] = 1.0
    small.X[:, 2] = 1.0
    assert row_costs.best_table(small.rebinned().weigh().rows, LEAF)[0] == 1
