"""Actions in the report: the verdict on them, the section, and costs of the two plain ones."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from costboost.checks import check_weight
from costboost.decisions.actions import ActionClassifier, classifier_inside, uncertain_decisions
from costboost.decisions.assignment import Codes
from costboost.decisions.prevalence import positive_index
from costboost.decisions.reports import DecisionReport, UncertainDecisions, make_report
from costboost.metrics.checks import Floats, check_known_labels
from costboost.report.cautions import Cautions
from costboost.report.interactive import ReviewStart
from costboost.report.markup import (
    Opening,
    Style,
    escape,
    number,
    savings_tag,
    section,
    share,
    table,
)
from costboost.report.numbers.two_classes import Difference, interval
from costboost.report.sections import against
from costboost.report.uncertain import HEADING, UncertainPart, sentence, uncertain_costs
from costboost.report.words import Comparison, Provenance, Words, money_items, sentences

ALWAYS = '"{action}" for all {rows}'
"""Name of one action for all rows."""


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
        return make_report(
            of.actions, of.probability, of.costs.table, of.codes, self.truth, of.weight
        )

    @property
    def realised(self) -> Floats:
        """Cost of each action for each row, given its true class."""
        found = self.decided.costs.table
        return found[self.truth] if found.ndim == 2 else found[np.arange(len(found)), self.truth]

    @property
    def greatest_cost(self) -> float:
        """Cost of the most expensive action for every row."""
        return float(self.decided.weight @ np.abs(self.realised).max(axis=1))

    def compared(self, words: Words) -> Comparison:
        """The actions against the best one for all rows alike."""
        realised, weight, report = self.realised, self.decided.weight, self.report
        best = int(np.argmin(report.if_all))
        chosen = realised[np.arange(len(realised)), self.decided.codes]
        saved = (weight * (realised[:, best] - chosen))[weight > 0]
        perfect = float(weight @ realised.min(axis=1))
        return Comparison(
            float(report.realised_cost.sum()),
            interval(saved),
            float(report.if_all[best]) - perfect,
            ALWAYS.format(action=report.actions[best], rows=words.rows),
            float(weight.sum()),
            perfect or None,
        )

    def cautions(self, others: Cautions) -> Cautions:
        """Cautions about the rows, and about these actions instead of predictions."""
        found = self.compared(Words())
        least = found.least
        saved = Difference(*(min(1.0, one / least) for one in found.saved)) if least else None
        codes = self.decided.codes[self.decided.weight > 0]
        return others.for_actions(saved, codes, self.decided.actions)

    # ---- the top of the page -----------------------------------------------------------------

    def opening(self, style: Style, words: Words, known: Provenance, cautions: Cautions) -> Opening:
        """Verdict and money."""
        found, counted = self.compared(words), self.decided.weight > 0
        count = np.bincount(self.truth[counted], minlength=len(self.decided.classes)).tolist()
        counts = dict(zip(self.decided.classes, count, strict=True))
        n = words.counted(int(counted.sum()), cautions)
        return Opening(
            known.summary(n),
            *sentences(words, cautions, counts).of(found, style),
            money_items(found, style, words),
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
            f"{escape(style.money(found.cost))}</{mark}>: {less}.{unsure}"
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
            "actions", "Actions", f"{text}{table('Actions', caption, head, lines, 'action')}"
        )
        part = self._uncertain
        return found if part is None else found + uncertain_costs(part, style)

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
            [f"{action} for all rows" for action in self.decided.actions],
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
        if len(self.decided.classes) != 2:
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
        negative, positive = (self.decided.actions[k] for k in plain)
        return words._replace(actions=(negative, positive), form=ALWAYS)

    def about_predictions(self, plain: bool) -> str:
        """Paragraph on what the sliders are about: ``plain`` if on the costs of these actions."""
        two = self.plain_actions if plain else None
        if two is None:
            text = (
                "Here each row is predicted positive or negative, at the cost of a miss and of a "
                "false alarm. The actions above have costs of their own."
            )
        else:
            negative, positive = (escape(self.decided.actions[k]) for k in two)
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
        others = set(range(len(self.decided.actions))) - set(plain or ())
        if plain is None or len(others) != 1:
            return None
        (action,), k = others, positive_index(classifier_inside(self.clf))
        cost = own.mean[:, :, action]
        if np.ptp(cost) or cost.flat[0] <= 0:
            return None
        if own.parts is None:
            right = [self.plain_costs()[name] for name in ("tp_cost", "tn_cost")]
            return None if any(np.any(one) for one in right) else ReviewStart(float(cost.flat[0]))
        after = own.parts[:, :, action][:, [1 - k, k]][:, :, list(plain)]
        if np.ptp(after, axis=0).any():
            return None
        return ReviewStart(float(cost.flat[0]), float(after[0, 1, 1]), float(after[0, 0, 0]))
