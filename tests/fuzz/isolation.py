"""Cases run in processes of their own, so that a crash, a hang or endless memory is a result too.

A case is a function of a number. It returns a word for how it ended; whatever it raises is a
defect. A process works on many cases, one after the other, under a limit on its memory, and
states which one it begins. If it ends by a signal or takes too long, that case is the defect, and
another process goes on with the next one.
"""

from __future__ import annotations

import faulthandler
import json
import os
import resource
import select
import signal
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field

Case = Callable[[int], str]

SECONDS = 60.0
"""Longest time of a case; it is the wall clock's, on a machine that may be busy."""
MOST_PASSED = 2.0
"""Seconds that are counted between two looks: all processes may have been stopped in between."""
BYTES = 3 * 2**30
"""Address space that a process may take beyond what it has when it begins."""


@dataclass
class Outcome:
    """How many cases ended how, and the cases that ended in a defect."""

    words: Counter[str] = field(default_factory=Counter)
    defects: list[tuple[int, str]] = field(default_factory=list)

    def __str__(self) -> str:
        words = ", ".join(f"{n:,} {word}" for word, n in self.words.most_common())
        return f"{self.words.total():,} cases: {words or 'none'}"


class Worker:
    """A process that works on numbered cases."""

    def __init__(self, case: Case, numbers: list[int], seconds: float, n_bytes: int) -> None:
        self.numbers, self.seconds = numbers, seconds
        self.current: int | None = None
        self.taken = 0.0
        self.rest = b""
        self.reading, writing = os.pipe()
        self.process = os.fork()
        if self.process == 0:
            os.close(self.reading)
            _work(case, numbers, writing, n_bytes)
        os.close(writing)

    def events(self) -> Iterator[tuple[int, str, str]]:
        """Cases that have ended since the last call: number, word, and traceback of a defect."""
        data = os.read(self.reading, 2**16)
        if not data:
            yield from self._ended()
            return
        *lines, self.rest = (self.rest + data).split(b"\n")
        for line in lines:
            number, word, trace = json.loads(line)
            self.taken = 0.0
            self.current = number if word is None else None
            if word is not None:
                self.numbers = self.numbers[1:]
                yield number, word, trace

    def _ended(self) -> Iterator[tuple[int, str, str]]:
        status = os.waitstatus_to_exitcode(os.waitpid(self.process, 0)[1])
        self._kill_all()
        os.close(self.reading)
        self.process = 0
        if self.current is not None or status:
            number = self.numbers[0] if self.current is None else self.current
            how = f"signal {signal.Signals(-status).name}" if status < 0 else f"exit code {status}"
            self.numbers = self.numbers[1:]
            yield number, "crashed", f"the process ended with {how}"

    def late(self, passed: float) -> bool:
        """Whether the case takes too long, after some seconds more."""
        self.taken += passed
        return self.current is not None and self.taken > self.seconds

    def stop(self) -> tuple[int, str, str]:
        """End a process that takes too long."""
        assert self.current is not None
        self._kill_all()
        os.waitpid(self.process, 0)
        os.close(self.reading)
        self.process, self.numbers = 0, self.numbers[1:]
        return self.current, "hung", f"the case took more than {self.seconds} seconds"

    def _kill_all(self) -> None:
        """End the process, and those that the cases have started and left behind."""
        with suppress(ProcessLookupError):
            os.killpg(self.process, signal.SIGKILL)


def _work(case: Case, numbers: list[int], writing: int, n_bytes: int) -> None:
    """What the process does; it never returns."""
    try:
        os.setpgid(0, 0)
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        faulthandler.disable()  # a crash is reported by its signal
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        limit = _address_space() + n_bytes
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        nothing = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(nothing, stream)
        for number in numbers:
            _send(writing, number, None, "")
            try:
                word, trace = case(number), ""
            except BaseException:
                word, trace = "defect", traceback.format_exc()
            _send(writing, number, word, trace)
        os._exit(0)
    except BaseException:
        os._exit(99)


def _send(writing: int, number: int, word: str | None, trace: str) -> None:
    data = json.dumps([number, word, trace[-6000:]]).encode() + b"\n"
    while data:
        data = data[os.write(writing, data) :]


def _address_space() -> int:
    """Bytes of address space that this process has."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")


def run(
    case: Case,
    numbers: Iterable[int],
    n_workers: int = 1,
    seconds: float = SECONDS,
    n_bytes: int = BYTES,
    tell: Callable[[Outcome], None] | None = None,
    tell_defect: Callable[[int, str], None] | None = None,
) -> Outcome:
    """Run the cases of these numbers.

    ``tell`` is called now and then with what is known, ``tell_defect`` with the number and the
    traceback of each defect.
    """
    todo = list(numbers)
    waiting = [part for k in range(n_workers) if (part := todo[k::n_workers])]
    working: list[Worker] = []
    outcome, told, before = Outcome(), time.monotonic(), time.monotonic()
    sys.stdout.flush()
    sys.stderr.flush()
    while waiting or working:
        working += [Worker(case, part, seconds, n_bytes) for part in waiting]
        waiting = []
        ready = select.select([one.reading for one in working], [], [], 1.0)[0]
        now = time.monotonic()
        passed, before = min(now - before, MOST_PASSED), now
        for worker in list(working):
            ended = list(worker.events()) if worker.reading in ready else []
            if worker.process and worker.late(passed):
                ended.append(worker.stop())
            for number, word, trace in ended:
                outcome.words[word] += 1
                if trace:
                    outcome.defects.append((number, trace))
                    if tell_defect is not None:
                        tell_defect(number, trace)
            if not worker.process:
                working.remove(worker)
                if worker.numbers:
                    waiting.append(worker.numbers)
        if tell is not None and now - told > 10:
            told = now
            tell(outcome)
    return outcome
