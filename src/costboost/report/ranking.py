"""Measures of the order of the scores for readers who expect them: AUC, Gini, KS, score bands."""

from __future__ import annotations

import numpy as np

from costboost.metrics import gini_score, ks_score, score_bands
from costboost.report.markup import Style, big, number, section, share, table
from costboost.report.numbers.two_classes import (
    TwoClassPredictions,
)
from costboost.report.words import Words

HEADING = "AUC, Gini, KS and score bands"
N_BANDS = 10


def ranking(rows: TwoClassPredictions, style: Style, words: Words) -> str:
    """Collapsed section with the measures and the table of the bands."""
    truth = rows.positive.astype(int)
    options = {"sample_weight": rows.weight}
    gini = gini_score(truth, rows.probability, **options)
    ks = ks_score(truth, rows.probability, **options)
    items = {
        "AUC": f"{number((gini + 1) / 2, 4)}<small>share of pairs in the right order</small>",
        "Gini": f"{number(gini, 4)}<small>2 AUC − 1</small>",
        "KS": f"{number(ks, 4)}<small>greatest distance of the shares of the classes</small>",
    }
    words_before = (
        "<p>These measures look at the order of the rows by probability only, and not at costs: a "
        "model with a greater AUC can cost more.</p>"
    )
    inside = f"{words_before}{big(items)}{_bands(rows, style, words)}"
    return section(
        "ranking",
        "Order of the scores",
        f'<details class="card"><summary>{HEADING}</summary>{inside}</details>',
    )


def _bands(rows: TwoClassPredictions, style: Style, words: Words) -> str:
    """Table of bands of the probability, the lowest first."""
    p, weight = rows.probability, rows.weight
    found = score_bands(rows.positive.astype(int), p, n_bands=N_BANDS, sample_weight=weight)
    band = np.searchsorted(found.low, p, side="right") - 1
    negative = np.bincount(band, weight * ~rows.predicted, found.low.size) / found.weight
    table_rows = [
        f'<tr><th scope="row">{number(found.low[k], 4)} to {number(found.high[k], 4)}</th>'
        f"<td>{number(found.weight[k], style.rows)}</td>"
        f"<td>{number(found.positives[k], style.rows)}</td><td>{share(found.event_rate[k])}</td>"
        f"<td>{share(negative[k])}</td><td>{share(found.approval_rate[k])}</td>"
        f"<td>{share(found.approved_event_rate[k])}</td></tr>"
        for k in range(found.low.size)
    ]
    caption = (
        "About equally many rows in each band. Event rate: share of positives. Approval rate: "
        "share of all rows in this band and those above it in the table"
    )
    approved = "predicted negative" if words.actions is None else words.actions[0]
    head = [words.rows, "positives", "event rate", f"{approved}, at the costs given",
            "approval rate", "event rate of the approved"]  # fmt: skip
    return table("Score bands", caption, head, table_rows, "probability")
