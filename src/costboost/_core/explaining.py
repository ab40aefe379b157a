r"""What each feature contributes to the score of an ensemble: exact, in three forms.

Shape functions: if every tree tests a single feature, as stumps and lookup tables do, the score is
a sum of functions of one feature each,

    F(x) = f_1(x_1) + ... + f_d(x_d)

where each f_j is a step function that can be read off the trees. For linear learners each f_j is a
straight line.

Partial dependence: with the feature set to v in every row of a background sample, the mean score of
the trees is a step function of v, since each tree changes at its own thresholds only.

Shapley values: a coalition S of features takes its values from x and all others from a background
row z; its worth is the mean over the background of F(x on S, z elsewhere). The Shapley value of a
feature is its mean gain in worth when it joins a coalition, with all orders equally likely. If F is
a sum of functions of one feature, it is f_j(x_j) minus the mean of f_j over the background. Of
trees, the values are computed leaf by leaf in `engine/kernels/shapley.hpp`.

Decisions compare probabilities with a threshold. The log-odds g(F(x)) of the probability are
explained by the Shapley values of the score times one factor for each row, by which base and values
add up to it: the slope of the line from the base F_0 to the score,

    g(F(x)) = g(F_0) + m(x) sum_j phi_j(x),    m(x) = (g(F(x)) - g(F_0)) / (F(x) - F_0),

which is not below 0 if the probability rises with the score. It is the rescale rule of Chen,
Lundberg, Lee, "Explaining a series of models by propagating Shapley values", Nature Communications
13, 2022, with one reference.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import fsum
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin
from numpy.typing import NDArray

from costboost._core.arithmetic import expit
from costboost._core.arrays import Floats, Indices
from costboost._core.engine.ensemble import Ensemble
from costboost._core.engine.lines import LARGEST, Lines
from costboost._core.model import BinaryModel, OneVsRestModel, ScoresModel
from costboost._core.model.background import node_shares
from costboost._core.model.log_odds import threshold_log_odds
from costboost._core.model.providers import Learners
from costboost._core.rules.multinomial import softmax
from costboost._core.rules.record import NetCosts
from costboost._core.threads.counts import threads

__all__ = ["Explanation"]


# ---- shape functions -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Steps:
    """Step function of one feature: ``value[k]`` for x in (``cut[k - 1]``, ``cut[k]``]."""

    feature: int
    cut: Floats
    value: Floats
    """Values of the steps, one more than there are cuts."""
    missing: float

    def __call__(self, x: Floats) -> Floats:
        """Contribution to the score at each value of the feature."""
        known: Floats = self.value[np.searchsorted(self.cut, x)]
        return np.where(np.isnan(x), self.missing, known)


@dataclass(frozen=True)
class Categories:
    """A value for each category code of one feature."""

    feature: int
    value: Floats
    missing: float

    def __call__(self, x: Floats) -> Floats:
        """Contribution to the score at each category code."""
        known: Floats = np.append(self.value, self.missing)
        return known[np.where(np.isnan(x), -1, x).astype(np.intp)]


@dataclass(frozen=True)
class Line:
    """A straight line in one feature."""

    feature: int
    slope: float
    intercept: float

    def __call__(self, x: Floats) -> Floats:
        """Contribution to the score at each value of the feature."""
        return np.asarray(self.slope * x + self.intercept, dtype=np.float64)


Shape = Steps | Categories | Line


@dataclass(frozen=True)
class Additive:
    """A score as the sum of a constant and a function of each feature in use."""

    constant: float
    shapes: list[Shape]


def additive(model: BinaryModel | Learners) -> Additive | None:
    """The functions of single features whose sum is a model's score; None if it is no such sum.

    The score is that of the positive class, `raw_score` up to its sign.
    """
    if model.combine is not None:
        return None
    ensemble = model.ensemble
    if isinstance(ensemble, Lines):
        return Additive(0.0, _lines(ensemble))
    if not isinstance(ensemble, Ensemble):
        return None
    groups = by_feature(ensemble)
    if groups is None:
        return None
    constant = sum(float(ensemble.value[ensemble.first[t]]) for t in groups.pop(-1, []))
    return Additive(
        constant,
        [
            _of_trees(ensemble, j, trees, model.coders[j] if j < len(model.coders) else None)
            for j, trees in sorted(groups.items())
        ],
    )


def by_feature(ensemble: Ensemble) -> dict[int, list[int]] | None:
    """Trees by the one feature they test, -1 for constants; None if a tree tests several."""
    groups: dict[int, list[int]] = {}
    for t in range(len(ensemble)):
        tested = ensemble.feature[ensemble.first[t] : ensemble.first[t + 1]]
        features = set(tested[tested >= 0].tolist())
        if len(features) > 1:
            return None
        groups.setdefault(features.pop() if features else -1, []).append(t)
    return groups


def _lines(ensemble: Lines) -> list[Shape]:
    return [
        Line(
            int(j),
            float(ensemble.slope[ensemble.feature == j].sum()),
            float(ensemble.intercept[ensemble.feature == j].sum()),
        )
        for j in np.unique(ensemble.feature)
    ]


def _of_trees(ensemble: Ensemble, j: int, trees: Sequence[int], coder: Any) -> Shape:
    if coder is not None:
        total = np.asarray(sum(tree_values(ensemble, t, category_values(coder)) for t in trees))
        return Categories(j, total[:-1], float(total[-1]))
    cut = cuts_of(ensemble, j)
    total = np.asarray(sum(tree_values(ensemble, t, step_values(cut)) for t in trees))
    return Steps(j, cut, total[:-1], float(total[-1]))


def category_values(coder: Any) -> Floats:
    """All codes of a categorical feature, followed by NaN for a missing value."""
    return np.append(np.arange(coder.n_codes, dtype=np.float64), np.nan)


def step_values(cut: Floats) -> Floats:
    """A value on each step of a function with these cuts, followed by NaN for a missing value."""
    above = np.nextafter(cut[-1], np.inf) if cut.size else 0.0
    return np.concatenate([cut, [above, np.nan]])


def cuts_of(ensemble: Ensemble, j: int) -> Floats:
    """Finite thresholds on a feature; an infinite one separates missing values only."""
    cut: Floats = np.unique(ensemble.threshold[ensemble.feature == j])
    return np.asarray(cut[np.isfinite(cut)])


def tree_values(ensemble: Ensemble, t: int, x: Floats) -> Floats:
    """Value of a tree that tests a single feature, at each value of the feature."""
    node = np.full(x.size, ensemble.first[t], dtype=np.intp)
    while True:
        inner = ensemble.feature[node] >= 0
        if not inner.any():
            return np.asarray(ensemble.value[node])
        side = ~goes_left(ensemble, node[inner], x[inner])
        node[inner] = ensemble.left[node[inner]] + side


def goes_left(ensemble: Ensemble, node: NDArray[np.intp], x: Floats) -> NDArray[np.bool_]:
    """Whether a node sends each value of its feature to the left child."""
    missing = np.isnan(x)
    code = np.where(missing, 0, x).astype(np.intp)
    row = ensemble.category_set[node]
    with np.errstate(invalid="ignore"):
        left = x <= ensemble.threshold[node]
    if (row >= 0).any():
        in_set = ensemble.categories[row, np.clip(code, 0, 255)] == 1
        left = np.where(row >= 0, in_set, left)
    return np.where(missing, ensemble.missing_left[node] == 1, left)


# ---- partial dependence --------------------------------------------------------------------------


def partial_dependence(
    ensemble: Ensemble, features: Sequence[int], coders: Sequence[Any], background: Floats
) -> list[Shape]:
    """Mean score over the background with a feature set to each value, for each feature.

    Trees that do not test a feature are left out of its function: they add a constant.
    """
    cuts = {j: cuts_of(ensemble, j) for j in features}
    at = {j: category_values(coders[j]) if coders[j] else step_values(cuts[j]) for j in features}
    total = {j: np.zeros(values.size) for j, values in at.items()}
    for t in range(len(ensemble)):
        tree = _Tree(ensemble, t, background)
        for j in tree.features & set(features):
            tree.add(j, at[j], total[j])
    mean = {j: sums / len(background) for j, sums in total.items()}
    return [
        Categories(j, mean[j][:-1], float(mean[j][-1]))
        if coders[j]
        else Steps(j, cuts[j], mean[j][:-1], float(mean[j][-1]))
        for j in features
    ]


def mean_effect(model: BinaryModel | Learners, rows: Floats, feature: int) -> Shape | None:
    """Partial dependence of a model's score on a feature over rows, coded as numbers.

    Its mean over these rows is subtracted; None if no tree tests the feature.
    """
    ensemble = model.ensemble
    if model.combine is not None or not isinstance(ensemble, Ensemble):
        raise ValueError("effects need an additive ensemble of the built-in stumps or trees")
    if not (ensemble.feature == feature).any():
        return None
    (shape,) = partial_dependence(ensemble, [feature], model.coders, rows)
    assert not isinstance(shape, Line)
    middle = float(shape(rows[:, feature]).mean())
    return replace(shape, value=shape.value - middle, missing=shape.missing - middle)


class _Tree:
    """A tree, with the path of each background row from each of its nodes."""

    def __init__(self, ensemble: Ensemble, t: int, background: Floats) -> None:
        self.ensemble, self.first = ensemble, int(ensemble.first[t])
        n_nodes = int(ensemble.first[t + 1]) - self.first
        self.feature = ensemble.feature[self.first :][:n_nodes].tolist()
        self.child = (ensemble.left[self.first :][:n_nodes] - self.first).tolist()
        self.below: list[set[int]] = [set() for _ in range(n_nodes)]
        """Features that are tested in the subtree of each node."""
        self.goes = np.zeros((n_nodes, len(background)), dtype=bool)
        inner = np.flatnonzero(np.array(self.feature) >= 0)
        of_features = background.T[ensemble.feature[self.first + inner]]
        self.goes[inner] = goes_left(ensemble, self.first + inner[:, None], of_features)
        self.value = np.zeros(self.goes.shape)
        """Value of each background row in the subtree of each node."""
        for node in reversed(range(n_nodes)):  # children are stored after their parents
            j, left = self.feature[node], self.child[node]
            if j < 0:
                self.value[node] = ensemble.value[self.first + node]
            else:
                self.value[node] = np.where(self.goes[node], self.value[left], self.value[left + 1])
                self.below[node] = {j} | self.below[left] | self.below[left + 1]
        self.features = self.below[0]

    def add(self, j: int, at: Floats, total: Floats) -> None:
        """Add to ``total`` the sum over the background with feature j set to each value."""
        rows = np.arange(self.goes.shape[1])
        stack: list[tuple[int, Indices, Indices]] = [(0, np.arange(at.size), rows)]
        while stack:
            node, values, rows = stack.pop()
            left = self.child[node]
            if j not in self.below[node]:
                total[values] += self.value[node, rows].sum()
            elif self.feature[node] == j:
                goes = goes_left(self.ensemble, np.array(self.first + node), at[values])
                stack += [(left, values[goes], rows), (left + 1, values[~goes], rows)]
            else:
                goes = self.goes[node, rows]
                stack += [(left, values, rows[goes]), (left + 1, values, rows[~goes])]


# ---- Shapley values ------------------------------------------------------------------------------


PERTURBATIONS = {"interventional": False, "tree_path_dependent": True}
"""Values of ``feature_perturbation``, and whether paths of the trees are followed."""


def check_perturbation(given: Any) -> None:
    """Raise a ValueError unless ``feature_perturbation`` is one of its values."""
    if not isinstance(given, str) or given not in PERTURBATIONS:
        raise ValueError(
            f"feature_perturbation must be one of {', '.join(map(repr, PERTURBATIONS))}, got "
            f"{given!r}"
        )


def shapley_values(
    model: BinaryModel | Learners,
    name: str,
    rows: Floats,
    background: Floats | None,
    feature_perturbation: str = "interventional",
    n_jobs: int | None = None,
) -> Floats:
    """Shapley values of the score for the positive class; rows are coded as numbers.

    ``name`` is that of the classifier, for messages. Without background rows, the sums that are
    kept with the model take their place, along the paths of the trees. If the score is a sum of
    functions of one feature, both perturbations give the same values.
    """
    parts = additive(model)
    if parts is not None:
        values = np.zeros(rows.shape)
        kept = {} if background is not None else kept_means(model)
        for shape in parts.shapes:
            j = shape.feature
            middle = kept[j] if background is None else shape(background[:, j]).mean()
            values[:, j] = shape(rows[:, j]) - middle
        return values
    if model.combine is not None or not isinstance(model.ensemble, Ensemble):
        raise ValueError(
            f"{name} with these weak learners cannot be explained: they do not "
            "report which features they use. Take the built-in stumps or trees"
        )
    n_threads = threads(n_jobs, rows.size * len(model.ensemble))
    if background is None:
        none = np.empty((0, rows.shape[1]))
        return model.ensemble.shapley_values(rows, none, True, n_threads, model.background)
    along_paths = PERTURBATIONS[feature_perturbation]
    return model.ensemble.shapley_values(rows, background, along_paths, n_threads)


def kept_means(model: BinaryModel | Learners) -> dict[int, float]:
    """Mean of the part of each feature in a score that is a sum of such parts, from kept sums.

    -1 stands for the parts that are constants.
    """
    ensemble, kept = model.ensemble, model.background
    assert kept is not None
    if isinstance(ensemble, Lines):
        with np.errstate(over="ignore"):
            means = np.clip(ensemble.slope * kept + ensemble.intercept, -LARGEST, LARGEST)
        return {int(j): fsum(means[ensemble.feature == j]) for j in np.unique(ensemble.feature)}
    of_node = _mean_of_leaves(ensemble, kept)
    groups = by_feature(ensemble) or {}
    return {
        j: fsum(v for t in trees for v in of_node[ensemble.first[t] : ensemble.first[t + 1]])
        for j, trees in groups.items()
    }


def kept_mean_score(model: BinaryModel | Learners) -> float:
    """Mean score of the training rows whose sums are kept with the model."""
    if isinstance(model.ensemble, Lines):
        return fsum(kept_means(model).values())
    assert model.background is not None
    return fsum(_mean_of_leaves(model.ensemble, model.background))


def _mean_of_leaves(ensemble: Ensemble, reached: NDArray[Any]) -> Floats:
    """What each leaf adds to the mean score; 0 for other nodes."""
    return np.where(ensemble.feature < 0, ensemble.value * node_shares(ensemble, reached), 0.0)


# ---- what decides: log-odds of probabilities -----------------------------------------------------

NEAR = 1e-4
"""Distance from the base, in units of the score, below which the slope is that at the base."""


def rescaled(
    parts: tuple[Floats, float], score: Floats, output: Callable[[Floats], Floats], unit: float
) -> tuple[Floats, float]:
    """Values and base that add up to a function of the score, from those that add up to the score.

    The values of a row are multiplied by the slope of the line from base to score. At a score very
    near the base, where that is rounding error, it is the slope of the function around the base;
    what is then left over is divided in proportion to the sizes of the values.
    """
    values, base = parts
    at = output(score)
    at_base, below, above = output(np.array([base, base - NEAR * unit, base + NEAR * unit]))
    moved = score - base
    near = np.abs(moved) < NEAR * unit
    around = (above - below) / (2 * NEAR * unit)
    slope = np.where(near, around, (at - at_base) / np.where(near, 1.0, moved))
    found = values * slope[:, np.newaxis]
    rest = at - at_base - found.sum(axis=1)
    size = np.abs(values)
    total = size.sum(axis=1)
    found += size * (rest / np.where(total > 0, total, 1.0))[:, np.newaxis]
    return found, float(at_base)


# ---- Shapley values with rows and names, as the plots of shap take them --------------------------

Keys = dict[str, Any]

ROWS, FEATURES, CLASSES = "rows", "features", "classes"
ALONG = {
    "values": (ROWS, FEATURES, CLASSES),
    "base_values": (ROWS, CLASSES),
    "data": (ROWS, FEATURES),
    "display_data": (ROWS, FEATURES),
    "feature_names": (FEATURES,),
    "output_names": (CLASSES,),
}
"""Attributes of an explanation that shap knows, and their axes before any item is selected."""
OWN = {"thresholds": (ROWS,), "unit": ()}
"""Attributes that shap does not know, and their axes."""

LOG_ODDS, LOG_SHARES, SCORE = "log-odds", "log-probability beyond the mean of all classes", "score"
"""Units of explanations."""
OUTPUTS = ("decision", "log-odds", "score")
"""Values of the parameter ``output`` of `explain`."""


def check_output(given: Any) -> None:
    """Raise a ValueError if ``output`` is none of its values."""
    if not isinstance(given, str) or given not in OUTPUTS:
        raise ValueError(f"output must be one of {', '.join(map(repr, OUTPUTS))}, got {given!r}")


class Explanation(NDArrayOperatorsMixin):
    """Contributions of the features to what decides on rows, returned by `explain`.

    ``explanation[0]`` is the explanation of the first row, ``explanation[:, "age"]`` that of one
    feature, and with more than two classes ``explanation[..., k]`` that of the score of class k.
    All of them can be passed to the plots of the package shap, if it is installed, and to NumPy: in
    arithmetic, and wherever an array is expected, an explanation stands for its ``values``.

    Attributes
    ----------
    values : array of shape (n_samples, n_features) or (n_samples, n_features, n_classes)
        The contributions, above 0 where a feature favours the positive class or, with more than two
        classes, the class.
    base_values : array of shape (n_samples,) or (n_samples, n_classes)
        The output at the mean score of the background. It and the values of a row add up to the
        output of the row.
    data : array of shape (n_samples, n_features)
        The rows as numbers; categories as their codes.
    display_data : array of objects of shape (n_samples, n_features), or None
        The rows with their categories, if there are any.
    feature_names : list of str, or None
        Names of the columns, if X had names in training.
    output_names : list of str, or str
        The classes; of two, the positive one.
    thresholds : array of shape (n_samples,), or None
        A row is predicted positive if its output is above. None where the output is not compared
        with a number: with more than two classes, and where it does not decide.
    unit : str
        Unit of the output: "log-odds" of the probability of the positive class, "score", or with
        more than two classes "log-probability beyond the mean of all classes", the exponentials of
        which are in proportion to the probabilities.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from costboost.algorithms import AdaBoostClassifier
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> clf = AdaBoostClassifier(n_estimators=3).fit(X, y == 2)
    >>> explanation = clf.explain(X)
    >>> explanation.values.shape, explanation.base_values.shape
    ((150, 4), (150,))
    >>> print(f"{explanation[-1, 'petal width (cm)']:.2f}", explanation.unit)
    2.16 score
    """

    def __init__(
        self,
        values: Any,
        base_values: Any,
        data: Any,
        display_data: Any = None,
        feature_names: Any = None,
        output_names: Any = None,
        axes: tuple[str, ...] = (),
        thresholds: Any = None,
        unit: str = SCORE,
    ) -> None:
        self.values = values
        self.base_values = base_values
        self.data = data
        self.display_data = display_data
        self.feature_names = feature_names
        self.output_names = output_names
        self.thresholds = thresholds
        self.unit = unit
        self._axes = axes or ALONG["values"][: np.ndim(values)]

    # ---- selection -------------------------------------------------------------------------------

    def __getitem__(self, item: Any) -> Any:
        keys = self._keys(item if isinstance(item, tuple) else (item,))
        if keys is None:  # NumPy would combine the axes
            return self.values[item]
        parts = {name: self._part(name, keys) for name in (*ALONG, *OWN)}
        left = tuple(axis for axis in self._axes if not isinstance(keys[axis], int))
        return Explanation(**parts, axes=left) if left else parts["values"]

    def _keys(self, items: tuple[Any, ...]) -> Keys | None:
        """Key along each axis; None if NumPy would combine the axes."""
        dots = [k for k, one in enumerate(items) if one is Ellipsis]
        if dots:
            rest = len(self._axes) - len(items) + 1
            items = (*items[: dots[0]], *[slice(None)] * rest, *items[dots[0] + 1 :])
        if len(items) > len(self._axes):
            return None
        items = (*items, *[slice(None)] * (len(self._axes) - len(items)))
        keys = {axis: self._key(axis, one) for axis, one in zip(self._axes, items, strict=True)}
        arrays = [key for key in keys.values() if not isinstance(key, (int, slice))]
        mixed = len(arrays) > 1 or any(np.ndim(key) != 1 for key in arrays)
        return None if mixed else keys

    def _key(self, axis: str, key: Any) -> Any:
        """Key as an integer, a slice or an array; names become indices."""
        if isinstance(key, str) and axis != ROWS:
            names = self.feature_names if axis == FEATURES else self.output_names
            if names is None or key not in names:
                known = "none is named" if names is None else f"they are {', '.join(names[:5])}"
                raise KeyError(f"{key!r} is none of the {axis}; {known}")
            return list(names).index(key)
        if isinstance(key, (int, np.integer)) and not isinstance(key, bool):
            return int(key)
        return key if isinstance(key, slice) else np.asarray(key)

    def _part(self, name: str, keys: Keys) -> Any:
        part = getattr(self, name)
        own = tuple(keys[axis] for axis in (ALONG | OWN)[name] if axis in self._axes)
        if part is None or not own:
            return part
        if isinstance(part, list):
            chosen = np.array(part, dtype=object)[own]
            return chosen if isinstance(chosen, str) else chosen.tolist()
        return part[own]

    def opposite(self, label: str) -> Explanation:
        """The explanation of the other one of two classes, by its label."""
        parts = {name: getattr(self, name) for name in (*ALONG, *OWN)}
        for name in ("values", "base_values", "thresholds"):
            parts[name] = None if parts[name] is None else -parts[name]
        return Explanation(**parts | {"output_names": label}, axes=self._axes)

    # ---- as an array -----------------------------------------------------------------------------

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        found = np.asarray(self.values, dtype=dtype)
        return found.copy() if copy and found is self.values else found

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        arrays = [np.asarray(one) if type(one) is Explanation else one for one in inputs]
        return getattr(ufunc, method)(*arrays, **options)

    def __setitem__(self, item: Any, value: Any) -> None:
        self.values[item] = value

    def __len__(self) -> int:
        return len(self.values)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name in (*ALONG, *OWN, "_axes"):
            raise AttributeError(name)
        if hasattr(np.ndarray, name):
            return getattr(self.values, name)
        if SHAP in sys.modules:
            return getattr(self._of_shap(), name)
        raise AttributeError(f"'Explanation' object has no attribute {name!r}")

    def __repr__(self) -> str:
        names = "" if self.feature_names is None else f" of {self.feature_names}"
        return f"<Explanation, values of shape {np.shape(self.values)}{names}>"

    def __reduce__(self) -> Any:
        shared = (getattr(self, name) for name in ALONG)
        return Explanation, (*shared, self._axes, *(getattr(self, name) for name in OWN))

    # ---- as an explanation of shap ---------------------------------------------------------------

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        """The class of shap's explanations if shap is imported: its plots check the class."""
        return getattr(sys.modules.get(SHAP), "Explanation", Explanation)

    def _of_shap(self) -> Any:
        parts = {name: getattr(self, name) for name in ALONG}
        if (
            CLASSES not in self._axes
        ):  # shap expects output names only if there is an axis of classes
            parts["output_names"] = None
        return sys.modules[SHAP].Explanation(**parts)


