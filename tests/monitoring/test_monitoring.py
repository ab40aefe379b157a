"""Monitoring: three kinds of drift, with and without labels; the reference; files."""

from __future__ import annotations

import pickle
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy.stats import chi2_contingency, ks_2samp
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression

import costboost
from costboost import ActionClassifier, CostBoostClassifier, OperatingPointClassifier
from costboost.algorithms import AdaBoostClassifier
from costboost.app.monitoring.batches import Batch
from costboost.app.monitoring.columns import columns_of
from costboost.app.monitoring.monitor import monitor_batches
from costboost.app.monitoring.page import html, write
from costboost.app.monitoring.recalibration import recalibrate
from costboost.app.monitoring.sketches import (
    ColumnSketch,
    ProbabilitySketch,
    adjusted_drifts,
    compare_columns,
)
from costboost.monitoring import Reference, monitor, reference

FN, FP = 8.0, 1.0


def drawn(n: int, random: Any, share: float = 0.3, moved: float = 0.0, concept: float = 0.0) -> Any:
    """Rows of two normal classes, whose log-odds are linear.

    ``moved`` shifts a feature without changing P(y | x) (covariate drift), ``concept`` changes
    P(y | x) without changing the features.
    """
    if moved or concept:
        y = random.random(n) < 0.3
        X = random.normal(size=(n, 3))
        X[:, :2] += y[:, None]
        X[:, 0] += moved
        odds = np.log(0.3 / 0.7) + X[:, 0] + X[:, 1] - 1 + concept
        return X, (random.random(n) < 1 / (1 + np.exp(-odds))).astype(int)
    y = random.random(n) < share
    X = random.normal(size=(n, 3))
    X[:, :2] += y[:, None]
    return X, y.astype(int)


class Costly(LogisticRegression):
    """Logistic regression that decides by cost, and is exact on the rows of `drawn`."""

    fn_cost, fp_cost = FN, FP

    def predict(self, X: Any) -> Any:
        return (self.predict_proba(X)[:, 1] > FP / (FP + FN)).astype(int)


@pytest.fixture(scope="module")
def model() -> Any:
    random = np.random.default_rng(0)
    clf = Costly(C=1e6).fit(*drawn(200_000, random))
    reference(clf, *drawn(20_000, random), fn_cost=FN, fp_cost=FP)
    return clf


def watched(model: Any, X: Any, y: Any = None, **options: Any) -> Any:
    return monitor(model, X, y, fn_cost=FN, fp_cost=FP, **options)


def within(value: float, interval: Any) -> bool:
    return bool(interval.low <= value <= interval.high)


# ---- drift ---------------------------------------------------------------------------------------


def test_without_drift_costs_are_as_expected(model: Any) -> None:
    """Over 200 draws: intervals hold the realised cost, and nothing is reported."""
    random = np.random.default_rng(1)
    true_cost = watched(model, *drawn(200_000, random)).realised_cost.value
    covered, savings, realised, shifted, miscalibrated, drifted = (0 for _ in range(6))
    for _ in range(200):
        X, y = drawn(1000, random)
        found = watched(model, X, y)
        covered += within(found.realised_cost.value, found.expected_cost)
        savings += within(found.realised_savings.value, found.expected_savings)
        realised += within(true_cost, found.realised_cost)
        shifted += found.shifted
        miscalibrated += found.miscalibrated
        drifted += bool(found.drifted)
    assert min(covered, savings, realised) >= 180
    assert shifted <= 20
    assert miscalibrated <= 30  # one of two tests
    assert drifted <= 20


def test_covariate_drift(model: Any) -> None:
    """The probabilities hold, so that expected costs are realised; the feature is named."""
    random = np.random.default_rng(2)
    covered = 0
    for _ in range(100):
        X, y = drawn(1000, random, moved=1.0)
        found = watched(model, X, y)
        covered += within(found.realised_cost.value, found.expected_cost)
        assert found.drifted[0].name == "column 0"
    assert covered >= 90


