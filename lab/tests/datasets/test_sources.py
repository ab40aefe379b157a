"""Sources are tried in order, each gives the same table, and no table is loaded in part."""

from __future__ import annotations

import gzip
import http.client
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.utils import Bunch

from costboost_lab.datasets import available, load, loading


def same(a: Bunch, b: Bunch) -> None:
    pd.testing.assert_frame_equal(a.X, b.X)
    np.testing.assert_array_equal(a.y, b.y)
    assert a.y.dtype == b.y.dtype


# ---- order ---------------------------------------------------------------------------------------


def test_the_nearest_place_wins(places: Any) -> None:
    places.connect()
    places.install()
    places.put(places.kept_file, gzip.compress(b"not looked at"))
    places.put(places.cached_file)
    places.put(places.data_file)

    first = load("toy")
    assert first.source == str(places.data_file)

    places.data_file.unlink()
    assert load("toy").source == str(places.cached_file)

    places.cached_file.unlink()
    places.kept_file.unlink()
    from_package = load("toy")
    assert from_package.source == "the package toy-data"
    assert places.n_requests == 0
    same(first, from_package)

    (places.root / "site" / "toy_data" / "toy.txt").unlink()
    from_openml = load("toy")
    assert from_openml.source == "OpenML 999999"
    same(first, from_openml)


def test_a_download_is_kept_and_not_repeated(places: Any) -> None:
    places.connect()
    first, second = load("toy"), load("toy")
    assert places.n_requests == 1
    assert second.source == str(places.kept_file)
    same(first, second)
    assert [path.name for path in places.kept_file.parent.iterdir()] == [places.kept_file.name]


def test_without_download_openml_is_not_tried(places: Any) -> None:
    places.connect()
    with pytest.raises(FileNotFoundError, match="not tried because of download=False"):
        load("toy", download=False)
    assert places.n_requests == 0


def test_available_locally(places: Any) -> None:
    places.connect()
    assert available() == ["toy"]
    assert available(local=True) == []
    places.put(places.data_file)
    assert available(local=True) == ["toy"]


def test_extra_columns_are_given_where_the_source_has_them(places: Any) -> None:
    places.put(places.data_file)
    assert load("toy").extra["id"].tolist() == [1, 2, 3, 4, 5]
    places.data_file.unlink()
    places.install()
    extra = load("toy").extra
    assert list(extra.columns) == []
    assert len(extra) == 5


# ---- nowhere -------------------------------------------------------------------------------------


def test_the_error_for_a_missing_set_names_its_sources(places: Any, toy: Any) -> None:
    with pytest.raises(FileNotFoundError) as caught:
        load("toy")
    message = str(caught.value)
    for part in (
        "toy.csv.gz",
        toy.file.sha256,
        f"COSTBOOST_DATA is {places.root / 'data'}, which has no such file",
        str(places.root / "cache"),
        "pip install --no-deps toy-data",
        "id 999999",
        "could not be reached: OSError: name or service not known",
        "or make it up yourself",
        "thin air",
    ):
        assert part in message


def test_the_message_names_the_variable(places: Any) -> None:
    places.patch.setenv(loading.DATA, str(places.root / "nowhere"))
    with pytest.raises(FileNotFoundError, match="nowhere, which is not a folder"):
        load("toy")
    places.patch.delenv(loading.DATA)
    with pytest.raises(FileNotFoundError, match="COSTBOOST_DATA is not set"):
        load("toy")


@pytest.mark.parametrize(
    "error", [TimeoutError("timed out"), ConnectionResetError(), http.client.IncompleteRead(b"")]
)
def test_a_broken_connection_is_a_clear_message(places: Any, error: Exception) -> None:
    def answer() -> None:
        raise error

    places.connect(answer)
    with pytest.raises(FileNotFoundError, match=f"could not be reached: {type(error).__name__}"):
        load("toy")
    assert not places.kept_file.exists()


# ---- damaged -------------------------------------------------------------------------------------

DAMAGE = {
    "cut short": lambda data: data[: len(data) // 2],
    "empty": lambda data: b"",
    "one bit": lambda data: data[:40] + bytes([data[40] ^ 1]) + data[41:],
    "not gzip": lambda data: b"id,size,colour,weight,target\n",
}


@pytest.mark.parametrize("damage", DAMAGE)
@pytest.mark.parametrize("place", ["data_file", "cached_file"])
def test_a_damaged_file_is_refused(places: Any, toy: Any, place: str, damage: str) -> None:
    path = getattr(places, place)
    places.connect()
    places.install()
    places.put(path)
    data = DAMAGE[damage](path.read_bytes())
    path.write_bytes(data)
    with pytest.raises(ValueError, match="cut short, damaged or changed") as caught:
        load("toy")
    message = str(caught.value)
    assert str(path) in message
    assert f"{len(data)} bytes" in message
    assert f"{toy.file.bytes} bytes and SHA-256 {toy.file.sha256}" in message
    assert "Put the right file in its place, or delete it" in message


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_download_is_refused(places: Any, damage: str) -> None:
    places.connect()
    load("toy")
    path = places.kept_file
    path.write_bytes(DAMAGE[damage](path.read_bytes()))
    with pytest.raises(ValueError, match="Delete it and load the set again") as caught:
        load("toy")
    assert str(path) in str(caught.value)
    assert places.n_requests == 1

    path.unlink()
    assert load("toy").source == "OpenML 999999"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("0,1.5,red,10\n0,?,blue,20\n", "2 rows instead of 5"),
        ("0,1,red,10\n0,?,blue,20\n1,2,red,30\n1,3,?,40\n1,.5,green,50\n", "2 rows of class 'no'"),
        ("0,1,red,10\n0,2,blue,20\n1,2,red,30\n0,3,?,40\n1,.5,green,50\n", "1 missing values"),
        ("0,big,red,10\n", "column 'size' is not numeric"),
        ("7,1.5,red,10\n", "KeyError: '7'"),
        ("", "0 rows instead of 5"),
    ],
)
def test_a_damaged_package_is_refused(places: Any, text: str, found: str) -> None:
    places.install(text)
    with pytest.raises(ValueError, match="Reinstall the package toy-data") as caught:
        load("toy")
    assert found in str(caught.value)


def test_a_download_with_a_wrong_check_sum_is_refused(places: Any) -> None:
    def answer() -> None:
        raise ValueError("md5 checksum does not match")

    places.connect(answer)
    with pytest.raises(
        ValueError, match=r"OpenML 999999 could not be read \(md5.*Load the set again"
    ):
        load("toy")
    assert not places.kept_file.exists()


def test_another_set_from_openml_is_refused_and_not_kept(places: Any) -> None:
    places.connect(lambda: Bunch(data=pd.DataFrame({"a": [1]}), target=pd.Series(["1"])))
    with pytest.raises(ValueError, match="OpenML 999999 is no longer the data set 'toy'"):
        load("toy")
    assert not places.kept_file.exists()


def test_a_cache_that_cannot_be_written_is_a_warning(places: Any) -> None:
    places.connect()
    Path(places.root / "cache").write_text("in the way")
    with pytest.warns(UserWarning, match="OpenML 999999 could not be kept in the cache"):
        data = load("toy")
    assert len(data.X) == 5
