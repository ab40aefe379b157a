"""Whether intervals of the prevalence cover, and what decisions by its estimate cost.

The simulation draws the scores of two normal classes. "exact" probabilities are those of the true
densities. "off" ones have an error of level and slope, drawn anew for each batch, with about
twice the variance that is measured for models trained on 1,000 rows. "trained" ones are those of
CostBoostClassifier on 1,000 rows with ten columns of noise. README.md in this folder describes how
to read the tables.
"""

import argparse
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from printing import environment, markdown, publish
from running import available
from scipy.optimize import brentq
from scipy.special import expit, logit
from timing import log
from value_data import load

from costboost import CostBoostClassifier
from costboost._core.model.shares import calibration_rows
from costboost.app.monitoring.reference import ProbabilitySketch, recalibrate
from costboost.decisions.prevalence import PrevalenceEstimate, estimate

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

N_TRAIN = 1000
CALIBRATED_BY = N_TRAIN / 2.5  # unseen rows that calibrate as "off" probabilities are
BINS_OF_ONE = 50  # log-odds are rounded, so that large batches take no longer
SIZES = (200, 2000, 20_000)
SHARES = (0.05, 0.3)
SHIFTS = {"none": 1.0, "odds / 3": 1 / 3, "odds x 3": 3.0}
UNSEEN = "all rows that training has not seen"
DISTANCES = {"weak": 0.3, "middling": 1.0, "strong": 2.5}
"""Standard deviations between the means of the classes."""
SETS = (
    "default_credit_card", "german_credit", "bank_marketing", "churn_tv", "kdd98_pva97nk", "pima",
    "haberman", "liver", "breast_cancer_ljubljana", "solar_flare", "hypothyroid", "satimage",
    "spambase", "waveform", "semeion", "banana",
)  # fmt: skip


class Batch(NamedTuple):
    """Unlabelled rows and what is known of them."""

    p: Floats
    y: Flags
    prior: float
    rows: float
    """Labelled rows that would calibrate as well."""

    def estimate(self) -> PrevalenceEstimate:
        place = np.round(np.clip(logit(self.p), -16, 16) * BINS_OF_ONE).astype(int)
        _, own, n = np.unique(place, return_inverse=True, return_counts=True)
        p = np.bincount(own, self.p) / n
        both = np.column_stack([1 - p, p])
        shares = np.array([1 - self.prior, self.prior])
        labels = np.array([0, 1])
        return estimate(both, shares, labels, 1, n.astype(float), rows=self.rows)

    def cost(self, share: float, fn: float) -> float:
        """Of decisions at a prevalence, where a false positive costs 1."""
        p = expit(logit(self.p) + logit(share) - logit(self.prior))
        positive = p > 1 / (1 + fn)
        return float(fn * np.sum(self.y & ~positive) + np.sum(~self.y & positive))


def shifted(share: float, factor: float) -> float:
    """The share whose odds are a multiple."""
    return factor * share / (1 - share + factor * share)


# ---- simulation ----------------------------------------------------------------------------------


def drawn(
    random: np.random.Generator, n: int, share: float, distance: float
) -> tuple[Floats, Flags]:
    y = random.random(n) < share
    return random.normal(size=n) + distance * y, y


def exact(x: Floats, share: float, distance: float) -> Floats:
    return expit(logit(share) + distance * x - distance**2 / 2)


def off(random: np.random.Generator, p: Floats, typical: Floats) -> Floats:
    """Probabilities with an error of slope and level.

    As after calibration, the mean probability stays if the slope changes. Then it gets the error
    of a mean over CALIBRATED_BY rows.
    """
    variance = typical * (1 - typical)
    turn = (variance @ logit(typical)) / variance.sum()
    known = CALIBRATED_BY * np.mean(variance * (logit(typical) - turn) ** 2)
    slope = 1 + random.normal() * min(1 / np.sqrt(known), 0.5)
    steeper = slope * (logit(typical) - turn)
    center = brentq(lambda at: expit(at + steeper).mean() - typical.mean(), -20, 20)
    own = expit(center + steeper)
    level = random.normal() * own.std() / np.sqrt(CALIBRATED_BY) / np.mean(own * (1 - own))
    return expit(center + level + slope * (logit(p) - turn))


