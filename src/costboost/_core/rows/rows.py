"""The rows of a training: a driver that sends messages and adds up the answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from costboost._core.arithmetic import Vector
from costboost._core.backends.protocol import Backend
from costboost._core.engine._kernels import shared_threads
from costboost._core.rows.class_scores import ScoreResponses
from costboost._core.rows.sums import SummedRows
from costboost._core.threads.counts import PARALLEL_CELLS
from costboost._core.threads.team import each

T = TypeVar("T")

SHARED = (
    *("features", "varies", "leaf_counts", "copies", "responses"),
    *("_draws", "draws", "samples", "_round_key", "_n_trees"),
)
"""What rows for other threads have of those that they are made for."""


class Rows(SummedRows):
    """The rows of a training, of which several classes may be worked on side by side."""

    def begin_scores(self, n_classes: int) -> ScoreResponses:
        """Give every row a score for each class, of which `set_class_targets` selects one."""
        self.responses = ScoreResponses(self.backend, self.n_rows, n_classes, self.samples)
        return self.responses

    def set_class_targets(self, k: int) -> None:
        """Make the working response of class k the target of the next learner."""
        self.begin_class(k)
        self.response = self.responses.classes[k].on(self.backend)
        self.response.set_targets()
        self.set_targets()

    def each_class(self, find: Callable[[Rows, int], T]) -> list[T]:
        """Results of ``find`` for each class, given rows whose target is its working response.

        Classes are worked on side by side in several threads, each with rows that have sums and
        trees of their own; what is found does not depend on it.
        """
        n_classes = len(self.responses.classes)
        n_together, n_threads = self._side_by_side(n_classes)
        others = self.backend.lanes(n_threads) if n_threads > 1 else []
        found: list[T] = []
        if others:
            lanes = [self._lane(one) for one in others]
            found = each(lambda lane, k: lanes[lane]._of_class(find, k), n_together, len(lanes))
            self._n_trees += n_together + 1  # a number that none of their trees has
        return found + [self._of_class(find, k) for k in range(len(found), n_classes)]

    def _side_by_side(self, n_classes: int) -> tuple[int, int]:
        """How many classes are worked on side by side, and in how many threads.

        Of many rows, classes that would leave half of the threads without work share all of them.
        """
        n_threads = shared_threads(self.n_threads)
        cells = self.n_rows * self.n_features
        last = n_classes % n_threads
        alone = last if cells >= PARALLEL_CELLS and 2 * last <= n_threads else 0
        return n_classes - alone, min(n_threads, n_classes - alone)

    def _lane(self, backend: Backend[Vector]) -> Rows:
        """Rows for another thread: the same facts and draws, with sums and trees of their own."""
        lane = Rows(backend, self.n_bins, self.categorical)
        lane.n_threads = 1
        for name in SHARED:
            setattr(lane, name, getattr(self, name))
        return lane

    def _of_class(self, find: Callable[[Rows, int], T], k: int) -> T:
        self.set_class_targets(k)
        return find(self, k)
