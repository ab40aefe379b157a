"""Claims of Nikolaou et al. (2016): formulas and margins, and 18 data sets at 21 skews."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import product

import numpy as np
from scipy import stats

from costboost.metrics import pareto_front
from costboost_lab.studies import (
    CANNOT_BE_JUDGED,
    NOT_REPRODUCED,
    REPRODUCED,
    Check,
    Frame,
    Outcome,
    Verdict,
    read_claims,
)
from costboost_lab.studies import nikolaou_tables as results
from costboost_lab.studies.nikolaou import DIFFERENT, STARTS, TABLE_4, VARIANTS
from costboost_lab.studies.nikolaou_tables import (
    AGGREGATIONS,
    CALIBRATED,
    FEWEST_SETS,
    METHODS,
    OF_THEORY,
    OTHERS,
    SHOWN,
    VOTES,
    equal_size_tests,
    of_part,
    over_sets,
)
from costboost_lab.studies.statistics import (
    FEWEST,
    each_of,
    reproduced_if,
    unjudged,
    verdict_numeric,
    verdict_ordinal,
    where_all_agree,
)

ALL_SETS, ALL_SKEWS = 18, 21
RESAMPLES = 1000
LEVEL = 0.95
EXACT = 1e-9
SOLVED = 1e-6
"""Precision of scores whose steps are roots that are found by iteration."""
FOUND = 1e-4
"""Precision of a margin that is found by bisection."""


# ---- checks of formulas --------------------------------------------------------------------------


def computed(frame: Frame, prefix: str, variants: set[str] | None = None) -> Frame:
    """Records of the theory whose quantity begins with a text."""
    found = of_part(frame, "theory")
    if not len(found):
        return found
    found = found[found["quantity"].str.startswith(prefix)]
    return found if variants is None else found[found["variant"].isin(variants)]


def equal(prefix: str, tolerance: float, label: str, frame: Frame, note: str = "") -> Verdict:
    """Whether computed values equal those of the paper."""
    found = computed(frame, prefix)
    if not len(found):
        return unjudged(f"needs the cells of the theory: {prefix}")
    gap = float((found["value"] - found["paper"]).abs().max())
    measured = f"{label}: greatest deviation {gap:.2g} in {len(found)} cases"
    if np.isfinite(gap) and gap <= tolerance:
        return Verdict(REPRODUCED, measured + note, gap)
    return Verdict(NOT_REPRODUCED, measured, gap, reason=note.strip("; "))


def has_property(name: str, frame: Frame) -> Verdict:
    """Whether exactly the variants of the paper have a property."""
    found = computed(frame, name)
    if len(found) < len(VARIANTS):
        return unjudged("needs the audits of all variants")
    wrong = found.loc[found["value"] != found["paper"], "variant"].tolist()
    right = len(VARIANTS) - len(wrong)
    measured = f"{right} of {len(VARIANTS)} variants audited as in the paper"
    if not wrong:
        return Verdict(REPRODUCED, measured, 0.0)
    return Verdict(NOT_REPRODUCED, measured, float(len(wrong)), reason=f"not {', '.join(wrong)}")


def all_three(frame: Frame) -> Verdict:
    found = computed(frame, "")
    found = found[found["quantity"].isin(TABLE_4)] if len(found) else found
    if len(found) < 3 * len(VARIANTS):
        return unjudged("needs the audits of all variants")
    complete = found.groupby("variant")["value"].min()
    having = sorted(complete.index[complete == 1])
    outcome = reproduced_if(having == sorted(OF_THEORY))
    return Verdict(outcome, f"all three properties: {', '.join(having)}", float(len(having) - 3))


def adaboost_at_equal_costs(frame: Frame) -> Verdict:
    found = computed(frame, "difference at equal costs")
    if not len(found):
        return unjudged("needs the cell of the theory: equal costs")
    differ = set(found.loc[found["value"] > SOLVED, "variant"])
    outcome = reproduced_if(differ == DIFFERENT)
    least = float(found.loc[found["variant"].isin(differ), "value"].min()) if differ else 0.0
    return Verdict(
        outcome,
        f"scores differ from AdaBoost's for {', '.join(sorted(differ))}, by {least:.2g} or more",
        float(len(differ ^ DIFFERENT)),
        reason="" if outcome == REPRODUCED else f"expected: {', '.join(sorted(DIFFERENT))}",
    )


def by_start(what: str, frame: Frame) -> Verdict:
    """A formula that holds if all weights are equal at the start."""
    ends = f"starting from {STARTS['cost']}"
    rest = computed(frame, what)
    of_costs = rest[rest["quantity"].str.endswith(ends)] if len(rest) else rest
    of_equal = rest[~rest["quantity"].str.endswith(ends)] if len(rest) else rest
    gap = float((of_costs["value"] - of_costs["paper"]).abs().max()) if len(of_costs) else 0.0
    note = f"; with the initial weights of the paper's table 1 it is off by up to {gap:.3g}"
    parts = of_equal.assign(quantity="formula") if len(of_equal) else of_equal
    return equal("formula", FOUND, f"{what}, all initial weights equal", parts, note)


def printed_equation(frame: Frame) -> Verdict:
    note = "with the two costs exchanged it holds: the equation has them in the wrong places"
    quantity = "product of experts, costs as printed"
    return equal(quantity, EXACT, "equation 23 as printed", frame, note)


def product_of_experts(frame: Frame) -> Verdict:
    quantity = "product of experts"
    own = frame[frame["quantity"] == quantity] if "quantity" in frame else frame
    return equal(quantity, EXACT, "probabilities", own)


def skew_in_words(frame: Frame) -> Verdict:
    """The definition of the skew against the sentence that explains it."""
    costs = [(1.0, 10.0), (10.0, 1.0), (3.0, 2.0), (2.0, 3.0)]
    agreeing = sum((fp / (fp + fn) < 0.5) == (fp > fn) for fn, fp in costs)
    measured = (
        f"by equation 28 the sentence is right for {agreeing} of {len(costs)} pairs of costs; "
        "z is 0.091 where a false negative costs 10 times a false positive"
    )
    if agreeing == len(costs):
        return Verdict(REPRODUCED, measured)
    reason = "the sentence exchanges the classes: below 1/2 positive examples matter more"
    return Verdict(NOT_REPRODUCED, measured, reason=reason)


# ---- checks of margins ---------------------------------------------------------------------------


def margins_of(frame: Frame, column: str = "margin") -> Frame:
    """Mean margin: a row for each cost ratio and repeat, a column for each variant."""
    found = of_part(frame, "margins")
    if not len(found):
        return found
    return found.pivot_table(index=["fn_cost", "repeat"], columns="variant", values=column)


def smaller_margins(frame: Frame) -> Verdict:
    table = margins_of(frame)
    swapping, others = ["CSAda", "AdaC3"], ["AdaBoost", "CGAda", "AsymAda"]
    if not len(table) or not {*swapping, *others} <= set(table.columns):
        return unjudged("needs the margins of all five variants")
    return each_of(
        [
            verdict_ordinal(
                f"margin of {one} minus margin of {other} at {ratio:g}:1",
                (table.loc[ratio, one] - table.loc[ratio, other]).to_numpy(),
                "repeat",
            )
            for ratio, one, other in product((2.0, 5.0, 10.0), others, swapping)
            if ratio in table.index.get_level_values(0)
        ]
    )


def equal_margins(frame: Frame) -> Verdict:
    found = of_part(frame, "margins")
    found = found[found["fn_cost"] == 1.0] if len(found) else found
    if not len(found) or found["variant"].nunique() < 5:
        return unjudged("needs the margins of all five variants at equal costs")
    columns = [name for name in found.columns if name.startswith("margin_quantile_")]
    gaps = found.groupby("repeat")[columns].agg(np.ptp).max(axis=1)
    gap = float(gaps.max())
    measured = f"greatest difference of quantiles at equal costs: {gap:.2g}"
    same = int((gaps <= EXACT).sum())
    if gap <= EXACT:
        return Verdict(REPRODUCED, measured, gap)
    if gap <= 0.05:
        note = f"; equal to all digits in {same} of {len(gaps)} repeats, others differ by ties"
        return Verdict(REPRODUCED, measured + note, gap)
    return Verdict(NOT_REPRODUCED, measured, gap)


def costly_class_has_greater_margins(frame: Frame) -> Verdict:
    positive, negative = (margins_of(frame, f"margin_of_{z}s") for z in ("positive", "negative"))
    names = ("CGAda", "AsymAda")
    if not len(positive) or not set(names) <= set(positive.columns):
        return unjudged("needs the margins of CGAda and AsymAda")
    gap = positive - negative
    return each_of(
        [
            verdict_ordinal(
                f"{name}: margin of the costlier class minus that of the other at {ratio:g}:1",
                gap.loc[ratio, name].to_numpy(),
                "repeat",
            )
            for name, ratio in product(names, (2.0, 5.0, 10.0))
        ]
        + [
            verdict_ordinal(
                f"{name}: that difference at 10:1 minus the one at 2:1",
                (gap.loc[10.0, name] - gap.loc[2.0, name]).to_numpy(),
                "repeat",
            )
            for name in names
        ]
    )


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


# ---- margins and counts --------------------------------------------------------------------------


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


# ---- losses at some skews ------------------------------------------------------------------------


def greater_loss(
    pairs: Sequence[tuple[str, str]], chosen: Callable[[float], bool], frame: Frame
) -> Verdict:
    """Whether the first of each pair of methods has the greater loss at the chosen skews."""
    table = results.losses_at(frame, chosen)
    if not len(table) or not {name for pair in pairs for name in pair} <= set(table.columns):
        return unjudged("needs the four methods of figure 7")
    return each_of(
        [
            over_sets(
                f"loss of {worse} minus loss of {better}",
                (table[worse] - table[better]).to_numpy(),
            )
            for worse, better in pairs
        ]
    )


def saturated(frame: Frame) -> Verdict:
    rows = results.grid(frame)
    rows = rows[rows["variant"] == "CSB2"] if len(rows) else rows
    rows = rows[[results.moderate(z) for z in rows["skew"]]] if len(rows) else rows
    if not len(rows):
        return unjudged("needs CSB2")
    to_costly = np.where(
        rows["skew"] < 0.5, rows["share_predicted_positive"], 1 - rows["share_predicted_positive"]
    )
    share = (rows.assign(one=to_costly >= 0.99).groupby("data")["one"].mean()).to_numpy(float)
    reason = "CSB2 prefers the costlier class, but on most sets it predicts both"
    return over_sets(
        "share of CSB2's models that predict the costlier class for 99% of the rows or more, minus "
        "one half", share - 0.5, reason=reason,
    )  # fmt: skip


def adamec_by_skew(frame: Frame) -> Verdict:
    near = results.losses_at(frame, lambda z: 0.39 < z < 0.61)
    if not len(near) or not set(SHOWN) <= set(near.columns):
        return unjudged("needs the four methods of figure 7")
    rank = near[list(SHOWN)].rank(axis=1)["AdaMEC"].to_numpy(float)
    return each_of(
        [
            over_sets(
                "2.5 minus AdaMEC's rank of the four, for z from 0.4 to 0.6",
                2.5 - rank, digits=2,
            ),
            greater_loss([("AdaMEC", "AdaMEC calibrated")], results.outer, frame),
        ]
    )  # fmt: skip


def _overlapping(frame: Frame, names: Sequence[str]) -> Frame:
    """Whether calibrated AdaMEC is below every other, or its interval overlaps with the least."""
    rows = results.grid(frame)
    rows = rows[rows["variant"].isin(names)]
    table = rows.groupby(["data", "skew", "variant"])["loss"].agg(["mean", "std", "count"])
    half = 1.96 * table["std"] / np.sqrt(table["count"])
    low, high = (table["mean"] - half).unstack("variant"), (table["mean"] + half).unstack("variant")
    least = table["mean"].unstack("variant").idxmin(axis=1)
    bound = np.array([high.loc[key, name] for key, name in least.items()])
    own = low["AdaMEC calibrated"].to_numpy(float)
    return low.assign(tied=(own <= bound) | (least == "AdaMEC calibrated").to_numpy())["tied"]


def outranked_at_equal_costs(frame: Frame) -> Verdict:
    found = greater_loss(
        [("AdaMEC calibrated", name) for name in SHOWN[1:]], results.balanced, frame
    )
    if found.difference is None or results.grid(frame)["repeat"].nunique() < FEWEST:
        return unjudged(f"needs the four methods of figure 7 and {FEWEST} repeats")
    tied = _overlapping(frame, SHOWN).xs(0.5, level="skew")
    share = float(tied.mean())
    parts = [
        found,
        Verdict(
            REPRODUCED if share > 0.5 else NOT_REPRODUCED,
            f"its interval overlaps with that of the best on {share:.0%} of the data sets",
            share - 0.5,
        ),
    ]
    return each_of(parts)


def first_or_tied(frame: Frame) -> Verdict:
    rows = results.grid(frame)
    if not len(rows) or not set(SHOWN) <= set(rows["variant"]):
        return unjudged("needs the four methods of figure 7")
    if rows["repeat"].nunique() < FEWEST:
        return unjudged(f"needs at least {FEWEST} repeats for intervals")
    tied = _overlapping(frame, SHOWN)
    by_set = tied.groupby("data").mean().to_numpy(float)
    return over_sets(
        "share of the skews at which calibrated AdaMEC is first, or tied within the 95% intervals, "
        "minus 0.9", by_set - 0.9,
    )  # fmt: skip


def clearest_lead(frame: Frame) -> Verdict:
    areas = results.areas(frame)
    named = [f"nikolaou_{name}" for name in ("splice", "krvskp")] + [
        "musk2",
        "waveform",
        "spambase",
    ]
    if not len(areas) or not set(named) <= set(areas.index) or len(areas) < ALL_SETS:
        return unjudged(f"needs all {ALL_SETS} data sets")
    lead = areas[list(SHOWN[1:])].min(axis=1) - areas["AdaMEC calibrated"]
    rest = float(lead.drop(named).mean())
    return verdict_ordinal(
        "lead in area over the best of the other three on the five sets, minus the mean lead on "
        "the others",
        lead[named].to_numpy() - rest,
        "data set",
        digits=4,
    )


def ignores_asymmetry(frame: Frame) -> Verdict:
    table = results.by_skew(frame, "share_predicted_positive")
    if not len(table) or table.shape[1] < ALL_SKEWS:
        return unjudged("needs all skews")
    change = (table[table.columns[0]] - table[table.columns[-1]]).unstack("variant")
    if not set(SHOWN) <= set(change.columns):
        return unjudged("needs the four methods of figure 7")
    return over_sets(
        "change of the share predicted positive between the two extreme skews, of calibrated "
        "AdaMEC minus AdaC1",
        (change["AdaMEC calibrated"] - change["AdaC1"]).to_numpy(),
    )


# ---- probabilities, margins, counts --------------------------------------------------------------


def by_calibration_loss(frame: Frame) -> Verdict:
    rows = results.grid(frame)
    if not len(rows) or "calibration_loss" not in rows.columns:
        return unjudged("needs AdaMEC and calibrated AdaMEC")
    table = rows.pivot_table(index="data", columns="variant", values=["calibration_loss", "brier"])
    both = ("AdaMEC", "AdaMEC calibrated")
    if not {("brier", name) for name in both} <= set(table.columns):
        return unjudged("needs AdaMEC and calibrated AdaMEC")
    total = table["brier", both[0]] - table["brier", both[1]]
    part = table["calibration_loss", both[0]] - table["calibration_loss", both[1]]
    return each_of(
        [
            over_sets("decrease of the Brier score", total.to_numpy(), digits=4),
            over_sets(
                "decrease of its calibration part, minus its whole decrease",
                (part - total).to_numpy(), digits=4,
            ),
        ]
    )  # fmt: skip


def more_distorted(frame: Frame) -> Verdict:
    rows = results.grid(frame)
    if not len(rows) or "final_calibration_error" not in rows.columns:
        return unjudged("needs AdaMEC")
    own = rows[rows["variant"] == "AdaMEC"].groupby("data")
    gap = own["final_calibration_error"].mean() - own["early_calibration_error"].mean()
    return over_sets(
        "calibration error of AdaBoost's logistic probabilities after all rounds, minus that after "
        "10", gap.to_numpy(),
    )  # fmt: skip


CHECKS: dict[str, Check] = {
    "K01": adaboost_at_equal_costs,
    "K02": partial(has_property, "fgd_consistent"),
    "K03": partial(has_property, "cost_consistent"),
    "K04": partial(has_property, "asymmetry_preserving"),
    "K05": all_three,
    "K06": partial(by_start, "shift"),
    "K07": partial(by_start, "swap"),
    "K08": partial(equal, "decisions that differ", 0, "decisions that differ"),
    "K09": product_of_experts,
    "K10": smaller_margins,
    "K11": equal_margins,
    "K12": partial(equal, "difference of scores", SOLVED, "scores"),
    "K13": each_above(CALIBRATED[2:], METHODS[:-1]),
    "K14": partial(above, list(zip(CALIBRATED, OF_THEORY, strict=True))),
    "K15": each_above(OF_THEORY, OTHERS),
    "K16": partial(
        above, [(names[2], other) for names in (OF_THEORY, CALIBRATED) for other in names[:2]]
    ),
    "K17": each_above(("CSB2", "AdaC2"), REMAINING),
    "K18": erratic_adac1,
    "K19": each_above(
        [*OF_THEORY, *CALIBRATED, "AdaC2", "AdaC3", "CSB0", "CSB1", "CSB2"],
        ("AdaCost", "AdaCost(beta2)", "CSAda"),
    ),
    "K20": sizes,
    "K21": on_front,
    "K22": few_learners,
    "K23": none_dominates,
    "K24": partial(
        greater_loss, [("CSB2", name) for name in (*SHOWN[:2], *SHOWN[3:])], results.moderate
    ),
    "K25": saturated,
    "K26": partial(
        greater_loss,
        [("CSB2", "AdaMEC calibrated"), ("AdaMEC", "CSB2"), ("AdaC1", "CSB2")],
        results.extreme,
    ),
    "K27": partial(greater_loss, [("AdaC1", name) for name in SHOWN[:3]], results.high),
    "K28": adamec_by_skew,
    "K29": outranked_at_equal_costs,
    "K30": first_or_tied,
    "K31": clearest_lead,
    "K32": partial(equal, "area minus Brier score", EXACT, "area minus Brier score"),
    "K33": counts,
    "K34": depends_on_choices,
    "K36": skew_in_words,
    "K37": printed_equation,
    "K38": costly_class_has_greater_margins,
    "K39": equivalent,
    "K40": each_above(CALIBRATED, [*OF_THEORY, *OTHERS]),
    "K41": greater_margins,
    "K42": more_distorted,
    "K43": by_calibration_loss,
    "K44": ignores_asymmetry,
}
CLAIMS = read_claims("Nikolaou et al. 2016", "nikolaou2016", CHECKS)
