"""The rows of a fit, binned once, and subsets of them."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from costboost.engine._kernels import BinnedRows
from costboost.engine.binning import Binning
from costboost.tables import Table

RowNumbers = NDArray[np.intp]


class BinnedData:
    """The rows of a table, binned.

    A fold, a class against the rest and a shard are made by `take`: bins are copied, cuts are not
    searched for and raw values are not read again.

    Parameters
    ----------
    table : Table
        The rows that are binned.
    binning : Binning
    positive : uint8 array
        Which rows are positive.
    n_threads : int
    row_numbers : array or None
        The numbers by which `take` selects the rows; by default 0, 1, 2, ...
    """

    def __init__(
        self,
        table: Table,
        binning: Binning,
        positive: NDArray[np.uint8],
        n_threads: int,
        row_numbers: RowNumbers | None = None,
    ) -> None:
        self.row_numbers = row_numbers
        self.binning = binning
        self.positive = positive
        self.binned = binning.rows(table, positive, n_threads)

    def take(
        self, rows: RowNumbers | None, positive: NDArray[np.uint8], n_threads: int
    ) -> BinnedRows:
        """The rows with these numbers, positives first; None for all.

        All rows with the same positives share the memory of the bins.
        """
        if rows is None and np.array_equal(positive, self.positive):
            return self.binned.share(n_threads)
        places = self._place if rows is None else self._place[rows]
        order = positives_first(places, positive)
        return self.binned.take(order, int(positive.sum()), n_threads)

    @cached_property
    def _place(self) -> RowNumbers:
        """Position of each row, by its number, among the binned rows."""
        n = self.binned.n_rows
        order = positives_first(np.arange(n), self.positive)
        place = np.empty(n, dtype=np.intp)
        place[order] = np.arange(n)
        if self.row_numbers is None:
            return place
        of_number = np.full(int(self.row_numbers.max()) + 1, -1, dtype=np.intp)
        of_number[self.row_numbers] = place
        return of_number


def positives_first(values: NDArray[Any], positive: NDArray[np.uint8]) -> NDArray[Any]:
    """Values of rows, those of positive rows before the others."""
    is_positive = positive.astype(bool)
    return np.concatenate([values[is_positive], values[~is_positive]])
