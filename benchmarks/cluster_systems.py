"""What the benchmarks on a cluster run: data on the workers, clusters, and the systems."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
from systems import Size, make_data

LEAVES = (2, 31)
MAX_BINS = 255


@contextmanager
def cluster_of(n_workers: int) -> Iterator[Any]:
    """The client of a new cluster of processes with one thread each."""
    from distributed import Client, LocalCluster

    with (
        LocalCluster(
            n_workers=n_workers,
            threads_per_worker=1,
            processes=True,
            dashboard_address=":0",
            silence_logs=logging.CRITICAL,
            memory_limit=0,
        ) as cluster,
        Client(cluster) as client,
    ):
        yield client


@dataclass(frozen=True)
class Rows:
    """The same rows in memory and on the workers, a partition for each worker."""

    X: np.ndarray
    y: np.ndarray
    lazy: tuple[Any, Any]
    """X and y as Dask arrays."""


def rows_of(client: Any, size: Size) -> Rows:
    """Rows of a size, of which every worker holds a part."""
    import dask.array as da
    from distributed import wait

    X, y = make_data(size)
    n_workers = len(client.scheduler_info(n_workers=-1)["workers"])
    height = -(-size.rows // n_workers)
    lazy = da.from_array(X, chunks=(height, size.features)), da.from_array(y, chunks=height)
    kept = client.persist(lazy)
    wait(kept)
    client.rebalance()
    return Rows(X, y, kept)


def ours(rounds: int, leaves: int, n_jobs: int | None = None) -> Any:
    from costboost.algorithms import AdaBoostClassifier

    tree = {"estimator": "tree", "max_depth": None, "max_leaf_nodes": leaves}
    learner = {} if leaves == 2 else tree
    return AdaBoostClassifier(n_estimators=rounds, max_bins=MAX_BINS, n_jobs=n_jobs, **learner)


def lightgbm(rounds: int, leaves: int) -> Any:
    from lightgbm import DaskLGBMClassifier

    return DaskLGBMClassifier(
        n_estimators=rounds, num_leaves=leaves, max_bin=MAX_BINS, n_jobs=1, verbose=-1
    )


def xgboost(rounds: int, leaves: int) -> Any:
    from xgboost.dask import DaskXGBClassifier

    depth = {"max_depth": 1} if leaves == 2 else {"max_depth": 0, "max_leaves": leaves}
    grow = {"grow_policy": "lossguide"} if leaves > 2 else {}
    return DaskXGBClassifier(
        n_estimators=rounds, max_bin=MAX_BINS, tree_method="hist", n_jobs=1, **depth, **grow
    )


SYSTEMS = {"costboost": ours, "LightGBM": lightgbm, "XGBoost": xgboost}


def seconds_of_fit(model: Any, X: Any, y: Any) -> float:
    begin = perf_counter()
    model.fit(X, y)
    return perf_counter() - begin


def seconds_of_round(model: Any, X: Any, y: Any) -> float:
    """Median seconds between the ends of two rounds; the first round is left out."""
    from costboost._core.loop.listening import listening

    ends: list[float] = []
    with listening(lambda n_done, n_rounds: ends.append(perf_counter())):
        model.fit(X, y)
    return float(np.median(np.diff(ends)))


def local_model(model: Any) -> Any:
    """The fitted model of a peer for rows in memory; ours is one."""
    if hasattr(model, "to_local"):
        return model.to_local()
    if hasattr(model, "client"):  # of xgboost
        from xgboost import XGBClassifier

        found = XGBClassifier()
        found.load_model(model.get_booster().save_raw())
        return found
    return model
