"""Held-out rows in the form that the page embeds, so that it can decide again under other costs.

There are four modes, which differ in what a decision needs:

- "threshold": costs of classes. Rows with the same limit form one level; those with a limit above
  C- / (C- + C+) are predicted positive.
- "rows": every row has its own costs and is kept as it is.
- "factor": many rows with their own costs, grouped by the factor at which the prediction changes.
- "fixed": the classifier does not decide by cost. Rows are grouped by score, and the last groups
  are predicted positive whatever the costs.

If there are more than `MOST` levels, neighbours are joined to bins. The sums of a bin stay exact,
so that all numbers are exact for a threshold between two bins; the page takes such a threshold and
shows it.
"""

from __future__ import annotations

import base64
import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from costboost.metrics.checks import Floats
from costboost.report.numbers.two_classes import (
    TwoClassPredictions,
)

MOST = 200_000
"""Greatest number of levels that a page embeds."""


def held(rows: TwoClassPredictions, most: int = MOST) -> dict[str, Any]:
    """Entries of a JSON object for the rows; arrays are not encoded yet."""
    fn, fp = (1.0, 1.0) if rows.per_row else map(float, rows.stated)
    base: dict[str, Any] = {"n": int(rows.positive.size), "fn": fn, "fp": fp}
    if rows.per_row:
        base["greatest"] = [rows.greatest_cost_of(True), rows.greatest_cost_of(False)]
        base["least"] = [rows.least_cost_of(True), rows.least_cost_of(False)]
    if rows.limit is None:
        return base | _fixed(rows, most)
    if not rows.per_row:
        t = rows.fp_cost / 2 / (rows.fp_cost / 2 + rows.fn_cost / 2)
        return base | {"mode": "threshold"} | _levels(rows, rows.limit, (t, 0.5), most)
    if rows.positive.size <= most:
        return base | {"mode": "rows"} | _rows(rows)
    return base | _by_factor(rows, most)


def _rows(rows: TwoClassPredictions) -> dict[str, Any]:
    """Limit, costs and class of every row, in the order of the factors."""
    assert rows.limit is not None
    factor = rows.factors()
    order = np.argsort(factor, kind="stable")
    n, factor = rows.positive.size, factor[order]
    return {
        "key": rows.limit[order],
        "rowFn": np.broadcast_to(rows.fn_cost, n)[order],
        "rowFp": np.broadcast_to(rows.fp_cost, n)[order],
        "weight": rows.weight[order],
        "positive": rows.positive[order].astype(np.uint8),
        "tie": np.append(False, factor[1:] == factor[:-1]).astype(np.uint8),
        "binned": False,
    }


def _by_factor(rows: TwoClassPredictions, most: int) -> dict[str, Any]:
    factor = rows.factors()
    # Rounding must not change a prediction at the costs given.
    factor = np.where(
        rows.predicted, np.maximum(factor, np.nextafter(1, 2)), np.minimum(factor, 1.0)
    )
    return {"mode": "factor", **_levels(rows, factor, (1.0,), most, also=rows.blind)}


def _fixed(rows: TwoClassPredictions, most: int) -> dict[str, Any]:
    low = rows.score[rows.predicted].min(initial=np.inf)
    blind = rows.score[rows.blind].min(initial=np.inf)
    below = [np.nextafter(edge, -np.inf) for edge in (low, blind) if np.isfinite(edge)]
    found = _levels(rows, rows.score, below, most)
    key = found["key"]
    return {
        "mode": "fixed",
        **found,
        "from": int(np.searchsorted(key, low)),
        "blind": int(np.searchsorted(key, blind)),
    }


def _levels(
    rows: TwoClassPredictions,
    key: Floats,
    edges: Any,
    most: int,
    also: NDArray[np.bool_] | None = None,
) -> dict[str, Any]:
    """Sums over rows with equal keys, or with neighbouring keys if there are too many.

    If ``also`` is given, the sums over these rows only have names that begin with "blind".
    """
    level, place = np.unique(key, return_inverse=True)
    n_levels, top = level.size, level
    if n_levels > most:
        place, level, top = _joined(level, place, edges, most)
    money = rows.weight * (rows.cost if rows.per_row else 1.0)

    def sums(values: Floats, there: NDArray[np.bool_]) -> Floats:
        return np.bincount(place[there], values[there], level.size).astype(np.float64)

    found: dict[str, Any] = {"key": level, "binned": n_levels > most}
    if found["binned"]:
        found["top"] = top
    sides = {"pos": rows.positive, "neg": ~rows.positive}
    if also is not None:
        sides |= {"blindPos": rows.positive & also, "blindNeg": ~rows.positive & also}
    for name, there in sides.items():
        found[name] = sums(rows.weight, there)
        if rows.per_row:
            found[f"{name}Money"] = sums(money, there)
        if rows.per_row or not np.all(rows.weight == 1):
            found[f"{name}Squares"] = sums(money**2, there)
    return found


def _joined(
    level: Floats, place: NDArray[np.intp], edges: Any, most: int
) -> tuple[NDArray[np.intp], Floats, Floats]:
    """Join levels to bins of about equally many rows, none of them across an edge."""
    count = np.cumsum(np.bincount(place, minlength=level.size))
    share = (count - 1) * (most - len(edges)) // count[-1]
    share = share + np.searchsorted(np.sort(edges), level, side="left") * most
    _, first, bins = np.unique(share, return_index=True, return_inverse=True)
    last = np.append(first[1:] - 1, level.size - 1)
    return bins[place], level[first], level[last]


TYPES = (("u1", np.uint8), ("u2", np.uint16), ("u4", np.uint32))


def packed(values: NDArray[Any]) -> dict[str, str]:
    """Encode an array as little-endian base64, integers in as few bytes as possible."""
    numbers = np.ascontiguousarray(values, dtype="<f8")
    whole = bool(np.all(np.isfinite(numbers)) and np.all(numbers == np.floor(numbers)))
    if whole and numbers.size and numbers.min() >= 0:
        for name, kind in TYPES:
            if numbers.max() <= np.iinfo(kind).max:
                return {"type": name, "data": _base64(numbers.astype(f"<{name}"))}
    return {"type": "f8", "data": _base64(numbers)}


def _base64(array: NDArray[Any]) -> str:
    return base64.b64encode(array.tobytes()).decode("ascii")


def script_json(tree: dict[str, Any]) -> str:
    """JSON that is safe inside a script element."""
    text = json.dumps(
        {k: packed(v) if isinstance(v, np.ndarray) else v for k, v in tree.items()},
        allow_nan=False,
        separators=(",", ":"),
    )
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
