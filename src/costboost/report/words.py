"""What the caller states about the rows, and the verdict of the page in one sentence."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any, NamedTuple

from costboost import __version__
from costboost.checks import quoted
from costboost.report.cautions import FEW, Cautions
from costboost.report.markup import LEVEL, Style, escape, number, share
from costboost.report.numbers.two_classes import Difference

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

THOUSAND = 1000


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
            return f"always predicting {label}"
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

AMOUNT, OTHER = "{amount}", "{other}"
"""Places in a sentence that are filled in, here and by the script of the page."""


class Verdict(NamedTuple):
    """The verdict on a model in one sentence."""

    look: str
    """CSS class: saves, loses, unproven or doubtful."""
    text: str


class Comparison(NamedTuple):
    """Predictions compared with the best constant prediction."""

    cost: float
    """Cost of the predictions."""
    saved: Difference
    least: float
    """Cost of the best constant prediction beyond ``base``."""
    other: str
    """Name of that prediction."""
    weight: float
    """Number of rows, or the sum of their weights."""
    base: float | None = None
    """Cost of the best prediction for every row; None if right predictions cost nothing."""


class Sentences(NamedTuple):
    """The possible verdicts on a page, by the kind of the result."""

    by_kind: dict[str, Verdict]

    def of(self, found: Comparison, style: Style) -> Verdict:
        """The verdict on a comparison."""
        look, text = self.by_kind[kind_of(found.saved, found.least)]
        amount = per_thousand(abs(found.saved.money), found.weight, style)
        return Verdict(look, text.replace(AMOUNT, amount).replace(OTHER, found.other))


def money_items(found: Comparison, style: Style, words: Words) -> dict[str, str]:
    """The large numbers at the top of a page, as HTML."""

    def per(money: float, unit: bool = False) -> str:
        text = number(THOUSAND * money / found.weight, style.thousand)
        return escape(f"{text} {style.unit}" if unit and style.unit else text)

    saved, rows, base = found.saved, escape(words.rows), found.base or 0.0
    of = "the cost without a model" if found.base is None else "what perfect predictions would save"
    share_saved = share(saved.money / found.least if found.least else None)
    return {
        f"Saved per {number(THOUSAND, 0)} {words.rows}": f"{per(saved.money, True)}<small>{LEVEL} "
        f"interval {per(saved.low)} to {per(saved.high)}</small>",
        "Cost with the model": f"{escape(style.money(found.cost))}<small>on these rows; "
        f"{per(found.cost, True)} per {number(THOUSAND, 0)} {rows}</small>",
        "Cost without a model": f"{escape(style.money(found.least + base))}<small>"
        f"{escape(found.other)}</small>",
        "Share saved": f"{share_saved}<small>of {of}</small>",
    }


def per_thousand(money: float, weight: float, style: Style) -> str:
    """Format the cost of 1,000 rows for a sentence."""
    unit = style.unit or "units of cost"
    return f"{number(THOUSAND * money / weight, style.thousand)} {unit}"


def kind_of(saved: Difference, least: float) -> str:
    """Kind of a result by the interval of the savings: page.js classifies in the same way."""
    if not least:
        return "free"
    if saved.low == saved.high == 0:
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
    per = f"{AMOUNT} per {number(THOUSAND, 0)} {words.rows}"
    gain = f"the model saves {per} against {OTHER}"
    loss = f"the model costs {per} more than {OTHER}"
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
        "loses": Verdict("loses", f"The model loses {per} against {OTHER}; the data are enough to "
                         "be sure."),
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
