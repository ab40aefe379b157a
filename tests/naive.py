"""Every binary algorithm of the library, transcribed: slow, plain, the judge of the fast engine.

Nothing here comes from the library, and nothing is clever. Each algorithm is meant to be read
beside its formula in the paper that introduced it. Papers cited: Masnadi = Masnadi-Shirazi and
Vasconcelos 2007; Nikolaou = Nikolaou et al. 2016; Nyga = Nyga 2010; Sun = Sun, Wong and Wang 2005.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit

Array = np.ndarray

TIE = 1e-12  # two criteria this close are equal: the order of the candidates decides
FLOOR = 1e-10  # least weight share under a logarithm, so that a perfect learner's step is finite
CLIP = 1e-10  # least probability in the Newton family
LEAF_LIMIT = 4.0  # greatest leaf value in the Newton family (z itself is never clipped)
HALVINGS = 30  # how often a Newton step may be halved before the ensemble ends
STEP_LIMIT = 50.0  # greatest step of AdaBoost_Reg, whose loss may have no minimum
RIDGE = 1e-6  # on the slope of a logistic regression, so that separable data have a finite one
FLAT = 1e-12  # a logistic slope below this has no threshold: a constant vote


# ---------------------------------------------------------------------------------------------
# The problem and the model
# ---------------------------------------------------------------------------------------------


@dataclass
class Problem:
    """The training rows of positive weight, with costs and settings."""

    X: Array
    y: Array
    s: Array  # the user's sample weights, summing to 1
    fn: Array  # cost of a false negative, per row
    fp: Array  # cost of a false positive, per row
    class_costs: bool  # both costs are the same for every row
    rounds: int
    learning_rate: float
    initial_weights: str
    negative_step: str
    cuts: list[Array]  # thresholds of each column

    @property
    def c(self) -> Array:
        return np.where(self.y > 0, self.fn, self.fp)


@dataclass
class NaiveModel:
    """A fitted ensemble: F = sum of steps times learners (WeightBoost damps each term)."""

    algorithm: str
    damping: float = 0.0  # WeightBoost's beta; 0 for everyone else
    learners: list[Learner] = field(default_factory=list)
    steps: list[float] = field(default_factory=list)
    errors: list[float] = field(default_factory=list)
    weights: list[Array] = field(default_factory=list)
    stop_reason: str = "n_estimators"

    def add(self, learner: Learner, step: float, w: Array, error: float | None = None) -> None:
        self.learners.append(learner)
        self.steps.append(float(step))
        self.weights.append(normalised(w))
        if error is not None:
            self.errors.append(float(error))

    def staged_decision_function(self, X: Array) -> list[Array]:
        X = np.asarray(X, dtype=float)
        F = np.zeros(len(X))
        stages = []
        for step, learner in zip(self.steps, self.learners, strict=True):
            F = F + step * np.exp(-np.abs(self.damping * F)) * learner.predict(X)
            stages.append(F)
        return stages

    def decision_function(self, X: Array) -> Array:
        stages = self.staged_decision_function(X)
        return stages[-1] if stages else np.zeros(len(X))


def normalised(w: Array) -> Array:
    return w / w.sum()


def start(problem: Problem, table_column: Array) -> Array:
    """Initial weights; `table_column` is what the algorithm's own table says ("auto")."""
    y, s = problem.y, problem.s
    if problem.initial_weights == "auto":
        return normalised(s * table_column)
    if problem.initial_weights == "uniform":
        return normalised(s)
    if problem.initial_weights == "cost":
        return normalised(s * problem.c)
    if problem.initial_weights == "balanced":
        class_total = np.where(y > 0, s[y > 0].sum(), s[y < 0].sum())
        return normalised(s / (2 * class_total))
    raise ValueError(f"initial_weights={problem.initial_weights!r}")


def may_be_added(problem: Problem, step: float) -> bool:
    """Nikolaou stops at a step that is not positive; Nyga keeps a negative one with its sign."""
    if not math.isfinite(step) or step == 0:
        return False
    return step > 0 or problem.negative_step == "keep"


# ---------------------------------------------------------------------------------------------
# Weak learners: what they are
# ---------------------------------------------------------------------------------------------


class Learner(Protocol):
    def predict(self, X: Array) -> Array: ...


@dataclass(frozen=True)
class Split:
    feature: int
    threshold: float
    missing_right: bool

    def right(self, X: Array) -> Array:
        column = X[:, self.feature]
        return np.where(np.isnan(column), self.missing_right, column > self.threshold)


@dataclass(frozen=True)
class Stump:
    split: Split
    left: float
    right: float

    def predict(self, X: Array) -> Array:
        return np.where(self.split.right(X), self.right, self.left)


@dataclass(frozen=True)
class Constant:
    value: float

    def predict(self, X: Array) -> Array:
        return np.full(len(X), self.value)


@dataclass
class Node:
    """A tree's node; without a split it is a leaf and `value` is its vote or leaf value."""

    value: float
    depth: int
    split: Split | None = None
    left: Node | None = None
    right: Node | None = None

    def predict(self, X: Array) -> Array:
        if self.split is None or self.left is None or self.right is None:
            return np.full(len(X), self.value)
        right = self.split.right(X)
        return np.where(right, self.right.predict(X), self.left.predict(X))


@dataclass(frozen=True)
class Lookup:
    """One value for each bin of one feature; missing values are a bin of their own, the last."""

    feature: int
    cuts: Array
    values: Array

    def predict(self, X: Array) -> Array:
        return self.values[bins_of(X[:, self.feature], self.cuts)]


@dataclass(frozen=True)
class Linear:
    feature: int
    slope: float
    intercept: float

    def predict(self, X: Array) -> Array:
        return self.slope * X[:, self.feature] + self.intercept


# ---------------------------------------------------------------------------------------------
# Weak learners: how they are found
# ---------------------------------------------------------------------------------------------


def midpoints(column: Array) -> Array:
    """Thresholds of a column; one value and some missing rows can only be told apart at +inf."""
    values = np.unique(column[~np.isnan(column)])
    if len(values) == 1 and np.isnan(column).any():
        return np.array([np.inf])
    middle = (values[:-1] + values[1:]) / 2
    # Between neighbouring floats the midpoint may round up onto the upper value.
    return np.where(middle < values[1:], middle, values[:-1])


def first_of_least(criteria: list[float]) -> int:
    """Ties go to the first in the order of the candidates, so rounding cannot decide."""
    least = min(criteria)
    return next(i for i, value in enumerate(criteria) if value <= least + TIE)


def place_missing(
    column: Array,
    threshold: float,
    w: Array,
    criterion: Callable[[Array], float],
    min_rows: int = 1,
) -> tuple[float, bool] | None:
    """Criterion of a threshold and the side of the missing rows; None if a side is too small.

    `criterion` takes the mask of the rows on the right.
    """
    missing = np.isnan(column)
    above = column > threshold  # false for missing rows
    below = ~above & ~missing
    heavier_is_right = bool(w[above].sum() > w[below].sum() + TIE)

    def big_enough(right: Array) -> bool:
        return right.sum() >= min_rows and (~right).sum() >= min_rows

    if not missing.any():
        return (criterion(above), heavier_is_right) if big_enough(above) else None
    found = {
        is_right: criterion(above | missing if is_right else above)
        for is_right in (False, True)
        if big_enough(above | missing if is_right else above)
    }
    if not found:
        return None
    if len(found) == 1:
        ((is_right, value),) = found.items()
    elif abs(found[False] - found[True]) <= TIE:
        is_right = heavier_is_right
        value = found[is_right]
    else:
        is_right = found[True] < found[False]
        value = found[is_right]
    return value, is_right


