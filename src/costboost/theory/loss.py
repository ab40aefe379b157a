"""Losses as functions of the margin, for either class and each round."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.optimize import brentq
from scipy.special import logit

from costboost.cells import Floats
from costboost.theory.curves import Curves

FURTHEST = 100.0
"""Margins, in their unit, up to which a swap is looked for."""
ROUNDING = 1e-9


@dataclass(frozen=True)
class Loss:
    """What an algorithm minimises, as a function of the margin ``y F``, the class and the round.

    Call it with margins: ``loss(margin, positive=True, round=1)``. Only the shape is determined:
    all values of a round may be multiplied by a number. They are scaled so that at the margin 0
    the class whose mistakes are cheaper (both, if they cost the same) has the loss 1.

    Attributes
    ----------
    name : str
        The algorithm.
    fn_cost, fp_cost : float
        The costs.
    n_rounds : int
        Rounds asked for, M. Rounds are counted from 1; algorithms that spread the costs over
        their rounds have all of them in round M.
    """

    name: str
    fn_cost: float
    fp_cost: float
    n_rounds: int
    curves: Curves = field(repr=False)

    def __call__(self, margin: Any, positive: bool = True, round: int = 1) -> Floats:
        """The loss of a row of the given class with the given margin, in a round.

        Parameters
        ----------
        margin : number or array
            y F.
        positive : bool, default=True
            Whether the row is of the positive class.
        round : int, default=1
            From 1 to ``n_rounds``.

        Returns
        -------
        array of the shape of ``margin``
        """
        margin = _margins(margin)
        with np.errstate(over="ignore"):
            return np.exp(self._log(margin, positive, round))

    def ratio(self, margin: Any, round: int = 1) -> Floats:
        """Loss of the dearer class over that of the other at the same margin (Nikolaou's r_L).

        If it falls below 1, the asymmetry swaps. At equal costs the positive class is on top.
        """
        margin = _margins(margin)
        with np.errstate(over="ignore"):
            return np.exp(self.log_ratio(margin, round))

    def swap(self, round: int = 1) -> float | None:
        """The margin beyond which the dearer class has the smaller loss; None if there is none."""
        margin = np.linspace(-FURTHEST, FURTHEST, 4001) * self.unit

        def level(at: Any) -> Any:
            return self.log_ratio(np.asarray(at), round) + ROUNDING

        below = np.flatnonzero(level(margin) < 0)
        if not below.size:
            return None
        if below[0] == 0:
            return -np.inf
        root = brentq(level, margin[below[0] - 1], margin[below[0]])
        return float(np.round(root / self.unit, 6) * self.unit)

    @property
    def unit(self) -> float:
        """A margin over which the loss, and the ratio of the two losses, change by much."""
        greatest, apart = float(self.curves.rates.max()), float(np.ptp(self.curves.rates))
        return 1 / (apart if apart > ROUNDING * greatest else greatest)

    def formula(self, round: int = 1) -> str:
        """The loss of both classes as text, with m for the margin."""
        self._check(round)
        factor = np.exp(-self._cheapest(round))
        both = [self.curves.formula(positive, round, factor) for positive in (True, False)]
        return both[0] if both[0] == both[1] else f"{both[0]} of positives, {both[1]} of negatives"

    def minimiser(self, probability: Any, round: int = 1) -> Floats:
        """The score F of least expected loss where the positive class has this probability.

        The root of ``P L'(+1, F) = (1 - P) L'(-1, -F)``, the population minimiser.

        Parameters
        ----------
        probability : number or array
            P(y = +1 | x), between 0 and 1.
        round : int, default=1
        """
        p = np.asarray(probability, dtype=np.float64)
        if not np.all((p > 0) & (p < 1)):
            raise ValueError(f"probabilities must be between 0 and 1, got {probability!r}")
        self._check(round)
        roots = [self.minimiser_at(float(one), round) for one in logit(p).ravel()]
        return np.array(roots).reshape(p.shape)

    def minimiser_at(self, log_odds: float, number: int) -> float:
        """The same where the positive class has these log-odds, which may be extreme."""

        def force(score: float) -> float:
            up = self.curves.log_fall(np.asarray(score), True, number)
            down = self.curves.log_fall(np.asarray(-score), False, number)
            return float(log_odds + up - down)

        reach = unit = 1 / float(self.curves.rates.min())
        while force(-reach) <= 0 or force(reach) >= 0:
            reach *= 2
        return float(brentq(force, -reach, reach, xtol=1e-14 * unit, rtol=1e-14))

    def _log(self, margin: Floats, positive: bool, number: int) -> Floats:
        self._check(number)
        return self.curves.log_value(margin, positive, number) - self._cheapest(number)

    def _cheapest(self, number: int) -> float:
        """Logarithm of the unscaled loss of the cheaper class at the margin 0."""
        positive = self.fn_cost < self.fp_cost
        return float(self.curves.log_value(np.asarray(0.0), positive, number))

    def log_ratio(self, margin: Floats, number: int) -> Floats:
        """Logarithm of the ratio, which may be extreme."""
        dear = self.fn_cost >= self.fp_cost
        return self._log(margin, dear, number) - self._log(margin, not dear, number)

    def _check(self, number: Any) -> None:
        if number != int(number) or not 1 <= number <= self.n_rounds:
            raise ValueError(f"round must be a number from 1 to {self.n_rounds}, got {number!r}")


def _margins(margin: Any) -> Floats:
    margins: Floats = np.asarray(margin, dtype=np.float64)
    if not np.all(np.isfinite(margins)):
        raise ValueError("margins must be finite numbers, but there is NaN or infinity among them")
    return margins
