"""Numbers as text, HTML elements of the page, and the document around them."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from costboost import __version__
from costboost._core import wording
from costboost._core.baselines import ABOUT_BY_COSTS
from costboost._core.checks import Floats

if TYPE_CHECKING:
    from costboost.app.report.words import Cautions


MINUS = "\N{MINUS SIGN}"
LEVEL = "95\N{NO-BREAK SPACE}%"
"""Confidence level of all intervals."""


def escape(value: Any) -> str:
    """Escape text for an element or an attribute."""
    return html.escape(str(value), quote=True)


def number(value: float, decimals: int) -> str:
    """Format a number as `wording.number` with a minus sign; page.js does the same."""
    return wording.number(value, decimals).replace("-", MINUS)


def decimals_for(greatest: float) -> int:
    """Number of decimals that shows about five digits of the greatest number."""
    return wording.decimals_for(greatest, digits=5)


def share(value: float | None) -> str:
    """Format a share in percent; a dash for None."""
    return "–" if value is None else f"{number(100 * value, 1)} %"


def short(value: float) -> str:
    """Format a number with a few digits, for an axis."""
    if value == 0:
        return "0"
    if abs(value) >= 1e9 or abs(value) < 1e-4:
        return f"{value:.3g}".replace("-", MINUS).replace("e+0", "e").replace("e+", "e")
    if abs(value) >= 1e5:
        return number(value, 0)
    return f"{value:,.6g}".replace("-", MINUS)


def plural(n: float, word: str) -> str:
    """Format a count with its noun in singular or plural."""
    return f"{number(n, 2)} {word}{'' if n == 1 else 's'}"


class Style(NamedTuple):
    """Format of costs and counts."""

    unit: str
    total: int
    """Decimals of a total cost."""
    mean: int
    """Decimals of a mean cost, and of the cost of an error."""
    rows: int
    """Decimals of a number of rows, which sample weights can make fractions."""

    @classmethod
    def of(cls, unit: str, greatest_cost: float, weight: Floats) -> Style:
        """Decimals for costs up to the greatest possible one, and for sums of weights."""
        mean = decimals_for(greatest_cost / float(weight.sum()))
        whole = bool((weight == weight.round()).all())
        return cls(unit, decimals_for(greatest_cost), mean, 0 if whole else 2)

    def money(self, value: float, mean: bool = False) -> str:
        """Format a cost with its unit."""
        text = number(value, self.mean if mean else self.total)
        return f"{text} {self.unit}" if self.unit else text

    def amount(self, value: float) -> str:
        """Format a total cost for a sentence, which needs a noun."""
        return self.money(value) if self.unit else f"{self.money(value)} units of cost"


# ---- HTML elements -------------------------------------------------------------------------------


def out(name: str, texts: Mapping[str, str]) -> str:
    """Element whose text the script changes when a slider is moved."""
    return f'<span data-out="{name}">{escape(texts[name])}</span>'


def facts(pairs: Mapping[str, object]) -> str:
    """Description list of names and values."""
    return (
        '<dl class="facts">'
        + "".join(f"<dt>{escape(k)}</dt><dd>{escape(v)}</dd>" for k, v in pairs.items())
        + "</dl>"
    )


def figure(heading: str, svg: str, legend: Iterable[tuple[str, str]], caption: str) -> str:
    """Figure with heading, legend and caption; the caption is HTML."""
    marks = "".join(f"<li>{_mark(look)}{escape(text)}</li>" for look, text in legend)
    items = f'<ul class="legend">{marks}</ul>' if marks else ""
    return (
        f'<figure class="card"><h3>{escape(heading)}</h3>{svg}{items}'
        f"<figcaption>{caption}</figcaption></figure>"
    )


def _mark(look: str) -> str:
    drawn = f'<line class="line {look}" x1="1" y1="6" x2="27" y2="6"/>'
    if look == "now":
        drawn = '<circle class="now" cx="14" cy="6" r="5"/>'
    return f'<svg viewBox="0 0 28 12" aria-hidden="true" focusable="false">{drawn}</svg>'


def table(
    heading: str, caption: str, head: Iterable[str], rows: Iterable[str], first: str = ""
) -> str:
    """Table that can be scrolled; rows are HTML, and their first column is a header."""
    names = "".join(f'<th scope="col">{escape(name)}</th>' for name in head)
    corner = f'<th scope="col">{escape(first)}</th>' if first else "<td></td>"
    return (
        f'<div class="card"><h3>{escape(heading)}</h3><div class="scroll" role="region" '
        f'tabindex="0" aria-label="{escape(heading)}"><table><caption>{escape(caption)}</caption>'
        f"<thead><tr>{corner}{names}</tr></thead><tbody>{''.join(rows)}</tbody></table></div></div>"
    )


def section(identity: str, heading: str, *content: str) -> str:
    """Section of the page with a heading."""
    inner = "".join(content)
    return (
        f'<section aria-labelledby="{identity}"><h2 id="{identity}">{escape(heading)}</h2>'
        f"{inner}</section>"
    )


def control(name: str, legend: str, hint: str, slider: str, box: str, suffix: str) -> str:
    """Slider and number box for the same value; ``slider`` and ``box`` are their attributes."""
    below = f'<div class="soft">{escape(hint)}</div>' if hint else ""
    return (
        f'<fieldset class="control"><legend>{escape(legend)}</legend><div class="row">'
        f'<input type="range" id="{name}" aria-label="{escape(legend)}, slider" {slider}>'
        f'<input type="number" id="{name}-box" aria-label="{escape(legend)}" '
        f'aria-describedby="{name}-refused" {box}>'
        f"<span>{escape(suffix)}</span></div>"
        f'<div class="refused" id="{name}-refused" role="alert"></div>{below}</fieldset>'
    )


HERE = Path(__file__).parent
POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; "
    "base-uri 'none'; form-action 'none'"
)


class Opening(NamedTuple):
    """The first screen of a page; `money` and `lead` are HTML."""

    source: Iterable[str]
    """Where the numbers come from, in a few words each."""
    look: str
    verdict: str
    money: Mapping[str, str]
    lead: str


def header(heading: str, opening: Opening, cautions: Cautions) -> str:
    """Heading, origin, verdict, large numbers, summary and cautions."""
    source = " · ".join(map(escape, opening.source))
    return (
        f'<header><h1>{escape(heading)}</h1><p class="soft source">{source} · '
        '<a href="#origin">where the numbers come from</a></p>'
        f"{verdict(opening.look, escape(opening.verdict))}{big(opening.money, 'money')}"
        f'<p class="lead">{opening.lead}</p>{_cautions(cautions)}</header>'
    )


def verdict(look: str, sentence: str, more: str = "") -> str:
    """The verdict as a paragraph with a coloured edge; the sentence is HTML."""
    return f'<p class="verdict {look}"{more}>{sentence}</p>'


def big(items: Mapping[str, str], more: str = "") -> str:
    """Description list of a few numbers in large type; values are HTML."""
    cells = "".join(f"<div><dt>{escape(k)}</dt><dd>{v}</dd></div>" for k, v in items.items())
    return f'<dl class="big {more}">{cells}</dl>'


def savings_tag(cautions: Cautions) -> str:
    """Element for savings: not bold if there are grave cautions."""
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
    "sample; they do not cover changes over time, other places, or the chance in the training."
)
SAME_MODEL = (
    "The same model ignoring costs predicts the most probable class, by the same probabilities."
)
WITHOUT_MODEL = (
    "Savings are compared with the cheapest decisions on these rows that need no model: the same "
    "one for all rows, or, where costs differ by row, those by costs alone."
)
TERMS = f"{WITHOUT_MODEL} {ABOUT_BY_COSTS} {INTERVALS} {SAME_MODEL}"
BINNED = (
    "There are so many different scores that neighbouring ones were joined; a threshold inside a "
    "group moves to the group's upper end, and the numbers are exact for the threshold shown."
)
EXACT = "Every number follows the sliders exactly, without rounding of the scores."


def footer(*notes: str) -> str:
    """Notes on the terms of the page, and the version."""
    words = "".join(f"<p>{note}</p>" for note in notes)
    made = f"<p>Made by costboost {__version__}; the page needs no network.</p>"
    return f'<footer class="soft">{words}{made}</footer>'


SCRIPT = ("data", "rules", "reviews", "texts", "display", "controls")
"""Files of the script, in the order in which they use each other."""


def _script() -> str:
    """The script element: all files as one function."""
    parts = ((HERE / "script" / f"{name}.js").read_text(encoding="utf-8") for name in SCRIPT)
    return f'<script>"use strict";\n(() => {{\n{"".join(parts)}}})();\n</script>'


def whole(
    heading: str, body: str, doubtful: bool, data: str | None = None, more_css: str = ""
) -> str:
    """The HTML document; without ``data`` there are no sliders, and no script."""
    look = ' class="doubtful"' if doubtful else ""
    css = (HERE / "page.css").read_text(encoding="utf-8")
    scripts = f'<script type="application/json" id="data">{data}</script>\n{_script()}\n'
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        '<meta name="color-scheme" content="light dark"><link rel="icon" href="data:,">'
        f"<title>{escape(heading)}</title><style>{css}{more_css}</style></head>\n"
        '<body><a class="skip" href="#main">Skip to the numbers</a>'
        f'<main id="main"{look}>{body}</main>\n{"" if data is None else scripts}</body></html>\n'
    )
