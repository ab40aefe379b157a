"""Masnadi-Shirazi & Vasconcelos (2007), section 5.2.2: stumps on Haar-like features of patches.

Patches of images, faces and others, are from a data set or from a folder of the user. The claims
are those on face detection (section 5.2.2, Figure 4).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.metrics import roc_curve
from sklearn.model_selection import train_test_split

from costboost import algorithms
from costboost._core.tables import ComputedFeatures
from costboost.app.plots.drawing import COLOURS, DASHES, GREY
from costboost.metrics import masnadi_cost
from costboost_lab import datasets
from costboost_lab.studies import (
    Cell,
    Check,
    Departure,
    Figure,
    Frame,
    Options,
    Record,
    Scalar,
    Study,
    Table,
    Verdict,
    read_claims,
)
from costboost_lab.studies.statistics import (
    all_named,
    fit_quietly,
    paired_interval,
    unjudged,
    verdict_ordinal,
)

# ---- patches of images ---------------------------------------------------------------------------

FACES = ("faces", "face", "positive", "positives", "pos", "1")
OTHERS = (
    "nonfaces", "non-faces", "non_faces", "nonface", "non-face", "non_face", "background",
    "negative", "negatives", "neg", "0",
)  # fmt: skip
"""Names of the two subfolders, in any case of letters."""
IMAGES = (".png", ".pgm", ".jpg", ".jpeg", ".bmp", ".tif", ".tiff")
FEWEST, SMALLEST = 10, 4
"""Least number of patches of a class, and of pixels along a side."""


class Patches(NamedTuple):
    """Grey patches of one size, and which of them are faces."""

    pixels: NDArray[np.float64]
    """An array of shape (n_patches, height, width)."""
    y: NDArray[np.intp]
    """1 for a face, 0 for any other patch."""

    @property
    def digest(self) -> str:
        """A short hash of all pixels and labels."""
        content = np.ascontiguousarray(self.pixels).tobytes() + self.y.tobytes()
        return hashlib.sha256(content).hexdigest()[:12]


@lru_cache(maxsize=2)
def lfw_subset() -> Patches:
    """The 100 faces and 100 other patches of scikit-image's lfw_subset, 25 x 25 pixels."""
    data = datasets.load("lfw_subset_faces")
    pixels = data.X.to_numpy(dtype=np.float64)
    side = int(np.sqrt(pixels.shape[1]))
    return Patches(pixels.reshape(-1, side, side), np.asarray(data.y, dtype=np.intp))


@lru_cache(maxsize=2)
def drawn_patches() -> Patches:
    """Patches of 12 x 12 pixels of noise, half of them with two dark spots above a bright bar."""
    random = np.random.default_rng(0)
    pixels = random.normal(size=(120, 12, 12)).cumsum(axis=1).cumsum(axis=2)
    y = np.arange(120) % 2
    pattern = np.zeros((12, 12))
    pattern[2:5, 2:5] = pattern[2:5, 7:10] = -1.0
    pattern[8:10, 3:9] = 1.0
    strength = random.uniform(1.0, 3.0, size=(120, 1, 1)) * pixels.std(axis=(1, 2), keepdims=True)
    return Patches(pixels + y[:, None, None] * strength * pattern, y)


@lru_cache(maxsize=2)
def folder_patches(folder: str) -> Patches:
    """Patches in a folder with two subfolders, such as ``faces`` and ``non-faces``.

    A subfolder holds images (PNG, PGM and others that Pillow reads; colours are converted to grey)
    and arrays of NumPy (``.npy``: one patch, or several along the first axis). All patches have
    one size.
    """
    found = [
        [patch for path in _files(_subfolder(Path(folder), names)) for patch in _read(path)]
        for names in (FACES, OTHERS)
    ]
    _check_patches(Path(folder), found)
    pixels = np.stack([values for patches in found for _, values in patches])
    y = np.repeat([1, 0], [len(patches) for patches in found])
    return Patches(pixels, y)


def _subfolder(folder: Path, names: tuple[str, ...]) -> Path:
    there = sorted(path for path in folder.iterdir() if path.is_dir())
    known = [path for path in there if path.name.lower() in names]
    if len(known) != 1:
        listed = ", ".join(path.name for path in there) or "none"
        problem = "several of its subfolders are" if known else "none of its subfolders is"
        raise ValueError(
            f"{folder} must have one subfolder of faces and one of other patches, such as 'faces' "
            f"and 'non-faces', but {problem} named {' or '.join(map(repr, names[:3]))}; it has "
            f"{listed}"
        )
    return known[0]


def _files(folder: Path) -> Iterator[Path]:
    files = sorted(path for path in folder.iterdir() if path.suffix.lower() in (*IMAGES, ".npy"))
    if not files:
        raise ValueError(f"{folder} holds no patches: no file ends in .npy, {', '.join(IMAGES)}")
    return iter(files)


