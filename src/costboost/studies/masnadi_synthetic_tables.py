"""Tables and figures of the study of two Gaussian classes."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from costboost.plots import drawing
from costboost.studies.catalogue import paper_table
from costboost.studies.study import Figure, Frame, Table

MAIN_REAL = "CSRealBoost, 64 bins"
TARGETS = (5.0, 20.0)


def part(frame: Frame, name: str, kind: str | None = None) -> Frame:
    """Records of a part of the study; none if it was not run."""
    if "part" not in frame or (kind is not None and "kind" not in frame):
        return frame.iloc[:0]
    chosen = frame[frame["part"] == name]
    return chosen if kind is None else chosen[chosen["kind"] == kind]


def best_paths(frame: Frame) -> Frame:
    """Crossings by round at the best training cost, held at the last one to the last round."""
    paths = part(frame, "search", "path")
    if paths.empty:
        return paths
    by = ["subject", "cost", "repeat", "training_cost"]
    table = paths.pivot_table(index=by, columns="round", values="crossing", sort=False)
    return table.ffill(axis=1)


def ends(frame: Frame) -> Frame:
    """Last crossing, optimum, training cost and movement of each best path, a row each."""
    paths = part(frame, "search", "path")
    if paths.empty:
        return paths
    found = (
        paths.groupby(["subject", "cost", "repeat"], sort=False)
        .agg(
            training_cost=("training_cost", "first"),
            rounds=("round", "max"),
            first=("crossing", "first"),
            crossing=("crossing", "last"),
            optimum=("optimum", "first"),
            spread=("crossing", lambda x: float(np.std(x.to_numpy()[-20:]))),
        )
        .reset_index()
    )
    return found.assign(
        distance=(found["crossing"] - found["optimum"]).abs(),
        first_distance=(found["first"] - found["optimum"]).abs(),
    )


def printed(quantity: str) -> float:
    """A number that the paper prints."""
    table = paper_table("masnadi2007-synthetic").set_index("quantity")["value"]
    return float(table[quantity])


# ---- tables --------------------------------------------------------------------------------------


def tables(frame: Frame) -> list[Table]:
    """Boundaries by cost, results of the search, first rounds, and structural checks."""
    made = (_accuracy(frame), _searched(frame), _first_rounds(frame), _structure(frame))
    return [table for table in made if table is not None]


def _accuracy(frame: Frame) -> Table | None:
    chosen = part(frame, "accuracy")
    if chosen.empty:
        return None
    table = chosen.pivot_table(index="cost", columns="subject", values="crossing", sort=False)
    table.insert(0, "optimum", -np.log(table.index.to_numpy(dtype=float)) / 2)
    return Table(
        "Figure 2: decision boundary after five rounds",
        table.rename_axis("C+").rename_axis(None, axis=1),
        "Means over the repeats. The paper shows curves without numbers.",
    )


def _searched(frame: Frame) -> Table | None:
    import pandas as pd

    found = ends(frame)
    if found.empty:
        return None
    means = found.groupby(["cost", "subject"], sort=False)[
        ["training_cost", "rounds", "crossing", "optimum", "distance", "spread"]
    ].mean()
    means = means.reset_index()
    means["C+ and method"] = [
        f"{cost:g}, {name}" for cost, name in zip(means["cost"], means["subject"], strict=True)
    ]
    table = means.set_index("C+ and method").drop(columns=["cost", "subject"])
    table["x* (paper)"] = pd.Series(
        {
            "5, CSAda": printed("csada_zero_crossing_at_best_C1hat_4.5_in_4_rounds"),
            "20, CSAda": printed("csada_zero_crossing_at_best_C1hat_4.7_in_2_rounds"),
        }
    )
    return Table(
        "Figure 3: best training cost and the boundary after 50 rounds",
        table.rename(columns={"crossing": "x*", "training_cost": "training cost"}),
        "Means over the repeats. distance: of x* from the optimum. spread: standard deviation of "
        "x* over the last 20 rounds. Fewer than 50 rounds: training stopped because no learner "
        "with a positive step was left.",
    )


def _first_rounds(frame: Frame) -> Table | None:
    chosen = part(frame, "printed")
    if chosen.empty:
        return None
    chosen = chosen[chosen["round"] <= 4]
    means = chosen.groupby(["subject", "training_cost", "round"], sort=False)[
        ["crossing", "threshold", "step"]
    ].mean()
    means.index = [f"{name}, C+ = {cost:g}, round {number:g}" for name, cost, number in means.index]
    for name, rows in {"threshold": ("threshold",), "step": ("alpha",)}.items():
        means[f"{name} (paper)"] = np.nan
        for number, word in enumerate(("first", "second"), start=1):
            key = f"AdaC1, costs not scaled, C+ = 1.1, round {number}"
            if key in means.index:
                means.loc[key, f"{name} (paper)"] = printed(f"adac1_{word}_{rows[0]}")
    means = means.rename(columns={"crossing": "x*"}).rename_axis("method, training cost, round")
    return Table(
        "First rounds at the training costs of the paper",
        means,
        "Means over the repeats. The paper does not print the training cost of AdaC1; its first "
        "step fits 1.1 if costs are not scaled.",
    )


def _structure(frame: Frame) -> Table | None:
    chosen = part(frame, "structure")
    if chosen.empty:
        return None
    table = chosen.groupby(["subject", "quantity"], sort=False)["value"].agg(["min", "max"])
    table.index = [f"{subject}: {quantity}" for subject, quantity in table.index]
    return Table(
        "Structural checks: least and greatest value over the repeats",
        table.map(lambda value: f"{value:.3g}").rename_axis("check"),
        "Deviations of 1e-9 and less are rounding; the library floors weights at 1e-10 of their "
        "sum, which is the size of some of them.",
    )


# ---- figures -------------------------------------------------------------------------------------


def figures(frame: Frame) -> list[Figure]:
    """The paper's Figures 2 and 3."""
    found = []
    if not part(frame, "accuracy").empty:
        found.append(
            Figure(
                "Figure 2b: boundary after five rounds against the best one",
                partial(_draw_accuracy, frame=frame),
                "Means over the repeats, C+ from 1 (right) to 100 (left). On the grey line the "
                "boundary is the best one.",
            )
        )
    paths = best_paths(frame)
    for cost in TARGETS:
        if not paths.empty and cost in paths.index.get_level_values("cost"):
            found.append(
                Figure(
                    f"Figure 3: boundary by round at C+ = {cost:g}",
                    partial(_draw_paths, frame=frame, cost=cost),
                    "Each method at its best training cost, first repeat; where training stopped, "
                    "the last boundary is continued.",
                )
            )
    return found


