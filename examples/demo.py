"""From a file to a report by the command line, on data that ships with scikit-learn.

Tumours, malignant or benign; missing a malignant one is assumed to cost 20 times as much as a false
alarm. All files are written to the folder ``demo-output``. Run by ``make demo``.
"""

from __future__ import annotations

import csv
import subprocess
import sys
from pathlib import Path

from sklearn.datasets import load_breast_cancer

FOLDER = Path("demo-output")
DATA, MODEL, REPORT = (FOLDER / f"tumours.{end}" for end in ("csv", "costboost", "html"))
DECISIONS = FOLDER / "decisions.csv"
N_SHOWN = 5


def write_data() -> None:
    """The data set as a CSV file."""
    data = load_breast_cancer()
    names = [name.replace(" ", "_") for name in data.feature_names]
    with DATA.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*names, "diagnosis"])
        for row, label in zip(data.data.tolist(), data.target, strict=True):
            writer.writerow([*row, data.target_names[label]])


def costboost(*words: object) -> None:
    """Show a command and run it."""
    shown = " ".join(map(str, words))
    print(f"\n$ costboost {shown}\n", flush=True)
    subprocess.run([sys.executable, "-m", "costboost", *map(str, words)], check=True)


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    write_data()
    print(f"data: {DATA}")
    problem = ("--target", "diagnosis", "--positive", "malignant", "--fn-cost", 20, "--fp-cost", 1)
    costboost("fit", DATA, *problem, "--out", MODEL, "--report", REPORT)
    costboost("explain", MODEL, "--top", N_SHOWN)
    costboost("predict", MODEL, DATA, "--out", DECISIONS)
    print(*DECISIONS.read_text().splitlines()[:N_SHOWN], "...", sep="\n")
    print(f"\nreport: {REPORT}")


if __name__ == "__main__":
    main()
