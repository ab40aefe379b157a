"""Colours, lines, legends and labels. The only module that imports matplotlib."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from costboost.app.plots.numbers import Band
from costboost.metrics.checks import Floats

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#000000", "#56B4E9")
"""Palette of Okabe and Ito for all kinds of colour vision, without the yellow."""
DASHES = ("-", "--", "-.", (0, (6, 1, 1, 1, 1, 1)), (0, (9, 2)), (0, (2, 1)), (0, (4, 1, 1, 1)))
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
OF_CLASS = {True: "-", False: "--"}
"""Line styles of the positive and of the negative class, which differ without colours too."""
GREY = "#666666"
SIZE = (8.0, 4.5)
"""Size of a figure in inches, including the legend beside the axes."""
WIDEST = 0.4
"""Largest share of the figure's width for a legend beside the axes; a wider one is below."""
OURS = "costboost"


# ---- axes ----------------------------------------------------------------------------------------


def pyplot() -> Any:
    """matplotlib.pyplot, or an ImportError that names the extra to install."""
    try:
        from matplotlib import pyplot as plt
    except ImportError as error:
        raise ImportError(
            'drawing needs matplotlib, which is not installed: pip install "costboost[plots]"'
        ) from error
    return plt


def axes(ax: Any, size: tuple[float, float] = SIZE) -> Any:
    """The given axes or those of a new figure, with a layout that makes room for a legend."""
    plt = pyplot()
    if ax is None:
        return plt.subplots(figsize=size, layout="constrained")[1]
    figure = ax.figure.figure
    if figure.get_layout_engine() is None:
        figure.set_layout_engine("tight")  # allows subplots_adjust and tight_layout later on
    return ax


def options(kw: Mapping[str, Any] | None, kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """Options of lines or points, given as a dict or as keywords, by their long names."""
    return _long_names(kw or {}) | _long_names(kwargs)


def label(ax: Any, x: str, y: str) -> None:
    """Set the labels of the axes, unless they have some already."""
    for axis, text in ((ax.xaxis, x), (ax.yaxis, y)):
        if not axis.get_label().get_text():
            axis.set_label_text(text)


def log_axis(ax: Any, few_decades: bool) -> None:
    """Make the x axis logarithmic, with plain numbers at 1, 2 and 5 if there are few decades."""
    from matplotlib.ticker import LogLocator, NullFormatter

    ax.set_xscale("log")
    ax.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if few_decades else (1.0,)))
    ax.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    ax.xaxis.set_minor_formatter(NullFormatter())


# ---- lines ---------------------------------------------------------------------------------------


def drawn(ax: Any, kind: str) -> list[Any]:
    """The lines of a kind that displays have drawn on the axes so far."""
    return [line for line in ax.lines if str(line.get_gid()).startswith(f"{OURS}-{kind}-")]


def gid(ax: Any, kind: str) -> str:
    """Group id of the next line of a kind, by which `drawn` finds it."""
    return f"{OURS}-{kind}-{len(drawn(ax, kind))}"


