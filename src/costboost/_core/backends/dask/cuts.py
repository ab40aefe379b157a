"""Cuts of the features of rows on the workers: those that the same rows have on one machine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from costboost._core.engine import _kernels
from costboost._core.engine.binning import SAMPLE_ROWS, Binning
from costboost._core.tables import Table, categorical_columns, make_coders

if TYPE_CHECKING:
    from costboost._core.backends.dask.table import RemoteTable

CUT_CELLS = 2**25
"""Values of sampled rows that the driver holds at a time when it searches for cuts."""
CHUNK = 2**17
"""Rows of which the distinct values are found at a time."""
FIRST_ROWS = 2**12
"""Rows of which they are found first: enough for most features that have many values."""


def find_bins(
    table: RemoteTable,
    max_bins: int,
    categorical_features: Any,
    n_threads: int,
    copies: NDArray[np.int64] | None,
) -> Binning:
    """The bins that the same rows have on one machine."""
    flags = categorical_columns(table, categorical_features)
    coders = make_coders(table, flags, max_bins, copies)
    cuts = np.full((table.n_features, max_bins - 1), np.inf)
    n_cuts = np.zeros(table.n_features, dtype=np.int32)
    for j, coder in enumerate(coders):
        if coder is not None:
            n_cuts[j] = max(coder.n_codes - 1, 0)
    numeric = np.flatnonzero(~np.array(flags))
    sample = None
    if table.n_rows > SAMPLE_ROWS:
        sample = _kernels.sample_rows(0, table.n_rows, table.n_rows, SAMPLE_ROWS)
    sampled = table if sample is None else table.take(sample)
    if copies is not None:
        copies = copies if sample is None else copies[sample]
    width = max(1, CUT_CELLS // sampled.n_rows)
    for begin in range(0, numeric.size, width):
        some = numeric[begin : begin + width]
        block = sampled.mapped(read_columns, some)
        found = _cuts(table, block.T, some, max_bins, sample is not None, copies, n_threads)
        cuts[some], n_cuts[some] = found[0][:, : max_bins - 1], found[1]
    return Binning.of_parts(np.array(flags, dtype=np.uint8), coders, cuts, n_cuts)


def _cuts(
    table: RemoteTable,
    block: NDArray[np.float64],
    features: NDArray[np.intp],
    max_bins: int,
    is_sample: bool,
    copies: NDArray[np.int64] | None,
    n_threads: int,
) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    """Cuts from all rows or, if there are many, from a sample and the values of all rows.

    Features of few cuts may have further values, or missing ones, outside the sample: these
    are put behind it.
    """
    cuts, n_cuts = _kernels.find_cuts(block, None, max_bins, n_threads, copies)
    few = np.flatnonzero(n_cuts < max_bins - 1)
    if not is_sample or not few.size:
        return cuts, n_cuts
    found = zip(*table.each(distinct_values, features[few], max_bins), strict=True)
    values = [np.unique(np.concatenate(parts)) for parts in found]
    longest = max(one.size for one in values)
    extra = np.column_stack([np.resize(one, longest) for one in values])
    if copies is not None:
        copies = np.concatenate([copies, np.ones(longest, dtype=np.int64)])
    joined = np.concatenate([block[:, few], extra])
    sample = np.arange(len(block))
    cuts[few], n_cuts[few] = _kernels.find_cuts(joined, sample, max_bins, n_threads, copies)
    return cuts, n_cuts


def read_columns(table: Table, features: NDArray[np.intp]) -> NDArray[np.float64]:
    """Some columns as floats: an array of shape (n_columns, n_rows)."""
    block = np.empty((features.size, table.n_rows))
    for k, j in enumerate(features.tolist()):
        block[k] = table.column(j)
    return block


def distinct_values(table: Table, features: NDArray[np.intp], most: int) -> list[Any]:
    """Distinct values of each feature, and NaN if some are missing.

    Of a feature with more than ``most`` values, more than so many of them.
    """
    return [_distinct(table.column(j), most) for j in features.tolist()]


def _distinct(values: NDArray[Any], most: int) -> NDArray[np.float64]:
    known, begin, end = np.empty(0), 0, FIRST_ROWS
    while begin < values.size and known.size <= most:
        part = np.asarray(values[begin:end], dtype=np.float64) + 0.0  # -0.0 is 0.0
        known = np.unique(np.concatenate([known, part[~np.isnan(part)]]))
        begin, end = end, end + CHUNK
    return np.append(known, np.nan) if np.isnan(values).any() else known
