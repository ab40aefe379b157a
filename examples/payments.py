"""Made-up payments as a CSV file: those of README.md. ::

python examples/payments.py payments.csv
"""

from __future__ import annotations

import argparse
import csv
from pathlib import Path

from costboost.datasets import make_payments

NAMES = ["amount", "hour", "signal_1", "signal_2", "signal_3", "signal_4", "fraud"]


def write(path: Path) -> None:
    """The payments as a CSV file with a heading."""
    X, y = make_payments(random_state=0)
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(NAMES)
        for row, fraud in zip(X.round(2).tolist(), y.tolist(), strict=True):
            writer.writerow([*row, "yes" if fraud else "no"])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Made-up payments, of which some are frauds.")
    parser.add_argument("file", type=Path)
    write(parser.parse_args().file)
