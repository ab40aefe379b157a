"""Claims of Nikolaou et al. (2016): comparison on 18 data sets, and claims on formulas."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import product

import numpy as np
from scipy import stats

from costboost.metrics import pareto_front
from costboost.studies import nikolaou_tables as results
from costboost.studies.nikolaou_tables import (
    AGGREGATIONS,
    CALIBRATED,
    FEWEST_SETS,
    METHODS,
    OF_THEORY,
    OTHERS,
    VOTES,
    equal_size_tests,
    over_sets,
)
from costboost.studies.register.nikolaou_skews import ALL_SETS, ALL_SKEWS
from costboost.studies.register.nikolaou_skews import CLAIMS as ON_SKEWS
from costboost.studies.register.nikolaou_theory import CLAIMS as ON_FORMULAS
from costboost.studies.register.nikolaou_theory import claim
from costboost.studies.statistics import each_of, unjudged, verdict_numeric, where_all_agree
from costboost.studies.study import (
    CANNOT_BE_JUDGED,
    NOT_REPRODUCED,
    REPRODUCED,
    Frame,
    Outcome,
    Verdict,
)

RESAMPLES = 1000
LEVEL = 0.95


# ---- ranks by area -------------------------------------------------------------------------------


REMAINING = ("AdaC1", "AdaC3", "CSAda", "CSB0", "CSB1", "AdaCost", "AdaCost(beta2)")
"""Variants that are neither among the paper's three best nor its next two."""
Pairs = Sequence[tuple[str, str]]


def above(pairs: Pairs, frame: Frame) -> Verdict:
    """Whether the first method of each pair has a better rank than the second."""

    def by(way: str) -> Verdict:
        ranks = results.ranks(frame, way)
        if not len(ranks):
            return unjudged("needs all 15 methods on a data set")
        return each_of(
            [
                over_sets(
                    f"rank of {other} minus rank of {one}",
                    (ranks[other] - ranks[one]).to_numpy(),
                    digits=2,
                )
                for one, other in pairs
            ]
        )

    return where_all_agree(list(AGGREGATIONS), by, "aggregation of the skews")


def each_above(better: Sequence[str], worse: Sequence[str]) -> Callable[[Frame], Verdict]:
    """Check that each method of one list has a better rank than each of another."""
    return partial(above, list(product(better, worse)))


def erratic_adac1(frame: Frame) -> Verdict:
    ranks = results.ranks(frame)
    if len(ranks) < FEWEST_SETS:
        return unjudged(f"needs all 15 methods on at least {FEWEST_SETS} data sets")
    own = ranks["AdaC1"]
    best, worst = int((own <= 5).sum()), int((own > 10).sum())
    measured = (
        f"AdaC1 is in the best third on {best} and in the worst on {worst} of {len(own)} sets"
    )
    share = best / len(own)
    if 1 / 3 <= share <= 2 / 3 and worst >= (len(own) - best) / 2:
        return Verdict(REPRODUCED, measured, share - 0.5)
    reason = "about half is taken as a third to two thirds, most others in the worst third"
    return Verdict(NOT_REPRODUCED, measured, share - 0.5, reason=reason)


def depends_on_choices(frame: Frame) -> Verdict:
    found = {
        (way, adamec): results.ranks(frame, way, adamec).mean()
        for way in AGGREGATIONS
        for adamec in ("AdaMEC", VOTES)
    }
    if len(results.ranks(frame)) < FEWEST_SETS or any(one.isna().any() for one in found.values()):
        return unjudged(f"needs all 15 methods on at least {FEWEST_SETS} data sets")
    (area, mean), votes = AGGREGATIONS, found[next(iter(AGGREGATIONS)), VOTES]
    first = found[area, "AdaMEC"]
    agreement = stats.spearmanr(first, found[mean, "AdaMEC"]).statistic
    leaders = {f"{way}, {adamec}": ranks.idxmin() for (way, adamec), ranks in found.items()}
    measured = (
        f"AdaMEC has mean rank {first['AdaMEC']:.1f} by the logistic probability and "
        f"{votes['AdaMEC']:.1f} by votes; the two aggregations have a rank correlation of "
        f"{agreement:.2f}; first: " + ", ".join(f"{name} ({way})" for way, name in leaders.items())
    )
    change = float(votes["AdaMEC"] - first["AdaMEC"])
    return Verdict(REPRODUCED if abs(change) >= 1 else NOT_REPRODUCED, measured, change)


# ---- sizes ---------------------------------------------------------------------------------------


