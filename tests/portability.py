"""The kernels compiled by other compilers and for other systems, as far as these are installed.

``python tests/portability.py`` compiles a file that includes all headers, with warnings as errors,
and the generated binding, which instantiates all templates:

- gcc and clang, with -Wall -Wextra -Wpedantic;
- clang without its GNU extensions and with those of MSVC, so that what MSVC lacks is an error;
- MinGW for Windows;
- zig, a clang with the headers of other systems (``pip install ziglang``): macOS and Linux on ARM,
  musl, Windows.

A compiler that is not there is named and left out.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
ENGINE = ROOT / "src/costboost/_core/engine"
STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]
LIKE_MSVC = [
    "-fgnuc-version=0", "-fms-compatibility", "-fms-compatibility-version=19.30", "-fms-extensions",
    "-fdelayed-template-parsing", "-fno-gnu-keywords", "-Wno-everything",
]  # fmt: skip
ZIG = ["aarch64-macos", "x86_64-macos", "aarch64-linux-gnu", "aarch64-linux-musl"]
ZIG += ["x86_64-linux-musl", "x86_64-windows-gnu", "aarch64-windows-gnu"]


class Check(NamedTuple):
    """A compiler with options; whether it compiles the binding too."""

    name: str
    command: list[str]
    binding: bool = True


def checks() -> Iterator[Check]:
    """Every check, whether its compiler is there or not."""
    syntax = ["-std=c++17", "-fsyntax-only"]
    yield Check("gcc", ["g++", *syntax, *STRICT])
    yield Check("clang", ["clang++", *syntax, *STRICT])
    yield Check("clang with libc++", ["clang++", "-stdlib=libc++", *syntax, *STRICT])
    yield Check("clang like MSVC", ["clang++", "-stdlib=libc++", *syntax, *LIKE_MSVC], False)
    yield Check("MinGW", ["x86_64-w64-mingw32-g++-posix", *syntax, *STRICT], False)
    for target in ZIG:
        command = [sys.executable, "-m", "ziglang", "c++", "-target", target, "-std=c++17"]
        yield Check(f"zig for {target}", [*command, "-c", "-O0", "-o", "OUT", *STRICT], False)


def there(check: Check) -> bool:
    if "ziglang" in check.command:
        return find_spec("ziglang") is not None
    return shutil.which(check.command[0]) is not None


def sources(folder: Path) -> tuple[Path, Path]:
    """A file with all headers, and the generated binding."""
    headers = folder / "headers.cpp"
    names = sorted(path.name for path in (ENGINE / "kernels").glob("*.hpp"))
    headers.write_text("".join(f'#include "{name}"\n' for name in names))
    binding = folder / "binding.cpp"
    command = [sys.executable, "-m", "cython", "--cplus", "-3", str(ENGINE / "_kernels.pyx")]
    subprocess.run([*command, "-o", str(binding)], check=True, cwd=ROOT)
    return headers, binding


def compiled(check: Check, source: Path, folder: Path, strict: bool) -> str:
    """The messages of the compiler; empty if all is well."""
    words = [str(folder / "out.o") if word == "OUT" else word for word in check.command]
    words = words if strict else [word for word in words if word not in STRICT]
    include = ["-I", str(ENGINE / "kernels"), "-isystem", sysconfig.get_path("include")]
    done = subprocess.run([*words, *include, str(source)], capture_output=True, text=True)
    return done.stdout + done.stderr or "failed" if done.returncode else ""


def main() -> int:
    failures = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        headers, binding = sources(folder)
        for check in checks():
            if not there(check):
                print(f"{check.name}: not installed")
                continue
            messages = compiled(check, headers, folder, True)
            if not messages and check.binding:
                messages = compiled(check, binding, folder, False)
            print(f"{check.name}: {'failed' if messages else 'compiles'}\n{messages}".rstrip())
            sys.stdout.flush()
            failures += bool(messages)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
