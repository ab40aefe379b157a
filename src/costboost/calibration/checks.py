"""What the user gave, checked once, so that the calibrators need not."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from costboost.checks import Floats, check_labels, check_scores, check_weight, distinct, some


class Sample(NamedTuple):
    """Scores to learn from. Rows of weight 0 are left out, so that they cannot matter."""

    score: Floats
    positive: NDArray[np.bool_]
    weight: Floats
    classes: NDArray[Any]
    """The two labels in sorted order; the second is positive."""


def check_sample(score: Any, y: Any, sample_weight: Any) -> Sample:
    """Scores, labels and weights that fit together, with rows of both classes."""
    score = check_scores("score", score)
    if score.size == 0:
        raise ValueError("score is empty; calibration needs scores of both classes")
    classes, positive = _check_two_classes(y, score.size)
    weight = check_weight(sample_weight, score.size, "scores")
    counts = weight > 0
    if not 0 < positive[counts].sum() < counts.sum():
        raise ValueError(
            "y has one class only among the rows whose sample_weight is not 0; calibration needs "
            "scores of both classes"
        )
    return Sample(score[counts], positive[counts], weight[counts], classes)


def _check_two_classes(y: Any, n_rows: int) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """The labels that occur, and which rows have the second of them."""
    if np.shape(y) != (n_rows,):
        raise ValueError(
            f"y must have one label for each of the {n_rows} scores, got an array of shape "
            f"{np.shape(y)}"
        )
    labels = check_labels("y", y)
    classes = distinct(labels)
    if classes.size != 2:
        raise ValueError(f"y must have two classes, got {classes.size}: {some(classes)}")
    return classes, np.asarray(labels == classes[1], dtype=np.bool_)
