"""Raw values of the training rows, for the learners to which a bin is not enough."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from costboost.cells import Floats
from costboost.engine._kernels import MISSING
from costboost.engine.binning import Binning
from costboost.tables import Table

KEPT = 16
"""So many columns are kept ready."""


class Columns:
    """The columns of a table, its rows in a given order."""

    def __init__(self, table: Table, order: NDArray[np.intp] | None = None) -> None:
        def read(feature: int) -> Floats:
            values = np.asarray(table.column(feature, False), dtype=np.float64)
            return values if order is None else values[order]

        self.n_rows = table.n_rows
        self.column = lru_cache(maxsize=KEPT)(read)


class BinValues:
    """A value for every bin: the only one in it, or the mean of those in it.

    ``single`` tells the features of which every bin holds one value only.
    """

    def __init__(
        self, binning: Binning, columns: Columns, bins: Callable[[int], NDArray[np.uint8]]
    ) -> None:
        n_features = binning.n_features
        self.value = np.full((n_features, MISSING), np.nan)
        self.single = np.zeros(n_features, dtype=bool)
        for f in range(n_features):
            self._fill(f, int(binning.n_bins[f]), columns.column(f), bins(f))

    def _fill(self, f: int, n: int, x: Floats, bins: NDArray[np.uint8]) -> None:
        present = bins != MISSING
        x, bins = x[present], bins[present]
        least, most = np.full(n, np.inf), np.full(n, -np.inf)
        np.minimum.at(least, bins, x)
        np.maximum.at(most, bins, x)
        count = np.bincount(bins, minlength=n)
        with np.errstate(invalid="ignore"):
            mean = np.bincount(bins, x, minlength=n) / count
        one = least == most
        self.value[f, :n] = np.where(one, least, mean)
        self.single[f] = bool(one[count > 0].all())
