"""The comparison of README.md on other draws of its payments: means, and how often each is cheaper.

The code is that of README.md itself, with another seed of the data for each draw.
"""

import argparse
import contextlib
import io
import re
from pathlib import Path

import numpy as np
import pandas as pd
from printing import insert, markdown, publish
from scipy import stats

README = Path(__file__).parents[1] / "README.md"
OURS = "CostBoost"
SEED = "make_payments(random_state=0)"


def costs(code: str, seed: int) -> dict[str, float]:
    """What each way to decide costs on the test rows of a draw."""
    names: dict[str, object] = {}
    if SEED not in code:
        raise ValueError(f"the code of {README.name} has no {SEED}")
    with contextlib.redirect_stdout(io.StringIO()):
        exec(code.replace(SEED, f"make_payments(random_state={seed})"), names)
    y, test, euros = names["y"], names["test"], names["euros"]
    cost = names["total_cost"]
    return {name: cost(y[test], y_pred, **euros) for name, y_pred in names["ways"].items()}


def sentence(found: pd.DataFrame) -> str:
    """The means, and the closest competitor."""
    means = found.mean().sort_values()
    other = next(name for name in means.index if name != OURS)
    more = found[other] / found[OURS] - 1
    half = float(stats.t.ppf(0.975, len(more) - 1) * stats.sem(more))
    parts = "; ".join(f"{name} {cost:,.0f}" for name, cost in means[::-1].items())
    return (
        f"Means over {len(found)} other draws: {parts}. The next best, {other}, costs "
        f"{more.mean():.1%} more than {OURS} (95% interval {more.mean() - half:.1%} to "
        f"{more.mean() + half:.1%}); {OURS} is cheaper in {(more > 0).sum()} draws."
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=20)
    parser.add_argument("--page", action="store_true", help="write the sentence into README.md")
    given = parser.parse_args()
    blocks = re.findall(r"^```python\n(.*?)^```", README.read_text(), re.DOTALL | re.MULTILINE)
    code = "\n".join(blocks[:2])
    found = pd.DataFrame([costs(code, seed) for seed in range(1, given.draws + 1)])
    table = markdown(
        ["draw", *found.columns],
        [[str(k + 1), *(f"{v:,.0f}" for v in row)] for k, row in enumerate(np.asarray(found))],
    )
    if given.page:
        insert("parts", [sentence(found)], README)
    publish([table, sentence(found)], None)


if __name__ == "__main__":
    main()
