"""Findings of `inspect_table` and `inspect_costs`, for every kind of table and of bad input."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from inspection.cases import BAD, COLUMNS, FOUND, N

from costboost import Costs
from costboost.inspection import ColumnInspection, TableInspection, inspect_costs, inspect_table

MAKERS = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}


def codes(found: ColumnInspection) -> list[str]:
    return [finding.code for finding in found.findings]


@pytest.mark.parametrize("library", MAKERS)
def test_findings(library: str) -> None:
    found = inspect_table(MAKERS[library](COLUMNS), "y")
    assert {one.name: codes(one) for one in found.columns} == FOUND
    assert found.classes == {"no": 320, "yes": 80}
    assert found.n_rows == N
    assert found["void"].n_missing == N
    assert found["void"].n_distinct == 0
    assert found["paid"].n_missing == 320
    assert found["city"].n_distinct == 3
    assert found["city"].kind == "category"
    assert found["plain"].kind == "number"
    with pytest.raises(KeyError, match="y"):
        _ = found["y"]


@pytest.mark.parametrize("library", MAKERS)
def test_long_numbers_are_identifiers(library: str) -> None:
    """Near 2^60, 8,000 of them are 32 different floats."""
    ids = 2**60 + np.random.default_rng(0).permutation(8000)
    found = inspect_table(MAKERS[library]({"account": ids, "x": np.arange(8000) % 7}))
    assert found["account"].n_distinct == 8000
    assert codes(found["account"]) == ["identifier"]
    assert "which features round" in found["account"].findings[0].message
    assert codes(found["x"]) == []


def test_advice_on_dates_is_not_what_they_are() -> None:
    days = pd.date_range("2024-01-01", periods=300)
    forms = {"iso": days.strftime("%Y-%m-%d"), "other": days.strftime("%d.%m.%Y")}
    found = inspect_table(pd.DataFrame({name: list(text) for name, text in forms.items()}))
    assert codes(found["iso"]) == codes(found["other"]) == ["dates_as_text"]
    advice = {name: found[name].findings[0].advice for name in forms}
    assert "2024-12-31" not in advice["iso"]
    assert "2024-12-31" in advice["other"]
    assert all("days since a date" in text for text in advice.values())


def test_labels_may_be_given_apart() -> None:
    frame = pd.DataFrame(COLUMNS)
    found = inspect_table(frame.drop(columns="y"), frame["y"])
    assert {one.name: codes(one) for one in found.columns} == FOUND
    assert found.target is None
    assert found.columns == inspect_table(frame, "y").columns


def test_without_a_target_there_are_no_leaks() -> None:
    found = inspect_table(pd.DataFrame(COLUMNS).drop(columns="y"))
    without = {k: [c for c in v if c != "determines_target"] for k, v in FOUND.items()}
    assert {one.name: codes(one) for one in found.columns} == without


def test_named_categories_are_not_expected_to_be_numbers() -> None:
    found = inspect_table(pd.DataFrame(COLUMNS), "y", categorical=["digits", "row"])
    assert codes(found["digits"]) == []
    assert found["row"].kind == "category"
    assert codes(inspect_table(pd.DataFrame(COLUMNS), categorical="digits")["digits"]) == []


def test_kinds() -> None:
    moments = pd.to_datetime(["2024-03-01", "2024-03-02"] * 10)
    frame = pa.table(
        {
            "number": pa.array([1.5, np.nan] * 10),
            "flag": pa.array([True, None] * 10),
            "category": pa.array(["a", "b"] * 10).dictionary_encode(),
            "time": pa.array(moments),
            "instant": pa.array(moments, pa.timestamp("us", "UTC")),
            "clock": pa.array([1, 2] * 10, pa.time32("s")),
            "lists": pa.array([[1], [2]] * 10),
        }
    )
    found = inspect_table(frame)
    kinds = ["number", "category", "category", "time", "instant", "clock", "unsupported"]
    assert [one.kind for one in found.columns] == kinds
    assert found["number"].n_missing == 10, "NaN is missing"
    assert found["flag"].n_missing == 10
    assert codes(found["lists"]) == ["unsupported"]


def test_rows_without_a_label_are_left_out() -> None:
    frame = pd.DataFrame({"x": range(30), "y": ["a", "b", None] * 10})
    found = inspect_table(frame, "y")
    assert found.n_rows == 20
    assert found.classes == {"a": 10, "b": 10}


def test_several_classes() -> None:
    kind = ["cat", "dog", "lynx"] * 40
    frame = pd.DataFrame({"leak": [len(one) + (one == "dog") for one in kind], "kind": kind})
    assert codes(inspect_table(frame, "kind")["leak"]) == []
    frame["leak"] = frame["kind"].map({"cat": 1.5, "dog": 2.5, "lynx": 2.0})
    assert codes(inspect_table(frame, "kind")["leak"]) == ["determines_target"]


def test_shown_and_as_a_frame() -> None:
    found = inspect_table(pd.DataFrame(COLUMNS), "y")
    shown = repr(found)
    assert shown.startswith("400 rows, 17 columns, target 'y' (no: 320, yes: 80)\ncolumn")
    assert "column 'void' is empty" in shown
    assert len(found.findings) == 15
    frame = found.to_frame()
    assert list(frame.columns) == ["kind", "n_distinct", "n_missing", "findings"]
    assert frame.loc["age", "findings"] == "missing_codes"
    assert frame.loc["paid", "n_missing"] == 320


BAD_INPUT: dict[str, tuple[Any, Any, str]] = {
    "array": (np.ones((3, 2)), None, "table must be a pandas or polars DataFrame"),
    "lazy": (pl.LazyFrame({"a": [1]}), None, "collect"),
    "no rows": (pd.DataFrame({"a": []}), None, "0 rows and 1 columns"),
    "no columns": (pd.DataFrame(index=[1, 2]), None, "2 rows and 0 columns"),
    "twice": (pd.DataFrame([[1, 2]], columns=["a", "a"]), None, "several columns called 'a'"),
    "mixed": (pd.DataFrame({"a": [1, "x"]}), None, "column 'a' holds values of different types"),
    "no target": (pd.DataFrame({"a": [1, 2]}), "b", "no column 'b'; it has a"),
    "length": (pd.DataFrame({"a": [1, 2]}), [1, 2, 3], "3 labels, but the table has 2 rows"),
    "one class": (pd.DataFrame({"a": [1, 2]}), [1, 1], "there is only one class"),
    "no labels": (pd.DataFrame({"a": [1, 2]}), [None, None], "no classes"),
    "lists": (pd.DataFrame({"a": [1, 2]}), [[1], [2]], "no classes"),
    "numbers": (pd.DataFrame({"a": range(99)}), np.arange(99) + 0.5, "99 distinct values"),
    "spelling": (pd.DataFrame({"a": [1, 2]}), ["no", "No "], "differ only in blanks or capitals"),
}


@pytest.mark.parametrize("case", BAD_INPUT)
def test_bad_input(case: str) -> None:
    frame, target, match = BAD_INPUT[case]
    with pytest.raises(ValueError, match=match):
        inspect_table(frame, target)


def test_unknown_names_of_categories() -> None:
    with pytest.raises(ValueError, match="categorical names column 'b'"):
        inspect_table(pd.DataFrame({"a": [1, 2]}), categorical="b")


# ---- costs ---------------------------------------------------------------------------------------

Y = np.where(BAD, "yes", "no")
COSTS: dict[str, tuple[dict[str, Any], list[str]]] = {
    "none": ({"pos_label": "yes"}, ["no_costs"]),
    "usual": ({"pos_label": "yes", "fn_cost": 5}, []),
    "default label": ({"fn_cost": 5}, []),
    "swapped": ({"pos_label": "yes", "fp_cost": 5}, ["costs_swapped"]),
    "frequent": ({"pos_label": "no", "fn_cost": 5}, ["frequent_positive"]),
    "misses by row": ({"fn_cost": np.linspace(1, 9, N)}, ["row_costs_once"]),
    "alarms by row": ({"fp_cost": np.linspace(1, 9, N)}, ["row_costs_once"]),
    "both by row": ({"fn_cost": np.linspace(2, 9, N), "fp_cost": np.ones(N)}, []),
    "matrix": ({"cost_matrix": [[0, 1], [5, 0]]}, []),
    "transposed": ({"cost_matrix": [[0, 5], [1, 0]]}, ["matrix_transposed"]),
    "ones": ({"cost_matrix": [[0, 1], [1, 0]]}, ["no_costs"]),
}


@pytest.mark.parametrize("case", COSTS)
def test_costs(case: str) -> None:
    given, expected = COSTS[case]
    assert [finding.code for finding in inspect_costs(Y, **given)] == expected


def test_a_record_of_costs() -> None:
    y, matrix = ["paid"] * 95 + ["default"] * 5, [[0, 1], [10, 0]]
    for record, stated in (
        (Costs.outcomes(fn_cost=1, fp_cost=10), {"fn_cost": 1, "fp_cost": 10}),
        (Costs.matrix(matrix), {"cost_matrix": matrix}),
    ):
        found = inspect_costs(y, pos_label="default", costs=record)
        assert found == inspect_costs(y, pos_label="default", **stated)
        assert found


def test_messages_on_costs_name_parameters() -> None:
    (found,) = inspect_costs(Y, fn_cost=np.full(N, 99.0))
    assert str(found).endswith("about 1.0% on; give fp_cost in the same unit")


@pytest.mark.parametrize(
    ("y", "given", "match"),
    [
        (["a", "a"], {}, "one class only"),
        (["a", "b"], {"pos_label": "c"}, "pos_label='c' is not in y"),
        (["a", "b"], {"fn_cost": [1, 2, 3]}, "fn_cost has shape"),
        (["a", "b"], {"fp_cost": -1}, "fp_cost must be finite and not negative"),
        (["a", None], {}, "missing"),
    ],
)
def test_bad_costs(y: Any, given: dict[str, Any], match: str) -> None:
    with pytest.raises(ValueError, match=match):
        inspect_costs(y, **given)


def test_public_types() -> None:
    assert isinstance(inspect_table(pd.DataFrame({"a": [1]})), TableInspection)
