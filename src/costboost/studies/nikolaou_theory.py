"""Statements of Nikolaou et al. (2016) on formulas and margins: computed, and judged."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from typing import Any

import numpy as np
from scipy.special import expit
from sklearn.metrics import brier_score_loss

from costboost import algorithms as boosting
from costboost import theory
from costboost.checks import Floats
from costboost.metrics import area_under_brier_curve
from costboost.studies.nikolaou_tables import OF_THEORY, of_part
from costboost.studies.statistics import each_of, reproduced_if, unjudged, verdict_ordinal
from costboost.studies.study import (
    NOT_REPRODUCED,
    REPRODUCED,
    Frame,
    Record,
    Verdict,
)

COSTS = ((2.0, 1.0), (1.0, 5.0))
"""Costs of a false negative and of a false positive under which formulas are checked."""
N_PROBLEMS = 20
VARIANTS: dict[str, Any] = {
    "AdaBoost": boosting.AdaBoostClassifier(),
    "AdaCost": boosting.AdaCostClassifier(max_cost=1.0),
    "AdaCost(beta2)": boosting.AdaCostClassifier(max_cost=1.0, beta="ting"),
    "CSB0": boosting.CSB0Classifier(),
    "CSB1": boosting.CSB1Classifier(),
    "CSB2": boosting.CSB2Classifier(),
    "AdaC1": boosting.AdaC1Classifier(),
    "AdaC2": boosting.AdaC2Classifier(),
    "AdaC3": boosting.AdaC3Classifier(),
    "CSAda": boosting.CSAdaClassifier(),
    "AdaDB": boosting.AdaDBClassifier(),
    "AdaMEC": boosting.AdaMECClassifier(),
    "CGAda": boosting.CGAdaClassifier(),
    "AsymAda": boosting.AsymAdaClassifier(),
}
TABLE_4 = {
    "fgd_consistent": {"AdaBoost", "AdaC2", "CSAda", "AdaDB", "AdaMEC", "CGAda", "AsymAda"},
    "cost_consistent": {"AdaC1", "CSAda", "AdaDB", "AdaMEC", "CGAda", "AsymAda"},
    "asymmetry_preserving": {
        "AdaBoost", "CSB0", "CSB1", "CSB2", "AdaC2", "AdaMEC", "CGAda", "AsymAda",
    },
}  # fmt: skip
"""Variants that have each property, according to the paper."""
DIFFERENT = {"CSB0", "CSB1", "AdaCost", "AdaCost(beta2)"}
"""Variants that are not AdaBoost at equal costs, according to the paper."""
EXACT = 1e-9
SOLVED = 1e-6
"""Precision of scores whose steps are roots that are found by iteration."""
FOUND = 1e-4
"""Precision of a margin that is found by bisection."""


def _record(quantity: str, variant: str, value: float, paper: float) -> Record:
    return {"quantity": quantity, "variant": variant, "value": float(value), "paper": float(paper)}


def problems(seed: int) -> Iterator[tuple[Floats, Any, Floats]]:
    """Small random problems of two overlapping classes; weights without ties between stumps."""
    rng = np.random.default_rng(seed)
    for _ in range(N_PROBLEMS):
        X = rng.normal(size=(80, 3))
        y = (X[:, 0] + X[:, 1] ** 2 + rng.normal(size=80) > 0.7).astype(int)
        yield X, y, rng.exponential(size=80)


def properties(variant: str, seed: int) -> list[Record]:
    """The three properties of a variant; 0 or 1, and 0.5 if it depends on the costs."""
    audits = [theory.audit(VARIANTS[variant], *costs) for costs in COSTS]
    return [
        _record(name, variant, np.mean([getattr(one, name) for one in audits]), variant in having)
        for name, having in TABLE_4.items()
    ]


def equal_costs(seed: int) -> list[Record]:
    """Greatest difference of scores from those of AdaBoost at equal costs."""
    found = []
    for name, clf in VARIANTS.items():
        most = 0.0
        for X, y, weight in problems(seed):
            options: dict[str, Any] = {"n_estimators": 10, "n_jobs": 1}
            plain = boosting.AdaBoostClassifier(**options).fit(X, y, weight)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # AdaCost may find no learner at all
                other = type(clf)(**(clf.get_params() | options)).fit(X, y, weight)
            most = max(most, float(np.abs(other.raw_score(X) - plain.raw_score(X)).max()))
        found.append(_record("difference at equal costs", name, most, name in DIFFERENT))
    return found


STARTS = {"uniform": "all weights equal", "cost": "the costs of table 1"}
"""Initial weights of AdaC2 and AdaC3: those of Sun et al., and those of the paper's table 1."""


def minimiser(seed: int) -> list[Record]:
    """The shift of AdaC2's minimiser after each of several rounds."""
    found = []
    for (fn_cost, fp_cost), start in product(COSTS, STARTS):
        clf = boosting.AdaC2Classifier(initial_weights=start)
        loss = theory.losses(clf, fn_cost, fp_cost)
        for m in range(1, 6):
            shift = float(loss.minimiser(0.5, round=m))
            expected = m / 2 * np.log(fn_cost / fp_cost)
            quantity = f"shift after round {m}, starting from {STARTS[start]}"
            found.append(_record(quantity, "AdaC2", shift, expected))
    return found


