"""Results do not depend on the division into shards, and agree with exact weights."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from divided import rows_of
from numpy.typing import NDArray

from costboost._core.arithmetic import joined, parts_of
from costboost._core.engine import _kernels as kernels
from costboost._core.learners.stump import Stump
from costboost._core.learners.tree import Tree, TreeLearner
from costboost._core.rows import Trial
from costboost._core.rules.record import Criterion

ROUNDS = 50
Factors = Callable[[int, Any], NDArray[np.float64]]


class Data:
    """Rows with ties, missing values and categories; labels that no learner gets quite right."""

    def __init__(self, n: int = 400, seed: int = 0) -> None:
        rng = np.random.default_rng(seed)
        self.x = np.column_stack(
            [
                rng.integers(0, 5, n),
                np.where(rng.random(n) < 0.2, np.nan, rng.normal(size=n)),
                rng.integers(0, 7, n),
                rng.normal(size=n).round(1),
                np.where(rng.random(n) < 0.9, 0.0, rng.lognormal(size=n)),
                np.ones(n),
                rng.integers(0, 5, n),
                rng.normal(size=n),
                rng.choice([np.nan, 1.0], n),
            ]
        )
        score = self.x[:, 0] - self.x[:, 3] + 2 * (self.x[:, 2] == 3) + rng.normal(size=n)
        self.positive = (score > np.quantile(score, 0.75)).astype(np.uint8)
        self.weight = rng.exponential(size=n)
        self.categorical = np.zeros(self.x.shape[1], dtype=np.uint8)
        self.categorical[2] = 1
        self.cuts, self.n_cuts = kernels.find_cuts(self.x, None, 40, 1)
        self.n_cuts[2] = 6

    @property
    def n(self) -> int:
        return len(self.x)

    def only(self, features: list[int]) -> Data:
        """Some of the features."""
        self.x, self.cuts = self.x[:, features], self.cuts[features]
        self.n_cuts, self.categorical = self.n_cuts[features], self.categorical[features]
        return self

    def sorted_by_class(self) -> Data:
        """Negatives first, so that only the last shards have positives."""
        order = np.argsort(self.positive, kind="stable")
        self.x, self.positive, self.weight = (
            a[order] for a in (self.x, self.positive, self.weight)
        )
        return self


def divide(n: int, n_shards: int, uneven: bool = False) -> list[int]:
    ends = np.linspace(0, n, n_shards + 1).round().astype(int).tolist()
    if uneven and n_shards > 1:
        ends[1] = 1  # a shard of a single row
    return ends


class Sharded:
    """The data in shards, and where each of their rows came from."""

    def __init__(self, data: Data, ends: Sequence[int], n_threads: int = 1) -> None:
        self.places, parts = [], []
        for a, b in pairwise(ends):
            positive = data.positive[a:b]
            rows = kernels.BinnedRows(b - a, int(positive.sum()), data.x.shape[1], n_threads)
            rows.fill(data.x[a:b], data.cuts, data.n_cuts, data.categorical, positive)
            parts.append(rows)
            self.places.append(a + np.argsort(1 - positive, kind="stable"))
        self.parts = parts
        self.rows = rows_of(parts, data.n_cuts + np.int32(1), data.categorical)

    def start(self, factors: Sequence[float], weights: Any = None) -> None:
        """Weights of the classes, or of the rows times those."""
        if weights is None:
            self.rows.weights.set_classes(factors)
        else:
            self.rows.weights.set_rows(joined(weights), factors)

    def in_order(self, values: NDArray[Any]) -> list[NDArray[Any]]:
        """Values of all rows in the order of the shards."""
        return [values[place] for place in self.places]

    def gather(self, parts: Sequence[NDArray[Any]]) -> NDArray[Any]:
        """Results of the shards for their rows, in the order of the data."""
        out = np.empty(sum(map(len, parts)), dtype=parts[0].dtype)
        for place, part in zip(self.places, parts, strict=True):
            out[place] = part
        return out

    def weights(self) -> NDArray[np.float64]:
        return self.gather([shard.weight for shard in self.parts])


class LogWeights:
    """The weights as logarithms, which neither overflow nor need to be scaled."""

    def __init__(self, data: Data, factors: Sequence[float], weight: NDArray[np.float64]) -> None:
        self.positive = data.positive == 1
        self.log = np.log(weight) + np.where(self.positive, *map(math.log, factors))

    def share(self, rows: NDArray[np.bool_]) -> float:
        w = np.exp(self.log - self.log.max())
        return float(w[rows].sum() / w.sum())

    def multiply(self, factor: NDArray[np.float64]) -> None:
        self.log += np.log(factor)


def error_of(hypothesis: Any) -> float:
    return float(hypothesis.weight[hypothesis.outcome.margin < 0].sum())


def adaboost(_: int, hypothesis: Any) -> NDArray[np.float64]:
    error = min(max(error_of(hypothesis), 1e-3), 0.999)
    step = 0.5 * math.log((1 - error) / error)
    return np.where(hypothesis.outcome.margin > 0, math.exp(-step), math.exp(step))


def extreme(size: float, seed: int) -> Factors:
    """Every cell is multiplied by 1, ``size`` or its reciprocal, at random."""
    rng = np.random.default_rng(seed)
    table = rng.choice([1.0, size, 1 / size], (ROUNDS, 64))

    def factors(t: int, hypothesis: Any) -> NDArray[np.float64]:
        return table[t, : len(hypothesis.weight)].copy()

    return factors


def describe(split: Any) -> tuple[Any, ...]:
    return (
        split.feature, split.bin, split.polarity, split.missing_left, split.value.hex(),
        split.quanta, split.left.tobytes(),
    )  # fmt: skip


def stump_rounds(
    sharded: Sharded, factors: Factors, min_samples_leaf: int = 1, n_rounds: int = ROUNDS
) -> Iterator[tuple[Stump, NDArray[np.float64]]]:
    rows = sharded.rows
    for t in range(n_rounds):
        split = rows.best_split(Criterion("vote"), min_samples_leaf)
        stump = Stump(split, rows.cell_weights(split))
        change = factors(t, stump)
        yield stump, change
        stump.reweigh(rows, change)


def trace_stumps(
    sharded: Sharded, factors: Factors, min_samples_leaf: int = 1, n_rounds: int = ROUNDS
) -> list[Any]:
    """All results that a driver gets in every round, and all weights at the end."""
    seen: list[Any] = []
    for stump, _ in stump_rounds(sharded, factors, min_samples_leaf, n_rounds):
        unit = [u.hex() for u in sharded.rows.weights.unit]
        seen.append((describe(stump.split), stump.weight.tobytes(), unit))
    seen.append(sharded.weights().tobytes())
    seen.append(sharded.rows.histogram().tobytes())
    return seen


def trace_trees(
    sharded: Sharded, factors: Factors, learner: TreeLearner, n_rounds: int = ROUNDS
) -> list[Any]:
    seen: list[Any] = []
    rows = sharded.rows
    for t in range(n_rounds):
        tree = learner.find(rows, Criterion("vote"))
        grown, splits = tree.grown, tree.grown.splits
        arrays = (
            *(splits.feature, splits.bin, splits.missing_left, splits.left),
            *(grown.left, grown.gain, grown.share),
        )
        votes = sharded.gather([tree.scores(shard) for shard in sharded.parts])
        unit = [u.hex() for u in rows.weights.unit]
        seen.append(
            ([array.tobytes() for array in arrays], tree.weight.tobytes(), votes.tobytes(), unit)
        )
        tree.reweigh(rows, factors(t, tree))
    seen.append(sharded.weights().tobytes())
    return seen


def assert_exact(sharded: Sharded) -> None:
    """The histograms are the sums of the rounded weights, and these sums are in range."""
    for shard in sharded.parts:
        assert np.all(np.isfinite(shard.weight))
        quanta = [round(w) for w in shard.weight.tolist()]
        for z, part in enumerate((slice(shard.n_positive), slice(shard.n_positive, None))):
            assert sum(quanta[part]) < 2**62
            for f in range(shard.n_features):
                sums = [0] * kernels.BINS
                for b, q in zip(shard.column(f)[part].tolist(), quanta[part], strict=True):
                    sums[b] += q
                assert shard.histogram[z, f].tolist() == sums


def assert_cells(sharded: Sharded, stump: Stump, exact: LogWeights) -> NDArray[np.bool_]:
    """The stump's cells have the exact weights; which rows go left."""
    split = stump.split
    left = sharded.gather(
        [split.left[shard.column(max(split.feature, 0))] == 1 for shard in sharded.parts]
    )
    cells = [exact.positive & left, exact.positive & ~left]
    cells += [~exact.positive & left, ~exact.positive & ~left]
    expected = [exact.share(cell) for cell in cells]
    np.testing.assert_allclose(stump.weight, expected, rtol=1e-9, atol=1e-13)
    return left


