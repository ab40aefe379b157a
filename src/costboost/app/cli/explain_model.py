"""What a model looks at: the gain of each feature, and its direction if it has one."""

from __future__ import annotations

import numpy as np

from costboost._core.checks import Floats
from costboost._core.explaining import Categories, Shape, Steps, additive
from costboost.app.cli import terminal
from costboost.app.cli.explained import ExplainedModel
from costboost.app.cli.shapes import BAR_WIDTH, shape_facts

GAIN = (
    "Gain is the feature's share in what lowered the loss of training, which flatters columns of "
    "many values. What a feature is worth on other rows, in money: costboost report."
)


def explain_model(explained: ExplainedModel) -> None:
    """Print the share of each feature in the gain, and its direction if it has one."""
    model, classes, names = explained.model, explained.classes, explained.layout.feature_names
    clf = classes[0].clf
    shares = np.mean([each.clf.feature_importances_ for each in classes], axis=0)
    parts = additive(classes[0].model) if len(classes) == 1 else None
    shapes = {} if parts is None else {shape.feature: shape for shape in parts.shapes}
    order = [int(j) for j in np.argsort(-shares, kind="stable") if shares[j] > 0]
    rounds = sum({id(each.clf): int(each.clf.n_iter_) for each in classes}.values())
    if explained.given.json:
        listed = order[: explained.given.top]
        terminal.write_json(
            {
                "classifier": type(model).__name__,
                "classes": [each.label for each in classes],
                "rounds": rounds,
                "additive": parts is not None,
                "importance": "gain in training",
                "importances": {names[j]: float(shares[j]) for j in listed},
                "shapes": {names[j]: shape_facts(clf, shapes[j]) for j in listed if j in shapes},
            }
        )
        return
    in_all = " in all" if len(classes) > 1 and not classes[0].among_all else ""
    terminal.write(
        f"{type(model).__name__}, {rounds} rounds{in_all}; {len(order)} of {len(names)} features "
        f"in use. {_scope(explained)}"
    )
    terminal.write()
    top, directions = explained.top, {j: _direction(shape) for j, shape in shapes.items()}
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


def _scope(explained: ExplainedModel) -> str:
    classes = explained.classes
    if not explained.layout.multiclass:
        return f"Positive: {classes[0].label}."
    if classes[0].among_all:
        return "Each class has a score (--class LABEL for one)."
    if len(classes) == 1:
        return f"{classes[0].label} against the rest."
    return f"Means over {len(classes)} classes, each against the rest (--class LABEL for one)."


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
