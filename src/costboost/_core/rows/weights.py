"""Quanta: weights are summed as integers, so that sums do not depend on the order of rows."""

from __future__ import annotations

from collections.abc import Sequence
from math import frexp, ldexp
from typing import Any

import numpy as np

from costboost._core.arithmetic import Floats, Vector
from costboost._core.engine._kernels import Split, leaf_means
from costboost._core.rows.messages import Histogram, Shards, greatest, sender

TARGET_BITS = 58
"""The weights of a class sum to about 2**58 quanta after they are scaled."""
UNIT_BITS = 800
UNIT_LEAST, UNIT_MOST = 2.0**700, 2.0**900
"""Range of the larger of the two units; only their ratio matters."""
LEAST_FACTOR, MOST_FACTOR = 2.0**-50, 2.0**50
"""Range of factors by which units within their range may be multiplied as they are."""

CONSTANTS_COMPETE = {"vote", "joint"}
"""Criteria under which a constant vote competes with the splits."""


def shift_of(largest: float, n: int) -> int:
    """The k for which the sum of n values up to ``largest``, times 2**k, fits into 64 bits."""
    return TARGET_BITS + 3 - n.bit_length() - frexp(largest)[1] if largest > 0 else 0


def without_cost(p: float, n: float, fn_cost: float, fp_cost: float) -> tuple[float, float]:
    """Units of the weights w, given those of the costs times weights c w, up to a factor."""
    unit, greatest = max(p, n) * 2.0**100, max(fn_cost, fp_cost)  # leaves room for the division
    return p / unit / (fn_cost / greatest), n / unit / (fp_cost / greatest)


def at_most_one(factors: Sequence[float]) -> tuple[list[float], int]:
    """Divide factors by a power of two so that none is above 1; return its exponent as well."""
    exponent = frexp(max(factors))[1]
    return [ldexp(factor, -exponent) for factor in factors], exponent


# ---- weights by class: integer quanta in the shards, the value of a quantum in the driver --------


class BinSums:
    """Two sums over the rows of every bin of every feature, in quanta.

    The rows are those drawn for the round, if any are, and all of them otherwise.

    Attributes
    ----------
    draws : bool
        Whether rows are drawn.
    """

    _weighs = slice(0, 2)
    """Which of the two are sums of weights."""

    def __init__(self, shards: Shards) -> None:
        self._shards = shards
        self._histogram = sender(shards, shards.total, "histogram")
        self._unit = [1.0, 1.0]
        self.draws = False

    @property
    def unit(self) -> list[float]:
        """Values of a quantum of either sum."""
        return self._unit

    def histogram(self) -> Histogram:
        """The two sums, in quanta, in every bin of every feature."""
        histogram: Histogram = self._histogram()
        if self.draws and not histogram[self._weighs, 0].any():
            self._shards.tell("draw_all")
            histogram = self._histogram()
        return histogram

    def class_sums(self) -> tuple[float, float]:
        """The two sums over the rows: of the classes, or of response and weight."""
        sums = self.histogram()[:, 0].sum(axis=1)
        return self.unit[0] * int(sums[0]), self.unit[1] * int(sums[1])


