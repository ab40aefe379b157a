"""The example for MLflow: its list of trusted classes, and the run itself where MLflow is there."""

from __future__ import annotations

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import skops.io
from sklearn.datasets import load_breast_cancer
from sklearn.tree import DecisionTreeClassifier

import costboost

EXAMPLE = Path(__file__).parents[2] / "examples" / "mlflow_model.py"


@pytest.fixture(scope="module")
def example() -> Any:
    spec = spec_from_file_location("mlflow_model", EXAMPLE)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_list_of_trusted_classes_is_enough(example: Any) -> None:
    clf, X, _ = example.trained()
    names = example.trusted_types(clf)
    assert all(name.startswith("costboost.") for name in names)
    again = skops.io.loads(skops.io.dumps(clf), trusted=names)
    np.testing.assert_array_equal(again.predict_proba(X), clf.predict_proba(X))
    np.testing.assert_array_equal(again.predict(X, fn_cost=100.0), clf.predict(X, fn_cost=100.0))


def test_other_classes_are_not_trusted_unseen(example: Any) -> None:
    X, y = load_breast_cancer(return_X_y=True)
    inner = DecisionTreeClassifier(max_depth=1)
    clf = costboost.algorithms.AdaBoostClassifier(estimator=inner, n_estimators=2).fit(X, y)
    with pytest.raises(ValueError, match="not classes of costboost: sklearn"):
        example.trusted_types(clf)


@pytest.mark.filterwarnings("ignore")
def test_the_run(
    example: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    pytest.importorskip("mlflow")
    monkeypatch.chdir(tmp_path)
    example.main()
    assert "same predictions: True" in capsys.readouterr().out
