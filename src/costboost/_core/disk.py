"""Files on disk: atomic writing, reading with clear errors, and the archive of a model file.

The archive is a zip file with a manifest and checksums. Its members are JSON and arrays.
"""

from __future__ import annotations

import errno
import hashlib
import io
import json
import os
import re
import secrets
import stat
import struct
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from math import isfinite
from pathlib import Path
from typing import Any, NoReturn

if sys.platform != "win32":
    import fcntl


# ---- reading files -------------------------------------------------------------------------------


def read(path: str | os.PathLike[str], most_bytes: int) -> bytes:
    """The bytes of a file; raise a ValueError if there are more than ``most_bytes``."""
    try:
        with open(path, "rb", opener=_at_once) as file:  # the file may be replaced at any time
            size = _regular(os.fstat(file.fileno())).st_size
            if size > most_bytes:
                raise ValueError(
                    f"{path} has {size} bytes, more than the {most_bytes} allowed; if you trust "
                    "it, raise max_bytes"
                )
            return file.read(size)
    except OSError as error:
        _explain(error, path, "cannot be read")


def check(path: str | os.PathLike[str]) -> None:
    """Raise an OSError if there is no file to read."""
    try:
        _regular(os.stat(path))
    except OSError as error:
        _explain(error, path, "cannot be read")


def _at_once(path: str, flags: int) -> int:
    """Open a file; for a pipe, without waiting for a writer."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _regular(found: os.stat_result) -> os.stat_result:
    """The status of a path or handle; raise an OSError if it is not a regular file."""
    if stat.S_ISDIR(found.st_mode):
        raise IsADirectoryError(errno.EISDIR, REASONS[errno.EISDIR])
    if not stat.S_ISREG(found.st_mode):
        raise OSError(errno.EINVAL, "it is not a regular file")
    return found


REASONS = {
    errno.ENOENT: "there is no such file or folder",
    errno.EACCES: "this user may not",
    errno.EPERM: "this user may not",
    errno.EROFS: "the disk is read-only",
    errno.ENOSPC: "the disk is full",
    getattr(errno, "EDQUOT", errno.ENOSPC): "the disk is full, or what this user may have of it",
    errno.EISDIR: "it is a folder, not a file",
    errno.EBADF: "it is closed",
    errno.EFBIG: "files may not be so large here",
    errno.ENOTDIR: "a part of the path is a file, not a folder",
    errno.ENAMETOOLONG: "the name is too long",
}
"""Descriptions of the usual system errors."""


def _explain(error: OSError, path: str | os.PathLike[str], what: str, behind: str = "") -> NoReturn:
    """Raise an OSError with the path and a description of the reason."""
    reason = REASONS.get(error.errno or 0, error.strerror or str(error))
    raise OSError(error.errno, f"{what}: {reason}{behind}", os.fspath(path)) from error


# ---- writing files -------------------------------------------------------------------------------


def replace(path: str | os.PathLike[str], data: bytes) -> None:
    """Write a file atomically; its data are synced to disk before it appears."""
    with replacing(path) as handle:
        write_all(handle, data)


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[int]:
    """Context manager of a handle to write to; the data replace the file atomically at the end.

    The bytes first go to a temporary file in the same folder. On an error it is removed, and the
    file at the path stays unchanged. The temporary file of a process that was killed is removed by
    the next `replace` of the same path. What goes to the null device is discarded.
    """
    target = Path(os.path.realpath(path))  # a symbolic link is kept
    if target == Path(os.devnull):
        with open(target, "wb") as nothing:
            yield nothing.fileno()
        return
    try:
        mode = _mode(target)
        _sweep(target)
        with _temporary(target) as (temporary, handle):
            if mode is not None and sys.platform != "win32":
                os.fchmod(handle, mode)
            yield handle
            os.fsync(handle)
            if sys.platform == "win32":
                os.close(handle)
            os.replace(temporary, target)
        _sync(target.parent)
    except OSError as error:
        _explain(error, path, "cannot be written", f"; {_what_is_there(target)}")


def _what_is_there(target: Path) -> str:
    """Description of the file at the path after a failure, for messages."""
    try:
        os.stat(target)
    except FileNotFoundError:
        return "no file was created"
    except OSError:
        return "nothing was changed"
    return "the file there is unchanged"


def _mode(target: Path) -> int | None:
    """Permissions of the file to be replaced; None if there is none."""
    if not target.exists():
        return None
    found = _regular(target.stat())
    if not os.access(target, os.W_OK):  # os.replace would not check this
        raise PermissionError(errno.EACCES, "")
    return stat.S_IMODE(found.st_mode)


def write_all(handle: int, data: bytes) -> None:
    """Write all bytes to a handle, which may take some at a time."""
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(handle, rest) :]


def _temporary_prefix(target: Path) -> str:
    """Prefix of the names of temporary files of a target; short even for long names."""
    return f".costboost-{sha256(os.fsencode(target.name))[:16]}-"


@contextmanager
def _temporary(target: Path) -> Iterator[tuple[Path, int]]:
    """Context manager of a temporary file beside the target, locked while it is written."""
    while True:
        path = target.with_name(f"{_temporary_prefix(target)}{secrets.token_hex(8)}.tmp")
        handle = -1
        try:
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, 0o666)
            if _lock(handle):
                yield path, handle
                return
        finally:
            with suppress(OSError):
                path.unlink()
            with suppress(OSError):
                os.close(handle)


_BINARY: int = getattr(os, "O_BINARY", 0)


def _lock(handle: int) -> bool:
    """Lock a new file; False if another process has removed it before it was locked."""
    if sys.platform == "win32":
        return True  # on Windows an open file cannot be removed
    with suppress(OSError):  # some network disks have no locks; nothing is removed there
        fcntl.flock(handle, fcntl.LOCK_EX)
    return os.fstat(handle).st_nlink > 0


def _sweep(target: Path) -> None:
    """Remove temporary files of the target that no running process has locked."""
    start = _temporary_prefix(target)
    with os.scandir(target.parent) as entries:
        left = [entry.path for entry in entries if entry.name.startswith(start)]
    for path in left:
        with suppress(OSError):
            _remove_unlocked(path)


def _remove_unlocked(path: str) -> None:
    if sys.platform == "win32":
        os.unlink(path)
        return
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.unlink(path)
    finally:
        os.close(handle)


def _sync(folder: Path) -> None:
    """Sync a folder, if the system can, so that a new name survives a power failure."""
    if sys.platform == "win32":
        return
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


# ---- the archive of a model file: its parts ------------------------------------------------------

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

Spend = Callable[[int], None]
"""Called with the memory in bytes that a part needs, before it is read."""


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


# ---- the checksum at the end of an archive, and errors for files without it ----------------------

SEAL = b"costboost sha256 "
"""Beginning of the archive's comment. The SHA-256 of all bytes up to here follows, in hexadecimal
digits, and ends the file."""
N_DIGITS = 64
N_SEAL = len(SEAL) + N_DIGITS
SEALED = re.compile(re.escape(SEAL) + rb"[0-9a-f]{64}")

BEGINNING = re.compile(rb'PK\x03\x04.{26}manifest\.json\{"format": "costboost model"', re.DOTALL)
"""The first member of the archive is the manifest, not compressed."""
SHORTEST = 71
"""Number of bytes that `BEGINNING` matches."""
END = b"PK\x05\x06"
N_END = 22
"""Signature of the end of a zip archive, and its length up to the comment."""

FOREIGN = {
    b"PK": "it is a zip archive of another kind",
    b"\x80": "it looks like a pickle, which could run any code when it is opened",
    b"\x93NUMPY": "it is a NumPy array",
    b"\x1f\x8b": "it is compressed with gzip",
}


def sha256(data: bytes) -> str:
    """The SHA-256 checksum in hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


