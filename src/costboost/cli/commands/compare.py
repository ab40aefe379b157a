"""``costboost compare``."""

from __future__ import annotations

from typing import Annotated

import typer

from costboost.cli import options
from costboost.cli.algorithms import COMPARED
from costboost.cli.completing import complete_algorithm


def compare(
    data: options.Data,
    target: options.Target,
    algorithm: Annotated[
        list[str] | None,
        typer.Option(
            "--algorithm",
            "-a",
            metavar="NAME",
            help=f"May be repeated. Default: {', '.join(COMPARED)}.",
            autocompletion=complete_algorithm,
            rich_help_panel=options.TRAINING,
        ),
    ] = None,
    folds: Annotated[int, typer.Option(min=2, help="Parts of the rows, each held out once.")] = 5,
    positive: options.Positive = None,
    fn_cost: options.FnCost = "1",
    fp_cost: options.FpCost = "1",
    cost_matrix: options.CostMatrix = None,
    drop: options.Drop = None,
    categorical: options.Categorical = None,
    costs_are_features: options.CostsAreFeatures = False,
    rounds: options.Rounds = None,
    seed: options.Seed = 0,
    jobs: options.Jobs = None,
    json: options.Json = False,
    encoding: options.Encoding = "utf-8",
    separator: options.Separator = "",
    decimal: options.Decimal = ".",
) -> None:
    """Compare algorithms on the same folds, by what their decisions cost."""
    given = dict(locals())
    reading = options.read_options(encoding, separator, decimal)
    from costboost.cli.algorithms import named_for_several, short_name
    from costboost.cli.preflight import check_names
    from costboost.cli.wishes import Wishes

    names = [short_name(name) for name in algorithm or COMPARED]
    wishes = Wishes.among(
        given, reading=reading, several=any(named_for_several(name) for name in names)
    )
    check_names(data, wishes)
    from costboost.cli.comparison import compared, show
    from costboost.cli.console import as_json
    from costboost.cli.training import read

    settings = {"seed": seed, "jobs": jobs, "rounds": rounds}
    found = compared(read(data, wishes), names, folds, settings)
    if json:
        as_json(found.to_dict())
    else:
        show(found)
