"""Claims of Sun, Wong & Wang (2005)."""

from __future__ import annotations

from functools import partial

import numpy as np

from costboost.checks import Floats
from costboost.studies.statistics import (
    all_of,
    reproduced_if,
    unjudged,
    verdict_numeric,
    verdict_ordinal,
    where_all_agree,
)
from costboost.studies.study import Check, Frame, Verdict, read_claims
from costboost.studies.sun import (
    AVERAGE,
    PAPER_DATA,
    SINGLE,
    best_of_ratios,
    measured,
    of_other_repeats,
    paper_f_measures,
)

DATA = tuple(PAPER_DATA.values())
CANCER, HYPOTHYROID, PIMA, SICK = DATA
NEW = ("AdaC1", "AdaC2", "AdaC3")
OLD = ("AdaCost", "CSB1", "CSB2")
STAND_IN = (
    "most likely the base learner: HPWR, which finds rules over several features, is replaced; the "
    "number of rounds is not stated either"
)
CSB2_ROW = (
    "CSB2 is AdaBoost at 1:1 and changes little near it, so that a best ratio far below AdaBoost "
    "is hard to obtain; costs of at most 1 instead of at least 1 do not change this. The printed "
    "row does not agree with its printed average either"
)


# ---- results in the form that the checks need ----------------------------------------------------


def each(check: Check) -> Check:
    """A check that is made with each base learner, stumps and trees, which must agree."""

    def whole(frame: Frame) -> Verdict:
        if frame.empty or "learner" not in frame:
            return unjudged("needs results of the study")
        own = frame[frame["part"] != "formulas"]
        learners = [str(name) for name in own["learner"].unique()]
        return where_all_agree(learners, lambda name: check(measured(frame, name)), "base learner")

    return whole


def values(best: Frame, method: str, data: str) -> Floats:
    """F-measures in percent, one for each repeat; empty if there are none."""
    own = best[(best["method"] == method) & (best["data"] == data)].sort_values("repeat")
    return np.asarray(own["f_measure"], dtype=np.float64)


def averages(best: Frame, method: str) -> Floats:
    """Average over the four data sets, one for each repeat; empty if a set is missing."""
    columns = [values(best, method, data) for data in DATA]
    if not columns[0].size or len({column.size for column in columns}) > 1:
        return np.array([])
    return np.asarray(np.mean(columns, axis=0))


def gain(best: Frame, one: str, other: str, data: str) -> Floats:
    """F-measure of a method minus that of another, one for each repeat."""
    a, b = values(best, one, data), values(best, other, data)
    return a - b if a.size == b.size else np.array([])


def higher(label: str, differences: Floats, reason: str = STAND_IN) -> Verdict:
    """Verdict on the claim that differences of F-measures in percent are positive."""
    return verdict_ordinal(label, differences, "repeat", margin=0.2, digits=2, reason=reason)


def single_run(label: str, found: Floats, paper: float) -> Verdict:
    """Verdict on a number of the paper, which is one run: within 1.96 SD of single runs."""
    spread = 1.96 * float(np.std(found, ddof=1)) if found.size > 2 else 0.0
    return verdict_numeric(label, found, paper, spread, "repeat", digits=2, reason=STAND_IN)


def mostly(label: str, holds: list[bool]) -> Verdict:
    """Verdict on the claim that something holds, from whether it does in each repeat."""
    shares = np.array(holds, dtype=np.float64)
    share = f"{label}: in {int(shares.sum())} of {shares.size} repeats"
    found = verdict_ordinal(label, shares - 0.5, "repeat", reason=STAND_IN)
    return (
        found
        if not shares.size
        else Verdict(found.outcome, share, found.difference, found.interval, found.reason)
    )


# ---- sections 3 and 4 ----------------------------------------------------------------------------


def formulas(frame: Frame, methods: tuple[str, ...]) -> Frame:
    """Deviations on random problems for some methods."""
    if frame.empty or "part" not in frame:
        return frame
    return frame[(frame["part"] == "formulas") & frame["method"].isin(methods)]


def exactly(label: str, deviation: float, limit: float, n: int) -> Verdict:
    """Verdict on a deviation that should be no more than a limit."""
    outcome = reproduced_if(deviation <= limit)
    text = f"{label}: at most {deviation:.1e} in {n} random problems"
    return Verdict(outcome, text, float(deviation))


