"""The parts of the page that look at one class after the other."""

from __future__ import annotations

import numpy as np

from costboost.report.drawing import pictures
from costboost.report.numbers import lines
from costboost.report.numbers.several import Several
from costboost.report.parts import facts, figure, section, table
from costboost.report.shown import Style
from costboost.report.text import LEVEL, escape, number, plural, share

FIRST_CLASSES = 12
"""Classes whose calibration is drawn, the most frequent ones."""
MOST_IN_TABLE = 12
"""Classes of which there is a table of all confusions; of more, the dearest are listed."""


def costs(rows: Several, style: Style) -> str:
    """What each mistake costs."""
    off = rows.matrix[~np.eye(len(rows.classes), dtype=bool)]
    if len(rows.classes) > MOST_IN_TABLE or (np.ptp(off) == 0 and not np.diag(rows.matrix).any()):
        pairs = {"least": off.min(), "mean": off.mean(), "greatest": off.max()}
        pairs = pairs if np.ptp(off) else {"every mistake": off[0]}
        shown = {name: style.money(float(value), mean=True) for name, value in pairs.items()}
        return f'<div class="card"><h3>Cost of a mistake</h3>{facts(shown)}</div>'
    lines_ = [
        f'<tr><th scope="row">is {escape(name)}</th>'
        + "".join(f"<td>{number(cost, style.mean)}</td>" for cost in rows.matrix[i])
        + "</tr>"
        for i, name in enumerate(rows.classes)
    ]
    unit = f" in {style.unit}" if style.unit else ""
    head = [f"called {name}" for name in rows.classes]
    return table("Cost matrix", f"What each decision costs{unit}", head, lines_)


def each_class(rows: Several, style: Style) -> str:
    """How many rows of a class are found, and what those that are not cost."""
    count = rows.confusion(rows.said.code)
    money, right = (count * rows.matrix).sum(axis=1), np.diag(count)
    true, called = count.sum(axis=1), count.sum(axis=0)
    lines_ = [
        f'<tr><th scope="row">{escape(name)}</th><td>{number(true[i], style.rows)}</td>'
        f"<td>{share(right[i] / true[i] if true[i] else None)}</td>"
        f"<td>{share(right[i] / called[i] if called[i] else None)}</td>"
        f"<td>{number(money[i], style.total)}</td></tr>"
        for i, name in enumerate(rows.classes)
    ]
    caption = (
        "Recall is the share of its rows that are found, precision that of its calls which are true"
    )
    head = ["rows", "recall", "precision", "cost"]
    return table("Each class", caption, head, lines_, "class")


def probabilities(rows: Several) -> str:
    """A picture for each of the most frequent classes."""
    heading = "Are the probabilities right?"
    if not rows.said.probable:
        words = (
            "This method votes for the cheapest decision and estimates no probabilities; there is "
            "no calibration to show, and no cost-blind version of the same model."
        )
        return section("probabilities", heading, f"<p>{words}</p>")
    count = np.bincount(rows.truth, rows.weight, len(rows.classes))
    order = np.argsort(-count, kind="stable")[:FIRST_CLASSES]
    cards = [_calibration(rows, int(code)) for code in order if count[code]]
    left = len(rows.classes) - len(cards)
    note = f'<p class="soft">{plural(left, "rarer class")}.</p>' if left else ""
    words = (
        "For each class, ten groups of rows by the probability that it was given, and the share of "
        "the group that is of that class. On the diagonal, probabilities are right."
    )
    return section("probabilities", heading, f"<p>{words}</p>",
                   f'<div class="cards shapes">{"".join(cards)}</div>', note)  # fmt: skip


def _calibration(rows: Several, code: int) -> str:
    found = lines.reliability(rows.truth == code, rows.said.shares[:, code], rows.weight)
    name = f"Calibration of {rows.classes[code]}"
    picture = pictures.reliability(found, None, f"plot-calibration-{code}", name, pictures.SMALL)
    return figure(str(rows.classes[code]), picture, [], f"with {LEVEL} intervals")
