"""Findings of `costboost.inspection` as notes, with options of the command line as advice."""

from __future__ import annotations

from collections.abc import Iterator

from costboost.cli.problem import Problem
from costboost.inspection.columns import Finding
from costboost.inspection.costs import inspect_costs
from costboost.inspection.tables import inspect_features
from costboost.reading.errors import some

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
"""Code of a finding -> what follows its message, where options take the place of parameters."""
NO_COSTS = {
    False: "; give --fn-cost and --fp-cost",
    True: "; give --cost-matrix FILE for the cost of each mistake, or --positive LABEL to set one "
    "class against the rest",
}
"""Advice if costs are missing, of two classes and of several."""


def data_notes(problem: Problem) -> Iterator[str]:
    """Notes on costs and columns; at most one on each column."""
    layout, rows = problem.layout, problem.rows
    costs = layout.costs_of(rows.fn_cost, rows.fp_cost)
    label = {} if layout.several else {"pos_label": layout.label}
    for finding in inspect_costs(rows.y, **label, **costs):
        yield _note(finding, layout.several)
    useless: dict[str, list[str]] = {"empty": [], "constant": []}
    for column in inspect_features(layout.columns, rows.X, rows.y, problem.named_categories):
        for finding in column.findings[:1]:
            if finding.code in useless:
                useless[finding.code].append(column.name)
            else:
                yield _note(finding, layout.several)
    for names, what in zip(useless.values(), ("empty", "the same in every row"), strict=True):
        if names:
            yield f"{_listed(names)} {what}: nothing can be learnt there"


def _note(finding: Finding, several: bool) -> str:
    if finding.code == "no_costs":
        return finding.message + NO_COSTS[several]
    if finding.code in ADVICE:
        return finding.message + ADVICE[finding.code].format(column=finding.column)
    return (
        str(finding)
        .replace("give fn_cost", "give --fn-cost")
        .replace("give fp_cost", "give --fp-cost")
    )


def _listed(names: list[str]) -> str:
    quoted = some([repr(name) for name in names])
    return f"column {quoted} is" if len(names) == 1 else f"{len(names)} columns ({quoted}) are"
