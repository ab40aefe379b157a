"""Splits under costs that belong to each row, where no four sums describe a candidate.

A candidate is made of pieces: sets of rows whose loss is a convex function of one number, the step
of a vote or the value of a leaf. All pieces are looked at for the same few numbers, each of them
one pass over the rows; tangents bound every piece from below, and a candidate that cannot win by
these bounds is gone. The few that are left are judged exactly.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from costboost.cells import Floats, Outcome, RowCells, exact_sum
from costboost.engine._kernels import BINS, MISSING, Split
from costboost.rules import Criterion
from costboost.rules.discrete import SHARE_FLOOR
from costboost.rules.joint import balance, mistaken_parts
from costboost.rules.real import cost_log_odds_of_rows
from costboost.shards import NodeRows, Shards

TIE = 1e-12
FEW = 8
"""So many candidates are judged one by one rather than looked at once more."""
LOOKS = 24
ASKED = 64
"""So many candidates, the most promising first, are asked for a number worth a look."""
FARTHEST = 200.0
"""Numbers are not looked at beyond this, in units of 1 / greatest cost: e^x would be too large."""


LEAVES = {"cost exponential"}
CRITERIA = {"joint", *LEAVES}
"""What needs the rows themselves, if they have costs of their own: of leaves, and of a stump."""


class Look(NamedTuple):
    """Loss and slope of every piece at one number, and how far rounding may have moved them."""

    at: float
    value: Floats
    slope: Floats
    errors: tuple[float, float]


class Bounds:
    """What the looks so far tell of the least loss of every piece."""

    def __init__(self, first: Look, reach: float) -> None:
        shape = first.value.shape
        self.reach = reach
        """No minimum is farther from a number that is looked at."""
        self.pinned = np.full(shape, -np.inf)
        """The least that a piece can have by looks whose slope was hidden by rounding."""
        self.at = np.stack([np.full(shape, -np.inf), np.full(shape, np.inf)])
        self.value = np.full((2, *shape), np.inf)
        self.reached = np.full(shape, np.inf)
        self.slope = np.zeros((2, *shape))
        self.errors = np.zeros((2, 2, *shape))
        """How far values and slopes on either side may be off."""
        self.see(first)

    def see(self, look: Look) -> None:
        """Take another look into account: it lies below or above the minimum of each piece.

        Where rounding hides on which side, the piece is as good as flat there.
        """
        self.reached = np.minimum(self.reached, look.value + look.errors[0])
        hidden = look.errors[1]
        flat = look.value - look.errors[0] - 2 * hidden * self.reach
        unclear = (np.abs(look.slope) <= hidden) & (look.slope != 0)
        self.pinned = np.where(unclear, np.maximum(self.pinned, flat), self.pinned)
        sides = look.slope < -hidden, (look.slope > hidden) | (look.slope == 0)
        for side, here in enumerate(sides):
            nearer = here & (look.at > self.at[0] if side == 0 else look.at < self.at[1])
            self.at[side][nearer] = look.at
            self.value[side][nearer] = look.value[nearer]
            self.slope[side][nearer] = look.slope[nearer]
            for kind, error in enumerate(look.errors):
                self.errors[kind, side][nearer] = error

    @property
    def bracketed(self) -> NDArray[np.bool_]:
        return np.asarray(np.isfinite(self.at).all(axis=0))

    def crossing(self) -> Floats:
        """Where the tangents from both sides meet."""
        (a, b), (u, v), (s, t) = self.at, self.value, self.slope
        with np.errstate(invalid="ignore", divide="ignore"):
            x = (v - u + s * a - t * b) / (s - t)
        return np.where(self.bracketed, np.clip(x, a, b), np.nan)

    def below(self) -> Floats:
        """No piece has less."""
        with np.errstate(invalid="ignore"):
            tangent = self.value[0] + self.slope[0] * (self.crossing() - self.at[0])
            values, slopes = self.errors.sum(axis=1)
            rounding = values + slopes * (self.at[1] - self.at[0])
            by_tangents = np.where(self.bracketed, np.maximum(tangent - rounding, 0), 0)
        return np.asarray(np.maximum(by_tangents, self.pinned))

    def above(self) -> Floats:
        """Every piece reaches this."""
        return self.reached


def screen(
    look: Callable[[float], Look],
    judge: Callable[[Bounds], tuple[Floats, Floats]],
    pieces_of: Callable[[int], tuple[NDArray[np.intp], ...]],
    unit: float,
    lowest: float = -np.inf,
) -> NDArray[np.intp]:
    """The candidates that may be the best, in their order.

    ``judge`` gives the least and the most that every candidate may have, ``pieces_of`` where the
    pieces of a candidate are, ``unit`` the size of a first step; no number below ``lowest`` counts.
    """
    bounds = Bounds(look(0.0), FARTHEST * unit)
    looked = {0.0}
    for k in range(LOOKS):
        least, most = judge(bounds)
        left = np.flatnonzero(least <= most.min() + TIE)
        if left.size <= FEW and k > 2:
            break
        promising = left[np.argsort(least[left], kind="stable")][:ASKED].tolist()
        numbers = (_next_look(bounds, pieces_of(one), unit) for one in promising)
        at = next((x for x in numbers if x is not None and x >= lowest and x not in looked), None)
        if at is None:
            break
        looked.add(at)
        bounds.see(look(at))
    least, most = judge(bounds)
    return np.flatnonzero(least <= most.min() + TIE)


def _next_look(bounds: Bounds, where: tuple[NDArray[np.intp], ...], unit: float) -> float | None:
    """A number that tells more of the piece that is known least."""
    known = bounds.bracketed[where] | (bounds.pinned[where] > -np.inf)
    gap = np.where(known, bounds.above()[where] - bounds.below()[where], np.inf)
    piece = tuple(axis[int(np.argmax(gap))] for axis in where)
    low, high = (float(side[piece]) for side in bounds.at)
    if bounds.bracketed[piece]:
        at = float(bounds.crossing()[piece])
        return at if low < at < high else None
    at = 2 * low + unit if np.isfinite(low) else 2 * high - unit
    farthest = FARTHEST * unit
    return at if abs(at) <= farthest else None


# ---- all ways to split a node --------------------------------------------------------------------


class Candidates:
    """Feature by feature the bins in the order in which they may be split; arrays are
    (missing right or left, feature, position)."""

    def __init__(
        self, rows: Shards, node: NodeRows | None, weight: Floats, min_samples_leaf: int
    ) -> None:
        self.rows = rows
        self.node = node
        positive = rows.label > 0
        self.weight, _ = rows.sums(weight * positive, weight * ~positive, node)
        self.order = np.tile(np.arange(MISSING), (rows.n_features, 1))
        self.length = rows.n_bins.astype(np.intp).copy()
        for f in np.flatnonzero(rows.categorical):
            self._order_categories(int(f))
        counts = rows.counts if node is None else rows.node_counts(node)
        self.allowed = self._allowed(counts.sum(axis=0), min_samples_leaf)

    def _order_categories(self, f: int) -> None:
        """By the share of the positives; categories without weight take no part."""
        p, q = self.weight[:, f, : self.length[f]]
        seen = np.flatnonzero(p + q > 0)
        order = seen[np.argsort(p[seen] / (p + q)[seen], kind="stable")]
        self.order[f, : order.size] = order
        self.length[f] = order.size

    def _allowed(self, counts: NDArray[np.int64], least: int) -> NDArray[np.bool_]:
        left = self.left(counts)
        inside = np.arange(MISSING - 1) < self.length[:, None] - 1
        on_right = counts.sum(axis=1)[:, None] - left
        some_missing = counts[:, MISSING] > 0
        inside = np.stack([inside, inside & some_missing[:, None]])
        result: NDArray[np.bool_] = inside & (left >= least) & (on_right >= least)
        return result

    def left(self, histogram: NDArray[Any]) -> NDArray[Any]:
        """Sums of the left side of every candidate."""
        present = np.take_along_axis(histogram, self.order, axis=1)
        present = np.where(np.arange(MISSING) < self.length[:, None], present, 0)
        up_to = present.cumsum(axis=1)[:, :-1]
        return np.stack([up_to, up_to + histogram[:, MISSING, None]])

    def split(self, feature: int, position: int, missing_left: bool, polarity: int = 1) -> Split:
        """A candidate as a split of bins."""
        length = self.length[feature]
        on_left = self.order[feature, : position + 1]
        left = np.zeros(BINS, dtype=np.uint8)
        if self.rows.categorical[feature]:
            left[:] = self.heavier_left(feature, position)
            left[self.order[feature, position + 1 : length]] = 0
            left[on_left] = 1
        else:
            left[: position + 1] = 1
        left[MISSING] = missing_left
        return Split(feature, position, polarity, missing_left, left)

    def heavier_left(self, feature: int, position: int) -> bool:
        order = self.order[feature, : self.length[feature]]
        present = self.weight[:, feature].sum(axis=0)[order]
        return bool(present[position + 1 :].sum() <= present[: position + 1].sum() + TIE)

    def best(
        self,
        survivors: NDArray[np.intp],
        shape: tuple[int, ...],
        exact: Callable[[Split], float],
    ) -> Split | None:
        """The first within TIE of the least; shape: missing, feature, position and polarity."""
        found: dict[tuple[int, int, int], dict[bool, tuple[float, Split]]] = {}
        for missing, f, k, p in zip(*np.unravel_index(survivors, shape), strict=True):
            split = self.split(int(f), int(k), bool(missing), 1 - 2 * int(p))
            sides = found.setdefault((int(f), int(k), int(p)), {})
            sides[bool(missing)] = exact(split), split
        if not found:
            return None
        least = min(value for sides in found.values() for value, _ in sides.values())
        for f, k, p in sorted(found):
            sides = found[f, k, p]
            if min(value for value, _ in sides.values()) > least + TIE:
                continue
            return self._settled(sides, f, k, p)
        raise AssertionError("one of them has the least")

    def _settled(self, sides: dict[bool, tuple[float, Split]], f: int, k: int, p: int) -> Split:
        """The better side for the missing rows; without evidence, the heavier one."""
        heavier = self.heavier_left(f, k)
        if self.weight[:, f, MISSING].sum() == 0:
            split = self.split(f, k, heavier, 1 - 2 * p)
            split.value = min(value for value, _ in sides.values())
            return split
        values = [sides[side][0] if side in sides else np.inf for side in (False, True)]
        level = abs(values[0] - values[1]) <= TIE
        return sides[heavier if level else values[1] < values[0]][1]


def best_split(rows: Shards, criterion: Criterion, min_samples_leaf: int) -> Split | None:
    """The best split of all rows, measured."""
    if criterion.kind == "joint":
        split: Split | None = joint_split(rows, min_samples_leaf)
    else:
        split = leaf_split(rows, None, criterion, min_samples_leaf)
    return None if split is None else split.measure(rows.histogram())


def node_split(
    rows: Shards, node: NodeRows, criterion: Criterion, min_samples_leaf: int
) -> Split | None:
    """The best split of the rows of a node, measured."""
    split = leaf_split(rows, node, criterion, min_samples_leaf)
    return None if split is None else split.measure(node.histogram)


def node_loss(rows: Shards, node: NodeRows, criterion: Criterion) -> float:
    """Loss of the rows of a node when they are one leaf."""
    members = rows.members(node)
    return leaf_losses(rows, members, np.zeros(members.size, dtype=np.intp), 1, criterion)


# ---- votes chosen together with their steps ------------------------------------------------------


def joint_split(rows: Shards, min_samples_leaf: int) -> Split:
    """The vote of least loss exp(-c y F) with its own step."""
    cost, label = rows.own_cost, rows.label
    weight = rows.own_weight / (cost / cost.max())
    weight = weight / exact_sum(weight)
    dearest = float(cost.max())
    candidates = Candidates(rows, None, weight, min_samples_leaf)
    positive = label > 0
    shape = (*candidates.allowed.shape, 2)
    # a class that is all right is taken to be wrong by a little, as the step's rule has it
    left = np.stack([candidates.left(side) for side in candidates.weight])
    total = np.array([exact_sum(weight * positive), exact_sum(weight * ~positive)])
    wrong = np.stack([left, total[:, None, None, None] - left], axis=-1)
    wrong[1] = wrong[1, ..., ::-1]
    perfect = wrong < SHARE_FLOOR * total[:, None, None, None, None]
    allowed = np.broadcast_to(candidates.allowed[..., None], shape)
    nearly_perfect = (perfect & (wrong > 0)).any(axis=0)  # looks count both: judged exactly

    def look(step: float) -> Look:
        up, down = weight * np.exp(cost * step), weight * np.exp(-cost * step)
        rise, slope = up - down, cost * (up + down)
        (values, slopes), errors = rows.sums(label * rise, label * slope)
        result = []
        for sums, amount, start in ((values, rise, down), (slopes, slope, -cost * down)):
            p, q = exact_sum(amount * positive), exact_sum(amount * ~positive)
            on_left = candidates.left(sums)
            votes = np.stack([q + on_left, p - on_left], axis=-1)
            votes = votes + SHARE_FLOOR * (p * perfect[0] + q * perfect[1])
            result.append(exact_sum(start) + votes)
        return Look(step, result[0], result[1], errors)

    def judge(bounds: Bounds) -> tuple[Floats, Floats]:
        no_step_pays = bounds.at[1] == 0
        least = np.where(no_step_pays, bounds.value[1] - bounds.errors[0, 1], bounds.below())
        least = np.where(nearly_perfect, 0.0, least)
        return _where(allowed, least, np.inf), _where(allowed, bounds.above(), np.inf)

    def exact(split: Split) -> float:
        votes = np.where(_on_left(rows, split), -split.polarity, split.polarity)
        return vote_loss(rows, weight, label * votes)

    survivors = np.empty(0, dtype=np.intp)
    if allowed.any():
        survivors = screen(look, judge, lambda k: _single(k, shape), 1 / dearest, lowest=0.0)
    best = candidates.best(survivors, shape, exact)
    return _or_constant(rows, best, exact)


def vote_loss(rows: Shards, weight: Floats, margin: Floats) -> float:
    """The loss of a vote with its best step."""
    positive = rows.label > 0
    cells = RowCells(rows.own_weight, Outcome(margin), rows.own_cost, positive)
    exponent = rows.own_cost * balance(cells)
    wrong = mistaken_parts(cells)
    with np.errstate(divide="ignore"):  # in one exponential, or the factors might overflow
        mistakes = np.exp(exponent + np.log(weight * wrong))
    return exact_sum(mistakes + weight * (1 - wrong) * np.exp(-exponent))


def _or_constant(rows: Shards, best: Split | None, exact: Callable[[Split], float]) -> Split:
    """The constant votes win only when they are strictly better."""
    splits = [Split(polarity=1), Split(polarity=-1)]
    values = [exact(split) for split in splits]
    if best is not None:
        splits, values = [best, *splits], [exact(best), *values]
    least = min(values)
    return next(s for s, value in zip(splits, values, strict=True) if value <= least + TIE)


# ---- leaves with values --------------------------------------------------------------------------


def leaf_split(
    rows: Shards, node: NodeRows | None, criterion: Criterion, min_samples_leaf: int
) -> Split | None:
    """The split of least loss exp(-c y g) when each side takes its own value g."""
    weight, members = rows.own_weight, rows.members(node)
    candidates = Candidates(rows, node, weight, min_samples_leaf)
    shape = (*candidates.allowed.shape, 1)
    look_at = _leaf_look(rows, criterion, node)

    def look(at: float) -> Look:
        sums, whole, errors = look_at(at)
        smooth = _smoothing(criterion, at)
        parts = []
        for histogram, total, extra in zip(sums, whole, smooth, strict=True):
            left = candidates.left(histogram)
            parts.append(np.stack([left, total - left])[..., None] + extra)
        return Look(at, parts[0], parts[1], errors)

    def judge(bounds: Bounds) -> tuple[Floats, Floats]:
        least, most = (part.sum(axis=0) for part in _without_smoothing(bounds, criterion))
        allowed = candidates.allowed[..., None]
        return _where(allowed, least, np.inf), _where(allowed, most, np.inf)

    def exact(split: Split) -> float:
        side = _on_left(rows, split)[members].astype(np.intp)
        split.value = leaf_losses(rows, members, side, 2, criterion)
        return split.value

    def pieces_of(k: int) -> tuple[NDArray[np.intp], ...]:
        where = np.unravel_index(k, shape)
        return (np.arange(2), *(np.repeat(axis, 2) for axis in where))

    if not candidates.allowed.any():
        return None
    survivors = screen(look, judge, pieces_of, _unit(rows, criterion))
    return candidates.best(survivors, shape, exact)


def best_table(rows: Shards, criterion: Criterion) -> int:
    """The feature of least loss exp(-c y g) when each of its bins takes its own value g."""
    inside = np.zeros((rows.n_features, BINS), dtype=bool)
    inside[:, :MISSING] = np.arange(MISSING) < rows.n_bins[:, None]
    inside[:, MISSING] = True
    absent = np.where(rows.present, 0.0, np.inf)
    look_at = _leaf_look(rows, criterion, None)

    def look(at: float) -> Look:
        sums, _, errors = look_at(at)
        value, slope = (h + extra for h, extra in zip(sums, _smoothing(criterion, at), strict=True))
        return Look(at, value, slope, errors)

    def judge(bounds: Bounds) -> tuple[Floats, Floats]:
        least, most = _without_smoothing(bounds, criterion)
        return (least * inside).sum(axis=1) + absent, (most * inside).sum(axis=1) + absent

    def pieces_of(f: int) -> tuple[NDArray[np.intp], ...]:
        bins = np.flatnonzero(inside[f])
        return np.full(bins.size, f), bins

    survivors = screen(look, judge, pieces_of, _unit(rows, criterion))
    members = rows.members(None)
    survivors = survivors[rows.present[survivors]]
    values = [leaf_losses(rows, members, rows.bins(int(f)), BINS, criterion) for f in survivors]
    return int(survivors[np.flatnonzero(np.array(values) <= min(values) + TIE)[0]])


def split_loss(rows: Shards, split: Split, criterion: Criterion) -> float:
    """Loss when each side of the split takes its own value."""
    side = _on_left(rows, split).astype(np.intp)
    return leaf_losses(rows, rows.members(None), side, 2, criterion)


def leaf_losses(
    rows: Shards,
    members: NDArray[np.intp],
    leaf: NDArray[Any],
    n_leaves: int,
    criterion: Criterion,
) -> float:
    """Loss of the given rows when every leaf takes its own value."""
    weight, label, cost = (v[members] for v in (rows.own_weight, rows.label, rows.own_cost))
    value = cost_log_odds_of_rows(weight, label, cost, leaf, n_leaves, criterion)
    with np.errstate(divide="ignore"):  # in one exponential, or the factors might overflow
        return exact_sum(np.exp(np.log(weight) - cost * label * value[leaf]))


def _leaf_look(
    rows: Shards, criterion: Criterion, node: NodeRows | None
) -> Callable[[float], tuple[tuple[Floats, Floats], tuple[float, float], tuple[float, float]]]:
    """Losses and slopes in every bin, their totals and how far rounding may have moved a sum."""
    signed = rows.own_cost * rows.label
    members = rows.members(node)

    def look(at: float) -> tuple[tuple[Floats, Floats], tuple[float, float], tuple[float, float]]:
        loss = rows.own_weight * np.exp(-signed * at)
        slope = -signed * loss
        sums, errors = rows.sums(loss, slope, node)
        totals = exact_sum(loss[members]), exact_sum(slope[members])
        return (sums[0], sums[1]), totals, errors

    return look


def _smoothing(criterion: Criterion, at: float) -> tuple[float, float]:
    """Loss and slope of the row of either class that smoothing puts into every leaf."""
    e, fn, fp = criterion.smoothing, criterion.fn_cost, criterion.fp_cost
    up, down = np.exp(fp * at), np.exp(-fn * at)
    return float(e * (up + down)), float(e * (fp * up - fn * down))


def _without_smoothing(bounds: Bounds, criterion: Criterion) -> tuple[Floats, Floats]:
    """Bounds on the loss of the rows alone, at the value that smoothing gives the leaf."""
    e, fn, fp = criterion.smoothing, criterion.fn_cost, criterion.fp_cost
    middle = np.log(fn / fp) / (fn + fp)
    little = e * (np.exp(fp * middle) + np.exp(-fn * middle))
    ends = np.where(np.isfinite(bounds.at), bounds.at, 0)
    much = (e * (np.exp(fp * ends) + np.exp(-fn * ends))).max(axis=0)
    least = np.where(bounds.bracketed, np.maximum(bounds.below() - much, 0), 0)
    return least, bounds.above() - little


def _unit(rows: Shards, criterion: Criterion) -> float:
    """A leaf value at which no exponential is far from 1."""
    return 1 / max(float(rows.own_cost.max()), criterion.fn_cost, criterion.fp_cost)


def _where(mask: NDArray[np.bool_], values: Floats, otherwise: float) -> Floats:
    return np.where(mask, values, otherwise).ravel()


def _on_left(rows: Shards, split: Split) -> NDArray[np.bool_]:
    if split.feature < 0:
        return np.zeros(rows.label.size, dtype=bool)
    return split.left.astype(bool)[rows.bins(split.feature)]


def _single(k: int, shape: tuple[int, ...]) -> tuple[NDArray[np.intp], ...]:
    return tuple(np.array([axis]) for axis in np.unravel_index(k, shape))
