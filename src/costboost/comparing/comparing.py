"""``compare`` and its result: classifiers and baselines, trained and measured on the same folds."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from importlib.util import find_spec
from math import inf, sqrt
from time import perf_counter
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse, stats
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import brier_score_loss, precision_recall_fscore_support
from sklearn.pipeline import make_pipeline
from sklearn.utils.validation import has_fit_parameter

from costboost._core.arrays import Indices
from costboost._core.baselines import BY_COSTS
from costboost._core.costs import Costs, check_matrix, known_costs, least_expected
from costboost._core.names import MISTAKES
from costboost._core.tables import Table, categorical_columns, make_coders, read, read_training
from costboost._core.threads.processes import in_processes
from costboost.comparing.data_sets import DataSet, read_data_sets
from costboost.decisions.wrapping import (
    Split,
    check_estimator,
    cost_parameters,
    has_cost_parameters,
    parameter_paths,
    positive_label,
    take,
)
from costboost.metrics import Friedman, Nemenyi, friedman_test, mean_cost, nemenyi
from costboost.metrics.checks import Floats
from costboost.metrics.costs import decides_by_cost, final_classifier, predict_by_cost

# ---- the result: means over folds with intervals, ranks over data sets ---------------------------

CONFIDENCE = 0.95
"""Confidence of the intervals over folds."""


class Measure(NamedTuple):
    """A measure on the held-out rows of a fold."""

    title: str
    greater_is_better: bool
    most: float
    """Greatest possible value; the least is 0."""


MEASURES = {
    "cost": Measure("mean cost", False, inf),
    "brier": Measure("Brier", False, 1.0),
    "accuracy": Measure("accuracy", True, 1.0),
    "precision_positive": Measure("precision +", True, 1.0),
    "recall_positive": Measure("recall +", True, 1.0),
    "f1_positive": Measure("F1 +", True, 1.0),
    "precision_negative": Measure("precision -", True, 1.0),
    "recall_negative": Measure("recall -", True, 1.0),
    "f1_negative": Measure("F1 -", True, 1.0),
    "seconds": Measure("seconds", False, inf),
}
BLOCKS = (
    ("cost", "brier", "accuracy", "seconds"),
    ("precision_positive", "recall_positive", "f1_positive"),
    ("precision_negative", "recall_negative", "f1_negative"),
)
"""Measures that are printed in the same table."""


class Estimate(NamedTuple):
    """Mean of a measure over the folds, and its 95% interval, which is None for a single fold."""

    mean: float
    low: float | None
    high: float | None

    def __str__(self) -> str:
        if self.low is None or self.high is None:
            return f"{self.mean:.3f}"
        return f"{self.mean:.3f} [{self.low:.3f}, {self.high:.3f}]"


def estimate(values: Floats, held_to_trained: float, least: float, most: float) -> Estimate:
    r"""Mean and interval of Nadeau and Bengio's corrected resampled t-test.

    .. math:: \bar x \pm t_{k-1,\,0.975} \sqrt{\left(\frac 1k + \frac{n_2}{n_1}\right) s^2}

    for k folds with n1 training rows and n2 held-out rows. Folds share training rows, so that their
    results vary less than those of independent samples; the second fraction corrects for it.
    """
    k, mean = values.size, float(values.mean())
    if k < 2:
        return Estimate(mean, None, None)
    spread = float(values.std(ddof=1)) * sqrt(1 / k + held_to_trained)
    half = float(stats.t.ppf((1 + CONFIDENCE) / 2, k - 1)) * spread
    low, high = np.clip([mean - half, mean + half], least, most).tolist()
    return Estimate(mean, low, high)


class Ranks(NamedTuple):
    """Estimators ranked over data sets; rank 1 is the best."""

    measure: str
    average: dict[str, float]
    """Mean rank of each estimator."""
    friedman: Friedman | None
    """Friedman's test of any difference; None for two estimators."""
    nemenyi: Nemenyi
    """Nemenyi's test of all pairs."""
    alpha: float
    """Level of Nemenyi's test."""

    def __str__(self) -> str:
        width = max(map(len, self.average))
        best_first = sorted(self.average.items(), key=lambda pair: pair[1])
        lines = [f"mean ranks by {MEASURES[self.measure].title}"]
        lines += [f"  {name.ljust(width)}  {rank:.2f}" for name, rank in best_first]
        if self.friedman is not None:
            lines.append(f"Friedman's test (Iman and Davenport): p = {self.friedman.f_pvalue:.3g}")
        apart = self.nemenyi.critical_difference
        lines.append(f"Nemenyi: ranks differ if more than {apart:.2f} apart (level {self.alpha:g})")
        return "\n".join(lines)


