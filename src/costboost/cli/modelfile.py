"""Models with the layout of the files they were trained on."""

from __future__ import annotations

import os
from typing import Any

from costboost.cli.columns import Column, Label, Layout
from costboost.cli.trouble import TroubleError

LAYOUT = "layout"
KEPT = (int, str)


def save(model: Any, layout: Layout, path: str, **facts: Any) -> None:
    """Write the model and what its columns are."""
    import costboost

    costboost.save(model, path, metadata={LAYOUT: layout.to_dict(), **facts})


def load(path: str) -> tuple[Any, Layout]:
    """A model and the layout of its columns."""
    from costboost.files import load_with_metadata

    if path == "-" or os.path.isdir(path):
        raise TroubleError(f"{path} is no model file; the model comes first, then the data")
    try:
        model, metadata = load_with_metadata(path)
    except ValueError as error:
        raise TroubleError(f"{error}") from error
    if not hasattr(model, "classes_"):
        raise TroubleError(f"{path} holds a {type(model).__name__}, which predicts no classes")
    if len(model.classes_) > 2:
        raise TroubleError(
            f"{path} tells {len(model.classes_)} classes apart, and the command line two; take "
            "costboost.load in Python"
        )
    if LAYOUT in metadata:
        return model, Layout.from_dict(metadata[LAYOUT])
    return model, _layout_of(model, path)


def _layout_of(model: Any, path: str) -> Layout:
    """The layout of a model that was trained and saved in Python."""
    names = getattr(model, "feature_names_in_", None)
    if names is None:
        raise TroubleError(
            f"{path} was trained without names of columns; train it on a data frame, or with "
            "costboost fit"
        )
    inner = boosting(model)
    for name, coder in zip(names, inner._coders, strict=True):
        if coder is not None and not all(isinstance(label, str) for label in coder.code_of):
            raise TroubleError(f"{path} has categories in column {name!r} that are no text")
    kinds = ["number" if coder is None else "category" for coder in inner._coders]
    columns = tuple(Column(str(n), kind) for n, kind in zip(names, kinds, strict=True))
    return Layout(columns, "", _positive(inner, path), False, inner.fn_cost, inner.fp_cost)


def _positive(model: Any, path: str) -> Label:
    label = model.classes_[model._positive_index]
    plain = label.item() if hasattr(label, "item") else label
    if not isinstance(plain, KEPT):
        raise TroubleError(
            f"{path} has the label {plain!r}, which is neither text nor a whole number"
        )
    return plain


def boosting(model: Any) -> Any:
    """The boosting classifier inside a model."""
    while not hasattr(model, "_coders"):
        model = getattr(model, "estimator_", None) or model.best_estimator_
    return model


def categories(model: Any, layout: Layout) -> dict[str, list[str]]:
    """Labels seen in training, by column; not of columns that have a code for all others."""
    named = zip(layout.columns, boosting(model)._coders, strict=True)
    return {one.name: list(coder.code_of) for one, coder in named if coder and not coder.shared}