def test_prevalence_drift(model: Any) -> None:
    """The expected cost is wrong, and the one at the estimated prevalence is right."""
    random = np.random.default_rng(3)
    shifted, reported, held = 0, 0, 0
    for _ in range(100):
        X, y = drawn(1500, random, share=0.6)
        found = watched(model, X)
        labelled = watched(model, X, y)
        assert labelled.prevalence.value == pytest.approx(y.mean())
        assert labelled.shifted
        assert found.prevalence.value > 0.45
        held += found.prevalence.interval[0] <= 0.6 <= found.prevalence.interval[1]
        if found.unexplained:  # by chance, in one of twenty cases
            continue
        reported += found.shifted
        shifted += within(labelled.realised_cost.value, found.shifted_cost)
        assert found.drifted
        assert found.loss.value > 0
        assert found.loss.low <= found.loss.value <= found.loss.high
    assert min(held, shifted, reported) >= 90
    X, y = drawn(50_000, random, share=0.02)
    found = monitor(model, X, y, fn_cost=FN, fp_cost=10)
    assert within(found.realised_cost.value, found.shifted_cost)
    assert not within(found.realised_cost.value, found.expected_cost)


def test_loss_is_what_better_decisions_save(model: Any) -> None:
    """The loss agrees with the realised costs of decisions at the new prevalence."""
    random = np.random.default_rng(4)
    X, y = drawn(100_000, random, share=0.05)
    p = model.predict_proba(X)[:, 1]
    odds = p / (1 - p) * (0.05 / 0.95) / (0.3 / 0.7)
    better = odds / (1 + odds) > FP / (FP + FN)

    def cost(positive: Any) -> float:
        return float(np.where(y == 1, FN * ~positive, FP * positive).sum())

    saved = cost(model.predict(X) == 1) - cost(better)
    for found in (watched(model, X), watched(model, X, y)):
        assert found.loss.value == pytest.approx(saved, rel=0.05)
    assert watched(model, X, alarm=saved / 2).alarmed
    assert not watched(model, X, alarm=saved * 2).alarmed
    calm = watched(model, *drawn(100_000, random))
    assert calm.loss.value < 0.01 * saved


@pytest.mark.parametrize("labelled", [False, True])
def test_chance_alone_does_not_alarm(model: Any, labelled: bool) -> None:
    """Rows as in training: few alarms at a limit of 0, and the loss can be none."""
    random = np.random.default_rng(8)
    n_alarms = 0
    for _ in range(100):
        X, y = drawn(500, random)
        found = watched(model, X, y if labelled else None, alarm=0)
        n_alarms += found.alarmed
        if not found.changed:
            assert found.loss.low == 0
            assert "excluded" in found.verdict or found.unexplained
    assert n_alarms <= 10


def test_the_interval_of_the_loss_holds_the_loss_of_the_population(model: Any) -> None:
    random = np.random.default_rng(9)
    X, y = drawn(200_000, random, concept=1.0)
    each = watched(model, X, y).loss.value / len(y)
    held = 0
    for _ in range(100):
        found = watched(model, *drawn(800, random, concept=1.0))
        assert found.loss.low <= found.loss.value <= found.loss.high
        held += within(800 * each, found.loss)
    assert held >= 93


def test_concept_drift_needs_labels(model: Any) -> None:
    """Features are as before, so that nothing is seen without labels, and the page says so."""
    random = np.random.default_rng(5)
    X, y = drawn(20_000, random, concept=1.5)
    blind = watched(model, X)
    assert not blind.shifted
    assert not blind.drifted
    assert "labels are needed to know" in str(blind)
    assert "labels are needed to know" in html(blind)
    found = watched(model, X, y)
    assert found.miscalibrated
    assert not within(found.realised_cost.value, found.expected_cost)
    assert found.in_the_large.value == pytest.approx(1.5, abs=0.15)
    assert within(1.0, found.slope)
    assert found.loss.value > blind.loss.high
    assert "labels are needed" not in html(found)
    assert "contradict" in found.verdict


