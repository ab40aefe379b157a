"""Constraints on what a model may learn: monotone features, and features that may interact."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from costboost._core.engine._kernels import Interactions
from costboost._core.tables import Features

DIRECTIONS = {-1, 0, 1}
MOST_ON_A_PATH = {"pairwise": 2, "no_interactions": 1}
"""Names of interaction constraints, and the greatest number of features on a path of a tree."""
Groups = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Constraints:
    """Constraints of a fit, by the numbers of the features."""

    directions: tuple[int, ...] | None = None
    """1 for each feature that must not lower the probability, -1 for one that must not raise it,
    0 for others; None if there is no such feature."""
    interactions: str | Groups | None = None
    """One of the names, or groups of which a path of a tree uses one; None if all may interact."""

    @property
    def monotonic(self) -> NDArray[np.int8] | None:
        """The directions as an array."""
        return None if self.directions is None else np.array(self.directions, dtype=np.int8)

    @property
    def for_trees(self) -> Interactions | None:
        """The interactions as trees use them."""
        if self.interactions is None:
            return None
        if isinstance(self.interactions, str):
            return Interactions(MOST_ON_A_PATH[self.interactions])
        members = [feature for group in self.interactions for feature in group]
        ends = list(accumulate(map(len, self.interactions)))
        return Interactions(0, np.array(members, np.int32), np.array(ends, np.int64))

    def described(self, names: Sequence[str]) -> dict[str, str]:
        """The constraints in words, by their kind; ``names`` are those of the features."""
        found: dict[str, str] = {}
        for direction, kind in ((1, "increasing"), (-1, "decreasing")):
            chosen = [
                n for n, d in zip(names, self.directions or (), strict=False) if d == direction
            ]
            if chosen:
                found[kind] = ", ".join(chosen)
        if isinstance(self.interactions, str):
            found["interactions"] = {
                "pairwise": "of at most two features",
                "no_interactions": "none",
            }[self.interactions]
        elif self.interactions is not None:
            groups = (", ".join(names[f] for f in group) for group in self.interactions)
            found["interactions"] = "; ".join(f"within {group}" for group in groups)
        return found


UNCONSTRAINED = Constraints()


# ---- parameters ----------------------------------------------------------------------------------


def check_constraints(monotonic_cst: Any, interaction_cst: Any) -> None:
    """Raise a ValueError if a parameter cannot be a constraint of any data."""
    if isinstance(monotonic_cst, Mapping):
        for name, value in monotonic_cst.items():
            _check_direction(value, f"column {name!r}")
    elif monotonic_cst is not None:
        for k, value in enumerate(_listed("monotonic_cst", monotonic_cst)):
            _check_direction(value, f"feature {k}")
    if isinstance(interaction_cst, str):
        if interaction_cst not in MOST_ON_A_PATH:
            raise ValueError(
                "interaction_cst must be None, 'pairwise', 'no_interactions' or a list of groups "
                f"of columns, got {interaction_cst!r}"
            )
    elif interaction_cst is not None:
        for group in _listed("interaction_cst", interaction_cst):
            if isinstance(group, str) or not isinstance(group, Iterable):
                raise ValueError(
                    "interaction_cst must be a list of groups, each a list of columns, such as "
                    f"[['age', 'income'], ['debt']], got the group {group!r}"
                )


def is_monotonic(monotonic_cst: Any) -> bool:
    """Whether a feature has a direction."""
    if isinstance(monotonic_cst, Mapping):
        return any(monotonic_cst.values())
    return monotonic_cst is not None and bool(np.any(np.asarray(monotonic_cst)))


def constraints_of(monotonic_cst: Any, interaction_cst: Any, features: Features) -> Constraints:
    """The constraints of a fit on these features."""
    check_constraints(monotonic_cst, interaction_cst)
    return Constraints(
        _directions(monotonic_cst, features), _interactions(interaction_cst, features)
    )


def _directions(given: Any, features: Features) -> tuple[int, ...] | None:
    n = features.n_features_in
    if isinstance(given, Mapping):
        found = [0] * n
        for name, value in given.items():
            found[_place("monotonic_cst", name, features)] = int(value)
    elif given is None:
        return None
    else:
        found = [int(value) for value in _listed("monotonic_cst", given)]
        if len(found) != n:
            raise ValueError(
                f"monotonic_cst has {len(found)} entries, but X has {n} features; give one for "
                "each, 0 for those without a constraint, or a dict by column name"
            )
    return tuple(found) if any(found) else None


def _interactions(given: Any, features: Features) -> str | Groups | None:
    if given is None or isinstance(given, str):
        return given
    groups = [
        tuple(sorted({_place("interaction_cst", one, features) for one in group}))
        for group in given
    ]
    listed = {feature for group in groups for feature in group}
    rest = tuple(f for f in range(features.n_features_in) if f not in listed)
    found = tuple(group for group in (*groups, rest) if group)
    return None if any(len(group) == features.n_features_in for group in found) else found


def _place(parameter: str, column: Any, features: Features) -> int:
    """Number of a feature, given by its name or number."""
    n, names = features.n_features_in, features.feature_names_in
    if isinstance(column, Integral) and not isinstance(column, (bool, np.bool_)):
        if parameter == "interaction_cst" and 0 <= int(column) < n:
            return int(column)
        if parameter == "interaction_cst":
            raise ValueError(
                f"interaction_cst names feature {column}, but X has {n}, numbered from 0"
            )
    if names is None:
        raise ValueError(
            f"{parameter} names the column {column!r}, but the columns of X have no names; "
            + ("give their numbers" if parameter == "interaction_cst" else "give an array")
        )
    where = np.flatnonzero(np.asarray(names) == column)
    if not where.size:
        known = ", ".join(map(repr, list(names)[:10]))
        raise ValueError(
            f"{parameter} names the column {column!r}, which X does not have; its columns are "
            f"{known}{', ...' if len(names) > 10 else ''}"
        )
    return int(where[0])


def _listed(parameter: str, given: Any) -> list[Any]:
    if isinstance(given, (str, bytes, Real)) or not isinstance(given, Iterable):
        kinds = (
            "None, an array with -1, 0 or 1 for each feature, or a dict by column name"
            if parameter == "monotonic_cst"
            else "None, 'pairwise', 'no_interactions' or a list of groups of columns"
        )
        raise ValueError(f"{parameter} must be {kinds}, got {given!r}")
    return list(given)


def _check_direction(value: Any, where: str) -> None:
    is_number = isinstance(value, (Real, np.number)) and not isinstance(value, (bool, np.bool_))
    if not is_number or float(value) not in DIRECTIONS:
        raise ValueError(
            "monotonic_cst must be 1 (greater values never lower the probability), -1 (they never "
            f"raise it) or 0 (no constraint) for each feature, got {value!r} for {where}"
        )
