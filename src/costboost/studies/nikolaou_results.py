"""Areas below Brier curves, ranks and sizes from the results of the study of Nikolaou et al."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from costboost.metrics import average_ranks
from costboost.metrics.curves import area_below
from costboost.studies.claims import Verdict
from costboost.studies.statistics import finite, unjudged, verdict_ordinal
from costboost.studies.study import Frame

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
