"""Lists, explanations, reports, help; and that help is quick."""

from __future__ import annotations

import itertools
import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cli.running import LARGE, Run, failed, loaded
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.datasets import load_wine

import costboost
from costboost._core.explaining import additive
from costboost._core.loop import listening
from costboost.algorithms import REGISTRY
from costboost.app.cli.algorithms import advice
from costboost.app.cli.names import ALGORITHMS, NAMES, SEVERAL
from costboost.app.cli.training_progress import RoundListener, count_ensembles
from costboost.app.reading.columns import Column
from costboost.app.reading.data_layout import DataLayout
from costboost.app.reading.errors import InputError, nearest


def test_export(run: Run, tmp_path: Path) -> None:
    onnxruntime = pytest.importorskip("onnxruntime")
    X, y = load_wine(return_X_y=True)
    clf = costboost.algorithms.AdaMECClassifier(n_estimators=5).fit(X, y == 1)
    model, out = tmp_path / "wine.costboost", tmp_path / "wine.onnx"
    costboost.save(clf, model)
    done = run("export", model, "--out", out)
    assert done.code == 0
    assert "costs: fn_cost, fp_cost, tp_cost, tn_cost" in done.err
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    found = onnxruntime.InferenceSession(str(out), options).run(["label"], {"X": X})[0]
    np.testing.assert_array_equal(found, clf.predict(X))
    assert "dtype must be" in failed(run, "export", model, "--out", out, "--dtype", "int8")
    assert "is named twice" in failed(run, "export", model, "--out", model)
    assert "there is no folder" in failed(run, "export", model, "--out", tmp_path / "no" / "x.onnx")


def test_algorithms(run: Run) -> None:
    shown = run("algorithms").out
    found = json.loads(run("algorithms", "--json").out)
    assert [one["name"] for one in found] == list(REGISTRY)
    for one in found:
        assert re.search(rf"^{one['name']} ", shown, re.MULTILINE)


def test_one_algorithm(run: Run) -> None:
    shown = run("algorithms", "adac3").out
    assert "AdaC3Classifier" in shown
    assert "FGD no, cost no, asym. no" in shown
    found = json.loads(run("algorithms", "AdaC3Classifier", "--json").out)
    assert found["class"] == "costboost.algorithms.AdaC3Classifier"
    assert found["cost_consistent"] is False


def test_names_of_algorithms() -> None:
    assert ALGORITHMS.find("adamec") == ALGORITHMS.find("AdaMECClassifier") == "AdaMEC"
    assert ALGORITHMS.complete("CSB") == ["CSB0", "CSB1", "CSB2", "CSBoost"]
    assert ALGORITHMS.complete("csb") == ["csb0", "csb1", "csb2", "csboost"]
    assert ALGORITHMS.complete("") == list(NAMES) == list(REGISTRY)
    assert list(SEVERAL) == [entry.name for entry in REGISTRY.values() if entry.several]
    assert advice(REGISTRY["CostBoost"]).startswith("Take it first.")
    for name, entry in REGISTRY.items():
        text = advice(entry)
        assert text.startswith("Take "), f"{name} does not say when to take it"
        assert "; Take" not in text


NEAR = {
    "Target": "target",
    " target ": "target",
    "tagret": "target",
    "targets": "target",
    "amount": None,
    "loan_amount": "Loan Amount",
    "loanamuont": "Loan Amount",
    "id": None,
    "ie": None,
    "tar": None,
    "income": None,
    "qqqqq": None,
    "": None,
}


@pytest.mark.parametrize("typed", NEAR)
def test_names_that_were_probably_meant(typed: str) -> None:
    assert nearest(typed, ["target", "Loan Amount", "x1", "annual_income"]) == NEAR[typed]


@given(st.text("abcdef _", min_size=8, max_size=12), st.integers(0, 7), st.sampled_from("xyz"))
def test_a_typing_error_is_found(name: str, at: int, other: str) -> None:
    assume(sum(map(str.isalnum, name)) >= 8)
    typed = name[:at] + other + name[at:]
    assert nearest(typed, ["ghijklmnop", name]) == name
    assert nearest(name.upper().replace(" ", "_"), ["ghijklmnop", name]) == name
    assert nearest(name, ["ghijklmnop"]) is None


