"""Draws house.svg, the map of the packages in guide-engine.md: ``python docs/draw_house.py``.

The arrows are the imports found in ``src/costboost``. An arrow that follows from others (a imports
b, b imports c, hence a -> c) is not drawn, but all imports are stored in the metadata of the file.
``tests/test_map.py`` compares them with the source.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator, Mapping
from html import escape
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

SOURCE = Path(__file__).parents[1] / "src" / "costboost"
PICTURE = Path(__file__).with_name("house.svg")

Graph = dict[str, set[str]]
"""For each room, a module or package of ``costboost``, the rooms it imports."""

NOT_DRAWN = {"__init__", "__main__", "docstrings", "caching", "checks", "moved"}
"""Rooms that nearly every other one imports, and the two entry points."""

KINDS = {
    "data": "#D6E9F5",
    "algorithm": "#FBE3CF",
    "training": "#D5EFE3",
    "model": "#F6DDEA",
    "estimator": "#FFF3C9",
    "result": "#E6E6E6",
}
"""Colours of the boxes."""

ROOMS = {
    "tables": ("data", "X as columns of numbers"),
    "engine": ("data", "bins, histograms, splits (C++)"),
    "threads": ("data", "number of threads"),
    "arithmetic": ("data", "same bits on every machine"),
    "cluster": ("data", "Dask: data and computation"),
    "fingerprints": ("data", "sketch of the training rows"),
    "cells": ("algorithm", "class x leaf: sums of weights"),
    "rules": ("algorithm", "the algorithms, as records"),
    "costs": ("algorithm", "cost matrices"),
    "baselines": ("result", "decisions without a model"),
    "rows": ("training", "binned rows and their weights"),
    "learners": ("training", "stump, tree, lookup table, ..."),
    "loop": ("training", "the boosting loop, its states"),
    "training": ("training", "from a problem to a model"),
    "model": ("model", "everything a prediction needs"),
    "calibration": ("model", "from scores to probabilities"),
    "explaining": ("model", "contributions of features"),
    "files": ("model", "models on disk"),
    "export": ("model", "models for other programs"),
    "classifiers": ("estimator", "parameters, checks, fit, predict"),
    "multiclass": ("estimator", "cost matrices, many classes"),
    "decisions": ("estimator", "actions, operating points"),
    "algorithms": ("estimator", "list of all classifiers"),
    "public": ("estimator", "names of the package"),
    "metrics": ("result", "costs, curves, ranks, tests"),
    "comparing": ("result", "classifiers on the same folds"),
    "inspection": ("data", "data checks before training"),
    "reading": ("data", "tables from files"),
    "theory": ("result", "losses and properties"),
    "plots": ("result", "displays of matplotlib"),
    "studies": ("result", "experiments of the papers"),
    "report": ("result", "the HTML report"),
    "monitoring": ("result", "new rows against old ones"),
    "datasets": ("result", "data sets of the papers"),
    "cli": ("result", "the command line"),
}
"""Kind and content of each room."""

STEPS = {
    "classifiers": 1,
    "tables": 2,
    "engine": 3,
    "training": 4,
    "rows": 5,
    "loop": 6,
    "learners": 7,
    "rules": 8,
    "model": 9,
    "report": 10,
}
"""Stations of a row on its way from ``fit`` to the report, as numbered in guide-engine.md."""

# ---- imports -------------------------------------------------------------------------------------


def imports(source: Path = SOURCE) -> Graph:
    """The imports between rooms, also those inside functions."""
    graph: Graph = {}
    for path in sorted(source.rglob("*.py")):
        room = path.relative_to(source).parts[0].removesuffix(".py")
        found = graph.setdefault(room, set())
        found.update(one for one in _imported(path) if one != room)
    return {room: found & set(graph) for room, found in graph.items()}


def _imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            base, names = node.module or "", [alias.name for alias in node.names]
            modules = [f"{base}.{name}" for name in names] if base == "costboost" else [base]
        elif isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        else:
            continue
        parts = [module.split(".") for module in modules]
        yield from (part[1] for part in parts if part[0] == "costboost" and len(part) > 1)


def stored(picture: Path = PICTURE) -> Graph:
    """The imports in the metadata of the picture."""
    text = picture.read_text(encoding="utf-8")
    data = text.split("<metadata><![CDATA[")[1].split("]]></metadata>")[0]
    return {room: set(found) for room, found in json.loads(data).items()}


def drawn(graph: Graph) -> Graph:
    """The rooms and arrows that are drawn: the transitive reduction of the imports."""
    part = {room: found - NOT_DRAWN for room, found in graph.items() if room not in NOT_DRAWN}
    below = {room: _reachable(part, room) for room in part}
    return {
        room: {one for one in found if not any(one in below[other] for other in found - {one})}
        for room, found in part.items()
    }


def _reachable(graph: Graph, room: str) -> set[str]:
    found: set[str] = set()
    for one in graph[room]:
        found |= {one} | _reachable(graph, one)
    return found


# ---- layout --------------------------------------------------------------------------------------

WIDTH, HEIGHT = 190.0, 44.0
GAP_X, GAP_Y = 16.0, 34.0
BEND = 26.0
"""Width that an arrow takes where it passes between boxes."""
MARGIN = 18.0
LEGEND = 34.0
"""Height of the legend below the boxes."""
SWEEPS = 60
PULL = 0.8
"""Boxes are pulled to the middle of the picture: 1 is no pull, 0 the middle."""


class Point(NamedTuple):
    """Centre of a box, or of the place where an arrow passes a level."""

    x: float
    y: float


def layout(graph: Graph) -> tuple[dict[str, Point], dict[tuple[str, str], list[Point]], Point]:
    """Centres of the boxes, points of the arrows, and the size of the picture.

    A room is one level above the highest of the rooms it imports, moved up to its importers if it
    imports none.
    """
    level = _levels(graph)
    links = {(a, b): _chain(a, b, level) for a in sorted(graph) for b in sorted(graph[a])}
    neighbours: dict[str, list[str]] = {room: [] for room in sorted(graph)}
    for (above, under), chain in links.items():
        neighbours[above].append(under)
        neighbours[under].append(above)
        for node in chain[1:-1]:  # arrows run straight down and turn above their end
            neighbours[node] = [above]
    for chain in links.values():
        for k, node in enumerate(chain):
            level.setdefault(node, level[chain[0]] - k)
    rows = [
        sorted(node for node in level if level[node] == k) for k in range(max(level.values()) + 1)
    ]
    x = _positions(rows, neighbours)
    left = min(x[node] - _width(node) / 2 for node in level)
    top = max(level.values())
    places = {
        node: Point(
            x[node] - left + MARGIN, MARGIN + HEIGHT / 2 + (top - level[node]) * (HEIGHT + GAP_Y)
        )
        for node in level
    }
    size = Point(
        max(place.x + _width(node) / 2 for node, place in places.items()) + MARGIN,
        2 * MARGIN + HEIGHT + top * (HEIGHT + GAP_Y) + LEGEND,
    )
    arrows = {pair: [places[node] for node in chain] for pair, chain in links.items()}
    return {room: places[room] for room in graph}, arrows, size


def _levels(graph: Graph) -> dict[str, int]:
    level: dict[str, int] = {}

    def find(room: str) -> int:
        if room not in level:
            level[room] = 1 + max((find(one) for one in graph[room]), default=-1)
        return level[room]

    for room in graph:
        find(room)
    for room in sorted(graph, key=lambda one: -level[one]):  # importers first
        above = [level[one] for one in graph if room in graph[one]]
        if above and len(above) >= len(graph[room]):
            level[room] = min(above) - 1
    return level


def _chain(a: str, b: str, level: Mapping[str, int]) -> list[str]:
    """The two rooms, and between them a node for each level that the arrow passes."""
    between = range(level[a] - 1, level[b], -1)
    return [a, *(f"{a} {b} {k}" for k in between), b]


def _positions(rows: list[list[str]], neighbours: Mapping[str, list[str]]) -> dict[str, float]:
    """Horizontal positions: each node near the mean of its neighbours, without overlaps."""
    x = {node: (k - len(row) / 2) * (WIDTH + GAP_X) for row in rows for k, node in enumerate(row)}
    for sweep in range(SWEEPS):
        for row in rows if sweep % 2 else rows[::-1]:
            wanted = {node: _mean([x[one] for one in neighbours[node]]) for node in row}
            wanted |= {node: at * PULL for node, at in wanted.items() if " " not in node}
            order = sorted(row, key=lambda node: (round(wanted[node], 6), node))
            x |= _apart(order, wanted)
    return x


def _mean(values: list[float]) -> float:
    return sum(values) / max(1, len(values))


def _apart(order: list[str], wanted: Mapping[str, float]) -> dict[str, float]:
    """Positions in this order that overlap nowhere, as near to the wanted ones as possible."""
    shift, at = {}, 0.0
    for before, node in zip([None, *order], order, strict=False):
        at += 0.0 if before is None else (_width(before) + _width(node)) / 2 + GAP_X
        shift[node] = at
    blocks: list[list[float]] = []  # sum and number of wanted positions that share a shift
    for node in order:
        blocks.append([wanted[node] - shift[node], 1])
        while len(blocks) > 1 and blocks[-2][0] / blocks[-2][1] > blocks[-1][0] / blocks[-1][1]:
            total, n = blocks.pop()
            blocks[-1][0] += total
            blocks[-1][1] += n
    means = [total / n for total, n in blocks for _ in range(int(n))]
    return {node: mean + shift[node] for node, mean in zip(order, means, strict=True)}


def _width(node: str) -> float:
    return BEND if " " in node else WIDTH


# ---- drawing -------------------------------------------------------------------------------------

STYLE = """
text { font-family: system-ui, "Segoe UI", Helvetica, Arial, sans-serif; fill: #1a1a1a }
.name { font-size: 15px; font-weight: 600 }
.about { font-size: 11.5px; fill: #444 }
.step { font-size: 12px; font-weight: 600; fill: #fff }
.arrow { fill: none; stroke: #777; stroke-width: 1.2 }
""".strip()


def svg(graph: Graph) -> str:
    """The picture."""
    part = drawn(graph)
    places, arrows, size = layout(part)
    data = json.dumps({room: sorted(found) for room, found in sorted(graph.items())})
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size.x:.0f} {size.y:.0f}" '
        f'width="{size.x:.0f}" height="{size.y:.0f}" role="img" aria-labelledby="title">',
        '<title id="title">The packages of costboost and their imports</title>',
        f"<metadata><![CDATA[{data}]]></metadata>",
        f"<style>{STYLE}</style>",
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" '
        'markerHeight="7" orient="auto"><path d="M0,0.5 L8,4 L0,7.5 z" fill="#777"/></marker>'
        "</defs>",
        f'<rect width="{size.x:.0f}" height="{size.y:.0f}" rx="10" fill="#fff"/>',
        *(_arrow(points) for _, points in sorted(arrows.items())),
        *(_box(room, place) for room, place in sorted(places.items())),
        *_legend(size),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _arrow(points: list[Point]) -> str:
    half = HEIGHT / 2
    passed = [Point(p.x, p.y + side) for p in points[1:-1] for side in (-half, half)]
    start, end = points[0], points[-1]
    ends = [Point(start.x, start.y + half), *passed, Point(end.x, end.y - half)]
    path = f"M{ends[0].x:.1f},{ends[0].y:.1f}"
    for a, b in pairwise(ends):
        middle = (a.y + b.y) / 2
        path += f" C{a.x:.1f},{middle:.1f} {b.x:.1f},{middle:.1f} {b.x:.1f},{b.y:.1f}"
    return f'<path class="arrow" d="{path}" marker-end="url(#tip)"/>'


def _box(room: str, place: Point) -> str:
    kind, about = ROOMS.get(room, ("result", ""))
    x, y = place.x - WIDTH / 2, place.y - HEIGHT / 2
    lines = [
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{WIDTH:.0f}" height="{HEIGHT:.0f}" rx="6" '
        f'fill="{KINDS[kind]}" stroke="#999"/>',
        f'<text class="name" x="{place.x:.1f}" y="{place.y - 3:.1f}" text-anchor="middle">'
        f"{escape(room)}</text>",
        f'<text class="about" x="{place.x:.1f}" y="{place.y + 14:.1f}" text-anchor="middle">'
        f"{escape(about)}</text>",
    ]
    if room in STEPS:
        lines += [
            f'<circle cx="{x + 3:.1f}" cy="{y + 3:.1f}" r="10.5" fill="#0072B2"/>',
            f'<text class="step" x="{x + 3:.1f}" y="{y + 7.2:.1f}" text-anchor="middle">'
            f"{STEPS[room]}</text>",
        ]
    return "\n".join(lines)


def _legend(size: Point) -> Iterator[str]:
    """The colours of the kinds, and the meaning of the numbers."""
    y = size.y - MARGIN
    entries = [*KINDS.items(), ("numbers: the way of a row", "#0072B2")]
    x = MARGIN
    for text, colour in entries:
        yield (
            f'<rect x="{x:.0f}" y="{y - 11:.0f}" width="14" height="14" rx="3" fill="{colour}" '
            'stroke="#999"/>'
        )
        yield f'<text class="about" x="{x + 20:.0f}" y="{y:.0f}">{escape(text)}</text>'
        x += 34 + 7 * len(text)


if __name__ == "__main__":
    PICTURE.write_text(svg(imports()), encoding="utf-8")
