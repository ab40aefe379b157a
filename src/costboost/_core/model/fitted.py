"""Fitted models of two classes and of several.

A `BinaryModel` has one ensemble with one score. `ScoresModel` has one ensemble, each tree of which
is of one class, `OneVsRestModel` a binary model for each class against the rest. The base of the
latter two turns probabilities into decisions of least cost.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import accumulate, zip_longest
from typing import Any, ClassVar, NamedTuple, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from costboost._core.arithmetic import Floats, log
from costboost._core.arrays import Codes
from costboost._core.calibration.base import Calibrator
from costboost._core.calibration.softmax import SoftmaxCalibrator
from costboost._core.costs import Costs, check_matrices, expected, least_expected
from costboost._core.engine._kernels import TIE
from costboost._core.fingerprints import Fingerprint, Overlap
from costboost._core.model.constraints import Constraints
from costboost._core.model.log_odds import LEAST, log_odds
from costboost._core.model.prevalence import odds_factor, population_shares, reweighted_shares
from costboost._core.model.providers import ClassTrees, Learners
from costboost._core.model.shares import calibration_rows
from costboost._core.model.threshold import DecisionRule, signed
from costboost._core.rules.record import STARTS, NetCosts, Rule, SeveralRule
from costboost._core.tables import Coder, Table

T = TypeVar("T")

NEEDS_ALL_VALUES = {
    "linear": "the linear weak learner takes none; fill them in, or take estimator='stump'",
}
"""Weak learners that do not accept missing values, and the end of the error message."""


class Stage(NamedTuple):
    """A model after some of its rounds; each but ``raw`` is a list if every class has a model."""

    raw: Floats
    """The score F of each row, or a column for each class."""
    score: Any
    """F on the scale of the complete ensemble, whose calibrator is used for all stages."""
    votes: Any
    """Sum of the absolute steps."""
    n_added: Any
    """Number of learners."""


class FittedModel:
    """Base of the fitted models of two and of several classes."""

    coders: Sequence[Coder | None]
    fingerprint: Fingerprint | None
    learner: str
    monotonic: NDArray[np.int8] | None = None
    """1 for each feature that must not lower the probability of the positive class, -1 for one that
    must not raise it, 0 for others; None without such a constraint."""
    interactions: Any = None
    """Groups of features that may interact, "pairwise" or "no_interactions"; None for all."""

    @property
    def known_table(self) -> Table | None:
        """During training, a table whose scores are already computed."""
        return None

    @property
    def calibration_rows(self) -> float | None:
        """Labelled rows that would calibrate as well; None if the file does not say how many.

        The rows of a single held-out part count in full, those of folds less: their scores are not
        those of the final model.
        """
        if self.fingerprint is None:
            return None
        once: float | None = getattr(self, "held_out", None)
        n_train = self.fingerprint.n_training
        return n_train * once if once else calibration_rows(n_train)

    @property
    def constraints(self) -> Constraints:
        """The constraints of training."""
        groups = self.interactions
        if groups is not None and not isinstance(groups, str):
            groups = tuple(map(tuple, groups))
        return Constraints(
            None if self.monotonic is None else tuple(self.monotonic.tolist()), groups
        )

    def refuse_missing(self, table: Table) -> None:
        """Raise a ValueError if the weak learner does not accept the table's missing values."""
        if self.learner in NEEDS_ALL_VALUES:
            table.refuse_missing(NEEDS_ALL_VALUES[self.learner])

    def predicted(self: Any, table: Table, costs: Any, n_jobs: int | None) -> NDArray[Any]:
        """The label of each row under the given costs."""
        labels: NDArray[Any] = self.classes[self.codes(self.last(table, n_jobs), costs)]
        return labels

    def check_prevalence_taken(self: Any, name: str) -> None:
        """Raise a ValueError if probabilities cannot be brought to another prevalence."""
        if not self.decides_by_cost:
            raise ValueError(
                f"{name} takes no prevalence: its decision is that of a score "
                "trained for fixed costs, and its probabilities are not calibrated. Take "
                "CostBoostClassifier, or calibration='platt'."
            )

    def overlap(self, table: Table) -> Overlap | None:
        """How many rows were training rows; None if the model has no fingerprint."""
        return None if self.fingerprint is None else self.fingerprint.overlap(table, self.coders)


