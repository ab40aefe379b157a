"""The study of Nikolaou et al. (2016) and the claims that it decides."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure as Canvas

from costboost.metrics import nemenyi
from costboost_lab.studies import (
    CANNOT_BE_JUDGED,
    NOT_REPRODUCED,
    REPRODUCED,
    Options,
    Verdict,
    nikolaou,
    nikolaou_tables,
)
from costboost_lab.studies.nikolaou_claims import CLAIMS
from costboost_lab.studies.nikolaou_tables import (
    CALIBRATED,
    METHODS,
    OF_THEORY,
    VOTES,
    equal_size_tests,
)
from costboost_lab.studies.runner import joined, seed_of
from costboost_lab.studies.statistics import each_of

OUTCOMES = {REPRODUCED, NOT_REPRODUCED, CANNOT_BE_JUDGED}
CHECKED = [claim for claim in CLAIMS if claim.check is not None]
SKEWS = [fp / (fn + fp) for fn, fp in nikolaou.COSTS]


@pytest.fixture(scope="module")
def quick() -> Any:
    """Results of a part of the miniature: two sets, one repeat, and the quick formulas."""
    slow = ("properties of", "equal costs", "double base")
    cells = [
        cell
        for cell in nikolaou.cells(Options(quick=True, repeats=1))
        if cell["data"] in ("", "clusters", "wdbc")
        and not str(cell["method"]).startswith(slow)
        and (cell["part"] != "margins" or cell["repeat"] == 0)
        and (cell["part"] != "grid" or cell["data"] == "clusters")
    ]
    rows = [
        joined(cell, record)
        for cell in cells
        for record in nikolaou.compute(cell, seed_of(nikolaou.STUDY, cell))
    ]
    return pd.DataFrame(rows)


# ---- protocol ------------------------------------------------------------------------------------


def test_the_21_cost_ratios_are_those_of_the_paper() -> None:
    ratios = [fn / fp for fn, fp in nikolaou.COSTS]
    assert ratios[:11] == [100, 50, 25, 20, 15, 10, 5, 2.5, 2, 1.5, 1]
    assert ratios[11:] == pytest.approx([1 / r for r in ratios[9::-1]])
    every_other = [np.floor(1000 * z) / 1000 for z in SKEWS[::2]]
    assert every_other == [
        0.009, 0.038, 0.062, 0.166, 0.333, 0.5, 0.666, 0.833, 0.937, 0.961, 0.99,
    ]  # fmt: skip


def test_classes_are_balanced_and_test_rows_are_apart() -> None:
    y = np.repeat([0, 1], [70, 30])
    rows = nikolaou.balanced_rows(y, np.random.default_rng(0))
    assert len(set(rows)) == rows.size == 60
    assert y[rows].sum() == 30
    X, y = nikolaou.read("clusters")
    given = nikolaou.split("clusters", 3)
    assert len(given.y_test) == round(0.25 * len(y))
    train, test = ({tuple(row) for row in part} for part in (given.X, given.X_test))
    assert not train & test
    assert train | test == {tuple(row) for row in X}


def test_the_full_grid() -> None:
    cells = nikolaou.cells(Options())
    grid = [cell for cell in cells if cell["part"] == "grid"]
    assert len(grid) == 18 * 30 * 13  # AdaMEC twice in one cell, three calibrated ones in another
    assert len({tuple(cell.values()) for cell in cells}) == len(cells)
    assert len(METHODS) == 15
    assert {cell["learner"] for cell in nikolaou.cells(Options(learner="stump"))} == {"stump"}


def test_a_cell_depends_on_its_seed_alone() -> None:
    cell = nikolaou._cell("grid", "clusters", 0, "CSB2", "stump")
    one, other, third = (nikolaou.compute(cell, seed) for seed in (5, 5, 6))
    assert one == other
    assert one != third


@pytest.mark.slow
def test_loss_is_that_of_the_paper(quick: Any) -> None:
    rows = nikolaou_tables.of_part(quick, "grid")
    expected = rows["false_negative_rate"] * (1 - rows["skew"]) + (
        rows["false_positive_rate"] * rows["skew"]
    )
    np.testing.assert_allclose(rows["loss"], expected)


def test_every_method_has_all_skews(quick: Any) -> None:
    counts = nikolaou_tables.grid(quick).groupby("variant")["skew"].nunique()
    assert set(counts.index) == {*METHODS, VOTES}
    assert (counts == 21).all()


def test_adamec_is_trained_once_and_decides_by_its_probability(quick: Any) -> None:
    rows = nikolaou_tables.grid(quick)
    own = rows[rows["variant"] == "AdaMEC"].sort_values("skew")
    assert (np.diff(own["share_predicted_positive"]) <= 0).all()
    assert own["n_learners"].nunique() == 1


def test_equal_sizes(quick: Any) -> None:
    rows = nikolaou_tables.grid(quick, "equal")
    assert set(rows["variant"]) == set(CALIBRATED)
    by_skew = rows.pivot(index="skew", columns="variant", values="n_learners")
    assert (by_skew["AdaMEC calibrated"] <= by_skew["CGAda calibrated"]).all()


# ---- results -------------------------------------------------------------------------------------


def made(losses: dict[str, Any], n_sets: int = 18, n_repeats: int = 3) -> Any:
    """Results with a given loss of each method, plus a little noise."""
    sizes = [("own", name) for name in (*METHODS, VOTES)] + [("equal", name) for name in CALIBRATED]
    keys = list(product(nikolaou.DATA[:n_sets], range(n_repeats), sizes, SKEWS))
    levels = [losses.get(name, 0.3) for _, _, (_, name), _ in keys]
    exact = [
        level(z) if callable(level) else level for level, (*_, z) in zip(levels, keys, strict=True)
    ]
    return pd.DataFrame(
        {
            "part": "grid",
            "data": [name for name, *_ in keys],
            "repeat": [repeat for _, repeat, *_ in keys],
            "variant": [name for _, _, (_, name), _ in keys],
            "size": [size for _, _, (size, _), _ in keys],
            "skew": [z for *_, z in keys],
            "loss": exact + 0.002 * np.random.default_rng(0).normal(size=len(keys)),
            "fn_cost": 1.0,
            "n_learners": 50,
            "margin": 0.1,
            "share_predicted_positive": 0.5,
        }
    )


def verdict(name: str, frame: Any) -> Verdict:
    [claim] = [one for one in CHECKED if one.name == name]
    assert claim.check is not None
    return claim.check(frame)


def test_areas_by_hand() -> None:
    frame = made({"CSB2": lambda z: min(z, 1 - z)}, n_sets=1, n_repeats=1)
    area = nikolaou_tables.areas(frame)["CSB2"].iloc[0]
    z = np.array(SKEWS)
    expected = np.trapezoid(np.minimum(z, 1 - z), z)
    assert area == pytest.approx(expected, abs=0.005)
    mean = nikolaou_tables.areas(frame, nikolaou_tables.MEAN)["CSB2"].iloc[0]
    assert mean == pytest.approx(np.minimum(z, 1 - z).mean(), abs=0.005)


def test_tests_at_equal_size_are_nemenyis() -> None:
    frame = made({CALIBRATED[0]: 0.1, CALIBRATED[1]: 0.2, CALIBRATED[2]: 0.3})
    found = equal_size_tests(frame)
    assert len(found) == 11
    test = nemenyi([[1, 2, 3]] * 18, alpha=0.01)
    assert found["critical difference"].iloc[0] == pytest.approx(test.critical_difference)
    assert found[list(CALIBRATED)].iloc[0].tolist() == [1, 2, 3]
    assert (found["pairs that differ"] >= 1).all()


TIERS = {
    **dict.fromkeys(CALIBRATED, 0.1), "AsymAda calibrated": 0.08,
    **dict.fromkeys(OF_THEORY, 0.2), "AsymAda": 0.17,
    "CSB2": 0.25, "AdaC2": 0.25,
    **dict.fromkeys(("AdaCost", "AdaCost(beta2)", "CSAda"), 0.5),
}  # fmt: skip


@pytest.mark.parametrize("name", ["K13", "K14", "K15", "K16", "K17", "K19", "K40"])
def test_claims_on_ranks(name: str) -> None:
    """Reproduced by losses in the paper's order, not reproduced by the opposite order."""
    assert verdict(name, made(TIERS)).outcome == REPRODUCED
    opposite = {method: 0.6 - TIERS.get(method, 0.3) for method in METHODS}
    assert verdict(name, made(opposite)).outcome == NOT_REPRODUCED


