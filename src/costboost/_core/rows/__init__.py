"""Rows of a training set in one or several shards, with their weights and scores."""

from costboost._core.rows.messages import Draws, Histogram, LocalShards, Shards, added, greatest
from costboost._core.rows.rows import Bounds, Grown, NodeRows, Rows, leaf_loss, local_rows
from costboost._core.rows.shard import PairData, PairShard, RowDivision, Shard
from costboost._core.rows.weights import LARGEST_LOGIT, mean_response

__all__ = [
    "LARGEST_LOGIT",
    "Bounds",
    "Draws",
    "Grown",
    "Histogram",
    "LocalShards",
    "NodeRows",
    "PairData",
    "PairShard",
    "RowDivision",
    "Rows",
    "Shard",
    "Shards",
    "added",
    "greatest",
    "leaf_loss",
    "local_rows",
    "mean_response",
]
