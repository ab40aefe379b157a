"""How a command ends: at once on a signal, also while another thread waits for input."""

from __future__ import annotations

import contextlib
import io
import os
import select
import signal
import sys
from typing import Any, NoReturn

TERMINATED = 143
_bell: int | None = None
"""Can be read from as soon as a signal has come."""


def open_streams() -> None:
    """Put something in the place of standard streams that were closed, as services may do.

    There is nothing to read then, results cannot be written, and what is said goes nowhere.
    Otherwise the next file that is opened would take the number of such a stream.
    """
    sys.stdin = sys.stdin or os.fdopen(os.open(os.devnull, os.O_RDONLY))
    sys.stdout = sys.stdout or os.fdopen(os.open(os.devnull, os.O_RDONLY), "w")
    sys.stderr = sys.stderr or os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")


def listen() -> None:
    """From now on, signals end the wait for input and SIGTERM ends as tidily as Ctrl-C."""
    global _bell
    signal.signal(signal.SIGTERM, _terminated)
    if sys.platform == "win32":  # select knows only sockets there
        return
    _bell, button = os.pipe()
    os.set_blocking(button, False)
    signal.set_wakeup_fd(button, warn_on_full_buffer=False)


def _terminated(*_: Any) -> None:
    sys.exit(TERMINATED)


def await_bytes(stream: Any) -> None:
    """Return when a file has something to read, or its end; KeyboardInterrupt if a signal comes.

    pyarrow reads in threads of its own, where Python calls no handler of a signal, while the main
    thread waits for them inside pyarrow: without this, a silent pipe could not be interrupted.
    """
    if _bell is None or not isinstance(stream, io.FileIO):
        return
    ready, _, _ = select.select([stream.fileno(), _bell], [], [])
    if _bell in ready:
        raise KeyboardInterrupt


def leave(code: Any) -> NoReturn:
    """End the process.

    After a failure a thread of pyarrow may still wait for input. An ordinary end would wait for
    it, or abort when it comes back to an interpreter that is half gone.
    """
    if code in (None, 0) or not isinstance(code, int):
        sys.exit(code)
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)
