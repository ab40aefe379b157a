"""Costs and rows of the wrong kind raise specific messages in every class."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from costboost import CostBoostClassifier, CostSearchCV, OperatingPointClassifier
from costboost.algorithms import AdaMECClassifier, CGAdaClassifier
from costboost.metrics import mean_cost
from costboost.multiclass import GBSEClassifier

X, Y = np.random.default_rng(0).normal(size=(60, 2)), np.arange(60) % 2
SMALL = AdaMECClassifier(n_estimators=3)
WITH_COSTS: dict[str, Callable[..., Any]] = {
    "boosting": lambda **costs: CGAdaClassifier(n_estimators=3, **costs),
    "CostBoost": lambda **costs: CostBoostClassifier(n_estimators=3, **costs),
    "search": lambda **costs: CostSearchCV(SMALL, **costs),
    "goal": lambda **costs: OperatingPointClassifier(SMALL, at_least=0.9, **costs),
}


@pytest.mark.parametrize("make", WITH_COSTS.values(), ids=WITH_COSTS)
@pytest.mark.parametrize("name", ["fn_cost", "fp_cost"])
def test_costs_that_are_no_numbers(make: Any, name: str) -> None:
    with pytest.raises(ValueError, match=f"{name} must be a number, got None; leave it out"):
        make(**{name: None}).fit(X, Y)
    for text in ("5", ["5"] * 60, np.array([1.0, "5"] * 30, dtype=object)):
        with pytest.raises(ValueError, match=f"{name} must be a number or .* got the text '5'"):
            make(**{name: text}).fit(X, Y)
    with pytest.raises(ValueError, match=f"{name} must be a number or .* got the text 'amount'"):
        make().fit(X, Y, **{name: "amount"})


@pytest.mark.parametrize("name", ["fn_cost", "fp_cost"])
def test_text_as_costs_of_decisions(name: str) -> None:
    message = f"{name} must be a number or .* got the text '5'"
    for text in ("5", ["5"] * 60):
        with pytest.raises(ValueError, match=message):
            SMALL.fit(X, Y).predict(X, **{name: text})
        with pytest.raises(ValueError, match=message):
            mean_cost(Y, Y, **{name: text})


class Frame:
    """A data frame of an unknown library."""

    columns = ("a", "b")
    shape = X.shape


UNREAD: dict[str, tuple[Callable[[], Any], str]] = {
    "lazy": (lambda: pl.DataFrame(X).lazy(), r"LazyFrame.*rows are not there yet.*X\.collect\(\)"),
    "generator": (lambda: (row for row in X), r"an iterator \(generator\).*list\(X\)"),
    "map": (lambda: map(list, X), r"an iterator \(map\)"),
    "frame": (Frame, r"X is a Frame of \w+, which is not read here; convert it to a pandas"),
}
READERS: dict[str, Callable[[Any], Any]] = {
    "boosting": lambda rows: SMALL.fit(rows, Y),
    "wrapped": lambda rows: CGAdaClassifier(estimator=SMALL).fit(rows, Y),
    "predict": lambda rows: SMALL.fit(X, Y).predict(rows),
    "several": lambda rows: GBSEClassifier(n_estimators=2).fit(rows, Y),
    "search": lambda rows: CostSearchCV(SMALL).fit(rows, Y),
    "goal": lambda rows: OperatingPointClassifier(SMALL, at_least=0.9).fit(rows, Y),
}


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("kind", UNREAD)
def test_rows_that_are_not_there(kind: str, reader: str) -> None:
    make, message = UNREAD[kind]
    with pytest.raises(ValueError, match=message):
        READERS[reader](make())


def test_labels_that_are_not_there() -> None:
    with pytest.raises(ValueError, match=r"y is an iterator \(generator\).*list\(y\)"):
        SMALL.fit(X, (label for label in Y))
    with pytest.raises(ValueError, match=r"y is a polars LazyFrame.*y\.collect\(\)"):
        SMALL.fit(X, pl.DataFrame({"y": Y}).lazy())


def test_frames_that_are_known_are_read() -> None:
    expected = SMALL.fit(X, Y).predict(X)
    frame = pd.DataFrame(X, columns=["a", "b"])
    for known in (frame, pl.from_pandas(frame), pl.from_pandas(frame).to_arrow(), X.tolist()):
        np.testing.assert_array_equal(SMALL.fit(known, Y).predict(known), expected)


def test_a_search_has_the_names_of_scikit_learn() -> None:
    for refit in (True, False):
        search = CostSearchCV(
            CGAdaClassifier(n_estimators=3), fn_costs=[1, 4], fp_cost=2, refit=refit
        )
        with pytest.raises(AttributeError):
            search.best_params_  # noqa: B018
        search.fit(X, Y)
        assert search.best_params_ == {"fn_cost": search.best_fn_cost_, "fp_cost": 2}
        assert search.best_score_ == search.cv_results_["mean_test_score"][search.best_index_]
        assert search.best_score_ == -search.best_cost_