def sizes(frame: Frame) -> Verdict:
    table = results.sizes(frame)
    wanted = {"AdaMEC": 40, "CGAda": 40, "AsymAda": 100}
    if len(table) < FEWEST_SETS or not set(wanted) <= set(table.columns):
        return unjudged(f"needs AdaMEC, CGAda and AsymAda on at least {FEWEST_SETS} data sets")
    reason = (
        "training ends only where no learner has a positive step; on most of these sets a "
        "regression better than chance is always found, so that all 100 rounds are used. How the "
        "authors' code ends earlier is not stated"
    )
    return each_of(
        [
            verdict_numeric(
                f"weak learners of {name}", table[name].to_numpy(), n, 10,
                "data set", digits=1, reason=reason,
            )
            for name, n in wanted.items()
        ]
    )  # fmt: skip


def on_front(frame: Frame) -> Verdict:
    ranks, table = results.ranks(frame), results.sizes(frame)
    if len(ranks) < FEWEST_SETS:
        return unjudged(f"needs all 15 methods on at least {FEWEST_SETS} data sets")
    names = list(METHODS)
    size, rank = table.loc[ranks.index, names].to_numpy(float), ranks[names].to_numpy(float)
    rng = np.random.default_rng(0)
    claimed = [names.index(name) for name in ("AdaMEC calibrated", "AsymAda calibrated")]

    def front(rows: object) -> np.ndarray:
        points = np.column_stack([size[rows].mean(axis=0), rank[rows].mean(axis=0)])
        return pareto_front(points)

    now = front(slice(None))
    draws = [rng.integers(0, len(rank), len(rank)) for _ in range(RESAMPLES)]
    share = float(np.mean([front(rows)[claimed].all() for rows in draws]))
    listed = ", ".join(name for name, on in zip(names, now, strict=True) if on)
    measured = f"on the front: {listed}; both claimed ones in {share:.0%} of bootstrap samples"
    outcome: Outcome = CANNOT_BE_JUDGED
    if now[claimed].all() and share >= LEVEL:
        outcome = REPRODUCED
    elif share <= 1 - LEVEL:
        outcome = NOT_REPRODUCED
    return Verdict(outcome, measured, share)


def few_learners(frame: Frame) -> Verdict:
    table = results.sizes(frame)
    needed = {"AdaCost", "AdaCost(beta2)", "AdaC1", "AdaMEC"}
    if not len(table) or not needed <= set(table.columns):
        return unjudged("needs AdaCost, AdaCost(beta2), AdaC1 and AdaMEC")
    few = int((table["AdaC1"] < 20).sum())
    parts = [
        over_sets(
            f"weak learners of AdaMEC minus those of {name}",
            (table["AdaMEC"] - table[name]).to_numpy(),
            digits=1,
        )
        for name in ("AdaCost", "AdaCost(beta2)")
    ]
    found = each_of(parts)
    note = f"; AdaC1 has fewer than 20 on {few} of {len(table)} sets"
    return Verdict(
        found.outcome, found.measured + note, found.difference, found.interval, found.reason
    )


# ---- calibrated methods at equal size ------------------------------------------------------------


def none_dominates(frame: Frame) -> Verdict:
    tests = equal_size_tests(frame)
    n_sets = len(results.data_sets(frame))
    if not len(tests) or n_sets < FEWEST_SETS:
        return unjudged(f"needs the calibrated methods on at least {FEWEST_SETS} data sets")
    differing = int((tests["pairs that differ"] > 0).sum())
    leading = []
    for name in CALIBRATED:
        gap = tests[[other for other in CALIBRATED if other != name]].min(axis=1) - tests[name]
        leading.append(int((gap > tests["critical difference"]).sum()))
    measured = (
        f"some pair differs at {differing} of {len(tests)} skews; a method is ahead of both others "
        f"at {max(leading)} at most, over {n_sets} data sets"
    )
    outcome: Outcome = REPRODUCED if max(leading) <= len(tests) / 2 else NOT_REPRODUCED
    if n_sets < ALL_SETS and outcome == REPRODUCED:
        return unjudged(f"needs all {ALL_SETS} data sets: with fewer, nothing differs", measured)
    return Verdict(outcome, measured, float(max(leading)))


def equivalent(frame: Frame) -> Verdict:
    areas = results.areas(frame, size="equal")
    if not len(areas) or not set(CALIBRATED) <= set(areas.columns):
        return unjudged("needs the calibrated methods at equal size")
    margin, parts = 0.01, []
    for one, other in ((0, 1), (0, 2), (1, 2)):
        a, b = CALIBRATED[one], CALIBRATED[other]
        found = over_sets(
            f"area of {b} minus area of {a}", (areas[b] - areas[a]).to_numpy(), digits=4
        )
        if found.interval is None:
            return found
        low, high = found.interval
        within = -margin <= low and high <= margin
        outside = low > margin or high < -margin
        outcome: Outcome = REPRODUCED if within else NOT_REPRODUCED if outside else CANNOT_BE_JUDGED
        why = "" if within else f"the interval is not within {margin} of 0"
        parts.append(Verdict(outcome, found.measured, found.difference, found.interval, why))
    return each_of(parts)


