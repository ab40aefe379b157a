"""Costs of the four outcomes of two classes in files: a record of numbers, ranges or columns."""

from __future__ import annotations

from costboost._core.names import COST_NAMES
from costboost.app.reading import cost_files
from costboost.app.reading.cost_files import Cells
from costboost.app.reading.errors import InputError, unknown
from costboost.app.reading.options import ReadOptions


def read_outcome_costs(path: str, options: ReadOptions | None = None) -> dict[str, str] | None:
    """The costs of outcomes in a JSON or CSV file, as text; None if it holds something else."""
    name, record = cost_files.read(path, options, "record of costs")
    if isinstance(record, Cells) and len(record) == 2 and len(record[0]) == len(record[1]):
        record = {key.strip(): text.strip() for key, text in zip(record[0], record[1], strict=True)}
    if not isinstance(record, dict) or not set(record) & set(COST_NAMES):
        return None
    costs = {}
    for key, cost in record.items():
        if key not in COST_NAMES:
            raise unknown("cost", key, COST_NAMES, f" in {name}")
        is_range = isinstance(cost, list) and len(cost) == 2
        text = f"{cost[0]}..{cost[1]}" if is_range else cost
        if isinstance(text, bool) or not isinstance(text, (str, int, float)) or text == "":
            raise InputError(f"{name}: {key} must be a number or the name of a column")
        costs[key] = str(text)
    return costs
