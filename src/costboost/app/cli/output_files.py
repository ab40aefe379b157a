"""Output files, which are complete or absent when the process ends."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial

from costboost._core import disk
from costboost.app.cli.errors import EXPECTED, message_of
from costboost.app.cli.terminal import info
from costboost.app.reading.errors import InputError, os_reason

# ---- checks of output files before work begins ---------------------------------------------------


def check_writable(path: str | None, *others: str | None) -> None:
    """Raise an InputError if a file cannot be written, before hours are spent on its content.

    ``others`` are further files that the command reads or writes.
    """
    if path is None:
        return
    if path == "-":
        raise InputError("this is not written to standard output: name a file instead of -")
    check_distinct(path, *others)
    folder = os.path.dirname(os.path.abspath(path))
    if not os.path.isdir(folder):
        raise InputError(f"{path} cannot be written: there is no folder {folder}")
    if os.path.isdir(path):
        raise InputError(f"{path} cannot be written: it is a folder, not a file")
    if not os.access(path if os.path.exists(path) else folder, os.W_OK):
        raise InputError(f"{path} cannot be written: this user may not")


def check_distinct(path: str | None, *others: str | None) -> None:
    """Raise an InputError if a result would replace another file of the same command."""
    for other in others:
        if path is not None and other is not None and _same_file(path, other):
            raise InputError(
                f"{path} is named twice: what is written there would replace {other}; name "
                "another file"
            )


def _same_file(path: str, other: str) -> bool:
    if os.path.realpath(path) == os.devnull:
        return False
    if os.path.exists(path) and os.path.exists(other):
        return os.path.samefile(path, other)
    return os.path.abspath(path) == os.path.abspath(other)


# ---- output files, complete or absent ------------------------------------------------------------


def write_each(writers: Mapping[str, Callable[[], str]]) -> None:
    """Write several files, each by a function that returns the line to print about it.

    A file that cannot be written does not prevent the others; the error at the end names both.
    """
    written, errors = [], []
    for path, write_one in writers.items():
        try:
            info(write_one())
            written.append(path)
        except EXPECTED as error:
            errors.append(error)
    if len(errors) == 1 and not written:
        raise errors[0]
    if errors:
        outcomes = [*map(message_of, errors), *(f"{path} was written" for path in written)]
        raise InputError("; ".join(outcomes)) from errors[0]


@contextmanager
def open_output(path: str | None) -> Iterator[Callable[[bytes], None]]:
    """A function that writes bytes to a file, or to standard output if path is None or -."""
    if path is None or path == "-":
        yield _write_to_standard_output
        with _standard_output_errors():
            sys.stdout.buffer.flush()
        return
    with disk.replacing(path) as handle:
        yield partial(disk.write_all, handle)


def _write_to_standard_output(data: bytes) -> None:
    with _standard_output_errors():
        sys.stdout.buffer.write(data)


@contextmanager
def _standard_output_errors() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise InputError(f"standard output cannot be written: {os_reason(error)}") from error
