"""Logistic regressions on one feature each: the fit, the choice, missing values, raw values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from learners.rows import Floats, Small
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression

from costboost._core.engine._kernels import BINS, MISSING, RIDGE, logistic_thresholds
from costboost._core.engine.ensemble import Ensemble
from costboost._core.engine.node import Node, leaf
from costboost._core.learners.logistic import LogisticLearner
from costboost._core.learners.raw_values import BinValues, Columns
from costboost._core.rules.record import Criterion
from costboost._core.tables import DenseTable
from costboost.algorithms import AdaBoostClassifier, CGAdaClassifier

VOTE = Criterion("vote")


def learner_of(small: Small) -> LogisticLearner:
    columns = Columns(DenseTable(small.X), small.place)
    return LogisticLearner(
        small.binning, BinValues(small.binning, columns, small.rows.bins)
    )  # fmt: skip


def weighted(seed: int, n: int = 60, **options: Any) -> Small:
    rng = np.random.default_rng(seed)
    small = Small(rng, n, 3, categories=False, **options)
    small.X[:, 1] += 2.0 * small.positive
    return small.rebinned().weigh(by_cost=False)


# ---- the fit -------------------------------------------------------------------------------------


def fitted_slowly(x: Floats, p: Floats, q: Floats) -> tuple[float, float]:
    """Slope and intercept on the scale of x: mean log loss + RIDGE / 2 slope^2, standardised."""
    whole = (p + q).sum()
    p, q = p / whole, q / whole
    mean = ((p + q) * x).sum()
    size = np.sqrt(((p + q) * (x - mean) ** 2).sum())
    u = (x - mean) / size

    def loss(c: Floats) -> tuple[float, Floats]:
        t = c[0] * u + c[1]
        value = (p * np.logaddexp(0, -t) + q * np.logaddexp(0, t)).sum() + RIDGE / 2 * c[0] ** 2
        r = q / (1 + np.exp(-t)) - p / (1 + np.exp(t))
        return float(value), np.array([(r * u).sum() + RIDGE * c[0], r.sum()])

    found = minimize(loss, np.zeros(2), jac=True, method="BFGS", options={"gtol": 1e-12})
    a, b = found.x
    return a / size, b - a * mean / size


@pytest.mark.parametrize("seed", range(5))
def test_regressions_of_all_features(seed: int) -> None:
    rng = np.random.default_rng(seed)
    value = np.full((4, MISSING), np.nan)
    weight = np.zeros((2, 4, MISSING))
    for f, n in enumerate((2, 5, 40, 200)):
        value[f, :n] = np.sort(rng.normal(100 * f, 10.0 ** (f - 1), n))
        weight[:, f, :n] = rng.exponential(size=(2, n))
        weight[0, f, :n] *= np.linspace(0.2, 3, n) ** rng.choice([-1, 1])
    thresholds, signs, fitted = logistic_thresholds(weight, value)
    assert fitted.all()
    for f, n in enumerate((2, 5, 40, 200)):
        slope, intercept = fitted_slowly(value[f, :n], *weight[:, f, :n])
        spread = np.ptp(value[f, :n])
        assert thresholds[f] == pytest.approx(-intercept / slope, rel=1e-6, abs=1e-6 * spread)
        assert signs[f] == np.sign(slope)


def test_it_is_the_regression_of_scikit_learn() -> None:
    """Nearly without a penalty."""
    rng = np.random.default_rng(0)
    x = np.repeat(np.arange(12.0), 20)
    y = (x + rng.normal(0, 4, 240) > 7).astype(int)
    sample = rng.uniform(0.1, 2, 240)
    theirs = LogisticRegression(C=1e8, tol=1e-10, max_iter=1000)
    theirs.fit(x[:, None], y, sample_weight=sample)
    value = np.full((1, MISSING), np.nan)
    value[0, :12] = np.arange(12)
    weight = np.zeros((2, 1, MISSING))
    for z in (0, 1):
        weight[z, 0, :12] = np.bincount(x.astype(int), sample * (y == 1 - z), 12)
    thresholds, signs, _ = logistic_thresholds(weight, value)
    assert thresholds[0] == pytest.approx(-theirs.intercept_[0] / theirs.coef_[0, 0], rel=1e-4)
    assert signs[0] == 1


def test_features_without_information() -> None:
    """Constant, one class only, the same share everywhere, no rows, one that separates."""
    value = np.full((6, MISSING), np.nan)
    weight = np.zeros((2, 6, MISSING))
    value[0, 0], weight[:, 0, 0] = 5.0, [1, 2]
    value[1, :3], weight[0, 1, :3] = [1, 2, 3], [1, 5, 2]
    value[2, :3], weight[1, 2, :3] = [1, 2, 3], [1, 5, 2]
    value[3, :2], weight[:, 3, :2] = [1, 2], [[2, 4], [1, 2]]
    value[4, :2] = [1, 2]
    value[5, :2], weight[:, 5, :2] = [1, 2], [[0, 1], [1, 0]]
    thresholds, signs, fitted = logistic_thresholds(weight, value)
    assert fitted.tolist() == [False, True, True, True, False, True]
    assert np.isnan(thresholds[1:4]).all()
    assert signs[1:4].tolist() == [1, -1, 1]  # of the constant vote
    assert thresholds[5] == pytest.approx(1.5)  # parted, and still finite
    assert signs[5] == 1


@pytest.mark.parametrize("scale", [2.0**-300, 1e-6, 1.0, 1e6, 2.0**300])
def test_the_scale_of_a_feature_does_not_matter(scale: float) -> None:
    value = np.full((1, MISSING), np.nan)
    value[0, :4] = [1, 2, 4, 8]
    weight = np.zeros((2, 1, MISSING))
    weight[:, 0, :4] = [[1, 1, 4, 5], [4, 3, 2, 1]]
    plain, _, _ = logistic_thresholds(weight, value)
    scaled, _, _ = logistic_thresholds(weight, value * scale)
    assert scaled[0] / scale == pytest.approx(plain[0], rel=1e-9)


@pytest.mark.parametrize("exponent", [-1000, -600, 600, 1000])
def test_huge_and_tiny_values(exponent: int) -> None:
    small = weighted(0, missing=0.0)
    y = small.positive
    plain = AdaBoostClassifier(estimator="logistic", n_estimators=5).fit(small.X, y)
    scaled = small.X * 2.0**exponent
    other = AdaBoostClassifier(estimator="logistic", n_estimators=5).fit(scaled, y)
    np.testing.assert_array_equal(
        other.decision_function(scaled), plain.decision_function(small.X)
    )  # fmt: skip


def test_a_threshold_beyond_the_range_of_floats_is_infinite() -> None:
    value = np.full((1, MISSING), np.nan)
    value[0, :2] = [1e307, 1.1e307]
    weight = np.zeros((2, 1, MISSING))
    weight[:, 0, :2] = [[50, 50.001], [1, 1]]
    thresholds, signs, _ = logistic_thresholds(weight, value)
    assert thresholds.tolist() == [-np.inf]
    assert signs.tolist() == [1]


# ---- the choice ----------------------------------------------------------------------------------


def errors(small: Small, learner: LogisticLearner) -> list[float]:
    """Weighted error of every feature's vote, missing rows on the better side."""
    share = small.in_order(small.weight)
    share = share / share.sum()
    weight = small.rows.all_bin_weights()
    thresholds, signs, _ = logistic_thresholds(
        np.ascontiguousarray(weight[:, :, :MISSING]), learner.values.value
    )
    result = []
    for f in range(small.rows.n_features):
        bins = small.bins(f)
        present = bins != MISSING
        x = np.append(learner.values.value[f], np.zeros(BINS - MISSING))[bins]
        votes = np.where(x > thresholds[f], signs[f], -signs[f])
        fixed = share[present & (votes != small.label)].sum()
        free = [share[~present & (small.label == sign)].sum() for sign in (1, -1)]
        result.append(fixed + min(free))
    return result


