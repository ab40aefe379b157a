"""Normalised cost against skew: what Brier curves and cost curves share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from costboost.metrics.checks import Floats
from costboost.plots import drawing
from costboost.plots.display import Display, maker
from costboost.plots.documentation import documented
from costboost.plots.numbers.answers import name_of, positive_class, runs_of
from costboost.plots.numbers.rows import Rows, read_rows
from costboost.plots.numbers.runs import Band
from costboost.plots.numbers.skews import Compute, check_curve, of_costs, of_runs, of_scores


@dataclass(kw_only=True, eq=False, repr=False)
class SkewCurveDisplay(Display):
    """Base of the two; not meant to be used by itself."""

    _compute: ClassVar[Compute]
    """Labels and answers of a classifier to skews and costs."""
    _answer: ClassVar[Callable[..., Floats]]
    """What a classifier is asked for."""

    z: Any
    q: Any
    lower: Any = None
    upper: Any = None
    n_runs: int = 1
    area: float | None = None
    skew: float | None = None
    name: str | None = None

    def __post_init__(self) -> None:
        given = (self.z, self.q, self.lower, self.upper)
        self.z, self.q, self.lower, self.upper = check_curve(*given)

    # ---- numbers ---------------------------------------------------------------------------------

    @classmethod
    @maker
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        sample_weight: Any = None,
        fn_cost: Any = None,
        fp_cost: Any = None,
        pos_label: Any = None,
        name: str | None = None,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Draw the curve of a fitted classifier.

        Parameters
        ----------
        {estimator}
        {rows}
        {weight}
        {marked_costs}
        {pos_label}
        {drawing}

        {returns}
        """
        label = positive_class(estimator, pos_label)
        return cls.from_predictions(
            y,
            cls._answer(estimator, X, label),
            sample_weight=sample_weight,
            fn_cost=fn_cost,
            fp_cost=fp_cost,
            pos_label=label,
            name=name_of(estimator) if name is None else name,
            ax=ax,
            **options,
        )

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
        name: str | None = None,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Draw the curve of predictions.

        Parameters
        ----------
        {y_true}
        y_score : array of shape (n_samples,)
            Probabilities of the positive class; for a cost curve, any numbers that are higher for
            it.
        {weight}
        fn_cost, fp_cost : number or array of shape (n_samples,), optional
            Costs of a miss and of a false alarm. If one is given, the skew that they and the class
            shares make together is marked. Costs of rows let each row count by its cost in the
            rates of misses and of false alarms, as :func:`costboost.metrics.normalized_cost` does.
        {greater_label}
        {drawing}

        {returns}
        """
        rows = read_rows(y_true, pos_label, sample_weight, fn_cost, fp_cost)
        found = of_scores(cls._compute, rows, y_score)
        return cls(**found._asdict(), skew=_marked(rows, fn_cost, fp_cost), name=name).plot(
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
        name: str | None = None,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Draw the mean curve over the runs of a cross-validation, with a band of 95%.

        Parameters
        ----------
        {cv_results}
        {weight}
        {marked_costs}
        {pos_label}
        {drawing}

        {returns}
        """
        runs = runs_of(cv_results, X, y)
        first = runs[0].estimator
        rows = read_rows(y, positive_class(first, pos_label), sample_weight, fn_cost, fp_cost)
        found = of_runs(cls._compute, cls._answer, runs, X, rows)
        return cls(
            **found._asdict(),
            skew=_marked(rows, fn_cost, fp_cost),
            name=name_of(first) if name is None else name,
        ).plot(ax=ax, **options)

    @classmethod
    @maker
    def from_runs(
        cls, z: Any, q: Any, *, name: str | None = None, ax: Any = None, **options: Any
    ) -> Self:
        """Draw the mean of costs that were measured in several runs, with a band of 95%.

        For classifiers that are trained anew for every skew, as most algorithms have to be.

        Parameters
        ----------
        z : array of shape (n_skews,)
            Skews, rising.
        q : array of shape (n_runs, n_skews)
            Normalised cost in each run at each skew.
        {drawing}

        {returns}
        """
        return cls(**of_costs(z, q)._asdict(), name=name).plot(ax=ax, **options)

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
    ) -> Self:
        """Draw the curve.

        Parameters
        ----------
        {ax}
        {name}
        trivial : bool, default True
            Whether to draw the classifiers that call every row negative, or positive. On the same
            axes they are drawn once.
        {legend}
        line_kw, band_kw : dict, optional
            Options of matplotlib's ``plot`` for the line and ``fill_between`` for the band.

        Returns
        -------
        self
        """
        ax = self._begin(ax)
        usual = drawing.style(len(drawing.drawn(ax, "curve"))) | {"label": self._label(name)}
        self.line_ = drawing.curve(ax, self.z, self.q, line_kw, **usual)
        limits = Band(self.q, self.lower, self.upper, self.n_runs)
        self.band_ = drawing.band(ax, self.z, limits, self.line_, band_kw)
        self.trivial_ = self._draw_trivial(ax) if trivial else ()
        self.skew_line_ = None
        if self.skew is not None:
            at = f"skew of the costs, z = {self.skew:.3g}"
            self.skew_line_ = drawing.trivial(ax, [self.skew] * 2, [0, 1], at, "-")
        drawing.label(ax, "skew z", "normalised cost Q")
        ax.set(xlim=(0, 1), ylim=(0, _top(ax)))
        drawing.legend(ax, legend)
        return self

    def _draw_trivial(self, ax: Any) -> tuple[Any, Any]:
        negative = drawing.trivial(ax, [0, 1], [1, 0], "all negative (1 − z)", ":")
        positive = drawing.trivial(ax, [0, 1], [0, 1], "all positive (z)", "--")
        return negative, positive

    def _label(self, name: str | None) -> str | None:
        parts = [self.name if name is None else name]
        parts += [None if self.area is None else f"area {self.area:.3f}"]
        return "\n".join(part for part in parts if part) or None


def _marked(rows: Rows, fn_cost: Any, fp_cost: Any) -> float | None:
    """The skew to mark: that of the costs, if any were given."""
    return None if fn_cost is None and fp_cost is None else rows.skew


def _top(ax: Any) -> float:
    """Upper limit of the axes: what is worth seeing is below the trivial classifiers, up to 1/2."""
    highest = max(float(np.max(line.get_ydata())) for line in drawing.drawn(ax, "curve"))
    return min(1.0, max(0.55, 1.1 * highest))
