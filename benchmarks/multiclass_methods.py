"""The methods that multiclass.py compares, and the computation of its cells."""

import time
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
from multiclass_data import LARGE, SETS, Split, split
from sklearn.ensemble import BaggingClassifier
from sklearn.tree import DecisionTreeClassifier

from costboost import CostBoostClassifier
from costboost.multiclass import (
    AverageCostClassifier,
    CostingClassifier,
    DSEClassifier,
    GBSEClassifier,
    IterativeWeightingClassifier,
    MetaCostClassifier,
)
from costboost_lab.studies import Cell

ROUNDS = 30

Result = tuple[float, int, float]
"""Mean cost of the test rows, rows that component learners saw, seconds to fit."""


def ours(make: Callable[..., Any], **options: Any) -> Callable[[Split, int, str], Result]:
    def run(data: Split, seed: int, name: str) -> Result:
        given = {"n_estimators": ROUNDS} | options
        clf = make(cost_matrix=data.matrix, random_state=seed, n_jobs=1, **given)
        start = time.perf_counter()
        clf.fit(data.X, data.y)
        seconds = time.perf_counter() - start
        return data.cost(clf.predict(data.X_test)), clf.rows_used_, seconds

    return run


def small_share(name: str) -> float:
    """The share of the rows that a bag of the paper has (Table 3)."""
    return 0.1 if name in LARGE else 2 / 3


def bagging(rounds: int) -> Callable[[Split, int, str], Result]:
    def run(data: Split, seed: int, name: str) -> Result:
        tree = DecisionTreeClassifier(criterion="entropy", min_samples_leaf=2)
        share = small_share(name)
        clf = BaggingClassifier(tree, rounds, max_samples=share, bootstrap=False, random_state=seed)
        X, X_test = data.numbers
        start = time.perf_counter()
        clf.fit(X, data.y)
        seconds = time.perf_counter() - start
        return data.cost(clf.predict(X_test)), rounds * int(share * len(X)), seconds

    return run


def metacost(data: Split, seed: int, name: str) -> Result:
    one = ours(MetaCostClassifier, relabel=False, max_samples=small_share(name))
    return one(data, seed, name)


def one_for_all(data: Split, seed: int, name: str) -> Result:
    """The class that costs least if it is predicted for every training row."""
    classes, counts = np.unique(data.y, return_counts=True)
    best = classes[int((counts @ data.matrix).argmin())]
    return data.cost(np.full(len(data.y_test), best)), 0, 0.0


def against_rest(data: Split, seed: int, name: str) -> Result:
    clf = CostBoostClassifier(cost_matrix=data.matrix, random_state=seed, n_jobs=1)
    start = time.perf_counter()
    clf.fit(data.X, data.y)
    seconds = time.perf_counter() - start
    return data.cost(clf.predict(data.X_test)), 0, seconds


METHODS = {
    "Bagging": bagging(ROUNDS),
    "AvgCost": ours(AverageCostClassifier),
    "MetaCost": metacost,
    "IW": ours(IterativeWeightingClassifier),
    "DSE": ours(DSEClassifier),
    "GBSE": ours(GBSEClassifier),
}
"""The six methods of the paper."""
OTHERS = {
    "one class for all": one_for_all,
    "Bagging, 100 rounds": bagging(100),
    "GBSE, 100 rounds": ours(GBSEClassifier, n_estimators=100),
    "GBSE, 100 rounds, calibrated": ours(GBSEClassifier, n_estimators=100, calibration="dirichlet"),
    "GBSE by weight": ours(GBSEClassifier, sampling="weight"),
    "GBSE-T": ours(GBSEClassifier, variant="gbse-t"),
    "Costing": ours(CostingClassifier),
    "CostBoost one-vs-rest": against_rest,
}
"""Methods that are not in the paper."""
UNCOUNTED = ("one class for all", "CostBoost one-vs-rest")
"""Methods without a component learner, whose rows are not counted."""
EVERY = METHODS | OTHERS


@lru_cache(maxsize=1)
def _rows(name: str) -> Any:
    return SETS[name]()


def compute(cell: Cell, seed: int) -> list[dict[str, Any]]:
    """Record of a cell: a method on a split, whose seed is the number of the run."""
    name, number = str(cell["set"]), int(cell["run"])
    data = split(*_rows(name), number)
    cost, rows, seconds = EVERY[str(cell["method"])](data, number, name)
    return [{"cost": cost, "rows": rows, "seconds": seconds}]
