"""The tables of calibration.py: what to hold out, which calibrator, and what it does to a set."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from calibration_trials import BASES, COSTS, FOLDS, LOGISTIC, LOO, NONE, WAYS, Base
from printing import markdown
from scipy import stats
from value_data import TEST_SHARE, sizes
from value_systems import RATIOS

from costboost.calibration import CALIBRATORS
from costboost.metrics import average_ranks, critical_difference, friedman_test

GROUPS = {"up to 1,000 rows": 1_000, "to 5,000": 5_000, "more": np.inf}
EVIDENCE = (30, 100, 300, 1_000, 3_000)  # ends of the groups by held-out rows of the rarer class
LEAST_SETS = 3


@dataclass(frozen=True)
class Comparison:
    """Results of settings (columns) on sets (rows), over the same splits."""

    cost: pd.DataFrame
    brier: pd.DataFrame
    log_loss: pd.DataFrame
    seconds: pd.DataFrame

    @property
    def names(self) -> list[str]:
        return list(self.cost.columns)

    def ranks(self, values: pd.DataFrame) -> pd.Series:
        return pd.Series(average_ranks(values), self.names)

    @property
    def distance(self) -> float:
        """Nemenyi's critical difference, 95%."""
        return critical_difference(len(self.names), len(self.cost))


def compare(lines: pd.DataFrame, label: pd.Series, names: Sequence[str]) -> Comparison:
    """Each set counts once: means over its splits and, for the cost, over ratios."""
    lines = lines.assign(label=label, cost=lines[COSTS].mean(axis=1))
    lines = lines[lines["label"].isin(names)]

    def table(value: str) -> pd.DataFrame:
        found = lines.pivot_table(index="set", columns="label", values=value).dropna()
        return found[[name for name in names if name in found]]

    return Comparison(*(table(value) for value in ("cost", "brier", "log_loss", "seconds")))


def group(name: str) -> str:
    rows = sizes()[name][0]
    return next(title for title, most in GROUPS.items() if rows <= most)


# ---- settings compared ---------------------------------------------------------------------------


def summary(found: Comparison) -> str:
    """A star stands where a rank is not significantly behind the best."""
    costs = found.cost.groupby(found.cost.index.map(group)).mean().T
    slower = found.seconds.div(found.seconds[NONE], axis=0).median()
    ranked = [found.ranks(values) for values in (found.cost, found.brier)]

    def rank(ranks: pd.Series, name: str) -> str:
        return f"{ranks[name]:.2f}" + ("*" if ranks[name] <= ranks.min() + found.distance else "")

    groups = [title for title in GROUPS if title in costs]
    header = ["", "mean cost", *groups, "Brier", "log loss", "rank, cost", "rank, Brier", "fit"]
    lines = [
        [
            name,
            f"{found.cost[name].mean():.4f}",
            *(f"{costs.loc[name, title]:.4f}" for title in groups),
            f"{found.brier[name].mean():.4f}",
            f"{found.log_loss[name].mean():.3f}",
            *(rank(ranks, name) for ranks in ranked),
            f"{slower[name]:.1f}x",
        ]
        for name in found.names
    ]
    return markdown(header, lines)


def test(found: Comparison) -> str:
    cost, brier = (friedman_test(values).f_pvalue for values in (found.cost, found.brier))
    return (
        f"{len(found.cost)} sets. Friedman (Iman and Davenport): p = {cost:.2g} by cost, "
        f"{brier:.2g} by Brier score. Nemenyi's critical difference of mean ranks: "
        f"{found.distance:.2f}; * is not further than that behind the best."
    )


def ways_compared(lines: pd.DataFrame, base: Base) -> Iterator[str]:
    kept = lines[lines["calibration"].isin([NONE, base.usual])]
    names = [NONE, *(way for way in WAYS if way != LOO)]
    found = compare(kept, kept["way"].where(kept["way"] != "", NONE), names)
    if len(found.cost) >= LEAST_SETS:
        yield f'{base.name}, calibration="{base.usual}": which rows are held out.'
        yield summary(found)
        yield test(found)


