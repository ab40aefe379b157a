"""Training data cut into folds, and predictions of models for the rows they were not trained on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import get_config
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold, check_cv
from sklearn.utils import check_consistent_length, check_random_state
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import has_fit_parameter

from costboost.checks import check_folds, quoted, refuse_unread
from costboost.classifiers.checks import check_costs, check_two_classes, check_weights
from costboost.classifiers.collapse import one_class_allowed
from costboost.decisions.outcomes import Flags, Held
from costboost.decisions.wrapping import check_estimator, positive_label
from costboost.metrics.checks import Floats
from costboost.tables.sparse import checked_sparse

FOLDS = 5
"""Folds where the user says nothing."""

Rows = NDArray[np.intp]
Split = tuple[Rows, Rows]


# ---- which rows ----------------------------------------------------------------------------------


def make_splits(cv: Any, X: Any, positive: Flags, counts: Flags, random_state: Any) -> list[Split]:
    """Rows to train on and rows held out, of those that count; all parts to train on have both
    classes, and so have the rows held out, taken together."""
    if cv is None or isinstance(cv, Integral):
        splits = _stratified(FOLDS if cv is None else cv, positive, counts, random_state)
    elif isinstance(cv, str) or not (hasattr(cv, "split") or hasattr(cv, "__iter__")):
        raise ValueError(
            f"cv must be a number of folds, a splitter or a list of splits, got {cv!r}"
        )
    else:
        splits = _given(cv, X, positive, counts)
    for train, _ in splits:
        if not _both(positive[train]):
            raise ValueError(
                "cv leaves a part to train on that has rows of one class only; take fewer folds or "
                "a stratified splitter"
            )
    if not _both(positive[np.concatenate([held for _, held in splits])]):
        raise ValueError("cv holds out rows of one class only; a goal needs rows of both")
    return splits


def _stratified(n_folds: Any, positive: Flags, counts: Flags, random_state: Any) -> list[Split]:
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
    folds = StratifiedKFold(int(n_folds), shuffle=True, random_state=seed)
    return [(rows[a], rows[b]) for a, b in folds.split(rows[:, None], positive[rows])]


def _given(cv: Any, X: Any, positive: Flags, counts: Flags) -> list[Split]:
    """What a splitter, or the user, says of the rows."""

    def splits() -> list[Split]:
        found = check_cv(cv, positive, classifier=True).split(X, positive)
        return [(_rows(train, counts), _rows(held, counts)) for train, held in found]

    return check_folds(f"cv={quoted(cv)}", counts.size, splits)


def _rows(part: Any, counts: Flags) -> Rows:
    """The rows of a part that count, by number."""
    rows: Rows = np.arange(counts.size)[np.asarray(part)]
    return rows[counts[rows]]


def _both(positive: Flags) -> bool:
    return bool(0 < positive.sum() < positive.size)


@dataclass(frozen=True)
class GivenFolds:
    """A splitter for folds that are there already."""

    splits: list[Split]

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[Split]:
        """The folds, one by one."""
        return iter(self.splits)

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """How many there are."""
        return len(self.splits)


def take(X: Any, rows: Rows) -> Any:
    """Some rows of an array, data frame, Arrow table, sparse matrix or list."""
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    if hasattr(X, "tocsr"):
        return checked_sparse(X).tocsr()[rows]
    if hasattr(X, "schema"):  # polars and pyarrow
        return X.take(rows) if hasattr(X, "take") else X[rows]
    return np.asarray(X)[rows]


def held_out(splits: Sequence[Split], positive: Flags, weight: Floats, cost: Floats) -> Held:
    """The rows held out in all folds, one fold after the other."""
    rows = np.concatenate([held for _, held in splits])
    fold = np.repeat(np.arange(len(splits)), [held.size for _, held in splits])
    once = weight[np.unique(rows)]
    alike = once.sum() ** 2 / (once @ once)  # rows of equal weight that would tell as much (Kish)
    pooled = weight[rows]
    return Held(positive[rows], pooled, cost[rows], fold, float(alike / pooled.sum()))


# ---- what models say -----------------------------------------------------------------------------


def out_of_fold(
    models: Sequence[Any],
    X: Any,
    y: NDArray[Any],
    splits: Sequence[Split],
    params: Mapping[str, Any],
    answer: Callable[[Any, Any], NDArray[Any]],
    n_jobs: int | None,
) -> NDArray[Any]:
    """Answers of each model for the rows held out: a line for each, as long as all folds."""
    said = Parallel(n_jobs=n_jobs)(
        delayed(_answer)(model, X, y, split, params, answer) for model in models for split in splits
    )
    n = len(splits)
    return np.array([np.concatenate(said[k : k + n]) for k in range(0, len(said), n)])


def _answer(
    model: Any, X: Any, y: NDArray[Any], split: Split, params: Mapping[str, Any], answer: Any
) -> Any:
    train, held = split
    own = {name: take(values, train) for name, values in params.items()}
    with one_class_allowed():  # the points are compared, and the one that is chosen is looked at
        fitted = clone(model).fit(take(X, train), y[train], **own)
    return answer(fitted, take(X, held))


def positive_score(model: Any, X: Any, label: Any) -> Floats:
    """Probability of a class, or where there is none the score that is higher for it."""
    if hasattr(model, "predict_proba"):
        column = int(np.flatnonzero(model.classes_ == label)[0])
        score = np.asarray(model.predict_proba(X), dtype=float)[:, column]
    else:
        score = np.asarray(model.decision_function(X), dtype=float)
        score = score if model.classes_[1] == label else -score
    if not np.isfinite(score).all():
        raise ValueError(
            f"{type(model).__name__} says {score[~np.isfinite(score)][0]} for some rows; a "
            "threshold needs finite scores"
        )
    return score


def called_positive(model: Any, X: Any, label: Any) -> Flags:
    """Which rows the model itself calls positive."""
    return np.asarray(model.predict(X) == label, dtype=bool)


@dataclass(frozen=True)
class Problem:
    """Rows with labels, and folds of them."""

    X: Any
    y: NDArray[Any]
    classes: NDArray[Any]
    label: Any
    """The positive one of the classes."""
    stated: Any
    """The same if somebody has said so, else None."""
    fn_cost: float
    fp_cost: float
    """Costs, averaged over the rows that they are for."""
    params: dict[str, Any]
    """What else the classifier wants to be fitted with, an entry for each row."""
    weight: Floats
    cost: Floats
    """What a mistake on the row costs."""
    splits: list[Split]
    held: Held

    @property
    def is_uniform(self) -> bool:
        """Whether all rows count the same, and all of a class cost the same."""
        of_class = np.where(self.y == self.label, self.fn_cost, self.fp_cost)
        return bool(np.all(self.weight == 1) and np.all(self.cost == of_class))

    def without_costs(self) -> Problem:
        """The same for a classifier that is trained for other costs than the true ones."""
        params = {k: v for k, v in self.params.items() if k not in ("fn_cost", "fp_cost")}
        return replace(self, params=params)

    def answers(
        self, models: Sequence[Any], answer: Callable[..., NDArray[Any]], n_jobs: int | None
    ) -> NDArray[Any]:
        """What models trained on the other folds say of each held-out row."""
        return out_of_fold(
            models, self.X, self.y, self.splits, self.params, About(answer, self.label), n_jobs
        )

    def fitted(self, model: Any) -> Any:
        """The model, trained on all rows; the point it operates at is looked at elsewhere."""
        with one_class_allowed():
            return model.fit(self.X, self.y, **self.params)


@dataclass(frozen=True)
class About:
    """An answer about the positive class; a record, since it travels to other processes."""

    answer: Callable[..., NDArray[Any]]
    label: Any

    def __call__(self, model: Any, X: Any) -> NDArray[Any]:
        return self.answer(model, X, self.label)


def read_problem(
    clf: Any, X: Any, y: Any, sample_weight: Any, fn_cost: Any, fp_cost: Any
) -> Problem:
    """Everything that `fit` was given."""
    check_estimator(clf.estimator)
    stated = positive_label(clf.estimator, clf.pos_label)
    classes, which = check_two_classes(y, stated)
    refuse_unread("X", X)
    check_consistent_length(X, y)
    n, positive = which.size, which.astype(bool)
    params = _routed(clf, n, sample_weight=sample_weight, fn_cost=fn_cost, fp_cost=fp_cost)
    weight = check_weights(sample_weight, n)
    weight = np.ones(n) if weight is None else weight
    costs = check_costs(
        clf.fn_cost if fn_cost is None else fn_cost, clf.fp_cost if fp_cost is None else fp_cost, n
    )
    splits = make_splits(clf.cv, X, positive, weight > 0, clf.random_state)
    cost = np.where(positive, costs.fn, costs.fp)
    return Problem(
        X,
        np.asarray(y).ravel(),
        classes,
        classes[1] if stated is None else classes[classes == stated][0],
        stated,
        _mean(costs.fn, positive, weight),
        _mean(costs.fp, ~positive, weight),
        params,
        weight,
        cost,
        splits,
        held_out(splits, positive, weight, cost),
    )


def _mean(cost: Any, rows: NDArray[np.bool_], weight: Floats) -> float:
    return float(np.average(cost[rows], weights=weight[rows]) if np.ndim(cost) else cost)


# ---- metadata ------------------------------------------------------------------------------------


def router(clf: Any) -> MetadataRouter:
    """Who gets what: a classifier around another one uses weights and costs, and passes them on."""
    mapping = MethodMapping().add(caller="fit", callee="fit")
    return (
        MetadataRouter(owner=clf)
        .add_self_request(clf)
        .add(estimator=clf.estimator, method_mapping=mapping)
    )


def _routed(clf: Any, n_rows: int, **given: Any) -> dict[str, Any]:
    """What the estimator is to be fitted with: what it asks for, or else the weights."""
    there = {name: _per_row(value, n_rows) for name, value in given.items() if value is not None}
    if get_config()["enable_metadata_routing"]:
        return dict(process_routing(clf, "fit", **there).estimator.fit)
    if "sample_weight" not in there:
        return {}
    if not has_fit_parameter(clf.estimator, "sample_weight"):
        raise ValueError(
            f"{type(clf.estimator).__name__}.fit takes no sample_weight. If a step of it does, "
            "sklearn.set_config(enable_metadata_routing=True) and set_fit_request(sample_weight="
            "True) of that step bring the weights there"
        )
    return {"sample_weight": there["sample_weight"]}


def _per_row(value: Any, n_rows: int) -> NDArray[Any]:
    values = np.asarray(value)
    return np.full(n_rows, values) if values.ndim == 0 else values
