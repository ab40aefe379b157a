"""Models and probabilities do not depend on the instruction set of the machine."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

CORE = "numpy._core" if int(np.__version__.split(".")[0]) > 1 else "numpy.core"
umath = import_module(f"{CORE}._multiarray_umath")
TESTS = Path(__file__).parents[1]
FEATURES = [name for name in umath.__cpu_dispatch__ if umath.__cpu_features__.get(name)]
"""What NumPy would use beyond its baseline on this machine, and can be told not to use."""
GLIBC = "AVX512F AVX512VL AVX512_Usable AVX2 AVX2_Usable AVX AVX_Usable FMA FMA_Usable FMA4"
OTHER_MACHINES = {
    "old": {
        "NPY_DISABLE_CPU_FEATURES": " ".join(FEATURES),
        "OPENBLAS_CORETYPE": "Prescott",
        "GLIBC_TUNABLES": "glibc.cpu.hwcaps=" + ",".join(f"-{name}" for name in GLIBC.split()),
    },
    "newer": {
        "NPY_DISABLE_CPU_FEATURES": " ".join(FEATURES[1:]),
        "OPENBLAS_CORETYPE": "Sandybridge",
    },
}
"""Environments that switch off the instructions of newer processors, wherever that is possible."""


def start(environment: dict[str, str]) -> subprocess.Popen[str]:
    paths = os.pathsep.join([str(TESTS), os.environ.get("PYTHONPATH", "")])
    one = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "PYTHONPATH": paths}
    return subprocess.Popen(
        [sys.executable, "-m", "files.bits"],
        env=os.environ | one | {name: value for name, value in environment.items() if value},
        stdout=subprocess.PIPE,
        text=True,
    )


def test_models_have_the_same_bits_on_every_machine() -> None:
    running = {name: start(own) for name, own in {"this": {}, **OTHER_MACHINES}.items()}
    found = {name: json.loads(process.communicate()[0]) for name, process in running.items()}
    assert len(found["this"]) > 100
    for name in OTHER_MACHINES:
        differ = [one for one, bits in found["this"].items() if found[name][one] != bits]
        assert not differ, f"{name}: {differ}"


@pytest.mark.skipif(sys.platform != "linux", reason="other C libraries have one variant of exp")
def test_the_environments_switch_something() -> None:
    """Otherwise the test above would pass whatever the models are made of."""
    script = (
        f"import numpy as np; from {CORE} import _multiarray_umath as u;"
        "x = np.random.default_rng(0).normal(size=(300, 300));"
        "print(sum(u.__cpu_features__.values()), np.exp(x).tobytes() + (x @ x).tobytes())"
    )
    environments = [{}, OTHER_MACHINES["old"]]
    outputs = {
        subprocess.check_output(
            [sys.executable, "-c", script], env=os.environ | own, text=True, stderr=subprocess.PIPE
        )
        for own in environments
    }
    if FEATURES:
        assert len(outputs) == 2
