"""Least costs, tables and figures of the study of ten UCI sets."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from costboost.plots import drawing
from costboost.studies.catalogue import paper_table
from costboost.studies.study import Figure, Frame, Table

NEW = ("CSAda", "CSLogitBoost", "CSRealBoost")
OLD = ("CSB0", "CSB1", "CSB2", "AdaC2", "AdaC3", "AdaCost")
FACTORS = (2.0, 5.0, 10.0)
PAPER_DATA = {
    "pima": "pima",
    "liver": "liver",
    "wdbc": "wdbc",
    "sonar": "sonar",
    "wpbc": "wpbc",
    "breast_w": "wisconsin",
    "echocardiogram": "echocardiogram",
    "heart_cleveland": "heart",
    "tic_tac_toe": "tictactoe",
    "haberman": "survival",
}
"""Data sets in the order of the paper's Table 2, and their names there."""


CHOSEN = {
    "best in each fold": "best training cost of each fold",
    "best threshold": "best threshold of each fold",
}
"""Kinds of records in which a choice is made on the rows that it is tested on."""


def stages(frame: Frame) -> list[int]:
    """Numbers of rounds after which mistakes were counted, the greatest first."""
    if "after_rounds" not in frame:
        return []
    return sorted((int(stage) for stage in frame["after_rounds"].unique()), reverse=True)


def of_kind(frame: Frame, kind: str, after: int) -> Frame:
    """Records of a kind after a number of rounds."""
    return frame[(frame["kind"] == kind) & (frame["after_rounds"] == after)]


def least(frame: Frame, after: int | None = None) -> Frame:
    """Least eps over the training costs by data set, method, repeat and f, and where it is.

    Columns are ``data``, ``method``, ``repeat``, ``f``, ``eps`` and ``training_cost``, the least
    one that reaches it.
    """
    import pandas as pd

    columns = ["data", "method", "repeat", "f", "eps", "training_cost"]
    rounds = stages(frame)
    if not rounds:
        return pd.DataFrame(columns=columns)
    chosen = of_kind(frame, "mean over folds", rounds[0] if after is None else after)
    every = [
        chosen.assign(f=f, eps=(chosen["false_positives"] + f * chosen["misses"]).round(9))
        for f in FACTORS
    ]
    by = ["data", "method", "repeat", "f"]
    ordered = pd.concat(every).sort_values([*by, "eps", "training_cost"], kind="stable")
    return ordered.groupby(by, sort=False).first().reset_index()[columns]


def averages(frame: Frame, after: int | None = None) -> Frame:
    """Mean of the least eps over f: a row for each repeat and data set, a column per method."""
    found = least(frame, after)
    if found.empty:
        return found
    return found.pivot_table(index=["repeat", "data"], columns="method", values="eps")


def by_data(frame: Frame, after: int | None = None) -> Frame:
    """`averages` over the repeats: a row for each data set, in the order of the paper."""
    found = averages(frame, after)
    if found.empty:
        return found
    means = found.groupby(level="data").mean()
    order = [name for name in PAPER_DATA if name in means.index]
    return means.loc[order + [name for name in means.index if name not in PAPER_DATA]]


def best_in_folds(frame: Frame, kind: str = "best in each fold") -> Frame:
    """Averages if training costs, or thresholds, are chosen in each fold: a row per data set."""
    rounds = stages(frame)
    if not rounds:
        return frame.iloc[:0]
    chosen = of_kind(frame, kind, rounds[0])
    if chosen.empty:
        return chosen
    return chosen.pivot_table(index="data", columns="method", values="eps")


def paper_averages() -> Frame:
    """Table 2 of the paper: a row for each data set, a column per method."""
    table = paper_table("masnadi2007-table2").set_index("algorithm")
    sets = table[list(PAPER_DATA.values())].T
    sets.index = list(PAPER_DATA)
    return sets


def wins(table: Frame, method: str) -> int:
    """Number of data sets on which a method is better than all older ones."""
    older = [name for name in OLD if name in table]
    return int((table[method] < table[older].min(axis=1)).sum())


# ---- tables --------------------------------------------------------------------------------------


def tables(frame: Frame) -> list[Table]:
    """The paper's two tables beside ours, and ours after other numbers of rounds."""
    table = by_data(frame)
    if table.empty:
        return []
    found = [_table2(frame, table)]
    heart = _table1(frame)
    return [*found, *([] if heart is None else [heart]), _rounds(frame)]


