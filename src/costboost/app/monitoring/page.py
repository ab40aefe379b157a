"""The HTML page of monitoring."""

from __future__ import annotations

import os
from pathlib import Path

from costboost._core import disk
from costboost._core.wording import money_range
from costboost.app.monitoring.findings import Monitoring, p_value_text
from costboost.app.monitoring.intervals import Interval
from costboost.app.monitoring.sketches import Drift
from costboost.app.report.markup import (
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
from costboost.app.report.words import check_provenance

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
    lost = "not known<small>labels are needed</small>"
    tiles = {
        "expected loss of deciding as before": lost
        if found.vetoed
        else _with_interval(found, found.loss),
        "expected cost": _with_interval(found, found.of_all(found.expected_cost)),
    }
    if found.realised_cost is not None:
        tiles["realised cost"] = _with_interval(found, found.of_all(found.realised_cost))
    state = ""
    if found.alarm is not None:
        state = f" {_state(found, found.money(found.alarm))}"
    known = check_provenance({"data": data} if data else None, None, None)
    source = " · ".join(map(escape, known.summary(f"{found.n_rows:,} rows")))
    head = (
        f'<header><h1>{escape(heading)}</h1><p class="soft source">{source}</p>'
        + verdict(
            "loses" if bad else "unproven" if found.shifted or found.vetoed else "saves",
            escape(found.verdict + state),
        )
        + big(tiles, "money")
        + f'<p class="soft">{escape(found.base_of_money)}</p></header>'
    )
    body = head + section("summary", "Summary", facts(dict(found.lines)))
    if found.notes:
        items = "".join(f"<li>{escape(_sentence(note))}</li>" for note in found.notes)
        body += section("notes", "What these rows cannot show", f"<ul>{items}</ul>")
    if found.drifts:
        body += section("features", "Features", _features(found))
    return whole(heading, body + footer(*map(escape, HOW)), bad)


def _state(found: Monitoring, limit: str) -> str:
    """Sentence that states whether there is an alarm."""
    if found.alarmed:
        return f"Alarm: the limit of {limit} is exceeded."
    if found.vetoed:
        return f"No alarm: whether the limit of {limit} is exceeded is not known either."
    beyond = "" if found.changed else " beyond chance"
    return f"No alarm: the limit of {limit} is not exceeded{beyond}."


def _with_interval(found: Monitoring, one: Interval) -> str:
    ends = escape(money_range(one.low, one.high))
    return f"{escape(found.money(one.value))}<small>{LEVEL} interval {ends}</small>"


def write(path: str | os.PathLike[str], found: Monitoring, *words: str) -> Path:
    """Write the page to a file, which is never left incomplete; ``words`` are those of `html`."""
    disk.replace(path, html(found, *words).encode())
    return Path(path)


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def _features(found: Monitoring) -> str:
    shown = found.drifts[:MOST_SHOWN]
    rows = [
        f'<tr><th scope="row">{escape(_name(one))}</th><td>{"yes" if one.found else "no"}</td>'
        f"<td>{one.distance:.3f}</td><td>{escape(one.test)}</td>"
        f"<td>{escape(p_value_text(one.p_value).removeprefix('= '))}</td>"
        f"<td>{escape(p_value_text(one.adjusted).removeprefix('= '))}</td></tr>"
        for one in shown
    ]
    head = ("changed", "distance", "test", "p", "adjusted p")
    left = len(found.drifts) - len(shown)
    more = f"; {left} more are not shown" if left else ""
    n = len(found.drifted)
    caption = f"{n} {'feature has' if n == 1 else 'features have'} changed beyond chance{more}"
    return table("Features of the new rows against held-out ones", caption, head, rows, "feature")


def _name(one: Drift) -> str:
    return "(probability of the positive class)" if one.of_model else one.name
