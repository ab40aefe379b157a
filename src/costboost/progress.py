"""Progress of a fit, shown as a line of text."""

from __future__ import annotations

import sys
from time import monotonic
from typing import TextIO

from costboost.loop import LISTENER, Round

BAR = 24
PAUSE = 0.1
"""Least number of seconds between two updates."""


class Progress:
    """Progress bar: writes the number of rounds, the weighted error and the time left.

    If a listener is set (`costboost.loop.listening`), it is called instead.
    """

    def __init__(self, n_rounds: int, stream: TextIO | None = None, of: str = "rounds") -> None:
        self.n_rounds, self.of = n_rounds, of
        self.stream = sys.stderr if stream is None else stream
        self.begun = self.shown = monotonic()
        self.done = 0

    def __call__(self, one: Round) -> None:
        """Count a round, and show its weighted error."""
        self.advance(f"error {one.error:.4f}")

    def advance(self, note: str) -> None:
        """Count a round, and show the note."""
        self.done += 1
        listener = LISTENER.get()
        if listener is not None:
            listener(self.done, self.n_rounds)
            return
        now = monotonic()
        if now - self.shown >= PAUSE or self.done == self.n_rounds:
            self.shown = now
            self._write(note, (now - self.begun) / self.done * (self.n_rounds - self.done))

    def close(self, reason: str) -> None:
        """Write the time spent and the reason for the end."""
        if LISTENER.get() is not None:
            return
        spent = monotonic() - self.begun
        self.stream.write(f"\r{self.done} {self.of} in {spent:.2f} s: {reason}".ljust(79) + "\n")
        self.stream.flush()

    def _write(self, note: str, left: float) -> None:
        filled = BAR * self.done // self.n_rounds
        bar = "#" * filled + "." * (BAR - filled)
        line = f"\r[{bar}] {self.done}/{self.n_rounds}  {note}  {left:.1f} s left"
        self.stream.write(line.ljust(79))
        self.stream.flush()


class Folds:
    """Progress bar over the ensembles of folds, if verbose and no listener is set."""

    def __init__(self, verbose: int, n_ensembles: int) -> None:
        shown = bool(verbose) and LISTENER.get() is None
        self.progress = Progress(n_ensembles, of="ensembles of folds") if shown else None

    def __call__(self, note: str) -> None:
        """Count an ensemble."""
        if self.progress is not None:
            self.progress.advance(note)

    def expect(self, n_more: int) -> None:
        """Set how many ensembles are still to be trained."""
        if self.progress is not None:
            self.progress.n_rounds = self.progress.done + n_more

    def close(self) -> None:
        """Write the time spent."""
        if self.progress is not None:
            self.progress.close("calibrated on the rows held out")
