"""Binned rows of a table in this process."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from costboost._core.arithmetic import Floats, Vector
from costboost._core.backends.data import BinsRows, HoldsPairs, Laid, PairArrays
from costboost._core.backends.protocol import Backend, HasScores
from costboost._core.backends.shard import PairShard, Shard
from costboost._core.engine._kernels import (
    BinnedRows,
    Features,
    TreeLimits,
    grow_pairs,
    staged_sums,
)
from costboost._core.engine.binning import BinnedData, Binning, RowNumbers
from costboost._core.rules.record import Criterion
from costboost._core.tables import Table
from costboost._core.threads.counts import threads


class LocalData(BinnedData):
    """Rows of a table in this process, binned."""

    def open(
        self,
        rows: RowNumbers | None,
        positive: NDArray[np.uint8],
        n_jobs: int | None,
        columns: object = None,
        n_scores: int = 1,
    ) -> Backend[Vector]:
        """Rows of a training; a shard is a back end by itself."""
        n_threads = threads(n_jobs, positive.size * self.binning.n_features * n_scores)
        shard: Backend[NDArray[Any]] = Shard(self.take(rows, positive, n_threads), columns)
        return cast("Backend[Vector]", shard)

    def other_rows(self, rows: RowNumbers | None, n_jobs: int | None) -> LocalRows:
        """Rows that are not trained on, in the order of the table."""
        none = np.zeros(self.binned.n_rows if rows is None else rows.size, dtype=np.uint8)
        n_threads = threads(n_jobs, none.size * self.binning.n_features)
        return LocalRows(self.take(rows, none, n_threads), self.binning.categorical)

    @property
    def pair_trees(self) -> LocalData:
        """These rows, on which whole trees are grown."""
        return self

    def grow_pairs(
        self,
        weight: NDArray[np.int64],
        features: Features,
        criterion: Criterion,
        limits: TreeLimits,
        prune: bool,
    ) -> PairArrays:
        return grow_pairs(self.binned, weight, features, criterion, limits, prune)

    def pairs(self, weight: NDArray[np.int64], counting: bool) -> HoldsPairs:
        """The weights of all pairs, for a tree that is grown by nodes."""
        return PairShard(self.binned, weight, counting)

    def values(self, function: Callable[..., NDArray[Any]], *given: Any) -> NDArray[Any]:
        """Values of a function of the binned rows."""
        return function(self.binned, *given)


class LocalRows:
    """Binned rows that are not trained on."""

    def __init__(self, binned: BinnedRows, categorical: NDArray[np.uint8]) -> None:
        self._binned = binned
        self._categorical = categorical

    @property
    def trees(self) -> LocalRows:
        """These rows, for which many trees are added up."""
        return self

    def scores(self, hypothesis: HasScores) -> Floats:
        """Value of a hypothesis for every row."""
        scores: Floats = hypothesis.scores(self._binned)
        return scores

    def staged_sums(
        self, trees: Sequence[Laid], steps: Sequence[float], ends: Sequence[int]
    ) -> Floats:
        """Sums of the first n trees times their steps, for every n in ``ends``."""
        return staged_sums(self._binned, self._categorical, trees, steps, ends)


class LocalTable:
    """Some rows of a table in this process, or all, which are binned."""

    def __init__(self, table: Table, rows: RowNumbers | None) -> None:
        self._table = table
        self._rows = rows

    def find_bins(
        self,
        max_bins: int,
        categorical_features: object,
        n_threads: int,
        copies: NDArray[np.int64] | None = None,
    ) -> Binning:
        return Binning(self._table, max_bins, categorical_features, n_threads, copies)

    def binned(
        self,
        binning: Binning,
        positive: NDArray[np.uint8],
        n_jobs: int | None,
        n_labels: int = 1,
    ) -> LocalData:
        table = self._table
        n_threads = threads(n_jobs, table.n_rows * max(table.n_features, n_labels))
        return LocalData(table, binning, positive, n_threads, self._rows)


def binner(table: Table, rows: RowNumbers | None = None) -> BinsRows:
    """The binner of a table's rows, or of those with the given numbers.

    A table whose rows are on workers bins them itself.
    """
    part = table if rows is None else table.take(rows)
    return part if isinstance(part, BinsRows) else LocalTable(part, rows)
