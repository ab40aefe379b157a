"""Measures of decisions after each round of boosting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from costboost._core.costs import known_costs
from costboost.app.plots.descriptions import documented
from costboost.app.plots.display import maker
from costboost.app.plots.measures import MeasuresDisplay
from costboost.app.plots.numbers.bands import Band
from costboost.app.plots.numbers.labelled_rows import read_rows
from costboost.app.plots.numbers.measures import check_measures, measure_decisions
from costboost.app.plots.numbers.predictions import positive_class
from costboost.app.plots.numbers.rounds import mean_staged_measures, staged_measures, training_rows
from costboost.app.plots.numbers.runs import runs_of


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
        tp_cost: Any = None,
        tn_cost: Any = None,
        costs: Any = None,
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
            ``sample_weight`` and costs, such as ``fn_cost``, of the training rows. Costs that are
            one number are those of the test rows by default.
        pos_label : label, optional
            The class of precision, recall and F1, whose false negatives cost ``fn_cost``.
            Default: the positive class of the classifier, or else the greater one.
        {drawing}

        {returns}
        """
        names, label = check_measures(measures), positive_class(estimator, pos_label)
        if (X_train is None) != (y_train is None):
            raise ValueError("pass both X_train and y_train, or neither")
        stated = known_costs(costs, fn_cost, fp_cost, tp_cost, tn_cost)
        trained = None
        if X_train is not None:
            train_rows = training_rows(y_train, label, stated, train_params)
            trained = staged_measures(estimator, X_train, train_rows, label, names)
        rows = read_rows(y, label, sample_weight, stated)
        return cls(
            values=staged_measures(estimator, X, rows, label, names),
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
        tp_cost: Any = None,
        tn_cost: Any = None,
        costs: Any = None,
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
        stated = known_costs(costs, fn_cost, fp_cost, tp_cost, tn_cost)
        rows = read_rows(y_true, pos_label, sample_weight, stated)
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
        tp_cost: Any = None,
        tn_cost: Any = None,
        costs: Any = None,
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
        stated = known_costs(costs, fn_cost, fp_cost, tp_cost, tn_cost)
        rows = read_rows(y, label, sample_weight, stated)
        found = {
            which: mean_staged_measures(runs, X, rows, names, which)
            for which in (("test", "train") if train else ("test",))
        }
        return cls(
            values=found["test"], train_values=found.get("train"), pos_label=label, name=name
        ).plot(ax=ax, **options)