def simulated(
    kind: str, n: int, share: float, distance: float, factor: float, n_batches: int
) -> Iterator[Batch]:
    """Batches of one case."""
    random = np.random.default_rng(0)
    typical = exact(drawn(random, 20_000, share, distance)[0], share, distance)
    new = shifted(share, factor)
    clf = None
    for k in range(n_batches):
        x, y = drawn(random, n, new, distance)
        if kind == "exact":
            yield Batch(exact(x, share, distance), y, share, np.inf)
        elif kind == "off":
            p = off(random, exact(x, share, distance), typical)
            yield Batch(p, y, share, calibration_rows(N_TRAIN))
        else:
            if k % 10 == 0:
                clf = trained(random, share, distance)
            p = clf.predict_proba(with_noise(random, x))[:, 1]
            yield Batch(p, y, float(clf.class_prior_[1]), calibration_rows(N_TRAIN))


def with_noise(random: np.random.Generator, x: Floats) -> Floats:
    return np.column_stack([x, random.normal(size=(len(x), 10))])


def trained(random: np.random.Generator, share: float, distance: float) -> CostBoostClassifier:
    x, y = drawn(random, N_TRAIN, share, distance)
    clf = CostBoostClassifier(n_estimators=10, random_state=0, n_jobs=1)
    return clf.fit(with_noise(random, x), y)


def simulation(n_batches: int) -> Iterator[list[str]]:
    """Rows of the table: a case, and how often intervals cover and tests reject."""
    for kind in ("exact", "off", "trained"):
        for name, distance in DISTANCES.items():
            for n in SIZES:
                cells = []
                for factor in SHIFTS.values():
                    cells.append(case(kind, n, distance, factor, n_batches))
                yield [f"{kind}, {name}", f"{n:,}", *cells]
            log(f"{kind}, {name}")


def case(kind: str, n: int, distance: float, factor: float, n_batches: int) -> str:
    """Coverage at the worst of the shares, and the greatest rate of rejections."""
    covered, rejected = [], []
    for share in SHARES:
        found = [
            (batch.estimate(), shifted(share, factor))
            for batch in simulated(kind, n, share, distance, factor, n_batches)
        ]
        covered.append(np.mean([e.interval[0] <= truth <= e.interval[1] for e, truth in found]))
        rejected.append(np.mean([e.p_value < 0.05 for e, _ in found]))
    return f"{min(covered):.0%}, {max(rejected):.0%}"


# ---- real sets -----------------------------------------------------------------------------------


class Error(NamedTuple):
    """How far off a mean probability or a slope is, squared, and what of that is usual."""

    squared: float
    chance: float
    """Variance by the draw of the classes."""
    by_training: float
    """Variance if each training row calibrated as well as one that training has not seen."""


def errors(batch: Batch) -> tuple[Error, Error] | None:
    """Errors of the mean probability and of the slope of the log-odds; None for a single class.

    The mean probability of new rows should be the share of training, whatever their share is.
    """
    sketch = ProbabilitySketch()
    sketch.add(batch.p, batch.y)
    again = recalibrate(sketch)
    if again is None:
        return None
    n, variance, (slope, error) = len(batch.p), batch.p.var(), again.slope
    level = Error((batch.p.mean() - batch.prior) ** 2, variance / n, variance / batch.rows)
    return level, Error((slope - 1) ** 2, error**2, error**2 * n / batch.rows)


def rows_for_one(found: list[Error]) -> float:
    """Training rows that calibrate as well as one unseen row: squares are as large as expected."""

    def beyond(rows: float) -> float:
        squares = [one.squared / (one.chance + rows * one.by_training) for one in found]
        return float(np.mean(squares)) - 1

    return float(brentq(beyond, 0, 1000)) if beyond(0) > 0 else 0.0


