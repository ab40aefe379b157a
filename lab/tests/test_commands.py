"""``costboost datasets`` and ``costboost audit``; ``study`` has tests of its own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli.running import LARGE, Run, failed, loaded

from costboost.algorithms import REGISTRY
from costboost_lab import datasets, theory
from costboost_lab.names import DATA_SETS


def test_data_sets(run: Run, tmp_path: Path) -> None:
    found = json.loads(run("datasets", "--json").out)
    assert [one["name"] for one in found] == datasets.available()
    local = json.loads(run("datasets", "--json", "--local").out)
    assert [one["name"] for one in local] == datasets.available(local=True)
    assert "Breast cancer" in run("datasets", "wdbc").out
    out = tmp_path / "d.csv"
    assert run("datasets", "wdbc", "--out", out).code == 0
    assert len(out.read_text().splitlines()) == 570
    assert run("datasets", "--out", out).code == 1


def test_costs_of_a_data_set_are_printed(run: Run, tmp_path: Path) -> None:
    """For otherwise their column would be taken for a feature."""
    done = run("datasets", "bank_marketing", "--out", tmp_path / "d.csv")
    if done.code:
        pytest.skip("the data set is not here")
    assert "fn_cost" in (tmp_path / "d.csv").read_text().splitlines()[0].split(",")
    assert "note: what mistakes cost: --fn-cost fn_cost --fp-cost" in done.err


def test_names_of_data_sets(run: Run) -> None:
    assert DATA_SETS.complete("") == datasets.available()
    assert DATA_SETS.complete("wd") == ["wdbc"]
    assert "did you mean 'wdbc'?" in failed(run, "datasets", "wdcb")


# ---- audit ---------------------------------------------------------------------------------------


def test_the_audit_agrees_with_what_algorithms_declare(run: Run) -> None:
    shown = run("audit").out
    found = json.loads(run("audit", "--json").out)
    assert found == theory.table().rows()
    for row in found:
        name = row.pop("name")
        assert f"\n{name} " in shown
        if name in REGISTRY:  # the table has a variant that is no class of its own
            declared = json.loads(run("algorithms", name, "--json").out)
            assert row == {key: declared[key] for key in row}


def test_one_audit(run: Run) -> None:
    assert "asymmetry-preserving: no" in run("audit", "adac3").out
    found = json.loads(run("audit", "AdaC3Classifier", "--json").out)
    assert found["name"] == "AdaC3"
    assert found["cost_consistent"] is False
    assert "it predicts positive from P" in found["evidence"]["cost_consistent"]
    assert "did you mean 'AdaMEC'?" in failed(run, "audit", "adames")
    assert "GBSE is for any number of classes" in failed(run, "audit", "gbse")


@pytest.mark.parametrize(
    "words",
    [
        ("--help",),
        ("study", "--help"),
        ("study", "sun205"),
        ("datasets", "wdcb"),
        ("datasets", "--out", "x.csv"),
        ("audit", "adames"),
    ],
    ids=" ".join,
)
def test_help_and_mistakes_load_nothing_large(words: tuple[str, ...]) -> None:
    found = loaded(words)
    assert "costboost_lab.commands" in found
    assert not (LARGE | {"numpy", "pyarrow"}) & found
