"""Inputs of training: settings, rows with their weights and costs, and splits of the rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import reduce
from math import isqrt
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import (
    GroupShuffleSplit,
    LeaveOneGroupOut,
    LeaveOneOut,
    StratifiedGroupKFold,
    StratifiedKFold,
    train_test_split,
)
from sklearn.utils import check_random_state

from costboost._core.arithmetic import Floats
from costboost._core.arrays import Indices
from costboost._core.checks import check_folds, quoted, refuse_divided_groups
from costboost._core.engine._kernels import hash_of
from costboost._core.engine.binning import BinnedData, Binning
from costboost._core.model import BinaryModel, DecisionRule
from costboost._core.model.constraints import UNCONSTRAINED, Constraints
from costboost._core.rows import Draws, Rows, local_rows
from costboost._core.rules import Costs, Rule
from costboost._core.tables import Features, Table
from costboost._core.threads import threads
from costboost._core.training.copies import complete, folds_of_copies, written_again

Scorer = Callable[[BinaryModel, "Problem"], float]


def is_share(split: Any) -> bool:
    """Whether some rows are held out once, rather than all of them in turn."""
    return isinstance(split, Real) and not isinstance(split, Integral)


class Seed:
    """A seed that is drawn from ``random_state`` when it is first needed.

    If that is None, a whole number is drawn in its place: as ``random_state`` it gives the same.
    """

    def __init__(
        self, random_state: Any, value: int | None = None, in_place: int | None = None
    ) -> None:
        self.random_state = random_state
        self.value = value
        self.in_place = in_place

    def __call__(self) -> int:
        if self.value is None:
            state = self.random_state
            if state is None:
                state = self.in_place = int(check_random_state(None).randint(2**31 - 1))
            self.value = int(check_random_state(state).randint(2**31 - 1))
        return self.value


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The parameters of a fit, checked."""

    name: str
    """Name of the classifier, for messages."""
    rule: Rule
    learner: str
    """Name of the weak learner; "wrapped" for a scikit-learn classifier."""
    estimator: Any
    """The scikit-learn classifier, if there is one."""
    resample: bool
    n_estimators: int
    learning_rate: float
    initial_weights: str
    negative_step: str
    max_depth: int | None
    max_leaf_nodes: int | None
    min_samples_leaf: int
    max_features: Any
    splitter: str
    subsample: float
    l2_regularization: float
    max_bins: int
    rows_per_bin: int
    """A feature has at most one bin for this many rows."""
    categorical_features: Any
    early_stopping: bool
    validation_fraction: float | None
    n_iter_no_change: int
    tol: float
    scorer: Scorer | None
    """The user's score for early stopping."""
    stops_on_log_loss: bool
    """Without a scorer: whether early stopping uses the log loss instead of the mean cost."""
    calibration: str | None
    calibration_split: Any
    n_jobs: int | None
    verbose: int
    seed: Seed
    chosen: dict[str, Any] = field(default_factory=dict)
    """The parameters in which an alternative differs from those of the classifier."""
    alternatives: tuple[Settings, ...] = ()
    """Settings among which calibration chooses, or which are averaged."""
    usual_rounds: int | None = None
    """Rounds by which ensembles of an average usually end, where held-out rows decide; or None."""
    may_take_more_rounds: bool = True
    """Whether held-out rows may lead to more rounds than usual."""
    size: str = ""
    """What distinguishes an alternative from another one with the same learner."""
    averages: bool = False
    """Whether the ensembles of folds and alternatives are averaged."""
    constraints: Constraints = UNCONSTRAINED
    """Monotone features, and features that may interact."""
    stream: tuple[int, ...] = ()
    """Numbers that, next to the seed, determine which rows and features are drawn."""

    @property
    def share_held_out(self) -> float:
        """Share of the rows that calibration holds out once; 0 for folds."""
        once = self.calibration is not None and is_share(self.calibration_split)
        return float(self.calibration_split) if once else 0.0

    def with_seed(self, seed: Seed) -> Settings:
        """The settings, and their alternatives, with another seed."""
        alternatives = tuple(replace(one, seed=seed) for one in self.alternatives)
        return replace(self, seed=seed, alternatives=alternatives)

    def with_rule(self, rule: Rule) -> Settings:
        """The settings, and their alternatives, with another rule."""
        alternatives = tuple(replace(one, rule=rule) for one in self.alternatives)
        return replace(self, rule=rule, alternatives=alternatives)

    def with_constraints(self, constraints: Constraints) -> Settings:
        """The settings, and their alternatives, with constraints."""
        if constraints == self.constraints:
            return self
        alternatives = tuple(replace(one, constraints=constraints) for one in self.alternatives)
        return replace(self, constraints=constraints, alternatives=alternatives)

    @property
    def member(self) -> str:
        """Name of the weak learner among those of an average."""
        drawn = "random" if self.splitter == "random" else ""
        return " ".join(filter(None, (self.size, drawn, self.learner)))

    @property
    def draws(self) -> bool:
        """Whether rows, features or thresholds are drawn."""
        own = self.max_features is not None or self.subsample < 1 or self.splitter == "random"
        return own or any(one.draws for one in self.alternatives)

    def draws_of(self, rows: Rows) -> Draws | None:
        """How rows and features are drawn; None if all of them are used in every round."""
        number = n_drawn(self.max_features, rows.varies)
        cuts = self.splitter == "random"
        if number is None and self.subsample == 1 and not cuts:
            return None
        key = reduce(hash_of, self.stream, self.seed())
        return Draws(key, float(self.subsample), number, cuts)

    @property
    def first(self) -> Settings:
        """The first alternative, or the settings themselves if there are none."""
        return self.alternatives[0] if self.alternatives else self

    @property
    def wraps(self) -> bool:
        """Whether the weak learner is a scikit-learn classifier."""
        return self.learner == "wrapped"

    @property
    def holds_out(self) -> bool:
        """Whether training holds out rows, of every class, for calibration or early stopping."""
        watches = self.early_stopping and self.validation_fraction is not None
        return self.calibration is not None or watches


