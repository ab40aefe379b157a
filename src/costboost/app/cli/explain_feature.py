"""What one feature adds to the score, value by value."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from costboost._core.explaining import (
    LOG_ODDS,
    Additive,
    Line,
    Shape,
    Steps,
    additive,
    kept_mean_score,
    kept_means,
    mean_effect,
)
from costboost._core.model import BinaryModel
from costboost.app.cli import terminal
from costboost.app.cli.explain_rows import MAX_ROWS
from costboost.app.cli.explained import ExplainedClass, ExplainedModel, spread
from costboost.app.cli.shapes import MAX_PIECES, fewer, merged, pieces, shape_facts, signed_bar
from costboost.app.reading.errors import InputError, some, unknown
from costboost.app.report.plot_data import EffectScale
from costboost.classifiers.predictions import read_rows


def explain_feature(explained: ExplainedModel, name: str) -> None:
    """Print what one feature adds to the score, value by value.

    In trees it is an average over rows, those of DATA if there is a file.
    """
    classes, names = explained.classes, explained.layout.feature_names
    if name not in names:
        raise unknown("feature", name, names)
    if len(classes) > 1:
        labels = some([each.label for each in classes])
        raise InputError(f"each class has a score of its own: --class LABEL, one of {labels}")
    clf, parts = classes[0].clf, additive(classes[0].model)
    if parts is None and explained.given.data is None:
        raise InputError(
            f"{type(clf).__name__} is made of trees here, in which features act together: name the "
            f"rows that the effect is a mean over, costboost explain MODEL DATA --feature {name!r}"
        )
    rows = None if parts is not None else spread(explained.read_rows().X, MAX_ROWS)
    shape, base = _effect(classes[0], parts, rows, names.index(name))
    if shape is None:
        raise InputError(f"the model does not use {name!r}")
    scale = _scale(classes[0], shape, base)
    if explained.given.json:
        mean = {} if rows is None else {"mean_over_rows": rows.num_rows}
        facts = {"feature": name, "unit": scale.unit, "base_probability": scale.probability}
        terminal.write_json({**facts, **shape_facts(clf, _moved(shape, scale)), **mean})
        return
    over = "" if rows is None else f", on average over {rows.num_rows:,} rows"
    rest = ""
    if scale.probability is not None:
        rest = f", where the rest is average (a probability of {scale.probability:.4g})"
    terminal.write(f"What {name!r} adds to the {scale.unit} of {classes[0].label}{over}{rest}:")
    terminal.write()
    column = explained.layout.columns[shape.feature]
    shown = fewer(shape) if isinstance(shape, Steps) else shape
    adds = [_cells(text, effect, scale) for text, effect in pieces(clf, shown, column)]
    largest = max((abs(value) for _, value, _ in adds), default=1.0) or 1.0
    cells = [[text, f"{value:+.3f}", p, signed_bar(value, largest)] for text, value, p in adds]
    if scale.probability is None:
        terminal.table([name, "adds", ""], [[*line[:2], line[3]] for line in cells])
    else:
        terminal.table([name, "adds", "probability", ""], cells)
    if isinstance(shape, Steps) and len(merged(shape).value) > MAX_PIECES:
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
    score = explained.model
    if parts is None:
        model: Any = explained.clf.model_
        table = read_rows(explained.clf, rows)
        base = float(model.scores(table, None).mean()) if isinstance(score, BinaryModel) else None
        return mean_effect(score, model.numbers(table), feature), base
    shape = next((part for part in parts.shapes if part.feature == feature), None)
    if shape is None or score.background is None or isinstance(shape, Line):
        return shape, None
    middle = kept_means(score)[feature]
    moved = replace(shape, value=shape.value - middle, missing=shape.missing - middle)
    return moved, kept_mean_score(score)
