"""Costs over skews or over proportions of the costs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from costboost.app.plots.numbers.bands import confidence_band, mean_of, values_at
from costboost.app.plots.numbers.labelled_rows import LabelledRows
from costboost.app.plots.numbers.ranked import check_limits
from costboost.app.plots.numbers.runs import Run
from costboost.decisions.wrapping import take
from costboost.metrics.checks import Floats
from costboost.metrics.probabilities import area_below

SKEW_GRID = np.linspace(0, 1, 501)
"""Skews or cost proportions at which runs are averaged."""

Compute = Callable[..., tuple[Floats, Floats]]
"""Computes skews or cost proportions, and costs, from labels and scores."""


class Form(NamedTuple):
    """Whether a curve is over skews or cost proportions, and the prior of its probabilities."""

    by: str = "skew"
    prior: float | None = None

    def mark(self, rows: LabelledRows) -> float:
        """The skew or cost proportion of the rows."""
        return rows.skew if self.by == "skew" else rows.cost_proportion

    @property
    def most(self) -> float:
        """The greatest possible cost: by cost proportion, a mistake costs up to 2."""
        return 1.0 if self.by == "skew" else 2.0


class SkewCurve(NamedTuple):
    """A curve of costs, with the limits of a band if it is the mean of several runs."""

    z: Floats
    q: Floats
    lower: Floats | None = None
    upper: Floats | None = None
    n_runs: int = 1
    area: float | None = None


def skew_curve(compute: Compute, rows: LabelledRows, score: Any, form: Form) -> SkewCurve:
    """The exact curve of one classifier."""
    z, q = compute(
        rows.positive,
        score,
        **form._asdict(),
        fn_cost=rows.costs.net.fn,
        fp_cost=rows.costs.net.fp,
        sample_weight=rows.weight,
        pos_label=True,
    )
    return SkewCurve(z, q, area=area_below(z, q))


def mean_skew_curve(
    compute: Compute,
    predict: Callable[..., Floats],
    runs: list[Run],
    X: Any,
    rows: LabelledRows,
    form: Form,
) -> SkewCurve:
    """The mean curve over runs, each on its held-out rows."""
    scores = [predict(run.estimator, take(X, run.test), rows.label) for run in runs]
    curves = [
        skew_curve(compute, rows.take(run.test), score, form)
        for run, score in zip(runs, scores, strict=True)
    ]
    band = mean_of([values_at(one.z, one.q, SKEW_GRID) for one in curves], 0, form.most)
    return SkewCurve(SKEW_GRID, *band, area=float(np.mean([one.area for one in curves])))


def skew_curve_of_costs(z: Any, q: Any, form: Form) -> SkewCurve:
    """The mean curve of costs that were measured in several runs."""
    return SkewCurve(z, *confidence_band(q, least=0, most=form.most))


def check_form(by: str, positive_share: Any) -> None:
    """Raise a ValueError if ``by`` or the share of positives is invalid."""
    if by not in ("skew", "cost"):
        raise ValueError(f"by must be 'skew' or 'cost', got {by!r}")
    if positive_share is not None and not 0 < positive_share < 1:
        raise ValueError(f"positive_share must be between 0 and 1, got {positive_share!r}")


def check_curve(z: Any, q: Any, lower: Any, upper: Any) -> list[Any]:
    """The four arguments as arrays of one length; the limits may be None."""
    arrays = [
        None if one is None else np.asarray(one, dtype=np.float64) for one in (z, q, lower, upper)
    ]
    shapes = {one.shape for one in arrays if one is not None}
    if arrays[0] is None or arrays[0].ndim != 1 or len(shapes) > 1:
        raise ValueError(
            f"z, q, lower and upper must be of one length, got the shapes {sorted(shapes)}"
        )
    check_limits(lower, upper)
    if not np.all((arrays[0] >= 0) & (arrays[0] <= 1)):
        raise ValueError("z must be skews or cost proportions, from 0 to 1")
    return arrays
