"""Shares of classes from texts of the form LABEL=SHARE."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from costboost.app.reading.errors import InputError, unknown


def parse_shares(
    option: str, texts: Sequence[str], labels: Sequence[Any], others: Sequence[str] = ()
) -> dict[Any, float]:
    """Shares by label from texts of the form LABEL=SHARE."""
    known = {str(label): label for label in labels} | {name: name for name in others}
    shares: dict[Any, float] = {}
    for text in texts:
        name, _, share = text.rpartition("=")
        if name not in known:
            raise unknown("class", name or text, list(known), f" for {option} LABEL=SHARE")
        try:
            shares[known[name]] = float(share)
        except ValueError:
            raise InputError(f"{option} {text}: {share!r} is no number") from None
    return shares
