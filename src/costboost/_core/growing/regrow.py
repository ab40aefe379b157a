"""Trees of an earlier fit, their nodes weighed by the present weights."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from costboost._core.engine._kernels import Split
from costboost._core.engine.node import Node
from costboost._core.growing.node_source import NodeSource


def regrow(source: NodeSource, nodes: Sequence[Node], split_of: Callable[[Node], Split]) -> None:
    """Divide rows as the nodes of a tree did, in the order in which these were made.

    ``split_of`` is the split of bins that a node stands for.
    """
    frontier = source.frontier
    frontier.root(source.build())
    inner = [k for k, node in enumerate(nodes) if node.left >= 0]
    for k in sorted(inner, key=lambda k: nodes[k].left):
        frontier.found(k, source.candidate(k, split_of(nodes[k]), nodes[k].gain))
        source.divide(k, frontier.divide(k))
