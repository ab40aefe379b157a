"""The protocols of weak learners and of the hypotheses that they find."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol

from numpy.typing import NDArray

from costboost._core.arithmetic import Floats
from costboost._core.backends.offers import Needs
from costboost._core.cells import Outcome
from costboost._core.rules.record import Criterion

Laid = Iterable[tuple[Any, float]]
"""Hypotheses with their steps, in the order of the rounds."""


class Hypothesis(Protocol):
    """A weak hypothesis: its leaves, the cells of (class, leaf), and their rows."""

    weight: Floats
    """Weight of each cell (class, leaf), positives first; all together 1."""
    outcome: Outcome
    """y h(x) in each cell."""
    value: Floats
    """h(x) in each leaf."""
    solved: Floats | None
    """Leaf values that the search has computed from the costs of all rows; None if it has not."""
    pooled: Floats | None
    """Weight of each cell by which leaves get values, if bins are pooled to bring these in order;
    None for ``weight``."""
    many_leaves: bool
    """Whether there may be more than two leaves."""
    tree: int | None
    """Number of the tree among those grown on the rows, which know its leaves; None for others."""

    def take_values(self, value: Floats) -> None:
        """Give every leaf its value, or the nearest one that the constraints allow."""

    def weigh_all_rows(self, rows: Any) -> None:
        """Set the weight of each cell to that of all rows, if it was found on a sample of them."""

    def reweigh(self, rows: Any, factors: Floats) -> None:
        """Multiply the weights of each cell's rows by its factor."""

    def leaves(self, rows: Any) -> NDArray[Any]:
        """The leaf of every row; rows are of the kind that it was trained on."""

    def scores(self, rows: Any) -> NDArray[Any]:
        """h(x) for every row; rows are of the kind that it was trained on."""


class WeakLearner(Protocol):
    """Finds a hypothesis for the present weights of the rows."""

    def find(self, rows: Any, criterion: Criterion) -> Hypothesis | None:
        """The best hypothesis; None if there is nothing to choose from."""

    def recall(self, rows: Any, memory: Any, criterion: Criterion) -> Hypothesis:
        """The hypothesis of an earlier fit, its cells weighed by the present weights."""

    def model(self, rounds: Laid) -> Any:
        """The ensemble of the hypotheses and their steps."""


class RowLearner(WeakLearner, Protocol):
    """A weak learner for the rows of a back end."""

    needs: Needs
    """Parts of the protocol of back ends that it needs, other than those of the rule."""
