"""Guarantees of the engine: equal bytes for any number of threads, scale of costs, callers."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from classifiers.trying import assert_finite

import costboost._core.backends.shard.nodes
import costboost._core.threads.counts
from costboost._core.rules.record import NewtonRule
from costboost.algorithms import (
    CLASSES,
    AdaBoostClassifier,
    AdaBoostRegClassifier,
    AdaDBClassifier,
    AdaMECClassifier,
    CGAdaClassifier,
    CSAdaClassifier,
    CSB0Classifier,
    CSB2Classifier,
    CSGAClassifier,
    CSLBClassifier,
    CSLogitBoostClassifier,
    CSRAClassifier,
    CSRealBoostClassifier,
    LogitBoostClassifier,
)

COST_SENSITIVE = [CGAdaClassifier, AdaMECClassifier]
LEARNERS: dict[str, dict[str, Any]] = {
    "stumps": {},
    "trees": {"estimator": "tree", "max_depth": 3},
    "large leaves": {"estimator": "tree", "max_leaf_nodes": 6, "min_samples_leaf": 5},
}


def problem(n: int, d: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Real values (many more than 255), missing ones and 10% positives that overlap."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    score = X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=n)
    X[rng.random((n, d)) < 0.02] = np.nan
    return X, (score > np.quantile(score, 0.9)).astype(int)


# ---- 1: threads ----------------------------------------------------------------------------------


@pytest.mark.parametrize("per_row", [False, True], ids=["class costs", "row costs"])
@pytest.mark.parametrize("learner", LEARNERS)
def test_any_number_of_threads_gives_the_same_bytes(learner: str, per_row: bool) -> None:
    n, d = 60_000, 20
    assert n * d >= costboost._core.threads.counts.PARALLEL_CELLS
    X, y = problem(n, d)
    cost = np.random.default_rng(1).uniform(1, 20, n) if per_row else 10.0
    models = [
        CGAdaClassifier(n_estimators=12, n_jobs=n_jobs, **LEARNERS[learner]).fit(X, y, fn_cost=cost)
        for n_jobs in (1, 2, 8)
    ]
    assert models[0].n_iter_ == 12
    first = models[0].ensemble_.tobytes()
    assert [model.ensemble_.tobytes() for model in models] == [first] * 3
    scores = [model.decision_function(X).tobytes() for model in models]
    assert scores == scores[:1] * 3


@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("shape", [(300, 3), (50, 700), (5_000, 9)], ids=str)
def test_threads_on_odd_shapes(
    shape: tuple[int, int], learner: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More threads than tiles, or than rows deserve, change nothing either."""
    monkeypatch.setattr(costboost._core.threads.counts, "PARALLEL_CELLS", 1)
    monkeypatch.setattr(costboost._core.backends.shard.nodes, "PARALLEL_CELLS", 1)
    X, y = problem(*shape)
    weight = np.random.default_rng(2).uniform(0, 3, len(y))
    models = [
        CGAdaClassifier(n_estimators=15, fn_cost=5, n_jobs=n_jobs, **LEARNERS[learner])
        .fit(X.astype(np.float32), y, sample_weight=weight)
        for n_jobs in (1, 2, 8)
    ]  # fmt: skip
    assert len({model.ensemble_.tobytes() for model in models}) == 1
    assert len({model.train_cost_.tobytes() for model in models}) == 1
    assert len({model.decision_function(X).tobytes() for model in models}) == 1


FAMILIES: list[tuple[Any, str]] = [
    (CSAdaClassifier, "stump"),
    (AdaDBClassifier, "lookup"),
    (CSRealBoostClassifier, "lookup"),
    (CSRealBoostClassifier, "stump"),
    (CSRealBoostClassifier, "logistic"),
    (CSLogitBoostClassifier, "linear"),
    (CSLogitBoostClassifier, "tree"),
    (CSLBClassifier, "lookup"),
    (CSRAClassifier, "tree"),
    (CSGAClassifier, "logistic"),
    (LogitBoostClassifier, "stump"),
    (AdaBoostRegClassifier, "stump"),
]
"""An algorithm of every family, and every learner."""
each_family = pytest.mark.parametrize(
    ("classifier", "learner"), FAMILIES, ids=lambda v: v if isinstance(v, str) else v.__name__[:-10]
)


