"""The points that a classifier can operate at, and the choice of one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import stdtrit
from sklearn.base import clone

from costboost.decisions.folds import called_positive, positive_score
from costboost.decisions.goals import SLACK, Goal, Target
from costboost.decisions.outcomes import Flags, Held, Outcomes
from costboost.decisions.problem import Problem
from costboost.decisions.training_costs import check_grid, has_costs, trained_for
from costboost.metrics.checks import Floats

RATIOS = np.geomspace(1e-3, 1e3, 19)
"""Ratios of training costs that are tried where the user says nothing."""
CONFIDENCE = 0.95


@dataclass(frozen=True)
class Points:
    """Thresholds or training costs, and what comes of them on the held-out rows."""

    what: str
    """What distinguishes them, in a word or two."""
    at: Floats
    outcomes: Outcomes

    def choose(self, goal: Goal) -> int:
        """The cheapest point that meets the goal; a ValueError if there is none."""
        chosen = goal.cheapest(self.outcomes)
        if chosen is None:
            raise ValueError(f"{goal} cannot be met on the held-out rows: {self._best(goal)}")
        return chosen

    def describe(self, k: int) -> str:
        """A point in words."""
        found = {name: values[k] for name, values in self.outcomes.measures().items()}
        text = ", ".join(f"{name} {value:.4g}" for name, value in found.items())
        return f"{self.what} {self.at[k]:.4g}: {text}"

    def is_trivial(self, k: int) -> bool:
        """Whether all held-out rows get the same answer."""
        called, weight = self.outcomes.called[k], self.outcomes.weight
        return bool(min(called, weight - called) <= SLACK * weight)

    def _best(self, goal: Goal) -> str:
        k = goal.closest(self.outcomes)
        if k is None:
            return "no row is called positive, whatever the training cost"
        name, value = goal.target.name, goal.target.value(self.outcomes)[k]
        reached = f"the best achievable {name} is {value:.4g}"
        if goal.margin:
            low, high = (side[k] for side in goal.target.bounds(self.outcomes, goal.margin))
            reached += f", which the margin makes {low if goal.at_most is None else high:.4g}"
        return f"{reached} ({self.describe(k)})"


@dataclass(frozen=True)
class Search:
    """All points, and how to get from one of them to decisions and to a model."""

    points: Points
    called: Callable[[int], Flags]
    """Which held-out rows are called positive at a point."""
    fitted: Callable[[int], Any]
    """The classifier of a point, trained on all rows."""


def search_thresholds(clf: Any, problem: Problem) -> Search:
    """Every threshold on the scores of held-out rows."""
    (score,) = problem.answers([clf.estimator], positive_score, clf.n_jobs)
    thresholds, outcomes = problem.held.thresholded(score)
    return Search(
        Points("threshold", thresholds, outcomes),
        lambda k: score > thresholds[k],
        lambda k: problem.fitted(clone(clf.estimator)),
    )


def search_training_costs(clf: Any, problem: Problem) -> Search:
    """A classifier for each training cost, which decides by itself."""
    grid = check_grid(clf.fn_costs, np.append(RATIOS * problem.fp_cost, problem.fn_cost))
    problem = problem.without_costs()

    def model(k: int) -> Any:
        return trained_for(clf.estimator, float(grid[k]), problem.fp_cost, problem.stated)

    models = [model(k) for k in range(grid.size)]
    called = problem.answers(models, called_positive, clf.n_jobs)
    points = Points("training fn_cost", grid, problem.held.decided(called))
    return Search(points, lambda k: np.asarray(called[k]), lambda k: problem.fitted(model(k)))


SEARCHES: dict[str, Callable[[Any, Problem], Search]] = {
    "threshold": search_thresholds,
    "refit": search_training_costs,
}
"""The searches by the names that ``method`` takes."""


def check_method(clf: Any) -> str:
    """The search to be made."""
    if clf.method not in ("auto", *SEARCHES):
        words = ", ".join(map(repr, ("auto", *SEARCHES)))
        raise ValueError(f"method must be one of {words}, got {clf.method!r}")
    scores = any(hasattr(clf.estimator, name) for name in ("predict_proba", "decision_function"))
    method = clf.method
    if method == "auto":
        method = "threshold" if scores else "refit"
    lacks = None
    if method == "threshold" and not scores:
        lacks = "neither predict_proba nor decision_function, so that it has no threshold to move"
    if method == "refit" and not has_costs(clf.estimator):
        lacks = "no fn_cost and fp_cost, so that it cannot be trained for other costs"
    if lacks:
        raise ValueError(f"{type(clf.estimator).__name__} has {lacks}")
    return str(method)


# ---- over the folds ------------------------------------------------------------------------------


def fold_values(held: Held, called: Flags, target: Target) -> Floats:
    """Value of the target in each fold, NaN where it is not defined."""
    values = []
    for fold in range(int(held.fold.max()) + 1):
        part, here = held.of_fold(fold)
        values.append(target.value(part.decided(called[None, here]))[0])
    return np.array(values)


def interval(middle: float, values: Floats, most: float) -> tuple[float, float]:
    """Student's t interval of a mean over folds, around a given middle, from 0 to the most."""
    known = values[~np.isnan(values)]
    if known.size < 2:
        return np.nan, np.nan
    t = stdtrit(known.size - 1, (1 + CONFIDENCE) / 2)
    half = t * known.std(ddof=1) / np.sqrt(known.size)
    return float(max(middle - half, 0.0)), float(min(middle + half, most))
