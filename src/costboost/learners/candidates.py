"""All ways to split the rows of a node, as arrays of sums."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from costboost.engine._kernels import BINS, MISSING, Split
from costboost.learners.screening import TIE
from costboost.rows import NodeRows, Rows
from costboost.vectors import Vector


class Candidates:
    """Feature by feature the bins in the order in which they may be split; arrays are
    (missing right or left, feature, position), where nothing is missing of one side only."""

    def __init__(
        self, rows: Rows, node: NodeRows | None, weight: Vector, min_samples_leaf: int
    ) -> None:
        self.rows = rows
        self.node = node
        positive = rows.label > 0
        self.weight, _ = rows.sums(weight * positive, weight * ~positive, node)
        self.order = np.tile(np.arange(MISSING), (rows.n_features, 1))
        self.length = rows.n_bins.astype(np.intp).copy()
        for f in np.flatnonzero(rows.categorical):
            self._order_categories(int(f))
        counts = (rows.leaf_counts if node is None else rows.node_counts(node)).sum(axis=0)
        self._n_sides = 2 if counts[:, MISSING].any() else 1
        self.allowed = self._allowed(counts, min_samples_leaf)

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
        survivors: NDArray[np.bool_],
        exact: Callable[[Split], float],
    ) -> Split | None:
        """The first within TIE of the least; survivors: missing, feature, position, polarity."""
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
        """The better side for the missing rows; without evidence, the heavier one."""
        heavier = self.heavier_left(f, k)
        if self.weight[:, f, MISSING].sum() == 0:
            split = self.split(f, k, heavier, 1 - 2 * p)
            split.value = min(value for value, _ in sides.values())
            return split
        values = [sides[side][0] if side in sides else np.inf for side in (False, True)]
        level = abs(values[0] - values[1]) <= TIE
        return sides[heavier if level else values[1] < values[0]][1]
