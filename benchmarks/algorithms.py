"""Fit times of every classifier as multiples of AdaBoost's, printed as Markdown tables.

README.md in this folder describes how the numbers come about and how to read them.
"""

import argparse
import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from printing import environment, figure, markdown, publish
from systems import ROUNDS, Size, make_data
from threadpoolctl import threadpool_limits
from timing import PAUSE, log, turn, warm_up

from costboost._core.rules.record import NewtonRule, Rule, ScoreRule
from costboost.algorithms import CLASSES

SUFFIX = "Classifier"
CLASSIFIERS = {cls.__name__.removesuffix(SUFFIX): cls for cls in CLASSES}
STUMP = "stump"
SIZE = Size(100_000, 50, 5)
MOST_ROWS, MOST_FEATURES = 20_000, 20  # with a cost for every row, where some take seconds
BUDGET = 3.0  # seconds of fitting after which an algorithm is not repeated

FN_COST = 10.0  # of a positive; a negative costs 1
GENTLE = dict.fromkeys(("AdaC1", "AdaC2", "AdaC3"), 1.05)  # at 10 or 2 they end early


@dataclass(frozen=True)
class Algorithm:
    """A classifier on a weak learner."""

    name: str
    learner: str

    @property
    def rule(self) -> Rule:
        return CLASSIFIERS[self.name].rule

    @property
    def fn_cost(self) -> float:
        return GENTLE.get(self.name, FN_COST)

    @property
    def goal(self) -> float | None:
        """At most so many times AdaBoost's time, for class costs; of the specification."""
        if isinstance(self.rule, ScoreRule) or CLASSIFIERS[self.name]().calibration is not None:
            return None  # the default classifier trains an ensemble for each of its folds
        if isinstance(self.rule, NewtonRule):
            return 4.0
        if self.learner != STUMP:
            return None
        return 3.0 if self.rule.criterion.kind == "joint" else 1.3

    def make(self, n_threads: int, rounds: int) -> Any:
        return CLASSIFIERS[self.name](
            estimator=self.learner, n_estimators=rounds, fn_cost=self.fn_cost, n_jobs=n_threads
        )


BASE = Algorithm("AdaBoost", STUMP)


def algorithms(names: Sequence[str]) -> Iterator[Algorithm]:
    for name in names:
        for learner in dict.fromkeys([CLASSIFIERS[name].rule.learner, STUMP]):
            yield Algorithm(name, learner)


@dataclass
class Pace:
    """The best seconds so far of an algorithm and of AdaBoost right before it."""

    own: float = np.inf
    base: float = np.inf
    rounds: int = 0
    spent: float = 0.0

    @property
    def ratio(self) -> float:
        return self.own / self.base


@dataclass
class Race:
    """Algorithms on the same rows; ``row_costs`` gives every row a cost of its own."""

    size: Size
    row_costs: bool = False
    paces: dict[Algorithm, Pace] = field(default_factory=dict)

    def run(self, entries: Sequence[Algorithm], n_threads: int) -> None:
        self.X, self.y = make_data(self.size)
        self.paces = {entry: Pace() for entry in entries}
        with threadpool_limits(n_threads):
            warm_up([entry.make for entry in entries], n_threads)
            for k in range(self.size.repeats):
                log(f"{self.size.name}, repetition {k + 1} of {self.size.repeats}")
                for entry, pace in self.paces.items():
                    if pace.spent < BUDGET:
                        self.time_once(entry, pace, n_threads)

    def time_once(self, entry: Algorithm, pace: Pace, n_threads: int) -> None:
        base, own = BASE.make(n_threads, ROUNDS), entry.make(n_threads, ROUNDS)
        costs = self.costs(entry)
        time.sleep(PAUSE)
        pace.base = min(pace.base, turn(lambda: base.fit(self.X, self.y)))
        seconds = turn(lambda: own.fit(self.X, self.y, **costs))
        pace.own, pace.spent = min(pace.own, seconds), pace.spent + seconds
        pace.rounds = own.n_iter_

    def costs(self, entry: Algorithm) -> dict[str, np.ndarray]:
        """Spread on a logarithmic scale about the costs of the classes."""
        if not self.row_costs:
            return {}
        rng = np.random.default_rng(self.size.rows)
        fn, fp = entry.fn_cost ** rng.uniform(-0.25, 0.25, (2, self.size.rows))
        return {"fn_cost": entry.fn_cost * fn, "fp_cost": fp}

    def table(self) -> str:
        header = ["algorithm", "weak learner", "rounds", "milliseconds", "ratio"]
        goals = [] if self.row_costs else ["goal", "met"]
        rows = [self.line(entry, pace, bool(goals)) for entry, pace in self.paces.items()]
        return markdown(header + goals, rows)

    def line(self, entry: Algorithm, pace: Pace, with_goal: bool) -> list[str]:
        rounds = str(pace.rounds) + (" (ended early)" if pace.rounds < ROUNDS else "")
        cells = [entry.name, entry.learner, rounds, figure(1e3 * pace.own), f"{pace.ratio:.2f}"]
        return cells + (verdict(entry.goal, pace) if with_goal else [])


def verdict(goal: float | None, pace: Pace) -> list[str]:
    if goal is None:
        return ["-", "-"]
    met = "no" if pace.ratio > goal else "yes" if pace.rounds == ROUNDS else "unknown"
    return [f"{goal:g}", met]


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    names = list(CLASSIFIERS)
    parser.add_argument("--rows", type=int, default=SIZE.rows)
    parser.add_argument("--features", type=int, default=SIZE.features)
    parser.add_argument("--repeats", type=int, default=SIZE.repeats)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument(
        "--only", nargs="+", choices=names, default=names, metavar="NAME", help=", ".join(names)
    )
    parser.add_argument("--out", type=Path, metavar="FILE", help="write the Markdown here as well")
    chosen = parser.parse_args()
    if min(chosen.rows, chosen.features, chosen.repeats, chosen.threads) < 1:
        parser.error("--rows, --features, --repeats and --threads must be positive")
    return chosen


def title(race: Race, costs: str, n_threads: int) -> str:
    return f"Fit, {ROUNDS} rounds on {race.size.name}, {costs}, threads: {n_threads}."


def main() -> None:
    warnings.simplefilter("ignore")  # cost-blind algorithms warn that they ignore the costs
    chosen = arguments()
    parts = [environment()]
    entries = list(algorithms(chosen.only))
    race = Race(Size(chosen.rows, chosen.features, chosen.repeats))
    race.run(entries, chosen.threads)
    parts += [title(race, "class costs", chosen.threads), race.table()]
    entries = [entry for entry in entries if not entry.rule.cost_blind]
    if entries:
        rows, features = min(chosen.rows, MOST_ROWS), min(chosen.features, MOST_FEATURES)
        race = Race(Size(rows, features, chosen.repeats), row_costs=True)
        race.run(entries, chosen.threads)
        parts += [title(race, "a cost for every row", chosen.threads), race.table()]
    publish(parts, chosen.out)


if __name__ == "__main__":
    main()
