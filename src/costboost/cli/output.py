"""Standard streams, signals and output files: complete or absent when the process ends."""

from __future__ import annotations

import contextlib
import io
import os
import select
import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NoReturn

from costboost.cli import console
from costboost.files import disk
from costboost.reading.errors import InputError, os_reason

TERMINATED = 143
_wakeup: int | None = None
"""A pipe that becomes readable when a signal arrives."""


def open_streams() -> None:
    """Replace standard streams that are closed, as services may start a program.

    Otherwise the next file that is opened would take the number of such a stream. Standard input
    is then empty, standard output fails when it is written, and standard error is discarded.
    """
    sys.stdin = sys.stdin or os.fdopen(os.open(os.devnull, os.O_RDONLY))
    sys.stdout = sys.stdout or os.fdopen(os.open(os.devnull, os.O_RDONLY), "w")
    sys.stderr = sys.stderr or os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")


def install_handlers() -> None:
    """Let signals interrupt `wait_for_input`, and SIGTERM exit as cleanly as Ctrl-C."""
    global _wakeup
    signal.signal(signal.SIGTERM, _terminate)
    if sys.platform == "win32":  # select takes only sockets there
        return
    _wakeup, write_end = os.pipe()
    os.set_blocking(write_end, False)
    signal.set_wakeup_fd(write_end, warn_on_full_buffer=False)


def _terminate(*_: Any) -> None:
    sys.exit(TERMINATED)


def wait_for_input(stream: Any) -> None:
    """Return when a file has bytes to read or is at its end; KeyboardInterrupt on a signal.

    pyarrow reads in threads of its own, where Python runs no signal handlers, while the main thread
    waits for them inside pyarrow: without this, a silent pipe could not be interrupted.
    """
    if _wakeup is None or not isinstance(stream, io.FileIO):
        return
    ready, _, _ = select.select([stream.fileno(), _wakeup], [], [])
    if _wakeup in ready:
        raise KeyboardInterrupt


def exit_process(code: Any) -> NoReturn:
    """Exit; after a failure without waiting for threads.

    A thread of pyarrow may still wait for input. An ordinary exit would wait for it, or abort when
    it returns to an interpreter that is shutting down.
    """
    if code in (None, 0) or not isinstance(code, int):
        sys.exit(code)
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)


# ---- files and standard output: checked before work begins, and complete or absent afterwards ----


EXTRAS = {
    "pyarrow": "cli",
    "typer": "cli",
    "rich": "cli",
    "matplotlib": "plots",
    "pandas": "datasets",
}
"""Package -> the extra that installs it."""
EXPECTED = (OSError, ValueError, ImportError, MemoryError)
"""Errors that end a command with a message; any other is a defect of the program."""


def message_of(error: BaseException) -> str:
    """The message of one of the `EXPECTED` errors, with options instead of parameters."""
    if isinstance(error, InputError):
        return _with_option(error)
    if isinstance(error, MemoryError):
        return f"there is not enough memory {error}".strip()
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename} {error.strerror}"
    if isinstance(error, OSError) and error.errno:
        return f"the output cannot be written: {os_reason(error)}"
    if isinstance(error, ModuleNotFoundError):
        extra = EXTRAS.get((error.name or "").split(".")[0])
        if extra:
            return f'{error.name} is not installed: pip install "costboost[{extra}]"'
    return str(error) or type(error).__name__


def _with_option(error: InputError) -> str:
    if not error.parameter:
        return error.message
    option = f"--{error.parameter.replace('_', '-')}"
    if error.value is None:
        return f"{error.message}; check {option}"
    if error.parameter == "drop":
        return f"{error.message}; leave it out with {option} {error.value!r}"
    if error.parameter == "max_memory":
        return f"{error.message}: costboost {option} {error.value} ..."
    return f"{error.message}; try {option} {error.value}"


# ---- checks --------------------------------------------------------------------------------------


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
    if os.path.exists(path) and os.path.exists(other):
        return os.path.samefile(path, other)
    return os.path.abspath(path) == os.path.abspath(other)


# ---- writing -------------------------------------------------------------------------------------


def write_each(writers: Mapping[str, Callable[[], str]]) -> None:
    """Write several files, each by a function that returns the line to print about it.

    A file that cannot be written does not prevent the others; the error at the end names both.
    """
    written, errors = [], []
    for path, write in writers.items():
        try:
            console.info(write())
            written.append(path)
        except EXPECTED as error:
            errors.append(error)
    if len(errors) == 1 and not written:
        raise errors[0]
    if errors:
        found = [*map(message_of, errors), *(f"{path} was written" for path in written)]
        raise InputError("; ".join(found)) from errors[0]


@contextmanager
def open_output(path: str | None) -> Iterator[Callable[[bytes], None]]:
    """A function that writes bytes to a file, or to standard output if path is None or -."""
    if path is None or path == "-":
        yield _write_to_standard_output
        with _standard_output_errors():
            sys.stdout.buffer.flush()
        return
    with disk.replacing(path) as handle:

        def write(data: bytes) -> None:
            rest = memoryview(data)
            while rest:
                rest = rest[os.write(handle, rest) :]

        yield write


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
