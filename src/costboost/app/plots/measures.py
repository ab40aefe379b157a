"""Measures of decisions after each round of boosting, and against a cost or other parameter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from costboost._core.names import MISTAKES
from costboost.app.plots import drawing
from costboost.app.plots.display import LineDisplay, Look, documented, maker
from costboost.app.plots.numbers import (
    MEASURES,
    TITLES,
    Band,
    Sweep,
    check_measures,
    check_range,
    cross_validate_sweep,
    mean_staged_measures,
    measure_decisions,
    measure_probabilities,
    search_results,
    staged_measures,
    training_rows,
    true_costs,
)
from costboost.app.plots.predictions import positive_class, read_rows, runs_of, two_classes
from costboost.decisions.wrapping import check_estimator, positive_label
from costboost.metrics.checks import check_labels, distinct

OF_A_CLASS = {"precision", "recall", "f1"}
"""Measures of one of the classes."""
RIGHT = "cost"
"""A measure that is not a share and has an axis of its own on the right."""


@dataclass(kw_only=True, eq=False, repr=False)
class MeasuresDisplay(LineDisplay):
    """Base class of displays of several measures, not for direct use."""

    values: Mapping[str, Band]
    train_values: Mapping[str, Band] | None = None
    pos_label: Any = None
    name: str | None = None

    def __post_init__(self) -> None:
        found = [*self.values.values(), *(self.train_values or {}).values()]
        if not self.values or any(len(one.middle) != len(found[0].middle) for one in found):
            raise ValueError("values must have at least one measure, and all be of one length")

    @property
    def _x(self) -> Any:
        raise NotImplementedError

    @property
    def _x_title(self) -> str:
        raise NotImplementedError

    def _draw(self, ax: Any, look: Look) -> list[Any]:
        places = _places(ax, [*self.values, *(self.train_values or {})])
        self.cost_ax_ = places.get(RIGHT)
        n_before = sum(len(drawing.drawn(one, "curve")) for one in {ax, *places.values()})
        common = (places, n_before, look)
        self.lines_, self.bands_ = self._draw_lines(self.values, False, *common)
        trained = self.train_values or {}
        self.train_lines_, self.train_bands_ = self._draw_lines(trained, True, *common)
        self._finish(ax, places)
        return [one for one in {*places.values()} if one is not ax]

    def _draw_lines(
        self,
        values: Mapping[str, Band],
        trained: bool,
        places: Mapping[str, Any],
        n_before: int,
        look: Look,
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Lines and bands by measure."""
        lines: dict[str, Any] = {}
        bands: dict[str, Any] = {}
        for k, (measure, band) in enumerate(values.items()):
            ax = places[measure]
            style = _style(measure, k, n_before, trained, len(band.middle))
            label = self._label(measure, ax, trained, look.name)
            line = drawing.curve(ax, self._x, band.middle, look.line_kw, label=label, **style)
            lines[measure] = line
            bands[measure] = drawing.band(ax, self._x, band, line, look.band_kw, self.ax_)
        return lines, bands

    def _label(self, measure: str, place: Any, trained: bool, name: str | None) -> str:
        text = TITLES.get(measure, measure)
        text = text if name is None else f"{name}: {text}"
        if self.train_values is not None:
            text += ", training" if trained else ", test"
        return text if place is self.ax_ else f"{text} (right axis)"

    def _finish(self, ax: Any, places: Mapping[str, Any]) -> None:
        """Names and limits of the axes."""
        left = [measure for measure, place in places.items() if place is ax]
        titles = TITLES.get(left[0], left[0]) if len(left) == 1 else "value"  # of several: legend
        if self.pos_label is not None and OF_A_CLASS & set(left):
            titles += f" (class {self.pos_label})"
        drawing.label(ax, self._x_title, "mean cost per row" if left == [RIGHT] else titles)
        if self.cost_ax_ is not None:
            self.cost_ax_.set_ylabel("mean cost per row")
        for one in {ax, *places.values()}:
            if one is ax and OF_A_CLASS & set(left):
                ax.set_ylim(-0.03, 1.03)
            elif _lowest(one) >= 0:
                one.set_ylim(bottom=0)


