"""Claims of Masnadi-Shirazi & Vasconcelos (2007) about face detection (section 5.2.2, Figure 4)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from costboost.studies.masnadi_faces import FACTORS, PLAIN, PROPOSED, best_losses
from costboost.studies.statistics import all_named, unjudged, verdict_ordinal
from costboost.studies.study import Check, Frame, Verdict, read_claims

SMALL = (
    "probable, not tested: the stumps separate 122 training patches, and with cost-sensitive "
    "exponents the boundary then moves towards the class with the greater cost, whose margins may "
    "be smaller. The paper has 12,000 training patches, and other patches"
)
NO_MISSES = (
    "the least losses are reached without a miss, so that they do not depend on f: a few dozen "
    "faces of the test can all be found at the price of some false positives"
)
LEVEL = 0.1
"""Two losses are about level if they differ by less than this share of AdaBoost's."""


def needs(*methods: str) -> Callable[[Check], Check]:
    """Decorator of checks: they are given the least losses if all methods have results."""

    def decorate(check: Check) -> Check:
        def checked(frame: Frame) -> Verdict:
            missing = [m for m in methods if frame.empty or not (frame["method"] == m).any()]
            if missing:
                return unjudged(f"needs results of {', '.join(missing)}")
            return check(best_losses(frame))

        return checked

    return decorate


def greater_costs_at_greater_factors(frame: Frame) -> Verdict:
    """Ratio of the best training costs of CSAda at the greatest and at the least f."""
    if frame.empty or not (frame["method"] == PROPOSED).any():
        return unjudged(f"needs results of {PROPOSED}")
    proposed = frame[frame["method"] == PROPOSED]
    log_costs: dict[int, Any] = {}
    for factor in (FACTORS[0], FACTORS[-1]):
        losses = proposed[proposed["factor"] == factor].pivot(
            index="repeat", columns="training_cost", values="loss"
        )
        best = losses.eq(losses.min(axis=1), axis=0)
        logs = np.log(losses.columns.to_numpy(dtype=float))
        log_costs[factor] = (best * logs).sum(axis=1) / best.sum(axis=1)
    return verdict_ordinal(
        f"log of the best training cost at f = {FACTORS[-1]} minus that at f = {FACTORS[0]}",
        (log_costs[FACTORS[-1]] - log_costs[FACTORS[0]]).to_numpy(),
        "repeat",
        reason=SMALL,
    )


def _best_other(losses: Any, factor: int) -> Verdict:
    """Whether CSAda has less loss than the method that is best among the others."""
    found = losses.xs(factor, level="factor")
    others = found.drop(columns=PROPOSED).mean()
    best = str(others.idxmin())
    label = f"loss of {best}, the best other, minus that of {PROPOSED}"
    return verdict_ordinal(
        label, (found[best] - found[PROPOSED]).to_numpy(), "repeat", digits=2, reason=SMALL
    )


@needs(PROPOSED, PLAIN)
def proposed_is_best(losses: Any) -> Verdict:
    """CSAda against the best other method at every factor."""
    return all_named({f"f = {f}": _best_other(losses, f) for f in FACTORS}, SMALL)


def _mean(losses: Any) -> Any:
    """Mean over the factors, by repeat and method."""
    return losses.groupby("repeat").mean()


def _lost(found: Any, method: str, other: str, note: str = "") -> Verdict:
    """Whether a method has a greater loss than another one."""
    label = f"loss of {method} minus that of {other}{note}"
    lost = (found[method] - found[other]).to_numpy()
    return verdict_ordinal(label, lost, "repeat", digits=2)


@needs("CSB0", "CSB1", PLAIN)
def csb_is_worst(losses: Any) -> Verdict:
    """CSB0 and CSB1 against the worst of the other methods."""
    found = _mean(losses)
    others = found.drop(columns=["CSB0", "CSB1"]).mean()
    worst = str(others.idxmax())
    return all_named(
        {m: _lost(found, m, worst, ", the worst other") for m in ("CSB0", "CSB1")},
        "probable, not tested: training cost and threshold are searched; CSB0 and CSB1 with a "
        "small cost are near AdaBoost, and these patches are easy",
    )


@needs("AdaC2", "AdaC3", "AdaCost", PLAIN)
def behind_adaboost(losses: Any) -> Verdict:
    """AdaC2, AdaC3 and AdaCost against AdaBoost."""
    found = _mean(losses)
    return all_named(
        {m: _lost(found, m, PLAIN) for m in ("AdaC2", "AdaC3", "AdaCost")},
        "probable, not tested: the least loss over nine training costs is compared with one "
        "AdaBoost: the search alone lowers the loss on the patches on which it is made",
    )


@needs("CSB2", PLAIN)
def csb2_is_level(losses: Any) -> Verdict:
    """CSB2 against AdaBoost: the interval of the difference within a tenth of its loss."""
    found = _mean(losses)
    margin = LEVEL * float(found[PLAIN].mean())
    gap = (found["CSB2"] - found[PLAIN]).to_numpy()
    parts = {
        side: verdict_ordinal(f"{margin:.2f} {sign} the loss of CSB2 beyond that of {PLAIN}",
                              margin + factor * gap, "repeat", digits=2)
        for side, sign, factor in (("not worse", "minus", -1), ("not better", "plus", 1))
    }  # fmt: skip
    return all_named(
        parts,
        "probable, not tested: CSB2 gains from the search over nine training costs, which "
        "AdaBoost does not have",
    )


@needs(PROPOSED, PLAIN)
def level_at_small_factors_only(losses: Any) -> Verdict:
    """Growth of CSAda's advantage over AdaBoost from the least f to the greatest."""
    gap = (losses[PLAIN] - losses[PROPOSED]).unstack("factor")
    return verdict_ordinal(
        f"loss of {PLAIN} minus that of {PROPOSED}, at f = {FACTORS[-1]} minus at f = {FACTORS[0]}",
        (gap[FACTORS[-1]] - gap[FACTORS[0]]).to_numpy(),
        "repeat",
        digits=2,
        reason=NO_MISSES,
    )


CHECKS: dict[str, Check] = {
    "M35": greater_costs_at_greater_factors,
    "M36": proposed_is_best,
    "M37": csb_is_worst,
    "M38a": behind_adaboost,
    "M38b": csb2_is_level,
    "M39": level_at_small_factors_only,
}
CLAIMS = read_claims("Masnadi-Shirazi & Vasconcelos 2007", "masnadi2007-faces", CHECKS)
