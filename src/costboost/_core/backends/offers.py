"""Which parts of the protocol a back end offers: a training names those that it needs."""

from __future__ import annotations

from collections.abc import Iterable

from costboost._core.backends.data import HoldsPairs
from costboost._core.backends.order import messages_of
from costboost._core.backends.protocol import (
    DrawsRows,
    HoldsNodes,
    KeepsClassWeights,
    RunsNewton,
    ScoresClasses,
    SumsBins,
    SumsLosses,
    SumsVectors,
)

Needs = tuple[type, ...]
"""Parts of the protocol of back ends."""

NEEDED_FOR: dict[type, str] = {
    DrawsRows: "drawing rows; use all rows in every round",
    SumsBins: "every search for a split",
    KeepsClassWeights: "weights of rows and classes; take a Newton rule such as LogitBoost's",
    SumsLosses: "Newton's method; take a rule that multiplies weights, such as AdaMEC's",
    RunsNewton: "Newton's method; take a rule that multiplies weights, such as AdaMEC's",
    ScoresClasses: "a score for each of several classes; train one class against the rest",
    HoldsNodes: "trees; take estimator='stump'",
    SumsVectors: "costs of single rows, and rules whose weights depend on scores; take costs of "
    "the classes",
    HoldsPairs: "trees over pairs of row and label; take a scikit-learn classifier as estimator",
}
"""What each part of the protocol is for, and what to do without it."""


class NotOffered(ValueError):  # noqa: N818, named for what holds
    """A back end lacks a part of the protocol that a training needs."""


def check_offered(backend: object, needs: Iterable[type]) -> None:
    """Raise `NotOffered` if a back end has not all messages of some parts of the protocol."""
    for part in needs:
        lacking = [repr(name) for name in messages_of(part) if not hasattr(type(backend), name)]
        if lacking:
            raise NotOffered(
                f"{type(backend).__name__} does not offer {part.__name__}, as it has no "
                f"{', '.join(lacking)}: it is needed for {NEEDED_FOR[part]}, or train on rows in "
                "memory"
            )