@pytest.mark.parametrize("max_bins", [255, 4])
@pytest.mark.parametrize("seed", range(6))
def test_the_feature_that_votes_best_is_chosen(seed: int, max_bins: int) -> None:
    small = weighted(seed, max_bins=max_bins, n_values=9)
    learner = learner_of(small)
    found = learner.find(small.rows, VOTE)
    assert found is not None
    expected = errors(small, learner)
    assert found.split.feature == np.flatnonzero(np.array(expected) <= min(expected) + 1e-12)[0]
    assert found.weight[found.outcome.margin < 0].sum() == pytest.approx(min(expected))
    assert found.weight.sum() == pytest.approx(1)


@pytest.mark.parametrize("seed", range(4))
def test_bounds_do_not_change_the_choice_in_later_rounds(seed: int) -> None:
    """With very unequal weights and steep regressions too, the best of all exact votes is found."""
    rng = np.random.default_rng(seed)
    small = Small(rng, 90, 8, categories=False, n_values=40)
    small.X[:, 3] += 3.0 * small.positive
    small.X[:, 5] = np.exp(3 * small.X[:, 5])
    small = small.rebinned().weigh(by_cost=False)
    learner = learner_of(small)
    for _ in range(25):
        found = learner.find(small.rows, VOTE)
        assert found is not None
        weight = small.rows.all_bin_weights()
        thresholds, signs, _ = logistic_thresholds(
            np.ascontiguousarray(weight[:, :, :MISSING]), learner.values.value
        )
        losses = [exact_loss(weight[:, f], learner.values.value[f], thresholds[f], signs[f])
                  for f in range(8)]  # fmt: skip
        expected = np.flatnonzero(np.array(losses) <= min(losses) + 1e-12)[0]
        assert found.split.feature == expected
        assert found.weight[found.outcome.margin < 0].sum() == pytest.approx(min(losses))
        found.reweigh(small.rows, np.exp(-1.5 * found.outcome.margin))


