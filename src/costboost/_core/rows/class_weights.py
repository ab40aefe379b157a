"""Weights of the rows by class: shards hold whole quanta, the driver the value of a quantum."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import frexp, ldexp

from costboost._core.arithmetic import Floats, Vector
from costboost._core.backends.protocol import Backend, Histogram
from costboost._core.caching import cached_property
from costboost._core.engine._kernels import Split
from costboost._core.rows.quanta import (
    LEAST_FACTOR,
    MOST_FACTOR,
    TARGET_BITS,
    UNIT_BITS,
    UNIT_LEAST,
    UNIT_MOST,
    BinSums,
    scaled_by_class,
)


class ClassWeights(BinSums):
    """Weights of the rows, summed for each class in every bin.

    Only the ratio of the two units matters.
    """

    def __init__(self, backend: Backend[Vector], counts: Histogram) -> None:
        super().__init__(backend)
        self._counts = counts
        self.class_sizes: list[int] = counts[:, 0].sum(axis=1).tolist()

    @cached_property
    def _multiply_side(self) -> Callable[..., None]:
        return self.backend.multiply_side

    # ---- start -----------------------------------------------------------------------------------

    def set_classes(self, factors: Sequence[float]) -> None:
        """Set one weight for all rows of a class."""
        scales = [ldexp(1.0, TARGET_BITS - size.bit_length()) for size in self.class_sizes]
        self.backend.set_equal_weights(scales)
        for z in (0, 1):
            self.unit[z] = factors[z] * (1.0 / scales[z])
        self._normalise()

    def set_rows(self, weight: Vector, factors: Sequence[float] = (1.0, 1.0)) -> None:
        """Set the weight of every row, times the factor of its class."""
        self.backend.set_weights(weight)
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
        scaled, exponents = scaled_by_class(factors)
        self.backend.multiply_all(split, scaled.ravel().tolist(), anew)
        self._scale_anew(classes, [exponents[z] for z in classes])

    def multiply_bins(self, feature: int, factors: Floats) -> None:
        """Multiply the weights of each (class, bin) by its factor; histograms are built anew."""
        scaled, exponents = scaled_by_class(factors)
        self.backend.multiply_bins(feature, scaled)
        self._scale_anew((0, 1), exponents)

    def multiply_leaves(self, factors: Floats) -> None:
        """Multiply the weights of each (class, leaf) by its factor; histograms are built anew."""
        scaled, exponents = scaled_by_class(factors)
        self.backend.multiply_leaves(scaled)
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
        largest = self.backend.largest_weights(classes)
        coarse = [
            TARGET_BITS - self.class_sizes[z].bit_length() - frexp(one)[1]
            for z, one in zip(classes, largest, strict=True)
        ]
        totals = self.backend.sum_weights(classes, coarse)
        shifts = [
            exponent + TARGET_BITS - total.bit_length() if one > 0 else 0
            for exponent, total, one in zip(coarse, totals, largest, strict=True)
        ]
        self.backend.scale_weights(classes, shifts)
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
