from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Criterion = tuple[str, float, float, float, float]
Responses = tuple[NDArray[np.float64], NDArray[np.float64], Sequence[float]]
NodeRows = tuple[NDArray[np.uint32], Sequence[int]]
FeatureDraw = tuple[int, int, bool]
Bounds = tuple[float, float]

BINS: int
MISSING: int
PADDING: int
MOST_ROWS: int
TIE: float
ALL_LEVELS: Bounds
KINDS: dict[str, int]

class Features:
    n_bins: NDArray[np.int32]
    categorical: NDArray[np.uint8]
    monotone: NDArray[np.int8] | None
    places: NDArray[np.int32] | None
    def __init__(
        self,
        n_bins: NDArray[np.int32],
        categorical: NDArray[np.uint8],
        monotone: NDArray[np.int8] | None = ...,
        places: NDArray[np.int32] | None = ...,
    ) -> None: ...
    def drawn_among(self, varies: NDArray[np.bool_]) -> Features: ...
    def directed(self, monotone: NDArray[np.int8]) -> Features: ...

class Interactions(NamedTuple):
    most: int
    members: NDArray[np.int32] | None = ...
    ends: NDArray[np.int64] | None = ...

class TreeLimits(NamedTuple):
    max_depth: int | None = ...
    max_leaf_nodes: int | None = ...
    min_samples_leaf: int = ...
    least_gain: float = ...
    parallel_cells: int = ...
    interactions: Interactions | None = ...

def available_threads() -> int: ...
def share_threads(change: int) -> None: ...
def shared_threads(n_threads: int) -> int: ...

class Stop:
    def set(self) -> None: ...
    def is_set(self) -> bool: ...

def obey(stop: Stop | None) -> None: ...
def is_stopped() -> bool: ...
def increasing_root(
    function: Callable[[float], tuple[float, float]], guess: float = ...
) -> float: ...
def bracketed_root(
    function: Callable[[float], float], low: float, high: float, absolute: float, relative: float
) -> float: ...
def order_categories(
    first: NDArray[np.float64], whole: NDArray[np.float64]
) -> NDArray[np.intp]: ...
def heavier_left(left: float, right: float) -> bool: ...
def missing_left(loss_left: float, loss_right: float, heavier_left: bool) -> bool: ...
def leaf_loss(criterion: Criterion, p: float, q: float, bounds: Bounds = ...) -> float: ...
def bounds_of_sides(
    criterion: Criterion,
    bounds: Bounds,
    direction: int,
    left: Sequence[float],
    right: Sequence[float],
) -> tuple[Bounds, Bounds]: ...
def values_at(criterion: Criterion, level: NDArray[np.float64]) -> NDArray[np.float64]: ...
def pool_bins(
    criterion: Criterion, direction: int, p: NDArray[np.float64], q: NDArray[np.float64]
) -> None: ...
def add_hashes(x: NDArray[Any], factor: NDArray[np.uint64], total: NDArray[np.uint64]) -> None: ...
def sample_rows(first: int, n: int, n_total: int, wanted: int) -> NDArray[np.int64]: ...
def find_cuts(
    x: NDArray[Any],
    rows: NDArray[np.int64] | None,
    max_bins: int,
    n_threads: int,
    copies: NDArray[np.int64] | None = ...,
) -> tuple[NDArray[np.float64], NDArray[np.int32]]: ...
def hash_of(key: int, number: int) -> int: ...
def draw_features(key: int, n_features: int) -> NDArray[np.intp]: ...
def draw_rows(
    key: int,
    share: float,
    number: NDArray[np.int64],
    n_positive: int,
    out: NDArray[np.uint32],
) -> list[int]: ...
def sum_leaves(
    weight: NDArray[np.float64], leaf: NDArray[np.int32], n_positive: int, n_leaves: int
) -> NDArray[np.int64]: ...

class Split:
    def __init__(
        self,
        feature: int = ...,
        bin: int = ...,
        polarity: int = ...,
        missing_left: bool = ...,
        left: NDArray[Any] | None = ...,
    ) -> None: ...
    @property
    def feature(self) -> int: ...
    @property
    def bin(self) -> int: ...
    @property
    def polarity(self) -> int: ...
    @property
    def missing_left(self) -> bool: ...
    @property
    def value(self) -> float: ...
    @value.setter
    def value(self, value: float) -> None: ...
    @property
    def quanta(self) -> tuple[int, int, int, int]: ...
    @quanta.setter
    def quanta(self, values: Sequence[int]) -> None: ...
    @property
    def left(self) -> NDArray[np.uint8]: ...
    def shares(self, unit_positive: float, unit_negative: float) -> NDArray[np.float64]: ...
    def measure(self, histogram: NDArray[np.int64]) -> Split: ...
    def rows_left(self, counts: NDArray[np.int64]) -> tuple[int, int]: ...
    def class_changes(
        self, counts: NDArray[np.int64], sizes: Sequence[int], factors: Sequence[float]
    ) -> tuple[
        tuple[float, float],
        tuple[float, float],
        tuple[bool, bool],
        tuple[bool, bool],
        tuple[bool, bool],
    ]: ...

