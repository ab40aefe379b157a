"""How the rows enter an ONNX graph: one matrix of numbers, or an input for each column.

A category is a text or a number as in training. ONNX has no missing texts: the empty text stands
for one, unless it is a category itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from costboost.export.decisions import OF_CLASSES, OF_OUTCOMES
from costboost.export.graph import ML, Graph, Symbol, Tensor

FLOAT, INT64, STRING, BOOL, DOUBLE = 1, 7, 8, 9, 11
"""ONNX's numbers of types of tensors."""
OUTPUTS = ("score", "probabilities", "label")
LAYOUTS = ("auto", "matrix", "columns", "values")
TYPES = {"float32": FLOAT, "float64": DOUBLE}


class Inputs(NamedTuple):
    """The inputs of a graph that are rows."""

    described: list[Any]
    """Their names, types and shapes."""
    X: Tensor
    """All features as a matrix of 64-bit floats; categories as codes."""


def read_rows(graph: Graph, model: Any, layout: str, dtype: str) -> Inputs:
    """Inputs for the rows, and the matrix that the ensemble reads."""
    if layout not in LAYOUTS:
        raise ValueError(f"inputs must be one of {', '.join(map(repr, LAYOUTS))}, got {layout!r}")
    if dtype not in TYPES:
        raise ValueError(f"dtype must be 'float64' or 'float32', got {dtype!r}")
    coders: Sequence[Any] = model.coders
    if layout == "auto":
        layout = "columns" if any(coder is not None for coder in coders) else "matrix"
    describe = graph.helper.make_tensor_value_info
    if layout in ("matrix", "values"):
        X = _as_double(graph, Symbol(graph, "X"), dtype)
        described = [describe("X", TYPES[dtype], ["rows", len(coders)])]
        return Inputs(described, _coded_matrix(graph, X, coders) if layout == "values" else X)
    names = column_names(model)
    described, columns = [], []
    for name, coder in zip(names, coders, strict=True):
        text = coder is not None and _are_text(coder)
        described.append(describe(name, STRING if text else TYPES[dtype], ["rows", 1]))
        column = Symbol(graph, name)
        column = column if text else _as_double(graph, column, dtype)
        columns.append(column if coder is None else _coded(graph, column, coder, dtype))
    return Inputs(described, graph.add("Concat", *columns, axis=1))


def _coded_matrix(graph: Graph, X: Tensor, coders: Sequence[Any]) -> Tensor:
    """A matrix whose categories are numbers, with their codes instead."""
    if all(coder is None for coder in coders):
        return X
    columns = [graph.add("Gather", X, np.array([j]), axis=1) for j in range(len(coders))]
    if any(coder is not None and _are_text(coder) for coder in coders):
        raise ValueError(
            "a column of texts cannot be part of a matrix of numbers; encode it in a step of the "
            "pipeline"
        )
    pairs = zip(columns, coders, strict=True)
    coded = [one if coder is None else _coded(graph, one, coder, "float64") for one, coder in pairs]
    return graph.add("Concat", *coded, axis=1)


def column_names(model: Any) -> list[str]:
    """Names of the inputs: those of the features, or x0, x1, ... if they have none."""
    given = model.feature_names_in
    names = [f"x{j}" for j in range(model.n_features_in)] if given is None else list(given)
    taken = {*OF_OUTCOMES, OF_CLASSES, *OUTPUTS}
    return [f"feature_{name}" if str(name) in taken else str(name) for name in names]


def _as_double(graph: Graph, column: Tensor, dtype: str) -> Tensor:
    return column if dtype == "float64" else graph.add("Cast", column, to=DOUBLE)


def _are_text(coder: Any) -> bool:
    labels = list(coder.code_of)
    texts = [isinstance(label, str) for label in labels]
    if any(texts) and not all(texts):
        raise ValueError(
            "a column has texts and numbers among its categories, which no tensor of ONNX can "
            "hold; train with all of them as texts, or export with inputs='matrix', which takes "
            "codes"
        )
    return all(texts)


def _coded(graph: Graph, column: Tensor, coder: Any, dtype: str) -> Tensor:
    """Codes of a column of categories; NaN for missing values and for categories not known."""
    labels = list(coder.code_of)
    other = float(len(labels)) if coder.shared else np.nan
    text = _are_text(coder)
    codes = [float(code) for code in range(len(labels))]
    if text and "" not in coder.code_of:
        labels, codes = [*labels, ""], [*codes, np.nan]
    if not text:
        labels = [float(label) for label in labels]
        if dtype == "float32" and any(float(np.float32(label)) != label for label in labels):
            raise ValueError(
                "a category is a number that a 32-bit float cannot hold exactly; export with "
                "dtype='float64'"
            )
    tensor = graph.helper.make_tensor
    keys = [label.encode() for label in labels] if text else labels
    found = graph.add(
        "LabelEncoder",
        column,
        domain=ML,
        keys_tensor=tensor("keys", STRING if text else DOUBLE, [len(keys)], keys),
        values_tensor=tensor("codes", DOUBLE, [len(codes)], codes),
        default_tensor=tensor("other", DOUBLE, [1], [other]),
    )
    if text or not coder.shared:
        return found
    return np.where(np.equal(column, column), found, np.nan)
