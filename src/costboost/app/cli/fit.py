"""``fit``: a model is trained, measured on held-out rows, written."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.utils.validation import has_fit_parameter

from costboost._core.checks import one_class_allowed
from costboost._core.model.prevalence import SIDES
from costboost._core.training.folds import hold_out
from costboost._core.wording import percent
from costboost.app.cli import progress, terminal
from costboost.app.cli.actions import ActionOptions, cost_columns, show_report
from costboost.app.cli.evaluation import Evaluation, evaluate, facts_on_rows
from costboost.app.cli.layouts import (
    check_savable,
    inner_classifier,
    not_saved,
    save_model,
    without_actions,
)
from costboost.app.cli.options import OptionRecord, ProblemOptions
from costboost.app.cli.output_files import check_writable, write_each
from costboost.app.cli.problems import (
    LabelledRows,
    TrainingData,
    print_unseen,
    read_and_note,
    read_rows,
)
from costboost.app.cli.report import ReportOptions
from costboost.app.cli.shares import parse_shares
from costboost.app.cli.training_progress import training_progress
from costboost.app.monitoring.reference import ATTRIBUTE, reference
from costboost.app.reading.errors import InputError
from costboost.app.reading.partitions import PartitionedFeatures
from costboost.decisions.actions import ActionClassifier, costs_of
from costboost.decisions.reports import DecisionReport
from costboost.metrics.costs import decides_by_cost

# ---- one model: hold rows out, train, measure and write ------------------------------------------

MakeClassifier = Callable[[TrainingData], Any]
"""Makes an unfitted classifier for a file."""


@dataclass(frozen=True)
class TrainOptions(OptionRecord):
    """Options of a command that trains one model."""

    data: str
    problem: ProblemOptions
    seed: int = 0
    test: str | None = None
    test_size: float = 0.25
    refit: bool = False
    out: str | None = None
    report: str | None = None
    page: ReportOptions = field(default_factory=ReportOptions)
    json: bool = False
    client: Any = None
    """The client of a Dask cluster that the rows are read on, if there is one."""
    sampling: Sequence[str] = ()
    """Shares of the rows of classes that the data have kept, as LABEL=SHARE."""
    actions: ActionOptions = field(default_factory=ActionOptions)
    describe: Callable[[Any], Mapping[str, Any]] = lambda model: {}
    """Further facts about a fitted model for JSON, and a line "text" for people."""


def train(options: TrainOptions, make: MakeClassifier) -> None:
    """Train and measure a model, print the result, write the files."""
    inputs = options.data, options.test, options.problem.cost_matrix, options.actions.actions
    check_writable(options.out, *inputs)
    check_writable(options.report, *inputs, options.out)
    with terminal.collected_notes() as notes:
        by_actions = options.actions.actions is not None  # the predictions are not used
        data = read_and_note(options.data, options.problem, options.client, not by_actions)
        rows, held_out = _split(options, data)
        options.actions.check(data.rows, data.layout)
        model = make(data)
        if options.out is not None:
            check_savable(model)
        sampling = _sampling(options, data)
        with nullcontext() if not by_actions else one_class_allowed():
            _fit(model, rows, sampling)
        with progress.spinner(f"deciding on {len(held_out):,} rows"):
            found = evaluate(model, held_out, data.layout)
            acts = options.actions.report(model, held_out, data.layout)
        if options.test is not None:
            print_unseen(model, data.layout, held_out.X)
        error = terminal.output_error(lambda: _show(options, data, model, len(rows), found, acts))
    files: list[tuple[str | None, Callable[[], str]]] = [
        (options.out, lambda: _save(options, data, model, held_out, rows, make, sampling)),
        (options.report, lambda: _report(options, data, model, held_out, len(rows), notes)),
    ]
    if options.refit:  # it takes as long as the first training, and may be interrupted
        files.reverse()
    write_each({path: write for path, write in files if path is not None})
    if options.out is None:
        terminal.info(not_saved(model))
    if error is not None:  # raised only now: training may have taken hours
        raise error


def _split(options: TrainOptions, data: TrainingData) -> tuple[LabelledRows, LabelledRows]:
    """Rows to train on, and rows held out."""
    from sklearn.model_selection import StratifiedShuffleSplit

    if options.test is not None:
        reading = options.problem.reading
        return data.rows, read_rows(options.test, data.layout, reading, options.client)
    y, size = data.rows.y, options.test_size
    rarest = int(np.unique(y, return_counts=True)[1].min())
    if not 0 < size < 1:
        raise InputError(f"--test-size must be a share between 0 and 1, got {size:g}")
    if rarest < 2 or min(size, 1 - size) * y.size < 2:
        raise InputError(
            f"the rarest class has {rarest} of {y.size} rows: too few to hold some of them out"
        )
    if data.rows.groups is not None:
        codes = np.unique(y, return_inverse=True)[1]
        train, held_out = hold_out(codes, size, options.seed, data.rows.groups)
        return data.rows.take(np.sort(train)), data.rows.take(np.sort(held_out))
    split = StratifiedShuffleSplit(1, test_size=size, random_state=options.seed)
    train, held_out = next(split.split(np.zeros((y.size, 1)), y))
    return data.rows.take(np.sort(train)), data.rows.take(np.sort(held_out))


def _sampling(options: TrainOptions, data: TrainingData) -> dict[str, Any]:
    """The argument of `fit` for data of which rows were left out; empty if all were kept."""
    if not options.sampling:
        return {}
    labels = np.unique(data.rows.y).tolist()
    shares = parse_shares("--sampling", options.sampling, labels, SIDES if len(labels) == 2 else ())
    terminal.note(
        "rows of DATA were left out (--sampling): probabilities and decisions are those of all "
        "rows, but the costs below are those of the rows that were kept"
    )
    return {"sampling": shares}


def _fit(model: Any, rows: LabelledRows, sampling: Mapping[str, Any], again: str = "") -> Any:
    """Fit a classifier with the costs of the rows, and show the progress."""
    given = {**rows.row_costs, **sampling}
    if rows.groups is not None:
        given["groups"] = rows.groups
    if sampling and not has_fit_parameter(model, "sampling"):
        raise InputError(f"{type(model).__name__} takes no --sampling; CostBoost does")
    with training_progress([model], rows.y, f"training {again}on {len(rows):,} rows"):
        return model.fit(rows.training_X, rows.y, **given)


# ---- results -------------------------------------------------------------------------------------


def _show(
    options: TrainOptions,
    data: TrainingData,
    model: Any,
    n_trained: int,
    found: Evaluation,
    acts: DecisionReport | None,
) -> None:
    description = options.describe(model)
    by_classes = acts is None or data.layout.states_costs
    if options.json:
        facts = _facts(options, data, model, n_trained, found, by_classes, description)
        terminal.write_json(facts | _facts_on_actions(acts))
        return
    features = terminal.plural(len(data.layout.columns), "feature")
    terminal.write(f"{type(model).__name__}, {features}, trained on {n_trained:,} rows.")
    if by_classes:
        terminal.write(found.opening)
    for text in _clipping_notes(model):
        terminal.write(f"{text[0].upper()}{text[1:]}.")
    if "text" in description:
        terminal.write(description["text"])
    if by_classes:
        terminal.write()
        found.show()
    if acts is not None:
        terminal.write()
        show_report(acts)
        if not by_classes:
            terminal.cautions(found.cautions.on_rows)


def _facts(
    options: TrainOptions,
    data: TrainingData,
    model: Any,
    n_trained: int,
    found: Evaluation,
    by_classes: bool,
    description: Mapping[str, Any],
) -> dict[str, Any]:
    layout = data.layout
    costs = {"cost_matrix": layout.matrix} if layout.multiclass else layout.cells
    clipped = getattr(inner_classifier(model), "clipped_share_", None)
    return {
        "data": data.name,
        "target": layout.target,
        "classifier": type(model).__name__,
        "n_trained": n_trained,
        "features": [column.name for column in layout.columns],
        **(costs if by_classes else {}),
        **({} if clipped is None else {"clipped_share": clipped}),
        "held_out": found.facts() if by_classes else facts_on_rows(found),
        **{key: value for key, value in description.items() if key != "text"},
        "model": options.out,
        "report": options.report,
    }


def _facts_on_actions(acts: DecisionReport | None) -> dict[str, Any]:
    """What the actions cost, and what they save compared with the best rule without a model."""
    if acts is None:
        return {}
    without = {
        "decision": acts.against,
        "by_costs": acts.by_costs,
        "saved": acts.saved._asdict(),
    }
    return {"actions": acts.to_dict(), "without_model": without}


def _clipping_notes(model: Any) -> list[str]:
    """The share of the training rows whose costs were lowered, if any could be."""
    share = getattr(inner_classifier(model), "clipped_share_", None)
    if share is None:
        return []
    return [f"costs of {percent(share)} of the rows were lowered (--clip-costs)"]


REFERENCE_ROWS = 50_000
"""Held-out rows that the reference of monitoring is made of, at most."""


def _keep_reference(
    options: TrainOptions, data: TrainingData, model: Any, held_out: LabelledRows
) -> Any:
    """A summary of held-out rows that is kept with the model, for ``costboost monitor``."""
    inner = inner_classifier(without_actions(model))
    if data.layout.multiclass or not decides_by_cost(inner) or options.sampling:
        return None  # nothing that could be monitored, or rows that are not those of the population
    step = -(-len(held_out) // REFERENCE_ROWS)
    rows = held_out.take(np.arange(0, len(held_out), step))
    X = rows.X.in_memory() if isinstance(rows.X, PartitionedFeatures) else rows.X
    costs: dict[str, Any] = dict(rows.costs)
    if isinstance(model, ActionClassifier):
        costs = {"costs": costs_of(model).filled(cost_columns(rows, data.layout))}
    return reference(model, X, rows.y, **costs).to_dict()


def _save(
    options: TrainOptions,
    data: TrainingData,
    model: Any,
    held_out: LabelledRows,
    rows: LabelledRows,
    make: MakeClassifier,
    sampling: Mapping[str, Any],
) -> str:
    """Write the model that was measured, or one that is trained on all rows."""
    assert options.out is not None
    saved = options.actions.classifier(model, data.layout) or model
    kept = _keep_reference(options, data, saved, held_out)
    which = "as measured above"
    if options.refit:
        model, rows = _fit(make(data), data.rows, sampling, "again "), data.rows
        saved = options.actions.classifier(model, data.layout) or model
        if kept is not None:
            setattr(saved, ATTRIBUTE, kept)
        which = "trained again on all rows"
    save_model(saved, data.layout, options.out, n_rows=len(rows))
    return f"model: {options.out} ({which})"


def _report(
    options: TrainOptions,
    data: TrainingData,
    model: Any,
    held_out: LabelledRows,
    n_trained: int,
    notes: list[str],
) -> str:
    assert options.report is not None
    with progress.spinner("writing the report"):
        made = options.page.make(
            options.actions.classifier(model, data.layout) or model,
            held_out,
            data.layout,
            trained_on=f"{n_trained:,} rows of {data.name}",
            provenance=_provenance(options, data),
            notes=[*notes, *_clipping_notes(model)],
        )
    return f"report: {made.write(options.report)}"


def _provenance(options: TrainOptions, data: TrainingData) -> dict[str, Any]:
    """Where the rows of a report come from."""
    found = {"data": data.name if options.test is None else options.test}
    if options.test is None:
        found["held out"] = f"{percent(options.test_size)} of the rows, drawn at random"
    found["target"] = data.layout.target
    if options.out is not None and not options.refit:
        found["model file"] = options.out
    return found
