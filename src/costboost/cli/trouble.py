"""What the user can put right, said in one line."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches

MOST_NAMES = 8


class TroubleError(Exception):
    """A mistake or a mishap that ends a command: its message is for the user, without traceback."""


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that looks most like this one, if any does."""
    by_folded = {one.casefold(): one for one in known}
    found = get_close_matches(name.casefold(), by_folded, n=1, cutoff=0.6)
    return by_folded[found[0]] if found else None


def some(names: Sequence[object]) -> str:
    """The first of many names."""
    shown = ", ".join(map(str, names[:MOST_NAMES]))
    return shown + (f", ... ({len(names)} in all)" if len(names) > MOST_NAMES else "")


def unknown(what: str, name: str, known: Sequence[str], where: str = "") -> TroubleError:
    """The trouble with a name that does not exist, and the one that was probably meant."""
    close = nearest(name, known)
    hint = f"did you mean {close!r}?" if close else f"there are: {some(known)}"
    return TroubleError(f"there is no {what} {name!r}{where}; {hint}")
