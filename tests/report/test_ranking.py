"""AUC, Gini, KS, score bands and net benefit on the page are those of peers."""

from __future__ import annotations

import re
from html import unescape

import numpy as np
import pytest
from report.browsing import Open
from report.examples import EXAMPLES, of_classes
from report.test_browser import predictions_of
from report.test_page import Reader, read
from scipy.stats import ks_2samp
from sklearn.metrics import roc_auc_score

from costboost import report
from costboost.app.report import plot_data
from costboost.app.report.markup import number, share


@pytest.mark.parametrize("name", ["classes", "mixed", "fixed"])
def test_measures_of_order(name: str) -> None:
    rows = predictions_of(EXAMPLES[name](), 1, 1)
    auc = roc_auc_score(rows.positive, rows.probability)
    ks = ks_2samp(rows.probability[rows.positive], rows.probability[~rows.positive]).statistic
    text = read(name).text
    assert f"AUC{number(auc, 4)}share of pairs" in text
    assert f"Gini{number(2 * auc - 1, 4)}2 AUC" in text
    assert f"KS{number(float(ks), 4)}greatest" in text


@pytest.mark.parametrize("name", ["rows", "weighted", "mixed"])
def test_bands_contain_all_rows(name: str) -> None:
    example = EXAMPLES[name]()
    rows = predictions_of(example, 1, 1)
    text = report.html(example.model, example.X, example.y, **example.options)
    table = text[text.index("Score bands</h3>") :]
    table = table[table.index("<tbody>") : table.index("</tbody>")]
    lines = [
        [unescape(re.sub("<.*?>", "", cell)) for cell in re.findall("<t[hd].*?</t[hd]>", line)]
        for line in table.split("</tr>")[:-1]
    ]
    total = rows.weight.sum()
    approved = positives = 0.0
    for band, n, events, rate, _, approval, approved_rate in lines:
        low, high = map(float, band.split(" to "))
        there = (rows.probability >= low - 5e-5) & (rows.probability <= high + 5e-5)
        assert rows.weight[there].sum() >= float(n) > 0
        assert share(float(events) / float(n)) == rate
        approved, positives = approved + float(n), positives + float(events)
        assert share(approved / total) == approval
        assert share(positives / approved) == approved_rate
    assert approved == pytest.approx(total)
    assert positives == pytest.approx(rows.weight[rows.positive].sum())


def test_the_decisions_of_the_model_are_in_the_bands() -> None:
    page = read("classes", rows_are="tumours", negative_action="leaving",
                positive_action="removing")  # fmt: skip
    assert "leaving, at the costs given" in page.text
    assert "predicted negative, at the costs given" in read("classes").text


def test_net_benefit_is_that_of_its_formula() -> None:
    rows = predictions_of(of_classes(), 1, 1)
    curve = plot_data.decision(rows)
    for k in (10, 60, 150):
        t = curve.threshold[k]
        called = rows.probability > t
        hits, alarms = (called & rows.positive).mean(), (called & ~rows.positive).mean()
        assert curve.net_benefit[k] == pytest.approx(hits - alarms * t / (1 - t), abs=1e-12)


def test_the_threshold_moves_on_the_decision_curve(open_page: Open) -> None:
    page = open_page(of_classes())
    for fn in (-60, 0, 80):
        page.slide("fn", fn)
        x, axes, frame = page.run(
            "const line = document.querySelector('#plot-decision [data-upright]');"
            "const svg = line.closest('svg');"
            "return [Number(line.getAttribute('x1')), svg.dataset.axes.split(',').map(Number),"
            "svg.dataset.frame.split(',').map(Number)]"
        )
        t = axes[0] + (x - frame[0]) / (frame[1] - frame[0]) * (axes[1] - axes[0])
        costs = page.box("fn"), page.box("fp")
        assert t == pytest.approx(costs[1] / sum(costs), abs=2e-3)


def test_the_table_is_collapsed() -> None:
    page = Reader(report.html(of_classes().model, of_classes().X, of_classes().y))
    assert ("details", {"class": "card"}) in page.elements
    assert np.sum([tag == "summary" for tag, _ in page.elements]) >= 1
