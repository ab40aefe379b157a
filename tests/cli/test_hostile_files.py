"""Any bytes end in a message and an exit code: no crash, no traceback, no endless memory."""

from __future__ import annotations

import gzip
import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from cli import mutants
from cli.running import Run, failed, to_csv
from pyarrow import csv, parquet

from costboost.app.cli import progress, terminal
from costboost.app.reading import memory
from costboost.app.reading.columns import Column
from costboost.app.reading.data_layout import DataLayout
from costboost.app.reading.errors import InputError
from costboost.app.reading.formats import open_table
from costboost.app.reading.labelled import kept_within_memory
from costboost.app.reading.options import ReadOptions

FAST = ("-a", "adamec", "--rounds", "5")


def test_damaged_files_neither_crash_nor_end_in_a_traceback() -> None:
    """A few mutants of every format, in a process of their own."""
    command = [sys.executable, "-X", "faulthandler", mutants.__file__, "1000", "1006"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "refused" in done.stdout


@pytest.mark.parametrize("name", mutants.files())
def test_sound_files_are_read(name: str, tmp_path: Path) -> None:
    reader = mutants.Reader(mutants.files()[name], tmp_path)
    assert mutants.outcome(reader.train) == "read"
    assert mutants.outcome(reader.predict) == "read"


def written(path: Path, columns: dict[str, Any]) -> Path:
    table = pa.table(columns)
    with pa.ipc.new_file(path, table.schema) as writer:
        writer.write_table(table)
    return path


def test_indices_outside_of_a_dictionary(run: Run, tmp_path: Path) -> None:
    codes = pa.array(np.arange(40) % 3, pa.int32())
    labels = pa.DictionaryArray.from_arrays(codes, pa.array(["a", "b"]), safe=False)
    path = written(tmp_path / "d.arrow", {"d": labels, "y": [0, 1] * 20})
    assert "cannot be read" in failed(run, "fit", path, "-t", "y", *FAST)


def test_large_batches_are_cut_so_that_ctrl_c_is_heard(tmp_path: Path) -> None:
    path = written(tmp_path / "d.arrow", {"a": np.arange(200_000.0)})
    with open_table(str(path)) as source:
        sizes = [batch.num_rows for batch in source.batches({"a": pa.float64()})]
    assert sizes == [65536, 65536, 65536, 200_000 - 3 * 65536]


# ---- columns of types that are not taken ---------------------------------------------------------


@pytest.mark.parametrize("form", ["parquet", "arrow"])
def test_nested_columns_are_refused_or_left_out(run: Run, tmp_path: Path, form: str) -> None:
    path = tmp_path / "d"
    table = mutants.table().append_column("items", pa.array([[1, 2]] * 300))
    table = table.append_column("pair", pa.array([{"a": 1}] * 300))
    if form == "parquet":
        parquet.write_table(table, path)
    else:
        path.write_bytes(mutants.arrow("file", table))
    assert "column 'items' holds list<" in failed(run, "fit", path, "-t", "y", *FAST)
    drop = ("--drop", "items,pair")
    done = run("fit", path, "-t", "y", *drop, *FAST, "-o", tmp_path / "m.costboost")
    assert done.code == 0, done.err
    assert run("predict", tmp_path / "m.costboost", path).code == 0
    printed = failed(run, "predict", tmp_path / "m.costboost", path, "--keep", "items")
    assert "column 'items' holds list<" in printed


# ---- memory --------------------------------------------------------------------------------------


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COSTBOOST_MAX_MEMORY", "1M")


BOMBS = {
    "gzip": lambda: gzip.compress(b"a,y\n" + b"1,0\n2,1\n" * 200_000),
    "rows of nothing": lambda: (
        (json.dumps({f"c{k}": 1 for k in range(500)}) + "\n").encode() + b"{}\n" * 2000
    ),
    "compressed buffers": lambda: mutants.arrow(
        "file", pa.table({"a": np.zeros(400_000), "y": np.zeros(400_000)}), compression="zstd"
    ),
    "compressed stream": lambda: mutants.arrow(
        "stream", pa.table({"a": np.zeros(400_000), "y": np.zeros(400_000)}), compression="zstd"
    ),
    "a column of nothing": lambda: mutants.arrow(
        "file", pa.table({"a": pa.nulls(2**40), "y": pa.nulls(2**40)})
    ),
    "packed arrow": lambda: gzip.compress(
        mutants.arrow("file", pa.table({"a": np.zeros(400_000), "y": np.zeros(400_000)}))
    ),
    "repeated values": lambda: mutants.parquet_of(
        pa.table({"a": np.zeros(400_000), "y": np.zeros(400_000)})
    ),
}


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("bomb", sorted(set(BOMBS) - {"a column of nothing"}))
def test_small_files_that_would_take_much_memory(run: Run, tmp_path: Path, bomb: str) -> None:
    path = tmp_path / "d"
    path.write_bytes(BOMBS[bomb]())
    printed = failed(run, "fit", path, "-t", "y")
    assert "takes more than 1M of memory when it is unpacked" in printed
    assert "costboost --max-memory 8M" in printed


def test_the_limit_can_be_raised(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "d.csv.gz"
    path.write_bytes(gzip.compress(b"a,y\n" + b"1,0\n2,1\n" * 2000))
    fit = ("fit", path, "-t", "y", *FAST)
    assert "more than 2K" in failed(run, "--max-memory", "2K", *fit)
    assert run("--max-memory", "1.5 MiB", *fit).code == 0
    assert "such as 500M or 8G" in failed(run, "--max-memory", "much", *fit)
    assert "such as 500M or 8G" in failed(run, "--max-memory", "0", *fit)


def test_predictions_of_packed_text_are_not_limited(
    run: Run, model: Path, loans: Path, tmp_path: Path
) -> None:
    path = tmp_path / "d.csv.gz"
    path.write_bytes(gzip.compress(loans.read_bytes()))
    assert run("--max-memory", "2K", "predict", model, path).code == 0


@pytest.mark.parametrize("form", ["csv.gz", "parquet", "arrow", "stream"])
def test_predictions_of_packed_files_have_a_limit_of_rows(
    run: Run, model: Path, loans: Path, tmp_path: Path, form: str
) -> None:
    path, out = tmp_path / f"d.{form}", tmp_path / "out.csv"
    if form == "csv.gz":
        path.write_bytes(gzip.compress(loans.read_bytes()))
    elif form == "parquet":
        parquet.write_table(csv.read_csv(loans), path)
    else:
        path.write_bytes(mutants.arrow(form.replace("arrow", "file"), csv.read_csv(loans)))
    predict = ("predict", model, path, "-o", out, "--max-rows")
    n_rows = loans.read_bytes().count(b"\n") - 1
    printed = failed(run, *predict, n_rows - 1)
    assert f"has more than {n_rows - 1:,} rows" in printed
    assert f"try --max-rows {10 * (n_rows - 1)}" in printed
    assert not out.exists()
    assert run(*predict, n_rows).code == 0
    assert out.read_bytes().count(b"\n") == n_rows + 1


def test_predictions_of_plain_text_are_as_many_as_its_lines(
    run: Run, model: Path, loans: Path
) -> None:
    assert run("predict", model, loans, "--max-rows", 1).code == 0


def test_rows_that_share_a_capacity_stay_within_the_memory(tmp_path: Path) -> None:
    path = tmp_path / "d.arrow"
    path.write_bytes(mutants.arrow("file", pa.table({"a": np.zeros(400_000)}), compression="zstd"))
    with open_table(str(path), ReadOptions(max_memory="5M")) as source:
        assert sum(one.num_rows for one in source.batches({"a": pa.float64()})) == 400_000
    with open_table(str(path), ReadOptions(max_memory="4M")) as source:
        batches = kept_within_memory(source.batches({"a": pa.float64()}), source)
        with pytest.raises(InputError, match="more than 4M of memory"):
            list(batches)


def test_sizes_are_shown_as_people_write_them() -> None:
    shown = [memory.size_text(n) for n in (1, 1023, 2048, 3 * 2**20, 2**31, 2**43)]
    assert shown == ["1", "1023", "2K", "3M", "2G", "8T"]


# ---- text ----------------------------------------------------------------------------------------

ODD_TEXT: dict[str, tuple[bytes, str]] = {
    "long header": (b"a" * 200_000 + b",y\n1,0\n2,1\n", "field larger than field limit"),
    "no line": (b"abcdefgh" * 2_500_000, ""),
    "one column, no line": (b"a" * 100_000, "no column 'y'"),
    "deep objects": (b'{"a":' * 100_000 + b"1" + b"}" * 100_000, "nested too deeply"),
    "deep lists": (b'{"y": 1, "a":' + b"[" * 3000 + b"]" * 3000 + b"}", "nested too deeply"),
    "deep and open": (b'{"y": 1, "a":' + b"[" * 50_000, "nested too deeply"),
    "deep later": (b'{"a": 1, "y": 0}\n' * 30_000 + b'{"a":' + b"[" * 9000, "nested too deeply"),
    "many columns": (b"a," * 200_000 + b"y\n", "200,001 columns"),
    "a long label": (b"a,y\n1,no\n2," + b"y" * 5000 + b"\n", "5,000 characters"),
    "no objects": (b'{"a": 1, "y": 0}\n[1, 2]\n3\n', "cannot be read"),
    "NUL": (b"a,y\n1,\0\n", "neither text"),
}


@pytest.mark.parametrize("what", ODD_TEXT)
def test_odd_text(run: Run, tmp_path: Path, what: str) -> None:
    data, message = ODD_TEXT[what]
    path = tmp_path / "d"
    path.write_bytes(data)
    assert message in failed(run, "fit", path, "-t", "y", *FAST)


@pytest.mark.parametrize("name", ["rot13", "hex", "base64", "zlib", "undefined", "\0", "x" * 9999])
def test_encodings_that_are_none_of_text(run: Run, loans: Path, name: str) -> None:
    assert "there is no encoding" in failed(run, "fit", loans, "-t", "default", "--encoding", name)


ODD_MATRICES = {
    "deep": b"[" * 100_000,
    "deep object": b'{"a":' * 100_000,
    "number": b"3",
    "text": b'{"a": 1',
    "null": b"[null]",
    "mixed": b'[[0, 1], {"a": 1}]',
    "huge": b"[[0, 1" + b"0" * 400 + b"], [1, 0]]",
    "very huge": b"[[0, " + b"9" * 5000 + b"], [1, 0]]",
    "objects within": b'{"a": {"a": {"b": 1}}, "b": {"a": [], "b": 0}}',
    "empty object": b"{}",
    "true": b"[[0, true], [1, 0]]",
    "long cell": b"a" * 200_000,
    "blank lines": b" \n,\n,,\n",
    "one key": b'{"truth": 5}',
}


@pytest.mark.parametrize("what", ODD_MATRICES)
def test_odd_cost_matrices(run: Run, loans: Path, tmp_path: Path, what: str) -> None:
    path = tmp_path / "costs"
    path.write_bytes(ODD_MATRICES[what])
    failed(run, "fit", loans, "-t", "default", "--cost-matrix", path, *FAST)


# ---- what is shown -------------------------------------------------------------------------------

ESCAPE = "\x1b]0 owned\x07\x1b[31mred\x9b2J\u202etxt.exe\u2066\r"


def test_escape_sequences_do_not_reach_the_terminal(
    run: Run, rows: dict[str, list[object]], tmp_path: Path
) -> None:
    path, model = tmp_path / "d.csv", tmp_path / "m.costboost"
    changed = {f"{name}{ESCAPE}": values for name, values in rows.items() if name != "id"}
    labels = [f"{one}{ESCAPE}" for one in rows["default"]]
    changed[f"default{ESCAPE}"] = labels
    path.write_text(to_csv(changed).replace("\r", ""), newline="")
    target = f"default{ESCAPE}".replace("\r", "")
    seen = run("fit", path, "-t", target, *FAST, "-o", model)
    assert seen.code == 0, seen.err
    outputs = [seen, run("explain", model), run("explain", model, path, "--row", 1)]
    outputs += [
        run("fit", path, "-t", "nowhere"),
        run("predict", model, path, "-o", tmp_path / "p"),
    ]
    for done in outputs:
        text = done.out + done.err
        assert not {one for one in text if not one.isprintable()} - {"\n"}, repr(text)
    assert "\\x1b[31mred\\x9b2J\\u202etxt" in seen.out
    assert "\x1b[31mred" in json.dumps(json.loads(run("explain", model, "--json").out)).encode(
        "utf-8"
    ).decode("unicode_escape"), "data stay as they are"


def test_harmless_text_is_shown_as_it_is() -> None:
    text = "Ünïcode, 日本語, العربية, 🎉, 'quoted' [brackets] {braces}"
    assert terminal.escaped(text) == text
    assert terminal.escaped("a\tb\nc\x7f\u200f") == "a\\tb\\nc\\x7f\\u200f"
    assert terminal.escaped("a\nb", keep="\n") == "a\nb"


def test_progress_of_files_with_strange_names(monkeypatch: pytest.MonkeyPatch) -> None:
    """Names are no markup and no format."""
    out = io.StringIO()
    console = terminal.Output(file=out, force_terminal=True, width=80)
    monkeypatch.setattr(progress, "open_console", lambda stderr: console)
    with progress.spinner("reading [red]{x}.csv"):
        pass
    with progress.progress_bar("reading [red]{x}.csv") as tell:
        assert tell is not None
        tell(0.5)
    assert "reading [red]{x}.csv" in out.getvalue()


# ---- spreadsheets --------------------------------------------------------------------------------

CELLS = {
    "=1+2": "'=1+2", "+cmd|' /C calc'!A0": "'+cmd|' /C calc'!A0", "@SUM(A1)": "'@SUM(A1)",
    "-2+3": "'-2+3", "\t=1": "'\t=1", "\uff1d1": "'\uff1d1", "-5": "-5", "+3.25e4": "+3.25e4",
    "-1.5": "-1.5", "a=b": "a=b", "": "", "r1": "r1",
}  # fmt: skip


def test_formulas_are_defused_on_request(
    run: Run, model: Path, rows: dict[str, list[object]], tmp_path: Path
) -> None:
    path, cells = tmp_path / "d.csv", list(CELLS) * 40
    path.write_text(to_csv(rows | {"id": [*cells[:400]], "=name": ["x"] * 400}))
    words = ("predict", model, path, "--keep", "id", "--keep", "=name")
    kept, safe = run(*words).out, run(*words, "--safe-csv").out
    as_read = [line.split(",")[0] for line in kept.splitlines()[1:]]
    assert as_read == cells[:400]
    assert [line.split(",")[0] for line in safe.splitlines()[1:]] == [
        CELLS[cell] for cell in cells[:400]
    ]
    assert safe.splitlines()[0].split(",")[:2] == ["id", "'=name"]
    assert "--safe-csv is for CSV" in failed(run, *words, "--safe-csv", "--json")


# ---- models --------------------------------------------------------------------------------------

SOUND = {
    "columns": [{"name": "a", "kind": "number"}], "target": "y", "positive": 1,
    "against_rest": False, "fn_cost": 1.0, "fp_cost": "price", "classes": [], "matrix": [],
}  # fmt: skip


@pytest.mark.parametrize(
    "change",
    [
        {"positive": [1]}, {"positive": None}, {"positive": 1.5}, {"columns": 3},
        {"columns": [1]}, {"columns": [{"name": "a"}]}, {"fn_cost": -1}, {"fn_cost": 10**400},
        {"fn_cost": float("nan")}, {"fp_cost": []}, {"classes": [[1], 2]}, {"classes": [1, 2]},
        {"matrix": [[1.0]]}, {"matrix": 5}, {"columns": [{"name": "a", "kind": "number"}] * 2},
    ],
    ids=str,
)  # fmt: skip
def test_descriptions_of_columns_that_are_damaged(change: dict[str, Any]) -> None:
    assert DataLayout.from_dict(SOUND).columns == (Column("a", "number"),)
    with pytest.raises(InputError, match="description of its columns is damaged"):
        DataLayout.from_dict(SOUND | change)


def test_descriptions_that_are_none() -> None:
    for data in (None, [], "text", 5, {}):
        with pytest.raises(InputError, match="description of its columns is damaged"):
            DataLayout.from_dict(data)


# ---- defects -------------------------------------------------------------------------------------


def test_a_defect_has_an_exit_code_of_its_own(
    run: Run, loans: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any) -> None:
        raise KeyError("who knows")

    monkeypatch.setattr("costboost.app.cli.data_notes.read_training_data", broken)
    done = run("fit", loans, "-t", "default")
    assert done.code == 70
    assert "this is a defect of costboost, KeyError: 'who knows'" in done.err
    assert os.environ.get("COSTBOOST_TRACEBACK") is None
