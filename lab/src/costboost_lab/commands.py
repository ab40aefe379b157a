"""The commands that costboost-lab adds: ``study``, ``datasets`` and ``audit``."""

from __future__ import annotations

from collections import Counter
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from costboost.app.cli import options, progress, terminal
from costboost.app.cli.options import completions, flag, option, short_name
from costboost.app.cli.output_files import open_output
from costboost.app.reading.errors import InputError, unknown
from costboost_lab import studies

if TYPE_CHECKING:
    from costboost_lab.studies.running import Judged, StudyRun

# ---- names, for which nothing large is imported --------------------------------------------------


def data_set_names() -> list[str]:
    """The names of `costboost_lab.datasets.available`, which would import NumPy."""
    folder = files("costboost_lab").joinpath("datasets", "sets")
    return sorted(one.name.removesuffix(".toml") for one in folder.iterdir() if one.is_file())


def study_names() -> list[str]:
    """The names of the studies, none of which is loaded."""
    return list(studies.MODULES)


def complete_data_set(given: str) -> list[str]:
    """Data sets whose names begin with a text."""
    return completions(given, data_set_names())


def complete_study(given: str) -> list[str]:
    """Studies whose names begin with a text."""
    return completions(given, study_names())


# ---- data sets -----------------------------------------------------------------------------------


def datasets(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[NAME]",
            help="One of them, in detail.",
            autocompletion=complete_data_set,
        ),
    ] = None,
    out: Annotated[
        str | None, option("FILE", "Write it as CSV, costs of rows included.", "--out", "-o")
    ] = None,
    local: Annotated[bool, flag("Only those that need no network.", "--local")] = False,
    json: options.Json = False,
) -> None:
    """List the data sets of the papers, describe one, or write it to a file."""
    if name is not None and name not in data_set_names():
        raise unknown("data set", name, data_set_names())
    if name is not None:
        _show_data_set(name, out, json)
    elif out is not None:
        raise InputError("name the data set: costboost datasets NAME --out FILE")
    else:
        _list_data_sets(local, json)


WIDE = 100
"""Columns of the terminal from which the table has the titles of data sets."""
HEAD = ["data set", "what it is", "rows", "features", "classes", "costs", "here"]


def _list_data_sets(local: bool, as_json: bool) -> None:
    facts = _data_sets(local)
    if as_json:
        terminal.write_json(facts)
        return
    yes = {True: "yes", False: "no"}
    rows = [
        [name, title, f"{n:,}", n_features, n_classes, yes[costs], yes[here]]
        for name, title, n, n_features, n_classes, costs, here in (one.values() for one in facts)
    ]
    if terminal.width() >= WIDE:
        terminal.table(HEAD, rows, numbers=5, wraps=1)
    else:
        terminal.table([HEAD[0], *HEAD[2:]], [[row[0], *row[2:]] for row in rows], numbers=5)
    terminal.write()
    terminal.write(
        "What one is: costboost datasets NAME. As a file: costboost datasets NAME --out FILE."
    )


def _data_sets(local: bool) -> list[dict[str, Any]]:
    from costboost_lab import datasets

    here = set(datasets.available(local=True))
    listed = [name for name in datasets.available() if name in here or not local]
    return [
        {
            "name": name,
            "title": one.title,
            "rows": one.rows,
            "features": len(one.columns),
            "classes": len(one.classes),
            "costs": bool(one.costs),
            "here": name in here,
        }
        for name, one in ((name, datasets.record(name)) for name in listed)
    ]


def _show_data_set(name: str, out: str | None, as_json: bool) -> None:
    """Print the description of a data set, or write it as CSV."""
    from costboost_lab import datasets

    if out is not None:
        _write_data_set(name, out)
    elif as_json:
        record = datasets.record(name)
        facts = {key: getattr(record, key) for key in ("title", "about", "rows", "citation")}
        terminal.write_json({"name": name, **facts, "classes": dict(record.classes)})
    else:
        terminal.write(datasets.records.describe(datasets.record(name)))


