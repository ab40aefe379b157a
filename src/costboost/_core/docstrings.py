"""Places in docstrings, which are filled with texts that several docstrings share."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from textwrap import dedent, indent
from typing import TypeVar

T = TypeVar("T")

PLACE = re.compile(r"^( *)\{(\w+)\}$", re.MULTILINE)
"""A line with nothing but a name in braces."""


def filled(docstring: str, entries: Mapping[str, str]) -> str:
    """Replace placeholders in a docstring by descriptions of the same indentation."""

    def entry(place: re.Match[str]) -> str:
        text = entries.get(place[2])
        return place[0] if text is None else indent(dedent(text).strip("\n"), place[1])

    return PLACE.sub(entry, docstring)


def sharing(entries: Mapping[str, str]) -> Callable[[T], T]:
    """Decorator of functions and classes that fills the placeholders of their docstrings."""

    def documented(described: T) -> T:
        described.__doc__ = filled(described.__doc__ or "", entries)
        return described

    return documented
