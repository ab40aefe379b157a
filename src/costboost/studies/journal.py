"""Journal of a run, and its results as tables.

Finished cells are kept as JSON lines, one each, in the order in which they finished."""

from __future__ import annotations

import io
import json
import os
import sys
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, BinaryIO

from costboost.files import disk
from costboost.studies.study import Cell, Frame, Record, Scalar

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

FORMAT = 1
JOURNAL, LOCK = "journal.jsonl", "journal.lock"


@dataclass(frozen=True)
class Entry:
    """A finished cell: its results, and how they came about."""

    cell: Cell
    seed: int
    versions: str
    records: Sequence[Record]
    seconds: float
    finished: str
    """Time at which the cell was finished, in UTC."""
    process: int


def key_of(cell: Cell) -> str:
    """Text that identifies a cell, whatever the order of its fields."""
    return json.dumps(dict(cell), sort_keys=True)


class Journal:
    """The finished cells in a folder; use it as a context manager while cells are added.

    A line that was cut off when a process was killed is removed at the next start. Only one process
    at a time can hold a journal.
    """

    def __init__(self, folder: Path, study: str, fresh: bool = False) -> None:
        self.path, self.study, self.fresh = folder / JOURNAL, study, fresh
        self.entries: dict[str, Entry] = {}
        """Finished cells by `key_of`; of several entries for a cell the last one counts."""
        self._file: BinaryIO | None = None

    @contextmanager
    def opened(self) -> Iterator[Journal]:
        """Lock the folder and read what is there; cells can be added until the end."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with locked(self.path.with_name(LOCK)):
            size = 0 if self.fresh else self._read()
            with self.path.open("ab") as self._file:
                self._file.truncate(size)
                if size == 0:
                    self._append({"journal": FORMAT, "study": self.study})
                try:
                    yield self
                finally:
                    self._file = None

    def add(self, entry: Entry) -> None:
        """Append a finished cell; it is on disk when this returns."""
        self._append(asdict(entry))
        self.entries[key_of(entry.cell)] = entry

    def _append(self, content: Mapping[str, Any]) -> None:
        assert self._file is not None, "the journal is not open"
        self._file.write(line_of(content))
        self._file.flush()
        os.fsync(self._file.fileno())

    def _read(self) -> int:
        """Read all entries, and return the number of bytes that are valid."""
        if not self.path.exists():
            return 0
        with self.path.open("rb") as file:
            lines = file.readlines()
        valid = 0
        for number, line in enumerate(lines, 1):
            try:
                content = content_of(line)
            except ValueError as error:
                if number == len(lines):
                    break
                raise ValueError(
                    f"{self.path}, line {number}: {error}; restore the file, or compute all cells "
                    "again with fresh=True (--fresh)"
                ) from error
            self._take(content, number)
            valid += len(line)
        return valid

    def _take(self, content: Mapping[str, Any], number: int) -> None:
        if number > 1:
            entry = Entry(**content)
            self.entries[key_of(entry.cell)] = entry
            return
        found = content.get("study"), content.get("journal")
        if found != (self.study, FORMAT):
            raise ValueError(
                f"{self.path} is the journal of {found[0]!r}, format {found[1]}, not of "
                f"{self.study!r}, format {FORMAT}; choose another folder"
            )


# ---- lines ---------------------------------------------------------------------------------------


def line_of(content: Mapping[str, Any]) -> bytes:
    """A line of the journal: the content with its check sum."""
    body = json.dumps(content, separators=(",", ":")).encode()
    return b'{"crc32":"%08x","content":%s}\n' % (zlib.crc32(body), body)


def content_of(line: bytes) -> dict[str, Any]:
    """The content of a line; a ValueError if it is not as it was written."""
    head, tail = b'{"crc32":"', b"}\n"
    body = line[len(head) + len(b'01234567","content":') : -len(tail)]
    if not (line.startswith(head) and line.endswith(tail)):
        raise ValueError("the line is damaged")
    if line != b'{"crc32":"%08x","content":%s}\n' % (zlib.crc32(body), body):
        raise ValueError("the line is damaged, its check sum is wrong")
    content: dict[str, Any] = json.loads(body)
    return content


# ---- lock ----------------------------------------------------------------------------------------


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold a lock on a file; raise a ValueError if another process holds it.

    The system releases the lock when the process ends, however it ends.
    """
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)  # not inherited by workers
    try:
        if not _take_lock(handle):
            holder = os.pread(handle, 20, 0).decode() if hasattr(os, "pread") else ""
            raise ValueError(
                f"another run{f' (process {holder})' if holder else ''} is writing to "
                f"{path.parent}; wait for its end, or choose another folder"
            )
        if sys.platform != "win32":
            os.ftruncate(handle, 0)
            os.pwrite(handle, str(os.getpid()).encode(), 0)
        yield
    finally:
        os.close(handle)


