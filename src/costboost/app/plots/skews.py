"""Curves over the skew of costs or over their proportion."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from costboost._core.costs import known_costs
from costboost.app.plots import drawing
from costboost.app.plots.descriptions import documented
from costboost.app.plots.display import CurveDisplay, maker
from costboost.app.plots.numbers.bands import Band
from costboost.app.plots.numbers.labelled_rows import LabelledRows, read_rows
from costboost.app.plots.numbers.predictions import (
    class_probability,
    class_score,
    name_of,
    positive_class,
)
from costboost.app.plots.numbers.runs import runs_of
from costboost.app.plots.numbers.skews import (
    Compute,
    Form,
    check_curve,
    check_form,
    mean_skew_curve,
    skew_curve,
    skew_curve_of_costs,
)
from costboost.metrics import brier_curve, cost_curve
from costboost.metrics.checks import Floats

# ---- curves over skew or cost proportion ---------------------------------------------------------

TITLES = {
    "skew": ("skew z", "normalised cost Q"),
    "cost": ("cost proportion c", "mean cost Q"),
}
"""Names of the axes."""
MARKS = {"skew": "skew of the costs, z", "cost": "proportion of the costs, c"}


@dataclass(kw_only=True, eq=False, repr=False)
class SkewCurveDisplay(CurveDisplay):
    """Base class of curves of cost against skew or cost proportion, not for direct use."""

    _compute: ClassVar[Compute]
    """Computes skews or cost proportions, and costs, from labels and scores."""
    _areas: ClassVar[Mapping[str, str]]
    """Name of the area, by the kind of the curve."""

    z: Any
    q: Any
    lower: Any = None
    upper: Any = None
    n_runs: int = 1
    area: float | None = None
    skew: float | None = None
    name: str | None = None
    by: str = "skew"
    positive_share: float | None = None

    def __post_init__(self) -> None:
        given = (self.z, self.q, self.lower, self.upper)
        self.z, self.q, self.lower, self.upper = check_curve(*given)
        check_form(self.by, self.positive_share)

    # ---- numbers ---------------------------------------------------------------------------------

    @classmethod
    @maker
    def from_predictions(
        cls,
        y_true: Any,
        y_score: Any,
        *,
        sample_weight: Any = None,
        fn_cost: Any = None,
        fp_cost: Any = None,
        tp_cost: Any = None,
        tn_cost: Any = None,
        costs: Any = None,
        pos_label: Any = None,
        by: str = "skew",
        prior: float | None = None,
        name: str | None = None,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Plot the curve of predictions.

        Parameters
        ----------
        {y_true}
        y_score : array of shape (n_samples,)
            Probabilities of the positive class; for a cost curve, any scores that are higher for
            it.
        {weight}
        fn_cost, fp_cost : number or array of shape (n_samples,), optional
            Costs of false negatives and false positives. If one is given, their skew or cost
            proportion is marked. With costs of rows, rows are weighted by cost and each has its
            own threshold, as in :func:`costboost.metrics.brier_curve`; scores must then be
            probabilities.
        tp_cost, tn_cost : number or array of shape (n_samples,), optional
            Costs of right predictions, 0 if left out; a gain is a negative cost.
        costs : Costs, optional
            All costs in one record, instead of the four.
        {greater_label}
        {by}
        {prior}
        {drawing}

        {returns}
        """
        stated = known_costs(costs, fn_cost, fp_cost, tp_cost, tn_cost)
        rows = read_rows(y_true, pos_label, sample_weight, stated)
        form = Form(by, prior)
        found = skew_curve(cls._compute, rows, y_score, form)
        return cls(**found._asdict(), **_position(rows, form, bool(stated)), name=name).plot(
            ax=ax, **options
        )

    @classmethod
    @maker
    def from_cv_results(
        cls,
        cv_results: Any,
        X: Any,
        y: Any,
        *,
        sample_weight: Any = None,
        fn_cost: Any = None,
        fp_cost: Any = None,
        tp_cost: Any = None,
        tn_cost: Any = None,
        costs: Any = None,
        pos_label: Any = None,
        by: str = "skew",
        prior: float | None = None,
        name: str | None = None,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Plot the mean curve over the runs of a cross-validation, with a 95% band.

        Parameters
        ----------
        {cv_results}
        {weight}
        {marked_costs}
        {pos_label}
        {by}
        {prior}
        {drawing}

        {returns}
        """
        runs = runs_of(cv_results, X, y)
        first = runs[0].estimator
        stated = known_costs(costs, fn_cost, fp_cost, tp_cost, tn_cost)
        rows = read_rows(y, positive_class(first, pos_label), sample_weight, stated)
        form = Form(by, prior)
        found = mean_skew_curve(cls._compute, cls._predict, runs, X, rows, form)
        return cls(
            **found._asdict(),
            **_position(rows, form, bool(stated)),
            name=name_of(first) if name is None else name,
        ).plot(ax=ax, **options)

    @classmethod
    @maker
    def from_runs(
        cls,
        z: Any,
        q: Any,
        *,
        by: str = "skew",
        positive_share: float | None = None,
        name: str | None = None,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Plot the mean of costs that were measured in several runs, with a 95% band.

        For classifiers that are trained separately for every skew, as most algorithms must be.

        Parameters
        ----------
        z : array of shape (n_points,)
            Skews or cost proportions, in ascending order.
        q : array of shape (n_runs, n_points)
            Cost in each run at each of them: by skew,
            ``normalized_cost(y_true, y_pred, skew=z)``; by cost proportion,
            ``mean_cost(y_true, y_pred, fn_cost=2 - 2 * c, fp_cost=2 * c)``.
        {by}
        positive_share : float, optional
            Share of positives among the rows; by cost proportion, the trivial classifiers are
            plotted only if it is given.
        {drawing}

        {returns}
        """
        return cls(
            **skew_curve_of_costs(z, q, Form(by))._asdict(),
            by=by,
            positive_share=positive_share,
            name=name,
        ).plot(ax=ax, **options)

    # ---- drawing ---------------------------------------------------------------------------------

    @documented
    def plot(
        self,
        ax: Any = None,
        *,
        name: str | None = None,
        trivial: bool = True,
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
        trivial : bool, default True
            Whether to draw the classifiers that predict every row negative, or positive. On the
            same axes they are drawn once.
        {legend}
        line_kw, band_kw : dict, optional
            Options of matplotlib's ``plot`` for the line and ``fill_between`` for the band.
        {line_options}

        {itself}
        """
        ax = self._begin(ax)
        self._check_axes(ax)
        look = self._look(name, line_kw, band_kw, kwargs)
        usual = drawing.style(len(drawing.drawn(ax, "curve"))) | {"label": self._label(look.name)}
        kind = f"curve-{self.by}"
        self.line_ = drawing.curve(ax, self.z, self.q, look.line_kw, kind=kind, **usual)
        limits = Band(self.q, self.lower, self.upper, self.n_runs)
        self.band_ = drawing.band(ax, self.z, limits, self.line_, band_kw)
        self.trivial_ = self._draw_trivial(ax) if trivial else ()
        self.skew_line_ = None
        if self.skew is not None:
            at = f"{MARKS[self.by]} = {self.skew:.3g}"
            self.skew_line_ = drawing.trivial(ax, [self.skew] * 2, [0, 1], at, "-")
        drawing.label(ax, *TITLES[self.by])
        ax.set(xlim=(0, 1), ylim=(0, self._top(ax)))
        drawing.legend(ax, legend)
        return self

    def _check_axes(self, ax: Any) -> None:
        """Raise a ValueError if the axes have a curve over the other quantity."""
        other = {"skew": "cost", "cost": "skew"}[self.by]
        if drawing.drawn(ax, f"curve-{other}"):
            raise ValueError(
                f"these axes have a curve by={other!r}; draw this one with by={other!r} too, or by "
                f"{self.by} on axes of its own"
            )

    def _ends(self) -> tuple[float, float] | None:
        """Cost of predicting all rows negative at 0, and all positive at 1."""
        if self.by == "skew":
            return 1.0, 1.0
        share = self.positive_share
        return None if share is None else (2 * share, 2 * (1 - share))

    def _draw_trivial(self, ax: Any) -> tuple[Any, ...]:
        ends = self._ends()
        if ends is None:
            return ()
        names = ("all negative", "all positive")
        if self.by == "skew":
            names = ("all negative (1 − z)", "all positive (z)")
        negative = drawing.trivial(ax, [0, 1], [ends[0], 0], names[0], ":")
        positive = drawing.trivial(ax, [0, 1], [0, ends[1]], names[1], "--")
        return negative, positive

    def _label(self, name: str | None) -> str | None:
        parts = [name, None if self.area is None else f"{self._areas[self.by]} {self.area:.3f}"]
        return "\n".join(part for part in parts if part) or None

    def _top(self, ax: Any) -> float:
        """Upper limit of the axis: above the intersection of the trivial lines and all curves."""
        highest = max(float(np.max(line.get_ydata())) for line in drawing.drawn(ax, "curve"))
        negative, positive = self._ends() or (0.0, 0.0)
        meet = negative * positive / (negative + positive) if negative + positive else 0.0
        return min(max(1.0, negative, positive), 1.1 * max(meet, highest)) or 1.0


def _position(rows: LabelledRows, form: Form, marked: bool) -> dict[str, Any]:
    """Kind of the curve, share of positives, and the mark of the costs if they are given."""
    skew = form.mark(rows) if marked else None
    return {"by": form.by, "positive_share": rows.positive_share, "skew": skew}


# ---- Brier curves and cost curves ----------------------------------------------------------------


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class BrierCurveDisplay(SkewCurveDisplay):
    r"""Cost of the decisions by probability, for every skew or every cost proportion.

    .. math::

        Q(x) = 2 \left[\pi_+ (1 - x)\, \mathrm{FNR}(x) + \pi_-\, x\, \mathrm{FPR}(x)\right]

    where a row is predicted positive if its probability exceeds x. With ``by="skew"``, x is the
    skew z, :math:`\pi_+ = \pi_- = 1/2`, and the probabilities are moved to balanced priors; with
    ``by="cost"``, x is the cost proportion c, the class shares are those of the rows, and the
    probabilities are as they are. The axis and the legend state which is drawn.

    Lower is better. The area is the Brier score, by skew at balanced priors. Where a curve is above
    one of the trivial classifiers, which predict every row negative or positive, the trivial
    classifier is better.

    Use it to compare classifiers while the costs, or the share of positives, are unknown. Use
    :func:`costboost.metrics.mean_cost` if they are known.

    Create it with ``from_estimator``, ``from_predictions``, ``from_cv_results`` or ``from_runs``,
    or from arrays.

    Parameters
    ----------
    {skew_curve}

    Attributes
    ----------
    {skew_curve_parts}

    Notes
    -----
    The skew contains the class shares, :math:`z = \pi_- C_- / (\pi_- C_- + \pi_+ C_+)`; the cost
    proportion does not, c = C- / (C- + C+). At the mark of the costs either curve has the cost of
    the decisions p > C- / (C- + C+): by skew, their :func:`costboost.metrics.normalized_cost`; by
    cost proportion, twice their :func:`costboost.metrics.mean_cost` divided by C- + C+.

    By skew, curves of problems with different class shares can be compared, and rare positives do
    not compress the curve into a corner: the two trivial classifiers always meet in the middle. By
    cost proportion, thresholds can be read off the axis.

    References
    ----------
    J. Hernandez-Orallo, P. Flach, C. Ferri, "Brier curves: a new cost-based visualisation of
    classifier performance", ICML 2011. N. Nikolaou et al., "Cost-sensitive boosting algorithms: Do
    we really need them?", Machine Learning 104, 2016, figure 7.

    Examples
    --------
    >>> from costboost.plots import BrierCurveDisplay
    >>> display = BrierCurveDisplay.from_predictions([0, 0, 1, 1], [0.1, 0.6, 0.4, 0.9])
    >>> print(display.z.round(1), round(display.area, 3))
    [0.  0.1 0.1 0.4 0.4 0.6 0.6 0.9 0.9 1. ] 0.185
    """

    _compute = staticmethod(brier_curve)
    _predict = staticmethod(class_probability)
    _areas: ClassVar = {"skew": "balanced Brier score", "cost": "Brier score"}


def _cost_curve(y_true: Any, y_score: Any, *, prior: Any, **options: Any) -> tuple[Floats, Floats]:
    """Cost curve; it depends on the order of the scores only, so that the prior has no effect."""
    return cost_curve(y_true, y_score, **options)


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class CostCurveDisplay(SkewCurveDisplay):
    r"""Least cost over all thresholds, for every skew or every cost proportion.

    .. math::

        Q^*(x) = \min_\theta 2 \left[\pi_+ (1 - x)\, \mathrm{FNR}(\theta)
            + \pi_-\, x\, \mathrm{FPR}(\theta)\right]

    Only the order of the scores matters. The curve is never above the :class:`BrierCurveDisplay`
    of the same kind; the gap between the two is what the best monotone correction of the
    probabilities would save, so plot both on the same axes. It is not an estimate of future cost:
    the thresholds are chosen on the rows on which they are evaluated, and with few rows much of
    the gap is due to chance.

    Create it with ``from_estimator``, ``from_predictions``, ``from_cv_results`` or ``from_runs``,
    or from arrays.

    Parameters
    ----------
    {skew_curve}

    Attributes
    ----------
    {skew_curve_parts}

    References
    ----------
    C. Drummond, R. C. Holte, "Cost curves: an improved method for visualizing classifier
    performance", Machine Learning 65, 2006.

    Examples
    --------
    >>> from costboost.plots import CostCurveDisplay
    >>> display = CostCurveDisplay.from_predictions([0, 1, 0, 1], [1, 2, 3, 4])
    >>> print(display.z, display.q)
    [0.  0.5 1. ] [0.   0.25 0.  ]
    """

    _compute = staticmethod(_cost_curve)
    _predict = staticmethod(class_score)
    _areas: ClassVar = {"skew": "area", "cost": "area"}
