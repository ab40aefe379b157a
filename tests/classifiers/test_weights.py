"""Weights of rows, importances, progress, random numbers and threads."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from classifiers.trying import each_classifier, each_learner, problem, row_costs, same_model
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from costboost import CostBoostClassifier
from costboost._core.loop.listening import listening
from costboost.algorithms import AdaBoostClassifier, CGAdaClassifier

# ---- importances, progress, random numbers -------------------------------------------------------


def test_importances_of_stumps_are_shares_of_the_steps() -> None:
    X, y = problem()
    clf = CGAdaClassifier(n_estimators=25, fn_cost=2).fit(X, y)
    expected = np.zeros(4)
    for t, step in enumerate(clf.estimator_weights_):
        feature = clf.ensemble_.tree(t)[0].feature
        if feature >= 0:
            expected[feature] += abs(step)
    np.testing.assert_allclose(clf.feature_importances_, expected / expected.sum())
    assert (expected > 0).sum() > 1


@each_learner
def test_importances_find_what_matters(learner: Any) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 5))
    y = (X[:, 3] + 0.3 * X[:, 1] + 0.3 * rng.normal(size=500) > 0).astype(int)
    clf = AdaBoostClassifier(estimator=learner, n_estimators=10).fit(X, y)
    importances = clf.feature_importances_
    assert importances.shape == (5,)
    assert importances.sum() == pytest.approx(1)
    assert (importances >= 0).all()
    assert importances.argsort()[::-1][:2].tolist() == [3, 1]


def test_learners_without_importances_have_none() -> None:
    X, y = problem()
    clf = CGAdaClassifier(estimator=LogisticRegression(), n_estimators=3).fit(X, y)
    assert not hasattr(clf, "feature_importances_")


def test_progress_is_shown_on_request(capsys: pytest.CaptureFixture[str]) -> None:
    X, y = problem()
    quiet = CGAdaClassifier(n_estimators=12).fit(X, y)
    shown = capsys.readouterr()
    assert shown.out == shown.err == ""
    loud = CGAdaClassifier(n_estimators=12, verbose=1).fit(X, y)
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "12/12" in shown.err
    assert "12 rounds in" in shown.err
    assert "all rounds done" in shown.err
    assert shown.err.endswith("\n")
    same_model(quiet, loud)
    CGAdaClassifier(n_estimators=12, verbose=1).fit(X[:, :1], X[:, 0] > 5)
    assert "1 rounds in" in (shown := capsys.readouterr().err) or "1 round in" in shown
    assert "a perfect learner was found" in shown


def test_folds_are_counted(capsys: pytest.CaptureFixture[str]) -> None:
    X, y = problem()
    options = {"n_estimators": 5, "random_state": 0, "calibration_split": 3}
    quiet = CostBoostClassifier(**options).fit(X, y)
    assert capsys.readouterr().err == ""
    loud = CostBoostClassifier(verbose=1, **options).fit(X, y)
    shown = capsys.readouterr().err
    assert re.search(r"\[#{24}\] (\d+)/\1  (large random tree|random tree|tree|stump)s", shown)
    assert re.search(
        r"\b([3-9]|1[0-2]) ensembles of folds in .*: calibrated on the rows held out", shown
    )
    same_model(quiet, loud)
    CGAdaClassifier(verbose=1, calibration="platt", **options).fit(X, y)
    shown = capsys.readouterr().err
    assert shown.index("3 ensembles of folds in") < shown.index("5 rounds in")
    with listening(lambda done, n: None):  # with a listener there is no progress bar
        CostBoostClassifier(verbose=1, **options).fit(X, y)
    assert capsys.readouterr().err == ""


def test_random_state_of_wrapped_learners() -> None:
    X, y = problem()
    inner = DecisionTreeClassifier(max_depth=1, splitter="random")
    scores = [
        AdaBoostClassifier(estimator=inner, n_estimators=9, random_state=seed)
        .fit(X, y)
        .decision_function(X)
        for seed in (0, 0, 1)
    ]
    np.testing.assert_array_equal(scores[0], scores[1])
    assert (scores[0] != scores[2]).any()


def test_the_built_in_learners_use_no_random_numbers() -> None:
    X, y = problem()
    state = np.random.get_state()[1].copy()  # noqa: NPY002
    models = [AdaBoostClassifier(n_estimators=9, random_state=s).fit(X, y) for s in (None, 0, 1)]
    assert models[0].ensemble_ == models[1].ensemble_ == models[2].ensemble_
    np.testing.assert_array_equal(np.random.get_state()[1], state)  # noqa: NPY002


def test_a_wrapped_stump_is_the_built_in_stump() -> None:
    """On data without draws: the error of scikit-learn's best stump is the least one too."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(150, 1))
    y = (X[:, 0] + 0.5 * rng.normal(size=150) > 0).astype(int)
    inner = DecisionTreeClassifier(max_depth=1)
    wrapped = CGAdaClassifier(estimator=inner, n_estimators=1).fit(X, y)
    built_in = CGAdaClassifier(n_estimators=1).fit(X, y)
    assert wrapped.estimator_errors_[0] >= built_in.estimator_errors_[0] - 1e-12
    np.testing.assert_allclose(
        wrapped.estimator_weights_,
        0.5 * np.log((1 - wrapped.estimator_errors_) / wrapped.estimator_errors_),
    )


