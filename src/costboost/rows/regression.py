"""Regression on the working response of a logistic likelihood, in integer quanta."""

from __future__ import annotations

from math import ldexp, log
from typing import Any

import numpy as np

from costboost.engine._kernels import Split
from costboost.rows.shard import Histogram, Shards
from costboost.rows.weights import added, shift_of
from costboost.vectors import Floats, Vector

LARGEST_LOGIT = log((1 - 1e-10) / 1e-10)
"""Logits are clipped to this absolute value: probabilities stay 1e-10 away from 0 and 1."""
LARGEST_MEAN = 4.0
"""Leaf values of a regression are clipped to this absolute value; the response is not."""


class WorkingResponse:
    """Working response and weight of Newton's method, summed in every bin.

    The shards keep the score of every row. A step is tried with `propose` and `loss_after`, and
    kept with `accept`.

    Attributes
    ----------
    unit : list of two floats
        Values of a quantum of response and of weight; all weights add up to 1.
    """

    def __init__(self, shards: Shards, n_rows: int) -> None:
        self._shards = shards
        self._n_rows = n_rows
        self._largest = [0.0, 0.0]
        self._scales = [1.0, 1.0]
        self.unit = [1.0, 1.0]

    def histogram(self) -> Histogram:
        """Quanta of response and weight in every bin of every feature."""
        return added(self._shards.send("histogram"))

    def class_sums(self) -> tuple[float, float]:
        """Sums of the response and of the weight over all rows."""
        sums = self.histogram()[:, 0].sum(axis=1)
        return self.unit[0] * int(sums[0]), self.unit[1] * int(sums[1])

    def set_likelihood(
        self, label: Vector, start: Vector, share: Any, slope: Any, offset: Any
    ) -> None:
        """Set the logistic likelihood of the rows, whose logit is slope * score + offset."""
        self._shards.send("set_likelihood", label, start, share, slope, offset)

    def linearise(self, plain: bool, moved: bool = False) -> float:
        """Compute the working response at the score; return the negative log-likelihood."""
        results = self._shards.send("linearise", moved, LARGEST_LOGIT, plain)
        loss, *self._largest = (max(sizes) for sizes in zip(*results, strict=True))
        return self._sum_of_losses(loss)

    def loss_after(self, step: float, plain: bool, same_logit: bool) -> float:
        """Negative log-likelihood after a step in the proposed direction.

        With ``same_logit`` the working response is computed there too.
        """
        self._shards.send("move", step)
        if same_logit:
            return self.linearise(plain, moved=True)
        return self._sum_of_losses(max(self._shards.send("losses", True)))

    def propose(self, direction: Vector) -> float:
        """Set the direction of the next step; return the weight share it moves the wrong way."""
        self._shards.send("propose", direction)
        quanta: int = sum(self._shards.send("weight_against", self._scales[1]))
        return quanta * self.unit[1]

    def accept(self) -> None:
        """Keep the score of the last step that was tried."""
        self._shards.send("accept")

    def set_targets(self) -> None:
        """Make the working response the target of the next learner."""
        shifts = [shift_of(size, self._n_rows) for size in self._largest]
        self._scales = [ldexp(1.0, shift) for shift in shifts]
        self._shards.send("set_targets", self._scales)
        quanta = int(self.histogram()[1, 0].sum())
        self.unit = [ldexp(1.0, shifts[1] - shift) / quanta for shift in shifts]

    def _sum_of_losses(self, largest: float) -> float:
        shift = shift_of(largest, self._n_rows)
        return ldexp(float(sum(self._shards.send("sum_losses", ldexp(1.0, shift)))), -shift)

    # ---- least squares ---------------------------------------------------------------------------

    def line(self, x: Vector) -> tuple[float, float]:
        """Slope and intercept of the least squares line of the response on x in [-1, 1]."""
        results = self._shards.send("moments", x, self._scales)
        wx, wxx, rx = (sum(sums) for sums in zip(*results, strict=True))
        response, weight = self.histogram()[:, 0].sum(axis=1).tolist()
        spread = wxx * weight - wx * wx  # integers: the differences are exact
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
