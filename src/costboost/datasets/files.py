"""Files of the form ``<name>.csv.gz``: read whole or not at all, written whole or not at all."""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import sys
import tempfile
import zlib
from pathlib import Path
from typing import Any

from costboost.datasets.records import Record

DATA = "COSTBOOST_DATA"
CACHE = "COSTBOOST_CACHE"


def data_folder() -> Path | None:
    """The folder that the user keeps data sets in."""
    given = os.environ.get(DATA)
    return Path(given).expanduser() if given else None


def cache_folder() -> Path:
    """Where downloads are kept: ``COSTBOOST_CACHE``, or the place the system has for caches."""
    if given := os.environ.get(CACHE):
        return Path(given).expanduser()
    if given := os.environ.get("XDG_CACHE_HOME"):
        return Path(given) / "costboost"
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA")
        return (Path(local) if local else Path.home() / "AppData" / "Local") / "costboost" / "cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "costboost"
    return Path.home() / ".cache" / "costboost"


def read_original(path: Path, record: Record) -> Any:
    """The table of the file that the record describes; a ValueError for any other file."""
    data = path.read_bytes()
    digest = hashlib.sha256(data).hexdigest()
    if digest != record.file.sha256:
        raise ValueError(
            f"{path} is not the file expected: it has {len(data)} bytes and SHA-256 {digest}, "
            f"but {record.filename} has {record.file.bytes} bytes and SHA-256 "
            f"{record.file.sha256}. It was cut short, damaged or changed"
        )
    return parse(data, path)


def read_kept(path: Path) -> Any:
    """The table of a download kept in the cache; its check sum is that of the gzip format."""
    return parse(path.read_bytes(), path)


def parse(data: bytes, path: Path) -> Any:
    """The table in compressed CSV; only an empty cell is a missing value."""
    import pandas as pd

    try:
        text = io.BytesIO(gzip.decompress(data))
        return pd.read_csv(text, keep_default_na=False, na_values=[""], low_memory=False)
    except (EOFError, OSError, ValueError, zlib.error) as error:
        raise ValueError(f"{path} is damaged or cut short ({error})") from error


def keep(path: Path, table: Any) -> None:
    """Write a table so that nobody ever sees a part of it, whoever else writes it meanwhile."""
    text = table.to_csv(index=False, lineterminator="\n")
    replace(path, gzip.compress(text.encode(), mtime=0))


def replace(path: Path, data: bytes) -> None:
    """Put a file in its place in one step, safely on the disk before it appears."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
