"""Theorems of Masnadi-Shirazi & Vasconcelos checked on random problems: maximal deviations.

Each check is a function of a random generator and returns numbers by name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import brentq, minimize_scalar
from scipy.special import expit, log_expit, logit
from scipy.stats import norm

from costboost.algorithms import (
    AdaBoostClassifier,
    CSAdaClassifier,
    CSLogitBoostClassifier,
    CSRealBoostClassifier,
    RealBoostClassifier,
)
from costboost_lab.studies import Frame, Scalar, Table
from costboost_lab.studies.statistics import fit_quietly
from costboost_lab.theory import losses

PROBLEMS = 8
"""Number of random problems of a check."""
ROUNDS = 10
PRECISIONS = {"to 0.01": 1e-2, "to 0.001": 1e-3, "to 0.000001": 1e-6}
"""Precisions to which a step is found by bisection."""


class Drawn(NamedTuple):
    """A random problem of two overlapping classes."""

    X: Any
    y: Any
    """+1 or -1."""
    weight: Any
    """Sample weights, all different so that no two stumps have the same error; their sum is 1."""
    fn_cost: float
    fp_cost: float

    @property
    def cost(self) -> Any:
        """Cost of a mistake on each row."""
        return np.where(self.y > 0, self.fn_cost, self.fp_cost)


def problems(random: np.random.Generator) -> Iterator[Drawn]:
    """Problems with 60 to 120 rows, three features and costs from 0.3 to 3."""
    for _ in range(PROBLEMS):
        n_rows = int(random.integers(60, 120))
        y = np.where(random.random(n_rows) < 0.4, 1, -1)
        y[:2] = 1, -1
        X = random.normal(size=(n_rows, 3)) + 0.7 * y[:, None]
        fn_cost, fp_cost = (float(cost) for cost in 10 ** random.uniform(-0.5, 0.5, 2))
        weight = random.uniform(0.5, 1.5, n_rows)
        yield Drawn(X, y, weight / weight.sum(), fn_cost, fp_cost)


def fitted(cls: Any, drawn: Drawn, **options: Any) -> Any:
    """A classifier trained on a problem with its costs."""
    options = {"fn_cost": drawn.fn_cost, "fp_cost": drawn.fp_cost} | options
    clf = cls(n_estimators=ROUNDS, n_jobs=1, **options)
    return fit_quietly(clf, drawn.X, drawn.y, sample_weight=drawn.weight)


def scores(clf: Any, X: Any) -> Any:
    """Scores before the first round and after each."""
    return np.array([np.zeros(len(X)), *clf.staged_raw_score(X)])


# ---- minimisers ----------------------------------------------------------------------------------


def minimisers(random: np.random.Generator) -> dict[str, float]:
    """Population minimisers of the losses against the asymmetric logistic transform (Lemma 2)."""
    found = {"exponential": 0.0, "binomial": 0.0, "cost-blind exponential": 0.0}
    probability = random.uniform(0.01, 0.99, 10)
    for _ in range(PROBLEMS):
        fn, fp = 10 ** random.uniform(-1, 1, 2)
        formula = np.log(probability * fn / ((1 - probability) * fp)) / (fn + fp)
        for name, cls in (("exponential", CSAdaClassifier), ("binomial", CSLogitBoostClassifier)):
            apart = losses(cls, float(fn), float(fp)).minimiser(probability) - formula
            found[name] = max(found[name], float(np.abs(apart).max() * (fn + fp)))
    blind = losses(AdaBoostClassifier, 1.0, 1.0).minimiser(probability) - logit(probability) / 2
    found["cost-blind exponential"] = float(np.abs(blind).max())
    return found


def optimum(cost: float) -> float:
    """The zero crossing of least expected cost on the two Gaussians, found numerically."""

    def expected(x: float) -> float:
        return float(cost * norm.cdf(x, 1, 1) + norm.sf(x, -1, 1)) / 2

    return float(minimize_scalar(expected, bounds=(-4, 1), options={"xatol": 1e-10}).x)


def optima(random: np.random.Generator) -> dict[str, float]:
    """Crossings of least expected cost against -log(C+ / C-) / 2."""
    costs = np.exp(random.uniform(0, np.log(100), 20))
    apart = [optimum(float(cost)) + np.log(cost) / 2 for cost in costs]
    return {"apart": float(np.abs(apart).max()), "at 5": optimum(5), "at 20": optimum(20)}


# ---- equal costs ---------------------------------------------------------------------------------


def equal_costs(random: np.random.Generator) -> dict[str, float]:
    """Scores of CSAda and CS-RealBoost at costs of 1 against AdaBoost and RealBoost."""
    found = {"CSAda": 0.0, "CSRealBoost": 0.0}
    for drawn in problems(random):
        one = drawn._replace(fn_cost=1.0, fp_cost=1.0)
        for name, ours, blind, learner in (
            ("CSAda", CSAdaClassifier, AdaBoostClassifier, "stump"),
            ("CSRealBoost", CSRealBoostClassifier, RealBoostClassifier, "lookup"),
        ):
            pair = [scores(fitted(cls, one, estimator=learner), drawn.X) for cls in (ours, blind)]
            found[name] = max(found[name], float(np.abs(pair[0] - pair[1]).max()))
    return found


# ---- steps and weights ---------------------------------------------------------------------------


class Sums(NamedTuple):
    """Weights of a vote as in the paper's equations 42 to 45."""

    positive: float
    negative: float
    missed: float
    """Weight b of the positive rows that the vote gets wrong."""
    alarmed: float
    """Weight d of the negative rows that the vote gets wrong."""


