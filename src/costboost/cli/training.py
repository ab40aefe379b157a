"""From a file to a model: read, hold out, train, measure, write."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from costboost.cli import modelfile, telling
from costboost.cli.evaluation import Evaluation, as_dict, evaluate, show
from costboost.cli.problem import Problem, Rows, Wishes, read_problem, read_rows
from costboost.cli.suspicions import suspicions
from costboost.cli.trouble import TroubleError
from costboost.cli.writing import check_place

Make = Callable[[Problem], Any]
"""A classifier for a problem, not yet fitted."""


@dataclass(frozen=True)
class Plan:
    """What is to be done with a file."""

    data: str
    wishes: Wishes
    seed: int
    test: str | None = None
    test_size: float = 0.25
    refit: bool = False
    out: str | None = None
    report: str | None = None
    json: bool = False
    describe: Callable[[Any], Mapping[str, Any]] = lambda model: {}
    """More that there is to say of a fitted model: for programs, and "text" for people."""


def read(path: str, wishes: Wishes) -> Problem:
    """The problem, with a word on what looks wrong in it."""
    with telling.working(f"reading {path}"):
        problem = read_problem(path, wishes)
    if problem.n_unlabelled:
        telling.note(f"{problem.n_unlabelled:,} rows have no label and are left out")
    for text in suspicions(problem):
        telling.note(text)
    return problem


def train(plan: Plan, make: Make) -> None:
    """All of it."""
    for path in (plan.out, plan.report):
        check_place(path)
    problem = read(plan.data, plan.wishes)
    rows, held = _parts(plan, problem)
    model = make(problem)
    with telling.working(f"training on {len(rows):,} rows"):
        fit(model, rows)
        found = evaluate(model, held, problem.layout)
    _tell(plan, problem, model, len(rows), found)
    report = _report(plan, problem, model, held, len(rows))
    n_trained = len(rows)
    if plan.refit:
        with telling.working(f"training again on {len(problem.rows):,} rows"):
            model = fit(make(problem), problem.rows)
        n_trained = len(problem.rows)
    if plan.out is not None:
        modelfile.save(model, problem.layout, plan.out, n_rows=n_trained)
        which = "trained again on all rows" if plan.refit else "as measured above"
        telling.done(f"model: {plan.out} ({which})")
    if report is not None:
        telling.done(f"report: {report}")


def fit(model: Any, rows: Rows) -> Any:
    """Train a classifier on rows, telling it their costs."""
    return model.fit(rows.X, rows.y, **rows.costs)


def _parts(plan: Plan, problem: Problem) -> tuple[Rows, Rows]:
    """Rows to train on, and rows held out."""
    from sklearn.model_selection import StratifiedShuffleSplit

    if plan.test is not None:
        wishes = plan.wishes
        held = read_rows(plan.test, problem.layout, wishes.encoding, wishes.separator)
        return problem.rows, held
    y = problem.rows.y
    rarest = int(np.unique(y, return_counts=True)[1].min())
    if not 0 < plan.test_size < 1:
        raise TroubleError(f"--test-size must be a share between 0 and 1, got {plan.test_size:g}")
    if rarest < 2 or min(plan.test_size, 1 - plan.test_size) * y.size < 2:
        raise TroubleError(
            f"the rarer class has {rarest} of {y.size} rows: too few to hold some of them out"
        )
    split = StratifiedShuffleSplit(1, test_size=plan.test_size, random_state=plan.seed)
    train, held_out = next(split.split(np.zeros((y.size, 1)), y))
    return problem.rows.take(np.sort(train)), problem.rows.take(np.sort(held_out))


def _tell(plan: Plan, problem: Problem, model: Any, n_trained: int, found: Evaluation) -> None:
    if plan.json:
        telling.as_json(
            {
                "data": problem.name,
                "target": problem.layout.target,
                "classifier": type(model).__name__,
                "n_trained": n_trained,
                "features": [column.name for column in problem.layout.columns],
                "fn_cost": problem.layout.fn_cost,
                "fp_cost": problem.layout.fp_cost,
                "held_out": as_dict(found),
                **{key: value for key, value in plan.describe(model).items() if key != "text"},
                "model": plan.out,
                "report": plan.report,
            }
        )
        return
    layout = problem.layout
    against = "the rest" if layout.against_rest else found.answers.other
    telling.say(
        f"{type(model).__name__}, {len(layout.columns)} features, trained on {n_trained:,} rows."
    )
    telling.say(
        f"Positive: {layout.positive} in {layout.target!r}, against {against}. A miss costs "
        f"{_cost(layout.fn_cost)}, a false alarm {_cost(layout.fp_cost)}."
    )
    if "text" in plan.describe(model):
        telling.say(plan.describe(model)["text"])
    telling.say()
    show(found)


def _cost(cost: float | str) -> str:
    return f"what {cost!r} says" if isinstance(cost, str) else f"{cost:g}"


def _report(plan: Plan, problem: Problem, model: Any, held: Rows, n_trained: int) -> str | None:
    if plan.report is None:
        return None
    from costboost import report

    with telling.working("writing the report"):
        return str(
            report.write(
                plan.report,
                model,
                held.X,
                held.y,
                fn_cost=held.fn_cost,
                fp_cost=held.fp_cost,
                trained_on=f"{n_trained:,} rows of {problem.name}",
                random_state=plan.seed,
            )
        )