def thresholds(cuts: list[Array]) -> Iterator[tuple[int, float]]:
    """Every feature and threshold, in the order that settles ties."""
    for feature, column_cuts in enumerate(cuts):
        for threshold in column_cuts:
            yield feature, float(threshold)


def best_polarity_stump(
    problem: Problem,
    w: Array,
    criterion: Callable[[Array], float],
    min_rows: int = 1,
) -> Learner:
    """The stump h = p if x > t else -p, or constant, whose votes have the least criterion."""
    X = problem.X
    criteria: list[float] = []
    learners: list[Learner] = []
    for feature, threshold in thresholds(problem.cuts):
        for p in (1.0, -1.0):
            placed = place_missing(
                X[:, feature],
                threshold,
                w,
                lambda right, p=p: criterion(np.where(right, p, -p)),
                min_rows,
            )
            if placed is not None:
                criteria.append(placed[0])
                learners.append(Stump(Split(feature, threshold, placed[1]), -p, p))
    for p in (1.0, -1.0):  # last, so that a constant wins only when it is strictly better
        criteria.append(criterion(np.full(len(X), p)))
        learners.append(Constant(p))
    return learners[first_of_least(criteria)]


def best_split(
    problem: Problem,
    w: Array,
    criterion: Callable[[Array], float],
    min_rows: int = 1,
) -> Split | None:
    """The threshold with the least criterion (a function of the mask of the right rows)."""
    criteria: list[float] = []
    splits: list[Split] = []
    for feature, threshold in thresholds(problem.cuts):
        placed = place_missing(problem.X[:, feature], threshold, w, criterion, min_rows)
        if placed is not None:
            criteria.append(placed[0])
            splits.append(Split(feature, threshold, placed[1]))
    return splits[first_of_least(criteria)] if splits else None


@dataclass(frozen=True)
class TreeShape:
    max_depth: int | None = None
    max_leaf_nodes: int | None = None
    min_samples_leaf: int = 1

    @property
    def is_stump(self) -> bool:
        return self.max_depth == 1 or self.max_leaf_nodes == 2


@dataclass(frozen=True)
class WeakLearner:
    """Which learner is looked for, and its limits."""

    kind: str  # "stump", "tree", "lookup", "logistic", "linear"
    shape: TreeShape
    n_bins: int


@dataclass(frozen=True)
class Leaves:
    """What some rows (numbers or a mask) are as one leaf or bin of a learner.

    A learner's criterion is the sum of `loss` over its leaves, `value` is what a leaf answers.
    """

    value: Callable[[Array], float]
    loss: Callable[[Array], float]


def spread(D: Array, y: Array) -> float:
    """2 sqrt(p q): the exponential loss of a leaf under its best real value."""
    return 2 * math.sqrt(D[y > 0].sum() * D[y < 0].sum())


def best_node_split(
    problem: Problem,
    w: Array,
    leaves: Leaves,
    rows: Array,
    min_rows: int,
) -> tuple[float, Split] | None:
    """Gain and split of one node (its row numbers), with the whole column's thresholds."""
    X, weight = problem.X[rows], w[rows]
    whole = leaves.loss(rows)

    def criterion(right: Array) -> float:
        return leaves.loss(rows[~right]) + leaves.loss(rows[right])

    criteria: list[float] = []
    splits: list[Split] = []
    for feature, threshold in thresholds(problem.cuts):
        placed = place_missing(X[:, feature], threshold, weight, criterion, min_rows)
        if placed is not None and whole - placed[0] > TIE:
            criteria.append(placed[0])
            splits.append(Split(feature, threshold, placed[1]))
    if not splits:
        return None
    best = first_of_least(criteria)
    return whole - criteria[best], splits[best]


@dataclass(frozen=True)
class GrowingLeaf:
    """A leaf of an unfinished tree with the best split it could have."""

    node: Node
    rows: Array
    gain: float
    split: Split | None  # None if it must stay a leaf


def growing_leaf(
    problem: Problem, w: Array, leaves: Leaves, shape: TreeShape, rows: Array, depth: int
) -> GrowingLeaf:
    node = Node(leaves.value(rows), depth)
    deep_enough = shape.max_depth is not None and depth >= shape.max_depth
    found = (
        None if deep_enough else best_node_split(problem, w, leaves, rows, shape.min_samples_leaf)
    )
    return GrowingLeaf(node, rows, *(found or (0.0, None)))


def grow_tree(problem: Problem, w: Array, leaves: Leaves, shape: TreeShape) -> Node:
    """Best gain first: of all leaves, in order of creation, the one of greatest gain is split."""
    root = growing_leaf(problem, w, leaves, shape, np.arange(len(w)), depth=0)
    tree = [root]
    while shape.max_leaf_nodes is None or len(tree) < shape.max_leaf_nodes:
        options = [leaf for leaf in tree if leaf.split is not None]
        if not options:
            break
        best = options[first_of_least([-leaf.gain for leaf in options])]
        node, rows, split = best.node, best.rows, best.split
        assert split is not None
        right = split.right(problem.X[rows])
        left_leaf, right_leaf = (
            growing_leaf(problem, w, leaves, shape, side, node.depth + 1)
            for side in (rows[~right], rows[right])
        )
        node.split, node.left, node.right = split, left_leaf.node, right_leaf.node
        tree = [leaf for leaf in tree if leaf is not best] + [left_leaf, right_leaf]
    return root.node


def quantile_cuts(column: Array, n_bins: int) -> Array:
    """Inner edges of the bins: every midpoint if the column has no more values than bins."""
    present = column[~np.isnan(column)]
    if len(np.unique(present)) <= n_bins:
        values = np.unique(present)
        return (values[:-1] + values[1:]) / 2
    return np.unique(np.quantile(present, np.arange(1, n_bins) / n_bins))


def bins_of(column: Array, cuts: Array) -> Array:
    """The number of cuts below each value; the bin after the last one is for missing values."""
    below = (column[:, None] > cuts[None, :]).sum(axis=1)
    return np.where(np.isnan(column), len(cuts) + 1, below)


def lookup_table(problem: Problem, leaves: Leaves, n_bins: int) -> Learner | None:
    """Masnadi's weighted histogram of one feature's responses; the feature of least loss."""
    criteria: list[float] = []
    learners: list[Learner] = []
    for feature in range(problem.X.shape[1]):
        column = problem.X[:, feature]
        if np.isnan(column).all():
            continue
        cuts = quantile_cuts(column, n_bins)
        bins = bins_of(column, cuts)
        members = [bins == b for b in range(len(cuts) + 2)]
        criteria.append(sum(leaves.loss(rows) for rows in members))
        learners.append(Lookup(feature, cuts, np.array([leaves.value(rows) for rows in members])))
    return learners[first_of_least(criteria)] if learners else None


