"""The study decisions2026: its data, methods, tables and claims."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from threadpoolctl import threadpool_limits

from costboost_lab import datasets
from costboost_lab.studies import (
    CANNOT_BE_JUDGED,
    NOT_REPRODUCED,
    REPRODUCED,
    Options,
    decisions2026,
)
from costboost_lab.studies.decisions2026 import (
    CLAIMS,
    DERIVED,
    LEAST_ROWS,
    Part,
    Problem,
    Split,
    chosen_sets,
    load_problem,
    plain_names,
)


@pytest.fixture(autouse=True, scope="module")
def one_thread() -> Iterator[None]:
    """One thread for HistGradientBoosting, as in a worker of the runner."""
    with threadpool_limits(1):
        yield


def small_problem() -> Problem:
    """300 rows with missing values and a column of categories."""
    random = np.random.default_rng(0)
    values, group = random.standard_normal((300, 3)), random.integers(0, 4, 300)
    values[::10, 0] = np.nan
    X = pd.DataFrame(values).assign(group=pd.Categorical(group))
    y = values[:, 1] + (group == 2) + random.standard_normal(300) > 0.5
    return Problem("small", plain_names(X), y.astype(np.int64))


@pytest.fixture(scope="module")
def split() -> Split:
    return small_problem().split(0)


def test_sets_are_chosen_by_rule() -> None:
    chosen = chosen_sets()
    assert len(chosen) > 30
    assert not set(chosen) & set(DERIVED)
    assert set(DERIVED.values()) <= set(chosen)
    assert all(datasets.record(name).rows >= LEAST_ROWS for name in chosen)
    assert "kdd99_10pct" in chosen
    assert "kdd99_10pct" not in chosen_sets(most_rows=50_000)


def test_a_split_is_stratified_and_complete(split: Split) -> None:
    y = small_problem().y
    assert split.train.y.size + split.test.y.size == y.size
    assert split.train.y.mean() == pytest.approx(y.mean(), abs=0.01)
    assert not set(split.train.frame.index) & set(split.test.frame.index)
    assert np.isfinite(split.train.codes).all()
    assert np.isfinite(split.test.codes).all()


def test_a_large_problem_is_sampled() -> None:
    problem = small_problem()
    sampled = problem.sampled(100)
    assert sampled.y.size == len(sampled.X) == 100
    assert sampled.y.mean() == pytest.approx(problem.y.mean(), abs=0.02)
    assert problem.sampled(300) is problem


def test_wdbc_needs_no_download() -> None:
    problem = load_problem("wdbc")
    assert problem.X.shape == (569, 30)
    assert problem.y.sum() == 212


@pytest.mark.filterwarnings("ignore")  # a worker ignores the warnings of methods too
@pytest.mark.parametrize("name", [name for name in decisions2026.methods() if name != "CatBoost"])
def test_every_method_decides_at_every_ratio(name: str, split: Split) -> None:
    if name == "HistGradientBoosting":
        split = Split(*(_first(part, 100) for part in (split.train, split.test)))
    records = pd.DataFrame(list(decisions2026.methods()[name](split, 1)))
    assert not records.duplicated(["variant", "ratio"]).any()
    for _, part in records.groupby("variant"):
        assert tuple(part["ratio"]) == decisions2026.RATIOS
    trivial = np.minimum(
        records["ratio"] * split.test.y.sum(), split.test.y.size - split.test.y.sum()
    )
    cost = (records["ratio"] * records["missed"] + records["false_alarms"]) / trivial
    np.testing.assert_allclose(records["cost"], cost, rtol=1e-12)


def test_catboost_takes_categories(split: Split) -> None:
    pytest.importorskip("catboost")
    model = decisions2026.learner("CatBoost", split.train, 0).set_params(iterations=5)
    model.fit(split.train.rows("catboost"), split.train.y)
    assert model.predict_proba(split.test.rows("catboost")).shape == (90, 2)


def _first(part: Part, n: int) -> Part:
    return Part(part.frame.iloc[:n], part.codes[:n], part.y[:n])


def test_weights_and_thresholds_follow_the_ratio(split: Split) -> None:
    records = pd.DataFrame(list(decisions2026.methods()["AdaMEC"](split, 0)))
    platt = records[records["variant"] == "Platt"]
    assert (platt["missed"].diff().dropna() <= 0).all()
    assert (platt["false_alarms"].diff().dropna() >= 0).all()


def test_held_out_probabilities_are_of_other_rows(split: Split) -> None:
    held = decisions2026.held_out_probability("HistGradientBoosting", split.train, 0)
    seen = decisions2026.learner("HistGradientBoosting", split.train, 0)
    seen.fit(split.train.frame, split.train.y)
    fitted = seen.predict_proba(split.train.frame)[:, 1]
    brier = [np.mean((p - split.train.y) ** 2) for p in (held, fitted)]
    assert brier[0] > 2 * brier[1]


# ---- results -------------------------------------------------------------------------------------


def made_up(costs: dict[tuple[str, str], float]) -> pd.DataFrame:
    """Results on eight data sets in which a form of a method has about the given cost."""
    random = np.random.default_rng(0)
    lines: list[dict[str, Any]] = []
    for k in range(8):
        for (method, variant), cost in costs.items():
            for ratio in decisions2026.RATIOS:
                lines.append(
                    {
                        "data": f"set{k}",
                        "repeat": 0,
                        "method": method,
                        "variant": variant,
                        "ratio": ratio,
                        "cost": cost + 0.01 * random.standard_normal(),
                        "brier": 0.1,
                    }
                )
    return pd.DataFrame(lines)


def verdict(statement: str, frame: pd.DataFrame) -> str:
    (claim,) = [claim for claim in CLAIMS if statement in claim.statement]
    assert claim.check is not None
    return claim.check(frame).outcome


def test_claims_can_come_out_and_fail() -> None:
    better = made_up({("CostBoost", "Platt"): 0.4, ("LightGBM", "Platt"): 0.6})
    worse = made_up({("CostBoost", "Platt"): 0.6, ("LightGBM", "Platt"): 0.4})
    statement = "CostBoost costs less than Platt-calibrated LightGBM"
    assert verdict(statement, better) == REPRODUCED
    assert verdict(statement, worse) == NOT_REPRODUCED
    assert verdict(statement, better[better["data"] == "set0"]) == CANNOT_BE_JUDGED
    assert verdict("Calibration lowers the cost of AdaMEC", better) == CANNOT_BE_JUDGED


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.name)
def test_no_results_no_judgement(claim: Any) -> None:
    assert claim.check(pd.DataFrame()).outcome == CANNOT_BE_JUDGED


def test_tables_and_figures() -> None:
    frame = made_up(
        {
            ("CostBoost", "Platt"): 0.4,
            ("LightGBM", "Platt"): 0.6,
            ("LightGBM", "raw"): 0.7,
            ("CGAda", "raw"): 0.5,
        }
    )
    costs, saved, sets = decisions2026.tables(frame)
    assert list(costs.frame.index) == ["CostBoost", "CGAda", "LightGBM Platt", "LightGBM raw"]
    assert saved.frame.loc["LightGBM Platt against LightGBM raw", "cheaper on"] == "8 of 8"
    assert sets.frame.shape == (8, 4)
    for one in decisions2026.figures(frame):
        one.draw(Figure(figsize=one.size))
    assert decisions2026.tables(frame.iloc[:0]) == decisions2026.figures(frame.iloc[:0]) == []


def test_quick_grid_is_small() -> None:
    cells = decisions2026.cells(Options(quick=True, data=("wdbc",)))
    assert {cell["method"] for cell in cells} <= set(decisions2026.QUICK_METHODS)
    assert len(cells) == len(decisions2026.QUICK_METHODS)


def test_catboost_is_left_out_on_large_sets() -> None:
    pytest.importorskip("catboost")
    cells = decisions2026.cells(Options(repeats=1, data=("wdbc", "bank_marketing")))
    methods = {
        name: {cell["method"] for cell in cells if cell["data"] == name}
        for name in ("wdbc", "bank_marketing")
    }
    assert methods["wdbc"] - methods["bank_marketing"] == {"CatBoost"}


def test_means_are_over_the_same_sets_for_all_methods() -> None:
    """A method that was run on the easy sets only must not look cheap."""
    frame = made_up({("CostBoost", "Platt"): 0.4, ("CatBoost", "Platt"): 0.5})
    hard = frame["data"].isin(["set0", "set1"])
    frame.loc[hard, "cost"] += 0.4
    frame = frame[~(hard & (frame["method"] == "CatBoost"))]
    all_sets, common, *_ = decisions2026.tables(frame)
    assert list(all_sets.frame.index) == ["CostBoost"]
    assert all_sets.frame.loc["CostBoost", "mean"] == pytest.approx(0.5, abs=0.01)
    assert list(common.frame.index) == ["CostBoost", "CatBoost Platt"]
    assert common.frame.loc["CostBoost", "mean"] == pytest.approx(0.4, abs=0.01)
