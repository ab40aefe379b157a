"""Calibration: a calibrator is fitted to the scores of held-out rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import LeaveOneOut, StratifiedKFold, train_test_split

from costboost.calibration import CALIBRATORS, Calibrator
from costboost.checks import check_folds, quoted, warn
from costboost.model import BinaryModel
from costboost.progress import Folds
from costboost.training.ensemble import train
from costboost.training.jobs import Jobs
from costboost.training.problem import Problem, Settings, is_share
from costboost.training.stopping import log_losses
from costboost.vectors import Floats

FOLDS = 5
"""Default number of folds."""

Rows = NDArray[np.intp]
Codes = NDArray[Any]
"""A class number for each row; with two classes, whether it is positive."""
Parts = list[tuple[Rows, Rows]]
"""Pairs of training rows and held-out rows."""


def is_given(split: Any) -> bool:
    """Whether the held-out rows are given by a splitter or by pairs."""
    return not isinstance(split, str) and (hasattr(split, "split") or hasattr(split, "__iter__"))


def split_rows(split: Any, code: Codes, counts: Floats, seed: Callable[[], int]) -> Parts:
    """Training rows and held-out rows, for any number of classes; rows of weight 0 are left out.

    The seed is drawn only if the split is random.
    """
    if is_given(split):
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
                f"{_parameter(split)} leaves {kept.size} rows to train on that are not of "
                "two classes; take a stratified splitter, fewer folds, or more rows"
            )
    held = np.concatenate([rows for _, rows in parts])
    if np.unique(code[held]).size < 2:
        raise ValueError(
            f"the {held.size} rows that {_parameter(split)} holds out are not of two classes; "
            "calibration needs both: hold out other or more rows"
        )
    return parts


def rarest(code: Codes) -> int:
    """Number of rows of the smallest class; 0 if there is one class only."""
    counts = np.unique(code, return_counts=True)[1]
    return int(counts.min()) if counts.size > 1 else 0


def _share(split: Any, code: Codes, seed: int) -> Parts:
    """A share of the rows held out once, stratified."""
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
    """Every row held out in turn, by default in 5 folds or as many as the smallest class allows."""
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
    """Pairs of a splitter, or given by the user, as numbers of the rows given to `fit`."""
    rows = np.arange(code.size)

    def parts() -> Parts:
        pairs = split.split(rows[:, None], code) if hasattr(split, "split") else split
        return [(_row_numbers(kept, rows), _row_numbers(held, rows)) for kept, held in pairs]

    return check_folds(_parameter(split), rows.size, parts)


def _parameter(split: Any) -> str:
    """The parameter as text, for messages."""
    return f"calibration_split={quoted(split)}"


def _row_numbers(part: Any, rows: Rows) -> Rows:
    """Row numbers from row numbers or a mask."""
    part = np.asarray(part)
    numbers: Rows = rows[part if part.size else part.astype(np.intp)]
    return numbers


# ---- calibration: a calibrator is fitted to scores of rows that were not trained on --------------


MIN_WEIGHT, MIN_MEAN_WEIGHT = 10, 0.1
"""Weights whose sum and mean are below these were probably scaled to a sum of 1."""


def parts_of(problem: Problem, settings: Settings) -> Parts:
    """Training rows, of both classes, and held-out rows; none has weight 0."""
    total = problem.counts.sum()
    if total < min(MIN_WEIGHT, MIN_MEAN_WEIGHT * problem.n_rows):
        warn(
            f"sample_weight adds up to {total:g} for {problem.n_rows} rows. Calibration takes "
            "weights as numbers of rows, so that there is hardly any evidence, and probabilities "
            "stay near 1/2. If the weights were scaled to such a sum, scale them to a mean of 1"
        )
    split, seed = settings.calibration_split, settings.seed
    try:
        return split_rows(split, problem.positive, problem.counts, seed)
    except ValueError as error:
        if not problem.description:
            raise
        raise ValueError(f"{problem.description}: {error}") from error


def fit_calibrated(
    problem: Problem, settings: Settings, parts: Parts, earlier: BinaryModel | None
) -> BinaryModel:
    """Train an ensemble and fit its calibrator.

    With a share held out, the ensemble is trained on the other rows. With folds, each row is scored
    by an ensemble that was not trained on it, and the final one is trained on all rows. Among
    alternative settings, those with the least log loss on held-out rows are chosen.
    """
    held = np.concatenate([rows for _, rows in parts])
    alternatives = settings.alternatives or (settings,)
    once, best = is_share(settings.calibration_split), 0
    if len(alternatives) > 1 or not once:
        progress = Folds(settings.verbose, len(alternatives) * len(parts))
        certainties = [_certainty(problem, one, parts, progress) for one in alternatives]
        progress.close()
        calibrators = [fitted_calibrator(settings, one, problem, held) for one in certainties]
        losses = [
            np.average(
                log_losses(calibrator.probability(one), problem.positive[held]),
                weights=problem.counts[held],
            )
            for calibrator, one in zip(calibrators, certainties, strict=True)
        ]
        best = int(np.argmin(losses))
    own = problem.take(parts[0][0]) if once else problem.counting()
    trained = train(own, alternatives[best], earlier)
    if not once:
        return trained.finished(calibrators[best])
    model = trained.model
    certainty = model.certainty(model.scores(problem.take(held).own_table, settings.n_jobs))
    return trained.finished(fitted_calibrator(settings, certainty, problem, held))


def _certainty(problem: Problem, settings: Settings, parts: Parts, progress: Folds) -> Floats:
    """Certainties of the held-out rows, from ensembles trained on the other rows."""
    certainties = []
    jobs = [partial(_certainty_of_part, problem, settings, *part) for part in parts]
    with Jobs(jobs, problem.table.remote) as trained:
        for k, (kept, _) in enumerate(parts):
            certainties.append(trained.result(k))
            progress(f"{kept.size} rows")
    return np.concatenate(certainties)


def _certainty_of_part(problem: Problem, settings: Settings, kept: Rows, held: Rows) -> Floats:
    model = train_on_part(problem, settings, kept)
    return model.certainty(model.scores(problem.take(held).own_table, settings.n_jobs))


def train_on_part(problem: Problem, settings: Settings, rows: Rows) -> BinaryModel:
    """An ensemble trained on the given rows, without a progress bar."""
    return train(problem.take(rows), replace(settings, verbose=0)).model


def fitted_calibrator(
    settings: Settings, certainty: Floats, problem: Problem, held: Rows
) -> Calibrator:
    """A calibrator fitted to the certainties of the held-out rows."""
    assert settings.calibration is not None
    positive, counts = problem.positive[held], problem.counts[held]
    return CALIBRATORS[settings.calibration]().fit(certainty, positive, counts)
