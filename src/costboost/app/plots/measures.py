"""Lines of several measures of decisions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from costboost.app.plots import drawing
from costboost.app.plots.display import LineDisplay, Look
from costboost.app.plots.numbers.bands import Band
from costboost.app.plots.numbers.measures import MEASURES, TITLES

OF_A_CLASS = {"precision", "recall", "f1"}
"""Measures of one of the classes."""
RIGHT = "cost"
"""A measure that is not a share and has an axis of its own on the right."""


@dataclass(kw_only=True, eq=False, repr=False)
class MeasuresDisplay(LineDisplay):
    """Base class of displays of several measures, not for direct use."""

    values: Mapping[str, Band]
    train_values: Mapping[str, Band] | None = None
    pos_label: Any = None
    name: str | None = None

    def __post_init__(self) -> None:
        found = [*self.values.values(), *(self.train_values or {}).values()]
        if not self.values or any(len(one.middle) != len(found[0].middle) for one in found):
            raise ValueError("values must have at least one measure, and all be of one length")

    @property
    def _x(self) -> Any:
        raise NotImplementedError

    @property
    def _x_title(self) -> str:
        raise NotImplementedError

    def _draw(self, ax: Any, look: Look) -> list[Any]:
        places = _places(ax, [*self.values, *(self.train_values or {})])
        self.cost_ax_ = places.get(RIGHT)
        n_before = sum(len(drawing.drawn(one, "curve")) for one in {ax, *places.values()})
        common = (places, n_before, look)
        self.lines_, self.bands_ = self._draw_lines(self.values, False, *common)
        trained = self.train_values or {}
        self.train_lines_, self.train_bands_ = self._draw_lines(trained, True, *common)
        self._finish(ax, places)
        return [one for one in {*places.values()} if one is not ax]

    def _draw_lines(
        self,
        values: Mapping[str, Band],
        trained: bool,
        places: Mapping[str, Any],
        n_before: int,
        look: Look,
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Lines and bands by measure."""
        lines: dict[str, Any] = {}
        bands: dict[str, Any] = {}
        for k, (measure, band) in enumerate(values.items()):
            ax = places[measure]
            style = _style(measure, k, n_before, trained, len(band.middle))
            label = self._label(measure, ax, trained, look.name)
            line = drawing.curve(ax, self._x, band.middle, look.line_kw, label=label, **style)
            lines[measure] = line
            bands[measure] = drawing.band(ax, self._x, band, line, look.band_kw, self.ax_)
        return lines, bands

    def _label(self, measure: str, place: Any, trained: bool, name: str | None) -> str:
        text = TITLES.get(measure, measure)
        text = text if name is None else f"{name}: {text}"
        if self.train_values is not None:
            text += ", training" if trained else ", test"
        return text if place is self.ax_ else f"{text} (right axis)"

    def _finish(self, ax: Any, places: Mapping[str, Any]) -> None:
        """Names and limits of the axes."""
        left = [measure for measure, place in places.items() if place is ax]
        titles = TITLES.get(left[0], left[0]) if len(left) == 1 else "value"  # of several: legend
        if self.pos_label is not None and OF_A_CLASS & set(left):
            titles += f" (class {self.pos_label})"
        drawing.label(ax, self._x_title, "mean cost per row" if left == [RIGHT] else titles)
        if self.cost_ax_ is not None:
            self.cost_ax_.set_ylabel("mean cost per row")
        for one in {ax, *places.values()}:
            if one is ax and OF_A_CLASS & set(left):
                ax.set_ylim(-0.03, 1.03)
            elif _lowest(one) >= 0:
                one.set_ylim(bottom=0)


def _lowest(ax: Any) -> float:
    return min(float(np.min(line.get_ydata())) for line in drawing.drawn(ax, "curve"))


def _places(ax: Any, measures: Sequence[str]) -> dict[str, Any]:
    """The axes that each measure is drawn on."""
    if RIGHT not in measures or len(set(measures)) == 1:
        return dict.fromkeys(measures, ax)
    return {measure: _twin(ax) if measure == RIGHT else ax for measure in measures}


def _twin(ax: Any) -> Any:
    """The axes on the right, created when they are first needed."""
    mark = f"{drawing.OURS}-right"
    for one in ax.get_shared_x_axes().get_siblings(ax):
        if one.get_gid() == mark and np.array_equal(one.bbox.bounds, ax.bbox.bounds):
            return one
    twin = ax.twinx()
    twin.set_gid(mark)
    return twin


def _style(measure: str, k: int, n_before: int, trained: bool, n: int) -> dict[str, Any]:
    """Colour, dashes and marker of a measure; on axes with other lines, the next unused ones.

    Lines of training rows are dotted and have no markers.
    """
    own = list(MEASURES).index(measure) if measure in MEASURES else k
    place = n_before + k if n_before else own
    colour = drawing.COLOURS[place % len(drawing.COLOURS)]
    if trained:
        return {"color": colour, "linestyle": ":"}
    every = max(1, n // 8)
    return {
        "color": colour,
        "linestyle": drawing.DASHES[place % 3],
        "marker": drawing.MARKERS[place % len(drawing.MARKERS)],
        "markersize": 5,
        "markevery": (min(k * every // 4, n - 1), every),  # not all at the same points
    }
