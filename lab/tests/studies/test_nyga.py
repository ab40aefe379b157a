"""The study nyga2010: its cells, tables, figures and claims."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from costboost_lab.studies import CANNOT_BE_JUDGED, NOT_REPRODUCED, REPRODUCED, Cell, Options, nyga
from costboost_lab.studies.nyga import at_best, at_recall, printed
from costboost_lab.studies.nyga_claims import CLAIMS

CHECKED = [claim for claim in CLAIMS if claim.check]
OWN_FIGURES = {"G35", "G36"}
"""Claims on the figures that the thesis prints, which need no results."""


@pytest.fixture(scope="module")
def quick() -> pd.DataFrame:
    """The first repeat of the quick study, without some values of parameters."""
    cells = nyga.cells(Options(quick=True, repeats=1))
    kept = [c for c in cells if c["value"] not in (0.1, 1.3, 1e9, 0.9)]
    return pd.DataFrame([{**cell, **record} for cell in kept for record in nyga.compute(cell, 7)])


def cell(part: str, data: str, method: str, **others: Any) -> Cell:
    usual: dict[str, Any] = {"value": None, "thinned": None, "depth": None, "repeat": 0}
    return {"part": part, "data": data, "method": method, **usual, **others}


def made_up(f_measures: dict[tuple[str, str], float]) -> pd.DataFrame:
    """Ten repeats in which (part, method) has a given F-measure on both data sets."""
    random = np.random.default_rng(0)
    lines = []
    for data in nyga.DATA:
        for (part, method), value in f_measures.items():
            for repeat in range(10):
                f = value + 0.001 * random.normal()
                line = cell(part, data, method, repeat=repeat)
                measures = {"precision": f, "recall": f, "f_measure": f, "negative_f_measure": 0.97}
                lines.append({**line, "value": None if part == "imbalance" else 2.0, **measures})
    return pd.DataFrame(lines)


def verdict(name: str, frame: pd.DataFrame) -> Any:
    (claim,) = [claim for claim in CLAIMS if claim.name == name]
    assert claim.check is not None
    return claim.check(frame)


# ---- cells ---------------------------------------------------------------------------------------


def test_full_grid() -> None:
    cells = nyga.cells(Options())
    assert len({tuple(c.values()) for c in cells}) == len(cells)
    own = [c for c in cells if c["part"] == "regularised" and c["data"] == "banana"]
    assert len(own) == 2 * 10 * 2 * 10, "methods, values, natural and thinned, repeats"
    assert {c["depth"] for c in cells if c["data"] == "banana"} == {0, 2, 3}
    assert all(c["data"] != "banana" for c in nyga.cells(Options(data=["breast_w"])))


def test_a_cell_is_determined_by_its_seed() -> None:
    one = cell("costs", "wdbc", "CSRA", value=5.0)
    assert nyga.compute(one, 3) == nyga.compute(one, 3)
    assert nyga.compute(one, 3) != nyga.compute(one, 4)


def test_all_methods_have_the_same_splits() -> None:
    def splits(part: str, method: str) -> Any:
        return nyga.drawn(cell(part, "wdbc", method, repeat=4), 11)[2]

    for a, b in zip(splits("costs", "AdaC2"), splits("imbalance", "AdaBoost"), strict=True):
        np.testing.assert_array_equal(a[0], b[0])
        np.testing.assert_array_equal(a[1], b[1])


def test_thinning_leaves_out_positive_rows_only() -> None:
    y = np.repeat([0, 1], [90, 60])
    rows = nyga.thin(y, 0.1, np.random.default_rng(0))
    assert (y[rows] == 0).sum() == 90
    assert (y[rows] == 1).sum() == 10
    assert nyga.thin(y, None, np.random.default_rng(0)).size == 150


def test_a_fit_on_banana_uses_400_rows() -> None:
    X, y, splits = nyga.drawn(cell("imbalance", "drawn banana", "AdaBoost"), 0)
    assert X.shape == (1500, 2)
    assert [(len(train), len(test)) for train, test in splits] == [(400, 1100)]
    assert set(y) == {0, 1}


# ---- tables and figures --------------------------------------------------------------------------


def test_best_value_leaves_out_the_cost_of_one() -> None:
    lines = [
        {**cell("costs", "banana", "CSRA", value=value, repeat=repeat), "f_measure": f}
        for value, f in ((1.0, 0.9), (2.0, 0.7), (5.0, 0.8))
        for repeat in range(3)
    ]
    assert set(at_best(pd.DataFrame(lines), "CSRA")["value"]) == {5.0}


def test_precision_at_a_recall_is_interpolated() -> None:
    lines = [
        {
            **cell("costs", "banana", "CSRA", value=v, repeat=k),
            "recall": r,
            "precision": p + k / 100,
        }
        for v, r, p in ((1.0, 0.8, 0.9), (10.0, 0.9, 0.7), (100.0, 1.0, 0.4))
        for k in range(2)
    ]
    frame = pd.DataFrame(lines)
    np.testing.assert_allclose(at_recall(frame, "CSRA", 0.85), [0.8, 0.81])
    np.testing.assert_allclose(at_recall(frame, "CSRA", 1.0), [0.4, 0.41])
    assert not at_recall(frame[frame["value"] < 100], "CSRA", 0.95).size


def test_figures_of_the_thesis() -> None:
    assert printed("3.2", "banana", "AdaBoost") == 0.826
    assert printed("3.2", "breast_w", "AdaBoost", "recall", label="-1") == 0.968
    assert printed("3.5", "banana", "CSGA", "precision", "recall=0.85") == 0.807
    assert np.isnan(printed("3.4", "wdbc", "CSGA"))


def test_tables_and_figures(quick: pd.DataFrame) -> None:
    tables = nyga.STUDY.tables(quick)
    assert any("Table 3.5" in table.title for table in tables)
    for figure in nyga.STUDY.figures(quick):
        drawn = Figure(figsize=figure.size)
        figure.draw(drawn)
        drawn.canvas.draw()
        assert drawn.axes
    assert nyga.STUDY.tables(pd.DataFrame()) == nyga.STUDY.figures(pd.DataFrame()) == []


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


def test_claims_that_need_no_data_sets(quick: pd.DataFrame) -> None:
    assert [verdict(f"G0{k}", quick).outcome for k in (1, 2, 3, 4)] == [REPRODUCED] * 4
    wrong = quick.assign(rare_real_deviation=0.1, collapses=1, train_error=0.0)
    assert [verdict(f"G0{k}", wrong).outcome for k in (2, 3, 4)] == [NOT_REPRODUCED] * 3
    assert verdict("G01", quick.assign(train_error=0.3)).outcome == NOT_REPRODUCED
    assert verdict("G33", quick).outcome == NOT_REPRODUCED
    assert verdict("G33", quick.assign(ratio_deviation=0.1)).outcome == REPRODUCED


def test_gain_of_regularisation() -> None:
    better = {("imbalance", "AdaBoost"): 0.82, ("regularised", "AdaBoostReg"): 0.83}
    assert verdict("G14", made_up(better)).outcome == REPRODUCED
    worse = better | {("regularised", "AdaBoostReg"): 0.81}
    assert verdict("G14", made_up(worse)).outcome == NOT_REPRODUCED


def test_numbers_of_the_thesis() -> None:
    table = {"AdaBoost": 0.826, "RealBoost": 0.820, "GentleBoost": 0.823, "LogitBoost": 0.825}
    right = {("imbalance", name): value for name, value in table.items()}
    assert verdict("G06", made_up(right)).outcome == REPRODUCED
    near = dict.fromkeys(right, 0.823)
    assert verdict("G08", made_up(near)).outcome == REPRODUCED
    wrong = right | {("imbalance", "RealBoost"): 0.80}
    assert verdict("G06", made_up(wrong)).outcome == NOT_REPRODUCED
    assert verdict("G08", made_up(wrong)).outcome == NOT_REPRODUCED


def test_other_class_is_easier() -> None:
    names = ("AdaBoost", "RealBoost", "GentleBoost", "LogitBoost")
    for value, outcome in ((0.9, REPRODUCED), (0.99, NOT_REPRODUCED)):
        frame = made_up({("imbalance", name): value for name in names})
        assert verdict("G10", frame).outcome == outcome
