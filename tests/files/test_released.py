"""Models of every released version load, and their predictions are unchanged."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from files.examples import difference
from files.make_models import MODELS, models
from numpy.testing import assert_allclose, assert_array_equal

import costboost

ROOT = Path(__file__).parents[2]
FILES = sorted(MODELS.glob("*/*.costboost"))


@cache
def expected(folder: Path) -> Any:
    return json.loads((folder / "expected.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_old_models_predict_as_ever(path: Path, tmp_path: Path) -> None:
    wanted = expected(path.parent)["models"][path.stem]
    rows = pd.DataFrame(expected(path.parent)["rows"])[wanted["columns"]]
    clf = costboost.load(path)
    assert_array_equal(clf.predict(rows), wanted["predict"])
    # the last bits of exp and log are those of the machine
    rounding = 0 if len(clf.classes_) == 2 else 1e-12
    first = path.parent.name == "0.1.0"
    found = scores_of_first(wanted, len(clf.classes_)) if first else scores(wanted)
    for method, values in found.items():
        assert_allclose(getattr(inner(clf) if first else clf, method)(rows), values, rtol=rounding)
    assert_allclose(clf.predict_proba(rows), wanted["predict_proba"], rtol=1e-12)
    costboost.save(clf, tmp_path / "again")
    assert difference(clf, costboost.load(tmp_path / "again")) is None


def scores(wanted: dict[str, Any]) -> dict[str, Any]:
    """Scores and expected costs, by method."""
    methods = "decision_function", "raw_score", "expected_costs"
    return {name: wanted[name] for name in methods if name in wanted}


def scores_of_first(wanted: dict[str, Any], n_classes: int) -> dict[str, Any]:
    """Scores of 0.1.0, whose decision_function is raw_score now, with two classes."""
    found = scores(wanted)
    return {"raw_score": found["decision_function"]} if n_classes == 2 and found else found


def inner(clf: Any) -> Any:
    """The fitted inner classifier of a meta-estimator."""
    return getattr(clf, "estimator_", getattr(clf, "best_estimator_", clf))


def test_every_released_version_is_here() -> None:
    changes = (ROOT / "CHANGELOG.md").read_text()
    released = re.findall(r"^## \[(\d[^]]*)\] - \d{4}-\d\d-\d\d", changes, re.MULTILINE)
    assert {path.name for path in MODELS.iterdir()} >= {*released, "0.1.0"}
    for folder in MODELS.iterdir():
        names = {path.stem for path in folder.glob("*.costboost")}
        assert names == set(expected(folder)["models"])
        assert names


def test_the_models_are_those_of_the_script() -> None:
    newest = max(MODELS.iterdir(), key=lambda folder: [int(n) for n in folder.name.split(".")])
    assert {path.stem for path in newest.glob("*.costboost")} == set(models())


def test_files_are_small() -> None:
    for folder in MODELS.iterdir():
        sizes = [path.stat().st_size for path in folder.glob("*.costboost")]
        assert np.sum(sizes) < 300_000
