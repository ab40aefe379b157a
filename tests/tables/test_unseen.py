"""Warnings of categories that training had no rows of."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from costboost import CostBoostClassifier
from costboost._core.checks import UnseenCategoryWarning
from costboost.algorithms import AdaBoostClassifier
from costboost.multiclass import GBSEClassifier

random = np.random.default_rng(0)
ROOMS = random.integers(1, 7, 300)
CITY = np.array(["Rome", "Oslo", "Lima"])[random.integers(0, 3, 300)]
X = pd.DataFrame({"rooms": ROOMS, "city": CITY, "size": random.normal(size=300)})
y = (ROOMS + random.normal(size=300) > 4).astype(int)
CATEGORICAL: dict[str, Any] = {"categorical_features": ["rooms", "city"]}


def model(**options: Any) -> Any:
    return AdaBoostClassifier(n_estimators=5, **CATEGORICAL | options).fit(X, y)


def warned(clf: Any, rows: Any, method: str = "predict_proba") -> str:
    with pytest.warns(UnseenCategoryWarning) as found:
        getattr(clf, method)(rows)
    assert len(found) == 1
    return str(found[0].message)


def test_numbers_that_are_text() -> None:
    clf = model()
    text = warned(clf, X.assign(rooms=X.rooms.astype(str)))
    assert "column 'rooms': 300 of 300 values (100.0%) are categories that training had" in text
    assert "(text; in training 1, a number); they count as missing" in text
    assert "city" not in text
    clf = AdaBoostClassifier(n_estimators=5).fit(X.assign(rooms=X.rooms.astype(str)), y)
    assert "such as '9'; they count as missing" in warned(clf, X[:9].assign(rooms="9"))


def test_share_of_the_values() -> None:
    clf = model()
    rows = X.copy()
    rows.loc[:29, "city"] = "Wien"
    rows.loc[100:199, "city"] = None
    assert "30 of 200 values (15.0%)" in warned(clf, rows)
    for method in ("predict", "decision_function", "explain", "raw_score"):
        assert "'Wien'" in warned(clf, rows, method)


@pytest.mark.parametrize("container", [pl.from_pandas, pa.Table.from_pandas])
def test_every_container(container: Any) -> None:
    clf = model()
    rows = X.assign(city=np.where(X.rooms > 3, "Wien", X.city))
    assert warned(clf, container(rows)) == warned(clf, rows)


def test_a_few_new_ones_are_expected() -> None:
    rows = X.copy()
    rows.loc[:14, "city"] = "Wien"  # 5%
    model().predict(rows)
    rows.loc[15, "city"] = "Wien"
    assert "16 of 300" in warned(model(), rows)
    kinds = X.assign(city=pd.Categorical(X.city, categories=["Rome", "Oslo", "Lima", "Wien"]))
    model().predict(kinds)  # a category of the type that no row has


def test_a_code_for_all_others() -> None:
    """New categories are expected there, and values of another type are not."""
    clf = model(max_bins=4)
    clf.predict(X.assign(rooms=99))
    text = warned(clf, X.assign(rooms=X.rooms.astype(str)))
    assert text.endswith("they count as one of the rare ones")


@pytest.mark.parametrize("n_classes", [2, 3])
def test_every_kind_of_model(n_classes: int) -> None:
    rows = X.assign(rooms=X.rooms.astype(str))
    label = y if n_classes == 2 else y + (X["size"] > 1)
    for cls in (CostBoostClassifier, GBSEClassifier):
        clf = cls(n_estimators=3, random_state=0, **CATEGORICAL)
        assert "'rooms'" in warned(clf.fit(X, label), rows)


def test_folds_of_training_are_silent() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        CostBoostClassifier(n_estimators=3, random_state=0, **CATEGORICAL).fit(X, y)
