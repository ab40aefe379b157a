"""The page as a whole."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from costboost.files import disk
from costboost.report import deciding, sections
from costboost.report.encoding import script_json
from costboost.report.numbers.answers import Answers, Flags, ask, boosting_of
from costboost.report.numbers.held import held
from costboost.report.numbers.outcome import best_trivial, difference, outcome
from costboost.report.parts import section
from costboost.report.shown import Style, shown, style_of, ways
from costboost.report.text import escape, number, plural
from costboost.version import __version__

HERE = Path(__file__).parent
POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; "
    "base-uri 'none'; form-action 'none'"
)


def html(
    model: Any,
    X: Any,
    y: Any,
    *,
    fn_cost: Any = None,
    fp_cost: Any = None,
    sample_weight: Any = None,
    title: str | None = None,
    unit: str = "",
    trained_on: Mapping[str, Any] | str | None = None,
    random_state: Any = None,
) -> str:
    """A report on a fitted classifier as one HTML page, as text.

    What it decides on held-out rows, what that costs and saves, and how the decisions change with
    the costs: the page has sliders for them. It needs no network.

    Parameters
    ----------
    model : classifier
        Any boosting classifier of this library, fitted, or a `CostSearchCV` or
        `OperatingPointClassifier` around one.
    X : array, data frame or sparse matrix of shape (n_samples, n_features)
        Rows that the model was not trained on. On training rows all numbers are too good.
    y : array of shape (n_samples,)
        Their labels, as in training. Both classes must be there.
    fn_cost, fp_cost : number or array of shape (n_samples,), optional
        What a miss and a false alarm cost; arrays give each row its own. Default: the costs of
        training, averaged over rows.
    sample_weight : array of shape (n_samples,), optional
        How often each row counts.
    title : str, optional
        The heading.
    unit : str, default ""
        Of the costs, such as "EUR".
    trained_on : mapping or str, optional
        What to say of the training, such as ``{"file": "loans.csv", "rows": 32500}``.
    random_state : int, RandomState or None, default=None
        Seed of the rows that are drawn where all would take too long: for the progress round by
        round with more than 20,000 rows, and for the effects of features in trees.

    Returns
    -------
    str

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.model_selection import train_test_split
    >>> from costboost import AdaMECClassifier, report
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
    >>> clf = AdaMECClassifier(n_estimators=20, pos_label=0).fit(X_train, y_train)
    >>> text = report.html(clf, X_test, y_test, fn_cost=10, fp_cost=1, unit="EUR")
    >>> text[:15]
    '<!DOCTYPE html>'
    """
    boosting = boosting_of(model)
    rows = ask(model, X, y, fn_cost, fp_cost, sample_weight)
    style = style_of(rows, unit)
    kept = held(rows)
    heading = f"{type(model).__name__}: what its decisions cost" if title is None else title
    body = "".join(
        [
            _header(heading, rows, style),
            _interactive(rows, style),
            sections.probabilities(boosting, X, y, rows),
            sections.rounds(model, X, rows, style, random_state),
            sections.shapes(boosting, X, rows, random_state),
            section(
                "origin",
                "What was trained on what",
                f'<div class="cards">{sections.training(model, trained_on)}'
                f"{sections.held_out(rows, style)}</div>",
            ),
            _footer(kept["binned"]),
        ]
    )
    data = script_json({**kept, "style": style._asdict(), "perRow": rows.per_row})
    return _document(heading, body, data)


def write(
    path: str | os.PathLike[str],
    model: Any,
    X: Any,
    y: Any,
    *,
    fn_cost: Any = None,
    fp_cost: Any = None,
    sample_weight: Any = None,
    title: str | None = None,
    unit: str = "",
    trained_on: Mapping[str, Any] | str | None = None,
    random_state: Any = None,
) -> Path:
    """Write a report on a fitted classifier to an HTML file.

    The file is whole or not there: an earlier one stays until the new one is complete.

    Parameters
    ----------
    path : str or path-like
        Where to. A file that is there is replaced.
    model, X, y, fn_cost, fp_cost, sample_weight, title, unit, trained_on, random_state
        As for :func:`html`.

    Returns
    -------
    Path
        The path.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from costboost import AdaMECClassifier, report
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> clf = AdaMECClassifier(n_estimators=20, pos_label=0).fit(X[:400], y[:400])
    >>> print(report.write("tumours.html", clf, X[400:], y[400:], fn_cost=10, fp_cost=1))
    tumours.html
    """
    text = html(
        model,
        X,
        y,
        fn_cost=fn_cost,
        fp_cost=fp_cost,
        sample_weight=sample_weight,
        title=title,
        unit=unit,
        trained_on=trained_on,
        random_state=random_state,
    )
    disk.replace(path, text.encode())
    return Path(path)


def _header(heading: str, rows: Answers, style: Style) -> str:
    texts = {k: escape(v) for k, v in shown(rows, rows.called, style).items()}
    at = " and ".join(
        f"{escape(deciding.cost_text(rows, cost, style))} for a {word}"
        for word, cost in (("miss", rows.fn_cost), ("false alarm", rows.fp_cost))
    )
    costs = "each row's own costs" if rows.per_row else f"the costs given, {at}"
    trivial = _against(rows, best_trivial(rows), style, "the best trivial classifier")
    blind = _against(rows, rows.blind, style, "the same scores at the threshold for equal costs")
    return (
        f'<header><h1>{escape(heading)}</h1><p class="lead">On '
        f"{plural(rows.positive.size, 'held-out row')}, at {costs}, the decisions cost "
        f"<strong>{texts['cost']}</strong>: {trivial} and {blind}.</p></header>"
    )


def _against(rows: Answers, other: Flags, style: Style, name: str) -> str:
    """More or less than other decisions, in words, with an interval."""
    saved = difference(rows, rows.called, other)
    if saved.money == 0:
        return f"as much as {name}"
    word, ends = ("less", (saved.low, saved.high))
    if saved.money < 0:
        word, ends = ("more", (-saved.high, -saved.low))
    amount, high = (escape(style.money(v)) for v in (abs(saved.money), ends[1]))
    low = number(ends[0], style.total)
    return f"<strong>{amount} {word}</strong> than {name} (95 % interval {low} to {high})"


def _interactive(rows: Answers, style: Style) -> str:
    fn, fp = rows.fn_cost, rows.fp_cost
    texts = shown(rows, rows.called, style) | {
        "now-fn": deciding.cost_text(rows, fn, style),
        "now-fp": deciding.cost_text(rows, fp, style),
    }
    costs = {name: outcome(rows, called) for name, called in ways(rows, rows.called).items()}
    cards = (
        f'<div class="cards tables">{deciding.results(texts)}'
        f"{deciding.confusion(rows, texts)}</div>{deciding.comparison(texts, costs, style)}"
    )
    right = f'<div class="stack">{cards}{sections.curves(rows)}</div>'
    script = "<noscript><p>The sliders need JavaScript; all numbers are those at the costs given."
    left = deciding.controls(rows, style)
    return section(
        "decide",
        "Decide again",
        f'{script}</p></noscript><div class="decide">{left}{right}</div>',
    )


def _footer(binned: bool) -> str:
    note = (
        "There are so many different scores that neighbouring ones were joined; a threshold inside "
        "a group moves to the group's upper end, and the numbers are exact for the threshold shown."
        if binned
        else "Every number follows the sliders exactly, without rounding of the scores."
    )
    return (
        f'<footer class="soft"><p>Savings are compared with the cheaper of calling every row '
        "positive or every row negative. Intervals are 95 % normal intervals of the sum over the "
        "held-out rows, taken as a random sample; they say nothing about other times and places, "
        "nor about the training. Cost-blind means the same scores at the threshold for equal "
        f"costs.</p><p>{note}</p><p>Made by costboost {__version__}; the page needs no network.</p>"
        "</footer>"
    )


def _document(heading: str, body: str, data: str) -> str:
    css, js = ((HERE / name).read_text(encoding="utf-8") for name in ("page.css", "page.js"))
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        '<meta name="color-scheme" content="light dark"><link rel="icon" href="data:,">'
        f"<title>{escape(heading)}</title><style>{css}</style></head>\n"
        '<body><a class="skip" href="#main">Skip to the numbers</a>'
        f'<main id="main">{body}</main>\n'
        f'<script type="application/json" id="data">{data}</script>\n<script>{js}</script>\n'
        "</body></html>\n"
    )