SHAP = "shap"


# ---- in probability ------------------------------------------------------------------------------


def running_probabilities(found: Explanation, row: int, order: Indices) -> Floats | None:
    """Probabilities from the base on, as one feature after the other is added to it.

    With more than two classes there is a column for each. None if the output is a score.
    """
    if found.unit == SCORE:
        return None
    steps = found.values[row][order]
    total = found.base_values[row] + np.concatenate([0 * steps[:1], np.cumsum(steps, axis=0)])
    return expit(total) if found.unit == LOG_ODDS else softmax(total)


# ---- explanations of fitted models ---------------------------------------------------------------


@dataclass(frozen=True)
class Comparison:
    """Rows to be explained, and what they are compared with."""

    name: str
    """Name of the classifier, for messages."""
    table: Any
    others: Any
    """Table of the background rows; None for the sums that are kept with the model."""
    perturbation: str | None
    n_jobs: int | None

    def __post_init__(self) -> None:
        if self.perturbation is not None:
            check_perturbation(self.perturbation)

    def values(self, model: BinaryModel | Learners, numbers: Callable[[Any], Floats]) -> Floats:
        """Shapley values of the score of the positive class, or of a class."""
        kind = self.perturbation or "interventional"
        explicit = self.others is None and self.perturbation == "interventional"
        if explicit and additive(model) is None:
            raise ValueError(
                "interventional values compare with rows, which a model does not keep: pass some, "
                "such as background=X_train, or leave feature_perturbation out"
            )
        rows = numbers(self.table)
        background = None if self.others is None else numbers(self.others)
        return shapley_values(model, self.name, rows, background, kind, self.n_jobs)

    def of_score(self, model: BinaryModel) -> tuple[Floats, float]:
        """Shapley values and mean score of the background, for the positive class."""
        values = self.values(model, model.numbers)
        if self.others is None:
            return values, kept_mean_score(model)
        return values, float(model.scores(self.others, self.n_jobs).mean())

    def score(self, model: BinaryModel) -> Floats:
        """Score of each row for the positive class."""
        return model.scores(self.table, self.n_jobs)


