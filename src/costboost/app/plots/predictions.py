"""Labelled rows, and what fitted classifiers predict for them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import Pipeline
from sklearn.utils import check_consistent_length
from sklearn.utils.validation import check_is_fitted

from costboost._core.arrays import Flags
from costboost.decisions.wrapping import check_estimator, positive_label, positive_score, take
from costboost.metrics.checks import (
    Floats,
    check_cost,
    check_labels,
    check_numbers,
    check_weight,
    distinct,
    some,
)


class LabelledRows(NamedTuple):
    """Rows of two classes with their weights and costs."""

    positive: Flags
    weight: Floats
    fn_cost: Floats
    fp_cost: Floats
    """Costs of false negatives and false positives: one number each, or one for each row."""
    label: Any
    """The positive class."""
    other: Any
    """The negative class."""

    def take(self, rows: Any) -> LabelledRows:
        """The given rows, such as those of a fold."""
        part = self._replace(
            positive=self.positive[rows],
            weight=self.weight[rows],
            fn_cost=self.fn_cost[rows] if self.fn_cost.ndim else self.fn_cost,
            fp_cost=self.fp_cost[rows] if self.fp_cost.ndim else self.fp_cost,
        )
        return part.check()

    def check(self) -> LabelledRows:
        """Raise a ValueError unless both classes have rows with positive weights."""
        if not 0 < self.weight[self.positive].sum() < self.weight.sum():
            raise ValueError(
                "every row that counts, maybe of some fold, is of one class; there must be rows of "
                "both with weights above 0"
            )
        return self

    @property
    def cost(self) -> Floats:
        """Cost of a mistake on each row."""
        return np.where(self.positive, self.fn_cost, self.fp_cost)

    @property
    def weighted_cost(self) -> Floats:
        """Cost of a mistake on each row times its weight."""
        return self.weight * self.cost

    @property
    def skew(self) -> float:
        """Share of the negative class in the cost of predicting every row wrongly."""
        return float(self.weighted_cost[~self.positive].sum() / self.weighted_cost.sum())

    @property
    def cost_proportion(self) -> float:
        """Share of a false positive in the mean costs of the two mistakes."""
        fn, fp = (
            np.average(self.cost[side], weights=self.weight[side])
            for side in (self.positive, ~self.positive)
        )
        return float(fp / (fn + fp))

    @property
    def positive_share(self) -> float:
        """Share of the positive class, by weight."""
        return float(self.weight[self.positive].sum() / self.weight.sum())


def read_rows(
    y_true: Any,
    pos_label: Any = None,
    sample_weight: Any = None,
    fn_cost: Any = None,
    fp_cost: Any = None,
) -> LabelledRows:
    """Checked labels of two classes with weights and costs; defaults are 1."""
    labels = check_labels("y_true", y_true)
    label, other = two_classes(distinct(labels), pos_label)
    positive = np.asarray(labels == label, dtype=np.bool_)
    weight = check_weight(sample_weight, labels.size)
    fn, fp = (
        check_cost(name, 1.0 if value is None else value, labels.size)
        for name, value in (("fn_cost", fn_cost), ("fp_cost", fp_cost))
    )
    rows = LabelledRows(positive, weight, fn, fp, label, other).check()
    if not rows.weighted_cost.any():
        raise ValueError("fn_cost and fp_cost are zero for every row; some mistake must cost")
    return rows


def two_classes(classes: Any, pos_label: Any) -> tuple[Any, Any]:
    """The positive class, by default the greater one, and the negative one."""
    found = np.asarray(classes)
    if len(found) != 2:
        raise ValueError(
            f"these plots are for two classes, but there are {len(found)}: {some(found)}"
        )
    if pos_label is None:
        return found[1], found[0]
    if not np.any(found == pos_label):
        given = some(np.asarray([pos_label]))
        raise ValueError(f"pos_label is {given}, but the classes are {some(found)}")
    return found[found == pos_label][0], found[found != pos_label][0]


# ---- tables --------------------------------------------------------------------------------------


def read_table(values: Any, names: Sequence[str] | None) -> tuple[Floats, list[str]]:
    """The table as an array, and names of the methods: those given, or those of the columns."""
    if isinstance(values, Mapping):
        own = [str(name) for name in values]
        lengths = {np.size(column) for column in values.values()}
        if len(lengths) > 1:
            raise ValueError(f"every method must have as many values, got {sorted(lengths)}")
        table = check_numbers("values", np.column_stack(list(values.values())))
    else:
        own = [str(name) for name in getattr(values, "columns", ())]
        table = check_numbers("values", values)
    if table.ndim != 2 or table.size == 0:
        raise ValueError(
            "values must be a table with a row for each data set and a column for each method, got "
            f"an array of shape {table.shape}"
        )
    return table, check_names(names, own, table.shape[1])


def check_names(names: Sequence[str] | None, own: Sequence[str], n: int) -> list[str]:
    """A name for each method."""
    chosen = own or [f"method {k}" for k in range(1, n + 1)]
    if names is not None:
        chosen = [str(name) for name in names]
    if len(chosen) != n:
        raise ValueError(
            f"names must have one entry for each of the {n} methods, got {len(chosen)}"
        )
    return list(chosen)


def means(name: str, values: Any, n: int) -> Floats:
    """A number for each method; a table is averaged over data sets."""
    if isinstance(values, Mapping):
        values = np.column_stack(list(values.values()))
    numbers = check_numbers(name, values)
    numbers = numbers.mean(axis=0) if numbers.ndim == 2 else numbers
    if numbers.shape != (n,) or not np.all(np.isfinite(numbers)):
        raise ValueError(
            f"{name} must have a finite number for each of the {n} methods, or a table with a "
            f"column for each of them, got an array of shape {np.shape(values)}"
        )
    return numbers


# ---- one classifier ------------------------------------------------------------------------------


def positive_class(estimator: Any, pos_label: Any) -> Any:
    """The positive class: the given one, that of the classifier, or the greater one."""
    check_estimator(estimator)
    check_is_fitted(estimator)
    stated = positive_label(estimator, None) if pos_label is None else pos_label
    return two_classes(estimator.classes_, stated)[0]


def name_of(estimator: Any) -> str:
    """Name of a classifier for a legend."""
    inner = estimator.estimator if isinstance(estimator, FrozenEstimator) else estimator
    inner = inner[-1] if isinstance(inner, Pipeline) else inner
    return type(inner).__name__


def class_probability(estimator: Any, X: Any, label: Any) -> Floats:
    """Probabilities of a class; a classifier without probabilities raises a ValueError."""
    if not hasattr(estimator, "predict_proba"):
        raise ValueError(
            f"{type(estimator).__name__} has no predict_proba: it decides by scores only. Wrap it "
            "in sklearn.calibration.CalibratedClassifierCV, or draw its cost curve instead"
        )
    return positive_score(estimator, X, label)


def class_score(estimator: Any, X: Any, label: Any) -> Floats:
    """Probabilities of a class, or decision scores if there are none."""
    if not any(hasattr(estimator, name) for name in ("predict_proba", "decision_function")):
        raise ValueError(
            f"{type(estimator).__name__} has neither predict_proba nor decision_function"
        )
    return positive_score(estimator, X, label)


def staged(estimator: Any, X: Any, *methods: str) -> Iterator[Any]:
    """Results of a staged method of a boosting classifier, which may be the end of a pipeline.

    Of several methods, the first one that the classifier has is called.
    """
    check_is_fitted(estimator)
    if isinstance(estimator, Pipeline):
        X, estimator = estimator[:-1].transform(X) if len(estimator) > 1 else X, estimator[-1]
    found = [method for method in methods if hasattr(estimator, method)]
    if not found:
        raise ValueError(
            f"{type(estimator).__name__} has no {methods[-1]}: only boosting classifiers have "
            "predictions after each round"
        )
    return iter(getattr(estimator, found[0])(X))


def staged_decisions(estimator: Any, X: Any, label: Any) -> Iterator[Flags]:
    """Which rows are predicted as the class, one round after the other."""
    return (np.asarray(y_pred) == label for y_pred in staged(estimator, X, "staged_predict"))


def staged_scores(estimator: Any, X: Any, label: Any, raw: bool) -> Iterator[Floats]:
    """Scores after each round, higher for the class.

    With ``raw`` they are sums of votes, otherwise distances from the decision threshold.
    """
    sign = 1.0 if estimator.classes_[1] == label else -1.0
    methods = ["staged_raw_score"] * raw + ["staged_decision_function"]
    for score in staged(estimator, X, *methods):
        yield sign * np.asarray(score, dtype=np.float64).ravel()


# ---- several runs --------------------------------------------------------------------------------


class Run(NamedTuple):
    """A classifier with the indices of its training and test rows."""

    estimator: Any
    train: Any
    test: Any


def runs_of(cv_results: Any, X: Any, y: Any) -> list[Run]:
    """The runs of scikit-learn's cross_validate."""
    if not isinstance(cv_results, Mapping) or not {"estimator", "indices"} <= set(cv_results):
        raise ValueError(
            "cv_results must be what sklearn.model_selection.cross_validate returns with "
            "return_estimator=True and return_indices=True"
        )
    check_consistent_length(X, y)
    parts = cv_results["indices"]
    triples = zip(cv_results["estimator"], parts["train"], parts["test"], strict=True)
    found = [Run(*one) for one in triples]
    n_rows = len(np.asarray(y))
    if any(int(np.max(rows)) >= n_rows for run in found for rows in run[1:]):
        raise ValueError(
            f"cv_results has rows beyond the {n_rows} of X and y; pass those that were given to "
            "cross_validate"
        )
    return found


