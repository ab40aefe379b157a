"""More than two classes: a cost matrix from a file, and all commands with it."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from cli.running import Run, failed
from numpy.testing import assert_array_equal
from pyarrow import parquet

import costboost
from costboost import multiclass
from costboost._core.costs import expected
from costboost.algorithms import AdaMECClassifier
from costboost.app.reading.cost_matrices import read_cost_matrix

FAST = ("-a", "adamec", "--rounds", "20")
CLASSES = ["cat", "dog", "lynx"]
MATRIX = np.array([[0.0, 1.0, 2.0], [3.0, 0.0, 1.0], [50.0, 40.0, 0.0]])
NAMED = "truth,lynx,cat,dog\ndog,1,3,0\ncat,2,0,1\nlynx,0,50,40\n"
UNNAMED = "0,1,2\n3,0,1\n50,40,0\n"


@pytest.fixture(scope="module")
def animals(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three classes, one of them rare; numbers, text and missing values."""
    random = np.random.default_rng(0)
    weight = random.gamma(3, 4, 300).round(2)
    fur = random.choice(["short", "long", "spotted"], 300)
    wild = (fur == "spotted") & (weight > 14)
    kind = np.where(wild, "lynx", np.where(weight + random.normal(0, 3, 300) > 11, "dog", "cat"))
    frame = pd.DataFrame({"weight": weight, "fur": fur, "kind": kind})
    frame.loc[::17, "weight"] = np.nan
    path = tmp_path_factory.mktemp("animals") / "animals.csv"
    frame.to_csv(path, index=False)
    return path


@pytest.fixture(scope="module")
def costs(animals: Path) -> Path:
    path = animals.parent / "costs.csv"
    path.write_text(NAMED)
    return path


@pytest.fixture
def model(run: Run, animals: Path, costs: Path, tmp_path: Path) -> Path:
    path = tmp_path / "m.costboost"
    done = run("fit", animals, "-t", "kind", "--cost-matrix", costs, *FAST, "-o", path)
    assert done.code == 0, done.err
    return path


# ---- the matrix ----------------------------------------------------------------------------------

AS_JSON = json.dumps({CLASSES[i]: {CLASSES[j]: MATRIX[i, j] for j in (2, 0, 1)} for i in (1, 2, 0)})
LINES = "".join(
    json.dumps({"truth": CLASSES[i]} | dict(zip(CLASSES, MATRIX[i], strict=True))) + "\n"
    for i in (2, 0, 1)
)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        (NAMED, True),
        (NAMED.replace(",", "\t"), True),
        (NAMED.replace(",", ";"), True),
        ("lynx,cat,dog\n0,50,40\n2,0,1\n1,3,0\n", True),
        ("dog,0,3,1\ncat,1,0,2\nlynx,40,50,0\n", True),
        (UNNAMED, False),
        (UNNAMED.replace(",", "\t") + "\n\n", False),
        (json.dumps(MATRIX.tolist()), False),
        (AS_JSON, True),
        (LINES, True),
    ],
)
def test_a_matrix_in_any_order(text: str, named: bool, tmp_path: Path) -> None:
    path = tmp_path / "costs"
    path.write_text(text)
    found = read_cost_matrix(str(path), CLASSES)
    assert_array_equal(found.costs, MATRIX)
    assert found.named == named


def test_a_matrix_as_parquet(tmp_path: Path) -> None:
    order = [1, 2, 0]
    columns = {name: MATRIX[order, j] for j, name in enumerate(CLASSES)}
    table = pa.table({"truth": [CLASSES[i] for i in order], **columns})
    parquet.write_table(table, tmp_path / "costs.parquet")
    assert_array_equal(read_cost_matrix(str(tmp_path / "costs.parquet"), CLASSES).costs, MATRIX)


