"""What the reader is warned of, on the page and in the terminal."""

from __future__ import annotations

import re
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from report.test_page import Reader

import costboost
from costboost import OperatingPointClassifier, report
from costboost.app.report import words
from costboost.app.report.numbers import (
    predict_two_classes,
)
from costboost.app.report.page import make


def data(n: int, seed: int, noise: float = 1.0) -> tuple[pd.DataFrame, Any]:
    random = np.random.default_rng(seed)
    X = pd.DataFrame(random.normal(size=(n, 3)), columns=list("abc"))
    return X, np.where(X.a + noise * random.normal(size=n) > 0.5, "yes", "no")


def fitted(**settings: Any) -> Any:
    return costboost.algorithms.LogitBoostClassifier(
        n_estimators=15, calibration="platt", **settings
    )


def texts(page: Any) -> list[str]:
    return [one.text for one in page.cautions.found]


# ---- training rows -------------------------------------------------------------------------------


def test_training_rows_are_not_reported_as_held_out() -> None:
    X, y = data(400, 0)
    clf = fitted(random_state=0).fit(X[:300], y[:300])
    with pytest.warns(UserWarning, match="all 300 rows also occur in the training data"):
        text = report.html(clf, X[:300], y[:300])
    page = Reader(text)
    assert "All 300 rows also occur in the training data of this model" in page.text
    assert "On 300 rows, at the costs" in page.text
    assert "held-out row," not in page.text
    assert "Held out" not in page.text
    assert "<strong>" not in text
    assert text.index('id="cautions"') < text.index('id="decide"')
    with pytest.warns(UserWarning, match=r"40 of the 140 rows also occur"):
        report.html(clf, X[260:], y[260:])


def test_new_rows_are_reported_as_held_out() -> None:
    X, y = data(400, 0)
    clf = fitted(random_state=0).fit(X[:200], y[:200])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        text = report.html(clf, X[200:], y[200:])
    assert "On 200 held-out rows, at the costs" in Reader(text).text
    assert "<strong>" in text


def test_copies_in_new_data_cause_a_caution_that_is_not_grave() -> None:
    random = np.random.default_rng(0)
    X = random.integers(0, 2, size=(600, 3)).astype(float)
    y = np.where(X[:, 0] + 2 * random.random(600) > 1.5, 1, 0)
    clf = fitted(random_state=0).fit(X[:400], y[:400])
    page = make(clf, X[400:], y[400:])
    assert any("whether the model was trained on these rows cannot be determined" in one
               for one in texts(page))  # fmt: skip
    assert not page.cautions.grave
    assert page.cautions.held_out


def test_rows_that_count_are_looked_up() -> None:
    X, y = data(400, 0)
    clf = fitted(random_state=0).fit(X[:300], y[:300])
    page = make(clf, X, y, sample_weight=np.repeat([0.0, 1.0], [300, 100]))
    assert page.cautions.held_out


def test_three_classes_too() -> None:
    X, _ = data(300, 0)
    y = np.array(["x", "y", "z"])[np.digitize(X.a, [-0.4, 0.4])]
    clf = costboost.CostBoostClassifier(n_estimators=5, random_state=0).fit(X[["b", "c"]], y)
    page = make(clf, X[["b", "c"]], y)
    assert not page.cautions.held_out
    assert "All 300 rows also occur in the training data" in Reader(page.text).text
    assert "<strong>" not in page.text


# ---- leaks ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["number", "category", "three classes"])
def test_a_column_that_separates_the_classes(kind: str) -> None:
    X, y = data(400, 0)
    if kind == "three classes":
        y = np.array(["x", "y", "z"])[np.digitize(X.a, [-0.4, 0.4])]
        X = X[["b", "c"]]
    leak = pd.Series(np.searchsorted(np.unique(y), y)).astype(
        "category" if kind == "category" else float
    )
    X = X.assign(paid=leak)
    clf = costboost.CostBoostClassifier(n_estimators=5, random_state=0).fit(X[:300], y[:300])
    with pytest.warns(UserWarning, match="column 'paid' alone separates the classes"):
        text = report.html(clf, X[300:], y[300:])
    page = Reader(text)
    assert "Column 'paid' alone separates the classes" in page.text
    assert "<strong>" not in text
    assert ("main", {"id": "main", "class": "doubtful"}) in page.elements


def test_a_good_column_is_no_leak() -> None:
    X, y = data(400, 0, noise=0.2)
    clf = fitted(random_state=0).fit(X[:300], y[:300])
    assert not make(clf, X[300:], y[300:]).cautions.grave


