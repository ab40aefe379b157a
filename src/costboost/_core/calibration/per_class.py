"""A calibrator for each of several classes."""

from __future__ import annotations

from typing import Self

import numpy as np

from costboost._core.arithmetic import exp
from costboost._core.arrays import Codes
from costboost._core.calibration.base import Calibrator
from costboost._core.calibration.fitted_state import FittedState
from costboost._core.calibration.softmax import log_softmax
from costboost._core.checks import Floats


class ClassCalibrators(FittedState):
    """A calibrator of two classes for each class against the rest, and probabilities with sum 1.

    The score of a class is its share softmax(F)_k.

    Attributes
    ----------
    members_ : list of Calibrator
    """

    members_: list[Calibrator]

    @classmethod
    def fitted(cls, kind: type[Calibrator], score: Floats, code: Codes, counts: Floats) -> Self:
        """Fit a calibrator of the kind for each class to scores of held-out rows."""
        shares = np.ascontiguousarray(exp(log_softmax(score)).T)
        members = [kind().fit(share, code == k, counts) for k, share in enumerate(shares)]
        return cls.from_state({"members_": members})

    def probability(self, score: Floats) -> Floats:
        """Probability of each class, a column for each; uniform where all are 0."""
        shares = np.ascontiguousarray(exp(log_softmax(score)).T)
        found = np.column_stack(
            [one.probability(share) for one, share in zip(self.members_, shares, strict=True)]
        )
        total = found.sum(axis=1, keepdims=True)
        return np.where(total > 0, found / np.where(total > 0, total, 1), 1 / found.shape[1])
