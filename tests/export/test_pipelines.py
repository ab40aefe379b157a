"""Pipelines of scikit-learn's steps and a classifier, as one graph."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from export import onnx_cases as cases
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import costboost
from costboost.algorithms import REGISTRY
from costboost.export import register_skl2onnx, to_onnx

pytest.importorskip("onnxruntime")
skl2onnx = pytest.importorskip("skl2onnx")

pytestmark = pytest.mark.filterwarnings("ignore")  # those of skl2onnx and of its packages


def problem(n: int = 300) -> tuple[pd.DataFrame, np.ndarray]:
    random = np.random.default_rng(0)
    X = pd.DataFrame(random.normal(size=(n, 3)), columns=["a", "b", "c"])
    X["t"] = random.choice(["u", "v", "w"], n)
    positive = X.a + X.b * X.c + (X.t == "u") + random.normal(size=n) * 0.4 > 0
    return X, np.where(positive, "yes", "no")


def inputs(X: pd.DataFrame, dtype: Any = np.float64) -> dict[str, np.ndarray]:
    numbers = {name: X[name].to_numpy(dtype)[:, None] for name in "abc"}
    return numbers | {"t": X.t.to_numpy(dtype=object)[:, None]}


def types(single: bool = False) -> list[tuple[str, Any]]:
    from skl2onnx.common import data_types as kinds

    number = kinds.FloatTensorType if single else kinds.DoubleTensorType
    numbers: list[tuple[str, Any]] = [(name, number([None, 1])) for name in "abc"]
    return [*numbers, ("t", kinds.StringTensorType([None, 1]))]


@pytest.fixture(scope="module")
def pipeline() -> Any:
    X, y = problem()
    columns = ColumnTransformer(
        [("numbers", StandardScaler(), ["a", "b", "c"]), ("texts", OneHotEncoder(), ["t"])],
        sparse_threshold=0,
    )
    clf = costboost.CostBoostClassifier(n_estimators=8, pos_label="yes", random_state=0)
    return Pipeline([("columns", columns), ("classifier", clf)]).fit(X, y)


def test_costs_are_inputs_of_the_whole(pipeline: Any) -> None:
    X, _ = problem()
    run = cases.session(to_onnx(pipeline, initial_types=types()))
    score, probabilities, label = run.run(None, inputs(X))
    rows = pipeline[:-1].transform(X)
    np.testing.assert_array_equal(score, pipeline[-1].raw_score(rows))
    np.testing.assert_array_equal(probabilities, pipeline.predict_proba(X))
    np.testing.assert_array_equal(label, pipeline.predict(X))
    costs = np.random.default_rng(1).uniform(1, 30, len(X))
    found = run.run(["label"], inputs(X) | {"fn_cost": costs})[0]
    np.testing.assert_array_equal(found, pipeline[-1].predict(rows, fn_cost=costs))
    assert (found != label).any()


@pytest.mark.parametrize("single", [False, True])
def test_skl2onnx_converts_it(pipeline: Any, single: bool) -> None:
    register_skl2onnx()
    X, _ = problem()
    written = skl2onnx.convert_sklearn(
        pipeline, initial_types=types(single), options={"zipmap": False}
    )
    label, probabilities = cases.session(written).run(
        None, inputs(X, np.float32 if single else np.float64)
    )
    np.testing.assert_array_equal(label, pipeline.predict(X))
    wanted = pipeline.predict_proba(X)
    if single:
        np.testing.assert_allclose(probabilities, wanted, atol=1e-6)
    else:
        np.testing.assert_array_equal(probabilities, wanted)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("WeightBoost", {}),
        ("LogitBoost", {"estimator": "linear"}),
        ("AdaBoost", {"calibration": "isotonic"}),
        ("CostBoost", {}),
    ],
)
@pytest.mark.parametrize("several", [False, True])
def test_a_scaler_in_front(name: str, options: dict[str, Any], several: bool) -> None:
    register_skl2onnx()
    X, y = problem()
    rows = X[["a", "b", "c"]].to_numpy()
    y = np.digitize(rows[:, 0], [-0.5, 0.5]) if several else y
    clf = REGISTRY[name].cls(n_estimators=4, **options)
    made = make_pipeline(StandardScaler(), clf).fit(rows, y)
    ours = to_onnx(made)
    theirs = skl2onnx.to_onnx(made, rows[:1], options={"zipmap": False})
    for written in (ours, theirs):
        found = cases.session(written).run(["label", "probabilities"], {"X": rows})
        np.testing.assert_array_equal(found[0], made.predict(rows))
        np.testing.assert_array_equal(found[1], made.predict_proba(rows))


def test_categories_behind_a_step() -> None:
    """In a matrix of numbers, categories are the numbers of training, not their codes."""
    random = np.random.default_rng(0)
    rows = np.column_stack([random.normal(size=300), random.choice([10.0, 20.0, 70.0], 300)])
    y = ((rows[:, 1] == 20) ^ (rows[:, 0] > 1)).astype(int)
    clf = costboost.algorithms.AdaMECClassifier(
        categorical_features=[1], n_estimators=5, estimator="tree"
    )
    columns = ColumnTransformer([("scaled", StandardScaler(), [0])], remainder="passthrough")
    made = make_pipeline(columns, clf).fit(rows, y)
    found = cases.session(to_onnx(made)).run(["probabilities"], {"X": rows})[0]
    np.testing.assert_array_equal(found, made.predict_proba(rows))
    register_skl2onnx()
    with pytest.raises(ValueError, match="has categories itself"):
        skl2onnx.to_onnx(made, rows[:1])


def test_a_pipeline_of_the_classifier_alone() -> None:
    X, y = problem()
    made = make_pipeline(costboost.algorithms.AdaMECClassifier(n_estimators=3)).fit(
        X[["a", "b"]], y
    )
    found = cases.session(to_onnx(made)).run(["label"], {"X": X[["a", "b"]].to_numpy()})[0]
    np.testing.assert_array_equal(found, made.predict(X[["a", "b"]]))
