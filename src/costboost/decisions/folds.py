"""Training data cut into folds, and predictions of models for rows they were not trained on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import get_config
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold, check_cv
from sklearn.utils import check_consistent_length, check_random_state
from sklearn.utils.metadata_routing import process_routing
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import has_fit_parameter

from costboost.checks import (
    check_folds,
    group_codes,
    jobs_for_joblib,
    one_class_allowed,
    quoted,
    refuse_divided_groups,
    refuse_unread,
)
from costboost.classifiers.checks import check_two_classes, check_weights
from costboost.classifiers.cost_cells import CELLS, GivenCosts, fit_cells
from costboost.cluster.collections import refuse_collections
from costboost.decisions.goals import Flags, HeldOut
from costboost.decisions.wrapping import check_estimator, positive_label
from costboost.metrics.checks import Floats
from costboost.tables.containers import checked_sparse

FOLDS = 5
"""Default number of folds."""

Indices = NDArray[np.intp]
Split = tuple[Indices, Indices]


def make_splits(
    cv: Any,
    X: Any,
    positive: Flags,
    counts: Flags,
    random_state: Any,
    groups: Indices | None = None,
) -> list[Split]:
    """Training rows and held-out rows of each fold, restricted to the rows that count.

    Every training part has rows of both classes, and so do all held-out rows together. No group is
    in both parts of a split.
    """
    if cv is None or isinstance(cv, Integral):
        n_folds = FOLDS if cv is None else cv
        splits = _stratified(n_folds, positive, counts, random_state, groups)
    elif isinstance(cv, str) or not (hasattr(cv, "split") or hasattr(cv, "__iter__")):
        raise ValueError(
            f"cv must be a number of folds, a splitter or a list of splits, got {cv!r}"
        )
    else:
        splits = _given(cv, X, positive, counts, groups)
        refuse_divided_groups(f"cv={quoted(cv)}", splits, groups)
    for train, _ in splits:
        if not _both(positive[train]):
            raise ValueError(
                "cv makes a training part that has rows of one class only; take fewer folds or "
                "a stratified splitter"
            )
    if not _both(positive[np.concatenate([held for _, held in splits])]):
        raise ValueError("cv holds out rows of one class only; a goal needs rows of both")
    return splits


HELD_OUT = 1 / 3
"""Default share of the rows that are held out for a guarantee."""


def make_split(
    cv: Any, estimator: Any, X: Any, positive: Flags, counts: Flags, random_state: Any
) -> list[Split]:
    """Training rows and held-out rows of the one split that a guarantee is based on.

    A share is drawn at random and not by class, so that the held-out rows are independent. For a
    classifier that is fitted already, all rows are held out by default.
    """
    rows = np.flatnonzero(counts)
    if cv is None and isinstance(estimator, FrozenEstimator):
        splits = [(rows, rows)]
    elif cv is None or (isinstance(cv, Real) and not isinstance(cv, Integral)):
        splits = [_drawn(HELD_OUT if cv is None else float(cv), rows, random_state)]
    elif isinstance(cv, Integral):
        raise ValueError(_no_folds(cv))
    else:
        splits = make_splits(cv, X, positive, counts, random_state)
        if len(splits) != 1:
            raise ValueError(_no_folds(cv))
    for part, name in zip(splits[0], ("trains with", "holds out"), strict=True):
        if not _both(positive[part]):
            raise ValueError(
                f"cv {name} rows of one class only; bring more rows or another share of them"
            )
    return splits


def _drawn(share: float, rows: Indices, random_state: Any) -> Split:
    if not 0 < share < 1:
        raise ValueError(f"cv must be a share of the rows between 0 and 1, got {share!r}")
    order = check_random_state(random_state).permutation(rows)
    n_held = max(1, round(share * rows.size))
    return order[n_held:], order[:n_held]


def _no_folds(cv: Any) -> str:
    return (
        f"a guarantee needs rows that took no part in the training, and cv={quoted(cv)} makes "
        "folds, after which the classifier is trained on all rows; pass a share of the rows to be "
        "held out, such as cv=0.3, or a splitter with one split"
    )


def _stratified(
    n_folds: Any, positive: Flags, counts: Flags, random_state: Any, groups: Indices | None
) -> list[Split]:
    if isinstance(n_folds, (bool, np.bool_)) or n_folds < 2:
        raise ValueError(f"cv must be a number of folds of at least 2, got {n_folds!r}")
    rows = np.flatnonzero(counts)
    rarest = int(min(positive[rows].sum(), (~positive[rows]).sum()))
    if rarest < n_folds:
        raise ValueError(
            f"cv={n_folds} needs at least {n_folds} rows of each class, but the smaller one has "
            f"{rarest}; take fewer folds or more rows"
        )
    seed = check_random_state(random_state).randint(2**31 - 1)
    if groups is None:
        folds = StratifiedKFold(int(n_folds), shuffle=True, random_state=seed)
        return [(rows[a], rows[b]) for a, b in folds.split(rows[:, None], positive[rows])]
    own = groups[rows]
    if np.unique(own).size < n_folds:
        raise ValueError(
            f"cv={n_folds} needs at least {n_folds} groups, but there are {np.unique(own).size}; "
            "take fewer folds"
        )
    by_group = StratifiedGroupKFold(int(n_folds), shuffle=True, random_state=seed)
    return [(rows[a], rows[b]) for a, b in by_group.split(rows[:, None], positive[rows], own)]


def _given(cv: Any, X: Any, positive: Flags, counts: Flags, groups: Indices | None) -> list[Split]:
    """Splits of a splitter, or those that the user gives."""

    def splits() -> list[Split]:
        own = () if groups is None else (groups,)
        found = check_cv(cv, positive, classifier=True).split(X, positive, *own)
        return [(_rows(train, counts), _rows(held, counts)) for train, held in found]

    return check_folds(f"cv={quoted(cv)}", counts.size, splits)


def _rows(part: Any, counts: Flags) -> Indices:
    """Indices of the rows of a part that count."""
    rows: Indices = np.arange(counts.size)[np.asarray(part)]
    return rows[counts[rows]]


def _both(positive: Flags) -> bool:
    return bool(0 < positive.sum() < positive.size)


@dataclass(frozen=True)
class GivenFolds:
    """Splitter that returns given splits."""

    splits: list[Split]

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[Split]:
        """Iterate over the splits."""
        return iter(self.splits)

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Number of splits."""
        return len(self.splits)


