"""``costboost report``."""

from __future__ import annotations

from typing import Annotated

import typer

from costboost.cli import options


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
    from costboost.cli.preflight import check_files

    check_files(model, data)
    from costboost.cli import console
    from costboost.cli.changing import Costs
    from costboost.cli.modelfile import load
    from costboost.cli.problem import read_rows
    from costboost.cli.unseen import tell_unseen
    from costboost.cli.writing import check_place
    from costboost.report import page

    check_place(out, model, data, cost_matrix)
    fitted, layout = load(model)
    layout = Costs.among(given).applied(fitted, layout.with_target(target, model))
    rows = read_rows(data, layout, options.read_options(encoding, separator, decimal))
    with console.hearing() as notes:
        tell_unseen(fitted, layout, rows.X)
    with console.working("writing the report"):
        made = page.make(
            fitted,
            rows.X,
            rows.y,
            **layout.costs_of(rows.fn_cost, rows.fp_cost),
            title=title,
            unit=unit,
            notes=notes,
            random_state=seed,
        )
        path = made.write(out)
    console.cautions(made.cautions, told=notes)
    console.done(f"report: {path}")
