"""Archives made to do harm are refused, in little memory."""

from __future__ import annotations

import struct
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from files.crafting import STUMPS, content, file_of, load, manifest_of, members, packed, saved

import costboost
from costboost.io.seal import sealed


def crafted(parts: dict[str, bytes], *more: tuple[str, bytes], **changed: Any) -> bytes:
    """A file of these members, which the manifest lists, and more, which it does not list."""
    return packed([("manifest.json", manifest_of(parts, **changed)), *parts.items(), *more])


# ---- the archive ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        "../evil.npy", "/etc/passwd", "arrays/../../x.npy", "arrays/01.npy", "arrays/-1.npy",
        "arrays/1.npy/", "arrays/123456.npy", "model.py", "arrays/٣.npy", "C:\\x.npy", "",
    ],
)  # fmt: skip
def test_members_of_other_names(name: str, tmp_path: Path) -> None:
    parts = members(saved(STUMPS))
    with pytest.raises(ValueError, match=r"has a member that no model file has|is packed in a way"):
        load(crafted(parts | {name: b"x"}), tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["crafted.costboost"]


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("name", ["model.json", "arrays/0.npy", "manifest.json"])
def test_a_member_twice(name: str, tmp_path: Path) -> None:
    parts = members(saved(STUMPS))
    with pytest.raises(ValueError, match=f"has the member {name} twice"):
        load(crafted(parts, (name, b"{}")), tmp_path)


def test_missing_members(tmp_path: Path) -> None:
    parts = members(saved(STUMPS))
    del parts["model.json"]
    with pytest.raises(ValueError, match=r"has no member model\.json"):
        load(crafted(parts), tmp_path)
    with pytest.raises(ValueError, match=r"has no member manifest\.json"):
        load(packed(list(parts.items())), tmp_path)
    parts = members(saved(STUMPS))
    del parts["arrays/3.npy"]
    with pytest.raises(ValueError, match="must be an array of its own, which it is not"):
        load(crafted(parts), tmp_path)


def with_flags(data: bytes, flags: int, method: int | None = None) -> bytes:
    """An archive with other flags of its members."""
    changed = bytearray(data)
    for start, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = data.find(start)
        while at >= 0:
            struct.pack_into("<H", changed, at + place, flags)
            if method is not None:
                struct.pack_into("<H", changed, at + place + 2, method)
            at = data.find(start, at + 1)
    return sealed(bytes(changed))


def test_encrypted_and_strangely_packed_members(tmp_path: Path) -> None:
    data = packed([("manifest.json", manifest_of({"model.json": b"1"})), ("model.json", b"1")])
    with pytest.raises(ValueError, match="is encrypted"):
        load(with_flags(data, 0x1), tmp_path)
    with pytest.raises(ValueError, match="is packed in a way that is not read here"):
        load(with_flags(data, 0x8), tmp_path)
    for method in (12, 14, 99):
        with pytest.raises(ValueError, match="is packed in a way that is not read here"):
            load(with_flags(data, 0, method), tmp_path)


def test_an_archive_without_an_end(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="is no sound zip archive: it has no end"):
        load(sealed(b"x" * 200 + b"costboost sha256 " + b"0" * 64), tmp_path)
    with pytest.raises(ValueError, match="is no sound zip archive: it has no end"):
        load(sealed(b"costboost sha256 " + b"0" * 64), tmp_path)


def end_of(data: bytes) -> int:
    return data.rfind(b"PK\x05\x06")


@pytest.mark.parametrize(
    ("place", "form"), [(8, "<H"), (10, "<H"), (12, "<I"), (16, "<I"), (20, "<H")]
)
@pytest.mark.parametrize("value", [0, 1, 65535])
def test_ends_that_lie(place: int, form: str, value: int, tmp_path: Path) -> None:
    data = bytearray(saved(STUMPS))
    struct.pack_into(form, data, end_of(bytes(data)) + place, value)
    with pytest.raises(ValueError, match=r"crafted\.costboost is no sound zip archive"):
        load(sealed(bytes(data)), tmp_path)


def test_zip64_is_not_read(tmp_path: Path) -> None:
    data = saved(STUMPS)
    at = end_of(data)
    larger = bytearray(data[:at] + b"PK\x06\x07" + bytes(16) + data[at:])
    (n_bytes,) = struct.unpack_from("<I", larger, at + 20 + 12)
    struct.pack_into("<I", larger, at + 20 + 12, n_bytes + 20)
    with pytest.raises(ValueError, match="as a zip64 archive"):
        load(sealed(bytes(larger)), tmp_path)


# ---- memory --------------------------------------------------------------------------------------


def peak_of_refusal(data: bytes, folder: Path, message: str, max_bytes: int = 2**30) -> int:
    """Bytes taken while a file is refused."""
    (folder / "crafted.costboost").write_bytes(data)
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match=message):
            costboost.load(folder / "crafted.costboost", max_bytes=max_bytes)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_a_zip_bomb_is_not_unpacked(tmp_path: Path) -> None:
    """Ten members of 4 MB each, in a file of less than 60 kB."""
    parts = members(saved(STUMPS)) | {f"arrays/{k}.npy": bytes(2**22) for k in range(100, 110)}
    data = crafted(parts)
    assert len(data) < 60_000
    peak = peak_of_refusal(data, tmp_path, "would take more than 33554432 bytes", 2**25)
    assert peak < 2**20


