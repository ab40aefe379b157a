"""Early stopping: rows held out, and a watcher that ends the fit when they gain no more."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.metrics import check_scoring
from sklearn.model_selection import train_test_split

from costboost.cells import Floats
from costboost.classifiers.calibrating import log_losses
from costboost.classifiers.deciding import Deciding
from costboost.classifiers.problem import Problem
from costboost.loop import Round
from costboost.tables import Table

STOPPED = "the validation score no longer improved"


def split_off(problem: Problem, fraction: float | None, seed: int) -> tuple[Problem, Problem]:
    """Rows to train on and rows to watch, stratified; the same for both without a fraction."""
    if fraction is None:
        return problem, problem
    rows = np.arange(problem.n_rows)
    try:
        kept, watched = train_test_split(
            rows, test_size=fraction, stratify=problem.positive, random_state=seed
        )
    except ValueError as error:
        raise ValueError(
            f"early_stopping cannot hold out validation_fraction={fraction} of {problem.n_rows} "
            f"rows with both classes on either side ({error}); use fewer or more rows to watch, or "
            "validation_fraction=None"
        ) from error
    return problem.take(np.sort(kept)), problem.take(np.sort(watched))


class InTraining:
    """The first rounds of an ensemble, as a scorer sees them.

    Scores of the watched rows are known from round to round. The ensemble itself is laid out only
    for a scorer that uses it, such as one that predicts other rows.
    """

    def __init__(self, learner: Any, rounds: Sequence[Round], table: Table, score: Floats) -> None:
        self.learner = learner
        self.rounds, self.n_rounds = rounds, len(rounds)
        self.table = table
        self.score = score

    @cached_property
    def ensemble(self) -> Any:
        return self.learner.model(
            (one.hypothesis, one.step) for one in self.rounds[: self.n_rounds]
        )


class EarlyStopping:
    """Ends the fit after ``n_iter_no_change`` rounds without a better score on the watched rows.

    The score is that of the user's scorer, or else minus the mean cost or minus the log loss,
    whichever the classifier stops on. The scores of the watched rows are added up from round to
    round, so that a round costs the same however many went before.
    """

    def __init__(self, clf: Any, deciding: Deciding, training: Any, watched: Problem) -> None:
        self.clf = clf
        self.deciding = deciding
        self.training = training
        self.watched = watched
        self.rows = training.other_rows(watched.table)
        self.score_of_rows = np.zeros(watched.n_rows)
        self.votes = 0.0
        self.scores: list[float] = []
        self.rounds: list[Round] = []
        self.steps, self.errors = np.empty(clf._n_rounds), np.empty(clf._n_rounds)
        self.scorer = None if clf.scoring is None else check_scoring(clf, clf.scoring)

    def __call__(self, one: Round) -> str | None:
        n = len(self.rounds)
        self.steps[n], self.errors[n] = one.step, one.error
        self.rounds.append(one)
        vote = one.hypothesis.scores(self.rows)
        combine = getattr(self.deciding.rule, "combine", None)
        if combine is None:
            self.score_of_rows = self.score_of_rows + one.step * vote
        else:
            self.score_of_rows = combine(self.score_of_rows, one.step, vote)
        self.votes += abs(one.step)
        self.scores.append(self._own_score() if self.scorer is None else self._scored())
        patience = self.clf.n_iter_no_change
        if len(self.scores) <= patience:
            return None
        reference = self.scores[-patience - 1] + self.clf.tol
        return None if any(s > reference for s in self.scores[-patience:]) else STOPPED

    def _own_score(self) -> float:
        return self._minus_log_loss() if self.clf._stops_on_log_loss else self._minus_cost()

    def _minus_log_loss(self) -> float:
        watched = self.watched
        probability = self.deciding.probability(
            self.score_of_rows, watched.costs, self.votes, len(self.rounds)
        )
        losses = log_losses(probability, watched.positive)
        return -float(np.average(losses, weights=watched.weight))

    def _minus_cost(self) -> float:
        watched = self.watched
        called = self.deciding.positive(
            self.score_of_rows, watched.costs, self.votes, len(self.rounds)
        )
        wrong = called != watched.positive.astype(bool)
        return -float(np.average(wrong * watched.cost, weights=watched.weight))

    def _scored(self) -> float:
        now, n = copy.copy(self.clf), len(self.rounds)
        now._take_steps(self.steps[:n], self.errors[:n], "", self.votes)
        now.__dict__.pop("ensemble_", None)  # of an earlier fit
        now._in_training = InTraining(
            self.training.learner, self.rounds, self.watched.table, self.score_of_rows
        )
        labels = self.clf._labels(self.watched.positive.astype(bool))
        options = {} if self.watched.weight is None else {"sample_weight": self.watched.weight}
        assert self.scorer is not None
        return float(self.scorer(now, self.watched.table.X, labels, **options))
