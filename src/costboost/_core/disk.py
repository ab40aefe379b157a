"""Files on disk, each read at once or replaced at once."""

from __future__ import annotations

import errno
import hashlib
import os
import secrets
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NoReturn

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
    return f".costboost-{hashlib.sha256(os.fsencode(target.name)).hexdigest()[:16]}-"


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
