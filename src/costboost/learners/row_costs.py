"""Splits under costs that belong to each row.

Candidates are screened by bounds first; those that may be the best are evaluated exactly, by sums
over the rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from costboost.elementary import exp, log
from costboost.engine._kernels import BINS, TIE, Split
from costboost.learners.joint import joint_split
from costboost.learners.screening import Candidates, Sums, least_loss
from costboost.rows import NodeRows, Rows
from costboost.rules import Criterion
from costboost.rules.real import cost_log_odds_of_rows
from costboost.vectors import Floats, Vector, each, exact_sum, first_least

Numbers = NDArray[np.intp]
LEAVES = {"cost exponential"}
PROBED = (0.0, 0.1, 0.3, 0.7, 0.9, 1.0)
"""Quantiles of the leaf values of a candidate, at which bounds are tightened."""
FEW = 1
"""So many candidates are evaluated rather than excluded by another pass over the rows."""
MOST_PROBES = 40
FARTHEST = 200.0
"""Values that are probed are at most this far from 0, in units of 1 / greatest cost."""
CRITERIA = {"joint", *LEAVES}
"""Criteria of stumps, and LEAVES of trees and tables, that need every row if rows have costs."""


def refuse_random_cuts(rows: Rows) -> None:
    """Raise a ValueError if thresholds are drawn: every one of them is evaluated here."""
    if rows.draws_cuts:
        raise ValueError(
            "splitter='random' is not possible for a rule that minimises the exponential loss of "
            "costs given for every row; take splitter='best', or one cost for each class"
        )


def best_split(rows: Rows, criterion: Criterion, min_samples_leaf: int) -> Split | None:
    """The best split of all rows, measured."""
    refuse_random_cuts(rows)
    if criterion.kind == "joint":

        def search(features: Numbers | None) -> Split | None:
            return joint_split(rows, min_samples_leaf, features)

        def gains(split: Split) -> bool:
            return split.feature >= 0
    else:

        def search(features: Numbers | None) -> Split | None:
            return leaf_split(rows, None, criterion, min_samples_leaf, features)

        def gains(split: Split) -> bool:
            return node_loss(rows, None, criterion) - split.value > TIE

    split = first_that_gains(rows.drawn_features(0), search, gains)
    return None if split is None else split.measure(rows.histogram())


def node_split(
    rows: Rows, node: NodeRows, criterion: Criterion, min_samples_leaf: int, place: int = 0
) -> Split | None:
    """The best split of the rows of a node, measured; see `Rows.best_node_split`."""
    refuse_random_cuts(rows)

    def search(features: Numbers | None) -> Split | None:
        return leaf_split(rows, node, criterion, min_samples_leaf, features)

    def gains(split: Split) -> bool:
        return node_loss(rows, node, criterion) - split.value > TIE

    split = first_that_gains(rows.drawn_features(place), search, gains)
    return None if split is None else split.measure(node.histogram)


def first_that_gains(
    groups: Sequence[Numbers | None],
    search: Callable[[Numbers | None], Split | None],
    gains: Callable[[Split], bool],
) -> Split | None:
    """The best split of the first group of features that has one which gains.

    If there is none, the best split of the first group.
    """
    first = search(groups[0])
    if len(groups) == 1 or (first is not None and gains(first)):
        return first
    others = (search(features) for features in groups[1:])
    return next((one for one in others if one is not None and gains(one)), first)


def node_loss(rows: Rows, node: NodeRows | None, criterion: Criterion) -> float:
    """Loss of the rows of a node when they are one leaf."""
    members = rows.members(node)
    return leaf_losses(rows, members, members * 0, 1, criterion)[0]


# ---- leaves with values --------------------------------------------------------------------------


def leaf_split(
    rows: Rows,
    node: NodeRows | None,
    criterion: Criterion,
    min_samples_leaf: int,
    features: Numbers | None = None,
) -> Split | None:
    """The split on one of the features, or all, of least loss exp(-c y g) with its own g a side."""
    members = rows.members(node)
    losses = BinLosses(rows, node)
    at_zero = losses(0.0, features)
    candidates = Candidates(rows, node, at_zero.loss, min_samples_leaf, features)
    if not candidates.allowed.any():
        return None
    least = np.where(candidates.allowed, 0.0, np.inf)
    of_sides = np.zeros((2, *least.shape))

    def bound(sums: Sums, some: Numbers) -> None:
        sides = []
        for of_classes in (sums.loss, sums.slope):
            left = np.stack([candidates.left(side, some) for side in of_classes])
            total = of_classes[:, 0].sum(axis=1)[:, None, None, None]
            sides.append(np.stack([left, total - left], axis=1))
        errors = 2 * sums.errors[0], 2 * sums.errors[1]
        of_sides[:, :, some] = np.maximum(
            of_sides[:, :, some], least_loss(Sums(sides[0], sides[1], errors))
        )
        both = of_sides[:, :, some].sum(axis=0)
        least[:, some] = np.where(candidates.allowed[:, some], both, np.inf)

    exact: dict[tuple[int, bytes], tuple[float, Floats]] = {}

    def evaluate(split: Split) -> tuple[float, Floats]:
        key = split.feature, bytes(split.left)
        if key not in exact:
            side = rows.on_left(split)[members].astype(np.intp)
            exact[key] = leaf_losses(rows, members, side, 2, criterion)
        split.value = exact[key][0]
        return exact[key]

    def value_of(k: int) -> tuple[float, Floats]:
        missing, f, position = (int(i) for i in np.unravel_index(k, least.shape))
        return evaluate(candidates.split(f, position, bool(missing)))

    def features_of(chosen: NDArray[np.bool_]) -> Numbers:
        return np.flatnonzero(chosen.any(axis=(0, 2)))

    def probe(at: float, left: Numbers) -> None:
        bound(losses(at, candidates.features[left]), left)

    bound(at_zero, np.arange(candidates.features.size))
    survivors = best_first(least, value_of, probe, features_of)
    return candidates.best(survivors[..., None], lambda split: evaluate(split)[0])


def best_table(rows: Rows, criterion: Criterion) -> int:
    """The feature of least loss exp(-c y g) when each of its bins takes its own value g."""
    members = rows.members(None)
    losses = BinLosses(rows, None)
    of_bins = np.zeros((rows.n_features, BINS))
    competes = rows.features_of_tables()
    least = np.where(competes, 0.0, np.inf)
    exact: dict[int, tuple[float, Floats]] = {}

    def bound(sums: Sums, some: Numbers) -> None:
        of_bins[some] = np.maximum(of_bins[some], least_loss(sums))
        least[some] = np.where(competes[some], of_bins[some].sum(axis=1), np.inf)

    def value_of(f: int) -> tuple[float, Floats]:
        if f not in exact:
            exact[f] = leaf_losses(rows, members, rows.bins(f)[members], BINS, criterion)
        return exact[f]

    bound(losses(0.0), np.arange(rows.n_features))
    best_first(least, value_of, lambda at, left: bound(losses(at, left), left), np.flatnonzero)
    features = sorted(exact)
    return features[first_least(np.array([exact[f][0] for f in features]))]


def best_first(
    least: Floats,
    value_of: Callable[[int], tuple[float, Floats]],
    probe: Callable[[float, Numbers], None],
    features_of: Callable[[NDArray[np.bool_]], Numbers],
) -> NDArray[np.bool_]:
    """Evaluate candidates, the lowest bound first, until all others have greater bounds.

    ``value_of`` returns the loss of a candidate and the values of its leaves. ``probe`` raises the
    bounds ``least`` by sums at some of these values, for the features that are left. Returns which
    candidates may be the best; all of them have been evaluated.
    """
    reached = np.inf
    done = np.zeros(least.shape, dtype=bool)
    probed = {0.0}
    while True:
        waiting = np.where(done, np.inf, least)
        k = int(np.argmin(waiting))
        if not waiting.flat[k] <= reached + TIE:
            return np.asarray(done & (least <= reached + TIE))
        loss, values = value_of(k)
        done.flat[k] = True
        reached = min(reached, loss)
        for at in np.unique(np.quantile(values, PROBED, method="nearest")).tolist():
            left = ~done & (least <= reached + TIE)
            if left.sum() > FEW and at not in probed and len(probed) < MOST_PROBES:
                probed.add(at)
                probe(at, features_of(left))


class BinLosses:
    """Sums over the rows of each class in every bin, for leaves of a value."""

    def __init__(self, rows: Rows, node: NodeRows | None) -> None:
        self.rows, self.node = rows, node
        self.signed = rows.row_cost * rows.label
        self.positive = rows.label > 0
        self.farthest = FARTHEST / float(rows.row_cost.max())

    def __call__(self, at: float, features: Numbers | None = None) -> Sums:
        """Losses, and costs times losses, of leaves of the value ``at`` or the nearest allowed."""
        at = min(max(at, -self.farthest), self.farthest)
        loss = self.rows.row_weight * exp(-self.signed * at)
        sums, errors = [], []
        for amount in (loss, self.rows.row_cost * loss):
            split = amount * self.positive, amount * ~self.positive
            of_classes, error = self.rows.sums(*split, self.node, features)
            sums.append(of_classes)
            errors.append(max(error))
        return Sums(sums[0], sums[1], (errors[0], errors[1]))


def split_loss(rows: Rows, split: Split, criterion: Criterion) -> float:
    """Loss when each side of the split takes its own value."""
    members = rows.members(None)
    side = rows.on_left(split)[members].astype(np.intp)
    return leaf_losses(rows, members, side, 2, criterion)[0]


def leaf_losses(
    rows: Rows,
    members: Vector,
    leaf: Vector,
    n_leaves: int,
    criterion: Criterion,
) -> tuple[float, Floats]:
    """Loss of the given rows when every leaf takes its own value, and these values."""
    weight, label, cost = (v[members] for v in (rows.row_weight, rows.label, rows.row_cost))
    value = cost_log_odds_of_rows(weight, label, cost, leaf, n_leaves, criterion)
    # in one exponential, or the factors might overflow
    loss = exact_sum(exp(log(weight) - cost * label * each(value.__getitem__, leaf)))
    return loss, value
