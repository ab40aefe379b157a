"""Errors of input that the user can correct, and the errors of pyarrow in plain words."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from costboost._core.disk import REASONS

MAX_NAMES = 8
"""Names listed in a message."""
COMMA = re.compile(r"\s*[+-]?\d+,\d+\s*")
"""A number with a decimal comma."""
_RAGGED = re.compile(r"(?:Row #(\d+): )?Expected (\d+) columns, got (\d+)")
_INVALID = re.compile(
    r"In CSV column #(\d+): (?:Row #(\d+): )?CSV conversion error to (\w+(?:\[.*?\])?): (.*)",
    re.DOTALL,
)
_CHANGED = re.compile(r"Column\(/(.*)\) changed from (\w+) to (\w+)")
_VALUE = re.compile(r"invalid value '(.*)'", re.DOTALL)
_ROW_OF_A_BLOCK = re.compile(r"\.? in row \d+$")
"""Counted from 0, and from the begin of a block of the file that nobody knows."""
_ZONE = re.compile(r"expected (a|no) zone offset in '(.*)'", re.DOTALL)
_TYPES = {"double": "a number", "timestamp": "a date or time", "time64": "a time of day"}


class InputError(ValueError):
    """A file, a table or an option that cannot be used.

    Parameters
    ----------
    message : str
        What is wrong, in which file, row or column.
    parameter : str, default=""
        The parameter of `read_table` that may correct it. The command line has an option of this
        name.
    value : object, default=None
        A value of this parameter to try.
    """

    def __init__(self, message: str, parameter: str = "", value: object = None) -> None:
        super().__init__(message, parameter, value)
        self.message, self.parameter, self.value = message, parameter, value

    def __str__(self) -> str:
        if not self.parameter:
            return self.message
        if self.value is None:
            return f"{self.message}; check the parameter {self.parameter}"
        return f"{self.message}; try {self.parameter}={self.value!r}"


# ---- names ---------------------------------------------------------------------------------------


def unknown(what: str, name: str, known: Sequence[str], where: str = "") -> InputError:
    """The error for a name that does not exist, with the most similar name that does."""
    close = nearest(name, known)
    hint = f"did you mean {close!r}?" if close else f"there are: {some(known)}"
    return InputError(f"there is no {what} {name!r}{where}; {hint}")


def some(names: Sequence[object]) -> str:
    """The first few of many names, and how many there are."""
    shown = ", ".join(map(str, names[:MAX_NAMES]))
    return shown + (f", ... ({len(names)} in all)" if len(names) > MAX_NAMES else "")


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that is most similar to a name, or None if none is similar enough.

    Capitals, blanks and punctuation are ignored; one typing error is allowed for every four
    characters.
    """
    folded = _folded(name)
    limit = max(len(folded) // 4, int(len(folded) == 3))
    apart = {candidate: _edit_distance(folded, _folded(candidate), limit) for candidate in known}
    best = min(apart, key=apart.__getitem__, default=None)
    return best if best is not None and apart[best] <= limit else None


def _folded(name: str) -> str:
    return "".join(character for character in name.casefold() if character.isalnum()) or name


def _edit_distance(a: str, b: str, limit: int) -> int:
    """Insertions, deletions, substitutions and swaps from a to b; exact up to ``limit``."""
    if abs(len(a) - len(b)) > limit:
        return limit + 1
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


def one_line(text: object, max_length: int = 200) -> str:
    """Text without line breaks, cut where it gets long."""
    text = " ".join(str(text).split())
    return text if len(text) <= max_length else text[: max_length - 3] + "..."


# ---- errors of the operating system and of pyarrow -----------------------------------------------


def os_reason(error: OSError) -> str:
    """Why the operating system refused a file."""
    if isinstance(error, IsADirectoryError):
        return "it is a folder, not a file"
    return REASONS.get(error.errno or 0, error.strerror or str(error))


@contextmanager
def translated_errors(name: str, columns: Sequence[str] = ()) -> Iterator[None]:
    """Turn errors of pyarrow into an `InputError` that names the file, the row and the column."""
    import pyarrow as pa

    try:
        yield
    except UnicodeDecodeError as error:
        raise _wrong_encoding(name) from error
    except csv.Error as error:
        raise InputError(f"{name} cannot be read as CSV: {error}", "separator") from error
    except MemoryError as error:
        raise InputError(f"{name} takes more memory than there is: {one_line(error)}") from error
    except pa.ArrowException as error:
        raise _translated(name, str(error), columns) from error
    except OSError as error:
        text = os_reason(error) if error.errno else one_line(str(error))
        raise InputError(f"{name} cannot be read: {text}") from error


def _translated(name: str, text: str, columns: Sequence[str]) -> InputError:
    ragged = _RAGGED.search(text)
    if ragged:
        row, expected, got = ragged.groups()
        where = f"line {row}" if row else "a line"
        message = f"{name} is ragged: {where} has {got} values, the header has {expected}"
        if '"' in text[ragged.end() :]:
            message += "; is a quotation mark there never closed?"
        return InputError(message, "separator" if expected == "1" else "")
    invalid = _INVALID.search(text)
    if invalid:
        return _invalid(name, invalid, columns)
    changed = _CHANGED.search(text)
    if changed:
        column, expected, got = changed.groups()
        return InputError(
            f"{name}: column {column!r} has {_an(got)} where {_an(expected)} is expected"
        )
    if "straddl" in text:
        return InputError(
            f"{name} has a line that is too long, or a quotation mark that is never closed"
        )
    if "UTF8" in text or "utf-8" in text.lower():
        return _wrong_encoding(name)
    if "Empty" in text:
        return InputError(f"{name} is empty")
    text = _ROW_OF_A_BLOCK.sub("", text)
    return InputError(f"{name} cannot be read: {one_line(text)}")


def _an(json_type: str) -> str:
    """A type of JSON with its article."""
    if json_type == "string":
        return "text"
    return f"{'an' if json_type[0] in 'aeiou' else 'a'} {json_type}"


def _invalid(name: str, match: re.Match[str], columns: Sequence[str]) -> InputError:
    number, row, expected, text = match.groups()
    if "UTF8" in text:
        return _wrong_encoding(name)
    column = columns[int(number)] if int(number) < len(columns) else f"#{int(number) + 1}"
    where = f"{name}, line {row}" if row else name
    zone = _ZONE.search(text)
    if zone:
        here, there = ("without", "with") if zone[1] == "a" else ("with", "without")
        return InputError(
            f"{where}: column {column!r} has {one_line(zone[2], 40)!r}, a time {here} a zone, "
            f"where times {there} one are expected"
        )
    value = _VALUE.search(text)
    what = _TYPES.get(expected.split("[")[0], f"of type {expected}")
    shown = f"{one_line(value[1], 40)!r}" if value else one_line(text)
    comma = bool(value and COMMA.fullmatch(value[1]) and expected == "double")
    return InputError(
        f"{where}: column {column!r} has {shown} where {what} is expected",
        "decimal" if comma else "",
    )


def _wrong_encoding(name: str) -> InputError:
    return InputError(f"{name} is not UTF-8 text", "encoding", "latin-1")
