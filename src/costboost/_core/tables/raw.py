"""Values that a wrapped learner reads without conversion."""

from __future__ import annotations

from costboost._core.tables.table import Table


class RawTable(Table):
    """Values that are passed to a wrapped learner without conversion."""
