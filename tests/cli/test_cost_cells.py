"""Costs of all four outcomes, files of costs and clipping on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from cli.running import Run, failed, table, to_csv

from costboost.metrics import total_cost

FAST = ("-a", "adamec", "--rounds", "20")
LOANS = ("-t", "default", "--positive", "yes", "--drop", "id", *FAST)
CELLS = ("--fn-cost", "amount", "--fp-cost", "-2", "--tp-cost", "30", "--tn-cost=-9")


@pytest.fixture
def costs_file(tmp_path: Path) -> Path:
    path = tmp_path / "costs.json"
    path.write_text('{"fn_cost": "amount", "fp_cost": -2, "tp_cost": 30, "tn_cost": -9}')
    return path


def test_the_money_is_that_of_all_outcomes(run: Run, loans: Path, tmp_path: Path) -> None:
    test, out = tmp_path / "test.csv", tmp_path / "m.costboost"
    rows = table(seed=1)
    test.write_text(to_csv(rows))
    done = run("fit", loans, *LOANS, *CELLS, "--test", test, "-o", out, "--json")
    assert done.code == 0, done.err
    found = json.loads(done.out)
    assert found["tp_cost"] == 30
    assert found["tn_cost"] == -9
    predicted = [line.split(",") for line in run("predict", out, test).out.splitlines()[1:]]
    labels = [line[0] for line in predicted]
    amount = np.array(rows["amount"], dtype=float)
    costs = {"fn_cost": amount, "fp_cost": -2, "tp_cost": 30, "tn_cost": -9}
    money = total_cost(rows["default"], labels, pos_label="yes", **costs)
    assert found["held_out"]["decisions"]["this model"]["cost"] == pytest.approx(money)
    p, expected = (np.array([float(line[k]) for line in predicted]) for k in (1, 2))
    positive = np.array(labels) == "yes"
    assert expected == pytest.approx(
        np.where(positive, p * 30 - (1 - p) * 2, p * amount - (1 - p) * 9)
    )
    assert np.array_equal(positive, p * (amount - 30) > (1 - p) * 7)
    printed = run("fit", loans, *LOANS, *CELLS).out
    assert "a true positive 30, a true negative -9." in " ".join(printed.split())


@pytest.mark.parametrize("kind", ["json", "csv"])
def test_a_file_of_costs(run: Run, loans: Path, tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"costs.{kind}"
    texts = {
        "json": '{"fn_cost": "amount", "fp_cost": -2, "tp_cost": 30, "tn_cost": -9}',
        "csv": "fn_cost,fp_cost, tp_cost,tn_cost\namount,-2,30,-9\n",
    }
    path.write_text(texts[kind])
    by_file = run("fit", loans, *LOANS, "--costs", path)
    by_options = run("fit", loans, *LOANS, *CELLS)
    assert by_file.code == 0, by_file.err
    assert by_file.out == by_options.out


def test_a_table_of_costs(run: Run, loans: Path, tmp_path: Path) -> None:
    path = tmp_path / "costs.csv"
    path.write_text("truth,no,yes\nno,0,1\nyes,5,0\n")
    by_file = run("fit", loans, *LOANS, "--costs", path)
    assert by_file.out == run("fit", loans, *LOANS, "--fn-cost", "5").out


def test_other_costs_than_in_training(run: Run, loans: Path, tmp_path: Path) -> None:
    out = tmp_path / "m.costboost"
    assert run("fit", loans, *LOANS, "--fn-cost", "5", "-o", out).code == 0
    net = run("predict", out, loans, "--fn-cost", "3").out
    four = run("predict", out, loans, "--fn-cost", "4", "--tp-cost", "1").out
    labels = [[line.split(",")[0] for line in text.splitlines()] for text in (net, four)]
    assert labels[0] == labels[1]
    page = tmp_path / "r.html"
    done = run("report", out, loans, "--tp-cost", "1", "--out", page)
    assert done.code == 0, done.err
    assert "1 for a hit (true positive)" in page.read_text()


def test_goals_and_comparisons(run: Run, loans: Path) -> None:
    costs = ("--fn-cost", "0", "--tp-cost=-5", "--fp-cost", "1")
    done = run("goal", loans, *LOANS, *costs, "--recall", "0.5", "--json")
    assert done.code == 0, done.err
    assert json.loads(done.out)["held_out"]["decisions"]["this model"]["mean_cost"] < 0
    done = run("compare", loans, *LOANS, *costs, "--folds", "3", "--json")
    assert done.code == 0, done.err


def test_clipping(run: Run, loans: Path, tmp_path: Path) -> None:
    words = (*LOANS[:6], "-a", "cgada", "--rounds", "20", "--fn-cost", "amount", "--fp-cost", "9")
    done = run("fit", loans, *words, "--clip-costs", "0.9")
    assert done.code == 0, done.err
    assert "of the rows were lowered (--clip-costs)" in done.out
    found = json.loads(run("fit", loans, *words, "--clip-costs", "0.9", "--json").out)
    assert 0 < found["clipped_share"] < 0.2
    page = tmp_path / "r.html"
    run("fit", loans, *words, "--clip-costs", "0.9", "--report", page)
    assert "of the rows were lowered" in page.read_text()
    assert "clip_costs must be a quantile" in failed(run, "fit", loans, *words, "--clip-costs", "7")


def test_bad_files_of_costs(run: Run, loans: Path, costs_file: Path) -> None:
    twice = failed(run, "fit", loans, *LOANS, "--costs", costs_file, "--fn-cost", "3")
    assert "costs are given twice" in twice
    cases = {
        '{"fn_cost": 1, "tp_cots": 2}': "did you mean 'tp_cost'?",
        '{"fn_cost": [1, 2, 3]}': "fn_cost must be a number or the name of a column",
        '{"fn_cost": "amuont", "tp_cost": 0}': "did you mean 'amount'?",
        '{"fn_cost": 1, "tp_cost": "nan"}': "a cost must be a finite number",
        '{"fn_cost": 1, "tp_cost": 2, "fp_cost": 1, "tn_cost": 3}': "both mistakes are cheaper",
    }
    for text, message in cases.items():
        costs_file.write_text(text)
        assert message in failed(run, "fit", loans, *LOANS, "--costs", costs_file)
    assert "no such file" in failed(run, "fit", loans, *LOANS, "--costs", "nowhere.json")


def test_a_column_with_missing_costs(run: Run, loans: Path) -> None:
    words = (*LOANS, "--fn-cost", "income", "--tp-cost", "0")
    assert "rows have no cost in column 'income'" in failed(run, "fit", loans, *words)
