"""Predictions and fits side by side, in threads and processes, equal those one after the other."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import numpy as np
import pytest

from costboost import CostBoostClassifier
from costboost.algorithms import AdaMECClassifier, LogitBoostClassifier

rng = np.random.default_rng(0)
X = rng.normal(size=(3000, 12)).astype(np.float32)
X[rng.random(X.shape) < 0.05] = np.nan
Y = (np.nan_to_num(X[:, 0]) + rng.normal(size=len(X)) > 0.5).astype(int)
THREADS = 8
CLASSIFIERS: dict[str, Any] = {
    "stumps": AdaMECClassifier(n_estimators=20, n_jobs=2),
    "trees": LogitBoostClassifier(estimator="tree", n_estimators=8, max_depth=4, n_jobs=2),
    "average": CostBoostClassifier(n_estimators=6, random_state=0, n_jobs=2),
}


def fitted(name: str) -> Any:
    clf = CLASSIFIERS[name]
    return clf.__class__(**clf.get_params()).fit(X, Y)


def digest(clf: Any) -> str:
    """A number for everything that the ensemble consists of."""
    ensemble = clf.ensemble_
    arrays = [ensemble.feature, ensemble.left, ensemble.threshold, ensemble.value]
    return hashlib.sha256(b"".join(one.tobytes() for one in arrays)).hexdigest()


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_predictions_of_eight_threads_equal_serial_ones(name: str) -> None:
    """The threads begin together with a new model, which is compiled by the first predictions."""
    clf = fitted(name)
    parts = [X[k : k + 40] for k in range(0, 2000, 40)] + [X]
    expected = [fitted(name).predict_proba(part).tobytes() for part in parts]
    begin = Barrier(THREADS)

    def predict(thread: int) -> list[bytes]:
        begin.wait()
        order = np.random.default_rng(thread).permutation(len(parts))
        found = {int(k): clf.predict_proba(parts[k]).tobytes() for k in np.tile(order, 3)}
        return [found[k] for k in range(len(parts))]

    with ThreadPoolExecutor(THREADS) as pool:
        for found in pool.map(predict, range(THREADS)):
            assert found == expected


def test_fits_side_by_side_equal_those_alone() -> None:
    names = list(CLASSIFIERS) * 3
    alone = {name: digest(fitted(name)) for name in CLASSIFIERS}
    begin = Barrier(len(names))

    def fit(name: str) -> str:
        begin.wait()
        return digest(fitted(name))

    with ThreadPoolExecutor(len(names)) as pool:
        assert list(pool.map(fit, names)) == [alone[name] for name in names]


FORKED = """
import os, sys, threading
sys.path.insert(0, sys.argv[1])
from engine import test_side_by_side as here
expected = {name: here.digest(here.fitted(name)) for name in here.CLASSIFIERS}
model = here.fitted("trees")
scores = model.decision_function(here.X).tobytes()
ending = threading.Event()
def fit_on():
    while not ending.is_set():
        here.fitted("average")
other = threading.Thread(target=fit_on)
other.start()
for k in range(6):  # during a fit in another thread, of which the child has nothing
    child = os.fork()
    if child == 0:
        same = all(here.digest(here.fitted(name)) == expected[name] for name in expected)
        same = same and model.decision_function(here.X).tobytes() == scores
        os._exit(0 if same else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
ending.set()
other.join()
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_fits_and_predictions_after_fork_during_a_fit() -> None:
    tests = os.path.dirname(os.path.dirname(__file__))
    command = [sys.executable, "-W", "ignore", "-c", FORKED, tests]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
