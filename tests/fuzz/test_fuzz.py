"""A few mutants of each kind in every run of the tests; ``make fuzz`` runs many."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from fuzz import calls, commands, isolation, model_files
from sklearn.linear_model import Ridge

import costboost
from costboost._core.calibration.sigmoid import fit_sigmoid
from costboost._core.threads.processes import MOST_JOBS, jobs_for_joblib
from costboost.app.reading.errors import InputError
from costboost.app.reading.formats import open_table
from costboost.app.reading.parquet import row_groups_of
from costboost.io.parts import check_children
from costboost.io.seal import sealed

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="processes are limited as on Linux"),
    pytest.mark.filterwarnings("ignore"),
]


def report(outcome: isolation.Outcome) -> str:
    return "\n".join(f"case {number}\n{trace}" for number, trace in outcome.defects)


def test_mutants_of_model_files() -> None:
    model_files.prepare()
    outcome = isolation.run(model_files.case, range(600))
    assert not outcome.defects, report(outcome)
    assert outcome.words["loaded"] > 40
    assert outcome.words["refused"] > 300


def test_every_kind_of_model_file_loads_without_changes(tmp_path: Path) -> None:
    """Otherwise all mutants of it would be refused."""
    for name in model_files.BASES:
        (tmp_path / "model").write_bytes(model_files.saved_file(name))
        assert costboost.load(tmp_path / "model") is not None


def test_mutants_of_data_files() -> None:
    commands.prepare()
    outcome = isolation.run(commands.case, range(3 * len(commands.COMMANDS)))
    commands.clean()
    assert not outcome.defects, report(outcome)
    for command in {words[0] for words in commands.COMMANDS}:
        assert any(word.startswith(command) for word in outcome.words)


def test_malformed_calls() -> None:
    calls.prepare()
    numbers = np.random.default_rng(0).permutation(len(calls.catalogue()))[:400]
    outcome = isolation.run(calls.case, numbers.tolist())
    assert not outcome.defects, report(outcome)
    assert outcome.words["ValueError"] > 100
    assert outcome.words["finite"] > 30


# ---- how cases are run ---------------------------------------------------------------------------


def odd_case(number: int) -> str:
    if number == 1:
        os.kill(os.getpid(), signal.SIGSEGV)
    if number == 2:
        time.sleep(100)
    if number == 3:
        bytearray(2**31)
    if number == 4:
        raise SystemExit(0)
    return "well"


@pytest.mark.parametrize("n_workers", [1, 2])
def test_crashes_hangs_and_memory_are_noticed(n_workers: int) -> None:
    outcome = isolation.run(odd_case, range(7), n_workers, seconds=1.0, n_bytes=2**30)
    assert outcome.words == {"well": 3, "crashed": 1, "hung": 1, "defect": 2}
    found = {number: trace.strip().splitlines()[-1] for number, trace in outcome.defects}
    assert "SIGSEGV" in found[1]
    assert "1.0 seconds" in found[2]
    assert "MemoryError" in found[3]
    assert "SystemExit" in found[4]


def test_processes_that_cases_leave_behind_are_ended(tmp_path: Path) -> None:
    """Each would keep its memory: a search with too many jobs left a thousand of them."""

    def leave(number: int) -> str:
        child = subprocess.Popen(["sleep", "600"])
        (tmp_path / str(number)).write_text(str(child.pid))
        time.sleep(100 * number)
        return "well"

    assert isolation.run(leave, range(2), seconds=1.0).words == {"well": 1, "hung": 1}
    left = [int((tmp_path / name).read_text()) for name in ("0", "1")]
    until = time.monotonic() + 30
    while any(map(_runs, left)) and time.monotonic() < until:
        time.sleep(0.1)
    assert not any(map(_runs, left))


def _runs(process: int) -> bool:
    """Whether a process exists and is more than a name that nobody has waited for."""
    try:
        return " Z " not in Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return False


# ---- what was found ------------------------------------------------------------------------------


@pytest.mark.parametrize("path", sorted((Path(__file__).parent / "found").iterdir()), ids=str)
def test_files_that_were_found(path: Path) -> None:
    """Damaged files at which pyarrow ended the process, such as a level histogram too long."""
    assert isolation.run(lambda _: _read(path), [0]).words == {"refused": 1}


def _read(path: Path) -> str:
    try:
        with open_table(str(path)) as source:
            source.table({})
    except ValueError:
        return "refused"
    return "read"


@pytest.mark.parametrize("change", [b"\xff" * 30, b"", b"\x1c" * 200])
def test_footers_that_cannot_be_read(change: bytes, tmp_path: Path) -> None:
    footer = change + len(change).to_bytes(4, "little") + b"PAR1"
    path = tmp_path / "data"
    path.write_bytes(b"PAR1" + footer)
    with path.open("rb") as file, pytest.raises(InputError, match="row groups cannot be read"):
        row_groups_of(file, "data")


@pytest.mark.parametrize("value", [10**400, -(10**400), np.inf, np.nan, "1", None, True])
def test_numbers_that_no_float_holds(value: object) -> None:
    clf = costboost.algorithms.AdaBoostClassifier(l2_regularization=value)
    with pytest.raises(ValueError, match=r"l2_regularization must be a number of at least 0"):
        clf.fit(calls.X, calls.Y)


def test_rates_at_which_scores_would_be_infinite() -> None:
    clf = costboost.algorithms.CSBoostClassifier(n_estimators=2, learning_rate=1e308)
    with pytest.raises(ValueError, match=r"learning_rate must be at most 1e\+100, got 1e\+308"):
        clf.fit(calls.X, calls.Y)
    predictions = clf.set_params(learning_rate=1e100).fit(calls.X, calls.Y).predict_proba(calls.X)
    assert np.isfinite(predictions).all()


def test_an_array_is_no_positive_class() -> None:
    inner = costboost.algorithms.AdaMECClassifier(n_estimators=2)
    clf = costboost.CostSearchCV(inner, fn_costs=[1.0, 2.0], pos_label=np.ones(2))
    with pytest.raises(ValueError, match="pos_label must be a single label"):
        clf.fit(calls.X, calls.Y)


def test_no_more_processes_than_tasks() -> None:
    """A search with ``n_jobs=1024`` would start so many, and run out of memory."""
    assert [jobs_for_joblib(one, 6) for one in (10**400, 9, 2, None, -1)] == [6, 6, 2, None, -1]
    assert jobs_for_joblib(-(10**400), 6) == -MOST_JOBS
    assert jobs_for_joblib(10**400, 10**6) == MOST_JOBS
    for wrong in ("x", 0, 0.5, np.inf, 1e308):
        with pytest.raises(ValueError, match="n_jobs must be None or a whole number other than 0"):
            jobs_for_joblib(wrong, 6)


@pytest.mark.parametrize("name", ["at_least", "at_most", "guarantee", "margin"])
def test_goals_that_no_float_holds(name: str) -> None:
    inner = costboost.algorithms.AdaMECClassifier(n_estimators=2)
    for value in (10**400, 1e308):
        clf = costboost.OperatingPointClassifier(inner, **({"at_least": 0.5} | {name: value}))
        with pytest.raises(ValueError, match=f"{name} must be"):
            clf.fit(calls.X, calls.Y)


def test_rows_that_have_no_rows() -> None:
    inner = costboost.algorithms.AdaMECClassifier(n_estimators=2)
    clf = costboost.OperatingPointClassifier(inner, at_least=0.5)
    with pytest.raises(ValueError, match="X must have rows and columns, got None"):
        clf.fit(None, calls.Y)


def test_weights_of_rows_whose_costs_are_estimated() -> None:
    clf = costboost.EstimatedCostClassifier(
        costboost.algorithms.AdaMECClassifier(n_estimators=2), Ridge()
    )
    cost = np.abs(calls.X[:, 0]) + 1
    for wrong in ("much", -1.0, np.ones(3), {0: 1}):
        with pytest.raises(ValueError, match="sample_weight"):
            clf.fit(calls.X, calls.Y, sample_weight=wrong, fn_cost=cost)
    clf.fit(calls.X, calls.Y, sample_weight=2.0, fn_cost=cost)
    for rows in (calls.ROWS["a huge int"], calls.ROWS["dates"], calls.ROWS["durations"]):
        with pytest.raises(ValueError, match=r"Ridge, which estimates fn_cost, cannot predict X"):
            clf.predict(rows)


def test_leaves_of_more_rows_than_a_float_holds() -> None:
    clf = costboost.CostBoostClassifier(n_estimators=2, min_samples_leaf=10**400)
    assert np.isfinite(clf.fit(calls.X, calls.Y).predict_proba(calls.X)).all()


def test_powers_at_which_no_weight_is_left() -> None:
    clf = costboost.multiclass.LpCSBClassifier(n_estimators=2, p=101)
    with pytest.raises(ValueError, match="p must be a number from 1 to 100, got 101"):
        clf.fit(calls.X, calls.THREE)
    clf.set_params(p=100).fit(calls.X, calls.THREE)
    assert clf.n_iter_ > 0


def test_whole_numbers_that_no_float_holds() -> None:
    rows = calls.X.astype(object)
    rows[0, 0] = 10**400
    with pytest.raises(ValueError, match="too large for a float"):
        costboost.algorithms.AdaBoostClassifier(n_estimators=2).fit(rows, calls.Y)
    clf = costboost.algorithms.AdaMECClassifier(n_estimators=2, clip_costs=10**400)
    with pytest.raises(ValueError, match="clip_costs must be a quantile"):
        clf.fit(calls.X, calls.Y)


def test_whole_numbers_whose_differences_wrap_around(tmp_path: Path) -> None:
    """The least whole number minus a positive one is positive."""
    first = np.array([0, 1, np.iinfo(np.int32).min, -1, 3], dtype=np.int32)
    assert (np.diff(first) > 0).all()
    with pytest.raises(ValueError, match="first does not cut the nodes into trees"):
        check_children(first, np.full(3, -1, dtype=np.int32), np.full(3, -1, dtype=np.int32))
    found = 0
    for name in model_files.BASES:
        tree, arrays = model_files.base(name)
        for at, key in model_files.places(tree):
            if key == "codes_" and at.get("type") == "DirichletCalibrator":
                number = at[key]["number"]
                arrays[number][1] = np.iinfo(np.int64).min
                arrays[number][0] = 1
                found += 1
                (tmp_path / "model").write_bytes(model_files.file_of(tree, arrays))
                with pytest.raises(ValueError, match="codes_ must rise from 0 or above"):
                    costboost.load(tmp_path / "model")
    assert found


def test_coefficients_at_which_logits_are_infinite(tmp_path: Path) -> None:
    found = 0
    for name in model_files.BASES:
        tree, arrays = model_files.base(name)
        for at, key in model_files.places(tree):
            if key == "weights_" and at.get("type") == "DirichletCalibrator":
                arrays[at[key]["number"]].flat[0] = -1e308
                found += 1
                (tmp_path / "model").write_bytes(model_files.file_of(tree, arrays))
                with pytest.raises(ValueError, match=r"weights_ and offset_ must be below 1e\+300"):
                    costboost.load(tmp_path / "model")
    assert found


def test_scalars_that_their_type_cannot_hold(tmp_path: Path) -> None:
    """The message names the value."""
    tree, arrays = model_files.base("labels: int")
    tree["pos_label"] = {"type": "scalar", "of": "int64", "value": 2**70}
    path = tmp_path / "model"
    path.write_bytes(sealed(model_files.file_of(tree, arrays)))
    with pytest.raises(ValueError, match=f"{2**70} is no value of type int64"):
        costboost.load(path)


def test_weights_whose_sum_no_float_holds() -> None:
    """`fit` refuses them after a sigmoid has been fitted to some of the rows."""
    rng = np.random.default_rng(0)
    score, weight = rng.normal(size=(40, 1)), rng.uniform(0.5, 1, 40)
    positive = score[:, 0] + rng.normal(size=40) > 0
    given = score, positive
    few, many = (fit_sigmoid(*given, one * weight, np.full(40, 0.01)) for one in (1.0, 1e308))
    assert many.weights == pytest.approx(few.weights)
    assert many.intercept == pytest.approx(few.intercept)