class ClassWeights(BinSums):
    """Weights of the rows, summed for each class in every bin.

    Only the ratio of the two units matters.
    """

    def __init__(self, shards: Shards, counts: Histogram) -> None:
        super().__init__(shards)
        self._multiply_side = sender(shards, shards.tell, "multiply_side")
        self._counts = counts
        self.class_sizes: list[int] = counts[:, 0].sum(axis=1).tolist()

    # ---- start -----------------------------------------------------------------------------------

    def set_classes(self, factors: Sequence[float]) -> None:
        """Set one weight for all rows of a class."""
        for z in (0, 1):
            scale = ldexp(1.0, TARGET_BITS - self.class_sizes[z].bit_length())
            counts = self._counts if self._shards.alone else None
            self._shards.tell("set_equal_weights", z, scale, counts)
            self.unit[z] = factors[z] * (1.0 / scale)
        self._normalise()

    def set_rows(self, weight: Vector, factors: Sequence[float] = (1.0, 1.0)) -> None:
        """Set the weight of every row, times the factor of its class."""
        self._shards.tell("set_weights", weight)
        exponent = self._requantise((0, 1))
        common = max(exponent)
        for z in (0, 1):
            self.unit[z] = ldexp(factors[z], exponent[z] - common)
        self._normalise()

    # ---- changes ---------------------------------------------------------------------------------

    def multiply_sides(self, split: Split, factors: Sequence[float]) -> None:
        """Multiply the weights of each (class, side) by its factor."""
        units, ratio, left_side, one_side, anew = split.class_changes(
            self._counts, self.class_sizes, factors
        )
        self._multiply_units(units)
        if one_side[0] or one_side[1]:
            self._multiply_side(split, ratio, left_side, one_side)
        classes = [z for z in (0, 1) if anew[z]]
        if not classes:
            return
        exponents = []
        for z in classes:
            scaled, exponent = at_most_one(factors[2 * z : 2 * z + 2])
            self._shards.tell("multiply_all", z, split, scaled)
            exponents.append(exponent)
        self._scale_anew(classes, exponents)

    def multiply_bins(self, feature: int, factors: Floats) -> None:
        """Multiply the weights of each (class, bin) by its factor; histograms are built anew."""
        exponents = []
        for z in (0, 1):
            scaled, exponent = at_most_one(factors[z].tolist())
            self._shards.tell("multiply_bins", z, feature, np.array(scaled))
            exponents.append(exponent)
        self._scale_anew((0, 1), exponents)

    def multiply_leaves(self, factors: Floats) -> None:
        """Multiply the weights of each (class, leaf) by its factor; histograms are built anew."""
        n = factors.size // 2
        exponents = []
        for z in (0, 1):
            scaled, exponent = at_most_one(factors[z * n : (z + 1) * n].tolist())
            self._shards.tell("multiply_leaves", z, scaled)
            exponents.append(exponent)
        self._scale_anew((0, 1), exponents)

    # ---- quanta ----------------------------------------------------------------------------------

    def _scale_anew(self, classes: Sequence[int], exponents: Sequence[int]) -> None:
        """Scale the weights of classes that were multiplied; each is due a factor 2**exponent."""
        shifts = self._requantise(classes)
        for z, exponent, shift in zip(classes, exponents, shifts, strict=True):
            self._multiply_unit(z, 1.0, exponent + shift)
        self._normalise()

    def _requantise(self, classes: Sequence[int]) -> list[int]:
        """Scale the weights of classes so that quanta use all bits, and build their histograms.

        Returns k for each class if its weights were divided by 2**k. The sum is estimated with a
        coarse scale that cannot overflow, and then determines the scale; neither depends on the
        row order.
        """
        if not classes:
            return []
        shards = self._shards
        largest = shards.largest("largest_weights", classes)
        coarse = [
            TARGET_BITS - self.class_sizes[z].bit_length() - frexp(one)[1]
            for z, one in zip(classes, largest, strict=True)
        ]
        totals = shards.total("sum_weights", classes, coarse)
        shifts = [
            exponent + TARGET_BITS - total.bit_length() if one > 0 else 0
            for exponent, total, one in zip(coarse, totals, largest, strict=True)
        ]
        shards.tell("scale_weights", classes, shifts)
        return [-shift for shift in shifts]

    def _multiply_units(self, factors: Sequence[float]) -> None:
        """Multiply the units of both classes."""
        positive, negative = factors
        unit = self._unit
        if LEAST_FACTOR < positive < MOST_FACTOR and LEAST_FACTOR < negative < MOST_FACTOR:
            unit[0] *= positive
            unit[1] *= negative
        else:
            self._multiply_unit(0, positive)
            self._multiply_unit(1, negative)
        self._normalise()

    def _multiply_unit(self, z: int, factor: float, exponent: int = 0) -> None:
        """Multiply the unit of class z by factor * 2**exponent, or divide the other unit."""
        unit = self._unit
        mantissa, power = frexp(factor)
        mantissa *= unit[z]
        power += exponent
        if power <= 0:
            unit[z] = ldexp(mantissa, power)
        else:
            unit[z] = mantissa
            unit[1 - z] = ldexp(unit[1 - z], -power)

    def _normalise(self) -> None:
        """Scale both units so that the larger one is near the top of its range."""
        p, n = self._unit
        largest = p if p > n else n
        if not UNIT_LEAST < largest < UNIT_MOST and largest > 0:
            shift = UNIT_BITS - frexp(largest)[1]
            self._unit = [ldexp(unit, shift) for unit in self._unit]


