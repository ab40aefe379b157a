"""The words of a report: cautions about its numbers, what the caller states, and the verdict."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from costboost import __version__
from costboost._core.baselines import Difference, always
from costboost._core.checks import quoted
from costboost._core.fingerprints import Overlap
from costboost.app.inspection import leak_message, leaking_features
from costboost.app.report.markup import LEVEL, MINUS, Style, escape, number, share
from costboost.app.report.numbers import (
    GoalResult,
    SeveralClassPredictions,
    TwoClassPredictions,
    goal_result,
    savings,
)
from costboost.app.report.plot_data import names
from costboost.classifiers.predictions import read_rows
from costboost.decisions.wrapping import layers

# ---- cautions, for the page and for the terminal -------------------------------------------------

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
    table = read_rows(model, X)
    if examined is not None:
        truth = truth[examined]
    elif rows.size != table.n_rows:
        table = table.take(rows)
    named = names(model)
    leaking = leaking_features(table, fitted.coders, truth)
    leaks = [Caution(leak_message(named[j]), grave=True) for j in leaking]
    return fitted.overlap(table), leaks


def plain_share(value: float) -> str:
    """Format a share in percent, in ASCII characters."""
    return share(value).replace(MINUS, "-")


# ---- rows ----------------------------------------------------------------------------------------


def _training_rows(overlap: Overlap | None) -> Iterator[Caution]:
    if overlap is None or not overlap.n_seen:
        return
    which = f"{overlap.n_seen:,} of the {overlap.n_rows:,} rows"
    if overlap.exact and overlap.n_seen == overlap.n_rows:
        which = f"all {overlap.n_rows:,} rows"
    if not overlap.exact:
        which = f"about {plain_share(overlap.share)} of the {overlap.n_rows:,} rows"
    if overlap.beyond_chance:
        yield Caution(
            f"{which} also occur in the training data of this model: these are not held-out rows, "
            "and the numbers are better than they would be on new rows",
            grave=True,
        )
    elif overlap.share >= MANY:
        yield Caution(
            f"{which} have the values of a training row. With so many copies in the training data, "
            f"about {plain_share(overlap.by_chance)} of new rows would, too: whether the model was "
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
    elif found.is_none:
        text = f"on every row the {one} costs the same as without a model: nothing is saved"
    elif found.high < 0:
        text = f"on these rows the {several} cost more than deciding without a model"
    elif found.low <= 0:
        low, high = plain_share(found.low), plain_share(found.high)
        text = (
            f"the {INTERVAL} of the share saved, {low} to {high}, includes 0: the rows are too few "
            "to be sure that the model saves anything"
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
    return plain_share(value) if found.goal.target.most == 1 else number(value, 4)


def _goal(found: GoalResult | None) -> Iterator[Caution]:
    if found is not None and not found.met:
        yield Caution(f"the goal, {found.goal}, is missed: {goal_words(found)}")


# ---- descriptions of the caller ------------------------------------------------------------------

DATA, DATE, TARGET = "data", "date", "target"


class Provenance(NamedTuple):
    """Descriptions of the held-out rows and of the training data."""

    held_out: dict[str, Any]
    trained_on: dict[str, Any]
    date: str

    def summary(self, rows: str) -> list[str]:
        """Data, number of rows, date and version, for the top of the page."""
        data = [str(self.held_out[DATA])] if DATA in self.held_out else []
        return [*data, rows, self.date, f"costboost {__version__}"]

    def around(self, known: Mapping[str, Any]) -> dict[str, Any]:
        """Facts of the caller, those that the page knows, the date and the version."""
        made = {"report made on": self.date, "costboost": __version__}
        return {**self.held_out, **known, **made}


def check_provenance(provenance: Any, trained_on: Any, y: Any) -> Provenance:
    """Read the descriptions of the caller; the name of a pandas series is the target."""
    held_out = _facts(provenance)
    name = getattr(y, "name", None)
    if TARGET not in held_out and isinstance(name, str):
        held_out[TARGET] = name
    made = held_out.pop(DATE, None)
    return Provenance(held_out, _facts(trained_on), str(made or date.today().isoformat()))


def _facts(described: Any) -> dict[str, Any]:
    stated = {DATA: described} if isinstance(described, str) else described
    return {str(k): v for k, v in (stated or {}).items()}


# ---- words ---------------------------------------------------------------------------------------


class Words(NamedTuple):
    """Nouns and verbs for the rows and for the decisions about them."""

    rows: str = "rows"
    """What the rows are, in the plural."""
    actions: tuple[str, str] | None = None
    """What is done with rows predicted negative and positive, such as approving and rejecting."""
    form: str = "{action} all {rows}"
    """Name of one action for all rows."""

    def always(self, label: Any, positive: bool | None = None) -> str:
        """Name of a constant prediction; ``positive`` is None with several classes."""
        if self.actions is None or positive is None:
            return always(label)
        return self.form.format(action=self.actions[positive], rows=self.rows)

    def counted(self, n: float, cautions: Cautions) -> str:
        """Number of rows with their noun."""
        noun = "row" if n == 1 and self.rows == "rows" else self.rows
        return f"{number(n, 2)} {'held-out ' if cautions.held_out else ''}{noun}"


def check_words(rows_are: Any, negative_action: Any, positive_action: Any) -> Words:
    """Validate the nouns and verbs of the caller."""
    if not isinstance(rows_are, str) or not rows_are.strip():
        raise ValueError(
            "rows_are must be the plural of what a row is, such as 'applications', got "
            f"{quoted(rows_are)}"
        )
    both = {"negative_action": negative_action, "positive_action": positive_action}
    for name, action in both.items():
        if action is not None and (not isinstance(action, str) or not action.strip()):
            raise ValueError(
                f"{name} must be a verb such as 'approving' or 'rejecting', got {quoted(action)}"
            )
    given = [name for name, action in both.items() if action is not None]
    if len(given) == 1:
        raise ValueError(
            f"{given[0]} is given alone: give negative_action and positive_action, what is done "
            "with rows predicted negative and positive"
        )
    return Words(rows_are, (negative_action, positive_action) if given else None)


# ---- verdict -------------------------------------------------------------------------------------

TOTALS = "Amounts are totals of these rows, unless they are called a mean or an average."
AMOUNT, OTHER = "{amount}", "{other}"
"""Places in a sentence that are filled in, here and by the script of the page."""


class Verdict(NamedTuple):
    """The verdict on a model in one sentence."""

    look: str
    """CSS class: saves, loses, unproven or doubtful."""
    text: str


class Comparison(NamedTuple):
    """Decisions compared with the best rule that needs no model."""

    cost: float
    """Cost of the decisions."""
    saved: Difference
    least: float
    """Cost of the best rule without a model beyond ``base``."""
    other: str
    """Name of that rule."""
    base: float | None = None
    """Cost of the best decision for every row; None if right decisions cost nothing."""

    @property
    def share_saved(self) -> Difference | None:
        """Savings as a share of the cost without a model; None if that is 0."""
        if not self.least:
            return None
        return Difference(*(min(1.0, one / self.least) for one in self.saved))


class Sentences(NamedTuple):
    """The possible verdicts on a page, by the kind of the result."""

    by_kind: dict[str, Verdict]

    def of(self, found: Comparison, style: Style) -> Verdict:
        """The verdict on a comparison."""
        look, text = self.by_kind[kind_of(found.saved, found.least)]
        amount = style.amount(abs(found.saved.money))
        return Verdict(look, text.replace(AMOUNT, amount).replace(OTHER, found.other))


def money_items(found: Comparison, style: Style) -> dict[str, str]:
    """The large numbers at the top of a page, as HTML: totals of the rows."""
    saved, base = found.saved, found.base or 0.0
    of = "the cost without a model" if found.base is None else "what perfect decisions would save"
    share_saved = share(saved.money / found.least if found.least else None)
    low, high = number(saved.low, style.total), style.money(saved.high)
    return {
        "Cost without a model": f"{escape(style.money(found.least + base))}<small>"
        f"{escape(found.other)}</small>",
        "Cost with the model": escape(style.money(found.cost)),
        "Saved": f"{escape(style.money(saved.money))}<small>{LEVEL} interval {escape(low)} to "
        f"{escape(high)}</small>",
        "Share saved": f"{share_saved}<small>of {of}</small>",
    }


def kind_of(saved: Difference, least: float) -> str:
    """Kind of a result by the interval of the savings: page.js classifies in the same way."""
    if not least:
        return "free"
    if saved.is_none:
        return "same"
    if saved.low > 0:
        return "saves"
    if saved.high < 0:
        return "loses"
    return "gain" if saved.money >= -1e-9 * least else "loss"


def sentences(words: Words, cautions: Cautions, counts: dict[Any, int]) -> Sentences:
    """Verdicts with the words of the caller; ``counts`` are the numbers of rows of each class.

    With grave cautions, or with few rows of a class, no verdict is sure whatever the interval.
    """
    here = f"on these {words.rows}"
    gain = f"the model saves {AMOUNT} {here} against {OTHER}"
    loss = f"the model costs {AMOUNT} more {here} than {OTHER}"
    none = f"the model saves nothing: each decision costs the same as {OTHER}"
    free = f"there is nothing to save: {OTHER} costs nothing here"
    plain = {"saves": gain, "loses": loss, "gain": gain, "loss": loss, "same": none, "free": free}
    if cautions.grave:
        why = _grave(cautions)
        return Sentences(
            {k: Verdict("doubtful", f"No verdict: {why}. Here {v}.") for k, v in plain.items()}
        )
    few = "the data are too few to be sure"
    sure = {
        "saves": Verdict("saves", f"Using {gain}; the data are enough to be sure."),
        "loses": Verdict("loses", f"The model loses {AMOUNT} {here} against {OTHER}; the data are "
                         "enough to be sure."),
    }  # fmt: skip
    name, least = min(counts.items(), key=lambda one: one[1])
    if least < FEW:
        rare = f"only {least} {words.rows} are of class {name}, too few to be sure"
        sure = {k: Verdict("unproven", f"Not proven: here {plain[k]}, but {rare}.") for k in sure}
    return Sentences(
        sure
        | {
            "gain": Verdict("unproven", f"Not proven: here {gain}, but {few} that it saves "
                            "anything."),
            "loss": Verdict("unproven", f"Not proven: here {loss}, but {few}."),
            "same": Verdict("unproven", f"Using {none}."),
            "free": Verdict("unproven", f"{free[0].upper()}{free[1:]}."),
        }
    )  # fmt: skip


def _grave(cautions: Cautions) -> str:
    if not cautions.held_out:
        return "the model was trained on these rows"
    return "one column alone separates the classes, which suggests that it is not known in time"
