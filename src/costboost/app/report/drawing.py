"""Plots of the page as inline SVG. Colours are CSS classes, which the style sheet defines."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import ceil, floor, log10
from typing import Any

import numpy as np

from costboost._core.baselines import Difference
from costboost._core.wording import amount
from costboost.app.report.markup import escape, short
from costboost.app.report.plot_data import Effect, Line, Progress, Reliability
from costboost.decisions.reports import CostSweep
from costboost.metrics.checks import Floats
from costboost.metrics.ranking import DecisionCurve

WIDTH, HEIGHT = 440.0, 290.0
LEFT, RIGHT, TOP, BOTTOM = 58.0, 14.0, 12.0, 44.0
CHARACTER = 7.6
"""Approximate width of a character."""


class Plot:
    """Axes to which marks are added; `svg` returns the picture."""

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

    # ---- coordinates -----------------------------------------------------------------------------

    def at_x(self, value: Any) -> Any:
        low, high = self.x
        return self.left + (value - low) / (high - low) * (self.right - self.left)

    def at_y(self, value: Any) -> Any:
        low, high = self.y
        return self.bottom - (value - low) / (high - low) * (self.bottom - self.top)

    # ---- marks -----------------------------------------------------------------------------------

    def line(self, x: Iterable[float], y: Iterable[float], look: str) -> None:
        """A line through points."""
        self.parts.append(f'<polyline class="line {look}" points="{self._places(x, y)}"/>')

    def area(self, x: Floats, low: Floats, high: Floats, look: str) -> None:
        """The area between two lines."""
        places = self._places([*x, *x[::-1]], [*low, *high[::-1]])
        self.parts.append(f'<polygon class="{look}" points="{places}"/>')

    def _places(self, x: Any, y: Any) -> str:
        """Coordinates of points."""
        across, up = self.at_x(np.asarray(x)), self.at_y(np.asarray(y))
        return " ".join([f"{a:.1f},{b:.1f}" for a, b in zip(across, up, strict=True)])

    def upright(self, x: float, low: float, high: float, look: str) -> None:
        """A vertical line."""
        self.line((x, x), (low, high), look)

    def dot(self, x: float, y: float, look: str, radius: float = 3.5) -> None:
        """A point."""
        place = f'cx="{self.at_x(x):.1f}" cy="{self.at_y(y):.1f}" r="{radius:g}"'
        self.parts.append(f'<circle class="{look}" {place}/>')

    def bar(self, x: tuple[float, float], y: tuple[float, float], look: str) -> None:
        """A rectangle between two values on either axis."""
        left, right = np.sort(self.at_x(np.array(x)))
        top, bottom = np.sort(self.at_y(np.array(y)))
        box = f'x="{left:.1f}" y="{top:.1f}" width="{right - left:.1f}"'
        self.parts.append(f'<rect class="{look}" {box} height="{bottom - top:.1f}"/>')

    def label(self, y: float, text: str) -> None:
        """Text to the left of the axes."""
        self.parts.append(_text(self.left - 6, self.at_y(y) + 4, text, "label", "end"))

    def moving(self, name: str, x: float, y: float) -> None:
        """A point that the script moves; the attributes of the picture contain the axes."""
        place = f'cx="{self.at_x(x):.1f}" cy="{self.at_y(y):.1f}"'
        self.parts.append(f'<circle class="now" data-point="{name}" {place} r="6.5"/>')

    def moving_line(self, name: str, x: float) -> None:
        """A vertical line that the script moves."""
        at = f"{self.at_x(x):.1f}"
        ends = f'x1="{at}" x2="{at}" y1="{self.top:g}" y2="{self.bottom:g}"'
        self.parts.append(f'<line class="now-line" data-upright="{name}" {ends}/>')

    # ---- picture ---------------------------------------------------------------------------------

    def svg(self, identity: str, title: str, description: str) -> str:
        """The SVG element, with a title and a description for screen readers."""
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
    """Limits of an axis, widened if they are equal."""
    if high > low:
        return float(low), float(high)
    room = abs(low) / 2 or 1.0
    return float(low - room), float(high + room)


def steps(low: float, high: float, most: int = 7) -> list[float]:
    """Round tick values from one end of an axis to the other."""
    rough = (high - low) / (most - 1)
    unit = 10.0 ** floor(log10(rough))
    step = next(unit * k for k in (1, 2, 2.5, 5, 10) if unit * k >= rough * (1 - 1e-9))
    first, last = ceil(low / step - 1e-9), floor(high / step + 1e-9)
    return [round(k * step, 12) if step > 1e-9 else k * step for k in range(first, last + 1)]


SMALL = (300.0, 190.0)
BARS = 390.0
"""Size of the picture of a feature, and width of that of the importances."""
MOST_CATEGORIES = 12
"""Greatest number of categories that are drawn, the most frequent ones."""
ENOUGH = 20
"""Number of rows of a category below which its bar is pale."""
SHARES = [0, 0.2, 0.4, 0.6, 0.8, 1]


def skews(brier: Line, envelope: Line, fixed: tuple[float, float] | None, now: Any) -> str:
    """Cost over skews; ``fixed`` are the miss and false alarm rates of fixed predictions."""
    high = 1.12 * max(0.04, float(brier[1].max()), now[1], *(fixed or ()))
    high = 1.0 if high > 0.6 else high
    names = ("misses costlier   ←   skew z   →   false alarms costlier", "cost as a share, Q")
    plot = Plot((0, 1), (0, high), names, ticks=(SHARES, None))
    edge = min(1.0, high)
    plot.line((0, edge), (0, edge), "trivial")
    plot.line((1, 1 - edge), (0, edge), "trivial dotted")
    plot.line(*brier, "c1")
    plot.line(*envelope, "c2 dashed")
    if fixed is not None:
        plot.line((0, 1), fixed, "c0")
    plot.moving("skew", *now)
    words = (
        f"The Brier curve rises to {brier[1].max():.3f}, the cost curve below it to "
        f"{envelope[1].max():.3f}. The point stands at skew {now[0]:.3f} and cost {now[1]:.3f}."
    )
    return plot.svg("plot-skew", "Normalised cost at every skew", words)


def roc(line: Line, now: tuple[float, float]) -> str:
    """ROC curve."""
    names = ("share of negatives predicted positive", "share of positives found")
    plot = Plot((0, 1), (0, 1), names, ticks=(SHARES, SHARES))
    plot.line((0, 1), (0, 1), "trivial")
    plot.line(*line, "c0")
    plot.moving("roc", *now)
    words = (
        f"At the point, {now[1]:.1%} of the positives are found and {now[0]:.1%} of the "
        "negatives are predicted positive."
    )
    return plot.svg("plot-roc", "Positives found against false alarms (ROC curve)", words)


def reliability(
    found: Reliability,
    threshold: float | None,
    identity: str = "plot-calibration",
    title: str = "Calibration",
    size: tuple[float, float] = (WIDTH, HEIGHT),
) -> str:
    """Calibration plot: frequencies against probabilities."""
    names = ("mean probability in the group", "share of positives")
    high = min(1.0, 1.15 * float(max(found.high.max(), found.probability.max())))
    high = 1.0 if high > 0.5 else high
    ticks = (SHARES, SHARES) if high == 1 else (None, None)
    plot = Plot((0, high), (0, high), names, ticks=ticks, size=size)
    plot.line((0, high), (0, high), "trivial")
    for p, low, top in zip(found.probability, found.low, found.high, strict=True):
        plot.upright(p, low, min(top, high), "c0 thin")
    plot.line(found.probability, found.frequency, "c0")
    for p, rate in zip(found.probability, found.frequency, strict=True):
        plot.dot(p, rate, "f0")
    if threshold is not None:
        plot.moving_line("threshold", min(threshold, high))
    pairs = ", ".join(
        f"{p:.3f}: {rate:.3f}" for p, rate in zip(found.probability, found.frequency, strict=True)
    )
    words = f"Mean probability and share of positives in each group. {pairs}."
    return plot.svg(identity, title, words)


def decision(curve: DecisionCurve, threshold: float | None) -> str:
    """Decision curve: net benefit of the model and of the two constant predictions."""
    high = 1.08 * max(float(curve.net_benefit.max()), float(curve.treat_all.max()), 1e-6)
    low = -0.18 * high
    names = ("threshold on the probability", "net benefit")
    plot = Plot((0, 1), (low, high), names, ticks=(SHARES, None))
    plot.line((0, 1), (0, 0), "trivial dotted")
    for y, look in ((curve.treat_all, "trivial"), (curve.net_benefit, "c0")):
        end = int(np.append(np.flatnonzero(y < low), y.size)[0])  # below the picture from here
        plot.line(curve.threshold[:end], y[:end], look)
    if threshold is not None:
        plot.moving_line("threshold", threshold)
    better = (curve.net_benefit > np.maximum(curve.treat_all, 0)).mean()
    words = (
        f"The net benefit of the model is at most {curve.net_benefit.max():.3f}; it is above both "
        f"constant predictions at {better:.0%} of the thresholds."
    )
    return plot.svg("plot-decision", "Net benefit at every threshold", words)


def margins(shares: dict[bool, Line]) -> str:
    """Cumulative distributions of margins."""
    names = ("margin", "cumulative share of rows")
    plot = Plot((-1, 1), (0, 1), names, ticks=([-1, -0.5, 0, 0.5, 1], SHARES))
    plot.upright(0, 0, 1, "trivial")
    plot.line(*shares[False], "c1 dashed")
    plot.line(*shares[True], "c0")
    below = {sign: _share_below(*shares[sign]) for sign in shares}
    words = (
        f"{below[True]:.1%} of the positive and {below[False]:.1%} of the negative rows have a "
        "margin of 0 or less."
    )
    return plot.svg("plot-margins", "Margins of the rows", words)


def _share_below(x: Floats, y: Floats) -> float:
    return float(y[x <= 0].max(initial=0.0))


def progress(held: Progress, training: Floats | None, trivial: float, name: str) -> str:
    """Mean cost after each round, and that of the constant prediction ``name``."""
    rounds = np.arange(1, held.cost.size + 1)
    lines = [held.cost, *([] if training is None else [training])]
    high = 1.08 * max(trivial, *(float(line.max()) for line in lines))
    first, last = 1, max(2, held.cost.size)
    plot = Plot((first, last), (0, high), ("rounds", "mean cost of a row"))
    plot.line((first, last), (trivial, trivial), "trivial")
    if training is not None:
        plot.line(np.arange(1, training.size + 1), training, "c1 dashed")
    plot.line(rounds, held.cost, "c0")
    start, end = (amount(float(held.cost[k])) for k in (0, -1))
    words = (
        f"Mean cost {start} after the first round, {end} after the last; {name} costs "
        f"{amount(trivial)}."
    )
    return plot.svg("plot-progress", "Mean cost of a row after each round", words)


def cost_range(found: CostSweep, name: str, identity: str) -> str:
    """Expected cost of a row over the range of one cost."""
    low, high = float(found.lower.min()), float(found.upper.max())
    least = min(low, float(found.known.min()))
    room = 0.06 * (high - least)
    axis = f"{name}, share of its range" if found.of_rows else name
    names = (axis, "expected cost of a row")
    plot = Plot((found.cost[0], found.cost[-1]), (least - room, high + room), names)
    plot.area(found.cost, found.lower, found.upper, "f0 band")
    plot.line(found.cost, found.known, "c1 dashed")
    plot.line(found.cost, found.decided, "c0")
    start, end = (
        f"{amount(float(found.decided[k]))} at {short(float(found.cost[k]))}" for k in (0, -1)
    )
    words = (
        f"From {start} to {end}; with the other uncertain costs from {amount(low)} to "
        f"{amount(high)}."
    )
    return plot.svg(identity, f"Expected cost of a row over the range of {name}", words)


def importances(names: list[str], lost: Sequence[Difference], unit: str) -> str:
    """Bar chart of money with intervals, the most important feature first."""
    left = min(205.0, 16 + CHARACTER * max(len(_cut(name)) for name in names))
    size = (BARS, 64 + 19.0 * len(names))
    low = min(0.0, *(one.low for one in lost))
    high = max(0.0, *(one.high for one in lost)) or 1.0
    n, room = len(names), 0.02 * (high - low)
    of_x = (low - room if low else 0.0, high + room)
    plot = Plot(of_x, (-0.5, n - 0.5), (unit or "cost", ""), size=size, left=left, ticks=(None, []))
    for k, (name, one) in enumerate(zip(names, lost, strict=True)):
        row = n - 1 - k
        plot.bar((min(0.0, one.money), max(0.0, one.money)), (row - 0.36, row + 0.36), "f0")
        plot.line((one.low, one.high), (row, row), "c1")
        plot.label(row, _cut(name))
    words = ", ".join(f"{n}: {short(one.money)}" for n, one in zip(names, lost, strict=True))
    return plot.svg("plot-importances", "What the features are worth", words)


def _cut(name: str, most: int = 26) -> str:
    return name if len(name) <= most else name[: most - 1] + "…"


STRIP = 0.16
"""Height of the bars of the rows, as a share of that of the picture."""


def shape(effect: Effect, name: str, reach: tuple[float, float], identity: str, unit: str) -> str:
    """Effect of one feature on what decides, and the distribution of the rows."""
    if isinstance(effect.x, list):
        return _bars(effect, name, reach, identity, unit)
    ends = float(effect.x[0]), float(effect.x[-1])
    plot = Plot(ends, reach, ("value", ""), size=SMALL, left=46)
    _strip(plot, effect.rows)
    plot.line(plot.x, (0, 0), "trivial")
    plot.line(effect.x, effect.y, "c0")
    low, high = int(effect.y.argmin()), int(effect.y.argmax())
    words = (
        f"Adds between {effect.y[low]:.3g} (at {short(float(effect.x[low]))}) and "
        f"{effect.y[high]:.3g} (at {short(float(effect.x[high]))}) to the {unit}, for values from "
        f"{short(ends[0])} to {short(ends[1])}."
    )
    return plot.svg(identity, f"Effect of {name}", words)


def _strip(plot: Plot, rows: Floats) -> None:
    """Histogram of the rows at the bottom."""
    edge = np.linspace(*plot.x, rows.size + 1)
    most, tall = float(rows.max()) or 1.0, STRIP * (plot.y[1] - plot.y[0])
    for k in np.flatnonzero(rows):
        bottom = plot.y[0]
        plot.bar((edge[k], edge[k + 1]), (bottom, bottom + tall * rows[k] / most), "rows")


def _bars(effect: Effect, name: str, reach: tuple[float, float], identity: str, unit: str) -> str:
    assert isinstance(effect.x, list)
    names, n = effect.x[:MOST_CATEGORIES], min(MOST_CATEGORIES, len(effect.x))
    total = float(effect.rows.sum())
    labels = [
        f"{_cut(one, 13)} {k / total:.0%}" for one, k in zip(names, effect.rows, strict=False)
    ]
    left = min(130.0, 14 + CHARACTER * max(map(len, labels)))
    size = (SMALL[0], max(SMALL[1], 60 + 18.0 * n))
    plot = Plot(reach, (-0.5, n - 0.5), (unit, ""), size=size, left=left, ticks=(None, []))
    for k, label in enumerate(labels):
        row = n - 1 - k
        look = "f0" if effect.rows[k] >= ENOUGH else "f0 pale"
        plot.bar((0, float(effect.y[k])), (row - 0.36, row + 0.36), look)
        plot.label(row, label)
    plot.line((0, 0), plot.y, "trivial")
    words = ", ".join(
        f"{one}: {y:.3g} ({count / total:.0%} of the rows)"
        for one, y, count in zip(names, effect.y, effect.rows, strict=False)
    )
    return plot.svg(identity, f"Effect of {name}", words)