def shares(frame: Frame) -> Verdict:
    parts = []
    printed = {CANCER: 29.72, PIMA: 34.90, HYPOTHYROID: 4.77, SICK: 9.26}
    for data, paper in printed.items():
        own = frame[frame["data"] == data] if "positive_share" in frame else frame[:0]
        found = 100 * np.asarray(own["positive_share"][:1]) if len(own) else np.array([])
        if not found.size:
            return unjudged(f"needs results on {data}")
        near = abs(float(found[0]) - paper) <= 0.005
        outcome = reproduced_if(near)
        text = f"{data}: {found[0]:.2f}% against {paper:.2f}%"
        parts.append(Verdict(outcome, text, float(found[0]) - paper))
    return all_of(parts)


def unit_costs(frame: Frame) -> Verdict:
    new, old = formulas(frame, NEW), formulas(frame, ("AdaCost",))
    if not len(new) or not len(old):
        return unjudged("needs random problems")
    same = exactly(
        "scores of AdaC1, AdaC2, AdaC3 minus AdaBoost's",
        new["unit_cost_deviation"].max(), 1e-9, len(new),
    )  # fmt: skip
    least = float(old["unit_cost_deviation"].min())
    outcome = reproduced_if(least > 1e-6)
    differs = Verdict(outcome, f"scores of AdaCost minus AdaBoost's: at least {least:.2g}", least)
    return all_of([same, differs])


def conditions(frame: Frame) -> Verdict:
    own = formulas(frame, NEW)
    if not len(own):
        return unjudged("needs random problems")
    steps, negative = int(own["steps"].sum()), int(own["negative_steps"].sum())
    against = int(own["steps_against_condition"].sum())
    outcome = reproduced_if(against == 0 and negative > 0)
    if against == 0 and negative == 0:
        return unjudged("needs random problems with negative steps")
    text = f"{against} of {steps} steps, {negative} of them negative, contradict the condition"
    signs = Verdict(outcome, text, float(against))
    limit = exactly("steps minus equations 11, 17, 22", own["step_deviation"].max(), 1e-6, len(own))
    return all_of([signs, limit])


def bound(frame: Frame) -> Verdict:
    own = formulas(frame, ("AdaC1", "AdaC3"))
    if not len(own):
        return unjudged("needs random problems")
    inside = float(own["bound_excess_up_to_1"].max())
    beyond = float((own["bound_excess_above_1"] > 0).mean())
    outcome = reproduced_if(inside <= 1e-12 and beyond > 0)
    text = (
        f"costs up to 1: left side minus right side at most {inside:.2g}; costs above 1: the "
        f"bound fails in {100 * beyond:.0f}% of {len(own)} random problems"
    )
    return Verdict(outcome, text, inside)


# ---- Table 1 -------------------------------------------------------------------------------------


def average_numbers(found: Frame) -> Verdict:
    best, printed = best_of_ratios(found), paper_f_measures().loc[AVERAGE]
    names = ("AdaC3", "AdaC1", "AdaC2", "AdaBoost", "CSB1")
    return all_of([single_run(n, averages(best, n), float(printed[n])) for n in names])


def best_average(found: Frame) -> Verdict:
    return _first(best_of_ratios(found))


def superior(found: Frame) -> Verdict:
    return _first(of_other_repeats(found))


def _first(best: Frame) -> Verdict:
    """Verdict on the claim that AdaC3 has the greatest average of all."""
    own = averages(best, "AdaC3")
    others = ("AdaBoost", "AdaC1", "AdaC2", *OLD)
    return all_of([_ahead(own, averages(best, n), f"average of AdaC3 minus {n}") for n in others])


def _ahead(one: Floats, other: Floats, label: str) -> Verdict:
    return higher(label, one - other if one.size == other.size else np.array([]))


def best_by_set(found: Frame) -> Verdict:
    best = best_of_ratios(found)
    claimed = {CANCER: "AdaC3", PIMA: "AdaC3", HYPOTHYROID: "AdaC2", SICK: "AdaCost"}
    parts = []
    for data, winner in claimed.items():
        rest = [n for n in ("AdaBoost", *NEW, *OLD) if n != winner]
        others = [values(best, n, data) for n in rest]
        own = values(best, winner, data)
        same = own.size and all(o.size == own.size for o in others)
        ahead = own - np.max(others, axis=0) if same else np.array([])
        parts.append(higher(f"{data}: {winner} minus the best other", ahead))
    return all_of(parts)


