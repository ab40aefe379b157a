"""Rows of one block: a shard, whose methods answer the messages of the protocol.

Sums, maxima and counts are whole numbers or do not depend on the order of rows. What a shard is
not told, it does not know: an attribute that belongs to a part exists while the part is set.
"""

from costboost._core.backends.shard.pairs import PairShard
from costboost._core.backends.shard.shard import Shard

__all__ = ["PairShard", "Shard"]
