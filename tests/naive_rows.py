"""Rows of a training in plain NumPy: the judge of all back ends.

It takes the rows in their own order and answers every message with loops over masks. Only losses
and responses of single rows are computed by the kernels, which have tests of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from costboost._core.backends.order import NOTHING, Part, messages_of
from costboost._core.backends.protocol import Backend, Largest, Opposed, Proposed, Trial
from costboost._core.engine._kernels import BINS, Likelihood, NewtonScores, ScoreLoss, draw_rows

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
MESSAGES = messages_of(Backend)
LIMIT = 23.025850929840455


def quanta(values: Floats, scale: float = 1.0) -> NDArray[np.int64]:
    return np.rint(values * scale).astype(np.int64)


class NaiveRows:
    """Rows whose bins are ``bins`` (n_rows x n_features), and which are positive or not."""

    def __init__(self, bins: NDArray[np.uint8], positive: NDArray[np.uint8]) -> None:
        self.of_bin = bins
        self.classes = [positive > 0, positive == 0]
        self.n, self.d = bins.shape
        self.copies = np.ones(self.n, dtype=np.int64)
        self.drawn = self.in_round = np.ones(self.n, dtype=bool)
        self.parts = NOTHING
        self.amounts: list[NDArray[np.int64]] = []
        """The two values of each row that are summed, if they are not weights."""
        self.newton = NewtonScores(self.n, 1)

    def send(self, name: str, *given: Any) -> Any:
        """The answer to a message; an `OrderError` if it comes too early."""
        after = MESSAGES[name].after(self.parts)
        answer = getattr(self, name)(*given)
        self.parts = after
        return answer

    def summed(self, amounts: Sequence[NDArray[Any]], rows: Mask) -> NDArray[np.int64]:
        """Sums of amounts over the rows in every bin of every feature."""
        total = np.zeros((len(amounts), self.d, BINS), dtype=np.int64)
        for k, amount in enumerate(amounts):
            for f in range(self.d):
                np.add.at(total[k, f], self.of_bin[rows, f], amount[rows])
        return total

    def counted(self, rows: Mask) -> NDArray[np.int64]:
        return self.summed([self.copies * one for one in self.classes], rows)

    def weights_of(self, rows: Mask) -> NDArray[np.int64]:
        amounts = self.amounts or [quanta(self.weight) * one for one in self.classes]
        return self.summed(amounts, rows)

    # ---- facts -----------------------------------------------------------------------------------

    def label(self) -> Floats:
        return np.where(self.classes[0], 1.0, -1.0)

    def bins(self, feature: int) -> NDArray[np.uint8]:
        return self.of_bin[:, feature]

    def on_left(self, split: Any) -> Mask:
        return np.array([bool(split.left[self.of_bin[i, split.feature]]) for i in range(self.n)])

    def leaves(self, stump: Any) -> NDArray[np.int64]:
        return np.where(self.on_left(stump.split), 0, 1)

    def scores(self, stump: Any) -> Floats:
        return np.asarray(stump.value[self.leaves(stump)])

    def count(self, copies: bool) -> NDArray[np.int64]:
        every = np.ones(self.n, dtype=bool)
        return self.counted(every) if copies else self.summed(self.classes, every)

    def count_copies(self, copies: NDArray[np.int64]) -> None:
        self.copies = copies

    def sum_staged(self, splits: Any, values: Floats, limit: Floats, *_: Any) -> Any:
        score, above = np.zeros(self.n), []
        for feature, left, value, least in zip(
            splits.feature, splits.left, values, limit, strict=True
        ):
            goes_left = left[self.of_bin[:, feature]] > 0
            score = score + np.where(goes_left, value[0], value[1])
            above.append([int((score[one] > least).sum()) for one in self.classes])
        return np.array(above)

    # ---- draws -----------------------------------------------------------------------------------

    def number_rows(self, numbers: NDArray[np.int64]) -> None:
        self.numbers = numbers

    def draw(self, key: int, share: float) -> None:
        room = np.empty(1, dtype=np.uint32)
        one_by_one = (draw_rows(key, share, self.numbers[[i]], 1, room) for i in range(self.n))
        self.drawn = self.in_round = np.array([bounds[1] == 1 for bounds in one_by_one])

    def draw_all(self) -> None:
        self.drawn = np.ones(self.n, dtype=bool)

    def is_drawn(self) -> Floats:
        return self.drawn.astype(float)

    def count_drawn(self) -> NDArray[np.int64]:
        return self.counted(self.drawn)

    # ---- weights ---------------------------------------------------------------------------------

    def set_equal_weights(self, scales: Sequence[float]) -> None:
        self.weight = np.where(self.classes[0], *scales)
        self.amounts = []

    def set_weights(self, weight: Floats) -> None:
        self.weight = weight.copy()
        self.amounts = []

    def largest_weights(self, classes: Sequence[int]) -> tuple[float, ...]:
        return tuple(float(self.weight[self.classes[z]].max()) for z in classes)

    def sum_weights(self, classes: Sequence[int], exponents: Sequence[int]) -> tuple[int, ...]:
        return tuple(
            int(quanta(self.weight[self.classes[z]], 2.0**k).sum())
            for z, k in zip(classes, exponents, strict=True)
        )

    def scale_weights(self, classes: Sequence[int], exponents: Sequence[int]) -> None:
        for z, k in zip(classes, exponents, strict=True):
            self.weight[self.classes[z]] *= 2.0**k

    def multiply_side(self, split: Any, ratio: Any, left: Any, classes: Any) -> None:
        on_left = self.on_left(split)
        for z in (0, 1):
            if classes[z]:
                self.weight[self.classes[z] & (on_left == left[z])] *= ratio[z]

    def multiply_all(self, split: Any, factors: Any, classes: Any) -> None:
        on_left = self.on_left(split)
        for z in (0, 1):
            if classes[z]:
                self.weight[self.classes[z] & on_left] *= factors[2 * z]
                self.weight[self.classes[z] & ~on_left] *= factors[2 * z + 1]

    def multiply_bins(self, feature: int, factors: Floats) -> None:
        for z in (0, 1):
            self.weight *= np.where(self.classes[z], factors[z][self.of_bin[:, feature]], 1.0)

    def multiply_leaves(self, factors: Floats) -> None:
        there = self.leaf >= 0
        for z in (0, 1):
            self.weight *= np.where(self.classes[z] & there, factors[z][self.leaf], 1.0)

    def weigh_leaves(self, stump: Any, n_leaves: int) -> NDArray[np.int64]:
        self.leaf = self.leaves(stump)
        sums = [
            [quanta(self.weight)[one & (self.leaf == k)].sum() for k in range(n_leaves)]
            for one in self.classes
        ]
        return np.array(sums)

    def histogram(self) -> NDArray[np.int64]:
        return self.weights_of(self.drawn)

    # ---- Newton ----------------------------------------------------------------------------------

    def set_likelihood(self, *given: Any) -> None:
        self.newton.set_likelihood(Likelihood(*given))

    def linearise(self, plain: bool) -> Largest:
        self.newton.linearise(None, LIMIT, plain)
        self.losses = self.newton.loss
        return self._largest(True)

    def propose(self, direction: Floats, scale: float, trial: Trial) -> Proposed:
        weight = self.newton.weight.copy()
        self.newton.propose(direction, 1.0)
        opposed = self._opposed(weight, self.label() * direction < 0, scale)
        return Proposed(opposed, self.attempt(trial))

    def attempt(self, trial: Trial) -> Largest:
        if trial.linearises:
            self.newton.linearise(trial.step, LIMIT, trial.plain)
        else:
            self.newton.find_losses(trial.step)
        self.losses = self.newton.loss
        return self._largest(trial.linearises)

    def accept(self) -> None:
        self.newton.accept()

    def _largest(self, linearised: bool) -> Largest:
        loss, response, weight = self.newton.loss, self.newton.response, self.newton.weight
        if not linearised:
            return Largest(float(loss.max()))
        return Largest(*(float(np.abs(one).max()) for one in (loss, response, weight)))

    def _opposed(self, weight: Floats, against: Mask, scale: float) -> Opposed:
        of_row = quanta(weight, scale)
        every = int(of_row.sum()) if Part.DRAWN in self.parts else 0
        return Opposed(int(of_row[against].sum()), every)

    def sum_losses(self, scale: float) -> int:
        return int(quanta(self.losses, scale).sum())

    def set_targets(self, scales: Sequence[float]) -> None:
        self.amounts = [
            quanta(self.newton.response, scales[0]),
            quanta(self.newton.weight, scales[1]),
        ]

    def moments(self, x: Floats, scales: Sequence[float]) -> tuple[int, int, int]:
        response, weight = self.newton.response * scales[0], self.newton.weight * scales[1]
        amounts = weight * x, weight * x * x, response * x
        return tuple(int(quanta(one).sum()) for one in amounts)  # type: ignore[return-value]

    # ---- scores of several classes ---------------------------------------------------------------

    def set_score_loss(self, *given: Any) -> None:
        self.loss = ScoreLoss(*given)
        self.code, self.start, n_classes = given[0], given[1], given[3]
        self.score = np.zeros((n_classes, self.n))
        self.direction = np.zeros((n_classes, self.n))

    def linearise_scores(self, step: float) -> tuple[float, ...]:
        self.losses = np.empty(self.n)
        self.responses, self.weights = np.empty((2, *self.score.shape))
        moved = self.score + step * self.direction
        self.loss.evaluate(moved, None, 0.0, self.losses, self.responses, self.weights, 1)
        arrays = self.losses[None], self.responses, self.weights
        return tuple(float(np.abs(row).max()) for one in arrays for row in one)

    def propose_class(self, k: int, direction: Floats, scale: float) -> Opposed:
        self.direction[k] = direction
        return self._opposed(self.weights[k], self.responses[k] * direction < 0, scale)

    def accept_scores(self, step: float) -> None:
        self.direction *= step
        self.score += self.direction

    def set_class_targets(self, k: int, scales: Sequence[float]) -> None:
        self.amounts = [quanta(self.responses[k], scales[0]), quanta(self.weights[k], scales[1])]
        self.drawn = self.in_round

    def confusion(self, scale: float) -> NDArray[np.int64]:
        total = np.zeros((len(self.score),) * 2, dtype=np.int64)
        for i in range(self.n):
            total[self.code[i], self.score[:, i].argmax()] += quanta(self.start, scale)[i]
        return total

    # ---- nodes -----------------------------------------------------------------------------------

    def begin_tree(self, with_counts: bool) -> None:
        self.with_counts = with_counts
        self.nodes = {0: self.drawn.copy()}

    def divide(self, divisions: Sequence[Any]) -> tuple[Any, ...]:
        answers = []
        for parent, split, left, right in divisions:
            rows, on_left = self.nodes[parent], self.on_left(split)
            self.nodes[left], self.nodes[right] = rows & on_left, rows & ~on_left
            sums = self.weights_of(self.nodes[left])
            if self.with_counts:
                sums = np.concatenate([sums, self.counted(self.nodes[left])])
            answers.append((sums, int(self.nodes[left].sum())))
        return tuple(answers)

    def release(self, node: int) -> None:
        assert node in self.nodes

    def node_counts(self, node: int) -> NDArray[np.int64]:
        return self.counted(self.nodes[node])

    def members(self, node: int | None) -> Mask:
        """A mask, in place of the numbers of the rows in their shards."""
        return self.drawn if node is None else self.nodes[node]

    def end_tree(self, leaves: Sequence[int]) -> None:
        self.leaf = np.full(self.n, -1)
        for k, leaf in enumerate(leaves):
            self.leaf[self.nodes[leaf]] = k

    def scores_of_leaves(self, value: Floats) -> Floats:
        return np.where(self.leaf >= 0, value[self.leaf], 0.0)

    # ---- sums of vectors -------------------------------------------------------------------------

    def sums(self, first: Floats, second: Floats, node: int | None, features: Any) -> Any:
        total = self.summed([quanta(first), quanta(second)], self.members(node))
        return total if features is None else total[:, features]

    def rate_moments(self, amount: Floats, rate: Floats, node: int | None, features: Any) -> Any:
        powers = [quanta(amount * rate**k) for k in range(4)]
        return self.summed(powers, self.members(node))[:, features]
