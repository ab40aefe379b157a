"""Data sets of a comparison: rows, labels, costs and folds, validated."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import (
    RepeatedStratifiedKFold,
    StratifiedGroupKFold,
    StratifiedKFold,
    check_cv,
)
from sklearn.utils import check_consistent_length, check_random_state

from costboost._core.arrays import Indices
from costboost._core.backends.dask.collections import refuse_collections
from costboost._core.checks import (
    group_codes,
    of_one_type,
    quoted,
    refuse_divided_groups,
    refuse_unread,
    some,
)
from costboost._core.costs import Costs, check_matrix
from costboost._core.names import COST_NAMES, MISTAKES
from costboost.classifiers.checks import check_two_classes
from costboost.decisions.wrapping import Split
from costboost.metrics.checks import Floats

N_FOLDS, N_REPEATS = 5, 2
ONLY = "data"
"""Name of a data set that is given without one."""


@dataclass(frozen=True)
class Folds:
    """The arguments that state how rows are cut into folds."""

    cv: Any
    groups: Any = None


@dataclass(frozen=True)
class DataSet:
    """A data set with its costs, cut into folds."""

    name: str
    X: Any
    y: NDArray[Any]
    label: Any
    """The positive class."""
    positive: NDArray[np.bool_]
    costs: Costs
    splits: list[Split]
    classes: NDArray[Any] | None = None
    """All classes if the costs are a matrix, else None."""
    groups: Any = None
    """Label of the group of each row, or None."""

    @property
    def matrix(self) -> Floats | None:
        """Cost matrix, or None if costs are those of the outcomes of two classes."""
        return None if self.classes is None else self.costs.table

    @property
    def costs_of_rows(self) -> bool:
        """Whether at least one of the costs is given for each row."""
        return self.costs.n_rows is not None

    def mean_costs(self, rows: Indices) -> tuple[float, float]:
        """Mean net costs of some rows, each over the rows of the class that it applies to."""
        (fn, fp), positive = self.costs.rows(rows).net, self.positive[rows]
        return (
            float(np.mean(fn[positive]) if np.ndim(fn) else fn),
            float(np.mean(fp[~positive]) if np.ndim(fp) else fp),
        )

    @property
    def held_to_trained(self) -> float:
        """Mean over the folds of the number of held-out rows divided by that of training rows."""
        return float(np.mean([len(held) / len(train) for train, held in self.splits]))


def read_data_sets(
    X: Any, y: Any, costs: Any, cv: Any, pos_label: Any, random_state: Any, groups: Any = None
) -> list[DataSet]:
    """Validate one data set or several."""
    random = check_random_state(random_state)
    if y is not None:
        return [_data_set(ONLY, X, y, costs, Folds(cv, groups), pos_label, random)]
    if groups is not None:
        raise ValueError("groups are those of the rows of one data set; give X and y")
    if not isinstance(X, Mapping) or not X:
        raise ValueError(
            "without y, X must be a dict of data sets, name -> (X, y) or (X, y, costs), got "
            f"{type(X).__name__}"
        )
    return [
        _data_set(str(name), *_data_costs(name, given, costs), Folds(cv), pos_label, random)
        for name, given in X.items()
    ]


def _data_costs(name: Any, given: Any, costs: Any) -> tuple[Any, Any, Any]:
    if isinstance(given, (tuple, list)) and len(given) in (2, 3):
        own = given[2] if len(given) == 3 else None
        return given[0], given[1], costs if own is None else own
    raise ValueError(
        f"data set {name!r} must be (X, y) or (X, y, costs), got {type(given).__name__}"
        + (f" of {len(given)}" if isinstance(given, (tuple, list)) else "")
    )


def _data_set(
    name: str,
    X: Any,
    y: Any,
    costs: Any,
    folds: Folds,
    pos_label: Any,
    random: np.random.RandomState,
) -> DataSet:
    refuse_collections("compare", X, y)
    refuse_unread("X", X)
    y = of_one_type(np.asarray(y))
    labels, n_rows = np.unique(y.ravel()), np.size(y)
    if isinstance(costs, Costs):
        costs = costs.arguments
    if isinstance(costs, dict) and "cost_matrix" in costs:
        matrix = costs["cost_matrix"]
        return _with_matrix(name, X, np.asarray(y).ravel(), labels, matrix, folds, random)
    if pos_label is None and (len(labels) > 2 or _is_matrix(costs, len(labels), n_rows)):
        return _with_matrix(name, X, np.asarray(y).ravel(), labels, costs, folds, random)
    classes, which = check_two_classes(y, pos_label)
    check_consistent_length(X, y)
    checked = Costs.checked(which.size, **_given_costs(costs))
    positive = which.astype(bool)
    label = classes[1] if pos_label is None else classes[classes == pos_label][0]
    splits = _splits(folds, X, positive.astype(np.intp), random)
    labels = np.asarray(y).ravel()
    return DataSet(name, X, labels, label, positive, checked, splits, groups=folds.groups)


def _with_matrix(
    name: str,
    X: Any,
    y: Any,
    classes: Any,
    costs: Any,
    folds: Folds,
    random: np.random.RandomState,
) -> DataSet:
    """Data set with a cost matrix: more than two classes, or two without a positive one."""
    check_consistent_length(X, y)
    if costs is not None and not isinstance(costs, Costs) and np.ndim(costs) != 2:
        raise ValueError(
            f"with the {len(classes)} classes {some(classes)}, pass cost_matrix: a row for each "
            "true class, a column for each prediction; fn_cost and fp_cost need pos_label"
        )
    matrix = check_matrix(costs, classes)
    code = np.searchsorted(classes, y)
    splits = _splits(folds, X, code, random)
    stated = Costs.matrix(matrix, classes.tolist())
    return DataSet(name, X, y, None, code > 0, stated, splits, classes, folds.groups)


def _is_matrix(costs: Any, n_classes: int, n_rows: int) -> bool:
    """Whether costs are a matrix, and not a pair of arrays for two rows."""
    square = isinstance(costs, (np.ndarray, list)) and np.shape(costs) == (n_classes, n_classes)
    return square and n_rows != n_classes


def _given_costs(costs: Any) -> dict[str, Any]:
    """The costs in a mapping or in a pair, by name."""
    usual = dict.fromkeys(MISTAKES, 1.0)
    if costs is None:
        return usual
    if isinstance(costs, Mapping):
        unknown = set(costs) - set(COST_NAMES)
        if unknown:
            raise ValueError(
                f"costs as a dict are {{'fn_cost': ..., 'fp_cost': ...}}, got {sorted(costs)!r}"
            )
        return usual | {name: cost for name, cost in costs.items() if cost is not None}
    if isinstance(costs, (tuple, list)) and len(costs) == 2:
        return dict(zip(MISTAKES, costs, strict=True))
    raise ValueError(
        "costs must be a pair (fn_cost, fp_cost), each a number or one for every row, or a dict "
        f"of them, got {costs!r}"
    )


def _splits(
    folds: Folds, X: Any, code: NDArray[np.intp], random: np.random.RandomState
) -> list[Split]:
    """Folds, the same for every estimator; every training part has all classes."""
    seed, cv, groups = (
        int(random.randint(2**31 - 1)),
        folds.cv,
        group_codes(folds.groups, code.size),
    )
    if groups is not None and (cv is None or isinstance(cv, Integral)):
        cv = _by_group(cv, code, groups, seed)
    if cv is None:
        cv = RepeatedStratifiedKFold(n_splits=N_FOLDS, n_repeats=N_REPEATS, random_state=seed)
    elif isinstance(cv, Integral) and not isinstance(cv, bool) and int(cv) >= 2:
        cv = StratifiedKFold(int(cv), shuffle=True, random_state=seed)
    elif isinstance(cv, str) or not (hasattr(cv, "split") or hasattr(cv, "__iter__")):
        raise ValueError(
            "cv must be a number of folds of at least 2, a splitter or a list of splits, got "
            f"{cv!r}"
        )
    rarest = int(np.bincount(code).min())
    n_folds = getattr(cv, "n_splits", None) or getattr(cv, "cvargs", {}).get("n_splits", 0)
    if isinstance(cv, (RepeatedStratifiedKFold, StratifiedKFold)) and rarest < n_folds:
        raise ValueError(
            f"{n_folds} stratified folds need at least {n_folds} rows of each class, but the "
            f"smaller one has {rarest}; pass a smaller cv"
        )
    own = () if groups is None else (groups,)
    found = check_cv(cv, code, classifier=True).split(X, code, *own)
    splits = [(_numbers(train, code.size), _numbers(held, code.size)) for train, held in found]
    refuse_divided_groups(f"cv={quoted(folds.cv)}", splits, groups)
    for train, held in splits:
        if np.unique(code[train]).size < code.max() + 1 or not held.size:
            raise ValueError(
                "cv makes a fold without rows of all classes to train on, or without rows to "
                "hold out; take fewer folds or a stratified splitter"
            )
    if not splits:
        raise ValueError("cv makes no folds")
    return splits


def _by_group(cv: Any, code: NDArray[np.intp], groups: Indices, seed: int) -> list[Split]:
    """Stratified folds of whole groups, by default several times."""
    n_folds, n_groups = N_FOLDS if cv is None else int(cv), int(groups.max()) + 1
    if not 2 <= n_folds <= n_groups:
        raise ValueError(
            f"cv must be a number of folds of at least 2 and at most the number of groups, "
            f"{n_groups}, got {n_folds}"
        )
    repeats = range(N_REPEATS if cv is None else 1)
    makers = [StratifiedGroupKFold(n_folds, shuffle=True, random_state=seed + k) for k in repeats]
    return [split for one in makers for split in one.split(code, code, groups)]


def _numbers(part: Any, n_rows: int) -> Indices:
    rows: Indices = np.arange(n_rows)[np.asarray(part)]
    return rows
