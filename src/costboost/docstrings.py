"""Descriptions that stand in several docstrings, written down once."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from textwrap import dedent, indent
from typing import TypeVar

T = TypeVar("T")

PLACE = re.compile(r"^( *)\{(\w+)\}$", re.MULTILINE)
"""A line with nothing but a name in braces."""


def filled(docstring: str, entries: Mapping[str, str]) -> str:
    """A docstring with descriptions, indented as their places are; other braces stay."""

    def entry(place: re.Match[str]) -> str:
        text = entries.get(place[2])
        return place[0] if text is None else indent(dedent(text).strip("\n"), place[1])

    return PLACE.sub(entry, docstring)


def sharing(entries: Mapping[str, str]) -> Callable[[T], T]:
    """A decorator of functions and classes that writes the descriptions into their docstrings."""

    def documented(described: T) -> T:
        described.__doc__ = filled(described.__doc__ or "", entries)
        return described

    return documented
