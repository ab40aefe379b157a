"""How often a page claims savings of a model of noise, which can save nothing.

python benchmarks/baselines.py             400 data sets
python benchmarks/baselines.py --seeds 40

Labels are drawn at random, features are noise, and a miss costs an amount that differs by row. The
model is measured on held-out rows against the better constant prediction, as is usual, and against
the best rule that needs no model. It claims savings if the 95% interval lies above 0.
"""

import argparse
import warnings
from collections.abc import Iterator

import numpy as np
from printing import markdown

from costboost import CostBoostClassifier
from costboost._core.baselines import Difference, least_favourable
from costboost.app.report.numbers import (
    all_negative,
    all_positive,
    difference,
    outcome,
    predict_two_classes,
    saved_by,
    without_model,
)

N_ROWS, N_FEATURES, SHARE, ALARM = 1200, 5, 0.2, 5.0
HELD_OUT = 0.25


def trial(seed: int) -> dict[str, tuple[Difference, float]]:
    """What the model saves against each baseline, and the cost of that baseline."""
    random = np.random.default_rng(seed)
    X, amount = random.normal(size=(N_ROWS, N_FEATURES)), random.lognormal(3.0, 1.0, N_ROWS)
    y = (random.random(N_ROWS) < SHARE).astype(int)
    held = np.arange(N_ROWS) >= (1 - HELD_OUT) * N_ROWS
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of one class for all training rows
        model = CostBoostClassifier(random_state=seed, n_jobs=1).fit(X[~held], y[~held])
    rows = predict_two_classes(model, X[held], y[held], amount[held], ALARM, None)
    constants = all_negative(rows), all_positive(rows)
    rules = tuple(without_model(rows).values())
    saved = least_favourable(difference(rows, rows.predicted, one) for one in constants)
    return {
        "the better constant": (saved, min(outcome(rows, one).cost for one in constants)),
        "the best rule without a model": (
            saved_by(rows, rows.predicted),
            min(outcome(rows, one).cost for one in rules),
        ),
    }


def table(trials: list[dict[str, tuple[Difference, float]]]) -> Iterator[list[str]]:
    """For each baseline: its cost, what the model saves, and the share of trials with a claim."""
    for name in trials[0]:
        saved, cost = zip(*(one[name] for one in trials), strict=True)
        claims = np.mean([one.low > 0 for one in saved])
        error = np.sqrt(claims * (1 - claims) / len(trials))
        yield [
            name,
            f"{np.mean(cost):,.0f}",
            f"{np.mean([one.money for one in saved]):,.0f}",
            f"{100 * claims:.1f} +- {100 * error:.1f} %",
        ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=400)
    trials = [trial(seed) for seed in range(parser.parse_args().seeds)]
    print(markdown(["compared with", "its cost", "model saves", "claims savings"], table(trials)))


if __name__ == "__main__":
    main()