def beats_adaboost(found: Frame) -> Verdict:
    best = best_of_ratios(found)
    return all_of(
        [
            higher(f"{data}: {name} minus AdaBoost", gain(best, name, "AdaBoost", data))
            for name in ("AdaC1", "AdaC3")
            for data in DATA
        ]
    )


def adac2_and_adaboost(found: Frame) -> Verdict:
    best = best_of_ratios(found)
    parts = [
        higher(f"{data}: AdaC2 minus AdaBoost", gain(best, "AdaC2", "AdaBoost", data))
        for data in (CANCER, HYPOTHYROID, PIMA)
    ]
    sick = higher(f"{SICK}: AdaBoost minus AdaC2", -gain(best, "AdaC2", "AdaBoost", SICK))
    return all_of([*parts, sick])


def gains(found: Frame) -> Verdict:
    best, printed = best_of_ratios(found), paper_f_measures()
    return all_of(
        [
            single_run(
                f"{data}: AdaC3 minus AdaBoost",
                gain(best, "AdaC3", "AdaBoost", data),
                float(printed.loc[data, "AdaC3"] - printed.loc[data, "AdaBoost"]),
            )
            for data in (CANCER, PIMA, SICK, HYPOTHYROID)
        ]
    )


def greatest_gain(found: Frame) -> Verdict:
    best = best_of_ratios(found)
    base = [values(best, "AdaBoost", data) for data in DATA]
    gained = [gain(best, "AdaC3", "AdaBoost", data) for data in DATA]
    if not base[0].size or len({g.size for g in gained} | {b.size for b in base}) > 1:
        return unjudged("needs AdaBoost and AdaC3 on all four sets")
    holds = np.argmin(base, axis=0) == np.argmax(gained, axis=0)
    return mostly("the set of AdaBoost's least F has AdaC3's greatest gain", holds.tolist())


def single_learner(found: Frame) -> Verdict:
    best = best_of_ratios(found)
    label = "AdaBoost minus the single learner"
    parts = [
        higher(f"{data}: {label}", gain(best, "AdaBoost", SINGLE, data))
        for data in (CANCER, HYPOTHYROID, SICK)
    ]
    pima = higher(
        f"{PIMA}: the single learner minus AdaBoost", gain(best, SINGLE, "AdaBoost", PIMA)
    )
    return all_of([*parts, pima])


def best_ratios(found: Frame, sets: tuple[str, str], low: float, high: float) -> Verdict:
    best = best_of_ratios(found)
    parts = []
    for data in sets:
        for name in NEW:
            own = best[(best["data"] == data) & (best["method"] == name)]["fp_cost"]
            holds = [low - 1e-9 <= cost <= high + 1e-9 for cost in own]
            parts.append(mostly(f"{data}, {name}: best ratio from 1:{low:g} to 1:{high:g}", holds))
    return all_of(parts)


def csb2_below(found: Frame) -> Verdict:
    best = best_of_ratios(found)
    parts = [
        higher(
            f"{data}: AdaBoost minus CSB2, beyond {least:g}",
            -gain(best, "CSB2", "AdaBoost", data) - least,
            CSB2_ROW,
        )
        for data, least in ((PIMA, 0.0), (HYPOTHYROID, 12.0), (SICK, 12.0))
    ]
    return all_of(parts)


def trade_off(found: Frame) -> Verdict:
    parts = []
    own = found[found["method"].isin(NEW) & found["data"].isin(DATA)]
    for (data, name), group in own.groupby(["data", "method"]):
        by_ratio = {
            what: group.pivot_table(index="repeat", columns="fp_cost", values=what).dropna()
            for what in ("precision", "recall", "f_measure")
        }
        f = by_ratio["f_measure"]
        if len(f) < 2 or not {1.0, 0.9, 0.1} <= set(f.columns):
            return unjudged("needs all ratios in two repeats")
        label = f"{data}, {name}"
        rise = 100 * (by_ratio["recall"][0.1] - by_ratio["recall"][0.9])
        fall = 100 * (by_ratio["precision"][0.9] - by_ratio["precision"][0.1])
        parts.append(higher(f"{label}: recall at 1:0.1 minus 1:0.9", rise.to_numpy()))
        parts.append(higher(f"{label}: precision at 1:0.9 minus 1:0.1", fall.to_numpy()))
        inner = of_other_repeats(group)["f_measure"].to_numpy()
        ends = 100 * f[[1.0, 0.1]].max(axis=1).to_numpy()
        parts.append(higher(f"{label}: F at the inner ratio minus F at the ends", inner - ends))
    return all_of(parts) if parts else unjudged("needs results on the four sets")