# ---- weights -------------------------------------------------------------------------------------

each_built_in = pytest.mark.parametrize(
    "options",
    [{}, {"estimator": "tree", "max_depth": 3}, {"estimator": "tree", "max_leaf_nodes": 4}],
    ids=["stump", "depth", "leaves"],
)


@each_built_in
@each_classifier
def test_a_whole_weight_is_a_row_written_so_often(classifier: Any, options: dict[str, Any]) -> None:
    for seed in range(10):
        X, y = problem(80, seed=seed)
        weight = np.random.default_rng(seed).integers(0, 4, len(y))
        rows = np.repeat(np.arange(len(y)), weight)
        weighted = classifier(n_estimators=15, **options).fit(X, y, sample_weight=weight)
        written = classifier(n_estimators=15, **options).fit(X[rows], y[rows])
        np.testing.assert_allclose(
            weighted.decision_function(X), written.decision_function(X), atol=1e-9
        )
        np.testing.assert_allclose(weighted.train_cost_, written.train_cost_)
        np.testing.assert_allclose(weighted.predict_proba(X), written.predict_proba(X), atol=1e-9)


@each_learner
@each_classifier
def test_a_row_of_weight_zero_is_no_row(classifier: Any, learner: Any) -> None:
    X, y = problem()
    rng = np.random.default_rng(4)
    weight = rng.uniform(0.1, 2, len(y)) * (rng.random(len(y)) < 0.6)
    X[weight == 0] *= 1000  # what would be seen if they took part in the bins
    costs = row_costs(len(y)) if classifier is not AdaBoostClassifier else {}
    kept = weight > 0
    some = classifier(estimator=learner, n_estimators=15, random_state=0)
    some.fit(X, y, sample_weight=weight, **costs)
    none = classifier(estimator=learner, n_estimators=15, random_state=0)
    none.fit(X[kept], y[kept], sample_weight=weight[kept], **{k: v[kept] for k, v in costs.items()})
    np.testing.assert_array_equal(some.estimator_weights_, none.estimator_weights_)
    np.testing.assert_array_equal(some.train_cost_, none.train_cost_)
    np.testing.assert_array_equal(some.decision_function(X), none.decision_function(X))
    np.testing.assert_array_equal(some.predict_proba(X), none.predict_proba(X))
    np.testing.assert_array_equal(some.predict(X), none.predict(X))


def test_equal_weights_are_no_weights() -> None:
    X, y = problem()
    plain = CGAdaClassifier(n_estimators=9, fn_cost=3).fit(X, y)
    for weight in (np.full(len(y), 0.3), 7):
        clf = CGAdaClassifier(n_estimators=9, fn_cost=3).fit(X, y, sample_weight=weight)
        same_model(clf, plain)


# ---- threads -------------------------------------------------------------------------------------

COUNT_THREADS = """
import os
import re
import numpy as np
from threadpoolctl import threadpool_limits
from costboost.algorithms import AdaBoostClassifier

def threads_after_fit(**options):
    clf = AdaBoostClassifier(n_estimators=3, **options).fit(X, y)
    clf.predict(X)
    return len(os.listdir("/proc/self/task"))

rng = np.random.default_rng(0)
X = rng.normal(size=(150_000, 10))
y = (X[:, 0] + rng.normal(size=150_000) > 0).astype(int)
before = len(os.listdir("/proc/self/task"))
with threadpool_limits(1):
    limited = threads_after_fit() - before
one = threads_after_fit(n_jobs=1) - before
free = threads_after_fit() - before
print(limited, one, free)
"""


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="counts threads as Linux does")
def test_limits_on_threads_are_respected() -> None:
    environment = os.environ | {"OMP_NUM_THREADS": "4", "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-c", COUNT_THREADS],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["0", "0", "3"]
