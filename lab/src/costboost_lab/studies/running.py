"""Runs a study from its data to its files, reads them again, and judges all claims by them."""

from __future__ import annotations

import json
import os
import platform
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from costboost._core import disk
from costboost._core.caching import cached_property
from costboost_lab.studies import (
    Claim,
    Figure,
    Frame,
    Options,
    Study,
    Table,
    Verdict,
    all_claims,
    find_study,
    page,
    runner,
)
from costboost_lab.studies.runner import (
    Failure,
    Journal,
    Listener,
    cluster,
    key_of,
    other_versions,
    read_results,
    results_frame,
    run_cells,
    write_results,
)
from costboost_lab.studies.statistics import unjudged


@dataclass(frozen=True)
class StudyRun:
    """Results of a study, and how they came about."""

    study: Study
    options: Options
    command: str
    """The command that repeats the run."""
    frame: Frame
    """A pandas frame with a row for every record, in the order of the grid."""
    folder: Path
    notes: Sequence[str]
    """Data sets that were left out, and cells that were computed with other versions."""
    failures: Sequence[Failure]
    """Cells that raised an error; the next run computes them again."""
    n_jobs: int
    n_cells: int
    seconds: float
    """Sum of the times of all cells."""
    machine: Mapping[str, Any]
    date: str
    """Day on which the last cell was finished."""
    paths: Sequence[Path] = ()
    """Files that were written."""

    @cached_property
    def tables(self) -> list[Table]:
        """Tables of the study, beside the paper's figures."""
        return [] if self.frame.empty else self.study.tables(self.frame)

    @cached_property
    def figures(self) -> list[Figure]:
        """Plots of the study."""
        return [] if self.frame.empty else self.study.figures(self.frame)

    @cached_property
    def claims(self) -> list[Claim]:
        """Claims that the study decides."""
        return claims_of(self.study.name)

    @cached_property
    def verdicts(self) -> dict[str, Verdict]:
        """Verdict for each claim, by the name of the claim."""
        return {claim.name: judge(claim, self.frame) for claim in self.claims}


def claims_of(name: str) -> list[Claim]:
    """Claims that the results of a study decide."""
    return [claim for claim in all_claims() if claim.study == name and claim.check is not None]


def judge(claim: Claim, frame: Frame) -> Verdict:
    """Verdict on a claim; a check that raises an error does not prevent the others."""
    if claim.check is None:
        return unjudged(claim.why_not)
    try:
        return claim.check(frame)
    except Exception as error:
        return unjudged(f"the check raised {type(error).__name__}: {error}")


def run(
    name: str | Study,
    *,
    out: str | os.PathLike[str],
    quick: bool = False,
    repeats: int | None = None,
    data: Sequence[str] | None = None,
    learner: str | None = None,
    folder: str | os.PathLike[str] | None = None,
    n_jobs: int | None = None,
    fresh: bool = False,
    download: bool = True,
    on_progress: Listener | None = None,
    on_note: Callable[[str], None] | None = None,
    executor: Executor | None = None,
    scheduler: str | None = None,
    workers: int | None = None,
) -> StudyRun:
    """Run a study, or complete a run that was interrupted.

    Parameters
    ----------
    name : str
        Name of the study, such as "sun2005".
    out : path
        Folder for the results of all studies; those of this study go to the folder of its name in
        it, those of ``quick`` to one with "-quick" appended. Cells that were finished there by an
        earlier run are not computed again.
    quick : bool, default=False
        Run a miniature of less than a minute that needs no download.
    repeats : int, optional
        Number of repeats. Default: that of the paper.
    data : sequence of str, optional
        Data sets to run on, of those of the study. Default: all that can be had.
    learner : str, optional
        Base learner, for studies that offer several. Default: that of the paper.
    folder : path, optional
        Folder with the user's own data, for studies that accept it.
    n_jobs : int, optional
        Number of worker processes. Default: one for each core. 1 computes in this process.
    fresh : bool, default=False
        Forget the cells of earlier runs.
    download : bool, default=True
        Whether data sets that are not on this machine may be downloaded.
    on_progress : callable, optional
        Called with a `costboost_lab.studies.runner.Progress` after every cell.
    on_note : callable, optional
        Called with each note as soon as it is known.
    executor : concurrent.futures.Executor, optional
        Computes the cells instead of processes on this machine.
    scheduler : str, optional
        Address of a Dask scheduler, such as "tcp://10.0.0.1:8786", whose workers compute the cells.
        They need costboost and the data sets.
    workers : int, optional
        Compute on a new Dask cluster of so many processes on this machine.

    Returns
    -------
    StudyRun
        With ``frame``, ``tables``, ``figures``, ``verdicts``, ``paths``, ``notes`` and
        ``failures``.
    """
    study = name if isinstance(name, Study) else find_study(name)
    options = Options(quick, repeats, (), learner, None if folder is None else Path(folder))
    check_options(study, options)
    names, notes = available_data(study, quick, data, download)
    options = replace(options, data=names)
    cells = study.cells(options)
    if not cells:
        raise ValueError(f"these options leave {study.name} without anything to compute")
    target = folder_of(Path(out), study.name, quick)
    for note in notes:
        _call(on_note, note)
    with (
        Journal(target, study.name, fresh).opened() as journal,
        _place(n_jobs, executor, scheduler, workers) as (executor, jobs),
    ):
        failures = run_cells(study, cells, journal, jobs, on_progress, executor)
        found = [journal.entries.get(key_of(cell)) for cell in cells]
        entries = [entry for entry in found if entry is not None]
        if others := other_versions(entries, runner.versions()):
            notes.append(OTHER_VERSIONS.format(" and with ".join(others)))
            _call(on_note, notes[-1])
        done = StudyRun(
            study=study,
            options=options,
            command=page.command(study.name, options, data or ()),
            frame=results_frame(entries),
            folder=target,
            notes=notes,
            failures=failures,
            n_jobs=jobs,
            n_cells=len(entries),
            seconds=sum(entry.seconds for entry in entries),
            machine=machine(),
            date=max((entry.finished for entry in entries), default="")[:10],
        )
        paths = [*write_results(target, entries), *write(done)]
        return replace(done, paths=paths)