def calibrators_compared(lines: pd.DataFrame, base: Base) -> Iterator[str]:
    kept = lines[lines["way"].isin(["", FOLDS])]
    found = compare(kept, kept["calibration"], [NONE, LOGISTIC, *CALIBRATORS])
    if len(found.cost) >= LEAST_SETS:
        yield f"{base.name}, {FOLDS}: which calibrator."
        yield summary(found)
        yield test(found)


def ratios(lines: pd.DataFrame, base: Base) -> Iterator[str]:
    """At each ratio: every calibrator with folds, and every way with the usual calibrator."""
    kept = lines[lines["way"] != LOO]
    kept = kept[kept["way"].isin(["", FOLDS]) | (kept["calibration"] == base.usual)]
    means = kept.groupby(["calibration", "way", "set"])[COSTS].mean()
    means = means.groupby(["calibration", "way"]).mean()
    order = [(name, "") for name in (NONE, LOGISTIC)] + [(name, FOLDS) for name in CALIBRATORS]
    order += [(base.usual, way) for way in WAYS if way not in (LOO, FOLDS)]
    yield f"{base.name}, mean cost by the ratio of the cost of a miss to that of a false alarm."
    yield markdown(
        ["", *map(str, RATIOS)],
        [
            [", ".join(filter(None, one)), *(f"{value:.4f}" for value in means.loc[one])]
            for one in order
            if one in means.index
        ],
    )


def every_pair(lines: pd.DataFrame, base: Base) -> Iterator[str]:
    """Mean over sets for every calibrator and way; the least of a table is bold."""
    kept = lines[(lines["way"] != "") & (lines["way"] != LOO)]
    kept = kept.assign(cost=kept[COSTS].mean(axis=1))
    for title, value in (("mean cost", "cost"), ("mean Brier score", "brier")):
        by_set = kept.groupby(["way", "calibration", "set"])[value].mean()
        means = by_set.groupby(["way", "calibration"]).mean()
        shown = [
            [
                way,
                *(
                    bold(f"{means[way, name]:.4f}", means[way, name] == means.min())
                    for name in CALIBRATORS
                ),
            ]
            for way in WAYS
            if way != LOO
        ]
        yield f"{base.name}, {title} of all pairs."
        yield markdown(["", *CALIBRATORS], shown)


def bold(text: str, yes: bool) -> str:
    return f"**{text}**" if yes else text


# ---- rows needed ---------------------------------------------------------------------------------


def evidence(lines: pd.DataFrame, base: Base) -> Iterator[str]:
    """Flexible calibrators against the usual one, by how many rows they had."""
    kept = lines[(lines["way"] != "") & (lines["way"] != LOO)]
    kept = kept.assign(cost=kept[COSTS].mean(axis=1))
    ends = [0, *EVIDENCE, np.inf]
    titles = [f"up to {EVIDENCE[0]}", *(f"to {end:,}" for end in EVIDENCE[1:]), "more"]
    keys = ["set", "way", "calibration"]
    mean = kept.groupby(keys)[["brier", "cost", "rarer"]].mean()
    wide = mean.unstack("calibration")
    wide["group"] = pd.cut(wide["rarer", base.usual], ends, labels=titles)
    rivals = [name for name in ("isotonic", "beta", "platt", "log-odds") if name != base.usual]
    header = ["rarer class", "cases"]
    header += [f"{name}: {what}" for name in rivals for what in ("Brier", "better", "cost")]
    shown = []
    for title, cases in wide.groupby("group", observed=True):
        line = [str(title), str(len(cases))]
        for name in rivals:
            brier = cases["brier", name] - cases["brier", base.usual]
            cost = cases["cost", name] - cases["cost", base.usual]
            line += [
                f"{1e3 * brier.mean():+.2f}",
                f"{(brier < 0).mean():.0%}",
                f"{cost.mean():+.4f}",
            ]
        shown.append(line)
    yield (
        f"{base.name}: other calibrators against {base.usual}, by held-out rows of the rarer "
        "class. A case is a set and a way of holding out. Brier: mean difference, in thousandths; "
        "better: share of the cases with a lower Brier score; cost: mean difference."
    )
    yield markdown(header, shown)


