"""Monitoring of a model on new rows: two passes over them, numbers, verdict and page."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import chdtrc

from costboost._core import disk
from costboost._core.baselines import Z
from costboost._core.checks import Floats
from costboost._core.model.prevalence import odds_factor, reweighted
from costboost._core.model.shares import TRAINING_ROWS, calibration_rows
from costboost._core.wording import money, money_range
from costboost.app.monitoring.errors import MiscalibrationError, logits, miscalibration
from costboost.app.monitoring.reference import (
    Batch,
    ColumnSketch,
    CostSums,
    Decided,
    Drift,
    Interval,
    ProbabilitySketch,
    Recalibration,
    Reference,
    adjusted_drifts,
    check_model,
    columns_of,
    compare_columns,
    decided,
    feature_names,
    in_batches,
    kept_reference,
    recalibrate,
    recalibrated,
    refuse_same_names,
)
from costboost.app.report.markup import (
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
from costboost.app.report.words import check_provenance
from costboost.classifiers.checks import GivenCosts
from costboost.decisions.actions import ActionClassifier
from costboost.decisions.prevalence import (
    SMALLEST_SHOWN,
    PrevalenceEstimate,
    estimate,
    positive_index,
    reference_shares,
    rows_of_calibration,
)

# ---- what monitoring has found -------------------------------------------------------------------

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
    return f"{found.value:.4g} ({low:.4g} to {high:.4g}), was {before:.4g}; p {_p(found.p_value)}"


def _p(value: float) -> str:
    """A p-value behind its name."""
    return f"= {value:.2g}" if value >= SMALLEST_SHOWN else f"< {SMALLEST_SHOWN:g}"


def _ratio(one: Interval) -> str:
    return f"{one.value:.3f} ({one.low:.3f} to {one.high:.3f})"


def _drift(one: Drift) -> str:
    return f"distance {one.distance:.3f}, {one.test}, adjusted p {_p(one.adjusted)}"


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
    lost = "not known<small>labels are needed</small>"
    tiles = {
        "expected loss of deciding as before": lost
        if found.vetoed
        else _with_interval(found, found.loss),
        "expected cost": _with_interval(found, found.of_all(found.expected_cost)),
    }
    if found.realised_cost is not None:
        tiles["realised cost"] = _with_interval(found, found.of_all(found.realised_cost))
    state = ""
    if found.alarm is not None:
        state = f" {_state(found, found.money(found.alarm))}"
    known = check_provenance({"data": data} if data else None, None, None)
    source = " · ".join(map(escape, known.summary(f"{found.n_rows:,} rows")))
    head = (
        f'<header><h1>{escape(heading)}</h1><p class="soft source">{source}</p>'
        + verdict(
            "loses" if bad else "unproven" if found.shifted or found.vetoed else "saves",
            escape(found.verdict + state),
        )
        + big(tiles, "money")
        + f'<p class="soft">{escape(found.base_of_money)}</p></header>'
    )
    body = head + section("summary", "Summary", facts(dict(found.lines)))
    if found.notes:
        items = "".join(f"<li>{escape(_sentence(note))}</li>" for note in found.notes)
        body += section("notes", "What these rows cannot show", f"<ul>{items}</ul>")
    if found.drifts:
        body += section("features", "Features", _features(found))
    return whole(heading, body + footer(*map(escape, HOW)), bad)


def _state(found: Monitoring, limit: str) -> str:
    """Sentence that states whether there is an alarm."""
    if found.alarmed:
        return f"Alarm: the limit of {limit} is exceeded."
    if found.vetoed:
        return f"No alarm: whether the limit of {limit} is exceeded is not known either."
    beyond = "" if found.changed else " beyond chance"
    return f"No alarm: the limit of {limit} is not exceeded{beyond}."


def _with_interval(found: Monitoring, one: Interval) -> str:
    ends = escape(money_range(one.low, one.high))
    return f"{escape(found.money(one.value))}<small>{LEVEL} interval {ends}</small>"


def write(path: str | os.PathLike[str], found: Monitoring, *words: str) -> Path:
    """Write the page to a file, which is never left incomplete; ``words`` are those of `html`."""
    disk.replace(path, html(found, *words).encode())
    return Path(path)


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def _features(found: Monitoring) -> str:
    shown = found.drifts[:MOST_SHOWN]
    rows = [
        f'<tr><th scope="row">{escape(_name(one))}</th><td>{"yes" if one.found else "no"}</td>'
        f"<td>{one.distance:.3f}</td><td>{escape(one.test)}</td>"
        f"<td>{escape(_p(one.p_value).removeprefix('= '))}</td>"
        f"<td>{escape(_p(one.adjusted).removeprefix('= '))}</td></tr>"
        for one in shown
    ]
    head = ("changed", "distance", "test", "p", "adjusted p")
    left = len(found.drifts) - len(shown)
    more = f"; {left} more are not shown" if left else ""
    n = len(found.drifted)
    caption = f"{n} {'feature has' if n == 1 else 'features have'} changed beyond chance{more}"
    return table("Features of the new rows against held-out ones", caption, head, rows, "feature")


def _name(one: Drift) -> str:
    return "(probability of the positive class)" if one.of_model else one.name


SHARES_TRIED = 9
"""Prevalences within the interval at which features are compared."""

# ---- two passes over new rows, and what follows from both ----------------------------------------

Batches = Callable[[], Iterator[Batch]]


def monitor(
    model: Any,
    X: Any,
    y: Any = None,
    *,
    fn_cost: Any = None,
    fp_cost: Any = None,
    tp_cost: Any = None,
    tn_cost: Any = None,
    action_costs: Any = None,
    reference: Reference | None = None,
    alarm: float | None = None,
    unit: str = "",
) -> Monitoring:
    r"""Compare the decisions of a model on new rows with those that were expected, in money.

    Without labels, the expected cost of each decision follows from the calibrated probability,
    :math:`E(c) = p\,c_{+} + (1 - p)\,c_{-}`. It is right if the probabilities still hold, as they
    do if only the features have changed (covariate shift). If only the prevalence has changed, that
    is estimated (see `costboost.estimate_prevalence`), and so are the cost at this prevalence and
    the loss from decisions that do not take it into account. Features are compared with those of
    the held-out rows. A change of the relation between features and classes (concept drift) cannot
    be seen without labels.

    With labels, costs are measured, and the probabilities are checked: calibration in the large and
    calibration slope (Cox 1958).

    Parameters
    ----------
    model : classifier
        Fitted, of two classes, with calibrated probabilities, or an `ActionClassifier` around one:
        then the decisions are actions, each row decided alone.
    X : array, data frame, sparse matrix or Dask collection of shape (n_samples, n_features)
        The new rows. A Dask collection is read twice, block by block.
    y : array of shape (n_samples,), optional
        Their labels, if they are known.
    fn_cost, fp_cost, tp_cost, tn_cost : number or array of shape (n_samples,), optional
        Costs of the outcomes. Default: those of training. Not for actions.
    action_costs : pandas frame or dict of dicts, optional
        For an `ActionClassifier`, costs of these rows, as ``costs`` of its ``predict``.
    reference : Reference, optional
        Summary of held-out rows. Default: the one that is kept with the model, see `reference`.
    alarm : float, optional
        Expected loss of all rows together above which ``alarmed`` is True, if a change is beyond
        chance.
    unit : str, default=""
        Unit of the costs, for texts.

    Returns
    -------
    Monitoring
        ``print`` shows a summary; ``to_dict()`` is for programs.

    References
    ----------
    Cox, D. R. (1958). Two further applications of a model for binary regression. Biometrika 45,
    562-565.

    Saerens, M., Latinne, P. & Decaestecker, C. (2002). Adjusting the outputs of a classifier to new
    a priori probabilities: a simple procedure. Neural Computation 14(1), 21-41.

    Benjamini, Y. & Hochberg, Y. (1995). Controlling the false discovery rate. Journal of the Royal
    Statistical Society B 57(1), 289-300.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from costboost import CostBoostClassifier
    >>> from costboost.monitoring import monitor, reference
    >>> X, y = make_classification(3000, random_state=0)
    >>> clf = CostBoostClassifier(n_estimators=20, random_state=0).fit(X[:1000], y[:1000])
    >>> _ = reference(clf, X[1000:2000], y[1000:2000])
    >>> found = monitor(clf, X[2000:], alarm=100)
    >>> found.alarmed, len(found.drifted)
    (False, 0)
    """
    costs = GivenCosts(fn_cost, fp_cost, tp_cost, tn_cost)
    batches = in_batches(Batch(X, y, costs, action_costs))
    return monitor_batches(model, batches, reference=reference, alarm=alarm, unit=unit)


def monitor_batches(
    model: Any,
    batches: Batches,
    *,
    reference: Reference | None = None,
    alarm: float | None = None,
    unit: str = "",
) -> Monitoring:
    """Monitor rows that are read in batches, twice; ``batches()`` iterates over them."""
    check_model(model)
    if alarm is not None and not (np.isfinite(alarm) and alarm >= 0):
        raise ValueError(f"alarm must be a cost of at least 0, got {alarm!r}")
    old = kept_reference(model) if reference is None else reference
    first = _FirstPass(model, old)
    for batch in batches():
        first.add(batch)
    if not first.sums.n_rows:
        raise ValueError("there are no rows to monitor")
    found, sums = first.prevalence(), first.sums
    unexplained = first.unexplained(found)
    wrong = miscalibration(
        sums.information / sums.n_rows, first.rows, None if old is None else old.measured
    )
    again = recalibrate(first.probabilities) if sums.n_labelled else None
    p_value = None if again is None else again.p_value(wrong)
    believed = sums.n_labelled > 0 or not unexplained
    second = _SecondPass(float(first.prior[first.positive]), found, again, p_value, believed)
    for batch in batches():
        second.add(decided(model, batch))
    return Monitoring(
        n_rows=sums.n_rows,
        n_labelled=sums.n_labelled,
        alarms=sums.predicted / sums.n_rows,
        base=sums.base,
        expected_cost=sums.expected_cost(wrong),
        expected_savings=sums.expected_savings(wrong),
        prevalence=found,
        shifted_cost=second.shifted_cost(wrong),
        realised_cost=sums.realised_cost,
        realised_savings=sums.realised_savings,
        in_the_large=None
        if again is None
        else Interval.around(again.in_the_large, again.in_the_large_error),
        slope=None if again is None else Interval.around(*again.slope),
        calibration_p_value=p_value,
        loss=second.loss(),
        drifts=first.drifts(),
        reference=old,
        alarm=alarm,
        unit=unit,
        actions=sums.shares if isinstance(model, ActionClassifier) else {},
        unexplained=unexplained,
        prior=float(first.prior[first.positive]),
    )


def _prior(model: Any, old: Reference | None) -> Floats:
    """Shares of the classes that probabilities refer to: of training, or of the reference rows."""
    try:
        return reference_shares(model)
    except ValueError:
        if old is None or not 0 < old.prevalence < 1:
            raise
        return reference_shares(model, old.prevalence)


class _FirstPass:
    """Sums of costs, sketches of features and of probabilities."""

    def __init__(self, model: Any, old: Reference | None) -> None:
        self.model, self.old = model, old
        self.prior, self.positive = _prior(model, old), positive_index(model)
        known = rows_of_calibration(model)
        self.rows = calibration_rows() if known is None else known
        self.sums = CostSums(float(self.prior[self.positive]))
        self.probabilities = ProbabilitySketch()
        self.new: dict[str, ColumnSketch] = {}
        if old is not None:
            self.new = {one.name: one.empty() for one in old.features}
            self.own = old.probability.empty()

    def add(self, batch: Batch) -> None:
        """Add the rows of a batch."""
        found = decided(self.model, batch)
        self.sums.add(*found)
        self.probabilities.add(found.probability, found.truth)
        if self.old is None:
            return
        columns = list(columns_of(batch.X, feature_names(self.model)))
        names = [name for name, _ in columns]
        refuse_same_names(names)
        missing = [name for name in self.new if name not in names]
        if missing:
            raise ValueError(
                f"the reference has the column {missing[0]!r}, which these rows do not have: it is "
                "damaged, or of another model"
            )
        for name, values in columns:
            if name in self.new:
                self.new[name].add(values)
        self.own.add(found.probability)

    def prevalence(self) -> PrevalenceEstimate:
        """Share of the positive class, by labels if there are any."""
        if self.sums.n_labelled:
            return self._of_labels()
        p, n, _ = self.probabilities.table()
        k, old = self.positive, self.old
        base, rows = self.prior[k], self.rows
        if old is not None and old.mean_probability is not None:
            base = (rows * base + old.n_rows * old.mean_probability) / (rows + old.n_rows)
            rows += old.n_rows
        columns, shares = self._in_order(p), self._in_order(np.asarray(base))
        found = estimate(columns, shares, self.model.classes_, k, n, rows=rows)
        return self._from(found, float(base))

    def _in_order(self, values: Floats) -> Floats:
        """Values of both classes, in their order, from those of the positive class."""
        pair = (1 - values, values) if self.positive == 1 else (values, 1 - values)
        return np.stack(pair, axis=-1)

    def _from(self, found: PrevalenceEstimate, base: float) -> PrevalenceEstimate:
        """The estimate with its shift from the shares of training instead of a base.

        The base is what the mean probability of rows as in training is.
        """
        factor = odds_factor(base, float(self.prior[self.positive]))

        def moved(share: float) -> float:
            return float(reweighted(np.array([share]), factor)[0])

        low, high = map(moved, found.interval)
        values = moved(found.value), moved(found.most_likely[self._label])
        return self._estimate(
            values, (low, high), found.statistic, found.p_value, found.at_boundary
        )

    def _of_labels(self) -> PrevalenceEstimate:
        """Share of the labels with Wilson's interval, and the test against that of training.

        The share of training is known as well as by the rows of training and of the reference.
        """
        n, share = self.sums.n_labelled, self.sums.positives / self.sums.n_labelled
        prior = float(self.prior[self.positive])
        n_known = self.rows * TRAINING_ROWS
        pooled = (share * n + prior * n_known) / (n + n_known)
        variance = pooled * (1 - pooled) * (1 / n + 1 / n_known)
        statistic = 0.0 if variance == 0 else (share - prior) ** 2 / variance
        center, scale = (share + Z**2 / (2 * n)) / (1 + Z**2 / n), Z / (1 + Z**2 / n)
        half = scale * np.sqrt(share * (1 - share) / n + Z**2 / (4 * n**2))
        ends = max(0.0, min(share, center - half)), min(1.0, max(share, center + half))
        return self._estimate((share, share), ends, statistic, float(chdtrc(1, statistic)))

    @property
    def _label(self) -> Any:
        """The positive class."""
        return self.model.classes_.tolist()[self.positive]

    def _estimate(
        self,
        values: tuple[float, float],
        ends: tuple[float, float],
        statistic: float,
        p_value: float,
        at_boundary: bool = False,
    ) -> PrevalenceEstimate:
        """Of both classes, from the share and the most likely share of the positive one."""
        labels, (low, high) = self.model.classes_.tolist(), ends
        here, other = self.positive, 1 - self.positive
        return PrevalenceEstimate(
            value=values[0],
            interval=ends,
            shares={labels[here]: values[0], labels[other]: 1 - values[0]},
            intervals={labels[here]: ends, labels[other]: (1 - high, 1 - low)},
            reference=dict(zip(labels, self.prior.tolist(), strict=True)),
            statistic=statistic,
            p_value=p_value,
            n_rows=self.sums.n_labelled or self.sums.n_rows,
            most_likely={labels[here]: values[1], labels[other]: 1 - values[1]},
            at_boundary=at_boundary,
        )

    def drifts(self) -> list[Drift]:
        """Comparison of all columns with the reference."""
        if self.old is None:
            return []
        found = [compare_columns(one, self.new[one.name]) for one in self.old.features]
        own = replace(compare_columns(self.old.probability, self.own), of_model=True)
        return adjusted_drifts([*found, own])

    def unexplained(self, found: PrevalenceEstimate) -> list[Drift]:
        """Features that have changed from what they would be at any prevalence in the interval.

        Those at the prevalence that explains most of them; as in the comparison with the reference
        if that does not know the classes of its rows.
        """
        drifted = [one for one in self.drifts() if one.found and not one.of_model]
        if self.old is None or not drifted:
            return []
        low, high = found.interval
        fewest = drifted
        for share in [found.value, *np.linspace(low, high, SHARES_TRIED).tolist()]:
            there = [(one.at_share(share), self.new[one.name]) for one in self.old.features]
            pairs = [(old, new) for old, new in there if old is not None]
            if not pairs:
                break
            beyond = adjusted_drifts([compare_columns(*pair) for pair in pairs])
            fewest = min(fewest, [one for one in beyond if one.found], key=len)
        return fewest


class _SecondPass:
    """Costs of the decisions, and of the best ones, by probabilities that new rows suggest."""

    def __init__(
        self,
        prior: float,
        found: PrevalenceEstimate,
        again: Recalibration | None,
        p_value: float | None,
        believed: bool,
    ) -> None:
        value = found.value if believed else prior
        inner = np.clip([value, *found.interval], 1e-9, 1 - 1e-9)
        self.factors = [odds_factor(prior, float(share)) for share in inner]
        self.unchanged = not believed or found.p_value >= SHIFT
        self.others: list[Floats] = []
        if again is not None and p_value is not None:
            self.unchanged, self.others = p_value >= SHIFT, again.region()
        self.n_rows, self.variance, self.gradient = 0, 0.0, np.zeros(2)
        self.stay, self.best = np.zeros((2, len(self.factors) + len(self.others)))

    def add(self, rows: Decided) -> None:
        """Add the rows of a batch."""
        p, costs = rows.probability, rows.costs
        others = [reweighted(p, factor) for factor in self.factors]
        others += [recalibrated(p, coefficients) for coefficients in self.others]
        self.n_rows += p.size
        gap = np.subtract(*costs.of_decision(rows.codes))
        variance = others[0] * (1 - others[0])
        self.variance += float((variance * gap**2).sum())
        self.gradient += np.stack([variance, variance * logits(p)]) @ gap
        for k, q in enumerate(others):
            self.stay[k] += costs.expected(rows.codes, q).sum()
            self.best[k] += costs.least(q).sum()

    def shifted_cost(self, wrong: MiscalibrationError) -> Interval:
        """Expected cost of a row at the estimated prevalence.

        The interval adds the error of the prevalence to those of the rows and of the calibration.
        """
        calibration = wrong.of(self.gradient / self.n_rows)
        error = np.hypot(np.sqrt(self.variance) / self.n_rows, calibration)
        value, *ends = (self.stay[:3] / self.n_rows).tolist()
        below = min(0.0, *(end - value for end in ends))
        above = max(0.0, *(end - value for end in ends))
        return Interval(
            value,
            value - float(np.hypot(Z * error, below)),
            value + float(np.hypot(Z * error, above)),
        )

    def loss(self) -> Interval:
        """Expected loss of all rows from deciding as the model does."""
        lost: Floats = np.maximum(self.stay - self.best, 0.0)
        value, *ends = (lost[len(self.factors) :] if self.others else lost).tolist()
        return Interval(value, 0.0 if self.unchanged else min(value, *ends), max(value, *ends))
