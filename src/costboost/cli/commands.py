"""The commands that take a file: fit, goal, compare, predict, monitor, explain and report."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial
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
    scheduler: options.Scheduler = None,
    workers: options.Workers = None,
) -> None:
    """Train a model on a file, and measure on held-out rows what its decisions cost.

    With --actions, the model that is written chooses the action of least expected cost. With
    --scheduler or --workers the rows stay on the workers of a Dask cluster; the model is the one
    that one machine trains on the same rows.
    """
    given = options.with_costs_file(locals())
    problem_options = options.ProblemOptions.from_options(
        given,
        reading=options.read_options(encoding, separator, decimal),
        multiclass_method=options.is_multiclass_name(algorithm),
    )
    on_cluster = scheduler is not None or workers is not None
    if not on_cluster:
        options.check_columns(data, problem_options)
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
    from costboost.cli.training import TrainOptions, make_classifier, train
    from costboost.reading.partitions import open_client

    with open_client(scheduler, workers) as client:
        train(
            TrainOptions.from_options(
                given | {"actions": ActionOptions.from_options(given)},
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
    given = options.with_costs_file(locals())
    name, value = _given_goal(given, algorithm)
    problem_options = options.ProblemOptions.from_options(
        given, reading=options.read_options(encoding, separator, decimal)
    )
    options.check_columns(data, problem_options)
    from costboost.cli.evaluation import describe_goal
    from costboost.cli.training import TrainOptions, make_goal_classifier, train

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
            autocompletion=options.complete_algorithm,
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
    given = options.with_costs_file(locals())
    names = [options.short_name(name) for name in algorithm or COMPARED]
    problem_options = options.ProblemOptions.from_options(
        given,
        reading=options.read_options(encoding, separator, decimal),
        multiclass_method=any(map(options.is_multiclass_name, names)),
    )
    options.check_columns(data, problem_options)
    from costboost.cli.comparing import compare_algorithms, show_comparison
    from costboost.cli.console import write_json
    from costboost.cli.training import read_and_note

    settings = {"seed": seed, "jobs": jobs, "rounds": rounds}
    read = read_and_note(data, problem_options)
    found = compare_algorithms(read, names, folds, settings, baselines)
    if json:
        write_json(found.to_dict())
    else:
        show_comparison(found)


# ---- predict, explain and report: commands that take a model file --------------------------------


def predict(
    model: options.Model,
    data: options.Data,
    out: Annotated[
        str | None,
        typer.Option("--out", "-o", metavar="FILE", help="Instead of standard output."),
    ] = None,
    keep: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN", help="A column of DATA to repeat, such as an id. May be repeated."
        ),
    ] = None,
    fn_cost: options.OtherFnCost = None,
    fp_cost: options.OtherFpCost = None,
    tp_cost: options.OtherTpCost = None,
    tn_cost: options.OtherTnCost = None,
    costs: options.OtherCostsFile = None,
    cost_matrix: options.OtherCostMatrix = None,
    actions: options.Actions = None,
    reviewer: options.Reviewer = None,
    capacity: options.Capacity = None,
    per: options.Per = None,
    prices: options.Prices = False,
    prevalence: options.Prevalence = None,
    json: Annotated[
        bool, typer.Option("--json", metavar=options.FLAG, help="JSON lines instead of CSV.")
    ] = False,
    safe_csv: Annotated[
        bool,
        typer.Option(
            "--safe-csv",
            metavar=options.FLAG,
            help="Put an apostrophe before repeated text and labels that a spreadsheet would take "
            "for a formula.",
        ),
    ] = False,
    encoding: options.Encoding = "utf-8",
    separator: options.Separator = "",
    decimal: options.Decimal = ".",
    scheduler: options.Scheduler = None,
    workers: options.Workers = None,
) -> None:
    """Write label, probability of the positive class and expected cost of every row, as CSV.

    With more than two classes there is a probability of each. With --actions, or if the model has
    actions, the action of least expected cost is written instead of the label. Rows are read and
    written in portions, so that files may be larger than memory. The workers of a Dask cluster
    (--scheduler, --workers) predict many files or row groups at a time, and write the same lines.
    """
    given = options.with_costs_file(locals())
    on_cluster = scheduler is not None or workers is not None
    options.check_files(model, None if on_cluster else data)
    from costboost.cli.actions import ActionOptions, make_predictor
    from costboost.cli.costs import CostOptions
    from costboost.cli.layouts import load_model
    from costboost.cli.output import check_distinct
    from costboost.cli.predictions import PredictionWriter, write_predictions
    from costboost.reading.columns import select_names
    from costboost.reading.partitions import open_client, open_rows

    if safe_csv and json:
        raise InputError("--safe-csv is for CSV: leave it out, or --json")
    check_distinct(None if out == "-" else out, model, data, given.get("cost_matrix"), actions)
    fitted, layout = load_model(model)
    changed = CostOptions.from_options(given).apply(fitted, layout)
    if prevalence:
        fitted = _at_prevalence(fitted, layout, prevalence, data, given, on_cluster)
    acting = make_predictor(ActionOptions.from_options(given), fitted, layout, changed, on_cluster)
    reading = options.read_options(encoding, separator, decimal)
    with open_client(scheduler, workers) as client, open_rows(data, reading, client) as source:
        kept = select_names(keep or (), source.names, source.name)
        writer = PredictionWriter(fitted, changed, kept, json, changed != layout, safe_csv, acting)
        write_predictions(writer, source, out)
    writer.unseen.print_notes()
    if acting is not None:
        acting.print_notes()


def _at_prevalence(
    fitted: Any,
    layout: Any,
    prevalence: list[str],
    data: str,
    given: Mapping[str, Any],
    on_cluster: bool,
) -> Any:
    """The model for another prevalence than that of training."""
    from costboost.cli.monitoring import model_at_prevalence

    if on_cluster and prevalence == ["estimate"]:
        raise InputError("--prevalence estimate reads DATA here: leave out the cluster")
    reading = options.read_options(*(given[name] for name in ("encoding", "separator", "decimal")))
    try:
        return model_at_prevalence(fitted, layout, prevalence, data, reading)
    except ValueError as error:
        raise InputError(f"--prevalence: {error}") from error


# ---- monitor -------------------------------------------------------------------------------------

ALARM = 3
"""Exit code if the expected loss exceeds --alarm."""


def monitor(
    model: options.Model,
    data: Annotated[str, typer.Argument(metavar="NEW", help="New rows, as DATA of predict.")],
    labels: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="The classes, if they are known. Rows may lack them."),
    ] = None,
    alarm: Annotated[
        float | None,
        typer.Option(
            metavar="MONEY",
            min=0,
            help="The exit code is 3 if deciding as before is expected to lose more, on all rows "
            "together.",
        ),
    ] = None,
    fn_cost: options.OtherFnCost = None,
    fp_cost: options.OtherFpCost = None,
    tp_cost: options.OtherTpCost = None,
    tn_cost: options.OtherTnCost = None,
    costs: options.OtherCostsFile = None,
    report: Annotated[
        str | None, typer.Option(metavar="FILE", help="Where an HTML page goes.")
    ] = None,
    unit: options.Unit = "",
    json: options.Json = False,
    encoding: options.Encoding = "utf-8",
    separator: options.Separator = "",
    decimal: options.Decimal = ".",
) -> None:
    """Compare what a model costs on new rows with what was expected, with or without labels.

    Without labels: expected cost and savings, the prevalence, and features that have changed
    against the held-out rows of costboost fit. With labels: realised cost and calibration. Rows are
    read in portions, twice, so that files may be larger than memory.
    """
    given = options.with_costs_file(locals())
    options.check_files(model, data)
    from costboost.cli.costs import CostOptions
    from costboost.cli.layouts import load_model
    from costboost.cli.monitoring import monitor_file, show
    from costboost.cli.output import check_writable

    check_writable(report, model, data)
    fitted, layout = load_model(model)
    layout = CostOptions.from_options(given).apply(fitted, layout)
    reading = options.read_options(encoding, separator, decimal)
    found = monitor_file(fitted, layout, data, labels, reading, alarm, unit)
    show(found, report, json, f"Monitoring of {model}")
    if found.alarmed:
        raise typer.Exit(ALARM)


def explain(
    model: options.Model,
    data: Annotated[
        str | None,
        typer.Argument(
            metavar="[DATA]",
            help="Rows to explain: how far features move their scores. With --feature, rows over "
            "which the effect of a feature in trees is averaged.",
        ),
    ] = None,
    feature: Annotated[
        str | None,
        typer.Option("--feature", "-f", metavar="COLUMN", help="What this one adds to the score."),
    ] = None,
    row: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Explain this row of DATA; the first is 1."),
    ] = None,
    label: Annotated[
        str | None,
        typer.Option(
            "--class",
            metavar="LABEL",
            help="Of more than two classes, the one whose score is explained. Default: all, or "
            "that which a row is given.",
        ),
    ] = None,
    top: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Features shown. Default: 15, with --json all."),
    ] = None,
    json: options.Json = False,
    encoding: options.Encoding = "utf-8",
    separator: options.Separator = "",
    decimal: options.Decimal = ".",
) -> None:
    """Show what a model looks at, and what each feature adds to its score."""
    options.check_files(model, data)
    from costboost.cli import explanations as shown
    from costboost.cli.layouts import load_classifier
    from costboost.cli.problems import print_unseen, read_features

    reading = options.read_options(encoding, separator, decimal)
    fitted, layout = load_classifier(model)
    if data is None and row is not None:
        raise InputError("--row is a row of DATA: costboost explain MODEL DATA --row N")
    if row is not None and feature is not None:
        raise InputError("--feature is about a feature, --row about a row: leave one of them out")
    classes = shown.explained_classes(fitted, layout, label)
    if feature is not None:
        read = partial(read_features, data, layout, reading) if data is not None else None
        shown.explain_feature(layout, classes, feature, read, json)
    elif data is None:
        shown.explain_model(fitted, layout, classes, top, json)
    else:
        X = read_features(data, layout, reading)
        print_unseen(fitted, layout, X)
        if row is None:
            shown.explain_rows(layout, classes, X, top, json)
        else:
            shown.explain_row(fitted, layout, classes, X, row, top, json)


def report(
    model: options.Model,
    data: options.Data,
    out: Annotated[
        str, typer.Option("--out", "-o", metavar="FILE", help="Where the HTML page goes.")
    ] = "report.html",
    target: Annotated[
        str | None,
        typer.Option(
            "--target", "-t", metavar="COLUMN", help="The classes. Default: as in training."
        ),
    ] = None,
    fn_cost: options.OtherFnCost = None,
    fp_cost: options.OtherFpCost = None,
    tp_cost: options.OtherTpCost = None,
    tn_cost: options.OtherTnCost = None,
    costs: options.OtherCostsFile = None,
    cost_matrix: options.OtherCostMatrix = None,
    title: Annotated[str | None, typer.Option(metavar="TEXT", help="Of the page.")] = None,
    unit: options.Unit = "",
    rows_are: Annotated[
        str, typer.Option(metavar="TEXT", help="What the rows are, such as applications.")
    ] = "rows",
    negative_action: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT", help="What is done with rows predicted negative, such as approving."
        ),
    ] = None,
    positive_action: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT", help="What is done with rows predicted positive, such as rejecting."
        ),
    ] = None,
    seed: options.Seed = 0,
    encoding: options.Encoding = "utf-8",
    separator: options.Separator = "",
    decimal: options.Decimal = ".",
) -> None:
    """Write an HTML report on a model and labelled rows that it has not seen."""
    given = options.with_costs_file(locals())
    options.check_files(model, data)
    from costboost.cli import console
    from costboost.cli.costs import CostOptions
    from costboost.cli.layouts import load_classifier
    from costboost.cli.output import check_writable
    from costboost.cli.problems import print_unseen, read_rows
    from costboost.report import page

    check_writable(out, model, data, given.get("cost_matrix"))
    fitted, layout = load_classifier(model)
    layout = CostOptions.from_options(given).apply(fitted, layout.with_target(target, model))
    rows = read_rows(data, layout, options.read_options(encoding, separator, decimal))
    with console.collected_notes() as notes:
        print_unseen(fitted, layout, rows.X)
    with console.spinner("writing the report"):
        made = page.make(
            fitted,
            rows.X,
            rows.y,
            **layout.cost_parameters(rows.costs),
            title=title,
            unit=unit,
            rows_are=rows_are,
            negative_action=negative_action,
            positive_action=positive_action,
            provenance={"data": data, "target": layout.target, "model file": model},
            notes=notes,
            random_state=seed,
        )
        path = made.write(out)
    console.cautions(made.cautions, printed=notes)
    console.info(f"report: {path}")
