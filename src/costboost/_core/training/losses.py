"""What the prediction for a single row loses: its log loss, or the cost of its decision."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from costboost._core.arithmetic import Floats, log
from costboost._core.costs import least_expected
from costboost._core.model import ScoresModel
from costboost._core.model.fitted import greatest

EDGE = 1e-10


def log_losses(probability: Floats, truth: NDArray[Any]) -> Floats:
    """Log loss of each row, probabilities being clipped to [1e-10, 1 - 1e-10].

    ``truth`` is whether a row is positive, or with a column for each class the number of its class.
    """
    if probability.ndim == 2:
        return class_losses(probability, truth)
    inner = np.clip(probability, EDGE, 1 - EDGE)
    losses: Floats = -log(np.where(truth, inner, 1 - inner))
    return losses


def class_losses(probability: Floats, code: NDArray[np.intp]) -> Floats:
    """Log loss of each row of several classes, clipped as in `log_losses`."""
    own = np.take_along_axis(probability, code[:, None], axis=1)[:, 0]
    losses: Floats = -log(np.clip(own, EDGE, 1 - EDGE))
    return losses


def class_costs(model: ScoresModel, score: Floats, code: Any) -> Floats:
    """Cost of the decision for each row of several classes."""
    by_cost = model.by_cost
    predicted = least_expected(model.shares_of(score), model.matrix) if by_cost else greatest(score)
    costs: Floats = model.matrix[code, predicted]
    return costs