def _place(
    n_jobs: int | None, executor: Executor | None, scheduler: str | None, workers: int | None
) -> AbstractContextManager[tuple[Executor | None, int]]:
    """Executor of the cells, None for processes on this machine, and how many run at a time."""
    if sum(one is not None for one in (n_jobs, executor, scheduler, workers)) > 1:
        raise ValueError("give only one of n_jobs (--jobs), executor, scheduler and workers")
    if scheduler is None and workers is None:
        return nullcontext((executor, n_processes(n_jobs)))
    return cluster(scheduler, workers)


OTHER_VERSIONS = (
    "some cells were computed with {}; the column 'versions' marks them, and --fresh computes all "
    "cells again"
)


def _call(listener: Callable[[str], None] | None, note: str) -> None:
    if listener is not None:
        listener(note)


def folder_of(out: Path, name: str, quick: bool) -> Path:
    """Folder of the results of a study."""
    return out / (f"{name}-quick" if quick else name)


def n_processes(n_jobs: int | None) -> int:
    """Number of worker processes; None and -1 stand for the number of cores."""
    if n_jobs is not None and n_jobs != -1:
        if n_jobs < 1:
            raise ValueError(f"the number of processes must be at least 1, got {n_jobs}")
        return n_jobs
    from joblib import cpu_count

    return int(cpu_count())


def machine() -> dict[str, Any]:
    """Number of cores, bytes of memory (None if unknown), and the system."""
    from joblib import cpu_count

    memory = None
    with suppress(AttributeError, OSError, ValueError):  # not on Windows
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    system = f"{platform.system()} {platform.machine()}"
    return {"cores": int(cpu_count()), "memory": memory, "system": system}


# ---- options and data ----------------------------------------------------------------------------


def check_options(study: Study, options: Options) -> None:
    """Raise a ValueError for an option that the study does not have."""
    if options.repeats is not None and options.repeats < 1:
        raise ValueError(f"the number of repeats must be at least 1, got {options.repeats}")
    if options.learner is not None and options.learner not in study.learners:
        offered = f"one of {', '.join(study.learners)}" if study.learners else "no choice"
        raise ValueError(f"{study.name} offers {offered} as learner, not {options.learner!r}")
    if options.folder is not None and not study.takes_folder:
        raise ValueError(f"{study.name} takes no folder of data")
    if options.folder is not None and not options.folder.is_dir():
        raise ValueError(f"there is no folder {options.folder}")


