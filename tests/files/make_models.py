"""Writes the models of this version that all later versions must be able to load.

Run once for every release, ``python tests/files/make_models.py``, and commit what it has made:
``models/<version>/*.costboost``, and ``expected.json`` with rows and the predictions of the models.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import costboost
from costboost import multiclass
from costboost.calibration import CALIBRATORS

MODELS = Path(__file__).parent / "models"
FEW = {"n_estimators": 5, "random_state": 0}
MATRIX = [[0.0, 1.0, 2.0], [5.0, 0.0, 1.0], [9.0, 3.0, 0.0]]


def table(n: int, seed: int) -> tuple[pd.DataFrame, Any]:
    """Numbers, some of them missing, categories and labels."""
    rng = np.random.default_rng(seed)
    size, weight = rng.normal(size=(2, n)).round(2)
    colour = rng.choice(["red", "green", "été"], n)
    grade = rng.integers(0, 30, n)
    sick = size + (colour == "red") + 0.1 * grade + rng.normal(size=n) > 2
    weight[::7] = np.nan
    frame = pd.DataFrame({"size": size, "weight": weight, "colour": colour, "grade": grade})
    return frame, np.where(sick, "sick", "well")


def models() -> dict[str, tuple[Any, list[str]]]:
    """A model for each thing that a file can hold, and the columns that it is fitted to."""
    all_columns, numbers = ["size", "weight", "colour", "grade"], ["size", "weight"]
    kinds = {"categorical_features": ["colour", "grade"]}
    ada, mec, cg = (
        costboost.algorithms.AdaBoostClassifier,
        costboost.algorithms.AdaMECClassifier,
        costboost.algorithms.CGAdaClassifier,
    )
    lines = costboost.algorithms.CSLogitBoostClassifier(estimator="linear", fn_cost=3.0, **FEW)
    return {
        "stumps": (mec(pos_label="sick", fn_cost=5.0, **FEW), numbers),
        "stumps-categories": (ada(**FEW, **kinds), all_columns),
        "trees": (cg(estimator="tree", fn_cost=2.0, **FEW, **kinds), all_columns),
        "lookup-shared-code": (cg(estimator="lookup", max_bins=8, **FEW, **kinds), all_columns),
        "lines": (lines, ["size"]),
        "logistic": (ada(estimator="logistic", **FEW), numbers),
        "weightboost": (costboost.algorithms.WeightBoostClassifier(**FEW), numbers),
        "costboost": (costboost.CostBoostClassifier(min_samples_leaf=5, **FEW), numbers),
        **{
            f"calibrated-{name}": (ada(calibration=name, fn_cost=2.0, **FEW), numbers)
            for name in CALIBRATORS
        },
        "early": (mec(early_stopping=True, initial_weights="balanced", **FEW), numbers),
        "operating-point": (
            costboost.OperatingPointClassifier(mec(**FEW), at_least=0.8, random_state=0),
            numbers,
        ),
        "cost-search": (
            costboost.CostSearchCV(cg(**FEW, **kinds), fn_costs=[1.0, 3.0], random_state=0),
            all_columns,
        ),
        "three-classes": (
            mec(estimator="tree", cost_matrix=MATRIX, calibration="platt", **FEW, **kinds),
            all_columns,
        ),
        "gbse": (
            multiclass.GBSEClassifier(cost_matrix=MATRIX, **FEW, **kinds),
            all_columns,
        ),
        **since_0_2(all_columns, numbers, kinds),
    }


def since_0_2(all_columns: list[str], numbers: list[str], kinds: dict[str, Any]) -> dict[str, Any]:
    """Models of things that files hold since 0.2.0."""
    logit, tree = (
        costboost.algorithms.LogitBoostClassifier,
        {"estimator": "tree", "max_leaf_nodes": 6},
    )
    costs = {"sick": {"operate": 0.0, "wait": 9.0}, "well": {"operate": 2.0, "wait": 0.0}}
    return {
        "costboost-by-evidence": (costboost.CostBoostClassifier(random_state=0), numbers),
        "costboost-three-classes": (
            costboost.CostBoostClassifier(cost_matrix=MATRIX, min_samples_leaf=5, **FEW, **kinds),
            all_columns,
        ),
        "scores-of-classes": (
            costboost.algorithms.GLLBoostClassifier(cost_matrix=MATRIX, **FEW, **kinds),
            all_columns,
        ),
        "votes": (
            costboost.algorithms.BAdaCostClassifier(cost_matrix=MATRIX, **tree, **FEW, **kinds),
            all_columns,
        ),
        "lp-csb": (multiclass.LpCSBClassifier(cost_matrix=MATRIX, **FEW, **kinds), all_columns),
        "random-trees": (
            logit(splitter="random", max_features=1, subsample=0.8, **tree, **FEW),
            numbers,
        ),
        "constraints": (
            logit(monotonic_cst={"size": 1}, interaction_cst="no_interactions", **tree, **FEW),
            numbers,
        ),
        "accumulating-costs": (
            costboost.algorithms.AdaCC2Classifier(pos_label="sick", **FEW),
            numbers,
        ),
        "expected-cost": (
            costboost.algorithms.CSBoostClassifier(
                fn_cost=5.0, tp_cost=1.0, pos_label="sick", **FEW
            ),
            numbers,
        ),
        "actions": (
            costboost.ActionClassifier(
                costboost.CostBoostClassifier(min_samples_leaf=5, **FEW), costs=costs
            ),
            numbers,
        ),
    }


def labels_for(clf: Any, train: pd.DataFrame, labels: Any) -> Any:
    """Sick or well; for a cost matrix, one of three grades."""
    if getattr(clf, "cost_matrix", None) is None:
        return labels
    return np.array(["low", "middle", "high"])[np.digitize(train["grade"], [10, 20])]


def answers(clf: Any, rows: Any) -> dict[str, Any]:
    """Outputs of the model for the rows, by method."""
    methods = ("predict", "decision_function", "raw_score", "predict_proba", "expected_costs")
    return {name: getattr(clf, name)(rows).tolist() for name in methods if hasattr(clf, name)}


def main() -> None:
    folder = MODELS / costboost.__version__
    if folder.exists():
        sys.exit(f"{folder} is there already; models of a released version are never made again")
    train, labels = table(150, 0)
    rows, _ = table(20, 1)
    rows.loc[0, "colour"] = "never seen"
    folder.mkdir(parents=True)
    columns_of = {name: [None if v != v else v for v in rows[name].tolist()] for name in rows}
    expected: dict[str, Any] = {"rows": columns_of, "models": {}}
    for name, (clf, columns) in models().items():
        clf.fit(train[columns], labels_for(clf, train, labels))
        costboost.save(clf, folder / f"{name}.costboost")
        expected["models"][name] = {"columns": columns, **answers(clf, rows[columns])}
    text = json.dumps(expected, indent=1, ensure_ascii=False)
    (folder / "expected.json").write_text(text + "\n", encoding="utf-8")
    print(f"{len(expected['models'])} models in {folder}")


if __name__ == "__main__":
    main()
