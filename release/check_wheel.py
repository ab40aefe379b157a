"""Checks a wheel, ``python release/check_wheel.py WHEEL``: its files, size, hardening, and its use.

It is installed in an empty environment whose PATH has no compiler, and trains, decides and loads a
model there by the command line. Needs the standard library alone.
"""

from __future__ import annotations

import os
import re
import struct
import subprocess
import sys
import tempfile
import time
import venv
import zipfile
from collections.abc import Iterator
from pathlib import Path

LIMIT = 4_000_000
"""Bytes that a wheel may have."""

UNWANTED = (
    "tests/",
    "docs/",
    "benchmarks/",
    "kernels/",
    ".pyx",
    ".hpp",
    ".cpp",
    ".pyc",
    "meson.build",
)
NEEDED = (
    "costboost/py.typed",
    "costboost/datasets/german_credit.csv.gz",
)
NEEDED_OF_LAB = (
    "costboost_lab/datasets/sets/wdbc.toml",
    "costboost_lab/studies/claims/sun2005.csv",
    "costboost_lab/studies/verdicts.json",
)

ROWS = """
import sklearn.datasets
X, y = sklearn.datasets.load_breast_cancer(return_X_y=True)
names = [f"x{j}" for j in range(X.shape[1])]
with open("rows.csv", "w") as file:
    print(*names, "label", sep=",", file=file)
    for row, label in zip(X, y):
        print(*row, "benign" if label else "malignant", sep=",", file=file)
"""
LOADED = """
import costboost
assert costboost.__version__ == {version!r}, costboost.__version__
print(costboost.load("model.costboost"))
"""


def contents(wheel: Path, needed: tuple[str, ...] = NEEDED) -> list[str]:
    """What is wrong with the files of the wheel."""
    with zipfile.ZipFile(wheel) as packed:
        names = packed.namelist()
        symbols = [one for one in names if b".debug_info" in packed.read(one)]
        own = [one for one in names if one.startswith("costboost/") and one.endswith(".so")]
        lacking = {one: unprotected(packed.read(one)) for one in own}
    found = [f"has {one}" for one in names if any(part in one for part in UNWANTED)]
    found += [f"lacks {one}" for one in needed if one not in names]
    found += [f"has debug symbols in {one}" for one in symbols]
    found += [f"lacks {what} in {one}" for one, missing in lacking.items() for what in missing]
    size = wheel.stat().st_size
    return found + ([f"has {size} bytes, more than {LIMIT}"] if size > LIMIT else [])


def other_versions(lab: Path, version: str) -> list[str]:
    """Versions that a wheel of costboost-lab has or requires, and that are not this one."""
    with zipfile.ZipFile(lab) as packed:
        (name,) = (one for one in packed.namelist() if one.endswith(".dist-info/METADATA"))
        metadata = packed.read(name).decode()
    found = re.findall(r"^(?:Version: |Requires-Dist: costboost\[.*\]==)(.*)$", metadata, re.M)
    if len(found) != 2:
        return [f"states {len(found)} versions instead of its own and that of costboost"]
    return [f"has version {one}, not {version}" for one in found if one != version]


# ---- hardening of libraries for Linux ------------------------------------------------------------

ELF = b"\x7fELF\x02\x01"
"""The beginning of a library of 64 bits whose bytes are in little-endian order."""
SEGMENT, ENTRY = struct.Struct("<IIQQQQQQ"), struct.Struct("<qQ")
DYNAMIC, STACK, READ_ONLY = 2, 0x6474E551, 0x6474E552
"""Types of segments: the dynamic section, the stack, and what is read-only after loading."""
EXECUTABLE = 1
BOUND_AT_ONCE = {24: -1, 30: 8, 0x6FFFFFFB: 1}
"""Entries of the dynamic section by type, and their bits for functions bound when it is loaded."""


