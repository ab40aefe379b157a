"""Curves over thresholds or shares of ranked rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from costboost.app.plots import drawing
from costboost.app.plots.descriptions import documented
from costboost.app.plots.display import CurveDisplay, Look, maker
from costboost.app.plots.numbers.bands import Band
from costboost.app.plots.numbers.predictions import class_probability, class_score
from costboost.app.plots.numbers.ranked import (
    SHARES,
    SMALLEST_SHARE,
    Resampling,
    check_limits,
    check_line,
    check_share_limits,
)
from costboost.metrics import decision_curve, lift_curve, profit_curve
from costboost.metrics.checks import Floats


@dataclass(kw_only=True, eq=False, repr=False)
class RankedDisplay(CurveDisplay):
    """Base class of curves over thresholds or shares of rows, not for direct use."""

    lower: Any = None
    upper: Any = None
    confidence: float | None = None
    name: str | None = None

    @documented
    def plot(
        self,
        ax: Any = None,
        *,
        name: str | None = None,
        defaults: bool = True,
        legend: str | None = "auto",
        line_kw: Mapping[str, Any] | None = None,
        band_kw: Mapping[str, Any] | None = None,
        **kwargs: Any,
    ) -> Self:
        """Plot the curve.

        Parameters
        ----------
        {ax}
        {name}
        defaults : bool, default True
            Whether to draw treating all rows and none, or a random order, which need no model.
        {legend}
        {line_and_band}
        {line_options}

        {itself}
        """
        ax = self._begin(ax)
        self._draw_curve(ax, self._look(name, line_kw, band_kw, kwargs), defaults)
        drawing.legend(ax, legend)
        return self

    def _draw_curve(self, ax: Any, look: Look, defaults: bool) -> None:
        """Draw curve, band and defaults, and label the axes."""
        raise NotImplementedError

    def _draw_line(self, ax: Any, line: tuple[Any, Any], band_x: Any, look: Look) -> None:
        """Draw the curve and its band."""
        usual = drawing.style(len(drawing.drawn(ax, "curve"))) | {"label": look.name}
        self.line_ = drawing.curve(ax, *line, look.line_kw, **usual)
        limits = Band(line[1], self.lower, self.upper)
        sure = "" if self.confidence is None else f"{100 * self.confidence:g}% "
        note = f"{sure}interval over rows"
        self.band_ = drawing.band(ax, band_x, limits, self.line_, look.band_kw, note=note)

    @classmethod
    def _with_band(
        cls,
        values: Callable[..., Floats],
        y_true: Any,
        y_score: Any,
        rows: dict[str, Any],
        sampling: Resampling,
        **fields: Any,
    ) -> Self:
        """A display with the limits of the values over resamples of the rows."""
        lower, upper = sampling.limits(values, y_true, y_score, rows)
        return cls(lower=lower, upper=upper, confidence=sampling.confidence, **fields)


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class DecisionCurveDisplay(RankedDisplay):
    r"""Net benefit of decisions by probability at every threshold.

    .. math:: \mathrm{NB}(t) = \frac{\mathrm{TP}}{n} - \frac{\mathrm{FP}}{n}\,\frac{t}{1 - t}

    Higher is better. The two defaults are drawn: treating all rows, and treating none, which has a
    net benefit of 0. Where the curve is below one of them, the model is of no use at that
    threshold.

    Create it with ``from_estimator`` or ``from_predictions``, or from arrays.

    Parameters
    ----------
    threshold, net_benefit : arrays of one length
        Thresholds, and the net benefit at each of them.
    treat_all : array of that length, optional
        Net benefit of treating all rows.
    {ranked_band}
    {classifier_name}

    Attributes
    ----------
    {ranked_parts}
    defaults_ : tuple of matplotlib Line2D
        Treating all rows, and treating none.

    References
    ----------
    A. J. Vickers, E. B. Elkin, "Decision curve analysis: a novel method for evaluating prediction
    models", Medical Decision Making 26, 2006.

    Examples
    --------
    >>> from costboost.plots import DecisionCurveDisplay
    >>> display = DecisionCurveDisplay.from_predictions(
    ...     [0, 0, 1, 1], [0.1, 0.6, 0.4, 0.9], thresholds=[0.2, 0.5]
    ... )
    >>> print(display.net_benefit, display.treat_all)
    [0.4375 0.    ] [0.375 0.   ]
    """

    _predict = staticmethod(class_probability)

    threshold: Any
    net_benefit: Any
    treat_all: Any = None

    def __post_init__(self) -> None:
        check_limits(self.lower, self.upper)
        given = (self.threshold, self.net_benefit, self.treat_all, self.lower, self.upper)
        names = "threshold, net_benefit, treat_all, lower and upper"
        self.threshold, self.net_benefit, self.treat_all, self.lower, self.upper = check_line(
            names, *given
        )

    @classmethod
    @maker
    def from_predictions(
        cls,
        y_true: Any,
        y_prob: Any,
        *,
        thresholds: Any = None,
        fn_cost: Any = None,
        fp_cost: Any = None,
        pos_label: Any = None,
        sample_weight: Any = None,
        confidence: float | None = None,
        n_resamples: int = 200,
        random_state: Any = None,
        name: str | None = None,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Plot the curve of probabilities.

        Parameters
        ----------
        {y_true}
        y_prob : array of shape (n_samples,)
            Probabilities of the positive class.
        thresholds : array, optional
            Thresholds in [0, 1). Default: 0.01, 0.02, ..., 0.99.
        fn_cost, fp_cost : number or array of shape (n_samples,), optional
            Costs of rows, as in :func:`costboost.metrics.decision_curve`.
        {greater_label}
        {weight}
        {resampling}
        {drawing}

        {returns}
        """
        rows = {"fn_cost": fn_cost, "fp_cost": fp_cost, "sample_weight": sample_weight}
        found = decision_curve(y_true, y_prob, thresholds=thresholds, pos_label=pos_label, **rows)

        def values(y: Any, p: Any, **part: Any) -> Floats:
            return decision_curve(
                y, p, thresholds=found.threshold, pos_label=pos_label, **part
            ).net_benefit

        sampling = Resampling(confidence, n_resamples, random_state)
        return cls._with_band(
            values, y_true, y_prob, rows, sampling, **found._asdict(), name=name
        ).plot(ax=ax, **options)

    def _draw_curve(self, ax: Any, look: Look, defaults: bool) -> None:
        self._draw_line(ax, (self.threshold, self.net_benefit), self.threshold, look)
        self.defaults_ = self._draw_defaults(ax) if defaults else ()
        drawing.label(ax, "threshold probability", "net benefit")
        highest = max(float(np.max(one.get_ydata())) for one in drawing.drawn(ax, "curve"))
        tops = [highest, *([] if self.treat_all is None else [float(self.treat_all.max())])]
        top = max(*tops, 0.0) if self.upper is None else max(*tops, float(self.upper.max()))
        top = max(top, 1e-3, ax.get_ylim()[1] if len(drawing.drawn(ax, "curve")) > 1 else 0.0)
        ax.set(xlim=(0, 1), ylim=(-0.25 * top, 1.1 * top))

    def _draw_defaults(self, ax: Any) -> tuple[Any, ...]:
        none = drawing.trivial(ax, [0, 1], [0, 0], "treat none", ":")
        if self.treat_all is None:
            return (none,)
        return drawing.trivial(ax, self.threshold, self.treat_all, "treat all", "--"), none


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
        self.share, self.profit = check_line("share and profit", self.share, self.profit)
        self.lower, self.upper = check_share_limits(self.lower, self.upper)

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
        line = {"share": found.share, "profit": found.profit}
        return cls._with_band(values, y_true, y_score, rows, sampling, **line, name=name).plot(
            ax=ax, **options
        )

    def _draw_curve(self, ax: Any, look: Look, defaults: bool) -> None:
        self._draw_line(ax, (self.share, self.profit), SHARES, look)
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
        if self.kind not in KINDS:
            raise ValueError(f"kind must be 'gain' or 'lift', got {self.kind!r}")
        self.share, self.gain = check_line("share and gain", self.share, self.gain)
        if not np.all(self.share > 0):
            raise ValueError("share must be above 0; at 0 there are no rows, and no lift")
        self.lower, self.upper = check_share_limits(self.lower, self.upper)

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
        line = {"share": found.share, "gain": found.gain, "kind": kind}
        return cls._with_band(values, y_true, y_score, rows, sampling, **line, name=name).plot(
            ax=ax, **options
        )

    def _draw_curve(self, ax: Any, look: Look, defaults: bool) -> None:
        x, y = np.append(0.0, self.share), np.append(0.0, self.gain)
        band_x, straight = SHARES, [0.0, 1.0]
        if self.kind == "lift":
            points = np.union1d(SHARES, self.share)  # between scores, gains are straight, not lifts
            points = points[points >= SMALLEST_SHARE]
            x, y = points, np.interp(points, x, y) / points
            band_x, straight = np.where(SHARES < SMALLEST_SHARE, np.nan, SHARES), [1.0, 1.0]
        self._draw_line(ax, (x, y), band_x, look)
        self.defaults_: tuple[Any, ...] = ()
        if defaults:
            self.defaults_ = (drawing.trivial(ax, [0, 1], straight, "random order", "--"),)
        drawing.label(ax, "share of rows with the highest scores", KINDS[self.kind])
        ax.set_xlim(0, 1)
        ax.set_ylim(bottom=0)