# ---- rows ----------------------------------------------------------------------------------------


def take(X: Any, rows: Indices) -> Any:
    """Select rows of an array, data frame, Arrow table, sparse matrix or list."""
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    if hasattr(X, "tocsr"):
        return checked_sparse(X).tocsr()[rows]
    if hasattr(X, "schema"):  # polars and pyarrow
        return X.take(rows) if hasattr(X, "take") else X[rows]
    values = np.asarray(X)
    if values.ndim == 0:
        raise ValueError(f"X must have rows and columns, got {X!r}")
    return values[rows]


def held_out(
    splits: Sequence[Split], positive: Flags, weight: Floats, cost: Floats, right: Floats | None
) -> HeldOut:
    """Held-out rows of all folds, one fold after the other."""
    rows = np.concatenate([held for _, held in splits])
    fold = np.repeat(np.arange(len(splits)), [held.size for _, held in splits])
    once = weight[np.unique(rows)]
    effective = once.sum() ** 2 / (once @ once)  # Kish's effective sample size
    pooled = weight[rows]
    right = None if right is None else right[rows]
    effective /= pooled.sum()
    return HeldOut(positive[rows], pooled, cost[rows], fold, float(effective), right)


# ---- out-of-fold predictions ---------------------------------------------------------------------


def out_of_fold(
    models: Sequence[Any],
    X: Any,
    y: NDArray[Any],
    splits: Sequence[Split],
    params: Mapping[str, Any],
    predict: Callable[[Any, Any], NDArray[Any]],
    n_jobs: int | None,
) -> NDArray[Any]:
    """Result of ``predict(fitted, X)`` for the held-out rows of all folds: a row for each model."""
    found = Parallel(n_jobs=jobs_for_joblib(n_jobs, len(models) * len(splits)))(
        delayed(_fit_and_predict)(model, X, y, split, params, predict)
        for model in models
        for split in splits
    )
    n = len(splits)
    return np.array([np.concatenate(found[k : k + n]) for k in range(0, len(found), n)])