# Univariate logistic regression, Nikolaou's base learner: P(y=+1|x) = 1/(1+e^(-(a x + b))).


@dataclass(frozen=True)
class LogisticCurve:
    """a and b for the standardised feature (x - mean) / deviation."""

    slope: float
    intercept: float
    mean: float
    deviation: float

    @property
    def threshold(self) -> float:
        """Where the probability is 1/2, in the feature's own units."""
        return self.mean - self.deviation * self.intercept / self.slope


def logistic_objective(x: Array, y: Array, w: Array, ab: Array) -> float:
    """Log loss under weights summing to 1, and a ridge on the slope only."""
    return (w * np.logaddexp(0.0, -y * (ab[0] * x + ab[1]))).sum() + RIDGE / 2 * ab[0] ** 2


def logistic_newton_step(x: Array, y: Array, w: Array, ab: Array) -> tuple[Array, float]:
    """The step that the objective's quadratic expansion asks for, and twice what it promises."""
    z = ab[0] * x + ab[1]
    pull = w * y * expit(-y * z)  # y* - p, without the cancellation
    v = w * expit(z) * expit(-z)
    descent = np.array([(pull * x).sum() - RIDGE * ab[0], pull.sum()])
    hessian = np.array([[(v * x * x).sum() + RIDGE, (v * x).sum()], [(v * x).sum(), v.sum()]])
    step = np.linalg.solve(hessian, descent)
    return step, float(descent @ step)


def logistic_coefficients(x: Array, y: Array, w: Array) -> tuple[float, float]:
    """Slope and intercept of least objective, by Newton's method with halved steps.

    Under one class alone the intercept has no finite optimum; in the limit the slope is 0.
    """
    plus, minus = w[y > 0].sum(), w[y < 0].sum()
    if plus == 0 or minus == 0:
        return 0.0, math.copysign(math.inf, plus - minus)
    ab = np.array([0.0, math.log(plus / minus)])
    for _ in range(200):
        step, promise = logistic_newton_step(x, y, w, ab)
        here = logistic_objective(x, y, w, ab)
        ceiling = here * (1 + 1e-14)  # near the optimum rounding hides what a good step gains
        while logistic_objective(x, y, w, ab + step) > ceiling:
            step = step / 2
        ab = ab + step
        if promise <= 1e-24 * here:
            break
    return float(ab[0]), float(ab[1])


def logistic_curve(column: Array, y: Array, D: Array) -> LogisticCurve | None:
    """The regression on the rows where the feature is present; None if it does not vary there."""
    present = ~np.isnan(column)
    x, total = column[present], D[present].sum()
    if len(np.unique(x)) < 2 or total == 0:
        return None
    w = D[present] / total
    mean = (w * x).sum()
    deviation = math.sqrt((w * (x - mean) ** 2).sum())
    if deviation == 0:  # all but one value have lost their weight
        return None
    slope, intercept = logistic_coefficients((x - mean) / deviation, y[present], w)
    return LogisticCurve(slope, intercept, mean, deviation)


# (mask of the right rows, vote of the right) -> criterion, left value, right value
Judge = Callable[[Array, float], tuple[float, float, float]]


def logistic_hypothesis(
    problem: Problem, D: Array, feature: int, curve: LogisticCurve, judge: Judge
) -> tuple[float, Learner]:
    """A curve crosses 1/2 once, so its votes are a stump's, or constant where it is flat."""
    X = problem.X
    if abs(curve.slope) < FLAT:
        vote = 1.0 if curve.intercept > TIE else -1.0
        criterion, _, value = judge(np.ones(len(X), dtype=bool), vote)
        return criterion, Constant(value)
    vote = math.copysign(1.0, curve.slope)
    # A threshold beyond all rows is allowed, hence sides of no rows.
    placed = place_missing(
        X[:, feature], curve.threshold, D, lambda right: judge(right, vote)[0], min_rows=0
    )
    assert placed is not None
    split = Split(feature, curve.threshold, placed[1])
    criterion, left, right = judge(split.right(X), vote)
    return criterion, Stump(split, left, right)


def best_logistic(problem: Problem, D: Array, judge: Judge) -> Learner | None:
    """Each feature has one regression; the feature of least criterion wins."""
    criteria: list[float] = []
    learners: list[Learner] = []
    for feature in range(problem.X.shape[1]):
        curve = logistic_curve(problem.X[:, feature], problem.y, D)
        if curve is not None:
            criterion, learner = logistic_hypothesis(problem, D, feature, curve, judge)
            criteria.append(criterion)
            learners.append(learner)
    return learners[first_of_least(criteria)] if learners else None


# ---------------------------------------------------------------------------------------------
# Discrete family: one loop, five choices
# ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class DiscreteRule:
    """One row of the table: costs, initial weights, step and reweighting (learners see w)."""

    scale: Callable[[Array], Array]
    start: Callable[[Array, int], Array]  # (c, M)
    step: Callable[[Array, Array, Array], float]  # (w, c, y h)
    update: Callable[[Array, float, Array, int], Array]  # (c, alpha, y h, M)


# Column 1, how the costs are scaled.


def as_given(c: Array) -> Array:
    return c


def least_is_one(c: Array) -> Array:
    return c / c.min()


def greatest_is(limit: float) -> Callable[[Array], Array]:
    return lambda c: limit * c / c.max()


# Column 2, the initial weights.


def start_at_one(c: Array, M: int) -> Array:
    return np.ones_like(c)


def start_at_cost(c: Array, M: int) -> Array:
    return c


def start_at_root(c: Array, M: int) -> Array:
    return c ** (1 / M)


# Column 4, the step. u = y h: +1 where the learner is right, -1 where it is wrong.


def half_log_ratio(a: float, b: float) -> float:
    """1/2 log a/b with both floored as shares of their sum."""
    return 0.5 * math.log(max(a / (a + b), FLOOR) / max(b / (a + b), FLOOR))


def step_adaboost(w: Array, c: Array, u: Array) -> float:
    return half_log_ratio(w[u > 0].sum(), w[u < 0].sum())


def step_adac2(w: Array, c: Array, u: Array) -> float:
    """Sun's eq. for AdaC2, and Nyga's for AdaC1: the weights enter times the cost."""
    return half_log_ratio((w * c)[u > 0].sum(), (w * c)[u < 0].sum())


# 1 + r and 1 - r are summed row by row, because their difference may be all that is left.


def step_adac1(w: Array, c: Array, u: Array) -> float:
    """r = sum w c u; 1 +- r = sum w (1 +- c u)."""
    return half_log_ratio((w * (1 + c * u)).sum(), (w * (1 - c * u)).sum())


def step_adac3(w: Array, c: Array, u: Array) -> float:
    """S = sum w c, r = sum w c^2 u; S +- r = sum w c (1 +- c u)."""
    return half_log_ratio((w * c * (1 + c * u)).sum(), (w * c * (1 - c * u)).sum())


def step_adacost(w: Array, c: Array, u: Array) -> float:
    """r = sum w u beta; 1 +- r = sum w (1 +- u beta)."""
    part = u * adacost_beta(c, u)
    return half_log_ratio((w * (1 + part)).sum(), (w * (1 - part)).sum())


