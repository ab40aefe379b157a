"""``costboost predict``: predictions equal those of the library for all formats and batches."""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest
from cli.running import Run, failed, to_csv

import costboost
from costboost.app.reading import text
from costboost.app.reading.formats import open_table

Start = Callable[..., subprocess.Popen[bytes]]


def lines(run: Run, *words: object, stdin: bytes | None = None) -> list[str]:
    done = run("predict", *words, stdin=stdin)
    assert done.code == 0, done.err
    return done.out.splitlines()


@pytest.fixture(scope="module")
def features(rows: dict[str, list[Any]]) -> pa.Table:
    """The rows as the model takes them, made without the command line."""
    days = [(np.datetime64(day) - np.datetime64("1970-01-01")).astype(float) for day in rows["day"]]
    return pa.table(
        {
            "income": pa.array(rows["income"], pa.float64()),
            "city": pa.array(rows["city"]).dictionary_encode(),
            "zip": pa.array(rows["zip"]).dictionary_encode(),
            "day": pa.array(days),
        }
    )


def test_predictions_are_those_of_the_library(
    run: Run, model: Path, loans: Path, features: pa.Table
) -> None:
    loaded = costboost.load(model)
    head, *rest = lines(run, model, loans)
    assert head == "label,probability,expected_cost"
    labels, probability, cost = zip(*(line.split(",") for line in rest), strict=True)
    assert list(labels) == loaded.predict(features).tolist()
    p = loaded.predict_proba(features)[:, 1]
    np.testing.assert_array_equal(np.array(probability, dtype=float), p)
    least = np.where(np.array(labels) == "yes", 1 - p, 5 * p)
    np.testing.assert_allclose(np.array(cost, dtype=float), least)


# ---- formats -------------------------------------------------------------------------------------


def as_table(rows: dict[str, list[Any]]) -> pa.Table:
    return pa.table(rows)


def arrow(rows: dict[str, list[Any]], new: Callable[..., Any]) -> bytes:
    sink = io.BytesIO()
    with new(sink, as_table(rows).schema) as writer:
        writer.write_table(as_table(rows), max_chunksize=100)
    return sink.getvalue()


def parquet(rows: dict[str, list[Any]]) -> bytes:
    sink = io.BytesIO()
    pa.parquet.write_table(as_table(rows), sink, row_group_size=150)
    return sink.getvalue()


def json_lines(rows: dict[str, list[Any]]) -> bytes:
    each = zip(*rows.values(), strict=True)
    return "".join(json.dumps(dict(zip(rows, row, strict=True))) + "\n" for row in each).encode()


def zstd(data: bytes) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as stream:
        stream.write(data)
    return bytes(sink.getvalue().to_pybytes())


FORMATS: dict[str, Callable[[dict[str, list[Any]]], bytes]] = {
    "csv": lambda rows: to_csv(rows).encode(),
    "csv with a mark": lambda rows: b"\xef\xbb\xbf" + to_csv(rows).encode(),
    "csv of Windows": lambda rows: to_csv(rows).replace("\n", "\r\n").encode(),
    "csv.gz": lambda rows: gzip.compress(to_csv(rows).encode()),
    "csv.zst": lambda rows: zstd(to_csv(rows).encode()),
    "jsonl": json_lines,
    "jsonl.gz": lambda rows: gzip.compress(json_lines(rows)),
    "parquet": parquet,
    "arrow": lambda rows: arrow(rows, pa.ipc.new_file),
    "arrow stream": lambda rows: arrow(rows, pa.ipc.new_stream),
}


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("piped", [False, True], ids=["file", "stdin"])
def test_formats(
    start: Start,
    run: Run,
    model: Path,
    loans: Path,
    rows: dict[str, list[Any]],
    tmp_path: Path,
    kind: str,
    piped: bool,
) -> None:
    data = FORMATS[kind](rows)
    path = tmp_path / "data"
    path.write_bytes(data)
    expected = lines(run, model, loans, "--keep", "id")
    if piped:
        assert lines(run, model, "-", "--keep", "id", stdin=data) == expected
    else:
        assert lines(run, model, path, "--keep", "id") == expected