def swap(seed: int) -> list[Record]:
    """The margin at which the two classes exchange their order."""
    found = []
    for (fn_cost, fp_cost), start in product(COSTS, STARTS):
        high, low = max(fn_cost, fp_cost), min(fn_cost, fp_cost)
        # AdaC3 scales costs to a maximum of 1, so that its margins are greater by that factor
        loss = theory.losses(boosting.AdaC3Classifier(initial_weights=start), fn_cost, fp_cost)
        for t in range(1, 6):
            at = loss.swap(round=t)
            expected = (t - 1) * np.log(high / low) / (high - low)
            quantity = f"swap in round {t}, starting from {STARTS[start]}"
            value = np.nan if at is None else at / high
            found.append(_record(quantity, "AdaC3", value, expected))
    for fn_cost, fp_cost in COSTS:
        at = theory.losses(boosting.CSAdaClassifier, fn_cost, fp_cost).swap(round=3)
        found.append(_record("swap", "CSAda", np.nan if at is None else at, 0.0))
    return found


def votes(seed: int) -> list[Record]:
    """Decisions of Ting's rule, written out, that differ from those by the share of votes."""
    differing = 0
    for X, y, _ in problems(seed):
        clf = boosting.AdaMECClassifier(probability="votes", n_estimators=15, n_jobs=1).fit(X, y)
        signs = _signs(clf, X)
        for fn_cost, fp_cost in (*COSTS, (7.3, 1.0)):
            sums = [(clf.estimator_weights_[:, None] * (signs == s)).sum(axis=0) for s in (1, -1)]
            ting = fn_cost * sums[0] - fp_cost * sums[1]
            clear = np.abs(ting) > 1e-9
            y_pred = clf.predict(X, fn_cost=fn_cost, fp_cost=fp_cost)
            differing += int(((ting > 0) != (y_pred == 1))[clear].sum())
    return [_record("decisions that differ", "AdaMEC", differing, 0)]


def experts(seed: int) -> list[Record]:
    """AdaBoost's probability against the product of experts, with and without costs."""
    plain = shifted = printed = 0.0
    for X, y, _ in problems(seed):
        clf = boosting.AdaBoostClassifier(n_estimators=15, n_jobs=1).fit(X, y)
        signs, error = _signs(clf, X), clf.estimator_errors_[:, None]
        positive = np.where(signs > 0, 1 - error, error).prod(axis=0)
        negative = np.where(signs > 0, error, 1 - error).prod(axis=0)
        of_model = clf.predict_proba(X)[:, 1]
        plain = max(plain, float(np.abs(positive / (positive + negative) - of_model).max()))
        fn, fp = 5.0, 1.0
        moved = expit(2 * (clf.raw_score(X) + np.log(fn / fp) / 2))
        ours = fn * positive / (fn * positive + fp * negative)
        theirs = fp * positive / (fp * positive + fn * negative)
        shifted = max(shifted, float(np.abs(ours - moved).max()))
        printed = max(printed, float(np.abs(theirs - moved).max()))
    return [
        _record("product of experts", "AdaBoost", plain, 0),
        _record("product of experts, costs as printed", "AdaMEC", printed, 0),
        _record("product of experts, costs exchanged", "AdaMEC", shifted, 0),
    ]


def _signs(clf: Any, X: Floats) -> Floats:
    """Vote of every weak learner on every row, from the scores after each round."""
    stages = np.array(list(clf.staged_raw_score(X)))
    return np.sign(np.diff(stages, axis=0, prepend=0.0))


def double_base(seed: int) -> list[Record]:
    """Greatest difference between the scores of CSAda and AdaDB."""
    most = 0.0
    for X, y, _ in problems(seed):
        for fn_cost, fp_cost in COSTS:
            options: dict[str, Any] = {"fn_cost": fn_cost, "fp_cost": fp_cost, "n_jobs": 1}
            one = boosting.CSAdaClassifier(n_estimators=15, **options).fit(X, y)
            other = boosting.AdaDBClassifier(n_estimators=15, **options).fit(X, y)
            most = max(most, float(np.abs(one.raw_score(X) - other.raw_score(X)).max()))
    return [_record("difference of scores", "CSAda, AdaDB", most, 0)]


def brier_area(seed: int) -> list[Record]:
    """Area below the Brier curve against the Brier score, for balanced classes."""
    most = 0.0
    rng = np.random.default_rng(seed)
    for _ in range(N_PROBLEMS):
        y = np.repeat([0, 1], 50)
        p = np.clip(rng.beta(1 + y, 2 - y), 0.01, 0.99)
        gap = area_under_brier_curve(y, p) - brier_score_loss(y, p)
        most = max(most, abs(float(gap)))
    return [_record("area minus Brier score", "any", most, 0)]


CHECKS: dict[str, Callable[[int], list[Record]]] = {
    **{f"properties of {name}": partial(properties, name) for name in VARIANTS},
    "equal costs": equal_costs,
    "minimiser": minimiser,
    "swap": swap,
    "votes": votes,
    "experts": experts,
    "double base": double_base,
    "Brier area": brier_area,
}
"""Computations by name; each is a cell of the study."""


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
