"""``report``: an HTML page on a model and rows that it has not seen."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from costboost.app.cli import progress, terminal
from costboost.app.cli.actions import action_costs
from costboost.app.cli.costs import with_other_costs
from costboost.app.cli.given import Given
from costboost.app.cli.model_files import load_model
from costboost.app.cli.output_files import check_writable
from costboost.app.cli.unseen import print_unseen
from costboost.app.reading.data_layout import DataLayout
from costboost.app.reading.errors import InputError
from costboost.app.reading.formats import open_table
from costboost.app.reading.labelled import LabelledRows, read_labelled
from costboost.app.report import page
from costboost.decisions.actions import ActionClassifier, classifier_inside


def run(given: Given) -> None:
    check_writable(given.out, given.model, given.data, given.costs.cost_matrix)
    model, layout = load_model(given.model)
    inner = classifier_inside(model)
    layout = with_other_costs(given, inner, _with_target(given, layout))
    with open_table(given.data, given.reading) as source:
        rows = read_labelled(source, layout)
    with terminal.collected_notes() as notes:
        print_unseen(inner, layout, rows.X)
    with progress.spinner("writing the report"):
        provenance = {"data": given.data, "target": layout.target, "model file": given.model}
        html_page = page_of(given, model, rows, layout, provenance=provenance, notes=notes)
        path = html_page.write(given.out)
    terminal.cautions(html_page.cautions, printed=notes)
    terminal.info(f"report: {path}")


def page_of(
    given: Given, model: Any, rows: LabelledRows, layout: DataLayout, **more: Any
) -> page.Page:
    """The page on a model; a model of actions has a section on them."""
    costs: dict[str, Any] = layout.cost_parameters(rows.costs)
    if isinstance(model, ActionClassifier):
        if not layout.states_costs:
            costs = {}  # those of the actions
        costs["costs"] = action_costs(model, rows, layout)
    words = ("title", "unit", "rows_are", "negative_action", "positive_action")
    return page.make(
        model,
        rows.X,
        rows.y,
        **costs | dict(given.costs.ranges),
        **{name: given[name] for name in words},
        random_state=given.seed,
        **more,
    )


def _with_target(given: Given, layout: DataLayout) -> DataLayout:
    """The layout with another target column, if one is given."""
    layout = layout if given.target is None else replace(layout, target=given.target)
    if not layout.target:
        raise InputError(
            f"{given.model} does not record which column has the classes: give --target COLUMN"
        )
    return layout
