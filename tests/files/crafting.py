"""Model files that `save` would never write, with all their check sums right."""

from __future__ import annotations

import copy
import io
import json
import zipfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from files.examples import model
from numpy.typing import NDArray

import costboost
from costboost.io import archive, models
from costboost.io.seal import N_DIGITS, SEAL, sealed, sha256
from costboost.io.tree import Writer, array_bytes

Content = tuple[Any, list[NDArray[Any]]]
STUMPS = "AdaMECClassifier"
"""The example that most files are made from."""


@cache
def _content(name: str) -> Content:
    writer = Writer(models.KINDS)
    return writer.write(model(name)), [np.array(array) for array in writer.arrays]


def content(name: str) -> Content:
    """JSON and arrays of a model's file, to be changed."""
    return copy.deepcopy(_content(name))


def load(data: bytes, folder: Path, **options: Any) -> Any:
    """The model that `costboost.load` reads from a file with these bytes."""
    path = folder / "crafted.costboost"
    path.write_bytes(data)
    return costboost.load(path, **options)


def file_of(tree: Any, arrays: list[NDArray[Any]]) -> bytes:
    """The file of a model of this content."""
    return archive.pack(tree, [array_bytes(array) for array in arrays], costboost.__version__)


def saved(name: str) -> bytes:
    """The file of a model."""
    return file_of(*content(name))


def members(data: bytes) -> dict[str, bytes]:
    """The members of a file, the manifest left out."""
    with zipfile.ZipFile(io.BytesIO(data)) as found:
        return {name: found.read(name) for name in found.namelist() if name != archive.MANIFEST}


def manifest_of(parts: dict[str, bytes], **changed: Any) -> bytes:
    """A manifest that describes the members."""
    listed = {name: {"bytes": len(part), "sha256": sha256(part)} for name, part in parts.items()}
    manifest = {
        "format": "costboost model",
        "format_version": 1,
        "costboost_version": costboost.__version__,
        "members": listed,
    }
    return json.dumps(manifest | changed).encode()


def packed(parts: list[tuple[str, bytes]], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A sealed archive of these members, in this order; a name may come twice."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as made:
        for name, part in parts:
            how = zipfile.ZIP_STORED if name == archive.MANIFEST else method
            made.writestr(zipfile.ZipInfo(name, archive.ORIGIN), part, how)
        made.comment = SEAL + b"0" * N_DIGITS
    return sealed(file.getvalue())


def resealed(data: bytes) -> bytes:
    """The file with the checksum of its changed bytes."""
    return sealed(data)


def at(place: int, value: Any) -> Any:
    """Sets one entry of an array."""

    def change(array: Any) -> Any:
        array = array.copy()
        array.flat[place] = value
        return array

    return change
