"""Results of Nikolaou et al. (2016): areas below Brier curves, ranks, sizes; tables and figures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np

from costboost.app.plots import drawing
from costboost.metrics import average_ranks, nemenyi
from costboost.metrics.probabilities import area_below
from costboost.plots import ParetoDisplay, RankDisplay
from costboost_lab.studies import Figure, Frame, Table, Verdict
from costboost_lab.studies.statistics import finite, unjudged, verdict_ordinal

OF_THEORY = ("AdaMEC", "CGAda", "AsymAda")
"""The variants with all three properties."""
CALIBRATED = tuple(f"{name} calibrated" for name in OF_THEORY)
OTHERS = (
    "AdaC1", "AdaC2", "AdaC3", "CSAda", "CSB0", "CSB1", "CSB2", "AdaCost", "AdaCost(beta2)",
)  # fmt: skip
METHODS = (*OF_THEORY, *OTHERS, *CALIBRATED)
"""The 15 methods that the paper compares."""
VOTES = "AdaMEC (votes)"
SHOWN = ("AdaMEC calibrated", "AdaMEC", "CSB2", "AdaC1")
"""The four methods of the paper's figure 7."""
FEWEST_SETS = 6
"""Number of data sets below which a claim about data sets in general is not judged."""
COLUMNS = (
    "part", "data", "repeat", "variant", "size", "skew", "fn_cost", "loss", "n_learners", "margin",
    "share_predicted_positive", "quantity", "value", "paper",
)  # fmt: skip
"""Columns that results without records have as well."""


def of_part(frame: Frame, part: str) -> Frame:
    """The records of one part of the study; empty if there are none."""
    lacking = [name for name in COLUMNS if name not in frame.columns]
    if lacking:
        frame = frame.reindex(columns=[*frame.columns, *lacking])
    return frame[frame["part"] == part]


def grid(frame: Frame, size: str = "own") -> Frame:
    """The records of the comparison, for ensembles of their own or of equal size."""
    found = of_part(frame, "grid")
    return found[found["size"] == size] if len(found) else found


def data_sets(frame: Frame) -> list[str]:
    """Names of the data sets of the comparison."""
    return list(dict.fromkeys(grid(frame)["data"]))


def by_skew(frame: Frame, column: str = "loss", size: str = "own") -> Frame:
    """Mean of a column over the repeats: a row for each data set and variant, a column a skew."""
    return grid(frame, size).pivot_table(
        index=["data", "variant"], columns="skew", values=column, aggfunc="mean"
    )


# ---- areas and ranks -----------------------------------------------------------------------------


def area_over_skew(curve: Any) -> float:
    """Area below the Brier curve between the least and the greatest skew."""
    curve = curve.dropna()
    return area_below(curve.index.to_numpy(float), curve.to_numpy(float))


def mean_over_ratios(curve: Any) -> float:
    """Mean loss over the cost ratios."""
    return float(curve.mean())


AGGREGATIONS: dict[str, Callable[[Any], float]] = {
    "area over z": area_over_skew,
    "mean over the ratios": mean_over_ratios,
}
AREA, MEAN = AGGREGATIONS


def areas(
    frame: Frame, aggregation: str = AREA, size: str = "own", by: Sequence[str] = ("data",)
) -> Frame:
    """Area below the Brier curve: a row for each data set (and repeat), a column a variant.

    Variants that were not run at all skews are NaN.
    """
    rows = grid(frame, size)
    curves = rows.pivot_table(index=[*by, "variant"], columns="skew", values="loss", aggfunc="mean")
    curves = curves[curves.notna().sum(axis=1) == curves.shape[1]]
    found = curves.apply(AGGREGATIONS[aggregation], axis=1)
    return found.unstack("variant") if len(found) else curves


def ranks(frame: Frame, aggregation: str = AREA, adamec: str = "AdaMEC") -> Frame:
    """Rank of each of the 15 methods on every data set on which all were run.

    ``adamec`` is the variant that stands for uncalibrated AdaMEC.
    """
    import pandas as pd

    found = areas(frame, aggregation)
    wanted = [adamec, *METHODS[1:]]
    if not set(wanted) <= set(found.columns):
        return pd.DataFrame(columns=list(METHODS), dtype=float)
    table = found[wanted].dropna()
    of_sets = [average_ranks(row[None]) for row in table.to_numpy(float)]
    return pd.DataFrame(of_sets, index=table.index, columns=list(METHODS), dtype=float)


def sizes(frame: Frame) -> Frame:
    """Mean number of weak learners: a row for each data set, a column for each variant."""
    return grid(frame).pivot_table(
        index="data", columns="variant", values="n_learners", aggfunc="mean"
    )


