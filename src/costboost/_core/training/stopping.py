"""When an ensemble ends: early stopping, or evidence, by the scores of held-out rows.

Likelihoods of held-out rows, of the sigmoids of scores or with several classes of the softmax,
decide how long ensembles are trained, how several are weighted, and how the scores of stages are
brought to one scale.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from math import ceil, frexp, ldexp
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from costboost._core.arithmetic import (
    Floats,
    Vector,
    each,
    exact_sum,
    exp,
    expit,
    interpolate,
    log,
    matrix_product,
    results,
)
from costboost._core.calibration.calibrators import (
    LOG_ODDS_SMOOTHING,
    NO_SLACK,
    LogOddsCalibrator,
    Sigmoid,
    fit_sigmoid,
    log_odds,
    smoothed_beta,
    smoothing_slack,
)
from costboost._core.calibration.several import SoftmaxFit, log_softmax, softmax_fit
from costboost._core.engine import _kernels
from costboost._core.engine._kernels import sigmoid_losses
from costboost._core.loop import Round
from costboost._core.model import DecisionRule, ScoresModel
from costboost._core.model.fitted import model_in_training
from costboost._core.rules import Costs
from costboost._core.training.problem import Problem, Settings, hold_out

# ---- likelihoods of held-out rows ----------------------------------------------------------------

LINES = 16
"""Number of stages for which a line is fitted."""
ENOUGH_OF_A_CLASS, ENOUGH_OF_ALL = 200, 400
"""Held-out rows of each of two classes, or of all of several, that suffice to drop settings."""
LEVELS = 1024
"""Scores of more rows than twice this number are averaged within levels before a fit."""
MOST_STEPS, MOST_HALVINGS, SETTLED, LEAST_DETERMINANT = 30, 10, 1e-6, 1e-12
"""When Newton steps of a sigmoid end: SETTLED is a share of the loss."""
ROUNDING = 1e-14
"""A step that raises the loss by no more than this share only shows its rounding."""


class Lines(NamedTuple):
    """Slope and shift of each stage: slope F + shift has the scale of the last stage."""

    slope: Floats
    shift: Floats | None

    @property
    def fields(self) -> dict[str, Floats]:
        """The fields of a model that hold them."""
        found = {"stage_slopes": self.slope}
        return found if self.shift is None else found | {"stage_shifts": self.shift}


class FittedLine(Protocol):
    """A probability as a function of the score."""

    def losses(self, score: Floats, truth: Any) -> Floats:
        """Log loss of each row."""


class Likelihood(Protocol):
    """The likelihood of rows, given scores: one for each row, or one for each class."""

    def enough(self, truth: Any, seen: Floats) -> bool:
        """Whether there are rows enough to drop settings that do not contribute."""

    def line(self, score: Floats, truth: Any, counts: Floats, start: Any = None) -> FittedLine:
        """The line of the scores of greatest likelihood, nearly; ``start`` is that of before."""

    def mix(self, scores: Sequence[Floats], truth: Any, counts: Floats) -> Floats:
        """Non-negative weights of several scores, with sum 1, of the best regression."""

    def mixture_losses(self, scores: Sequence[Floats], truth: Any, counts: Floats) -> Floats:
        """Log loss of each row under the best weighted average of some scores."""

    def stage_lines(
        self, scores: Iterable[Floats], known: NDArray[np.intp], truth: Any, counts: Floats
    ) -> Lines:
        """Lines that bring the scores of each stage to the scale of the last one."""


def likelihood_of(problem: Problem) -> Likelihood:
    """The likelihood of the rows of a problem."""
    return SigmoidLikelihood() if problem.code is None else SoftmaxLikelihood()


def mixed(scores: Sequence[Floats], weights: Floats) -> Floats:
    """The weighted sum of several scores."""
    if scores[0].ndim == 1:
        return matrix_product(np.column_stack(scores), weights)
    total = weights[0] * scores[0]
    for weight, one in zip(weights[1:].tolist(), scores[1:], strict=True):
        total = total + weight * one
    return np.asarray(total)


def known_stages(n_stages: int) -> NDArray[np.intp]:
    """The stages for which lines are fitted, dense at the beginning."""
    every: Floats = exp(np.linspace(0.0, log(n_stages), LINES))
    return np.unique(every.round().astype(np.intp))


# ---- two classes ---------------------------------------------------------------------------------


ROWS_OF_WEIGHTS = 2**13
"""Rows that weights are fitted to where they only decide whether a setting contributes."""


class SigmoidLikelihood:
    """The likelihood of the sigmoid of a score, for two classes."""

    def enough(self, truth: Any, seen: Floats) -> bool:
        return bool(np.bincount(truth, seen, 2).min() >= ENOUGH_OF_A_CLASS)

    def line(self, score: Floats, truth: Any, counts: Floats, start: Any = None) -> Line:
        return best_line(*binned(score, truth.astype(bool), counts), start)

    def mix(self, scores: Sequence[Floats], truth: Any, counts: Floats) -> Floats:
        return mix(np.column_stack(scores), truth, counts)

    def mixture_losses(self, scores: Sequence[Floats], truth: Any, counts: Floats) -> Floats:
        columns = np.column_stack(scores)
        some = slice(None, None, -(-len(columns) // ROWS_OF_WEIGHTS))
        together = matrix_product(columns, mix(columns[some], truth[some], counts[some]))
        return self.line(together, truth, counts).losses(together, truth)

    def stage_lines(
        self, scores: Iterable[Floats], known: NDArray[np.intp], truth: Any, counts: Floats
    ) -> Lines:
        return stage_lines(scores, known, truth, counts)


def mix(scores: Floats, positive: Any, counts: Floats) -> Floats:
    """Non-negative weights of the columns, with sum 1, of the best logistic regression."""
    columns, positive = list(range(scores.shape[1])), np.asarray(positive, dtype=bool)
    while len(columns) > 1:
        fitted = smoothed_sigmoid(scores[:, columns], positive, counts)
        if np.all(fitted.weights >= 0) and fitted.weights.sum() > 0:
            shares = np.zeros(scores.shape[1])
            shares[columns] = fitted.weights / fitted.weights.sum()
            return shares
        columns.pop(int(np.argmin(fitted.weights * _spread(scores[:, columns], counts))))
    alone = np.zeros(scores.shape[1])
    alone[columns[0]] = 1.0
    return alone


def _spread(scores: Floats, counts: Floats) -> Floats:
    """Weighted standard deviation of each column."""
    centred = scores - np.average(scores, axis=0, weights=counts)
    return np.asarray(np.sqrt(np.average(centred**2, axis=0, weights=counts)))


def stage_lines(
    scores: Iterable[Floats], known: NDArray[np.intp], positive: Any, counts: Floats
) -> Lines:
    """Lines that bring the score of each stage to the scale of the last stage.

    The best sigmoids of the held-out rows after stage t and after the last stage T,

        P = 1 / (1 + exp(-(a_t F_t + b_t))),

    agree if F_t is replaced by (a_t F_t + b_t - b_T) / a_T. They are fitted to the scores of the
    known stages, of which the last one is T, and interpolated between them.
    """
    positive = np.asarray(positive, dtype=bool)
    fits = np.array([_rising_line(*binned(score, positive, counts)) for score in scores])
    n_stages = int(known[-1])
    last, offset = fits[-1]
    if last == 0:
        return Lines(np.ones(n_stages), np.zeros(n_stages))
    at, every = log(known), log(np.arange(1, n_stages + 1))
    return Lines(
        interpolate(every, at, fits[:, 0] / last),
        interpolate(every, at, (fits[:, 1] - offset) / last),
    )


def _rising_line(score: Floats, positive: NDArray[np.bool_], counts: Floats) -> tuple[float, float]:
    """Slope, not below 0, and intercept of the sigmoid of greatest likelihood."""
    found = best_line(score, positive, counts, settled=0.0)
    if found.slope <= 0:
        found = best_line(np.zeros_like(score), positive, counts)
    return max(found.slope, 0.0), found.offset


def smoothed_sigmoid(scores: Floats, positive: NDArray[np.bool_], counts: Floats) -> Sigmoid:
    """Logistic regression with smoothed targets, so that it is finite if the classes separate."""
    return fit_sigmoid(scores, positive, counts, _slack(positive, counts))


def _slack(positive: NDArray[np.bool_], counts: Floats) -> Floats:
    return smoothing_slack(positive, counts, LOG_ODDS_SMOOTHING)


class Line(NamedTuple):
    """A sigmoid of slope * score + offset, and its mean log loss."""

    slope: float
    offset: float
    loss: float

    def losses(self, score: Floats, positive: NDArray[np.bool_]) -> Floats:
        """Log loss of each row."""
        return sigmoid_losses(self.slope, self.offset, score, _flags(positive))


def best_line(
    score: Floats,
    positive: NDArray[np.bool_],
    counts: Floats,
    start: Line | None = None,
    settled: float = SETTLED,
) -> Line:
    """The sigmoid of the scores of least log loss with smoothed targets, nearly.

    Newton steps from the constant sigmoid, or from a known one if that is better, halved where they
    do not lower the loss; two or three are enough if it is that of a few rounds before. They end
    when one lowers the loss by no more than a share ``settled``.
    """
    limits = MOST_STEPS, MOST_HALVINGS, settled, LEAST_DETERMINANT, ROUNDING
    slacks = LOG_ODDS_SMOOTHING, NO_SLACK
    return Line(*_kernels.best_line(score, _flags(positive), counts, slacks, start, limits))


def _flags(positive: NDArray[Any]) -> NDArray[np.uint8]:
    return np.asarray(positive, dtype=np.bool_).view(np.uint8)


def binned(
    score: Floats, positive: NDArray[np.bool_], counts: Floats
) -> tuple[Floats, NDArray[np.bool_], Floats]:
    """The scores, or for many rows their means within levels of neighbouring scores and a class."""
    if score.size <= 2 * LEVELS:
        return score, positive, counts
    low, high = score.min(), score.max()
    level = ((score - low) * ((LEVELS - 1) / ((high - low) or 1.0))).astype(np.intp)
    cell = 2 * level + positive
    total: Floats = np.bincount(cell, counts, 2 * LEVELS).astype(np.float64)
    there = np.flatnonzero(total)
    mean = np.bincount(cell, counts * score, 2 * LEVELS)[there] / total[there]
    return mean, there % 2 == 1, total[there]


MOST_ROWS_OF_CHOICE, PARTS_OF_CHOICE = 2**15, 2
"""Rows, about, on which calibrators are compared, and the parts that are held out in turn."""


def prefers_beta(share: Floats, truth: Any, counts: Floats, seen: Floats) -> bool:
    """Whether beta calibration fits scores in [0, 1] better than a sigmoid of their log-odds.

    Both are fitted without a part of the rows, in turn. The log loss on these parts must be less by
    `STANDARD_ERRORS`.
    """
    some = slice(None, None, -(-share.size // MOST_ROWS_OF_CHOICE))
    share, flags, counts, seen = share[some], truth[some].astype(bool), counts[some], seen[some]
    gain = np.zeros(share.size)
    for k in range(PARTS_OF_CHOICE):
        held = np.arange(share.size) % PARTS_OF_CHOICE == k
        level, positive, total = binned(log_odds(share[~held]), flags[~held], counts[~held])
        of_levels = expit(level), positive, total
        fitted = LogOddsCalibrator().fit(*of_levels), smoothed_beta(*of_levels)
        losses = [log_losses(one.probability(share[held]), flags[held]) for one in fitted]
        gain[held] = losses[0] - losses[1]
    mean, error = mean_and_error(gain, counts, seen)
    return mean > STANDARD_ERRORS * error


# ---- several classes -----------------------------------------------------------------------------


MOST_CELLS = 2**19
"""Most rows times classes for a softmax regression; of more rows some are left out."""
ROUGHLY = 1e-6
"""When Newton's method ends where a regression only decides; see `softmax_fit`."""


