"""The commands that take a model file: predict, monitor, explain, export and report."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Annotated, Any

import typer

from costboost.cli import options, values
from costboost.cli.values import with_costs_file
from costboost.reading.errors import InputError


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
    fit_prices: options.FitPrices = None,
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
    given = with_costs_file(locals())
    on_cluster = scheduler is not None or workers is not None
    values.check_files(model, None if on_cluster else data)
    from costboost.cli.actions import ActionOptions, make_predictor
    from costboost.cli.costs import CostOptions
    from costboost.cli.layouts import load_model
    from costboost.cli.output import check_distinct, check_writable
    from costboost.cli.predictions import PredictionWriter, write_predictions
    from costboost.reading.columns import select_names
    from costboost.reading.partitions import open_client, open_rows

    if safe_csv and json:
        raise InputError("--safe-csv is for CSV: leave it out, or --json")
    inputs = model, data, given.get("cost_matrix"), actions
    check_distinct(None if out == "-" else out, *inputs)
    check_writable(fit_prices, *inputs, out)
    fitted, layout = load_model(model)
    changed = CostOptions.from_options(given).apply(fitted, layout)
    if prevalence:
        fitted = _at_prevalence(fitted, layout, prevalence, data, given, on_cluster)
    acting = make_predictor(ActionOptions.from_options(given), fitted, layout, changed, on_cluster)
    reading = values.read_options(encoding, separator, decimal)
    with open_client(scheduler, workers) as client, open_rows(data, reading, client) as source:
        kept = select_names(keep or (), source.names, source.name)
        writer = PredictionWriter(fitted, changed, kept, json, changed != layout, safe_csv, acting)
        write_predictions(writer, source, out)
    writer.unseen.print_notes()
    if acting is not None:
        acting.finish()


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
    reading = values.read_options(*(given[name] for name in ("encoding", "separator", "decimal")))
    try:
        return model_at_prevalence(fitted, layout, prevalence, data, reading)
    except InputError:
        raise
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
            help="The exit code is 3 if a change is beyond chance and deciding as before is "
            "expected to lose more, on all rows together.",
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
    given = with_costs_file(locals())
    values.check_files(model, data)
    from costboost.cli.actions import refuse_other_costs
    from costboost.cli.costs import CostOptions
    from costboost.cli.layouts import load_model
    from costboost.cli.monitoring import monitor_file, show
    from costboost.cli.output import check_writable

    check_writable(report, model, data)
    fitted, known = load_model(model)
    layout = CostOptions.from_options(given).apply(fitted, known)
    refuse_other_costs(fitted, known, layout)
    reading = values.read_options(encoding, separator, decimal)
    found = monitor_file(fitted, layout, data, labels, reading, alarm, unit)
    show(found, report, json, f"Monitoring of {model}", data)
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
    values.check_files(model, data)
    from costboost.cli import explanations as shown
    from costboost.cli.layouts import load_classifier
    from costboost.cli.problems import print_unseen, read_features

    reading = values.read_options(encoding, separator, decimal)
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


def export(
    model: options.Model,
    out: Annotated[
        str, typer.Option("--out", "-o", metavar="FILE", help="The ONNX file, such as model.onnx.")
    ],
    dtype: Annotated[
        str,
        typer.Option(
            metavar="TYPE",
            help="Type of the numbers among the inputs: float64 or float32. Tests and decisions "
            "are those of predict on the same numbers.",
        ),
    ] = "float64",
    inputs: Annotated[
        str,
        typer.Option(
            metavar="LAYOUT",
            help="matrix: one input of all columns, categories as codes. columns: an input for "
            "each. auto: columns if there are categories.",
        ),
    ] = "auto",
    fixed_costs: Annotated[
        bool,
        typer.Option(
            "--fixed-costs",
            metavar=options.FLAG,
            help="Decide by the costs of the model; otherwise costs are inputs.",
        ),
    ] = False,
) -> None:
    """Write a model for other programs, as ONNX: scores, probabilities and decisions.

    Costs are inputs, for all rows or for each; those that are not given are the costs of the
    model. Needs costboost[onnx].
    """
    values.check_files(model, None)
    from costboost.cli import console
    from costboost.cli.layouts import without_actions
    from costboost.cli.output import check_writable
    from costboost.export import to_onnx
    from costboost.files import load

    check_writable(out, model)
    try:
        fitted = without_actions(load(model))
        made = to_onnx(fitted, out, inputs=inputs, dtype=dtype, costs=not fixed_costs)
    except (ModuleNotFoundError, ValueError) as error:
        raise InputError(str(error)) from error
    given = {one.name for one in made.graph.initializer}
    names = [one.name for one in made.graph.input]
    console.info(f"inputs: {', '.join(name for name in names if name not in given)}")
    if given & set(names):
        console.info(f"costs: {', '.join(name for name in names if name in given)}")
    console.info(f"outputs: {', '.join(one.name for one in made.graph.output)}")
    console.info(f"model: {out}")


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
    values.check_files(model, data)
    from costboost.cli import console
    from costboost.cli.costs import CostOptions
    from costboost.cli.evaluation import ReportOptions
    from costboost.cli.layouts import load_model, without_actions
    from costboost.cli.output import check_writable
    from costboost.cli.problems import print_unseen, read_rows

    check_writable(out, model, data, given.get("cost_matrix"))
    fitted, layout = load_model(model)
    inner = without_actions(fitted)
    layout = CostOptions.from_options(given).apply(inner, layout.with_target(target, model))
    rows = read_rows(data, layout, values.read_options(encoding, separator, decimal))
    with console.collected_notes() as notes:
        print_unseen(inner, layout, rows.X)
    with console.spinner("writing the report"):
        made = ReportOptions.from_options(given).make(
            fitted,
            rows,
            layout,
            provenance={"data": data, "target": layout.target, "model file": model},
            notes=notes,
        )
        path = made.write(out)
    console.cautions(made.cautions, printed=notes)
    console.info(f"report: {path}")
