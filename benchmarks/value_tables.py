"""The tables of value.py: costs of the systems, and differences from CostBoost over data sets.

A data set is what varies: costs of a set are means over its splits and seeds (and ratios, where a
table does not name one), and intervals are those of Student's t over sets.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from printing import markdown
from scipy import stats
from value_data import sizes
from value_peers import PEERS
from value_systems import ASIDE, COSTBOOST, FAMILY, RATIOS, SYSTEMS, varies

MANY_ROWS = 10_000
NEARLY = 0.01  # a system that saves less is trivial in effect
LITTLE = 0.05  # at most so much can be saved on a set where no system saves more
IN_README = 4  # peers
SHOWN = 5  # systems in the table by set
TIE = 1e-9


@dataclass(frozen=True)
class Difference:
    """What a system costs more than CostBoost: mean over sets, and a 95% interval."""

    mean: float
    half: float
    p: float
    """Wilcoxon's signed-rank test."""
    n_cheaper: int
    """Sets on which CostBoost is cheaper."""
    n_sets: int

    def __str__(self) -> str:
        return f"{self.mean:+.4f} [{self.mean - self.half:+.4f}, {self.mean + self.half:+.4f}]"


@dataclass(frozen=True)
class Comparison:
    """Systems on the same sets and splits.

    ``cells`` has a line for each set and ratio, and a column for each system with its cost as a
    share of the better trivial classifier's; ``runs`` the same for each split, mean over seeds.
    """

    runs: pd.DataFrame
    cells: pd.DataFrame
    notes: list[str]

    @property
    def systems(self) -> list[str]:
        """From the cheapest on average."""
        return list(self.costs.sort_values(kind="stable").index)

    @cached_property
    def by_set(self) -> pd.DataFrame:
        return self.cells.groupby(level="set", sort=False).mean()

    @property
    def sets(self) -> list[str]:
        return list(self.by_set.index)

    @property
    def costs(self) -> pd.Series:
        return self.by_set.mean()

    @property
    def best_forms(self) -> list[str]:
        """The cheapest system of each learner."""
        first: dict[str, str] = {}
        for name in self.systems:
            first.setdefault(FAMILY[name], name)
        return list(first.values())

    @property
    def large(self) -> list[str]:
        return [name for name in self.sets if sizes()[name][0] > MANY_ROWS]

    def difference(self, system: str) -> Difference:
        more = (self.by_set[system] - self.by_set[COSTBOOST]).to_numpy()
        half = float(stats.t.ppf(0.975, more.size - 1) * stats.sem(more))
        p = float(stats.wilcoxon(more).pvalue)
        return Difference(float(more.mean()), half, p, int((more > TIE).sum()), more.size)


def compare(lines: pd.DataFrame) -> Comparison | None:
    """Keep the runs that all systems have finished; None if that leaves too little."""
    ranked = lines[lines["system"].isin(SYSTEMS)]
    table = ranked.pivot(index=["set", "split", "ratio"], columns="system", values="share")
    whole = table.dropna()
    notes = []
    if len(whole) < len(table):
        missing = table[table.isna().any(axis=1)]
        lacking = ", ".join(table.columns[missing.isna().any()])
        notes.append(
            f"{len(table) - len(whole)} of {len(table)} cells of set, split and ratio are left "
            f"out, because not finished by all systems ({lacking})."
        )
    if whole.empty or COSTBOOST not in whole or whole.shape[1] < 2:
        return None
    order = [name for name in sizes() if name in whole.index.unique("set")]
    cells = whole.groupby(level=["set", "ratio"]).mean().reindex(order, level="set")
    return Comparison(whole, cells, notes)


# ---- tables --------------------------------------------------------------------------------------


def number(value: float) -> str:
    return "-" if np.isnan(value) else f"{value:.4f}"


def apart(found: Comparison, name: str) -> list[str]:
    """The difference from CostBoost, and the sets on which that is cheaper."""
    if name == COSTBOOST:
        return ["", ""]
    more = found.difference(name)
    return [str(more), f"{more.n_cheaper} of {more.n_sets}"]


def summary(found: Comparison, systems: Sequence[str]) -> str:
    medians = found.by_set.median()
    at = {ratio: found.cells.xs(ratio, level="ratio").mean() for ratio in RATIOS}
    header = [
        "system",
        "mean cost",
        "median of sets",
        f"minus {COSTBOOST}'s",
        f"{COSTBOOST} cheaper on",
        *(f"a miss costs {ratio}" for ratio in RATIOS),
        f"the {len(found.large)} sets over {MANY_ROWS:,} rows",
    ]
    of_large = found.by_set.loc[found.large].mean()
    rows = []
    for name in systems:
        means = [number(found.costs[name]), number(medians[name])]
        ratios = [number(at[ratio][name]) for ratio in RATIOS]
        rows.append([name, *means, *apart(found, name), *ratios, number(of_large[name])])
    return markdown(header, rows)


def short_summary(found: Comparison) -> str:
    """CostBoost, the cheapest form of the next peers, and LightGBM as it is."""
    peers = [name for name in found.best_forms if FAMILY[name] in PEERS][:IN_README]
    medians = found.by_set.median()
    rows = [
        [name, number(found.costs[name]), number(medians[name]), *apart(found, name)]
        for name in found.systems
        if name in {COSTBOOST, *peers, "LightGBM"}
    ]
    header = ["system", "mean cost", "median", f"minus {COSTBOOST}'s [95%]", "CostBoost cheaper on"]
    return markdown(header, rows)


