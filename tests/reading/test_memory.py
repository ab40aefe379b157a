"""Reading a packed file takes no more memory than is allowed, measured from outside."""

from __future__ import annotations

import gzip
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from costboost.app.reading.memory import HELD

pa = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")

LIMIT = 150_000_000
TOLERANCE = 1.1 * LIMIT + 40_000_000
"""Modules that are imported on the way, and stacks of threads, are no memory of the table."""

CODE = """
import sys, pandas, pyarrow.csv, pyarrow.json, pyarrow.parquet
from costboost.reading import InputError, read_table

def of_process(name):
    with open("/proc/self/status") as status:
        return 1024 * int(next(line for line in status if line.startswith(name)).split()[1])

before = of_process("VmRSS")
try:
    print(read_table(sys.argv[1], max_memory=int(sys.argv[2])).num_rows)
except InputError:
    print(0)
print(of_process("VmHWM") - before)
"""


def text(path: Path, share: float) -> None:
    """CSV with text of 200 characters in each of two columns."""
    line = ",".join(["x" * 200] * 2).encode() + b"\n"
    n_rows = int(share * LIMIT / (HELD * (2 * len(line) + 2 * 12)))
    with gzip.open(path, "wb", 1) as file:
        file.write(b"a,b\n" + line * n_rows)


def numbers(path: Path, share: float) -> None:
    """Random numbers, which do not get smaller by compression."""
    n_rows = int(share * LIMIT / (HELD * 80))
    random = np.random.default_rng(0)
    table = pa.table({f"c{k}": random.normal(size=n_rows) for k in range(10)})
    parquet.write_table(table, path, row_group_size=n_rows // 4, use_dictionary=False)


def packed(path: Path, share: float) -> None:
    numbers(path, share / 2)
    path.write_bytes(gzip.compress(path.read_bytes(), 1))


def read(path: Path) -> tuple[int, int]:
    """Rows of the table, 0 if it is refused, and the bytes by which the process has grown."""
    command = [sys.executable, "-c", CODE, str(path), str(LIMIT)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    n_rows, grown = map(int, done.stdout.split())
    return n_rows, grown


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="Linux measures the memory")
@pytest.mark.parametrize("write", [text, numbers, packed])
@pytest.mark.parametrize("share", [0.95, 1.2])
def test_the_process_grows_by_no_more_than_is_allowed(
    tmp_path: Path, write: Callable[[Path, float], None], share: float
) -> None:
    write(tmp_path / "d", share)
    n_rows, grown = read(tmp_path / "d")
    assert (n_rows > 0) == (share < 1)
    assert grown < TOLERANCE
