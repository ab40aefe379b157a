"""``costboost datasets``."""

from __future__ import annotations

from typing import Annotated

import typer

from costboost.cli import options
from costboost.cli.completing import complete_data_set, data_set_names


def datasets(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[NAME]", help="One of them, in detail.", autocompletion=complete_data_set
        ),
    ] = None,
    out: Annotated[
        str | None,
        typer.Option(
            "--out", "-o", metavar="FILE", help="Write it as CSV, costs of rows included."
        ),
    ] = None,
    local: Annotated[
        bool,
        typer.Option("--local", metavar=options.FLAG, help="Only those that need no network."),
    ] = False,
    json: options.Json = False,
) -> None:
    """List the data sets of the papers, describe one, or write it to a file."""
    from costboost.reading.errors import InputError, unknown

    if name is not None and name not in data_set_names():
        raise unknown("data set", name, data_set_names())
    from costboost.cli import catalogue

    if name is not None:
        catalogue.show_data_set(name, out, json)
    elif out is not None:
        raise InputError("say which data set: costboost datasets NAME --out FILE")
    else:
        catalogue.list_data_sets(local, json)
