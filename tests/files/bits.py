"""Fits models of every kind and prints digests of their files and probabilities, as JSON.

It is run as a program, in processes that use other instruction sets.
"""

from __future__ import annotations

import json
import sys
import tempfile
import warnings
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from files.examples import BOOSTING, FRAME, LABELS, MADE, PREDICTING, ROWS, X, Y, model

import costboost

rng = np.random.default_rng(1)
ROW_COSTS = {"fn_cost": rng.integers(1, 20, Y.size) / 4, "fp_cost": rng.integers(1, 9, Y.size) / 8}
WEIGHT = rng.integers(1, 12, Y.size) / 8
WITH_ROW_COSTS = {
    "AdaC2Classifier": ("stump", "tree"),
    "AdaCostClassifier": ("tree",),
    "AdaMECClassifier": ("lookup",),
    "AsymAdaClassifier": ("stump",),
    "CSAdaClassifier": ("stump", "tree"),
    "AdaDBClassifier": ("stump",),
    "CSRealBoostClassifier": ("lookup", "stump"),
    "CSLogitBoostClassifier": ("linear", "tree"),
    "CSRAClassifier": ("tree",),
    "CSLBClassifier": ("stump",),
    "AdaCC1Classifier": ("tree",),
    "AdaUBoostClassifier": ("stump",),
    "CSBoostClassifier": ("stump", "tree"),
}


def made() -> Iterator[tuple[str, Any, Any]]:
    """Names, fitted classifiers and the rows to predict."""
    for name in PREDICTING:
        if "search" in name:  # stores the times of its fits
            continue
        yield name, model(name), ROWS[MADE[name][1]]
    few = {"n_estimators": 6, "random_state": 0}
    for name, learners in WITH_ROW_COSTS.items():
        for learner in learners:
            clf = BOOSTING[name](estimator=learner, **few)
            yield f"row costs: {name}, {learner}", clf.fit(X, Y, WEIGHT, **ROW_COSTS), X
    for learner in ("stump", "tree", "lookup", "linear"):
        clf = BOOSTING["LogitBoostClassifier"](estimator=learner, **few)
        yield f"weights: LogitBoost, {learner}", clf.fit(X, Y, WEIGHT), X
    for learner in ("stump", "tree", "lookup", "logistic"):
        for name in ("RealBoost", "CSRealBoost", "CSAda", "WeightBoost", "AdaBoostReg"):
            clf = BOOSTING[f"{name}Classifier"](estimator=learner, **few)
            yield f"weights: {name}, {learner}", clf.fit(X, Y, WEIGHT), X
    for name in ("isotonic", "beta"):
        clf = costboost.CostBoostClassifier(calibration=name, fn_cost=4.0, **few)
        yield f"averaged, {name}", clf.fit(FRAME, LABELS["text"], WEIGHT), FRAME


def digests() -> dict[str, list[str]]:
    """Digests of the file and of the probabilities of every model."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        for name, clf, rows in made():
            costboost.save(clf, path)
            parts = [path.read_bytes(), repr(clf.predict(rows).tolist()).encode()]
            if hasattr(clf, "predict_proba"):
                parts.append(np.ascontiguousarray(clf.predict_proba(rows)).tobytes())
            found[name] = [sha256(part).hexdigest()[:16] for part in parts]
    return found


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    json.dump(digests(), sys.stdout)
