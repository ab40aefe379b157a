"""Rows and features that are drawn for each round."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from costboost._core.arithmetic import Floats, Vector
from costboost._core.backends.protocol import Backend, Draw, HasLeaves, Histogram
from costboost._core.engine._kernels import draw_features, hash_of
from costboost._core.rows.class_weights import ClassWeights
from costboost._core.rows.facts import RowFacts
from costboost._core.rows.newton import WorkingResponse


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


class LeafValues(HasLeaves, Protocol):
    """A hypothesis with a value in each leaf."""

    @property
    def value(self) -> Floats:
        """Value of each leaf."""


ROWS, FEATURES = 0, 1
"""Numbers that make the keys of rows and of features different."""


class RowDraws(RowFacts):
    """Rows of which some are drawn for each round, as are features."""

    weights: ClassWeights
    response: WorkingResponse

    def __init__(
        self, backend: Backend[Vector], n_bins: NDArray[np.int32], categorical: NDArray[np.uint8]
    ) -> None:
        super().__init__(backend, n_bins, categorical)
        self._draws: Draws | None = None
        self.draws = False
        """Whether rows or features are drawn."""
        self._feature_key = self._round_key = 0

    def randomise(self, draws: Draws, numbers: Vector | None = None) -> None:
        """Draw features for every round, and rows if ``numbers`` are those of the rows in all data.

        Features are drawn among those that vary, by their places, so that constant ones have no
        influence.
        """
        self._draws, self.draws = draws, True
        self.features = self.features.drawn_among(self.varies)
        self.samples = numbers is not None
        if numbers is not None:
            self.backend.number_rows(numbers)
            self.weights.draws = self.response.draws = True

    def begin_round(self, m: int) -> None:
        """Draw the rows and the features of round m."""
        if self._draws is None:
            return
        key, share = self._draws.key, self._draws.share
        self._feature_key = self._round_key = hash_of(hash_of(key, FEATURES), m)
        if self.samples:
            self.backend.draw(hash_of(hash_of(key, ROWS), m), share)

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

    def leaf_quanta(self, hypothesis: LeafValues) -> Histogram:
        """Weight of all rows of each class in each leaf of a hypothesis, in quanta."""
        quanta: Histogram = self.backend.weigh_leaves(hypothesis, hypothesis.value.size)
        return quanta

    def leaf_weights(self, hypothesis: LeafValues) -> Floats:
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
        counts: Histogram = self.backend.count_drawn()
        return counts
