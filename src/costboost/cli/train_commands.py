"""Commands that train on a file: ``fit``, ``goal`` and ``compare``."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated, Any

import typer

from costboost.cli import options
from costboost.reading.errors import InputError

DEFAULT_ALGORITHM = "CostBoost"
COMPARED = ("CostBoost", "AdaMEC", "CGAda", "AdaBoost")


def fit(
    data: options.Data,
    target: options.Target,
    positive: options.Positive = None,
    fn_cost: options.FnCost = "1",
    fp_cost: options.FpCost = "1",
    cost_matrix: options.CostMatrix = None,
    drop: options.Drop = None,
    categorical: options.Categorical = None,
    costs_are_features: options.CostsAreFeatures = False,
    algorithm: options.Algorithm = DEFAULT_ALGORITHM,
    rounds: options.Rounds = None,
    seed: options.Seed = 0,
    jobs: options.Jobs = None,
    test: options.Test = None,
    test_size: options.TestSize = 0.25,
    refit: options.Refit = False,
    out: options.OutModel = None,
    report: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="Where an HTML report goes.", rich_help_panel=options.WRITING
        ),
    ] = None,
    unit: options.Unit = "",
    json: options.Json = False,
    encoding: options.Encoding = "utf-8",
    separator: options.Separator = "",
    decimal: options.Decimal = ".",
) -> None:
    """Train a model on a file, and measure on held-out rows what its decisions cost."""
    given = dict(locals())
    problem_options = options.ProblemOptions.from_options(
        given,
        reading=options.read_options(encoding, separator, decimal),
        multiclass_method=options.is_multiclass_name(algorithm),
    )
    options.check_columns(data, problem_options)
    from costboost.cli.training import TrainOptions, make_classifier, train

    train_options = TrainOptions.from_options(given, problem=problem_options)
    train(
        train_options,
        lambda training_data: make_classifier(
            algorithm, training_data.layout, seed=seed, jobs=jobs, rounds=rounds
        ),
    )


# ---- goal ----------------------------------------------------------------------------------------

GOALS = {
    "recall": ("recall", "at_least"),
    "precision": ("precision", "at_least"),
    "fpr": ("fpr", "at_most"),
    "budget": ("cost", "at_most"),
}
"""Option -> target and bound of `OperatingPointClassifier`."""
GOAL = "The goal (one of them)"
Recall = Annotated[
    float | None,
    typer.Option(
        metavar="SHARE",
        help="Find at least this share of the positive rows.",
        rich_help_panel=GOAL,
    ),
]
Precision = Annotated[
    float | None,
    typer.Option(
        metavar="SHARE",
        help="At least this share of the alarms must be true.",
        rich_help_panel=GOAL,
    ),
]
Fpr = Annotated[
    float | None,
    typer.Option(
        metavar="SHARE",
        help="At most this share of the negative rows may be predicted positive.",
        rich_help_panel=GOAL,
    ),
]
Budget = Annotated[
    float | None,
    typer.Option(metavar="COST", help="At most this mean cost of a row.", rich_help_panel=GOAL),
]
Margin = Annotated[
    float,
    typer.Option(
        metavar="ERRORS",
        min=0,
        help="Meet it by so many standard errors, so that it holds on new rows more often.",
    ),
]


def goal(
    data: options.Data,
    target: options.Target,
    recall: Recall = None,
    precision: Precision = None,
    fpr: Fpr = None,
    budget: Budget = None,
    margin: Margin = 0.0,
    positive: options.Positive = None,
    fn_cost: options.FnCost = "1",
    fp_cost: options.FpCost = "1",
    cost_matrix: options.CostMatrix = None,
    drop: options.Drop = None,
    categorical: options.Categorical = None,
    costs_are_features: options.CostsAreFeatures = False,
    algorithm: options.Algorithm = DEFAULT_ALGORITHM,
    rounds: options.Rounds = None,
    seed: options.Seed = 0,
    jobs: options.Jobs = None,
    test: options.Test = None,
    test_size: options.TestSize = 0.25,
    refit: options.Refit = False,
    out: options.OutModel = None,
    json: options.Json = False,
    encoding: options.Encoding = "utf-8",
    separator: options.Separator = "",
    decimal: options.Decimal = ".",
) -> None:
    """Train a model that meets a goal, such as a recall of 0.95, at least cost."""
    given = dict(locals())
    name, value = _given_goal(given, algorithm)
    problem_options = options.ProblemOptions.from_options(
        given, reading=options.read_options(encoding, separator, decimal)
    )
    options.check_columns(data, problem_options)
    from costboost.cli.training import TrainOptions, describe_goal, make_goal_classifier, train

    train_options = TrainOptions.from_options(
        given, problem=problem_options, describe=describe_goal
    )
    settings = {"seed": seed, "jobs": jobs, "rounds": rounds}
    train(
        train_options,
        lambda training_data: make_goal_classifier(
            training_data.layout, GOALS[name], value, margin, algorithm, settings
        ),
    )


def _given_goal(given: Mapping[str, Any], algorithm: str) -> tuple[str, float]:
    """The option that states the goal, and its value."""
    if options.is_multiclass_name(algorithm):
        raise InputError(f"{algorithm} has no threshold to move: a goal needs another algorithm")
    goals = [(name, given[name]) for name in GOALS if given[name] is not None]
    if len(goals) != 1:
        raise InputError("one goal is needed: --recall, --precision, --fpr or --budget")
    name, value = goals[0]
    upper = math.inf if name == "budget" else 1
    if not 0 <= value <= upper:
        expected = "at least 0" if name == "budget" else "a share from 0 to 1"
        raise InputError(f"--{name} must be {expected}, got {value:g}")
    return name, value


# ---- compare -------------------------------------------------------------------------------------


def compare(
    data: options.Data,
    target: options.Target,
    algorithm: Annotated[
        list[str] | None,
        typer.Option(
            "--algorithm",
            "-a",
            metavar="NAME",
            help=f"May be repeated. Default: {', '.join(COMPARED)}.",
            autocompletion=options.complete_algorithm,
            rich_help_panel=options.TRAINING,
        ),
    ] = None,
    folds: Annotated[int, typer.Option(min=2, help="Parts of the rows, each held out once.")] = 5,
    positive: options.Positive = None,
    fn_cost: options.FnCost = "1",
    fp_cost: options.FpCost = "1",
    cost_matrix: options.CostMatrix = None,
    drop: options.Drop = None,
    categorical: options.Categorical = None,
    costs_are_features: options.CostsAreFeatures = False,
    rounds: options.Rounds = None,
    seed: options.Seed = 0,
    jobs: options.Jobs = None,
    json: options.Json = False,
    encoding: options.Encoding = "utf-8",
    separator: options.Separator = "",
    decimal: options.Decimal = ".",
) -> None:
    """Compare algorithms on the same folds, by what their decisions cost."""
    given = dict(locals())
    names = [options.short_name(name) for name in algorithm or COMPARED]
    problem_options = options.ProblemOptions.from_options(
        given,
        reading=options.read_options(encoding, separator, decimal),
        multiclass_method=any(map(options.is_multiclass_name, names)),
    )
    options.check_columns(data, problem_options)
    from costboost.cli.comparison import compare_algorithms, show_comparison
    from costboost.cli.console import write_json
    from costboost.cli.training import read_and_note

    settings = {"seed": seed, "jobs": jobs, "rounds": rounds}
    found = compare_algorithms(read_and_note(data, problem_options), names, folds, settings)
    if json:
        write_json(found.to_dict())
    else:
        show_comparison(found)
