"""What `import costboost` takes beyond `import sklearn`, in fresh processes.

Processor time of a process, of which the least of several interleaved runs is printed: other
programs on the machine hardly change it. Exits with 1 if the goal is missed.
"""

import argparse
import subprocess
import sys
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage

from printing import environment, markdown, publish

GOAL = 50
"""Milliseconds that `import costboost` may take beyond `import sklearn`."""

BASE = "import sklearn"
STATEMENTS = (
    "pass",
    BASE,
    "import sklearn, costboost",
    "from sklearn.ensemble import HistGradientBoostingClassifier",
    "from costboost import CostBoostClassifier",
)


def cpu_ms(statement: str) -> float:
    """Milliseconds of processor time of a Python process that runs the statement."""
    before = getrusage(RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", statement], check=True)
    after = getrusage(RUSAGE_CHILDREN)
    return 1000 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def least(repeats: int) -> dict[str, float]:
    """The least time of each statement over interleaved runs."""
    runs = [{one: cpu_ms(one) for one in STATEMENTS} for _ in range(repeats)]
    return {one: min(run[one] for run in runs) for one in STATEMENTS}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=10)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    found = least(options.repeats)
    rows = [(f"`{one}`", f"{ms:.0f}", f"{ms - found[BASE]:+.0f}") for one, ms in found.items()]
    header = ("statement", "ms", "beyond `import sklearn`")
    publish([environment(), markdown(header, rows)], options.out)
    beyond = found["import sklearn, costboost"] - found[BASE]
    if beyond > GOAL:
        sys.exit(f"import costboost takes {beyond:.0f} ms beyond import sklearn, more than {GOAL}")


if __name__ == "__main__":
    main()
