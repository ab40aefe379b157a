"""Small training sets in one or several shards, for tests of learners by themselves."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from divided import rows_of
from numpy.typing import NDArray

from costboost._core.arithmetic import parts_of
from costboost._core.engine.binning import Binning
from costboost._core.rows import NodeRows, Rows
from costboost._core.tables import DenseTable

Floats = NDArray[np.float64]


class Small:
    """Rows of a few values with missing ones, categories and columns that tie.

    Costs and weights of the rows are in the order of the data; `in_order` brings values into that
    of the engine, where the positives of each shard come first.
    """

    def __init__(
        self,
        rng: np.random.Generator,
        n: int,
        d: int = 3,
        n_shards: int = 1,
        missing: float = 0.2,
        max_bins: int = 255,
        n_values: int = 6,
        categories: bool = True,
    ) -> None:
        self.X = rng.integers(0, n_values, (n, d)).astype(float)
        self.X[rng.random((n, d)) < missing] = np.nan
        self.positive = (rng.random(n) < rng.choice([0.2, 0.5])).astype(np.uint8)
        self.positive[:2] = 0, 1
        if d > 1 and rng.random() < 0.3:
            self.X[:, d - 1] = self.X[:, 0]  # ties with the first column everywhere
        self.max_bins, self.n_shards = max_bins, n_shards
        some = [int(rng.integers(d))] if categories and rng.random() < 0.5 else []
        self.rebinned(some)
        self.weight = rng.exponential(size=n) + 1e-3
        self.cost = 10.0 ** rng.uniform(-2, 2, n)

    def rebinned(self, categorical: Sequence[int] | None = None) -> Small:
        """Bins once more, for values that have changed."""
        if categorical is None:
            categorical = np.flatnonzero(self.binning.categorical).tolist()
        self.binning = Binning(DenseTable(self.X), self.max_bins, categorical, 1)
        self.rows, self.place = self.shards(self.n_shards)
        return self

    @property
    def label(self) -> Floats:
        """+1 or -1, in the order of the engine."""
        return np.concatenate(parts_of(self.rows.label))

    def bins(self, feature: int) -> NDArray[np.uint8]:
        """The feature's bin of every row, in the order of the engine."""
        return np.concatenate(parts_of(self.rows.bins(feature)))

    def members(self, node: NodeRows) -> NDArray[np.intp]:
        """The places of a node's rows, in the order of the engine."""
        first = np.cumsum([0, *(part.n_rows for part in self.parts)])
        places = parts_of(self.rows.members(node))
        return np.concatenate([one + begin for one, begin in zip(places, first, strict=False)])

    @property
    def row_weight(self) -> Floats:
        """Weights, in the order of the engine."""
        return np.concatenate(parts_of(self.rows.row_weight))

    @property
    def row_cost(self) -> Floats:
        """Costs, in the order of the engine."""
        return np.concatenate(parts_of(self.rows.row_cost))

    def shards(self, n_shards: int, n_threads: int = 1) -> tuple[Rows, NDArray[np.intp]]:
        """The rows in so many shards, and where each row came from."""
        ends = np.linspace(0, len(self.X), n_shards + 1).round().astype(int)
        parts, places = [], []
        for a, b in pairwise(ends.tolist()):
            table = DenseTable(self.X[a:b])
            parts.append(self.binning.rows(table, self.positive[a:b], n_threads))
            places.append(a + np.argsort(1 - self.positive[a:b], kind="stable"))
        self.parts = parts
        rows = rows_of(parts, self.binning.n_bins, self.binning.categorical)
        return rows, np.concatenate(places)

    def in_order(self, values: NDArray[Any]) -> NDArray[Any]:
        return values[self.place]

    def weigh(self, scale: Floats | float = 1.0, by_cost: bool = True) -> Small:
        """Give the rows their weights (times ``scale``), and their costs."""
        weight = self.weight * scale
        weight = self.in_order(weight / weight.sum())  # in this order, for any number of shards
        rows = self.rows
        cost = rows.vector(self.in_order(self.cost)) if by_cost else None
        rows.set_row_weights(rows.vector(weight), cost)
        return self
