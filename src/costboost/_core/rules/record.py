"""An algorithm as a record of costs, initial weights, link, and the functions of its round."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from costboost._core.arithmetic import Floats, Vector, expit, log, logit, power
from costboost._core.cells import Cells

LOG_2 = 0.6931471805599453


ALWAYS, NEVER = -1.0, 2.0
"""Thresholds that every probability exceeds, or none."""


class NetCosts(NamedTuple):
    """Cost of a false negative and of a false positive: numbers, or one of each for every row.

    They are net costs: what the mistake costs beyond the right prediction. Where one of them is
    not above 0, one prediction is at least as cheap as the other whichever class is true.
    """

    fn: Any
    fp: Any

    def of_class(self, positive: Any) -> Any:
        """The cost of a mistake on rows of the given class."""
        return np.where(positive, self.fn, self.fp)

    @property
    def threshold(self) -> Any:
        """Probability above which predicting the positive class has the lower expected cost.

        It is `ALWAYS` or `NEVER` where one prediction is cheaper whichever class is true. If both
        costs are below 0, as a mean over rows can be, it is the decision at a probability of 1/2.
        """
        fn, fp = np.multiply(self.fn, 0.5), np.multiply(self.fp, 0.5)  # no overflow
        if not np.any(self.dominated):
            return fp / (fp + fn)
        always = (fp < 0) & (fn > fp)
        inner = (fp >= 0) & (fn > 0)
        share = np.where(inner, fp / np.where(inner, fp + fn, 1.0), NEVER)
        return np.where(always, ALWAYS, share)

    @property
    def dominated(self) -> Any:
        """Whether a cost is not above 0, so that one prediction is never the costlier one."""
        return np.less_equal(self.fn, 0) | np.less_equal(self.fp, 0)

    @property
    def log_ratio(self) -> Any:
        """log(fn / fp), by mantissas and exponents: a common power of two changes nothing."""
        (a, i), (b, j) = np.frexp(self.fn), np.frexp(self.fp)
        return log(a / b) + (i - j) * LOG_2


Scaling = Callable[[Floats, int], Floats]
"""(costs, rounds requested) -> costs as the rule uses them."""


def as_given(cost: Floats, n_rounds: int) -> Floats:
    """c: costs as they are."""
    return cost


GREATEST_UNSCALED = 1e100
"""Costs that are not scaled must not exceed this, so that their squares are finite."""


def not_scaled(cost: Floats, n_rounds: int) -> Floats:
    """c: costs as they are, for rules whose steps depend on the unit of the costs."""
    if cost.max() > GREATEST_UNSCALED:
        raise ValueError(
            f"costs that are not scaled must be at most {GREATEST_UNSCALED:g}, got "
            f"{float(cost.max())!r}; divide the costs, or set max_cost to a number"
        )
    return cost


def least_is_one(cost: Floats, n_rounds: int) -> Floats:
    """c / min c: costs scaled so that the least is 1."""
    scaled: Floats = cost / cost.min()
    return scaled


def greatest_is(limit: float) -> Scaling:
    """Costs scaled so that the greatest is the limit."""

    def scale(cost: Floats, n_rounds: int) -> Floats:
        """limit c / max c: costs scaled so that the greatest is the limit."""
        scaled: Floats = cost * (limit / cost.max())
        return scaled

    return scale


def a_share_each_round(cost: Floats, n_rounds: int) -> Floats:
    """c^(1/M): after M rounds the whole cost."""
    root: Floats = power(cost, 1 / n_rounds)
    return root


@dataclass(frozen=True)
class Start:
    """Initial weights, and the log-odds by which they tilt the score.

    ``weight(cost, share)`` multiplies the sample weight of a row whose mistake costs ``cost`` and
    whose class has the weighted share ``share`` of all rows.
    """

    name: str
    weight: Callable[[Any, Any], Any]
    tilt: Callable[[Any, float], Any]
    """(log of the ratio of the costs, share of the positives) -> log-odds."""


UNIFORM = Start(
    "uniform",
    weight=lambda cost, share: np.ones_like(cost),
    tilt=lambda log_ratio, prior: 0.0,
)
COST = Start(
    "cost",
    weight=lambda cost, share: cost,
    tilt=lambda log_ratio, prior: log_ratio,
)
BALANCED = Start(
    "balanced",
    weight=lambda cost, share: np.ones_like(cost) / (2 * share),
    tilt=lambda log_ratio, prior: log(1 - prior) - log(prior),
)
STARTS = {start.name: start for start in (UNIFORM, COST, BALANCED)}


def as_weighed(cost: Any) -> Any:
    """w: learners are trained with the weights of the loss."""
    return np.ones_like(cost)


def times_cost(cost: Any) -> Any:
    """c w: learners are trained with the weights of the gradient."""
    return cost


def by_cost(cost: Any) -> Any:
    """w / c: learners are trained with the weights of the gradient of exp(-y F / c)."""
    return 1 / cost


# ---- links between score and probability, and the log-odds that rounds add to the score ----------


class Scale(NamedTuple):
    """What the meaning of a score depends on: costs, tilt, and size of the votes.

    ``tilt`` is the log-odds that weights besides the exponentials put into the score, ``votes`` the
    sum of the sizes of all steps.
    """

    costs: NetCosts
    tilt: Any
    votes: Any


@dataclass(frozen=True)
class Link:
    """Functions from the score F to P(y = +1 | x) and back, each the inverse of the other."""

    probability: Callable[[Floats, Scale], Floats]
    score: Callable[[Any, Scale], Any]
    formula: str
    in_votes: bool = False
    """Whether the score grows in proportion to the votes, so that a decision limit does too."""


LOGISTIC = Link(
    probability=lambda score, scale: expit(2 * score - scale.tilt),
    score=lambda probability, scale: (logit(probability) + scale.tilt) / 2,
    formula="2F - tilt",
)
"""The population minimiser of the exponential loss, costs taken out."""

LOGISTIC_DOUBLED = Link(
    probability=lambda score, scale: expit(score - scale.tilt),
    score=lambda probability, scale: logit(probability) + scale.tilt,
    formula="F - tilt",
)
"""For a score that is twice as large."""

LOGISTIC_TILTED = Link(
    probability=lambda score, scale: expit(2 * score),
    score=lambda probability, scale: logit(probability) / 2,
    formula="2F",
)
"""For algorithms whose costs cannot be taken out of the score."""

SIGMOID = Link(
    probability=lambda score, scale: expit(score),
    score=lambda probability, scale: logit(probability),
    formula="F",
)
"""For a score whose logistic function is a decision rather than a probability."""

COST_LOGISTIC = Link(
    probability=lambda score, scale: expit(
        (scale.costs.fn + scale.costs.fp) * score - scale.costs.log_ratio - scale.tilt
    ),
    score=lambda probability, scale: (
        (logit(probability) + scale.costs.log_ratio + scale.tilt)
        / (scale.costs.fn + scale.costs.fp)
    ),
    formula="(C+ + C-) F - log(C+ / C-) - tilt",
)
"""The population minimiser of exp(-c y F), costs taken out."""


def _inverse_slope(costs: NetCosts) -> Any:
    """1/c+ + 1/c-, c the costs scaled so that the less of the two is 1."""
    least = np.minimum(costs.fn, costs.fp)
    return least / costs.fn + least / costs.fp


INVERSE_COST_LOGISTIC = Link(
    probability=lambda score, scale: expit(
        _inverse_slope(scale.costs) * score + scale.costs.log_ratio - scale.tilt
    ),
    score=lambda probability, scale: (
        (logit(probability) - scale.costs.log_ratio + scale.tilt) / _inverse_slope(scale.costs)
    ),
    formula="(1/c+ + 1/c-) F + log(C+ / C-) - tilt",
)
"""The population minimiser of exp(-y F / c), costs taken out; c is scaled so that the less is 1."""

VOTES = Link(
    probability=lambda score, scale: np.clip((score / scale.votes + 1) / 2, 0.0, 1.0),
    score=lambda probability, scale: (2 * probability - 1) * scale.votes,
    formula="share of the steps that vote +1",
    in_votes=True,
)
"""P = share of the steps that vote +1 (Ting 2000); a negative step is the opposite vote."""


def no_drift(log_ratio: Any, n_added: int, n_rounds: int) -> Any:
    """0: the rounds put no cost into the weights."""
    return 0.0


def drift_after_first(log_ratio: Any, n_added: int, n_rounds: int) -> Any:
    """(T - 1)/M log(C+ / C-): every round but the first multiplies the weights by c^(1/M)."""
    return max(n_added - 1, 0) / n_rounds * log_ratio


def drift_from_first(log_ratio: Any, n_added: int, n_rounds: int) -> Any:
    """T/M log(C+ / C-): every round moves the log-odds by a share of 1/M."""
    return n_added / n_rounds * log_ratio


# ---- the criterion of weak learners --------------------------------------------------------------


class Criterion(NamedTuple):
    """The loss that a weak learner minimises.

    ``kind`` is one of "vote" (weighted error of one vote), "error" (of every side's majority),
    "exponential" and "squared" (loss when every side takes its best value), "cost exponential"
    (exponential loss with margins multiplied by the costs), "joint" (that loss for one vote with
    its own best step), "squares" (weighted squares of a regression), "entropy" (bits that encode
    the classes of every side).

    ``per_category`` is what a category without any effect is expected to gain under "squares" if it
    has a leaf of its own, by which the gains of splits of many categories are shrunken. A rule
    states it for weights of 1; 0 stands for no shrinkage.
    """

    kind: str
    smoothing: float = 0.0
    fn_cost: float = 1.0
    fp_cost: float = 1.0
    per_category: float = 0.0

    def per_weight(self, smoothing: float, row: float, total: float) -> Criterion:
        """For weights whose sum is 1 instead of ``total``, if a row has the weight ``row``."""
        by_chance = self.per_category * row / total
        return self._replace(smoothing=smoothing / total, per_category=by_chance)


VOTE = Criterion("vote")
SQUARES = Criterion("squares")

# ---- rules ---------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Rule:
    """The part of an algorithm that all families share.

    Attributes
    ----------
    start : Start
        Initial weights (times the sample weights).
    focus : costs -> array
        Ratio D / w of the weights that a learner is trained with to those of the loss. It is the
        same in every round, so that the cells of a rule hold D.
    scale : (costs, rounds) -> costs
        Costs as the rule uses them.
    link : Link
        From the score to the estimate of P(y = +1 | x), costs taken out, and back.
    drift : (log cost ratio, rounds added, rounds requested) -> log-odds
        Log-odds that the rounds have added to the weights besides the start.
    decides_by_cost : bool
        Decide by probability against the cost threshold instead of by the sign of F. Such a rule
        can be given other costs after training.
    cost_blind : bool
        Training and decision ignore the costs.
    costs_in_rounds : bool
        Steps or updates depend on the costs, not only the start.
    learner : str
        The weak learner of the paper.
    learners : tuple of str
        The weak learners of this family; "wrapped" is any scikit-learn classifier.
    """

    learners: ClassVar[tuple[str, ...]] = ("stump", "tree", "lookup", "logistic", "wrapped")
    votes: ClassVar[bool] = True
    """Whether learners vote, so that a score is a sum of steps of either sign."""

    name: str
    start: Start = UNIFORM
    focus: Callable[[Any], Any] = as_weighed
    scale: Scaling = as_given
    link: Link = LOGISTIC
    drift: Callable[[Any, int, int], Any] = no_drift
    decides_by_cost: bool = False
    cost_blind: bool = False
    costs_in_rounds: bool = False
    learner: str = "stump"

    def trains_by_cost(self, initial_weights: str = "auto") -> bool:
        """Whether training uses the costs, given the parameter for the initial weights."""
        start = self.start if initial_weights == "auto" else STARTS[initial_weights]
        return start is COST or self.costs_in_rounds or self.focus is not as_weighed

    @property
    def spreads_costs(self) -> bool:
        """Whether each of M rounds uses the costs c^(1/M)."""
        return self.scale is a_share_each_round

    @property
    def scores_per_cost(self) -> bool:
        """Whether a score is measured in 1 / cost, so that greater costs make it smaller."""
        return self.link is COST_LOGISTIC


@dataclass(frozen=True, kw_only=True)
class DiscreteRule(Rule):
    """Learners that vote.

    Attributes
    ----------
    step : Cells -> float
        The step alpha, found under the weights of the round.
    update : (Cells, float) -> array
        The factor by which each cell's weights change.
    """

    step: Callable[[Cells], float]
    update: Callable[[Cells, float], Vector]
    criterion: Criterion = VOTE


@dataclass(frozen=True, kw_only=True)
class RealRule(Rule):
    """Learners whose leaves have values.

    Attributes
    ----------
    criterion : Criterion
        The loss that the split minimises.
    leaf : (p, q, criterion) -> array
        Value of each leaf from its shares of the two classes.
    leaf_of_many : (p, q, criterion) -> array, or None
        Value of each leaf of a learner with more than two; None if that is the same function.
    leaf_of_rows : (w, y, c, leaf, number of leaves, criterion) -> array, or None
        Value of each leaf from its rows, if rows have costs; None if costs have no influence.
    update : (Cells, float) -> array
        The factor by which each cell's weights change.
    """

    votes: ClassVar[bool] = False

    criterion: Criterion
    leaf: Callable[[Floats, Floats, Criterion], Floats]
    update: Callable[[Cells, float], Vector]
    leaf_of_many: Callable[[Floats, Floats, Criterion], Floats] | None = None
    leaf_of_rows: Callable[..., Floats] | None = None


@dataclass(frozen=True, kw_only=True)
class SeveralRule(Rule):
    """Learners for more than two classes, with a score for each.

    Attributes
    ----------
    probability : (scores, factors or None) -> array
        Probabilities of the classes, a column for each, at the minimum of the loss.
    factors : matrix -> matrix, or None
        Costs as the rule uses them, from the cost matrix; None if it uses none.
    """

    votes: ClassVar[bool] = False

    probability: Callable[[Floats, Floats | None], Floats]
    factors: Callable[[Floats], Floats] | None = None


@dataclass(frozen=True)
class RowData:
    """Vectors over all training rows, for rules that need the score of each."""

    label: Vector
    """+1 or -1."""
    start: Vector
    """Sample weight times initial weight, summing to 1."""
    costs: NetCosts
    mean_costs: NetCosts
    """Costs averaged over the rows by sample weight; the costs themselves if rows have none."""
    n_rounds: int
    """Rounds requested."""


@dataclass(frozen=True, kw_only=True)
class ScoreRule(Rule):
    """Learners that vote, under weights that are a function of the scores.

    Attributes
    ----------
    begin : RowData -> state
        State before the first round; its ``weight`` is the weight of every row.
    step : (RowData, state, y h) -> float
        The step alpha.
    advance : (RowData, state, alpha, h) -> state
        State after the round.
    combine : (F, alpha, h) -> F or None
        The score after the round, where it is not F + alpha h.
    """

    begin: Callable[[RowData], Any]
    step: Callable[[RowData, Any, Vector], float]
    advance: Callable[[RowData, Any, float, Vector], Any]
    combine: Callable[[Vector, float, Vector], Vector] | None = None
    criterion: Criterion = VOTE


def all_alike(rows: RowData) -> Any:
    """1: the losses of all rows are equally steep."""
    return None


@dataclass(frozen=True, kw_only=True)
class NewtonRule(Rule):
    """Learners that regress on the working response of a loss of the logit t.

    The loss of a row is s log(1 + e^(-y t)), or s / (1 + e^(y t)) if it is ``expected``.

    Attributes
    ----------
    logit : (RowData, round) -> (slope, offset)
        The logit t = slope F + offset, numbers or one of each for every row.
    logit_moves : bool
        Whether the logit of the same score changes from round to round.
    first_step : RowData -> float
        The step tried first; it is halved until the loss does not rise.
    steepness : RowData -> array or None
        Steepness s of the loss of a row relative to the others; None if all are 1.
    weight_of_twice_score : bool
        Whether the weights of the regression are p (1 - p) of the logit 2F instead of t.
    expected : bool
        Whether the loss is the probability of a mistake instead of the log loss. It is not convex:
        p (1 - p), which is never below its absolute second derivative, is taken instead of that.
    few_bits_rows : int
        Number of rows from which responses and weights are rounded to 19 bits where they are
        summed. That takes less time, and changes less than chance contributes.
    """

    learners: ClassVar[tuple[str, ...]] = ("stump", "tree", "lookup", "linear")
    votes: ClassVar[bool] = False

    logit: Callable[[RowData, int], tuple[Any, Any]]
    first_step: Callable[[RowData], float]
    logit_moves: bool = False
    steepness: Callable[[RowData], Any] = all_alike
    weight_of_twice_score: bool = False
    expected: bool = False
    few_bits_rows: int = 4096
    criterion: Criterion = SQUARES