def test_an_announced_size_is_not_believed(tmp_path: Path) -> None:
    """The announced size of a member is 8 bytes, but it has 64 million."""
    parts = members(saved(STUMPS)) | {"arrays/99.npy": bytes(2**26)}
    data = bytearray(crafted(parts))
    for start, place in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        at = bytes(data).rfind(start)
        struct.pack_into("<I", data, at + place, 8)
    peak = peak_of_refusal(sealed(bytes(data)), tmp_path, "not as long as announced|no sound zip")
    assert peak < 2**22


def test_an_announced_size_takes_no_memory(tmp_path: Path) -> None:
    """The announced size of a member is 3 GB."""
    data = bytearray(saved(STUMPS))
    at = bytes(data).rfind(b"PK\x01\x02")
    struct.pack_into("<I", data, at + 24, 3 * 2**30)
    peak = peak_of_refusal(sealed(bytes(data)), tmp_path, "would take more than")
    assert peak < 2**22


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"[" * 100_000, "nested too deeply"),
        (b"[" * 40 + b"]" * 40, "nested too deeply"),
        (b'{"type": "AdaMECClassifier", "type": "Trees"}', "a key is there twice"),
        (b'{"type": "AdaMECClassifier", "n_estimators": NaN}', "NaN is no number"),
        (b'{"type": "AdaMECClassifier", "tol": 1e999}', "too large a number"),
        (b'{"type": "AdaMECClassifier", "tol": ' + b"9" * 5000 + b"}", "cannot be read"),
        ('{"type": "été"}'.encode(), "cannot be read"),
        (b"{", "cannot be read"),
        (b"", "cannot be read"),
        (b"null", "it is a NoneType"),
        (b'"text"', "it is a str"),
        (b'{"type": "Costs", "fn": 1.0, "fp": 1.0}', "it is a NetCosts"),
        (b'{"type": "os.system", "command": "true"}', "a type unknown to this costboost"),
        (b'{"type": "sklearn.tree.DecisionTreeClassifier"}', "a type unknown"),
        (b'{"type": ["AdaMECClassifier"]}', "a type unknown"),
        (b"{}", "a type unknown"),
    ],
    ids=lambda value: value[:30] if isinstance(value, str) else None,
)
def test_json_of_other_sorts(text: bytes, message: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=message):
        load(crafted({"model.json": text}), tmp_path)


def test_json_is_not_read_that_would_take_too_much(tmp_path: Path) -> None:
    text = b"[" + b"[]," * 500_000 + b"[]]"
    data = crafted({"model.json": text})
    assert peak_of_refusal(data, tmp_path, "would take more than", 2**25) < 2**22


def test_texts_do_not_take_more_memory_than_they_say(tmp_path: Path) -> None:
    tree, arrays = content("labels: text")
    tree["classes_"]["width"] = 2**27
    peak = peak_of_refusal(file_of(tree, arrays), tmp_path, "would take more than")
    assert peak < 2**22


def test_an_array_is_used_once(tmp_path: Path) -> None:
    """If an array could be used twice, a small file could take any amount of memory."""
    tree, arrays = content(STUMPS)
    tree["estimator_errors_"] = tree["estimator_weights_"]
    with pytest.raises(ValueError, match="estimator_errors_ must be an array of its own"):
        load(file_of(tree, arrays), tmp_path)
    tree, arrays = content(STUMPS)
    with pytest.raises(ValueError, match=f"array {len(arrays)} belongs to nothing"):
        load(file_of(tree, [*arrays, arrays[0]]), tmp_path)
