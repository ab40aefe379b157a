"""Ensembles, probabilities and decisions of least cost as ONNX nodes.

Trees are one operator, lines and damped votes a loop over rounds. A tree goes left where
x <= threshold, where a category is in a set, or where the value is missing and missing values go
left. ONNX's operator TreeEnsemble has the same tests on 64-bit floats. Leaf values lie on one
power-of-two grid, so that its sums have the same bits in any order.

Costs are inputs of the graph. Decisions about two classes are the formulas of
`costboost._core.model.threshold`, applied to symbols. Those about several classes are sums over the
classes, which are written here term by term, in the order in which NumPy and the engine add them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import Any, NamedTuple

import numpy as np

from costboost._core.arithmetic import Floats, exp, interpolate, log
from costboost._core.calibration.softmax import SoftmaxCalibrator
from costboost._core.engine._kernels import TIE
from costboost._core.engine.class_trees import ScoreTrees
from costboost._core.engine.ensemble import Ensemble
from costboost._core.engine.lines import LARGEST, Lines
from costboost._core.model import BinaryModel, OneVsRestModel, ScoresModel, SeveralModel
from costboost._core.names import COST_NAMES
from costboost._core.rules.multinomial import LEAST_FLOW, of_log_loss, of_softmax, of_sum_loss
from costboost._core.rules.record import NetCosts
from costboost._core.rules.votes import cost_shares, log_shares, samme_shares
from costboost.export.graph import FORMULAS, ML, ML_OPSET, Graph, Symbol, Tensor, double, stacked

# ---- trees in one operator -----------------------------------------------------------------------

NOT_ABOVE, BELOW, MEMBER = 0, 1, 6
"""ONNX's numbers of the tests x <= threshold, x < threshold and "x is one of"."""
OLD_MODES = {NOT_ABOVE: "BRANCH_LEQ", BELOW: "BRANCH_LT"}
"""Names of the tests in the operator TreeEnsembleRegressor."""
SUM = 1
"""ONNX's number of the aggregation of trees by sums."""
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


# ---- interpolation by a tree of comparisons ------------------------------------------------------


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
    """`arithmetic.interpolate`, with its numbers looked up by a tree of comparisons."""
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


# ---- scores of models ----------------------------------------------------------------------------


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


# ---- costs as inputs, and the head of a graph ----------------------------------------------------

OF_CLASSES = "cost_matrix"
"""Input of more than two classes; two have an input for the cost of each outcome."""


class Head(NamedTuple):
    """What a graph returns, and the costs that it takes."""

    score: Tensor
    probabilities: Tensor
    code: Tensor
    """Number of the predicted class, among those of the classifier."""
    costs: dict[str, Floats]
    """Inputs for costs, with their values unless they are given."""
    shapes: dict[str, list[Any]]


def described_costs(graph: Graph, head: Head) -> list[Any]:
    """The inputs of costs: one for all rows, or one for each."""
    return [double(graph.helper, name, head.shapes[name]) for name in head.costs]


# ---- probabilities and decisions about two classes -----------------------------------------------


def of_two(graph: Graph, X: Tensor, model: BinaryModel, given: bool) -> Head:
    """Score, probabilities and decision of a model of two classes.

    ``given`` is whether costs are inputs; decisions are those of the costs of training otherwise.
    """
    (score,) = scores(graph, X, [model])
    share = _probability(model, score)
    costs = usual_costs(model) if given and model.decides_by_cost else {}
    decided = model.costs
    if costs:
        fn, fp, tp, tn = (Symbol(graph, name) for name in COST_NAMES)
        decided = NetCosts(fn - tp, fp - tn)
    by_prior = model.n_iter == 0 and model.decides_by_cost
    positive = share > decided.threshold if by_prior else model.positive(score, decided)
    pair = [1.0 - share, share]
    first = model.positive_index == 0
    return Head(
        model.towards_second(score),
        stacked(pair[::-1] if first else pair),
        graph.add("Cast", ~positive if first else positive, to=7),
        {name: np.array([cost]) for name, cost in costs.items()},
        {name: [f"{name}s"] for name in costs},
    )


def _probability(model: BinaryModel, score: Tensor) -> Tensor:
    """Probability of the positive class; the share of positives before the first round."""
    if model.n_iter:
        return model.probability(score)
    value = float(model.probability(np.zeros(1))[0])
    return np.where(np.equal(score, score), value, value)


def usual_costs(model: BinaryModel) -> dict[str, float]:
    """Costs of the four outcomes in training."""
    tp, tn = model.right_costs or (0.0, 0.0)
    values = (model.costs.fn + tp, model.costs.fp + tn, tp, tn)
    return {name: float(cost) for name, cost in zip(COST_NAMES, values, strict=True)}


# ---- probabilities and decisions about several classes -------------------------------------------


