"""``costboost predict``."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from costboost.cli import options

Changed = "Default: as in training."


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
    fn_cost: Annotated[
        str | None,
        typer.Option(metavar="COST", help=f"What a miss costs: number or column. {Changed}"),
    ] = None,
    fp_cost: Annotated[
        str | None,
        typer.Option(metavar="COST", help=f"What a false alarm costs: number or column. {Changed}"),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="JSON lines instead of CSV.")] = False,
    encoding: options.Encoding = "utf-8",
    separator: options.Separator = "",
) -> None:
    """Write label, probability of the positive class and expected cost of every row, as CSV.

    Rows are read and written in portions, so that files may be larger than memory.
    """
    from costboost.cli import telling
    from costboost.cli.columns import named
    from costboost.cli.modelfile import load
    from costboost.cli.reading import opened
    from costboost.cli.scoring import Scoring
    from costboost.cli.streaming import costs, stream

    fitted, layout = load(model)
    with opened(data, encoding, separator) as source:
        changed = replace(layout, **costs(fn_cost, fp_cost, source))
        kept = named(keep or (), source.names, source.raw.name)
        scoring = Scoring(fitted, changed, kept, json, changed != layout)
        stream(scoring, source, out)
    for column, n in scoring.unseen.items():
        telling.note(
            f"column {column!r}: {n:,} values were never seen in training and count as missing"
        )
