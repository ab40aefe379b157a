"""The default classifier: what it chooses, and that costs come in only when it decides."""

from __future__ import annotations

import warnings
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.model_selection import StratifiedKFold, train_test_split

from costboost import CostBoostClassifier
from costboost._core.checks import UnseenCategoryWarning
from costboost._core.training import ensemble
from costboost._core.training.evidence import mean_and_error, most_rounds
from costboost._core.training.sigmoid_likelihood import (
    Line,
    best_line,
    mix,
    smoothed_sigmoid,
    stage_lines,
)
from costboost._core.training.stage_lines import known_stages
from costboost.calibration import AUTO, CALIBRATORS, LogOddsCalibrator
from costboost.plots import BoostingProgressDisplay

SEED = np.random.RandomState(0).randint(2**31 - 1)  # the one number a fit draws from it
N = 300
rng = np.random.default_rng(0)
PLANE = rng.normal(size=(N, 6))
NOISE = rng.random(N) < 0.1
CORNERS = ((PLANE[:, 0] * PLANE[:, 1] > 0) ^ NOISE).astype(int)  # no single feature is informative
FEW = PLANE[:30]
STEP = ((FEW[:, 0] > 0.5) ^ NOISE[:30]).astype(int)
PROBLEMS = {"corners": (PLANE, CORNERS), "step": (FEW, STEP)}
X, Y = make_classification(
    N, n_features=6, n_informative=4, weights=[0.75], flip_y=0.1, random_state=3
)


def default(**options: Any) -> Any:
    return CostBoostClassifier(**({"n_estimators": 8, "random_state": 0} | options))


@pytest.fixture
def without_random_trees(monkeypatch: pytest.MonkeyPatch) -> None:
    """Trees and stumps only: what random trees draw depends on the fold."""
    every = CostBoostClassifier._choices
    monkeypatch.setattr(CostBoostClassifier, "_choices", lambda clf: every(clf)[:2])


def certainty(clf: Any, data: np.ndarray) -> np.ndarray:
    return np.round(1 / (1 + np.exp(-2 * clf.raw_score(data))), 12)


# ---- the choice ----------------------------------------------------------------------------------


def losses_by_hand(
    clf: Any, pairs: Any, data: np.ndarray, y: np.ndarray, weight: np.ndarray
) -> list[float]:
    """Calibrated log loss of the held-out rows of every member."""
    losses = []
    for choice in clf._choices():
        scores, rows = [], []
        for kept, held in pairs:
            one = clone(clf).set_params(**choice.changes, calibration=None)
            one.fit(data[kept], y[kept], sample_weight=weight[kept])
            scores.append(certainty(one, data[held]))
            rows.append(held)
        score, held_out = np.concatenate(scores), np.concatenate(rows)
        counts = weight[held_out]
        calibrator = LogOddsCalibrator().fit(score, y[held_out], counts)
        p = calibrator.probability(score)
        losses.append(log_loss(y[held_out], p, sample_weight=counts))
    return losses


@pytest.mark.usefixtures("without_random_trees")
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("split", [StratifiedKFold(11), 0.3], ids=["folds", "share"])
@pytest.mark.parametrize("problem", PROBLEMS)
def test_the_smaller_log_loss_of_held_out_rows_decides(
    problem: str, split: Any, weighted: bool
) -> None:
    """Where rows are held out once, or in so many folds that their ensembles are not kept."""
    data, y = PROBLEMS[problem]
    rows = np.arange(len(y))
    weight = np.where(data[:, 2] > 0, 3.0, 0.5) if weighted else np.ones(len(y))
    clf = default(calibration_split=split)
    if split == 0.3:
        kept, held = train_test_split(rows, test_size=0.3, stratify=y, random_state=SEED)
        pairs = [(np.sort(kept), np.sort(held))]
    else:
        pairs = list(split.split(data, y))
    losses = losses_by_hand(clf, pairs, data, y, weight)
    assert len(losses) > 1
    best = clf._choices()[int(np.argmin(losses))].changes
    clf.fit(data, y, sample_weight=weight)
    assert clf.shares_ == {best["estimator"]: 1.0}
    direct = default(calibration_split=split).set_params(**best)
    direct.fit(data, y, sample_weight=weight)
    assert direct.ensemble_ == clf.ensemble_
    assert_array_equal(direct.predict_proba(data), clf.predict_proba(data))


