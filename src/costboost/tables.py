"""Reading X: NumPy, pandas, polars, pyarrow and SciPy sparse, all seen as columns of numbers.

A categorical column is seen as the codes of its categories, NaN where the value is missing. Nothing
is copied as a whole that need not be: frames and sparse matrices are read column by column for
training and in blocks of rows for prediction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import check_array, validate_data

Array = NDArray[Any]

PREDICTION_CELLS = 4_000_000
"""Values of a frame or sparse matrix turned into numbers at a time."""
KEPT_CELLS = 2**25
"""So many values of a frame are kept as numbers while parts of it are read again and again."""


class Labels:
    """A categorical column: an integer code for each row (-1: missing) and what the codes mean."""

    def __init__(self, codes: Array, labels: Sequence[Any]) -> None:
        self.codes = codes
        self.labels = list(labels)


class Coder:
    """Turns labels into the codes of one categorical feature.

    The ``max_codes`` most frequent labels have a code each, in sorted order where they can be
    sorted; if there are more, the rest share the last code. A label never seen is missing, unless
    there is such a shared code.
    """

    def __init__(self, column: Labels, max_codes: int) -> None:
        counts = np.bincount(column.codes[column.codes >= 0], minlength=len(column.labels))
        seen = [k for k in range(len(column.labels)) if counts[k]]
        self.shared = len(seen) > max_codes
        if self.shared:
            in_order = {label: k for k, label in enumerate(_sorted(column.labels))}
            rank = [(-counts[k], in_order[column.labels[k]]) for k in range(len(column.labels))]
            seen = sorted(seen, key=lambda k: rank[k])[: max_codes - 1]
        self._take(_sorted([column.labels[k] for k in seen]))

    def _take(self, labels: Sequence[Any]) -> None:
        self.code_of = {label: code for code, label in enumerate(labels)}
        self.n_codes = len(labels) + self.shared

    def __getstate__(self) -> dict[str, Any]:
        """Labels in a list: as keys of a dict, not every file format can tell True from "True"."""
        return {"labels": list(self.code_of), "shared": self.shared}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.shared = state["shared"]
        self._take(state["labels"])

    def __call__(self, column: Labels) -> NDArray[np.float64]:
        other = float(len(self.code_of)) if self.shared else np.nan
        table = np.array([self.code_of.get(label, other) for label in column.labels] + [np.nan])
        return table[column.codes]


class Table:
    """A feature matrix whose columns can be read as numbers or as labels."""

    def __init__(self, X: Any, names: Sequence[Any], n_rows: int) -> None:
        self.X = X
        self.names = list(names)
        self.n_rows = n_rows
        self.n_features = len(self.names)

    def column(self, j: int, categorical: bool) -> Array | Labels:
        """Column j as floats, or as labels."""
        raise NotImplementedError

    def is_categorical(self, j: int) -> bool:
        """Whether the column's own type says that it holds categories."""
        return False

    def numbers(self, coders: Sequence[Coder | None]) -> Iterator[tuple[int, Array]]:
        """The columns as blocks of numbers: (first feature, 2-D array)."""
        for j, coder in enumerate(coders):
            yield j, self._coded(j, coder)[:, np.newaxis]

    def repeated_blocks(
        self, coders: Sequence[Coder | None]
    ) -> Callable[[], Iterator[tuple[slice, Array]]]:
        """The blocks of rows, to be gone through again and again: read once and kept."""
        blocks = list(self.row_blocks(coders))
        return lambda: iter(blocks)

    def row_blocks(self, coders: Sequence[Coder | None]) -> Iterator[tuple[slice, Array]]:
        """The rows as blocks of numbers: (rows, 2-D array)."""
        size = max(1, PREDICTION_CELLS // self.n_features)
        for begin in range(0, self.n_rows, size):
            rows = slice(begin, min(self.n_rows, begin + size))
            part = self.take(rows)
            block = np.empty((part.n_rows, self.n_features), order="F")
            for j, coder in enumerate(coders):
                block[:, j] = part._coded(j, coder)
            yield rows, block

    def take(self, rows: Any) -> Table:
        """The given rows (a slice or an index array)."""
        raise NotImplementedError

    def read_once(self) -> Table:
        """The same table, to be read again and again in parts."""
        return self

    def refuse_missing(self, advice: str) -> None:
        """Raise if a number is missing or infinite; categories are looked at elsewhere."""
        for j in range(self.n_features):
            if self.is_categorical(j):
                continue
            values = np.asarray(self.column(j, False))
            if np.isfinite(values.sum(dtype=np.float64)):  # a look at all of them in one
                continue
            if np.isnan(self._finite(j, values)).any():
                raise ValueError(f"Input X contains NaN, in column {self.names[j]!r}: {advice}")

    def _coded(self, j: int, coder: Coder | None) -> Array:
        column = self.column(j, coder is not None)
        if coder is None:
            assert isinstance(column, np.ndarray)
            return column
        assert isinstance(column, Labels)
        return coder(column)

    def _finite(self, j: int, values: Array) -> Array:
        if np.isinf(values).any():
            raise ValueError(
                f"column {self.names[j]!r} contains infinity; replace it by a finite value, or by "
                "NaN if it stands for a missing one"
            )
        return values


class DenseTable(Table):
    """A NumPy array of floats, already checked."""

    def __init__(self, X: Array) -> None:
        if any(stride % X.itemsize for stride in X.strides):  # a field of packed records
            X = X.copy()
        super().__init__(X, range(X.shape[1]), X.shape[0])

    def column(self, j: int, categorical: bool) -> Array | Labels:
        return _labels(self.X[:, j]) if categorical else self.X[:, j]

    def numbers(self, coders: Sequence[Coder | None]) -> Iterator[tuple[int, Array]]:
        if any(coders):
            yield from super().numbers(coders)
        else:
            yield 0, self.X

    def row_blocks(self, coders: Sequence[Coder | None]) -> Iterator[tuple[slice, Array]]:
        if any(coders):
            yield from super().row_blocks(coders)
        else:
            yield slice(0, self.n_rows), self.X

    def take(self, rows: Any) -> Table:
        return DenseTable(self.X[rows])


class RawTable(Table):
    """Values nobody here looks into."""

    def __init__(self, X: Any) -> None:
        super().__init__(X, range(X.shape[1]), X.shape[0])

    def take(self, rows: Any) -> Table:
        return RawTable(self.X[rows])


class ObjectTable(Table):
    """A NumPy array of objects: some columns are text."""

    def __init__(self, X: Array) -> None:
        super().__init__(X, range(X.shape[1]), X.shape[0])

    def column(self, j: int, categorical: bool) -> Array | Labels:
        if categorical:
            return _labels(self.X[:, j])
        return self._finite(j, _as_floats(self.X[:, j], self.names[j]))

    def take(self, rows: Any) -> Table:
        return ObjectTable(self.X[rows])


class SparseTable(Table):
    """A SciPy sparse matrix; absent entries are zeros."""

    def __init__(self, X: Any) -> None:
        super().__init__(X, range(X.shape[1]), X.shape[0])
        self._columns: Any = None

    def column(self, j: int, categorical: bool) -> Array | Labels:
        if self._columns is None:
            self._columns = self.X.tocsc(copy=not self.X.has_canonical_format)
            self._columns.sum_duplicates()
        columns = self._columns
        entries = slice(columns.indptr[j], columns.indptr[j + 1])
        values = np.zeros(self.n_rows, dtype=columns.dtype)
        values[columns.indices[entries]] = columns.data[entries]
        return _labels(values) if categorical else values

    def repeated_blocks(
        self, coders: Sequence[Coder | None]
    ) -> Callable[[], Iterator[tuple[slice, Array]]]:
        """Read each time: all blocks together would be the dense matrix."""
        return lambda: self.row_blocks(coders)

    def take(self, rows: Any) -> Table:
        return SparseTable(self.X.tocsr()[rows])


class FrameTable(Table):
    """A data frame: pandas, polars or a pyarrow table."""

    def __init__(self, X: Any) -> None:
        self.kind = _frame_kind(X)
        names = X.column_names if self.kind == "pyarrow" else list(X.columns)
        super().__init__(X, names, X.shape[0])

    def _series(self, j: int) -> Any:
        if self.kind == "pandas":
            return self.X.iloc[:, j]
        return self.X.to_series(j) if self.kind == "polars" else self.X.column(j)

    def is_categorical(self, j: int) -> bool:
        column = self._series(j)
        if self.kind == "pandas":
            return str(column.dtype) == "category"
        if self.kind == "polars":
            return type(column.dtype).__name__ in {"Categorical", "Enum"}
        return str(column.type).startswith("dictionary")

    def column(self, j: int, categorical: bool) -> Array | Labels:
        column = self._series(j)
        read = {"pandas": _read_pandas, "polars": _read_polars, "pyarrow": _read_pyarrow}[self.kind]
        values = read(column, self.names[j], categorical)
        return values if isinstance(values, Labels) else self._finite(j, values)

    def take(self, rows: Any) -> Table:
        if self.kind == "pandas":
            return FrameTable(self.X.iloc[rows])
        if self.kind == "pyarrow":
            if isinstance(rows, slice):
                return FrameTable(self.X.slice(rows.start, rows.stop - rows.start))
            return FrameTable(self.X.take(rows))
        return FrameTable(self.X[rows])

    def read_once(self) -> Table:
        return self if self.n_rows * self.n_features > KEPT_CELLS else ReadOnce(self)


class ReadOnce(Table):
    """Some rows of a table whose columns are turned into numbers or labels only once."""

    def __init__(self, table: Table, rows: Any = None) -> None:
        self.read = cache(table.column)
        self.is_categorical = cache(table.is_categorical)  # type: ignore[method-assign]
        self.rows = rows
        super().__init__(table.X, table.names, table.n_rows if rows is None else len(rows))

    def column(self, j: int, categorical: bool) -> Array | Labels:
        column = self.read(j, categorical)
        if self.rows is None:
            return column
        if isinstance(column, Labels):
            return Labels(column.codes[self.rows], column.labels)
        part: Array = column[self.rows]
        return part

    def take(self, rows: Any) -> Table:
        part = copy(self)
        part.rows = (np.arange(self.n_rows) if self.rows is None else self.rows)[rows]
        part.n_rows = len(part.rows)
        return part


# ---- reading -------------------------------------------------------------------------------------


def read(estimator: Any, X: Any, reset: bool, raw: bool = False) -> Table:
    """X as a table, checked; ``reset`` records names and number of the features on the estimator.

    ``raw`` leaves the values as they are, for a learner that has its own opinion about them.
    """
    if _frame_kind(X):
        if X.shape[0] == 0 or X.shape[1] == 0:
            raise ValueError(
                f"Found array with {X.shape[0]} sample(s) and {X.shape[1]} feature(s) "
                f"(shape={tuple(X.shape)}) while a minimum of 1 is required."
            )
        table = FrameTable(X)
        # Names are shown to scikit-learn in the one kind of frame that all its versions know.
        validate_data(estimator, _names_only(table), reset=reset, skip_check_array=True)
        return table
    if raw:
        values = validate_data(
            estimator,
            X,
            reset=reset,
            dtype=None,
            ensure_all_finite=False,
            accept_sparse=["csr", "csc"],
        )
        return RawTable(values)
    # at prediction the values that are looked at are checked on the way, not the whole matrix
    finite = "allow-nan" if reset else False
    options: dict[str, Any] = {"ensure_all_finite": finite, "accept_sparse": ["csr", "csc"]}
    dtype: Any = [np.float64, np.float32]
    if _holds_objects(X):
        options["ensure_all_finite"] = False
        dtype = None
    values = validate_data(estimator, X, reset=reset, dtype=dtype, **options)
    if values.dtype.kind in "US":
        values = values.astype(object)
    if sparse.issparse(values):
        return SparseTable(values)
    if values.dtype == object:
        if all(isinstance(value, (int, float, np.number)) for value in values.flat):
            return DenseTable(check_array(values, dtype=np.float64, ensure_all_finite="allow-nan"))
        return ObjectTable(values)
    return DenseTable(values)


def categorical_columns(table: Table, categorical_features: Any) -> list[bool]:
    """Which columns are categorical, from the parameter of that name."""
    given = categorical_features
    n = table.n_features
    if given is None:
        return [False] * n
    if isinstance(given, str):
        if given != "from_dtype":
            raise ValueError(
                "categorical_features must be 'from_dtype', None, or a list of columns, "
                f"got {given!r}"
            )
        return [table.is_categorical(j) for j in range(n)]
    chosen = np.asarray(given)
    if chosen.size == 0:
        return [False] * n
    if chosen.ndim != 1:
        raise ValueError("categorical_features must be one-dimensional")
    if chosen.dtype == bool:
        if chosen.size != n:
            raise ValueError(
                f"categorical_features is a mask of length {chosen.size}, but X has {n} columns"
            )
        return [bool(flag) for flag in chosen]
    wanted = chosen.tolist()
    if chosen.dtype.kind in "iu":
        outside = [j for j in wanted if not 0 <= j < n]
        if outside:
            raise ValueError(
                f"categorical_features names column {outside[0]}, but X has columns 0 to {n - 1}"
            )
        return [j in wanted for j in range(n)]
    unknown = [name for name in wanted if name not in table.names]
    if unknown:
        raise ValueError(
            f"categorical_features names column {unknown[0]!r}, which X does not have; "
            f"its columns are {table.names}"
        )
    return [name in wanted for name in table.names]


def make_coders(table: Table, categorical: Sequence[bool], max_codes: int) -> list[Coder | None]:
    """A coder for each categorical column."""
    coders: list[Coder | None] = []
    for j, flag in enumerate(categorical):
        column = table.column(j, True) if flag else None
        coders.append(Coder(column, max_codes) if isinstance(column, Labels) else None)
    return coders


def _names_only(table: FrameTable) -> Any:
    """A frame with the table's columns that scikit-learn can take the names from."""
    if table.kind == "pandas":
        return table.X
    try:
        import pandas as pd
    except ImportError:
        return table.X
    return pd.DataFrame(columns=table.names)


def _frame_kind(X: Any) -> str:
    module = type(X).__module__.split(".")[0]
    if module in {"pandas", "polars"} and hasattr(X, "columns"):
        return module
    return "pyarrow" if module == "pyarrow" and hasattr(X, "column_names") else ""


def _holds_objects(X: Any) -> bool:
    if isinstance(X, np.ndarray):
        return X.dtype.kind in "OUS"
    return (
        isinstance(X, (list, tuple))
        and np.asarray(X, dtype=object).dtype == object
        and any(
            isinstance(value, str) for row in X if isinstance(row, (list, tuple)) for value in row
        )
    )


def _not_numeric(name: Any, kind: Any) -> ValueError:
    return ValueError(
        f"column {name!r} is not numeric ({kind}); give it a categorical type, name it in "
        "categorical_features, or encode it"
    )


def _as_floats(values: Any, name: Any) -> Array:
    try:
        return np.asarray(values, dtype=np.float64)
    except ValueError as error:
        kinds = {type(value).__name__ for value in values if not isinstance(value, (int, float))}
        raise _not_numeric(name, ", ".join(sorted(kinds))) from error


def _is_missing(value: Any) -> bool:
    return value is None or type(value).__name__ in {"NAType", "NaTType"} or value != value


def _labels(values: Any) -> Labels:
    """Labels of any array; NaN, None and NA are missing."""
    values = np.asarray(values)
    if values.dtype != object:
        missing = np.isnan(values) if values.dtype.kind == "f" else np.zeros(len(values), bool)
        labels, codes = np.unique(values, return_inverse=True)
        return Labels(np.where(missing, -1, codes.reshape(-1)), labels.tolist())
    code_of: dict[Any, int] = {}
    codes = np.array(
        [-1 if _is_missing(v) else code_of.setdefault(v, len(code_of)) for v in values.tolist()],
        dtype=np.intp,
    )
    return Labels(codes, list(code_of))


def _sorted(labels: list[Any]) -> list[Any]:
    try:
        return sorted(labels)
    except TypeError:
        return sorted(labels, key=lambda label: (type(label).__name__, str(label)))


def _read_pandas(column: Any, name: Any, categorical: bool) -> Array | Labels:
    if str(column.dtype) == "category":
        if categorical:
            return Labels(column.cat.codes.to_numpy(), column.cat.categories.tolist())
        if column.cat.categories.dtype.kind not in "biuf":
            raise _not_numeric(name, "category")
        column = column.astype(np.float64)
    if categorical:
        return _labels(column.to_numpy(dtype=object))
    if str(column.dtype).startswith("null"):
        return np.full(len(column), np.nan)
    kind = getattr(column.dtype, "kind", "O")
    if kind not in "biuf" or str(column.dtype) in {"object", "string", "str"}:
        if str(column.dtype) == "object":
            try:
                return _as_floats(column.to_numpy(), name)
            except TypeError as error:
                raise _not_numeric(name, "objects") from error
        raise _not_numeric(name, column.dtype)
    values: Array = column.to_numpy(dtype=np.float64, na_value=np.nan)
    return values


def _read_polars(column: Any, name: Any, categorical: bool) -> Array | Labels:
    import polars as pl

    if categorical:
        if type(column.dtype).__name__ in {"Categorical", "Enum"}:
            column = column.cast(pl.String)
        return _labels(np.array(column.to_list(), dtype=object))
    if column.dtype == pl.Null:
        return np.full(len(column), np.nan)
    if not (column.dtype.is_numeric() or column.dtype == pl.Boolean):
        raise _not_numeric(name, column.dtype)
    values: Array = column.cast(pl.Float64).fill_null(float("nan")).to_numpy()
    return values


def _read_pyarrow(column: Any, name: Any, categorical: bool) -> Array | Labels:
    import pyarrow as pa

    types = pa.types
    if types.is_dictionary(column.type):
        if categorical:
            return _dictionary(column)
        column = column.cast(column.type.value_type)
    if categorical:
        return _labels(np.array(column.to_pylist(), dtype=object))
    if types.is_null(column.type):
        return np.full(len(column), np.nan)
    if types.is_boolean(column.type):
        column = column.cast(pa.int8())
    if not (types.is_integer(column.type) or types.is_floating(column.type)):
        raise _not_numeric(name, column.type)
    values: Array = column.cast(pa.float64(), safe=False).to_numpy()
    return values


def _dictionary(column: Any) -> Labels:
    """Labels of a pyarrow dictionary; a null is missing, in the codes or among the labels."""
    column = column.unify_dictionaries().combine_chunks()
    if hasattr(column, "chunks"):
        column = column.chunk(0)
    codes = column.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.intp)
    labels = column.dictionary.to_pylist()
    known = np.array([not _is_missing(label) for label in labels] + [False])
    place = np.where(known, np.cumsum(known) - 1, -1)
    return Labels(place[codes], [label for label in labels if not _is_missing(label)])