def n_drawn(max_features: Any, varies: NDArray[np.bool_]) -> int | None:
    """Number of features to draw for each split, of those that vary; None for all."""
    n_features = int(np.count_nonzero(varies))
    if max_features is None or not n_features:
        return None
    if max_features == "sqrt":
        number = isqrt(n_features)
    elif max_features == "log2":
        number = n_features.bit_length() - 1
    elif is_share(max_features):
        number = int(max_features * n_features)
    else:
        number = int(max_features)
    if number > varies.size:
        raise ValueError(
            f"max_features={max_features} must not be above the number of features, {varies.size}"
        )
    return None if number >= n_features else max(number, 1)


# ---- the rows to learn from, and the weights they begin with -------------------------------------


RELATIVE_UNIT = 2**20
"""Count of a row of mean weight in quantiles, if weights are relative."""
MAX_COPIES = 2**53
MAX_BINS = 255
"""Greatest number of bins of a feature, not counting the one for missing values."""
MIN_BINS = 16
"""A feature may have this many bins, however few rows there are."""
ROWS_OF_A_STRATUM = 10
"""Rows of a class from which on held-out rows are stratified by it, with several classes."""
USUAL_BINS = {"lookup": 16}
"""Default number of bins, for weak learners that do not use MAX_BINS."""


def are_relative(weight: NDArray[np.float64] | None, usual_weight: float) -> bool:
    """Whether weights are not counts of rows, because some are not whole numbers.

    Wherever rows are counted, each row then counts as one: weights with a sum of 1 do not make all
    rows count as a single one.
    """
    counts = np.array([usual_weight]) if weight is None else weight
    return bool(np.any(counts != np.floor(counts)) or counts.sum() > MAX_COPIES)