# Column 5, the factor by which a weight changes.


def adacost_beta(c: Array, u: Array) -> Array:
    """A dear mistake is punished more, a dear right answer rewarded less (Fan et al.)."""
    return np.where(u < 0, (1 + c) / 2, (1 - c) / 2)


def csb_gamma(c: Array, u: Array) -> Array:
    """The cost counts on mistakes only (Ting; Nikolaou Table 2)."""
    return np.where(u < 0, c, 1.0)


def update_adaboost(c: Array, alpha: float, u: Array, M: int) -> Array:
    return np.exp(-alpha * u)


def update_asymada(c: Array, alpha: float, u: Array, M: int) -> Array:
    return c ** (1 / M) * np.exp(-alpha * u)


def update_csb0(c: Array, alpha: float, u: Array, M: int) -> Array:
    return csb_gamma(c, u)


def update_csb1(c: Array, alpha: float, u: Array, M: int) -> Array:
    return csb_gamma(c, u) * np.exp(-u)


def update_csb2(c: Array, alpha: float, u: Array, M: int) -> Array:
    return csb_gamma(c, u) * np.exp(-alpha * u)


def update_adac1(c: Array, alpha: float, u: Array, M: int) -> Array:
    return np.exp(-c * alpha * u)


def update_adac2(c: Array, alpha: float, u: Array, M: int) -> Array:
    return c * np.exp(-alpha * u)


def update_adac3(c: Array, alpha: float, u: Array, M: int) -> Array:
    return c * np.exp(-c * alpha * u)


def update_adacost(c: Array, alpha: float, u: Array, M: int) -> Array:
    return np.exp(-adacost_beta(c, u) * alpha * u)


ADABOOST = DiscreteRule(as_given, start_at_one, step_adaboost, update_adaboost)
CGADA = DiscreteRule(as_given, start_at_cost, step_adaboost, update_adaboost)
ASYMADA = DiscreteRule(as_given, start_at_root, step_adaboost, update_asymada)
CSB0 = DiscreteRule(least_is_one, start_at_cost, step_adaboost, update_csb0)
CSB1 = DiscreteRule(least_is_one, start_at_cost, step_adaboost, update_csb1)
CSB2 = DiscreteRule(least_is_one, start_at_cost, step_adaboost, update_csb2)
ADAC1_SUN = DiscreteRule(greatest_is(1.0), start_at_cost, step_adac1, update_adac1)
ADAC1_NYGA = DiscreteRule(least_is_one, start_at_cost, step_adac2, update_adac1)
ADAC2 = DiscreteRule(as_given, start_at_cost, step_adac2, update_adac2)
ADAC3 = DiscreteRule(greatest_is(1.0), start_at_cost, step_adac3, update_adac3)


def adacost_rule(beta: str = "fan", max_cost: float = 0.5) -> DiscreteRule:
    step = {"fan": step_adacost, "ting": step_adaboost}[beta]
    return DiscreteRule(greatest_is(max_cost), start_at_cost, step, update_adacost)


def adac1_rule(step: str = "sun") -> DiscreteRule:
    return {"sun": ADAC1_SUN, "nyga": ADAC1_NYGA}[step]


def weighted_error(D: Array, y: Array, votes: Array) -> float:
    return D[votes != y].sum()


def majority(problem: Problem, D: Array) -> Callable[[Array], float]:
    """The vote of some rows; +1 only if positives outweigh negatives by more than rounding."""

    def vote(rows: Array) -> float:
        weight, y = D[rows], problem.y[rows]
        return 1.0 if weight[y > 0].sum() > weight[y < 0].sum() + TIE else -1.0

    return vote


def spread_leaves(problem: Problem, D: Array, value: Callable[[Array], float]) -> Leaves:
    """Trees that are to err little are grown by 2 sqrt(p q): Kearns and Mansour 1996."""
    return Leaves(value, lambda rows: spread(D[rows], problem.y[rows]))


def vote_table(problem: Problem, D: Array, n_bins: int) -> Learner | None:
    """Each bin votes for its majority; the feature of least D-weighted error."""
    vote = majority(problem, D)

    def error(rows: Array) -> float:
        return D[rows][problem.y[rows] != vote(rows)].sum()

    return lookup_table(problem, Leaves(vote, error), n_bins)


def logistic_voter(problem: Problem, D: Array) -> Learner | None:
    def judge(right: Array, vote: float) -> tuple[float, float, float]:
        return weighted_error(D, problem.y, np.where(right, vote, -vote)), -vote, vote

    return best_logistic(problem, D, judge)


def discrete_learner(problem: Problem, D: Array, wanted: WeakLearner) -> Learner | None:
    """The weak learner of least D-weighted error; a tree of more than one split is greedy."""
    if wanted.kind == "tree":
        leaves = spread_leaves(problem, D, majority(problem, D))
        return grow_tree(problem, D, leaves, wanted.shape)
    if wanted.kind == "lookup":
        return vote_table(problem, D, wanted.n_bins)
    if wanted.kind == "logistic":
        return logistic_voter(problem, D)
    return best_polarity_stump(
        problem,
        D,
        lambda votes: weighted_error(D, problem.y, votes),
        wanted.shape.min_samples_leaf,
    )


def fit_discrete(
    model: NaiveModel, problem: Problem, rule: DiscreteRule, wanted: WeakLearner
) -> None:
    X, y, M = problem.X, problem.y, problem.rounds
    c = rule.scale(problem.c)
    w = start(problem, rule.start(c, M))
    for _ in range(M):
        D = w
        learner = discrete_learner(problem, D, wanted)
        if learner is None:
            model.stop_reason = "no positive step"
            return
        votes = learner.predict(X)
        error = weighted_error(D, y, votes)
        alpha = problem.learning_rate * rule.step(w, c, y * votes)
        if not may_be_added(problem, alpha):
            model.stop_reason = "no positive step"
            return
        model.add(learner, alpha, w, error)
        if error < FLOOR:
            model.stop_reason = "perfect learner"
            return
        w = normalised(w * rule.update(c, alpha, y * votes, M))


# ---------------------------------------------------------------------------------------------
# Cost-sensitive AdaBoost and AdaDB
# ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Tally:
    """Cost, total weight and weight of mistakes: per class, or per row if costs differ by row.

    For class costs the entries are (C+, T+, b) and (C-, T-, d) of Masnadi's Theorem 3.
    """

    cost: Array
    total: Array
    wrong: Array


def tally(problem: Problem, w: Array, votes: Array) -> Tally:
    wrong = np.where(votes != problem.y, w, 0.0)
    for members in (problem.y > 0, problem.y < 0):
        # A class without mistakes has no finite root: it is taken to be wrong by this share.
        if wrong[members].sum() < FLOOR * w[members].sum():
            wrong[members] = FLOOR * w[members]
    if not problem.class_costs:
        return Tally(problem.c, w, wrong)
    positive, negative = problem.y > 0, problem.y < 0
    return Tally(
        np.array([problem.fn[0], problem.fp[0]]),
        np.array([w[positive].sum(), w[negative].sum()]),
        np.array([wrong[positive].sum(), wrong[negative].sum()]),
    )


