"""Settings of all tests; the last lines of a run: how many tests were skipped, and why.

Examples of hypothesis are the same in every run. ``COSTBOOST_EXAMPLES=1`` draws others, and more of
them; 10 draws ten times as many.
"""

from __future__ import annotations

import os
import signal
from collections import Counter
from typing import Any

from hypothesis import settings

EXAMPLES = os.environ.get("COSTBOOST_EXAMPLES")
settings.register_profile("fixed", derandomize=True, max_examples=15, database=None)
settings.register_profile("random", max_examples=round(100 * float(EXAMPLES or 1)))
settings.load_profile("random" if EXAMPLES else "fixed")


def pytest_configure() -> None:
    # A shell starts commands in the background with interrupts ignored, and programs inherit that.
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    skipped = terminalreporter.stats.get("skipped", [])
    reasons = Counter(_reason(report.longrepr) for report in skipped)
    terminalreporter.write_line(f"skipped: {len(skipped)}")
    for reason, count in reasons.most_common():
        terminalreporter.write_line(f"  {count} x {reason}")


def _reason(longrepr: Any) -> str:
    """The text given to ``pytest.skip``; reports hold it behind file and line."""
    text = longrepr[2] if isinstance(longrepr, tuple) else str(longrepr)
    return text.removeprefix("Skipped: ")
