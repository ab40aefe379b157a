"""Values as text of a message."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

LONGEST_QUOTE = 80


def some(labels: NDArray[Any]) -> str:
    """At most five labels, as text for a message."""
    names = ", ".join(repr(label) for label in labels[:5].tolist())
    return names + (", ..." if len(labels) > 5 else "")


def quoted(value: Any) -> str:
    """Representation of a value for a message, shortened to `LONGEST_QUOTE` characters."""
    text = " ".join(repr(value).split())
    return text if len(text) <= LONGEST_QUOTE else text[:LONGEST_QUOTE] + "..."