def check_stumps(sharded: Sharded, exact: LogWeights, factors: Factors) -> None:
    for stump, change in stump_rounds(sharded, factors):
        assert_exact(sharded)
        left = assert_cells(sharded, stump, exact)
        cell = np.where(exact.positive, 0, 2) + ~left
        exact.multiply(change[cell])
    assert_exact(sharded)


DIVISIONS = [(2, False), (5, False), (8, False), (5, True), (8, True)]

# ---- stumps --------------------------------------------------------------------------------------


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("least", [1, 30])
def test_stumps_do_not_depend_on_shards(weighted: bool, least: int) -> None:
    data = Data()

    def trace(ends: list[int], n_threads: int) -> list[Any]:
        sharded = Sharded(data, ends, n_threads)
        weights = sharded.in_order(data.weight) if weighted else None
        sharded.start([0.7, 0.3], weights)
        return trace_stumps(sharded, adaboost, least)

    one = trace(divide(data.n, 1), 1)
    assert len({seen[0] for seen in one[:ROUNDS]}) > 10
    for n_shards, uneven in DIVISIONS:
        for n_threads in (1, 2):
            assert trace(divide(data.n, n_shards, uneven), n_threads) == one


@pytest.mark.parametrize("weighted", [False, True])
def test_shards_without_positives(weighted: bool) -> None:
    data = Data().sorted_by_class()

    def trace(n_shards: int) -> list[Any]:
        sharded = Sharded(data, divide(data.n, n_shards))
        weights = sharded.in_order(data.weight) if weighted else None
        sharded.start([1.0, 1.0], weights)
        if n_shards > 1:
            assert sharded.parts[0].n_positive == 0
        if n_shards == 8:
            last = sharded.parts[-1]
            assert last.n_positive == last.n_rows
        return trace_stumps(sharded, adaboost)

    one = trace(1)
    assert trace(2) == trace(5) == trace(8) == one


