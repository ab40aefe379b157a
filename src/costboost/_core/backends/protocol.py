"""The messages to the rows of a training, each declared once.

``V`` is a vector with one value for each row.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from costboost._core.arithmetic import Floats
from costboost._core.backends.combining import Greatest, Total
from costboost._core.backends.order import Part, message
from costboost._core.engine._kernels import Features, Split, Splits, TreeLimits
from costboost._core.rules.record import Criterion

V = TypeVar("V")
V_co = TypeVar("V_co", covariant=True)
V_contra = TypeVar("V_contra", contravariant=True)

Histogram = NDArray[np.int64]
"""Sums of quanta or counts: two, of every feature and bin."""
Scales = Sequence[float]
Classes = Sequence[int]
Draw = tuple[int, int, bool]
"""Key of a node, number of features drawn for it (0 for all), and whether cuts are drawn."""


LARGEST_LOGIT = 23.025850929840455
"""Logits are clipped to this absolute value: probabilities stay 1e-10 away from 0 and 1."""


class Trial(NamedTuple):
    """A step that is tried in the direction proposed."""

    step: float
    linearises: bool
    """Whether the working response is computed after the step, and not only the loss."""
    plain: bool
    """Whether weights are p (1 - p) of the logit of twice the score, instead of t."""


class Largest(NamedTuple):
    """The largest loss, and response times weight and weight if they are computed, of a row."""

    loss: float
    response: float = 0.0
    weight: float = 0.0


class Opposed(NamedTuple):
    """Weight of the regression on rows that a direction moves the wrong way, in quanta."""

    against: Total[int]
    weight: Total[int]
    """That of all rows, where rows are drawn; otherwise 0."""


class Proposed(NamedTuple):
    """What is found about a direction, and about a step that is tried in it."""

    opposed: Opposed
    largest: Greatest[Largest]


class Division(NamedTuple):
    """A split of a node, and the numbers of its two sides."""

    parent: int
    split: Split
    left: int
    right: int


class WholeTree(NamedTuple):
    """A tree as arrays, parents before their children."""

    left: NDArray[np.int32]
    splits: Splits
    gain: Floats
    share: Floats
    levels: Floats
    sums: tuple[int, int] | None
    """Sums of response and weight over the rows, if they were computed."""


class HasScores(Protocol):
    """A hypothesis that has a value for every row."""

    def scores(self, rows: Any, /) -> NDArray[Any]:
        """The values; rows are binned, or of the kind that it was found on."""


class HasLeaves(Protocol):
    """A hypothesis that has a leaf for every row."""

    def leaves(self, rows: Any, /) -> NDArray[Any]:
        """The numbers of the leaves; rows are binned, or of the kind that it was found on."""


class KnowsRows(Protocol[V]):
    """Facts of the rows, and values of hypotheses."""

    @message()
    def label(self) -> V: ...
    @message()
    def bins(self, feature: int) -> V: ...
    @message()
    def on_left(self, split: Split) -> V: ...
    @message()
    def scores(self, hypothesis: HasScores) -> V: ...
    @message()
    def leaves(self, hypothesis: HasLeaves) -> V: ...
    @message()
    def count(self, copies: bool = False) -> Total[Histogram]: ...
    @message(sets=Part.COPIES, ends=Part.TREE)
    def count_copies(self, copies: V) -> None: ...
    @message()
    def sum_staged(
        self,
        splits: Splits,
        values: Floats,
        limit: Floats,
        row_limit: V | None,
        amount: V | None,
    ) -> Total[NDArray[np.int64]]: ...


class DrawsRows(Protocol[V]):
    """Rows drawn for a round, of which sums are then taken."""

    @message(sets=Part.NUMBERS)
    def number_rows(self, numbers: V) -> None: ...
    @message(needs=Part.NUMBERS, sets=Part.DRAWN, touches=Part.SUMS, ends=Part.TREE)
    def draw(self, key: int, share: float) -> None: ...
    @message(needs=Part.DRAWN, touches=Part.DRAWN | Part.SUMS, ends=Part.TREE)
    def draw_all(self) -> None: ...
    @message(needs=Part.DRAWN)
    def is_drawn(self) -> V: ...
    @message(needs=Part.DRAWN)
    def count_drawn(self) -> Total[Histogram]: ...


class SumsBins(Protocol):
    """Sums of weights, or of targets, in the bins of features."""

    @message(needs=Part.SUMS)
    def histogram(self) -> Total[Histogram]: ...


class SumsLosses(Protocol):
    """Sums of the losses of the rows."""

    @message(needs=Part.LOSSES, ahead="histogram")
    def sum_losses(self, scale: float) -> Total[int]: ...


class KeepsClassWeights(Protocol[V_contra]):
    """Weights of the rows in quanta, which are multiplied by class and leaf."""

    @message(sets=Part.WEIGHTS | Part.SUMS, ends=Part.TREE)
    def set_equal_weights(self, scales: Scales) -> None: ...
    @message(sets=Part.WEIGHTS, ends=Part.SUMS | Part.TREE)
    def set_weights(self, weight: V_contra) -> None: ...
    @message(needs=Part.WEIGHTS)
    def largest_weights(self, classes: Classes) -> Greatest[tuple[float, ...]]: ...
    @message(needs=Part.WEIGHTS)
    def sum_weights(self, classes: Classes, exponents: Sequence[int]) -> Total[tuple[int, ...]]: ...
    @message(needs=Part.WEIGHTS, sets=Part.SUMS, touches=Part.WEIGHTS, ends=Part.TREE)
    def scale_weights(self, classes: Classes, exponents: Sequence[int]) -> None: ...
    @message(needs=Part.WEIGHTS | Part.SUMS, touches=Part.WEIGHTS | Part.SUMS, ends=Part.TREE)
    def multiply_side(
        self, split: Split, ratio: Sequence[float], left: Sequence[bool], classes: Sequence[bool]
    ) -> None: ...
    @message(needs=Part.WEIGHTS, touches=Part.WEIGHTS, ends=Part.SUMS | Part.TREE)
    def multiply_all(
        self, split: Split, factors: Sequence[float], classes: Sequence[bool]
    ) -> None: ...
    @message(needs=Part.WEIGHTS, touches=Part.WEIGHTS, ends=Part.SUMS | Part.TREE)
    def multiply_bins(self, feature: int, factors: Floats) -> None: ...
    @message(needs=Part.WEIGHTS | Part.LEAVES, touches=Part.WEIGHTS, ends=Part.SUMS | Part.TREE)
    def multiply_leaves(self, factors: Floats) -> None: ...
    @message(needs=Part.WEIGHTS | Part.SUMS, sets=Part.LEAVES)
    def weigh_leaves(self, hypothesis: HasLeaves, n_leaves: int) -> Total[Histogram]: ...


class RunsNewton(Protocol[V_contra]):
    """Working response and weight of a logistic likelihood, and steps that are tried."""

    @message(sets=Part.LIKELIHOOD, ends=Part.RESPONSES | Part.DIRECTION | Part.LOSSES)
    def set_likelihood(
        self,
        label: V_contra,
        start: V_contra,
        share: V_contra | float,
        slope: V_contra | float,
        offset: V_contra | float,
        expected: bool = False,
    ) -> None: ...
    @message(needs=Part.LIKELIHOOD, sets=Part.RESPONSES | Part.LOSSES, ends=Part.SUMS | Part.TREE)
    def linearise(self, plain: bool) -> Greatest[Largest]: ...
    @message(
        needs=Part.RESPONSES,
        sets=Part.DIRECTION | Part.LOSSES,
        touches=Part.RESPONSES,
        ends=Part.SUMS | Part.TREE,
    )
    def propose(self, direction: V_contra, scale: float, trial: Trial) -> Proposed: ...
    @message(needs=Part.DIRECTION, touches=Part.RESPONSES | Part.LOSSES, ends=Part.SUMS | Part.TREE)
    def attempt(self, trial: Trial) -> Greatest[Largest]: ...
    @message(needs=Part.DIRECTION, ends=Part.DIRECTION)
    def accept(self) -> None: ...
    @message(needs=Part.RESPONSES, sets=Part.SUMS, ends=Part.WEIGHTS | Part.TREE)
    def set_targets(self, scales: Scales) -> None: ...
    @message(needs=Part.RESPONSES)
    def moments(self, x: V_contra, scales: Scales) -> Total[tuple[int, int, int]]: ...


class ScoresClasses(Protocol[V_contra]):
    """A score for each class, of which one after the other becomes the target."""

    @message(sets=Part.SCORE_LOSS, ends=Part.CLASS_RESPONSES | Part.LOSSES)
    def set_score_loss(
        self,
        code: V_contra,
        start: V_contra,
        log_cost: Floats | None,
        n_classes: int,
        exponential: bool,
    ) -> None: ...
    @message(
        needs=Part.SCORE_LOSS, sets=Part.CLASS_RESPONSES | Part.LOSSES, ends=Part.SUMS | Part.TREE
    )
    def linearise_scores(self, step: float) -> Greatest[tuple[float, ...]]: ...
    @message(needs=Part.CLASS_RESPONSES, touches=Part.CLASS_RESPONSES)
    def propose_class(self, k: int, direction: V_contra, scale: float) -> Opposed: ...
    @message(needs=Part.SCORE_LOSS, touches=Part.SCORE_LOSS)
    def accept_scores(self, step: float) -> None: ...
    @message(needs=Part.CLASS_RESPONSES, sets=Part.SUMS, ends=Part.WEIGHTS | Part.TREE)
    def set_class_targets(self, k: int, scales: Scales) -> None: ...
    @message(needs=Part.SCORE_LOSS)
    def confusion(self, scale: float) -> Total[NDArray[np.int64]]: ...


class HoldsNodes(Protocol[V_co]):
    """The nodes of a tree that grows, and the leaves of the one grown last."""

    @message(needs=Part.SUMS, sets=Part.TREE, ends=Part.LEAVES)
    def begin_tree(self, with_counts: bool) -> None: ...
    @message(needs=Part.TREE, touches=Part.TREE)
    def divide(self, divisions: Sequence[Division]) -> Total[tuple[tuple[Histogram, int], ...]]: ...
    @message(needs=Part.TREE, touches=Part.TREE)
    def release(self, node: int) -> None: ...
    @message(needs=Part.TREE)
    def node_counts(self, node: int) -> Total[Histogram]: ...
    @message()
    def members(self, node: int | None) -> V_co: ...
    @message(needs=Part.TREE, ends=Part.TREE, sets=Part.LEAVES)
    def end_tree(self, leaves: Sequence[int]) -> None: ...
    @message(needs=Part.LEAVES)
    def scores_of_leaves(self, value: Floats) -> V_co: ...


class SumsVectors(Protocol[V_contra]):
    """Sums of vectors in the bins of features."""

    @message()
    def sums(
        self,
        first: V_contra,
        second: V_contra,
        node: int | None,
        features: NDArray[np.int32] | None = None,
    ) -> Total[Histogram]: ...
    @message()
    def rate_moments(
        self, amount: V_contra, rate: V_contra, node: int | None, features: NDArray[np.int32]
    ) -> Total[NDArray[np.int64]]: ...


class GrowsTrees(Protocol):
    """Rows on which a whole tree is grown at once."""

    def grow(
        self,
        features: Features,
        units: Sequence[float] | None,
        shares: Sequence[float] | None,
        criterion: Criterion,
        limits: TreeLimits,
        draw: Draw | None,
    ) -> WholeTree: ...


class Backend(
    KnowsRows[V],
    DrawsRows[V],
    SumsBins,
    SumsLosses,
    KeepsClassWeights[V],
    RunsNewton[V],
    ScoresClasses[V],
    HoldsNodes[V],
    SumsVectors[V],
    Protocol[V],
):
    """The rows of a training, wherever they are."""

    n_threads: int
    """Number of threads of this process that work on the rows."""

    @property
    def trees(self) -> GrowsTrees | None:
        """Grower of whole trees; None if trees are grown by nodes."""

    def spread(self, values: NDArray[Any]) -> V:
        """A vector from the values of all rows, shard after shard."""

    def gather(self, vector: V) -> NDArray[Any]:
        """The values of a vector, shard after shard."""

    def arranged(self, values: NDArray[Any], positive: NDArray[np.uint8]) -> NDArray[Any]:
        """Values in the order of a training's rows, shard after shard and positives first."""

    def lanes(self, n: int) -> Sequence[Backend[V]]:
        """The same rows for trees side by side in n threads; none where that is no use.

        Each has sums and trees of its own; scores, responses and rows drawn are those of this one.
        """