def _write_data_set(name: str, out: str) -> None:
    import numpy as np

    from costboost._core.costs.record import OUTCOMES
    from costboost._core.names import MISTAKES
    from costboost_lab import datasets

    try:
        data = datasets.load(name)
    except FileNotFoundError as error:
        raise InputError(str(error)) from error
    frame = data.X.assign(target=data.y)
    two = data.costs is not None and data.costs.form == OUTCOMES
    costs = dict(zip(MISTAKES, data.costs.net, strict=True)) if two else {}
    frame = frame.assign(**{key: cost for key, cost in costs.items() if np.ndim(cost)})
    with open_output(out) as write:
        write(frame.to_csv(index=False).encode())
    positive = "" if data.pos_label is None else f", positive: {data.pos_label}"
    terminal.info(f"{len(frame):,} rows: {out} (classes in 'target'{positive})")
    if costs:
        given = (f"--{k[:2]}-cost {k if np.ndim(c) else format(c, 'g')}" for k, c in costs.items())
        terminal.note(f"what mistakes cost: {' '.join(given)}")
    if data.leaks:
        terminal.note(f"columns that reveal the outcome: --drop {','.join(data.leaks)}")


# ---- studies: experiments of the papers and the verdicts on their claims -------------------------

FAILED = 1
"""Exit code if a cell of a study has failed."""
SHOWN_FAILURES = 10
OUT = "studies"


def study(
    name: Annotated[
        str | None,
        typer.Argument(metavar="[NAME]", help="The study to run.", autocompletion=complete_study),
    ] = None,
    quick: Annotated[
        bool, flag("A miniature that takes less than a minute and needs no download.", "--quick")
    ] = False,
    out: Annotated[str, option("DIR", "Folder of the results.", "--out", "-o")] = OUT,
    jobs: Annotated[
        int | None, option("N", "Processes. Default: one for each core.", "--jobs")
    ] = None,
    scheduler: Annotated[
        str | None,
        option("ADDRESS", "Compute on the Dask cluster of the scheduler at this address."),
    ] = None,
    workers: Annotated[
        int | None, option("N", "Compute on a Dask cluster of N processes on this machine.")
    ] = None,
    repeats: Annotated[int | None, option("N", "Repeats. Default: those of the paper.")] = None,
    data: Annotated[
        list[str] | None,
        option(
            "NAME",
            "A data set to run on. May be repeated. Default: all of the study.",
            autocompletion=complete_data_set,
        ),
    ] = None,
    learner: Annotated[
        str | None, option("NAME", "The base learner. Default: that of the paper.")
    ] = None,
    folder: Annotated[
        str | None, option("DIR", "Data of your own, for a study that takes them.")
    ] = None,
    fresh: Annotated[bool, flag("Forget what earlier runs have computed.", "--fresh")] = False,
    claims: Annotated[
        bool, flag("List the claims of the papers with the verdicts on them.", "--claims")
    ] = False,
    json: options.Json = False,
) -> None:
    """Run an experiment of the papers and judge their claims by it; without a name, list them.

    A run that was interrupted goes on where it ended when the command is repeated.
    """
    if claims:
        _list_claims(name, Path(out), json)
    elif name is None:
        _list_studies(json)
    else:
        chosen = {
            "quick": quick,
            "out": out,
            "repeats": repeats,
            "data": data,
            "learner": learner,
            "folder": folder,
            "n_jobs": jobs,
            "scheduler": scheduler,
            "workers": workers,
            "fresh": fresh,
        }
        _run_study(_known_study(name), chosen, json)


def _known_study(name: str) -> str:
    if name not in study_names():
        raise unknown("study", name, study_names())
    return name


# ---- running a study -----------------------------------------------------------------------------


def _run_study(name: str, chosen: dict[str, Any], as_json: bool) -> None:
    from costboost_lab.studies.runner import Progress
    from costboost_lab.studies.running import description

    try:
        with progress.count_bar(name, "cells") as update:

            def show(state: Progress) -> None:
                update(state.done + state.failed, state.total, state.seconds_left)

            done = studies.run(name, on_progress=show, on_note=terminal.note, **chosen)
    except KeyboardInterrupt:
        terminal.note("repeat the command to go on where this run was interrupted")
        raise
    if as_json:
        terminal.write_json(description(done))
    else:
        _show_study(done)
    terminal.info(f"page: {done.folder / f'{name}.html'}")
    if done.failures:
        for one in done.failures[:SHOWN_FAILURES]:
            terminal.warning(str(one))
        terminal.error(
            f"{terminal.plural(len(done.failures), 'cell')} failed; the next run computes them "
            "again"
        )
        raise typer.Exit(FAILED)