def mistaken(t: Tally) -> Array:
    """Costs where there are mistakes: what is right must not make e^(c alpha) overflow."""
    return np.where(t.wrong > 0, t.cost, 0.0)


def pair_loss(t: Tally, alpha: float) -> float:
    """Masnadi's loss of a learner with its step."""
    up, down = np.exp(mistaken(t) * alpha), np.exp(-t.cost * alpha)
    return (t.wrong * (up - down) + t.total * down).sum()


def pair_slope(t: Tally, alpha: float) -> float:
    """Derivative of the loss; Masnadi's eq. 41 sets it to 0. It grows with alpha."""
    left = 2 * t.cost * t.wrong * np.cosh(mistaken(t) * alpha)
    right = t.cost * t.total * np.exp(-t.cost * alpha)
    return (left - right).sum()


def step_csada(t: Tally) -> float:
    """The root of the slope; 0 if the loss does not fall at 0."""
    if pair_slope(t, 0.0) >= 0:
        return 0.0
    upper = 1 / t.cost.max()
    while pair_slope(t, upper) < 0:
        upper *= 2
    return brentq(lambda alpha: pair_slope(t, alpha), 0.0, upper, xtol=1e-15, rtol=1e-15)


def step_adadb(t: Tally) -> float:
    """The same root as a polynomial in x = e^(-m alpha) on (0, 1), m the dearest mistake's cost."""
    m = mistaken(t).max()

    def polynomial(x: float) -> float:
        right = t.cost * (t.total - t.wrong) * x ** (1 + t.cost / m)
        wrong = t.cost * t.wrong * x ** (1 - mistaken(t) / m)
        return (right - wrong).sum()

    if polynomial(1.0) <= 0:
        return 0.0
    lower = 0.5  # not 0, where the polynomial vanishes if the dearest rows are right
    while polynomial(lower) > 0:
        lower /= 2
    return -math.log(brentq(polynomial, lower, 2 * lower, xtol=1e-300, rtol=1e-15)) / m


def fit_csada(
    model: NaiveModel,
    problem: Problem,
    step: Callable[[Tally], float],
    wanted: WeakLearner,
) -> None:
    """Stump and step are chosen jointly (Masnadi, Algorithm 1); other learners see D = c w."""
    X, y, c = problem.X, problem.y, problem.c
    w = start(problem, np.ones_like(c))

    def loss_with_own_step(votes: Array) -> float:
        t = tally(problem, w, votes)
        return pair_loss(t, step(t))

    for _ in range(problem.rounds):
        D = normalised(c * w)
        learner = (
            best_polarity_stump(problem, w, loss_with_own_step, wanted.shape.min_samples_leaf)
            if wanted.kind == "stump"
            else discrete_learner(problem, D, wanted)
        )
        if learner is None:
            model.stop_reason = "no positive step"
            return
        votes = learner.predict(X)
        error = weighted_error(D, y, votes)
        alpha = problem.learning_rate * step(tally(problem, w, votes))
        if not may_be_added(problem, alpha):
            model.stop_reason = "no positive step"
            return
        model.add(learner, alpha, w, error)
        if error < FLOOR:
            model.stop_reason = "perfect learner"
            return
        w = normalised(w * np.exp(-c * alpha * y * votes))


# ---------------------------------------------------------------------------------------------
# Real-valued family
# ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Leaf:
    """The rows of one leaf (or bin), with the weights of all rows summing to 1."""

    w: Array
    y: Array
    c: Array

    @property
    def p(self) -> float:
        return self.w[self.y > 0].sum()

    @property
    def q(self) -> float:
        return self.w[self.y < 0].sum()


@dataclass(frozen=True)
class RealRule:
    """One row of the table of the real-valued algorithms."""

    start: Callable[[Array, int], Array]  # (c, M)
    value: Callable[[Leaf], float]
    loss: Callable[[Leaf, float], float]  # the split minimises its sum over the leaves
    update: Callable[[Array, Array, int], Array]  # (c, y g, M)


def exponential_loss(leaf: Leaf, g: float) -> float:
    return leaf.p * math.exp(-g) + leaf.q * math.exp(g)


def error_loss(leaf: Leaf, g: float) -> float:
    """Weighted error of the leaf's sign: Nyga's weak learner."""
    return min(leaf.p, leaf.q)


def squared_loss(leaf: Leaf, g: float) -> float:
    return leaf.p * (1 - g) ** 2 + leaf.q * (-1 - g) ** 2


def cost_exponential_loss(leaf: Leaf, g: float) -> float:
    return (leaf.w * np.exp(-leaf.c * leaf.y * g)).sum()


def half_log_odds(smoothing: float) -> Callable[[Leaf], float]:
    return lambda leaf: 0.5 * math.log((leaf.p + smoothing) / (leaf.q + smoothing))


def mean_label(leaf: Leaf) -> float:
    """GentleBoost's (p-q)/(p+q); a leaf whose weights have vanished says nothing."""
    total = leaf.p + leaf.q
    return (leaf.p - leaf.q) / total if total > 0 else 0.0


def cost_log_odds(problem: Problem, smoothing: float) -> Callable[[Leaf], float]:
    """CS-RealBoost (Masnadi, eq. 49)."""
    if problem.class_costs:
        fn, fp = problem.fn[0], problem.fp[0]
        return lambda leaf: (
            math.log((leaf.p + smoothing) * fn / ((leaf.q + smoothing) * fp)) / (fn + fp)
        )

    # Rows with costs of their own: smoothing is one more row of each class at the mean costs,
    # which is the formula above when the costs are equal.
    fn = (problem.s * problem.fn).sum()
    fp = (problem.s * problem.fp).sum()

    def value(leaf: Leaf) -> float:
        w = np.append(leaf.w, [smoothing, smoothing])
        cy = np.append(leaf.c * leaf.y, [fn, -fp])

        def slope(g: float) -> float:  # falls with g
            return (cy * w * np.exp(-cy * g)).sum()

        bound = 1 / np.abs(cy).max()
        while slope(-bound) < 0 or slope(bound) > 0:
            bound *= 2
        return brentq(slope, -bound, bound, xtol=1e-15, rtol=1e-15)

    return value


def update_real(c: Array, yg: Array, M: int) -> Array:
    return np.exp(-yg)


def update_real_root(c: Array, yg: Array, M: int) -> Array:
    """k = c^(1/M) each round, so that the last round carries all of the cost (Nyga, eq. 2.61)."""
    return c ** (1 / M) * np.exp(-yg)


def update_real_cost(c: Array, yg: Array, M: int) -> Array:
    return np.exp(-c * yg)


def realboost_rule(criterion: str = "loss", smoothing: float = 1e-4) -> RealRule:
    loss = {"loss": exponential_loss, "error": error_loss}[criterion]
    return RealRule(start_at_one, half_log_odds(smoothing), loss, update_real)


def gentleboost_rule() -> RealRule:
    return RealRule(start_at_one, mean_label, squared_loss, update_real)


def csra_rule(criterion: str = "loss", smoothing: float = 1e-4) -> RealRule:
    loss = {"loss": exponential_loss, "error": error_loss}[criterion]
    return RealRule(start_at_root, half_log_odds(smoothing), loss, update_real_root)


def csga_rule() -> RealRule:
    return RealRule(start_at_root, mean_label, squared_loss, update_real_root)