def _read(path: Path) -> Iterator[tuple[Path, NDArray[np.float64]]]:
    values = _array(path) if path.suffix.lower() == ".npy" else _image(path)
    if not np.isfinite(values).all():
        raise ValueError(f"{path} contains NaN or infinity")
    yield from ((path, patch) for patch in values.astype(np.float64))


def _array(path: Path) -> NDArray[Any]:
    """The patches of an array, along the first axis."""
    try:
        values = np.load(path, allow_pickle=False)
    except (OSError, ValueError) as error:
        raise ValueError(f"{path} is not an array that NumPy can read: {error}") from error
    if values.ndim not in (2, 3) or values.dtype.kind not in "biuf":
        raise ValueError(
            f"{path} must hold numbers in 2 dimensions, one patch, or in 3, several patches; it "
            f"has shape {values.shape} and type {values.dtype}"
        )
    return np.atleast_3d(values) if values.ndim == 3 else values[np.newaxis]


def _image(path: Path) -> NDArray[Any]:
    """The one patch of an image."""
    try:
        from PIL import Image, UnidentifiedImageError
    except ImportError as error:
        raise ImportError(
            'reading images needs Pillow, which is not installed: pip install "costboost[plots]"; '
            "arrays in .npy files need nothing else"
        ) from error
    try:
        with Image.open(path) as image:
            deep = image.mode.startswith("I") or image.mode == "F"
            return np.asarray(image if deep else image.convert("L"))[np.newaxis]
    except (OSError, UnidentifiedImageError) as error:
        raise ValueError(f"{path} is not an image that can be read: {error}") from error


def _check_patches(folder: Path, found: list[list[tuple[Path, NDArray[np.float64]]]]) -> None:
    """Raise a ValueError if there are too few patches, or patches of several sizes."""
    first_path, first = found[0][0]
    for path, values in (patch for patches in found for patch in patches):
        if values.shape != first.shape:
            raise ValueError(
                f"all patches must have one size, but {path} has {_size(values)} pixels and "
                f"{first_path} has {_size(first)}; scale them to one size, such as 24 x 24"
            )
    if min(first.shape) < SMALLEST:
        raise ValueError(f"patches must have at least {SMALLEST} x {SMALLEST} pixels, not "
                         f"{_size(first)}")  # fmt: skip
    for patches, kind in zip(found, ("faces", "other patches"), strict=True):
        if len(patches) < FEWEST:
            raise ValueError(f"{folder} has {len(patches)} {kind}; at least {FEWEST} are needed")


def _size(values: NDArray[Any]) -> str:
    return " x ".join(map(str, values.shape))


# ---- Haar-like features --------------------------------------------------------------------------

KINDS: dict[str, NDArray[np.float64]] = {
    "two, side by side": np.array([[1.0, -1.0]]),
    "two, one above the other": np.array([[1.0], [-1.0]]),
    "three, side by side": np.array([[-1.0, 1.0, -1.0]]),
    "three, one above the other": np.array([[-1.0], [1.0], [-1.0]]),
    "four": np.array([[1.0, -1.0], [-1.0, 1.0]]),
}
"""Arrangements of rectangles, and the sign with which the sum of each rectangle counts."""


class Layout(NamedTuple):
    """All features of patches of one size, in the order of `KINDS`, rectangle size and place."""

    places: NDArray[np.int16]
    """Kind, top, left, and height and width of one rectangle, for every feature."""
    corners: Any
    """Sparse matrix: a row for every feature, a column for every point of the integral image."""


