"""Candidate splits of rows that have costs of their own, and bounds that exclude most of them.

No four sums describe such a candidate. It consists of pieces, each a convex function of one number:
the step of a vote, or the value of a leaf. One pass over the rows evaluates all pieces at the same
number; tangents bound every piece from below, and candidates that cannot be the best are dropped.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from costboost.engine._kernels import (
    BINS,
    MISSING,
    TIE,
    Split,
    heavier_left,
    missing_left,
    order_categories,
)
from costboost.rows import NodeRows, Rows
from costboost.vectors import Floats, Vector

FEW = 2
"""So many candidates are evaluated exactly rather than by another pass over the rows."""
MOST_PROBES = 24
PROMISING = 64
"""How many candidates, the lowest bound first, may determine where the next probe is."""
FARTHEST = 200.0
"""Probes are at most this far from 0, in units of 1 / greatest cost: e^x would be too large."""


# ---- bounds --------------------------------------------------------------------------------------


class Probe(NamedTuple):
    """Loss and slope of every piece at one number, and how far rounding may have moved them."""

    at: float
    value: Floats
    slope: Floats
    errors: tuple[float, float]


class Bounds:
    """Bounds on the least loss of every piece."""

    def __init__(self, first: Probe, reach: float) -> None:
        shape = first.value.shape
        self.reach = reach
        """No minimum is farther from a probe."""
        self.pinned = np.full(shape, -np.inf)
        """Lower bound from probes at which rounding hides the sign of the slope."""
        self.at = np.stack([np.full(shape, -np.inf), np.full(shape, np.inf)])
        self.value = np.full((2, *shape), np.inf)
        self.reached = np.full(shape, np.inf)
        self.slope = np.zeros((2, *shape))
        self.errors = np.zeros((2, 2, *shape))
        """How far values and slopes on either side may be off."""
        self.update(first)

    def update(self, probe: Probe) -> None:
        """Add a probe, which lies below or above the minimum of each piece.

        Where rounding hides on which side, the piece is nearly flat there.
        """
        self.reached = np.minimum(self.reached, probe.value + probe.errors[0])
        hidden = probe.errors[1]
        flat = probe.value - probe.errors[0] - 2 * hidden * self.reach
        unclear = (np.abs(probe.slope) <= hidden) & (probe.slope != 0)
        self.pinned = np.where(unclear, np.maximum(self.pinned, flat), self.pinned)
        sides = probe.slope < -hidden, (probe.slope > hidden) | (probe.slope == 0)
        for side, here in enumerate(sides):
            nearer = here & (probe.at > self.at[0] if side == 0 else probe.at < self.at[1])
            self.at[side][nearer] = probe.at
            self.value[side][nearer] = probe.value[nearer]
            self.slope[side][nearer] = probe.slope[nearer]
            for kind, error in enumerate(probe.errors):
                self.errors[kind, side][nearer] = error

    @property
    def bracketed(self) -> NDArray[np.bool_]:
        """Which pieces have probes on both sides of their minimum."""
        return np.asarray(np.isfinite(self.at).all(axis=0))

    def crossing(self) -> Floats:
        """Where the tangents from both sides meet."""
        (a, b), (u, v), (s, t) = self.at, self.value, self.slope
        with np.errstate(invalid="ignore", divide="ignore"):
            x = (v - u + s * a - t * b) / (s - t)
        return np.where(self.bracketed, np.clip(x, a, b), np.nan)

    def below(self) -> Floats:
        """Lower bound on the least loss of every piece."""
        with np.errstate(invalid="ignore"):
            tangent = self.value[0] + self.slope[0] * (self.crossing() - self.at[0])
            values, slopes = self.errors.sum(axis=1)
            rounding = values + slopes * (self.at[1] - self.at[0])
            by_tangents = np.where(self.bracketed, np.maximum(tangent - rounding, 0), 0)
        return np.asarray(np.maximum(by_tangents, self.pinned))

    def above(self) -> Floats:
        """Upper bound on the least loss of every piece."""
        return self.reached


def screen(
    probe: Callable[[float], Probe],
    bound: Callable[[Bounds], tuple[Floats, Floats]],
    pieces_of: Callable[[int], tuple[NDArray[np.intp], ...]],
    unit: float,
    lowest: float = -np.inf,
) -> NDArray[np.intp]:
    """The candidates that may be the best, in their order.

    ``bound`` returns lower and upper bounds of all candidates, ``pieces_of`` the indices of a
    candidate's pieces. ``unit`` is the size of the first step; there are no probes below
    ``lowest``.
    """
    bounds = Bounds(probe(0.0), FARTHEST * unit)
    probed = {0.0}
    for k in range(MOST_PROBES):
        least, most = bound(bounds)
        left = np.flatnonzero(least <= most.min() + TIE)
        if left.size <= FEW and k > 2:
            break
        promising = left[np.argsort(least[left], kind="stable")][:PROMISING].tolist()
        numbers = (_next_probe(bounds, pieces_of(one), unit) for one in promising)
        at = next((x for x in numbers if x is not None and x >= lowest and x not in probed), None)
        if at is None:
            break
        probed.add(at)
        bounds.update(probe(at))
    least, most = bound(bounds)
    return np.flatnonzero(least <= most.min() + TIE)


def _next_probe(bounds: Bounds, where: tuple[NDArray[np.intp], ...], unit: float) -> float | None:
    """A number that narrows the widest bounds among the pieces; None if there is none."""
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


# ---- candidates ----------------------------------------------------------------------------------


def class_sums(
    rows: Rows,
    weight: Vector,
    node: NodeRows | None = None,
    features: NDArray[np.intp] | None = None,
) -> Floats:
    """Sum of a vector over the rows of each class in every bin."""
    positive = rows.label > 0
    sums, _ = rows.sums(weight * positive, weight * ~positive, node, features)
    return sums


class Candidates:
    """All splits of the rows of a node, as arrays of sums.

    Arrays have the shape (side of missing values, feature, position). Bins of a feature are in the
    order in which they may be split, and those up to the position go left. Missing values go right
    (0) or left (1); if there are none at all, the first axis has length 1.

    ``features`` are those whose splits are candidates, all if None, and ``weight`` the weight of
    each class in their bins, by which categories are ordered.
    """

    def __init__(
        self,
        rows: Rows,
        node: NodeRows | None,
        weight: Floats,
        min_samples_leaf: int,
        features: NDArray[np.intp] | None = None,
    ) -> None:
        self.rows = rows
        self.features = np.arange(rows.n_features) if features is None else features
        self.weight = weight
        self.order = np.tile(np.arange(MISSING), (self.features.size, 1))
        self.length = rows.n_bins[self.features].astype(np.intp)
        for k in np.flatnonzero(rows.categorical[self.features]):
            self._order_categories(int(k))
        counts = rows.counts_for_leaves() if node is None else rows.node_counts(node)
        counts = counts.sum(axis=0)
        self._n_sides = 2 if counts[:, MISSING].any() else 1
        self.allowed = self._allowed(counts[self.features], min_samples_leaf)

    def _order_categories(self, f: int) -> None:
        p, q = self.weight[:, f, : self.length[f]]
        order = order_categories(np.ascontiguousarray(p), p + q)
        self.order[f, : order.size] = order
        self.length[f] = order.size

    def _allowed(self, counts: NDArray[np.int64], least: int) -> NDArray[np.bool_]:
        """Which candidates leave enough rows on either side."""
        left = self.left(counts)
        inside = np.arange(MISSING - 1) < self.length[:, None] - 1
        on_right = counts.sum(axis=1)[:, None] - left
        some_missing = counts[:, MISSING] > 0
        inside = np.stack([inside, inside & some_missing[:, None]])[: self._n_sides]
        result: NDArray[np.bool_] = inside & (left >= least) & (on_right >= least)
        return result

    def left(self, histogram: NDArray[Any]) -> NDArray[Any]:
        """Sums of the left side of every candidate."""
        present = np.take_along_axis(histogram, self.order, axis=1)
        present = np.where(np.arange(MISSING) < self.length[:, None], present, 0)
        up_to = present.cumsum(axis=1)[:, :-1]
        if self._n_sides == 1:
            return up_to[None]
        return np.stack([up_to, up_to + histogram[:, MISSING, None]])

    def split(self, f: int, position: int, missing_left: bool, polarity: int = 1) -> Split:
        """A candidate as a split of bins; ``f`` is the index of its feature in the arrays."""
        feature = int(self.features[f])
        left = np.zeros(BINS, dtype=np.uint8)
        if self.rows.categorical[feature]:
            left[:] = self._heavier_left(f, position)
            left[self.order[f, position + 1 : self.length[f]]] = 0
            left[self.order[f, : position + 1]] = 1
        else:
            left[: position + 1] = 1
        left[MISSING] = missing_left
        return Split(feature, position, polarity, missing_left, left)

    def _heavier_left(self, f: int, position: int) -> bool:
        order = self.order[f, : self.length[f]]
        present = self.weight[:, f].sum(axis=0)[order]
        return heavier_left(present[: position + 1].sum(), present[position + 1 :].sum())

    def best(
        self,
        survivors: NDArray[np.bool_],
        exact: Callable[[Split], float],
    ) -> Split | None:
        """The first candidate within TIE of the least exact loss.

        ``survivors`` has one more axis than other arrays: the polarity, +1 (0) or -1 (1).
        """
        found: dict[tuple[int, int, int], dict[bool, tuple[float, Split]]] = {}
        for missing, f, k, p in zip(*np.nonzero(survivors), strict=True):
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
        """The split with missing values on the side of less loss, or on the heavier one."""
        heavier = self._heavier_left(f, k)
        if self.weight[:, f, MISSING].sum() == 0:
            split = self.split(f, k, heavier, 1 - 2 * p)
            split.value = min(value for value, _ in sides.values())
            return split
        right, left = (sides[side][0] if side in sides else np.inf for side in (False, True))
        return sides[missing_left(left, right, heavier)][1]
