"""Shapes of losses: exponentials, which updates imply, and the likelihoods of the Newton family."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy.special import log_expit

from costboost.cells import Floats
from costboost.rules import NewtonRule
from costboost.theory.algorithm import Algorithm
from costboost.theory.implied import Implied

FAR = 40.0
"""A logit x from here on has log(1 + e^(-x)) = e^(-x), but for rounding."""


class Curves(Protocol):
    """Logarithms of the loss and of its fall -dL/d(yF), but for a factor that rounds may have."""

    def log_value(self, margin: Floats, positive: bool, number: int) -> Floats: ...

    def log_fall(self, margin: Floats, positive: bool, number: int) -> Floats: ...

    def formula(self, positive: bool, number: int, factor: float) -> str:
        """The loss, times a factor, of the margin m."""

    @property
    def rates(self) -> Floats:
        """How fast the losses of the two classes fall at most: -dL/d(yF) / L."""


@dataclass(frozen=True)
class ExponentialCurves:
    """exp(lean - rate m) / rate, the lean that of the weights before or after each round."""

    lines: Implied
    after: bool

    @property
    def rates(self) -> Floats:
        return self.lines.rate

    def log_fall(self, margin: Floats, positive: bool, number: int) -> Floats:
        lean = self.lines.lean[number if self.after else number - 1] if positive else 0.0
        return np.asarray(lean - self.lines.rate[0 if positive else 1] * margin)

    def log_value(self, margin: Floats, positive: bool, number: int) -> Floats:
        rate = float(self.rates[0 if positive else 1])
        return np.asarray(self.log_fall(margin, positive, number) - np.log(rate))

    def formula(self, positive: bool, number: int, factor: float) -> str:
        size = factor * float(np.exp(self.log_value(np.asarray(0.0), positive, number)))
        return f"{_times(size)}exp(-{_times(float(self.rates[0 if positive else 1]))}m)"


@dataclass(frozen=True)
class LogisticCurves:
    """s log(1 + exp(-y t)), the logit t = slope F + offset that of the round."""

    algorithm: Algorithm

    @property
    def rates(self) -> Floats:
        slope, _ = self._logit(True, 1)
        return np.array([slope, slope])

    def _logit(self, positive: bool, number: int) -> tuple[float, float]:
        """Slope and offset of y t against the margin."""
        rule: NewtonRule = self.algorithm.rule
        sign = 1.0 if positive else -1.0
        rows = self.algorithm.rows(np.array([sign]), np.ones(1))
        slope, offset = rule.logit(rows, number)
        return float(slope), sign * float(offset)

    def log_fall(self, margin: Floats, positive: bool, number: int) -> Floats:
        slope, offset = self._logit(positive, number)
        start = np.log(self.algorithm.start_pair[0 if positive else 1] * slope)
        return np.asarray(start + log_expit(-slope * margin - offset))

    def log_bend(self, margin: Floats, positive: bool, number: int) -> Floats:
        """Logarithm of the second derivative."""
        slope, offset = self._logit(positive, number)
        fall = self.log_fall(margin, positive, number)
        return np.asarray(fall + np.log(slope) + log_expit(slope * margin + offset))

    def log_value(self, margin: Floats, positive: bool, number: int) -> Floats:
        slope, offset = self._logit(positive, number)
        start = np.log(self.algorithm.start_pair[0 if positive else 1])
        at = np.asarray(slope * margin + offset)
        near = np.log(-log_expit(np.minimum(at, FAR)))
        return np.asarray(start + np.where(at < FAR, near, -at))

    def formula(self, positive: bool, number: int, factor: float) -> str:
        slope, offset = self._logit(positive, number)
        size = factor * self.algorithm.start_pair[0 if positive else 1]
        odds = _times(np.exp(-offset))
        return f"{_times(size)}log(1 + {odds}exp(-{_times(slope)}m))"


def _times(factor: float) -> str:
    """A factor in front of something; 1 is left out."""
    text = f"{factor:.4g}"
    return "" if text == "1" else f"{text} "