@pytest.mark.parametrize("label", [0, 1])
def test_one_class_only(label: int) -> None:
    """With one class there is nothing to learn, and the constant has no errors."""
    data = Data(50)
    data.positive[:] = label
    for n_shards in (1, 5):
        sharded = Sharded(data, divide(data.n, n_shards))
        for weights in (None, sharded.in_order(data.weight)):
            sharded.start([1.0, 1.0], weights)
            split = sharded.rows.best_split(Criterion("vote"))
            assert split.value == 0
            assert sharded.rows.cell_weights(split).sum() == pytest.approx(1)
            assert sharded.rows.class_shares() == (label, 1 - label)


@pytest.mark.parametrize("seed", range(4))
def test_weights_of_stumps_agree_with_logarithms(seed: int) -> None:
    data = Data(150, seed)
    for weights in (np.ones(data.n), data.weight):
        sharded = Sharded(data, divide(data.n, 2))
        sharded.start([3.0, 0.5], sharded.in_order(weights))
        check_stumps(sharded, LogWeights(data, [3.0, 0.5], weights), adaboost)
    sharded.start([3.0, 0.5])
    check_stumps(sharded, LogWeights(data, [3.0, 0.5], np.ones(data.n)), adaboost)


def test_constant_moves_the_units_only() -> None:
    data = Data(60)
    sharded = Sharded(data, divide(data.n, 2))
    rows = sharded.rows
    sharded.start([1.0, 1.0])
    before, constant = sharded.weights(), kernels.Split(polarity=-1)
    rows.weights.multiply_sides(constant.measure(rows.histogram()), [5.0, 2.0, 7.0, 0.5])
    assert sharded.weights().tobytes() == before.tobytes()
    p, n = int(data.positive.sum()), int((1 - data.positive).sum())
    share = 2 * p / (2 * p + 0.5 * n)
    assert rows.class_shares() == (pytest.approx(share), pytest.approx(1 - share))


