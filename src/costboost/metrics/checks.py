"""Arguments of the measures: shared descriptions, validation, rows grouped by score."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from costboost.checks import (
    Floats,
    check_labels,
    check_not_negative,
    check_numbers,
    check_scores,
    check_weight,
    distinct,
    refuse_no_number,
    some,
)
from costboost.docstrings import sharing

documented = sharing(
    {
        "costs": """
y_true, y_pred : array of shape (n_samples,)
    True and predicted labels.
fn_cost, fp_cost : number or array of shape (n_samples,), optional
    Cost of a miss and of a false alarm, for all rows or for each of them; two classes. One of the
    two may be left out and is then 1; without any costs there is nothing to measure.
cost_matrix : array of shape (n_classes, n_classes), optional
    ``cost_matrix[i, j]`` is the cost of predicting class j where class i is true, classes in
    the order of ``labels``. It multiplies ``sklearn.metrics.confusion_matrix`` entry by entry.
    Abe's C(y1, y2) is its transpose.
costs : array of shape (n_samples, n_classes), optional
    ``costs[r, j]`` is the cost of predicting class j for row r. ``y_true`` may be None then.
labels : array of shape (n_classes,), optional
    Order of the classes in ``cost_matrix`` and ``costs``. Default: those that occur, sorted.
pos_label : label, optional
    The positive class for ``fn_cost`` and ``fp_cost``. Default: the greater one.
sample_weight : array of shape (n_samples,), optional
    How often each row counts.
""",
        "y_true": """
y_true : array of shape (n_samples,)
    Labels of two classes.
""",
        "y_prob": """
y_prob : array of shape (n_samples,)
    Probabilities of the positive class.
""",
        "by": """
by : {"skew", "cost"}, default "skew"
    Whether the curve runs over the skew z = n- C- / (n- C- + n+ C+) or over the cost proportion
    c = C- / (C- + C+).
""",
        "prior": """
prior : float, optional
    Share of positives that the probabilities belong to, such as that of the training rows.
    Default: that of the given rows. Probabilities are moved from there to balanced priors by
    skew, and to the share of the given rows by cost.
""",
        "row_costs": """
fn_cost, fp_cost : number or array of shape (n_samples,), optional
    Costs of a false negative and of a false positive for each row. Then rows count by their costs
    in FNR and FPR, and each has a threshold of its own, so that a row is predicted positive if
    p fn_cost > (1 - p) fp_cost at the costs given, and with one of them multiplied by a
    factor elsewhere. Costs that are the same for all rows do not change the curve.
""",
        "pos_label": """
pos_label : label, optional
    The positive class. Default: the greater one.
""",
        "sample_weight": """
sample_weight : array of shape (n_samples,), optional
    How often each row counts.
""",
        "X_y": """
X : array, data frame or sparse matrix of shape (n_samples, n_features)
y : array of shape (n_samples,)
    True labels, among ``clf.classes_``.
""",
    }
)
"""Writes them where a docstring has their names in braces."""


__all__ = [
    "Floats",
    "Scored",
    "check_both_classes",
    "check_cost",
    "check_in_unit_interval",
    "check_labels",
    "check_not_negative",
    "check_numbers",
    "check_probabilities",
    "check_same_length",
    "check_scored",
    "check_weight",
    "counting",
    "distinct",
    "some",
]

LIGHTEST = 1e-290
"""Beside a row of weight 1, so little is nothing: a share of it could not be stored."""


class Scored(NamedTuple):
    """Rows with a score each; those of weight 0 are left out."""

    positive: NDArray[np.bool_]
    score: Floats
    weight: Floats | None
    """None if every row counts once."""


def check_scored(y_true: Any, score: Any, name: str, pos_label: Any, sample_weight: Any) -> Scored:
    """Which rows are positive, and their finite scores."""
    labels = check_labels("y_true", y_true)
    values = check_scores(name, score)
    check_same_length(labels.size, name, values.size)
    positive = np.asarray(labels == _positive_label(labels, pos_label), dtype=np.bool_)
    if sample_weight is None:
        return Scored(positive, values, None)
    weight = check_weight(sample_weight, labels.size)
    counts = counting(weight, labels.size)
    return Scored(positive[counts], values[counts], weight[counts])


def counting(sample_weight: Any, n_rows: int) -> NDArray[np.bool_]:
    """Which rows have a weight beside that of the others."""
    weight = check_weight(sample_weight, n_rows)
    return np.asarray(weight > LIGHTEST * weight.max())


def check_probabilities(y_true: Any, y_prob: Any, pos_label: Any, sample_weight: Any) -> Scored:
    """Rows whose scores are probabilities."""
    rows = check_scored(y_true, y_prob, "y_prob", pos_label, sample_weight)
    check_in_unit_interval("y_prob", rows.score)
    return rows


def check_in_unit_interval(name: str, values: Floats) -> None:
    """Probabilities are from 0 to 1."""
    outside = (values < 0) | (values > 1)
    if outside.any():
        value = values[outside][0]
        raise ValueError(
            f"{name} must be probabilities from 0 to 1, got {value:g}; calibrate first"
        )


def check_both_classes(rows: Scored) -> Scored:
    """Rates of misses and of false alarms exist for both classes only."""
    if not 0 < rows.positive.sum() < rows.positive.size:
        which = "positive" if rows.positive.any() else "negative"
        raise ValueError(
            f"every row that counts is {which}; the rates of misses and of false alarms need rows "
            "of both classes"
        )
    return rows


def check_cost(name: str, value: Any, n_rows: int) -> Floats:
    """What a mistake costs: one number, or one for each row."""
    refuse_no_number(name, value)
    cost = check_not_negative(name, value)
    if cost.shape not in ((), (n_rows,)):
        raise ValueError(
            f"{name} must be one number or one for each of the {n_rows} rows, got an array of "
            f"shape {cost.shape}"
        )
    return cost


def _positive_label(labels: NDArray[Any], pos_label: Any) -> Any:
    classes = distinct(labels)
    if len(classes) > 2:
        raise ValueError(
            f"y_true has {len(classes)} classes, {some(classes)}; this measure is for two"
        )
    if pos_label is not None:
        if len(classes) == 2 and not np.any(classes == pos_label):
            raise ValueError(f"pos_label is {pos_label!r}, but the classes are {some(classes)}")
        return pos_label
    if len(classes) == 1 and not any(classes[0] == label for label in (-1, 0, 1)):
        raise ValueError(
            f"y_true has one class only, {some(classes)}, and nothing says whether it is the "
            "positive one; pass pos_label"
        )
    return classes[1] if len(classes) == 2 else 1


def check_same_length(n_rows: int, name: str, n_other: int) -> None:
    """Both sides of a comparison have as many rows."""
    if n_other != n_rows:
        raise ValueError(f"y_true has {n_rows} rows, but {name} has {n_other}")
