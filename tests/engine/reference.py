"""Slow transcriptions of all kernels, as the reference for the fast ones.

The signatures are those of the binding, but nothing here is tiled, incremental or threaded: bins
lie in a table of rows and features, sums are Python integers, and histograms are always built anew
from the weights. ``n_threads`` is accepted and ignored.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

BINS = 256
MISSING = 255
TIE = 1e-12
LEAST_WRONG = 1e-10
VOTE, LEAF_ERROR, EXPONENTIAL, SQUARED, COST_EXPONENTIAL, SQUARES, JOINT, ENTROPY = range(8)
VOTES = (VOTE, JOINT)
INFINITY = math.inf

# ---- sampling ------------------------------------------------------------------------------------


def sample_rows(first: int, n: int, n_total: int, wanted: int) -> NDArray[np.int64]:
    """Rows whose hash falls into the requested share of all hashes."""
    keep = wanted / n_total
    limit = 2**64 - 1 if keep >= 1 else int(keep * 2.0**64)
    return np.array([i for i in range(n) if _hash(first + i) <= limit], dtype=np.int64)


def _hash(number: int) -> int:
    """The finaliser of splitmix64 (Steele, Lea & Flood 2014), after one step of its counter."""
    z = (number + 0x9E3779B97F4A7C15) % 2**64
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) % 2**64
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) % 2**64
    return z ^ (z >> 31)


# ---- cuts ----------------------------------------------------------------------------------------


def hash_of(key: int, number: int) -> int:
    """The random number of 64 bits that belongs to a key and a number."""
    return _hash(key + number * 0x9E3779B97F4A7C15)


def find_cuts(
    x: NDArray[Any], rows: NDArray[np.int64] | None, max_bins: int, n_threads: int = 1
) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    """Cuts of every column (n_columns x 255, unused ones +inf) and their numbers."""
    cuts = np.full((x.shape[1], BINS - 1), INFINITY)
    n_cuts = np.zeros(x.shape[1], dtype=np.int32)
    for j in range(x.shape[1]):
        column = [float(v) + 0.0 for v in x[:, j]]
        sample = column if rows is None else [column[int(i)] for i in rows]
        if sample:
            found = _cuts_of_column(column, sample, max_bins)
            cuts[j, : len(found)] = found
            n_cuts[j] = len(found)
    return cuts, n_cuts


def _cuts_of_column(column: list[float], sample: list[float], max_bins: int) -> list[float]:
    present = [v for v in column if not math.isnan(v)]
    if len(set(present)) <= max_bins:
        looked_at = present
    else:
        looked_at = [v for v in sample if not math.isnan(v)]
    cuts = _cuts_of_values(looked_at, max_bins)
    if not cuts and looked_at and len(present) < len(column):
        return [INFINITY]  # one present value: it can only be separated from the missing ones
    return cuts


def _cuts_of_values(values: list[float], max_bins: int) -> list[float]:
    """Where the bins of these values end.

    At most ``max_bins`` distinct values: one bin each. Else a value with at least an even share of
    the rows is heavy and ends a bin. The light values between two heavy ones fill bins with an even
    share of the light rows, and what is left of them, if it is at most half such a share, joins the
    next heavy value.
    """
    count = Counter(values)
    distinct = sorted(count)
    if len(distinct) <= max_bins:
        return [midpoint(low, high) for low, high in pairwise(distinct)]
    heavy = {v for v in distinct if count[v] >= _ceil(len(values), max_bins)}
    light_rows = sum(count[v] for v in distinct if v not in heavy)
    light_bins = max_bins - len(heavy)
    last_of_bin = []
    for light, heavy_value in _stretches(distinct, heavy):
        waiting = deque(light)
        while waiting and light_bins > 1:
            share = _ceil(light_rows, light_bins)
            if sum(count[v] for v in waiting) <= share // 2:
                break
            taken = 0
            while waiting and taken < share:
                last = waiting.popleft()
                taken += count[last]
            last_of_bin.append(last)
            light_rows -= taken
            light_bins -= 1
        if heavy_value is not None:
            last_of_bin.append(heavy_value)
    after = dict(pairwise(distinct))
    cuts = [midpoint(v, after[v]) for v in last_of_bin if v in after]
    return cuts or [midpoint(distinct[-2], distinct[-1])]  # nothing cut: the last one is heavy


def _stretches(
    distinct: list[float], heavy: set[float]
) -> Iterator[tuple[list[float], float | None]]:
    """Runs of light values, each with the heavy value that ends it (None at the end)."""
    light: list[float] = []
    for v in distinct:
        if v in heavy:
            yield light, v
            light = []
        else:
            light.append(v)
    yield light, None


def _ceil(a: int, b: int) -> int:
    return -(-a // b)


def midpoint(low: float, high: float) -> float:
    """A cut with low <= cut < high, in the middle where that can be represented."""
    cut = low + (high - low) / 2
    if math.isinf(cut):
        cut = low / 2 + high / 2
    return cut if low <= cut < high else low


# ---- splits --------------------------------------------------------------------------------------


@dataclass
class Split:
    """Which bins go left, and the quanta of positives left, right, negatives left, right."""

    feature: int = -1
    bin: int = 0
    polarity: int = 1
    missing_left: bool = False
    left: NDArray[Any] = field(default_factory=lambda: np.zeros(BINS, dtype=np.uint8))
    value: float = INFINITY
    quanta: tuple[int, int, int, int] = (0, 0, 0, 0)


@dataclass
class _Problem:
    """One search: integer sums, and the value of a quantum of each class."""

    histogram: list[list[list[int]]]
    share: tuple[float, float]
    n_bins: Sequence[int]
    categorical: Sequence[int]
    counts: list[list[list[int]]] | None
    min_samples_leaf: int
    criterion: int
    smoothing: float
    cost: tuple[float, float] = (1.0, 1.0)
    cut_key: int | None = None
    """Key of the random numbers by which a position is drawn for each feature; None for all."""

    def total(self, z: int) -> int:
        return sum(self.histogram[z][0])

    def weight(self, positives: int, negatives: int) -> float:
        if self.criterion == SQUARES:  # the sums are response and weight
            return self.share[1] * negatives
        return self.share[0] * positives + self.share[1] * negatives

    def rows(self, f: int, bins: Sequence[int]) -> int:
        assert self.counts is not None
        return sum(self.counts[z][f][b] for z in (0, 1) for b in bins)

    def quanta(self, f: int, bins: Sequence[int]) -> tuple[int, int]:
        positives, negatives = (sum(self.histogram[z][f][b] for b in bins) for z in (0, 1))
        return positives, negatives

    def order(self, f: int) -> list[int]:
        """The bins in the order in which they may be split.

        Categories that weigh nothing take no part; the others go by their share of positives, or by
        their mean response.
        """
        bins = list(range(self.n_bins[f]))
        if not self.categorical[f]:
            return bins

        def weights(b: int) -> tuple[float, float]:
            return (
                self.share[0] * self.histogram[0][f][b],
                self.share[1] * self.histogram[1][f][b],
            )

        def whole(b: int) -> float:
            return weights(b)[1] if self.criterion == SQUARES else sum(weights(b))

        return sorted((b for b in bins if whole(b) > 0), key=lambda b: weights(b)[0] / whole(b))


def search(
    histogram: NDArray[np.int64],
    unit_positive: float,
    unit_negative: float,
    n_bins: NDArray[np.int32],
    categorical: NDArray[np.uint8],
    counts: NDArray[np.int64] | None,
    min_samples_leaf: int,
    criterion: int,
    smoothing: float,
    relative: bool,
    n_threads: int = 1,
    cost_positive: float = 1.0,
    cost_negative: float = 1.0,
    draw: tuple[int, int, bool] | None = None,
) -> Split:
    """Every candidate in order; the first of those within 1e-12 of the least criterion."""
    problem = _Problem(
        histogram.tolist(),
        (unit_positive, unit_negative),
        n_bins.tolist(),
        categorical.tolist(),
        None if counts is None else counts.tolist(),
        min_samples_leaf,
        criterion,
        smoothing,
        (cost_positive, cost_negative),
        None if draw is None else hash_of(draw[0], histogram.shape[1]),
    )
    if relative:
        everything = problem.weight(problem.total(0), problem.total(1))
        problem.share = (
            (unit_positive / everything, unit_negative / everything) if everything > 0 else (0, 0)
        )
    candidates = [c for f in range(histogram.shape[1]) for c in _candidates(problem, f)]
    if criterion in VOTES:
        candidates += [_constant(problem, 1), _constant(problem, -1)]
    least = min((c.value for c in candidates), default=INFINITY)
    return next((c for c in candidates if c.value <= least + TIE), Split())


def _constant(problem: _Problem, polarity: int) -> Split:
    """A constant vote ``polarity``, with all rows on the right."""
    quanta = (0, problem.total(0), 0, problem.total(1))
    return Split(polarity=polarity, quanta=quanta, value=_criterion(problem, quanta, polarity))


def _candidates(problem: _Problem, f: int) -> Iterator[Split]:
    order = problem.order(f)
    for k in _positions(problem, f, order):
        for polarity in (1, -1) if problem.criterion in VOTES else (1,):
            split = _candidate(problem, f, order, k, polarity)
            if split is not None:
                yield split


def _positions(problem: _Problem, f: int, order: list[int]) -> Sequence[int]:
    """All positions, or one of those with weight on both sides, by the hash of the feature."""
    if problem.cut_key is None:
        return range(len(order) - 1)

    def weighs(b: int) -> bool:
        return problem.histogram[1][f][b] > 0 or (
            problem.criterion != SQUARES and problem.histogram[0][f][b] > 0
        )

    full = [k for k, b in enumerate(order) if weighs(b)]
    if len(full) < 2:
        return []
    return [full[0] + hash_of(problem.cut_key, f) % (full[-1] - full[0])]


def _candidate(problem: _Problem, f: int, order: list[int], k: int, polarity: int) -> Split | None:
    """The split of the bins order[: k + 1] from the rest, missing values on the better side."""
    lefts, rights = order[: k + 1], order[k + 1 :]
    missing_weighs = any(problem.quanta(f, [MISSING]))
    weight_left = problem.weight(*problem.quanta(f, lefts))
    heavier_left = problem.weight(*problem.quanta(f, rights)) <= weight_left + TIE
    # Missing rows may join the left only if rows with a value remain on the right.
    sides = [False, True] if any(problem.quanta(f, rights)) else [False]
    if not missing_weighs:
        sides = [heavier_left and True in sides]
    value = {}
    for missing_left in sides:
        on_left = [*lefts, MISSING] if missing_left else lefts
        on_right = rights if missing_left else [*rights, MISSING]
        if problem.counts is not None and problem.min_samples_leaf > min(
            problem.rows(f, on_left), problem.rows(f, on_right)
        ):
            continue
        value[missing_left] = _criterion(problem, _cells(problem, f, on_left), polarity)
    if not value:
        return None
    missing_left = min(value, key=lambda side: value[side])
    if len(value) == 2 and abs(value[True] - value[False]) <= TIE:
        missing_left = heavier_left
    left = np.zeros(BINS, dtype=np.uint8)
    if problem.categorical[f]:
        left[:] = heavier_left  # categories without rows
        left[rights] = False
    left[lefts] = True
    left[MISSING] = missing_left
    on_left = [*lefts, MISSING] if missing_left else lefts
    return Split(
        f, k, polarity, missing_left, left, min(value.values()), _cells(problem, f, on_left)
    )


def _cells(problem: _Problem, f: int, on_left: list[int]) -> tuple[int, int, int, int]:
    p, q = problem.quanta(f, on_left)
    return p, problem.total(0) - p, q, problem.total(1) - q


def _criterion(problem: _Problem, quanta: tuple[int, int, int, int], polarity: int) -> float:
    positive_left, positive_right, negative_left, negative_right = quanta
    p, q = problem.share
    if problem.criterion in VOTES:
        wrong = positive_left, negative_right
        if polarity == -1:
            wrong = positive_right, negative_left
        if problem.criterion == VOTE:
            return problem.weight(*wrong)
        total = p * (positive_left + positive_right), q * (negative_left + negative_right)
        return joint_loss(total, (p * wrong[0], q * wrong[1]), problem.cost)
    sides = ((positive_left, negative_left), (positive_right, negative_right))
    options = (problem.criterion, problem.smoothing, *problem.cost)
    return sum(leaf_loss(*options, p * a, q * b) for a, b in sides)


def leaf_loss(
    criterion: int,
    smoothing: float,
    cost_positive: float,
    cost_negative: float,
    p: float,
    q: float,
) -> float:
    """Contribution of a leaf with the shares p and q to the criterion, at its best value g."""
    if criterion == LEAF_ERROR:
        return _leaf_error(p, q)
    if criterion == EXPONENTIAL:
        return _leaf_loss(smoothing)(p, q)
    if criterion == SQUARED:  # g: the mean label
        g = (p - q) / (p + q) if p + q > 0 else 0.0
        return p * (1 - g) ** 2 + q * (1 + g) ** 2
    if criterion == SQUARES:  # g: the mean response; without the squares all candidates share
        g = p / (q + smoothing) if q > 0 else 0.0
        return (q + smoothing) * g**2 - 2 * p * g
    if criterion == ENTROPY:
        return sum(z * math.log2((p + q) / z) for z in (p, q) if z > 0)
    odds = (p + smoothing) * cost_positive / ((q + smoothing) * cost_negative)
    g = math.log(odds) / (cost_positive + cost_negative)
    return p * math.exp(-cost_positive * g) + q * math.exp(cost_negative * g)


def _leaf_error(p: float, q: float) -> float:
    return min(p, q)


def _leaf_loss(smoothing: float) -> Callable[[float, float], float]:
    """p e^-g + q e^g at the leaf value g = log((p + smoothing) / (q + smoothing)) / 2."""

    def loss(p: float, q: float) -> float:
        if smoothing == 0:
            return 2 * math.sqrt(p * q)
        odds = math.sqrt((p + smoothing) / (q + smoothing))
        return p / odds + q * odds

    return loss


def joint_loss(
    total: tuple[float, float], wrong: tuple[float, float], cost: tuple[float, float]
) -> float:
    """sum w exp(-c y alpha h) of a vote at its best step alpha >= 0.

    A class without mistakes is taken to have LEAST_WRONG of them, so that there is a best step.
    """
    cells = []  # weight, rate at which the loss grows with the step in units of 1 / greatest cost
    for t, m, c in zip(total, wrong, cost, strict=True):
        m = max(m, LEAST_WRONG * t)
        cells += [(m, c / max(cost)), (t - m, -c / max(cost))]
    cells = [(w, r) for w, r in cells if w > 0]

    def steepness(x: float) -> float:
        """log of what rises over what falls; grows with x."""
        rising, falling = (
            _log_sum([math.log(w) + math.log(abs(r)) + r * x for w, r in cells if r * sign > 0])
            for sign in (1, -1)
        )
        return rising - falling

    if not any(r < 0 for _, r in cells) or steepness(0.0) >= 0:
        return sum(total)
    high = 1.0
    while steepness(high) < 0:
        high *= 2
    step = brentq(steepness, 0.0, high, xtol=1e-300, rtol=1e-14, maxiter=1000)
    return sum(math.exp(math.log(w) + r * step) for w, r in cells)


def _log_sum(logs: list[float]) -> float:
    most = max(logs)
    return most + math.log(sum(math.exp(v - most) for v in logs))


def table_losses(
    histogram: NDArray[np.int64],
    unit_positive: float,
    unit_negative: float,
    n_bins: NDArray[np.int32],
    criterion: int,
    smoothing: float,
    cost_positive: float,
    cost_negative: float,
) -> NDArray[np.float64]:
    """Criterion of every feature if each of its bins, including the missing one, is a leaf."""
    options = (criterion, smoothing, cost_positive, cost_negative)
    return np.array([
        sum(
            leaf_loss(*options, unit_positive * p, unit_negative * q)
            for p, q in histogram[:, f, [*range(n_bins[f]), MISSING]].T.tolist()
        )
        for f in range(histogram.shape[1])
    ])  # fmt: skip


# ---- rows ----------------------------------------------------------------------------------------


class BinnedRows:
    """Bins of rows and features, positives first, and a weight a row."""

    def __init__(self, n_rows: int, n_positive: int, n_features: int, n_threads: int = 1) -> None:
        self.n_rows, self.n_positive, self.n_features = n_rows, n_positive, n_features
        self.bins = np.zeros((n_rows, n_features), dtype=np.uint8)
        self.weight = np.zeros(n_rows)
        self.histogram = np.zeros((2, n_features, BINS), dtype=np.int64)

    def prepare(self) -> None:
        """Does nothing: there is nothing to allocate."""

    def class_rows(self, z: int) -> range:
        return range(self.n_positive) if z == 0 else range(self.n_positive, self.n_rows)

    def fill(
        self,
        x: NDArray[Any],
        cuts: NDArray[np.float64],
        n_cuts: NDArray[np.int32],
        categorical: NDArray[np.uint8],
        positive: NDArray[np.uint8],
        first_feature: int = 0,
    ) -> None:
        place = [i for i in range(self.n_rows) if positive[i]]
        place += [i for i in range(self.n_rows) if not positive[i]]
        for j in range(x.shape[1]):
            known = cuts[j, : n_cuts[j]].tolist()
            for i, row in enumerate(place):
                self.bins[i, first_feature + j] = (
                    _code(float(x[row, j]), int(n_cuts[j]))
                    if categorical[j]
                    else _bin(float(x[row, j]), known)
                )

    def column(self, feature: int) -> NDArray[np.uint8]:
        return self.bins[:, feature]

    def count(self) -> NDArray[np.int64]:
        return self._sums([1] * self.n_rows, self.class_rows(0), self.class_rows(1))

    def build(self, positives: bool = True, negatives: bool = True) -> None:
        anew = self._sums(self._quanta(), self.class_rows(0), self.class_rows(1))
        for z, wanted in enumerate((positives, negatives)):
            if wanted:
                self.histogram[z] = anew[z]

    def build_responses(
        self,
        response: NDArray[np.float64],
        weight: NDArray[np.float64],
        rows: NDArray[np.uint32] | None,
        bounds: Sequence[int] | None,
        histogram: NDArray[np.int64],
        n_threads: int = 1,
    ) -> None:
        listed = list(range(self.n_rows))
        if rows is not None and bounds is not None:
            a, b, c, d = bounds
            listed = [*rows[a:b].tolist(), *rows[c:d].tolist()]
        histogram[:] = 0
        for i in listed:
            for f in range(self.n_features):
                histogram[0, f, self.bins[i, f]] += round(response[i])
                histogram[1, f, self.bins[i, f]] += round(weight[i])

    def build_node(
        self,
        rows: NDArray[np.uint32],
        bounds: Sequence[int],
        histogram: NDArray[np.int64],
        counting: bool,
        n_threads: int = 1,
    ) -> None:
        a, b, c, d = bounds
        amount = [1] * self.n_rows if counting else self._quanta()
        histogram[:] = self._sums(amount, rows[a:b].tolist(), rows[c:d].tolist())

    def reweigh_side(
        self,
        split: Any,
        ratios: Sequence[float],
        moves_left: Sequence[bool],
        which: Sequence[bool],
    ) -> None:
        left = self._goes_left(split)
        for z in (0, 1):
            for i in self.class_rows(z):
                if which[z] and left[i] == moves_left[z]:
                    self.weight[i] *= ratios[z]
        self.build(*which)

    def reweigh_all(self, split: Any, factors: Sequence[float], which: Sequence[bool]) -> None:
        left = self._goes_left(split)
        for z in (0, 1):
            for i in self.class_rows(z):
                if which[z]:
                    self.weight[i] *= factors[2 * z] if left[i] else factors[2 * z + 1]

    def reweigh_rows(self, rows: NDArray[np.uint32], begin: int, end: int, factor: float) -> None:
        for row in rows[begin:end]:
            self.weight[row] *= factor

    def partition(
        self,
        split: Any,
        begin: int,
        end: int,
        rows: NDArray[np.uint32],
        spare: NDArray[np.uint32],
    ) -> int:
        left = self._goes_left(split)
        part = rows[begin:end].tolist()
        lefts = [row for row in part if left[row]]
        rows[begin:end] = lefts + [row for row in part if not left[row]]
        return begin + len(lefts)

    def leaves(
        self,
        feature: NDArray[np.int32],
        child: NDArray[np.int32],
        left: NDArray[np.uint8],
    ) -> NDArray[np.int32]:
        leaf = []
        for i in range(self.n_rows):
            node = 0
            while node >= 0:
                goes_left = left[node, self.bins[i, feature[node]]]
                node = int(child[2 * node] if goes_left else child[2 * node + 1])
            leaf.append(~node)
        return np.array(leaf, dtype=np.int32)

    def sum_staged(
        self,
        feature: NDArray[np.int32],
        left: NDArray[np.uint8],
        value: NDArray[np.float64],
        limit: NDArray[np.float64],
        row_limit: NDArray[np.float64] | None,
        amount: NDArray[np.int64] | None,
    ) -> NDArray[np.int64]:
        above = np.zeros((len(feature), 2), dtype=np.int64)
        for z in (0, 1):
            for i in self.class_rows(z):
                score = 0.0
                for t, f in enumerate(feature.tolist()):
                    score += value[t, 0] if left[t, self.bins[i, max(f, 0)]] else value[t, 1]
                    if score > limit[t] * (1.0 if row_limit is None else row_limit[i]):
                        above[t, z] += 1 if amount is None else amount[i]
        return above

    def _goes_left(self, split: Any) -> NDArray[np.bool_]:
        """The feature of a split; any will do for a constant, which sends all rows right."""
        return split.left.astype(bool)[self.bins[:, max(split.feature, 0)]]

    def _quanta(self) -> list[int]:
        return [round(w) for w in self.weight.tolist()]

    def _sums(
        self, amount: list[int], positives: Sequence[int], negatives: Sequence[int]
    ) -> NDArray[np.int64]:
        sums = [[[0] * BINS for _ in range(self.n_features)] for _ in (0, 1)]
        bins = self.bins.tolist()
        for z, rows in enumerate((positives, negatives)):
            for i in rows:
                for f in range(self.n_features):
                    sums[z][f][bins[i][f]] += amount[i]
        return np.array(sums, dtype=np.int64)


def _bin(v: float, cuts: list[float]) -> int:
    return MISSING if math.isnan(v) else bisect_left(cuts, v)  # cuts below v


def _code(v: float, last: int) -> int:
    """Bin of a category code; unknown categories are missing."""
    return int(v) if 0 <= v <= last else MISSING


# ---- prediction ----------------------------------------------------------------------------------


def predict(
    x: NDArray[Any],
    ensemble: Any,
    first_tree: int,
    last_tree: int,
    score: NDArray[np.float64],
) -> None:
    """Add the trees first_tree, ..., last_tree - 1 to the scores, one after the other."""
    for i in range(x.shape[0]):
        for t in range(first_tree, last_tree):
            node = int(ensemble.first[t])
            while ensemble.feature[node] >= 0:
                v = float(x[i, ensemble.feature[node]])
                node = int(ensemble.left[node]) + (not _node_sends_left(ensemble, node, v))
            score[i] += ensemble.value[node]


def _node_sends_left(ensemble: Any, node: int, v: float) -> bool:
    if math.isnan(v):
        return bool(ensemble.missing_left[node])
    if ensemble.category_set[node] < 0:
        return bool(v <= ensemble.threshold[node])
    if 0 <= v < MISSING:
        return bool(ensemble.categories[ensemble.category_set[node], int(v)])
    return bool(ensemble.missing_left[node])
