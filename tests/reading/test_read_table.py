"""`read_table` for Python users: formats, types, parameters, errors. tests/cli has many more."""

from __future__ import annotations

import gzip
import pickle
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import feather, parquet

from costboost.algorithms import AdaMECClassifier
from costboost.app.reading.memory import parse_size
from costboost.app.reading.options import ReadOptions
from costboost.reading import InputError, read_table

TEXT = "age,city,since,zip,y\n31,Oslo,2024-05-01,00501,1\nNA,Rome,2024-06-12,10115,0\n"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    found = tmp_path / "d.csv"
    found.write_text(TEXT)
    return found


def test_types_are_inferred(path: Path) -> None:
    found = read_table(path, categorical=["zip"], drop="y")
    types = {field.name: str(field.type) for field in found.schema}
    assert types == {"age": "int64", "city": "string", "since": "date32[day]", "zip": "string"}
    assert found.column("zip").to_pylist() == ["00501", "10115"]
    assert found.column("age").null_count == 1


@pytest.mark.parametrize("kind", ["parquet", "feather", "jsonl", "gz", "tsv", "latin-1", "comma"])
def test_formats(path: Path, tmp_path: Path, kind: str) -> None:
    table = read_table(path, drop=["since", "zip"])
    out, given = tmp_path / "other", {}
    if kind == "parquet":
        parquet.write_table(table, out)
    elif kind == "feather":
        feather.write_feather(table, str(out))
    elif kind == "jsonl":
        out.write_text('{"age": 31, "city": "Oslo", "y": 1}\n{"city": "Rome", "y": 0}\n')
    elif kind == "gz":
        out.write_bytes(gzip.compress(TEXT.encode()))
        given = {"drop": ["since", "zip"]}
    elif kind == "tsv":
        out.write_text("age\tcity\ty\n31\tOslo\t1\n\tRome\t0\n")
        given = {"separator": "tab"}
    elif kind == "latin-1":
        out.write_bytes("age,city,y\n31,Oslo,1\n,Köln,0\n".encode("latin-1"))
        assert read_table(out, encoding="latin-1").column("city").to_pylist() == ["Oslo", "Köln"]
        with pytest.raises(InputError, match="not UTF-8 text; try encoding='latin-1'"):
            read_table(out)
        return
    else:
        out.write_text("age;y\n31,5;1\n;0\n")
        assert read_table(out, decimal=",").column("age").to_pylist() == [31.5, None]
        return
    assert read_table(out, **given).to_pydict() == table.to_pydict()


def test_classifiers_take_the_table(tmp_path: Path) -> None:
    path = tmp_path / "d.csv"
    path.write_text("x,city,y\n" + "".join(f"{k},{'ab'[k % 2]},{int(k > 20)}\n" for k in range(40)))
    table = read_table(path)
    clf = AdaMECClassifier(n_estimators=3, fn_cost=5)
    X = table.drop_columns(["y"])
    assert clf.fit(X, table.column("y").to_numpy()).score(X, table.column("y").to_numpy()) == 1


WRONG: dict[str, tuple[str, dict[str, Any], str]] = {
    "ragged": ("a,b\n1,2\n3\n", {}, "line 3 has 1 values, the header has 2"),
    "separator": ("a\n1,2\n", {"separator": ","}, "check the parameter separator"),
    "empty": ("", {}, "is empty"),
    "no rows": ("a,b\n", {}, "has a header, but no rows"),
    "twice": ("a,a\n1,2\n", {}, "several columns called 'a'"),
    "drop": (TEXT, {"drop": "agge"}, "no column 'agge' in .*; did you mean 'age'"),
    "encoding": (TEXT, {"encoding": "rot13"}, "there is no encoding 'rot13'"),
    "decimal": (TEXT, {"decimal": "x"}, "the decimal mark must be"),
    "wide": (TEXT, {"separator": "ab"}, "the separator must be one character"),
    "memory": (TEXT, {"max_memory": "much"}, "such as 500M or 8G"),
    "nested": ('{"a": [1]}\n', {}, "which no classifier takes; try drop='a'"),
}


@pytest.mark.parametrize("case", WRONG)
def test_errors(tmp_path: Path, case: str) -> None:
    text, given, match = WRONG[case]
    path = tmp_path / "d"
    path.write_text(text)
    with pytest.raises(InputError, match=match) as caught:
        read_table(path, **given)
    assert isinstance(caught.value, ValueError)
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_files_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="cannot be read: there is no such file"):
        read_table(tmp_path / "d.csv")
    with pytest.raises(IsADirectoryError, match="it is a folder, not a file"):
        read_table(tmp_path)


def test_memory_of_compressed_files_is_limited(tmp_path: Path) -> None:
    path = tmp_path / "d.csv.gz"
    path.write_bytes(gzip.compress(b"a,y\n" + b"1,0\n2,1\n" * 2000))
    with pytest.raises(InputError, match=r"more than 2K of memory .*; try max_memory='16K'"):
        read_table(path, max_memory="2K")
    assert read_table(path, max_memory=2**20).num_rows == 4000


def test_options_are_normalised() -> None:
    found = ReadOptions("UTF8", "\\t", ",", "1.5K")
    assert (found.encoding, found.separator, found.max_memory) == ("utf-8", "\t", 1536)
    assert parse_size(" 2 GiB") == 2**31


def test_signals_are_left_to_pyarrow(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    changed: list[bool] = []
    monkeypatch.setattr(pa, "enable_signal_handlers", changed.append)
    read_table(path)
    assert not changed