# ---- sums that leave the range -------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("size", [1e3, 1e10, 1e30])
def test_extreme_factors_do_not_depend_on_shards(size: float, seed: int) -> None:
    data = Data(200)

    def trace(n_shards: int) -> list[Any]:
        sharded = Sharded(data, divide(data.n, n_shards))
        sharded.start([1.0, 1.0])
        return trace_stumps(sharded, extreme(size, seed))

    one = trace(1)
    assert trace(2) == trace(5) == trace(8) == one


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("size", [1e3, 1e5, 1e10])
def test_extreme_factors_agree_with_logarithms(size: float, seed: int) -> None:
    """Weights are scaled anew again and again, yet nothing is lost."""
    data = Data(100, seed)
    sharded = Sharded(data, divide(data.n, 2))
    sharded.start([1.0, 1.0])
    check_stumps(sharded, LogWeights(data, [1.0, 1.0], np.ones(data.n)), extreme(size, seed))


@pytest.mark.parametrize("cell", range(4))
@pytest.mark.parametrize("size", [1e10, 1e-10, 1e19, 1e-19, 1e150, 1e-150, 1e300, 1e-300])
def test_one_extreme_factor(size: float, cell: int) -> None:
    """A factor of the smaller side, of the larger side, and its inverse."""
    data = Data(100)
    for f, k in ((0, 0), (0, 3), (7, 2), (7, 37)):
        left = np.arange(kernels.BINS) <= k
        split = kernels.Split(f, k, 1, False, left)
        sharded = Sharded(data, divide(data.n, 2))
        exact = LogWeights(data, [1.0, 1.0], np.ones(data.n))
        sharded.start([1.0, 1.0])
        factors = np.ones(4)
        for factor in (size, 1 / size, 1 / size, size):
            factors[cell] = factor
            split.measure(sharded.rows.histogram())
            stump = Stump(split, sharded.rows.cell_weights(split))
            goes_left = assert_cells(sharded, stump, exact)
            stump.reweigh(sharded.rows, factors)
            exact.multiply(factors[np.where(exact.positive, 0, 2) + ~goes_left])
            assert_exact(sharded)
        split.measure(sharded.rows.histogram())
        assert_cells(sharded, Stump(split, sharded.rows.cell_weights(split)), exact)


@pytest.mark.parametrize(
    "factors",
    [(1e30, 1.0, 1.0, 1.0), (1.0, 1e-30, 1.0, 1.0), (1e25, 1.0, 1.0, 1.0), (1.0, 1e-300, 1.0, 1.0)],
)
def test_rows_too_light_for_a_quantum_may_become_heavy(factors: tuple[float, ...]) -> None:
    """Their quanta are 0 at first; sums must not overflow when they become heavy."""
    data = Data(100)
    split = kernels.Split(0, 1, 1, False, np.arange(kernels.BINS) <= 1)
    weight = np.where((data.x[:, 0] <= 1) & (data.positive == 1), 1e-20, 1.0)
    sharded = Sharded(data, divide(data.n, 2))
    exact = LogWeights(data, [1.0, 1.0], weight)
    sharded.start([1.0, 1.0], sharded.in_order(weight))
    split.measure(sharded.rows.histogram())
    assert split.quanta[0] == 0
    sharded.rows.weights.multiply_sides(split, factors)
    exact.multiply(np.array(factors)[np.where(exact.positive, 0, 2) + (data.x[:, 0] > 1)])
    assert_exact(sharded)
    split.measure(sharded.rows.histogram())
    assert_cells(sharded, Stump(split, sharded.rows.cell_weights(split)), exact)


# ---- weights of any size -------------------------------------------------------------------------


@pytest.mark.parametrize("spread", [10, 100, 300])
def test_weights_of_any_size(spread: int) -> None:
    rng = np.random.default_rng(spread)
    data = Data(120)
    weight = 10.0 ** rng.uniform(-spread, spread, data.n)
    weight[:2] = 10.0**spread, 10.0**-spread

    def start(n_shards: int) -> Sharded:
        sharded = Sharded(data, divide(data.n, n_shards))
        sharded.start([1.0, 1.0], sharded.in_order(weight))
        assert_exact(sharded)
        return sharded

    one = trace_stumps(start(1), adaboost)
    assert trace_stumps(start(2), adaboost) == one
    assert trace_stumps(start(5), adaboost) == one
    assert trace_stumps(start(8), adaboost) == one
    sharded = start(1)
    split = sharded.rows.best_split(Criterion("vote"))
    exact = LogWeights(data, [1.0, 1.0], weight)
    assert_cells(sharded, Stump(split, sharded.rows.cell_weights(split)), exact)


