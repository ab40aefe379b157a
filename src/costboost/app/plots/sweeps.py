"""Measures of decisions against a cost or another parameter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from costboost._core.costs import known_costs
from costboost._core.names import MISTAKES
from costboost.app.plots import drawing
from costboost.app.plots.descriptions import documented
from costboost.app.plots.display import maker
from costboost.app.plots.measures import MeasuresDisplay
from costboost.app.plots.numbers.labelled_rows import two_classes
from costboost.app.plots.numbers.measures import check_measures
from costboost.app.plots.numbers.searches import search_results
from costboost.app.plots.numbers.sweeps import (
    Sweep,
    check_range,
    cross_validate_sweep,
    measure_probabilities,
    true_costs,
)
from costboost.decisions.wrapping import check_estimator, positive_label
from costboost.metrics.checks import check_labels, distinct

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
        tp_cost: Any = None,
        tn_cost: Any = None,
        costs: Any = None,
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
        tp_cost, tn_cost : number or array of shape (n_samples,), optional
            Costs of right predictions, 0 if left out; a gain is a negative cost.
        costs : Costs, optional
            All costs in one record, instead of the four.
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
        true = true_costs(
            estimator, param_name, known_costs(costs, fn_cost, fp_cost, tp_cost, tn_cost)
        )
        sweep = Sweep(y, label, sample_weight, param_name, values, true)
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
        tp_cost: Any = None,
        tn_cost: Any = None,
        costs: Any = None,
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
        tp_cost, tn_cost : number or array of shape (n_samples,), optional
            Costs of right predictions, 0 if left out; a gain is a negative cost.
        costs : Costs, optional
            All costs in one record, instead of the four.
        {greater_label}
        {drawing}

        {returns}
        """
        names = check_measures(measures)
        if param_name not in MISTAKES:
            raise ValueError(f"param_name must be one of {', '.join(MISTAKES)}, got {param_name!r}")
        stated = known_costs(costs, fn_cost, fp_cost, tp_cost, tn_cost)
        if param_name in stated:
            raise ValueError(f"{param_name} is given twice: it takes the values of param_range")
        label = two_classes(distinct(check_labels("y_true", y_true)), pos_label)[0]
        values = check_range(param_name, param_range)
        sweep = Sweep(y_true, label, sample_weight, param_name, values, stated)
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
