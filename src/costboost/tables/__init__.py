"""Feature matrices of NumPy, pandas, polars, pyarrow and SciPy sparse as columns of numbers.

Categorical columns are read as the codes of their categories, NaN where the value is missing.
Frames and sparse matrices are not copied as a whole: they are read column by column for training
and in blocks of rows for prediction.
"""

from costboost.tables.reading import (
    Features,
    categorical_columns,
    features_of,
    make_coders,
    read,
    read_training,
    warn_of_text,
)
from costboost.tables.table import (
    Coder,
    ComputedFeatures,
    DenseTable,
    Labels,
    ObjectTable,
    RawTable,
    SparseTable,
    Table,
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
