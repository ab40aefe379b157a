"""The rows of a training set, in one or several shards, as the boosting loop drives them."""

from costboost.rows.local import PerShard
from costboost.rows.nodes import Grown, LeafRows, NodeRows
from costboost.rows.regression import LARGEST_LOGIT, mean_response
from costboost.rows.rows import Rows, leaf_loss, local_rows

__all__ = [
    "LARGEST_LOGIT",
    "Grown",
    "LeafRows",
    "NodeRows",
    "PerShard",
    "Rows",
    "leaf_loss",
    "local_rows",
    "mean_response",
]
