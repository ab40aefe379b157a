"""Monotone features and features that may interact."""

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
from sklearn.tree import DecisionTreeClassifier

import costboost as cb
from costboost.calibration import CALIBRATORS

pytestmark = [
    pytest.mark.filterwarnings("ignore:.* ignores costs"),
    pytest.mark.filterwarnings("ignore:.* added no learner"),
    pytest.mark.filterwarnings("ignore:.* predicts .* for every"),
]
TREE = {"max_depth": 3, "max_leaf_nodes": 6, "min_samples_leaf": 2}
CLASSIFIERS: dict[str, Any] = {
    "adaboost": cb.algorithms.AdaBoostClassifier,
    "adac2": cb.algorithms.AdaC2Classifier,
    "csada": cb.algorithms.CSAdaClassifier,
    "adaboostreg": cb.algorithms.AdaBoostRegClassifier,
    "realboost": cb.algorithms.RealBoostClassifier,
    "rareboost": cb.algorithms.RareBoostClassifier,
    "gentleboost": cb.algorithms.GentleBoostClassifier,
    "csra": cb.algorithms.CSRAClassifier,
    "csrealboost": cb.algorithms.CSRealBoostClassifier,
    "logitboost": cb.algorithms.LogitBoostClassifier,
    "cslb": cb.algorithms.CSLBClassifier,
    "cslogitboost": cb.algorithms.CSLogitBoostClassifier,
}
BY_ROW = ("csada", "csrealboost", "adac2", "cslogitboost")
SUMMED = [name for name in CLASSIFIERS if name not in ("csada", "adaboostreg")]
"""Algorithms whose transcriptions draw rows and features."""


