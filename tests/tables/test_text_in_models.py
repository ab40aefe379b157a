"""Models trained on text equal those trained on the same column of a categorical type."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

import costboost
from costboost import CostBoostClassifier, CostSearchCV, OperatingPointClassifier, report
from costboost.algorithms import AdaMECClassifier, CGAdaClassifier
from costboost.multiclass import DSEClassifier, GBSEClassifier

RANDOM = np.random.default_rng(0)
N = 240
X = RANDOM.normal(size=N)
TOWN = RANDOM.choice(["Rome", "Oslo", "Bonn", "Lima"], N).astype(object)
Y = (2.0 * (TOWN == "Rome") + X + RANDOM.normal(size=N) > 1).astype(int)
TOWN[RANDOM.random(N) < 0.1] = None
CLASSES = np.array(["low", "high", "top"])[Y + (X > 1)]
CATEGORY = pd.DataFrame({"town": pd.Categorical(TOWN), "x": X})
TEXT: dict[str, Any] = {
    "object": pd.DataFrame({"town": pd.Series(TOWN, dtype=object), "x": X}),
    "str": pd.DataFrame({"town": pd.Series(TOWN, dtype="str"), "x": X}),
    "polars": pl.DataFrame({"town": TOWN.tolist(), "x": X}),
    "arrow": pa.table({"town": TOWN.tolist(), "x": X}),
}
MODELS: dict[str, tuple[Callable[[], Any], Any]] = {
    "stumps": (lambda: AdaMECClassifier(n_estimators=20, fn_cost=3), Y),
    "trees, stopped early": (
        lambda: CGAdaClassifier(estimator="tree", early_stopping=True, random_state=0),
        Y,
    ),
    "lookup": (lambda: CGAdaClassifier(estimator="lookup", n_estimators=5), Y),
    "calibrated": (lambda: AdaMECClassifier(calibration="platt", random_state=0), Y),
    "costboost": (lambda: CostBoostClassifier(n_estimators=30, random_state=0), Y),
    "one against the rest": (lambda: AdaMECClassifier(n_estimators=5), CLASSES),
    "gbse": (lambda: GBSEClassifier(n_estimators=3, random_state=0), CLASSES),
    "dse": (lambda: DSEClassifier(n_estimators=3, random_state=0), CLASSES),
    "gbse, calibrated": (
        lambda: GBSEClassifier(n_estimators=3, random_state=0, calibration="dirichlet"),
        CLASSES,
    ),
}


@pytest.mark.parametrize("kind", TEXT)
@pytest.mark.parametrize("name", MODELS)
def test_text_gives_the_model_of_a_categorical_type(name: str, kind: str, tmp_path: Path) -> None:
    make, y = MODELS[name]
    expected = make().fit(CATEGORY, y).predict_proba(CATEGORY)
    model = make().fit(TEXT[kind], y)
    for frame in (TEXT[kind], TEXT["str"]):
        np.testing.assert_array_equal(model.predict_proba(frame), expected)
    if name != "dse":
        costboost.save(model, tmp_path / "model")
        loaded = costboost.load(tmp_path / "model")
        np.testing.assert_array_equal(loaded.predict_proba(TEXT[kind]), expected)


@pytest.mark.parametrize("kind", TEXT)
def test_explanations_and_reports_of_text(kind: str) -> None:
    model, same = (AdaMECClassifier(n_estimators=20).fit(f, Y) for f in (TEXT[kind], CATEGORY))
    explained = np.asarray(model.explain(TEXT[kind]))
    np.testing.assert_array_equal(explained, np.asarray(same.explain(CATEGORY)))
    with pytest.warns(UserWarning, match="also occur in the training data"):
        assert "Lima" in report.html(model, TEXT[kind], Y)


def test_what_is_trained_by_folds_takes_text() -> None:
    make = MODELS["stumps"][0]
    for wrap in (lambda clf: CostSearchCV(clf, fn_costs=[1, 3], random_state=0), make_pipeline):
        text, category = (
            cross_val_predict(wrap(make()), frame, Y, cv=3) for frame in (TEXT["object"], CATEGORY)
        )
        np.testing.assert_array_equal(text, category)
    goal = OperatingPointClassifier(make(), at_least=0.9, random_state=0)
    text, category = (goal.fit(f, Y).predict(f) for f in (TEXT["str"], CATEGORY))
    np.testing.assert_array_equal(text, category)


@pytest.mark.filterwarnings("ignore:.*categories that training had no rows of")
def test_text_that_a_fold_lacks_is_missing_there() -> None:
    """Some rows only have text, and a fold that has none of them is trained all the same."""
    town = pd.Series([None] * N, dtype=object)
    town[:3] = "Rome"
    frame = CATEGORY.assign(town=town)
    found = cross_val_predict(AdaMECClassifier(n_estimators=5), frame, Y, cv=N // 4)
    same = cross_val_predict(AdaMECClassifier(n_estimators=5), frame[["x"]], Y, cv=N // 4)
    assert np.mean(found == same) > 0.9


@pytest.mark.filterwarnings("ignore:.*categories that training had no rows of")
def test_text_never_seen_counts_as_missing() -> None:
    model = AdaMECClassifier(n_estimators=20).fit(TEXT["str"], Y)
    unseen, missing = (TEXT["str"].assign(town=value) for value in ("Kyiv", None))
    np.testing.assert_array_equal(model.predict_proba(unseen), model.predict_proba(missing))


def test_a_wrapped_learner_gets_text_unchanged() -> None:
    tree = DecisionTreeClassifier(max_depth=2)
    with pytest.raises(ValueError, match="could not convert string to float"):
        CGAdaClassifier(estimator=tree).fit(TEXT["str"], Y)
    encoded = make_pipeline(OneHotEncoder(handle_unknown="ignore"), tree)
    model = CGAdaClassifier(estimator=encoded, n_estimators=3, resample=True, random_state=0)
    assert model.fit(TEXT["str"], Y).score(TEXT["str"], Y) > 0.6


def test_free_text_is_warned_of_once_for_a_fit() -> None:
    frame = CATEGORY.assign(town=[f"street {k}" for k in range(N)])
    for make, y in MODELS.values():
        with pytest.warns(UserWarning, match="'town' is text with 240 distinct values") as caught:
            make().fit(frame, y)
        assert sum("'town'" in str(one.message) for one in caught) == 1


def test_learners_of_numbers_name_the_text() -> None:
    clf = CGAdaClassifier(estimator="logistic")
    with pytest.raises(ValueError, match="needs numbers, but column 'town' holds categories"):
        clf.fit(TEXT["object"], Y)
