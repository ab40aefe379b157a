"""Rows of the nodes of a growing tree, in any number of shards."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np

from costboost._core.arithmetic import Floats
from costboost._core.engine._kernels import Frontier, Split, TreeLimits
from costboost._core.growing.grow import Candidate, Shares
from costboost._core.rows import Grown, NodeRows, Rows

SPECULATIVE_CELLS = 2**22
"""Nodes of up to so many row x feature cells together are divided before it is known that they have
to be, in one message."""


class NodeSource(ABC):
    """Rows of nodes, divided by messages to the shards.

    Nodes that will probably be divided as well are divided in the same message, if messages take
    time: sides that turn out not to be needed are not used.
    """

    def __init__(self, rows: Rows, limits: TreeLimits) -> None:
        self.rows = rows
        self.limits = limits
        self.frontier = Frontier(limits, rows.n_features)
        self._nodes: dict[int, NodeRows] = {}
        """The rows of each leaf."""
        self._ahead: dict[int, tuple[NodeRows, NodeRows]] = {}
        """The sides of leaves that have been divided ahead."""

    @abstractmethod
    def build(self) -> Shares:
        """Sum all rows."""

    @abstractmethod
    def search(self, k: int) -> Candidate | None:
        """The best split of a node; None if it stays a leaf."""

    @abstractmethod
    def candidate(self, k: int, split: Split, gain: float) -> Candidate:
        """A split of a node, not yet measured, as a candidate."""

    def divide(self, k: int, left: int) -> None:
        if k not in self._ahead:
            some = [k] if self.rows.answers_at_once else [k, *self._likely(self._nodes[k].size)]
            given = [(self._nodes[one], self.frontier.split(one)) for one in some]
            self._ahead.update(zip(some, self.rows.divide(given), strict=True))
        del self._nodes[k]
        self._nodes[left], self._nodes[left + 1] = self._ahead.pop(k)

    def sides(self, left: int) -> Sequence[int]:
        return left, left + 1

    def grown(self) -> Grown:
        """The tree as arrays; the shards keep the rows of its leaves."""
        left, splits, gain, share, levels = self.frontier.laid()
        number = self.rows.end_tree([self._nodes[k] for k in sorted(self._nodes)])
        return Grown(left, splits, gain, share, number, self._values(levels))

    def _values(self, levels: Floats) -> Floats | None:
        """Values of leaves at the levels; None if leaves are not bounded."""
        return None

    def _likely(self, n_rows: int) -> list[int]:
        """Leaves to divide ahead, together with one of so many rows.

        Without a limit to the leaves, these are all leaves with a split, as they have to be divided
        some time. With one, they are those of greatest gain, if they are small.
        """
        some = [k for k in self.frontier.promising() if k not in self._ahead]
        if self.limits.max_leaf_nodes is None:
            return some
        together = n_rows + np.cumsum([self._nodes[k].size for k in some])
        return some[: np.searchsorted(together, SPECULATIVE_CELLS // self.rows.n_features, "right")]
