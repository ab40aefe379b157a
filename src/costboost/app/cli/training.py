"""Training of one model: it is measured on held-out rows and written."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.utils.validation import has_fit_parameter

from costboost._core.checks import one_class_allowed
from costboost._core.model.prevalence import SIDES
from costboost._core.training.folds import hold_out
from costboost._core.wording import percent
from costboost.app.cli import progress, terminal
from costboost.app.cli.actions import (
    action_costs,
    check_training_actions,
    decision_report,
    with_actions,
)
from costboost.app.cli.data_notes import read_and_note
from costboost.app.cli.given import Given
from costboost.app.cli.model_files import (
    check_savable,
    inner_classifier,
    not_saved,
    save_model,
)
from costboost.app.cli.output_files import check_writable, write_each
from costboost.app.cli.report import page_of
from costboost.app.cli.several_classes import evaluate_several
from costboost.app.cli.shares import parse_shares
from costboost.app.cli.training_data import TrainingData
from costboost.app.cli.training_progress import training_progress
from costboost.app.cli.training_results import TrainingResults, clipping_notes
from costboost.app.cli.two_classes import evaluate_two
from costboost.app.cli.unseen import print_unseen
from costboost.app.monitoring.reference import ATTRIBUTE, reference
from costboost.app.reading.clusters import open_client
from costboost.app.reading.data_layout import DataLayout
from costboost.app.reading.errors import InputError
from costboost.app.reading.labelled import LabelledRows, read_labelled
from costboost.app.reading.partitioned_features import PartitionedFeatures
from costboost.app.reading.partitions import open_rows
from costboost.decisions.actions import ActionClassifier, classifier_inside
from costboost.metrics.costs import decides_by_cost

REFERENCE_ROWS = 50_000
"""Held-out rows that the reference of monitoring is made of, at most."""


@dataclass(frozen=True)
class Training:
    """A model that was trained on some rows of a file, with those that were held out."""

    given: Given
    data: TrainingData
    make: Callable[[DataLayout], Any]
    """Makes an unfitted classifier."""
    sampling: Mapping[str, Any]
    """The argument of `fit` for data of which rows were left out; empty if all were kept."""
    model: Any
    rows: LabelledRows
    held_out: LabelledRows


def train_and_show(
    given: Given,
    make: Callable[[DataLayout], Any],
    describe: Callable[[Any], Mapping[str, Any]] = lambda model: {},
) -> None:
    """Train and measure a model, print the result, write the files.

    ``make`` makes an unfitted classifier for the layout of the file; ``describe`` has further facts
    about the fitted one for JSON, and a line "text" for people.
    """
    inputs = given.data, given.test, given.costs.cost_matrix, given.get("actions")
    report = given.get("report")
    check_writable(given.out, *inputs)
    check_writable(report, *inputs, given.out)
    with open_client(given.get("scheduler"), given.get("workers")) as client:
        with terminal.collected_notes() as notes:
            by_actions = given.get("actions") is not None  # predictions of classes are not used
            data = read_and_note(given, client, needs_costs=not by_actions)
            layout, (rows, held_out) = data.layout, _split(given, data, client)
            check_training_actions(given, data.rows, layout)
            model = make(layout)
            if given.out is not None:
                check_savable(model)
            sampling = _sampling(given, data)
            with one_class_allowed() if by_actions else nullcontext():
                _fit(model, rows, sampling)
            training = Training(given, data, make, sampling, model, rows, held_out)
            with progress.spinner(f"deciding on {len(held_out):,} rows"):
                evaluate = evaluate_several if layout.multiclass else evaluate_two
                evaluation = evaluate(model, held_out, layout)
                acts = decision_report(given, model, held_out, layout)
            if given.test is not None:
                print_unseen(model, layout, held_out.X)
            results = TrainingResults(
                given, data, model, len(rows), evaluation, acts, describe(model)
            )
            error = terminal.output_error(results.show)
        files: list[tuple[str | None, Callable[[], str]]] = [
            (given.out, lambda: _save(training)),
            (report, lambda: _write_page(training, notes)),
        ]
        if given.refit:  # it takes as long as the first training, and may be interrupted
            files.reverse()
        write_each({path: write for path, write in files if path is not None})
        if given.out is None:
            terminal.info(not_saved(model))
        if error is not None:  # raised only now: training may have taken hours
            raise error


def _split(given: Given, data: TrainingData, client: Any) -> tuple[LabelledRows, LabelledRows]:
    """Rows to train on, and rows held out."""
    if given.test is not None:
        with open_rows(given.test, given.reading, client) as source:
            return data.rows, read_labelled(source, data.layout)
    y, size = data.rows.y, given.test_size
    rarest = int(np.unique(y, return_counts=True)[1].min())
    if not 0 < size < 1:
        raise InputError(f"--test-size must be a share between 0 and 1, got {size:g}")
    if rarest < 2 or min(size, 1 - size) * y.size < 2:
        raise InputError(
            f"the rarest class has {rarest} of {y.size} rows: too few to hold some of them out"
        )
    if data.rows.groups is not None:
        codes = np.unique(y, return_inverse=True)[1]
        train, held_out = hold_out(codes, size, given.seed, data.rows.groups)
    else:
        splitter = StratifiedShuffleSplit(1, test_size=size, random_state=given.seed)
        train, held_out = next(splitter.split(np.zeros((y.size, 1)), y))
    return data.rows.take(np.sort(train)), data.rows.take(np.sort(held_out))


def _sampling(given: Given, data: TrainingData) -> dict[str, Any]:
    """The argument of `fit` for data of which rows were left out; empty if all were kept."""
    texts = given.get("sampling")
    if not texts:
        return {}
    labels = np.unique(data.rows.y).tolist()
    shares = parse_shares("--sampling", texts, labels, SIDES if len(labels) == 2 else ())
    terminal.note(
        "rows of DATA were left out (--sampling): probabilities and decisions are those of all "
        "rows, but the costs below are those of the rows that were kept"
    )
    return {"sampling": shares}


def _fit(model: Any, rows: LabelledRows, sampling: Mapping[str, Any], again: str = "") -> Any:
    """Fit a classifier with the costs of the rows, and show the progress."""
    more = {**rows.row_costs, **sampling}
    if rows.groups is not None:
        more["groups"] = rows.groups
    if sampling and not has_fit_parameter(model, "sampling"):
        raise InputError(f"{type(model).__name__} takes no --sampling; CostBoost does")
    with training_progress([model], rows.y, f"training {again}on {len(rows):,} rows"):
        return model.fit(rows.training_X, rows.y, **more)


# ---- files ---------------------------------------------------------------------------------------


def _save(training: Training) -> str:
    """Write the model that was measured, or one that is trained on all rows."""
    given, data, rows = training.given, training.data, training.rows
    saved = with_actions(given, training.model, data.layout) or training.model
    summary = _summary_of_held_out(training, saved)
    which = "as measured above"
    if given.refit:
        rows = data.rows
        model = _fit(training.make(data.layout), rows, training.sampling, "again ")
        saved = with_actions(given, model, data.layout) or model
        if summary is not None:
            setattr(saved, ATTRIBUTE, summary)
        which = "trained again on all rows"
    save_model(saved, data.layout, given.out, n_rows=len(rows))
    return f"model: {given.out} ({which})"


def _summary_of_held_out(training: Training, model: Any) -> Any:
    """A summary of held-out rows that is kept with the model, for ``costboost monitor``."""
    layout, held_out = training.data.layout, training.held_out
    inner = inner_classifier(classifier_inside(model))
    if layout.multiclass or not decides_by_cost(inner) or training.sampling:
        return None  # nothing that could be monitored, or rows that are not those of the population
    step = -(-len(held_out) // REFERENCE_ROWS)
    rows = held_out.take(np.arange(0, len(held_out), step))
    X = rows.X.in_memory() if isinstance(rows.X, PartitionedFeatures) else rows.X
    costs: dict[str, Any] = dict(rows.costs)
    if isinstance(model, ActionClassifier):
        costs = {"costs": action_costs(model, rows, layout)}
    return reference(model, X, rows.y, **costs).to_dict()


def _write_page(training: Training, notes: list[str]) -> str:
    given, data, model = training.given, training.data, training.model
    with progress.spinner("writing the report"):
        page = page_of(
            given,
            with_actions(given, model, data.layout) or model,
            training.held_out,
            data.layout,
            trained_on=f"{len(training.rows):,} rows of {data.name}",
            provenance=_provenance(given, data),
            notes=[*notes, *clipping_notes(model)],
        )
    return f"report: {page.write(given.report)}"


def _provenance(given: Given, data: TrainingData) -> dict[str, Any]:
    """Where the rows of a report come from."""
    sources = {"data": data.name if given.test is None else given.test}
    if given.test is None:
        sources["held out"] = f"{percent(given.test_size)} of the rows, drawn at random"
    sources["target"] = data.layout.target
    if given.out is not None and not given.refit:
        sources["model file"] = given.out
    return sources
