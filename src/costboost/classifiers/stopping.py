"""Early stopping: rows held out, and a watcher that ends the fit when they gain no more."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
from sklearn.metrics import check_scoring
from sklearn.model_selection import train_test_split

from costboost.classifiers.deciding import Deciding
from costboost.classifiers.problem import Problem
from costboost.loop import Round

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


class EarlyStopping:
    """Ends the fit after ``n_iter_no_change`` rounds without a better score on the watched rows.

    The score is minus the mean cost, or any scikit-learn scorer.
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
        self.scorer = None if clf.scoring is None else check_scoring(clf, clf.scoring)

    def __call__(self, one: Round) -> str | None:
        self.rounds.append(one)
        vote = one.hypothesis.scores(self.rows)
        combine = getattr(self.deciding.rule, "combine", None)
        if combine is None:
            self.score_of_rows = self.score_of_rows + one.step * vote
        else:
            self.score_of_rows = combine(self.score_of_rows, one.step, vote)
        self.votes += abs(one.step)
        self.scores.append(self._minus_cost() if self.scorer is None else self._scored())
        patience = self.clf.n_iter_no_change
        if len(self.scores) <= patience:
            return None
        reference = self.scores[-patience - 1] + self.clf.tol
        return None if any(s > reference for s in self.scores[-patience:]) else STOPPED

    def _minus_cost(self) -> float:
        watched = self.watched
        called = self.deciding.positive(
            self.score_of_rows, watched.costs, self.votes, len(self.rounds)
        )
        wrong = called != watched.positive.astype(bool)
        return -float(np.average(wrong * watched.cost, weights=watched.weight))

    def _scored(self) -> float:
        now = copy.copy(self.clf)
        now._keep(self.rounds, self.training, "")
        labels = self.clf._labels(self.watched.positive.astype(bool))
        options = {} if self.watched.weight is None else {"sample_weight": self.watched.weight}
        assert self.scorer is not None
        return float(self.scorer(now, self.watched.table.X, labels, **options))
