"""The report as one HTML page: public functions, and the order of its sections."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from costboost.checks import warn
from costboost.files import disk
from costboost.report import interactive, markup, sections, several
from costboost.report.cautions import Cautions, goal_words, of_two
from costboost.report.cautions import of_several as of_several_classes
from costboost.report.interactive import shown, ways
from costboost.report.markup import Style, escape, plural, section
from costboost.report.numbers.embedded import held, script_json
from costboost.report.numbers.several_classes import (
    SeveralClassPredictions,
    of_several,
    predict_several_classes,
)
from costboost.report.numbers.two_classes import (
    TwoClassPredictions,
    best_trivial,
    boosting_of,
    difference,
    goal_result,
    outcome,
    predict_two_classes,
)


def html(
    model: Any,
    X: Any,
    y: Any,
    *,
    fn_cost: Any = None,
    fp_cost: Any = None,
    cost_matrix: Any = None,
    sample_weight: Any = None,
    title: str | None = None,
    unit: str = "",
    trained_on: Mapping[str, Any] | str | None = None,
    notes: Iterable[str] = (),
    random_state: Any = None,
) -> str:
    """A report on a fitted classifier as one HTML page, as text.

    The page shows the predictions on held-out rows, their cost and savings, and has sliders for
    other costs. It needs no network. With more than two classes there are more than two costs, and
    no sliders.

    Parameters
    ----------
    model : classifier
        Any boosting classifier of this library, fitted, or a `CostSearchCV` or
        `OperatingPointClassifier` around one, or one of `costboost.multiclass`.
    X : array, data frame or sparse matrix of shape (n_samples, n_features)
        Rows that the model was not trained on. On training rows all numbers are too optimistic.
    y : array of shape (n_samples,)
        Their labels, as in training. Of two classes, both must be there.
    fn_cost, fp_cost : number or array of shape (n_samples,), optional
        Cost of a false negative (miss) and of a false positive (false alarm); arrays give each row
        its own. Default: the costs of training, averaged over rows.
    cost_matrix : array of shape (n_classes, n_classes), optional
        For more than two classes, the cost of predicting one of them (columns) where another (rows)
        is true. Default: that of training. The model predicts by it if it can.
    sample_weight : array of shape (n_samples,), optional
        How often each row counts.
    title : str, optional
        The heading.
    unit : str, default ""
        Unit of the costs, such as "EUR".
    trained_on : mapping or str, optional
        Description of the training data, such as ``{"file": "loans.csv", "rows": 32500}``.
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
    >>> from costboost import AdaMECClassifier, report
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
    >>> clf = AdaMECClassifier(n_estimators=20, pos_label=0).fit(X_train, y_train)
    >>> text = report.html(clf, X_test, y_test, fn_cost=10, fp_cost=1, unit="EUR")
    >>> text[:15]
    '<!DOCTYPE html>'
    """
    page = make(
        model,
        X,
        y,
        fn_cost=fn_cost,
        fp_cost=fp_cost,
        cost_matrix=cost_matrix,
        sample_weight=sample_weight,
        title=title,
        unit=unit,
        trained_on=trained_on,
        notes=notes,
        random_state=random_state,
    )
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


def make(
    model: Any,
    X: Any,
    y: Any,
    *,
    fn_cost: Any = None,
    fp_cost: Any = None,
    cost_matrix: Any = None,
    sample_weight: Any = None,
    title: str | None = None,
    unit: str = "",
    trained_on: Mapping[str, Any] | str | None = None,
    notes: Iterable[str] = (),
    random_state: Any = None,
) -> Page:
    """Make the page, with the parameters of `html`."""
    heading = f"{type(model).__name__}: cost of its predictions" if title is None else title
    if hasattr(model, "classes_") and of_several(model):
        if fn_cost is not None or fp_cost is not None:
            raise ValueError("fn_cost and fp_cost are for two classes; give cost_matrix")
        answers = predict_several_classes(model, X, y, cost_matrix, sample_weight)
        cautions = of_several_classes(model, X, answers).with_notes(notes)
        return Page(_of_several(heading, model, answers, cautions, unit, trained_on), cautions)
    if cost_matrix is not None:
        raise ValueError("cost_matrix is for more than two classes; give fn_cost and fp_cost")
    rows = predict_two_classes(model, X, y, fn_cost, fp_cost, sample_weight)
    cautions = of_two(model, X, rows).with_notes(notes)
    text = _of_two(heading, model, X, y, rows, cautions, unit, trained_on, random_state)
    return Page(text, cautions)


def _of_two(
    heading: str,
    model: Any,
    X: Any,
    y: Any,
    rows: TwoClassPredictions,
    cautions: Cautions,
    unit: str,
    trained_on: Mapping[str, Any] | str | None,
    random_state: Any,
) -> str:
    """Page with sliders, for two classes."""
    boosting, kept, style = (
        boosting_of(model),
        held(rows),
        Style.of(unit, rows.greatest_cost, rows.weight),
    )
    trained = (
        f'<div class="cards">{sections.training(model, rows, trained_on)}'
        f"{sections.measured(rows, style, cautions)}</div>"
    )
    body = [
        markup.header(heading, _lead(model, rows, style, cautions), cautions),
        _interactive(rows, style),
        sections.probabilities(boosting, X, y, rows),
        sections.rounds(model, X, rows, style, random_state),
        sections.shapes(boosting, X, rows, random_state),
        section("origin", "Training and test data", trained),
        markup.footer(markup.BLIND, markup.BINNED if kept["binned"] else markup.EXACT),
    ]
    data = script_json({**kept, "style": style._asdict(), "perRow": rows.per_row})
    return markup.whole(heading, "".join(body), cautions.grave, data)


def _of_several(
    heading: str,
    model: Any,
    rows: SeveralClassPredictions,
    cautions: Cautions,
    unit: str,
    trained_on: Mapping[str, Any] | str | None,
) -> str:
    """Page for several classes and a cost matrix."""
    style = Style.of(unit, rows.greatest_cost, rows.weight)
    body = [
        markup.header(heading, several.lead(rows, style, cautions), cautions),
        *several.body(model, rows, style, trained_on, cautions),
        markup.footer(markup.LIKELIEST),
    ]
    return markup.whole(heading, "".join(body), cautions.grave)


def write(
    path: str | os.PathLike[str],
    model: Any,
    X: Any,
    y: Any,
    *,
    fn_cost: Any = None,
    fp_cost: Any = None,
    cost_matrix: Any = None,
    sample_weight: Any = None,
    title: str | None = None,
    unit: str = "",
    trained_on: Mapping[str, Any] | str | None = None,
    notes: Iterable[str] = (),
    random_state: Any = None,
) -> Path:
    """Write a report on a fitted classifier to an HTML file.

    The file is never left incomplete: an earlier one stays until the new one is written.

    Parameters
    ----------
    path : str or path-like
        Path of the file. An existing file is replaced.
    model, X, y, fn_cost, fp_cost, cost_matrix, sample_weight, title, unit, trained_on, notes, \
            random_state
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
        cost_matrix=cost_matrix,
        sample_weight=sample_weight,
        title=title,
        unit=unit,
        trained_on=trained_on,
        notes=notes,
        random_state=random_state,
    )
    disk.replace(path, text.encode())
    return Path(path)