class Splits:
    feature: NDArray[np.int32]
    bin: NDArray[np.int32]
    missing_left: NDArray[np.uint8]
    left: NDArray[np.uint8]
    def __init__(self, splits: Sequence[Split] = ..., n: int = ...) -> None: ...
    def __len__(self) -> int: ...

def search(
    histogram: NDArray[np.int64],
    units: Sequence[float],
    features: Features,
    criterion: Criterion,
    counts: NDArray[np.int64] | None = ...,
    min_samples_leaf: int = ...,
    relative: bool = ...,
    n_threads: int = ...,
    draw: FeatureDraw | None = ...,
    bounds: Bounds = ...,
    allowed: NDArray[np.uint8] | None = ...,
) -> Split: ...
def exp(x: Any) -> Any: ...
def exp_within(x: NDArray[np.float64], rate: float, most: float) -> NDArray[np.float64] | None: ...
def log(x: Any) -> Any: ...
def log1p(x: Any) -> Any: ...
def log2(x: Any) -> Any: ...
def expit(x: Any) -> Any: ...
def logit(p: Any) -> Any: ...
def sinh(x: Any) -> Any: ...
def power(x: Any, exponent: float) -> Any: ...
def dot(a: NDArray[np.float64], b: NDArray[np.float64]) -> float: ...
def matrix_product(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]: ...
def greatest_size(values: NDArray[np.float64]) -> float: ...
def sum_of_quanta(values: NDArray[np.float64], scale: float, n_threads: int = ...) -> int: ...
def raise_bounds(
    moments: NDArray[np.float64],
    error: float,
    smoothing: tuple[float, float, float, float],
    low: NDArray[np.float64],
    high: NDArray[np.float64],
    least: NDArray[np.float64],
) -> None: ...
def weight_against(
    weight: NDArray[np.float64],
    label: NDArray[np.float64],
    direction: NDArray[np.float64],
    scale: float,
    n_threads: int,
) -> int: ...
def moments(
    x: NDArray[np.float64], responses: Responses, n_threads: int
) -> tuple[int, int, int]: ...
def fill_runs(
    order: NDArray[np.uint32],
    bounds: NDArray[np.int64],
    values: NDArray[np.float64],
    out: NDArray[np.float64],
) -> None: ...
def bin_means(
    bins: NDArray[np.uint8], x: NDArray[np.float64], copies: NDArray[np.int64] | None = ...
) -> tuple[NDArray[np.float64], bool]: ...

class GroupedTerms:
    n_groups: int
    def __init__(
        self,
        exponent: NDArray[np.float64],
        rate: NDArray[np.float64],
        share: NDArray[np.float64],
        group: NDArray[np.int64],
        n_groups: int,
    ) -> None: ...
    def greatest(self, g: NDArray[np.float64]) -> NDArray[np.float64]: ...
    def sum(
        self,
        g: NDArray[np.float64],
        largest: NDArray[np.float64],
        scale: NDArray[np.float64],
    ) -> NDArray[np.int64]: ...

class Likelihood:
    def __init__(
        self,
        label: NDArray[np.float64],
        start: NDArray[np.float64],
        share: Any,
        slope: Any,
        offset: Any,
        expected: bool = False,
    ) -> None: ...
    def loss(
        self, score: NDArray[np.float64], losses: NDArray[np.float64], n_threads: int
    ) -> float: ...
    def working(
        self,
        score: NDArray[np.float64],
        limit: float,
        plain: bool,
        losses: NDArray[np.float64],
        response: NDArray[np.float64],
        weight: NDArray[np.float64],
        n_threads: int,
    ) -> tuple[float, float, float]: ...

class ScoreLoss:
    def __init__(
        self,
        code: NDArray[np.int32],
        start: NDArray[np.float64],
        log_cost: NDArray[np.float64] | None,
        n_classes: int,
        exponential: bool,
    ) -> None: ...
    def evaluate(
        self,
        score: NDArray[np.float64],
        direction: NDArray[np.float64] | None,
        step: float,
        losses: NDArray[np.float64],
        response: NDArray[np.float64] | None,
        weight: NDArray[np.float64] | None,
        n_threads: int,
    ) -> tuple[float, ...]: ...
    def decisions(
        self, score: NDArray[np.float64], scale: float, n_threads: int
    ) -> NDArray[np.int64]: ...

