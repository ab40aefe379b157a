"""What new rows show about a model."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from costboost._core.wording import money, money_range
from costboost.app.monitoring.intervals import Interval
from costboost.app.monitoring.reference import Reference
from costboost.app.monitoring.sketches import Drift
from costboost.decisions.prevalence import SMALLEST_SHOWN, PrevalenceEstimate

NO_REFERENCE = (
    "the model has no reference: nothing can be compared with held-out rows. Expected cost, "
    "prevalence and calibration are found all the same; monitoring.reference(model, X, y) or "
    "costboost fit makes one"
)
NEEDS_LABELS = (
    "whether the relation between features and classes has changed (concept drift) cannot be seen "
    "without labels: labels are needed to know"
)
VETO = (
    "features have changed in a way that no prevalence explains, so that none can be found from "
    "the probabilities: check these columns first. If their values are right, the expected cost "
    "holds; if not, nothing does. Then get labels"
)
BOTH = (
    "features have changed as another prevalence would change them. Whether that is the reason "
    "cannot be seen without labels: the estimate assumes that the rows within each class are as in "
    "training"
)
BOUNDARY = (
    "the most likely prevalence is 0 or 1, which the probabilities are too weak to show; it is "
    "drawn towards that of training"
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
        Expected savings against the best rule that needs no model, ``base``: one decision for all
        rows, or deciding by the costs of the rows alone.
    prevalence : PrevalenceEstimate
        Share of the positive class: that of the labels, if there are any; otherwise estimated from
        the probabilities (see `costboost.estimate_prevalence`), if only the prevalence has changed.
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
        the best decisions by the same probabilities. If features have changed in a way that no
        prevalence explains, the probabilities are taken as they are, and the upper end is that of
        the prevalence. The interval begins at 0 if no change is beyond chance.
    drifts : list of Drift
        Comparison of the features and of the probability with the reference, the clearest first.
    unexplained : list of Drift
        Features that have changed beyond chance from what they would be at any prevalence within
        its interval; if there are some, the prevalence is not reported as changed.
    prior : float
        Share of the positive class that the probabilities refer to, that of training.
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
    unexplained: list[Drift] = field(default_factory=list)
    prior: float = float("nan")

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
        return [one for one in self.drifts if one.found and not one.of_model]

    @property
    def shifted(self) -> bool:
        """Whether the prevalence has changed beyond chance.

        Without labels, False if features have changed in a way that no prevalence explains.
        """
        return not self.vetoed and self.prevalence.p_value < SHIFT

    @property
    def vetoed(self) -> bool:
        """Whether changed features forbid to find the prevalence without labels."""
        return bool(self.unexplained) and not self.n_labelled

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
        if self.vetoed:
            found.append(VETO)
        elif self.shifted and self.drifted and self.realised_cost is None:
            found.append(BOTH)
        if self.prevalence.at_boundary and not self.n_labelled:
            found.append(BOUNDARY)
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
        elif self.vetoed:
            what = f"Features have changed, {_some(self.unexplained)}"
            return f"{what}; what that costs cannot be known without labels."
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
        """Money with its unit."""
        return money(value, self.unit)

    def interval(self, one: Interval) -> str:
        """Money with its interval and unit."""
        return f"{self.money(one.value)} ({money_range(one.low, one.high)})"

    def of_all(self, one: Interval) -> Interval:
        """Money of all rows, from that of a row."""
        return Interval(*(self.n_rows * value for value in one))

    @property
    def lines(self) -> list[tuple[str, str]]:
        """Names and values of the summary."""
        old, acted = self.reference, self.actions
        share = f"{self.alarms:.2%}" + _was(old and f"{old.alarms:.2%}")
        found = [
            ("rows", f"{self.n_rows:,}"),
            ("rows with an alarm" if acted else "predicted positive", share),
            *([("actions", _shares(acted))] if acted else []),
            ("expected cost", self._total(self.expected_cost, "expected_cost")),
            (f"expected savings against {self.base}", self._total(self.expected_savings)),
            *self._lines_of_prevalence,
            *self._lines_of_labels,
            ("expected loss of deciding as before", self._loss),
        ]
        if self.alarm is not None:
            found.append(("alarm", self._alarm(self.alarm)))
        return found

    def _alarm(self, limit: float) -> str:
        """Whether there is an alarm, and why not."""
        known = f"the limit is {self.money(limit)}"
        if self.alarmed:
            return f"ALARM: {known}"
        if self.vetoed:
            return f"no alarm: {known}; whether it is exceeded cannot be known without labels"
        return f"no alarm: {known}" + ("" if self.changed else ", and no change is beyond chance")

    @property
    def _lines_of_prevalence(self) -> list[tuple[str, str]]:
        """The prevalence and the expected cost at it, unless changed features forbid both."""
        if self.vetoed:
            return [("prevalence", "not known, because features have changed")]
        return [
            (f"prevalence, by {self.source}", _prevalence(self.prevalence, self.prior)),
            ("expected cost at that prevalence", self._total(self.shifted_cost)),
        ]

    @property
    def _lines_of_labels(self) -> list[tuple[str, str]]:
        """What labels show; nothing without labels."""
        found = []
        if self.realised_cost is not None and self.realised_savings is not None:
            found += [
                ("rows with labels", f"{self.n_labelled:,}"),
                ("realised cost", self._total(self.realised_cost, "realised_cost")),
                (f"realised savings against {self.base}", self._total(self.realised_savings)),
            ]
        if self.in_the_large is not None and self.slope is not None:
            found += [
                ("calibration in the large (0 is right)", _ratio(self.in_the_large)),
                ("calibration slope (1 is right)", _ratio(self.slope)),
            ]
        return found

    @property
    def _loss(self) -> str:
        """The expected loss as text."""
        return "not known without labels" if self.vetoed else self.interval(self.loss)

    def _total(self, one: Interval, name: str = "") -> str:
        """Money of all rows from that of a row, and that of as many reference rows."""
        before = getattr(self.reference, name, None)
        was = None if before is None else self.money(self.n_rows * before)
        return self.interval(self.of_all(one)) + _was(was)

    @property
    def source(self) -> str:
        """What the prevalence is known from."""
        return "labels" if self.n_labelled else "probabilities"

    @property
    def base_of_money(self) -> str:
        """What all amounts of money refer to."""
        found = f"All amounts are those of the {self.n_rows:,} rows together"
        if 0 < self.n_labelled < self.n_rows:
            found += (
                f"; realised ones are those of the {self.n_labelled:,} rows with labels, scaled"
            )
        return found + (
            "; what was before is scaled to as many rows." if self.reference is not None else "."
        )

    def __str__(self) -> str:
        width = max(len(name) for name, _ in self.lines)
        text = [self.verdict, "", *(f"{name:<{width}}  {value}" for name, value in self.lines)]
        text += ["", self.base_of_money]
        if self.drifts:
            changed = [f"  {one.name}: {_drift(one)}" for one in self.drifted[:10]]
            text += ["", f"changed features: {len(self.drifted)} of {len(self.drifts) - 1}"]
            text += changed
        text += ["", *(f"Note: {note}." for note in self.notes)] if self.notes else []
        return "\n".join(text)

    __repr__ = __str__

    def to_dict(self) -> dict[str, Any]:
        """The result as plain data, for JSON; costs and savings are those of a row."""

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
                "source": self.source,
            },
            "calibration_p_value": self.calibration_p_value,
            "miscalibrated": self.miscalibrated,
            "drifts": [asdict(one) | {"found": one.found} for one in self.drifts],
            "unexplained": [one.name for one in self.unexplained],
            "shifted": self.shifted,
            "vetoed": self.vetoed,
            "reference": old
            and {k: v for k, v in old.to_dict().items() if k not in ("columns", "version")},
            "alarm": self.alarm,
            "alarmed": self.alarmed,
            "notes": self.notes,
        }


MOST_NAMED = 5


def _some(drifts: list[Drift]) -> str:
    """The clearest features by name."""
    names = ", ".join(one.name for one in drifts[:MOST_NAMED])
    left = len(drifts) - MOST_NAMED
    return f"{names} and {left} more" if left > 0 else names


def _shares(actions: dict[str, float]) -> str:
    return ", ".join(f"{name} {share:.1%}" for name, share in actions.items())


def _was(old: Any) -> str:
    return f", was {old}" if old else ""


def _prevalence(found: PrevalenceEstimate, before: float) -> str:
    low, high = found.interval
    shown = f"{found.value:.4g} ({low:.4g} to {high:.4g}), was {before:.4g}"
    return f"{shown}; p {p_value_text(found.p_value)}"


def p_value_text(value: float) -> str:
    """A p-value behind its name."""
    return f"= {value:.2g}" if value >= SMALLEST_SHOWN else f"< {SMALLEST_SHOWN:g}"


def _ratio(one: Interval) -> str:
    return f"{one.value:.3f} ({one.low:.3f} to {one.high:.3f})"


def _drift(one: Drift) -> str:
    return f"distance {one.distance:.3f}, {one.test}, adjusted p {p_value_text(one.adjusted)}"
