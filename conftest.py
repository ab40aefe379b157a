"""Settings of all tests; the last lines of a run: how many tests were skipped, and why.

Examples of hypothesis are the same in every run. ``COSTBOOST_EXAMPLES=1`` draws others, and more of
them; 10 draws ten times as many.

A run of the whole suite leaves out tests marked ``slow``, and of a test with many parameters a part
of them: ``SAMPLE`` and a tenth of the rest, always the same ones, unless it is marked ``complete``.
With ``COSTBOOST_EXAMPLES``, and in runs of some folders or files, all tests are run.
"""

from __future__ import annotations

import os
import signal
import zlib
from collections import Counter, defaultdict
from typing import Any

import pytest
from hypothesis import settings

EXAMPLES = os.environ.get("COSTBOOST_EXAMPLES")
settings.register_profile("fixed", deadline=None, derandomize=True, max_examples=15, database=None)
settings.register_profile("random", deadline=None, max_examples=round(100 * float(EXAMPLES or 1)))
settings.load_profile("random" if EXAMPLES else "fixed")

WHOLE_SUITE = 5000  # tests; runs of a part have fewer
SAMPLE = 12  # parameter sets of one test


def pytest_configure() -> None:
    # A shell starts commands in the background with interrupts ignored, and programs inherit that.
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if EXAMPLES or len(items) < WHOLE_SUITE:
        return
    of_one_test = defaultdict(list)
    for item in items:
        if not item.get_closest_marker("slow"):
            of_one_test[item.nodeid.partition("[")[0]].append(item)
    kept = {item for same in of_one_test.values() for item in _sample(same)}
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = [item for item in items if item in kept]


def _sample(items: list[pytest.Item]) -> list[pytest.Item]:
    if len(items) <= SAMPLE or items[0].get_closest_marker("complete"):
        return items
    count = SAMPLE + (len(items) - SAMPLE) // 10
    return sorted(items, key=lambda item: zlib.crc32(item.nodeid.encode()))[:count]


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
