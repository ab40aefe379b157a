"""From a file to a model: read, hold out, train, measure, write."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from costboost.cli import console, modelfile
from costboost.cli.data_checks import data_notes
from costboost.cli.measuring import Measured, measure
from costboost.cli.problem import Problem, Rows, read_problem, read_rows
from costboost.cli.rounds import following
from costboost.cli.unseen import tell_unseen
from costboost.cli.wishes import Chosen, Wishes
from costboost.cli.writing import check_place, write_each
from costboost.reading.errors import InputError

Make = Callable[[Problem], Any]
"""A classifier for a problem, not yet fitted."""


@dataclass(frozen=True)
class Plan(Chosen):
    """What is to be done with a file."""

    data: str
    wishes: Wishes
    seed: int = 0
    test: str | None = None
    test_size: float = 0.25
    refit: bool = False
    out: str | None = None
    report: str | None = None
    unit: str = ""
    json: bool = False
    describe: Callable[[Any], Mapping[str, Any]] = lambda model: {}
    """More that there is to say of a fitted model: for programs, and "text" for people."""


def read(path: str, wishes: Wishes) -> Problem:
    """The problem, with a word on what looks wrong in it."""
    with console.working(f"reading {path}"):
        problem = read_problem(path, wishes)
    for text in (*problem.notes, *data_notes(problem)):
        console.note(text)
    return problem


def train(plan: Plan, make: Make) -> None:
    """All of it."""
    given = plan.data, plan.test, plan.wishes.cost_matrix
    check_place(plan.out, *given)
    check_place(plan.report, *given, plan.out)
    with console.hearing() as notes:
        problem = read(plan.data, plan.wishes)
        rows, held = _parts(plan, problem)
        model = make(problem)
        if plan.out is not None:
            modelfile.check_keeps(model)
        fit(model, rows)
        with console.working(f"deciding on {len(held):,} rows"):
            found = measure(model, held, problem.layout)
        if plan.test is not None:
            tell_unseen(model, problem.layout, held.X)
        deaf = console.deaf(lambda: _tell(plan, problem, model, len(rows), found))
    files: list[tuple[str | None, Callable[[], str]]] = [
        (plan.out, lambda: _save(plan, problem, model, len(rows), make)),
        (plan.report, lambda: _report(plan, problem, model, held, len(rows), notes)),
    ]
    if plan.refit:  # it takes as long as the first training, and may be interrupted
        files.reverse()
    write_each({path: write for path, write in files if path is not None})
    if plan.out is None:
        console.done(modelfile.not_kept(model))
    if deaf is not None:  # only now, for training may have taken hours
        raise deaf


def fit(model: Any, rows: Rows, again: str = "") -> Any:
    """Train a classifier on rows, console it their costs and the user how far it is."""
    with following([model], rows.y, f"training {again}on {len(rows):,} rows"):
        return model.fit(rows.X, rows.y, **rows.costs)


def _save(plan: Plan, problem: Problem, model: Any, n_trained: int, make: Make) -> str:
    """Write the model that was measured, or one that is trained on all rows."""
    assert plan.out is not None
    which = "as measured above"
    if plan.refit:
        model, n_trained = fit(make(problem), problem.rows, "again "), len(problem.rows)
        which = "trained again on all rows"
    modelfile.save(model, problem.layout, plan.out, n_rows=n_trained)
    return f"model: {plan.out} ({which})"


def _parts(plan: Plan, problem: Problem) -> tuple[Rows, Rows]:
    """Rows to train on, and rows held out."""
    from sklearn.model_selection import StratifiedShuffleSplit

    if plan.test is not None:
        return problem.rows, read_rows(plan.test, problem.layout, plan.wishes.reading)
    y = problem.rows.y
    rarest = int(np.unique(y, return_counts=True)[1].min())
    if not 0 < plan.test_size < 1:
        raise InputError(f"--test-size must be a share between 0 and 1, got {plan.test_size:g}")
    if rarest < 2 or min(plan.test_size, 1 - plan.test_size) * y.size < 2:
        raise InputError(
            f"the rarest class has {rarest} of {y.size} rows: too few to hold some of them out"
        )
    split = StratifiedShuffleSplit(1, test_size=plan.test_size, random_state=plan.seed)
    train, held_out = next(split.split(np.zeros((y.size, 1)), y))
    return problem.rows.take(np.sort(train)), problem.rows.take(np.sort(held_out))


def _tell(plan: Plan, problem: Problem, model: Any, n_trained: int, found: Measured) -> None:
    if plan.json:
        console.as_json(_facts(plan, problem, model, n_trained, found))
        return
    features = console.plural(len(problem.layout.columns), "feature")
    console.say(f"{type(model).__name__}, {features}, trained on {n_trained:,} rows.")
    console.say(found.opening)
    if "text" in plan.describe(model):
        console.say(plan.describe(model)["text"])
    console.say()
    found.show()


def _facts(
    plan: Plan, problem: Problem, model: Any, n_trained: int, found: Measured
) -> dict[str, Any]:
    layout = problem.layout
    costs = {"fn_cost": layout.fn_cost, "fp_cost": layout.fp_cost}
    return {
        "data": problem.name,
        "target": layout.target,
        "classifier": type(model).__name__,
        "n_trained": n_trained,
        "features": [column.name for column in layout.columns],
        **({"cost_matrix": layout.matrix} if layout.several else costs),
        "held_out": found.facts(),
        **{key: value for key, value in plan.describe(model).items() if key != "text"},
        "model": plan.out,
        "report": plan.report,
    }


def _report(
    plan: Plan, problem: Problem, model: Any, held: Rows, n_trained: int, notes: list[str]
) -> str:
    from costboost.report import page

    assert plan.report is not None
    layout = problem.layout
    with console.working("writing the report"):
        made = page.make(
            model,
            held.X,
            held.y,
            **layout.costs_of(held.fn_cost, held.fp_cost),
            unit=plan.unit,
            trained_on=f"{n_trained:,} rows of {problem.name}",
            notes=notes,
            random_state=plan.seed,
        )
    return f"report: {made.write(plan.report)}"
