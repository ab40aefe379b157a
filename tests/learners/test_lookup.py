"""One feature cut into bins with a value each: cells, choice, scores, raw values, rounds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from engine import reference
from learners.rows import Floats, Small

from costboost._core.engine._kernels import KINDS, MISSING
from costboost._core.engine.ensemble import Ensemble
from costboost._core.learners.lookup import Lookup, LookupLearner
from costboost._core.rows import Rows
from costboost._core.rules.record import Criterion
from costboost._core.tables import DenseTable
from costboost.algorithms import (
    AdaBoostClassifier,
    CGAdaClassifier,
    CSRealBoostClassifier,
    RealBoostClassifier,
)

CRITERIA = [
    Criterion("vote"),
    Criterion("error", 1e-4),
    Criterion("joint", 0.0, 5.0, 2.0),
    Criterion("exponential", 1e-4),
    Criterion("squared"),
    Criterion("cost exponential", 1e-4, 5.0, 0.5),
]


def weighted(seed: int, **options: Any) -> tuple[Small, Floats]:
    """Rows with weights but no costs of their own, and their shares in the engine's order."""
    small = Small(np.random.default_rng(seed), 60, 4, **options).weigh(by_cost=False)
    share = small.in_order(small.weight)
    return small, share / share.sum()


def cells(small: Small, share: Floats, feature: int) -> Floats:
    """Weight of each (class, bin), the missing values last."""
    bins = small.bins(feature)
    order = [*range(small.rows.n_bins[feature]), MISSING]
    return np.array([
        share[(small.label == sign) & (bins == b)].sum() for sign in (1, -1) for b in order
    ])  # fmt: skip


@pytest.mark.parametrize("seed", range(4))
def test_cells(seed: int) -> None:
    small, share = weighted(seed)
    for f in range(4):
        lookup = Lookup(small.rows, f, Criterion("vote"))
        expected = cells(small, share, f)
        np.testing.assert_allclose(lookup.weight, expected, atol=1e-15)
        assert lookup.weight.sum() == pytest.approx(1)
        p, q = expected.reshape(2, -1)
        np.testing.assert_array_equal(lookup.value, np.where(p > q, 1, -1))
        np.testing.assert_array_equal(lookup.outcome.margin, [*lookup.value, *-lookup.value])
        margin = lookup.outcome.margin[lookup.leaves(small.parts[0])]
        np.testing.assert_array_equal(margin, lookup.scores(small.parts[0]))


def test_a_bin_without_majority_votes_negative() -> None:
    """k positives at cost m beside m negatives at cost k, whatever rounding makes of it."""
    for k in range(1, 7):
        for m in range(1, 7):
            X = np.repeat([0.0, 1.0], [k + m, 3])[:, None]
            y = np.repeat([1, 0, 1], [k, m, 3])
            clf = CGAdaClassifier(estimator="lookup", n_estimators=1, fn_cost=m, fp_cost=k)
            clf.fit(X, y)
            score = clf.decision_function([[0.0], [np.nan], [1.0]])
            assert (score > 0).tolist() == [False, False, True], (k, m)


@pytest.mark.parametrize("criterion", CRITERIA, ids=lambda c: c.kind)
@pytest.mark.parametrize("seed", range(6))
def test_the_feature_of_least_criterion_is_chosen(seed: int, criterion: Criterion) -> None:
    small, share = weighted(seed)
    kind = KINDS["error" if criterion.kind in {"vote", "joint"} else criterion.kind]
    losses = [
        sum(
            reference.leaf_loss(kind, *criterion[1:4], p, q) for p, q in w.reshape(2, -1).T.tolist()
        )
        for w in (cells(small, share, f) for f in range(4))
    ]
    found = LookupLearner(small.binning).find(small.rows, criterion)
    assert found is not None
    assert found.feature == np.flatnonzero(np.array(losses) <= min(losses) + 1e-12)[0]


