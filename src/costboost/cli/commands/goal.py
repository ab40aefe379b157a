"""``costboost goal``."""

from __future__ import annotations

from typing import Annotated

import typer

from costboost.cli import options
from costboost.cli.algorithms import USUAL

GOAL = "The goal (one of them)"

Recall = Annotated[
    float | None,
    typer.Option(
        metavar="SHARE",
        help="Find at least this share of the positive rows.",
        rich_help_panel=GOAL,
    ),
]
Precision = Annotated[
    float | None,
    typer.Option(
        metavar="SHARE",
        help="At least this share of the alarms must be true.",
        rich_help_panel=GOAL,
    ),
]
Fpr = Annotated[
    float | None,
    typer.Option(
        metavar="SHARE",
        help="At most this share of the negative rows may be called positive.",
        rich_help_panel=GOAL,
    ),
]
Budget = Annotated[
    float | None,
    typer.Option(metavar="COST", help="At most this mean cost of a row.", rich_help_panel=GOAL),
]
Margin = Annotated[
    float,
    typer.Option(
        metavar="ERRORS",
        min=0,
        help="Meet it by so many standard errors, so that it holds on new rows more often.",
    ),
]


def goal(
    data: options.Data,
    target: options.Target,
    recall: Recall = None,
    precision: Precision = None,
    fpr: Fpr = None,
    budget: Budget = None,
    margin: Margin = 0.0,
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
    json: options.Json = False,
    encoding: options.Encoding = "utf-8",
    separator: options.Separator = "",
    decimal: options.Decimal = ".",
) -> None:
    """Train a model that meets a goal, such as a recall of 0.95, at least cost."""
    given = dict(locals())
    reading = options.read_options(encoding, separator, decimal)
    from costboost.cli.goals import chosen, describe, make
    from costboost.cli.preflight import check_names
    from costboost.cli.wishes import Wishes

    aim, wishes = chosen(given, algorithm), Wishes.among(given, reading=reading)
    check_names(data, wishes)
    from costboost.cli.training import Plan, train

    plan = Plan.among(given, wishes=wishes, describe=describe)
    settings = {"seed": seed, "jobs": jobs, "rounds": rounds}
    train(plan, lambda p: make(p.layout, aim, margin, algorithm, settings))
