"""Files on disk: written whole or not at all, and read with a word on what is in the way."""

from __future__ import annotations

import errno
import os
import secrets
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NoReturn

from costboost.files.archive import sha256

if sys.platform != "win32":
    import fcntl


# ---- reading -------------------------------------------------------------------------------------


def read(path: str | os.PathLike[str], most_bytes: int) -> bytes:
    """The bytes of a file, unless there are too many of them."""
    try:
        with open(path, "rb", opener=_at_once) as file:  # another file may take its place any time
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
    """An OSError if there is no file to read."""
    try:
        _regular(os.stat(path))
    except OSError as error:
        _explain(error, path, "cannot be read")


def _at_once(path: str, flags: int) -> int:
    """Open a file; a pipe without waiting for somebody to write to it."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _regular(found: os.stat_result) -> os.stat_result:
    """What the system knows of a path or handle, if it is that of a file."""
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
"""What the usual errors of the system mean here."""


def _explain(error: OSError, path: str | os.PathLike[str], what: str, behind: str = "") -> NoReturn:
    """Raise the same error with the path, and the reason in words."""
    reason = REASONS.get(error.errno or 0, error.strerror or str(error))
    raise OSError(error.errno, f"{what}: {reason}{behind}", os.fspath(path)) from error


# ---- writing -------------------------------------------------------------------------------------


def replace(path: str | os.PathLike[str], data: bytes) -> None:
    """Put a file in its place in one step, safely on the disk before it appears."""
    with replacing(path) as handle:
        _write(handle, data)


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[int]:
    """A handle to write to; what is written takes the file's place at the end, in one step.

    The bytes go to a temporary file in the same folder first. Whatever goes wrong, it is removed,
    and what was at the path stays. Only a process that is killed cannot do so; what it leaves is
    removed by the next `replace` of the same path.
    """
    target = Path(os.path.realpath(path))  # a link stays a link
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
    """What is at the path after a failure, as far as this user may know."""
    try:
        os.stat(target)
    except FileNotFoundError:
        return "no file was created"
    except OSError:
        return "nothing was changed"
    return "the file there is unchanged"


def _mode(target: Path) -> int | None:
    """The rights of the file that is to be replaced, if there is one."""
    if not target.exists():
        return None
    found = _regular(target.stat())
    if not os.access(target, os.W_OK):  # a new file in its place would not ask
        raise PermissionError(errno.EACCES, "")
    return stat.S_IMODE(found.st_mode)


def _write(handle: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(handle, rest) :]


def _names(target: Path) -> str:
    """How the temporary files of a target begin; short, however long its own name is."""
    return f".costboost-{sha256(os.fsencode(target.name))[:16]}-"


@contextmanager
def _temporary(target: Path) -> Iterator[tuple[Path, int]]:
    """A new file beside the target, locked as long as somebody writes it, gone at the end."""
    while True:
        path = target.with_name(f"{_names(target)}{secrets.token_hex(8)}.tmp")
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
    """Lock a new file; False if it has been swept away in the moment before."""
    if sys.platform == "win32":
        return True  # there, nobody can remove a file that is open
    with suppress(OSError):  # some network disks have no locks: then nothing is swept there
        fcntl.flock(handle, fcntl.LOCK_EX)
    return os.fstat(handle).st_nlink > 0


def _sweep(target: Path) -> None:
    """Remove temporary files of the target that no living process has locked."""
    start = _names(target)
    with os.scandir(target.parent) as entries:
        left = [entry.path for entry in entries if entry.name.startswith(start)]
    for path in left:
        with suppress(OSError):
            _remove_if_dead(path)


def _remove_if_dead(path: str) -> None:
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
    """See to it that the new name outlives a power cut, where folders can be synced."""
    if sys.platform == "win32":
        return
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
