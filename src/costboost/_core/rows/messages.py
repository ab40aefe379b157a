"""Messages to all shards, how their answers become one, and what is drawn for each round."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from functools import partial
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from costboost._core.arithmetic import Floats, LocalVector, Vector, joined, parts_of
from costboost._core.engine._kernels import (
    BINS,
    BinnedRows,
    Features,
    draw_features,
    draw_rows,
    hash_of,
    sum_leaves,
)
from costboost._core.engine.binning import positives_first


class Shards(Protocol):
    """A set of shards, in this process or elsewhere.

    A message is the name of a method of `Shard` and its arguments. Of a vector each shard is given
    its part. What a method may be used for depends on its answer.
    """

    n_shards: int
    alone: bool
    """Whether there is one shard, and it is in this process."""
    only: Any
    """That shard; None if there are several."""

    def tell(self, message: str, *given: Any) -> None:
        """Send a message that has no answer."""

    def total(self, message: str, *given: Any) -> Any:
        """The sum of the answers: whole numbers, arrays of them, or tuples of such."""

    def largest(self, message: str, *given: Any) -> Any:
        """The greatest of the answers; of each entry, if they are tuples."""

    def answers(self, message: str, *given: Any) -> list[Any]:
        """The answer of each shard."""

    def vector(self, message: str, *given: Any) -> Vector:
        """The answers, with one entry for each row, as a vector."""

    def spread(self, values: NDArray[Any]) -> Vector:
        """A vector from the values of all rows, shard after shard."""

    def gather(self, vector: Vector) -> NDArray[Any]:
        """The values of a vector, shard after shard."""

    def arranged(self, values: NDArray[Any], positive: NDArray[np.uint8]) -> NDArray[Any]:
        """Values in the order of a training's rows, shard after shard and positives first."""

    def beside(self, n: int) -> Sequence[Shards]:
        """The same shards for n threads, each with sums and trees of its own; none elsewhere.

        Scores, responses and rows drawn are those of these shards.
        """


def sender(shards: Shards, send: Callable[..., Any], message: str) -> Callable[..., Any]:
    """A function that sends one message by ``send``, which is `tell` or `total` of the shards.

    A single shard in this process is called directly: some messages are sent in every round.
    """
    return getattr(shards.only, message) if shards.alone else partial(send, message)


def added(answers: Sequence[Any]) -> Any:
    """The sum of the answers of all shards."""
    if len(answers) == 1:
        return answers[0]
    if isinstance(answers[0], tuple):
        return tuple(map(added, zip(*answers, strict=True)))
    if not isinstance(answers[0], np.ndarray):
        return sum(answers)
    total = answers[0] + answers[1]
    for one in answers[2:]:
        total += one
    return total


def greatest(answers: Sequence[Any]) -> Any:
    """The greatest answer of all shards."""
    if len(answers) == 1:
        return answers[0]
    if isinstance(answers[0], tuple):
        return tuple(map(max, zip(*answers, strict=True)))
    return max(answers)


class LocalShards:
    """Shards in the memory of this process."""

    def __init__(self, shards: Sequence[Any]) -> None:
        self._hold(list(shards))

    def _hold(self, shards: list[Any]) -> None:
        self._shards = shards
        self.n_shards = len(shards)
        self.alone = self.n_shards == 1
        self.only = shards[0] if self.alone else None
        self._beside: list[LocalShards] = []

    def answers(self, message: str, *given: Any) -> list[Any]:
        if self.alone:  # several times a round: hardly slower than a plain call
            return [getattr(self.only, message)(*given)]
        return [
            getattr(shard, message)(
                *(x.parts[k] if isinstance(x, LocalVector) else x for x in given)
            )
            for k, shard in enumerate(self._shards)
        ]

    def tell(self, message: str, *given: Any) -> None:
        if self.alone:
            getattr(self.only, message)(*given)
        else:
            self.answers(message, *given)

    def total(self, message: str, *given: Any) -> Any:
        if self.alone:
            return getattr(self.only, message)(*given)
        return added(self.answers(message, *given))

    def largest(self, message: str, *given: Any) -> Any:
        return greatest(self.answers(message, *given))

    def vector(self, message: str, *given: Any) -> Vector:
        return joined(self.answers(message, *given))

    def spread(self, values: NDArray[Any]) -> Vector:
        ends = np.cumsum([shard.n_rows for shard in self._shards])
        return joined(np.split(values, ends[:-1]))

    def gather(self, vector: Vector) -> NDArray[Any]:
        return np.concatenate(parts_of(vector))

    def arranged(self, values: NDArray[Any], positive: NDArray[np.uint8]) -> NDArray[Any]:
        return positives_first(values, positive)

    def beside(self, n: int) -> Sequence[LocalShards]:
        while len(self._beside) < n:
            other = copy(self)
            other._hold([shard.beside() for shard in self._shards])
            self._beside.append(other)
        for other in self._beside[:n]:
            for own, shard in zip(other._shards, self._shards, strict=True):
                own.follow(shard)
        return self._beside[:n]