def available_data(
    study: Study, quick: bool, wanted: Sequence[str] | None, download: bool
) -> tuple[list[str], list[str]]:
    """Data sets to run on, and notes about those that cannot be had.

    A ValueError if a name is unknown to the study, or if none of several sets can be had.
    """
    known = [*study.data, *(name for name in study.quick_data if name not in study.data)]
    unknown = [name for name in wanted or () if name not in known]
    if unknown:
        listed = ", ".join(known) or "none: it draws its data"
        raise ValueError(f"{study.name} has no data set {unknown[0]!r}; it has {listed}")
    usual = study.quick_data if quick else study.data
    chosen = [name for name in known if name in wanted] if wanted else list(usual)
    reasons = {name: why_unavailable(name, download and not quick) for name in chosen}
    found = [name for name in chosen if not reasons[name]]
    if chosen and not found:
        raise ValueError(f"none of the data sets of {study.name} can be had: {reasons[chosen[0]]}")
    notes = [
        f"the data set {name} is left out: {reason}" for name, reason in reasons.items() if reason
    ]
    return found, notes


def why_unavailable(name: str, download: bool) -> str:
    """Why a data set cannot be had; empty if it can. A download goes to the cache."""
    from costboost_lab import datasets

    if name in datasets.available(local=True):
        return ""
    if not download:
        return "it is not on this machine"
    try:
        datasets.load(name)
    except (OSError, ValueError) as error:
        return str(error).splitlines()[0].removesuffix(" Ways to get it:")
    return ""


# ---- files of a finished run ---------------------------------------------------------------------

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
        yield folder / "figures" / name, page.svg(figure).encode()
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


# ---- claims with their verdicts ------------------------------------------------------------------

SHIPPED = Path(__file__).with_name("verdicts.json")
"""Verdicts of full runs, which come with the package: by study, versions, date and verdicts."""
NOT_CHECKED, NOT_RUN = "not checked", "not run yet"


@dataclass(frozen=True)
class Judged:
    """A claim with its verdict."""

    claim: Claim
    verdict: Verdict | None
    """None if the claim is not checked, or its study has not been run."""
    source: str
    """Where the verdict comes from, or why there is none."""
    quick: bool = False
    """Whether it is the verdict of a quick run, which is not that of the study."""

    @property
    def outcome(self) -> str:
        """Outcome in words, also for claims without a verdict."""
        if self.verdict is None:
            return NOT_RUN if self.claim.check is not None else NOT_CHECKED
        return f"{self.verdict.outcome} (quick run)" if self.quick else self.verdict.outcome


def judged_claims(out: Path | None = None) -> list[Judged]:
    """All claims, with verdicts from the results under ``out``, or else those of the package.

    Results of a quick run are used only if there are neither full results nor a verdict in the
    package.
    """
    shipped = read_shipped()
    claims = all_claims()
    names = {claim.study for claim in claims if claim.check is not None and claim.study}
    runs = {name: _runs(out, name) for name in names}
    return [_judged(claim, runs.get(claim.study or "", {}), shipped) for claim in claims]


def _runs(out: Path | None, name: str) -> dict[bool, StudyRun]:
    """Runs of a study whose results are under a folder, by whether they are quick."""
    if out is None:
        return {}
    folders = {quick: folder_of(out, name, quick) for quick in (False, True)}
    return {quick: load_run(path) for quick, path in folders.items() if (path / RUN).exists()}


def _judged(claim: Claim, runs: Mapping[bool, StudyRun], shipped: Mapping[str, Any]) -> Judged:
    if claim.check is None:
        return Judged(claim, None, claim.why_not)
    if False in runs:
        return _of_run(claim, runs[False])
    kept = shipped.get(claim.study or "")
    if kept is not None and claim.name in kept["verdicts"]:
        source = f"the package ({kept['versions']}; {kept['date']})"
        return Judged(claim, verdict_of(kept["verdicts"][claim.name]), source)
    if True in runs:
        return _of_run(claim, runs[True])
    return Judged(claim, None, f"costboost study {claim.study}")


def _of_run(claim: Claim, run: StudyRun) -> Judged:
    return Judged(claim, judge(claim, run.frame), f"the results in {run.folder}", run.options.quick)


# ---- verdicts of the package ---------------------------------------------------------------------


def read_shipped() -> dict[str, Any]:
    """Content of `SHIPPED`, by study; empty if the package has none."""
    if not SHIPPED.exists():
        return {}
    content: dict[str, Any] = json.loads(SHIPPED.read_text("utf-8"))
    return content


def shipped_text(runs: Iterable[StudyRun]) -> str:
    """Content of `SHIPPED` with the verdicts of full runs instead of those of the same studies."""
    content = read_shipped()
    for run in runs:
        if not run.options.quick:
            content[run.study.name] = {
                "versions": "; ".join(sorted(set(run.frame["versions"]))),
                "date": run.date,
                "command": run.command,
                "verdicts": {name: kept_verdict(one) for name, one in run.verdicts.items()},
            }
    return json.dumps(dict(sorted(content.items())), indent=1) + "\n"
