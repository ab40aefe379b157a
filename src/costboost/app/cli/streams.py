"""Standard streams of the process, with the signals that interrupt them."""

from __future__ import annotations

import contextlib
import io
import os
import select
import signal
import sys
from typing import Any, NoReturn

TERMINATED = 143
"""Exit code after SIGTERM."""
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


def escape_unencodable() -> None:
    """Make the standard streams escape characters that their encoding lacks."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


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
