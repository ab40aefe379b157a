"""Trained ensembles as plain arrays, with one score or several, and their scores on raw values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from itertools import pairwise
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from costboost._core.engine import _kernels
from costboost._core.engine._kernels import CompiledTrees

RowBlocks = Iterator[tuple[slice, NDArray[Any]]]
LEAF = -1
TESTS_AT_A_TIME = 2**23
"""Rows times trees, or times features if they are more, that are scored in one go: in between,
Ctrl-C is heard."""


PATTERNS_AT_A_TIME = 2**22
"""Leaves times background rows that are explained in one go, which takes up to 16 bytes each; one
tree at least."""


class Node(NamedTuple):
    """A node of a tree, its children counted from the tree's own root."""

    feature: int = LEAF
    threshold: float = np.nan
    left: int = -1
    missing_left: bool = False
    goes_left: NDArray[np.uint8] | None = None
    """Which category codes go left; None for an ordered feature."""
    value: float = 0.0
    gain: float = 0.0


def leaf(value: float) -> Node:
    """A leaf."""
    return Node(LEAF, np.nan, -1, False, None, value)


class Tests(NamedTuple):
    """Tests of raw values, one for each inner node."""

    feature: NDArray[np.int32]
    threshold: NDArray[np.float64]
    missing_left: NDArray[np.uint8]
    category_set: NDArray[np.int32]
    categories: NDArray[np.uint8]
    """Which category codes go left, for each set."""


class Arrays:
    """Base of ensembles: a record of arrays, which do not change once scores were computed."""

    __slots__ = ("_trees",)  # compiled for scores; not among the attributes, nor in a pickle

    def __getstate__(self: Any) -> dict[str, Any]:
        """The arrays by their names."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def tobytes(self) -> bytes:
        """All arrays as bytes: two ensembles are the same exactly if these are."""
        return b"".join(array.tobytes() for array in self.__getstate__().values())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and self.tobytes() == other.tobytes()

    __hash__ = None  # type: ignore[assignment]


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
        trees = _kernels.CompiledTrees(self, ends)
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


def tested_features(ensemble: Ensemble | Lines) -> NDArray[np.intp]:
    """The features that an ensemble reads, in increasing order; the first one if it reads none."""
    features = np.unique(ensemble.feature[ensemble.feature >= 0]).astype(np.intp)
    return features if features.size else np.zeros(1, dtype=np.intp)


def renumbered(ensemble: Ensemble | Lines, features: NDArray[np.intp]) -> Ensemble | Lines:
    """The ensemble for rows that have only the given features."""
    place = np.searchsorted(features, ensemble.feature).astype(np.int32)
    return replace(ensemble, feature=np.where(ensemble.feature >= 0, place, ensemble.feature))


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


# ---- a trained ensemble of straight lines as plain arrays, and its scores on raw values ----------


LARGEST = 1e300
"""Upper limit of what a line adds to a score, however far from the training rows."""


@dataclass(frozen=True, eq=False)
class Lines(Arrays):
    """Lines in one feature each; their sum is a linear model.

    Attributes
    ----------
    feature : int32 array
        Feature of each line.
    slope, intercept : float64 arrays
        What a line adds to the score is slope * x + intercept, the step included.
    """

    feature: NDArray[np.int32]
    slope: NDArray[np.float64]
    intercept: NDArray[np.float64]

    @classmethod
    def from_rounds(cls, rounds: Iterable[tuple[int, float, float, float]]) -> Lines:
        """From feature, slope, intercept and step of every round."""
        feature, slope, intercept, step = (np.array(part) for part in zip(*rounds, strict=True))
        return cls(feature.astype(np.int32), step * slope, step * intercept)

    def __len__(self) -> int:
        return len(self.feature)

    def __getitem__(self, rounds: slice) -> Lines:
        return Lines(self.feature[rounds], self.slope[rounds], self.intercept[rounds])

    @staticmethod
    def reversed(line: Lines) -> Lines:
        """The line with the opposite sign."""
        return Lines(line.feature, -line.slope, -line.intercept)

    def rounds(self) -> Iterator[Lines]:
        """The lines, one by one."""
        return (self[t : t + 1] for t in range(len(self)))

    def add_scores(self, blocks: RowBlocks, score: NDArray[np.float64], n_threads: int) -> None:
        """Add all lines to the scores of blocks of rows, in their order."""
        self.add_stages(blocks, score[np.newaxis], n_threads, [0, len(self)])

    def add_stages(
        self, blocks: RowBlocks, scores: NDArray[np.float64], n_threads: int, ends: Sequence[int]
    ) -> None:
        """Add the lines ends[k], ..., ends[k + 1] - 1 to row k of the scores, for every k."""
        arrays = self.feature, self.slope, self.intercept
        lines = list(zip(*(array.tolist() for array in arrays), strict=True))
        for rows, block in blocks:
            for score, (first, last) in zip(scores, pairwise(ends), strict=True):
                for f, slope, intercept in lines[first:last]:
                    score[rows] += _line(slope, block[:, f], intercept)

    def importances(self, steps: NDArray[np.float64], n_features: int) -> NDArray[np.float64]:
        """Share of each feature in the sizes of the steps."""
        total = np.bincount(self.feature, np.abs(steps), minlength=n_features)
        return np.asarray(total / total.sum())


def _line(slope: float, x: NDArray[Any], intercept: float) -> NDArray[np.float64]:
    with np.errstate(over="ignore"):
        value = slope * x.astype(np.float64) + intercept
    return np.asarray(np.clip(value, -LARGEST, LARGEST, out=value))


# ---- trees whose leaves add to one of several scores, and their scores on raw values -------------

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
