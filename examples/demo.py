"""From a file to a report by the command line, on made-up payments.

A fraud that is missed costs the amount of the payment, a needless call to the customer 5. All files
are written to the folder ``demo-output``. Run by ``make demo``.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import payments

FOLDER = Path("demo-output")
DATA, MODEL, REPORT = (FOLDER / f"payments.{end}" for end in ("csv", "costboost", "html"))
DECISIONS = FOLDER / "decisions.csv"
N_SHOWN = 5


def costboost(*words: object) -> None:
    """Show a command and run it."""
    shown = " ".join(map(str, words))
    print(f"\n$ costboost {shown}\n", flush=True)
    subprocess.run([sys.executable, "-m", "costboost", *map(str, words)], check=True)


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    payments.write(DATA)
    print(f"data: {DATA}")
    problem = ("--target", "fraud", "--positive", "yes", "--fn-cost", "amount", "--fp-cost", 5)
    costboost("fit", DATA, *problem, "--out", MODEL, "--report", REPORT)
    costboost("explain", MODEL, "--top", N_SHOWN)
    costboost("predict", MODEL, DATA, "--out", DECISIONS)
    print(*DECISIONS.read_text().splitlines()[:N_SHOWN], "...", sep="\n")
    print(f"\nreport: {REPORT}")


if __name__ == "__main__":
    main()
