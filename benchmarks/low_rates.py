"""Calibration by the number of positives: simulated rows whose probabilities are known.

For every number of rows and positives, models are trained on several samples. Printed are, as means
over the samples with standard errors,

- O/E: share of the positives in training / mean probability of new rows (1 is right),
- slope: logistic regression of the known probabilities on the log-odds of the predicted ones (the
  median, as it is unbounded for a model that predicts nearly the same for all rows),
- low, high: expected / known positives among the fifth of the new rows with the least, and the
  twentieth with the greatest probabilities,
- excess: log loss above that of the known probabilities, in thousandths, and
- above 1/2: expected and known positives among the rows with a probability above 1/2, per 100,000.

The peer is LightGBM behind scikit-learn's CalibratedClassifierCV (Platt's sigmoid, five folds).
"""

import argparse
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from lightgbm import LGBMClassifier
from printing import environment
from sklearn.calibration import CalibratedClassifierCV

from costboost import CostBoostClassifier
from costboost._core.arithmetic import expit, log

CASES = [(303, 3), (1_000, 5), (10_000, 20), (25_000, 50), (50_000, 100), (5_000, 500)]
CASES += [(20_000, 5_000)]
N_FEATURES, N_NEW = 10, 50_000
Model = Callable[[int], Any]
Floats = np.ndarray


def costboost(n_folds: int) -> Any:
    return CostBoostClassifier(random_state=0, n_jobs=1)


def lightgbm(n_folds: int) -> Any:
    model = LGBMClassifier(random_state=0, n_jobs=1, verbose=-1)
    return CalibratedClassifierCV(model, method="sigmoid", cv=n_folds)


MODELS: dict[str, Model] = {"CostBoost": costboost, "LightGBM + Platt": lightgbm}


def score(X: Floats) -> Floats:
    linear = X[:, 0] + 0.7 * X[:, 1] - 0.5 * X[:, 2] + 0.6 * np.maximum(X[:, 5], 0)
    return linear + 0.8 * X[:, 3] * X[:, 4]


def offset(rate: float) -> float:
    """Intercept at which the mean probability is the rate, by bisection."""
    known = score(np.random.default_rng(1).normal(size=(200_000, N_FEATURES)))
    low, high = -40.0, 40.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if expit(known + middle).mean() < rate else (low, middle)
    return low


def sample(n_rows: int, n_positive: int, shift: float, seed: int) -> tuple[Floats, Floats]:
    """Training rows, with exactly so many positives."""
    rng = np.random.default_rng(seed)
    positive: list[Floats] = []
    negative: list[Floats] = []
    while sum(map(len, positive)) < n_positive or sum(map(len, negative)) < n_rows - n_positive:
        X = rng.normal(size=(2 * n_rows, N_FEATURES))
        y = rng.random(len(X)) < expit(score(X) + shift)
        positive.append(X[y])
        negative.append(X[~y])
    parts = np.concatenate(positive)[:n_positive], np.concatenate(negative)[: n_rows - n_positive]
    order = rng.permutation(n_rows)
    y = np.repeat([1, 0], [n_positive, n_rows - n_positive])
    return np.concatenate(parts)[order], y[order]


def slope(p: Floats, known: Floats) -> float:
    """Logistic regression of known probabilities on the log-odds of others, by Newton steps."""
    columns = np.column_stack([log(p / (1 - p)), np.ones(len(p))])
    found = np.array([1.0, 0.0])
    for _ in range(30):
        q = expit(columns @ found)
        hessian = (columns * (q * (1 - q))[:, None]).T @ columns
        found += np.linalg.lstsq(hessian, columns.T @ (known - q), rcond=None)[0]
    return float(found[0])


def log_loss(p: Floats, known: Floats) -> float:
    return float(-np.mean(known * log(p) + (1 - known) * log(1 - p)))


def measures(p: Floats, known: Floats, share: float) -> list[float]:
    p = np.clip(p, 1e-12, 1 - 1e-12)
    order = np.argsort(p)
    low, high, above = order[: len(p) // 5], order[-len(p) // 20 :], p > 0.5
    scale = 100_000 / len(p)
    return [
        share / p.mean(),
        slope(p, known),
        p[low].sum() / known[low].sum(),
        p[high].sum() / known[high].sum(),
        1_000 * (log_loss(p, known) - log_loss(known, known)),
        p[above].sum() * scale,
        known[above].sum() * scale,
    ]


def table(repeats: int) -> Iterator[list[str]]:
    yield ["positives", "rows", "model", "O/E", "slope", "low", "high", "excess", "above 1/2"]
    for n_rows, n_positive in CASES:
        shift = offset(n_positive / n_rows)
        fresh = np.random.default_rng(2).normal(size=(N_NEW, N_FEATURES))
        known = expit(score(fresh) + shift)
        for name, make in MODELS.items():
            found = []
            for seed in range(repeats):
                X, y = sample(n_rows, n_positive, shift, seed)
                model = make(min(5, n_positive)).fit(X, y)
                p = model.predict_proba(fresh)[:, 1]
                found.append(measures(p, known, n_positive / n_rows))
            mean, error = np.mean(found, axis=0), np.std(found, axis=0, ddof=1) / repeats**0.5
            pairs = zip(mean[:4], error[:4], strict=True)
            cells = [f"{one:.3f} ± {by:.3f}" for one, by in pairs]
            cells[1] = f"{np.median(found, axis=0)[1]:.3f}"
            excess = f"{mean[4]:.2f} ± {error[4]:.2f}"
            yield [
                f"{n_positive:,}", f"{n_rows:,}", name, *cells, excess,
                f"{mean[5]:,.1f} / {mean[6]:,.1f}",
            ]  # fmt: skip


def main() -> None:
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=10, help="samples of each case")
    chosen = parser.parse_args()
    print(environment(), flush=True)
    for k, row in enumerate(table(chosen.repeats)):
        print("| " + " | ".join(row) + " |", flush=True)
        if not k:
            print("|" + " ---: |" * len(row), flush=True)


if __name__ == "__main__":
    main()