@dataclass(frozen=True)
class Comparison:
    """Result of `compare`; ``print`` shows a table.

    Attributes
    ----------
    estimators : list of str
        Names of the classifiers, then those of the baselines.
    data_sets : list of str
        Names of the data sets.
    values : dict
        ``values[data_set][estimator][measure]`` is an array with a value for each fold, or None
        if the measure is not defined. Measures: "cost", "brier", "accuracy", "precision_positive",
        "recall_positive", "f1_positive", those with "_negative", and "seconds".
    baselines : list of str
        Names of the baselines.
    decides : dict
        ``decides[data_set][estimator]`` states how predictions are made: "by cost" (the one of
        least expected cost under the costs of the comparison), "by own costs" (those that the
        classifier was made with), "at 1/2" or "likeliest class" (of its probabilities, whatever
        mistakes cost), "own threshold", "one class", "by score" (the sign of the score or the
        greatest one, where the probabilities do not agree with that), or "own rule". A classifier
        that was trained for costs, but takes no others, adds ", trained for costs".
    """

    estimators: list[str]
    data_sets: list[str]
    values: dict[str, dict[str, dict[str, Floats | None]]] = field(repr=False)
    held_to_trained: dict[str, float] = field(repr=False)
    baselines: list[str] = field(default_factory=list)
    decides: dict[str, dict[str, str]] = field(default_factory=dict)

    @property
    def ranked(self) -> list[str]:
        """The estimators that have ranks: all but the baselines."""
        return [name for name in self.estimators if name not in self.baselines]

    def estimate(
        self, estimator: str, measure: str = "cost", data_set: str | None = None
    ) -> Estimate | None:
        """Mean and 95% interval of a measure; None if it is not defined for the classifier.

        ``data_set`` may be left out if there is one only.
        """
        values, name = self._values(estimator, measure, data_set)
        if values is None:
            return None
        least = -np.inf if np.any(values < 0) else 0.0  # costs may be gains
        return estimate(values, self.held_to_trained[name], least, MEASURES[measure].most)

    def difference(
        self, one: str, other: str, measure: str = "cost", data_set: str | None = None
    ) -> Estimate:
        """Mean difference of a measure between two classifiers over the folds, with 95% interval.

        If the interval does not contain 0, the difference is significant.
        """
        (a, name), (b, _) = (self._values(each, measure, data_set) for each in (one, other))
        if a is None or b is None:
            raise ValueError(f"{one if a is None else other} has no measure {measure!r}")
        return estimate(a - b, self.held_to_trained[name], -inf, inf)

    def ranks(self, measure: str = "cost", alpha: float = 0.05) -> Ranks:
        """Ranks over at least two data sets, with Friedman's and Nemenyi's tests."""
        names = self.ranked
        if len(self.data_sets) < 2 or len(names) < 2:
            raise ValueError(
                f"ranks need two data sets and two estimators, got {len(self.data_sets)} and "
                f"{len(names)}"
            )
        table = []
        for data_set in self.data_sets:
            row = [self.estimate(name, measure, data_set) for name in names]
            missing = [n for n, found in zip(names, row, strict=True) if found is None]
            if missing:
                raise ValueError(f"{missing[0]} has no measure {measure!r}, so it has no rank")
            table.append([found.mean for found in row if found is not None])
        better = MEASURES[measure].greater_is_better
        found = nemenyi(table, alpha=alpha, greater_is_better=better)
        average = dict(zip(names, found.average_ranks.tolist(), strict=True))
        friedman = friedman_test(table) if len(names) > 2 else None
        return Ranks(measure, average, friedman, found, alpha)

    def rows(self) -> list[dict[str, Any]]:
        """A flat dict for each classifier on each data set, as for pandas.DataFrame."""
        rows = []
        for data_set in self.data_sets:
            for name in self.estimators:
                row: dict[str, Any] = {"data_set": data_set, "estimator": name}
                row["decides"] = self.decides.get(data_set, {}).get(name)
                for measure in MEASURES:
                    found = self.estimate(name, measure, data_set) or (None, None, None)
                    keys = (measure, f"{measure}_low", f"{measure}_high")
                    row |= dict(zip(keys, found, strict=True))
                rows.append(row)
        return rows

    def to_dict(self) -> dict[str, Any]:
        """All results as dicts, lists and numbers that ``json`` can write."""
        return {
            "estimators": self.estimators,
            "baselines": self.baselines,
            "data_sets": self.data_sets,
            "rows": self.rows(),
            "folds": {
                data_set: {
                    name: {
                        measure: None if values is None else values.tolist()
                        for measure, values in measures.items()
                    }
                    for name, measures in found.items()
                }
                for data_set, found in self.values.items()
            },
        }

    def __str__(self) -> str:
        parts = []
        for data_set in self.data_sets:
            first = next(iter(self.values[data_set].values()))["seconds"]
            assert first is not None
            title = f"{data_set}: means over {first.size} folds, 95% intervals in brackets"
            blocks = [block for block in BLOCKS if self._has_any(data_set, block)]
            parts += [title, *self._deciding(data_set)]
            parts += [*(self._block(data_set, block) for block in blocks), ""]
        if len(self.data_sets) > 1 and len(self.ranked) > 1:
            parts += [str(self.ranks()), ""]
        return "\n".join(parts).rstrip("\n")

    def _has_any(self, data_set: str, measures: Sequence[str]) -> bool:
        found = self.values[data_set].values()
        return any(one[measure] is not None for one in found for measure in measures)

    def _block(self, data_set: str, measures: Sequence[str]) -> str:
        head = ["estimator", *(MEASURES[measure].title for measure in measures)]
        lines = [head]
        for name in self.estimators:
            found = [self.estimate(name, measure, data_set) for measure in measures]
            lines.append([name, *("-" if one is None else str(one) for one in found)])
        return _aligned(lines)

    def _deciding(self, data_set: str) -> list[str]:
        """How each classifier makes its predictions, as a table; empty if that is not known."""
        if data_set not in self.decides:
            return []
        return [_aligned([["estimator", "decides"], *map(list, self.decides[data_set].items())])]

    def _values(
        self, estimator: str, measure: str, data_set: str | None
    ) -> tuple[Floats | None, str]:
        if data_set is None and len(self.data_sets) == 1:
            data_set = self.data_sets[0]
        for what, value, known in (
            ("data_set", data_set, self.data_sets),
            ("estimator", estimator, self.estimators),
            ("measure", measure, list(MEASURES)),
        ):
            if value not in known:
                names = ", ".join(map(repr, known))
                raise ValueError(f"{what} must be one of {names}, got {value!r}")
        assert data_set is not None
        values = self.values[data_set][estimator][measure]
        return (None if values is None else np.asarray(values)), data_set


