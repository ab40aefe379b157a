"""Inspection of tables and costs before training: identifiers, leaks, misread values."""

from costboost.app.inspection import (
    ColumnInspection,
    Finding,
    TableInspection,
    inspect_costs,
    inspect_table,
)

__all__ = [
    "ColumnInspection",
    "Finding",
    "TableInspection",
    "inspect_costs",
    "inspect_table",
]
