"""Claims of Nyga (2010): imbalance and regularisation, costs and goals, toy problems, exponents."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial

import numpy as np

from costboost_lab.arrays import Floats
from costboost_lab.studies import Check, Frame, Verdict, paper_table, read_claims
from costboost_lab.studies.nyga import (
    COST_BLIND,
    COST_SENSITIVE,
    GOAL_METHODS,
    GOALS,
    PAPER_DATA,
    REGULARISED,
    adac2_after,
    at_best,
    at_recall,
    by_strength,
    minus,
    of_method,
    part_of,
    printed,
    values,
)
from costboost_lab.studies.statistics import (
    all_of,
    not_above,
    reproduced_if,
    unjudged,
    verdict_numeric,
    verdict_ordinal,
)

CANCER, BANANA = "breast_w", "banana"
BOTH = (CANCER, BANANA)
PROTOCOL = (
    "most likely the protocol: the thesis states neither the size of its trees nor its parameter "
    "values, and its banana splits are others"
)
PARTS = {"imbalance": "3.2", "regularised": "3.3", "costs": "3.4"}
MARGIN = 0.002
"""Differences of F-measures within this distance of 0 count as none."""
Of = tuple[str, str, str] | tuple[str, str, str, str] | tuple[str, str, str, str, bool]
"""Part, data set and method, possibly a measure and whether the data are thinned."""


def higher(label: str, differences: Floats, reason: str = PROTOCOL) -> Verdict:
    """Verdict on the claim that differences are positive."""
    return verdict_ordinal(label, differences, "repeat", margin=MARGIN, digits=4, reason=reason)


def ahead(comparisons: Iterable[tuple[str, Of, Of]], reason: str = PROTOCOL) -> Check:
    """Check that one measure is above another, in several comparisons.

    Each is a label and two measures, given as for `values`.
    """
    rows = list(comparisons)
    return lambda frame: all_of(
        [
            higher(label, minus(values(frame, *one), values(frame, *other)), reason)
            for label, one, other in rows
        ]
    )


def mean_of_ten(label: str, found: Floats, paper: float) -> Verdict:
    """Verdict on a figure that is a mean of ten runs, with the spread that two such means have."""
    spread = 1.96 * float(np.std(found, ddof=1)) * np.sqrt(2 / 10) if found.size > 2 else 0.0
    tolerance = max(spread, 0.0005)
    return verdict_numeric(label, found, paper, tolerance, "repeat", reason=PROTOCOL)


def numbers(
    part: str, data: str, methods: Sequence[str], measures: Sequence[str] = ("f1",)
) -> Check:
    """Check of figures of a table of the thesis."""
    ours = {"f1": "f_measure"}
    return lambda frame: all_of(
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


# ---- chapter 2 -----------------------------------------------------------------------------------


def on_random_problems(check: Check) -> Check:
    """Check that is given the results on random problems, if there are any."""

    def judge(frame: Frame) -> Verdict:
        own = part_of(frame, "propositions")
        return unjudged("needs random problems") if own.empty else check(own)

    return judge


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


@on_random_problems
def rare_is_real(own: Frame) -> Verdict:
    worst = float(own["rare_real_deviation"].max())
    text = f"greatest difference of scores {worst:.1e} in {len(own)} random problems"
    return Verdict(reproduced_if(worst <= 1e-9), text, worst)


@on_random_problems
def no_collapse(own: Frame) -> Verdict:
    found, rounds = int(own["collapses"].sum()), int(own["rounds"].sum())
    return Verdict(reproduced_if(found == 0), f"{found} of {rounds} rounds collapse", float(found))


def growing_margins(frame: Frame) -> Verdict:
    own = part_of(frame, "margins", CANCER)
    if own.empty:
        return unjudged("needs learning curves on cancer")
    low, test = (
        own.pivot_table(index="repeat", columns="rounds", values=name)
        for name in ("low_margin", "test_error")
    )
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


@on_random_problems
def ratio_only(own: Frame) -> Verdict:
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
    own = part_of(frame, "propositions")
    if own.empty:
        return unjudged("needs random problems")
    below = 0.5 - np.asarray(own["exponent_weight_share"])
    pushed = verdict_ordinal("0.5 minus the weight of the costly class", below, "random problem")
    parts = [pushed]
    for data in BOTH:
        costly = values(frame, "exponent", data, "CSAda", "recall", thinned=True)
        blind = values(frame, "imbalance", data, "AdaBoost", "recall", thinned=True)
        label = f"{data}, thinned: recall of CSAda minus AdaBoost"
        parts.append(not_above(label, minus(costly, blind), 0.02, "repeat"))
    return all_of(parts)


factor_beats_exponent = ahead(
    (
        f"{data}, thinned: recall of CGAda minus CSAda",
        ("exponent", data, "CGAda", "recall", True),
        ("exponent", data, "CSAda", "recall", True),
    )
    for data in BOTH
)


# ---- imbalance and regularisation ----------------------------------------------------------------


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


precision_above_recall = ahead(
    (
        f"{name}: precision minus recall",
        ("imbalance", CANCER, name, "precision"),
        ("imbalance", CANCER, name, "recall"),
    )
    for name in COST_BLIND
)

other_class_is_easier = ahead(
    (
        f"{data}, {name}: F of class -1 minus class +1",
        ("imbalance", data, name, "negative_f_measure"),
        ("imbalance", data, name),
    )
    for data in BOTH
    for name in COST_BLIND
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


probabilistic_are_better = ahead(
    (
        f"cancer: {name} minus AdaBoost",
        ("imbalance", CANCER, name),
        ("imbalance", CANCER, "AdaBoost"),
    )
    for name in COST_BLIND[1:]
)

regularised_gain = ahead(
    (
        f"{data}: AdaBoost_Reg minus AdaBoost",
        ("regularised", data, "AdaBoostReg"),
        ("imbalance", data, "AdaBoost"),
    )
    for data in BOTH
)

weightboost_first = ahead(
    [
        (
            f"{CANCER}: WeightBoost minus AdaBoost_Reg",
            ("regularised", CANCER, "WeightBoost"),
            ("regularised", CANCER, "AdaBoostReg"),
        ),
        (
            f"{BANANA}: AdaBoost_Reg minus WeightBoost",
            ("regularised", BANANA, "AdaBoostReg"),
            ("regularised", BANANA, "WeightBoost"),
        ),
    ]
)

weightboost_and_costs = ahead(
    (
        f"cancer: WeightBoost minus {name}",
        ("regularised", CANCER, "WeightBoost"),
        ("costs", CANCER, name),
    )
    for name in COST_SENSITIVE
)


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
    return all_of([left, not_above("test error, round 200 minus 30", rise, 0.005, "repeat")])


# ---- costs and goals -----------------------------------------------------------------------------

TWINS = {
    "AdaC2": "AdaBoost",
    "AdaC3": "AdaBoost",
    "CSRA": "RealBoost",
    "CSGA": "GentleBoost",
    "CSLB": "LogitBoost",
    "AdaCost": "AdaBoost",
}


def oscillates(frame: Frame) -> Verdict:
    parts = []
    for data in BOTH:
        own = part_of(frame, "curves", data)
        late = own[own["rounds"] > 100] if len(own) else own
        swings: dict[str, Floats] = {}
        against: list[float] = []
        for method in ("AdaC1", "AdaBoost"):
            runs = of_method(late, method)
            runs = runs[runs["rounds"] <= 200].sort_values("rounds") if len(runs) else runs
            groups = [g for _, g in runs.groupby("repeat")] if len(runs) else []
            swings[method] = np.array([float(g["recall"].diff().abs().mean()) for g in groups])
            if not against:
                against = [float(g["precision"].diff().corr(g["recall"].diff())) for g in groups]
        difference = minus(swings["AdaC1"], swings["AdaBoost"])
        parts.append(
            higher(f"{data}: mean change of recall a round, AdaC1 minus AdaBoost", difference)
        )
        parts.append(higher(f"{data}: minus the correlation of their changes", -np.array(against)))
    return all_of(parts)


gains_by_costs = ahead(
    (
        (
            f"cancer: {name} minus {TWINS[name]}",
            ("costs", CANCER, name),
            ("imbalance", CANCER, TWINS[name]),
        )
        for name in GOAL_METHODS
    ),
    "the parameter is chosen on the test rows, and costs move the balance of precision and recall, "
    "of which the cost-blind twin already has a good one",
)

adacost_gains_nothing = ahead(
    [
        (
            "cancer: AdaBoost minus AdaCost",
            ("imbalance", CANCER, "AdaBoost"),
            ("costs", CANCER, "AdaCost"),
        )
    ]
)


def csga_first(frame: Frame) -> Verdict:
    first = "CSGA"
    ours = ahead(
        (f"banana: {first} minus {name}", ("costs", BANANA, first), ("costs", BANANA, name))
        for name in COST_SENSITIVE
        if name != first
    )
    lines = paper_table("nyga2010-tables")
    theirs = lines[lines["table"].astype(str) == "3.4"].pivot_table(
        index="dataset", columns="algorithm", values="f1"
    )
    best = (theirs[first] >= theirs.max(axis=1)).to_dict()
    claimed = sum(best.values()) == 4 and not best["cancer"]
    text = f"in the thesis's figures {first} is best on {sum(best.values())} of {len(best)} sets"
    return all_of([ours(frame), Verdict(reproduced_if(claimed), text)])


recall_for_precision = ahead(
    row
    for data in BOTH
    for row in (
        (
            f"{data}: gain of recall",
            ("costs", data, "AdaC2", "recall"),
            ("imbalance", data, "AdaBoost", "recall"),
        ),
        (
            f"{data}: loss of precision",
            ("imbalance", data, "AdaBoost", "precision"),
            ("costs", data, "AdaC2", "precision"),
        ),
    )
)


def costs_grow(frame: Frame) -> Verdict:
    at = partial(adac2_after, frame)
    parts = []
    for cost in (1.01, 1.05, 1.2):
        rise = minus(at(cost, 500, "recall"), at(cost, 10, "recall"))
        fall = minus(at(cost, 10, "precision"), at(cost, 500, "precision"))
        parts += [
            higher(f"cost {cost}: recall, round 500 minus 10", rise),
            higher(f"cost {cost}: precision, round 10 minus 500", fall),
        ]
    sooner = minus(at(1.05, 50, "precision"), at(1.2, 50, "precision"))
    return all_of([*parts, higher("round 50: precision at cost 1.05 minus 1.2", sooner)])


def too_great_a_cost(frame: Frame) -> Verdict:
    recall, precision = (adac2_after(frame, 1.5, 500, name) for name in ("recall", "precision"))
    share = adac2_after(frame, 1.5, 500, "positive_share")
    if not recall.size:
        return unjudged("needs AdaC2 at a cost of 1.5 on cancer")
    above = minus(precision, share)
    return all_of(
        [
            verdict_ordinal("recall, beyond 0.98", recall - 0.98, "repeat", digits=4),
            not_above("precision minus the share of the class", above, 0.05, "repeat"),
        ]
    )


# ---- section 3.5 and the thesis's own figures ----------------------------------------------------


def goal_numbers(data: str, goal: float, methods: Sequence[str]) -> Check:
    """Check of the precisions at a recall."""
    return lambda frame: all_of(
        [_goal_number(part_of(frame, "costs", data), data, goal, name) for name in methods]
    )


def _goal_number(own: Frame, data: str, goal: float, method: str) -> Verdict:
    """Verdict on the precision of a method at a recall; not reproduced if no cost reaches it."""
    text = f"recall={goal:.2f}"
    found = at_recall(own, method, goal)
    results = of_method(own, method)
    if len(results) and not found.size:
        most = float(results.groupby("value")["recall"].mean().max())
        measured = f"{method}: the greatest mean recall is {most:.4f}"
        return Verdict(
            reproduced_if(False), measured, reason="no cost of the grid reaches the goal"
        )
    return mean_of_ten(
        f"{method} at {text}", found, printed("3.5", data, method, "precision", text)
    )


def goal_order(frame: Frame) -> Verdict:
    own = part_of(frame, "costs", CANCER)
    return all_of(
        [
            higher(
                f"cancer at recall 0.95: precision of {one} minus {other}",
                minus(at_recall(own, one, 0.95), at_recall(own, other, 0.95)),
            )
            for one in ("CSRA", "CSGA", "CSLB")
            for other in ("AdaC2", "AdaC3")
        ]
    )


def goals_are_reached(frame: Frame) -> Verdict:
    costs = {data: part_of(frame, "costs", data) for data in GOALS}
    if any(own.empty for own in costs.values()):
        return unjudged("needs costs on both sets")
    missed = [
        f"{name}, {PAPER_DATA[data]}, {goal:g}"
        for data, goals in GOALS.items()
        for goal in goals
        for name in GOAL_METHODS
        if not at_recall(costs[data], name, goal).size
    ]
    text = f"missed: {'; '.join(missed)}" if missed else "all are reached"
    return Verdict(
        reproduced_if(not missed),
        text,
        float(len(missed)),
        reason="greater costs may reach them" if missed else "",
    )


def inconsistent_figures(frame: Frame) -> Verdict:
    lines = paper_table("nyga2010-tables")
    lines = lines[lines["dataset"].isin(["banana", "cancer"])]
    follows = 2 * lines["precision"] * lines["recall"] / (lines["precision"] + lines["recall"])
    wrong = lines[(lines["f1"] - follows).abs() > 0.01]
    found = sorted(
        zip(wrong["table"].astype(str), wrong["dataset"], wrong["algorithm"], strict=True)
    )
    claimed = sorted([("3.4", "cancer", "AdaCost"), *[("3.5", "banana", "AdaC3")] * 3])
    text = "; ".join(f"Table {t}, {d}, {a}" for t, d, a in found)
    return Verdict(reproduced_if(found == claimed), f"F not from P and R: {text}")


def text_and_figures(frame: Frame) -> Verdict:
    below = {
        name: printed("3.4", BANANA, name) - printed("3.2", BANANA, TWINS[name])
        for name in ("AdaC2", "AdaC3", "CSLB")
    }
    holds = below["AdaC2"] < 0 and below["AdaC3"] < 0 and abs(below["CSLB"]) < 1e-9
    text = ", ".join(f"{name} {value:+.3f}" for name, value in below.items())
    return Verdict(reproduced_if(holds), f"printed F minus that of the twin on banana: {text}")


CHECKS: dict[str, Check] = {
    "G01": solved_in_four,
    "G02": never_settles,
    "G03": rare_is_real,
    "G04": no_collapse,
    "G05": growing_margins,
    "G06": numbers("imbalance", BANANA, COST_BLIND),
    "G07": numbers("imbalance", CANCER, COST_BLIND),
    "G08": close_together,
    "G09": precision_above_recall,
    "G10": other_class_is_easier,
    "G11": recall_suffers,
    "G12": numbers("regularised", BANANA, REGULARISED),
    "G13": numbers("regularised", CANCER, REGULARISED),
    "G14": regularised_gain,
    "G15": weightboost_first,
    "G16": worse_with_strength,
    "G17": best_near_zero,
    "G18": overfits,
    "G19": does_not_overfit,
    "G20": oscillates,
    "G21": numbers("costs", CANCER, ("AdaC2", "AdaC3"), ("precision", "recall", "f1")),
    "G22": numbers("costs", CANCER, ("CSRA", "CSGA", "CSLB")),
    "G23": numbers("costs", BANANA, ("CSGA", "CSLB", "CSRA", "AdaCost", "AdaC2", "AdaC3")),
    "G24": gains_by_costs,
    "G25": csga_first,
    "G26": recall_for_precision,
    "G27": costs_grow,
    "G28": too_great_a_cost,
    "G29": goal_numbers(BANANA, 0.85, ("CSGA", "AdaC2", "CSLB", "CSRA")),
    "G30": goal_numbers(BANANA, 0.95, GOAL_METHODS),
    "G31": goal_order,
    "G32": goal_numbers(CANCER, 1.0, GOAL_METHODS),
    "G33": ratio_only,
    "G34": exponent_pushes_away,
    "G35": inconsistent_figures,
    "G36": text_and_figures,
    "G37": factor_beats_exponent,
    "G38": probabilistic_are_better,
    "G39": weightboost_and_costs,
    "G40": adacost_gains_nothing,
    "G41": goals_are_reached,
    "G42": goal_numbers(CANCER, 0.95, GOAL_METHODS),
}
CLAIMS = read_claims("Nyga 2010", "nyga2010", CHECKS)