class OneEnsemble(FittedModel):
    """Base of models with one provider, and a rule.

    A rule is made of functions and therefore not pickled.
    """

    provider: Learners
    """Scores; `KnownScores` during training."""
    estimator_weights: Floats
    n_features_in: int
    votes: float = 0.0
    """Sum of the absolute steps; 0 where no probability depends on it."""
    stage_ends: NDArray[np.int64] | None = None
    """Number of rounds after each stage; None if each round is a stage."""
    stage_slopes: Floats | None = None
    stage_shifts: Floats | None = None
    """Slope and intercept that bring the score of a stage to the scale of the last one."""

    def __getstate__(self: Any) -> dict[str, Any]:
        """The fields without the rule; see `with_rule`."""
        state = {field.name: getattr(self, field.name) for field in fields(self)}
        return state | {"rule": None}

    def with_rule(self, rule: Rule | SeveralRule) -> Self:
        """The model with its rule, after it was unpickled; one that has a rule keeps it."""
        model: Any = self
        if model.rule is not None:
            return self
        same: Self = replace(model, rule=rule)
        return same

    @property
    def members(self) -> tuple[Self, ...]:
        """The models of one ensemble that this one consists of."""
        return (self,)

    def with_providers(self, providers: Sequence[Any]) -> Self:
        """The model with another provider of each member."""
        model: Any = self
        (provider,) = providers
        same: Self = replace(model, provider=provider)
        return same

    @property
    def n_iter(self) -> int:
        """Number of rounds; with two classes, of learners."""
        return int(self.estimator_weights.size)

    @property
    def ends(self) -> NDArray[np.int64]:
        """Number of rounds after each stage; 1, for a constant, if there are none."""
        if self.stage_ends is not None:
            return self.stage_ends
        return np.arange(1, max(1, self.n_iter) + 1)

    # ---- the provider ----------------------------------------------------------------------------

    @property
    def known_table(self) -> Table | None:
        """During training, a table whose scores are already computed."""
        return self.provider.known_table

    @property
    def learner(self) -> str:  # type: ignore[override]
        """Name of the weak learner; "wrapped" for a scikit-learn classifier."""
        return self.provider.learner

    @property
    def coders(self) -> Sequence[Coder | None]:  # type: ignore[override]
        """The codes of each categorical feature; None for a number."""
        return self.provider.coders

    @property
    def ensemble(self) -> Any:
        """The weak learners."""
        return self.provider.ensemble

    @property
    def background(self) -> NDArray[Any] | None:
        """What explanations compare rows with; None if they need rows to compare with."""
        return self.provider.background

    @property
    def feature_importances(self) -> Floats:
        """Share of each feature in the ensemble."""
        return self.provider.importances(self.estimator_weights, self.n_features_in)

    def numbers(self, table: Table) -> Floats:
        """The table as numbers, categories by their codes, as the ensemble reads it."""
        return self.provider.numbers(table)

    def scores(self, table: Table, n_jobs: int | None) -> Floats:
        """The score F of each row, positive for the positive class, or a column for each class."""
        return self.provider.scores(table, n_jobs)

    def scores_after(
        self, table: Table, ends: Sequence[int], n_jobs: int | None
    ) -> Iterator[Floats]:
        """The scores after the first n rounds, for every n in ``ends``."""
        return self.provider.scores_after(table, ends, n_jobs)

    def last(self, table: Table, n_jobs: int | None) -> Stage:
        """The complete ensemble."""
        score = self.provider.scores(table, n_jobs)
        return Stage(score, score, self.votes, self.n_iter)

    def stages(self, table: Table, n_jobs: int | None) -> Iterator[Stage]:
        """The ensemble after each stage; one stage if there are no rounds."""
        votes = list(accumulate(np.abs(self.estimator_weights).tolist())) or [0.0]
        ends, n_iter = self.ends.tolist(), self.n_iter
        for k, raw in enumerate(self.provider.scores_after(table, ends, n_jobs)):
            score = raw if self.stage_slopes is None else self.stage_slopes[k] * raw
            if self.stage_shifts is not None:
                score = score + self.stage_shifts[k]
            yield Stage(raw, score, votes[ends[k] - 1], min(ends[k], n_iter))


