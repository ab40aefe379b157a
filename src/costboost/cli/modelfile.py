"""Models with the layout of the files they were trained on."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from costboost.cli.labels import as_tuple
from costboost.cli.layout import Layout
from costboost.reading.columns import Column, Label
from costboost.reading.errors import InputError

LAYOUT = "layout"
KEPT = (int, str)


def save(model: Any, layout: Layout, path: str, **facts: Any) -> None:
    """Write the model and what its columns are."""
    import costboost

    costboost.save(model, path, metadata={LAYOUT: layout.to_dict(), **facts})


def check_keeps(model: Any) -> None:
    """A InputError if no model file could hold it, before it is trained."""
    if not _keeps(model):
        raise InputError(
            f"{type(model).__name__} has trees of scikit-learn in it, which a model file does not "
            "hold: leave out --out, or take GBSE or CostBoost"
        )


def not_kept(model: Any) -> str:
    """What to say where no model file is asked for."""
    how = "--out FILE writes it to a file" if _keeps(model) else "no model file can hold it"
    return f"model: not kept ({how})"


def _keeps(model: Any) -> bool:
    from costboost.files.models import CLASSES

    return type(model) in CLASSES


def load(path: str) -> tuple[Any, Layout]:
    """A model and the layout of its columns."""
    from costboost.files import load_with_metadata

    if path == "-" or os.path.isdir(path):
        raise InputError(f"{path} is no model file; the model comes first, then the data")
    try:
        model, metadata = load_with_metadata(path)
    except ValueError as error:
        raise InputError(f"{error}") from error
    if not hasattr(model, "classes_"):
        raise InputError(f"{path} holds a {type(model).__name__}, which predicts no classes")
    if LAYOUT in metadata:
        layout = Layout.from_dict(metadata[LAYOUT])
        _check_fits(model, layout, path)
        return model, layout
    return model, _layout_of(model, path)


def _check_fits(model: Any, layout: Layout, path: str) -> None:
    """A InputError if a file describes other columns or classes than its model has."""
    known = model.classes_.tolist()
    described = list(layout.classes) if layout.several else [layout.label]
    if (layout.several and described != known) or any(one not in known for one in described):
        raise InputError(f"{path} is damaged: it describes classes that its model does not have")
    if len(layout.columns) != model.n_features_in_:
        raise InputError(f"{path} is damaged: it describes other columns than its model has")


# ---- models that were trained and saved in Python ------------------------------------------------


def _layout_of(model: Any, path: str) -> Layout:
    """The layout of a model that has none with it."""
    names = getattr(model, "feature_names_in_", None)
    if names is None:
        raise InputError(
            f"{path} was trained without names of columns; train it on a data frame, or with "
            "costboost fit"
        )
    coders = coders_of(model)
    for name, coder in zip(names, coders, strict=True):
        if coder is not None and not all(isinstance(label, str) for label in coder.code_of):
            raise InputError(f"{path} has categories in column {name!r} that are no text")
    kinds = ["number" if coder is None else "category" for coder in coders]
    columns = tuple(Column(str(n), kind) for n, kind in zip(names, kinds, strict=True))
    return _with_costs(model, columns, path)


def _with_costs(model: Any, columns: tuple[Column, ...], path: str) -> Layout:
    from costboost.report.numbers.several_classes import matrix_of, of_several

    if of_several(model):
        classes = tuple(_label(label, path) for label in model.classes_)
        return Layout(columns, "", None, False, 1.0, 1.0, classes, as_tuple(matrix_of(model)))
    inner = boosting(model)
    costs = inner if inner.cost_matrix is None else inner._trained_costs
    fn, fp = (inner.fn_cost, inner.fp_cost) if costs is inner else (costs.fn, costs.fp)
    positive = _label(inner.classes_[inner._positive_index], path)
    return Layout(columns, "", positive, False, fn, fp)


def _label(label: Any, path: str) -> Label:
    plain = label.item() if hasattr(label, "item") else label
    if not isinstance(plain, KEPT):
        raise InputError(
            f"{path} has the label {plain!r}, which is neither text nor a whole number"
        )
    return plain


# ---- what is inside ------------------------------------------------------------------------------


def boosting(model: Any) -> Any:
    """The classifier inside those that choose its costs or its threshold."""
    while hasattr(model, "estimator_") or hasattr(model, "best_estimator_"):
        model = getattr(model, "estimator_", None) or model.best_estimator_
    return model


def coders_of(model: Any) -> Sequence[Any]:
    """The codes of the categories of each feature; None for a feature of numbers."""
    inner = boosting(model)
    if hasattr(inner, "estimators_"):  # one for each class; the rows were read once for all
        inner = inner.estimators_[0]
    coders: Sequence[Any] = (
        inner._coders if hasattr(inner, "_coders") else inner._relations.binning.coders
    )
    return coders


def categories(model: Any, layout: Layout) -> dict[str, list[str]]:
    """Labels seen in training, by column; not of columns that have a code for all others."""
    named = zip(layout.columns, coders_of(model), strict=True)
    return {one.name: list(coder.code_of) for one, coder in named if coder and not coder.shared}