Histogram = NDArray[np.int64]

# ---- rows and features drawn for each round: in a shard ------------------------------------------


class Drawn(NamedTuple):
    """Rows drawn for a round: their indices, and where those of either class begin and end."""

    rows: NDArray[np.uint32]
    bounds: Sequence[int]


class ShardDraws:
    """Binned rows of one shard, sorted by class, of which some are drawn for each round."""

    def __init__(self, binned: BinnedRows, columns: Any = None) -> None:
        self.binned = binned
        self.view: Any = binned if columns is None else columns
        """Data that hypotheses are scored on: bins, or the raw values of the rows."""
        self.n_rows: int = binned.n_rows
        self.n_positive: int = binned.n_positive
        self.n_threads: int = binned.n_threads
        self._row_numbers: NDArray[np.int64] = np.empty(0, dtype=np.int64)
        self._rows_drawn: Drawn | None = None
        self._drawn_in_round: Drawn | None = None
        self._leaf: NDArray[np.int32] = np.empty(0, dtype=np.int32)
        self._is_current = True
        """Whether the histogram is that of the present weights of the rows drawn, or of all."""

    def number_rows(self, numbers: NDArray[np.int64]) -> None:
        """Set the numbers of the rows in the whole data, by which they are drawn."""
        self._row_numbers = np.ascontiguousarray(numbers, dtype=np.int64)

    def draw(self, key: int, share: float) -> None:
        """Draw rows, each with the same probability; histograms and trees are then theirs."""
        rows = np.empty(self.n_rows, np.uint32)  # others may still use those of the round before
        bounds = draw_rows(key, share, self._row_numbers, self.n_positive, rows)
        self._rows_drawn = self._drawn_in_round = Drawn(rows, bounds)
        self._is_current = False

    def draw_all(self) -> None:
        """Take all rows for the present target, where those drawn have no weight."""
        in_round = self._drawn_in_round
        self.draw(0, 1.0)
        self._drawn_in_round = in_round

    def is_drawn(self) -> Floats:
        """1 for every row that is drawn, 0 for the others."""
        drawn = np.zeros(self.n_rows)
        assert self._rows_drawn is not None
        drawn[self._rows_drawn.rows[: self._rows_drawn.bounds[3]]] = 1.0
        return drawn

    def count_drawn(self) -> Histogram:
        """Number of drawn rows of each class in each bin, or of their copies."""
        assert self._rows_drawn is not None
        counts: Histogram = np.zeros((2, self.binned.n_features, BINS), dtype=np.int64)
        self.binned.build_node(self._rows_drawn, counts, True, self.n_threads)
        return counts

    def weigh_leaves(self, hypothesis: Any, n_leaves: int) -> Histogram:
        """Weight of all rows of each class in each leaf of a hypothesis, in quanta."""
        self._leaf = self.leaves(hypothesis).astype(np.int32, copy=False)
        sums: Histogram = sum_leaves(self.binned.weight, self._leaf, self.n_positive, n_leaves)
        return sums

    def leaves(self, hypothesis: Any) -> NDArray[np.intp]:
        """Leaf of a hypothesis for every row."""
        leaves: NDArray[np.intp] = hypothesis.leaves(self.view)
        return leaves


# ---- drawing in the driver -----------------------------------------------------------------------


class Draws(NamedTuple):
    """Which rows and features are drawn in every round."""

    key: int
    """Key of the random numbers; those of a round depend on it and on the round."""
    share: float = 1.0
    """Probability with which each row is drawn."""
    n_features: int | None = None
    """Number of features drawn for each split; None for all."""
    cuts: bool = False
    """Whether one cut of each feature is drawn for each split; otherwise all compete."""


