"""Made-up payments as a CSV file, those of README.md: amount, hour, four signals, and the frauds.

A fraud is likelier at night, where the third signal is high, and where the first two agree. ::

    python examples/payments.py payments.csv
"""

from __future__ import annotations

import argparse
import csv
from pathlib import Path

import numpy as np

N_ROWS = 12_000
NAMES = ["amount", "hour", "signal_1", "signal_2", "signal_3", "signal_4", "fraud"]


def payments(seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Features of the payments, and which of them are frauds."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.lognormal(4, 1, N_ROWS), rng.normal(size=(N_ROWS, 5))])
    X[:, 1] = rng.uniform(0, 24, N_ROWS)
    risk = 1.5 * np.cos(X[:, 1] * np.pi / 12) + 1.2 * X[:, 2] * X[:, 3] + 0.8 * X[:, 4]
    return X, rng.random(N_ROWS) < 1 / (1 + np.exp(4.5 - risk))


def write(path: Path) -> None:
    """The payments as a CSV file with a heading."""
    X, y = payments()
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(NAMES)
        for row, fraud in zip(X.round(2).tolist(), y.tolist(), strict=True):
            writer.writerow([*row, "yes" if fraud else "no"])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Made-up payments, of which some are frauds.")
    parser.add_argument("file", type=Path)
    write(parser.parse_args().file)
