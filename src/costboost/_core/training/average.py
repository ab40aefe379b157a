"""An average of ensembles over folds of the rows, for each of several plans.

Every fold trains an ensemble for each of the plans. The score of a plan is the mean over the folds,
and the scores of the plans are added with the weights of the best logistic regression on the
held-out rows::

    F = sum over plans p of a_p (F_p1 + ... + F_pK) / K

As every score is a sum of trees, the average is one ensemble too, and no further one is trained.

Stage t averages the first rounds of every ensemble: those that the plans would have with
``n_estimators=t``.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from costboost._core.arithmetic import Floats
from costboost._core.arrays import Indices
from costboost._core.engine.class_trees import ScoreTrees
from costboost._core.engine.ensemble import Ensemble
from costboost._core.model import ScoresModel
from costboost._core.tables import Table
from costboost._core.threads.team import Running
from costboost._core.training.calibrated import train_on_part
from costboost._core.training.calibrator import fitted_calibrator
from costboost._core.training.contraction import contracted, noise_between
from costboost._core.training.ensemble import empty_model, with_calibrator, with_rounds
from costboost._core.training.evidence import STANDARD_ERRORS, mean_and_error, most_rounds
from costboost._core.training.folds import Parts
from costboost._core.training.likelihood import likelihood_of
from costboost._core.training.losses import class_costs
from costboost._core.training.mixture import mixed
from costboost._core.training.plan import Plan
from costboost._core.training.problem import Problem
from costboost._core.training.progress import Folds
from costboost._core.training.stage_lines import known_stages

LOG = logging.getLogger(__name__)


ROWS_OF_NOISE = 2**8
"""Rows, at most twice as many, on which the ensembles of different folds are compared."""


WORTH_KEEPING = 0.002
"""A setting is dropped if it lowers the log loss of held-out rows by less than this share, up to
`STANDARD_ERRORS`, once enough rows are held out."""
MOST_ROWS_OF_EVIDENCE = 2**15
"""Held-out rows that decide about it."""
MOST_ROWS_OF_LINES = 2**15
"""Held-out rows that stages are compared on."""


@dataclass
class Member:
    """The ensembles that the folds have trained with one of the plans."""

    plan: Plan
    n_stages: int
    """Number of stages of the average: ``n_estimators`` of the classifier."""
    models: list[Any] = field(default_factory=list)
    """The ensemble of each fold."""
    scores: list[Floats] = field(default_factory=list)
    """Scores of the rows that each fold held out."""

    @property
    def score(self) -> Floats:
        """Scores of the held-out rows, fold after fold."""
        return np.concatenate(self.scores)

    def stages(self, model: Any) -> NDArray[np.intp]:
        """The stage at which each learner of an ensemble is added."""
        n_rounds = self.plan.parameters.n_estimators
        return np.asarray(np.arange(model.n_iter) * self.n_stages // n_rounds + 1)

    def ends(self, model: Any, stages: Sequence[int]) -> list[int]:
        """Number of learners of an ensemble that are added up to each of the given stages."""
        ends: list[int] = np.searchsorted(self.stages(model), stages, side="right").tolist()
        return ends

    def scores_after(self, model: Any, stages: Sequence[int], table: Table) -> Iterator[Floats]:
        """Scores of a table by one of the ensembles after each of the given stages.

        An ensemble that ended early keeps its last scores.
        """
        ends = self.ends(model, stages)
        if not model.n_iter:
            shape = (table.n_rows, len(model.classes))
            zeros = np.zeros(shape if isinstance(model, ScoresModel) else shape[0])
            return iter([zeros] * len(stages))
        scores: Iterator[Floats] = model.scores_after(table, ends, self.plan.parameters.n_jobs)
        return scores


@dataclass(frozen=True)
class Average:
    """The members, their weights, and the weighted scores of the held-out rows."""

    members: list[Member]
    weights: Floats
    score: Floats
    """Weighted scores of the held-out rows, fold after fold, with the spread of new rows."""

    @property
    def weighted(self) -> list[tuple[Member, float]]:
        """The members whose weight is not 0."""
        pairs = zip(self.members, self.weights.tolist(), strict=True)
        return [(member, weight) for member, weight in pairs if weight]

    @property
    def parts(self) -> list[tuple[Member, Any, float]]:
        """The ensembles whose scores are added, their members, and the factor of each."""
        return [
            (member, model, weight / len(member.models))
            for member, weight in self.weighted
            for model in member.models
            if model.n_iter
        ]

    def merged(self) -> Merged:
        """One ensemble with all learners, stage after stage."""
        parts = self.parts
        turn = np.concatenate([member.stages(one) for member, one, _ in parts])
        ensembles = [(one.ensemble, by) for _, one, by in parts]
        ensemble: Ensemble
        if isinstance(ensembles[0][0], ScoreTrees):
            order = np.argsort(turn, kind="stable")
            n_trees = len(ensembles[0][0]) // parts[0][1].n_iter  # in a round, one for each class
            ensemble = ScoreTrees.added(ensembles, np.repeat(turn, n_trees))
        else:
            ensemble, order = Ensemble.merged(ensembles, turn)
        steps = np.concatenate([factor * one.estimator_weights for _, one, factor in parts])
        errors = np.concatenate([one.estimator_errors for _, one, _ in parts])
        ends = np.searchsorted(turn[order], np.arange(1, turn.max() + 1), side="right")
        return Merged(ensemble, steps[order], errors[order], ends.astype(np.int64))

    def noise(self, problem: Problem, parts: Parts) -> float:
        """Variance between folds of the score of a row, on rows that they were trained on.

        Rows count by q (1 - q), where q is the probability of their class: where they decide about
        the slope of a calibrator.
        """
        every = np.concatenate([rows for _, rows in parts])
        step = max(1, every.size // ROWS_OF_NOISE)
        rows, score = problem.take(every[::step]), self.score[::step].copy()
        line = likelihood_of(problem).line(score, rows.truth, rows.counts)
        own = np.exp(-line.losses(score, rows.truth))
        table = rows.own_table.read_once()
        members = [member for member, _ in self.weighted]
        weights = np.array([weight for _, weight in self.weighted])
        scores = [
            [next(one.scores_after(one.models[k], [one.n_stages], table)) for one in members]
            for k in range(len(parts))
        ]
        trained = np.array([np.isin(every[::step], kept) for kept, _ in parts])
        together = np.array([mixed(of_part, weights) for of_part in scores])
        return noise_between(together, trained, rows.seen * own * (1 - own))

    def scores_at(self, stages: Sequence[int], table: Table, parts: Parts) -> Iterator[Floats]:
        """Scores of the held-out rows after each of the given stages, fold after fold."""
        held = [table.take(rows) for _, rows in parts]
        scores = [
            (weight, member.scores_after(model, stages, part))
            for member, weight in self.weighted
            for model, part in zip(member.models, held, strict=True)
        ]
        for _ in stages:
            weighted = [weight * next(one) for weight, one in scores]
            n = len(parts)
            members = [np.concatenate(weighted[k : k + n]) for k in range(0, len(weighted), n)]
            yield np.sum(members, axis=0)


class Merged(NamedTuple):
    """Several ensembles as one: learners, their steps and errors, and where each stage ends."""

    ensemble: Ensemble
    steps: Floats
    errors: Floats
    ends: NDArray[np.int64]


def fit_average(problem: Problem, plan: Plan, parts: Parts) -> Any:
    """Average of all ensembles, calibrated on held-out rows; None if all are empty."""
    problem = replace(problem.binned(plan.first), keeps_cuts=True)
    assert problem.data is not None
    empty = empty_model(problem.counting().training_part(), plan.first, problem.data.binning.coders)
    average = _trained(problem, plan, parts)
    if not average.parts:
        return None
    held = np.concatenate([rows for _, rows in parts])
    merged = average.merged()
    known = known_stages(merged.ends.size)
    step = -(-held.size // MOST_ROWS_OF_LINES)
    compared = [(kept, rows[::step]) for kept, rows in parts]
    scores = average.scores_at(known.tolist(), problem.table, compared)
    rows = np.concatenate([rows for _, rows in compared])
    lines = likelihood_of(problem).stage_lines(
        scores, known, problem.truth[rows], problem.counts[rows]
    )
    shares: dict[str, float] = {}
    for member, share in zip(average.members, average.weights.tolist(), strict=True):
        name = member.plan.member_name
        shares[name] = shares.get(name, 0.0) + share
    model = with_rounds(
        empty,
        merged.steps,
        merged.errors,
        _reasons(average, plan),
        provider=empty.provider.of(merged.ensemble),
        stage_ends=merged.ends,
        shares=shares,
        seed=plan.seed.value,
        random_state=plan.seed.in_place,
        **lines.fields,
    )
    certainty = (
        average.score
        if isinstance(empty, ScoresModel)
        else empty.decision.certainty(average.score, 1.0, 1)
    )
    model = with_calibrator(model, fitted_calibrator(plan, certainty, problem, held))
    return replace(model, train_cost=np.array([_mean_cost(model, average, problem.take(held))]))


def _reasons(average: Average, plan: Plan) -> str:
    """Why the ensembles ended; with the rounds of each member where held-out rows decided."""
    reasons = "; ".join(sorted({one.stop_reason for _, one, _ in average.parts}))
    if plan.rounds is None:
        return reasons
    rounds = [
        f"{member.plan.member_name} {_range(one.n_iter for one in member.models)}"
        for member, _ in average.weighted
    ]
    return f"rounds chosen on held-out rows: {', '.join(rounds)}; {reasons}"


def _range(numbers: Iterable[int]) -> str:
    """Least and greatest of some numbers."""
    ordered = sorted(numbers)
    return f"{ordered[0]}" if ordered[0] == ordered[-1] else f"{ordered[0]} to {ordered[-1]}"


def _mean_cost(model: Any, average: Average, held: Problem) -> float:
    """Mean cost of the decisions for held-out rows."""
    if isinstance(model, ScoresModel):
        costs = class_costs(model, average.score, held.truth)
        return float(np.average(costs, weights=held.counts))
    wrong = model.positive(average.score, held.costs) != held.positive.astype(bool)
    return float(np.average(wrong * held.cost, weights=held.counts))


def _trained(problem: Problem, plan: Plan, parts: Parts) -> Average:
    """Train on every part and weigh the plans; those that do not contribute are dropped."""
    plan = _with_most_rounds(plan, problem.n_rows)
    members = [Member(one, plan.parameters.n_estimators) for one in plan.members]
    jobs = [
        partial(_trained_part, problem, one, (k, n), *part)
        for n, part in enumerate(parts)
        for k, one in enumerate(members)
    ]
    number = {id(member): k for k, member in enumerate(members)}
    progress, n_members = Folds(len(members) * len(parts), plan.parameters.verbose), len(members)
    n_cells = problem.n_rows * problem.table.n_features * len(jobs)
    with Running(jobs, problem.table.team(plan.n_threads(n_cells))) as trained:
        for n in range(1, len(parts) + 1):
            for member in members:
                model, own = trained.result((n - 1) * n_members + number[id(member)])
                member.models.append(model)
                member.scores.append(own)
                progress(f"{member.plan.member_name}s")
            if len(members) > 1 and n < len(parts):
                kept = _contributing(members, problem, parts[:n])
                for k in {number[id(one)] for one in members} - {number[id(one)] for one in kept}:
                    name = plan.members[k].member_name
                    LOG.info("%ss are left out from fold %d on", name, n + 1)
                    for later in range(n, len(parts)):
                        trained.cancel(later * n_members + k)
                members = kept
                progress.expect(len(members) * (len(parts) - n))
    progress.close()
    held = np.concatenate([rows for _, rows in parts])
    scores = [member.score for member in members]
    weights = likelihood_of(problem).mix(scores, problem.truth[held], problem.counts[held])
    average = Average(members, weights, mixed(scores, weights))
    noise = average.noise(problem, parts)
    given = average.score, problem.truth[held], problem.counts[held], problem.seen[held]
    return replace(average, score=contracted(*given, noise, len(parts)))


def _with_most_rounds(plan: Plan, n_rows: int) -> Plan:
    """The plan with the greatest number of rounds, where held-out rows decide about it."""
    if plan.rounds is None:
        return plan
    n_rounds, may_grow = plan.rounds
    if may_grow:
        n_rounds = most_rounds(n_rounds, n_rows)
    members = tuple(_with_most_rounds(member, n_rows) for member in plan.members)
    return replace(plan.with_parameters(n_estimators=n_rounds), members=members)


def _trained_part(
    problem: Problem, member: Member, stream: tuple[int, int], kept: Indices, held: Indices
) -> tuple[Any, Floats]:
    """An ensemble trained on the rows kept, and its scores of those held out."""
    others = problem.take(held)
    trained = train_on_part(problem, replace(member.plan, stream=stream), kept, others)
    model = trained.model
    if trained.held is not None:
        return model, trained.held.after(trained.rounds, [model.n_iter])[0]
    last = next(member.scores_after(model, [member.n_stages], others.own_table))
    return model, last


def _contributing(members: list[Member], problem: Problem, parts: Parts) -> list[Member]:
    """The members whose scores may lower the log loss of the average on held-out rows.

    One after the other, the member whose contribution has the least upper bound is dropped, while
    that is below `WORTH_KEEPING` of the log loss.
    """
    held = np.concatenate([rows for _, rows in parts])
    likelihood = likelihood_of(problem)
    if not likelihood.enough(problem.truth[held], problem.seen[held]):
        return members
    some = slice(None, None, -(-held.size // MOST_ROWS_OF_EVIDENCE))
    rows = problem.take(held[some])
    scores = [member.score[some] for member in members]
    kept = list(range(len(members)))
    while len(kept) > 1:
        given = rows.truth, rows.counts
        losses = likelihood.mixture_losses([scores[k] for k in kept], *given)
        bounds = []
        for k in kept:
            without = likelihood.mixture_losses([scores[m] for m in kept if m != k], *given)
            gain, error = mean_and_error(without - losses, rows.counts, rows.seen)
            bounds.append(gain + STANDARD_ERRORS * error)
        if min(bounds) >= WORTH_KEEPING * np.average(losses, weights=rows.counts):
            break
        kept.pop(int(np.argmin(bounds)))
    return [members[k] for k in kept]
