"""What monitoring has found: numbers, verdict, summary as text, as plain data and as HTML page."""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from costboost.decisions.prevalence import PrevalenceEstimate
from costboost.files import disk
from costboost.monitoring.costs import Interval
from costboost.monitoring.reference import PROBABILITY, Drift, Reference
from costboost.report.markup import (
    LEVEL,
    big,
    escape,
    facts,
    footer,
    section,
    table,
    verdict,
    whole,
)
from costboost.report.words import check_provenance

NO_REFERENCE = (
    "the model has no reference: nothing can be compared with held-out rows. Expected cost, "
    "prevalence and calibration are found all the same; monitoring.reference(model, X, y) or "
    "costboost fit makes one"
)
NEEDS_LABELS = (
    "whether the relation between features and classes has changed (concept drift) cannot be seen "
    "without labels: labels are needed to know"
)
SHIFT = 0.05
"""p-value below which the prevalence is reported as changed, and calibration as wrong."""


@dataclass(frozen=True, repr=False)
class Monitoring:
    """What new rows show about a model; see `monitor`.

    Costs and savings are those of a row, with 95% intervals.

    Attributes
    ----------
    n_rows, n_labelled : int
        Rows, and rows with labels.
    alarms : float
        Share of the rows predicted positive; of actions, of the rows that have another action than
        the cheapest one for a negative row.
    expected_cost : Interval
        Expected cost by the probabilities of the model. The interval is for the cost that is
        realised on these rows if the probabilities still hold.
    expected_savings : Interval
        Expected savings against ``base``, the cheaper decision without a model.
    prevalence : PrevalenceEstimate
        Share of the positive class by the EM algorithm, if only the prevalence has changed.
    shifted_cost : Interval
        Expected cost if only the prevalence has changed, from that of training to the estimate.
    realised_cost, realised_savings : Interval or None
        By the labels, as a random sample of rows; None without labels.
    in_the_large : Interval or None
        Calibration in the large: the shift of the log-odds that fits the labels; 0 is right.
    slope : Interval or None
        Calibration slope: the factor of the log-odds that fits the labels; 1 is right.
    calibration_p_value : float or None
        Of the test that the probabilities are right, by the labels.
    loss : Interval
        Expected loss of all rows together from deciding as the model does: by the recalibrated
        probabilities if there are labels, otherwise by those at the estimated prevalence, against
        the best decisions by the same probabilities. The interval begins at 0 if no change is
        beyond chance.
    drifts : list of Drift
        Comparison of the features and of the probability with the reference, the clearest first.
    reference : Reference or None
        The reference.
    alarm : float or None
        The loss above which there is an alarm if a change is beyond chance.
    actions : dict of float
        Share of the rows that have each action, of an `ActionClassifier`; else empty.
    """

    n_rows: int
    n_labelled: int
    alarms: float
    base: str
    expected_cost: Interval
    expected_savings: Interval
    prevalence: PrevalenceEstimate
    shifted_cost: Interval
    realised_cost: Interval | None
    realised_savings: Interval | None
    in_the_large: Interval | None
    slope: Interval | None
    loss: Interval
    drifts: list[Drift]
    reference: Reference | None
    calibration_p_value: float | None = None
    alarm: float | None = None
    unit: str = ""
    actions: dict[str, float] = field(default_factory=dict)

    @property
    def alarmed(self) -> bool:
        """Whether a change is beyond chance, and the expected loss exceeds the alarm."""
        return self.alarm is not None and self.changed and self.loss.value > self.alarm

    @property
    def changed(self) -> bool:
        """Whether labels contradict the probabilities; without labels, as ``shifted``."""
        return self.shifted if self.calibration_p_value is None else self.miscalibrated

    @property
    def drifted(self) -> list[Drift]:
        """Features that have changed beyond chance, at a false discovery rate of 5%."""
        return [one for one in self.drifts if one.found and one.name != PROBABILITY]

    @property
    def shifted(self) -> bool:
        """Whether the prevalence has changed beyond chance."""
        return self.prevalence.p_value < SHIFT

    @property
    def miscalibrated(self) -> bool:
        """Whether labels contradict the probabilities beyond chance; False without labels."""
        return self.calibration_p_value is not None and self.calibration_p_value < SHIFT

    @property
    def notes(self) -> list[str]:
        """What cannot be known from these rows, or only with care."""
        found = [] if self.reference is not None else [NO_REFERENCE]
        if self.realised_cost is None:
            found.append(NEEDS_LABELS)
        if self.shifted and self.drifted and self.realised_cost is None:
            found.append(
                "both the prevalence and features seem to have changed: the estimate of the "
                "prevalence assumes that the rows within each class are as in training, and may be "
                "wrong"
            )
        return found

    @property
    def verdict(self) -> str:
        """The result in one sentence."""
        if self.miscalibrated:
            what = "The labels contradict the probabilities of the model"
        elif self.realised_cost is not None:
            what = "The labels agree with the probabilities of the model"
        elif self.shifted:
            what = "The share of the positive class seems to have changed"
        elif self.drifted:
            what = "Features have changed"
        elif self.reference is None:
            what = "The share of the positive class has not changed beyond chance"
        else:
            what = "No change beyond chance is seen"
        if self.changed:
            return f"{what}; deciding as before is expected to lose {self.money(self.loss.value)}."
        most = self.money(self.loss.high)
        if self.loss.high == 0:
            return f"{what}; deciding as before loses nothing."
        return f"{what}; a loss of up to {most} from deciding as before cannot be excluded."

    def money(self, value: float) -> str:
        """A cost with its unit."""
        return f"{value:,.4g} {self.unit}".rstrip()

    def interval(self, one: Interval) -> str:
        """A cost of a row with its interval and unit."""
        return f"{self.money(one.value)} ({one.low:,.4g} to {one.high:,.4g})"

    @property
    def lines(self) -> list[tuple[str, str]]:
        """Names and values of the summary."""
        old = self.reference
        found = [
            ("rows", f"{self.n_rows:,}"),
            (
                "rows with an alarm" if self.actions else "predicted positive",
                f"{self.alarms:.2%}" + _was(old and f"{old.alarms:.2%}"),
            ),
            *([("actions", _shares(self.actions))] if self.actions else []),
            (
                "expected cost of a row",
                self.interval(self.expected_cost) + _was(old and self.money(old.expected_cost)),
            ),
            (
                f"expected savings against {self.base!r}",
                self.interval(self.expected_savings)
                + _was(old and self.money(old.expected_savings)),
            ),
            ("prevalence", _prevalence(self.prevalence)),
            ("expected cost at that prevalence", self.interval(self.shifted_cost)),
        ]
        if self.realised_cost is not None and self.realised_savings is not None:
            found += [
                ("rows with labels", f"{self.n_labelled:,}"),
                (
                    "realised cost of a row",
                    self.interval(self.realised_cost) + _was(old and self.money(old.realised_cost)),
                ),
                ("realised savings", self.interval(self.realised_savings)),
            ]
        if self.in_the_large is not None and self.slope is not None:
            found += [
                ("calibration in the large (0 is right)", _ratio(self.in_the_large)),
                ("calibration slope (1 is right)", _ratio(self.slope)),
            ]
        loss = self.interval(self.loss)
        found.append(("expected loss of deciding as before, all rows", loss))
        if self.alarm is not None:
            state = "ALARM" if self.alarmed else "no alarm"
            why = "" if self.changed else ", and no change is beyond chance"
            found.append(("alarm", f"{state}: the limit is {self.money(self.alarm)}{why}"))
        return found

    def __str__(self) -> str:
        width = max(len(name) for name, _ in self.lines)
        text = [self.verdict, "", *(f"{name:<{width}}  {value}" for name, value in self.lines)]
        if self.drifts:
            changed = [f"  {one.name}: {_drift(one)}" for one in self.drifted[:10]]
            text += ["", f"changed features: {len(self.drifted)} of {len(self.drifts) - 1}"]
            text += changed
        text += ["", *(f"Note: {note}." for note in self.notes)] if self.notes else []
        return "\n".join(text)

    __repr__ = __str__

    def to_dict(self) -> dict[str, Any]:
        """The result as plain data, for JSON."""

        def plain(one: Interval | None) -> dict[str, float] | None:
            return None if one is None else one._asdict()

        intervals = (
            "expected_cost", "expected_savings", "shifted_cost", "realised_cost",
            "realised_savings", "in_the_large", "slope", "loss",
        )  # fmt: skip
        p, old = self.prevalence, self.reference
        return {
            "verdict": self.verdict,
            "n_rows": self.n_rows,
            "n_labelled": self.n_labelled,
            "alarms": self.alarms,
            "base": self.base,
            **({"actions": self.actions} if self.actions else {}),
            **{name: plain(getattr(self, name)) for name in intervals},
            "prevalence": {
                "value": p.value,
                "low": p.interval[0],
                "high": p.interval[1],
                "statistic": p.statistic,
                "p_value": p.p_value,
            },
            "calibration_p_value": self.calibration_p_value,
            "miscalibrated": self.miscalibrated,
            "drifts": [asdict(one) | {"found": one.found} for one in self.drifts],
            "reference": old
            and {k: v for k, v in old.to_dict().items() if k not in ("columns", "version")},
            "alarm": self.alarm,
            "alarmed": self.alarmed,
            "notes": self.notes,
        }


