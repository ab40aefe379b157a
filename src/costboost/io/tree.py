"""Conversion of values to a tree of JSON with arrays, and back with all parts checked."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from math import inf, isfinite, nan, prod
from textwrap import shorten
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

NUMBER_KINDS = "biuf"
"""NumPy's dtype kinds of booleans, signed and unsigned integers, and floats."""
MOST_ITEM_BYTES = 8
"""Greatest item size; the format of longer floats depends on the machine."""

START = b"\x93NUMPY\x01\x00"
HEADER = re.compile(
    rb"\{'descr': '(?P<dtype>[<|][biuf][1248])', 'fortran_order': False, "
    rb"'shape': \((?P<shape>(?:\d{1,12}, )*(?:\d{1,12},?)?)\), \} *\n"
)
BEFORE_HEADER = len(START) + 2


def holds_array(array: NDArray[Any]) -> bool:
    """Whether an array can be written."""
    return array.dtype.kind in NUMBER_KINDS and array.dtype.itemsize <= MOST_ITEM_BYTES


def array_bytes(array: NDArray[Any]) -> bytes:
    """The array as bytes of a .npy file: version 1.0, little-endian, in C order."""
    file = io.BytesIO()
    plain = array.astype(array.dtype.newbyteorder("<"), order="C")
    np.lib.format.write_array(file, plain, version=(1, 0), allow_pickle=False)
    return file.getvalue()


def read_array(data: bytes) -> NDArray[Any]:
    """The array in the bytes of a .npy file; needs no more memory than the bytes."""
    n_header = int.from_bytes(data[len(START) : BEFORE_HEADER], "little")
    body = BEFORE_HEADER + n_header
    header = HEADER.fullmatch(data[BEFORE_HEADER:body])
    if data[: len(START)] != START or header is None:
        raise ValueError("the array is not a NumPy file of version 1.0 with plain numbers")
    dtype = _dtype(header["dtype"].decode())
    shape = tuple(int(length) for length in re.findall(rb"\d+", header["shape"]))
    if prod(shape) * dtype.itemsize != len(data) - body:
        raise ValueError(
            f"an array of {dtype} of shape {shape} does not have {len(data) - body} bytes"
        )
    array = np.frombuffer(data, dtype, offset=body).reshape(shape)
    if dtype.kind == "b" and np.any(array.view(np.uint8) > 1):
        raise ValueError("a truth value must be 0 or 1")
    return array.astype(dtype.newbyteorder("="))


def _dtype(name: str) -> np.dtype[Any]:
    try:
        return np.dtype(name)
    except TypeError as error:
        raise ValueError(f"there are no numbers of type {name}") from error


# ---- the fields of an object ---------------------------------------------------------------------


T = TypeVar("T")

SCALARS = (str, bool, int, float, np.generic)


