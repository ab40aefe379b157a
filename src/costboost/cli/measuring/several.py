"""What decisions between several classes come to on held-out rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from costboost.cli import console
from costboost.cli.layout import Layout
from costboost.cli.problem import Rows
from costboost.reading.errors import some
from costboost.report.cautions import Cautions, of_several
from costboost.report.numbers.several_classes import MODEL, Several, ask_several

MOST_SHOWN = 12
"""Classes of which all confusions are shown; of more, those that cost most."""
MOST_CONFUSIONS = 10


@dataclass(frozen=True)
class Evaluation:
    """Decisions of a model beside those that look at no row, and those that look at no cost."""

    layout: Layout
    rows: Several
    cautions: Cautions

    @property
    def opening(self) -> str:
        """Which classes there are, and what mistakes cost."""
        matrix = self.rows.matrix
        off = matrix[~np.eye(len(matrix), dtype=bool)]
        costs = f"from {off.min():g} to {off.max():g}" if np.ptp(off) else f"{off[0]:g}"
        classes = list(self.layout.classes)
        return (
            f"{len(classes)} classes in {self.layout.target!r}: {some(classes)}. A mistake costs "
            f"{costs}."
        )

    def show(self) -> None:
        """Tables of mistakes and money, and what was saved."""
        console.heading(console.plural(self.rows.truth.size, self.cautions.rows))
        (_matrix if _fits(self.rows) else _dearest)(self.rows)
        right = 1 - self.rows.wrong(self.rows.said.code) / float(self.rows.weight.sum())
        console.say(f"{console.percent(right)} of the rows are called by their own name.")
        console.say()
        console.table(
            ["decision", "wrong", "cost", "the model saves"],
            [_line(self.rows, name) for name in self.rows.ways],
            numbers=3,
        )
        console.say()
        console.say(console.savings(self.rows.savings))
        console.cautions(self.cautions)

    def facts(self) -> dict[str, Any]:
        """The same as plain data."""
        rows, savings = self.rows, self.rows.savings
        total = float(rows.weight.sum())
        return {
            "n_rows": int(rows.truth.size),
            "classes": list(self.layout.classes),
            "cost_matrix": rows.matrix.tolist(),
            "decisions": {
                name: {
                    "confusion": rows.confusion(code).tolist(),
                    "wrong": rows.wrong(code),
                    "accuracy": 1 - rows.wrong(code) / total,
                    "cost": rows.cost(code),
                    "mean_cost": rows.cost(code) / total,
                }
                for name, code in rows.ways.items()
            },
            "savings": savings and dict(zip(("share", "low", "high"), savings, strict=True)),
            "seen_in_training": not self.cautions.held_out,
            "warnings": [one.text for one in self.cautions.found],
            "saved": {
                name: rows.saved(code)._asdict()
                for name, code in rows.ways.items()
                if name != MODEL
            },
        }


def measure(model: Any, rows: Rows, layout: Layout) -> Evaluation:
    """Let the model decide on rows it has not seen."""
    found = ask_several(model, rows.X, rows.y, np.array(layout.matrix))
    return Evaluation(layout, found, of_several(model, rows.X, found))


def _fits(rows: Several) -> bool:
    """Whether a table of all confusions can be read."""
    names = [str(name) for name in rows.classes]
    wide = sum(len(f"called {name}") + 3 for name in names) + max(map(len, names)) + 10
    return len(names) <= MOST_SHOWN and wide <= console.width()


def _matrix(rows: Several) -> None:
    count, names = rows.confusion(rows.said.code), list(map(str, rows.classes))
    money = (count * rows.matrix).sum(axis=1)
    console.table(
        ["", *(f"called {name}" for name in names), "costs"],
        [
            [f"is {name}", *map(console.number, count[i]), console.number(money[i])]
            for i, name in enumerate(names)
        ],
        numbers=len(names) + 1,
    )


def _dearest(rows: Several) -> None:
    """The confusions that cost most, where a table of all would be too wide."""
    console.say("The dearest mistakes:")
    count = rows.confusion(rows.said.code)
    money = count * rows.matrix
    order = np.argsort(-money, axis=None, kind="stable")[:MOST_CONFUSIONS]
    cells = [divmod(int(at), len(rows.classes)) for at in order]
    console.table(
        ["is", "called", "rows", "costs"],
        [
            [rows.classes[i], rows.classes[j], *map(console.number, (count[i, j], money[i, j]))]
            for i, j in cells
            if money[i, j]
        ],
        numbers=2,
    )


def _line(rows: Several, name: str) -> list[str]:
    code = rows.ways[name]
    cells = [name, *map(console.number, (rows.wrong(code), rows.cost(code)))]
    return [*cells, "" if name == MODEL else console.interval(rows.saved(code))]
