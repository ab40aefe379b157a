"""From a file to a model: read, hold out, train, measure, write."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from costboost.cli import modelfile, telling
from costboost.cli.measuring import Measured, measure
from costboost.cli.problem import Problem, Rows, read_problem, read_rows
from costboost.cli.rounds import following
from costboost.cli.suspicions import suspicions
from costboost.cli.trouble import TroubleError
from costboost.cli.unseen import tell_unseen
from costboost.cli.wishes import Chosen, Wishes
from costboost.cli.writing import check_place, write_each

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
    with telling.working(f"reading {path}"):
        problem = read_problem(path, wishes)
    for text in (*problem.notes, *suspicions(problem)):
        telling.note(text)
    return problem


def train(plan: Plan, make: Make) -> None:
    """All of it."""
    given = plan.data, plan.test, plan.wishes.cost_matrix
    check_place(plan.out, *given)
    check_place(plan.report, *given, plan.out)
    with telling.hearing() as notes:
        problem = read(plan.data, plan.wishes)
        rows, held = _parts(plan, problem)
        model = make(problem)
        if plan.out is not None:
            modelfile.check_keeps(model)
        fit(model, rows)
        with telling.working(f"deciding on {len(held):,} rows"):
            found = measure(model, held, problem.layout)
        if plan.test is not None:
            tell_unseen(model, problem.layout, held.X)
        deaf = telling.deaf(lambda: _tell(plan, problem, model, len(rows), found))
    files: list[tuple[str | None, Callable[[], str]]] = [
        (plan.out, lambda: _save(plan, problem, model, len(rows), make)),
        (plan.report, lambda: _report(plan, problem, model, held, len(rows), notes)),
    ]
    if plan.refit:  # it takes as long as the first training, and may be interrupted
        files.reverse()
    write_each({path: write for path, write in files if path is not None})
    if plan.out is None:
        telling.done(modelfile.not_kept(model))
    if deaf is not None:  # only now, for training may have taken hours
        raise deaf


def fit(model: Any, rows: Rows, again: str = "") -> Any:
    """Train a classifier on rows, telling it their costs and the user how far it is."""
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
        wishes = plan.wishes
        text = wishes.encoding, wishes.separator, wishes.decimal
        held = read_rows(plan.test, problem.layout, *text)
        return problem.rows, held
    y = problem.rows.y
    rarest = int(np.unique(y, return_counts=True)[1].min())
    if not 0 < plan.test_size < 1:
        raise TroubleError(f"--test-size must be a share between 0 and 1, got {plan.test_size:g}")
    if rarest < 2 or min(plan.test_size, 1 - plan.test_size) * y.size < 2:
        raise TroubleError(
            f"the rarest class has {rarest} of {y.size} rows: too few to hold some of them out"
        )
    split = StratifiedShuffleSplit(1, test_size=plan.test_size, random_state=plan.seed)
    train, held_out = next(split.split(np.zeros((y.size, 1)), y))
    return problem.rows.take(np.sort(train)), problem.rows.take(np.sort(held_out))


def _tell(plan: Plan, problem: Problem, model: Any, n_trained: int, found: Measured) -> None:
    if plan.json:
        telling.as_json(_facts(plan, problem, model, n_trained, found))
        return
    features = telling.plural(len(problem.layout.columns), "feature")
    telling.say(f"{type(model).__name__}, {features}, trained on {n_trained:,} rows.")
    telling.say(found.opening)
    if "text" in plan.describe(model):
        telling.say(plan.describe(model)["text"])
    telling.say()
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
    with telling.working("writing the report"):
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
