"""Folds: which rows are held out when, and what models say that have not seen them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold, check_cv
from sklearn.utils import check_random_state
from sklearn.utils.parallel import Parallel, delayed

from costboost.checks import check_folds, quoted
from costboost.classifiers.collapse import one_class_allowed
from costboost.decisions.outcomes import Flags, Held
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
