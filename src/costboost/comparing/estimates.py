"""A measure over folds: its mean, and how far the truth may be from it."""

from __future__ import annotations

from math import inf, sqrt
from typing import NamedTuple

import numpy as np
from scipy import stats

from costboost.metrics.checks import Floats

LEVEL = 0.95


class Measure(NamedTuple):
    """Something that is measured on the held-out rows of a fold."""

    title: str
    greater_is_better: bool
    most: float
    """The greatest value there is; the least is 0."""


MEASURES = {
    "cost": Measure("mean cost", False, inf),
    "brier": Measure("Brier", False, 1.0),
    "accuracy": Measure("accuracy", True, 1.0),
    "precision_positive": Measure("precision +", True, 1.0),
    "recall_positive": Measure("recall +", True, 1.0),
    "f1_positive": Measure("F1 +", True, 1.0),
    "precision_negative": Measure("precision -", True, 1.0),
    "recall_negative": Measure("recall -", True, 1.0),
    "f1_negative": Measure("F1 -", True, 1.0),
    "seconds": Measure("seconds", False, inf),
}


class Estimate(NamedTuple):
    """Mean of a measure over the folds, and its 95% interval; None where there is no such thing."""

    mean: float
    low: float | None
    high: float | None

    def __str__(self) -> str:
        if self.low is None or self.high is None:
            return f"{self.mean:.3f}"
        return f"{self.mean:.3f} [{self.low:.3f}, {self.high:.3f}]"


def estimate(values: Floats, held_to_trained: float, least: float, most: float) -> Estimate:
    r"""Mean and interval of Nadeau and Bengio's corrected resampled t.

    .. math:: \bar x \pm t_{k-1,\,0.975} \sqrt{\left(\frac 1k + \frac{n_2}{n_1}\right) s^2}

    for k folds with n1 rows to train on and n2 held out. Folds share rows to train on, so that
    their results vary less than those of independent samples would; the second fraction makes up
    for it.
    """
    k, mean = values.size, float(values.mean())
    if k < 2:
        return Estimate(mean, None, None)
    spread = float(values.std(ddof=1)) * sqrt(1 / k + held_to_trained)
    half = float(stats.t.ppf((1 + LEVEL) / 2, k - 1)) * spread
    low, high = np.clip([mean - half, mean + half], least, most).tolist()
    return Estimate(mean, low, high)