def style(k: int) -> dict[str, Any]:
    """Colour and dashes of the k-th curve; all of the first 49 differ."""
    n = len(COLOURS)
    return {"color": COLOURS[k % n], "linestyle": DASHES[(k + k // n) % len(DASHES)]}


def curve(
    ax: Any, x: Any, y: Any, kw: Mapping[str, Any] | None, *, kind: str = "curve", **usual: Any
) -> Any:
    """Draw a line with the usual options, which those of the user override."""
    chosen = {**_long_names(usual), "gid": gid(ax, kind), **_long_names(kw or {})}
    return ax.plot(x, y, **chosen)[0]


def band(
    ax: Any, x: Any, band: Band, line: Any, kw: Any, legend_ax: Any = None, note: str | None = None
) -> Any:
    """Draw the area between the limits of a line in its colour; None if there are no limits.

    The legend has the ``note``, unless it is empty; by default that of a confidence band.
    """
    if band.lower is None:
        return None
    usual = {"color": line.get_color(), "alpha": 0.2, "linewidth": 0}
    area = ax.fill_between(x, band.lower, band.upper, **{**usual, **(kw or {})})
    text = f"95% band, {band.n_runs} runs" if note is None else note
    _band_note(ax if legend_ax is None else legend_ax, text)
    return area


def _band_note(ax: Any, text: str) -> None:
    """Add an entry for bands to the legend, once on the same axes."""
    from matplotlib.patches import Rectangle

    if text and text not in ax.get_legend_handles_labels()[1]:
        style: dict[str, Any] = {
            "facecolor": GREY,
            "alpha": 0.2,
            "linewidth": 0,
            "gid": f"{OURS}-trivial-band",
        }
        ax.add_patch(Rectangle((0, 0), 0, 0, label=text, **style))


def point(ax: Any, x: float, y: float, line: Any) -> Any:
    """Mark a point of a line in its colour."""
    usual = {"color": line.get_color(), "marker": "o", "linestyle": "none", "zorder": 3}
    return ax.plot([x], [y], **usual, gid=gid(ax, "point"))[0]


def trivial(ax: Any, x: Any, y: Any, name: str, dashes: Any, kw: Any = None) -> Any:
    """Draw a reference line, such as a trivial classifier, once on the same axes."""
    kind = f"trivial-{name.replace(' ', '-')}"
    if drawn(ax, kind):
        return drawn(ax, kind)[0]
    usual = {"color": GREY, "linestyle": dashes, "linewidth": 1.0, "label": name, "zorder": 1}
    chosen = {**usual, "gid": gid(ax, kind), **_long_names(kw or {})}
    return ax.plot(x, y, **chosen)[0]


def _long_names(kw: Mapping[str, Any]) -> dict[str, Any]:
    """Options of a line by their long names: matplotlib rejects an option under two names."""
    long = {"c": "color", "ls": "linestyle", "lw": "linewidth", "ms": "markersize"}
    return {long.get(name, name): value for name, value in kw.items()}


# ---- legends -------------------------------------------------------------------------------------


def legend(ax: Any, where: str | None, twins: Sequence[Any] = (), *, below: bool = False) -> Any:
    """Draw a legend of all labelled lines of the axes and of their twins, outside of the data.

    "auto" and "outside" are beside the axes, or below if the legend is too wide or ``below`` is
    set. With None there is no legend.
    """
    both = [one.get_legend_handles_labels() for one in (ax, *twins)]
    pairs = [pair for handles, labels in both for pair in zip(handles, labels, strict=True)]
    if where is None or not pairs:
        return None
    pairs.sort(key=lambda pair: f"{OURS}-trivial" in str(pair[0].get_gid()))
    handles, labels = zip(*pairs, strict=True)
    where = "outside" if where == "auto" else where
    if where != "outside":
        return ax.legend(handles, labels, loc=where)
    if not below:
        found = ax.legend(handles, labels, **_beside(ax, twins))
        if found.get_window_extent().width <= WIDEST * ax.figure.bbox.width:
            return found
    return _fitted(ax, handles, labels)


def _beside(ax: Any, twins: Sequence[Any]) -> dict[str, Any]:
    """Legend options for a place on the right of the axes and of their tick labels."""
    right = max((one.yaxis.get_tightbbox().x1 for one in twins), default=ax.bbox.x1)
    place = {"loc": "upper left", "bbox_to_anchor": (1, 1), "borderaxespad": 0.5}
    return {**place, "frameon": False, "bbox_transform": _moved(ax, right - ax.bbox.x1, 0)}


def _fitted(ax: Any, handles: Any, labels: Any) -> Any:
    """A legend below the axes, in as many columns as the width of the figure allows."""
    for n in range(len(labels), 0, -1):
        found = ax.legend(handles, labels, **_below(ax, n))
        if n == 1 or found.get_window_extent().width <= ax.figure.bbox.width:
            return found
    return None


def _below(ax: Any, n: int) -> dict[str, Any]:
    """Legend options for a place below the axes and their labels."""
    bottom = ax.xaxis.get_tightbbox().y0
    place = {"loc": "upper center", "bbox_to_anchor": (0.5, 0), "borderaxespad": 0.2, "ncols": n}
    return {**place, "frameon": False, "bbox_transform": _moved(ax, 0, bottom - ax.bbox.y0)}


def _moved(ax: Any, dx: float, dy: float) -> Any:
    """The coordinates of the axes, moved by a number of pixels that does not depend on size."""
    from matplotlib.transforms import ScaledTranslation

    dpi = ax.figure.dpi
    return ax.transAxes + ScaledTranslation(dx / dpi, dy / dpi, ax.figure.dpi_scale_trans)


# ---- labels of points ----------------------------------------------------------------------------


ROOM = 7.0
"""Distance in points between a marker and its label."""
PLACES = [
    (1, 0, "left", "center"),
    (-1, 0, "right", "center"),
    (0, 1, "center", "bottom"),
    (0, -1, "center", "top"),
    (1, 1, "left", "bottom"),
    (-1, 1, "right", "bottom"),
    (1, -1, "left", "top"),
    (-1, -1, "right", "top"),
    (1, 2.5, "left", "bottom"),
    (1, -2.5, "left", "top"),
    (-1, 2.5, "right", "bottom"),
    (-1, -2.5, "right", "top"),
]
"""Positions of a label relative to its point, the best one first."""


def place_labels(ax: Any, x: Floats, y: Floats, names: Sequence[str], steps: Any) -> list[Any]:
    """Add a label beside each point, away from points, earlier labels and a step line."""
    ax.figure.figure.draw_without_rendering()  # settles the layout, on which distances depend
    radius = ROOM * ax.figure.dpi / 72
    spots = ax.transData.transform(np.column_stack([x, y]))
    taken = [np.array([*spot - radius, *spot + radius]) for spot in spots]
    taken += _treads(ax.transData.transform(steps.get_xydata()))
    frame = np.array(ax.bbox.extents)
    labels = []
    for k, name in enumerate(names):
        label = ax.annotate(name, (x[k], y[k]), (0, 0), textcoords="offset points", zorder=4)
        costs = [_try(label, place, taken, frame) for place in PLACES]
        _try(label, PLACES[int(np.argmin(costs))], taken, frame)
        taken.append(np.array(label.get_window_extent().extents))
        labels.append(label)
    return labels


def _try(label: Any, place: Any, taken: list[Floats], frame: Floats) -> float:
    """Move a label to a place and return the area it covers, outside of the axes 100-fold."""
    dx, dy, ha, va = place
    label.set_position((ROOM * dx, ROOM * dy))
    label.set(ha=ha, va=va)
    box = np.array(label.get_window_extent().extents)
    area = float(np.prod(box[2:] - box[:2]))
    return sum(_common(box, other) for other in taken) + 100 * (area - _common(box, frame))


def _treads(corners: Floats) -> list[Floats]:
    """The horizontal and vertical parts of a step line as boxes."""
    boxes = []
    for (x, y), (right, top) in pairwise(corners):
        for one, other in (((x, y), (right, y)), ((right, y), (right, top))):
            ends = np.sort([one, other], axis=0)
            boxes.append(np.array([*ends[0] - 2, *ends[1] + 2]))
    return boxes


def _common(a: Floats, b: Floats) -> float:
    """Area that two boxes share."""
    sides = np.minimum(a[2:], b[2:]) - np.maximum(a[:2], b[:2])
    return float(np.prod(np.maximum(sides, 0.0)))
