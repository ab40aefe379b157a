"""Cost matrices of files: a row for each true class, a column for each prediction."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, nan
from typing import Any, NamedTuple

import numpy as np

from costboost._core.arrays import Label
from costboost._core.checks import Floats
from costboost._core.costs import check_matrix
from costboost.app.reading import cost_files
from costboost.app.reading.cost_files import Cells
from costboost.app.reading.errors import InputError, some, unknown
from costboost.app.reading.options import ReadOptions

SIDES = ("row", "column")


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
    name, content = cost_files.read(path, options, "cost matrix")
    grid = _square(_grid(content, len(labels), name), len(labels), name)
    order = [
        _places(names, labels, side, name)
        for names, side in zip((grid.rows, grid.columns), SIDES, strict=True)
    ]
    values = [[grid.values[i][j] for j in order[1]] for i in order[0]]
    costs = np.array(
        [
            [_cost(value, labels[i], labels[j], name) for j, value in enumerate(line)]
            for i, line in enumerate(values)
        ]
    )
    try:
        return CostMatrix(check_matrix(costs, np.array(labels)), grid.columns is not None)
    except ValueError as error:
        raise InputError(f"{name}: {error}") from error


# ---- forms of a matrix ---------------------------------------------------------------------------


class Grid(NamedTuple):
    """The values of a file, and the names of their rows and columns if it has any."""

    values: list[list[Any]]
    rows: list[str] | None
    columns: list[str] | None


def _grid(content: Any, n_classes: int, name: str) -> Grid:
    """Cells, a list of lists, records, or an object of objects: truth, prediction, cost."""
    if isinstance(content, Cells):
        return _of_cells(content, n_classes)
    if isinstance(content, dict) and all(isinstance(row, dict) for row in content.values()):
        columns = list(dict.fromkeys(key for row in content.values() for key in row))
        values = [[row.get(key) for key in columns] for row in content.values()]
        return Grid(values, list(content), columns)
    if isinstance(content, dict):
        return _of_records([content])
    lines = content if isinstance(content, list) else []
    if lines and all(isinstance(line, dict) for line in lines):
        return _of_records(lines)
    if not lines or not all(isinstance(line, list) for line in lines):
        raise InputError(
            f'{name} must be a list of lists, or {{"truth": {{"prediction": cost, ...}}, ...}}'
        )
    return Grid(lines, None, None)


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


def _of_cells(lines: Sequence[list[str]], n_classes: int) -> Grid:
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
        width = "lines of different lengths" if len(widths) > 1 else f"{max(widths or {0})} columns"
        raise InputError(
            f"{name} must have {n_classes} rows (the true class) and {n_classes} columns (the "
            f"prediction) of costs, but has {len(grid.values)} rows and {width}"
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
