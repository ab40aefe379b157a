"""Commands that take a model file: ``predict``, ``explain`` and ``report``."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from costboost.cli import options


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
    cost_matrix: options.OtherCostMatrix = None,
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
) -> None:
    """Write label, probability of the positive class and expected cost of every row, as CSV.

    With more than two classes there is a probability of each. Rows are read and written in
    portions, so that files may be larger than memory.
    """
    given = dict(locals())
    options.check_files(model, data)
    from costboost.cli.costs import CostOptions
    from costboost.cli.layouts import load_model
    from costboost.cli.output import check_distinct
    from costboost.cli.predictions import PredictionWriter, write_predictions
    from costboost.reading.columns import select_names
    from costboost.reading.errors import InputError
    from costboost.reading.tables import open_table

    if safe_csv and json:
        raise InputError("--safe-csv is for CSV: leave it out, or --json")
    check_distinct(None if out == "-" else out, model, data, cost_matrix)
    fitted, layout = load_model(model)
    changed = CostOptions.from_options(given).apply(fitted, layout)
    with open_table(data, options.read_options(encoding, separator, decimal)) as source:
        kept = select_names(keep or (), source.names, source.name)
        writer = PredictionWriter(fitted, changed, kept, json, changed != layout, safe_csv)
        write_predictions(writer, source, out)
    writer.unseen.print_notes()


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
    from costboost.cli.layouts import load_model
    from costboost.cli.problems import print_unseen, read_features
    from costboost.reading.errors import InputError

    reading = options.read_options(encoding, separator, decimal)
    fitted, layout = load_model(model)
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
    cost_matrix: options.OtherCostMatrix = None,
    title: Annotated[str | None, typer.Option(metavar="TEXT", help="Of the page.")] = None,
    unit: options.Unit = "",
    seed: options.Seed = 0,
    encoding: options.Encoding = "utf-8",
    separator: options.Separator = "",
    decimal: options.Decimal = ".",
) -> None:
    """Write an HTML report on a model and labelled rows that it has not seen."""
    given = dict(locals())
    options.check_files(model, data)
    from costboost.cli import console
    from costboost.cli.costs import CostOptions
    from costboost.cli.layouts import load_model
    from costboost.cli.output import check_writable
    from costboost.cli.problems import print_unseen, read_rows
    from costboost.report import page

    check_writable(out, model, data, cost_matrix)
    fitted, layout = load_model(model)
    layout = CostOptions.from_options(given).apply(fitted, layout.with_target(target, model))
    rows = read_rows(data, layout, options.read_options(encoding, separator, decimal))
    with console.collected_notes() as notes:
        print_unseen(fitted, layout, rows.X)
    with console.spinner("writing the report"):
        made = page.make(
            fitted,
            rows.X,
            rows.y,
            **layout.cost_parameters(rows.fn_cost, rows.fp_cost),
            title=title,
            unit=unit,
            notes=notes,
            random_state=seed,
        )
        path = made.write(out)
    console.cautions(made.cautions, printed=notes)
    console.info(f"report: {path}")
