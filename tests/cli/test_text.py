"""Text columns of files are categories by the rule that holds in Python."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from cli.running import Run, table, to_csv
from pyarrow import feather

import costboost
from costboost._core import tables
from costboost.algorithms import AdaMECClassifier
from costboost.app.reading.columns import kind_of

TEXT = ["income", "city"]


def columns() -> dict[str, Any]:
    found = table()
    return {name: found[name] for name in (*TEXT, "default")}


@pytest.mark.parametrize("kind", ["csv", "arrow"])
def test_a_model_of_text_is_that_of_the_library(run: Run, tmp_path: Path, kind: str) -> None:
    data, out = tmp_path / f"loans.{kind}", tmp_path / "m.costboost"
    frame = pa.table(columns())
    if kind == "csv":
        data.write_text(to_csv(columns()))
    else:
        feather.write_feather(frame, data)
    options = ("-t", "default", "--positive", "yes", "--fn-cost", 5, "-a", "adamec", "--rounds", 20)
    done = run("fit", data, *options, "--test", data, "-o", out)
    assert done.code == 0, done.err
    X, y = frame.select(TEXT), np.array(columns()["default"])
    same = AdaMECClassifier(pos_label="yes", fn_cost=5, n_estimators=20).fit(X, y)
    np.testing.assert_array_equal(costboost.load(out).predict_proba(X), same.predict_proba(X))


TYPES = [
    pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int8(), pa.string()),
    pa.dictionary(pa.int8(), pa.int64()), pa.int8(), pa.uint64(), pa.float32(), pa.float64(),
]  # fmt: skip


@pytest.mark.parametrize("type_", TYPES, ids=str)
def test_types_are_what_they_are_in_python(type_: Any) -> None:
    whole, _ = tables.read_training("A", pa.table({"k": pa.array([None, None], type_)}))
    assert (kind_of("k", type_) == "category") == whole.is_categorical(0)
