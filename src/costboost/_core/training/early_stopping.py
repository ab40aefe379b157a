"""Early stopping on the score of validation rows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from costboost._core.loop.boost import Round
from costboost._core.model.providers import KnownScores
from costboost._core.training.folds import hold_out
from costboost._core.training.losses import class_costs, log_losses
from costboost._core.training.plan import Plan
from costboost._core.training.problem import Problem

STOPPED = "the validation score no longer improved"


def split_off(problem: Problem, fraction: float | None, seed: int) -> tuple[Problem, Problem]:
    """Training rows and validation rows, stratified; all rows for both if fraction is None."""
    if fraction is None:
        return problem, problem
    try:
        kept, watched = hold_out(problem.strata, fraction, seed, problem.groups)
    except ValueError as error:
        raise ValueError(
            f"early_stopping cannot hold out validation_fraction={fraction} of {problem.n_rows} "
            f"rows with every class on either side ({error}); use fewer or more rows to watch, or "
            "validation_fraction=None"
        ) from error
    return problem.take(kept), problem.take(watched)


class EarlyStopping:
    """Ends the fit after ``n_iter_no_change`` rounds without a better validation score.

    The score is that of the user's scorer, or else minus the mean cost or minus the log loss. The
    scores F of the validation rows are updated from round to round, so that the time of a round
    does not depend on the number of rounds before it.
    """

    def __init__(self, empty: Any, plan: Plan, training: Any, watched: Problem) -> None:
        self.empty = empty
        self.plan = plan
        self.training = training
        self.watched = watched
        self.table = watched.own_table
        self.rows = training.other_rows(watched)
        self.score_of_rows: Any = np.zeros(watched.n_rows if watched.code is None else 1)
        self.votes = 0.0
        self.scores: list[float] = []
        self.rounds: list[Round] = []
        n = plan.parameters.n_estimators
        self.steps, self.errors = np.empty(n), np.empty(n)

    def __call__(self, one: Round) -> str | None:
        n = len(self.rounds)
        self.steps[n], self.errors[n] = one.step, one.error
        self.rounds.append(one)
        vote = self.rows.scores(one.hypothesis)
        combine = self.empty.provider.combine
        if combine is None:
            self.score_of_rows = self.score_of_rows + one.step * vote
        else:
            self.score_of_rows = combine(self.score_of_rows, one.step, vote)
        self.votes += abs(one.step)
        self.scores.append(self._score())
        patience = self.plan.parameters.n_iter_no_change
        if len(self.scores) <= patience:
            return None
        reference = self.scores[-patience - 1] + self.plan.parameters.tol
        return None if any(s > reference for s in self.scores[-patience:]) else STOPPED

    def _score(self) -> float:
        if self.plan.scorer is not None:
            n = len(self.rounds)
            votes = {"votes": self.votes} if self.watched.code is None else {}
            model = replace(
                self.empty,
                estimator_weights=self.steps[:n],
                estimator_errors=self.errors[:n],
                **votes,
                provider=KnownScores(
                    self.empty.provider,
                    lambda: self.training.learner.model(
                        (one.hypothesis, one.step) for one in self.rounds[:n]
                    ),
                    self.table,
                    self.score_of_rows,
                ),
            )
            return self.plan.scorer(model, self.watched)
        return -self._log_loss() if self.plan.traits.stops_on_log_loss else -self._mean_cost()

    def _so_far(self) -> Any:
        """The model after the rounds so far, without its ensemble."""
        n = len(self.rounds)
        return replace(self.empty, estimator_weights=self.steps[:n])

    def _log_loss(self) -> float:
        watched = self.watched
        if watched.code is not None:
            shares = self._so_far().shares_of(self.score_of_rows)
            losses = log_losses(shares, watched.code)
            return float(np.average(losses, weights=watched.weight))
        probability = self.empty.decision.probability(
            self.score_of_rows, watched.costs, self.votes, len(self.rounds)
        )
        losses = log_losses(probability, watched.positive)
        return float(np.average(losses, weights=watched.weight))

    def _mean_cost(self) -> float:
        watched = self.watched
        if watched.code is not None:
            costs = class_costs(self._so_far(), self.score_of_rows, watched.code)
            return float(np.average(costs, weights=watched.weight))
        positive = self.empty.decision.positive(
            self.score_of_rows, watched.costs, self.votes, len(self.rounds)
        )
        wrong = positive != watched.positive.astype(bool)
        return float(np.average(wrong * watched.cost, weights=watched.weight))
