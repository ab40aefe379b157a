"""Problems, and the comparison of an exported model with its classifier, bit for bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from costboost.algorithms import REGISTRY
from costboost.export import to_onnx

LEARNERS = (None, "stump", "tree", "lookup", "linear", "logistic")
CALIBRATIONS = (None, "platt", "isotonic", "beta", "logistic", "log-odds")
TEXTS = ("x", "y", "z", "w")


def problem(n_classes: int = 2, n: int = 240, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    """Numbers of few values, missing values, and a column of categories."""
    random = np.random.default_rng(seed)
    X = pd.DataFrame(random.normal(size=(n, 4)).round(1), columns=list("abcd"))
    X.loc[::7, "b"] = np.nan
    X["e"] = pd.Categorical(random.choice(TEXTS, n))
    X.loc[3::11, "e"] = np.nan
    score = X.a + X.b.fillna(0.7) * X.c + (X.e == "x") + random.normal(size=n) * 0.5
    return X, np.digitize(score, np.quantile(score, np.arange(1, n_classes) / n_classes))


def fitted(name: str, n_classes: int = 2, **options: Any) -> tuple[Any, pd.DataFrame]:
    """A classifier and its rows; without the columns that its weak learner does not take."""
    X, y = problem(n_classes)
    clf = REGISTRY[name].cls(**({"n_estimators": 5} | options))
    if (clf.get_params().get("estimator") or clf.rule.learner) in ("linear", "logistic"):
        X = X[["a", "c", "d"]]
    if "random_state" in clf.get_params():
        clf.set_params(random_state=0)
    return clf.fit(X, y), X


def session(written: Any) -> Any:
    """The model in onnxruntime, without its notes on inputs that have a value already."""
    import onnx
    import onnxruntime

    onnx.checker.check_model(written)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(written.SerializeToString(), options)


def feed(X: pd.DataFrame, dtype: Any = np.float64) -> dict[str, np.ndarray]:
    """The columns of a frame as inputs; the empty text for a missing category."""
    if not any(str(X[name].dtype) == "category" for name in X):
        return {"X": X.to_numpy(dtype=dtype)}
    return {
        name: column.astype(object).fillna("").to_numpy(dtype=object)[:, None]
        if str(column.dtype) == "category"
        else column.to_numpy(dtype=dtype)[:, None]
        for name, column in X.items()
    }


def some_costs(n_rows: int, n_classes: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """Costs as inputs of a graph, and as arguments of `predict`."""
    random = np.random.default_rng(1)
    if n_classes > 2:
        matrices = random.uniform(0, 5, (n_rows, n_classes, n_classes))
        return {"cost_matrix": matrices}, {"cost_matrix": matrices}
    fn = random.uniform(0.1, 9, n_rows)
    return {"fn_cost": fn, "fp_cost": np.array([2.5])}, {"fn_cost": fn, "fp_cost": 2.5}


def assert_same_bits(clf: Any, X: pd.DataFrame, **options: Any) -> Any:
    """Compare scores, probabilities and labels, under costs of training and others."""
    run = session(to_onnx(clf, **options))
    rows = feed(X)
    score, probabilities, label = run.run(["score", "probabilities", "label"], rows)
    np.testing.assert_array_equal(score, clf.raw_score(X))
    np.testing.assert_array_equal(probabilities, clf.predict_proba(X))
    np.testing.assert_array_equal(label, clf.predict(X))
    if clf.decides_by_cost:
        inputs, given = some_costs(len(X), len(clf.classes_))
        (label,) = run.run(["label"], rows | inputs)
        np.testing.assert_array_equal(label, clf.predict(X, **given))
    return run
