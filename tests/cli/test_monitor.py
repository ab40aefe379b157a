"""``monitor``, prevalences, thinned samples and groups on the command line."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from cli.running import Run, failed

import costboost
from costboost.monitoring import monitor


def written(path: Path, n: int, share: float, seed: int) -> Path:
    random = np.random.default_rng(seed)
    y = random.random(n) < share
    a, b = random.normal(size=(2, n)) + y
    columns: dict[str, Any] = {
        "a": a,
        "b": b,
        "kind": random.choice(["u", "v"], n),
        "person": random.integers(0, 40, n),
        "amount": random.gamma(2, 4, n).round(2) + 1,
        "bad": np.where(y, "yes", "no"),
    }
    pd.DataFrame(columns).to_csv(path, index=False)
    return path


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("monitor")


@pytest.fixture(scope="module")
def new(folder: Path) -> Path:
    return written(folder / "new.csv", 1500, 0.03, 1)


@pytest.fixture
def fitted(run: Run, folder: Path) -> Path:
    path = folder / "m.costboost"
    if not path.exists():
        data = written(folder / "old.csv", 1500, 0.4, 0)
        given = ("--fn-cost", "amount", "--groups", "person", "--rounds", "10", "-o", path)
        done = run("fit", data, "-t", "bad", *given)
        assert done.code == 0, done.err
    return path


def test_a_model_of_actions_is_monitored_by_their_costs(run: Run, new: Path, folder: Path) -> None:
    data = written(folder / "old.csv", 1500, 0.4, 0)
    table, path = folder / "actions.csv", folder / "acting.costboost"
    table.write_text("truth,block,review,allow\nyes,0,4,amount\nno,8..15,4,0\n")
    words = ("-t", "bad", "--drop", "person", "--rounds", "5", "--fn-cost", "amount")
    done = run("fit", data, *words, "--actions", table, "-o", path)
    assert done.code == 0, done.err
    clf = costboost.load(path)
    done = run("monitor", path, new, "--labels", "bad", "--json", "--alarm", "0.001")
    assert done.code == 3, done.err
    found = json.loads(done.out)
    frame = pd.read_csv(new)
    costs = {"yes": {"block": 0, "review": 4, "allow": frame["amount"]}, "no": clf.costs["no"]}
    X = frame[list(clf.feature_names_in_)].astype({"kind": "category"})
    report = clf.decision_report(X, frame["bad"], costs)
    assert found["realised_cost"]["value"] == pytest.approx(report.realised_cost.sum() / 1500)
    assert found["actions"] == pytest.approx(dict(zip(report.actions, report.share, strict=True)))
    assert found["reference"]["n_rows"] == 375
    again = run("fit", data, *words, "--actions", table, "-o", path, "--refit")
    assert again.code == 0, again.err
    assert json.loads(run("monitor", path, new, "--json").out)["reference"] == found["reference"]
    assert "give --actions FILE instead" in failed(run, "monitor", path, new, "--fn-cost", "3")


def test_monitor_without_labels(run: Run, fitted: Path, new: Path, folder: Path) -> None:
    page = folder / "m.html"
    done = run("monitor", fitted, new, "--unit", "EUR", "--report", page, "--alarm", "100")
    assert done.code == 3, done.err
    assert "ALARM: the limit is 100 EUR" in done.out
    assert "labels are needed" in " ".join(done.out.split())
    assert "labels are needed" in page.read_text()
    calm = run("monitor", fitted, new, "--alarm", "1e9", "--json")
    assert calm.code == 0, calm.err
    found = json.loads(calm.out)
    model, frame = costboost.load(fitted), pd.read_csv(new)
    assert model.reference_["n_rows"] == pytest.approx(375, abs=60)
    assert [one["name"] for one in model.reference_["columns"]] == ["a", "b", "kind", "probability"]
    X = frame[["a", "b", "kind"]].astype({"kind": "category"})
    same = monitor(model, X, fn_cost=frame["amount"].to_numpy(), alarm=1e9).to_dict()
    assert found["loss"] == pytest.approx(same["loss"])
    assert found["prevalence"] == pytest.approx(same["prevalence"])
    assert found["drifts"] == same["drifts"]


def test_a_broken_column_is_no_success(
    run: Run, fitted: Path, folder: Path, tmp_path: Path
) -> None:
    """What it costs cannot be known without labels; a job with a limit has to fail."""
    broken = written(tmp_path / "broken.csv", 1500, 0.4, 2)
    pd.read_csv(broken).assign(a=lambda frame: 12 * frame["a"]).to_csv(broken, index=False)
    done = run("monitor", fitted, broken, "--alarm", "100", "--json")
    assert done.code == 4, done.err
    found = json.loads(done.out)
    assert found["unexplained"] == ["a"]
    assert found["alarmed"] is False
    assert run("monitor", fitted, broken).code == 0  # no limit, no alarm
    labelled = run("monitor", fitted, broken, "--alarm", "1e9", "--labels", "bad", "--json")
    assert labelled.code == 0, labelled.err
    assert json.loads(labelled.out)["drifts"][0]["name"] == "a"


def test_monitor_with_labels(run: Run, fitted: Path, new: Path, folder: Path) -> None:
    frame = pd.read_csv(new)
    frame.loc[::10, "bad"] = None
    some = folder / "some.csv"
    frame.to_csv(some, index=False)
    done = run("monitor", fitted, some, "--labels", "bad", "--json")
    assert done.code == 0, done.err
    found = json.loads(done.out)
    assert found["n_rows"] == 1500
    assert found["n_labelled"] == 1350
    assert found["miscalibrated"]
    model = costboost.load(fitted)
    X = frame[["a", "b", "kind"]].astype({"kind": "category"})
    positive = model.predict(X, fn_cost=frame["amount"].to_numpy()) == "yes"
    truth = (frame["bad"] == "yes").to_numpy()
    cost = np.where(truth, np.where(positive, 0, frame["amount"]), positive)
    assert found["realised_cost"]["value"] == pytest.approx(cost[frame["bad"].notna()].mean())


@pytest.mark.parametrize(
    ("place", "message"),
    [(0, "the reference has the column 'zz'"), (-1, "the last column is not the probability")],
)
def test_a_damaged_reference_is_an_error_of_input(
    run: Run, fitted: Path, new: Path, folder: Path, place: int, message: str
) -> None:
    model, metadata = costboost.io.load_with_metadata(fitted)
    model.reference_["columns"][place]["name"] = "zz"
    path = folder / "damaged.costboost"
    costboost.save(model, path, metadata=metadata)
    assert message in failed(run, "monitor", path, new)


def test_prevalence_of_predictions(run: Run, fitted: Path, new: Path) -> None:
    model, frame = costboost.load(fitted), pd.read_csv(new)
    X = frame[["a", "b", "kind"]].astype({"kind": "category"})
    for text, value in (("0.03", 0.03), ("yes=0.03", 0.03), ("estimate", "estimate")):
        done = run("predict", fitted, new, "--prevalence", text)
        assert done.code == 0, done.err
        rows = list(csv.DictReader(io.StringIO(done.out)))
        expected = model.predict_proba(X, prevalence=value)[:, 1]
        found = [float(row["probability"]) for row in rows]
        np.testing.assert_allclose(found, expected, rtol=1e-3 if text == "estimate" else 1e-9)
        amount = frame["amount"].to_numpy()
        labels = model.predict(X, fn_cost=amount, prevalence=value)
        assert np.mean(labels == [row["label"] for row in rows]) > 0.99
    assert "must be a share" in failed(run, "predict", fitted, new, "--prevalence", "many")
    assert "above 0 and below 1" in failed(run, "predict", fitted, new, "--prevalence", "2")
    assert "maybe" in failed(run, "predict", fitted, new, "--prevalence", "maybe=0.5")


def test_sampling(run: Run, folder: Path, fitted: Path) -> None:
    out = folder / "thinned.costboost"
    base = ("fit", folder / "old.csv", "-t", "bad", "--rounds", "5", "-o", out)
    done = run(*base, "--sampling", "no=0.1")
    assert done.code == 0, done.err
    assert costboost.load(out).class_prior_[1] < 0.1
    assert "rows that were kept" in " ".join(done.err.split())
    assert not hasattr(costboost.load(out), "reference_")
    assert "above 0 and at most 1" in failed(run, *base, "--sampling", "no=3")
    assert "no class 'none'" in failed(run, *base, "--sampling", "none=0.1")


def test_bad_options(run: Run, fitted: Path, new: Path, folder: Path) -> None:
    assert "twice" in failed(run, "monitor", fitted, "-")
    assert "no column 'lost'" in failed(run, "monitor", fitted, new, "--labels", "lost")
    old = folder / "old.csv"
    assert "no column 'nobody'" in failed(run, "fit", old, "-t", "bad", "--groups", "nobody")
    frame = pd.read_csv(old).assign(one=1)
    frame.to_csv(folder / "one.csv", index=False)
    message = failed(run, "fit", folder / "one.csv", "-t", "bad", "--groups", "one")
    assert "one group only" in message
