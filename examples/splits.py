"""Savings by cost-sensitive models: breast cancer, where a miss costs more than a false alarm.

The data ship with scikit-learn: tumours, malignant or benign. Missing a malignant one is assumed to
cost 20 times as much as a false alarm. Prints the costs of three algorithms on patients held out
from training, and draws the cost over a range of cost ratios. AdaMEC decides by the logistic
probability: by the share of votes, every patient is predicted malignant at such a ratio. Needs
matplotlib.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import matplotlib
import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import RepeatedStratifiedKFold

from costboost.algorithms import AdaBoostClassifier, AdaMECClassifier, CGAdaClassifier

matplotlib.use("Agg")
import matplotlib.pyplot as plt

MALIGNANT = 0
RATIO = 20.0
RATIOS = np.array([1, 2, 3, 5, 7, 10, 13, 16, 20, 24, 28, 32, 36, 40], dtype=float)
FOLDS, REPEATS = 5, 10
PICTURE = Path("demo-output") / "splits.png"

ADABOOST = "AdaBoost (cost-blind)"
CGADA = "CGAda (trained for each ratio)"
ADAMEC = "AdaMEC, logistic (trained once)"


@dataclass
class Tally:
    """Misses and false alarms for each cost ratio, summed over all splits."""

    misses: NDArray[np.int64] = field(default_factory=lambda: np.zeros(RATIOS.size, dtype=np.int64))
    alarms: NDArray[np.int64] = field(default_factory=lambda: np.zeros(RATIOS.size, dtype=np.int64))
    patients: int = 0

    def add(self, truth: NDArray[np.int64], predictions: list[NDArray[np.int64]]) -> None:
        malignant = truth == MALIGNANT
        for k, y_pred in enumerate(predictions):
            self.misses[k] += np.sum(malignant & (y_pred != MALIGNANT))
            self.alarms[k] += np.sum(~malignant & (y_pred == MALIGNANT))
        self.patients += truth.size

    def per_100(self, count: NDArray[np.int64]) -> NDArray[np.float64]:
        return 100 * count / self.patients

    def cost(self) -> NDArray[np.float64]:
        """Mean cost of 100 patients; a false alarm costs 1."""
        return RATIOS * self.per_100(self.misses) + self.per_100(self.alarms)


# ---- numbers -------------------------------------------------------------------------------------


def compare(X: NDArray[np.float64], y: NDArray[np.int64]) -> dict[str, Tally]:
    tallies = {name: Tally() for name in (ADABOOST, CGADA, ADAMEC)}
    splits = RepeatedStratifiedKFold(n_splits=FOLDS, n_repeats=REPEATS, random_state=0)
    for train, test in splits.split(X, y):
        X_train, y_train, X_test, y_test = X[train], y[train], X[test], y[test]

        blind = AdaBoostClassifier(pos_label=MALIGNANT).fit(X_train, y_train)
        tallies[ADABOOST].add(y_test, [blind.predict(X_test)] * RATIOS.size)

        trained = [
            CGAdaClassifier(pos_label=MALIGNANT, fn_cost=ratio).fit(X_train, y_train)
            for ratio in RATIOS
        ]
        tallies[CGADA].add(y_test, [clf.predict(X_test) for clf in trained])

        once = AdaMECClassifier(pos_label=MALIGNANT, probability="logistic").fit(X_train, y_train)
        tallies[ADAMEC].add(y_test, [once.predict(X_test, fn_cost=ratio) for ratio in RATIOS])
    return tallies


def table(tallies: dict[str, Tally]) -> str:
    at = int(np.flatnonzero(RATIOS == RATIO)[0])
    blind = tallies[ADABOOST].cost()[at]
    lines = [f"{'per 100 patients':<32}{'cost':>8}{'misses':>9}{'false alarms':>15}{'saving':>9}"]
    for name, tally in tallies.items():
        cost = tally.cost()[at]
        misses, alarms = tally.per_100(tally.misses)[at], tally.per_100(tally.alarms)[at]
        saving = "" if name == ADABOOST else f"{100 * (1 - cost / blind):.0f} %"
        lines.append(f"{name:<32}{cost:>8.1f}{misses:>9.2f}{alarms:>15.2f}{saving:>9}".rstrip())
    return "\n".join(lines)


# ---- picture -------------------------------------------------------------------------------------

STYLES = {  # Okabe and Ito's colours, with different lines and markers as well
    ADABOOST: {"color": "#000000", "linestyle": "-", "marker": "s"},
    CGADA: {"color": "#E69F00", "linestyle": "--", "marker": "^"},
    ADAMEC: {"color": "#0072B2", "linestyle": "-", "marker": "o"},
}


def draw(tallies: dict[str, Tally], share_benign: float) -> plt.Figure:
    figure, axes = plt.subplots(figsize=(8, 5), layout="constrained")
    for name, tally in tallies.items():
        axes.plot(RATIOS, tally.cost(), label=name, markersize=5, linewidth=1.8, **STYLES[name])
    axes.axhline(100 * share_benign, color="#777777", linestyle=":", linewidth=1.5)
    axes.annotate(
        "calling every patient malignant",
        (RATIOS[0], 100 * share_benign),
        xytext=(0, 4),
        textcoords="offset points",
        color="#555555",
    )
    at = int(np.flatnonzero(RATIOS == RATIO)[0])
    blind, aware = (tallies[name].cost()[at] for name in (ADABOOST, ADAMEC))
    axes.annotate(
        "", (RATIO, aware), (RATIO, blind), arrowprops={"arrowstyle": "->", "color": "#555555"}
    )
    axes.annotate(
        f"at a ratio of {RATIO:g}:\nAdaMEC saves {100 * (1 - aware / blind):.0f} %",
        (RATIO, aware),
        xytext=(14, -26),
        textcoords="offset points",
        color="#333333",
    )
    axes.set_xlim(0, RATIOS[-1] + 1)
    axes.set_ylim(0, None)
    axes.set_xlabel("cost of a miss, when a false alarm costs 1")
    axes.set_ylabel("mean cost of 100 held-out patients")
    axes.set_title("Breast cancer: what mistakes cost", loc="left")
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", color="#e5e5e5")
    axes.set_axisbelow(True)
    axes.legend(frameon=False, loc="upper left")
    return figure


def main() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    malignant = int(np.sum(y == MALIGNANT))
    print(f"{y.size} patients, {malignant} of them with a malignant tumour.")
    print(f"A miss costs {RATIO:g}, a false alarm 1; {FOLDS * REPEATS} stratified splits.\n")
    tallies = compare(X, y)
    print(table(tallies))
    PICTURE.parent.mkdir(exist_ok=True)
    draw(tallies, float(np.mean(y != MALIGNANT))).savefig(PICTURE, dpi=150)
    print(f"\npicture: {PICTURE}")


if __name__ == "__main__":
    main()
