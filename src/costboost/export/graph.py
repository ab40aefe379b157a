"""ONNX graphs written by arithmetic: a `Symbol` stands for a tensor, operators on it add nodes.

A symbol is a vector over rows like any other (`costboost.vectors.RowVector`), so that the formulas
of links, calibrators and decisions write themselves as nodes when they are given symbols: they are
not written a second time for the export.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from costboost.vectors import RowVector

OPSET, ML_OPSET, IR_VERSION = 18, 5, 10
"""Versions of ONNX's operators, of those of machine learning, and of the file format."""
ML = "ai.onnx.ml"
EXTRA = (
    "export to ONNX needs the package {name}; install it by: pip install 'costboost[onnx]'{more}"
)


def required(module: str) -> Any:
    """Import a module of an optional package; the error names the extra that installs it."""
    from importlib import import_module

    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        name = module.split(".")[0]
        if error.name is None or error.name.split(".")[0] != name:
            raise
        raise ModuleNotFoundError(EXTRA.format(name=name, more=""), name=name) from error


class Graph:
    """Nodes and constants of an ONNX graph under construction."""

    def __init__(
        self, exact: bool = True, outer: Graph | None = None, ml_opset: int = ML_OPSET
    ) -> None:
        self.helper = required("onnx.helper")
        self.ml_opset = ml_opset
        self.exact = exact
        """Whether exponentials and logarithms have the bits of `costboost.elementary`."""
        self.nodes: list[Any] = []
        self.outer = outer or self
        """The graph that has the constants: the one around the body of a loop, or itself."""
        self.constants: dict[tuple[Any, ...], Any] = {}
        self.n_names = 0

    def name(self, stem: str) -> str:
        """A name that nothing else in the graph has."""
        outer = self.outer
        outer.n_names += 1
        return f"{stem.lower()}_{outer.n_names}"

    def constant(self, value: Any) -> Symbol:
        """A symbol of an array or number; equal ones are stored once."""
        from_array = required("onnx.numpy_helper").from_array
        array = np.asarray(value)
        stored, outer = self.outer.constants, self.outer
        content = tuple(array.tolist()) if array.dtype == object else array.tobytes()
        key = (array.dtype.str, array.shape, content)
        if key not in stored:
            stored[key] = from_array(array, outer.name("constant"))
        return Symbol(self, stored[key].name)

    def add(self, op: str, *inputs: Any, domain: str = "", **attributes: Any) -> Symbol:
        """Add a node with one output; inputs that are no symbols become constants."""
        names = [one.name if isinstance(one, Symbol) else self.constant(one).name for one in inputs]
        output = self.name(op)
        self.nodes.append(
            self.helper.make_node(op, names, [output], name=output, domain=domain, **attributes)
        )
        return Symbol(self, output)

    def rename(self, symbol: Symbol, name: str) -> None:
        """Give a result the name of an output of the graph."""
        self.nodes.append(self.helper.make_node("Identity", [symbol.name], [name], name=name))

    def scan(
        self, step: Callable[..., Symbol], state: Symbol, rank: int, *series: tuple[Symbol, int]
    ) -> Symbol:
        """The last state of a loop: state = step(state, one of each series), in their order.

        ``rank`` is the number of axes of the state; each series comes with that of its entries.
        """
        body = Graph(self.exact, self.outer)
        given = [
            Symbol(body, body.name("state")),
            *(Symbol(body, body.name("one")) for _ in series),
        ]
        ranks = [rank, *(axes for _, axes in series)]
        result = step(*given)
        if not body.nodes:
            raise ValueError("a step without nodes is no loop")
        written = body.helper.make_graph(
            body.nodes,
            "round",
            [
                double(body.helper, one.name, [None] * r)
                for one, r in zip(given, ranks, strict=True)
            ],
            [double(body.helper, result.name, [None] * rank)],
        )
        every = (state, *(one for one, _ in series))
        return self.add("Scan", *every, body=written, num_scan_inputs=len(series))