def part(values: Any, rows: Any) -> Any:
    """The values of the given rows; a single value for all rows is returned as it is."""
    return values if values is None or np.ndim(values) == 0 else take(values, rows)


# ---- decision surfaces ---------------------------------------------------------------------------


class Surface(NamedTuple):
    """Predictions on a grid: the first axis of the arrays is y, the second one x."""

    x: Floats
    y: Floats
    positive: Flags
    confidence: Floats
    """Distance of the score from where the decision changes."""


def check_plane(X: Any) -> tuple[Floats, list[str]]:
    """Points in two dimensions and the names of the two features."""
    names = [str(name) for name in X.columns] if hasattr(X, "columns") else ["x1", "x2"]
    points = check_numbers("X", X)
    if points.ndim != 2 or points.shape[1] != 2:
        raise ValueError(
            f"a surface is drawn over two features, but X has the shape {points.shape}; train a "
            "classifier on two of them"
        )
    if not np.all(np.isfinite(points)):
        raise ValueError("X has missing or infinite values, which cannot be drawn in a plane")
    return points, names


def axis_values(values: Floats, padding: float, n: int) -> Floats:
    """Evenly spaced numbers over the range of the values and some padding."""
    low, high = float(values.min()), float(values.max())
    room = padding * ((high - low) or 1.0)
    return np.linspace(low - room, high + room, n)


