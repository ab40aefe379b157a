"""Study decisions2026: is it enough to calibrate a modern learner and to move its threshold?"""

from __future__ import annotations

from typing import Any

import numpy as np

from costboost import datasets
from costboost.studies.decisions2026_methods import (
    ISOTONIC,
    MODERN,
    PLATT,
    RATIOS,
    RAW,
    TRAINED_BY_WEIGHT,
    WEIGHTED,
    chosen_sets,
    load_problem,
    methods,
)
from costboost.studies.statistics import paired_interval
from costboost.studies.study import Cell, Departure, Figure, Frame, Options, Record, Study, Table

NAME = "decisions2026"
REPEATS = 2
MOST_VALUES = {"CatBoost": 100_000}
"""Methods that are left out on sets with more rows x columns than this: they take too long."""
QUICK_METHODS = ("CostBoost", "AdaMEC", "CGAda", "CSB1", "HistGradientBoosting")
SHOWN = (
    "CostBoost",
    "LightGBM Platt",
    "LightGBM raw",
    "LightGBM weighted",
    "AdaMEC Platt",
    "CGAda",
)
"""Methods of the figure over ratios."""


def cells(options: Options) -> list[Cell]:
    """The grid: data sets x repeats x methods, without methods that take too long on a set."""
    names = [name for name in methods() if not options.quick or name in QUICK_METHODS]
    repeats = options.repeats or (1 if options.quick else REPEATS)
    return [
        {"data": data, "repeat": repeat, "method": method}
        for data in options.data
        for repeat in range(repeats)
        for method in names
        if n_values(data) <= MOST_VALUES.get(method, np.inf)
    ]


def n_values(data: str) -> int:
    """Rows x columns of a data set."""
    record = datasets.record(data)
    return int(record.rows * len(record.columns))


def compute(cell: Cell, seed: int) -> list[Record]:
    """Costs at every ratio of all forms of a method on a split."""
    split = load_problem(str(cell["data"])).split(seed)
    return list(methods()[str(cell["method"])](split, seed))


# ---- results -------------------------------------------------------------------------------------


def form_of(method: str, variant: str) -> str:
    """Name of a form of a method in tables: those that are fitted in one way have no variant."""
    only = method == "CostBoost" or (variant == RAW and method not in (*MODERN, "AdaMEC"))
    return method if only else f"{method} {variant}"


def by_set(frame: Frame, value: str = "cost") -> Frame:
    """Mean over ratios and repeats: a row for each data set, a column for each form of a method."""
    named = frame.assign(form=list(map(form_of, frame["method"], frame["variant"])))
    return named.pivot_table(index="data", columns="form", values=value, sort=False)


def tables(frame: Frame) -> list[Table]:
    """Costs by form and ratio, the effect of calibration, and results on each data set."""
    if frame.empty:
        return []
    everywhere, with_all = everywhere_run(frame), with_all_methods(frame)
    found = [_costs(everywhere, "Cost of each method")]
    if len(with_all) and len(everywhere) < len(frame):
        found.append(_costs(with_all, "Cost on the data sets that all methods were run on"))
    return [*found, _calibration(frame), _sets(frame)]


def everywhere_run(frame: Frame) -> Frame:
    """Results of the methods that have some on every data set."""
    n_sets = frame.groupby("method")["data"].nunique()
    return frame[frame["method"].isin(n_sets.index[n_sets == frame["data"].nunique()])]


def with_all_methods(frame: Frame) -> Frame:
    """Results on the data sets on which every method has some."""
    n_methods = frame.groupby("data")["method"].nunique()
    return frame[frame["data"].isin(n_methods.index[n_methods == frame["method"].nunique()])]


def _costs(frame: Frame, title: str) -> Table:
    named = frame.assign(form=list(map(form_of, frame["method"], frame["variant"])))
    costs = named.pivot_table(index="form", columns="ratio", values="cost")
    costs.columns = [f"{ratio:g}:1" for ratio in costs.columns]
    costs.insert(0, "mean", named.groupby("form")["cost"].mean())
    costs.insert(1, "mean rank", by_set(frame).dropna().rank(axis=1).mean())
    costs["Brier score"] = named.groupby("form")["brier"].mean()
    note = (
        "Cost of the decisions on test rows, as a share of what the better constant decision "
        f"costs, averaged over {frame['data'].nunique()} data sets and repeats. The "
        "columns are ratios of the cost of a miss to that of a false alarm; ranks are of the mean "
        "over ratios on each data set. Forms without probabilities have no Brier score."
    )
    return Table(title, costs.sort_values("mean rank"), note)


PAIRS = (
    *((f"{name} {PLATT}", f"{name} {RAW}") for name in MODERN),
    *((f"{name} {ISOTONIC}", f"{name} {RAW}") for name in MODERN),
    *((f"{name} {PLATT}", f"{name} {ISOTONIC}") for name in MODERN),
    *((f"{name} {PLATT}", f"{name} {WEIGHTED}") for name in TRAINED_BY_WEIGHT),
    *((name, f"{other} {PLATT}") for name in ("CostBoost",) for other in MODERN),
    *((f"{name} {PLATT}", f"AdaMEC {PLATT}") for name in MODERN),
    (f"AdaMEC {PLATT}", f"AdaMEC {RAW}"),
    (f"CGAda {PLATT}", "CGAda"),
    (f"AsymAda {PLATT}", "AsymAda"),
)
"""Forms that are compared: the first is expected to cost less."""


