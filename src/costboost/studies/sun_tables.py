"""Tables and figures of the study sun2005."""

from __future__ import annotations

from typing import Any

import numpy as np

from costboost.studies.study import Figure, Frame, Table, paper_table

ROUNDS = 10
"""Number of rounds that the claims are judged by."""
SINGLE = "single learner"
ORDER = (
    SINGLE, "AdaBoost", "AdaC1", "AdaC2", "AdaC3", "AdaCost", "AdaCost (0.5)", "CSB1", "CSB2",
)  # fmt: skip
COST_BLIND = (SINGLE, "AdaBoost")
PAPER_DATA = {
    "cancer": "breast_cancer_ljubljana",
    "hypothyroid": "hypothyroid",
    "pima": "pima",
    "sick_euthyroid": "sick_euthyroid",
}
PAPER_METHODS = {"HPWR": SINGLE, "AdaCost": "AdaCost"}
AVERAGE = "average"


def measured(frame: Frame, learner: str, rounds: int = ROUNDS) -> Frame:
    """Results of a base learner after a number of rounds; AdaBoost's first round is added."""
    import pandas as pd

    if frame.empty or "rounds" not in frame:
        return pd.DataFrame(
            columns=["data", "method", "repeat", "fp_cost", "precision", "recall", "f_measure"]
        )
    own = frame[(frame["part"] != "formulas") & (frame["learner"] == learner)]
    first = own[(own["method"] == "AdaBoost") & (own["rounds"] == 1)].assign(method=SINGLE)
    return pd.concat([first, own[own["rounds"] == rounds]], ignore_index=True)


def best_of_ratios(found: Frame) -> Frame:
    """Greatest F-measure over unequal costs, in percent, with its ratio, for each repeat.

    Methods without costs have one value. Of equal values the one with the mildest costs is taken.
    """
    blind = found["method"].isin(COST_BLIND)
    own = found[blind | (found["fp_cost"] < 1)]
    own = own.sort_values(
        ["data", "method", "repeat", "fp_cost"], ascending=[True, True, True, False]
    )
    best = own.loc[own.groupby(["data", "method", "repeat"], sort=True)["f_measure"].idxmax()]
    best = best[["data", "method", "repeat", "fp_cost", "f_measure", "precision", "recall"]]
    return best.assign(f_measure=100 * best["f_measure"]).reset_index(drop=True)


def of_other_repeats(found: Frame) -> Frame:
    """F-measure in percent at the unequal ratio that is best on average over the other repeats."""
    import pandas as pd

    own = found[found["method"].isin(COST_BLIND) | (found["fp_cost"] < 1)]
    lines = []
    for (data, method), group in own.groupby(["data", "method"]):
        table = group.pivot_table(index="repeat", columns="fp_cost", values="f_measure").dropna()
        for repeat in table.index:
            others = table.drop(index=repeat)
            if others.empty:
                continue
            ratio = others.mean().iloc[::-1].idxmax()
            value = 100 * table.loc[repeat, ratio]
            lines.append((data, method, repeat, ratio, value))
    return pd.DataFrame(lines, columns=["data", "method", "repeat", "fp_cost", "f_measure"])


def paper_f_measures() -> Frame:
    """Table 1 of the paper: F-measures in percent, a row for each data set and the average."""
    table = paper_table("sun2005-table1")
    table = table[table["quantity"] == "f_measure"].set_index("dataset")
    table = table.drop(columns="quantity").astype(float)
    return table.rename(index=PAPER_DATA, columns=PAPER_METHODS)


def paper_ratios() -> Frame:
    """Table 1 of the paper: cost of a false positive at the best ratio."""
    table = paper_table("sun2005-table1")
    table = table[table["quantity"] == "cost_ratio"].set_index("dataset").drop(columns="quantity")
    costs = table.map(lambda text: float(text.split(":")[1]) if isinstance(text, str) else np.nan)
    return costs.rename(index=PAPER_DATA, columns=PAPER_METHODS)


# ---- tables --------------------------------------------------------------------------------------


def tables(frame: Frame) -> list[Table]:
    """Table 1 for each base learner, the best ratios, other rounds, and ratios chosen elsewhere."""
    made = []
    for learner in _learners(frame):
        found = measured(frame, learner)
        if found.empty:
            continue
        best = best_of_ratios(found)
        made.append(_table_1(best, learner))
        made.append(_ratio_table(best, learner))
    made += _rounds_tables(frame)
    made += _honest_tables(frame)
    return made


def _learners(frame: Frame) -> list[str]:
    if frame.empty or "learner" not in frame:
        return []
    return [str(name) for name in frame[frame["part"] != "formulas"]["learner"].unique()]


def _in_order(table: Frame) -> Frame:
    return table[[name for name in ORDER if name in table.columns]]


def _table_1(best: Frame, learner: str) -> Table:
    means = _in_order(best.pivot_table(index="data", columns="method", values="f_measure"))
    means.loc[AVERAGE] = means.mean()
    printed = paper_f_measures().reindex(index=means.index, columns=means.columns)
    if not set(PAPER_DATA.values()) <= set(means.index):
        printed.loc[AVERAGE] = np.nan
    beside = {}
    for name in means.columns:
        beside[name] = means[name]
        if printed[name].notna().any():
            beside[f"{name} (paper)"] = printed[name]
    return Table(
        f"Table 1 with {learner}s: best F-measure of the positive class, in percent",
        _frame(beside),
        note=(
            f"Means over repeats, {ROUNDS} rounds, best of the nine unequal cost ratios on the "
            f"folds that are reported. The paper's base learner HPWR is not public: {learner}s "
            f"stand in for it, so that the column of the {SINGLE} compares one {learner} with HPWR."
        ),
        digits=2,
    )


