"""``costboost goal``."""

from __future__ import annotations

from typing import Annotated

import typer

from costboost.cli import options
from costboost.cli.algorithms import USUAL
from costboost.cli.trouble import TroubleError

GOAL = "The goal (one of them)"


def goal(
    data: options.Data,
    target: options.Target,
    recall: Annotated[
        float | None,
        typer.Option(
            metavar="SHARE",
            help="Find at least this share of the positive rows.",
            rich_help_panel=GOAL,
        ),
    ] = None,
    precision: Annotated[
        float | None,
        typer.Option(
            metavar="SHARE",
            help="At least this share of the alarms must be true.",
            rich_help_panel=GOAL,
        ),
    ] = None,
    fpr: Annotated[
        float | None,
        typer.Option(
            metavar="SHARE",
            help="At most this share of the negative rows may be called positive.",
            rich_help_panel=GOAL,
        ),
    ] = None,
    budget: Annotated[
        float | None,
        typer.Option(metavar="COST", help="At most this mean cost of a row.", rich_help_panel=GOAL),
    ] = None,
    margin: Annotated[
        float,
        typer.Option(
            metavar="ERRORS",
            min=0,
            help="Meet it by so many standard errors, so that it holds on new rows more often.",
        ),
    ] = 0.0,
    positive: options.Positive = None,
    fn_cost: options.FnCost = "1",
    fp_cost: options.FpCost = "1",
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
) -> None:
    """Train a model that meets a goal, such as a recall of 0.95, at least cost."""
    from costboost.cli.algorithms import algorithm as find
    from costboost.cli.goals import GOALS, describe, make
    from costboost.cli.problem import Wishes
    from costboost.cli.training import Plan, train

    find(algorithm)
    given = dict(zip(GOALS, (recall, precision, fpr, budget), strict=True))
    chosen = [(name, value) for name, value in given.items() if value is not None]
    if len(chosen) != 1:
        raise TroubleError("one goal is needed: --recall, --precision, --fpr or --budget")
    wishes = Wishes(
        target,
        positive,
        fn_cost,
        fp_cost,
        drop or (),
        categorical or (),
        costs_are_features,
        encoding,
        separator,
    )
    plan = Plan(data, wishes, seed, test, test_size, refit, out, None, json, describe)
    settings = {"seed": seed, "jobs": jobs, "rounds": rounds}
    train(plan, lambda p: make(p.layout, *chosen[0], margin, algorithm, settings))
