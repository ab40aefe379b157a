"""Invalid columns raise errors that name them; names and number of features are recorded."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from containers import FRAMES, numbers, read
from scipy import sparse
from sklearn.base import BaseEstimator

from costboost import tables

DAY = datetime.datetime(2024, 2, 29)
REFUSED = {
    "text": ["x", "y"],
    "datetime": [DAY, DAY],
    "date": [DAY.date(), DAY.date()],
    "duration": [DAY - DAY, DAY - DAY],
    "bytes": [b"1", b"two"],
}


@pytest.mark.parametrize("kind", REFUSED)
@pytest.mark.parametrize("name", FRAMES)
def test_messages_name_the_column(name: str, kind: str) -> None:
    frame = FRAMES[name]({"fine": [1.0, 2.0], "the bad one": REFUSED[kind]})
    with pytest.raises(ValueError, match="column 'the bad one' is not numeric") as caught:
        numbers(frame)
    assert "categorical_features" in str(caught.value)


@pytest.mark.parametrize("name", FRAMES)
@pytest.mark.parametrize("value", [np.inf, -np.inf])
def test_infinity_is_refused_by_name(name: str, value: float) -> None:
    frame = FRAMES[name]({"fine": [1.0, 2.0], "the bad one": [value, 1.0]})
    with pytest.raises(ValueError, match="column 'the bad one' contains infinity"):
        numbers(frame)


@pytest.mark.parametrize(
    "X",
    [
        np.array([[1, "x"], [2, "y"]], dtype=object),
        np.array([["1", "x"], ["2", "y"]]),
        [[1, "x"], [2, "y"]],
    ],
    ids=["objects", "strings", "list"],
)
def test_text_in_an_array_is_refused_by_number(X: Any) -> None:
    with pytest.raises(ValueError, match="column 1 is not numeric"):
        numbers(X)


def test_infinity_in_an_array_is_refused() -> None:
    for X in (
        np.array([[1.0, np.inf]]),
        np.array([[1.0, -np.inf]], dtype=np.float32),
        sparse.csr_matrix([[1.0, np.inf]]),
        np.array([[1.0, np.inf]], dtype=object),
    ):
        with pytest.raises(ValueError, match="infinity"):
            numbers(X)
    with pytest.raises(ValueError, match="column 1 contains infinity"):
        numbers(np.array([["a", np.inf]], dtype=object), [0])


def test_nothing_to_read_is_refused() -> None:
    for X in (
        pd.DataFrame({"a": []}),
        pl.DataFrame({"a": []}),
        pa.table({"a": []}),
        np.empty((0, 1)),
        np.empty((3, 0)),
        pd.DataFrame(index=[1, 2]),
    ):
        with pytest.raises(ValueError, match="minimum of 1 is required"):
            read(X)
    for X in (np.zeros(3), np.zeros((2, 2, 2))):
        with pytest.raises(ValueError, match=r"Expected 2D array|dim"):
            read(X)


@pytest.mark.parametrize("name", ["pandas", "polars"])
def test_features_are_remembered(name: str) -> None:
    estimator = BaseEstimator()
    frame = FRAMES[name]({"a": [1.0], "b": [2.0]})
    _, features = tables.read_training("AnyClassifier", frame)
    assert features.n_features_in == 2
    assert features.feature_names_in.tolist() == ["a", "b"]
    estimator.n_features_in_, estimator.feature_names_in_ = features
    tables.read(estimator, frame)
    for other in ({"a": [1.0], "c": [2.0]}, {"b": [1.0], "a": [2.0]}):
        with pytest.raises(ValueError, match="feature names"):
            tables.read(estimator, FRAMES[name](other))
    with pytest.raises(ValueError, match="feature"):
        tables.read(estimator, FRAMES[name]({"a": [1.0]}))


def test_number_of_features_is_remembered() -> None:
    estimator = BaseEstimator()
    _, features = tables.read_training("AnyClassifier", np.zeros((2, 3)))
    assert features == (3, None)
    estimator.n_features_in_ = features.n_features_in
    with pytest.raises(ValueError, match="2 features"):
        tables.read(estimator, np.zeros((2, 2)))