def test_the_first_of_equal_features_is_chosen() -> None:
    small, _ = weighted(1, missing=0.0, categories=False)
    small.X[:] = small.X[:, [2, 2, 2, 2]]
    again = small.rebinned().weigh(by_cost=False)
    for criterion in CRITERIA:
        found = LookupLearner(again.binning).find(again.rows, criterion)
        assert found is not None
        assert found.feature == 0


def test_features_that_are_missing_everywhere_are_not_chosen() -> None:
    small, _ = weighted(2, categories=False)
    small.X[:, [0, 3]] = np.nan
    again = small.rebinned().weigh(by_cost=False)
    for criterion in CRITERIA:
        found = LookupLearner(again.binning).find(again.rows, criterion)
        assert found is not None
        assert found.feature in (1, 2)
    again.X[:] = np.nan
    nothing = again.rebinned().weigh(by_cost=False)
    assert LookupLearner(nothing.binning).find(nothing.rows, CRITERIA[0]) is None


# ---- scores --------------------------------------------------------------------------------------


def on_raw(lookup: Lookup, small: Small, X: Any, step: float = 1.0) -> Floats:
    """What the nodes say of raw values."""
    score = np.zeros(len(X))
    ensemble = Ensemble.from_trees([lookup.nodes(small.binning, step)])
    ensemble.add_scores(DenseTable(X).row_blocks(small.binning.coders), score, 1)
    return score


@pytest.mark.parametrize("max_bins", [2, 3, 16, 255])
@pytest.mark.parametrize("seed", range(6))
def test_nodes_score_raw_values_as_bins(seed: int, max_bins: int) -> None:
    small, _ = weighted(seed, max_bins=max_bins, n_values=23)
    rng = np.random.default_rng(seed)
    for f in range(4):
        lookup = Lookup(small.rows, f, Criterion("vote"))
        lookup.take_values(rng.integers(-99, 99, lookup.bins.size) / 8)
        expected = lookup.scores(small.parts[0])
        np.testing.assert_array_equal(on_raw(lookup, small, small.X)[small.place], expected)
        np.testing.assert_array_equal(
            on_raw(lookup, small, small.X, 0.25)[small.place], 0.25 * expected
        )
        ensemble = Ensemble.from_trees([lookup.nodes(small.binning, 1.0)])
        assert ensemble.importances(np.ones(1), 4).tolist() == np.eye(4)[f].tolist()


def test_values_never_seen() -> None:
    """Between two bins the cut decides; a new category is as good as a missing value."""
    small, _ = weighted(3, missing=0.0, categories=False)
    small.X[:, 0] = np.arange(60) % 3
    again = small.rebinned().weigh(by_cost=False)
    lookup = Lookup(again.rows, 0, Criterion("vote"))
    lookup.take_values(np.array([1.0, 2.0, 4.0, 8.0]))
    fresh = np.zeros((6, 4))
    fresh[:, 0] = [-9, 0.4, 0.6, 1.6, 77, np.nan]
    assert on_raw(lookup, again, fresh).tolist() == [1, 1, 2, 4, 4, 8]
    categories = again.rebinned([0]).weigh(by_cost=False)
    lookup = Lookup(categories.rows, 0, Criterion("vote"))
    lookup.take_values(np.array([1.0, 2.0, 4.0, 8.0]))
    fresh[:, 0] = [0, 1, 2, 3, 0.5, np.nan]
    assert on_raw(lookup, categories, fresh).tolist() == [1, 2, 4, 8, 8, 8]


@pytest.mark.filterwarnings("ignore:.*categories that training had no rows of")
def test_unseen_categories_and_missing_ones_in_a_frame() -> None:
    town = np.array(["Ulm", "Bonn", "Jena", None], dtype=object)[np.arange(80) % 4]
    y = np.isin(np.arange(80) % 4, [1, 3]).astype(int)
    frame = pd.DataFrame({"town": pd.Categorical(town), "n": np.arange(80.0) % 5})
    clf = RealBoostClassifier(estimator="lookup", n_estimators=4).fit(frame, y)
    np.testing.assert_array_equal(clf.predict(frame), y)
    fresh = pd.DataFrame({"town": pd.Categorical(["Oslo", None]), "n": [2.0, 2.0]})
    scores = clf.decision_function(fresh)
    assert scores[0] == scores[1] > 0  # a missing town was positive
    assert clf.ensemble_.first[1] == 7  # missing or not, then three towns


