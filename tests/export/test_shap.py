"""shap's TreeExplainer computes from the exported trees what `explain` returns."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from export import onnx_cases as cases

import costboost
from costboost.export import as_numbers, to_shap

pytestmark = pytest.mark.filterwarnings("ignore")  # those of shap and of its packages

MODELS = [
    ("CostBoost", 2, {}),
    ("CostBoost", 2, {"pos_label": 0}),
    ("CostBoost", 3, {}),
    ("AdaMEC", 2, {"estimator": "tree", "max_depth": 4}),
    ("LogitBoost", 2, {"estimator": "lookup"}),
    ("AdaBoost", 2, {"estimator": "stump"}),
    ("CSAda", 3, {}),
]


@pytest.fixture(scope="module")
def shap() -> Any:
    return pytest.importorskip("shap")


@pytest.mark.parametrize(("name", "n_classes", "options"), MODELS)
def test_values_are_those_of_explain(
    name: str, n_classes: int, options: dict[str, Any], shap: Any
) -> None:
    clf, X = cases.fitted(name, n_classes, **options)
    some, background = X[:30], X[100:160]
    rows, others = as_numbers(clf, some), as_numbers(clf, background)
    explainer = shap.TreeExplainer(
        to_shap(clf, background), feature_perturbation="tree_path_dependent"
    )
    wanted = clf.explain(some, background, "tree_path_dependent", "score")
    found = explainer.shap_values(rows, check_additivity=False)
    np.testing.assert_allclose(found, wanted.values, rtol=0, atol=1e-9)
    np.testing.assert_allclose(
        np.ravel(explainer.expected_value), np.ravel(wanted.base_values[0]), rtol=0, atol=1e-9
    )
    explainer = shap.TreeExplainer(to_shap(clf), others, feature_perturbation="interventional")
    found = explainer.shap_values(rows, check_additivity=False)
    # shap adds up interventional values in single precision
    wanted = clf.explain(some, background, output="score")
    np.testing.assert_allclose(found, wanted.values, rtol=0, atol=1e-6)


def test_rows_as_numbers() -> None:
    clf, X = cases.fitted("AdaBoost")
    codes = X.e.cat.codes.where(X.e.notna()).to_numpy(dtype=float)
    np.testing.assert_array_equal(as_numbers(clf, X)[:, 4], codes)


def test_what_is_no_sum_of_trees() -> None:
    clf, _ = cases.fitted("LogitBoost", estimator="linear")
    with pytest.raises(ValueError, match="no sum of trees"):
        to_shap(clf)
    clf, _ = cases.fitted("WeightBoost")
    with pytest.raises(ValueError, match="no sum of trees"):
        to_shap(clf)


def test_too_many_ranges(monkeypatch: pytest.MonkeyPatch) -> None:
    clf, _ = cases.fitted("AdaMEC", estimator="tree", max_depth=4)
    monkeypatch.setattr(costboost.export.writing, "MOST_TREE_NODES", 3)
    with pytest.raises(ValueError, match="more than 3 nodes"):
        to_shap(clf)
