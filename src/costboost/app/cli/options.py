"""Options of commands: their values, checked without importing anything large, and declarations."""

from __future__ import annotations

import ast
import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from importlib.resources import files
from typing import Annotated, Any, Self

import typer

from costboost._core import disk
from costboost._core.names import COST_NAMES
from costboost._core.wording import stated
from costboost.app.cli import output
from costboost.app.cli.output import note
from costboost.app.reading.columns import select_names
from costboost.app.reading.errors import InputError, unknown
from costboost.app.reading.formats import open_table
from costboost.app.reading.sources import ReadOptions, parse_size

# ---- names ---------------------------------------------------------------------------------------

SUFFIX = "Classifier"
FIRST = "CostBoost"


def algorithm_names() -> list[str]:
    """The names of the registry of `costboost.algorithms`, which would import scikit-learn."""
    return [FIRST, *_public_names("algorithms.py"), *multiclass_names()]


def multiclass_names() -> list[str]:
    """The names of the methods of `costboost.multiclass`."""
    return _public_names("multiclass", "__init__.py")


def _public_names(*path: str) -> list[str]:
    """The classifiers in ``__all__`` of a module, read from its source."""
    source = files("costboost").joinpath(*path).read_text(encoding="utf-8")
    listed = ast.literal_eval(source.split("__all__ = ")[1].split("]")[0] + "]")
    return [name.removesuffix(SUFFIX) for name in listed]


def complete_algorithm(given: str) -> list[str]:
    """Algorithms whose names begin with a text."""
    return completions(given, algorithm_names())


def completions(given: str, names: Iterable[str]) -> list[str]:
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


