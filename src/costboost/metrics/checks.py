"""What measures are given, checked: that of `costboost.checks`, and rows with a score each."""

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
