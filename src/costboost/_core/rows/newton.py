"""Regression on the working response of a logistic likelihood, in whole quanta."""

from __future__ import annotations

from math import frexp, ldexp

import numpy as np

from costboost._core.arithmetic import Floats, Vector
from costboost._core.backends.protocol import Backend, Largest, Trial
from costboost._core.engine._kernels import Split, leaf_means
from costboost._core.rows.quanta import BinSums, shift_of

LARGEST_MEAN = 4.0
"""Leaf values of a regression are clipped to this absolute value; the response is not."""


FEW_BITS_ROWS, LEAST_MEAN = 4096, 2.0**-10
"""Quanta have few bits from so many rows on, unless the rule states another number, if the mean
weight is at least this share of the largest: the sums of many rows are rounded by less than chance
contributes."""
WORD_BITS = 19
"""Bits of the quanta of a row that two sums in one 64-bit word allow."""


class WorkingResponse(BinSums):
    """Working response and weight of Newton's method, summed in every bin.

    The shards keep the score of every row. A step is tried with `propose` and `loss_after`, and
    kept with `accept`. The units are such that the weights of the bins of a feature add up to 1.
    """

    _weighs = slice(1, 2)

    def __init__(self, backend: Backend[Vector], n_rows: int) -> None:
        super().__init__(backend)
        self._n_rows = n_rows
        self._largest = [0.0, 0.0]
        self._shifts = [0, 0]
        self._scales = [1.0, 1.0]
        self.sums: tuple[int, int] | None = 0, 1
        """Response and weight in quanta over the rows; None before they are added up."""
        self._mean_weight = 0.0
        """Mean weight of a row in the round before; 0 in the first round."""
        self.few_bits_rows = FEW_BITS_ROWS

    def set_likelihood(
        self,
        label: Vector,
        start: Vector,
        share: Vector | float,
        slope: Vector | float,
        offset: Vector | float,
        expected: bool = False,
    ) -> None:
        """Set the logistic likelihood of the rows, whose logit is slope * score + offset.

        ``expected`` takes the probability of a mistake for the loss instead of the log loss.
        """
        self.backend.set_likelihood(label, start, share, slope, offset, expected)

    def linearise(self, plain: bool) -> float:
        """Compute the working response at the score; return the negative log-likelihood."""
        return self._loss(self.backend.linearise(plain), linearised=True)

    def propose(self, direction: Vector, trial: Trial) -> tuple[float, float]:
        """Set the direction of the next step, and try one: `loss_after` in the same message.

        Returns the weight share that the direction moves the wrong way, and the loss.
        """
        unit = self.unit[1]  # before the step changes the weights
        (against, weight), largest = self.backend.propose(direction, self._scales[1], trial)
        error = against / weight if self.draws else against * unit  # a share of the rows drawn
        return error, self._loss(largest, trial.linearises)

    def loss_after(self, trial: Trial) -> float:
        """Negative log-likelihood after a step in the proposed direction."""
        return self._loss(self.backend.attempt(trial), trial.linearises)

    def _loss(self, largest: Largest, linearised: bool) -> float:
        """Negative log-likelihood; working responses become the target of the next learner.

        They are needed if the step is kept, as nearly all are.
        """
        if linearised:
            self._largest = [largest.response, largest.weight]
            self.set_targets()
        shift = shift_of(largest.loss, self._n_rows)
        return ldexp(float(self.backend.sum_losses(ldexp(1.0, shift))), -shift)

    def accept(self) -> None:
        """Keep the score of the last step that was tried."""
        self.backend.accept()

    def set_targets(self) -> None:
        """Make the working response the target of the next learner."""
        shifts = [shift_of(size, self._n_rows) for size in self._largest]
        if self._few_bits_suffice():
            shifts = [WORD_BITS - frexp(size)[1] for size in self._largest]
        self._shifts, self._scales = shifts, [ldexp(1.0, shift) for shift in shifts]
        self._tell_targets()
        self.sums = None

    def _tell_targets(self) -> None:
        self.backend.set_targets(self._scales)

    def add_up(self, sums: tuple[int, int] | None = None) -> tuple[int, int]:
        """Sums of response and weight in quanta over the rows, if need be from the histogram.

        They determine the units, and are given by who has computed them.
        """
        if self.sums is None:
            if sums is None:
                response, weight = self.histogram()[:, 0].sum(axis=1).tolist()
                sums = response, weight
            self.sums, quanta, (p, q) = sums, sums[1], self._shifts
            self._unit = [ldexp(1.0, q - p) / quanta, 1.0 / quanta]
            self._mean_weight = ldexp(float(quanta), -q) / self._n_rows
        return self.sums

    @property
    def unit(self) -> list[float]:
        """Values of a quantum of response and of weight."""
        self.add_up()
        return self._unit

    @property
    def total_weight(self) -> float:
        """Sum of the weights of the rows, before it is scaled to 1."""
        return ldexp(float(self.add_up()[1]), -self._shifts[1])

    def class_sums(self) -> tuple[float, float]:
        response, weight = self.add_up()
        return self._unit[0] * response, self._unit[1] * weight

    def _few_bits_suffice(self) -> bool:
        """Whether quanta of few bits make no difference: many rows, of similar weights.

        Responses and weights of so few bits are summed together, which takes less time.
        """
        similar = self._mean_weight >= LEAST_MEAN * self._largest[1] > 0
        return self._n_rows >= self.few_bits_rows and similar and self._largest[0] > 0

    # ---- least squares ---------------------------------------------------------------------------

    def line(self, x: Vector) -> tuple[float, float]:
        """Slope and intercept of the least squares line of the response on x in [-1, 1]."""
        wx, wxx, rx = self.backend.moments(x, self._scales)
        response, weight = self.add_up()
        spread = wxx * weight - wx * wx  # integers: the differences are exact
        together = rx * weight - response * wx
        unit = self.unit[0] / self.unit[1]
        slope = unit * (together / spread) if spread > 0 else 0.0
        return slope, (unit * response - slope * wx) / weight

    def means(self, split: Split, penalty: float) -> Floats:
        """Weighted mean of the response on either side of a split, clipped.

        ``penalty`` is a weight that is added to both sides, with a response of 0.
        """
        a, b, c, d = split.quanta
        unit, added = self.unit[0] / self.unit[1], penalty / self.unit[1] if penalty else 0
        sides = (a, c), (b, d)
        means = [unit * (sum_ / (weight + added)) if weight > 0 else 0.0 for sum_, weight in sides]
        return np.array([min(max(mean, -LARGEST_MEAN), LARGEST_MEAN) for mean in means])


def mean_response(shares: Floats, penalty: float) -> Floats:
    """Mean response of leaves, clipped, from the shares of response and weight of each.

    ``penalty`` is a weight that is added to every leaf, with a response of 0.
    """
    means: Floats = leaf_means(shares, penalty, LARGEST_MEAN)
    return means
