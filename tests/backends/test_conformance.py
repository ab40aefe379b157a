"""Every back end answers every message, in any order, as rows in plain NumPy do.

Orders are drawn at random. A message that comes too early is an error that names it, and leaves
the rows as they are.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from functools import cache
from inspect import signature
from itertools import pairwise
from random import Random
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive_rows import MESSAGES, NaiveRows
from numpy.typing import NDArray

from costboost._core.arithmetic import RowVector, looked_up
from costboost._core.backends.order import NOTHING, OrderError, Part
from costboost._core.backends.protocol import Backend, Division, Trial
from costboost._core.backends.several import SeveralShards, several
from costboost._core.backends.shard import Shard
from costboost._core.engine._kernels import Split, Splits
from costboost._core.engine.binning import Binning, positives_first
from costboost._core.learners.stump import Stump
from costboost._core.tables import DenseTable

N, D, K = 23, 3, 3
RNG = np.random.default_rng(5)
X = RNG.integers(0, 5, (N, D)).astype(float)
X[RNG.random(X.shape) < 0.1] = np.nan
POSITIVE = (RNG.random(N) < 0.4).astype(np.uint8)
BINNING = Binning(DenseTable(X), 255, [1], 1)
BINS_OF_ROWS = np.column_stack(
    [BINNING.rows(DenseTable(X), POSITIVE, 1).column(f) for f in range(D)]
)
BINS_OF_ROWS[positives_first(np.arange(N), POSITIVE)] = BINS_OF_ROWS.copy()


# ---- arguments of messages -----------------------------------------------------------------------


class Values(NamedTuple):
    """A vector, given by the values of the rows in their order."""

    of_rows: NDArray[Any]


class Orders:
    """Draws messages and their arguments, and knows what has been sent."""

    def __init__(self) -> None:
        self.naive = NaiveRows(BINS_OF_ROWS, POSITIVE)
        self.open: dict[int, bool] = {}
        """Nodes of the tree, and whether they may be divided."""
        self.children: dict[int, tuple[int, int]] = {}
        self.n_leaves = 1
        self.unscaled: set[int] = set()
        """Classes whose weights have changed since they were scaled, which must be scaled next."""
        self.numbers = np.random.default_rng(0)

    def arguments(self, name: str, seed: int) -> tuple[Any, ...]:
        """Arguments that are possible at present, or any where the message comes too early."""
        self.numbers = np.random.default_rng(seed)
        draw: Callable[[], tuple[Any, ...]] = getattr(self, f"of_{name}", tuple)
        return draw()

    def sent(self, name: str, given: tuple[Any, ...]) -> None:
        """Note what a message has changed."""
        if name == "begin_tree":
            self.open, self.children = {0: True}, {}
        elif name == "divide":
            for division in given[0]:
                self.open[division.parent] = False
                self.children[division.parent] = division[2:]
                self.open |= {division.left: True, division.right: True}
        elif name == "release":
            self.open[given[0]] = False
        elif name == "end_tree":
            self.n_leaves = len(given[0])
        elif name == "weigh_leaves":
            self.n_leaves = 2
        elif name == "multiply_all":
            self.unscaled |= {z for z in (0, 1) if given[2][z]}
        elif name in {"set_weights", "multiply_bins", "multiply_leaves"}:
            self.unscaled = {0, 1}
        elif name in {"set_equal_weights", "scale_weights"}:
            self.unscaled = set()

    # ---- of each kind ----------------------------------------------------------------------------

    def vector(self, least: float = 0.0) -> Values:
        return Values(self.numbers.random(N) * (1 - least) + least)

    def split(self) -> Split:
        left = self.numbers.integers(0, 2, 256).astype(np.uint8)
        return Split(int(self.numbers.integers(D)), 0, 1, bool(left[255]), left)

    def stump(self) -> Stump:
        return Stump(self.split(), np.zeros(4))

    def flags(self) -> list[bool]:
        return [bool(one) for one in self.numbers.integers(0, 2, 2)]

    def scale(self) -> float:
        return float(2.0 ** self.numbers.integers(4, 30))

    def scales(self) -> list[float]:
        return [self.scale(), self.scale()]

    def classes(self) -> list[int]:
        chosen = {int(self.numbers.integers(2))} | self.unscaled
        return sorted(chosen)

    def node(self) -> int | None:
        if Part.TREE not in self.naive.parts or self.numbers.random() < 0.3:
            return None
        return int(self.numbers.choice(list(self.open)))

    def columns(self) -> NDArray[np.int32]:
        return self.numbers.permutation(D)[:2].astype(np.int32)

    def trial(self) -> Trial:
        return Trial(float(self.numbers.random()), *self.flags())

    # ---- of each message -------------------------------------------------------------------------

    def of_bins(self) -> tuple[Any, ...]:
        return (int(self.numbers.integers(D)),)

    def of_on_left(self) -> tuple[Any, ...]:
        return (self.split(),)

    def of_scores(self) -> tuple[Any, ...]:
        return (self.stump(),)

    of_leaves = of_scores

    def of_count(self) -> tuple[Any, ...]:
        return (self.flags()[0],)

    def of_count_copies(self) -> tuple[Any, ...]:
        return (Values(self.numbers.integers(1, 4, N)),)

    def of_sum_staged(self) -> tuple[Any, ...]:
        splits = Splits([self.split() for _ in range(4)])
        return splits, self.numbers.normal(size=(4, 2)), self.numbers.normal(size=4), None, None

    def of_number_rows(self) -> tuple[Any, ...]:
        return (Values(self.numbers.permutation(3 * N)[:N]),)

    def of_draw(self) -> tuple[Any, ...]:
        return int(self.numbers.integers(2**62)), float(self.numbers.uniform(0.2, 0.9))

    def of_set_equal_weights(self) -> tuple[Any, ...]:
        return (self.scales(),)

    def of_set_weights(self) -> tuple[Any, ...]:
        return (self.vector(0.01),)

    def of_largest_weights(self) -> tuple[Any, ...]:
        return (self.classes(),)

    def of_sum_weights(self) -> tuple[Any, ...]:
        classes = self.classes()
        return classes, self.numbers.integers(-5, 20, len(classes)).tolist()

    of_scale_weights = of_sum_weights

    def of_multiply_side(self) -> tuple[Any, ...]:
        return self.split(), self.numbers.random(2).tolist(), self.flags(), self.flags()

    def of_multiply_all(self) -> tuple[Any, ...]:
        return self.split(), self.numbers.random(4).tolist(), self.flags()

    def of_multiply_bins(self) -> tuple[Any, ...]:
        return int(self.numbers.integers(D)), self.numbers.random((2, 256))

    def of_multiply_leaves(self) -> tuple[Any, ...]:
        return (self.numbers.random((2, self.n_leaves)),)

    def of_weigh_leaves(self) -> tuple[Any, ...]:
        return self.stump(), 2

    def of_set_likelihood(self) -> tuple[Any, ...]:
        label = Values(np.where(POSITIVE > 0, 1.0, -1.0))
        slope = self.vector(0.5) if self.flags()[0] else 2.0
        return label, self.vector(0.01), 1.0, slope, 0.0, self.flags()[0]

    def of_linearise(self) -> tuple[Any, ...]:
        return (self.flags()[0],)

    def of_propose(self) -> tuple[Any, ...]:
        return Values(self.numbers.normal(size=N)), self.scale(), self.trial()

    def of_attempt(self) -> tuple[Any, ...]:
        return (self.trial(),)

    def of_sum_losses(self) -> tuple[Any, ...]:
        return (self.scale(),)

    of_confusion = of_sum_losses

    def of_set_targets(self) -> tuple[Any, ...]:
        return (self.scales(),)

    def of_moments(self) -> tuple[Any, ...]:
        return Values(self.numbers.uniform(-1, 1, N)), self.scales()

    def of_set_score_loss(self) -> tuple[Any, ...]:
        costs = np.log(self.numbers.uniform(0.5, 3, (K, K))) * ~np.eye(K, dtype=bool)
        code = Values(self.numbers.integers(0, K, N).astype(np.int32))
        return code, self.vector(0.01), costs, K, self.flags()[0]

    def of_linearise_scores(self) -> tuple[Any, ...]:
        return (float(self.numbers.integers(0, 2) * self.numbers.random()),)

    def of_propose_class(self) -> tuple[Any, ...]:
        return int(self.numbers.integers(K)), Values(self.numbers.normal(size=N)), self.scale()

    def of_accept_scores(self) -> tuple[Any, ...]:
        return (float(self.numbers.random()),)

    def of_set_class_targets(self) -> tuple[Any, ...]:
        return int(self.numbers.integers(K)), self.scales()

    def of_begin_tree(self) -> tuple[Any, ...]:
        return (self.flags()[0],)

    def of_divide(self) -> tuple[Any, ...]:
        parents = [node for node, is_open in self.open.items() if is_open][:2]
        first = range(len(self.open), len(self.open) + 4, 2)
        pairs = zip(parents, first, strict=False)
        return ([Division(parent, self.split(), n, n + 1) for parent, n in pairs],)

    def of_release(self) -> tuple[Any, ...]:
        return (int(self.numbers.choice(list(self.open) or [0])),)

    of_node_counts = of_release

    def of_members(self) -> tuple[Any, ...]:
        return (self.node(),)

    def of_end_tree(self) -> tuple[Any, ...]:
        leaves, waiting = [], [0]
        while waiting:
            node = waiting.pop()
            if node in self.children and self.numbers.random() < 0.8:
                waiting += self.children[node]
            else:
                leaves.append(node)
        return (leaves,)

    def of_scores_of_leaves(self) -> tuple[Any, ...]:
        return (self.numbers.normal(size=self.n_leaves),)

    def of_sums(self) -> tuple[Any, ...]:
        vectors = (Values(self.numbers.normal(size=N) * 1e6) for _ in range(2))
        return *vectors, self.node(), None if self.flags()[0] else self.columns()

    def of_rate_moments(self) -> tuple[Any, ...]:
        amount, rate = self.numbers.random(N) * 1e6, self.numbers.uniform(-1, 1, N)
        return Values(amount), Values(rate), self.node(), self.columns()


# ---- back ends -----------------------------------------------------------------------------------


class Asked:
    """A back end, with vectors in the order of the rows."""

    def __init__(self, backend: Backend[Any]) -> None:
        self.backend = backend
        self.order = backend.arranged(np.arange(N), POSITIVE)
        self.place = self.vector(np.arange(N))

    def vector(self, values: NDArray[Any]) -> Any:
        return self.backend.spread(self.backend.arranged(values, POSITIVE))

    def send(self, name: str, given: tuple[Any, ...]) -> Any:
        arguments = (self.vector(x.of_rows) if isinstance(x, Values) else x for x in given)
        answer = getattr(self.backend, name)(*arguments)
        if not MESSAGES[name].answer.is_vector:
            return answer
        if name == "members":
            mask = np.zeros(N, dtype=bool)
            mask[self.backend.gather(looked_up(self.place, answer))] = True
            return mask
        values = np.empty_like(gathered := self.backend.gather(answer))
        values[self.order] = gathered
        return values


def one_shard() -> Backend[Any]:
    return Shard(BINNING.rows(DenseTable(X), POSITIVE, 1))


def three_shards() -> Backend[Any]:
    runs = list(pairwise([0, 1, 15, N]))

    class Runs(SeveralShards):
        def arranged(self, values: NDArray[Any], positive: NDArray[np.uint8]) -> NDArray[Any]:
            return np.concatenate([positives_first(values[a:b], positive[a:b]) for a, b in runs])

    return several(
        [Shard(BINNING.rows(DenseTable(X[a:b]), POSITIVE[a:b], 1)) for a, b in runs], Runs
    )


@pytest.fixture(scope="module")
def on_workers() -> Iterator[Callable[[], Backend[Any]]]:
    """Opens the rows on a cluster of two workers."""
    da = pytest.importorskip("dask.array")
    distributed = pytest.importorskip("distributed")
    from costboost._core.backends.dask.table import open_table

    local = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0"}
    with distributed.LocalCluster(**local) as cluster, distributed.Client(cluster) as client:
        rows = da.from_array(X, chunks=((8, 3, 12), D))
        table, _ = open_table(client, "fit", rows)
        data = table.binned(BINNING, POSITIVE, 1)
        yield lambda: data.open(None, POSITIVE, 1)
        table.cluster.close()


# ---- tests ---------------------------------------------------------------------------------------

STEPS = st.lists(
    st.tuples(st.integers(0, 7), st.integers(0, 10**6), st.integers(0, 2**32 - 1)),
    min_size=10,
    max_size=40,
)
"""Whether a message is illegal or sets a part, which one, and the seed of its arguments."""


def check(backend: Backend[Any], steps: list[tuple[int, int, int]]) -> None:
    """Send messages to a back end and to the judge."""
    orders, asked = Orders(), Asked(backend)
    for kind, number, seed in steps:
        legal = [n for n, m in MESSAGES.items() if not m.order.needs & ~orders.naive.parts]
        setting = [n for n in legal if MESSAGES[n].order.sets & ~orders.naive.parts]
        illegal = sorted(set(MESSAGES) - set(legal))
        names = illegal if kind == 0 else setting if kind < 3 and setting else legal
        (send if kind else refuse)(orders, asked, names[number % len(names)], seed)


@cache
def walks() -> dict[int, list[str]]:
    """The shortest order of messages that leads to each set of parts, as a number."""
    orders = [[one.value for one in message.order[:3]] for message in MESSAGES.values()]
    found: dict[int, list[str]] = {0: []}
    waiting = deque(found)
    while waiting:
        held = waiting.popleft()
        for name, (needs, sets, ends) in zip(MESSAGES, orders, strict=True):
            after = (held | sets) & ~ends
            if not needs & ~held and after not in found:
                found[after] = [*found[held], name]
                waiting.append(after)
    return found


def walk_to(parts: Part) -> list[str]:
    """The shortest order of messages after which rows hold some parts."""
    return next(walk for held, walk in walks().items() if not parts.value & ~held)


ENDINGS = [(name, part) for name, message in MESSAGES.items() for part in message.order.ends]


@pytest.mark.parametrize("opened", [one_shard, three_shards])
@pytest.mark.parametrize(("name", "part"), ENDINGS)
def test_what_a_message_ends(opened: Callable[[], Backend[Any]], name: str, part: Part) -> None:
    """Messages that need it are errors then."""
    orders, asked = Orders(), Asked(opened())
    for step in [*walk_to(MESSAGES[name].order.needs | part), name]:
        send(orders, asked, step, 0)
    too_early = [one for one, message in MESSAGES.items() if part in message.order.needs]
    assert too_early
    for other in too_early:
        refuse(orders, asked, other, 0)


def send(orders: Orders, asked: Asked, name: str, seed: int) -> None:
    """Send a legal message, and compare the answers."""
    arguments = orders.arguments(name, seed)
    plain = tuple(x.of_rows.copy() if isinstance(x, Values) else x for x in arguments)
    right = orders.naive.send(name, *plain)
    same(name, asked.send(name, arguments), right)
    orders.sent(name, arguments)


def refuse(orders: Orders, asked: Asked, name: str, seed: int) -> None:
    """Send a message too early, and compare the errors."""
    arguments = orders.arguments(name, seed)
    with pytest.raises(OrderError) as expected:
        orders.naive.send(name, *arguments)
    with pytest.raises(OrderError, match=f"^'{name}' needs ") as found:
        asked.send(name, arguments)
    assert str(found.value) == str(expected.value)


def same(name: str, answer: Any, right: Any) -> None:
    if isinstance(right, (tuple, list)):
        assert len(answer) == len(right), name
        for one, other in zip(answer, right, strict=True):
            same(name, one, other)
    elif right is None:
        assert answer is None, name
    else:
        np.testing.assert_array_equal(answer, right, err_msg=name)


@settings(max_examples=40, deadline=None)
@given(steps=STEPS)
@pytest.mark.parametrize("opened", [one_shard, three_shards])
def test_local(opened: Callable[[], Backend[Any]], steps: list[tuple[int, int, int]]) -> None:
    check(opened(), steps)


@settings(max_examples=15, deadline=None)
@given(steps=STEPS)
def test_workers(on_workers: Callable[[], Backend[Any]], steps: list[tuple[int, int, int]]) -> None:
    check(on_workers(), steps)


@pytest.mark.parametrize("where", ["one", "three", "workers"])
def test_every_message(where: str, request: pytest.FixtureRequest) -> None:
    """Each is sent when what it needs is there, in an order that is drawn."""
    backend = {"one": one_shard, "three": three_shards}.get(where)
    opened = backend or request.getfixturevalue("on_workers")
    for seed in range(3):
        orders, asked = Orders(), Asked(opened())
        for k, name in enumerate(Random(seed).sample(list(MESSAGES), len(MESSAGES))):
            needs = MESSAGES[name].order.needs
            before = walk_to(needs) if needs & ~orders.naive.parts else []
            for step in [*before, name]:
                send(orders, asked, step, 1000 * seed + k)


def test_every_message_has_arguments() -> None:
    taking = {name for name in MESSAGES if len(signature(getattr(Backend, name)).parameters) > 1}
    assert taking == {name for name in MESSAGES if hasattr(Orders, f"of_{name}")}


def test_a_part_is_needed_only_if_a_message_sets_it() -> None:
    sets = NOTHING
    for message in MESSAGES.values():
        sets |= message.order.sets
    assert not [name for name, message in MESSAGES.items() if message.order.needs & ~sets]


def test_vectors_on_workers_stay_there(on_workers: Callable[[], Backend[Any]]) -> None:
    assert isinstance(on_workers().label(), RowVector)
