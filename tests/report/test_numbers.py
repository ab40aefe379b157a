"""The numbers behind the page are those of the library."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from report.examples import EXAMPLES, Example, fixed, of_classes, of_rows, tumours

import costboost
from costboost._core.model.threshold import cost_limits
from costboost.algorithms import CLASSES
from costboost.app.report import plot_data
from costboost.app.report.interactive import held
from costboost.app.report.markup import decimals_for, number, short
from costboost.app.report.numbers import (
    TwoClassPredictions,
    all_negative,
    difference,
    least_without_model,
    outcome,
    predict_two_classes,
    without_model,
)
from costboost.metrics import cost_curve, normalized_cost, savings, total_cost

CLASSIFIERS = [cls.__name__ for cls in CLASSES]


def predictions_of(example: Example, **other: Any) -> TwoClassPredictions:
    options = {"fn_cost": example.fn_cost, "fp_cost": example.fp_cost, "sample_weight": None}
    options |= {k: v for k, v in example.more.items() if k in options} | other
    weight = options.pop("sample_weight")
    return predict_two_classes(example.model, example.X, example.y, options, weight)


# ---- limits --------------------------------------------------------------------------------------


@pytest.mark.parametrize("calibration", [None, "isotonic"])
@pytest.mark.parametrize("name", CLASSIFIERS)
@pytest.mark.filterwarnings("ignore")
def test_limits_decide_as_predict_does(name: str, calibration: str | None) -> None:
    X, held_out, y, _ = tumours()
    model = getattr(costboost.algorithms, name)(
        n_estimators=8, calibration=calibration, random_state=0
    )
    model.fit(X.iloc[:, :6], y)
    rows = held_out.iloc[:, :6]
    if not model.decides_by_cost:
        return
    limit = cost_limits(model.model_, model.raw_score(rows))
    for fn, fp in [(1, 1), (10, 1), (1, 10), (2, 3), (1e-9, 1), (1, 1e-9), (1 / 3, 0.7)]:
        predicted = model.predict(rows, fn_cost=fn, fp_cost=fp) == model.classes_[1]
        assert np.array_equal(limit > (fp / 2) / (fp / 2 + fn / 2), predicted), (fn, fp)


@settings(deadline=None, derandomize=True, max_examples=60)
@given(row=st.integers(0, 200))
def test_a_limit_is_where_the_decision_flips(row: int) -> None:
    held_out = tumours()[1]
    model = fixed_adamec()
    score = model.raw_score(held_out.iloc[[row]])
    limit = float(cost_limits(model.model_, score)[0])
    below = np.nextafter(limit, 0)
    for t, expected in ((limit, False), (below, True)):
        y_pred = model.predict(held_out.iloc[[row]], fn_cost=2 * (1 - t), fp_cost=2 * t)
        assert (y_pred[0] == "malignant") == expected


@cache
def fixed_adamec() -> Any:
    X, _, y, _ = tumours()
    return costboost.algorithms.AdaMECClassifier(n_estimators=10, probability="logistic").fit(X, y)


@pytest.mark.parametrize("name", EXAMPLES)
def test_answers_are_those_of_the_model(name: str) -> None:
    example = EXAMPLES[name]()
    rows = predictions_of(example)
    costs = (example.fn_cost, example.fp_cost) if rows.limit is not None else ()
    y_pred = example.model.predict(example.X, *costs)[rows.rows]
    column = list(example.model.classes_).index(rows.label)
    assert np.array_equal(rows.predicted, y_pred == rows.label)
    assert np.array_equal(
        rows.probability, example.model.predict_proba(example.X)[rows.rows, column]
    )
    assert np.array_equal(rows.positive, np.asarray(example.y)[rows.rows] == rows.label)


# ---- outcomes ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", EXAMPLES)
def test_outcomes_are_those_of_the_metrics(name: str) -> None:
    example = EXAMPLES[name]()
    rows = predictions_of(example)
    options = {"fn_cost": rows.fn_cost, "fp_cost": rows.fp_cost, "sample_weight": rows.weight}
    truth, y_pred = rows.positive.astype(int), rows.predicted.astype(int)
    found = outcome(rows, rows.predicted)
    assert found.cost == pytest.approx(total_cost(truth, y_pred, **options), rel=1e-13)
    rules = without_model(rows)
    shares = [savings(truth, y_pred, baseline=one.astype(int), **options) for one in rules.values()]
    trivial = least_without_model(rows)
    assert 1 - found.cost / trivial == pytest.approx(min(shares), abs=1e-12)
    assert found.hits + found.misses == rows.weight[rows.positive].sum()
    assert found.alarms + found.rejects == rows.weight[~rows.positive].sum()


def test_intervals_are_those_of_a_sum_of_rows() -> None:
    rows = predictions_of(of_rows())
    lost = [
        np.where(way != rows.positive, rows.cost, 0) for way in (all_negative(rows), rows.predicted)
    ]
    saved = lost[0] - lost[1]
    found = difference(rows, rows.predicted, all_negative(rows))
    half = 1.959963984540054 * saved.std(ddof=1) * np.sqrt(saved.size)
    assert found.money == pytest.approx(saved.sum())
    assert found.low == pytest.approx(saved.sum() - half)
    assert found.high == pytest.approx(saved.sum() + half)


def test_intervals_cover_what_they_promise() -> None:
    """Of many samples of rows, about 95 % have the true saving in their interval."""
    random = np.random.default_rng(0)
    rows = predictions_of(of_rows())
    n = rows.positive.size
    true = difference(rows, rows.predicted, all_negative(rows)).money
    inside = 0
    for _ in range(400):
        drawn = random.integers(0, n, n)
        per_row = {name: v[drawn] for name, v in vars(rows).items() if np.ndim(v) == 1}
        sample = replace(rows, **per_row)
        found = difference(sample, sample.predicted, all_negative(sample))
        inside += found.low <= true <= found.high
    assert 0.92 <= inside / 400 <= 0.98


# ---- curves --------------------------------------------------------------------------------------


@pytest.mark.parametrize("example", [of_classes, of_rows])
@pytest.mark.parametrize("factor", [0.1, 0.5, 1.0, 3.0, 20.0])
def test_decisions_lie_on_the_brier_curve(example: Any, factor: float) -> None:
    """At every ratio of the costs, the predictions cost what the curve shows."""
    base = predictions_of(example())
    rows = predictions_of(example(), fp_cost=factor * np.asarray(example().fp_cost))
    options = {"fn_cost": rows.fn_cost, "fp_cost": rows.fp_cost}
    q = normalized_cost(rows.positive.astype(int), rows.predicted.astype(int), **options)
    z = rows.greatest_cost_of(False) / rows.greatest_cost
    x, y = plot_data.brier(base)
    k = np.searchsorted(x, z, side="right")
    at = y[k - 1] + (z - x[k - 1]) / (x[k] - x[k - 1]) * (y[k] - y[k - 1])
    assert at == pytest.approx(q, abs=1e-9)
    ex, ey = plot_data.envelope(base)
    assert np.interp(z, ex, ey) <= q + 1e-12


def test_the_envelope_is_the_cost_curve_for_costs_of_classes() -> None:
    rows = predictions_of(of_classes())
    z, q = cost_curve(rows.positive.astype(int), rows.probability)
    assert np.allclose(np.interp(z, *plot_data.envelope(rows)), q)


def test_roc_ends_in_both_corners_and_passes_the_decisions() -> None:
    rows = predictions_of(of_classes())
    x, y = plot_data.roc(rows)
    found = outcome(rows, rows.predicted)
    assert (x[0], y[0], x[-1], y[-1]) == (0, 0, 1, 1)
    assert np.min(np.hypot(x - found.fpr, y - found.recall)) < 1e-12


def test_thinning_keeps_ends_and_extremes() -> None:
    x = np.linspace(0, 1, 50_000)
    y = np.sin(40 * x)
    y[12_345] = 3.0
    a, b = plot_data.thinned(x, y)
    assert a.size <= 4 * plot_data.COLUMNS
    assert (a[0], a[-1], b.max(), b.min()) == (0, 1, 3.0, y.min())
    assert np.all(np.diff(a) > 0)


def test_reliability_groups_hold_all_rows() -> None:
    rows = predictions_of(of_classes())
    found = plot_data.reliability(rows.positive, rows.probability, rows.weight)
    assert found.weight.sum() == rows.positive.size
    assert found.weight @ found.frequency == pytest.approx(rows.positive.sum())
    assert found.weight @ found.probability == pytest.approx(rows.probability.sum())
    assert np.all((found.low <= found.frequency) & (found.frequency <= found.high))


def test_progress_ends_where_the_model_is() -> None:
    for example in (of_classes(), of_rows(), fixed()):
        rows = predictions_of(example)
        found = plot_data.progress(example.model, example.X, rows, 0)
        assert found.cost.size == example.model.n_iter_
        assert found.cost[-1] == pytest.approx(outcome(rows, rows.predicted).mean_cost)


def test_progress_on_a_sample_of_many_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plot_data, "PROGRESS_ROWS", 50)
    rows = predictions_of(of_rows())
    one, again = (plot_data.progress(of_rows().model, of_rows().X, rows, 7) for _ in range(2))
    assert (one.n_rows, one.sampled) == (50, True)
    assert np.array_equal(one.cost, again.cost)


# ---- what the page keeps -------------------------------------------------------------------------


def test_bins_keep_all_sums_and_part_at_the_costs_given() -> None:
    rows = predictions_of(EXAMPLES["weighted"]())
    assert rows.limit is not None
    t = 0.9 / (0.9 + 3.7)
    whole, bins = held(rows), held(rows, most=12)
    assert not whole["binned"]
    assert bins["binned"]
    assert bins["key"].size <= 3 * 12
    for name in ("pos", "neg", "posSquares", "negSquares"):
        assert bins[name].sum() == pytest.approx(whole[name].sum())
        for at in (t, 0.5):
            one, other = (kept[name][kept["key"] > at].sum() for kept in (whole, bins))
            assert one == pytest.approx(other)
    assert np.all(bins["key"] <= bins["top"])
    assert np.all(bins["top"][:-1] < bins["key"][1:])


# ---- text ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "decimals", "text"),
    [
        (1234567.891, 2, "1,234,567.89"),
        (0.125, 2, "0.13"),
        (2.5, 0, "3"),
        (-1234.5, 0, "−1,235"),
        (-0.001, 2, "0"),
        (17.0, 3, "17"),
        (100.0, 0, "100"),
    ],
)
def test_numbers_as_text(value: float, decimals: int, text: str) -> None:
    assert number(value, decimals) == text


def test_digits_follow_the_money() -> None:
    assert [decimals_for(v) for v in (3e6, 993.0, 1.0, 0.002, 0.0)] == [0, 2, 4, 7, 2]
    assert [short(v) for v in (0, 0.25, -3, 1e9, 12500)] == ["0", "0.25", "−3", "1e9", "12,500"]


def test_reports_are_for_two_classes() -> None:
    X = np.arange(30.0).reshape(-1, 1)
    y = np.repeat([0, 1, 2], 10)
    clf = costboost.algorithms.AdaMECClassifier(n_estimators=2).fit(X, y)
    with pytest.raises(ValueError, match="the report is for two classes, but the model has 3"):
        predict_two_classes(clf, X, y, {}, None)
