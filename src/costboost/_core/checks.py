"""Validation of user input: parameters, numbers, weights, labels and folds; warnings."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from inspect import currentframe
from numbers import Integral, Real
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from costboost._core.arrays import Floats as Floats

Fold = TypeVar("Fold")
LIBRARY = __name__.split(".")[0]
LONGEST_QUOTE = 80
MOST_JOBS = 1024
LARGEST = float(np.finfo(np.float64).max)
FRAMES = ("pandas", "polars", "pyarrow")


# ---- numbers -------------------------------------------------------------------------------------


def real_numbers(values: Any) -> Floats:
    """Convert values to floats; complex numbers, dates, text and other objects raise ValueError."""
    found = np.asarray(values)
    if found.dtype.kind not in "biufO":
        raise ValueError(f"values of type {found.dtype} are not real numbers")
    try:
        return found.astype(np.float64, copy=False)
    except (TypeError, OverflowError) as error:
        raise ValueError(str(error)) from error


def check_numbers(name: str, values: Any) -> Floats:
    """Convert values to floats, in a new array."""
    try:
        return np.array(real_numbers(values))
    except ValueError as error:
        raise ValueError(f"{name} must be numbers: {error}") from error


def check_finite(name: str, values: Any) -> Floats:
    """Convert values to floats that are finite."""
    numbers = check_numbers(name, values)
    bad = ~np.isfinite(numbers)
    if bad.any():
        raise ValueError(f"{name} must be finite, got {numbers[bad].flat[0]:g}{_where(bad)}")
    return numbers


def check_not_negative(name: str, values: Any) -> Floats:
    """Convert values to floats that are finite and not below 0."""
    numbers = check_numbers(name, values)
    bad = ~np.isfinite(numbers) | (numbers < 0)
    if bad.any():
        first = numbers[bad].flat[0]
        raise ValueError(f"{name} must be finite and not negative, got {first:g}{_where(bad)}")
    return numbers


def _where(bad: NDArray[np.bool_]) -> str:
    """Position of the first bad value, for a message."""
    if bad.ndim == 0:
        return ""
    place = tuple(int(at[0]) for at in np.nonzero(bad))
    return f" in row {place[0]}" if len(place) == 1 else f" at {place}"


def check_weight(sample_weight: Any, n_rows: int, of: str = "rows") -> Floats:
    """Validate sample weights; None becomes a weight of 1 for each row."""
    if sample_weight is None:
        return np.ones(n_rows)
    weight = check_not_negative("sample_weight", sample_weight)
    if weight.shape != (n_rows,):
        raise ValueError(
            f"sample_weight must have one value for each of the {n_rows} {of}, got an array of "
            f"shape {weight.shape}"
        )
    if not weight.any():
        raise ValueError("sample_weight is zero for every row; at least one row must count")
    with np.errstate(over="ignore"):
        if not np.isfinite(weight.sum()):
            raise ValueError("sample_weight adds up to more than a number can hold; scale it down")
    return weight


def check_scores(name: str, score: Any) -> Floats:
    """Validate scores: one finite number for each row."""
    values = check_numbers(name, score)
    if values.ndim != 1:
        raise ValueError(
            f"{name} must have one value for each row, got an array of shape {values.shape}; of "
            "the two columns of predict_proba, take that of the positive class"
        )
    bad = ~np.isfinite(values)
    if bad.any():
        raise ValueError(
            f"{name} must be finite, got {values[bad][0]}{_where(bad)}; drop such rows"
        )
    return values


def refuse_no_number(name: str, value: Any) -> None:
    """Raise ValueError if a number, or an array of numbers, is given as None or as text."""
    if value is None:
        raise ValueError(f"{name} must be a number, got None; leave it out for its default")
    found = np.asarray(value)
    texts = [found.flat[0]] if found.dtype.kind in "US" and found.size else []
    if found.dtype == object:
        texts = [one for one in found.flat if isinstance(one, (str, bytes))]
    if texts:
        raise ValueError(
            f"{name} must be a number or an array of numbers, got the text "
            f"{quoted(str(texts[0]))}; convert it with float() or astype(float)"
        )


def refuse_unread(name: str, value: Any) -> None:
    """Raise ValueError for lazy queries, iterators and data frames of unsupported libraries."""
    kind, library = type(value).__name__, type(value).__module__.split(".")[0]
    if library == "polars" and kind == "LazyFrame":
        raise ValueError(
            f"{name} is a polars LazyFrame, a query whose rows are not there yet; pass "
            f"{name}.collect()"
        )
    if library == "dask":
        raise ValueError(
            f"{name} is a Dask {kind}, whose rows are not in memory, where they are needed here; "
            f"pass {name}.compute(), or the part of the rows that matters"
        )
    if library == "distributed":
        raise ValueError(
            f"{name} is a Dask {kind}, whose rows are on a worker; pass {name}.result(), or a Dask "
            "array or data frame made of such parts"
        )
    if isinstance(value, Iterator):
        raise ValueError(
            f"{name} is an iterator ({kind}), which can be read once only; pass list({name})"
        )
    if library not in FRAMES and hasattr(value, "columns"):
        raise ValueError(
            f"{name} is a {kind} of {library}, which is not read here; convert it to a pandas or "
            "polars frame, a pyarrow table or a NumPy array"
        )


# ---- labels --------------------------------------------------------------------------------------


def check_labels(name: str, y: Any) -> NDArray[Any]:
    """Validate labels: one for each row, none of them missing."""
    labels = np.asarray(y)
    if labels.ndim != 1:
        raise ValueError(
            f"{name} must have one label for each row, got an array of shape {labels.shape}"
        )
    if labels.size == 0:
        raise ValueError(f"{name} is empty; there is nothing to measure")
    missing = labels.dtype == object and any(one is None or one != one for one in labels.tolist())
    if missing or (labels.dtype.kind == "f" and not np.all(np.isfinite(labels))):
        raise ValueError(f"{name} contains labels that are missing or infinite; drop those rows")
    return labels


def distinct(*ys: NDArray[Any]) -> NDArray[Any]:
    """Sorted distinct labels."""
    if len({y.dtype.kind in "US" for y in ys if y.dtype != object}) > 1:
        kinds = " and ".join(str(y.dtype) for y in ys)
        raise ValueError(f"labels must be of one kind, got arrays of {kinds}; convert one of them")
    try:
        return np.unique(np.concatenate([_candidates(y) for y in ys]))
    except TypeError as error:
        raise ValueError(f"labels that cannot be sorted: {error}") from error


def _candidates(y: NDArray[Any]) -> NDArray[Any]:
    """Smallest and largest label if there are no others, found without sorting; otherwise y."""
    if y.dtype.kind not in "biu":
        return y
    ends = np.array([y.min(), y.max()])
    return ends if np.all((y == ends[0]) | (y == ends[1])) else y


def some(labels: NDArray[Any]) -> str:
    """At most five labels, as text for a message."""
    names = ", ".join(repr(label) for label in labels[:5].tolist())
    return names + (", ..." if len(labels) > 5 else "")


def quoted(value: Any) -> str:
    """Representation of a value for a message, shortened to `LONGEST_QUOTE` characters."""
    text = " ".join(repr(value).split())
    return text if len(text) <= LONGEST_QUOTE else text[:LONGEST_QUOTE] + "..."


# ---- groups of rows ------------------------------------------------------------------------------


def check_group_labels(groups: Any, n_rows: int) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """Validate labels of groups; the groups in sorted order, and the number of that of each row."""
    values = np.asarray(groups)
    if values.shape != (n_rows,):
        raise ValueError(
            f"groups must have one label for each of the {n_rows} rows, got an array of shape "
            f"{values.shape}"
        )
    missing = values != values
    if values.dtype == object:
        missing = missing | np.array([one is None for one in values.tolist()], dtype=bool)
    if np.any(missing):
        row = int(np.flatnonzero(missing)[0])
        raise ValueError(f"groups has no label in row {row}; drop such rows, or give them one")
    try:
        labels, codes = np.unique(values, return_inverse=True)
    except TypeError as error:
        raise ValueError(f"groups must be labels that can be sorted: {error}") from error
    return labels, codes.astype(np.intp)


def group_codes(groups: Any, n_rows: int) -> NDArray[np.intp] | None:
    """Number of the group of each row, if no split may separate groups; None without groups."""
    if groups is None:
        return None
    labels, codes = check_group_labels(groups, n_rows)
    if labels.size < 2:
        raise ValueError(
            f"groups has one group only, {some(labels)}: no rows are left to train on if it is "
            "held out; leave groups out"
        )
    return codes


def refuse_divided_groups(
    stated: str, splits: Sequence[tuple[Any, Any]], groups: NDArray[np.intp] | None
) -> None:
    """Raise a ValueError if a group is in both parts of a split; ``stated`` is the argument."""
    if groups is None:
        return
    for kept, held in splits:
        both = np.intersect1d(groups[kept], groups[held])
        if both.size:
            raise ValueError(
                f"{stated} puts rows of {both.size} of the {groups.max() + 1} groups into both "
                "parts; take StratifiedGroupKFold or another splitter that uses groups, or leave "
                "groups out"
            )


# ---- folds ---------------------------------------------------------------------------------------


def check_folds(stated: str, n_rows: int, make: Callable[[], list[Fold]]) -> list[Fold]:
    """Call ``make()`` and raise a ValueError that quotes the argument ``stated`` if it fails."""
    try:
        folds = make()
    except (TypeError, ValueError, IndexError) as error:
        raise ValueError(
            f"{stated} cannot be used for these {n_rows} rows: {str(error).rstrip('.')}; give a "
            "splitter, or pairs of row numbers to train on and to hold out. If there are groups, "
            "list(splitter.split(X, y, groups)) makes the pairs"
        ) from error
    if not folds:
        raise ValueError(
            f"{stated} has no folds; an iterator can be used once only: give a list of pairs"
        )
    return folds


# ---- warnings ------------------------------------------------------------------------------------


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """Issue a warning whose stack level is the first caller outside of the library."""
    frame, level = currentframe(), 1
    while frame is not None and frame.f_globals.get("__name__", "").split(".")[0] == LIBRARY:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


class UnseenCategoryWarning(UserWarning):
    """Many values of a column are categories that training had no rows of.

    Predictions take them as missing or, in columns of very many categories, as one of the rare
    ones. Values of another type are other categories: 3 and "3" differ.
    """


# ---- classifiers that predict one class for all training rows ------------------------------------


SAMPLE = 1000
"""Number of rows that are predicted first; the others only if these are all of one class."""
ONE_CLASS = "predicts one class for all training rows"

Rows = NDArray[np.intp]


def only_class(n_rows: int, decide: Callable[[Rows], NDArray[Any]]) -> Any:
    """The class that is predicted for all rows; None if there are several.

    ``decide`` returns the predictions for the rows with the given numbers.
    """
    for step in (-(-n_rows // SAMPLE), 1):
        predicted = decide(np.arange(0, n_rows, step))
        if np.any(predicted != predicted[0]):
            return None
        if step == 1:
            break
    return predicted[0]


def warn_of_one_class(name: str, label: Any, remedy: str | None) -> None:
    """Warn that a classifier predicts this label for all training rows.

    ``remedy`` is what to use instead; None for a classifier with calibrated probabilities, whose
    predictions have the least expected cost.
    """
    label = label.item() if isinstance(label, np.generic) else label
    reason = "by its calibrated probabilities that costs least for each of them. "
    advice = (
        "Check the costs; more rows, or features that distinguish the classes better, may change it"
    )
    if remedy is not None:
        reason = "its scores are all on one side of the decision threshold under these costs. "
        advice = f"Take {remedy}"
    warn(f"{name} {ONE_CLASS}, {label!r}: {reason}{advice}.")


@contextmanager
def one_class_allowed() -> Iterator[None]:
    """Suppress `warn_of_one_class`, for fits whose predictions are not used or only compared."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=f".* {ONE_CLASS}", category=UserWarning)
        yield