def closest(found: Comparison) -> str:
    """The difference from the cheapest peer in words, and what varies between runs."""
    peer = next(name for name in found.systems if FAMILY[name] != COSTBOOST)
    more = found.difference(peer)
    share = more.mean / found.costs[COSTBOOST]
    own = found.runs[COSTBOOST].groupby(level="split").mean()
    theirs = (found.runs[peer] - found.runs[COSTBOOST]).groupby(level="split").mean()
    return (
        f"Cheapest on average besides {COSTBOOST}: {peer}, {share:+.1%} ({more}; Wilcoxon "
        f"p = {more.p:.2g}; {COSTBOOST} is cheaper on {more.n_cheaper} of {more.n_sets} sets). "
        f"From one of the splits to another the mean over sets varies: {COSTBOOST}'s from "
        f"{own.min():.4f} to {own.max():.4f}, the difference from {theirs.min():+.4f} to "
        f"{theirs.max():+.4f}."
    )


def trivial_table(found: Comparison) -> str:
    """How far there is anything to decide at each ratio."""
    rows = []
    for ratio in RATIOS:
        costs = found.cells.xs(ratio, level="ratio")
        nearly = float((costs > 1 - NEARLY).to_numpy().mean())
        little = costs.index[costs.min(axis=1) > 1 - LITTLE]
        shown = f"{len(little)} of {len(costs)}" + (f": {', '.join(little)}" if len(little) else "")
        rows.append([str(ratio), f"{nearly:.0%}", shown])
    header = [
        "a miss costs",
        f"systems and sets that save less than {NEARLY:.0%}",
        f"sets where no system saves {LITTLE:.0%}",
    ]
    return markdown(header, rows)


def trivial_ratios(found: Comparison) -> str:
    """A sentence that names the ratios at which there is little to decide."""
    costs = {ratio: found.cells.xs(ratio, level="ratio") for ratio in RATIOS}
    most = [
        str(ratio)
        for ratio, cells in costs.items()
        if (cells.median(axis=1) > 1 - LITTLE).mean() >= 0.5
    ]
    if not most:
        return ""
    return (
        f"Where a miss costs {' or '.join(most)}, the median system saves less than {LITTLE:.0%} "
        "on half of the sets or more: these decisions are nearly trivial, and means over the "
        "ratios contain them."
    )


def set_table(found: Comparison) -> str:
    """The cheapest forms set by set, so that one sees where they lose."""
    names = [COSTBOOST, *(one for one in found.best_forms if one != COSTBOOST)][:SHOWN]
    header = ["set", "rows", "features", "positive", *names, "least", "by"]
    rows = []
    for name, costs in found.by_set.iterrows():
        n_rows, features, share = sizes()[str(name)]
        size = [f"{n_rows:,}", str(features), f"{share:.1%}"]
        shown = [f"{costs[system]:.3f}" for system in names]
        rows.append([str(name), *size, *shown, f"{costs.min():.3f}", str(costs.idxmin())])
    return markdown(header, rows)


def aside_table(lines: pd.DataFrame) -> list[str]:
    """Forms of CostBoost that are not ranked, on the runs that both have finished."""
    rows = []
    for name in ASIDE:
        both = lines[lines["system"].isin([name, COSTBOOST])]
        table = both.pivot(
            index=["set", "split", "ratio"], columns="system", values=["share", "brier"]
        ).dropna()
        if table.empty or name not in table["share"]:
            continue
        means = table.groupby(level="set").mean()
        costs, scores = means["share"], means["brier"]
        rows.append(
            [
                name,
                *(number(costs[one].mean()) for one in (name, COSTBOOST)),
                f"{(costs[COSTBOOST] < costs[name]).sum()} of {len(costs)}",
                *(number(scores[one].mean()) for one in (name, COSTBOOST)),
                f"{(scores[COSTBOOST] < scores[name]).sum()} of {len(scores)}",
            ]
        )
    if not rows:
        return []
    heads = ["form", "mean cost", f"{COSTBOOST}'s", f"{COSTBOOST} cheaper on"]
    heads += ["Brier score", f"{COSTBOOST}'s", "lower on"]
    return [f"Other forms of {COSTBOOST}, on the same splits.", markdown(heads, rows)]


def span(counts: pd.Series) -> str:
    """A number, or the least and the greatest."""
    low, high = int(counts.min()), int(counts.max())
    return str(low) if low == high else f"{low} to {high}"


def all_systems(lines: pd.DataFrame) -> list[str]:
    """The table of every system and form, by ratio."""
    found = compare(lines)
    return [] if found is None else [summary(found, found.systems)]


def report(lines: pd.DataFrame) -> list[str]:
    found = compare(lines)
    if found is None:
        return ["Too little is finished for a comparison.", *aside_table(lines)]
    splits = found.runs.groupby(level="set").size() // len(RATIOS)
    seeds = lines.loc[lines["system"].map(lambda name: varies(FAMILY[name])), "seeds"]
    parts = [
        f"Test cost as a share of the better trivial classifier's: {len(found.sets)} sets, a miss "
        f"costs {', '.join(map(str, RATIOS))} times a false alarm, "
        f"{span(splits)} splits of each and {span(seeds)} seeds of models that depend on one. "
        "Differences are means over sets with 95% intervals of Student's t over sets, each for "
        f"itself, not for all {len(found.systems)} at once.",
        short_summary(found),
        closest(found),
        *found.notes,
        f"How much there is to decide: costs above {1 - NEARLY:.2f} are those of a system that "
        "saves next to nothing.",
        trivial_table(found),
        *filter(None, [trivial_ratios(found)]),
        "By set, mean over ratios; CostBoost and the cheapest forms of the next learners.",
        set_table(found),
    ]
    return parts + aside_table(lines)
