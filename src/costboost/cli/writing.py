"""Where results go: standard output, or a file that appears when it is complete."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from costboost.cli import console
from costboost.cli.errors import EXPECTED, message_of
from costboost.files import disk
from costboost.reading.errors import InputError, os_reason

Write = Callable[[bytes], None]


def check_place(path: str | None, *others: str | None) -> None:
    """A InputError if there cannot be a file, before hours are spent on what goes into it.

    ``others`` are files that the command reads or writes, too.
    """
    if path is None:
        return
    if path == "-":
        raise InputError("this is not written to standard output: name a file instead of -")
    check_apart(path, *others)
    folder = os.path.dirname(os.path.abspath(path))
    if not os.path.isdir(folder):
        raise InputError(f"{path} cannot be written: there is no folder {folder}")
    if os.path.isdir(path):
        raise InputError(f"{path} cannot be written: it is a folder, not a file")
    if not os.access(path if os.path.exists(path) else folder, os.W_OK):
        raise InputError(f"{path} cannot be written: this user may not")


def check_apart(path: str | None, *others: str | None) -> None:
    """A InputError if a result would take the place of another file of the same command."""
    for other in others:
        if path is not None and other is not None and _same(path, other):
            raise InputError(
                f"{path} is named twice: what is written there would replace {other}; name "
                "another file"
            )


def _same(path: str, other: str) -> bool:
    if os.path.exists(path) and os.path.exists(other):
        return os.path.samefile(path, other)
    return os.path.abspath(path) == os.path.abspath(other)


def write_each(files: Mapping[str, Callable[[], str]]) -> None:
    """Write several files, each by a function that returns what to print of it.

    A file that cannot be written does not prevent the others; the error at the end names both.
    """
    written, failed = [], []
    for path, write in files.items():
        try:
            console.done(write())
            written.append(path)
        except EXPECTED as error:
            failed.append(error)
    if len(failed) == 1 and not written:
        raise failed[0]
    if failed:
        found = [*map(message_of, failed), *(f"{path} was written" for path in written)]
        raise InputError("; ".join(found)) from failed[0]


@contextmanager
def output(path: str | None) -> Iterator[Write]:
    """A function that writes to a file, or to standard output if there is no path or it is -."""
    if path is None or path == "-":
        yield _standard
        _flush()
        return
    with disk.replacing(path) as handle:

        def write(data: bytes) -> None:
            rest = memoryview(data)
            while rest:
                rest = rest[os.write(handle, rest) :]

        yield write


def _standard(data: bytes) -> None:
    try:
        sys.stdout.buffer.write(data)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise InputError(f"standard output cannot be written: {os_reason(error)}") from error


def _flush() -> None:
    try:
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise InputError(f"standard output cannot be written: {os_reason(error)}") from error
