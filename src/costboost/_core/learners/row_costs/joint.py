"""Votes chosen together with their steps, under costs that belong to each row.

The loss of a vote h at a step x is f(x) = sum of w e^(-c y h x), for weights w that add up to 1 and
costs c. The search looks for the vote whose least loss over x >= 0 is least. Most votes are
excluded by bounds that are proven here; those that are left are evaluated exactly.

**By edges.** Let s = sum of w c y h be the edge, -f'(0). As sinh(t) - t has the sign of t,

    f(x) = sum of w cosh(c x) - sum of w y h sinh(c x) >= P(x) - s x,
    P(x) = sum of w (e^(-c x) + c x).

P does not depend on the vote. A vote whose loss is at most b at some x therefore has an edge of at
least (P(x) - b) / x, and no vote with an edge below the minimum of this ratio is the best one if
some vote has the loss b. The edges of all votes follow from the histogram of the weights c w.

**By probes.** A probe is a step x at which loss and slope of the votes are summed. For any vote
f''(y) >= H(y), H(y) = sum of w c^2 e^(-c y), which decreases with y. So
f(y) >= f(x) + f'(x) (y - x) + H (y - x)^2 / 2 for all y <= z if H = H(z) and z >= x:

- with f'(x) >= 0, the minimum is at most x, and z = x gives f >= f(x) - f'(x)^2 / 2 H(x);
  the parabola of the same curvature at 0, 1 - s y + H(x) y^2 / 2, is a bound as well. If at some
  y this one falls and the other one rises, the lower of their two values there is a bound;
- with f'(x) < 0, z = 2 x gives f >= f(x) - f'(x)^2 / 2 H(2 x) up to 2 x, and also beyond if
  f'(x) + x H(2 x) >= 0, because then f does not decrease there.

A class without mistakes is counted as slightly wrong, see `mistaken_parts`. This adds to the loss
at every x >= 0 and leaves f'' above (1 - SHARE_FLOOR) H, so that all bounds hold.
"""

from __future__ import annotations

from collections.abc import Callable
from math import frexp, ldexp
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from costboost._core.arithmetic import Floats, Vector, exact_sum, exp, first_least, log, where
from costboost._core.cells import Outcome, RowCells
from costboost._core.engine._kernels import TIE, Split
from costboost._core.learners.row_costs.candidates import Candidates, class_sums
from costboost._core.learners.row_costs.leaf_bounds import FARTHEST
from costboost._core.rows import Rows
from costboost._core.rules.discrete import SHARE_FLOOR, balance, mistaken_parts

CONSTANTS = (0, 0, -1)
"""Where constant votes are: with the first of the features, no row on the left."""
MOST_PROBES = 12
CURVATURE_MARGIN = 1e-9
"""Share by which second derivatives are lowered, for rounding and `SHARE_FLOOR`."""
ROUNDING = 1e-13
"""Bound on relative rounding errors of sums over rows and of the few operations after them."""


def joint_split(
    rows: Rows, min_samples_leaf: int, features: NDArray[np.intp] | None = None
) -> Split:
    """The vote on one of the features, or all, of least loss exp(-c y F) with its own step."""
    votes = Votes(rows)
    screened, step = votes.promising(min_samples_leaf, features)
    survivors = screened.survivors(step)
    exact = votes.exact if survivors.sum() > 1 else _unknown
    best = screened.candidates.best(survivors[:, :, :-1], exact)
    constants = [Split(polarity=1 - 2 * int(p)) for p in np.flatnonzero(survivors[CONSTANTS])]
    return _or_constant(best, constants, exact)


class Terms(NamedTuple):
    """What the probes at a step have in common."""

    step: float
    rise: Vector
    """How much greater the loss of each row is if it is classified wrongly."""
    slope: Vector
    """How much greater its derivative is."""
    total: tuple[float, float]
    """Sums of these two."""
    base: tuple[float, float]
    """Loss and derivative if every row is classified correctly."""
    curvature: tuple[float, float]
    """Lower bounds on the second derivative up to the step and up to twice the step."""


