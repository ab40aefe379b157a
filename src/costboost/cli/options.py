"""Options that commands share: declaration, parsing and early checks."""

from __future__ import annotations

from typing import Annotated

import typer

from costboost.cli.values import complete_algorithm

# ---- options -------------------------------------------------------------------------------------

PROBLEM = "The problem"
TRAINING = "Training"
ACTIONS = "Actions"
READING = "Reading"
HOLDING_OUT = "Measuring"
WRITING = "Writing"
CLUSTER = "On a cluster"
FLAG = ""
"""Metavar of an option without a value."""

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
        help="What a miss costs: a number, a range such as 4..40, or a column with the cost of "
        "each row.",
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
TpCost = Annotated[
    str | None,
    typer.Option(
        metavar="COST",
        help="What a true positive costs, below 0 for a gain: a number, or a column. Default: 0.",
        rich_help_panel=PROBLEM,
    ),
]
TnCost = Annotated[
    str | None,
    typer.Option(
        metavar="COST",
        help="What a true negative costs, below 0 for a gain: a number, or a column. Default: 0.",
        rich_help_panel=PROBLEM,
    ),
]
CostsFile = Annotated[
    str | None,
    typer.Option(
        "--costs",
        metavar="FILE",
        help="All costs in a file: JSON or CSV with fn_cost, fp_cost, tp_cost and tn_cost, numbers "
        "or columns, or a table as for --cost-matrix.",
        rich_help_panel=PROBLEM,
    ),
]
ClipCosts = Annotated[
    float | None,
    typer.Option(
        metavar="QUANTILE",
        help="Lower outlying costs of rows to this quantile in training, such as 0.99.",
        rich_help_panel=TRAINING,
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
OtherTpCost = Annotated[
    str | None,
    typer.Option(
        "--tp-cost", metavar="COST", help=f"What a true positive costs: number or column. {OTHER}"
    ),
]
OtherTnCost = Annotated[
    str | None,
    typer.Option(
        "--tn-cost", metavar="COST", help=f"What a true negative costs: number or column. {OTHER}"
    ),
]
OtherCostsFile = Annotated[
    str | None,
    typer.Option("--costs", metavar="FILE", help=f"All costs in a file, JSON or CSV. {OTHER}"),
]
OtherCostMatrix = Annotated[
    str | None,
    typer.Option(
        "--cost-matrix",
        metavar="FILE",
        help=f"What every mistake costs: rows are the truth, columns the prediction. {OTHER}",
    ),
]
Actions = Annotated[
    str | None,
    typer.Option(
        "--actions",
        metavar="FILE",
        help="What actions cost: a row for each true class, a column for each action; cells are "
        "numbers, ranges such as 4..40 or columns of DATA.",
        rich_help_panel=ACTIONS,
    ),
]
Reviewer = Annotated[
    str | None,
    typer.Option(
        "--reviewer",
        metavar="RATES",
        help="Recall and specificity of the action review, such as 0.9,0.95.",
        rich_help_panel=ACTIONS,
    ),
]
Capacity = Annotated[
    list[str] | None,
    typer.Option(
        "--capacity",
        metavar="ACTION=N",
        help="The most rows of an action, such as review=50. May be repeated; holds all rows in "
        "memory.",
        rich_help_panel=ACTIONS,
    ),
]
Per = Annotated[
    str | None,
    typer.Option(
        "--per",
        metavar="COLUMN",
        help="Rows with the same value here have the capacity anew, such as a day.",
        rich_help_panel=ACTIONS,
    ),
]
Prices = Annotated[
    bool,
    typer.Option(
        "--prices",
        metavar=FLAG,
        help="Decide one by one, by the prices of capacity in the model.",
        rich_help_panel=ACTIONS,
    ),
]
FitPrices = Annotated[
    str | None,
    typer.Option(
        "--fit-prices",
        metavar="FILE",
        help="Also fit prices for --prices to DATA, past rows with --capacity and --per, and write "
        "the model with them.",
        rich_help_panel=ACTIONS,
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
Increasing = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMN",
        help="A column whose greater values must never lower the probability of the positive "
        "class. May be repeated.",
        rich_help_panel=TRAINING,
    ),
]
Decreasing = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMN",
        help="A column whose greater values must never raise it. May be repeated.",
        rich_help_panel=TRAINING,
    ),
]
InteractionOption = Annotated[
    list[str] | None,
    typer.Option(
        "--interactions",
        metavar="COLUMNS",
        help="Which columns may interact: pairwise, none, or a group of them, separated by commas. "
        "A group may be repeated.",
        rich_help_panel=TRAINING,
    ),
]
Groups = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="Rows with the same value belong together, such as those of a patient: they are held "
        "out together. The column is no feature.",
        rich_help_panel=PROBLEM,
    ),
]
Sampling = Annotated[
    list[str] | None,
    typer.Option(
        metavar="LABEL=SHARE",
        help="Share of the rows of a class that DATA has kept, if others were left out: "
        "probabilities are those of all rows. May be repeated.",
        rich_help_panel=PROBLEM,
    ),
]
Prevalence = Annotated[
    list[str] | None,
    typer.Option(
        metavar="SHARE",
        help="Share of the positive class among the rows, if it is another one than in training; "
        "LABEL=SHARE, repeated, for several classes; estimate finds it in DATA.",
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
Scheduler = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="Of a Dask scheduler, whose workers read DATA: a file, a folder or a pattern such as "
        "'rows/*.parquet'.",
        rich_help_panel=CLUSTER,
    ),
]
Workers = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        min=1,
        help="Start so many Dask workers on this machine instead.",
        rich_help_panel=CLUSTER,
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
Title = Annotated[
    str | None,
    typer.Option(metavar="TEXT", help="Of the report.", rich_help_panel=WRITING),
]
RowsAre = Annotated[
    str,
    typer.Option(
        metavar="TEXT",
        help="What the rows are in the report, such as applications.",
        rich_help_panel=WRITING,
    ),
]
NegativeAction = Annotated[
    str | None,
    typer.Option(
        metavar="TEXT",
        help="What the report calls the action for rows predicted negative, such as approving.",
        rich_help_panel=WRITING,
    ),
]
PositiveAction = Annotated[
    str | None,
    typer.Option(
        metavar="TEXT",
        help="What it calls the action for rows predicted positive, such as rejecting.",
        rich_help_panel=WRITING,
    ),
]
Json = Annotated[
    bool,
    typer.Option("--json", metavar=FLAG, help="The result for programs.", rich_help_panel=WRITING),
]
