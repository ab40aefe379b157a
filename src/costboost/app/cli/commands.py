"""The command line: the application with its exit codes, and each command with its options."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Mapping
from functools import partial
from importlib.metadata import entry_points
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from costboost import __version__
from costboost.app.cli import options, output
from costboost.app.cli.catalogue import algorithms
from costboost.app.cli.options import flag, option, set_max_memory, with_costs_file
from costboost.app.cli.output import EXPECTED, message_of
from costboost.app.reading.errors import InputError, one_line
from costboost.app.reading.sources import ReadOptions

# ---- the application -----------------------------------------------------------------------------

MISTAKE, DEFECT, INTERRUPTED, PIPE_CLOSED = 1, 70, 130, 141
"""Exit codes, besides those of wrong options and of an alarm."""
USAGE: type[Exception] = typer.BadParameter.__mro__[2]
"""Typer's error for wrong options, which it prints by itself."""
DEBUG = "COSTBOOST_TRACEBACK"
"""Environment variable that makes errors show a traceback."""


LAB = ("study", "datasets", "audit")
"""Commands of costboost-lab."""


class Commands(TyperGroup):
    """Runs a command; errors that the user can correct end in one line, not in a traceback.

    Other distributions add commands by entry points, which are read for a command that is not one
    of ours, and for the list of all.
    """

    def list_commands(self, ctx: Any) -> list[str]:
        added = entry_points(group="costboost.commands").names
        return [*super().list_commands(ctx), *sorted(added - self.commands.keys())]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name in self.commands:
            return super().get_command(ctx, cmd_name)
        for entry in entry_points(group="costboost.commands", name=cmd_name):
            alone = typer.Typer(add_completion=False)
            alone.command(cmd_name)(entry.load())
            return typer.main.get_command(alone)
        if cmd_name in LAB and not ctx.resilient_parsing:
            ctx.fail(f"{cmd_name} is a command of costboost-lab: pip install costboost-lab")
        return None

    def invoke(self, ctx: Any) -> Any:
        try:
            with output.warnings_as_notes():
                return super().invoke(ctx)
        except KeyboardInterrupt:
            output.error("interrupted; no file is left half-written")
            raise typer.Exit(INTERRUPTED) from None
        except BrokenPipeError:  # the reader has stopped; print nothing, also at exit
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(PIPE_CLOSED) from None
        except EXPECTED as error:
            if os.environ.get(DEBUG):
                raise
            output.error(message_of(error))
            raise typer.Exit(MISTAKE) from None
        except (typer.Exit, typer.Abort, USAGE):
            raise
        except Exception as error:
            if os.environ.get(DEBUG):
                raise
            output.error(
                f"this is a defect of costboost, {type(error).__name__}: {one_line(error)}; with "
                f"{DEBUG}=1 in the environment it shows where"
            )
            raise typer.Exit(DEFECT) from None


def _print_version(requested: bool) -> None:
    if requested:
        sys.stdout.write(f"costboost {__version__}\n")
        raise typer.Exit