def of_set(name: str, n_splits: int) -> Iterator[tuple[str, Batch]]:
    """Batches of up to 1,000 rows of a set, by shift, from models of up to 1,000 other rows.

    Before those of a split come all rows that its training has not seen, and its number of rows.
    """
    problem = load(name)
    for seed in range(n_splits):
        random = np.random.default_rng(seed)
        rows = random.permutation(len(problem.y))
        half = min(len(rows) // 2, N_TRAIN)
        train, rest = rows[:half], rows[half:]
        clf = CostBoostClassifier(n_estimators=20, random_state=0, n_jobs=1)
        clf.fit(problem.X.iloc[train], problem.y[train])
        p, y = clf.predict_proba(problem.X.iloc[rest])[:, 1], problem.y[rest] == 1
        prior = float(clf.class_prior_[1])
        yield UNSEEN, Batch(p, y, prior, half)
        for shift, factor in SHIFTS.items():
            kept = resampled(random, y, shifted(prior, factor)) if factor != 1 else slice(1000)
            yield shift, Batch(p[kept], y[kept], prior, calibration_rows(half))


def resampled(random: np.random.Generator, y: Flags, share: float) -> NDArray[np.intp]:
    """Rows, none twice, with a share of positive ones."""
    positive, negative = np.flatnonzero(y), np.flatnonzero(~y)
    n = int(min(1000, 0.9 * len(positive) / share, 0.9 * len(negative) / (1 - share)))
    wanted = min(int((random.random(n) < share).sum()), len(positive))
    both = random.permutation(positive)[:wanted], random.permutation(negative)[: n - wanted]
    return np.concatenate(both)


def on_sets(names: list[str], n_splits: int, off: list[tuple[Error, Error]]) -> Iterator[list[str]]:
    """Rows of the table: a set, coverage, rejections and costs by shift; errors go to a list."""
    every = []
    for name in names:
        found: dict[str, list[tuple[float, ...]]] = {shift: [] for shift in SHIFTS}
        explained = []
        for shift, batch in of_set(name, n_splits):
            if shift == UNSEEN:
                both = errors(batch)
                off += [both] if both else []
                explained.append(batch.p.var() / (batch.prior * (1 - batch.prior)))
                continue
            if not 0 < batch.y.mean() < 1:
                continue
            one, truth, fn = batch.estimate(), float(batch.y.mean()), 1 / batch.prior - 1
            likely = float(np.clip(one.most_likely[1], 1e-12, 1 - 1e-12))
            costs = [batch.cost(s, fn) for s in (batch.prior, likely, one.value, truth)]
            held = one.interval[0] <= truth <= one.interval[1]
            found[shift].append((held, one.p_value < 0.05, *costs))
        means = [np.mean(values, axis=0) for values in found.values()]
        every.append([[*mean[:2], *mean[3:] / mean[2]] for mean in means])
        log(name)
        yield [name, f"{np.mean(explained):.2f}", *map(on_set, every[-1])]
    yield ["mean", "", *map(on_set, np.mean(every, axis=0))]


def on_set(means: Sequence[float]) -> str:
    """Coverage, rejections and costs of a shift."""
    held, rejected, *costs = means
    return f"{held:.0%}, {rejected:.0%}, " + "/".join(f"{cost:.2f}" for cost in costs)


def main() -> None:
    warnings.simplefilter("ignore")  # shares at the boundary are counted here
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--batches", type=int, default=100, help="of each case; default 100")
    parser.add_argument("--splits", type=int, default=20, help="of each set; default 20")
    parser.add_argument("--sets", nargs="*", default=list(SETS))
    parser.add_argument("--out", type=Path, help="write the tables to this file as well")
    chosen = parser.parse_args()
    first = markdown(["probabilities", "rows", *SHIFTS], simulation(chosen.batches))
    parts = [environment(with_load=False), first]
    if chosen.sets:
        head = ["set", "R²", *SHIFTS]
        off: list[tuple[Error, Error]] = []
        parts.append(markdown(head, on_sets(available(chosen.sets), chosen.splits, off)))
        level, slope = (rows_for_one([both[k] for both in off]) for k in (0, 1))
        parts.append(
            f"Mean probabilities are as far off as if fitted to 1/{level:.1f} of the training "
            f"rows, slopes as if to 1/{slope:.1f}."
        )
    publish(parts, chosen.out)


if __name__ == "__main__":
    main()