@pytest.mark.parametrize("scale", [1e300, 1e150, 1e-150, 1e-280, 1e-290, 1e-300])
def test_scale_of_the_weights_does_not_matter(scale: float) -> None:
    data = Data(120)
    sharded = Sharded(data, divide(data.n, 2))
    power = 2.0 ** round(math.log2(scale))
    sharded.start([1.0, 1.0], sharded.in_order(data.weight))
    shares = sharded.rows.class_shares()
    expected = [seen[:2] for seen in trace_stumps(sharded, adaboost)[:ROUNDS]]
    sharded.start([1.0, 1.0], sharded.in_order(power * data.weight))
    assert sharded.rows.class_shares() == pytest.approx(shares)
    assert [seen[:2] for seen in trace_stumps(sharded, adaboost)[:ROUNDS]] == expected


@pytest.mark.parametrize("ratio", [1e10, 1e-10, 1e150, 1e-150, 1e300, 1e-300])
@pytest.mark.parametrize("weighted", [False, True])
def test_classes_of_any_ratio(ratio: float, weighted: bool) -> None:
    data = Data(120)
    sharded = Sharded(data, divide(data.n, 2))
    weight = data.weight if weighted else np.ones(data.n)
    for factors in ([ratio, 1.0], [1.0, ratio]):
        sharded.start(factors, sharded.in_order(weight) if weighted else None)
        exact = LogWeights(data, factors, weight)
        positive = exact.share(exact.positive)
        assert sharded.rows.class_shares() == (
            pytest.approx(positive, abs=1e-13),
            pytest.approx(1 - positive, abs=1e-13),
        )
        assert sharded.rows.weights.unit[0] > 0
        assert sharded.rows.weights.unit[1] > 0
        check_stumps(sharded, exact, adaboost)


def test_rows_of_weight_zero() -> None:
    """Whole classes of them, and some among others."""
    data = Data(80)
    data.weight[data.positive == 1] = 0.0
    sharded = Sharded(data, divide(data.n, 2))
    sharded.start([1.0, 1.0], sharded.in_order(data.weight))
    assert sharded.rows.class_shares() == (0.0, 1.0)
    assert_exact(sharded)
    data.weight[:] = np.arange(data.n) % 2
    sharded.start([1.0, 1.0], sharded.in_order(data.weight))
    share = data.weight[data.positive == 1].sum() / data.weight.sum()
    assert sharded.rows.class_shares() == (pytest.approx(share), pytest.approx(1 - share))
    assert_exact(sharded)


# ---- trees ---------------------------------------------------------------------------------------

LEARNERS = {
    "depth 3": (3, None, 1),
    "six leaves": (None, 6, 1),
    "large leaves": (None, None, 25),
    "whole": (None, None, 1),
}


def tree_learner(name: str) -> TreeLearner:
    return TreeLearner(None, *LEARNERS[name])  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["depth 3", "six leaves", "large leaves"])
@pytest.mark.parametrize("weighted", [False, True])
def test_trees_do_not_depend_on_shards(name: str, weighted: bool) -> None:
    data = Data(300).sorted_by_class() if weighted else Data(300)

    def trace(ends: list[int]) -> list[Any]:
        sharded = Sharded(data, ends)
        sharded.start([2.0, 1.0], sharded.in_order(data.weight) if weighted else None)
        return trace_trees(sharded, adaboost, tree_learner(name))

    one = trace(divide(data.n, 1))
    assert max(len(seen[0]) for seen in one[:ROUNDS]) > 3
    for n_shards, uneven in DIVISIONS:
        assert trace(divide(data.n, n_shards, uneven)) == one


@pytest.mark.parametrize("name", ["depth 3", "six leaves", "large leaves", "whole"])
def test_trees_of_a_regression_do_not_depend_on_shards(name: str) -> None:
    """One shard grows a tree at once and counts rows where it must, others grow step by step."""
    check_regression_trees(Data(300), name)


@pytest.mark.slow
@pytest.mark.parametrize("features", [[1, 3, 7], list(range(9))])
@pytest.mark.parametrize("name", ["six leaves", "large leaves"])
def test_regression_trees_of_many_rows_do_not_depend_on_shards(
    name: str, features: list[int]
) -> None:
    """Quanta of many rows have few bits; one shard sums response and weight in one word."""
    check_regression_trees(Data(9000).only(features), name)


