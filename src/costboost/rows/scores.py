"""Rows with a score for each class, and pairs (row, label), in the shards and in the driver."""

from __future__ import annotations

from collections.abc import Sequence
from math import ldexp
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from costboost.arithmetic import Floats, Vector
from costboost.engine._kernels import BINS, BinnedRows, ScoreLoss, Split, sum_pairs, weight_against
from costboost.rows.messages import ShardDraws, Shards, sender
from costboost.rows.weights import WorkingResponse, shift_of
from costboost.threads import PARALLEL_CELLS

Scales = Sequence[float]

SHARE_SCALE = 2.0**52
"""Quanta of all weights together, which add up to 1, where decisions are counted."""


class Working(NamedTuple):
    """Response and weight of every row, which regression trees sum, and the scales of quanta."""

    response: Floats
    weight: Floats
    scales: Scales


# ---- in a shard ----------------------------------------------------------------------------------


class ShardScores(ShardDraws):
    """Binned rows of one shard with a score for each class; arrays have a row for each class."""

    working: Working | None
    _losses: Floats
    _weight: Floats

    def set_score_loss(
        self,
        code: NDArray[np.int32],
        start: Floats,
        log_cost: Floats | None,
        n_classes: int,
        exponential: bool,
    ) -> None:
        """Set the loss of the scores; see `ScoreLoss`."""
        self._score_loss = ScoreLoss(code, start, log_cost, n_classes, exponential)
        self._losses = np.empty(self.n_rows)
        shape = n_classes, self.n_rows
        self._scores, self._directions = np.zeros(shape), np.zeros(shape)
        self._responses, self._weights = np.empty(shape), np.empty(shape)

    def linearise_scores(self, step: float) -> tuple[float, ...]:
        """Compute loss, working responses and weights after a step; return the largest of each."""
        return self._score_loss.evaluate(
            self._scores,
            self._directions if step else None,
            step,
            self._losses,
            self._responses,
            self._weights,
            self.n_threads,
        )

    def propose_class(self, k: int, direction: Floats, scale: float) -> int:
        """Take the scores of a hypothesis as the direction of the next step of class k.

        Returns the weight of the regression, in quanta, on rows that it moves the wrong way.
        """
        self._directions[k] = direction
        total: int = weight_against(
            self._weights[k], self._responses[k], self._directions[k], scale, self.n_threads
        )
        return total

    def accept_scores(self, step: float) -> None:
        """Keep the scores after a step in the proposed directions."""
        self._directions *= step
        self._scores += self._directions

    def confusion(self, scale: float) -> NDArray[np.int64]:
        """Weight of the rows of each class (row) whose greatest score is that of each (column).

        Weights are multiplied by the scale and rounded. Of equal scores the first is the greatest.
        """
        return self._score_loss.decisions(self._scores, scale, self.n_threads)

    def set_class_targets(self, k: int, scales: Scales) -> None:
        """Make response and weight of class k those that are summed, over the round's rows."""
        self._rows_drawn = self._drawn_in_round
        self._weight = self._weights[k]
        self.working = Working(self._responses[k], self._weight, scales)
        self._is_current = False

    def follow(self, other: Any) -> None:
        """Use the scores of another shard of the same rows, and its rows drawn for the round."""
        self._row_numbers, self._drawn_in_round = other._row_numbers, other._drawn_in_round
        self._responses, self._weights = other._responses, other._weights
        self._directions = other._directions


# ---- in the driver -------------------------------------------------------------------------------


class ClassResponse(WorkingResponse):
    """Working response and weight of the score of one class."""

    def __init__(self, shards: Shards, n_rows: int, k: int) -> None:
        super().__init__(shards, n_rows)
        self.k = k

    def on(self, shards: Shards) -> ClassResponse:
        """Send messages to these shards from now on; they hold the same responses."""
        if shards is not self._shards:
            self._shards = shards
            self._histogram = sender(shards, shards.total, "histogram")
        return self

    def set_largest(self, response: float, weight: float) -> None:
        """Set the largest response and weight of a row."""
        self._largest = [response, weight]

    def _tell_targets(self) -> None:
        self._shards.tell("set_class_targets", self.k, self._scales)

    def propose_class(self, direction: Vector) -> tuple[float, float]:
        """Set the direction of the class's next step; return the weight it moves the wrong way.

        The second number is the weight of all rows.
        """
        scale = self._scales[1]
        quanta: int = self._shards.total("propose_class", self.k, direction, scale)
        every = self._shards.total("total_weight", scale) if self.draws else self.add_up()[1]
        return ldexp(float(quanta), -self._shifts[1]), ldexp(float(every), -self._shifts[1])