# ---- two classes ---------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False, kw_only=True)
class BinaryModel(OneEnsemble):
    """A fitted ensemble with everything that predictions need.

    The fitted attributes of classifiers are views of it. Only ``rule`` is not stored: it follows
    from the class and the parameters of the classifier.
    """

    rule: Rule
    classes: NDArray[Any]
    positive_index: int
    n_features_in: int
    feature_names_in: NDArray[Any] | None = None
    provider: Learners
    estimator_weights: Floats
    estimator_errors: Floats
    votes: float
    """Sum of the absolute steps."""
    stop_reason: str
    train_cost: Floats
    validation_score: Floats | None = None
    shares: dict[str, float] | None = None
    """Weight of each weak learner in an average of several ensembles."""
    stage_ends: NDArray[np.int64] | None = None
    """Number of learners after each stage; None if each learner is a stage."""
    stage_slopes: Floats | None = None
    stage_shifts: Floats | None = None
    """Slope and intercept that bring the score of a stage to the scale of the last one."""
    calibrator: Calibrator | None
    chosen: dict[str, Any]
    """Parameters that calibration chose among alternatives."""
    initial_weights: str
    n_rounds: int
    """Maximum number of rounds."""
    prior: float
    """Weighted share of positives in the training rows."""
    sampling: Floats | None = None
    """Share of the rows of each class that the training data kept of the population."""
    prevalence: float | None = None
    """Share of positives that probabilities refer to; None for that of the population."""
    costs: NetCosts
    """Net training costs, averaged over rows."""
    right_costs: tuple[float, float] | None = None
    """Costs of a true positive and of a true negative, averaged; None if none was given.

    ``costs`` are those of the mistakes minus these.
    """
    row_costs: bool | None = None
    """True if the training rows had different costs; None otherwise, and in files up to 0.2."""
    clipped_share: float | None = None
    """Share of the training rows whose cost ``clip_costs`` lowered; None without it."""
    held_out: float | None = None
    """Share of the rows that calibration held out once."""
    seed: int | None = None
    """Seed drawn from ``random_state``; None if training used no random numbers."""
    random_state: int | None = None
    """Whole number that was drawn in place of ``random_state=None``, and gives the same model."""
    fingerprint: Fingerprint | None = None
    monotonic: NDArray[np.int8] | None = None
    interactions: Any = None

    @property
    def combine(self) -> Any:
        """Function that updates the score with a learner's vote; None if votes are added."""
        return self.provider.combine

    @property
    def decides_by_cost(self) -> bool:
        """Whether predictions accept other costs than those of training."""
        return self.decision.by_cost

    @property
    def class_prior(self) -> Floats:
        """Share of each class that probabilities refer to."""
        if self.prevalence is not None:
            positive = self.prevalence
        elif self.sampling is None:
            positive = self.prior
        else:
            return population_shares(self._in_order(self.prior), self.sampling)
        return self._in_order(positive)

    def _in_order(self, positive: float) -> Floats:
        """Shares of both classes in the order of ``classes``."""
        shares = np.array([1 - positive, positive])
        return shares if self.positive_index == 1 else shares[::-1]

    def at_prevalence(self, shares: Floats) -> Self:
        """The model with probabilities and decisions for the given shares of the classes."""
        return replace(self, prevalence=float(shares[self.positive_index]))

    @property
    def decision(self) -> DecisionRule:
        """Probabilities and decisions from scores."""
        own, factor = self.initial_weights == "auto", 1.0
        if self.prevalence is not None or self.sampling is not None:
            factor = odds_factor(self.prior, float(self.class_prior[self.positive_index]))
        return DecisionRule(
            self.rule,
            self.rule.start if own else STARTS[self.initial_weights],
            own,
            self.prior,
            self.n_rounds,
            self.costs,
            self.calibrator,
            factor,
        )

    def towards_second(self, score: Floats) -> Floats:
        """Scores that are positive for ``classes[1]``, from scores for the positive class."""
        return score if self.positive_index == 1 else -score

    # ---- probabilities and decisions -------------------------------------------------------------

    def probability(
        self, score: Floats, votes: float | None = None, n_added: int | None = None
    ) -> Floats:
        """Probability of the positive class, of the complete ensemble unless a stage is given."""
        votes = self.votes if votes is None else votes
        n_added = self.n_iter if n_added is None else n_added
        return self.decision.probability(score, self.costs, votes, n_added)

    def log_odds(self, score: Floats) -> Floats:
        """Log-odds of the probability of the positive class."""
        return log_odds(self.probability(score))

    def log_probability(self, score: Floats) -> Floats:
        """Logarithm of the probability of the positive class, finite also for 0."""
        return np.asarray(log(np.maximum(self.probability(score), LEAST)))

    @property
    def score_unit(self) -> float:
        """Change of the score that means about as much for every rule."""
        return (self.votes if self.rule.votes else 2 / self.decision.slope) or 1.0

    @property
    def stated_costs(self) -> Costs:
        """The costs of training, averaged over the rows."""
        return Costs.from_net(self.costs, self.right_costs)

    def positive(self, score: Floats, costs: NetCosts) -> NDArray[np.bool_]:
        """Which rows are predicted positive under the given costs."""
        return self.decision.positive(score, costs, self.votes, self.n_iter)

    def certainty(self, score: Floats) -> Floats:
        """The scores mapped to [0, 1], the input of a calibrator."""
        return self.decision.certainty(score, self.votes, self.n_iter)

    def labels(self, positive: NDArray[np.bool_]) -> NDArray[Any]:
        """The labels of rows that are predicted positive or negative."""
        labels: NDArray[Any] = self.classes[
            np.where(positive, self.positive_index, 1 - self.positive_index)
        ]
        return labels

    # ---- stages ----------------------------------------------------------------------------------

    def raw(self, stage: Stage) -> Floats:
        """The score F of each row, positive for ``classes[1]``."""
        return self.towards_second(stage.raw)

    def probabilities(self, stage: Stage) -> Floats:
        """Probabilities of both classes, in the order of ``classes``."""
        probability = self.probability(*stage[1:])
        pair = [1 - probability, probability]
        return np.column_stack(pair if self.positive_index == 1 else pair[::-1])

    def codes(self, stage: Stage, costs: NetCosts) -> Codes:
        """The class code of each row under the given costs."""
        _, score, votes, n_added = stage
        positive = self.decision.positive(score, costs, votes, n_added)
        return np.where(positive, self.positive_index, 1 - self.positive_index)

    def values(self, costs: NetCosts) -> Callable[[Stage], Floats]:
        """A function from stages to the decision function under the given costs."""
        decision = self.decision
        beyond = decision.distance(costs)

        def values(stage: Stage) -> Floats:
            positive = decision.positive(stage.score, costs, *stage[2:])
            value = self.towards_second(beyond(*stage[1:]))
            return signed(value, positive if self.positive_index == 1 else ~positive)

        return values

    # ---- costs -----------------------------------------------------------------------------------

    @property
    def costs_differ(self) -> bool:
        """Whether mistakes differ in cost."""
        return bool(self.row_costs) or self.costs.fn != self.costs.fp

    def costs_for(self, name: str, given: Mapping[str, Any], n_rows: int) -> NetCosts:
        """Net costs of the decision: the given ones, or those of training."""
        if not given:
            return self.costs
        if not self.decides_by_cost:
            raise ValueError(
                f"{name} cannot be given other costs after training: its decision "
                "is the sign of a score trained for fixed costs. Take CostBoostClassifier, or "
                "calibration='platt'."
            )
        return self.stated_costs.with_given(given, n_rows, self.classes, self.positive_index).net


