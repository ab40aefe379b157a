"""Random problems, and what it means for two models to be the same.

Problems have ties, missing values, sample weights, and costs from 0.01 to 100. Where a claim holds
only as long as no two learners are equally good, each row weighs an amount of its own ("own"
weights), so that there is nothing to draw.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from costboost.algorithms import REGISTRY

Options = dict[str, Any]

BLIND: dict[str, tuple[str, Options]] = {
    "AdaBoost": ("AdaBoost", {}),
    "RealBoost": ("RealBoost", {}),
    "RealBoost by error": ("RealBoost", {"criterion": "error"}),
    "RareBoost": ("RareBoost", {}),
    "GentleBoost": ("GentleBoost", {}),
    "LogitBoost": ("LogitBoost", {}),
    "AdaCC1": ("AdaCC1", {}),
    "AdaCC2": ("AdaCC2", {}),
    "WeightBoost": ("WeightBoost", {}),
    "AdaBoostReg": ("AdaBoostReg", {}),
    "AdaBoostReg class-aware": ("AdaBoostReg", {"class_aware": True, "p": 2.0}),
}
COST_SENSITIVE: dict[str, tuple[str, Options]] = {
    "AdaMEC": ("AdaMEC", {"probability": "votes"}),
    "AdaMEC logistic": ("AdaMEC", {"probability": "logistic"}),
    "CGAda": ("CGAda", {}),
    "AsymAda": ("AsymAda", {}),
    "CSB0": ("CSB0", {}),
    "CSB1": ("CSB1", {}),
    "CSB2": ("CSB2", {}),
    "AdaC1": ("AdaC1", {}),
    "AdaC1 of Nyga": ("AdaC1", {"step": "nyga"}),
    "AdaC2": ("AdaC2", {}),
    "AdaC3": ("AdaC3", {}),
    "AdaCost": ("AdaCost", {}),
    "AdaCost of Ting": ("AdaCost", {"beta": "ting", "max_cost": 1.0}),
    "CSAda": ("CSAda", {}),
    "AdaDB": ("AdaDB", {}),
    "CSRA": ("CSRA", {}),
    "CSGA": ("CSGA", {}),
    "CSLB": ("CSLB", {}),
    "AdaUBoost": ("AdaUBoost", {}),
    "AdaUBoost on the slope": ("AdaUBoost", {"learner_weights": "slope"}),
    "CSBoost": ("CSBoost", {}),
    "CSRealBoost": ("CSRealBoost", {}),
    "CSLogitBoost": ("CSLogitBoost", {}),
    "CSLogitBoost by margin": ("CSLogitBoost", {"weighting": "margin"}),
}
MODELS = BLIND | COST_SENSITIVE

MARGIN = "CSLogitBoost by margin"
NYGA = "AdaC1 of Nyga"


def mild(cost: Any) -> Any:
    """Costs that are at most ten times another."""
    return cost**0.25


def mild_and_large(cost: Any) -> Any:
    return 16 * mild(cost)


TAMED = {NYGA: mild, MARGIN: mild_and_large}
"""Nyga's AdaC1 takes ever larger steps (his Figure 2.3), so that at heavy costs all weight is soon
on one row and the rest are draws. The weights p(1 - p), p = 1 / (1 + e^(-2F)), of the other one
take F as it is, in units of 1 / cost: at low costs they are 0 but for rounding.
"""

LEARNERS: dict[str, Options] = {
    "stump": {"estimator": "stump"},
    "tree": {"estimator": "tree", "max_depth": 2},
    "lookup": {"estimator": "lookup", "max_bins": 4},
    "linear": {"estimator": "linear"},
}


USUAL_SHARE = 0.15
"""Share of the examples that a usual run has."""


def classifier(name: str) -> Any:
    return REGISTRY[name].cls


def rounds(max_examples: int) -> Any:
    """Settings for examples that take long; see tests/conftest.py for their number."""
    given = os.environ.get("COSTBOOST_EXAMPLES")
    return settings(
        max_examples=max(5, round(max_examples * float(given or USUAL_SHARE))),
        derandomize=given is None,
        database=None,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )


@dataclass(frozen=True)
class Case:
    """A training set, its costs, and how to fit."""

    X: np.ndarray
    y: np.ndarray
    weight: np.ndarray | None
    costs: Options
    options: Options

    def fit(self, model: str, learner: str = "stump", **options: Any) -> Any:
        name, own = MODELS[model]
        clf = classifier(name)(**self.options | LEARNERS[learner] | own | options)
        X = np.nan_to_num(self.X, nan=1.0) if learner == "linear" else self.X
        tame = TAMED.get(model)
        costs = self.costs if tame is None else {key: tame(c) for key, c in self.costs.items()}
        return clf.fit(X, self.y, sample_weight=self.weight, **costs)

    def take(self, rows: np.ndarray) -> Case:
        """Rows in another order, fewer of them, or some more than once."""
        costs = {key: c[rows] if np.ndim(c) else c for key, c in self.costs.items()}
        weight = None if self.weight is None else self.weight[rows]
        return replace(self, X=self.X[rows], y=self.y[rows], weight=weight, costs=costs)

    def milder(self) -> Case:
        """Costs at which no row loses all of its weight."""
        return replace(self, costs={key: mild(c) for key, c in self.costs.items()})

    def times(self, factor: float) -> Case:
        """The case with all costs multiplied by a factor."""
        return replace(self, costs={key: factor * c for key, c in self.costs.items()})


@st.composite
def cases(
    draw: Any,
    weights: tuple[str, ...] = ("none", "counts", "own"),
    costs: tuple[str, ...] = ("whole", "class", "row"),
    most_rounds: int = 6,
) -> Case:
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, d = draw(st.integers(2, 40)), draw(st.integers(1, 4))
    levels = draw(st.sampled_from([2, 3, 6, 12, 100]))
    X = rng.integers(0, levels, (n, d)) / 4
    X[rng.random((n, d)) < draw(st.sampled_from([0.0, 0.0, 0.1, 0.5]))] = np.nan
    X[:2, 0] = 0, levels / 4  # so that the feature is not constant
    y = ((np.nan_to_num(X[:, 0]) > levels / 8) ^ (rng.random(n) < 0.3)).astype(int)
    y[:2] = 1, 0
    options = {
        "n_estimators": draw(st.integers(1, most_rounds)),
        "learning_rate": draw(st.sampled_from([1.0, 1.0, 0.5])),
        "initial_weights": draw(st.sampled_from(["auto", "auto", "uniform", "cost", "balanced"])),
        "negative_step": draw(st.sampled_from(["stop", "keep"])),
    }
    weight = _weights(draw(st.sampled_from(weights)), n, rng)
    return Case(X, y, weight, _costs(draw(st.sampled_from(costs)), n, rng), options)


def _weights(kind: str, n: int, rng: np.random.Generator) -> np.ndarray | None:
    if kind == "none":
        return None
    weight = rng.uniform(0.2, 2.0, n)
    if kind == "counts":
        weight = rng.integers(0, 4, n).astype(float)
        weight[:2] = np.maximum(weight[:2], 1.0)  # a row of either class stays
    return weight


def _costs(kind: str, n: int, rng: np.random.Generator) -> Options:
    if kind == "whole":
        fn, fp = rng.integers(1, 7, 2).tolist()
    elif kind == "class":
        fn, fp = (10 ** rng.uniform(-2, 2, 2)).tolist()
    else:
        fn, fp = 10 ** rng.uniform(-2, 2, (2, n))
    return {"fn_cost": fn, "fp_cost": fp}


def stages(clf: Any, X: np.ndarray) -> np.ndarray:
    if clf.estimator == "linear":
        X = np.nan_to_num(X, nan=1.0)
    return np.array(list(clf.staged_raw_score(X)))


def same_scores(
    one: Any, other: Any, X: np.ndarray, times: float = 1.0, atol: float = 1e-9, Z: Any = None
) -> None:
    """F of one on X, times a factor, is F of the other on X (or on Z), after every round.

    The score of an ensemble without learners is a sign: it has no unit. One that has ended keeps
    its score: where a loss neither falls nor rises, rounding may grant one more round of nothing.
    """
    if one.n_iter_ == other.n_iter_ == 0:
        times = np.sign(times)
    ours, theirs = times * stages(one, X), stages(other, X if Z is None else Z)
    n = max(len(ours), len(theirs))
    ours, theirs = (np.pad(F, ((0, n - len(F)), (0, 0)), "edge") for F in (ours, theirs))
    np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=atol)


def same_answers(one: Any, other: Any, X: np.ndarray, atol: float = 1e-9) -> None:
    """Assert equal probabilities, and equal decisions wherever the score is not 0."""
    if one.estimator == "linear":
        X = np.nan_to_num(X, nan=1.0)
    probability = one.predict_proba(X)
    np.testing.assert_allclose(probability, other.predict_proba(X), rtol=0, atol=atol)
    decided = np.abs(one.raw_score(X)) > 1e-9
    np.testing.assert_array_equal(one.predict(X)[decided], other.predict(X)[decided])


def same(one: Any, other: Any, X: np.ndarray) -> None:
    same_scores(one, other, X)
    same_answers(one, other, X)
