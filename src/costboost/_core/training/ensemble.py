"""Training of one ensemble: the boosting loop on the rows of a problem."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from costboost._core.arithmetic import Floats
from costboost._core.calibration.base import Calibrator
from costboost._core.costs import least_expected
from costboost._core.engine.class_trees import ScoreTrees
from costboost._core.engine.ensemble import Ensemble
from costboost._core.loop.boost import Round, boost
from costboost._core.loop.state import State
from costboost._core.model import BinaryModel, ScoresModel
from costboost._core.model.providers import ClassTrees, SumOfLearners, WrappedLearners
from costboost._core.rules.record import SeveralRule
from costboost._core.training.binned import BinnedTraining
from costboost._core.training.early_stopping import EarlyStopping, split_off
from costboost._core.training.evidence import Evidence
from costboost._core.training.held_out import TreeScores
from costboost._core.training.plan import Plan
from costboost._core.training.problem import Problem
from costboost._core.training.progress import Progress
from costboost._core.training.training_cost import staged_cost, training_cost
from costboost._core.training.wrapped import WrappedTraining

LOG = logging.getLogger(__name__)


class Trained(NamedTuple):
    """An ensemble, and what is needed to compute its training cost."""

    model: Any
    """`BinaryModel`, or `ScoresModel` if there are several classes."""
    training: BinnedTraining | WrappedTraining
    rounds: list[Round]
    held: TreeScores | None
    """The rows held out, if they are scored on bins."""

    def finished(self, calibrator: Calibrator | None = None) -> Any:
        """The model with its calibrator and its training cost under it."""
        if isinstance(self.model, ScoresModel):
            model = with_calibrator(self.model, calibrator)
            cost = staged_cost(model, self.training.problem, self.rounds)
            return replace(model, train_cost=cost)
        decision = self.model.decision
        if calibrator is not None:
            decision = replace(decision, calibrator=calibrator)
        cost = training_cost(decision, self.training, self.rounds)
        return replace(self.model, calibrator=calibrator, train_cost=cost)


def train(
    problem: Problem,
    plan: Plan,
    earlier: Any = None,
    held: Problem | None = None,
    part: bool = False,
) -> Trained:
    """Boost on the rows of the problem, continuing an earlier model if there is one.

    Where the plan states a usual number of rounds, the rows held out decide when to end. A
    ``part`` of other models needs no training cost.

    The model has no calibrator and no training cost yet; see `Trained.finished`.
    """
    watched = None
    problem = problem.training_part()
    if plan.parameters.early_stopping:
        problem, watched = split_off(problem, plan.parameters.validation_fraction, plan.seed())
    problem = problem.binned(plan)
    training = _training(problem, plan)
    empty = empty_model(problem, plan, training.coders)
    held_rows = None if held is None else training.tree_scores(held)
    stopping = evidence = None
    if watched is not None:
        stopping = EarlyStopping(empty, plan, training, watched)
    elif held is not None and plan.rounds is not None:
        evidence = Evidence(empty, plan, training, held, held_rows)
    progress = Progress(plan.parameters.n_estimators, plan.parameters.verbose)
    shown = None if progress.stream is None else lambda one: progress(f"error {one.error:.4f}")
    state = training.state(empty, plan.parameters.learning_rate, counts=not part)
    watchers = [stopping, evidence, shown]
    rounds, reason = _boost(training, state, plan, earlier, watchers)
    progress.close(reason)
    level = logging.DEBUG if part else logging.INFO
    LOG.log(level, "%d rounds on %d rows: %s", len(rounds), problem.n_rows, reason)
    model = with_rounds(
        empty,
        np.array([one.step for one in rounds]),
        np.array([one.error for one in rounds]),
        reason,
        provider=empty.provider.of(_laid_out(rounds, training, plan)),
        validation_score=None if stopping is None else np.array(stopping.scores),
        seed=plan.seed.value,
        random_state=plan.seed.in_place,
    )
    return Trained(model, training, rounds, held_rows)


def constant_model(problem: Problem, plan: Plan, reason: str) -> BinaryModel:
    """A model without rounds: the probability of every row is the share of the positives."""
    problem = problem.counting().training_part().binned(plan)
    training = _training(problem, plan)
    ensemble = _laid_out([], training, plan)
    empty: BinaryModel = empty_model(problem, plan, training.coders)
    return replace(
        empty,
        stop_reason=reason,
        provider=empty.provider.of(ensemble),
        seed=plan.seed.value,
        random_state=plan.seed.in_place,
    )


def with_calibrator(model: Any, calibrator: Any) -> Any:
    """The model with a calibrator, after which it decides by cost."""
    if isinstance(model, BinaryModel):
        return replace(model, calibrator=calibrator)
    changeable = model.changeable or calibrator is not None
    return replace(model, calibrator=calibrator, by_cost=changeable, changeable=changeable)


def empty_model(problem: Problem, plan: Plan, coders: Any) -> Any:
    """A model of two or of several classes before its first round."""
    rule = plan.rule
    own: dict[str, Any] = {"learner": plan.learner, "coders": coders, "ensemble": None}
    common: dict[str, Any] = {
        "rule": rule,
        "classes": problem.classes,
        "n_features_in": problem.features.n_features_in,
        "feature_names_in": problem.features.feature_names_in,
        "estimator_weights": np.empty(0),
        "estimator_errors": np.empty(0),
        "stop_reason": "",
        "train_cost": np.empty(0),
        "calibrator": None,
        "chosen": plan.chosen,
        "n_rounds": plan.parameters.n_estimators,
        "held_out": plan.share_held_out,
        "interactions": plan.constraints.interactions,
    }
    if problem.code is None:
        return BinaryModel(
            positive_index=problem.positive_index,
            provider=(WrappedLearners if plan.wraps else SumOfLearners)(
                combine=getattr(rule, "combine", None), **own
            ),
            votes=0.0,
            initial_weights=plan.parameters.initial_weights,
            prior=problem.prior,
            costs=problem.mean_costs(),
            monotonic=plan.constraints.monotonic,
            **common,
        )
    assert isinstance(rule, SeveralRule)
    assert problem.matrix is not None
    return ScoresModel(
        provider=ClassTrees(n_scores=len(problem.classes), **own),
        prior=problem.class_shares,
        matrix=problem.matrix,
        by_cost=rule.decides_by_cost,
        changeable=rule.decides_by_cost,
        **common,
    )


def with_rounds(empty: Any, steps: Floats, errors: Floats, reason: str, **others: Any) -> Any:
    """The model with steps and errors of its rounds, and other fields."""
    if isinstance(empty, BinaryModel):
        others["votes"] = float(np.abs(steps).cumsum()[-1]) if steps.size else 0.0
    return replace(
        empty,
        estimator_weights=steps,
        estimator_errors=errors,
        stop_reason=reason,
        **others,
    )


def _training(problem: Problem, plan: Plan) -> BinnedTraining | WrappedTraining:
    return (WrappedTraining if plan.wraps else BinnedTraining)(problem, plan)


def _boost(
    training: Any,
    state: State,
    plan: Plan,
    earlier: Any,
    watchers: list[Any],
) -> tuple[list[Round], str]:
    """Run the boosting loop; return the rounds and why it stopped.

    Every watcher is called with each round and returns a reason to stop, or None.
    """
    keep_negative = plan.parameters.negative_step == "keep"
    memory: Any = []
    if earlier is not None:
        memory = training.memory(earlier.ensemble, earlier.estimator_weights)
    watchers = [watcher for watcher in watchers if watcher is not None]
    rounds: list[Round] = []
    n_rounds = plan.parameters.n_estimators
    boosting = boost(state, training.rows, training.learner, n_rounds, keep_negative, memory)
    while True:
        try:
            one = next(boosting)
        except StopIteration as end:
            return rounds, end.value
        rounds.append(one)
        for watch in watchers:
            reason = watch(one)
            if reason:
                return rounds, reason


def _laid_out(rounds: list[Round], training: Any, plan: Plan) -> Any:
    """The ensemble of the rounds; without rounds, the class whose mistakes cost most in total."""
    if rounds:
        return training.learner.model([(one.hypothesis, one.step) for one in rounds])
    problem = training.problem
    if problem.code is not None:
        costs = 1 - np.eye(len(problem.classes)) if plan.rule.cost_blind else problem.matrix
        cheapest = least_expected(problem.class_shares[None], costs)
        return ScoreTrees.of(Ensemble.constant(1.0), cheapest)
    amount = np.ones(problem.n_rows) if plan.rule.cost_blind else problem.cost
    weight = np.ones(problem.n_rows) if problem.weight is None else problem.weight
    amount = (amount / (np.abs(amount).max() or 1.0)) * (weight / weight.max())
    positive = problem.positive.astype(bool)
    return training.constant(1.0 if amount[positive].sum() > amount[~positive].sum() else -1.0)
