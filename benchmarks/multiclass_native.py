"""CostBoost with a score for each class against its peers, under random cost matrices.

Each set is split once into two thirds to train and a third to test. Decisions are made under
twenty cost matrices, drawn as Domingos (1999) draws them: C(i, j) is uniform from 0 to 2000 P(j) /
P(i). Systems that estimate probabilities are trained once; GBSE is trained for each matrix. With
--speed, the time of 100 rounds on letter is printed instead.
"""

import argparse
import time
import warnings
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from multiclass_data import drawn_costs
from printing import environment, markdown, publish
from running import Experiment, add_running_options, check_running_options, read, run
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax
from sklearn.datasets import load_digits, load_iris, load_wine
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold, train_test_split

from costboost import CostBoostClassifier, MultinomialLogitBoostClassifier
from costboost.costs import least_expected
from costboost.multiclass import GBSEClassifier
from costboost.studies import Cell
from costboost.studies.abe import plain, solar_flare

DRAWS = 20
CSV = Path("multiclass_native.csv")
LEAVES, RATE, ROUNDS, LEAST_LEAF = 31, 0.1, 100, 20


def local(load: Callable[..., Any]) -> Callable[[], Any]:
    """A data set that is a part of scikit-learn."""

    def read_set() -> Any:
        data = load(as_frame=True)
        return data.data, data.target.to_numpy()

    return read_set


SETS: dict[str, Callable[[], Any]] = {
    "iris": local(load_iris),
    "wine": local(load_wine),
    "annealing": plain("annealing"),
    "solar_flare": solar_flare,
    "semeion": plain("semeion"),
    "digits": local(load_digits),
    "splice": plain("splice"),
    "waveform": plain("waveform"),
    "satimage": plain("satimage"),
    "letter": plain("letter"),
}


class OneVsRestCostBoostClassifier(CostBoostClassifier):
    """CostBoost as it is for other algorithms: each class against the rest."""

    rule_of_several = None


class Temperature:
    """LightGBM with its defaults; the temperature of its scores is that of five folds."""

    def fit(self, X: Any, y: np.ndarray, seed: int) -> "Temperature":
        import lightgbm

        def made() -> Any:
            return lightgbm.LGBMClassifier(verbose=-1, n_jobs=1, random_state=seed)

        folds = min(5, np.unique(y, return_counts=True)[1].min())
        logits, truth = [], []
        if folds > 1:
            for kept, held in StratifiedKFold(folds, shuffle=True, random_state=seed).split(X, y):
                model = made().fit(X.iloc[kept], y[kept])
                logits.append(model.predict(X.iloc[held], raw_score=True))
                truth.append(y[held])
        self.model = made().fit(X, y)
        self.slope = 1.0
        if logits:
            self.slope = temperature(np.concatenate(logits), np.concatenate(truth))
        return self

    def predict_proba(self, X: Any) -> np.ndarray:
        return np.exp(log_softmax(self.slope * self.model.predict(X, raw_score=True), axis=1))


def temperature(logits: np.ndarray, code: np.ndarray) -> float:
    """The factor of the logits of least log loss."""

    def loss(log_slope: float) -> float:
        logs = log_softmax(np.exp(log_slope) * logits, axis=1)
        return -float(logs[np.arange(code.size), code].mean())

    return float(np.exp(minimize_scalar(loss, bounds=(-4, 2), method="bounded").x))


PROBABLE: dict[str, Callable[[Any, np.ndarray, int], Any]] = {
    "CostBoost": lambda X, y, seed: CostBoostClassifier(random_state=seed, n_jobs=1).fit(X, y),
    "CostBoost, one-vs-rest": lambda X, y, seed: OneVsRestCostBoostClassifier(
        random_state=seed, n_jobs=1
    ).fit(X, y),
    "LightGBM, temperature": lambda X, y, seed: Temperature().fit(X, y, seed),
}
GBSE = "GBSE, 100 rounds"
SYSTEMS = [*PROBABLE, GBSE]


@lru_cache(maxsize=1)
def rows(name: str) -> tuple[Any, Any, np.ndarray, np.ndarray]:
    """Rows to train and to test, and their classes as numbers."""
    X, y = SETS[name]()
    code = np.unique(y, return_inverse=True)[1]
    return tuple(train_test_split(X, code, test_size=1 / 3, stratify=code, random_state=0))


