"""What all calibrators of two classes share."""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.metadata_routing import UNUSED
from sklearn.utils.validation import check_is_fitted

from costboost._core.arithmetic import RowVector
from costboost._core.checks import Floats, check_labels, check_scores, check_weight, distinct, some


class Sample(NamedTuple):
    """Validated scores, labels and weights, without the rows of weight 0."""

    score: Floats
    positive: NDArray[np.bool_]
    weight: Floats
    classes: NDArray[Any]
    """The two labels in sorted order; the second is positive."""


def check_sample(score: Any, y: Any, sample_weight: Any) -> Sample:
    """Validate scores, labels and weights; rows of both classes are required."""
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
    """The two distinct labels in sorted order, and which rows have the second one."""
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


class Calibrator(BaseEstimator):
    """Base class of the calibrators; not meant to be used by itself.

    A calibrator has no parameters. Its fitted attributes, whose names end in an underscore, are
    numbers or arrays.
    """

    # `score` is data like scikit-learn's X, not metadata that could be routed.
    __metadata_request__fit = {"score": UNUSED}  # noqa: RUF012
    __metadata_request__predict_proba = {"score": UNUSED}  # noqa: RUF012

    classes_: NDArray[Any]

    def fit(self, score: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the mapping from scores to probabilities.

        Parameters
        ----------
        score : array of shape (n_samples,)
            Scores of rows that the classifier was not trained on.
        y : array of shape (n_samples,)
            Labels of two classes; the greater one in sorted order is positive.
        sample_weight : array of shape (n_samples,), optional
            How often each row counts: a weight of 2 is equivalent to repeating the row, a weight of
            0 to leaving it out.

        Returns
        -------
        self
        """
        sample = check_sample(score, y, sample_weight)
        self._learn(sample)
        self.classes_ = sample.classes
        return self

    @property
    def increases(self) -> bool:
        """Whether a greater score never has a smaller probability."""
        return True

    def probability(self, score: Any) -> Floats:
        """Probability of the positive class.

        Parameters
        ----------
        score : array of shape (n_samples,)

        Returns
        -------
        array of shape (n_samples,)
        """
        if "classes_" not in vars(self):
            check_is_fitted(self)
        if not isinstance(score, RowVector):
            score = check_scores("score", score)
        return self._map(score)

    def predict_proba(self, score: Any) -> Floats:
        """Probability of each class, in the order of ``classes_``.

        Parameters
        ----------
        score : array of shape (n_samples,)

        Returns
        -------
        array of shape (n_samples, 2)
        """
        positive = self.probability(score)
        return np.column_stack([1 - positive, positive])

    def get_state(self) -> dict[str, NDArray[Any]]:
        """Fitted attributes by name, as arrays."""
        check_is_fitted(self)
        return {name: np.asarray(value) for name, value in vars(self).items()}

    @classmethod
    def from_state(cls, state: dict[str, NDArray[Any]]) -> Self:
        """Create a fitted calibrator from the result of ``get_state``."""
        self = cls()
        for name, value in state.items():
            setattr(self, name, value if np.ndim(value) else float(value))
        return self

    def _learn(self, sample: Sample) -> None:
        """Set the fitted attributes."""
        raise NotImplementedError

    def _map(self, score: Floats) -> Floats:
        """Probability of the positive class for validated scores."""
        raise NotImplementedError
