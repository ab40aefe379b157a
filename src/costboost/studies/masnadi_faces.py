"""Masnadi-Shirazi & Vasconcelos (2007), section 5.2.2: stumps on Haar-like features of patches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import roc_curve
from sklearn.model_selection import train_test_split

from costboost import algorithms
from costboost.metrics import masnadi_cost
from costboost.plots.drawing import COLOURS, DASHES, GREY
from costboost.studies.data import fit_quietly
from costboost.studies.patches import (
    HaarFeatures,
    Patches,
    drawn_patches,
    folder_patches,
    lfw_subset,
)
from costboost.studies.statistics import paired_interval
from costboost.studies.study import (
    Cell,
    Departure,
    Figure,
    Frame,
    Options,
    Record,
    Scalar,
    Study,
    Table,
)

FACTORS = (10, 20, 50, 100)
COSTS = (1.2, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 300.0, 1000.0)
"""Training costs of a miss; that of a false positive is 1."""
QUICK_COSTS = (1.2, 10.0, 100.0)
ROUNDS, QUICK_ROUNDS = 100, 20
REPEATS, QUICK_REPEATS = 10, 3
TRAIN_SHARE = 6000 / 9832
PLAIN = "AdaBoost"
PROPOSED = "CSAda"
METHODS = (PROPOSED, PLAIN, "CSB0", "CSB1", "CSB2", "AdaC2", "AdaC3", "AdaCost")
"""The methods of Figure 4."""
STEPS = {"haar-3": 3, "haar-2": 2, "haar-all": 1}
"""Sets of features: places and sizes of rectangles are multiples of so many pixels."""
SOURCES: dict[str, Callable[[], Patches]] = {
    "lfw_subset_faces": lfw_subset,
    "drawn patches": drawn_patches,
}
FOLDER = "folder"


def cells(options: Options) -> list[Cell]:
    """A cell for each repeat, method and training cost."""
    fields: dict[str, Scalar] = {"data": "drawn patches" if options.quick else "lfw_subset_faces"}
    if options.folder is not None:
        path = str(options.folder.resolve())
        fields = {"data": FOLDER, "folder": path, "digest": folder_patches(path).digest}
    fields |= {
        "features": options.learner or next(iter(STEPS)),
        "rounds": QUICK_ROUNDS if options.quick else ROUNDS,
    }
    costs = QUICK_COSTS if options.quick else COSTS
    repeats = options.repeats or (QUICK_REPEATS if options.quick else REPEATS)
    return [
        {**fields, "repeat": repeat, "method": method, "training_cost": cost}
        for repeat in range(repeats)
        for method in METHODS
        for cost in ((1.0,) if method == PLAIN else costs)
    ]


def patches_of(cell: Cell) -> Patches:
    """The patches of a cell."""
    if cell["data"] == FOLDER:
        return folder_patches(str(cell["folder"]))
    return SOURCES[str(cell["data"])]()


def compute(cell: Cell, seed: int) -> list[Record]:
    """Losses on the test patches, at the threshold 0 and at the best one, for every cost factor."""
    pixels, y = patches_of(cell)
    train, test = train_test_split(
        np.arange(len(y)), train_size=TRAIN_SHARE, stratify=y, random_state=seed
    )
    X = HaarFeatures(pixels, STEPS[str(cell["features"])])
    kind: Any = getattr(algorithms, f"{cell['method']}Classifier")
    clf = kind(
        estimator="stump",
        fn_cost=cell["training_cost"],
        n_estimators=cell["rounds"],
        n_jobs=1,
        random_state=seed,
    )
    fit_quietly(clf, X.take(train), y[train])
    score, truth = clf.decision_function(X.take(test)), y[test]
    half = np.random.default_rng(seed).permutation(len(test)) % 2 == 0
    shared: dict[str, Scalar] = {
        "test_faces": int(truth.sum()),
        "test_others": int((1 - truth).sum()),
        "rounds_done": int(clf.n_iter_),
        "misses": int(((score <= 0) & (truth == 1)).sum()),
        "false_positives": int(((score > 0) & (truth == 0)).sum()),
    }
    return [{**shared, "factor": f, **losses(truth, score, half, f)} for f in FACTORS]


def losses(
    truth: NDArray[np.intp], score: NDArray[np.float64], half: NDArray[np.bool_], factor: float
) -> dict[str, float]:
    """Loss eps = false positives + factor x misses at several thresholds.

    ``loss`` is at the threshold 0, ``least_loss`` at the best one. Of two halves of the patches,
    the best threshold is chosen on one (``chosen_loss_1``) and applied to the other
    (``other_loss_1``), and the other way round.
    """

    def at(threshold: float, rows: Any) -> float:
        return float(masnadi_cost(truth[rows], 1 * (score[rows] >= threshold), factor))

    every = slice(None)
    parts = {"1": (half, ~half), "2": (~half, half)}
    found = {
        "loss": float(masnadi_cost(truth, 1 * (score > 0), factor)),
        "least_loss": at(best_threshold(truth, score, factor), every),
    }
    for name, (rows, others) in parts.items():
        threshold = best_threshold(truth[rows], score[rows], factor)
        found[f"chosen_loss_{name}"] = at(threshold, rows)
        found[f"other_loss_{name}"] = at(threshold, others)
    return found


def best_threshold(truth: NDArray[np.intp], score: NDArray[np.float64], factor: float) -> float:
    """Threshold of least loss; patches that score at least so much are taken for faces."""
    false, true, thresholds = roc_curve(truth, score, drop_intermediate=False)
    loss = false * (truth == 0).sum() + factor * (1 - true) * (truth == 1).sum()
    return float(thresholds[int(loss.round(9).argmin())])


# ---- tables --------------------------------------------------------------------------------------


def best_losses(frame: Frame, value: str = "least_loss") -> Frame:
    """Least loss over training costs: a row for each factor and repeat, a column for each method.

    With ``value="other_loss"``, training cost and threshold are chosen on one half of the test
    patches and applied to the other.
    """
    if frame.empty:
        return frame
    keys = ["factor", "repeat", "method"]
    if value != "other_loss":
        return frame.groupby(keys)[value].min().unstack("method")
    total: Any = 0
    for half in ("1", "2"):
        chosen = frame.loc[frame.groupby(keys)[f"chosen_loss_{half}"].idxmin()]
        total = total + chosen.set_index(keys)[f"other_loss_{half}"].unstack("method")
    return total


def summary(frame: Frame, value: str) -> Frame:
    """Mean over repeats of the least losses: a row for each method, a column for each factor."""
    found = best_losses(frame, value)
    if frame.empty:
        return found
    means = found.groupby("factor").mean().T
    means = means.loc[[name for name in METHODS if name in means.index]]
    means.columns = [f"f = {factor}" for factor in means.columns]
    means.index.name = "method"
    means["mean"] = means.mean(axis=1)
    return means


def by_cost(frame: Frame) -> Frame:
    """Mean loss of CSAda at the threshold 0, by training cost and factor."""
    if frame.empty:
        return frame
    proposed = frame[frame["method"].isin([PROPOSED, PLAIN])]
    found = proposed.pivot_table(index="training_cost", columns="factor", values="loss")
    found.columns = [f"f = {factor}" for factor in found.columns]
    found.index.name = "training cost of a miss"
    return found


def tables(frame: Frame) -> list[Table]:
    """The curves of Figure 4 as numbers; the paper prints no numbers."""
    return [
        Table(
            "Least loss by method (Figure 4b)",
            summary(frame, "least_loss"),
            "False positives + f x misses on the test patches, with the training cost and the "
            "threshold of least loss on these same patches, as in the paper; mean of the repeats.",
            digits=2,
        ),
        Table(
            "Loss by method if cost and threshold are chosen on other patches",
            summary(frame, "other_loss"),
            "Training cost and threshold are chosen on one half of the test patches and applied to "
            "the other half, so that a search over more training costs is no advantage in itself. "
            "With few patches the threshold is uncertain, and the losses are far greater.",
            digits=2,
        ),
        Table(
            "Loss of CSAda by training cost, at the threshold 0 (Figure 4a)",
            by_cost(frame),
            "At a training cost of 1 it is AdaBoost.",
            digits=2,
        ),
    ]


# ---- figures -------------------------------------------------------------------------------------


def _draw_costs(frame: Frame) -> Callable[[Any], None]:
    def draw(figure: Any) -> None:
        ax = figure.subplots()
        found = by_cost(frame)
        shades = np.linspace(0.15, 0.95, max(len(found), 2))
        for (cost, line), shade in zip(found.iterrows(), shades, strict=False):
            colour = figure_colour(float(shade))
            ax.plot(range(line.size), line.to_numpy(), marker="o", color=colour, label=f"{cost:g}")
        _label(ax, "loss at the threshold 0")
        ax.legend(title="training cost", loc="upper left", bbox_to_anchor=(1.01, 1), frameon=False)

    return draw


def figure_colour(shade: float) -> Any:
    """A colour between light (0) and dark (1)."""
    from matplotlib import colormaps

    return colormaps["viridis_r"](shade)


def _draw_methods(frame: Frame) -> Callable[[Any], None]:
    def draw(figure: Any) -> None:
        ax = figure.subplots()
        found = best_losses(frame)
        shown = [name for name in METHODS if name in found]
        for k, method in enumerate(shown):
            by_factor = [found[method].xs(factor, level="factor") for factor in FACTORS]
            ends = np.array([paired_interval(values.to_numpy()) for values in by_factor])
            colour = GREY if k >= len(COLOURS) else COLOURS[k]
            at = np.arange(len(FACTORS)) + 0.05 * (k - (len(shown) - 1) / 2)
            spread = np.nan_to_num(np.abs(ends[:, 1:] - ends[:, :1]).T)
            ax.errorbar(
                at, ends[:, 0], spread, marker="o", markersize=4, elinewidth=0.8, color=colour,
                linestyle=DASHES[k % len(DASHES)], label=method,
            )  # fmt: skip
        _label(ax, "least loss")
        ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1), frameon=False)

    return draw


def _label(ax: Any, text: str) -> None:
    ax.set_xticks(range(len(FACTORS)), [f"{factor:g}" for factor in FACTORS])
    ax.set_xlabel("cost factor f of a miss")
    ax.set_ylabel(text)
    ax.set_ylim(bottom=0)


def figures(frame: Frame) -> list[Figure]:
    """Figure 4."""
    if frame.empty:
        return []
    return [
        Figure(
            "Loss of CSAda by training cost (Figure 4a)",
            _draw_costs(frame),
            "Means of the repeats, at the threshold 0.",
        ),
        Figure(
            "Least loss by method (Figure 4b)",
            _draw_methods(frame),
            "Means of the repeats with 95% intervals; training cost and threshold of least loss.",
        ),
    ]


STUDY = Study(
    name="masnadi2007-faces",
    title="Face detection with Haar-like features",
    citation=(
        "Masnadi-Shirazi, H. & Vasconcelos, N. (2007). Asymmetric boosting. Section 5.2.2, on the "
        "protocol of Viola, P. & Jones, M. J. (2004). Robust real-time face detection. "
        "International Journal of Computer Vision 57, 137-154."
    ),
    question=(
        "A face that is missed costs more than a false alarm. Does cost-sensitive AdaBoost find "
        "faces at less cost than earlier cost-sensitive boosting and than AdaBoost with a shifted "
        "threshold?"
    ),
    protocol=(
        "Each patch is normalised to mean 0 and standard deviation 1.",
        "Features are differences of the sums of pixels in two, three or four adjacent rectangles "
        "of equal size (Viola and Jones), computed from integral images.",
        "61% of the patches of each class train (6000 of 9832 in the paper), the others test; "
        "100 rounds of stumps.",
        "Methods with costs are trained with costs of a miss from 1.2 to 1000, a false positive "
        "costs 1.",
        "The loss is eps = false positives + f x misses, f = 10, 20, 50, 100. For each f the "
        "training cost and the threshold with the least loss on the test patches are taken.",
    ),
    departures=(
        Departure(
            "200 patches of 25 x 25 pixels, drawn into training and test patches 10 times, instead "
            "of 19,664 patches; --folder names a folder of your own patches.",
            "The face database of the paper is not public.",
        ),
        Departure(
            "Places and sizes of rectangles are multiples of 3 pixels: 2,056 features. "
            "--learner haar-2 takes multiples of 2 (10,344), haar-all every pixel (190,736).",
            "A fit on all features takes minutes, and there are 640 fits. The paper does not say "
            "how many features it uses.",
        ),
        Departure(
            "Stumps take their thresholds from up to 255 quantiles of a feature.",
            "With up to 255 training patches these are all thresholds there are.",
        ),
        Departure(
            "Nine training costs from 1.2 to 1000.",
            "The paper names the range only.",
        ),
    ),
    data=("lfw_subset_faces",),
    quick_data=(),
    cells=cells,
    compute=compute,
    paired_by=("data", "repeat"),
    tables=tables,
    figures=figures,
    learners=tuple(STEPS),
    takes_folder=True,
)
