"""The table does not depend on how a source writes its values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from costboost_lab.datasets import loading, records


@pytest.mark.parametrize(
    "column", [[1, 2, 3], [1.0, 2.0, 3.0], ["1", "2.0", "3"], pd.Categorical(["1", "2", "3"])]
)
def test_whole_numbers(column: Any) -> None:
    found = loading.numbers(pd.Series(column))
    assert found.dtype == "int64"
    assert found.tolist() == [1, 2, 3]


@pytest.mark.parametrize(
    "column", [[1, None, 2.5], ["1", None, "2.5"], pd.Categorical(["1", None, "2.5"])]
)
def test_other_numbers(column: Any) -> None:
    found = loading.numbers(pd.Series(column))
    assert found.dtype == "float64"
    np.testing.assert_array_equal(found, [1, np.nan, 2.5])


def test_a_column_without_a_value_is_numeric() -> None:
    assert loading.numbers(pd.Series([None, None], dtype="category")).isna().all()


def test_text_is_no_number() -> None:
    with pytest.raises(ValueError, match="big"):
        loading.numbers(pd.Series(["1", "big"]))


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        (["b", " a", None], ["a", "b"]),
        (pd.Categorical(["b", "a"], ["z", "b", "a"]), ["a", "b"]),
        ([10, 9, 10], [9, 10]),
        ([10.0, 9.0, None], [9, 10]),
        (["10", "9"], [9, 10]),
        (["A1", "1"], ["1", "A1"]),
    ],
)
def test_categories(column: Any, expected: list[Any]) -> None:
    found = loading.categories(pd.Series(column))
    assert list(found.cat.categories) == expected
    assert not found.cat.ordered


def test_a_category_keeps_its_rows() -> None:
    found = loading.categories(pd.Series(["b", "a", None, "b"]))
    assert found.tolist()[:2] == ["b", "a"]
    assert found.isna().tolist() == [False, False, True, False]


@pytest.mark.parametrize("column", [[0, 1, 1], [0.0, 1.0, 1.0], ["0", "1", "1.0"]])
def test_labels_are_those_of_the_record(column: Any) -> None:
    found = loading.labels(records.record("pima"), pd.Series(column), "here")
    assert found.dtype == np.int64
    assert found.tolist() == [0, 1, 1]


@pytest.mark.parametrize(
    ("column", "message"),
    [(["0", "2"], "unknown label '2'"), (["0", None], "rows without a label")],
)
def test_other_labels_are_refused(column: Any, message: str) -> None:
    with pytest.raises(ValueError, match=f"here is not 'pima': it has .*{message}"):
        loading.labels(records.record("pima"), pd.Series(column), "here")


def test_a_column_that_is_not_there() -> None:
    with pytest.raises(ValueError, match="here is not 'pima': it has no column 'preg'"):
        loading.tidy(records.record("pima"), pd.DataFrame({"target": [1]}), "here")
