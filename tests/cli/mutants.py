"""Damaged files, made from sound ones by rules, and what reading them may end in.

``python tests/cli/mutants.py FIRST LAST`` reads the mutants with these numbers of every file. A
crash ends the process; an exception that no message is made of is printed. The test suite reads
a few of them; run some thousands after a change of the reader or of pyarrow.
"""

from __future__ import annotations

import io
import struct
import sys
import tempfile
import traceback
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import parquet

from costboost.app.cli.commands import FIT
from costboost.app.cli.data_notes import data_notes
from costboost.app.cli.errors import EXPECTED
from costboost.app.cli.estimators import make_classifier
from costboost.app.cli.prediction_lines import PredictionLines
from costboost.app.cli.predictors import TwoClassPredictor
from costboost.app.cli.training_data import read_training_data
from costboost.app.cli.unseen import UnseenCategories
from costboost.app.reading.cost_matrices import read_cost_matrix
from costboost.app.reading.formats import open_table

NUMBERS = [0, 1, -1, 2, 7, 8, 64, 127, 255, 256, 1000, 65535, 2**20, 2**31 - 1, -(2**31), 2**40]
NUMBERS += [2**32 - 1, 2**62, 2**63 - 1, -(2**63)]
UNUSABLE = ["list", "struct", "binary", "fixed", "map", "run ends", "list view"]
UNUSABLE += ["nested dictionary"]


# ---- sound files ---------------------------------------------------------------------------------


def table(nested: bool = False, n: int = 300) -> Any:
    """Columns of every type that is read, and of types that are not."""
    random = np.random.default_rng(0)
    x = random.normal(size=n)
    days = (np.arange(n) * 86400).astype("datetime64[s]")
    columns = {
        "x": pa.array([None if k % 7 == 0 else v for k, v in enumerate(x.tolist())]),
        "whole": pa.array(random.integers(0, 100, n)),
        "text": pa.array([None if k % 5 == 0 else f"text{k % 11}" for k in range(n)]),
        "large": pa.array([f"L{k % 4}" for k in range(n)], pa.large_string()),
        "view": pa.array([f"longer than a view {k % 3}" for k in range(n)], pa.string_view()),
        "label": pa.array([["a", "bb", "ccc"][k % 3] for k in range(n)]).dictionary_encode(),
        "flag": pa.array(random.random(n) > 0.5),
        "when": pa.array(days),
        "zone": pa.array(days, pa.timestamp("us", "UTC")),
        "clock": pa.array(range(n), pa.time32("s")),
        "day": pa.array(range(n), pa.date32()),
        "decimal": pa.array([None if k % 9 == 0 else k for k in range(n)]).cast(
            pa.decimal128(25, 2)
        ),
        "nothing": pa.nulls(n),
        "y": pa.array(np.where(x + random.normal(size=n) > 0, "yes", "no")),
    }
    return pa.table(columns | (unusable(n) if nested else {}))


def unusable(n: int) -> dict[str, Any]:
    """Columns that no classifier takes."""
    return {
        "list": pa.array([[1, 2]] * n),
        "struct": pa.array([{"q": 1}] * n),
        "binary": pa.array([b"ab"] * n),
        "fixed": pa.array([[1.0, 2.0]] * n, pa.list_(pa.float64(), 2)),
        "map": pa.array([[("k", 1)]] * n, pa.map_(pa.string(), pa.int64())),
        "run ends": pa.RunEndEncodedArray.from_arrays(pa.array([n], pa.int32()), pa.array([1.0])),
        "list view": pa.array([[1, 2]] * n, pa.list_view(pa.int64())),
        "nested dictionary": pa.DictionaryArray.from_arrays(
            pa.array([0] * n, pa.int8()), pa.array([[1]])
        ),
    }