# ---- parameters of estimators --------------------------------------------------------------------


def of_one_type(y: NDArray[Any]) -> NDArray[Any]:
    """Labels of the type object as numbers or booleans, if all of them are.

    Columns of data frames have that type after missing labels were dropped.
    """
    if y.dtype != object:
        return y
    kinds = set(map(type, y.tolist()))
    flags = {kind for kind in kinds if issubclass(kind, (bool, np.bool_))}
    numbers = {kind for kind in kinds if issubclass(kind, (int, float, np.number))} - flags
    return np.array(y.tolist()) if kinds and kinds in (flags, numbers) else y


MOST_ROUNDS = 2**31 - 1
"""Greatest number of learners; more would take years."""


def check_integer(clf: Any, name: str, least: int | None, most: int | None = None) -> None:
    """Check that a parameter is a whole number within bounds."""
    value = getattr(clf, name)
    bad = isinstance(value, (bool, np.bool_)) or not isinstance(value, Integral)
    bad = bad or (least is not None and value < least) or (most is not None and value > most)
    if bad:
        bounds = (
            "" if least is None else f" from {least} to {most}" if most else f" of at least {least}"
        )
        raise ValueError(f"{name} must be a whole number{bounds}, got {value!r}")


def jobs_for_joblib(n_jobs: Any, n_tasks: int) -> int | None:
    """``n_jobs`` for joblib, which would start as many processes, needed for the tasks or not."""
    if n_jobs is None:
        return None
    if not isinstance(n_jobs, Integral) or n_jobs == 0:
        raise ValueError(
            "n_jobs must be None or a whole number other than 0, -1 for all processors, got "
            f"{n_jobs!r}"
        )
    return max(-MOST_JOBS, min(int(n_jobs), n_tasks, MOST_JOBS))


