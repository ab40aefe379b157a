"""The tables of value.py: costs of the systems, their ranks, and tests of the differences."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from printing import markdown
from scipy import stats
from value_data import sizes
from value_systems import BY_NAME, CALIBRATION, COSTBOOST, RATIOS

from costboost.metrics import average_ranks, critical_difference, friedman_test
from costboost.plots import CriticalDifferenceDisplay

ENOUGH = 0.5  # of the splits; a system with fewer is left out rather than the splits it lacks
MANY_ROWS = 10_000
SHOWN = 5  # systems in the table by set
TIE = 1e-9


@dataclass(frozen=True)
class Comparison:
    """Systems on the same splits.

    ``cells`` has a line for each set and ratio, averaged over splits, and a column for each system
    with its cost as a share of the better trivial classifier's.
    """

    lines: pd.DataFrame
    cells: pd.DataFrame
    notes: list[str]

    @property
    def systems(self) -> list[str]:
        return list(self.cells.columns)

    @property
    def sets(self) -> list[str]:
        return list(self.cells.index.unique("set"))

    @property
    def ranks(self) -> pd.Series:
        return pd.Series(average_ranks(self.cells), self.systems)

    @property
    def costs(self) -> pd.Series:
        """Each set counts the same: all have as many ratios."""
        return self.cells.mean()

    def at(self, ratio: int) -> pd.DataFrame:
        return self.cells.xs(ratio, level="ratio")

    def distance(self, cells_count: bool) -> float:
        """Nemenyi's critical difference of mean ranks, 95%."""
        count = len(self.cells) if cells_count else len(self.sets)
        return critical_difference(len(self.systems), count)


def compare(lines: pd.DataFrame) -> Comparison | None:
    """Keep the splits that all systems have finished; None if that leaves too little."""
    ranked = lines[lines["system"].isin([s.name for s in BY_NAME.values() if not s.aside])]
    table = ranked.pivot(index=["set", "split", "ratio"], columns="system", values="share")
    present = table.notna().mean()
    notes = [
        f"{name} is not ranked: it has finished {share:.0%} of the splits only."
        for name, share in present.items()
        if share < ENOUGH
    ]
    table = table[[name for name in BY_NAME if present.get(name, 0) >= ENOUGH]]
    whole = table.dropna()
    if len(whole) < len(table):
        missing = table[table.isna().any(axis=1)]
        splits = sorted({(name, split) for name, split, _ in missing.index})
        shown = ", ".join(f"{name} {split}" for name, split in splits)
        lacking = ", ".join(table.columns[missing.isna().any()])
        notes.append(f"Left out, because not finished by all ({lacking}): {shown}.")
    if whole.empty or whole.shape[1] < 2:
        return None
    splits = whole.index.droplevel("ratio").unique()
    kept = pd.MultiIndex.from_frame(lines[["set", "split"]]).isin(splits)
    order = [name for name in sizes() if name in whole.index.unique("set")]
    cells = whole.groupby(["set", "ratio"]).mean().reindex(order, level="set")
    return Comparison(lines[kept], cells, notes)


def wins(cells: pd.DataFrame) -> pd.Series:
    """Cells in which a system costs least; a tie is shared."""
    least = cells.le(cells.min(axis=1) + TIE, axis=0)
    return least.div(least.sum(axis=1), axis=0).sum()


# ---- tables --------------------------------------------------------------------------------------


def summary(found: Comparison) -> str:
    ranks, best = found.ranks, found.ranks.min()
    rows = pd.Series({name: sizes()[name][0] for name in found.sets})
    large = found.cells.index.get_level_values("set").map(rows) > MANY_ROWS
    small, large = found.cells[~large].mean(), found.cells[large].mean()
    won = wins(found.cells)
    by_sets, by_cells = found.distance(False), found.distance(True)

    def level(name: str) -> str:
        apart = ranks[name] - best
        return "yes" if apart <= by_cells else "by sets" if apart <= by_sets else "no"

    header = [
        "system",
        "mean cost",
        f"up to {MANY_ROWS:,} rows",
        "more rows",
        "mean rank",
        "wins",
        "level with the best",
    ]
    lines = [
        [
            name,
            *(number(costs[name]) for costs in (found.costs, small, large)),
            f"{ranks[name]:.2f}",
            f"{won[name]:.1f}",
            level(name),
        ]
        for name in ranks.sort_values(kind="stable").index
    ]
    return markdown(header, lines)


