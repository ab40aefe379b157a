"""Calibration of a classifier: scores of rows it was not trained on tell what its scores mean."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import replace
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import LeaveOneOut, StratifiedKFold, train_test_split

from costboost.calibration import CALIBRATORS, Calibrator
from costboost.cells import Floats
from costboost.checks import check_folds, quoted, warn
from costboost.classifiers.checks import check_choice
from costboost.classifiers.problem import Problem
from costboost.progress import Folds

FOLDS = 5
"""Folds where the user says nothing."""

EDGE = 1e-10
LITTLE_EVIDENCE, LITTLE_A_ROW = 10, 0.1
"""Weights of less than so many rows in all, and of so little of a row each, look like shares."""

Rows = NDArray[np.intp]
Codes = NDArray[Any]
"""A class number for each row; with two classes, whether it is positive."""
Parts = list[tuple[Rows, Rows]]
"""Rows to train on and rows that are held out."""


def check_calibration(clf: Any, names: tuple[str, ...] = tuple(CALIBRATORS)) -> None:
    """The two parameters, as far as they can be judged without data."""
    if clf.calibration is not None:
        check_choice(clf, "calibration", names)
    split: Any = clf.calibration_split
    if isinstance(split, (bool, np.bool_, bytes, type)):
        good = False
    elif isinstance(split, Real):
        good = bool(0 < split < 1 if is_share(split) else split >= 2)  # type: ignore[operator]
    elif isinstance(split, str):
        good = split == "loo"
    else:
        good = split is None or _is_own(split)
    if not good:
        raise ValueError(
            "calibration_split must be None (5 folds), a share of the rows between 0 and 1, a "
            "number of folds of at least 2, 'loo', a splitter or a list of (train, test) pairs, "
            f"got {split!r}"
        )


def _is_own(split: Any) -> bool:
    """Whether the user says which rows are held out."""
    return not isinstance(split, str) and (hasattr(split, "split") or hasattr(split, "__iter__"))


def is_share(split: Any) -> bool:
    """Whether some rows are held out once, rather than all of them in turn."""
    return isinstance(split, Real) and not isinstance(split, Integral)


def fit_calibrated(clf: Any, problem: Problem, parts: Parts, earlier: Any) -> Any:
    """Train the classifier and fit its calibrator; what ``clf._train`` returns.

    With a share held out, the ensemble is trained on the other rows. With folds, each row is scored
    by an ensemble that has not seen it, and the one that is kept is trained on all rows. Where the
    classifier leaves a choice of settings, the scored rows decide.
    """
    problem = replace(problem, table=problem.table.read_once())
    held = np.concatenate([rows for _, rows in parts])
    choices, once = clf._choices(), is_share(clf.calibration_split)
    clf._chosen = choices[0]
    if len(choices) > 1 or not once:
        folds = Folds(clf.verbose, len(choices) * len(parts))
        certainties = [_certainty(clf, chosen, problem, parts, folds) for chosen in choices]
        folds.close()
        calibrators = [fitted_calibrator(clf, one, problem, held) for one in certainties]
        losses = [
            np.average(
                log_losses(calibrator.probability(one), problem.positive[held]),
                weights=problem.counts[held],
            )
            for calibrator, one in zip(calibrators, certainties, strict=True)
        ]
        best = int(np.argmin(losses))
        clf._chosen = choices[best]
    trained = clf._train(problem.take(parts[0][0]) if once else problem.counting(), earlier)
    if once:
        certainty = clf._certainty(problem.table.take(held))
        clf._calibrator = fitted_calibrator(clf, certainty, problem, held)
    else:
        clf._calibrator = calibrators[best]
    return trained


# ---- which rows ----------------------------------------------------------------------------------


def parts_of(clf: Any, problem: Problem) -> Parts:
    """Rows to train on, of either class, and rows to score; neither holds rows of weight 0."""
    total = problem.counts.sum()
    if total < min(LITTLE_EVIDENCE, LITTLE_A_ROW * problem.n_rows):
        warn(
            f"sample_weight adds up to {total:g} for {problem.n_rows} rows. Calibration takes "
            "weights as numbers of rows, so that there is hardly any evidence, and probabilities "
            "stay near 1/2. If the weights were scaled to such a sum, scale them to a mean of 1"
        )
    try:
        return split_rows(clf.calibration_split, problem.positive, problem.counts, clf._seed)
    except ValueError as error:
        if not problem.about:
            raise
        raise ValueError(f"{problem.about}: {error}") from error


def split_rows(split: Any, code: Codes, counts: Floats, seed: Callable[[], int]) -> Parts:
    """The same for any number of classes, from their codes and how often each row counts.

    A seed is drawn only where something is random.
    """
    if _is_own(split):
        parts = [
            (kept[counts[kept] > 0], held[counts[held] > 0])
            for kept, held in _given_parts(split, code)
        ]
    else:
        rows = np.flatnonzero(counts)
        own = _share if is_share(split) else _folds
        found = own(split, code[rows], seed())
        parts = [(rows[kept], rows[held]) for kept, held in found]
    for kept, _ in parts:
        if np.unique(code[kept]).size < 2:
            raise ValueError(
                f"{_said(split)} leaves {kept.size} rows to train on that are not of "
                "two classes; take a stratified splitter, fewer folds, or more rows"
            )
    held = np.concatenate([rows for _, rows in parts])
    if np.unique(code[held]).size < 2:
        raise ValueError(
            f"the {held.size} rows that {_said(split)} holds out are not of two classes; "
            "calibration needs both: hold out other or more rows"
        )
    return parts


def rarest(code: Codes) -> int:
    """Rows of the smallest class; none if there is one class only."""
    counts = np.unique(code, return_counts=True)[1]
    return int(counts.min()) if counts.size > 1 else 0


def _share(split: Any, code: Codes, seed: int) -> Parts:
    """Some rows held out once, stratified."""
    fewest, share = rarest(code), float(split)
    if min(fewest * share, fewest * (1 - share)) < 1:
        raise ValueError(
            f"calibration_split={split} cannot hold out and train on rows of every class: the "
            f"smallest one has {fewest} rows; give another share, folds, or more rows"
        )
    rows = np.arange(code.size)
    kept, held = train_test_split(rows, test_size=share, stratify=code, random_state=seed)
    return [(np.sort(kept), np.sort(held))]


def _folds(split: Any, code: Codes, seed: int) -> Parts:
    """Every row held out in turn; as many folds as there can be, where the user says nothing."""
    fewest = rarest(code)
    if fewest < 2:
        raise ValueError(
            f"calibration needs at least 2 rows of each class, to train on and to hold out, but "
            f"the smallest one has {fewest}; give more rows, or calibration=None"
        )
    n_folds = min(FOLDS, fewest) if split is None else split
    if isinstance(n_folds, str):
        return list(LeaveOneOut().split(code))
    if fewest < n_folds:
        raise ValueError(
            f"calibration_split={split} needs at least {split} rows of each class, but the "
            f"smallest one has {fewest}; take fewer folds, or calibration_split='loo'"
        )
    folds = StratifiedKFold(int(n_folds), shuffle=True, random_state=seed)
    return list(folds.split(code, code))


def _given_parts(split: Any, code: Codes) -> Parts:
    """What a splitter, or the user, says of all rows given to `fit`."""
    rows = np.arange(code.size)

    def parts() -> Parts:
        pairs = split.split(rows[:, None], code) if hasattr(split, "split") else split
        return [(_row_numbers(kept, rows), _row_numbers(held, rows)) for kept, held in pairs]

    return check_folds(_said(split), rows.size, parts)


def _said(split: Any) -> str:
    return f"calibration_split={quoted(split)}"


def _row_numbers(part: Any, rows: Rows) -> Rows:
    """Numbers or a mask as numbers of rows."""
    part = np.asarray(part)
    numbers: Rows = rows[part if part.size else part.astype(np.intp)]
    return numbers


# ---- training and scoring ------------------------------------------------------------------------


def _certainty(
    clf: Any, chosen: dict[str, Any], problem: Problem, parts: Parts, folds: Folds
) -> Floats:
    """What ensembles trained on the other rows say of the rows of each part."""
    said = []
    for kept, held in parts:
        other = trained_copy(clf, chosen, problem.take(kept))
        said.append(other._certainty(problem.table.take(held)))
        folds(f"{kept.size} rows")
    return np.concatenate(said)


def trained_copy(clf: Any, chosen: dict[str, Any], problem: Problem) -> Any:
    """The same classifier, trained on other rows."""
    other = copy.copy(clf)
    other.warm_start, other.verbose, other._chosen = False, 0, chosen
    other._train(problem, None)
    return other


def fitted_calibrator(clf: Any, certainty: Floats, problem: Problem, held: Rows) -> Calibrator:
    """Fitted to what is said of the rows held out."""
    positive, counts = problem.positive[held], problem.counts[held]
    return CALIBRATORS[clf.calibration]().fit(certainty, positive, counts)


def log_losses(probability: Floats, positive: NDArray[np.uint8]) -> Floats:
    """Log loss of each row."""
    inner = np.clip(probability, EDGE, 1 - EDGE)
    return -np.log(np.where(positive, inner, 1 - inner))
