"""``monitor``: whether the predictions of a model still hold for the rows of a file."""

from __future__ import annotations

from typing import Any

from costboost.app.cli import terminal
from costboost.app.cli.batches import TWICE, file_batches
from costboost.app.cli.layouts import Layout
from costboost.app.monitoring.findings import Monitoring
from costboost.app.monitoring.monitor import monitor_batches
from costboost.app.monitoring.page import write as write_page
from costboost.app.reading.errors import InputError
from costboost.app.reading.sources import ReadOptions
from costboost.decisions.actions import ActionClassifier


def monitor_file(
    model: Any,
    layout: Layout,
    path: str,
    labels: str | None,
    options: ReadOptions,
    alarm: float | None,
    unit: str,
) -> Monitoring:
    """Monitor a model on the rows of a file, which may be larger than memory."""
    if path == "-":
        raise InputError(TWICE)
    if layout.multiclass:
        raise InputError(
            f"monitoring is for two classes, and the model has {len(layout.classes)}: train one "
            "with --positive LABEL, which is set against the rest"
        )
    acting = model if isinstance(model, ActionClassifier) else None
    batches = file_batches(path, layout, labels, options, acting)
    return monitor_batches(model, batches, alarm=alarm, unit=unit)


def show_monitoring(found: Monitoring, report: str | None, as_json: bool, *words: str) -> None:
    """Print what monitoring found, and write the page with its heading and the name of the data."""
    if as_json:
        terminal.write_json(found.to_dict())
    else:
        terminal.write(str(found))
    if report is not None:
        terminal.info(f"report: {write_page(report, found, *words)}")
