"""The verdict follows the interval, and the page names rows, decisions and origin."""

from __future__ import annotations

import re
from datetime import date
from typing import Any

import numpy as np
import pandas as pd
import pytest
from report.examples import of_classes, tumours
from report.test_page import Reader, read

import costboost
from costboost import report
from costboost._core.baselines import Difference
from costboost.app.report.markup import Style
from costboost.app.report.words import (
    Caution,
    Cautions,
    Comparison,
    Words,
    check_words,
    kind_of,
    sentences,
)

STYLE = Style("EUR", 1, 4, 0)
WORDS = Words("applications", ("approving", "rejecting"))
MANY = {"good": 300, "bad": 100}
NONE = Cautions((), True)


def verdict(
    saved: tuple[float, float, float],
    cautions: Cautions = NONE,
    counts: dict[Any, int] = MANY,
    least: float = 500.0,
) -> tuple[str, str]:
    found = Comparison(1.0, Difference(*saved), least, WORDS.always("good", False))
    return tuple(sentences(WORDS, cautions, counts).of(found, STYLE))  # type: ignore[return-value]


# ---- verdict -------------------------------------------------------------------------------------


def test_a_model_saves_only_if_the_interval_is_above_0() -> None:
    assert verdict((20.8, 4.0, 37.6)) == (
        "saves",
        "Using the model saves 20.8 EUR on these applications against approving all applications; "
        "the data are enough to be sure.",
    )
    assert verdict((20.8, 0.0, 41.6)) == (
        "unproven",
        "Not proven: here the model saves 20.8 EUR on these applications against approving all "
        "applications, but the data are too few to be sure that it saves anything.",
    )


def test_a_model_loses_only_if_the_interval_is_below_0() -> None:
    assert verdict((-20.8, -37.6, -4.0)) == (
        "loses",
        "The model loses 20.8 EUR on these applications against approving all applications; the "
        "data are enough to be sure.",
    )
    assert verdict((-20.8, -41.6, 0.0)) == (
        "unproven",
        "Not proven: here the model costs 20.8 EUR more on these applications than approving all "
        "applications, but the data are too few to be sure.",
    )


def test_a_model_that_decides_as_no_model() -> None:
    assert verdict((0.0, 0.0, 0.0))[1] == (
        "Using the model saves nothing: each decision costs the same as approving all applications."
    )
    assert verdict((0.0, 0.0, 0.0), least=0.0)[1] == (
        "There is nothing to save: approving all applications costs nothing here."
    )


def test_few_rows_of_a_class_prove_nothing() -> None:
    look, text = verdict((20.8, 4.0, 37.6), counts={"good": 390, "bad": 10})
    assert look == "unproven"
    assert text.endswith("but only 10 applications are of class bad, too few to be sure.")


@pytest.mark.parametrize(("held_out", "why"), [(False, "trained on"), (True, "one column alone")])
def test_there_is_no_verdict_with_a_grave_caution(held_out: bool, why: str) -> None:
    look, text = verdict((20.8, 4.0, 37.6), Cautions((Caution("x", grave=True),), held_out))
    assert look == "doubtful"
    assert text.startswith("No verdict: ")
    assert why in text
    assert "sure" not in text


@pytest.mark.parametrize(
    ("saved", "kind"),
    [
        ((1, 0.5, 1.5), "saves"),
        ((1, 0, 2), "gain"),
        ((0, -1, 1), "gain"),
        ((-1, -2, 0), "loss"),
        ((-1, -2, -0.5), "loses"),
        ((0, 0, 0), "same"),
        ((0, -5, 0), "same"),
    ],
)
def test_kinds(saved: tuple[float, float, float], kind: str) -> None:
    assert kind_of(Difference(*saved), 10.0) == kind
    assert kind_of(Difference(*saved), 0.0) == "free"


def test_the_verdict_is_the_first_thing_on_the_page() -> None:
    text = read("classes").text
    places = [text.index(one) for one in ("Using the model saves", "Cost without a model",
              "the predictions cost", "Try other costs", "Confusion table", "Brier score",
              "round by round", "Effect of each feature", "Report made on".lower())]  # fmt: skip
    assert places == sorted(places)


def test_training_rows_have_no_verdict() -> None:
    X, _, y, _ = tumours()
    model = costboost.algorithms.AdaMECClassifier(n_estimators=5).fit(X, y)
    with pytest.warns(UserWarning, match="training data of this model"):
        page = Reader(report.html(model, X, y))
    assert "No verdict: the model was trained on these rows. Here the model saves" in page.text


# ---- words ---------------------------------------------------------------------------------------


def test_rows_and_decisions_have_the_names_of_the_caller() -> None:
    page = read("classes", rows_are="tumours", negative_action="leaving",
                positive_action="removing")  # fmt: skip
    assert re.search(r"EUR on these tumours against (leaving|removing) all tumours", page.text)
    assert f"{len(of_classes().y)} held-out tumours" in page.text
    for name in ("leaving all tumours", "removing all tumours", "the same model ignoring costs"):
        assert name in page.text
    assert "always predicting" not in page.text


def test_there_is_no_jargon_without_a_plain_sentence() -> None:
    text = read("classes").text
    assert "trivial" not in text
    assert "same scores" not in text
    assert "Share of alarms that are correct" in text


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("", None, None), "rows_are must be the plural of what a row is"),
        ((3, None, None), "rows_are must be the plural of what a row is, .* got 3"),
        (("rows", "approving", None), "negative_action is given alone"),
        (("rows", None, "rejecting"), "positive_action is given alone"),
        (("rows", 1, 2), "negative_action must be a verb such as 'approving'"),
    ],
)
def test_bad_words(words: tuple[Any, Any, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        check_words(*words)


def test_actions_are_for_two_classes() -> None:
    X, y = np.random.default_rng(0).normal(size=(60, 2)), np.arange(60) % 3
    model = costboost.algorithms.AdaMECClassifier(n_estimators=2).fit(X, y)
    with pytest.raises(ValueError, match="are for two classes"):
        report.html(model, X, y, negative_action="a", positive_action="b")


# ---- origin --------------------------------------------------------------------------------------


def test_the_origin_is_on_the_page() -> None:
    page = read("classes", provenance={"data": "tumours.csv", "model file": "t.costboost"})
    today = date.today().isoformat()
    n = len(of_classes().y)
    assert f"tumours.csv · {n} held-out rows · {today} · costboost {costboost.__version__}" in (
        page.text
    )
    for fact in ("t.costboost", "malignant (the other one: benign)", "10 EUR", "1 EUR",
                 f"report made on{today}", "LogitBoostClassifier"):  # fmt: skip
        assert fact in page.text


def test_date_and_target_can_be_given() -> None:
    text = read("classes", provenance={"date": "2026-01-31"}).text
    assert "report made on2026-01-31" in text
    example = of_classes()
    named = pd.Series(example.y, name="diagnosis", index=example.X.index)
    page = Reader(report.html(example.model, example.X, named))
    assert "targetdiagnosis" in page.text
    assert "data" not in page.text.split("where the numbers")[0].split()
    assert "a file" in read("classes", provenance="a file").text
