"""The descriptions of parameters in docstrings of classes."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from typing import Any

from costboost._core.docstrings import filled
from costboost._core.parameters.parameter import Parameter

SMALL = 1e-3
"""Numbers below are written with an exponent."""
LONG = 8
"""Fractions with more digits are written as such."""


def complete(cls: Any, parameters: str, attributes: str) -> None:
    """Fill the places of a docstring with parameters, attributes and the advice of its class."""
    places = {
        "advice": textwrap.fill(cls.advice, 96),
        "parameters": parameters,
        "attributes": attributes,
    }
    cls.__doc__ = filled(cls.__doc__ or "", places)


def entries(parameters: Mapping[str, Parameter], words: Mapping[str, str]) -> str:
    """An entry for each parameter, or for several that are described together.

    Names in braces are replaced by ``words``.
    """
    found: list[str] = []
    for name, (default, kind, text) in parameters.items():
        if not text:
            found[-1] = found[-1].replace(" : ", f", {name} : ", 1)
            continue
        head = f"{name} : {kind.described}, default={_written(default)}"
        for place, word in words.items():
            head, text = (part.replace(f"{{{place}}}", word) for part in (head, text))
        found.append(f"{head}\n{_wrapped(text)}")
    return "\n".join(found)


@cache
def _wrapped(text: str) -> str:
    indent = "    "
    return textwrap.fill(
        " ".join(text.split()),
        96,
        initial_indent=indent,
        subsequent_indent=indent,
        break_on_hyphens=False,
        break_long_words=False,
    )


def _written(value: Any) -> str:
    """A default as a docstring shows it."""
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, float) and 0 < value < SMALL:
        digits, exponent = f"{value:e}".split("e")
        return f"{float(digits):g}e{int(exponent)}"
    text = repr(value)
    return str(Fraction(value).limit_denominator(LONG)) if len(text) > LONG else text
