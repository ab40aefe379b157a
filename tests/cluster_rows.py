"""Rows for fits on a cluster, as Dask collections with given partitions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

from costboost.io import save

da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")
dask = pytest.importorskip("dask")

N = 1200
DIVISIONS: list[tuple[int, ...]] = [
    (N,),
    (600, 600),
    (1, 300, 0, 799, 100),
    (150,) * 8,
]


class Data:
    """Numbers with ties and missing values, text, categories, weights and costs of rows."""

    def __init__(self) -> None:
        rng = np.random.default_rng(0)
        self.X = rng.normal(size=(N, 5))
        self.X[:, 3] = self.X[:, 3].round(1)
        self.X[rng.random(self.X.shape) < 0.05] = np.nan
        score = np.nan_to_num(self.X[:, 0] + self.X[:, 1] * self.X[:, 3]) + rng.normal(size=N)
        self.y = np.where(score > 1, "bad", "good")
        self.three = np.digitize(score, [-0.5, 1])
        self.frame = pd.DataFrame(self.X, columns=list("abcde"))
        self.frame["text"] = rng.choice(["u", "v", "w", None], N, p=[0.5, 0.3, 0.1, 0.1])
        self.frame["category"] = pd.Categorical(rng.choice(["p", "q", "r"], N))
        self.weight = rng.integers(0, 3, N).astype(float)
        self.fn_cost, self.fp_cost = rng.exponential(size=(2, N)) + 0.1


DATA = Data()


def array(values: NDArray[Any], sizes: tuple[int, ...]) -> Any:
    """A Dask array whose chunks have these sizes."""
    return da.from_array(values, chunks=(sizes, *values.shape[1:]))


def frame(values: pd.DataFrame, sizes: tuple[int, ...]) -> Any:
    """A Dask data frame whose partitions have these sizes."""
    ends = np.cumsum(sizes)
    parts = [values.iloc[end - n : end] for n, end in zip(sizes, ends, strict=True)]
    return dd.from_delayed([dask.delayed(part) for part in parts], meta=values.iloc[:0])


def same_files(tmp_path: Path, local: Any, remote: Any) -> bool:
    for name, model in (("local", local), ("remote", remote)):
        save(model, tmp_path / name)
    return (tmp_path / "local").read_bytes() == (tmp_path / "remote").read_bytes()
