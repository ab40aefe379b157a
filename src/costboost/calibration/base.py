"""What all calibrators share: fitting on checked scores, and the two forms of the answer."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.metadata_routing import UNUSED
from sklearn.utils.validation import check_is_fitted

from costboost.calibration.checks import Sample, check_sample
from costboost.checks import Floats, check_scores


class Calibrator(BaseEstimator):
    """Base of the calibrators; not meant to be used by itself.

    A calibrator has no parameters. What it has learnt is in attributes that end in an underscore,
    all of them numbers or arrays.
    """

    # Scores stand where scikit-learn has X: they are data, nothing to be routed.
    __metadata_request__fit = {"score": UNUSED}  # noqa: RUF012
    __metadata_request__predict_proba = {"score": UNUSED}  # noqa: RUF012

    classes_: NDArray[Any]

    def fit(self, score: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn how scores lead to probabilities.

        Parameters
        ----------
        score : array of shape (n_samples,)
            Scores of rows that the classifier was not trained on.
        y : array of shape (n_samples,)
            Labels of two classes; the greater one in sorted order is positive.
        sample_weight : array of shape (n_samples,), optional
            How often each row counts: a weight of 2 is the row written twice, a weight of 0 a row
            that is not there.

        Returns
        -------
        self
        """
        sample = check_sample(score, y, sample_weight)
        self._learn(sample)
        self.classes_ = sample.classes
        return self

    def probability(self, score: Any) -> Floats:
        """Probability of the positive class.

        Parameters
        ----------
        score : array of shape (n_samples,)

        Returns
        -------
        array of shape (n_samples,)
        """
        check_is_fitted(self)
        return self._map(check_scores("score", score))

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
        """Everything that was learnt, as arrays by name."""
        check_is_fitted(self)
        return {name: np.asarray(value) for name, value in vars(self).items()}

    @classmethod
    def from_state(cls, state: dict[str, NDArray[Any]]) -> Self:
        """The calibrator whose ``get_state`` this was."""
        self = cls()
        for name, value in state.items():
            setattr(self, name, value if np.ndim(value) else float(value))
        return self

    def _learn(self, sample: Sample) -> None:
        raise NotImplementedError

    def _map(self, score: Floats) -> Floats:
        raise NotImplementedError
