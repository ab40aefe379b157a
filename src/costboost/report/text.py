"""Numbers and words as text, and text that is safe in HTML."""

from __future__ import annotations

import html
from decimal import ROUND_HALF_UP, Context, Decimal
from math import floor, isfinite, log10
from typing import Any, NamedTuple

from costboost.checks import Floats

TWELVE = Context(prec=12, rounding=ROUND_HALF_UP)
EXACT = Context(prec=400)
MINUS = "\N{MINUS SIGN}"
LEVEL = "95\N{NO-BREAK SPACE}%"
"""Confidence level of all intervals."""


def escape(value: Any) -> str:
    """Escape text for an element or an attribute."""
    return html.escape(str(value), quote=True)


def number(value: float, decimals: int) -> str:
    """Format a number with at most ``decimals`` decimals and commas between thousands.

    Halves are rounded away from 0, and trailing zeros are left out. page.js formats in the same
    way. Both use twelve digits only: further digits depend on the order of summation, and must not
    decide how a half is rounded.
    """
    known = float(TWELVE.create_decimal_from_float(abs(value)))
    text = f"{Decimal(known).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP, EXACT):,f}"
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return MINUS + text if value < 0 and text != "0" else text


def decimals_for(greatest: float) -> int:
    """Number of decimals that shows about five digits of the greatest number."""
    if not (greatest > 0 and isfinite(greatest)):
        return 2
    return min(15, max(0, 4 - floor(log10(greatest))))


def share(value: float | None) -> str:
    """Format a share in percent; a dash for None."""
    return "–" if value is None else f"{number(100 * value, 1)} %"


def short(value: float) -> str:
    """Format a number with a few digits, for an axis."""
    if value == 0:
        return "0"
    if abs(value) >= 1e7 or abs(value) < 1e-4:
        return f"{value:.3g}".replace("-", MINUS).replace("e+0", "e").replace("e+", "e")
    return f"{value:,.6g}".replace("-", MINUS)


def plural(n: float, word: str) -> str:
    """Format a count with its noun in singular or plural."""
    return f"{number(n, 2)} {word}{'' if n == 1 else 's'}"


class Style(NamedTuple):
    """Format of costs and counts."""

    unit: str
    total: int
    """Decimals of a total cost."""
    mean: int
    """Decimals of a mean cost, and of the cost of an error."""
    rows: int
    """Decimals of a number of rows, which sample weights can make fractions."""

    @classmethod
    def of(cls, unit: str, greatest_cost: float, weight: Floats) -> Style:
        """Decimals for costs up to the greatest possible one, and for sums of weights."""
        mean = decimals_for(greatest_cost / float(weight.sum()))
        whole = bool((weight == weight.round()).all())
        return cls(unit, decimals_for(greatest_cost), mean, 0 if whole else 2)

    def money(self, value: float, mean: bool = False) -> str:
        """Format a cost with its unit."""
        text = number(value, self.mean if mean else self.total)
        return f"{text} {self.unit}" if self.unit else text
