"""What a fitted classifier is exported as: an ONNX model, or trees for shap.

An ONNX model has scores, probabilities and decisions of a classifier or of a pipeline. Rows enter
as one matrix of numbers, or by an input for each column. A category is a text or a number as in
training. ONNX has no missing texts: the empty text stands for one, unless it is a category itself.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from os import PathLike
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from costboost import __version__
from costboost._core import disk
from costboost._core.arithmetic import Floats
from costboost._core.engine.ensemble import Ensemble
from costboost._core.engine.lines import Lines
from costboost._core.explaining import goes_left
from costboost._core.model import BinaryModel, OneVsRestModel, ScoresModel, SeveralModel
from costboost._core.names import COST_NAMES
from costboost.algorithms import CLASSES
from costboost.classifiers.predictions import read_rows
from costboost.decisions.prevalence import positive_index
from costboost.export.graph import IR_VERSION, ML, ML_OPSET, OPSET, Graph, Symbol, Tensor, required
from costboost.export.nodes import (
    OF_CLASSES,
    Head,
    described_costs,
    of_scores,
    of_several,
    of_two,
)

# ---- inputs of an ONNX model ---------------------------------------------------------------------

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


def input_rows(graph: Graph, model: Any, layout: str, dtype: str) -> Inputs:
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
    taken = {*COST_NAMES, OF_CLASSES, *OUTPUTS}
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


# ---- the ONNX model of a classifier --------------------------------------------------------------

HEADS: dict[type, Callable[..., Head]] = {
    BinaryModel: of_two,
    OneVsRestModel: of_several,
    ScoresModel: of_scores,
}
"""What is written behind the inputs, for each kind of model."""
TOO_LARGE = 2**31 - 1
"""Bytes that a file of ONNX's format can have."""


def to_onnx(
    model: Any,
    path: str | PathLike[str] | None = None,
    *,
    inputs: str = "auto",
    dtype: str = "float64",
    exact: bool = True,
    costs: bool = True,
    initial_types: Any = None,
) -> Any:
    """Write a fitted classifier as an ONNX model, with the costs as inputs of the graph.

    Parameters
    ----------
    model : classifier
        A fitted boosting classifier with built-in weak learners, a `CostSearchCV` or an
        `OperatingPointClassifier` of one, or a scikit-learn pipeline that ends in one (its other
        steps are converted by skl2onnx).
    path : path, optional
        File to write to.
    inputs : {"auto", "matrix", "columns"}
        "matrix": one input X of shape (n_samples, n_features), categories as their codes.
        "columns": an input of shape (n_samples, 1) for each column, named as in training, texts as
        texts. "auto" takes columns if there are categories.
    dtype : {"float64", "float32"}
        Type of the numbers among the inputs. Everything is computed with 64-bit floats: on inputs
        of 32 bits every test and decision is that of `predict` on the same rows.
    exact : bool
        Whether probabilities have the bits of `predict_proba`. The exponentials and logarithms of
        the runtime are used otherwise, which take less time for a few rows, and probabilities
        may differ by 1e-12.
    costs : bool
        Whether the costs of the decision are inputs. Otherwise they are those of training.
    initial_types : list of tuples, optional
        Of a pipeline: names and types of its inputs, as skl2onnx takes them. Default: one matrix X
        of numbers.

    Returns
    -------
    onnx.ModelProto
        Its outputs are ``score`` (see `raw_score`), ``probabilities`` and ``label``. A classifier
        that decides by cost has further inputs of 64-bit floats, of shape (1,) or (n_samples,):
        ``fn_cost``, ``fp_cost``, ``tp_cost`` and ``tn_cost``, or, for more than two classes,
        ``cost_matrix`` of shape (1 or n_samples, n_classes, n_classes). Those that are not given
        are the costs of training. Of an `OperatingPointClassifier`, the score is that of
        ``estimator_``, and the label that of the operating point, for which costs are no inputs.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_breast_cancer
    >>> from costboost import CostBoostClassifier
    >>> from costboost.export import to_onnx
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> clf = CostBoostClassifier(n_estimators=5, random_state=0).fit(X, y)
    >>> written = to_onnx(clf)
    >>> [output.name for output in written.graph.output]
    ['score', 'probabilities', 'label']
    """
    required("onnx")
    if hasattr(model, "steps") and hasattr(model, "named_steps"):
        written = pipeline_to_onnx(
            model, initial_types, dtype, partial(convert, exact=exact, costs=costs)
        )
    else:
        written = convert(model, inputs, dtype, exact, costs)
    if path is not None:
        disk.replace(path, written.SerializeToString())
    return written


