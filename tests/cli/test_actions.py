"""Actions on the command line: tables of costs, reviewers, capacities."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from cli.running import Run, failed
from numpy.testing import assert_allclose, assert_array_equal

import costboost

TABLE = "truth,grant,review,refuse\nyes,amount,4,0\nno,0,4,3..17\n"
COSTS: dict[str, dict[str, Any]] = {
    "yes": {"grant": "amount", "review": 4, "refuse": 0},
    "no": {"grant": 0, "review": 4, "refuse": (3, 17)},
}
REVIEWER = {"recall": 0.9, "specificity": 0.95}


@pytest.fixture(scope="module")
def costs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("actions") / "costs.csv"
    path.write_text(TABLE)
    return path


def lines(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_actions_of_a_model_without_actions(
    run: Run, model: Path, loans: Path, costs: Path
) -> None:
    done = run("predict", model, loans, "--actions", costs, "--reviewer", "0.9,0.95")
    assert done.code == 0, done.err
    found = lines(done.out)
    assert list(found[0]) == ["action", "probability", "expected_cost"]
    p = np.array([float(line["probability"]) for line in found])
    amount = pd.read_csv(loans)["amount"].to_numpy()
    review = p * (4 + 0.1 * amount) + (1 - p) * (4 + 0.05 * 10)
    table = np.column_stack([p * amount, review, (1 - p) * 10])
    assert_allclose([float(line["expected_cost"]) for line in found], table.min(axis=1))
    names = np.array(["grant", "review", "refuse"])
    assert_array_equal([line["action"] for line in found], names[table.argmin(axis=1)])


def test_a_capacity_for_each_day(run: Run, model: Path, loans: Path, costs: Path) -> None:
    given = ("--actions", costs, "--reviewer", "0.9,0.95", "--capacity", "review=1")
    done = run("predict", model, loans, *given, "--per", "day", "--keep", "day")
    assert done.code == 0, done.err
    used = Counter(line["day"] for line in lines(done.out) if line["action"] == "review")
    assert max(used.values()) == 1
    assert "one more review is worth" in done.err
    assert "a day" in done.err
    all_rows = run("predict", model, loans, *given, "--json")
    found = [json.loads(line)["action"] for line in all_rows.out.splitlines()]
    assert found.count("review") == 1


@pytest.mark.parametrize("per", ["day", "amount"])
def test_groups_by_a_number_that_is_read_as_such(
    run: Run, loans: Path, costs: Path, tmp_path: Path, per: str
) -> None:
    """A feature and a cost, whose decimal comma would be part of a label."""
    frame, european = pd.read_csv(loans), tmp_path / "european.csv"
    frame["day"] = np.arange(len(frame)) % 7 / 2
    frame.to_csv(european, index=False, sep=";", decimal=",")
    model, read = tmp_path / "model.costboost", ("--separator", ";", "--decimal", ",")
    done = run(
        "fit", european, "-t", "default", "--positive", "yes", "--fn-cost", "amount", "-a",
        "adamec", "--rounds", "5", "--actions", costs, *read, "-o", model,
    )  # fmt: skip
    assert done.code == 0, done.err
    done = run("predict", model, european, "--capacity", "review=1", "--per", per, *read)
    assert done.code == 0, done.err
    used = Counter(frame[per][[line["action"] == "review" for line in lines(done.out)]])
    assert max(used.values()) == 1
    assert len(used) > 1


def test_actions_at_another_prevalence(
    run: Run, model: Path, loans: Path, costs: Path, tmp_path: Path
) -> None:
    given = ("--actions", costs, "--reviewer", "0.9,0.95")
    acting = tmp_path / "acting.costboost"
    past = ("--capacity", "review=1", "--per", "day", "--fit-prices", acting)
    assert run("predict", model, loans, *given, *past).code == 0
    plain = lines(run("predict", model, loans, "--prevalence", "0.9").out)
    for words in ((model, loans, *given), (acting, loans)):  # the classifier inside is frozen
        found = lines(run("predict", *words, "--prevalence", "0.9").out)
        assert [line["probability"] for line in found] == [line["probability"] for line in plain]
        assert found != lines(run("predict", *words).out)


def test_fit_writes_a_model_with_actions(
    run: Run, loans: Path, costs: Path, tmp_path: Path
) -> None:
    out = tmp_path / "acting.costboost"
    words = ("fit", loans, "-t", "default", "--drop", "id", "--rounds", "20", "--out", out)
    done = run(*words, "--actions", costs, "--reviewer", "0.9,0.95")
    assert done.code == 0, done.err
    assert "actions on these rows" in done.out
    assert "no costs were given" not in done.err
    assert "A miss costs" not in done.out  # costs of classes were not given
    assert "A miss costs 3" in run(*words[:-2], "--actions", costs, "--fn-cost", "3").out
    assert "the cheapest rule without a model" in " ".join(done.out.split())
    clf = costboost.load(out)
    assert isinstance(clf, costboost.ActionClassifier)
    assert clf.actions_.tolist() == ["grant", "review", "refuse"]
    assert clf.costs == COSTS
    assert clf.reviewer == REVIEWER
    predicted = run("predict", out, loans)
    assert set(lines(predicted.out)[0]) == {"action", "probability", "expected_cost"}
    assert run("explain", out).code == 0
    assert "--fit-prices" in failed(run, "predict", out, loans, "--prices")
    as_json = json.loads(run(*words, "--actions", costs, "--json", "--refit").out)
    assert set(as_json["actions"]) == {"grant", "review", "refuse"}
    assert "decisions" not in as_json["held_out"]  # no predictions at costs that nobody stated
    assert "fn_cost" not in as_json


def test_prices_are_fitted_to_past_rows(
    run: Run, model: Path, loans: Path, costs: Path, tmp_path: Path
) -> None:
    priced = tmp_path / "priced.costboost"
    given = ("--actions", costs, "--reviewer", "0.9,0.95", "--capacity", "review=1", "--per", "day")
    done = run("predict", model, loans, *given, "--fit-prices", priced)
    assert done.code == 0, done.err
    assert done.out == run("predict", model, loans, *given).out  # the plan of the past days
    assert "review: price" in done.err
    assert f"model with prices: {priced}" in done.err
    clf = costboost.load(priced)
    assert list(clf.prices_.prices) == ["review"]
    assert clf.prices_.per == "day"
    found = lines(run("predict", priced, loans, "--prices").out)
    used = sum(line["action"] == "review" for line in found)
    assert used == round(clf.prices_.usage["review"] * clf.prices_.n_groups)
    assert "is named twice" in failed(run, "predict", model, loans, *given, "--fit-prices", model)
    few = tmp_path / "few.csv"
    few.write_text("\n".join(loans.read_text().splitlines()[:2]) + "\n")
    assert "at least two past groups" in failed(
        run, "predict", model, few, *given, "--fit-prices", priced
    )


def test_reports_have_actions_and_ranges(
    run: Run, loans: Path, costs: Path, tmp_path: Path
) -> None:
    out, page = tmp_path / "acting.costboost", tmp_path / "page.html"
    words = ("--rows-are", "loans", "--negative-action", "granting", "--positive-action",
             "refusing", "--title", "Loans", "--unit", "EUR")  # fmt: skip
    done = run("fit", loans, "-t", "default", "--drop", "id", "--rounds", "5", "--out", out,
               "--actions", costs, "--fn-cost", "4..40", "--report", page, *words)  # fmt: skip
    assert done.code == 0, done.err
    assert "--fn-cost 4..40 is a range: decisions are made for its mean, 22" in done.err
    assert costboost.load(out).estimator_.fn_cost == 22
    parts = ("<h1>Loans</h1>", "granting all loans", 'id="uncertain"', 'id="actions"',
             'id="uncertain-actions"', "4 EUR to 40 EUR, 22 EUR on average")  # fmt: skip
    for part in parts:
        assert part in page.read_text()
    again = tmp_path / "again.html"
    file = tmp_path / "costs.json"
    file.write_text('{"fn_cost": [4, 40], "fp_cost": 1}')
    done = run("report", out, loans, "-o", again, "--costs", file, *words)
    assert done.code == 0, done.err
    for part in parts:
        assert part in again.read_text()
    assert "must be a range from low to high" in failed(
        run, "report", out, loans, "-o", again, "--fn-cost", "9..3"
    )


def test_tables_in_json(run: Run, model: Path, loans: Path, tmp_path: Path) -> None:
    path = tmp_path / "costs.json"
    by_csv = tmp_path / "costs.csv"
    by_csv.write_text(TABLE)
    expected = run("predict", model, loans, "--actions", by_csv, "--reviewer", "0.9,0.95").out
    table = {t: {**row} for t, row in COSTS.items()}
    table["no"]["refuse"] = [3, 17]
    path.write_text(json.dumps({"costs": table, "reviewer": REVIEWER}))
    assert run("predict", model, loans, "--actions", path).out == expected
    rates = {"review": {"yes": {"yes": 0.9, "no": 0.1}, "no": {"yes": 0.05, "no": 0.95}}}
    path.write_text(json.dumps({"costs": table, "reviewer": rates}))
    found = lines(run("predict", model, loans, "--actions", path).out)
    assert [line["action"] for line in found] == [line["action"] for line in lines(expected)]
    path.write_text(json.dumps(table))
    assert run("predict", model, loans, "--actions", path, "--reviewer", "0.9,0.95").out == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("truth,a,b\nyes,1\n", "must have a first line with the actions"),
        ("truth,a,a\nyes,1,2\nno,2,1\n", "two columns named 'a'"),
        ("truth,a,b\nyes,1,2\nyes,2,1\n", "two rows named 'yes'"),
        ("truth,a,b\nyes,1,2\nmaybe,2,1\n", "'maybe'"),
        ("truth,a,b\nyes,1,2\n", "costs has no row for the class 'no'"),
        ("truth,a,b\nyes,1,\nno,2,1\n", "the cost of 'b' where 'yes' is true must be a number"),
        ("truth,a,b\nyes,1,nan\nno,2,1\n", "must be finite, got nan"),
        ("truth,a,b\nyes,1,9..2\nno,2,1\n", "must be a range from low to high, got 9 to 2"),
        ("truth,a,b\nyes,1,1\nno,2,2\n", "the actions 'a' and 'b' have the same costs"),
        ("{", "is no JSON"),
        ("[1, 2]", 'or JSON {"truth": {"action": cost}}'),
        ('{"yes": 1, "no": 2}', 'or JSON {"truth": {"action": cost}}'),
    ],
)
def test_bad_tables(
    text: str, message: str, run: Run, model: Path, loans: Path, tmp_path: Path
) -> None:
    path = tmp_path / "costs.csv"
    path.write_text(text)
    error = failed(run, "predict", model, loans, "--actions", path)
    assert "costs.csv" in error
    assert message in error
    fitting = failed(run, "fit", loans, "-t", "default", "--actions", path, "--rounds", "2")
    assert message in fitting


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--capacity", "review"], "--capacity must be an action and a whole number"),
        (["--capacity", "review=-1"], "--capacity must be an action and a whole number"),
        (["--capacity", "review=1", "--capacity", "review=2"], "given twice for 'review'"),
        (["--capacity", "ask=1"], "capacity has the action 'ask'"),
        (["--capacity", "review=1", "--per", "week"], "'week'"),
        (["--capacity", "review=1", "--prices"], "give one"),
        (["--per", "day"], "give --capacity, too"),
        (["--prices"], "--fit-prices PRICED writes one that has"),
        (["--fit-prices", "p.costboost"], "give --capacity and --per, too"),
        (["--capacity", "review=1", "--fit-prices", "p.costboost"], "give --capacity and --per"),
        (["--reviewer", "0.9"], "--reviewer must be recall and specificity"),
        (["--reviewer", "0.9,2"], "must be a rate from 0 to 1"),
        (["--fn-cost", "3"], "actions have costs of their own"),
        (["--capacity", "review=1", "--workers", "2"], "--capacity needs all rows in memory"),
    ],
)
def test_bad_options(
    words: list[str], message: str, run: Run, model: Path, loans: Path, costs: Path
) -> None:
    assert message in failed(run, "predict", model, loans, "--actions", costs, *words)


def test_options_without_actions(run: Run, model: Path, loans: Path) -> None:
    for words in (["--capacity", "review=1"], ["--per", "day"], ["--prices"]):
        error = failed(run, "predict", model, loans, *words)
        assert f"{words[0]} is for actions: give their costs with --actions FILE" in error
    error = failed(run, "fit", loans, "-t", "default", "--reviewer", "0.9,0.9")
    assert "--reviewer is for actions" in error
