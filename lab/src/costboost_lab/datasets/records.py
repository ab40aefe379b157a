"""Records of the data sets, one TOML file in ``sets/`` for each, and their costs."""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from costboost._core.costs import Costs

Label = int | str

RANGE = re.compile(r"(.*?)(\d+)\.\.\1(\d+)")
"""``x1..x46`` means x1, x2 and so on up to x46; ``p000..p255`` keeps the zeros."""


@dataclass(frozen=True)
class File:
    """The file ``<name>.csv.gz``: its hash and size, and the origin of its data."""

    sha256: str
    bytes: int
    origin: str


@dataclass(frozen=True)
class Wheel:
    """Location of a data set in an installable package, and the format of its files.

    ``names`` are the columns in the order of the file, ``*`` for all columns of X. With several
    files, the column ``parts`` contains for each row the name of its file from ``part_names``.
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
    """The copy on OpenML. Its columns are those of X in the same order, or ``columns``."""

    id: int
    target: str = "default-target"
    columns: tuple[str, ...] = ()
    labels: Mapping[str, Label] = field(default_factory=dict)
    differs: str = ""


@dataclass(frozen=True)
class Record:
    """A data set: description, expected content and sources.

    ``extra`` are columns of the file that are not features. ``leaks`` are features that reveal the
    outcome or identify the row, kept because published experiments kept them. ``against_rest`` is
    the label that Nikolaou et al. (2016) use against the rest of a multi-class data set.
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


@dataclass(frozen=True)
class TidyTable:
    """Features, labels, and the columns that are neither, in the form of the record."""

    X: Any
    y: NDArray[Any]
    extra: Any


def plain(value: Any) -> str:
    """A value as text, which is equal for 1, 1.0 and " 1"."""
    return str(value).strip().removesuffix(".0")


# ---- reading records -----------------------------------------------------------------------------


@cache
def names() -> tuple[str, ...]:
    """The names of all data sets, in alphabetical order."""
    folder = files("costboost_lab.datasets") / "sets"
    found = (path.name for path in folder.iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in found if name.endswith(".toml")))


@cache
def record(name: str) -> Record:
    """The record of a data set; an unknown name raises a ValueError with a suggestion."""
    if name not in names():
        close = difflib.get_close_matches(str(name), names(), n=3)
        hint = f"did you mean {' or '.join(close)}?" if close else "available() lists the names"
        raise ValueError(f"there is no data set {name!r}; {hint}")
    text = (files("costboost_lab.datasets") / "sets" / f"{name}.toml").read_text(encoding="utf-8")
    return parse(name, text)


def parse(name: str, text: str) -> Record:
    """Read a record from the text of its file."""
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
    """Names with each range such as ``x1..x46`` expanded."""
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
    """Convert lists to tuples, and text of several lines to one line."""
    if isinstance(value, list):
        return tuple(map(_fixed, value))
    if isinstance(value, dict):
        return {key: _fixed(entry) for key, entry in value.items()}
    return _one_line(value) if isinstance(value, str) else value


def _one_line(text: str) -> str:
    return text.replace("\n", " ")


# ---- description of a data set -------------------------------------------------------------------


def describe(record: Record) -> str:
    """Description of a data set, as a few lines of text."""
    return "\n".join(_lines(record))


def _lines(record: Record) -> Iterator[str]:
    classes = ", ".join(f"{label}: {count}" for label, count in record.classes.items())
    yield record.title
    yield ""
    yield record.about
    yield ""
    yield f"Rows: {record.rows}. Features: {len(record.columns)}, {len(record.nominal)} nominal."
    yield f"Missing values: {record.missing}."
    yield f"Classes: {classes}. Positive: {_positive(record)}."
    if record.extra:
        yield f"Not features: {', '.join(record.extra)}."
    if record.leaks:
        yield f"Features that leak: {', '.join(record.leaks)}."
    if record.costs:
        yield f"Costs ({record.costs['unit']}): {record.costs['note']}."
    yield f"Licence: {record.licence}."
    yield f"Citation: {record.citation}"
    yield f"Made from: {record.file.origin}."


def _positive(record: Record) -> str:
    """The positive label, or the one that a paper uses against the rest."""
    if len(record.classes) == 2:
        return str(record.positive)
    if record.against_rest is not None:
        return f"{record.against_rest} against the rest (Nikolaou et al.)"
    return "none"


# ---- costs of a record: given with the data, or by a formula of the literature -------------------


def costs_of(options: dict[str, Any], table: TidyTable, positive: Any) -> Costs:
    """The costs that a record describes, for the rows of its table."""
    rest = dict(options)
    about = {name: rest.pop(name, "") for name in ("unit", "note")}
    return replace(COST_KINDS[rest.pop("kind")](table, positive, **rest), **about)


def _by_class(table: TidyTable, positive: Any, **costs: Any) -> Costs:
    return Costs.outcomes(**{f"{key}_cost": cost for key, cost in costs.items()})


def _by_column(table: TidyTable, positive: Any, **columns: str) -> Costs:
    cells = {key: table.extra[name].to_numpy(float) for key, name in columns.items()}
    return Costs.outcomes(**{f"{key}_cost": cost for key, cost in cells.items()})


def _of_lending(table: TidyTable, positive: Any, amount: str, **options: Any) -> Costs:
    share = float(np.mean(table.y == positive))
    return Costs.lending(table.X[amount], default_rate=share, **options)


def _of_deposits(
    table: TidyTable, positive: Any, balance: str, contact: float, share: float, rate: float
) -> Costs:
    """A call costs ``contact``, a client not called the earnings on a part of the balance."""
    earned = share * rate * table.X[balance].to_numpy(float)
    fn_cost = np.maximum(contact, earned)
    return Costs.outcomes(fn_cost=fn_cost, fp_cost=contact, tp_cost=contact)


def _of_mailing(table: TidyTable, positive: Any, gift: str, postage: float) -> Costs:
    """A letter costs ``postage``, a donor without a letter the gift.

    For other rows, whose costs do not depend on it, the gift is unknown. Their entry is the mean
    gift, because classifiers need a number for every row.
    """
    gifts = table.extra[gift].to_numpy(float)
    donors = table.y == positive
    fn = np.where(donors, gifts, gifts[donors].mean())
    return Costs.outcomes(fn_cost=fn, fp_cost=postage, tp_cost=postage)


def _of_matrix(table: TidyTable, positive: Any, labels: Any, values: Any, column: str) -> Costs:
    """Costs of the classes in the column ``column`` of ``extra``."""
    return Costs.matrix(values, classes=labels)


COST_KINDS: dict[str, Callable[..., Costs]] = {
    "classes": _by_class,
    "columns": _by_column,
    "lending": _of_lending,
    "deposit": _of_deposits,
    "mailing": _of_mailing,
    "matrix": _of_matrix,
}
"""Functions that make costs, by the kind that a record states."""