# ---- rounds --------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_shards", [1, 3])
def test_weights_change_by_class_and_bin(n_shards: int) -> None:
    small, share = weighted(5, n_shards=n_shards)
    rng = np.random.default_rng(0)
    for f in (0, 3, 1):
        lookup = Lookup(small.rows, f, Criterion("vote"))
        factors = np.exp(rng.normal(size=lookup.weight.size))
        lookup.reweigh(small.rows, factors)
        order = [*range(small.rows.n_bins[f]), MISSING]
        place = np.searchsorted(order, small.bins(f))
        share = share * factors[place + len(order) * (small.label < 0)]
        share /= share.sum()
        for g in range(4):
            now = Lookup(small.rows, g, Criterion("vote")).weight
            np.testing.assert_allclose(now, cells(small, share, g), rtol=1e-9, atol=1e-14)


def trace(rows: Rows, small: Small, criterion: Criterion) -> list[Any]:
    seen: list[Any] = []
    for t in range(12):
        lookup = LookupLearner(small.binning).find(rows, criterion)
        assert lookup is not None
        seen.append((lookup.feature, lookup.weight.tobytes(), lookup.value.tobytes()))
        step = 0.3 + 0.05 * t
        lookup.reweigh(rows, np.exp(-step * lookup.outcome.margin))
    return seen


@pytest.mark.parametrize("criterion", CRITERIA, ids=lambda c: c.kind)
def test_shards_and_threads_do_not_matter(criterion: Criterion) -> None:
    small, _ = weighted(6)
    traces = []
    for n_shards, n_threads in ((1, 1), (3, 1), (5, 2), (1, 8)):
        small.rows, small.place = small.shards(n_shards, n_threads)
        traces.append(trace(small.weigh(by_cost=False).rows, small, criterion))
    assert traces[1:] == traces[:1] * 3
    assert len({seen[0] for seen in traces[0]}) > 1


def test_a_lookup_is_recalled_from_its_nodes() -> None:
    small, _ = weighted(7)
    learner = LookupLearner(small.binning)
    for f in range(4):
        lookup = Lookup(small.rows, f, Criterion("vote"))
        model = learner.model([(lookup, 0.7)])
        again = learner.recall(small.rows, next(iter(model.rounds())), Criterion("vote"))
        assert again.feature == f
        assert again.weight.tobytes() == lookup.weight.tobytes()
        assert again.value.tobytes() == lookup.value.tobytes()


def test_cuts_of_other_data_raise() -> None:
    X = np.arange(40.0)[:, None]
    y = (np.arange(40) // 5 % 2).astype(int)
    clf = CSRealBoostClassifier(n_estimators=2, warm_start=True).fit(X, y)
    clf.set_params(n_estimators=4)
    with pytest.raises(ValueError, match="warm_start continues a fit on the same data"):
        clf.fit(X + 0.3, y)


# ---- how many bins -------------------------------------------------------------------------------


@pytest.mark.parametrize(("max_bins", "expected"), [(None, 16), (5, 5), (40, 40)])
def test_sixteen_bins_by_default(max_bins: int | None, expected: int) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 1))
    y = (np.sin(5 * X[:, 0]) + 0.3 * rng.normal(size=500) > 0).astype(int)
    given = {} if max_bins is None else {"max_bins": max_bins}
    for classifier in (CSRealBoostClassifier, AdaBoostClassifier):
        clf = classifier(estimator="lookup", n_estimators=1, **given).fit(X, y)
        tests = np.isfinite(clf.ensemble_.threshold[clf.ensemble_.feature >= 0])
        assert tests.sum() == expected - 1
    stumps = AdaBoostClassifier(estimator="stump", n_estimators=60).fit(X, y)
    assert np.unique(stumps.ensemble_.threshold[stumps.ensemble_.feature >= 0]).size > 16
