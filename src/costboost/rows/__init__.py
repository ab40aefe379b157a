"""Rows of a training set in one or several shards, with their weights and scores."""

from costboost.rows.regression import LARGEST_LOGIT, mean_response
from costboost.rows.rows import Grown, LeafRows, NodeRows, Rows, leaf_loss, local_rows
from costboost.rows.shard import PerShard

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
