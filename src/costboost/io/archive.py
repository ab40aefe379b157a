"""The archive of a model file: a zip file with a manifest, whose members are JSON or arrays."""

from __future__ import annotations

import io
import re
import struct
import zipfile
import zlib
from collections.abc import Mapping
from typing import Any

from costboost.io.seal import END, N_DIGITS, N_END, N_SEAL, SEAL, check_seal, sealed, sha256
from costboost.io.strict_json import Spend, read_json, write_json

FORMAT = "costboost model"
VERSION = 3
"""Version of the format, raised when older versions of costboost could not read new files.

Version 2 has fingerprints of training rows, version 3 fingerprints of the values of categories.
"""
MANIFEST = "manifest.json"
MODEL = "model.json"
METADATA = "metadata.json"
ARRAY = re.compile(r"arrays/(0|[1-9]\d{0,4})\.npy")
ORIGIN = (1980, 1, 1, 0, 0, 0)
"""Date of all members; it is constant, so that equal models make equal files."""
PACKED = 1
"""Compression level of zlib."""
MOST_MEMBERS = 65_000
N_ENTRY = 46 + 32
"""Greatest size in bytes of a member's entry in the central directory."""
PER_MEMBER = 1000
"""Greatest memory in bytes that the entry of a member takes when it is read."""
LARGER = b"PK\x06\x07"
"""Signature before the end of a zip64 archive."""

UNSOUND = (
    zipfile.BadZipFile, zlib.error, struct.error, UnicodeError, EOFError, NotImplementedError,
)  # fmt: skip
"""Errors that reading an invalid archive can raise, besides a ValueError of a check."""


# ---- writing an archive --------------------------------------------------------------------------


def pack(
    model: Any, arrays: list[bytes], made_by: str, metadata: Mapping[str, Any] | None = None
) -> bytes:
    """The bytes of a model file."""
    members = {MODEL: write_json(model)}
    if metadata:
        members[METADATA] = write_json(dict(metadata))
    members |= {f"arrays/{k}.npy": array for k, array in enumerate(arrays)}
    manifest = {
        "format": FORMAT,
        "format_version": VERSION,
        "costboost_version": made_by,
        "members": {
            name: {"bytes": len(data), "sha256": sha256(data)} for name, data in members.items()
        },
    }
    file = io.BytesIO()
    try:
        with zipfile.ZipFile(file, "w", allowZip64=False) as archive:
            _add_member(archive, MANIFEST, write_json(manifest), zipfile.ZIP_STORED)
            for name, data in members.items():
                _add_member(archive, name, data, zipfile.ZIP_DEFLATED)
            archive.comment = SEAL + b"0" * N_DIGITS
    except zipfile.LargeZipFile as error:
        raise ValueError(f"it is too large for a model file: {error}") from error
    return sealed(file.getvalue())


def _add_member(archive: zipfile.ZipFile, name: str, data: bytes, method: int) -> None:
    info = zipfile.ZipInfo(name, ORIGIN)
    info.create_system = 3  # the same bytes on every system
    info.external_attr = 0o644 << 16
    archive.writestr(info, data, method, PACKED)


# ---- reading an archive --------------------------------------------------------------------------


def unpack(data: bytes, spend: Spend) -> tuple[Any, dict[int, bytes], dict[str, Any]]:
    """The model as JSON, its arrays by number, and the user's metadata.

    Raises a ValueError if the bytes were not made by `pack`. ``spend`` is called with the memory in
    bytes that a part needs, before it is read.
    """
    check_seal(data)
    _check_end(data, spend)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            infos = _members(archive)
            spend(2 * sum(info.file_size for info in infos.values()))  # as bytes and as arrays
            manifest = read_json(_read_member(archive, infos.pop(MANIFEST)), spend)
            listed = _listed(manifest, infos)
            members = {
                name: _verified(_read_member(archive, info), listed[name], name)
                for name, info in infos.items()
            }
    except UNSOUND as error:
        raise ValueError(f"is no sound zip archive: {error}") from error
    model = read_json(members.pop(MODEL), spend)
    metadata = read_json(members.pop(METADATA, b"{}"), spend)
    if not isinstance(metadata, dict):
        raise ValueError(f"has a member {METADATA} that is no object")
    return model, {_number(name): part for name, part in members.items()}, metadata


def _number(name: str) -> int:
    return int(name[len("arrays/") : -len(".npy")])


def _check_end(data: bytes, spend: Spend) -> None:
    """Check the end of the archive, which holds position and length of the list of members."""
    start = len(data) - N_SEAL - N_END
    end = data[max(start, 0) : start + N_END]
    if start < len(LARGER) + 16 or not end.startswith(END):
        raise ValueError("is no sound zip archive: it has no end")
    here, n_members, n_bytes, list_at, n_comment = struct.unpack("<HHIIH", end[8:])
    if n_members > MOST_MEMBERS or n_bytes > n_members * N_ENTRY:
        raise ValueError("is no sound zip archive: the list of its members is too long")
    if here != n_members or list_at + n_bytes != start or n_comment != N_SEAL:
        raise ValueError("is no sound zip archive: its end does not fit the rest")
    if data[start - 20 : start - 16] == LARGER:
        raise ValueError("is packed in a way that is not read here: as a zip64 archive")
    spend(n_members * PER_MEMBER)


def _members(archive: zipfile.ZipFile) -> dict[str, zipfile.ZipInfo]:
    """The members by name; raise a ValueError if they are not those of a model file."""
    found: dict[str, zipfile.ZipInfo] = {}
    for info in archive.infolist():
        name = info.filename
        if name not in (MANIFEST, MODEL, METADATA) and not ARRAY.fullmatch(name):
            raise ValueError(f"has a member that no model file has: {name[:60]!r}")
        if name in found:
            raise ValueError(f"has the member {name} twice")
        if info.flag_bits & 1:
            raise ValueError(f"is encrypted, at least its member {name}")
        if info.flag_bits or info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise ValueError(f"is packed in a way that is not read here, at least {name}")
        found[name] = info
    for name in (MANIFEST, MODEL):
        if name not in found:
            raise ValueError(f"has no member {name}")
    return found


def _read_member(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    """The bytes of a member, at most as many as the archive announces."""
    with archive.open(info) as member:
        data = member.read(info.file_size)
        if len(data) != info.file_size or member.read(1):
            raise ValueError(f"is damaged: {info.filename} is not as long as announced")
    return data


def _verified(data: bytes, listed: Mapping[str, Any], name: str) -> bytes:
    if len(data) != listed["bytes"] or sha256(data) != listed["sha256"]:
        raise ValueError(f"is damaged: {name} does not match the manifest")
    return data


def _listed(manifest: Any, infos: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Size and checksum of each member in the manifest, if its version can be read."""
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise ValueError("is not a model file of costboost: its manifest is of another format")
    version, made_by = manifest.get("format_version"), manifest.get("costboost_version")
    if type(version) is not int or not isinstance(made_by, str):
        raise ValueError("has a manifest without versions")
    if not 1 <= version <= VERSION:
        raise ValueError(
            f"is of format version {version}, written by costboost {made_by[:40]}; this costboost "
            f"reads versions up to {VERSION}: install a newer one"
        )
    members = manifest.get("members")
    if not isinstance(members, dict) or set(members) != set(infos):
        raise ValueError("has other members than its manifest lists")
    for name, listed in members.items():
        if not isinstance(listed, dict) or set(listed) != {"bytes", "sha256"}:
            raise ValueError(f"has a manifest that does not describe {name}")
    return members