def _lead(model: Any, rows: TwoClassPredictions, style: Style, cautions: Cautions) -> str:
    texts = {k: escape(v) for k, v in shown(rows, rows.predicted, style).items()}
    at = " and ".join(
        f"{escape(interactive.cost_text(rows, cost, style))} for a {word}"
        for word, cost in (
            ("miss (false negative)", rows.fn_cost),
            ("false alarm (false positive)", rows.fp_cost),
        )
    )
    costs = "the costs of each row" if rows.per_row else f"the costs given, {at}"
    mark = markup.savings_tag(cautions)
    trivial, blind = (
        sections.against(difference(rows, rows.predicted, other), style, name, mark)
        for other, name in (
            (best_trivial(rows), "the best trivial classifier"),
            (rows.blind, "the same scores at the threshold for equal costs"),
        )
    )
    aim = goal_result(model, rows)
    goal = ""
    if aim is not None and aim.met:  # otherwise it is among the cautions
        goal = f" The goal, {escape(aim.goal)}, is met: {escape(goal_words(aim))}."
    return (
        f"On {plural(rows.positive.size, cautions.rows)}, at {costs}, the predictions cost "
        f"<{mark}>{texts['cost']}</{mark}>: {trivial} and {blind}.{goal}"
    )


def _interactive(rows: TwoClassPredictions, style: Style) -> str:
    fn, fp = rows.fn_cost, rows.fp_cost
    texts = shown(rows, rows.predicted, style) | {
        "now-fn": interactive.cost_text(rows, fn, style),
        "now-fp": interactive.cost_text(rows, fp, style),
    }
    costs = {
        name: outcome(rows, predicted) for name, predicted in ways(rows, rows.predicted).items()
    }
    cards = (
        f'<div class="cards tables">{interactive.results(texts)}'
        f"{interactive.confusion(rows, texts)}</div>{interactive.comparison(texts, costs, style)}"
    )
    right = f'<div class="stack">{cards}{sections.curves(rows)}</div>'
    script = "<noscript><p>The sliders need JavaScript; all numbers are for the costs given."
    left = interactive.controls(rows, style)
    return section(
        "decide",
        "Predictions and their cost",
        f'{script}</p></noscript><div class="decide">{left}{right}</div>',
    )