def arrow(kind: str, rows: Any, **options: Any) -> bytes:
    """An Arrow file or stream."""
    sink = io.BytesIO()
    new = pa.ipc.new_file if kind == "file" else pa.ipc.new_stream
    with new(sink, rows.schema, options=pa.ipc.IpcWriteOptions(**options)) as writer:
        for batch in rows.to_batches(max_chunksize=100):
            writer.write_batch(batch)
    return sink.getvalue()


def growing() -> Any:
    """Rows whose dictionary grows from batch to batch."""
    parts = []
    for k in range(1, 5):
        codes = pa.array([j % k for j in range(80)], pa.int32())
        labels = pa.DictionaryArray.from_arrays(codes, pa.array(["a", "b", "c", "d"][:k]))
        columns = {"x": pa.array(np.arange(80.0)), "label": labels, "y": ["yes", "no"] * 40}
        parts.append(pa.table(columns))
    return pa.concat_tables(parts)


def parquet_of(rows: Any, **options: Any) -> bytes:
    """A Parquet file."""
    sink = io.BytesIO()
    parquet.write_table(rows, sink, row_group_size=120, **options)
    return sink.getvalue()


def text_of(rows: Any, form: str) -> bytes:
    """CSV or JSON lines."""
    frame = rows.select(["x", "whole", "text", "day", "y"]).to_pandas()
    if form == "csv":
        return str(frame.to_csv(index=False)).encode()
    frame = frame.assign(day=frame.day.astype(str))
    return str(frame.to_json(orient="records", lines=True)).encode()


def files() -> dict[str, bytes]:
    """Sound files of every format."""
    plain, nested = table(), table(nested=True)
    found: dict[str, bytes] = {}
    for kind in ("file", "stream"):
        for codec in (None, "lz4", "zstd"):
            found[f"arrow {kind} {codec}"] = arrow(kind, plain, compression=codec)
        found[f"arrow {kind} growing"] = arrow(kind, growing(), emit_dictionary_deltas=True)
        found[f"arrow {kind} nested"] = arrow(kind, nested)
    for codec in ("none", "snappy", "zstd", "gzip"):
        found[f"parquet {codec}"] = parquet_of(plain, compression=codec)
    found["parquet plain"] = parquet_of(plain, use_dictionary=False, data_page_version="2.0")
    encodings = {"whole": "DELTA_BINARY_PACKED", "text": "DELTA_BYTE_ARRAY"}
    encodings |= {"x": "BYTE_STREAM_SPLIT", "y": "DELTA_LENGTH_BYTE_ARRAY"}
    found["parquet delta"] = parquet_of(
        plain.select(["whole", "text", "x", "y"]),
        use_dictionary=False,
        column_encoding=encodings,
    )
    rows = nested.drop_columns(["run ends", "list view", "nested dictionary"])
    found["parquet nested"] = parquet_of(rows)
    return found | {form: text_of(plain, form) for form in ("csv", "json")}


MATRICES = {
    "csv": b"truth,a,b,c\na,0,1,2\nb,1,0,2\nc,20,20,0\n",
    "json lists": b"[[0, 1, 2], [1, 0, 2], [20, 20, 0]]",
    "json objects": b'{"a": {"a": 0, "b": 1, "c": 2}, "b": {"a": 1, "b": 0, "c": 2}, '
    b'"c": {"a": 20, "b": 20, "c": 0}}',
    "json lines": b'{"truth": "a", "a": 0, "b": 1, "c": 2}\n'
    b'{"truth": "b", "a": 1, "b": 0, "c": 2}\n'
    b'{"truth": "c", "a": 20, "b": 20, "c": 0}\n',
    "bare": b"0,1,2\n1,0,2\n20,20,0\n",
}


# ---- mutants -------------------------------------------------------------------------------------


def mutant(data: bytes, number: int) -> bytes:
    """The file with one or a few changes: bytes, numbers as metadata have them, pieces, its end."""
    random = np.random.default_rng([number, len(data)])
    changed = bytearray(data or b"A")
    for _ in range(int(random.choice([1, 1, 1, 2, 3, 8]))):
        CHANGES[int(random.integers(len(CHANGES)))](changed, random)
        changed = changed or bytearray(b"A")
    return bytes(changed)


