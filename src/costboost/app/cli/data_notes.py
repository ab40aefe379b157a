"""Notes on what looks wrong in a file to train on, in words of the command line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from costboost.app.cli import progress, terminal
from costboost.app.cli.given import Given
from costboost.app.cli.training_data import TrainingData, read_training_data
from costboost.app.inspection.costs import inspect_costs
from costboost.app.inspection.tables import inspect_features
from costboost.app.inspection.values import Finding
from costboost.app.reading.errors import some
from costboost.app.reading.partitioned_features import PartitionedFeatures

ADVICE = {
    "determines_target": " (--drop {column!r})",
    "identifier": "; consider --drop {column!r}",
    "rare_categories": "; group them, or consider --drop {column!r}",
    "decimal_comma": "; --decimal , reads them as numbers",
    "missing_codes": "; if that stands for a missing value, leave it empty; if the numbers are "
    "names, give --categorical {column!r}",
    "costs_swapped": "; are --fn-cost and --fp-cost swapped?",
    "frequent_positive": "; if the rare class is the one that matters, name it with --positive",
}
"""Code of a finding -> what follows its message, with options in place of parameters."""
NO_COSTS = {
    False: "; give --fn-cost and --fp-cost",
    True: "; give --cost-matrix FILE for the cost of each mistake, or --positive LABEL to set one "
    "class against the rest",
}
"""Advice if all mistakes cost 1, for two costs and for a cost matrix."""


def read_and_note(given: Given, client: Any = None, needs_costs: bool = True) -> TrainingData:
    """Read a file to train on, and print what looks wrong in it."""
    with progress.spinner(f"reading {given.data}"):
        data = read_training_data(given, client)
    for text in (*data.notes, *data_notes(data, needs_costs)):
        terminal.note(text)
    return data


def data_notes(data: TrainingData, needs_costs: bool = True) -> Iterator[str]:
    """Notes on costs and columns, from the findings of `costboost.inspection`.

    There is at most one on each column, and none if the features are on a cluster. That costs are
    missing is noted only if they are needed.
    """
    layout, rows = data.layout, data.rows
    costs = layout.cost_parameters(rows.positive_net)
    label = {} if layout.multiclass else {"pos_label": layout.label}
    for finding in inspect_costs(rows.y, **label, **costs):
        if needs_costs or finding.code != "no_costs":
            yield _note(finding, layout.multiclass)
    features = {column.name for column in layout.columns}
    apart = [name for name in dict.fromkeys(layout.cost_columns) if name not in features]
    if apart:
        yield (
            f"{_listed(apart)} a cost and not a feature, since a cost may be known only with the "
            "outcome; --costs-are-features makes it one"
        )
    if isinstance(rows.X, PartitionedFeatures):
        return
    useless: dict[str, list[str]] = {"empty": [], "constant": []}
    for column in inspect_features(layout.columns, rows.X, rows.y, data.named_categories):
        for finding in column.findings[:1]:
            if finding.code in useless:
                useless[finding.code].append(column.name)
            else:
                yield _note(finding, layout.multiclass)
    for names, what in zip(useless.values(), ("empty", "the same in every row"), strict=True):
        if names:
            yield f"{_listed(names)} {what}: nothing can be learnt there"


def _note(finding: Finding, multiclass: bool) -> str:
    if finding.code == "no_costs":
        return finding.message + NO_COSTS[multiclass]
    if finding.code in ADVICE:
        return finding.message + ADVICE[finding.code].format(column=finding.column)
    text = str(finding)
    return text.replace("give fn_cost", "give --fn-cost").replace("give fp_cost", "give --fp-cost")


def _listed(names: list[str]) -> str:
    quoted = some([repr(name) for name in names])
    return f"column {quoted} is" if len(names) == 1 else f"{len(names)} columns ({quoted}) are"
