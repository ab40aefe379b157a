"""The texts of all numbers that change when a slider is moved; page.js makes the same ones."""

from __future__ import annotations

from typing import NamedTuple

from costboost.report.numbers.answers import Answers, Flags
from costboost.report.numbers.outcome import (
    best_trivial,
    difference,
    everybody,
    nobody,
    outcome,
)
from costboost.report.text import decimals_for, number, share


class Style(NamedTuple):
    """How money and counts are written."""

    unit: str
    total: int
    """Decimals of a sum of money."""
    mean: int
    """Decimals of a mean, and of a cost."""
    rows: int
    """Decimals of a number of rows, which sample weights can make fractions."""

    def money(self, value: float, mean: bool = False) -> str:
        """An amount with its unit."""
        text = number(value, self.mean if mean else self.total)
        return f"{text} {self.unit}" if self.unit else text


def style_of(rows: Answers, unit: str) -> Style:
    """Digits that suit the money at stake."""
    stake = rows.at_stake(True) + rows.at_stake(False)
    whole = bool((rows.weight == rows.weight.round()).all())
    mean = decimals_for(stake / float(rows.weight.sum()))
    return Style(unit, decimals_for(stake), mean, 0 if whole else 2)


def ways(rows: Answers, called: Flags) -> dict[str, Flags]:
    """The decisions that are compared, by the names that the page has for them."""
    return {
        "model": called,
        "blind": rows.blind,
        "none": nobody(rows),
        "all": everybody(rows),
    }


def threshold_of(rows: Answers) -> float | None:
    """Probability above which a row is called positive, where it is one for all."""
    if rows.limit is None or rows.per_row:
        return None
    return float(rows.fp_cost / 2 / (rows.fp_cost / 2 + rows.fn_cost / 2))


def threshold_text(rows: Answers) -> str:
    """The same in words."""
    if rows.limit is None:
        return "fixed"
    t = threshold_of(rows)
    return "by row" if t is None else number(t, 4)


def shown(rows: Answers, called: Flags, style: Style) -> dict[str, str]:
    """Every number, by the name of its place on the page."""
    found = outcome(rows, called)
    trivial = outcome(rows, best_trivial(rows)).cost
    saved = difference(rows, called, best_trivial(rows))
    texts = {
        "threshold": threshold_text(rows),
        "cost": style.money(found.cost),
        "mean": style.money(found.mean_cost, mean=True),
        "saved": style.money(saved.money),
        "saved-low": number(saved.low, style.total),
        "saved-high": style.money(saved.high),
        "saved-share": share(saved.money / trivial if trivial else None),
        "hits": number(found.hits, style.rows),
        "misses": number(found.misses, style.rows),
        "alarms": number(found.alarms, style.rows),
        "rejects": number(found.rejects, style.rows),
        "miss-money": style.money(found.miss_money),
        "alarm-money": style.money(found.alarm_money),
        "recall": share(found.recall),
        "precision": share(found.precision),
        "fpr": share(found.fpr),
    }
    for name, decision in ways(rows, called).items():
        other = outcome(rows, decision)
        texts[f"{name}-cost"] = number(other.cost, style.total)
        texts[f"{name}-misses"] = number(other.misses, style.rows)
        texts[f"{name}-alarms"] = number(other.alarms, style.rows)
        if name != "model":
            less = difference(rows, called, decision)
            texts[f"{name}-saved"] = number(less.money, style.total)
            texts[f"{name}-low"] = number(less.low, style.total)
            texts[f"{name}-high"] = number(less.high, style.total)
    return texts
