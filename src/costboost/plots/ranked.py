"""Base class of curves over thresholds or shares of rows, and decision curves."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from costboost.metrics import decision_curve
from costboost.metrics.checks import Floats
from costboost.plots import drawing
from costboost.plots.display import Display, documented, maker
from costboost.plots.numbers.curves import Resampling, check_limits, check_line
from costboost.plots.numbers.measures import Band
from costboost.plots.numbers.predictions import class_probability, name_of, positive_class


@dataclass(kw_only=True, eq=False, repr=False)
class RankedDisplay(Display):
    """Base class of curves over thresholds or shares of rows, not for direct use."""

    _predict: ClassVar[Callable[..., Floats]]
    """Probabilities or scores of a classifier."""

    lower: Any = None
    upper: Any = None
    confidence: float | None = None
    name: str | None = None

    @classmethod
    @maker
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        pos_label: Any = None,
        name: str | None = None,
        **options: Any,
    ) -> Self:
        """Plot the curve of a fitted classifier.

        Parameters
        ----------
        {estimator}
        {rows}
        {pos_label}
        {name}
        **options
            Passed on to ``from_predictions``.

        {returns}
        """
        label = positive_class(estimator, pos_label)
        return cls.from_predictions(  # type: ignore[attr-defined,no-any-return]
            y,
            cls._predict(estimator, X, label),
            pos_label=label,
            name=name_of(estimator) if name is None else name,
            **options,
        )

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

        Returns
        -------
        self
        """
        ax = self._begin(ax)
        self._plot(ax, name, defaults, drawing.options(line_kw, kwargs), band_kw)
        drawing.legend(ax, legend)
        return self

    def _plot(
        self,
        ax: Any,
        name: str | None,
        defaults: bool,
        line_kw: Mapping[str, Any],
        band_kw: Mapping[str, Any] | None,
    ) -> None:
        """Draw curve, band and defaults, and label the axes."""
        raise NotImplementedError

    def _draw(
        self,
        ax: Any,
        line: tuple[Any, Any],
        band_x: Any,
        name: str | None,
        line_kw: Mapping[str, Any] | None,
        band_kw: Mapping[str, Any] | None,
    ) -> None:
        """Draw the curve and its band."""
        label = self.name if name is None else name
        usual = drawing.style(len(drawing.drawn(ax, "curve"))) | {"label": label}
        self.line_ = drawing.curve(ax, *line, line_kw, **usual)
        limits = Band(line[1], self.lower, self.upper)
        sure = "" if self.confidence is None else f"{100 * self.confidence:g}% "
        note = f"{sure}interval over rows"
        self.band_ = drawing.band(ax, band_x, limits, self.line_, band_kw, note=note)


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
        lower, upper = sampling.limits(values, y_true, y_prob, rows)
        return cls(
            **found._asdict(), lower=lower, upper=upper, confidence=confidence, name=name
        ).plot(ax=ax, **options)

    def _plot(
        self,
        ax: Any,
        name: str | None,
        defaults: bool,
        line_kw: Mapping[str, Any],
        band_kw: Mapping[str, Any] | None,
    ) -> None:
        line = (self.threshold, self.net_benefit)
        self._draw(ax, line, self.threshold, name, line_kw, band_kw)
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
