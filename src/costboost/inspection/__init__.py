"""Inspection of tables before training: kinds of columns, leaks, identifiers, misread values.

`inspect_table` describes a table of pandas, polars or pyarrow and its findings, `inspect_costs`
checks costs against the frequencies of the classes. The command line prints the same findings
before it trains.
"""

from costboost.inspection.columns import Finding
from costboost.inspection.tables import (
    ColumnInspection,
    TableInspection,
    inspect_costs,
    inspect_table,
)

__all__ = ["ColumnInspection", "Finding", "TableInspection", "inspect_costs", "inspect_table"]