def _lowest(ax: Any) -> float:
    return min(float(np.min(line.get_ydata())) for line in drawing.drawn(ax, "curve"))


def _places(ax: Any, measures: Sequence[str]) -> dict[str, Any]:
    """The axes that each measure is drawn on."""
    if RIGHT not in measures or len(set(measures)) == 1:
        return dict.fromkeys(measures, ax)
    return {measure: _twin(ax) if measure == RIGHT else ax for measure in measures}


def _twin(ax: Any) -> Any:
    """The axes on the right, created when they are first needed."""
    mark = f"{drawing.OURS}-right"
    for one in ax.get_shared_x_axes().get_siblings(ax):
        if one.get_gid() == mark and np.array_equal(one.bbox.bounds, ax.bbox.bounds):
            return one
    twin = ax.twinx()
    twin.set_gid(mark)
    return twin


def _style(measure: str, k: int, n_before: int, trained: bool, n: int) -> dict[str, Any]:
    """Colour, dashes and marker of a measure; on axes with other lines, the next unused ones.

    Lines of training rows are dotted and have no markers.
    """
    own = list(MEASURES).index(measure) if measure in MEASURES else k
    place = n_before + k if n_before else own
    colour = drawing.COLOURS[place % len(drawing.COLOURS)]
    if trained:
        return {"color": colour, "linestyle": ":"}
    every = max(1, n // 8)
    return {
        "color": colour,
        "linestyle": drawing.DASHES[place % 3],
        "marker": drawing.MARKERS[place % len(drawing.MARKERS)],
        "markersize": 5,
        "markevery": (min(k * every // 4, n - 1), every),  # not all at the same points
    }


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class BoostingProgressDisplay(MeasuresDisplay):
    r"""Precision, recall, F1, error and cost after each round of boosting.

    .. math::

        \text{precision} = \frac{TP}{TP + FP}, \quad \text{recall} = \frac{TP}{TP + FN}, \quad
        F_1 = \frac{2\, TP}{2\, TP + FP + FN}

    Precision is 0 if no row is predicted positive, as in scikit-learn.

    Use it to see when a classifier has converged, whether it overfits, and whether costs are so
    high that it predicts every row positive. To choose the number of rounds, use
    ``early_stopping=True``.

    Create it with ``from_estimator``, ``from_predictions`` or ``from_cv_results``.

    Parameters
    ----------
    values : dict of Band
        Measures of the test rows by name, each with a ``middle`` value for every round and
        possibly ``lower`` and ``upper`` ones.
    {train_values}
    {class_of_measures}
    {classifier_name}

    Attributes
    ----------
    rounds : array
        1, 2, ...
    {measure_lines}

    References
    ----------
    Nyga, D. (2010). Ensemble learning for classification of imbalanced data. Master's thesis,
    TU Muenchen; figures 3.2, 3.5, 3.6, 3.8 and B.1 to B.25.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from costboost.algorithms import AdaBoostClassifier
    >>> from costboost.plots import BoostingProgressDisplay
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> clf = AdaBoostClassifier(n_estimators=3).fit(X, y)
    >>> display = BoostingProgressDisplay.from_estimator(clf, X, y, measures=["recall", "error"])
    >>> display.values["recall"].middle.round(2), display.values["error"].middle.round(2)
    (array([0.97, 0.97, 0.97]), array([0.08, 0.08, 0.04]))
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        self.rounds = np.arange(1, len(next(iter(self.values.values())).middle) + 1)

    @property
    def _x(self) -> Any:
        return self.rounds

    @property
    def _x_title(self) -> str:
        return "boosting round"

    @classmethod
    @maker
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        X_train: Any = None,
        y_train: Any = None,
        measures: Sequence[str] | str = ("precision", "recall", "f1"),
        sample_weight: Any = None,
        fn_cost: Any = None,
        fp_cost: Any = None,
        train_params: Mapping[str, Any] | None = None,
        pos_label: Any = None,
        name: str | None = None,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Plot the progress of a fitted classifier that has ``staged_predict``.

        Parameters
        ----------
        {estimator}
        {rows}
        X_train, y_train : arrays, optional
            Training rows, whose measures are plotted too.
        {measures}
        {weight}
        {costs}
        train_params : dict, optional
            ``sample_weight``, ``fn_cost`` and ``fp_cost`` of the training rows. Costs that are one
            number are those of the test rows by default.
        pos_label : label, optional
            The class of precision, recall and F1, whose false negatives cost ``fn_cost``.
            Default: the positive class of the classifier, or else the greater one.
        {drawing}

        {returns}
        """
        names, label = check_measures(measures), positive_class(estimator, pos_label)
        if (X_train is None) != (y_train is None):
            raise ValueError("pass both X_train and y_train, or neither")
        params = {"sample_weight": sample_weight, "fn_cost": fn_cost, "fp_cost": fp_cost}
        trained = None
        if X_train is not None:
            train_rows = training_rows(y_train, label, params, train_params)
            trained = staged_measures(estimator, X_train, train_rows, label, names)
        return cls(
            values=staged_measures(estimator, X, read_rows(y, label, **params), label, names),
            train_values=trained,
            pos_label=label,
            name=name,
        ).plot(ax=ax, **options)

    @classmethod
    @maker
    def from_predictions(
        cls,
        y_true: Any,
        staged: Any,
        *,
        measures: Sequence[str] | str = ("precision", "recall", "f1"),
        sample_weight: Any = None,
        fn_cost: Any = None,
        fp_cost: Any = None,
        pos_label: Any = None,
        name: str | None = None,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Plot the progress of staged predictions.

        Parameters
        ----------
        {y_true}
        staged : iterable of arrays of shape (n_samples,)
            Predicted labels after each round.
        {measures}
        {weight}
        {costs}
        {greater_label}
        {drawing}

        {returns}
        """
        names = check_measures(measures)
        rows = read_rows(y_true, pos_label, sample_weight, fn_cost, fp_cost)
        decisions = (np.asarray(one) == rows.label for one in staged)
        values = {
            name: Band(line) for name, line in measure_decisions(rows, decisions, names).items()
        }
        return cls(values=values, pos_label=rows.label, name=name).plot(ax=ax, **options)

    @classmethod
    @maker
    def from_cv_results(
        cls,
        cv_results: Any,
        X: Any,
        y: Any,
        *,
        train: bool = False,
        measures: Sequence[str] | str = ("precision", "recall", "f1"),
        sample_weight: Any = None,
        fn_cost: Any = None,
        fp_cost: Any = None,
        pos_label: Any = None,
        name: str | None = None,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Plot the mean over the runs of a cross-validation, with 95% bands.

        A run that stopped early keeps its last values.

        Parameters
        ----------
        {cv_results}
        train : bool, default False
            Whether to plot the measures of the training rows of each run too.
        {measures}
        {weight}
        {costs}
        {pos_label}
        {drawing}

        {returns}
        """
        names = check_measures(measures)
        runs = runs_of(cv_results, X, y)
        label = positive_class(runs[0].estimator, pos_label)
        rows = read_rows(y, label, sample_weight, fn_cost, fp_cost)
        found = {
            which: mean_staged_measures(runs, X, rows, names, which)
            for which in (("test", "train") if train else ("test",))
        }
        return cls(
            values=found["test"], train_values=found.get("train"), pos_label=label, name=name
        ).plot(ax=ax, **options)


# ---- measures against a parameter ----------------------------------------------------------------

COST_TITLES = {"fn_cost": "cost of a miss (fn_cost)", "fp_cost": "cost of a false alarm (fp_cost)"}


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class CostSweepDisplay(MeasuresDisplay):
    """Precision, recall, F1 and cost against the cost of a mistake, or any other parameter.

    With a higher cost of false negatives more rows are predicted positive: recall rises at the
    expense of precision. The plot shows how fast, and where the classifier saturates. It is also
    for parameters of the algorithm, such as ``C`` of AdaBoost_Reg.

    Use it to choose training costs by eye, to see how sensitive an algorithm is to them, or to
    show the trade-off of a threshold. To let a search choose, use :class:`costboost.CostSearchCV`,
    and plot its results with ``from_cv_results``.

    Create it with ``from_estimator``, ``from_predictions`` or ``from_cv_results``.

    Parameters
    ----------
    param_values : array
        Values of the parameter, in ascending order.
    values : dict of Band
        Measures by name, each with a ``middle`` value for every value of the parameter and
        possibly ``lower`` and ``upper`` ones.
    {train_values}
    param_name : str, default "fn_cost"
        The parameter.
    {class_of_measures}
    {classifier_name}

    Attributes
    ----------
    {measure_lines}

    References
    ----------
    Nyga, D. (2010). Ensemble learning for classification of imbalanced data. Master's thesis,
    TU Muenchen; figure 3.4.

    Examples
    --------
    >>> from costboost.plots import CostSweepDisplay
    >>> display = CostSweepDisplay.from_predictions(
    ...     [0, 0, 1, 1], [0.1, 0.6, 0.4, 0.9], param_range=[1, 2, 20], measures=["recall", "cost"]
    ... )
    >>> print(display.param_values, display.values["recall"].middle, display.values["cost"].middle)
    [ 1.  2. 20.] [0.5 1.  1. ] [0.5  0.25 0.5 ]
    """

    param_values: Any = field(default_factory=list)
    param_name: str = "fn_cost"

    def __post_init__(self) -> None:
        super().__post_init__()
        self.param_values = np.asarray(self.param_values, dtype=np.float64)
        n = len(next(iter(self.values.values())).middle)
        if self.param_values.shape != (n,):
            raise ValueError(
                f"param_values must have one entry for each of the {n} values of the measures, got "
                f"an array of shape {self.param_values.shape}"
            )

    @property
    def _x(self) -> Any:
        return self.param_values

    @property
    def _x_title(self) -> str:
        return COST_TITLES.get(self.param_name.split("__")[-1], self.param_name)

    @classmethod
    @maker
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        param_range: Any,
        param_name: str = "fn_cost",
        measures: Sequence[str] | str = ("precision", "recall", "f1"),
        refit: bool = True,
        cv: Any = 5,
        sample_weight: Any = None,
        fn_cost: Any = None,
        fp_cost: Any = None,
        pos_label: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        name: str | None = None,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Train a classifier for each value of a parameter, and plot its measures.

        Parameters
        ----------
        estimator : classifier
            It need not be fitted, and is not changed.
        {rows}
        param_range : array
            Values of the parameter.
        param_name : str, default "fn_cost"
            The parameter. In a pipeline, ``fn_cost`` is that of the classifier.
        {measures}
        refit : bool, default True
            False: train once in each fold, and predict for every cost by ``predict(X,
            fn_cost=...)``, which AdaMEC, CostBoost and calibrated classifiers support.
        cv : int, splitter or iterable of splits, default 5
            Number of stratified, shuffled folds, or the folds themselves. The band is the 95%
            confidence band over the folds.
        {weight}
        fn_cost, fp_cost : number or array of shape (n_samples,), optional
            True costs, by which "cost" and "normalized_cost" are measured. Default: those that
            the classifier is trained for, the value of the parameter if that is one of them.
        pos_label : label, optional
            The class of precision, recall and F1. Default: the positive class of the
            classifier, or else the greater one.
        random_state : int, RandomState or None, default None
            Seed of the folds.
        n_jobs : int or None, default None
            Processes in which folds are trained; None is one.
        {drawing}

        {returns}
        """
        names = check_measures(measures)
        check_estimator(estimator)
        stated = positive_label(estimator, None) if pos_label is None else pos_label
        label = two_classes(distinct(check_labels("y", y)), stated)[0]
        values = check_range(param_name, param_range)
        true = true_costs(estimator, param_name, fn_cost, fp_cost)
        sweep = Sweep(y, label, sample_weight, param_name, values, *true)
        found = cross_validate_sweep(sweep, estimator, X, names, cv, refit, random_state, n_jobs)
        return cls(
            param_values=values, values=found, param_name=param_name, pos_label=label, name=name
        ).plot(ax=ax, **options)

    @classmethod
    @maker
    def from_predictions(
        cls,
        y_true: Any,
        y_prob: Any,
        *,
        param_range: Any,
        param_name: str = "fn_cost",
        measures: Sequence[str] | str = ("precision", "recall", "f1"),
        sample_weight: Any = None,
        fn_cost: Any = None,
        fp_cost: Any = None,
        pos_label: Any = None,
        name: str | None = None,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Plot decisions by probability for each cost: positive if p fn_cost > (1 - p) fp_cost.

        Parameters
        ----------
        {y_true}
        y_prob : array of shape (n_samples,)
            Probabilities of the positive class.
        param_range : array
            Values of the cost.
        param_name : {"fn_cost", "fp_cost"}, default "fn_cost"
            Whether they are costs of false negatives or of false positives.
        {measures}
        {weight}
        fn_cost, fp_cost : number or array of shape (n_samples,), default 1
            The cost that does not vary, for all rows or for each of them.
        {greater_label}
        {drawing}

        {returns}
        """
        names = check_measures(measures)
        if param_name not in MISTAKES:
            raise ValueError(f"param_name must be one of {', '.join(MISTAKES)}, got {param_name!r}")
        if {"fn_cost": fn_cost, "fp_cost": fp_cost}[param_name] is not None:
            raise ValueError(f"{param_name} is given twice: it takes the values of param_range")
        label = two_classes(distinct(check_labels("y_true", y_true)), pos_label)[0]
        values = check_range(param_name, param_range)
        sweep = Sweep(y_true, label, sample_weight, param_name, values, fn_cost, fp_cost)
        found = measure_probabilities(sweep, y_prob, names)
        return cls(
            param_values=values, values=found, param_name=param_name, pos_label=label, name=name
        ).plot(ax=ax, **options)

    @classmethod
    @maker
    def from_cv_results(
        cls,
        cv_results: Any,
        *,
        param_name: str = "fn_cost",
        measures: Mapping[str, str] | Sequence[str] | None = None,
        pos_label: Any = None,
        name: str | None = None,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Plot the results of a search over one parameter, with 95% bands over its folds.

        Parameters
        ----------
        cv_results : dict
            ``cv_results_`` of scikit-learn's ``GridSearchCV``, or of
            :class:`costboost.CostSearchCV`.
        param_name : str, default "fn_cost"
            Name of the parameter that was searched.
        measures : list of str, or dict, optional
            Scorers of the search; the keys of a dict are names for the legend. Default: all.
            Those named "cost" or "normalized_cost" are minus a cost, as
            :func:`costboost.metrics.make_cost_scorer` returns it, and are plotted with the
            opposite sign.
        pos_label : label, optional
            The class of precision, recall and F1, for the label of the axis.
        {drawing}

        {returns}
        """
        values, found = search_results(cv_results, param_name, measures)
        return cls(
            param_values=values, values=found, param_name=param_name, pos_label=pos_label, name=name
        ).plot(ax=ax, **options)

    def _finish(self, ax: Any, places: Mapping[str, Any]) -> None:
        super()._finish(ax, places)
        lowest, greatest = self.param_values[[0, -1]]
        if lowest > 0 and greatest >= 10 * lowest:
            drawing.log_axis(ax, few_decades=greatest < 300 * lowest)
