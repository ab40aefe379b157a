"""``costboost explain``."""

from __future__ import annotations

from typing import Annotated

import typer

from costboost.cli import options


def explain(
    model: options.Model,
    data: Annotated[
        str | None,
        typer.Argument(
            metavar="[DATA]", help="Rows to explain: how far features move their scores."
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
    top: Annotated[int, typer.Option(min=1, metavar="N", help="Features shown.")] = 15,
    json: options.Json = False,
    encoding: options.Encoding = "utf-8",
    separator: options.Separator = "",
) -> None:
    """Show what a model looks at, and what each feature adds to its score."""
    from costboost.cli.explanation import explain_feature, explain_model
    from costboost.cli.modelfile import load
    from costboost.cli.moves import explain_row, explain_rows, read_features
    from costboost.cli.trouble import TroubleError

    fitted, layout = load(model)
    if data is None and row is not None:
        raise TroubleError("--row is a row of DATA: costboost explain MODEL DATA --row N")
    if data is not None and feature is not None:
        raise TroubleError("--feature is about the model alone: leave out DATA")
    if feature is not None:
        explain_feature(fitted, layout, feature, json)
    elif data is None:
        explain_model(fitted, layout, top, json)
    else:
        X = read_features(data, layout, encoding, separator)
        if row is None:
            explain_rows(fitted, layout, X, top, json)
        else:
            explain_row(fitted, layout, X, row, top, json)