def csb_not_satisfactory(found: Frame) -> Verdict:
    best = best_of_ratios(found)
    return all_of(
        [
            _ahead(averages(best, new), averages(best, old), f"average of {new} minus {old}")
            for old in ("CSB1", "CSB2")
            for new in NEW
        ]
    )


def adacost_between(found: Frame) -> Verdict:
    best = best_of_ratios(found)
    cost, ada = averages(best, "AdaCost"), averages(best, "AdaBoost")
    return all_of(
        [
            _ahead(cost, ada, "average of AdaCost minus AdaBoost"),
            *(_ahead(averages(best, n), cost, f"average of {n} minus AdaCost") for n in NEW),
        ]
    )


def search_bonus(found: Frame) -> Verdict:
    best, chosen = best_of_ratios(found), of_other_repeats(found)
    parts = []
    for name in NEW:
        a, b = averages(best, name), averages(chosen, name)
        parts.append(_ahead(a, b, f"{name}: best on the reported folds minus chosen elsewhere"))
    return all_of(parts)


# ---- the paper's own figures ---------------------------------------------------------------------


def printed_averages(frame: Frame) -> Verdict:
    printed = paper_f_measures()
    differ = (printed.loc[AVERAGE] - printed.drop(index=AVERAGE).mean()).round(2)
    wrong = sorted(differ[differ.abs() > 0.011].index)
    outcome = reproduced_if(wrong == ["AdaCost", "CSB2"])
    text = ", ".join(f"{name} {differ[name]:+.2f}" for name in wrong)
    return Verdict(outcome, f"printed average minus that of the rows: {text}")


def printed_maxima(frame: Frame) -> Verdict:
    printed = paper_f_measures().drop(index=AVERAGE)
    blind = printed["AdaBoost"]
    below = [
        f"{name} on {data} ({printed.loc[data, name]:.2f})"
        for name in (*NEW, "CSB2")
        for data in printed.index
        if printed.loc[data, name] < blind[data]
    ]
    outcome = reproduced_if(bool(below))
    return Verdict(outcome, f"printed below AdaBoost: {', '.join(below)}", float(len(below)))


def printed_wins(frame: Frame) -> Verdict:
    printed = paper_f_measures().drop(index=AVERAGE)
    wins = printed.idxmax(axis=1).value_counts().to_dict()
    outcome = reproduced_if(wins == {"AdaC3": 2, "AdaC2": 1, "AdaCost": 1})
    return Verdict(outcome, ", ".join(f"{name} {n}" for name, n in wins.items()))


CHECKS: dict[str, Check] = {
    "S01": shares,
    "S02": unit_costs,
    "S03": conditions,
    "S04": bound,
    "S05": each(average_numbers),
    "S06": each(best_average),
    "S07": each(best_by_set),
    "S08": each(beats_adaboost),
    "S09": each(adac2_and_adaboost),
    "S10": each(gains),
    "S11": each(greatest_gain),
    "S12": each(single_learner),
    "S13": each(partial(best_ratios, sets=(HYPOTHYROID, SICK), low=0.8, high=0.9)),
    "S14": each(partial(best_ratios, sets=(CANCER, PIMA), low=0.5, high=0.7)),
    "S15": each(csb2_below),
    "S16": each(trade_off),
    "S17": printed_averages,
    "S18": printed_maxima,
    "S19": each(search_bonus),
    "S20": each(superior),
    "S21": each(csb_not_satisfactory),
    "S22": each(adacost_between),
    "S23": printed_wins,
}
CLAIMS = read_claims("Sun et al. 2005", "sun2005", CHECKS)
