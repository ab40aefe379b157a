"""Numbers and words as text that is safe in HTML."""

from __future__ import annotations

import html
from decimal import ROUND_HALF_UP, Context, Decimal
from math import floor, isfinite, log10
from typing import Any

TWELVE = Context(prec=12, rounding=ROUND_HALF_UP)
EXACT = Context(prec=400)
MINUS = "\N{MINUS SIGN}"
LEVEL = "95\N{NO-BREAK SPACE}%"
"""Of all intervals."""


def escape(value: Any) -> str:
    """Text that stands for itself, in an element or in an attribute."""
    return html.escape(str(value), quote=True)


def number(value: float, decimals: int) -> str:
    """A number with at most so many decimals and commas between thousands.

    Halves are rounded away from 0, and zeros at the end are left out. page.js does the same, and
    both look at twelve digits only: further ones depend on the order of summation, and must not
    decide where a half goes.
    """
    known = float(TWELVE.create_decimal_from_float(abs(value)))
    text = f"{Decimal(known).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP, EXACT):,f}"
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return MINUS + text if value < 0 and text != "0" else text


def decimals_for(greatest: float) -> int:
    """Decimals that show about five digits of a number so large."""
    if not (greatest > 0 and isfinite(greatest)):
        return 2
    return min(15, max(0, 4 - floor(log10(greatest))))


def share(value: float | None) -> str:
    """A share in percent; a dash where there is none."""
    return "–" if value is None else f"{number(100 * value, 1)} %"


def short(value: float) -> str:
    """A number of a few digits, for an axis."""
    if value == 0:
        return "0"
    if abs(value) >= 1e7 or abs(value) < 1e-4:
        return f"{value:.3g}".replace("-", MINUS).replace("e+0", "e").replace("e+", "e")
    return f"{value:,.6g}".replace("-", MINUS)


def plural(n: float, word: str) -> str:
    """So many of something."""
    return f"{number(n, 2)} {word}{'' if n == 1 else 's'}"
