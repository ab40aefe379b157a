"""Whatever container the rows come in, the numbers are the same."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator

from costboost import tables
from costboost.engine.binning import Binning

NA = float("nan")


def read(X: Any) -> tables.Table:
    return tables.read(BaseEstimator(), X, reset=True)


def stack(table: tables.Table, coders: list[Any]) -> NDArray[Any]:
    """All numbers of the table, which are the same column by column and in blocks of rows."""
    columns: list[Any] = [None] * table.n_features
    for first, block in table.numbers(coders):
        for j in range(block.shape[1]):
            columns[first + j] = block[:, j]
    found = np.column_stack(columns)
    assert found.dtype.kind == "f"
    by_rows = np.full(found.shape, -99.0)
    for rows, block in table.row_blocks(coders):
        by_rows[rows] = block
    np.testing.assert_array_equal(by_rows, found)
    return found


def numbers(X: Any, categorical: Any = None, max_codes: int = 255) -> NDArray[Any]:
    table = read(X)
    flags = tables.categorical_columns(table, categorical)
    return stack(table, tables.make_coders(table, flags, max_codes))


def chunked(table: pa.Table) -> pa.Table:
    """The same table in pieces, as files are read."""
    return pa.concat_tables([table.slice(0, 2), table.slice(2, 0), table.slice(2)])


# ---- numbers -------------------------------------------------------------------------------------

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
def test_same_numbers(name: str) -> None:
    X = DENSE[name]()
    found = numbers(X)
    np.testing.assert_array_equal(found, EXPECTED)
    assert found.dtype == np.float64
    table = read(X)
    assert (table.n_rows, table.n_features) == EXPECTED.shape


@pytest.mark.parametrize("name", DENSE)
def test_same_bins(name: str) -> None:
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
def test_some_rows(name: str) -> None:
    table = read(DENSE[name]())
    nothing: list[Any] = [None] * table.n_features
    order = np.array([4, 0, 0, 2])
    np.testing.assert_array_equal(stack(table.take(order), nothing), EXPECTED[order])
    np.testing.assert_array_equal(stack(table.take(slice(1, 4)), nothing), EXPECTED[1:4])


@pytest.mark.parametrize("name", DENSE)
def test_rows_in_blocks(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "PREDICTION_CELLS", 2 * EXPECTED.shape[1])
    np.testing.assert_array_equal(numbers(DENSE[name]()), EXPECTED)


def test_single_precision_stays_so() -> None:
    x = np.array([[0.1, NA], [2.0, 3.0]], dtype=np.float32)
    found = numbers(x)
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found, x)
    frame = pd.DataFrame(x)
    np.testing.assert_array_equal(numbers(frame), x.astype(np.float64))


@pytest.mark.parametrize("dtype", ["int8", "uint64", "float16", "bool"])
def test_other_types_of_numbers(dtype: str) -> None:
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


def test_column_in_which_all_is_missing() -> None:
    columns = {"none": [None, None], "x": [1.0, 2.0]}
    for frame in (pd.DataFrame, pl.DataFrame, pa.table):
        np.testing.assert_array_equal(numbers(frame(columns)), [[NA, 1.0], [NA, 2.0]])


def test_values_that_lie_askew_in_memory() -> None:
    """Fields of a packed record are strided by something other than a multiple of their size."""
    records = np.zeros(40, dtype=[("x", np.float64, (3,)), ("id", np.int32)])
    records["x"] = np.random.default_rng(0).normal(size=(40, 3))
    expected = Binning(read(records["x"].copy()), 255, None, 1).cuts
    np.testing.assert_array_equal(Binning(read(records["x"]), 255, None, 1).cuts, expected)


# ---- sparse matrices -----------------------------------------------------------------------------

ZEROS = np.array([[0, 1.5, 0, NA], [0, 0, 0, 2], [3, 0, 0, 0], [-1, 0, 0, 1]], dtype=np.float64)


def with_explicit_zeros(kind: Callable[..., Any]) -> Any:
    full = np.ones_like(ZEROS)
    matrix = kind(full)
    rows, columns = matrix.nonzero()
    matrix = kind((ZEROS[rows, columns], (rows, columns)), shape=ZEROS.shape)
    assert matrix.nnz == ZEROS.size
    return matrix


def with_duplicates(kind: Callable[..., Any]) -> Any:
    """Every entry is there twice, as two halves, in no order."""
    base = kind(ZEROS)
    halves = type(base)(
        (
            np.concatenate([[v / 4, v * 3 / 4] for v in base.data]),
            np.repeat(base.indices, 2),
            2 * base.indptr,
        ),
        shape=base.shape,
    )
    halves.has_sorted_indices = False
    assert halves.nnz == 2 * base.nnz
    return halves


SPARSE: dict[str, Callable[[], Any]] = {
    "csr": lambda: sparse.csr_matrix(ZEROS),
    "csc": lambda: sparse.csc_matrix(ZEROS),
    "coo": lambda: sparse.coo_matrix(ZEROS),
    "csr array": lambda: sparse.csr_array(ZEROS),
    "csc array": lambda: sparse.csc_array(ZEROS),
    "csr, explicit zeros": lambda: with_explicit_zeros(sparse.csr_matrix),
    "csc, explicit zeros": lambda: with_explicit_zeros(sparse.csc_matrix),
    "csr, duplicates": lambda: with_duplicates(sparse.csr_matrix),
    "csc, duplicates": lambda: with_duplicates(sparse.csc_matrix),
    "csr, single precision": lambda: sparse.csr_matrix(ZEROS.astype(np.float32)),
}


@pytest.mark.parametrize("name", SPARSE)
def test_sparse(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "PREDICTION_CELLS", 3 * ZEROS.shape[1])
    matrix = SPARSE[name]()
    before = matrix.copy()
    np.testing.assert_array_equal(numbers(matrix), ZEROS)
    table = read(matrix)
    nothing: list[Any] = [None] * 4
    order = np.array([3, 3, 0])
    np.testing.assert_array_equal(stack(table.take(order), nothing), ZEROS[order])
    np.testing.assert_array_equal(stack(table.take(slice(1, 3)), nothing), ZEROS[1:3])
    assert matrix.nnz == before.nnz, "the caller's matrix was changed"
    np.testing.assert_array_equal(matrix.data, before.data)


@pytest.mark.parametrize("name", SPARSE)
def test_sparse_categories(name: str) -> None:
    found = numbers(SPARSE[name](), [0, 3])
    np.testing.assert_array_equal(found, numbers(ZEROS, [0, 3]))
    np.testing.assert_array_equal(found[:, 0], [1, 1, 2, 0])


# ---- categories ----------------------------------------------------------------------------------

TOWNS = ["Rome", None, "Oslo", "Bonn", "Rome", "Oslo", None]
TOWN_CODES = np.array([[2, NA, 1, 0, 2, 1, NA]]).T


def towns_in_pandas(dtype: Any) -> pd.DataFrame:
    return pd.DataFrame({"town": pd.Series(TOWNS, dtype=dtype)})


def pieces_with_other_dictionaries() -> pa.Table:
    parts = [pa.array(TOWNS[a:b]).dictionary_encode() for a, b in ((0, 2), (2, 4), (4, 7))]
    return pa.table({"town": pa.chunked_array(parts)})


def towns_with_null_in_the_dictionary() -> pa.Table:
    return pa.table({"town": pa.array(TOWNS).dictionary_encode(null_encoding="encode")})


LABELLED: dict[str, Callable[[], Any]] = {
    "pandas category": lambda: towns_in_pandas("category"),
    "pandas category in any order": lambda: towns_in_pandas(
        pd.CategoricalDtype(["Rome", "Lima", "Bonn", "Oslo"], ordered=True)
    ),
    "polars category": lambda: pl.DataFrame({"town": pl.Series(TOWNS, dtype=pl.Categorical)}),
    "polars enum": lambda: pl.DataFrame(
        {"town": pl.Series(TOWNS, dtype=pl.Enum(["Rome", "Lima", "Oslo", "Bonn"]))}
    ),
    "pyarrow dictionary": lambda: pa.table({"town": pa.array(TOWNS).dictionary_encode()}),
    "pyarrow dictionaries": pieces_with_other_dictionaries,
    "pyarrow dictionary with a null": towns_with_null_in_the_dictionary,
}
UNLABELLED: dict[str, Callable[[], Any]] = {
    "numpy objects": lambda: np.array(TOWNS, dtype=object)[:, np.newaxis],
    "pandas str": lambda: towns_in_pandas("str"),
    "pandas string": lambda: towns_in_pandas("string"),
    "pandas object": lambda: towns_in_pandas(object),
    "pandas on pyarrow": lambda: towns_in_pandas(pd.ArrowDtype(pa.string())),
    "polars string": lambda: pl.DataFrame({"town": TOWNS}),
    "pyarrow string": lambda: pa.table({"town": TOWNS}),
    "pyarrow in chunks": lambda: chunked(pa.table({"town": TOWNS})),
}


@pytest.mark.parametrize("name", [*LABELLED, *UNLABELLED])
def test_same_codes(name: str) -> None:
    """In the order of the labels, whatever the container thinks of their order."""
    X = (LABELLED | UNLABELLED)[name]()
    np.testing.assert_array_equal(numbers(X, [0]), TOWN_CODES)
    np.testing.assert_array_equal(numbers(X, [True]), TOWN_CODES)
    if name != "numpy objects":
        np.testing.assert_array_equal(numbers(X, ["town"]), TOWN_CODES)


@pytest.mark.parametrize("name", LABELLED)
def test_categories_by_type(name: str) -> None:
    np.testing.assert_array_equal(numbers(LABELLED[name](), "from_dtype"), TOWN_CODES)


@pytest.mark.parametrize("name", [n for n in UNLABELLED if n != "numpy objects"])
def test_text_is_no_category_by_itself(name: str) -> None:
    for categorical in ("from_dtype", None):
        with pytest.raises(ValueError, match="column 'town' is not numeric"):
            numbers(UNLABELLED[name](), categorical)


@pytest.mark.parametrize("seen", ["pandas category", "numpy objects", "pyarrow dictionaries"])
@pytest.mark.parametrize("name", [*LABELLED, *UNLABELLED])
def test_codes_learnt_in_one_container_hold_in_another(seen: str, name: str) -> None:
    every = LABELLED | UNLABELLED
    known = tables.make_coders(read(every[seen]()), [True], 255)
    np.testing.assert_array_equal(stack(read(every[name]()), known), TOWN_CODES)


NUMBERED: dict[str, Callable[[list[Any]], Any]] = {
    "numpy": lambda v: np.array([[NA if x is None else x] for x in v], dtype=float),
    "numpy objects": lambda v: np.array(v, dtype=object)[:, np.newaxis],
    "pandas": lambda v: pd.DataFrame({"k": v}),
    "pandas Int64": lambda v: pd.DataFrame({"k": pd.array(v, dtype="Int64")}),
    "pandas category": lambda v: pd.DataFrame({"k": pd.Categorical(v)}),
    "polars": lambda v: pl.DataFrame({"k": v}),
    "pyarrow": lambda v: pa.table({"k": v}),
    "pyarrow dictionary": lambda v: pa.table({"k": pa.array(v).dictionary_encode()}),
}


@pytest.mark.parametrize("name", NUMBERED)
def test_whole_numbers_as_categories(name: str) -> None:
    column = [30, 4, None, -1, 30, 100]
    codes = np.array([[2, 1, NA, 0, 2, 3]]).T
    np.testing.assert_array_equal(numbers(NUMBERED[name](column), [0]), codes)
    known = tables.make_coders(read(NUMBERED["numpy"](column)), [True], 255)
    np.testing.assert_array_equal(stack(read(NUMBERED[name](column)), known), codes)


def test_truth_values_as_categories() -> None:
    codes = np.array([[1, NA, 0]]).T
    for dtype in ("boolean", object, "category"):
        frame = pd.DataFrame({"b": pd.Series([True, None, False], dtype=dtype)})
        np.testing.assert_array_equal(numbers(frame, ["b"]), codes)
    columns = {"b": [True, None, False]}
    np.testing.assert_array_equal(numbers(pl.DataFrame(columns), ["b"]), codes)
    np.testing.assert_array_equal(numbers(pa.table(columns), ["b"]), codes)


@pytest.mark.parametrize("name", ["pandas category", "polars", "pyarrow", "numpy objects"])
def test_categories_never_seen_are_missing(name: str) -> None:
    coders = tables.make_coders(read(NUMBERED[name]([10, 20, None])), [True], 255)
    new = read(NUMBERED[name]([20, 99, None, 10]))
    np.testing.assert_array_equal(stack(new, coders), np.array([[1, NA, NA, 0]]).T)


def test_categories_that_no_row_has_get_no_code() -> None:
    frame = pd.DataFrame({"k": pd.Categorical(["b", "b"], categories=["a", "b", "c"])})
    coder = tables.make_coders(read(frame), [True], 255)[0]
    assert coder is not None
    assert coder.n_codes == 1
    later = frame.assign(k=pd.Categorical(["a", "b"], categories=["a", "b", "c"]))
    np.testing.assert_array_equal(stack(read(later), [coder]), [[NA], [0.0]])


def test_all_categories_missing() -> None:
    frame = pd.DataFrame({"k": pd.Categorical([None, None], categories=["a"]), "x": [1, 2]})
    np.testing.assert_array_equal(numbers(frame, "from_dtype"), [[NA, 1], [NA, 2]])
    Binning(read(frame), 255, "from_dtype", 1)


def test_rare_categories_share_the_last_code() -> None:
    """The most frequent ones have a code each; of the others nobody knows more than that."""
    column = ["d"] * 4 + ["a"] * 3 + ["c"] * 2 + ["b", "e", None]
    frame = pd.DataFrame({"k": pd.Categorical(column)})
    table = read(frame)
    coder = tables.make_coders(table, [True], 3)[0]
    assert coder is not None
    assert coder.n_codes == 3
    expected = [1] * 4 + [0] * 3 + [2] * 4 + [NA]
    np.testing.assert_array_equal(stack(table, [coder])[:, 0], expected)
    later = read(pd.DataFrame({"k": pd.Categorical(["z", "a", None, "b"])}))
    np.testing.assert_array_equal(stack(later, [coder])[:, 0], [2, 0, NA, 2])
    np.testing.assert_array_equal(
        numbers(frame, [0], 5)[:, 0], [3] * 4 + [0] * 3 + [2] * 2 + [1, 4, NA]
    )


@pytest.mark.parametrize("name", NUMBERED)
def test_equally_rare_categories_are_kept_alike_in_every_container(name: str) -> None:
    """Neither the container nor the order of the rows says which of them share the last code."""
    column = [9, 3, 7, 1, 5, 8, 2]
    expected = numbers(NUMBERED["numpy"](column), [0], 4)
    np.testing.assert_array_equal(numbers(NUMBERED[name](column), [0], 4), expected)
    np.testing.assert_array_equal(numbers(NUMBERED[name](column[::-1]), [0], 4), expected[::-1])


def test_more_categories_than_bins() -> None:
    labels = [f"town {k}" for k in range(400)]
    column = [label for k, label in enumerate(labels) for _ in range(1 + (k % 3 == 0))]
    table = read(pd.DataFrame({"k": pd.Categorical(column)}))
    binning = Binning(table, 255, "from_dtype", 1)
    assert binning.n_bins.tolist() == [255]
    rows = binning.rows(table, np.zeros(len(column), dtype=np.uint8), 1)
    counts = np.bincount(rows.column(0), minlength=256)
    assert counts[:254].min() >= 1
    assert counts[254] == len(column) - counts[:254].sum() > 100
    assert counts[255] == 0


def test_labels_of_mixed_types() -> None:
    """They cannot be sorted, but their codes do not depend on the order of the rows."""
    column = np.array(["b", 2, None, (1, 2), "a", 10, NA, 2], dtype=object)
    expected = numbers(column[:, np.newaxis], [0])
    assert np.isnan(expected[:, 0]).tolist() == [v is None or v != v for v in column]
    assert len(np.unique(expected[~np.isnan(expected)])) == 5
    order = np.random.default_rng(0).permutation(len(column))
    np.testing.assert_array_equal(numbers(column[order, np.newaxis], [0]), expected[order])


def test_numbers_and_categories_side_by_side() -> None:
    codes = np.array([[1.5, 1, 7], [NA, 0, 8], [2.5, 1, NA]])
    columns = {"x": [1.5, None, 2.5], "k": ["u", "t", "u"], "z": [7, 8, None]}
    objects = np.array([*columns.values()], dtype=object).T
    lists = [["u", 1.0], ["t", 2.0]]
    np.testing.assert_array_equal(numbers(objects, [1]), codes)
    for frame in (pd.DataFrame, pl.DataFrame, pa.table):
        np.testing.assert_array_equal(numbers(frame(columns), ["k"]), codes)
    np.testing.assert_array_equal(numbers(lists, [0]), [[1, 1], [0, 2]])
    np.testing.assert_array_equal(numbers(np.array(lists, dtype=object), [0]), [[1, 1], [0, 2]])


def test_categories_read_as_numbers_if_they_are_numbers() -> None:
    """With categorical_features=None the type of the column is not asked."""
    frame = pd.DataFrame({"k": pd.Categorical([3, 1, 3])})
    np.testing.assert_array_equal(numbers(frame, None), [[3.0], [1.0], [3.0]])
    frame = pd.DataFrame({"k": pd.Categorical([3, None, 1])})
    np.testing.assert_array_equal(numbers(frame, None), [[3.0], [NA], [1.0]])


# ---- which columns are categorical ---------------------------------------------------------------


def test_naming_columns() -> None:
    table = read(pd.DataFrame({"a": [1], "b": [2], "c": pd.Categorical(["x"])}))
    expected = {
        (): [False] * 3,
        ("b",): [False, True, False],
        ("c", "a"): [True, False, True],
        (2,): [False, False, True],
        (True, False, True): [True, False, True],
    }
    for given, flags in expected.items():
        assert tables.categorical_columns(table, list(given)) == flags
        assert tables.categorical_columns(table, np.array(given)) == flags
    assert tables.categorical_columns(table, None) == [False] * 3
    assert tables.categorical_columns(table, "from_dtype") == [False, False, True]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("auto", "'from_dtype', None, or a list of columns, got 'auto'"),
        (["a", "d"], "names column 'd', which X does not have; its columns are"),
        ([0, 3], "names column 3, but X has columns 0 to 1"),
        ([-1], "names column -1"),
        ([True], "a mask of length 1, but X has 2 columns"),
        ([[0, 1]], "one-dimensional"),
    ],
)
def test_naming_columns_that_are_not_there(given: Any, message: str) -> None:
    table = read(pd.DataFrame({"a": [1], "b": [2]}))
    with pytest.raises(ValueError, match=message):
        tables.categorical_columns(table, given)


# ---- what is refused -----------------------------------------------------------------------------

FRAMES: dict[str, Callable[[dict[str, Any]], Any]] = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "pyarrow": pa.table,
}
DAY = datetime.datetime(2024, 2, 29)
REFUSED = {
    "text": ["x", "y"],
    "datetime": [DAY, DAY],
    "date": [DAY.date(), DAY.date()],
    "duration": [DAY - DAY, DAY - DAY],
    "bytes": [b"1", b"two"],
}


@pytest.mark.parametrize("kind", REFUSED)
@pytest.mark.parametrize("name", FRAMES)
def test_messages_name_the_column(name: str, kind: str) -> None:
    frame = FRAMES[name]({"fine": [1.0, 2.0], "the bad one": REFUSED[kind]})
    with pytest.raises(ValueError, match="column 'the bad one' is not numeric") as caught:
        numbers(frame)
    assert "categorical_features" in str(caught.value)


@pytest.mark.parametrize("name", FRAMES)
@pytest.mark.parametrize("value", [np.inf, -np.inf])
def test_infinity_is_refused_by_name(name: str, value: float) -> None:
    frame = FRAMES[name]({"fine": [1.0, 2.0], "the bad one": [value, 1.0]})
    with pytest.raises(ValueError, match="column 'the bad one' contains infinity"):
        numbers(frame)


@pytest.mark.parametrize(
    "X",
    [
        np.array([[1, "x"], [2, "y"]], dtype=object),
        np.array([["1", "x"], ["2", "y"]]),
        [[1, "x"], [2, "y"]],
    ],
    ids=["objects", "strings", "list"],
)
def test_text_in_an_array_is_refused_by_number(X: Any) -> None:
    with pytest.raises(ValueError, match="column 1 is not numeric"):
        numbers(X)


def test_infinity_in_an_array_is_refused() -> None:
    for X in (
        np.array([[1.0, np.inf]]),
        np.array([[1.0, -np.inf]], dtype=np.float32),
        sparse.csr_matrix([[1.0, np.inf]]),
        np.array([[1.0, np.inf]], dtype=object),
    ):
        with pytest.raises(ValueError, match="infinity"):
            numbers(X)
    with pytest.raises(ValueError, match="column 1 contains infinity"):
        numbers(np.array([["a", np.inf]], dtype=object), [0])


def test_nothing_to_read() -> None:
    for X in (
        pd.DataFrame({"a": []}),
        pl.DataFrame({"a": []}),
        pa.table({"a": []}),
        np.empty((0, 1)),
        np.empty((3, 0)),
        pd.DataFrame(index=[1, 2]),
    ):
        with pytest.raises(ValueError, match="minimum of 1 is required"):
            read(X)
    for X in (np.zeros(3), np.zeros((2, 2, 2))):
        with pytest.raises(ValueError, match=r"Expected 2D array|dim"):
            read(X)


@pytest.mark.parametrize("name", ["pandas", "polars"])
def test_features_are_remembered(name: str) -> None:
    estimator = BaseEstimator()
    frame = FRAMES[name]({"a": [1.0], "b": [2.0]})
    tables.read(estimator, frame, reset=True)
    assert estimator.n_features_in_ == 2
    assert estimator.feature_names_in_.tolist() == ["a", "b"]
    tables.read(estimator, frame, reset=False)
    for other in ({"a": [1.0], "c": [2.0]}, {"b": [1.0], "a": [2.0]}):
        with pytest.raises(ValueError, match="feature names"):
            tables.read(estimator, FRAMES[name](other), reset=False)
    with pytest.raises(ValueError, match="feature"):
        tables.read(estimator, FRAMES[name]({"a": [1.0]}), reset=False)


def test_number_of_features_is_remembered() -> None:
    estimator = BaseEstimator()
    tables.read(estimator, np.zeros((2, 3)), reset=True)
    with pytest.raises(ValueError, match="2 features"):
        tables.read(estimator, np.zeros((2, 2)), reset=False)
