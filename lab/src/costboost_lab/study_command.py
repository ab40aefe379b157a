"""``costboost study``: experiments of the papers, and the verdicts on their claims."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import typer

from costboost.app.cli import progress, terminal
from costboost.app.cli.given import Given
from costboost.app.reading.errors import InputError
from costboost_lab import studies
from costboost_lab.studies import page
from costboost_lab.studies.runner import Progress
from costboost_lab.studies.running import (
    Judged,
    StudyRun,
    description,
    judged_claims,
    kept_verdict,
)

FAILED = 1
"""Exit code if a cell of a study has failed."""
SHOWN_FAILURES = 10
CHOICES = ("quick", "out", "repeats", "learner", "folder", "scheduler", "workers", "fresh")
"""Options that are parameters of `costboost.studies.run`, too."""


def run(given: Given) -> None:
    if given.claims:
        _list_claims(given.name, Path(given.out), given.json)
    elif given.name is None:
        _list_studies(given.json)
    else:
        _run_study(given)


def _run_study(given: Given) -> None:
    name, chosen = given.name, {key: given[key] for key in CHOICES}
    chosen |= {"data": given.data or None, "n_jobs": given.jobs}
    try:
        with progress.count_bar(name, "cells") as update:

            def show(state: Progress) -> None:
                update(state.done + state.failed, state.total, state.seconds_left)

            done = studies.run(name, on_progress=show, on_note=terminal.note, **chosen)
    except KeyboardInterrupt:
        terminal.note("repeat the command to go on where this run was interrupted")
        raise
    if given.json:
        terminal.write_json(description(done))
    else:
        _show_study(done)
    terminal.info(f"page: {done.folder / f'{name}.html'}")
    if done.failures:
        for failure in done.failures[:SHOWN_FAILURES]:
            terminal.warning(str(failure))
        terminal.error(
            f"{terminal.plural(len(done.failures), 'cell')} failed; the next run computes them "
            "again"
        )
        raise typer.Exit(FAILED)


def _show_study(done: StudyRun) -> None:
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
        for claim, verdict in ((claim, done.verdicts[claim.name]) for claim in done.claims)
    ]
    terminal.table(["claim", "verdict", "statement"], rows, wraps=2)


# ---- lists of studies and claims -----------------------------------------------------------------


def _list_studies(as_json: bool) -> None:
    listed = [studies.find_study(name) for name in studies.MODULES]
    if as_json:
        terminal.write_json(
            [
                {"name": study.name, "title": study.title, "question": study.question}
                | {"citation": study.citation, "data": list(study.data)}
                for study in listed
            ]
        )
        return
    terminal.table(
        ["study", "what it is"], [[study.name, study.title] for study in listed], wraps=1
    )
    terminal.write()
    terminal.write(
        "Run one: costboost study NAME --quick, or without --quick in full. What the papers claim: "
        "costboost study --claims."
    )


def _list_claims(name: str | None, out: Path, as_json: bool) -> None:
    judged = judged_claims(out)
    if name is not None:
        judged = [each for each in judged if each.claim.study == name]
    if as_json:
        terminal.write_json([_claim_facts(each) for each in judged])
        return
    if not judged:
        raise InputError("no claims are listed")
    rows = [
        [each.claim.name, each.claim.paper, each.outcome, each.claim.statement] for each in judged
    ]
    terminal.table(["claim", "paper", "verdict", "statement"], rows, wraps=3)
    terminal.write()
    for line in _sources(judged):
        terminal.write(line)


def _claim_facts(judged: Judged) -> dict[str, Any]:
    claim = judged.claim
    values = ("name", "paper", "place", "kind", "statement", "study", "why_not")
    return {
        **{name: getattr(claim, name) for name in values},
        "verdict": None if judged.verdict is None else kept_verdict(judged.verdict),
        "outcome": judged.outcome,
        "source": judged.source,
        "quick": judged.quick,
    }


def _sources(judged: list[Judged]) -> list[str]:
    """How many claims have which outcome, and where the verdicts come from."""
    outcomes = Counter(each.outcome for each in judged)
    sources = Counter(each.source for each in judged if each.verdict is not None)
    counted = ", ".join(f"{n} {outcome}" for outcome, n in outcomes.most_common())
    return [
        f"{terminal.plural(len(judged), 'claim')}: {counted}.",
        *(f"{terminal.plural(n, 'verdict')} from {source}." for source, n in sources.most_common()),
        "The evidence for each: --json, or the pages of the studies.",
    ]
