"""Curves of cost against skew, cost proportion or an uncertain cost, and over ranked rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from costboost.app.plots import drawing
from costboost.app.plots.display import CurveDisplay, LineDisplay, Look, documented, maker
from costboost.app.plots.numbers import (
    SHARES,
    SMALLEST_SHARE,
    Band,
    Compute,
    Form,
    Resampling,
    check_curve,
    check_form,
    check_limits,
    check_line,
    check_share_limits,
    mean_skew_curve,
    skew_curve,
    skew_curve_of_costs,
)
from costboost.app.plots.predictions import (
    LabelledRows,
    class_probability,
    class_score,
    name_of,
    positive_class,
    read_rows,
    runs_of,
)
from costboost.decisions.actions import ActionClassifier, uncertain_decisions
from costboost.metrics import brier_curve, cost_curve, decision_curve, lift_curve, profit_curve
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
        {greater_label}
        {by}
        {prior}
        {drawing}

        {returns}
        """
        rows = read_rows(y_true, pos_label, sample_weight, fn_cost, fp_cost)
        form = Form(by, prior)
        found = skew_curve(cls._compute, rows, y_score, form)
        marked = fn_cost is not None or fp_cost is not None
        return cls(**found._asdict(), **_position(rows, form, marked), name=name).plot(
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
        rows = read_rows(y, positive_class(first, pos_label), sample_weight, fn_cost, fp_cost)
        form = Form(by, prior)
        found = mean_skew_curve(cls._compute, cls._predict, runs, X, rows, form)
        marked = fn_cost is not None or fp_cost is not None
        return cls(
            **found._asdict(),
            **_position(rows, form, marked),
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


# ---- uncertain costs -----------------------------------------------------------------------------

BAND_NOTE = "other costs within their ranges"


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class UncertainCostDisplay(LineDisplay):
    r"""Expected cost of decisions while one uncertain cost moves through its range.

    The line is the expected cost of a row for the decisions that the classifier makes without
    knowledge of the cost; the band is where it can be if all other uncertain costs move through
    their ranges, too. The dashed line is the expected cost if the cost were known before the
    decisions, with all others at their means. The gap between the lines is what that knowledge is
    worth.

    Use it to see whether an uncertain cost matters, and whether it is worth the effort to find out
    more about it. The share of decisions that depend on it at all is that of
    `costboost.ActionClassifier.robustness`.

    Create it with ``from_estimator``.

    Parameters
    ----------
    cost : array
        Values of the cost, in ascending order.
    decided : Band
        Expected cost of the decisions, with ``lower`` and ``upper`` limits.
    known : array of the length of ``cost``
        Expected cost if the cost is known.
    cell : tuple (truth, action)
        The cost that moves.
    of_rows : bool, default False
        Whether ``cost`` is a share of the range, since rows have ranges of their own.
    {classifier_name}

    Attributes
    ----------
    {axes}
    line_ : matplotlib Line2D
        The decisions.
    band_ : matplotlib PolyCollection or None
        The band.
    known_line_ : matplotlib Line2D
        Decisions with the cost known.

    References
    ----------
    Savage, L. J. (1951). The theory of statistical decision. Journal of the American Statistical
    Association 46(253), 55-67.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from costboost import ActionClassifier, CostBoostClassifier
    >>> from costboost.plots import UncertainCostDisplay
    >>> X, y = load_breast_cancer(return_X_y=True)  # 0 is malignant
    >>> costs = {
    ...     0: {"operate": 0, "biopsy": 5, "discharge": (50, 400)},
    ...     1: {"operate": 40, "biopsy": 5, "discharge": 0},
    ... }
    >>> clf = ActionClassifier(CostBoostClassifier(random_state=0), costs=costs).fit(X, y)
    >>> display = UncertainCostDisplay.from_estimator(clf, X)
    >>> print(display.cell, display.cost[[0, -1]])
    (0, 'discharge') [ 50. 400.]
    """

    cost: Any
    decided: Band
    known: Any
    cell: tuple[Any, str]
    of_rows: bool = False
    name: str | None = None

    def __post_init__(self) -> None:
        self.cost = np.asarray(self.cost, dtype=np.float64)
        self.known = np.asarray(self.known, dtype=np.float64)
        for values, what in ((self.decided.middle, "decided"), (self.known, "known")):
            if np.shape(values) != self.cost.shape:
                raise ValueError(
                    f"{what} must have one value for each of the {self.cost.size} costs, got an "
                    f"array of shape {np.shape(values)}"
                )

    @classmethod
    @maker
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        *,
        cell: tuple[Any, str] | None = None,
        costs: Any = None,
        name: str | None = None,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Plot the expected cost of the decisions for some rows.

        Parameters
        ----------
        estimator : ActionClassifier
            Fitted, with at least one cost that is a range or a distribution. A distribution moves
            through its central 95% interval.
        X : array, data frame or sparse matrix of shape (n_samples, n_features)
        cell : tuple (truth, action), optional
            The cost that moves. Default: that with the greatest effect on the expected cost.
        costs : pandas frame or dict of dicts, optional
            Costs of these rows, as for ``predict``.
        {drawing}

        {returns}
        """
        if not isinstance(estimator, ActionClassifier):
            raise ValueError(
                f"estimator must be an ActionClassifier, got a {type(estimator).__name__}; others "
                "have no uncertain costs"
            )
        found = uncertain_decisions(estimator, X, costs).move(cell)
        return cls(
            cost=found.cost,
            decided=Band(found.decided, found.lower, found.upper),
            known=found.known,
            cell=found.cell,
            of_rows=found.of_rows,
            name=name,
        ).plot(ax=ax, **options)

    def _draw(self, ax: Any, look: Look) -> None:
        before = f"{look.name}, " if look.name else ""
        colour = drawing.style(len(drawing.drawn(ax, "curve")) // 2)["color"]
        self.line_ = drawing.curve(
            ax,
            self.cost,
            self.decided.middle,
            look.line_kw,
            label=f"{before}as decided",
            color=colour,
        )
        note = BAND_NOTE if self._has_band else ""
        self.band_ = drawing.band(ax, self.cost, self.decided, self.line_, look.band_kw, note=note)
        self.known_line_ = drawing.curve(
            ax,
            self.cost,
            self.known,
            look.line_kw,
            label=f"{before}if the cost were known",
            color=colour,
            linestyle="--",
        )
        truth, action = self.cell
        what = f"cost of {action!r} where {truth!r} is true"
        drawing.label(
            ax, f"{what}, share of its range" if self.of_rows else what, "expected cost of a row"
        )
        ax.autoscale(axis="x", tight=True)

    @property
    def _has_band(self) -> bool:
        """Whether another cost is uncertain, too."""
        lower, upper = self.decided.lower, self.decided.upper
        return lower is not None and upper is not None and bool(np.any(upper > lower))


# ---- curves over thresholds or shares of rows ----------------------------------------------------


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