def _aligned(lines: list[list[str]]) -> str:
    """Rows of texts in columns."""
    widths = [max(len(line[k]) for line in lines) for k in range(len(lines[0]))]
    return "\n".join(
        "  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )


# ---- training and measuring ----------------------------------------------------------------------


def compare(
    estimators: Any,
    X: Any,
    y: Any = None,
    cv: Any = None,
    *,
    fn_cost: Any = None,
    fp_cost: Any = None,
    tp_cost: Any = None,
    tn_cost: Any = None,
    cost_matrix: Any = None,
    costs: Any = None,
    pos_label: Any = None,
    train_with_costs: bool = True,
    baselines: bool = True,
    n_jobs: int | None = None,
    random_state: Any = None,
    groups: Any = None,
) -> Comparison:
    """Compare classifiers by the cost of their predictions, on the same folds.

    Every classifier is trained and measured on the same folds: mean cost of a prediction, Brier
    score, accuracy, precision, recall and F1 of each class, and time. Over several data sets they
    are also ranked. With more than two classes, precision, recall and F1 are left out.

    The true costs are used to measure, and classifiers that have ``fn_cost`` and ``fp_cost`` are
    trained for them. Costs of rows are cut into folds and passed to every ``fit`` that takes them
    (inside a pipeline by metadata routing; otherwise the classifier is trained for their means) and
    to every ``predict`` that decides by cost.

    Parameters
    ----------
    estimators : dict, list of pairs, or list of classifiers
        Classifiers by name: any that follow scikit-learn's conventions. Without names, the names of
        their classes are used.
    X : array, data frame, sparse matrix, or dict of data sets
        Rows; or several data sets, name -> ``(X, y)`` or ``(X, y, costs)``, and no ``y`` then.
        These costs are `Costs`, such as those of a data set of `costboost.datasets`,
        ``{"fn_cost": ..., "fp_cost": ...}``, with ``tp_cost`` and ``tn_cost`` or without, or a cost
        matrix.
    y : array of shape (n_samples,), optional
        Two classes or more, any labels.
    cv : int, splitter or list of splits, optional
        Default: five stratified folds, twice.
    fn_cost, fp_cost : number or array of shape (n_samples,), optional
        Cost of a false negative (miss) and of a false positive (false alarm), the same for all rows
        or one for each. Default: 1. With several data sets: for those without costs of their own.
    tp_cost, tn_cost : number or array of shape (n_samples,), optional
        Cost of a true positive and of a true negative, 0 if left out; a gain is a negative cost.
    cost_matrix : array of shape (n_classes, n_classes), optional
        For more than two classes, or for two without a positive one: ``cost_matrix[i, j]`` is the
        cost of predicting class j where class i is true, in sorted order of the classes.
        Classifiers that have ``cost_matrix`` are trained for it.
    costs : Costs, optional
        All costs in one record, instead of the others.
    pos_label : label, optional
        The positive class, for ``fn_cost`` and ``fp_cost``. Default: that of the classifiers, or
        the greater label.
    train_with_costs : bool, default=True
        If False, classifiers are trained for the costs they were made with.
    baselines : bool, default=True
        Whether to add rows that show what a model is worth: all rows negative, all rows positive
        (with a cost matrix: the class for all rows that costs least in training), with costs of
        rows also the decision by these costs and the shares of the classes in training, and models:
        a logistic regression and, if it is installed, LightGBM with trees of 8 leaves and isotonic
        calibration. The models predict the class of least expected cost. Names that are already in
        use are left out; baselines have no ranks.
    n_jobs : int, optional
        Number of folds that run at a time, as in scikit-learn. With more than one, times are not
        comparable.
    random_state : int, RandomState or None
        Seed of the folds.
    groups : array of shape (n_samples,), optional
        Labels of groups of rows that belong together: no fold separates rows of a group, neither
        here nor in classifiers whose `fit` takes groups. For one data set.

    Returns
    -------
    Comparison
        ``print`` shows a table; ``rows()`` and ``to_dict()`` are for programs, ``difference``
        compares two classifiers and ``ranks`` ranks them over several data sets.

    Raises
    ------
    ValueError
        If an argument is invalid, or a classifier fails; the message names it.

    Notes
    -----
    Intervals are those of the corrected resampled t-test: folds of one data set share rows, so that
    the ordinary interval would be too narrow. A measure that is not defined in a fold, such as the
    precision of a class that was never predicted, counts as 0 there.

    References
    ----------
    C. Nadeau & Y. Bengio, "Inference for the generalization error", Machine Learning 52, 2003.
    J. Demsar, "Statistical comparisons of classifiers over multiple data sets", JMLR 7, 2006.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from costboost import compare
    >>> from costboost.algorithms import AdaBoostClassifier, CGAdaClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> both = [AdaBoostClassifier(), CGAdaClassifier()]
    >>> found = compare(
    ...     both, X, y, fn_cost=10, fp_cost=1, pos_label=0, baselines=False, random_state=0
    ... )
    >>> [round(found.estimate(name, "recall_positive").mean, 3) for name in found.estimators]
    [0.953, 0.96]
    >>> found.difference("CGAdaClassifier", "AdaBoostClassifier").mean < 0
    True
    >>> sorted(found.rows()[0])[:4]
    ['accuracy', 'accuracy_high', 'accuracy_low', 'brier']
    """
    named = _named(estimators)
    stated = known_costs(costs, fn_cost, fp_cost, tp_cost, tn_cost, cost_matrix)
    if "cost_matrix" in stated:
        if len(stated) > 1:
            raise ValueError("costs are given twice: pass fn_cost and fp_cost, or cost_matrix")
        if pos_label is not None:
            raise ValueError(
                "pos_label goes with fn_cost and fp_cost; leave it out where cost_matrix is given"
            )
    label = _label(named, pos_label)
    data_sets = read_data_sets(X, y, stated or None, cv, label, random_state, groups)
    given = list(named)
    if baselines:
        several = any(data_set.matrix is not None for data_set in data_sets)
        of_rows = any(data_set.costs_of_rows for data_set in data_sets)
        named = make_baselines(several, of_rows) | named
    added = [name for name in named if name not in given]
    names = given + added
    jobs = [
        (name, named[name], data_set, split, train_with_costs or name in added)
        for data_set in data_sets
        for name in names
        for split in data_set.splits
    ]
    found = in_processes(run_fold, jobs, n_jobs)
    values, decides = _by_data_set(data_sets, names, iter(found))
    return Comparison(
        names,
        [data_set.name for data_set in data_sets],
        values,
        {data_set.name: data_set.held_to_trained for data_set in data_sets},
        added,
        decides,
    )


def _by_data_set(
    data_sets: list[DataSet], names: list[str], found: Iterator[Fold]
) -> tuple[dict[str, dict[str, dict[str, Floats | None]]], dict[str, dict[str, str]]]:
    """Values of the folds, and how predictions are made, by data set and estimator."""
    folds = {
        data_set.name: {name: [next(found) for _ in data_set.splits] for name in names}
        for data_set in data_sets
    }
    values = {
        key: {name: _columns([fold.values for fold in one]) for name, one in named.items()}
        for key, named in folds.items()
    }
    decides = {
        key: {name: _joined([fold.decides for fold in one]) for name, one in named.items()}
        for key, named in folds.items()
    }
    return values, decides


def _columns(folds: list[Values]) -> dict[str, Floats | None]:
    columns: dict[str, Floats | None] = {}
    for measure in MEASURES:
        values = [fold[measure] for fold in folds]
        present = [value for value in values if value is not None]
        columns[measure] = np.array(present) if len(present) == len(values) else None
    return columns


def _named(estimators: Any) -> dict[str, Any]:
    """Validate the classifiers; a dict of them by name."""
    if isinstance(estimators, Mapping):
        pairs = list(estimators.items())
    elif isinstance(estimators, (list, tuple)):
        pairs = [one if _is_pair(one) else (type(one).__name__, one) for one in estimators]
    else:
        raise ValueError(
            "estimators must be a dict, a list of pairs (name, classifier) or a list of "
            f"classifiers, got {type(estimators).__name__}"
        )
    if not pairs:
        raise ValueError("there are no estimators to compare")
    names = [name for name, _ in pairs]
    for name, estimator in pairs:
        check_estimator(estimator)
        if not isinstance(name, str):
            raise ValueError(f"names of estimators must be text, got {name!r}")
        if names.count(name) > 1:
            raise ValueError(f"two estimators have the name {name!r}; give them different names")
    return dict(pairs)


def _is_pair(one: Any) -> bool:
    return isinstance(one, (tuple, list)) and len(one) == 2


def _label(named: Mapping[str, Any], pos_label: Any) -> Any:
    """The positive class that an argument or a classifier states, or None; all must agree."""
    stated = {name: positive_label(each, pos_label) for name, each in named.items()}
    stated = {name: label for name, label in stated.items() if label is not None}
    if len(set(stated.values())) > 1:
        raise ValueError(
            f"the estimators do not agree on the positive class: {stated!r}; pass pos_label"
        )
    return next(iter(stated.values()), None)


Values = dict[str, float | None]


class Fold(NamedTuple):
    """What was found on the held-out rows of a fold."""

    values: Values
    """The measures."""
    decides: str
    """How the predictions were made."""


def run_fold(name: str, estimator: Any, data_set: DataSet, split: Split, with_costs: bool) -> Fold:
    """Train a classifier on one part of a fold, and compute all measures on the other."""
    train, held = split
    with warnings.catch_warnings():
        # A comparison may well include classifiers that ignore the costs.
        warnings.filterwarnings("ignore", message=".*ignores costs", category=UserWarning)
        begin = perf_counter()
        try:
            model, fit_params = _prepared(estimator, data_set, train, with_costs)
            if data_set.groups is not None and _fit_takes(model, "groups"):
                fit_params["groups"] = np.asarray(data_set.groups)[train]
            model.fit(take(data_set.X, train), data_set.y[train], **fit_params)
            predicted = _predictions(model, data_set, held)
            seconds = perf_counter() - begin
            probability = _probability(model, data_set, held)
            decides = rule_of(model, data_set, predicted, probability, with_costs)
        except Exception as error:
            raise ValueError(
                f"{name} failed on data set {data_set.name!r}: {type(error).__name__}: {error}"
            ) from error
    values = _measured(data_set, held, predicted, probability) | {"seconds": seconds}
    return Fold(values, decides)


def _prepared(
    estimator: Any, data_set: DataSet, train: Indices, with_costs: bool
) -> tuple[Any, dict[str, Any]]:
    """Unfitted classifier with its parameters set, and the arguments of its `fit`."""
    model = clone(estimator)
    if data_set.matrix is not None:
        params = dict.fromkeys(
            parameter_paths(model, "cost_matrix") if with_costs else (), data_set.matrix
        )
        return model.set_params(**params), {}
    label = dict.fromkeys(parameter_paths(model, "pos_label"), data_set.label)
    if not with_costs:
        return model.set_params(**label), {}
    if has_cost_parameters(model):
        fn, fp = data_set.mean_costs(train)
        model.set_params(**cost_parameters(model, fn, fp, None))
    costs: dict[str, Any] = {}
    if data_set.costs_of_rows:
        of_rows = data_set.costs.rows(train)
        whole = _fit_takes(model, "tp_cost")
        costs = of_rows.arguments if whole else dict(zip(MISTAKES, of_rows.net, strict=True))
    wanted = {
        key: _one_each(cost, train.size) for key, cost in costs.items() if _fit_takes(model, key)
    }
    return model.set_params(**label), wanted


def _fit_takes(model: Any, key: str) -> bool:
    """Whether `fit` takes an argument, or passes it on to an estimator that requests it."""
    if has_fit_parameter(model, key):
        return True
    routing = getattr(model, "get_metadata_routing", None)
    try:
        return routing is not None and key in routing().consumes("fit", [key])
    except (AttributeError, TypeError, RuntimeError, NotImplementedError):
        return False


def _one_each(cost: Any, n_rows: int) -> Any:
    return cost if np.ndim(cost) else np.full(n_rows, cost)


def _predictions(model: Any, data_set: DataSet, held: Indices) -> Any:
    """Labels predicted for the held-out rows, by their costs if the classifier can."""
    X = take(data_set.X, held)
    if not data_set.costs_of_rows:
        return np.asarray(model.predict(X))
    return np.asarray(
        predict_by_cost(model, X, data_set.costs.rows(held).arguments, data_set.label)
    )


def _probability(model: Any, data_set: DataSet, held: Indices) -> Any:
    if not hasattr(model, "predict_proba"):
        return None
    shares = np.asarray(model.predict_proba(take(data_set.X, held)))
    if data_set.matrix is not None:
        return shares
    return shares[:, int(np.flatnonzero(model.classes_ == data_set.label)[0])]


# ---- how predictions are made --------------------------------------------------------------------

BY_COST, BY_OWN_COSTS = "by cost", "by own costs"
AT_HALF, LIKELIEST = "at 1/2", "likeliest class"
OWN_THRESHOLD, BY_SCORE, OWN_RULE = "own threshold", "by score", "own rule"
ONE_CLASS = "one class"
TRAINED = ", trained for costs"


def rule_of(
    model: Any, data_set: DataSet, predicted: Any, probability: Any, with_costs: bool
) -> str:
    """How a fitted classifier has made its predictions, as `Comparison` describes it."""
    if decides_by_cost(model):
        return BY_COST if with_costs or data_set.costs_of_rows else BY_OWN_COSTS
    classifier = final_classifier(model)
    stated = getattr(classifier, "decides_", None)
    if stated is not None:
        return str(stated)
    found = BY_SCORE if hasattr(model, "decision_function") else OWN_RULE
    if _has_threshold(classifier):
        found = OWN_THRESHOLD
    elif probability is not None and _is_likeliest(data_set, predicted, probability):
        found = AT_HALF if data_set.matrix is None else LIKELIEST
    return found + TRAINED if _is_trained_for_costs(model, classifier) else found


def _has_threshold(classifier: Any) -> bool:
    """Whether a threshold was chosen for a classifier, here or in a wrapper of scikit-learn."""
    stated = getattr(classifier, "threshold", "auto")
    return stated != "auto" or any(
        hasattr(classifier, name) for name in ("threshold_", "best_threshold_")
    )


def _is_likeliest(data_set: DataSet, predicted: Any, probability: Any) -> bool:
    """Whether every prediction is the class of the greatest probability, or one of them."""
    if data_set.classes is None:
        own = np.where(predicted == data_set.label, probability, 1 - probability)
        return bool(np.all(own >= 1 / 2))
    own = probability[np.arange(len(predicted)), np.searchsorted(data_set.classes, predicted)]
    return bool(np.all(own == probability.max(axis=1)))


def _is_trained_for_costs(model: Any, classifier: Any) -> bool:
    """Whether costs change the fit."""
    if getattr(getattr(classifier, "rule", None), "cost_blind", False):
        return False
    names = ("fn_cost", "cost_matrix")
    return any(parameter_paths(model, name) or _fit_takes(model, name) for name in names)


def _joined(found: list[str]) -> str:
    """The one way in which the classifiers of all folds decide, or a list of them."""
    return " or ".join(dict.fromkeys(found))


# ---- measures ------------------------------------------------------------------------------------


def _measured(data_set: DataSet, held: Indices, predicted: Any, probability: Any) -> Values:
    accuracy = float(np.mean(predicted == data_set.y[held]))
    return {"accuracy": accuracy} | (
        _two_class_measures if data_set.matrix is None else _several_class_measures
    )(data_set, held, predicted, probability)


def _several_class_measures(
    data_set: DataSet, held: Indices, predicted: Any, probability: Any
) -> Values:
    """Measures for any number of classes; half the Brier score, which for two is the usual one."""
    assert data_set.matrix is not None
    assert data_set.classes is not None
    truth, code = (
        np.searchsorted(data_set.classes, labels) for labels in (data_set.y[held], predicted)
    )
    brier = None
    if probability is not None:
        apart = probability - np.eye(len(data_set.classes))[truth]
        brier = float((apart**2).sum(axis=1).mean() / 2)
    undefined = {name: None for name in MEASURES if name.endswith(("_positive", "_negative"))}
    return {"cost": float(data_set.matrix[truth, code].mean()), "brier": brier, **undefined}


def _two_class_measures(
    data_set: DataSet, held: Indices, predicted: Any, probability: Any
) -> Values:
    truth = data_set.positive[held]
    positive = predicted == data_set.label
    costs = data_set.costs.rows(held)
    values: Values = {
        "cost": mean_cost(truth.astype(int), positive.astype(int), pos_label=1, costs=costs),
        "brier": None if probability is None else float(brier_score_loss(truth, probability)),
    }
    found = precision_recall_fscore_support(
        truth, positive, labels=[True, False], zero_division=0.0
    )
    for key, pair in zip(("precision", "recall", "f1"), found, strict=False):
        values[f"{key}_positive"], values[f"{key}_negative"] = map(float, pair)
    return values


# ---- baselines: constant predictions and two usual models ----------------------------------------

MOST_CATEGORIES = 100
"""Categories of a column; rarer ones are joined."""
CALIBRATION_FOLDS = 5
"""Folds on which the probabilities of LightGBM are calibrated."""


WITHOUT_MODEL = ("all rows negative", "all rows positive", "one class for all rows", BY_COSTS)
"""Names of baselines that need no model."""


def make_baselines(several: bool, of_rows: bool = False) -> dict[str, Any]:
    """The baselines by name, with or without costs of rows; LightGBM only if it is installed."""
    found: dict[str, Any] = {}
    if several:
        found["one class for all rows"] = Constant()
    else:
        found["all rows negative"] = Constant(positive=False)
        found["all rows positive"] = Constant(positive=True)
    if of_rows:  # with the same costs for all rows it is one of the constant predictions
        found[BY_COSTS] = ByCost(DummyClassifier(strategy="prior"))
    logistic = make_pipeline(Encoder(one_hot=True), LogisticRegression(max_iter=1000))
    found["logistic regression"] = ByCost(logistic)
    if find_spec("lightgbm") is not None:
        found["LightGBM, calibrated"] = ByCost(make_pipeline(Encoder(), CalibratedLightGBM()))
    return found


@dataclass(eq=False, repr=False)
class Constant(ClassifierMixin, BaseEstimator):
    """Predicts one class for all rows: the positive one, the other one, or the cheapest one."""

    _: KW_ONLY
    positive: bool | None = None
    fn_cost: float = 1.0
    fp_cost: float = 1.0
    cost_matrix: Any = None
    pos_label: Any = None

    def fit(self, X: Any, y: Any) -> Self:
        self.decides_ = ONE_CLASS
        self.classes_, count = np.unique(y, return_counts=True)
        positive = _positive_index(self.classes_, self.pos_label)
        if self.positive is not None:
            self.label_ = self.classes_[positive if self.positive else 1 - positive]
            return self
        matrix = self.cost_matrix
        if matrix is None and len(count) == 2:
            matrix = np.zeros((2, 2))
            matrix[positive, 1 - positive] = self.fn_cost
            matrix[1 - positive, positive] = self.fp_cost
        costs = count @ check_matrix(matrix, self.classes_)
        self.label_ = self.classes_[int(costs.argmin())]
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        return np.full(X.shape[0] if hasattr(X, "shape") else len(X), self.label_)


@dataclass(eq=False, repr=False)
class ByCost(ClassifierMixin, BaseEstimator):
    """Predicts the class of least expected cost by the probabilities of a classifier."""

    estimator: Any
    _: KW_ONLY
    fn_cost: float = 1.0
    fp_cost: float = 1.0
    cost_matrix: Any = None
    pos_label: Any = None

    def fit(self, X: Any, y: Any) -> Self:
        self.estimator.fit(X, y)
        self.classes_ = self.estimator.classes_
        return self

    def predict_proba(self, X: Any) -> Floats:
        return np.asarray(self.estimator.predict_proba(X))

    def predict(
        self,
        X: Any,
        fn_cost: Any = None,
        fp_cost: Any = None,
        tp_cost: Any = None,
        tn_cost: Any = None,
    ) -> NDArray[Any]:
        probability = self.predict_proba(X)
        if self.cost_matrix is not None or len(self.classes_) > 2:
            matrix = check_matrix(self.cost_matrix, self.classes_)
            return np.asarray(self.classes_[least_expected(probability, matrix)])
        stated = {"fn_cost": self.fn_cost, "fp_cost": self.fp_cost}
        stated |= known_costs(None, fn_cost, fp_cost, tp_cost, tn_cost)
        net = Costs.checked(len(probability), **stated).net
        index = _positive_index(self.classes_, self.pos_label)
        positive = probability[:, index] > net.threshold
        return np.asarray(self.classes_[np.where(positive, index, 1 - index)])


def _positive_index(classes: NDArray[Any], pos_label: Any) -> int:
    return 0 if pos_label is not None and pos_label == classes[0] else 1


@dataclass(eq=False, repr=False)
class CalibratedLightGBM(ClassifierMixin, BaseEstimator):
    """LightGBM with trees of 8 leaves, its probabilities calibrated by isotonic regression."""

    def fit(self, X: Any, y: Any) -> Self:
        from lightgbm import LGBMClassifier

        self.classes_, count = np.unique(y, return_counts=True)
        self.model_ = LGBMClassifier(num_leaves=8, n_jobs=1, verbose=-1)
        n_folds = min(CALIBRATION_FOLDS, int(count.min()))
        if n_folds > 1:
            self.model_ = CalibratedClassifierCV(self.model_, method="isotonic", cv=n_folds)
        self.model_.fit(X, y)
        return self

    def predict_proba(self, X: Any) -> Floats:
        return np.asarray(self.model_.predict_proba(X))


@dataclass(eq=False, repr=False)
class Encoder(TransformerMixin, BaseEstimator):
    """Makes numbers of any rows that the library reads.

    Categories become codes. With ``one_hot`` they become a column each, numbers are standardised,
    and missing numbers become the mean, with a further column that marks them. Sparse matrices stay
    sparse: with ``one_hot`` columns are divided by their greatest value, and missing ones are 0.
    """

    _: KW_ONLY
    one_hot: bool = False

    def fit(self, X: Any, y: Any = None) -> Self:
        table, features = read_training(type(self).__name__, X)
        self.n_features_in_ = features.n_features_in
        if features.feature_names_in is not None:
            self.feature_names_in_ = features.feature_names_in
        if sparse.issparse(X):
            greatest = abs(_without_missing(X)).max(axis=0).toarray().ravel()
            self.scale_ = np.where(greatest > 0, greatest, 1.0)
            return self
        flags = categorical_columns(table, "from_dtype")
        self.coders_ = make_coders(table, flags, MOST_CATEGORIES)
        self.centre_, self.scale_ = np.zeros(len(flags)), np.ones(len(flags))
        self.has_missing_ = np.zeros(len(flags), dtype=bool)
        for j in np.flatnonzero(~np.array(flags)).tolist():
            values = self._column(table, j)
            known = values[~np.isnan(values)]
            self.has_missing_[j] = known.size < values.size
            if known.size:
                self.centre_[j], self.scale_[j] = known.mean(), known.std() or 1.0
        return self

    def transform(self, X: Any) -> Any:
        table = read(self, X)
        if sparse.issparse(X):
            return _without_missing(X).multiply(1 / self.scale_).tocsr() if self.one_hot else X
        columns = [self._column(table, j) for j in range(len(self.coders_))]
        if not self.one_hot:
            return np.column_stack(columns)
        blocks: list[Any] = []
        for j, (values, coder) in enumerate(zip(columns, self.coders_, strict=True)):
            if coder is not None:
                codes = np.where(np.isnan(values), -1, values)
                blocks.append(codes[:, np.newaxis] == np.arange(coder.n_codes))
                continue
            missing = np.isnan(values)
            scaled = (values - self.centre_[j]) / self.scale_[j]
            blocks.append(np.where(missing, 0.0, scaled)[:, np.newaxis])
            if self.has_missing_[j]:
                blocks.append(missing[:, np.newaxis])
        return sparse.hstack([sparse.csr_matrix(block, dtype=np.float64) for block in blocks])

    def _column(self, table: Table, j: int) -> Floats:
        return np.asarray(table.coded(j, self.coders_[j]), dtype=np.float64)


def _without_missing(X: Any) -> Any:
    """A sparse matrix with 0 in place of NaN."""
    filled = X.tocsr().astype(np.float64)
    filled.data = np.nan_to_num(filled.data, posinf=np.inf, neginf=-np.inf)
    return filled