def test_explain_gives_importances_and_shapes(run: Run, model: Path) -> None:
    loaded = costboost.load(model)
    found = json.loads(run("explain", model, "--json").out)
    names = list(loaded.feature_names_in_)
    for name, share in found["importances"].items():
        assert share == loaded.feature_importances_[names.index(name)]
    parts = additive(loaded.model_)
    assert parts is not None
    shape = next(one for one in parts.shapes if names[one.feature] == "income")
    assert found["shapes"]["income"]["cuts"] == shape.cut.tolist()
    assert "up to" in run("explain", model, "--feature", "income").out
    assert "Rome" in run("explain", model, "--feature", "city").out
    assert run("explain", model, "--feature", "incom").code == 1


def test_explain_a_feature_of_trees(run: Run, loans: Path, tmp_path: Path) -> None:
    model = tmp_path / "m.costboost"
    fit = ("fit", loans, "-t", "default", "--drop", "id", "--drop", "day", "--rounds", "2")
    assert run(*fit, "--out", model).code == 0
    printed = failed(run, "explain", model, "--feature", "income")
    assert "costboost explain MODEL DATA --feature 'income'" in printed
    shown = run("explain", model, loans, "--feature", "income").out
    assert "What 'income' adds to the log-odds of yes, on average over 100 rows, where" in shown
    assert any(line.startswith("missing") for line in shown.splitlines()[-2:])
    found = json.loads(run("explain", model, loans, "--feature", "income", "--json").out)
    clf = costboost.load(model)
    assert found["mean_over_rows"] == 100
    assert len(found["adds"]) == len(found["cuts"]) + 1
    assert set(found["cuts"]) <= set(clf.ensemble_.threshold)
    adds = json.loads(run("explain", model, loans, "--feature", "city", "--json").out)["adds"]
    assert set(adds) == {"Rome", "Oslo", 'San "Sur", Lima'}
    assert "leave one of them out" in failed(
        run, "explain", model, loans, "--feature", "city", "--row", "1"
    )


def test_steps_that_are_shown_leave_no_gap(run: Run, model: Path, loans: Path) -> None:
    """Neither in the exact parts of a sum, for which DATA is read by nobody."""
    shown = run("explain", model, loans, "--feature", "income").out
    assert shown == run("explain", model, "--feature", "income").out
    ends = re.findall(r"^(?:(\S+) to (\S+)|up to (\S+)|above (\S+))", shown, re.MULTILINE)
    assert len(ends) > 3
    for (_, high, first, _), (low, _, _, last) in itertools.pairwise(ends):
        assert (high or first) == (low or last)


@pytest.mark.parametrize("more", [(), ("--row", "3")])
def test_rows_to_explain_may_come_by_a_pipe(
    run: Run, model: Path, loans: Path, more: tuple[str, ...]
) -> None:
    piped = run("explain", model, "-", *more, stdin=loans.read_bytes())
    assert piped.code == 0, piped.err
    assert piped.out == run("explain", model, loans, *more).out


def test_a_model_that_is_not_kept(run: Run, loans: Path, tmp_path: Path) -> None:
    words = (loans, "-t", "default", "--drop", "id", "--rounds", "2")
    kept = "model: not kept (--out FILE writes it to a file)"
    assert kept in run("fit", *words, "-a", "adamec").err
    assert kept in run("goal", *words, "-a", "adamec", "--recall", "0.5").err
    assert "not kept" not in run("fit", *words, "-a", "adamec", "-o", tmp_path / "m").err
    assert "model: not kept (no model file can hold it)" in run("fit", *words, "-a", "costing").err


def test_explain_rows(run: Run, model: Path, loans: Path) -> None:
    found = json.loads(run("explain", model, loans, "--row", "3", "--json").out)
    lines = run("predict", model, loans).out.splitlines()
    assert found["probability"] == float(lines[3].split(",")[1])
    assert set(found["moves"]) == {"income", "city", "zip", "day"}
    assert sum(map(abs, found["moves"].values())) > 0
    assert "Row 3" in run("explain", model, loans, "--row", "3").out
    mean = json.loads(run("explain", model, loans, "--json").out)["mean_absolute_move"]
    assert next(iter(mean)) == "income"
    assert "no row 401" in run("explain", model, loans, "--row", "401").err
    assert run("explain", model, "--row", "3").code == 1


