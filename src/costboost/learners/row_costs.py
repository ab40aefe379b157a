"""Splits under costs that belong to each row.

Candidates are screened by bounds first; those that may be the best are evaluated exactly, by sums
over the rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from costboost.elementary import exp, log
from costboost.engine._kernels import BINS, MISSING, TIE, Split
from costboost.learners.joint import joint_split
from costboost.learners.screening import Bounds, Candidates, Probe, class_sums, screen
from costboost.rows import NodeRows, Rows
from costboost.rules import Criterion
from costboost.rules.real import cost_log_odds_of_rows
from costboost.vectors import Floats, Vector, each, exact_sum, first_least

Numbers = NDArray[np.intp]
LEAVES = {"cost exponential"}
CRITERIA = {"joint", *LEAVES}
"""Criteria of stumps, and LEAVES of trees and tables, that need every row if rows have costs."""


def best_split(rows: Rows, criterion: Criterion, min_samples_leaf: int) -> Split | None:
    """The best split of all rows, measured."""
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
    return leaf_losses(rows, members, members * 0, 1, criterion)


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
    weight = class_sums(rows, rows.row_weight, node, features)
    candidates = Candidates(rows, node, weight, min_samples_leaf, features)
    shape = (*candidates.allowed.shape, 1)
    probe_at = _leaf_probe(rows, criterion, node, features)

    def probe(at: float) -> Probe:
        sums, whole, errors = probe_at(at)
        smooth = _smoothing(criterion, at)
        parts = []
        for histogram, total, extra in zip(sums, whole, smooth, strict=True):
            left = candidates.left(histogram)
            parts.append(np.stack([left, total - left])[..., None] + extra)
        return Probe(at, parts[0], parts[1], errors)

    def bound(bounds: Bounds) -> tuple[Floats, Floats]:
        least, most = (part.sum(axis=0) for part in _without_smoothing(bounds, criterion))
        allowed = candidates.allowed[..., None]
        return _where(allowed, least, np.inf), _where(allowed, most, np.inf)

    def exact(split: Split) -> float:
        side = rows.on_left(split)[members].astype(np.intp)
        split.value = leaf_losses(rows, members, side, 2, criterion)
        return split.value

    def pieces_of(k: int) -> tuple[NDArray[np.intp], ...]:
        where = np.unravel_index(k, shape)
        return (np.arange(2), *(np.repeat(axis, 2) for axis in where))

    if not candidates.allowed.any():
        return None
    survivors = np.zeros(shape, dtype=bool)
    survivors.flat[screen(probe, bound, pieces_of, _unit(rows, criterion))] = True
    return candidates.best(survivors, exact)


def best_table(rows: Rows, criterion: Criterion) -> int:
    """The feature of least loss exp(-c y g) when each of its bins takes its own value g."""
    inside = np.zeros((rows.n_features, BINS), dtype=bool)
    inside[:, :MISSING] = np.arange(MISSING) < rows.n_bins[:, None]
    inside[:, MISSING] = True
    competes = rows.features_of_tables()
    absent = np.where(competes, 0.0, np.inf)
    probe_at = _leaf_probe(rows, criterion, None)

    def probe(at: float) -> Probe:
        sums, _, errors = probe_at(at)
        value, slope = (h + extra for h, extra in zip(sums, _smoothing(criterion, at), strict=True))
        return Probe(at, value, slope, errors)

    def bound(bounds: Bounds) -> tuple[Floats, Floats]:
        least, most = _without_smoothing(bounds, criterion)
        return (least * inside).sum(axis=1) + absent, (most * inside).sum(axis=1) + absent

    def pieces_of(f: int) -> tuple[NDArray[np.intp], ...]:
        bins = np.flatnonzero(inside[f])
        return np.full(bins.size, f), bins

    survivors = screen(probe, bound, pieces_of, _unit(rows, criterion))
    members = rows.members(None)
    survivors = survivors[competes[survivors]]
    bins = (rows.bins(int(f))[members] for f in survivors)
    values = [leaf_losses(rows, members, leaf, BINS, criterion) for leaf in bins]
    return int(survivors[first_least(np.array(values))])


def split_loss(rows: Rows, split: Split, criterion: Criterion) -> float:
    """Loss when each side of the split takes its own value."""
    members = rows.members(None)
    side = rows.on_left(split)[members].astype(np.intp)
    return leaf_losses(rows, members, side, 2, criterion)


def leaf_losses(
    rows: Rows,
    members: Vector,
    leaf: Vector,
    n_leaves: int,
    criterion: Criterion,
) -> float:
    """Loss of the given rows when every leaf takes its own value."""
    weight, label, cost = (v[members] for v in (rows.row_weight, rows.label, rows.row_cost))
    value = cost_log_odds_of_rows(weight, label, cost, leaf, n_leaves, criterion)
    # in one exponential, or the factors might overflow
    return exact_sum(exp(log(weight) - cost * label * each(value.__getitem__, leaf)))


def _leaf_probe(
    rows: Rows, criterion: Criterion, node: NodeRows | None, features: Numbers | None = None
) -> Callable[[float], tuple[tuple[Floats, Floats], tuple[float, float], tuple[float, float]]]:
    """Losses and slopes in every bin, their totals and how far rounding may have moved a sum."""
    signed = rows.row_cost * rows.label
    members = rows.members(node)

    def probe(at: float) -> tuple[tuple[Floats, Floats], tuple[float, float], tuple[float, float]]:
        loss = rows.row_weight * exp(-signed * at)
        slope = -signed * loss
        sums, errors = rows.sums(loss, slope, node, features)
        totals = exact_sum(loss[members]), exact_sum(slope[members])
        return (sums[0], sums[1]), totals, errors

    return probe


def _smoothing(criterion: Criterion, at: float) -> tuple[float, float]:
    """Loss and slope of the row of either class that smoothing puts into every leaf."""
    e, fn, fp = criterion.smoothing, criterion.fn_cost, criterion.fp_cost
    up, down = exp(fp * at), exp(-fn * at)
    return float(e * (up + down)), float(e * (fp * up - fn * down))


def _without_smoothing(bounds: Bounds, criterion: Criterion) -> tuple[Floats, Floats]:
    """Bounds on the loss of the rows alone, at the value that smoothing gives the leaf."""
    e, fn, fp = criterion.smoothing, criterion.fn_cost, criterion.fp_cost
    middle = log(fn / fp) / (fn + fp)
    little = e * (exp(fp * middle) + exp(-fn * middle))
    ends = np.where(np.isfinite(bounds.at), bounds.at, 0)
    much = (e * (exp(fp * ends) + exp(-fn * ends))).max(axis=0)
    least = np.where(bounds.bracketed, np.maximum(bounds.below() - much, 0), 0)
    return least, bounds.above() - little


def _unit(rows: Rows, criterion: Criterion) -> float:
    """A leaf value at which no exponential is far from 1."""
    return 1 / max(float(rows.row_cost.max()), criterion.fn_cost, criterion.fp_cost)


def _where(mask: NDArray[np.bool_], values: Floats, otherwise: float) -> Floats:
    return np.where(mask, values, otherwise).ravel()
