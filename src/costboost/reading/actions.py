"""Tables of costs, truth x action, as CSV or JSON files."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from costboost.reading.columns import Label
from costboost.reading.errors import InputError, translated_errors, unknown
from costboost.reading.formats import detect_separator
from costboost.reading.sources import ReadOptions, Source
from costboost.reading.tables import open_source

MAX_BYTES = 1 << 24
"""Text that is longer cannot be a table of costs."""
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
    with open_source(path, options) as source, translated_errors(source.name):
        text = _text(source)
    found, name = _parsed(text, source.name), source.name
    reviewer = None
    if "costs" in found and set(found) <= {"costs", "reviewer"}:
        found, reviewer = found["costs"], found.get("reviewer")
    if not isinstance(found, dict) or not all(isinstance(row, dict) for row in found.values()):
        raise InputError(
            f"{name} must be a table with a row for each true class and a column for each action, "
            'or JSON {"truth": {"action": cost}}'
        )
    labels = {str(label): label for label in classes}
    costs = {
        _label(truth, labels, name): {key: _cell(cell) for key, cell in row.items()}
        for truth, row in found.items()
    }
    return ActionCosts(costs, _labelled(reviewer, labels))


def _text(source: Source) -> str:
    data = source.bytes.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise InputError(f"{source.name} is far too long for a table of costs")
    return data.decode(source.options.encoding).removeprefix("\ufeff")


def _parsed(text: str, name: str) -> dict[str, Any]:
    if text.lstrip()[:1] in ("{", "["):
        try:
            found = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise InputError(f"{name} is no JSON: {error}") from error
        return found if isinstance(found, dict) else {"": found}
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=detect_separator(text))
    rows = [[cell.strip() for cell in line] for line in lines if any(map(str.strip, line))]
    if len(rows) < 2 or any(len(row) != len(rows[0]) for row in rows):
        raise InputError(
            f"{name} must have a first line with the actions, then a line for each true class: its "
            "name and the cost of each action"
        )
    actions = rows[0][1:]
    for names, what in ((actions, "columns"), ([row[0] for row in rows[1:]], "rows")):
        twice = [one for k, one in enumerate(names) if one in names[:k]]
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
