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
    fitted_calibrator,
    log_loss,
    trained_copy,
)
from costboost.classifiers.training import Problem
from costboost.engine.ensemble import Ensemble

MOST_PARTS = 10
"""With more folds than this, too many trees would have to be kept."""
ENOUGH_ROWS, ENOUGH_OF_A_CLASS = 2000, 200
"""Settings that are worse on so many held-out rows are not trained on further folds."""


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
    for n, part in enumerate(parts, 1):
        for setting in settings:
            _learn(clf, setting, problem, part)
        if len(settings) > 1 and n < len(parts) and _tells_apart(problem, parts[:n]):
            settings = [min(settings, key=lambda one: _loss(clf, one, problem, parts))]
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


def _tells_apart(problem: Problem, parts: Parts) -> bool:
    """Whether enough rows were held out to choose among the settings."""
    positive = problem.positive[np.concatenate([held for _, held in parts])]
    rarer = min(int(positive.sum()), int(positive.size - positive.sum()))
    return positive.size >= ENOUGH_ROWS and rarer >= ENOUGH_OF_A_CLASS


def _loss(clf: Any, setting: Setting, problem: Problem, parts: Parts) -> float:
    """Calibrated log loss on the rows held out so far."""
    held = np.concatenate([rows for _, rows in parts[: len(setting.scores)]])
    certainty = clf._deciding().certainty(setting.score, 1.0, 1)
    calibrator = fitted_calibrator(clf, certainty, problem, held)
    return log_loss(calibrator.probability(certainty), problem, held)


def mix(scores: Floats, positive: Any, counts: Floats) -> Floats:
    """Weights of the columns, not below 0 and 1 in all: those of the best logistic regression."""
    columns = list(range(scores.shape[1]))
    while len(columns) > 1:
        # Platt's targets, or classes that a column separates would ask for endless weights
        of_class = np.where(positive, counts[positive == 1].sum(), counts[positive == 0].sum())
        fitted = fit_sigmoid(scores[:, columns], positive, counts, 1 / (of_class + 2))
        if np.all(fitted.weights >= 0) and fitted.weights.sum() > 0:
            shares = np.zeros(scores.shape[1])
            shares[columns] = fitted.weights / fitted.weights.sum()
            return shares
        columns.pop(int(np.argmin(fitted.weights * scores[:, columns].std(axis=0))))
    alone = np.zeros(scores.shape[1])
    alone[columns[0]] = 1.0
    return alone