# ---- decisions -----------------------------------------------------------------------------------


def test_savings_that_may_be_none() -> None:
    X, y = data(430, 0, noise=4)
    clf = fitted(random_state=0).fit(X[:400], y[:400])
    page = make(clf, X[400:], y[400:])
    pattern = r"the 95% interval of the share saved, -?[\d.]+ % to [\d.]+ %, includes 0"
    assert any(re.match(pattern, one) for one in texts(page))
    assert any("so few rows are rough" in one for one in texts(page))
    assert not page.cautions.grave


def test_decisions_that_are_all_the_same() -> None:
    X, y = data(400, 0)
    clf = fitted(random_state=0).fit(X[:300], y[:300])
    page = make(clf, X[300:], y[300:], fn_cost=1000, fp_cost=1)
    assert "every row is predicted yes: the model does not separate these rows" in texts(page)
    assert any("nothing is saved" in one for one in texts(page))


def test_decisions_that_lose_money() -> None:
    X, y = data(400, 0, noise=0.1)
    clf = fitted(random_state=0).fit(X[:300], y[:300])
    page = make(clf, X[300:], np.where(y[300:] == "yes", "no", "yes"))
    assert "on these rows the predictions cost more than deciding without a model" in texts(page)


def test_notes_of_the_caller_stand_beside_the_others() -> None:
    X, y = data(400, 0, noise=0.2)
    clf = fitted(random_state=0).fit(X[:300], y[:300])
    bad = "<b>careful</b>"
    page = Reader(report.html(clf, X[300:], y[300:], notes=[bad, bad]))
    assert page.text.count("<b>careful</b>.") == 1


def test_a_longer_note_replaces_a_caution() -> None:
    one = words.Caution("column 'x' separates", grave=True)
    both = words.Cautions((one,), True).with_notes(["column 'x' separates (--drop 'x')", "other"])
    assert both.found == (
        words.Caution("column 'x' separates (--drop 'x')", grave=True),
        words.Caution("other"),
    )


# ---- goals ---------------------------------------------------------------------------------------


def aiming(**goal: Any) -> Any:
    X, y = data(500, 0)
    clf = OperatingPointClassifier(fitted(random_state=0), random_state=0, pos_label="yes", **goal)
    return clf.fit(X[:300], y[:300]), X[300:], y[300:]


@pytest.mark.parametrize(
    ("target", "side"),
    [("recall", "at_least"), ("precision", "at_least"), ("fpr", "at_most"), ("cost", "at_most")],
)
def test_a_goal_is_mentioned_and_judged(target: str, side: str) -> None:
    value = {"recall": 0.8, "precision": 0.6, "fpr": 0.3, "cost": 0.4}[target]
    clf, X, y = aiming(target=target, **{side: value})
    found = words.goal_result(clf, predict_two_classes(clf, X, y, {}, None))
    assert found is not None
    truth, y_pred = y == "yes", clf.predict(X) == "yes"
    ours = {
        "recall": (truth & y_pred).sum() / truth.sum(),
        "precision": (truth & y_pred).sum() / y_pred.sum(),
        "fpr": (~truth & y_pred).sum() / (~truth).sum(),
        "cost": (truth != y_pred).mean(),
    }[target]
    assert found.value == pytest.approx(ours)
    assert found.low < found.value < found.high
    assert found.met == (ours >= value if side == "at_least" else ours <= value)
    text = Reader(report.html(clf, X, y)).text
    assert f"{clf._goal}" in text
    assert "on these rows (95% interval" in text


def test_a_missed_goal_is_a_caution() -> None:
    clf, X, y = aiming(at_least=0.5)
    wrong = np.where(y == "yes", "no", "yes")
    page = make(clf, X, wrong)
    message = next(one for one in texts(page) if one.startswith("the goal"))
    assert re.fullmatch(
        r"the goal, a recall of at least 0\.5, is missed: [\d.]+ % on these rows \(95% interval "
        r"[\d.]+ % to [\d.]+ %\), more than chance explains",
        message,
    )
    assert message[1:] in Reader(page.text).text


def test_a_goal_of_an_undefined_measure_is_missed() -> None:
    clf, X, y = aiming(target="precision", at_least=0.5)
    clf.threshold_ = np.inf
    page = make(clf, X, y)
    assert any("not defined on these rows, since no row is predicted positive" in one
               for one in texts(page))  # fmt: skip
