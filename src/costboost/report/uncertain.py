"""Section on uncertain costs: what decisions cost within the ranges of costs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from costboost.decisions.assignment import Codes
from costboost.decisions.reports import Ends, UncertainDecisions
from costboost.report import drawing
from costboost.report.markup import Style, big, escape, figure, number, section, share, table
from costboost.report.numbers.two_classes import TwoClassPredictions
from costboost.report.words import Words

MOST_PICTURES = 4
"""Greatest number of uncertain costs that are drawn, those with the greatest effect."""
OUTCOMES = {
    "fn_cost": "miss (false negative)",
    "fp_cost": "false alarm (false positive)",
    "tp_cost": "hit (true positive)",
    "tn_cost": "right negative (true negative)",
}
"""Names of the outcomes that costs belong to."""
HEADING = "If the costs are uncertain"
CELLS = {
    (False, "negative"): "tn_cost",
    (False, "positive"): "fp_cost",
    (True, "negative"): "fn_cost",
    (True, "positive"): "tp_cost",
}
"""Costs by the class that is true, whether it is the positive one, and the prediction."""


class UncertainPart(NamedTuple):
    """Decisions under uncertain costs on a page, with the words for them."""

    identity: str
    """Name of the section in the page."""
    heading: str
    decided: UncertainDecisions
    truth: Codes
    """Positions of the classes that are true."""
    ours: str
    """Name of the decisions."""
    constants: list[str]
    """Names of the decisions for one action for all rows, in the order of the actions."""
    cost_name: Callable[[Any, str], str]
    """Name of the cost of an action where a class is true."""
    by_cost: bool
    """Whether the decisions are those of least expected cost or regret."""
    by_mean: bool = True
    """Whether they are those of the mean costs."""

    def least_saved(self) -> tuple[float, str]:
        """Least that is saved within the ranges against the best action for all rows; its name."""
        found = [self.decided.saved(self.truth, k).low for k in range(len(self.constants))]
        return min(found), self.constants[int(np.argmin(found))]


def of_two_classes(rows: TwoClassPredictions, words: Words) -> UncertainPart | None:
    """The predictions for two classes; None if no cost is uncertain."""
    decided = rows.uncertain()
    if decided is None:
        return None
    names = [words.always(rows.other, False), words.always(rows.label, True)]

    def cost_name(truth: Any, predicted: str) -> str:
        return f"cost of a {OUTCOMES[CELLS[bool(truth == rows.label), predicted]]}"

    truth, by_cost = rows.positive.astype(np.intp), rows.limit is not None
    return UncertainPart(
        "uncertain", HEADING, decided, truth, "this model", names, cost_name, by_cost
    )


def sentence(part: UncertainPart, style: Style) -> str:
    """What is sure in spite of the uncertain costs, for the top of the page, as HTML."""
    cost = part.decided.total(part.truth)
    least, name = part.least_saved()
    word = f"saves at least {escape(style.money(least))}"
    if least < 0:
        word = f"may cost up to {escape(style.money(-least))} more"
    return (
        f"Some costs are uncertain: within their ranges the decisions cost "
        f"{escape(number(cost.low, style.total))} to {escape(style.money(cost.high))}, and the "
        f"model {word} {'than' if least < 0 else 'against'} {escape(name)} "
        f'(<a href="#{part.identity}">see below</a>).'
    )


def uncertain_costs(part: UncertainPart, style: Style) -> str:
    """Section on the range of the costs, the decisions that depend on it, and the bands."""
    decided = part.decided
    cost, (least, name) = decided.total(part.truth), part.least_saved()
    items = {
        "Cost of the decisions": _ends(cost, style),
        "Saved at the worst costs": f"{escape(style.money(least))}<small>against "
        f"{escape(name)}</small>",
    }
    if part.by_cost:
        regret = decided.regret
        held = float(decided.weight @ (regret == 0)) / float(decided.weight.sum())
        items |= {
            "Decisions that hold": f"{share(held)}<small>for all costs within the ranges</small>",
            "At stake in the others": f"{escape(style.money(float(decided.weight @ regret)))}"
            "<small>expected, at most, if the worst costs are true</small>",
        }
    text = (
        f"<p>The decisions are made for the {'mean costs' if part.by_mean else 'least regret'}. "
        "Here the costs move through their ranges, and the decisions stay as they are. Numbers are "
        "those of these rows; the chance in the rows comes on top.</p>"
    )
    pictures = [
        _picture(part, cell, k, style) for k, cell in enumerate(decided.cells()[:MOST_PICTURES])
    ]
    return section(
        part.identity,
        part.heading,
        f'{text}<div class="stack"><div class="card">{big(items)}</div>{_compared(part, style)}'
        f'<div class="cards">{"".join(pictures)}</div></div>',
    )


def _ends(money: Ends, style: Style) -> str:
    low, high = (escape(number(end, style.total)) for end in (money.low, money.high))
    return f"{escape(style.money(money.mean))}<small>{low} to {high} within the ranges</small>"


def _compared(part: UncertainPart, style: Style) -> str:
    """Table of the least and greatest cost of the decisions and of one action for all rows."""
    decided, truth = part.decided, part.truth

    def line(name: str, cost: Ends, saved: Ends | None, look: str = "") -> str:
        cells = [number(one, style.total) for one in cost]
        cells += ["–"] * 3 if saved is None else [number(one, style.total) for one in saved]
        inside = "".join(f"<td>{escape(cell)}</td>" for cell in cells)
        return f'<tr{look}><th scope="row">{escape(name)}</th>{inside}</tr>'

    lines = [line(part.ours, decided.total(truth), None, ' class="ours"')]
    for k, name in enumerate(part.constants):
        cost = decided.total(truth, np.full_like(truth, k))
        lines.append(line(name, cost, decided.saved(truth, k)))
    unit = f", in {style.unit}" if style.unit else ""
    caption = f"Costs on these rows{unit}, at the mean costs and within the ranges"
    head = ["cost", "at least", "at most", "model saves", "at least", "at most"]
    return table("Within the ranges", caption, head, lines, "decisions")


def _picture(part: UncertainPart, cell: tuple[Any, str], k: int, style: Style) -> str:
    found = part.decided.move(cell)
    name = part.cost_name(*cell)
    has_band = bool(np.any(found.upper > found.lower))
    legend = [
        ("c0", "as decided"),
        ("c1 dashed", "if the cost were known before deciding"),
        *([("c0 wide band", "the other uncertain costs within their ranges")] if has_band else []),
    ]
    gap = float((found.decided - found.known).max())
    caption = (
        "Expected cost of a row by the probabilities. To know this cost would save at most "
        f"{escape(style.money(gap, mean=True))} a row."
    )
    picture = drawing.cost_range(found, name, f"plot-{part.identity}-{k}")
    return figure(f"{name[0].upper()}{name[1:]}", picture, legend, caption)
