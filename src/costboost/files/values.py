"""Model file kinds of general values: numbers, tuples, dicts and arrays of labels."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf, nan, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from costboost.files.tree import Fields, Kind, NotPlainError

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