app = typer.Typer(
    name="costboost",
    cls=Commands,
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


@app.callback()
def costboost(
    version: Annotated[
        bool, flag("Show the version.", "--version", callback=_print_version, is_eager=True)
    ] = False,
    max_memory: Annotated[
        str,
        option(
            "SIZE",
            "Memory that reading a packed or binary file may take, such as 8G; comes before the "
            "command.",
            "--max-memory",
            envvar="COSTBOOST_MAX_MEMORY",
        ),
    ] = str(ReadOptions.max_memory),
) -> None:
    """Cost-sensitive boosting: models that make mistakes cheap instead of few.

    Results go to standard output, all else to standard error. The exit code is 0 if all went
    well, 1 for a mistake that a message names, 2 for wrong options, 3 for an alarm of monitor, 4
    if changed features leave unknown whether there is one, 130 after Ctrl-C.
    """
    set_max_memory(max_memory)


# ---- fit -----------------------------------------------------------------------------------------

DEFAULT_ALGORITHM = "CostBoost"


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
        str | None, option("FILE", "Where an HTML report goes.", panel=options.WRITING)
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
    from costboost.app.cli.actions import ActionOptions
    from costboost.app.cli.evaluation import ReportOptions
    from costboost.app.cli.training import TrainOptions, make_classifier, train
    from costboost.app.reading.partitions import open_client

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
    return option("SHARE", text, panel=GOAL)


Recall = Annotated[float | None, _share("Find at least this share of the positive rows.")]
Precision = Annotated[float | None, _share("At least this share of the alarms must be true.")]
Fpr = Annotated[
    float | None, _share("At most this share of the negative rows may be predicted positive.")
]
Budget = Annotated[float | None, option("COST", "At most this mean cost of a row.", panel=GOAL)]
Margin = Annotated[
    float,
    option(
        "ERRORS",
        "Meet it by so many standard errors, so that it holds on new rows more often.",
        min=0,
    ),
]
Guarantee = Annotated[
    float | None,
    option(
        "CONFIDENCE",
        "Confidence, such as 0.95, with which it must hold on new rows of the same kind. A "
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
    problem_options = options.ProblemOptions.from_options(
        given, reading=options.read_options(encoding, separator, decimal)
    )
    options.check_columns(data, problem_options)
    from costboost.app.cli.evaluation import describe_goal
    from costboost.app.cli.training import TrainOptions, make_goal_classifier, train

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

COMPARED = ("CostBoost", "AdaMEC", "CGAda", "AdaBoost")
"""Algorithms that are compared if none are named."""


def compare(
    data: options.Data,
    target: options.Target,
    algorithm: Annotated[
        list[str] | None,
        option(
            "NAME",
            f"May be repeated. Default: {', '.join(COMPARED)}.",
            "--algorithm",
            "-a",
            autocompletion=options.complete_algorithm,
            panel=options.TRAINING,
        ),
    ] = None,
    folds: Annotated[int, typer.Option(min=2, help="Parts of the rows, each held out once.")] = 5,
    baselines: Annotated[
        bool,
        typer.Option(
            help="Also decide without a model (one class for all rows; by costs of rows and class "
            "shares), by a logistic regression and, if it is installed, by LightGBM."
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
    compared = [options.short_name(name) for name in algorithm or COMPARED]
    problem_options = options.ProblemOptions.from_options(
        given,
        reading=options.read_options(encoding, separator, decimal),
        multiclass_method=any(map(options.is_multiclass_name, compared)),
    )
    options.check_columns(data, problem_options)
    from costboost.app.cli.training import compare_algorithms, read_and_note, show_comparison

    settings = {"seed": seed, "jobs": jobs, "rounds": rounds}
    read = read_and_note(data, problem_options)
    found = compare_algorithms(read, compared, folds, settings, baselines)
    if json:
        output.write_json(found.to_dict())
    else:
        show_comparison(found)


# ---- predict -------------------------------------------------------------------------------------


def predict(
    model: options.Model,
    data: options.Data,
    out: Annotated[str | None, option("FILE", "Instead of standard output.", "--out", "-o")] = None,
    keep: Annotated[
        list[str] | None,
        option("COLUMN", "A column of DATA to repeat, such as an id. May be repeated."),
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
    fit_prices: options.FitPrices = None,
    prevalence: options.Prevalence = None,
    json: Annotated[bool, flag("JSON lines instead of CSV.", "--json")] = False,
    safe_csv: Annotated[
        bool,
        flag(
            "Put an apostrophe before repeated text and labels that a spreadsheet would take "
            "for a formula.",
            "--safe-csv",
        ),
    ] = False,
    max_rows: Annotated[
        int,
        option(
            "ROWS",
            "Rows that are predicted at most, of a packed or binary file.",
            min=1,
        ),
    ] = options.MOST_ROWS,
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
    given = with_costs_file(locals())
    on_cluster = scheduler is not None or workers is not None
    options.check_files(model, None if on_cluster else data)
    from costboost.app.cli.actions import ActionOptions, make_predictor
    from costboost.app.cli.layouts import CostOptions, load_model
    from costboost.app.cli.predictions import (
        PredictionWriter,
        model_at_prevalence,
        write_predictions,
    )
    from costboost.app.reading.columns import select_names
    from costboost.app.reading.partitions import open_client, open_rows

    if safe_csv and json:
        raise InputError("--safe-csv is for CSV: leave it out, or --json")
    inputs = model, data, given.get("cost_matrix"), actions
    output.check_distinct(None if out == "-" else out, *inputs)
    output.check_writable(fit_prices, *inputs, out)
    fitted, layout = load_model(model)
    changed = CostOptions.from_options(given).apply(fitted, layout)
    reading = options.read_options(encoding, separator, decimal)
    if prevalence:
        fitted = model_at_prevalence(fitted, layout, prevalence, data, reading, on_cluster)
    acting = make_predictor(ActionOptions.from_options(given), fitted, layout, changed, on_cluster)
    with open_client(scheduler, workers) as client, open_rows(data, reading, client) as source:
        kept = select_names(keep or (), source.names, source.name)
        writer = PredictionWriter(
            fitted, changed, kept, json, changed != layout, safe_csv, acting, max_rows
        )
        write_predictions(writer, source, out)
    writer.unseen.print_notes()
    if acting is not None:
        acting.finish()


# ---- monitor -------------------------------------------------------------------------------------

ALARM, UNKNOWN = 3, 4
"""Exit codes if the expected loss exceeds --alarm, and if changed features leave that unknown."""


def monitor(
    model: options.Model,
    data: Annotated[str, typer.Argument(metavar="NEW", help="New rows, as DATA of predict.")],
    labels: Annotated[
        str | None, option("COLUMN", "The classes, if they are known. Rows may lack them.")
    ] = None,
    alarm: Annotated[
        float | None,
        option(
            "MONEY",
            "The exit code is 3 if a change is beyond chance and deciding as before is "
            "expected to lose more, on all rows together, and 4 if that cannot be known, since "
            "features have changed in a way that no prevalence explains.",
            min=0,
        ),
    ] = None,
    fn_cost: options.OtherFnCost = None,
    fp_cost: options.OtherFpCost = None,
    tp_cost: options.OtherTpCost = None,
    tn_cost: options.OtherTnCost = None,
    costs: options.OtherCostsFile = None,
    report: Annotated[str | None, option("FILE", "Where an HTML page goes.")] = None,
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
    given = with_costs_file(locals())
    options.check_files(model, data)
    from costboost.app.cli.actions import refuse_other_costs
    from costboost.app.cli.layouts import CostOptions, load_model
    from costboost.app.cli.predictions import monitor_file, show_monitoring

    output.check_writable(report, model, data)
    fitted, known = load_model(model)
    layout = CostOptions.from_options(given).apply(fitted, known)
    refuse_other_costs(fitted, known, layout)
    reading = options.read_options(encoding, separator, decimal)
    found = monitor_file(fitted, layout, data, labels, reading, alarm, unit)
    show_monitoring(found, report, json, f"Monitoring of {model}", data)
    if found.alarmed:
        raise typer.Exit(ALARM)
    if found.vetoed and alarm is not None:
        raise typer.Exit(UNKNOWN)


# ---- explain -------------------------------------------------------------------------------------


def explain(
    model: options.Model,
    data: Annotated[
        str | None,
        typer.Argument(
            metavar="[DATA]",
            help="Rows to explain: how far features move the log-odds that decide, or the scores. "
            "With --feature, rows over which the effect of a feature in trees is averaged.",
        ),
    ] = None,
    feature: Annotated[
        str | None, option("COLUMN", "What this one adds, value by value.", "--feature", "-f")
    ] = None,
    row: Annotated[
        int | None, option("N", "Explain this row of DATA; the first is 1.", min=1)
    ] = None,
    label: Annotated[
        str | None,
        option(
            "LABEL",
            "Of more than two classes, the one that is explained. Default: all, or "
            "that which a row is given.",
            "--class",
        ),
    ] = None,
    top: Annotated[
        int | None, option("N", "Features shown. Default: 15, with --json all.", min=1)
    ] = None,
    fn_cost: options.OtherFnCost = None,
    fp_cost: options.OtherFpCost = None,
    tp_cost: options.OtherTpCost = None,
    tn_cost: options.OtherTnCost = None,
    costs: options.OtherCostsFile = None,
    json: options.Json = False,
    encoding: options.Encoding = "utf-8",
    separator: options.Separator = "",
    decimal: options.Decimal = ".",
) -> None:
    """Show what a model looks at, and what each feature adds to what decides on a row."""
    given = with_costs_file(locals())
    options.check_files(model, data)
    from costboost.app.cli import explanations as shown
    from costboost.app.cli.actions import refuse_other_costs
    from costboost.app.cli.layouts import CostOptions, load_model, without_actions
    from costboost.app.cli.problems import print_unseen, read_features, read_features_and_costs

    reading = options.read_options(encoding, separator, decimal)
    acting, known = load_model(model)
    fitted = without_actions(acting)
    layout = CostOptions.from_options(given).apply(fitted, known)
    refuse_other_costs(acting, known, layout)
    if data is None and row is not None:
        raise InputError("--row is a row of DATA: costboost explain MODEL DATA --row N")
    if row is not None and feature is not None:
        raise InputError("--feature is about a feature, --row about a row: leave one of them out")
    classes = shown.explained_classes(fitted, layout, label)
    if feature is not None:
        read = partial(read_features, data, layout, reading) if data is not None else None
        shown.explain_feature(layout, classes, feature, read, json)
        return
    if data is None:
        shown.explain_model(fitted, layout, classes, top, json)
        return
    X, costs_of = read_features_and_costs(data, layout, reading)
    print_unseen(fitted, layout, X)
    if row is None:
        shown.explain_rows(fitted, layout, classes, X, top, json)
        return
    shown.check_row(row, X)
    own = shown.costs_of_row(
        fitted, acting is fitted, layout, layout != known, partial(costs_of, row)
    )
    shown.explain_row(fitted, layout, classes, X, row, own, top, json)


# ---- export --------------------------------------------------------------------------------------


def export(
    model: options.Model,
    out: Annotated[str, option("FILE", "The ONNX file, such as model.onnx.", "--out", "-o")],
    dtype: Annotated[
        str,
        option(
            "TYPE",
            "Type of the numbers among the inputs: float64 or float32. Tests and decisions "
            "are those of predict on the same numbers.",
        ),
    ] = "float64",
    inputs: Annotated[
        str,
        option(
            "LAYOUT",
            "matrix: one input of all columns, categories as codes. columns: an input for "
            "each. auto: columns if there are categories.",
        ),
    ] = "auto",
    fixed_costs: Annotated[
        bool, flag("Decide by the costs of the model; otherwise costs are inputs.", "--fixed-costs")
    ] = False,
) -> None:
    """Write a model for other programs, as ONNX: scores, probabilities and decisions.

    Costs are inputs, for all rows or for each; those that are not given are the costs of the
    model. Needs costboost[onnx].
    """
    options.check_files(model, None)
    from costboost.app.cli.layouts import without_actions
    from costboost.export import to_onnx
    from costboost.io import load

    output.check_writable(out, model)
    try:
        fitted = without_actions(load(model))
        made = to_onnx(fitted, out, inputs=inputs, dtype=dtype, costs=not fixed_costs)
    except (ModuleNotFoundError, ValueError) as error:
        raise InputError(str(error)) from error
    given = {one.name for one in made.graph.initializer}
    names = [one.name for one in made.graph.input]
    output.info(f"inputs: {', '.join(name for name in names if name not in given)}")
    if given & set(names):
        output.info(f"costs: {', '.join(name for name in names if name in given)}")
    output.info(f"outputs: {', '.join(one.name for one in made.graph.output)}")
    output.info(f"model: {out}")


# ---- report --------------------------------------------------------------------------------------


def report(
    model: options.Model,
    data: options.Data,
    out: Annotated[str, option("FILE", "Where the HTML page goes.", "--out", "-o")] = "report.html",
    target: Annotated[
        str | None, option("COLUMN", "The classes. Default: as in training.", "--target", "-t")
    ] = None,
    fn_cost: options.OtherFnCost = None,
    fp_cost: options.OtherFpCost = None,
    tp_cost: options.OtherTpCost = None,
    tn_cost: options.OtherTnCost = None,
    costs: options.OtherCostsFile = None,
    cost_matrix: options.OtherCostMatrix = None,
    title: options.Title = None,
    unit: options.Unit = "",
    rows_are: options.RowsAre = "rows",
    negative_action: options.NegativeAction = None,
    positive_action: options.PositiveAction = None,
    seed: options.Seed = 0,
    encoding: options.Encoding = "utf-8",
    separator: options.Separator = "",
    decimal: options.Decimal = ".",
) -> None:
    """Write an HTML report on a model and labelled rows that it has not seen."""
    given = with_costs_file(locals())
    options.check_files(model, data)
    from costboost.app.cli.evaluation import ReportOptions
    from costboost.app.cli.layouts import CostOptions, load_model, without_actions
    from costboost.app.cli.problems import print_unseen, read_rows

    output.check_writable(out, model, data, given.get("cost_matrix"))
    fitted, layout = load_model(model)
    inner = without_actions(fitted)
    layout = CostOptions.from_options(given).apply(inner, layout.with_target(target, model))
    rows = read_rows(data, layout, options.read_options(encoding, separator, decimal))
    with output.collected_notes() as notes:
        print_unseen(inner, layout, rows.X)
    with output.spinner("writing the report"):
        made = ReportOptions.from_options(given).make(
            fitted,
            rows,
            layout,
            provenance={"data": data, "target": layout.target, "model file": model},
            notes=notes,
        )
        path = made.write(out)
    output.cautions(made.cautions, printed=notes)
    output.info(f"report: {path}")


# ---- the commands in the order of the help -------------------------------------------------------

for command in (
    fit, predict, compare, goal, monitor, explain, export, report, algorithms,
):  # fmt: skip
    app.command()(command)
