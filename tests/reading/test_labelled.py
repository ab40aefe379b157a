"""Rows of a file as features, labels and costs."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from numpy.testing import assert_array_equal
from pyarrow import parquet

from costboost.app.reading.columns import Column
from costboost.app.reading.data_layout import DataLayout
from costboost.app.reading.errors import InputError
from costboost.app.reading.formats import open_table
from costboost.app.reading.labelled import read, read_labelled, read_whole

COLUMNS = (Column("x", "number"), Column("city", "category"))
LAYOUT = DataLayout(COLUMNS, "y", "yes", False, "amount", 2.0)
TABLE = pa.table(
    {
        "x": [1.5, 2.5, None, 4.5],
        "city": ["Rome", "Oslo", "Rome", None],
        "amount": [3.0, 4.0, 5.0, 6.0],
        "y": ["no", "yes", None, "yes"],
        "other": [1, 2, 3, 4],
    }
)


@pytest.fixture
def path(tmp_path: Path) -> str:
    parquet.write_table(TABLE, tmp_path / "rows.parquet", row_group_size=3)
    return str(tmp_path / "rows.parquet")


def test_rows_of_batches_have_the_numbers_that_they_have_in_the_file(path: str) -> None:
    with open_table(path) as source:
        batches = list(read(source, LAYOUT, n_before=10))
    numbers = [number for rows in batches for number in rows.numbers]
    assert numbers == [11, 12, 13, 14]
    assert [rows.X.column_names for rows in batches] == [["x", "city"]] * len(batches)
    amounts = pa.concat_tables([rows.table for rows in batches]).column("amount")
    assert amounts.to_pylist() == [3.0, 4.0, 5.0, 6.0]
    assert all(rows.costs["fp_cost"] == 2.0 for rows in batches)


def test_rows_together_are_one_batch_of_the_columns_that_are_asked_for(path: str) -> None:
    with open_table(path) as source:
        (rows,) = read(source, LAYOUT, together=True, labels="y", verbatim=["other"])
    assert set(rows.table.column_names) == {"x", "city", "amount", "y", "other"}
    known = rows.filter(rows.table.column("y").is_valid().to_numpy())
    assert_array_equal(known.labels("y"), ["no", "yes", "yes"])
    assert_array_equal(known.numbers, [1, 2, 4])
    assert_array_equal(known.costs["fn_cost"], [3.0, 4.0, 6.0])


def test_a_row_by_its_number(path: str) -> None:
    with open_table(path) as source:
        row = read_whole(source, LAYOUT).row(3)
    assert row.table.num_rows == 1
    assert row.costs["fn_cost"].tolist() == [5.0]
    assert list(row.numbers) == [3]


def test_labelled_rows_leave_out_those_without_a_label(path: str) -> None:
    with open_table(path) as source:
        rows = read_labelled(source, LAYOUT)
    assert_array_equal(rows.y, ["no", "yes", "yes"])
    assert_array_equal(rows.costs["fn_cost"], [3.0, 4.0, 6.0])
    assert rows.X.column("x").to_pylist() == [1.5, 2.5, 4.5]
    assert len(rows.take([0, 2])) == 2


def test_a_column_of_costs_is_needed_only_where_costs_are(path: str) -> None:
    """Rows are explained without costs, but not predicted."""
    parquet.write_table(TABLE.drop_columns("amount"), path)
    with open_table(path) as source, pytest.raises(InputError, match=r"'amount' in .* for a cost"):
        next(read(source, LAYOUT))
    with open_table(path) as source:
        rows = read_whole(source, LAYOUT)
    assert rows.X.num_rows == 4
    with pytest.raises(InputError, match=r"there is no column 'amount' in .* for a cost"):
        _ = rows.costs


def test_costs_that_are_not_above_0_are_refused_with_the_number_of_the_row(path: str) -> None:
    column = pa.array([3.0, 4.0, -1.0, 6.0])
    parquet.write_table(TABLE.set_column(2, "amount", column), path)
    message = "1 of 4 rows have no cost above 0 in column 'amount', the first is row 3"
    with open_table(path) as source, pytest.raises(InputError, match=message):
        _ = read_whole(source, LAYOUT).costs