def double(helper: Any, name: str, shape: Sequence[Any]) -> Any:
    """Description of a tensor of 64-bit floats; an axis may have a number, a name or None."""
    return helper.make_tensor_value_info(name, 11, list(shape))


Tensor = Any
"""A `Symbol`, where NumPy's functions are applied to it: their types know arrays only."""


class Symbol(RowVector):
    """A tensor of a graph; NumPy's elementwise functions of it add nodes to the graph."""

    __slots__ = ("graph", "name")

    def __init__(self, graph: Graph, name: str) -> None:
        self.graph = graph
        self.name = name

    def apply(self, function: Callable[..., Any], given: Sequence[Any]) -> Tensor:
        """The node, or nodes, that compute a function."""
        options: dict[str, Any] = {}
        while isinstance(function, partial):
            options = function.keywords | options
            given = (*given, *function.args)
            function = function.func
        if function in NODES:
            return self.graph.add(NODES[function], *(_float(one) for one in given), **options)
        if function in FORMULAS:
            return FORMULAS[function](*given, **options)
        raise NotImplementedError(f"there are no ONNX nodes for {function!r}")

    def __array_function__(self, function: Any, types: Any, given: Any, options: Any) -> Any:
        if function is np.ndim:
            return 1
        if function is np.any:
            return True  # for some rows, perhaps: formulas for all cases are taken
        return self.apply(partial(function, **options), given)

    def __array__(self, *given: Any, **options: Any) -> Any:
        raise TypeError("a tensor of a graph has no numbers")

    def __rmatmul__(self, other: Any) -> Any:
        return NotImplemented

    def column(self, k: int) -> Symbol:
        """Column k of a matrix."""
        return self.graph.add("Gather", self, np.int64(k), axis=1)

    def as_column(self) -> Symbol:
        """A vector as a matrix of one column."""
        return self.graph.add("Unsqueeze", self, np.array([1]))

    def as_whole(self) -> Symbol:
        """Floats as 64-bit whole numbers."""
        return self.graph.add("Cast", self, to=7)


def _float(value: Any) -> Any:
    """Numbers as 64-bit floats: ONNX converts nothing by itself."""
    if isinstance(value, Symbol) or (isinstance(value, np.ndarray) and value.dtype.kind in "bO"):
        return value
    return value if isinstance(value, (bool, np.bool_)) else np.asarray(value, dtype=np.float64)


def stacked(columns: Sequence[Symbol]) -> Symbol:
    """Vectors as the columns of a matrix."""
    return columns[0].graph.add("Concat", *(one.as_column() for one in columns), axis=1)


def _clip(x: Any, low: Any, high: Any, **ignored: Any) -> Any:
    return np.where(x < low, low, np.where(x > high, high, x))


def _round(x: Any, decimals: int = 0) -> Any:
    return np.rint(x * 10.0**decimals) / 10.0**decimals


def _not_equal(x: Any, y: Any) -> Any:
    return ~np.equal(x, y)


NODES: dict[Any, str] = {
    np.add: "Add",
    np.subtract: "Sub",
    np.multiply: "Mul",
    np.divide: "Div",
    np.negative: "Neg",
    np.absolute: "Abs",
    np.maximum: "Max",
    np.minimum: "Min",
    np.floor: "Floor",
    np.rint: "Round",
    np.less: "Less",
    np.less_equal: "LessOrEqual",
    np.greater: "Greater",
    np.greater_equal: "GreaterOrEqual",
    np.equal: "Equal",
    np.bitwise_and: "And",
    np.bitwise_or: "Or",
    np.invert: "Not",
    np.where: "Where",
}
"""ONNX's name of functions of NumPy that have the same bits there."""

FORMULAS: dict[Any, Callable[..., Any]] = {
    np.clip: _clip,
    np.round: _round,
    np.not_equal: _not_equal,
}
"""Functions of several nodes; `costboost.export.elementary` adds exponentials and logarithms."""
