"""What a weak learner hands to the loop."""

from __future__ import annotations

from typing import Any, Protocol

from numpy.typing import NDArray

from costboost.cells import Floats, Outcome


class Hypothesis(Protocol):
    """A weak hypothesis that knows its cells, and how to change the weights of their rows."""

    weight: Floats
    """Weight of each cell, positives first; all together 1."""
    outcome: Outcome
    """y h(x) in each cell."""

    def reweigh(self, rows: Any, factors: Floats) -> None:
        """Multiply the weights of each cell's rows by its factor."""

    def scores(self, rows: Any) -> NDArray[Any]:
        """h(x) on other rows of the same kind as those it was trained on."""


class WeakLearner(Protocol):
    """Finds a hypothesis for the present weights of the rows."""

    def find(self, rows: Any) -> Hypothesis: ...

    def recall(self, rows: Any, memory: Any) -> Hypothesis:
        """The hypothesis of an earlier fit, with its cells as the weights are now."""
