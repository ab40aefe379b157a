"""Sums of trees on bins, the grid of leaf values, and the sigmoid of scores: the bits of NumPy."""

from __future__ import annotations

from collections.abc import Callable
from math import frexp, ldexp
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from costboost._core.arithmetic import exp, expit, log, log1p
from costboost._core.engine import _kernels as kernels
from costboost._core.engine.binning import BinnedData, Binning
from costboost._core.tables import read_training
from costboost._core.training.sigmoid_likelihood import Line, best_line
from costboost.algorithms import LogitBoostClassifier

# ---- the grid ------------------------------------------------------------------------------------


def rounded(value: Any, first: Any) -> Any:
    """Leaf values on the grid, by functions of NumPy."""
    exponent = None
    while True:
        reach = float(np.maximum.reduceat(np.abs(value), first[:-1]).sum())
        if reach == 0 or frexp(reach)[1] == exponent:
            return value
        exponent = frexp(reach)[1]
        quantum = ldexp(1.0, exponent + 2 - 52)
        value = np.rint(value / quantum) * quantum


@settings(deadline=None, derandomize=True, max_examples=60)
@given(st.integers(0, 10**6), st.integers(1, 700), st.integers(-40, 40))
def test_the_grid_is_that_of_numpy(seed: int, n_trees: int, size: int) -> None:
    random = np.random.default_rng(seed)
    first = np.concatenate([[0], np.cumsum(random.integers(1, 6, n_trees))]).astype(np.int32)
    value = np.ldexp(random.normal(size=int(first[-1])), size)
    value[random.random(value.size) < 0.1] = 0.0
    assert_array_equal(kernels.round_to_grid(value, first), rounded(value, first))


def test_the_grid_of_nothing() -> None:
    assert kernels.round_to_grid(np.empty(0), np.zeros(1, np.int32)).size == 0
    assert_array_equal(kernels.round_to_grid(np.zeros(3), np.array([0, 3], np.int32)), np.zeros(3))
    top = np.array([1.0 - 2.0**-53, 2.0**-53])  # rounding lifts the reach to the next power of two
    first = np.array([0, 1, 2], dtype=np.int32)
    assert_array_equal(kernels.round_to_grid(top, first), rounded(top, first))


# ---- sums of trees -------------------------------------------------------------------------------


def table_and_classes(n: int, seed: int = 0) -> tuple[Any, Any]:
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, 5)).round(1)
    X[:, 1] = random.integers(0, 12, n)
    X[random.random(n) < 0.2, 2] = np.nan
    X[random.random(n) < 0.1, 1] = np.nan
    y = (X[:, 0] + (X[:, 1] % 3 == 1) + np.isnan(X[:, 2]) + random.normal(size=n) > 0.8).astype(int)
    return X, y


def trees_on_bins(ensemble: Any, binning: Binning) -> list[Any]:
    """The trees of an ensemble with their tests as splits of bins; stumps as single splits."""
    found: list[Any] = []
    for nodes in ensemble.rounds():
        splits = [binning.split(node) for node in nodes if node.left >= 0]
        values = np.array([node.value for node in nodes if node.left < 0])
        if len(nodes) == 3:
            found.append((None, splits[0], values))
        else:
            left = np.array([node.left for node in nodes], dtype=np.int32)
            found.append((left, kernels.Splits(splits), values))
    return found


LEARNERS: list[dict[str, Any]] = [
    {"estimator": "stump"},
    {"estimator": "tree", "max_leaf_nodes": 9},
    {"estimator": "tree", "splitter": "random", "max_features": 0.5},
    {"estimator": "tree", "max_depth": None, "max_leaf_nodes": None, "min_samples_leaf": 1},
]


@pytest.mark.parametrize("learner", LEARNERS, ids=str)
@pytest.mark.parametrize("n_threads", [1, 3])
def test_sums_on_bins_are_the_scores_of_the_ensemble(learner: Any, n_threads: int) -> None:
    X, y = table_and_classes(3000)
    given: dict[str, Any] = {"n_estimators": 12, "random_state": 0, "categorical_features": [1]}
    clf = LogitBoostClassifier(**given, **learner).fit(X, y)
    table, _ = read_training("LogitBoostClassifier", X)
    binning = Binning(table, 255, [1], 1)
    data = BinnedData(table, binning, y.astype(np.uint8), 1)
    numbers = np.random.default_rng(1).permutation(3000)[:2600]
    rows = data.take(numbers, np.zeros(2600, dtype=np.uint8), n_threads)
    trees = trees_on_bins(clf.ensemble_, binning)
    stages = list(clf.staged_raw_score(X[numbers]))
    ends = [0, 1, 5, 5, clf.n_iter_]
    sums = kernels.staged_sums(rows, binning.categorical, trees, [1.0] * len(trees), ends)
    assert_array_equal(sums[0], 0.0)
    for end, score in zip(ends[1:], sums[1:], strict=True):
        assert_array_equal(score, stages[end - 1])
    doubled = kernels.staged_sums(rows, binning.categorical, trees, [2.0] * len(trees), ends[-1:])
    assert_array_equal(doubled[0], 2 * stages[-1])