def of_several(graph: Graph, X: Tensor, model: OneVsRestModel, given: bool) -> Head:
    """Scores, probabilities and decision of one class against the rest."""
    members = model.members
    raw = list(scores(graph, X, members))
    score = stacked([s * (m.decision.slope / 2) for s, m in zip(raw, members, strict=True)])
    shares = [_probability(m, s) for s, m in zip(raw, members, strict=True)]
    return _head(graph, model, score, _referred(model, normalised(shares)), given)


def _head(
    graph: Graph, model: SeveralModel, score: Tensor, shares: Sequence[Tensor], given: bool
) -> Head:
    """The decision of a model of several classes by its scores or probabilities."""
    probabilities, k = stacked(shares), len(model.classes)
    if not model.by_cost:
        return Head(score, probabilities, greatest(score), {}, {})
    usual = model.matrix[None]
    if not (given and model.changeable):
        code = least_expected(probabilities, graph.constant(usual), k)
        return Head(score, probabilities, code, {}, {})
    code = least_expected(probabilities, Symbol(graph, OF_CLASSES), k)
    shapes: dict[str, list[Any]] = {OF_CLASSES: ["matrices", k, k]}
    return Head(score, probabilities, code, {OF_CLASSES: usual}, shapes)


def of_scores(graph: Graph, X: Tensor, model: ScoresModel, given: bool) -> Head:
    """Scores, probabilities and decision of one ensemble with a score for each class."""
    k = len(model.classes)
    raw = class_scores(graph, X, model.ensemble, model.coders, k)
    columns = [raw.column(j) for j in range(k)]
    mean = _in_turn(columns) / float(k)
    score = [one - mean for one in columns]
    if not model.n_iter:
        shares = [np.where(np.equal(score[0], score[0]), p, p) for p in model.prior.tolist()]
    elif model.calibrator is not None:
        shares = _calibrated(model.calibrator, score)
    else:
        factors = None if model.rule.factors is None else model.rule.factors(model.matrix)
        shares = OF_RULES[model.rule.probability](score, factors)
    return _head(graph, model, stacked(score), _referred(model, normalised(shares)), given)


def _calibrated(calibrator: Any, score: list[Tensor]) -> list[Tensor]:
    """Probabilities by a calibrator of several classes."""
    if isinstance(calibrator, SoftmaxCalibrator):
        offsets = calibrator.offset_.tolist()
        logits = [calibrator.slope_ * f + b for f, b in zip(score, offsets, strict=True)]
        return [exp(one) for one in _log_softmax(logits)]
    shares = [exp(one) for one in _log_softmax(score)]
    pairs = zip(calibrator.members_, shares, strict=True)
    return normalised([member.probability(share) for member, share in pairs])


def _log_softmax(logits: list[Tensor]) -> list[Tensor]:
    beyond = _beyond_greatest(logits)
    total = log(added([exp(one) for one in beyond]))
    return [one - total for one in beyond]


def _beyond_greatest(score: list[Tensor]) -> list[Tensor]:
    top = reduce(np.maximum, score)
    return [one - top for one in score]


def _softmax(score: list[Tensor], factors: Any) -> list[Tensor]:
    terms = [exp(one) for one in _beyond_greatest(score)]
    total = _in_turn(terms)
    return [one / total for one in terms]


def _by_log_loss(score: list[Tensor], factors: Any) -> list[Tensor]:
    """`of_log_loss` of the rules, class by class."""
    if factors is None:
        return _softmax(score, None)
    terms = [exp(one) for one in _beyond_greatest(score)]
    flow = []
    for y in range(len(score)):
        own = [t * (1.0 if j == y else float(factors[y, j])) for j, t in enumerate(terms)]
        total = np.maximum(_in_turn(own), LEAST_FLOW)
        flow.append([one / total for one in own])
    return _stationary(flow)


def _by_sum_loss(score: list[Tensor], factors: Any) -> list[Tensor]:
    """`of_sum_loss` of the rules, class by class."""
    k = len(score)
    factors = np.ones((k, k)) if factors is None else factors
    beyond = _beyond_greatest(score)
    flow = [
        [
            exp(np.clip(beyond[j] - beyond[y], -300.0, 300.0)) * float(factors[y, j])
            for j in range(k)
        ]
        for y in range(k)
    ]
    return _stationary(flow)


def _stationary(flow: list[list[Tensor]]) -> list[Tensor]:
    """`stationary` of the rules, class by class."""
    k = len(flow)
    for last in range(k - 1, 0, -1):
        out = np.maximum(_in_turn(flow[last][:last]), LEAST_FLOW)
        for y in range(last):
            flow[y][last] = flow[y][last] / out
            for j in range(last):
                flow[y][j] = flow[y][j] + flow[y][last] * flow[last][j]
    shares: list[Tensor] = [np.where(np.equal(flow[0][0], flow[0][0]), 1.0, 1.0)]
    for j in range(1, k):
        shares.append(added([shares[y] * flow[y][j] for y in range(j)]))
        top = reduce(np.maximum, shares)
        shares = [one / top for one in shares]
    total = _in_turn(shares)
    return [one / total for one in shares]


