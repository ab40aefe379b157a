"""Draws the picture of several-classes.md: ``python docs/cost_matrix.py``.

A cost matrix, which way round it is, and the costs of each row that it stands for.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

PICTURE = Path(__file__).parent / "images" / "cost-matrix.png"
CLASSES = ("cat", "dog", "lynx")
MATRIX = np.array([[0, 1, 1], [1, 0, 1], [50, 50, 0]])
LABELS = (2, 0, 1, 2, 0)
SHADES = ("#ffffff", "#dbe7f3", "#f2b8a0")
"""Colours of a correct prediction, an error, a costly error."""
INK = "#1b1b1b"
MARK = "#a3301a"


def cell(ax: Any, row: int, column: int, cost: int, marked: bool = False) -> None:
    """A square with a cost in it; row 0 is the upper one."""
    from matplotlib.patches import Rectangle

    colour = SHADES[0 if cost == 0 else 1 if cost == 1 else 2]
    edge, width, height = (MARK, 3.0, 3) if marked else ("#8a8a8a", 1.0, 1)
    corner = (column, -row - 1)
    ax.add_patch(
        Rectangle(corner, 1, 1, facecolor=colour, edgecolor=edge, linewidth=width, zorder=height)
    )
    ax.text(column + 0.5, -row - 0.5, str(cost), ha="center", va="center", size=15, color=INK)


def table(ax: Any, costs: np.ndarray, rows: list[str], marked: tuple[int, int] | None) -> None:
    """Costs with the names of rows and columns."""
    for (row, column), cost in np.ndenumerate(costs):
        cell(ax, row, column, int(cost), (row, column) == marked)
    for column, name in enumerate(CLASSES):
        ax.text(column + 0.5, 0.12, name, ha="center", va="bottom", size=13, color=INK)
    for row, name in enumerate(rows):
        ax.text(-0.15, -row - 0.5, name, ha="right", va="center", size=13, color=INK)
    ax.text(1.5, 0.62, "prediction", ha="center", va="bottom", size=14, weight="bold", color=INK)
    ax.set(xlim=(-2.1, 5.2), ylim=(-6.1, 1.1), aspect="equal")
    ax.axis("off")


def draw() -> Any:
    """The figure."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10.5, 5.0), layout="constrained")
    left, right = figure.subplots(1, 2)
    table(left, MATRIX, list(CLASSES), (2, 1))
    left.text(-1.45, -1.5, "truth", rotation=90, ha="center", va="center", size=14, weight="bold")
    left.set_title("cost_matrix", family="monospace", size=15, loc="left")
    left.annotate(
        "cost_matrix[2, 1] is 50:\na lynx that is predicted as a dog",
        (1.5, -3.05),
        (1.5, -4.2),
        arrowprops={"arrowstyle": "->", "color": MARK, "linewidth": 1.5},
        ha="center",
        va="top",
        size=13,
        color=MARK,
    )
    names = [f"row {number}, a {CLASSES[label]}" for number, label in enumerate(LABELS)]
    table(right, MATRIX[list(LABELS)], names, None)
    right.set_title("costs = cost_matrix[y]", family="monospace", size=15, loc="left")
    right.text(
        1.5,
        -5.2,
        "for each row of X, the matrix row of its\ntrue class, or individual costs",
        ha="center",
        va="top",
        size=13,
        color=INK,
    )
    return figure


def render(path: Path = PICTURE) -> Path:
    """Write the picture."""
    draw().savefig(path, dpi=100)
    return path


if __name__ == "__main__":
    print(render().relative_to(PICTURE.parents[1]))
