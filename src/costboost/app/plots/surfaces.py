"""Decisions over a plane of two features."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from costboost.app.plots import drawing
from costboost.app.plots.descriptions import documented
from costboost.app.plots.display import Display, maker
from costboost.app.plots.numbers.labelled_rows import read_rows
from costboost.app.plots.numbers.predictions import positive_class
from costboost.app.plots.numbers.surfaces import Surface, check_plane, surface
from costboost.metrics.checks import check_weight

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