def test_classes_that_are_numbers(tmp_path: Path) -> None:
    path = tmp_path / "costs.csv"
    path.write_text("x,2,0,1\n1,1,3,0\n0,2,0,1\n2,0,50,40\n")
    assert_array_equal(read_cost_matrix(str(path), [0, 1, 2]).costs, MATRIX)
    path.write_text("2,0,1\n0,50,40\n2,0,1\n1,3,0\n")
    assert_array_equal(read_cost_matrix(str(path), [0, 1, 2]).costs, MATRIX)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (NAMED.replace("lynx", "lnyx"), "no class 'lnyx' of the data.*did you mean 'lynx'"),
        ("t,cat,dog\ncat,0,1\ndog,1,0\n", "has no row for class lynx"),
        (NAMED.replace("dog,1", "cat,1"), "several rows for class 'cat'"),
        ("0,1\n1,0\n", "must have 3 rows .* but has 2 rows and 2 columns"),
        ("0,1,2\n3,0\n50,40,0\n", "lines of different lengths"),
        (UNNAMED.replace("40", "-40"), "predicting 'dog' where 'lynx' is true is '-40', not a num"),
        (UNNAMED.replace("40", "nan"), "predicting 'dog' where 'lynx' is true is 'nan', not a num"),
        (UNNAMED.replace("40", "x"), "is 'x', not a number of at least 0"),
        (UNNAMED.replace("40", ""), "predicting 'dog' where 'lynx' is true is missing"),
        ("1,1,1\n1,1,1\n1,1,1\n", "the same cost for every prediction"),
        ("[[0, 1], ", "is no JSON"),
        ("[1, 2]", "must be a list of lists"),
        ("", "is empty"),
    ],
)
def test_matrices_that_are_none(
    run: Run, animals: Path, tmp_path: Path, text: str, message: str
) -> None:
    path = tmp_path / "costs.csv"
    path.write_text(text)
    printed = failed(run, "fit", animals, "-t", "kind", "--cost-matrix", path, *FAST)
    assert re.search(message, printed)


def test_files_that_cannot_be_read(run: Run, animals: Path, tmp_path: Path) -> None:
    words = ("fit", animals, "-t", "kind", *FAST, "--cost-matrix")
    assert "folder" in failed(run, *words, tmp_path)
    assert "no such file" in failed(run, *words, tmp_path / "no.csv")
    (tmp_path / "wide.csv").write_bytes(NAMED.replace("dog", "dög").encode("latin-1"))
    assert "--encoding latin-1" in failed(run, *words, tmp_path / "wide.csv")


def test_costs_are_given_once(run: Run, animals: Path, costs: Path, model: Path) -> None:
    words = ("fit", animals, "-t", "kind", *FAST, "--cost-matrix", costs)
    assert "given twice" in failed(run, *words, "--fn-cost", "5")
    assert "leave one of them out" in failed(run, *words, "--positive", "lynx")
    assert "given twice" in failed(
        run, "predict", model, animals, "--cost-matrix", costs, "--fn-cost", "2"
    )
    assert "give --cost-matrix" in failed(run, "predict", model, animals, "--fn-cost", "2")


def test_notes(run: Run, animals: Path, tmp_path: Path) -> None:
    words = ("fit", animals, "-t", "kind", *FAST)
    assert "there are 3 classes (cat, dog, lynx), and every mistake costs 1" in run(*words).err
    path = tmp_path / "costs.csv"
    path.write_text(UNNAMED)
    assert "taken in the order cat, dog, lynx" in run(*words, "--cost-matrix", path).err
    path.write_text("t,cat,dog,lynx\ncat,0,3,50\ndog,1,0,40\nlynx,2,1,0\n")
    assert "is the cost matrix transposed?" in run(*words, "--cost-matrix", path).err
    path.write_text("t,cat,dog,lynx\ncat,9,3,50\ndog,1,9,40\nlynx,2,1,9\n")
    assert "The truth should be the cheapest" in run(*words, "--cost-matrix", path).err


def test_leaks(run: Run, animals: Path, tmp_path: Path) -> None:
    frame = pd.read_csv(animals)
    places = frame["kind"].map({"cat": 1.5, "dog": 2.5, "lynx": 2.0})
    frame.assign(leak=places, name=frame["kind"].str.upper()).to_csv(tmp_path / "d.csv")
    err = run("fit", tmp_path / "d.csv", "-t", "kind", *FAST).err
    assert "column 'leak' alone separates the classes" in err
    assert "column 'name' alone separates the classes" in err
    assert "'weight'" not in err


# ---- the commands --------------------------------------------------------------------------------


def test_the_model_is_that_of_the_library(model: Path, animals: Path, run: Run) -> None:
    loaded = costboost.load(model)
    assert loaded.classes_.tolist() == CLASSES
    assert_array_equal(loaded.cost_matrix, MATRIX)
    lines = list(csv.DictReader(io.StringIO(run("predict", model, animals).out)))
    frame = pd.read_csv(animals).astype({"fur": "category"})
    X = frame[["weight", "fur"]]
    p = loaded.predict_proba(X)
    assert [line["label"] for line in lines] == loaded.predict(X).tolist()
    for j, name in enumerate(CLASSES):
        assert [float(line[f"probability_{name}"]) for line in lines] == p[:, j].tolist()
    cost = expected(p, MATRIX).min(axis=1)
    assert np.allclose([float(line["expected_cost"]) for line in lines], cost)


