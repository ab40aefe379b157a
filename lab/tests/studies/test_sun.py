"""The study sun2005: its cells, tables, figures and claims."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from sklearn.metrics import f1_score

from costboost_lab.studies import CANNOT_BE_JUDGED, NOT_REPRODUCED, REPRODUCED, Options, sun
from costboost_lab.studies.statistics import class_measures
from costboost_lab.studies.sun import CLAIMS, best_of_ratios, measured, of_other_repeats

CHECKED = [claim for claim in CLAIMS if claim.check]
OWN_FIGURES = {"S17", "S18", "S23"}
"""Claims on the figures that the paper prints, which need no results."""


def results(cells: list[Any]) -> pd.DataFrame:
    """Records of cells, with the cell's fields and a seed for each pair of data set and repeat."""
    lines = []
    for cell in cells:
        seed = int(cell["repeat"])
        lines += [{**cell, "seed": seed, **record} for record in sun.compute(cell, seed)]
    return pd.DataFrame(lines)


@pytest.fixture(scope="module")
def quick() -> pd.DataFrame:
    """A part of the quick study: all methods with stumps."""
    cells = sun.cells(Options(quick=True, learner="stump"))
    return results(cells)


def made_up(f_measures: dict[str, float], noise: float = 0.002) -> pd.DataFrame:
    """Results of ten repeats in which a method has the given F-measure at every ratio."""
    random = np.random.default_rng(0)
    lines = []
    for data in sun.DATA:
        for repeat in range(10):
            for method, value in f_measures.items():
                ratios = sun.RATIOS[:1] if method == "AdaBoost" else sun.RATIOS
                for fp_cost in ratios:
                    f = value + noise * random.normal()
                    for rounds in (1, 10):
                        lines.append(
                            {
                                "part": "table",
                                "data": data,
                                "learner": "stump",
                                "method": method,
                                "repeat": repeat,
                                "fp_cost": fp_cost,
                                "rounds": rounds,
                                "precision": f,
                                "recall": f,
                                "f_measure": f,
                                "positive_share": 0.3,
                            }
                        )
    return pd.DataFrame(lines)


def verdict(name: str, frame: pd.DataFrame) -> Any:
    (claim,) = [claim for claim in CLAIMS if claim.name == name]
    assert claim.check is not None
    return claim.check(frame)


# ---- cells ---------------------------------------------------------------------------------------


def test_full_grid() -> None:
    cells = sun.cells(Options())
    table = [cell for cell in cells if cell["part"] == "table"]
    assert len(table) == 4 * 2 * 10 * len(sun.METHODS)
    assert len({tuple(cell.values()) for cell in cells}) == len(cells)
    chosen = sun.cells(Options(data=["pima"], learner="tree", repeats=3))
    assert len([cell for cell in chosen if cell["part"] == "table"]) == 3 * len(sun.METHODS)


def test_a_cell_is_determined_by_its_seed() -> None:
    cell = {"part": "quick", "data": "wdbc", "learner": "stump", "method": "AdaC2", "repeat": 0}
    assert sun.compute(cell, 3) == sun.compute(cell, 3)
    assert sun.compute(cell, 3) != sun.compute(cell, 4)


def test_equal_costs_are_adaboost(quick: pd.DataFrame) -> None:
    own = quick[(quick["fp_cost"] == 1) & (quick["rounds"] == 10)]
    table = own.pivot_table(index="repeat", columns="method", values="f_measure")
    for name in ("AdaC1", "AdaC2", "AdaC3", "CSB2"):
        np.testing.assert_array_equal(table[name], table["AdaBoost"])


def test_measures_of_a_class() -> None:
    y, predicted = np.array([1, 1, 1, 0, 0]), np.array([1, 0, 0, 1, 0])
    found = class_measures(y, predicted)
    assert found == pytest.approx({"precision": 1 / 2, "recall": 1 / 3, "f_measure": 0.4})
    assert class_measures(y, predicted, label=0)["f_measure"] == f1_score(1 - y, 1 - predicted)
    assert class_measures(y, np.zeros(5, dtype=np.int64))["precision"] == 0


def test_steps_by_the_formulas_of_the_paper() -> None:
    for method in ("AdaC1", "AdaC2", "AdaC3"):
        for seed in range(5):
            found = sun.deviations(method, seed)
            assert found["step_deviation"] == pytest.approx(0, abs=1e-9)
            assert found["unit_cost_deviation"] == 0


# ---- tables and figures --------------------------------------------------------------------------


