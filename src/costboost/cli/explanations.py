"""``explain``: what each feature adds to the score of a model, of rows, and value by value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from costboost.checks import Floats
from costboost.classifiers.base import BoostingClassifier
from costboost.classifiers.predictions import read_rows
from costboost.cli import output
from costboost.cli.layouts import Layout, inner_classifier
from costboost.cli.predictions import positive_column
from costboost.explaining import (
    Additive,
    Categories,
    Shape,
    Steps,
    additive,
    mean_effect,
)
from costboost.model import BinaryModel, ScoresModel
from costboost.model.fitted import ClassScore
from costboost.reading.columns import Column, Label
from costboost.reading.errors import InputError, some, unknown
from costboost.report.numbers import predict_classes

BAR_WIDTH = 24
MAX_PIECES = 20
"""Intervals of one feature that are printed."""
MAX_ROWS = 100
"""Rows that are explained."""
N_BACKGROUND = 50
"""Background rows of Shapley values; enough for two digits of a mean."""
TOP = 15
"""Features printed by default."""


@dataclass(frozen=True)
class ExplainedClass:
    """A class whose score is explained."""

    clf: BoostingClassifier
    label: Label
    column: int
    """The column of the class in `predict_proba` of the whole model."""
    positive: bool
    """Whether the score of the classifier is that of this class, and not of the other."""

    @property
    def model(self) -> BinaryModel | ClassScore:
        """The fitted model of the score."""
        model = self.clf.model_
        if isinstance(model, ScoresModel):
            return model.of_class(self.column)
        assert isinstance(model, BinaryModel)
        return model

    @property
    def among_all(self) -> bool:
        """Whether the classifier has a score for each class, instead of one against the rest."""
        return isinstance(self.clf.model_, ScoresModel)

    def contributions(self, X: Any, background: Any) -> Floats:
        """Shapley values of the features, above 0 where they raise the score of the class."""
        found = self.clf.explain(X, background).values
        if self.among_all:
            return np.asarray(found[:, :, self.column])
        return np.asarray(found if self.positive else -found)


def explained_classes(model: Any, layout: Layout, label: str | None = None) -> list[ExplainedClass]:
    """The positive class of two; of more classes the one that is named, or all."""
    inner = inner_classifier(model)
    if not isinstance(inner, BoostingClassifier):
        raise InputError(
            f"{type(inner).__name__} votes for decisions and has no score of a class that could be "
            "explained"
        )
    if not layout.multiclass:
        if label is not None:
            raise InputError("--class is for models of more than two classes")
        column = positive_column(model, layout)
        assert layout.positive is not None
        return [ExplainedClass(inner, layout.positive, column, column == 1)]
    labels = [str(one) for one in layout.classes]
    if label is not None and label not in labels:
        raise unknown("class", label, labels, " in the model")
    each = getattr(inner, "estimators_", [inner] * len(labels))
    return [
        ExplainedClass(clf, one, column, True)
        for column, (one, clf) in enumerate(zip(layout.classes, each, strict=True))
        if label in (None, str(one))
    ]


# ---- the whole model -----------------------------------------------------------------------------


def explain_model(
    model: Any, layout: Layout, classes: list[ExplainedClass], top: int | None, json: bool
) -> None:
    """Print the share of each feature in the score, and its direction if it has one."""
    names, clf = _names(layout), classes[0].clf
    shares = np.mean([one.clf.feature_importances_ for one in classes], axis=0)
    parts = additive(classes[0].model) if len(classes) == 1 else None
    shapes = {} if parts is None else {shape.feature: shape for shape in parts.shapes}
    order = [int(j) for j in np.argsort(-shares, kind="stable") if shares[j] > 0]
    rounds = sum({id(one.clf): int(one.clf.n_iter_) for one in classes}.values())
    if json:
        output.write_json(
            {
                "classifier": type(model).__name__,
                "classes": [one.label for one in classes],
                "rounds": rounds,
                "additive": parts is not None,
                "importances": {names[j]: float(shares[j]) for j in order[:top]},
                "shapes": {names[j]: _facts(clf, shapes[j]) for j in order[:top] if j in shapes},
            }
        )
        return
    in_all = " in all" if len(classes) > 1 and not classes[0].among_all else ""
    output.write(
        f"{type(model).__name__}, {rounds} rounds{in_all}; {len(order)} of {len(names)} features "
        f"in use. {_scope_text(layout, classes)}"
    )
    output.write()
    directions = {j: _direction(shape) for j, shape in shapes.items()}
    top = top or TOP
    _importances(names, shares, order[:top], directions)
    if len(order) > top:
        output.write(f"... and {len(order) - top} more (--top {len(order)})")


def _importances(
    names: list[str], shares: Floats, order: list[int], directions: dict[int, str]
) -> None:
    longest = max((shares[j] for j in order), default=1.0)
    bars = {j: output.blocks(max(1, round(BAR_WIDTH * shares[j] / longest))) for j in order}
    rows = [[names[j], f"{shares[j]:.1%}", bars[j], directions.get(j, "")] for j in order]
    if any(directions.values()):
        output.table(["feature", "share", "", "raises the score"], rows, wraps=3)
    else:
        output.table(["feature", "share", ""], [row[:3] for row in rows])


def _scope_text(layout: Layout, classes: list[ExplainedClass]) -> str:
    if not layout.multiclass:
        return f"Positive: {classes[0].label}."
    if classes[0].among_all:
        return "Each class has a score (--class LABEL for one)."
    if len(classes) == 1:
        return f"{classes[0].label} against the rest."
    return f"Means over {len(classes)} classes, each against the rest (--class LABEL for one)."


# ---- rows ----------------------------------------------------------------------------------------


def explain_rows(
    layout: Layout, classes: list[ExplainedClass], X: Any, top: int | None, json: bool
) -> None:
    """Print how far the features move the scores on average."""
    X = _spread(X, MAX_ROWS)
    background = _spread(X, N_BACKGROUND)
    with output.spinner(f"explaining {X.num_rows:,} rows"):
        values = np.concatenate([one.contributions(X, background) for one in classes])
    far = np.abs(values).mean(axis=0)
    names, order = _names(layout), np.argsort(-far, kind="stable")
    if json:
        mean = {names[j]: float(far[j]) for j in order[:top]}
        output.write_json({"rows": X.num_rows, "mean_absolute_move": mean})
        return
    over = f" and {len(classes)} classes" if len(classes) > 1 else ""
    output.write(f"How far the features move the score, on average over {X.num_rows:,} rows{over}:")
    output.write()
    largest = float(far.max()) or 1.0
    rows = [
        [names[j], f"{far[j]:.3f}", output.blocks(round(BAR_WIDTH * far[j] / largest))]
        for j in order[: top or TOP]
    ]
    output.table(["feature", "moves by", ""], rows)


def explain_row(
    model: Any,
    layout: Layout,
    classes: list[ExplainedClass],
    X: Any,
    row: int,
    top: int | None,
    json: bool,
) -> None:
    """Print how the features move the score of one row away from the mean.

    With more than two classes, it is the score of the class that the row is given.
    """
    if row > X.num_rows:
        raise InputError(f"there is no row {row}: the data have {X.num_rows:,}")
    one = X.slice(row - 1, 1)
    explained = classes[0]
    if len(classes) > 1:
        explained = classes[int(predict_classes(model, one).code[0])]
    moved = explained.contributions(one, _spread(X, N_BACKGROUND))[0]
    p = float(model.predict_proba(one)[0, explained.column])
    names, order = _names(layout), np.argsort(-np.abs(moved), kind="stable")
    if json:
        facts = {"row": row, "class": explained.label, "probability": p}
        output.write_json(facts | {"moves": {names[j]: float(moved[j]) for j in order[:top]}})
        return
    output.write(f"Row {row}: the probability of {explained.label} is {p:.4g}. What has moved it:")
    output.write()
    largest = float(np.abs(moved).max()) or 1.0
    rows = [
        [
            names[j],
            _value_text(layout.columns[j], one.column(names[j])[0]),
            f"{moved[j]:+.3f}",
            _signed_bar(moved[j], largest),
        ]
        for j in order[: top or TOP]
    ]
    output.table(["feature", "value", "moves by", ""], rows)


def _value_text(column: Column, scalar: Any) -> str:
    value = scalar.as_py()
    if value is None:
        return "missing"
    return column.format(value, digits=6) if isinstance(value, float) else str(value)


# ---- one feature ---------------------------------------------------------------------------------


def explain_feature(
    layout: Layout,
    classes: list[ExplainedClass],
    name: str,
    read: Callable[[], Any] | None,
    json: bool,
) -> None:
    """Print what one feature adds to the score, value by value.

    In trees it is an average over rows, which ``read`` reads if there is a file.
    """
    names = _names(layout)
    if name not in names:
        raise unknown("feature", name, names)
    if len(classes) > 1:
        labels = some([one.label for one in classes])
        raise InputError(f"each class has a score of its own: --class LABEL, one of {labels}")
    clf, parts = classes[0].clf, additive(classes[0].model)
    if parts is None and read is None:
        raise InputError(
            f"{type(clf).__name__} is made of trees here, in which features act together: name the "
            f"rows that the effect is a mean over, costboost explain MODEL DATA --feature {name!r}"
        )
    rows = None if parts is not None or read is None else _spread(read(), MAX_ROWS)
    shape = _shape(classes[0], parts, rows, names.index(name))
    if shape is None:
        raise InputError(f"the model does not use {name!r}")
    if json:
        mean = {} if rows is None else {"mean_over_rows": rows.num_rows}
        output.write_json({"feature": name, **_facts(clf, shape), **mean})
        return
    over = "" if rows is None else f", on average over {rows.num_rows:,} rows"
    output.write(f"What {name!r} adds to the score of {classes[0].label}{over}:")
    output.write()
    every = _pieces(clf, shape, layout.columns[shape.feature])
    pieces = _thinned(every) if isinstance(shape, Steps) else every
    largest = max((abs(value) for _, value in pieces), default=1.0) or 1.0
    rows = [[text, f"{value:+.3f}", _signed_bar(value, largest)] for text, value in pieces]
    output.table([name, "adds", ""], rows)
    if len(pieces) < len(every):
        output.write(f"{len(pieces)} of {len(every)} values, evenly chosen (--json has all)")


def _shape(
    explained: ExplainedClass, parts: Additive | None, rows: Any, feature: int
) -> Shape | None:
    """The part of a feature in the score, or its mean effect over rows; None if unused."""
    if parts is not None:
        return next((one for one in parts.shapes if one.feature == feature), None)
    model: Any = explained.clf.model_
    return mean_effect(explained.model, model.numbers(read_rows(explained.clf, rows)), feature)


def _spread(X: Any, max_rows: int) -> Any:
    """At most this number of rows, evenly spread over the file."""
    if X.num_rows <= max_rows:
        return X
    return X.take(np.linspace(0, X.num_rows - 1, max_rows).astype(np.int64))


def _names(layout: Layout) -> list[str]:
    return [column.name for column in layout.columns]


def _labels(clf: Any, shape: Categories) -> list[str]:
    coder = clf.model_.coders[shape.feature]
    return [*map(str, coder.code_of), *(["any other"] if coder.shared else [])]


def _direction(shape: Shape) -> str:
    """The end of a monotone feature that raises the score; empty if it is not monotone.

    A single category or interval is not named: how many rows have it is not known, and the
    greatest effect is often that of a handful of rows.
    """
    if isinstance(shape, Categories):
        return ""
    rises = np.diff(shape.value) if isinstance(shape, Steps) else np.array([shape.slope])
    if np.all(rises == 0) or not (np.all(rises >= 0) or np.all(rises <= 0)):
        return ""
    return "high values" if rises.sum() > 0 else "low values"


def _pieces(clf: Any, shape: Shape, column: Column) -> list[tuple[str, float]]:
    if isinstance(shape, Categories):
        pieces = list(zip(_labels(clf, shape), shape.value.tolist(), strict=True))
        pieces.sort(key=lambda pair: -pair[1])
    elif isinstance(shape, Steps):
        pieces = _pieces_of_steps(_merged(shape), column)
    else:
        return [("for each unit", shape.slope), ("at 0", shape.intercept)]
    return [*pieces, ("missing", shape.missing)]


def _pieces_of_steps(shape: Steps, column: Column) -> list[tuple[str, float]]:
    cuts = [column.format(cut, digits=4) for cut in shape.cut.tolist()]
    if not cuts:
        return [("any value", float(shape.value[0]))]
    between = [f"{a} to {b}" for a, b in pairwise(cuts)]
    names = [f"up to {cuts[0]}", *between, f"above {cuts[-1]}"]
    return list(zip(names, shape.value.tolist(), strict=True))


def _merged(shape: Steps) -> Steps:
    """The steps, with neighbours that are equal to three digits merged."""
    differs = np.diff(np.round(shape.value, 3)) != 0
    value = shape.value[np.append(True, differs)]
    return replace(shape, cut=shape.cut[differs], value=value)


def _thinned(pieces: list[tuple[str, float]]) -> list[tuple[str, float]]:
    """At most `MAX_PIECES` pieces and the last one, which is that of missing values."""
    if len(pieces) <= MAX_PIECES + 1:
        return pieces
    at = np.unique(np.linspace(0, len(pieces) - 1, MAX_PIECES + 1).round().astype(int))
    return [pieces[k] for k in at]


def _signed_bar(value: float, largest: float) -> str:
    """A bar to the right for a value above 0, to the left for one below."""
    length = round(BAR_WIDTH / 2 * abs(value) / largest)
    half = BAR_WIDTH // 2
    return " " * (half if value > 0 else half - length) + output.blocks(length)


def _facts(clf: Any, shape: Shape) -> dict[str, Any]:
    if isinstance(shape, Categories):
        values = dict(zip(_labels(clf, shape), shape.value.tolist(), strict=True))
        return {"kind": "categories", "adds": values, "missing": shape.missing}
    if isinstance(shape, Steps):
        steps = {"cuts": shape.cut.tolist(), "adds": shape.value.tolist()}
        return {"kind": "steps", **steps, "missing": shape.missing}
    return {"kind": "line", "slope": shape.slope, "intercept": shape.intercept}
