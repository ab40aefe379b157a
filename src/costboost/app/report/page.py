"""The report as one HTML page, on two classes or several: public functions, order of sections."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from inspect import signature
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from costboost._core import disk
from costboost._core.baselines import ABOUT_BY_COSTS
from costboost._core.checks import warn
from costboost._core.costs import known_costs
from costboost._core.costs.record import ACTIONS
from costboost._core.names import COST_NAMES
from costboost.app.report import drawing, interactive, markup, plot_data, sections
from costboost.app.report.actions import (
    OUTCOMES,
    ActionPart,
    UncertainPart,
    of_two_classes,
    sentence,
    uncertain_costs,
)
from costboost.app.report.importance import Importance, worth_to_several
from costboost.app.report.interactive import held, script_json, shown, ways
from costboost.app.report.markup import (
    LEVEL,
    Opening,
    Style,
    escape,
    facts,
    figure,
    number,
    plural,
    savings_tag,
    section,
    share,
    table,
)
from costboost.app.report.numbers import (
    COSTS,
    IGNORING,
    MODEL,
    SeveralClassPredictions,
    TwoClassPredictions,
    boosting_of,
    difference,
    goal_result,
    of_several,
    outcome,
    predict_several_classes,
    predict_two_classes,
    takes_costs,
    without_model,
)
from costboost.app.report.sections import (
    ORIGIN,
    against,
    importances,
    learners,
    measured_heading,
    ranking,
    settings,
)
from costboost.app.report.words import (
    TOTALS,
    Cautions,
    Comparison,
    Provenance,
    Sentences,
    Words,
    check_provenance,
    check_words,
    goal_words,
    money_items,
    of_two,
    sentences,
)
from costboost.app.report.words import of_several as of_several_classes
from costboost.decisions.actions import ActionClassifier, classifier_inside
from costboost.metrics.checks import Floats

# ---- public functions ----------------------------------------------------------------------------


def html(
    model: Any,
    X: Any,
    y: Any,
    *,
    fn_cost: Any = None,
    fp_cost: Any = None,
    tp_cost: Any = None,
    tn_cost: Any = None,
    cost_matrix: Any = None,
    costs: Any = None,
    sample_weight: Any = None,
    title: str | None = None,
    unit: str = "",
    rows_are: str = "rows",
    negative_action: str | None = None,
    positive_action: str | None = None,
    trained_on: Mapping[str, Any] | str | None = None,
    provenance: Mapping[str, Any] | str | None = None,
    notes: Iterable[str] = (),
    random_state: Any = None,
) -> str:
    """A report on a fitted classifier as one HTML page, as text.

    The page begins with a verdict in one sentence: what using the model saves on held-out rows,
    and whether the rows are enough to be sure. Below are the costs, warnings, sliders for other
    costs, and the evidence. It needs no network. With more than two classes there are more than
    two costs, and no sliders.

    Parameters
    ----------
    model : classifier
        Any boosting classifier of this library, fitted, or a `CostSearchCV` or
        `OperatingPointClassifier` around one, or one of `costboost.multiclass`. For an
        `ActionClassifier`, the verdict is on its actions, and the sliders are on the two actions
        that are best if the class is known.
    X : array, data frame or sparse matrix of shape (n_samples, n_features)
        Rows that the model was not trained on. On training rows all numbers are too optimistic.
    y : array of shape (n_samples,)
        Their labels, as in training. Of two classes, both must be there.
    fn_cost, fp_cost : number or array of shape (n_samples,), optional
        Cost of a false negative (miss) and of a false positive (false alarm); arrays give each row
        its own. A tuple ``(low, high)`` is a range, and a frozen distribution of ``scipy.stats``
        stands for its central 95% interval: decisions are made for the mean, and a section shows
        what they cost within the ranges. Default: the costs of training, averaged over rows, or
        those of the actions.
    tp_cost, tn_cost : number or array of shape (n_samples,), optional
        Cost of a true positive and of a true negative; a gain is a negative cost. The money on the
        page then includes them. Every error must cost more than the right prediction. They may be
        ranges or distributions, too.
    cost_matrix : array of shape (n_classes, n_classes), optional
        For more than two classes, the cost of predicting one of them (columns) where another (rows)
        is true. Default: that of training. The model predicts by it if it can.
    costs : Costs, optional
        All costs in one record, instead of the others. For an `ActionClassifier`, costs of the
        actions on these rows, as in its ``predict``; costs of outcomes are those of the sliders.
    sample_weight : array of shape (n_samples,), optional
        How often each row counts.
    title : str, optional
        The heading.
    unit : str, default ""
        Unit of the costs, such as "EUR".
    rows_are : str, default "rows"
        What the rows are, in the plural, such as "applications".
    negative_action, positive_action : str, optional
        For two classes, what is done with rows predicted negative and positive, such as "approving"
        and "rejecting": the page then compares the model with "approving all applications".
        Default: "always predicting" and the class.
    trained_on : mapping or str, optional
        Description of the training data, such as ``{"file": "loans.csv", "rows": 32500}``.
    provenance : mapping or str, optional
        Description of the held-out rows, such as ``{"data": "loans-2026.csv", "target": "default",
        "model file": "loans.costboost"}``; a str is the data. The page adds the number of rows, the
        classes, the costs, the classifier, the date and the version of costboost. ``"date"``
        replaces the date of today.
    notes : iterable of str, optional
        Further notes for the top of the page, such as the warnings of the training. The page itself
        warns of training rows among the rows, of columns that alone separate the classes, of
        savings that may be zero, of a goal that is missed, of constant predictions, and of classes
        with few rows.
    random_state : int, RandomState or None, default=None
        Seed of the samples of rows that are used for the cost after each round with more than
        20,000 rows, and for the effects of features in trees.

    Returns
    -------
    str

    Warns
    -----
    UserWarning
        If the rows are training rows of the model, or a column alone separates the classes: the
        numbers are better than they would be on new rows.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.model_selection import train_test_split
    >>> from costboost.algorithms import AdaMECClassifier
    >>> from costboost import report
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
    >>> clf = AdaMECClassifier(n_estimators=20, pos_label=0).fit(X_train, y_train)
    >>> text = report.html(clf, X_test, y_test, fn_cost=10, fp_cost=1, unit="EUR")
    >>> text[:15]
    '<!DOCTYPE html>'
    """
    page = make(**locals())
    for one in page.cautions.found:
        if one.grave:
            warn(one.text)
    return page.text


class Page(NamedTuple):
    """Text of a report, and its cautions."""

    text: str
    cautions: Cautions

    def write(self, path: str | os.PathLike[str]) -> Path:
        """Write the page to a file, which is never left incomplete."""
        disk.replace(path, self.text.encode())
        return Path(path)


def write(path: str | os.PathLike[str], model: Any, X: Any, y: Any, **options: Any) -> Path:
    """Write a report on a fitted classifier to an HTML file.

    The file is never left incomplete: an earlier one stays until the new one is written.

    Parameters
    ----------
    path : str or path-like
        Path of the file. An existing file is replaced.
    model, X, y
        As for :func:`html`.
    **options
        All other parameters of :func:`html`.

    Returns
    -------
    Path
        The path.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from costboost.algorithms import AdaMECClassifier
    >>> from costboost import report
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> clf = AdaMECClassifier(n_estimators=20, pos_label=0).fit(X[:400], y[:400])
    >>> print(report.write("tumours.html", clf, X[400:], y[400:], fn_cost=10, fp_cost=1))
    tumours.html
    """
    text = html(model, X, y, **options)
    disk.replace(path, text.encode())
    return Path(path)


def make(model: Any, X: Any, y: Any, **options: Any) -> Page:
    """Make the page; parameters and their defaults are those of `html`."""
    bound = signature(html).bind(model, X, y, **options)
    bound.apply_defaults()
    return _make(SimpleNamespace(**bound.arguments))


def _make(given: SimpleNamespace) -> Page:
    acting, model = given.model, classifier_inside(given.model)
    X, y, weight = given.X, given.y, given.sample_weight
    words = check_words(given.rows_are, given.negative_action, given.positive_action)
    origin = check_provenance(given.provenance, given.trained_on, y)
    record, action_costs = given.costs, None
    if isinstance(acting, ActionClassifier) and getattr(record, "form", ACTIONS) == ACTIONS:
        record, action_costs = None, record
    known = known_costs(record, *(getattr(given, name) for name in COST_NAMES))
    acted: ActionPart | None = None
    if isinstance(acting, ActionClassifier):
        acted = ActionPart.of(acting, X, y, weight, action_costs)
    heading = given.title
    if heading is None:
        what = "predictions" if acted is None else "actions"
        heading = f"What the {what} of the model cost and save"

    def made(rows: Any, cautions: Cautions) -> tuple[Cautions, Style]:
        greatest = max(rows.greatest_cost, 0.0 if acted is None else acted.greatest_cost)
        own = cautions if acted is None else acted.cautions(cautions)
        return own.with_notes(given.notes), Style.of(given.unit, greatest, rows.weight)

    if hasattr(model, "classes_") and of_several(model):
        matrix = known.pop("cost_matrix", given.cost_matrix)
        if known:
            raise ValueError("fn_cost and fp_cost are for two classes; give cost_matrix")
        if words.actions is not None:
            raise ValueError("negative_action and positive_action are for two classes")
        answers = predict_several_classes(model, X, y, matrix, weight)
        cautions, style = made(answers, of_several_classes(model, X, answers))
        worth = worth_to_several(model, X, answers, given.random_state)
        text = page_of_several(
            heading, model, answers, style, words, origin, cautions, worth, acted
        )
        return Page(text, cautions)
    if given.cost_matrix is not None:
        raise ValueError("cost_matrix is for more than two classes; give fn_cost and fp_cost")
    plain = acted is not None and not known
    if acted is not None and plain:
        known, words = acted.plain_costs(), acted.plain_words(words)
    rows = predict_two_classes(model, X, y, known, weight)
    cautions, style = made(rows, of_two(model, X, rows))
    page = _TwoClassPage(model, rows, style, words, origin, cautions, acted, plain)
    return Page(page.text(heading, X, y, given.random_state), cautions)


# ---- the page on two classes ---------------------------------------------------------------------


@dataclass(frozen=True)
class _TwoClassPage:
    """Page with sliders, for two classes."""

    model: Any
    rows: TwoClassPredictions
    style: Style
    words: Words
    origin: Provenance
    cautions: Cautions
    acted: ActionPart | None = None
    plain: bool = False
    """Whether the costs are those of the two plain actions."""

    def text(self, heading: str, X: Any, y: Any, random_state: Any) -> str:
        """The HTML document; of a model of actions it begins with these."""
        rows, style, boosting, kept = (
            self.rows,
            self.style,
            boosting_of(self.model),
            held(self.rows),
        )
        body = [
            markup.header(heading, self._first(), self.cautions),
            "" if self.acted is None else self.acted.sections(style),
            self._interactive(),
            "" if self._uncertain is None else uncertain_costs(self._uncertain, style),
            sections.probabilities(boosting, X, y, rows, self.words),
            ranking(rows, style, self.words),
            sections.rounds(self.model, X, rows, style, self.words, random_state),
            sections.shapes(boosting, X, rows, random_state),
            sections.origin(self.model, rows, style, self.origin, self.cautions),
            markup.footer(markup.TERMS, markup.BINNED if kept["binned"] else markup.EXACT),
        ]
        more = {
            "style": style._asdict(),
            "perRow": rows.per_row,
            "base": rows.right_cost,
            "right": interactive.slider_origins(rows),
            "verdicts": self._sentences.by_kind,
            "rules": interactive.rule_names(rows, self.words),
        } | interactive.held_for_reviews(rows, self._review)
        return markup.whole(heading, "".join(body), self.cautions.grave, script_json(kept | more))

    def _verdict(self) -> str | None:
        """The verdict that the sliders change; None on a page of actions, which has one above."""
        if self.acted is not None:
            return None
        opening = self._opening()
        return markup.verdict(
            opening.look,
            f'<span data-out="verdict">{escape(opening.verdict)}</span>',
            ' data-verdict role="status"',
        )

    @property
    def _sentences(self) -> Sentences:
        return sentences(self.words, self.cautions, interactive.class_counts(self.rows))

    @property
    def _review(self) -> interactive.ReviewStart:
        """Review that the controls start with: that of the actions, if they have one."""
        own = None if self.acted is None or not self.plain else self.acted.review()
        return own or interactive.ReviewStart.of(self.rows)

    @property
    def _uncertain(self) -> UncertainPart | None:
        return of_two_classes(self.rows, self.words)

    def _first(self) -> Opening:
        """Verdict and money at the top of the page."""
        if self.acted is None:
            return self._opening()
        return self.acted.opening(self.style, self.words, self.origin, self.cautions)

    def _opening(self) -> Opening:
        """Verdict and money of the predictions at the costs given."""
        rows, style, words = self.rows, self.style, self.words
        found = interactive.compared(rows, rows.predicted, words)
        n = words.counted(rows.positive.size, self.cautions)
        return Opening(
            self.origin.summary(n),
            *self._sentences.of(found, style),
            money_items(found, style),
            self._lead(n),
        )

    def _lead(self, n: str) -> str:
        rows, style = self.rows, self.style
        *first, last = (
            f"{escape(sections.cost_of_outcome(rows, name, cost, style))} for a {word}"
            for (name, word), cost in zip(
                OUTCOMES.items(), (*rows.stated, *(rows.right or ())), strict=False
            )
        )
        at = f"{', '.join(first)} and {last}"
        costs = "the costs of each row" if rows.per_row else f"the costs given, {at}"
        mark = markup.savings_tag(self.cautions)
        cost = escape(style.money(outcome(rows, rows.predicted).cost))
        ignoring = difference(rows, rows.predicted, rows.blind)
        blind = sections.against(ignoring, style, IGNORING, mark)
        aim = goal_result(self.model, rows)
        goal = ""
        if aim is not None and aim.met:  # otherwise it is among the cautions
            goal = f" The goal, {escape(aim.goal)}, is met: {escape(goal_words(aim))}."
        gain = " A cost below 0 is a gain." if rows.has_gains else ""
        part = self._uncertain
        unsure = "" if part is None else f" {sentence(part, style)}"
        return (
            f"On {escape(n)}, at {costs}, the predictions cost <{mark}>{cost}</{mark}>: "
            f"{blind}. {self._without()}{TOTALS}{gain}{goal}{unsure}"
        )

    def _without(self) -> str:
        """What each rule that needs no model costs, if there are more than constants."""
        rules = without_model(self.rows)
        if COSTS not in rules:
            return ""
        costs = {key: outcome(self.rows, one).cost for key, one in rules.items()}
        names = interactive.rule_names(self.rows, self.words)
        each = [f"{names[key]} costs {self.style.money(cost)}" for key, cost in costs.items()]
        words = f"Without a model, {', '.join(each[:-1])}, and {each[-1]}. {ABOUT_BY_COSTS} "
        return escape(words)

    def _interactive(self) -> str:
        rows, style = self.rows, self.style
        texts = shown(rows, rows.predicted, style) | {
            "now-fn": interactive.cost_text(rows, rows.stated[0], style),
            "now-fp": interactive.cost_text(rows, rows.stated[1], style),
        }
        costs = {
            name: outcome(rows, predicted) for name, predicted in ways(rows, rows.predicted).items()
        }
        first = interactive.results(rows, texts, self._verdict())
        judged = self.acted is None
        form = interactive.controls(rows, style, self.words, self._review, judged)
        rest = (
            f"{interactive.confusion(rows, texts)}"
            f"{interactive.comparison(texts, costs, style, rows, self.words)}"
            f"{sections.curves(rows, self.words)}"
        )
        script = "<noscript><p>The sliders need JavaScript; all numbers are for the costs given."
        about = "" if self.acted is None else self.acted.about_predictions(self.plain)
        return section(
            "decide",
            "Try other costs",
            f'{about}{script}</p></noscript><div class="decide">{first}'
            f'{form}<div class="stack">{rest}</div></div>',
        )


# ---- the page on several classes: a cost matrix, and no sliders ----------------------------------

FIRST_CLASSES = 12
"""Greatest number of classes whose calibration is drawn, the most frequent ones."""
MOST_IN_TABLE = 12
"""Greatest number of classes for a table of all confusions; of more, the costliest are listed."""
MOST_CONFUSIONS = 20


def costs_card(rows: SeveralClassPredictions, style: Style) -> str:
    """Card with the cost of each error."""
    off = rows.matrix[~np.eye(len(rows.classes), dtype=bool)]
    if len(rows.classes) > MOST_IN_TABLE or (np.ptp(off) == 0 and not np.diag(rows.matrix).any()):
        pairs = {"least": off.min(), "mean": off.mean(), "greatest": off.max()}
        pairs = pairs if np.ptp(off) else {"every error": off[0]}
        shown = {name: style.money(float(value), mean=True) for name, value in pairs.items()}
        return f'<div class="card"><h3>Cost of an error</h3>{facts(shown)}</div>'
    table_rows = [
        f'<tr><th scope="row">true {escape(name)}</th>'
        + "".join(f"<td>{number(cost, style.mean)}</td>" for cost in rows.matrix[i])
        + "</tr>"
        for i, name in enumerate(rows.classes)
    ]
    unit = f" in {style.unit}" if style.unit else ""
    head = [f"predicted {name}" for name in rows.classes]
    return table("Cost matrix", f"Cost of each prediction{unit}", head, table_rows)


def each_class(rows: SeveralClassPredictions, style: Style) -> str:
    """Recall, precision and cost of each class."""
    count = rows.confusion(rows.predicted.code)
    money, right = (count * rows.matrix).sum(axis=1), np.diag(count)
    true, predicted = count.sum(axis=1), count.sum(axis=0)
    table_rows = [
        f'<tr><th scope="row">{escape(name)}</th><td>{number(true[i], style.rows)}</td>'
        f"<td>{share(right[i] / true[i] if true[i] else None)}</td>"
        f"<td>{share(right[i] / predicted[i] if predicted[i] else None)}</td>"
        f"<td>{number(money[i], style.total)}</td></tr>"
        for i, name in enumerate(rows.classes)
    ]
    caption = (
        "Share of the rows of a class that are found (recall), and share of the predictions of a "
        "class that are correct (precision)"
    )
    head = ["rows", "found", "correct", "cost"]
    return table("Each class", caption, head, table_rows, "class")


def probabilities(rows: SeveralClassPredictions) -> str:
    """Calibration plots of the most frequent classes."""
    heading = "Are the probabilities right?"
    if not rows.predicted.probable:
        words = (
            "This method votes for the cheapest prediction and does not estimate probabilities, so "
            "that there is no calibration to show, and no prediction that ignores costs."
        )
        return section("probabilities", heading, f"<p>{words}</p>")
    count = np.bincount(rows.truth, rows.weight, len(rows.classes))
    order = np.argsort(-count, kind="stable")[:FIRST_CLASSES]
    cards = [_calibration(rows, int(code)) for code in order if count[code]]
    left = len(rows.classes) - len(cards)
    note = f'<p class="soft">{plural(left, "rarer class")}.</p>' if left else ""
    words = (
        "For each class, ten groups of rows by its probability, and the share of the group that is "
        "of that class. On the diagonal, probabilities are right."
    )
    return section("probabilities", heading, f"<p>{words}</p>",
                   f'<div class="cards shapes">{"".join(cards)}</div>', note)  # fmt: skip


def _calibration(rows: SeveralClassPredictions, code: int) -> str:
    found = plot_data.reliability(rows.truth == code, rows.predicted.shares[:, code], rows.weight)
    name = f"Calibration of {rows.classes[code]}"
    picture = drawing.reliability(found, None, f"plot-calibration-{code}", name, drawing.SMALL)
    return figure(str(rows.classes[code]), picture, [], f"with {LEVEL} intervals")


def page_of_several(
    heading: str,
    model: Any,
    rows: SeveralClassPredictions,
    style: Style,
    words: Words,
    known: Provenance,
    cautions: Cautions,
    worth: Importance,
    acted: ActionPart | None = None,
) -> str:
    """The HTML document; of a model of actions it begins with these."""
    decisions = _confusion(rows, style) + _comparison(rows, style)
    importance = importances(model, worth, style, words)
    about = _measured(model, rows, style, known, cautions) + _training(model, known.trained_on)
    by_class = costs_card(rows, style) + each_class(rows, style)
    make_opening = partial(_opening, rows) if acted is None else acted.opening
    body = [
        markup.header(heading, make_opening(style, words, known, cautions), cautions),
        "" if acted is None else acted.sections(style),
        section("decide", "Predictions and their cost", _no_sliders(model),
                f'<div class="stack">{decisions}</div>'),
        section("costs", "Costs and classes",
                f'<div class="cards tables">{by_class}</div>'),
        probabilities(rows),
        section("origin", ORIGIN, f'<div class="cards">{about}{importance}</div>'),
        markup.footer(markup.TERMS),
    ]  # fmt: skip
    return markup.whole(heading, "".join(body), cautions.grave)


def _opening(
    rows: SeveralClassPredictions,
    style: Style,
    words: Words,
    known: Provenance,
    cautions: Cautions,
) -> Opening:
    """Verdict and money."""
    constant = np.full(rows.truth.size, rows.best_constant)
    found = Comparison(
        rows.cost(rows.predicted.code),
        rows.saved(constant),
        rows.cost(constant),
        words.always(rows.classes[rows.best_constant]),
    )
    count = np.bincount(rows.truth, minlength=len(rows.classes)).tolist()
    counts = dict(zip(rows.classes.tolist(), count, strict=True))
    n = words.counted(rows.truth.size, cautions)
    return Opening(
        known.summary(n),
        *sentences(words, cautions, counts).of(found, style),
        money_items(found, style),
        _lead(rows, style, n, cautions),
    )


def _lead(rows: SeveralClassPredictions, style: Style, n: str, cautions: Cautions) -> str:
    mark = savings_tag(cautions)
    total, code = float(rows.weight.sum()), rows.predicted.code
    cost = escape(style.money(rows.cost(code)))
    ways = rows.ways
    less = ""
    if IGNORING in ways:
        less = f": {against(rows.saved(ways[IGNORING]), style, IGNORING, mark)}"
    return (
        f"On {escape(n)} of {len(rows.classes)} classes the predictions cost <{mark}>{cost}"
        f"</{mark}>{less}. {share(1 - rows.wrong(code) / total)} are predicted correctly. {TOTALS}"
    )


def _no_sliders(model: Any) -> str:
    k = len(model.classes_)
    words = (
        f"With {k} classes there are {k * (k - 1)} kinds of errors, so that there are no sliders "
        "for the cost of a miss and of a false alarm. "
    )
    words += (
        "This model predicts by probabilities: <code>costboost report MODEL DATA --cost-matrix "
        "OTHER</code> shows other costs without training again."
        if takes_costs(model)
        else "This model was trained for these costs and predicts by them only; for others it must "
        "be trained again."
    )
    return f"<p>{words}</p>"


# ---- several classes: predictions ----------------------------------------------------------------


def _confusion(rows: SeveralClassPredictions, style: Style) -> str:
    count = rows.confusion(rows.predicted.code)
    money = count * rows.matrix
    if len(rows.classes) > MOST_IN_TABLE:
        return _costliest(rows, count, money, style)

    def cell(i: int, j: int) -> str:
        look = ' class="wrong"' if i != j and count[i, j] else ""
        below = f"<small>costs {escape(style.money(money[i, j]))}</small>" if money[i, j] else ""
        return f"<td{look}>{number(count[i, j], style.rows)}{below}</td>"

    k = range(len(rows.classes))
    table_rows = [
        f'<tr><th scope="row">true {escape(rows.classes[i])}</th>'
        f"{''.join(cell(i, j) for j in k)}<td>{escape(style.money(money[i].sum()))}</td></tr>"
        for i in k
    ]
    head = [*(f"predicted {name}" for name in rows.classes), "cost"]
    return table("Confusion table", "Number of rows, and their cost", head, table_rows)


def _costliest(rows: SeveralClassPredictions, count: Floats, money: Floats, style: Style) -> str:
    """Table of the confusions that cost most, for many classes."""
    order = np.argsort(-money, axis=None, kind="stable")[:MOST_CONFUSIONS]
    cells = [divmod(int(at), len(rows.classes)) for at in order]
    table_rows = [
        f'<tr><th scope="row">{escape(rows.classes[i])}</th><td>{escape(rows.classes[j])}</td>'
        f"<td>{number(count[i, j], style.rows)}</td>"
        f"<td>{escape(style.money(money[i, j]))}</td></tr>"
        for i, j in cells
        if money[i, j]
    ]
    caption = f"The costliest confusions of {len(rows.classes)} classes"
    return table("Confusions", caption, ["predicted", "rows", "cost"], table_rows, "true")


def _comparison(rows: SeveralClassPredictions, style: Style) -> str:
    ways = rows.ways
    most = max(rows.cost(code) for code in ways.values()) or 1.0

    def line(name: str) -> str:
        cost, saved = rows.cost(ways[name]), rows.saved(ways[name])
        ours = ' class="ours"' if name == MODEL else ""
        low, high = (number(end, style.total) for end in (saved.low, saved.high))
        less = f"{number(saved.money, style.total)}<small>{low} to {high}</small>"
        return (
            f'<tr{ours}><th scope="row">{escape(name)}<div class="track"><span style="width:'
            f'{100 * cost / most:.4f}%"></span></div></th><td>{number(cost, style.total)}</td>'
            f"<td>{number(rows.wrong(ways[name]), style.rows)}</td>"
            f"<td>{'–' if name == MODEL else less}</td></tr>"
        )

    unit = f", in {style.unit}" if style.unit else ""
    caption = f"Costs on these rows{unit}, and savings of this model with a {LEVEL} interval"
    head = ["cost", "wrong", "model saves"]
    return table("Compared with", caption, head, [line(name) for name in ways], "decisions")


# ---- several classes: training and test data -----------------------------------------------------


def _training(model: Any, trained_on: Mapping[str, Any]) -> str:
    mine = {
        "classifier": type(model).__name__,
        "settings": settings(model, leave_out=("cost_matrix",)),
        **({"weak learner": learners(model)} if hasattr(model, "shares_") else {}),
        "rounds": _rounds(model),
        "features": model.n_features_in_,
    }
    return f'<div class="card"><h3>Trained</h3>{facts({**trained_on, **mine})}</div>'


def _rounds(model: Any) -> str:
    if not hasattr(model, "estimators_"):
        return f"{model.n_iter_} ({model.stop_reason_})"
    rounds = [int(one.n_iter_) for one in model.estimators_]
    if len(rounds) > FIRST_CLASSES:
        each = f"{min(rounds)} to {max(rounds)} a class"
    else:
        named = zip(model.classes_, rounds, strict=True)
        each = ", ".join(f"{name} {n}" for name, n in named)
    return f"{sum(rounds)} in all, one classifier for each class: {each}"


def _measured(
    model: Any, rows: SeveralClassPredictions, style: Style, known: Provenance, cautions: Cautions
) -> str:
    count = np.bincount(rows.truth, rows.weight, len(rows.classes))
    total = float(rows.weight.sum())
    order = np.argsort(-count, kind="stable")[:FIRST_CLASSES]
    shares = ", ".join(f"{rows.classes[c]} {share(count[c] / total)}" for c in order)
    more = ", ..." if len(rows.classes) > FIRST_CLASSES else ""
    pairs = {
        "rows": plural(rows.truth.size, "row"),
        "classes": len(rows.classes),
        "shares": shares + more,
        "cost of an error": _cost_range(rows, style),
        "model": type(model).__name__,
    }
    if not np.all(rows.weight == 1):
        pairs["sample weights"] = f"add up to {number(total, 2)}; all counts are sums of weights"
    return (
        f'<div class="card"><h3>{measured_heading(cautions)}</h3>{facts(known.around(pairs))}</div>'
    )


def _cost_range(rows: SeveralClassPredictions, style: Style) -> str:
    off = rows.matrix[~np.eye(len(rows.classes), dtype=bool)]
    low, high = (style.money(float(cost), mean=True) for cost in (off.min(), off.max()))
    return low if low == high else f"{number(float(off.min()), style.mean)} to {high}"
