"""Mutants of data files as input of every command that reads rows.

A mutant is a sound file of odd content (columns of other types, values, lengths, names), or the
bytes of a file with changes. A command ends with a documented exit code, one line of error at most,
no traceback, and predictions that are numbers.
"""

from __future__ import annotations

import csv
import io
import json
import math
import os
import random
import shutil
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from cli import mutants
from cli.running import table
from click.testing import CliRunner
from pyarrow import parquet
from typer.main import get_command

from costboost.app.cli.commands import app

N_ROWS = 90
FORMATS = ["csv", "tsv", "json", "parquet", "arrow", "stream"]
EXIT_CODES = {0: "done", 1: "refused", 2: "wrong options", 3: "alarm"}
MATRIX = "truth,no,yes\nno,0,1\nyes,5,0\n"
ACTIONS = "truth,grant,review,refuse\nyes,amount,4,0\nno,0,4,3..17\n"
TARGET = ["-t", "default", "--drop", "id", "--seed", "1", "--jobs", "1"]
COSTS = ["--fn-cost", "amount", "--fp-cost", "3"]
QUICK = ["-a", "adamec", "--rounds", "3"]
MODELS: dict[str, list[str]] = {
    "classes": [*TARGET, "--drop", "amount", "--fn-cost", "5", "--categorical", "zip", *QUICK],
    "rows": [*TARGET, *COSTS, "-a", "costboost", "--rounds", "3"],
    "three": ["-t", "city", "--drop", "id", "--jobs", "1", "-a", "adaboost", "--rounds", "2"],
    "actions": [*TARGET, *COSTS, "--actions", "ACTIONS", *QUICK],
}
COMMANDS: list[list[str]] = [
    *[["fit", "DATA", *words, "-o", "OUT"] for words in MODELS.values()],
    ["fit", "DATA", *TARGET, "--groups", "day", *QUICK, "--json"],
    ["fit", "DATA", *TARGET, "--sampling", "yes=0.5", *QUICK, "--report", "PAGE"],
    ["fit", "SOUND", *TARGET, *QUICK, "--test", "DATA"],
    ["fit", "SOUND", *TARGET, *QUICK, "--cost-matrix", "TEXT"],
    ["fit", "SOUND", *TARGET, *QUICK, "--actions", "TEXT"],
    *[["predict", f"MODEL {name}", "DATA"] for name in MODELS],
    *[["predict", f"MODEL {name}", "DATA", "--json", "--keep", "id"] for name in MODELS],
    ["predict", "MODEL classes", "DATA", "--fn-cost", "amount", "--prevalence", "0.3"],
    ["predict", "MODEL classes", "DATA", "--actions", "ACTIONS", "--capacity", "review=2"],
    ["predict", "MODEL actions", "DATA", "--per", "day", "--capacity", "review=1"],
    ["predict", "MODEL classes", "SOUND", "--cost-matrix", "TEXT"],
    ["compare", "DATA", *TARGET, "--fn-cost", "5", *QUICK, "--folds", "2", "--no-baselines"],
    ["goal", "DATA", *TARGET, "--recall", "0.8", *QUICK],
    ["goal", "DATA", *TARGET, "--precision", "0.5", "--guarantee", "0.6", *QUICK, "--json"],
    ["monitor", "MODEL classes", "DATA"],
    ["monitor", "MODEL rows", "DATA", "--labels", "default", "--json"],
    ["explain", "MODEL classes", "DATA"],
    ["explain", "MODEL rows", "DATA", "--row", "3"],
    ["explain", "MODEL three", "DATA", "--json"],
    ["report", "MODEL classes", "DATA", "-t", "default", "-o", "PAGE"],
    ["report", "MODEL rows", "DATA", "-t", "default", "-o", "PAGE"],
]


# ---- files of odd content ------------------------------------------------------------------------

CELLS: list[Any] = [
    None, "", " ", "nan", "NaN", "inf", "-inf", "1e400", "-1e308", "1e-320", "0x10", "1,5", "١٢",
    "null", "true", "2024-02-30", "9" * 400, "x" * 5000, 'a"b', "a\nb", "a\rb", "=1+1", "\u202e",
    "\x1b[31m", "\ufeff", "yes", "no", "Rome", "e\u0301", "1" * 20, "-0", "+5", "1_000",
]  # fmt: skip
NUMBERS = [0.0, -0.0, 1.0, -1.0, math.nan, math.inf, -math.inf, 1e308, -1e308, 5e-324, 2.0**53]
Columns = dict[str, list[Any]]


