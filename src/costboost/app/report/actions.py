"""Sections on actions and on uncertain costs: what decisions cost, and the verdict on them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from costboost._core.arrays import Codes
from costboost._core.baselines import ABOUT_BY_COSTS, BY_COSTS, for_all
from costboost._core.checks import check_weight
from costboost.app.report import drawing
from costboost.app.report.interactive import ReviewStart, rule_names
from costboost.app.report.markup import (
    Opening,
    Style,
    big,
    escape,
    figure,
    number,
    savings_tag,
    section,
    share,
    table,
)
from costboost.app.report.numbers import TwoClassPredictions, without_model
from costboost.app.report.sections import against
from costboost.app.report.words import (
    TOTALS,
    Cautions,
    Comparison,
    Provenance,
    Words,
    money_items,
    sentences,
)
from costboost.decisions.actions import ActionClassifier, classifier_inside, uncertain_decisions
from costboost.decisions.prevalence import positive_index, shares_without_model
from costboost.decisions.reports import (
    DecisionReport,
    Ends,
    UncertainDecisions,
    make_report,
    rules_without_model,
)
from costboost.metrics.checks import Floats, check_known_labels

MOST_PICTURES = 4
"""Greatest number of uncertain costs that are drawn, those with the greatest effect."""
OUTCOMES = {
    "fn_cost": "miss (false negative)",
    "fp_cost": "false alarm (false positive)",
    "tp_cost": "hit (true positive)",
    "tn_cost": "right negative (true negative)",
}
"""Names of the outcomes that costs belong to."""
HEADING = "If the costs are uncertain"
CELLS = {
    (False, "negative"): "tn_cost",
    (False, "positive"): "fp_cost",
    (True, "negative"): "fn_cost",
    (True, "positive"): "tp_cost",
}
"""Costs by the class that is true, whether it is the positive one, and the prediction."""


class UncertainPart(NamedTuple):
    """Decisions under uncertain costs on a page, with the words for them."""

    identity: str
    """Name of the section in the page."""
    heading: str
    decided: UncertainDecisions
    truth: Codes
    """Positions of the classes that are true."""
    ours: str
    """Name of the decisions."""
    rules: dict[str, Codes]
    """Decisions of the rules that need no model, by name."""
    cost_name: Callable[[Any, str], str]
    """Name of the cost of an action where a class is true."""
    by_cost: bool
    """Whether the decisions are those of least expected cost or regret."""
    by_mean: bool = True
    """Whether they are those of the mean costs."""

    def least_saved(self) -> tuple[float, str]:
        """Least that is saved within the ranges against any rule without a model; its name."""
        found = {n: self.decided.saved(self.truth, one).low for n, one in self.rules.items()}
        name = min(found, key=lambda one: found[one])
        return found[name], name


def of_two_classes(rows: TwoClassPredictions, words: Words) -> UncertainPart | None:
    """The predictions for two classes; None if no cost is uncertain."""
    decided = rows.uncertain()
    if decided is None:
        return None
    names = rule_names(rows, words)
    rules = {names[key]: one.astype(np.intp) for key, one in without_model(rows).items()}

    def cost_name(truth: Any, predicted: str) -> str:
        return f"cost of a {OUTCOMES[CELLS[bool(truth == rows.label), predicted]]}"

    truth, by_cost = rows.positive.astype(np.intp), rows.limit is not None
    return UncertainPart(
        "uncertain", HEADING, decided, truth, "this model", rules, cost_name, by_cost
    )


def sentence(part: UncertainPart, style: Style) -> str:
    """What is sure in spite of the uncertain costs, for the top of the page, as HTML."""
    cost = part.decided.total(part.truth)
    least, name = part.least_saved()
    word = f"saves at least {escape(style.money(least))}"
    if least < 0:
        word = f"may cost up to {escape(style.money(-least))} more"
    return (
        f"Some costs are uncertain: within their ranges the decisions cost "
        f"{escape(number(cost.low, style.total))} to {escape(style.money(cost.high))}, and the "
        f"model {word} {'than' if least < 0 else 'against'} {escape(name)} "
        f'(<a href="#{part.identity}">see below</a>).'
    )


def uncertain_costs(part: UncertainPart, style: Style) -> str:
    """Section on the range of the costs, the decisions that depend on it, and the bands."""
    decided = part.decided
    cost, (least, name) = decided.total(part.truth), part.least_saved()
    items = {
        "Cost of the decisions": _ends(cost, style),
        "Saved at the worst costs": f"{escape(style.money(least))}<small>against "
        f"{escape(name)}</small>",
    }
    if part.by_cost:
        regret = decided.regret
        held = float(decided.weight @ (regret == 0)) / float(decided.weight.sum())
        items |= {
            "Decisions that hold": f"{share(held)}<small>for all costs within the ranges</small>",
            "At stake in the others": f"{escape(style.money(float(decided.weight @ regret)))}"
            "<small>expected, at most, if the worst costs are true</small>",
        }
    text = (
        f"<p>The decisions are made for the {'mean costs' if part.by_mean else 'least regret'}. "
        "Here the costs move through their ranges, and the decisions stay as they are. Numbers are "
        "those of these rows; the chance in the rows comes on top.</p>"
    )
    pictures = [
        _picture(part, cell, k, style) for k, cell in enumerate(decided.cells()[:MOST_PICTURES])
    ]
    return section(
        part.identity,
        part.heading,
        f'{text}<div class="stack"><div class="card">{big(items)}</div>{_compared(part, style)}'
        f'<div class="cards">{"".join(pictures)}</div></div>',
    )


def _ends(money: Ends, style: Style) -> str:
    low, high = (escape(number(end, style.total)) for end in (money.low, money.high))
    return f"{escape(style.money(money.mean))}<small>{low} to {high} within the ranges</small>"


def _compared(part: UncertainPart, style: Style) -> str:
    """Table of the least and greatest cost of the decisions and of one action for all rows."""
    decided, truth = part.decided, part.truth

    def line(name: str, cost: Ends, saved: Ends | None, look: str = "") -> str:
        cells = [number(one, style.total) for one in cost]
        cells += ["–"] * 3 if saved is None else [number(one, style.total) for one in saved]
        inside = "".join(f"<td>{escape(cell)}</td>" for cell in cells)
        return f'<tr{look}><th scope="row">{escape(name)}</th>{inside}</tr>'

    lines = [line(part.ours, decided.total(truth), None, ' class="ours"')]
    for name, codes in part.rules.items():
        lines.append(line(name, decided.total(truth, codes), decided.saved(truth, codes)))
    unit = f", in {style.unit}" if style.unit else ""
    caption = f"Costs on these rows{unit}, at the mean costs and within the ranges"
    head = ["cost", "at least", "at most", "model saves", "at least", "at most"]
    return table("Within the ranges", caption, head, lines, "decisions")


def _picture(part: UncertainPart, cell: tuple[Any, str], k: int, style: Style) -> str:
    found = part.decided.move(cell)
    name = part.cost_name(*cell)
    has_band = bool(np.any(found.upper > found.lower))
    legend = [
        ("c0", "as decided"),
        ("c1 dashed", "if the cost were known before deciding"),
        *([("c0 wide band", "the other uncertain costs within their ranges")] if has_band else []),
    ]
    gap = float((found.decided - found.known).max())
    caption = (
        "Expected cost of a row by the probabilities. To know this cost would save at most "
        f"{escape(style.money(gap, mean=True))} a row."
    )
    picture = drawing.cost_range(found, name, f"plot-{part.identity}-{k}")
    return figure(f"{name[0].upper()}{name[1:]}", picture, legend, caption)


# ---- actions -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ActionPart:
    """Actions on held-out rows of positive weight, and what they cost where the truth is known."""

    clf: ActionClassifier
    decided: UncertainDecisions
    truth: Codes
    """Positions of the classes that are true."""

    @classmethod
    def of(cls, clf: ActionClassifier, X: Any, y: Any, sample_weight: Any, costs: Any) -> Any:
        """Decide on rows; a ValueError if the labels do not belong to them."""
        decided = uncertain_decisions(clf, X, costs)
        labels = check_known_labels(y, clf.classes_)
        if labels.size != len(decided.codes):
            raise ValueError(f"X has {len(decided.codes)} rows, but y has {labels.size}")
        weight = check_weight(sample_weight, labels.size)
        truth = np.searchsorted(clf.classes_, labels)
        return cls(clf, replace(decided, weight=weight), truth)

    @property
    def report(self) -> DecisionReport:
        """Rows and costs of each action."""
        of = self.decided
        return make_report(of.costs, of.probability, of.codes, self.truth, of.weight, self._shares)

    @property
    def _shares(self) -> Floats:
        """Shares of the classes by which rows are decided without a model."""
        return shares_without_model(self.clf, self.truth, self.decided.weight).values

    def rules(self, words: Words) -> dict[str, Codes]:
        """Actions of the rules that need no model, by name."""
        of = self.decided
        return rules_without_model(of.costs, self._shares, len(of.codes), words.rows)

    @property
    def realised(self) -> Floats:
        """Cost of each action for each row, given its true class."""
        return self.decided.costs.realised(self.truth)

    @property
    def greatest_cost(self) -> float:
        """Cost of the most expensive action for every row."""
        return float(self.decided.weight @ np.abs(self.realised).max(axis=1))

    def compared(self, words: Words) -> Comparison:
        """The actions against the best rule that needs no model."""
        weight, report, rules = self.decided.weight, self.report, self.rules(words)
        rows = np.arange(len(weight))
        losses = {name: float(weight @ self.realised[rows, one]) for name, one in rules.items()}
        best = min(losses, key=lambda name: losses[name])
        perfect = float(weight @ self.realised.min(axis=1))
        return Comparison(
            float(report.realised_cost.sum()),
            report.saved,
            losses[best] - perfect,
            best,
            perfect or None,
        )

    def cautions(self, others: Cautions) -> Cautions:
        """Cautions about the rows, and about these actions instead of predictions."""
        codes = self.decided.codes[self.decided.weight > 0]
        actions = self.decided.costs.actions
        return others.for_actions(self.compared(Words()).share_saved, codes, actions)

    # ---- the top of the page -----------------------------------------------------------------

    def opening(self, style: Style, words: Words, known: Provenance, cautions: Cautions) -> Opening:
        """Verdict and money."""
        found, counted = self.compared(words), self.decided.weight > 0
        count = np.bincount(self.truth[counted], minlength=len(self.decided.costs.classes)).tolist()
        counts = dict(zip(self.decided.costs.classes, count, strict=True))
        n = words.counted(int(counted.sum()), cautions)
        return Opening(
            known.summary(n),
            *sentences(words, cautions, counts).of(found, style),
            money_items(found, style),
            self._lead(found, style, n, cautions),
        )

    def _lead(self, found: Comparison, style: Style, n: str, cautions: Cautions) -> str:
        mark, report = savings_tag(cautions), self.report
        each = ", ".join(
            f"{escape(action)} {number(report.rows[k], style.rows)}"
            for k, action in enumerate(report.actions)
        )
        less = against(found.saved, style, escape(found.other), mark)
        unsure = "" if self._uncertain is None else f" {sentence(self._uncertain, style)}"
        return (
            f"On {escape(n)} the actions of least expected cost ({each}) cost <{mark}>"
            f"{escape(style.money(found.cost))}</{mark}>: {less}. {TOTALS}{unsure}"
        )

    # ---- sections ----------------------------------------------------------------------------

    def sections(self, style: Style) -> str:
        """Section on the actions, and one on the ranges of their costs."""
        report = self.report
        unit = f", in {style.unit}" if style.unit else ""
        lines = [
            f'<tr><th scope="row">{escape(action)}</th>'
            f"<td>{number(report.rows[k], style.rows)}</td><td>{share(float(report.share[k]))}</td>"
            + "".join(
                f"<td>{number(float(values[k]), style.total)}</td>"
                for values in (report.expected_cost, report.realised_cost, report.if_all)
            )
            + "</tr>"
            for k, action in enumerate(report.actions)
        ]
        head = ["rows", "share", "expected cost", "realised cost", "cost if all rows had it"]
        caption = f"Actions of least expected cost on these rows{unit}"
        text = (
            "<p>Each row has the action of least expected cost by its probabilities. The expected "
            "cost is by these probabilities, the realised cost by the classes that are true.</p>"
        )
        found = section(
            "actions",
            "Actions",
            f"{text}{table('Actions', caption, head, lines, 'action')}{self._by_costs(style)}",
        )
        part = self._uncertain
        return found if part is None else found + uncertain_costs(part, style)

    def _by_costs(self, style: Style) -> str:
        """What deciding by costs alone would cost; empty if that is one action for all rows."""
        if self.report.by_costs is None:
            return ""
        cost = escape(style.money(self.report.by_costs))
        return f"<p>{BY_COSTS.capitalize()} would cost {cost}. {ABOUT_BY_COSTS}</p>"

    @property
    def _uncertain(self) -> UncertainPart | None:
        """The actions within the ranges of their costs; None if all costs are certain."""
        if self.decided.costs.is_certain:
            return None

        def cost_name(truth: Any, action: str) -> str:
            return f"cost of {action} where {truth} is true"

        return UncertainPart(
            "uncertain-actions",
            f"{HEADING}: actions",
            self.decided,
            self.truth,
            "the actions",
            self.rules(Words()),
            cost_name,
            True,
            self.clf.uncertain == "mean",
        )

    # ---- two classes -------------------------------------------------------------------------

    @property
    def plain_actions(self) -> tuple[int, int] | None:
        """Positions of the actions that are best if a row is known to be negative and positive.

        None if there are more than two classes, or if one action is the best in any case.
        """
        if len(self.decided.costs.classes) != 2:
            return None
        means = np.atleast_3d(self.decided.costs.table.T).mean(axis=2).T
        positive = positive_index(classifier_inside(self.clf))
        negative, positive = (int(means[k].argmin()) for k in (1 - positive, positive))
        return None if negative == positive else (negative, positive)

    def plain_costs(self) -> dict[str, Any]:
        """Costs of the four outcomes if each row has one of the two plain actions."""
        plain = self.plain_actions
        if plain is None:
            return {}
        k = positive_index(classifier_inside(self.clf))
        costs = self.decided.costs.table
        cells = {"fn_cost": (k, 0), "fp_cost": (1 - k, 1), "tp_cost": (k, 1), "tn_cost": (1 - k, 0)}
        found = {name: costs[..., row, plain[act]] for name, (row, act) in cells.items()}
        return {name: cost if np.ndim(cost) else float(cost) for name, cost in found.items()}

    def plain_words(self, words: Words) -> Words:
        """Names of the two plain actions, unless the caller has named them."""
        plain = self.plain_actions
        if plain is None or words.actions is not None:
            return words
        negative, positive = (self.decided.costs.actions[k] for k in plain)
        return words._replace(actions=(negative, positive), form=for_all("{action}", "{rows}"))

    def about_predictions(self, plain: bool) -> str:
        """Paragraph on what the sliders are about: ``plain`` if on the costs of these actions."""
        two = self.plain_actions if plain else None
        if two is None:
            text = (
                "Here each row is predicted positive or negative, at the cost of a miss and of a "
                "false alarm. The actions above have costs of their own."
            )
        else:
            negative, positive = (escape(self.decided.costs.actions[k]) for k in two)
            text = (
                f"Here each row has one of two actions: {positive} if it is predicted positive, "
                f"{negative} if it is predicted negative, at the costs of the table. A check box "
                "adds reviews by a person."
            )
            if self.review() is not None:
                text += " Reviews start with the cost and the error rates of the model."
        return f"<p>{text}</p>"

    def review(self) -> ReviewStart | None:
        """The one action beside the plain ones as a review; None if it is not of that form."""
        plain, own = self.plain_actions, self.decided.costs
        others = set(range(len(self.decided.costs.actions))) - set(plain or ())
        if plain is None or len(others) != 1:
            return None
        (action,), k = others, positive_index(classifier_inside(self.clf))
        cost = own.ranges.mean[:, :, action]
        if np.ptp(cost) or cost.flat[0] <= 0:
            return None
        if own.parts is None:
            right = [self.plain_costs()[name] for name in ("tp_cost", "tn_cost")]
            return None if any(np.any(one) for one in right) else ReviewStart(float(cost.flat[0]))
        after = own.parts[:, :, action][:, [1 - k, k]][:, :, list(plain)]
        if np.ptp(after, axis=0).any():
            return None
        return ReviewStart(float(cost.flat[0]), float(after[0, 1, 1]), float(after[0, 0, 0]))
