"""Lp-CSB: multi-class cost-sensitive boosting with p-norms, for costs of each row and class.

Lozano and Abe 2008, Multi-class cost-sensitive boosting with p-norm loss functions, KDD; the text
of the paper was not available, and the weights, the reduction to pairs and the average of the
hypotheses are those of the abstract and the claims of the authors' patent US 8,275,721. Notation:
C_i(k) >= 0 is the cost of predicting class k for row i, every row shifted so that its least cost
is 0; y_i is the first class of cost 0; s_i are the sample weights; H(k|x) >= 0 sums to 1 over the
classes.

Loss, convex in H for p >= 1: J_p(H) = sum_i s_i sum_k C_i(k) H(k|x_i)^p.

As p grows, H^p of a row is dominated by the class of greatest H, hence J_p by the cost of the
decision; at p = 1 it is the expected cost of a class drawn from H. It is minimised by conditional
gradient over mixtures of hypotheses: with the gradient (up to the factor p)

    G_i(k) = s_i C_i(k) H_{t-1}(k|x_i)^(p-1)      (0^0 = 1, so that p = 1 gives s_i C_i(k)),

find f_t of small sum_i sum_k G_i(k) f_t(k|x_i), then H_t = (1 - a_t) H_{t-1} + a_t f_t. H_0 =
1/K. a_t = 1/t: H_t is the average of the hypotheses ("average", the patent), or the minimiser of
J_p on [0, 1] ("line"). Two components:

- "votes": f_t votes for one class, with the prices G (see `naive.votes`): the conditional
  gradient step itself, and exact for stumps.
- "pairs": the patent's reduction to binary classification of the pairs (x_i, k), label 1 for k =
  y_i with the weight sum_{k != y} G_i(k) / 2 and label 0 for the others with the weight G_i(k) /
  2. Labels enter as K columns, 1 for the label of the pair. f_t is uniform over the accepted
  labels, or H_{t-1} where none is accepted: Stochastic(h, H) of GBSE.

End: no gap is left, sum G (H_{t-1} - f_t) <= 1e-12 of sum_i s_i max_k C_i(k), before f_t is added
("no descent"; with "votes" and stumps, which are searched exhaustively, H_{t-1} is then optimal
among the mixtures of stumps); or J_p(H_t) <= 1e-10 of that sum ("no cost left"). Under "average",
H_1 = f_1. Decision: the class of greatest H, the first of equals; H are the shares of
`predict_proba`.

Readings. The cost enters G to the first power in the patent. Under the other reading, J = sum
(C_i(k) H)^p, it is C^p: the same algorithm with the costs C^p, `cost_exponent=p` here. The
patent's weights for pairs with a per-label average taken off are left out.

Properties. p = 1 with "votes": G does not depend on H, f_1 minimises the training cost over the
class of hypotheses, and there is no gap in round 2: the model is f_1, the hypothesis of Data
Space Expansion (weights max C - C_k for label k; Abe, Zadrozny and Langford 2004, Theorem 2). p =
1 with "pairs": weights that do not depend on H either, a costing ensemble of pairs; GBSE differs
in that its weights E_H[C] - C_k follow H. K = 2 with costs 0 and c_i: pairs mirror each other,
and at p = 1 both components are cost-proportionate weighting. "line" never raises J_p.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.optimize import minimize_scalar

from naive.constants import FLOOR, TIE, Array
from naive.model import normalised
from naive.votes import OwnLearner, classes_of, rows_problem, vote_learner, wanted_learner

# (pairs, labels in {0, 1}, weights) -> an object whose `predict` returns 0 or 1 for pairs.
PairLearner = Callable[[Array, Array, Array], Any]


@dataclass
class MixtureModel:
    """H = a mixture of hypotheses; each takes X and the H before it, and returns shares."""

    n_classes: int
    hypotheses: list[Callable[[Array, Array], Array]] = field(default_factory=list)
    steps: list[float] = field(default_factory=list)  # a_t
    losses: list[float] = field(default_factory=list)  # J_p(H_t)
    gradients: list[Array] = field(default_factory=list)  # G of each round
    stop_reason: str = "n_estimators"

    def shares(self, X: Array) -> Array:
        """H(k|x), rows x classes."""
        X = np.asarray(X, dtype=float)
        H = np.full((len(X), self.n_classes), 1 / self.n_classes)
        for a, f in zip(self.steps, self.hypotheses, strict=True):
            H = (1 - a) * H + a * f(X, H)
        return H

    def predict(self, X: Array) -> Array:
        return self.shares(X).argmax(axis=1)


def p_loss(s: Array, C: Array, H: Array, p: float) -> float:
    """J_p."""
    return float((s[:, None] * C * H**p).sum())


def p_gradient(s: Array, C: Array, H: Array, p: float) -> Array:
    """G, the gradient of J_p in H divided by p."""
    return s[:, None] * C * H ** (p - 1)


def pair_weights(G: Array, y: Array) -> Array:
    """Weights of the pairs: G/2, and for the label of no cost the sum of those of its row."""
    weights = G / 2
    rows = np.arange(len(y))
    weights[rows, y] = 0.0
    weights[rows, y] = weights.sum(axis=1)
    return weights


def pairs_of(X: Array, n_classes: int) -> Array:
    """Every row with every label, the label as K columns; labels of a row follow each other."""
    labels = np.tile(np.eye(n_classes), (len(X), 1))
    return np.hstack([np.repeat(X, n_classes, axis=0), labels])


def accepted_shares(accepted: Array, H: Array) -> Array:
    """Uniform over the accepted labels of a row, or H where there is none."""
    number = accepted.sum(axis=1, keepdims=True)
    return np.where(number > 0, accepted / np.maximum(number, 1), H)


def pair_hypothesis(learner: Any, n_classes: int) -> Callable[[Array, Array], Array]:
    def f(X: Array, H: Array) -> Array:
        accepted = np.asarray(learner.predict(pairs_of(X, n_classes))).reshape(-1, n_classes)
        return accepted_shares(accepted.astype(float), H)

    return f


def vote_hypothesis(learner: Any, n_classes: int) -> Callable[[Array, Array], Array]:
    return lambda X, H: np.eye(n_classes)[classes_of(learner, X)]


def mixing_step(rule: str, t: int, loss: Callable[[float], float]) -> float:
    """a_t: 1/t, or the minimiser of the loss on [0, 1]."""
    if rule == "average":
        return 1 / t
    inner = float(
        minimize_scalar(loss, bounds=(0, 1), method="bounded", options={"xatol": 1e-12}).x
    )
    return min((inner, 1.0), key=loss)


def fit_lpcsb(
    X: Array,
    costs: Array,
    p: float = 2.0,
    cost_exponent: float = 1.0,
    sample_weight: Array | None = None,
    n_estimators: int = 10,
    step: str = "average",
    component: str = "votes",
    learner: str | OwnLearner | PairLearner = "stump",
    max_depth: int | None = None,
    min_samples_leaf: int = 1,
) -> MixtureModel:
    """Fit to costs of each row and class (rows x classes).

    `component` is "votes", with a stump, a tree or a function (see `naive.votes`), or "pairs", with
    a function of (pairs, labels, weights).
    """
    X, C = np.asarray(X, dtype=float), np.asarray(costs, dtype=float)
    C = (C - C.min(axis=1, keepdims=True)) ** cost_exponent
    y = C.argmin(axis=1)
    problem = rows_problem(X, y, sample_weight)
    s, K = problem.s, C.shape[1]
    unit = (s * C.max(axis=1)).sum()
    model = MixtureModel(K)
    H = np.full(C.shape, 1 / K)
    for t in range(1, n_estimators + 1):
        G = p_gradient(s, C, H, p)
        if component == "pairs":
            assert callable(learner)
            labels = (np.arange(K)[None, :] == y[:, None]).ravel()
            fitted = learner(pairs_of(X, K), labels, normalised(pair_weights(G, y).ravel()))
            f = pair_hypothesis(fitted, K)
        else:
            wanted = (
                wanted_learner(learner, max_depth, min_samples_leaf)
                if isinstance(learner, str)
                else learner
            )
            f = vote_hypothesis(vote_learner(problem, s, G, wanted), K)
        direction = f(X, H)
        if (G * (H - direction)).sum() <= TIE * unit:
            model.stop_reason = "no descent"
            return model
        before = H
        a = mixing_step(
            step, t, lambda a, H=before, f=direction: p_loss(s, C, (1 - a) * H + a * f, p)
        )
        H = (1 - a) * H + a * direction
        model.hypotheses.append(f)
        model.steps.append(a)
        model.gradients.append(G)
        model.losses.append(p_loss(s, C, H, p))
        if model.losses[-1] <= FLOOR * unit:
            model.stop_reason = "no cost left"
            return model
    return model
