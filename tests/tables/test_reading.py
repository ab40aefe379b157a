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

from costboost._core import tables

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


# ---- arrays that need no validation --------------------------------------------------------------


def fitted_on(n_features: int, names: Any = None) -> Any:
    estimator = BaseEstimator()
    estimator.n_features_in_ = n_features
    if names is not None:
        estimator.feature_names_in_ = np.array(names, dtype=object)
    return estimator


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_an_array_of_floats_is_read_as_it_is(dtype: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows to be predicted need no validation if nothing of it could apply."""
    monkeypatch.delattr("costboost._core.tables.reading.validate_data")
    X = np.arange(24.0).reshape(4, 6).astype(dtype)
    for rows in (X, X[:1], X[::2], np.asfortranarray(X)):
        assert tables.read(fitted_on(6), rows).X is rows
    assert tables.read(fitted_on(3), X[:, ::2]).n_features == 3


def test_other_arrays_are_validated_at_prediction() -> None:
    X = np.arange(24.0).reshape(4, 6)
    for rows in (X.astype(int), X.astype(">f8"), X.astype(np.float16), X.tolist()):
        assert tables.read(fitted_on(6), rows).X.dtype in (np.float64, np.float32)
    for rows, message in (
        (X[:, :5], "X has 5 features, but .* is expecting 6"),
        (X[:0], "0 sample"),
        (X[0], "Expected 2D array, got 1D array"),
        (X[np.newaxis], "dim 3"),
        (1j * X, "Complex data"),
    ):
        with pytest.raises(ValueError, match=message):
            tables.read(fitted_on(6), rows)
    with pytest.warns(UserWarning, match="X does not have valid feature names"):
        tables.read(fitted_on(6, list("abcdef")), X)
