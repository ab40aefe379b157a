"""Predictions of held-out rows and what they cost, of two classes and of several."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from costboost._core.arrays import Codes, Flags
from costboost._core.baselines import (
    Difference,
    Z,
    always,
    interval,
    least_favourable,
    vary,
)
from costboost._core.costs import LEAST_COST, Costs, check_matrix
from costboost._core.costs.ranges import CostRange, uncertain_cost
from costboost._core.costs.record import ACTIONS
from costboost._core.model import BinaryModel, SeveralModel
from costboost._core.model.fitted import greatest
from costboost._core.model.threshold import cost_limits
from costboost._core.names import COST_NAMES
from costboost.classifiers.base import BoostingClassifier
from costboost.classifiers.predictions import read_rows
from costboost.decisions import OperatingPointClassifier
from costboost.decisions.goals import ROUNDING, Goal, HeldOut
from costboost.decisions.operating import costs_of, goal_of
from costboost.decisions.prevalence import shares_without_model
from costboost.decisions.reports import UncertainDecisions
from costboost.decisions.wrapping import layers
from costboost.metrics.checks import Floats, check_known_labels, check_weight
from costboost.multiclass.base import MulticlassClassifier

# ---- two classes ---------------------------------------------------------------------------------

IGNORING = "the same model ignoring costs"
"""Name of the predictions of the same probabilities if all errors cost the same."""


PREDICTED = ("negative", "positive")
"""Names of the predictions where they are actions."""


@dataclass(frozen=True)
class TwoClassPredictions:
    """Predictions on held-out rows of positive weight; arrays have one entry for each row."""

    positive: Flags
    weight: Floats
    costs: Costs
    """Costs of the outcomes on these rows, at the means of those that are uncertain."""
    score: Floats
    """Score, higher for the positive class; if `limit` is None, in the order of predictions."""
    probability: Floats
    limit: Floats | None
    """Least C- / (C- + C+) at which a row is predicted negative; None if predictions are fixed."""
    predicted: Flags
    """Whether the classifier predicts positive, for each row."""
    label: Any
    other: Any
    rows: NDArray[np.intp]
    """Indices of the rows in the X that was given."""
    right_cost: float = 0.0
    """Total cost of right predictions for all rows; the costs of errors are net of it."""
    ranges: Mapping[str, CostRange] = field(default_factory=dict)
    """Ranges of the costs that are uncertain, by name; the other costs here are their means."""
    share: float | None = None
    """Share of the positive class in training; None if rows are not to be decided by it."""

    @property
    def fn_cost(self) -> Any:
        """Cost of a false negative beyond that of a hit; not above 0 if a hit is never better."""
        return self.costs.net.fn

    @property
    def fp_cost(self) -> Any:
        """Cost of a false positive beyond that of a right negative."""
        return self.costs.net.fp

    @property
    def right(self) -> tuple[Any, Any] | None:
        """Costs of a true positive and of a true negative; None if none was given."""
        return self.costs.right

    @property
    def stated(self) -> tuple[Any, Any]:
        """Costs of a false negative and of a false positive, as they were given."""
        return self.costs.fn_cost, self.costs.fp_cost

    @property
    def has_gains(self) -> bool:
        """Whether an outcome of some row costs less than nothing."""
        return any(bool(np.any(np.less(cost, 0))) for cost in self.costs.named.values())

    @property
    def raised(self) -> tuple[Any, Any]:
        """Costs of errors, with next to nothing in place of those that are not above 0."""
        greatest = max(float(np.max(cost)) for cost in (self.fn_cost, self.fp_cost))
        least = LEAST_COST * greatest
        fn, fp = (np.maximum(cost, least) for cost in (self.fn_cost, self.fp_cost))
        return (fn, fp) if self.per_row else (float(fn), float(fp))

    @property
    def per_row(self) -> bool:
        """Whether at least one of the costs is given for each row."""
        return bool(np.ndim(self.fn_cost) or np.ndim(self.fp_cost))

    @property
    def by_costs(self) -> Flags | None:
        """Predictions by the costs of the rows alone; None if they cannot differ by row."""
        if self.share is None or not vary(self.costs.net):
            return None
        shares = np.array([1 - self.share, self.share])
        return self.costs.by_shares(shares, self.positive.size).astype(bool)

    @property
    def cost(self) -> Floats:
        """Cost of an error on each row."""
        return np.asarray(self.costs.net.of_class(self.positive), dtype=np.float64)

    @property
    def blind(self) -> Flags:
        """Predictions of the same scores if both errors cost the same."""
        return self.deciding > 0.5

    @property
    def deciding(self) -> Floats:
        """Values that are compared with C- / (C- + C+): the limits, or else the probabilities."""
        return self.probability if self.limit is None else self.limit

    def cost_of_class(self, of_positive: bool) -> float:
        """Cost of an error on every row of a class."""
        rows = self.positive == of_positive
        return float(self.weight[rows] @ self.cost[rows])

    def least_cost_of(self, of_positive: bool) -> float:
        """Cost of the best predictions for a class: below 0 if an error gains something."""
        rows = self.positive == of_positive
        return float(self.weight[rows] @ np.minimum(self.cost[rows], 0.0))

    @property
    def least_cost(self) -> float:
        """Cost of the best prediction for every row."""
        return self.least_cost_of(True) + self.least_cost_of(False)

    def greatest_cost_of(self, of_positive: bool) -> float:
        """Cost of an error on every row of a class where it costs something."""
        rows = self.positive == of_positive
        return float(self.weight[rows] @ np.maximum(self.cost[rows], 0.0))

    @property
    def greatest_cost(self) -> float:
        """Cost of an error on every row."""
        return self.greatest_cost_of(True) + self.greatest_cost_of(False)

    def uncertain(self) -> UncertainDecisions | None:
        """The predictions together with the ranges of the costs; None if no cost is uncertain."""
        if not self.ranges:
            return None
        named = self.costs.named | dict(self.ranges)
        fn, fp, tp, tn = (named[name] for name in COST_NAMES)
        classes = (self.other, self.label)
        return UncertainDecisions(
            np.column_stack([1 - self.probability, self.probability]),
            Costs(((tn, fp), (fn, tp)), classes, PREDICTED, ACTIONS),
            self.predicted.astype(np.intp),
            self.weight,
        )

    def factors(self) -> Floats:
        """Factor of the costs of false positives at which each row becomes predicted negative.

        It is the odds of the row times fn / fp. Whatever the costs of the classes, rows are
        predicted positive in the order of their factors.
        """
        return self.factors_of(self.deciding)

    def factors_of(self, p: Floats) -> Floats:
        """The factors if rows are decided by these probabilities."""
        fn, fp = self.raised
        with np.errstate(divide="ignore", over="ignore"):
            return np.asarray(p / (1 - p) * (fn / np.asarray(fp)))


def boosting_of(model: Any) -> BoostingClassifier:
    """The fitted boosting classifier, also inside one that chooses its costs or its threshold."""
    *_, inner = layers(model)
    if not isinstance(inner, BoostingClassifier):
        what = type(model).__name__
        around = "" if inner is model else f" around {type(inner).__name__}"
        raise ValueError(
            "the report is on a boosting classifier of costboost, or on a CostSearchCV or "
            f"OperatingPointClassifier around one, got {what}{around}"
        )
    check_is_fitted(inner)
    if len(inner.classes_) > 2:
        raise ValueError(f"the report is for two classes, but the model has {len(inner.classes_)}")
    return inner


def predict_two_classes(
    model: Any,
    X: Any,
    y: Any,
    given: Mapping[str, Any],
    sample_weight: Any,
) -> TwoClassPredictions:
    """Predict held-out rows under the given costs; rows of weight 0 are left out.

    Predictions and costs are those of the means of uncertain costs.
    """
    whole, model = model, boosting_of(model)
    labels = check_known_labels(y, model.classes_)
    n = labels.size
    weight = check_weight(sample_weight, n)
    fitted: BinaryModel = model.model_
    found = {name: uncertain_cost(name, cost) for name, cost in given.items()}
    ranges = {name: one for name, one in found.items() if one is not None}
    means = dict(given) | {name: one.mean for name, one in ranges.items()}
    costs = fitted.stated_costs.with_given(means, n, fitted.classes, fitted.positive_index)
    net = costs.net
    _refuse_dominance(net)
    label, other = fitted.labels(np.array([True, False]))
    score = fitted.towards_second(model.raw_score(X))
    if score.size != n:
        raise ValueError(f"X has {score.size} rows, but y has {n}")
    by_cost = whole is model and fitted.decides_by_cost
    rows = np.flatnonzero(weight)
    positive = labels == label
    if not 0 < positive[rows].sum() < rows.size:
        raise ValueError(
            "every row that counts is of one class; a report needs held-out rows of both"
        )
    probability = fitted.probability(score)
    limit = cost_limits(fitted, score[rows]) if by_cost else None
    if limit is None:
        predicted = (whole.predict(X) == label)[rows]
    else:
        predicted = limit > (net.threshold[rows] if np.ndim(net.threshold) else net.threshold)
    if not by_cost and fitted.calibrator is not None:
        score = probability  # a calibrator may have reversed the order
    right = np.where(positive, *(costs.right or (0.0, 0.0)))
    return TwoClassPredictions(
        positive[rows],
        weight[rows],
        costs.rows(rows),
        score[rows],
        probability[rows],
        limit,
        predicted,
        label,
        other,
        rows,
        float(weight @ right),
        {
            name: CostRange(*(end[rows] if np.ndim(end) else float(end) for end in one))
            for name, one in ranges.items()
        },
        positive_share(whole, label, positive[rows], weight[rows]),
    )


def positive_share(model: Any, label: Any, positive: Flags, weight: Floats) -> float:
    """Share of the positive class in training, by which rows are decided without a model."""
    column = int(np.flatnonzero(model.classes_ == label)[0])
    truth = np.where(positive, column, 1 - column)
    return float(shares_without_model(model, truth, weight).values[column])


def limits_of(model: Any, X: Any) -> Floats | None:
    """Least C- / (C- + C+) at which each row is predicted negative; None if not by cost."""
    fitted = getattr(model, "model_", None)
    if not isinstance(fitted, BinaryModel) or not fitted.decides_by_cost:
        return None
    return cost_limits(fitted, fitted.towards_second(model.raw_score(X)))


def _refuse_dominance(costs: Any) -> None:
    """Raise a ValueError if one prediction is the best for all rows whatever their class is."""
    if np.all(costs.dominated):
        fn, fp = (float(np.mean(cost)) for cost in costs)
        raise ValueError(
            "a report needs fn_cost above tp_cost and fp_cost above tn_cost on some rows, but on "
            f"average fn_cost - tp_cost is {fn:g} and fp_cost - tn_cost is {fp:g}: one prediction "
            "is the best for every row whatever its class is, so that there is nothing to decide"
        )


def staged_decisions(model: Any, X: Any, costs: Any, label: Any) -> Iterator[Flags]:
    """Positive predictions after each round; net ``costs`` are None if predictions are fixed."""
    boosting = boosting_of(model)
    if hasattr(model, "threshold_"):
        column = int(np.flatnonzero(boosting.classes_ == label)[0])
        for both in boosting.staged_predict_proba(X):
            yield both[:, column] > model.threshold_
        return
    given = {} if costs is None else dict(zip(COST_NAMES, (*costs, 0.0, 0.0), strict=True))
    for predicted in boosting.staged_predict(X, **given):
        yield predicted == label


# ---- outcomes ------------------------------------------------------------------------------------


class Outcome(NamedTuple):
    """Weights of the rows by true and predicted class, and the costs of the errors."""

    hits: float
    misses: float
    alarms: float
    rejects: float
    miss_money: float
    alarm_money: float
    right_money: float = 0.0
    """Cost of right predictions for all rows, which the costs of the errors are net of."""

    @property
    def cost(self) -> float:
        """Total cost."""
        return self.net_cost + self.right_money

    @property
    def net_cost(self) -> float:
        """Total cost of the errors."""
        return self.miss_money + self.alarm_money

    @property
    def mean_cost(self) -> float:
        """Mean cost of a row."""
        return self.cost / (self.hits + self.misses + self.alarms + self.rejects)

    @property
    def recall(self) -> float:
        """Share of the positive rows that are predicted positive."""
        return self.hits / (self.hits + self.misses)

    @property
    def precision(self) -> float | None:
        """Share of the rows predicted positive that are positive; None if there are none."""
        predicted = self.hits + self.alarms
        return self.hits / predicted if predicted else None

    @property
    def fpr(self) -> float:
        """Share of the negative rows that are predicted positive."""
        return self.alarms / (self.alarms + self.rejects)


def outcome(rows: TwoClassPredictions, predicted: Flags) -> Outcome:
    """Count the errors of predictions, and add up their costs."""

    def total(where: Flags, values: Floats) -> float:
        return float(values[where].sum())

    missed, alarmed = rows.positive & ~predicted, ~rows.positive & predicted
    money = rows.weight * rows.cost
    return Outcome(
        total(rows.positive & predicted, rows.weight),
        total(missed, rows.weight),
        total(alarmed, rows.weight),
        total(~rows.positive & ~predicted, rows.weight),
        total(missed, money),
        total(alarmed, money),
        rows.right_cost,
    )


def difference(rows: TwoClassPredictions, predicted: Flags, other: Flags) -> Difference:
    """Amount that the predictions ``predicted`` save compared with ``other``, and its interval."""
    lost = rows.weight * rows.cost
    return interval(lost * (other != rows.positive) - lost * (predicted != rows.positive))


def all_negative(rows: TwoClassPredictions) -> Flags:
    """Predict every row negative."""
    return np.zeros(rows.positive.size, dtype=bool)


def all_positive(rows: TwoClassPredictions) -> Flags:
    """Predict every row positive."""
    return np.ones(rows.positive.size, dtype=bool)


NONE, ALL, COSTS = "none", "all", "costs"
"""Keys of the rules that need no model, also on the page."""


def without_model(rows: TwoClassPredictions) -> dict[str, Flags]:
    """Predictions of the rules that need no model: constants, and by the costs of rows."""
    found = {NONE: all_negative(rows), ALL: all_positive(rows)}
    by_costs = rows.by_costs
    return found if by_costs is None else found | {COSTS: by_costs}


def best_without_model(rows: TwoClassPredictions) -> str:
    """Key of the rule that costs least on these rows without a model; of equal ones the first."""
    rules = without_model(rows)
    return min(rules, key=lambda name: outcome(rows, rules[name]).net_cost)


def least_without_model(rows: TwoClassPredictions) -> float:
    """Cost of the best rule without a model beyond that of the best prediction for every row."""
    best = without_model(rows)[best_without_model(rows)]
    return outcome(rows, best).net_cost - rows.least_cost


def saved_by(rows: TwoClassPredictions, predicted: Flags) -> Difference:
    """Amount that predictions save compared with the best rule without a model."""
    return least_favourable(
        difference(rows, predicted, other) for other in without_model(rows).values()
    )


def savings(rows: TwoClassPredictions) -> Difference | None:
    """Savings of the predictions as a share of the cost of the best rule without a model.

    Costs are counted from that of the best prediction for every row. None if that rule costs
    nothing.
    """
    least = least_without_model(rows)
    saved = saved_by(rows, rows.predicted)
    return Difference(*(min(1.0, one / least) for one in saved)) if least else None


class GoalResult(NamedTuple):
    """Value of the measure of a goal on some rows, NaN if it is not defined."""

    goal: Goal
    value: float
    low: float
    high: float
    """95% interval of the value: Wilson's for a rate, a normal one for a mean cost."""
    met: bool
    by_chance: bool
    """Whether the interval includes values that meet the goal."""