# ---- margins and counts -------------------------------------------------------------------------


def greater_margins(frame: Frame) -> Verdict:
    rows = results.grid(frame)
    if not len(rows) or not set(OF_THEORY) <= set(rows["variant"]):
        return unjudged("needs AdaMEC, CGAda and AsymAda")
    table = rows.pivot_table(index="data", columns="variant", values="margin")
    reason = "where all three use all rounds, AsymAda has no more learners than the others"
    return each_of(
        [
            over_sets(
                f"margin of AsymAda minus margin of {name}",
                (table["AsymAda"] - table[name]).to_numpy(), reason=reason,
            )
            for name in ("AdaMEC", "CGAda")
        ]
    )  # fmt: skip


def counts(frame: Frame) -> Verdict:
    rows = results.grid(frame)
    if not len(rows):
        return unjudged("needs the comparison")
    n = [len(set(rows["variant"]) & set(METHODS)), rows["data"].nunique(), rows["skew"].nunique()]
    measured = f"{n[0]} methods on {n[1]} data sets at {n[2]} skews"
    if n == [len(METHODS), ALL_SETS, ALL_SKEWS]:
        note = "; 12 are uncalibrated, 3 calibrated, without AdaBoost and AdaDB"
        return Verdict(REPRODUCED, measured + note)
    return unjudged(f"needs 15 methods on {ALL_SETS} data sets at {ALL_SKEWS} skews", measured)


ON_RESULTS = [
    claim("K13", "figure 4", "ordinal",
          "Calibrated AsymAda has the best rank by area below the Brier curve.",
          each_above(CALIBRATED[2:], METHODS[:-1])),
    claim("K14", "figure 4", "ordinal",
          "AdaMEC, CGAda and AsymAda each rank better with calibration than without.",
          partial(above, list(zip(CALIBRATED, OF_THEORY, strict=True)))),
    claim("K15", "figure 4", "ordinal",
          "Without calibration AdaMEC, CGAda and AsymAda rank above every other variant.",
          each_above(OF_THEORY, OTHERS)),
    claim("K16", "figure 4", "ordinal",
          "AsymAda is the first of the three, with calibration and without.",
          partial(above, [(names[2], other) for names in (OF_THEORY, CALIBRATED)
                          for other in names[:2]])),
    claim("K17", "section 5.2", "ordinal", "CSB2 and AdaC2 are the best of the other variants.",
          each_above(("CSB2", "AdaC2"), REMAINING)),
    claim("K18", "section 5.2", "ordinal",
          "AdaC1 is among the best on about half of the sets and among the worst on the others.",
          erratic_adac1),
    claim("K19", "section 5.2", "ordinal",
          "AdaCost, AdaCost(beta2) and CSAda have greater areas than all others but AdaC1.",
          each_above([*OF_THEORY, *CALIBRATED, "AdaC2", "AdaC3", "CSB0", "CSB1", "CSB2"],
                     ("AdaCost", "AdaCost(beta2)", "CSAda"))),
    claim("K20", "section 5.2", "numeric",
          "AdaMEC and CGAda use about 40 of 100 weak learners, AsymAda all 100.", sizes),
    claim("K21", "figure 5", "ordinal",
          "Calibrated AdaMEC and calibrated AsymAda are on the Pareto front of rank and size.",
          on_front),
    claim("K22", "footnote 9", "ordinal",
          "AdaCost, AdaCost(beta2) and on some sets AdaC1 end with few weak learners.",
          few_learners),
    claim("K23", "figure 6", "ordinal",
          "At equal size none of the three calibrated methods is significantly ahead (Nemenyi, "
          "0.01).", none_dominates),
    claim("K33", "section 5.2", "numeric",
          "15 methods are compared on 18 data sets at 21 skews.", counts),
    claim("K34", "sections 4 and 5.1", "structural",
          "The paper does not state which probability AdaMEC uses nor how skews are aggregated, "
          "and the ranks depend on both.", depends_on_choices),
    claim("K35", "figure 4", "numeric", "The mean ranks of the methods.",
          why_not="the paper prints no ranks or areas: only the tiers of its text can be compared"),
    claim("K39", "abstract", "ordinal",
          "Once calibrated, AdaMEC, CGAda and AsymAda perform equally: at equal size their areas "
          "differ by less than 0.01.", equivalent),
    claim("K40", "abstract", "ordinal",
          "Once calibrated, AdaMEC, CGAda and AsymAda outrank all other variants.",
          each_above(CALIBRATED, [*OF_THEORY, *OTHERS])),
    claim("K41", "section 5.2", "ordinal",
          "AsymAda has greater margins than AdaMEC and CGAda.", greater_margins),
]  # fmt: skip
"""Claims on ranks, sizes and margins."""

CLAIMS = sorted([*ON_FORMULAS, *ON_RESULTS, *ON_SKEWS], key=lambda one: one.name)
