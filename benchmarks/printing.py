"""What the benchmarks print: numbers, Markdown tables, and the machine they were made on."""

import importlib.metadata
import os
import platform
from collections.abc import Iterable, Sequence
from pathlib import Path

PACKAGES = ("costboost", "numpy", "scikit-learn")


def figure(value: float) -> str:
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def duration(value: float) -> str:
    if value >= 1:
        return f"{figure(value)} s"
    return f"{figure(value * 1e3)} ms" if value >= 1e-3 else f"{value * 1e3:.2f} ms"


def markdown(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    rule = ["---", *["---:"] * (len(header) - 1)]
    return "\n".join("| " + " | ".join(row) + " |" for row in [header, rule, *rows])


def cpu_model() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    models = (line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    return next(models, platform.machine())


def version(package: str) -> str:
    try:
        return f"{package} {importlib.metadata.version(package)}"
    except importlib.metadata.PackageNotFoundError:
        return f"{package} not installed"


def environment(*peers: str, with_load: bool = True) -> str:
    shown = with_load and hasattr(os, "getloadavg")
    load = f"load {os.getloadavg()[0]:.1f} at the start" if shown else ""
    machine = [cpu_model(), f"{os.cpu_count()} cores", platform.system(), load]
    packages = [f"Python {platform.python_version()}", *map(version, PACKAGES + peers)]
    return ", ".join(filter(None, machine)) + "; " + ", ".join(packages) + "."


def publish(parts: Iterable[str], out: Path | None) -> None:
    text = "\n\n".join(parts)
    print(text)
    if out:
        out.write_text(text + "\n")


def busy_note() -> str:
    """A sentence if other programs keep the cores busy at the moment; otherwise empty."""
    busy = hasattr(os, "getloadavg") and os.getloadavg()[0] > (os.cpu_count() or 1)
    return BUSY if busy else ""


BUSY = (
    "The machine was busy with other work, with a load above its number of cores: all times are "
    "rough."
)
PAGE = Path(__file__).parents[1] / "docs" / "studies" / "scaling.md"


def insert(name: str, parts: Iterable[str], page: Path = PAGE) -> None:
    """Replace what stands between the marks of a name in a page of the documentation."""
    text = page.read_text()
    begin, end = f"<!-- {name}:begin -->\n", f"<!-- {name}:end -->"
    before, _, rest = text.partition(begin)
    _, found, after = rest.partition(end)
    if not found:
        raise ValueError(f"{page} has no marks {begin.strip()} and {end}")
    page.write_text(before + begin + "\n\n".join(parts) + "\n" + end + after)