def test_aggregations_that_disagree_are_no_verdict() -> None:
    """Good at equal costs, where z is dense, or at extreme costs, where ratios are dense."""
    inner = {"AdaMEC calibrated": lambda z: 0.01 if 0.1 < z < 0.9 else 0.5}
    found = verdict("K14", made({**TIERS, **inner}))
    assert found.outcome == CANNOT_BE_JUDGED
    assert "depends on the aggregation" in found.reason


def test_claims_on_skews() -> None:
    bad_inside = {"CSB2": lambda z: 0.4 if 0.3 < z < 0.7 else 0.15, "AdaMEC calibrated": 0.1}
    bad_outside = {"AdaC1": lambda z: 0.4 if z < 0.2 or z > 0.8 else 0.25, "AdaMEC": 0.2}
    frame = made({**bad_inside, **bad_outside})
    assert verdict("K24", frame).outcome == REPRODUCED
    assert verdict("K26", frame).outcome == REPRODUCED
    assert verdict("K27", frame).outcome == REPRODUCED
    assert verdict("K30", frame).outcome == REPRODUCED
    other = made({"CSB2": 0.1, "AdaC1": 0.1, "AdaMEC calibrated": 0.3})
    for name in ("K24", "K26", "K27", "K30"):
        assert verdict(name, other).outcome == NOT_REPRODUCED


