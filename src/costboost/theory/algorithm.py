"""An algorithm to be analysed: a rule with initial weights, two costs and a number of rounds."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np

from costboost.classifiers.base import BoostingClassifier, rule_of
from costboost.classifiers.checks import check_costs, check_parameters
from costboost.model import DecisionRule
from costboost.rules import STARTS, Costs, RowData, Rule, Scale, Start
from costboost.vectors import Floats


@dataclass(frozen=True)
class Algorithm:
    """Everything on which the weights, the score and the decisions of an algorithm depend."""

    name: str
    rule: Any
    start: Start
    own_start: bool
    """Whether ``start`` is that of the rule, computed from costs as the rule scales them."""
    costs: Costs
    n_rounds: int
    """Rounds of a fit; rules that spread costs over the rounds depend on it."""
    prior: float
    """Share of the positives, for initial weights that balance the classes."""
    calibrated: bool = False
    """Whether decisions are made from calibrated probabilities."""

    @property
    def cost_pair(self) -> Floats:
        """Cost of a mistake on a positive and on a negative row, as the rule scales them."""
        return np.asarray(self.rule.scale(self._pair, self.n_rounds), dtype=np.float64)

    @property
    def start_pair(self) -> Floats:
        """Initial weight of a positive and of a negative row for the weak learner."""
        cost = self.cost_pair if self.own_start else self._pair
        share = np.array([self.prior, 1 - self.prior])
        return np.asarray(self.start.weight(cost, share) * self.rule.focus(self._pair))

    @property
    def _pair(self) -> Floats:
        return np.array([self.costs.fn, self.costs.fp], dtype=np.float64)

    @property
    def positive_is_costlier(self) -> bool:
        """Whether a false negative costs at least as much as a false positive."""
        return bool(self.costs.fn >= self.costs.fp)

    def rows(self, label: Floats, weight: Floats) -> RowData:
        """Labels, initial weights and costs of rows with the given sample weights."""
        start = weight * of_class(self.start_pair, label)
        return RowData(label, start / start.sum(), self.costs, self.costs, self.n_rounds)

    @property
    def decision(self) -> DecisionRule:
        """The library's conversion of scores to decisions, without a calibrator."""
        return DecisionRule(
            self.rule, self.start, self.own_start, self.prior, self.n_rounds, self.costs
        )

    def scale(self, votes: float) -> Scale:
        """Scale of the score after all rounds, given the sum of the steps."""
        return Scale(self.costs, 0.0, votes)


def of_class(pair: Floats, label: Floats) -> Floats:
    """``pair[0]`` for positive rows and ``pair[1]`` for negative rows."""
    return np.asarray(np.where(label > 0, pair[0], pair[1]))


def algorithm_of(
    algorithm: Any, fn_cost: Any, fp_cost: Any, n_rounds: int | None, prior: float
) -> Algorithm:
    """The algorithm of a classifier, of a class of classifiers, or of a rule."""
    costs = _costs(fn_cost, fp_cost)
    if isinstance(algorithm, type) and issubclass(algorithm, BoostingClassifier):
        algorithm = algorithm()
    if isinstance(algorithm, BoostingClassifier):
        check_parameters(algorithm)
        rule, own = rule_of(algorithm), algorithm.initial_weights == "auto"
        start = rule.start if own else STARTS[algorithm.initial_weights]
        rounds = _rounds(algorithm.n_estimators if n_rounds is None else n_rounds)
        calibrated = algorithm.calibration is not None
        return Algorithm(rule.name, rule, start, own, costs, rounds, prior, calibrated)
    if isinstance(algorithm, Rule):
        rounds = _rounds(100 if n_rounds is None else n_rounds)
        return Algorithm(algorithm.name, algorithm, algorithm.start, True, costs, rounds, prior)
    raise ValueError(
        "algorithm must be one of the boosting classifiers of costboost, its class or its rule, "
        f"such as CGAdaClassifier; got {algorithm!r}"
    )


def _costs(fn_cost: Any, fp_cost: Any) -> Costs:
    for name, cost in (("fn_cost", fn_cost), ("fp_cost", fp_cost)):
        if np.ndim(cost):
            raise ValueError(
                f"{name} must be one number, got an array of shape {np.shape(cost)}: "
                "costboost.theory covers costs of classes, not of rows"
            )
    return check_costs(fn_cost, fp_cost, 1)


def _rounds(n_rounds: Any) -> int:
    if isinstance(n_rounds, bool) or not isinstance(n_rounds, Integral) or n_rounds < 1:
        raise ValueError(f"n_rounds must be a whole number of at least 1, got {n_rounds!r}")
    return int(n_rounds)
