"""Peak memory of one fit above its input, in a fresh process: memory.py SYSTEM THREADS."""

import ctypes
import gc
import resource
import subprocess
import sys
import warnings
from pathlib import Path

from systems import ROUNDS, SYSTEMS, Size, System, make_data
from threadpoolctl import threadpool_limits

SIZE = Size(1_000_000, 30, 1)
WARM_UP = Size(40_000, 30, 1)  # large enough that every system starts its threads
SLOW_ROUNDS = 2


def peak_bytes_per_cell(system: System, n_threads: int) -> float:
    """Runs this file in a fresh process, where no earlier fit has left memory to reuse."""
    command = [sys.executable, str(Path(__file__)), system.name, str(n_threads)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return float(done.stdout.split()[-1])


def vm_peak() -> int:
    """Peak resident size since forget_peak(): right after it, what is resident."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM:"))


def max_resident() -> int:
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def forget_peak() -> bool:
    """Sets VmHWM back to what is resident now; False where the kernel does not allow it."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return False
    return True


def return_free_memory() -> None:
    """Return freed pages to the system, so that a fit cannot reuse them."""
    gc.collect()
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
        if trim is not None:
            trim(0)


def fit_peak(system: System, n_threads: int) -> int:
    rounds = SLOW_ROUNDS if system.kind == "slow" else ROUNDS
    X, y = make_data(SIZE)
    with threadpool_limits(n_threads):
        system.make(n_threads, 2).fit(X[: WARM_UP.rows], y[: WARM_UP.rows])
    return_free_memory()
    peak = vm_peak if forget_peak() else max_resident
    before = peak()
    with threadpool_limits(n_threads):
        system.make(n_threads, rounds).fit(X, y)
    return peak() - before


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    chosen = next(system for system in SYSTEMS if system.name == sys.argv[1])
    print(fit_peak(chosen, int(sys.argv[2])) / (SIZE.rows * SIZE.features))
