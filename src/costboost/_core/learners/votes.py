"""Learners of several classes: stumps and trees that vote, and a learner for each class."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from costboost._core.arithmetic import Floats, first_least
from costboost._core.engine._kernels import (
    BINS,
    MISSING,
    TIE,
    Interactions,
    Split,
    may_follow,
    order_categories,
)
from costboost._core.engine.binning import Binning
from costboost._core.engine.ensemble import Ensemble, Node, ScoreTrees
from costboost._core.learners import Hypothesis, Laid, WeakLearner
from costboost._core.learners.tree import LEAST_GAIN, Branch, Tree, laid, longer
from costboost._core.rows import Grown, NodeRows, Rows
from costboost._core.rules import Criterion

Codes = NDArray[np.intp]


class VoteTree(Tree):
    """A tree whose leaves vote for classes."""

    def __init__(self, grown: Grown, vote: Codes, codes: Floats) -> None:
        super().__init__(grown, vote.astype(np.float64))
        self.vote = vote
        self.codes = codes
        """Row k: what a vote for class k adds to the score of each class."""

    def scores(self, rows: Any) -> NDArray[np.float64]:
        result: NDArray[np.float64] = self.codes[self.vote[self.leaves(rows)]]
        return result


class BinSums(NamedTuple):
    """Sums over the rows of a node in the bins of all features."""

    amounts: Floats
    """Weight of each class: classes x features x bins."""
    counts: NDArray[np.int64]
    """Number of rows: features x bins."""

    @property
    def total(self) -> Floats:
        """Weight of each class."""
        totals: Floats = self.amounts[:, 0].sum(axis=1)
        return totals


def combined(matrix: Floats, amounts: Floats) -> Floats:
    """Sums over j of matrix[j, k] amounts[j] for each k, added in the order of j."""
    result = np.zeros(amounts.shape)
    for row, amount in zip(matrix, amounts, strict=True):
        for k, factor in enumerate(row.tolist()):
            if factor:
                result[k] += factor * amount
    return result


# ---- candidates ----------------------------------------------------------------------------------


class Cuts(NamedTuple):
    """Ways to divide the bins of a feature, missing values apart: a row for each."""

    left: NDArray[np.bool_]
    """Bins that go left."""
    right: NDArray[np.bool_]
    """Bins that go right."""
    n_ordered: int = 0
    """Number of bins if the cuts are those between neighbouring ones, else 0."""

    def sums(self, values: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
        """Sums of the last axis over the bins on the left and on the right of each cut."""
        n = self.n_ordered
        if n:
            inside = values[..., :n]
            below = inside.cumsum(axis=-1)[..., :-1]
            above = inside[..., ::-1].cumsum(axis=-1)[..., ::-1][..., 1:]
            return below, above
        left, right = (
            np.where(mask, values[..., None, :], 0).cumsum(axis=-1)[..., -1]
            for mask in (self.left, self.right)
        )
        return left, right


def cuts_of_numbers(n_bins: int) -> Cuts:
    """Every cut between two neighbouring bins."""
    below = np.arange(BINS) <= np.arange(n_bins - 1)[:, None]
    inside = np.arange(BINS) < n_bins
    return Cuts(below & inside, ~below & inside, n_bins)


def cuts_of_categories(merit: Floats, counts: NDArray[np.int64]) -> Cuts:
    """For each class, categories by the share of its merit: every prefix of this order."""
    total = merit.sum(axis=0)
    sides = []
    for own in merit:
        order = order_categories(np.ascontiguousarray(own), np.ascontiguousarray(total))
        for m in range(1, order.size):
            chosen = np.zeros(BINS, dtype=bool)
            chosen[order[:m]] = True
            sides.append(chosen)
    left = np.array(sides, dtype=bool).reshape(-1, BINS)
    inside = np.zeros(BINS, dtype=bool)
    inside[: counts.size] = True
    return Cuts(left, ~left & inside)


class Sides(NamedTuple):
    """Sums of the two sides of every cut of a feature, and of the missing values."""

    left: Floats
    """classes x cuts."""
    right: Floats
    missing: Floats
    """Of each class."""
    heavier_left: NDArray[np.bool_]
    """Whether the left side of each cut weighs at least as much as the right one."""
    allowed: NDArray[np.bool_]
    """Whether both sides are large enough with missing values right, and left: 2 x cuts."""

    @classmethod
    def of(
        cls, sums: Floats, weight: Floats, counts: NDArray[np.int64], cuts: Cuts, least: int
    ) -> Sides:
        """``sums`` (classes x bins), weights and counts of the bins of a feature."""
        left, right = cuts.sums(sums)
        below, above = cuts.sums(weight)
        n_left, n_right = cuts.sums(counts)
        n_missing = int(counts[MISSING])
        allowed = np.array(
            [
                (n_left >= least) & (n_right + n_missing >= least),
                (n_left + n_missing >= least) & (n_right >= least),
            ]
        )
        if n_missing == 0:
            allowed[:] = allowed[0]
        return cls(left, right, sums[:, MISSING], above <= below + TIE, allowed)

    def placed(self, if_right: Floats, if_left: Floats) -> tuple[Floats, NDArray[np.bool_]]:
        """Values of candidates and whether missing values go left; cuts are the last axis."""
        value = np.where(self.allowed[0], if_right, np.inf)
        other = np.where(self.allowed[1], if_left, np.inf)
        with np.errstate(invalid="ignore"):
            tied = np.abs(value - other) <= TIE
        goes_left = np.where(tied, self.heavier_left, other < value)
        return np.where(goes_left, other, value), goes_left


class FoundSplit(NamedTuple):
    """A split of a node, its criterion, and the votes of its sides if it is a stump."""

    split: Split
    value: float
    votes: tuple[int, int] | None = None


# ---- the search ----------------------------------------------------------------------------------


class Search:
    """Candidates for the split of a node."""

    def __init__(self, rows: Rows, sums: BinSums, price: Floats, least: int, scale: float) -> None:
        self.rows = rows
        self.sums = sums
        self.least = least
        greatest = price.max(axis=1, keepdims=True)
        self.weight = (sums.amounts * (greatest / scale)[:, :, None]).sum(axis=0)
        self.price = combined(price / scale, sums.amounts)
        self.merit = combined((greatest - price) / scale, sums.amounts)

    def _cuts(self, f: int) -> Cuts:
        n_bins = int(self.rows.n_bins[f])
        if self.rows.categorical[f]:
            return cuts_of_categories(self.merit[:, f, :n_bins], self.sums.counts[f, :n_bins])
        return cuts_of_numbers(n_bins)

    def _sides(self, f: int, sums: Floats, cuts: Cuts) -> Sides:
        return Sides.of(sums[:, f], self.weight[f], self.sums.counts[f], cuts, self.least)

    def votes_of(self, f: int) -> tuple[Floats, NDArray[np.bool_], Cuts]:
        """Price of every cut and pair of different votes (cuts x left x right)."""
        cuts = self._cuts(f)
        sides = self._sides(f, self.price, cuts)
        both = sides.left[:, None, :] + sides.right[None, :, :]
        missing = sides.missing
        value, goes_left = sides.placed(
            both + missing[None, :, None], both + missing[:, None, None]
        )
        n_classes = len(missing)
        value[np.arange(n_classes), np.arange(n_classes)] = np.inf
        return value.transpose(2, 0, 1), goes_left.transpose(2, 0, 1), cuts

    def spread_of(self, f: int) -> tuple[Floats, NDArray[np.bool_], Cuts]:
        """Criterion of a tree for every cut."""
        cuts = self._cuts(f)
        sides = self._sides(f, self.merit, cuts)
        missing = sides.missing[:, None]
        value, goes_left = sides.placed(
            spread(sides.left) + spread(sides.right + missing),
            spread(sides.left + missing) + spread(sides.right),
        )
        return value, goes_left, cuts

    def features(self, group: NDArray[np.intp] | None) -> Iterator[int]:
        """Features with a value that is not missing."""
        every = range(self.rows.n_features) if group is None else group.tolist()
        return (f for f in every if self.rows.varies[f])

    def best(self, of: Any, group: NDArray[np.intp] | None, worst: float) -> FoundSplit | None:
        """The first candidate within `TIE` of the least, of those not above ``worst``."""
        least = [(float(of(f)[0].min(initial=np.inf)), f) for f in self.features(group)]
        lowest = min((value for value, _ in least), default=np.inf)
        if lowest == np.inf or lowest > worst:
            return None
        f = next(f for value, f in least if value <= lowest + TIE)
        value, goes_left, cuts = of(f)
        place = int(np.flatnonzero(value.ravel() <= lowest + TIE)[0])
        index = np.unravel_index(place, value.shape)
        left = cuts.left[index[0]].copy()
        missing_left = bool(goes_left[index])
        left[MISSING] = missing_left
        bin_ = 0 if self.rows.categorical[f] else int(index[0])
        split = Split(f, bin_, 1, missing_left, left.astype(np.uint8))
        votes = (int(index[1]), int(index[2])) if len(index) == 3 else None
        return FoundSplit(split, float(value[index]), votes)

    def vote(self) -> int:
        """The class of least price if the node is a leaf."""
        return first_least(self.constants)

    @property
    def constants(self) -> Floats:
        """Price of a vote for each class by all rows of the node."""
        prices: Floats = self.price[:, 0].cumsum(axis=1)[:, -1]
        return prices

    @property
    def whole(self) -> float:
        """Criterion of a tree if the node is a leaf."""
        return float(spread(self.merit[:, 0].cumsum(axis=1)[:, -1:])[0])


def spread(merit: Floats) -> Floats:
    """Sum over the classes of sqrt(V_k (V - V_k)); classes are the first axis."""
    total = merit[0].copy()
    for one in merit[1:]:
        total += one
    result = np.zeros(total.shape)
    for one in merit:
        result += np.sqrt(np.maximum(one * (total - one), 0.0))
    return result


# ---- the learner ---------------------------------------------------------------------------------


class VoteLearner:
    """Finds a stump, or grows a tree, that votes for one of several classes.

    Parameters
    ----------
    binning : Binning
    codes : array of shape (n_classes, n_classes)
        Row k: what a vote for class k adds to the score of each class.
    max_depth, max_leaf_nodes : int or None
        Limits of the tree; one that may split once is a stump.
    min_samples_leaf : int
    interactions : Interactions or None
        Which features may meet on a path of a tree.
    """

    def __init__(
        self,
        binning: Binning,
        codes: Floats,
        max_depth: int | None,
        max_leaf_nodes: int | None,
        min_samples_leaf: int,
        interactions: Interactions | None = None,
    ) -> None:
        self.binning = binning
        self.codes = codes
        self.max_depth = max_depth
        self.max_leaf_nodes = max_leaf_nodes
        self.min_samples_leaf = min_samples_leaf
        self.interactions = interactions

    def find(self, rows: Rows, criterion: Criterion) -> VoteTree:
        if self.max_depth == 1 or self.max_leaf_nodes == 2:
            return self._stump(rows)
        return self._grown(rows)

    def _sums(self, rows: Rows, node: NodeRows) -> BinSums:
        """Weights of all classes in the bins, and the number of rows."""
        columns = rows.votes.columns
        amounts: list[Floats] = []
        for k in range(0, len(columns), 2):
            pair = columns[k], columns[min(k + 1, len(columns) - 1)]
            both, _ = rows.sums(*pair, node)
            amounts += list(both[: len(columns) - k])
        return BinSums(np.array(amounts[: len(columns)]), rows.node_counts(node).sum(axis=0))

    def _search(self, rows: Rows, node: NodeRows, scale: float | None = None) -> Search:
        sums = self._sums(rows, node)
        price = rows.votes.price
        if scale is None:
            scale = float((sums.total * price.max(axis=1)).sum()) or 1.0
            self._scale = scale
        return Search(rows, sums, price, self.min_samples_leaf, scale)

    def _stump(self, rows: Rows) -> VoteTree:
        root = Branch(rows.root(True), (0.0, 0.0), 0)
        search = self._search(rows, root.rows)
        constants = search.constants
        worst = float(constants.min()) + TIE
        found = None
        for group in rows.drawn_features(0):
            found = search.best(search.votes_of, group, worst)
            if found is not None:
                break
        if found is None:
            return self._tree(rows, [root], np.array([search.vote()]))
        root.split, root.gain = found.split, 1.0
        assert found.votes is not None
        children = self._divided(rows, root)
        return self._tree(rows, [root, *children], np.array(found.votes))

    def _grown(self, rows: Rows) -> VoteTree:
        root = Branch(rows.root(True), (0.0, 0.0), 0)
        branches, votes = [root], [self._consider(rows, root, 0, None)]
        n_leaves = 1
        while self.max_leaf_nodes is None or n_leaves < self.max_leaf_nodes:
            gains = [0.0 if one.children else one.gain for one in branches]
            greatest = max(gains)
            if not greatest > LEAST_GAIN:
                break
            parent = branches[next(k for k, gain in enumerate(gains) if gain >= greatest - TIE)]
            for child in self._divided(rows, parent):
                votes.append(self._consider(rows, child, len(branches), self._scale))
                branches.append(child)
            n_leaves += 1
        of_leaves = [vote for one, vote in zip(branches, votes, strict=True) if not one.children]
        return self._tree(rows, branches, np.array(of_leaves))

    def _consider(self, rows: Rows, branch: Branch, place: int, scale: float | None) -> int:
        """Find the best split of a new leaf; return its vote."""
        search = self._search(rows, branch.rows, scale)
        if self.max_depth is None or branch.depth < self.max_depth:
            whole = search.whole
            allowed = None
            if self.interactions is not None:
                allowed = may_follow(self.interactions, branch.path, rows.n_features)
            for group in rows.drawn_features(place, allowed):
                found = search.best(search.spread_of, group, np.inf)
                if found is not None and whole - found.value > LEAST_GAIN:
                    branch.split, branch.gain = found.split, whole - found.value
                    break
        return search.vote()

    @staticmethod
    def _divided(rows: Rows, parent: Branch) -> list[Branch]:
        assert parent.split is not None
        sides = rows.divide(parent.rows, parent.split)
        path = longer(parent.path, parent.split.feature)
        parent.children = [Branch(side, (0.0, 0.0), parent.depth + 1, path=path) for side in sides]
        return parent.children

    def _tree(self, rows: Rows, branches: Sequence[Branch], votes: Codes) -> VoteTree:
        return VoteTree(laid(rows, list(branches)), votes, self.codes)

    # ---- earlier fits, and the ensemble ----------------------------------------------------------

    def recall(self, rows: Rows, memory: Sequence[Any], criterion: Criterion) -> VoteTree:
        """A tree of an earlier fit: the trees of all classes, which test the same."""
        nodes: Sequence[Node] = memory[0]
        branches = {0: Branch(rows.root(True), (0.0, 0.0), 0)}
        for k, node in enumerate(nodes):
            if node.left >= 0:
                parent = branches[k]
                parent.gain, parent.split = node.gain, self.binning.split(node)
                pair = self._divided(rows, parent)
                branches[node.left], branches[node.left + 1] = pair
        ordered = [branches[k] for k in sorted(branches)]
        leaves = [k for k, node in enumerate(nodes) if node.left < 0]
        added = np.array([[tree[k].value for tree in memory] for k in leaves])
        size = np.abs(added).max()
        return self._tree(rows, ordered, self._votes(added / size if size else added))

    def _votes(self, added: Floats) -> Codes:
        """The votes that added these scores (leaves x classes), up to a factor above 0."""
        codes = self.codes / np.abs(self.codes).max()
        likeness = np.array([[float((one * code).sum()) for code in codes] for one in added])
        length = np.sqrt((codes * codes).sum(axis=1))
        return np.asarray((likeness / length).argmax(axis=1), dtype=np.intp)

    def memory(self, trees: ScoreTrees) -> list[list[Any]]:
        """The trees of each round of an ensemble, for `recall`."""
        n = len(self.codes)
        return [[trees.tree(t + k) for k in range(n)] for t in range(0, len(trees), n)]

    def model(self, rounds: Laid) -> ScoreTrees:
        """A tree for each class in each round: they test the same, and have scores of their own."""
        n = len(self.codes)
        every = [(tree, step, k) for tree, step in rounds for k in range(n)]
        trees = Ensemble.from_tests(
            np.array([tree.grown.left.size for tree, _, _ in every]),
            np.concatenate([tree.grown.left for tree, _, _ in every]),
            self.binning.tests([tree.grown.splits for tree, _, _ in every]),
            np.concatenate([step * self.codes[tree.vote, k] for tree, step, k in every]),
            np.concatenate([tree.grown.gain for tree, _, _ in every]),
        )
        return ScoreTrees.of(trees, np.arange(len(every)) % n)


# ---- a weak learner for the score of each class: K hypotheses a round ----------------------------


class ClassHypotheses:
    """The hypotheses of all classes in a round."""

    tree = None

    def __init__(self, members: list[Hypothesis], error: float) -> None:
        self.members = members
        self.error = error
        """Weight share of the pairs (row, class) whose score is moved the wrong way."""
        self.confusion: Floats | None = None
        """Weight share of each class of the training rows that is decided to be each, if known."""

    def scores(self, rows: Any) -> Floats:
        """Values of the hypotheses for every row, a column for each class."""
        return np.column_stack([one.scores(rows) for one in self.members])


class EachClassLearner:
    """Finds a hypothesis for the score of each class, all at the same scores.

    Parameters
    ----------
    learner : WeakLearner
        Finds the hypothesis of one class, for its working response.
    n_classes : int
    """

    def __init__(self, learner: WeakLearner, n_classes: int) -> None:
        self.learner = learner
        self.n_classes = n_classes

    def find(self, rows: Rows, criterion: Criterion) -> ClassHypotheses | None:
        return self._found(rows, criterion, [None] * self.n_classes)

    def recall(self, rows: Rows, memory: Sequence[Any], criterion: Criterion) -> Any:
        return self._found(rows, criterion, memory)

    def _found(
        self, rows: Rows, criterion: Criterion, memory: Sequence[Any]
    ) -> ClassHypotheses | None:
        """Hypotheses of all classes: those in ``memory``, or the best where that is None."""

        def find(own: Rows, k: int) -> tuple[Hypothesis, float, float] | None:
            by = criterion
            if criterion.smoothing or criterion.per_category:
                by = criterion.per_weight(criterion.smoothing, 1.0, own.response.total_weight)
            one = (
                self.learner.find(own, by)
                if memory[k] is None
                else self.learner.recall(own, memory[k], by)
            )
            if one is None:
                return None
            return one, *own.responses.classes[k].propose_class(own.scores(one))

        members, wrong, total = [], 0.0, 0.0
        for found in rows.each_class(find):
            if found is None:
                return None
            one, against, weight = found
            wrong, total = wrong + against, total + weight
            members.append(one)
        return ClassHypotheses(members, wrong / total)

    def memory(self, trees: ScoreTrees) -> list[list[Any]]:
        """The trees of each round of an ensemble, for `recall`."""
        n = self.n_classes
        return [[trees.tree(t + k) for k in range(n)] for t in range(0, len(trees), n)]

    def model(self, rounds: Laid) -> ScoreTrees:
        """The trees of all rounds, those of a round one behind the other."""
        every = [(one, step) for found, step in rounds for one in found.members]
        column = np.arange(len(every)) % self.n_classes
        return ScoreTrees.of(self.learner.model(every), column)
