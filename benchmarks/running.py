"""Runs over many sets that may be interrupted: their options, their cells and their CSV.

Cells are computed by the runner of costboost_lab.studies. Finished ones are in the journal of a
folder beside the CSV, value.csv -> value/, so that a second call computes only what is missing.
"""

import argparse
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any

import pandas as pd
from timing import log

from costboost._core import disk
from costboost_lab.studies import Cell
from costboost_lab.studies.runner import (
    JOURNAL,
    Compute,
    Entry,
    Failure,
    Journal,
    Progress,
    results_frame,
    run_cells,
)
from costboost_lab.studies.running import why_unavailable

LINE_SECONDS = 20.0


@dataclass(frozen=True)
class Defaults:
    """Defaults of the command line; ``quick`` are those of --quick."""

    sets: Sequence[str]
    repeats: int
    csv: Path
    quick_sets: Sequence[str]
    quick_repeats: int = 2

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        choice(parser, "--sets", self.sets, "only these data sets")
        parser.add_argument(
            "--repeats", type=int, help=f"splits of each set, {self.repeats} if absent"
        )
        parser.add_argument("--quick", action="store_true", help="a few small sets, few splits")
        add_running_options(parser, f"{self.csv} if absent (nowhere with --quick)")

    def settle(self, parser: argparse.ArgumentParser) -> argparse.Namespace:
        """Complete the options."""
        chosen = parser.parse_args()
        if chosen.repeats is not None and chosen.repeats < 1:
            parser.error("--repeats must be positive")
        chosen.repeats = chosen.repeats or (self.quick_repeats if chosen.quick else self.repeats)
        chosen.csv = chosen.csv or (None if chosen.quick else self.csv)
        check_running_options(parser, chosen)
        named = chosen.sets or (self.quick_sets if chosen.quick else self.sets)
        chosen.sets = [name for name in self.sets if name in named]
        return chosen


def choice(parser: argparse.ArgumentParser, flag: str, choices: Sequence[str], about: str) -> None:
    """An option that takes some of many names."""
    parser.add_argument(
        flag, nargs="+", choices=choices, metavar="NAME", help=f"{about}: {', '.join(choices)}"
    )


def add_running_options(parser: argparse.ArgumentParser, default: str) -> None:
    parser.add_argument(
        "--csv", type=Path, metavar="FILE", help=f"where results are kept, {default}"
    )
    parser.add_argument(
        "--jobs", type=int, default=1, metavar="N", help="processes with one thread each; default 1"
    )
    parser.add_argument(
        "--minutes", type=float, help="end after this time; the same command computes the rest"
    )
    parser.add_argument("--resume", action="store_true", help=argparse.SUPPRESS)  # is the rule now
    parser.add_argument("--report", action="store_true", help="run nothing, show what the CSV has")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write the Markdown here as well")


def check_running_options(parser: argparse.ArgumentParser, chosen: argparse.Namespace) -> None:
    """Refuse to replace a CSV whose journal is missing."""
    if chosen.jobs < 1:
        parser.error("--jobs must be positive")
    csv = chosen.csv
    if csv and csv.exists() and not chosen.report and not (csv.with_suffix("") / JOURNAL).exists():
        parser.error(
            f"{csv} exists, but {csv.with_suffix('') / JOURNAL} does not: name another by --csv"
        )


# ---- runs ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Experiment:
    """A grid that is no study: cells take their seeds from their own fields."""

    name: str
    compute: Compute
    paired_by: Sequence[str] = ()


class OutOfTimeError(Exception):
    """The time of a run is over."""


def run(
    experiment: Experiment,
    cells: Sequence[Cell],
    csv: Path | None,
    n_jobs: int,
    redone: Callable[[Cell], bool] = lambda cell: False,
    minutes: float | None = None,
) -> tuple[pd.DataFrame, list[Failure]]:
    """Compute the cells that are missing or to be redone, and write the CSV.

    Returns all results of the journal, those of other cells included, and the failures; these are
    not known of a run that ended because its minutes were over.
    """
    end = None if minutes is None else monotonic() + 60 * minutes
    failures: list[Failure] = []
    with journal_folder(csv) as folder, Journal(folder, experiment.name).opened() as journal:
        for key in [key for key, entry in journal.entries.items() if redone(entry.cell)]:
            del journal.entries[key]
        listener = progress(experiment.name, end)
        with suppress(OutOfTimeError):
            failures = run_cells(experiment, cells, journal, n_jobs, listener)
        lines = frame_of(journal.entries.values())
    if csv is not None:
        disk.replace(csv, lines.to_csv(index=False, lineterminator="\n").encode())
    for failure in failures:
        log(f"failed: {failure}")
    return lines, failures


def frame_of(entries: Any) -> pd.DataFrame:
    ordered: list[Entry] = sorted(entries, key=lambda one: [str(v) for v in one.cell.values()])
    return results_frame(ordered).drop(columns="seed")


@contextmanager
def journal_folder(csv: Path | None) -> Iterator[Path]:
    """The folder beside the CSV, or a temporary one."""
    if csv is not None:
        yield csv.with_suffix("")
        return
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


def progress(name: str, end: float | None = None) -> Callable[[Progress], None]:
    """A listener that logs a line now and then, and ends the run at a time of `monotonic`."""
    logged = monotonic()

    def show(state: Progress) -> None:
        nonlocal logged
        if monotonic() - logged >= LINE_SECONDS:
            logged = monotonic()
            left = "" if state.seconds_left is None else f", {state.seconds_left / 60:.0f} min left"
            log(f"{name}: {state.done}/{state.total} cells{left}")
        if end is not None and monotonic() > end:
            log(f"{name}: out of time at {state.done}/{state.total} cells")
            raise OutOfTimeError

    return show


def read(csv: Path | None) -> pd.DataFrame | None:
    """The results of an earlier run; None if there are none."""
    return pd.read_csv(csv) if csv is not None and csv.exists() else None


def available(names: Sequence[str]) -> list[str]:
    """The sets that are on this machine or can be downloaded; the others are logged."""
    reasons = {name: why_unavailable(name, download=True) for name in names}
    for name, reason in reasons.items():
        if reason:
            log(f"{name} is left out: {reason}")
    return [name for name in names if not reasons[name]]
