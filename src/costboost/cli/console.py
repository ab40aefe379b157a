"""What the user is told: results on standard output, all the rest on standard error."""

from __future__ import annotations

import io
import json
import os
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from decimal import ROUND_HALF_UP, Decimal
from typing import TYPE_CHECKING, Any
from unicodedata import category

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from costboost.report.cautions import Cautions
    from costboost.report.numbers.two_classes import Difference


PIPED = 120
"""Columns where there is no terminal that has a width, and nobody says how many."""

WIDEST = 10_000
"""Columns that no table needs."""


class Output(Console):
    """A console that leaves it to the command what a closed pipe means."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


def _console(stderr: bool) -> Console:
    console = Output(stderr=stderr, highlight=False, soft_wrap=False)
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console.width = PIPED
    return console


HIDDEN = {"Cc", "Cf", "Zl", "Zp", "Cs", "Co", "Cn"}
"""Categories of characters that steer a terminal, or the direction of the text, unseen."""


def plain(text: object, kept: str = "") -> str:
    """Text from data as it may be shown: what would steer the terminal is written as its number."""
    return "".join(
        one if one in kept or one.isprintable() or category(one) not in HIDDEN else _number(one)
        for one in str(text)
    )


def _number(character: str) -> str:
    return character.encode("unicode_escape", "surrogatepass").decode("ascii")


def any_text() -> None:
    """From now on, a character that the output's encoding lacks is written as its number."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def width() -> int:
    """Columns that a result may take."""
    return _console(stderr=False).width


_heard: list[list[str]] = []


@contextmanager
def hearing() -> Iterator[list[str]]:
    """A list of the notes that the user gets meanwhile."""
    _heard.append([])
    try:
        yield _heard[-1]
    finally:
        _heard.pop()


def note(text: str) -> None:
    """Something that the user should know."""
    for notes in _heard:
        notes.append(text)
    _aside("note: ", "yellow", text)


def warn(text: str) -> None:
    """Something that makes the result doubtful."""
    _aside("warning: ", "bold yellow", text)


def done(text: str) -> None:
    """Something that has been made."""
    _console(stderr=True).print(Text(plain(text)), soft_wrap=True)


def complain(text: str) -> None:
    """Why the command ends."""
    _aside("error: ", "bold red", text)


def _aside(start: str, style: str, text: str) -> None:
    line = Text.assemble((start, style), plain(" ".join(text.split())))
    console = _console(stderr=True)
    console.print(line, soft_wrap=not console.is_terminal)  # for programs, one line each


# ---- results -------------------------------------------------------------------------------------


def as_json(result: Any) -> None:
    """A result for programs."""
    plain = "utf" not in (sys.stdout.encoding or "").lower()
    sys.stdout.write(json.dumps(result, indent=2, ensure_ascii=plain, allow_nan=False) + "\n")


def say(text: str = "") -> None:
    """A line of a result."""
    _console(stderr=False).print(Text(plain(text, kept="\n")))


def deaf(tell: Callable[[], None]) -> OSError | None:
    """Tell a result; the error if it cannot be written, as when ``head`` has read enough."""
    try:
        tell()
        sys.stdout.flush()
    except OSError as error:
        return error
    return None


def heading(text: str) -> None:
    """The title of a part of a result."""
    _console(stderr=False).print(Text(plain(text, kept="\n"), style="bold"))


def table(
    head: Sequence[str], rows: Sequence[Sequence[Any]], numbers: int = 0, wraps: int | None = None
) -> None:
    """A table whose last so many columns are numbers; only one column may break its lines."""
    head, rows = [*map(plain, head)], [[*map(plain, row)] for row in rows]
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
    least = console.measure(shown, options=console.options.update(width=WIDEST)).minimum
    console.width = max(console.width, least)  # the terminal breaks lines; nothing is left out
    console.print(shown)


def blocks(n: int) -> str:
    """A bar of so many characters."""
    try:
        "█".encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return "#" * n
    return "█" * n


def plural(n: int, what: str) -> str:
    """So many things."""
    return f"{n:,} {what}" if n == 1 else f"{n:,} {what}s"


def number(value: float) -> str:
    """A number with as many digits as mean something."""
    if value == int(value) and abs(value) < 1e15:
        return f"{int(value):,}"
    return f"{value:,.0f}" if abs(value) >= 10_000 else f"{value:,.4g}"


def percent(share: float) -> str:
    """A share in percent; halves are rounded away from 0, as on the page of the report."""
    digits = Decimal(f"{100 * share:.12g}")
    return f"{digits.quantize(Decimal('0.1'), ROUND_HALF_UP):f} %"


def interval(saved: Difference) -> str:
    """Money that was saved, and how far it may be off."""
    return f"{number(saved.money)} ± {number(saved.high - saved.money)}"


def savings(found: Difference | None) -> str:
    """A sentence on the share of the cost that a model saves."""
    if found is None:
        return "Deciding without a model costs nothing here: there is nothing to save."
    if found.low == found.high == 0:
        return "Savings: none. Row by row, the decisions cost what deciding without a model costs."
    share, low, high = map(percent, found)
    return (
        f"Savings: {share} of the cost of deciding without a model (95% interval {low} to {high})."
    )


def cautions(found: Cautions, told: Sequence[str] = ()) -> None:
    """What to keep in mind when reading a result, unless the user has been told."""
    heard = [*told, *(text for notes in _heard for text in notes)]
    for one in found.found:
        if not any(text.startswith(one.text) for text in heard):
            note(one.text)


# ---- while it lasts ------------------------------------------------------------------------------


DESCRIPTION = "{task.description}"
"""What is going on, which may have brackets and braces in it."""


@contextmanager
def working(text: str) -> Iterator[None]:
    """Show that something is going on, and for how long; nothing where nobody looks."""
    console = _console(stderr=True)
    if not console.is_terminal:
        yield
        return
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = SpinnerColumn(), TextColumn(DESCRIPTION, markup=False), TimeElapsedColumn()
    with Progress(*columns, console=console, transient=True) as progress:
        progress.add_task(plain(text), total=None)
        yield


Tell = Callable[[float], None]


@contextmanager
def advancing(text: str, silent: bool = False) -> Iterator[Tell | None]:
    """A bar with the time left, to be told the share that is done; None where nobody looks."""
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
        task = progress.add_task(plain(text), total=1.0)
        yield lambda share: progress.update(task, completed=share)


@contextmanager
def warnings_as_notes() -> Iterator[None]:
    """Warnings of the library, one line each and each once."""
    told: set[str] = set()

    def show(message: Any, *_: Any, **__: Any) -> None:
        text = str(message)
        if text not in told:
            told.add(text)
            note(text)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", UserWarning)
        warnings.showwarning = show
        yield