def _shares(actions: dict[str, float]) -> str:
    return ", ".join(f"{name} {share:.1%}" for name, share in actions.items())


def _was(old: Any) -> str:
    return f", was {old}" if old else ""


def _prevalence(found: PrevalenceEstimate) -> str:
    low, high = found.interval
    before = list(found.reference.values())[list(found.shares.values()).index(found.value)]
    return f"{found.value:.4g} ({low:.4g} to {high:.4g}), was {before:.4g}; p = {found.p_value:.2g}"


def _ratio(one: Interval) -> str:
    return f"{one.value:.3f} ({one.low:.3f} to {one.high:.3f})"


def _drift(one: Drift) -> str:
    return f"distance {one.distance:.3f}, {one.test}, adjusted p = {one.adjusted:.2g}"


# ---- the HTML page -------------------------------------------------------------------------------

MOST_SHOWN = 50
"""Features in the table, the clearest changes first."""
HOW = (
    "Without labels, costs are expected ones, by the probabilities of the model. They hold if only "
    "the features have changed. If only the prevalence has changed, the cost at the estimated "
    "prevalence holds. If the relation between features and classes has changed (concept drift), "
    "neither does, and only labels show it.",
    "The expected loss is that of deciding as the model does, on all rows together, against "
    "decisions by the probabilities that the new rows suggest: at the estimated prevalence, or "
    "recalibrated by the labels if there are any.",
    "Features are compared with those of the held-out rows of training: Kolmogorov and Smirnov's "
    "test for numbers, chi-square for categories, corrected by Benjamini and Hochberg.",
)