def unprotected(library: bytes) -> list[str]:
    """The hardening that a library lacks; empty for those of other systems."""
    if not library.startswith(ELF):
        return []
    segments = list(_segments(library))
    entries = [
        entry
        for kind, _, offset, _, _, size, *_ in segments
        if kind == DYNAMIC
        for entry in ENTRY.iter_unpack(library[offset : offset + size])
    ]
    stack = [flags & EXECUTABLE for kind, flags, *_ in segments if kind == STACK]
    there = {
        "guards of the stack": b"__stack_chk_fail\0" in library,
        "checked copies": b"_chk\0" in library or b"GLIBC_" not in library,
        "tables that are read-only after loading": READ_ONLY in {kind for kind, *_ in segments},
        "functions bound at once": any(bits & BOUND_AT_ONCE.get(tag, 0) for tag, bits in entries),
        "a stack that is not executable": stack == [0],
    }
    return [what for what, found in there.items() if not found]


def _segments(library: bytes) -> Iterator[tuple[int, ...]]:
    """Type, flags, offset, two addresses, two sizes and alignment of each segment."""
    (begin,) = struct.unpack_from("<Q", library, 32)
    size, n = struct.unpack_from("<HH", library, 54)
    return (SEGMENT.unpack_from(library, begin + k * size) for k in range(n))


# ---- use -----------------------------------------------------------------------------------------


class Empty:
    """An environment with nothing but pip, and no compiler on its PATH."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        venv.create(folder / "env", with_pip=True)
        self.bin = folder / "env" / ("Scripts" if os.name == "nt" else "bin")
        kept = {name: os.environ[name] for name in ("SYSTEMROOT", "HOME") if name in os.environ}
        settings = {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
        self.surroundings = {**kept, **settings, "PATH": str(self.bin)}

    def run(self, program: str, *words: str) -> str:
        """Output of a program of the environment."""
        command = [str(self.bin / program), *words]
        done = subprocess.run(
            command, cwd=self.folder, env=self.surroundings, capture_output=True, text=True
        )
        if done.returncode:
            sys.exit(f"{' '.join(command)} failed:\n{done.stdout}\n{done.stderr}")
        return done.stdout


def install_and_use(wheel: Path, version: str) -> None:
    """Install the wheel with its command line, train a model and decide with it."""
    with tempfile.TemporaryDirectory() as name:
        empty = Empty(Path(name))
        begin = time.monotonic()
        empty.run("pip", "install", "--quiet", "--only-binary=:all:", f"{wheel.resolve()}[cli]")
        print(f"installed in {time.monotonic() - begin:.0f} s, without a compiler")
        empty.run("python", "-c", ROWS)
        costs = ("--positive", "malignant", "--fn-cost", "20", "--fp-cost", "1")
        print(
            empty.run(
                "costboost",
                "fit",
                "rows.csv",
                "--target",
                "label",
                *costs,
                "--out",
                "model.costboost",
            )
        )
        decisions = empty.run("costboost", "predict", "model.costboost", "rows.csv").splitlines()
        assert len(decisions) == 570, f"{len(decisions)} lines of decisions instead of 570"
        print(empty.run("python", "-c", LOADED.format(version=version)))


def install_and_list(lab: Path, wheel: Path) -> None:
    """Install the wheels of costboost and costboost-lab, and use what the second one adds."""
    with tempfile.TemporaryDirectory() as name:
        empty = Empty(Path(name))
        empty.run("pip", "install", "--quiet", "--only-binary=:all:", *map(str, (wheel, lab)))
        assert "sun2005" in empty.run("costboost", "study")
        print(empty.run("costboost", "audit", "AdaMEC"))


def check_lab(lab: Path, wheel: Path, version: str, install: bool = True) -> None:
    faults = contents(lab, NEEDED_OF_LAB) + other_versions(lab, version)
    if faults:
        sys.exit(f"{lab.name} " + ", ".join(faults))
    if install:
        install_and_list(lab, wheel)


def check(wheel: Path, version: str, install: bool = True) -> None:
    faults = contents(wheel)
    if faults:
        sys.exit(f"{wheel.name} " + ", ".join(faults))
    if install:
        install_and_use(wheel, version)


if __name__ == "__main__":
    check(Path(sys.argv[1]), Path(sys.argv[1]).name.split("-")[1])
