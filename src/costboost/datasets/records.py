"""What is known of each data set: one small TOML file in ``sets/``, read into a frozen record."""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

Label = int | str

RANGE = re.compile(r"(.*?)(\d+)\.\.\1(\d+)")
"""``x1..x46`` stands for x1, x2 and so on up to x46; ``p000..p255`` keeps the zeros."""


@dataclass(frozen=True)
class File:
    """The file ``<name>.csv.gz``: what it must be, byte for byte, and what it was made of."""

    sha256: str
    bytes: int
    origin: str


@dataclass(frozen=True)
class Wheel:
    """Where an installable package keeps the set, and how to read it there.

    ``names`` are the columns in the order of the file, ``*`` for all columns of X. With several
    files, ``part_names`` says which of them a row is from, in the column ``parts``.
    """

    distribution: str
    files: tuple[str, ...]
    reader: str = "table"
    names: tuple[str, ...] = ("*", "target")
    separator: str = ","
    comment: str | None = None
    skip: int = 0
    parts: str = ""
    part_names: tuple[str, ...] = ()
    labels: Mapping[str, Label] = field(default_factory=dict)
    differs: str = ""


@dataclass(frozen=True)
class OpenML:
    """The copy on OpenML. Its columns are those of X in the same order, or the ones named."""

    id: int
    target: str = "default-target"
    columns: tuple[str, ...] = ()
    labels: Mapping[str, Label] = field(default_factory=dict)
    differs: str = ""


@dataclass(frozen=True)
class Record:
    """A data set: what it is, what it must contain, where it is from.

    ``extra`` are columns of the file that are not features. ``leaks`` are features that tell of the
    outcome or name the row, kept because published experiments kept them. ``against_rest`` is the
    label that Nikolaou et al. (2016) set against the rest of a multi-class set.
    """

    name: str
    title: str
    about: str
    rows: int
    columns: tuple[str, ...]
    classes: Mapping[Label, int]
    citation: str
    licence: str
    file: File
    papers: tuple[str, ...] = ()
    nominal: tuple[str, ...] = ()
    missing: int = 0
    extra: tuple[str, ...] = ()
    leaks: tuple[str, ...] = ()
    positive: Label | None = None
    against_rest: Label | None = None
    elsewhere: str = ""
    wheel: Wheel | None = None
    openml: OpenML | None = None
    costs: Mapping[str, Any] | None = None

    @property
    def filename(self) -> str:
        return f"{self.name}.csv.gz"


@cache
def names() -> tuple[str, ...]:
    """The names of all sets, in alphabetical order."""
    folder = files("costboost.datasets") / "sets"
    found = (path.name for path in folder.iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in found if name.endswith(".toml")))


@cache
def record(name: str) -> Record:
    """The record of one set; a ValueError with a suggestion where there is none of that name."""
    if name not in names():
        close = difflib.get_close_matches(str(name), names(), n=3)
        hint = f"did you mean {' or '.join(close)}?" if close else "available() lists the names"
        raise ValueError(f"there is no data set {name!r}; {hint}")
    text = (files("costboost.datasets") / "sets" / f"{name}.toml").read_text(encoding="utf-8")
    return parse(name, text)


def parse(name: str, text: str) -> Record:
    """A record from the text of its file."""
    raw = tomllib.loads(text)
    columns = expand(raw.pop("columns"))
    nominal = raw.pop("nominal", ())
    return Record(
        name=name,
        about=_one_line(raw.pop("about")),
        citation=_one_line(raw.pop("citation")),
        columns=columns,
        nominal=columns if nominal == "all" else expand(nominal),
        classes=dict(raw.pop("classes")),
        file=_part(File, raw.pop("file")),
        wheel=_part(Wheel, raw.pop("wheel", None)),
        openml=_part(OpenML, raw.pop("openml", None)),
        **{key: _fixed(value) for key, value in raw.items()},
    )


def expand(names: Iterable[str]) -> tuple[str, ...]:
    """Names with each range ``x1..x46`` written out."""
    return tuple(name for entry in names for name in _range(entry))


def _range(entry: str) -> list[str]:
    match = RANGE.fullmatch(entry)
    if match is None:
        return [entry]
    stem, first, last = match.groups()
    return [f"{stem}{k:0{len(first)}d}" for k in range(int(first), int(last) + 1)]


def _part(kind: Any, raw: dict[str, Any] | None) -> Any:
    if raw is None:
        return None
    if kind is OpenML:
        raw["columns"] = expand(raw.get("columns", ()))
    return kind(**{key: _fixed(value) for key, value in raw.items()})


def _fixed(value: Any) -> Any:
    """Lists as tuples, and text that the file breaks into lines as one line."""
    if isinstance(value, list):
        return tuple(map(_fixed, value))
    if isinstance(value, dict):
        return {key: _fixed(entry) for key, entry in value.items()}
    return _one_line(value) if isinstance(value, str) else value


def _one_line(text: str) -> str:
    return text.replace("\n", " ")