def odd(columns: Columns, draw: random.Random) -> Columns:
    """The columns after one or a few changes."""
    changed = {name: list(values) for name, values in columns.items()}
    for _ in range(draw.choice([1, 1, 2, 3])):
        if changed:
            CHANGES[draw.randrange(len(CHANGES))](changed, draw)
    return changed


def _column(columns: Columns, draw: random.Random) -> str:
    return draw.choice(list(columns))


def _cells(columns: Columns, draw: random.Random) -> None:
    values = columns[_column(columns, draw)]
    for _ in range(draw.choice([1, 1, 3, len(values)]) if values else 0):
        values[draw.randrange(len(values))] = draw.choice(draw.choice([CELLS, NUMBERS]))


def _constant(columns: Columns, draw: random.Random) -> None:
    name = _column(columns, draw)
    columns[name] = [draw.choice(draw.choice([CELLS, NUMBERS]))] * len(columns[name])


def _rename(columns: Columns, draw: random.Random) -> None:
    values = columns.pop(_column(columns, draw))
    columns[draw.choice(["", " ", "default", "Income", "a\nb", "x" * 999, "[red]", "{x}"])] = values


def _remove(columns: Columns, draw: random.Random) -> None:
    columns.pop(_column(columns, draw))


def _shorten(columns: Columns, draw: random.Random) -> None:
    n = draw.choice([0, 1, 2, 3, 5, 10])
    for name in columns:
        columns[name] = columns[name][:n]


def _repeat(columns: Columns, draw: random.Random) -> None:
    order = [draw.randrange(N_ROWS) for _ in range(N_ROWS)] if draw.random() < 0.5 else [0] * N_ROWS
    for name, values in columns.items():
        columns[name] = [values[k] for k in order if k < len(values)]


def _swap(columns: Columns, draw: random.Random) -> None:
    one, other = _column(columns, draw), _column(columns, draw)
    columns[one], columns[other] = columns[other], columns[one]


def _many_labels(columns: Columns, draw: random.Random) -> None:
    name = _column(columns, draw)
    columns[name] = [f"{draw.choice('abc')}{k}" for k in range(len(columns[name]))]


CHANGES: list[Callable[[Columns, random.Random], None]] = [
    _cells, _cells, _cells, _constant, _rename, _remove, _shorten, _repeat, _swap, _many_labels,
]  # fmt: skip


def written(columns: Columns, form: str, draw: random.Random | None = None) -> bytes:
    """The columns as a file; by chance of odd types, or with a row that is too long or short."""
    if form in ("csv", "tsv"):
        text = io.StringIO()
        writer = csv.writer(text, delimiter="\t" if form == "tsv" else ",", lineterminator="\n")
        rows = [list(columns), *map(list, zip(*columns.values(), strict=True))]
        if draw and draw.random() < 0.2 and len(rows) > 2:
            row = draw.choice(rows)
            row[draw.randrange(len(row)) :] = draw.choice([[], ["more"] * 3])
        writer.writerows(rows)
        return text.getvalue().encode("utf-8", "surrogatepass")
    if form == "json":
        rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
        if draw and draw.random() < 0.2 and rows:
            draw.choice(rows).update({"more": draw.choice([[], {}, [1, "a"], {"a": None}, 1e999])})
        return "\n".join(map(json.dumps, rows)).encode()
    return _binary(pa.table({name: _typed(list(v), draw) for name, v in columns.items()}), form)


def _binary(rows: Any, form: str) -> bytes:
    if form == "parquet":
        sink = io.BytesIO()
        parquet.write_table(rows, sink)
        return sink.getvalue()
    return mutants.arrow("file" if form == "arrow" else "stream", rows)


def _typed(values: list[Any], draw: random.Random | None) -> Any:
    """A column of a type that holds the values, most often the obvious one."""
    kinds = {type(value) for value in values if value is not None}
    if len(kinds) > 1 or str in kinds:
        texts = [None if value is None else _text(value) for value in values]
        made = pa.array(texts, pa.large_string() if draw and draw.random() < 0.3 else pa.string())
        return made.dictionary_encode() if draw and draw.random() < 0.2 else made
    made = pa.array(values, pa.float64() if kinds else pa.null())
    if draw is None:
        return made
    kind = draw.choice([None] * 6 + [pa.float32(), pa.float16(), pa.int64(), pa.int8(), pa.bool_()])
    if kind is None:
        return made
    try:
        return made.cast(kind, safe=False)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return made


def _text(value: Any) -> str:
    return str(value).encode("utf-8", "replace").decode()


# ---- cases ---------------------------------------------------------------------------------------


@cache
def folder() -> Path:
    """A folder with models and sound files, which all processes of cases share."""
    return Path(tempfile.mkdtemp(prefix="costboost-fuzz-"))


