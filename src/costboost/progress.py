"""A line of text that tells how far a fit has come."""

from __future__ import annotations

import sys
from time import monotonic
from typing import TextIO

from costboost.loop import LISTENER, Round

BAR = 24
PAUSE = 0.1
"""Seconds between two lines."""


class Progress:
    """Writes rounds done, the weighted error and the time left to the terminal, on one line.

    Where somebody is listening to the rounds, that one is told instead.
    """

    def __init__(self, n_rounds: int, stream: TextIO | None = None, of: str = "rounds") -> None:
        self.n_rounds, self.of = n_rounds, of
        self.stream = sys.stderr if stream is None else stream
        self.begun = self.shown = monotonic()
        self.done = 0

    def __call__(self, one: Round) -> None:
        """One more round is done."""
        self.advance(f"error {one.error:.4f}")

    def advance(self, note: str) -> None:
        """One more round is done, of which there is something to say."""
        self.done += 1
        tell = LISTENER.get()
        if tell is not None:
            tell(self.done, self.n_rounds)
            return
        now = monotonic()
        if now - self.shown >= PAUSE or self.done == self.n_rounds:
            self.shown = now
            self._write(note, (now - self.begun) / self.done * (self.n_rounds - self.done))

    def close(self, reason: str) -> None:
        """The fit is over."""
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
    """Counts the ensembles of folds, if the user wants to see it and nobody counts their rounds."""

    def __init__(self, verbose: int, n_ensembles: int) -> None:
        shown = bool(verbose) and LISTENER.get() is None
        self.progress = Progress(n_ensembles, of="ensembles of folds") if shown else None

    def __call__(self, note: str) -> None:
        """One more is trained."""
        if self.progress is not None:
            self.progress.advance(note)

    def expect(self, n_more: int) -> None:
        """So many are still to come."""
        if self.progress is not None:
            self.progress.n_rounds = self.progress.done + n_more

    def close(self) -> None:
        """All are trained."""
        if self.progress is not None:
            self.progress.close("calibrated on the rows held out")
