"""Which rows are held out, once or in turn: stratified by class, never separating a group."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import (
    GroupShuffleSplit,
    LeaveOneGroupOut,
    LeaveOneOut,
    StratifiedGroupKFold,
    StratifiedKFold,
    train_test_split,
)

from costboost._core.arithmetic import Floats
from costboost._core.arrays import Indices
from costboost._core.checks import check_folds, quoted, refuse_divided_groups
from costboost._core.parameters.parameter import is_given, is_share
from costboost._core.training.copies import complete, folds_of_copies, written_again

FOLDS = 5
"""Default number of folds."""
FOLDS_SEED = 209652396
"""Seed of folds, whatever ``random_state`` is: two fits on the same rows hold out the same ones. It
is the number that ``random_state=0`` draws."""


Codes = NDArray[Any]
"""A class number for each row; with two classes, whether it is positive."""
Groups = NDArray[np.intp] | None
"""A number for the group of each row, or None if there are no groups."""
Parts = list[tuple[Indices, Indices]]
"""Pairs of training rows and held-out rows."""


def split_rows(
    split: Any,
    code: Codes,
    counts: Floats,
    seed: Callable[[], int],
    groups: Groups = None,
    copies: Groups = None,
) -> Parts:
    """Training rows and held-out rows, for any number of classes; rows of weight 0 are left out.

    No group is in both parts. Without groups, rows that were written again are in the same part as
    their copies, unless no such split has rows of all classes everywhere. The seed is drawn only
    for a share that is held out once; folds are shuffled, always in the same way.
    """
    if is_given(split):
        parts = [
            (kept[counts[kept] > 0], held[counts[held] > 0])
            for kept, held in _given_parts(split, code, groups)
        ]
        refuse_divided_groups(_parameter(split), parts, groups)
    else:
        rows = np.flatnonzero(counts)
        given = split, code[rows], None if groups is None else groups[rows]
        same = None
        if copies is not None and groups is None:
            same = written_again(copies[rows], code[rows])
        if is_share(split):
            found = _share(*given, seed(), same)
        else:
            found = _folds(*given) if same is None else _folds_of_copies(split, code[rows], same)
        parts = [(rows[kept], rows[held]) for kept, held in found]
    for kept, _ in parts:
        if np.unique(code[kept]).size < 2:
            raise ValueError(
                f"{_parameter(split)} leaves {kept.size} rows to train on that are not of "
                "two classes; take a stratified splitter, fewer folds, or more rows"
            )
    held = np.concatenate([rows for _, rows in parts])
    if np.unique(code[held]).size < 2:
        raise ValueError(
            f"the {held.size} rows that {_parameter(split)} holds out are not of two classes; "
            "calibration needs both: hold out other or more rows"
        )
    return parts


def rarest(code: Codes) -> int:
    """Number of rows of the smallest class; 0 if there is one class only."""
    counts = np.unique(code, return_counts=True)[1]
    return int(counts.min()) if counts.size > 1 else 0


def _share(split: Any, code: Codes, groups: Groups, seed: int, copies: Groups) -> Parts:
    """A share of the rows held out once, stratified; of copies, by the first of each."""
    fewest, share = rarest(code), float(split)
    if min(fewest * share, fewest * (1 - share)) < 1:
        raise ValueError(
            f"calibration_split={split} cannot hold out and train on rows of every class: the "
            f"smallest one has {fewest} rows; give another share, folds, or more rows"
        )
    if copies is not None:
        first, place = np.unique(copies, return_index=True, return_inverse=True)[1:]
        fewest = rarest(code[first])
        if min(fewest * share, fewest * (1 - share)) >= 1:
            held = np.isin(place, hold_out(code[first], share, seed)[1])
            parts = [(np.flatnonzero(~held), np.flatnonzero(held))]
            if complete(parts, code):
                return parts
    return [hold_out(code, share, seed, groups)]


TRIES = 50
"""Random choices of groups to hold out, of which the most balanced is taken."""


def hold_out(
    code: Codes, share: float, seed: int, groups: Groups = None
) -> tuple[Indices, Indices]:
    """Rows kept and a share of the rows held out, stratified; no group is in both parts.

    Of several random choices of groups, the one whose held-out share of each class is nearest to
    the share is taken.
    """
    if groups is None:
        rows = np.arange(code.size)
        kept, held = train_test_split(rows, test_size=share, stratify=code, random_state=seed)
        return np.sort(kept), np.sort(held)
    code = np.unique(code, return_inverse=True)[1]
    total = np.bincount(code)
    found = list(
        GroupShuffleSplit(TRIES, test_size=share, random_state=seed).split(code, code, groups)
    )
    shares = [np.bincount(code[held], minlength=total.size) / total for _, held in found]
    off = [
        np.abs(each - share).max() if np.all((each > 0) & (each < 1)) else np.inf for each in shares
    ]
    best = int(np.argmin(off))
    if np.isinf(off[best]):
        raise ValueError(
            f"a share of {share:g} of the {np.unique(groups).size} groups cannot be held out with "
            "rows of every class in both parts; some class is in too few groups"
        )
    kept, held = found[best]
    return np.asarray(kept), np.asarray(held)


def _folds(split: Any, code: Codes, groups: Groups) -> Parts:
    """Every row held out in turn, by default in 5 folds or as many as the smallest class allows."""
    fewest = rarest(code)
    if fewest < 2:
        raise ValueError(
            f"calibration needs at least 2 rows of each class, to train on and to hold out, but "
            f"the smallest one has {fewest}; give more rows, or calibration=None"
        )
    n_groups = None if groups is None else int(np.unique(groups).size)
    n_folds = min(FOLDS, fewest, n_groups or FOLDS) if split is None else split
    if isinstance(n_folds, str):
        own = LeaveOneOut() if groups is None else LeaveOneGroupOut()
        return list(own.split(code, code, groups))
    if fewest < n_folds:
        raise ValueError(
            f"calibration_split={split} needs at least {split} rows of each class, but the "
            f"smallest one has {fewest}; take fewer folds, or calibration_split='loo'"
        )
    if n_groups is None:
        folds = StratifiedKFold(int(n_folds), shuffle=True, random_state=FOLDS_SEED)
        return list(folds.split(code, code))
    if n_groups < n_folds:
        raise ValueError(
            f"calibration_split={split} needs at least {split} groups, but there are {n_groups}; "
            "take fewer folds"
        )
    by_group = StratifiedGroupKFold(int(n_folds), shuffle=True, random_state=FOLDS_SEED)
    return list(by_group.split(code, code, groups))


def _folds_of_copies(split: Any, code: Codes, copies: Indices) -> Parts:
    """Folds that do not separate copies; the usual ones if a class would be missing in a part."""
    if isinstance(split, str):
        return list(LeaveOneGroupOut().split(code, code, copies))
    usual = _folds(split, code, None)
    fewest = 2 if split is None else len(usual)
    for n_folds in range(len(usual), fewest - 1, -1):
        parts = folds_of_copies(code, copies, n_folds, FOLDS_SEED)
        if complete(parts, code):
            return parts
    return usual


def _given_parts(split: Any, code: Codes, groups: Groups) -> Parts:
    """Pairs of a splitter, or given by the user, as numbers of the rows given to `fit`."""
    rows = np.arange(code.size)

    def parts() -> Parts:
        own = () if groups is None else (groups,)
        pairs = split.split(rows[:, None], code, *own) if hasattr(split, "split") else split
        return [(_row_numbers(kept, rows), _row_numbers(held, rows)) for kept, held in pairs]

    return check_folds(_parameter(split), rows.size, parts)


def _parameter(split: Any) -> str:
    """The parameter as text, for messages."""
    return f"calibration_split={quoted(split)}"


def _row_numbers(part: Any, rows: Indices) -> Indices:
    """Row numbers from row numbers or a mask."""
    part = np.asarray(part)
    numbers: Indices = rows[part if part.size else part.astype(np.intp)]
    return numbers
