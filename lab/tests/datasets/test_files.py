"""Files are written completely or not at all; the folders they are in."""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from costboost_lab.datasets import loading


def test_a_table_survives_keeping(tmp_path: Path) -> None:
    table = pd.DataFrame(
        {
            "third": [1 / 3, None, 1e-300],
            "whole": [1, 2, 3],
            "text": pd.Categorical(["NA", None, "a,b\n'\"c"]),
            "target": [-1, 1, 1],
        }
    )
    loading.write_table(tmp_path / "new" / "t.csv.gz", table)
    found = loading.read_kept(tmp_path / "new" / "t.csv.gz")
    pd.testing.assert_frame_equal(
        found.astype({"text": "category"}), table, check_categorical=False
    )
    assert found["text"].tolist()[0] == "NA"


def test_the_same_table_gives_the_same_bytes(tmp_path: Path) -> None:
    for name in "ab":
        loading.write_table(tmp_path / name, pd.DataFrame({"x": [1.5, 2.5]}))
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_write_that_fails_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    def fail(*arguments: object) -> None:
        raise OSError("disk full")

    path = tmp_path / "file"
    loading.write_table(path, pd.DataFrame({"x": ["old"]}))
    old = path.read_bytes()
    monkeypatch.setattr(os, step, fail)
    with pytest.raises(OSError, match="disk full"):
        loading.write_table(path, pd.DataFrame({"x": ["new"]}))
    assert path.read_bytes() == old
    assert os.listdir(tmp_path) == ["file"]


def test_the_file_is_on_the_disk_before_it_appears(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = []
    for step in ("fsync", "replace"):
        real = getattr(os, step)
        monkeypatch.setattr(os, step, lambda *a, s=step, r=real: (steps.append((s, a)), r(*a)))
    loading.write_table(tmp_path / "file", pd.DataFrame({"x": [1]}))
    assert [step for step, _ in steps[:2]] == ["fsync", "replace"]
    assert Path(steps[1][1][0]).parent == tmp_path, "another folder may be another disk"


def test_readers_never_see_a_part(tmp_path: Path) -> None:
    path = tmp_path / "file"
    tables = [pd.DataFrame({"x": np.random.default_rng(k).random(20_000)}) for k in range(4)]
    whole = []
    for table in tables:
        loading.write_table(path, table)
        whole.append(path.read_bytes())
    writers = [
        threading.Thread(
            target=lambda table=table: [loading.write_table(path, table) for _ in range(10)]
        )
        for table in tables
    ]
    for writer in writers:
        writer.start()
    while any(writer.is_alive() for writer in writers):
        assert path.read_bytes() in whole
    assert os.listdir(tmp_path) == ["file"]


# ---- folders -------------------------------------------------------------------------------------


def test_the_data_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(loading.DATA, "")
    assert loading.data_folder() is None
    monkeypatch.setenv(loading.DATA, "~/sets")
    assert loading.data_folder() == Path.home() / "sets"


@pytest.mark.parametrize(
    ("platform", "folder"),
    [
        ("linux", ".cache/costboost"),
        ("darwin", "Library/Caches/costboost"),
        ("win32", "AppData/Local/costboost/cache"),
    ],
)
def test_the_cache_folder(monkeypatch: pytest.MonkeyPatch, platform: str, folder: str) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    for name in (loading.CACHE, "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    assert loading.cache_folder() == Path.home() / folder
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
    assert loading.cache_folder() == Path("/somewhere/costboost")
    monkeypatch.setenv(loading.CACHE, "/elsewhere")
    assert loading.cache_folder() == Path("/elsewhere")
