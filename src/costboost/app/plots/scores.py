"""Displays of scores: distributions of margins, losses against the margin, decision surfaces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from costboost.app.plots import drawing
from costboost.app.plots.display import Display, LineDisplay, Look, documented, maker
from costboost.app.plots.numbers import (
    Band,
    Distribution,
    check_margin,
    check_rounds,
    loss_grid,
    loss_values,
    margin_distributions,
    margins_at,
    mean_margin_distributions,
    swaps,
)
from costboost.app.plots.predictions import (
    Surface,
    check_plane,
    name_of,
    positive_class,
    read_rows,
    runs_of,
    surface,
)
from costboost.metrics.checks import check_numbers, check_weight

# ---- margins -------------------------------------------------------------------------------------


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class MarginDistributionDisplay(LineDisplay):
    r"""Cumulative distribution of the normalised margins.

    .. math:: \frac{y_i F(x_i)}{\sum_t |\alpha_t|} \in [-1, 1]

    The height at margin 0 is the share of rows that the votes get wrong. A curve further right is
    a clearer vote; one that rises steeply near 0 has learners that contradict one another, which
    Nikolaou et al. observe in algorithms that swap the asymmetry of the costs.

    Use it to see whether more rounds still widen the margins, and how costs affect either class.
    It shows neither probabilities nor the decisions of a classifier that applies costs after
    training, such as AdaMEC: its margins are those of AdaBoost.

    Create it with ``from_estimator``, ``from_predictions`` or ``from_cv_results``.

    Parameters
    ----------
    distributions : list of Distribution
        Each with ``margin`` and ``share``, possibly ``lower``, ``upper`` and ``n_runs``, and the
        ``round`` and the class (``positive``) of the rows, both None for all.
    {class_names}
    {classifier_name}

    Attributes
    ----------
    {axes}
    lines_ : list of matplotlib Line2D
        The curves.
    bands_ : list
        The bands, or None for a curve without one.

    References
    ----------
    R. E. Schapire, Y. Freund, P. Bartlett, W. S. Lee, "Boosting the margin: a new explanation for
    the effectiveness of voting methods", Annals of Statistics 26, 1998. N. Nikolaou et al.,
    "Cost-sensitive boosting algorithms: Do we really need them?", Machine Learning 104, 2016,
    figure 3.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from costboost.algorithms import AdaBoostClassifier
    >>> from costboost.plots import MarginDistributionDisplay
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> clf = AdaBoostClassifier(n_estimators=3).fit(X, y)
    >>> display = MarginDistributionDisplay.from_estimator(clf, X, y, rounds=[1, 3])
    >>> for one in display.distributions:
    ...     print(one.round, one.margin[:4].round(2), one.share[:4].round(3))
    1 [-1.  1.] [0.079 1.   ]
    3 [-0.45 -0.34 -0.2   0.2 ] [0.012 0.021 0.035 0.093]
    """

    distributions: Sequence[Distribution]
    classes: tuple[Any, Any] | None = None
    name: str | None = None

    @classmethod
    @maker
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        rounds: Any = None,
        per_class: bool = False,
        sample_weight: Any = None,
        pos_label: Any = None,
        name: str | None = None,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Plot the margins of a fitted ensemble.

        Parameters
        ----------
        estimator : fitted classifier
            An ensemble that :func:`costboost.metrics.margins` can read, as those of this library
            are. scikit-learn's AdaBoost divides its scores by the steps itself: pass them to
            ``from_predictions``.
        {rows}
        {rounds}
        {per_class}
        {weight}
        {pos_label}
        {drawing}

        {returns}
        """
        label = positive_class(estimator, pos_label)
        rows = read_rows(y, label, sample_weight)
        found = margins_at(estimator, X, y, check_rounds(rounds))
        return cls(
            distributions=margin_distributions(found, rows, per_class),
            classes=(rows.other, rows.label),
            name=name_of(estimator) if name is None else name,
        ).plot(ax=ax, **options)

    @classmethod
    @maker
    def from_predictions(
        cls,
        y_true: Any,
        y_score: Any,
        *,
        per_class: bool = False,
        sample_weight: Any = None,
        pos_label: Any = None,
        name: str | None = None,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Draw the margins of scores.

        Parameters
        ----------
        {y_true}
        y_score : array of shape (n_samples,)
            Scores that are above 0 where the vote is for the positive class, from -1 to 1: the sum
            of the votes divided by the sum of their sizes.
        {per_class}
        {weight}
        {greater_label}
        {drawing}

        {returns}
        """
        rows = read_rows(y_true, pos_label, sample_weight)
        score = check_numbers("y_score", y_score)
        if score.shape != rows.positive.shape or not np.all(np.abs(score) <= 1):
            raise ValueError(
                "y_score must have one number from -1 to 1 for each row of y_true; divide scores "
                "by the sum of the votes' sizes"
            )
        margin = np.where(rows.positive, score, -score)
        return cls(
            distributions=margin_distributions({None: margin}, rows, per_class),
            classes=(rows.other, rows.label),
            name=name,
        ).plot(ax=ax, **options)

    @classmethod
    @maker
    def from_cv_results(
        cls,
        cv_results: Any,
        X: Any,
        y: Any,
        *,
        rounds: Any = None,
        per_class: bool = False,
        sample_weight: Any = None,
        pos_label: Any = None,
        name: str | None = None,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Plot the mean over the runs of a cross-validation, with 95% bands.

        The margins are those of the rows held out in each run.

        Parameters
        ----------
        {cv_results}
        {rounds}
        {per_class}
        {weight}
        {pos_label}
        {drawing}

        {returns}
        """
        runs = runs_of(cv_results, X, y)
        first = runs[0].estimator
        rows = read_rows(y, positive_class(first, pos_label), sample_weight)
        return cls(
            distributions=mean_margin_distributions(
                runs, X, y, rows, check_rounds(rounds), per_class
            ),
            classes=(rows.other, rows.label),
            name=name_of(first) if name is None else name,
        ).plot(ax=ax, **options)

    def _draw(self, ax: Any, look: Look) -> None:
        self.lines_: list[Any] = []
        self.bands_: list[Any] = []
        for one in self.distributions:
            self._draw_distribution(ax, one, look)
        drawing.label(ax, "normalised margin", "share of rows at or below")
        drawing.trivial(ax, [0, 0], [0, 1], "wrong | right", ":")
        ax.set(xlim=(-1.03, 1.03), ylim=(-0.02, 1.02))

    def _draw_distribution(self, ax: Any, one: Distribution, look: Look) -> None:
        usual = drawing.style(len(drawing.drawn(ax, "curve")))
        if one.positive is not None:  # the second of a pair keeps the colour of the first
            usual = drawing.style(len(drawing.drawn(ax, "curve")) // 2)
            usual["linestyle"] = drawing.OF_CLASS[one.positive]
        x = np.concatenate([[-1.0], one.margin, [1.0]])
        y = np.concatenate([[0.0], one.share, [1.0]])
        if one.n_runs > 1:
            x, y = one.margin, one.share
        label = self._label(one, look.name)
        line = drawing.curve(ax, x, y, look.line_kw, drawstyle="steps-post", label=label, **usual)
        self.lines_.append(line)
        limits = Band(one.share, one.lower, one.upper, one.n_runs)
        self.bands_.append(drawing.band(ax, one.margin, limits, line, look.band_kw))

    def _label(self, one: Distribution, name: str | None) -> str | None:
        parts = [name]
        parts += [None if one.round is None else f"{one.round} rounds"]
        if one.positive is not None:
            which = "positive" if one.positive else "negative"
            parts += [
                which if self.classes is None else f"{which}: {self.classes[int(one.positive)]}"
            ]
        return ", ".join(part for part in parts if part) or None


# ---- losses --------------------------------------------------------------------------------------


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class LossDisplay(Display):
    r"""Loss against the margin, for both classes, and where their asymmetry swaps.

    .. math:: L_+(yF), \quad L_-(yF)

    With unequal costs a row of the costlier class should have a greater loss than one of the other
    class with the same margin. Margins at which it has a smaller loss are shaded: there the
    algorithm swaps the asymmetry of the costs.

    Use it to see what an algorithm minimises; it does not depend on data.

    Create it with ``from_estimator`` for an algorithm of this library, or with ``from_losses`` for
    any loss.

    Parameters
    ----------
    margin : array
        Margins yF, in ascending order.
    positive : array of that length
        Loss of a row of the positive class, or of any row.
    negative : array of that length, optional
        Loss of a row of the negative class, if it differs.
    positive_is_dearer : bool, optional
        Which class is the costlier one. Default: that of the greater loss at the lowest margin.
    name : str, optional
        Name of the loss.

    Attributes
    ----------
    swaps : list of pairs
        Intervals of the margin in which the asymmetry is swapped.
    {axes}
    line_ : matplotlib Line2D
        The loss of the positive class, or of any row.
    negative_line_ : matplotlib Line2D or None
        The loss of the negative class.
    spans_ : list of matplotlib patches
        The shaded intervals.

    References
    ----------
    N. Nikolaou et al., "Cost-sensitive boosting algorithms: Do we really need them?", Machine
    Learning 104, 2016, figures 1 and 2. Nyga, D. (2010). Ensemble learning for classification of
    imbalanced data. Master's thesis, TU Muenchen; figure 2.2.

    Examples
    --------
    >>> import numpy as np
    >>> from costboost.plots import LossDisplay
    >>> LossDisplay.from_losses(lambda m: np.exp(-2 * m), lambda m: np.exp(-m)).swaps
    [(0.0, 1.5)]
    """

    margin: Any
    positive: Any
    negative: Any = None
    positive_is_dearer: bool | None = None
    name: str | None = None

    def __post_init__(self) -> None:
        self.margin = check_margin(self.margin)
        self.positive = loss_values(self.positive, self.margin, "positive")
        self.swaps: list[tuple[float, float]] = []
        if self.negative is not None:
            self.negative = loss_values(self.negative, self.margin, "negative")
            self.swaps = swaps(self.margin, self.positive, self.negative, self.positive_is_dearer)

    @classmethod
    @maker
    def from_estimator(
        cls,
        algorithm: Any,
        *,
        fn_cost: float = 2.0,
        fp_cost: float = 1.0,
        round: int = 1,
        n_rounds: int | None = None,
        margin: Any = None,
        name: str | None = None,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Plot the loss of an algorithm, derived from its rule by :func:`costboost.theory.losses`.

        It needs costboost-lab.

        Parameters
        ----------
        algorithm : classifier, class of a classifier, or rule
            It need not be fitted. Algorithms that imply no loss of the margin raise a ValueError.
        fn_cost, fp_cost : float, default 2 and 1
            Costs of false negatives and false positives.
        round : int, default 1
            The round; the losses of some algorithms change with it.
        n_rounds : int, optional
            Number of rounds. Default: ``n_estimators`` of the classifier.
        margin : array, optional
            Margins, in ascending order. Default: from -1.5 to 1.5, extended to where the asymmetry
            swaps.
        {drawing}

        {returns}
        """
        from costboost.theory import losses

        loss = losses(algorithm, fn_cost, fp_cost, n_rounds=n_rounds)
        margin = check_margin(loss_grid(loss.swap(round)) if margin is None else margin)
        title = f"{loss.name}, {fn_cost:g}:{fp_cost:g}" + (f", round {round}" if round > 1 else "")
        return cls(
            margin=margin,
            positive=loss(margin, positive=True, round=round),
            negative=loss(margin, positive=False, round=round),
            positive_is_dearer=None if fn_cost == fp_cost else fn_cost > fp_cost,
            name=title if name is None else name,
        ).plot(ax=ax, **options)

    @classmethod
    @maker
    def from_losses(
        cls,
        positive: Any,
        negative: Any = None,
        *,
        margin: Any = None,
        positive_is_dearer: bool | None = None,
        name: str | None = None,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Plot a loss that is given as functions or arrays.

        Parameters
        ----------
        positive, negative : function or array
            Loss of a row of either class: a function of an array of margins, or its values there.
            Without ``negative``, the loss is the same for both.
        margin : array, optional
            Margins, in ascending order. Default: from -1.5 to 1.5.
        positive_is_dearer : bool, optional
            Which class is the costlier one. Default: that of the greater loss at the lowest
            margin.
        {drawing}

        {returns}
        """
        display = cls(
            margin=check_margin(margin),
            positive=positive,
            negative=negative,
            positive_is_dearer=positive_is_dearer,
            name=name,
        )
        return display.plot(ax=ax, **options)

    @documented
    def plot(
        self,
        ax: Any = None,
        *,
        name: str | None = None,
        legend: str | None = "auto",
        line_kw: Mapping[str, Any] | None = None,
        span_kw: Mapping[str, Any] | None = None,
        **kwargs: Any,
    ) -> Self:
        """Plot the losses.

        Parameters
        ----------
        {ax}
        {name}
        {legend}
        line_kw, span_kw : dict, optional
            Options of matplotlib's ``plot`` for the lines and ``axvspan`` for the intervals in
            which the asymmetry is swapped.
        {line_options}

        {itself}
        """
        line_kw = drawing.options(line_kw, kwargs)
        ax = self._begin(ax)
        name = self.name if name is None else name
        self.line_ = self._draw(ax, self.positive, True, name, line_kw)
        self.negative_line_ = None
        if self.negative is not None:
            self.negative_line_ = self._draw(ax, self.negative, False, name, line_kw)
        usual = {"facecolor": drawing.GREY, "alpha": 0.15, "linewidth": 0, "zorder": 0}
        self.spans_ = [
            ax.axvspan(*ends, **{**usual, "label": self._interval(*ends), **(span_kw or {})})
            for ends in self.swaps
        ]
        drawing.trivial(ax, [0, 0], [0, 1], "wrong | right", ":").set_transform(
            ax.get_xaxis_transform()
        )
        drawing.label(ax, "margin yF", "loss")
        ax.autoscale(axis="x", tight=True)
        ax.set_ylim(*_limits(ax))
        drawing.legend(ax, legend)
        return self

    def _draw(self, ax: Any, loss: Any, positive: bool, name: str | None, kw: Any) -> Any:
        usual = drawing.style(len(drawing.drawn(ax, "curve")))
        label = name
        if self.negative is not None:
            usual["linestyle"] = drawing.OF_CLASS[positive]
            which = "positive class" if positive else "negative class"
            label = which if not name else f"{name}, {which}"
        return drawing.curve(ax, self.margin, loss, kw, label=label, **usual)

    def _interval(self, left: float, right: float) -> str:
        if right == self.margin[-1]:
            return f"asymmetry swapped, yF > {left:.2g}"
        if left == self.margin[0]:
            return f"asymmetry swapped, yF < {right:.2g}"
        return f"asymmetry swapped, {left:.2g} < yF < {right:.2g}"


def _limits(ax: Any) -> tuple[float, float]:
    """Limits of the axis, which exclude large losses at very negative margins."""
    lines = drawing.drawn(ax, "curve")
    highest = max(float(np.max(line.get_ydata())) for line in lines)
    lowest = min(float(np.min(line.get_ydata())) for line in lines)
    middle = max(float(np.interp(0.0, line.get_xdata(), line.get_ydata())) for line in lines)
    top = highest if middle <= 0 else min(highest, 5 * middle)
    return min(0.0, lowest), 1.05 * top


# ---- decision surfaces ---------------------------------------------------------------------------

SIZE = (6.8, 5.2)
SIDES = {True: (drawing.COLOURS[1], "o"), False: (drawing.COLOURS[0], "^")}
"""Colour and marker of the points of either class."""
SHADES = ("#4393C3", "#E3EFF7", "#FBE9DE", "#E88A4F")
"""Of the plane: negative with high and low confidence, positive with low and high confidence."""


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class DecisionSurfaceDisplay(Display):
    """Decisions over a plane, shaded by confidence, with points sized by weight.

    The shade is the distance of the score from where the decision changes, which is 0 of
    ``decision_function``. The line is the boundary of the decisions themselves.

    Use it for data of two features: what a weak learner can express, where an ensemble overfits,
    how costs move the boundary. For more features there are partial dependence plots,
    ``sklearn.inspection.PartialDependenceDisplay``.

    Parameters
    ----------
    surface : Surface
        With the axes ``x`` and ``y`` of a grid, and ``positive`` and ``confidence`` on it.
    points : array of shape (n_samples, 2), optional
        Points to draw.
    positive : boolean array of shape (n_samples,), optional
        Which of them are of the positive class.
    weight : array of shape (n_samples,), optional
        Weights, which determine the size of the points. Default: all equal.
    {class_names}
    feature_names : tuple of two str, default ("x1", "x2")
        Names of the axes.

    Attributes
    ----------
    {axes}
    mesh_ : matplotlib QuadMesh
        The shaded plane.
    boundary_ : matplotlib ContourSet or None
        The decision boundary; None if there is none on the grid.
    points_ : dict of matplotlib PathCollection
        The points of the positive (True) and of the negative (False) class.
    colorbar_ : matplotlib Colorbar or None
        The colour bar.

    References
    ----------
    Nyga, D. (2010). Ensemble learning for classification of imbalanced data. Master's thesis,
    TU Muenchen; figures 1.5, 3.3 and 3.7.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from costboost.algorithms import AdaBoostClassifier
    >>> from costboost.plots import DecisionSurfaceDisplay
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X = X[:, :2]
    >>> clf = AdaBoostClassifier(n_estimators=3).fit(X, y)
    >>> display = DecisionSurfaceDisplay.from_estimator(clf, X, y, resolution=50)
    >>> display.surface.positive.shape, bool(display.surface.positive.any())
    ((50, 50), True)
    """

    surface: Surface
    points: Any = None
    positive: Any = None
    weight: Any = None
    classes: tuple[Any, Any] | None = None
    feature_names: tuple[str, str] = ("x1", "x2")

    @classmethod
    @maker
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any = None,
        *,
        stage: int | None = None,
        learner: int | None = None,
        sample_weight: Any = None,
        resolution: int = 200,
        padding: float = 0.08,
        pos_label: Any = None,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Plot the surface of a fitted classifier.

        Parameters
        ----------
        {estimator}
        X : array or data frame of shape (n_samples, 2)
            Points, around which the surface is drawn.
        y : array of shape (n_samples,), optional
            Their labels. Without them no points are drawn.
        stage : int, optional
            Plot the ensemble after this number of rounds.
        learner : int, optional
            Plot the weak learner of this round only, counted from 1.
        sample_weight : array of shape (n_samples,), optional
            Weights, which determine the size of the points, such as those of a round of boosting.
        resolution : int, default 200
            Points of the grid along either axis.
        padding : float, default 0.08
            Room around the points, as a share of their range.
        {pos_label}
        {plot}

        {returns}
        """
        label = positive_class(estimator, pos_label)
        points, names = check_plane(X)
        found = surface(
            estimator,
            X,
            label,
            stage=stage,
            learner=learner,
            resolution=resolution,
            padding=padding,
        )
        display = cls(surface=found, feature_names=(names[0], names[1]))
        if y is not None:
            rows = read_rows(y, label)
            display.points, display.positive = points, rows.positive
            display.weight = check_weight(sample_weight, len(points))
            display.classes = (rows.other, rows.label)
        return display.plot(ax=ax, **options)

    @documented
    def plot(
        self,
        ax: Any = None,
        *,
        colorbar: bool = True,
        legend: str | None = "auto",
        mesh_kw: Mapping[str, Any] | None = None,
        boundary_kw: Mapping[str, Any] | None = None,
        point_kw: Mapping[str, Any] | None = None,
    ) -> Self:
        """Plot the surface.

        Parameters
        ----------
        {ax}
        colorbar : bool, default True
            Whether to add a colour bar.
        {legend}
        mesh_kw, boundary_kw, point_kw : dict, optional
            Options of matplotlib's ``pcolormesh``, ``contour`` and ``scatter``.

        {itself}
        """
        ax = self._begin(ax, SIZE)
        self.mesh_ = self._draw_mesh(ax, mesh_kw)
        self.boundary_ = self._draw_boundary(ax, boundary_kw)
        self.points_ = {} if self.points is None else self._draw_points(ax, point_kw)
        self.colorbar_ = self._draw_colorbar(ax) if colorbar else None
        drawing.label(ax, *self.feature_names)
        drawing.legend(ax, legend, below=True)
        return self

    def _draw_mesh(self, ax: Any, kw: Mapping[str, Any] | None) -> Any:
        from matplotlib.colors import LinearSegmentedColormap

        confidence = self.surface.confidence
        most = float(np.percentile(confidence, 95)) or float(confidence.max()) or 1.0
        shades = list(zip((0, 0.5, 0.5, 1), SHADES, strict=True))
        usual = {
            "cmap": LinearSegmentedColormap.from_list("decisions", shades),
            "vmin": -most,
            "vmax": most,
            "shading": "nearest",
            "rasterized": True,
        }
        signed = np.where(self.surface.positive, confidence, -confidence)
        return ax.pcolormesh(self.surface.x, self.surface.y, signed, **{**usual, **(kw or {})})

    def _draw_colorbar(self, ax: Any) -> Any:
        ends = "both" if float(self.surface.confidence.max()) > self.mesh_.get_clim()[1] else None
        bar = ax.figure.colorbar(
            self.mesh_, ax=ax, extend=ends or "neither", format=lambda tick, _: f"{abs(tick):g}"
        )
        bar.set_label("distance from the boundary")
        return bar

    def _draw_boundary(self, ax: Any, kw: Mapping[str, Any] | None) -> Any:
        positive = self.surface.positive
        if positive.all() or not positive.any():
            return None
        usual = {"levels": [0.5], "colors": "black", "linewidths": 1.2}
        grid = (self.surface.x, self.surface.y, positive.astype(np.float64))
        return ax.contour(*grid, **{**usual, **(kw or {})})

    def _draw_points(self, ax: Any, kw: Mapping[str, Any] | None) -> dict[bool, Any]:
        weight = np.ones(len(self.points)) if self.weight is None else self.weight
        usual_area = np.clip(6000 / len(weight), 14, 120)  # fewer points are larger
        area = usual_area * np.clip(weight / weight.mean(), 0.1, 10)
        drawn = {}
        for which, (colour, marker) in SIDES.items():
            rows = self.positive == which
            usual = {
                "s": area[rows],
                "marker": marker,
                "facecolor": colour,
                "edgecolor": "black",
                "linewidth": 0.5,
                "label": self._label(which),
                "zorder": 3,
            }
            drawn[which] = ax.scatter(*self.points[rows].T, **{**usual, **(kw or {})})
        return drawn

    def _label(self, which: bool) -> str:
        side = "positive" if which else "negative"
        return side if self.classes is None else f"{side}: {self.classes[int(which)]}"
