"""Feature matrices of NumPy, pandas, polars, pyarrow and SciPy sparse as columns of numbers.

Categorical columns are read as the codes of their categories, NaN where the value is missing.
Frames and sparse matrices are not copied as a whole: they are read column by column for training
and in blocks of rows for prediction.
"""

from costboost._core.tables.arrays import DenseTable, ObjectTable
from costboost._core.tables.categories import categorical_columns, make_coders
from costboost._core.tables.computed import ComputedFeatures
from costboost._core.tables.frames import holds_categories
from costboost._core.tables.labels import Coder, Labels
from costboost._core.tables.matrix import LocalMatrix, Matrix, rows_of
from costboost._core.tables.raw import RawTable
from costboost._core.tables.reading import Features, features_of, read, read_training
from costboost._core.tables.sparse import SparseTable
from costboost._core.tables.table import Table, Team
from costboost._core.tables.text import (
    IDENTIFIER_SHARE,
    MAX_CODES,
    MIN_DISTINCT,
    almost_all_distinct,
    warn_of_text,
)

__all__ = [
    "IDENTIFIER_SHARE",
    "MAX_CODES",
    "MIN_DISTINCT",
    "Coder",
    "ComputedFeatures",
    "DenseTable",
    "Features",
    "Labels",
    "LocalMatrix",
    "Matrix",
    "ObjectTable",
    "RawTable",
    "SparseTable",
    "Table",
    "Team",
    "almost_all_distinct",
    "categorical_columns",
    "features_of",
    "holds_categories",
    "make_coders",
    "read",
    "read_training",
    "rows_of",
    "warn_of_text",
]
