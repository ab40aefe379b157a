"""Claims of papers as records, and verdicts on them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal

from costboost.studies.study import Frame

REPRODUCED: Final = "reproduced"
NOT_REPRODUCED: Final = "not reproduced"
CANNOT_BE_JUDGED: Final = "cannot be judged"
Outcome = Literal["reproduced", "not reproduced", "cannot be judged"]
Kind = Literal["numeric", "ordinal", "structural"]


@dataclass(frozen=True)
class Verdict:
    """What the results of a study say about a claim."""

    outcome: Outcome
    measured: str
    """What was measured, beside what the paper has: "73.0 against 73.2"."""
    difference: float | None = None
    """By how much the measured value exceeds (ordinal) or misses (numeric) the claim."""
    interval: tuple[float, float] | None = None
    """95% interval of ``difference``."""
    reason: str = ""
    """Why it did not come out, or cannot be judged: protocol, aggregation, parameters, code."""


@dataclass(frozen=True)
class Claim:
    """A numeric, ordinal or structural claim of a paper."""

    name: str
    """Identifier, such as "S05": letter of the paper and number."""
    paper: str
    """Short citation, such as "Sun et al. 2005"."""
    place: str
    """Where in the paper: "Table 1", "section 5.2"."""
    kind: Kind
    statement: str
    """The claim in our words."""
    study: str | None = None
    """Name of the study whose results decide it; None if it is not checked."""
    check: Callable[[Frame], Verdict] | None = None
    """Verdict from the results of the study (all lines, columns as its records name them)."""
    why_not: str = ""
    """Why it is not checked."""