Draw = tuple[int, int, bool]
"""Key of a node, number of features drawn for it (0 for all), and whether cuts are drawn."""
ROWS, FEATURES = 0, 1
"""Numbers that make the keys of rows and of features different."""


class RowDraws:
    """Rows in shards, of which some are drawn for each round, as are features."""

    leaf_counts: Histogram
    n_features: int
    features: Features
    varies: NDArray[np.bool_]
    weights: Any
    response: Any

    def __init__(self, shards: Shards) -> None:
        self._shards = shards
        self._draws: Draws | None = None
        self.draws = False
        """Whether rows or features are drawn."""
        self._feature_key = self._round_key = 0

    def randomise(self, draws: Draws, numbers: Vector | None = None) -> None:
        """Draw rows and features for every round; ``numbers`` are those of the rows in all data.

        Features are drawn among those that vary, by their places, so that constant ones have no
        influence.
        """
        self._draws, self.draws = draws, True
        self.features = self.features.drawn_among(self.varies)
        if draws.share < 1:
            self._shards.tell("number_rows", numbers)
            self.weights.draws = self.response.draws = True

    @property
    def samples(self) -> bool:
        """Whether hypotheses are found on a sample of the rows."""
        return self._draws is not None and self._draws.share < 1

    def begin_round(self, m: int) -> None:
        """Draw the rows and the features of round m."""
        if self._draws is None:
            return
        key, share = self._draws.key, self._draws.share
        self._feature_key = self._round_key = hash_of(hash_of(key, FEATURES), m)
        if self.samples:
            self._shards.tell("draw", hash_of(hash_of(key, ROWS), m), share)

    def begin_class(self, k: int) -> None:
        """Draw features for the learner of class k, where each class has its own in a round."""
        self._feature_key = hash_of(self._round_key, k)

    @property
    def draws_cuts(self) -> bool:
        """Whether one cut of each feature is drawn for each split."""
        return self._draws is not None and self._draws.cuts

    def _draw(self, key: int) -> Draw | None:
        """What is drawn for a node with this key; None if all splits of all features compete."""
        if self._draws is None or (self._draws.n_features is None and not self._draws.cuts):
            return None
        return key, self._draws.n_features or 0, self._draws.cuts

    def _draw_of_node(self, place: int) -> Draw | None:
        """What is drawn for a node; None if all splits of all features compete.

        ``place`` is the number of the node in the order in which those of its tree are made.
        """
        return self._draw(hash_of(self._feature_key, place))

    def drawn_features(
        self, place: int, allowed: NDArray[np.uint8] | None = None
    ) -> list[NDArray[np.intp] | None]:
        """The features that compete for the split of a node, and those drawn one by one after them.

        These compete in turn if no split of the ones before gains. None stands for all features.
        ``allowed`` are flags of those from which they are drawn.
        """
        draw = self._draw_of_node(place)
        if draw is None or not draw[1]:
            return [None if allowed is None else np.flatnonzero(allowed)]
        key, number, _ = draw
        varying = np.flatnonzero(self.varies)
        order = varying[draw_features(key, varying.size)]
        if allowed is not None:
            order = order[allowed[order] > 0]
        return [np.sort(order[:number]), *order[number:, None]]

    def leaf_quanta(self, hypothesis: Any) -> Histogram:
        """Weight of all rows of each class in each leaf of a hypothesis, in quanta."""
        quanta: Histogram = self._shards.total("weigh_leaves", hypothesis, hypothesis.value.size)
        return quanta

    def leaf_weights(self, hypothesis: Any) -> Floats:
        """Weight shares of all rows of each class in each leaf of a hypothesis."""
        weight = self.leaf_quanta(hypothesis) * np.array(self.weights.unit)[:, None]
        shares: Floats = weight / weight.sum()
        return shares

    def features_of_tables(self) -> NDArray[np.bool_]:
        """Mask of the features that compete for a table, which vary: some of those drawn."""
        for features in self.drawn_features(0):
            mask = self.varies.copy()
            if features is not None:
                mask &= np.isin(np.arange(self.n_features), features)
            if mask.any():
                return mask
        return self.varies

    def counts_for_leaves(self) -> Histogram:
        """`leaf_counts` of the rows drawn for the round, or of all."""
        if not self.samples:
            return self.leaf_counts
        counts: Histogram = self._shards.total("count_drawn")
        return counts
