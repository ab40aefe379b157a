"""Options that several commands share."""

from __future__ import annotations

from typing import Annotated

import typer

from costboost.cli import signals
from costboost.cli.completing import complete_algorithm
from costboost.reading.sources import ReadOptions, parse_size

PROBLEM = "The problem"
TRAINING = "Training"
READING = "Reading"
HOLDING_OUT = "Measuring"
WRITING = "Writing"
FLAG = ""
"""What an option without a value takes, as help shows it."""

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
    str,
    typer.Option(
        "--target",
        "-t",
        metavar="COLUMN",
        help="The column with the classes.",
        rich_help_panel=PROBLEM,
    ),
]
Positive = Annotated[
    str | None,
    typer.Option(
        metavar="LABEL",
        help="The class that counts, against all others. Default: the greater of two, or all of "
        "several alike.",
        rich_help_panel=PROBLEM,
    ),
]
FnCost = Annotated[
    str,
    typer.Option(
        metavar="COST",
        help="What a miss costs: a number, or a column with the cost of each row.",
        rich_help_panel=PROBLEM,
    ),
]
FpCost = Annotated[
    str,
    typer.Option(
        metavar="COST",
        help="What a false alarm costs: a number, or a column.",
        rich_help_panel=PROBLEM,
    ),
]
CostMatrix = Annotated[
    str | None,
    typer.Option(
        "--cost-matrix",
        metavar="FILE",
        help="What every mistake costs: a row for each true class, a column for each prediction, "
        "with or without their names.",
        rich_help_panel=PROBLEM,
    ),
]
OTHER = "Default: as in training."
OtherFnCost = Annotated[
    str | None,
    typer.Option("--fn-cost", metavar="COST", help=f"What a miss costs: number or column. {OTHER}"),
]
OtherFpCost = Annotated[
    str | None,
    typer.Option(
        "--fp-cost", metavar="COST", help=f"What a false alarm costs: number or column. {OTHER}"
    ),
]
OtherCostMatrix = Annotated[
    str | None,
    typer.Option(
        "--cost-matrix",
        metavar="FILE",
        help=f"What every mistake costs: rows are the truth, columns the prediction. {OTHER}",
    ),
]
Drop = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMN", help="A column to leave out. May be repeated.", rich_help_panel=PROBLEM
    ),
]
Categorical = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMN",
        help="A column of numbers that are names, such as postcodes. Text always is. May be "
        "repeated.",
        rich_help_panel=PROBLEM,
    ),
]
CostsAreFeatures = Annotated[
    bool,
    typer.Option(
        "--costs-are-features",
        metavar=FLAG,
        help="Learn from the columns of --fn-cost and --fp-cost, too.",
        rich_help_panel=PROBLEM,
    ),
]
Encoding = Annotated[
    str, typer.Option(metavar="NAME", help="Of the text in DATA.", rich_help_panel=READING)
]
Separator = Annotated[
    str,
    typer.Option(
        metavar="CHARACTER",
        help="Between values, or 'tab'. Default: the one that the first line has most of.",
        rich_help_panel=READING,
    ),
]
Decimal = Annotated[
    str,
    typer.Option(
        metavar="CHARACTER",
        help="In numbers; , where they are written as 1234,5.",
        rich_help_panel=READING,
    ),
]
Algorithm = Annotated[
    str,
    typer.Option(
        "--algorithm",
        "-a",
        metavar="NAME",
        help="See costboost algorithms.",
        autocompletion=complete_algorithm,
        rich_help_panel=TRAINING,
    ),
]
Rounds = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        min=1,
        help="Rounds of boosting. Default: the algorithm's own.",
        rich_help_panel=TRAINING,
    ),
]
Seed = Annotated[
    int,
    typer.Option(
        min=0, metavar="N", help="For all that is drawn at random.", rich_help_panel=TRAINING
    ),
]
Jobs = Annotated[
    int | None,
    typer.Option(
        "--jobs",
        "-j",
        metavar="N",
        help="Threads; -1 is all. Default: as suits the data.",
        rich_help_panel=TRAINING,
    ),
]
Test = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        help="Rows to measure with, instead of some of DATA.",
        rich_help_panel=HOLDING_OUT,
    ),
]
TestSize = Annotated[
    float, typer.Option(metavar="SHARE", help="Rows held out.", rich_help_panel=HOLDING_OUT)
]
Refit = Annotated[
    bool,
    typer.Option(
        "--refit",
        metavar=FLAG,
        help="After measuring, train the model that is written on all rows.",
        rich_help_panel=HOLDING_OUT,
    ),
]
OutModel = Annotated[
    str | None,
    typer.Option(
        "--out", "-o", metavar="MODEL", help="Where the model goes.", rich_help_panel=WRITING
    ),
]
Unit = Annotated[
    str,
    typer.Option(
        metavar="TEXT", help="Of the costs in the report, such as EUR.", rich_help_panel=WRITING
    ),
]
Json = Annotated[
    bool,
    typer.Option("--json", metavar=FLAG, help="The result for programs.", rich_help_panel=WRITING),
]


# ---- reading -------------------------------------------------------------------------------------

_max_memory = ReadOptions.max_memory


def set_max_memory(size: str) -> None:
    """Set the memory that files may take in this process, such as 500M or 8G."""
    global _max_memory
    _max_memory = parse_size(size)


def read_options(encoding: str = "utf-8", separator: str = "", decimal: str = ".") -> ReadOptions:
    """How a command reads its files; waiting for input ends on a signal."""
    return ReadOptions(encoding, separator, decimal, _max_memory, signals.await_bytes)
