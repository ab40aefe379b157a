"""Rounds by evidence: the log loss of held-out rows decides when an ensemble ends.

The log loss is that of the best sigmoid of the scores, since the scores are calibrated later: an
ensemble whose scores are only too large is not stopped for that.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from math import ceil
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from costboost.calibration.base import Sigmoid, fit_sigmoid, smoothing_slack
from costboost.calibration.calibrators import LOG_ODDS_SMOOTHING
from costboost.elementary import exp, expit, log, log1p
from costboost.loop import Round
from costboost.model import BinaryModel
from costboost.training.problem import Problem, Settings
from costboost.vectors import Floats

USUAL_ROUNDS = 50
"""Rounds of trees by which an ensemble ends unless the log loss still falls a lot."""
FEW_ROWS, MOST_TIMES = 1_000, 4.0
"""Above this number of rows, more rounds are allowed in proportion to them, up to so many times the
usual number."""
CHECKS = 0.25
"""When the log loss is computed: at intervals that are this share of the usual number of rounds."""
WORTH_MORE = 0.01
"""The log loss must fall by this share from check to check for more than the usual rounds."""
STANDARD_ERRORS = 2.0
"""The ensemble ends earlier if the log loss is above the least one by this many of them."""
LEVELS = 1024
"""Scores of more rows than twice this number are averaged within levels before a fit."""
MOST_STEPS, MOST_HALVINGS, SETTLED, LEAST_DETERMINANT = 30, 10, 1e-6, 1e-12
"""When Newton steps of a sigmoid end: SETTLED is a share of the loss."""
ROUNDING = 1e-14
"""A step that raises the loss by no more than this share only shows its rounding."""
ROSE = "the log loss of held-out rows rose"
HARDLY_FELL = "more rounds hardly lower the log loss of held-out rows"


def most_rounds(usual: int, n_rows: int) -> int:
    """Greatest number of rounds that evidence may lead to."""
    return ceil(usual * min(MOST_TIMES, max(1.0, n_rows / FEW_ROWS)))


class Evidence:
    """Ends the fit of an ensemble by the log loss of held-out rows."""

    def __init__(
        self, empty: BinaryModel, settings: Settings, training: Any, held: Problem
    ) -> None:
        self.empty = empty
        self.usual = settings.usual_rounds or settings.n_estimators
        self.n_jobs = settings.n_jobs
        self.training = training
        self.table = held.own_table
        self.positive = held.positive.astype(bool)
        self.counts, self.seen = held.counts, held.seen
        self.score = np.zeros(held.n_rows)
        self.line: Line | None = None
        self.least: Floats | None = None
        """Log loss of each held-out row when their mean was least."""
        self.n_rounds = 0
        self.waiting: list[Round] = []
        """Rounds whose learners are not in the scores yet."""
        self.checks = _checks(self.usual)
        self.next_check = next(self.checks)

    def __call__(self, one: Round) -> str | None:
        self.waiting.append(one)
        self.n_rounds += 1
        if self.n_rounds < self.next_check:
            return None
        while self.next_check <= self.n_rounds:
            self.next_check = next(self.checks)
        self.score = self.score + self._scores_of(self.waiting)
        self.waiting = []
        self.line = best_line(*binned(self.score, self.positive, self.counts), self.line)
        return self._verdict(self.line.losses(self.score, self.positive))

    def _scores_of(self, rounds: list[Round]) -> Floats:
        """Scores of the held-out rows by the learners of some rounds."""
        ensemble = self.training.learner.model((one.hypothesis, one.step) for one in rounds)
        return replace(self.empty, ensemble=ensemble).scores(self.table, self.n_jobs)

    def _verdict(self, losses: Floats) -> str | None:
        """Why the ensemble ends, given the log loss of each held-out row; None if it goes on."""
        least, self.least = self.least, losses
        if least is None:
            return None
        mean, before = (float(np.average(one, weights=self.counts)) for one in (losses, least))
        if before <= mean:
            self.least = least
        if self.n_rounds >= self.usual and not mean < before * (1 - WORTH_MORE):
            return HARDLY_FELL
        rise, error = mean_and_error(losses - least, self.counts, self.seen)
        return ROSE if rise > STANDARD_ERRORS * error else None


def _checks(usual: int) -> Iterator[int]:
    """Numbers of rounds after which the log loss is computed."""
    for k in count(2):
        yield ceil(CHECKS * k * usual)


def mean_and_error(values: Floats, counts: Floats, seen: Floats) -> tuple[float, float]:
    """Weighted mean of the values of some rows, and its standard error.

    A row that was observed several times counts as that many rows which share its weight.
    """
    mean = np.average(values, weights=counts)
    error = np.sqrt(np.sum((counts * (values - mean)) ** 2 / seen)) / counts.sum()
    return float(mean), float(error)


# ---- sigmoids of held-out scores -----------------------------------------------------------------


def smoothed_sigmoid(scores: Floats, positive: NDArray[np.bool_], counts: Floats) -> Sigmoid:
    """Logistic regression with smoothed targets, so that it is finite if the classes separate."""
    return fit_sigmoid(scores, positive, counts, _slack(positive, counts))


def _slack(positive: NDArray[np.bool_], counts: Floats) -> Floats:
    return smoothing_slack(positive, counts, LOG_ODDS_SMOOTHING)


class Line(NamedTuple):
    """A sigmoid of slope * score + offset, and its mean log loss."""

    slope: float
    offset: float
    loss: float

    def losses(self, score: Floats, positive: NDArray[np.bool_]) -> Floats:
        """Log loss of each row."""
        margin = np.where(positive, 1.0, -1.0) * (self.slope * score + self.offset)
        losses: Floats = log1p(exp(-np.abs(margin))) + np.maximum(-margin, 0)
        return losses


def best_line(
    score: Floats,
    positive: NDArray[np.bool_],
    counts: Floats,
    start: Line | None = None,
    settled: float = SETTLED,
) -> Line:
    """The sigmoid of the scores of least log loss with smoothed targets, nearly.

    Newton steps from the constant sigmoid, or from a known one if that is better, halved where they
    do not lower the loss; two or three are enough if it is that of a few rounds before. They end
    when one lowers the loss by no more than a share ``settled``.
    """
    share = counts / counts.sum()
    slack_of_targets = _slack(positive, counts)
    target = np.where(positive, 1 - slack_of_targets, slack_of_targets)

    def line(slope: float, offset: float) -> Line:
        logit = slope * score + offset
        losses = log1p(exp(-np.abs(logit))) + np.maximum(logit, 0) - target * logit
        return Line(slope, offset, float((share * losses).sum()))

    prior = float((share * target).sum())
    best = line(0.0, float(log(prior / (1 - prior))))
    if start is not None:
        best = min(best, line(start.slope, start.offset), key=lambda one: one.loss)
    for _ in range(MOST_STEPS):
        q = expit(best.slope * score + best.offset)
        slack, weight = share * (target - q), share * q * (1 - q)
        moved = weight * score
        a, b, c = float((moved * score).sum()), float(moved.sum()), float(weight.sum())
        g, h = float((slack * score).sum()), float(slack.sum())
        determinant = a * c - b * b
        if not determinant > LEAST_DETERMINANT * a * c:
            break
        size, before = 1.0, best
        for _ in range(MOST_HALVINGS):
            slope = before.slope + size * (c * g - b * h) / determinant
            found = line(slope, before.offset + size * (a * h - b * g) / determinant)
            if found.loss <= best.loss * (1 + ROUNDING):
                best = found
                break
            size /= 2
        if before.loss - best.loss <= settled * best.loss:
            break
    return best


def binned(
    score: Floats, positive: NDArray[np.bool_], counts: Floats
) -> tuple[Floats, NDArray[np.bool_], Floats]:
    """The scores, or for many rows their means within levels of neighbouring scores and a class."""
    if score.size <= 2 * LEVELS:
        return score, positive, counts
    low, high = score.min(), score.max()
    level = ((score - low) * ((LEVELS - 1) / ((high - low) or 1.0))).astype(np.intp)
    cell = 2 * level + positive
    total: Floats = np.bincount(cell, counts, 2 * LEVELS).astype(np.float64)
    there = np.flatnonzero(total)
    mean = np.bincount(cell, counts * score, 2 * LEVELS)[there] / total[there]
    return mean, there % 2 == 1, total[there]