Change = Callable[[bytearray, np.random.Generator], None]


def _at(data: bytearray, random: np.random.Generator, width: int = 1) -> int:
    return int(random.integers(max(1, len(data) - width + 1))) // width * width


def _byte(data: bytearray, random: np.random.Generator) -> None:
    data[_at(data, random)] = int(random.integers(256))


def _near_an_end(data: bytearray, random: np.random.Generator) -> None:
    at = int(random.integers(min(len(data), 4000)))
    data[at if random.random() < 0.5 else -1 - at] = int(random.integers(256))


def _number(data: bytearray, random: np.random.Generator) -> None:
    width, form = (4, "<I") if random.random() < 0.6 else (8, "<Q")
    at, value = _at(data, random, width), NUMBERS[int(random.integers(len(NUMBERS)))]
    data[at : at + width] = struct.pack(form, value % 256**width)


def _copy(data: bytearray, random: np.random.Generator) -> None:
    here, there, n = _at(data, random), _at(data, random), int(random.integers(1, 64))
    data[here : here + n] = data[there : there + n]


def _cut_out(data: bytearray, random: np.random.Generator) -> None:
    at = _at(data, random)
    del data[at : at + int(random.integers(1, 64))]


def _cut_short(data: bytearray, random: np.random.Generator) -> None:
    if random.random() < 0.3:
        del data[_at(data, random) :]


CHANGES: list[Change] = [
    _byte, _byte, _near_an_end, _near_an_end, _number, _number, _number, _copy, _cut_out,
    _cut_short,
]  # fmt: skip


# ---- reading -------------------------------------------------------------------------------------


class Reader:
    """Reads mutants of a file, to train on them and to predict them."""

    def __init__(self, data: bytes, folder: Path) -> None:
        self.path = folder / "data"
        self.path.write_bytes(data)
        with open_table(str(self.path)) as source:
            drop = [name for name in UNUSABLE if name in source.names]
        self.given = FIT.given(data=str(self.path), target="y", drop=drop, jobs=1, rounds=2)
        problem = read_training_data(self.given)
        self.layout = problem.layout
        model = make_classifier(self.given, "AdaMEC", problem.layout)
        self.model = model.fit(problem.rows.X, problem.rows.y)

    def train(self) -> None:
        list(data_notes(read_training_data(self.given)))

    def predict(self) -> None:
        with open_table(str(self.path)) as source:
            lines = PredictionLines(
                TwoClassPredictor(self.model, self.layout, changed_costs=False),
                self.layout,
                UnseenCategories(self.model, self.layout),
                keep=["x"],
                as_json=False,
                safe_csv=False,
                max_rows=10**8,
            )
            lines.check(source)
            list(lines.of(source))


def outcome(act: Callable[[], object]) -> str:
    """How it ends: well, in an error that has a message, or in a defect."""
    try:
        act()
    except EXPECTED:
        return "refused"
    except Exception:
        return traceback.format_exc()
    return "read"


def go_through(first: int, last: int, folder: Path) -> Counter[str]:
    """Read mutants of all files; how often they ended how."""
    found: Counter[str] = Counter()
    for data in files().values():
        reader = Reader(data, folder)
        for number in range(first, last):
            reader.path.write_bytes(mutant(data, number))
            found.update([outcome(reader.train), outcome(reader.predict)])
    path = folder / "matrix"
    for data in MATRICES.values():
        for number in range(first, last):
            path.write_bytes(mutant(data, number))
            found.update([outcome(lambda: read_cost_matrix(str(path), ["a", "b", "c"]))])
    return found


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as place:
        counts = go_through(int(sys.argv[1]), int(sys.argv[2]), Path(place))
    for what, count in counts.items():
        print(count, what)
    sys.exit(bool(set(counts) - {"read", "refused"}))
