"""Numbers as text, for terminals and pages: money, counts and shares, never with an exponent."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Context, Decimal
from math import floor, isfinite, log10

DIGITS = 4
"""Significant digits of an amount that has decimals."""
MOST_DECIMALS = 12
TWELVE = Context(prec=12, rounding=ROUND_HALF_UP)
UNROUNDED = Context(prec=400)


def number(value: float, decimals: int) -> str:
    """Format a number with at most ``decimals`` decimals and commas between thousands.

    Halves are rounded away from 0, and trailing zeros are left out. Only twelve digits are used:
    further digits depend on the order of summation, and must not decide how a half is rounded.

    Examples
    --------
    >>> number(-1234567.125, 2), number(3e-5, 2), number(2.5e20, 0)
    ('-1,234,567.13', '0', '250,000,000,000,000,000,000')
    """
    if not isfinite(value):
        return str(value)
    known = float(TWELVE.create_decimal_from_float(abs(value)))
    text = f"{Decimal(known).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP, UNROUNDED):,f}"
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return f"-{text}" if value < 0 and text != "0" else text


def decimals_for(*values: float, digits: int = DIGITS) -> int:
    """Number of decimals that shows the significant digits of the greatest of some numbers.

    Take it for all numbers of a sentence, a table column or an interval, so that they are rounded
    alike.

    Examples
    --------
    >>> decimals_for(12345.6, 3.2), decimals_for(0.0123), decimals_for(0.0)
    (0, 5, 2)
    """
    greatest = max((abs(value) for value in values if isfinite(value)), default=0.0)
    if greatest == 0:
        return 2
    return min(MOST_DECIMALS, max(0, digits - 1 - floor(log10(greatest))))


def amount(value: float) -> str:
    """Format an amount of money, a cost or a count: whole numbers in full, others with 4 digits.

    Examples
    --------
    >>> amount(3074213.4), amount(12), amount(1.23456), amount(0.00001234)
    ('3,074,213', '12', '1.235', '0.00001234')
    """
    if isfinite(value) and value == int(value):
        return number(value, 0)
    return number(value, decimals_for(value))


def stated(value: float) -> str:
    """Format a number as somebody stated it, with up to six digits.

    Examples
    --------
    >>> stated(1300000), stated(0.95), stated(12.345)
    ('1,300,000', '0.95', '12.345')
    """
    return number(value, decimals_for(value, digits=6))


def money(value: float, unit: str = "") -> str:
    """Format an amount with its unit.

    Examples
    --------
    >>> money(259712.3, "EUR"), money(-0.5)
    ('259,712 EUR', '-0.5')
    """
    return f"{amount(value)} {unit}".rstrip()


def money_range(low: float, high: float, unit: str = "") -> str:
    """Format the two ends of an interval of money, rounded alike.

    Examples
    --------
    >>> money_range(-12.345, 259712.3, "EUR")
    '-12 to 259,712 EUR'
    """
    decimals = decimals_for(low, high)
    return f"{number(low, decimals)} to {number(high, decimals)} {unit}".rstrip()


def percent(share: float, decimals: int = 1) -> str:
    """Format a share in percent.

    Examples
    --------
    >>> percent(0.12345), percent(0.5)
    ('12.3 %', '50.0 %')
    """
    known = TWELVE.create_decimal_from_float(100 * share)
    return f"{known.quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP, UNROUNDED):,f} %"
