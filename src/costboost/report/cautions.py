"""What to keep in mind when reading the numbers: one list for the page and for the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from costboost.decisions import CostSearchCV, OperatingPointClassifier
from costboost.fingerprints import Overlap
from costboost.inspection.leaks import leak_message, leaking_features
from costboost.report.numbers.effects import names
from costboost.report.numbers.several_classes import Several
from costboost.report.numbers.two_classes import Answers, Difference, Reached, reached, savings
from costboost.report.text import MINUS, number
from costboost.report.text import share as share_text

FEW = 20
"""Rows of a class below which its shares are rough."""
MANY = 0.1
"""Share of rows with the values of training rows from which that is mentioned in any case."""


INTERVAL = "95% interval"


class Caution(NamedTuple):
    """Something that the reader should know."""

    text: str
    grave: bool = False
    """Whether the numbers mean something else than they seem to."""


class Cautions(NamedTuple):
    """All that is to be said of the numbers on some rows."""

    found: tuple[Caution, ...]
    held_out: bool
    """Whether the rows may be called held out: nothing shows that they are training rows."""

    @property
    def grave(self) -> bool:
        """Whether the savings should not be believed."""
        return any(one.grave for one in self.found)

    @property
    def rows(self) -> str:
        """What the rows may be called."""
        return "held-out row" if self.held_out else "row"

    def with_notes(self, notes: Iterable[str]) -> Cautions:
        """Further ones; a note that says more than one that is there takes its place."""
        more = tuple(dict.fromkeys(notes))
        kept = [
            next((Caution(note, one.grave) for note in more if note.startswith(one.text)), one)
            for one in self.found
        ]
        told = {one.text for one in kept}
        return self._replace(found=(*kept, *(Caution(note) for note in more if note not in told)))


def of_two(model: Any, X: Any, rows: Answers) -> Cautions:
    """What to say of decisions between two classes."""
    overlap, leaks = _known(model, X, rows.rows, rows.positive.astype(np.intp))
    found = [
        *_seen(overlap),
        *leaks,
        *_goal(reached(model, rows)),
        *_saves(savings(rows)),
        *_constant(rows.called.astype(np.intp), [rows.other, rows.label]),
        *_few({rows.label: int(rows.positive.sum()), rows.other: int((~rows.positive).sum())}),
    ]
    return Cautions(tuple(found), overlap is None or not overlap.beyond_chance)


def of_several(model: Any, X: Any, rows: Several) -> Cautions:
    """What to say of decisions between several classes."""
    overlap, leaks = _known(model, X, rows.rows, rows.truth)
    count = np.bincount(rows.truth, minlength=len(rows.classes))
    found = [
        *_seen(overlap),
        *leaks,
        *_saves(rows.savings),
        *_constant(rows.said.code, rows.classes),
        *_few({name: int(n) for name, n in zip(rows.classes, count, strict=True)}),
    ]
    return Cautions(tuple(found), overlap is None or not overlap.beyond_chance)


def _known(
    model: Any, X: Any, rows: NDArray[np.intp], truth: NDArray[np.intp]
) -> tuple[Overlap | None, list[Caution]]:
    """Rows that the model has seen, and columns that know the answer."""
    while isinstance(model, (CostSearchCV, OperatingPointClassifier)):
        model = model._fitted()
    coders = model._row_coders()
    if coders is None:  # the values are read by scikit-learn's classifiers alone
        return None, []
    table = model._read(X)
    table = table if rows.size == table.n_rows else table.take(rows)
    named = names(model)
    leaking = leaking_features(table, coders, truth)
    leaks = [Caution(leak_message(named[j]), grave=True) for j in leaking]
    return model._overlap(table), leaks


def share(value: float) -> str:
    """A share in percent, in characters that every terminal has."""
    return share_text(value).replace(MINUS, "-")


# ---- rows ----------------------------------------------------------------------------------------


def _seen(overlap: Overlap | None) -> Iterator[Caution]:
    if overlap is None or not overlap.n_seen:
        return
    which = f"{overlap.n_seen:,} of the {overlap.n_rows:,} rows"
    if overlap.exact and overlap.n_seen == overlap.n_rows:
        which = f"all {overlap.n_rows:,} rows"
    if not overlap.exact:
        which = f"about {share(overlap.share)} of the {overlap.n_rows:,} rows"
    if overlap.beyond_chance:
        yield Caution(
            f"{which} also occur in the training data of this model: these are not held-out rows, "
            "and the numbers are better than they would be on new rows",
            grave=True,
        )
    elif overlap.share >= MANY:
        yield Caution(
            f"{which} have the values of a training row. With so many copies in the training data, "
            f"about {share(overlap.by_chance)} of new rows would, too: whether the model was "
            "trained on these rows cannot be told"
        )


def _few(count: dict[Any, int]) -> Iterator[Caution]:
    few = {name: n for name, n in count.items() if n < FEW}
    if not few:
        return
    name, n = min(few.items(), key=lambda item: item[1])
    which = f"only {n} rows are of class {name!s}"
    if n == 1:
        which = f"only 1 row is of class {name!s}"
    if len(few) > 1:
        which = f"{len(few)} classes have fewer than {FEW} rows, {name!s} has {n}"
    yield Caution(f"{which}: shares and intervals of so few rows are rough")


# ---- decisions -----------------------------------------------------------------------------------


def _saves(found: Difference | None) -> Iterator[Caution]:
    if found is None:
        yield Caution("deciding without a model costs nothing here: there is nothing to save")
    elif found.low == found.high == 0:
        yield Caution(
            "row by row, the decisions cost what deciding without a model costs: nothing is saved"
        )
    elif found.high < 0:
        yield Caution("on these rows the decisions cost more than deciding without a model")
    elif found.low <= 0:
        yield Caution(
            f"the {INTERVAL} of the share saved, {share(found.low)} to {share(found.high)}, "
            "includes 0: the rows are too few to be sure that the model saves anything"
        )


def _constant(code: NDArray[np.intp], classes: Any) -> Iterator[Caution]:
    if np.all(code == code[0]):
        yield Caution(
            f"every row is predicted {classes[code[0]]!s}: on these rows the model decides nothing"
        )


# ---- goals ---------------------------------------------------------------------------------------


def goal_words(found: Reached) -> str:
    """The value that a goal was set for, with its interval, and where the goal lies."""
    if np.isnan(found.value):
        return "not defined on these rows, since no row is predicted positive"
    value, low, high = (_shown(found, end) for end in (found.value, found.low, found.high))
    words = f"{value} on these rows ({INTERVAL} {low} to {high})"
    if found.met:
        return words
    chance = "the interval includes the goal" if found.by_chance else "more than chance explains"
    return f"{words}, {chance}"


def _shown(found: Reached, value: float) -> str:
    return share(value) if found.goal.target.most == 1 else number(value, 4)


def _goal(found: Reached | None) -> Iterator[Caution]:
    if found is not None and not found.met:
        yield Caution(f"the goal, {found.goal}, is missed: {goal_words(found)}")
