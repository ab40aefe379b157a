"""What the logger ``costboost`` reports at which level."""

from __future__ import annotations

import logging
import subprocess
import sys
from typing import Any

import pytest
from sklearn.datasets import load_breast_cancer

from costboost import CostBoostClassifier
from costboost.algorithms import AdaBoostClassifier
from costboost.multiclass import GBSEClassifier

X, Y = load_breast_cancer(return_X_y=True)


def logged(caplog: pytest.LogCaptureFixture, level: int, clf: Any) -> list[tuple[str, str]]:
    """Levels and messages of a fit."""
    caplog.set_level(level, "costboost")
    clf.fit(X, Y)
    ours = [one for one in caplog.records if one.name.startswith("costboost.")]
    return [(one.levelname, one.getMessage()) for one in ours]


def test_a_fit_and_its_rounds(caplog: pytest.LogCaptureFixture) -> None:
    clf = AdaBoostClassifier(n_estimators=3)
    found = logged(caplog, logging.DEBUG, clf)
    assert found[0] == ("INFO", "AdaBoostClassifier: fit on 569 rows with 30 features")
    steps = zip(clf.estimator_weights_, clf.estimator_errors_, strict=True)
    assert found[1:4] == [
        ("DEBUG", f"round {t} of 3: step {step:.4g}, error {error:.4g}")
        for t, (step, error) in enumerate(steps, 1)
    ]
    assert found[4] == ("INFO", "3 rounds on 569 rows: all rounds done")
    assert found[5][1].startswith("AdaBoostClassifier: fitted in ")


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_folds_and_members(caplog: pytest.LogCaptureFixture, n_jobs: int) -> None:
    clf = CostBoostClassifier(n_jobs=n_jobs, n_estimators=2)
    _, *found, _ = logged(caplog, logging.INFO, clf)
    assert {level for level, _ in found} == {"INFO"}
    assert found[0][1] == "ensemble 1 of 20 of the folds: trees"
    assert found[-1][1].startswith(f"ensemble {len(found)} of ")


def test_members_that_are_left_out(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    from costboost._core.training import average

    monkeypatch.setattr(average, "_contributing", lambda members, *given: members[:1])
    found = logged(caplog, logging.INFO, CostBoostClassifier(n_jobs=1, n_estimators=2))
    assert ("INFO", "stumps are left out from fold 2 on") in found
    assert found[-2][1] == "ensemble 8 of 8 of the folds: trees"


def test_rounds_of_methods_with_their_own_loop(caplog: pytest.LogCaptureFixture) -> None:
    _, *rounds, end, _ = logged(caplog, logging.DEBUG, GBSEClassifier(n_estimators=2))
    assert [text.split(":")[0] for _, text in rounds] == ["round 1 of 2", "round 2 of 2"]
    assert end == ("INFO", "2 rounds: all rounds are done")


def test_nothing_is_printed_unless_logging_is_set_up() -> None:
    code = "import costboost, logging; logging.getLogger('costboost._core.loop').warning('text')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr == done.stdout == ""