class Fields:
    """Parts of a value by name, as read from a file and not yet checked.

    Every method removes a part and returns it, or raises a ValueError that describes what is wrong
    with it. ``finish`` is called last and raises a ValueError if a part is left.
    """

    def __init__(self, parts: Mapping[str, Any], spend: Callable[[int], None]) -> None:
        self._parts = dict(parts)
        self.spend = spend
        """Called with the memory in bytes that a part needs, before it is allocated."""

    def __contains__(self, name: str) -> bool:
        return name in self._parts

    def take(self, name: str) -> Any:
        """Remove and return a part, which may be any value."""
        if name not in self._parts:
            raise ValueError(f"{name} is missing")
        return self._parts.pop(name)

    def take_some(self, names: Iterable[str]) -> dict[str, Any]:
        """Remove and return the parts of these names that exist."""
        return {name: self._parts.pop(name) for name in names if name in self._parts}

    def finish(self) -> None:
        """Raise a ValueError if a part has not been taken."""
        if self._parts:
            names = f"{', '.join(sorted(self._parts)):.100}"
            raise ValueError(f"{names} is unknown to this costboost; a later one may read it")

    # ---- single values ---------------------------------------------------------------------------

    def a(self, name: str, cls: type[T]) -> T:
        """An instance of exactly this class."""
        value = self.take(name)
        if type(value) is not cls:
            raise ValueError(f"{name} must be of type {cls.__name__}, got {_shown(value)}")
        return value

    def whole(self, name: str, least: int, most: int = 2**31 - 1) -> int:
        """A whole number within bounds."""
        value = _plain(self.take(name))
        if type(value) is not int:
            raise ValueError(f"{name} must be a whole number, got {_shown(value)}")
        if not least <= value <= most:
            raise ValueError(f"{name} must be from {least} to {most}, got {_shown(value)}")
        return value

    def number(self, name: str, least: float = -inf, most: float = inf) -> float:
        """A finite float within bounds."""
        value = _plain(self.take(name))
        if type(value) is not float:
            raise ValueError(f"{name} must be a number with a point, got {_shown(value)}")
        if not (isfinite(value) and least <= value <= most):
            raise ValueError(f"{name} must be {_finite(least, most)}, got {value}")
        return value

    def text(self, name: str, choices: Iterable[str] | None = None) -> str:
        """A text; one of the choices if they are given."""
        value = self.a(name, str)
        if choices is not None and value not in choices:
            raise ValueError(f"{name} must be one of {', '.join(choices)}, got {_shown(value)}")
        return value

    # ---- arrays ----------------------------------------------------------------------------------

    def array(self, name: str, dtype: Any, shape: tuple[int | None, ...]) -> NDArray[Any]:
        """An array of exactly this data type; None in the shape allows any length."""
        value = self.a(name, np.ndarray)
        fits = value.ndim == len(shape) and all(
            wanted in (None, length) for wanted, length in zip(shape, value.shape, strict=True)
        )
        if value.dtype != dtype or not fits:
            wanted = ", ".join("any" if n is None else str(n) for n in shape)
            raise ValueError(
                f"{name} must be an array of {np.dtype(dtype)} of shape ({wanted}), got one of "
                f"{value.dtype} of shape {value.shape}"
            )
        return value

    def numbers(
        self, name: str, length: int | None, least: float = -inf, most: float = inf
    ) -> NDArray[np.float64]:
        """An array of finite floats within bounds."""
        values = self.array(name, np.float64, (length,))
        good = np.isfinite(values) & (values >= least) & (values <= most)
        if not good.all():
            k = int(np.flatnonzero(~good)[0])
            raise ValueError(f"{name}[{k}] must be {_finite(least, most)}, got {values[k]}")
        return values

    def floats(self, name: str, length: int | None) -> NDArray[np.float64]:
        """Diagnostic floats; NaN is allowed."""
        return self.array(name, np.float64, (length,))

    def labels(self, name: str, n_classes: int) -> NDArray[Any]:
        """The labels of ``n_classes`` classes, all different."""
        values = self.a(name, np.ndarray)
        if values.shape != (n_classes,):
            raise ValueError(f"{name} must be {n_classes} labels, got shape {values.shape}")
        found = values.tolist()
        for label in found:
            if not isinstance(label, SCALARS) or label != label:
                raise ValueError(f"{name} must be texts or numbers, got {_shown(label)}")
        if len(set(found)) < n_classes:
            raise ValueError(f"{name} must be different labels, got {_shown(found)}")
        return values


def _finite(least: float, most: float) -> str:
    """Description of the allowed numbers, for messages."""
    sides = {"at least": least, "at most": most}
    bounds = [f"{word} {side}" for word, side in sides.items() if isfinite(side)]
    return ", ".join(["a finite number", *bounds])


def _plain(value: Any) -> Any:
    """A NumPy scalar as a Python number; other values unchanged."""
    return value.item() if isinstance(value, np.generic) else value


def _shown(value: Any) -> str:
    """A value as text for messages, at most 60 characters long."""
    text = repr(value) if isinstance(value, (*SCALARS, list, type(None))) else type(value).__name__
    return text if len(text) <= 60 else text[:57] + "..."


# ---- values as a tree of JSON with arrays beside it, and back ------------------------------------


MOST_DEPTH = 32
"""Greatest depth of nested values; a CostSearchCV of an OperatingPointClassifier has 12."""


UNFIT = (ValueError, TypeError, ArithmeticError, AttributeError, LookupError)
"""Errors that invalid parts can lead to; a ValueError if a check has found them."""


class NotPlainError(ValueError):
    """Raised for a value that a file cannot hold; the message names its place and type."""


