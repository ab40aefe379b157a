"""The results of a study as one HTML page that needs no network."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from costboost.report import markup
from costboost.report.markup import escape, facts, plural, section
from costboost.studies import drawing, texts
from costboost.studies.claims import Claim, Verdict
from costboost.studies.runner import Failure
from costboost.studies.study import Figure, Table

if TYPE_CHECKING:
    from costboost.studies.running import StudyRun

CSS = Path(__file__).with_name("page.css")
PAPER = "(paper)"
"""End of the name of a column with figures of the paper."""
MOST_FAILURES = 50
"""Number of failed cells that are listed."""
EXPLANATION = (
    "Intervals are 95% percentile bootstrap intervals over the units that each verdict names. A "
    "claim that one thing is better than another is reproduced if the interval of the difference "
    "lies on the claimed side of 0; a number of the paper, if it lies in the interval of the mean "
    "or within the stated tolerance."
)


def html(run: StudyRun) -> str:
    """The page of a study."""
    study = run.study
    body = [
        _header(run),
        section("verdicts", "Verdicts", _verdicts(run)) if run.claims else "",
        section("protocol", "What was done", _list("ol", study.protocol)),
        section("departures", "Where it departs from the paper", _departures(run)),
        section("tables", "Tables", _stacked(map(_table, run.tables))) if run.tables else "",
        section("figures", "Figures", _figures(run.figures)) if run.figures else "",
        section("missing", "What is missing", _missing(run)) if run.failures or run.notes else "",
        section("origin", "How these results were computed", _origin(run)),
        markup.footer(escape(EXPLANATION)),
    ]
    return markup.whole(study.title, "".join(body), False, more_css=CSS.read_text("utf-8"))


def _header(run: StudyRun) -> str:
    warnings = [texts.QUICK] if run.options.quick else []
    if run.failures:
        warnings.append(f"{plural(len(run.failures), 'cell')} failed; see below.")
    aside = f'<aside class="cautions">{_list("ul", warnings)}</aside>' if warnings else ""
    study = run.study
    return (
        f'<header><h1>{escape(study.title)}</h1><p class="lead">{escape(study.question)}</p>{aside}'
        f"<p>{escape(texts.summary(run.verdicts.values()))}</p>"
        f'<p class="soft">{escape(study.citation)}</p></header>'
    )


def _list(kind: str, items: Iterable[str]) -> str:
    return f"<{kind}>{''.join(f'<li>{escape(item)}</li>' for item in items)}</{kind}>"


def _stacked(parts: Iterable[str]) -> str:
    return f'<div class="stacked">{"".join(parts)}</div>'


# ---- verdicts ------------------------------------------------------------------------------------


def _verdicts(run: StudyRun) -> str:
    found = texts.counts(run.verdicts.values())
    numbers = "".join(
        f'<li class="{_look(outcome)}"><b>{n}</b>{outcome}</li>' for outcome, n in found.items()
    )
    mark = " (quick run)" if run.options.quick else ""
    each = "".join(_verdict(claim, run.verdicts[claim.name], mark) for claim in run.claims)
    return f'<ul class="counts">{numbers}</ul><div class="verdicts">{each}</div>'


def _look(outcome: str) -> str:
    return outcome.replace(" ", "-")


def _verdict(claim: Claim, verdict: Verdict, mark: str) -> str:
    evidence = {
        "measured": verdict.measured,
        "by how much": texts.by_how_much(verdict),
        texts.reason_label(verdict): verdict.reason,
    }
    return (
        f'<article class="card verdict" id="{escape(claim.name)}"><h3>'
        f'<span class="outcome {_look(verdict.outcome)}">{verdict.outcome}{mark}</span>'
        f'{escape(claim.name)} <span class="soft">{escape(claim.paper)}, {escape(claim.place)}; '
        f"{claim.kind}</span></h3><p>{escape(claim.statement)}</p>"
        f"{facts({name: text for name, text in evidence.items() if text})}</article>"
    )


# ---- tables and figures --------------------------------------------------------------------------


def _table(table: Table) -> str:
    head, rows = texts.table_cells(table)
    papers = [name.endswith(PAPER) for name in head]
    lines = [
        f'<tr><th scope="row">{escape(first)}</th>'
        + "".join(
            f'<td class="paper">{escape(text)}</td>' if paper else f"<td>{escape(text)}</td>"
            for text, paper in zip(rest, papers[1:], strict=True)
        )
        + "</tr>"
        for first, *rest in rows
    ]
    return markup.table(table.title, table.note, head[1:], lines, head[0])


def _figures(figures: Iterable[Figure]) -> str:
    return _stacked(
        markup.figure(
            one.title,
            f'<div class="drawn" role="region" tabindex="0" aria-label="{escape(one.title)}">'
            f"{drawing.inline_svg(drawing.svg(one), f'figure-{k}', escape(one.title))}</div>",
            (),
            escape(one.note),
        )
        for k, one in enumerate(figures, 1)
    )


# ---- origin --------------------------------------------------------------------------------------


def _departures(run: StudyRun) -> str:
    if not run.study.departures:
        return "<p>Nowhere that we are aware of.</p>"
    items = (
        f"<li><strong>{escape(one.what)}</strong> {escape(one.why)}</li>"
        for one in run.study.departures
    )
    return f"<ul>{''.join(items)}</ul>"


def _missing(run: StudyRun) -> str:
    failed = ""
    if run.failures:
        failed = (
            f"<h3>{plural(len(run.failures), 'failed cell')}</h3><p>They are computed again when "
            f"the command is repeated.</p>{_list('ul', _first(run.failures))}"
        )
    return (_list("ul", run.notes) if run.notes else "") + failed


def _first(failures: Sequence[Failure]) -> list[str]:
    """The first failures as text, and the number of the others."""
    shown = [str(one) for one in failures[:MOST_FAILURES]]
    more = len(failures) - len(shown)
    return [*shown, f"and {plural(more, 'other')}"] if more else shown


def _origin(run: StudyRun) -> str:
    command = f"<p><code>{escape(run.command)}</code></p>"
    return f'<div class="card">{command}{facts(origin(run))}</div>'


def origin(run: StudyRun) -> dict[str, str]:
    """How the results came about, by name."""
    found = {
        "cells": f"{run.n_cells:,}, {texts.duration(run.seconds)} of computing in all",
        "processes": f"{run.n_jobs}, with one thread each",
        "machine": texts.machine_text(run.machine),
        "versions": "; ".join(sorted(set(run.frame["versions"]))),
        "finished": run.date,
    }
    if run.options.data:
        found = {"data sets": ", ".join(run.options.data), **found}
    return found