def exported(clf: Any) -> BinaryModel | SeveralModel:
    """The fitted model of a classifier; a ValueError if it has none that can be exported."""
    name = type(clf).__name__
    if hasattr(clf, "best_estimator_"):
        return exported(clf.best_estimator_)
    if _has_point(clf):
        return exported(clf.estimator_)
    if not hasattr(clf, "fit"):
        raise ValueError(f"a fitted classifier of costboost is required, got {clf!r}")
    check_is_fitted(clf)
    model = getattr(clf, "model_", None)
    if isinstance(model, (BinaryModel, OneVsRestModel, ScoresModel)):
        _refuse_wrapped(model, name)
        return model
    inner = " Export its fitted classifier, estimator_." if hasattr(clf, "estimator_") else ""
    raise ValueError(
        f"{name} cannot be exported: only boosting classifiers of costboost with built-in weak "
        f"learners, CostSearchCV, OperatingPointClassifier and pipelines of them can.{inner}"
    )


def _has_point(clf: Any) -> bool:
    """Whether a classifier decides at an operating point of the one within."""
    return hasattr(clf, "method_") and hasattr(clf, "estimator_")


def _at_point(graph: Graph, head: Head, clf: Any) -> Head:
    """The head with the decision of an operating point."""
    if clf.method_ != "threshold":
        return head
    column = positive_index(clf)
    positive = head.probabilities.column(column) > clf.threshold_
    return head._replace(code=graph.add("Cast", positive if column else ~positive, to=INT64))


def _refuse_wrapped(model: Any, name: str) -> None:
    for one in model.members:
        if not isinstance(one.ensemble, (Ensemble, Lines)):
            raise ValueError(
                f"{name} cannot be exported: it boosts scikit-learn's classifiers. Take the "
                "built-in stumps, trees, lookup tables, lines or logistic regressions"
            )


def convert(
    clf: Any,
    inputs: str = "auto",
    dtype: str = "float64",
    exact: bool = True,
    costs: bool = True,
    ml_opset: int = ML_OPSET,
) -> Any:
    """The ONNX model of a fitted classifier."""
    model, name, graph = exported(clf), type(clf).__name__, Graph(exact, ml_opset=ml_opset)
    rows = input_rows(graph, model, inputs, dtype)
    at_point = _has_point(clf)
    head = HEADS[type(model)](graph, rows.X, model, costs and not at_point)
    if at_point:
        head = _at_point(graph, head, clf)
    outputs = _outputs(graph, head, model.classes)
    helper = graph.helper
    written = helper.make_model(
        helper.make_graph(
            graph.nodes,
            name,
            [*rows.described, *described_costs(graph, head)],
            outputs,
            initializer=[*graph.constants.values(), *_usual(head)],
        ),
        opset_imports=[helper.make_opsetid("", OPSET), helper.make_opsetid(ML, ml_opset)],
        ir_version=IR_VERSION,
        producer_name="costboost",
        producer_version=__version__,
    )
    helper.set_model_props(written, _notes(model, name))
    if written.ByteSize() > TOO_LARGE:
        raise ValueError(
            f"the model would take {written.ByteSize()} bytes, more than the {TOO_LARGE} that a "
            "file of ONNX can have; train fewer or smaller trees"
        )
    return written


def _usual(head: Head) -> list[Any]:
    from_array = required("onnx.numpy_helper").from_array
    return [from_array(value, name) for name, value in head.costs.items()]