@pytest.mark.parametrize("kind", FORMATS)
def test_fit_reads_them_all(
    run: Run, rows: dict[str, list[Any]], loans: Path, tmp_path: Path, kind: str
) -> None:
    path = tmp_path / "data"
    path.write_bytes(FORMATS[kind](rows))
    words = ("-t", "default", "--drop", "id,day", "--fn-cost", "5", "-a", "adamec", "--rounds", "9")
    one, other = (run("fit", p, *words, "--categorical", "zip") for p in (path, loans))
    assert one.code == 0, one.err
    assert one.out == other.out


def test_separators_and_encodings(run: Run, model: Path, loans: Path, tmp_path: Path) -> None:
    expected = lines(run, model, loans)
    text = to_csv_with(loans, "\t")
    path = tmp_path / "d.tsv"
    path.write_text(text)
    assert lines(run, model, path) == expected
    assert lines(run, model, path, "--separator", "tab") == expected
    path.write_text(text.replace("Oslo", "Ösló"), encoding="latin-1")
    done = run("predict", model, path)
    assert done.code == 1
    assert "--encoding latin-1" in done.err
    assert "never seen" in run("predict", model, path, "--encoding", "latin-1").err


def to_csv_with(loans: Path, separator: str) -> str:
    import csv

    out = io.StringIO()
    with loans.open(newline="") as file:
        csv.writer(out, delimiter=separator, lineterminator="\n").writerows(csv.reader(file))
    return out.getvalue()


@pytest.mark.parametrize("kind", ["csv", "csv.gz", "jsonl", "parquet"])
def test_how_much_has_been_read(
    rows: dict[str, list[Any]], tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text, "BLOCK_BYTES", 3000)
    path = tmp_path / "data"
    path.write_bytes(FORMATS[kind](rows))
    with open_table(str(path)) as source:
        shares = [source.share_read for _ in source.batches({"income": pa.float64()})]
    assert all(share is not None for share in shares)
    assert shares == sorted(shares)
    assert shares[-1] == pytest.approx(1, abs=0.02)


# ---- columns -------------------------------------------------------------------------------------