class SoftmaxLine(NamedTuple):
    """A softmax regression on one set of scores."""

    fitted: SoftmaxFit

    def losses(self, score: Floats, truth: Any) -> Floats:
        """Log loss of each row."""
        logs = log_softmax(self.fitted.logits([score]))
        return np.asarray(-np.take_along_axis(logs, truth[:, None], axis=1)[:, 0])


class SoftmaxLikelihood:
    """The likelihood of the softmax of scores, for several classes."""

    def enough(self, truth: Any, seen: Floats) -> bool:
        return bool(seen.sum() >= ENOUGH_OF_ALL)

    def line(self, score: Floats, truth: Any, counts: Floats, start: Any = None) -> SoftmaxLine:
        known = None if start is None else start.fitted
        return SoftmaxLine(_fit([score], truth, counts, known, ROUGHLY))

    def mix(self, scores: Sequence[Floats], truth: Any, counts: Floats) -> Floats:
        kept = list(range(len(scores)))
        while True:
            fitted = _fit([scores[k] for k in kept], truth, counts)
            if len(kept) == 1 or (np.all(fitted.weights >= 0) and fitted.weights.sum() > 0):
                break
            sizes = [float(np.sqrt((scores[k] ** 2).mean())) for k in kept]
            kept.pop(int(np.argmin(fitted.weights * sizes)))
        weights = np.zeros(len(scores))
        weights[kept] = 1.0 if len(kept) == 1 else fitted.weights / fitted.weights.sum()
        return weights

    def mixture_losses(self, scores: Sequence[Floats], truth: Any, counts: Floats) -> Floats:
        together = mixed(scores, self.mix(scores, truth, counts))
        return self.line(together, truth, counts).losses(together, truth)

    def stage_lines(
        self, scores: Iterable[Floats], known: NDArray[np.intp], truth: Any, counts: Floats
    ) -> Lines:
        slopes = [max(float(_fit([one], truth, counts).weights[0]), 0.0) for one in scores]
        n_stages = int(known[-1])
        if slopes[-1] == 0:
            return Lines(np.ones(n_stages), None)
        every = log(np.arange(1, n_stages + 1))
        return Lines(interpolate(every, log(known), np.array(slopes) / slopes[-1]), None)


