"""Monotone and interaction constraints of the transcriptions.

A stump of a feature that must raise the score has no smaller value on the right than on the left. A
node of a tree hands bounds down: where it is split on such a feature, the values of the left side
stay below the middle of the two sides' values, and those of the right side above it. The value of a
leaf is clipped to its bounds, and splits are compared by losses at clipped values. The bins of a
table whose values are in the wrong order get one value, that of least loss (pool adjacent
violators). A path of a tree uses features of one group only.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from naive.constants import Array

LEVEL_SMOOTHING = 1e-4  # of the values that bound the leaves of a tree that votes


@dataclass(frozen=True)
class Constraints:
    monotone: dict[int, int]  # 1 for a feature that must raise the score, -1 for one that lowers it
    groups: list[set[int]] | None = None  # features that may meet on a path; None for all

    def direction(self, feature: int) -> int:
        return self.monotone.get(feature, 0)

    def may_follow(self, path: frozenset[int]) -> set[int] | None:
        """Features that may be split on below the features of a path; None for all."""
        if self.groups is None:
            return None
        return set().union(*(group for group in self.groups if path <= group))


def in_order(direction: int, left: float, right: float) -> bool:
    return direction == 0 or direction * left <= direction * right


@dataclass(frozen=True)
class Bounds:
    low: float = -math.inf
    high: float = math.inf

    def clip(self, value: float) -> float:
        return min(max(value, self.low), self.high)

    def of_sides(self, direction: int, left: float, right: float) -> tuple[Bounds, Bounds]:
        """Bounds of both sides of a split, whose values within these bounds are given."""
        middle = (left + right) / 2
        below, above = Bounds(self.low, middle), Bounds(middle, self.high)
        if direction == 0:
            return self, self
        return (below, above) if direction > 0 else (above, below)

    def vote(self, vote: float) -> float:
        """A vote of a leaf whose value has these bounds."""
        if self.low > 0:
            return 1.0
        return -1.0 if self.high <= 0 else vote


ANY_LEVEL = Bounds()


def pooled(direction: int, members: list[Array], best: Callable[[list[Array]], float]) -> Array:
    """Values of bins in the order of the direction; `best` is the common value of some bins."""
    blocks: list[list[Array]] = []
    for one in members:
        blocks.append([one])
        while len(blocks) > 1 and not in_order(direction, best(blocks[-2]), best(blocks[-1])):
            last = blocks.pop()
            blocks[-1] = blocks[-1] + last
    return np.array([best(block) for block in blocks for _ in block])