def keeps_background(model: Any) -> bool:
    """Whether a model keeps sums over training rows."""
    return all(one.background is not None for one in model.members)


def explain_two(
    model: BinaryModel, compared: Comparison, output: str, costs: NetCosts
) -> Explanation:
    """Explanation of the score or the log-odds of the positive class."""
    deciding = LOG_ODDS if model.decides_by_cost else SCORE
    unit = deciding if output == "decision" else output
    parts, thresholds = compared.of_score(model), None
    if unit == LOG_ODDS:
        parts = rescaled(parts, compared.score(model), model.log_odds, model.score_unit)
    if unit == deciding:
        limit = threshold_log_odds(costs.threshold) if unit == LOG_ODDS else 0.0
        thresholds = np.broadcast_to(limit, compared.table.n_rows).astype(np.float64)
    label = str(model.classes[model.positive_index])
    return _explanation(model, compared.table, parts, label, unit, thresholds)


def explain_several(model: Any, compared: Comparison, output: str) -> Explanation:
    """Explanation of the scores or the log-probabilities of all classes."""
    wanted = output != SCORE and (output == LOG_ODDS or model.by_cost)
    explain: Any = _of_scores if isinstance(model, ScoresModel) else _of_members
    parts, unit = explain(model, compared, wanted)
    labels = [str(label) for label in model.classes]
    return _explanation(model.members[0], compared.table, parts, labels, unit, None)