def last_of(stages: Iterable[T]) -> T:
    """The last stage; the others are not kept in memory."""
    return deque(stages, maxlen=1).pop()


# ---- several classes -----------------------------------------------------------------------------


@dataclass(frozen=True, eq=False, kw_only=True)
class SeveralModel(FittedModel):
    """A model of several classes: scores and probabilities of each, and a cost matrix."""

    classes: NDArray[Any]
    n_features_in: int
    feature_names_in: NDArray[Any] | None = None
    positive_index: ClassVar[None] = None
    row_costs: ClassVar[None] = None
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

    @property
    def log_shift(self) -> Floats:
        """What other shares of the classes than those of training add to log-probabilities."""
        return np.asarray(log(self.class_prior / self.training_shares))

    # ---- scores and probabilities ----------------------------------------------------------------

    def _referred(self, shares: Floats) -> Floats:
        """Probabilities with a sum of 1, under the shares of the classes they refer to."""
        shares = normalised(shares)
        if self.prevalence is None and self.sampling is None:
            return shares
        return reweighted_shares(shares, self.class_prior / self.training_shares)

    # ---- stages ----------------------------------------------------------------------------------

    def last(self, table: Table, n_jobs: int | None) -> Stage:
        """The complete model."""
        raise NotImplementedError

    def stages(self, table: Table, n_jobs: int | None) -> Iterator[Stage]:
        """The model after each round."""
        raise NotImplementedError

    def shares_at(self, stage: Stage) -> Floats:
        """Probabilities of the classes under the shares of the training rows, of any sum."""
        raise NotImplementedError

    def raw(self, stage: Stage) -> Floats:
        """The score F of each class, a column for each."""
        return stage.raw

    def probabilities(self, stage: Stage) -> Floats:
        """Probability of each class; the sum over classes is 1."""
        return self._referred(self.shares_at(stage))

    def codes(self, stage: Stage, matrix: Floats) -> Codes:
        """The class of least expected cost, or of the largest score."""
        if self.by_cost:
            return least_expected(self.probabilities(stage), matrix)
        return greatest(stage.raw)

    def values(self, matrix: Floats) -> Callable[[Stage], Floats]:
        """A function from stages to minus the expected cost of each class, or its score.

        The largest value is that of `codes`.
        """

        def values(stage: Stage) -> Floats:
            if not self.by_cost:
                return with_winner(stage.raw, greatest(stage.raw))
            probability = self.probabilities(stage)
            return with_winner(-expected(probability, matrix), least_expected(probability, matrix))

        return values

    # ---- costs -----------------------------------------------------------------------------------

    @property
    def costs_differ(self) -> bool:
        """Whether mistakes differ in cost."""
        return differ(self.matrix)

    def costs_for(self, name: str, given: Mapping[str, Any], n_rows: int) -> Floats:
        """Cost matrix of the decision: the given one, or that of training."""
        if given.get("cost_matrix") is None:
            return self.matrix
        if not self.changeable:
            raise ValueError(
                f"{name} cannot be given other costs after training: it was trained for fixed "
                "costs, or ignores them. Take CostBoostClassifier, AdaMECClassifier, or "
                "calibration='platt'."
            )
        return check_matrices(given["cost_matrix"], self.classes, n_rows)


