"""What the user gave, checked once, so that the calibrators need not."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class Sample(NamedTuple):
    """Scores to learn from. Rows of weight 0 are left out, so that they cannot matter."""

    score: Floats
    positive: NDArray[np.bool_]
    weight: Floats
    classes: NDArray[Any]
    """The two labels in sorted order; the second is positive."""


def check_sample(score: Any, y: Any, sample_weight: Any) -> Sample:
    """Scores, labels and weights that fit together, with rows of both classes."""
    score = check_score(score)
    if score.size == 0:
        raise ValueError("score is empty; calibration needs scores of both classes")
    classes, positive = _check_labels(y, score.size)
    weight = _check_weight(sample_weight, score.size)
    counts = weight > 0
    if not 0 < positive[counts].sum() < counts.sum():
        raise ValueError(
            "y has one class only among the rows whose sample_weight is not 0; calibration needs "
            "scores of both classes"
        )
    return Sample(score[counts], positive[counts], weight[counts], classes)


def check_score(score: Any) -> Floats:
    """One finite number for each row."""
    values = _numbers("score", score)
    if values.ndim != 1:
        raise ValueError(
            f"score must have one value for each row, got an array of shape {values.shape}; of the "
            "two columns of predict_proba, take [:, 1]"
        )
    bad = ~np.isfinite(values)
    if bad.any():
        row = int(np.flatnonzero(bad)[0])
        raise ValueError(
            f"score must be finite, but {int(bad.sum())} of {values.size} values are not, the "
            f"first in row {row}: {values[row]}; drop those rows"
        )
    return values


def _check_labels(y: Any, n_rows: int) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    labels = np.asarray(y)
    if labels.shape != (n_rows,):
        raise ValueError(
            f"y must have one label for each of the {n_rows} scores, got an array of shape "
            f"{labels.shape}"
        )
    if labels.dtype == object and any(one is None or one != one for one in labels.tolist()):
        raise ValueError("y contains missing labels; drop those rows")
    if labels.dtype.kind == "f" and not np.all(np.isfinite(labels)):
        raise ValueError("y contains labels that are NaN or infinite; drop those rows")
    try:
        classes = np.unique(labels)
    except TypeError as error:
        raise ValueError(f"y mixes labels that cannot be sorted: {error}") from error
    if classes.size != 2:
        some = ", ".join(repr(label) for label in classes[:5].tolist())
        raise ValueError(f"y must have two classes, got {classes.size}: {some}")
    return classes, np.asarray(labels == classes[1], dtype=np.bool_)


def _check_weight(sample_weight: Any, n_rows: int) -> Floats:
    if sample_weight is None:
        return np.ones(n_rows)
    weight = _numbers("sample_weight", sample_weight)
    if weight.shape != (n_rows,):
        raise ValueError(
            f"sample_weight must have one value for each of the {n_rows} scores, got an array of "
            f"shape {weight.shape}"
        )
    bad = ~np.isfinite(weight) | (weight < 0)
    if bad.any():
        row = int(np.flatnonzero(bad)[0])
        raise ValueError(
            f"sample_weight must be finite and not negative, got {weight[row]} in row {row}"
        )
    if not weight.any():
        raise ValueError("sample_weight is zero for every row; at least one row must count")
    with np.errstate(over="ignore"):
        if not np.isfinite(weight.sum()):
            raise ValueError("sample_weight adds up to more than a number can hold; scale it down")
    return weight


def _numbers(name: str, values: Any) -> Floats:
    found = np.asarray(values)
    if found.dtype.kind not in "biufO":
        raise ValueError(f"{name} must be numbers, got values of type {found.dtype}")
    try:
        return found.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must be numbers: {error}") from error
