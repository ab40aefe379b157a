"""Measures of a boosting classifier round by round."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from costboost.plots.display import maker
from costboost.plots.documentation import documented
from costboost.plots.lines import MeasuresDisplay
from costboost.plots.numbers.answers import positive_class, runs_of
from costboost.plots.numbers.outcomes import check_measures, measured
from costboost.plots.numbers.rows import read_rows
from costboost.plots.numbers.runs import Band
from costboost.plots.numbers.stages import stages, stages_of_runs, training_rows


@documented
@dataclass(kw_only=True, eq=False, repr=False)
class BoostingProgressDisplay(MeasuresDisplay):
    r"""Precision, recall, F1, error and cost after each round of boosting.

    .. math::

        \text{precision} = \frac{TP}{TP + FP}, \quad \text{recall} = \frac{TP}{TP + FN}, \quad
        F_1 = \frac{2\, TP}{2\, TP + FP + FN}

    A precision without any alarm counts as 0, as in scikit-learn.

    Take it to see when a classifier has learnt enough, whether it overfits, and whether costs are
    so high that it slides into calling every row positive. For the choice of the number of rounds
    itself, take ``early_stopping=True``.

    Make one with ``from_estimator``, ``from_predictions`` or ``from_cv_results``.

    Parameters
    ----------
    values : dict of Band
        Measures of the test rows by name, each with a ``middle`` value for every round and maybe
        ``lower`` and ``upper`` ones.
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
    >>> from costboost import AdaBoostClassifier
    >>> from costboost.datasets import make_ten_points
    >>> from costboost.plots import BoostingProgressDisplay
    >>> X, y = make_ten_points()
    >>> clf = AdaBoostClassifier(n_estimators=3).fit(X, y)
    >>> display = BoostingProgressDisplay.from_estimator(clf, X, y, measures=["recall", "error"])
    >>> print(display.values["recall"].middle, display.values["error"].middle)
    [0.4 1.  1. ] [0.3 0.3 0. ]
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
        """Draw the progress of a fitted classifier that has ``staged_predict``.

        Parameters
        ----------
        {estimator}
        {rows}
        X_train, y_train : arrays, optional
            Rows it was trained on, drawn besides.
        {measures}
        {weight}
        {costs}
        train_params : dict, optional
            ``sample_weight``, ``fn_cost`` and ``fp_cost`` of the training rows. Costs that are one
            number are the same for them and need not be said again.
        pos_label : label, optional
            The class that precision, recall and F1 are of, and whose misses cost ``fn_cost``.
            Default: the positive class of the classifier, or else the greater one.
        {drawing}

        {returns}
        """
        names, label = check_measures(measures), positive_class(estimator, pos_label)
        if (X_train is None) != (y_train is None):
            raise ValueError("the training rows have two parts: pass both X_train and y_train")
        params = {"sample_weight": sample_weight, "fn_cost": fn_cost, "fp_cost": fp_cost}
        trained = None
        if X_train is not None:
            train_rows = training_rows(y_train, label, params, train_params)
            trained = stages(estimator, X_train, train_rows, label, names)
        return cls(
            values=stages(estimator, X, read_rows(y, label, **params), label, names),
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
        """Draw the progress of predictions.

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
        said = (np.asarray(one) == rows.label for one in staged)
        values = {name: Band(line) for name, line in measured(rows, said, names).items()}
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
        """Draw the mean over the runs of a cross-validation, with bands of 95%.

        A run that stopped early keeps its last values.

        Parameters
        ----------
        {cv_results}
        train : bool, default False
            Whether to draw the rows that each run was trained on besides those held out.
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
            which: stages_of_runs(runs, X, rows, names, which)
            for which in (("test", "train") if train else ("test",))
        }
        return cls(
            values=found["test"], train_values=found.get("train"), pos_label=label, name=name
        ).plot(ax=ax, **options)