# ---- broken columns, weak models, names ----------------------------------------------------------


def frame(n: int, seed: int, share: float = 0.3) -> tuple[Any, Any]:
    """Columns of which ``probability`` and ``income`` distinguish the classes."""
    random = np.random.default_rng(seed)
    y = (random.random(n) < share).astype(int)
    income = np.exp(random.normal(size=n) - y) * 1000
    probability = random.normal(size=n) + y
    return pd.DataFrame({"income": income, "probability": probability}), y


@pytest.fixture(scope="module")
def on_frames() -> Any:
    clf = CostBoostClassifier(n_estimators=20, fn_cost=FN, random_state=0).fit(*frame(2000, 0))
    reference(clf, *frame(1000, 1))
    return clf


@pytest.mark.parametrize("broken", ["times 12", "missing"])
def test_a_broken_column_is_no_prevalence(on_frames: Any, broken: str) -> None:
    X, y = frame(1500, 2)
    X["income"] = 12 * X["income"] if broken == "times 12" else np.nan
    found = monitor(on_frames, X, alarm=0)
    assert found.prevalence.p_value < 0.05
    assert [one.name for one in found.unexplained] == ["income"]
    assert not found.shifted
    assert not found.alarmed
    assert found.verdict.startswith("Features have changed, income;")
    assert "no prevalence explains" in str(found)
    assert found.to_dict()["vetoed"]
    assert found.to_dict()["unexplained"] == ["income"]
    assert "not known, because features have changed" in str(found)
    assert "no alarm" in str(found)
    page = html(found)
    assert "share of the positive class seems" not in page
    assert "no prevalence explains" in page
    old = {**on_frames.reference_}
    old["columns"] = [{k: v for k, v in one.items() if k != "positives"} for one in old["columns"]]
    assert not monitor(on_frames, X, reference=Reference.from_dict(old)).shifted
    assert monitor(on_frames, X, y, alarm=0).miscalibrated


def test_another_prevalence_explains_what_it_changes(on_frames: Any) -> None:
    found = monitor(on_frames, frame(1500, 3, 0.7)[0])
    assert {one.name for one in found.drifted} == {"income", "probability"}
    assert found.unexplained == []
    assert found.shifted
    assert "as another prevalence would change them" in str(found)


def test_a_feature_may_have_the_name_of_a_column_of_the_reference(on_frames: Any) -> None:
    X, _ = frame(1500, 4)
    X["probability"] += 3
    found = monitor(on_frames, X)
    assert [one.name for one in found.drifted] == ["probability"]
    assert sum(one.name == "probability" for one in found.drifts) == 2
    assert "(probability of the positive class)" in html(found)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda names: [*names[:-1], "probabilitx"], "the last column is not the probability"),
        (lambda names: ["incone", *names[1:]], "has the column 'incone', which these rows do not"),
        (lambda names: ["income", "income", names[-1]], "two columns have the name 'income'"),
    ],
)
def test_damaged_names_of_columns(on_frames: Any, change: Any, message: str) -> None:
    old = on_frames.reference_
    names = change([one["name"] for one in old["columns"]])
    columns = [{**one, "name": name} for one, name in zip(old["columns"], names, strict=True)]
    X, _ = frame(100, 5)
    with pytest.raises(ValueError, match=message):
        monitor(on_frames, X, reference=Reference.from_dict({**old, "columns": columns}))


@pytest.mark.parametrize(
    "change",
    [
        {"calibration": [0, 1, 2]},
        {"calibration": [0, 1, -1, 0, 1]},
        {"calibration": [0, 1, 1, 2, 1]},
        {"mean_probability": "high"},
    ],
)
def test_damaged_calibration(on_frames: Any, change: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="cannot be read"):
        Reference.from_dict({**on_frames.reference_, **change})


