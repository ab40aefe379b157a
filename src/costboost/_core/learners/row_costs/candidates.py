"""Candidate splits of the rows of a node, as arrays of sums."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from costboost._core.arithmetic import Floats, Vector
from costboost._core.engine._kernels import (
    BINS,
    MISSING,
    TIE,
    Split,
    heavier_left,
    missing_left,
    order_categories,
)
from costboost._core.rows import NodeRows, Rows

Numbers = NDArray[np.intp]


def class_sums(
    rows: Rows,
    weight: Vector,
    node: NodeRows | None = None,
    features: Numbers | None = None,
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
        features: Numbers | None = None,
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

    def left(self, histogram: NDArray[Any], some: Any = slice(None)) -> NDArray[Any]:
        """Sums of the left side of every candidate; the histogram may be that of some features."""
        present = np.take_along_axis(histogram, self.order[some], axis=1)
        present = np.where(np.arange(MISSING) < self.length[some, None], present, 0)
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
        if np.isinf(least):  # all of them are in the wrong order
            return None
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
