"""Progress of a fit: logged, and shown as a line of text on request."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic

from costboost._core.loop.listening import LISTENER
from costboost._core.tables import Table

LOG = logging.getLogger(__name__)

BAR = 24
SHOWN_EVERY = 0.1
"""Least number of seconds between two updates."""


class Progress:
    """Counts rounds; if verbose, a bar shows their number, a note and the time left.

    There is no bar if a listener is set (`loop.listening`), which shows them instead.
    """

    def __init__(self, n_rounds: int, verbose: int, of: str = "rounds") -> None:
        self.n_rounds, self.of = n_rounds, of
        self.stream = sys.stderr if verbose and LISTENER.get() is None else None
        self.begun = self.shown = monotonic()
        self.done = 0

    def __call__(self, note: str) -> None:
        """Count a round, and show the note."""
        self.done += 1
        now = monotonic()
        if self.stream is None:
            return
        if now - self.shown >= SHOWN_EVERY or self.done == self.n_rounds:
            self.shown = now
            left = (now - self.begun) / self.done * (self.n_rounds - self.done)
            filled = BAR * self.done // self.n_rounds
            bar = "#" * filled + "." * (BAR - filled)
            line = f"\r[{bar}] {self.done}/{self.n_rounds}  {note}  {left:.1f} s left"
            self.stream.write(line.ljust(79))
            self.stream.flush()

    def close(self, reason: str) -> None:
        """Write the time spent and the reason for the end."""
        if self.stream is not None:
            spent = monotonic() - self.begun
            line = f"\r{self.done} {self.of} in {spent:.2f} s: {reason}"
            self.stream.write(line.ljust(79) + "\n")
            self.stream.flush()


class LoggedRounds(Progress):
    """Rounds of methods with a loop of their own: logged, and told to the listener."""

    def __call__(self, note: str) -> None:
        super().__call__(note)
        LOG.debug("round %d of %d: %s", self.done, self.n_rounds, note)
        listener = LISTENER.get()
        if listener is not None:
            listener(self.done, self.n_rounds)

    def close(self, reason: str) -> None:
        LOG.info("%d rounds: %s", self.done, reason)
        super().close(reason)


class Folds(Progress):
    """Ensembles of folds, logged."""

    def __init__(self, n_ensembles: int, verbose: int) -> None:
        super().__init__(n_ensembles, verbose, "ensembles of folds")

    def __call__(self, note: str) -> None:
        super().__call__(note)
        LOG.info("ensemble %d of %d of the folds: %s", self.done, self.n_rounds, note)

    def expect(self, n_more: int) -> None:
        """Set how many ensembles are still to be trained."""
        self.n_rounds = self.done + n_more

    def close(self, reason: str = "calibrated on the rows held out") -> None:
        super().close(reason)


@contextmanager
def logged_fit(name: str, table: Table) -> Iterator[None]:
    """Log the begin and the end of a fit of a classifier."""
    begun = monotonic()
    LOG.info("%s: fit on %d rows with %d features", name, table.n_rows, table.n_features)
    yield
    LOG.info("%s: fitted in %.2f s", name, monotonic() - begun)