def differences(frame: Frame, first: str, second: str) -> Any:
    """How much less the first form costs on each data set, as a share of the constant's cost."""
    table = by_set(frame) if not frame.empty else frame
    if first not in table or second not in table:
        return np.empty(0)
    return (table[second] - table[first]).dropna().to_numpy()


def _calibration(frame: Frame) -> Table:
    import pandas as pd

    lines = {}
    for first, second in PAIRS:
        saved = differences(frame, first, second)
        if not saved.size:
            continue
        found = paired_interval(saved)
        lines[f"{first} against {second}"] = {
            "saves": found.mean,
            "from": found.low,
            "to": found.high,
            "cheaper on": f"{int((saved > 0).sum())} of {saved.size}",
        }
    note = (
        "Mean over data sets of the cost that the first saves against the second, as a share of "
        "the cost of the better constant decision, with a 95% bootstrap interval over data sets."
    )
    return Table("What calibration and thresholds save", pd.DataFrame(lines).T, note)


def _sets(frame: Frame) -> Table:
    table = by_set(frame)
    return Table("Mean cost on each data set", table, "Means over ratios and repeats.", digits=2)


def figures(frame: Frame) -> list[Figure]:
    """Cost over the ratio, ranks with a critical difference, and Brier scores."""
    if frame.empty:
        return []
    found = [
        Figure(
            "Cost over the ratio of costs",
            lambda figure: _draw_ratios(figure, frame),
            "1 is the cost of the better constant decision.",
        )
    ]
    table = by_set(everywhere_run(frame)).dropna()
    if len(table) > 1 and table.shape[1] > 2:
        height = 1.2 + 0.16 * table.shape[1]
        found.append(
            Figure(
                "Ranks over data sets",
                lambda figure: _draw_ranks(figure, table),
                "Methods joined by a bar do not differ significantly (Nemenyi, 5%).",
                (8.0, height),
            )
        )
    return found


def _draw_ratios(figure: Any, frame: Frame) -> None:
    from costboost.plots import drawing

    named = frame.assign(form=list(map(form_of, frame["method"], frame["variant"])))
    ax = figure.add_subplot()
    mean = named.groupby(["form", "ratio"])["cost"].mean()
    shown = [form for form in SHOWN if form in mean.index]
    shown = shown or list(mean.index.get_level_values(0).unique())[:6]
    for k, form in enumerate(shown):
        ax.plot(mean[form].index, mean[form].to_numpy(), label=form, **drawing.style(k))
    drawing.log_axis(ax, few_decades=True)
    ax.set_xlabel("cost of a miss, in costs of a false alarm")
    ax.set_ylabel("cost of decisions")
    ax.legend(frameon=False)


def _draw_ranks(figure: Any, table: Frame) -> None:
    from costboost.plots import CriticalDifferenceDisplay

    CriticalDifferenceDisplay.from_values(
        table.to_numpy(), names=list(table.columns), ax=figure.add_subplot()
    )


STUDY = Study(
    name=NAME,
    title="Calibration and a threshold, with the learners of today",
    citation=(
        "The question of N. Nikolaou, N. Edakunni, M. Kull, P. Flach and G. Brown, "
        '"Cost-sensitive boosting algorithms: Do we really need them?", Machine Learning 104, '
        "2016, asked again."
    ),
    question=(
        "Nikolaou et al. found that no cost-sensitive variant of AdaBoost beats AdaBoost with "
        "calibrated probabilities and the threshold that the costs imply. Does that hold for "
        "LightGBM, XGBoost, CatBoost and HistGradientBoosting, on data whose positive class is as "
        "rare as it is?"
    ),
    protocol=(
        "All data sets of costboost.datasets with at least 150 rows, at their natural share of "
        "positives. Of several classes one is set against the rest, chosen by rule.",
        f"{REPEATS} stratified splits, 70% for training. Cost of a miss to that of a false alarm: "
        + ", ".join(f"{ratio}:1" for ratio in RATIOS)
        + ".",
        "The variants of AdaBoost of the paper with their default of 100 stumps, trained for each "
        "ratio; AdaMEC, trained once, by votes, by its logistic link and calibrated; CGAda and "
        "AsymAda also calibrated.",
        "Each modern learner with its default parameters: threshold on its own probabilities "
        "(raw), after Platt's or isotonic calibration on the held-out scores of five folds, and, "
        "but for CatBoost, trained for each ratio with costs as weights of the rows (weighted).",
        "Measured is the cost of the decisions on test rows as a share of that of the better "
        "constant decision: all positive or all negative.",
    ),
    departures=(
        Departure(
            "Classes are not balanced, and base learners are stumps.",
            "Natural shares are what users have; the balanced protocol is study nikolaou2016.",
        ),
        Departure(
            f"CatBoost is run on sets of at most {MOST_VALUES['CatBoost']:,} rows x columns.",
            "Six fits of 1,000 rounds each take most of the time of the study already. Comparisons "
            "with CatBoost are over those sets; the first table is without it.",
        ),
        Departure(
            "No parameter is tuned, for any method.",
            "Tuning would multiply the time by the number of candidates, and defaults are what "
            "most people run.",
        ),
        Departure(
            "CostBoost was designed with these data sets in view.",
            "There are no others at hand. Its lead on other data is likely to be smaller, unlike "
            "what is found on calibration, which concerns the other learners as well.",
        ),
    ),
    data=tuple(chosen_sets()),
    quick_data=("wdbc",),
    cells=cells,
    compute=compute,
    paired_by=("data", "repeat"),
    tables=tables,
    figures=figures,
)