def test_dates_are_shown_as_dates(run: Run, model: Path, loans: Path) -> None:
    printed = run("explain", model, loans, "--row", "1", "--top", "9").out
    line = next(line for line in printed.splitlines() if line.startswith("day"))
    assert line.split()[1] == loans.read_text().splitlines()[1].split(",")[4]
    cuts = re.findall(r"(?:up to|above) (\S+)", run("explain", model, "--feature", "day").out)
    assert cuts
    assert all(cut.startswith("2024-03-") for cut in cuts)
    assert Column("t", "clock").format(3661.0, 4) == "01:01:01"
    assert Column("t", "instant").format(19886.5, 4) == "2024-06-12 12:00 UTC"
    assert Column("x", "number").format(123456.0, 4) == "123456"
    assert Column("x", "number").format(0.123456, 4) == "0.1235"


def test_report(run: Run, model: Path, loans: Path, tmp_path: Path) -> None:
    out = tmp_path / "r.html"
    done = run("report", model, loans, "--out", out)
    assert done.code == 0, done.err
    *notes, last = done.err.splitlines()
    assert last == f"report: {out}"
    assert len(notes) == 1
    assert notes[0].startswith("note: 300 of the 400 rows also occur in the training data")
    assert out.read_text().startswith("<!DOCTYPE html>")
    also = tmp_path / "s.html"
    words = ("-t", "default", "--drop", "id", "-a", "adamec", "--rounds", "9", "--report", also)
    assert run("fit", loans, *words).code == 0
    assert also.exists()


def test_a_layout_survives_json() -> None:
    data: dict[str, Any] = {
        "columns": [{"name": "a", "kind": "number"}],
        "target": "y",
        "positive": 1,
        "against_rest": False,
        "fn_cost": "amount",
        "fp_cost": 2.0,
    }
    several = {"positive": None, "classes": ["a", "b"], "matrix": [[0.0, 1.0], [2.0, 0.0]]}
    assert DataLayout.from_dict(data) == DataLayout.from_dict(DataLayout.from_dict(data).to_dict())
    for known in (data | {"classes": [], "matrix": []}, data | several):
        assert json.loads(json.dumps(DataLayout.from_dict(known).to_dict())) == known
    for broken in (
        {},
        data | {"columns": [{"name": "a", "kind": "odd"}]},
        data | {"fp_cost": "x"[:0] or []},
        data | several | {"matrix": [[0.0, 1.0]]},
    ):
        with pytest.raises(InputError, match="damaged"):
            DataLayout.from_dict(broken)


def test_metadata_is_kept(tmp_path: Path) -> None:
    clf = costboost.algorithms.AdaBoostClassifier(n_estimators=3)
    clf.fit(np.arange(20.0).reshape(-1, 1), np.arange(20) > 9)
    path = tmp_path / "m.costboost"
    costboost.save(clf, path, metadata={"a": [1, "ä", None]})
    model, metadata = costboost.io.load_with_metadata(path)
    assert metadata == {"a": [1, "ä", None]}
    assert model.n_iter_ == clf.n_iter_
    assert costboost.load(path).n_iter_ == clf.n_iter_
    costboost.save(clf, path)
    assert costboost.io.load_with_metadata(path)[1] == {}
    with pytest.raises(ValueError, match="cannot save"):
        costboost.save(clf, path, metadata={"a": object()})


# ---- help ----------------------------------------------------------------------------------------


def test_help_and_version(run: Run) -> None:
    assert run("--version").out == f"costboost {costboost.__version__}\n"
    for command in ("fit", "predict", "compare", "goal", "explain", "report", "algorithms"):
        shown = run(command, "--help")
        assert shown.code == 0
        assert "Usage" in shown.out


def test_the_program_name_is_costboost_however_it_is_started() -> None:
    words = [sys.executable, "-m", "costboost"]
    typed = {"COMP_WORDS": "costboost pre", "COMP_CWORD": "1"}
    asked = os.environ | typed | {"_COSTBOOST_COMPLETE": "complete_bash"}
    printed = subprocess.run(words, capture_output=True, text=True, env=asked)
    assert printed.stdout.split() == ["predict"]
    usage = subprocess.run([*words, "fit"], capture_output=True, text=True)
    assert usage.returncode == 2
    assert "Usage: costboost fit" in usage.stderr