def compute(cell: Cell, seed: int) -> list[dict[str, Any]]:
    """Records of a cell: the cost of a system on a set under each matrix."""
    warnings.simplefilter("ignore")
    X, X_test, y, y_test = rows(str(cell["set"]))
    matrices = [drawn_costs(y, np.random.default_rng(draw)) for draw in range(int(cell["draws"]))]
    start = time.process_time()
    if cell["system"] == GBSE:
        shares = None
        codes = [
            GBSEClassifier(cost_matrix=one, n_estimators=100, random_state=0, n_jobs=1)
            .fit(X, y)
            .predict(X_test)
            for one in matrices
        ]
        seconds = (time.process_time() - start) / len(matrices)
    else:
        clf = PROBABLE[str(cell["system"])](X, y, 0)
        seconds = time.process_time() - start
        shares = clf.predict_proba(X_test)
        codes = [least_expected(shares, one) for one in matrices]
    loss = np.nan if shares is None else log_loss(y_test, shares, labels=np.arange(shares.shape[1]))
    return [
        {
            "draw": draw,
            "cost": float(matrix[y_test, code].mean()),
            "log_loss": float(loss),
            "seconds": seconds,
        }
        for draw, (matrix, code) in enumerate(zip(matrices, codes, strict=True))
    ]


# ---- tables --------------------------------------------------------------------------------------


def report(lines: pd.DataFrame, names: Sequence[str]) -> list[str]:
    """Mean cost under all matrices, as a share of one-vs-rest's on average; log loss; seconds."""
    found = [name for name in names if name in set(lines["set"])]
    parts = [environment("lightgbm")]
    for title, column, digits in (
        ("Mean cost over the matrices.", "cost", ".4g"),
        ("Log loss of the test rows.", "log_loss", ".4f"),
        ("Seconds of processor time to train.", "seconds", ".3g"),
    ):
        means = lines.groupby(["set", "system"])[column].mean().unstack().loc[found]
        columns = [name for name in SYSTEMS if name in means and means[name].notna().any()]
        means = means[columns]
        table = [[n, *(format(v, digits) if v == v else "" for v in means.loc[n])] for n in found]
        both = means.dropna()
        ratio = np.exp(np.log(both.div(both["CostBoost"], axis=0)).mean())
        table.append(["geometric mean, CostBoost = 1", *(f"{v:.3f}" for v in ratio[columns])])
        parts += [title, markdown(["", *columns], table)]
    return parts


def speed(threads: Sequence[int]) -> str:
    """Seconds of 100 rounds on letter, the least of three; processor time for one thread."""
    import lightgbm

    X, y = SETS["letter"]()
    code = np.unique(y, return_inverse=True)[1]

    def ours(n: int) -> Any:
        return MultinomialLogitBoostClassifier(
            estimator="tree", n_estimators=ROUNDS, max_depth=None, max_leaf_nodes=LEAVES,
            min_samples_leaf=LEAST_LEAF, learning_rate=RATE, n_jobs=n,
        )  # fmt: skip

    def theirs(n: int) -> Any:
        return lightgbm.LGBMClassifier(
            n_estimators=ROUNDS, num_leaves=LEAVES, min_child_samples=LEAST_LEAF,
            learning_rate=RATE, n_jobs=n, verbose=-1,
        )  # fmt: skip

    table = []
    for n in threads:
        for name, made in (("MultinomialLogitBoostClassifier", ours), ("LightGBM", theirs)):
            wall, cpu = [], []
            for _ in range(3):
                start, used = time.perf_counter(), time.process_time()
                made(n).fit(X, code)
                wall.append(time.perf_counter() - start)
                cpu.append(time.process_time() - used)
            table.append([f"{name}, n_jobs={n}", f"{min(wall):.2f}", f"{min(cpu):.2f}"])
    return markdown(["letter, 20,000 rows, 26 classes, 100 rounds", "seconds", "CPU"], table)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", nargs="+", choices=SETS, default=list(SETS), metavar="NAME")
    parser.add_argument("--systems", nargs="+", choices=SYSTEMS, default=SYSTEMS, metavar="NAME")
    parser.add_argument("--draws", type=int, default=DRAWS, help="cost matrices")
    parser.add_argument("--speed", action="store_true", help="print the time on letter instead")
    add_running_options(parser, f"{CSV} if absent")
    given = parser.parse_args()
    if given.speed:
        publish([environment("lightgbm"), speed((1, 2))], given.out)
        return
    given.csv = given.csv or CSV
    check_running_options(parser, given)
    lines = read(given.csv)
    if not given.report:
        cells = [
            {"set": name, "system": system, "draws": given.draws}
            for name in given.sets
            for system in given.systems
        ]
        lines, _ = run(Experiment("multiclass_native", compute), cells, given.csv, given.jobs)
    assert lines is not None
    publish(report(lines, given.sets), given.out)


if __name__ == "__main__":
    main()
