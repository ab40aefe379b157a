"""Text is categorical by default, text next to numbers is refused, free text is warned of."""

from __future__ import annotations

import datetime
import warnings
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from containers import NA, numbers, read
from hypothesis import given, settings
from hypothesis import strategies as st

from costboost._core import tables


def objects(column: list[Any]) -> dict[str, Any]:
    """A column of objects in every container that has them."""
    array = np.empty((len(column), 1), dtype=object)
    array[:, 0] = column
    return {
        "numpy": array,
        "list": [[value] for value in column],
        "pandas": pd.DataFrame({0: pd.Series(column, dtype=object)}),
        "polars": pl.DataFrame({"0": pl.Series(column, dtype=pl.Object)}),
    }


CONTAINERS = tuple(objects([]))


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("number", [1, 2.5, True, np.int64(3), Decimal("1.5"), np.bool_(True)])
def test_text_next_to_numbers_is_refused(number: Any, container: str) -> None:
    X = objects(["Rome", None, number, "Oslo"])[container]
    with pytest.raises(ValueError, match=r"column '?0'? holds text and numbers") as caught:
        numbers(X, "from_dtype")
    assert "'Rome'" in str(caught.value)
    assert repr(number) in str(caught.value)
    assert "astype(str)" in str(caught.value)
    assert np.isfinite(numbers(X, [0])).sum() == 3


@pytest.mark.parametrize("container", ["numpy", "list", "pandas"])
def test_objects_that_are_numbers_are_numbers(container: str) -> None:
    X = objects([3, 2.5, True, NA, None, np.float32(7)])[container]
    np.testing.assert_array_equal(numbers(X, "from_dtype")[:, 0], [3, 2.5, 1, NA, NA, 7])


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("other", [datetime.date(2024, 2, 29), b"x"], ids=["date", "bytes"])
def test_text_next_to_other_things_is_refused(other: Any, container: str) -> None:
    with pytest.raises((ValueError, TypeError), match=r"not numeric|must be a string"):
        numbers(objects(["Rome", other])[container], "from_dtype")


@pytest.mark.parametrize("missing", [None, NA, pd.NA, pd.NaT])
def test_missing_text_is_missing(missing: Any) -> None:
    for name in ("numpy", "pandas"):
        found = numbers(objects(["b", missing, "a"])[name], "from_dtype")
        np.testing.assert_array_equal(found[:, 0], [1, NA, 0])


def test_numbers_written_as_text_are_categories() -> None:
    for X in objects(["10", "9", "10"]).values():
        np.testing.assert_array_equal(numbers(X, "from_dtype")[:, 0], [0, 1, 0])
    np.testing.assert_array_equal(numbers(pa.table({"k": ["10", "9"]}), "from_dtype"), [[0], [1]])


def test_numbers_that_numpy_turned_into_text_are_numbers() -> None:
    """NumPy turns numbers next to text into text; columns that are all numbers are read as such."""
    np.testing.assert_array_equal(numbers(np.array([["1", "2"]]), "from_dtype"), [[1, 2]])
    with pytest.raises(ValueError, match="column 1 is not numeric"):
        numbers(np.array([[1, "Rome"]]), "from_dtype")


@settings(deadline=None, max_examples=50)
@given(
    st.lists(st.sampled_from(["a", "b", "B", "ä", "", " ", "10", "9", None]), min_size=1),
    st.randoms(),
)
def test_codes_do_not_depend_on_the_order_of_rows(column: list[Any], random: Any) -> None:
    order = list(range(len(column)))
    random.shuffle(order)
    expected = numbers(objects(column)["numpy"], "from_dtype")[order]
    shuffled = [column[k] for k in order]
    frames = (
        pd.DataFrame({"k": pd.Series(shuffled, dtype="str")}),
        pl.DataFrame({"k": pl.Series(shuffled, dtype=pl.String)}),
        pa.table({"k": pa.array(shuffled, pa.string())}),
    )
    for X in (*objects(shuffled).values(), *frames):
        np.testing.assert_array_equal(numbers(X, "from_dtype"), expected)


def test_some_rows_are_what_all_rows_are() -> None:
    """A column of text stays one in a fold that has no text in it."""
    frame = pd.DataFrame({"k": pd.Series([None, None, "a"], dtype=object)})
    for X in (frame, frame.to_numpy()):
        part = read(X).take(np.array([0, 1]))
        assert part.is_categorical(0)
        assert part.take(slice(0, 1)).is_categorical(0)


def test_text_of_pandas_dictionaries_of_arrow() -> None:
    dtype = pd.ArrowDtype(pa.dictionary(pa.int8(), pa.string()))
    frame = pd.DataFrame({"k": pd.Series(["b", None, "a"], dtype=dtype)})
    np.testing.assert_array_equal(numbers(frame, "from_dtype")[:, 0], [1, NA, 0])


# ---- warnings ------------------------------------------------------------------------------------


def warned(column: list[Any], categorical: Any = "from_dtype", max_codes: int = 255) -> list[str]:
    found = []
    for X in (pd.DataFrame({"k": column}), pl.DataFrame({"k": column}), pa.table({"k": column})):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            tables.warn_of_text(read(X), categorical, max_codes)
        found.append([str(one.message) for one in caught])
    assert found[0] == found[1] == found[2]
    assert len(found[0]) <= 1
    return found[0]


IDS = [f"customer {k}" for k in range(60)]


def test_free_text_is_noticed() -> None:
    (message,) = warned(IDS)
    assert "column 'k' is text with 60 distinct values in 60 rows" in message
    assert "drop it" in message
    assert warned([*IDS, None, "customer 0"])
    assert not warned(IDS * 2)
    assert not warned(IDS[:50])
    assert not warned(IDS, ["k"])
    assert not warned(IDS, None)


def test_numbers_in_text_are_noticed() -> None:
    (message,) = warned([f"{k / 2}" for k in range(30)] * 9)
    assert "all its values are numbers, such as '0.0'" in message
    assert not warned([str(k) for k in range(20)] * 9)
    assert not warned([*map(str, range(30)), "x"] * 9)


def test_more_text_than_bins_is_noticed() -> None:
    (message,) = warned(["a", "b", "c", "d"], max_codes=3)
    assert "4 distinct values, of which the 2 most frequent" in message
    assert "max_bins=3" in message
    assert not warned(["a", "b", "c"], max_codes=3)


def test_categorical_types_and_named_columns_are_not_warned_of() -> None:
    tables.warn_of_text(read(pd.DataFrame({"k": pd.Categorical(IDS)})), "from_dtype", 5)
