"""Progress of a command on standard error."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Any

from costboost.app.cli.terminal import escaped, info, open_console

if TYPE_CHECKING:
    from rich.console import Console

LINE_SECONDS = 30.0
"""Time between two lines of progress if standard error is no terminal."""
DESCRIPTION = "{task.description}"
"""The text beside a bar is passed apart: it may contain brackets and braces."""


@contextmanager
def _shown(
    console: Console, text: str, *columns: Any, **fields: Any
) -> Iterator[Callable[..., None]]:
    """Show a line with a text and columns meanwhile; a function that updates its fields."""
    from rich.progress import Progress, SpinnerColumn, TextColumn

    first = SpinnerColumn(), TextColumn(DESCRIPTION, markup=False)
    wide = len(columns) > 1
    with Progress(*first, *columns, console=console, transient=True, expand=wide) as progress:
        yield partial(progress.update, progress.add_task(escaped(text), **fields))


@contextmanager
def spinner(text: str) -> Iterator[None]:
    """Show a spinner with the time elapsed if standard error is a terminal."""
    console = open_console(stderr=True)
    if not console.is_terminal:
        yield
        return
    from rich.progress import TimeElapsedColumn

    with _shown(console, text, TimeElapsedColumn(), total=None):
        yield


@contextmanager
def progress_bar(text: str, silent: bool = False) -> Iterator[Callable[[float], None] | None]:
    """A function that sets the share done of a progress bar; None if there is no terminal."""
    console = open_console(stderr=True)
    if silent or not console.is_terminal:
        yield None
        return
    from rich.progress import BarColumn, TextColumn, TimeRemainingColumn

    percent = TextColumn("{task.percentage:>3.0f} %")
    left = TimeRemainingColumn(elapsed_when_finished=True), TextColumn("left")
    with _shown(console, text, BarColumn(bar_width=None), percent, *left, total=1.0) as update:
        yield lambda share: update(completed=share)


@contextmanager
def count_bar(text: str, of: str) -> Iterator[Callable[[int, int, float | None], None]]:
    """A function that shows how many of a number of things are done, and the seconds left.

    Without a terminal it prints a line now and then.
    """
    console = open_console(stderr=True)
    if not console.is_terminal:
        yield _count_lines(text, of)
        return
    from rich.progress import BarColumn, TextColumn

    count = TextColumn("{task.fields[count]}", markup=False)
    with _shown(console, text, BarColumn(bar_width=None), count, total=None, count="") as update:
        yield lambda done, total, left: update(
            completed=done, total=total, count=_count(done, total, of, left)
        )


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
