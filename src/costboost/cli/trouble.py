"""What the user can put right, said in one line."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches

MOST_NAMES = 8
EXTRAS = {
    "pyarrow": "cli",
    "typer": "cli",
    "rich": "cli",
    "matplotlib": "plots",
    "pandas": "datasets",
}
"""Which extra brings a package."""


class TroubleError(Exception):
    """A mistake or a mishap that ends a command: its message is for the user, without traceback."""


EXPECTED = (TroubleError, OSError, ValueError, ImportError, MemoryError)
"""Errors that end a command with a message; any other is a defect of the program."""


def message_of(error: BaseException) -> str:
    """The message of one of these errors."""
    if isinstance(error, MemoryError):
        return f"there is not enough memory {error}".strip()
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename} {error.strerror}"
    if isinstance(error, OSError) and error.errno:
        from costboost.cli.reading.raw import reason

        return f"the output cannot be written: {reason(error)}"
    if isinstance(error, ModuleNotFoundError):
        extra = EXTRAS.get((error.name or "").split(".")[0])
        if extra:
            return f'{error.name} is not installed: pip install "costboost[{extra}]"'
    return str(error) or type(error).__name__


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
