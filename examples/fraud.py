"""Costs and savings in money, where every row has individual costs.

Three data sets with amounts: clients who may default on a credit card, subscribers who may leave,
people who may answer a letter of a charity. For each it prints the cost of doing nothing, of
treating everybody, of deciding by the costs of each row alone, and of decisions by a model without
costs, with costs of the two classes, and with the costs of each row. The page
docs/guide-fraud.md explains the output.

The data are those of ``costboost.datasets``:

    COSTBOOST_DATA=/folder/with/the/files python examples/fraud.py
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import stats
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.model_selection import StratifiedShuffleSplit

from costboost import CostBoostClassifier, datasets
from costboost.algorithms import AdaMECClassifier, CGAdaClassifier
from costboost.metrics import total_cost

SPLITS = 20
TEST_SHARE = 0.3
PEOPLE = 1000  # of a bill
LEAST_COST = 0.01  # a classifier requires costs above 0
MAILED, DONORS = 95_412, 4_843  # training rows of the KDD Cup 1998

NOTHING, EVERYBODY = "do nothing", "treat everybody"
ALONE = "costs of each row alone, one P for all"
BLIND, CLASSES, ROWS = "no costs: P > 1/2", "costs of the classes", "costs of each row"
AMOUNTS = ", amounts as features"

Rows = np.ndarray
Guess = Callable[[Rows, Rows], np.ndarray]
"""(training rows, test rows) -> cost of a miss on each test row, known or estimated."""


# ---- data ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Case:
    """A data set with costs; ``weight`` is the number of people that a row stands for.

    ``if_negative`` and ``if_positive`` are the costs of each row if it is predicted negative or
    positive. ``features`` are forms of X, and ``guesses`` estimates of ``fn_cost`` of test rows.
    """

    title: str
    unit: str
    y: np.ndarray
    if_negative: np.ndarray
    if_positive: np.ndarray
    fn_cost: np.ndarray
    fp_cost: np.ndarray
    weight: np.ndarray
    features: dict[str, Any]
    guesses: dict[str, Guess]

    def cost(self, y_pred: np.ndarray, rows: Rows) -> float:
        """Cost of mistakes."""
        costs = {"fn_cost": self.fn_cost[rows], "fp_cost": self.fp_cost[rows]}
        return total_cost(self.y[rows], y_pred, sample_weight=self.per(rows), **costs)

    def bill(self, y_pred: np.ndarray, rows: Rows) -> float:
        """Cost of all four outcomes."""
        costs = np.column_stack([self.if_negative[rows], self.if_positive[rows]])
        weight = self.per(rows)
        return total_cost(None, y_pred, costs=costs, labels=[0, 1], sample_weight=weight)

    def per(self, rows: Rows) -> np.ndarray:
        """Weights that make the rows 1000 people."""
        return PEOPLE * self.weight[rows] / self.weight[rows].sum()


def load(name: str) -> Case:
    data = datasets.load(name)
    y = (np.asarray(data.y) == data.pos_label).astype(np.int64)
    cells = data.costs.to_frame().to_numpy(float).T
    fn, fp, tp, tn = (np.array(np.broadcast_to(cell, y.shape)) for cell in cells)
    case = Case(
        data.record.title,
        data.costs.unit,
        y,
        np.where(y == 1, fn, tn),
        np.where(y == 1, tp, fp),
        fn - tp,
        fp - tn,
        np.ones(len(y)),
        {"": data.X.drop(columns=list(data.leaks))},
        {"": lambda train, test: (fn - tp)[test]},
    )
    return CASES[name](case)


def with_amounts(case: Case) -> Case:
    """Add the costs as features: they are known beforehand, and P may depend on them."""
    X = case.features[""]
    more = X.assign(fn_cost=case.fn_cost, fp_cost=case.fp_cost)
    return replace(case, features={"": X, AMOUNTS: more})


def as_mailed(case: Case) -> Case:
    """Weight non-donors by their number in the mailing, and estimate the gifts."""
    X, postage = case.features[""], case.fp_cost[0]
    numbers = X.select_dtypes("number")

    def learnt(train: Rows, test: Rows) -> np.ndarray:
        donors = train[case.y[train] == 1]
        model = HistGradientBoostingRegressor(learning_rate=0.05, max_leaf_nodes=8, random_state=0)
        model.fit(numbers.iloc[donors], case.fn_cost[donors])
        return np.maximum(model.predict(numbers.iloc[test]), LEAST_COST)

    def last(train: Rows, test: Rows) -> np.ndarray:
        return np.maximum(X["GiftAvgLast"].to_numpy()[test] - postage, LEAST_COST)

    weight = np.where(case.y == 1, 1.0, (MAILED - DONORS) / DONORS)
    guesses = {", gift by regression": learnt, ", gift as the last one": last}
    return replace(case, weight=weight, guesses=guesses)


CASES: dict[str, Callable[[Case], Case]] = {
    "default_credit_card": lambda case: case,
    "churn_tv": with_amounts,
    "kdd98_pva97nk": as_mailed,
}


# ---- decisions -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Decided:
    """Predictions for the test rows, and their expected cost by the model."""

    name: str
    y_pred: np.ndarray
    expected: float = np.nan


def decide(case: Case, train: Rows, test: Rows) -> Iterator[Decided]:
    """Predictions by every system."""
    yield Decided(NOTHING, np.zeros(len(test), dtype=np.int64))
    yield Decided(EVERYBODY, np.ones(len(test), dtype=np.int64))
    known = {name: guess(train, test) for name, guess in case.guesses.items()}
    share = np.average(case.y[train], weights=case.weight[train])
    fn, fp = next(iter(known.values())), case.fp_cost[test]
    yield Decided(ALONE, (share > fp / (fp + fn)).astype(np.int64))
    for suffix, X in case.features.items():
        clf = CostBoostClassifier(random_state=0)
        yield from by_cost(clf, suffix, case, X, train, test, known)
    X, y, weight = case.features[""], case.y[train], case.weight[train]
    first = next(iter(known.values()))
    clf = AdaMECClassifier(calibration="platt", random_state=0)
    clf.fit(X.iloc[train], y, sample_weight=weight)
    y_pred = clf.predict(X.iloc[test], fn_cost=first, fp_cost=case.fp_cost[test])
    yield Decided(f"{ROWS}, AdaMEC", y_pred)
    costs = {"fn_cost": case.fn_cost[train], "fp_cost": case.fp_cost[train]}
    trained = CGAdaClassifier().fit(X.iloc[train], y, sample_weight=weight, **costs)
    yield Decided("costs in training only, CGAda", trained.predict(X.iloc[test]))


def by_cost(
    clf: Any, suffix: str, case: Case, X: Any, train: Rows, test: Rows, known: dict[str, np.ndarray]
) -> Iterator[Decided]:
    """Predictions of one fit under several costs."""
    y, weight = case.y[train], case.weight[train]
    clf.fit(X.iloc[train], y, sample_weight=weight)
    miss, alarm = case.fn_cost[train][y == 1].mean(), case.fp_cost[train][y == 0].mean()
    costs: dict[str, Any] = {} if suffix else {BLIND: (1.0, 1.0)}
    costs |= {CLASSES: (miss, alarm)}
    costs |= {ROWS + name: (fn_cost, case.fp_cost[test]) for name, fn_cost in known.items()}
    p, fn_cost = clf.predict_proba(X.iloc[test])[:, 1], next(iter(known.values()))
    for name, (fn, fp) in costs.items():
        y_pred = clf.predict(X.iloc[test], fn_cost=fn, fp_cost=fp)
        risks = np.where(y_pred == 1, (1 - p) * case.fp_cost[test], p * fn_cost)
        yield Decided(name + suffix, y_pred, float(case.per(test) @ risks))


@dataclass(frozen=True)
class Costs:
    """Costs of 1000 people, one entry for each split."""

    mistakes: np.ndarray
    bill: np.ndarray
    expected: np.ndarray


def compare(case: Case, splits: int) -> dict[str, Costs]:
    found: dict[str, list[tuple[float, float, float]]] = {}
    drawn = StratifiedShuffleSplit(splits, test_size=TEST_SHARE, random_state=0)
    for train, test in drawn.split(case.y[:, None], case.y):
        for one in decide(case, train, test):
            costs = case.cost(one.y_pred, test), case.bill(one.y_pred, test), one.expected
            found.setdefault(one.name, []).append(costs)
    return {name: Costs(*np.array(costs).T) for name, costs in found.items()}


# ---- printing ------------------------------------------------------------------------------------


def interval(values: np.ndarray) -> tuple[float, float]:
    """95% interval of a mean over splits, widened because the splits share rows.

    Nadeau and Bengio (2003): the variance is multiplied by 1/n + test/train instead of 1/n.
    """
    n = len(values)
    spread = np.sqrt(values.var(ddof=1) * (1 / n + TEST_SHARE / (1 - TEST_SHARE)))
    half = stats.t.ppf(0.975, n - 1) * spread
    return values.mean() - half, values.mean() + half


def money(value: float) -> str:
    return f"{value:,.0f}" if abs(value) < 1e5 else f"{value / 1e3:,.0f}k"


def describe(case: Case) -> None:
    positive = case.y == 1
    share = np.average(positive, weights=case.weight)
    print(f"{case.title}: {len(case.y)} rows, {share:.1%} positive, amounts in {case.unit}")
    for name, costs, rows in (
        ("a miss", case.fn_cost, positive),
        ("a false alarm", case.fp_cost, ~positive),
    ):
        low, high = np.percentile(costs[rows], [5, 95])
        print(f"{name} costs {costs[rows].mean():,.2f} (nine in ten: {low:,.2f} to {high:,.2f})")
    hit, miss = case.if_positive[positive].mean(), case.if_negative[positive].mean()
    if hit:
        print(f"with what right decisions cost: {hit:,.2f} for a hit, {miss:,.2f} for a miss")
    low, high = np.percentile(case.fp_cost / (case.fp_cost + case.fn_cost), [5, 95])
    print(f"treat where P is above a threshold (nine in ten: {low:.3f} to {high:.3f})\n")


def table(found: dict[str, Costs]) -> None:
    """Costs, and what is saved against the best of the three that need no model."""
    trivial = min((NOTHING, EVERYBODY, ALONE), key=lambda name: found[name].mistakes.mean())
    base = found[trivial].mistakes
    print(f"{'':<50}{'cost':>9}{'saved':>9}{'95% interval':>20}{'share':>8}")
    for name, costs in found.items():
        line = f"{name:<50}{money(costs.mistakes.mean()):>9}"
        if name != trivial:
            saved = base - costs.mistakes
            between = "{} to {}".format(*map(money, interval(saved)))
            line += f"{money(saved.mean()):>9}{between:>20}{saved.mean() / base.mean():>8.1%}"
        print(line)


def differences(case: Case, found: dict[str, Costs]) -> None:
    """What the costs of each row save, split by split, and what the model expected them to save."""
    title = "what the costs of each row save"
    print(f"\n{title:<50}{'saved':>9}{'95% interval':>20}{'expected':>10}")
    guess = next(iter(case.guesses))
    for suffix in case.features:
        for other in (BLIND + suffix, CLASSES + suffix):
            if other not in found:
                continue
            less, more = found[ROWS + guess + suffix], found[other]
            saved, hoped = more.mistakes - less.mistakes, more.expected - less.expected
            between = "{} to {}".format(*map(money, interval(saved)))
            name = f"against {other}"
            print(f"{name:<50}{money(saved.mean()):>9}{between:>20}{money(hoped.mean()):>10}")


def show_bills(case: Case, found: dict[str, Costs]) -> None:
    """Right decisions that cost something cost the same whatever is decided."""
    least = np.minimum(case.if_negative, case.if_positive)
    if not least.any():
        return
    rows = found[ROWS + next(iter(case.guesses))]
    fixed = rows.bill.mean() - rows.mistakes.mean()
    print(f"\nthe bill of all four outcomes is {money(fixed)} higher, whatever is decided:")
    for name, costs in ((NOTHING, found[NOTHING]), (EVERYBODY, found[EVERYBODY]), (ROWS, rows)):
        print(f"{name:<50}{money(costs.bill.mean()):>9}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--splits", type=int, default=SPLITS)
    names = list(CASES)
    parser.add_argument("--sets", nargs="+", choices=names, default=names, metavar="NAME")
    chosen = parser.parse_args()
    if chosen.splits < 2:
        parser.error("--splits must be at least 2, for an interval")
    print(f"Costs of {PEOPLE} people; {chosen.splits} splits, {TEST_SHARE:.0%} of the rows to test")
    for name in chosen.sets:
        try:
            case = load(name)
        except FileNotFoundError as error:
            sys.exit(str(error))
        print()
        describe(case)
        found = compare(case, chosen.splits)
        table(found)
        differences(case, found)
        show_bills(case, found)


if __name__ == "__main__":
    main()