def _by_samme(score: list[Tensor], factors: Any) -> list[Tensor]:
    """`samme_shares` of the rules, class by class."""
    return _softmax([one / float(len(score) - 1) for one in score], None)


def _by_costs(score: list[Tensor], factors: Any) -> list[Tensor]:
    """`cost_shares` of the rules, class by class."""
    shifts = log_shares(factors).tolist()
    return _softmax([one + shift for one, shift in zip(score, shifts, strict=True)], None)


OF_RULES: dict[Any, Callable[[list[Tensor], Any], list[Tensor]]] = {
    of_softmax: _softmax,
    of_log_loss: _by_log_loss,
    of_sum_loss: _by_sum_loss,
    samme_shares: _by_samme,
    cost_shares: _by_costs,
}
"""Probabilities of rules with a score for each class, as nodes."""


def normalised(shares: Sequence[Tensor]) -> list[Tensor]:
    """Shares divided by their sum; uniform where all are 0."""
    total = added(shares)
    some = total > 0.0
    divisor = np.where(some, total, 1.0)
    return [np.where(some, one / divisor, 1 / len(shares)) for one in shares]


def _referred(model: SeveralModel, shares: list[Tensor]) -> list[Tensor]:
    """Probabilities under the shares of the classes that they refer to."""
    if model.prevalence is None and model.sampling is None:
        return shares
    ratio = model.class_prior / model.training_shares
    scaled = [one * float(by) for one, by in zip(shares, ratio / ratio.max(), strict=True)]
    total = added(scaled)
    some = total > 0.0
    divisor = np.where(some, total, 1.0)
    return [np.where(some, s / divisor, p) for s, p in zip(scaled, shares, strict=True)]


def added(terms: Sequence[Any]) -> Any:
    """The sum of the terms in the order of NumPy's sums along an axis that lies in one piece."""
    if len(terms) < 8:
        return _in_turn(terms)
    if len(terms) > 128:
        half = len(terms) // 2
        half -= half % 8
        return added(terms[:half]) + added(terms[half:])
    whole = len(terms) - len(terms) % 8
    r = [_in_turn(terms[j:whole:8]) for j in range(8)]
    total = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]))
    return _in_turn([total, *terms[whole:]])


def _in_turn(terms: Sequence[Any]) -> Any:
    total = terms[0]
    for one in terms[1:]:
        total = total + one
    return total


def greatest(score: Tensor) -> Tensor:
    """The class with the largest score; of equal ones, the first."""
    graph = score.graph
    size = graph.add("ReduceMax", np.abs(score), np.array([1]), keepdims=1)
    top = graph.add("ReduceMax", score, np.array([1]), keepdims=1)
    return _first(score >= top - TIE * size)


def _first(flags: Tensor) -> Tensor:
    """Number of the first column that is true."""
    return flags.graph.add("ArgMax", flags.graph.add("Cast", flags, to=7), axis=1, keepdims=0)


def least_expected(probability: Tensor, matrix: Tensor, k: int) -> Tensor:
    """Class of least expected cost, as `costboost._core.costs.least_expected` finds it.

    ``matrix`` has one cost matrix for all rows, or one for each.
    """
    graph = probability.graph
    n_rows = graph.add("Shape", probability, end=1)
    every = graph.add("Expand", matrix, graph.add("Concat", n_rows, np.array([k, k]), axis=0))
    best = _least(_expected(probability, every, k))
    best = _least(_beyond(probability, every, k, best)[0])
    beyond, size = _beyond(probability, every, k, best)
    return _least(np.where(beyond <= TIE * size, 0.0, beyond))


def _expected(probability: Tensor, matrix: Tensor, k: int) -> Any:
    """Expected cost of each class, added in the order of the true classes."""
    graph = probability.graph
    return _in_turn(
        [
            probability.column(i).as_column() * graph.add("Gather", matrix, np.int64(i), axis=1)
            for i in range(k)
        ]
    )


def _beyond(probability: Tensor, matrix: Tensor, k: int, best: Tensor) -> tuple[Any, Any]:
    """Expected cost of each class minus that of the best, and the sum of absolute terms."""
    graph = probability.graph
    place = graph.add("Unsqueeze", best, np.array([1, 2]))
    place = graph.add("Tile", place, np.array([1, k, 1]))
    differences = matrix - graph.add("GatherElements", matrix, place, axis=2)
    size = _expected(probability, np.abs(differences), k)
    return _expected(probability, differences, k), size


def _least(values: Tensor) -> Tensor:
    return values.graph.add("ArgMin", values, axis=1, keepdims=0)
