"""Model files with the layout of the data that a model was trained on."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from costboost._core.arrays import Label
from costboost.app.reading.columns import Column
from costboost.app.reading.data_layout import DataLayout, as_tuples
from costboost.app.reading.errors import InputError
from costboost.app.report.numbers import matrix_of, of_several
from costboost.decisions.actions import classifier_inside
from costboost.io import load_with_metadata, save
from costboost.io.models import CLASSES

LAYOUT = "layout"
LABEL_TYPES = (int, str)
FOREIGN = "is not a model file of costboost"

# ---- writing -------------------------------------------------------------------------------------


def save_model(model: Any, layout: DataLayout, path: str, **metadata: Any) -> None:
    """Write a model file with a layout."""
    save(model, path, metadata={LAYOUT: layout.to_dict(), **metadata})


def check_savable(model: Any) -> None:
    """Raise an InputError if no model file can hold a classifier, before it is trained."""
    if type(model) not in CLASSES:
        raise InputError(
            f"{type(model).__name__} has trees of scikit-learn in it, which a model file does not "
            "hold: leave out --out, or take GBSE or CostBoost"
        )


def not_saved(model: Any) -> str:
    """The line to print if the model is not written to a file."""
    savable = type(model) in CLASSES
    how = "--out FILE writes it to a file" if savable else "no model file can hold it"
    return f"model: not kept ({how})"


# ---- reading -------------------------------------------------------------------------------------


def load_model(path: str) -> tuple[Any, DataLayout]:
    """A model and its layout."""
    if path == "-" or os.path.isdir(path):
        raise InputError(f"{path} is no model file; the model comes first, then the data")
    try:
        model, metadata = load_with_metadata(path)
    except ValueError as error:
        swapped = "; the model comes first, then the data" if str(error).endswith(FOREIGN) else ""
        raise InputError(f"{error}{swapped}") from error
    if not hasattr(model, "classes_"):
        raise InputError(f"{path} holds a {type(model).__name__}, which predicts no classes")
    if LAYOUT in metadata:
        layout = DataLayout.from_dict(metadata[LAYOUT])
        _check_fits(model, layout, path)
        return model, layout
    return model, _layout_of(classifier_inside(model), path)


def _check_fits(model: Any, layout: DataLayout, path: str) -> None:
    """Raise an InputError if the layout has other columns or classes than the model."""
    known = model.classes_.tolist()
    described = list(layout.classes) if layout.multiclass else [layout.label]
    if (layout.multiclass and described != known) or not set(described) <= set(known):
        raise InputError(f"{path} is damaged: it describes classes that its model does not have")
    if len(layout.columns) != model.n_features_in_:
        raise InputError(f"{path} is damaged: it describes other columns than its model has")


# ---- models that were trained and saved in Python ------------------------------------------------


def _layout_of(model: Any, path: str) -> DataLayout:
    """The layout of a model that was saved in Python, without one."""
    names = getattr(model, "feature_names_in_", None)
    if names is None:
        raise InputError(
            f"{path} was trained without names of columns; train it on a data frame, or with "
            "costboost fit"
        )
    coders = _coders(model)
    for name, coder in zip(names, coders, strict=True):
        if coder is not None and not all(isinstance(label, str) for label in coder.code_of):
            raise InputError(f"{path} has categories in column {name!r} that are no text")
    kinds = ["number" if coder is None else "category" for coder in coders]
    columns = tuple(Column(str(n), kind) for n, kind in zip(names, kinds, strict=True))
    if of_several(model):
        classes = tuple(_label(label, path) for label in model.classes_)
        matrix = as_tuples(matrix_of(model))
        return DataLayout(columns, "", None, False, 1.0, 1.0, classes, matrix)
    inner = inner_classifier(model)
    costs = inner if inner.cost_matrix is None else inner.model_.costs
    fn, fp = (inner.fn_cost, inner.fp_cost) if costs is inner else (costs.fn, costs.fp)
    positive = _label(inner.classes_[inner.model_.positive_index], path)
    right = (inner.tp_cost, inner.tn_cost) if inner.tp_cost or inner.tn_cost else (None, None)
    return DataLayout(columns, "", positive, False, fn, fp, (), (), *right)


def _label(label: Any, path: str) -> Label:
    plain = label.item() if hasattr(label, "item") else label
    if not isinstance(plain, LABEL_TYPES):
        raise InputError(
            f"{path} has the label {plain!r}, which is neither text nor a whole number"
        )
    return plain


# ---- parts of a model ----------------------------------------------------------------------------


def inner_classifier(model: Any) -> Any:
    """The classifier within one that chooses its costs or its threshold."""
    while hasattr(model, "estimator_") or hasattr(model, "best_estimator_"):
        model = getattr(model, "estimator_", None) or model.best_estimator_
    return model


def _coders(model: Any) -> Sequence[Any]:
    """The coder of each categorical feature; None for a feature of numbers."""
    coders: Sequence[Any] = inner_classifier(model).model_.coders
    return coders


def known_categories(model: Any, layout: DataLayout) -> dict[str, list[str]]:
    """Categories of training by column, except columns that have a code for all others."""
    columns = zip(layout.feature_names, _coders(model), strict=True)
    return {name: list(coder.code_of) for name, coder in columns if coder and not coder.shared}
