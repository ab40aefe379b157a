"""Rows and features drawn for each round, and penalised leaf values."""

from __future__ import annotations

import warnings
from typing import Any

import naive
import numpy as np
import pandas as pd
import pytest
from divided import in_shards, model
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn.base import clone

from costboost import CostBoostClassifier
from costboost._core.engine._kernels import draw_features, draw_rows, hash_of
from costboost.algorithms import (
    AdaBoostClassifier,
    AdaC2Classifier,
    AsymAdaClassifier,
    CSAdaClassifier,
    CSLBClassifier,
    CSLogitBoostClassifier,
    CSRealBoostClassifier,
    GentleBoostClassifier,
    LogitBoostClassifier,
    RealBoostClassifier,
    WeightBoostClassifier,
)

NEWTON = {"logitboost", "cslb"}
FAMILIES = [LogitBoostClassifier, AdaBoostClassifier, RealBoostClassifier]


def noisy(n: int = 300, d: int = 6, seed: int = 0) -> tuple[NDArray[Any], NDArray[Any]]:
    """Rows of two classes that overlap, with ties and missing values."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)).round(1)
    X[rng.random((n, d)) < 0.05] = np.nan
    score = np.nansum(X[:, :3], axis=1) + X[:, 3] ** 2 + rng.normal(size=n)
    return X, (score > np.nanmedian(score)).astype(int)


# ---- draws ---------------------------------------------------------------------------------------


def test_shares_of_rows_and_features() -> None:
    n, share = 20_000, 0.3
    numbers, out = np.arange(n), np.empty(n, dtype=np.uint32)
    drawn = np.zeros((20, n), dtype=bool)
    for m in range(20):
        a, b, c, d = draw_rows(hash_of(5, m), share, numbers, 7_000, out)
        assert (a, b) == (0, c)
        np.testing.assert_array_equal(out[:d] < 7_000, np.arange(d) < b)
        drawn[m, out[:d]] = True
    assert abs(drawn.mean() - share) < 4 * np.sqrt(share * (1 - share) / drawn.size)
    assert abs(drawn[:, :7_000].mean() - share) < 0.006
    together = (drawn[:-1] & drawn[1:]).mean()  # rounds are independent of each other
    assert abs(together - share**2) < 0.003
    times = np.zeros((10, 10), dtype=int)
    for key in range(2_000):
        times[np.arange(10), draw_features(hash_of(key, 1), 10)] += 1
    assert np.all(times.sum(axis=0) == 2_000)
    assert np.all(abs(times - 200) < 5 * np.sqrt(200 * 0.9))


def test_all_rows_or_none() -> None:
    numbers, out = np.arange(50), np.empty(50, dtype=np.uint32)
    assert draw_rows(1, 1.0, numbers, 20, out) == [0, 20, 20, 50]
    np.testing.assert_array_equal(out, numbers)
    assert draw_rows(1, 0.0, numbers, 20, out) == [0, 0, 0, 0]


# ---- models --------------------------------------------------------------------------------------


@pytest.mark.parametrize("cls", FAMILIES)
@pytest.mark.parametrize("learner", ["stump", "tree", "lookup"])
def test_warm_start_continues_the_draws(cls: Any, learner: str) -> None:
    X, y = noisy()
    options: Any = {"estimator": learner, "subsample": 0.6, "max_features": 2}
    if cls is LogitBoostClassifier:
        options["l2_regularization"] = 1.0
    whole = cls(n_estimators=12, random_state=3, **options).fit(X, y)
    part = cls(n_estimators=5, random_state=3, warm_start=True, **options).fit(X, y)
    assert model(part) != model(whole)
    assert model(part.set_params(n_estimators=12).fit(X, y)) == model(whole)
    assert model(clone(whole).set_params(random_state=4).fit(X, y)) != model(whole)


def test_warm_start_without_a_random_state() -> None:
    X, y = noisy()
    options: Any = {"estimator": "tree", "subsample": 0.5, "n_estimators": 4, "warm_start": True}
    clf = LogitBoostClassifier(**options).fit(X, y)
    first = np.asarray(clf.ensemble_.feature)
    seed = clf.model_.seed
    assert seed is not None
    clf.set_params(n_estimators=8).fit(X, y)
    assert clf.model_.seed == seed
    np.testing.assert_array_equal(clf.ensemble_.feature[: first.size], first)


@pytest.mark.parametrize("cls", FAMILIES)
@pytest.mark.parametrize("learner", ["stump", "tree"])
def test_threads_do_not_matter(cls: Any, learner: str) -> None:
    X, y = noisy(3_000, 40)
    options: Any = {
        "estimator": learner,
        "subsample": 0.5,
        "max_features": "sqrt",
        "random_state": 0,
    }
    models = [model(cls(n_estimators=6, n_jobs=n, **options).fit(X, y)) for n in (1, 2, 5)]
    assert models[0] == models[1] == models[2]


def test_every_ensemble_draws_by_itself() -> None:
    """Folds, members of an average and classes against the rest have streams of their own."""
    X, y = noisy()
    folds = [(np.arange(300), np.arange(150)), (np.arange(300), np.arange(150, 300))]
    clf = CostBoostClassifier(
        n_estimators=3, max_features=2, random_state=0, calibration_split=folds
    ).fit(X, y)
    trees = [str(nodes) for nodes in clf.ensemble_.rounds() if len(nodes) > 3]
    assert len(set(trees)) == len(trees) > 3
    three = np.digitize(np.nansum(X, axis=1), [-1, 1])
    several = LogitBoostClassifier(estimator="tree", subsample=0.5, n_estimators=2, random_state=0)
    several.fit(X, three)
    assert len({one.seed for one in several.model_.members}) == 3
    again = clone(several).fit(X, three)
    np.testing.assert_array_equal(again.predict_proba(X), several.predict_proba(X))


def test_a_round_without_a_step_does_not_end_boosting() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(80, 3)), rng.integers(0, 2, 80)
    options: Any = {"estimator": "tree", "max_depth": 2, "subsample": 0.3, "random_state": 0}
    clf = AdaBoostClassifier(n_estimators=60, **options).fit(X, y)
    steps = clf.estimator_weights_
    assert np.any(steps == 0)
    assert steps[-1] > 0
    part = AdaBoostClassifier(n_estimators=30, warm_start=True, **options).fit(X, y)
    assert model(part.set_params(n_estimators=60).fit(X, y)) == model(clf)


def test_penalty_where_leaves_are_no_means() -> None:
    with pytest.raises(ValueError, match="is for boosting by Newton steps"):
        AdaBoostClassifier(l2_regularization=1.0).fit(*noisy())


def test_more_features_than_there_are() -> None:
    with pytest.raises(ValueError, match="=7 must not be above the number of features, 6"):
        AdaBoostClassifier(max_features=7).fit(*noisy())


@pytest.mark.parametrize("given", [{"subsample": 0.5}, {"max_features": 1}])
def test_learners_that_draw_nothing(given: Any) -> None:
    X, y = noisy()
    with pytest.raises(ValueError, match="has no effect on estimator='linear'"):
        CSLogitBoostClassifier(**given).fit(np.nan_to_num(X), y)


@pytest.mark.parametrize("value", [1.0, 6, None])
def test_all_features_and_all_rows(value: Any) -> None:
    X, y = noisy()
    usual = LogitBoostClassifier(estimator="tree", n_estimators=5).fit(X, y)
    clf = clone(usual).set_params(max_features=value, subsample=1, l2_regularization=0).fit(X, y)
    assert model(clf) == model(usual)
    assert clf.model_.seed is usual.model_.seed or value is not None


@given(
    seed=st.integers(0, 2**31 - 1),
    share=st.sampled_from([0.2, 0.6, 1.0]),
    max_features=st.sampled_from([1, 0.5, "log2", None]),
    splitter=st.sampled_from(["best", "random"]),
    depth=st.sampled_from([2, None]),
    least=st.sampled_from([1, 7]),
    cls=st.sampled_from([*FAMILIES, CSAdaClassifier, WeightBoostClassifier, CSRealBoostClassifier]),
    learner=st.sampled_from(["stump", "tree", "lookup"]),
    by_row=st.booleans(),
    n_shards=st.integers(2, 5),
)
@settings(max_examples=20, deadline=None)
def test_shards_do_not_matter(
    seed: int,
    share: float,
    max_features: Any,
    splitter: str,
    depth: int | None,
    least: int,
    cls: Any,
    learner: str,
    by_row: bool,
    n_shards: int,
) -> None:
    """One shard searches the few rows of a node for random cuts, several add up histograms."""
    X, y = noisy(120, 5, seed % 7)
    X[:, 4] = np.random.default_rng(seed % 5).integers(0, 6, 120)  # a category
    costs = np.random.default_rng(seed).exponential(size=120) + 0.5
    clf = cls(
        estimator=learner,
        n_estimators=3,
        max_depth=depth,
        min_samples_leaf=least,
        subsample=share,
        splitter="best" if by_row or learner == "lookup" else splitter,
        max_features=max_features,
        categorical_features=[4],
        random_state=seed,
    )
    fn_cost = costs if by_row else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        one = model(clone(clf).fit(X, y, fn_cost=fn_cost))
        with pytest.MonkeyPatch.context() as monkeypatch:
            in_shards(monkeypatch, n_shards)
            assert model(clf.fit(X, y, fn_cost=fn_cost)) == one


# ---- constant columns ----------------------------------------------------------------------------

CONSTANTS: dict[str, Any] = {
    "number": 3.0,
    "category": pd.Categorical.from_codes([0], ["red", "green"])[0],
    "text": "red",
    "missing": np.nan,
}
PLACES = st.lists(
    st.tuples(st.integers(0, 99), st.sampled_from([*CONSTANTS])), min_size=1, max_size=9
)


def mixed(n: int = 150, seed: int = 0) -> tuple[pd.DataFrame, NDArray[Any]]:
    """Numbers, categories, and a column that has one value beside missing ones."""
    X, y = noisy(n, 4, seed)
    columns = pd.DataFrame(X, columns=list("abcd"))
    columns["colour"] = pd.Categorical(np.random.default_rng(seed).choice(["r", "g", "b"], n))
    columns["known"] = np.where(y * X[:, 0] > 0, np.nan, 1.0)
    return columns, y


def with_constants(columns: pd.DataFrame, inserted: list[tuple[int, str]]) -> pd.DataFrame:
    """The columns with constant ones in between, each given by its place and its kind."""
    wide = columns.copy()
    for k, (place, kind) in enumerate(inserted):
        value = pd.Series([CONSTANTS[kind]] * len(wide))
        if kind == "category":
            value = value.astype("category")
        wide.insert(place % (wide.shape[1] + 1), f"constant {k}", value)
    return wide


def test_what_a_constant_column_is() -> None:
    columns, y = mixed()
    wide = with_constants(columns, [(0, "number"), (3, "missing"), (6, "category"), (9, "text")])
    clf = LogitBoostClassifier(estimator="tree", max_features=6, n_estimators=2).fit(wide, y)
    assert model(clf) == model(clone(clf).set_params(max_features=None).fit(wide, y))
    with pytest.raises(ValueError, match="=11 must not be above the number of features, 10"):
        clf.set_params(max_features=11).fit(wide, y)


@given(
    inserted=PLACES,
    seed=st.integers(0, 2**31 - 1),
    share=st.sampled_from([0.6, 1.0]),
    max_features=st.sampled_from(["sqrt", "log2", 0.5, 2, 6, None]),
    splitter=st.sampled_from(["best", "random"]),
    cls=st.sampled_from([*FAMILIES, CSAdaClassifier, CSRealBoostClassifier]),
    learner=st.sampled_from(["stump", "tree", "lookup"]),
    by_row=st.booleans(),
    n_shards=st.integers(1, 4),
    n_classes=st.integers(2, 3),
)
@settings(max_examples=60, deadline=None)
def test_constant_columns_have_no_influence(
    inserted: list[tuple[int, str]],
    seed: int,
    share: float,
    max_features: Any,
    splitter: str,
    cls: Any,
    learner: str,
    by_row: bool,
    n_shards: int,
    n_classes: int,
) -> None:
    columns, y = mixed(seed=seed % 5)
    if n_classes == 3:
        y = y + (y & (columns["b"] > 0))
    clf = cls(
        estimator=learner,
        n_estimators=3,
        max_features=max_features,
        splitter="best" if by_row or learner == "lookup" else splitter,
        subsample=share,
        random_state=seed,
    )
    costs = {}
    if by_row and n_classes == 2:
        costs = {"fn_cost": np.random.default_rng(seed).exponential(size=len(y)) + 0.5}
    wide = with_constants(columns, inserted)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        narrow = clone(clf).fit(columns, y, **costs).predict_proba(columns)
        with pytest.MonkeyPatch.context() as monkeypatch:
            if n_shards > 1:
                in_shards(monkeypatch, n_shards)
            clf.fit(wide, y, **costs)
        assert clf.predict_proba(wide).tobytes() == narrow.tobytes()


@pytest.mark.parametrize("n_shards", [1, 3])
@pytest.mark.parametrize("max_features", [None, "sqrt"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_constant_columns_in_costboost(
    monkeypatch: pytest.MonkeyPatch, n_classes: int, max_features: Any, n_shards: int
) -> None:
    columns, y = mixed(300)
    if n_classes == 3:
        y = y + (y & (columns["b"] > 0))
    clf = CostBoostClassifier(n_estimators=8, max_features=max_features, random_state=0, n_jobs=1)
    narrow = clone(clf).fit(columns, y)
    if n_shards > 1:
        in_shards(monkeypatch, n_shards)
    for inserted in (
        [(0, "number")],
        [(3, "missing")],
        [(6, "category")],
        [(0, "missing"), (2, "number"), (5, "text"), (8, "category"), (10, "number")],
    ):
        wide = with_constants(columns, inserted)
        clf.set_params(n_jobs=2).fit(wide, y)
        assert clf.predict_proba(wide).tobytes() == narrow.predict_proba(columns).tobytes()
        constant = wide.columns.str.startswith("constant")
        assert not clf.feature_importances_[constant].any()
        np.testing.assert_allclose(
            clf.feature_importances_[~constant], narrow.feature_importances_, rtol=1e-14
        )


# ---- transcriptions ------------------------------------------------------------------------------

PARAMETERS: list[dict[str, Any]] = [
    {"max_features": 2},
    {"subsample": 0.6, "max_features": 1},
    {"splitter": "random", "max_features": 2},
    {"splitter": "random", "subsample": 0.6},
]
TREE = {"max_depth": 3, "max_leaf_nodes": 5, "min_samples_leaf": 2}
CLASSIFIERS: dict[str, Any] = {
    "logitboost": LogitBoostClassifier,
    "cslb": CSLBClassifier,
    "adaboost": AdaBoostClassifier,
    "adac2": AdaC2Classifier,
    "asymada": AsymAdaClassifier,
    "realboost": RealBoostClassifier,
    "gentleboost": GentleBoostClassifier,
    "csrealboost": CSRealBoostClassifier,
}


@pytest.mark.filterwarnings("ignore:.*ignores costs:UserWarning")
@pytest.mark.parametrize("drawn", PARAMETERS, ids=str)
@pytest.mark.parametrize("learner", ["stump", "tree"])
@pytest.mark.parametrize("algorithm", CLASSIFIERS)
def test_transcriptions_agree(algorithm: str, learner: str, drawn: dict[str, Any]) -> None:
    X, y = noisy(40, 4)
    X = np.insert(X, [1, 4, 4], [7.0, np.nan, 0.0], axis=1)  # constants, which are never drawn
    shape: Any = TREE if learner == "tree" else {}
    drawn = drawn | {"l2_regularization": 2.0 * (algorithm in NEWTON)}
    weight = np.random.default_rng(1).integers(0, 3, 40).astype(float)
    options: Any = {"n_estimators": 4, "learning_rate": 0.5, **shape, **drawn}
    clf = CLASSIFIERS[algorithm](estimator=learner, fn_cost=3, random_state=5, **options).fit(
        X, y, sample_weight=weight
    )
    slow = naive.fit(
        algorithm, X, np.where(y, 1, -1), 3, 1, weight,
        learner=learner, seed=clf.model_.seed, **options,
    )  # fmt: skip
    assert clf.n_iter_ == len(slow.steps) > 0
    np.testing.assert_allclose(clf.estimator_weights_, slow.steps, rtol=1e-9)
    np.testing.assert_allclose(clf.decision_function(X), slow.decision_function(X), atol=1e-9)


@pytest.mark.parametrize("drawn", PARAMETERS[:2], ids=str)
@pytest.mark.parametrize("learner", ["stump", "tree"])
@pytest.mark.parametrize("algorithm", ["csada", "csrealboost", "adac2"])
def test_transcriptions_agree_under_row_costs(
    algorithm: str, learner: str, drawn: dict[str, Any]
) -> None:
    X, y = noisy(30, 4)
    X = np.insert(X, [0, 2], [np.nan, 0.0], axis=1)
    fn_cost, fp_cost = np.random.default_rng(2).exponential(size=(2, 30)) + 0.3
    options: Any = {"n_estimators": 2, **({"max_depth": 2} if learner == "tree" else {}), **drawn}
    clf = (CLASSIFIERS | {"csada": CSAdaClassifier})[algorithm](
        estimator=learner, random_state=5, **options
    ).fit(X, y, fn_cost=fn_cost, fp_cost=fp_cost)
    slow = naive.fit(
        algorithm, X, np.where(y, 1, -1), fn_cost, fp_cost,
        learner=learner, seed=clf.model_.seed, **options,
    )  # fmt: skip
    np.testing.assert_allclose(clf.estimator_weights_, slow.steps, rtol=1e-7)
    np.testing.assert_allclose(clf.decision_function(X), slow.decision_function(X), atol=1e-8)


@pytest.mark.parametrize("learner", ["stump", "tree", "lookup"])
def test_penalty_of_leaf_values(learner: str) -> None:
    X, y = noisy(60, 4)
    X = X.round()  # few values, so that every one is a bin of a table
    shape: Any = TREE if learner == "tree" else {}
    options: Any = {"n_estimators": 4, "l2_regularization": 3.0, **shape}
    clf = LogitBoostClassifier(estimator=learner, **options).fit(X, y)
    slow = naive.fit("logitboost", X, np.where(y, 1, -1), learner=learner, **options)
    np.testing.assert_allclose(clf.decision_function(X), slow.decision_function(X), atol=1e-9)
