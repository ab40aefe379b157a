"""``costboost explain``: what decides on a row, in log-odds and probability."""

from __future__ import annotations

import itertools
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from cli.running import Run, failed

import costboost

COLUMNS = ["income", "debt", "age"]


@pytest.fixture
def loans(tmp_path: Path) -> Path:
    random = np.random.default_rng(0)
    frame = pd.DataFrame(random.normal(size=(400, 3)).round(3), columns=COLUMNS)
    frame["amount"] = random.lognormal(2, 1, 400).round(2)
    frame["city"] = random.choice(["Rome", "Oslo"], 400)
    bad = frame.debt - frame.income + random.logistic(size=400) > 1
    frame["bad"] = np.where(bad, "bad", "good")  # the positive class sorts first
    frame.to_csv(tmp_path / "loans.csv", index=False)
    return tmp_path / "loans.csv"


def trained(run: Run, loans: Path, *options: str) -> Path:
    out = loans.with_name("m.costboost")
    done = run("fit", loans, "-t", "bad", "--positive", "bad", *options, "-o", out)
    assert done.code == 0, done.err
    return out


def explained(run: Run, *words: Any) -> Any:
    return json.loads(run("explain", *words, "--json").out)


def decision(found: Any) -> bool:
    return bool(found["base"] + sum(found["moves"].values()) > found["threshold"])


def test_base_and_moves_add_up_to_the_log_odds_of_the_prediction(run: Run, loans: Path) -> None:
    model = trained(run, loans, "--rounds", "5", "--drop", "amount", "--fn-cost", "4")
    labels = [line.split(",") for line in run("predict", model, loans).out.splitlines()[1:]]
    clf, rows = costboost.load(model), pd.read_csv(loans)
    own = clf.explain(rows[[*COLUMNS, "city"]])
    for row in (1, 2, 30):
        found = explained(run, model, loans, "--row", row)
        total = found["base"] + sum(found["moves"].values())
        assert found["unit"] == "log-odds"
        assert found["probability"] == float(labels[row - 1][1])
        assert 1 / (1 + np.exp(-total)) == pytest.approx(found["probability"], abs=1e-9)
        assert found["threshold"] == pytest.approx(np.log(1 / 4))
        assert decision(found) == (labels[row - 1][0] == "bad")
        assert found["moves"]["debt"] == own[row - 1, "debt"]  # of the same sign as in Python


def test_costs_of_the_row_are_in_the_threshold(run: Run, loans: Path) -> None:
    model = trained(run, loans, "--rounds", "5", "--fn-cost", "amount", "--fp-cost", "5")
    labels = run("predict", model, loans).out.splitlines()[1:]
    amounts = pd.read_csv(loans).amount
    for row in range(1, 400, 40):
        found = explained(run, model, loans, "--row", row)
        assert found["threshold"] == pytest.approx(np.log(5 / amounts[row - 1]))
        assert decision(found) == labels[row - 1].startswith("bad")
    other = explained(run, model, loans, "--row", 1, "--fn-cost", "500")
    assert other["threshold"] == pytest.approx(np.log(5 / 500))
    without = loans.with_name("none.csv")
    pd.read_csv(loans).drop(columns="amount").to_csv(without, index=False)
    assert "amount" in failed(run, "explain", model, without, "--row", "1")
    assert run("explain", model, without).code == 0


def test_the_page_of_a_row_ends_at_its_probability(run: Run, loans: Path) -> None:
    model = trained(run, loans, "--rounds", "5", "--drop", "amount", "--fn-cost", "4")
    printed = run("explain", model, loans, "--row", "3", "--top", "2").out
    p = re.search(r"the probability of bad is (\S+)\.$", printed, re.MULTILINE)
    assert p is not None
    lines = printed.splitlines()
    assert "above 0.2, log-odds of -1.386" in printed
    assert next(line for line in lines if line.startswith("average row"))
    assert next(line for line in lines if line.startswith("2 more")).split()[-1] == p[1]


def test_decisions_by_the_sign_of_the_score(run: Run, loans: Path) -> None:
    model = trained(run, loans, "-a", "cgada", "--rounds", "5", "--fn-cost", "4")
    labels = run("predict", model, loans).out.splitlines()[1:]
    for row in (1, 2, 3):
        found = explained(run, model, loans, "--row", row)
        assert (found["unit"], found["threshold"]) == ("score", 0.0)
        assert decision(found) == labels[row - 1].startswith("bad")
    assert "it does above 0" in run("explain", model, loans, "--row", "1").out
    assert "other costs after training" in failed(
        run, "explain", model, loans, "--row", "1", "--fn-cost", "9"
    )


def test_many_steps_leave_no_holes(run: Run, loans: Path) -> None:
    model = trained(run, loans, "-a", "logitboost", "--rounds", "150", "--drop", "amount")
    shown = run("explain", model, "--feature", "age").out
    ends = re.findall(r"^(?:(\S+) to (\S+)|up to (\S+)|above (\S+))", shown, re.MULTILINE)
    assert len(ends) == 20
    assert "Means over neighbouring values" in shown
    for (_, high, first, _), (low, _, _, last) in itertools.pairwise(ends):
        assert (high or first) == (low or last)


def test_importances_are_named_gain(run: Run, loans: Path) -> None:
    model = trained(run, loans, "--rounds", "5", "--drop", "amount")
    printed = run("explain", model).out
    assert "gain" in printed.splitlines()[2]
    assert "costboost report" in " ".join(printed.split())
    assert explained(run, model)["importance"] == "gain in training"


def test_unseen_categories_are_noted_once(run: Run, loans: Path) -> None:
    model = trained(run, loans, "--rounds", "5", "--drop", "amount")
    rows = pd.read_csv(loans).assign(city="Lima")
    rows.to_csv(loans, index=False)
    for words in (("predict", model, loans), ("explain", model, loans)):
        assert run(*words).err.count("'city'") == 1