def goal_model(model: Any) -> OperatingPointClassifier | None:
    """The outermost classifier that has a goal, or None."""
    found = (one for one in layers(model) if isinstance(one, OperatingPointClassifier))
    return next(found, None)


def goal_result(model: Any, rows: TwoClassPredictions) -> GoalResult | None:
    """Compare the predictions of a classifier with its goal; None if it has none."""
    aiming = goal_model(model)
    if aiming is None:
        return None
    goal = replace(goal_of(aiming), margin=0.0)
    held = _held(aiming, rows)
    outcomes = held.decided(rows.predicted[np.newaxis])
    value = float(goal.target.value(outcomes)[0])
    low, high = (float(end[0]) for end in goal.target.bounds(outcomes, Z))
    least = 0.0 if held.right is None else -np.inf  # a mean cost may be a gain
    low, high = max(least, low), min(goal.target.most, high)
    met = bool(goal.shortfall(outcomes)[0] <= ROUNDING * max(map(abs, _limits(goal))))
    possible = (goal.at_least is None or high >= goal.at_least) and (
        goal.at_most is None or low <= goal.at_most
    )
    return GoalResult(goal, value, low, high, met, possible)


def _limits(goal: Goal) -> list[float]:
    return [side for side in (goal.at_least, goal.at_most) if side is not None]