def test_claims_on_sizes_and_equal_size() -> None:
    frame = made({})
    assert verdict("K20", frame).outcome == NOT_REPRODUCED  # AsymAda has 50 here
    frame["n_learners"] = np.where(frame["variant"] == "AsymAda", 100, 41)
    assert verdict("K20", frame).outcome == REPRODUCED
    assert verdict("K23", frame).outcome == REPRODUCED
    assert verdict("K39", frame).outcome == REPRODUCED
    ahead = made({CALIBRATED[0]: 0.1})
    assert verdict("K23", ahead).outcome == NOT_REPRODUCED
    assert verdict("K39", ahead).outcome == NOT_REPRODUCED


def test_claims_on_properties() -> None:
    rows = [
        {"part": "theory", "quantity": name, "variant": variant, "value": float(variant in having),
         "paper": float(variant in having)}
        for name, having in nikolaou.TABLE_4.items()
        for variant in nikolaou.VARIANTS
    ]  # fmt: skip
    frame = pd.DataFrame(rows)
    for name in ("K02", "K03", "K04", "K05"):
        assert verdict(name, frame).outcome == REPRODUCED
    frame.loc[frame["variant"] == "CGAda", "value"] = 0.0
    for name in ("K02", "K03", "K04", "K05"):
        assert verdict(name, frame).outcome == NOT_REPRODUCED


def test_formulas(quick: Any) -> None:
    for name in ("K06", "K07", "K08", "K09", "K32"):
        assert verdict(name, quick).outcome == REPRODUCED, name
    assert verdict("K37", quick).outcome == NOT_REPRODUCED
    wrong = quick.assign(value=quick["value"] + 0.1)
    for name in ("K06", "K07", "K08", "K09", "K32"):
        assert verdict(name, wrong).outcome == NOT_REPRODUCED, name


def test_one_audit_as_a_cell() -> None:
    [first, *_] = records = nikolaou.THEORY["properties of CSAda"](0)
    assert first["quantity"] == "fgd_consistent"
    assert all(one["value"] == one["paper"] for one in records)


# ---- claims, tables and figures on any results ---------------------------------------------------


@pytest.mark.parametrize("claim", CHECKED, ids=lambda one: one.name)
def test_every_claim_has_a_verdict(claim: Any, quick: Any) -> None:
    partial = quick[quick["variant"].isin(["AdaMEC", "CGAda"])]
    for frame in (quick, pd.DataFrame(), quick.iloc[:0], partial):
        found = claim.check(frame)
        assert found.outcome in OUTCOMES
        if frame.empty and claim.name != "K36":  # that one needs no results
            assert found.outcome == CANNOT_BE_JUDGED
            assert found.reason.startswith("needs")


def test_names_of_the_claims() -> None:
    assert [claim.name for claim in CLAIMS] == [f"K{k:02d}" for k in range(1, len(CLAIMS) + 1)]
    assert all(claim.check or claim.why_not for claim in CLAIMS)


@pytest.mark.slow
def test_tables_and_figures(quick: Any) -> None:
    for frame in (quick, pd.DataFrame(), made(TIERS, n_sets=3, n_repeats=3)):
        for table in nikolaou.STUDY.tables(frame):
            assert len(table.frame)
        for figure in nikolaou.STUDY.figures(frame):
            canvas = Canvas(figsize=figure.size)
            figure.draw(canvas)
            canvas.draw_without_rendering()
            assert canvas.axes


# ---- verdicts with several parts -----------------------------------------------------------------


def test_all_parts_must_hold() -> None:
    yes = Verdict(REPRODUCED, "a", 1.0, (0.5, 1.5))
    no = Verdict(NOT_REPRODUCED, "b", -1.0, (-1.5, -0.5), "why")
    unclear = Verdict(CANNOT_BE_JUDGED, "c", 0.1, (-0.5, 0.5))
    assert each_of([yes, yes]).outcome == REPRODUCED
    assert each_of([yes, unclear]).outcome == CANNOT_BE_JUDGED
    found = each_of([yes, unclear, no])
    assert (found.outcome, found.reason, found.difference) == (NOT_REPRODUCED, "why", -1.0)
    assert "1 of 3" in found.measured
    assert each_of([]).outcome == CANNOT_BE_JUDGED
