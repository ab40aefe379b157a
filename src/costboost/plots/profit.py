"""Profit curves, and curves of gains and lift."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from costboost.metrics import lift_curve, profit_curve
from costboost.metrics.checks import Floats
from costboost.plots import drawing
from costboost.plots.display import documented, maker
from costboost.plots.numbers.curves import (
    SHARES,
    SMALLEST_SHARE,
    Resampling,
    check_limits,
    check_line,
)
from costboost.plots.numbers.predictions import class_score
from costboost.plots.ranked import RankedDisplay


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class ProfitCurveDisplay(RankedDisplay):
    """Profit per row of treating the rows with the highest scores, for every share of them.

    The straight line leads from treating none to treating all: the profit of treating rows in
    random order. The point is the share of the greatest profit. It is found on the rows that it is
    drawn for, so that it is a little too good.

    Create it with ``from_estimator`` or ``from_predictions``, or from arrays.

    Parameters
    ----------
    share, profit : arrays of one length
        Shares of the rows that are treated, from 0 to 1, and the profit per row.
    {ranked_share_band}
    {classifier_name}

    Attributes
    ----------
    {ranked_parts}
    best_ : matplotlib Line2D
        The point of the greatest profit.
    defaults_ : tuple of matplotlib Line2D
        The line from treating none to treating all.

    References
    ----------
    T. Verbraken, W. Verbeke, B. Baesens, "A novel profit maximizing metric for measuring
    classification performance of customer churn prediction models", IEEE Transactions on Knowledge
    and Data Engineering 25, 2013.

    Examples
    --------
    >>> from costboost.plots import ProfitCurveDisplay
    >>> display = ProfitCurveDisplay.from_predictions(
    ...     [0, 0, 1], [0.1, 0.6, 0.9], tp_cost=-15, fp_cost=1, fn_cost=0
    ... )
    >>> print(display.share.round(2), display.profit.round(2))
    [0.   0.33 0.67 1.  ] [0.   5.   4.67 4.33]
    """

    _predict = staticmethod(class_score)

    share: Any
    profit: Any

    def __post_init__(self) -> None:
        check_limits(self.lower, self.upper)
        self.share, self.profit = check_line("share and profit", self.share, self.profit)
        if self.lower is not None:
            given = (SHARES, self.lower, self.upper)
            _, self.lower, self.upper = check_line("lower, upper and the 201 shares", *given)

    @classmethod
    @maker
    def from_predictions(
        cls,
        y_true: Any,
        y_score: Any,
        *,
        tp_cost: Any = 0.0,
        fp_cost: Any = 1.0,
        fn_cost: Any = 1.0,
        tn_cost: Any = 0.0,
        pos_label: Any = None,
        sample_weight: Any = None,
        confidence: float | None = None,
        n_resamples: int = 200,
        random_state: Any = None,
        name: str | None = None,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Plot the curve of scores.

        Parameters
        ----------
        {y_true}
        {ranked_score}
        tp_cost, fp_cost, fn_cost, tn_cost : number or array of shape (n_samples,)
            Costs of treated positive and negative rows, and of others; gains are negative costs.
            Default: 0, 1, 1, 0.
        {greater_label}
        {weight}
        {resampling}
        {drawing}

        {returns}
        """
        rows = {
            "tp_cost": tp_cost,
            "fp_cost": fp_cost,
            "fn_cost": fn_cost,
            "tn_cost": tn_cost,
            "sample_weight": sample_weight,
        }
        found = profit_curve(y_true, y_score, pos_label=pos_label, **rows)

        def values(y: Any, score: Any, **part: Any) -> Floats:
            one = profit_curve(y, score, pos_label=pos_label, **part)
            return np.interp(SHARES, one.share, one.profit)

        sampling = Resampling(confidence, n_resamples, random_state)
        lower, upper = sampling.limits(values, y_true, y_score, rows)
        return cls(
            share=found.share,
            profit=found.profit,
            lower=lower,
            upper=upper,
            confidence=confidence,
            name=name,
        ).plot(ax=ax, **options)

    def _plot(
        self,
        ax: Any,
        name: str | None,
        defaults: bool,
        line_kw: Mapping[str, Any],
        band_kw: Mapping[str, Any] | None,
    ) -> None:
        line = (self.share, self.profit)
        self._draw(ax, line, SHARES, name, line_kw, band_kw)
        k = int(np.argmax(self.profit))
        self.best_ = drawing.point(ax, self.share[k], self.profit[k], self.line_)
        self.defaults_: tuple[Any, ...] = ()
        if defaults:
            ends = [self.profit[0], self.profit[-1]]
            self.defaults_ = (drawing.trivial(ax, [0, 1], ends, "random order", "--"),)
        drawing.label(ax, "share of rows treated", "profit per row")
        ax.set_xlim(0, 1)


