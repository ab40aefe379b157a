"""Regression on the working response of a logistic likelihood, in whole quanta."""

from __future__ import annotations

from math import ldexp, log
from typing import Any

import numpy as np

from costboost.engine._kernels import Split
from costboost.rows.shard import Histogram, Shards
from costboost.rows.weights import added, shift_of
from costboost.vectors import Floats, Vector

LARGEST_LOGIT = log((1 - 1e-10) / 1e-10)
"""Probabilities are kept 1e-10 away from 0 and 1, that is, logits this far from 0 at most."""
LARGEST_MEAN = 4.0
"""Leaf values of a regression are clipped here; the response itself never is."""


class WorkingResponse:
    """Newton's working response of every row and its weight, as sums in every bin.

    The shards keep the score of every row. A step is tried with `propose` and `loss_after`, and
    kept with `accept`.

    Attributes
    ----------
    unit : list of two floats
        What a quantum of response and of weight is worth; all weights together are 1.
    """

    def __init__(self, shards: Shards, n_rows: int) -> None:
        self._shards = shards
        self._n_rows = n_rows
        self._largest = [0.0, 0.0]
        self._scales = [1.0, 1.0]
        self.unit = [1.0, 1.0]

    def histogram(self) -> Histogram:
        """Quanta of response and weight in every bin of every feature."""
        return added(self._shards.ask("histogram"))

    def class_sums(self) -> tuple[float, float]:
        """All response and all weight."""
        sums = self.histogram()[:, 0].sum(axis=1)
        return self.unit[0] * int(sums[0]), self.unit[1] * int(sums[1])

    def set_likelihood(
        self, label: Vector, start: Vector, share: Any, slope: Any, offset: Any
    ) -> None:
        """A logistic likelihood of the rows: its logit is slope * score + offset."""
        self._shards.ask("set_likelihood", label, start, share, slope, offset)

    def linearise(self, plain: bool, moved: bool = False) -> float:
        """Find the working response at the score; minus the log-likelihood there."""
        answers = self._shards.ask("linearise", moved, LARGEST_LOGIT, plain)
        loss, *self._largest = (max(sizes) for sizes in zip(*answers, strict=True))
        return self._sum_of_losses(loss)

    def loss_after(self, step: float, plain: bool, same_logit: bool) -> float:
        """Minus the log-likelihood after a step in the direction proposed.

        With ``same_logit`` the working response is found there too.
        """
        self._shards.ask("move", step)
        if same_logit:
            return self.linearise(plain, moved=True)
        return self._sum_of_losses(max(self._shards.ask("losses", True)))

    def propose(self, direction: Vector) -> float:
        """Choose the direction of the next step; the share of the weight that it moves wrongly."""
        self._shards.ask("propose", direction)
        quanta: int = sum(self._shards.ask("weight_against", self._scales[1]))
        return quanta * self.unit[1]

    def accept(self) -> None:
        """Keep the score after the last step that was tried."""
        self._shards.ask("accept")

    def set_targets(self) -> None:
        """Let the next learner regress on the working response."""
        shifts = [shift_of(size, self._n_rows) for size in self._largest]
        self._scales = [ldexp(1.0, shift) for shift in shifts]
        self._shards.ask("set_targets", self._scales)
        quanta = int(self.histogram()[1, 0].sum())
        self.unit = [ldexp(1.0, shifts[1] - shift) / quanta for shift in shifts]

    def _sum_of_losses(self, largest: float) -> float:
        shift = shift_of(largest, self._n_rows)
        return ldexp(float(sum(self._shards.ask("sum_losses", ldexp(1.0, shift)))), -shift)

    # ---- means and lines -------------------------------------------------------------------------

    def line(self, x: Vector) -> tuple[float, float]:
        """Slope and intercept of the response's least squares on x, which is from -1 to 1."""
        answers = self._shards.ask("moments", x, self._scales)
        wx, wxx, rx = (sum(sums) for sums in zip(*answers, strict=True))
        response, weight = self.histogram()[:, 0].sum(axis=1).tolist()
        spread = wxx * weight - wx * wx  # whole numbers: nothing is lost in the differences
        together = rx * weight - response * wx
        unit = self.unit[0] / self.unit[1]
        slope = unit * (together / spread) if spread > 0 else 0.0
        return slope, (unit * response - slope * wx) / weight

    def means(self, split: Split) -> Floats:
        """Weighted mean of the response on either side of a split, clipped."""
        a, b, c, d = split.quanta
        unit = self.unit[0] / self.unit[1]
        means = [unit * (sum_ / weight) if weight > 0 else 0.0 for sum_, weight in ((a, c), (b, d))]
        return np.array([min(max(mean, -LARGEST_MEAN), LARGEST_MEAN) for mean in means])


def mean_response(response: Floats, weight: Floats) -> Floats:
    """Mean response of leaves, clipped."""
    ratio = np.divide(response, weight, out=np.zeros_like(weight), where=weight > 0)
    return np.clip(ratio, -LARGEST_MEAN, LARGEST_MEAN)
