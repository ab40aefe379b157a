"""ONNX graphs written by arithmetic: a `Symbol` stands for a tensor, operators on it add nodes.

A symbol is a vector over rows like any other (`costboost._core.arithmetic.RowVector`), so that the
formulas of links, calibrators and decisions write themselves as nodes when they are given symbols:
they are not written a second time for the export.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial, reduce
from math import ldexp
from typing import Any

import numpy as np

from costboost._core.arithmetic import RowVector
from costboost._core.engine import _kernels

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
        """Whether exponentials and logarithms have the bits of `costboost._core.arithmetic`."""
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


# ---- exponentials --------------------------------------------------------------------------------

# Runtimes have an exponential of their own, whose last bits differ. Here are the additions,
# multiplications and divisions of `engine/kernels/elementary.hpp`, in the same order. Powers of two
# are looked up in a table, and an exponent is found by ONNX's own logarithm and then corrected, so
# that its last bits do not matter.

FARTHEST = 1100
POWERS = np.array([ldexp(1.0, n) if n < 1024 else np.inf for n in range(-FARTHEST, FARTHEST + 1)])
"""2^n for n from -FARTHEST to FARTHEST."""
LIFT = 6755399441055744.0
PER_STEP, STEP, STEP_REST = (
    float.fromhex(digits)
    for digits in ("0x1.71547652b82fep+5", "0x1.62e42fefa0000p-6", "0x1.cf79abc9e3b3ap-45")
)
OF_EXP = (
    0.0013888925260947679, 0.008333362430989848, 0.041666666666559986, 0.16666666666581323, 0.5,
)  # fmt: skip
ROOTS = """
0x1.0000000000000p+0 0x1.059b0d3158574p+0 0x1.0b5586cf9890fp+0 0x1.11301d0125b51p+0
0x1.172b83c7d517bp+0 0x1.1d4873168b9aap+0 0x1.2387a6e756238p+0 0x1.29e9df51fdee1p+0
0x1.306fe0a31b715p+0 0x1.371a7373aa9cbp+0 0x1.3dea64c123422p+0 0x1.44e086061892dp+0
0x1.4bfdad5362a27p+0 0x1.5342b569d4f82p+0 0x1.5ab07dd485429p+0 0x1.6247eb03a5585p+0
0x1.6a09e667f3bcdp+0 0x1.71f75e8ec5f74p+0 0x1.7a11473eb0187p+0 0x1.82589994cce13p+0
0x1.8ace5422aa0dbp+0 0x1.93737b0cdc5e5p+0 0x1.9c49182a3f090p+0 0x1.a5503b23e255dp+0
0x1.ae89f995ad3adp+0 0x1.b7f76f2fb5e47p+0 0x1.c199bdd85529cp+0 0x1.cb720dcef9069p+0
0x1.d5818dcfba487p+0 0x1.dfc97337b9b5fp+0 0x1.ea4afa2a490dap+0 0x1.f50765b6e4540p+0
"""
"""2^(j / 32), rounded, for j from 0 to 31."""
ROOTS_REST = """
0x0.0p+0 0x1.d73e2a475b465p-55 0x1.8a62e4adc610bp-54 -0x1.6c51039449b3ap-54
-0x1.19041b9d78a76p-55 0x1.e016e00a2643cp-54 0x1.9b07eb6c70573p-54 0x1.612e8afad1255p-55
0x1.6f46ad23182e4p-55 -0x1.63aeabf42eae2p-54 0x1.ada0911f09ebcp-55 0x1.89b7a04ef80d0p-59
0x1.d4397afec42e2p-56 -0x1.07abe1db13cadp-55 0x1.6324c054647adp-54 -0x1.383c17e40b497p-54
-0x1.bdd3413b26456p-54 -0x1.16e4786887a99p-55 -0x1.41577ee04992fp-55 -0x1.d4c1dd41532d8p-54
0x1.6e9f156864b27p-54 -0x1.75fc781b57ebcp-57 0x1.c7c46b071f2bep-56 -0x1.d2f6edb8d41e1p-54
0x1.7a1cd345dcc81p-54 -0x1.5584f7e54ac3bp-56 0x1.11065895048ddp-55 0x1.503cbd1e949dbp-56
0x1.2ed02d75b3707p-55 -0x1.1a5cd4f184b5cp-54 -0x1.e9c23179c2893p-54 0x1.9d3e12dd8a18bp-54
"""
"""What rounding has left out of them."""


def _power_of_two(n: Any) -> Any:
    """2^n of whole numbers as floats."""
    graph = n.graph
    return graph.add("Gather", POWERS, (n + float(FARTHEST)).as_whole())


def _polynomial(coefficients: tuple[float, ...], x: Any) -> Any:
    return reduce(lambda total, one: total * x + one, coefficients[1:], coefficients[0])


def exp(x: Any) -> Any:
    """e^x."""
    graph = x.graph
    if not graph.exact:
        return graph.add("Exp", x)
    number = np.equal(x, x)
    inner = np.clip(np.where(number, x, 0.0), -746.0, 710.0)
    n = (inner * PER_STEP + LIFT) - LIFT
    whole = np.floor(n * 0.03125)
    j: Tensor = n - 32.0 * whole
    root, root_rest = (
        graph.add("Gather", table, j.as_whole()) for table in (_roots(), _roots_rest())
    )
    high, low = inner - n * STEP, n * STEP_REST
    r = high - low
    raised = r + ((high - r) - low + _polynomial(OF_EXP, r) * (r * r))
    e = root + (root_rest + root * raised)
    great = whole >= 0.0
    first = _power_of_two(np.where(great, 1.0, whole + 100.0))
    second = _power_of_two(np.where(great, whole - 1.0, -100.0))
    found = np.where(inner < -745.1332191019412, 0.0, e * first * second)
    found = np.where(inner > 709.782712893384, np.inf, found)
    return np.where(number, found, x)


def _roots() -> Any:
    return np.array([float.fromhex(one) for one in ROOTS.split()])


def _roots_rest() -> Any:
    return np.array([float.fromhex(one) for one in ROOTS_REST.split()])


def expit(x: Any) -> Any:
    """1 / (1 + e^-x)."""
    negative = x < 0.0
    e = exp(np.where(negative, x, -x))
    return np.where(negative, e, 1.0) / (1.0 + e)


# ---- logarithms ----------------------------------------------------------------------------------

LOG_2, LOG_2_REST = (
    float.fromhex(digits) for digits in ("0x1.62e42fefa3800p-1", "0x1.ef35793c76730p-45")
)
OF_LOG = (
    0.13086767009948175, 0.13268759668560612, 0.15386240205813478, 0.18181795630884753,
    0.2222222239180047, 0.2857142857080323, 0.4000000000000088, 0.6666666666666666,
)  # fmt: skip
ROOT = float(np.uint64(0x3FE6A09E00000000).view(np.float64))
"""About the square root of 1/2: numbers are reduced to those from it to twice as much."""
LEAST_NORMAL = 2.0**-1022


def _normalised(x: Any) -> tuple[Any, Any]:
    """Exponent n and mantissa m from 1 to 2, with x = 2^n m, of positive normal numbers."""
    n = np.floor(x.graph.add("Log", x) * 1.4426950408889634)
    m = x * _power_of_two(-n)
    small = m < 1.0
    n, m = np.where(small, n - 1.0, n), np.where(small, m * 2.0, m)
    great = m >= 2.0
    return np.where(great, n + 1.0, n), np.where(great, m * 0.5, m)


def _reduced(x: Any) -> tuple[Any, Any]:
    """Exponent n and f, with x = 2^n (1 + f), of positive finite numbers."""
    tiny = x < LEAST_NORMAL
    n, m = _normalised(np.where(tiny, x * 2.0**54, x))
    n = np.where(tiny, n - 54.0, n)
    upper = m * 0.5 >= ROOT
    return np.where(upper, n + 1.0, n), np.where(upper, m * 0.5, m) - 1.0


def _upper_half(f: Any) -> Any:
    """The first 26 bits of f."""
    size = np.abs(f)
    n, _ = _normalised(np.where(size > 0.0, size, 1.0))
    cut = np.floor(size * _power_of_two(25.0 - n)) * _power_of_two(n - 25.0)
    return np.where(f < 0.0, -cut, cut)


def _log_of_reduced(exponent: Any, f: Any, more: Any) -> Any:
    """log of 2^exponent (1 + f), plus a small number."""
    s = f / (2.0 + f)
    z, upper = s * s, _upper_half(f)
    square, rest = 0.5 * upper * upper, 0.5 * (f - upper) * (f + upper)
    high = f - square
    low = ((f - high) - square) - rest + s * (square + rest + z * _polynomial(OF_LOG, z))
    whole = exponent * LOG_2
    total = whole + high
    lower = ((whole - total) + high) + (low + (exponent * LOG_2_REST + more))
    return np.where(np.equal(exponent, 0.0), high + (low + more), total + lower)


def _or_special(x: Any, regular: Any, found: Any) -> Any:
    """Logarithms, and what takes their place where x is not positive and finite."""
    special = np.where(x < 0.0, np.nan, np.where(np.equal(x, 0.0), -np.inf, x))
    return np.where(regular, found, special)


def log(x: Any) -> Any:
    """The natural logarithm; minus infinity of 0."""
    if not x.graph.exact:
        return x.graph.add("Log", x)
    regular = (x > 0.0) & (x < np.inf)
    return _or_special(x, regular, _log_of_reduced(*_reduced(np.where(regular, x, 1.0)), 0.0))


def log1p(x: Any) -> Any:
    """log(1 + x)."""
    total = 1.0 + x
    if not x.graph.exact:
        return x.graph.add("Log", total)
    size, near = np.abs(x), (x > -0.29) & (x < 0.41)
    regular = (total > 0.0) & (total < np.inf)
    inner = np.where(regular, total, 1.0)
    lost = np.where(size < 1.0, x - (total - 1.0), 1.0 - (total - x))
    exponent, f = _reduced(inner)
    found = _log_of_reduced(
        np.where(near, 0.0, exponent), np.where(near, x, f), np.where(near, 0.0, lost / inner)
    )
    return np.where(size < 2.0**-54, x, _or_special(total, regular, found))


def logit(p: Any) -> Any:
    """log(p / (1 - p))."""
    s = 2.0 * p - 1.0
    return np.where((p > 0.3) & (p < 0.65), log1p(s) - log1p(-s), log(p / (1.0 - p)))


# ---- functions of several nodes ------------------------------------------------------------------

FORMULAS: dict[Any, Callable[..., Any]] = {
    np.clip: _clip,
    np.round: _round,
    np.not_equal: _not_equal,
    _kernels.exp: exp,
    _kernels.expit: expit,
    _kernels.log: log,
    _kernels.log1p: log1p,
    _kernels.logit: logit,
}
"""Functions of several nodes; `costboost.export.nodes` adds `arithmetic.interpolate`."""
