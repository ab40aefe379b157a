"""Feature matrices of NumPy, pandas, polars, pyarrow and SciPy sparse as columns of numbers.

Categorical columns are read as the codes of their categories, NaN where the value is missing.
Frames and sparse matrices are not copied as a whole: they are read column by column for training
and in blocks of rows for prediction.
"""

from costboost.tables.containers import (
    ComputedFeatures,
    DenseTable,
    ObjectTable,
    RawTable,
    SparseTable,
    holds_categories,
)
from costboost.tables.reading import (
    Features,
    categorical_columns,
    features_of,
    make_coders,
    read,
    read_training,
    warn_of_text,
)
from costboost.tables.table import Coder, Labels, Table

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