def _take_lock(handle: int) -> bool:
    with suppress(OSError):
        if sys.platform == "win32":
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    return False


# ---- results as tables ---------------------------------------------------------------------------

RESULTS, TIMES = "results", "times"
"""Names of the files, without the ending: each is written as Parquet and as CSV."""


def results_frame(entries: Iterable[Entry]) -> Frame:
    """A row for every record, with the fields of its cell, the seed and the versions."""
    import pandas as pd

    rows = [
        joined(entry.cell, record) | {"seed": entry.seed, "versions": entry.versions}
        for entry in entries
        for record in entry.records
    ]
    last = ["seed", "versions"]
    names = dict.fromkeys(name for row in rows for name in row if name not in last)
    return pd.DataFrame(rows, columns=[*names, *last])


def joined(cell: Mapping[str, Scalar], record: Mapping[str, Scalar]) -> dict[str, Scalar]:
    """The fields of a cell and of one of its records; a ValueError if they contradict."""
    for name in cell.keys() & record.keys():
        if cell[name] != record[name]:
            raise ValueError(
                f"the field {name!r} is {cell[name]!r} in a cell and {record[name]!r} in its record"
            )
    return {**cell, **record}


def times_frame(entries: Iterable[Entry]) -> Frame:
    """A row for every cell: its fields, wall time, time of its end, and process."""
    import pandas as pd

    return pd.DataFrame(
        [
            {
                **entry.cell,
                "seconds": round(entry.seconds, 6),
                "finished": entry.finished,
                "process": entry.process,
            }
            for entry in entries
        ]
    )


def write_results(folder: Path, entries: Sequence[Entry]) -> list[Path]:
    """Write the results and the times of a run."""
    frames = {RESULTS: results_frame(entries), TIMES: times_frame(entries)}
    return [path for name, frame in frames.items() for path in write_frame(folder, name, frame)]


def write_frame(folder: Path, name: str, frame: Frame) -> tuple[Path, Path]:
    """Write a table as Parquet and CSV, each atomically; equal tables give equal bytes."""
    parquet, csv = folder / f"{name}.parquet", folder / f"{name}.csv"
    disk.replace(parquet, parquet_bytes(frame))
    disk.replace(csv, frame.to_csv(index=False, lineterminator="\n").encode())
    return parquet, csv


def parquet_bytes(frame: Frame) -> bytes:
    """A table in the format Parquet."""
    buffer = io.BytesIO()
    frame.to_parquet(buffer, index=False, engine="pyarrow")
    return buffer.getvalue()


def read_results(folder: Path) -> Frame | None:
    """The results in a folder, or None if there are none."""
    import pandas as pd

    path = folder / f"{RESULTS}.parquet"
    return pd.read_parquet(path) if path.exists() else None


def other_versions(entries: Sequence[Entry], current: str) -> list[str]:
    """Versions other than the current ones with which some cells were computed."""
    return sorted({entry.versions for entry in entries} - {current})