@dataclass(frozen=True)
class Kind:
    """A kind of value that a file can hold."""

    name: str
    """Name of the kind in files."""
    classes: tuple[type, ...]
    """Classes whose instances are of this kind; those of subclasses are not."""
    take_apart: Callable[[Any], Mapping[str, Any]]
    put_together: Callable[[Fields], Any]
    """Makes a value from its parts; raises a ValueError if they are invalid."""
    dispensable: frozenset[str] = frozenset()
    """Names of the parts that are left out if a file cannot hold them."""


@dataclass
class Writer:
    """Turns values into JSON and arrays."""

    kinds: Iterable[Kind]
    arrays: list[NDArray[Any]] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    """Dispensable parts that were left out, as text of name and value."""

    def __post_init__(self) -> None:
        self._kind_of = {cls: kind for kind in self.kinds for cls in kind.classes}

    def write(self, value: Any, where: str = "") -> Any:
        """The value as JSON; its arrays are added to ``arrays``."""
        if value is None or type(value) in (bool, int, str):
            return value
        if type(value) is float and isfinite(value):
            return value
        if type(value) is list:
            return [self.write(one, f"{where}[{k}]") for k, one in enumerate(value)]
        if type(value) is np.ndarray and holds_array(value):
            self.arrays.append(value)
            return {"type": "array", "number": len(self.arrays) - 1}
        kind = self._kind_of.get(type(value))
        if kind is None:
            raise NotPlainError(f"{where or 'the model'} is a {type(value).__name__}")
        try:
            parts = kind.take_apart(value)
        except NotPlainError as error:
            raise NotPlainError(f"{where or 'the model'} {error}") from None
        written: dict[str, Any] = {"type": kind.name}
        for name, part in parts.items():
            path = f"{where}.{name}" if where else name
            if name in kind.dispensable:
                self._try(written, name, part, path)
            else:
                written[name] = self.write(part, path)
        return written

    def _try(self, written: dict[str, Any], name: str, part: Any, where: str) -> None:
        n_arrays = len(self.arrays)
        try:
            written[name] = self.write(part, where)
        except NotPlainError:
            del self.arrays[n_arrays:]
            self.left_out.append(f"{where}={shorten(repr(part), 60)}")


class Reader:
    """Turns JSON and arrays into values. Neither is trusted: all parts are checked."""

    def __init__(
        self, kinds: Iterable[Kind], arrays: Mapping[int, bytes], spend: Callable[[int], None]
    ) -> None:
        self._kinds = {kind.name: kind for kind in kinds}
        self._arrays = dict(arrays)
        self._spend = spend

    def read(self, tree: Any) -> Any:
        """The value of a tree, which must contain every array exactly once."""
        value = self._read(tree, "", 0)
        if self._arrays:
            raise ValueError(f"array {min(self._arrays)} belongs to nothing")
        return value

    def _read(self, tree: Any, where: str, depth: int) -> Any:
        if depth > MOST_DEPTH:
            raise ValueError(f"{where} is nested too deeply")
        if isinstance(tree, list):
            return [self._read(one, f"{where}[{k}]", depth + 1) for k, one in enumerate(tree)]
        if not isinstance(tree, dict):
            return tree
        name = tree.get("type")
        if name == "array":
            return self._array(tree, where)
        if not isinstance(name, str) or name not in self._kinds:
            raise ValueError(
                f"{where or 'the model'} is of a type unknown to this costboost, {name!r:.60}"
            )
        parts = {
            key: self._read(part, f"{where}.{key}" if where else key, depth + 1)
            for key, part in tree.items()
            if key != "type"
        }
        fields = Fields(parts, self._spend)
        try:
            value = self._kinds[name].put_together(fields)
            fields.finish()
        except UNFIT as error:
            raise ValueError(f"{where or 'the model'} ({name}): {error}") from error
        return value

    def _array(self, tree: dict[str, Any], where: str) -> NDArray[Any]:
        number = tree.get("number")
        if len(tree) > 2 or type(number) is not int or number not in self._arrays:
            raise ValueError(f"{where} must be an array of its own, which it is not")
        try:
            return read_array(self._arrays.pop(number))
        except ValueError as error:
            raise ValueError(f"{where}: {error}") from error


# ---- numbers that JSON does not have -------------------------------------------------------------

NOT_FINITE = {"nan": nan, "inf": inf, "-inf": -inf}

