"""Measures of decisions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from costboost._core.arrays import Flags
from costboost.app.plots.numbers.labelled_rows import LabelledRows
from costboost.decisions.goals import HeldOut, Outcomes
from costboost.metrics.checks import Floats

# ---- measures of decisions -----------------------------------------------------------------------


def _share(part: Floats, whole: Floats | float) -> Floats:
    """part / whole, or 0 where the whole is 0, as in scikit-learn's precision."""
    whole = np.broadcast_to(np.asarray(whole, dtype=np.float64), part.shape)
    return np.divide(part, whole, out=np.zeros(part.shape), where=whole > 0)


def _mistakes(o: Outcomes) -> Floats:
    return np.maximum(o.positives - o.hits, 0.0) + o.alarms


MEASURES: dict[str, Callable[[Outcomes, tuple[float, float]], Floats]] = {
    "precision": lambda o, _: _share(o.hits, o.predicted_positive),
    "recall": lambda o, _: _share(o.hits, o.positives),
    "f1": lambda o, _: _share(2 * o.hits, o.predicted_positive + o.positives),
    "fpr": lambda o, _: _share(o.alarms, o.negatives),
    "error": lambda o, _: _share(_mistakes(o), o.weight),
    "cost": lambda o, _: _share(o.cost if o.right is None else o.cost + o.right, o.weight),
    "normalized_cost": lambda o, ends: _share(o.cost - ends[0], ends[1] - ends[0]),
}
"""Measures by name, as functions of outcomes and of the least and greatest cost of mistakes."""

TITLES = {
    "precision": "precision",
    "recall": "recall",
    "f1": "F1",
    "fpr": "false alarm rate",
    "error": "error rate",
    "cost": "mean cost",
    "normalized_cost": "normalised cost Q",
}
"""Names of the measures in a plot."""


def check_measures(measures: Sequence[str] | str) -> list[str]:
    """Names of measures without repetitions; an unknown one raises a ValueError."""
    names = [measures] if isinstance(measures, str) else list(measures)
    unknown = [name for name in names if name not in MEASURES]
    if unknown or not names:
        raise ValueError(
            f"measures must be some of {', '.join(MEASURES)}, got "
            f"{unknown[0] if unknown else names!r}"
        )
    return list(dict.fromkeys(names))


def measure_decisions(
    rows: LabelledRows, decisions: Iterable[Flags], measures: Sequence[str]
) -> dict[str, Floats]:
    """Measures of each set of decisions on the same rows; decisions may come one by one."""
    fold = np.zeros(rows.positive.size, dtype=np.intp)
    held = HeldOut(rows.positive, rows.weight, rows.cost, fold, right=rows.right)
    found = [_outcomes(held, positive) for positive in decisions]
    if not found:
        raise ValueError("there are no decisions to measure")
    cost = rows.weighted_cost
    ends = float(np.minimum(cost, 0.0).sum()), float(np.maximum(cost, 0.0).sum())
    return {name: np.concatenate([MEASURES[name](one, ends) for one in found]) for name in measures}


def _outcomes(held: HeldOut, positive: Flags) -> Outcomes:
    if positive.shape != held.positive.shape:
        raise ValueError(
            f"y_true has {held.positive.size} rows, but there are decisions of shape "
            f"{positive.shape}"
        )
    return held.decided(positive[None])


# ---- measures after each round -------------------------------------------------------------------


def highest(measure: str) -> float:
    """The greatest possible value of a measure."""
    return np.inf if measure == "cost" else 1.0


def lowest(measure: str, rows: LabelledRows) -> float:
    """The least possible value of a measure: a mean cost may be a gain."""
    return -np.inf if measure == "cost" and rows.right is not None else 0.0