def csrealboost_rule(problem: Problem, smoothing: float = 1e-4) -> RealRule:
    value = cost_log_odds(problem, smoothing)
    return RealRule(start_at_one, value, cost_exponential_loss, update_real_cost)


def real_leaves(problem: Problem, w: Array, rule: RealRule) -> Leaves:
    """The rule's value, and its criterion under that value, of some rows."""

    def leaf(rows: Array) -> Leaf:
        return Leaf(w[rows], problem.y[rows], problem.c[rows])

    def value(rows: Array) -> float:
        return rule.value(leaf(rows))

    return Leaves(value, lambda rows: rule.loss(leaf(rows), value(rows)))


def leaf_stump(problem: Problem, w: Array, leaves: Leaves, min_rows: int = 1) -> Learner | None:
    def criterion(right: Array) -> float:
        return leaves.loss(~right) + leaves.loss(right)

    split = best_split(problem, w, criterion, min_rows)
    if split is None:
        return None
    right = split.right(problem.X)
    return Stump(split, leaves.value(~right), leaves.value(right))


def real_tree(problem: Problem, w: Array, rule: RealRule, shape: TreeShape) -> Learner:
    """Grown by the rule's criterion; the weighted error, which stalls, is grown by its bound."""
    leaves = real_leaves(problem, w, rule)
    if rule.loss is error_loss:
        leaves = spread_leaves(problem, w, leaves.value)
    return grow_tree(problem, w, leaves, shape)


def logistic_leaves(problem: Problem, w: Array, leaves: Leaves) -> Learner | None:
    """The regression gives the threshold only; its two sides are leaves of the rule."""

    def judge(right: Array, vote: float) -> tuple[float, float, float]:
        criterion = leaves.loss(~right) + leaves.loss(right)
        return criterion, leaves.value(~right), leaves.value(right)

    return best_logistic(problem, w, judge)


def real_learner(problem: Problem, w: Array, rule: RealRule, wanted: WeakLearner) -> Learner | None:
    leaves = real_leaves(problem, w, rule)
    if wanted.kind == "tree":
        return real_tree(problem, w, rule, wanted.shape)
    if wanted.kind == "lookup":
        return lookup_table(problem, leaves, wanted.n_bins)
    if wanted.kind == "logistic":
        return logistic_leaves(problem, w, leaves)
    return leaf_stump(problem, w, leaves, wanted.shape.min_samples_leaf)


def fit_real(model: NaiveModel, problem: Problem, rule: RealRule, wanted: WeakLearner) -> None:
    """F += g; there is no step and no perfect learner, since smoothing keeps g finite."""
    X, y, c, M = problem.X, problem.y, problem.c, problem.rounds
    nu = problem.learning_rate
    w = start(problem, rule.start(c, M))
    for _ in range(M):
        g = real_learner(problem, w, rule, wanted)
        if g is None:
            model.stop_reason = "no positive step"
            return
        model.add(g, nu, w)
        w = normalised(w * rule.update(c, y * nu * g.predict(X), M))


@dataclass(frozen=True)
class TwoSteps:
    """RareBoost's learner: a vote for +1 weighs alpha+, a vote for -1 weighs alpha-."""

    voter: Learner
    plus: float
    minus: float

    def predict(self, X: Array) -> Array:
        votes = self.voter.predict(X)
        return np.where(votes > 0, self.plus, self.minus) * votes


def fit_rareboost_groups(
    model: NaiveModel, problem: Problem, wanted: WeakLearner, smoothing: float = 1e-4
) -> None:
    """Nyga, Algorithm 15, for learners of more than two leaves (for stumps: see realboost)."""
    X, y = problem.X, problem.y
    nu = problem.learning_rate
    w = start(problem, np.ones_like(problem.s))
    for _ in range(problem.rounds):
        voter = discrete_learner(problem, w, wanted)
        if voter is None:
            model.stop_reason = "no positive step"
            return
        h = voter.predict(X)
        tp, fp = w[(h > 0) & (y > 0)].sum(), w[(h > 0) & (y < 0)].sum()
        tn, fn = w[(h < 0) & (y < 0)].sum(), w[(h < 0) & (y > 0)].sum()
        plus = 0.5 * math.log((tp + smoothing) / (fp + smoothing))
        minus = 0.5 * math.log((tn + smoothing) / (fn + smoothing))
        g = TwoSteps(voter, plus, minus)
        model.add(g, nu, w)
        w = normalised(w * np.exp(-y * nu * g.predict(X)))


# ---------------------------------------------------------------------------------------------
# Newton family: LogitBoost, CSLB, CS-LogitBoost
# ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class NewtonRule:
    """One row of the Newton table; F is the score before the round, m counts from 1."""

    working: Callable[[Array, Array, int], tuple[Array, Array]]  # (s, F, m) -> w z, w
    first_step: float
    loss: Callable[[Array, Array, int], float]  # (s, F, m)


def sigmoid(t: Array) -> Array:
    return np.clip(np.exp(-np.logaddexp(0.0, -t)), CLIP, 1 - CLIP)


def residual(y: Array, t: Array) -> Array:
    """y* - p, for positives as 1 - p without the cancellation where p is nearly 1."""
    return np.where(y > 0, sigmoid(-t), -sigmoid(t))


def variance(t: Array) -> Array:
    """p (1 - p), likewise."""
    return sigmoid(t) * sigmoid(-t)


def logitboost_rule(problem: Problem) -> NewtonRule:
    y = problem.y

    def working(s: Array, F: Array, m: int) -> tuple[Array, Array]:
        return s * residual(y, 2 * F), s * variance(2 * F)

    def loss(s: Array, F: Array, m: int) -> float:
        return (s * np.logaddexp(0.0, -2 * y * F)).sum()

    return NewtonRule(working, 0.5, loss)


def cslb_rule(problem: Problem) -> NewtonRule:
    """Nyga, Algorithm 14, with k^m in round m: k = (C+/C-)^(1/M)."""
    y = problem.y
    log_k = np.log(problem.fn / problem.fp) / problem.rounds

    def working(s: Array, F: Array, m: int) -> tuple[Array, Array]:
        t = 2 * F - m * log_k
        return s * residual(y, t), s * variance(t)

    def loss(s: Array, F: Array, m: int) -> float:
        return (s * np.logaddexp(0.0, y * (m * log_k - 2 * F))).sum()

    return NewtonRule(working, 0.5, loss)


def cslogitboost_rule(problem: Problem, weighting: str = "newton") -> NewtonRule:
    """Masnadi, Algorithm 3; `margin` is the paper's eq. 55."""
    y = problem.y
    gamma = (problem.fn + problem.fp) / 2
    eta = 0.5 * np.log(problem.fp / problem.fn)
    mean_gamma = (problem.s * gamma).sum()
    tilt = gamma / mean_gamma  # 1 for class costs

    def working(s: Array, F: Array, m: int) -> tuple[Array, Array]:
        t = 2 * (gamma * F + eta)
        v = {"newton": variance(t), "margin": variance(2 * F)}[weighting]
        return s * v * residual(y, t) / variance(t) * tilt, s * v * tilt**2

    def loss(s: Array, F: Array, m: int) -> float:
        return (s * np.logaddexp(0.0, -2 * y * (gamma * F + eta))).sum()

    return NewtonRule(working, 1 / (2 * mean_gamma), loss)


