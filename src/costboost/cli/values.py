"""Values of options: names, costs, columns and files, checked without importing anything large."""

from __future__ import annotations

import ast
import csv
import json
import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from importlib.resources import files
from typing import Any, Self

from costboost.cli import output
from costboost.cli.console import note
from costboost.files import disk
from costboost.reading.columns import select_names
from costboost.reading.errors import InputError, os_reason, unknown
from costboost.reading.sources import ReadOptions, parse_size
from costboost.reading.tables import open_table
from costboost.studies import study

SUFFIX = "Classifier"
FIRST = "CostBoost"


def algorithm_names() -> list[str]:
    """The names of `costboost.registry`, which would import scikit-learn."""
    return [FIRST, *_public_names("algorithms.py"), *multiclass_names()]


def multiclass_names() -> list[str]:
    """The names of the methods of `costboost.multiclass`."""
    return _public_names("multiclass", "__init__.py")


def _public_names(*path: str) -> list[str]:
    """The classifiers in ``__all__`` of a module, read from its source."""
    source = files("costboost").joinpath(*path).read_text(encoding="utf-8")
    listed = ast.literal_eval(source[source.index("__all__ = ") + len("__all__ = ") :].strip())
    return [name.removesuffix(SUFFIX) for name in listed]


def data_set_names() -> list[str]:
    """The names of `costboost.datasets.available`, which would import NumPy."""
    folder = files("costboost").joinpath("datasets", "sets")
    return sorted(one.name.removesuffix(".toml") for one in folder.iterdir() if one.is_file())


def study_names() -> list[str]:
    """The names of the studies, none of which is loaded."""
    return list(study.MODULES)


def complete_algorithm(given: str) -> list[str]:
    """Algorithms whose names begin with a text."""
    return _completions(given, algorithm_names())


def complete_data_set(given: str) -> list[str]:
    """Data sets whose names begin with a text."""
    return _completions(given, data_set_names())


def complete_study(given: str) -> list[str]:
    """Studies whose names begin with a text."""
    return _completions(given, study_names())


def _completions(given: str, names: Iterable[str]) -> list[str]:
    """Names that begin with a text, with its capitals: shells keep them, commands ignore them."""
    folded = given.casefold()
    return [given + n[len(given) :] for n in names if n.casefold().startswith(folded)]


def short_name(name: str) -> str:
    """The listed name of a classifier; capitals and the suffix are ignored."""
    by_folded = {one.casefold(): one for one in algorithm_names()}
    folded = name.casefold().removesuffix(SUFFIX.casefold())
    if folded not in by_folded:
        raise unknown("algorithm", name, algorithm_names())
    return by_folded[folded]


def is_multiclass_name(name: str) -> bool:
    """Whether a name is that of a class of `costboost.multiclass`."""
    return short_name(name) in multiclass_names()


# ---- costs ---------------------------------------------------------------------------------------

CELLS = ("fn_cost", "fp_cost", "tp_cost", "tn_cost")


