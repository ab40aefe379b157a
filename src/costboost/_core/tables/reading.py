"""X as a table, validated by scikit-learn."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_array, validate_data

from costboost._core.checks import refuse_unread
from costboost._core.tables.arrays import DenseTable, ObjectTable, TextTable
from costboost._core.tables.computed import ComputedFeatures, ComputedTable
from costboost._core.tables.frames import FrameTable, PandasTable, frame_table
from costboost._core.tables.numbers import DATES, NO_REALS
from costboost._core.tables.raw import RawTable
from costboost._core.tables.sparse import SparseTable, checked_sparse
from costboost._core.tables.table import Table

SPARSE = ["csr", "csc"]
FLOATS = (np.float64, np.float32)


class Features(NamedTuple):
    """Number and names of the features seen in `fit`."""

    n_features_in: int
    feature_names_in: Any = None
    """Array of names, or None if the columns have none."""


class _Recorder(BaseEstimator):
    """Estimator on which scikit-learn's `validate_data` sets the attributes of features."""


def read_training(name: str, X: Any, raw: bool = False) -> tuple[Table, Features]:
    """Validate X for training; return it as a table, with the number and names of its features.

    ``name`` is the class name of the classifier, for messages. ``raw`` leaves the values as they
    are, for a scikit-learn classifier as weak learner.
    """
    recorder = _Recorder()
    table = _read(recorder, name, X, True, raw)
    names = getattr(recorder, "feature_names_in_", None)
    return table, Features(int(recorder.n_features_in_), names)


def features_of(X: Any) -> Features:
    """Number and names of the features of anything with a shape and perhaps columns."""
    recorder = _Recorder()
    described = X._meta if hasattr(X, "columns") and hasattr(X, "_meta") else X
    validate_data(recorder, described, skip_check_array=True)
    names = getattr(recorder, "feature_names_in_", None)
    return Features(int(recorder.n_features_in_), names)


def read(estimator: Any, X: Any, raw: bool = False) -> Table:
    """Validate X for prediction: it must have the features that the estimator was fitted on."""
    return _read(estimator, type(estimator).__name__, X, False, raw)


def _read(estimator: Any, name: str, X: Any, reset: bool, raw: bool) -> Table:
    refuse_unread("X", X)
    if isinstance(X, ComputedFeatures):
        return _computed(estimator, X, reset, raw)
    frame = frame_table(X)
    if frame is not None:
        return _checked(estimator, frame, reset)
    if sparse.issparse(X):
        X = checked_sparse(X)
    if raw:
        every: dict[str, Any] = {"dtype": None, "ensure_all_finite": False, "accept_sparse": SPARSE}
        return RawTable(validate_data(estimator, X, reset=reset, estimator=name, **every))
    return _array(estimator, name, X, reset)


def _checked(estimator: Any, table: FrameTable, reset: bool) -> Table:
    if table.n_rows == 0 or table.n_features == 0:
        raise ValueError(
            f"Found array with {table.n_rows} sample(s) and {table.n_features} feature(s) "
            f"(shape={tuple(table.X.shape)}) while a minimum of 1 is required."
        )
    # Names are passed in a pandas frame, which all versions of scikit-learn support.
    validate_data(estimator, _names_only(table), reset=reset, skip_check_array=True)
    return table


def _computed(estimator: Any, X: ComputedFeatures, reset: bool, raw: bool) -> Table:
    if raw:
        raise ValueError(
            "features that are computed in blocks are for the built-in weak learners; a "
            "scikit-learn classifier needs an array: pass X.compute(features)"
        )
    if not all(X.shape):
        raise ValueError(
            f"Found array with {X.shape[0]} sample(s) and {X.shape[1]} feature(s) "
            f"(shape={X.shape}) while a minimum of 1 is required."
        )
    validate_data(estimator, X, reset=reset, skip_check_array=True)
    return ComputedTable(X)


def _names_only(table: FrameTable) -> Any:
    """A pandas frame with the table's column names; the table's own frame without pandas."""
    if isinstance(table, PandasTable):
        return table.X
    try:
        import pandas as pd
    except ImportError:
        return table.X
    return pd.DataFrame(columns=table.names)


def _is_valid(estimator: Any, X: Any, reset: bool) -> bool:
    """Whether `validate_data` would return X as it is, without a warning.

    It takes longer than the scores of a single row, and as long as 10 rounds on a few hundred rows.
    """
    if type(X) is not np.ndarray or X.ndim != 2 or X.dtype not in FLOATS or X.size == 0:
        return False
    if reset:
        with np.errstate(over="ignore", invalid="ignore"):
            return bool(np.isfinite(X.sum()))
    names = getattr(estimator, "feature_names_in_", None)
    return names is None and X.shape[1] == getattr(estimator, "n_features_in_", None)


def _array(estimator: Any, name: str, X: Any, reset: bool) -> Table:
    if _is_valid(estimator, X, reset):
        if reset:
            estimator.n_features_in_ = X.shape[1]
        return DenseTable(X)
    kind = _kind(X)
    if kind == "c":
        raise ValueError("Complex data not supported: X holds complex numbers")
    dtype: Any = list(FLOATS)
    # at prediction only the values that are used are checked, and not here
    finite: Any = "allow-nan" if reset else False
    if kind in DATES or _holds_objects(X):
        dtype, finite = None, False
        if isinstance(X, (list, tuple)) and kind not in DATES:
            X = np.asarray(X, dtype=object)  # NumPy would convert numbers next to text to text
    with np.errstate(over="ignore", invalid="ignore"):  # scikit-learn tests the sum first
        values = validate_data(
            estimator,
            X,
            reset=reset,
            estimator=name,
            dtype=dtype,
            ensure_all_finite=finite,
            accept_sparse=SPARSE,
        )
    if sparse.issparse(values):
        return SparseTable(values)
    if values.dtype.kind in "US":
        return TextTable(values.astype(object))
    if values.dtype.kind in DATES:
        return TextTable(values)
    if values.dtype != object:
        return DenseTable(values)
    if all(map(_is_real, values.flat)):
        return DenseTable(_as_floats(values))
    return ObjectTable(values)


def _as_floats(values: NDArray[Any]) -> NDArray[np.float64]:
    """Numbers of Python as floats."""
    try:
        floats = check_array(values, dtype=np.float64, ensure_all_finite="allow-nan")
    except OverflowError as error:
        raise ValueError("X has a whole number that is too large for a float") from error
    return np.asarray(floats)


def _is_real(value: Any) -> bool:
    return isinstance(value, (int, float, np.number)) and not isinstance(value, NO_REALS)


def _kind(X: Any) -> str:
    """Kind of the NumPy dtype of X or, if X is a list, of its first row."""
    first = X[0] if isinstance(X, (list, tuple)) and X else X
    if first is not X:
        first = np.asarray(first) if np.ndim(first) == 1 else None
    return str(getattr(getattr(first, "dtype", None), "kind", ""))


def _holds_objects(X: Any) -> bool:
    if isinstance(X, np.ndarray):
        return X.dtype.kind in "OUS"
    return (
        isinstance(X, (list, tuple))
        and np.asarray(X, dtype=object).dtype == object
        and any(
            isinstance(value, (str, *NO_REALS))
            for row in X
            if isinstance(row, (list, tuple))
            for value in row
        )
    )
