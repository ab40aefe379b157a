"""Records in words: the description of one set, the table of all."""

from __future__ import annotations

from collections.abc import Iterator

from costboost.datasets import records
from costboost.datasets.records import Label, Record


def describe(record: Record) -> str:
    """What a set is, as a few lines of text."""
    return "\n".join(_lines(record))


def _lines(record: Record) -> Iterator[str]:
    classes = ", ".join(f"{label}: {count}" for label, count in record.classes.items())
    yield record.title
    yield ""
    yield record.about
    yield ""
    yield f"Rows: {record.rows}. Features: {len(record.columns)}, {len(record.nominal)} nominal."
    yield f"Missing values: {record.missing}."
    yield f"Classes: {classes}. Positive: {positive(record)}."
    if record.extra:
        yield f"Not features: {', '.join(record.extra)}."
    if record.leaks:
        yield f"Features that leak: {', '.join(record.leaks)}."
    if record.costs:
        yield f"Costs ({record.costs['unit']}): {record.costs['note']}."
    yield f"Licence: {record.licence}."
    yield f"Citation: {record.citation}"
    yield f"Made from: {record.file.origin}."


def positive(record: Record) -> str:
    """The positive label, or the one that a paper sets against the rest."""
    if len(record.classes) == 2:
        return str(record.positive)
    if record.against_rest is not None:
        return f"{record.against_rest} against the rest (Nikolaou et al.)"
    return "none"


# ---- the table of the documentation --------------------------------------------------------------

HEADER = ("name", "what", "rows", "features", "classes", "positive", "costs", "also in")


def table() -> str:
    """All sets as a Markdown table.

    Examples
    --------
    >>> from costboost.datasets.describing import table
    >>> print(table().splitlines()[0])
    | name | what | rows | features | classes | positive | costs | also in |
    """
    lines = [HEADER, ("---",) * len(HEADER), *map(row, map(records.record, records.names()))]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def row(record: Record) -> tuple[str, ...]:
    """One set as a row of the table."""
    features = str(len(record.columns))
    if record.nominal:
        features += f" ({len(record.nominal)} nominal)"
    return (
        f"`{record.name}`",
        record.title,
        f"{record.rows:,}",
        features,
        str(len(record.classes)),
        _share(record),
        COSTS[record.costs["kind"]] if record.costs else "",
        ", ".join(_copies(record)),
    )


def _share(record: Record) -> str:
    label: Label | None = record.positive if record.positive is not None else record.against_rest
    if label is None:
        return ""
    against = " against the rest" if len(record.classes) > 2 else ""
    return f"{label}{against} ({record.classes[label] / record.rows:.1%})"


def _copies(record: Record) -> Iterator[str]:
    if record.wheel:
        yield record.wheel.distribution
    if record.openml:
        yield f"OpenML {record.openml.id}"


COSTS = {
    "classes": "by class",
    "columns": "by row",
    "lending": "by row",
    "deposit": "by row",
    "mailing": "by row",
    "matrix": "matrix",
}


if __name__ == "__main__":
    print(table())