def members_by_hand(
    clf: Any, pairs: Any, data: np.ndarray, y: np.ndarray, weight: np.ndarray
) -> dict[str, list[Any]]:
    """Ensembles of every fold, by the weak learner of the member."""
    return {
        choice.changes["estimator"]: [
            clone(clf)
            .set_params(**choice.changes, calibration=None)
            .fit(data[kept], y[kept], sample_weight=weight[kept])
            for kept, _ in pairs
        ]
        for choice in clf._choices()
    }


def score_of(member: Any, data: np.ndarray) -> np.ndarray:
    """Of a member that has learnt nothing: 0."""
    return member.raw_score(data) if member.n_iter_ else np.zeros(len(data))


def contracted_by_hand(
    score: np.ndarray, of_folds: np.ndarray, fold: np.ndarray, y: np.ndarray, weight: np.ndarray
) -> np.ndarray:
    """The scores of held-out rows of five folds, as the documentation of the classifier has it.

    ``of_folds`` are the scores by the ensembles of all folds, which count by q (1 - q).
    """
    means = [np.average(score[y == k], weights=weight[y == k]) for k in (0, 1)]
    within = np.average((score - np.take(means, y)) ** 2, weights=weight)
    line = best_line(score, y.astype(bool), weight)
    q = np.exp(-line.losses(score, y))
    seen = weight if np.all(weight == 1) else np.ones(len(y))
    trained = fold[:, None] != np.arange(5)
    variance = [row[by].var(ddof=1) for row, by in zip(of_folds, trained, strict=True)]
    noise = np.average(variance, weights=seen * q * (1 - q))
    harmonic = 2 / (1 / seen[y == 0].sum() + 1 / seen[y == 1].sum())
    by = 1 - 0.8 * harmonic / (harmonic + 20) * min(noise / within, 1)
    return np.mean(means) + by * (score - np.mean(means))