def _outputs(graph: Graph, head: Head, classes: NDArray[Any]) -> list[Any]:
    """Results by their public names, with their types and shapes."""
    labels, kind = labels_of(classes)
    label = graph.add("Gather", graph.constant(labels), head.code, axis=0)
    for name, found in zip(OUTPUTS, (head.score, head.probabilities, label), strict=True):
        graph.rename(found, name)
    describe, k = graph.helper.make_tensor_value_info, len(classes)
    return [
        describe("score", DOUBLE, ["rows"] if k == 2 else ["rows", k]),
        describe("probabilities", DOUBLE, ["rows", k]),
        describe("label", kind, ["rows"]),
    ]


def labels_of(classes: NDArray[Any]) -> tuple[NDArray[Any], int]:
    """The classes as a tensor of ONNX can hold them, and its type."""
    kind = classes.dtype.kind
    if kind in "iu" and classes.size and int(classes.max()) < 2**63:
        return classes.astype(np.int64), INT64
    if kind == "b":
        return classes, BOOL
    if kind == "f":
        return classes.astype(np.float64), DOUBLE
    if all(isinstance(label, str) for label in classes.tolist()):
        return np.array(classes.tolist(), dtype=object), STRING
    raise ValueError(
        f"the classes {classes.tolist()!r} are no texts, whole numbers, floats or truth values, "
        "which are what a tensor of ONNX can hold; train with such labels"
    )


def _notes(model: BinaryModel | SeveralModel, name: str) -> dict[str, str]:
    """Facts that the file keeps besides the graph, as texts."""
    notes = {
        "classifier": name,
        "classes": json.dumps(model.classes.tolist()),
        "decides_by_cost": json.dumps(bool(model.decides_by_cost)),
    }
    if isinstance(model, BinaryModel):
        notes["positive"] = json.dumps(model.classes.tolist()[model.positive_index])
    if model.feature_names_in is not None:
        notes["features"] = json.dumps([str(one) for one in model.feature_names_in])
    categories = {
        str(j): {"labels": list(map(str, coder.code_of)), "others_together": bool(coder.shared)}
        for j, coder in enumerate(model.coders)
        if coder is not None
    }
    if categories:
        notes["categories"] = json.dumps(categories)
    return notes


# ---- pipelines: the graph of a classifier behind that of skl2onnx --------------------------------

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
    clash = own & {*COST_NAMES, OF_CLASSES}
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


# ---- converters for skl2onnx ---------------------------------------------------------------------


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


# ---- trees for shap ------------------------------------------------------------------------------

MOST_TREE_NODES = 2**20
"""Nodes of a tree after its tests of categories were divided into tests of ranges."""
NEARLY_NONE = 1e-30
"""Share of the background at a side that it does not reach: shap divides by such shares."""


def to_shap(model: Any, background: Any = None) -> dict[str, Any]:
    """A fitted classifier as a dictionary of trees that ``shap.TreeExplainer`` accepts.

    `explain` returns the same values faster. Take this for what else the package shap computes,
    such as interaction values.

    Parameters
    ----------
    model : classifier
        A fitted boosting classifier whose weak learners are stumps, trees, lookup tables or
        logistic regressions.
    background : array, data frame or sparse matrix, optional
        Rows whose shares at the nodes of the trees are the weights of path-dependent values. If
        they are left out, only interventional values can be computed, by
        ``TreeExplainer(to_shap(model), as_numbers(model, background))``; path-dependent ones are
        NaN.

    Returns
    -------
    dict
        The explained output is the score of the positive class, as in `explain` with
        ``output="score"``; with more than two classes there is one for each. Rows are given to the
        explainer as `as_numbers` returns them, categories as codes. A test for a set of categories
        is divided into tests for ranges of codes.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from costboost import CostBoostClassifier
    >>> from costboost.export import to_shap
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = CostBoostClassifier(n_estimators=5, random_state=0).fit(X, y == 2)
    >>> structure = to_shap(clf, X)
    >>> len(structure["trees"]) == len(clf.ensemble_)
    True
    """
    found = exported(model)
    rows = None if background is None else as_numbers(model, background)
    trees = [
        _tree(part, t, rows)
        for part in _tree_parts(found, type(model).__name__)
        for t in range(len(part.ensemble))
    ]
    return {
        "trees": trees,
        "base_offset": 0.0,
        "tree_output": "raw_value",
        "objective": "binary_crossentropy",
        "input_dtype": np.float64,
        "internal_dtype": np.float64,
    }