def squares(wz: Array, w: Array, g: Array) -> float:
    """sum w (z-g)^2 without sum w z^2, which every candidate shares and z makes huge."""
    return (w * g**2 - 2 * wz * g).sum()


def squares_stump(problem: Problem, wz: Array, w: Array, min_rows: int = 1) -> Learner | None:
    """Chosen on leaf values as they are, used with leaf values clipped."""

    def mean(rows: Array) -> float:
        return wz[rows].sum() / w[rows].sum() if w[rows].sum() > 0 else 0.0

    def criterion(right: Array) -> float:
        return squares(wz, w, np.where(right, mean(right), mean(~right)))

    split = best_split(problem, w, criterion, min_rows)
    if split is None:
        return None
    right = split.right(problem.X)
    left_value, right_value = np.clip([mean(~right), mean(right)], -LEAF_LIMIT, LEAF_LIMIT)
    return Stump(split, float(left_value), float(right_value))


def squares_leaves(wz: Array, w: Array) -> Leaves:
    """A leaf answers with its clipped mean and is judged by its own."""

    def value(rows: Array) -> float:
        total = w[rows].sum()
        return float(np.clip(wz[rows].sum() / total, -LEAF_LIMIT, LEAF_LIMIT)) if total > 0 else 0.0

    def loss(rows: Array) -> float:
        total = w[rows].sum()
        return -(wz[rows].sum() ** 2) / total if total > 0 else 0.0

    return Leaves(value, loss)


def squares_line(problem: Problem, wz: Array, w: Array) -> Learner:
    """g = a x_j + b by weighted least squares (Masnadi's LogitBoost)."""
    if np.isnan(problem.X).any():
        raise ValueError("the linear learner takes no missing values")
    criteria: list[float] = []
    learners: list[Learner] = []
    for feature in range(problem.X.shape[1]):
        x = problem.X[:, feature]
        x_mean, z_mean = (w * x).sum() / w.sum(), wz.sum() / w.sum()
        if len(np.unique(x)) == 1:
            slope = 0.0
        else:
            slope = ((wz - w * z_mean) * (x - x_mean)).sum() / (w * (x - x_mean) ** 2).sum()
        line = Linear(feature, slope, z_mean - slope * x_mean)
        criteria.append(squares(wz, w, line.predict(problem.X)))
        learners.append(line)
    return learners[first_of_least(criteria)]


def squares_learner(problem: Problem, wz: Array, w: Array, wanted: WeakLearner) -> Learner | None:
    if wanted.kind == "tree":
        return grow_tree(problem, w, squares_leaves(wz, w), wanted.shape)
    if wanted.kind == "lookup":
        return lookup_table(problem, squares_leaves(wz, w), wanted.n_bins)
    if wanted.kind == "linear":
        return squares_line(problem, wz, w)
    return squares_stump(problem, wz, w, wanted.shape.min_samples_leaf)


def fit_newton(model: NaiveModel, problem: Problem, rule: NewtonRule, wanted: WeakLearner) -> None:
    s = start(problem, np.ones_like(problem.s))  # the chosen start multiplies s throughout
    F = np.zeros(len(s))
    for m in range(1, problem.rounds + 1):
        wz, w = rule.working(s, F, m)
        wz, w = wz / w.sum(), w / w.sum()  # ties are judged with weights summing to 1
        g = squares_learner(problem, wz, w, wanted)
        if g is None:
            model.stop_reason = "no positive step"
            return
        direction = g.predict(problem.X)
        step = problem.learning_rate * rule.first_step
        halvings = 0
        # rounding alone is no rise: a direction of nothing keeps its step
        while rule.loss(s, F + step * direction, m) > rule.loss(s, F, m) * (1 + 1e-13):
            if halvings == HALVINGS:
                model.stop_reason = "loss would rise"
                return
            step /= 2
            halvings += 1
        model.add(g, step, w)
        F = F + step * direction


# ---------------------------------------------------------------------------------------------
# Regularised family
# ---------------------------------------------------------------------------------------------


def fit_weightboost(
    model: NaiveModel, problem: Problem, wanted: WeakLearner, beta: float = 0.5
) -> None:
    """Nyga, Algorithm 17: a learner counts less where the ensemble is already sure."""
    X, y = problem.X, problem.y
    s = start(problem, np.ones_like(problem.s))
    F = np.zeros(len(s))
    model.damping = beta
    for _ in range(problem.rounds):
        w = normalised(s * np.exp(-y * F - np.abs(beta * F)))
        learner = discrete_learner(problem, w, wanted)
        if learner is None:
            model.stop_reason = "no positive step"
            return
        votes = learner.predict(X)
        error = weighted_error(w, y, votes)
        alpha = problem.learning_rate * half_log_ratio(w[votes == y].sum(), w[votes != y].sum())
        if not may_be_added(problem, alpha):
            model.stop_reason = "no positive step"
            return
        model.add(learner, alpha, w, error)
        if error < FLOOR:
            model.stop_reason = "perfect learner"
            return
        F = F + alpha * np.exp(-np.abs(beta * F)) * votes


@dataclass(frozen=True)
class SoftMargin:
    """AdaBoost_Reg's loss as a function of one more step alpha (Nyga, eq. 2.81).

    `margin` and `influence` (sum alpha_r w_r) and `size` (sum alpha_r) are of the rounds so far.
    """

    y: Array
    s: Array
    margin: Array  # rho
    influence: Array  # |a| mu
    size: float  # |a|
    w: Array  # weights of this round
    edge: Array  # y h of this round
    C: float
    p: float
    class_aware: bool

    def mistrust(self, alpha: float) -> tuple[Array, Array]:
        """mu, and the derivative of |a| mu in alpha."""
        influence, size = self.influence + alpha * self.w, self.size + alpha
        if size == 0:  # the first round at alpha = 0: mu = alpha w / alpha for every alpha
            influence, size = self.w, 1.0
        if not self.class_aware:
            return influence / size, self.w
        level = self.leveller(influence)
        level_rise = self.leveller_slope(influence, self.w)
        return influence * level / size, self.w * level + influence * level_rise

    def class_mean(self, values: Array) -> Array:
        means = np.empty_like(values)
        for rows in (self.y > 0, self.y < 0):
            means[rows] = (self.s[rows] * values[rows]).sum() / self.s[rows].sum()
        return means

    def mean(self, values: Array) -> float:
        return (self.s * values).sum() / self.s.sum()

    def leveller(self, values: Array) -> Array:
        """Mean over all rows by mean over the row's class: both classes mistrusted alike."""
        return self.mean(values) / self.class_mean(values)

    def leveller_slope(self, values: Array, rise: Array) -> Array:
        over, under = self.mean(values), self.class_mean(values)
        return (self.mean(rise) * under - over * self.class_mean(rise)) / under**2

    def terms(self, alpha: float) -> Array:
        mu, _ = self.mistrust(alpha)
        size = self.size + alpha
        soft = self.margin + alpha * self.edge + self.C * size * mu**self.p
        return self.s * np.exp(-soft / 2)

    def slope(self, alpha: float) -> float:
        """Derivative of the sum of the terms: |a| mu^p = (|a| mu)^p |a|^(1-p)."""
        mu, rise = self.mistrust(alpha)
        penalty_rise = self.p * mu ** (self.p - 1) * rise + (1 - self.p) * mu**self.p
        return (-0.5 * self.terms(alpha) * (self.edge + self.C * penalty_rise)).sum()

    def step(self) -> float:
        if self.slope(0.0) >= 0:
            return 0.0
        if self.slope(STEP_LIMIT) <= 0:
            return STEP_LIMIT
        return brentq(self.slope, 0.0, STEP_LIMIT, xtol=1e-15, rtol=1e-15)