def leaving_one_out(lines: pd.DataFrame, base: Base) -> Iterator[str]:
    small = lines.loc[lines["way"] == LOO, "set"].unique()
    kept = lines[lines["set"].isin(small) & lines["calibration"].isin([NONE, base.usual])]
    names = [NONE, "3 folds", FOLDS, "10 folds", LOO]
    found = compare(kept, kept["way"].where(kept["way"] != "", NONE), names)
    if found.cost.empty or LOO not in found.names:
        return
    slower = found.seconds.div(found.seconds[NONE], axis=0).median()
    yield f'{base.name}, calibration="{base.usual}", on {", ".join(found.cost.index)}.'
    yield markdown(
        ["", "mean cost", "Brier", "log loss", "fit"],
        [
            [
                name,
                f"{found.cost[name].mean():.4f}",
                f"{found.brier[name].mean():.4f}",
                f"{found.log_loss[name].mean():.3f}",
                f"{slower[name]:.0f}x",
            ]
            for name in found.names
        ],
    )


# ---- before and after ----------------------------------------------------------------------------


def half_width(values: np.ndarray) -> float:
    """Half of a 95% interval over splits that share rows: Nadeau and Bengio's correction."""
    n = len(values)
    spread = np.sqrt(values.var(ddof=1) * (1 / n + TEST_SHARE / (1 - TEST_SHARE)))
    return float(stats.t.ppf(0.975, n - 1) * spread)


def changes(lines: pd.DataFrame, base: Base, name: str) -> list[str]:
    """Brier score before and after, and the change with its interval."""
    of_set = lines[(lines["set"] == name) & (lines["base"] == base.name)]
    before = of_set[of_set["calibration"] == NONE].set_index("split")["brier"]
    after = of_set[(of_set["calibration"] == base.usual) & (of_set["way"] == FOLDS)]
    change = (after.set_index("split")["brier"] - before).dropna().to_numpy()
    if len(change) < 2:
        return ["-"] * 3
    mean, half = change.mean(), half_width(change)
    mark = " better" if mean + half < 0 else " worse" if mean - half > 0 else ""
    return [
        f"{before.mean():.4f}",
        f"{after['brier'].mean():.4f}",
        f"{mean:+.4f} ± {half:.4f}{mark}",
    ]


def before_and_after(lines: pd.DataFrame) -> Iterator[str]:
    names = [name for name in sizes() if name in set(lines["set"])]
    names.sort(key=lambda name: sizes()[name][0])
    header = ["set", "rows", "positive"]
    for base in BASES:
        header += [f"{base.name}", f"+ {base.usual}", "change"]
    shown = []
    for name in names:
        rows, _, share = sizes()[name]
        found = [cell for base in BASES for cell in changes(lines, base, name)]
        shown.append([name, f"{rows:,}", f"{share:.1%}", *found])
    yield f"Brier score before and after calibration ({FOLDS}); change with its 95% interval."
    yield markdown(header, shown)
    for place, base in enumerate(BASES):
        marks = [line[5 + 3 * place].split()[-1] for line in shown]
        better, worse = marks.count("better"), marks.count("worse")
        count = f"on {better} sets of {len(shown)}, worse on {worse}"
        yield f"{base.name}: better beyond chance {count}."


SECTIONS = (ways_compared, calibrators_compared, ratios, every_pair, evidence, leaving_one_out)


def report(lines: pd.DataFrame) -> list[str]:
    if lines.empty:
        return ["Nothing is finished."]
    splits = lines.groupby("set")["split"].nunique()
    count = f"{splits.min()}" if splits.nunique() == 1 else f"{splits.min()} to {splits.max()}"
    parts = [
        f"{len(splits)} sets, {count} splits each. Cost: share of the better trivial classifier's, "
        f"mean over misses that cost {', '.join(map(str, RATIOS))} times a false alarm."
    ]
    for section in SECTIONS:
        for base in BASES:
            parts += section(lines[lines["base"] == base.name], base)
    return [*parts, *before_and_after(lines)]
