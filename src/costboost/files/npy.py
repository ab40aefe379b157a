"""Arrays of numbers in the .npy format, restricted to what any language can read."""

from __future__ import annotations

import io
import re
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

KINDS = "biuf"
"""NumPy's dtype kinds of booleans, signed and unsigned integers, and floats."""
MOST_BYTES = 8
"""Greatest item size; the format of longer floats depends on the machine."""

START = b"\x93NUMPY\x01\x00"
HEADER = re.compile(
    rb"\{'descr': '(?P<dtype>[<|][biuf][1248])', 'fortran_order': False, "
    rb"'shape': \((?P<shape>(?:\d{1,12}, )*(?:\d{1,12},?)?)\), \} *\n"
)
BEFORE_HEADER = len(START) + 2


def holds(array: NDArray[Any]) -> bool:
    """Whether an array can be written."""
    return array.dtype.kind in KINDS and array.dtype.itemsize <= MOST_BYTES


def write(array: NDArray[Any]) -> bytes:
    """The array as bytes of a .npy file: version 1.0, little-endian, in C order."""
    file = io.BytesIO()
    plain = array.astype(array.dtype.newbyteorder("<"), order="C")
    np.lib.format.write_array(file, plain, version=(1, 0), allow_pickle=False)
    return file.getvalue()


def read(data: bytes) -> NDArray[Any]:
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