def _table2(frame: Frame, table: Frame) -> Table:
    """A row for each method; the paper's figure beside each data set."""
    import pandas as pd

    paper = paper_averages()
    methods = [*NEW, *OLD, *(name for name in table if name not in (*NEW, *OLD))]
    methods = [name for name in methods if name in table]
    made = pd.DataFrame(index=pd.Index(methods, name="method"))
    for name in table.index:
        made[name] = table.loc[name, methods]
        if name in paper.index:
            made[f"{name} (paper)"] = paper.loc[name].reindex(methods)
    made["median"] = table[methods].median()
    made["median (paper)"] = paper.median().reindex(methods)
    for kind, title in CHOSEN.items():
        folds = best_in_folds(frame, kind)
        if not folds.empty:
            made[f"median, {title}"] = folds.median().reindex(methods)
    made["wins"] = pd.Series({name: wins(table, name) for name in NEW if name in table})
    made["wins (paper)"] = pd.Series({name: wins(paper, name) for name in NEW})
    return Table(
        "Table 2: mean of the least eps over f = 2, 5, 10",
        made,
        "Means over the repeats. wins: data sets on which a new method beats all six older ones. "
        "The last rows differ from the paper's methods in a point that the paper leaves open.",
        digits=2,
    )


def _table1(frame: Frame) -> Table | None:
    """Least eps of CS-RealBoost on Cleveland heart and the training costs that reach it."""
    found = least(frame)
    chosen = found[(found["data"] == "heart_cleveland") & (found["method"] == "CSRealBoost")]
    if chosen.empty:
        return None
    table = chosen.groupby("f")[["eps", "training_cost"]].mean()
    table["eps (paper)"] = [11.6, 14.0, 15.0]
    table["training_cost (paper)"] = [1.6, 4.2, 5.1]
    return Table(
        "Table 1: least eps of CS-RealBoost on Cleveland heart",
        table.rename_axis("f"),
        "Means over the repeats.",
        digits=2,
    )


def _rounds(frame: Frame) -> Table:
    """Median eps after different numbers of rounds."""
    import pandas as pd

    made = pd.DataFrame(
        {f"{after} rounds": by_data(frame, after).median() for after in stages(frame)}
    )
    order = [name for name in (*NEW, *OLD) if name in made.index]
    made = made.loc[order + [name for name in made.index if name not in order]]
    made["(paper)"] = paper_averages().median().reindex(made.index)
    return Table(
        "Median over the data sets after different numbers of rounds",
        made.rename_axis("method"),
        "The paper does not state its number of rounds.",
        digits=2,
    )


# ---- figures -------------------------------------------------------------------------------------


def figures(frame: Frame) -> list[Figure]:
    """Our averages against the paper's, and eps by training cost."""
    if by_data(frame).empty:
        return []
    return [
        Figure(
            "Table 2: our average eps against the paper's",
            partial(_draw_against, frame=frame),
            "A point for each data set. On the grey line both are equal.",
        ),
        Figure(
            "eps by training cost, f = 5",
            partial(_draw_costs, frame=frame),
            "Mean over the data sets and repeats of eps divided by that of predicting the positive "
            "class throughout.",
        ),
    ]


def _draw_against(figure: Any, frame: Frame) -> None:
    ax = figure.subplots()
    ours, paper = by_data(frame), paper_averages()
    shared = [name for name in ours.index if name in paper.index]
    for k, method in enumerate(name for name in (*NEW, *OLD) if name in ours):
        ax.plot(
            paper.loc[shared, method],
            ours.loc[shared, method],
            linestyle="",
            marker=drawing.MARKERS[k % len(drawing.MARKERS)],
            color=drawing.style(k)["color"],
            markerfacecolor="none" if method in OLD else None,
            markersize=5,
            label=method,
        )
    low, high = 3.0, 400.0
    drawing.trivial(ax, [low, high], [low, high], "equal", "-")
    ax.set(xscale="log", yscale="log")
    drawing.label(ax, "average eps in the paper", "average eps of this study")
    drawing.legend(ax, "auto")


def _draw_costs(figure: Any, frame: Frame) -> None:
    ax = figure.subplots()
    chosen = of_kind(frame, "mean over folds", stages(frame)[0])
    eps = chosen["false_positives"] + 5 * chosen["misses"]
    chosen = chosen.assign(eps=eps / chosen.groupby("data")["false_positives"].transform("max"))
    for k, method in enumerate((*NEW, *OLD)):
        line = chosen[chosen["method"] == method].groupby("training_cost")["eps"].mean()
        if len(line):
            drawing.curve(ax, line.index, line, None, label=method, **drawing.style(k))
    drawing.label(ax, "training cost of a miss", "relative eps")
    drawing.legend(ax, "auto")
    ax.set_ylim(0, float(np.nanmin([ax.get_ylim()[1], 4.0])))
