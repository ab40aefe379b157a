"""Writes the table of datasets.md: ``python docs/datasets.py``.

``lab/tests/datasets/test_page.py`` compares the page with what this program would write.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from costboost_lab.datasets import Record, available, record

PAGE = Path(__file__).with_name("datasets.md")
HEADER = ("name", "what", "rows", "features", "classes", "positive", "costs", "also in")
COSTS = {
    "classes": "by class",
    "columns": "by row",
    "lending": "by row",
    "deposit": "by row",
    "mailing": "by row",
    "matrix": "matrix",
}
"""Text for each kind of costs."""


def table() -> str:
    """All data sets as a Markdown table."""
    lines = [HEADER, ("---",) * len(HEADER), *(row(record(name)) for name in available())]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def row(record: Record) -> tuple[str, ...]:
    """One data set as a row of the table."""
    features = str(len(record.columns))
    if record.nominal:
        features += f" ({len(record.nominal)} nominal)"
    return (
        f"`{record.name}`",
        record.title,
        f"{record.rows:,}",
        features,
        str(len(record.classes)),
        share(record),
        COSTS[record.costs["kind"]] if record.costs else "",
        ", ".join(copies(record)),
    )


def share(record: Record) -> str:
    label = record.positive if record.positive is not None else record.against_rest
    if label is None:
        return ""
    against = " against the rest" if len(record.classes) > 2 else ""
    return f"{label}{against} ({record.classes[label] / record.rows:.1%})"


def copies(record: Record) -> Iterator[str]:
    if record.wheel:
        yield record.wheel.distribution
    if record.openml:
        yield f"OpenML {record.openml.id}"


def page() -> str:
    """The page with its table replaced."""
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    start = lines.index(f"| {' | '.join(HEADER)} |")
    end = next(k for k in range(start, len(lines)) if not lines[k].startswith("|"))
    return "\n".join([*lines[:start], table(), *lines[end:]]) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