def html(found: Monitoring, heading: str = "Monitoring of a model", data: str = "") -> str:
    """The page as text; ``data`` is where the new rows come from."""
    bad = found.alarmed or found.miscalibrated
    money = {
        "expected loss, all rows": _with_interval(found, found.loss),
        "expected cost of a row": _with_interval(found, found.expected_cost),
    }
    if found.realised_cost is not None:
        money["realised cost of a row"] = _with_interval(found, found.realised_cost)
    state = ""
    if found.alarm is not None:
        limit = f"the limit of {found.money(found.alarm)} is"
        state = f" Alarm: {limit} exceeded." if found.alarmed else f" No alarm: {limit} not"
        if not found.alarmed:
            state += " exceeded." if found.changed else " exceeded beyond chance."
    known = check_provenance({"data": data} if data else None, None, None)
    source = " · ".join(map(escape, known.summary(f"{found.n_rows:,} rows")))
    head = (
        f'<header><h1>{escape(heading)}</h1><p class="soft source">{source}</p>'
        + verdict(
            "loses" if bad else "unproven" if found.shifted else "saves",
            escape(found.verdict + state),
        )
        + big(money, "money")
        + "</header>"
    )
    body = head + section("summary", "Summary", facts(dict(found.lines)))
    if found.notes:
        items = "".join(f"<li>{escape(_sentence(note))}</li>" for note in found.notes)
        body += section("notes", "What these rows cannot show", f"<ul>{items}</ul>")
    if found.drifts:
        body += section("features", "Features", _features(found))
    return whole(heading, body + footer(*map(escape, HOW)), bad)


def _with_interval(found: Monitoring, one: Interval) -> str:
    low, high = (escape(f"{end:,.4g}") for end in (one.low, one.high))
    return f"{escape(found.money(one.value))}<small>{LEVEL} interval {low} to {high}</small>"


def write(path: str | os.PathLike[str], found: Monitoring, *words: str) -> Path:
    """Write the page to a file, which is never left incomplete; ``words`` are those of `html`."""
    disk.replace(path, html(found, *words).encode())
    return Path(path)


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def _features(found: Monitoring) -> str:
    shown = found.drifts[:MOST_SHOWN]
    rows = [
        f'<tr><th scope="row">{escape(_name(one.name))}</th><td>{"yes" if one.found else "no"}</td>'
        f"<td>{one.distance:.3f}</td><td>{escape(one.test)}</td><td>{one.p_value:.2g}</td>"
        f"<td>{one.adjusted:.2g}</td></tr>"
        for one in shown
    ]
    head = ("changed", "distance", "test", "p", "adjusted p")
    left = len(found.drifts) - len(shown)
    more = f"; {left} more are not shown" if left else ""
    caption = f"{len(found.drifted)} features have changed beyond chance{more}"
    return table("Features of the new rows against held-out ones", caption, head, rows, "feature")


def _name(name: str) -> str:
    return "(probability of the positive class)" if name == PROBABILITY else name
