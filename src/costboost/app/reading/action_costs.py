"""Costs of actions in files: a row for each true class, a column for each action."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from costboost._core.arrays import Label
from costboost.app.reading import cost_files
from costboost.app.reading.cost_files import Cells
from costboost.app.reading.errors import InputError, unknown
from costboost.app.reading.options import ReadOptions

RANGE = re.compile(r"(.+?)\.\.(.+)")
"""A range in a cell of text, such as 4..40."""


class ActionCosts(NamedTuple):
    """The costs of a file, and the rates of its reviewers if it has any."""

    costs: dict[Label, dict[str, Any]]
    reviewer: dict[str, Any] | None


def read_action_costs(
    path: str, classes: Sequence[Label], options: ReadOptions | None = None
) -> ActionCosts:
    """Read a table with a row for each true class and a column for each action.

    A cell is a number, a range such as 4..40 (in JSON ``[4, 40]``), or the name of a column. In
    JSON the table may be below "costs", beside the rates of a "reviewer".
    """
    name, table = cost_files.read(path, options, "table of costs")
    table, reviewer = _of_cells(table, name) if isinstance(table, Cells) else table, None
    if isinstance(table, dict) and "costs" in table and set(table) <= {"costs", "reviewer"}:
        table, reviewer = table["costs"], table.get("reviewer")
    if not isinstance(table, dict) or not all(isinstance(row, dict) for row in table.values()):
        raise InputError(
            f"{name} must be a table with a row for each true class and a column for each action, "
            'or JSON {"truth": {"action": cost}}'
        )
    labels = {str(label): label for label in classes}
    costs = {
        _label(truth, labels, name): {key: _cell(cell) for key, cell in row.items()}
        for truth, row in table.items()
    }
    return ActionCosts(costs, _labelled(reviewer, labels))


def _of_cells(lines: Cells, name: str) -> dict[str, Any]:
    rows = [[cell.strip() for cell in line] for line in lines]
    if len(rows) < 2 or any(len(row) != len(rows[0]) for row in rows):
        raise InputError(
            f"{name} must have a first line with the actions, then a line for each true class: its "
            "name and the cost of each action"
        )
    actions = rows[0][1:]
    for names, what in ((actions, "columns"), ([row[0] for row in rows[1:]], "rows")):
        twice = [text for k, text in enumerate(names) if text in names[:k]]
        if twice:
            raise InputError(f"{name} has two {what} named {twice[0]!r}")
    return {row[0]: dict(zip(actions, row[1:], strict=True)) for row in rows[1:]}


def _label(truth: str, labels: Mapping[str, Label], name: str) -> Label:
    if truth not in labels:
        raise unknown("class", truth, list(labels), f" of the data, but {name} has a row for it")
    return labels[truth]


def _cell(cell: Any) -> Any:
    """A number, a range or the name of a column; other values are refused later, by name."""
    if isinstance(cell, list):
        return tuple(map(_cell, cell))
    if not isinstance(cell, str):
        return cell
    ends = RANGE.fullmatch(cell)
    if ends is not None:
        return tuple(_number(end.strip()) for end in ends.groups())
    return _number(cell) if cell else None


def _number(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text


def _labelled(reviewer: Any, labels: Mapping[str, Label]) -> Any:
    """Rates of reviewers with the labels of the classes as keys of confusion tables."""
    if not isinstance(reviewer, dict):
        return reviewer
    return {labels.get(key, key): _labelled(value, labels) for key, value in reviewer.items()}
