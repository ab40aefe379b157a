"""Copies in packages and on OpenML give the table of the original file.

Packages that are not installed are skipped. What OpenML sends is made up here from the original
file, in OpenML's manner; with COSTBOOST_TEST_NETWORK=1 OpenML itself is used.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from costboost_lab.datasets import loading, records
from costboost_lab.datasets.loading import tidy
from costboost_lab.datasets.records import Record, TidyTable

IN_PACKAGES = [name for name in records.names() if records.record(name).wheel]
ON_OPENML = [name for name in records.names() if records.record(name).openml]
NETWORK = os.environ.get("COSTBOOST_TEST_NETWORK") == "1"


def original(name: str) -> tuple[Record, TidyTable]:
    record = records.record(name)
    folder = loading.data_folder()
    found = loading.in_data_folder(record)
    if folder is None or found is None:
        pytest.skip(f"{record.filename} is not on this machine")
    return record, tidy(record, found.read(), found.where)


def rows(table: TidyTable) -> list[tuple[str, ...]]:
    return sorted(table.X.astype(str).assign(label=table.y).itertuples(index=False, name=None))


def assert_same(found: TidyTable, expected: TidyTable) -> None:
    pd.testing.assert_frame_equal(found.X, expected.X)
    np.testing.assert_array_equal(found.y, expected.y)
    pd.testing.assert_frame_equal(found.extra, expected.extra[list(found.extra.columns)])


@pytest.mark.parametrize("name", IN_PACKAGES)
def test_packages(name: str) -> None:
    record, expected = original(name)
    place = loading.in_package(record)
    assert record.wheel is not None
    if place is None:
        pytest.skip(f"{record.wheel.distribution} is not installed")
    found = tidy(record, place.read(), place.where)
    if record.wheel.differs:
        assert rows(found) == rows(expected)
    else:
        assert_same(found, expected)


def as_text(column: Any) -> Any:
    return column.astype(object).map(str, na_action="ignore").astype("category")


def as_on_openml(record: Record, table: TidyTable) -> tuple[Any, Any]:
    """Features as floats and categories of text, under other names; labels as text."""
    copy = record.openml
    assert copy is not None
    X = pd.DataFrame(
        {
            name: as_text(table.X[name]) if name in record.nominal else table.X[name].astype(float)
            for name in record.columns
        }
    )
    X.columns = list(copy.columns or (f"V{k}" for k in range(1, X.shape[1] + 1)))
    if copy.columns:
        X.insert(0, "not wanted", 0)
    back = {label: text for text, label in copy.labels.items()}
    return X, pd.Series([back.get(label, str(label)) for label in table.y.tolist()])


@pytest.mark.slow
@pytest.mark.parametrize("name", ON_OPENML)
def test_openml_in_its_manner(name: str) -> None:
    record, expected = original(name)
    assert record.openml is not None
    data, target = as_on_openml(record, expected)
    raw = loading.renamed_openml(record, record.openml, data, target)
    assert_same(tidy(record, raw, "OpenML"), TidyTable(expected.X, expected.y, expected.extra[[]]))


@pytest.mark.skipif(not NETWORK, reason="COSTBOOST_TEST_NETWORK is not 1")
@pytest.mark.parametrize("name", ON_OPENML)
def test_openml_itself(name: str) -> None:
    record = records.record(name)
    place = loading.on_openml(record)
    assert place is not None
    assert record.openml is not None
    found = tidy(record, place.read(), place.where)
    if not record.openml.differs:
        assert_same(found, original(name)[1])


# ---- reading files of packages -------------------------------------------------------------------

SHAPES = """
title = "Shapes"
about = "Made up."
rows = 3
columns = ["a", "b"]
extra = ["part"]
classes = [["x", 2], ["y", 1]]
citation = "-"
licence = "-"
file = { sha256 = "", bytes = 0, origin = "-" }
"""


def test_options_of_a_table(tmp_path: Path) -> None:
    (tmp_path / "one.txt").write_text("header\n@ a remark\n1;   2; x\n?; 3; y\n")
    (tmp_path / "two.txt").write_text("header\n4;5;x\n")
    text = SHAPES + (
        '[wheel]\ndistribution = "-"\nfiles = ["one.txt", "two.txt"]\nseparator = ";"\nskip = 1\n'
        'comment = "@"\nparts = "part"\npart_names = ["first", "second"]\n'
    )
    record = records.parse("shapes", text)
    assert record.wheel is not None
    paths = [tmp_path / file for file in record.wheel.files]
    found = loading.read_package(record, record.wheel, paths)
    assert found["part"].tolist() == ["first", "first", "second"]
    assert found["target"].tolist() == ["x", "y", "x"]
    np.testing.assert_array_equal(found["a"], [1, np.nan, 4])


def test_faces(tmp_path: Path) -> None:
    np.save(tmp_path / "faces.npy", np.arange(16.0).reshape(4, 2, 2) / 3)
    text = SHAPES.replace('["a", "b"]', '["p0..p3"]') + (
        '[wheel]\ndistribution = "-"\nfiles = ["faces.npy"]\nreader = "faces"\n'
    )
    record = records.parse("shapes", text)
    assert record.wheel is not None
    found = loading.read_package(record, record.wheel, [tmp_path / "faces.npy"])
    assert found["target"].tolist() == [1, 1, 0, 0]
    assert found["p1"].tolist() == [0.333333, 1.666667, 3.0, 4.333333]
