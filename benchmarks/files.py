"""How long a model takes to be saved and loaded, and how large its file is, as a Markdown table.

Saving includes the wait until the bytes are on the disk; pickle's and skops' numbers do not.
"""

import argparse
import pickle
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import skops.io
from printing import duration, environment, markdown, publish
from sklearn.datasets import make_classification
from timing import seconds

import costboost

REPEATS = 9


def models(n_rounds: int) -> dict[str, Any]:
    X, y = make_classification(10_000, 30, n_informative=10, flip_y=0.1, random_state=0)
    trees = {"estimator": "tree", "max_depth": None, "max_leaf_nodes": 31, "learning_rate": 0.1}
    return {
        f"{n_rounds} stumps": costboost.algorithms.AdaMECClassifier(n_estimators=n_rounds).fit(
            X, y
        ),
        f"{n_rounds} trees of 31 leaves": costboost.algorithms.LogitBoostClassifier(
            n_estimators=n_rounds, **trees
        ).fit(X, y),
    }


def with_pickle(clf: Any, path: Path) -> None:
    path.write_bytes(pickle.dumps(clf))


def from_pickle(path: Path) -> Any:
    return pickle.loads(path.read_bytes())


def from_skops(path: Path) -> Any:
    return skops.io.load(path, trusted=skops.io.get_untrusted_types(file=path))


WAYS: dict[str, tuple[Callable[..., Any], Callable[[Path], Any]]] = {
    "costboost": (costboost.save, costboost.load),
    "pickle": (with_pickle, from_pickle),
    "skops": (skops.io.dump, from_skops),
}


def row(what: str, clf: Any, name: str, folder: Path) -> list[str]:
    save, load = WAYS[name]
    path = folder / name
    saved = min(seconds(lambda: save(clf, path)) for _ in range(REPEATS))
    loaded = min(seconds(lambda: load(path)) for _ in range(REPEATS))
    size = f"{path.stat().st_size / 1000:,.0f} kB"
    return [what, name, duration(saved), duration(loaded), size]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=1000)
    parser.add_argument("--out", type=Path, help="also write the table to this file")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        rows = [
            row(what, clf, name, Path(folder))
            for what, clf in models(options.rounds).items()
            for name in WAYS
        ]
    table = markdown(["model", "by", "save", "load", "file"], rows)
    publish([environment("skops"), table], options.out)


if __name__ == "__main__":
    main()