def _held(aiming: OperatingPointClassifier, rows: TwoClassPredictions) -> HeldOut:
    """The rows with the costs under which the goal was set: their own, or those of the classes."""
    costs = rows.costs if rows.per_row else costs_of(aiming)
    right, weight = costs.right, rows.weight
    return HeldOut(
        rows.positive,
        weight,
        costs.net.of_class(rows.positive).astype(float),
        np.zeros(weight.size, dtype=np.intp),
        float(weight.sum() / (weight**2).sum()),
        None if right is None else np.where(rows.positive, *right).astype(float),
    )


# ---- several classes -----------------------------------------------------------------------------

MODEL = "this model"


class PredictedClasses(NamedTuple):
    """Predictions on some rows, as indices of ``classes_``, and the shares behind them."""

    code: Codes
    shares: Floats
    """Probability of each class, or its share of the votes."""
    probable: bool
    """Whether the shares are probabilities."""


def of_several(model: Any) -> bool:
    """Whether a fitted classifier has a cost matrix instead of two costs."""
    return isinstance(model, MulticlassClassifier) or len(model.classes_) > 2


def matrix_of(model: Any) -> Floats:
    """Cost matrix by which a fitted classifier predicts if it is given no other."""
    if isinstance(model, BoostingClassifier):
        assert isinstance(model.model_, SeveralModel)
        return model.model_.matrix
    return check_matrix(model.cost_matrix, model.classes_)


