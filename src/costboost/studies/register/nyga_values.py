"""Results of nyga2010 in the form that checks need, and verdicts on them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from costboost.checks import Floats
from costboost.studies.claims import Verdict
from costboost.studies.nyga_tables import (
    at_best,
    part_of,
    printed,
)
from costboost.studies.register.combining import all_of, reproduced_if
from costboost.studies.statistics import (
    paired_interval,
    unjudged,
    verdict_numeric,
    verdict_ordinal,
)
from costboost.studies.study import Frame

CANCER, BANANA = "breast_w", "banana"
BOTH = (CANCER, BANANA)
PROTOCOL = (
    "most likely the protocol: the thesis states neither the size of its trees nor its parameter "
    "values, and its banana splits are others"
)
PARTS = {"imbalance": "3.2", "regularised": "3.3", "costs": "3.4"}
MARGIN = 0.002
"""Differences of F-measures within this distance of 0 count as none."""
Check = Callable[[Frame], Verdict]


def values(
    frame: Frame,
    part: str,
    data: str,
    method: str,
    measure: str = "f_measure",
    thinned: bool = False,
) -> Floats:
    """A measure of a method at its best parameter, one value for each repeat."""
    best = at_best(part_of(frame, part, data, thinned), method)
    return np.asarray(best[measure], dtype=np.float64) if len(best) else np.array([])


def minus(a: Floats, b: Floats) -> Floats:
    """Paired differences; empty if something is missing."""
    return a - b if a.size == b.size else np.array([])


def higher(label: str, differences: Floats, reason: str = PROTOCOL) -> Verdict:
    """Verdict on the claim that differences are positive."""
    return verdict_ordinal(label, differences, "repeat", margin=MARGIN, digits=4, reason=reason)


def mean_of_ten(label: str, found: Floats, paper: float) -> Verdict:
    """Verdict on a figure that is a mean of ten runs, with the spread that two such means have."""
    spread = 1.96 * float(np.std(found, ddof=1)) * np.sqrt(2 / 10) if found.size > 2 else 0.0
    tolerance = max(spread, 0.0005)
    return verdict_numeric(label, found, paper, tolerance, "repeat", reason=PROTOCOL)


def numbers(
    frame: Frame, part: str, data: str, methods: Sequence[str], measures: Sequence[str] = ("f1",)
) -> Verdict:
    """Figures of a table of the thesis."""
    ours = {"f1": "f_measure"}
    return all_of(
        [
            mean_of_ten(
                f"{method}, {measure}",
                values(frame, part, data, method, ours.get(measure, measure)),
                printed(PARTS[part], data, method, measure),
            )
            for method in methods
            for measure in measures
        ]
    )


def no_gain(label: str, differences: Floats, limit: float = 0.02) -> Verdict:
    """Verdict on the claim that differences are not above a small limit."""
    if not differences.size:
        return unjudged(f"needs results for: {label}")
    found = paired_interval(differences)
    text = f"{label}: {found.mean:+.4f} over {differences.size} repeats"
    if found.ends is None or found.low <= limit < found.high:
        return Verdict(
            "cannot be judged",
            text,
            found.mean,
            found.ends,
            f"needs an interval on one side of {limit}",
        )
    return Verdict(reproduced_if(found.high <= limit), text, found.mean, found.ends)