def sums(weight: Any, y: Any, vote: Any) -> Sums:
    """The four sums of a vote of -1 or +1 for each row."""
    wrong, positive = vote != y, y > 0
    parts = (positive, ~positive, positive & wrong, ~positive & wrong)
    return Sums(*(float(weight[part].sum()) for part in parts))


def slope(step: float, at: Sums, fn: float, fp: float) -> float:
    """Derivative of the loss with respect to the step: left minus right side of equation 41."""
    left = 2 * fn * at.missed * np.cosh(fn * step) + 2 * fp * at.alarmed * np.cosh(fp * step)
    right = fn * at.positive * np.exp(-fn * step) + fp * at.negative * np.exp(-fp * step)
    return float(left - right)


def loss_after(step: float, at: Sums, fn: float, fp: float) -> float:
    """Loss of equation 40."""
    ofn, ofp = 2 * np.sinh(fn * step) * at.missed, 2 * np.sinh(fp * step) * at.alarmed
    return float(ofn + np.exp(-fn * step) * at.positive + ofp + np.exp(-fp * step) * at.negative)


def bracket(at: Sums, fn: float, fp: float) -> float | None:
    """A step beyond the root, by doubling; None if the loss does not fall or has no least value."""
    if slope(0.0, at, fn, fp) >= 0 or at.missed + at.alarmed <= 0:
        return None
    high = 1.0
    while slope(high, at, fn, fp) < 0:
        high *= 2
    return high


def best_loss(weight: Any, drawn: Drawn) -> float:
    """Least loss over all stumps, each with its own best step, by trying every one."""
    found = float(weight.sum())
    for column in drawn.X.T:
        values = np.unique(column)
        for threshold in (values[1:] + values[:-1]) / 2:
            for sign in (1, -1):
                at = sums(weight, drawn.y, np.where(column > threshold, sign, -sign))
                high = bracket(at, drawn.fn_cost, drawn.fp_cost)
                if high is not None:
                    given = (at, drawn.fn_cost, drawn.fp_cost)
                    step = float(brentq(slope, 0.0, high, args=given, xtol=1e-13))
                    found = min(found, loss_after(step, *given))
    return found


def steps(random: np.random.Generator) -> dict[str, float]:
    """Steps of CSAda in the hyperbolic equation, and its stumps against all others (Theorem 3)."""
    found = {"equation": 0.0, "loss above the least": 0.0}
    for drawn in list(problems(random))[:2]:
        clf = fitted(CSAdaClassifier, drawn)
        score = scores(clf, drawn.X)
        for m, step in enumerate(clf.estimator_weights_[:3]):
            weight = drawn.weight * np.exp(-drawn.cost * drawn.y * score[m])
            weight = weight / weight.sum()
            vote = np.where(score[m + 1] > score[m], 1, -1)
            at, costs = sums(weight, drawn.y, vote), (drawn.fn_cost, drawn.fp_cost)
            found["equation"] = max(found["equation"], abs(slope(float(step), at, *costs)))
            above = loss_after(float(step), at, *costs) - best_loss(weight, drawn)
            found["loss above the least"] = max(found["loss above the least"], above)
    return found


