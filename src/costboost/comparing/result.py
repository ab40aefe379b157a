"""The result of a comparison: means over folds with intervals, ranks over data sets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf, sqrt
from typing import Any, NamedTuple

import numpy as np
from scipy import stats

from costboost.metrics import Friedman, Nemenyi, friedman_test, nemenyi
from costboost.metrics.checks import Floats

LEVEL = 0.95


class Measure(NamedTuple):
    """A measure on the held-out rows of a fold."""

    title: str
    greater_is_better: bool
    most: float
    """Greatest possible value; the least is 0."""


MEASURES = {
    "cost": Measure("mean cost", False, inf),
    "brier": Measure("Brier", False, 1.0),
    "accuracy": Measure("accuracy", True, 1.0),
    "precision_positive": Measure("precision +", True, 1.0),
    "recall_positive": Measure("recall +", True, 1.0),
    "f1_positive": Measure("F1 +", True, 1.0),
    "precision_negative": Measure("precision -", True, 1.0),
    "recall_negative": Measure("recall -", True, 1.0),
    "f1_negative": Measure("F1 -", True, 1.0),
    "seconds": Measure("seconds", False, inf),
}


class Estimate(NamedTuple):
    """Mean of a measure over the folds, and its 95% interval, which is None for a single fold."""

    mean: float
    low: float | None
    high: float | None

    def __str__(self) -> str:
        if self.low is None or self.high is None:
            return f"{self.mean:.3f}"
        return f"{self.mean:.3f} [{self.low:.3f}, {self.high:.3f}]"


def estimate(values: Floats, held_to_trained: float, least: float, most: float) -> Estimate:
    r"""Mean and interval of Nadeau and Bengio's corrected resampled t-test.

    .. math:: \bar x \pm t_{k-1,\,0.975} \sqrt{\left(\frac 1k + \frac{n_2}{n_1}\right) s^2}

    for k folds with n1 training rows and n2 held-out rows. Folds share training rows, so that their
    results vary less than those of independent samples; the second fraction corrects for it.
    """
    k, mean = values.size, float(values.mean())
    if k < 2:
        return Estimate(mean, None, None)
    spread = float(values.std(ddof=1)) * sqrt(1 / k + held_to_trained)
    half = float(stats.t.ppf((1 + LEVEL) / 2, k - 1)) * spread
    low, high = np.clip([mean - half, mean + half], least, most).tolist()
    return Estimate(mean, low, high)


BLOCKS = (
    ("cost", "brier", "accuracy", "seconds"),
    ("precision_positive", "recall_positive", "f1_positive"),
    ("precision_negative", "recall_negative", "f1_negative"),
)
"""Measures that are printed in the same table."""


class Ranks(NamedTuple):
    """Estimators ranked over data sets; rank 1 is the best."""

    measure: str
    average: dict[str, float]
    """Mean rank of each estimator."""
    friedman: Friedman | None
    """Friedman's test of any difference; None for two estimators."""
    nemenyi: Nemenyi
    """Nemenyi's test of all pairs."""
    alpha: float
    """Level of Nemenyi's test."""

    def __str__(self) -> str:
        width = max(map(len, self.average))
        best_first = sorted(self.average.items(), key=lambda pair: pair[1])
        lines = [f"mean ranks by {MEASURES[self.measure].title}"]
        lines += [f"  {name.ljust(width)}  {rank:.2f}" for name, rank in best_first]
        if self.friedman is not None:
            lines.append(f"Friedman's test (Iman and Davenport): p = {self.friedman.f_pvalue:.3g}")
        apart = self.nemenyi.critical_difference
        lines.append(f"Nemenyi: ranks differ if more than {apart:.2f} apart (level {self.alpha:g})")
        return "\n".join(lines)


