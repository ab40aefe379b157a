"""Ends of ensembles by evidence: the log loss of held-out rows.

The log loss is that of the best sigmoid (or softmax) of the scores, which are calibrated later: an
ensemble whose scores are only too large is not stopped for that.
"""

from __future__ import annotations

from math import ceil
from typing import Any

import numpy as np

from costboost._core.arithmetic import Floats
from costboost._core.loop.boost import Round
from costboost._core.training.likelihood import likelihood_of
from costboost._core.training.plan import Plan
from costboost._core.training.problem import Problem

USUAL_ROUNDS = 30
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
ROSE = "the log loss of held-out rows rose"
HARDLY_FELL = "more rounds hardly lower the log loss of held-out rows"


def most_rounds(usual: int, n_rows: int) -> int:
    """Greatest number of rounds that evidence may lead to."""
    return ceil(usual * min(MOST_TIMES, max(1.0, n_rows / FEW_ROWS)))


class Evidence:
    """Ends the fit of an ensemble by the log loss of held-out rows."""

    def __init__(self, empty: Any, plan: Plan, training: Any, held: Problem, rows: Any) -> None:
        self.empty = empty
        self.usual = plan.parameters.n_estimators if plan.rounds is None else plan.rounds.usual
        self.n_jobs = plan.parameters.n_jobs
        self.training = training
        self.rows = rows
        """The held-out rows as `TreeScores`, or None."""
        self.table = held.own_table if rows is None else None
        self.truth = held.truth
        self.likelihood = likelihood_of(held)
        self.counts, self.seen = held.counts, held.seen
        self.score: Any = 0.0
        self.line: Any = None
        self.least: Floats | None = None
        """Log loss of each held-out row when their mean was least."""
        self.n_rounds = 0
        self.waiting: list[Round] = []
        """Rounds whose learners are not in the scores yet."""
        self.n_checks, self.next_check = 0, 0
        self._plan_check()

    def __call__(self, one: Round) -> str | None:
        self.waiting.append(one)
        self.n_rounds += 1
        if self.n_rounds < self.next_check:
            return None
        self._plan_check()
        self.score = self.score + self._scores_of(self.waiting)
        self.waiting = []
        self.line = self.likelihood.line(self.score, self.truth, self.counts, self.line)
        return self._verdict(self.line.losses(self.score, self.truth))

    def _plan_check(self) -> None:
        """Set the number of rounds after which the log loss is computed next."""
        while self.next_check <= self.n_rounds:
            self.n_checks += 1
            self.next_check = ceil(CHECKS * (self.n_checks + 1) * self.usual)

    def _scores_of(self, rounds: list[Round]) -> Floats:
        """Scores of the held-out rows by the learners of some rounds."""
        if self.rows is not None:
            return np.asarray(self.rows.after(rounds, [len(rounds)])[0])
        ensemble = self.training.learner.model((one.hypothesis, one.step) for one in rounds)
        scores: Floats = self.empty.provider.of(ensemble).scores(self.table, self.n_jobs)
        return scores

    def _verdict(self, losses: Floats) -> str | None:
        """Why the ensemble ends, given the log loss of each held-out row; None if it goes on."""
        least, self.least = self.least, losses
        if least is None:
            return None
        mean, before = [float(np.average(one, weights=self.counts)) for one in (losses, least)]
        if before <= mean:
            self.least = least
        if self.n_rounds >= self.usual and not mean < before * (1 - WORTH_MORE):
            return HARDLY_FELL
        rise, error = mean_and_error(losses - least, self.counts, self.seen)
        return ROSE if rise > STANDARD_ERRORS * error else None


def mean_and_error(values: Floats, counts: Floats, seen: Floats) -> tuple[float, float]:
    """Weighted mean of the values of some rows, and its standard error.

    A row that was observed several times counts as that many rows which share its weight.
    """
    mean = np.average(values, weights=counts)
    error = np.sqrt(np.sum((counts * (values - mean)) ** 2 / seen)) / counts.sum()
    return float(mean), float(error)
