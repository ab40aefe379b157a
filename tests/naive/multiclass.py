"""Multi-class boosting of votes: SAMME, SAMME.C2, AdaC2.M1, BAdaCost.

Notation: n rows, classes 0 to K - 1, s_i the sample weights (sum 1), h_t(x) the class for which
the learner of round t votes, c_i = c(y_i) > 0 a cost of row i or of its class, C[j, k] the cost
of predicting k where the truth is j (zero diagonal). The code of class k is the vector Y_k with 1
at k and -1/(K-1) elsewhere, so that its entries sum to 0. Scores are f = sum_t b_t Y_{h_t(x)}.

| algorithm | price of a vote | step a_t | w_{t+1} proportional to w_t times | b_t |
|---|---|---|---|---|
| SAMME | w [k != y] | log (1-e)/e + log(K-1) | e^(a [h != y]) | a (K-1)^2/K |
| SAMME.C2 | w [k != y] | log (1-e)/e + log(K-1) | c e^(a [h != y]) | a (K-1)^2/K |
| AdaC2.M1 | w [k != y] | 1/2 log R/W | c e^(-a) right, c e^a wrong | a |
| BAdaCost | w (e^(G[y,k]) - e^(G[y,y])) | root of sum w g e^(a g) = 0 | e^(a g) | a |

Initial weights are s. e = sum of w over the mistakes; R and W = sums of w c over the right and
the wrong rows; G = K/(K-1) (C - diag(row sums of C)), C scaled to the greatest cost 1; g_i =
G[y_i, h(x_i)].

Weights are normalised to sum 1 after every round. A step, after multiplication by the learning
rate, that is not a finite number above 0 ends the ensemble before its learner is added ("no
positive step"): for SAMME and SAMME.C2 an error of at least 1 - 1/K, for AdaC2.M1 mistakes with
at least half of sum w c. Shares of weight are floored at 1e-10 under logarithms. A learner
without mistakes (e < 1e-10) is added with its floored step and ends the ensemble ("perfect
learner"). Decision: the class of greatest score, the first of equals; for BAdaCost the class of
least (C* f)_k.

SAMME (Zhu, Zou, Rosset and Hastie 2009, Multi-class AdaBoost, Statistics and Its Interface 2).
Minimises sum_i s_i exp(-Y_{y_i} . f / K) stage by stage; w_t is that loss. The paper drops the
factor (K-1)^2/K from the scores, which no decision depends on; it is kept here because the score
is then the minimiser of the loss: P(k|x) = softmax(f / (K-1)). For K = 2, f = (-F, F) with F of
AdaBoost, a is twice AdaBoost's step and b is AdaBoost's step.

SAMME.C2 (So, Boucher and Valdez 2021, ASTIN Bulletin 51; So and Valdez, arXiv 2112.14868;
repository bheeso/SAMME.C2). Readings: uniform start and an error of weights without the current
factor c, as in the listing and the repository. After t rounds the weights have the factor c^t and
the step of round t was found under c^(t-1), like the learner: a greedy step of sum s c^(t-1)
exp(-Y_y . f / K). Costs in (0, 1] are the paper's range, but any common factor cancels.
`initial_weights="cost"` starts at s c. Equal costs give SAMME. It is not AdaC2 at K = 2: the step
of AdaC2 is found under one more factor c.

AdaC2.M1 (Sun, Kamel and Wang 2006, Boosting for Learning Multiple Classes with Imbalanced Class
Distribution, ICDM; repository chongshengzhang/Multi_Imbalance, which is by others; transcribed
from it, the text of the paper was not available). c is the cost of a class (of a cost matrix, for
instance, the sum of its row). There is no log(K-1): like AdaBoost.M1 it needs less than half of
the (cost-weighted) mistakes. The repository adds machine epsilon to both sums and never ends;
here shares are floored and a step of at most 0 ends the ensemble. The repository starts at
uniform weights; `initial_weights="cost"` is the start of the binary AdaC2 of this library. For K
= 2 it is AdaC2, f = (-F, F).

BAdaCost (Fernandez-Baldera, Buenaposada and Baumela 2018, Pattern Recognition 79, arXiv
2402.04465; repository jmbuena/toolbox.badacost.public, by the authors; transcribed from it and
from the abstract). Loss sum_i s_i exp(C*[y_i] . f(x_i)), C* = C - diag(row sums of C). Since the
rows of C* sum to 0, C* Y_k = K/(K-1) C*[:, k], hence G. For a given step a the best learner
minimises sum_i w_i (e^(a G[y, h]) - e^(a G[y, y])). Readings: the repository sets a = 1 in this
criterion (`criterion="unit step"`) and finds the step afterwards; `criterion="gradient"` is the
limit a -> 0, price w (C[y, k] + row sum of C[y]). The first depends on the unit of C, so C is
always scaled to the greatest cost 1 (the repository does so only if it is above 1). The
repository grows trees by a Gini index with one factor for each class; here trees follow
`naive.votes`. A class without mistakes (weight below 1e-10 of the class) is taken to have
mistakes of 1e-10 of its weight, in equal parts for every other class, so that the root is finite.
Slope at 0 not negative: no step. Costs of 0 and 1 give SAMME, with f smaller by the factor K
(K-1). For K = 2 the loss is that of cost-sensitive AdaBoost (Masnadi-Shirazi and Vasconcelos)
with F = 2 f_1 in the unit of scaled costs; with `criterion="gradient"` and trees the models are
equal. At the minimum of the expected loss under probabilities P it decides for the class of
greatest P_k / v_k, where v is the row vector with v C* = 0, v > 0. That is the class of least
expected cost for K = 2, and for costs C[j, k] = c_j that depend on the truth alone, where v_j is
proportional to 1/c_j; for other matrices it need not be.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from scipy.optimize import brentq

from naive.constants import FLOOR, Array
from naive.discrete import half_log_ratio
from naive.learners import WeakLearner
from naive.model import Learner, Problem, normalised
from naive.votes import (
    OwnLearner,
    classes_of,
    misclassification_price,
    rows_problem,
    vote_learner,
    wanted_learner,
)


@dataclass
class VoteModel:
    """A fitted ensemble of votes: scores f = sum of steps times codes."""

    algorithm: str
    n_classes: int
    learners: list[Learner] = field(default_factory=list)
    steps: list[float] = field(default_factory=list)  # b_t
    errors: list[float] = field(default_factory=list)
    weights: list[Array] = field(default_factory=list)  # of each round, before its update
    stop_reason: str = "n_estimators"
    cost_star: Array | None = None  # C* of BAdaCost

    def add(self, learner: Learner, step: float, w: Array, error: float) -> None:
        self.learners.append(learner)
        self.steps.append(float(step))
        self.weights.append(w)
        self.errors.append(float(error))

    def scores(self, X: Array) -> Array:
        """f(x), rows x classes; every row sums to 0."""
        codes = class_codes(self.n_classes)
        f = np.zeros((len(X), self.n_classes))
        for step, learner in zip(self.steps, self.learners, strict=True):
            f = f + step * codes[classes_of(learner, X)]
        return f

    def predict(self, X: Array) -> Array:
        f = self.scores(X)
        if self.cost_star is not None:
            f = -(f @ self.cost_star.T)
        return f.argmax(axis=1)


def class_codes(n_classes: int) -> Array:
    """Row k is Y_k: 1 at k, -1/(K-1) elsewhere."""
    codes = np.full((n_classes, n_classes), -1 / (n_classes - 1))
    np.fill_diagonal(codes, 1.0)
    return codes


@dataclass(frozen=True)
class VoteRule:
    """One row of the table, BAdaCost apart; `right` is the mask of the rows voted for rightly."""

    step: Callable[[Array, Array, Array, int], float]  # (w, c, right, K)
    update: Callable[[Array, float, Array], Array]  # (c, a, right)
    score_step: Callable[[float, int], float]  # (a, K)


def step_samme(w: Array, c: Array, right: Array, n_classes: int) -> float:
    return 2 * half_log_ratio(w[right].sum(), w[~right].sum()) + math.log(n_classes - 1)


def step_adac2m1(w: Array, c: Array, right: Array, n_classes: int) -> float:
    return half_log_ratio((w * c)[right].sum(), (w * c)[~right].sum())


def update_samme(c: Array, a: float, right: Array) -> Array:
    return np.exp(a * ~right)


def update_sammec2(c: Array, a: float, right: Array) -> Array:
    return c * np.exp(a * ~right)


def update_adac2m1(c: Array, a: float, right: Array) -> Array:
    return c * np.exp(np.where(right, -a, a))


def samme_score(a: float, n_classes: int) -> float:
    return a * (n_classes - 1) ** 2 / n_classes


SAMME = VoteRule(step_samme, update_samme, samme_score)
SAMME_C2 = VoteRule(step_samme, update_sammec2, samme_score)
ADAC2_M1 = VoteRule(step_adac2m1, update_adac2m1, lambda a, n_classes: a)
VOTES = {"samme": SAMME, "samme.c2": SAMME_C2, "adac2.m1": ADAC2_M1}


def fit_votes(
    algorithm: str,
    X: Array,
    y: Array,
    costs: Array | None = None,
    sample_weight: Array | None = None,
    n_estimators: int = 10,
    learning_rate: float = 1.0,
    initial_weights: str = "uniform",
    criterion: str = "unit step",
    learner: str | OwnLearner = "stump",
    max_depth: int | None = None,
    min_samples_leaf: int = 1,
) -> VoteModel:
    """Fit `algorithm` to the classes 0 to K - 1 (all of which must occur in y).

    `costs` are one for each class, or one for each row, of SAMME.C2 and AdaC2.M1, and the K x K
    matrix of BAdaCost. `learner` is "stump", "tree" (max_depth, min_samples_leaf) or a function.
    """
    problem = rows_problem(X, y, sample_weight)
    n_classes = int(problem.y.max()) + 1
    wanted = (
        wanted_learner(learner, max_depth, min_samples_leaf)
        if isinstance(learner, str)
        else learner
    )
    model = VoteModel(algorithm, n_classes)
    if algorithm == "badacost":
        matrix = 1.0 - np.eye(n_classes) if costs is None else np.asarray(costs, dtype=float)
        fit_badacost(model, problem, matrix, wanted, n_estimators, learning_rate, criterion)
        return model
    c = np.ones(len(problem.y)) if costs is None else np.asarray(costs, dtype=float)
    if len(c) != len(problem.y):
        c = c[problem.y]
    w = normalised(problem.s * c) if initial_weights == "cost" else problem.s
    rule = VOTES[algorithm]
    for _ in range(n_estimators):
        price = misclassification_price(w, problem.y, n_classes)
        h = vote_learner(problem, w, price, wanted)
        right = classes_of(h, problem.X) == problem.y
        error = w[~right].sum()
        a = learning_rate * rule.step(w, c, right, n_classes)
        if not (math.isfinite(a) and a > 0):
            model.stop_reason = "no positive step"
            return model
        model.add(h, rule.score_step(a, n_classes), w, error)
        if error < FLOOR:
            model.stop_reason = "perfect learner"
            return model
        w = normalised(w * rule.update(c, a, right))
    return model


# BAdaCost


def star(C: Array) -> Array:
    """C* = C - diag(row sums of C)."""
    return C - np.diag(C.sum(axis=1))


def badacost_price(G: Array, criterion: str) -> Array:
    """Price of a vote for k where the truth is j, up to the weight of the row."""
    own = np.diag(G)[:, None]
    return {"unit step": np.exp(G) - np.exp(own), "gradient": G - own}[criterion]


def confusion(w: Array, y: Array, votes: Array, n_classes: int) -> Array:
    """E[j, k]: the weight of the rows of class j with a vote for k, mistakes floored."""
    E = np.zeros((n_classes, n_classes))
    np.add.at(E, (y, votes), w)
    for j in range(n_classes):
        total = E[j].sum()
        if total - E[j, j] < FLOOR * total:
            E[j] = FLOOR * total / (n_classes - 1)
            E[j, j] = (1 - FLOOR) * total
    return E


def step_badacost(E: Array, G: Array) -> float:
    """The root of the slope of sum E e^(a G); 0 if the loss does not fall at 0."""

    def slope(a: float) -> float:
        return float((E * G * np.exp(a * G)).sum())

    if slope(0.0) >= 0:
        return 0.0
    upper = 1.0
    while slope(upper) < 0:
        upper *= 2
    return float(brentq(slope, 0.0, upper, xtol=1e-15, rtol=1e-15))


def fit_badacost(
    model: VoteModel,
    problem: Problem,
    C: Array,
    wanted: WeakLearner | OwnLearner,
    n_estimators: int,
    learning_rate: float,
    criterion: str,
) -> None:
    y, K = problem.y, model.n_classes
    C = C / C.max()
    G = K / (K - 1) * star(C)
    model.cost_star = star(C)
    w = problem.s
    for _ in range(n_estimators):
        h = vote_learner(problem, w, w[:, None] * badacost_price(G, criterion)[y], wanted)
        votes = classes_of(h, problem.X)
        error = w[votes != y].sum()
        a = learning_rate * step_badacost(confusion(w, y, votes, K), G)
        if not a > 0:
            model.stop_reason = "no positive step"
            return
        model.add(h, a, w, error)
        if error < FLOOR:
            model.stop_reason = "perfect learner"
            return
        w = normalised(w * np.exp(a * G[y, votes]))
