"""Cost against skew or cost proportion: of one classifier, or the mean of several runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from costboost.decisions.folds import take
from costboost.metrics.checks import Floats
from costboost.metrics.curves import area_below
from costboost.plots.numbers.answers import Run
from costboost.plots.numbers.rows import Rows
from costboost.plots.numbers.runs import confidence_band, mean_of, values_at

GRID = np.linspace(0, 1, 501)
"""Skews or cost proportions at which runs are averaged."""

Compute = Callable[..., tuple[Floats, Floats]]
"""Labels and answers of a classifier to skews or cost proportions, and costs."""


class Form(NamedTuple):
    """What a curve runs over, and the share of positives that its probabilities belong to."""

    by: str = "skew"
    prior: float | None = None

    def mark(self, rows: Rows) -> float:
        """Where the costs of the rows are on the curve."""
        return rows.skew if self.by == "skew" else rows.cost_proportion

    @property
    def most(self) -> float:
        """The greatest cost: with one class only and c near 0 or 1, a mistake costs 2."""
        return 1.0 if self.by == "skew" else 2.0


class SkewCurve(NamedTuple):
    """Skews or cost proportions, and costs, with limits where there were several runs."""

    z: Floats
    q: Floats
    lower: Floats | None = None
    upper: Floats | None = None
    n_runs: int = 1
    area: float | None = None


def of_scores(compute: Compute, rows: Rows, score: Any, form: Form) -> SkewCurve:
    """The exact curve of one classifier."""
    z, q = compute(
        rows.positive,
        score,
        **form._asdict(),
        fn_cost=rows.fn_cost,
        fp_cost=rows.fp_cost,
        sample_weight=rows.weight,
        pos_label=True,
    )
    return SkewCurve(z, q, area=area_below(z, q))


def of_runs(
    compute: Compute, answer: Callable[..., Floats], runs: list[Run], X: Any, rows: Rows, form: Form
) -> SkewCurve:
    """The mean over the rows held out in each run."""
    said = [answer(run.estimator, take(X, run.test), rows.label) for run in runs]
    curves = [
        of_scores(compute, rows.take(run.test), score, form)
        for run, score in zip(runs, said, strict=True)
    ]
    band = mean_of([values_at(one.z, one.q, GRID) for one in curves], 0, form.most)
    return SkewCurve(GRID, *band, area=float(np.mean([one.area for one in curves])))


def of_costs(z: Any, q: Any, form: Form) -> SkewCurve:
    """The mean of costs that were measured in several runs."""
    return SkewCurve(z, *confidence_band(q, least=0, most=form.most))


def check_form(by: str, positive_share: Any) -> None:
    """By skew or by cost proportion, with a share of positives that may be missing."""
    if by not in ("skew", "cost"):
        raise ValueError(f"by must be 'skew' or 'cost', got {by!r}")
    if positive_share is not None and not 0 < positive_share < 1:
        raise ValueError(f"positive_share must be between 0 and 1, got {positive_share!r}")


def check_curve(z: Any, q: Any, lower: Any, upper: Any) -> list[Any]:
    """The four as arrays of one length; the limits may be missing."""
    arrays = [
        None if one is None else np.asarray(one, dtype=np.float64) for one in (z, q, lower, upper)
    ]
    shapes = {one.shape for one in arrays if one is not None}
    if arrays[0] is None or arrays[0].ndim != 1 or len(shapes) > 1:
        raise ValueError(
            f"z, q, lower and upper must be of one length, got the shapes {sorted(shapes)}"
        )
    if (lower is None) != (upper is None):
        raise ValueError("a band has two limits: pass both lower and upper, or neither")
    if not np.all((arrays[0] >= 0) & (arrays[0] <= 1)):
        raise ValueError("z must be skews or cost proportions, from 0 to 1")
    return arrays
