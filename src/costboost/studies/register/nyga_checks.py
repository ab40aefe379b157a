"""Checks of claims of Nyga (2010) on imbalance and regularisation, on costs and goals."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from costboost.checks import Floats
from costboost.studies.nyga_tables import (
    COST_BLIND,
    COST_SENSITIVE,
    GOAL_METHODS,
    at_best,
    at_recall,
    of_method,
    part_of,
    printed,
)
from costboost.studies.register.nyga_theory import (
    BANANA,
    BOTH,
    CANCER,
    PROTOCOL,
    higher,
    mean_of_ten,
    minus,
    no_gain,
    values,
)
from costboost.studies.statistics import all_of, reproduced_if, unjudged, verdict_ordinal
from costboost.studies.study import Frame, Verdict, paper_table


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
            groups = (
                [g.sort_values("rounds") for _, g in runs.groupby("repeat")] if len(runs) else []
            )
            groups = [g[(g["rounds"] <= 200)] for g in groups]
            swings[method] = np.array([float(g["recall"].diff().abs().mean()) for g in groups])
            if not against:
                against = [float(g["precision"].diff().corr(g["recall"].diff())) for g in groups]
        difference = minus(swings["AdaC1"], swings["AdaBoost"])
        parts.append(
            higher(f"{data}: mean change of recall a round, AdaC1 minus AdaBoost", difference)
        )
        parts.append(higher(f"{data}: minus the correlation of their changes", -np.array(against)))
    return all_of(parts)


def gains_by_costs(frame: Frame) -> Verdict:
    parts = [
        higher(
            f"cancer: {name} minus {TWINS[name]}",
            minus(
                values(frame, "costs", CANCER, name),
                values(frame, "imbalance", CANCER, TWINS[name]),
            ),
            "the parameter is chosen on the test rows, and costs move the balance of precision and "
            "recall, of which the cost-blind twin already has a good one",
        )
        for name in GOAL_METHODS
    ]
    return all_of(parts)


def adacost_gains_nothing(frame: Frame) -> Verdict:
    own = values(frame, "costs", CANCER, "AdaCost")
    return higher(
        "cancer: AdaBoost minus AdaCost", minus(values(frame, "imbalance", CANCER, "AdaBoost"), own)
    )


def csga_first(frame: Frame) -> Verdict:
    first = "CSGA"
    own = values(frame, "costs", BANANA, first)
    parts = [
        higher(f"banana: {first} minus {name}", minus(own, values(frame, "costs", BANANA, name)))
        for name in COST_SENSITIVE
        if name != first
    ]
    lines = paper_table("nyga2010-tables")
    theirs = lines[lines["table"].astype(str) == "3.4"].pivot_table(
        index="dataset", columns="algorithm", values="f1"
    )
    best = (theirs[first] >= theirs.max(axis=1)).to_dict()
    claimed = sum(best.values()) == 4 and not best["cancer"]
    text = f"in the thesis's figures {first} is best on {sum(best.values())} of {len(best)} sets"
    return all_of([*parts, Verdict(reproduced_if(claimed), text)])


def recall_for_precision(frame: Frame) -> Verdict:
    parts = []
    for data in BOTH:
        for name, sign in (("recall", 1), ("precision", -1)):
            difference = minus(
                values(frame, "costs", data, "AdaC2", name),
                values(frame, "imbalance", data, "AdaBoost", name),
            )
            parts.append(
                higher(f"{data}: {'gain' if sign > 0 else 'loss'} of {name}", sign * difference)
            )
    return all_of(parts)


def after(frame: Frame, cost: float, rounds: int, measure: str) -> Floats:
    """A measure of AdaC2 on cancer after some rounds, one for each repeat."""
    own = of_method(part_of(frame, "curves", CANCER), "AdaC2", cost)
    own = own[own["rounds"] == rounds] if len(own) else own
    return np.asarray(own[measure], dtype=np.float64) if len(own) else np.array([])


def costs_grow(frame: Frame) -> Verdict:
    at = partial(after, frame)
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
    recall, precision = (after(frame, 1.5, 500, name) for name in ("recall", "precision"))
    share = after(frame, 1.5, 500, "positive_share")
    if not recall.size:
        return unjudged("needs AdaC2 at a cost of 1.5 on cancer")
    above = minus(precision, share)
    return all_of(
        [
            verdict_ordinal("recall, beyond 0.98", recall - 0.98, "repeat", digits=4),
            no_gain("precision minus the share of the class", above, limit=0.05),
        ]
    )


# ---- section 3.5 and the thesis's own figures ----------------------------------------------------


def goal_numbers(frame: Frame, data: str, goal: float, methods: Sequence[str]) -> Verdict:
    own = part_of(frame, "costs", data)
    return all_of([_goal_number(own, data, goal, name) for name in methods])


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
    own = part_of(frame, "costs", CANCER), part_of(frame, "costs", BANANA)
    if own[0].empty or own[1].empty:
        return unjudged("needs costs on both sets")
    missed = [
        f"{name}, {data}, {goal:g}"
        for part, data, goals in (
            (own[0], "cancer", (0.95, 1.0)),
            (own[1], "banana", (0.85, 0.9, 0.95)),
        )
        for goal in goals
        for name in GOAL_METHODS
        if not at_recall(part, name, goal).size
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
