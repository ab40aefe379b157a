"""Errors are one line with a remedy, and suspicious data are noted."""

from __future__ import annotations

import gzip
import json
import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from cli.running import Run, failed, to_csv
from inspection.cases import COLUMNS, FOUND

from costboost._core.wording import percent
from costboost.app.cli import output
from costboost.app.cli.output import write_each
from costboost.app.inspection import inspect_table, numbers_identify_rows
from costboost.app.report.markup import share
from costboost.reading import InputError, read_table

FAST = ("-a", "adamec", "--rounds", "10")


BAD_FILES: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "is empty"),
    "blank": (b"\n \n", "is empty"),
    "header only": (b"a,y\n", "no rows"),
    "ragged": (b"a,b,y\n1,2,0\n3,4\n5,6,1\n", "line 3 has 2 values, the header has 3"),
    "latin-1": ("a,y\ncafé,0\nx,1\n".encode("latin-1"), "--encoding latin-1"),
    "latin-1 header": ("é,y\n1,0\n2,1\n".encode("latin-1"), "--encoding latin-1"),
    "utf-16": ("a,y\n1,0\n2,1\n".encode("utf-16"), "--encoding utf-16"),
    "no names": (b"a,y,,\n1,0,,\n2,1,,\n", "columns without a name (the 3, 4 of 4)"),
    "other json": (b'{"a": 1, "y": 0}\n{"a": "b", "y": 1}\n', "'a' has text where a number is"),
    "binary": (bytes(range(256)), "neither text nor"),
    "spreadsheet": (b"PK\x03\x04" + bytes(100), "spreadsheet"),
    "json list": (b'[{"a": 1, "y": 0}]', "one object on each line"),
    "broken json": (b'{"a": 1, "y": 0}\n{"a": 2 "y"}\n', "data.csv, line 2: this is no JSON"),
    "open quote": (b'a,b,y\n1,"2,0\n3,4,1\n', "is a quotation mark there never closed?"),
    "a page": (b"\n<!DOCTYPE html><html><body>404</body></html>\n", "a page of HTML or XML"),
    "pickle": (pickle.dumps({"a": [1, 2], "y": [0, 1]}, 4), "is a pickle, which could run any"),
    "cut gzip": (gzip.compress(b"a,y\n" + b"1,0\n2,1\n" * 9999)[:60], "Truncated"),
    "cut parquet": (b"PAR1" + bytes(50), "cannot be read"),
    "cut arrow": (b"ARROW1\0\0" + bytes(50), "cannot be read"),
    "columns twice": (b"a,a,y\n1,2,0\n3,4,1\n", "several columns called 'a'"),
    "no labels": (b"a,y\n1,\n2,\n", "no labels"),
    "one class": (b"a,y\n1,0\n2,0\n", "there is only one class"),
    "target only": (b"y\n0\n1\n", "no column left"),
    "too few": (b"a,y\n1,0\n2,0\n3,1\n", "too few"),
}


@pytest.mark.parametrize("what", BAD_FILES)
def test_bad_files(run: Run, tmp_path: Path, what: str) -> None:
    data, message = BAD_FILES[what]
    path = tmp_path / "data.csv"
    path.write_bytes(data)
    assert message in failed(run, "fit", path, "-t", "y", *FAST)


def test_broken_json_behind_the_lines_that_are_looked_at_first(run: Run, tmp_path: Path) -> None:
    """The row that pyarrow names is counted from 0, and from the begin of a block."""
    path = tmp_path / "data.json"
    path.write_text('{"a": 1, "y": 0}\n' * 20_000 + '{"a": \n')
    error = failed(run, "fit", path, "-t", "y", *FAST)
    assert "data.json cannot be read: JSON parse error" in error
    assert "row" not in error


