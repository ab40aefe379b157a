"""``costboost fit --increasing, --decreasing`` and ``--interactions``."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import costboost
from costboost.app.cli.commands import app


@pytest.fixture
def loans(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(300, 3)).round(2), columns=["income", "debt", "age"])
    frame["job"] = rng.choice(["x", "y"], 300)
    frame["bad"] = np.where(frame.debt - frame.income + rng.normal(size=300) > 0.5, "yes", "no")
    frame.to_csv(tmp_path / "loans.csv", index=False)
    return tmp_path / "loans.csv"


def fit(path: Path, *options: str) -> str:
    given = ["fit", str(path), "--target", "bad", "--positive", "yes", "--rounds", "5", *options]
    done = CliRunner().invoke(app, given)
    return done.output if done.exit_code == 0 else f"{done.output}{done.stderr}{done.exception}"


def test_constraints_reach_the_model_and_the_report(loans: Path) -> None:
    out, page = loans.with_name("model.costboost"), loans.with_name("report.html")
    fit(
        loans, "--increasing", "debt", "--decreasing", "income", "--interactions", "debt,income",
        "--out", str(out), "--report", str(page),
    )  # fmt: skip
    model = costboost.load(out)
    assert model.monotonic_cst == {"debt": 1, "income": -1}
    assert model.model_.constraints.interactions == ((0, 1), (2, 3))
    text = page.read_text()
    assert "probability never falls with</dt><dd>debt<" in text
    assert "probability never rises with</dt><dd>income<" in text
    assert "never falls, by constraint" in text


@pytest.mark.parametrize(
    ("given", "meant"), [("none", "no_interactions"), ("pairwise", "pairwise")]
)
def test_named_interactions(loans: Path, given: str, meant: str) -> None:
    out = loans.with_name("model.costboost")
    fit(loans, "--interactions", given, "--out", str(out))
    assert costboost.load(out).interaction_cst == meant


def test_several_columns_in_one_option(loans: Path) -> None:
    """As in --drop and --categorical."""
    out = loans.with_name("model.costboost")
    fit(loans, "--increasing", "debt, age", "--decreasing", "income", "--out", str(out))
    assert costboost.load(out).monotonic_cst == {"debt": 1, "age": 1, "income": -1}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--increasing", "incom"], "did you mean 'income'?"),
        (["--increasing", "age", "--decreasing", "age"], "in --increasing and in --decreasing"),
        (["--interactions", "debt,ag"], "there is no feature 'ag'; there are: income"),
        (["--interactions", "none", "--interactions", "debt,age"], "cannot be given with other"),
        (["--increasing", "job"], "which holds categories"),
        (["--increasing", "bad"], "there is no feature 'bad'"),
        (["--increasing", "age", "--algorithm", "GBSE"], "takes no constraints"),
    ],
)
def test_what_is_refused(loans: Path, options: list[str], message: str) -> None:
    assert message in fit(loans, *options)