@dataclass(frozen=True)
class Comparison:
    """Result of `compare`; ``print`` shows a table.

    Attributes
    ----------
    estimators : list of str
        Names of the classifiers, then those of the baselines.
    data_sets : list of str
        Names of the data sets.
    values : dict
        ``values[data_set][estimator][measure]`` is an array with a value for each fold, or None
        if the measure is not defined. Measures: "cost", "brier", "accuracy", "precision_positive",
        "recall_positive", "f1_positive", those with "_negative", and "seconds".
    baselines : list of str
        Names of the baselines.
    """

    estimators: list[str]
    data_sets: list[str]
    values: dict[str, dict[str, dict[str, Floats | None]]] = field(repr=False)
    held_to_trained: dict[str, float] = field(repr=False)
    baselines: list[str] = field(default_factory=list)

    @property
    def ranked(self) -> list[str]:
        """The estimators that have ranks: all but the baselines."""
        return [name for name in self.estimators if name not in self.baselines]

    def estimate(
        self, estimator: str, measure: str = "cost", data_set: str | None = None
    ) -> Estimate | None:
        """Mean and 95% interval of a measure; None if it is not defined for the classifier.

        ``data_set`` may be left out if there is one only.
        """
        values, name = self._values(estimator, measure, data_set)
        if values is None:
            return None
        least = -np.inf if np.any(values < 0) else 0.0  # costs may be gains
        return estimate(values, self.held_to_trained[name], least, MEASURES[measure].most)

    def difference(
        self, one: str, other: str, measure: str = "cost", data_set: str | None = None
    ) -> Estimate:
        """Mean difference of a measure between two classifiers over the folds, with 95% interval.

        If the interval does not contain 0, the difference is significant.
        """
        (a, name), (b, _) = (self._values(each, measure, data_set) for each in (one, other))
        if a is None or b is None:
            raise ValueError(f"{one if a is None else other} has no measure {measure!r}")
        return estimate(a - b, self.held_to_trained[name], -inf, inf)

    def ranks(self, measure: str = "cost", alpha: float = 0.05) -> Ranks:
        """Ranks over at least two data sets, with Friedman's and Nemenyi's tests."""
        names = self.ranked
        if len(self.data_sets) < 2 or len(names) < 2:
            raise ValueError(
                f"ranks need two data sets and two estimators, got {len(self.data_sets)} and "
                f"{len(names)}"
            )
        table = []
        for data_set in self.data_sets:
            row = [self.estimate(name, measure, data_set) for name in names]
            missing = [n for n, found in zip(names, row, strict=True) if found is None]
            if missing:
                raise ValueError(f"{missing[0]} has no measure {measure!r}, so it has no rank")
            table.append([found.mean for found in row if found is not None])
        better = MEASURES[measure].greater_is_better
        found = nemenyi(table, alpha=alpha, greater_is_better=better)
        average = dict(zip(names, found.average_ranks.tolist(), strict=True))
        friedman = friedman_test(table) if len(names) > 2 else None
        return Ranks(measure, average, friedman, found, alpha)

    def rows(self) -> list[dict[str, Any]]:
        """A flat dict for each classifier on each data set, as for pandas.DataFrame."""
        rows = []
        for data_set in self.data_sets:
            for name in self.estimators:
                row: dict[str, Any] = {"data_set": data_set, "estimator": name}
                for measure in MEASURES:
                    found = self.estimate(name, measure, data_set) or (None, None, None)
                    keys = (measure, f"{measure}_low", f"{measure}_high")
                    row |= dict(zip(keys, found, strict=True))
                rows.append(row)
        return rows

    def to_dict(self) -> dict[str, Any]:
        """All results as dicts, lists and numbers that ``json`` can write."""
        return {
            "estimators": self.estimators,
            "baselines": self.baselines,
            "data_sets": self.data_sets,
            "rows": self.rows(),
            "folds": {
                data_set: {
                    name: {
                        measure: None if values is None else values.tolist()
                        for measure, values in measures.items()
                    }
                    for name, measures in found.items()
                }
                for data_set, found in self.values.items()
            },
        }

    def __str__(self) -> str:
        parts = []
        for data_set in self.data_sets:
            first = next(iter(self.values[data_set].values()))["seconds"]
            assert first is not None
            title = f"{data_set}: means over {first.size} folds, 95% intervals in brackets"
            blocks = [block for block in BLOCKS if self._has_any(data_set, block)]
            parts += [title, *(self._block(data_set, block) for block in blocks), ""]
        if len(self.data_sets) > 1 and len(self.ranked) > 1:
            parts += [str(self.ranks()), ""]
        return "\n".join(parts).rstrip("\n")

    def _has_any(self, data_set: str, measures: Sequence[str]) -> bool:
        found = self.values[data_set].values()
        return any(one[measure] is not None for one in found for measure in measures)

    def _block(self, data_set: str, measures: Sequence[str]) -> str:
        head = ["estimator", *(MEASURES[measure].title for measure in measures)]
        lines = [head]
        for name in self.estimators:
            found = [self.estimate(name, measure, data_set) for measure in measures]
            lines.append([name, *("-" if one is None else str(one) for one in found)])
        widths = [max(len(line[k]) for line in lines) for k in range(len(head))]
        return "\n".join(
            "  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)).rstrip()
            for line in lines
        )

    def _values(
        self, estimator: str, measure: str, data_set: str | None
    ) -> tuple[Floats | None, str]:
        if data_set is None and len(self.data_sets) == 1:
            data_set = self.data_sets[0]
        for what, value, known in (
            ("data_set", data_set, self.data_sets),
            ("estimator", estimator, self.estimators),
            ("measure", measure, list(MEASURES)),
        ):
            if value not in known:
                names = ", ".join(map(repr, known))
                raise ValueError(f"{what} must be one of {names}, got {value!r}")
        assert data_set is not None
        values = self.values[data_set][estimator][measure]
        return (None if values is None else np.asarray(values)), data_set