def weak(n: int, seed: int) -> tuple[Any, Any]:
    random = np.random.default_rng(seed)
    y = (random.random(n) < 0.06).astype(int)
    X = random.normal(size=(n, 6))
    X[:, 0] += 0.4 * y
    return X, y


def test_weak_models_raise_no_alarms_and_labels_are_used() -> None:
    """Prevalences of 1e-12, and expected costs near 0, were reported for rows without shift."""
    alarms = 0
    for seed in range(10):
        clf = CostBoostClassifier(n_estimators=10, fn_cost=15, random_state=0, n_jobs=1)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of one class for all rows
            clf.fit(*weak(1000, seed))
        X, y = weak(2000, 100 + seed)
        blind, found = monitor(clf, X, alarm=0), monitor(clf, X, y, alarm=0)
        alarms += blind.alarmed
        assert blind.prevalence.value > 0.02
        assert within(found.realised_cost.value, blind.expected_cost)
        assert found.prevalence.value == pytest.approx(y.mean())
        assert found.prevalence.interval[0] < 0.06 < found.prevalence.interval[1]
        assert within(found.realised_cost.value, found.shifted_cost)
        assert "prevalence, by labels" in str(found)
        assert "prevalence, by probabilities" in str(blind)
    assert alarms <= 1


def test_expected_costs_of_large_windows_include_errors_of_calibration() -> None:
    """Without a reference; by the draw of the classes alone, 1 of 10 intervals held the cost."""
    random = np.random.default_rng(0)
    held = 0
    for _ in range(10):
        clf = Costly().fit(*drawn(600, random))
        clf.class_prior_ = np.array([0.7, 0.3])
        X, y = drawn(60_000, random)
        held += within(watched(clf, X, y).realised_cost.value, watched(clf, X).expected_cost)
    assert held >= 9


def test_savings_are_against_the_best_rule_without_a_model(on_frames: Any) -> None:
    X, y = frame(3000, 7)
    amount = np.random.default_rng(0).lognormal(1, 1.5, 3000)
    found = monitor(on_frames, X, y, fn_cost=amount)
    share = on_frames.class_prior_[1]
    positive = share * amount > 1 - share
    real = np.where(y == 1, np.where(positive, 0, amount), positive).mean()
    assert found.base == "deciding by costs alone"
    saved = real - found.realised_cost.value
    assert found.realised_savings.value == pytest.approx(saved)
    one = monitor(on_frames, X, y)
    assert one.base in ("always predicting 0", "always predicting 1")


def test_amounts_are_totals_without_exponents(on_frames: Any) -> None:
    X, y = frame(2000, 8)
    found = monitor(on_frames, X, y, fn_cost=300_000, fp_cost=40_000, unit="EUR", alarm=1e9)
    assert "e+" not in str(found)
    assert "e+" not in html(found)
    total = f"{2000 * found.realised_cost.value:,.0f} EUR"
    assert "realised cost" in str(found)
    assert total in str(found)
    assert total in html(found)
    assert "All amounts are those of the 2,000 rows together" in html(found)
    part = monitor_batches(on_frames, lambda: iter([Batch(X[:500], y[:500]), Batch(X[500:], None)]))
    assert "those of the 500 rows with labels, scaled" in str(part)


# ---- tests of sketches against scipy -------------------------------------------------------------


def test_numbers_are_compared_as_by_scipy() -> None:
    random = np.random.default_rng(0)
    old, new = random.integers(0, 60, 3000).astype(float), random.integers(0, 60, 800) ** 1.02
    new = new.round()
    sketch = ColumnSketch.of("x", old)
    other = sketch.empty()
    other.add(new[:300])
    other.add(new[300:])
    found, theirs = compare_columns(sketch, other), ks_2samp(old, new, method="asymp")
    assert found.distance == pytest.approx(theirs.statistic)
    assert found.p_value == pytest.approx(theirs.pvalue, rel=0.1)
    missing = sketch.empty()
    missing.add(np.where(random.random(3000) < 0.3, np.nan, old))
    assert compare_columns(sketch, missing).p_value < 1e-6


