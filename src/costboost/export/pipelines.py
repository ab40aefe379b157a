"""Classifiers in pipelines: their graph behind that of skl2onnx, and converters for skl2onnx."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from costboost.export.decisions import OF_CLASSES, OF_OUTCOMES
from costboost.export.graph import IR_VERSION, ML, ML_OPSET, OPSET, required
from costboost.export.writing import (
    BOOL,
    DOUBLE,
    FLOAT,
    INT64,
    STRING,
    convert,
    exported,
    labels_of,
)
from costboost.registry import CLASSES

BEFORE = "before_"
"""Prefix of the names in the part of a graph that skl2onnx has written."""
OLD_ML_OPSET = 3
"""Version of the operators of machine learning that all releases of skl2onnx write."""


def pipeline_to_onnx(
    pipeline: Any, initial_types: Any, dtype: str, convert: Callable[..., Any]
) -> Any:
    """A pipeline as one graph: its steps by skl2onnx, and the classifier at its end."""
    if len(pipeline) == 1:
        return convert(pipeline[-1], dtype=dtype)
    before = _steps(pipeline[:-1], initial_types, dtype)
    ((made, kind),) = [(one.name, one.type.tensor_type.elem_type) for one in before.graph.output]
    types = {DOUBLE: "float64", FLOAT: "float32"}
    if kind not in types:
        raise ValueError(
            "the steps before the classifier return something else than floats; end them with a "
            "step that returns numbers"
        )
    written = convert(pipeline[-1], "values", types[kind])
    compose = required("onnx.compose")
    own = {one.name for one in before.graph.input}
    clash = own & {*OF_OUTCOMES, OF_CLASSES}
    if clash:
        raise ValueError(f"an input has the name of a cost, {min(clash)!r}; rename the column")
    compose.add_prefix(before, BEFORE, rename_inputs=False, rename_outputs=True, inplace=True)
    for node in written.graph.node:
        node.input[:] = [BEFORE + made if name == "X" else name for name in node.input]
    return _joined(before, written)


def _steps(steps: Any, initial_types: Any, dtype: str) -> Any:
    """The graph of the steps before the classifier."""
    skl2onnx = required("skl2onnx")
    if initial_types is None:
        types = required("skl2onnx.common.data_types")
        kind = types.DoubleTensorType if dtype == "float64" else types.FloatTensorType
        initial_types = [("X", kind([None, steps.n_features_in_]))]
    return skl2onnx.convert_sklearn(
        steps, initial_types=initial_types, target_opset={"": OPSET, ML: OLD_ML_OPSET}
    )


def _joined(before: Any, written: Any) -> Any:
    """The second graph behind the first, whose nodes, constants and inputs it takes."""
    graph, helper = written.graph, required("onnx.helper")
    nodes, inputs = [*before.graph.node, *graph.node], [*before.graph.input]
    inputs += [one for one in graph.input if one.name != "X"]
    del graph.node[:], graph.input[:]
    graph.node.extend(nodes)
    graph.input.extend(inputs)
    graph.initializer.extend(before.graph.initializer)
    versions = {one.domain: one.version for one in before.opset_import}
    versions |= {"": OPSET, ML: ML_OPSET}
    del written.opset_import[:]
    written.opset_import.extend(helper.make_opsetid(*one) for one in sorted(versions.items()))
    written.ir_version = IR_VERSION
    return written


# ---- converters ----------------------------------------------------------------------------------


def register_skl2onnx() -> None:
    """Register converters of all boosting classifiers, so that skl2onnx converts pipelines of them.

    ``skl2onnx.to_onnx`` and ``convert_sklearn`` then take pipelines and other estimators of
    scikit-learn with a classifier of costboost inside. Their label is the decision under the costs
    of training; `to_onnx` of this module has the costs as inputs.

    Examples
    --------
    >>> from costboost.export import register_skl2onnx
    >>> register_skl2onnx()
    """
    skl2onnx = required("skl2onnx")
    for cls in CLASSES:
        skl2onnx.update_registered_converter(
            cls,
            f"Costboost{cls.__name__}",
            _shapes,
            _converter,
            overwrite=True,
            options={"zipmap": [True, False, "columns"], "nocl": [True, False]},
        )


def _shapes(operator: Any) -> None:
    """Types and shapes of the label and of the probabilities."""
    types = required("skl2onnx.common.data_types")
    model = exported(operator.raw_operator)
    kind = labels_of(model.classes)[1]
    label = {
        INT64: types.Int64TensorType,
        STRING: types.StringTensorType,
        BOOL: types.BooleanTensorType,
        DOUBLE: types.DoubleTensorType,
    }
    n_rows = operator.inputs[0].get_first_dimension()
    operator.outputs[0].type = label[kind]([n_rows])
    shape = [n_rows, len(model.classes)]
    operator.outputs[1].type = type(types.guess_tensor_type(operator.inputs[0].type))(shape)


def _converter(scope: Any, operator: Any, container: Any) -> None:
    """Add the nodes of a classifier to the graph of skl2onnx."""
    types, helper = required("skl2onnx.common.data_types"), required("onnx.helper")
    to_array = required("onnx.numpy_helper").to_array
    double = isinstance(operator.inputs[0].type, types.DoubleTensorType)
    clf = operator.raw_operator
    if any(coder is not None for coder in clf.model_.coders):
        raise ValueError(
            f"skl2onnx cannot convert a {type(clf).__name__} that has categories itself; encode "
            "them in a step of the pipeline, or take costboost.export.to_onnx"
        )
    graph = convert(clf, "matrix", costs=False, ml_opset=OLD_ML_OPSET).graph
    names = {one: scope.get_unique_variable_name(f"costboost_{one}") for one in _names(graph)}
    names["label"] = operator.outputs[0].full_name
    for one in graph.initializer:
        array = to_array(one)
        container.add_initializer(names[one.name], one.data_type, list(array.shape), array.ravel())
    source = operator.inputs[0].full_name
    container.add_node("Cast", source, names["X"], op_version=OPSET, to=DOUBLE, name=names["X"])
    for node in graph.node:
        if node.output[0] == "score":
            continue
        container.add_node(
            node.op_type,
            [names[one] for one in node.input],
            [names[one] for one in node.output],
            op_domain=node.domain,
            op_version=OLD_ML_OPSET if node.domain else OPSET,
            name=scope.get_unique_operator_name("costboost"),
            **{
                one.name: _renamed(helper.get_attribute_value(one), names) for one in node.attribute
            },
        )
    kind = DOUBLE if double else FLOAT
    last = operator.outputs[1].full_name
    container.add_node("Cast", names["probabilities"], last, op_version=OPSET, to=kind, name=last)


def _renamed(value: Any, names: dict[str, str]) -> Any:
    """The value of an attribute; in the body of a loop, constants around it get their new names."""
    for node in getattr(value, "node", ()):
        node.input[:] = [names.get(one, one) for one in node.input]
    return value


def _names(graph: Any) -> list[str]:
    """All names of values in a graph, those in loops excluded."""
    made = [name for node in graph.node for name in node.output]
    return [*(one.name for one in graph.initializer), *made, "X"]
