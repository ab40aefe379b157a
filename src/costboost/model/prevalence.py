"""Prevalence: probabilities under other shares of the classes, and shares estimated from rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from costboost.vectors import Floats

ESTIMATE = "estimate"
"""The prevalence that is estimated from the rows to be predicted."""
ROUNDING = 1e-6
"""Given shares of all classes must add up to 1 up to this."""
BISECTIONS = 100
MOST_STEPS = 5000
SETTLED = 1e-12
"""EM has converged if no share changes by more."""
LEAST_SHARE = 1e-12
"""Estimated shares are at least this, so that odds are finite."""


# ---- probabilities under other shares of the classes ---------------------------------------------


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


# ---- what users give -----------------------------------------------------------------------------


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


# ---- shares estimated from unlabelled rows -------------------------------------------------------


def density_ratios(probability: Floats, prior: Floats) -> Floats:
    """P(x | class) / P(x) of each row and class: probabilities over the shares they refer to."""
    return np.asarray(probability / prior)


def log_likelihood(ratios: Floats, shares: Floats, weight: Floats) -> float:
    """Log-likelihood of shares of the classes, relative to that of the shares of training."""
    with np.errstate(divide="ignore"):
        return float(weight @ np.log(ratios @ shares))


def most_likely_shares(ratios: Floats, weight: Floats) -> Floats:
    """Shares of the classes of greatest likelihood (Saerens et al. 2002).

    The limit of their EM iterations; with two classes it is found by bisection, because the
    log-likelihood is concave.
    """
    if ratios.shape[1] == 2:
        share = _most_likely_share(ratios[:, 0], ratios[:, 1], weight)
        return np.array([1 - share, share])
    return em(ratios, weight)


def _most_likely_share(negative: Floats, positive: Floats, weight: Floats) -> float:
    low, high = 0.0, 1.0
    beyond = positive - negative
    for _ in range(BISECTIONS):
        share = (low + high) / 2
        if share in (low, high):
            break
        if weight @ (beyond / (negative + share * beyond)) > 0:
            low = share
        else:
            high = share
    return float(np.clip((low + high) / 2, LEAST_SHARE, 1 - LEAST_SHARE))


def em(ratios: Floats, weight: Floats, fixed: tuple[int, float] | None = None) -> Floats:
    """Shares of the classes by the EM algorithm, extrapolated (SQUAREM, Varadhan & Roland 2008).

    With ``fixed``, the share of a class is held at a value.
    """
    k = ratios.shape[1]
    shares = np.full(k, 1 / k)
    if fixed is not None:
        shares = _with_fixed(shares, fixed)
    total = weight.sum()

    def step(q: Floats) -> Floats:
        found: Floats = q * (weight @ (ratios / (ratios @ q)[:, None])) / total
        return found if fixed is None else _with_fixed(found, fixed)

    for _ in range(MOST_STEPS):
        first = step(shares)
        second = step(first)
        change, bend = first - shares, second - 2 * first + shares
        size = np.sqrt(change @ change)
        if size < SETTLED:
            break
        curve = np.sqrt(bend @ bend)
        length = -max(size / curve, 1.0) if curve > 0 else -1.0
        further = shares - 2 * length * change + length**2 * bend
        if np.all(further > 0) and log_likelihood(ratios, further, weight) >= log_likelihood(
            ratios, second, weight
        ):
            second = step(further)
        shares = second
    shares = np.maximum(shares, LEAST_SHARE)
    return np.asarray(shares / shares.sum())


def _with_fixed(shares: Floats, fixed: tuple[int, float]) -> Floats:
    """Shares of which one is held at a value; the others keep their proportions."""
    k, value = fixed
    others = np.maximum(shares, LEAST_SHARE)
    others = others * ((1 - value) / (others.sum() - others[k]))
    others[k] = value
    return np.asarray(others)