def bisection(random: np.random.Generator) -> dict[str, float]:
    """Mean number of halvings by which the steps of stumps are found to several precisions."""
    counts: dict[str, list[int]] = {name: [] for name in PRECISIONS}
    for drawn in problems(random):
        for column in drawn.X.T:
            for threshold in np.quantile(column, np.linspace(0.1, 0.9, 9)):
                at = sums(drawn.weight, drawn.y, np.where(column > threshold, 1, -1))
                high = bracket(at, drawn.fn_cost, drawn.fp_cost)
                if high is None:
                    continue
                for name, precision in PRECISIONS.items():
                    counts[name].append(max(0, int(np.ceil(np.log2(high / precision)))))
    return {name: float(np.mean(count)) for name, count in counts.items()}


def weights(random: np.random.Generator) -> dict[str, float]:
    """Weighted errors under start times exp(-c y F) against those of the classifiers (4.5)."""
    found = {"CSAda": 0.0, "CSRealBoost": 0.0}
    for drawn in problems(random):
        for name, cls, focus in (
            ("CSAda", CSAdaClassifier, drawn.cost),  # learners see the gradient of the loss
            ("CSRealBoost", CSRealBoostClassifier, np.ones_like(drawn.cost)),
        ):
            clf = fitted(cls, drawn)
            score = scores(clf, drawn.X)
            for m, error in enumerate(clf.estimator_errors_):
                weight = drawn.weight * np.exp(-drawn.cost * drawn.y * score[m])
                weight = weight * focus
                wrong = np.where(score[m + 1] > score[m], 1, -1) != drawn.y
                apart = weight[wrong].sum() / weight.sum() - error
                found[name] = max(found[name], abs(float(apart)))
    return found


def decay(random: np.random.Generator) -> dict[str, float]:
    """Logarithms of p (1 - p) / exp(-2 |F|) for scores F of CS-LogitBoost and beyond (4.5)."""
    every = [random.uniform(-20, 20, 200)]
    every += [
        fitted(CSLogitBoostClassifier, drawn, weighting="margin").raw_score(drawn.X)
        for drawn in problems(random)
    ]
    score = np.concatenate(every)
    factor = log_expit(2 * score) + log_expit(-2 * score) + 2 * np.abs(score)
    return {
        "least": float(factor.min()),
        "greatest": float(factor.max()),
        "least beyond 5": float(factor[np.abs(score) > 5].min()),
    }


def piling_up(random: np.random.Generator) -> dict[str, float]:
    """Share of probabilities within 0.01 of 0 or 1 on labels that are drawn at random (3.4)."""
    X, y = random.normal(size=(100, 5)), np.where(random.random(100) < 0.5, 1, -1)
    y[:2] = 1, -1
    clf = AdaBoostClassifier(estimator="tree", n_estimators=1000, n_jobs=1).fit(X, y)
    found = {}
    for after, score in enumerate(clf.staged_raw_score(X), start=1):
        if after in (10, 100, 1000):
            probability = expit(2 * score)
            extreme = (probability < 0.01) | (probability > 0.99)
            found[f"after {after} rounds"] = float(extreme.mean())
    return found


THEOREMS: Mapping[str, Callable[[np.random.Generator], dict[str, float]]] = {
    "minimisers": minimisers,
    "optimum": optima,
    "equal costs": equal_costs,
    "steps": steps,
    "bisection": bisection,
    "weights": weights,
    "decay": decay,
    "piling up": piling_up,
}


def check_records(name: str, seed: int) -> list[dict[str, Scalar]]:
    """Records of a check: a quantity and its value each."""
    found = THEOREMS[name](np.random.default_rng(seed))
    return [{"quantity": quantity, "value": value} for quantity, value in found.items()]


def structure_table(chosen: Frame) -> Table | None:
    """Least and greatest values of the checks, from their records."""
    if chosen.empty:
        return None
    table = chosen.groupby(["subject", "quantity"], sort=False)["value"].agg(["min", "max"])
    table.index = [f"{subject}: {quantity}" for subject, quantity in table.index]
    return Table(
        "Structural checks: least and greatest value over the repeats",
        table.map(lambda value: f"{value:.3g}").rename_axis("check"),
        "Deviations of 1e-9 and less are rounding; the library floors weights at 1e-10 of their "
        "sum, which is the size of some of them.",
    )
