"""Logs a classifier with MLflow, in the format of skops, and loads it again: no pickle is involved.

``pip install costboost mlflow-skinny skops`` and ``python examples/mlflow_model.py``. The runs go
to the folder ``mlruns``, or to the server that MLFLOW_TRACKING_URI names.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import skops.io
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

import costboost
from costboost.metrics import mean_cost

COSTS = {"fn_cost": 10.0, "fp_cost": 1.0}


def trusted_types(model: Any) -> list[str]:
    """The classes of costboost that a skops file of the model names, to be trusted when loading.

    A class of any other package, such as that of a wrapped weak learner, is an error: it has to be
    looked at, and added by name.
    """
    names: list[str] = skops.io.get_untrusted_types(data=skops.io.dumps(model))
    strange = [name for name in names if not name.startswith("costboost.")]
    if strange:
        raise ValueError(f"not classes of costboost: {', '.join(strange)}")
    return names


def trained() -> tuple[Any, Any, Any]:
    """A classifier, and rows that it has not seen with their labels."""
    X, y = load_breast_cancer(return_X_y=True)  # 0 is malignant
    X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0, stratify=y)
    clf = costboost.CostBoostClassifier(pos_label=0, random_state=0, **COSTS)
    return clf.fit(X_train, y_train), X_test, y_test


def main() -> None:
    """Log the model with its costs and what it costs on the test rows; load it and predict."""
    import mlflow

    os.environ.setdefault("MLFLOW_ALLOW_FILE_STORE", "true")
    if not mlflow.is_tracking_uri_set():
        mlflow.set_tracking_uri("file:mlruns")
    clf, X, y = trained()
    with mlflow.start_run():
        mlflow.log_params({**COSTS, "costboost": costboost.__version__})
        predicted = clf.predict(X)
        mlflow.log_metric("mean_cost", mean_cost(y, predicted, pos_label=0, **COSTS))
        logged = mlflow.sklearn.log_model(
            clf,
            name="model",
            serialization_format="skops",
            skops_trusted_types=trusted_types(clf),
            pip_requirements=[f"costboost=={costboost.__version__}", "skops"],
        )
    again = mlflow.sklearn.load_model(logged.model_uri)
    print(*trusted_types(clf), sep="\n")
    print("same predictions:", np.array_equal(again.predict_proba(X), clf.predict_proba(X)))
    print("other costs:", int((again.predict(X, fn_cost=100.0) == 0).sum()), "malignant")


if __name__ == "__main__":
    main()
