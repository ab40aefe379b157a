"""Prepares a release: ``make release VERSION=1.2.3``, which makes the model files afterwards.

Writes the version into the files that state it and the date into the changelog. Nothing is written
if one of them is not as expected.
"""

from __future__ import annotations

import argparse
import datetime
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

PLACES = {
    "src/costboost/__init__.py": (r'^__version__ = ".*"$', '__version__ = "{version}"'),
    "CHANGELOG.md": (r"^## {version} \(unreleased\)$", "## [{version}] - {date}"),
    "CITATION.cff": (
        r"^version: .*(\ndate-released: .*)?$",
        "version: {version}\ndate-released: {date}",
    ),
    "recipe/recipe.yaml": (r'^  version: ".*"$', '  version: "{version}"'),
}
"""By file: a pattern that occurs once, and what takes its place."""


def replaced(text: str, place: tuple[str, str], values: dict[str, str]) -> str:
    """The text with the new version; a ValueError if the pattern does not occur exactly once."""
    pattern = place[0].replace("{version}", re.escape(values["version"]))
    changed, count = re.subn(pattern, place[1].format(**values), text, flags=re.MULTILINE)
    if count != 1:
        raise ValueError(f"{pattern!r} occurs {count} times instead of once")
    return changed


def prepare(root: Path, version: str, date: str) -> list[Path]:
    """Write the version and the date; returns the files."""
    if not re.fullmatch(r"\d+\.\d+\.\d+((a|b|rc)\d+)?", version):
        raise ValueError(f"{version!r} is not a version; it has the form 1.2.3 or 1.2.3rc1")
    texts, values = {}, {"version": version, "date": date}
    for name, place in PLACES.items():
        path = root / name
        try:
            texts[path] = replaced(path.read_text(encoding="utf-8"), place, values)
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from None
    for path, text in texts.items():
        path.write_text(text, encoding="utf-8")
    return list(texts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("version")
    parser.add_argument("--date", default=datetime.date.today().isoformat())
    options = parser.parse_args()
    try:
        written = prepare(ROOT, options.version, options.date)
    except ValueError as error:
        raise SystemExit(f"error: {error}; nothing was written") from None
    print("\n".join(str(path.relative_to(ROOT)) for path in written))


if __name__ == "__main__":
    main()
