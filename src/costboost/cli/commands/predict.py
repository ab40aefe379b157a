"""``costboost predict``."""

from __future__ import annotations

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
    from costboost.cli.preflight import check_files

    check_files(model, data)
    from costboost.cli.changing import Costs
    from costboost.cli.modelfile import load
    from costboost.cli.scoring import Scoring
    from costboost.cli.streaming import stream
    from costboost.cli.writing import check_apart
    from costboost.reading.columns import select_names
    from costboost.reading.errors import InputError
    from costboost.reading.tables import open_table

    if safe_csv and json:
        raise InputError("--safe-csv is for CSV: leave it out, or --json")
    check_apart(None if out == "-" else out, model, data, cost_matrix)
    fitted, layout = load(model)
    changed = Costs.among(given).applied(fitted, layout)
    with open_table(data, options.read_options(encoding, separator, decimal)) as source:
        kept = select_names(keep or (), source.names, source.name)
        scoring = Scoring(fitted, changed, kept, json, changed != layout, safe_csv)
        stream(scoring, source, out)
    scoring.unseen.tell()
