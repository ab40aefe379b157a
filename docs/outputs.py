"""Write the output shown behind the code of the documentation anew, after a change of models.

python docs/outputs.py              all pages of docs/, and README.md
python docs/outputs.py README.md    these pages
"""

import contextlib
import io
import re
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BLOCK = re.compile(r"^```python\n(.*?)^```\n(\s*^```text\n)?(.*?)(?=^```|\Z)", re.DOTALL | re.M)


def rewritten(page: Path) -> str:
    """The text of a page with the output that its code prints now; its blocks are run in order."""
    names: dict[str, object] = {"__name__": page.stem}

    def output(match: re.Match[str]) -> str:
        out = io.StringIO()
        try:
            with contextlib.redirect_stdout(out):
                exec(compile(match[1], page, "exec"), names)
        except ModuleNotFoundError as error:
            print(f"{page.relative_to(ROOT)}: {error}, a block stays as it is", file=sys.stderr)
            return match[0]
        if not match[2]:
            return match[0]
        lines = "".join(f"{line.rstrip()}\n" for line in out.getvalue().splitlines())
        return match[0][: match.start(3) - match.start()] + lines

    return BLOCK.sub(output, page.read_text())


def main() -> None:
    pages = [Path(name).resolve() for name in sys.argv[1:]]
    for page in pages or [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            text = rewritten(page)
        if text != page.read_text():
            page.write_text(text)
            print(page.relative_to(ROOT))


if __name__ == "__main__":
    main()
