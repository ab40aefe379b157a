"""The kernels under the sanitizers of the compiler: addresses, undefined behaviour, threads.

``python tests/sanitize.py`` builds the extension with assertions and once with each group of
sanitizers, and runs tests of the kernels, random fits, and fits and predictions in many threads. A
finding ends a run with its report. ``--only address`` chooses a group, ``--tests`` other tests.

The interpreter is not built with sanitizers; their runtime is loaded before it. Leaks are not
looked for: CPython and NumPy keep memory until the process ends. Tests that limit the address space
are left out, because sanitizers reserve terabytes of it.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
LIMITING = "not memory and not caller_does_all_work and not fork"
KERNELS = [
    "tests/engine/test_side_by_side.py",
    "tests/engine/test_running.py",
    "tests/engine/test_binding.py",
    "tests/engine/test_binning.py",
    "tests/engine/test_histograms.py",
    "tests/engine/test_search.py",
    "tests/engine/test_shards.py",
    "tests/engine/test_joint.py",
    "tests/engine/test_prediction.py",
    "tests/learners/test_pairs.py",
    "tests/test_randomised.py",
]
THREADS = ["tests/engine/test_side_by_side.py", "tests/engine/test_running.py"]
GROUPS: dict[str, tuple[str, list[str], list[str]]] = {
    "address": ("address,undefined", ["libasan.so", "libubsan.so"], KERNELS),
    "thread": ("thread", ["libtsan.so"], THREADS),
}
SUPPRESSED = """
# libgomp is not built with the sanitizer, which therefore does not see its locks; costboost asks it
# for the number of threads only.
called_from_lib:libgomp.so
race:libgomp.so
# CPython and NumPy are not built with it either; what they guard by the interpreter's lock is
# reported where memory that one thread has released is used by another.
race:_PyEval_EvalFrameDefault
race:PyObject_Free
race:PyObject_Malloc
race:_multiarray_umath
# BLAS has threads of its own, which the kernels do not use.
race:openblas
"""
OPTIONS = {
    "ASAN_OPTIONS": "detect_leaks=0:halt_on_error=1:allocator_may_return_null=1",
    "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1",
    "TSAN_OPTIONS": "halt_on_error=1:exitcode=66:report_signal_unsafe=0:suppressions={}",
}


def build(group: str, folder: Path) -> Path:
    """Build the extension; the folder that holds the package with it."""
    made = folder / group
    if not (made / "build.ninja").exists():
        options = ["-Dbuildtype=debugoptimized", "-Doptimization=1", "-Db_ndebug=false"]
        options += [f"-Db_sanitize={GROUPS[group][0]}", "-Db_lundef=false"]
        options += ["-Dcpp_args=-DCOSTBOOST_NO_DISPATCH -fno-sanitize-recover=all"]
        subprocess.run(["meson", "setup", str(made), str(ROOT), *options], check=True)
    subprocess.run(["ninja", "-C", str(made)], check=True)
    site = made / "site"
    shutil.rmtree(site, ignore_errors=True)
    shutil.copytree(ROOT / "src/costboost", site / "costboost")
    for library in (made / "src/costboost/engine").glob("_kernels*.so"):
        shutil.copy(library, site / "costboost/engine")
    return site


def runtime(names: list[str]) -> str:
    """The paths of the compiler's libraries."""
    compiler = os.environ.get("CXX", "g++")
    paths = [
        subprocess.run(
            [compiler, f"-print-file-name={name}"], capture_output=True, text=True, check=True
        ).stdout.strip()
        for name in names
    ]
    return " ".join(paths)


def run(group: str, folder: Path, tests: list[str]) -> int:
    """Build, and run the tests; the exit code."""
    site = build(group, folder)
    suppressed = folder / "suppressed"
    suppressed.write_text(SUPPRESSED)
    options = {name: text.format(suppressed) for name, text in OPTIONS.items()}
    environment = os.environ | options | {"LD_PRELOAD": runtime(GROUPS[group][1])}
    environment |= {"PYTHONMALLOC": "malloc", "OMP_NUM_THREADS": "4", "COSTBOOST_SANITIZED": group}
    command = [sys.executable, __file__, "--inside", str(site), "--tests", *tests]
    return subprocess.run(command, env=environment, cwd=ROOT).returncode


def run_inside(site: str, tests: list[str]) -> int:
    """What the process with the sanitizer does: run tests with the package of its build."""
    # The finder of an editable install would come first, and build the extension again.
    sys.meta_path[:] = [one for one in sys.meta_path if "Mesonpy" not in type(one).__name__]
    sys.path.insert(0, site)
    os.environ["PYTHONPATH"] = site
    import pytest

    import costboost

    assert costboost.__file__.startswith(site), costboost.__file__
    return int(pytest.main(["-q", "-x", "-s", "-p", "no:cacheprovider", "-k", LIMITING, *tests]))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=GROUPS, action="append", help="a group of sanitizers")
    parser.add_argument("--tests", nargs="+", help="tests, instead of the usual ones")
    parser.add_argument("--folder", type=Path, default=ROOT / "build/sanitize")
    parser.add_argument("--inside", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.inside:
        return run_inside(given.inside, given.tests)
    for group in given.only or GROUPS:
        code = run(group, given.folder, given.tests or GROUPS[group][2])
        print(f"sanitizers of {GROUPS[group][0]}: {'clean' if not code else f'exit code {code}'}")
        if code:
            return code
    return 0


if __name__ == "__main__":
    sys.exit(main())
