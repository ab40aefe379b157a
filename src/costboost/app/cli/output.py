"""Output of the command line: text for the terminal, errors, standard streams and files.

Results go to standard output, everything else to standard error. Output files are complete or
absent when the process ends.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import select
import signal
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Any, NoReturn
from unicodedata import category

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from costboost._core import disk
from costboost._core.wording import amount, percent
from costboost.app.reading.errors import InputError, os_reason

if TYPE_CHECKING:
    from costboost._core.baselines import Difference
    from costboost.app.report.words import Cautions

DEFAULT_WIDTH = 120
"""Columns if the output is no terminal and COLUMNS is not set."""
MAX_WIDTH = 10_000
"""Columns in which every table fits."""
HIDDEN = {"Cc", "Cf", "Zl", "Zp", "Cs", "Co", "Cn"}
"""Unicode categories of invisible characters that control a terminal or the text direction."""


class Output(Console):
    """A console that raises BrokenPipeError instead of exiting."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


def _console(stderr: bool) -> Console:
    console = Output(stderr=stderr, highlight=False, soft_wrap=False)
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console.width = DEFAULT_WIDTH
    return console


def escaped(text: object, keep: str = "") -> str:
    """Text with control characters as escape sequences, so that data cannot steer the terminal."""
    return "".join(
        one if one in keep or one.isprintable() or category(one) not in HIDDEN else _escape(one)
        for one in str(text)
    )


def _escape(character: str) -> str:
    return character.encode("unicode_escape", "surrogatepass").decode("ascii")


