"""What errors of the reader mean for the user."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from costboost.cli.reading.raw import reason
from costboost.cli.trouble import TroubleError

RAGGED = re.compile(r"(?:Row #(\d+): )?Expected (\d+) columns, got (\d+)")
INVALID = re.compile(
    r"In CSV column #(\d+): (?:Row #(\d+): )?CSV conversion error to (\w+(?:\[.*?\])?): (.*)",
    re.DOTALL,
)
CHANGED = re.compile(r"Column\(/(.*)\) changed from (\w+) to (\w+)")
VALUE = re.compile(r"invalid value '(.*)'", re.DOTALL)
COMMA = re.compile(r"\s*[+-]?\d+,\d+\s*")
ZONE = re.compile(r"expected (a|no) zone offset in '(.*)'", re.DOTALL)
WORDS = {"double": "a number", "timestamp": "a date or time", "time64": "a time of day"}


@contextmanager
def explained(name: str, columns: Sequence[str] = ()) -> Iterator[None]:
    """Turn errors of the reader into trouble that names the file and what is wrong in it."""
    import pyarrow as pa

    try:
        yield
    except UnicodeDecodeError as error:
        raise _encoding(name) from error
    except csv.Error as error:
        hint = "; is the separator right (--separator)?"
        raise TroubleError(f"{name} cannot be read as CSV: {error}{hint}") from error
    except MemoryError as error:
        raise TroubleError(f"{name} takes more memory than there is: {one_line(error)}") from error
    except pa.ArrowException as error:
        raise TroubleError(_said(name, str(error), columns)) from error
    except OSError as error:
        text = reason(error) if error.errno else one_line(str(error))
        raise TroubleError(f"{name} cannot be read: {text}") from error


def _said(name: str, text: str, columns: Sequence[str]) -> str:
    ragged = RAGGED.search(text)
    if ragged:
        row, expected, got = ragged.groups()
        where = f"line {row}" if row else "a line"
        hint = "; is the separator right (--separator)?" if expected == "1" else ""
        return f"{name} is ragged: {where} has {got} values, the header has {expected}{hint}"
    invalid = INVALID.search(text)
    if invalid:
        return _invalid(name, invalid, columns)
    changed = CHANGED.search(text)
    if changed:
        column, wanted, got = changed.groups()
        return f"{name}: column {column!r} has {_an(got)} where {_an(wanted)} is expected"
    if "straddl" in text:
        return f"{name} has a line that is too long, or a quotation mark that is never closed"
    if "UTF8" in text or "utf-8" in text.lower():
        return str(_encoding(name))
    if "Empty" in text:
        return f"{name} is empty"
    return f"{name} cannot be read: {one_line(text)}"


def _an(kind: str) -> str:
    """What JSON calls a value, with its article."""
    return "text" if kind == "string" else f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"


def _invalid(name: str, found: re.Match[str], columns: Sequence[str]) -> str:
    number, row, wanted, text = found.groups()
    if "UTF8" in text:
        return str(_encoding(name))
    column = columns[int(number)] if int(number) < len(columns) else f"#{int(number) + 1}"
    where = f"{name}, line {row}" if row else name
    zone = ZONE.search(text)
    if zone:
        here, there = ("without", "with") if zone[1] == "a" else ("with", "without")
        return (
            f"{where}: column {column!r} has {one_line(zone[2], 40)!r}, a time {here} a zone, "
            f"where times {there} one are expected"
        )
    value = VALUE.search(text)
    what = WORDS.get(wanted.split("[")[0], f"of type {wanted}")
    shown = f"{one_line(value[1], 40)!r}" if value else one_line(text)
    comma = bool(value and COMMA.fullmatch(value[1]) and wanted == "double")
    hint = "; is --decimal right?" if comma else ""
    return f"{where}: column {column!r} has {shown} where {what} is expected{hint}"


def _encoding(name: str) -> TroubleError:
    return TroubleError(f"{name} is not UTF-8 text; say what it is, for example --encoding latin-1")


# ---- types ---------------------------------------------------------------------------------------


def takes(type_: Any) -> str:
    """What a column of this type can be to a model: a key of `TAKEN`, or "" if it is of no use."""
    from pyarrow import types

    if types.is_dictionary(type_):
        type_ = type_.value_type
    for word, kinds in TAKEN.items():
        if any(getattr(types, f"is_{kind}")(type_) for kind in kinds):
            return word
    return ""


TAKEN = {
    "text": ("string", "large_string", "string_view"),
    "boolean": ("boolean",),
    "number": ("integer", "floating", "decimal", "null"),
    "time": ("date", "timestamp", "time"),
}


def unusable(name: str, type_: Any) -> TroubleError:
    """The trouble with a column whose values are no features."""
    return TroubleError(
        f"column {name!r} holds {one_line(type_, 60)}, which no classifier takes; --drop {name!r}"
    )


def one_line(text: object, most: int = 200) -> str:
    """Text without line breaks, cut where it gets long."""
    text = " ".join(str(text).split())
    return text if len(text) <= most else text[: most - 3] + "..."