def number(value: float) -> str:
    return "-" if np.isnan(value) else f"{value:.4f}"


def tests(found: Comparison) -> Iterator[str]:
    """Friedman's and Nemenyi's tests, the sets counted once and once for each ratio."""
    if len(found.systems) < 3 or len(found.sets) < 2:
        return
    ranks = found.cells.rank(axis=1)
    for count, values, cells_count in (
        (f"{len(found.sets)} sets", ranks.groupby("set").mean(), False),
        (f"{len(ranks)} cells of set and ratio", ranks, True),
    ):
        test, far = friedman_test(values), found.distance(cells_count)
        close = found.ranks[found.ranks <= found.ranks.min() + far].sort_values(kind="stable")
        yield (
            f"Counting {count}: Friedman p = {test.f_pvalue:.2g} (Iman and Davenport), Nemenyi's "
            f"critical difference of mean ranks {far:.2f}; not significantly worse than the best: "
            f"{', '.join(close.index)}."
        )


def ratio_table(found: Comparison, ratio: int) -> str:
    cells = found.at(ratio)
    ranks, won = pd.Series(average_ranks(cells), found.systems), wins(cells)
    mean, median = cells.mean(), cells.median()
    lines = [
        [name, number(mean[name]), number(median[name]), f"{ranks[name]:.2f}", f"{won[name]:.1f}"]
        for name in ranks.sort_values(kind="stable").index
    ]
    return markdown(["system", "mean cost", "median cost", "mean rank", "wins"], lines)


def set_table(found: Comparison) -> str:
    """The systems of best rank set by set, so that one sees where they lose."""
    costs = found.cells.groupby("set", sort=False).mean()
    names = list(found.ranks.sort_values(kind="stable").index[:SHOWN])
    if COSTBOOST in found.systems and COSTBOOST not in names:
        names = [COSTBOOST, *names]
    header = ["set", "rows", "features", "positive", *names, "least", "by"]
    lines = []
    for name, row in costs.iterrows():
        rows, features, share = sizes()[str(name)]
        size = [f"{rows:,}", str(features), f"{share:.1%}"]
        shown = [f"{row[system]:.3f}" for system in names]
        lines.append([str(name), *size, *shown, f"{row.min():.3f}", str(row.idxmin())])
    return markdown(header, lines)


# ---- Brier scores --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Calibrated:
    """Brier scores of a model before and after calibration; ``worse`` are larger sets only."""

    name: str
    form: str
    """What it is compared with."""
    before: float
    after: float
    larger: int
    lower: int
    worse: list[str]


def calibrated(lines: pd.DataFrame) -> list[Calibrated]:
    scores = lines[lines["ratio"] == RATIOS[0]].pivot(
        index=["set", "split"], columns="system", values="brier"
    )
    found = []
    for before, after in CALIBRATION.items():
        if before in scores and after in scores:
            pair = scores[[before, after]].dropna()
            if len(pair):
                found.append(judged(after, before, pair))
    return found


def judged(name: str, form: str, pair: pd.DataFrame) -> Calibrated:
    """Worse means that the interval over splits of the increase, 95%, is above 0."""
    before, after = pair[form], pair[name]
    change = (after - before).groupby("set")
    larger = [one for one in change.groups if sizes()[str(one)][0] > MANY_ROWS]
    increases = {one: change.get_group(one).to_numpy() for one in larger}
    return Calibrated(
        name,
        form,
        float(before.groupby("set").mean().mean()),
        float(after.groupby("set").mean().mean()),
        len(larger),
        sum(one.mean() <= 0 for one in increases.values()),
        [str(one) for one, values in increases.items() if lower_end(values) > TIE],
    )


def lower_end(values: np.ndarray) -> float:
    if len(values) < 2:
        return -np.inf
    half = stats.t.ppf(0.975, len(values) - 1) * stats.sem(values)
    return float(values.mean() - half)


