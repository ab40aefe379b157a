"""Logistic regression on one feature, voting by its sign: the base learner of Nikolaou et al."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from costboost.cells import Floats
from costboost.engine._kernels import BINS, MISSING, BinnedRows, Split
from costboost.engine.binning import Binning
from costboost.engine.ensemble import Ensemble, Node, leaf
from costboost.learners import by_rows
from costboost.learners.columns import BinValues, Columns
from costboost.learners.hypothesis import Laid
from costboost.learners.stump import Stump
from costboost.rows import Rows, leaf_loss
from costboost.rules import DRAW, Criterion

TIE = 1e-12
SETTLED = 1e-12
"""Coefficients that move by less than this share are found: the next step would be its square."""
RIDGE = 1e-6
"""On the squared slope of the standardised feature: classes that can be separated stay finite."""
FLAT = 1e-12
NEWTON_STEPS = 100
ROUNDING = 1e-14
"""A loss that rises by less than this share has not risen."""


class LogisticStump(Stump):
    """A stump whose threshold is where a logistic regression is undecided."""

    __slots__ = ("threshold",)

    def __init__(self, split: Split, weight: Floats, threshold: float) -> None:
        super().__init__(split, weight)
        self.threshold = threshold

    def scores(self, rows: BinnedRows | Columns) -> NDArray[np.float64]:
        """On bins for the rows it was trained on, by the threshold for others."""
        if isinstance(rows, BinnedRows) or self.split.feature < 0:
            return super().scores(rows)  # type: ignore[arg-type]
        left, right = self.value.tolist()
        x = rows.column(self.split.feature).astype(np.float64, copy=False)
        on_left = np.where(np.isnan(x), self.split.missing_left, x <= self.threshold)
        return np.asarray(np.where(on_left, left, right), dtype=np.float64)

    def nodes(self, binning: Binning, step: float) -> list[Node]:
        left, right = self.value.tolist()
        if self.split.feature < 0:
            return [leaf(step * right)]
        root = Node(self.split.feature, self.threshold, 1, self.split.missing_left, None, 0.0, 1.0)
        return [root, leaf(step * left), leaf(step * right)]


class LogisticLearner:
    """The feature whose logistic regression votes best."""

    def __init__(self, binning: Binning, values: BinValues) -> None:
        self.binning = binning
        self.values = values

    def find(self, rows: Rows, criterion: Criterion) -> LogisticStump | None:
        weight = rows.all_bin_weights()
        thresholds, signs, fitted = fit_all(weight[:, :, :MISSING], self.values.value)
        candidates = []
        for f in np.flatnonzero(fitted).tolist():
            threshold, sign = float(thresholds[f]), int(signs[f])
            if np.isnan(threshold):  # the feature says nothing: a constant vote
                whole, nobody = weight[:, f].sum(axis=1), np.zeros(2)
                split = Split(polarity=sign)
                value = self._loss(rows, split, nobody, whole, criterion)
            else:
                split = self._split(f, threshold, sign)
                value, split = self._with_missing(rows, split, weight[:, f], criterion)
            candidates.append((value, split, threshold))
        if not candidates:
            return None
        least = min(value for value, _, _ in candidates)
        found = next(one for one in candidates if one[0] <= least + TIE)
        return self._stump(rows, *found[1:])

    def recall(self, rows: Rows, memory: Sequence[Node], criterion: Criterion) -> LogisticStump:
        node = memory[0]
        if node.feature < 0:
            constant = Split(polarity=1 if node.value > 0 else -1)
            return self._stump(rows, constant, np.nan)
        split = self._split(node.feature, node.threshold, 1 if memory[-1].value > 0 else -1)
        return self._stump(rows, _missing_to(split, node.missing_left), node.threshold)

    def model(self, rounds: Laid) -> Ensemble:
        return Ensemble.from_trees(h.nodes(self.binning, step) for h, step in rounds)

    def _split(self, feature: int, threshold: float, sign: int) -> Split:
        """Bins whose value is not above the threshold go left."""
        value = self.values.value[feature]
        left = np.zeros(BINS, dtype=np.uint8)
        left[:MISSING] = value <= threshold
        return Split(feature, int(left.sum()) - 1, sign, False, left)

    def _with_missing(
        self, rows: Rows, split: Split, weight: Floats, criterion: Criterion
    ) -> tuple[float, Split]:
        """The split with the missing rows on the better side; without evidence the heavier."""
        on_left = split.left[:MISSING].astype(bool)
        present = weight[:, :MISSING]
        left, right = present[:, on_left].sum(axis=1), present[:, ~on_left].sum(axis=1)
        heavier_left = bool(right.sum() <= left.sum() + TIE)
        missing = weight[:, MISSING]
        sides = {
            side: _missing_to(split, side)
            for side in ([False, True] if missing.sum() > 0 else [heavier_left])
        }
        value = {
            side: self._loss(
                rows, one, left + side * missing, right + (not side) * missing, criterion
            )
            for side, one in sides.items()
        }
        if len(value) == 1:
            return value[heavier_left], sides[heavier_left]
        level = abs(value[True] - value[False]) <= TIE
        side = heavier_left if level else value[True] < value[False]
        return value[side], sides[side]

    @staticmethod
    def _loss(rows: Rows, split: Split, left: Floats, right: Floats, criterion: Criterion) -> float:
        if criterion.kind in ("vote", "joint"):
            wrong_left, wrong_right = (0, 1) if split.polarity == 1 else (1, 0)
            return float(left[wrong_left] + right[wrong_right])
        if rows.has_row_costs and criterion.kind in by_rows.LEAVES:
            return by_rows.split_loss(rows, split, criterion)
        return sum(leaf_loss(criterion, float(p), float(q)) for p, q in (left, right))

    def _stump(self, rows: Rows, split: Split, threshold: float) -> LogisticStump:
        split.measure(rows.histogram())
        if split.feature >= 0 and not self.values.single[split.feature]:
            # the line between the bins decides, or rows within a bin would part
            cuts = self.binning.cuts[split.feature, : self.binning.n_cuts[split.feature]]
            threshold = np.concatenate([[-np.inf], cuts, [np.inf]])[split.bin + 1].item()
        return LogisticStump(split, rows.cell_weights(split), threshold)


def _missing_to(split: Split, left: bool) -> Split:
    table = split.left
    table[MISSING] = left
    return Split(split.feature, split.bin, split.polarity, left, table)


# ---- logistic regressions, one for every feature, all at once ------------------------------------


def fit_all(weight: Floats, value: Floats) -> tuple[Floats, Floats, Floats]:
    """Threshold and sign of the slope of every feature's regression, and which features have one.

    Where the slope is 0, the threshold is NaN and the sign that of the vote for everybody.
    ``weight``: (class, feature, bin), ``value``: (feature, bin).
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        p, q = weight / weight.sum(axis=(0, 2))[:, None]
    both = p + q
    seen = np.isfinite(value) & (both > 0)
    x = np.where(seen, value, 0.0)
    size = np.ldexp(1.0, np.frexp(np.abs(x).max(axis=1))[1] - 1)  # so that squares are numbers
    x = x / size[:, None]
    p, q, both = (np.where(seen, part, 0.0) for part in (p, q, both))
    mean = (both * x).sum(axis=1)
    spread = np.sqrt((both * (x - mean[:, None]) ** 2).sum(axis=1))
    fitted = (seen.sum(axis=1) > 1) & (spread > 0)
    scale = np.where(fitted, spread, 1.0)
    u = np.where(seen, (x - mean[:, None]) / scale[:, None], 0.0)
    one_class = (p.sum(axis=1) == 0) | (q.sum(axis=1) == 0)
    slope, intercept = _newton(u, p, q, fitted & ~one_class)
    intercept = np.where(one_class, p.sum(axis=1) - q.sum(axis=1), intercept)
    flat = one_class | (np.abs(slope) < FLAT)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        threshold = np.where(flat, np.nan, size * (mean - scale * intercept / slope))
    sign = np.where(flat, np.where(intercept > DRAW, 1, -1), np.where(slope > 0, 1, -1))
    return threshold, sign, fitted