def complete(X: np.ndarray, learner: str) -> np.ndarray:
    """Without missing values, for the learner that takes none."""
    return np.nan_to_num(X) if learner == "linear" else X


@pytest.mark.parametrize("per_row", [False, True], ids=["class costs", "row costs"])
@each_family
def test_threads_of_every_family(
    classifier: Any, learner: str, per_row: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(costboost._core.threads.counts, "PARALLEL_CELLS", 1)
    monkeypatch.setattr(costboost._core.backends.shard.nodes, "PARALLEL_CELLS", 1)
    newton = isinstance(classifier.rule, NewtonRule)
    X, y = problem(40_000 if newton else 6_000, 3)  # its loops over rows are cut up too
    X = complete(X, learner)
    fn: Any = 5.0
    if classifier.rule.cost_blind:
        fn = 1.0
    elif per_row:
        fn = np.random.default_rng(1).uniform(1, 9, len(y))
    models = [
        classifier(estimator=learner, n_estimators=2, n_jobs=n_jobs).fit(X, y, fn_cost=fn)
        for n_jobs in (1, 2, 8)
    ]
    assert models[0].n_iter_ == 2
    for name in ("estimator_weights_", "estimator_errors_", "train_cost_"):
        assert len({getattr(model, name).tobytes() for model in models}) == 1
    assert len({model.ensemble_.tobytes() for model in models}) == 1
    assert len({model.decision_function(X[:500]).tobytes() for model in models}) == 1


def test_tobytes_sees_a_difference() -> None:
    X, y = problem(300, 3)
    short, long = (AdaBoostClassifier(n_estimators=n).fit(X, y) for n in (4, 5))
    other = AdaBoostClassifier(n_estimators=4).fit(X + 1e-9, y)
    assert short.ensemble_ == AdaBoostClassifier(n_estimators=4).fit(X, y).ensemble_
    assert len({model.ensemble_.tobytes() for model in (short, long, other)}) == 3


# ---- 2: the scale of the costs -------------------------------------------------------------------


@pytest.mark.parametrize("exponent", [-900, -40, -1, 3, 60, 900])
@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("classifier", COST_SENSITIVE)
def test_costs_times_a_power_of_two(classifier: Any, learner: str, exponent: int) -> None:
    X, y = problem(500, 4)
    fn, scale = 7.3, 2.0**exponent
    options = LEARNERS[learner] | {"n_estimators": 20}
    plain = classifier(fn_cost=fn, fp_cost=0.9, **options).fit(X, y)
    scaled = classifier(fn_cost=fn * scale, fp_cost=0.9 * scale, **options).fit(X, y)
    assert scaled.ensemble_ == plain.ensemble_
    np.testing.assert_array_equal(scaled.predict(X), plain.predict(X))
    np.testing.assert_array_equal(scaled.predict_proba(X), plain.predict_proba(X))
    np.testing.assert_array_equal(scaled.train_cost_, plain.train_cost_ * scale)


@pytest.mark.parametrize("exponent", [-900, 3, 900])
@pytest.mark.parametrize("classifier", COST_SENSITIVE)
def test_row_costs_times_a_power_of_two(classifier: Any, exponent: int) -> None:
    X, y = problem(500, 4)
    fn, fp = np.random.default_rng(3).uniform(0.1, 9, (2, len(y)))
    scale = 2.0**exponent
    plain = classifier(n_estimators=20).fit(X, y, fn_cost=fn, fp_cost=fp)
    scaled = classifier(n_estimators=20).fit(X, y, fn_cost=fn * scale, fp_cost=fp * scale)
    assert scaled.ensemble_ == plain.ensemble_
    np.testing.assert_array_equal(scaled.predict(X), plain.predict(X))
    np.testing.assert_array_equal(scaled.train_cost_, plain.train_cost_ * scale)


PER_COST = [
    (classifier, learner)
    for classifier in (
        CSAdaClassifier,
        AdaDBClassifier,
        CSRealBoostClassifier,
        CSLogitBoostClassifier,
    )
    for learner in classifier.rule.learners
    if learner != "wrapped"
]
"""Scores are measured in 1 / cost."""
each_per_cost = pytest.mark.parametrize(
    ("classifier", "learner"), PER_COST, ids=lambda v: v if isinstance(v, str) else v.__name__[:-10]
)


def assert_scaled(scaled: Any, plain: Any, X: np.ndarray, scale: float) -> None:
    """Assert equal decisions and probabilities, from scores divided by the scale exactly."""
    assert plain.n_iter_ == scaled.n_iter_ > 1
    assert (scaled.decision_function(X) * scale).tobytes() == plain.decision_function(X).tobytes()
    np.testing.assert_array_equal(scaled.predict(X), plain.predict(X))
    np.testing.assert_array_equal(scaled.predict_proba(X), plain.predict_proba(X))
    np.testing.assert_array_equal(scaled.train_cost_, plain.train_cost_ * scale)
    np.testing.assert_array_equal(scaled.estimator_errors_, plain.estimator_errors_)


@pytest.mark.parametrize("exponent", [-900, -30, -1, 3, 60, 900])
@each_per_cost
def test_scores_in_units_of_cost(classifier: Any, learner: str, exponent: int) -> None:
    X, y = problem(150, 3)
    X, scale = complete(X, learner), 2.0**exponent
    plain, scaled = (
        classifier(estimator=learner, n_estimators=6, fn_cost=7.3 * c, fp_cost=0.9 * c).fit(X, y)
        for c in (1.0, scale)
    )
    assert_scaled(scaled, plain, X, scale)


@pytest.mark.slow
@pytest.mark.parametrize("exponent", [-900, 3, 900])
@each_per_cost
def test_scores_in_units_of_row_costs(classifier: Any, learner: str, exponent: int) -> None:
    slow = classifier is CSRealBoostClassifier and learner == "tree"
    X, y = problem(40 if slow else 100, 3)
    X, scale = complete(X, learner), 2.0**exponent
    fn, fp = np.random.default_rng(3).uniform(0.1, 9, (2, len(y)))
    plain, scaled = (
        classifier(estimator=learner, n_estimators=4).fit(X, y, fn_cost=fn * c, fp_cost=fp * c)
        for c in (1.0, scale)
    )
    assert_scaled(scaled, plain, X, scale)


RATIOS = [1e-300, 1e-150, 1e-12, 1e12, 1e150, 1e300]


@pytest.mark.filterwarnings("ignore:.* added no learner")
@pytest.mark.parametrize("split", ["fn", "fp", "both"])
@pytest.mark.parametrize("ratio", RATIOS)
@pytest.mark.parametrize("estimator", ["stump", "tree"])
@pytest.mark.parametrize("classifier", COST_SENSITIVE)
def test_extreme_cost_ratios(classifier: Any, estimator: str, ratio: float, split: str) -> None:
    X, y = problem(400, 3)
    fn, fp = {
        "fn": (ratio, 1.0),
        "fp": (1.0, 1 / ratio),
        "both": (np.sqrt(ratio), 1 / np.sqrt(ratio)),
    }[split]
    clf = classifier(estimator=estimator, n_estimators=10, fn_cost=fn, fp_cost=fp).fit(X, y)
    assert_finite(clf, X)
    # No mistake is made on the class whose mistakes are costly.
    costly = 1 if ratio > 1 else 0
    assert (clf.predict(X)[y == costly] == costly).all()


@pytest.mark.filterwarnings("ignore:the costliest 1% of the rows:UserWarning")
@pytest.mark.parametrize("classifier", COST_SENSITIVE)
def test_extreme_row_costs(classifier: Any) -> None:
    X, y = problem(400, 3)
    rng = np.random.default_rng(4)
    fn, fp = 10 ** rng.uniform(-300, 300, (2, len(y)))
    clf = classifier(n_estimators=10).fit(X, y, fn_cost=fn, fp_cost=fp)
    assert np.isfinite(clf.decision_function(X)).all()
    assert np.isfinite(clf.predict_proba(X)).all()
    assert np.isfinite(clf.estimator_weights_).all()


@pytest.mark.parametrize("classifier", [CSB0Classifier, CSB2Classifier, CSAdaClassifier])
def test_costs_of_rows_that_no_round_can_weigh(classifier: Any) -> None:
    X, y = problem(40, 3)
    costs = np.geomspace(1e-200, 1e200, 40)
    message = "may cost 1e[+]300 times as much as another, but costs are from 1e-200 to 1e[+]200"
    with pytest.raises(ValueError, match=message):
        classifier().fit(X, y, fn_cost=costs, fp_cost=costs)


EVERYONE = [cls for cls in CLASSES if not cls.rule.cost_blind]


@pytest.mark.filterwarnings("ignore:.* added no learner")
@pytest.mark.parametrize("ratio", RATIOS)
@pytest.mark.parametrize("classifier", EVERYONE, ids=lambda c: c.__name__[:-10])
def test_extreme_cost_ratios_of_every_family(classifier: Any, ratio: float) -> None:
    """Finite, and without a warning, whichever of the two costs is extreme."""
    X, y = problem(120, 3)
    pairs = [(ratio, 1.0), (1.0, 1 / ratio), (np.sqrt(ratio), 1 / np.sqrt(ratio))]
    for learner in classifier.rule.learners:
        if learner == "wrapped":
            continue
        values = complete(X, learner)
        for fn, fp in pairs:
            clf = classifier(estimator=learner, n_estimators=4, fn_cost=fn, fp_cost=fp)
            clf.fit(values, y)
            for found in (
                clf.decision_function(values), clf.predict_proba(values), clf.estimator_weights_,
                clf.estimator_errors_, clf.train_cost_,
            ):  # fmt: skip
                assert np.isfinite(found).all()
            assert (clf.predict_proba(values) >= 0).all()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.* added no learner")
@pytest.mark.parametrize("spread", [3, 8])
@pytest.mark.parametrize("classifier", EVERYONE, ids=lambda c: c.__name__[:-10])
def test_row_costs_of_many_sizes(classifier: Any, spread: int) -> None:
    for seed in range(2):
        X, y = problem(40, 3, seed)
        fn, fp = 10.0 ** np.random.default_rng(seed).uniform(-spread, spread, (2, len(y)))
        for learner in classifier.rule.learners:
            if learner in ("wrapped", "tree"):
                continue
            values = complete(X, learner)
            clf = classifier(estimator=learner, n_estimators=6)
            clf.fit(values, y, fn_cost=fn, fp_cost=fp)
            assert np.isfinite(clf.decision_function(values)).all()
            assert np.isfinite(clf.predict_proba(values)).all()
            assert np.isfinite(clf.estimator_weights_).all()


def test_costs_that_no_row_has() -> None:
    """The false negative cost of a negative row has no effect."""
    X, y = problem(60, 3)
    for learner in ("stump", "lookup"):
        for size in (1e2, 1e3, 1e6):
            clf = CSRealBoostClassifier(estimator=learner, n_estimators=2)
            clf.fit(X, y, fn_cost=np.where(y == 1, 1.0, size), fp_cost=np.ones(len(y)))
            assert np.isfinite(clf.decision_function(X)).all()


# ---- 4: many callers -----------------------------------------------------------------------------


@pytest.mark.parametrize("estimator", ["stump", "tree"])
def test_predict_from_eight_threads(estimator: str) -> None:
    X, y = problem(400, 6)
    clf = AdaMECClassifier(estimator=estimator, n_estimators=30, fn_cost=6).fit(X, y)
    blocks = [X[k : k + 40] for k in range(0, 360, 3)]
    calls = {
        "predict": clf.predict,
        "predict_proba": clf.predict_proba,
        "decision_function": clf.decision_function,
        "other costs": lambda block: clf.predict(block, fn_cost=2.0),
    }
    serial = {name: [call(block) for block in blocks] for name, call in calls.items()}
    before = pickle.dumps(clf)

    def caller(number: int) -> int:
        rng = np.random.default_rng(number)
        right = 0
        for _ in range(1_000):
            name, k = str(rng.choice(list(calls))), int(rng.integers(len(blocks)))
            right += calls[name](blocks[k]).tobytes() == serial[name][k].tobytes()
        return right

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(caller, range(8))) == [1_000] * 8
    assert pickle.dumps(clf) == before