def check_number(clf: Any, name: str, least: float, strict: bool) -> None:
    """Check that a parameter is a finite number above ``least``, or equal to it if not strict."""
    value = getattr(clf, name)
    bad = isinstance(value, (bool, np.bool_)) or not isinstance(value, Real)
    if bad or not abs(value) <= LARGEST or value < least or (strict and value == least):
        relation = "above" if strict else "of at least"
        raise ValueError(f"{name} must be a number {relation} {least}, got {value!r}")


def check_between(clf: Any, name: str, least: float, most: float) -> None:
    """Check that a parameter is a number from ``least`` to ``most``."""
    value = getattr(clf, name)
    bad = isinstance(value, (bool, np.bool_)) or not isinstance(value, Real)
    if bad or not least <= value <= most:
        raise ValueError(f"{name} must be a number from {least:g} to {most:g}, got {value!r}")


def check_choice(clf: Any, name: str, choices: tuple[str, ...]) -> None:
    """Check that a parameter is one of the choices."""
    value = getattr(clf, name)
    if not isinstance(value, str) or value not in choices:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, choices))}, got {value!r}")


def check_flag(clf: Any, name: str) -> None:
    """Check that a parameter is True or False."""
    value = getattr(clf, name)
    if not isinstance(value, (bool, np.bool_)):
        raise ValueError(f"{name} must be True or False, got {value!r}")