def _fit_and_predict(
    model: Any, X: Any, y: NDArray[Any], split: Split, params: Mapping[str, Any], predict: Any
) -> Any:
    train, held = split
    return predict(_fit(clone(model), X, y, train, params), take(X, held))


def _fit(model: Any, X: Any, y: NDArray[Any], rows: Indices, params: Mapping[str, Any]) -> Any:
    own = {name: take(values, rows) for name, values in params.items()}
    with one_class_allowed():  # only the chosen point is checked for a constant prediction
        return model.fit(take(X, rows), y[rows], **own)


def positive_score(model: Any, X: Any, label: Any) -> Floats:
    """Probability of a class, or a score that is higher for it if there are no probabilities."""
    if hasattr(model, "predict_proba"):
        column = int(np.flatnonzero(model.classes_ == label)[0])
        score = np.asarray(model.predict_proba(X), dtype=float)[:, column]
    else:
        score = np.asarray(model.decision_function(X), dtype=float)
        score = score if model.classes_[1] == label else -score
    if not np.isfinite(score).all():
        raise ValueError(
            f"{type(model).__name__} returns {score[~np.isfinite(score)][0]} for some rows; a "
            "threshold needs finite scores"
        )
    return score


def predicted_positive(model: Any, X: Any, label: Any) -> Flags:
    """Whether `predict` returns the positive label, for each row."""
    return np.asarray(model.predict(X) == label, dtype=bool)


# ---- training data of a classifier around another one --------------------------------------------


@dataclass(frozen=True)
class FoldedData:
    """Validated training data of a classifier around another one, cut into folds."""

    X: Any
    y: NDArray[Any]
    classes: NDArray[Any]
    label: Any
    """The positive class."""
    stated: Any
    """The positive class if a parameter states it, else None."""
    fn_cost: float
    fp_cost: float
    """Net costs, averaged over the rows of the class that they apply to."""
    tp_cost: float
    tn_cost: float
    """Costs of right predictions, averaged over the rows of their class."""
    params: dict[str, Any]
    """Further arguments of the inner `fit`, with an entry for each row."""
    weight: Floats
    cost: Floats
    """Net cost of an error on each row."""
    right: Floats | None
    """Cost of the right prediction for each row; None if it costs nothing."""
    splits: list[Split]
    held: HeldOut

    @property
    def is_uniform(self) -> bool:
        """Whether all weights are 1, and all rows of a class have the same cost."""
        of_class = np.where(self.y == self.label, self.fn_cost, self.fp_cost)
        uniform = np.all(self.weight == 1) and np.all(self.cost == of_class)
        if self.right is not None:
            uniform &= np.all(self.right == np.where(self.y == self.label, *self.right_costs))
        return bool(uniform)

    @property
    def right_costs(self) -> tuple[float, float]:
        """Costs of a true positive and of a true negative, averaged over their classes."""
        return self.tp_cost, self.tn_cost

    def refuse_dominance(self) -> None:
        """Raise a ValueError if a mean net cost is not above 0, for a search of training costs."""
        if self.fn_cost <= 0 or self.fp_cost <= 0:
            raise ValueError(
                "a classifier is trained for mistakes that cost more than right predictions, but "
                f"on average fn_cost - tp_cost is {self.fn_cost:g} and fp_cost - tn_cost is "
                f"{self.fp_cost:g}: one prediction is best for all rows"
            )

    def without_costs(self) -> FoldedData:
        """Copy without costs of rows among the arguments of the inner `fit`."""
        params = {k: v for k, v in self.params.items() if k not in CELLS}
        return replace(self, params=params)

    def out_of_fold(
        self, models: Sequence[Any], predict: Callable[..., NDArray[Any]], n_jobs: int | None
    ) -> NDArray[Any]:
        """Result of ``predict(fitted, X, label)`` for each held-out row: a row for each model."""
        of_label = partial(predict, label=self.label)
        return out_of_fold(models, self.X, self.y, self.splits, self.params, of_label, n_jobs)

    def fitted_on_split(self, model: Any) -> tuple[Any, Floats]:
        """Fit the model on the training rows of the one split, and score its held-out rows."""
        ((train, held),) = self.splits
        fitted = _fit(model, self.X, self.y, train, self.params)
        return fitted, positive_score(fitted, take(self.X, held), self.label)

    def fitted(self, model: Any) -> Any:
        """Fit the model on all rows, without a warning if it predicts a single class."""
        with one_class_allowed():
            return model.fit(self.X, self.y, **self.params)


