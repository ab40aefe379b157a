"""The page on a classifier of several classes: a cost matrix, and no sliders."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from costboost.metrics.checks import Floats
from costboost.report import drawing, markup, plot_data
from costboost.report.actions import ActionPart
from costboost.report.markup import (
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
from costboost.report.numbers import IGNORING, MODEL, SeveralClassPredictions, takes_costs
from costboost.report.sections import ORIGIN, against, importances, measured_heading, settings
from costboost.report.words import Cautions, Comparison, Provenance, Words, money_items, sentences

FIRST_CLASSES = 12
"""Greatest number of classes whose calibration is drawn, the most frequent ones."""
MOST_IN_TABLE = 12
"""Greatest number of classes for a table of all confusions; of more, the costliest are listed."""


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


MOST_CONFUSIONS = 20


def page(
    heading: str,
    model: Any,
    rows: SeveralClassPredictions,
    style: Style,
    words: Words,
    known: Provenance,
    cautions: Cautions,
    acted: ActionPart | None = None,
) -> str:
    """The HTML document; of a model of actions it begins with these."""
    decisions = _confusion(rows, style) + _comparison(rows, style)
    importance = importances(model) if hasattr(model, "feature_importances_") else ""
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
        markup.footer(markup.CONSTANT),
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
        float(rows.weight.sum()),
    )
    count = np.bincount(rows.truth, minlength=len(rows.classes)).tolist()
    counts = dict(zip(rows.classes.tolist(), count, strict=True))
    n = words.counted(rows.truth.size, cautions)
    return Opening(
        known.summary(n),
        *sentences(words, cautions, counts).of(found, style),
        money_items(found, style, words),
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
        f"</{mark}>{less}. {share(1 - rows.wrong(code) / total)} are predicted correctly."
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


# ---- predictions ---------------------------------------------------------------------------------


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


# ---- training and test data ----------------------------------------------------------------------


def _training(model: Any, trained_on: Mapping[str, Any]) -> str:
    mine = {
        "classifier": type(model).__name__,
        "settings": settings(model, leave_out=("cost_matrix",)),
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
