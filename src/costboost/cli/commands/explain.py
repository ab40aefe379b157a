"""``costboost explain``."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from costboost.cli import options


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
    from costboost.cli.preflight import check_files

    check_files(model, data)
    from costboost.cli.explanation import explain_feature, explain_model
    from costboost.cli.modelfile import load
    from costboost.cli.moves import explain_row, explain_rows, read_features
    from costboost.cli.subjects import subjects
    from costboost.cli.unseen import tell_unseen
    from costboost.reading.errors import InputError

    reading = options.read_options(encoding, separator, decimal)
    fitted, layout = load(model)
    if data is None and row is not None:
        raise InputError("--row is a row of DATA: costboost explain MODEL DATA --row N")
    if row is not None and feature is not None:
        raise InputError("--feature is about a feature, --row about a row: leave one of them out")
    found = subjects(fitted, layout, label)
    if feature is not None:
        read = partial(read_features, data, layout, reading) if data is not None else None
        explain_feature(layout, found, feature, read, json)
    elif data is None:
        explain_model(fitted, layout, found, top, json)
    else:
        X = read_features(data, layout, reading)
        tell_unseen(fitted, layout, X)
        if row is None:
            explain_rows(layout, found, X, top, json)
        else:
            explain_row(fitted, layout, found, X, row, top, json)
