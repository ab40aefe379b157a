"""``explain``: what each feature adds to what decides, of rows and value by value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from math import exp
from typing import Any

import numpy as np

from costboost._core.arrays import Label
from costboost._core.checks import Floats
from costboost._core.explaining import (
    LOG_ODDS,
    LOG_SHARES,
    SCORE,
    Additive,
    Categories,
    Explanation,
    Line,
    Shape,
    Steps,
    additive,
    keeps_background,
    kept_mean_score,
    kept_means,
    mean_effect,
    running_probabilities,
)
from costboost._core.model import BinaryModel, ScoresModel
from costboost._core.model.fitted import ClassScore
from costboost.app.cli import progress, terminal
from costboost.app.cli.costs import refuse_other_costs, with_other_costs
from costboost.app.cli.given import Given
from costboost.app.cli.model_files import inner_classifier, load_model
from costboost.app.cli.predictors import fixed_costs, positive_column
from costboost.app.cli.unseen import print_unseen
from costboost.app.reading.columns import Column
from costboost.app.reading.data_layout import DataLayout
from costboost.app.reading.errors import InputError, some, unknown
from costboost.app.reading.formats import open_table
from costboost.app.reading.labelled import RowsRead, read_whole
from costboost.app.report.numbers import predict_classes
from costboost.app.report.plot_data import EffectScale
from costboost.classifiers.base import BoostingClassifier
from costboost.classifiers.predictions import read_rows
from costboost.decisions.actions import classifier_inside
from costboost.metrics.costs import decides_by_cost

UNITS = {
    LOG_ODDS: "log-odds",
    LOG_SHARES: "log-probability, relative to the other classes",
    SCORE: "score",
}
"""Units of explanations in sentences."""
HEADS = {LOG_ODDS: "log-odds", LOG_SHARES: "log-prob.", SCORE: "score"}
"""Units of explanations in the heads of tables."""
BAR_WIDTH = 24
MAX_PIECES = 20
"""Intervals of one feature that are printed."""
MAX_ROWS = 100
"""Rows that are explained."""
N_BACKGROUND = 50
"""Background rows for models that keep none; enough for two digits of a mean."""
SURE = 700.0
"""Log-odds below minus this are those of a probability of 0."""
TOP = 15
"""Features printed by default."""
GAIN = (
    "Gain is the feature's share in what lowered the loss of training, which flatters columns of "
    "many values. What a feature is worth on other rows, in money: costboost report."
)
AVERAGE = "average row"
"""Name of the base: the output at the mean score of the rows that others are compared with."""


def run(given: Given) -> None:
    acting, trained = load_model(given.model)
    model = classifier_inside(acting)
    layout = with_other_costs(given, model, trained)
    refuse_other_costs(acting, trained, layout)
    if given.data is None and given.row is not None:
        raise InputError("--row is a row of DATA: costboost explain MODEL DATA --row N")
    if given.row is not None and given.feature is not None:
        raise InputError("--feature is about a feature, --row about a row: leave one of them out")
    classes = explained_classes(model, layout, given.label)
    if given.feature is not None:
        explain_feature(given, layout, classes)
    elif given.data is None:
        explain_model(model, layout, classes, given.top, given.json)
    else:
        rows = read_rows_of(given, layout)
        print_unseen(model, layout, rows.X)
        if given.row is None:
            explain_rows(model, layout, classes, rows.X, given.top, given.json)
            return
        if given.row > rows.X.num_rows:
            raise InputError(f"there is no row {given.row}: the data have {rows.X.num_rows:,}")
        decides = acting is model and not layout.multiclass
        costs = costs_of_row(model, rows.row(given.row), layout != trained) if decides else None
        explain_row(model, layout, classes, rows.X, given.row, costs, given.top, given.json)


def read_rows_of(given: Given, layout: DataLayout) -> RowsRead:
    """All rows of DATA."""
    with open_table(given.data, given.reading) as source:
        return read_whole(source, layout)


@dataclass(frozen=True)
class ExplainedClass:
    """A class whose score or probability is explained."""

    clf: BoostingClassifier
    label: Label
    column: int
    """The column of the class in `predict_proba` of the whole model."""
    two: bool
    """Whether the classifier has two classes, and this one is positive."""

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


def explained_classes(
    model: Any, layout: DataLayout, label: str | None = None
) -> list[ExplainedClass]:
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
        return [ExplainedClass(inner, layout.positive, column, True)]
    labels = [str(one) for one in layout.classes]
    if label is not None and label not in labels:
        raise unknown("class", label, labels, " in the model")
    each = getattr(inner, "estimators_", [inner] * len(labels))
    return [
        ExplainedClass(clf, one, column, False)
        for column, (one, clf) in enumerate(zip(layout.classes, each, strict=True))
        if label in (None, str(one))
    ]


def explanation_of(model: Any, X: Any, rows: Any, costs: Mapping[str, Any]) -> Explanation:
    """The explanation of the decisions on X, compared with what the model keeps or with rows.

    Models of version 0.2 and before keep nothing.
    """
    whole = model if hasattr(model, "explain") else inner_classifier(model)
    kept = keeps_background(inner_classifier(model).model_)
    background = None if kept else _spread(rows, N_BACKGROUND)
    if background is not None:
        terminal.note(
            f"the model keeps no background, as those of version 0.2 and before: compared with "
            f"{background.num_rows} rows of the data"
        )
    found: Explanation = whole.explain(X, background, **costs)
    return found


# ---- the whole model -----------------------------------------------------------------------------


def explain_model(
    model: Any, layout: DataLayout, classes: list[ExplainedClass], top: int | None, json: bool
) -> None:
    """Print the share of each feature in the gain, and its direction if it has one."""
    names, clf = layout.feature_names, classes[0].clf
    shares = np.mean([one.clf.feature_importances_ for one in classes], axis=0)
    parts = additive(classes[0].model) if len(classes) == 1 else None
    shapes = {} if parts is None else {shape.feature: shape for shape in parts.shapes}
    order = [int(j) for j in np.argsort(-shares, kind="stable") if shares[j] > 0]
    rounds = sum({id(one.clf): int(one.clf.n_iter_) for one in classes}.values())
    if json:
        terminal.write_json(
            {
                "classifier": type(model).__name__,
                "classes": [one.label for one in classes],
                "rounds": rounds,
                "additive": parts is not None,
                "importance": "gain in training",
                "importances": {names[j]: float(shares[j]) for j in order[:top]},
                "shapes": {names[j]: _facts(clf, shapes[j]) for j in order[:top] if j in shapes},
            }
        )
        return
    in_all = " in all" if len(classes) > 1 and not classes[0].among_all else ""
    terminal.write(
        f"{type(model).__name__}, {rounds} rounds{in_all}; {len(order)} of {len(names)} features "
        f"in use. {_scope_text(layout, classes)}"
    )
    terminal.write()
    directions = {j: _direction(shape) for j, shape in shapes.items()}
    top = top or TOP
    _importances(names, shares, order[:top], directions)
    if len(order) > top:
        terminal.write(f"... and {len(order) - top} more (--top {len(order)})")
    terminal.write()
    terminal.write(GAIN)


def _importances(
    names: list[str], shares: Floats, order: list[int], directions: dict[int, str]
) -> None:
    longest = max((shares[j] for j in order), default=1.0)
    bars = {j: terminal.blocks(max(1, round(BAR_WIDTH * shares[j] / longest))) for j in order}
    rows = [[names[j], f"{shares[j]:.1%}", bars[j], directions.get(j, "")] for j in order]
    if any(directions.values()):
        terminal.table(["feature", "gain", "", "raises the score"], rows, wraps=3)
    else:
        terminal.table(["feature", "gain", ""], [row[:3] for row in rows])


def _scope_text(layout: DataLayout, classes: list[ExplainedClass]) -> str:
    if not layout.multiclass:
        return f"Positive: {classes[0].label}."
    if classes[0].among_all:
        return "Each class has a score (--class LABEL for one)."
    if len(classes) == 1:
        return f"{classes[0].label} against the rest."
    return f"Means over {len(classes)} classes, each against the rest (--class LABEL for one)."


# ---- rows ----------------------------------------------------------------------------------------


def explain_rows(
    model: Any,
    layout: DataLayout,
    classes: list[ExplainedClass],
    X: Any,
    top: int | None,
    json: bool,
) -> None:
    """Print how far the features move what decides on average."""
    X = _spread(X, MAX_ROWS)
    with progress.spinner(f"explaining {X.num_rows:,} rows"):
        found = explanation_of(model, X, X, {})
    values = found.values
    if not classes[0].two:
        values = np.abs(found.values[:, :, [one.column for one in classes]]).mean(axis=2)
    far = np.abs(values).mean(axis=0)
    names, order = layout.feature_names, np.argsort(-far, kind="stable")
    if json:
        mean = {names[j]: float(far[j]) for j in order[:top]}
        terminal.write_json({"rows": X.num_rows, "unit": found.unit, "mean_absolute_move": mean})
        return
    over = f" and {len(classes)} classes" if len(classes) > 1 else ""
    terminal.write(
        f"How far the features move the {UNITS[found.unit]}, on average over "
        f"{X.num_rows:,} rows{over}:"
    )
    terminal.write()
    largest = float(far.max()) or 1.0
    rows = [
        [names[j], f"{far[j]:.3f}", terminal.blocks(round(BAR_WIDTH * far[j] / largest))]
        for j in order[: top or TOP]
    ]
    terminal.table(["feature", "moves by", ""], rows)


def explain_row(
    model: Any,
    layout: DataLayout,
    classes: list[ExplainedClass],
    X: Any,
    row: int,
    costs: Mapping[str, Any] | None,
    top: int | None,
    json: bool,
) -> None:
    """Print how the features move what decides on a row away from that of an average row.

    With more than two classes, it is the probability of the class that the row is given. ``costs``
    are those of the row, or None if something else decides on it.
    """
    one = X.slice(row - 1, 1)
    explained = classes[0]
    if len(classes) > 1:
        explained = classes[int(predict_classes(model, one).code[0])]
    found = explanation_of(model, one, X, costs or {})
    own = found if explained.two else found[..., explained.column]
    moved, base = own.values[0], float(own.base_values[0])
    p = float(model.predict_proba(one)[0, explained.column])
    names, order = layout.feature_names, np.argsort(-np.abs(moved), kind="stable")
    running = running_probabilities(found, 0, order)
    if running is not None and not explained.two:
        running = running[:, explained.column]
    above = None if costs is None or own.thresholds is None else float(own.thresholds[0])
    if json:
        facts = {"row": row, "class": explained.label, "probability": p, "unit": own.unit}
        of_base = None if running is None else float(running[0])
        facts |= {"base": base, "base_probability": of_base, "threshold": above}
        terminal.write_json(facts | {"moves": {names[j]: float(moved[j]) for j in order[:top]}})
        return
    terminal.write(f"Row {row}: the probability of {explained.label} is {p:.4g}.")
    if above is not None:
        terminal.write(_decision_text(own, explained.label, above))
    terminal.write(f"What the features add to the {UNITS[own.unit]} of an average row:")
    terminal.write()
    shown = order[: top or TOP]
    largest = float(np.abs(moved).max()) or 1.0
    rows = [[AVERAGE, "", f"{base:+.3f}", _running_text(running, 0), ""]]
    rows += [
        [
            names[j],
            _value_text(layout.columns[j], one.column(names[j])[0]),
            f"{moved[j]:+.3f}",
            _running_text(running, k + 1),
            _signed_bar(moved[j], largest),
        ]
        for k, j in enumerate(shown)
    ]
    if len(shown) < len(order):
        rest = float(moved[order[len(shown) :]].sum())
        more = f"{len(order) - len(shown)} more"
        rows.append([more, "", f"{rest:+.3f}", _running_text(running, -1), ""])
    head = ["feature", "value", HEADS[own.unit], "probability", ""]
    kept = [0, 1, 2, 4] if running is None else [0, 1, 2, 3, 4]
    terminal.table([head[k] for k in kept], [[cells[k] for k in kept] for cells in rows])


def costs_of_row(model: Any, row: RowsRead, changed: bool) -> dict[str, Any]:
    """Costs for the explanation of a row, unless they are those of the model.

    ``changed`` is whether other costs than those of training are given.
    """
    if not (changed or row.layout.cost_columns):
        return {}
    if not decides_by_cost(model):
        if changed:
            raise fixed_costs(model)
        return {}
    return row.costs


def _decision_text(found: Explanation, label: Label, above: float) -> str:
    """What is compared with the threshold, and the prediction."""
    total = float(found.base_values[0] + found.values[0].sum())
    word = "predicts" if total > above else "does not predict"
    if found.unit == SCORE:
        return f"The score {total:.4g} decides, and the model {word} {label}: it does above 0."
    limit = 1 / (1 + exp(-above)) if above > -SURE else 0.0
    return f"The model {word} {label}: it does above {limit:.4g}, log-odds of {above:.4g}."


def _running_text(running: Floats | None, k: int) -> str:
    return "" if running is None else f"{running[k]:.4g}"


def _value_text(column: Column, scalar: Any) -> str:
    value = scalar.as_py()
    if value is None:
        return "missing"
    return column.format(value, digits=6) if isinstance(value, float) else str(value)


# ---- one feature ---------------------------------------------------------------------------------


def explain_feature(given: Given, layout: DataLayout, classes: list[ExplainedClass]) -> None:
    """Print what one feature adds to the score, value by value.

    In trees it is an average over rows, those of DATA if there is a file.
    """
    name, names = given.feature, layout.feature_names
    if name not in names:
        raise unknown("feature", name, names)
    if len(classes) > 1:
        labels = some([one.label for one in classes])
        raise InputError(f"each class has a score of its own: --class LABEL, one of {labels}")
    clf, parts = classes[0].clf, additive(classes[0].model)
    if parts is None and given.data is None:
        raise InputError(
            f"{type(clf).__name__} is made of trees here, in which features act together: name the "
            f"rows that the effect is a mean over, costboost explain MODEL DATA --feature {name!r}"
        )
    rows = None if parts is not None else _spread(read_rows_of(given, layout).X, MAX_ROWS)
    shape, base = _effect(classes[0], parts, rows, names.index(name))
    if shape is None:
        raise InputError(f"the model does not use {name!r}")
    scale = _scale(classes[0], shape, base)
    if given.json:
        mean = {} if rows is None else {"mean_over_rows": rows.num_rows}
        facts = {"feature": name, "unit": scale.unit, "base_probability": scale.probability}
        terminal.write_json({**facts, **_facts(clf, _moved(shape, scale)), **mean})
        return
    over = "" if rows is None else f", on average over {rows.num_rows:,} rows"
    rest = ""
    if scale.probability is not None:
        rest = f", where the rest is average (a probability of {scale.probability:.4g})"
    terminal.write(f"What {name!r} adds to the {scale.unit} of {classes[0].label}{over}{rest}:")
    terminal.write()
    column = layout.columns[shape.feature]
    pieces = _pieces(clf, _fewer(shape) if isinstance(shape, Steps) else shape, column)
    adds = [_cells(text, effect, scale) for text, effect in pieces]
    largest = max((abs(value) for _, value, _ in adds), default=1.0) or 1.0
    cells = [[text, f"{value:+.3f}", p, _signed_bar(value, largest)] for text, value, p in adds]
    if scale.probability is None:
        terminal.table([name, "adds", ""], [[one[0], one[1], one[3]] for one in cells])
    else:
        terminal.table([name, "adds", "probability", ""], cells)
    if isinstance(shape, Steps) and len(_merged(shape).value) > MAX_PIECES:
        terminal.write(
            f"Means over neighbouring values, {len(shape.value)} in all (--json has them)"
        )


def _scale(explained: ExplainedClass, shape: Shape, base: float | None) -> EffectScale:
    """Log-odds where they decide, two classes have them and the base is known; else scores."""
    model = explained.model
    known = explained.two and base is not None and not isinstance(shape, Line)
    if known and isinstance(model, BinaryModel) and model.decides_by_cost:
        return EffectScale(LOG_ODDS, model, float(base or 0.0))
    return EffectScale()


def _moved(shape: Any, scale: EffectScale) -> Any:
    """The function with effects on what decides."""
    if scale.model is None:
        return shape
    return replace(shape, value=scale(shape.value), missing=float(scale(shape.missing)[0]))


def _cells(text: str, effect: float, scale: EffectScale) -> tuple[str, float, str]:
    """A value of a feature, what it adds, and the probability then as text."""
    if scale.model is None:
        return text, effect, ""
    there = scale.model.probability(np.array([scale.base + effect]))
    return text, float(scale(effect)[0]), f"{there[0]:.4g}"


def _effect(
    explained: ExplainedClass, parts: Additive | None, rows: Any, feature: int
) -> tuple[Shape | None, float | None]:
    """The effect of a feature on the score, with mean 0, and the mean score.

    The function is None if the feature is not used. Of a sum of functions whose means are not kept
    with the model, it is the function itself, and there is no mean score.
    """
    one = explained.model
    if parts is None:
        model: Any = explained.clf.model_
        table = read_rows(explained.clf, rows)
        base = float(model.scores(table, None).mean()) if isinstance(one, BinaryModel) else None
        return mean_effect(one, model.numbers(table), feature), base
    shape = next((part for part in parts.shapes if part.feature == feature), None)
    if shape is None or one.background is None or isinstance(shape, Line):
        return shape, None
    middle = kept_means(one)[feature]
    moved = replace(shape, value=shape.value - middle, missing=shape.missing - middle)
    return moved, kept_mean_score(one)


def _spread(X: Any, max_rows: int) -> Any:
    """At most this number of rows, evenly spread over the file."""
    if X.num_rows <= max_rows:
        return X
    return X.take(np.linspace(0, X.num_rows - 1, max_rows).astype(np.int64))


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
        pieces = _pieces_of_steps(shape, column)
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


def _fewer(shape: Steps) -> Steps:
    """At most `MAX_PIECES` steps without gaps: neighbours that differ least become their mean."""
    shape = _merged(shape)
    cut, value, size = shape.cut.tolist(), shape.value.tolist(), [1.0] * shape.value.size
    while len(value) > MAX_PIECES:
        lost = [
            a * b / (a + b) * (v - w) ** 2
            for (a, v), (b, w) in pairwise(zip(size, value, strict=True))
        ]
        k = int(np.argmin(lost))
        both = size[k] + size[k + 1]
        value[k] = (size[k] * value[k] + size[k + 1] * value[k + 1]) / both
        size[k] = both
        del cut[k], value[k + 1], size[k + 1]
    return replace(shape, cut=np.array(cut), value=np.array(value))


def _signed_bar(value: float, largest: float) -> str:
    """A bar to the right for a value above 0, to the left for one below."""
    length = round(BAR_WIDTH / 2 * abs(value) / largest)
    half = BAR_WIDTH // 2
    return " " * (half if value > 0 else half - length) + terminal.blocks(length)


def _facts(clf: Any, shape: Shape) -> dict[str, Any]:
    if isinstance(shape, Categories):
        values = dict(zip(_labels(clf, shape), shape.value.tolist(), strict=True))
        return {"kind": "categories", "adds": values, "missing": shape.missing}
    if isinstance(shape, Steps):
        steps = {"cuts": shape.cut.tolist(), "adds": shape.value.tolist()}
        return {"kind": "steps", **steps, "missing": shape.missing}
    return {"kind": "line", "slope": shape.slope, "intercept": shape.intercept}
