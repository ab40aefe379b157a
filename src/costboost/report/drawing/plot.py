"""Axes with lines on them, as SVG."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import ceil, floor, log10
from typing import Any

from costboost.report.text import escape, short

WIDTH, HEIGHT = 440.0, 290.0
LEFT, RIGHT, TOP, BOTTOM = 58.0, 14.0, 12.0, 44.0
CHARACTER = 7.6
"""About the width of a character."""


class Plot:
    """A picture that grows line by line; `svg` is the whole of it."""

    def __init__(
        self,
        x: tuple[float, float],
        y: tuple[float, float],
        names: tuple[str, str],
        *,
        size: tuple[float, float] = (WIDTH, HEIGHT),
        left: float = LEFT,
        ticks: tuple[Sequence[float] | None, Sequence[float] | None] = (None, None),
    ) -> None:
        self.x, self.y = _span(*x), _span(*y)
        self.width, self.height = size
        self.left, self.right = left, self.width - RIGHT
        self.top, self.bottom = TOP, self.height - BOTTOM
        self.parts: list[str] = []
        self._axes(names, ticks)

    # ---- from values to places -------------------------------------------------------------------

    def at_x(self, value: float) -> float:
        low, high = self.x
        return self.left + (value - low) / (high - low) * (self.right - self.left)

    def at_y(self, value: float) -> float:
        low, high = self.y
        return self.bottom - (value - low) / (high - low) * (self.bottom - self.top)

    # ---- what can be drawn -----------------------------------------------------------------------

    def line(self, x: Iterable[float], y: Iterable[float], look: str) -> None:
        """A line through points."""
        corners = zip(x, y, strict=True)
        places = " ".join(f"{self.at_x(a):.1f},{self.at_y(b):.1f}" for a, b in corners)
        self.parts.append(f'<polyline class="line {look}" points="{places}"/>')

    def upright(self, x: float, low: float, high: float, look: str) -> None:
        """A vertical line."""
        self.line((x, x), (low, high), look)

    def dot(self, x: float, y: float, look: str, radius: float = 3.5) -> None:
        """A point."""
        place = f'cx="{self.at_x(x):.1f}" cy="{self.at_y(y):.1f}" r="{radius:g}"'
        self.parts.append(f'<circle class="{look}" {place}/>')

    def bar(self, x: tuple[float, float], y: tuple[float, float], look: str) -> None:
        """A rectangle between two values on either axis."""
        (left, right), (top, bottom) = (
            sorted(map(place, ends)) for place, ends in ((self.at_x, x), (self.at_y, y))
        )
        box = f'x="{left:.1f}" y="{top:.1f}" width="{right - left:.1f}"'
        self.parts.append(f'<rect class="{look}" {box} height="{bottom - top:.1f}"/>')

    def word(self, x: float, y: float, text: str, look: str = "", anchor: str = "middle") -> None:
        """Text at a place of the picture."""
        self.parts.append(_text(self.at_x(x), self.at_y(y), text, look, anchor))

    def label(self, y: float, text: str) -> None:
        """Text on the left of the axes."""
        self.parts.append(_text(self.left - 6, self.at_y(y) + 4, text, "label", "end"))

    def moving(self, name: str, x: float, y: float) -> None:
        """A point that the page moves: it finds the axes in the picture's attributes."""
        place = f'cx="{self.at_x(x):.1f}" cy="{self.at_y(y):.1f}"'
        self.parts.append(f'<circle class="now" data-point="{name}" {place} r="6.5"/>')

    def moving_line(self, name: str, x: float) -> None:
        """A vertical line that the page moves."""
        at = f"{self.at_x(x):.1f}"
        ends = f'x1="{at}" x2="{at}" y1="{self.top:g}" y2="{self.bottom:g}"'
        self.parts.append(f'<line class="now-line" data-upright="{name}" {ends}/>')

    # ---- the whole -------------------------------------------------------------------------------

    def svg(self, identity: str, title: str, description: str) -> str:
        """The picture, with words for those who do not see it."""
        frame = f"{self.left:g},{self.right:g},{self.bottom:g},{self.top:g}"
        axes = ",".join(repr(float(end)) for end in (*self.x, *self.y))
        return (
            f'<svg id="{identity}" viewBox="0 0 {self.width:g} {self.height:g}" role="img" '
            f'aria-labelledby="{identity}-title {identity}-desc" data-frame="{frame}" '
            f'data-axes="{axes}"><title id="{identity}-title">{escape(title)}</title>'
            f'<desc id="{identity}-desc">{escape(description)}</desc>{"".join(self.parts)}</svg>'
        )

    def _axes(self, names: tuple[str, str], ticks: tuple[Any, Any]) -> None:
        for value in ticks[0] if ticks[0] is not None else steps(*self.x):
            at = self.at_x(value)
            self._grid(at, self.top, at, self.bottom)
            text = short(value)
            over = at + CHARACTER * len(text) / 2 > self.width  # it would be cut off
            place, anchor = (self.width - 2, "end") if over else (at, "middle")
            self.parts.append(_text(place, self.bottom + 17, text, "tick", anchor))
        for value in ticks[1] if ticks[1] is not None else steps(*self.y, most=6):
            at = self.at_y(value)
            self._grid(self.left, at, self.right, at)
            self.parts.append(_text(self.left - 6, at + 4, short(value), "tick", "end"))
        middle = (self.left + self.right) / 2
        self.parts.append(_text(middle, self.height - 8, names[0], "name", "middle"))
        turned = f"rotate(-90) translate({-(self.top + self.bottom) / 2:g} 13)"
        if names[1]:
            self.parts.append(
                f'<text class="name" transform="{turned}" text-anchor="middle">'
                f"{escape(names[1])}</text>"
            )

    def _grid(self, x1: float, y1: float, x2: float, y2: float) -> None:
        self.parts.append(
            f'<line class="grid" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'
        )


def _text(x: float, y: float, text: str, look: str, anchor: str) -> str:
    place = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"'
    return f'<text class="{look}" {place}>{escape(text)}</text>'


def _span(low: float, high: float) -> tuple[float, float]:
    """An axis must have some length."""
    if high > low:
        return float(low), float(high)
    room = abs(low) / 2 or 1.0
    return float(low - room), float(high + room)


def steps(low: float, high: float, most: int = 7) -> list[float]:
    """Round numbers from one end of an axis to the other."""
    rough = (high - low) / (most - 1)
    unit = 10.0 ** floor(log10(rough))
    step = next(unit * k for k in (1, 2, 2.5, 5, 10) if unit * k >= rough * (1 - 1e-9))
    first, last = ceil(low / step - 1e-9), floor(high / step + 1e-9)
    return [round(k * step, 12) if step > 1e-9 else k * step for k in range(first, last + 1)]
