"""Features that are computed when they are read.

Some data have far more features than can be kept as floats: a patch of 24 x 24 pixels has 160,000
Haar-like features. A classifier fits on `ComputedFeatures` as it does on an array. Training
computes a block of columns, bins it into one byte per value and discards the floats; prediction
computes only the features that the ensemble tests.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from costboost._core.tables.arrays import DenseTable
from costboost._core.tables.labels import Labels
from costboost._core.tables.table import Array, Coders, Table

CELLS_AT_A_TIME = 2**20
"""Values that are computed at a time: 8 MB."""


class ComputedFeatures:
    """Base of feature matrices that are not stored.

    A subclass sets ``shape``, the number of rows and of features, and implements the two methods.
    All features are finite numbers or NaN; none is categorical.
    """

    shape: tuple[int, int]

    def compute(self, features: NDArray[np.intp]) -> NDArray[np.float64]:
        """Values of some features, one column each, for all rows."""
        raise NotImplementedError

    def take(self, rows: Any) -> Self:
        """Select rows (a slice or an index array)."""
        raise NotImplementedError

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, key: Any) -> Self:
        """Select rows by ``X[rows]`` or ``X[rows, :]``, as scikit-learn does with arrays."""
        rows, *others = key if isinstance(key, tuple) else (key,)
        if any(other is not Ellipsis and other != slice(None) for other in others):
            raise TypeError("only rows of computed features can be selected; see `compute`")
        return self.take(rows)


class ComputedTable(Table):
    """A table of computed features."""

    X: ComputedFeatures
    computed = True

    def column(self, j: int) -> Array:
        values = self.X.compute(np.array([j]))[:, 0]
        return self._finite(j, values)

    def labels(self, j: int) -> Labels:
        return Labels.of(self.column(j))

    def take(self, rows: Any) -> Table:
        return ComputedTable(self.X.take(rows))

    def numbers(self, coders: Coders) -> Iterator[tuple[int, Array]]:
        if any(coders):
            yield from super().numbers(coders)
            return
        size = max(1, CELLS_AT_A_TIME // max(self.n_rows, 1))
        for begin in range(0, self.n_features, size):
            yield begin, self.X.compute(np.arange(begin, min(begin + size, self.n_features)))

    def select(self, features: NDArray[np.intp]) -> Table:
        return DenseTable(self.X.compute(features))
