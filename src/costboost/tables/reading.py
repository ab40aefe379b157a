"""X as it is given, checked and turned into a table."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_array, validate_data

from costboost.checks import refuse_unread
from costboost.tables.arrays import DenseTable, ObjectTable, RawTable, SparseTable, TextTable
from costboost.tables.frames import FrameTable, PandasTable, frame_table
from costboost.tables.sparse import checked_sparse
from costboost.tables.table import DATES, NO_REALS, Table

SPARSE = ["csr", "csc"]


class Features(NamedTuple):
    """Number and names of the features seen in `fit`."""

    n_features_in: int
    feature_names_in: Any = None
    """Array of names, or None if the columns have none."""


class _Recorder(BaseEstimator):
    """Receives what scikit-learn's `validate_data` finds out about features."""


def read_training(name: str, X: Any, raw: bool = False) -> tuple[Table, Features]:
    """X as a table, checked, and its features; ``name`` is that of the classifier, for messages.

    ``raw`` leaves the values as they are, for a scikit-learn classifier as weak learner.
    """
    recorder = _Recorder()
    table = _read(recorder, name, X, True, raw)
    names = getattr(recorder, "feature_names_in_", None)
    return table, Features(int(recorder.n_features_in_), names)


def read(estimator: Any, X: Any, raw: bool = False) -> Table:
    """X as a table, checked; it must have the features that the estimator was fitted to."""
    return _read(estimator, type(estimator).__name__, X, False, raw)


def _read(estimator: Any, name: str, X: Any, reset: bool, raw: bool) -> Table:
    refuse_unread("X", X)
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
    # Names are shown to scikit-learn in the one kind of frame that all its versions know.
    validate_data(estimator, _names_only(table), reset=reset, skip_check_array=True)
    return table


def _names_only(table: FrameTable) -> Any:
    """A frame with the table's columns that scikit-learn can take the names from."""
    if isinstance(table, PandasTable):
        return table.X
    try:
        import pandas as pd
    except ImportError:
        return table.X
    return pd.DataFrame(columns=table.names)


def _array(estimator: Any, name: str, X: Any, reset: bool) -> Table:
    kind = _kind(X)
    if kind == "c":
        raise ValueError("Complex data not supported: X holds complex numbers")
    dtype: Any = [np.float64, np.float32]
    # at prediction the values that are looked at are checked on the way, not the whole matrix
    finite: Any = "allow-nan" if reset else False
    if kind in DATES or _holds_objects(X):
        dtype, finite = None, False
        if isinstance(X, (list, tuple)) and kind not in DATES:
            X = np.asarray(X, dtype=object)  # or numbers next to text would become text
    with np.errstate(over="ignore", invalid="ignore"):  # scikit-learn looks at the sum first
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
        return DenseTable(check_array(values, dtype=np.float64, ensure_all_finite="allow-nan"))
    return ObjectTable(values)


def _is_real(value: Any) -> bool:
    return isinstance(value, (int, float, np.number)) and not isinstance(value, NO_REALS)


def _kind(X: Any) -> str:
    """The kind of NumPy's type that X has or, if it is a list, that of its first row."""
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