def test_trees_without_a_test_add_a_constant() -> None:
    X, y = table_and_classes(10)
    table, _ = read_training("", X)
    binning = Binning(table, 255, None, 1)
    rows = BinnedData(table, binning, y.astype(np.uint8), 1).binned
    leaf: Any = np.array([-1], dtype=np.int32), kernels.Splits(), np.array([0.25])
    constant: Any = None, kernels.Split(), np.array([7.0, 0.5])
    sums = kernels.staged_sums(rows, binning.categorical, [leaf, constant], [1.0, -1.0], [1, 2])
    assert_array_equal(sums, [[0.25] * 10, [-0.25] * 10])


def no_sums(change: Callable[[list[Any]], Any]) -> Callable[[], Any]:
    X, y = table_and_classes(10)
    table, _ = read_training("", X)
    rows = BinnedData(table, Binning(table, 8, None, 1), y.astype(np.uint8), 1).binned
    split = kernels.Split(0, 0, 1, False, np.arange(256) == 0)
    left = np.array([1, -1, -1], dtype=np.int32)
    tree = left, kernels.Splits([split]), np.ones(2)
    given: list[Any] = [rows, np.zeros(5, dtype=np.uint8), [tree], [1.0], [1]]
    change(given)
    return lambda: kernels.staged_sums(*given)


