"""Results for programs: numbers stay numbers, and --top is the same for people and programs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet
import pytest
from cli.running import Run, to_csv
from hypothesis import given
from hypothesis import strategies as st

from costboost.app.cli.predictions import all_numbers, json_values

FAST = ("-a", "adamec", "--rounds", "5")


def records(run: Run, *words: object) -> list[dict[str, Any]]:
    done = run("predict", *words, "--json")
    assert done.code == 0, done.err
    return [json.loads(line) for line in done.out.splitlines()]


@pytest.fixture(scope="module")
def table(rows: dict[str, list[Any]]) -> dict[str, list[Any]]:
    """Rows whose classes are numbers, with columns that are no features."""
    number = [None if k == 3 else k * 10 for k in range(400)]
    return {**rows, "default": [int(one == "yes") for one in rows["default"]], "number": number}


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_numbers_stay_numbers(
    run: Run, table: dict[str, list[Any]], tmp_path: Path, kind: str
) -> None:
    path, model = tmp_path / f"d.{kind}", tmp_path / "m.costboost"
    if kind == "csv":
        path.write_text(to_csv(table))
    else:
        pa.parquet.write_table(pa.table(table), path)
    words = ("--drop", "number", "--drop", "id", "--fn-cost", "amount", "--fp-cost", "9", *FAST)
    words = (*words, "--categorical", "zip", "--out", model)
    done = run("fit", path, "-t", "default", *words)
    assert done.code == 0, done.err
    kept = ("id", "number", "amount", "income", "zip", "city", "day")
    found = records(run, model, path, *(word for name in kept for word in ("--keep", name)))
    for name in kept:
        assert [one[name] for one in found] == table[name]
    assert {one["label"] for one in found} == {0, 1}
    shown = json.loads(run("explain", model, "--json").out)
    assert shown["classes"] == [1]
    row = json.loads(run("explain", model, path, "--row", "2", "--json").out)
    assert row["class"] == 1


def test_a_column_is_what_it_is_in_the_first_portion(
    run: Run, model: Path, rows: dict[str, list[Any]], tmp_path: Path
) -> None:
    path = tmp_path / "d.csv"
    number = ["none" if k == 399 else k for k in range(400)]
    code = [f"{k:03d}" for k in range(400)]
    path.write_text(to_csv({**rows, "number": number, "code": code}))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("costboost.app.reading.formats.BLOCK_BYTES", 4096)
        found = records(run, model, path, "--keep", "number", "--keep", "code")
    assert [one["number"] for one in found] == number
    assert [one["code"] for one in found] == code


@given(st.lists(st.none() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)))
def test_numbers_as_text_come_back(values: list[int | float | None]) -> None:
    column = pa.array([None if one is None else json.dumps(one) for one in values], pa.string())
    assert json_values(column, True) == values
    assert all_numbers(column) == any(one is not None for one in values)


@given(st.lists(st.floats() | st.none()))
def test_numbers_that_are_not_finite_are_missing(values: list[float | None]) -> None:
    found = json_values(pa.array(values, pa.float64()), False)
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    known = [one for one in values if one is not None and abs(one) < float("inf")]
    assert [one for one in found if one is not None] == known


@pytest.mark.parametrize("text", ["007", "+1", "1,5", "1_000", "0x1", "nan", ".5", "5.", "x", " 1"])
def test_text_that_is_no_number(text: str) -> None:
    assert not all_numbers(pa.array([text, "1"]))


def test_top_is_the_same_for_people_and_programs(run: Run, model: Path, loans: Path) -> None:
    for words, key in (
        ((model,), "importances"),
        ((model, loans), "mean_absolute_move"),
        ((model, loans, "--row", "3"), "moves"),
    ):
        every = list(json.loads(run("explain", *words, "--json").out)[key])
        some = json.loads(run("explain", *words, "--top", "2", "--json").out)
        assert list(some[key]) == every[:2]
        assert len(every) == 4
        shown = run("explain", *words, "--top", "2").out
        assert all((name in shown) == (name in every[:2]) for name in every)
    assert set(json.loads(run("explain", model, "--top", "2", "--json").out)["shapes"]) == set(
        list(json.loads(run("explain", model, "--json").out)["importances"])[:2]
    )
