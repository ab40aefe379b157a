"""Claims of Nikolaou et al. (2016) on formulas: properties, losses, probabilities, margins."""

from __future__ import annotations

from functools import partial
from itertools import product

import numpy as np

from costboost.studies.nikolaou_tables import OF_THEORY, of_part
from costboost.studies.nikolaou_theory import DIFFERENT, STARTS, TABLE_4, VARIANTS
from costboost.studies.statistics import each_of, unjudged, verdict_ordinal
from costboost.studies.study import (
    NOT_REPRODUCED,
    REPRODUCED,
    Claim,
    Frame,
    Outcome,
    Paper,
    Verdict,
)

claim = Paper("Nikolaou et al. 2016", "nikolaou2016").claim
EXACT = 1e-9
SOLVED = 1e-6
"""Precision of scores whose steps are roots that are found by iteration."""
FOUND = 1e-4
"""Precision of a margin that is found by bisection."""


# ---- formulas ------------------------------------------------------------------------------------


def computed(frame: Frame, prefix: str, variants: set[str] | None = None) -> Frame:
    """Records of the theory whose quantity begins with a text."""
    found = of_part(frame, "theory")
    if not len(found):
        return found
    found = found[found["quantity"].str.startswith(prefix)]
    return found if variants is None else found[found["variant"].isin(variants)]


def equal(frame: Frame, prefix: str, tolerance: float, label: str, note: str = "") -> Verdict:
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
    outcome: Outcome = REPRODUCED if having == sorted(OF_THEORY) else NOT_REPRODUCED
    return Verdict(outcome, f"all three properties: {', '.join(having)}", float(len(having) - 3))


def adaboost_at_equal_costs(frame: Frame) -> Verdict:
    found = computed(frame, "difference at equal costs")
    if not len(found):
        return unjudged("needs the cell of the theory: equal costs")
    differ = set(found.loc[found["value"] > SOLVED, "variant"])
    outcome: Outcome = REPRODUCED if differ == DIFFERENT else NOT_REPRODUCED
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
    return equal(parts, "formula", FOUND, f"{what}, all initial weights equal", note)


def printed_equation(frame: Frame) -> Verdict:
    note = "with the two costs exchanged it holds: the equation has them in the wrong places"
    return equal(
        frame, "product of experts, costs as printed", EXACT, "equation 23 as printed", note
    )


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


# ---- margins -------------------------------------------------------------------------------------


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


def _property(number: int, title: str, name: str) -> Claim:
    having = ", ".join(v for v in VARIANTS if v in TABLE_4[name])
    statement = f"{title}: {having}, and no other."
    return claim(
        f"K0{number}", f"section 3.{number - 1}, table 4", "structural", statement,
        partial(has_property, name),
    )  # fmt: skip


CLAIMS = [
    claim(
        "K01", "section 2.3", "structural",
        "At equal costs all variants but CSB0, CSB1, AdaCost and AdaCost(beta2) are AdaBoost.",
        adaboost_at_equal_costs,
    ),
    _property(2, "Consistent with functional gradient descent", "fgd_consistent"),
    _property(3, "Cost-consistent", "cost_consistent"),
    _property(4, "Asymmetry-preserving", "asymmetry_preserving"),
    claim(
        "K05", "table 4", "structural",
        "Only AdaMEC, CGAda and AsymAda have all three properties.", all_three,
    ),
    claim(
        "K06", "section 3.2", "structural",
        "After M rounds the population minimiser of AdaC2 is shifted by M/2 log(C+ / C-), so that "
        "it overstates the costs more with every round.",
        partial(by_start, "shift"),
    ),
    claim(
        "K07", "section 3.3, figure 2", "structural",
        "The losses of the two classes cross at the margin (t - 1) log(C+ / C-) / (C+ - C-) for "
        "AdaC3 in round t, and at 0 for CSAda.",
        partial(by_start, "swap"),
    ),
    claim(
        "K08", "theorem 1", "structural",
        "Ting's AdaMEC compares the share of votes for the positive class with C- / (C+ + C-).",
        lambda frame: equal(frame, "decisions that differ", 0, "decisions that differ"),
    ),
    claim(
        "K09", "theorem 2", "structural",
        "AdaBoost's logistic probability is a product of experts that err with the weighted errors "
        "of the rounds.",
        lambda frame: equal(
            frame[frame["quantity"] == "product of experts"] if "quantity" in frame else frame,
            "product of experts", EXACT, "probabilities",
        ),
    ),
    claim(
        "K10", "figure 3", "ordinal",
        "On congress, at cost ratios of 2, 5 and 10, CSAda and AdaC3 have smaller mean margins "
        "than AdaBoost, CGAda and AsymAda.",
        smaller_margins,
    ),
    claim(
        "K11", "figure 3", "structural",
        "At equal costs the margins of all these variants are distributed in the same way.",
        equal_margins,
    ),
    claim(
        "K12", "footnote 5", "structural",
        "CSAda and AdaDB are equal within numerical precision.",
        lambda frame: equal(frame, "difference of scores", SOLVED, "scores"),
    ),
    claim(
        "K32", "section 5.1", "structural",
        "The area below the Brier curve is the Brier score, for balanced classes.",
        lambda frame: equal(frame, "area minus Brier score", EXACT, "area minus Brier score"),
    ),
    claim(
        "K36", "section 5.1", "structural",
        "At a skew below 1/2 negative examples are more important than positive ones.",
        skew_in_words,
    ),
    claim(
        "K37", "equation 23", "structural",
        "AdaMEC's probability is the product of experts with the factor C- for the positive and C+ "
        "for the negative class.",
        printed_equation,
    ),
    claim(
        "K38", "footnote 4", "ordinal",
        "Variants that train by cost give the costlier class greater margins, the more so the "
        "greater the cost ratio.",
        costly_class_has_greater_margins,
    ),
]  # fmt: skip
"""Claims on formulas and margins."""
