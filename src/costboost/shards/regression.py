"""Regression on the working response of a logistic likelihood, in whole quanta too."""

from __future__ import annotations

from math import ldexp, log
from typing import Any

import numpy as np

from costboost.cells import Floats
from costboost.engine import _kernels
from costboost.engine._kernels import Split, moments, sum_of_quanta, weight_against
from costboost.shards.quanta import shift_of
from costboost.shards.splits import SplitRows

LARGEST_LOGIT = log((1 - 1e-10) / 1e-10)
"""Probabilities are kept 1e-10 away from 0 and 1, that is, logits this far from 0 at most."""
LARGEST_MEAN = 4.0
"""Leaf values of a regression are clipped here; the response itself never is."""


class RegressionRows(SplitRows):
    """Rows whose two sums are response and weight, once they are aimed at."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._aim: list[tuple[Floats, Floats, list[float]]] = []
        """Response, weight and their scales for each shard; none before the first `aim`."""

    def class_weights(self) -> tuple[float, float]:
        p, n = self._class_sums()
        self._total = 1.0 if self._aim else p + n
        return p / self._total, n / self._total

    def expect(self, label: Floats, start: Floats, share: Any, slope: Any, offset: Any) -> None:
        """A logistic likelihood of the rows: its logit is slope F + offset."""
        self._likelihood = _kernels.Likelihood(label, start, share, slope, offset)
        self._response, self._weight, self._losses = np.empty((3, label.size))

    def loss(self, score: Floats) -> float:
        """Minus the log-likelihood of these scores."""
        return self._sum_of_losses(self._likelihood.loss(score, self._losses, self.n_threads))

    def linearise(self, score: Floats, plain: bool) -> float:
        """Find Newton's working response at these scores; minus their log-likelihood."""
        greatest, *self._greatest = self._likelihood.working(
            score, LARGEST_LOGIT, plain, self._losses, self._response, self._weight, self.n_threads
        )
        return self._sum_of_losses(greatest)

    def _sum_of_losses(self, greatest: float) -> float:
        shift = shift_of(greatest, self._losses.size)
        quanta = sum_of_quanta(self._losses, ldexp(1.0, shift), self.n_threads)
        return ldexp(float(quanta), -shift)

    def aim(self) -> None:
        """Let the next learner regress on the working response."""
        arrays = self._response, self._weight
        shifts = [shift_of(size, self._response.size) for size in self._greatest]
        scales = [ldexp(1.0, shift) for shift in shifts]
        self._aim = [
            (*pair, scales)
            for pair in zip(*(self.split_up(array) for array in arrays), strict=True)
        ]
        for shard, (response, weight, _) in zip(self.shards, self._aim, strict=True):
            shard.build_pairs(response, weight, scales, None, None, shard.histogram, self.n_threads)
        quanta = int(self.histogram()[1, 0].sum())
        self.unit = [ldexp(1.0, shifts[1] - shift) / quanta for shift in shifts]  # weights sum to 1

    def error(self, direction: Floats) -> float:
        """Share of the regression's weight on rows that the direction moves the wrong way."""
        scale = self._aim[0][2][1]
        quanta = weight_against(self._weight, self.label, direction, scale, self.n_threads)
        return quanta * self.unit[1]

    def line(self, x: Floats) -> tuple[float, float]:
        """Slope and intercept of the response's least squares on x, which is from -1 to 1."""
        scales = self._aim[0][2]
        wx, wxx, rx = moments(x, self._response, self._weight, scales, self.n_threads)
        response, weight = self.histogram()[:, 0].sum(axis=1).tolist()
        spread = wxx * weight - wx * wx  # whole numbers: nothing is lost in the differences
        together = rx * weight - response * wx
        unit = self.unit[0] / self.unit[1]
        slope = unit * (together / spread) if spread > 0 else 0.0
        return slope, (unit * response - slope * wx) / weight

    def means(self, split: Split) -> Floats:
        """Weighted mean of the response on either side."""
        a, b, c, d = split.quanta
        unit = self.unit[0] / self.unit[1]
        means = [unit * (sum_ / weight) if weight > 0 else 0.0 for sum_, weight in ((a, c), (b, d))]
        return np.array([min(max(mean, -LARGEST_MEAN), LARGEST_MEAN) for mean in means])

    @staticmethod
    def mean(response: Floats, weight: Floats) -> Floats:
        """Mean response of leaves, clipped."""
        ratio = np.divide(response, weight, out=np.zeros_like(weight), where=weight > 0)
        return np.clip(ratio, -LARGEST_MEAN, LARGEST_MEAN)
