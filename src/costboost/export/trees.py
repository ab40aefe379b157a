"""Ensembles as ONNX nodes: trees in one operator, lines and damped votes in a loop over rounds.

A tree goes left where x <= threshold, where a category is in a set, or where the value is missing
and missing values go left. ONNX's operator TreeEnsemble has the same tests on 64-bit floats. Leaf
values lie on one power-of-two grid, so that its sums have the same bits in any order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from costboost.elementary import interpolate
from costboost.engine.ensemble import LARGEST, Ensemble, Lines, ScoreTrees
from costboost.export.graph import FORMULAS, ML, ML_OPSET, Graph, Tensor
from costboost.vectors import Floats

NOT_ABOVE, BELOW, MEMBER = 0, 1, 6
"""ONNX's numbers of the tests x <= threshold, x < threshold and "x is one of"."""
OLD_MODES = {NOT_ABOVE: "BRANCH_LEQ", BELOW: "BRANCH_LT"}
SUM = 1
MOST_OLD_LEAVES = 2**24
"""Leaves whose numbers are 32-bit floats."""


class Test(NamedTuple):
    """A test as ONNX has it: one value to compare with, or several that x may be."""

    feature: int
    threshold: float
    members: tuple[float, ...] | None
    missing_true: bool
    swapped: bool
    """Whether the true side is the right one of the ensemble."""
    mode: int = NOT_ABOVE


def tests_of(ensemble: Ensemble, node: int, n_codes: int | None) -> Test:
    """The test of an inner node; ``n_codes`` is the number of categories, None for a number.

    A test that no number passes is turned round: all numbers, infinite ones included, are at most
    infinity. Of a set of categories and the others, the smaller one is listed.
    """
    feature, missing = int(ensemble.feature[node]), bool(ensemble.missing_left[node])
    row = int(ensemble.category_set[node])
    if row < 0:
        threshold = float(ensemble.threshold[node])
        if not threshold > -np.inf:
            return Test(feature, np.inf, None, not missing, True)
        return Test(feature, threshold, None, missing, False)
    left = np.flatnonzero(ensemble.categories[row, :n_codes])
    right = np.setdiff1d(np.arange(n_codes or 0), left)
    swapped = right.size < left.size
    members = tuple(float(code) for code in (right if swapped else left))
    if not members:  # one side has all categories
        return Test(feature, np.inf, None, missing == swapped, not swapped)
    return Test(feature, 0.0, members, missing != swapped, swapped, MEMBER)


