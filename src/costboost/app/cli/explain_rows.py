"""What moves the decision on a row, or those on many rows on average."""

from __future__ import annotations

from math import exp
from typing import Any

import numpy as np

from costboost._core.arrays import Label
from costboost._core.checks import Floats
from costboost._core.explaining import (
    LOG_ODDS,
    LOG_SHARES,
    SCORE,
    Explanation,
    running_probabilities,
)
from costboost.app.cli import progress, terminal
from costboost.app.cli.explained import ExplainedModel, spread
from costboost.app.cli.predictors import fixed_costs
from costboost.app.cli.shapes import BAR_WIDTH, signed_bar
from costboost.app.reading.columns import Column
from costboost.app.reading.errors import InputError
from costboost.app.reading.labelled import RowsRead
from costboost.app.report.numbers import predict_classes
from costboost.metrics.costs import decides_by_cost

UNITS = {
    LOG_ODDS: "log-odds",
    LOG_SHARES: "log-probability, relative to the other classes",
    SCORE: "score",
}
"""Units of explanations in sentences."""
HEADS = {LOG_ODDS: "log-odds", LOG_SHARES: "log-prob.", SCORE: "score"}
"""Units of explanations in the heads of tables."""
MAX_ROWS = 100
"""Rows that are explained."""
SURE = 700.0
"""Log-odds below minus this are those of a probability of 0."""
AVERAGE = "average row"
"""Name of the base: the output at the mean score of the rows that others are compared with."""


def explain_rows(explained: ExplainedModel, X: Any) -> None:
    """Print how far the features move what decides on average."""
    X, classes, names = spread(X, MAX_ROWS), explained.classes, explained.layout.feature_names
    with progress.spinner(f"explaining {X.num_rows:,} rows"):
        explanation = explained.explanation(X, X, {})
    values = explanation.values
    if not classes[0].two:
        values = np.abs(values[:, :, [each.column for each in classes]]).mean(axis=2)
    far = np.abs(values).mean(axis=0)
    order = np.argsort(-far, kind="stable")
    if explained.given.json:
        mean = {names[j]: float(far[j]) for j in order[: explained.given.top]}
        unit = explanation.unit
        terminal.write_json({"rows": X.num_rows, "unit": unit, "mean_absolute_move": mean})
        return
    over = f" and {len(classes)} classes" if len(classes) > 1 else ""
    terminal.write(
        f"How far the features move the {UNITS[explanation.unit]}, on average over "
        f"{X.num_rows:,} rows{over}:"
    )
    terminal.write()
    largest = float(far.max()) or 1.0
    rows = [
        [names[j], f"{far[j]:.3f}", terminal.blocks(round(BAR_WIDTH * far[j] / largest))]
        for j in order[: explained.top]
    ]
    terminal.table(["feature", "moves by", ""], rows)


def explain_row(explained: ExplainedModel, rows: RowsRead, number: int, by_costs: bool) -> None:
    """Print how the features move what decides on a row away from that of an average row.

    With more than two classes, it is the probability of the class that the row is given.
    ``by_costs`` is whether the costs of the classes decide, and not actions.
    """
    X, names = rows.X, explained.layout.feature_names
    if number > X.num_rows:
        raise InputError(f"there is no row {number}: the data have {X.num_rows:,}")
    row, shown_class = X.slice(number - 1, 1), explained.classes[0]
    by_costs = by_costs and not explained.layout.multiclass
    costs = _costs(explained, rows.row(number)) if by_costs else {}
    if len(explained.classes) > 1:
        shown_class = explained.classes[int(predict_classes(explained.model, row).code[0])]
    explanation = explained.explanation(row, X, costs)
    of_class = explanation if shown_class.two else explanation[..., shown_class.column]
    moved, base = of_class.values[0], float(of_class.base_values[0])
    p = float(explained.model.predict_proba(row)[0, shown_class.column])
    order = np.argsort(-np.abs(moved), kind="stable")
    running = running_probabilities(explanation, 0, order)
    if running is not None and not shown_class.two:
        running = running[:, shown_class.column]
    has_threshold = by_costs and of_class.thresholds is not None
    above = float(of_class.thresholds[0]) if has_threshold else None
    if explained.given.json:
        terminal.write_json(
            {
                "row": number,
                "class": shown_class.label,
                "probability": p,
                "unit": of_class.unit,
                "base": base,
                "base_probability": None if running is None else float(running[0]),
                "threshold": above,
                "moves": {names[j]: float(moved[j]) for j in order[: explained.given.top]},
            }
        )
        return
    terminal.write(f"Row {number}: the probability of {shown_class.label} is {p:.4g}.")
    if above is not None:
        terminal.write(_decision_text(of_class, shown_class.label, above))
    terminal.write(f"What the features add to the {UNITS[of_class.unit]} of an average row:")
    terminal.write()
    shown = order[: explained.top]
    largest = float(np.abs(moved).max()) or 1.0
    cells = [[AVERAGE, "", f"{base:+.3f}", _running_text(running, 0), ""]]
    cells += [
        [
            names[j],
            _value_text(explained.layout.columns[j], row.column(names[j])[0]),
            f"{moved[j]:+.3f}",
            _running_text(running, k + 1),
            signed_bar(moved[j], largest),
        ]
        for k, j in enumerate(shown)
    ]
    if len(shown) < len(order):
        rest = float(moved[order[len(shown) :]].sum())
        more = f"{len(order) - len(shown)} more"
        cells.append([more, "", f"{rest:+.3f}", _running_text(running, -1), ""])
    head = ["feature", "value", HEADS[of_class.unit], "probability", ""]
    kept = [0, 1, 2, 4] if running is None else [0, 1, 2, 3, 4]
    terminal.table([head[k] for k in kept], [[line[k] for k in kept] for line in cells])


def _costs(explained: ExplainedModel, row: RowsRead) -> dict[str, Any]:
    """Costs for the explanation of a row, unless they are those of the model."""
    changed = explained.changed_costs
    if not (changed or row.layout.cost_columns):
        return {}
    if decides_by_cost(explained.model):
        return row.costs
    if changed:
        raise fixed_costs(explained.model)
    return {}


def _decision_text(explanation: Explanation, label: Label, above: float) -> str:
    """What is compared with the threshold, and the prediction."""
    total = float(explanation.base_values[0] + explanation.values[0].sum())
    word = "predicts" if total > above else "does not predict"
    if explanation.unit == SCORE:
        return f"The score {total:.4g} decides, and the model {word} {label}: it does above 0."
    limit = 1 / (1 + exp(-above)) if above > -SURE else 0.0
    return f"The model {word} {label}: it does above {limit:.4g}, log-odds of {above:.4g}."


def _running_text(running: Floats | None, k: int) -> str:
    return "" if running is None else f"{running[k]:.4g}"


def _value_text(column: Column, scalar: Any) -> str:
    value = scalar.as_py()
    if value is None:
        return "missing"
    return column.format(value, digits=6) if isinstance(value, float) else str(value)