@pytest.mark.usefixtures("without_random_trees")
@pytest.mark.filterwarnings("ignore:.* added no learner:UserWarning")
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("calibration", CALIBRATORS)
@pytest.mark.parametrize("problem", PROBLEMS)
def test_the_score_is_the_weighted_mean_of_all_members(
    problem: str, calibration: str, weighted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("costboost._core.training.average.WORTH_KEEPING", -1.0)  # none is given up
    monkeypatch.setattr("costboost._core.training.calibrated.copies_of", lambda table: None)
    data, y = PROBLEMS[problem]
    data = np.clip(np.round(data), -1, 1)  # so few values that every fold has the same bins
    weight = np.where(data[:, 2] > 0, 3.0, 0.5) if weighted else np.ones(len(y))
    clf = default(calibration=calibration)
    pairs = list(StratifiedKFold(5, shuffle=True, random_state=SEED).split(data, y))
    members = members_by_hand(clf, pairs, data, y, weight)
    clf.fit(data, y, sample_weight=weight)
    assert set(clf.shares_) == set(members)
    assert sum(clf.shares_.values()) == pytest.approx(1)
    fresh = np.random.default_rng(1).normal(size=(50, 6))
    mean = {k: np.mean([score_of(m, fresh) for m in ms], axis=0) for k, ms in members.items()}
    fresh_score = sum(share * mean[k] for k, share in clf.shares_.items())
    assert_allclose(clf.raw_score(fresh), fresh_score, rtol=1e-9, atol=1e-12)
    used = [m for k, ms in members.items() if clf.shares_[k] for m in ms]
    assert clf.n_iter_ == sum(m.n_iter_ for m in used)

    held = np.concatenate([rows for _, rows in pairs])
    out = {
        k: np.concatenate([score_of(m, data[h]) for m, (_, h) in zip(ms, pairs, strict=True)])
        for k, ms in members.items()
    }
    of_folds = [
        sum(share * score_of(members[k][n], data[held]) for k, share in clf.shares_.items())
        for n in range(5)
    ]
    score = contracted_by_hand(
        sum(share * out[k] for k, share in clf.shares_.items()),
        np.column_stack(of_folds),
        np.repeat(np.arange(5), [len(rows) for _, rows in pairs]),
        y[held],
        weight[held],
    )
    seen = np.round(1 / (1 + np.exp(-2 * score)), 12)
    by_hand = CALIBRATORS[calibration]().fit(seen, y[held], weight[held])
    new = np.round(1 / (1 + np.exp(-2 * fresh_score)), 12)
    assert_allclose(clf.predict_proba(fresh)[:, 1], by_hand.probability(new), rtol=1e-6)
    wrong = (by_hand.probability(seen) > 0.5) != y[held]
    assert_allclose(clf.train_cost_, [np.average(wrong, weights=weight[held])])


@settings(deadline=None, derandomize=True, max_examples=30)
@given(st.integers(0, 10**6), st.floats(0.1, 3), st.floats(-1, 3))
def test_the_mix_is_that_of_the_best_logistic_regression(seed: int, a: float, b: float) -> None:
    """With weights below 0 left out: compared with scipy's minimiser."""
    random = np.random.default_rng(seed)
    scores, counts = random.normal(size=(200, 2)), random.uniform(0.5, 2, 200)
    y = (random.random(200) < 1 / (1 + np.exp(-scores @ [a, b]))).astype(np.uint8)
    total = np.where(y, counts[y == 1].sum(), counts[y == 0].sum())
    target = np.where(y, 1 - 0.25 / (total + 0.5), 0.25 / (total + 0.5))

    def loss(parameters: np.ndarray) -> float:
        t = scores @ parameters[:2] + parameters[2]
        return np.average(np.logaddexp(0, t) - target * t, weights=counts)

    bounds = [(0, None), (0, None), (None, None)]
    best = minimize(loss, [1.0, 1.0, 0.0], bounds=bounds, options={"ftol": 1e-15, "gtol": 1e-10})
    found = mix(scores, y, counts)
    assert found.sum() == pytest.approx(1)
    if best.x[:2].sum() > 1e-6:  # else neither column is informative, and one of them is taken
        assert_allclose(found, best.x[:2] / best.x[:2].sum(), atol=1e-4)


@pytest.mark.parametrize(("enough", "given_up"), [(10, True), (10**6, False)])
def test_a_member_that_does_not_contribute_is_given_up(
    monkeypatch: pytest.MonkeyPatch, enough: int, given_up: bool
) -> None:
    """A setting is dropped only if enough rows of each class are held out."""
    monkeypatch.setattr("costboost._core.training.sigmoid_likelihood.ENOUGH_OF_A_CLASS", enough)
    random = np.random.default_rng(0)
    plane = random.normal(size=(3_000, 6))
    clf = default(n_estimators=30).fit(plane, plane[:, 0] * plane[:, 1] > 0)
    assert ("stump" in clf.shares_) == (not given_up)
    assert clf.shares_.get("stump", 0.0) < 0.2
    rounds = {"tree": 30, "stump": 20, "random tree": 40, "large random tree": 15}
    assert not given_up or clf.n_iter_ == 5 * sum(rounds[name] for name in clf.shares_)


def test_mean_and_standard_error() -> None:
    noise = np.random.default_rng(0).normal(size=400)
    counts = np.ones(400)
    mean, error = mean_and_error(noise, counts, counts)
    assert (mean, error) == pytest.approx((noise.mean(), noise.std() / 20))
    assert mean_and_error(np.zeros(400), counts, counts) == (0, 0)


def test_a_row_seen_twice_is_as_much_evidence_as_two() -> None:
    rng = np.random.default_rng(0)
    noise, counts = rng.normal(size=400), rng.integers(1, 5, 400).astype(float)
    every = np.repeat(noise, counts.astype(int))
    ones = np.ones(every.size)
    found = mean_and_error(noise, counts, counts)
    assert found == pytest.approx(mean_and_error(every, ones, ones))


# ---- rounds by evidence --------------------------------------------------------------------------


@settings(deadline=None, derandomize=True, max_examples=30)
@given(st.integers(0, 10**6), st.floats(-3, 3), st.floats(-3, 3), st.floats(0.01, 100))
def test_the_line_is_that_of_the_best_sigmoid(seed: int, a: float, b: float, size: float) -> None:
    random = np.random.default_rng(seed)
    score, counts = size * random.normal(size=80), random.uniform(0.5, 2, 80)
    y = random.random(80) < 1 / (1 + np.exp(-(a * score / size + b)))
    if y.all() or not y.any():
        return
    best = smoothed_sigmoid(score[:, None], y, counts)
    found = best_line(score, y, counts)
    assert found.loss == pytest.approx(best.loss, rel=1e-5)
    again = best_line(score, y, counts, found)
    assert again.loss <= found.loss * (1 + 1e-12)
    constant = best_line(np.zeros(80), y, counts)
    assert constant.loss == pytest.approx(smoothed_sigmoid(np.zeros((80, 1)), y, counts).loss)


def test_separable_scores_have_a_finite_line() -> None:
    score = np.linspace(-5, 5, 40)
    found = best_line(score, score > 0, np.ones(40), Line(1e6, 1e6, np.inf))
    assert np.all(np.isfinite(found))
    assert found.loss < 0.3


def test_ensembles_end_where_the_log_loss_rises() -> None:
    random = np.random.default_rng(0)
    data = random.normal(size=(3_000, 10))
    y = data[:, 0] + 2 * random.normal(size=3_000) > 0
    clf = CostBoostClassifier(random_state=0, learning_rate=0.6).fit(data, y)
    assert "the log loss of held-out rows rose" in clf.stop_reason_
    assert clf.stop_reason_.startswith("rounds chosen on held-out rows: ")
    fixed = CostBoostClassifier(random_state=0, n_estimators=30, learning_rate=0.6).fit(data, y)
    assert fixed.n_iter_ > clf.n_iter_
    assert fixed.stop_reason_ == "all rounds done"


def test_more_rows_may_take_more_rounds() -> None:
    assert [most_rounds(50, n) for n in (50, 1_000, 2_000, 10**7)] == [50, 50, 100, 200]


def test_more_than_the_usual_rounds_where_the_log_loss_falls() -> None:
    """A checkerboard of many fields takes more trees than usual."""
    random = np.random.default_rng(0)
    plane = random.random((4_000, 2))
    fields = (np.floor(12 * plane[:, 0]) + np.floor(12 * plane[:, 1])) % 2
    clf = CostBoostClassifier(random_state=0, learning_rate=0.1).fit(plane, fields)
    stages = clf.model_.stage_ends.size
    assert 30 < stages <= most_rounds(30, 4_000)
    assert sum(1 for _ in clf.staged_predict(plane[:5])) == stages


def test_stumps_for_steps_and_trees_for_corners() -> None:
    clf = default(n_estimators=30)
    assert clf.fit(FEW, STEP).shares_["stump"] > 0.9
    assert clf.fit(PLANE, CORNERS).shares_.get("stump", 0.0) < 0.1
    fresh = rng.normal(size=(500, 6))
    p = clf.predict_proba(fresh)
    assert roc_auc_score(fresh[:, 0] * fresh[:, 1] > 0, p[:, 1]) > 0.85
    assert_array_equal(p, clone(clf).fit(PLANE, CORNERS).predict_proba(fresh))  # chosen anew


@pytest.mark.parametrize("learner", ["stump", "tree", "lookup", "linear"])
def test_a_learner_of_the_user(learner: str) -> None:
    clf = default(estimator=learner, min_samples_leaf=5).fit(X, Y)
    assert clf.shares_ == {learner: 1.0}
    assert clf.n_iter_ == 8
    plain = default(estimator=learner, min_samples_leaf=5, calibration=None).fit(X, Y)
    assert_array_equal(clf.raw_score(X), plain.raw_score(X))


def test_a_learner_of_the_user_after_a_choice() -> None:
    """The choice of the first fit does not affect the second."""
    missing = X.copy()
    missing[0, 0] = np.nan
    clf = default().fit(missing, Y)
    p = clf.predict_proba(missing)
    clf.set_params(estimator="linear")
    with pytest.raises(ValueError, match="the linear weak learner takes none"):
        clf.fit(missing, Y)
    clf.set_params(estimator="logistic")
    with pytest.raises(ValueError, match="cannot boost estimator='logistic'"):
        clf.fit(missing, Y)
    assert_array_equal(clf.predict_proba(missing), p)
    clf.set_params(estimator="linear").fit(X, Y)
    assert_array_equal(clf.predict(X), default(estimator="linear").fit(X, Y).predict(X))


def test_without_calibration_it_takes_the_first_member() -> None:
    clf = default(calibration=None, fn_cost=4).fit(X, Y)
    direct = default(calibration=None, fn_cost=4, **clf._choices()[0].changes).fit(X, Y)
    assert clf.ensemble_ == direct.ensemble_
    p = clf.predict_proba(X)[:, 1]
    assert_allclose(p, 1 / (1 + np.exp(-2 * clf.raw_score(X))), rtol=1e-12)
    assert np.abs(p - 0.2).min() > 1e-9
    assert_array_equal(clf.predict(X), p > 0.2)
    assert_array_equal(clf.predict(X, fn_cost=1, fp_cost=9), p > 0.9)


def test_how_often_it_is_trained(monkeypatch: pytest.MonkeyPatch) -> None:
    trained: list[int] = []
    training = ensemble._training

    def counting(problem: Any, plan: Any) -> Any:
        trained.append(problem.n_rows)
        return training(problem, plan)

    monkeypatch.setattr(ensemble, "_training", counting)
    monkeypatch.setattr("costboost._core.training.average.WORTH_KEEPING", -1.0)
    members = len(default()._choices())
    for options, n_fits, n_rows in (
        ({}, 5 * members, N * 4 // 5),
        ({"calibration_split": 3}, 3 * members, N * 2 // 3),
        ({"calibration_split": 12}, 12 * members + 1, N),
        ({"estimator": "tree"}, 5 + 1, N),
        ({"calibration_split": 0.25}, members + 1, N * 3 // 4),
        ({"calibration_split": 0.25, "estimator": "stump"}, 1, N * 3 // 4),
        ({"calibration": None}, 1, N),
    ):
        trained.clear()
        clf = default(**options).fit(X, Y)
        assert (len(trained), trained[-1]) == (n_fits, n_rows)
        clf.predict(X, fn_cost=np.linspace(1, 9, N))
        clf.predict_proba(X)
        assert len(trained) == n_fits


def test_it_says_why_each_of_its_ensembles_ended() -> None:
    options = {"n_estimators": 30, "early_stopping": True}
    clf = default(n_iter_no_change=4, **options).fit(X, Y)
    assert clf.stop_reason_ == "all rounds done; the validation score no longer improved"
    assert not hasattr(clf, "validation_score_")
    assert default(n_iter_no_change=40, **options).fit(X, Y).stop_reason_ == "all rounds done"


# ---- costs ---------------------------------------------------------------------------------------

FITTED = default(pos_label="ill").fit(X, np.array(["well", "ill"])[Y])


def test_costs_take_no_part_in_training() -> None:
    fn_cost = np.random.default_rng(1).lognormal(2, 1, N)
    models = [
        default().fit(X, Y),
        default(fn_cost=50).fit(X, Y),
        default().fit(X, Y, fn_cost=fn_cost, fp_cost=3),
    ]
    for clf in models:
        assert clf.ensemble_ == models[0].ensemble_
        assert_array_equal(clf.predict_proba(X), models[0].predict_proba(X))
    p = models[0].predict_proba(X)[:, 1]
    assert_array_equal(models[1].predict(X), p > 1 / 51)
    assert_array_equal(models[2].predict(X), p > 3 / (3 + fn_cost.mean()))


@settings(deadline=None, derandomize=True, max_examples=50)
@given(
    st.lists(st.floats(1e-9, 1e9), min_size=2, max_size=6),
    st.floats(1e-9, 1e9),
    st.integers(0, 100),
)
def test_dearer_misses_never_turn_a_positive_row_negative(
    fn_costs: list[float], fp_cost: float, seed: int
) -> None:
    positive = [FITTED.predict(X, fn_cost=fn, fp_cost=fp_cost) == "ill" for fn in sorted(fn_costs)]
    assert all(np.all(before <= after) for before, after in pairwise(positive))
    factor = np.random.default_rng(seed).uniform(1, 3, N)
    rows = [FITTED.predict(X, fn_cost=fn_costs[0] * k, fp_cost=fp_cost) for k in (1.0, factor)]
    assert np.all((rows[0] == "ill") <= (rows[1] == "ill"))


# ---- few rows, odd rows --------------------------------------------------------------------------


@settings(deadline=None, derandomize=True, max_examples=30)
@given(
    st.integers(2, 5),
    st.integers(2, 9),
    st.integers(0, 10**6),
    st.sampled_from([None, 2, "loo"]),
    st.booleans(),
)
def test_few_rows(rare: int, common: int, seed: int, split: Any, ties: bool) -> None:
    data = np.random.default_rng(seed).normal(size=(rare + common, 2))
    data = np.round(data) if ties else data
    y = np.repeat([1, 0], [rare, common])
    clf = default(n_estimators=3, calibration_split=split)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".* added no learner", UserWarning)
        clf.fit(data, y)
    p = clf.predict_proba(data)
    assert np.all((p > 0) & (p < 1))
    assert_allclose(p.sum(axis=1), 1)
    assert set(clf.predict(data, fn_cost=1e9)) == {1}
    assert set(clf.predict(data, fp_cost=1e9)) == {0}


def test_ten_rows_three_of_them_rare() -> None:
    data = np.array([[0.0], [1], [2], [3], [4], [5], [6], [7], [8], [9]])
    y = (data[:, 0] > 6).astype(int)
    clf = default(n_estimators=20).fit(data, y)
    p = clf.predict_proba(data)[:, 1]
    assert np.all(np.diff(p) >= 0)
    assert np.all((p > 0) & (p < 1))


@pytest.mark.parametrize("calibration", [*CALIBRATORS, None])
def test_one_constant_feature(calibration: str | None) -> None:
    y = (np.arange(60) % 4 == 0).astype(int)
    clf = default(calibration=calibration, n_estimators=100).fit(np.zeros((60, 1)), y)
    p = clf.predict_proba(np.array([[0.0], [7.0]]))[:, 1]
    assert_allclose(p, 0.25, atol=0.02)
    assert_array_equal(clf.predict([[0.0]], fn_cost=5, fp_cost=1), [1])
    assert_array_equal(clf.predict([[0.0]], fn_cost=2, fp_cost=1), [0])


def test_categories_and_missing_values() -> None:
    town = np.array(["Bonn", "Kiel", None, "Ulm"], dtype=object)[rng.integers(0, 4, N)]
    number = np.where(rng.random(N) < 0.2, np.nan, PLANE[:, 0])
    y = ((town == "Kiel") | (number > 1.5)) ^ (rng.random(N) < 0.05)
    frame = pd.DataFrame({"town": pd.Categorical(town), "number": number, "flat": 1})
    clf = default().fit(frame, y)
    assert clf.classes_.dtype == bool
    p = clf.predict_proba(frame)[:, 1]
    assert roc_auc_score(y, p) > 0.9
    for split in (0.3, "loo"):
        some = frame.iloc[:60]
        again = default(n_estimators=2, calibration_split=split).fit(some, y[:60])
        assert np.isfinite(again.predict_proba(frame)).all()
    unknown = frame.assign(town=pd.Categorical(["Jena"] * N))
    with pytest.warns(UnseenCategoryWarning, match="column 'town': 300 of 300 values"):
        assert np.isfinite(clf.predict_proba(unknown)).all()


def test_weights() -> None:
    weight = np.where(X[:, 0] > 0, 1.0, 0.0)
    clf = default().fit(X, Y, sample_weight=weight)
    kept = weight > 0
    without = default().fit(X[kept], Y[kept])
    assert clf.shares_ == without.shares_
    assert_array_equal(clf.predict_proba(X), without.predict_proba(X))
    heavy = default().fit(X, Y, sample_weight=np.where(Y == 1, 5.0, 1.0))
    assert heavy.predict_proba(X)[:, 1].mean() > default().fit(X, Y).predict_proba(X)[:, 1].mean()


# ---- as an estimator -----------------------------------------------------------------------------


def test_parameters_and_what_is_shown_of_them() -> None:
    clf = CostBoostClassifier()
    assert repr(clf) == "CostBoostClassifier()"
    assert repr(clf.set_params(fn_cost=7)) == "CostBoostClassifier(fn_cost=7)"
    clf.set_params(n_estimators=5)
    copy = clone(clf.fit(X[:40], Y[:40]))
    assert copy.get_params() == clf.get_params()
    assert not hasattr(copy, "shares_")
    before = clf.get_params()
    clf.fit(X, Y)
    assert clf.get_params() == before  # the choice does not change the parameters


@pytest.mark.parametrize("options", [{}, {"estimator": "tree"}, {"calibration": None}], ids=str)
@given(fn_cost=st.one_of(st.floats(1e-3, 1e3), st.just("rows")), fp_cost=st.floats(1e-3, 1e3))
@settings(max_examples=5, deadline=None)
def test_early_stopping_does_not_see_costs(options: Any, fn_cost: Any, fp_cost: float) -> None:
    clf = default(n_estimators=40, early_stopping=True, n_iter_no_change=2, **options)
    plain = clone(clf).fit(X, Y)
    costs = np.linspace(0.1, 9, N) if fn_cost == "rows" else fn_cost
    other = clone(clf).fit(X, Y, fn_cost=costs, fp_cost=fp_cost)
    assert plain.ensemble_ == other.ensemble_
    assert_array_equal(plain.estimator_weights_, other.estimator_weights_)
    assert_array_equal(plain.predict_proba(X), other.predict_proba(X))
    assert "no longer improved" in plain.stop_reason_


def test_early_stopping_watches_the_log_loss() -> None:
    clf = default(
        estimator="tree", calibration=None, n_estimators=300, early_stopping=True, fn_cost=9
    )
    weight = np.linspace(0.5, 2, N)
    clf.fit(X, Y, sample_weight=weight)
    _, rows = train_test_split(np.arange(N), test_size=0.1, stratify=Y, random_state=SEED)
    losses = [
        log_loss(Y[rows], p, sample_weight=weight[rows]) for p in clf.staged_predict_proba(X[rows])
    ]
    assert_allclose(-clf.validation_score_, losses, rtol=1e-9)
    assert 11 <= clf.n_iter_ < 300
    by_scorer = clone(clf).set_params(scoring="neg_log_loss").fit(X, Y, sample_weight=weight)
    assert by_scorer.ensemble_ == clf.ensemble_
    assert clone(clf).set_params(scoring="accuracy").fit(X, Y).ensemble_ != clf.ensemble_


@pytest.mark.parametrize("calibration", [*CALIBRATORS, AUTO, None])
def test_stages_end_with_the_prediction(calibration: str | None) -> None:
    clf = default(calibration=calibration, fn_cost=3).fit(X, Y)
    scores = list(clf.staged_raw_score(X))
    assert len(scores) == 8
    assert clf.n_iter_ == len(clf.ensemble_) == len(clf.estimator_weights_)
    assert_array_equal(scores[-1], clf.raw_score(X))
    assert_array_equal(list(clf.staged_predict_proba(X))[-1], clf.predict_proba(X))
    assert_array_equal(list(clf.staged_decision_function(X))[-1], clf.decision_function(X))
    assert_array_equal(list(clf.staged_predict(X))[-1], clf.predict(X))
    last = list(clf.staged_predict(X, fn_cost=1, fp_cost=8))[-1]
    assert_array_equal(last, clf.predict(X, fn_cost=1, fp_cost=8))


def first_rounds(member: Any, data: np.ndarray, n: int) -> np.ndarray:
    return list(member.staged_raw_score(data))[min(n, member.n_iter_) - 1]


@pytest.mark.usefixtures("without_random_trees")
@pytest.mark.parametrize("early_stopping", [False, True])
def test_a_stage_is_the_mean_over_folds_of_their_first_rounds(
    early_stopping: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("costboost._core.training.average.WORTH_KEEPING", -1.0)
    monkeypatch.setattr("costboost._core.training.average.noise_between", lambda *given: 0.0)
    monkeypatch.setattr("costboost._core.training.calibrated.copies_of", lambda table: None)
    data = np.clip(np.round(X), -2, 2)
    clf = default(early_stopping=early_stopping, n_iter_no_change=1)
    pairs = list(StratifiedKFold(5, shuffle=True, random_state=SEED).split(data, Y))
    members = members_by_hand(clf, pairs, data, Y, np.ones(N))
    clf.fit(data, Y)
    assert set(clf.shares_) == {"tree", "stump"}
    fresh = np.clip(np.round(PLANE[:40]), -2, 2)
    stages = list(zip(clf.staged_raw_score(fresh), clf.staged_predict_proba(fresh), strict=True))
    if not early_stopping:
        assert min(clf.shares_.values()) > 0
        assert len(stages) == 8
        assert clf.n_iter_ == 5 * 8 + 5 * 6
    held = np.concatenate([rows for _, rows in pairs])
    for t, (found, probability) in enumerate(stages, 1):
        score, out = np.zeros(40), np.zeros(N)
        for name, n in (("tree", t), ("stump", int(np.ceil(t * 6 / 8)))):
            share = clf.shares_[name]
            score += share * np.mean([first_rounds(m, fresh, n) for m in members[name]], axis=0)
            out += share * np.concatenate(
                [
                    first_rounds(m, data[rows], n)
                    for m, (_, rows) in zip(members[name], pairs, strict=True)
                ]
            )
        assert_allclose(found, score, rtol=1e-9, atol=1e-12)
        seen, new = (np.round(1 / (1 + np.exp(-2 * F)), 12) for F in (out, score))
        by_hand = CALIBRATORS["log-odds"]().fit(seen, Y[held])
        # the lines of the stages are fitted to slightly different targets
        assert_allclose(probability[:, 1], by_hand.probability(new), rtol=2e-3)


def test_early_stages_are_calibrated() -> None:
    """Without its own calibration, the first stage would predict one class for all rows."""
    rows = np.random.default_rng(5).permutation(N)
    clf = default(n_estimators=50, fn_cost=3).fit(X[rows], Y[rows])
    for probability, predicted in zip(
        clf.staged_predict_proba(X), clf.staged_predict(X), strict=True
    ):
        assert probability[:, 1].mean() == pytest.approx(Y.mean(), abs=0.05)
        assert log_loss(Y, probability) < log_loss(Y, np.full(N, Y.mean()))
        assert 0 < predicted.mean() < 1
    drawn = BoostingProgressDisplay.from_estimator(clf, X, Y, measures=["cost"], fn_cost=3)
    assert drawn.rounds.size == 50
    costs = drawn.values["cost"].middle
    assert costs[9] < 3 * Y.mean()


def test_lines_of_many_rows_are_those_of_all() -> None:
    rng = np.random.default_rng(2)
    score = rng.normal(size=(20_000))
    positive = rng.random(20_000) < 1 / (1 + np.exp(1 - 2 * score))
    counts = rng.uniform(0.5, 2, 20_000)
    stages = [score / 4, score / 2 + 1, score]
    lines = stage_lines(iter(stages), known_stages(3), positive, counts)
    assert_allclose(lines.slope, [4, 2, 1], rtol=1e-9)
    assert_allclose(lines.shift, [0, -2, 0], atol=1e-9)
    assert lines.slope[-1] == 1
    assert lines.shift[-1] == 0
    turned = stage_lines(iter([-score, score]), known_stages(2), positive, counts)
    assert turned.slope[0] == 0  # a slope is never negative


@pytest.mark.parametrize("split", [None, 0.3])
def test_a_warm_start_trains_anew(split: Any) -> None:
    clf = default(warm_start=True, calibration_split=split).fit(PLANE, CORNERS)
    clf.set_params(n_estimators=5).fit(PLANE, CORNERS)
    cold = default(n_estimators=5, calibration_split=split).fit(PLANE, CORNERS)
    assert clf.ensemble_ == cold.ensemble_
    assert_array_equal(clf.predict_proba(PLANE), cold.predict_proba(PLANE))


def test_a_warm_start_with_a_learner_of_the_user() -> None:
    clf = default(estimator="tree", warm_start=True).fit(PLANE, CORNERS)
    p = clf.predict_proba(PLANE)
    clf.set_params(estimator="stump")
    with pytest.raises(ValueError, match="estimator was tree and is stump now"):
        clf.fit(PLANE, CORNERS)
    clf.set_params(estimator="tree", n_estimators=7)
    with pytest.raises(ValueError, match="must be at least the 8 rounds already there"):
        clf.fit(PLANE, CORNERS)
    assert_array_equal(clf.predict_proba(PLANE), p)
    clf.set_params(n_estimators=12).fit(PLANE, CORNERS)
    cold = default(estimator="tree", n_estimators=12).fit(PLANE, CORNERS)
    assert clf.ensemble_ == cold.ensemble_


def test_stages_of_many_rows_are_compared_on_some_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    on_all = default().fit(X, Y)
    monkeypatch.setattr("costboost._core.training.average.MOST_ROWS_OF_LINES", len(Y) // 3)
    on_some = default().fit(X, Y)
    assert on_some.ensemble_ == on_all.ensemble_
    assert_array_equal(on_some.predict_proba(X), on_all.predict_proba(X))
    stages = zip(on_some.staged_predict_proba(X), on_all.staged_predict_proba(X), strict=True)
    moved = [np.abs(ours - theirs).mean() for ours, theirs in stages]
    assert 0 < max(moved) < 0.1
    assert moved[-1] == 0
