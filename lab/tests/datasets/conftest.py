"""A small made-up data set that can be put into every place where sets are looked for."""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from sklearn.utils import Bunch

from costboost_lab.datasets import loading, records

CSV = b"""id,size,colour,weight,target
1,1.5,red,10,no
2,,blue,20,no
3,2.5,red,30,yes
4,3.0,,40,no
5,0.5,green,50,yes
"""
ORIGINAL = gzip.compress(CSV, mtime=0)

TOY = f"""
title = "Toy"
about = "Made up."
rows = 5
columns = ["size", "colour", "weight"]
nominal = ["colour"]
missing = 2
extra = ["id"]
classes = [["no", 3], ["yes", 2]]
positive = "yes"
citation = "Nobody (2000)."
licence = "none needed"
elsewhere = "or make it up yourself"

[file]
sha256 = "{hashlib.sha256(ORIGINAL).hexdigest()}"
bytes = {len(ORIGINAL)}
origin = "thin air"

[wheel]
distribution = "toy-data"
files = ["toy_data/toy.txt"]
names = ["target", "*"]
labels = {{ 0 = "no", 1 = "yes" }}

[openml]
id = 999999
labels = {{ 1 = "no", 2 = "yes" }}

[costs]
kind = "classes"
fn = 5.0
fp = 1.0
tp = 0.5
unit = "EUR"
note = "made up"
"""


@dataclass
class Places:
    """Puts the made-up set into the places, and counts the requests to OpenML."""

    root: Path
    patch: pytest.MonkeyPatch
    n_requests: int = 0

    @property
    def data_file(self) -> Path:
        return self.root / "data" / "toy.csv.gz"

    @property
    def cached_file(self) -> Path:
        return self.root / "cache" / "toy.csv.gz"

    @property
    def kept_file(self) -> Path:
        return self.root / "cache" / "toy.openml-999999.csv.gz"

    def put(self, path: Path, data: bytes = ORIGINAL) -> None:
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)

    def install(
        self, text: str = "0,1.5,red,10\n0,?,blue,20\n1,2.5,red,30\n0,3,?,40\n1,.5,green,50\n"
    ) -> None:
        package = self.root / "site" / "toy_data"
        about = self.root / "site" / "toy_data-1.0.dist-info"
        for folder in (package, about):
            folder.mkdir(parents=True, exist_ok=True)
        (about / "METADATA").write_text("Metadata-Version: 2.1\nName: toy-data\nVersion: 1.0\n")
        (package / "toy.txt").write_text(text)
        (package / "__init__.py").write_text("raise RuntimeError('code of the package was run')\n")
        self.patch.syspath_prepend(self.root / "site")

    def connect(self, answer: Callable[[], Any] | None = None) -> None:
        def fetch_openml(**options: Any) -> Any:
            self.n_requests += 1
            assert options["data_id"] == 999999
            return (answer or openml_toy)()

        self.patch.setattr("sklearn.datasets.fetch_openml", fetch_openml)


def openml_toy() -> Bunch:
    """The set as OpenML could have it: other names, floats, categories, classes by number."""
    data = pd.DataFrame(
        {
            "V1": [1.5, None, 2.5, 3.0, 0.5],
            "V2": pd.Categorical(
                ["red", "blue", "red", None, "green"], ["red", "green", "blue", "pink"]
            ),
            "V3": [10.0, 20.0, 30.0, 40.0, 50.0],
        }
    )
    return Bunch(data=data, target=pd.Series(["1", "1", "2", "1", "2"], dtype="category"))


def offline() -> Any:
    raise OSError("name or service not known")


@pytest.fixture
def toy() -> records.Record:
    return records.parse("toy", TOY)


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, toy: records.Record) -> Places:
    """The made-up set is the only one; it is nowhere yet, and there is no network."""
    (tmp_path / "data").mkdir()
    monkeypatch.setenv(loading.DATA, str(tmp_path / "data"))
    monkeypatch.setenv(loading.CACHE, str(tmp_path / "cache"))
    monkeypatch.setattr(records, "names", lambda: ("toy",))
    monkeypatch.setattr(records, "record", {"toy": toy}.__getitem__)
    places = Places(tmp_path, monkeypatch)
    places.connect(offline)
    return places