# ---- losses at some skews ------------------------------------------------------------------------


def losses_at(
    frame: Frame,
    chosen: Callable[[float], bool],
    column: str = "loss",
    size: str = "own",
) -> Frame:
    """Mean over the chosen skews: a row for each data set, a column for each variant."""
    table = by_skew(frame, column, size)
    table = table[[z for z in table.columns if chosen(z)]]
    return table.mean(axis=1).unstack("variant") if table.size else table


def moderate(z: float) -> bool:
    """Skews between 0.3 and 0.7, but for 1/2, where several variants are AdaBoost."""
    return 0.3 < z < 0.7 and abs(z - 0.5) > 1e-9


def extreme(z: float) -> bool:
    """Skews of at most 0.1 or at least 0.9."""
    return z <= 0.1 or z >= 0.9


def high(z: float) -> bool:
    """Skews below 0.2 or above 0.8."""
    return z < 0.2 or z > 0.8


def outer(z: float) -> bool:
    """Skews of at most 0.3 or at least 0.7."""
    return z <= 0.3 or z >= 0.7


def balanced(z: float) -> bool:
    """Equal costs."""
    return abs(z - 0.5) < 1e-9


def over_sets(label: str, differences: Any, **options: Any) -> Verdict:
    """Verdict on paired differences, one for each data set, if there are enough of them."""
    values = finite(differences)
    if values.size < FEWEST_SETS:
        return unjudged(f"needs at least {FEWEST_SETS} data sets, has {values.size}: {label}")
    return verdict_ordinal(label, values, "data set", **options)


def mean_and_half_width(values: Iterable[float]) -> tuple[float, float]:
    """Mean over the repeats, and half the width of its normal 95% interval."""
    array = np.asarray(list(values), dtype=float)
    if array.size < 2:
        return float(array.mean()), np.nan
    return float(array.mean()), float(1.96 * array.std(ddof=1) / np.sqrt(array.size))


# ---- tables and figures --------------------------------------------------------------------------

TIERS = {
    **dict.fromkeys(CALIBRATED, 1),
    **dict.fromkeys(("AdaMEC", "CGAda", "AsymAda"), 2),
    **dict.fromkeys(("CSB2", "AdaC2"), 3),
    **dict.fromkeys(("AdaC1", "AdaC3", "CSB0", "CSB1"), 4),
    **dict.fromkeys(("AdaCost", "AdaCost(beta2)", "CSAda"), 5),
}
"""Order of the methods as far as the text of the paper states it."""
SIZES = {"AdaMEC": 40, "CGAda": 40, "AsymAda": 100}
"""Numbers of weak learners that the paper mentions."""
ALPHA = 0.01
CHARACTERISTIC = (
    "nikolaou_splice", "musk2", "nikolaou_krvskp", "waveform", "spambase", "nikolaou_mushroom",
)  # fmt: skip
"""Data sets that the text on figure 7 names."""


def tables(frame: Frame) -> list[Table]:
    """The tables of the study, as far as there are results for them."""
    found = [_ranks(frame), _areas(frame), _sizes(frame), _equal_size(frame), _properties(frame),
             _formulas(frame)]  # fmt: skip
    return [table for table in found if table is not None]


def _ranks(frame: Frame) -> Table | None:
    import pandas as pd

    columns = {}
    for aggregation in (AREA, MEAN):
        for adamec, note in (("AdaMEC", ""), (VOTES, ", AdaMEC by votes")):
            found = ranks(frame, aggregation, adamec)
            if len(found):
                columns[f"{aggregation}{note}"] = found.mean()
    if not columns:
        return None
    table = pd.DataFrame(columns)
    table = table.sort_values(table.columns[0])
    table["tier (paper)"] = pd.Series(TIERS)
    n = len(ranks(frame))
    return Table(
        "Mean rank by area below the Brier curve",
        table.rename_axis("method"),
        f"Over {n} data sets; 1 is best of 15. The paper prints no ranks: its tiers are those "
        "that the text states.",
        digits=2,
    )


def _areas(frame: Frame) -> Table | None:
    found = areas(frame)
    columns = [name for name in (*METHODS, VOTES) if name in found.columns]
    if not len(found) or not columns:
        return None
    return Table(
        "Area below the Brier curve, by data set",
        found[columns].T.rename_axis("method"),
        "By the trapezoidal rule over the 21 skews, of the mean loss over the repeats.",
    )