def fit_adaboostreg(
    model: NaiveModel,
    problem: Problem,
    wanted: WeakLearner,
    C: float = 1.0,
    p: float = 1.0,
    class_aware: bool = False,
) -> None:
    """Nyga, Algorithm 16: rows that were often heavy are mistrusted and let go."""
    X, y = problem.X, problem.y
    s = start(problem, np.ones_like(problem.s))
    w, margin, influence, size = s, np.zeros_like(s), np.zeros_like(s), 0.0
    for _ in range(problem.rounds):
        learner = discrete_learner(problem, w, wanted)
        if learner is None:
            model.stop_reason = "no positive step"
            return
        votes = learner.predict(X)
        error = weighted_error(w, y, votes)
        soft = SoftMargin(y, s, margin, influence, size, w, y * votes, C, p, class_aware)
        alpha = problem.learning_rate * soft.step()
        if not may_be_added(problem, alpha):
            model.stop_reason = "no positive step"
            return
        model.add(learner, alpha, w, error)
        if error < FLOOR:
            model.stop_reason = "perfect learner"
            return
        margin = margin + alpha * y * votes
        influence, size = influence + alpha * w, size + alpha
        w = normalised(soft.terms(alpha))


# ---------------------------------------------------------------------------------------------
# The door
# ---------------------------------------------------------------------------------------------

DISCRETE: dict[str, Callable[..., DiscreteRule]] = {
    "adaboost": lambda: ADABOOST,
    "adamec": lambda: ADABOOST,
    "cgada": lambda: CGADA,
    "asymada": lambda: ASYMADA,
    "csb0": lambda: CSB0,
    "csb1": lambda: CSB1,
    "csb2": lambda: CSB2,
    "adacost": adacost_rule,
    "adac1": adac1_rule,
    "adac2": lambda: ADAC2,
    "adac3": lambda: ADAC3,
}
JOINT: dict[str, Callable[[Tally], float]] = {"csada": step_csada, "adadb": step_adadb}
REAL: dict[str, Callable[..., RealRule]] = {
    "realboost": lambda problem, **options: realboost_rule(**options),
    "rareboost": lambda problem, **options: realboost_rule("error", **options),
    "gentleboost": lambda problem, **options: gentleboost_rule(),
    "csra": lambda problem, **options: csra_rule(**options),
    "csga": lambda problem, **options: csga_rule(),
    "csrealboost": csrealboost_rule,
}
NEWTON: dict[str, Callable[..., NewtonRule]] = {
    "logitboost": logitboost_rule,
    "cslb": cslb_rule,
    "cslogitboost": cslogitboost_rule,
}
REGULARISED: dict[str, Callable[..., None]] = {
    "weightboost": fit_weightboost,
    "adaboostreg": fit_adaboostreg,
}
OWN_LEARNER = {"csrealboost": "lookup", "cslogitboost": "linear"}  # the papers' choices


def fit(
    algorithm: str,
    X: Array,
    y: Array,
    fn_cost: float | Array = 1.0,
    fp_cost: float | Array = 1.0,
    sample_weight: Array | None = None,
    n_estimators: int = 10,
    learning_rate: float = 1.0,
    initial_weights: str = "auto",
    negative_step: str = "stop",
    learner: str | None = None,
    n_bins: int = 16,
    max_depth: int | None = None,
    max_leaf_nodes: int | None = None,
    min_samples_leaf: int = 1,
    **options: Any,
) -> NaiveModel:
    """Fit `algorithm` to labels in {-1, +1}.

    Rows of weight 0 are dropped before anything else; `weights` are those of all rows again.
    `learner` is "stump", "tree" (max_depth, max_leaf_nodes, min_samples_leaf) or "lookup" (n_bins)
    for every algorithm, "logistic" for all but the Newton family and "linear" for that family
    only. A tree that may split once is the stump. `options` are the algorithm's own: beta,
    max_cost, step, criterion, weighting, smoothing, C, p, class_aware.
    """
    X, y = np.asarray(X, dtype=float), np.asarray(y, dtype=float)
    n = len(y)
    s = np.ones(n) if sample_weight is None else np.asarray(sample_weight, dtype=float)
    kept = s > 0
    columns = X[kept].T
    problem = Problem(
        X=X[kept],
        y=y[kept],
        s=normalised(s[kept]),
        fn=np.broadcast_to(np.asarray(fn_cost, dtype=float), n)[kept],
        fp=np.broadcast_to(np.asarray(fp_cost, dtype=float), n)[kept],
        class_costs=np.ndim(fn_cost) == 0 and np.ndim(fp_cost) == 0,
        rounds=n_estimators,
        learning_rate=learning_rate,
        initial_weights=initial_weights,
        negative_step=negative_step,
        cuts=[midpoints(column) for column in columns],
    )
    if learner is None:
        learner = OWN_LEARNER.get(algorithm, "stump")
    shape = TreeShape(max_depth, max_leaf_nodes, min_samples_leaf)
    if learner != "tree":
        shape = TreeShape(1, None, min_samples_leaf)
    elif shape.is_stump:
        learner = "stump"
    model = NaiveModel(algorithm)
    fit_family(model, problem, WeakLearner(learner, shape, n_bins), options)
    model.weights = [spread_over(kept, w) for w in model.weights]
    return model


def fit_family(
    model: NaiveModel, problem: Problem, wanted: WeakLearner, options: dict[str, Any]
) -> None:
    name = model.algorithm
    if name in NEWTON:
        known(wanted, "stump", "tree", "lookup", "linear")
        fit_newton(model, problem, NEWTON[name](problem, **options), wanted)
        return
    known(wanted, "stump", "tree", "lookup", "logistic")
    if name == "rareboost" and wanted.kind in ("tree", "lookup"):
        # A stump's and a regression's two leaves are its two groups; these have more leaves.
        fit_rareboost_groups(model, problem, wanted, **options)
    elif name in REAL:
        fit_real(model, problem, REAL[name](problem, **options), wanted)
    elif name in JOINT:
        fit_csada(model, problem, JOINT[name], wanted)
    elif name in REGULARISED:
        REGULARISED[name](model, problem, wanted, **options)
    else:
        fit_discrete(model, problem, DISCRETE[name](**options), wanted)


def known(wanted: WeakLearner, *allowed: str) -> None:
    if wanted.kind not in allowed:
        raise ValueError(f"learner={wanted.kind!r}: this algorithm is transcribed for {allowed}")


def spread_over(kept: Array, w: Array) -> Array:
    full = np.zeros(len(kept))
    full[kept] = w
    return full