def test_other_costs_without_training(run: Run, model: Path, animals: Path, tmp_path: Path) -> None:
    other = np.array([[0, 1, 1], [1, 0, 1], [1, 1, 0]])
    path = tmp_path / "other.json"
    path.write_text(json.dumps(other.tolist()))
    done = run("predict", model, animals, "--cost-matrix", path, "--json")
    assert "taken in the order" in done.err
    printed = [json.loads(line)["label"] for line in done.out.splitlines()]
    X = pd.read_csv(animals).astype({"fur": "category"})[["weight", "fur"]]
    loaded = costboost.load(model)
    assert printed == loaded.predict(X, cost_matrix=other).tolist()
    assert printed != loaded.predict(X).tolist()


def test_what_fit_measures(run: Run, animals: Path, costs: Path, tmp_path: Path) -> None:
    words = ("-t", "kind", "--cost-matrix", costs, "--test", animals, *FAST)
    out = tmp_path / "m.costboost"
    found = json.loads(run("fit", animals, *words, "-o", out, "--json").out)
    held = found["held_out"]
    frame = pd.read_csv(animals).astype({"fur": "category"})
    loaded, truth = costboost.load(out), frame["kind"].to_numpy()
    printed = loaded.predict(frame[["weight", "fur"]])
    confusion = pd.crosstab(truth, printed).reindex(index=CLASSES, columns=CLASSES, fill_value=0)
    mine = held["decisions"]["this model"]
    assert mine["confusion"] == confusion.to_numpy().tolist()
    assert mine["cost"] == (confusion.to_numpy() * MATRIX).sum()
    always = [(confusion.sum(axis=1) @ MATRIX)[j] for j in range(3)]
    best = CLASSES[int(np.argmin(always))]
    assert held["decisions"][f"always predicting {best}"]["cost"] == min(always)
    assert held["savings"]["share"] == pytest.approx(1 - mine["cost"] / min(always))
    blind = loaded.classes_[loaded.predict_proba(frame[["weight", "fur"]]).argmax(axis=1)]
    paid = MATRIX[np.searchsorted(CLASSES, truth), np.searchsorted(CLASSES, blind)].sum()
    assert held["decisions"]["the same model ignoring costs"]["cost"] == paid
    shown = run("fit", animals, *words).out
    assert "true \\ predicted" in shown
    assert "A mistake costs from 1 to 50." in shown


@pytest.mark.parametrize("name", multiclass.__all__)
def test_methods_for_several_classes(
    run: Run, animals: Path, costs: Path, tmp_path: Path, name: str
) -> None:
    words = ("fit", animals, "-t", "kind", "--cost-matrix", costs, "-a", name, "--rounds", "3")
    assert f"{name}, 2 features" in run(*words).out
    out = tmp_path / "m.costboost"
    if name not in ("GBSEClassifier", "LpCSBClassifier"):
        assert "a model file does not hold" in failed(run, *words, "-o", out)
        assert not out.exists()
        return
    assert run(*words, "-o", out).code == 0
    lines = run("predict", out, animals).out.splitlines()
    assert lines[0] == "label,votes_cat,votes_dog,votes_lynx"
    X = pd.read_csv(animals).astype({"fur": "category"})[["weight", "fur"]]
    assert [line.split(",")[0] for line in lines[1:]] == costboost.load(out).predict(X).tolist()
    other = tmp_path / "other.csv"
    other.write_text("0,1,1\n1,0,1\n1,1,0\n")
    assert "cannot be given other costs" in failed(
        run, "predict", out, animals, "--cost-matrix", other
    )
    assert "no score of a class that could be explained" in failed(run, "explain", out)


def test_methods_for_several_classes_take_two(run: Run, animals: Path, tmp_path: Path) -> None:
    frame = pd.read_csv(animals)
    frame.assign(kind=np.where(frame["kind"] == "cat", "cat", "other")).to_csv(
        tmp_path / "d.csv", index=False
    )
    words = ("fit", tmp_path / "d.csv", "-t", "kind", "-a", "gbse", "--rounds", "3", "--json")
    pair = json.loads(run(*words, "--positive", "cat", "--fn-cost", "7", "--fp-cost", "2").out)
    assert pair["cost_matrix"] == [[0, 7], [2, 0]]
    assert "takes no costs of rows here" in failed(run, *words, "--fn-cost", "weight")


