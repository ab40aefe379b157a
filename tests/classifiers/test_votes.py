"""Votes for several classes against their transcriptions, to 1e-9, on random problems."""

from __future__ import annotations

from typing import Any

import naive
import numpy as np
import pytest
from classifiers.identical import rounds
from hypothesis import given
from hypothesis import strategies as st

import costboost as cb

CLASSIFIERS: dict[str, Any] = {
    "samme": cb.SAMMEClassifier,
    "samme.c2": cb.SAMMEC2Classifier,
    "adac2.m1": cb.AdaC2M1Classifier,
    "badacost": cb.BAdaCostClassifier,
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