def test_costs_that_are_text(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "data.csv"
    path.write_text("a,c,y\n1,much,0\n2,much,1\n")
    error = failed(run, "fit", path, "-t", "y", "--fn-cost", "c", *FAST)
    assert error.endswith("column 'c' holds no costs, but text such as 'much'")


def test_data_in_the_place_of_the_model(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "data.csv"
    path.write_text("a,y\n" + "1,0\n" * 200)
    assert failed(run, "predict", path, path).endswith("the model comes first, then the data")


def test_a_folder_and_no_file(run: Run, tmp_path: Path, model: Path) -> None:
    assert "folder" in failed(run, "fit", tmp_path, "-t", "y")
    assert "no such file" in failed(run, "fit", tmp_path / "no.csv", "-t", "y")
    assert "folder" in failed(run, "predict", model, tmp_path)
    assert "no model file" in failed(run, "predict", tmp_path, tmp_path)


def test_no_model(run: Run, loans: Path, tmp_path: Path) -> None:
    assert "not a model file" in failed(run, "predict", loans, loans)
    assert "no such file" in failed(run, "explain", tmp_path / "no.costboost")


def test_names_that_do_not_exist(run: Run, loans: Path) -> None:
    known = ("-t", "default")
    assert "did you mean 'default'?" in failed(run, "fit", loans, "-t", "Defualt")
    assert "did you mean 'city'?" in failed(run, "fit", loans, *known, "--drop", "ctiy")
    assert "did you mean 'zip'?" in failed(run, "fit", loans, *known, "--categorical", "Zip")
    assert "did you mean 'amount'?" in failed(run, "fit", loans, *known, "--fn-cost", "amonut")
    assert "did you mean 'yes'?" in failed(run, "fit", loans, *known, "--positive", "Yes")
    assert "did you mean 'AdaMEC'?" in failed(run, "fit", loans, *known, "-a", "adames")
    assert "there are: id, income" in failed(run, "fit", loans, "-t", "qqqq")


@pytest.mark.parametrize("cost", ["0", "-1", "inf", "nan"])
def test_costs_that_are_none(run: Run, loans: Path, cost: str) -> None:
    assert "above 0" in failed(run, "fit", loans, "-t", "default", f"--fp-cost={cost}")


def test_columns_of_costs_that_are_none(
    run: Run, rows: dict[str, list[object]], loans: Path, tmp_path: Path
) -> None:
    assert "holds no costs" in failed(run, "fit", loans, "-t", "default", "--fn-cost", "city")
    assert "holds no costs" in failed(run, "fit", loans, "-t", "default", "--fn-cost", "day")
    printed = failed(run, "fit", loans, "-t", "default", "--fn-cost", "income")
    assert (
        "25 of 400 rows have no cost above 0 in column 'income', the first is row 1 (missing)"
        in printed
    )
    path = tmp_path / "d.csv"
    path.write_text(to_csv(rows | {"amount": [-1.0] * 400}))
    assert "first is row 1 (-1)" in failed(run, "fit", path, "-t", "default", "--fn-cost", "amount")


@pytest.mark.parametrize("cost", [0, -1, None, "nan", "inf"])
def test_a_row_without_a_cost_is_named_as_in_the_file(
    run: Run, rows: dict[str, list[object]], tmp_path: Path, cost: object
) -> None:
    """Rows without a label count, too, and so do rows of earlier portions."""
    path, model = tmp_path / "d.csv", tmp_path / "m.costboost"
    words = ("-t", "default", "--drop", "id", "--fn-cost", "amount", "--fp-cost", "9", *FAST)
    path.write_text(to_csv(rows))
    assert run("fit", path, *words, "--out", model).code == 0
    amount = [cost if k in (300, 310) else one for k, one in enumerate(rows["amount"])]
    label = [None if k < 5 else one for k, one in enumerate(rows["default"])]
    path.write_text(to_csv({**rows, "amount": amount, "default": label}))
    found = "rows have no cost above 0 in column 'amount', the first is row 301 "
    assert f"{path}: 2 of 395 {found}" in failed(run, "fit", path, *words)
    assert f"{path}: 2 of 395 {found}" in failed(run, "report", model, path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("costboost.app.reading.formats.BLOCK_BYTES", 4096)
        done = run("predict", model, path)
    assert found in done.err
    assert "2 of 400" not in done.err


def test_too_many_classes(run: Run, loans: Path) -> None:
    printed = failed(run, "fit", loans, "-t", "zip", "--fn-cost", "5")
    assert "--positive" in printed
    assert "--cost-matrix" in printed
    assert "is --target right?" in failed(run, "fit", loans, "-t", "amount")


def test_nested_columns(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "d.jsonl"
    path.write_text('{"a": [1, 2], "y": 0}\n{"a": [3], "y": 1}\n' * 20)
    assert "--drop 'a'" in failed(run, "fit", path, "-t", "y")


def test_places_that_cannot_be_written(run: Run, loans: Path, model: Path, tmp_path: Path) -> None:
    nowhere = tmp_path / "no" / "m.costboost"
    assert "no folder" in failed(run, "fit", loans, "-t", "default", "-o", nowhere)
    assert "folder" in failed(run, "fit", loans, "-t", "default", "--report", tmp_path)
    assert "no such file or folder" in failed(run, "predict", model, loans, "-o", nowhere)


@pytest.mark.skipif(sys.platform == "win32", reason="no limit on the size of files")
@pytest.mark.parametrize("refit", [(), ("--refit",)])
def test_one_of_two_files_cannot_be_written(
    start: Callable[..., subprocess.Popen[bytes]], loans: Path, tmp_path: Path, refit: tuple[str]
) -> None:
    import resource

    model, page = tmp_path / "m.costboost", tmp_path / "report.html"
    words = ("-t", "default", "--drop", "id", *FAST, "--out", model, "--report", page, *refit)
    limit = 20_000, 20_000  # the model is smaller, the report is larger
    process = start(
        "fit",
        loans,
        *words,
        stdout=subprocess.PIPE,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, limit),
    )
    _, printed = process.communicate(timeout=60)
    assert process.returncode == 1
    last = printed.decode().splitlines()[-1]
    assert last == (
        f"error: {page} cannot be written: files may not be so large here; no file was created; "
        f"{model} was written"
    )
    assert sorted(os.listdir(tmp_path)) == ["m.costboost"]


def test_files_that_cannot_be_written_are_all_named(tmp_path: Path) -> None:
    def fail(path: str) -> str:
        raise OSError(1, "cannot be written", path)

    with pytest.raises(OSError, match="cannot be written: 'a'"):
        write_each({"a": lambda: fail("a")})
    with pytest.raises(InputError, match=r"^a cannot be written; b cannot be written$"):
        write_each({"a": lambda: fail("a"), "b": lambda: fail("b")})
    with pytest.raises(InputError, match=r"^a cannot be written; b was written; c was written$"):
        write_each({"a": lambda: fail("a"), "b": lambda: "b", "c": lambda: "c"})


def test_results_do_not_replace_what_is_read(
    run: Run, loans: Path, model: Path, tmp_path: Path
) -> None:
    data, copy, new = tmp_path / "data.csv", tmp_path / "m.costboost", tmp_path / "new"
    data.write_bytes(loans.read_bytes())
    copy.write_bytes(model.read_bytes())
    link = tmp_path / "link"
    link.symlink_to(data)
    fit = ["fit", data, "-t", "default"]
    for words in (
        ["predict", copy, data, "--out", data],
        ["predict", copy, data, "--out", link],
        ["predict", copy, data, "--out", copy],
        ["report", copy, data, "--out", data],
        ["report", copy, data, "--out", copy],
        [*fit, "--out", data],
        [*fit, "--report", link],
        [*fit, "--out", new, "--report", new],
        [*fit, "--test", link, "--out", link],
    ):
        assert "is named twice" in failed(run, *words)
    assert data.read_bytes() == loans.read_bytes()
    assert copy.read_bytes() == model.read_bytes()
    assert not new.exists()
    for words in ([*fit, "--out", "-"], [*fit, "--report", "-"], ["report", copy, data, "-o", "-"]):
        assert "name a file instead of -" in failed(run, *words)


def test_a_narrow_terminal_leaves_nothing_out(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    row = ["a decision", "12345", "678 ± 90.12", "words that may break"]
    output.table(["decision", "cost", "the model saves", "why"], [row], numbers=1, wraps=3)
    shown = capsys.readouterr().out
    for text in ("a decision", "12345", "678 ± 90.12", "the model saves", *row[3].split()):
        assert text in shown


@pytest.mark.slow
@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_an_output_that_lacks_characters(
    run: Run, tmp_path: Path, loans: Path, encoding: str
) -> None:
    data, model = tmp_path / "data.csv", tmp_path / "m.costboost"
    data.write_text(loans.read_text().replace("income", "größe 😀", 1), encoding="utf-8")
    fit = ["fit", data, "-t", "default", "-a", "adamec", "--rounds", "2", "--drop", "id"]
    assert run(*fit, "-o", model).code == 0
    words = [sys.executable, "-m", "costboost", "explain", str(model)]
    environment = os.environ | {"PYTHONIOENCODING": encoding}
    shown = subprocess.run(words, env=environment, capture_output=True, check=True)
    assert ("█" if encoding == "utf-8" else "####") in shown.stdout.decode(encoding)
    found = subprocess.run([*words, "--json"], env=environment, capture_output=True, check=True)
    assert "größe 😀" in json.loads(found.stdout.decode(encoding))["importances"]


def test_usage(run: Run, loans: Path) -> None:
    assert run("fit", loans).code == 2
    assert run("fit", loans, "-t", "default", "--rounds", "0").code == 2
    assert run("nonsense").code == 2


# ---- notes on data ----------------------------------------------------------------------------


def noted(run: Run, *words: object) -> str:
    done = run(*words)
    assert done.code == 0, done.err
    return done.err


def test_swapped_costs(run: Run, loans: Path) -> None:
    words = ("fit", loans, "-t", "default", "--drop", "id", *FAST)
    swapped = noted(run, *words, "--positive", "yes", "--fn-cost", "1", "--fp-cost", "9")
    assert "swapped?" in swapped
    assert "swapped?" not in noted(run, *words, "--positive", "yes", "--fn-cost", "9")
    other = noted(run, *words, "--positive", "no", "--fn-cost", "9")
    assert "name it with --positive" in other
    assert "no costs were given" in noted(run, *words)


def leaking(kind: str) -> Callable[[bool, int], object]:
    return {
        "number": lambda bad, k: (100 if bad else 0) + k % 7,
        "label": lambda bad, k: "late" if bad else "in time",
        "presence": lambda bad, k: k if bad else None,
    }[kind]


@pytest.mark.parametrize("kind", ["number", "label", "presence"])
def test_leaks(run: Run, rows: dict[str, list[object]], tmp_path: Path, kind: str) -> None:
    path = tmp_path / "d.csv"
    make = leaking(kind)
    leak = [make(label == "yes", k) for k, label in enumerate(rows["default"])]
    path.write_text(to_csv({"leak": leak, **rows}))
    err = noted(run, "fit", path, "-t", "default", "--drop", "id", *FAST)
    assert "column 'leak' alone separates the classes" in err
    assert "'income'" not in err


def test_names_of_rows(run: Run, loans: Path) -> None:
    assert "column 'id' has almost as many values" in noted(
        run, "fit", loans, "-t", "default", *FAST
    )


def test_numbers_of_rows(run: Run, rows: dict[str, list[object]], tmp_path: Path) -> None:
    """As pandas writes them, in a column without a name."""
    path = tmp_path / "indexed.csv"
    path.write_text(to_csv({"": list(range(len(rows["id"]))), **rows}))
    printed = noted(run, "fit", path, "-t", "default", *FAST)
    assert "column '' increases from row to row, as row numbers do; consider --drop ''" in printed
    assert "increases" not in noted(run, "fit", path, "-t", "default", "--drop", "", *FAST)


TEXT_FORMS = {
    "12,50": "numbers with a decimal comma",
    "1.234,56": "marks between thousands",
    "1,234.56": "marks between thousands",
    "12.5 %": "numbers with a unit",
    "$12.50": "numbers with a unit",
    "31.12.2024": "dates",
    "12/31/2024 10:00": "dates",
}


@pytest.mark.parametrize("example", TEXT_FORMS)
def test_text_that_looks_like_something_else(
    run: Run, rows: dict[str, list[object]], tmp_path: Path, example: str
) -> None:
    path = tmp_path / "data.csv"
    varied = [example.replace("2", str(k % 10)).replace("1", str(1 + k // 50)) for k in range(400)]
    path.write_text(to_csv({**rows, "seen": list(varied)}))
    printed = noted(run, "fit", path, "-t", "default", *FAST)
    assert "column 'seen' is text that looks like" in printed
    assert TEXT_FORMS[example] in printed
    assert "consider --drop 'seen'" not in printed
    printed = noted(run, "fit", path, "-t", "default", "--categorical", "seen", *FAST)
    assert "looks like" not in printed


def test_codes_for_missing_values(run: Run, rows: dict[str, list[object]], tmp_path: Path) -> None:
    path = tmp_path / "data.csv"
    path.write_text(to_csv({**rows, "age": ["unknown" if k % 9 == 0 else k for k in range(400)]}))
    printed = noted(run, "fit", path, "-t", "default", *FAST)
    assert "column 'age' is text because it has numbers and 'unknown'" in printed


def test_labels_spelt_in_two_ways(
    run: Run, rows: dict[str, list[object]], loans: Path, tmp_path: Path
) -> None:
    path = tmp_path / "data.csv"
    labels = [f"{label} " if k % 3 == 0 else label for k, label in enumerate(rows["default"])]
    path.write_text(to_csv({**rows, "default": list(labels)}))
    printed = failed(run, "fit", path, "-t", "default", *FAST)
    assert "column 'default' has the labels 'no' and 'no ', which differ only in blanks" in printed
    capitals = [label.upper() if k % 3 == 0 else label for k, label in enumerate(rows["default"])]
    path.write_text(to_csv({**rows, "default": capitals}))
    printed = failed(run, "fit", loans, "-t", "default", "--test", path, *FAST)
    assert "has the labels 'NO' and 'no', which differ only in" in printed


# ---- useless columns -------------------------------------------------------------------


def notes_on(run: Run, rows: dict[str, list[object]], path: Path, **columns: list[object]) -> str:
    """What is noted of a file that has these columns, too."""
    path.write_text(to_csv({**rows, **columns}))
    words = ("--drop", "id", "--positive", "yes", "--fn-cost", "5", "-a", "adamec", "--rounds", "1")
    return noted(run, "fit", path, "-t", "default", *words)


def shuffled(most: int) -> list[object]:
    return list(np.random.default_rng(0).permutation(most)[:400].tolist())


@pytest.mark.parametrize(
    "name", ["ID", "id", "customer_id", "Customer ID", "loanId", "LoanID", "loan-no", "id (old)"]
)
def test_names_of_identifiers(name: str) -> None:
    assert numbers_identify_rows(name, np.array(shuffled(100_000)))


@pytest.mark.parametrize("name", ["paid", "cents", "grid", "ideal", "volcano", "casino", "PAID"])
def test_names_of_other_numbers(name: str) -> None:
    assert not numbers_identify_rows(name, np.array(shuffled(100_000)))


def test_identifiers_are_noted(run: Run, rows: dict[str, list[object]], tmp_path: Path) -> None:
    printed = notes_on(run, rows, tmp_path / "d.csv", LoanID=shuffled(100_000))
    assert "column 'LoanID' has a different whole number in almost every row" in printed


def test_numbers_of_rows_that_were_shuffled() -> None:
    order = np.random.default_rng(0).permutation(400).astype(float)
    assert numbers_identify_rows("x", order)
    assert not numbers_identify_rows("x", order**2)
    assert not numbers_identify_rows("id", order // 2)
    assert not numbers_identify_rows("id", order + 0.5)
    assert not numbers_identify_rows("id", order[:50])


def test_categories_with_few_rows_each(
    run: Run, rows: dict[str, list[object]], tmp_path: Path
) -> None:
    labels: list[list[object]] = [[f"firm {k % n}" for k in range(400)] for n in (100, 40)]
    printed = notes_on(run, rows, tmp_path / "d.csv", employer=labels[0], town=labels[1])
    assert "column 'employer' has 100 categories in 400 rows: most are too rare" in printed
    assert "'town'" not in printed


def test_empty_and_constant_columns(
    run: Run, rows: dict[str, list[object]], tmp_path: Path
) -> None:
    printed = notes_on(
        run, rows, tmp_path / "d.csv", void=[None] * 400, seven=[7] * 400, word=["x"] * 400,
        partial=[7 if k % 3 else None for k in range(400)],
    )  # fmt: skip
    assert "note: column 'void' is empty: nothing can be learnt there" in printed
    assert "note: 2 columns ('seven', 'word') are the same in every row" in printed
    assert "'partial'" not in printed


def test_costs_of_rows_for_one_mistake_only(run: Run, loans: Path) -> None:
    words = ("fit", loans, "-t", "default", "--positive", "yes", "--drop", "id", *FAST)
    printed = noted(run, *words, "--fn-cost", "amount")
    assert "a miss has a cost of its own in each row (99.77 on average), but a false" in printed
    assert "from a probability of about 1.0% on; give --fp-cost" in printed
    printed = noted(run, *words, "--fp-cost", "amount")
    assert "but a miss costs 1" in printed
    assert "about 99.1% on; give --fn-cost" in printed
    assert "on average" not in noted(run, *words, "--fn-cost", "amount", "--fp-cost", "10")


def test_categories_that_are_new_in_most_rows(
    run: Run, model: Path, rows: dict[str, list[object]], loans: Path, tmp_path: Path
) -> None:
    path, page = tmp_path / "d.csv", tmp_path / "page.html"
    city = [None if one is None else str(one).upper() for one in rows["city"]]
    zips = ["77777" if k < 9 else one for k, one in enumerate(rows["zip"])]
    path.write_text(to_csv({**rows, "city": list(city), "zip": zips}))
    many = "warning: column 'city': 382 values in 400 rows (95.5 %) never seen in training"
    few = "note: column 'zip': 9 values in 400 rows (2.3 %) never seen in training"
    fit = ("fit", loans, "-t", "default", "--drop", "id", "--categorical", "zip", *FAST)
    for words in (
        ("predict", model, path),
        ("report", model, path, "--out", page),
        ("explain", model, path, "--row", "1"),
        (*fit, "--test", path),
    ):
        printed = noted(run, *words)
        assert many in printed
        assert few in printed
    assert "never seen" not in noted(run, "predict", model, loans)


def test_warnings_of_the_library_are_notes(run: Run, loans: Path) -> None:
    words = ("-t", "default", "--drop", "id", "--fn-cost", "5", "-a", "adaboost", "--rounds", "5")
    assert "note: AdaBoostClassifier ignores costs" in noted(run, "fit", loans, *words)


def test_leaks_are_found_in_a_sample_of_many_rows(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("costboost.app.inspection.MAX_LEAK_ROWS", 100)
    random = np.random.default_rng(0)
    bad = random.random(2000) < 0.05
    lines = "".join(
        f"{x:.3f},{int(b) * 5 + x:.3f},{int(b)}\n"
        for x, b in zip(random.random(2000), bad, strict=True)
    )
    path = tmp_path / "d.csv"
    path.write_text("x,leak,y\n" + lines)
    err = noted(run, "fit", path, "-t", "y", *FAST)
    assert "'leak' alone" in err
    assert "'x' alone" not in err


@pytest.mark.parametrize("value", [0.8125, 0.0, 1.0, -0.13375, 0.12349, 1 / 3, 12.0, 1e-9])
def test_percents_are_those_of_the_report(value: float) -> None:
    printed = percent(value).replace(".0 %", " %")
    assert printed == share(value).replace("\u2212", "-")


def test_the_first_finding_of_each_column_is_noted(
    run: Run, rows: dict[str, list[object]], tmp_path: Path
) -> None:
    path = tmp_path / "d.csv"
    added = {**rows, **{name: COLUMNS[name] for name in FOUND if name != "paid"}}
    path.write_text(to_csv(added))
    found = inspect_table(read_table(path), "default")
    words = ("fit", path, "-t", "default", "--fn-cost", "5", "-a", "adamec", "--rounds", "2")
    done = run(*words)
    assert done.code == 0, done.err
    for column in found.columns:
        noted = f"column {column.name!r} " in done.err or f"({column.name!r}" in done.err
        noted = noted or f", {column.name!r}" in done.err
        assert noted == bool(column.findings), (column.name, done.err)
        if column.findings and column.findings[0].code not in ("constant", "empty"):
            assert f"note: {column.findings[0].message}" in done.err
