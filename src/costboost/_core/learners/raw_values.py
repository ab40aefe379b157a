"""Raw values of the training rows, for learners that are linear in one feature."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from costboost._core.arithmetic import Floats, Vector, parts_of
from costboost._core.engine._kernels import MISSING, bin_means
from costboost._core.engine.binning import Binning
from costboost._core.tables import Table

KEPT = 2**24
"""How many raw values are cached."""


class Columns:
    """The columns of a table, its rows in a given order."""

    def __init__(self, table: Table, order: NDArray[np.intp] | None = None) -> None:
        def read(feature: int) -> NDArray[Any]:
            values = table.column(feature)
            if values.dtype not in (np.float32, np.float64):
                values = values.astype(np.float64)
            return values if order is None else values.take(order)

        def scale(feature: int) -> tuple[float, float, Floats]:
            x = self.column(feature).astype(np.float64)
            low, high = float(x.min()), float(x.max())
            middle, reach = low / 2 + high / 2, high / 2 - low / 2
            return middle, reach or 1.0, (x - middle) / (reach or 1.0)

        kept = max(2, KEPT // (2 * table.n_rows))
        self.n_rows = table.n_rows
        self.column = lru_cache(maxsize=kept)(read)
        """The values of a feature; single floats are kept as they are, to save memory."""
        self.scaled = lru_cache(maxsize=kept)(scale)
        """Middle and half the range of the values, and the values scaled to [-1, 1]."""


class BinValues:
    """A value for every bin of every feature: the mean of the values in it.

    ``single`` marks features all of whose bins hold one value only.
    """

    def __init__(
        self,
        binning: Binning,
        columns: Columns,
        bins: Callable[[int], Vector],
        copies: Vector | None = None,
    ) -> None:
        n_features = binning.n_features
        self.value = np.full((n_features, MISSING), np.nan)
        self.single = np.zeros(n_features, dtype=bool)
        self.copies = None if copies is None else np.concatenate(parts_of(copies))
        for f in range(n_features):
            x = columns.column(f).astype(np.float64, copy=False)
            self._fill(f, int(binning.n_bins[f]), x, np.concatenate(parts_of(bins(f))))

    def _fill(self, f: int, n: int, x: Floats, bins: NDArray[np.uint8]) -> None:
        means, self.single[f] = bin_means(bins, x, self.copies)
        self.value[f, :n] = means[:n]