def _show_study(done: StudyRun) -> None:
    from costboost_lab.studies import page

    terminal.heading(done.study.title)
    if done.options.quick:
        terminal.write(page.QUICK)
    terminal.write(page.summary(done.verdicts.values()))
    if not done.claims:
        return
    terminal.write()
    mark = " (quick run)" if done.options.quick else ""
    rows = [
        [claim.name, f"{verdict.outcome}{mark}", claim.statement]
        for claim, verdict in ((one, done.verdicts[one.name]) for one in done.claims)
    ]
    terminal.table(["claim", "verdict", "statement"], rows, wraps=2)


# ---- lists of studies and claims -----------------------------------------------------------------


def _list_studies(as_json: bool) -> None:
    found = [studies.find_study(name) for name in study_names()]
    if as_json:
        terminal.write_json(
            [
                {"name": one.name, "title": one.title, "question": one.question}
                | {"citation": one.citation, "data": list(one.data)}
                for one in found
            ]
        )
        return
    terminal.table(["study", "what it is"], [[one.name, one.title] for one in found], wraps=1)
    terminal.write()
    terminal.write(
        "Run one: costboost study NAME --quick, or without --quick in full. What the papers claim: "
        "costboost study --claims."
    )


def _list_claims(name: str | None, out: Path, as_json: bool) -> None:
    from costboost_lab.studies.running import judged_claims

    found = judged_claims(out)
    if name is not None:
        found = [one for one in found if one.claim.study == _known_study(name)]
    if as_json:
        terminal.write_json([_claim_facts(one) for one in found])
        return
    if not found:
        raise InputError("no claims are listed")
    rows = [[one.claim.name, one.claim.paper, one.outcome, one.claim.statement] for one in found]
    terminal.table(["claim", "paper", "verdict", "statement"], rows, wraps=3)
    terminal.write()
    for line in _sources(found):
        terminal.write(line)


def _claim_facts(one: Judged) -> dict[str, Any]:
    from costboost_lab.studies.running import kept_verdict

    claim = one.claim
    values = ("name", "paper", "place", "kind", "statement", "study", "why_not")
    return {
        **{name: getattr(claim, name) for name in values},
        "verdict": None if one.verdict is None else kept_verdict(one.verdict),
        "outcome": one.outcome,
        "source": one.source,
        "quick": one.quick,
    }


def _sources(found: list[Judged]) -> list[str]:
    """How many claims have which outcome, and where the verdicts come from."""
    outcomes = Counter(one.outcome for one in found)
    sources = Counter(one.source for one in found if one.verdict is not None)
    counted = ", ".join(f"{n} {outcome}" for outcome, n in outcomes.most_common())
    return [
        f"{terminal.plural(len(found), 'claim')}: {counted}.",
        *(f"{terminal.plural(n, 'verdict')} from {source}." for source, n in sources.most_common()),
        "The evidence for each: --json, or the pages of the studies.",
    ]


# ---- audit: properties of the algorithms, computed from their rules ------------------------------


def audit(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[NAME]",
            help="One algorithm, with the evidence.",
            autocompletion=options.complete_algorithm,
        ),
    ] = None,
    json: options.Json = False,
) -> None:
    """Compute from their rules which algorithms have the properties of Nikolaou's Table 4.

    FGD-consistent: weights and steps descend one loss. Cost-consistent: decides for least expected
    cost. Asymmetry-preserving: the costlier class never counts less.
    """
    if name is None:
        _audit_all(json)
    else:
        _audit_one(short_name(name), json)


def _audit_all(as_json: bool) -> None:
    from costboost_lab import theory

    with progress.spinner("auditing"):
        audits = theory.table()
    if as_json:
        terminal.write_json(audits.rows())
        return
    terminal.write(str(audits))
    terminal.write()
    terminal.write("The evidence: costboost audit NAME.")


def _audit_one(name: str, as_json: bool) -> None:
    from costboost.algorithms import REGISTRY
    from costboost_lab import theory

    if REGISTRY[name].several:
        raise InputError(f"{name} is for any number of classes; the properties are those of two")
    with progress.spinner(f"auditing {name}"):
        found = theory.audit(REGISTRY[name].cls)
    if as_json:
        evidence = {key: finding.because for key, finding in found.evidence.items()}
        properties = dict(zip(found.evidence, found.verdicts, strict=True))
        terminal.write_json({"name": name, **properties, "evidence": evidence})
        return
    terminal.write(str(found))
