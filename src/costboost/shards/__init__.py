"""The rows of a training set, in one or several shards, as the boosting loop drives them.

The driver keeps what concerns all rows: what a quantum of each class is worth, and the global row
counts. Shards keep bins, weights and histograms. All that shards send back are integer sums, so
the result does not depend on how the rows are divided.
"""

from costboost.shards.quanta import KINDS
from costboost.shards.regression import LARGEST_LOGIT
from costboost.shards.trees import Grown, LeafRows, NodeRows, Shards

__all__ = ["KINDS", "LARGEST_LOGIT", "Grown", "LeafRows", "NodeRows", "Shards"]
