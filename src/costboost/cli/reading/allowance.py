"""How much memory data may take that are small on the disk: a guard against decompression bombs."""

from __future__ import annotations

import re

from costboost.cli.trouble import TroubleError

OPTION = "--max-memory"
USUAL = "2G"
UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
SIZE = re.compile(r"(\d{1,15}(?:\.\d{1,9})?)\s*([KMGT]?)(?:i?B)?", re.IGNORECASE)
_most = 2 * 2**30


def allow(text: str) -> None:
    """Set how much unpacked data may take in this process, such as 500M or 8G."""
    global _most
    found = SIZE.fullmatch(text.strip())
    n_bytes = int(float(found[1]) * UNITS[found[2].upper()]) if found else 0
    if n_bytes < 1:
        raise TroubleError(f"{OPTION} must be a size such as 500M or 8G, got {text!r}")
    _most = n_bytes


class Allowance:
    """Memory that one file may take when it is unpacked."""

    def __init__(self, name: str) -> None:
        self.name, self.left = name, _most

    def spend(self, n_bytes: int) -> None:
        """Set some of it aside, or raise a TroubleError if there is not so much left."""
        self.left -= max(0, n_bytes)
        if self.left < 0:
            raise TroubleError(
                f"{self.name} takes more than {shown(_most)} of memory when it is unpacked; if you "
                f"trust it, allow more: costboost {OPTION} {shown(8 * _most)} ..."
            )


def shown(n_bytes: int) -> str:
    """A size as people write it."""
    unit = max((u for u in UNITS if n_bytes % UNITS[u] == 0), key=lambda u: UNITS[u])
    return f"{n_bytes // UNITS[unit]}{unit}"