def exact_loss(weight: Floats, value: Floats, threshold: float, sign: int) -> float:
    """Weighted error of a vote, missing values on the better side."""
    left = np.append(value <= threshold, False)
    right = np.append(~left[:MISSING], False)
    wrong = (1, 0) if sign == 1 else (0, 1)
    return float(
        weight[wrong[1], left].sum() + weight[wrong[0], right].sum() + weight[:, MISSING].min()
    )


def test_the_first_of_equal_features_is_chosen() -> None:
    small = weighted(0)
    small.X[:] = small.X[:, [1, 1, 1]]
    found = learner_of(small.rebinned().weigh(by_cost=False)).find(small.rows, VOTE)
    assert found is not None
    assert found.split.feature == 0


def test_missing_values_go_to_the_side_of_less_loss() -> None:
    X = np.array([0.0, 1, 2, 3, 4, 5, np.nan, np.nan, np.nan])[:, None]
    for where in (0, 1):
        y = np.array([0, 0, 0, 1, 1, 1, where, where, where])
        clf = AdaBoostClassifier(estimator="logistic", n_estimators=1).fit(X, y)
        np.testing.assert_array_equal(clf.predict(X), y)


def test_nothing_to_choose_from() -> None:
    small = weighted(0)
    small.X[:] = 1.0
    assert learner_of(small.rebinned().weigh(by_cost=False)).find(small.rows, VOTE) is None


# ---- raw values ----------------------------------------------------------------------------------


@pytest.mark.parametrize("max_bins", [255, 5])
@pytest.mark.parametrize("seed", range(8))
def test_nodes_score_raw_values_as_bins(seed: int, max_bins: int) -> None:
    """Nodes score training rows as bins do; thresholds lie between values, not between bins."""
    small = weighted(seed, max_bins=max_bins, n_values=30)
    learner = learner_of(small)
    assert learner.values.single.all() == (max_bins == 255)
    found = learner.find(small.rows, VOTE)
    assert found is not None
    ensemble = Ensemble.from_trees([found.nodes(small.binning, 0.5)])
    score = np.zeros(len(small.X))
    ensemble.add_scores(DenseTable(small.X).row_blocks(small.binning.coders), score, 1)
    expected = 0.5 * found.scores(small.parts[0])
    np.testing.assert_array_equal(score[small.place], expected)
    np.testing.assert_array_equal(
        found.value[found.leaves(small.parts[0])], found.scores(small.parts[0])
    )


