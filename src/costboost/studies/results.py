"""Results of a run as tables, and the files they are written to."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from costboost.files import disk
from costboost.studies.journal import Entry
from costboost.studies.study import Frame, Scalar

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