def table_losses(
    histogram: NDArray[np.int64],
    units: Sequence[float],
    features: Features,
    criterion: Criterion,
) -> NDArray[np.float64]: ...
def line_losses(
    histogram: NDArray[np.int64],
    units: Sequence[float],
    features: Features,
    x: NDArray[np.float64],
) -> NDArray[np.float64]: ...

RIDGE: float

def logistic_thresholds(
    weight: NDArray[np.float64], values: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.bool_]]: ...
def best_logistic_vote(
    histogram: NDArray[np.int64],
    units: Sequence[float],
    features: Features,
    values: NDArray[np.float64],
) -> tuple[Split, float] | None: ...

class BinnedRows:
    bytes: NDArray[np.uint8]
    weight: NDArray[np.float64]
    histogram: NDArray[np.int64]
    n_bins: NDArray[np.int32]
    n_threads: int
    def __init__(
        self,
        n_rows: int,
        n_positive: int,
        n_features: int,
        n_threads: int = ...,
        bytes: NDArray[np.uint8] | None = ...,
    ) -> None: ...
    @property
    def n_rows(self) -> int: ...
    @property
    def n_positive(self) -> int: ...
    @property
    def n_features(self) -> int: ...
    def fill(
        self,
        x: NDArray[Any],
        cuts: NDArray[np.float64],
        n_cuts: NDArray[np.int32],
        categorical: NDArray[np.uint8],
        positive: NDArray[np.uint8],
        first_feature: int = ...,
    ) -> None: ...
    def take(self, order: NDArray[np.int64], n_positive: int, n_threads: int) -> BinnedRows: ...
    def share(self, n_threads: int) -> BinnedRows: ...
    def beside(self) -> BinnedRows: ...
    def column(self, feature: int) -> NDArray[np.uint8]: ...
    def prepare(self) -> None: ...
    def count(self, copies: bool = ...) -> NDArray[np.int64]: ...
    def count_copies(self, copies: NDArray[np.int64]) -> None: ...
    def build(self, positives: bool = ..., negatives: bool = ...) -> None: ...
    def look_up(self, feature: int, table: NDArray[np.float64]) -> NDArray[np.float64]: ...
    def sum_columns(
        self, responses: Responses, node: NodeRows | None, features: NDArray[np.int32]
    ) -> NDArray[np.int64]: ...
    def sum_moments(
        self,
        amount: NDArray[np.float64],
        rate: NDArray[np.float64],
        node: NodeRows | None,
        features: NDArray[np.int32],
    ) -> NDArray[np.int64]: ...
    def build_responses(
        self,
        responses: Responses,
        node: NodeRows | None,
        histogram: NDArray[np.int64],
        n_threads: int,
    ) -> None: ...
    def build_node(
        self, node: NodeRows, histogram: NDArray[np.int64], counting: bool, n_threads: int
    ) -> None: ...
    def reweigh_side(
        self,
        split: Split,
        ratios: Sequence[float],
        moves_left: Sequence[bool],
        which: Sequence[bool],
    ) -> None: ...
    def reweigh_all(
        self, split: Split, factors: Sequence[float], which: Sequence[bool]
    ) -> None: ...
    def reweigh_rows(
        self, rows: NDArray[np.uint32], begin: int, end: int, factor: float
    ) -> None: ...
    def partition(
        self,
        split: Split,
        begin: int,
        end: int,
        rows: NDArray[np.uint32],
        spare: NDArray[np.uint32],
    ) -> int: ...
    def leaves(self, splits: Splits, child: NDArray[np.int32]) -> NDArray[np.int32]: ...
    def sum_staged(
        self,
        splits: Splits,
        value: NDArray[np.float64],
        limit: NDArray[np.float64],
        row_limit: NDArray[np.float64] | None,
        amount: NDArray[np.int64] | None,
    ) -> NDArray[np.int64]: ...

class Frontier:
    def __init__(self, limits: TreeLimits, n_features: int, last_found: bool = ...) -> None: ...
    def root(self, shares: Sequence[float]) -> None: ...
    def shares(self, k: int) -> tuple[float, float]: ...
    def levels(self, k: int) -> Bounds: ...
    def split(self, k: int) -> Split: ...
    def searchable(self, k: int) -> bool: ...
    def allowed(self, k: int) -> NDArray[np.uint8] | None: ...
    def found(
        self,
        k: int,
        candidate: tuple[Split, float, Sequence[Sequence[float]], Sequence[Bounds]] | None,
    ) -> None: ...
    def next(self) -> int | None: ...
    def promising(self) -> list[int]: ...
    def divide(self, k: int) -> int: ...
    @property
    def last(self) -> bool: ...
    def laid(
        self,
    ) -> tuple[
        NDArray[np.int32],
        Splits,
        NDArray[np.float64],
        NDArray[np.float64],
        NDArray[np.float64],
    ]: ...

