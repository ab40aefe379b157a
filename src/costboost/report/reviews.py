"""Controls and results of a third action, the review of a row by a person."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from costboost.report.markup import LEVEL, Style, big, control, escape, out
from costboost.report.numbers.two_classes import (
    TwoClassPredictions,
)
from costboost.report.words import Words

MOST = 100_000
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


def why_none(rows: TwoClassPredictions) -> str:
    """Reason why the page has no reviews; empty if it has."""
    if rows.limit is None:
        return "this classifier does not decide by expected cost from probabilities"
    if not np.all(rows.weight == 1):
        return "sample weights are given, and a review is of one row"
    if rows.positive.size > MOST:
        return f"there are more than {MOST:,} rows"
    return ""


def held_for_reviews(rows: TwoClassPredictions, start: ReviewStart) -> dict[str, Any]:
    """Entries of the JSON object of the page, in the order of the rows."""
    if why_none(rows):
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


def controls(rows: TwoClassPredictions, style: Style, words: Words, start: ReviewStart) -> str:
    """Check box and sliders, or the reason why there are none."""
    reason = why_none(rows)
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


def live() -> str:
    """Savings of reviews for a narrow screen, beside the verdict."""
    return f'<span id="review-live" hidden> Reviews save {_shown("less")} more.</span>'


def results(rows: TwoClassPredictions) -> str:
    """Cost, savings and number of reviews; the script shows them and fills them in."""
    if why_none(rows):
        return ""

    def with_interval(name: str) -> str:
        ends = f"{_shown(f'{name}-low')} to {_shown(f'{name}-high')}"
        return f"{_shown(name)}<small>{LEVEL} interval {ends}</small>"

    items = {
        "Reviewed": f"{_shown('rows')}<small>{_shown('share')} of the rows</small>",
        "Saved by reviews": with_interval("less"),
        "Saved against no model": with_interval("saved"),
        "Cost with reviews": f"{_shown('cost')}<small>{_shown('each')} per 1,000</small>",
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
