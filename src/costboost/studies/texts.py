"""Results of a study in words, for its page, the documentation and the command line."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from costboost.report.markup import MINUS, plural
from costboost.studies.claims import CANNOT_BE_JUDGED, NOT_REPRODUCED, REPRODUCED, Verdict
from costboost.studies.study import Options, Table

OUTCOMES = (REPRODUCED, NOT_REPRODUCED, CANNOT_BE_JUDGED)
QUICK = (
    "This is a quick run: a miniature that shows how the study works. Its verdicts are not those "
    "of the study."
)
NONE = "\N{EN DASH}"


def counts(verdicts: Iterable[Verdict]) -> dict[str, int]:
    """Number of verdicts of each outcome, in the order of `OUTCOMES`."""
    found = Counter[str](one.outcome for one in verdicts)
    return {outcome: found[outcome] for outcome in OUTCOMES}


def summary(verdicts: Iterable[Verdict]) -> str:
    """Sentence with the counts of the verdicts."""
    found = counts(verdicts)
    total = sum(found.values())
    if not total:
        return "No claim is decided by this study."
    good, bad, open_ = found.values()
    return (
        f"Of {plural(total, 'claim')}, {good} {'is' if good == 1 else 'are'} reproduced, {bad} "
        f"{'is' if bad == 1 else 'are'} not reproduced, and {open_} cannot be judged."
    )


def reason_label(verdict: Verdict) -> str:
    """What the reason of a verdict is: an explanation of ours, or why there is no judgement."""
    return "likely reason" if verdict.outcome == NOT_REPRODUCED else "why"


def significant(value: float) -> str:
    """A number with three significant digits and a sign."""
    text = f"{value:+.3g}" if value else "0"
    return text.replace("-", MINUS)


def by_how_much(verdict: Verdict) -> str:
    """The difference of a verdict with its interval; empty if there is none."""
    if verdict.difference is None:
        return ""
    text = significant(verdict.difference)
    if verdict.interval is None:
        return f"{text}, without an interval"
    low, high = map(significant, verdict.interval)
    return f"{text}, 95% interval {low} to {high}"


def command(name: str, options: Options, data: Sequence[str]) -> str:
    """The command that repeats a run; ``data`` are the names of data sets that were given."""
    words = ["costboost", "study", name]
    words += ["--quick"] if options.quick else []
    words += [word for one in data for word in ("--data", one)]
    words += ["--repeats", str(options.repeats)] if options.repeats else []
    words += ["--learner", options.learner] if options.learner else []
    words += ["--folder", str(options.folder)] if options.folder else []
    return shlex.join(words)


def duration(seconds: float) -> str:
    """A time in the units that suit it."""
    if seconds < 100:
        return f"{seconds:.3g} s"
    if seconds < 100 * 60:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"


def machine_text(machine: Mapping[str, Any]) -> str:
    """Size of a machine, such as "2 cores, 7.8 GB of memory (Linux x86_64)"."""
    parts = [plural(machine["cores"], "core")]
    if machine.get("memory"):
        parts.append(f"{machine['memory'] / 2**30:.1f} GB of memory")
    return f"{', '.join(parts)} ({machine['system']})"


# ---- tables --------------------------------------------------------------------------------------


def table_cells(table: Table) -> tuple[list[str], list[list[str]]]:
    """Head and rows of a table as text; the columns of the index come first."""
    frame = table.frame
    names = [str(name or "") for name in frame.index.names]
    head = [*names, *map(_joined, frame.columns)]
    rows = []
    for label, values in zip(frame.index, frame.itertuples(index=False, name=None), strict=True):
        labels = label if isinstance(label, tuple) else (label,)
        rows.append([*(_text(one, table.digits) for one in (*labels, *values))])
    return head, rows


def _joined(name: Any) -> str:
    return (
        " ".join(str(part) for part in name if part != "") if isinstance(name, tuple) else str(name)
    )


def _text(value: Any, digits: int) -> str:
    """A value of a table; floats have a fixed number of decimals."""
    if value is None or value != value:
        return NONE
    if isinstance(value, float) or getattr(getattr(value, "dtype", None), "kind", "") == "f":
        return f"{value:,.{digits}f}".replace("-", MINUS)
    return str(value)
