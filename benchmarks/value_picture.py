"""The picture of value.py: what other systems cost more than CostBoost, by set and on average."""

from pathlib import Path

from matplotlib import pyplot as plt
from value_systems import COSTBOOST
from value_tables import Comparison

OURS, THEIRS, SET = "#0b6e4f", "#22303c", "#9aa7b1"


def draw(found: Comparison, file: Path) -> None:
    """Intervals of the cheapest form of each learner, and a dot for each set."""
    names = [name for name in found.best_forms if name != COSTBOOST][::-1]
    figure, axes = plt.subplots(figsize=(8, 0.42 * len(names) + 1.2), layout="constrained")
    for k, name in enumerate(names):
        more = found.difference(name)
        dots = found.by_set[name] - found.by_set[COSTBOOST]
        axes.plot(dots, [k] * len(dots), "o", color=SET, markersize=4, alpha=0.6)
        axes.errorbar(more.mean, k, xerr=more.half, fmt="s", color=THEIRS, capsize=4)
    axes.axvline(0, color=OURS, linewidth=2)
    axes.set_xscale("symlog", linthresh=0.05)
    axes.set_xticks([-0.1, -0.05, 0, 0.05, 0.1, 0.5], ["-0.1", "-0.05", "0", "0.05", "0.1", "0.5"])
    axes.set_yticks(range(len(names)), names)
    axes.set_xlabel(
        f"cost minus {COSTBOOST}'s, as a share of the better trivial decision's\n"
        f"mean over {len(found.sets)} sets with its 95% interval; a dot for each set"
    )
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(file, dpi=130)
    plt.close(figure)