def _draw_accuracy(figure: Any, frame: Frame) -> None:
    ax = figure.subplots()
    chosen = part(frame, "accuracy")
    for k, (subject, rows) in enumerate(chosen.groupby("subject", sort=False)):
        line = rows.groupby("optimum")["crossing"].mean()
        drawing.curve(ax, line.index, line, None, label=subject, **drawing.style(k))
    ends_ = chosen["optimum"].min(), chosen["optimum"].max()
    drawing.trivial(ax, ends_, ends_, "best boundary", "-")
    drawing.label(ax, "best boundary  -log(C+) / 2", "boundary x*")
    drawing.legend(ax, "auto")


def _draw_paths(figure: Any, frame: Frame, cost: float) -> None:
    ax = figure.subplots()
    paths = best_paths(frame).xs(cost, level="cost")
    for k, (subject, rows) in enumerate(paths.groupby(level="subject", sort=False)):
        line = rows.iloc[0]
        drawing.curve(ax, line.index, line, None, label=subject, **drawing.style(k))
    rounds = paths.columns
    best = -np.log(cost) / 2
    drawing.trivial(ax, [min(rounds), max(rounds)], [best, best], "best boundary", "-")
    drawing.label(ax, "round", "boundary x*")
    drawing.legend(ax, "auto")
