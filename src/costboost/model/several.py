"""Fitted models of several classes.

`ScoresModel` has one ensemble, each tree of which is of one class, `OneVsRestModel` a binary model
for each class against the rest. Their base turns probabilities into decisions of least cost.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from costboost.costs import check_matrices, expected, least_expected
from costboost.engine._kernels import TIE
from costboost.engine.ensemble import Ensemble, ScoreTrees
from costboost.fingerprints import Fingerprint
from costboost.model.binary import BinaryInTraining, BinaryModel, FittedModel, InTraining
from costboost.model.constraints import Constraints
from costboost.model.prevalence import population_shares, reweighted_shares
from costboost.rules import Rule, SeveralRule
from costboost.tables import Coder, Table
from costboost.threads import threads
from costboost.vectors import Floats

Codes = NDArray[np.intp]


@dataclass(frozen=True, eq=False, kw_only=True)
class SeveralModel(FittedModel):
    """A model of several classes: scores and probabilities of each, and a cost matrix."""

    classes: NDArray[Any]
    n_features_in: int
    feature_names_in: NDArray[Any] | None = None
    learner: str
    matrix: Floats
    by_cost: bool
    """Whether decisions compare probabilities with costs; otherwise the largest score wins."""
    changeable: bool
    """Whether predictions accept other costs, because training did not use them."""
    sampling: Floats | None = None
    """Share of the rows of each class that the training data kept of the population."""
    prevalence: Floats | None = None
    """Shares of the classes that probabilities refer to; None for those of the population."""
    fingerprint: Fingerprint | None = None

    @property
    def n_iter(self) -> int:
        """Number of rounds, or the largest number of learners of a class."""
        raise NotImplementedError

    @property
    def feature_importances(self) -> Floats:
        """Share of each feature in the ensembles."""
        raise NotImplementedError

    @property
    def decides_by_cost(self) -> bool:
        """Whether predictions accept other costs than those of training."""
        return self.changeable

    @property
    def class_prior(self) -> Floats:
        """Share of each class that probabilities refer to."""
        if self.prevalence is not None:
            return self.prevalence
        return population_shares(self.training_shares, self.sampling)

    @property
    def training_shares(self) -> Floats:
        """Weighted share of each class in the training rows."""
        raise NotImplementedError

    def at_prevalence(self, shares: Floats) -> Self:
        """The model with probabilities and decisions for the given shares of the classes."""
        return replace(self, prevalence=shares)

    # ---- scores and probabilities ----------------------------------------------------------------

    def scores(self, table: Table, n_jobs: int | None) -> Floats:
        """The score F of each class, a column for each."""
        raise NotImplementedError

    def probabilities(self, table: Table, n_jobs: int | None) -> Floats:
        """Probability of each class; the sum over classes is 1."""
        raise NotImplementedError

    def stages(self, table: Table, n_jobs: int | None) -> Iterator[tuple[Floats, Floats]]:
        """Scores and probabilities after each round."""
        raise NotImplementedError

    def _referred(self, shares: Floats) -> Floats:
        """Probabilities with a sum of 1, under the shares of the classes they refer to."""
        shares = normalised(shares)
        if self.prevalence is None and self.sampling is None:
            return shares
        return reweighted_shares(shares, self.class_prior / self.training_shares)

    # ---- decisions -------------------------------------------------------------------------------

    def values(self, score: Floats, probability: Floats, matrix: Floats) -> Floats:
        """Minus the expected cost of each class, or its score; the largest is that of `codes`."""
        value = -expected(probability, matrix) if self.by_cost else score
        return with_winner(value, self.codes(score, probability, matrix))

    def matrix_for(self, name: str, given: Any, n_rows: int) -> Floats:
        """Cost matrix of the decision: the given one, or that of training."""
        if given is None:
            return self.matrix
        if not self.changeable:
            raise ValueError(
                f"{name} cannot be given other costs after training: it was trained for fixed "
                "costs, or ignores them. Take CostBoostClassifier, AdaMECClassifier, or "
                "calibration='platt'."
            )
        return check_matrices(given, self.classes, n_rows)

    def codes(self, score: Floats, probability: Floats, matrix: Floats) -> Codes:
        """The class of least expected cost, or of the largest score."""
        return least_expected(probability, matrix) if self.by_cost else greatest(score)

    def predicted(
        self, table: Table, matrix: Floats, n_jobs: int | None, probability: Floats | None = None
    ) -> Codes:
        """The class code of each row; probabilities are computed only if they decide."""
        if not self.by_cost:
            return greatest(self.scores(table, n_jobs))
        if probability is None:
            probability = self.probabilities(table, n_jobs)
        return least_expected(probability, matrix)

    def decision_values(self, table: Table, matrix: Floats, n_jobs: int | None) -> Floats:
        """The decision function: minus the expected cost of each class, or its score."""
        none = np.empty(0)
        if self.by_cost:
            return self.values(none, self.probabilities(table, n_jobs), matrix)
        return self.values(self.scores(table, n_jobs), none, matrix)


def greatest(score: Floats) -> Codes:
    """The class with the largest score; of equal ones, the first."""
    size = np.abs(score).max(axis=1, keepdims=True)
    codes: Codes = (score >= score.max(axis=1, keepdims=True) - TIE * size).argmax(axis=1)
    return codes


def with_winner(value: Floats, chosen: Codes) -> Floats:
    """Values whose first maximum is that of the chosen class.

    Values change only where rounding errors put a class with an equal value above it.
    """
    first, top = value.argmax(axis=1), value.max(axis=1)
    lifted, rows = value.copy(), np.arange(len(value))
    lifted[rows, chosen] = np.where(first == chosen, top, np.nextafter(top, np.inf))
    return lifted


def normalised(probability: Floats) -> Floats:
    """Probabilities divided by their sum; uniform where every class has probability 0."""
    total = probability.sum(axis=1, keepdims=True)
    k = probability.shape[1]
    return np.where(total > 0, probability / np.where(total > 0, total, 1), 1 / k)


# ---- one ensemble, with a score for each class ---------------------------------------------------


@dataclass(frozen=True, eq=False, kw_only=True)
class ScoresModel(SeveralModel):
    """A score for each class, from one ensemble, with everything that predictions need.

    The fields are those of a model file (each with an underscore appended to its name). Only
    ``rule`` is not stored: it follows from the class and the parameters of the classifier.
    """

    rule: SeveralRule
    categories: Sequence[Coder | None]
    """The codes of each categorical feature; None for a number."""
    ensemble: ScoreTrees
    estimator_weights: Floats
    """Step of each round."""
    estimator_errors: Floats
    stop_reason: str
    train_cost: Floats
    validation_score: Floats | None = None
    shares: dict[str, float] | None = None
    """Weight of each weak learner in an average of several ensembles."""
    stage_ends: NDArray[np.int64] | None = None
    """Number of rounds after each stage; None if each round is a stage."""
    stage_slopes: Floats | None = None
    """Factor that brings the scores of a stage to the scale of the last one."""
    calibrator: Any
    chosen: dict[str, Any]
    """Parameters that calibration chose among alternatives."""
    n_rounds: int
    """Maximum number of rounds."""
    prior: Floats
    """Weighted share of each class in the training rows."""
    held_out: float | None = None
    """Share of the rows that calibration held out once."""
    seed: int | None = None
    """Seed drawn from ``random_state``; None if training used no random numbers."""
    interactions: Any = None

    @property
    def n_iter(self) -> int:
        """Number of rounds, in each of which every class has a learner."""
        return int(self.estimator_weights.size)

    @property
    def coders(self) -> Sequence[Coder | None]:  # type: ignore[override]
        return self.categories

    @property
    def training_shares(self) -> Floats:
        return self.prior

    def __getstate__(self) -> dict[str, Any]:
        """The fields without the rule, which is made of functions; see `with_rule`."""
        state = {field.name: getattr(self, field.name) for field in fields(self)}
        return state | {"rule": None}

    def with_rule(self, rule: SeveralRule) -> Self:
        """The model with its rule, after it was unpickled."""
        return replace(self, rule=rule)

    # ---- scores ----------------------------------------------------------------------------------

    def scores(self, table: Table, n_jobs: int | None) -> Floats:
        """The score F of each class, a column for each; the scores of a row add up to 0."""
        if table.remote:
            mapped = table.mapped(_scored, self, self.rule, table.jobs(n_jobs))
            return np.ascontiguousarray(mapped.T)
        ensemble, table, coders = self._reading(table)
        given = table.row_blocks(coders), table.n_rows, len(self.classes)
        n_threads = threads(n_jobs, table.n_rows * table.n_features)
        return centred(ensemble.class_scores(*given, n_threads))

    def scores_after(
        self, table: Table, ends: Sequence[int], n_jobs: int | None
    ) -> Iterator[Floats]:
        """The scores after the first n rounds, for every n in ``ends``."""
        if table.remote:
            given = self, self.rule, table.jobs(n_jobs), ends
            for stage in table.mapped(_scored_after, *given):
                yield np.ascontiguousarray(stage.T)
            return
        n_classes = len(self.classes)
        ensemble, table, coders = self._reading(table)
        blocks = table.repeated_blocks(coders)
        n_threads = threads(n_jobs, table.n_rows * table.n_features)
        shape, trees = (n_classes, table.n_rows), [n_classes * end for end in ends]
        for one in ensemble.staged_class_scores(blocks, shape, n_threads, trees):
            yield centred(one)

    @property
    def ends(self) -> NDArray[np.int64]:
        """Number of rounds after each stage."""
        if self.stage_ends is not None:
            return self.stage_ends
        return np.arange(1, self.n_iter + 1)

    def stages(self, table: Table, n_jobs: int | None) -> Iterator[tuple[Floats, Floats]]:
        """Scores and probabilities after each stage; one stage if there are no rounds."""
        if not self.n_iter:
            yield self.scores(table, n_jobs), self.probabilities(table, n_jobs)
            return
        for k, raw in enumerate(self.scores_after(table, self.ends.tolist(), n_jobs)):
            score = raw if self.stage_slopes is None else self.stage_slopes[k] * raw
            yield raw, self._referred(self.shares_of(score))

    def certainty(self, score: Floats) -> Floats:
        """The scores themselves, the input of a calibrator."""
        return score

    # ---- probabilities ---------------------------------------------------------------------------

    def shares_of(self, score: Floats) -> Floats:
        """Probabilities of the classes at scores, under the shares of the training rows."""
        if not self.n_iter:
            return np.tile(self.prior, (len(score), 1))
        if self.calibrator is not None:
            calibrated: Floats = self.calibrator.probability(score)
            return calibrated
        factors = None if self.rule.factors is None else self.rule.factors(self.matrix)
        return self.rule.probability(score, factors)

    def probabilities(self, table: Table, n_jobs: int | None) -> Floats:
        """Probability of each class; the sum over classes is 1."""
        return self._referred(self.shares_of(self.scores(table, n_jobs)))

    # ---- explanations ----------------------------------------------------------------------------

    def numbers(self, table: Table) -> Floats:
        """The table as numbers, categories by their codes, as the ensemble reads it."""
        blocks = [np.asarray(part, dtype=np.float64) for _, part in table.row_blocks(self.coders)]
        return np.concatenate(blocks)

    def of_class(self, k: int) -> ClassScore:
        """The score of one class, before the mean over the classes is subtracted."""
        return ClassScore(self.ensemble.of_score(k), self.categories)

    @property
    def feature_importances(self) -> Floats:
        """Share of each feature in the ensemble."""
        steps = np.repeat(self.estimator_weights, len(self.classes))
        return np.asarray(self.ensemble.importances(steps, self.n_features_in))


class ClassScore(NamedTuple):
    """The trees that add to the score of one class, for explanations."""

    ensemble: Ensemble
    coders: Sequence[Coder | None]
    combine: None = None


def centred(score: Floats) -> Floats:
    """Scores (classes x rows) minus their mean over the classes, a column for each class."""
    total = score[0].copy()
    for one in score[1:]:
        total += one
    return np.ascontiguousarray((score - total / len(score)).T)


def _scored(table: Table, model: ScoresModel, rule: SeveralRule, n_jobs: int | None) -> Floats:
    """Scores by a model that was sent without its rule, a row for each class."""
    return model.with_rule(rule).scores(table, n_jobs).T


def _scored_after(
    table: Table,
    model: ScoresModel,
    rule: SeveralRule,
    n_jobs: int | None,
    ends: Sequence[int],
) -> Floats:
    stages = model.with_rule(rule).scores_after(table, ends, n_jobs)
    return np.stack([one.T for one in stages])


# ---- a binary model for each class against the rest ----------------------------------------------


@dataclass(frozen=True, eq=False, kw_only=True)
class OneVsRestModel(SeveralModel):
    """A binary model for each class against the rest, and the cost matrix of decisions."""

    members: tuple[BinaryModel, ...]
    """A binary model for each class, whose labels are True for the class and False otherwise."""
    random_states: tuple[int, ...]
    """The ``random_state`` of each member."""
    stop_reason: str = "each class has its own; see estimators_"

    def with_rule(self, rule: Rule) -> Self:
        """The model with the rule of its members, after it was unpickled."""
        return replace(self, members=tuple(one.with_rule(rule) for one in self.members))

    @property
    def n_iter(self) -> int:
        """Largest number of learners of a member."""
        return max(one.n_iter for one in self.members)

    @property
    def coders(self) -> Sequence[Coder | None]:  # type: ignore[override]
        return self.members[0].coders

    @property
    def constraints(self) -> Constraints:
        """The constraints of training, the same for all members."""
        return self.members[0].constraints

    @property
    def training_shares(self) -> Floats:
        return np.array([one.prior for one in self.members])

    # ---- scores and probabilities ----------------------------------------------------------------

    def scores(self, table: Table, n_jobs: int | None) -> Floats:
        """The score F of each class, in units of half the log-odds."""
        return np.column_stack(
            [_half_log_odds(one, one.scores(table, n_jobs)) for one in self.members]
        )

    def probabilities(self, table: Table, n_jobs: int | None) -> Floats:
        """Probability of each class; the sum over classes is 1."""
        return self._referred(
            np.column_stack([one.probability(one.scores(table, n_jobs)) for one in self.members])
        )

    def stages(self, table: Table, n_jobs: int | None) -> Iterator[tuple[Floats, Floats]]:
        """Scores and probabilities after each round.

        Members that stopped early keep their last values.
        """
        stages = [one.stages(table, n_jobs) for one in self.members]
        scores: list[Any] = [None] * len(stages)
        shares: list[Any] = [None] * len(stages)
        while True:
            moved = False
            for c, (one, stage) in enumerate(zip(self.members, stages, strict=True)):
                for raw, score, votes, n_added in stage:
                    scores[c] = _half_log_odds(one, raw)
                    shares[c] = one.probability(score, votes, n_added)
                    moved = True
                    break
            if not moved:
                return
            yield np.column_stack(scores), self._referred(np.column_stack(shares))

    @property
    def feature_importances(self) -> Floats:
        """Mean share of each feature over the members that have learners."""
        members = [one for one in self.members if one.n_iter] or self.members
        return np.asarray(np.mean([one.feature_importances for one in members], axis=0))


def _half_log_odds(one: BinaryModel, score: Floats) -> Floats:
    """Scores in units of half the log-odds, also for rules whose unit is 1 / cost."""
    return np.asarray(score * (one.decision.slope / 2))


# ---- a model during training, for a scorer of early stopping -------------------------------------


class ScoresInTraining(InTraining, ScoresModel):
    """The model of several classes after the first rounds."""


def model_in_training(
    empty: BinaryModel | ScoresModel,
    rounds: tuple[Floats, Floats, float],
    lay_out: Callable[[], Any],
    known: tuple[Table, Floats],
) -> Any:
    """A model with the given steps, errors and votes, and with computed scores of a table."""
    model: Any = object.__new__(
        BinaryInTraining if isinstance(empty, BinaryModel) else ScoresInTraining
    )
    weights, errors, votes = rounds
    state = {name: value for name, value in vars(empty).items() if name != "ensemble"}
    state |= {"estimator_weights": weights, "estimator_errors": errors, "votes": votes}
    state |= {"_lay_out": lay_out, "known_table": known[0], "_known_score": known[1]}
    model.__dict__.update(state)
    return model