def _of_members(
    model: OneVsRestModel, compared: Comparison, probable: bool
) -> tuple[tuple[Floats, Floats], str]:
    """Values and bases of classes that are set against the rest."""
    found = []
    for one in model.members:
        parts = compared.of_score(one)
        if probable:
            parts = rescaled(parts, compared.score(one), one.log_probability, one.score_unit)
        found.append(parts)
    values, base = np.stack([v for v, _ in found], axis=2), np.array([b for _, b in found])
    if probable:
        return (_centred(values), _centred(base + model.log_shift)), LOG_SHARES
    factor = np.array([one.decision.slope / 2 for one in model.members])
    return (values * factor, base * factor), SCORE


def _of_scores(
    model: ScoresModel, compared: Comparison, probable: bool
) -> tuple[tuple[Floats, Floats], str]:
    """Values and bases of a score for each class."""
    scores = [model.provider.of_class(k) for k in range(len(model.classes))]
    values = np.stack([compared.values(one, model.numbers) for one in scores], axis=2)
    if compared.others is None:
        base = np.array([kept_mean_score(one) for one in scores])
    else:
        base = np.asarray(model.scores(compared.others, compared.n_jobs).mean(axis=0))
    line = model.log_line if probable else None
    if line is None:
        return (_centred(values), _centred(base)), SCORE
    slope, offset = line
    base = slope * base + offset + model.log_shift
    return (_centred(slope * values), _centred(base)), LOG_SHARES


def _centred(values: Floats) -> Floats:
    """Values minus their mean over the classes, which are the last axis."""
    return np.asarray(values - values.mean(axis=-1, keepdims=True))


def _explanation(
    model: Any,
    table: Any,
    parts: tuple[Floats, Any],
    names: Any,
    unit: str,
    thresholds: Floats | None,
) -> Explanation:
    """Values and base together with the rows they belong to."""
    (values, base), numbers = parts, model.numbers(table)
    known = model.feature_names_in
    return Explanation(
        values=values,
        base_values=np.repeat(np.asarray(base)[np.newaxis], table.n_rows, axis=0),
        data=numbers,
        display_data=table.labelled(model.coders, numbers) if any(model.coders) else None,
        feature_names=None if known is None else [str(name) for name in known],
        output_names=names,
        thresholds=thresholds,
        unit=unit,
    )