def test_best_ratio_leaves_out_equal_costs() -> None:
    frame = made_up({"AdaBoost": 0.5, "AdaC1": 0.6}, noise=0)
    frame.loc[(frame["fp_cost"] == 1) & (frame["method"] == "AdaC1"), "f_measure"] = 0.9
    best = best_of_ratios(measured(frame, "stump")).query("method == 'AdaC1'")
    assert (best["f_measure"] == 60).all()
    assert (best["fp_cost"] == 0.9).all(), "the mildest of equally good ratios"


def test_ratio_of_other_repeats_does_not_use_the_own_repeat() -> None:
    frame = made_up({"AdaC1": 0.6}, noise=0)
    lucky = (frame["repeat"] == 3) & (frame["fp_cost"] == 0.4)
    frame.loc[lucky, "f_measure"] = 0.8
    found = of_other_repeats(measured(frame, "stump"))
    assert (found[found["repeat"] == 3]["f_measure"] == 60).all()
    assert (found[found["repeat"] != 3]["fp_cost"] == 0.4).all()


def test_tables_and_figures(quick: pd.DataFrame) -> None:
    tables = sun.STUDY.tables(quick)
    assert "AdaC3 (paper)" not in tables[0].frame, "the paper has no results on wdbc"
    full = sun.STUDY.tables(made_up({"AdaBoost": 0.5, "AdaC3": 0.6}))
    assert full[0].frame.loc["average", "AdaC3 (paper)"] == 73.16
    for figure in sun.STUDY.figures(quick):
        drawn = Figure(figsize=figure.size)
        figure.draw(drawn)
        drawn.canvas.draw()
        assert drawn.axes


def test_nothing_from_no_results() -> None:
    assert sun.STUDY.tables(pd.DataFrame()) == sun.STUDY.figures(pd.DataFrame()) == []


# ---- claims --------------------------------------------------------------------------------------


@pytest.mark.parametrize("claim", CHECKED, ids=lambda claim: claim.name)
def test_every_claim_has_a_verdict(claim: Any, quick: pd.DataFrame) -> None:
    assert claim.check(quick).outcome in (REPRODUCED, NOT_REPRODUCED, CANNOT_BE_JUDGED)
    for empty in (quick[:0], pd.DataFrame()):
        found = claim.check(empty)
        if claim.name in OWN_FIGURES:
            assert found.outcome == REPRODUCED
        else:
            assert found.outcome == CANNOT_BE_JUDGED
            assert found.reason.startswith("needs")


def test_formulas_are_reproduced(quick: pd.DataFrame) -> None:
    assert [verdict(name, quick).outcome for name in ("S02", "S03", "S04")] == [REPRODUCED] * 3
    wrong = quick.assign(unit_cost_deviation=quick["unit_cost_deviation"] + 0.1)
    assert verdict("S02", wrong).outcome == NOT_REPRODUCED
    wrong = quick.assign(steps_against_condition=quick["steps_against_condition"] + 1)
    assert verdict("S03", wrong).outcome == NOT_REPRODUCED
    wrong = quick.assign(bound_excess_up_to_1=0.1)
    assert verdict("S04", wrong).outcome == NOT_REPRODUCED


ALL = {"AdaBoost": 0.5, "AdaC1": 0.55, "AdaC2": 0.55, "AdaC3": 0.55}
OLD = {"AdaCost": 0.45, "CSB1": 0.45, "CSB2": 0.45}


@pytest.mark.parametrize("name", ["S06", "S20"])
def test_adac3_is_best_only_if_it_is(name: str) -> None:
    assert verdict(name, made_up(ALL | OLD | {"AdaC3": 0.6})).outcome == REPRODUCED
    assert verdict(name, made_up(ALL | OLD | {"AdaC3": 0.52})).outcome == NOT_REPRODUCED


def test_gains_over_adaboost() -> None:
    assert verdict("S08", made_up(ALL)).outcome == REPRODUCED
    assert verdict("S08", made_up(ALL | {"AdaC1": 0.4})).outcome == NOT_REPRODUCED
    assert verdict("S21", made_up(ALL | OLD)).outcome == REPRODUCED
    assert verdict("S21", made_up(ALL | OLD | {"CSB1": 0.7})).outcome == NOT_REPRODUCED


def test_learners_that_disagree_leave_a_claim_open() -> None:
    trees = made_up(ALL | {"AdaC1": 0.4}).assign(learner="tree")
    found = verdict("S08", pd.concat([made_up(ALL), trees]))
    assert found.outcome == CANNOT_BE_JUDGED
    assert "depends on the base learner" in found.reason


def test_the_search_has_a_bonus_on_noise() -> None:
    noise = made_up(ALL, noise=0.02)
    assert verdict("S19", noise).outcome == REPRODUCED
    assert verdict("S19", made_up(ALL, noise=0)).outcome != REPRODUCED
