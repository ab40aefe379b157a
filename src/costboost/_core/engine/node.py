"""A node of a tree, for trees that are made or read one by one."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

LEAF = -1


class Node(NamedTuple):
    """A node of a tree, its children counted from the tree's own root."""

    feature: int = LEAF
    threshold: float = np.nan
    left: int = -1
    missing_left: bool = False
    goes_left: NDArray[np.uint8] | None = None
    """Which category codes go left; None for an ordered feature."""
    value: float = 0.0
    gain: float = 0.0


def leaf(value: float) -> Node:
    """A leaf."""
    return Node(LEAF, np.nan, -1, False, None, value)
