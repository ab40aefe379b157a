"""Files that are damaged, cut short, or not model files raise a ValueError that names which."""

from __future__ import annotations

import gzip
import json
import os
import pickle
import sys
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pytest
from files.crafting import load, manifest_of, members, packed, saved
from files.examples import X, model

import costboost
from costboost.io.archive import VERSION
from costboost.io.seal import check_seal

STUMPS = "AdaMECClassifier"


def message_for(data: bytes) -> str:
    """Message of the ValueError for the bytes of a file."""
    with pytest.raises(ValueError, match=r"^(is|has) ") as caught:
        check_seal(data)
    return str(caught.value)


def test_every_flipped_bit_is_noticed() -> None:
    data = saved(STUMPS)
    for k in range(len(data)):
        for bit in range(8):
            flipped = bytearray(data)
            flipped[k] ^= 1 << bit
            assert message_for(bytes(flipped)).startswith("is damaged"), (k, bit)


def test_every_loss_at_the_end_is_noticed() -> None:
    data = saved(STUMPS)
    for n in range(len(data)):
        assert "cut short" in message_for(data[:n]) or n == 0, n
    assert message_for(b"") == "is empty"


def test_other_losses_and_additions_are_noticed() -> None:
    data = saved(STUMPS)
    half = len(data) // 2
    assert message_for(data[1:]).startswith("is damaged")
    assert message_for(data[:half] + data[half + 1 :]).startswith("is damaged")
    assert message_for(data + b"\n") == "has 1 bytes behind its end"
    assert message_for(data + data[:2]) == "has 2 bytes behind its end"
    assert message_for(b"x" + data).startswith("is damaged")
    assert message_for(data[:half] + bytes(len(data) - half)).startswith("is cut short")


def test_the_message_names_the_file(tmp_path: Path) -> None:
    data = saved(STUMPS)
    with pytest.raises(ValueError, match=r"crafted\.costboost is cut short"):
        load(data[:-1], tmp_path)
    with pytest.raises(ValueError, match=r"crafted\.costboost is damaged"):
        load(data[:2000] + b"!" + data[2001:], tmp_path)


# ---- other files ---------------------------------------------------------------------------------


def foreign(folder: Path) -> dict[str, tuple[Any, str]]:
    """Functions that write files of other kinds, and the message for each."""
    import skops.io

    clf = model(STUMPS)
    return {
        "pickle": (lambda p: p.write_bytes(pickle.dumps(clf)), "looks like a pickle"),
        "joblib": (lambda p: joblib.dump(clf, p), "looks like a pickle"),
        "npz": (lambda p: np.savez(p.open("wb"), x=X), "zip archive of another kind"),
        "npy": (lambda p: np.save(p.open("wb"), X), "NumPy array"),
        "skops": (lambda p: skops.io.dump(clf, p), "zip archive of another kind"),
        "gzip": (lambda p: p.write_bytes(gzip.compress(X.tobytes())), "gzip"),
        "text": (lambda p: p.write_text("a,b\n1,2\n" * 30), "not a model file of costboost$"),
        "short": (lambda p: p.write_text("hello"), "has 5 bytes only: it is cut short, or not a"),
        "empty": (lambda p: p.write_text(""), "is empty"),
    }


@pytest.mark.filterwarnings("ignore:unclosed file:ResourceWarning")
@pytest.mark.parametrize("kind", list(foreign(Path())))
def test_files_of_another_kind(kind: str, tmp_path: Path) -> None:
    write, message = foreign(tmp_path)[kind]
    path = tmp_path / "other"
    write(path)
    with pytest.raises(ValueError, match=message):
        costboost.load(path)


@pytest.mark.parametrize("version", [VERSION + 1, 17, 0, -1])
def test_other_versions_of_the_format(version: int, tmp_path: Path) -> None:
    parts = members(saved(STUMPS))
    manifest = manifest_of(parts, format_version=version, costboost_version="9.8.7")
    with pytest.raises(
        ValueError, match=rf"format version {version}, written by costboost 9\.8\.7; .* newer"
    ):
        load(packed([("manifest.json", manifest), *parts.items()]), tmp_path)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"format": "costboost model of mine"}, "of another format"),
        ({"format_version": True}, "without versions"),
        ({"format_version": "1"}, "without versions"),
        ({"costboost_version": None}, "without versions"),
        ({"members": []}, "other members than its manifest lists"),
        ({"members": {}}, "other members than its manifest lists"),
    ],
)
def test_manifests_that_are_wrong(changed: Any, message: str, tmp_path: Path) -> None:
    parts = members(saved(STUMPS))
    with pytest.raises(ValueError, match=message):
        load(packed([("manifest.json", manifest_of(parts, **changed)), *parts.items()]), tmp_path)


def test_members_that_are_not_what_the_manifest_says(tmp_path: Path) -> None:
    parts = members(saved(STUMPS))
    manifest = manifest_of(parts)
    parts["arrays/0.npy"] = parts["arrays/0.npy"][:-1] + b"\x07"
    with pytest.raises(ValueError, match=r"damaged: arrays/0\.npy does not match the manifest"):
        load(packed([("manifest.json", manifest), *parts.items()]), tmp_path)
    for listed in ({"bytes": 1}, 3, {"bytes": 1, "sha256": 2, "more": 3}):
        known = json.loads(manifest)["members"] | {"arrays/0.npy": listed}
        changed = manifest_of(parts, members=known)
        with pytest.raises(ValueError, match=r"does not describe arrays/0\.npy"):
            load(packed([("manifest.json", changed), *parts.items()]), tmp_path)


# ---- what is in the way --------------------------------------------------------------------------


def test_no_such_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"cannot be read: there is no such file.*nowhere"):
        costboost.load(tmp_path / "nowhere.costboost")


def test_a_folder(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError, match="cannot be read: it is a folder, not a file"):
        costboost.load(tmp_path)


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pipes with names")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="cannot be read: it is not a regular file"):
        costboost.load(tmp_path / "pipe")


def test_a_part_of_the_path_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(NotADirectoryError, match="a part of the path is a file"):
        costboost.load(tmp_path / "file" / "model.costboost")


def test_a_file_that_is_too_large(tmp_path: Path) -> None:
    data = saved(STUMPS)
    with pytest.raises(ValueError, match=r"has \d+ bytes, more than the 100 allowed.*max_bytes"):
        load(data, tmp_path, max_bytes=100)
    with pytest.raises(ValueError, match=r"would take more than 60000 bytes of memory.*max_bytes"):
        load(data, tmp_path, max_bytes=60_000)
    assert load(data, tmp_path, max_bytes=300_000).n_iter_ == 6
