"""The terminal of a command: results go to standard output, everything else to standard error."""

from __future__ import annotations

import json
import os
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from unicodedata import category

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from costboost._core.wording import percent

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


def open_console(stderr: bool) -> Console:
    console = Output(stderr=stderr, highlight=False, soft_wrap=False)
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console.width = DEFAULT_WIDTH
    return console


def escaped(text: object, keep: str = "") -> str:
    """Text with control characters as escape sequences, so that data cannot steer the terminal."""
    return "".join(
        character
        if character in keep or character.isprintable() or category(character) not in HIDDEN
        else _escape(character)
        for character in str(text)
    )


def _escape(character: str) -> str:
    return character.encode("unicode_escape", "surrogatepass").decode("ascii")


def width() -> int:
    """Columns of standard output."""
    return open_console(stderr=False).width


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
    open_console(stderr=True).print(Text(escaped(text)), soft_wrap=True)


def error(text: str) -> None:
    """Print why the command fails."""
    _message("error: ", "bold red", text)


def _message(start: str, style: str, text: str) -> None:
    line = Text.assemble((start, style), escaped(" ".join(text.split())))
    console = open_console(stderr=True)
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
    open_console(stderr=False).print(Text(escaped(text, keep="\n")))


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
    open_console(stderr=False).print(Text(escaped(text, keep="\n"), style="bold"))


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
    console = open_console(stderr=False)
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


def savings(saved: Difference | None, against: str) -> str:
    """A sentence about the share of the cost that a model saves against the best rule without."""
    if saved is None:
        return f"Without a model, {against} costs nothing here: there is nothing to save."
    if saved.is_none:
        return f"Savings: none. Row by row, the decisions cost what {against} costs."
    share, low, high = map(percent, saved)
    return (
        f"Savings: {share} of the cost of {against}, the cheapest rule without a model (95% "
        f"interval {low} to {high})."
    )


def cautions(about: Cautions, printed: Sequence[str] = ()) -> None:
    """Print the cautions about a result that were not printed before."""
    before = [*printed, *(text for notes in _collections for text in notes)]
    for caution in about.found:
        if not any(text.startswith(caution.text) for text in before):
            note(caution.text)
