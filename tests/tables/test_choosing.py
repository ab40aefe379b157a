"""The parameter `categorical_features`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from containers import read

from costboost._core import tables


def test_columns_are_named_by_label_place_or_mask() -> None:
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
def test_columns_that_are_not_there_are_refused(given: Any, message: str) -> None:
    table = read(pd.DataFrame({"a": [1], "b": [2]}))
    with pytest.raises(ValueError, match=message):
        tables.categorical_columns(table, given)