@dataclass(frozen=True, kw_only=True)
class Problem:
    """Rows of two classes, or of several, with weights and costs, checked."""

    table: Table
    """All rows given to `fit`."""
    rows: NDArray[np.intp] | None = None
    """Numbers of the rows of the table that belong to the problem; None for all."""
    features: Features
    classes: NDArray[Any]
    positive_index: int
    positive: NDArray[np.uint8]
    weight: NDArray[np.float64] | None
    """Sample weights, or None if they are constant."""
    costs: Costs
    groups: NDArray[np.intp] | None = None
    """A number for the group of each row; no split separates rows of a group."""
    usual_weight: float = 1.0
    """The constant sample weight."""
    relative: bool = False
    """Whether weights are not counts of rows."""
    data: Any = None
    """The rows of the fit, binned: `BinnedData`, or their equivalent on a cluster."""
    trained: NDArray[np.bool_] | None = None
    """Rows to train on, the others being for calibration only; None for all."""
    keeps_cuts: bool = False
    """Whether folds keep the cuts of all rows, instead of being binned by themselves."""
    code: NDArray[np.intp] | None = None
    """Number of the class of each row, if there are several; no row is positive then."""
    matrix: NDArray[np.float64] | None = None
    """With several classes, cost of predicting class j (column) where class i (row) is true."""
    description: str = ""
    """Which class is set against the rest, for error messages."""

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.positive.size)

    @property
    def truth(self) -> NDArray[Any]:
        """Number of the class of each row; with two classes, whether it is positive."""
        return self.positive if self.code is None else self.code

    @property
    def strata(self) -> NDArray[Any]:
        """Classes by which held-out rows are stratified; rare ones of several count as the largest.

        A fold then need not have rows of every class.
        """
        if self.code is None:
            return self.positive
        counting = slice(None) if self.weight is None else self.weight > 0
        sizes = np.bincount(self.code[counting], minlength=len(self.classes))
        stratum = np.where(sizes >= ROWS_OF_A_STRATUM, np.arange(sizes.size), sizes.argmax())
        if np.unique(stratum).size < 2:
            return self.code
        return np.asarray(stratum[self.code])

    @property
    def class_shares(self) -> NDArray[np.float64]:
        """Weighted share of each class, if there are several."""
        assert self.code is not None
        total = np.bincount(self.code, self.weight, len(self.classes))
        return np.asarray(total / total.sum())

    @property
    def row_numbers(self) -> NDArray[np.intp]:
        """Number of each row in the table."""
        return np.arange(self.n_rows) if self.rows is None else self.rows

    @property
    def own_table(self) -> Table:
        """The rows of the problem as a table of their own."""
        return self.table if self.rows is None else self.table.take(self.rows)

    @property
    def counts(self) -> NDArray[np.float64]:
        """The weight of each row."""
        return np.full(self.n_rows, self.usual_weight) if self.weight is None else self.weight

    @property
    def copies(self) -> NDArray[np.int64] | None:
        """Number of copies that each row stands for; None if it is one for every row."""
        if self.relative or (self.weight is None and self.usual_weight == 1):
            return None
        return self.counts.astype(np.int64)

    @property
    def quantile_counts(self) -> NDArray[np.int64] | None:
        """Count of each row in quantiles, weights being positive; None if all are equal."""
        if self.weight is None or not self.relative:
            return self.copies
        parts = np.rint(self.weight / self.weight.mean() * RELATIVE_UNIT)
        return np.asarray(np.maximum(parts, 1), dtype=np.int64)

    @property
    def seen(self) -> NDArray[np.float64]:
        """How often each row was observed: its weight, or once if weights are relative."""
        return np.ones(self.n_rows) if self.relative else self.counts

    @property
    def cost(self) -> NDArray[np.float64]:
        """Cost of a mistake on each row."""
        return np.asarray(self.costs.of_class(self.positive), dtype=np.float64)

    @property
    def largest_cost(self) -> float:
        """Greatest absolute cost of a mistake; 1 if mistakes cost nothing."""
        return float(np.abs(self.cost).max()) or 1.0

    @property
    def per_row_costs(self) -> bool:
        """Whether costs differ from row to row within a class."""
        return bool(np.ndim(self.costs.fn) or np.ndim(self.costs.fp))

    @property
    def prior(self) -> float:
        """Weighted share of the positives."""
        if self.weight is None:
            return int(np.count_nonzero(self.positive)) / self.positive.size
        return float(np.average(self.positive, weights=self.weight))

    def take(self, rows: NDArray[np.intp]) -> Problem:
        """The problem of these rows, numbered within the problem.

        Unless it keeps its cuts, it is binned by itself, so that a model of these rows does not
        depend on the others.
        """
        costs = Costs(*[c[rows] if np.ndim(c) else c for c in self.costs])
        weight = None if self.weight is None else self.weight[rows]
        return replace(
            self,
            rows=rows if self.rows is None else self.rows[rows],
            data=self.data if self.keeps_cuts else None,
            positive=self.positive[rows],
            code=None if self.code is None else self.code[rows],
            groups=None if self.groups is None else self.groups[rows],
            weight=weight,
            costs=costs,
            trained=None if self.trained is None else self.trained[rows],
        )

    def training_part(self) -> Problem:
        """The problem of the rows to train on."""
        return self if self.trained is None else self.take(np.flatnonzero(self.trained))

    def counting(self) -> Problem:
        """The problem without rows of weight 0."""
        if self.weight is None or self.weight.all():
            return self
        return replace(self.take(np.flatnonzero(self.weight)), data=self.data)

    def mean_costs(self) -> Costs:
        """The costs, averaged over rows if they differ from row to row."""
        return Costs(
            *[float(np.average(c, weights=self.weight)) if np.ndim(c) else c for c in self.costs]
        )

    def binned(self, settings: Settings) -> Problem:
        """The problem with its rows binned, unless they are already or the learner reads values."""
        if self.data is not None or settings.wraps:
            return self
        counting = self.counting()
        table: Any = counting.own_table
        n_threads = counting.n_threads(settings)
        binning = counting.find_bins(table, settings, n_threads)
        data: Any
        if table.remote:
            data = table.binned(binning, counting.positive, settings.n_jobs)
        else:
            data = BinnedData(table, binning, counting.positive, n_threads, counting.rows)
        return replace(self, data=data)

    def find_bins(self, table: Any, settings: Settings, n_threads: int) -> Binning:
        """Cuts and category codes of the rows of the problem."""
        max_bins = settings.max_bins
        if max_bins == MAX_BINS:
            max_bins = USUAL_BINS.get(settings.learner, MAX_BINS)
        copies = self.copies
        n_rows = self.n_rows if copies is None else int(copies.sum())
        max_bins = min(max_bins, max(MIN_BINS, n_rows // settings.rows_per_bin))
        counts = self.quantile_counts
        given = max_bins, settings.categorical_features, n_threads, counts
        found: Binning = table.find_bins(*given) if table.remote else Binning(table, *given)
        return found

    def training_rows(self, settings: Settings, columns: Any = None) -> Rows:
        """The binned rows of the problem with weights and scores of their own."""
        if self.table.remote:
            binning = self.data.binning
            opened = self.data.open(self.rows, self.positive)
            return Rows(opened, binning.n_bins, binning.categorical)
        n_scores = 1 if self.code is None else len(self.classes)
        n_threads = threads(settings.n_jobs, self.n_rows * self.table.n_features * n_scores)
        binned = self.data.take(self.rows, self.positive, n_threads)
        binning = self.data.binning
        views = None if columns is None else [columns]
        return local_rows([binned], binning.n_bins, binning.categorical, views)

    def n_threads(self, settings: Settings) -> int:
        """Number of threads for work on all values of the rows."""
        return threads(settings.n_jobs, self.n_rows * self.table.n_features)


def initial_weights(problem: Problem, decision: DecisionRule) -> NDArray[np.float64]:
    """Sample weight times initial weight of every row."""
    cost = problem.cost / problem.largest_cost
    focus = decision.rule.focus(cost)
    if decision.own_start:
        cost = decision.rule.scale(problem.cost, decision.n_rounds)
    share = np.where(problem.positive, problem.prior, 1 - problem.prior)
    weight = np.ones(problem.n_rows) if problem.weight is None else problem.weight
    start = decision.start.weight(cost / (np.abs(cost).max() or 1.0), share)
    return np.asarray(weight / weight.max() * start * focus)


def class_weights(problem: Problem, decision: DecisionRule) -> list[float]:
    """Initial weight of a row of each class, for class costs and constant sample weights."""
    pair = np.array(problem.costs, dtype=float)
    pair = pair / np.abs(pair).max()
    focus = decision.rule.focus(pair)
    if decision.own_start:
        pair = decision.rule.scale(pair, decision.n_rounds)
    share = np.array([problem.prior, 1 - problem.prior])
    weights: list[float] = (decision.start.weight(pair, share) * focus).tolist()
    return weights


# ---- splits: folds and shares that are held out, by class and by group ---------------------------

FOLDS = 5
"""Default number of folds."""
FOLDS_SEED = 209652396
"""Seed of folds, whatever ``random_state`` is: two fits on the same rows hold out the same ones. It
is the number that ``random_state=0`` draws."""

Codes = NDArray[Any]
"""A class number for each row; with two classes, whether it is positive."""
Groups = NDArray[np.intp] | None
"""A number for the group of each row, or None if there are no groups."""
Parts = list[tuple[Indices, Indices]]
"""Pairs of training rows and held-out rows."""


def is_given(split: Any) -> bool:
    """Whether the held-out rows are given by a splitter or by pairs."""
    return not isinstance(split, str) and (hasattr(split, "split") or hasattr(split, "__iter__"))


def split_rows(
    split: Any,
    code: Codes,
    counts: Floats,
    seed: Callable[[], int],
    groups: Groups = None,
    copies: Groups = None,
) -> Parts:
    """Training rows and held-out rows, for any number of classes; rows of weight 0 are left out.

    No group is in both parts. Without groups, rows that were written again are in the same part as
    their copies, unless no such split has rows of all classes everywhere. The seed is drawn only
    for a share that is held out once; folds are shuffled, always in the same way.
    """
    if is_given(split):
        parts = [
            (kept[counts[kept] > 0], held[counts[held] > 0])
            for kept, held in _given_parts(split, code, groups)
        ]
        refuse_divided_groups(_parameter(split), parts, groups)
    else:
        rows = np.flatnonzero(counts)
        given = split, code[rows], None if groups is None else groups[rows]
        same = None
        if copies is not None and groups is None:
            same = written_again(copies[rows], code[rows])
        if is_share(split):
            found = _share(*given, seed(), same)
        else:
            found = _folds(*given) if same is None else _folds_of_copies(split, code[rows], same)
        parts = [(rows[kept], rows[held]) for kept, held in found]
    for kept, _ in parts:
        if np.unique(code[kept]).size < 2:
            raise ValueError(
                f"{_parameter(split)} leaves {kept.size} rows to train on that are not of "
                "two classes; take a stratified splitter, fewer folds, or more rows"
            )
    held = np.concatenate([rows for _, rows in parts])
    if np.unique(code[held]).size < 2:
        raise ValueError(
            f"the {held.size} rows that {_parameter(split)} holds out are not of two classes; "
            "calibration needs both: hold out other or more rows"
        )
    return parts


def rarest(code: Codes) -> int:
    """Number of rows of the smallest class; 0 if there is one class only."""
    counts = np.unique(code, return_counts=True)[1]
    return int(counts.min()) if counts.size > 1 else 0


def _share(split: Any, code: Codes, groups: Groups, seed: int, copies: Groups) -> Parts:
    """A share of the rows held out once, stratified; of copies, by the first of each."""
    fewest, share = rarest(code), float(split)
    if min(fewest * share, fewest * (1 - share)) < 1:
        raise ValueError(
            f"calibration_split={split} cannot hold out and train on rows of every class: the "
            f"smallest one has {fewest} rows; give another share, folds, or more rows"
        )
    if copies is not None:
        first, place = np.unique(copies, return_index=True, return_inverse=True)[1:]
        fewest = rarest(code[first])
        if min(fewest * share, fewest * (1 - share)) >= 1:
            held = np.isin(place, hold_out(code[first], share, seed)[1])
            parts = [(np.flatnonzero(~held), np.flatnonzero(held))]
            if complete(parts, code):
                return parts
    return [hold_out(code, share, seed, groups)]


TRIES = 50
"""Random choices of groups to hold out, of which the most balanced is taken."""


def hold_out(
    code: Codes, share: float, seed: int, groups: Groups = None
) -> tuple[Indices, Indices]:
    """Rows kept and a share of the rows held out, stratified; no group is in both parts.

    Of several random choices of groups, the one whose held-out share of each class is nearest to
    the share is taken.
    """
    if groups is None:
        rows = np.arange(code.size)
        kept, held = train_test_split(rows, test_size=share, stratify=code, random_state=seed)
        return np.sort(kept), np.sort(held)
    code = np.unique(code, return_inverse=True)[1]
    total = np.bincount(code)
    found = list(
        GroupShuffleSplit(TRIES, test_size=share, random_state=seed).split(code, code, groups)
    )
    shares = [np.bincount(code[held], minlength=total.size) / total for _, held in found]
    off = [
        np.abs(each - share).max() if np.all((each > 0) & (each < 1)) else np.inf for each in shares
    ]
    best = int(np.argmin(off))
    if np.isinf(off[best]):
        raise ValueError(
            f"a share of {share:g} of the {np.unique(groups).size} groups cannot be held out with "
            "rows of every class in both parts; some class is in too few groups"
        )
    kept, held = found[best]
    return np.asarray(kept), np.asarray(held)


def _folds(split: Any, code: Codes, groups: Groups) -> Parts:
    """Every row held out in turn, by default in 5 folds or as many as the smallest class allows."""
    fewest = rarest(code)
    if fewest < 2:
        raise ValueError(
            f"calibration needs at least 2 rows of each class, to train on and to hold out, but "
            f"the smallest one has {fewest}; give more rows, or calibration=None"
        )
    n_groups = None if groups is None else int(np.unique(groups).size)
    n_folds = min(FOLDS, fewest, n_groups or FOLDS) if split is None else split
    if isinstance(n_folds, str):
        own = LeaveOneOut() if groups is None else LeaveOneGroupOut()
        return list(own.split(code, code, groups))
    if fewest < n_folds:
        raise ValueError(
            f"calibration_split={split} needs at least {split} rows of each class, but the "
            f"smallest one has {fewest}; take fewer folds, or calibration_split='loo'"
        )
    if n_groups is None:
        folds = StratifiedKFold(int(n_folds), shuffle=True, random_state=FOLDS_SEED)
        return list(folds.split(code, code))
    if n_groups < n_folds:
        raise ValueError(
            f"calibration_split={split} needs at least {split} groups, but there are {n_groups}; "
            "take fewer folds"
        )
    by_group = StratifiedGroupKFold(int(n_folds), shuffle=True, random_state=FOLDS_SEED)
    return list(by_group.split(code, code, groups))


def _folds_of_copies(split: Any, code: Codes, copies: Indices) -> Parts:
    """Folds that do not separate copies; the usual ones if a class would be missing in a part."""
    if isinstance(split, str):
        return list(LeaveOneGroupOut().split(code, code, copies))
    usual = _folds(split, code, None)
    fewest = 2 if split is None else len(usual)
    for n_folds in range(len(usual), fewest - 1, -1):
        parts = folds_of_copies(code, copies, n_folds, FOLDS_SEED)
        if complete(parts, code):
            return parts
    return usual


def _given_parts(split: Any, code: Codes, groups: Groups) -> Parts:
    """Pairs of a splitter, or given by the user, as numbers of the rows given to `fit`."""
    rows = np.arange(code.size)

    def parts() -> Parts:
        own = () if groups is None else (groups,)
        pairs = split.split(rows[:, None], code, *own) if hasattr(split, "split") else split
        return [(_row_numbers(kept, rows), _row_numbers(held, rows)) for kept, held in pairs]

    return check_folds(_parameter(split), rows.size, parts)


def _parameter(split: Any) -> str:
    """The parameter as text, for messages."""
    return f"calibration_split={quoted(split)}"


def _row_numbers(part: Any, rows: Indices) -> Indices:
    """Row numbers from row numbers or a mask."""
    part = np.asarray(part)
    numbers: Indices = rows[part if part.size else part.astype(np.intp)]
    return numbers