def _sizes(frame: Frame) -> Table | None:
    import pandas as pd

    found = sizes(frame)
    if not len(found):
        return None
    table = pd.DataFrame(
        {"mean": found.mean(), "least data set": found.min(), "greatest data set": found.max()}
    )
    table = table.reindex([name for name in METHODS if name in table.index])
    table["about (paper)"] = pd.Series(SIZES, dtype=float)
    return Table(
        "Number of weak learners, of at most 100",
        table.rename_axis("method"),
        "Mean over data sets, skews and repeats.",
        digits=1,
    )


def equal_size_tests(frame: Frame) -> Frame:
    """Nemenyi's test between the calibrated methods at equal size, for every other skew."""
    import pandas as pd

    losses = by_skew(frame, size="equal")
    rows = []
    for z in list(losses.columns)[::2]:
        table = losses[z].unstack("variant")
        if not set(CALIBRATED) <= set(table.columns):
            continue
        table = table[list(CALIBRATED)].dropna()
        if len(table) < 2:
            continue
        test = nemenyi(table.to_numpy(float), alpha=ALPHA)
        apart = np.abs(test.average_ranks[:, None] - test.average_ranks)
        rows.append(
            {
                "skew": z,
                **dict(zip(CALIBRATED, test.average_ranks.tolist(), strict=True)),
                "critical difference": test.critical_difference,
                "pairs that differ": int((apart > test.critical_difference).sum()) // 2,
            }
        )
    return pd.DataFrame(rows)


def _equal_size(frame: Frame) -> Table | None:
    found = equal_size_tests(frame)
    if not len(found):
        return None
    return Table(
        "Mean ranks of the calibrated methods at equal size",
        found.set_index("skew"),
        "Nemenyi's test at the level 0.01, as in figure 6.",
    )


def _properties(frame: Frame) -> Table | None:
    theory = of_part(frame, "theory")
    names = ["fgd_consistent", "cost_consistent", "asymmetry_preserving"]
    if not len(theory) or not theory["quantity"].isin(names).any():
        return None
    theory = theory[theory["quantity"].isin(names)]
    words = {1.0: "yes", 0.0: "no"}
    parts = {}
    for column, note in (("value", ""), ("paper", " (paper)")):
        table = theory.pivot_table(index="variant", columns="quantity", values=column, sort=False)
        for name in names:
            title = name.replace("_", "-").replace("fgd", "FGD") + note
            parts[title] = table[name].map(lambda x: words.get(x, "depends on the costs"))
    import pandas as pd

    return Table(
        "Properties of table 4, computed from the rules",
        pd.DataFrame(parts).rename_axis("variant"),
        "At costs of 2:1 and 1:5.",
    )


def _formulas(frame: Frame) -> Table | None:
    theory = of_part(frame, "theory")
    if not len(theory):
        return None
    names = ["fgd_consistent", "cost_consistent", "asymmetry_preserving"]
    rest = theory[~theory["quantity"].isin(names)]
    rest = rest[rest["quantity"] != "difference at equal costs"]
    table = rest.set_index("quantity")[["variant", "value", "paper"]]
    table = table.rename(columns={"paper": "value (paper)"})
    return Table("Formulas, computed", table, digits=6) if len(table) else None


# ---- figures -------------------------------------------------------------------------------------


def figures(frame: Frame) -> list[Figure]:
    """The figures of the study, as far as there are results for them."""
    found = []
    ranked = ranks(frame)
    if len(ranked):
        found += [
            Figure(
                "Ranks by area below the Brier curve",
                partial(_draw_ranks, ranked),
                "The paper's figure 4. Points are ranks on single data sets.",
                (7.0, 5.6),
            ),
            Figure(
                "Rank and size of the ensemble",
                partial(_draw_pareto, ranked, sizes(frame)),
                "The paper's figure 5.",
                (7.0, 5.0),
            ),
        ]
    names = [name for name in CHARACTERISTIC if name in data_sets(frame)]
    names += [name for name in data_sets(frame) if name not in names]
    if names:
        found.append(
            Figure(
                "Brier curves",
                partial(_draw_curves, grid(frame), names[:6]),
                "The paper's figure 7: mean loss over the repeats with its 95% interval. Grey: "
                "all rows predicted negative or positive.",
                (7.0, 5.4),
            )
        )
    tests = equal_size_tests(frame)
    if len(tests):
        found.append(
            Figure(
                "Ranks of the calibrated methods at equal size",
                partial(_draw_equal_size, tests),
                "The paper's figure 6. Methods differ at the level 0.01 if they are further apart "
                "than the bar is long.",
            )
        )
    margins = of_part(frame, "margins")
    if len(margins):
        found.append(
            Figure(
                "Margins of the training rows",
                partial(_draw_margins, margins),
                "The paper's figure 3: share of rows below each normalised margin, mean over the "
                "repeats.",
                (7.0, 5.4),
            )
        )
    return found


