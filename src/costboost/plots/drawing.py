"""How pictures look: colours, lines, legends. The only file that imports matplotlib."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from costboost.plots.numbers.runs import Band

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#000000", "#56B4E9")
"""Okabe and Ito's, told apart whatever one's colour vision; their yellow is too faint on white."""
DASHES = ("-", "--", "-.", (0, (6, 1, 1, 1, 1, 1)), (0, (9, 2)), (0, (2, 1)), (0, (4, 1, 1, 1)))
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
OF_CLASS = {True: "-", False: "--"}
"""Lines of the positive and of the negative class, for those who see no colours."""
GREY = "#666666"
SIZE = (8.0, 4.5)
"""Inches; the legend beside the axes has its place in it."""
WIDEST = 0.4
"""Share of the figure's width that a legend beside the axes may take; a wider one goes below."""
OURS = "costboost"


# ---- axes ----------------------------------------------------------------------------------------


def pyplot() -> Any:
    """matplotlib.pyplot, or a word on how to get it."""
    try:
        from matplotlib import pyplot as plt
    except ImportError as error:
        raise ImportError(
            'drawing needs matplotlib, which is not installed: pip install "costboost[plots]"'
        ) from error
    return plt


def axes(ax: Any, size: tuple[float, float] = SIZE) -> Any:
    """The axes given, or those of a new figure; either way the figure makes room for what is
    beside them."""
    plt = pyplot()
    if ax is None:
        return plt.subplots(figsize=size, layout="constrained")[1]
    figure = ax.figure.figure
    if figure.get_layout_engine() is None:
        figure.set_layout_engine("tight")  # bears with subplots_adjust and tight_layout later on
    return ax


def options(kw: Mapping[str, Any] | None, kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """Options of lines or points, whether given as a dict or as keywords."""
    return _spelt_out(kw or {}) | _spelt_out(kwargs)


def label(ax: Any, x: str, y: str) -> None:
    """Name the axes, unless the user has done so before."""
    for axis, text in ((ax.xaxis, x), (ax.yaxis, y)):
        if not axis.get_label().get_text():
            axis.set_label_text(text)


def log_axis(ax: Any, few_decades: bool) -> None:
    """A logarithmic axis with plain numbers, and enough of them."""
    from matplotlib.ticker import LogLocator, NullFormatter

    ax.set_xscale("log")
    ax.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if few_decades else (1.0,)))
    ax.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    ax.xaxis.set_minor_formatter(NullFormatter())


# ---- lines ---------------------------------------------------------------------------------------


def drawn(ax: Any, kind: str) -> list[Any]:
    """The lines of a kind that these displays have put on the axes so far."""
    return [line for line in ax.lines if str(line.get_gid()).startswith(f"{OURS}-{kind}-")]


def gid(ax: Any, kind: str) -> str:
    """A name for the next line of a kind, by which it is found again."""
    return f"{OURS}-{kind}-{len(drawn(ax, kind))}"


def style(k: int) -> dict[str, Any]:
    """Colour and dashes of the k-th curve; all of the first 49 differ."""
    n = len(COLOURS)
    return {"color": COLOURS[k % n], "linestyle": DASHES[(k + k // n) % len(DASHES)]}


def curve(
    ax: Any, x: Any, y: Any, kw: Mapping[str, Any] | None, *, kind: str = "curve", **usual: Any
) -> Any:
    """A line as it usually looks, unless the user wants it otherwise."""
    chosen = {**_spelt_out(usual), "gid": gid(ax, kind), **_spelt_out(kw or {})}
    return ax.plot(x, y, **chosen)[0]


def band(ax: Any, x: Any, band: Band, line: Any, kw: Any, legend_ax: Any = None) -> Any:
    """The area between the limits of a line, in its colour; None where there are no limits."""
    if band.lower is None:
        return None
    usual = {"color": line.get_color(), "alpha": 0.2, "linewidth": 0}
    area = ax.fill_between(x, band.lower, band.upper, **{**usual, **(kw or {})})
    _band_note(ax if legend_ax is None else legend_ax, band.n_runs)
    return area


def _band_note(ax: Any, n_runs: int) -> None:
    """Say in the legend what bands are, once on the same axes."""
    from matplotlib.patches import Rectangle

    text = f"95% band, {n_runs} runs"
    if text not in ax.get_legend_handles_labels()[1]:
        look: dict[str, Any] = {
            "facecolor": GREY,
            "alpha": 0.2,
            "linewidth": 0,
            "gid": f"{OURS}-trivial-band",
        }
        ax.add_patch(Rectangle((0, 0), 0, 0, label=text, **look))


def trivial(ax: Any, x: Any, y: Any, name: str, dashes: Any, kw: Any = None) -> Any:
    """A line that stands for knowing nothing, drawn once on the same axes."""
    kind = f"trivial-{name.replace(' ', '-')}"
    if drawn(ax, kind):
        return drawn(ax, kind)[0]
    usual = {"color": GREY, "linestyle": dashes, "linewidth": 1.0, "label": name, "zorder": 1}
    chosen = {**usual, "gid": gid(ax, kind), **_spelt_out(kw or {})}
    return ax.plot(x, y, **chosen)[0]


def _spelt_out(kw: Mapping[str, Any]) -> dict[str, Any]:
    """Options of a line by their long names: matplotlib takes no option twice."""
    long = {"c": "color", "ls": "linestyle", "lw": "linewidth", "ms": "markersize"}
    return {long.get(name, name): value for name, value in kw.items()}


# ---- legends -------------------------------------------------------------------------------------


def legend(ax: Any, where: str | None, twins: Sequence[Any] = (), *, below: bool = False) -> Any:
    """All labelled lines of the axes and of their twins, where no data are.

    "auto" and "outside" are beside the axes, or below where it is too wide for that or ``below``
    is set. None draws none.
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
    """On the right of the axes, and of the numbers and names that may stand there."""
    right = max((one.yaxis.get_tightbbox().x1 for one in twins), default=ax.bbox.x1)
    place = {"loc": "upper left", "bbox_to_anchor": (1, 1), "borderaxespad": 0.5}
    return {**place, "frameon": False, "bbox_transform": _moved(ax, right - ax.bbox.x1, 0)}


def _fitted(ax: Any, handles: Any, labels: Any) -> Any:
    """A legend below the axes, in as many columns as the figure is wide enough for."""
    for n in range(len(labels), 0, -1):
        found = ax.legend(handles, labels, **_below(ax, n))
        if n == 1 or found.get_window_extent().width <= ax.figure.bbox.width:
            return found
    return None


def _below(ax: Any, n: int) -> dict[str, Any]:
    """Below the axes, and below the numbers and the name that stand there."""
    bottom = ax.xaxis.get_tightbbox().y0
    place = {"loc": "upper center", "bbox_to_anchor": (0.5, 0), "borderaxespad": 0.2, "ncols": n}
    return {**place, "frameon": False, "bbox_transform": _moved(ax, 0, bottom - ax.bbox.y0)}


def _moved(ax: Any, dx: float, dy: float) -> Any:
    """The axes' own coordinates, moved by so many pixels of the screen whatever their size."""
    from matplotlib.transforms import ScaledTranslation

    dpi = ax.figure.dpi
    return ax.transAxes + ScaledTranslation(dx / dpi, dy / dpi, ax.figure.dpi_scale_trans)