# ---- regression on the working response of a logistic likelihood, in integer quanta --------------


LARGEST_LOGIT = 23.025850929840455
"""Logits are clipped to this absolute value: probabilities stay 1e-10 away from 0 and 1."""
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

    def __init__(self, shards: Shards, n_rows: int) -> None:
        super().__init__(shards)
        self._n_rows = n_rows
        self._largest = [0.0, 0.0]
        self._shifts = [0, 0]
        self._scales = [1.0, 1.0]
        self._sums: tuple[int, int] | None = 0, 1
        """Response and weight in quanta over the rows; None before they are added up."""
        self._mean_weight = 0.0
        """Mean weight of a row in the round before; 0 in the first round."""
        self.few_bits_rows = FEW_BITS_ROWS
        self._has_targets = False
        """Whether the shards were told the targets of the next learner together with the loss."""

    def set_likelihood(
        self,
        label: Vector,
        start: Vector,
        share: Any,
        slope: Any,
        offset: Any,
        expected: bool = False,
    ) -> None:
        """Set the logistic likelihood of the rows, whose logit is slope * score + offset.

        ``expected`` takes the probability of a mistake for the loss instead of the log loss.
        """
        self._shards.tell("set_likelihood", label, start, share, slope, offset, expected)

    def linearise(self, plain: bool, step: float | None = None) -> float:
        """Compute the working response; return the negative log-likelihood.

        They are those after a step in the proposed direction, or without one those at the score.
        """
        return self._linearised(self._shards.largest("linearise", step, LARGEST_LOGIT, plain))

    def _linearised(self, largest: Sequence[float]) -> float:
        """Negative log-likelihood, given the largest loss, response and weight of a row."""
        loss, *self._largest = largest
        self._has_targets = False
        return self._sum_of_losses(loss, ahead=not self._shards.alone and not self.draws)

    def loss_after(self, step: float, plain: bool, same_logit: bool) -> float:
        """Negative log-likelihood after a step in the proposed direction.

        With ``same_logit`` the working response is computed there too.
        """
        if same_logit:
            return self.linearise(plain, step)
        return self._sum_of_losses(self._shards.largest("losses", step))

    def propose(
        self, direction: Vector, step: float, plain: bool, same_logit: bool
    ) -> tuple[float, float]:
        """Set the direction of the next step, and try one: `loss_after` in the same message.

        Returns the weight share that the direction moves the wrong way, and the loss.
        """
        unit, draws = self.unit[1], self.draws  # before the step changes the weights
        given = direction, self._scales[1], draws, step, LARGEST_LOGIT, plain, same_logit
        against, every, largest = zip(*self._shards.answers("propose", *given), strict=True)
        # with rows drawn, the unit is a share of those
        error = sum(against) / sum(every) if draws else sum(against) * unit
        found = greatest(largest)
        return error, self._linearised(found) if same_logit else self._sum_of_losses(*found)

    def accept(self) -> None:
        """Keep the score of the last step that was tried."""
        self._shards.tell("accept")

    def set_targets(self) -> None:
        """Make the working response the target of the next learner."""
        if self._has_targets:
            self._has_targets = False
            return
        shifts = [shift_of(size, self._n_rows) for size in self._largest]
        if self._few_bits_suffice():
            shifts = [WORD_BITS - frexp(size)[1] for size in self._largest]
        self._shifts, self._scales = shifts, [ldexp(1.0, shift) for shift in shifts]
        self._tell_targets()
        self._sums = None

    def _tell_targets(self) -> None:
        self._shards.tell("set_targets", self._scales)

    def add_up(self, sums: tuple[int, int] | None = None) -> tuple[int, int]:
        """Sums of response and weight in quanta over the rows, if need be from the histogram.

        They determine the units, and are given by who has computed them.
        """
        if self._sums is None:
            if sums is None:
                response, weight = self.histogram()[:, 0].sum(axis=1).tolist()
                sums = response, weight
            self._sums, quanta, (p, q) = sums, sums[1], self._shifts
            self._unit = [ldexp(1.0, q - p) / quanta, 1.0 / quanta]
            self._mean_weight = self.total_weight / self._n_rows
        return self._sums

    @property
    def is_added_up(self) -> bool:
        """Whether the sums of response and weight over the rows are known."""
        return self._sums is not None

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

    def _sum_of_losses(self, largest: float, ahead: bool = False) -> float:
        """Negative log-likelihood, given the largest loss of a row.

        With ``ahead`` the histogram of the next learner comes with the same message: it is needed
        if the step is kept, as nearly all are.
        """
        shift = shift_of(largest, self._n_rows)
        if not ahead:
            return ldexp(float(self._shards.total("sum_losses", ldexp(1.0, shift))), -shift)
        self.set_targets()
        self._has_targets = True
        total, _ = self._shards.total("losses_and_histogram", ldexp(1.0, shift))
        return ldexp(float(total), -shift)

    # ---- least squares ---------------------------------------------------------------------------

    def line(self, x: Vector) -> tuple[float, float]:
        """Slope and intercept of the least squares line of the response on x in [-1, 1]."""
        wx, wxx, rx = self._shards.total("moments", x, self._scales)
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


