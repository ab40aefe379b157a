"""Verdicts on claims with several parts, from the verdicts on the parts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from costboost.studies.claims import CANNOT_BE_JUDGED, NOT_REPRODUCED, REPRODUCED, Outcome, Verdict
from costboost.studies.statistics import unjudged


def reproduced_if(holds: bool) -> Outcome:
    """Outcome of a claim that either holds or does not, without uncertainty."""
    return REPRODUCED if holds else NOT_REPRODUCED


def all_of(parts: Sequence[Verdict]) -> Verdict:
    """Verdict on a claim that holds only if all its parts do.

    Not reproduced if a part is not, otherwise reproduced if all parts are. The difference and the
    interval are those of the part that decides: the one with the least difference among those with
    the outcome of the whole. Its reason is given.
    """
    outcomes = [part.outcome for part in parts]
    outcome: Outcome = REPRODUCED
    for weaker in (CANNOT_BE_JUDGED, NOT_REPRODUCED):
        if weaker in outcomes:
            outcome = weaker
    deciding = [part for part in parts if part.outcome == outcome]
    known = [part for part in deciding if part.difference is not None]
    first = min(known, key=lambda part: part.difference or 0.0) if known else deciding[0]
    measured = "; ".join(part.measured for part in parts if part.measured)
    return replace(first, measured=measured)


def each_of(parts: Sequence[Verdict]) -> Verdict:
    """Verdict on a claim that holds only if all its many parts do.

    Unlike for `all_of`, the text has the number of parts that hold and the weakest part only.
    """
    if not parts:
        return unjudged("needs results for all parts of the claim")
    if len(parts) == 1 or not any(part.measured for part in parts):
        return parts[0]
    holding = [part.outcome for part in parts].count(REPRODUCED)
    weakest = min(parts, key=_strength)
    count = f"{holding} of {len(parts)} comparisons hold; weakest: "
    return replace(weakest, measured=count + weakest.measured)


def _strength(part: Verdict) -> tuple[int, float]:
    order = {NOT_REPRODUCED: 0, CANNOT_BE_JUDGED: 1, REPRODUCED: 2}
    low = part.interval[0] if part.interval else part.difference
    return order[part.outcome], 0.0 if low is None else low


def all_named(parts: Mapping[str, Verdict], reason: str = "") -> Verdict:
    """Verdict on a claim that holds only if all its parts do, given by what each is about.

    ``reason`` explains why parts are not reproduced that have no reason of their own.
    """
    if not parts:
        return unjudged("needs results of the study")
    return all_of(
        [
            replace(
                part,
                measured=f"{name}: {part.outcome} ({part.measured or part.reason})",
                reason=part.reason or (reason if part.outcome == NOT_REPRODUCED else ""),
            )
            for name, part in parts.items()
        ]
    )


def where_all_agree(settings: Sequence[str], check: Callable[[str], Verdict], what: str) -> Verdict:
    """Verdict that is the same under all settings; if they disagree, it cannot be judged.

    ``what`` names what the settings are of, such as "base learner".
    """
    if not settings:
        return unjudged("needs results of the study")
    found = {name: check(name) for name in settings}
    outcomes = {verdict.outcome for verdict in found.values()}
    measured = "; ".join(f"{name}: {v.measured}" for name, v in found.items() if v.measured)
    first = next(iter(found.values()))
    if len(outcomes) == 1:
        reasons = dict.fromkeys(v.reason for v in found.values() if v.reason)
        return replace(first, measured=measured, reason="; ".join(reasons))
    depends = ", ".join(f"{verdict.outcome} with {name}" for name, verdict in found.items())
    return unjudged(f"depends on the {what}: {depends}", measured)
