"""Renders the pictures of gallery.md: ``python docs/gallery.py``; Sphinx does it at every build.

The code blocks of the page are run in order. Where the page shows a picture, the figure drawn last
is written into ``generated/gallery``, so that no picture can differ from the code above it.
"""

from __future__ import annotations

import contextlib
import io
import re
from collections.abc import Iterator
from pathlib import Path

PAGE = Path(__file__).with_name("gallery.md")
FOLDER = PAGE.parent / "generated" / "gallery"
PIECE = re.compile(
    r"^```python\n(?P<code>.*?)^```$|^!\[[^\]]*\]\(generated/gallery/(?P<picture>[\w-]+\.png)\)$",
    re.DOTALL | re.MULTILINE,
)


def pieces(text: str) -> Iterator[tuple[str | None, str | None]]:
    """Code and names of pictures, in the order of the page; one of the two is None."""
    return ((match["code"], match["picture"]) for match in PIECE.finditer(text))


def render(folder: Path = FOLDER) -> list[Path]:
    """Run the page and write its pictures into a folder."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    folder.mkdir(parents=True, exist_ok=True)
    names: dict[str, object] = {"__name__": PAGE.stem}
    written = []
    for code, picture in pieces(PAGE.read_text(encoding="utf-8")):
        if code is not None:
            with contextlib.redirect_stdout(io.StringIO()):
                exec(compile(code, PAGE, "exec"), names)
        if picture is not None:
            plt.gcf().savefig(folder / picture, dpi=100)
            plt.close("all")
            written.append(folder / picture)
    return written


if __name__ == "__main__":
    for path in render():
        print(path.relative_to(PAGE.parent))
