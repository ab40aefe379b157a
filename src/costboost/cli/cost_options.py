"""Costs as options: numbers, names of columns, files."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from costboost.cli.console import note
from costboost.reading.errors import InputError, os_reason, unknown

CELLS = ("fn_cost", "fp_cost", "tp_cost", "tn_cost")


def with_costs_file(given: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a command, with what the file of --costs states in place of it.

    It is a record of the costs of outcomes, or else the table of --cost-matrix.
    """
    found = {name: value for name, value in given.items() if name != "costs"}
    path = given.get("costs")
    if path is None:
        return _with_means(found)
    usual = {"fn_cost": (None, "1"), "fp_cost": (None, "1")}
    if any(found.get(n) not in usual.get(n, (None,)) for n in (*CELLS, "cost_matrix")):
        raise InputError("costs are given twice: --costs FILE, or options for them, but not both")
    cells = _read_cells(path)
    return _with_means(found | ({"cost_matrix": path} if cells is None else cells))


def _with_means(found: dict[str, Any]) -> dict[str, Any]:
    """Options with the mean of a range of costs in its place, and the "ranges" for the report."""
    ranges = {}
    for name in CELLS:
        first, _, last = (found.get(name) or "").partition("..")
        try:
            low, high = float(first), float(last)
        except ValueError:
            continue  # a number, or the name of a column
        option = f"--{name.replace('_', '-')} {found[name]}"
        if not -math.inf < low <= high < math.inf:
            raise InputError(f"{option} must be a range from low to high")
        ranges[name] = (low, high)
        found[name] = f"{low / 2 + high / 2:.17g}"
        note(f"{option} is a range: decisions are made for its mean, {low / 2 + high / 2:g}")
    return found | {"ranges": ranges}


def _read_cells(path: str) -> dict[str, str] | None:
    """The costs of outcomes in a JSON or CSV file, as text; None if it holds something else."""
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            text = file.read(MOST_TEXT)
    except OSError as error:
        raise InputError(f"{path}: {os_reason(error)}") from error
    except UnicodeDecodeError:
        return None
    try:
        record = json.loads(text)
    except ValueError:
        rows = [row for row in csv.reader(text.splitlines()) if row]
        if len(rows) != 2 or len(rows[0]) != len(rows[1]):
            return None
        record = dict(zip(map(str.strip, rows[0]), map(str.strip, rows[1]), strict=True))
    if not isinstance(record, dict) or not set(record) & set(CELLS):
        return None
    for name, value in record.items():
        if name not in CELLS:
            raise unknown("cost", name, CELLS, f" in {path}")
        if isinstance(value, list) and len(value) == 2:
            record[name] = value = f"{value[0]}..{value[1]}"
        if isinstance(value, bool) or not isinstance(value, (str, int, float)) or value == "":
            raise InputError(f"{path}: {name} must be a number or the name of a column")
    return {name: str(value) for name, value in record.items()}


MOST_TEXT = 1_000_000
"""Characters of a file of costs that are read."""


def parse_cost(text: str, gains: bool = False) -> float:
    """A cost that must be a number, above 0 unless there may be gains."""
    try:
        value = float(text)
    except ValueError:
        raise InputError(
            "this algorithm takes no costs of rows here, but numbers or --cost-matrix, got "
            f"{text!r}"
        ) from None
    if gains and math.isfinite(value):
        return value
    if gains:
        raise InputError(f"a cost must be a finite number, or the name of a column, got {text}")
    if not math.isfinite(value) or value <= 0:
        raise InputError(f"a cost must be a number above 0, or the name of a column, got {text}")
    return value


def cost_or_column(text: str, gains: bool = False) -> float | str:
    """A cost as a number, or else the name of a column."""
    try:
        float(text)
    except ValueError:
        return text
    return parse_cost(text, gains)


def check_cost_columns(costs: Iterable[float | str], names: Sequence[str], where: str) -> None:
    """Raise an InputError if a cost is the name of a column that does not exist."""
    for cost in costs:
        if isinstance(cost, str) and cost not in names:
            raise unknown("column", cost, names, f" in {where} for a cost")