# ---- working responses of several classes --------------------------------------------------------

SHARE_SCALE = 2.0**52
"""Quanta of all weights together, which add up to 1, where decisions are counted."""


class ClassResponse(WorkingResponse):
    """Working response and weight of the score of one class."""

    def __init__(self, shards: Shards, n_rows: int, k: int) -> None:
        super().__init__(shards, n_rows)
        self.k = k

    def on(self, shards: Shards) -> ClassResponse:
        """Send messages to these shards from now on; they hold the same responses."""
        if shards is not self._shards:
            self._shards = shards
            self._histogram = sender(shards, shards.total, "histogram")
        return self

    def set_largest(self, response: float, weight: float) -> None:
        """Set the largest response and weight of a row."""
        self._largest = [response, weight]

    def _tell_targets(self) -> None:
        self._shards.tell("set_class_targets", self.k, self._scales)

    def propose_class(self, direction: Vector) -> tuple[float, float]:
        """Set the direction of the class's next step; return the weight it moves the wrong way.

        The second number is the weight of all rows.
        """
        scale = self._scales[1]
        quanta: int = self._shards.total("propose_class", self.k, direction, scale)
        every = self._shards.total("total_weight", scale) if self.draws else self.add_up()[1]
        return ldexp(float(quanta), -self._shifts[1]), ldexp(float(every), -self._shifts[1])


class ScoreResponses:
    """Working responses and weights of all classes, whose scores the shards keep."""

    def __init__(self, shards: Shards, n_rows: int, n_classes: int, draws: bool) -> None:
        self._shards = shards
        self._n_rows = n_rows
        self.classes = [ClassResponse(shards, n_rows, k) for k in range(n_classes)]
        for one in self.classes:
            one.draws = draws

    def set_loss(
        self, code: Vector, start: Vector, log_cost: Floats | None, exponential: bool
    ) -> None:
        """Set the loss of the scores, which are 0 at first."""
        given = code, start, log_cost, len(self.classes), exponential
        self._shards.tell("set_score_loss", *given)

    def linearise(self, step: float = 0.0) -> float:
        """Compute the working responses after a step as proposed; return the loss."""
        loss, *largest = self._shards.largest("linearise_scores", step)
        n = len(self.classes)
        for one, response, weight in zip(self.classes, largest[:n], largest[n:], strict=True):
            one.set_largest(response, weight)
        shift = shift_of(loss, self._n_rows)
        return ldexp(float(self._shards.total("sum_losses", ldexp(1.0, shift))), -shift)

    def confusion(self) -> Floats:
        """Weight share of each class (row) whose greatest score is that of each (column)."""
        quanta = self._shards.total("confusion", SHARE_SCALE)
        return np.asarray(quanta / quanta.sum())

    def accept(self, step: float) -> None:
        """Keep the scores after a step in the proposed directions."""
        self._shards.tell("accept_scores", step)
