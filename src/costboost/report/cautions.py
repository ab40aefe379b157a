"""Cautions about the numbers of a report, for the page and for the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from costboost.classifiers.predictions import read_rows
from costboost.decisions.wrapping import layers
from costboost.fingerprints import Overlap
from costboost.inspection.columns import leak_message, leaking_features
from costboost.multiclass.base import MulticlassClassifier
from costboost.multiclass.base import read_rows as read_rows_of_several
from costboost.report.markup import MINUS, number
from costboost.report.markup import share as share_text
from costboost.report.numbers.plots import names
from costboost.report.numbers.several_classes import SeveralClassPredictions
from costboost.report.numbers.two_classes import (
    Difference,
    GoalResult,
    TwoClassPredictions,
    goal_result,
    savings,
)

FEW = 20
"""Number of rows of a class below which its shares are rough."""
MANY = 0.1
"""Share of rows equal to training rows from which a caution is given in any case."""


INTERVAL = "95% interval"


class Caution(NamedTuple):
    """A sentence for the reader of a report."""

    text: str
    grave: bool = False
    """Whether the numbers are not what they seem to be."""
    on_predictions: bool = False
    """Whether it is about predictions of classes, and not about the rows or the model."""


class Cautions(NamedTuple):
    """All cautions about the numbers on some rows."""

    found: tuple[Caution, ...]
    held_out: bool
    """Whether there is no evidence that the rows are training rows."""

    @property
    def grave(self) -> bool:
        """Whether at least one caution is grave."""
        return any(one.grave for one in self.found)

    @property
    def rows(self) -> str:
        """Noun for the rows: "held-out row" or "row"."""
        return "held-out row" if self.held_out else "row"

    @property
    def on_rows(self) -> Cautions:
        """Cautions that are not about predictions of classes."""
        return self._replace(found=tuple(one for one in self.found if not one.on_predictions))

    def for_actions(
        self, saved: Difference | None, codes: NDArray[np.intp], actions: Sequence[str]
    ) -> Cautions:
        """Cautions about actions in place of those about predictions.

        ``saved`` is the share that the actions save, None if there is nothing to save.
        """
        kept = self.on_rows.found
        constant = f"every row has the action {actions[codes[0]]}"
        same = [Caution(constant)] if np.all(codes == codes[0]) else []
        return self._replace(found=(*kept, *_savings(saved, "action", "actions"), *same))

    def with_notes(self, notes: Iterable[str]) -> Cautions:
        """Add notes; a note that extends an existing caution replaces it."""
        more = tuple(dict.fromkeys(notes))
        kept = [
            next((one._replace(text=note) for note in more if note.startswith(one.text)), one)
            for one in self.found
        ]
        texts = {one.text for one in kept}
        return self._replace(found=(*kept, *(Caution(note) for note in more if note not in texts)))


def of_two(
    model: Any, X: Any, rows: TwoClassPredictions, examined: NDArray[np.intp] | None = None
) -> Cautions:
    """Cautions about predictions of two classes.

    ``examined`` are the numbers of the predicted rows that X has, if it does not have all.
    """
    truth = rows.positive.astype(np.intp)
    overlap, leaks = _overlap_and_leaks(model, X, rows.rows, truth, examined)
    found = [
        *_training_rows(overlap),
        *leaks,
        *_sampling(model),
        *_goal(goal_result(model, rows)),
        *_savings(savings(rows)),
        *_constant(rows.predicted.astype(np.intp), [rows.other, rows.label]),
        *_few({rows.label: int(rows.positive.sum()), rows.other: int((~rows.positive).sum())}),
    ]
    return Cautions(tuple(found), overlap is None or not overlap.beyond_chance)


def _sampling(model: Any) -> Iterator[Caution]:
    """A caution if the model was trained on rows of which some were left out."""
    for layer in layers(model):
        kept = getattr(getattr(layer, "model_", None), "sampling", None)
        if kept is not None:
            shares = zip(layer.classes_.tolist(), kept.tolist(), strict=True)
            named = ", ".join(f"{share:.3g} of class {label}" for label, share in shares)
            yield Caution(
                f"the training data kept a share of the rows ({named}), and probabilities are "
                "those of all rows; if these rows were left out in the same way, the costs here "
                "are not those of all rows"
            )


def of_several(
    model: Any, X: Any, rows: SeveralClassPredictions, examined: NDArray[np.intp] | None = None
) -> Cautions:
    """Cautions about predictions of several classes.

    ``examined`` are the numbers of the predicted rows that X has, if it does not have all.
    """
    overlap, leaks = _overlap_and_leaks(model, X, rows.rows, rows.truth, examined)
    count = np.bincount(rows.truth, minlength=len(rows.classes))
    found = [
        *_training_rows(overlap),
        *leaks,
        *_savings(rows.savings),
        *_constant(rows.predicted.code, rows.classes),
        *_few({name: int(n) for name, n in zip(rows.classes, count, strict=True)}),
    ]
    return Cautions(tuple(found), overlap is None or not overlap.beyond_chance)


def _overlap_and_leaks(
    model: Any,
    X: Any,
    rows: NDArray[np.intp],
    truth: NDArray[np.intp],
    examined: NDArray[np.intp] | None,
) -> tuple[Overlap | None, list[Caution]]:
    """Overlap with the training rows, and cautions about columns that separate the classes."""
    *_, model = layers(model)
    fitted = model.model_
    if fitted.learner == "wrapped" or fitted.coders is None:  # read by scikit-learn only
        return None, []
    own = isinstance(model, MulticlassClassifier)
    table = read_rows_of_several(model, X) if own else read_rows(model, X)
    if examined is not None:
        truth = truth[examined]
    elif rows.size != table.n_rows:
        table = table.take(rows)
    named = names(model)
    leaking = leaking_features(table, fitted.coders, truth)
    leaks = [Caution(leak_message(named[j]), grave=True) for j in leaking]
    return fitted.overlap(table), leaks


def share(value: float) -> str:
    """Format a share in percent, in ASCII characters."""
    return share_text(value).replace(MINUS, "-")


# ---- rows ----------------------------------------------------------------------------------------


def _training_rows(overlap: Overlap | None) -> Iterator[Caution]:
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
            "trained on these rows cannot be determined"
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


def _savings(
    found: Difference | None, one: str = "prediction", several: str = "predictions"
) -> Iterator[Caution]:
    text = ""
    if found is None:
        text = "deciding without a model costs nothing here: there is nothing to save"
    elif found.low == found.high == 0:
        text = f"on every row the {one} costs the same as without a model: nothing is saved"
    elif found.high < 0:
        text = f"on these rows the {several} cost more than deciding without a model"
    elif found.low <= 0:
        text = (
            f"the {INTERVAL} of the share saved, {share(found.low)} to {share(found.high)}, "
            "includes 0: the rows are too few to be sure that the model saves anything"
        )
    if text:
        yield Caution(text, on_predictions=one == "prediction")


def _constant(code: NDArray[np.intp], classes: Any) -> Iterator[Caution]:
    if np.all(code == code[0]):
        yield Caution(
            f"every row is predicted {classes[code[0]]!s}: the model does not separate these rows",
            on_predictions=True,
        )


# ---- goals ---------------------------------------------------------------------------------------


def goal_words(found: GoalResult) -> str:
    """Value of the measure of a goal, with its interval and a comparison with the goal."""
    if np.isnan(found.value):
        return "not defined on these rows, since no row is predicted positive"
    value, low, high = (_shown(found, end) for end in (found.value, found.low, found.high))
    words = f"{value} on these rows ({INTERVAL} {low} to {high})"
    if found.met:
        return words
    chance = "the interval includes the goal" if found.by_chance else "more than chance explains"
    return f"{words}, {chance}"


def _shown(found: GoalResult, value: float) -> str:
    return share(value) if found.goal.target.most == 1 else number(value, 4)


def _goal(found: GoalResult | None) -> Iterator[Caution]:
    if found is not None and not found.met:
        yield Caution(f"the goal, {found.goal}, is missed: {goal_words(found)}")
