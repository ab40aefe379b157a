"""``costboost fit``."""

from __future__ import annotations

from typing import Annotated

import typer

from costboost.cli import options
from costboost.cli.algorithms import USUAL


def fit(
    data: options.Data,
    target: options.Target,
    positive: options.Positive = None,
    fn_cost: options.FnCost = "1",
    fp_cost: options.FpCost = "1",
    cost_matrix: options.CostMatrix = None,
    drop: options.Drop = None,
    categorical: options.Categorical = None,
    costs_are_features: options.CostsAreFeatures = False,
    algorithm: options.Algorithm = USUAL,
    rounds: options.Rounds = None,
    seed: options.Seed = 0,
    jobs: options.Jobs = None,
    test: options.Test = None,
    test_size: options.TestSize = 0.25,
    refit: options.Refit = False,
    out: options.OutModel = None,
    report: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="Where an HTML report goes.", rich_help_panel=options.WRITING
        ),
    ] = None,
    unit: options.Unit = "",
    json: options.Json = False,
    encoding: options.Encoding = "utf-8",
    separator: options.Separator = "",
    decimal: options.Decimal = ".",
) -> None:
    """Train a model on a file, and measure on held-out rows what its decisions cost."""
    given = dict(locals())
    reading = options.read_options(encoding, separator, decimal)
    from costboost.cli.algorithms import make, named_for_several
    from costboost.cli.preflight import check_names
    from costboost.cli.wishes import Wishes

    wishes = Wishes.among(given, reading=reading, several=named_for_several(algorithm))
    check_names(data, wishes)
    from costboost.cli.training import Plan, train

    plan = Plan.among(given, wishes=wishes)
    train(plan, lambda p: make(algorithm, p.layout, seed=seed, jobs=jobs, rounds=rounds))
