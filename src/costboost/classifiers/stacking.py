"""Several ensembles as one: what folds and settings have learnt is averaged, not thrown away.

Every fold trains an ensemble for each of the settings. The score of a setting is the mean over the
folds, and the scores of the settings are added with the weights that suit the held-out rows best::

    F = sum over settings s of a_s (F_s1 + ... + F_sK) / K

A sum of trees stays a sum of trees: the result is one ensemble, and no further one is trained.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from costboost.calibration.likelihood import fit_sigmoid
from costboost.cells import Floats
from costboost.classifiers.calibrating import (
    Parts,
    Rows,
    fitted_calibrator,
    log_losses,
    trained_copy,
)
from costboost.classifiers.problem import Problem
from costboost.engine.ensemble import Ensemble
from costboost.progress import Folds

MOST_PARTS = 10
"""With more folds than this, too many trees would have to be kept."""
SURELY_WORSE, ENOUGH_OF_A_CLASS = 3.0, 10
"""A setting whose loss on held-out rows is higher by so many standard errors is given up, if these
rows are at least so many of either class."""


@dataclass
class Setting:
    """What the folds have learnt under one choice of parameters."""

    chosen: dict[str, Any]
    members: list[Any]
    """The trained classifier of each fold, ..."""
    scores: list[Floats]
    """... and its scores of the rows that were held out."""

    @property
    def score(self) -> Floats:
        return np.concatenate(self.scores)


@dataclass(frozen=True)
class Stack:
    """The settings that take part, and their weights."""

    settings: list[Setting]
    weights: Floats
    score: Floats
    """Of the held-out rows, part after part."""

    @property
    def members(self) -> list[tuple[Any, float]]:
        """The classifiers whose scores are added, and the factor of each."""
        return [
            (member, weight / len(setting.members))
            for setting, weight in zip(self.settings, self.weights.tolist(), strict=True)
            for member in setting.members
            if weight and member.n_iter_
        ]

    def merged(self) -> tuple[Ensemble, Floats, Floats]:
        """One ensemble, its steps and errors. Trees come by turns, first rounds first."""
        members = self.members
        ensemble, order = Ensemble.merged([(one.ensemble_, factor) for one, factor in members])
        steps = np.concatenate([factor * one.estimator_weights_ for one, factor in members])
        errors = np.concatenate([one.estimator_errors_ for one, _ in members])
        return ensemble, steps[order], errors[order]


def stacked(clf: Any, problem: Problem, parts: Parts) -> Stack:
    """Train on every part and weigh the settings. Those that lose early are given up."""
    settings = [Setting(chosen, [], []) for chosen in clf._choices()]
    folds = Folds(clf.verbose, len(settings) * len(parts))
    for n, part in enumerate(parts, 1):
        for setting in settings:
            _learn(clf, setting, problem, part)
            folds(f"{setting.chosen['estimator']}s")
        if len(settings) > 1 and n < len(parts):
            settings = _not_surely_worse(clf, settings, problem, parts[:n])
            folds.expect(len(settings) * (len(parts) - n))
    folds.close()
    held = np.concatenate([rows for _, rows in parts])
    scores = np.column_stack([setting.score for setting in settings])
    weights = mix(scores, problem.positive[held], problem.counts[held])
    return Stack(settings, weights, scores @ weights)


def _learn(clf: Any, setting: Setting, problem: Problem, part: Any) -> None:
    kept, held = part
    member = trained_copy(clf, setting.chosen, problem.take(kept))
    table = problem.table.take(held)
    setting.members.append(member)
    setting.scores.append(member._scores(table) if member.n_iter_ else np.zeros(table.n_rows))


def _not_surely_worse(
    clf: Any, settings: list[Setting], problem: Problem, parts: Parts
) -> list[Setting]:
    """Without those that are worse than the best, row by row, beyond chance."""
    held = np.concatenate([rows for _, rows in parts])
    counts, seen = problem.counts[held], problem.seen[held]
    if np.bincount(problem.positive[held], seen, 2).min() < ENOUGH_OF_A_CLASS:
        return settings
    losses = [_losses(clf, setting, problem, held) for setting in settings]
    best = losses[int(np.argmin([np.average(loss, weights=counts) for loss in losses]))]
    return [
        setting
        for setting, loss in zip(settings, losses, strict=True)
        if not beyond_chance(loss - best, counts, seen)
    ]


def _losses(clf: Any, setting: Setting, problem: Problem, held: Rows) -> Floats:
    """Calibrated log loss of each row held out so far."""
    certainty = clf._deciding().certainty(setting.score, 1.0, 1)
    calibrator = fitted_calibrator(clf, certainty, problem, held)
    return log_losses(calibrator.probability(certainty), problem.positive[held])


def beyond_chance(excess: Floats, counts: Floats, seen: Floats) -> bool:
    """Whether the weighted mean is above 0 by more than its error.

    A row seen several times stands for as many rows that share its weight.
    """
    mean = np.average(excess, weights=counts)
    error = np.sqrt(np.sum((counts * (excess - mean)) ** 2 / seen)) / counts.sum()
    return bool(mean > SURELY_WORSE * error)


def mix(scores: Floats, positive: Any, counts: Floats) -> Floats:
    """Weights of the columns, not below 0 and 1 in all: those of the best logistic regression."""
    columns, positive = list(range(scores.shape[1])), np.asarray(positive, dtype=bool)
    while len(columns) > 1:
        # Platt's targets, or classes that a column separates would ask for endless weights
        of_class = np.where(positive, counts[positive].sum(), counts[~positive].sum())
        fitted = fit_sigmoid(scores[:, columns], positive, counts, 1 / (of_class + 2))
        if np.all(fitted.weights >= 0) and fitted.weights.sum() > 0:
            shares = np.zeros(scores.shape[1])
            shares[columns] = fitted.weights / fitted.weights.sum()
            return shares
        columns.pop(int(np.argmin(fitted.weights * _spread(scores[:, columns], counts))))
    alone = np.zeros(scores.shape[1])
    alone[columns[0]] = 1.0
    return alone


def _spread(scores: Floats, counts: Floats) -> Floats:
    """Weighted standard deviation of each column."""
    centred = scores - np.average(scores, axis=0, weights=counts)
    return np.asarray(np.sqrt(np.average(centred**2, axis=0, weights=counts)))
