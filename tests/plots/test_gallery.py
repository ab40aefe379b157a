"""The gallery draws what it shows, and leaves nothing out."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from types import ModuleType

import pytest
from pages import script

import costboost.plots


@pytest.fixture(scope="module")
def gallery() -> ModuleType:
    return script("gallery")


def test_every_display_is_shown(gallery: ModuleType) -> None:
    found = list(gallery.pieces(gallery.PAGE.read_text(encoding="utf-8")))
    code = "".join(part for part, _ in found if part is not None)
    for name in costboost.plots.__all__:
        if name.endswith("Display"):
            assert f"{name}.from_" in code, name
    assert "CalibrationDisplay.from_estimator" in code


def test_every_public_name_is_on_the_page(gallery: ModuleType) -> None:
    page = gallery.PAGE.read_text(encoding="utf-8")
    for name in costboost.plots.__all__:
        assert f".. autoclass:: {name}" in page or f".. autofunction:: {name}" in page, name


def test_every_picture_is_drawn_once_from_code_of_its_own(
    gallery: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "```python\nimport matplotlib.pyplot as plt\nfig, ax = plt.subplots()\nprint(1)\n```\n\n"
        "```text\n1\n```\n\n![one](generated/gallery/one.png)\n\n"
        "```python\nplt.subplots()\n```\n\n![two](generated/gallery/two.png)\n"
    )
    monkeypatch.setattr(gallery, "PAGE", page)
    written = gallery.render(tmp_path / "pictures")
    assert [path.name for path in written] == ["one.png", "two.png"]
    assert all(path.stat().st_size > 500 for path in written)


def test_pictures_follow_code(gallery: ModuleType) -> None:
    text = gallery.PAGE.read_text(encoding="utf-8")
    found = list(gallery.pieces(text))
    pictures = [picture for _, picture in found if picture is not None]
    assert len(pictures) == len(set(pictures)) == text.count("](generated/gallery/")
    for (code, _), (_, picture) in pairwise(found):
        assert picture is None or code is not None, picture