class Votes:
    """The losses of votes for rows with costs of their own."""

    def __init__(self, rows: Rows) -> None:
        self.rows = rows
        assert rows.row_cost is not None
        scale = ldexp(1.0, -frexp(float(rows.row_cost.max()))[1])  # or squares might overflow
        self.cost: Vector = rows.row_cost * scale
        self.positive = rows.label > 0
        self._classes = self.positive, ~self.positive
        self.largest = float(self.cost.max())
        self.row_weight = rows.row_weight
        weight = self.row_weight / (self.cost / self.largest)
        total = exact_sum(weight)
        self.weight = weight / total
        self.dilution = total / exact_sum(self.row_weight)
        """How much greater the share of weight without costs may be than that with costs."""
        self.pull = self.weight * self.cost
        self.totals = [exact_sum(self.weight * members) for members in self._classes]
        """Weight of each class."""
        self.fall = exact_sum(self.pull)
        """How fast the loss falls along a vote without mistakes."""
        self.rounding = (rows.n_rows + 512) * 2.0**-56
        """Share of the weight by which the sums of a class may be off."""

    # ---- bounds by edges -------------------------------------------------------------------------

    def promising(
        self, min_samples_leaf: int, competing: NDArray[np.intp] | None
    ) -> tuple[Screened, float]:
        """Bounds of the votes on features with a vote that may be the best, and a step to probe."""
        rows = self.rows
        candidates = Candidates(rows, None, self._order_weights(), min_samples_leaf)
        edge = np.where(_allowed(candidates), self.edges(candidates), -np.inf)
        if competing is not None:  # and constants, which have the last position
            edge[:, np.setdiff1d(np.arange(rows.n_features), competing), :-1] = -np.inf
        best = np.unravel_index(int(np.argmax(edge)), edge.shape)
        features = np.arange(rows.n_features)
        if not edge[best] > 0:
            return Screened(self, features, edge, min_samples_leaf), 1 / self.largest
        steepness = exact_sum(self.pull * self.cost)
        terms = self.terms(min(float(edge[best]) / steepness, FARTHEST / self.largest))
        one = features[[int(best[1])]]
        first = Screened(self, one, edge[:, one], min_samples_leaf)
        first.probe(terms)
        limit = self.least_edge(terms, float(first.most.min()))
        features = np.flatnonzero((edge >= limit).any(axis=(0, 2, 3)))
        step = first.next_step((best[0], 0, *best[2:])) or terms.step
        if not np.array_equal(features, one):
            first = Screened(self, features, edge[:, features], min_samples_leaf)
        first.exclude(limit)
        return first, step

    def _order_weights(self) -> Floats:
        """Weights of the bins, as far as the order of categories depends on them."""
        rows = self.rows
        weight = rows.all_bin_weights()
        some = np.flatnonzero(rows.categorical)
        if some.size:
            weight[:, some] = class_sums(rows, self.weight, None, some)
        return weight

    def edges(self, candidates: Candidates) -> Floats:
        """Upper bounds on the edges; the last axis is the polarity, as in `Candidates.best`."""
        sums = self.rows.all_bin_weights()
        totals = self.rows.class_shares()
        wrong = _wrong([_with_constants(candidates.left(side)) for side in sums], totals)
        # such a class may be counted as free of mistakes, by its weight without costs
        floor = SHARE_FLOOR * self.dilution + self.rounding
        wrong = np.where(wrong < floor, 0.0, wrong)
        return np.asarray(self.fall * (1 - 2 * wrong.sum(axis=0) + 4 * self.rounding))

    def least_edge(self, terms: Terms, loss: float) -> float:
        """The edge below which no vote reaches a loss.

        The minimum over x of (P(x) - loss) / x. With x0 the step of the terms, P is above the
        parabola of value P(x0), slope P'(x0) and second derivative H(2 x0) up to 2 x0; the ratio
        grows beyond if it grows at 2 x0.
        """
        x, h = terms.step, terms.curvature[1]
        loss += TIE
        value, slope = terms.base[0] + x * self.fall, terms.base[1] + self.fall
        at_zero = value - loss - slope * x + 0.5 * h * x * x  # the parabola at 0, minus the loss
        down = exp(-2 * x * self.cost)
        far = exact_sum(self.weight * down) + 2 * x * self.fall
        far_slope = self.fall - exact_sum(self.pull * down)
        slack = ROUNDING * (1 + far + x * self.fall + h * x * x)
        if at_zero <= slack or 2 * x * far_slope < far - loss + slack:
            return -np.inf
        limit = slope - h * x + float(np.sqrt(2 * (at_zero - slack) * h))
        return limit - ROUNDING * (self.fall + h * x)

    # ---- bounds by probes ------------------------------------------------------------------------

    def terms(self, step: float) -> Terms:
        """The terms of the losses at a step."""
        up = exp(self.cost * step)
        down = 1 / up
        fall = self.pull * down
        bend = fall * self.cost
        near, far = (exact_sum(b) * (1 - CURVATURE_MARGIN) for b in (bend, bend * down))
        rise, slope = self.weight * (up - down), self.pull * (up + down)
        total = exact_sum(rise), exact_sum(slope)
        base = exact_sum(self.weight * down), -exact_sum(fall)
        return Terms(step, rise, slope, total, base, (near, far))

    def exact(self, split: Split) -> float:
        """The loss of a vote with its best step."""
        rows = self.rows
        votes = where(rows.on_left(split), -split.polarity, split.polarity)
        split.value = self.loss(rows.label * votes)
        return split.value

    def loss(self, margin: Vector) -> float:
        """The loss of votes of the given margins with their best step."""
        cells = RowCells(self.row_weight, Outcome(margin), self.cost, self.positive)
        exponent = self.cost * balance(cells)
        wrong = mistaken_parts(cells)
        # in one exponential, or the factors might overflow
        mistakes = exp(exponent + log(self.weight * wrong))
        return exact_sum(mistakes + self.weight * (1 - wrong) * exp(-exponent))


