"""Arrays that do not fit together are refused by every function of the binding."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from costboost._core.engine import _kernels as kernels
from costboost._core.engine.ensemble import Ensemble
from costboost._core.engine.node import Node
from costboost._core.rules.record import Criterion

N, D = 6, 2
CRITERION = Criterion("exponential")
LIMITS = kernels.TreeLimits(max_depth=2)


def flags(n: int) -> Any:
    return np.zeros(n, dtype=np.uint8)


def features(n: int = D, n_bins: int = 2, **other: Any) -> kernels.Features:
    given = {"n_bins": np.full(n, n_bins, dtype=np.int32), "categorical": flags(n), **other}
    return kernels.Features(**given)


def directions(*given: int) -> Any:
    return np.array(given, dtype=np.int8)


def histogram(n: int = D) -> Any:
    return np.zeros((2, n, 256), dtype=np.int64)


def order(n: int = N) -> Any:
    return np.arange(n, dtype=np.uint32)


def binned(prepared: bool = True) -> kernels.BinnedRows:
    rows = kernels.BinnedRows(N, 2, D)
    cuts = np.full((D, 255), np.inf)
    cuts[:, 0] = 0.5
    positive = np.array([1, 1, 0, 0, 0, 0], dtype=np.uint8)
    x = np.arange(2.0 * N).reshape(N, D) % 2
    rows.fill(x, cuts, np.ones(D, dtype=np.int32), flags(D), positive)
    if prepared:
        rows.prepare()
        rows.weight[:] = 1.0
        rows.build()
    return rows


SPLIT = kernels.Split(0, 0, 1, False, np.arange(256) == 0)
FAR = kernels.Split(D, 0, 1, False, np.arange(256) == 0)
"""A split of a feature that does not exist."""
SPLITS, FAR_SPLITS = kernels.Splits([SPLIT]), kernels.Splits([FAR])
RUNS = 0, 2, 2, N


def working(n: int = N, m: int = N) -> tuple[Any, Any, tuple[float, float]]:
    return np.zeros(n), np.ones(m), (1.0, 1.0)


def child(*nodes: int) -> Any:
    return np.array(nodes, dtype=np.int32)


# ---- features, criteria, histograms --------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ((histogram(), (1, 1), features(1), CRITERION), "n_bins has length 1, expected 2"),
        ((histogram(), (1, 1), features(categorical=flags(3)), CRITERION), "categorical has"),
        ((histogram(), (1, 1), features(monotone=directions(1)), CRITERION), "monotone has length"),
        ((histogram(0), (1, 1), features(0), CRITERION), "n_bins is empty"),
        ((histogram(), (1, 1), features(n_bins=256), CRITERION), "feature 0 has 256 bins"),
        ((histogram(), (1, 1), features(n_bins=0), CRITERION), "feature 0 has 0 bins"),
        ((histogram()[:1], (1, 1), features(), CRITERION), r"histogram has shape \(1, 2, 256\)"),
        ((histogram()[:, :, :9].copy(), (1, 1), features(), CRITERION), "histogram has shape"),
        ((histogram(), (1, 1), features(), Criterion("gini")), "unknown criterion 'gini'"),
        ((histogram(), (1,), features(), CRITERION), "to unpack"),
    ],
)
def test_what_a_search_is_given(given: Any, message: str) -> None:
    for function in (kernels.search, kernels.table_losses):
        with pytest.raises(ValueError, match=message):
            function(*given)


def test_counts_are_laid_out_as_the_histogram() -> None:
    with pytest.raises(ValueError, match=r"counts has shape \(2, 3, 256\), expected"):
        kernels.search(histogram(), (1, 1), features(), CRITERION, histogram(3), 2)


def test_values_of_bins_are_those_of_the_features() -> None:
    for x in (np.zeros((3, 255)), np.zeros((D, 256))):
        with pytest.raises(ValueError, match=r"x has shape .*, expected \(2, 255\)"):
            kernels.line_losses(histogram(), (1, 1), features(), x)


def test_an_unknown_criterion_of_a_leaf() -> None:
    with pytest.raises(ValueError, match="known are vote, error"):
        kernels.leaf_loss(Criterion("gini"), 0.5, 0.5)


def test_categories() -> None:
    with pytest.raises(ValueError, match="whole has length 2, expected 3"):
        kernels.order_categories(np.ones(3), np.ones(2))
    with pytest.raises(ValueError, match="at most 256"):
        kernels.order_categories(np.ones(257), np.ones(257))
    assert kernels.order_categories(np.ones(0), np.ones(0)).size == 0


def test_splits() -> None:
    with pytest.raises(ValueError, match="256 entries"):
        kernels.Split(0, 0, 1, False, np.zeros(255))
    for method in (FAR.measure, FAR.rows_left):
        with pytest.raises(ValueError, match="feature 2 does not exist: there are 2"):
            method(histogram())
        with pytest.raises(ValueError, match="has shape"):
            method(histogram()[:, :, :5].copy())


# ---- rows ----------------------------------------------------------------------------------------


def test_numbers_of_rows() -> None:
    for shape in ((0, 0, 1), (3, 4, 1), (3, -1, 1), (3, 1, 0)):
        with pytest.raises(ValueError, match="at least one row"):
            kernels.BinnedRows(*shape)
    with pytest.raises(ValueError, match="4294967296 rows are more than the 4294967295"):
        kernels.BinnedRows(2**32, 1, 1)


def test_columns_to_fill() -> None:
    rows = kernels.BinnedRows(3, 1, 2)
    x, cuts, n_cuts = np.zeros((3, 2)), np.zeros((2, 255)), np.zeros(2, dtype=np.int32)
    positive = np.array([1, 0, 0], dtype=np.uint8)
    rows.fill(x, cuts, n_cuts, flags(2), positive)
    wrong = {
        "x has length": (x[:2], cuts, n_cuts, flags(2), positive),
        "cuts has shape .2, 255., expected .1, 255.": (x[:, :1], cuts, n_cuts, flags(2), positive),
        "cuts has shape": (x, cuts[:, :9].copy(), n_cuts, flags(2), positive),
        "n_cuts has length": (x, cuts, n_cuts[:1], flags(2), positive),
        "categorical has length": (x, cuts, n_cuts, flags(1), positive),
        "positive has length": (x, cuts, n_cuts, flags(2), positive[:2]),
        "columns 1 to 3 are not within 0 to 2": (x, cuts, n_cuts, flags(2), positive, 1),
        "columns -1 to 1": (x, cuts, n_cuts, flags(2), positive, -1),
    }
    for message, arguments in wrong.items():
        with pytest.raises(ValueError, match=message):
            rows.fill(*arguments)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda r: r.column(D), "feature 2 does not exist"),
        (lambda r: r.look_up(-1, np.zeros(256)), "feature -1 does not exist"),
        (lambda r: r.look_up(0, np.zeros(255)), "table has length 255, expected 256"),
        (lambda r: r.count_copies(np.ones(N + 1, dtype=np.int64)), "copies has length 7"),
        (lambda r: r.build_responses(working(5), None, histogram(), 1), "response has length 5"),
        (lambda r: r.build_responses(working(N, 5), None, histogram(), 1), "weight has length 5"),
        (lambda r: r.build_responses(working(), None, histogram(3), 1), "histogram has shape"),
        (
            lambda r: r.build_responses(working(), (order(5), RUNS), histogram(), 1),
            "rows has length",
        ),
        (
            lambda r: r.build_responses(working(), (order(), (0, 7, 7, 7)), histogram(), 1),
            "rows 0 to 7 are not within 0 to 6",
        ),
        (lambda r: r.build_node((order(), (2, 1, 2, 6)), histogram(), False, 1), "rows 2 to 1"),
        (lambda r: r.build_node((order(), RUNS), histogram(1), False, 1), "histogram has shape"),
        (lambda r: r.build_node(None, histogram(), False, 1), "node is None"),
        (lambda r: r.reweigh_side(FAR, (1, 1), (True, True), (True, True)), "feature 2 does"),
        (lambda r: r.reweigh_all(FAR, (1, 1, 1, 1), (True, True)), "feature 2 does"),
        (lambda r: r.reweigh_all(SPLIT, (1, 1, 1), (True, True)), "to unpack"),
        (lambda r: r.reweigh_rows(order(), 0, 7, 1.0), "rows 0 to 7"),
        (lambda r: r.partition(SPLIT, 0, 7, order(), order()), "rows 0 to 7"),
        (lambda r: r.partition(SPLIT, 0, 6, order(), order(5)), "rows 0 to 6 are not within 0"),
        (lambda r: r.partition(FAR, 0, 6, order(), order()), "feature 2 does"),
        (lambda r: r.leaves(FAR_SPLITS, child(~0, ~1)), "feature 2 does"),
        (lambda r: r.leaves(SPLITS, child(~0)), "child has length 1, expected 2"),
        (lambda r: r.leaves(SPLITS, child(~0, 1)), "a child that does not exist"),
        (lambda r: r.leaves(kernels.Splits(), child()), "splits is empty"),
        (
            lambda r: r.sum_staged(SPLITS, np.zeros((1, 3)), np.zeros(1), None, None),
            r"value has shape \(1, 3\), expected \(1, 2\)",
        ),
        (
            lambda r: r.sum_staged(SPLITS, np.zeros((1, 2)), np.zeros(2), None, None),
            "limit has length 2, expected 1",
        ),
        (
            lambda r: r.sum_staged(SPLITS, np.zeros((1, 2)), np.zeros(1), np.zeros(5), None),
            "row_limit has length 5",
        ),
        (
            lambda r: r.sum_staged(
                SPLITS, np.zeros((1, 2)), np.zeros(1), None, np.ones(5, dtype=np.int64)
            ),
            "amount has length 5",
        ),
        (
            lambda r: r.sum_staged(FAR_SPLITS, np.zeros((1, 2)), np.zeros(1), None, None),
            "feature 2 does",
        ),
    ],
)
def test_messages_to_rows(call: Callable[[kernels.BinnedRows], Any], message: str) -> None:
    rows = binned()
    before = rows.weight.copy(), rows.histogram.copy()
    with pytest.raises(ValueError, match=message):
        call(rows)
    np.testing.assert_array_equal(rows.weight, before[0])
    np.testing.assert_array_equal(rows.histogram, before[1])


@pytest.mark.parametrize(
    "call",
    [
        lambda r: r.build(),
        lambda r: r.build_node((order(), RUNS), histogram(), False, 1),
        lambda r: r.reweigh_side(SPLIT, (1, 1), (True, True), (True, True)),
        lambda r: r.reweigh_all(SPLIT, (1, 1, 1, 1), (True, True)),
        lambda r: r.reweigh_rows(order(), 0, 1, 1.0),
        lambda r: kernels.Grower(r, features()).grow(None, (1, 1), (1, 1), CRITERION, LIMITS),
    ],
)
def test_weights_exist_after_prepare(call: Callable[[kernels.BinnedRows], Any]) -> None:
    with pytest.raises(ValueError, match="call prepare"):
        call(binned(prepared=False))


# ---- trees ---------------------------------------------------------------------------------------


def test_trees() -> None:
    with pytest.raises(ValueError, match="n_bins has length 3, expected 2"):
        kernels.Grower(binned(), features(3))
    grower = kernels.Grower(binned(), features())
    with pytest.raises(ValueError, match="weight has length 5"):
        grower.grow(working(N, 5), (1, 1), (1, 1), Criterion("squares"), LIMITS)
    with pytest.raises(ValueError, match="unknown criterion"):
        grower.grow(None, (1, 1), (1, 1), Criterion("gini"), LIMITS)
    with pytest.raises(ValueError, match="to unpack"):
        grower.grow(None, (1, 1), (1, 1), CRITERION, (1, 2))  # type: ignore[arg-type]


def test_places_of_features() -> None:
    given = features(4, monotone=directions(1, 0, 0, -1)).drawn_among(np.array([1, 0, 0, 1], bool))
    assert given.places is not None
    assert given.places.tolist() == [0, -1, -1, 1]
    assert given.directed(directions(0, 0, 0, 1)).places is given.places
    again = pickle.loads(pickle.dumps(given))
    assert again.places.tolist() == [0, -1, -1, 1]
    assert again.monotone.tolist() == [1, 0, 0, -1]
    assert given.drawn_among(np.ones(4, bool)).places is None
    with pytest.raises(ValueError, match="places has length 3, expected 2"):
        kernels.Grower(binned(), features(places=np.zeros(3, dtype=np.int32)))


def test_trees_over_pairs() -> None:
    weight, criterion = np.ones((N, 3), dtype=np.int64), Criterion("entropy")
    given = kernels.Features(np.array([2, 2, 3], dtype=np.int32), flags(3))
    tree = kernels.grow_pairs(binned(), weight, given, criterion, LIMITS, False)[:4]
    wrong = {
        "weight has length 5": (weight[:5], given),
        "weight has 2 labels, features have 3": (weight[:, :2].copy(), given),
        "n_bins has length 2, expected 3": (weight, features()),
        "there are 256 labels": (np.ones((N, 256), dtype=np.int64), given),
        "there are 0 labels": (np.ones((N, 0), dtype=np.int64), given),
    }
    for message, arguments in wrong.items():
        with pytest.raises(ValueError, match=message):
            kernels.grow_pairs(binned(), *arguments, criterion, LIMITS, False)
    feature, left, goes_left, accepts = tree
    none = np.zeros(0, dtype=np.int32)
    refused = {
        "left has length 0": (feature, left[:0], goes_left, accepts),
        "goes_left has shape": (feature, left, goes_left[:, :3].copy(), accepts),
        "accepts has length 0": (feature, left, goes_left, accepts[:0]),
        "feature is empty": (none, none, goes_left[:0], accepts[:0]),
    }
    for message, arrays in refused.items():
        with pytest.raises(ValueError, match=message):
            kernels.accept_pairs(binned(), *arrays, 3)
    with pytest.raises(ValueError, match="there are 256 labels"):
        kernels.accept_pairs(binned(), *tree, 256)


# ---- single rows ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: kernels.weight_against(np.ones(3), np.ones(2), np.ones(3), 1.0, 1),
            "label has length 2, expected 3",
        ),
        (
            lambda: kernels.weight_against(np.ones(3), np.ones(3), np.ones(2), 1.0, 1),
            "direction has length 2, expected 3",
        ),
        (lambda: kernels.moments(np.ones(5), working(), 1), "response has length 6, expected 5"),
        (lambda: kernels.moments(np.ones(0), working(0, 0), 1), "x is empty"),
        (
            lambda: kernels.fill_runs(
                order(), np.zeros((1, 3), dtype=np.int64), np.ones(1), np.zeros(N)
            ),
            r"bounds has shape \(1, 3\), expected \(1, 4\)",
        ),
        (
            lambda: kernels.fill_runs(
                order(), np.zeros((1, 4), dtype=np.int64), np.ones(1), np.zeros(5)
            ),
            "out has length 5, expected 6",
        ),
        (
            lambda: kernels.fill_runs(
                order(), np.array([[0, 7, 7, 7]], dtype=np.int64), np.ones(1), np.zeros(N)
            ),
            "rows 0 to 7",
        ),
        (lambda: kernels.bin_means(flags(2), np.ones(3)), "bins has length 2, expected 3"),
        (lambda: kernels.bin_means(flags(0), np.ones(0)), "x is empty"),
        (
            lambda: kernels.Likelihood(np.ones(3), np.ones(2), None, 1.0, 0.0),
            "start has length 2, expected 3",
        ),
        (
            lambda: kernels.Likelihood(np.ones(3), np.ones(3), None, np.ones(2), 0.0),
            "slope or offset has length 2, expected 3",
        ),
        (
            lambda: kernels.Likelihood(np.ones(3), np.ones(3), None, 1.0, 0.0).loss(
                np.ones(2), np.ones(3), 1
            ),
            "score has length 2, expected 3",
        ),
        (
            lambda: kernels.add_hashes(
                np.ones((2, 3)), np.ones(2, dtype=np.uint64), np.ones(2, dtype=np.uint64)
            ),
            "factor has length 2, expected 3",
        ),
        (
            lambda: kernels.find_cuts(np.ones((2, 3)), None, 256, 1),
            "max_bins is 256, expected 2 to 255",
        ),
    ],
)
def test_vectors_over_rows(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


def test_predictions() -> None:
    stump = [Node(2, 0.0, 1), Node(), Node()]
    ensemble = Ensemble.from_trees([stump])
    trees = kernels.CompiledTrees(ensemble, [0, 1])
    with pytest.raises(ValueError, match=r"score has shape \(1, 2\), expected \(1, 3\)"):
        trees.add_scores(np.zeros((3, 3)), np.zeros((1, 2)), 1)
    with pytest.raises(ValueError, match=r"score has shape \(2, 3\), expected \(1, 3\)"):
        trees.add_scores(np.zeros((3, 3)), np.zeros((2, 3)), 1)
    with pytest.raises(ValueError, match="must lie one behind the other"):
        trees.add_scores(np.zeros((3, 3)), np.zeros((1, 6))[:, ::2], 1)
    with pytest.raises(ValueError, match="feature 2 does not exist: there are 2"):
        trees.add_scores(np.zeros((3, 2)), np.zeros((1, 3)), 1)
    with pytest.raises(ValueError, match="rows 0 to 2 are not within 0 to 1"):
        kernels.CompiledTrees(ensemble, [0, 2])
    with pytest.raises(ValueError, match="ends is empty"):
        kernels.CompiledTrees(ensemble, [0])
    for left in (0, 2, 3):
        damaged = replace(ensemble, left=np.array([left, -1, -1], dtype=np.int32))
        with pytest.raises(ValueError, match="must be nodes of its tree"):
            kernels.CompiledTrees(damaged, [0, 1])


# ---- roots ---------------------------------------------------------------------------------------


def test_roots_of_functions() -> None:
    assert kernels.increasing_root(lambda x: (x - 3.0, 1.0)) == 3.0
    assert kernels.increasing_root(lambda x: (x**3 - 8.0, 3 * x * x), 1.0) == pytest.approx(2.0)
    assert kernels.increasing_root(lambda x: (x + 1.0, 1.0)) == 0.0

    def fails(x: float) -> tuple[float, float]:
        raise KeyError("reason")

    with pytest.raises(KeyError, match="reason"):
        kernels.increasing_root(fails)
    with pytest.raises(TypeError):
        kernels.increasing_root(lambda x: None)  # type: ignore[arg-type, return-value]


def test_features_are_pickled() -> None:
    given = features(monotone=directions(1, -1))
    kernels.search(histogram(), (1, 1), given, CRITERION)
    again = pickle.loads(pickle.dumps(given))
    for name in ("n_bins", "categorical", "monotone"):
        np.testing.assert_array_equal(getattr(again, name), getattr(given, name))
    with pytest.raises(TypeError, match="features are None"):
        kernels.search(histogram(), (1, 1), None, CRITERION)  # type: ignore[arg-type]