def check_regression_trees(data: Data, name: str) -> None:
    def trace(ends: list[int]) -> list[Any]:
        sharded, seen = Sharded(data, ends), []
        rows, score = sharded.rows, np.zeros(data.n)
        start = joined(sharded.in_order(data.weight / data.weight.sum()))
        rows.response.set_likelihood(rows.label, start, 1.0, 2.0, 0.0)
        rows.response.linearise(False)
        for _ in range(10):
            direction = joined(sharded.in_order(score))
            rows.response.propose(direction, Trial(1.0, True, False))
            rows.set_targets()
            tree = tree_learner(name).find(rows, Criterion("squares"))
            score += 0.3 * sharded.gather(parts_of(rows.scores(tree)))
            splits = tree.grown.splits
            arrays = splits.feature, splits.left, tree.grown.left, tree.grown.gain, tree.value
            seen.append([array.tobytes() for array in arrays])
        return [*seen, score.tobytes()]

    one = trace(divide(data.n, 1))
    assert len(set(map(str, one))) == 11
    for n_shards, uneven in DIVISIONS:
        assert trace(divide(data.n, n_shards, uneven)) == one


def wrong_votes(sharded: Sharded, tree: Tree, exact: LogWeights) -> NDArray[np.bool_]:
    """Which rows the tree gets wrong; they have the exact weights."""
    votes = sharded.gather([tree.scores(shard) for shard in sharded.parts])
    wrong = (votes > 0) != exact.positive
    assert tree.weight.sum() == pytest.approx(1)
    assert error_of(tree) == pytest.approx(exact.share(wrong), rel=1e-9, abs=1e-12)
    rows = sharded.rows
    leaf_by_leaf = np.concatenate(parts_of(rows.scores(tree)))
    assert np.array_equal(leaf_by_leaf, np.concatenate([tree.scores(s) for s in sharded.parts]))
    return wrong


def check_trees(
    sharded: Sharded, exact: LogWeights, learner: TreeLearner, ratios: Iterator[float | None]
) -> None:
    """The rows that a tree gets wrong are multiplied by the ratio, None being AdaBoost's."""
    for ratio in ratios:
        assert_exact(sharded)
        tree = learner.find(sharded.rows, Criterion("vote"))
        wrong = wrong_votes(sharded, tree, exact)
        if ratio is None:
            factors = adaboost(0, tree)
            up, down = factors.max(), factors.min()
        else:
            up, down = ratio, 1.0
            factors = np.where(tree.outcome.margin > 0, down, up)
        tree.reweigh(sharded.rows, factors)
        exact.multiply(np.where(wrong, up, down))
        positive = exact.share(exact.positive)
        assert sharded.rows.class_shares()[0] == pytest.approx(positive, rel=1e-9, abs=1e-12)
    assert_exact(sharded)


@pytest.mark.parametrize("name", LEARNERS)
def test_weights_of_trees_agree_with_logarithms(name: str) -> None:
    data = Data(120)
    sharded = Sharded(data, divide(data.n, 2))
    sharded.start([2.0, 1.0], sharded.in_order(data.weight))
    exact = LogWeights(data, [2.0, 1.0], data.weight)
    check_trees(sharded, exact, tree_learner(name), iter([None] * 20))


@pytest.mark.parametrize("size", [1e3, 1e10, 1e-10, 1e150, 1e-150, 1e300, 1e-300])
def test_trees_with_extreme_factors(size: float) -> None:
    data = Data(120)
    sharded = Sharded(data, divide(data.n, 5))
    sharded.start([1.0, 1.0])
    exact = LogWeights(data, [1.0, 1.0], np.ones(data.n))
    check_trees(sharded, exact, tree_learner("depth 3"), iter([size, None]))


def test_sides_of_a_node_add_up() -> None:
    data = Data(200)
    sharded = Sharded(data, divide(data.n, 5))
    rows = sharded.rows
    sharded.start([1.0, 1.0], sharded.in_order(data.weight))
    rows.class_shares()
    node = rows.root(with_counts=True)
    split = rows.best_node_split(node, Criterion("exponential"), 2, place=0)
    histogram, counts = node.histogram.copy(), node.counts.copy()
    [(left, right)] = rows.divide([(node, split)])
    np.testing.assert_array_equal(left.histogram + right.histogram, histogram)
    np.testing.assert_array_equal(left.counts + right.counts, counts)
    assert (left.counts + right.counts)[:, 0].sum() == data.n
    cells = [*left.histogram[:, 0].sum(axis=1), *right.histogram[:, 0].sum(axis=1)]
    assert split.quanta == (cells[0], cells[2], cells[1], cells[3])
    assert sum(rows.shares(split)) == pytest.approx(1)