def test_the_threshold_is_where_the_regression_is_undecided() -> None:
    rng = np.random.default_rng(0)
    x = rng.integers(0, 20, 300).astype(float)
    y = (x + rng.normal(0, 6, 300) > 11.3).astype(int)
    clf = AdaBoostClassifier(estimator="logistic", n_estimators=1).fit(x[:, None], y)
    theirs = LogisticRegression(C=1e8, tol=1e-10, max_iter=1000).fit(x[:, None], y)
    threshold = clf.ensemble_.threshold[0]
    assert threshold == pytest.approx(-theirs.intercept_[0] / theirs.coef_[0, 0], rel=1e-4)
    assert clf.predict([[threshold - 1e-6], [threshold + 1e-6]]).tolist() == [0, 1]


def test_a_value_on_the_threshold_goes_left() -> None:
    """On the bins of training as on the raw values of prediction."""
    small = weighted(2, missing=0.0)
    learner = learner_of(small)
    on_it = float(np.median(small.X[:, 0]))
    memory = [Node(0, on_it, 1, False), leaf(-1.0), leaf(1.0)]
    stump = learner.recall(small.rows, memory, VOTE)
    score = np.zeros(len(small.X))
    Ensemble.from_trees([stump.nodes(small.binning, 1.0)]).add_scores(
        DenseTable(small.X).row_blocks(small.binning.coders), score, 1
    )
    assert (score[small.X[:, 0] == on_it] == -1).all()
    np.testing.assert_array_equal(stump.scores(small.parts[0]), score[small.place])


def test_rows_held_out_are_scored_as_they_will_be_predicted() -> None:
    """Values between two of those trained on, and the threshold between them too."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 1)).round(1) * 10
    y = (X[:, 0] + rng.normal(0, 8, 60) > 0).astype(int)
    seen: list[Any] = []

    def witness(clf: Any, held_out: Any, labels: Any) -> float:
        seen[:] = [held_out, labels]
        return 0.0

    options: dict[str, Any] = {"early_stopping": True, "validation_fraction": 0.5}
    mismatches = 0
    for seed in range(20):
        options |= {"random_state": seed, "n_estimators": 6, "n_iter_no_change": 6}
        CGAdaClassifier(estimator="logistic", scoring=witness, **options).fit(X, y)
        clf = CGAdaClassifier(estimator="logistic", **options).fit(X, y)
        costs = [np.mean(called != seen[1]) for called in clf.staged_predict(seen[0])]
        mismatches += not np.allclose(-clf.validation_score_, costs)
    assert mismatches == 0


# ---- rounds --------------------------------------------------------------------------------------


@pytest.mark.parametrize("max_bins", [255, 5])
def test_a_regression_is_recalled_from_its_nodes(max_bins: int) -> None:
    for seed in range(6):
        small = weighted(seed, max_bins=max_bins, n_values=30)
        learner = learner_of(small)
        found = learner.find(small.rows, VOTE)
        assert found is not None
        memory = next(iter(learner.model([(found, 0.7)]).rounds()))
        again = learner.recall(small.rows, memory, VOTE)
        assert again.weight.tobytes() == found.weight.tobytes()
        assert again.threshold == found.threshold
        assert again.split.left.tobytes() == found.split.left.tobytes()
        assert again.split.polarity == found.split.polarity


def test_shards_and_threads_do_not_matter() -> None:
    small = weighted(3, n=90)
    traces = []
    for n_shards, n_threads in ((1, 1), (3, 1), (5, 2), (1, 8)):
        small.rows, small.place = small.shards(n_shards, n_threads)
        rows, learner = small.weigh(by_cost=False).rows, learner_of(small)
        seen: list[Any] = []
        for _ in range(8):
            found = learner.find(rows, VOTE)
            assert found is not None
            split = found.split
            seen.append((split.feature, split.quanta, found.threshold, found.weight.tobytes()))
            found.reweigh(rows, np.exp(-0.4 * found.outcome.margin))
        traces.append(seen)
    assert traces[1:] == traces[:1] * 3