def _draw_ranks(ranks: Frame, figure: Any) -> None:
    ax = figure.subplots()
    RankDisplay(ranks=ranks.to_numpy(float), names=list(ranks.columns)).plot(ax=ax)


def _draw_pareto(ranks: Frame, sizes: Frame, figure: Any) -> None:
    names = [name for name in ranks.columns if name in sizes.columns]
    mean = sizes.loc[ranks.index, names].mean().to_numpy(float)
    rank = ranks[names].mean().to_numpy(float)
    ParetoDisplay(size=mean, rank=rank, names=names).plot(ax=figure.subplots())


def _draw_curves(rows: Frame, names: list[str], figure: Any) -> None:
    figure.set_layout_engine("constrained")
    axes = figure.subplots(-(-len(names) // 3), min(3, len(names)), squeeze=False, sharex=True)
    for ax in axes.ravel()[len(names) :]:
        ax.set_visible(False)
    for ax, name in zip(axes.ravel(), names, strict=False):
        own = rows[rows["data"] == name]
        for k, method in enumerate(SHOWN):
            by_skew = own[own["variant"] == method].groupby("skew")["loss"]
            if not len(by_skew):
                continue
            mean, half = np.array([mean_and_half_width(v) for _, v in by_skew]).T
            z = np.array([z for z, _ in by_skew])
            style = drawing.style(k)
            ax.plot(z, mean, label=method, linewidth=1.3, **style)
            if np.isfinite(half).all():
                ax.fill_between(
                    z, mean - half, mean + half, color=style["color"], alpha=0.2, linewidth=0
                )
        top = max(0.05, 1.25 * float(own[own["variant"].isin(SHOWN)].groupby(
            ["variant", "skew"])["loss"].mean().max()))  # fmt: skip
        for ends in ((0, 1), (1, 0)):
            ax.plot((0, 1), ends, color=drawing.GREY, linewidth=0.8, linestyle=":")
        ax.set(xlim=(0, 1), ylim=(0, min(top, 0.6)))
        ax.set_title(name.removeprefix("nikolaou_"), fontsize=9)
        ax.tick_params(labelsize=8)
    figure.supxlabel("skew z", fontsize=9)
    figure.supylabel("loss Q", fontsize=9)
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=4, frameon=False, fontsize=9)


def _draw_equal_size(tests: Frame, figure: Any) -> None:
    figure.set_layout_engine("constrained")
    ax = figure.subplots()
    place = np.arange(len(tests))
    for k, name in enumerate(CALIBRATED):
        ax.plot(place, tests[name], marker=drawing.MARKERS[k], label=name, **drawing.style(k))
    bar = float(tests["critical difference"].iloc[0])
    ax.plot([-0.6, -0.6], [2 - bar / 2, 2 + bar / 2], color="black", linewidth=3)
    ax.text(-0.5, 2, f"critical difference {bar:.2f}", rotation=90, va="center", fontsize=8)
    ax.set_xticks(place, labels=[f"{z:.3f}" for z in tests["skew"]], fontsize=8)
    ax.set(xlabel="skew z", ylabel="mean rank (1 is best)", ylim=(3.1, 0.9))
    figure.legend(loc="outside upper center", ncols=3, frameon=False)


def _draw_margins(rows: Frame, figure: Any) -> None:
    figure.set_layout_engine("constrained")
    ratios = sorted(rows["fn_cost"].unique())
    axes = figure.subplots(-(-len(ratios) // 2), min(2, len(ratios)), squeeze=False, sharex=True)
    columns = sorted(name for name in rows.columns if name.startswith("margin_quantile_"))
    share = np.array([int(name[-3:]) / 100 for name in columns])
    for ax, ratio in zip(axes.ravel(), ratios, strict=False):
        of_ratio = rows[rows["fn_cost"] == ratio]
        for k, (method, own) in enumerate(of_ratio.groupby("variant", sort=False)):
            ax.plot(own[columns].mean(), share, label=method, linewidth=1.3, **drawing.style(k))
        ax.set_title(f"costs {ratio:g}:1", fontsize=9)
        ax.set(ylim=(0, 1), xlim=(-1, 1), xticks=(-1, -0.5, 0, 0.5, 1))
        ax.tick_params(labelsize=8)
    figure.supxlabel("normalised margin", fontsize=9)
    figure.supylabel("share of the rows", fontsize=9)
    handles, labels = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=5, frameon=False, fontsize=9)
