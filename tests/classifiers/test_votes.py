"""Votes for several classes against their transcriptions, to 1e-9, on random problems."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import naive
import numpy as np
import pandas as pd
import pytest
from classifiers.identical import rounds
from hypothesis import given
from hypothesis import strategies as st

import costboost as cb

CLASSIFIERS: dict[str, Any] = {
    "samme": cb.algorithms.SAMMEClassifier,
    "samme.c2": cb.algorithms.SAMMEC2Classifier,
    "adac2.m1": cb.algorithms.AdaC2M1Classifier,
    "badacost": cb.algorithms.BAdaCostClassifier,
}
pytestmark = [
    pytest.mark.filterwarnings("ignore:.* ignores costs"),
    pytest.mark.filterwarnings("ignore:.* added no learner"),
    pytest.mark.filterwarnings("ignore:.* predicts one class"),
    pytest.mark.filterwarnings("ignore:.* largest off"),
]


def random_problem(seed: int, n_classes: int, missing: float) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2 * n_classes, 80))
    X = rng.integers(0, int(rng.integers(2, 14)), (n, int(rng.integers(1, 5)))) / 4
    y = (X[:, 0] * 4 + rng.integers(0, 3, n)).astype(int) % n_classes
    y[:n_classes] = np.arange(n_classes)
    X[rng.random(X.shape) < missing] = np.nan
    weight = rng.uniform(0.3, 2.0, n)  # no draws
    matrix = 10 ** rng.uniform(-1, 1, (n_classes, n_classes))
    np.fill_diagonal(matrix, 0)
    fresh = np.vstack([X, rng.integers(-2, 16, (30, X.shape[1])) / 8 + 0.01])
    fresh[rng.random(fresh.shape) < 0.1] = np.nan
    return X, y, weight, matrix, fresh


def both(
    algorithm: str, case: tuple[np.ndarray, ...], learner: dict[str, Any], **options: Any
) -> tuple[Any, Any]:
    X, y, weight, matrix, _ = case
    costs: Any = matrix if algorithm == "badacost" else matrix.sum(axis=1)
    if algorithm == "samme":
        costs = None
    names = {"unit": "unit step"}
    given = {**options, "criterion": names.get(options.get("criterion", ""), "gradient")}
    judge = naive.fit_votes(algorithm, X, y, costs, weight, **given, **learner)
    kind = dict(learner)
    kind["estimator"] = kind.pop("learner")
    if kind["estimator"] == "tree":
        kind["max_leaf_nodes"] = None
    clf = CLASSIFIERS[algorithm](
        cost_matrix=matrix, **kind, **{k: v for k, v in options.items() if k != "criterion"}
    )
    if algorithm == "badacost":
        clf.set_params(criterion=options["criterion"])
    return clf.fit(X, y, sample_weight=weight), judge


def scores(clf: Any, X: np.ndarray) -> np.ndarray:
    """Scores of all classes; of two, both."""
    score = clf.raw_score(X)
    return score if score.ndim == 2 else np.column_stack([-score, score])


def expected_scores(judge: Any, X: np.ndarray, matrix: np.ndarray) -> np.ndarray:
    f = judge.scores(X)
    if judge.cost_star is None:
        return f
    if f.shape[1] == 2:
        return 2 * f / matrix.max()  # the score of the binary model is 2 f_1, in units of 1 / cost
    values = -(f @ judge.cost_star.T)
    return values - values.mean(axis=1, keepdims=True)


@pytest.mark.parametrize("algorithm", CLASSIFIERS)
@rounds(120)
@given(
    seed=st.integers(0, 2**32 - 1),
    n_classes=st.integers(2, 12),
    missing=st.sampled_from([0.0, 0.0, 0.2]),
    learner=st.sampled_from(
        [
            {"learner": "stump"},
            {"learner": "tree", "max_depth": 2},
            {"learner": "tree", "max_depth": 4},
        ]
    ),
    least=st.sampled_from([1, 1, 3]),
    rate=st.sampled_from([1.0, 0.5]),
    criterion=st.sampled_from(["unit", "gradient"]),
)
def test_votes(
    algorithm: str,
    seed: int,
    n_classes: int,
    missing: float,
    learner: dict[str, Any],
    least: int,
    rate: float,
    criterion: str,
) -> None:
    case = random_problem(seed, n_classes, missing)
    learner = {**learner, "min_samples_leaf": least}
    options = {"n_estimators": 4, "learning_rate": rate, "criterion": criterion}
    clf, judge = both(algorithm, case, learner, **options)
    n = len(judge.steps)
    assert clf.n_iter_ == n
    if not n:
        return
    if n_classes > 2:
        np.testing.assert_allclose(clf.estimator_errors_, judge.errors, rtol=0, atol=1e-9)
    for rows in (case[0], case[4]):
        expected = expected_scores(judge, rows, case[3])
        np.testing.assert_allclose(scores(clf, rows), expected, rtol=1e-8, atol=1e-8)
        decided = np.sort(expected, axis=1)[:, -1] - np.sort(expected, axis=1)[:, -2] > 1e-7
        np.testing.assert_array_equal(clf.predict(rows)[decided], judge.predict(rows)[decided])


def as_frame(X: np.ndarray, n_categories: int) -> pd.DataFrame:
    """The rows with the last column as a category."""
    frame = pd.DataFrame(X[:, :-1]).rename(columns=str)
    codes = np.nan_to_num(X[:, -1], nan=-1).astype(int)
    return frame.assign(kind=pd.Categorical.from_codes(codes, categories=range(n_categories)))


@pytest.mark.parametrize("algorithm", CLASSIFIERS)
@rounds(40)
@given(
    seed=st.integers(0, 2**32 - 1),
    n_classes=st.integers(2, 12),
    n_categories=st.integers(2, 6),
    missing=st.sampled_from([0.0, 0.2]),
)
def test_stumps_on_categories(
    algorithm: str, seed: int, n_classes: int, n_categories: int, missing: float
) -> None:
    X, y, weight, matrix, _ = random_problem(seed, n_classes, missing)
    kind = np.random.default_rng(seed).integers(0, n_categories, len(y)).astype(float)
    kind[:n_categories] = np.arange(n_categories)[: len(y)]
    y = np.where(kind == 1, 1, y)
    y[:n_classes] = np.arange(n_classes)
    kind[np.random.default_rng(seed + 1).random(len(y)) < missing] = np.nan
    X = np.column_stack([X, kind])
    costs = None if algorithm == "samme" else matrix.sum(axis=1)
    judge = naive.fit_votes(
        algorithm,
        X,
        y,
        matrix if algorithm == "badacost" else costs,
        weight,
        n_estimators=4,
        learner=naive.votes.category_stump(X.shape[1] - 1),
        criterion="gradient",
    )
    clf = CLASSIFIERS[algorithm](cost_matrix=matrix, n_estimators=4, estimator="stump")
    if algorithm == "badacost":
        clf.set_params(criterion="gradient")
    frame = as_frame(X, n_categories)
    clf.fit(frame, y, sample_weight=weight)
    assert clf.n_iter_ == len(judge.steps)
    if judge.steps:
        expected = expected_scores(judge, X, matrix)
        np.testing.assert_allclose(scores(clf, frame), expected, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("algorithm", CLASSIFIERS)
@rounds(40)
@given(seed=st.integers(0, 2**32 - 1), n_classes=st.integers(3, 12), least=st.sampled_from([1, 3]))
def test_trees_on_two_categories(algorithm: str, seed: int, n_classes: int, least: int) -> None:
    """A category of two values is a number of two values."""
    X, y, weight, matrix, fresh = random_problem(seed, n_classes, 0.1)
    rng = np.random.default_rng(seed)
    X, fresh = (np.column_stack([one, rng.integers(0, 2, len(one))]) for one in (X, fresh))
    learner = {"learner": "tree", "max_depth": 3, "min_samples_leaf": least}
    options = {"n_estimators": 3, "criterion": "gradient"}
    case = X, y, weight, matrix, fresh
    clf, judge = both(algorithm, case, learner, **options)
    clf.fit(as_frame(X, 2), y, sample_weight=weight)
    assert clf.n_iter_ == len(judge.steps)
    if judge.steps:
        expected = expected_scores(judge, fresh, matrix)
        np.testing.assert_allclose(scores(clf, as_frame(fresh, 2)), expected, rtol=1e-8, atol=1e-8)


def with_categories(seed: int) -> tuple[Any, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "kind": pd.Categorical(rng.choice(list("abcdefgh"), 300)),
            "size": np.where(rng.random(300) < 0.1, np.nan, rng.normal(size=300)),
        }
    )
    y = (frame["kind"].cat.codes.to_numpy() // 2 + (frame["size"] > 0).to_numpy()) % 4
    y = np.where(rng.random(300) < 0.3, rng.integers(0, 4, 300), y)
    matrix = 10 ** rng.uniform(-1, 1, (4, 4))
    np.fill_diagonal(matrix, 0)
    return frame, y, matrix


@pytest.mark.parametrize("algorithm", CLASSIFIERS)
@pytest.mark.parametrize("estimator", ["stump", "tree"])
def test_files_threads_and_warm_starts(algorithm: str, estimator: str, tmp_path: Path) -> None:
    X, y, matrix = with_categories(0)
    options = {"estimator": estimator, "n_estimators": 5, "cost_matrix": matrix}
    clf = CLASSIFIERS[algorithm](**options, n_jobs=1).fit(X, y)
    assert clf.n_iter_ > 1 or (algorithm, estimator) == ("adac2.m1", "stump")
    cb.save(clf, tmp_path / "one")
    loaded = cb.load(tmp_path / "one")
    np.testing.assert_array_equal(loaded.raw_score(X), clf.raw_score(X))
    two = CLASSIFIERS[algorithm](**options, n_jobs=2).fit(X, y)
    assert two.ensemble_ == clf.ensemble_
    np.testing.assert_array_equal(two.raw_score(X), clf.raw_score(X))
    warm = CLASSIFIERS[algorithm](**{**options, "n_estimators": 2}, warm_start=True).fit(X, y)
    warm.set_params(n_estimators=5).fit(X, y)
    np.testing.assert_array_equal(warm.raw_score(X), clf.raw_score(X))
    shares = clf.predict_proba(X)
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    assert clf.explain(X[:3]) is not None


def test_a_tree_separates_categories() -> None:
    X = pd.DataFrame({"kind": pd.Categorical(list("abcd") * 20)})
    y = X["kind"].cat.codes.to_numpy()
    clf = cb.algorithms.SAMMEClassifier(estimator="tree", n_estimators=1).fit(X, y)
    assert clf.score(X, y) == 1
    assert clf.stop_reason_ == "a perfect learner was found"


def test_equal_costs_are_samme() -> None:
    X, y, _ = with_categories(1)
    for estimator in ("stump", "tree"):
        options = {"estimator": estimator, "n_estimators": 6}
        samme = cb.algorithms.SAMMEClassifier(**options).fit(X, y)
        costly = cb.algorithms.SAMMEC2Classifier(**options).fit(X, y)
        np.testing.assert_allclose(costly.raw_score(X), samme.raw_score(X), rtol=1e-12)
        star = cb.algorithms.BAdaCostClassifier(**options, criterion="gradient").fit(X, y)
        np.testing.assert_array_equal(star.predict(X), samme.predict(X))


@pytest.mark.parametrize("criterion", ["unit", "gradient"])
def test_bad_parameters(criterion: str) -> None:
    X, y, matrix = with_categories(2)
    with pytest.raises(ValueError, match="criterion must be one of"):
        cb.algorithms.BAdaCostClassifier(criterion="other").fit(X, y)
    with pytest.raises(ValueError, match="_cst"):
        cb.algorithms.BAdaCostClassifier(
            criterion=criterion, estimator="tree", monotonic_cst=[0, 1]
        ).fit(X, y)
    with pytest.raises(ValueError, match="estimator"):
        cb.algorithms.BAdaCostClassifier(criterion=criterion, estimator="lookup").fit(X, y)
    clf = cb.algorithms.BAdaCostClassifier(
        criterion=criterion, cost_matrix=matrix, n_estimators=3
    ).fit(X, y)
    with pytest.raises(ValueError, match="cannot be given other costs"):
        clf.predict(X, cost_matrix=1 - np.eye(4))