def predict_classes(model: Any, X: Any, cost_matrix: Any = None) -> PredictedClasses:
    """Results of `predict` and `predict_proba`, from one pass over the rows."""
    if isinstance(model, BoostingClassifier):
        several = model.model_
        assert isinstance(several, SeveralModel)
        table, name = read_rows(model, X), type(model).__name__
        matrix = several.costs_for(name, {"cost_matrix": cost_matrix}, table.n_rows)
        stage = several.last(table, model.n_jobs)
        return PredictedClasses(several.codes(stage, matrix), several.probabilities(stage), True)
    code = np.searchsorted(model.classes_, model.predict(X, cost_matrix=cost_matrix))
    return PredictedClasses(code, model.predict_proba(X), takes_costs(model))


def takes_costs(model: Any) -> bool:
    """Whether a fitted classifier of several classes can be given other costs."""
    if isinstance(model, BoostingClassifier):
        return isinstance(model.model_, SeveralModel) and model.model_.changeable
    return bool(model.decides_by_cost)


@dataclass(frozen=True)
class SeveralClassPredictions:
    """Predictions on held-out rows of positive weight; classes are indices of ``classes``."""

    classes: NDArray[Any]
    truth: Codes
    weight: Floats
    matrix: Floats
    """Cost of predicting a class (columns) where another (rows) is true."""
    predicted: PredictedClasses
    rows: NDArray[np.intp]
    """Indices of the rows in the X that was given."""

    @property
    def ways(self) -> dict[str, Codes]:
        """Predictions by name: of the model, the most probable class, and constant predictions."""
        found = {MODEL: self.predicted.code}
        if self.predicted.probable:
            found[IGNORING] = greatest(self.predicted.shares)
        frequent = int(np.argmax(np.bincount(self.truth, self.weight, len(self.classes))))
        for code in dict.fromkeys((self.best_constant, frequent)):
            found[always(self.classes[code])] = np.full(self.truth.size, code)
        return found

    @property
    def greatest_cost(self) -> float:
        """Cost of the most expensive prediction for every row."""
        return float(self.weight @ self.matrix.max(axis=1)[self.truth])

    @property
    def best_constant(self) -> int:
        """Class that costs least if it is predicted for every row."""
        count = np.bincount(self.truth, self.weight, len(self.classes))
        return int(np.argmin(count @ self.matrix))

    def costs(self, code: Codes) -> Floats:
        """Weighted cost of the prediction of each row."""
        return self.weight * self.matrix[self.truth, code]

    def cost(self, code: Codes) -> float:
        """Total cost of predictions."""
        return float(self.costs(code).sum())

    def wrong(self, code: Codes) -> float:
        """Weight of the rows that are predicted wrongly."""
        return float(self.weight[code != self.truth].sum())

    def confusion(self, code: Codes) -> Floats:
        """Weights of the rows by true class (rows) and predicted class (columns)."""
        k = len(self.classes)
        cells = np.bincount(self.truth * k + code, self.weight, k * k)
        return cells.reshape(k, k).astype(np.float64)

    def saved(self, other: Codes) -> Difference:
        """Amount that the model saves compared with other predictions."""
        return interval(self.costs(other) - self.costs(self.predicted.code))

    @property
    def savings(self) -> Difference | None:
        """Savings as a share of the cost of the best constant; None if that costs nothing."""
        constant = np.full(self.truth.size, self.best_constant)
        least = self.cost(constant)
        if not least:
            return None
        return Difference(*(min(1.0, one / least) for one in self.saved(constant)))


