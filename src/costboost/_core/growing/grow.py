"""The loop that grows a tree over a source of node sums."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from costboost._core.engine._kernels import ALL_LEVELS, TIE, Frontier, Split
from costboost._core.rows import Bounds

LEAST_GAIN = TIE
"""A split that gains no more gains nothing but for rounding."""
Shares = tuple[float, float]
"""Shares of both classes in a node; for a regression, sums of response and weight."""


class Candidate(NamedTuple):
    """The split by which a leaf may be divided."""

    split: Split
    gain: float
    shares: tuple[Shares, Shares] = ((0.0, 0.0), (0.0, 0.0))
    """Those of either side."""
    levels: tuple[Bounds, Bounds] = (ALL_LEVELS, ALL_LEVELS)
    """Least and greatest level of the leaves on either side."""


class Source(Protocol):
    """Rows of the nodes of a growing tree, which are numbered by its frontier."""

    frontier: Frontier

    def build(self) -> Shares:
        """Sum all rows, those of node 0."""

    def search(self, k: int) -> Candidate | None:
        """The best split of a node; None if it stays a leaf."""

    def divide(self, k: int, left: int) -> None:
        """Divide the rows of a node by the split that was found; the sides are ``left`` and the
        node behind it."""

    def sides(self, left: int) -> Sequence[int]:
        """Both sides, in the order in which they are searched."""


def grow(source: Source) -> None:
    """Grow a tree: one block of rows does this in C++, by the same loop and the same frontier.

    See ``engine/kernels/frontier.hpp``. Sums are whole numbers, so that the trees are equal.
    """
    frontier = source.frontier
    frontier.root(source.build())
    frontier.found(0, source.search(0))
    while (k := frontier.next()) is not None:
        left = frontier.divide(k)
        source.divide(k, left)
        if not frontier.last:
            for side in source.sides(left):
                frontier.found(side, source.search(side))
