"""Rows of a training set in one or several shards, with their weights and scores."""

from costboost.rows.rows import Grown, LeafRows, NodeRows, Rows, leaf_loss, local_rows
from costboost.rows.shard import PerShard
from costboost.rows.weights import LARGEST_LOGIT, mean_response

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
