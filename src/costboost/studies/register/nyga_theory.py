"""Checks of claims of Nyga (2010), chapter 2: toy problems, propositions, exponents.

The results of nyga2010 in the form that its checks need, and verdicts on them, come first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from costboost.checks import Floats
from costboost.studies.nyga_tables import at_best, of_method, part_of, printed
from costboost.studies.statistics import (
    all_of,
    paired_interval,
    reproduced_if,
    unjudged,
    verdict_numeric,
    verdict_ordinal,
)
from costboost.studies.study import Frame, Verdict

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


# ---- chapter 2 -----------------------------------------------------------------------------------


def random_problems(frame: Frame) -> Frame:
    """Results on random problems."""
    return part_of(frame, "propositions")


def three_points(frame: Frame, method: str) -> Floats:
    """Training errors after each round on the three points."""
    own = of_method(part_of(frame, "points"), method)
    return np.asarray(own.sort_values("rounds")["train_error"]) if len(own) else np.array([])


def solved_in_four(frame: Frame) -> Verdict:
    errors = three_points(frame, "AdaBoost")
    if not errors.size:
        return unjudged("needs the three points")
    first = int(np.argmax(errors == 0)) + 1 if (errors == 0).any() else 0
    holds = 0 < first <= 4 and bool((errors[3:] == 0).all())
    text = f"first without error after round {first}, and without error from round 4 on: {holds}"
    return Verdict(reproduced_if(holds), text, float(first - 4))


def never_settles(frame: Frame) -> Verdict:
    errors = three_points(frame, "AdaC1")
    if not errors.size:
        return unjudged("needs the three points")
    solved = errors == 0
    left = int((solved[:-1] & ~solved[1:]).sum())
    text = f"errors after each round: {', '.join(f'{e:.2g}' for e in errors)}"
    return Verdict(reproduced_if(left > 0 or not solved.any()), text, float(left))


def rare_is_real(frame: Frame) -> Verdict:
    own = random_problems(frame)
    if own.empty:
        return unjudged("needs random problems")
    worst = float(own["rare_real_deviation"].max())
    text = f"greatest difference of scores {worst:.1e} in {len(own)} random problems"
    return Verdict(reproduced_if(worst <= 1e-9), text, worst)


def no_collapse(frame: Frame) -> Verdict:
    own = random_problems(frame)
    if own.empty:
        return unjudged("needs random problems")
    found, rounds = int(own["collapses"].sum()), int(own["rounds"].sum())
    return Verdict(reproduced_if(found == 0), f"{found} of {rounds} rounds collapse", float(found))


def growing_margins(frame: Frame) -> Verdict:
    own = part_of(frame, "margins", CANCER)
    if own.empty:
        return unjudged("needs learning curves on cancer")
    by_run = {
        name: own.pivot_table(index="repeat", columns="rounds", values=name)
        for name in ("test_error", "train_error", "low_margin")
    }
    low, test = by_run["low_margin"], by_run["test_error"]
    unit = "run"
    grows = [
        verdict_ordinal(
            f"margin that 10% of rows are below, round {b} minus {a}",
            low[b] - low[a], unit, digits=4, reason=PROTOCOL,
        )
        for a, b in ((10, 50), (50, 100))
    ]  # fmt: skip
    falls = verdict_ordinal(
        "test error, round 10 minus 100", test[10] - test[100], unit, digits=4,
        reason="the test error has its least value before round 100",
    )  # fmt: skip
    return all_of([*grows, falls])


def ratio_only(frame: Frame) -> Verdict:
    own = random_problems(frame)
    if own.empty:
        return unjudged("needs random problems")
    worst = float(own["ratio_deviation"].max())
    text = (
        "scores with the cost of one class raised minus those with the other's lowered by the same "
        f"factor: at most {worst:.1e} in {len(own)} random problems"
    )
    reason = (
        "by the formulas of AdaC2, CSRA, CSGA and CSLB only the ratio of the costs matters, so "
        "that lowering one cost cannot reach what raising the other does not"
    )
    found = reproduced_if(worst > 1e-9)
    return Verdict(found, text, worst, reason="" if worst > 1e-9 else reason)


def exponent_pushes_away(frame: Frame) -> Verdict:
    own = random_problems(frame)
    if own.empty:
        return unjudged("needs random problems")
    below = 0.5 - np.asarray(own["exponent_weight_share"])
    pushed = verdict_ordinal("0.5 minus the weight of the costly class", below, "random problem")
    parts = [pushed]
    for data in BOTH:
        costly = values(frame, "exponent", data, "CSAda", "recall", thinned=True)
        blind = values(frame, "imbalance", data, "AdaBoost", "recall", thinned=True)
        parts.append(
            no_gain(f"{data}, thinned: recall of CSAda minus AdaBoost", minus(costly, blind))
        )
    return all_of(parts)


def factor_beats_exponent(frame: Frame) -> Verdict:
    return all_of(
        [
            higher(
                f"{data}, thinned: recall of CGAda minus CSAda",
                minus(
                    values(frame, "exponent", data, "CGAda", "recall", thinned=True),
                    values(frame, "exponent", data, "CSAda", "recall", thinned=True),
                ),
            )
            for data in BOTH
        ]
    )
