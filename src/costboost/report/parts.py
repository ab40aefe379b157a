"""Small pieces of HTML."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from costboost.report.text import escape


def out(name: str, texts: Mapping[str, str]) -> str:
    """A number that the page changes when a slider is moved."""
    return f'<span data-out="{name}">{escape(texts[name])}</span>'


def facts(pairs: Mapping[str, object]) -> str:
    """Names and what belongs to them."""
    return (
        '<dl class="facts">'
        + "".join(f"<dt>{escape(k)}</dt><dd>{escape(v)}</dd>" for k, v in pairs.items())
        + "</dl>"
    )


def figure(heading: str, svg: str, legend: Iterable[tuple[str, str]], caption: str) -> str:
    """A picture with a heading, the meaning of its lines, and how to read it; caption is HTML."""
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
    """A table that can be scrolled; rows are HTML, and the first column names them."""
    names = "".join(f'<th scope="col">{escape(name)}</th>' for name in head)
    corner = f'<th scope="col">{escape(first)}</th>' if first else "<td></td>"
    return (
        f'<div class="card"><h3>{escape(heading)}</h3><div class="scroll" role="region" '
        f'tabindex="0" aria-label="{escape(heading)}"><table><caption>{escape(caption)}</caption>'
        f"<thead><tr>{corner}{names}</tr></thead><tbody>{''.join(rows)}</tbody></table></div></div>"
    )


def section(identity: str, heading: str, *content: str) -> str:
    """A part of the page under a heading of its own."""
    inner = "".join(content)
    return (
        f'<section aria-labelledby="{identity}"><h2 id="{identity}">{escape(heading)}</h2>'
        f"{inner}</section>"
    )


def control(name: str, legend: str, hint: str, slider: str, box: str, suffix: str) -> str:
    """A slider and a box for the same number; slider and box are their attributes."""
    below = f'<div class="soft">{escape(hint)}</div>' if hint else ""
    return (
        f'<fieldset class="control"><legend>{escape(legend)}</legend><div class="row">'
        f'<input type="range" id="{name}" aria-label="{escape(legend)}, slider" {slider}>'
        f'<input type="number" id="{name}-box" aria-label="{escape(legend)}" '
        f'aria-describedby="{name}-refused" {box}>'
        f"<span>{escape(suffix)}</span></div>"
        f'<div class="refused" id="{name}-refused" role="alert"></div>{below}</fieldset>'
    )
