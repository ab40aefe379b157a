"""``monitor``: whether the predictions of a model still hold for the rows of a file."""

from __future__ import annotations

import typer

from costboost.app.cli import terminal
from costboost.app.cli.batches import file_batches
from costboost.app.cli.costs import refuse_other_costs, with_other_costs
from costboost.app.cli.given import Given
from costboost.app.cli.model_files import load_model
from costboost.app.cli.output_files import check_writable
from costboost.app.monitoring.monitor import monitor_batches
from costboost.app.monitoring.page import write as write_page
from costboost.app.reading.errors import InputError
from costboost.decisions.actions import ActionClassifier

ALARM, UNKNOWN = 3, 4
"""Exit codes if the expected loss exceeds --alarm, and if changed features leave that unknown."""


def run(given: Given) -> None:
    check_writable(given.report, given.model, given.data)
    model, trained = load_model(given.model)
    layout = with_other_costs(given, model, trained)
    refuse_other_costs(model, trained, layout)
    acting = model if isinstance(model, ActionClassifier) else None
    batches = file_batches(given, layout, given.labels, acting)
    if layout.multiclass:
        raise InputError(
            f"monitoring is for two classes, and the model has {len(layout.classes)}: train one "
            "with --positive LABEL, which is set against the rest"
        )
    monitoring = monitor_batches(model, batches, alarm=given.alarm, unit=given.unit)
    if given.json:
        terminal.write_json(monitoring.to_dict())
    else:
        terminal.write(str(monitoring))
    if given.report is not None:
        heading = f"Monitoring of {given.model}"
        terminal.info(f"report: {write_page(given.report, monitoring, heading, given.data)}")
    if monitoring.alarmed:
        raise typer.Exit(ALARM)
    if monitoring.vetoed and given.alarm is not None:
        raise typer.Exit(UNKNOWN)
