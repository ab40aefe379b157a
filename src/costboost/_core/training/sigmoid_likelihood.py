"""The likelihood of held-out rows of two classes under the sigmoid of a score."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from costboost._core.arithmetic import Floats, interpolate, log, matrix_product
from costboost._core.calibration.sigmoid import (
    LOG_ODDS_SMOOTHING,
    NO_SLACK,
    Sigmoid,
    fit_sigmoid,
    smoothing_slack,
)
from costboost._core.engine import _kernels
from costboost._core.engine._kernels import sigmoid_losses
from costboost._core.training.stage_lines import Lines

ENOUGH_OF_A_CLASS = 200
"""Held-out rows of each class that suffice to drop plans."""
LEVELS = 1024
"""Scores of more rows than twice this number are averaged within levels before a fit."""
MOST_STEPS, MOST_HALVINGS, SETTLED, LEAST_DETERMINANT = 30, 10, 1e-6, 1e-12
"""When Newton steps of a sigmoid end: SETTLED is a share of the loss."""
ROUNDING = 1e-14
"""A step that raises the loss by no more than this share only shows its rounding."""


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