def noisy(
    n: int = 40, d: int = 4, seed: int = 0, missing: float = 0.1
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Rows of two classes that overlap, with ties and missing values."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)).round(1)
    score = X[:, 0] - X[:, 1] ** 2 + np.sin(2 * X[:, 2]) * X[:, 3] + rng.normal(size=n)
    X[rng.random((n, d)) < missing] = np.nan
    return X, (score > np.median(score)).astype(int)


def random_constraints(seed: int, d: int) -> tuple[list[int], Any]:
    """Directions of features, and groups of them or None."""
    rng = np.random.default_rng(seed)
    directions = rng.integers(-1, 2, d).tolist()
    groups: list[Any] = [None, [[0, 1], [1, 2]], [[0], [1, 3]]]
    return directions, groups[seed % 3]


# ---- transcriptions ------------------------------------------------------------------------------


@given(
    seed=st.integers(0, 2**20),
    algorithm=st.sampled_from(sorted(CLASSIFIERS)),
    learner=st.sampled_from(["stump", "tree", "lookup"]),
    draws=st.booleans(),
)
@settings(max_examples=60, deadline=None)
def test_transcriptions_agree(seed: int, algorithm: str, learner: str, draws: bool) -> None:
    X, y = noisy(seed=seed)
    directions, groups = random_constraints(seed, 4)
    rng = np.random.default_rng(seed)
    options: Any = {"n_estimators": 3, "learning_rate": 0.5}
    if learner == "tree":
        options |= TREE
    if learner == "lookup":
        X = X.round()  # few values, so that every one is a bin of a table
        if algorithm == "rareboost":  # whose leaves together get two values
            algorithm = "realboost"
    if learner == "tree" and algorithm == "rareboost":
        algorithm = "logitboost"
    if algorithm in ("logitboost", "cslb"):
        options["l2_regularization"] = float(rng.choice([0.0, 2.0]))
    if draws and learner != "lookup" and algorithm in SUMMED:
        options |= {"max_features": 2, "subsample": 0.7}
    fn_cost: Any = 3.0
    if algorithm in BY_ROW and seed % 2 and not (learner == "lookup" and algorithm == "csada"):
        fn_cost = rng.exponential(size=40) + 0.3
    weight = rng.uniform(0.5, 1.5, 40)
    clf = CLASSIFIERS[algorithm](
        estimator=learner, random_state=5, monotonic_cst=directions, interaction_cst=groups,
        **options,
    ).fit(X, y, sample_weight=weight, fn_cost=fn_cost)  # fmt: skip
    slow = naive.fit(
        algorithm, X, np.where(y, 1, -1), fn_cost, 1.0, weight,
        learner=learner, seed=clf.model_.seed or 0, monotone=dict(enumerate(directions)),
        groups=None if groups is None else all_groups(groups, 4), **options,
    )  # fmt: skip
    assert clf.n_iter_ == len(slow.steps)
    if slow.steps:
        atol = 1e-9 if np.ndim(fn_cost) == 0 else 1e-8
        np.testing.assert_allclose(clf.decision_function(X), slow.decision_function(X), atol=atol)


def all_groups(groups: list[list[int]], d: int) -> list[set[int]]:
    """The groups, and one of the features that are in none."""
    return [*map(set, groups), set(range(d)) - {f for group in groups for f in group}]


# ---- monotone probabilities ----------------------------------------------------------------------


def violations(clf: Any, X: NDArray[Any], directions: list[int], n_rows: int = 8) -> int:
    """How often the probability of the positive class moves the wrong way along a dense grid."""
    wrong = 0
    for f in np.flatnonzero(directions):
        present = X[:, f][~np.isnan(X[:, f])]
        ends = present.min() - 1, present.max() + 1
        grid = np.unique(
            np.concatenate([np.linspace(*ends, 301), present, np.nextafter(present, 9)])
        )
        rows = np.repeat(X[:n_rows], grid.size, axis=0)
        rows[:, f] = np.tile(grid, n_rows)
        for numbers in (clf.decision_function(rows), clf.predict_proba(rows)[:, 1]):
            steps = np.diff(numbers.reshape(n_rows, -1), axis=1)
            wrong += int(np.sum(directions[f] * steps < 0))
    return wrong


OPTIONS: list[dict[str, Any]] = [
    {},
    {"max_features": 2, "subsample": 0.6},
    {"splitter": "random"},
    {"calibration": "platt"},
    {"early_stopping": True},
]


def monotone_fit(seed: int) -> tuple[Any, NDArray[Any], list[int]]:
    """A classifier fitted with random parameters to random rows under random constraints."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(40, 300)), 5
    X, y = noisy(n, d, seed, missing=0.1 * (seed % 3))
    directions, groups = random_constraints(seed, d)
    names = sorted({*CLASSIFIERS, "costboost"})
    name = names[seed % len(names)]
    cls = (CLASSIFIERS | {"costboost": cb.CostBoostClassifier})[name]
    options: Any = {"monotonic_cst": directions, "interaction_cst": groups, "random_state": seed}
    options |= OPTIONS[rng.integers(len(OPTIONS))]
    stack = name == "costboost" and seed % 2 == 0
    if not stack:
        options["estimator"] = ("stump", "tree", "lookup")[int(rng.integers(3))]
    if stack or options["estimator"] == "lookup":
        options.pop("splitter", None)
    if name == "costboost" or "calibration" in options:
        options["calibration"] = str(rng.choice(list(CALIBRATORS)))
        options["calibration_split"] = [None, 0.3, 2][int(rng.integers(3))]
    fn_cost: Any = (
        rng.exponential(size=n) + 0.2 if rng.random() < 0.3 else float(rng.choice([1, 9]))
    )
    if np.ndim(fn_cost) and options.get("splitter"):
        fn_cost = 2.0
    clf = cls(n_estimators=int(rng.integers(1, 25)), **options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return clf.fit(X, y, fn_cost=fn_cost), X, directions


@pytest.mark.parametrize("seed", range(26))
def test_no_violation_on_dense_grids(seed: int) -> None:
    assert violations(*monotone_fit(seed)) == 0


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(26, 226))
def test_no_violation_in_two_hundred_fits(seed: int) -> None:
    assert violations(*monotone_fit(seed)) == 0


@given(seed=st.integers(226, 2**31))
@settings(max_examples=15, deadline=None)
def test_no_violation(seed: int) -> None:
    assert violations(*monotone_fit(seed)) == 0


def test_without_the_constraint_there_are_violations() -> None:
    X, y = noisy(200, seed=3)
    for estimator in ("stump", "tree", "lookup"):
        clf = cb.algorithms.LogitBoostClassifier(estimator=estimator, n_estimators=20).fit(X, y)
        assert violations(clf, X, [1, 1, 1, 1]) > 0


def test_categories_and_missing_values_in_other_columns() -> None:
    rng = np.random.default_rng(0)
    X, y = noisy(400, 4)
    frame = pd.DataFrame(X, columns=["income", "debt", "age", "years"])
    frame["job"] = pd.Categorical(rng.choice(list("abcdef"), 400))
    clf = cb.CostBoostClassifier(
        n_estimators=20, monotonic_cst={"income": 1, "debt": -1}, random_state=0
    ).fit(frame, y)
    for column, direction in (("income", 1), ("debt", -1)):
        grid = np.linspace(-4, 4, 401)
        for k in range(10):
            rows = frame.iloc[[k] * grid.size].copy()
            rows[column] = grid
            assert not np.any(direction * np.diff(clf.predict_proba(rows)[:, 1]) < 0)


@pytest.mark.parametrize("calibration", sorted(CALIBRATORS))
def test_a_calibrator_that_would_decrease_is_constant(calibration: str) -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 1))
    y = (X[:, 0] + 0.3 * rng.normal(size=60) < 0).astype(int)  # the probability falls
    folds = [(np.r_[:30], np.r_[30:60])]
    y[:30] = X[:30, 0] > 0  # but it rises in the training rows
    clf = cb.algorithms.LogitBoostClassifier(
        n_estimators=5, calibration=calibration, calibration_split=folds, monotonic_cst=[1]
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        clf.fit(X, y)
    probability = clf.predict_proba(X)[:, 1]
    assert not np.any(np.diff(probability[np.argsort(X[:, 0])]) < 0)


@pytest.mark.parametrize("estimator", ["stump", "tree", "lookup"])
def test_directions_of_zero_change_nothing(estimator: str) -> None:
    X, y = noisy(300)
    clf = cb.algorithms.LogitBoostClassifier(estimator=estimator, n_estimators=10)
    usual = model(clone(clf).fit(X, y))
    given = clone(clf).set_params(monotonic_cst=[0, 0, 0, 0], interaction_cst=[range(4)])
    assert model(given.fit(X, y)) == usual


@pytest.mark.parametrize("name", ["adaboost", "realboost", "gentleboost", "logitboost"])
@pytest.mark.parametrize("estimator", ["stump", "tree"])
def test_constraints_that_hold_anyway_change_nothing(name: str, estimator: str) -> None:
    X = np.arange(60.0)[:, None]
    y = (X[:, 0] > 30).astype(int)
    clf = CLASSIFIERS[name](estimator=estimator, n_estimators=3)
    usual = model(clone(clf).fit(X, y))
    assert model(clone(clf).set_params(monotonic_cst=[1]).fit(X, y)) == usual
    assert model(clone(clf).set_params(monotonic_cst=[-1]).fit(X, y)) != usual


# ---- interactions --------------------------------------------------------------------------------


def paths(clf: Any) -> set[frozenset[int]]:
    """The sets of features that paths of the trees test."""
    found = set()

    def walk(nodes: Any, k: int, path: frozenset[int]) -> None:
        node = nodes[k]
        if node.left < 0:
            found.add(path)
            return
        for child in (node.left, node.left + 1):
            walk(nodes, child, path | {node.feature})

    for nodes in clf.ensemble_.rounds():
        walk(nodes, 0, frozenset())
    return found


@given(
    seed=st.integers(0, 1000),
    groups=st.one_of(
        st.sampled_from(["pairwise", "no_interactions"]),
        st.lists(st.sets(st.integers(0, 5), min_size=1, max_size=4), min_size=1, max_size=4),
    ),
    cls=st.sampled_from(
        [
            cb.algorithms.LogitBoostClassifier,
            cb.algorithms.AdaBoostClassifier,
            cb.algorithms.CSRealBoostClassifier,
        ]
    ),
    max_features=st.sampled_from([None, 2]),
    by_row=st.booleans(),
)
@settings(max_examples=25, deadline=None)
def test_no_path_leaves_its_group(
    seed: int, groups: Any, cls: Any, max_features: Any, by_row: bool
) -> None:
    X, y = noisy(150, 6, seed)
    clf = cls(
        estimator="tree", max_depth=4, n_estimators=4, interaction_cst=groups,
        max_features=max_features, random_state=seed,
    )  # fmt: skip
    clf.fit(X, y, fn_cost=np.random.default_rng(seed).exponential(size=150) + 0.5 if by_row else 2)
    for path in paths(clf):
        if isinstance(groups, str):
            assert len(path) <= (2 if groups == "pairwise" else 1)
        else:
            assert any(path <= group for group in all_groups(groups, 6))


@pytest.mark.parametrize("groups", ["no_interactions", "pairwise", [[0, 1, 2], [2, 3]]])
@pytest.mark.parametrize("max_features", [None, 2])
@pytest.mark.parametrize("cls", [cb.algorithms.SAMMEClassifier, cb.algorithms.BAdaCostClassifier])
def test_paths_of_votes_for_several_classes(cls: Any, groups: Any, max_features: Any) -> None:
    X, _ = noisy(300, 5)
    y = np.digitize(np.nan_to_num(X[:, 0] * X[:, 1] + X[:, 2] * X[:, 3]), [-0.5, 0, 0.5])
    costs = np.ones((4, 4)) - np.eye(4)
    options: Any = {"estimator": "tree", "max_depth": 4, "n_estimators": 4, "random_state": 0}
    options |= {"max_features": max_features, "cost_matrix": costs}
    found = paths(cls(interaction_cst=groups, **options).fit(X, y))
    if isinstance(groups, str):
        assert max(map(len, found)) == (2 if groups == "pairwise" else 1)
    else:
        assert all(any(path <= group for group in all_groups(groups, 5)) for path in found)
        assert max(map(len, found)) > 1
    assert max(map(len, paths(cls(**options).fit(X, y)))) > 2


def test_paths_reach_as_far_as_they_may() -> None:
    X, y = noisy(400, 4, missing=0)
    options: Any = {"estimator": "tree", "max_depth": 4, "n_estimators": 5}
    for groups, most in (("no_interactions", 1), ("pairwise", 2), ([[0, 1, 2]], 3), (None, 4)):
        clf = cb.algorithms.LogitBoostClassifier(interaction_cst=groups, **options).fit(X, y)
        assert max(map(len, paths(clf))) == most


# ---- threads, shards, warm starts, files ---------------------------------------------------------


@given(
    seed=st.integers(0, 2**20),
    cls=st.sampled_from([
        cb.algorithms.LogitBoostClassifier, cb.algorithms.AdaBoostClassifier,
        cb.algorithms.RealBoostClassifier, cb.algorithms.CSAdaClassifier,
        cb.algorithms.CSRealBoostClassifier, cb.algorithms.GentleBoostClassifier,
    ]),
    learner=st.sampled_from(["stump", "tree", "lookup"]),
    by_row=st.booleans(),
    n_shards=st.integers(2, 5),
)  # fmt: skip
@settings(max_examples=25, deadline=None)
def test_shards_do_not_matter(
    seed: int, cls: Any, learner: str, by_row: bool, n_shards: int
) -> None:
    X, y = noisy(120, 5, seed % 7)
    directions, groups = random_constraints(seed, 5)
    fn_cost = np.random.default_rng(seed).exponential(size=120) + 0.5 if by_row else None
    clf = cls(
        estimator=learner, n_estimators=3, max_depth=3, monotonic_cst=directions,
        interaction_cst=groups, max_features=[None, 3][seed % 2],
        subsample=[1.0, 0.7][seed // 2 % 2], random_state=seed,
    )  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        one = model(clone(clf).fit(X, y, fn_cost=fn_cost))
        with pytest.MonkeyPatch.context() as monkeypatch:
            in_shards(monkeypatch, n_shards)
            assert model(clf.fit(X, y, fn_cost=fn_cost)) == one


@pytest.mark.parametrize(
    "cls", [cb.algorithms.LogitBoostClassifier, cb.algorithms.RealBoostClassifier]
)
def test_threads_do_not_matter(cls: Any) -> None:
    X, y = noisy(3_000, 20)
    clf = cls(
        estimator="tree", n_estimators=5, monotonic_cst=[1, -1] * 10, interaction_cst="pairwise"
    )
    models = [model(clone(clf).set_params(n_jobs=n).fit(X, y)) for n in (1, 2, 5)]
    assert models[0] == models[1] == models[2]


@pytest.mark.parametrize("estimator", ["stump", "tree", "lookup"])
@pytest.mark.parametrize("name", ["adaboost", "realboost", "logitboost", "csrealboost"])
def test_warm_starts_continue(name: str, estimator: str) -> None:
    X, y = noisy(200)
    fn_cost = np.random.default_rng(0).exponential(size=200) + 0.5
    options: Any = {"estimator": estimator, "monotonic_cst": [1, 1, -1, 0]}
    whole = CLASSIFIERS[name](n_estimators=8, **options).fit(X, y, fn_cost=fn_cost)
    part = CLASSIFIERS[name](n_estimators=4, warm_start=True, **options).fit(X, y, fn_cost=fn_cost)
    part.set_params(n_estimators=8).fit(X, y, fn_cost=fn_cost)
    assert model(part) == model(whole)
    part.set_params(n_estimators=9, monotonic_cst=[1, 0, 0, 0])
    with pytest.raises(ValueError, match="goes on with the same monotonic_cst"):
        part.fit(X, y, fn_cost=fn_cost)


@pytest.mark.parametrize("groups", ["pairwise", [["a", "b"], ["c"]], None])
def test_files_hold_the_constraints(groups: Any, tmp_path: Any) -> None:
    X, y = noisy(200)
    frame = pd.DataFrame(X, columns=list("abcd"))
    clf = cb.CostBoostClassifier(
        n_estimators=5, monotonic_cst={"a": 1, "c": -1}, interaction_cst=groups, random_state=0
    ).fit(frame, y)
    cb.save(clf, tmp_path / "model.costboost")
    loaded = cb.load(tmp_path / "model.costboost")
    assert loaded.model_.constraints == clf.model_.constraints
    assert loaded.model_.monotonic.tolist() == [1, 0, -1, 0]
    assert loaded.get_params()["monotonic_cst"] == {"a": 1, "c": -1}
    np.testing.assert_array_equal(loaded.predict_proba(frame), clf.predict_proba(frame))
    assert loaded.model_.constraints.described(list("abcd"))["increasing"] == "a"


# ---- what is refused -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"monotonic_cst": [1, 0, 2, 0]}, "got 2 for feature 2"),
        ({"monotonic_cst": [1, 0]}, "has 2 entries, but X has 4 features"),
        ({"monotonic_cst": 1}, "must be None, an array with -1, 0 or 1"),
        ({"monotonic_cst": [True, 0, 0, 0]}, "got True for feature 0"),
        ({"monotonic_cst": {"a": 1}}, "columns of X have no names; give an array"),
        ({"interaction_cst": "triples"}, "'pairwise', 'no_interactions' or a list"),
        ({"interaction_cst": [0, 1]}, "got the group 0"),
        ({"interaction_cst": [[0, 4]]}, "names feature 4, but X has 4"),
        ({"interaction_cst": 3}, "list of groups of columns, got 3"),
        ({"monotonic_cst": [1, 0, 0, 0], "negative_step": "keep"}, "negative step reverses"),
        ({"monotonic_cst": [1, 0, 0, 0], "estimator": "logistic"}, "not possible for estimator="),
        (
            {"interaction_cst": "pairwise", "estimator": "logistic"},
            "interaction_cst is not possible",
        ),
    ],
)
def test_what_is_refused(given: Any, message: str) -> None:
    X, y = noisy()
    with pytest.raises(ValueError, match=message):
        cb.algorithms.AdaBoostClassifier(**given).fit(X, y)


def test_an_unknown_column_is_refused() -> None:
    X, y = noisy()
    frame = pd.DataFrame(X, columns=list("abcd"))
    with pytest.raises(ValueError, match="column 'e', which X does not have; its columns are 'a'"):
        cb.algorithms.AdaBoostClassifier(monotonic_cst={"e": 1}).fit(frame, y)
    with pytest.raises(ValueError, match="column 'e', which X does not have"):
        cb.algorithms.AdaBoostClassifier(interaction_cst=[["a", "e"]]).fit(frame, y)


def test_categories_several_classes_and_other_learners_are_refused() -> None:
    X, y = noisy(120)
    frame = pd.DataFrame(X, columns=list("abcd")).assign(job=list("xyz") * 40)
    with pytest.raises(ValueError, match="for column 'job', which holds categories"):
        cb.CostBoostClassifier(n_estimators=2, monotonic_cst={"job": 1}).fit(frame, y)
    three = np.arange(120) % 3
    with pytest.raises(ValueError, match="is for two classes, but y has 3"):
        cb.algorithms.LogitBoostClassifier(monotonic_cst=[1, 0, 0, 0]).fit(X, three)
    with pytest.raises(ValueError, match="is for two classes, but y has 3"):
        cb.algorithms.SAMMEClassifier(monotonic_cst=[1, 0, 0, 0]).fit(X, three)
    cb.algorithms.LogitBoostClassifier(interaction_cst="pairwise", n_estimators=2).fit(X, three)
    with pytest.raises(ValueError, match="not possible for WeightBoost"):
        cb.algorithms.WeightBoostClassifier(monotonic_cst=[1, 0, 0, 0]).fit(X, y)
    wrapped = cb.algorithms.AdaBoostClassifier(
        estimator=DecisionTreeClassifier(), monotonic_cst=[1, 0, 0, 0]
    )
    with pytest.raises(ValueError, match="not possible for a scikit-learn classifier"):
        wrapped.fit(X, y)