class Screened:
    """Bounds on the losses of the votes on some features, with constants as a last position.

    ``edge`` are upper bounds on the edges of the votes.
    """

    def __init__(
        self,
        votes: Votes,
        features: NDArray[np.intp],
        edge: Floats,
        min_samples_leaf: int,
    ) -> None:
        self.votes = votes
        self.features = features
        self.edge = edge
        weight = class_sums(votes.rows, votes.weight, None, features)
        self.candidates = Candidates(votes.rows, None, weight, min_samples_leaf, features)
        self.allowed = _allowed(self.candidates) & (edge > -np.inf)
        # a class without mistakes is counted as slightly wrong, as `mistaken_parts` does
        left = [_with_constants(self.candidates.left(side)) for side in weight]
        wrong = _wrong(left, votes.totals)
        self.perfect = wrong < SHARE_FLOOR * np.reshape(votes.totals, (2, 1, 1, 1, 1))
        self.doubtful = (self.perfect & (wrong > 0)).any(axis=0)
        """Votes with mistakes that are not counted, though the probes count them."""
        least = np.where(edge <= 0, 1 - ROUNDING, 0.0)  # no step pays
        self.least = np.where(self.allowed, least, np.inf)
        self.most = np.where(self.allowed, 1 + ROUNDING, np.inf)

    def exclude(self, limit: float) -> None:
        """Exclude votes whose edges are below a limit."""
        self.least[self.edge < limit] = np.inf

    def survivors(self, step: float) -> NDArray[np.bool_]:
        """The votes that may be the best, after probes at this step and others."""
        probed: set[float] = set()
        following: float | None = step
        while following is not None and following not in probed and len(probed) < MOST_PROBES:
            probed.add(following)
            terms = self.votes.terms(following)
            self.probe(terms)
            if self.left().sum() <= 1:
                break
            self.exclude(self.votes.least_edge(terms, float(self.most.min())))
            if self.left().sum() <= 1:
                break
            lowest = np.unravel_index(int(np.argmin(self.least)), self.least.shape)
            following = self.next_step(lowest)
        return self.left()

    def left(self) -> NDArray[np.bool_]:
        """Which votes may be the best."""
        return np.asarray(self.least <= self.most.min() + TIE)

    def probe(self, terms: Terms) -> None:
        """Add a probe to the bounds."""
        rows, label = self.votes.rows, self.votes.rows.label
        sums, errors = rows.sums(label * terms.rise, label * terms.slope, None, self.features)
        value, slope = (
            base + self._of_votes(histogram, total)
            for base, histogram, total in zip(terms.base, sums, terms.total, strict=True)
        )
        self.step, self.slope = terms.step, slope
        value_error = 2 * errors[0] + ROUNDING * (1 + np.abs(value))
        below = _below(self.edge, value - value_error, slope, 2 * errors[1], terms)
        self.least = np.maximum(self.least, np.where(self.doubtful, 0.0, below))
        self.most = np.minimum(self.most, np.where(self.allowed, value + value_error, np.inf))

    def next_step(self, place: Any) -> float | None:
        """Where the loss of a vote is least if its slope is a line through that of the last probe.

        None if there is no such step.
        """
        edge, slope = float(self.edge[place]), float(self.slope[place])
        if not 0 < edge < np.inf:
            return None
        step = self.step * (2 if slope <= -edge / 2 else edge / (edge + slope))
        return step if 0 < step <= FARTHEST / self.votes.largest else None

    def _of_votes(self, histogram: Floats, total: float) -> Floats:
        """Sums of an amount over the rows that each vote classifies wrongly.

        The histogram is that of label times amount.
        """
        gap = float(histogram[0].sum())
        p, q = (total + gap) / 2, (total - gap) / 2
        on_left = _with_constants(self.candidates.left(histogram))
        votes = np.stack([q + on_left, p - on_left], axis=-1)
        return np.asarray(votes + SHARE_FLOOR * (p * self.perfect[0] + q * self.perfect[1]))


