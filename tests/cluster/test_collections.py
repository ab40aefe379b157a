"""Dask collections are recognised without importing Dask."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from costboost._core.backends.dask.blocks import is_collection

da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")


def test_arrays_and_frames_are_collections() -> None:
    array, frame = da.ones((4, 2), chunks=2), pd.DataFrame({"a": [1, 2], "b": [3, 4]})
    lazy = dd.from_pandas(frame, npartitions=2)
    for value in (array, array[:, 0], lazy, lazy["a"], lazy.index):
        assert is_collection(value)
    for value in (np.ones(3), frame, frame["a"], [1, 2], None, "dask.array", da, dd.DataFrame):
        assert not is_collection(value)


def test_dask_is_not_imported() -> None:
    code = (
        "import sys, numpy; from costboost._core.backends.dask.blocks import is_collection\n"
        "assert not is_collection(numpy.ones(3)); assert 'dask' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_cluster_can_be_used(client: object) -> None:
    assert da.ones(6, chunks=2).sum().compute() == 6
