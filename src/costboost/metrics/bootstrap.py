"""Intervals of measures by resampling rows."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from costboost.cluster.collections import takes_collections
from costboost.metrics.checks import Floats, check_labels, distinct

TRIES = 1000
"""Times that a resample with rows of one class only is drawn again."""


class Interval(NamedTuple):
    """A measure with the limits of an interval; arrays if the measure returns one."""

    value: Any
    low: Any
    high: Any


@takes_collections
def bootstrap_interval(
    measure: Callable[..., Any],
    y_true: Any,
    y_score: Any,
    *,
    confidence: float = 0.95,
    n_resamples: int = 1000,
    random_state: Any = None,
    **options: Any,
) -> Interval:
    """Percentile bootstrap interval of a measure over the rows.

    Rows are drawn with replacement, each with its label, score, weight and costs; the interval has
    the quantiles of the measure over such resamples. It describes the chance of the rows that the
    model was evaluated on, not that of its training.

    Parameters
    ----------
    measure : callable
        A function of this module, or any ``measure(y_true, y_score, **options)`` that returns a
        number or an array of a fixed length.
    y_true, y_score : array of shape (n_samples,)
        Labels, and the scores, probabilities or predictions that the measure takes.
    confidence : float, default 0.95
        Confidence of the interval, between 0 and 1.
    n_resamples : int, default 1000
        Number of resamples.
    random_state : int, RandomState or None, default None
        Seed of the resamples.
    **options
        Passed on to the measure. Arrays with an entry for each row, such as ``sample_weight`` or
        ``fn_cost``, are resampled with the rows.

    Returns
    -------
    Interval
        With ``value``, ``low`` and ``high``.

    Notes
    -----
    Resamples without rows of one of the classes are drawn again. Measures that are chosen on the
    rows, such as those of the ROC convex hull, are a little too good on each resample, so that
    their intervals lie a little too high.

    References
    ----------
    B. Efron, R. J. Tibshirani, "An introduction to the bootstrap", Chapman & Hall 1993.

    Examples
    --------
    >>> import numpy as np
    >>> from costboost.metrics import bootstrap_interval, gini_score
    >>> y, score = np.arange(200) % 2, np.arange(200) % 7
    >>> found = bootstrap_interval(gini_score, y, score + 2 * y, random_state=0)
    >>> print(f"{found.value:.2f}, {found.low:.2f} to {found.high:.2f}")
    0.49, 0.35 to 0.62
    """
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must be between 0 and 1, got {confidence!r}")
    if isinstance(n_resamples, bool) or not isinstance(n_resamples, Integral) or n_resamples < 2:
        raise ValueError(f"n_resamples must be a whole number of at least 2, got {n_resamples!r}")
    labels = check_labels("y_true", y_true)
    n, classes = labels.size, distinct(labels)
    codes = np.sum([k * (labels == label) for k, label in enumerate(classes)], axis=0)
    columns = {"y_true": labels, "y_score": np.asarray(y_score)}
    columns |= {name: np.asarray(v) for name, v in options.items() if np.shape(v)[:1] == (n,)}
    fixed = {name: value for name, value in options.items() if name not in columns}
    value = _found(measure, columns, fixed)
    rng = check_random_state(random_state)
    drawn = []
    for _ in range(int(n_resamples)):
        rows = _resample(rng, codes, columns.get("sample_weight"))
        part = {name: values[rows] for name, values in columns.items()}
        drawn.append(_found(measure, part, fixed))
    low, high = np.quantile(drawn, [(1 - confidence) / 2, (1 + confidence) / 2], axis=0)
    if np.ndim(value):
        return Interval(value, low, high)
    return Interval(float(value), float(low), float(high))


def _resample(rng: Any, codes: NDArray[Any], weight: Any) -> NDArray[np.intp]:
    """Indices of rows drawn with replacement, such that every class has rows that count."""
    for _ in range(TRIES):
        rows = rng.randint(codes.size, size=codes.size)
        counted = rows if weight is None else rows[weight[rows] > 0]
        if np.all(np.bincount(codes[counted], minlength=codes.max() + 1)):
            return np.asarray(rows, dtype=np.intp)
    raise ValueError(
        "resamples of the rows have rows of one class only; an interval needs more rows of the "
        "other one"
    )


def _found(measure: Callable[..., Any], columns: dict[str, Any], fixed: dict[str, Any]) -> Floats:
    named = {k: v for k, v in columns.items() if k not in ("y_true", "y_score")}
    return np.asarray(
        measure(columns["y_true"], columns["y_score"], **named, **fixed), dtype=np.float64
    )
