"""The studies masnadi2007-synthetic and masnadi2007-uci: cells, tables, figures and claims."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from sklearn.model_selection import StratifiedKFold

from costboost.algorithms import CSAdaClassifier, CSB2Classifier
from costboost.metrics import masnadi_cost
from costboost_lab import datasets
from costboost_lab.studies import (
    CANNOT_BE_JUDGED,
    NOT_REPRODUCED,
    REPRODUCED,
    Options,
    masnadi_structure,
    masnadi_synthetic,
    masnadi_uci,
    run,
)
from costboost_lab.studies.masnadi_synthetic import CLAIMS as SYNTHETIC
from costboost_lab.studies.masnadi_uci import CLAIMS as UCI
from costboost_lab.studies.masnadi_uci import (
    FACTORS,
    NEW,
    OLD,
    PAPER_DATA,
    averages,
    best_in_folds,
    by_data,
    least,
    paper_averages,
    wins,
)

CLAIMS = [*SYNTHETIC, *UCI]
CLAIM = {claim.name: claim for claim in CLAIMS}
METHODS = (*NEW, *OLD)


@pytest.fixture(scope="module")
def synthetic(tmp_path_factory: pytest.TempPathFactory) -> pd.DataFrame:
    out = tmp_path_factory.mktemp("synthetic")
    found = run(masnadi_synthetic.STUDY, quick=True, out=out, n_jobs=1)
    assert not found.failures
    return found.frame


@pytest.fixture(scope="module")
def uci(tmp_path_factory: pytest.TempPathFactory) -> pd.DataFrame:
    out = tmp_path_factory.mktemp("uci")
    found = run(masnadi_uci.STUDY, quick=True, out=out, n_jobs=1)
    assert not found.failures
    return found.frame


def draws(study: Any, frame: pd.DataFrame) -> int:
    """Number of tables and figures, all of which are made."""
    tables, figures = study.tables(frame), study.figures(frame)
    assert all(len(table.frame) for table in tables)
    for one in figures:
        figure = Figure(figsize=one.size, layout="constrained")
        one.draw(figure)
        figure.draw_without_rendering()
    return len(tables) + len(figures)


# ---- quick studies -------------------------------------------------------------------------------


@pytest.mark.slow
def test_quick_synthetic_has_all_tables_and_figures(synthetic: pd.DataFrame) -> None:
    assert draws(masnadi_synthetic.STUDY, synthetic) == 4 + 3


@pytest.mark.slow
def test_quick_uci_has_all_tables_but_that_of_heart(uci: pd.DataFrame) -> None:
    assert draws(masnadi_uci.STUDY, uci) == 2 + 2


@pytest.mark.parametrize("study", [masnadi_synthetic.STUDY, masnadi_uci.STUDY])
def test_no_results_give_no_tables(study: Any) -> None:
    assert draws(study, pd.DataFrame()) == 0


def test_parts_of_the_results_suffice(synthetic: pd.DataFrame, uci: pd.DataFrame) -> None:
    for part in synthetic["part"].unique():
        assert draws(masnadi_synthetic.STUDY, synthetic[synthetic["part"] == part]) <= 3
    assert draws(masnadi_uci.STUDY, uci[uci["method"].isin(["CSAda", "CSB0"])]) == 4


@pytest.mark.parametrize("claim", SYNTHETIC, ids=lambda claim: claim.name)
def test_claims_on_quick_synthetic_results(claim: Any, synthetic: pd.DataFrame) -> None:
    empty = claim.check(pd.DataFrame())
    assert empty.outcome == CANNOT_BE_JUDGED
    assert empty.reason.startswith("needs")
    assert claim.check(synthetic.iloc[:0]).outcome == CANNOT_BE_JUDGED
    verdict = claim.check(synthetic)
    assert verdict.measured
    if claim.kind == "structural":
        assert verdict.outcome == REPRODUCED


@pytest.mark.parametrize("claim", UCI, ids=lambda claim: claim.name)
def test_claims_on_quick_uci_results(claim: Any, uci: pd.DataFrame) -> None:
    expected = REPRODUCED if claim.name == "M40" else CANNOT_BE_JUDGED
    for frame in (pd.DataFrame(), uci.iloc[:0], uci):
        verdict = claim.check(frame)
        assert verdict.outcome == expected
        assert verdict.measured or verdict.reason


def test_names_are_those_of_the_register() -> None:
    faces = {f"M{k}" for k in range(35, 40)}
    expected = {f"M{k:02}" for k in range(1, 48)} - faces
    assert {claim.name for claim in CLAIMS} == expected
    assert len(CLAIMS) == len(expected)


# ---- determinism and protocol --------------------------------------------------------------------


def test_cells_are_functions_of_their_fields_and_seed() -> None:
    chosen = {"CSRealBoost, 64 bins", "CSB1", "steps", "CGAda"}
    for cell in masnadi_synthetic.cells(Options(quick=True, repeats=1)):
        if cell["subject"] in chosen:
            first, again = (masnadi_synthetic.compute(cell, 5) for _ in range(2))
            assert first == again


def test_grids() -> None:
    full = masnadi_uci.cells(Options())
    assert len(full) == 10 * len(masnadi_uci.METHODS) * masnadi_uci.REPEATS
    costs = masnadi_uci.training_costs(0.1)
    assert (costs[0], costs[-1], len(costs)) == (1.0, 10.0, 91)
    assert {1.6, 4.2, 5.1} <= set(costs)  # those of Table 1
    assert len(masnadi_synthetic.TRAINING_COSTS) == 41


def test_uci_cell_against_a_naive_transcription() -> None:
    cell = {"data": "wdbc", "method": "CSB2", "repeat": 0, "rounds": 10, "cost_step": 4.5}
    records = pd.DataFrame(masnadi_uci.compute(cell, 3))
    mean = records[(records["kind"] == "mean over folds") & (records["after_rounds"] == 10)]
    assert mean["training_cost"].tolist() == [1.0, 5.5, 10.0]
    data = datasets.load("wdbc")
    X, y = data.X.to_numpy(float), np.where(data.y == data.pos_label, 1, 0)
    eps = np.zeros((5, 3, 3))
    folds = StratifiedKFold(5, shuffle=True, random_state=3).split(X, y)
    for i, (train, test) in enumerate(folds):
        for k, cost in enumerate((1.0, 5.5, 10.0)):
            clf = CSB2Classifier(n_estimators=10, fn_cost=cost, initial_weights="uniform")
            predicted = clf.fit(X[train], y[train]).predict(X[test])
            for j, f in enumerate(FACTORS):
                eps[i, k, j] = masnadi_cost(y[test], predicted, f)
    for j, f in enumerate(FACTORS):
        ours = mean["false_positives"] + f * mean["misses"]
        np.testing.assert_allclose(ours, eps[:, :, j].mean(axis=0))
    folds_best = records[records["kind"] == "best in each fold"].set_index(["f", "after_rounds"])
    for j, f in enumerate(FACTORS):
        expected = np.mean([eps[i, :, j].min() for i in range(5)])
        assert folds_best.loc[(f, 10), "eps"] == pytest.approx(expected)
    shifted = records[records["kind"] == "best threshold"]
    assert (shifted["eps"].to_numpy() <= eps.mean(axis=0).min(axis=0) + 1e-9).all()
    frame = records.assign(**cell)
    assert averages(frame)["CSB2"].item() == pytest.approx(eps.mean(axis=0).min(axis=0).mean())
    found = least(frame, 10).set_index("f")["training_cost"]
    assert found.tolist() == [(1.0, 5.5, 10.0)[k] for k in eps.mean(axis=0).argmin(axis=0)]


def test_best_threshold_against_all_thresholds() -> None:
    random = np.random.default_rng(0)
    for _ in range(20):
        y = random.random(30) < 0.4
        y[:2] = True, False
        score = np.round(random.normal(size=30) + y, 1)
        for f, found in zip(FACTORS, masnadi_uci.at_best_threshold(score, y), strict=True):
            every = [masnadi_cost(y, score > t, f) for t in (-9, *score)]
            assert found == min(every)


def test_crossings_are_the_thresholds_of_single_stumps() -> None:
    X, y = datasets.make_gaussians(2000, random_state=0)
    clf = CSAdaClassifier(n_estimators=1, fn_cost=3, n_jobs=1)
    found = masnadi_synthetic.crossings(clf, X, y)
    assert found == [pytest.approx(clf.ensemble_.tree(0)[0].threshold, abs=0.002)]
    assert masnadi_synthetic.crossing(np.ones(10, bool)) == -4
    assert masnadi_synthetic.crossing(np.zeros(10, bool)) == 4


def test_missing_values_and_boards(monkeypatch: pytest.MonkeyPatch) -> None:
    train = np.array([[1.0, 5.0], [3.0, np.nan], [np.nan, 7.0]])
    test = np.array([[np.nan, np.nan]])
    np.testing.assert_array_equal(masnadi_uci.filled(test, train), [[2.0, 6.0]])
    table = pd.DataFrame(
        {"a": pd.Categorical(["x", "o", "b"]), "time": [1, 2, 3], "c": [1.0, np.nan, 2.0]}
    )
    made = datasets.load("wdbc") | {"X": table, "y": np.array([1, 0, 1]), "pos_label": 1}
    made = type(datasets.load("wdbc"))(**(made | {"leaks": ("time",)}))
    monkeypatch.setattr(masnadi_uci.datasets, "load", lambda name, pos_label: made)
    X, y = masnadi_uci.rows_of("tic_tac_toe")
    np.testing.assert_array_equal(X, [[1, 1], [-1, np.nan], [0, 2]])
    np.testing.assert_array_equal(y, [True, False, True])
    X, _ = masnadi_uci.rows_of("heart_cleveland")
    np.testing.assert_array_equal(X[:, 0], [2, 1, 0])


# ---- structural checks can fail ------------------------------------------------------------------


def test_a_wrong_step_is_noticed() -> None:
    at = masnadi_structure.sums(np.full(4, 0.25), np.array([1, 1, -1, -1]), np.array([1, 1, 1, -1]))
    assert at == (0.5, 0.5, 0.0, 0.25)
    high = masnadi_structure.bracket(at, 2.0, 1.0)
    assert high is not None
    assert masnadi_structure.slope(0.0, at, 2.0, 1.0) < 0 < masnadi_structure.slope(high, at, 2, 1)
    before, after = (masnadi_structure.loss_after(step, at, 2.0, 1.0) for step in (0.0, 0.2))
    assert before == pytest.approx(1.0)
    assert after < before


@pytest.mark.parametrize("name", ["M01", "M02", "M04", "M06", "M08", "M23"])
def test_structural_claims_fail_on_deviations(name: str, synthetic: pd.DataFrame) -> None:
    broken = synthetic.assign(value=synthetic["value"] + 0.1)
    if name == "M23":
        broken = synthetic.assign(value=synthetic["value"] - 0.1)
    assert CLAIM[name].check(broken).outcome == NOT_REPRODUCED


# ---- claims on made-up results -------------------------------------------------------------------


def accuracy(distance: dict[str, float]) -> pd.DataFrame:
    """Boundaries at a distance from the best one that grows with the cost."""
    random = np.random.default_rng(0)
    lines = []
    for subject, away in distance.items():
        for repeat in range(10):
            for cost in (1.0, 2.0, 5.0, 20.0):
                best = -np.log(cost) / 2
                x = best - away * (1 + np.log(cost)) + 0.001 * random.normal()
                fields = {"part": "accuracy", "subject": subject, "repeat": repeat}
                lines.append(fields | {"cost": cost, "crossing": x, "optimum": best})
    return pd.DataFrame(lines)


def test_claims_on_figure_2() -> None:
    good = accuracy({"CSAda": 0.2, "CSRealBoost, 64 bins": 0.01, "CSLogitBoost": 0.01})
    bad = accuracy({"CSAda": 0.01, "CSRealBoost, 64 bins": 0.2, "CSLogitBoost": 0.01})
    for name in ("M09", "M10", "M43"):
        assert CLAIM[name].check(good).outcome == REPRODUCED
        assert CLAIM[name].check(bad).outcome == NOT_REPRODUCED


def table_2(table: pd.DataFrame, repeats: int = 3) -> pd.DataFrame:
    """Records whose averages are those of a table."""
    lines = []
    for data in table.index:
        for method in table.columns:
            for repeat in range(repeats):
                fields = {"data": data, "method": method, "repeat": repeat, "after_rounds": 50}
                counts = {"false_positives": table.loc[data, method], "misses": 0.0}
                kind = {"kind": "mean over folds", "training_cost": 2.0}
                lines.append(fields | counts | kind)
                for f in FACTORS:
                    best = {"kind": "best in each fold", "f": f, "eps": table.loc[data, method]}
                    lines.append(fields | best)
    return pd.DataFrame(lines)


def test_claims_on_table_2_hold_for_the_paper_itself() -> None:
    paper = paper_averages()
    frame = table_2(paper)
    pd.testing.assert_frame_equal(
        by_data(frame)[list(METHODS)], paper[list(METHODS)], check_names=False
    )
    pd.testing.assert_frame_equal(
        best_in_folds(frame).loc[list(PAPER_DATA), list(METHODS)],
        paper[list(METHODS)],
        check_names=False,
    )
    for name in ("M27", "M29", "M30", "M32", "M33", "M34"):
        assert CLAIM[name].check(frame).outcome == REPRODUCED, name
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        outcomes = {claim.name: claim.check(frame).outcome for claim in UCI}
    assert NOT_REPRODUCED not in {
        outcome for name, outcome in outcomes.items() if name not in ("M24", "M25", "M26")
    }


def test_claims_on_table_2_fail_if_old_and_new_are_exchanged() -> None:
    paper = paper_averages()
    order = dict(zip(METHODS, reversed(METHODS), strict=True))
    frame = table_2(paper.rename(columns=order))
    for name in ("M27", "M28", "M29", "M30", "M31", "M33", "M41", "M45", "M46"):
        assert CLAIM[name].check(frame).outcome == NOT_REPRODUCED, name


def test_numbers_of_wins_are_those_that_the_paper_prints() -> None:
    assert [wins(paper_averages(), name) for name in NEW] == [7, 6, 9]


def test_data_of_the_paper_is_loaded_as_numbers() -> None:
    local = set(datasets.available(local=True))
    missing = set(PAPER_DATA) - local
    if missing:
        pytest.skip(f"needs the data sets {', '.join(sorted(missing))} on this machine")
    for name in PAPER_DATA:
        X, y = masnadi_uci.rows_of(name)
        assert X.dtype == float
        assert 0.2 < y.mean() < 0.54
        assert np.isfinite(masnadi_uci.filled(X, X)).all()
