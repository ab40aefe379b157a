"""Every set that is available: counts of the record, and no column in X that reveals the label.

A set that is neither in the folder of COSTBOOST_DATA nor in the cache or a package is skipped.
"""

from __future__ import annotations

import subprocess
import sys
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.utils import Bunch

from costboost.algorithms import AdaBoostClassifier
from costboost_lab import datasets
from costboost_lab.datasets import records

NAMES = records.names()
LARGE = {"kdd99_10pct"}

OUTCOMES = {
    "C_FN", "C_FP", "C_TN", "C_TP", "ID", "TARGET_D", "TargetD", "alive_at_1", "category", "id",
    "num", "split", "survival", "target",
}  # fmt: skip
"""Columns of the files that determine the label, follow from it, or identify the row."""


@cache
def local() -> list[str]:
    return datasets.available(local=True)


@cache
def loaded(name: str) -> Bunch:
    return datasets.load(name, download=False)


@pytest.fixture(params=NAMES)
def data(request: pytest.FixtureRequest) -> Bunch:
    if request.param not in local():
        pytest.skip(f"{request.param} is not on this machine")
    return loaded(request.param)


def test_counts(data: Bunch) -> None:
    record = data.record
    assert data.X.shape == (record.rows, len(record.columns))
    assert list(data.X.columns) == list(record.columns)
    assert data.y.shape == (record.rows,)
    assert int(data.X.isna().sum().sum()) == record.missing
    labels, counts = np.unique(data.y, return_counts=True)
    assert dict(zip(labels.tolist(), counts.tolist(), strict=True)) == record.classes
    assert list(data.X.index) == list(range(record.rows))


def test_types(data: Bunch) -> None:
    kinds = data.X.dtypes.map(lambda kind: "nominal" if kind == "category" else kind.kind)
    assert {name for name, kind in kinds.items() if kind == "nominal"} == set(data.record.nominal)
    assert set(kinds) <= {"nominal", "i", "f"}
    assert data.y.dtype.kind in "iU"
    numbers = data.X.select_dtypes("number")
    assert not np.isinf(numbers.to_numpy(float)).any()


def test_positive(data: Bunch) -> None:
    assert data.pos_label == data.record.positive
    if data.pos_label is not None:
        positives = int((data.y == data.pos_label).sum())
        assert positives == data.record.classes[data.pos_label]


def gives_away(column: Any, y: Any) -> bool:
    """Whether each value goes with one label only, on most rows and with few values."""
    known = pd.DataFrame({"value": column, "label": y}).dropna()
    pairs = known.drop_duplicates()
    informative = len(known) > len(y) / 2 and 1 < len(pairs) < len(y) / 4
    return bool(informative and pairs["value"].is_unique)


@pytest.mark.slow
def test_no_column_reveals_the_outcome(data: Bunch) -> None:
    assert not OUTCOMES & set(data.X.columns)
    for name in set(data.X.columns) - set(data.leaks):
        column = data.X[name]
        names_the_rows = column.dtype.kind != "f" and column.is_unique
        assert not names_the_rows, name
        assert not gives_away(column, data.y), name


def test_a_leak_would_be_noticed() -> None:
    data = loaded("wdbc")
    assert gives_away(pd.Series(data.y).map({"M": 7, "B": 3}), data.y)


def test_costs(data: Bunch) -> None:
    costs = data.costs
    assert (costs is None) == (data.record.costs is None)
    if costs is not None and costs.form == "outcomes":
        for net in costs.net:
            assert np.shape(net) in ((), (len(data.y),))
            assert np.isfinite(net).all()
            assert np.min(net) >= 0
    if costs is not None and costs.form == "matrix":
        assert costs.table.shape == (len(costs.classes),) * 2
        assert set(data.extra[data.record.costs["column"]]) == set(costs.classes)
        assert not np.diag(costs.table).any()


def test_description(data: Bunch) -> None:
    assert data.record.title in data.description
    assert data.record.citation in data.description
    assert data.source


def test_classifiers_take_it(data: Bunch) -> None:
    if data.name in LARGE or len(data.record.classes) > 2:
        pytest.skip("large, or more than two classes")
    clf = AdaBoostClassifier(n_estimators=5, pos_label=data.pos_label).fit(data.X, data.y)
    assert clf.score(data.X, data.y) >= max(data.record.classes.values()) / data.record.rows - 0.01


@pytest.mark.parametrize(
    ("name", "positives"),
    [
        ("satimage", 703),
        ("semeion", 161),
        ("splice", 768),
        ("waveform", 1653),
        ("nikolaou_splice", 765),
    ],
)
def test_the_views_of_nikolaou(name: str, positives: int) -> None:
    if name not in local():
        pytest.skip(f"{name} is not on this machine")
    label = records.record(name).against_rest
    view = datasets.load(name, pos_label=label, download=False)
    assert view.pos_label == 1
    assert view.y.sum() == positives
    assert set(view.y.tolist()) == {0, 1}


# ---- without pandas ------------------------------------------------------------------------------


def test_pandas_is_named_when_it_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=r"pip install 'costboost\[datasets\]'"):
        datasets.load("wdbc")


def test_without_pandas_the_rest_works() -> None:
    code = "import sys; sys.modules['pandas'] = None; import costboost_lab.datasets as d"
    use = "d.available(local=True); d.record('pima'); d.make_gaussians(3)"
    subprocess.run([sys.executable, "-c", f"{code}; {use}"], check=True)


def test_it_is_not_imported_with_the_package() -> None:
    check = "import costboost, sys; sys.exit('costboost_lab.datasets' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", check], check=False).returncode == 0


def test_loading_twice_gives_separate_data() -> None:
    first: Any = datasets.load("wdbc")
    first.X.iloc[:, 0] = 0
    assert (datasets.load("wdbc").X.iloc[:, 0] != 0).any()
