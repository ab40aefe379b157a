"""Codes of categories do not depend on the container of the labels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from containers import NA, NUMBERED, chunked, numbers, read, stack

from costboost._core import tables
from costboost._core.engine.binning import Binning

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
def test_every_container_gives_the_same_codes(name: str) -> None:
    """Codes follow the sorted labels, not the order of categories in the container."""
    X = (LABELLED | UNLABELLED)[name]()
    np.testing.assert_array_equal(numbers(X, [0]), TOWN_CODES)
    np.testing.assert_array_equal(numbers(X, [True]), TOWN_CODES)
    if name != "numpy objects":
        np.testing.assert_array_equal(numbers(X, ["town"]), TOWN_CODES)


@pytest.mark.parametrize("name", LABELLED)
def test_a_categorical_type_is_enough(name: str) -> None:
    np.testing.assert_array_equal(numbers(LABELLED[name](), "from_dtype"), TOWN_CODES)


@pytest.mark.parametrize("name", UNLABELLED)
def test_text_is_enough(name: str) -> None:
    np.testing.assert_array_equal(numbers(UNLABELLED[name](), "from_dtype"), TOWN_CODES)


@pytest.mark.parametrize("name", UNLABELLED)
def test_text_that_is_to_be_a_number_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match=r"column .* is not numeric .*'from_dtype' takes text"):
        numbers(UNLABELLED[name](), None)


@pytest.mark.parametrize("seen", ["pandas category", "numpy objects", "pyarrow dictionaries"])
@pytest.mark.parametrize("name", [*LABELLED, *UNLABELLED])
def test_codes_learnt_in_one_container_hold_in_another(seen: str, name: str) -> None:
    every = LABELLED | UNLABELLED
    known = tables.make_coders(read(every[seen]()), [True], 255)
    np.testing.assert_array_equal(stack(read(every[name]()), known), TOWN_CODES)


@pytest.mark.parametrize("name", NUMBERED)
def test_whole_numbers_can_be_categories(name: str) -> None:
    column = [30, 4, None, -1, 30, 100]
    codes = np.array([[2, 1, NA, 0, 2, 3]]).T
    np.testing.assert_array_equal(numbers(NUMBERED[name](column), [0]), codes)
    known = tables.make_coders(read(NUMBERED["numpy"](column)), [True], 255)
    np.testing.assert_array_equal(stack(read(NUMBERED[name](column)), known), codes)


def test_truth_values_can_be_categories() -> None:
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


def test_a_category_that_is_always_missing_is_missing() -> None:
    frame = pd.DataFrame({"k": pd.Categorical([None, None], categories=["a"]), "x": [1, 2]})
    np.testing.assert_array_equal(numbers(frame, "from_dtype"), [[NA, 1], [NA, 2]])
    Binning(read(frame), 255, "from_dtype", 1)


def test_rare_categories_share_the_last_code() -> None:
    """The most frequent categories have a code each, all others share the last one."""
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
    """Which categories share the last code depends neither on the container nor on row order."""
    column = [9, 3, 7, 1, 5, 8, 2]
    expected = numbers(NUMBERED["numpy"](column), [0], 4)
    np.testing.assert_array_equal(numbers(NUMBERED[name](column), [0], 4), expected)
    np.testing.assert_array_equal(numbers(NUMBERED[name](column[::-1]), [0], 4), expected[::-1])


def test_more_categories_than_bins_share_the_last_bin() -> None:
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


def test_codes_of_mixed_types_do_not_depend_on_the_order_of_rows() -> None:
    """Labels that cannot be sorted have codes that do not depend on the order of the rows."""
    column = np.array(["b", 2, None, (1, 2), "a", 10, NA, 2], dtype=object)
    expected = numbers(column[:, np.newaxis], [0])
    assert np.isnan(expected[:, 0]).tolist() == [v is None or v != v for v in column]
    assert len(np.unique(expected[~np.isnan(expected)])) == 5
    order = np.random.default_rng(0).permutation(len(column))
    np.testing.assert_array_equal(numbers(column[order, np.newaxis], [0]), expected[order])


def test_numbers_and_categories_stand_side_by_side() -> None:
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
    """With categorical_features=None the type of the column is ignored."""
    frame = pd.DataFrame({"k": pd.Categorical([3, 1, 3])})
    np.testing.assert_array_equal(numbers(frame, None), [[3.0], [1.0], [3.0]])
    frame = pd.DataFrame({"k": pd.Categorical([3, None, 1])})
    np.testing.assert_array_equal(numbers(frame, None), [[3.0], [NA], [1.0]])