AT_ONCE = [
    ("--version",),
    ("--help",),
    ("fit", "--help"),
    ("fit",),
    ("fit", "LOANS", "--rounds", "0"),
    ("nonsense",),
    ("fit", "LOANS", "-t", "default", "-a", "adames"),
    ("compare", "LOANS", "-t", "default", "-a", "gbse", "-a", "adames"),
    ("goal", "LOANS", "-t", "default", "--recall", "3"),
    ("algorithms", "adames"),
    ("fit", "no.csv", "-t", "default"),
    ("fit", "LOANS", "-t", "Defualt"),
    ("fit", "LOANS", "-t", "default", "--drop", "ctiy"),
    ("compare", "LOANS", "-t", "default", "--fn-cost", "amonut"),
    ("goal", "LOANS", "-t", "Defualt", "--recall", "0.9"),
    ("predict", "no.costboost", "LOANS"),
    ("predict", "MODEL", "no.csv"),
    ("report", "no.costboost", "LOANS"),
    ("explain", "no.costboost"),
]


@pytest.mark.parametrize("words", AT_ONCE, ids=" ".join)
def test_help_and_mistakes_load_nothing_large(
    loans: Path, model: Path, words: tuple[str, ...]
) -> None:
    """Neither scikit-learn nor the classifiers, so that the answer is there at once."""
    files = {"LOANS": str(loans), "MODEL": str(model)}
    found = loaded([files.get(word, word) for word in words])
    assert "costboost.app.cli.commands" in found
    assert not LARGE & found
    if len(words) < 3:
        assert not {"numpy", "pyarrow"} & found


def test_without_typer() -> None:
    code = "import sys; sys.modules['typer'] = None; from costboost.app.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert 'pip install "costboost[cli]"' in done.stderr
    assert "Traceback" not in done.stderr


def test_without_pyarrow(loans: Path) -> None:
    code = (
        "import sys; sys.modules['pyarrow'] = None; from costboost.app.cli import main; "
        f"sys.argv[1:] = ['fit', {str(loans)!r}, '-t', 'default']; main()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert 'pip install "costboost[cli]"' in done.stderr
    assert "Traceback" not in done.stderr


# ---- how far it is -------------------------------------------------------------------------------


def test_the_share_that_is_done_rises_to_the_end() -> None:
    """Ensembles of all folds, settings and classes are counted, one after the other."""
    X, y = load_wine(return_X_y=True)
    matrix = 1 - np.eye(3)
    models = [
        (costboost.CostBoostClassifier(n_estimators=3, cost_matrix=matrix), y),
        (costboost.CostBoostClassifier(n_estimators=3), y == 1),
        (costboost.algorithms.AdaMECClassifier(n_estimators=4, calibration="platt"), y == 1),
        (costboost.algorithms.AdaMECClassifier(n_estimators=4), y == 1),
        (costboost.multiclass.GBSEClassifier(n_estimators=4), y),
        (costboost.multiclass.GBSEClassifier(n_estimators=4, calibration="dirichlet"), y),
        (
            costboost.OperatingPointClassifier(
                costboost.algorithms.AdaMECClassifier(), at_least=0.9
            ),
            y == 1,
        ),
    ]
    for model, labels in models:
        reported: list[float] = []
        share = RoundListener(reported.append, count_ensembles(model, len(np.unique(labels))))
        with listening(share):
            model.fit(X, labels)
        assert reported == sorted(reported)
        assert share.n_begun <= share.n_ensembles
        assert 0 < reported[0] <= 0.25
        assert reported[-1] > 0.4
    n_reported = len(reported)
    models[3][0].fit(X, y == 1)
    assert len(reported) == n_reported


def test_the_share_of_ensembles_that_are_trained_side_by_side() -> None:
    reported: list[float] = []
    share = RoundListener(reported.append, 2)

    def other(n_done: int) -> None:
        thread.submit(share, n_done, 4).result()

    with ThreadPoolExecutor(1) as thread:
        for n_done in range(1, 5):
            share(n_done, 4)
            other(n_done)
    assert reported == [0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875, 0.99]


def test_methods_that_count_themselves_are_silent_where_somebody_listens(
    capsys: pytest.CaptureFixture[str],
) -> None:
    X, y = load_wine(return_X_y=True)
    with listening(lambda done, n: None):
        costboost.multiclass.GBSEClassifier(n_estimators=2, verbose=1).fit(X, y)
    assert capsys.readouterr().err == ""
    costboost.multiclass.GBSEClassifier(n_estimators=2, verbose=1).fit(X, y)
    assert "2 rounds" in capsys.readouterr().err
