"""The kernels under the sanitizers of the compiler: addresses, undefined behaviour, threads.

``python tests/sanitize.py`` builds the extension with assertions and once with each group of
sanitizers, and runs tests of the kernels, random fits, and fits and predictions in many threads. A
finding ends a run with its report; nothing is suppressed. ``--only address`` chooses a group,
``--tests`` other tests. Building and running take about ten minutes.

The interpreter is not built with sanitizers; their runtime is loaded before it. Leaks are not
looked for: CPython and NumPy keep memory until the process ends. Tests that limit the address space
are left out, because sanitizers reserve terabytes of it. Processes that tests start import the
usual build.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
LEFT_OUT = [
    # processes of their own, which limit their address space or fork
    "memory",
    "caller_does_all_work",
    "fork",
    # long, of kernels that other tests run
    "many_rows_do_not_depend_on_shards",
    "any_number_of_thresholds and 3000",
    "it_is_the_transcription and (gel or gll)",
    "predictions_of_eight_threads and average",
]
KERNELS = [
    "tests/engine",
    "tests/explaining/test_shapley.py",
    "tests/learners/test_lookup.py",
    "tests/learners/test_pairs.py",
    "tests/learners/test_row_costs.py",
    "tests/learners/test_row_costs_bounds.py",
    "tests/learners/test_logistic.py",
    "tests/tables/test_categories.py",
    "tests/classifiers/test_costboost.py",
    "tests/classifiers/test_multinomial.py",
    "tests/classifiers/test_odd_data.py",
    "tests/test_constraints.py",
    "tests/test_arithmetic.py",
    "tests/test_naive_votes.py",
    "tests/test_randomised.py",
]
THREADS = [
    "tests/engine/test_threads.py",
    "tests/engine/test_side_by_side.py",
    "tests/engine/test_running.py",
    "tests/classifiers/test_divided_classes.py",
    "tests/engine/test_prediction.py::test_an_ensemble_may_be_used_by_many_threads_at_a_time",
    "tests/explaining/test_shapley.py::test_values_do_not_depend_on_threads_and_blocks",
    "tests/learners/test_pairs.py::test_threads_and_missing_values",
    "tests/test_randomised.py::test_threads_do_not_matter",
]
# float-cast-overflow is not among gcc's group of undefined behaviour, and the vectors of the
# library tell the sanitizer which part of their memory holds elements only if they are asked to.
CHECKED = "-fsanitize=float-cast-overflow -D_GLIBCXX_SANITIZE_VECTOR"
GROUPS: dict[str, tuple[str, str, list[str], list[str]]] = {
    "address": ("address,undefined", CHECKED, ["libasan.so", "libubsan.so"], KERNELS),
    "thread": ("thread", "", ["libtsan.so"], THREADS),
}
OPTIONS = {
    "ASAN_OPTIONS": "detect_leaks=0:halt_on_error=1:allocator_may_return_null=1",
    "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1",
    "TSAN_OPTIONS": "halt_on_error=1:exitcode=66",
}


def build(group: str, folder: Path) -> Path:
    """Build the extension; the folder that holds the package with it."""
    made = folder / group
    sanitizers, more, *_ = GROUPS[group]
    options = ["-Dbuildtype=debugoptimized", "-Doptimization=1", "-Db_ndebug=false"]
    options += [f"-Db_sanitize={sanitizers}", "-Db_lundef=false"]
    options += [f"-Dcpp_args=-DCOSTBOOST_NO_DISPATCH -fno-sanitize-recover=all {more}"]
    if (made / "build.ninja").exists():
        options += ["--reconfigure"]
    subprocess.run(["meson", "setup", str(made), str(ROOT), *options], check=True)
    subprocess.run(["ninja", "-C", str(made)], check=True)
    site = made / "site"
    shutil.rmtree(site, ignore_errors=True)
    shutil.copytree(ROOT / "src/costboost", site / "costboost")
    for library in (made / "src/costboost/_core/engine").glob("_kernels*.so"):
        shutil.copy(library, site / "costboost/_core/engine")
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
    environment = os.environ | OPTIONS | {"LD_PRELOAD": runtime(GROUPS[group][2])}
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
    chosen = " and ".join(f"not ({names})" for names in LEFT_OUT)
    return int(pytest.main(["-q", "-x", "-s", "-p", "no:cacheprovider", "-k", chosen, *tests]))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=GROUPS, action="append", help="a group of sanitizers")
    parser.add_argument("--folder", type=Path, default=ROOT / "build/sanitize")
    parser.add_argument("--inside", help=argparse.SUPPRESS)
    parser.add_argument(
        "--tests", nargs=argparse.REMAINDER, help="arguments of pytest, instead of the usual tests"
    )
    given = parser.parse_args()
    if given.inside:
        return run_inside(given.inside, given.tests)
    for group in given.only or GROUPS:
        code = run(group, given.folder, given.tests or GROUPS[group][3])
        print(f"sanitizers of {GROUPS[group][0]}: {'clean' if not code else f'exit code {code}'}")
        if code:
            return code
    return 0


if __name__ == "__main__":
    sys.exit(main())