def _newton(u: Floats, p: Floats, q: Floats, wanted: NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """Minimise mean log loss + RIDGE / 2 a^2 over slope a and intercept b, row by row of u."""
    a, b = np.zeros((2, len(u)))
    both = p + q
    total = p.sum(axis=1), q.sum(axis=1)
    b[wanted] = np.log(total[0][wanted] / total[1][wanted])

    def loss(a: Floats, b: Floats) -> Floats:
        t = a[:, None] * u + b[:, None]
        size = np.log1p(np.exp(-np.abs(t)))
        each = p * (size + np.maximum(-t, 0)) + q * (size + np.maximum(t, 0))
        result: Floats = each.sum(axis=1) + RIDGE / 2 * a**2
        return result

    now = loss(a, b)
    for _ in range(NEWTON_STEPS):
        t = a[:, None] * u + b[:, None]
        probability = 1 / (1 + np.exp(np.clip(-t, -700, 700)))
        residual = both * probability - p
        curve = both * probability * (1 - probability)
        slope_b, slope_a = residual.sum(axis=1), (residual * u).sum(axis=1) + RIDGE * a
        bb, ab = curve.sum(axis=1), (curve * u).sum(axis=1)
        aa = (curve * u**2).sum(axis=1) + RIDGE
        determinant = aa * bb - ab**2
        good = determinant > 1e-14 * aa * bb
        safe = np.where(good, determinant, 1.0)
        move_a = np.where(good, (bb * slope_a - ab * slope_b) / safe, slope_a / aa)
        move_b = np.where(
            good, (aa * slope_b - ab * slope_a) / safe, slope_b / np.maximum(bb, RIDGE)
        )
        step = np.ones(len(u))
        for _ in range(30):
            following = loss(a - step * move_a, b - step * move_b)
            worse = following > now * (1 + ROUNDING)
            if not worse.any():
                break
            step[worse] /= 2
        step[following > now * (1 + ROUNDING)] = 0
        a, b = a - step * move_a, b - step * move_b
        moved = np.abs(step * move_a) + np.abs(step * move_b)
        settled = ~wanted | (moved <= SETTLED * (1 + np.abs(a) + np.abs(b)))
        now = loss(a, b)
        if settled.all():
            break
    return a, b
