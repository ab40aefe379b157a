"""Search for splits and tables under costs that belong to each row.

Candidates are screened by bounds first; those that may be the best are evaluated exactly, by sums
over the rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from costboost._core.arithmetic import Floats, first_least
from costboost._core.engine._kernels import ALL_LEVELS, BINS, TIE, Split
from costboost._core.learners.row_costs.candidates import Candidates, Numbers, class_sums
from costboost._core.learners.row_costs.joint import joint_split
from costboost._core.learners.row_costs.leaf_bounds import BinMoments, LeafBounds
from costboost._core.learners.row_costs.node_losses import NodeLosses, node_loss
from costboost._core.rows import Bounds, NodeRows, Rows
from costboost._core.rules.record import Criterion

Found = tuple[Split, Floats | None]
"""A split, and the values of its left and right side if the search has computed them."""
PROBED = (0.0, 0.1, 0.3, 0.7, 0.9, 1.0)
"""Quantiles of the leaf values of a candidate, at which bounds are tightened."""
FEW = 1
"""So many candidates are evaluated rather than excluded by another pass over the rows."""
MOST_PROBES = 40


def refuse_random_cuts(rows: Rows) -> None:
    """Raise a ValueError if thresholds are drawn: every one of them is evaluated here."""
    if rows.draws_cuts:
        raise ValueError(
            "splitter='random' is not possible for a rule that minimises the exponential loss of "
            "costs given for every row; take splitter='best', or one cost for each class"
        )


def best_split(rows: Rows, criterion: Criterion, min_samples_leaf: int) -> Found | None:
    """The best split of all rows, measured, and the values of its sides if they are known."""
    refuse_random_cuts(rows)
    if criterion.kind == "joint":

        def search(features: Numbers | None) -> Found | None:
            return joint_split(rows, min_samples_leaf, features), None

        def gains(split: Split) -> bool:
            return split.feature >= 0
    else:

        def search(features: Numbers | None) -> Found | None:
            return leaf_split(rows, None, criterion, min_samples_leaf, features)

        def gains(split: Split) -> bool:
            return node_loss(rows, None, criterion) - split.value > TIE

    found = first_that_gains(rows.drawn_features(0), search, gains)
    if found is None:
        return None
    split, values = found
    return split.measure(rows.histogram()), None if rows.samples else values


def node_split(
    rows: Rows,
    node: NodeRows,
    criterion: Criterion,
    min_samples_leaf: int,
    place: int = 0,
    bounds: Bounds = ALL_LEVELS,
    allowed: NDArray[np.uint8] | None = None,
) -> Split | None:
    """The best split of the rows of a node, measured; see `Rows.best_node_split`."""
    refuse_random_cuts(rows)

    def search(features: Numbers | None) -> Found | None:
        return leaf_split(rows, node, criterion, min_samples_leaf, features, bounds)

    def gains(split: Split) -> bool:
        return node_loss(rows, node, criterion, bounds) - split.value > TIE

    found = first_that_gains(rows.drawn_features(place, allowed), search, gains)
    return None if found is None else found[0].measure(node.histogram)


def first_that_gains(
    groups: Sequence[Numbers | None],
    search: Callable[[Numbers | None], Found | None],
    gains: Callable[[Split], bool],
) -> Found | None:
    """The best split of the first group of features that has one which gains.

    If there is none, the best split of the first group.
    """
    first = search(groups[0])
    if len(groups) == 1 or (first is not None and gains(first[0])):
        return first
    others = (search(features) for features in groups[1:])
    return next((one for one in others if one is not None and gains(one[0])), first)


# ---- leaves with values --------------------------------------------------------------------------


def leaf_split(
    rows: Rows,
    node: NodeRows | None,
    criterion: Criterion,
    min_samples_leaf: int,
    features: Numbers | None = None,
    within: Bounds = ALL_LEVELS,
) -> Found | None:
    """The split on one of the features, or all, of least loss exp(-c y g) with its own g a side.

    Returns the values of its sides as well; these are in order if the feature has a direction, and
    within the bounds of the node.
    """
    weight = _order_weights(rows, node, features)
    candidates = Candidates(rows, node, weight, min_samples_leaf, features)
    if not candidates.allowed.any():
        return None
    moments = BinMoments(rows, node)
    n_sides, n, n_positions = candidates.allowed.shape
    bounds = LeafBounds(moments, criterion, (n, 2, n_sides, n_positions))
    allowed = np.ascontiguousarray(candidates.allowed.swapaxes(0, 1))
    least = np.where(allowed, 0.0, np.inf)
    losses = NodeLosses(rows, node, criterion, within)
    direction = np.array([rows.direction(f) for f in candidates.features])

    def evaluate(split: Split) -> tuple[float, Floats]:
        found = losses.of_split(split)
        split.value = found[0]
        return found

    def value_of(k: int) -> tuple[float, Floats]:
        f, missing, position = (int(i) for i in np.unravel_index(k, least.shape))
        return evaluate(candidates.split(f, position, bool(missing)))

    def probe(value: float, some: Numbers) -> None:
        at = bounds.near(value)
        quanta, unit = moments(at, candidates.features[some])
        left = np.stack([candidates.left(moment, some) for moment in quanta]).swapaxes(1, 2)
        total = quanta[:, 0].sum(axis=1)[:, None, None, None]
        bounds.raise_by(np.stack([left, total - left], axis=2), unit, at, some)
        if direction[some].any():
            limits = np.multiply(within, moments.largest)
            ends = (np.clip(one[some], *limits) for one in (bounds.low, bounds.high))
            allowed[some] &= ~_surely_in_wrong_order(direction[some], *ends)
        both = bounds.least[some].sum(axis=1)
        least[some] = np.where(allowed[some], both, np.inf)

    def features_of(chosen: NDArray[np.bool_]) -> Numbers:
        return np.flatnonzero(chosen.any(axis=(1, 2)))

    probe(0.0, np.arange(n))
    survivors = best_first(least, value_of, probe, features_of).swapaxes(0, 1)
    split = candidates.best(survivors[..., None], lambda split: evaluate(split)[0])
    return None if split is None else (split, evaluate(split)[1])


def _surely_in_wrong_order(direction: Numbers, low: Floats, high: Floats) -> NDArray[np.bool_]:
    """Which splits have sides whose intervals of values are in the wrong order."""
    d = direction[:, None, None]
    falls, rises = low[:, 0] > high[:, 1], high[:, 0] < low[:, 1]
    return np.asarray(((d > 0) & falls) | ((d < 0) & rises))


def _order_weights(rows: Rows, node: NodeRows | None, features: Numbers | None) -> Floats:
    """Weights of the bins of each class, by which categories are ordered."""
    if node is not None:
        return class_sums(rows, rows.row_weight, node, features)
    weight = rows.all_bin_weights()
    some = np.flatnonzero(rows.categorical)
    if some.size:
        weight[:, some] = class_sums(rows, rows.row_weight, None, some)
    return weight if features is None else weight[:, features]


def best_table(rows: Rows, criterion: Criterion) -> tuple[int, Floats]:
    """The feature of least loss exp(-c y g) when each of its bins takes its own value g.

    Returns the values of its bins as well, the last one that of missing values.
    """
    competes = rows.features_of_tables()
    moments = BinMoments(rows, None)
    bounds = LeafBounds(moments, criterion, (rows.n_features, BINS))
    least = np.where(competes, 0.0, np.inf)
    losses = NodeLosses(rows, None, criterion)

    def probe(value: float, some: Numbers) -> None:
        at = bounds.near(value)
        bounds.raise_by(*moments(at, some), at, some)
        least[some] = np.where(competes[some], bounds.least[some].sum(axis=1), np.inf)

    probe(0.0, np.arange(rows.n_features))
    best_first(least, losses.of_table, probe, np.flatnonzero)
    features = sorted(losses.of_tables)
    found = [losses.of_tables[f] for f in features]
    k = first_least(np.array([loss for loss, _ in found]))
    return features[k], found[k][1]


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
        if not waiting.flat[k] <= reached + TIE or np.isinf(waiting.flat[k]):
            return np.asarray(done & (least <= reached + TIE))
        loss, values = value_of(k)
        done.flat[k] = True
        reached = min(reached, loss)
        for at in np.unique(np.quantile(values, PROBED, method="nearest")).tolist():
            left = ~done & (least <= reached + TIE)
            if left.sum() > FEW and at not in probed and len(probed) < MOST_PROBES:
                probed.add(at)
                probe(at, features_of(left))