def _fit(
    scores: Sequence[Floats],
    truth: Any,
    counts: Floats,
    start: SoftmaxFit | None = None,
    settled: float = 1e-9,
) -> SoftmaxFit:
    """A softmax regression on some of the rows, without offsets."""
    some = slice(None, None, -(-scores[0].size // MOST_CELLS))
    own = [one[some] for one in scores]
    return softmax_fit(own, truth[some], counts[some], start=start, settled=settled)


# ---- losses and costs of rows --------------------------------------------------------------------

EDGE = 1e-10


def log_losses(probability: Floats, truth: NDArray[Any]) -> Floats:
    """Log loss of each row, probabilities being clipped to [1e-10, 1 - 1e-10].

    ``truth`` is whether a row is positive, or with a column for each class the number of its class.
    """
    if probability.ndim == 2:
        return class_losses(probability, truth)
    inner = np.clip(probability, EDGE, 1 - EDGE)
    losses: Floats = -log(np.where(truth, inner, 1 - inner))
    return losses


def class_losses(probability: Floats, code: NDArray[np.intp]) -> Floats:
    """Log loss of each row of several classes, clipped as in `log_losses`."""
    own = np.take_along_axis(probability, code[:, None], axis=1)[:, 0]
    losses: Floats = -log(np.clip(own, EDGE, 1 - EDGE))
    return losses


def class_costs(model: ScoresModel, score: Floats, code: Any) -> Floats:
    """Cost of the decision for each row of several classes."""
    shares = model.shares_of(score) if model.by_cost else score
    predicted = model.codes(score, shares, model.matrix)
    costs: Floats = model.matrix[code, predicted]
    return costs


# ---- the mean cost of the training rows after each round -----------------------------------------


def staged_cost(model: ScoresModel, problem: Problem, rounds: Sequence[Round]) -> Floats:
    """Mean cost of the training rows after each round, with several classes."""
    if not model.n_iter:
        return np.empty(0)
    counted: list[Any] = [getattr(one.hypothesis, "confusion", None) for one in rounds]
    if not model.by_cost and all(one is not None for one in counted):
        return np.array([float((model.matrix * one).sum()) for one in counted])
    scores = model.scores_after(problem.own_table, model.ends.tolist(), None)
    costs = (class_costs(model, score, problem.code) for score in scores)
    return np.array([float(np.average(one, weights=problem.weight)) for one in costs])


def training_cost(decision: DecisionRule, training: Any, rounds: Sequence[Round]) -> Floats:
    """Mean cost of the training rows after each round."""
    if not rounds:
        return np.empty(0)
    problem = training.problem
    steps = np.array([one.step for one in rounds])
    if not decision.has_limits(problem.costs):
        return _cost_by_rows(decision, training, rounds)
    limit, row_limit = decision.limits(problem.costs, steps)
    if problem.weight is None and not problem.per_row_costs:
        above = training.amounts_above(decision.rule, rounds, limit, row_limit, None)
        fn, fp = int(problem.positive.sum()) - above[:, 0], above[:, 1]
        costs: Floats = (problem.costs.fn * fn + problem.costs.fp * fp) / problem.n_rows
        return costs
    weight = np.ones(problem.n_rows) if problem.weight is None else problem.weight
    weight = weight / weight.max()
    largest = problem.largest_cost
    amounts = weight * (problem.cost / largest)
    mantissa, exponent = frexp(np.abs(amounts).sum())
    quantum = ldexp(1.0, exponent - (mantissa == 0.5) - 52)  # whole quanta add up exactly
    amount = np.rint(amounts / quantum).astype(np.int64)
    above = training.amounts_above(decision.rule, rounds, limit, row_limit, amount)
    fn = int(amount[problem.positive.astype(bool)].sum()) - above[:, 0]
    return np.asarray((fn + above[:, 1]) * (quantum * largest / weight.sum()))


def _cost_by_rows(decision: DecisionRule, training: Any, rounds: Sequence[Round]) -> Floats:
    """Mean cost after each round without a common score threshold: every row is decided."""
    problem = training.problem
    votes = np.cumsum([abs(one.step) for one in rounds])
    truth = training.rows.label > 0
    total = exact_sum(problem.counts)
    amounts = training.vector(problem.cost * problem.counts)
    costs = [training.vector(c) if np.ndim(c) else c for c in problem.costs]
    result = []
    for k, score in enumerate(training.stages(rounds, getattr(decision.rule, "combine", None))):
        positive = each(_decided, score, *costs, decision, float(votes[k]), k + 1)
        result.append(exact_sum((positive != truth) * amounts) / total)
    return np.array(result)


def _decided(
    score: Floats, fn: Any, fp: Any, decision: DecisionRule, votes: float, n_added: int
) -> NDArray[np.bool_]:
    """Which rows are decided to be positive after so many rounds."""
    return decision.positive(score, Costs(fn, fp), votes, n_added)


def stages(votes: Iterator[tuple[float, Vector]], combine: Any) -> Iterator[Vector]:
    """The score after each round; an array is updated in place."""
    score: Any = 0.0
    for t, (step, vote) in enumerate(votes):
        if combine is not None:
            score = combine(score, step, vote)
        elif isinstance(score, np.ndarray):
            score += step * vote
        else:
            score = score + step * vote if t else step * vote
        yield score


def staged_above(
    scores: Iterator[Vector],
    positive: Vector,
    limit: Floats,
    row_limit: Any,
    amount: Any,
) -> NDArray[Any]:
    """Amount of the positives and of the negatives above the threshold after each round."""
    totals = [
        np.add.reduce(results(_amounts_above, score, float(bound), row_limit, positive, amount))
        for score, bound in zip(scores, limit, strict=True)
    ]
    return np.array(totals).reshape(-1, 2)


def _amounts_above(
    score: Floats, bound: float, row_limit: Any, positive: NDArray[np.bool_], amount: Any
) -> NDArray[np.int64]:
    above = score > (bound if row_limit is None else bound * row_limit)
    both = above & positive, above & ~positive
    sums = [np.count_nonzero(of) if amount is None else amount[of].sum() for of in both]
    return np.array(sums, dtype=np.int64)


# ---- early stopping on the score of held-out rows ------------------------------------------------


STOPPED = "the validation score no longer improved"


def split_off(problem: Problem, fraction: float | None, seed: int) -> tuple[Problem, Problem]:
    """Training rows and validation rows, stratified; all rows for both if fraction is None."""
    if fraction is None:
        return problem, problem
    try:
        kept, watched = hold_out(problem.strata, fraction, seed, problem.groups)
    except ValueError as error:
        raise ValueError(
            f"early_stopping cannot hold out validation_fraction={fraction} of {problem.n_rows} "
            f"rows with every class on either side ({error}); use fewer or more rows to watch, or "
            "validation_fraction=None"
        ) from error
    return problem.take(kept), problem.take(watched)


class EarlyStopping:
    """Ends the fit after ``n_iter_no_change`` rounds without a better validation score.

    The score is that of the user's scorer, or else minus the mean cost or minus the log loss. The
    scores F of the validation rows are updated from round to round, so that the time of a round
    does not depend on the number of rounds before it.
    """

    def __init__(self, empty: Any, settings: Settings, training: Any, watched: Problem) -> None:
        self.empty = empty
        self.settings = settings
        self.training = training
        self.watched = watched
        self.table = watched.own_table
        self.rows = training.other_rows(watched)
        self.score_of_rows: Any = np.zeros(watched.n_rows if watched.code is None else 1)
        self.votes = 0.0
        self.scores: list[float] = []
        self.rounds: list[Round] = []
        n = settings.n_estimators
        self.steps, self.errors = np.empty(n), np.empty(n)

    def __call__(self, one: Round) -> str | None:
        n = len(self.rounds)
        self.steps[n], self.errors[n] = one.step, one.error
        self.rounds.append(one)
        vote = self.rows.scores(one.hypothesis)
        combine = getattr(self.empty, "combine", None)
        if combine is None:
            self.score_of_rows = self.score_of_rows + one.step * vote
        else:
            self.score_of_rows = combine(self.score_of_rows, one.step, vote)
        self.votes += abs(one.step)
        self.scores.append(self._score())
        patience = self.settings.n_iter_no_change
        if len(self.scores) <= patience:
            return None
        reference = self.scores[-patience - 1] + self.settings.tol
        return None if any(s > reference for s in self.scores[-patience:]) else STOPPED

    def _score(self) -> float:
        if self.settings.scorer is not None:
            n = len(self.rounds)
            model = model_in_training(
                self.empty,
                (self.steps[:n], self.errors[:n], self.votes),
                lambda: self.training.learner.model(
                    (one.hypothesis, one.step) for one in self.rounds[:n]
                ),
                (self.table, self.score_of_rows),
            )
            return self.settings.scorer(model, self.watched)
        return -self._log_loss() if self.settings.stops_on_log_loss else -self._mean_cost()

    def _so_far(self) -> Any:
        """The model after the rounds so far, without its ensemble."""
        n = len(self.rounds)
        return replace(self.empty, estimator_weights=self.steps[:n])

    def _log_loss(self) -> float:
        watched = self.watched
        if watched.code is not None:
            shares = self._so_far().shares_of(self.score_of_rows)
            losses = log_losses(shares, watched.code)
            return float(np.average(losses, weights=watched.weight))
        probability = self.empty.decision.probability(
            self.score_of_rows, watched.costs, self.votes, len(self.rounds)
        )
        losses = log_losses(probability, watched.positive)
        return float(np.average(losses, weights=watched.weight))

    def _mean_cost(self) -> float:
        watched = self.watched
        if watched.code is not None:
            costs = class_costs(self._so_far(), self.score_of_rows, watched.code)
            return float(np.average(costs, weights=watched.weight))
        positive = self.empty.decision.positive(
            self.score_of_rows, watched.costs, self.votes, len(self.rounds)
        )
        wrong = positive != watched.positive.astype(bool)
        return float(np.average(wrong * watched.cost, weights=watched.weight))


# ---- rounds by evidence: the log loss of held-out rows decides when an ensemble ends -------------

# The log loss is that of the best sigmoid (or softmax) of the scores, which are calibrated later:
# an ensemble whose scores are only too large is not stopped for that.

USUAL_ROUNDS = 30
"""Rounds of trees by which an ensemble ends unless the log loss still falls a lot."""
FEW_ROWS, MOST_TIMES = 1_000, 4.0
"""Above this number of rows, more rounds are allowed in proportion to them, up to so many times the
usual number."""
CHECKS = 0.25
"""When the log loss is computed: at intervals that are this share of the usual number of rounds."""
WORTH_MORE = 0.01
"""The log loss must fall by this share from check to check for more than the usual rounds."""
STANDARD_ERRORS = 2.0
"""The ensemble ends earlier if the log loss is above the least one by this many of them."""
ROSE = "the log loss of held-out rows rose"
HARDLY_FELL = "more rounds hardly lower the log loss of held-out rows"


def most_rounds(usual: int, n_rows: int) -> int:
    """Greatest number of rounds that evidence may lead to."""
    return ceil(usual * min(MOST_TIMES, max(1.0, n_rows / FEW_ROWS)))


class Evidence:
    """Ends the fit of an ensemble by the log loss of held-out rows."""

    def __init__(
        self, empty: Any, settings: Settings, training: Any, held: Problem, rows: Any
    ) -> None:
        self.empty = empty
        self.usual = settings.usual_rounds or settings.n_estimators
        self.n_jobs = settings.n_jobs
        self.training = training
        self.rows = rows
        """The held-out rows as `TreeScores`, or None."""
        self.table = held.own_table if rows is None else None
        self.truth = held.truth
        self.likelihood = likelihood_of(held)
        self.counts, self.seen = held.counts, held.seen
        self.score: Any = 0.0
        self.line: Any = None
        self.least: Floats | None = None
        """Log loss of each held-out row when their mean was least."""
        self.n_rounds = 0
        self.waiting: list[Round] = []
        """Rounds whose learners are not in the scores yet."""
        self.n_checks, self.next_check = 0, 0
        self._plan_check()

    def __call__(self, one: Round) -> str | None:
        self.waiting.append(one)
        self.n_rounds += 1
        if self.n_rounds < self.next_check:
            return None
        self._plan_check()
        self.score = self.score + self._scores_of(self.waiting)
        self.waiting = []
        self.line = self.likelihood.line(self.score, self.truth, self.counts, self.line)
        return self._verdict(self.line.losses(self.score, self.truth))

    def _plan_check(self) -> None:
        """Set the number of rounds after which the log loss is computed next."""
        while self.next_check <= self.n_rounds:
            self.n_checks += 1
            self.next_check = ceil(CHECKS * (self.n_checks + 1) * self.usual)

    def _scores_of(self, rounds: list[Round]) -> Floats:
        """Scores of the held-out rows by the learners of some rounds."""
        if self.rows is not None:
            return np.asarray(self.rows.after(rounds, [len(rounds)])[0])
        ensemble = self.training.learner.model((one.hypothesis, one.step) for one in rounds)
        scores: Floats = replace(self.empty, ensemble=ensemble).scores(self.table, self.n_jobs)
        return scores

    def _verdict(self, losses: Floats) -> str | None:
        """Why the ensemble ends, given the log loss of each held-out row; None if it goes on."""
        least, self.least = self.least, losses
        if least is None:
            return None
        mean, before = [float(np.average(one, weights=self.counts)) for one in (losses, least)]
        if before <= mean:
            self.least = least
        if self.n_rounds >= self.usual and not mean < before * (1 - WORTH_MORE):
            return HARDLY_FELL
        rise, error = mean_and_error(losses - least, self.counts, self.seen)
        return ROSE if rise > STANDARD_ERRORS * error else None


def mean_and_error(values: Floats, counts: Floats, seen: Floats) -> tuple[float, float]:
    """Weighted mean of the values of some rows, and its standard error.

    A row that was observed several times counts as that many rows which share its weight.
    """
    mean = np.average(values, weights=counts)
    error = np.sqrt(np.sum((counts * (values - mean)) ** 2 / seen)) / counts.sum()
    return float(mean), float(error)