def _frame(columns: dict[str, Any]) -> Frame:
    import pandas as pd

    return pd.DataFrame(columns)


def _ratio_table(best: Frame, learner: str) -> Table:
    own = best[~best["method"].isin(COST_BLIND)]
    ratios = _in_order(
        own.pivot_table(index="data", columns="method", values="fp_cost", aggfunc="median")
    )
    printed = paper_ratios().reindex(index=ratios.index, columns=ratios.columns)
    beside = {}
    for name in ratios.columns:
        beside[name] = ratios[name]
        if printed[name].notna().any():
            beside[f"{name} (paper)"] = printed[name]
    return Table(
        f"Best cost of a false positive with {learner}s (a false negative costs 1)",
        _frame(beside),
        note="Median over repeats of the ratio with the greatest F-measure.",
        digits=2,
    )


def _rounds_tables(frame: Frame) -> list[Table]:
    made = []
    for learner in _learners(frame):
        columns = {}
        for rounds in sorted({int(n) for n in frame["rounds"].dropna()} - {1}):
            best = best_of_ratios(measured(frame, learner, rounds))
            by_set = best.groupby(["method", "data"])["f_measure"].mean()
            columns[f"{rounds} rounds"] = by_set.groupby("method").mean()
        table = _in_order(_frame(columns).T).T
        made.append(
            Table(
                f"Average over the data sets with {learner}s by number of rounds",
                table,
                note="The paper does not state the number of rounds.",
                digits=2,
            )
        )
    return made


def _honest_tables(frame: Frame) -> list[Table]:
    made = []
    for learner in _learners(frame):
        found = of_other_repeats(measured(frame, learner))
        if found.empty:
            continue
        means = _in_order(found.pivot_table(index="data", columns="method", values="f_measure"))
        means.loc[AVERAGE] = means.mean()
        made.append(
            Table(
                f"F-measure with {learner}s if the ratio is chosen on other splits, in percent",
                means,
                note=(
                    "Table 1 reports the best of several tries on the same rows. Here the ratio "
                    "is the one that is best over the other repeats."
                ),
                digits=2,
            )
        )
    return made


# ---- figures -------------------------------------------------------------------------------------


def figures(frame: Frame) -> list[Figure]:
    """F-measure, precision and recall against the cost ratio."""
    made = []
    for learner in _learners(frame):
        found = measured(frame, learner)
        if found.empty:
            continue
        made.append(
            Figure(
                f"F-measure against the cost of a false positive, {learner}s",
                lambda figure, found=found: _draw_f_measures(figure, found),  # type: ignore[misc]
                note=f"Means over repeats, {ROUNDS} rounds. To the left, costs are more unequal.",
                size=(7.0, 5.6),
            )
        )
        made.append(
            Figure(
                f"Precision and recall against the cost of a false positive, AdaC2, {learner}s",
                lambda figure, found=found: _draw_trade(figure, found),  # type: ignore[misc]
                note="Recall rises and precision falls as the positive class gains weight.",
            )
        )
    return made


def _panels(figure: Any, names: list[str]) -> list[tuple[Any, str]]:
    rows = -(-len(names) // 2)
    columns = min(2, len(names))
    axes = np.atleast_1d(figure.subplots(rows, columns, sharex=True)).ravel()
    for ax in axes[len(names) :]:
        ax.set_visible(False)
    return list(zip(axes, names, strict=False))


def _draw_f_measures(figure: Any, found: Frame) -> None:
    from costboost.plots.drawing import GREY, style

    figure.set_layout_engine("constrained")
    shown = [n for n in ORDER if n not in COST_BLIND and n in set(found["method"])]
    for ax, data in _panels(figure, sorted(found["data"].unique())):
        own = found[found["data"] == data]
        blind = own[own["method"] == "AdaBoost"]["f_measure"].mean()
        ax.axhline(100 * blind, color=GREY, linewidth=1, label="AdaBoost")
        for k, name in enumerate(shown):
            line = own[own["method"] == name].groupby("fp_cost")["f_measure"].mean()
            ax.plot(line.index, 100 * line, label=name, **style(k))
        ax.set_title(data, fontsize=9)
        if ax.get_subplotspec().is_last_row():
            ax.set_xlabel("cost of a false positive", fontsize=9)
    figure.supylabel("F-measure (%)", fontsize=9)
    handles, labels = figure.axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4, fontsize=8, frameon=False)


def _draw_trade(figure: Any, found: Frame) -> None:
    from costboost.plots.drawing import style

    figure.set_layout_engine("constrained")
    own = found[found["method"] == "AdaC2"]
    ax = figure.subplots()
    for k, (data, group) in enumerate(own.groupby("data")):
        means = group.groupby("fp_cost")[["precision", "recall"]].mean()
        colour = style(k)["color"]
        ax.plot(means.index, means["recall"], color=colour, label=f"{data}, recall")
        ax.plot(means.index, means["precision"], "--", color=colour, label=f"{data}, precision")
    ax.set_xlabel("cost of a false positive")
    ax.set_ylabel("precision, recall")
    figure.legend(loc="outside right upper", fontsize=8, frameon=False)
