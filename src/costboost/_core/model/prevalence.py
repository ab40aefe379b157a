"""Shares of the classes where a model is used, in place of those of the training rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from costboost._core.arithmetic import Floats

ESTIMATE = "estimate"
"""The prevalence that is estimated from the rows to be predicted."""
ROUNDING = 1e-6
"""Given shares of all classes must add up to 1 up to this."""


def odds_factor(prior: float, prevalence: float) -> float:
    """Factor of the odds of the positive class if its share changes from prior to prevalence."""
    return prevalence / (1 - prevalence) * ((1 - prior) / prior)


def reweighted(probability: Floats, factor: float) -> Floats:
    """Probabilities of the positive class whose odds are multiplied by a factor."""
    if factor == 1:
        return probability
    if factor > 1:  # divide, so that nothing overflows
        lifted: Floats = probability / (probability + (1 - probability) / factor)
        return lifted
    scaled = probability * factor
    lowered: Floats = scaled / (1 - probability + scaled)
    return lowered


def reweighted_shares(probability: Floats, ratio: Floats) -> Floats:
    """Probabilities of several classes, each multiplied by its ratio, with a sum of 1 again.

    Rows whose products are all 0 keep their probabilities.
    """
    scaled = probability * (ratio / ratio.max())
    total = scaled.sum(axis=1, keepdims=True)
    return np.where(total > 0, scaled / np.where(total > 0, total, 1), probability)


def population_shares(prior: Floats, sampling: Floats | None) -> Floats:
    """Shares of the classes in the population, from those of a sample that kept some of the rows.

    ``sampling`` is the share of the rows of each class that was kept; None if all were.
    """
    if sampling is None:
        return prior
    shares = prior / sampling
    return np.asarray(shares / shares.sum())


def check_prevalence(prevalence: Any, classes: NDArray[Any], positive: int | None) -> Floats:
    """Shares of all classes, in their order, from a number, a mapping of labels or a vector.

    A number is the share of the positive class, whose index is given if there are two classes. A
    mapping may leave out one class, which has the rest.
    """
    if isinstance(prevalence, Mapping):
        shares = _from_mapping(prevalence, classes)
    elif isinstance(prevalence, (str, bytes)):
        raise ValueError(
            f"prevalence must be a number, the shares of the classes or 'estimate', got "
            f"{prevalence!r}"
        )
    elif np.ndim(prevalence) == 0:
        shares = _from_number(prevalence, classes, positive)
    else:
        shares = _numbers(prevalence)
        if shares.shape != (len(classes),):
            raise ValueError(
                f"prevalence must have one share for each of the {len(classes)} classes, got an "
                f"array of shape {shares.shape}"
            )
    _refuse_outside(shares)
    if abs(shares.sum() - 1) > ROUNDING:
        raise ValueError(
            f"the shares of the classes in prevalence must add up to 1, but their sum is "
            f"{shares.sum():g}"
        )
    return np.asarray(shares / shares.sum())


def _refuse_outside(shares: Floats) -> None:
    outside = shares[~((shares > 0) & (shares < 1))]
    if outside.size:
        raise ValueError(
            f"prevalence must be above 0 and below 1, got {outside[0]:g}; a class that cannot "
            "occur needs no classifier"
        )


def _from_number(value: Any, classes: NDArray[Any], positive: int | None) -> Floats:
    if positive is None:
        raise ValueError(
            f"prevalence is one number, {value!r}, but there are {len(classes)} classes; give a "
            "share for each: a mapping such as {label: share}, or an array in the order of classes_"
        )
    share = float(_numbers(value))
    _refuse_outside(np.array([share]))
    shares = np.array([1 - share, share])
    return shares if positive == 1 else shares[::-1]


def _from_mapping(given: Mapping[Any, Any], classes: NDArray[Any]) -> Floats:
    shares = by_label("prevalence", given, classes)
    missing = np.isnan(shares)
    _refuse_outside(shares[~missing])
    if missing.sum() > 1:
        raise ValueError(
            f"prevalence has no share for the classes "
            f"{', '.join(map(repr, classes[missing].tolist()))}; leave out at most one"
        )
    return np.where(missing, 1 - np.nansum(shares), shares)


def by_label(name: str, given: Mapping[Any, Any], classes: NDArray[Any]) -> Floats:
    """A number for each class from a mapping of labels; NaN for classes that it leaves out."""
    labels = classes.tolist()
    found = np.full(len(labels), np.nan)
    for label, value in given.items():
        if label not in labels:
            raise ValueError(
                f"{name} has the class {label!r}, but the classes are "
                f"{', '.join(map(repr, labels[:5]))}"
            )
        found[labels.index(label)] = float(_numbers(value, name))
    return found


def _numbers(value: Any, name: str = "prevalence") -> Floats:
    try:
        found = np.asarray(value)
        if found.dtype.kind not in "iuf":
            raise ValueError(f"values of type {found.dtype} are not numbers")
    except ValueError as error:
        raise ValueError(f"{name} must be numbers, got {value!r}: {error}") from error
    if not np.isfinite(found).all():
        raise ValueError(f"{name} must be finite, got {value!r}")
    return found.astype(np.float64)


SIDES = ("negative", "positive")


def check_sampling(sampling: Any, classes: NDArray[Any], positive: int | None) -> Floats | None:
    """Share of the rows of each class that the training data kept; None if all were kept.

    Keys are labels or, for two classes, "negative" and "positive".
    """
    if sampling is None:
        return None
    if not isinstance(sampling, Mapping):
        raise ValueError(
            "sampling must be a mapping from a class to the share of its rows that was kept, such "
            f"as {{'negative': 0.1}}, got {sampling!r}"
        )
    labels = classes.tolist()
    own = dict(sampling)
    if positive is not None:
        of_side = {SIDES[1]: labels[positive], SIDES[0]: labels[1 - positive]}
        own = {key if key in labels else of_side.get(key, key): v for key, v in own.items()}
        if len(own) < len(sampling):
            raise ValueError(f"sampling names a class twice: {sampling!r}")
    kept = by_label("sampling", own, classes)
    kept = np.where(np.isnan(kept), 1.0, kept)
    if not np.all((kept > 0) & (kept <= 1)):
        bad = kept[~((kept > 0) & (kept <= 1))][0]
        raise ValueError(
            f"the share of rows kept, in sampling, must be above 0 and at most 1, got {bad:g}"
        )
    return None if np.all(kept == kept[0]) else kept