def escape_unencodable() -> None:
    """Make the standard streams escape characters that their encoding lacks."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def width() -> int:
    """Columns of standard output."""
    return _console(stderr=False).width


# ---- messages ------------------------------------------------------------------------------------

_collections: list[list[str]] = []


@contextmanager
def collected_notes() -> Iterator[list[str]]:
    """A list to which all notes are added that are printed meanwhile."""
    _collections.append([])
    try:
        yield _collections[-1]
    finally:
        _collections.pop()


def note(text: str) -> None:
    """Print something that the user should know."""
    for notes in _collections:
        notes.append(text)
    _message("note: ", "yellow", text)


def warning(text: str) -> None:
    """Print something that makes the result doubtful."""
    _message("warning: ", "bold yellow", text)


def info(text: str) -> None:
    """Print what has been done."""
    _console(stderr=True).print(Text(escaped(text)), soft_wrap=True)


def error(text: str) -> None:
    """Print why the command fails."""
    _message("error: ", "bold red", text)


def _message(start: str, style: str, text: str) -> None:
    line = Text.assemble((start, style), escaped(" ".join(text.split())))
    console = _console(stderr=True)
    console.print(line, soft_wrap=not console.is_terminal)  # for programs, one line each


UNSEEN = ".* are categories that training had no rows of"
"""Warnings of categories that commands have notes on, with the columns of the file."""


@contextmanager
def warnings_as_notes() -> Iterator[None]:
    """Print warnings of the library as notes, each once."""
    shown: set[str] = set()

    def show(message: Any, *_: Any, **__: Any) -> None:
        text = str(message)
        if text not in shown:
            shown.add(text)
            note(text)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", UserWarning)
        warnings.filterwarnings("ignore", UNSEEN)
        warnings.showwarning = show
        yield


# ---- results -------------------------------------------------------------------------------------


def write_json(result: Any) -> None:
    """Print a result as JSON."""
    ascii_only = "utf" not in (sys.stdout.encoding or "").lower()
    sys.stdout.write(json.dumps(result, indent=2, ensure_ascii=ascii_only, allow_nan=False) + "\n")


def write(text: str = "") -> None:
    """Print a line of a result."""
    _console(stderr=False).print(Text(escaped(text, keep="\n")))


def output_error(show: Callable[[], None]) -> OSError | None:
    """Call a function that prints, and return its error if the output is closed or full."""
    try:
        show()
        sys.stdout.flush()
    except OSError as error:
        return error
    return None


def heading(text: str) -> None:
    """Print the title of a part of a result."""
    _console(stderr=False).print(Text(escaped(text, keep="\n"), style="bold"))


def table(
    head: Sequence[str], rows: Sequence[Sequence[Any]], numbers: int = 0, wraps: int | None = None
) -> None:
    """Print a table; the last ``numbers`` columns are right-aligned, column ``wraps`` may wrap."""
    head, rows = [*map(escaped, head)], [[*map(escaped, row)] for row in rows]
    shown = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, header_style="bold")
    for k, title in enumerate(head):
        shown.add_column(
            Text(title),
            justify="left" if k < len(head) - numbers else "right",
            no_wrap=k != wraps,
            overflow="fold" if k == wraps else "ellipsis",
            min_width=None if k == wraps else max(cell_len(str(row[k])) for row in [head, *rows]),
        )
    for row in rows:
        shown.add_row(*(Text(str(cell)) for cell in row))
    console = _console(stderr=False)
    least = console.measure(shown, options=console.options.update(width=MAX_WIDTH)).minimum
    console.width = max(console.width, least)  # the terminal wraps lines; no cell is cut
    console.print(shown)


def blocks(n: int) -> str:
    """A bar of n characters."""
    try:
        "█".encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return "#" * n
    return "█" * n


def plural(n: int, what: str) -> str:
    """A number and a noun, with an s unless the number is 1."""
    return f"{n:,} {what}" if n == 1 else f"{n:,} {what}s"


def interval(saved: Difference) -> str:
    """The cost that was saved, with the half width of its interval."""
    return f"{amount(saved.money)} ± {amount(saved.high - saved.money)}"


def savings(found: Difference | None, against: str) -> str:
    """A sentence about the share of the cost that a model saves against the best rule without."""
    if found is None:
        return f"Without a model, {against} costs nothing here: there is nothing to save."
    if found.is_none:
        return f"Savings: none. Row by row, the decisions cost what {against} costs."
    share, low, high = map(percent, found)
    return (
        f"Savings: {share} of the cost of {against}, the cheapest rule without a model (95% "
        f"interval {low} to {high})."
    )


def cautions(found: Cautions, printed: Sequence[str] = ()) -> None:
    """Print the cautions about a result that were not printed before."""
    before = [*printed, *(text for notes in _collections for text in notes)]
    for one in found.found:
        if not any(text.startswith(one.text) for text in before):
            note(one.text)


# ---- progress ------------------------------------------------------------------------------------

LINE_SECONDS = 30.0
"""Time between two lines of progress if standard error is no terminal."""
DESCRIPTION = "{task.description}"
"""The text beside a bar is passed apart: it may contain brackets and braces."""


@contextmanager
def spinner(text: str) -> Iterator[None]:
    """Show a spinner with the time elapsed if standard error is a terminal."""
    console = _console(stderr=True)
    if not console.is_terminal:
        yield
        return
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = SpinnerColumn(), TextColumn(DESCRIPTION, markup=False), TimeElapsedColumn()
    with Progress(*columns, console=console, transient=True) as progress:
        progress.add_task(escaped(text), total=None)
        yield


@contextmanager
def progress_bar(text: str, silent: bool = False) -> Iterator[Callable[[float], None] | None]:
    """A function that sets the share done of a progress bar; None if there is no terminal."""
    console = _console(stderr=True)
    if silent or not console.is_terminal:
        yield None
        return
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeRemainingColumn

    columns = (
        SpinnerColumn(),
        TextColumn(DESCRIPTION, markup=False),
        BarColumn(bar_width=None),
        TextColumn("{task.percentage:>3.0f} %"),
        TimeRemainingColumn(elapsed_when_finished=True),
        TextColumn("left"),
    )
    with Progress(*columns, console=console, transient=True, expand=True) as progress:
        task = progress.add_task(escaped(text), total=1.0)
        yield lambda share: progress.update(task, completed=share)


@contextmanager
def count_bar(text: str, of: str) -> Iterator[Callable[[int, int, float | None], None]]:
    """A function that shows how many of a number of things are done, and the seconds left.

    Without a terminal it prints a line now and then.
    """
    console = _console(stderr=True)
    if not console.is_terminal:
        yield _count_lines(text, of)
        return
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn

    columns = (
        SpinnerColumn(),
        TextColumn(DESCRIPTION, markup=False),
        BarColumn(bar_width=None),
        TextColumn("{task.fields[count]}", markup=False),
    )
    with Progress(*columns, console=console, transient=True, expand=True) as progress:
        task = progress.add_task(escaped(text), total=None, count="")

        def update(done: int, total: int, left: float | None) -> None:
            count = _count(done, total, of, left)
            progress.update(task, completed=done, total=total, count=count)

        yield update


def _count_lines(text: str, of: str) -> Callable[[int, int, float | None], None]:
    printed = monotonic()

    def update(done: int, total: int, left: float | None) -> None:
        nonlocal printed
        if monotonic() - printed >= LINE_SECONDS:
            printed = monotonic()
            info(f"{text}: {_count(done, total, of, left)}")

    return update


def _count(done: int, total: int, of: str, left: float | None) -> str:
    count = f"{done:,}/{total:,} {of}"
    if left is None or done >= total:
        return count
    hours, minutes, seconds = int(left) // 3600, int(left) // 60 % 60, int(left) % 60
    return f"{count}, {hours}:{minutes:02d}:{seconds:02d} left"


# ---- standard streams and signals ----------------------------------------------------------------

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


# ---- errors that end a command -------------------------------------------------------------------

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
