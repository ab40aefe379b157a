"""Calibration of a classifier: scores of rows it was not trained on tell what its scores mean."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import LeaveOneOut, StratifiedKFold, check_cv, train_test_split

from costboost.calibration import CALIBRATORS, Calibrator
from costboost.classifiers.checks import check_choice
from costboost.classifiers.training import Problem

FOLDS = 5
"""Folds where the user says nothing."""

EDGE = 1e-10

Rows = NDArray[np.intp]


def check_calibration(clf: Any) -> None:
    """The two parameters, as far as they can be judged without data."""
    if clf.calibration is not None:
        check_choice(clf, "calibration", tuple(CALIBRATORS))
    split: Any = clf.calibration_split
    if isinstance(split, (bool, np.bool_)):
        good = False
    elif isinstance(split, Real):
        good = bool(0 < split < 1 if is_share(split) else split >= 2)  # type: ignore[operator]
    elif isinstance(split, str):
        good = split == "loo"
    else:
        good = split is None or hasattr(split, "split") or hasattr(split, "__iter__")
    if not good:
        raise ValueError(
            "calibration_split must be None (5 folds), a share of the rows between 0 and 1, a "
            f"number of folds of at least 2, 'loo' or a splitter, got {split!r}"
        )


def is_share(split: Any) -> bool:
    """Whether some rows are held out once, rather than all of them in turn."""
    return isinstance(split, Real) and not isinstance(split, Integral)


def fit_calibrated(clf: Any, problem: Problem, earlier: Any) -> Any:
    """Train the classifier and fit its calibrator; what ``clf._train`` returns.

    With a share held out, the ensemble is trained on the other rows. With folds, each row is scored
    by an ensemble that has not seen it, and the one that is kept is trained on all rows. Where the
    classifier leaves a choice of settings, the scored rows decide.
    """
    parts = list(_parts(clf, problem))
    choices = clf._choices()
    once = is_share(clf.calibration_split)
    if len(choices) > 1 or not once:
        found = [_fitted(clf, chosen, problem, parts) for chosen in choices]
        best = min(found, key=lambda one: one[0])
        clf._chosen = best[1]
    else:
        clf._chosen = choices[0]
    rows = problem.take(parts[0][0]) if once else problem
    trained = clf._train(rows, earlier)
    clf._calibrator = best[2] if not once else _calibrator(clf, problem, [(clf, parts[0][1])])[0]
    return trained


def _fitted(
    clf: Any, chosen: dict[str, Any], problem: Problem, parts: list[tuple[Rows, Rows]]
) -> tuple[float, dict[str, Any], Calibrator]:
    """Log loss of the calibrated scores under the chosen settings, these, and the calibrator."""
    scored = [(_trained_copy(clf, chosen, problem.take(kept)), held) for kept, held in parts]
    calibrator, loss = _calibrator(clf, problem, scored)
    return loss, chosen, calibrator


def _parts(clf: Any, problem: Problem) -> Iterator[tuple[Rows, Rows]]:
    """Rows to train on and rows to score, both with rows of either class."""
    positive, seed = problem.positive, clf._seed()
    rows = np.arange(problem.n_rows)
    rarest = int(min(positive.sum(), positive.size - positive.sum()))
    split: Any = clf.calibration_split
    if split is None:  # as many folds as there can be, where rows are very few
        split = min(FOLDS, max(2, rarest))
    if is_share(split):
        if min(rarest * split, rarest * (1 - split)) < 1:
            raise ValueError(
                f"calibration_split={split} cannot hold out and train on rows of both classes: the "
                f"smaller one has {rarest} rows; give another share, folds, or more rows"
            )
        kept, held = train_test_split(rows, test_size=split, stratify=positive, random_state=seed)
        yield np.sort(kept), np.sort(held)
        return
    if isinstance(split, Integral):
        if rarest < int(split):
            raise ValueError(
                f"calibration_split={split} needs at least {split} rows of each class, but the "
                f"smaller one has {rarest}; take fewer folds, or calibration_split='loo'"
            )
        split = StratifiedKFold(int(split), shuffle=True, random_state=seed)
    elif isinstance(split, str):
        split = LeaveOneOut()
    for kept, held in check_cv(split, positive, classifier=True).split(rows[:, None], positive):
        if not 0 < positive[kept].sum() < kept.size:
            raise ValueError(
                "calibration_split leaves a part to train on that has rows of one class only; take "
                "a stratified splitter or fewer folds"
            )
        yield kept, held


def _trained_copy(clf: Any, chosen: dict[str, Any], problem: Problem) -> Any:
    """The same classifier, trained on other rows."""
    other = copy.copy(clf)
    other.warm_start, other.verbose, other._chosen = False, 0, chosen
    other._train(problem, None)
    return other


def _calibrator(
    clf: Any, problem: Problem, scored: list[tuple[Any, Rows]]
) -> tuple[Calibrator, float]:
    """Fitted to the scores of all parts together, and its log loss on them."""
    held = np.concatenate([rows for _, rows in scored])
    positive, counts = problem.positive[held], problem.counts[held]
    if not 0 < positive.sum() < held.size:
        raise ValueError(
            "the rows held out for calibration are of one class only; calibration needs both"
        )
    score = np.concatenate([model._certainty(problem.table.take(rows)) for model, rows in scored])
    calibrator = CALIBRATORS[clf.calibration]().fit(score, positive, counts)
    probability = np.clip(calibrator.probability(score), EDGE, 1 - EDGE)
    own = np.where(positive, probability, 1 - probability)
    return calibrator, -float(np.average(np.log(own), weights=counts))
