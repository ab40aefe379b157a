"""Several ensembles as one: what folds and settings have learnt is averaged, not thrown away.

Every fold trains an ensemble for each of the settings. The score of a setting is the mean over the
folds, and the scores of the settings are added with the weights that suit the held-out rows best::

    F = sum over settings s of a_s (F_s1 + ... + F_sK) / K

A sum of trees stays a sum of trees: the result is one ensemble, and no further one is trained.

Stage t is the same sum of the first rounds: those that the settings would have with t rounds asked
for, instead of all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import count, islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from costboost.calibration.likelihood import Sigmoid, fit_sigmoid
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
from costboost.tables import Table

MOST_PARTS = 10
"""With more folds than this, too many trees would have to be kept."""
LEVELS = 1024
"""Scores of more rows than twice as many are put together before a line is fitted to them."""
LINES = 16
"""Stages for which a line is fitted."""
SURELY_WORSE, ENOUGH_OF_A_CLASS = 3.0, 10
"""A setting whose loss on held-out rows is higher by so many standard errors is given up, if these
rows are at least so many of either class."""


@dataclass
class Setting:
    """What the folds have learnt under one choice of parameters."""

    chosen: dict[str, Any]
    n_rounds: int
    """Rounds that its ensembles were asked for, ..."""
    n_stages: int
    """... where those of the classifier are so many."""
    members: list[Any] = field(default_factory=list)
    """The trained classifier of each fold, ..."""
    scores: list[Floats] = field(default_factory=list)
    """... and its scores of the rows that were held out."""

    @property
    def score(self) -> Floats:
        return np.concatenate(self.scores)

    def stages(self, member: Any) -> NDArray[np.intp]:
        """The stage at which each learner of an ensemble joins."""
        return np.asarray(np.arange(member.n_iter_) * self.n_stages // self.n_rounds + 1)

    def staged_scores(self, member: Any, table: Table) -> Iterator[Floats]:
        """Scores after each stage, of which there is no end: an ensemble keeps its last ones."""
        score = np.zeros(table.n_rows)
        joins = self.stages(member).tolist()
        scores = iter(member._staged_scores(table))
        for stage in count(1):
            while joins and joins[0] <= stage:
                joins.pop(0)
                score = next(scores)
            yield score


@dataclass(frozen=True)
class Stack:
    """The settings that take part, and their weights."""

    settings: list[Setting]
    weights: Floats
    score: Floats
    """Of the held-out rows, part after part."""

    @property
    def weighted(self) -> list[tuple[Setting, float]]:
        """The settings whose weight is not 0."""
        pairs = zip(self.settings, self.weights.tolist(), strict=True)
        return [(setting, weight) for setting, weight in pairs if weight]

    @property
    def members(self) -> list[tuple[Setting, Any, float]]:
        """The classifiers whose scores are added, their settings, and the factor of each."""
        return [
            (setting, member, weight / len(setting.members))
            for setting, weight in self.weighted
            for member in setting.members
            if member.n_iter_
        ]

    def merged(self) -> Merged:
        """One ensemble of all. Learners come stage after stage."""
        members = self.members
        turn = np.concatenate([setting.stages(one) for setting, one, _ in members])
        ensemble, order = Ensemble.merged([(one.ensemble_, by) for _, one, by in members], turn)
        steps = np.concatenate([factor * one.estimator_weights_ for _, one, factor in members])
        errors = np.concatenate([one.estimator_errors_ for _, one, _ in members])
        ends = np.searchsorted(turn[order], np.arange(1, turn.max() + 1), side="right")
        return Merged(ensemble, steps[order], errors[order], ends.astype(np.int64))

    def staged_scores(self, table: Table, parts: Parts) -> Iterator[Floats]:
        """Scores of the held-out rows after each stage, part after part; they do not end."""
        held = [table.take(rows) for _, rows in parts]
        members = [
            (weight, setting.staged_scores(member, part))
            for setting, weight in self.weighted
            for member, part in zip(setting.members, held, strict=True)
        ]
        n = len(parts)
        while True:
            said = [weight * next(scores) for weight, scores in members]
            settings = [np.concatenate(said[k : k + n]) for k in range(0, len(said), n)]
            yield np.sum(settings, axis=0)


class Merged(NamedTuple):
    """Several ensembles as one: learners, their steps and errors, and where each stage ends."""

    ensemble: Ensemble
    steps: Floats
    errors: Floats
    ends: NDArray[np.int64]


def stacked(clf: Any, problem: Problem, parts: Parts) -> Stack:
    """Train on every part and weigh the settings. Those that lose early are given up."""
    settings = [
        Setting(chosen, chosen.get("n_estimators", clf.n_estimators), clf.n_estimators)
        for chosen in clf._choices()
    ]
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
        fitted = _sigmoid(scores[:, columns], positive, counts)
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


def _sigmoid(scores: Floats, positive: NDArray[np.bool_], counts: Floats) -> Sigmoid:
    """Logistic regression with Platt's targets, so that it is finite if the classes separate."""
    of_class = np.where(positive, counts[positive].sum(), counts[~positive].sum())
    return fit_sigmoid(scores, positive, counts, 1 / (of_class + 2))


