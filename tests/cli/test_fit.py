"""``costboost fit``, ``goal`` and ``compare``: rows, costs and printed results."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from cli.running import Run, failed, table, to_csv

import costboost
from costboost._core.baselines import BY_COSTS
from costboost.metrics import savings, total_cost

FAST = ("-a", "adamec", "--rounds", "20")
LOANS = ("-t", "default", "--positive", "yes", "--drop", "id", "--fn-cost", "5", *FAST)


def result(run: Run, *words: object) -> dict[str, Any]:
    done = run(*words, "--json")
    assert done.code == 0, done.err
    found: dict[str, Any] = json.loads(done.out)
    return found


def test_the_numbers_are_those_of_the_library(run: Run, loans: Path, tmp_path: Path) -> None:
    test = tmp_path / "test.csv"
    test.write_text(to_csv(table(seed=1)))
    out = tmp_path / "m.costboost"
    found = result(run, "fit", loans, *LOANS, "--test", test, "-o", out)["held_out"]
    printed = run("predict", out, test).out.splitlines()[1:]
    predicted = [line.split(",")[0] for line in printed]
    truth = table(seed=1)["default"]
    costs = {"fn_cost": 5, "fp_cost": 1, "pos_label": "yes"}
    mine = found["decisions"]["this model"]
    assert mine["cost"] == total_cost(truth, predicted, **costs)
    assert found["savings"]["share"] == pytest.approx(savings(truth, predicted, **costs))
    assert found["savings"]["low"] < found["savings"]["share"] < found["savings"]["high"]
    missed = sum(t == "yes" and p == "no" for t, p in zip(truth, predicted, strict=True))
    assert mine["misses"] == missed
    always = found["decisions"]["always predicting no"]
    assert always["misses"] == truth.count("yes")
    assert always["false_alarms"] == 0


def test_a_quarter_is_held_out_and_classes_keep_their_shares(run: Run, loans: Path) -> None:
    found = result(run, "fit", loans, *LOANS)
    assert found["n_trained"] == 300
    assert found["held_out"]["n_rows"] == 100
    one = found["held_out"]["decisions"]["this model"]
    share = table()["default"].count("yes") / 400
    assert (one["true_positives"] + one["misses"]) / 100 == pytest.approx(share, abs=0.01)


def test_the_saved_model_is_the_measured_one_unless_refit(
    run: Run, loans: Path, tmp_path: Path
) -> None:
    plain, again = tmp_path / "a.costboost", tmp_path / "b.costboost"
    first = run("fit", loans, *LOANS, "-o", plain)
    second = run("fit", loans, *LOANS, "-o", again, "--refit")
    assert "as measured above" in first.err
    assert "trained again on all rows" in second.err
    assert first.out == second.out
    assert plain.read_bytes() != again.read_bytes()


def test_a_seed_makes_it_repeatable(run: Run, loans: Path) -> None:
    one, two, other = (result(run, "fit", loans, *LOANS, "--seed", seed) for seed in (1, 1, 2))
    assert one == two
    assert one != other


def test_costs_of_rows(run: Run, loans: Path, tmp_path: Path) -> None:
    out = tmp_path / "m.costboost"
    words = ("-t", "default", "--positive", "yes", "--drop", "id", *FAST)
    found = result(run, "fit", loans, *words, "--fn-cost", "amount", "--fp-cost", "10", "-o", out)
    assert found["fn_cost"] == "amount"
    assert "amount" not in found["features"]
    kept = result(run, "fit", loans, *words, "--fn-cost", "amount", "--costs-are-features")
    assert "amount" in kept["features"]
    lines = run("predict", out, loans, "--keep", "amount").out.splitlines()[1:]
    for line in lines[:50]:
        amount, label, p, cost = line.split(",")
        alarm, miss = (1 - float(p)) * 10, float(p) * float(amount)
        assert label == ("yes" if alarm < miss else "no")
        assert float(cost) == pytest.approx(min(alarm, miss))


def test_one_class_against_the_rest(run: Run, loans: Path, tmp_path: Path) -> None:
    out = tmp_path / "m.costboost"
    words = ("--positive", "Oslo", "--drop", "id", *FAST)
    found = result(run, "fit", loans, "-t", "city", *words, "-o", out)
    assert found["held_out"]["positive"] == "Oslo"
    labels = {line.split(",")[0] for line in run("predict", out, loans).out.splitlines()[1:]}
    assert labels <= {"Oslo", "not Oslo"}
    assert "always predicting not Oslo" in found["held_out"]["decisions"]


def test_whole_numbers_stay_numbers(run: Run, tmp_path: Path) -> None:
    data = tmp_path / "d.csv"
    random = np.random.default_rng(0)
    x = random.normal(size=200)
    data.write_text("x,y\n" + "".join(f"{a},{int(a > 0)}\n" for a in x + 0.0))
    out = tmp_path / "m.costboost"
    done = run("fit", data, "-t", "y", *FAST, "-o", out)
    assert done.code == 0, done.err
    assert costboost.load(out).classes_.tolist() == [0, 1]


def test_rows_without_label_are_left_out(run: Run, loans: Path, tmp_path: Path) -> None:
    data = tmp_path / "d.csv"
    text = loans.read_text()
    data.write_text(text + text.splitlines()[1].rsplit(",", 1)[0] + ",\n")
    done = run("fit", data, *LOANS)
    assert "1 row has no label" in done.err
    assert "trained on 300 rows" in done.out


def test_for_people(run: Run, loans: Path) -> None:
    done = run("fit", loans, *LOANS)
    assert done.code == 0
    for words in ("predicted yes", "is no", "(recall)", "Savings: ", "ignoring costs", "±"):
        assert words in done.out
    assert max(map(len, done.out.splitlines())) <= 100


# ---- what to keep in mind ------------------------------------------------------------------------


def lines(text: str) -> str:
    return " ".join(text.split())


def test_training_rows_are_not_reported_as_held_out(run: Run, loans: Path, tmp_path: Path) -> None:
    out, page = tmp_path / "m.costboost", tmp_path / "r.html"
    done = run("fit", loans, *LOANS, "--test", loans, "--out", out, "--report", page)
    assert "400 rows\n" in done.out
    assert "held-out" not in done.out
    printed = "ll 400 rows also occur in the training data of this model"
    assert printed in lines(done.err)
    assert printed in page.read_text()
    again = run("report", out, loans, "--out", page)
    assert printed in lines(again.err)
    assert printed in page.read_text()
    found = result(run, "fit", loans, *LOANS, "--test", loans)["held_out"]
    assert found["seen_in_training"]
    assert printed in found["warnings"][0]


def test_new_rows_are_held_out_whatever_file_they_come_in(run: Run, tmp_path: Path) -> None:
    old, new = (tmp_path / name for name in ("old.csv", "new.csv"))
    old.write_text(to_csv(table()))
    new.write_text(to_csv(table(300, seed=1)))
    done = run("fit", old, *LOANS, "--test", new)
    assert "300 held-out rows" in done.out
    assert "training data" not in done.err


def test_rows_are_recognised_in_another_format(run: Run, loans: Path, tmp_path: Path) -> None:
    import pandas as pd

    out, other = tmp_path / "m.costboost", tmp_path / "loans.parquet"
    run("fit", loans, *LOANS, "--refit", "--out", out)
    frame = pd.read_csv(loans, dtype={"zip": str})
    frame[frame.columns[::-1]].to_parquet(other)
    done = run("report", out, other, "--out", tmp_path / "r.html")
    assert "all 400 rows also occur in the training data" in lines(done.err)


def test_the_page_has_the_notes_of_the_terminal(run: Run, loans: Path, tmp_path: Path) -> None:
    text = loans.read_text().splitlines()
    leak = ["late"] + ["9" if line.endswith(",yes") else "1" for line in text[1:]]
    path, page = tmp_path / "d.csv", tmp_path / "r.html"
    path.write_text("\n".join(f"{a},{b}" for a, b in zip(leak, text, strict=True)))
    done = run("fit", path, "-t", "default", "--drop", "id", *FAST, "--report", page)
    notes = [line.removeprefix("note: ") for line in done.err.splitlines() if "note: " in line]
    shown = page.read_text()
    assert sum("column 'late' alone separates the classes" in note for note in notes) == 1
    assert len(notes) >= 2
    for note in notes:
        assert note[1:40].replace("'", "&#x27;") in shown
    assert "<strong>" not in shown


def test_a_missed_goal_is_reported(run: Run, loans: Path, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.csv"
    wrong.write_text(loans.read_text().replace(",yes\n", ",?\n").replace(",no\n", ",yes\n")
                     .replace(",?\n", ",no\n"))  # fmt: skip
    out = tmp_path / "g.costboost"
    done = run("goal", loans, *LOANS, "--recall", "0.8", "--test", wrong, "--out", out)
    assert "The goal, a recall of at least 0.8, is missed: " in lines(done.out)
    assert "note: the goal, a recall of at least 0.8, is missed: " in lines(done.err)
    met = result(run, "goal", loans, *LOANS, "--recall", "0.8", "--test", wrong)["held_out"]
    assert met["goal_met"] is False
    run("report", out, wrong, "--out", tmp_path / "r.html")
    assert "he goal, a recall of at least 0.8, is missed" in (tmp_path / "r.html").read_text()


# ---- goal and compare ----------------------------------------------------------------------------


def test_a_goal_is_met_in_cross_validation(run: Run, loans: Path, tmp_path: Path) -> None:
    out = tmp_path / "g.costboost"
    found = result(run, "goal", loans, *LOANS, "--recall", "0.9", "-o", out)
    assert found["goal"]["achieved"] >= 0.9
    loaded = costboost.load(out)
    assert loaded.threshold_ == found["goal"]["threshold"]
    assert run("predict", out, loans).code == 0


def test_a_goal_is_guaranteed(run: Run, loans: Path, tmp_path: Path) -> None:
    out = tmp_path / "sure.costboost"
    words = ("goal", loans, *LOANS, "--recall", "0.7", "--guarantee", "0.9")
    found = result(run, *words, "-o", out)["goal"]
    assert (found["guarantee"], found["interval"]) == (0.9, [0.7, 1.0])
    loaded = costboost.load(out)
    assert (loaded.guarantee, loaded.threshold_) == (0.9, found["threshold"])
    text = " ".join(run(*words).out.split())
    assert "a recall of at least 0.7, guaranteed with 90% confidence. On the rows held out" in text
    for words, printed in (
        (("--guarantee", "95"), "--guarantee must be a confidence between 0 and 1, such as 0.95"),
        (("--guarantee", "0.9", "--margin", "1"), "--margin and --guarantee both make a goal hold"),
        (("--guarantee", "0.9999999"), "held-out positive rows, but there are"),
    ):
        assert printed in failed(run, "goal", loans, *LOANS, "--recall", "0.7", *words)


def test_a_goal_that_only_one_answer_for_all_rows_meets(run: Run, loans: Path) -> None:
    words = ["goal", loans, "-t", "default", "--recall", "0.9", "--margin", "50", "-a", "adamec"]
    words += ["--rounds", "5", "--drop", "id"]
    found = json.loads(run(*words, "--json").out)["goal"]
    assert found["threshold"] is None
    assert found["calls"] == "every row"
    printed = " ".join(run(*words).out.split())
    assert "1 (the same in every fold), by predicting every row positive." in printed


@pytest.mark.parametrize(
    ("words", "printed"),
    [
        (["--recall", "1.2"], "--recall must be a share from 0 to 1, got 1.2"),
        (["--fpr", "nan"], "--fpr must be a share from 0 to 1, got nan"),
        (["--budget", "-1"], "--budget must be at least 0, got -1"),
    ],
)
def test_invalid_goals(run: Run, loans: Path, words: list[str], printed: str) -> None:
    assert printed in failed(run, "goal", loans, "-t", "default", *words)


def test_a_model_that_saves_nothing(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "noise.csv"
    path.write_text("a,y\n" + "1,no\n" * 60 + "1,yes\n" * 20)
    printed = run("fit", path, "-t", "y", "-a", "adamec", "--rounds", "3").out
    assert "Savings: none." in printed
    assert "1 feature," in printed


def test_rows_that_were_split_off_are_no_training_rows(run: Run, tmp_path: Path) -> None:
    """Of 4,000 zip codes most share a code of the model, and a boolean does not tell rows apart."""
    random = np.random.default_rng(0)
    zips, flags = random.integers(0, 4000, 3000), random.random(3000) < 0.5
    y = random.random(3000) < 0.2 + 0.3 * flags
    path = tmp_path / "zips.csv"
    path.write_text(to_csv({"zip": [f"z{k}" for k in zips], "flag": flags, "y": y}))
    words = ("-t", "y", "-a", "adamec", "--rounds", "2")
    done = run("fit", path, *words, "-o", tmp_path / "m", "--report", tmp_path / "r.html")
    assert done.code == 0
    assert "also occur in the training data" not in done.err
    again = run("report", tmp_path / "m", path, "-o", tmp_path / "again.html")
    assert "also occur in the training data" in again.err


def test_a_goal_takes_costs_of_rows(run: Run, loans: Path, tmp_path: Path) -> None:
    """As in Python; the note states that such a column is no feature."""
    words = ("-t", "default", "--positive", "yes", "--drop", "id", "--fp-cost", "5", *FAST)
    done = run("goal", loans, *words, "--fn-cost", "amount", "--recall", "0.8", "--json")
    assert done.code == 0
    assert "column 'amount' is a cost and not a feature" in done.err
    found = json.loads(done.out)
    assert "amount" not in found["features"]
    other = run(
        "goal", loans, *words, "--fn-cost", "amount", "--recall", "0.8", "--costs-are-features"
    )
    assert "is a cost and not a feature" not in other.err


def test_results_may_be_discarded(run: Run, loans: Path) -> None:
    done = run("fit", loans, *LOANS, "--out", os.devnull, "--report", os.devnull)
    assert done.code == 0
    assert not Path(os.devnull).is_file()


def test_a_goal_that_cannot_be_met(run: Run, loans: Path) -> None:
    done = run("goal", loans, *LOANS, "--budget", "0.0001")
    assert done.code == 1
    assert "cannot" in done.err or "best" in done.err


@pytest.mark.parametrize("goals", [(), ("--recall", "0.9", "--fpr", "0.1")])
def test_one_goal_is_needed(run: Run, loans: Path, goals: tuple[str, ...]) -> None:
    done = run("goal", loans, *LOANS, *goals)
    assert done.code == 1
    assert "one goal is needed" in done.err


def test_compare_is_the_library_s(run: Run, loans: Path) -> None:
    words = ("-t", "default", "--positive", "yes", "--drop", "id", "--fn-cost", "5")
    names = ("-a", "adaboost", "-a", "cgada")
    found = result(run, "compare", loans, *words, *names, "--rounds", "10", "--folds", "3")
    assert found["estimators"] == ["AdaBoost", "CGAda", *found["baselines"]]
    assert {"all rows negative", "logistic regression"} <= set(found["baselines"])
    assert len(found["folds"]["data"]["CGAda"]["cost"]) == 3
    shown = run("compare", loans, *words, *names, "--rounds", "10", "--folds", "3").out
    assert "mean cost" in shown
    assert "by score, " in shown
    assert "The cheapest of the algorithms compared: " in shown
    assert "The cheapest rule without a model: all rows " in shown
    assert 'Rows that decide "at 1/2" take the likelier class' in shown
    alone = (*words, "-a", "cgada", "--rounds", "10", "--folds", "3", "--no-baselines")
    assert result(run, "compare", loans, *alone)["estimators"] == ["CGAda"]
    assert "least" not in run("compare", loans, *alone).out


def test_the_last_sentences_of_compare_are_about_all_rows(run: Run, tmp_path: Path) -> None:
    """No algorithm is the cheapest where a baseline costs less."""
    random = np.random.default_rng(3)
    columns = {"a": random.normal(size=600), "amount": random.lognormal(3, 1, 600)}
    path = tmp_path / "noise.csv"
    path.write_text(to_csv(columns | {"y": (random.random(600) < 0.2).astype(int)}))
    costs = ("--fn-cost", "amount", "--fp-cost", "5", "--rounds", "5", "--folds", "3")
    words = ("compare", path, "-t", "y", *costs, "-a", "adaboost", "-a", "adac2")
    rows = {row["estimator"]: row for row in result(run, *words)["rows"]}
    cheapest = min(rows, key=lambda name: float(rows[name]["cost"]))
    assert rows[cheapest]["decides"] == "by cost"
    shown = run(*words).out
    assert shown.splitlines()[2].startswith(f"{cheapest} ")
    assert f"{cheapest} costs least" in shown
    assert "The cheapest of the algorithms compared: Ada" in shown
    assert BY_COSTS in rows


@pytest.mark.skipif(sys.platform == "win32", reason="pipes of POSIX")
def test_files_are_written_though_nobody_reads_the_result(
    start: Callable[..., subprocess.Popen[bytes]], loans: Path, tmp_path: Path
) -> None:
    out, page = tmp_path / "m.costboost", tmp_path / "r.html"
    words = ("-t", "default", "--drop", "id", "-a", "adamec", "--rounds", "5")
    process = start("fit", loans, *words, "-o", out, "--report", page, stdout=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.close()  # as head does
    process.stdout = None
    _, err = process.communicate(timeout=60)
    assert process.returncode == 141, err
    assert costboost.load(out).n_iter_ == 5
    assert page.exists()
    assert b"Traceback" not in err


@pytest.mark.skipif(sys.platform == "win32", reason="a shell of POSIX")
@pytest.mark.parametrize(
    ("where", "printed"), [("/dev/full", b"the disk is full"), ("&-", b"it is closed")]
)
def test_files_are_written_though_the_result_cannot_be(
    loans: Path, tmp_path: Path, where: str, printed: bytes
) -> None:
    if where == "/dev/full" and not Path(where).exists():
        pytest.skip("no device that is full")
    out = tmp_path / "m.costboost"
    words = ["fit", loans, "-t", "default", "--drop", "id", "-a", "adamec", "--rounds", "5"]
    program = ["sh", "-c", f'"$@" >{where}', "sh", sys.executable, "-m", "costboost"]
    done = subprocess.run([*program, *map(str, words), "-o", str(out)], stderr=subprocess.PIPE)
    assert done.returncode == 1, done.stderr
    assert done.stderr.splitlines()[-1] == b"error: the output cannot be written: " + printed
    assert costboost.load(out).n_iter_ == 5


@pytest.mark.skipif(sys.platform == "win32", reason="a shell of POSIX")
def test_closed_streams(model: Path, loans: Path, tmp_path: Path) -> None:
    """As a service may be started."""
    out = tmp_path / "p.csv"
    command = [sys.executable, "-m", "costboost", "predict", str(model)]
    closed = ["sh", "-c", '"$@" <&- >&- 2>&-', "sh"]
    subprocess.run([*closed, *command, str(loans), "--out", str(out)], check=True)
    assert len(out.read_text().splitlines()) == 401
    silent = ["sh", "-c", '"$@" <&-', "sh"]
    done = subprocess.run([*silent, *command, "-"], capture_output=True)
    assert done.stderr == b"error: standard input is empty\n"


# ---- without a model -----------------------------------------------------------------------------


def test_terminal_and_page_compare_with_the_same_rules(run: Run, tmp_path: Path) -> None:
    """With costs of rows, savings are against the best rule that needs no model."""
    random, n = np.random.default_rng(7), 600
    path, page = tmp_path / "noise.csv", tmp_path / "page.html"
    frame = pd.DataFrame(random.normal(size=(n, 3)), columns=list("abc"))
    frame["amount"] = random.lognormal(3.0, 1.0, n).round(2)
    frame["y"] = (random.random(n) < 0.2).astype(int)
    frame.to_csv(path, index=False)
    words = ("-t", "y", "--positive", "1", "--fn-cost", "amount", "--fp-cost", "5", *FAST)
    found = result(run, "fit", path, *words, "--report", page)["held_out"]
    decisions, best = found["decisions"], found["without_model"]
    rules = ["always predicting 0", "always predicting 1", "deciding by costs alone"]
    assert list(decisions) == ["this model", "the same model ignoring costs", *rules]
    assert decisions[best["decision"]]["cost"] == min(decisions[name]["cost"] for name in rules)
    for end in ("money", "low", "high"):
        assert best["saved"][end] == min(found["saved"][name][end] for name in rules)
    assert found["savings"]["low"] == pytest.approx(
        best["saved"]["low"] / decisions[best["decision"]]["cost"]
    )
    text = re.sub("<[^>]*>", " ", page.read_text().split("<script")[0])
    shown = {float(one.replace(",", "")) for one in re.findall(r"\d[\d,]*\.?\d*", text)}
    for number in [*(decisions[name]["cost"] for name in decisions), *best["saved"].values()]:
        assert min(abs(abs(number) - one) for one in shown) <= 0.0501
    out = run("fit", path, *words).out
    assert "deciding by costs alone" in out
    assert "Savings: " in out
