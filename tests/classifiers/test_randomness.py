"""The number that gives the same model where none was given as ``random_state``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import costboost
from costboost import CostBoostClassifier
from costboost.algorithms import AdaBoostClassifier, LogitBoostClassifier

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(300, 4))
Y = (X[:, 0] + RANDOM.normal(size=300) > 0).astype(int)


@pytest.mark.parametrize(
    ("clf", "y"),
    [
        (CostBoostClassifier(n_estimators=4), Y),
        (CostBoostClassifier(n_estimators=4), np.digitize(X[:, 0], [-1, 1])),
        (LogitBoostClassifier(n_estimators=4, subsample=0.5), Y),
        (LogitBoostClassifier(n_estimators=4, calibration="platt", calibration_split=0.3), Y),
    ],
)
def test_random_state_gives_the_same_model(clf: Any, y: Any, tmp_path: Path) -> None:
    clf.fit(X, y)
    again = type(clf)(**clf.get_params() | {"random_state": clf.random_state_}).fit(X, y)
    np.testing.assert_array_equal(clf.predict_proba(X), again.predict_proba(X))
    assert not hasattr(again, "random_state_")
    costboost.save(clf, tmp_path / "m")
    assert costboost.load(tmp_path / "m").random_state_ == clf.random_state_


def test_a_warm_start_goes_on_with_the_same_number() -> None:
    clf = LogitBoostClassifier(n_estimators=3, subsample=0.5, warm_start=True).fit(X, Y)
    drawn = clf.random_state_
    clf.set_params(n_estimators=6).fit(X, Y)
    assert clf.random_state_ == drawn
    once = LogitBoostClassifier(n_estimators=6, subsample=0.5, random_state=drawn).fit(X, Y)
    np.testing.assert_array_equal(clf.predict_proba(X), once.predict_proba(X))


def test_nothing_is_drawn_where_nothing_is_random() -> None:
    assert not hasattr(AdaBoostClassifier(n_estimators=3).fit(X, Y), "random_state_")