# ---- stages --------------------------------------------------------------------------------------


class Lines(NamedTuple):
    """slope F + shift of each stage, which a calibrator fitted to the last one can be given."""

    slope: Floats
    shift: Floats


def stage_lines(scores: Iterable[Floats], n_stages: int, positive: Any, counts: Floats) -> Lines:
    """Lines that calibrate the score of each stage as the last one is.

    The sigmoid that suits the held-out rows best after stage t, and that of the last stage T,

        P = 1 / (1 + exp(-(a_t F_t + b_t))),

    agree if F_t is replaced by (a_t F_t + b_t - b_T) / a_T. They are fitted for some stages, dense
    at the beginning, and interpolated between them.
    """
    positive = np.asarray(positive, dtype=bool)
    known = np.unique(np.geomspace(1, n_stages, LINES).round().astype(np.intp))
    fits = np.array(
        [
            _rising_line(*_binned(one, positive, counts))
            for stage, one in enumerate(islice(scores, n_stages), 1)
            if stage in known
        ]
    )
    last, offset = fits[-1]
    if last == 0:
        return Lines(np.ones(n_stages), np.zeros(n_stages))
    at, every = np.log(known), np.log(np.arange(1, n_stages + 1))
    return Lines(
        np.interp(every, at, fits[:, 0] / last),
        np.interp(every, at, (fits[:, 1] - offset) / last),
    )


def _rising_line(score: Floats, positive: NDArray[np.bool_], counts: Floats) -> tuple[float, float]:
    """Slope, not below 0, and intercept of the sigmoid of greatest likelihood."""
    fitted = _sigmoid(score[:, None], positive, counts)
    if fitted.weights[0] > 0:
        return float(fitted.weights[0]), fitted.intercept
    return 0.0, _sigmoid(score[:, None][:, :0], positive, counts).intercept


def _binned(
    score: Floats, positive: NDArray[np.bool_], counts: Floats
) -> tuple[Floats, NDArray[np.bool_], Floats]:
    """The same rows, or of many rows means over neighbouring scores of a class."""
    if score.size <= 2 * LEVELS:
        return score, positive, counts
    low, high = score.min(), score.max()
    level = ((score - low) * ((LEVELS - 1) / ((high - low) or 1.0))).astype(np.intp)
    cell = 2 * level + positive
    total: Floats = np.bincount(cell, counts, 2 * LEVELS).astype(np.float64)
    there = np.flatnonzero(total)
    mean = np.bincount(cell, counts * score, 2 * LEVELS)[there] / total[there]
    return mean, there % 2 == 1, total[there]
