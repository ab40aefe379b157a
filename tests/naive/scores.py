"""Newton boosting of K scores: multinomial loss, K-class LogitBoost, guess-averse GLL and GEL.

Notation: scores F(x) of K entries, F = 0 at the start; s_i the sample weights (sum 1); C[j, k] >=
0 the cost of predicting k where the truth is j, zero diagonal. [k = y] is 1 for the class of the
row.

| loss | of a row | dL/dF_k, k != y | dL/dF_y | d2L/dF_k^2 |
|---|---|---|---|---|
| multinomial | -log p_y, p = softmax(F) | p_k | p_y - 1 | p_k (1 - p_k) |
| GLL | log(1 + sum_{k != y} C[y,k] e^(F_k - F_y)) | q_k | q_y - 1 | q_k (1 - q_k) |
| GEL | E = sum_{k != y} C[y,k] e^(F_k - F_y) | e_k | -E | e_k for k != y, E for k = y |

q = softmax of F_k + log C[y,k] with C[y,y] taken as 1; e_k = C[y,k] e^(F_k - F_y). All three
depend on differences of scores only and are convex.

Each round: for every class k a regression stump or tree g_k is fitted with w z = -s dL/dF_k and w
= s d2L/dF_k^2; leaf value sum(w z) / sum(w), clipped to [-4, 4] (z is never clipped; a leaf
without weight has 0). Splits are chosen on unclipped values. The K learners of a round are fitted
to the same F. Then

    F_k += step (g_k - mean_j g_j),   first step (K-1)/K times the learning rate,

halved until sum s L does not rise (beyond a factor 1 + 1e-13; at most 30 times, then the ensemble
ends: "loss would rise"). p, q and their complements are clipped to [1e-10, 1 - 1e-10],
complements computed as sums of the other entries. Decision: the class of greatest score, the
first of equals. softmax(F) is a probability for the multinomial loss only.

`split="newton"` is K-class LogitBoost (Friedman, Hastie and Tibshirani 2000, Additive logistic
regression, Annals of Statistics 28, Algorithm 6): the split minimises sum w (z - g)^2.
`split="residual"` is Friedman 2001 (Greedy function approximation, Annals of Statistics 29,
Algorithm 6): the split minimises sum s (r - mean)^2 with r = -dL/dF_k unweighted by w, the leaf
value is the same Newton step sum(s r) / sum(w) ((K-1)/K is in `step`; Friedman's sum |r| (1 -
|r|) is sum p (1 - p)), and scores are not centred. Centring takes a common constant from the
scores of a row, on which no loss, gradient or decision depends.

Factor between the two forms at K = 2. With F = (F_0, F_1), both learners mirror each other, g_0 =
-g_1, the centring leaves them as they are, and the first step is 1/2. Then F_1 = -F_0 is the
score F of the binary LogitBoost exactly (p = 1/(1+e^(-2F)), F += g/2, same clips, same halving):
F = F_1 = (F_1 - F_0)/2, and the logit of the probability is F_1 - F_0 = 2F.

Guess-averse losses: Beijbom, Saberian, Kriegman and Vasconcelos 2014, Guess-averse loss functions
for cost-sensitive multiclass boosting, ICML. Its algorithms GLL-MCBoost and GEL-MCBoost are not
transcribed; its losses are boosted as above. Readings: costs are used as given; a common factor
of C scales GEL (F does not depend on it) but changes GLL, whose unit is the cost 1. Costs equal
to 1: GLL is the multinomial loss, GEL the multi-class exponential loss sum_{k != y} e^(F_k -
F_y). GEL at K = 2 with costs of 1: the loss is e^(-y (F_1 - F_0)), the Newton step is that of
GentleBoost, and F_1 - F_0 is the score of GentleBoost (while no step is halved). Guess-averse:
where F_y exceeds every other score the loss is below that of F = 0. The class of greatest score
at the minimum of the expected loss is that of least expected cost for GEL at K = 2 (and not
always above), for GLL with equal costs only: at K = 2 it predicts class 1 from C[0,1] / (1 +
C[0,1]) against C[1,0] / (1 + C[1,0]) on, instead of C[0,1] against C[1,0].
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from naive.constants import CLIP, HALVINGS, LEAF_LIMIT, Array
from naive.learners import Leaves, WeakLearner, grow_tree
from naive.model import Learner, Problem
from naive.newton import squares_learner
from naive.real import leaf_stump
from naive.votes import rows_problem, wanted_learner


@dataclass(frozen=True)
class ScoreLoss:
    """A loss of K scores; arguments are (F, y, C), F and derivatives are rows x classes."""

    value: Callable[[Array, Array, Array], Array]  # of each row
    gradient: Callable[[Array, Array, Array], Array]
    diagonal: Callable[[Array, Array, Array], Array]  # second derivatives


def of_the_class(y: Array, n_classes: int) -> Array:
    """Mask [k = y]."""
    return np.arange(n_classes)[None, :] == y[:, None]


def shifted(F: Array, y: Array, C: Array) -> Array:
    """F_k + log C[y, k], and F_y itself; a cost of 0 removes its class."""
    own = of_the_class(y, F.shape[1])
    with np.errstate(divide="ignore"):
        return F + np.where(own, 0.0, np.log(C[y]))


def softmax_and_rest(F: Array) -> tuple[Array, Array]:
    """p_k and 1 - p_k, both clipped; 1 - p_k as the sum of the others, without cancellation."""
    e = np.exp(F - F.max(axis=1, keepdims=True))
    p = e / e.sum(axis=1, keepdims=True)
    rest = np.stack([np.delete(p, k, axis=1).sum(axis=1) for k in range(p.shape[1])], axis=1)
    return np.clip(p, CLIP, 1 - CLIP), np.clip(rest, CLIP, 1 - CLIP)


def log_value(F: Array, y: Array, C: Array) -> Array:
    """log sum_k e^(F_k + log C[y, k]) - F_y."""
    moved = shifted(F, y, C)
    return np.logaddexp.reduce(moved, axis=1) - moved[np.arange(len(y)), y]


def log_gradient(F: Array, y: Array, C: Array) -> Array:
    q, rest = softmax_and_rest(shifted(F, y, C))
    return np.where(of_the_class(y, F.shape[1]), -rest, q)


def log_diagonal(F: Array, y: Array, C: Array) -> Array:
    q, rest = softmax_and_rest(shifted(F, y, C))
    return q * rest


def pair_exponentials(F: Array, y: Array, C: Array) -> Array:
    """e_k = C[y, k] e^(F_k - F_y), 0 for k = y."""
    e = C[y] * np.exp(F - F[np.arange(len(y)), y][:, None])
    return np.where(of_the_class(y, F.shape[1]), 0.0, e)


def gel_value(F: Array, y: Array, C: Array) -> Array:
    return pair_exponentials(F, y, C).sum(axis=1)


def gel_gradient(F: Array, y: Array, C: Array) -> Array:
    e = pair_exponentials(F, y, C)
    return np.where(of_the_class(y, F.shape[1]), -e.sum(axis=1, keepdims=True), e)


def gel_diagonal(F: Array, y: Array, C: Array) -> Array:
    e = pair_exponentials(F, y, C)
    return np.where(of_the_class(y, F.shape[1]), e.sum(axis=1, keepdims=True), e)


def unit_costs(n_classes: int) -> Array:
    return 1.0 - np.eye(n_classes)


GLL = ScoreLoss(log_value, log_gradient, log_diagonal)
GEL = ScoreLoss(gel_value, gel_gradient, gel_diagonal)
LOSSES = {"multinomial": GLL, "gll": GLL, "gel": GEL}  # multinomial is GLL with costs of 1


@dataclass
class ScoreModel:
    """A fitted ensemble: K learners and one step in each round."""

    n_classes: int
    centred: bool
    learners: list[list[Learner]] = field(default_factory=list)
    steps: list[float] = field(default_factory=list)
    losses: list[float] = field(default_factory=list)  # after each round
    halvings: list[int] = field(default_factory=list)
    stop_reason: str = "n_estimators"

    def direction(self, learners: list[Learner], X: Array) -> Array:
        g = np.stack([learner.predict(X) for learner in learners], axis=1)
        return g - g.mean(axis=1, keepdims=True) if self.centred else g

    def scores(self, X: Array) -> Array:
        X = np.asarray(X, dtype=float)
        F = np.zeros((len(X), self.n_classes))
        for step, learners in zip(self.steps, self.learners, strict=True):
            F = F + step * self.direction(learners, X)
        return F

    def predict(self, X: Array) -> Array:
        return self.scores(X).argmax(axis=1)


def residual_leaves(r: Array, s: Array, w: Array) -> Leaves:
    """Leaves judged by the squared error of r under s, with the value sum(s r) / sum(w)."""

    def value(rows: Array) -> float:
        total = w[rows].sum()
        newton = (s[rows] * r[rows]).sum() / total if total > 0 else 0.0
        return float(np.clip(newton, -LEAF_LIMIT, LEAF_LIMIT))

    def loss(rows: Array) -> float:
        total = s[rows].sum()
        return -float((s[rows] * r[rows]).sum() ** 2 / total) if total > 0 else 0.0

    return Leaves(value, loss)


def class_learner(
    problem: Problem, r: Array, w: Array, split: str, wanted: WeakLearner
) -> Learner | None:
    """The learner of one class; r = -dL/dF_k, w = s d2L/dF_k^2."""
    s = problem.s
    if split == "newton":
        return squares_learner(problem, s * r / w.sum(), w / w.sum(), wanted, 0.0)
    leaves = residual_leaves(r, s, w)
    if wanted.kind == "tree":
        return grow_tree(problem, s, leaves, wanted.shape)
    return leaf_stump(problem, s, leaves, wanted.shape.min_samples_leaf)


def fit_scores(
    loss: str,
    X: Array,
    y: Array,
    cost_matrix: Array | None = None,
    sample_weight: Array | None = None,
    n_estimators: int = 10,
    learning_rate: float = 1.0,
    split: str = "newton",
    learner: str = "stump",
    max_depth: int | None = None,
    min_samples_leaf: int = 1,
) -> ScoreModel:
    """Fit "multinomial", "gll" or "gel" to the classes 0 to K - 1 (all must occur in y)."""
    problem = rows_problem(X, y, sample_weight)
    s, y = problem.s, problem.y
    K = int(y.max()) + 1
    given = cost_matrix is not None and loss != "multinomial"
    C = np.asarray(cost_matrix, dtype=float) if given else unit_costs(K)
    wanted = wanted_learner(learner, max_depth, min_samples_leaf)
    chosen = LOSSES[loss]
    model = ScoreModel(K, centred=split == "newton")
    F = np.zeros((len(y), K))
    for _ in range(n_estimators):
        r = -chosen.gradient(F, y, C)
        w = s[:, None] * chosen.diagonal(F, y, C)
        found = [class_learner(problem, r[:, k], w[:, k], split, wanted) for k in range(K)]
        learners = [learner for learner in found if learner is not None]
        if len(learners) < K:
            model.stop_reason = "no split"
            return model
        direction = model.direction(learners, problem.X)
        step = learning_rate * (K - 1) / K
        here = (s * chosen.value(F, y, C)).sum()
        halvings, limit = 0, here * (1 + 1e-13)
        while (s * chosen.value(F + step * direction, y, C)).sum() > limit:
            if halvings == HALVINGS:
                model.stop_reason = "loss would rise"
                return model
            limit = here * (1 - 1e-13)
            step /= 2
            halvings += 1
        F = F + step * direction
        model.learners.append(learners)
        model.steps.append(step)
        model.halvings.append(halvings)
        model.losses.append(float((s * chosen.value(F, y, C)).sum()))
    return model
