"""Cuts and category codes, and the rows of a fit binned by them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from costboost._core.caching import cached_property
from costboost._core.engine import _kernels
from costboost._core.engine._kernels import BinnedRows, Split, Splits
from costboost._core.engine.ensemble import Tests
from costboost._core.engine.node import Node
from costboost._core.tables import Coder, Table, categorical_columns, make_coders

SAMPLE_ROWS = 65_536
"""Quantile cuts come from about so many rows, chosen by row number."""
CELLS_AT_A_TIME, MOST_COLUMNS = 2**26, 4096
"""Columns are binned so many at a time: in between, Ctrl-C is heard."""


class Binning:
    """The bins of every feature.

    A feature with at most ``max_bins`` distinct values has a cut at every midpoint, however many
    rows there are; any other is cut at quantiles. With ``copies``, rows that each row stands for,
    these are the quantiles of the rows written so often.
    """

    def __init__(
        self,
        table: Table,
        max_bins: int,
        categorical_features: object,
        n_threads: int,
        copies: NDArray[np.int64] | None = None,
    ) -> None:
        self.n_features = table.n_features
        flags = categorical_columns(table, categorical_features)
        self.categorical = np.array(flags, dtype=np.uint8)
        self.coders: list[Coder | None] = make_coders(table, flags, max_bins, copies)
        self.cuts = np.full((self.n_features, max_bins - 1), np.inf)
        self.n_cuts = np.zeros(self.n_features, dtype=np.int32)
        sample = None
        if table.n_rows > SAMPLE_ROWS:
            sample = _kernels.sample_rows(0, table.n_rows, table.n_rows, SAMPLE_ROWS)
        for features, block in _columns(table, self.coders, n_threads):
            coder = self.coders[features.start]
            if coder is not None:
                self.n_cuts[features] = max(coder.n_codes - 1, 0)
                continue
            cuts, n_cuts = _kernels.find_cuts(block, sample, max_bins, n_threads, copies)
            self.cuts[features], self.n_cuts[features] = cuts[:, : max_bins - 1], n_cuts

    @classmethod
    def of_parts(
        cls,
        categorical: NDArray[np.uint8],
        coders: list[Coder | None],
        cuts: NDArray[np.float64],
        n_cuts: NDArray[np.int32],
    ) -> Binning:
        """Bins with given cuts and codes."""
        binning = cls.__new__(cls)
        binning.n_features = len(coders)
        binning.categorical, binning.coders = categorical, coders
        binning.cuts, binning.n_cuts = cuts, n_cuts
        return binning

    @property
    def n_bins(self) -> NDArray[np.int32]:
        return self.n_cuts + np.int32(1)

    def rows(self, table: Table, positive: NDArray[np.uint8], n_threads: int) -> BinnedRows:
        """The table's rows, binned, positives first."""
        rows = BinnedRows(table.n_rows, int(positive.sum()), self.n_features, n_threads)
        for features, block in _columns(table, self.coders, n_threads):
            cuts = np.full((block.shape[1], _kernels.BINS - 1), np.inf)
            cuts[:, : self.cuts.shape[1]] = self.cuts[features]
            of_block = self.n_cuts[features], self.categorical[features]
            rows.fill(block, cuts, *of_block, positive, features.start)
        return rows

    def tests(self, parts: Sequence[Splits]) -> Tests:
        """Splits of bins, one part behind the other, as tests of raw values."""
        feature, bin_, missing_left = (
            np.concatenate([getattr(splits, name) for splits in parts])
            for name in ("feature", "bin", "missing_left")
        )
        coded = np.array([coder is not None for coder in self.coders])[feature]
        left = np.empty((0, _kernels.BINS), dtype=np.uint8)
        if coded.any():  # 256 bytes of each split, which others are not described by
            left = np.concatenate([splits.left for splits in parts])[coded]
        return Tests(
            feature,
            np.where(coded, np.nan, self.cuts[feature, np.where(coded, 0, bin_)]),
            missing_left,
            np.where(coded, np.cumsum(coded) - 1, -1).astype(np.int32),
            left,
        )

    def between(
        self, feature: int, begin: int, middle: int, end: int, left: int, gain: float = 0.0
    ) -> Node:
        """A test that sends the bins begin, ..., middle - 1 left and others right.

        Where ``middle`` is ``end``, it separates missing values from present ones.
        """
        if self.coders[feature] is not None:
            codes = np.arange(_kernels.BINS)
            goes_left = ((codes >= begin) & (codes < middle)).astype(np.uint8)
            return Node(feature, np.nan, left, False, goes_left, 0.0, gain)
        threshold = np.inf if middle == end else self.cuts.item(feature, middle - 1)
        return Node(feature, threshold, left, False, None, 0.0, gain)

    def split(self, node: Node, polarity: int = 1) -> Split:
        """A test of raw values as a split of these bins."""
        if node.feature < 0:
            return Split(polarity=polarity)
        if node.goes_left is not None:
            return Split(node.feature, 0, polarity, node.missing_left, node.goes_left)
        cuts = self.cuts[node.feature, : self.n_cuts[node.feature]]
        k = int(np.searchsorted(cuts, node.threshold))
        if k == cuts.size or cuts[k] != node.threshold:
            raise ValueError(
                "warm_start continues a fit on the same data, but the earlier model has a "
                f"threshold of {node.threshold} on feature {node.feature} that these data do not "
                "give; refit with warm_start=False"
            )
        left = np.arange(_kernels.BINS) <= k
        left[_kernels.MISSING] = node.missing_left
        return Split(node.feature, k, polarity, node.missing_left, left)


def _columns(
    table: Table, coders: Sequence[Coder | None], n_threads: int
) -> Iterator[tuple[slice, NDArray[Any]]]:
    """The columns as numbers, several at a time: which ones, and their values."""
    most = min(MOST_COLUMNS, CELLS_AT_A_TIME // max(table.n_rows, 1))
    step = max(most // 64 * 64, 16 * n_threads)
    for first, block in table.numbers(coders):
        for begin in range(0, block.shape[1], step):
            part = block[:, begin : begin + step]
            yield slice(first + begin, first + begin + part.shape[1]), part


# ---- the rows of a fit, binned once, and subsets of them -----------------------------------------


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
        same = positive is self.positive or np.array_equal(positive, self.positive)
        if rows is None and same:
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
