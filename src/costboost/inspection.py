"""Inspection of tables and costs before training: identifiers, leaks, misread values."""

from costboost.app.inspection.costs import inspect_costs
from costboost.app.inspection.tables import ColumnInspection, TableInspection, inspect_table
from costboost.app.inspection.values import Finding

__all__ = [
    "ColumnInspection",
    "Finding",
    "TableInspection",
    "inspect_costs",
    "inspect_table",
]
