"""Splits into training rows and held-out rows: folds, and the one split of a guarantee."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold, check_cv
from sklearn.utils import check_random_state

from costboost.checks import check_folds, quoted, refuse_divided_groups
from costboost.decisions.outcomes import Flags

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