def differ(matrix: Floats) -> bool:
    """Whether the costs of mistakes in a cost matrix differ."""
    mistakes = matrix[~np.eye(len(matrix), dtype=bool)]
    return bool(np.any(mistakes != mistakes[0]))


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
class ScoresModel(OneEnsemble, SeveralModel):
    """A score for each class, from one ensemble, with everything that predictions need.

    Only ``rule`` is not stored: it follows from the class and the parameters of the classifier.
    """

    rule: SeveralRule
    provider: ClassTrees
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
    random_state: int | None = None
    """Whole number that was drawn in place of ``random_state=None``, and gives the same model."""
    interactions: Any = None

    @property
    def training_shares(self) -> Floats:
        return self.prior

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

    def shares_at(self, stage: Stage) -> Floats:
        """Probabilities of the classes under the shares of the training rows."""
        return self.shares_of(stage.score)

    @property
    def log_line(self) -> tuple[float, Floats] | None:
        """Slope and offsets of log-probabilities in the scores; None if they are no such lines."""
        if not self.n_iter:
            return 0.0, np.asarray(log(np.maximum(self.prior, LEAST)))
        if isinstance(self.calibrator, SoftmaxCalibrator):
            return self.calibrator.slope_, self.calibrator.offset_
        if self.calibrator is None and self.rule.factors is None:
            return 1.0, np.zeros(len(self.classes))
        return None


