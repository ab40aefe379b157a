"""Tables and figures of the study nyga2010."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from costboost.checks import Floats
from costboost.plots.drawing import style
from costboost.studies.study import Figure, Frame, Table, paper_table

PAPER_DATA = {"breast_w": "cancer", "banana": "banana"}
COST_BLIND = ("AdaBoost", "RealBoost", "GentleBoost", "LogitBoost")
REGULARISED = ("AdaBoostReg", "WeightBoost")
COST_SENSITIVE = ("AdaC2", "AdaC3", "CSRA", "CSGA", "CSLB", "AdaCost")
GOALS = {"breast_w": (0.95, 1.0), "banana": (0.85, 0.9, 0.95)}
GOAL_METHODS = COST_SENSITIVE[:5]
MEASURES = ("precision", "recall", "f_measure")
REACHED = 0.999
"""Recall from which a goal of 1 is met."""


# ---- results -------------------------------------------------------------------------------------


def part_of(frame: Frame, part: str, data: str | None = None, thinned: bool = False) -> Frame:
    """Results of a part, natural or thinned, with the depth of trees that claims are judged by."""
    if frame.empty or "part" not in frame:
        return frame[:0]
    own = frame[(frame["part"] == part) & (frame["thinned"].notna() == thinned)]
    own = own[own["depth"].isna() | (own["depth"] == 2)]
    return own if data is None else own[own["data"] == data]


def of_method(own: Frame, method: str, value: float | None = None) -> Frame:
    """Results of a method, at a value of its parameter, ordered by repeat."""
    if own.empty:
        return own
    own = own[own["method"] == method]
    if value is not None:
        own = own[own["value"] == value]
    return own.sort_values("repeat")


def best_value(own: Frame, method: str) -> float | None:
    """Value with the greatest mean F-measure; costs of 1 are left out if they stand for none."""
    own = of_method(own, method)
    if own.empty:
        return None
    if own["value"].max() > 1 and (own["part"] == "costs").all():
        own = own[own["value"] != 1]
    means = own.groupby("value")["f_measure"].mean()
    return None if means.empty else float(means.idxmax())


def at_best(own: Frame, method: str) -> Frame:
    """Results of a method at its best value, or its only results if it has no parameter."""
    value = best_value(own.dropna(subset=["value"]), method) if len(own) else None
    return of_method(own, method, value)


def at_recall(own: Frame, method: str, goal: float) -> Floats:
    """Precision for each repeat at the cost for which the mean recall is the goal.

    Interpolated linearly in the logarithm of the cost. For a recall of 1: at the least cost whose
    mean recall is `REACHED`. Empty if no cost reaches the goal.
    """
    own = of_method(own, method)
    if own.empty:
        return np.array([])
    recall = own.pivot_table(index="repeat", columns="value", values="recall").dropna()
    precision = own.pivot_table(index="repeat", columns="value", values="precision").dropna()
    means = recall.mean().to_numpy()
    above = np.flatnonzero(means >= min(goal, REACHED))
    if not above.size:
        return np.array([])
    k = int(above[0])
    if k == 0 or goal >= REACHED:
        return np.asarray(precision.iloc[:, k])
    part = (goal - means[k - 1]) / (means[k] - means[k - 1])
    return np.asarray((1 - part) * precision.iloc[:, k - 1] + part * precision.iloc[:, k])


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


def by_strength(frame: Frame, data: str, thinned: bool) -> Frame:
    """F-measures of AdaBoost_Reg: a row for each repeat, a column for each C."""
    own = of_method(part_of(frame, "regularised", data, thinned), "AdaBoostReg")
    if own.empty:
        return own
    return own.pivot_table(index="repeat", columns="value", values="f_measure").dropna()


def adac2_after(frame: Frame, cost: float, rounds: int, measure: str) -> Floats:
    """A measure of AdaC2 on cancer after some rounds, one for each repeat."""
    own = of_method(part_of(frame, "curves", "breast_w"), "AdaC2", cost)
    own = own[own["rounds"] == rounds] if len(own) else own
    return np.asarray(own[measure], dtype=np.float64) if len(own) else np.array([])


def printed(
    table: str, data: str, algorithm: str, measure: str = "f1", goal: str | None = None,
    label: str = "+1",
) -> float:  # fmt: skip
    """A figure of the thesis; NaN if it has none."""
    lines = paper_table("nyga2010-tables")
    chosen = lines[
        (lines["table"].astype(str) == table)
        & (lines["dataset"] == PAPER_DATA.get(data, data))
        & (lines["algorithm"] == algorithm)
        & (lines["class"].astype(str).isin([label, str(int(label))]))
    ]
    if goal is not None:
        chosen = chosen[chosen["goal"] == goal]
    return float(chosen[measure].iloc[0]) if len(chosen) else float("nan")


# ---- tables --------------------------------------------------------------------------------------


def tables(frame: Frame) -> list[Table]:
    """Tables 3.2 to 3.5 beside the thesis, other sizes of trees, and thinned data."""
    made: list[Table] = []
    for data in _names(frame):
        made += _measures_table(frame, "imbalance", data, COST_BLIND, "3.2", "without costs")
        made += _measures_table(frame, "regularised", data, REGULARISED, "3.3", "regularised")
        made += _measures_table(frame, "costs", data, COST_SENSITIVE, "3.4", "with costs")
        made += _goals_table(frame, data)
        made += _thinned_table(frame, data)
        made += _depths_table(frame, data)
    return made


def _names(frame: Frame) -> list[str]:
    own = part_of(frame, "imbalance")
    return [] if own.empty else [str(name) for name in own["data"].unique()]


def _frame(lines: dict[str, dict[str, float]]) -> Frame:
    import pandas as pd

    table = pd.DataFrame.from_dict(lines, orient="index").dropna(axis=1, how="all")
    table.index.name = "algorithm"
    return table


def _measures_table(
    frame: Frame, part: str, data: str, methods: Sequence[str], number: str, what: str
) -> list[Table]:
    own = part_of(frame, part, data)
    lines: dict[str, dict[str, float]] = {}
    for method in methods:
        best = at_best(own, method)
        if best.empty:
            continue
        line = {"parameter": float(best["value"].iloc[0] or np.nan)}
        for name, theirs in zip(MEASURES, ("precision", "recall", "f1"), strict=True):
            line[name] = float(best[name].mean())
            line[f"{name} (paper)"] = printed(number, data, method, theirs)
        line["F-measure of the other class"] = float(best["negative_f_measure"].mean())
        lines[method] = line
    if not lines:
        return []
    note = "Means over repeats, positive class."
    if part != "imbalance":
        note += " The parameter is the one with the greatest F-measure on these test rows."
    return [Table(f"Table {number}: algorithms {what}, {data}", _frame(lines), note)]


def _goals_table(frame: Frame, data: str) -> list[Table]:
    own = part_of(frame, "costs", data)
    lines: dict[str, dict[str, float]] = {}
    for method in GOAL_METHODS:
        line = {}
        for goal in GOALS.get(data, (0.95,)):
            found = at_recall(own, method, goal)
            line[f"recall {goal:.2f}"] = float(found.mean()) if found.size else float("nan")
            line[f"recall {goal:.2f} (paper)"] = printed(
                "3.5", data, method, "precision", f"recall={goal:.2f}"
            )
        lines[method] = line
    return [
        Table(
            f"Table 3.5: precision at a given recall, {data}",
            _frame(lines),
            "Empty where no cost of the grid reaches the recall.",
        )
    ]


def _thinned_table(frame: Frame, data: str) -> list[Table]:
    lines: dict[str, dict[str, float]] = {}
    for part in ("imbalance", "regularised", "exponent"):
        thin, natural = part_of(frame, part, data, thinned=True), part_of(frame, part, data)
        for method in dict.fromkeys(thin["method"]) if len(thin) else ():
            line: dict[str, float] = {}
            for name, own in (("natural", natural), ("thinned", thin)):
                best = at_best(own, str(method))
                if len(best):
                    line |= {f"{m}, {name}": float(best[m].mean()) for m in MEASURES}
            lines[str(method)] = line
    note = "Thinned: positive rows are left out until 10% are positive. CSAda, CGAda: cost 5."
    return [Table(f"A rarer positive class, {data}", _frame(lines), note)] if lines else []


def _depths_table(frame: Frame, data: str) -> list[Table]:
    own = frame[(frame["part"] == "imbalance") & (frame["data"] == data)]
    own = own[own["thinned"].isna()]
    if own["depth"].nunique() < 2:
        return []
    means = own.pivot_table(index="method", columns="depth", values="f_measure")
    means = means.reindex(COST_BLIND)
    means.columns = [f"depth {int(d)}" if d else "unlimited" for d in means.columns]
    means["thesis (paper)"] = [printed("3.2", data, method) for method in means.index]
    return [
        Table(
            f"F-measure by the depth of the trees, {data}",
            means,
            "The thesis does not state the size of its trees.",
        )
    ]


# ---- figures -------------------------------------------------------------------------------------


def figures(frame: Frame) -> list[Figure]:
    """Errors by round, oscillations of AdaC1, effect of costs in AdaC2, and of C."""
    return [figure for data in _names(frame) for figure in _figures_of(frame, data)]


def _figures_of(frame: Frame, data: str) -> Iterator[Figure]:
    blind, regularised = part_of(frame, "imbalance", data), part_of(frame, "regularised", data)
    if "train_error_10" in blind and blind["train_error_10"].notna().any():
        yield Figure(
            f"Error by round, {data} (Figure 3.3)",
            partial(_draw_errors, blind, regularised),
            "RealBoost, and AdaBoost_Reg at its best C.",
        )
    curves = part_of(frame, "curves", data)
    if len(curves):
        yield Figure(
            f"Precision and recall of AdaC1 by round, {data} (Figure 3.5)",
            partial(_draw_oscillation, curves),
            "First fold of the first repeat, cost 3.",
        )
        yield Figure(
            f"Recall and precision of AdaC2 by round and cost, {data} (Figure 3.6)",
            partial(_draw_growth, curves),
            "Means over repeats, first folds.",
        )
    if len(regularised):
        yield Figure(
            f"F-measure of AdaBoost_Reg by C, {data} (Figure 3.4)",
            partial(_draw_strength, regularised, part_of(frame, "regularised", data, thinned=True)),
            "Means over repeats, natural and thinned data.",
        )


def _draw_errors(blind: Frame, regularised: Frame, figure: Any) -> None:
    figure.set_layout_engine("constrained")
    ax = figure.subplots()
    lines = {
        "RealBoost": of_method(blind, "RealBoost"),
        "AdaBoost_Reg": at_best(regularised, "AdaBoostReg"),
    }
    for k, (name, own) in enumerate(lines.items()):
        for what, dashes in (("test_error", "-"), ("train_error", "--")):
            columns = [c for c in own.columns if c.startswith(f"{what}_")]
            rounds = [int(c.rsplit("_", 1)[1]) for c in columns]
            label = f"{name}, {'test' if what == 'test_error' else 'training'}"
            ax.plot(rounds, own[columns].mean(), dashes, color=style(k)["color"], label=label)
    ax.set_xlabel("rounds")
    ax.set_ylabel("error rate")
    ax.set_ylim(bottom=0)
    figure.legend(loc="outside right upper", fontsize=8, frameon=False)


def _draw_oscillation(own: Frame, figure: Any) -> None:
    figure.set_layout_engine("constrained")
    ax = figure.subplots()
    one = own[(own["method"] == "AdaC1") & (own["repeat"] == own["repeat"].min())]
    one = one.sort_values("rounds")
    late = one[one["rounds"] > 100] if (one["rounds"] > 100).any() else one
    for k, name in enumerate(("precision", "recall")):
        ax.plot(late["rounds"], late[name], label=name, linewidth=1, **style(k))
    ax.set_xlabel("rounds")
    ax.set_ylabel("precision, recall")
    figure.legend(loc="outside right upper", fontsize=8, frameon=False)


def _draw_growth(own: Frame, figure: Any) -> None:
    figure.set_layout_engine("constrained")
    axes = figure.subplots(1, 2, sharey=True)
    grown = own[own["method"] == "AdaC2"]
    for ax, name in zip(axes, ("recall", "precision"), strict=True):
        for k, (cost, group) in enumerate(grown.groupby("value")):
            means = group.groupby("rounds")[name].mean()
            ax.plot(means.index, means, label=f"cost {cost:g}", **style(k))
        ax.set_xlabel("rounds")
        ax.set_title(name, fontsize=9)
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4, fontsize=8, frameon=False)


def _draw_strength(natural: Frame, thin: Frame, figure: Any) -> None:
    figure.set_layout_engine("constrained")
    ax = figure.subplots()
    for k, (label, own) in enumerate({"natural": natural, "thinned": thin}.items()):
        means = (
            of_method(own, "AdaBoostReg").groupby("value")["f_measure"].mean() if len(own) else own
        )
        if len(means):
            ax.plot(means.index, means, marker="o", label=label, **style(k))
    ax.set_xscale("log")
    ax.set_xlabel("C")
    ax.set_ylabel("F-measure")
    figure.legend(loc="outside right upper", fontsize=8, frameon=False)
