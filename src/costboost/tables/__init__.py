"""Reading X: NumPy, pandas, polars, pyarrow and SciPy sparse, all seen as columns of numbers.

A categorical column is seen as the codes of its categories, NaN where the value is missing. Nothing
is copied as a whole that need not be: frames and sparse matrices are read column by column for
training and in blocks of rows for prediction.
"""

from costboost.tables.categories import Coder, Labels
from costboost.tables.containers import (
    DenseTable,
    ObjectTable,
    RawTable,
    SparseTable,
    holds_categories,
)
from costboost.tables.reading import (
    Features,
    categorical_columns,
    make_coders,
    read,
    read_training,
    warn_of_text,
)
from costboost.tables.table import Table

__all__ = [
    "Coder",
    "DenseTable",
    "Features",
    "Labels",
    "ObjectTable",
    "RawTable",
    "SparseTable",
    "Table",
    "categorical_columns",
    "holds_categories",
    "make_coders",
    "read",
    "read_training",
    "warn_of_text",
]
