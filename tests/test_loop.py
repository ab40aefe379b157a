"""Fits on rows in several shards are bit for bit equal, for each family and learner."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from divided import rows_of

from costboost._core.arithmetic import exact_sum, parts_of
from costboost._core.engine.binning import Binning
from costboost._core.learners.line import LineLearner
from costboost._core.learners.logistic import LogisticLearner
from costboost._core.learners.lookup import LookupLearner
from costboost._core.learners.raw_values import BinValues, Columns
from costboost._core.learners.stump import StumpLearner
from costboost._core.learners.tree import TreeLearner
from costboost._core.loop import (
    ClassState,
    NewtonState,
    RowState,
    ScoreState,
    Training,
    boost,
    state_of,
)
from costboost._core.rows import Rows
from costboost._core.rules import discrete, newton, real, score_weighted
from costboost._core.rules.record import NetCosts, RowData
from costboost._core.tables import DenseTable

N, ROUNDS = 150, 8
DIVISIONS = [(1, 1), (3, 1), (7, 2), (4, 8)]


class Data:
    """Rows with ties and missing values, their costs and weights."""

    def __init__(self, learner: str) -> None:
        rng = np.random.default_rng(3)
        self.X = np.column_stack(
            [rng.integers(0, 9, N), rng.normal(size=N).round(1), rng.integers(0, 3, N)]
        ).astype(float)
        score = self.X[:, 0] / 4 - self.X[:, 1] + rng.normal(size=N)
        self.positive = (score > np.quantile(score, 0.7)).astype(np.uint8)
        if learner != "linear":
            self.X[rng.random(self.X.shape) < 0.1] = np.nan
        self.fn, self.fp = rng.uniform(0.5, 4, (2, N))
        self.weight = rng.exponential(size=N)
        self.binning = Binning(DenseTable(self.X), 255, None, 1)
        self.learner = learner

    def shards(self, n_shards: int, n_threads: int) -> tuple[Rows, np.ndarray]:
        ends = np.linspace(0, N, n_shards + 1).round().astype(int).tolist()
        parts, places, views = [], [], []
        for a, b in pairwise(ends):
            table = DenseTable(self.X[a:b])
            parts.append(self.binning.rows(table, self.positive[a:b], n_threads))
            order = np.argsort(1 - self.positive[a:b], kind="stable")
            places.append(a + order)
            views.append(Columns(table, order))
        columns = views if self.learner == "linear" else None
        rows = rows_of(parts, self.binning.n_bins, self.binning.categorical, columns)
        return rows, np.concatenate(places)

    def learner_of(self, rows: Rows, place: np.ndarray) -> Any:
        columns = Columns(DenseTable(self.X), place)
        return {
            "stump": lambda: StumpLearner(self.binning, 2),
            "tree": lambda: TreeLearner(self.binning, 3, None, 2),
            "lookup": lambda: LookupLearner(self.binning),
            "linear": lambda: LineLearner(columns, BinValues(self.binning, columns, rows.bins)),
            "logistic": lambda: LogisticLearner(
                self.binning, BinValues(self.binning, columns, rows.bins)
            ),
        }[self.learner]()


def trace(data: Data, rule: Any, per_row: bool, n_shards: int, n_threads: int) -> list[Any]:
    """All results that a driver gets in every round, in the order of the data."""
    rows, place = data.shards(n_shards, n_threads)
    label = rows.label
    fn, fp = 3.0, 0.7
    if per_row:
        fn, fp = rows.vector(data.fn[place]), rows.vector(data.fp[place])
    start = rows.vector(data.weight[place] / exact_sum(data.weight))
    means = NetCosts(3.0, 0.7)
    if per_row:
        means = NetCosts(exact_sum(data.fn) / N, exact_sum(data.fp) / N)
    every = RowData(label, start, NetCosts(fn, fp), means, ROUNDS)
    pair = rule.scale(np.array(means, dtype=float), ROUNDS)
    cost = rule.scale(np.where(label > 0, fn, fp), ROUNDS) if per_row else None
    rows.weights.set_rows(start)
    state = state_of(rule, Training(rows, pair, cost, lambda: every, 1.0))
    seen: list[Any] = []
    rounds = boost(state, rows, data.learner_of(rows, place), ROUNDS)
    while True:
        try:
            one = next(rounds)
        except StopIteration as end:
            return [*seen, end.value]
        score = np.empty(N)
        score[place] = np.concatenate(parts_of(rows.scores(one.hypothesis)))
        seen.append((one.step.hex(), one.error.hex(), score.tobytes()))


CASES = [
    (rule, learner, per_row)
    for rule in (
        discrete.CGADA,
        discrete.CSADA,
        discrete.ADADB,
        real.CSREALBOOST,
        real.CSRA,
        real.CSGA,
    )
    for learner in ("stump", "tree", "lookup", "logistic")
    for per_row in (False, True)
    if not (per_row and learner == "tree" and rule is real.CSREALBOOST)  # slow; see learners
]
CASES += [
    (rule, learner, per_row)
    for rule in (newton.LOGITBOOST, newton.CSLB, newton.CSLOGITBOOST, newton.CSLOGITBOOST_MARGIN)
    for learner in ("stump", "tree", "lookup", "linear")
    for per_row in (False, True)
]
CASES += [
    (rule, learner, False)
    for rule in (score_weighted.weightboost(0.5), score_weighted.adaboost_reg(1.0, 1.0, True))
    for learner in ("stump", "lookup")
]


@pytest.mark.parametrize(
    ("rule", "learner", "per_row"),
    CASES,
    ids=[f"{r.name} {learner}{' rows' if p else ''}" for r, learner, p in CASES],
)
def test_fits_do_not_depend_on_shards(rule: Any, learner: str, per_row: bool) -> None:
    data = Data(learner)
    one, *others = (trace(data, rule, per_row, *division) for division in DIVISIONS)
    assert len(one) > 1
    assert len({seen[2] for seen in one}) > 1
    for other in others:
        assert other == one


def test_every_family_has_its_state() -> None:
    data = Data("stump")
    rows, place = data.shards(1, 1)
    costs = NetCosts(data.fn[place], data.fp[place])
    every = RowData(rows.label, data.weight[place], costs, NetCosts(2.0, 1.0), ROUNDS)
    for rule, per_row, kind in (
        (discrete.CGADA, True, ClassState),
        (discrete.CSADA, False, ClassState),
        (discrete.CSADA, True, RowState),
        (real.CSREALBOOST, True, RowState),
        (newton.LOGITBOOST, False, NewtonState),
        (score_weighted.weightboost(0.5), False, ScoreState),
    ):
        cost = np.ones(N) if per_row else None
        training = Training(rows, np.array([2.0, 1.0]), cost, lambda: every, 1.0)
        assert type(state_of(rule, training)) is kind