def as_numbers(model: Any, X: Any) -> Floats:
    """Rows as numbers, as the trees of a fitted classifier read them; categories as codes.

    Parameters
    ----------
    model : classifier
        A fitted boosting classifier.
    X : array, data frame or sparse matrix of shape (n_samples, n_features)

    Returns
    -------
    array of shape (n_samples, n_features)
        NaN for a missing value, and for a category that training did not see.

    Examples
    --------
    >>> import pandas as pd
    >>> from costboost.algorithms import AdaBoostClassifier
    >>> from costboost.export import as_numbers
    >>> X = pd.DataFrame({"city": ["Rome", "Oslo", "Rome", "Oslo"], "rooms": [1, 2, 3, 4]})
    >>> clf = AdaBoostClassifier(n_estimators=2).fit(X, [0, 1, 0, 1])
    >>> as_numbers(clf, X[:2])
    array([[1., 1.],
           [0., 2.]])
    """
    clf = getattr(model, "best_estimator_", model)
    found: Any = exported(clf)
    rows: Floats = found.members[0].numbers(read_rows(clf, X))
    return rows


class _TreePart(NamedTuple):
    """Trees that add to an output: those of a binary model, or of a class."""

    ensemble: Ensemble
    coders: Sequence[Any]
    factor: Floats
    """Factor of their values for each output."""


def _tree_parts(model: Any, name: str) -> Iterator[_TreePart]:
    """The trees of a model; one for each output but where classes share the mean of all scores."""
    if isinstance(model, ScoresModel):
        k = len(model.classes)
        for c in range(k):
            yield _TreePart(model.provider.of_class(c).ensemble, model.coders, np.eye(k)[c] - 1 / k)
        return
    several = isinstance(model, OneVsRestModel)
    members = model.members
    for target, one in enumerate(members):
        assert isinstance(one, BinaryModel)
        if one.combine is not None or not isinstance(one.ensemble, Ensemble):
            raise ValueError(
                f"{name} with these weak learners is no sum of trees, which shap's TreeExplainer "
                "takes; lines are explained by `explain`"
            )
        factor = one.decision.slope / 2 if several else 1.0
        yield _TreePart(one.ensemble, one.coders, factor * np.eye(len(members))[target])


class _Run(NamedTuple):
    """Values up to ``last``, from the run before on, that go to one side of a test."""

    last: float
    side: int
    share: float
    """Share of the background rows at the node, more than 0."""
    missing: bool
    """Whether missing values are with this run."""


class _Waiting(NamedTuple):
    """A node of an ensemble that is still to be added, or the later ranges of its test."""

    links: list[tuple[int, int]]
    """Nodes, and places in them, that the new node's number is written to."""
    node: int
    at: Any
    """Background rows that reach the node."""
    share: float
    runs: Sequence[_Run] = ()
    sides: tuple[Any, Any] = (None, None)
    """Background rows on either side of the test."""


