"""A recall of at least 0.95 at least cost: patients with an underactive thyroid.

Nineteen of twenty sick patients have to be found; a miss is assumed to cost 5 times as much as a
false alarm. Finds the operating point, then measures how often the goal is met on patients who took
no part in the search, without and with a margin. The page docs/goals.md shows the output.

The data are those of ``costboost.datasets.load("hypothyroid")``:

    COSTBOOST_DATA=/folder/with/the/file python examples/hypothyroid.py
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedShuffleSplit

from costboost import OperatingPointClassifier, datasets
from costboost.algorithms import AdaMECClassifier
from costboost.metrics import mean_cost

MISS, ALARM = 5.0, 1.0
GOAL = 0.95
MARGINS = (0.0, 0.5, 1.0)
SPLITS = 20


def classifier() -> AdaMECClassifier:
    return AdaMECClassifier(
        calibration="platt", fn_cost=MISS, fp_cost=ALARM, pos_label="hypothyroid", random_state=0
    )


def operating_point(margin: float = 0.0) -> OperatingPointClassifier:
    return OperatingPointClassifier(
        classifier(),
        target="recall",
        at_least=GOAL,
        fn_cost=MISS,
        fp_cost=ALARM,
        margin=margin,
        random_state=0,
    )


def measures(y: Any, y_pred: Any) -> tuple[float, float, float]:
    """Recall, precision and mean cost."""
    sick, found = y == "hypothyroid", y_pred == "hypothyroid"
    cost = mean_cost(y, y_pred, fn_cost=MISS, fp_cost=ALARM, pos_label="hypothyroid")
    return float(found[sick].mean()), float(sick[found].mean()), cost


def show_point(X: Any, y: Any) -> None:
    clf = operating_point().fit(X, y)
    low, high = clf.interval_
    print(f"threshold {clf.threshold_:.4f}, which belongs to a cost ratio of ", end="")
    print(f"{(1 - clf.threshold_) / clf.threshold_:.0f}")
    print(f"recall    {clf.achieved_:.3f} (95% interval over the folds {low:.3f} to {high:.3f})")
    print(f"precision {clf.measures_['precision']:.3f}")
    print(f"mean cost {clf.cost_:.3f}")


def show_promises(X: Any, y: Any) -> None:
    """Train on one half, count on the other."""
    systems = {"decided by cost": classifier()}
    systems |= {f"goal, margin {margin:g}": operating_point(margin) for margin in MARGINS}
    results: dict[str, list[tuple[float, float, float]]] = {name: [] for name in systems}
    halves = StratifiedShuffleSplit(SPLITS, test_size=0.5, random_state=0)
    for train, test in halves.split(X, y):
        for name, clf in systems.items():
            y_pred = clf.fit(X.iloc[train], y[train]).predict(X.iloc[test])
            results[name].append(measures(y[test], y_pred))
    print(f"{'':<17}{'recall':>8}{'goal met':>10}{'precision':>11}{'mean cost':>11}")
    for name, found in results.items():
        recall, precision, cost = np.mean(found, axis=0)
        met = np.mean([one[0] >= GOAL for one in found])
        print(f"{name:<17}{recall:>8.3f}{met:>10.0%}{precision:>11.3f}{cost:>11.3f}")


def main() -> None:
    try:
        data = datasets.load("hypothyroid")
    except FileNotFoundError as error:
        sys.exit(str(error))
    sick = int(np.sum(data.y == data.pos_label))
    print(f"{len(data.y)} patients, {sick} of them sick.")
    print(f"A miss costs {MISS:g}, a false alarm {ALARM:g}.")
    print(f"\nGoal: a recall of at least {GOAL}, on five folds of all patients\n")
    show_point(data.X, data.y)
    print(f"\nThe same trained on one half, counted on the other: means of {SPLITS} splits\n")
    show_promises(data.X, data.y)


if __name__ == "__main__":
    main()