def test_categories_are_compared_as_by_scipy() -> None:
    random = np.random.default_rng(0)
    old = random.choice(["a", "b", "c"], 900, p=[0.5, 0.3, 0.2]).astype(object)
    new = random.choice(["a", "b", "d"], 400, p=[0.5, 0.3, 0.2]).astype(object)
    sketch = ColumnSketch.of("x", old)
    other = sketch.empty()
    other.add(new)
    labels = ["a", "b", "c", "d"]
    table = [[int((values == label).sum()) for label in labels] for values in (old, new)]
    assert compare_columns(sketch, other).p_value == pytest.approx(chi2_contingency(table).pvalue)
    assert ColumnSketch.from_dict(sketch.to_dict()).to_dict() == sketch.to_dict()


def test_categories_of_numbers_are_the_same_beside_missing_values() -> None:
    """They became "1.0" instead of "1" where a value of the column was missing."""
    whole = pd.DataFrame({"x": pd.Categorical([1, 2, 2, 3], categories=[1, 2, 3])})
    part = pd.DataFrame({"x": pd.Categorical([1, 2, None, 3], categories=[1, 2, 3])})
    ((_, found),) = columns_of(whole)
    ((_, other),) = columns_of(part)
    assert found.tolist() == ["1", "2", "2", "3"]
    assert other.tolist() == ["1", "2", None, "3"]


def test_p_values_are_adjusted() -> None:
    from scipy.stats import false_discovery_control

    from costboost.app.monitoring.sketches import Drift

    p = np.random.default_rng(0).random(20) ** 3
    found = adjusted_drifts([Drift(str(k), "", 0.0, float(v)) for k, v in enumerate(p)])
    expected = false_discovery_control(p)
    for one in found:
        assert one.adjusted == pytest.approx(expected[int(one.name)])


def test_recalibration_is_a_logistic_regression() -> None:
    random = np.random.default_rng(0)
    x = random.normal(size=5000) * 2
    y = random.random(5000) < 1 / (1 + np.exp(-(0.5 + 0.7 * x)))
    sketch = ProbabilitySketch()
    sketch.add(1 / (1 + np.exp(-x)), y)
    found = recalibrate(sketch)
    plain = LogisticRegression(C=1e9).fit(x[:, None], y)
    assert found is not None
    assert found.coefficients[1] == pytest.approx(plain.coef_[0, 0], abs=2e-3)
    assert found.coefficients[0] == pytest.approx(plain.intercept_[0], abs=2e-3)
    one_class = ProbabilitySketch()
    one_class.add(np.full(3, 0.5), np.zeros(3, dtype=bool))
    assert recalibrate(one_class) is None


# ---- references, files, batches ------------------------------------------------------------------


@pytest.fixture(scope="module")
def boosted() -> Any:
    random = np.random.default_rng(0)
    X, y = drawn(2000, random)
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    frame["d"] = pd.Categorical(random.choice(["u", "v"], 2000))
    clf = CostBoostClassifier(n_estimators=10, fn_cost=FN, random_state=0)
    clf.fit(frame[:1000], y[:1000])
    reference(clf, frame[1000:], y[1000:])
    return clf, frame, y


def test_references_are_kept_in_files_and_pickles(boosted: Any, tmp_path: Path) -> None:
    clf, frame, y = boosted
    path = tmp_path / "m.costboost"
    costboost.save(clf, path, metadata={"mine": 1})
    again, metadata = costboost.io.load_with_metadata(path)
    assert metadata == {"mine": 1}
    with pytest.raises(ValueError, match="cannot have the key 'costboost reference'"):
        costboost.save(clf, path, metadata={"costboost reference": 1})
    expected = monitor(clf, frame, y).to_dict()
    for copy in (again, pickle.loads(pickle.dumps(clf))):
        assert monitor(copy, frame, y).to_dict() == expected
    assert Reference.from_dict(clf.reference_).to_dict() == clf.reference_
    assert expected["reference"]["n_rows"] == 1000
    fresh = CostBoostClassifier(n_estimators=5, random_state=0).fit(frame, y)
    reference(fresh, frame, y)
    assert not hasattr(fresh.fit(frame, y), "reference_")