def brier_table(entries: Sequence[Calibrated]) -> str:
    header = [
        "calibrated",
        "compared with",
        "before",
        "after",
        f"sets over {MANY_ROWS:,} rows",
        "not higher",
        "higher beyond chance",
    ]
    lines = [
        [
            one.name,
            one.form,
            number(one.before),
            number(one.after),
            str(one.larger),
            str(one.lower),
            ", ".join(one.worse) or "none",
        ]
        for one in entries
    ]
    return markdown(header, lines)


# ---- goals ---------------------------------------------------------------------------------------


def goals(found: Comparison, briers: Sequence[Calibrated]) -> Iterator[str]:
    """The goals of CostBoostClassifier, where it took part."""
    if COSTBOOST not in found.systems:
        return
    behind = found.ranks[COSTBOOST] - found.ranks.min()
    yield goal(
        f"mean rank {found.ranks[COSTBOOST]:.2f}, {behind:.2f} behind the best; level up to "
        f"{found.distance(False):.2f} counting sets, {found.distance(True):.2f} counting cells",
        behind <= found.distance(False),
    )
    peers = [name for name in found.systems if BY_NAME[name].kind == "peer"]
    if peers:
        excess = found.costs[COSTBOOST] / found.costs[peers].min() - 1
        best = found.costs[peers].idxmin()
        text = f"mean cost {excess:+.1%} against the best peer's ({best}), wanted at most -3%"
        yield goal(text, excess <= -0.03)
    for one in briers:
        if one.name == COSTBOOST:
            text = f"Brier score higher than of {one.form} on {len(one.worse)} of {one.larger} sets"
            yield goal(f"{text} over {MANY_ROWS:,} rows, wanted none", not one.worse)


def beside(lines: pd.DataFrame) -> list[str]:
    """Forms of CostBoost that are not ranked, on the splits that both have finished."""
    table = lines.pivot(index=["set", "split", "ratio"], columns="system", values="share")
    rows = []
    for name in [s.name for s in BY_NAME.values() if s.aside and s.name.startswith(COSTBOOST)]:
        if name in table and COSTBOOST in table:
            both = table[[name, COSTBOOST]].dropna().groupby("set").mean()
            lower = int((both[name] < both[COSTBOOST]).sum())
            mean = both.mean()
            costs = [number(mean[name]), number(mean[COSTBOOST])]
            rows.append([name, *costs, str(len(both)), str(lower)])
    if not rows:
        return []
    heads = ["form", "mean cost", f"{COSTBOOST}'s", "sets", "cheaper on"]
    return [f"Other forms of {COSTBOOST}.", markdown(heads, rows)]


def brier_part(lines: pd.DataFrame) -> list[str]:
    found = calibrated(lines)
    title = "Brier score, mean over sets, before and after calibration."
    return [title, brier_table(found)] if found else []


def diagram(lines: pd.DataFrame, file: Path) -> None:
    """Write the critical-difference diagram of mean ranks over sets."""
    found = compare(lines)
    if found is None or len(found.systems) < 3:
        return
    costs = found.cells.groupby("set", sort=False).mean()
    shown = CriticalDifferenceDisplay.from_values(costs)
    shown.figure_.savefig(file, bbox_inches="tight")


def goal(text: str, met: bool) -> str:
    return f"- {'met' if met else 'MISSED'}: {text}"


def report(lines: pd.DataFrame) -> list[str]:
    found = compare(lines)
    if found is None:
        return ["Too little is finished for a comparison.", *beside(lines), *brier_part(lines)]
    repeats = found.lines.groupby("set")["split"].nunique()
    count = f"{repeats.min()}" if repeats.nunique() == 1 else f"{repeats.min()} to {repeats.max()}"
    parts = [
        f"Test cost as a share of the better trivial classifier's: {len(found.sets)} sets, a miss "
        f"costs {', '.join(map(str, RATIOS))} times a false alarm, {count} splits each.",
        summary(found),
        *tests(found),
        *found.notes,
    ]
    for ratio in RATIOS:
        parts += [f"A miss costs {ratio}, a false alarm 1.", ratio_table(found, ratio)]
    parts += [f"By set, mean over ratios; the {SHOWN} systems of best rank.", set_table(found)]
    parts += [*beside(found.lines), *brier_part(found.lines)]
    met = list(goals(found, calibrated(found.lines)))
    if met:
        parts += [f"Goals of {COSTBOOST}.", "\n".join(met)]
    return parts