def _below(edge: Floats, value: Floats, slope: Floats, error: float, terms: Terms) -> Floats:
    """Lower bounds on the losses of votes by a probe, see the top of this file."""
    x, (near, far) = terms.step, terms.curvature
    if not far > 0:
        return np.zeros_like(value)
    size = np.abs(slope) + error
    gain_ahead, gain_behind = size * size / (2 * far), size * size / (2 * near)
    ahead = np.where(size <= far * x, value - gain_ahead * (1 + ROUNDING), 0.0)
    behind = value - gain_behind * (1 + ROUNDING)
    with np.errstate(divide="ignore", invalid="ignore"):
        cross = (1 - value + size * x - near * x * x / 2) / (edge + size - near * x)
        inside = (cross >= 0) & (cross <= x)
        inside &= (near * cross <= edge) & (size >= near * (x - cross))
        from_zero = 1 - edge * cross + near * cross**2 / 2
        from_step = value - size * (x - cross) + near * (x - cross) ** 2 / 2
        rounding = ROUNDING * (1 + np.abs(value) + (edge + size) * x + near * x * x)
        together = np.minimum(from_zero, from_step) - rounding
    behind = np.maximum(behind, np.where(inside, together, 0.0))
    return np.asarray(np.where(slope < error, np.minimum(ahead, behind), behind))


def _unknown(split: Split) -> float:
    """A number in place of the loss of the only candidate, which is not compared with others."""
    split.value = 0.0
    return split.value


def _with_constants(of_candidates: NDArray[Any]) -> NDArray[Any]:
    """Append a position with no row on the left, for constant votes."""
    *shape, n = of_candidates.shape
    longer = np.zeros((*shape, n + 1), dtype=of_candidates.dtype)
    longer[..., :n] = of_candidates
    return longer


def _allowed(candidates: Candidates) -> NDArray[np.bool_]:
    """Which votes are candidates; constants are, if the first feature is one of the features."""
    allowed = np.repeat(_with_constants(candidates.allowed)[..., None], 2, axis=-1)
    for k, feature in enumerate(candidates.features.tolist()):
        direction = candidates.rows.direction(feature)
        if direction:  # the other polarity, which is that of the right side, is not allowed
            allowed[:, k, :-1, (1 + direction) // 2] = False
    allowed[CONSTANTS] = candidates.features[0] == 0
    return allowed


def _wrong(left: list[Floats], total: Any) -> Floats:
    """Weight of each class that votes of both polarities classify wrongly."""
    shape = (2, 1, 1, 1)
    on_left = np.stack(left)
    wrong = np.stack([on_left, np.reshape(total, shape) - on_left], axis=-1)
    wrong[1] = wrong[1, ..., ::-1]
    return wrong


def _or_constant(
    best: Split | None, constants: list[Split], exact: Callable[[Split], float]
) -> Split:
    """The constant votes win only when they are strictly better."""
    for split in constants:
        exact(split)
    splits = [*([] if best is None else [best]), *constants]
    return splits[first_least(np.array([split.value for split in splits]))]
