"""What decisions2026 asks: the advice of Nikolaou et al. (2016) for the learners of today."""

from __future__ import annotations

from costboost.studies.decisions2026 import (
    CALIBRATED,
    ISOTONIC,
    MODERN,
    NAME,
    PLATT,
    RAW,
    TRAINED,
    TRAINED_BY_WEIGHT,
    WEIGHTED,
    differences,
)
from costboost.studies.statistics import verdict_ordinal
from costboost.studies.study import Claim, Frame, Verdict

MARGIN = 0.005
"""A difference within half a percent of the cost of the constant decision counts as none."""


def _cheaper(number: int, statement: str, first: str, second: str) -> Claim:
    def check(frame: Frame) -> Verdict:
        label = f"cost of {second} minus cost of {first}"
        return verdict_ordinal(label, differences(frame, first, second), "data set", margin=MARGIN)

    return Claim(f"D{number:02d}", "costboost", "decisions2026", "ordinal", statement, NAME, check)


def _claims() -> list[Claim]:
    pairs = [
        (
            f"A threshold on Platt-calibrated probabilities of {name} costs less than one on its "
            "own probabilities.",
            f"{name} {PLATT}",
            f"{name} {RAW}",
        )
        for name in MODERN
    ]
    pairs += [
        (
            f"Isotonic calibration of {name} costs less than its own probabilities.",
            f"{name} {ISOTONIC}",
            f"{name} {RAW}",
        )
        for name in MODERN
    ]
    pairs += [
        (
            f"{name} with calibration and a threshold costs less than {name} trained with costs "
            "as weights.",
            f"{name} {PLATT}",
            f"{name} {WEIGHTED}",
        )
        for name in TRAINED_BY_WEIGHT
    ]
    pairs += [
        (
            f"CostBoost costs less than Platt-calibrated {name}.",
            "CostBoost",
            f"{name} {PLATT}",
        )
        for name in MODERN
    ]
    pairs += [
        (
            f"Calibrated AdaMEC costs less than {name}, which is trained for the costs.",
            f"AdaMEC {PLATT}",
            name,
        )
        for name in TRAINED
    ]
    pairs += [
        (f"Calibration lowers the cost of {name}.", f"{name} {PLATT}", name) for name in CALIBRATED
    ]
    pairs.append(("Calibration lowers the cost of AdaMEC.", f"AdaMEC {PLATT}", f"AdaMEC {RAW}"))
    return [_cheaper(k, *pair) for k, pair in enumerate(pairs, 1)]


CLAIMS: list[Claim] = _claims()