FAR = kernels.Split(5, 0, 1, False, np.arange(256) == 0)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda given: given.__setitem__(1, np.zeros(4, dtype=np.uint8)), "categorical"),
        (lambda given: given.__setitem__(4, [2]), "rows 0 to 2"),
        (lambda given: given.__setitem__(4, [1, 0]), "rows 1 to 0"),
        (lambda given: given.__setitem__(3, []), "shorter"),
        (lambda given: given.__setitem__(2, [(None, FAR, np.ones(2))]), "feature 5"),
        (lambda given: given.__setitem__(2, [(None, FAR, np.ones(3))]), "values of a stump"),
        (
            lambda given: given.__setitem__(2, [(given[2][0][0], given[2][0][1], np.ones(3))]),
            "values and splits of a tree",
        ),
        (
            lambda given: given.__setitem__(
                2, [(np.array([0, -1, -1], np.int32), given[2][0][1], np.ones(2))]
            ),
            "children of a node",
        ),
        (
            lambda given: given.__setitem__(
                2, [(np.array([2, -1, -1], np.int32), given[2][0][1], np.ones(2))]
            ),
            "children of a node",
        ),
        (
            lambda given: given.__setitem__(
                2, [(np.array([-1, -1, -1], np.int32), given[2][0][1], np.ones(2))]
            ),
            "more leaves",
        ),
        (
            lambda given: given.__setitem__(
                2, [(np.array([1, 1, -1], np.int32), given[2][0][1], np.ones(2))]
            ),
            "more tests",
        ),
    ],
)
def test_trees_that_do_not_fit_are_refused(change: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        no_sums(change)()


# ---- the sigmoid of scores -----------------------------------------------------------------------


def by_numpy(score: Any, positive: Any, counts: Any, start: Line | None, settled: float) -> Line:
    """`best_line` by functions of NumPy."""
    share = counts / counts.sum()
    of_class = np.where(positive, counts[positive].sum(), counts[~positive].sum())
    slack_of_targets = np.maximum(0.25 / (of_class + 2 * 0.25), 1e-30)
    target = np.where(positive, 1 - slack_of_targets, slack_of_targets)

    def line(slope: float, offset: float) -> Line:
        logit = slope * score + offset
        losses = log1p(exp(-np.abs(logit))) + np.maximum(logit, 0) - target * logit
        return Line(slope, offset, float((share * losses).sum()))

    prior = float((share * target).sum())
    best = line(0.0, float(log(prior / (1 - prior))))
    if start is not None:
        best = min(best, line(start.slope, start.offset), key=lambda one: one.loss)
    for _ in range(30):
        q = expit(best.slope * score + best.offset)
        slack, weight = share * (target - q), share * q * (1 - q)
        moved = weight * score
        a, b, c = float((moved * score).sum()), float(moved.sum()), float(weight.sum())
        g, h = float((slack * score).sum()), float(slack.sum())
        determinant = a * c - b * b
        if not determinant > 1e-12 * a * c:
            break
        size, before = 1.0, best
        for _ in range(10):
            slope = before.slope + size * (c * g - b * h) / determinant
            found = line(slope, before.offset + size * (a * h - b * g) / determinant)
            if found.loss <= best.loss * (1 + 1e-14):
                best = found
                break
            size /= 2
        if before.loss - best.loss <= settled * best.loss:
            break
    return best


@settings(deadline=None, derandomize=True, max_examples=80)
@given(st.integers(0, 10**6), st.integers(2, 2000), st.floats(-3, 3), st.floats(0.01, 100))
def test_the_line_has_the_bits_of_numpy(seed: int, n: int, a: float, size: float) -> None:
    random = np.random.default_rng(seed)
    score, counts = size * random.normal(size=n), random.uniform(0.5, 2, n)
    y = random.random(n) < 1 / (1 + np.exp(-a * score / size))
    y[:2] = True, False
    start = Line(random.normal() / size, random.normal(), 0.0)
    for known, settled in ((None, 1e-6), (start, 1e-6), (None, 0.0)):
        found = best_line(score, y, counts, known, settled)
        assert found == by_numpy(score, y, counts, known, settled)
    margin = np.where(y, 1.0, -1.0) * (found.slope * score + found.offset)
    losses = log1p(exp(-np.abs(margin))) + np.maximum(-margin, 0)
    assert_array_equal(found.losses(score, y), losses)
    assert_array_equal(found.losses(score, y.astype(np.uint8)), losses)


# ---- logistic regression on several scores -------------------------------------------------------


@settings(deadline=None, derandomize=True, max_examples=60)
@given(st.integers(0, 10**6), st.integers(1, 1500), st.integers(1, 3), st.floats(0.01, 300))
def test_pieces_of_a_regression_have_the_bits_of_numpy(
    seed: int, n: int, m: int, size: float
) -> None:
    random = np.random.default_rng(seed)
    logit, share = size * random.normal(size=n), random.random(n) / n
    sign, slack = np.where(random.random(n) < 0.5, 1.0, -1.0), random.random(n) * 0.1
    loss, gradient, curvature = kernels.logistic_point(logit, sign, share, slack)
    margin = sign * logit
    tail = exp(-np.abs(margin))
    wrong = np.where(margin > 0, tail, 1.0) / (1 + tail)
    terms = log1p(tail) + np.maximum(-margin, 0.0) + slack * margin
    assert loss == (share * terms).sum()
    assert_array_equal(gradient, share * sign * (wrong - slack))
    assert_array_equal(curvature, share * tail / (1 + tail) ** 2)

    z = random.normal(size=(n, m))
    total, total_gradient, mean, slope, hessian = kernels.newton_sums(z, gradient, curvature)
    assert (total, total_gradient) == (curvature.sum(), gradient.sum())
    assert_array_equal(mean, [(curvature * column).sum() / total for column in z.T])
    centred = z - mean
    assert_array_equal(slope, [(gradient * column).sum() for column in centred.T])
    products = [[((curvature * a) * b).sum() for b in centred.T] for a in centred.T]
    assert_array_equal(hessian, products)


def test_logarithms_up_to_one_have_the_bits_of_all() -> None:
    random = np.random.default_rng(0)
    logit = -log(np.concatenate([random.random(100_000), np.linspace(0.40999, 0.4143, 10_000)]))
    score = np.append(logit, [0.0, 36.0, 38.0, 700.0, 745.0, 800.0])
    positive = np.ones(score.size, dtype=np.uint8)
    losses = kernels.sigmoid_losses(1.0, 0.0, score, positive)
    assert_array_equal(losses, log1p(exp(-score)))


def test_steps_need_a_direction() -> None:
    scores = kernels.NewtonScores(3, 1)
    likelihood = kernels.Likelihood(np.ones(3), np.ones(3), None, 1.0, 0.0)
    scores.set_likelihood(likelihood)
    scores.linearise(None, 20.0, False)
    with pytest.raises(ValueError, match="call propose"):
        scores.find_losses(1.0)
    with pytest.raises(ValueError, match="direction has length 2, expected 3"):
        scores.propose(np.ones(2), 1.0)
    with pytest.raises(ValueError, match="labels has length 3, expected 4"):
        kernels.NewtonScores(4, 1).set_likelihood(likelihood)
    with pytest.raises(ValueError, match="rows is empty"):
        kernels.NewtonScores(0, 1)
