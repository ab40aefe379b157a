"""The results of a study in words, as figures, and as one HTML page that needs no network."""

from __future__ import annotations

import io
import re
import shlex
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from costboost.app.plots.drawing import pyplot
from costboost.app.report import markup
from costboost.app.report.markup import MINUS, escape, facts, plural, section
from costboost_lab.studies import (
    CANNOT_BE_JUDGED,
    NOT_REPRODUCED,
    REPRODUCED,
    Claim,
    Figure,
    Options,
    Table,
    Verdict,
)
from costboost_lab.studies.runner import Failure

if TYPE_CHECKING:
    from costboost_lab.studies.running import StudyRun

OUTCOMES = (REPRODUCED, NOT_REPRODUCED, CANNOT_BE_JUDGED)
QUICK = (
    "This is a quick run: a miniature that shows how the study works. Its verdicts are not those "
    "of the study."
)
NONE = "\N{EN DASH}"


def counts(verdicts: Iterable[Verdict]) -> dict[str, int]:
    """Number of verdicts of each outcome, in the order of `OUTCOMES`."""
    found = Counter[str](one.outcome for one in verdicts)
    return {outcome: found[outcome] for outcome in OUTCOMES}


def summary(verdicts: Iterable[Verdict]) -> str:
    """Sentence with the counts of the verdicts."""
    found = counts(verdicts)
    total = sum(found.values())
    if not total:
        return "No claim is decided by this study."
    good, bad, open_ = found.values()
    return (
        f"Of {plural(total, 'claim')}, {good} {'is' if good == 1 else 'are'} reproduced, {bad} "
        f"{'is' if bad == 1 else 'are'} not reproduced, and {open_} cannot be judged."
    )


def reason_label(verdict: Verdict) -> str:
    """What the reason of a verdict is: an explanation of ours, or why there is no judgement."""
    return "likely reason" if verdict.outcome == NOT_REPRODUCED else "why"


def significant(value: float) -> str:
    """A number with three significant digits and a sign."""
    text = f"{value:+.3g}" if value else "0"
    return text.replace("-", MINUS)


def by_how_much(verdict: Verdict) -> str:
    """The difference of a verdict with its interval; empty if there is none."""
    if verdict.difference is None:
        return ""
    text = significant(verdict.difference)
    if verdict.interval is None:
        return f"{text}, without an interval"
    low, high = map(significant, verdict.interval)
    return f"{text}, 95% interval {low} to {high}"


def command(name: str, options: Options, data: Sequence[str]) -> str:
    """The command that repeats a run; ``data`` are the names of data sets that were given."""
    words = ["costboost", "study", name]
    words += ["--quick"] if options.quick else []
    words += [word for one in data for word in ("--data", one)]
    words += ["--repeats", str(options.repeats)] if options.repeats else []
    words += ["--learner", options.learner] if options.learner else []
    words += ["--folder", str(options.folder)] if options.folder else []
    return shlex.join(words)


def duration(seconds: float) -> str:
    """A time in the units that suit it."""
    if seconds < 100:
        return f"{seconds:.3g} s"
    if seconds < 100 * 60:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"


def machine_text(machine: Mapping[str, Any]) -> str:
    """Size of a machine, such as "2 cores, 7.8 GB of memory (Linux x86_64)"."""
    parts = [plural(machine["cores"], "core")]
    if machine.get("memory"):
        parts.append(f"{machine['memory'] / 2**30:.1f} GB of memory")
    return f"{', '.join(parts)} ({machine['system']})"


# ---- tables --------------------------------------------------------------------------------------


def table_cells(table: Table) -> tuple[list[str], list[list[str]]]:
    """Head and rows of a table as text; the columns of the index come first."""
    frame = table.frame
    names = [str(name or "") for name in frame.index.names]
    head = [*names, *map(_joined, frame.columns)]
    rows = []
    for label, values in zip(frame.index, frame.itertuples(index=False, name=None), strict=True):
        labels = label if isinstance(label, tuple) else (label,)
        rows.append([*(_text(one, table.digits) for one in (*labels, *values))])
    return head, rows