@cache
def own_folder(process: int) -> Path:
    """The folder of a process for its mutants and output."""
    made = folder() / str(process)
    made.mkdir()
    return made


@cache
def columns() -> Columns:
    return {name: list(values) for name, values in table(N_ROWS).items()}


def run(*words: str) -> Any:
    """How a command ends, in this process."""
    return CliRunner(env={"COLUMNS": "100"}).invoke(command(), list(words))


@cache
def command() -> Any:
    """The command line, built once."""
    return get_command(app)


def prepare() -> None:
    """Write sound files of all formats, and models, so that the cases share them."""
    for form in FORMATS:
        (folder() / f"data.{form}").write_bytes(written(columns(), form))
    (folder() / "actions.csv").write_text(ACTIONS)
    for name, words in MODELS.items():
        given = [str(folder() / "actions.csv") if word == "ACTIONS" else word for word in words]
        out = str(folder() / f"{name}.costboost")
        done = run("fit", str(folder() / "data.csv"), *given, "-o", out)
        assert done.exit_code == 0, done.stderr


def mutant(draw: random.Random) -> bytes:
    """A file of odd content, or of damaged bytes."""
    form = draw.choice(FORMATS)
    if draw.random() < 0.6:
        data = written(odd(columns(), draw), form, draw)
        if draw.random() < 0.85:
            return data
    else:
        data = (folder() / f"data.{form}").read_bytes()
    return mutants.mutant(data, draw.randrange(2**31))


def text(draw: random.Random) -> bytes:
    """A damaged table of costs."""
    sound = draw.choice([MATRIX.encode(), ACTIONS.encode(), *mutants.MATRICES.values()])
    return mutants.mutant(sound, draw.randrange(2**31)) if draw.random() < 0.9 else sound


def case(number: int) -> str:
    """Run a command on the mutant of a number."""
    draw = random.Random(number)
    own = own_folder(os.getpid())
    places = {
        "DATA": own / "mutant",
        "SOUND": folder() / "data.csv",
        "TEXT": own / "text",
        "ACTIONS": folder() / "actions.csv",
        "OUT": own / "out.costboost",
        "PAGE": own / "page.html",
    }
    words = COMMANDS[number % len(COMMANDS)]
    places["DATA"].write_bytes(mutant(draw))
    places["TEXT"].write_bytes(text(draw))
    places |= {f"MODEL {name}": folder() / f"{name}.costboost" for name in MODELS}
    with warnings.catch_warnings(), traces():
        warnings.simplefilter("ignore")
        done = run(*(str(places.get(word, word)) for word in words))
    for name in ("OUT", "PAGE"):
        places[name].unlink(missing_ok=True)
    left = set(os.listdir(own)) - {"mutant", "text"}
    assert not left, f"the command has left {left}"
    return check(words, done)


@contextmanager
def traces() -> Iterator[None]:
    """Defects are raised, rather than printed with an exit code of their own."""
    from costboost.app.cli import commands as module

    before = module.DEFECT
    module.DEFECT = -1
    try:
        yield
    finally:
        module.DEFECT = before


def check(words: list[str], done: Any) -> str:
    """A word for how a command ended; anything that is not documented is an error."""
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    errors = [line for line in done.stderr.splitlines() if line.startswith("error:")]
    assert done.exit_code in EXIT_CODES, (words, done.exit_code, done.stderr[-2000:])
    assert "Traceback" not in done.stderr + done.stdout, done.stderr[-3000:]
    if done.exit_code == 1:
        assert len(errors) == 1, done.stderr[-2000:]
        assert not done.stdout, done.stdout[-2000:]
    if done.exit_code == 0 and words[0] == "predict":
        check_predictions(done.stdout, "--json" in words)
    elif done.exit_code == 0 and "--json" in words:
        json.loads(done.stdout, parse_constant=_no_number)
    return f"{words[0]}: {EXIT_CODES[done.exit_code]}"


def _no_number(name: str) -> None:
    raise AssertionError(f"{name} is no JSON")


def check_predictions(out: str, as_json: bool) -> None:
    """Assert that probabilities are within 0 and 1 and expected costs are finite."""
    lines: list[dict[str, Any]]
    if as_json:
        lines = [json.loads(line, parse_constant=_no_number) for line in out.splitlines()]
    else:
        lines = list(csv.DictReader(io.StringIO(out)))
    for line in lines:
        if line.get("probability") not in (None, ""):
            assert 0 <= float(line["probability"]) <= 1, line
        if line.get("expected_cost") not in (None, ""):
            assert np.isfinite(float(line["expected_cost"])), line


def clean() -> None:
    shutil.rmtree(folder(), ignore_errors=True)
