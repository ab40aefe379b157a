"""Data sets to compare on: rows, labels, costs and folds, checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import RepeatedStratifiedKFold, StratifiedKFold, check_cv
from sklearn.utils import check_consistent_length, check_random_state

from costboost.classifiers.checks import check_costs, check_two_classes
from costboost.decisions.folds import Rows, Split

N_FOLDS, N_REPEATS = 5, 2
ONLY = "data"
"""Name of a data set that has none."""


@dataclass(frozen=True)
class Problem:
    """A data set with its costs, cut into folds."""

    name: str
    X: Any
    y: NDArray[Any]
    label: Any
    """The positive class."""
    positive: NDArray[np.bool_]
    fn_cost: Any
    fp_cost: Any
    """Numbers, or one of each for every row."""
    splits: list[Split]

    @property
    def costs_of_rows(self) -> bool:
        """Whether rows have costs of their own."""
        return bool(np.ndim(self.fn_cost) or np.ndim(self.fp_cost))

    def costs(self, rows: Rows) -> dict[str, Any]:
        """The costs of some rows."""
        both = {"fn_cost": self.fn_cost, "fp_cost": self.fp_cost}
        return {name: cost[rows] if np.ndim(cost) else cost for name, cost in both.items()}

    def mean_costs(self, rows: Rows) -> tuple[float, float]:
        """The same, averaged over the rows that they are for."""
        costs, positive = self.costs(rows), self.positive[rows]
        fn, fp = costs["fn_cost"], costs["fp_cost"]
        return (
            float(np.mean(fn[positive]) if np.ndim(fn) else fn),
            float(np.mean(fp[~positive]) if np.ndim(fp) else fp),
        )

    @property
    def held_to_trained(self) -> float:
        """Held-out rows for each row to train on, on average."""
        return float(np.mean([len(held) / len(train) for train, held in self.splits]))


def read_problems(
    X: Any, y: Any, costs: Any, cv: Any, pos_label: Any, random_state: Any
) -> list[Problem]:
    """The data sets, one or several."""
    random = check_random_state(random_state)
    if y is not None:
        return [_problem(ONLY, X, y, costs, cv, pos_label, random)]
    if not isinstance(X, Mapping) or not X:
        raise ValueError(
            "without y, X must be a dict of data sets, name -> (X, y) or (X, y, costs), got "
            f"{type(X).__name__}"
        )
    return [
        _problem(str(name), *_parts(name, given, costs), cv, pos_label, random)
        for name, given in X.items()
    ]


def _parts(name: Any, given: Any, costs: Any) -> tuple[Any, Any, Any]:
    if isinstance(given, (tuple, list)) and len(given) in (2, 3):
        own = given[2] if len(given) == 3 else None
        return given[0], given[1], costs if own is None else own
    raise ValueError(
        f"data set {name!r} must be (X, y) or (X, y, costs), got {type(given).__name__}"
        + (f" of {len(given)}" if isinstance(given, (tuple, list)) else "")
    )


def _problem(
    name: str, X: Any, y: Any, costs: Any, cv: Any, pos_label: Any, random: np.random.RandomState
) -> Problem:
    classes, which = check_two_classes(y, pos_label)
    check_consistent_length(X, y)
    fn, fp = check_costs(*_pair(costs), which.size)
    positive = which.astype(bool)
    label = classes[1] if pos_label is None else classes[classes == pos_label][0]
    splits = _splits(cv, X, positive, random)
    return Problem(name, X, np.asarray(y).ravel(), label, positive, fn, fp, splits)


def _pair(costs: Any) -> tuple[Any, Any]:
    """fn_cost and fp_cost, however they were given."""
    if costs is None:
        return 1.0, 1.0
    if isinstance(costs, Mapping):
        unknown = set(costs) - {"fn_cost", "fp_cost"}
        if unknown:
            raise ValueError(
                f"costs as a dict are {{'fn_cost': ..., 'fp_cost': ...}}, got {sorted(costs)!r}"
            )
        return costs.get("fn_cost", 1.0), costs.get("fp_cost", 1.0)
    if hasattr(costs, "fn_cost") and hasattr(costs, "fp_cost"):
        return costs.fn_cost, costs.fp_cost
    if isinstance(costs, (tuple, list)) and len(costs) == 2:
        return costs[0], costs[1]
    raise ValueError(
        "costs must be a pair (fn_cost, fp_cost), each a number or one for every row, or a dict "
        f"of them, got {costs!r}"
    )


def _splits(
    cv: Any, X: Any, positive: NDArray[np.bool_], random: np.random.RandomState
) -> list[Split]:
    """The same for every estimator; all parts to train on have both classes."""
    seed = int(random.randint(2**31 - 1))
    if cv is None:
        cv = RepeatedStratifiedKFold(n_splits=N_FOLDS, n_repeats=N_REPEATS, random_state=seed)
    elif isinstance(cv, Integral) and not isinstance(cv, bool) and int(cv) >= 2:
        cv = StratifiedKFold(int(cv), shuffle=True, random_state=seed)
    elif isinstance(cv, str) or not (hasattr(cv, "split") or hasattr(cv, "__iter__")):
        raise ValueError(
            "cv must be a number of folds of at least 2, a splitter or a list of splits, got "
            f"{cv!r}"
        )
    rarest = int(min(positive.sum(), (~positive).sum()))
    n_folds = getattr(cv, "n_splits", None) or getattr(cv, "cvargs", {}).get("n_splits", 0)
    if isinstance(cv, (RepeatedStratifiedKFold, StratifiedKFold)) and rarest < n_folds:
        raise ValueError(
            f"{n_folds} stratified folds need at least {n_folds} rows of each class, but the "
            f"smaller one has {rarest}; pass a smaller cv"
        )
    found = check_cv(cv, positive, classifier=True).split(X, positive)
    splits = [(_numbers(train, positive), _numbers(held, positive)) for train, held in found]
    for train, held in splits:
        if not 0 < positive[train].sum() < train.size or not held.size:
            raise ValueError(
                "cv makes a fold without rows of both classes to train on, or without rows to "
                "hold out; take fewer folds or a stratified splitter"
            )
    if not splits:
        raise ValueError("cv makes no folds")
    return splits


def _numbers(part: Any, positive: NDArray[np.bool_]) -> Rows:
    rows: Rows = np.arange(positive.size)[np.asarray(part)]
    return rows
