"""Binary algorithms of other authors: AdaCC1, AdaCC2, AdaUBoost, average expected cost (AEC).

Labels y are -1 and +1, s_i are the sample weights (sum 1), c_i is the cost of a mistake in row i
(C+ = `fn_cost` for positives, C- = `fp_cost` for negatives), h_t votes -1 or +1, F = sum of
alpha_t h_t from F = 0. The learner of the first three minimises the w-weighted error. Rules of
the house hold: weights sum to 1; a step that is not a finite number above 0 ends the ensemble; a
learner without mistakes (error below 1e-10) is added with its floored step and ends it; sign(F)
decides, and F = 0 is negative.

AdaCC1 and AdaCC2 (Iosifidis, Papadopoulos, Rosenhahn and Ntoutsi 2022, AdaCC: cumulative
cost-sensitive boosting for imbalanced classification, Knowledge and Information Systems;
repository iosifidisvasileios/CumulativeCostBoosting; transcribed from the repository, the text of
the paper was not available). No costs are given. Start: w = s. Step: alpha = 1/2 log W=/W!=, that
of AdaBoost. With the learner added, the rates of the ensemble on the training rows, weighted by
the initial weights (s, unless `initial_weights` says otherwise), are FNR (share of the positives
with F <= 1e-12) and FPR (share of the negatives with F > 1e-12). The class of the greater rate
has the cost

    c+ = 1 + FNR, c- = 1   if FNR >= FPR (within 1e-12),      c+ = 1, c- = 1 + FPR   otherwise.

Right rows keep their weight. Wrong rows have their weight multiplied by e^(2 c alpha) (AdaCC1) or
by c e^(2 alpha) (AdaCC2). Then weights are normalised. Readings: the repository computes SAMME's
step, twice AdaBoost's, hence the 2; of equal rates it charges the positive class (its comparison
is strict); it counts rows for the rates, which are weighted here so that a weight of 2 is a row
written twice; it gives a perfect learner the step 0, which loses it, so the rule of the house is
taken. While both rates are 0, or with c = 1, a round is one of AdaBoost. The costs are at most
2. `fn_cost`, `fp_cost` are unused. The weights are no function of margin and round, so there is
no loss, and scores need not converge: on rows that no learner separates, two fifths of them
positive, AdaCC2 takes the steps of the two classes in turns for ever.

AdaUBoost (Karakoulas and Shawe-Taylor 1998, Optimizing classifiers for imbalanced training sets,
NIPS 11; the text of the paper was not available, and the formulas are those of a public summary
of it, which agree with each other: the polynomial below is the derivative of Z). With the factor
beta = C+/C- of the loss of a false negative: start w proportional to s beta for positives and s
for negatives; b_i = 1/beta for positives and 1 for negatives;

    alpha_t = the minimiser of Z(alpha) = sum_i w_i exp(-alpha b_i y_i h(x_i)),
    w_{t+1} proportional to w_t exp(-alpha b_i y_i h).

Z' = 0 is the paper's polynomial in Y = e^alpha: -(W++/beta) Y^(1-1/beta) + (W-+/beta)
Y^(1+1/beta) + W+- Y^2 - W-- = 0, where W-+ is the weight of the positives that the learner votes
negative, and so on. Written for any costs: c scaled so that the least is 1, start s c, b = 1/c.
That is the formula above for C+ >= C-, mirrored for C+ < C-, and defined for costs of each row.
Readings: the learner is trained on w, the distribution of the listing, although the slope of the
loss is w b. So the learner may choose again what the last step has just exhausted, and the
ensemble ends after a few rounds; `learner_weights="slope"` trains the learner on w b instead.
imbalanced-ensemble (imbens/ensemble/_reweighting/adauboost.py) has b = beta^(-1/M), AdaBoost's
step and no change of right rows, none of which is in the summary. A class without mistakes is
taken to have mistakes of 1e-10 of its weight. An edge sum w b y h of at most 1e-10 of sum w b is
no edge, and ends the ensemble. ThetaBoost's shifted threshold is left out. C+ = C- gives
AdaBoost. Loss after t rounds: sum s c e^(-yF/c), which is the weights before normalisation.

AEC (Hoeppner, Baesens, Verbeke and Verdonck 2022, Instance-dependent cost-sensitive learning for
detecting transfer fraud, EJOR 297, arXiv 2005.02488; repository SebastiaanHoppner/
CostSensitiveLearning). With p = 1/(1+e^(-F)), the loss of a row is p C_TP + (1-p) C_FN for a
positive and p C_FP + (1-p) C_TN for a negative. With d = C_FN - C_TP for positives and C_FP -
C_TN for negatives (what a mistake costs more than the right decision, > 0) and the margin m = y
F:

    loss = cost of the right decision + d sigmoid(-m),     v = p (1 - p)
    dL/dF = -y d v,     d2L/dF2 = -y d v (1 - 2 p), of the sign of m: concave where F is wrong.

So only d matters, and `fn_cost`, `fp_cost` are the two values of d. Treatment of the concave
part: the curvature h = d v takes the place of the second derivative. It is positive, at least the
absolute second derivative at every score (|1 - 2p| <= 1), and equal to it in the limit of large
margins. The working response is then z = y with weights s d v: a leaf has the mean label under
these weights, within [-1, 1], and no value needs clipping. F += step g with the first step 1
(times the learning rate), halved until the loss does not rise (at most 30 times, then the
ensemble ends): the loop of LogitBoost. The repository takes |d2L/dF2|, which is 0 at F = 0, where
the ensemble begins, and makes leaf values unbounded there; it relies on the ridge and the
non-zero base score of xgboost. Decision: F > 0. The minimum over p of P d+ (1-p) + (1-P) d- p is
at p = 0 or 1, so p is a decision and no probability; comparing it with d-/(d- + d+) would count
the costs twice.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
from scipy.special import expit

from naive.constants import FLOOR, TIE, Array
from naive.discrete import discrete_learner, half_log_ratio, least_is_one, weighted_error
from naive.joint import step_csada, tally
from naive.learners import WeakLearner
from naive.model import NaiveModel, Problem, may_be_added, normalised, start
from naive.newton import NewtonRule

# AdaCC1 and AdaCC2


def cumulative_costs(s: Array, y: Array, F: Array) -> tuple[float, float]:
    """c+ and c- of an ensemble with the scores F."""
    positive, predicted = y > 0, F > TIE  # steps that cancel leave a score of rounding errors
    fnr = s[positive & ~predicted].sum() / s[positive].sum()
    fpr = s[~positive & predicted].sum() / s[~positive].sum()
    return (1 + fnr, 1.0) if fnr >= fpr - TIE else (1.0, 1 + fpr)


def update_adacc1(c: Array, alpha: float) -> Array:
    return np.exp(2 * c * alpha)


def update_adacc2(c: Array, alpha: float) -> Array:
    return c * np.exp(2 * alpha)


def fit_adacc(
    update: Callable[[Array, float], Array],
    model: NaiveModel,
    problem: Problem,
    wanted: WeakLearner,
) -> None:
    """`update` is the factor of the weight of a wrong row: (c, alpha)."""
    X, y = problem.X, problem.y
    w = first = start(problem, np.ones_like(problem.s))
    F = np.zeros(len(y))
    for _ in range(problem.rounds):
        learner = discrete_learner(problem, w, wanted)
        if learner is None:
            model.stop_reason = "no positive step"
            return
        votes = learner.predict(X)
        right = votes == y
        error = weighted_error(w, y, votes)
        alpha = problem.learning_rate * half_log_ratio(w[right].sum(), w[~right].sum())
        if not may_be_added(problem, alpha):
            model.stop_reason = "no positive step"
            return
        model.add(learner, alpha, w, error)
        if error < FLOOR:
            model.stop_reason = "perfect learner"
            return
        F = F + alpha * votes
        c = np.where(y > 0, *cumulative_costs(first, y, F))
        w = normalised(w * np.where(right, 1.0, update(c, alpha)))


# AdaUBoost


def step_adauboost(problem: Problem, w: Array, votes: Array) -> float:
    """The root of Z'; `problem` has the costs 1/c, so that Z is the loss of CSAda's step."""
    return step_csada(tally(problem, w, votes))


def adauboost_polynomial(beta: float, W: dict[str, float], Y: float) -> float:
    """The paper's polynomial; W["-+"] is the weight of positives that are voted negative."""
    return (
        -W["++"] / beta * Y ** (1 - 1 / beta)
        + W["-+"] / beta * Y ** (1 + 1 / beta)
        + W["+-"] * Y**2
        - W["--"]
    )