def test_portions_do_not_matter(
    run: Run, model: Path, loans: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = lines(run, model, loans)
    monkeypatch.setattr(text, "BLOCK_BYTES", 2000)
    assert lines(run, model, loans) == whole


def test_a_portion_that_looks_different_is_read_the_same(
    run: Run, model: Path, rows: dict[str, list[Any]], tmp_path: Path
) -> None:
    """Postcodes keep their zeros, text that looks like a number is text, and all may be missing."""
    some = {name: values[:5] for name, values in rows.items()}
    odd = some | {"city": ["1", "2", "3", "4", "5"], "income": [None] * 5, "zip": ["00001"] * 5}
    path = tmp_path / "d.csv"
    path.write_text(to_csv(odd))
    done = run("predict", model, path)
    assert done.code == 0, done.err
    assert "column 'city': 5 values in 5 rows (100.0 %) never seen in training" in done.err
    assert "'zip'" not in done.err
    path.write_text(to_csv(odd | {"city": [None] * 5}))
    assert run("predict", model, path).out == done.out


def test_columns_may_be_more_and_in_any_order_but_not_fewer(
    run: Run, model: Path, loans: Path, rows: dict[str, list[Any]], tmp_path: Path
) -> None:
    path = tmp_path / "d.csv"
    other = {"new": [1] * 400, **dict(reversed(rows.items()))}
    other.pop("default")
    path.write_text(to_csv(other))
    done = run("predict", model, path)
    assert done.out.splitlines() == lines(run, model, loans)
    assert "'new'" in done.err
    other.pop("income")
    path.write_text(to_csv(other | {"Income": rows["income"]}))
    done = run("predict", model, path)
    assert done.code == 1
    assert "did you mean 'Income'?" in done.err
    assert done.out == ""
    other.pop("city")
    path.write_text(to_csv(other))
    assert (
        "lacks 2 columns that the model needs: 'income', 'city'" in run("predict", model, path).err
    )


def test_a_value_that_is_no_number(run: Run, model: Path, loans: Path, tmp_path: Path) -> None:
    text = loans.read_text().splitlines()
    text[3] = "r2,many," + text[3].split(",", 2)[2]
    path = tmp_path / "d.csv"
    path.write_text("\n".join(text) + "\n")
    done = run("predict", model, path)
    assert done.code == 1
    assert "line 4: column 'income' has 'many' where a number is expected" in done.err


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_column_of_costs_can_be_kept(
    run: Run, rows: dict[str, list[Any]], loans: Path, tmp_path: Path, kind: str
) -> None:
    path, model = loans, tmp_path / "m.costboost"
    fit = ("fit", loans, "-t", "default", "--drop", "id", "-a", "adamec", "--rounds", "5")
    assert run(*fit, "--fn-cost", "amount", "--fp-cost", "9", "--out", model).code == 0
    if kind == "parquet":
        path = tmp_path / "loans.parquet"
        pa.parquet.write_table(pa.table(rows), path)
    bare, kept = (run("predict", model, path, *more) for more in ((), ("--keep", "amount")))
    assert kept.code == 0, kept.err
    lines = [line.split(",", 1) for line in kept.out.splitlines()]
    assert [rest for _, rest in lines] == bare.out.splitlines()
    assert lines[0][0] == "amount"
    assert [float(first) for first, _ in lines[1:]] == rows["amount"]


def test_nothing_is_written_if_the_first_rows_are_at_fault(
    run: Run, model: Path, loans: Path, tmp_path: Path
) -> None:
    path = tmp_path / "d.csv"
    path.write_text(loans.read_text().replace("Rome", "-1").replace("Oslo", "2"))
    assert "column 'city'" in failed(run, "predict", model, path, "--fn-cost", "city")


def test_kept_columns_are_quoted_where_they_must(run: Run, model: Path, loans: Path) -> None:
    import csv

    found = list(csv.reader(lines(run, model, loans, "--keep", "city,id")))
    assert found[0] == ["city", "id", "label", "probability", "expected_cost"]
    assert {row[0] for row in found[1:]} == {"Rome", "Oslo", 'San "Sur", Lima', ""}
    done = run("predict", model, loans, "--keep", "idd")
    assert "did you mean 'id'?" in done.err


def test_kept_columns_are_repeated_as_they_are(run: Run, tmp_path: Path) -> None:
    rows = [f"{10**10 + k},{k:05d},2024-03-0{1 + k % 9}, {k}.50,{'ab'[k > 20]}" for k in range(40)]
    data, model = tmp_path / "data.csv", tmp_path / "m.costboost"
    data.write_text("\n".join(["id,zip,day,price,y", *rows]) + "\n")
    assert run("fit", data, "-t", "y", "-a", "adamec", "--rounds", "3", "-o", model).code == 0
    kept = ["--keep", "id,zip,day,price"]
    found = lines(run, model, data, *kept)[1:]
    assert [line.rsplit(",", 3)[0] for line in found] == [row.rsplit(",", 1)[0] for row in rows]
    plain = lines(run, model, data)[1:]
    assert [",".join(line.rsplit(",", 3)[1:]) for line in found] == plain
    parquet = tmp_path / "data.parquet"
    table = pa.table({"id": [1e10, None, 0.5], "zip": [1, 2, 3], "price": [1.0, 2.0, 3.0]})
    table = table.append_column("day", pa.array([None] * 3, pa.timestamp("s")))
    pa.parquet.write_table(table, parquet)
    found = lines(run, model, parquet, "--keep", "id")[1:]
    assert [line.split(",")[0] for line in found] == ["10000000000", "", "0.5"]


def test_tables_of_spreadsheets(run: Run, model: Path, loans: Path, tmp_path: Path) -> None:
    """With a decimal comma, a line with the separator, a mark of UTF-8 and CRLF."""
    columns = pa.csv.read_csv(loans).to_pydict()
    income = ["" if x is None else f"{x:.2f}".replace(".", ",") for x in columns["income"]]
    named = {**columns, "zip": [f"{z:05d}" for z in columns["zip"]], "income": income}
    rows = zip(*named.values(), strict=True)
    text = "\r\n".join(";".join(_cell(x) for x in row) for row in [tuple(named), *rows])
    data = tmp_path / "sheet.csv"
    data.write_bytes(b"\xef\xbb\xbfsep=;\r\n" + text.encode() + b"\r\n")
    plain = lines(run, model, loans)
    assert lines(run, model, data, "--decimal", ",") == plain
    kept = lines(run, model, data, "--decimal", ",", "--keep", "income,id")
    assert [line.split(",", 2)[2] for line in kept] == plain
    assert kept[2].startswith(f"{columns['income'][1]:.10g},{columns['id'][1]},")
    assert "check --decimal" in run("predict", model, data).err
    fit = ["fit", data, "-t", "default", "--drop", "id", "-a", "adamec", "--rounds", "3", "--json"]
    without = json.loads(run(*fit).out)["held_out"]
    assert "reads them as numbers" in run(*fit).err
    assert json.loads(run(*fit, "--decimal", ",").out)["held_out"] != without
    assert "between values" in run("predict", model, loans, "--decimal", ",").err
    assert "must be . or a comma" in run("predict", model, loans, "--decimal", "x").err


def _cell(value: object) -> str:
    text = "" if value is None else str(value)
    return '"' + text.replace('"', '""') + '"' if any(c in text for c in '";') else text


@pytest.mark.parametrize("zone", ["Z", "+02:00"])
def test_times_with_a_zone(run: Run, tmp_path: Path, zone: str) -> None:
    """What was read in training is read in predicting, too."""
    day = np.random.default_rng(0).integers(1, 29, 80)
    rows = [f"2024-03-{d:02d}T12:00:00{zone},{'ab'[d > 14]}" for d in day.tolist()]
    data, model = tmp_path / "data.csv", tmp_path / "m.costboost"
    data.write_text("\n".join(["when,y", *rows]) + "\n")
    assert run("fit", data, "-t", "y", "-a", "adamec", "--rounds", "3", "-o", model).code == 0
    found = lines(run, model, data)[1:]
    assert [line.split(",")[0] for line in found] == [row[-1] for row in rows]
    assert [
        line.split(zone + ",")[1] for line in lines(run, model, data, "--keep", "when")[1:]
    ] == found
    naive = tmp_path / "naive.csv"
    naive.write_text(data.read_text().replace(zone, ""))
    printed = run("predict", model, naive).err
    assert "'2024-03-24T12:00:00', a time without a zone, where times with one are" in printed


def test_json_lines(run: Run, model: Path, loans: Path) -> None:
    plain = lines(run, model, loans, "--keep", "id")[1:]
    found = [json.loads(line) for line in lines(run, model, loans, "--keep", "id", "--json")]
    again = [f"{r['id']},{r['label']},{r['probability']!r}" for r in found]
    assert [line.rsplit(",", 1)[0] for line in plain] == again


def test_other_costs(run: Run, model: Path, loans: Path, features: pa.Table) -> None:
    loaded = costboost.load(model)
    found = [line.split(",")[0] for line in lines(run, model, loans, "--fn-cost", "50")[1:]]
    assert found == loaded.predict(features, fn_cost=50, fp_cost=1).tolist()
    assert found != loaded.predict(features).tolist()


def test_a_model_that_cannot_change_its_costs(run: Run, loans: Path, tmp_path: Path) -> None:
    out = tmp_path / "m.costboost"
    words = ("-t", "default", "--drop", "id", "--fn-cost", "5", "-a", "cgada", "--rounds", "5")
    assert run("fit", loans, *words, "-o", out).code == 0
    done = run("predict", out, loans, "--fn-cost", "9")
    assert done.code == 1
    assert "cannot be given other costs" in done.err


def test_a_model_made_in_python(
    run: Run, loans: Path, features: pa.Table, rows: dict[str, list[Any]], tmp_path: Path
) -> None:
    clf = costboost.algorithms.AdaMECClassifier(n_estimators=9, pos_label="yes", fn_cost=3)
    kept = features.select(["income", "city"])
    path = tmp_path / "m.costboost"
    costboost.save(clf.fit(kept, rows["default"]), path)
    found = [line.split(",")[0] for line in lines(run, path, loans)[1:]]
    assert found == clf.predict(kept).tolist()
    costboost.save(clf.fit(np.arange(40.0).reshape(-1, 1), ["no", "yes"] * 20), path)
    assert "without names of columns" in run("predict", path, loans).err


def test_other_costs_of_a_search_around_a_classifier(
    run: Run, loans: Path, features: pa.Table, rows: dict[str, list[Any]], tmp_path: Path
) -> None:
    inner = costboost.CostBoostClassifier(n_estimators=5, pos_label="yes", random_state=0)
    search = costboost.CostSearchCV(
        inner, fn_cost=3, fp_cost=1, fn_costs=[1, 3], cv=2, pos_label="yes"
    )
    kept = features.select(["income", "city"]).to_pandas()
    path = tmp_path / "m.costboost"
    costboost.save(search.fit(kept, rows["default"]), path)
    found = [line.split(",")[0] for line in lines(run, path, loans, "--fn-cost", "50")[1:]]
    by_cost = search.best_estimator_.predict(kept, fn_cost=50, fp_cost=1).tolist()
    assert found == by_cost
    assert found != search.predict(kept).tolist()


# ---- what is left behind -------------------------------------------------------------------------


def test_the_output_appears_whole(run: Run, model: Path, loans: Path, tmp_path: Path) -> None:
    out = tmp_path / "p.csv"
    done = run("predict", model, loans, "--out", out)
    assert done.out == ""
    assert "400 predictions" in done.err
    assert out.read_text().splitlines() == lines(run, model, loans)


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize(
    ("sent", "code", "printed"), [(signal.SIGINT, 130, b"interrupted"), (signal.SIGTERM, 143, b"")]
)
def test_an_interrupt_leaves_no_half_written_file(
    start: Start, model: Path, loans: Path, tmp_path: Path, sent: int, code: int, printed: bytes
) -> None:
    out = tmp_path / "p.csv"
    out.write_text("old")
    process = start("predict", model, "-", "--out", out, stdin=subprocess.PIPE)
    assert process.stdin is not None
    process.stdin.write(loans.read_bytes() * 20)  # not the end: it waits for more
    process.stdin.flush()
    deadline = time.monotonic() + 60
    while len(os.listdir(tmp_path)) == 1 and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(sent)
    assert process.wait(timeout=60) == code  # the input is still open, and silent
    _, err = process.communicate(timeout=60)
    assert printed in err
    assert b"Traceback" not in err
    assert os.listdir(tmp_path) == ["p.csv"]
    assert out.read_text() == "old"


def test_a_mistake_ends_it_though_more_input_may_come(
    start: Start, model: Path, loans: Path
) -> None:
    process = start("predict", model, "-", stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
    assert process.stdin is not None
    rows = loans.read_bytes()
    blocks = 2 * text.BLOCK_BYTES // len(rows) + 2  # the reader is a block ahead
    with contextlib.suppress(BrokenPipeError):
        process.stdin.write(rows + b"1,2\n" + rows * blocks)
        process.stdin.flush()
    assert process.wait(timeout=60) == 1
    _, err = process.communicate(timeout=60)
    assert b"ragged" in err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no full disk to write to")
def test_a_full_disk(start: Start, model: Path, loans: Path, tmp_path: Path) -> None:
    with open("/dev/full", "wb") as full:
        process = start("predict", model, loans, stdout=full)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 1
    assert err.count(b"\n") == 1 + err.count(b"note: ")
    assert b"the disk is full" in err

    def small_files() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

    process = start("predict", model, loans, "--out", tmp_path / "p.csv", preexec_fn=small_files)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 1
    assert b"cannot be written" in err
    assert b"Traceback" not in err
    assert os.listdir(tmp_path) == []


def test_a_closed_pipe_is_no_error(start: Start, model: Path, loans: Path, tmp_path: Path) -> None:
    big = tmp_path / "d.csv"
    head, body = loans.read_text().split("\n", 1)
    big.write_text(head + "\n" + body * 400)  # several portions, each of which is written at once
    process = start("predict", model, big, stdout=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.readline()
    process.stdout.close()
    assert process.stderr is not None
    err = process.stderr.read()
    process.stderr.close()
    assert process.wait(60) == 141
    assert b"Error" not in err


def peak(model: Path, data: Path, out: Path) -> float:
    """Megabytes of a process that predicts, with small portions so that a small file has many."""
    code = (
        "import resource\n"
        "from costboost.app.cli import main\n"
        "from costboost.app.reading import text\n"
        "text.BLOCK_BYTES = 1 << 18\n"
        "try:\n    main()\n"
        "finally:\n    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)"
    )
    words = [sys.executable, "-c", code, "predict", str(model), str(data), "--out", str(out)]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    return float(done.stdout)


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="ru_maxrss in other units")
def test_memory_does_not_grow_with_the_file(model: Path, loans: Path, tmp_path: Path) -> None:
    head, body = loans.read_text().split("\n", 1)
    sizes = {}
    for n_mb in (16, 64):
        data = tmp_path / "d.csv"
        with data.open("w") as file:
            file.write(head + "\n")
            for _ in range(n_mb * 1_000_000 // len(body)):
                file.write(body)
        sizes[n_mb] = peak(model, data, tmp_path / "p.csv")
    assert sizes[64] < sizes[16] + 24, sizes
