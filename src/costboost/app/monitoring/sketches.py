"""Sketches: summaries of columns that can be merged, compared, kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2, kstwobign

from costboost._core.arrays import Flags
from costboost._core.checks import Floats
from costboost.app.monitoring.columns import texts
from costboost.app.monitoring.errors import logits

NUMBER, CATEGORY = "number", "category"
N_KNOTS = 128
"""Values of a column of numbers at which its distribution function is kept."""
MOST_LABELS = 100
"""Categories of a column that are kept; the others are counted together."""
LEAST_EXPECTED = 5.0
"""Categories with fewer expected rows are joined for the chi-square test."""


# ---- sketches of columns -------------------------------------------------------------------------


@dataclass
class ColumnSketch:
    """Counts of the values of a column between knots, or of its categories.

    Counts of numbers are those of the values up to each knot and above the one before, then those
    above the last knot, then the missing ones. Counts of categories are those of each label, then
    of all other labels, then of the missing ones.
    """

    name: str
    kind: str
    bins: list[Any]
    """Knots or labels."""
    counts: Floats
    positives: Floats | None = None
    """Counts of positive rows; None if they are not known."""

    @classmethod
    def of(cls, name: str, values: Any, positive: Flags | None = None) -> ColumnSketch:
        """Sketch whose knots or labels are those of the values."""
        if values.dtype == object:
            found = Counter(one for one in values.tolist() if one is not None)
            labels = [label for label, _ in found.most_common(MOST_LABELS)]
            empty = cls(name, CATEGORY, labels, np.zeros(len(labels) + 2))
        else:
            finite = np.sort(values[np.isfinite(values)])
            ranks = np.linspace(0, max(finite.size - 1, 0), N_KNOTS).round().astype(np.intp)
            knots = np.unique(finite[ranks]) if finite.size else np.empty(0)
            empty = cls(name, NUMBER, knots.tolist(), np.zeros(knots.size + 2))
        empty.add(values)
        if positive is not None:
            of_class = empty.empty()
            of_class.add(values[positive])
            empty.positives = of_class.counts
        return empty

    def at_share(self, share: float) -> ColumnSketch | None:
        """Distribution at another share of positives, with as many rows as know it as well.

        None if the rows of the classes are not known.
        """
        if self.positives is None:
            return None
        sides = self.positives, self.counts - self.positives
        n = [side.sum() for side in sides]
        if not min(n):
            return None
        parts = [one * side / m for one, side, m in zip((share, 1 - share), sides, n, strict=True)]
        rows = 1 / (share**2 / n[0] + (1 - share) ** 2 / n[1])
        return ColumnSketch(self.name, self.kind, self.bins, rows * (parts[0] + parts[1]))

    @property
    def n_rows(self) -> float:
        """Number of rows, also those without a value."""
        return float(self.counts.sum())

    def empty(self) -> ColumnSketch:
        """Sketch with the same bins and no rows."""
        return ColumnSketch(self.name, self.kind, self.bins, np.zeros_like(self.counts))

    def add(self, values: Any) -> None:
        """Count further values."""
        n = len(self.bins)
        if self.kind == CATEGORY:
            code = {label: k for k, label in enumerate(self.bins)}
            labels = values if values.dtype == object else texts(values.tolist())
            codes = [n + 1 if label is None else code.get(label, n) for label in labels.tolist()]
            self.counts += np.bincount(np.array(codes, dtype=np.intp), minlength=n + 2)
            return
        if values.dtype == object:
            raise ValueError(
                f"column {self.name!r} has text, but it had numbers in the reference rows"
            )
        place = np.searchsorted(np.asarray(self.bins), values)
        place = np.where(np.isnan(values), n + 1, place)
        self.counts += np.bincount(place, minlength=n + 2)

    def to_dict(self) -> dict[str, Any]:
        """The sketch as plain data."""
        counts = [int(n) for n in self.counts.tolist()]
        found = {"name": self.name, "kind": self.kind, "bins": self.bins, "counts": counts}
        if self.positives is None:
            return found
        return found | {"positives": [int(n) for n in self.positives.tolist()]}

    @classmethod
    def from_dict(cls, data: Any) -> ColumnSketch:
        """The sketch from plain data; a ValueError if it is damaged."""
        bins, kind = list(data["bins"]), str(data["kind"])
        counts = np.asarray(data["counts"], dtype=np.float64)
        if kind not in (NUMBER, CATEGORY) or counts.shape != (len(bins) + 2,):
            raise ValueError("a column whose counts do not fit its bins")
        if not np.all(np.isfinite(counts) & (counts >= 0)):
            raise ValueError("a column with counts below 0")
        if kind == NUMBER:
            knots = np.asarray(bins, dtype=np.float64)
            if not np.all(np.isfinite(knots)) or np.any(np.diff(knots) <= 0):
                raise ValueError("a column of numbers whose knots do not rise")
        elif not all(isinstance(one, str) for one in bins):
            raise ValueError("a column of categories that are not texts")
        positives = data.get("positives")
        if positives is not None:
            positives = np.asarray(positives, dtype=np.float64)
            if positives.shape != counts.shape or not np.all(
                (positives >= 0) & (positives <= counts)
            ):
                raise ValueError("a column with more positive rows than rows")
        return cls(str(data["name"]), kind, bins, counts, positives)


@dataclass(frozen=True)
class Drift:
    """Comparison of a column with that of the reference rows.

    Attributes
    ----------
    name : str
        The column.
    test : str
        "Kolmogorov-Smirnov" for numbers, "chi-square" for categories.
    distance : float
        Greatest difference of the distribution functions, or half the sum of the differences of
        the shares of the categories; from 0 to 1.
    p_value : float
        Of the test alone.
    adjusted : float
        The p-value after Benjamini and Hochberg's correction for the number of columns.
    """

    name: str
    test: str
    distance: float
    p_value: float
    adjusted: float = 1.0
    of_model: bool = False
    """Whether this is the probability of the model, and not a feature."""

    @property
    def found(self) -> bool:
        """Whether the columns differ beyond chance, at a false discovery rate of 5%."""
        return self.adjusted < 0.05


def compare_columns(old: ColumnSketch, new: ColumnSketch) -> Drift:
    """Two-sample test of a column: Kolmogorov-Smirnov at the knots, or chi-square.

    Missing values are the last part of a distribution, so that a change of their share is found
    too. At the knots alone the Kolmogorov-Smirnov test is conservative.
    """
    n, m = new.n_rows, old.n_rows
    if not n or not m:
        return Drift(old.name, "none", 0.0, 1.0)
    if old.kind == NUMBER:
        apart = np.abs(np.cumsum(new.counts)[:-1] / n - np.cumsum(old.counts)[:-1] / m)
        distance = float(apart.max())
        return Drift(
            old.name,
            "Kolmogorov-Smirnov",
            distance,
            float(kstwobign.sf(np.sqrt(n * m / (n + m)) * distance)),
        )
    distance = float(np.abs(new.counts / n - old.counts / m).sum() / 2)
    return Drift(old.name, "chi-square", distance, _chi_square(new.counts, old.counts))


def _chi_square(new: Floats, old: Floats) -> float:
    """p-value of the chi-square test that two samples have the same shares of categories."""
    n, m = new.sum(), old.sum()
    both = np.stack([new, old])
    rare = both.sum(axis=0) * min(n, m) / (n + m) < LEAST_EXPECTED
    kept = both[:, ~rare]
    rest = both[:, rare].sum(axis=1, keepdims=True)
    table = np.concatenate([kept, rest], axis=1) if rest.sum() else kept
    if table.shape[1] < 2:
        return 1.0
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / (n + m)
    statistic = float(((table - expected) ** 2 / expected).sum())
    return float(chi2.sf(statistic, table.shape[1] - 1))


def adjusted_drifts(drifts: Sequence[Drift]) -> list[Drift]:
    """Drifts with p-values corrected by Benjamini and Hochberg (1995), the smallest first."""
    order = sorted(drifts, key=lambda one: (one.p_value, -one.distance))
    least, found = 1.0, []
    for rank in range(len(order), 0, -1):
        one = order[rank - 1]
        least = min(least, one.p_value * len(order) / rank)
        found.append(replace(one, adjusted=least))
    return found[::-1]


# ---- sketch of probabilities ---------------------------------------------------------------------

GREATEST_LOGIT, N_BINS = 16.0, 4096


class ProbabilitySketch:
    """Numbers of rows and of positives by log-odds, in so many bins that sums are nearly exact."""

    def __init__(self) -> None:
        self.n_rows, self.sums, self.positives = (np.zeros(N_BINS) for _ in range(3))

    def add(self, probability: Floats, positive: NDArray[np.bool_] | None) -> None:
        """Count further rows; ``positive`` are their classes if they are known."""
        bounded = np.clip(logits(probability), -GREATEST_LOGIT, GREATEST_LOGIT)
        place = ((bounded + GREATEST_LOGIT) * (N_BINS - 1) / (2 * GREATEST_LOGIT)).round()
        code = place.astype(np.intp)
        self.n_rows += np.bincount(code, minlength=N_BINS)
        self.sums += np.bincount(code, probability, N_BINS)
        if positive is not None:
            self.positives += np.bincount(code, positive, N_BINS)

    def table(self) -> tuple[Floats, Floats, Floats]:
        """Mean probability, number of rows and number of positives of the bins that have rows."""
        there = self.n_rows > 0
        n = self.n_rows[there]
        return self.sums[there] / n, n, self.positives[there]
