"""Checks of claims of Nyga (2010) on imbalance and regularisation."""

from __future__ import annotations

from functools import partial

import numpy as np

from costboost.studies.claims import Verdict
from costboost.studies.nyga_tables import (
    COST_BLIND,
    COST_SENSITIVE,
    at_best,
    of_method,
    part_of,
)
from costboost.studies.register.combining import all_of, reproduced_if
from costboost.studies.register.nyga_values import (
    BANANA,
    BOTH,
    CANCER,
    PROTOCOL,
    higher,
    minus,
    no_gain,
    values,
)
from costboost.studies.statistics import (
    unjudged,
    verdict_ordinal,
)
from costboost.studies.study import Frame


def close_together(frame: Frame) -> Verdict:
    parts = []
    for data in BOTH:
        found = [values(frame, "imbalance", data, name) for name in COST_BLIND]
        if not found[0].size or len({f.size for f in found}) > 1:
            return unjudged("needs the four algorithms on both sets")
        means = np.mean(found, axis=1)
        label = f"{data}: 0.007 minus the difference of the best and the worst method"
        best, worst = found[int(np.argmax(means))], found[int(np.argmin(means))]
        within = 0.007 - (best - worst)
        parts.append(verdict_ordinal(label, within, "repeat", digits=4, reason=PROTOCOL))
    return all_of(parts)


def precision_above_recall(frame: Frame) -> Verdict:
    return all_of(
        [
            higher(
                f"{name}: precision minus recall",
                minus(
                    values(frame, "imbalance", CANCER, name, "precision"),
                    values(frame, "imbalance", CANCER, name, "recall"),
                ),
            )
            for name in COST_BLIND
        ]
    )


def other_class_is_easier(frame: Frame) -> Verdict:
    return all_of(
        [
            higher(
                f"{data}, {name}: F of class -1 minus class +1",
                minus(
                    values(frame, "imbalance", data, name, "negative_f_measure"),
                    values(frame, "imbalance", data, name),
                ),
            )
            for data in BOTH
            for name in COST_BLIND
        ]
    )


def recall_suffers(frame: Frame) -> Verdict:
    parts = []
    for data in BOTH:
        for name in COST_BLIND:
            get = partial(values, frame, "imbalance", data, name)
            lost = minus(get("recall"), get("recall", thinned=True))
            other = minus(get("precision"), get("precision", thinned=True))
            label = f"{data}, {name}: loss of recall minus loss of precision by thinning"
            parts.append(higher(label, minus(lost, other)))
    return all_of(parts)


def probabilistic_are_better(frame: Frame) -> Verdict:
    return all_of(
        [
            higher(
                f"cancer: {name} minus AdaBoost",
                minus(
                    values(frame, "imbalance", CANCER, name),
                    values(frame, "imbalance", CANCER, "AdaBoost"),
                ),
            )
            for name in COST_BLIND[1:]
        ]
    )


def regularised_gain(frame: Frame) -> Verdict:
    return all_of(
        [
            higher(
                f"{data}: AdaBoost_Reg minus AdaBoost",
                minus(
                    values(frame, "regularised", data, "AdaBoostReg"),
                    values(frame, "imbalance", data, "AdaBoost"),
                ),
            )
            for data in BOTH
        ]
    )


def weightboost_first(frame: Frame) -> Verdict:
    parts = []
    for data, sign in ((CANCER, 1), (BANANA, -1)):
        difference = minus(
            values(frame, "regularised", data, "WeightBoost"),
            values(frame, "regularised", data, "AdaBoostReg"),
        )
        order = "WeightBoost minus AdaBoost_Reg" if sign > 0 else "AdaBoost_Reg minus WeightBoost"
        parts.append(higher(f"{data}: {order}", sign * difference))
    return all_of(parts)


def weightboost_and_costs(frame: Frame) -> Verdict:
    own = values(frame, "regularised", CANCER, "WeightBoost")
    return all_of(
        [
            higher(
                f"cancer: WeightBoost minus {name}",
                minus(own, values(frame, "costs", CANCER, name)),
            )
            for name in COST_SENSITIVE
        ]
    )


def by_strength(frame: Frame, data: str, thinned: bool) -> Frame:
    """F-measures of AdaBoost_Reg: a row for each repeat, a column for each C."""
    own = of_method(part_of(frame, "regularised", data, thinned), "AdaBoostReg")
    if own.empty:
        return own
    return own.pivot_table(index="repeat", columns="value", values="f_measure").dropna()


def worse_with_strength(frame: Frame) -> Verdict:
    table = by_strength(frame, CANCER, thinned=False)
    if table.empty or table.shape[1] < 3:
        return unjudged("needs AdaBoost_Reg on cancer")
    logs = np.log(np.asarray(table.columns, dtype=float))
    slopes = np.array([np.polyfit(logs, row, 1)[0] for row in table.to_numpy()])
    label = "fall of F for each factor of e in C"
    return verdict_ordinal(label, -slopes, "repeat", digits=5, reason=PROTOCOL)


def best_near_zero(frame: Frame) -> Verdict:
    parts = []
    for data in BOTH:
        table = by_strength(frame, data, thinned=True)
        if table.empty or table.shape[1] < 3:
            return unjudged("needs AdaBoost_Reg on thinned data")
        small = [c for c in table.columns if c <= 0.1]
        large = [c for c in table.columns if c >= 1]
        if not small or not large:
            return unjudged("needs small and large values of C")
        best = table[large].mean().idxmax()
        difference = table[small].mean(axis=1) - table[best]
        parts.append(
            higher(
                f"{data}, thinned: F at C up to 0.1 minus at C = {best:g}", difference.to_numpy()
            )
        )
    return all_of(parts)


def overfits(frame: Frame) -> Verdict:
    own = of_method(part_of(frame, "imbalance", BANANA), "RealBoost")
    if own.empty or "train_error_100" not in own:
        return unjudged("needs errors by round on banana")
    zero = int((own["train_error_100"] == 0).sum())
    fitted = Verdict(
        reproduced_if(zero == len(own)),
        f"training error 0 at round 100 in {zero} of {len(own)} repeats",
    )
    rise = np.asarray(own["test_error_200"] - own["test_error_50"])
    return all_of(
        [fitted, verdict_ordinal("test error, round 200 minus 50", rise, "repeat", digits=4)]
    )


def does_not_overfit(frame: Frame) -> Verdict:
    own = at_best(part_of(frame, "regularised", BANANA), "AdaBoostReg")
    if own.empty or "train_error_30" not in own:
        return unjudged("needs errors by round on banana")
    above = np.asarray(own["train_error_200"]) - 0.01
    label = "training error at round 200, beyond 0.01"
    left = verdict_ordinal(label, above, "repeat", digits=4, reason=PROTOCOL)
    rise = np.asarray(own["test_error_200"] - own["test_error_30"])
    return all_of([left, no_gain("test error, round 200 minus 30", rise, limit=0.005)])