# ---- a binary model for each class against the rest ----------------------------------------------


@dataclass(frozen=True, eq=False, kw_only=True)
class OneVsRestModel(SeveralModel):
    """A binary model for each class against the rest, and the cost matrix of decisions."""

    learner: str
    members: tuple[BinaryModel, ...]
    """A binary model for each class, whose labels are True for the class and False otherwise."""
    random_states: tuple[int, ...]
    """The ``random_state`` of each member."""
    stop_reason: str = "each class has its own; see estimators_"

    def with_rule(self, rule: Rule) -> Self:
        """The model with the rule of its members, after it was unpickled."""
        return replace(self, members=tuple(one.with_rule(rule) for one in self.members))

    def with_providers(self, providers: Sequence[Any]) -> Self:
        """The model with another provider of each member."""
        pairs = zip(self.members, providers, strict=True)
        return replace(self, members=tuple(one.with_providers([own]) for one, own in pairs))

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

    # ---- stages ----------------------------------------------------------------------------------

    def last(self, table: Table, n_jobs: int | None) -> Stage:
        """All members, complete."""
        return self._joined([member.last(table, n_jobs) for member in self.members])

    def stages(self, table: Table, n_jobs: int | None) -> Iterator[Stage]:
        """All members after each round; those that stopped early keep their last stage."""
        now: list[Any] = [None] * len(self.members)
        for stages in zip_longest(*(member.stages(table, n_jobs) for member in self.members)):
            now = [new or old for new, old in zip(stages, now, strict=True)]
            yield self._joined(now)

    def _joined(self, stages: Sequence[Stage]) -> Stage:
        """One stage of all members; scores are in units of half the log-odds."""
        pairs = zip(self.members, stages, strict=True)
        raw = [of_class.raw * (member.decision.slope / 2) for member, of_class in pairs]
        _, *others = zip(*stages, strict=True)
        return Stage(np.column_stack(raw), *others)

    def shares_at(self, stage: Stage) -> Floats:
        """Probabilities of the classes, each against the rest."""
        of_each = zip(self.members, *stage[1:], strict=True)
        return np.column_stack([member.probability(*of_class) for member, *of_class in of_each])

    @property
    def feature_importances(self) -> Floats:
        """Mean share of each feature over the members that have learners."""
        members = [one for one in self.members if one.n_iter] or self.members
        return np.asarray(np.mean([one.feature_importances for one in members], axis=0))