def test_without_a_reference(boosted: Any) -> None:
    clf, frame, y = boosted
    kept = clf.reference_
    bare = pickle.loads(pickle.dumps(clf))
    del bare.reference_
    found = monitor(bare, frame, y)
    assert found.reference is None
    assert found.drifts == []
    assert found.realised_cost == monitor(clf, frame, y).realised_cost
    assert "the model has no reference" in str(found)
    given = monitor(bare, frame, y, reference=Reference.from_dict(kept))
    assert given.to_dict() == monitor(clf, frame, y).to_dict()


def test_batches_are_the_whole(boosted: Any) -> None:
    clf, frame, y = boosted
    cost = np.linspace(1, 9, 2000)
    whole = monitor(clf, frame, y, fn_cost=cost).to_dict()

    def batches() -> Any:
        for k in range(0, 2000, 300):
            part = slice(k, k + 300)
            yield Batch(frame[part], y[part], {"fn_cost": cost[part]})

    found = monitor_batches(clf, batches).to_dict()
    for name in ("expected_cost", "realised_cost", "loss", "slope", "prevalence"):
        assert found[name] == pytest.approx(whole[name])
    assert found["drifts"] == whole["drifts"]


def test_operating_points_and_other_costs(boosted: Any, tmp_path: Path) -> None:
    _, frame, y = boosted
    inner = CostBoostClassifier(n_estimators=5, random_state=0)
    clf = OperatingPointClassifier(inner, at_least=0.9, fn_cost=3, random_state=0, cv=2)
    clf.fit(frame, y)
    reference(clf, frame, y)
    found = monitor(clf, frame, y, tp_cost=1, tn_cost=-1, unit="EUR", alarm=1e9)
    positive, truth = clf.predict(frame) == 1, y == 1
    real = np.where(truth, np.where(positive, 1, 3), np.where(positive, 1, -1)).mean()
    assert found.realised_cost.value == pytest.approx(real)
    assert "EUR" in str(found)
    assert "no alarm" in str(found)
    page = write(tmp_path / "m.html", found, "Model", "new <rows>.csv").read_text()
    assert "No alarm" in page
    assert f'<p class="soft source">new &lt;rows&gt;.csv · {found.n_rows:,} rows · 20' in page
    costboost.save(clf, tmp_path / "m.costboost")
    assert costboost.load(tmp_path / "m.costboost").reference_ == clf.reference_


def test_bad_input(boosted: Any) -> None:
    clf, frame, y = boosted
    bad: list[tuple[Any, str]] = [
        (lambda: monitor(clf, frame, y[:5]), "y has 5 labels, but X has 2000 rows"),
        (lambda: monitor(clf, frame, y + 1), "label 2, but the classes of the model are 0, 1"),
        (lambda: monitor(clf, frame, alarm=-1), "alarm must be a cost of at least 0, got -1"),
        (lambda: reference(clf, frame, None), "y is missing"),
        (lambda: monitor(LogisticRegression(), frame), "must be a fitted classifier"),
        (lambda: Reference.from_dict({"version": 2}), "version 2, of another costboost"),
        (lambda: Reference.from_dict({**clf.reference_, "n_rows": 0}), "unsound numbers"),
        (lambda: Reference.from_dict({}), "cannot be read"),
    ]
    plain = AdaBoostClassifier(n_estimators=3).fit(frame, y)
    bad.append((lambda: monitor(plain, frame), "AdaBoostClassifier are not calibrated"))
    several = CostBoostClassifier(n_estimators=3, random_state=0).fit(frame, np.arange(2000) % 3)
    bad.append((lambda: monitor(several, frame), "two classes, but the model has 3"))
    for call, message in bad:
        with pytest.raises(ValueError, match=message):
            call()