def surface(
    estimator: Any,
    X: Any,
    label: Any,
    *,
    stage: int | None,
    learner: int | None,
    resolution: int,
    padding: float,
) -> Surface:
    """Predictions of a classifier on a grid around the points."""
    points, _ = check_plane(X)
    if isinstance(resolution, bool) or not isinstance(resolution, int) or resolution < 2:
        raise ValueError(f"resolution must be a whole number of at least 2, got {resolution!r}")
    x, y = (axis_values(points[:, k], padding, resolution) for k in (0, 1))
    grid = np.column_stack([np.tile(x, resolution), np.repeat(y, resolution)])
    shown = _like(X, grid)
    if stage is not None or learner is not None:
        positive, score = _part(estimator, shown, label, stage, learner)
        neutral = 0.0
    else:
        positive = np.asarray(estimator.predict(shown)) == label
        score, neutral = _score(estimator, shown, label)
    sure = np.abs(score - boundary(score, positive, neutral))
    shape = (resolution, resolution)
    return Surface(x, y, positive.reshape(shape), sure.reshape(shape))


def boundary(score: Floats, positive: Flags, neutral: float) -> float:
    """The score at which the decision changes.

    This may differ from the neutral score if the classifier moves its threshold. If the decisions
    are not monotone in the score, the neutral score is returned.
    """
    if positive.all():
        return min(neutral, float(score.min()))
    if not positive.any():
        return max(neutral, float(score.max()))
    below, above = float(score[~positive].max()), float(score[positive].min())
    if below > above:
        return neutral
    return neutral if below <= neutral <= above else (below + above) / 2


def _score(estimator: Any, X: Any, label: Any) -> tuple[Floats, float]:
    """Scores for a class and the neutral score; probabilities if there are no scores."""
    if hasattr(estimator, "decision_function"):
        score = np.asarray(estimator.decision_function(X), dtype=np.float64).ravel()
        return (score if estimator.classes_[1] == label else -score), 0.0
    return class_score(estimator, X, label), 0.5


def _part(
    estimator: Any, X: Any, label: Any, stage: int | None, learner: int | None
) -> tuple[Flags, Floats]:
    """Decisions and scores of the first rounds, or of one learner alone."""
    if stage is not None and learner is not None:
        raise ValueError("stage shows the first rounds, learner one round alone: pass one of them")
    m = learner if stage is None else stage
    if isinstance(m, bool) or not isinstance(m, (int, np.integer)) or m < 1:
        raise ValueError(f"rounds are counted from 1, got {m!r}")
    n_rounds, before, score = 0, np.zeros(1), np.zeros(1)
    for one in islice(staged_scores(estimator, X, label, raw=stage is None), int(m)):
        n_rounds, before, score = n_rounds + 1, score, one
    if n_rounds < m:
        raise ValueError(f"{type(estimator).__name__} has {n_rounds} rounds only, not {m}")
    if stage is None:
        return score - before > 0, score - before
    positive = next(islice(staged_decisions(estimator, X, label), int(m) - 1, None))
    return positive, score


def _like(X: Any, grid: Floats) -> Any:
    """The grid as a data frame like X, or as it is if X has no columns."""
    if not hasattr(X, "columns"):
        return grid
    return type(X)({name: grid[:, k] for k, name in enumerate(X.columns)})
