"""Figures of studies as SVG and PNG; the same figure gives the same bytes."""

from __future__ import annotations

import io
import re
from typing import Any

from costboost.plots.drawing import pyplot
from costboost.studies.study import Figure

STYLE = {"svg.hashsalt": "costboost", "svg.fonttype": "path", "font.size": 9.5}
RESOLUTION = 150
IDENTIFIER = re.compile(r'(\bid="|href="#|url\(#)')


def svg(figure: Figure) -> str:
    """A figure as an SVG document."""
    return _drawn(figure, format="svg", metadata={"Date": None, "Creator": None}).decode()


def png(figure: Figure) -> bytes:
    """A figure as a PNG file."""
    return _drawn(figure, format="png", dpi=RESOLUTION, metadata={"Software": None})


def _drawn(figure: Figure, **options: Any) -> bytes:
    plt = pyplot()
    from matplotlib.figure import Figure as Canvas  # without a window or pyplot's list of figures

    buffer = io.BytesIO()
    with plt.rc_context(STYLE):
        canvas = Canvas(figsize=figure.size, layout="constrained")
        figure.draw(canvas)
        canvas.savefig(buffer, **options)
    return buffer.getvalue()


def inline_svg(document: str, prefix: str, label: str) -> str:
    """The element of an SVG document, with identifiers that are unique in an HTML page."""
    element = document[document.index("<svg") :]
    element = IDENTIFIER.sub(rf"\g<1>{prefix}-", element)
    element = re.sub(r"<metadata>.*?</metadata>", "", element, flags=re.DOTALL)
    return element.replace("<svg", f'<svg role="img" aria-label="{label}"', 1).strip()