def test_the_report_states_that_rows_were_left_out(boosted: Any) -> None:
    _, frame, y = boosted
    clf = CostBoostClassifier(n_estimators=3, random_state=0)
    clf.fit(frame[:1000], y[:1000], sampling={"negative": 0.25})
    page = costboost.report.html(clf, frame[1000:], y[1000:])
    assert "kept a share of the rows (0.25 of class 0, 1 of class 1)" in page


# ---- actions -------------------------------------------------------------------------------------

ACTIONS: dict[int, dict[str, Any]] = {
    1: {"block": 0, "review": 2, "allow": 20},
    0: {"block": 5, "review": 2, "allow": 0},
}


def rows(n: int, share: float, seed: int) -> Any:
    return drawn(n, np.random.default_rng(seed), share)


@pytest.fixture
def acting(model: Any) -> ActionClassifier:
    reviewer = {"recall": 0.9, "specificity": 0.95}
    clf = ActionClassifier(FrozenEstimator(model), costs=ACTIONS, reviewer=reviewer)
    clf.fit(rows(10, 0.3, 0)[0])
    reference(clf, *rows(20_000, 0.3, 7))
    return clf


def test_costs_of_actions_are_those_of_their_report(acting: Any) -> None:
    clf, (X, y) = acting, rows(3000, 0.3, 5)
    found, report = monitor(clf, X, y), clf.decision_report(X, y)
    assert found.expected_cost.value == pytest.approx(clf.expected_costs(X).min(axis=1).mean())
    assert found.realised_cost is not None
    assert found.realised_cost.value == pytest.approx(report.realised_cost.sum() / len(y))
    assert found.realised_savings is not None
    assert found.base == '"review" for all rows'
    assert found.realised_savings.value == pytest.approx(report.savings / len(y))
    assert found.actions == pytest.approx(dict(zip(report.actions, report.share, strict=True)))
    assert found.alarms == pytest.approx(1 - report.share[2])
    assert "review" in str(found)
    assert found.to_dict()["actions"] == found.actions


def test_two_actions_are_monitored_as_predictions(model: Any) -> None:
    X, y = rows(2000, 0.5, 6)
    costs = {1: {"negative": FN, "positive": 0.0}, 0: {"negative": 0.0, "positive": FP}}
    clf = ActionClassifier(FrozenEstimator(model), costs=costs).fit(X)
    for labels in (None, y):
        same = Reference.from_dict(model.reference_)
        one, other = (
            monitor(clf, X, labels, reference=same),
            monitor(model, X, labels, fn_cost=FN, fp_cost=FP),
        )
        for name in ("expected_cost", "shifted_cost", "realised_cost", "loss", "slope"):
            if getattr(other, name) is not None:
                assert_allclose(getattr(one, name), getattr(other, name))
        assert one.alarms == other.alarms


def test_actions_alarm_if_the_prevalence_has_changed(acting: Any) -> None:
    assert not monitor(acting, rows(3000, 0.3, 8)[0], alarm=100).alarmed
    found = monitor(acting, rows(3000, 0.8, 9)[0], alarm=100)
    assert found.alarmed
    assert found.shifted


def test_rows_of_actions_have_costs_of_their_own(acting: Any, model: Any) -> None:
    clf, (X, y) = acting, rows(500, 0.3, 5)
    amount = np.random.default_rng(0).uniform(1, 50, 500)
    costs = {1: ACTIONS[1] | {"allow": amount}, 0: ACTIONS[0]}
    found = monitor(clf, X, y, costs=costs)
    report = clf.decision_report(X, y, costs)
    assert found.realised_cost is not None
    assert found.realised_cost.value == pytest.approx(report.realised_cost.sum() / 500)
    with pytest.raises(ValueError, match="give costs instead"):
        monitor(clf, X, fn_cost=3)
    with pytest.raises(ValueError, match=r"costs must be costboost\.Costs"):
        monitor(model, X, costs=costs)