class ScoreResponses:
    """Working responses and weights of all classes, whose scores the shards keep."""

    def __init__(self, shards: Shards, n_rows: int, n_classes: int, draws: bool) -> None:
        self._shards = shards
        self._n_rows = n_rows
        self.classes = [ClassResponse(shards, n_rows, k) for k in range(n_classes)]
        for one in self.classes:
            one.draws = draws

    def set_loss(
        self, code: Vector, start: Vector, log_cost: Floats | None, exponential: bool
    ) -> None:
        """Set the loss of the scores, which are 0 at first."""
        given = code, start, log_cost, len(self.classes), exponential
        self._shards.tell("set_score_loss", *given)

    def linearise(self, step: float = 0.0) -> float:
        """Compute the working responses after a step as proposed; return the loss."""
        loss, *largest = self._shards.largest("linearise_scores", step)
        n = len(self.classes)
        for one, response, weight in zip(self.classes, largest[:n], largest[n:], strict=True):
            one.set_largest(response, weight)
        shift = shift_of(loss, self._n_rows)
        return ldexp(float(self._shards.total("sum_losses", ldexp(1.0, shift))), -shift)

    def confusion(self) -> Floats:
        """Weight share of each class (row) whose greatest score is that of each (column)."""
        quanta = self._shards.total("confusion", SHARE_SCALE)
        return np.asarray(quanta / quanta.sum())

    def accept(self, step: float) -> None:
        """Keep the scores after a step in the proposed directions."""
        self._shards.tell("accept_scores", step)


# ---- pairs (row, label) of one shard -------------------------------------------------------------

# The methods of `PairShard` are the messages that `PairTreeLearner` sends while it grows one tree.

Labels = NDArray[np.uint8]
"""Labels of the pairs of a node, which has all of them for each of its rows."""


class PairData(Protocol):
    """Binned rows in several shards, on which trees over pairs are grown."""

    def pairs(self, weight: NDArray[np.int64], counting: bool) -> Shards:
        """Shards with the weights of all pairs, n_rows x n_labels, as a tree needs them."""

    def values(self, function: Any, *given: Any) -> NDArray[Any]:
        """Values of a function of the binned rows that has one for each row, the last axis."""


class RowDivision(NamedTuple):
    """A split of a set of rows, and the numbers of the two resulting sets."""

    parent: int
    split: Split
    left: int
    right: int


class NodeSums(NamedTuple):
    """Sums of a node in every bin, without those that are 0, and its number of rows."""

    n_rows: int
    place: NDArray[np.uint32]
    """Places of the sums in the flat array of all."""
    value: NDArray[np.int64]


class PairShard:
    """Weights of the pairs of one shard, and the sets of rows of a tree's nodes.

    Nodes that differ in their labels may have the same set of rows. Set 0 are the rows with at
    least one pair whose weight is not 0.
    """

    def __init__(self, binned: BinnedRows, weight: NDArray[Any], counting: bool) -> None:
        self.binned = binned
        self.weight = np.ascontiguousarray(weight, dtype=np.int64)
        self.counting = counting
        self._rows = {0: np.flatnonzero(self.weight.any(axis=1)).astype(np.uint32)}
        self._spare = np.empty(self._rows[0].size, dtype=np.uint32)

    def divide(self, divisions: Sequence[RowDivision]) -> None:
        """Split sets of rows."""
        for parent, split, left, right in divisions:
            rows = self._rows[parent].copy()  # another node may have the same set
            middle = self.binned.partition(split, 0, rows.size, rows, self._spare)
            self._rows[left], self._rows[right] = rows[:middle], rows[middle:]

    def release(self, numbers: Sequence[int]) -> None:
        """Forget sets of rows."""
        for number in numbers:
            del self._rows[number]

    def sums(self, nodes: Sequence[tuple[int, Labels]]) -> list[NodeSums]:
        """Weights of the pairs of each node by class in every bin, and their numbers if counting.

        Each node is given as a set of rows and labels. The sums are those of an array of shape
        (2 or 4, n_features + 1, 256), of which most are 0 where a node has few rows.
        """
        shape = 4 if self.counting else 2, self.binned.n_features + 1, BINS
        found = []
        for number, labels in nodes:
            sums = np.zeros(shape, dtype=np.int64)
            rows = self._rows[number]
            many = rows.size * self.binned.n_features >= PARALLEL_CELLS
            sum_pairs(self.binned, self.weight, rows, labels, sums, many)
            flat = sums.ravel()
            place = np.flatnonzero(flat)
            found.append(NodeSums(rows.size, place.astype(np.uint32), flat[place]))
        return found
