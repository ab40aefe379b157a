"""A sum of trees whose leaves add to one of several scores."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from costboost._core.engine._kernels import CompiledTrees
from costboost._core.engine.ensemble import Ensemble, RowBlocks, add_compiled

STAGED_SCORES = 2**22
"""Scores of stages that are computed at a time: 32 MB."""


@dataclass(frozen=True, eq=False)
class ScoreTrees(Ensemble):
    """Trees in one set of arrays, each leaf of which adds its value to one of several scores.

    A tree may belong to one score, as those of Newton boosting do, which grows a tree for each
    class. Or its leaves may be votes, each for a class.

    Attributes
    ----------
    column : int32 array
        Number of the score that a leaf adds to; -1 for an inner node.
    """

    column: NDArray[np.int32]

    @classmethod
    def of(cls, trees: Ensemble, column: NDArray[Any]) -> Self:
        """Trees each of which adds to the score of its column."""
        of_node = np.repeat(np.asarray(column, dtype=np.int32), np.diff(trees.first))
        of_node[trees.feature >= 0] = -1
        arrays = {field.name: getattr(trees, field.name) for field in fields(trees)}
        return cls(**arrays | {"column": of_node})

    @classmethod
    def added(cls, parts: Sequence[tuple[ScoreTrees, float]], turn: NDArray[Any]) -> Self:
        """The sum of ensembles times factors.

        ``turn`` has a number for each tree of each part; trees come in the order of their numbers.
        """
        merged, order = Ensemble.merged(parts, turn)
        sizes = np.concatenate([np.diff(one.first) for one, _ in parts])
        column = np.concatenate([one.column for one, _ in parts])
        begins = np.cumsum(sizes) - sizes
        node = _spread(begins[order], sizes[order])
        arrays = {field.name: getattr(merged, field.name) for field in fields(merged)}
        return cls(**arrays | {"column": column[node]})

    def of_score(self, column: int) -> Ensemble:
        """The trees that add to one of the scores; a constant of 0 if there are none."""
        chosen = self._trees_of(column)
        if not chosen.size:
            return Ensemble.constant(0.0)
        return self._taken(chosen, np.full(chosen.size, column, dtype=np.int32))

    def nodes_of_score(self, column: int) -> NDArray[np.int64]:
        """Where the nodes of `of_score` are in this ensemble; the first one for a constant."""
        chosen = self._trees_of(column)
        if not chosen.size:
            return np.zeros(1, dtype=np.int64)
        return _spread(self.first[:-1][chosen].astype(np.int64), np.diff(self.first)[chosen])

    def _trees_of(self, column: int) -> NDArray[np.int64]:
        tree, place = self._parts
        found: NDArray[np.int64] = tree[place == column]
        return found

    @property
    def _parts(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Tree and column of each pair of them that has a leaf, by tree and column."""
        leaves = np.flatnonzero(self.column >= 0)
        tree = np.searchsorted(self.first, leaves, side="right") - 1
        width = int(self.column.max()) + 1
        pairs = np.unique(tree.astype(np.int64) * width + self.column[leaves])
        return pairs // width, pairs % width

    def _taken(self, tree: NDArray[Any], column: NDArray[Any]) -> Ensemble:
        """Copies of trees in which leaves of other columns have the value 0."""
        sizes = np.diff(self.first)[tree]
        first = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32)
        node = _spread(self.first[:-1][tree].astype(np.int64), sizes)
        left = self.left[node]
        moved = np.repeat(first[:-1] - self.first[:-1][tree], sizes)
        own = self.column[node] == np.repeat(column, sizes)
        return Ensemble(
            first=first,
            feature=self.feature[node],
            threshold=self.threshold[node],
            left=np.where(left >= 0, left + moved, left).astype(np.int32),
            missing_left=self.missing_left[node],
            category_set=self.category_set[node],
            categories=self.categories,
            value=np.where(own, self.value[node], 0.0),
            gain=self.gain[node],
        )

    def _compiled_by(self, stage: NDArray[Any], n_stages: int, n_scores: int) -> CompiledTrees:
        """Trees by stage and score; ``stage`` is that of each tree, those of -1 are left out."""
        tree, column = self._parts
        kept = stage[tree] >= 0
        tree, column = tree[kept], column[kept]
        slot = stage[tree] * n_scores + column
        order = np.argsort(slot, kind="stable")
        taken = self._taken(tree[order], column[order])
        ends = np.searchsorted(slot[order], np.arange(n_stages * n_scores + 1))
        return CompiledTrees(taken, ends.tolist())

    def class_scores(
        self, blocks: RowBlocks, n_rows: int, n_scores: int, n_threads: int
    ) -> NDArray[np.float64]:
        """The sums of the leaf values of each score: n_scores x n_rows."""
        trees = getattr(self, "_trees", None)
        if trees is None:
            trees = self._compiled_by(np.zeros(len(self), dtype=np.int64), 1, n_scores)
            object.__setattr__(self, "_trees", trees)
        scores = np.zeros((n_scores, n_rows))
        add_compiled(trees, blocks, scores, len(self), n_threads)
        return scores

    def staged_class_scores(
        self,
        blocks: Callable[[], RowBlocks],
        shape: tuple[int, int],
        n_threads: int,
        ends: Sequence[int],
    ) -> Iterator[NDArray[np.float64]]:
        """The sums of the first n trees, for every n in ``ends``; ``shape`` is scores x rows.

        Rows are read once for several stages.
        """
        n_scores, n_rows = shape
        score = np.zeros(shape)
        at_a_time = max(1, STAGED_SCORES // max(n_rows * n_scores, 1))
        stage_of = np.searchsorted(ends, np.arange(len(self)), side="right")
        for first in range(0, len(ends), at_a_time):
            n_stages = min(at_a_time, len(ends) - first)
            inside = (stage_of >= first) & (stage_of < first + n_stages)
            trees = self._compiled_by(np.where(inside, stage_of - first, -1), n_stages, n_scores)
            parts = np.zeros((n_stages * n_scores, n_rows))
            add_compiled(trees, blocks(), parts, int(inside.sum()), n_threads)
            for part in parts.reshape(n_stages, n_scores, n_rows):
                score = score + part
                yield score


def _spread(begin: NDArray[Any], sizes: NDArray[Any]) -> NDArray[np.int64]:
    """The numbers from each beginning on, as many as its size."""
    first = np.cumsum(sizes) - sizes
    return np.repeat(begin - first, sizes) + np.arange(int(sizes.sum()))
