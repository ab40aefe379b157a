"""What the user gave, checked: labels, weights, costs and scores."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


# ---- numbers -------------------------------------------------------------------------------------


def check_numbers(name: str, values: Any) -> Floats:
    """Values as floats."""
    found = np.asarray(values)
    if found.dtype.kind not in "biufO":
        raise ValueError(f"{name} must be numbers, got values of type {found.dtype}")
    try:
        return found.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must be numbers: {error}") from error


def check_not_negative(name: str, values: Any) -> Floats:
    """Values as floats, finite and not below 0."""
    numbers = check_numbers(name, values)
    bad = ~np.isfinite(numbers) | (numbers < 0)
    if bad.any():
        where = f" at {tuple(int(k[0]) for k in np.nonzero(bad))}" if numbers.ndim else ""
        first = numbers[bad].flat[0]
        raise ValueError(f"{name} must be finite and not negative, got {first:g}{where}")
    return numbers


def check_weight(sample_weight: Any, n_rows: int) -> Floats:
    """How often each row counts; once if nothing is said."""
    if sample_weight is None:
        return np.ones(n_rows)
    weight = check_not_negative("sample_weight", sample_weight)
    if weight.shape != (n_rows,):
        raise ValueError(
            f"sample_weight must have one value for each of the {n_rows} rows, got an array of "
            f"shape {weight.shape}"
        )
    if not weight.any():
        raise ValueError("sample_weight is zero for every row; at least one row must count")
    with np.errstate(over="ignore"):
        if not np.isfinite(weight.sum()):
            raise ValueError("sample_weight adds up to more than a number can hold; scale it down")
    return weight


# ---- labels --------------------------------------------------------------------------------------


def check_labels(name: str, y: Any) -> NDArray[Any]:
    """One label for each row, none of them missing."""
    labels = np.asarray(y)
    if labels.ndim != 1:
        raise ValueError(
            f"{name} must have one label for each row, got an array of shape {labels.shape}"
        )
    if labels.size == 0:
        raise ValueError(f"{name} is empty; there is nothing to measure")
    missing = labels.dtype == object and any(one is None or one != one for one in labels.tolist())
    if missing or (labels.dtype.kind == "f" and not np.all(np.isfinite(labels))):
        raise ValueError(f"{name} contains labels that are missing or infinite; drop those rows")
    return labels


def distinct(*ys: NDArray[Any]) -> NDArray[Any]:
    """The labels that occur, in sorted order."""
    if len({y.dtype.kind in "US" for y in ys if y.dtype != object}) > 1:
        kinds = " and ".join(str(y.dtype) for y in ys)
        raise ValueError(f"labels must be of one kind, got arrays of {kinds}; convert one of them")
    try:
        return np.unique(np.concatenate([_few(y) for y in ys]))
    except TypeError as error:
        raise ValueError(f"labels that cannot be sorted: {error}") from error


def _few(y: NDArray[Any]) -> NDArray[Any]:
    """The least and the greatest label if there are no others, found without sorting; else all."""
    if y.dtype.kind not in "biu":
        return y
    ends = np.array([y.min(), y.max()])
    return ends if np.all((y == ends[0]) | (y == ends[1])) else y


def some(labels: NDArray[Any]) -> str:
    """A few labels for a message."""
    names = ", ".join(repr(label) for label in labels[:5].tolist())
    return names + (", ..." if len(labels) > 5 else "")


def check_same_length(n_rows: int, name: str, n_other: int) -> None:
    """Both sides of a comparison have as many rows."""
    if n_other != n_rows:
        raise ValueError(f"y_true has {n_rows} rows, but {name} has {n_other}")


# ---- scores --------------------------------------------------------------------------------------


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
    values = check_numbers(name, score)
    if values.ndim != 1:
        raise ValueError(
            f"{name} must have one value for each row, got an array of shape {values.shape}; of "
            "the two columns of predict_proba, take that of the positive class"
        )
    check_same_length(labels.size, name, values.size)
    bad = ~np.isfinite(values)
    if bad.any():
        row = int(np.flatnonzero(bad)[0])
        raise ValueError(f"{name} must be finite, got {values[row]} in row {row}; drop such rows")
    positive = np.asarray(labels == _positive_label(labels, pos_label), dtype=np.bool_)
    if sample_weight is None:
        return Scored(positive, values, None)
    weight = check_weight(sample_weight, labels.size)
    counts = weight > LIGHTEST * weight.max()
    return Scored(positive[counts], values[counts], weight[counts])


def check_probabilities(y_true: Any, y_prob: Any, pos_label: Any, sample_weight: Any) -> Scored:
    """Rows whose scores are probabilities."""
    rows = check_scored(y_true, y_prob, "y_prob", pos_label, sample_weight)
    outside = (rows.score < 0) | (rows.score > 1)
    if outside.any():
        value = rows.score[outside][0]
        raise ValueError(
            f"y_prob must be probabilities from 0 to 1, got {value:g}; calibrate first"
        )
    return rows


def check_both_classes(rows: Scored) -> Scored:
    """Rates of misses and of false alarms exist for both classes only."""
    if not 0 < rows.positive.sum() < rows.positive.size:
        which = "positive" if rows.positive.any() else "negative"
        raise ValueError(
            f"every row that counts is {which}; the rates of misses and of false alarms need rows "
            "of both classes"
        )
    return rows


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
