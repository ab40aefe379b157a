"""The part of the page that changes when a slider is moved, and the rows that it needs for that.

`shown` formats every number of that part; page.js formats the same numbers for other costs.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from costboost._core.arrays import Flags
from costboost._core.baselines import BY_COSTS
from costboost.app.report.markup import (
    LEVEL,
    Style,
    big,
    control,
    escape,
    number,
    out,
    share,
    table,
    verdict,
)
from costboost.app.report.numbers import (
    ALL,
    COSTS,
    IGNORING,
    NONE,
    Outcome,
    TwoClassPredictions,
    best_without_model,
    difference,
    least_without_model,
    outcome,
    saved_by,
    without_model,
)
from costboost.app.report.words import Comparison, Words
from costboost.metrics.checks import Floats

MOST_REVIEWED = 100_000
"""Greatest number of rows that are decided again with reviews."""


class ReviewStart(NamedTuple):
    """Cost of a review and rates of the reviewer that the controls start with."""

    cost: float
    recall: float = 1.0
    specificity: float = 1.0

    @classmethod
    def of(cls, rows: TwoClassPredictions) -> ReviewStart:
        """A perfect reviewer at half of the lesser cost of an error."""
        least = min(float(np.mean(cost)) for cost in rows.raised)
        return cls(float(f"{least / 2:.3g}"))


def why_no_review(rows: TwoClassPredictions) -> str:
    """Reason why the page has no reviews; empty if it has."""
    if rows.limit is None:
        return "this classifier does not decide by expected cost from probabilities"
    if not np.all(rows.weight == 1):
        return "sample weights are given, and a review is of one row"
    if rows.positive.size > MOST_REVIEWED:
        return f"there are more than {MOST_REVIEWED:,} rows"
    return ""


def held_for_reviews(rows: TwoClassPredictions, start: ReviewStart) -> dict[str, Any]:
    """Entries of the JSON object of the page, in the order of the rows."""
    if why_no_review(rows):
        return {}
    assert rows.limit is not None
    n = rows.positive.size
    found: dict[str, Any] = {
        "review": start._asdict(),
        "reviewP": rows.probability,
        "reviewPositive": rows.positive.astype(np.uint8),
    }
    if not np.array_equal(rows.limit, rows.probability):
        found["reviewLimit"] = rows.limit
    if rows.per_row:
        found |= {
            "reviewFn": np.broadcast_to(rows.fn_cost, n),
            "reviewFp": np.broadcast_to(rows.fp_cost, n),
        }
    return found


def review_controls(
    rows: TwoClassPredictions, style: Style, words: Words, start: ReviewStart
) -> str:
    """Check box and sliders, or the reason why there are none."""
    reason = why_no_review(rows)
    if reason:
        return f'<p class="soft">No reviews by a person on this page: {escape(reason)}.</p>'
    n = rows.positive.size
    recall, specificity = (
        f'min="0" max="100" step="any" value="{100 * rate:.12g}"' for rate in start[1:]
    )
    rates = 'min="0" max="100" step="0.5" value="100"'
    parts = [
        control(
            "review",
            "Cost of a review",
            "",
            'min="-200" max="200" step="1" value="0"',
            f'min="0" step="any" value="{start.cost:.12g}"',
            style.unit,
        ),
        control(
            "capacity",
            "Greatest number of reviews",
            f"of these {n:,} {words.rows}; those for which a review saves most come first",
            f'min="0" max="{n}" step="1" value="{n}"',
            f'min="0" step="1" value="{n}"',
            "",
        ),
        control("recall", "Positives that a review finds", "", rates, recall, "%"),
        control("specificity", "Negatives that a review confirms", "", rates, specificity, "%"),
    ]
    label = f"Some {words.rows} can be reviewed by a person"
    return (
        f'<p class="check"><label><input type="checkbox" id="reviewed" aria-label="{escape(label)}"'
        f'> {escape(label)}</label></p><div id="review-controls" hidden>{"".join(parts)}</div>'
    )


def review_live() -> str:
    """Savings of reviews for a narrow screen, beside the verdict."""
    return f'<span id="review-live" hidden> Reviews save {_shown("less")} more.</span>'


def review_results(rows: TwoClassPredictions) -> str:
    """Cost, savings and number of reviews; the script shows them and fills them in."""
    if why_no_review(rows):
        return ""

    def with_interval(name: str) -> str:
        ends = f"{_shown(f'{name}-low')} to {_shown(f'{name}-high')}"
        return f"{_shown(name)}<small>{LEVEL} interval {ends}</small>"

    items = {
        "Reviewed": f"{_shown('rows')}<small>{_shown('share')} of the rows</small>",
        "Saved by reviews": with_interval("less"),
        "Saved against no model": with_interval("saved"),
        "Cost with reviews": f"{_shown('cost')}<small>{_shown('each')} on average</small>",
        "Decided without review": f"{_shown('positive')} / {_shown('negative')}<small>positive / "
        "negative</small>",
        "One more review is worth": f"{_shown('price')}<small>expected, at this limit</small>",
    }
    return (
        '<div id="review-result" hidden><h4>With reviews</h4><p class="soft">Each row gets the '
        "cheapest of three actions by its probability. The goal does not apply here.</p>"
        f"{big(items)}</div>"
    )


def _shown(name: str) -> str:
    """Element for a number that only the script computes."""
    return out(f"review-{name}", {f"review-{name}": "–"})


# ---- costs, decisions and their results ----------------------------------------------------------


def ways(rows: TwoClassPredictions, predicted: Flags) -> dict[str, Flags]:
    """Predictions that are compared, by the names that the page uses."""
    return {"model": predicted, "blind": rows.blind, **without_model(rows)}


def compared(rows: TwoClassPredictions, predicted: Flags, words: Words) -> Comparison:
    """Compare predictions with the best rule that needs no model."""
    return Comparison(
        outcome(rows, predicted).cost,
        saved_by(rows, predicted),
        least_without_model(rows),
        rule_names(rows, words)[best_without_model(rows)],
        None if rows.right is None else rows.right_cost + rows.least_cost,
    )


def rule_names(rows: TwoClassPredictions, words: Words) -> dict[str, str]:
    """Names of the rules that need no model, by their keys."""
    known = {
        NONE: words.always(rows.other, False),
        ALL: words.always(rows.label, True),
        COSTS: BY_COSTS,
    }
    return {key: known[key] for key in without_model(rows)}


def slider_origins(rows: TwoClassPredictions) -> list[float]:
    """Costs that the sliders start from: those of right predictions, unless costs are of rows."""
    return [0.0, 0.0] if rows.per_row or rows.right is None else [float(c) for c in rows.right]


def class_counts(rows: TwoClassPredictions) -> dict[Any, int]:
    """Number of rows of each class."""
    return {rows.label: int(rows.positive.sum()), rows.other: int((~rows.positive).sum())}


def threshold_of(rows: TwoClassPredictions) -> float | None:
    """Probability above which a row is predicted positive, or None if it differs by row."""
    if rows.limit is None or rows.per_row:
        return None
    return float(rows.fp_cost / 2 / (rows.fp_cost / 2 + rows.fn_cost / 2))


def threshold_text(rows: TwoClassPredictions) -> str:
    """The threshold as text: a number, "by row" or "fixed"."""
    if rows.limit is None:
        return "fixed"
    t = threshold_of(rows)
    return "by row" if t is None else number(t, 4)


def shown(rows: TwoClassPredictions, predicted: Flags, style: Style) -> dict[str, str]:
    """Formatted numbers, by the names of their elements on the page."""
    found = outcome(rows, predicted)
    least, saved = least_without_model(rows), saved_by(rows, predicted)
    texts = {
        "threshold": threshold_text(rows),
        "cost": style.money(found.cost),
        "mean": style.money(found.mean_cost, mean=True),
        "saved": style.money(saved.money),
        "saved-low": number(saved.low, style.total),
        "saved-high": style.money(saved.high),
        "saved-share": share(saved.money / least if least else None),
        "hits": number(found.hits, style.rows),
        "misses": number(found.misses, style.rows),
        "alarms": number(found.alarms, style.rows),
        "rejects": number(found.rejects, style.rows),
        "miss-money": style.money(found.miss_money),
        "alarm-money": style.money(found.alarm_money),
        "recall": share(found.recall),
        "precision": share(found.precision),
        "fpr": share(found.fpr),
    }
    for name, decision in ways(rows, predicted).items():
        other = outcome(rows, decision)
        texts[f"{name}-cost"] = number(other.cost, style.total)
        texts[f"{name}-misses"] = number(other.misses, style.rows)
        texts[f"{name}-alarms"] = number(other.alarms, style.rows)
        if name != "model":
            less = difference(rows, predicted, decision)
            texts[f"{name}-saved"] = number(less.money, style.total)
            texts[f"{name}-low"] = number(less.low, style.total)
            texts[f"{name}-high"] = number(less.high, style.total)
    return texts


Texts = Mapping[str, str]


MORE = "Number of rows, and their cost beyond that of right predictions"
LIVE = " data-verdict data-live aria-hidden=true"
"""Attributes of the verdict that stays in view on a narrow screen while a slider is moved."""


def plain(value: float) -> str:
    """Format a cost as it was given, in the way of JavaScript."""
    text = f"{value:.12g}"
    if "e" not in text:
        return text
    mantissa, exponent = text.split("e")
    return f"{Decimal(text):f}" if -7 < int(exponent) < 21 else f"{mantissa}e{int(exponent):+d}"


def cost_text(rows: TwoClassPredictions, value: float, style: Style) -> str:
    """Format a cost with its unit, or the factor of costs of rows."""
    if rows.per_row:
        return f"\N{MULTIPLICATION SIGN} {plain(1.0)}"
    text = grouped(plain(value))
    return f"{text} {style.unit}" if style.unit else text


def grouped(text: str) -> str:
    """Commas between the thousands of a number without an exponent."""
    whole, dot, rest = text.partition(".")
    if "e" in text:
        return text
    sign = "-" if whole.startswith("-") else ""
    return f"{sign}{int(whole.removeprefix('-')):,}{dot}{rest}"


def controls(
    rows: TwoClassPredictions, style: Style, words: Words, review: ReviewStart, judged: bool = True
) -> str:
    """Form with the sliders, hidden until the script runs; ``judged`` if there is a verdict."""
    what = "each row's cost of " if rows.per_row else "cost of "
    if rows.per_row and rows.right is not None:
        note_on_right = " They multiply what an error costs beyond the right prediction."
    else:
        note_on_right = ""
    suffix = "times" if rows.per_row else style.unit
    slider, box = 'min="-200" max="200" step="1" value="0"', 'min="0" step="any"'
    if rows.limit is None:
        note = (
            "This classifier's predictions are fixed after training: other costs change the cost "
            "of its errors, but not its predictions. CostBoostClassifier, AdaMECClassifier and all "
            "calibrated classifiers predict by the costs."
        )
    else:
        note = "The model is not trained again: the costs move the threshold."
    note += " Sliders range from 1/100 to 100 times the costs given; boxes take any value."
    note += note_on_right
    fn, fp = (1.0, 1.0) if rows.per_row else rows.stated
    parts = [
        control(
            name,
            f"{what}{word}".capitalize(),
            "",
            slider,
            f'{box} value="{plain(value)}"',
            suffix,
        )
        for name, word, value in (
            ("fn", "a miss (false negative)", fn),
            ("fp", "a false alarm (false positive)", fp),
        )
    ]
    goal = control(
        "goal",
        "Find at least this share of the positives",
        "0 means no goal; the threshold is lowered just as far as the goal requires",
        'min="0" max="100" step="0.5" value="0"',
        'min="0" max="100" step="any" value="0"',
        "%",
    )
    live = ""
    if judged:
        live = verdict("unproven", f'<span data-out="verdict"></span>{review_live()}', LIVE)
    return (
        '<form id="controls" class="card" hidden onsubmit="return false">'
        f"<h3>Costs</h3>{live}{''.join(parts)}{goal}"
        f"{review_controls(rows, style, words, review)}"
        f'<button type="button" id="reset">Reset to the costs given</button>'
        f'<p class="soft">{escape(note)}</p></form>'
    )


ON_SAVINGS = ("Saved", "Share saved")


def results(rows: TwoClassPredictions, texts: Texts, sentence: str | None) -> str:
    """Verdict, savings, cost, threshold and rates at the costs of the sliders.

    Without a sentence there is no verdict, and nothing on what is saved: those of the page are on
    other decisions.
    """
    of = "the cost without a model" if rows.right is None else "what perfect decisions would save"
    items = {
        "Saved": f"{out('saved', texts)}<small>{LEVEL} interval {out('saved-low', texts)} to "
        f"{out('saved-high', texts)}</small>",
        "Share saved": f"{out('saved-share', texts)}<small>of {of}</small>",
        "Cost": f"{out('cost', texts)}<small>{out('mean', texts)} on average</small>",
        "Positives found": f"{out('recall', texts)}<small>recall</small>",
        "Share of alarms that are correct": f"{out('precision', texts)}<small>precision</small>",
        "Threshold": f"{out('threshold', texts)}<small>positive above this probability</small>",
    }
    if sentence is None:
        items = {name: one for name, one in items.items() if name not in ON_SAVINGS}
    return (
        '<div class="card result"><h3>Result at these costs</h3>'
        f'<p class="soft">A miss costs {out("now-fn", texts)}, a false alarm '
        f"{out('now-fp', texts)}.</p>{sentence or ''}{big(items)}"
        f"{review_results(rows)}</div>"
    )


def confusion(rows: TwoClassPredictions, texts: Texts) -> str:
    """Confusion table of counts and costs."""
    label, other = escape(rows.label), escape(rows.other)

    beyond = "" if rows.right is None else " more"

    def cell(name: str, money: str | None) -> str:
        what = f"costs {out(money, texts) if money else 'nothing'}{beyond}"
        look = ' class="wrong"' if money else ""
        return f"<td{look}>{out(name, texts)}<small>{what}</small></td>"

    return (
        '<div class="card"><h3>Confusion table</h3><div class="scroll" role="region" '
        'tabindex="0" aria-label="Confusion table"><table>'
        f"<caption>{'Number of rows, and their cost' if not beyond else MORE}</caption>"
        f'<thead><tr><td></td><th scope="col">predicted positive ({label})</th>'
        f'<th scope="col">predicted negative ({other})</th></tr></thead><tbody>'
        f'<tr><th scope="row">positive ({label})</th>{cell("hits", None)}'
        f"{cell('misses', 'miss-money')}</tr>"
        f'<tr><th scope="row">negative ({other})</th>{cell("alarms", "alarm-money")}'
        f"{cell('rejects', None)}</tr></tbody></table></div>"
        f'<p class="soft">{out("fpr", texts)} of the negatives are predicted positive.</p></div>'
    )


def comparison(
    texts: Texts,
    costs: Mapping[str, Outcome],
    style: Style,
    rows: TwoClassPredictions,
    words: Words,
) -> str:
    """Table of the costs of this model and of decision rules that need no training."""
    names = {"model": "this model", "blind": IGNORING, **rule_names(rows, words)}
    unit = f", in {style.unit}" if style.unit else ""
    most = max(found.net_cost for found in costs.values()) or 1.0

    def line(name: str) -> str:
        saved = "–"
        if name != "model":
            low, high = (out(f"{name}-{end}", texts) for end in ("low", "high"))
            saved = f"{out(f'{name}-saved', texts)}<small>{low} to {high}</small>"
        width = max(0.0, 100 * costs[name].net_cost / most)
        bar = f'<div class="track"><span data-bar="{name}" style="width:{width:.4f}%"></span></div>'
        ours = ' class="ours"' if name == "model" else ""
        return (
            f'<tr{ours}><th scope="row">{escape(names[name])}{bar}</th>'
            f"<td>{out(f'{name}-cost', texts)}"
            f"</td><td>{out(f'{name}-misses', texts)}</td><td>{out(f'{name}-alarms', texts)}</td>"
            f"<td>{saved}</td></tr>"
        )

    caption = f"Costs on these rows{unit}, and savings of this model with a {LEVEL} interval"
    head = ["cost", "misses", "false alarms", "model saves"]
    return table("Compared with", caption, head, [line(name) for name in names], "decisions")


# ---- held-out rows in the form that the page embeds, to decide again under other costs -----------

# There are four modes, which differ in what a decision needs:
#
# - "threshold": costs of classes. Rows with the same limit form one level; those with a limit above
#   C- / (C- + C+) are predicted positive.
# - "rows": every row has its own costs and is kept as it is.
# - "factor": many rows with their own costs, grouped by the factor at which the prediction changes.
# - "fixed": the classifier does not decide by cost. Rows are grouped by score, and the last groups
#   are predicted positive whatever the costs.
#
# If there are more than `MOST` levels, neighbours are joined to bins. The sums of a bin stay exact,
# so that all numbers are exact for a threshold between two bins; the page takes such a threshold
# and shows it.
#
# Decisions by costs alone need the share of the positive class and the costs of each row. In the
# modes "factor" and "fixed", where rows are grouped, they have an order of their own with fewer
# levels ("costs"), and the rows that both they and the model predict positive another ("both").

MOST = 200_000
"""Greatest number of levels that a page embeds."""


def held(rows: TwoClassPredictions, most: int = MOST) -> dict[str, Any]:
    """Entries of a JSON object for the rows; arrays are not encoded yet."""
    fn, fp = (1.0, 1.0) if rows.per_row else map(float, rows.stated)
    base: dict[str, Any] = {"n": int(rows.positive.size), "fn": fn, "fp": fp}
    if rows.share is not None:
        base["share"] = rows.share
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
    found = _levels(rows, factor, (1.0,), most, also=rows.blind)
    return {"mode": "factor", **found, **_by_costs(rows, factor)}


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
        **_by_costs(rows, np.where(rows.predicted, np.inf, 0.0)),
    }


MOST_BY_COSTS = 10_000
"""Greatest number of levels of the decisions by costs alone."""


def _by_costs(rows: TwoClassPredictions, factor: Floats) -> dict[str, Any]:
    """Rows in the order of the factors at which decisions by costs alone become negative.

    The joint order has the lesser factor of those decisions and of the model, at which at least one
    of them becomes negative.
    """
    by_costs = rows.by_costs
    if by_costs is None or rows.share is None:
        return {}
    own = rows.factors_of(np.full(rows.positive.size, rows.share))
    own = np.where(by_costs, np.maximum(own, np.nextafter(1, 2)), np.minimum(own, 1.0))
    orders = {"costs": own, "both": np.minimum(own, factor)}
    return {
        f"{order}{name[0].upper()}{name[1:]}": values
        for order, key in orders.items()
        for name, values in _levels(rows, key, (1.0,), MOST_BY_COSTS).items()
        if isinstance(values, np.ndarray) and name != "top"
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