def with_costs_file(given: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a command, with what the file of --costs states in place of it.

    It is a record of the costs of outcomes, or else the table of --cost-matrix.
    """
    found = {name: value for name, value in given.items() if name != "costs"}
    path = given.get("costs")
    if path is None:
        return _with_means(found)
    usual = {"fn_cost": (None, "1"), "fp_cost": (None, "1")}
    if any(found.get(n) not in usual.get(n, (None,)) for n in (*COST_NAMES, "cost_matrix")):
        raise InputError("costs are given twice: --costs FILE, or options for them, but not both")
    from costboost.app.reading.matrices import read_outcome_costs

    cells = read_outcome_costs(path, COST_NAMES)
    return _with_means(found | ({"cost_matrix": path} if cells is None else cells))


def _with_means(found: dict[str, Any]) -> dict[str, Any]:
    """Options with the mean of a range of costs in its place, and the "ranges" for the report."""
    ranges = {}
    for name in COST_NAMES:
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
        note(f"{option} is a range: decisions are made for its mean, {stated(low / 2 + high / 2)}")
    return found | {"ranges": ranges}


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


class StatedCosts:
    """Mixin of records with the costs of two classes, of which those of right ones may be None."""

    tp_cost: Any
    tn_cost: Any

    @property
    def gains(self) -> bool:
        """Whether right predictions have costs, so that all costs may be gains."""
        return self.tp_cost is not None or self.tn_cost is not None


@dataclass(frozen=True)
class ProblemOptions(OptionRecord, StatedCosts):
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
    def cost_texts(self) -> list[str]:
        """The costs that are given for two classes."""
        return [text for name in COST_NAMES if (text := getattr(self, name)) is not None]


# ---- reading -------------------------------------------------------------------------------------

MOST_ROWS = 100_000_000
"""Rows of a packed file that are predicted, unless the user allows more."""
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


# ---- declarations of the options that commands share ---------------------------------------------

PROBLEM = "The problem"
TRAINING = "Training"
ACTIONS = "Actions"
READING = "Reading"
HOLDING_OUT = "Measuring"
WRITING = "Writing"
CLUSTER = "On a cluster"


def option(metavar: str, text: str, *names: str, panel: str | None = None, **settings: Any) -> Any:
    """Declaration of an option; without names it has that of its parameter."""
    return typer.Option(*names, metavar=metavar, help=text, rich_help_panel=panel, **settings)


def flag(text: str, name: str, panel: str | None = None, **settings: Any) -> Any:
    """Declaration of an option without a value."""
    return option("", text, name, panel=panel, **settings)


Data = Annotated[
    str,
    typer.Argument(
        metavar="DATA",
        help="CSV, TSV, JSON lines, Parquet or Arrow, also packed with gzip or zstd; - is standard "
        "input.",
    ),
]
Model = Annotated[
    str, typer.Argument(metavar="MODEL", help="A model file of costboost fit or costboost.save.")
]
Target = Annotated[
    str, option("COLUMN", "The column with the classes.", "--target", "-t", panel=PROBLEM)
]
Positive = Annotated[
    str | None,
    option(
        "LABEL",
        "The class that counts, against all others. Default: the greater of two, or all of "
        "several alike.",
        panel=PROBLEM,
    ),
]
FnCost = Annotated[
    str,
    option(
        "COST",
        "What a miss costs: a number, a range such as 4..40, or a column with the cost of "
        "each row.",
        panel=PROBLEM,
    ),
]
FpCost = Annotated[
    str, option("COST", "What a false alarm costs: a number, or a column.", panel=PROBLEM)
]
TpCost = Annotated[
    str | None,
    option(
        "COST",
        "What a true positive costs, below 0 for a gain: a number, or a column. Default: 0.",
        panel=PROBLEM,
    ),
]
TnCost = Annotated[
    str | None,
    option(
        "COST",
        "What a true negative costs, below 0 for a gain: a number, or a column. Default: 0.",
        panel=PROBLEM,
    ),
]
CostsFile = Annotated[
    str | None,
    option(
        "FILE",
        "All costs in a file: JSON or CSV with fn_cost, fp_cost, tp_cost and tn_cost, numbers "
        "or columns, or a table as for --cost-matrix.",
        panel=PROBLEM,
    ),
]
ClipCosts = Annotated[
    float | None,
    option(
        "QUANTILE",
        "Lower outlying costs of rows to this quantile in training, such as 0.99.",
        panel=TRAINING,
    ),
]
CostMatrix = Annotated[
    str | None,
    option(
        "FILE",
        "What every mistake costs: a row for each true class, a column for each prediction, "
        "with or without their names.",
        panel=PROBLEM,
    ),
]
OTHER = "Default: as in training."
OtherFnCost = Annotated[str | None, option("COST", f"What a miss costs: number or column. {OTHER}")]
OtherFpCost = Annotated[
    str | None, option("COST", f"What a false alarm costs: number or column. {OTHER}")
]
OtherTpCost = Annotated[
    str | None, option("COST", f"What a true positive costs: number or column. {OTHER}")
]
OtherTnCost = Annotated[
    str | None, option("COST", f"What a true negative costs: number or column. {OTHER}")
]
OtherCostsFile = Annotated[str | None, option("FILE", f"All costs in a file, JSON or CSV. {OTHER}")]
OtherCostMatrix = Annotated[
    str | None,
    option(
        "FILE", f"What every mistake costs: rows are the truth, columns the prediction. {OTHER}"
    ),
]
Actions = Annotated[
    str | None,
    option(
        "FILE",
        "What actions cost: a row for each true class, a column for each action; cells are "
        "numbers, ranges such as 4..40 or columns of DATA.",
        panel=ACTIONS,
    ),
]
Reviewer = Annotated[
    str | None,
    option(
        "RATES", "Recall and specificity of the action review, such as 0.9,0.95.", panel=ACTIONS
    ),
]
Capacity = Annotated[
    list[str] | None,
    option(
        "ACTION=N",
        "The most rows of an action, such as review=50. May be repeated; holds all rows in memory.",
        panel=ACTIONS,
    ),
]
Per = Annotated[
    str | None,
    option(
        "COLUMN",
        "Rows with the same value here have the capacity anew, such as a day.",
        panel=ACTIONS,
    ),
]
Prices = Annotated[
    bool,
    flag("Decide one by one, by the prices of capacity in the model.", "--prices", panel=ACTIONS),
]
FitPrices = Annotated[
    str | None,
    option(
        "FILE",
        "Also fit prices for --prices to DATA, past rows with --capacity and --per, and write "
        "the model with them.",
        panel=ACTIONS,
    ),
]
Drop = Annotated[
    list[str] | None, option("COLUMN", "A column to leave out. May be repeated.", panel=PROBLEM)
]
Categorical = Annotated[
    list[str] | None,
    option(
        "COLUMN",
        "A column of numbers that are names, such as postcodes. Text always is. May be repeated.",
        panel=PROBLEM,
    ),
]
Increasing = Annotated[
    list[str] | None,
    option(
        "COLUMN",
        "A column whose greater values must never lower the probability of the positive "
        "class. May be repeated.",
        panel=TRAINING,
    ),
]
Decreasing = Annotated[
    list[str] | None,
    option(
        "COLUMN",
        "A column whose greater values must never raise it. May be repeated.",
        panel=TRAINING,
    ),
]
InteractionOption = Annotated[
    list[str] | None,
    option(
        "COLUMNS",
        "Which columns may interact: pairwise, none, or a group of them, separated by commas. "
        "A group may be repeated.",
        panel=TRAINING,
    ),
]
Groups = Annotated[
    str | None,
    option(
        "COLUMN",
        "Rows with the same value belong together, such as those of a patient: they are held "
        "out together. The column is no feature.",
        panel=PROBLEM,
    ),
]
Sampling = Annotated[
    list[str] | None,
    option(
        "LABEL=SHARE",
        "Share of the rows of a class that DATA has kept, if others were left out: "
        "probabilities are those of all rows. May be repeated.",
        panel=PROBLEM,
    ),
]
Prevalence = Annotated[
    list[str] | None,
    option(
        "SHARE",
        "Share of the positive class among the rows, if it is another one than in training; "
        "LABEL=SHARE, repeated, for several classes; estimate finds it in DATA.",
    ),
]
CostsAreFeatures = Annotated[
    bool,
    flag(
        "Learn from the columns of --fn-cost and --fp-cost, too.",
        "--costs-are-features",
        panel=PROBLEM,
    ),
]
Encoding = Annotated[str, option("NAME", "Of the text in DATA.", panel=READING)]
Separator = Annotated[
    str,
    option(
        "CHARACTER",
        "Between values, or 'tab'. Default: the one that the first line has most of.",
        panel=READING,
    ),
]
Decimal = Annotated[
    str, option("CHARACTER", "In numbers; , where they are written as 1234,5.", panel=READING)
]
Algorithm = Annotated[
    str,
    option(
        "NAME",
        "See costboost algorithms.",
        "--algorithm",
        "-a",
        autocompletion=complete_algorithm,
        panel=TRAINING,
    ),
]
Rounds = Annotated[
    int | None,
    option("N", "Rounds of boosting. Default: the algorithm's own.", min=1, panel=TRAINING),
]
Seed = Annotated[int, option("N", "For all that is drawn at random.", min=0, panel=TRAINING)]
Jobs = Annotated[
    int | None,
    option("N", "Threads; -1 is all. Default: as suits the data.", "--jobs", "-j", panel=TRAINING),
]
Scheduler = Annotated[
    str | None,
    option(
        "ADDRESS",
        "Of a Dask scheduler, whose workers read DATA: a file, a folder or a pattern such as "
        "'rows/*.parquet'.",
        panel=CLUSTER,
    ),
]
Workers = Annotated[
    int | None,
    option("N", "Start so many Dask workers on this machine instead.", min=1, panel=CLUSTER),
]
Test = Annotated[
    str | None, option("FILE", "Rows to measure with, instead of some of DATA.", panel=HOLDING_OUT)
]
TestSize = Annotated[float, option("SHARE", "Rows held out.", panel=HOLDING_OUT)]
Refit = Annotated[
    bool,
    flag(
        "After measuring, train the model that is written on all rows.",
        "--refit",
        panel=HOLDING_OUT,
    ),
]
OutModel = Annotated[
    str | None, option("MODEL", "Where the model goes.", "--out", "-o", panel=WRITING)
]
Unit = Annotated[str, option("TEXT", "Of the costs in the report, such as EUR.", panel=WRITING)]
Title = Annotated[str | None, option("TEXT", "Of the report.", panel=WRITING)]
RowsAre = Annotated[
    str, option("TEXT", "What the rows are in the report, such as applications.", panel=WRITING)
]
NegativeAction = Annotated[
    str | None,
    option(
        "TEXT",
        "What the report calls the action for rows predicted negative, such as approving.",
        panel=WRITING,
    ),
]
PositiveAction = Annotated[
    str | None,
    option(
        "TEXT",
        "What it calls the action for rows predicted positive, such as rejecting.",
        panel=WRITING,
    ),
]
Json = Annotated[bool, flag("The result for programs.", "--json", panel=WRITING)]