NUMPY_TYPES: dict[str, Any] = {
    "bool": np.bool_,
    **{f"int{bits}": np.dtype(f"int{bits}").type for bits in (8, 16, 32, 64)},
    **{f"uint{bits}": np.dtype(f"uint{bits}").type for bits in (8, 16, 32, 64)},
    **{f"float{bits}": np.dtype(f"float{bits}").type for bits in (16, 32, 64)},
    "str": np.str_,
}
"""NumPy's scalar types by name."""
ALSO = {np.longlong, np.ulonglong, np.intc, np.uintc} - set(NUMPY_TYPES.values())
"""Integer types that NumPy has under a second name."""


def _float(fields: Fields) -> float:
    return NOT_FINITE[fields.text("value", NOT_FINITE)]


def _scalar_parts(value: Any) -> Mapping[str, Any]:
    name = "str" if isinstance(value, str) else value.dtype.name
    return {"of": name, "value": value.item()}


def _scalar(fields: Fields) -> Any:
    """Read a NumPy scalar, whose type must be able to hold the value."""
    cls = NUMPY_TYPES[fields.text("of", NUMPY_TYPES)]
    value = fields.take("value")
    if type(value) is not type(cls(0).item()):
        raise ValueError(f"a {type(value).__name__} is no value of type {cls.__name__}")
    try:
        with np.errstate(over="ignore"):
            made = cls(value)
    except OverflowError:
        raise ValueError(f"{value!r} is no value of type {cls.__name__}") from None
    if made.item() != value and value == value:
        raise ValueError(f"{value!r} is no value of type {cls.__name__}")
    return made


# ---- values within values ------------------------------------------------------------------------


def _items(fields: Fields) -> list[Any]:
    return fields.a("items", list)


def _dict(fields: Fields) -> dict[Any, Any]:
    """Read a dict from pairs of a text and a value, each text once."""
    pairs = _items(fields)
    if any(type(one) is not list or len(one) != 2 or type(one[0]) is not str for one in pairs):
        raise ValueError("items must be pairs of a text and a value")
    if len({key for key, _ in pairs}) < len(pairs):
        raise ValueError("items has a key twice")
    return dict(pairs)


def _dict_parts(value: dict[Any, Any]) -> Mapping[str, Any]:
    if any(type(key) is not str for key in value):
        raise NotPlainError("is a dict whose keys are not all texts")
    return {"items": [list(pair) for pair in value.items()]}


# ---- arrays of texts and labels ------------------------------------------------------------------


def _labels_parts(array: NDArray[Any]) -> Mapping[str, Any]:
    if array.dtype.kind not in "UO":
        raise NotPlainError(f"is an array of {array.dtype}")
    width = array.dtype.itemsize // 4 if array.dtype.kind == "U" else None
    return {"width": width, "shape": list(array.shape), "items": array.ravel().tolist()}


def _labels(fields: Fields) -> NDArray[Any]:
    """Read an array of texts of at most ``width`` characters, or of any values without a width."""
    items, shape, width = _items(fields), fields.a("shape", list), fields.take("width")
    if not all(type(n) is int and n >= 0 for n in shape) or prod(shape) != len(items):
        raise ValueError(f"{len(items)} items do not fill their shape")
    if width is None:
        array = np.empty(len(items), dtype=object)
        for k, item in enumerate(items):
            array[k] = item
        return array.reshape(shape)
    if type(width) is not int or not 1 <= width < 2**28:
        raise ValueError(f"width must be a whole number above 0, got {width!r}")
    if any(type(item) is not str or len(item) > width for item in items):
        raise ValueError(f"items must be texts of at most {width} characters")
    fields.spend(4 * width * len(items))
    return np.array(items, dtype=f"U{width}").reshape(shape)


def _masked(fields: Fields) -> Any:
    values = fields.a("values", np.ndarray)
    return np.ma.MaskedArray(values, fields.array("mask", np.bool_, values.shape))


KINDS = (
    Kind("float", (float,), lambda value: {"value": str(value)}, _float),
    Kind("scalar", (*NUMPY_TYPES.values(), *ALSO), _scalar_parts, _scalar),
    Kind("tuple", (tuple,), lambda t: {"items": list(t)}, lambda f: tuple(_items(f))),
    Kind("dict", (dict,), _dict_parts, _dict),
    Kind("labels", (np.ndarray,), _labels_parts, _labels),
    Kind(
        "masked",
        (np.ma.MaskedArray,),
        lambda a: {"values": np.asarray(a.data), "mask": np.ma.getmaskarray(a)},
        _masked,
    ),
)
