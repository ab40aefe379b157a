"""Costs as files: of four outcomes, matrices, truth x prediction, and tables, truth x action."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Mapping, Sequence
from math import inf, nan
from typing import Any, NamedTuple

import numpy as np

from costboost._core.arrays import Label
from costboost._core.checks import Floats
from costboost._core.costs import check_matrix
from costboost.app.reading.errors import InputError, os_reason, some, translated_errors, unknown
from costboost.app.reading.formats import FORMATS, detect_separator, open_source
from costboost.app.reading.sources import HEAD, ReadOptions, Source, detect_format

MAX_BYTES = 1 << 24
"""Text that is longer cannot be a cost matrix."""
SIDES = ("row", "column")


class Grid(NamedTuple):
    """The values of a file, and the names of their rows and columns if it has any."""

    values: list[list[Any]]
    rows: list[str] | None
    columns: list[str] | None


class CostMatrix(NamedTuple):
    """The costs of a file, in the order of the classes."""

    costs: Floats
    named: bool
    """Whether the file names the classes; otherwise its order is taken for theirs."""


def read_cost_matrix(
    path: str, classes: Sequence[Label], options: ReadOptions | None = None
) -> CostMatrix:
    """The costs of a file for these classes, by name if it has names, else in sorted order."""
    labels = [str(label) for label in classes]
    with open_source(path, options) as source, translated_errors(source.name):
        grid = _grid(source, len(labels))
    grid = _square(grid, len(labels), source.name)
    order = [
        _places(names, labels, side, source.name)
        for names, side in zip((grid.rows, grid.columns), SIDES, strict=True)
    ]
    values = [[grid.values[i][j] for j in order[1]] for i in order[0]]
    costs = np.array(
        [
            [_cost(one, labels[i], labels[j], source.name) for j, one in enumerate(line)]
            for i, line in enumerate(values)
        ]
    )
    try:
        return CostMatrix(check_matrix(costs, np.array(labels)), grid.columns is not None)
    except ValueError as error:
        raise InputError(f"{source.name}: {error}") from error


# ---- the file ------------------------------------------------------------------------------------


def _grid(source: Source, n_classes: int) -> Grid:
    if source.bytes.peek(HEAD).lstrip()[:1] == b"[":
        return _of_json(_text(source, "cost matrix"), source.name)
    kind = detect_format(source)
    if kind == "csv":
        text = _text(source, "cost matrix")
        lines = csv.reader(io.StringIO(text, newline=""), delimiter=detect_separator(text))
        return _of_cells([line for line in lines if any(map(str.strip, line))], n_classes)
    if kind == "json":
        return _of_json(_text(source, "cost matrix"), source.name)
    return _of_records(FORMATS[kind](source).table({}).to_pylist())


def _text(source: Source, what: str) -> str:
    data = source.bytes.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise InputError(f"{source.name} is far too long for a {what}")
    return data.decode(source.options.encoding).removeprefix("\ufeff")


def _of_json(text: str, name: str) -> Grid:
    """A list of lists, or an object of objects: truth, prediction, cost."""
    try:
        found = json.loads(text)
    except RecursionError as error:
        raise InputError(f"{name} has JSON that is nested too deeply") from error
    except ValueError:
        found = _json_lines(text, name)
    if isinstance(found, dict) and all(isinstance(one, dict) for one in found.values()):
        columns = list(dict.fromkeys(key for line in found.values() for key in line))
        values = [[line.get(key) for key in columns] for line in found.values()]
        return Grid(values, list(found), columns)
    if isinstance(found, dict):
        return _of_records([found])
    lines = found if isinstance(found, list) else []
    if lines and all(isinstance(line, dict) for line in lines):
        return _of_records(lines)
    if not lines or not all(isinstance(line, list) for line in lines):
        raise InputError(
            f'{name} must be a list of lists, or {{"truth": {{"prediction": cost, ...}}, ...}}'
        )
    return Grid(found, None, None)


def _json_lines(text: str, name: str) -> list[Any]:
    try:
        return [json.loads(line) for line in text.splitlines() if line.strip()]
    except RecursionError as error:
        raise InputError(f"{name} has JSON that is nested too deeply") from error
    except ValueError as error:
        raise InputError(f"{name} is no JSON: {error}") from error


def _of_records(lines: list[dict[str, Any]]) -> Grid:
    """Rows of a table: one column may name the truth, the others are predictions."""
    columns = list(dict.fromkeys(key for line in lines for key in line))
    names = [key for key in columns if any(isinstance(line.get(key), str) for line in lines)]
    rows = None
    if len(columns) == len(lines) + 1:
        names = names or columns[:1]
    if names:
        rows = [str(line.get(names[0])).strip() for line in lines]
        columns.remove(names[0])
    return Grid([[line.get(key) for key in columns] for line in lines], rows, columns)


def _of_cells(lines: list[list[str]], n_classes: int) -> Grid:
    """Cells of text; the first line, the first column, both or neither may be names."""
    lines = lines or [[""]]
    height, width = len(lines), max(map(len, lines))
    both = height == width == n_classes + 1
    head = both or height == width + 1 or not all(map(_is_number, lines[0][1:]))
    side = both or width == height + 1 or not all(_is_number(line[0]) for line in lines[1:])
    body = lines[1:] if head else lines
    columns = [cell.strip() for cell in lines[0][side:]] if head else None
    rows = [line[0].strip() for line in body] if side else None
    return Grid([line[side:] for line in body], rows, columns)


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return not cell.strip()
    return True


# ---- rows and columns in the order of the classes ------------------------------------------------


def _square(grid: Grid, n_classes: int, name: str) -> Grid:
    """The grid with names on both sides or on neither, its shape checked."""
    rows = grid.columns if grid.rows is None else grid.rows
    columns = grid.rows if grid.columns is None else grid.columns
    widths = {len(line) for line in grid.values}
    named = rows is not None and columns is not None
    if named and widths == {len(columns or ())} and len(grid.values) == len(rows or ()):
        return Grid(grid.values, rows, columns)  # a class that is missing is then reported by name
    if len(grid.values) != n_classes or widths != {n_classes}:
        found = "lines of different lengths" if len(widths) > 1 else f"{max(widths or {0})} columns"
        raise InputError(
            f"{name} must have {n_classes} rows (the true class) and {n_classes} columns (the "
            f"prediction) of costs, but has {len(grid.values)} rows and {found}"
        )
    return Grid(grid.values, rows, columns)


def _places(names: list[str] | None, labels: list[str], side: str, where: str) -> list[int]:
    """The position of each class among the names."""
    if names is None:
        return list(range(len(labels)))
    for name in names:
        if name not in labels:
            raise unknown("class", name, labels, f" of the data, but {where} has a {side} for it")
        if names.count(name) > 1:
            raise InputError(f"{where} has several {side}s for class {name!r}")
    missing = [label for label in labels if label not in names]
    if missing:
        raise InputError(f"{where} has no {side} for class {some(missing)}")
    return [names.index(label) for label in labels]


def _cost(value: Any, true: str, predicted: str, where: str) -> float:
    try:
        cost = nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError, OverflowError):
        cost = nan
    if 0 <= cost < inf:
        return cost
    shown = "missing" if value in (None, "") else f"{value!r}, not a number of at least 0"
    raise InputError(
        f"{where}: the cost of predicting {predicted!r} where {true!r} is true is {shown}"
    )


# ---- tables of costs by action -------------------------------------------------------------------

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
        text = _text(source, "table of costs")
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


# ---- the costs of outcomes -----------------------------------------------------------------------

MOST_TEXT = 1_000_000
"""Characters of a file of outcome costs that are read."""


def read_outcome_costs(path: str, outcomes: Sequence[str]) -> dict[str, str] | None:
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
    if not isinstance(record, dict) or not set(record) & set(outcomes):
        return None
    for name, value in record.items():
        if name not in outcomes:
            raise unknown("cost", name, outcomes, f" in {path}")
        if isinstance(value, list) and len(value) == 2:
            record[name] = value = f"{value[0]}..{value[1]}"
        if isinstance(value, bool) or not isinstance(value, (str, int, float)) or value == "":
            raise InputError(f"{path}: {name} must be a number or the name of a column")
    return {name: str(value) for name, value in record.items()}