def read_data(
    clf: Any, X: Any, y: Any, sample_weight: Any, given: GivenCosts, groups: Any = None
) -> FoldedData:
    """Validate the arguments of `fit`, and cut the rows into folds."""
    check_estimator(clf.estimator)
    refuse_collections(type(clf).__name__, X, y, sample_weight, groups, *given)
    stated = positive_label(clf.estimator, clf.pos_label)
    classes, which = check_two_classes(y, stated)
    refuse_unread("X", X)
    check_consistent_length(X, y)
    n, positive = which.size, which.astype(bool)
    codes = group_codes(groups, n)
    params = _routed(clf, n, sample_weight=sample_weight, groups=groups, **given._asdict())
    weight = check_weights(sample_weight, n)
    weight = np.ones(n) if weight is None else weight
    cells = fit_cells(clf, given, n)
    costs, (tp, tn) = cells.net, cells.right or (0.0, 0.0)
    counts = weight > 0
    if getattr(clf, "guarantee", None) is None:
        splits = make_splits(clf.cv, X, positive, counts, clf.random_state, codes)
    elif groups is not None:
        raise ValueError(
            "a guarantee assumes rows that are independent of each other, and rows of a group are "
            "not; leave out groups or guarantee"
        )
    else:
        splits = make_split(clf.cv, clf.estimator, X, positive, counts, clf.random_state)
    cost = np.where(positive, costs.fn, costs.fp)
    right = None if cells.right is None else cells.of_right_predictions(positive)
    return FoldedData(
        X,
        np.asarray(y).ravel(),
        classes,
        classes[1] if stated is None else classes[classes == stated][0],
        stated,
        _mean(costs.fn, positive, weight),
        _mean(costs.fp, ~positive, weight),
        _mean(tp, positive, weight),
        _mean(tn, ~positive, weight),
        params,
        weight,
        cost,
        right,
        splits,
        held_out(splits, positive, weight, cost, right),
    )


def _mean(cost: Any, rows: NDArray[np.bool_], weight: Floats) -> float:
    return float(np.average(cost[rows], weights=weight[rows]) if np.ndim(cost) else cost)


def _routed(clf: Any, n_rows: int, **given: Any) -> dict[str, Any]:
    """Arguments of the inner `fit`: the metadata that it requests, or the weights."""
    there = {name: _per_row(value, n_rows) for name, value in given.items() if value is not None}
    if get_config()["enable_metadata_routing"]:
        return dict(process_routing(clf, "fit", **there).estimator.fit)
    groups = {"groups": there["groups"]} if "groups" in there else {}
    if groups and not has_fit_parameter(clf.estimator, "groups"):
        groups = {}
    if "sample_weight" not in there:
        return groups
    if not has_fit_parameter(clf.estimator, "sample_weight"):
        raise ValueError(
            f"{type(clf.estimator).__name__}.fit takes no sample_weight. If a step of it does, "
            "sklearn.set_config(enable_metadata_routing=True) and set_fit_request(sample_weight="
            "True) of that step bring the weights there"
        )
    return {"sample_weight": there["sample_weight"], **groups}


def _per_row(value: Any, n_rows: int) -> NDArray[Any]:
    values = np.asarray(value)
    return np.full(n_rows, values) if values.ndim == 0 else values
