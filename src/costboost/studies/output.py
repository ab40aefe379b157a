"""Files of a finished run besides its results: page, tables, figures, verdicts."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from costboost.files import disk
from costboost.studies import drawing, page
from costboost.studies.catalogue import find_study
from costboost.studies.claims import Verdict
from costboost.studies.results import read_results
from costboost.studies.runner import Failure
from costboost.studies.study import Options, Study

if TYPE_CHECKING:
    from costboost.studies.running import StudyRun

RUN = "run.json"
"""File with the options of a run, its notes, and its verdicts."""
KEPT = ("command", "notes", "n_jobs", "n_cells", "seconds", "machine", "date")


def write(run: StudyRun) -> list[Path]:
    """Write the files of a run."""
    paths = []
    for path, data in _files(run):
        path.parent.mkdir(parents=True, exist_ok=True)
        disk.replace(path, data)
        paths.append(path)
    return paths


def _files(run: StudyRun) -> Iterator[tuple[Path, bytes]]:
    folder = run.folder
    yield folder / RUN, (json.dumps(description(run), indent=1) + "\n").encode()
    for k, table in enumerate(run.tables, 1):
        name = f"{k}-{file_name(table.title)}.csv"
        yield folder / "tables" / name, table.frame.to_csv(lineterminator="\n").encode()
    for k, figure in enumerate(run.figures, 1):
        name = f"{k}-{file_name(figure.title)}.svg"
        yield folder / "figures" / name, drawing.svg(figure).encode()
    yield folder / f"{run.study.name}.html", page.html(run).encode()


def file_name(title: str) -> str:
    """A title as the name of a file: lower-case letters, digits and hyphens."""
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")[:60]


def description(run: StudyRun) -> dict[str, Any]:
    """Options, notes, failures and verdicts of a run, for JSON."""
    folder = run.options.folder
    return {
        "study": run.study.name,
        "options": asdict(run.options) | {"folder": None if folder is None else str(folder)},
        **{name: getattr(run, name) for name in KEPT},
        "failures": [asdict(one) for one in run.failures],
        "verdicts": {name: kept_verdict(verdict) for name, verdict in run.verdicts.items()},
    }


# ---- reading -------------------------------------------------------------------------------------


def load_run(folder: Path, study: Study | None = None) -> StudyRun:
    """The run whose files are in a folder; nothing is computed but tables, figures and verdicts.

    A FileNotFoundError if there are no results.
    """
    from costboost.studies.running import StudyRun

    kept: Mapping[str, Any] = json.loads((folder / RUN).read_text("utf-8"))
    options = dict(kept["options"])
    if options["folder"] is not None:
        options["folder"] = Path(options["folder"])
    return StudyRun(
        study=study or find_study(kept["study"]),
        options=Options(**options),
        frame=read_results(folder),
        folder=folder,
        failures=[Failure(**one) for one in kept["failures"]],
        **{name: kept[name] for name in KEPT},
    )


def verdict_of(kept: Mapping[str, Any]) -> Verdict:
    """A verdict from its JSON."""
    interval = kept["interval"]
    return Verdict(**{**kept, "interval": None if interval is None else tuple(interval)})


def kept_verdict(verdict: Verdict) -> dict[str, Any]:
    """A verdict for JSON, which has no NaN."""
    numbers = {"difference": verdict.difference, "interval": verdict.interval}
    for name, value in numbers.items():
        if value is not None and not np.isfinite(value).all():
            numbers[name] = None
    return {**asdict(verdict), **numbers}
