"""Binned rows of a table, wherever they are: what trainings and trees over pairs ask of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from costboost._core.backends.combining import Total
from costboost._core.backends.order import Part, message
from costboost._core.engine._kernels import Split

Labels = NDArray[np.uint8]
"""Labels of the pairs of a node, which has all of them for each of its rows."""


class RowDivision(NamedTuple):
    """A split of a set of rows, and the numbers of the two resulting sets."""

    parent: int
    split: Split
    left: int
    right: int


@dataclass(frozen=True)
class NodeSums:
    """Sums of a node in every bin, without those that are 0, and its number of rows."""

    n_rows: int
    place: NDArray[np.uint32]
    """Places of the sums in the flat array of all, increasing."""
    value: NDArray[np.int64]

    def __add__(self, other: NodeSums) -> NodeSums:
        place = np.union1d(self.place, other.place)
        value = np.zeros(place.size, dtype=np.int64)
        for part in (self, other):
            value[np.searchsorted(place, part.place)] += part.value
        return NodeSums(self.n_rows + other.n_rows, place, value)


class HoldsPairs(Protocol):
    """Weights of pairs (row, label), and the sets of rows of the nodes of one tree."""

    @message(touches=Part.TREE)
    def divide(self, divisions: Sequence[RowDivision]) -> None: ...
    @message(touches=Part.TREE)
    def release(self, numbers: Sequence[int]) -> None: ...
    @message()
    def sums(self, nodes: Sequence[tuple[int, Labels]]) -> Total[list[NodeSums]]: ...


class PairData(Protocol):
    """Binned rows in several shards, on which trees over pairs are grown."""

    def pairs(self, weight: NDArray[np.int64], counting: bool) -> HoldsPairs:
        """The weights of all pairs, n_rows x n_labels, for one tree."""

    def values(self, function: Callable[..., NDArray[Any]], *given: Any) -> NDArray[Any]:
        """Values of a function of the binned rows that has one for each row, the last axis."""
