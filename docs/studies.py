"""Writes the pages of ``docs/studies`` from full results: ``python docs/studies.py DIR``.

DIR is the folder that ``costboost study NAME --out DIR`` wrote to. Pages of studies that have no
full results there stay as they are. The verdicts go to the package as well
(``costboost_lab/studies/verdicts.json``).
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from costboost_lab import studies as catalogue
from costboost_lab.studies import (
    CANNOT_BE_JUDGED,
    NOT_REPRODUCED,
    REPRODUCED,
    Table,
    Verdict,
    page,
    running,
)
from costboost_lab.studies.page import origin
from costboost_lab.studies.running import (
    NOT_CHECKED,
    NOT_RUN,
    RUN,
    Judged,
    StudyRun,
    file_name,
    folder_of,
    load_run,
)

DOCS = Path(__file__).parent
BEGIN, END = "<!-- pages:begin, written by docs/studies.py -->", "<!-- pages:end -->"
SPECIAL = re.compile(r"([\\`*_$<>\[\]|{}#])")


def plain(text: object) -> str:
    """Text in which Markdown finds no markup, on one line."""
    return SPECIAL.sub(r"\\\1", " ".join(str(text).split()))


def rows(head: Sequence[str], body: Iterable[Sequence[object]], numbers: int = 0) -> str:
    """A Markdown table; the last ``numbers`` columns are right-aligned. Cells are Markdown."""
    rule = ["---"] * (len(head) - numbers) + ["--:"] * numbers
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in [head, rule, *body])


def items(lines: Iterable[str]) -> str:
    """A Markdown list; the items are Markdown."""
    return "\n".join(f"- {line}" for line in lines)


# ---- a study -------------------------------------------------------------------------------------


def study_page(run: StudyRun, images: Sequence[str]) -> str:
    """The page of a study, with the paths of its images."""
    return "\n\n".join(_study_parts(run, images)) + "\n"


def _study_parts(run: StudyRun, images: Sequence[str]) -> Iterator[str]:
    study = run.study
    yield f"# {plain(study.title)}"
    yield plain(study.question)
    yield f"{plain(page.summary(run.verdicts.values()))} ({plain(study.citation)})"
    if run.claims:
        yield "## Verdicts"
        found = [Judged(claim, run.verdicts[claim.name], "") for claim in run.claims]
        yield claim_table(found)
    yield "## What was done"
    yield "\n".join(f"{k}. {plain(step)}" for k, step in enumerate(study.protocol, 1))
    if study.departures:
        yield "## Where it departs from the paper"
        yield items(f"**{plain(one.what)}** {plain(one.why)}" for one in study.departures)
    for table in run.tables:
        yield f"## {plain(table.title)}"
        yield _table(table)
        yield plain(table.note)
    for figure, path in zip(run.figures, images, strict=True):
        yield f"## {plain(figure.title)}"
        yield f"![{plain(figure.title)}]({path})"
        yield plain(figure.note)
    if run.notes or run.failures:
        yield "## What is missing"
        yield items([*map(plain, run.notes), *(f"failed: {plain(one)}" for one in run.failures)])
    yield "## How these results were computed"
    yield f"```sh\n{run.command}\n```"
    yield items(f"{plain(name)}: {plain(text)}" for name, text in origin(run).items())


def _table(table: Table) -> str:
    head, body = page.table_cells(table)
    cells = ([plain(text) for text in line] for line in body)
    return rows([plain(name) for name in head], cells, table.frame.shape[1])


def claim_table(found: Iterable[Judged]) -> str:
    """Claims with their verdicts and the evidence."""
    return rows(
        ["claim", "verdict", "statement and place", "measured", "by how much"],
        (
            [
                plain(one.claim.name),
                f"**{plain(one.outcome)}**",
                f"{plain(one.claim.statement)} ({plain(one.claim.place)})",
                plain(one.verdict.measured) + _reason(one.verdict),
                plain(page.by_how_much(one.verdict)),
            ]
            for one in found
            if one.verdict is not None
        ),
    )


def _reason(verdict: Verdict) -> str:
    if not verdict.reason:
        return ""
    return f" *{page.reason_label(verdict).capitalize()}: {plain(verdict.reason)}*"


# ---- all claims ----------------------------------------------------------------------------------


def claims_page(found: Sequence[Judged]) -> str:
    """The page about all claims."""
    return "\n\n".join(_claims_parts(found)) + "\n"


def _claims_parts(found: Sequence[Judged]) -> Iterator[str]:
    judged = [one for one in found if one.verdict is not None]
    yield f"# What {len(judged)} claims are worth"
    yield (
        "The papers behind this library make claims: that one algorithm beats another, that an "
        "average is 73.2, that two rules are one. Each study repeats an experiment, and a program, "
        "not a person, compares its results with what the paper has. This page lists the outcome."
    )
    yield plain(page.summary(one.verdict for one in judged if one.verdict is not None))
    yield items(
        [
            f"**{REPRODUCED}**: the 95% interval lies on the claimed side, or around the paper's "
            "number, or the number is within the stated tolerance.",
            f"**{NOT_REPRODUCED}**: it does not. That can be due to the protocol, which papers "
            "describe in part, to the way results are averaged, to parameters, or to the claim.",
            f"**{CANNOT_BE_JUDGED}**: the interval contains both, or something is missing.",
        ]
    )
    yield "## By paper"
    yield _counts(found)
    yield (
        "[All claims](register.md) has the place of each claim in its paper, what was measured, by "
        "how much it differs, and the claims that were not checked."
    )
    for paper in dict.fromkeys(one.claim.paper for one in judged):
        yield f"## {plain(paper)}"
        own = [one for one in judged if one.claim.paper == paper]
        for outcome in (REPRODUCED, NOT_REPRODUCED):
            claims = [one for one in own if one.outcome == outcome]
            if claims:
                yield f"**{outcome.capitalize()}:**"
                yield items(map(_in_a_line, claims))


def register_page(found: Sequence[Judged]) -> str:
    """The page with the evidence for every claim."""
    return "\n\n".join(_register_parts(found)) + "\n"


def _register_parts(found: Sequence[Judged]) -> Iterator[str]:
    judged = [one for one in found if one.verdict is not None]
    yield "# All claims and the evidence"
    yield (
        "[What they are worth](claims.md) is the short version. `costboost study --claims` prints "
        "all of them."
    )
    for paper in dict.fromkeys(one.claim.paper for one in judged):
        yield f"## {plain(paper)}"
        yield claim_table(one for one in judged if one.claim.paper == paper)
    others = [one for one in found if one.verdict is None]
    if others:
        yield "## Not checked"
        yield rows(
            ["claim", "paper and place", "statement", "why not"],
            (
                [
                    plain(one.claim.name),
                    f"{plain(one.claim.paper)}, {plain(one.claim.place)}",
                    plain(one.claim.statement),
                    plain(one.source if one.outcome == NOT_CHECKED else NOT_RUN),
                ]
                for one in others
            ),
        )


def _counts(found: Sequence[Judged]) -> str:
    names = (*page.OUTCOMES, NOT_CHECKED)
    counts: dict[str, Counter[str]] = {}
    for one in found:
        outcome = NOT_CHECKED if one.verdict is None else one.verdict.outcome
        counts.setdefault(one.claim.paper, Counter())[outcome] += 1
    body = [
        [plain(paper), *(number[name] for name in names), number.total()]
        for paper, number in counts.items()
    ]
    total = ["all", *(sum(number[name] for number in counts.values()) for name in names)]
    return rows(["paper", *names, "all"], [*body, [*total, len(found)]], len(names) + 1)


def _in_a_line(one: Judged) -> str:
    assert one.verdict is not None
    reason = _reason(one.verdict) if one.outcome == NOT_REPRODUCED else ""
    return f"{plain(one.claim.statement)} ({plain(one.claim.name)}){reason}"


# ---- files ---------------------------------------------------------------------------------------


def write_study(run: StudyRun, folder: Path) -> None:
    """Write the page of a study with its images."""
    images = []
    for k, figure in enumerate(run.figures, 1):
        name = f"images/{run.study.name}-{k}-{file_name(figure.title)}.png"
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(page.png(figure))
        images.append(name)
    (folder / f"{run.study.name}.md").write_text(study_page(run, images), encoding="utf-8")


def contents(folder: Path) -> str:
    """The list of pages for the table of contents."""
    names = ["claims", "register", *catalogue.MODULES]
    listed = [f"studies/{name}" for name in names if (folder / f"{name}.md").exists()]
    return "\n".join([BEGIN, "", "```{toctree}", ":maxdepth: 1", "", *listed, "```", "", END])


def write(out: Path, docs: Path = DOCS) -> list[str]:
    """Write all pages for which there are full results, and return the names of the studies."""
    folder = docs / "studies"
    folder.mkdir(parents=True, exist_ok=True)
    places = {name: folder_of(out, name, quick=False) for name in catalogue.MODULES}
    runs = {name: load_run(path) for name, path in places.items() if (path / RUN).exists()}
    for run in runs.values():
        write_study(run, folder)
    running.SHIPPED.write_text(running.shipped_text(runs.values()), encoding="utf-8")
    found = running.judged_claims()
    (folder / "claims.md").write_text(claims_page(found), encoding="utf-8")
    (folder / "register.md").write_text(register_page(found), encoding="utf-8")
    page = docs / "studies.md"
    before, rest = page.read_text(encoding="utf-8").split(BEGIN)
    page.write_text(before + contents(folder) + rest.split(END)[1], encoding="utf-8")
    return list(runs)


if __name__ == "__main__":
    for written in write(Path(sys.argv[1])):
        print(written)