def with_costs_file(given: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a command, with what the file of --costs states in place of it.

    It is a record of the costs of outcomes, or else the table of --cost-matrix.
    """
    found = {name: value for name, value in given.items() if name != "costs"}
    path = given.get("costs")
    if path is None:
        return _with_means(found)
    usual = {"fn_cost": (None, "1"), "fp_cost": (None, "1")}
    if any(found.get(n) not in usual.get(n, (None,)) for n in (*CELLS, "cost_matrix")):
        raise InputError("costs are given twice: --costs FILE, or options for them, but not both")
    cells = _read_cells(path)
    return _with_means(found | ({"cost_matrix": path} if cells is None else cells))


def _with_means(found: dict[str, Any]) -> dict[str, Any]:
    """Options with the mean of a range of costs in its place, and the "ranges" for the report."""
    ranges = {}
    for name in CELLS:
        first, _, last = (found.get(name) or "").partition("..")
        try:
            low, high = float(first), float(last)
        except ValueError:
            continue  # a number, or the name of a column
        option = f"--{name.replace('_', '-')} {found[name]}"
        if not -math.inf < low <= high < math.inf:
            raise InputError(f"{option} must be a range from low to high")
        ranges[name] = (low, high)
        found[name] = f"{low / 2 + high / 2:.17g}"
        note(f"{option} is a range: decisions are made for its mean, {low / 2 + high / 2:g}")
    return found | {"ranges": ranges}


def _read_cells(path: str) -> dict[str, str] | None:
    """The costs of outcomes in a JSON or CSV file, as text; None if it holds something else."""
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            text = file.read(MOST_TEXT)
    except OSError as error:
        raise InputError(f"{path}: {os_reason(error)}") from error
    except UnicodeDecodeError:
        return None
    try:
        record = json.loads(text)
    except ValueError:
        rows = [row for row in csv.reader(text.splitlines()) if row]
        if len(rows) != 2 or len(rows[0]) != len(rows[1]):
            return None
        record = dict(zip(map(str.strip, rows[0]), map(str.strip, rows[1]), strict=True))
    if not isinstance(record, dict) or not set(record) & set(CELLS):
        return None
    for name, value in record.items():
        if name not in CELLS:
            raise unknown("cost", name, CELLS, f" in {path}")
        if isinstance(value, list) and len(value) == 2:
            record[name] = value = f"{value[0]}..{value[1]}"
        if isinstance(value, bool) or not isinstance(value, (str, int, float)) or value == "":
            raise InputError(f"{path}: {name} must be a number or the name of a column")
    return {name: str(value) for name, value in record.items()}


MOST_TEXT = 1_000_000
"""Characters of a file of costs that are read."""


def parse_cost(text: str, gains: bool = False) -> float:
    """A cost that must be a number, above 0 unless there may be gains."""
    try:
        value = float(text)
    except ValueError:
        raise InputError(
            "this algorithm takes no costs of rows here, but numbers or --cost-matrix, got "
            f"{text!r}"
        ) from None
    if gains and math.isfinite(value):
        return value
    if gains:
        raise InputError(f"a cost must be a finite number, or the name of a column, got {text}")
    if not math.isfinite(value) or value <= 0:
        raise InputError(f"a cost must be a number above 0, or the name of a column, got {text}")
    return value


def cost_or_column(text: str, gains: bool = False) -> float | str:
    """A cost as a number, or else the name of a column."""
    try:
        float(text)
    except ValueError:
        return text
    return parse_cost(text, gains)


def check_cost_columns(costs: Iterable[float | str], names: Sequence[str], where: str) -> None:
    """Raise an InputError if a cost is the name of a column that does not exist."""
    for cost in costs:
        if isinstance(cost, str) and cost not in names:
            raise unknown("column", cost, names, f" in {where} for a cost")


# ---- records of options --------------------------------------------------------------------------


@dataclass(frozen=True)
class OptionRecord:
    """A record whose fields are options of a command."""

    @classmethod
    def from_options(cls, options: Mapping[str, Any], **more: Any) -> Self:
        """The options of a command that are fields; those that are None have their default."""
        names = [one.name for one in fields(cls)]
        given = {name: options[name] for name in names if options.get(name) is not None}
        return cls(**given | more)


@dataclass(frozen=True)
class ProblemOptions(OptionRecord):
    """The target column, the costs, the features, and how the file is read."""

    target: str
    positive: str | None = None
    fn_cost: str = "1"
    fp_cost: str = "1"
    tp_cost: str | None = None
    tn_cost: str | None = None
    cost_matrix: str | None = None
    drop: Sequence[str] = ()
    categorical: Sequence[str] = ()
    costs_are_features: bool = False
    groups: str | None = None
    increasing: Sequence[str] = ()
    decreasing: Sequence[str] = ()
    interactions: Sequence[str] = ()
    """Groups of columns, each in one text, or one of the names of `InteractionOption`."""
    reading: ReadOptions = field(default_factory=ReadOptions)
    multiclass_method: bool = False
    """Whether the algorithm is one of `costboost.multiclass`, also for two classes."""

    @property
    def gains(self) -> bool:
        """Whether right predictions have costs, so that all costs may be gains."""
        return self.tp_cost is not None or self.tn_cost is not None

    @property
    def cost_texts(self) -> list[str]:
        """The costs that are given for two classes."""
        four = self.fn_cost, self.fp_cost, self.tp_cost, self.tn_cost
        return [text for text in four if text is not None]


# ---- reading -------------------------------------------------------------------------------------

_max_memory = ReadOptions.max_memory


def set_max_memory(size: str) -> None:
    """Set the memory that files may take in this process, such as 500M or 8G."""
    global _max_memory
    _max_memory = parse_size(size)


def read_options(encoding: str = "utf-8", separator: str = "", decimal: str = ".") -> ReadOptions:
    """How a command reads its files; a signal interrupts the wait for input."""
    return ReadOptions(encoding, separator, decimal, _max_memory, output.wait_for_input)


# ---- checks that import nothing large, so that mistakes are reported at once ---------------------


def check_files(model: str, data: str | None) -> None:
    """Raise an error if the model file or the data file does not exist."""
    if model != "-" and not os.path.isdir(model):
        disk.check(model)
    if data not in (None, "-") and not os.path.exists(data):
        with open_table(data, read_options()):
            pass


def check_columns(path: str, options: ProblemOptions) -> None:
    """Raise an error if a file does not exist, or lacks columns that options name.

    Standard input and pipes can be read only once and are not checked here.
    """
    if path == "-" or (os.path.exists(path) and not os.path.isfile(path)):
        return
    with open_table(path, options.reading) as source:
        name, known = source.name, source.names
    if options.target not in known:
        raise unknown("column", options.target, known, f" in {name}")
    select_names((*options.categorical, *options.drop), known, name)
    select_names((*options.increasing, *options.decreasing), known, name)
    if options.groups is not None and options.groups not in known:
        raise unknown("column", options.groups, known, f" in {name} for --groups")
    costs = (cost_or_column(text, options.gains) for text in options.cost_texts)
    check_cost_columns(costs, known, name)