def test_two_classes_by_a_matrix(run: Run, animals: Path, tmp_path: Path) -> None:
    frame = pd.read_csv(animals)
    path, matrix = tmp_path / "d.csv", tmp_path / "costs.csv"
    frame.assign(kind=np.where(frame["kind"] == "cat", "cat", "other")).to_csv(path, index=False)
    matrix.write_text("t,other,cat\nother,1,8\ncat,3,0\n")
    words = ("-t", "kind", "--positive", "cat", *FAST, "--json")
    pair = run("fit", path, *words, "--fn-cost", "3", "--fp-cost", "7").out
    assert run("fit", path, *words, "--cost-matrix", matrix).out == pair
    out = tmp_path / "m.costboost"
    assert run("fit", path, *words, "-o", out).code == 0
    given = run("predict", out, path, "--fn-cost", "3", "--fp-cost", "7").out
    assert run("predict", out, path, "--cost-matrix", matrix).out == given
    matrix.write_text("0,0\n1,0\n")
    assert "must cost more than the truth" in failed(
        run, "predict", out, path, "--cost-matrix", matrix
    )


def test_compare(run: Run, animals: Path, costs: Path) -> None:
    words = ("compare", animals, "-t", "kind", "--cost-matrix", costs, "--folds", "2")
    words += ("--rounds", "5", "-a", "adamec", "-a", "gbse", "--no-baselines")
    shown = run(*words).out
    assert "accuracy" in shown
    assert "recall" not in shown
    found = json.loads(run(*words, "--json").out)
    assert found["estimators"] == ["AdaMEC", "GBSE"]
    assert found["rows"][0]["cost"] > 0
    assert found["rows"][0]["recall_positive"] is None
    assert "too few for 99 folds" in failed(run, *words, "--folds", "99")


def test_goals_are_for_two_classes(run: Run, animals: Path) -> None:
    words = ("goal", animals, "-t", "kind", "--recall", "0.9", *FAST)
    assert "--positive 'lynx' would set that one against the rest" in failed(run, *words)
    assert run(*words, "--positive", "dog").code == 0
    assert "has no threshold to move" in failed(run, *words[:-4], "-a", "gbse")


def test_explain(run: Run, model: Path, animals: Path) -> None:
    loaded = costboost.load(model)
    found = json.loads(run("explain", model, "--json").out)
    assert found["importances"]["weight"] == pytest.approx(loaded.feature_importances_[0])
    one = json.loads(run("explain", model, "--class", "lynx", "--json").out)
    assert one["importances"]["fur"] == loaded.estimators_[2].feature_importances_[1]
    assert one["shapes"]
    row = json.loads(run("explain", model, animals, "--row", "5", "--json").out)
    label = list(csv.DictReader(io.StringIO(run("predict", model, animals).out)))[4]
    assert row["class"] == label["label"]
    assert row["probability"] == float(label[f"probability_{row['class']}"])
    assert "3 classes" in run("explain", model, animals).out
    assert "--class LABEL, one of cat, dog, lynx" in failed(run, "explain", model, "-f", "fur")
    assert "the score of dog" in run("explain", model, "-f", "fur", "--class", "dog").out
    assert "did you mean 'lynx'?" in failed(run, "explain", model, "--class", "lnyx")


def test_report(run: Run, model: Path, animals: Path, tmp_path: Path) -> None:
    out, other = tmp_path / "r.html", tmp_path / "other.csv"
    assert run("report", model, animals, "-o", out).code == 0
    text = out.read_text()
    assert "there are no sliders" in text
    assert "<script>" not in text
    other.write_text("0,9,9\n9,0,9\n9,9,0\n")
    assert run("report", model, animals, "-o", out, "--cost-matrix", other).code == 0
    assert out.read_text() != text


def test_rows_of_classes_that_the_model_lacks(
    run: Run, model: Path, animals: Path, tmp_path: Path
) -> None:
    path = tmp_path / "d.csv"
    path.write_text(animals.read_text() + "3,short,dgo\n")
    assert "no class 'dgo' in the model" in failed(run, "report", model, path)


def test_models_from_python(run: Run, animals: Path, tmp_path: Path) -> None:
    frame = pd.read_csv(animals).astype({"fur": "category"})
    X, y = frame[["weight", "fur"]], frame["kind"].to_numpy()
    clf = AdaMECClassifier(n_estimators=5, cost_matrix=MATRIX).fit(X, y)
    costboost.save(clf, tmp_path / "m.costboost")
    lines = run("predict", tmp_path / "m.costboost", animals).out.splitlines()
    assert [line.split(",")[0] for line in lines[1:]] == clf.predict(X).tolist()
    two = AdaMECClassifier(n_estimators=5, cost_matrix=[[0, 2], [7, 0]]).fit(X, y == "lynx")
    costboost.save(two, tmp_path / "two.costboost")
    first = next(
        csv.DictReader(io.StringIO(run("predict", tmp_path / "two.costboost", animals).out))
    )
    p, printed = float(first["probability"]), first["label"] == "True"
    assert float(first["expected_cost"]) == pytest.approx((1 - p) * 2 if printed else p * 7)