class _Tree:
    """A tree of an ensemble as shap takes it, with the shares of the background at its nodes."""

    def __init__(self, part: _TreePart, rows: Floats | None) -> None:
        self.part, self.ensemble, self.rows = part, part.ensemble, rows
        self.nodes: list[list[Any]] = []
        """Of each node: left, right and default child, feature, threshold, value, share."""

    def add(self, t: int) -> None:
        """Add the nodes of tree t, those below the left side of a test before those of the right.

        A test of the ensemble becomes one for each of its ranges but the last.
        """
        every = None if self.rows is None else np.arange(len(self.rows))
        waiting = [_Waiting([], int(self.ensemble.first[t]), every, 1.0)]
        while waiting:
            one = waiting.pop()
            if not one.runs and self.ensemble.feature[one.node] >= 0:
                one = self._divided(one)
            if len(one.runs) == 1:
                waiting.append(self._behind(one, one.links, one.share))
                continue
            if one.runs:
                first, *others = one.runs
                rest = sum(run.share for run in others)
                total = first.share + rest
                place = self._new(int(self.ensemble.feature[one.node]), first.last, 0.0, one.share)
                left, right = [(place, 0)], [(place, 1)]
                (left if first.missing else right).append((place, 2))
                share = one.share * (rest / total)
                waiting.append(one._replace(links=right, share=share, runs=others))
                waiting.append(self._behind(one, left, one.share * (first.share / total)))
            else:
                place = self._new(-1, 0.0, float(self.ensemble.value[one.node]), one.share)
            for above, link in one.links:
                self.nodes[above][link] = place

    def _divided(self, one: _Waiting) -> _Waiting:
        """The ranges of a test, and the background rows of either side."""
        node, at = one.node, one.at
        if at is None:
            return one._replace(runs=_runs(self.part, node, None, None), sides=(None, None))
        x = self.rows[at, self.ensemble.feature[node]]  # type: ignore[index]
        left = goes_left(self.ensemble, np.full(x.size, node), x)
        return one._replace(runs=_runs(self.part, node, x, left), sides=(at[left], at[~left]))

    def _behind(self, one: _Waiting, links: list[tuple[int, int]], share: float) -> _Waiting:
        """The node on the side of the first range of a test."""
        side = one.runs[0].side
        return _Waiting(links, int(self.ensemble.left[one.node]) + side, one.sides[side], share)

    def _new(self, feature: int, threshold: float, value: float, share: float) -> int:
        if len(self.nodes) >= MOST_TREE_NODES:
            raise ValueError(
                f"a tree has more than {MOST_TREE_NODES} nodes once its tests of categories are "
                "divided into ranges of codes, which is what shap takes; use `explain`, which has "
                "no limit"
            )
        self.nodes.append([-1, -1, -1, feature, threshold, value, share])
        return len(self.nodes) - 1


def _runs(part: _TreePart, node: int, x: Any, left: Any) -> list[_Run]:
    """The test of a node as ranges of values; those of x, at the node, go left or not."""
    ensemble, coder = part.ensemble, part.coders[part.ensemble.feature[node]]
    to_missing = 0 if ensemble.missing_left[node] else 1
    ends = [(float(ensemble.threshold[node]), 0), (np.inf, 1)]
    if ensemble.category_set[node] >= 0:
        sides = 1 - ensemble.categories[ensemble.category_set[node], : coder.n_codes].astype(int)
        ends = [
            (k + 0.5, int(s))
            for k, s in enumerate(sides)
            if k + 1 == sides.size or s != sides[k + 1]
        ]
        if all(side != to_missing for _, side in ends):
            ends.append((np.inf, to_missing))
    home = next(k for k, (_, side) in enumerate(ends) if side == to_missing)
    runs, below = [], -np.inf
    for k, (last, side) in enumerate(ends):
        same = sum(other == side for _, other in ends)
        share = 0.5 / same
        if x is None:
            share = np.nan
        elif x.size:
            inside = (x > below) & ((x <= last) | (k + 1 == len(ends)))
            share = float(np.mean((inside | (np.isnan(x) & (k == home))) & (left == (side == 0))))
        runs.append(_Run(last, side, max(share, NEARLY_NONE), k == home))
        below = last
    return runs


def _tree(part: _TreePart, t: int, rows: Floats | None) -> dict[str, NDArray[Any]]:
    """A tree of an ensemble as arrays."""
    tree = _Tree(part, rows)
    tree.add(t)
    left, right, default, feature, threshold, value, share = zip(*tree.nodes, strict=True)
    return {
        "children_left": np.array(left),
        "children_right": np.array(right),
        "children_default": np.array(default),
        "feature": np.array(feature),
        "threshold": np.array(threshold, dtype=np.float64),
        "value": np.array(value)[:, None] * part.factor,
        "node_sample_weight": np.array(share) * (np.nan if rows is None else len(rows)),
    }
