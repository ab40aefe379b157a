"""Tables for containers of NumPy, SciPy, pandas, polars and pyarrow, and of computed features."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from datetime import date, time, timedelta
from decimal import Decimal
from functools import cache
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from costboost._core.caching import cached_property
from costboost._core.checks import quoted


class Labels:
    """A categorical column: the code of each row (-1: missing) and the label of each code."""

    def __init__(self, codes: NDArray[Any], labels: Sequence[Any]) -> None:
        self.codes = codes
        self.labels = list(labels)

    @classmethod
    def of(cls, values: Any) -> Labels:
        """Labels of any array; NaN, None and NA are missing."""
        values = np.asarray(values)
        if values.dtype != object:
            can_miss = values.dtype.kind in "fmM"
            missing = np.isnan(values) if can_miss else np.zeros(len(values), bool)
            labels, codes = np.unique(values, return_inverse=True)
            return cls(np.where(missing, -1, codes.reshape(-1)), labels.tolist())
        code_of: dict[Any, int] = {}
        codes = np.array(
            [-1 if is_missing(v) else code_of.setdefault(v, len(code_of)) for v in values.tolist()],
            dtype=np.intp,
        )
        return cls(codes, list(code_of))

    @property
    def n_known(self) -> int:
        """Number of rows that have a label."""
        return int((self.codes >= 0).sum())

    def take(self, rows: Any) -> Labels:
        """Select rows (a slice or an index array)."""
        return Labels(self.codes[rows], self.labels)


class Coder:
    """Encoder of one categorical feature: maps labels to codes.

    The ``max_codes`` most frequent labels have a code each, in sorted order where they can be
    sorted; if there are more, the others share the last code. Labels that did not occur in
    training get the shared code if there is one, else NaN.
    """

    def __init__(
        self, column: Labels, max_codes: int, copies: NDArray[np.int64] | None = None
    ) -> None:
        there = column.codes >= 0
        weights = None if copies is None else copies[there]
        counts = np.bincount(column.codes[there], weights, minlength=len(column.labels))
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
        """Labels as a list, since some file formats cannot distinguish the keys True and "True"."""
        return {"labels": list(self.code_of), "shared": self.shared}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.shared = state["shared"]
        self._take(state["labels"])

    def __call__(self, column: Labels) -> NDArray[np.float64]:
        """Codes of a column as floats."""
        other = float(len(self.code_of)) if self.shared else np.nan
        table = np.array([self.code_of.get(label, other) for label in column.labels] + [np.nan])
        codes: NDArray[np.float64] = table[column.codes]
        return codes


def is_missing(value: Any) -> bool:
    """Whether a label stands for a missing value."""
    return value is None or type(value).__name__ in {"NAType", "NaTType"} or value != value


def _sorted(labels: list[Any]) -> list[Any]:
    try:
        return sorted(labels)
    except TypeError:
        return sorted(labels, key=lambda label: (type(label).__name__, str(label)))


# ---- columns of text -----------------------------------------------------------------------------


NUMBERS = (int, float, Decimal, np.number, np.bool_)


def holds_text(values: Sequence[Any], name: Any) -> bool:
    """Whether all objects are text or missing; text mixed with numbers raises ValueError."""
    kinds = set(map(type, values))
    if not any(issubclass(kind, str) for kind in kinds):
        return all(is_missing(value) for value in values)
    others = [v for v in values if not isinstance(v, str) and not is_missing(v)]
    number = next((value for value in others if isinstance(value, NUMBERS)), None)
    if number is not None:
        text = next(value for value in values if isinstance(value, str))
        raise ValueError(
            f"column {name!r} holds text and numbers, such as {quoted(text)} and {quoted(number)}; "
            "make all of it text to have categories (astype(str)), or all of it numbers, or name "
            "it in categorical_features, where each value is a category as it is"
        )
    return not others


# ---- base classes of tables: columns that can be read as numbers or as labels --------------------


Array = NDArray[Any]
Coders = Sequence[Coder | None]
RowBlocks = Iterator[tuple[slice, Array]]

PREDICTION_CELLS = 4_000_000
"""Values of a frame or sparse matrix that are converted to numbers at a time."""


DATES = ("m", "M")
"""Kinds of the NumPy dtypes of times and durations, which are not numeric features."""
NO_REALS = (complex, date, time, timedelta, np.complexfloating, np.datetime64, np.timedelta64)
"""Types that NumPy converts to floats but that are not numeric features."""


class Table:
    """A feature matrix whose columns can be read as numbers or as labels."""

    computed = False
    """Whether features are computed when they are read, so that no others should be."""
    remote = False
    """Whether the rows are in other processes."""

    def __init__(self, X: Any, names: Sequence[Any] | None = None) -> None:
        self.X = X
        self.names = list(range(X.shape[1]) if names is None else names)
        self.n_rows: int = X.shape[0]
        self.n_features = len(self.names)

    # ---- methods of subclasses -------------------------------------------------------------------

    def column(self, j: int) -> Array:
        """Column j as floats."""
        raise NotImplementedError

    def labels(self, j: int) -> Labels:
        """Column j as labels."""
        raise NotImplementedError

    def is_categorical(self, j: int) -> bool:
        """Whether the type of column j is categorical or text."""
        return self.is_text(j)

    def is_text(self, j: int) -> bool:
        """Whether column j is text without a categorical type."""
        return False

    def take(self, rows: Any) -> Table:
        """Select rows (a slice or an index array)."""
        return type(self)(self.X[rows])

    def labelled(self, coders: Coders, numbers: Array) -> Array:
        """An object array of ``numbers`` with labels in categorical columns, None if missing."""
        shown = numbers.astype(object)
        for j, coder in enumerate(coders):
            if coder is not None:
                column = self.labels(j)
                names = np.array([*column.labels, None], dtype=object)
                shown[:, j] = names[column.codes]
        return shown

    def read_once(self) -> Table:
        """A table that converts each column only once, even if rows are selected repeatedly."""
        return self

    # ---- functions of the rows, wherever they are ------------------------------------------------

    def each(self, function: Callable[..., Any], *given: Any) -> list[Any]:
        """Apply a function to the rows, or to those in each other process; return its results."""
        return [function(self, *given)]

    def mapped(self, function: Callable[..., Array], *given: Any) -> Array:
        """Values of a function that has one for each row, along the last axis."""
        return function(self, *given)

    def divided(self, values: Array | None) -> Any:
        """Values of the rows, or None, as an argument of `each`."""
        return values

    def jobs(self, n_jobs: int | None) -> Any:
        """Number of threads as an argument of `each` and `mapped`."""
        return n_jobs

    # ---- numbers ---------------------------------------------------------------------------------

    def select(self, features: Array) -> Table:
        """A table of the numbers of some features, which are not categorical."""
        raise NotImplementedError

    def numbers(self, coders: Coders) -> Iterator[tuple[int, Array]]:
        """Iterate over blocks of columns as numbers: (first feature, 2-D array)."""
        for j, coder in enumerate(coders):
            yield j, self.coded(j, coder)[:, np.newaxis]

    def row_blocks(self, coders: Coders) -> RowBlocks:
        """Iterate over blocks of rows as numbers: (slice of rows, 2-D array)."""
        size = max(1, PREDICTION_CELLS // self.n_features)
        for begin in range(0, self.n_rows, size):
            rows = slice(begin, min(self.n_rows, begin + size))
            part = self.take(rows)
            block = np.empty((part.n_rows, self.n_features), order="F")
            for j, coder in enumerate(coders):
                block[:, j] = part.coded(j, coder)
            yield rows, block

    def repeated_blocks(self, coders: Coders) -> Callable[[], RowBlocks]:
        """A function that returns the blocks of rows, which are converted once and kept."""
        blocks = list(self.row_blocks(coders))
        return lambda: iter(blocks)

    def coder(self, j: int, max_codes: int, copies: Array | None = None) -> Coder:
        """The coder of column j; ``copies`` counts rows repeatedly."""
        return Coder(self.labels(j), max_codes, copies)

    def coded(self, j: int, coder: Coder | None) -> Array:
        """Column j as floats, or as codes if it has a coder."""
        return self.column(j) if coder is None else coder(self.labels(j))

    # ---- values that are refused -----------------------------------------------------------------

    def refuse_missing(self, advice: str) -> None:
        """Raise ValueError if a column that is not categorical has missing or infinite values."""
        for j in range(self.n_features):
            if self.is_categorical(j):
                continue
            values = self.column(j)
            with np.errstate(over="ignore", invalid="ignore"):
                total = values.sum(dtype=np.float64)  # tests all values at once
            if np.isfinite(total):
                continue
            if np.isnan(self._finite(j, values)).any():
                raise ValueError(f"Input X contains NaN, in column {self.names[j]!r}: {advice}")

    def _finite(self, j: int, values: Array) -> Array:
        if np.isinf(values).any():
            raise ValueError(
                f"column {self.names[j]!r} contains infinity; replace it by a finite value, or by "
                "NaN if it stands for a missing one"
            )
        return values


class TypedTable(Table):
    """A table whose columns have types; a selection of rows keeps the types of the whole."""

    def __init__(self, X: Any, names: Sequence[Any] | None = None) -> None:
        super().__init__(X, names)
        self._whole: TypedTable | None = None
        self._text: dict[int, bool] = {}

    def is_text(self, j: int) -> bool:
        if self._whole is not None:
            return self._whole.is_text(j)
        if j not in self._text:
            self._text[j] = self._holds_text(j)
        return self._text[j]

    def take(self, rows: Any) -> Table:
        part = type(self)(self._rows(rows))
        part._whole = self._whole or self
        return part

    def _rows(self, rows: Any) -> Any:
        return self.X[rows]

    def _holds_text(self, j: int) -> bool:
        raise NotImplementedError


class ReadOnce(Table):
    """A selection of rows of a table whose columns are converted only once."""

    def __init__(self, table: Table) -> None:
        super().__init__(table.X, table.names)
        self.table = table
        self.rows: Array | None = None
        self._column = cache(table.column)
        self._labels = cache(table.labels)
        self._is_categorical = cache(table.is_categorical)
        self._is_text = cache(table.is_text)

    @cached_property
    def X(self) -> Any:  # noqa: N802, an attribute of all tables
        """The selected rows in their original container."""
        return self.table.take(self.rows).X

    def column(self, j: int) -> Array:
        column = self._column(j)
        return column if self.rows is None else column[self.rows]

    def labels(self, j: int) -> Labels:
        labels = self._labels(j)
        return labels if self.rows is None else labels.take(self.rows)

    def is_categorical(self, j: int) -> bool:
        return self._is_categorical(j)

    def is_text(self, j: int) -> bool:
        return self._is_text(j)

    def take(self, rows: Any) -> Self:
        part = copy(self)
        part.rows = np.arange(self.n_rows)[rows] if self.rows is None else self.rows[rows]
        part.n_rows = len(part.rows)
        part.__dict__.pop("X", None)
        return part


def not_numeric(name: Any, kind: Any) -> ValueError:
    """The error for a column that is neither numeric nor categorical."""
    return ValueError(
        f"column {name!r} is not numeric ({kind}), and no category; encode it, or make it a "
        "category: categorical_features='from_dtype' takes text and categorical types, a list "
        "takes the columns it names. At prediction, columns are what they were in training"
    )


def as_floats(values: Any, name: Any) -> Array:
    """Convert objects to floats; raise ValueError if they are not numbers."""
    if getattr(getattr(values, "dtype", None), "kind", "O") in DATES:
        raise not_numeric(name, values.dtype)
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        if isinstance(error, TypeError) and not any(isinstance(one, NO_REALS) for one in values):
            raise
        kinds = {type(value).__name__ for value in values if not isinstance(value, (int, float))}
        raise not_numeric(name, ", ".join(sorted(kinds))) from error


# ---- checks of sparse matrices -------------------------------------------------------------------

COMPRESSED = ("csr", "csc", "bsr")


def checked_sparse(X: Any) -> Any:
    """Validate the index arrays of a sparse matrix; formats without them are converted to COO.

    SciPy does not check index arrays that were set after construction: with an index out of range
    its conversions read or write outside of the arrays.
    """
    if X.format not in (*COMPRESSED, "coo"):
        X = X.tocoo()
    if X.ndim != 2:
        return X
    for fault in _faults_of_coo(X) if X.format == "coo" else _faults_of_compressed(X):
        raise ValueError(
            f"X is a damaged sparse matrix of shape {X.shape} in {X.format.upper()} format: {fault}"
        )
    return X


def _faults_of_coo(X: Any) -> Iterator[str]:
    for name, index, n in (("row", X.row, X.shape[0]), ("column", X.col, X.shape[1])):
        if len(index) != len(X.data):
            yield f"it has {len(index)} {name} numbers for {len(X.data)} values"
        yield from _out_of_range(f"its {name} numbers", index, n)


def _faults_of_compressed(X: Any) -> Iterator[str]:
    """Errors in the index arrays of a CSR, CSC or BSR matrix, as text."""
    high, wide = X.blocksize if X.format == "bsr" else (1, 1)
    n_major, n_minor = X.shape[0] // high, X.shape[1] // wide
    if X.format == "csc":
        n_major, n_minor = n_minor, n_major
    ends, n_values = X.indptr, min(len(X.indices), len(X.data))
    if len(ends) != n_major + 1:
        yield f"indptr has {len(ends)} entries instead of {n_major + 1}"
    yield from _out_of_range("indptr", ends, n_values + 1)
    if ends[0] != 0 or np.any(ends[1:] < ends[:-1]):
        yield "indptr does not rise from 0"
    yield from _out_of_range("indices", X.indices[: ends[-1]], n_minor)


def _out_of_range(what: str, index: Any, n: int) -> Iterator[str]:
    if not isinstance(index, np.ndarray) or index.dtype.kind not in "iu" or index.ndim != 1:
        yield f"{what} must be an array of whole numbers"
    elif index.size and (index.min() < 0 or index.max() >= n):
        yield f"{what} must be from 0 to {n - 1}, but are from {index.min()} to {index.max()}"


# ---- tables of NumPy and SciPy -------------------------------------------------------------------


class DenseTable(Table):
    """A validated NumPy array of floats."""

    def __init__(self, X: Array) -> None:
        misaligned = any(stride % X.itemsize for stride in X.strides)  # field of packed records
        super().__init__(X.copy() if misaligned else X)

    def column(self, j: int) -> Array:
        column: Array = self.X[:, j]
        return column

    def labels(self, j: int) -> Labels:
        return Labels.of(self.X[:, j])

    def numbers(self, coders: Coders) -> Iterator[tuple[int, Array]]:
        if any(coders):
            yield from super().numbers(coders)
        else:
            yield 0, self.X

    def row_blocks(self, coders: Coders) -> RowBlocks:
        if any(coders):
            yield from super().row_blocks(coders)
        else:
            yield slice(0, self.n_rows), self.X


class RawTable(Table):
    """Values that are passed to a wrapped learner without conversion."""


class TextTable(Table):
    """A NumPy array of dates or of text, which may be numbers that NumPy converted to text."""

    def column(self, j: int) -> Array:
        return self._finite(j, as_floats(self.X[:, j], self.names[j]))

    def labels(self, j: int) -> Labels:
        return Labels.of(self.X[:, j])


class ObjectTable(TypedTable, TextTable):
    """A NumPy array of objects."""

    def _holds_text(self, j: int) -> bool:
        return holds_text(self.X[:, j].tolist(), self.names[j])


class SparseTable(Table):
    """A SciPy sparse matrix; absent entries are zeros."""

    def __init__(self, X: Any) -> None:
        super().__init__(X)
        self._columns: Any = None

    def column(self, j: int) -> Array:
        if self._columns is None:
            self._columns = self.X.tocsc(copy=not self.X.has_canonical_format)
            self._columns.sum_duplicates()
        columns = self._columns
        entries = slice(columns.indptr[j], columns.indptr[j + 1])
        values = np.zeros(self.n_rows, dtype=columns.dtype)
        values[columns.indices[entries]] = columns.data[entries]
        return values

    def labels(self, j: int) -> Labels:
        return Labels.of(self.column(j))

    def repeated_blocks(self, coders: Coders) -> Callable[[], RowBlocks]:
        """Blocks that are converted on each iteration: together they would be the dense matrix."""
        return lambda: self.row_blocks(coders)

    def take(self, rows: Any) -> Table:
        return SparseTable(self.X.tocsr()[rows])


# ---- data frames: pandas, polars and pyarrow, imported only if X is one of them ------------------


KEPT_CELLS = 2**25
"""Frames of up to so many values are kept as numbers while their rows are read repeatedly."""

TEXT_OF_ARROW = {"string", "large_string", "string_view"}
TEXT_OF_PANDAS = {"str"} | TEXT_OF_ARROW


class FrameTable(TypedTable):
    """Base class of data frames; subclasses read the columns of one library."""

    def __init__(self, X: Any) -> None:
        super().__init__(X, self._names(X))

    def column(self, j: int) -> Array:
        return self._finite(j, self._floats(self._series(j), self.names[j]))

    def labels(self, j: int) -> Labels:
        return self._labels(self._series(j))

    def is_categorical(self, j: int) -> bool:
        return self._holds_categories(self._series(j)) or self.is_text(j)

    def read_once(self) -> Table:
        return self if self.n_rows * self.n_features > KEPT_CELLS else ReadOnce(self)

    def _holds_text(self, j: int) -> bool:
        column = self._series(j)
        if self._holds_objects(column):
            return holds_text(column.to_list(), self.names[j])
        return self._is_text_type(column)

    @staticmethod
    def _names(X: Any) -> list[Any]:
        return list(X.columns)

    def _series(self, j: int) -> Any:
        raise NotImplementedError

    @staticmethod
    def _is_text_type(column: Any) -> bool:
        raise NotImplementedError

    @staticmethod
    def _holds_objects(column: Any) -> bool:
        """Whether the column has the type object."""
        return str(column.dtype).lower() == "object"

    @staticmethod
    def _holds_categories(column: Any) -> bool:
        raise NotImplementedError

    @staticmethod
    def _labels(column: Any) -> Labels:
        raise NotImplementedError

    @staticmethod
    def _floats(column: Any, name: Any) -> Array:
        raise NotImplementedError


class PandasTable(FrameTable):
    """A pandas DataFrame."""

    _last: tuple[int, Any] = -1, None
    """Number and values of the column that was read last: to select one takes time."""

    def _rows(self, rows: Any) -> Any:
        return self.X.iloc[rows]

    def _series(self, j: int) -> Any:
        number, series = self._last
        if number != j:
            series = self.X.iloc[:, j]
            self._last = j, series
        return series

    @staticmethod
    def _holds_categories(column: Any) -> bool:
        kind = str(column.dtype)
        return kind == "category" or kind.startswith("dictionary")

    @staticmethod
    def _is_text_type(column: Any) -> bool:
        return str(column.dtype).split("[")[0] in TEXT_OF_PANDAS

    @staticmethod
    def _labels(column: Any) -> Labels:
        if PandasTable._is_text_type(column):
            codes, labels = column.factorize()
            return Labels(codes, labels.tolist())
        if str(column.dtype) == "category":
            return Labels(column.cat.codes.to_numpy(), column.cat.categories.tolist())
        return Labels.of(column.to_numpy(dtype=object))

    @staticmethod
    def _floats(column: Any, name: Any) -> Array:
        if str(column.dtype) == "category":
            if column.cat.categories.dtype.kind not in "biuf":
                raise not_numeric(name, "category")
            column = column.astype(np.float64)
        kind = str(column.dtype)
        if kind.startswith("null"):
            return np.full(len(column), np.nan)
        if kind == "object":
            try:
                return as_floats(column.to_numpy(), name)
            except TypeError as error:
                raise not_numeric(name, "objects") from error
        if getattr(column.dtype, "kind", "O") not in "biuf" or PandasTable._is_text_type(column):
            raise not_numeric(name, column.dtype)
        values: Array = column.to_numpy(dtype=np.float64, na_value=np.nan)
        return values


class PolarsTable(FrameTable):
    """A polars DataFrame."""

    def _series(self, j: int) -> Any:
        return self.X.to_series(j)

    @staticmethod
    def _holds_categories(column: Any) -> bool:
        return type(column.dtype).__name__ in {"Categorical", "Enum"}

    @staticmethod
    def _is_text_type(column: Any) -> bool:
        return type(column.dtype).__name__ in {"String", "Utf8"}

    @staticmethod
    def _labels(column: Any) -> Labels:
        import polars as pl

        if PolarsTable._holds_categories(column):
            column = column.cast(pl.String)
        return Labels.of(np.array(column.to_list(), dtype=object))

    @staticmethod
    def _floats(column: Any, name: Any) -> Array:
        import polars as pl

        if column.dtype == pl.Null:
            return np.full(len(column), np.nan)
        if not (column.dtype.is_numeric() or column.dtype == pl.Boolean):
            raise not_numeric(name, column.dtype)
        values: Array = column.cast(pl.Float64).fill_null(float("nan")).to_numpy()
        return values


class ArrowTable(FrameTable):
    """A pyarrow Table or RecordBatch."""

    def _rows(self, rows: Any) -> Any:
        if isinstance(rows, slice):
            return self.X.slice(rows.start, rows.stop - rows.start)
        return self.X.take(rows)

    @staticmethod
    def _names(X: Any) -> list[Any]:
        return list(X.column_names)

    def _series(self, j: int) -> Any:
        return self.X.column(j)

    @staticmethod
    def _holds_categories(column: Any) -> bool:
        return str(column.type).startswith("dictionary")

    @staticmethod
    def _is_text_type(column: Any) -> bool:
        return str(column.type) in TEXT_OF_ARROW

    @staticmethod
    def _holds_objects(column: Any) -> bool:
        return False

    @staticmethod
    def _labels(column: Any) -> Labels:
        """Labels of a column; a null is missing, both among the codes and in the dictionary."""
        if ArrowTable._is_text_type(column):
            column = column.cast("large_string").dictionary_encode()
        if not ArrowTable._holds_categories(column):
            return Labels.of(np.array(column.to_pylist(), dtype=object))
        column = column.unify_dictionaries().combine_chunks()
        if hasattr(column, "chunks"):
            column = column.chunk(0)
        codes = column.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.intp)
        labels = column.dictionary.to_pylist()
        known = np.array([not is_missing(label) for label in labels] + [False])
        place = np.where(known, np.cumsum(known) - 1, -1)
        return Labels(place[codes], [label for label in labels if not is_missing(label)])

    @staticmethod
    def _floats(column: Any, name: Any) -> Array:
        import pyarrow as pa

        if ArrowTable._holds_categories(column):
            column = column.cast(column.type.value_type)
        types = pa.types
        if types.is_null(column.type):
            return np.full(len(column), np.nan)
        if types.is_boolean(column.type):
            column = column.cast(pa.int8())
        if not (types.is_integer(column.type) or types.is_floating(column.type)):
            raise not_numeric(name, column.type)
        values: Array = column.cast(pa.float64(), safe=False).to_numpy()
        return values


def holds_categories(type_: Any) -> bool:
    """Whether columns of a pyarrow type are categorical: dictionaries and text are."""
    return str(type_).startswith("dictionary") or str(type_) in TEXT_OF_ARROW


def frame_table(X: Any) -> FrameTable | None:
    """X as a table, or None if it is not a data frame."""
    module = type(X).__module__.split(".")[0]
    if module == "pyarrow":
        return ArrowTable(X) if hasattr(X, "column_names") else None
    kinds: dict[str, type[FrameTable]] = {"pandas": PandasTable, "polars": PolarsTable}
    return kinds[module](X) if module in kinds and hasattr(X, "columns") else None


# ---- computed features ---------------------------------------------------------------------------

# Some data have far more features than can be kept as floats: a patch of 24 x 24 pixels has 160,000
# Haar-like features. A classifier fits on `ComputedFeatures` as it does on an array. Training
# computes a block of columns, bins it into one byte per value and discards the floats; prediction
# computes only the features that the ensemble tests.

CELLS_AT_A_TIME = 2**20
"""Values that are computed at a time: 8 MB."""


class ComputedFeatures:
    """Base of feature matrices that are not stored.

    A subclass sets ``shape``, the number of rows and of features, and implements the two methods.
    All features are finite numbers or NaN; none is categorical.
    """

    shape: tuple[int, int]

    def compute(self, features: NDArray[np.intp]) -> NDArray[np.float64]:
        """Values of some features, one column each, for all rows."""
        raise NotImplementedError

    def take(self, rows: Any) -> Self:
        """Select rows (a slice or an index array)."""
        raise NotImplementedError

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, key: Any) -> Self:
        """Select rows by ``X[rows]`` or ``X[rows, :]``, as scikit-learn does with arrays."""
        rows, *others = key if isinstance(key, tuple) else (key,)
        if any(other is not Ellipsis and other != slice(None) for other in others):
            raise TypeError("only rows of computed features can be selected; see `compute`")
        return self.take(rows)


class ComputedTable(Table):
    """A table of computed features."""

    X: ComputedFeatures
    computed = True

    def column(self, j: int) -> Array:
        values = self.X.compute(np.array([j]))[:, 0]
        return self._finite(j, values)

    def labels(self, j: int) -> Labels:
        return Labels.of(self.column(j))

    def take(self, rows: Any) -> Table:
        return ComputedTable(self.X.take(rows))

    def numbers(self, coders: Coders) -> Iterator[tuple[int, Array]]:
        if any(coders):
            yield from super().numbers(coders)
            return
        size = max(1, CELLS_AT_A_TIME // max(self.n_rows, 1))
        for begin in range(0, self.n_features, size):
            yield begin, self.X.compute(np.arange(begin, min(begin + size, self.n_features)))

    def select(self, features: NDArray[np.intp]) -> Table:
        return DenseTable(self.X.compute(features))
