"""The HTML page of monitoring."""

from __future__ import annotations

import os
from pathlib import Path

from costboost.files import disk
from costboost.monitoring.costs import Interval
from costboost.monitoring.reference import PROBABILITY
from costboost.monitoring.result import Monitoring
from costboost.report.markup import (
    LEVEL,
    big,
    escape,
    facts,
    footer,
    section,
    table,
    verdict,
    whole,
)
from costboost.report.provenance import check_provenance

MOST_SHOWN = 50
"""Features in the table, the clearest changes first."""
HOW = (
    "Without labels, costs are expected ones, by the probabilities of the model. They hold if only "
    "the features have changed. If only the prevalence has changed, the cost at the estimated "
    "prevalence holds. If the relation between features and classes has changed (concept drift), "
    "neither does, and only labels show it.",
    "The expected loss is that of deciding as the model does, on all rows together, against "
    "decisions by the probabilities that the new rows suggest: at the estimated prevalence, or "
    "recalibrated by the labels if there are any.",
    "Features are compared with those of the held-out rows of training: Kolmogorov and Smirnov's "
    "test for numbers, chi-square for categories, corrected by Benjamini and Hochberg.",
)


def html(found: Monitoring, heading: str = "Monitoring of a model", data: str = "") -> str:
    """The page as text; ``data`` is where the new rows come from."""
    bad = found.alarmed or found.miscalibrated
    money = {
        "expected loss, all rows": _with_interval(found, found.loss),
        "expected cost of a row": _with_interval(found, found.expected_cost),
    }
    if found.realised_cost is not None:
        money["realised cost of a row"] = _with_interval(found, found.realised_cost)
    state = ""
    if found.alarm is not None:
        limit = f"the limit of {found.money(found.alarm)} is"
        state = f" Alarm: {limit} exceeded." if found.alarmed else f" No alarm: {limit} not"
        if not found.alarmed:
            state += " exceeded." if found.changed else " exceeded beyond chance."
    known = check_provenance({"data": data} if data else None, None, None)
    source = " · ".join(map(escape, known.summary(f"{found.n_rows:,} rows")))
    head = (
        f'<header><h1>{escape(heading)}</h1><p class="soft source">{source}</p>'
        + verdict(
            "loses" if bad else "unproven" if found.shifted else "saves",
            escape(found.verdict + state),
        )
        + big(money, "money")
        + "</header>"
    )
    body = head + section("summary", "Summary", facts(dict(found.lines)))
    if found.notes:
        items = "".join(f"<li>{escape(_sentence(note))}</li>" for note in found.notes)
        body += section("notes", "What these rows cannot show", f"<ul>{items}</ul>")
    if found.drifts:
        body += section("features", "Features", _features(found))
    return whole(heading, body + footer(*map(escape, HOW)), bad)


def _with_interval(found: Monitoring, one: Interval) -> str:
    low, high = (escape(f"{end:,.4g}") for end in (one.low, one.high))
    return f"{escape(found.money(one.value))}<small>{LEVEL} interval {low} to {high}</small>"


def write(path: str | os.PathLike[str], found: Monitoring, *words: str) -> Path:
    """Write the page to a file, which is never left incomplete; ``words`` are those of `html`."""
    disk.replace(path, html(found, *words).encode())
    return Path(path)


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def _features(found: Monitoring) -> str:
    shown = found.drifts[:MOST_SHOWN]
    rows = [
        f'<tr><th scope="row">{escape(_name(one.name))}</th><td>{"yes" if one.found else "no"}</td>'
        f"<td>{one.distance:.3f}</td><td>{escape(one.test)}</td><td>{one.p_value:.2g}</td>"
        f"<td>{one.adjusted:.2g}</td></tr>"
        for one in shown
    ]
    head = ("changed", "distance", "test", "p", "adjusted p")
    left = len(found.drifts) - len(shown)
    more = f"; {left} more are not shown" if left else ""
    caption = f"{len(found.drifted)} features have changed beyond chance{more}"
    return table("Features of the new rows against held-out ones", caption, head, rows, "feature")


def _name(name: str) -> str:
    return "(probability of the positive class)" if name == PROBABILITY else name
