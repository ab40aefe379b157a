"""A shard: all that rows of one block are asked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from costboost._core.backends.protocol import GrowsTrees
from costboost._core.backends.shard.class_scores import ScoredRows
from costboost._core.backends.shard.newton import NewtonRows
from costboost._core.backends.shard.sums import SummedRows
from costboost._core.engine._kernels import BinnedRows
from costboost._core.engine.binning import positives_first


class Shard(NewtonRows, ScoredRows, SummedRows):
    """Binned rows of one block, sorted by class, positives first.

    A shard is a back end by itself; vectors are arrays.
    """

    def __init__(self, binned: BinnedRows, columns: object = None) -> None:
        super().__init__(binned, columns)
        self._lanes: list[Shard] = []

    @property
    def trees(self) -> GrowsTrees:
        """The shard itself, which grows whole trees."""
        return self

    def spread(self, values: NDArray[Any]) -> NDArray[Any]:
        """The values of all rows, in their order, as a vector: as they are."""
        return values

    def gather(self, vector: NDArray[Any]) -> NDArray[Any]:
        """The values of a vector: as they are."""
        return vector

    def arranged(self, values: NDArray[Any], positive: NDArray[np.uint8]) -> NDArray[Any]:
        """Values of the rows of a training in the order of the rows, positives first."""
        return positives_first(values, positive)

    def lanes(self, n: int) -> Sequence[Shard]:
        """The rows for n threads, each with sums and trees of its own.

        Scores, responses and rows drawn are those of this shard.
        """
        while len(self._lanes) < n:
            columns = None if self.view is self.binned else self.view
            lane = Shard(self.binned.beside(), columns)
            lane._n_growers, lane._counts = self.n_threads, self._counts
            self._lanes.append(lane)
        for lane in self._lanes[:n]:
            for name in ("_row_numbers", "_drawn_in_round", "_responses", "_weights"):
                if name in vars(self):
                    setattr(lane, name, getattr(self, name))
            lane._directions = self._directions
        return self._lanes[:n]