def sealed(archive: bytes) -> bytes:
    """An archive with the digits at its end replaced by the checksum."""
    return archive[:-N_DIGITS] + sha256(archive[:-N_DIGITS]).encode()


def check_seal(data: bytes) -> None:
    """Raise a ValueError if a file is damaged, cut short, or not a model file."""
    ours = BEGINNING.match(data) is not None
    if not SEALED.fullmatch(data[-N_SEAL:]):
        raise ValueError(_broken(data) if ours else _foreign(data))
    if sha256(data[:-N_DIGITS]).encode() != data[-N_DIGITS:]:
        raise ValueError("is damaged: its check sum is not that of its bytes")


def _broken(data: bytes) -> str:
    """Message for a model file that does not end in its checksum."""
    end = data.rfind(END)
    surplus = len(data) - (end + N_END + N_SEAL)
    if end < 0 or surplus < 0:
        return "is cut short: its end is missing"
    return f"has {surplus} bytes behind its end" if surplus else "is damaged: its seal is broken"


def _foreign(data: bytes) -> str:
    """Message for a file that is not a model file."""
    if not data:
        return "is empty"
    if len(data) < SHORTEST:
        return f"has {len(data)} bytes only: it is cut short, or not a model file of costboost"
    what = [kind for start, kind in FOREIGN.items() if data.startswith(start)]
    return ": ".join(["is not a model file of costboost", *what])


# ---- strict JSON: no duplicate keys, no NaN or infinity ------------------------------------------

PER_BYTE = 32
"""Greatest memory per byte of JSON when it is read: ``[],`` is a list of 64 bytes."""


def write_json(value: Any) -> bytes:
    """The value as ASCII JSON; floats in the shortest form that reads back as an equal float."""
    return json.dumps(value, allow_nan=False).encode("ascii")


def read_json(data: bytes, spend: Spend) -> Any:
    """The value of JSON; ``spend`` is called with the memory in bytes that it needs."""
    spend(PER_BYTE * len(data))
    try:
        return json.loads(
            data.decode("ascii"),
            object_pairs_hook=_once,
            parse_constant=_no_number,
            parse_float=_finite,
        )
    except RecursionError as error:
        raise ValueError("has JSON that is nested too deeply") from error
    except ValueError as error:
        raise ValueError(f"has JSON that cannot be read: {error}") from error


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key is there twice")
    return found


def _no_number(name: str) -> Any:
    raise ValueError(f"{name} is no number")


def _finite(text: str) -> float:
    value = float(text)
    if not isfinite(value):
        raise ValueError(f"{text[:40]} is too large a number")
    return value
