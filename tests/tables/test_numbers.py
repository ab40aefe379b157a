"""Numbers do not depend on the container of the rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from containers import NA, chunked, numbers, read, stack
from scipy import sparse

from costboost._core.engine.binning import Binning

COLUMNS: dict[str, list[Any]] = {
    "amount": [1.5, None, -2.25, 0.0, 1e10],
    "count": [3, 0, 2**40, -7, 3],
    "maybe": [1, None, 0, None, 5],
    "flag": [True, False, True, True, False],
    "perhaps": [None, False, True, None, True],
}
EXPECTED = np.array(
    [[NA if v is None else float(v) for v in column] for column in COLUMNS.values()]
).T

DENSE: dict[str, Callable[[], Any]] = {
    "numpy": lambda: EXPECTED,
    "numpy by columns": lambda: np.asfortranarray(EXPECTED),
    "numpy apart": lambda: np.repeat(EXPECTED, 3, axis=0)[::3],
    "numpy objects": lambda: np.array([*COLUMNS.values()], dtype=object).T,
    "numpy of the other byte order": lambda: EXPECTED.astype(EXPECTED.dtype.newbyteorder()),
    "list": lambda: EXPECTED.tolist(),
    "pandas": lambda: pd.DataFrame(EXPECTED),
    "pandas of its own types": lambda: pd.DataFrame(COLUMNS),
    "pandas of objects": lambda: pd.DataFrame(COLUMNS, dtype=object),
    "pandas nullable": lambda: pd.DataFrame(
        {
            "amount": pd.array(COLUMNS["amount"], dtype="Float64"),
            "count": pd.array(COLUMNS["count"], dtype="Int64"),
            "maybe": pd.array(COLUMNS["maybe"], dtype="Int64"),
            "flag": pd.array(COLUMNS["flag"], dtype="boolean"),
            "perhaps": pd.array(COLUMNS["perhaps"], dtype="boolean"),
        }
    ),
    "pandas on pyarrow": lambda: pd.DataFrame(COLUMNS).convert_dtypes(dtype_backend="pyarrow"),
    "pandas with any index": lambda: pd.DataFrame(COLUMNS, index=[5, 5, "x", 1.5, None]),
    "polars": lambda: pl.DataFrame(COLUMNS),
    "polars in chunks": lambda: pl.concat(
        [pl.DataFrame(COLUMNS)[:2], pl.DataFrame(COLUMNS)[2:]], rechunk=False
    ),
    "pyarrow": lambda: pa.table(COLUMNS),
    "pyarrow in chunks": lambda: chunked(pa.table(COLUMNS)),
}


@pytest.mark.parametrize("name", DENSE)
def test_every_container_gives_the_same_numbers(name: str) -> None:
    X = DENSE[name]()
    found = numbers(X)
    np.testing.assert_array_equal(found, EXPECTED)
    assert found.dtype == np.float64
    table = read(X)
    assert (table.n_rows, table.n_features) == EXPECTED.shape


@pytest.mark.parametrize("name", DENSE)
def test_every_container_gives_the_same_bins(name: str) -> None:
    positive = np.array([1, 0, 0, 1, 0], dtype=np.uint8)
    binning = Binning(read(EXPECTED), 255, None, 1)
    other = Binning(read(DENSE[name]()), 255, "from_dtype", 1)
    np.testing.assert_array_equal(other.cuts, binning.cuts)
    np.testing.assert_array_equal(other.n_bins, binning.n_bins)
    expected = binning.rows(read(EXPECTED), positive, 1)
    found = other.rows(read(DENSE[name]()), positive, 1)
    for j in range(EXPECTED.shape[1]):
        np.testing.assert_array_equal(found.column(j), expected.column(j))


@pytest.mark.parametrize("name", DENSE)
def test_some_rows_are_those_rows_of_the_numbers(name: str) -> None:
    table = read(DENSE[name]())
    nothing: list[Any] = [None] * table.n_features
    order = np.array([4, 0, 0, 2])
    np.testing.assert_array_equal(stack(table.take(order), nothing), EXPECTED[order])
    np.testing.assert_array_equal(stack(table.take(slice(1, 4)), nothing), EXPECTED[1:4])


@pytest.mark.parametrize("name", DENSE)
def test_blocks_of_rows_leave_no_row_out(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("costboost._core.tables.table.PREDICTION_CELLS", 2 * EXPECTED.shape[1])
    np.testing.assert_array_equal(numbers(DENSE[name]()), EXPECTED)


def test_single_precision_is_kept() -> None:
    x = np.array([[0.1, NA], [2.0, 3.0]], dtype=np.float32)
    found = numbers(x)
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found, x)
    frame = pd.DataFrame(x)
    np.testing.assert_array_equal(numbers(frame), x.astype(np.float64))


@pytest.mark.parametrize("make", [np.asarray, pd.DataFrame, sparse.csr_matrix])
def test_numbers_whose_sum_overflows_are_read(make: Any) -> None:
    x = np.array([[1.7e308, -1.7e308], [1.7e308, -1.7e308], [0.0, 1.0]])
    table = read(make(x))
    table.refuse_missing("there are none")
    np.testing.assert_array_equal(stack(table, [None, None]), x)


@pytest.mark.parametrize("dtype", ["int8", "uint64", "float16", "bool"])
def test_numbers_of_every_width_are_read(dtype: str) -> None:
    x = np.array([[1, 0], [0, 1], [1, 1]], dtype=dtype)
    names = ["a", "b"]
    arrow = pa.table(dict(zip(names, x.T, strict=True)))
    frames = [x, pd.DataFrame(x, columns=names), arrow]
    if dtype != "float16":
        frames.append(pl.DataFrame(x, schema=names))
    for frame in frames:
        np.testing.assert_array_equal(numbers(frame), x.astype(np.float64))


def test_whole_numbers_beyond_double_precision_are_rounded() -> None:
    column = [2**53 + 1, 1, 2]
    expected = np.array(column, dtype=np.float64)[:, np.newaxis]
    for frame in (pd.DataFrame, pl.DataFrame, pa.table):
        np.testing.assert_array_equal(numbers(frame({"id": column})), expected)


def test_a_column_of_nothing_is_all_missing() -> None:
    columns = {"none": [None, None], "x": [1.0, 2.0]}
    for frame in (pd.DataFrame, pl.DataFrame, pa.table):
        np.testing.assert_array_equal(numbers(frame(columns)), [[NA, 1.0], [NA, 2.0]])


def test_unaligned_values_are_read_correctly() -> None:
    """Fields of a packed record are strided by something other than a multiple of their size."""
    records = np.zeros(40, dtype=[("x", np.float64, (3,)), ("id", np.int32)])
    records["x"] = np.random.default_rng(0).normal(size=(40, 3))
    expected = Binning(read(records["x"].copy()), 255, None, 1).cuts
    np.testing.assert_array_equal(Binning(read(records["x"]), 255, None, 1).cuts, expected)
