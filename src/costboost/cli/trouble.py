"""What the user can put right, said in one line."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

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
    """The known name that was probably meant, if one is near.

    It may differ in capitals, blanks and marks between words, or in a typing error for every four
    characters.
    """
    folded = _folded(name)
    most = max(len(folded) // 4, int(len(folded) == 3))
    apart = {one: _typing_errors(folded, _folded(one), most) for one in known}
    best = min(apart, key=apart.__getitem__, default=None)
    return best if best is not None and apart[best] <= most else None


def _folded(name: str) -> str:
    """A name without what is easily mistaken in it."""
    return "".join(character for character in name.casefold() if character.isalnum()) or name


def _typing_errors(a: str, b: str, most: int) -> int:
    """Characters too many, too few, wrong or swapped; only up to ``most`` is it exact."""
    if abs(len(a) - len(b)) > most:
        return most + 1
    two_ago: list[int] = []
    last = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        row = [i]
        for j, y in enumerate(b, 1):
            cost = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                cost = min(cost, two_ago[j - 2] + 1)
            row.append(cost)
        two_ago, last = last, row
    return last[-1]


def some(names: Sequence[object]) -> str:
    """The first of many names."""
    shown = ", ".join(map(str, names[:MOST_NAMES]))
    return shown + (f", ... ({len(names)} in all)" if len(names) > MOST_NAMES else "")


def unknown(what: str, name: str, known: Sequence[str], where: str = "") -> TroubleError:
    """The trouble with a name that does not exist, and the one that was probably meant."""
    close = nearest(name, known)
    hint = f"did you mean {close!r}?" if close else f"there are: {some(known)}"
    return TroubleError(f"there is no {what} {name!r}{where}; {hint}")
