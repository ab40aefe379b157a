"""Feature matrices of NumPy, pandas, polars, pyarrow and SciPy sparse as columns of numbers.

Categorical columns are read as the codes of their categories, NaN where the value is missing.
Frames and sparse matrices are not copied as a whole: they are read column by column for training
and in blocks of rows for prediction.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_array, validate_data

from costboost._core.checks import quoted, refuse_unread, warn
from costboost._core.tables.table import (
    DATES,
    NO_REALS,
    Array,
    Coder,
    ComputedFeatures,
    ComputedTable,
    DenseTable,
    FrameTable,
    Labels,
    ObjectTable,
    PandasTable,
    RawTable,
    SparseTable,
    Table,
    TextTable,
    checked_sparse,
    frame_table,
    holds_categories,
)

__all__ = [
    "Coder",
    "ComputedFeatures",
    "DenseTable",
    "Features",
    "Labels",
    "ObjectTable",
    "RawTable",
    "SparseTable",
    "Table",
    "categorical_columns",
    "features_of",
    "holds_categories",
    "make_coders",
    "read",
    "read_training",
    "warn_of_text",
]

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


# ---- which columns are categorical, and the codes of their labels --------------------------------


def categorical_columns(table: Table, categorical_features: Any) -> list[bool]:
    """Mask of the categorical columns, from the parameter ``categorical_features``."""
    if isinstance(categorical_features, str):
        if categorical_features != "from_dtype":
            raise ValueError(
                "categorical_features must be 'from_dtype', None, or a list of columns, "
                f"got {categorical_features!r}"
            )
        return [table.is_categorical(j) for j in range(table.n_features)]
    chosen = np.asarray([] if categorical_features is None else categorical_features)
    if chosen.size == 0:
        return [False] * table.n_features
    if chosen.ndim != 1:
        raise ValueError("categorical_features must be one-dimensional")
    if chosen.dtype == bool:
        return _masked(chosen, table.n_features)
    if chosen.dtype.kind in "iu":
        return _numbered(chosen.tolist(), table.n_features)
    return _named(chosen.tolist(), table.names)


def _masked(mask: Array, n_features: int) -> list[bool]:
    if mask.size != n_features:
        raise ValueError(
            f"categorical_features is a mask of length {mask.size}, but X has {n_features} columns"
        )
    return [bool(flag) for flag in mask]


def _numbered(wanted: list[int], n_features: int) -> list[bool]:
    outside = [j for j in wanted if not 0 <= j < n_features]
    if outside:
        raise ValueError(
            f"categorical_features names column {outside[0]}, but X has columns 0 to "
            f"{n_features - 1}"
        )
    return [j in wanted for j in range(n_features)]


def _named(wanted: list[Any], names: list[Any]) -> list[bool]:
    unknown = [name for name in wanted if name not in names]
    if unknown:
        raise ValueError(
            f"categorical_features names column {unknown[0]!r}, which X does not have; "
            f"its columns are {names}"
        )
    return [name in wanted for name in names]


def make_coders(
    table: Table, categorical: Sequence[bool], max_codes: int, copies: Array | None = None
) -> list[Coder | None]:
    """A coder for each categorical column, None for others; ``copies`` counts rows repeatedly."""
    return [
        table.coder(j, max_codes, copies) if flag else None for j, flag in enumerate(categorical)
    ]


# ---- columns of text -----------------------------------------------------------------------------

MIN_DISTINCT = 50
"""Distinct values up to which a column is no identifier, and categories are not too many."""
IDENTIFIER_SHARE = 0.9
"""Ratio of distinct values to values above which a column is taken for an identifier."""
MAX_CODES = 20
"""Distinct values up to which text that can be read as numbers is taken for codes."""


def warn_of_text(table: Table, categorical_features: Any, max_codes: int) -> None:
    """Warn of text columns that look like numbers or identifiers, unless the user named them."""
    if not isinstance(categorical_features, str):
        return
    for j in range(table.n_features):
        if table.is_text(j):
            for doubt in _doubts(table.names[j], table.labels(j), max_codes):
                warn(doubt)


def _doubts(name: Any, column: Labels, max_codes: int) -> Iterator[str]:
    """Messages of warnings about a text column that is categorical by its type alone."""
    n_known, n_labels = column.n_known, len(column.labels)
    if n_labels > MAX_CODES and _are_numbers(column.labels):
        yield (
            f"column {name!r} is text and therefore categorical, but all its values are numbers, "
            f"such as {quoted(column.labels[0])}; convert it to numbers if their order means "
            "something, or name it in categorical_features if it does not"
        )
    elif almost_all_distinct(n_labels, n_known):
        yield (
            f"column {name!r} is text with {n_labels} distinct values in {n_known} rows, as free "
            "text and identifiers have; as a category it is of little use for new rows; drop it or "
            "encode it, or name it in categorical_features if it is one"
        )
    elif n_labels > max_codes:
        yield (
            f"column {name!r} is text with {n_labels} distinct values, of which the "
            f"{max_codes - 1} most frequent are categories and all others together one more "
            f"(max_bins={max_codes}); group them, encode them (TargetEncoder), or name the column "
            "in categorical_features if this is meant"
        )


def _are_numbers(labels: Iterable[str]) -> bool:
    try:
        for label in labels:
            float(label)
    except ValueError:
        return False
    return True


def almost_all_distinct(n_distinct: int, n_values: int) -> bool:
    """Whether so many values are distinct that they may be free text or identifiers of rows."""
    return n_distinct > MIN_DISTINCT and n_distinct > IDENTIFIER_SHARE * n_values
