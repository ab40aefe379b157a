"""Numbers as text: no exponents, thousands separated, ends of intervals rounded alike."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from costboost._core.wording import (
    amount,
    decimals_for,
    money,
    money_range,
    number,
    percent,
    stated,
)

FINITE = st.floats(allow_nan=False, allow_infinity=False, min_value=-1e300, max_value=1e300)
PLAIN = re.compile(r"-?\d{1,3}(,\d{3})*(\.\d*[1-9])?")


@given(FINITE)
def test_amounts_have_no_exponent(value: float) -> None:
    assert PLAIN.fullmatch(amount(value))


@given(st.floats(1e-6, 1e12))
def test_amounts_keep_four_digits(value: float) -> None:
    assert float(amount(value).replace(",", "")) == pytest.approx(value, rel=5.1e-4)


@pytest.mark.parametrize(
    ("value", "text"),
    [(3.074e6, "3,074,000"), (259712.3, "259,712"), (12.5, "12.5"), (0, "0"), (-0.0, "0"),
     (1e-5, "0.00001"), (1e16, "10,000,000,000,000,000")],
)  # fmt: skip
def test_amounts(value: float, text: str) -> None:
    assert amount(value) == text


def test_units_follow_the_number() -> None:
    assert money(2.597e5, "EUR") == "259,700 EUR"
    assert money(2.5) == "2.5"


def test_ends_of_an_interval_are_rounded_alike() -> None:
    assert money_range(-3.21987, 1234.5, "EUR") == "-3 to 1,235 EUR"
    assert decimals_for(-3.21987, 1234.5) == decimals_for(1234.5) == 0


def test_halves_are_rounded_away_from_zero_whatever_the_last_bits() -> None:
    assert number(0.125, 2) == "0.13"
    assert number(-0.125, 2) == "-0.13"
    assert number(1.1 + 2.2 - 0.05, 1) == "3.3"


def test_stated_numbers_keep_six_digits() -> None:
    assert [stated(v) for v in (1.3e6, 12.3456789, 0.0, -4.0)] == [
        "1,300,000",
        "12.3457",
        "0",
        "-4",
    ]


def test_percent() -> None:
    assert percent(0.12345) == "12.3 %"
    assert percent(-1.0) == "-100.0 %"


def test_numbers_that_are_not_finite_are_named() -> None:
    assert amount(float("nan")) == "nan"
    assert decimals_for(float("inf"), 2.0) == 3
