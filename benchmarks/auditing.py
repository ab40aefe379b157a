"""How long `costboost_lab.theory.audit` takes for each boosting classifier, as a Markdown table."""

import argparse
from pathlib import Path

from printing import duration, environment, markdown, publish
from timing import seconds

from costboost.algorithms import CLASSES
from costboost_lab.theory import audit


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, help="also write the table to this file")
    options = parser.parse_args()
    times = {cls.__name__: seconds(lambda cls=cls: audit(cls)) for cls in CLASSES}
    rows = [[name, duration(taken)] for name, taken in times.items()]
    rows.append(["all", duration(sum(times.values()))])
    publish([environment(), markdown(["classifier", "audit"], rows)], options.out)


if __name__ == "__main__":
    main()
