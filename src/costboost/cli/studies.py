"""``study``: runs the experiments of the papers, and lists their claims."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from costboost.cli import console, options, values
from costboost.reading.errors import InputError, unknown
from costboost.studies.study import find_study

if TYPE_CHECKING:
    from costboost.studies.running import Judged, StudyRun

FAILED = 1
SHOWN_FAILURES = 10
OUT = "studies"


def study(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="[NAME]", help="The study to run.", autocompletion=values.complete_study
        ),
    ] = None,
    quick: Annotated[
        bool,
        typer.Option(
            "--quick",
            metavar=options.FLAG,
            help="A miniature that takes less than a minute and needs no download.",
        ),
    ] = False,
    out: Annotated[
        str, typer.Option("--out", "-o", metavar="DIR", help="Folder of the results.")
    ] = OUT,
    jobs: Annotated[
        int | None,
        typer.Option("--jobs", metavar="N", help="Processes. Default: one for each core."),
    ] = None,
    scheduler: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS", help="Compute on the Dask cluster of the scheduler at this address."
        ),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(metavar="N", help="Compute on a Dask cluster of N processes on this machine."),
    ] = None,
    repeats: Annotated[
        int | None, typer.Option(metavar="N", help="Repeats. Default: those of the paper.")
    ] = None,
    data: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="A data set to run on. May be repeated. Default: all of the study.",
            autocompletion=values.complete_data_set,
        ),
    ] = None,
    learner: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="The base learner. Default: that of the paper."),
    ] = None,
    folder: Annotated[
        str | None,
        typer.Option(metavar="DIR", help="Data of your own, for a study that takes them."),
    ] = None,
    fresh: Annotated[
        bool,
        typer.Option(
            "--fresh", metavar=options.FLAG, help="Forget what earlier runs have computed."
        ),
    ] = False,
    claims: Annotated[
        bool,
        typer.Option(
            "--claims",
            metavar=options.FLAG,
            help="List the claims of the papers with the verdicts on them.",
        ),
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
        _run(_known(name), chosen, json)


def _known(name: str) -> str:
    if name not in values.study_names():
        raise unknown("study", name, values.study_names())
    return name


# ---- running -------------------------------------------------------------------------------------


def _run(name: str, chosen: dict[str, Any], as_json: bool) -> None:
    from costboost import studies
    from costboost.studies.runner import Progress
    from costboost.studies.running import description

    try:
        with console.count_bar(name, "cells") as update:

            def show(state: Progress) -> None:
                update(state.done + state.failed, state.total, state.seconds_left)

            done = studies.run(name, on_progress=show, on_note=console.note, **chosen)
    except KeyboardInterrupt:
        console.note("repeat the command to go on where this run was interrupted")
        raise
    if as_json:
        console.write_json(description(done))
    else:
        _show(done)
    console.info(f"page: {done.folder / f'{name}.html'}")
    if done.failures:
        for one in done.failures[:SHOWN_FAILURES]:
            console.warning(str(one))
        console.error(
            f"{console.plural(len(done.failures), 'cell')} failed; the next run computes them again"
        )
        raise typer.Exit(FAILED)


def _show(done: StudyRun) -> None:
    from costboost.studies import page

    console.heading(done.study.title)
    if done.options.quick:
        console.write(page.QUICK)
    console.write(page.summary(done.verdicts.values()))
    if not done.claims:
        return
    console.write()
    mark = " (quick run)" if done.options.quick else ""
    rows = [
        [claim.name, f"{verdict.outcome}{mark}", claim.statement]
        for claim, verdict in ((one, done.verdicts[one.name]) for one in done.claims)
    ]
    console.table(["claim", "verdict", "statement"], rows, wraps=2)


# ---- lists ---------------------------------------------------------------------------------------


def _list_studies(as_json: bool) -> None:
    found = [find_study(name) for name in values.study_names()]
    if as_json:
        console.write_json(
            [
                {"name": one.name, "title": one.title, "question": one.question}
                | {"citation": one.citation, "data": list(one.data)}
                for one in found
            ]
        )
        return
    console.table(["study", "what it is"], [[one.name, one.title] for one in found], wraps=1)
    console.write()
    console.write(
        "Run one: costboost study NAME --quick, or without --quick in full. What the papers claim: "
        "costboost study --claims."
    )


def _list_claims(name: str | None, out: Path, as_json: bool) -> None:
    from costboost.studies.running import judged_claims

    found = judged_claims(out)
    if name is not None:
        found = [one for one in found if one.claim.study == _known(name)]
    if as_json:
        console.write_json([_claim_facts(one) for one in found])
        return
    if not found:
        raise InputError("no claims are listed")
    rows = [[one.claim.name, one.claim.paper, one.outcome, one.claim.statement] for one in found]
    console.table(["claim", "paper", "verdict", "statement"], rows, wraps=3)
    console.write()
    for line in _sources(found):
        console.write(line)


def _claim_facts(one: Judged) -> dict[str, Any]:
    from costboost.studies.running import kept_verdict

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
        f"{console.plural(len(found), 'claim')}: {counted}.",
        *(f"{console.plural(n, 'verdict')} from {source}." for source, n in sources.most_common()),
        "The evidence for each: --json, or the pages of the studies.",
    ]