def features_of(height: int, width: int, step: int = 1) -> Iterator[tuple[int, int, int, int, int]]:
    """Kind, top, left, and height and width of one rectangle, of every feature of a patch.

    With a ``step`` of s, places and sizes are multiples of s pixels.
    """
    for kind, signs in enumerate(KINDS.values()):
        n_down, n_across = signs.shape
        for high in range(step, height // n_down + 1, step):
            for wide in range(step, width // n_across + 1, step):
                for top in range(0, height - n_down * high + 1, step):
                    for left in range(0, width - n_across * wide + 1, step):
                        yield kind, top, left, high, wide


@cache
def layout(height: int, width: int, step: int = 1) -> Layout:
    """Places of all features, and the points of the integral image that they are sums of."""
    places = np.array(list(features_of(height, width, step)), dtype=np.int16).reshape(-1, 5)
    parts = [
        _corners(signs, places[places[:, 0] == kind].astype(np.int32), width)
        for kind, signs in enumerate(KINDS.values())
    ]
    shape = len(places), (height + 1) * (width + 1)
    data, indices, lengths = (np.concatenate(part) for part in zip(*parts, strict=True))
    indptr = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    return Layout(places, sparse.csr_array((data, indices, indptr), shape=shape))


def _corners(
    signs: NDArray[np.float64], places: NDArray[np.int32], width: int
) -> tuple[NDArray[np.float64], NDArray[np.int32], NDArray[np.int32]]:
    """Weights and numbers of the points of features of one kind, and how many each has."""
    weight = np.zeros((signs.shape[0] + 1, signs.shape[1] + 1))
    weight[:-1, :-1] += signs
    weight[1:, 1:] += signs
    weight[:-1, 1:] -= signs
    weight[1:, :-1] -= signs
    down, across = np.nonzero(weight)
    _, top, left, high, wide = places.T[:, :, np.newaxis]
    points = (top + down * high) * (width + 1) + left + across * wide
    data = np.tile(weight[down, across], len(places))
    return data, points.astype(np.int32).ravel(), np.full(len(places), down.size, dtype=np.int32)


class HaarFeatures(ComputedFeatures):
    """The Haar-like features of patches, as an X for classifiers.

    Each patch is normalised first: its mean is subtracted, and it is divided by the standard
    deviation of its pixels. A patch of one grey is 0 everywhere.

    Parameters
    ----------
    patches : array of shape (n_patches, height, width)
        Grey values, on any scale.
    step : int, default=1
        Places and sizes of rectangles are multiples of so many pixels. With 1, a patch of 24 x 24
        pixels has 162,336 features.
    """

    def __init__(self, patches: Any, step: int = 1) -> None:
        patches = np.asarray(patches, dtype=np.float64)
        if patches.ndim != 3:
            raise ValueError(f"patches must have 3 dimensions, got {patches.ndim}")
        if not np.isfinite(patches).all():
            raise ValueError("patches contain NaN or infinity")
        n, height, width = patches.shape
        self.size = height, width
        self.step = step
        self.integral = np.ascontiguousarray(_integral(_normalised(patches)).reshape(n, -1).T)
        """Integral images, one in each column."""
        self.shape = n, len(self.layout.places)

    @property
    def layout(self) -> Layout:
        """Places of the features, and the points of the integral image that they are sums of."""
        return layout(*self.size, self.step)

    def compute(self, features: NDArray[np.intp]) -> NDArray[np.float64]:
        values: NDArray[np.float64] = (self.layout.corners[features] @ self.integral).T
        return values

    def take(self, rows: Any) -> Self:
        part = object.__new__(type(self))
        part.size, part.step = self.size, self.step
        part.integral = np.ascontiguousarray(self.integral[:, rows])
        part.shape = part.integral.shape[1], self.shape[1]
        return part


def _normalised(patches: NDArray[np.float64]) -> NDArray[np.float64]:
    centred = patches - patches.mean(axis=(1, 2), keepdims=True)
    spread = patches.std(axis=(1, 2), keepdims=True)
    return np.asarray(centred / np.where(spread > 0, spread, 1.0))


def _integral(patches: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sums of the pixels above and to the left of each point, which has one more row and column."""
    n, height, width = patches.shape
    integral = np.zeros((n, height + 1, width + 1))
    patches.cumsum(axis=1).cumsum(axis=2, out=integral[:, 1:, 1:])
    return integral


# ---- the grid ------------------------------------------------------------------------------------

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


# ---- results and tables --------------------------------------------------------------------------


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


# ---- the study -----------------------------------------------------------------------------------

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


# ---- claims --------------------------------------------------------------------------------------

SMALL = (
    "probable, not tested: the stumps separate 122 training patches, and with cost-sensitive "
    "exponents the boundary then moves towards the class with the greater cost, whose margins may "
    "be smaller. The paper has 12,000 training patches, and other patches"
)
NO_MISSES = (
    "the least losses are reached without a miss, so that they do not depend on f: a few dozen "
    "faces of the test can all be found at the price of some false positives"
)
ABOUT_LEVEL = 0.1
"""Two losses are about level if they differ by less than this share of AdaBoost's."""


def needs(*methods: str) -> Callable[[Check], Check]:
    """Decorator of checks: they are given the least losses if all methods have results."""

    def decorate(check: Check) -> Check:
        def checked(frame: Frame) -> Verdict:
            missing = [m for m in methods if frame.empty or not (frame["method"] == m).any()]
            if missing:
                return unjudged(f"needs results of {', '.join(missing)}")
            return check(best_losses(frame))

        return checked

    return decorate


def greater_costs_at_greater_factors(frame: Frame) -> Verdict:
    """Ratio of the best training costs of CSAda at the greatest and at the least f."""
    if frame.empty or not (frame["method"] == PROPOSED).any():
        return unjudged(f"needs results of {PROPOSED}")
    proposed = frame[frame["method"] == PROPOSED]
    log_costs: dict[int, Any] = {}
    for factor in (FACTORS[0], FACTORS[-1]):
        losses = proposed[proposed["factor"] == factor].pivot(
            index="repeat", columns="training_cost", values="loss"
        )
        best = losses.eq(losses.min(axis=1), axis=0)
        logs = np.log(losses.columns.to_numpy(dtype=float))
        log_costs[factor] = (best * logs).sum(axis=1) / best.sum(axis=1)
    return verdict_ordinal(
        f"log of the best training cost at f = {FACTORS[-1]} minus that at f = {FACTORS[0]}",
        (log_costs[FACTORS[-1]] - log_costs[FACTORS[0]]).to_numpy(),
        "repeat",
        reason=SMALL,
    )


def _best_other(losses: Any, factor: int) -> Verdict:
    """Whether CSAda has less loss than the method that is best among the others."""
    found = losses.xs(factor, level="factor")
    others = found.drop(columns=PROPOSED).mean()
    best = str(others.idxmin())
    label = f"loss of {best}, the best other, minus that of {PROPOSED}"
    return verdict_ordinal(
        label, (found[best] - found[PROPOSED]).to_numpy(), "repeat", digits=2, reason=SMALL
    )


@needs(PROPOSED, PLAIN)
def proposed_is_best(losses: Any) -> Verdict:
    """CSAda against the best other method at every factor."""
    return all_named({f"f = {f}": _best_other(losses, f) for f in FACTORS}, SMALL)


def _mean(losses: Any) -> Any:
    """Mean over the factors, by repeat and method."""
    return losses.groupby("repeat").mean()


def _lost(found: Any, method: str, other: str, note: str = "") -> Verdict:
    """Whether a method has a greater loss than another one."""
    label = f"loss of {method} minus that of {other}{note}"
    lost = (found[method] - found[other]).to_numpy()
    return verdict_ordinal(label, lost, "repeat", digits=2)


@needs("CSB0", "CSB1", PLAIN)
def csb_is_worst(losses: Any) -> Verdict:
    """CSB0 and CSB1 against the worst of the other methods."""
    found = _mean(losses)
    others = found.drop(columns=["CSB0", "CSB1"]).mean()
    worst = str(others.idxmax())
    return all_named(
        {m: _lost(found, m, worst, ", the worst other") for m in ("CSB0", "CSB1")},
        "probable, not tested: training cost and threshold are searched; CSB0 and CSB1 with a "
        "small cost are near AdaBoost, and these patches are easy",
    )


@needs("AdaC2", "AdaC3", "AdaCost", PLAIN)
def behind_adaboost(losses: Any) -> Verdict:
    """AdaC2, AdaC3 and AdaCost against AdaBoost."""
    found = _mean(losses)
    return all_named(
        {m: _lost(found, m, PLAIN) for m in ("AdaC2", "AdaC3", "AdaCost")},
        "probable, not tested: the least loss over nine training costs is compared with one "
        "AdaBoost: the search alone lowers the loss on the patches on which it is made",
    )


@needs("CSB2", PLAIN)
def csb2_is_level(losses: Any) -> Verdict:
    """CSB2 against AdaBoost: the interval of the difference within a tenth of its loss."""
    found = _mean(losses)
    margin = ABOUT_LEVEL * float(found[PLAIN].mean())
    gap = (found["CSB2"] - found[PLAIN]).to_numpy()
    parts = {
        side: verdict_ordinal(f"{margin:.2f} {sign} the loss of CSB2 beyond that of {PLAIN}",
                              margin + factor * gap, "repeat", digits=2)
        for side, sign, factor in (("not worse", "minus", -1), ("not better", "plus", 1))
    }  # fmt: skip
    return all_named(
        parts,
        "probable, not tested: CSB2 gains from the search over nine training costs, which "
        "AdaBoost does not have",
    )


@needs(PROPOSED, PLAIN)
def level_at_small_factors_only(losses: Any) -> Verdict:
    """Growth of CSAda's advantage over AdaBoost from the least f to the greatest."""
    gap = (losses[PLAIN] - losses[PROPOSED]).unstack("factor")
    return verdict_ordinal(
        f"loss of {PLAIN} minus that of {PROPOSED}, at f = {FACTORS[-1]} minus at f = {FACTORS[0]}",
        (gap[FACTORS[-1]] - gap[FACTORS[0]]).to_numpy(),
        "repeat",
        digits=2,
        reason=NO_MISSES,
    )


CHECKS: dict[str, Check] = {
    "M35": greater_costs_at_greater_factors,
    "M36": proposed_is_best,
    "M37": csb_is_worst,
    "M38a": behind_adaboost,
    "M38b": csb2_is_level,
    "M39": level_at_small_factors_only,
}
CLAIMS = read_claims("Masnadi-Shirazi & Vasconcelos 2007", "masnadi2007-faces", CHECKS)