def _joined(name: Any) -> str:
    return (
        " ".join(str(part) for part in name if part != "") if isinstance(name, tuple) else str(name)
    )


def _text(value: Any, digits: int) -> str:
    """A value of a table; floats have a fixed number of decimals."""
    if value is None or value != value:
        return NONE
    if isinstance(value, float) or getattr(getattr(value, "dtype", None), "kind", "") == "f":
        return f"{value:,.{digits}f}".replace("-", MINUS)
    return str(value)


# ---- figures -------------------------------------------------------------------------------------

STYLE = {"svg.hashsalt": "costboost", "svg.fonttype": "path", "font.size": 9.5}
RESOLUTION = 150
IDENTIFIER = re.compile(r'(\bid="|href="#|url\(#)')


def svg(figure: Figure) -> str:
    """A figure as an SVG document."""
    return _drawn(figure, format="svg", metadata={"Date": None, "Creator": None}).decode()


def png(figure: Figure) -> bytes:
    """A figure as a PNG file."""
    return _drawn(figure, format="png", dpi=RESOLUTION, metadata={"Software": None})


def _drawn(figure: Figure, **options: Any) -> bytes:
    plt = pyplot()
    from matplotlib.figure import Figure as Canvas  # without a window or pyplot's list of figures

    buffer = io.BytesIO()
    with plt.rc_context(STYLE):
        canvas = Canvas(figsize=figure.size, layout="constrained")
        figure.draw(canvas)
        canvas.savefig(buffer, **options)
    return buffer.getvalue()


def inline_svg(document: str, prefix: str, label: str) -> str:
    """The element of an SVG document, with identifiers that are unique in an HTML page."""
    element = document[document.index("<svg") :]
    element = IDENTIFIER.sub(rf"\g<1>{prefix}-", element)
    element = re.sub(r"<metadata>.*?</metadata>", "", element, flags=re.DOTALL)
    return element.replace("<svg", f'<svg role="img" aria-label="{label}"', 1).strip()


# ---- the page ------------------------------------------------------------------------------------

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
    warnings = [QUICK] if run.options.quick else []
    if run.failures:
        warnings.append(f"{plural(len(run.failures), 'cell')} failed; see below.")
    aside = f'<aside class="cautions">{_list("ul", warnings)}</aside>' if warnings else ""
    study = run.study
    return (
        f'<header><h1>{escape(study.title)}</h1><p class="lead">{escape(study.question)}</p>{aside}'
        f"<p>{escape(summary(run.verdicts.values()))}</p>"
        f'<p class="soft">{escape(study.citation)}</p></header>'
    )


def _list(kind: str, items: Iterable[str]) -> str:
    return f"<{kind}>{''.join(f'<li>{escape(item)}</li>' for item in items)}</{kind}>"


def _stacked(parts: Iterable[str]) -> str:
    return f'<div class="stacked">{"".join(parts)}</div>'


# ---- verdicts ------------------------------------------------------------------------------------


def _verdicts(run: StudyRun) -> str:
    found = counts(run.verdicts.values())
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
        "by how much": by_how_much(verdict),
        reason_label(verdict): verdict.reason,
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
    head, rows = table_cells(table)
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
            f"{inline_svg(svg(one), f'figure-{k}', escape(one.title))}</div>",
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
        "cells": f"{run.n_cells:,}, {duration(run.seconds)} of computing in all",
        "processes": f"{run.n_jobs}, with one thread each",
        "machine": machine_text(run.machine),
        "versions": "; ".join(sorted(set(run.frame["versions"]))),
        "finished": run.date,
    }
    if run.options.data:
        found = {"data sets": ", ".join(run.options.data), **found}
    return found