def fit_adauboost(
    model: NaiveModel, problem: Problem, wanted: WeakLearner, learner_weights: str = "loss"
) -> None:
    X, y = problem.X, problem.y
    c = least_is_one(problem.c)
    scale = problem.c.min()
    inverse = replace(problem, fn=scale / problem.fn, fp=scale / problem.fp)
    w = start(problem, c)
    for _ in range(problem.rounds):
        slope = normalised(w / c)
        D = {"loss": w, "slope": slope}[learner_weights]
        learner = discrete_learner(problem, D, wanted)
        if learner is None:
            model.stop_reason = "no positive step"
            return
        votes = learner.predict(X)
        error = weighted_error(D, y, votes)
        alpha = problem.learning_rate * step_adauboost(inverse, w, votes)
        if (slope * y * votes).sum() <= FLOOR or not (math.isfinite(alpha) and alpha > 0):
            model.stop_reason = "no positive step"
            return
        model.add(learner, alpha, w, error)
        if error < FLOOR:
            model.stop_reason = "perfect learner"
            return
        w = normalised(w * np.exp(-alpha * y * votes / c))


# Average expected cost


def aec_loss(y: Array, F: Array, tp: Array, fn: Array, fp: Array, tn: Array) -> Array:
    """The paper's loss of each row, with the four costs of each row."""
    p = expit(F)
    return np.where(y > 0, p * tp + (1 - p) * fn, p * fp + (1 - p) * tn)


def aec_gradient(y: Array, F: Array, d: Array) -> Array:
    return -y * d * expit(F) * expit(-F)


def aec_second_derivative(y: Array, F: Array, d: Array) -> Array:
    return -y * d * expit(F) * expit(-F) * (1 - 2 * expit(F))


def aec_curvature(F: Array, d: Array) -> Array:
    """What takes the place of the second derivative: never below its absolute value."""
    return d * expit(F) * expit(-F)


def aec_rule(problem: Problem) -> NewtonRule:
    y, d = problem.y, problem.c

    def working(s: Array, F: Array, m: int) -> tuple[Array, Array]:
        return -s * aec_gradient(y, F, d), s * aec_curvature(F, d)

    def loss(s: Array, F: Array, m: int) -> float:
        return float((s * d * expit(-y * F)).sum())

    return NewtonRule(working, 1.0, loss)


def fit_adacc1(model: NaiveModel, problem: Problem, wanted: WeakLearner) -> None:
    fit_adacc(update_adacc1, model, problem, wanted)


def fit_adacc2(model: NaiveModel, problem: Problem, wanted: WeakLearner) -> None:
    fit_adacc(update_adacc2, model, problem, wanted)


UNEVEN: dict[str, Callable[..., None]] = {
    "adacc1": fit_adacc1,
    "adacc2": fit_adacc2,
    "adauboost": fit_adauboost,
}
