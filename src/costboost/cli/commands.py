"""The commands that train: fit, goal and compare."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated, Any

import typer

from costboost.cli import options, values
from costboost.cli.values import with_costs_file
from costboost.reading.errors import InputError

DEFAULT_ALGORITHM = "CostBoost"
COMPARED = ("CostBoost", "AdaMEC", "CGAda", "AdaBoost")


def fit(
    data: options.Data,
    target: options.Target,
    positive: options.Positive = None,
    fn_cost: options.FnCost = "1",
    fp_cost: options.FpCost = "1",
    tp_cost: options.TpCost = None,
    tn_cost: options.TnCost = None,
    costs: options.CostsFile = None,
    cost_matrix: options.CostMatrix = None,
    actions: options.Actions = None,
    reviewer: options.Reviewer = None,
    drop: options.Drop = None,
    categorical: options.Categorical = None,
    costs_are_features: options.CostsAreFeatures = False,
    groups: options.Groups = None,
    sampling: options.Sampling = None,
    algorithm: options.Algorithm = DEFAULT_ALGORITHM,
    rounds: options.Rounds = None,
    clip_costs: options.ClipCosts = None,
    increasing: options.Increasing = None,
    decreasing: options.Decreasing = None,
    interactions: options.InteractionOption = None,
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
    title: options.Title = None,
    unit: options.Unit = "",
    rows_are: options.RowsAre = "rows",
    negative_action: options.NegativeAction = None,
    positive_action: options.PositiveAction = None,
    json: options.Json = False,
    encoding: options.Encoding = "utf-8",
    separator: options.Separator = "",
    decimal: options.Decimal = ".",
    scheduler: options.Scheduler = None,
    workers: options.Workers = None,
) -> None:
    """Train a model on a file, and measure on held-out rows what its decisions cost.

    With --actions, the model that is written chooses the action of least expected cost. With
    --scheduler or --workers the rows stay on the workers of a Dask cluster; the model is the one
    that one machine trains on the same rows.
    """
    given = with_costs_file(locals())
    problem_options = values.ProblemOptions.from_options(
        given,
        reading=values.read_options(encoding, separator, decimal),
        multiclass_method=values.is_multiclass_name(algorithm),
    )
    on_cluster = scheduler is not None or workers is not None
    if not on_cluster:
        values.check_columns(data, problem_options)
    elif report is not None:
        raise InputError(
            "--report needs its rows in memory: leave it out on a cluster, and take costboost "
            "report MODEL FILE with a file of rows that the model has not seen"
        )
    elif actions is not None:
        raise InputError(
            "--actions needs its rows in memory: leave it out on a cluster, and take costboost "
            "predict MODEL FILE --actions FILE"
        )
    from costboost.cli.actions import ActionOptions
    from costboost.cli.classifiers import make_classifier
    from costboost.cli.evaluation import ReportOptions
    from costboost.cli.training import TrainOptions, train
    from costboost.reading.partitions import open_client

    with open_client(scheduler, workers) as client:
        train(
            TrainOptions.from_options(
                given | {"actions": ActionOptions.from_options(given)},
                page=ReportOptions.from_options(given),
                problem=problem_options,
                client=client,
            ),
            lambda training_data: make_classifier(
                algorithm,
                training_data.layout,
                seed=seed,
                jobs=jobs,
                rounds=rounds,
                clip_costs=clip_costs,
                constrained=problem_options,
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


def _share(text: str) -> Any:
    """An option for a goal that is a share of rows."""
    return typer.Option(metavar="SHARE", help=text, rich_help_panel=GOAL)


Recall = Annotated[float | None, _share("Find at least this share of the positive rows.")]
Precision = Annotated[float | None, _share("At least this share of the alarms must be true.")]
Fpr = Annotated[
    float | None, _share("At most this share of the negative rows may be predicted positive.")
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
Guarantee = Annotated[
    float | None,
    typer.Option(
        metavar="CONFIDENCE",
        help="Confidence, such as 0.95, with which it must hold on new rows of the same kind. A "
        "third of the training rows is held out for it.",
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
    guarantee: Guarantee = None,
    positive: options.Positive = None,
    fn_cost: options.FnCost = "1",
    fp_cost: options.FpCost = "1",
    tp_cost: options.TpCost = None,
    tn_cost: options.TnCost = None,
    costs: options.CostsFile = None,
    cost_matrix: options.CostMatrix = None,
    drop: options.Drop = None,
    categorical: options.Categorical = None,
    costs_are_features: options.CostsAreFeatures = False,
    groups: options.Groups = None,
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
    given = with_costs_file(locals())
    name, value = _given_goal(given, algorithm)
    problem_options = values.ProblemOptions.from_options(
        given, reading=values.read_options(encoding, separator, decimal)
    )
    values.check_columns(data, problem_options)
    from costboost.cli.classifiers import make_goal_classifier
    from costboost.cli.evaluation import describe_goal
    from costboost.cli.training import TrainOptions, train

    train_options = TrainOptions.from_options(
        given, problem=problem_options, describe=describe_goal
    )
    settings = {"seed": seed, "jobs": jobs, "rounds": rounds}
    surety = {"margin": margin, "guarantee": guarantee}
    train(
        train_options,
        lambda training_data: make_goal_classifier(
            training_data.layout, (GOALS[name], value), surety, algorithm, settings
        ),
    )


def _given_goal(given: Mapping[str, Any], algorithm: str) -> tuple[str, float]:
    """The option that states the goal, and its value."""
    if values.is_multiclass_name(algorithm):
        raise InputError(f"{algorithm} has no threshold to move: a goal needs another algorithm")
    goals = [(name, given[name]) for name in GOALS if given[name] is not None]
    if len(goals) != 1:
        raise InputError("one goal is needed: --recall, --precision, --fpr or --budget")
    name, value = goals[0]
    upper = math.inf if name == "budget" else 1
    if not 0 <= value <= upper:
        expected = "at least 0" if name == "budget" else "a share from 0 to 1"
        raise InputError(f"--{name} must be {expected}, got {value:g}")
    guarantee = given["guarantee"]
    if guarantee is not None and not 0 < guarantee < 1:
        raise InputError(
            f"--guarantee must be a confidence between 0 and 1, such as 0.95, got {guarantee:g}"
        )
    if guarantee is not None and given["margin"]:
        raise InputError("--margin and --guarantee both make a goal hold on new rows: take one")
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
            autocompletion=values.complete_algorithm,
            rich_help_panel=options.TRAINING,
        ),
    ] = None,
    folds: Annotated[int, typer.Option(min=2, help="Parts of the rows, each held out once.")] = 5,
    baselines: Annotated[
        bool,
        typer.Option(
            help="Also predict one class for all rows, by a logistic regression and, if it is "
            "installed, by LightGBM."
        ),
    ] = True,
    positive: options.Positive = None,
    fn_cost: options.FnCost = "1",
    fp_cost: options.FpCost = "1",
    tp_cost: options.TpCost = None,
    tn_cost: options.TnCost = None,
    costs: options.CostsFile = None,
    cost_matrix: options.CostMatrix = None,
    drop: options.Drop = None,
    categorical: options.Categorical = None,
    costs_are_features: options.CostsAreFeatures = False,
    groups: options.Groups = None,
    rounds: options.Rounds = None,
    seed: options.Seed = 0,
    jobs: options.Jobs = None,
    json: options.Json = False,
    encoding: options.Encoding = "utf-8",
    separator: options.Separator = "",
    decimal: options.Decimal = ".",
) -> None:
    """Compare algorithms on the same folds, by what their decisions cost."""
    given = with_costs_file(locals())
    compared = [values.short_name(name) for name in algorithm or COMPARED]
    problem_options = values.ProblemOptions.from_options(
        given,
        reading=values.read_options(encoding, separator, decimal),
        multiclass_method=any(map(values.is_multiclass_name, compared)),
    )
    values.check_columns(data, problem_options)
    from costboost.cli.classifiers import compare_algorithms, show_comparison
    from costboost.cli.console import write_json
    from costboost.cli.training import read_and_note

    settings = {"seed": seed, "jobs": jobs, "rounds": rounds}
    read = read_and_note(data, problem_options)
    found = compare_algorithms(read, compared, folds, settings, baselines)
    if json:
        write_json(found.to_dict())
    else:
        show_comparison(found)