@each_family
def test_predict_of_every_family_from_eight_threads(classifier: Any, learner: str) -> None:
    X, y = problem(300, 3)
    X = complete(X, learner)
    clf = classifier(estimator=learner, n_estimators=4).fit(X, y)
    blocks = [X[k : k + 40] for k in range(0, 260, 20)]
    calls = [clf.predict, clf.predict_proba, clf.decision_function]
    serial = [[call(block).tobytes() for block in blocks] for call in calls]
    before = pickle.dumps(clf)

    def caller(number: int) -> bool:
        return all(
            call(blocks[(k + number) % len(blocks)]).tobytes()
            == serial[c][(k + number) % len(blocks)]
            for k in range(15)
            for c, call in enumerate(calls)
        )

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(caller, range(8))) == [True] * 8
    assert pickle.dumps(clf) == before


def test_parallel_predictions_from_many_callers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Concurrent callers, each of which uses several threads."""
    monkeypatch.setattr(costboost._core.threads.counts, "PARALLEL_CELLS", 1)
    X, y = problem(3_000, 6)
    clf = AdaMECClassifier(n_estimators=30, n_jobs=4).fit(X, y)
    serial = clf.decision_function(X).tobytes()
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda _: clf.decision_function(X).tobytes(), range(80)))
    assert set(results) == {serial}


def test_fits_side_by_side() -> None:
    X, y = problem(2_000, 6)
    alone = [CGAdaClassifier(n_estimators=20, fn_cost=c).fit(X, y).ensemble_ for c in range(1, 9)]
    with ThreadPoolExecutor(8) as pool:
        together = list(
            pool.map(
                lambda c: CGAdaClassifier(n_estimators=20, fn_cost=c).fit(X, y).ensemble_,
                range(1, 9),
            )
        )
    assert together == alone


@pytest.mark.parametrize(
    ("fn_cost", "fp_cost", "message"),
    [
        (1e308, 1.0, "fn_cost must be from 1e-300 to 1e[+]300, got 1e[+]308"),
        (1.0, 5e-324, "fp_cost must be from 1e-300 to 1e[+]300, got 4.9"),
        (1e300, 1e-300, "farther apart"),
        (1e-200, 1e200, "farther apart"),
    ],
)
@pytest.mark.parametrize("classifier", COST_SENSITIVE)
def test_costs_that_floats_cannot_hold(
    classifier: Any, fn_cost: float, fp_cost: float, message: str
) -> None:
    X, y = problem(40, 3)
    with pytest.raises(ValueError, match=message):
        classifier(fn_cost=fn_cost, fp_cost=fp_cost).fit(X, y)
    with pytest.raises(ValueError, match=message):
        classifier().fit(X, y, fn_cost=np.full(40, fn_cost), fp_cost=fp_cost)


def test_a_whole_number_that_is_no_float() -> None:
    X, y = problem(40, 3)
    with pytest.raises(ValueError, match=r"fn_cost must be a number .* got 1000.*\.\.\."):
        CGAdaClassifier(fn_cost=10**400).fit(X, y)
