"""What a weak learner hands to the loop."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol

from numpy.typing import NDArray

from costboost.cells import Outcome
from costboost.rows import LeafRows
from costboost.rules import Criterion
from costboost.vectors import Floats

Laid = Iterable[tuple[Any, float]]
"""Hypotheses with their steps, in the order of the rounds."""


class Hypothesis(Protocol):
    """A weak hypothesis that knows its cells, and how to change the weights of their rows."""

    weight: Floats
    """Weight of each cell (class, leaf), positives first; all together 1."""
    outcome: Outcome
    """y h(x) in each cell."""
    value: Floats
    """h(x) in each leaf."""
    many_leaves: bool
    """Whether there may be more than two leaves."""
    leaf_rows: LeafRows | None
    """The training rows of every leaf, where they are known."""

    def take_values(self, value: Floats) -> None:
        """Give every leaf its value."""

    def reweigh(self, rows: Any, factors: Floats) -> None:
        """Multiply the weights of each cell's rows by its factor."""

    def leaves(self, rows: Any) -> NDArray[Any]:
        """The leaf of every row, of the same kind as those it was trained on."""

    def scores(self, rows: Any) -> NDArray[Any]:
        """h(x) on such rows."""


class WeakLearner(Protocol):
    """Finds a hypothesis for the present weights of the rows."""

    def find(self, rows: Any, criterion: Criterion) -> Hypothesis | None:
        """The best hypothesis; None if there is nothing to choose from."""

    def recall(self, rows: Any, memory: Any, criterion: Criterion) -> Hypothesis:
        """The hypothesis of an earlier fit, with its cells as the weights are now."""

    def model(self, rounds: Laid) -> Any:
        """The ensemble of the hypotheses, as it is kept."""