def joined(parts: Sequence[SeveralClassPredictions]) -> SeveralClassPredictions:
    """Predictions of several parts of the rows, one behind the other."""
    truth = np.concatenate([one.truth for one in parts])
    predicted = PredictedClasses(
        np.concatenate([one.predicted.code for one in parts]),
        np.concatenate([one.predicted.shares for one in parts]),
        parts[0].predicted.probable,
    )
    weight = np.concatenate([one.weight for one in parts])
    rows = np.arange(truth.size)
    return replace(parts[0], truth=truth, weight=weight, predicted=predicted, rows=rows)


def predict_several_classes(
    model: Any, X: Any, y: Any, cost_matrix: Any = None, sample_weight: Any = None
) -> SeveralClassPredictions:
    """Predict held-out rows, by these costs if the model can; rows of weight 0 are left out.

    A model that was trained for fixed costs predicts by those, and is measured by these.
    """
    check_is_fitted(model)
    labels, classes = check_known_labels(y, model.classes_), model.classes_
    weight = check_weight(sample_weight, labels.size)
    own = cost_matrix is None or not takes_costs(model)
    predicted = predict_classes(model, X, None if own else cost_matrix)
    if predicted.code.size != labels.size:
        raise ValueError(f"X has {predicted.code.size} rows, but y has {labels.size}")
    matrix = matrix_of(model) if cost_matrix is None else check_matrix(cost_matrix, classes)
    rows = np.flatnonzero(weight)
    return SeveralClassPredictions(
        classes,
        np.searchsorted(classes, labels[rows]),
        weight[rows],
        matrix,
        PredictedClasses(predicted.code[rows], predicted.shares[rows], predicted.probable),
        rows,
    )
