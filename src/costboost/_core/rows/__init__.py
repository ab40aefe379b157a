"""The driver of a training: facts, weights and sums of all rows, wherever they are."""

from costboost._core.backends.protocol import LARGEST_LOGIT, Trial
from costboost._core.rows.draws import Draws
from costboost._core.rows.newton import mean_response
from costboost._core.rows.nodes import Bounds, Grown, NodeRows, leaf_loss
from costboost._core.rows.rows import Rows

__all__ = [
    "LARGEST_LOGIT",
    "Bounds",
    "Draws",
    "Grown",
    "NodeRows",
    "Rows",
    "Trial",
    "leaf_loss",
    "mean_response",
]
