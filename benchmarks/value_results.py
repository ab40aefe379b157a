"""What value.py has found, one line for each system, split and ratio, kept as CSV."""

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from value_systems import RATIOS, Trial

FIELDS = [
    "set",
    "split",
    "system",
    "ratio",
    "cost",
    "share",
    "brier",
    "seconds",
    "n_threads",
    "error",
]
WHOLE = ["set", "split", "system"]
"""What is finished or failed as a whole."""


class Results:
    """Lines are appended as they come, so that nothing is lost when a run is cut short.

    Of lines about the same set, split, system and ratio the last counts.
    """

    def __init__(self, path: Path | None, others: Iterable[Path] = ()) -> None:
        self.path = path
        own = read(path) if path and path.exists() else []
        self.finished = whole(own)
        """Set, split and system of what the file had at the start, the others' lines apart."""
        self.lines = [*(line for file in others for line in read(file)), *own]

    def add(self, name: str, split: int, system: str, trials: Sequence[Trial]) -> None:
        self._append(
            {
                "set": name,
                "split": split,
                "system": system,
                "ratio": one.ratio,
                "cost": one.cost,
                "share": round(one.share, 9),
                "brier": "" if one.brier is None else round(one.brier, 9),
                "seconds": round(one.seconds, 5),
                "n_threads": one.n_threads,
            }
            for one in trials
        )

    def add_failure(self, name: str, split: int, system: str, error: str) -> None:
        self._append([{"set": name, "split": split, "system": system, "error": error}])

    def _append(self, lines: Iterable[dict[str, Any]]) -> None:
        lines = list(lines)
        self.lines += lines
        if self.path is not None:
            append(self.path, FIELDS, lines)

    def table(self) -> pd.DataFrame:
        """The lines of what was finished."""
        return finished(self.lines)

    def failures(self) -> list[tuple[str, int, str, str]]:
        """Set, split, system and error of what failed and has not been finished since."""
        table = typed(self.lines)
        failed = table[table["ratio"].isna()].drop_duplicates(WHOLE, keep="last")
        done = whole(self.lines)
        found = failed[[*WHOLE, "error"]].itertuples(index=False, name=None)
        return [line for line in found if line[:3] not in done]


def append(path: Path, fields: Sequence[str], lines: Iterable[dict[str, Any]]) -> None:
    """Add lines to a CSV, with the names of its fields if it is new."""
    fresh = not path.exists() or path.stat().st_size == 0
    with path.open("a", newline="") as file:
        writer = csv.DictWriter(file, fields)
        if fresh:
            writer.writeheader()
        writer.writerows(lines)


def read(path: Path) -> list[dict[str, Any]]:
    return pd.read_csv(path, dtype={"error": "object"}).to_dict("records")


def typed(lines: list[dict[str, Any]]) -> pd.DataFrame:
    table = pd.DataFrame(lines, columns=FIELDS)
    for column in ("ratio", "cost", "share", "brier", "seconds"):
        table[column] = pd.to_numeric(table[column])
    return table


def finished(lines: list[dict[str, Any]]) -> pd.DataFrame:
    """The lines of what has all its ratios: a run may have been cut short while writing."""
    table = typed(lines)
    table = table[table["ratio"].notna()].drop_duplicates([*WHOLE, "ratio"], keep="last")
    complete = table.groupby(WHOLE)["ratio"].transform("count") == len(RATIOS)
    return table[complete].astype({"ratio": int, "split": int}).reset_index(drop=True)


def whole(lines: list[dict[str, Any]]) -> set[tuple[str, int, str]]:
    return set(finished(lines)[WHOLE].itertuples(index=False, name=None))
