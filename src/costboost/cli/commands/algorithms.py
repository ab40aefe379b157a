"""``costboost algorithms``."""

from __future__ import annotations

from typing import Annotated

import typer

from costboost.cli import options
from costboost.cli.completing import complete_algorithm


def algorithms(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[NAME]", help="One of them, in detail.", autocompletion=complete_algorithm
        ),
    ] = None,
    json: options.Json = False,
) -> None:
    """List the algorithms: the three properties of Nikolaou's Table 4, and when to take which.

    FGD: weights and steps descend one loss. Cost: decides for least expected cost.
    Asymmetry: the dearer class never counts less.
    """
    from costboost.cli.algorithms import short_name

    name = name and short_name(name)
    from costboost.cli import catalogue

    if name is None:
        catalogue.list_algorithms(json)
    else:
        catalogue.show_algorithm(name, json)
