"""A sum of trees as plain arrays, with its scores on raw values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from costboost._core.engine import _kernels
from costboost._core.engine.node import LEAF, Node, leaf
from costboost._core.engine.stored import Arrays

RowBlocks = Iterator[tuple[slice, NDArray[Any]]]


TESTS_AT_A_TIME = 2**23
"""Rows times trees, or times features if they are more, that are scored in one go: in between,
Ctrl-C is heard."""


PATTERNS_AT_A_TIME = 2**22
"""Leaves times background rows that are explained in one go, which takes up to 16 bytes each; one
tree at least."""


class Tests(NamedTuple):
    """Tests of raw values, one for each inner node."""

    feature: NDArray[np.int32]
    threshold: NDArray[np.float64]
    missing_left: NDArray[np.uint8]
    category_set: NDArray[np.int32]
    categories: NDArray[np.uint8]
    """Which category codes go left, for each set."""


@dataclass(frozen=True, eq=False)
class Ensemble(Arrays):
    """Trees in one set of arrays; a stump is a tree of three nodes, a constant one of one leaf.

    Attributes
    ----------
    first : int32 array, one more than there are trees
        Where each tree's nodes begin; its root comes first.
    feature : int32 array
        Feature that a node tests; -1 for a leaf.
    threshold : float64 array
        Values above it go right.
    left : int32 array
        Left child; the right one lies behind it.
    missing_left : uint8 array
        Whether missing values, and categories never seen, go left.
    category_set : int32 array
        Row of ``categories`` for a categorical test, else -1.
    categories : uint8 array of 256 columns
        1 where the category of that code goes left.
    value : float64 array
        What a leaf adds to the score, the step included. All values lie on one power-of-two grid,
        so that every sum of them is exact, in any order.
    gain : float64 array
        How much a test lowered the criterion at training.
    """

    first: NDArray[np.int32]
    feature: NDArray[np.int32]
    threshold: NDArray[np.float64]
    left: NDArray[np.int32]
    missing_left: NDArray[np.uint8]
    category_set: NDArray[np.int32]
    categories: NDArray[np.uint8]
    value: NDArray[np.float64]
    gain: NDArray[np.float64]

    @classmethod
    def from_trees(cls, trees: Iterable[Iterable[Node]]) -> Ensemble:
        """Lay the nodes of all trees into arrays."""
        first = [0]
        columns: list[list[Any]] = [[] for _ in Node._fields]
        sets: list[NDArray[np.uint8]] = []
        for tree in trees:
            for node in tree:  # taken apart at once: thousands of tuples would be a burden
                for column, part in zip(columns, node, strict=True):
                    column.append(part)
            first.append(len(columns[0]))
        feature, threshold, child, missing_left, goes_left, value, gain = columns
        category_set = np.full(len(feature), -1, dtype=np.int32)
        for k, table in enumerate(goes_left):
            if table is not None:
                category_set[k] = len(sets)
                sets.append(table)
        starts = np.array(first, dtype=np.int32)
        left = np.array(child, dtype=np.int32)
        left += np.where(left >= 0, np.repeat(starts[:-1], np.diff(starts)), np.int32(0))
        return cls(
            first=starts,
            feature=np.array(feature, dtype=np.int32),
            threshold=np.array(threshold, dtype=np.float64),
            left=left,
            missing_left=np.array(missing_left, dtype=np.uint8),
            category_set=category_set,
            categories=np.array(sets, dtype=np.uint8).reshape(len(sets), _kernels.BINS),
            value=round_to_grid(np.array(value, dtype=np.float64), starts),
            gain=np.array(gain, dtype=np.float64),
        )

    @classmethod
    def from_tests(
        cls,
        sizes: NDArray[np.int64],
        left: NDArray[np.int32],
        tests: Tests,
        value: NDArray[np.float64],
        gain: NDArray[np.float64],
    ) -> Ensemble:
        """Trees of these sizes: children and gain of all nodes, tests of inner ones, leaf values.

        Children are counted from the root of their tree.
        """
        inner = left >= 0
        first = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32)
        root = np.repeat(first[:-1], sizes)

        def spread(outside: float, of_inner: NDArray[Any]) -> NDArray[Any]:
            every = np.full(left.size, outside, dtype=of_inner.dtype)
            every[inner] = of_inner
            return every

        values = np.zeros(left.size)
        values[~inner] = value
        return cls(
            first=first,
            feature=spread(LEAF, tests.feature),
            threshold=spread(np.nan, tests.threshold),
            left=np.where(inner, left + root, np.int32(-1)),
            missing_left=spread(0, tests.missing_left),
            category_set=spread(-1, tests.category_set),
            categories=tests.categories,
            value=round_to_grid(values, first),
            gain=gain,
        )

    @classmethod
    def merged(
        cls, parts: Sequence[tuple[Ensemble, float]], turn: NDArray[Any]
    ) -> tuple[Ensemble, NDArray[np.intp]]:
        """The sum of ensembles times factors, and where each tree stood one behind the other.

        ``turn`` has a number for each tree of each part; trees come in the order of their numbers.
        """
        order = np.argsort(turn, kind="stable")
        sizes = np.concatenate([np.diff(one.first) for one, _ in parts])
        begins = np.cumsum(sizes) - sizes
        first = np.concatenate([[0], np.cumsum(sizes[order])]).astype(np.int32)
        node = np.repeat(begins[order] - first[:-1], sizes[order]) + np.arange(first[-1])

        def laid(name: str, moved: Sequence[int]) -> NDArray[Any]:
            """A field of all parts one behind the other, its references moved, in the new order."""
            values = [getattr(one, name) for one, _ in parts]
            refers = [np.where(v >= 0, v + by, v) for v, by in zip(values, moved, strict=True)]
            return np.asarray(np.concatenate(refers)[node], dtype=np.int32)

        n_nodes = [len(one.feature) for one, _ in parts]
        n_sets = [len(one.categories) for one, _ in parts]
        left = laid("left", (np.cumsum(n_nodes) - n_nodes).tolist())
        left = np.where(left >= 0, left + np.repeat(first[:-1] - begins[order], sizes[order]), left)
        value = np.concatenate([factor * one.value for one, factor in parts])[node]
        ensemble = cls(
            first=first,
            feature=laid("feature", [0] * len(parts)),
            threshold=np.concatenate([one.threshold for one, _ in parts])[node],
            left=left.astype(np.int32),
            missing_left=np.concatenate([one.missing_left for one, _ in parts])[node],
            category_set=laid("category_set", (np.cumsum(n_sets) - n_sets).tolist()),
            categories=np.concatenate([one.categories for one, _ in parts]),
            value=round_to_grid(value, first),
            gain=np.concatenate([one.gain for one, _ in parts])[node],
        )
        return ensemble, order

    @classmethod
    def constant(cls, value: float) -> Ensemble:
        """An ensemble with the same score for every row."""
        return cls.from_trees([[leaf(value)]])

    def __len__(self) -> int:
        return len(self.first) - 1

    def tree(self, t: int) -> list[Node]:
        """The nodes of one tree."""
        first = int(self.first[t])
        return [
            Node(
                feature=int(self.feature[k]),
                threshold=float(self.threshold[k]),
                left=int(self.left[k]) - first if self.left[k] >= 0 else -1,
                missing_left=bool(self.missing_left[k]),
                goes_left=self.categories[self.category_set[k]]
                if self.category_set[k] >= 0
                else None,
                value=float(self.value[k]),
                gain=float(self.gain[k]),
            )
            for k in range(first, int(self.first[t + 1]))
        ]

    @staticmethod
    def reversed(tree: Sequence[Node]) -> list[Node]:
        """The tree with the signs of its leaf values changed."""
        return [node._replace(value=-node.value) for node in tree]

    def rounds(self) -> Iterator[list[Node]]:
        """The trees, one by one."""
        return (self.tree(t) for t in range(len(self)))

    @property
    def _compiled(self) -> _kernels.CompiledTrees:
        """All trees, prepared for scores when the first are computed."""
        trees: _kernels.CompiledTrees | None = getattr(self, "_trees", None)
        if trees is None:
            trees = _kernels.CompiledTrees(self, [0, len(self)])
            object.__setattr__(self, "_trees", trees)
        return trees

    @property
    def stumps(self) -> bool:
        """Whether no tree has more than one test."""
        return bool(np.all(np.diff(self.first) <= 3))

    def add_scores(self, blocks: RowBlocks, score: NDArray[np.float64], n_threads: int) -> None:
        """Add the leaf values of all trees to the scores of blocks of rows."""
        add_compiled(self._compiled, blocks, score[np.newaxis], len(self), n_threads)

    def add_stages(
        self, blocks: RowBlocks, scores: NDArray[np.float64], n_threads: int, ends: Sequence[int]
    ) -> None:
        """Add the trees ends[k], ..., ends[k + 1] - 1 to row k of the scores, for every k."""
        whole = list(ends) == [0, len(self)]
        trees = self._compiled if whole else _kernels.CompiledTrees(self, ends)
        add_compiled(trees, blocks, scores, ends[-1] - ends[0], n_threads)

    def shapley_values(
        self,
        rows: NDArray[np.float64],
        background: NDArray[np.float64],
        along_paths: bool,
        n_threads: int,
        reached: NDArray[Any] | None = None,
    ) -> NDArray[np.float64]:
        """Shapley values of the sum of the trees, of rows and a background coded as numbers.

        Features that are not in a coalition have the values of background rows or, if
        ``along_paths``, follow both sides of a test in proportion to the background rows there, or
        to the rows that were counted at each node, if ``reached`` is given.
        """
        values = np.zeros(rows.shape)
        counts = None if reached is None else np.ascontiguousarray(reached, dtype=np.int64)
        n_nodes = max(1, 2 * PATTERNS_AT_A_TIME // max(len(background), 1))
        begin = 0
        while begin < len(self):
            most = int(self.first[begin]) + n_nodes
            end = max(begin + 1, int(np.searchsorted(self.first, most, side="right")) - 1)
            given = self._compiled, rows, background, begin, end
            _kernels.add_shapley(*given, along_paths, values, n_threads, counts)
            begin = end
        return values

    def importances(self, steps: NDArray[np.float64], n_features: int) -> NDArray[np.float64]:
        """Share of each feature: a tree's gains, scaled to its step's size, summed over trees."""
        total = np.zeros(n_features)
        for t, step in enumerate(np.abs(steps)):
            nodes = slice(self.first[t], self.first[t + 1])
            tests = self.feature[nodes] >= 0
            gains = self.gain[nodes][tests]
            if gains.sum() > 0:
                np.add.at(total, self.feature[nodes][tests], step * gains / gains.sum())
        return total / total.sum() if total.sum() > 0 else total


def on_grid(values: Sequence[NDArray[np.float64]]) -> list[NDArray[np.float64]]:
    """The values of the leaves of each tree, steps included, as an ensemble of them keeps them."""
    first = np.cumsum([0, *(one.size for one in values)])
    return np.split(round_to_grid(np.concatenate(values), first.astype(np.int32)), first[1:-1])


def round_to_grid(value: NDArray[np.float64], first: NDArray[np.int32]) -> NDArray[np.float64]:
    """Round the leaf values so that any partial sum of them fits 53 bits."""
    return _kernels.round_to_grid(value, first)


def add_compiled(
    trees: _kernels.CompiledTrees,
    blocks: RowBlocks,
    scores: NDArray[np.float64],
    n_trees: int,
    n_threads: int,
) -> None:
    """Add compiled trees to the scores of each stage, or raise ValueError for infinite values."""
    for rows, block in blocks:
        step = max(TESTS_AT_A_TIME // max(n_trees, block.shape[1], 1), 2**11) * n_threads
        for part in (slice(begin, begin + step) for begin in range(0, len(block), step)):
            if trees.add_scores(block[part], scores[:, rows][:, part], n_threads):
                column = int(np.flatnonzero(np.isinf(block[part]).any(axis=0))[0])
                raise ValueError(
                    f"Input X contains infinity, in column {column}; replace it by a finite "
                    "value, or by NaN if it stands for a missing one"
                )