@dataclass
class Forest:
    """Trees for one operator, whose values are added to one of several targets each."""

    n_codes: Sequence[int | None]
    """Number of categories of each feature; None for a number."""
    constant: Floats
    """Sum of the trees without a test, for each target."""
    roots: list[int] = field(default_factory=list)
    tests: list[Test] = field(default_factory=list)
    sides: list[tuple[int, bool, int, bool]] = field(default_factory=list)
    """Of each test: true side and whether it is a leaf, false side and whether it is one."""
    targets: list[int] = field(default_factory=list)
    values: list[float] = field(default_factory=list)

    def add(self, ensemble: Ensemble, tree: int, target: Callable[[int], int]) -> None:
        """Add a tree; the value of each leaf goes to its target."""
        root = int(ensemble.first[tree])
        if ensemble.feature[root] < 0:
            self.constant[target(root)] += ensemble.value[root]
            return
        self.roots.append(len(self.tests))
        waiting = [(root, self.reserve())]
        while waiting:
            node, place = waiting.pop()
            test = tests_of(ensemble, node, self.n_codes[ensemble.feature[node]])
            found: list[tuple[int, bool]] = []
            left = int(ensemble.left[node])
            for child in (left + 1, left) if test.swapped else (left, left + 1):
                if ensemble.feature[child] < 0:
                    found.append((len(self.values), True))
                    self.values.append(float(ensemble.value[child]))
                    self.targets.append(target(child))
                else:
                    found.append((self.reserve(), False))
                    waiting.append((child, found[-1][0]))
            self.tests[place] = test
            self.sides[place] = (*found[0], *found[1])

    def reserve(self) -> int:
        """The number of a test that is yet to be set."""
        self.tests.append(Test(0, 0.0, None, False, False))
        self.sides.append((0, True, 0, True))
        return len(self.tests) - 1

    def written(self, graph: Graph, X: Tensor) -> Tensor:
        """A matrix with the sum of each target for each row."""
        if not self.tests:
            n_rows = graph.add("Shape", X, end=1)
            shape = graph.add("Concat", n_rows, np.array([self.constant.size]), axis=0)
            return graph.add("Expand", self.constant[None], shape)
        total = self._sums(graph, X) if graph.ml_opset >= ML_OPSET else self._old_sums(graph, X)
        return total + self.constant[None] if self.constant.any() else total

    def _sums(self, graph: Graph, X: Tensor) -> Tensor:
        """The sums by the operator TreeEnsemble."""
        true, true_ends, false, false_ends = zip(*self.sides, strict=True)
        tensor, n, n_leaves = graph.helper.make_tensor, len(self.tests), len(self.values)
        members = [x for one in self.tests if one.members for x in (*one.members, np.nan)]
        sets = {"membership_values": tensor("members", 11, [len(members)], members)}
        return graph.add(
            "TreeEnsemble",
            X,
            domain=ML,
            n_targets=self.constant.size,
            aggregate_function=SUM,
            post_transform=0,
            tree_roots=self.roots,
            nodes_featureids=[one.feature for one in self.tests],
            nodes_splits=tensor("splits", 11, [n], [one.threshold for one in self.tests]),
            nodes_modes=tensor("modes", 2, [n], [one.mode for one in self.tests]),
            nodes_missing_value_tracks_true=[int(one.missing_true) for one in self.tests],
            nodes_truenodeids=true,
            nodes_trueleafs=[int(end) for end in true_ends],
            nodes_falsenodeids=false,
            nodes_falseleafs=[int(end) for end in false_ends],
            leaf_targetids=self.targets,
            leaf_weights=tensor("weights", 11, [n_leaves], self.values),
            **(sets if members else {}),
        )

    def _old_sums(self, graph: Graph, X: Tensor) -> Tensor:
        """The sums by TreeEnsembleRegressor, for writers that know no later operators.

        It returns 32-bit floats: the numbers of the leaves, by which their values are looked up.
        """
        leaf = graph.add("Cast", self._leaf_numbers(graph, X), to=7)
        targets, sums = np.array(self.targets), []
        for target in range(self.constant.size):
            own = np.where(targets == target, self.values, 0.0)
            found = graph.add("Gather", own, leaf)
            sums.append(graph.add("ReduceSum", found, np.array([1]), keepdims=1))
        return graph.add("Concat", *sums, axis=1)

    def _leaf_numbers(self, graph: Graph, X: Tensor) -> Tensor:
        """The number of the leaf of each row (rows) in each tree (columns)."""
        n, n_leaves = len(self.tests), len(self.values)
        if n_leaves >= MOST_OLD_LEAVES:
            raise ValueError(
                f"the trees have {n_leaves} leaves, too many for the operators that skl2onnx "
                "writes; take costboost.export.to_onnx"
            )
        tree = np.searchsorted(self.roots, np.arange(n), side="right") - 1
        of_leaf = np.zeros(n_leaves, dtype=np.int64)
        for test, (true, true_ends, false, false_ends) in enumerate(self.sides):
            for side, ends in ((true, true_ends), (false, false_ends)):
                if ends:
                    of_leaf[side] = tree[test]
        tensor, none = graph.helper.make_tensor, [0] * n_leaves
        numbers, trees = list(range(n, n + n_leaves)), [*tree.tolist(), *of_leaf.tolist()]
        order = np.argsort(trees, kind="stable").tolist()  # a tree in one piece, its root first

        def laid(of_tests: Iterable[Any], of_leaves: Sequence[Any]) -> list[Any]:
            both = [*of_tests, *of_leaves]
            return [both[k] for k in order]

        def doubles(name: str, values: Sequence[Any]) -> Any:
            return tensor(name, 11, [len(values)], [float(one) for one in values])

        return graph.add(
            "TreeEnsembleRegressor",
            X,
            domain=ML,
            n_targets=len(self.roots),
            nodes_treeids=[trees[k] for k in order],
            nodes_nodeids=order,
            nodes_featureids=laid((one.feature for one in self.tests), none),
            nodes_modes=laid((OLD_MODES[one.mode] for one in self.tests), ["LEAF"] * n_leaves),
            nodes_values_as_tensor=doubles(
                "splits", laid((one.threshold for one in self.tests), none)
            ),
            nodes_truenodeids=laid((side[0] + n * side[1] for side in self.sides), none),
            nodes_falsenodeids=laid((side[2] + n * side[3] for side in self.sides), none),
            nodes_missing_value_tracks_true=laid(
                (int(one.missing_true) for one in self.tests), none
            ),
            target_treeids=of_leaf.tolist(),
            target_nodeids=numbers,
            target_ids=of_leaf.tolist(),
            target_weights_as_tensor=doubles("weights", range(n_leaves)),
        )