KINDS = {
    "gain": "share of positives found",
    "lift": "lift",
}
"""Names of the axis, by the values of ``kind``."""


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class LiftCurveDisplay(RankedDisplay):
    r"""Cumulative gains or lift: positives among the rows with the highest scores.

    .. math::

        \mathrm{gain}(x) = \frac{\text{positives among the highest share } x}{\text{positives}},
        \qquad \mathrm{lift}(x) = \frac{\mathrm{gain}(x)}{x}

    The dashed line is that of a random order: gain(x) = x, and a lift of 1.

    Create it with ``from_estimator`` or ``from_predictions``, or from arrays.

    Parameters
    ----------
    share, gain : arrays of one length
        Shares of the rows in increasing order, above 0, and the share of the positives among them.
    kind : {"gain", "lift"}, default "gain"
        What is drawn; a lift from 1% of the rows on.
    {ranked_share_band}
    {classifier_name}

    Attributes
    ----------
    {ranked_parts}
    defaults_ : tuple of matplotlib Line2D
        The line of a random order.

    References
    ----------
    M. J. A. Berry, G. S. Linoff, "Data mining techniques", 2nd edition, Wiley 2004, chapter 4.

    Examples
    --------
    >>> from costboost.plots import LiftCurveDisplay
    >>> display = LiftCurveDisplay.from_predictions([0, 0, 1, 1], [0.1, 0.6, 0.4, 0.9])
    >>> print(display.share, display.gain)
    [0.25 0.5  0.75 1.  ] [0.5 0.5 1.  1. ]
    """

    _predict = staticmethod(class_score)

    share: Any
    gain: Any
    kind: str = "gain"

    def __post_init__(self) -> None:
        check_limits(self.lower, self.upper)
        if self.kind not in KINDS:
            raise ValueError(f"kind must be 'gain' or 'lift', got {self.kind!r}")
        self.share, self.gain = check_line("share and gain", self.share, self.gain)
        if not np.all(self.share > 0):
            raise ValueError("share must be above 0; at 0 there are no rows, and no lift")
        if self.lower is not None:
            given = (SHARES, self.lower, self.upper)
            _, self.lower, self.upper = check_line("lower, upper and the 201 shares", *given)

    @classmethod
    @maker
    def from_predictions(
        cls,
        y_true: Any,
        y_score: Any,
        *,
        kind: str = "gain",
        fn_cost: Any = None,
        pos_label: Any = None,
        sample_weight: Any = None,
        confidence: float | None = None,
        n_resamples: int = 200,
        random_state: Any = None,
        name: str | None = None,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Plot the curve of scores.

        Parameters
        ----------
        {y_true}
        {ranked_score}
        kind : {"gain", "lift"}, default "gain"
            What is drawn.
        fn_cost : number or array of shape (n_samples,), optional
            Cost of missing each positive row; gains are then shares of that cost.
        {greater_label}
        {weight}
        {resampling}
        {drawing}

        {returns}
        """
        rows = {"fn_cost": fn_cost, "sample_weight": sample_weight}
        found = lift_curve(y_true, y_score, pos_label=pos_label, **rows)

        def values(y: Any, score: Any, **part: Any) -> Floats:
            one = lift_curve(y, score, pos_label=pos_label, **part)
            gain = np.interp(SHARES, np.append(0, one.share), np.append(0, one.gain))
            return np.asarray(gain if kind == "gain" else gain / np.maximum(SHARES, SHARES[1]))

        sampling = Resampling(confidence, n_resamples, random_state)
        lower, upper = sampling.limits(values, y_true, y_score, rows)
        return cls(
            share=found.share,
            gain=found.gain,
            kind=kind,
            lower=lower,
            upper=upper,
            confidence=confidence,
            name=name,
        ).plot(ax=ax, **options)

    def _plot(
        self,
        ax: Any,
        name: str | None,
        defaults: bool,
        line_kw: Mapping[str, Any],
        band_kw: Mapping[str, Any] | None,
    ) -> None:
        x, y = np.append(0.0, self.share), np.append(0.0, self.gain)
        band_x, straight = SHARES, [0.0, 1.0]
        if self.kind == "lift":
            points = np.union1d(SHARES, self.share)  # between scores, gains are straight, not lifts
            points = points[points >= SMALLEST_SHARE]
            x, y = points, np.interp(points, x, y) / points
            band_x, straight = np.where(SHARES < SMALLEST_SHARE, np.nan, SHARES), [1.0, 1.0]
        self._draw(ax, (x, y), band_x, name, line_kw, band_kw)
        self.defaults_: tuple[Any, ...] = ()
        if defaults:
            self.defaults_ = (drawing.trivial(ax, [0, 1], straight, "random order", "--"),)
        drawing.label(ax, "share of rows with the highest scores", KINDS[self.kind])
        ax.set_xlim(0, 1)
        ax.set_ylim(bottom=0)
