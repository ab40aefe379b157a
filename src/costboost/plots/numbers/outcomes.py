"""Measures of decisions: after each round, or for each value of a cost."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from costboost.decisions.outcomes import HeldOut, Outcomes
from costboost.metrics.checks import Floats
from costboost.plots.numbers.rows import Flags, Rows


def _share(part: Floats, whole: Floats | float) -> Floats:
    """0 where there is nothing to share, as scikit-learn's precision has it."""
    whole = np.broadcast_to(np.asarray(whole, dtype=np.float64), part.shape)
    return np.divide(part, whole, out=np.zeros(part.shape), where=whole > 0)


def _mistakes(o: Outcomes) -> Floats:
    return np.maximum(o.positives - o.hits, 0.0) + o.alarms


MEASURES: dict[str, Callable[[Outcomes, float], Floats]] = {
    "precision": lambda o, _: _share(o.hits, o.predicted_positive),
    "recall": lambda o, _: _share(o.hits, o.positives),
    "f1": lambda o, _: _share(2 * o.hits, o.predicted_positive + o.positives),
    "fpr": lambda o, _: _share(o.alarms, o.negatives),
    "error": lambda o, _: _share(_mistakes(o), o.weight),
    "cost": lambda o, _: _share(o.cost, o.weight),
    "normalized_cost": lambda o, at_stake: _share(o.cost, at_stake),
}
"""Measures by name, of what came of decisions and what being wrong everywhere would cost."""

TITLES = {
    "precision": "precision",
    "recall": "recall",
    "f1": "F1",
    "fpr": "false alarm rate",
    "error": "error rate",
    "cost": "mean cost",
    "normalized_cost": "normalised cost Q",
}
"""What to call them in a picture."""


def check_measures(measures: Sequence[str] | str) -> list[str]:
    """Names of measures that exist."""
    names = [measures] if isinstance(measures, str) else list(measures)
    unknown = [name for name in names if name not in MEASURES]
    if unknown or not names:
        raise ValueError(
            f"measures must be some of {', '.join(MEASURES)}, got "
            f"{unknown[0] if unknown else names!r}"
        )
    return list(dict.fromkeys(names))


def measured(rows: Rows, decisions: Iterable[Flags], measures: Sequence[str]) -> dict[str, Floats]:
    """Every measure of every set of decisions on the same rows."""
    held = HeldOut(
        rows.positive, rows.weight, rows.cost, np.zeros(rows.positive.size, dtype=np.intp)
    )
    found = [_outcomes(held, called) for called in decisions]
    if not found:
        raise ValueError("there are no decisions to measure")
    at_stake = float(rows.stakes.sum())
    return {
        name: np.concatenate([MEASURES[name](one, at_stake) for one in found]) for name in measures
    }


def _outcomes(held: HeldOut, called: Flags) -> Outcomes:
    if called.shape != held.positive.shape:
        raise ValueError(
            f"y_true has {held.positive.size} rows, but there are decisions of shape {called.shape}"
        )
    return held.decided(called[None])