def place_among(graph: Graph, x: Tensor, points: Floats) -> Tensor:
    """How many of the increasing points are at most x, by a balanced tree of comparisons."""
    forest = Forest([None], np.zeros(1))

    def lay(low: int, high: int) -> tuple[int, bool]:
        """A test, or a leaf, for the points low to high - 1."""
        if low == high:
            forest.values.append(float(low))
            forest.targets.append(0)
            return len(forest.values) - 1, True
        middle, number = (low + high) // 2, forest.reserve()
        forest.tests[number] = Test(0, float(points[middle]), None, False, False, BELOW)
        forest.sides[number] = (*lay(low, middle), *lay(middle + 1, high))
        return number, False

    forest.roots.append(0)
    lay(0, points.size)
    return forest.written(graph, x.as_column()).column(0).as_whole()


def _interpolated(x: Tensor, at: Any, values: Any) -> Any:
    """`costboost.elementary.interpolate`, with its numbers looked up by a tree of comparisons."""
    if at.size < 2:
        return np.where(np.equal(x, x), values[0], values[0])
    graph = x.graph
    k = place_among(graph, x, at[1:-1]) if at.size > 2 else np.int64(0)
    part = 0.5 if max(abs(at[0]), abs(at[-1])) > 1e300 else 1.0
    with np.errstate(over="ignore", invalid="ignore"):
        slopes = np.diff(values) / np.diff(part * at)
    slope, start, value = (graph.add("Gather", table, k) for table in (slopes, at, values))
    inside = slope * (part * np.clip(x, at[0], at[-1]) - part * start) + value
    inside = np.where(np.equal(x, start), value, inside)
    return np.where(x >= at[-1], values[-1], np.where(x < at[0], values[0], inside))


FORMULAS[interpolate] = _interpolated


def codes_of(coders: Sequence[Any]) -> list[int | None]:
    """Number of categories of each feature; None for a number."""
    return [None if coder is None else coder.n_codes for coder in coders]


def scores(graph: Graph, X: Tensor, models: Sequence[Any]) -> Iterator[Tensor]:
    """The score of each binary model; all their trees are in one operator."""
    plain = [k for k, one in enumerate(models) if _is_sum_of_trees(one)]
    total = None
    if plain:
        forest = Forest(codes_of(models[0].coders), np.zeros(len(plain)))
        for target, k in enumerate(plain):
            for tree in range(len(models[k].ensemble)):
                forest.add(models[k].ensemble, tree, lambda _, target=target: target)  # type: ignore[misc]
        total = forest.written(graph, X)
    for k, one in enumerate(models):
        if total is not None and k in plain:
            yield total.column(plain.index(k))
        else:
            yield _by_rounds(graph, X, one)


def class_scores(graph: Graph, X: Tensor, ensemble: ScoreTrees, coders: Any, k: int) -> Tensor:
    """The sums of leaf values for each of k classes, whose leaves may be in the same tree."""
    forest = Forest(codes_of(coders), np.zeros(k))
    for tree in range(len(ensemble)):
        forest.add(ensemble, tree, lambda leaf: int(ensemble.column[leaf]))
    return forest.written(graph, X)


def _is_sum_of_trees(model: Any) -> bool:
    return isinstance(model.ensemble, Ensemble) and model.combine is None


def _by_rounds(graph: Graph, X: Tensor, model: Any) -> Tensor:
    """The score of lines, whose sums depend on their order, and of votes that are not added."""
    ensemble = model.ensemble
    votes = _lines(graph, X, ensemble) if isinstance(ensemble, Lines) else _votes(graph, X, model)
    combine: Callable[..., Any] = model.combine or (lambda score, _, vote: score + vote)
    first = graph.add("Gather", votes, np.int64(0), axis=0)
    start: Tensor = np.where(np.equal(first, first), 0.0, 0.0)
    return graph.scan(lambda score, vote: combine(score, 1.0, vote), start, 1, (votes, 1))


def _lines(graph: Graph, X: Tensor, lines: Lines) -> Tensor:
    """What each line (rows) adds to the score of each row of X (columns)."""
    columns = graph.add("Gather", X, lines.feature.astype(np.int64), axis=1)
    values = np.clip(columns * lines.slope[None] + lines.intercept[None], -LARGEST, LARGEST)
    return graph.add("Transpose", values, perm=[1, 0])


def _votes(graph: Graph, X: Tensor, model: Any) -> Tensor:
    """The vote of each tree (rows) for each row of X (columns)."""
    ensemble = model.ensemble
    forest = Forest(codes_of(model.coders), np.zeros(len(ensemble)))
    for tree in range(len(ensemble)):
        forest.add(ensemble, tree, lambda _, tree=tree: tree)  # type: ignore[misc]
    return graph.add("Transpose", forest.written(graph, X), perm=[1, 0])
