"""Binned rows of a table, wherever they are: what trainings and trees over pairs ask of them.

The protocols are implemented for tables in this process (`costboost._core.backends.local`) and for
those on the workers of a cluster (`costboost._core.backends.dask.data`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from costboost._core.arithmetic import Floats, Vector
from costboost._core.backends.combining import Total
from costboost._core.backends.order import Part, message
from costboost._core.backends.protocol import Backend, HasScores
from costboost._core.engine._kernels import Features, Split, Splits, TreeLimits
from costboost._core.engine.binning import Binning, RowNumbers
from costboost._core.rules.record import Criterion

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


PairArrays = tuple[
    NDArray[np.int32], NDArray[np.int32], NDArray[np.uint64], NDArray[np.uint8], Floats
]
"""The arrays of a tree over pairs; see `PairTree`."""


class GrowsPairTrees(Protocol):
    """Rows on which a whole tree over pairs is grown at once."""

    def grow_pairs(
        self,
        weight: NDArray[np.int64],
        features: Features,
        criterion: Criterion,
        limits: TreeLimits,
        prune: bool,
    ) -> PairArrays: ...


class PairData(Protocol):
    """Binned rows, on which trees over pairs are grown."""

    @property
    def pair_trees(self) -> GrowsPairTrees | None:
        """Grower of whole trees over pairs; None if trees are grown by nodes."""

    def pairs(self, weight: NDArray[np.int64], counting: bool) -> HoldsPairs:
        """The weights of all pairs, n_rows x n_labels, for one tree."""

    def values(self, function: Callable[..., NDArray[Any]], *given: Any) -> NDArray[Any]:
        """Values of a function of the binned rows that has one for each row, the last axis."""


Laid = tuple[NDArray[np.int32] | None, Splits | Split, Floats]
"""Left children, splits and leaf values of a tree; of a stump None, its split and its values."""


class SumsTrees(Protocol):
    """Rows for which many trees are added up at once."""

    def staged_sums(
        self, trees: Sequence[Laid], steps: Sequence[float], ends: Sequence[int]
    ) -> Floats:
        """Sums of the first n trees times their steps, for every n in ``ends``."""


class OtherRows(Protocol):
    """Rows that are not trained on, such as those that early stopping watches."""

    @property
    def trees(self) -> SumsTrees | None:
        """Who adds up many trees; None where hypotheses are scored one by one."""

    def scores(self, hypothesis: HasScores) -> Floats:
        """Value of a hypothesis for every row, in the order of the table."""


class Data(PairData, Protocol):
    """Binned rows of a table, of which trainings take all or some."""

    binning: Binning

    def open(
        self,
        rows: RowNumbers | None,
        positive: NDArray[np.uint8],
        n_jobs: int | None,
        columns: object = None,
        n_scores: int = 1,
    ) -> Backend[Vector]:
        """Rows of a training, all or those with these numbers, with weights of their own.

        ``columns`` are their raw values, for learners that score them; ``n_scores`` is the number
        of scores of a row.
        """

    def other_rows(self, rows: RowNumbers | None, n_jobs: int | None) -> OtherRows:
        """Rows that are not trained on, all or those with these numbers."""


@runtime_checkable
class BinsRows(Protocol):
    """A table whose rows are binned where they are."""

    def find_bins(
        self,
        max_bins: int,
        categorical_features: object,
        n_threads: int,
        copies: NDArray[np.int64] | None = None,
    ) -> Binning:
        """Cuts and category codes of the rows; they do not depend on where the rows are."""

    def binned(
        self,
        binning: Binning,
        positive: NDArray[np.uint8],
        n_jobs: int | None,
        n_labels: int = 1,
    ) -> Data:
        """The rows, binned; with pairs, each has so many labels."""