class Grower:
    order: NDArray[np.uint32]
    def __init__(self, rows: BinnedRows, features: Features, n_growers: int = ...) -> None: ...
    def grow(
        self,
        responses: Responses | None,
        units: Sequence[float] | None,
        shares: Sequence[float] | None,
        criterion: Criterion,
        limits: TreeLimits,
        drawn: NodeRows | None = ...,
        draw: FeatureDraw | None = ...,
    ) -> tuple[
        NDArray[np.int32],
        Splits,
        NDArray[np.float64],
        NDArray[np.float64],
        NDArray[np.int64],
        NDArray[np.float64],
        tuple[int, int] | None,
    ]: ...

def leaf_means(
    share: NDArray[np.float64], penalty: float, largest: float
) -> NDArray[np.float64]: ...

PairArrays = tuple[
    NDArray[np.int32],
    NDArray[np.int32],
    NDArray[np.uint64],
    NDArray[np.uint8],
    NDArray[np.float64],
]

def grow_pairs(
    rows: BinnedRows,
    weight: NDArray[np.int64],
    features: Features,
    criterion: Criterion,
    limits: TreeLimits,
    pruned: bool,
) -> PairArrays: ...
def lay_pairs(tree: Frontier, n_pairs: Sequence[int], pruned: bool) -> PairArrays: ...
def sum_pairs(
    rows: BinnedRows,
    weight: NDArray[np.int64],
    listed: NDArray[np.uint32],
    labels: NDArray[np.uint8],
    sums: NDArray[np.int64],
    parallel: bool,
) -> None: ...
def accept_pairs(
    rows: BinnedRows,
    feature: NDArray[np.int32],
    left: NDArray[np.int32],
    goes_left: NDArray[np.uint64],
    accepts: NDArray[np.uint8],
    n_labels: int,
) -> NDArray[np.uint8]: ...

class CompiledTrees:
    def __init__(self, ensemble: Any, ends: Sequence[int]) -> None: ...
    def add_scores(self, x: NDArray[Any], score: NDArray[np.float64], n_threads: int) -> bool: ...

def add_shapley(
    trees: CompiledTrees,
    x: NDArray[np.float64],
    background: NDArray[np.float64],
    begin: int,
    end: int,
    along_paths: bool,
    values: NDArray[np.float64],
    n_threads: int,
    reached: NDArray[np.int64] | None = None,
) -> None: ...
def add_reached(
    ensemble: Any, x: NDArray[np.float64], reached: NDArray[np.int64], n_threads: int
) -> None: ...
def most_tests_on_a_path(
    feature: NDArray[np.int32], left: NDArray[np.int32], n_features: int
) -> int: ...
def round_to_grid(value: NDArray[np.float64], first: NDArray[np.int32]) -> NDArray[np.float64]: ...
def staged_sums(
    rows: BinnedRows,
    categorical: NDArray[np.uint8],
    trees: Sequence[tuple[NDArray[np.int32] | None, Splits | Split, NDArray[np.float64]]],
    steps: Sequence[float],
    ends: Sequence[int],
) -> NDArray[np.float64]: ...
def best_line(
    score: NDArray[np.float64],
    positive: NDArray[np.uint8],
    counts: NDArray[np.float64],
    slacks: tuple[float, float],
    start: tuple[float, float, float] | None,
    limits: tuple[int, int, float, float, float],
) -> tuple[float, float, float]: ...
def sigmoid_losses(
    slope: float, offset: float, score: NDArray[np.float64], positive: NDArray[np.uint8]
) -> NDArray[np.float64]: ...
def logistic_point(
    logit: NDArray[np.float64],
    sign: NDArray[np.float64],
    share: NDArray[np.float64],
    slack: NDArray[np.float64],
) -> tuple[float, NDArray[np.float64], NDArray[np.float64]]: ...
def newton_sums(
    columns: NDArray[np.float64], gradient: NDArray[np.float64], curvature: NDArray[np.float64]
) -> tuple[float, float, NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]: ...

class NewtonScores:
    response: NDArray[np.float64]
    weight: NDArray[np.float64]
    loss: NDArray[np.float64]
    def __init__(self, n_rows: int, n_threads: int) -> None: ...
    def set_likelihood(self, likelihood: Likelihood) -> None: ...
    def propose(self, direction: NDArray[np.float64], scale: float) -> int: ...
    def accept(self) -> None: ...
    def find_losses(self, step: float | None) -> float: ...
    def linearise(
        self, step: float | None, limit: float, plain: bool
    ) -> tuple[float, float, float]: ...
