"""Files of costs: their content, and the costs of four outcomes."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from costboost.app.reading.cost_files import Cells, read
from costboost.app.reading.errors import InputError
from costboost.app.reading.outcome_costs import read_outcome_costs

CONTENTS: dict[str, Any] = {
    '{"a": [1, 2]}': {"a": [1, 2]},
    "[[0, 1], [2, 0]]": [[0, 1], [2, 0]],
    '{"a": 1}\n\n{"a": 2}\n': [{"a": 1}, {"a": 2}],
    "a;b\n\n1;2,5\n": Cells([["a", "b"], ["1", "2,5"]]),
}


@pytest.mark.parametrize("text", CONTENTS)
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_contents(text: str, pack: Any, tmp_path: Path) -> None:
    path = tmp_path / "costs"
    path.write_bytes(pack(text.encode()))
    name, content = read(str(path), None, "cost matrix")
    assert (name, content) == (str(path), CONTENTS[text])
    assert type(content) is type(CONTENTS[text])


def test_binary_tables_are_records(tmp_path: Path) -> None:
    path = tmp_path / "costs.parquet"
    parquet.write_table(pa.table({"truth": ["a", "b"], "a": [0, 2]}), path)
    _, content = read(str(path), None, "cost matrix")
    assert content == [{"truth": "a", "a": 0}, {"truth": "b", "a": 2}]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a": 1}\n{"a": \n', "is no JSON: Expecting value: line 1 column 7"),
        ('{\n "a": 1,\n "b": x\n}', "is no JSON: Expecting value: line 3 column 7"),
        ("[" * 100_000, "nested too deeply"),
        ("a,b\n" + "1" * (1 << 24), "is far too long for a cost matrix"),
        ("", "is empty"),
    ],
    ids=["a line", "an object", "deep", "long", "empty"],
)
def test_what_is_no_file_of_costs(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "costs"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        read(str(path), None, "cost matrix")


@pytest.mark.parametrize(
    ("text", "costs"),
    [
        ('{"fn_cost": 5, "tp_cost": [-2, 1]}', {"fn_cost": "5", "tp_cost": "-2..1"}),
        ("fn_cost; fp_cost\n amount;1.5\n", {"fn_cost": "amount", "fp_cost": "1.5"}),
        ("truth,a,b\na,0,1\nb,2,0\n", None),
        ("[[0, 1], [2, 0]]", None),
    ],
)
def test_costs_of_outcomes(text: str, costs: dict[str, str] | None, tmp_path: Path) -> None:
    path = tmp_path / "costs"
    path.write_text(text)
    assert read_outcome_costs(str(path)) == costs
