"""What every page has around its parts: head, style, script, footer."""

from __future__ import annotations

from pathlib import Path

from costboost.report.cautions import Cautions
from costboost.report.text import LEVEL, escape
from costboost.version import __version__

HERE = Path(__file__).parent
POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; "
    "base-uri 'none'; form-action 'none'"
)


def header(heading: str, lead: str, cautions: Cautions) -> str:
    """The heading, and below it what matters most; lead is HTML."""
    return (
        f'<header><h1>{escape(heading)}</h1><p class="lead">{lead}</p>{_cautions(cautions)}'
        "</header>"
    )


def mark(cautions: Cautions) -> str:
    """The element that savings stand in: not in bold where they should not be believed."""
    return "span" if cautions.grave else "strong"


def _cautions(cautions: Cautions) -> str:
    if not cautions.found:
        return ""
    look = {True: ' class="grave"', False: ""}
    items = "".join(
        f"<li{look[one.grave]}>{escape(_sentence(one.text))}</li>"
        for one in sorted(cautions.found, key=lambda one: not one.grave)
    )
    return (
        '<aside class="cautions" aria-labelledby="cautions"><h2 id="cautions">Before you rely on '
        f"these numbers</h2><ul>{items}</ul></aside>"
    )


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith(('.', '?')) else '.'}"


INTERVALS = (
    f"Intervals are {LEVEL} normal intervals of the sum over the rows, taken as a random "
    "sample; they say nothing about other times and places, nor about the training."
)
BLIND = (
    "Savings are compared with the cheaper of calling every row positive or every row negative. "
    f"{INTERVALS} Cost-blind means the same scores at the threshold for equal costs."
)
LIKELIEST = (
    f"Savings are compared with the cheapest class, if it is predicted for every row. {INTERVALS} "
    "The likeliest class is what the same probabilities decide if nobody tells them the costs."
)
BINNED = (
    "There are so many different scores that neighbouring ones were joined; a threshold inside a "
    "group moves to the group's upper end, and the numbers are exact for the threshold shown."
)
EXACT = "Every number follows the sliders exactly, without rounding of the scores."


def footer(*notes: str) -> str:
    """What the words on the page mean."""
    words = "".join(f"<p>{note}</p>" for note in notes)
    made = f"<p>Made by costboost {__version__}; the page needs no network.</p>"
    return f'<footer class="soft">{words}{made}</footer>'


def whole(heading: str, body: str, doubtful: bool, data: str | None = None) -> str:
    """Everything in one file; without data there is nothing to move, and no script."""
    look = ' class="doubtful"' if doubtful else ""
    css, js = ((HERE / name).read_text(encoding="utf-8") for name in ("page.css", "page.js"))
    scripts = f'<script type="application/json" id="data">{data}</script>\n<script>{js}</script>\n'
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        '<meta name="color-scheme" content="light dark"><link rel="icon" href="data:,">'
        f"<title>{escape(heading)}</title><style>{css}</style></head>\n"
        '<body><a class="skip" href="#main">Skip to the numbers</a>'
        f'<main id="main"{look}>{body}</main>\n{"" if data is None else scripts}</body></html>\n'
    )
