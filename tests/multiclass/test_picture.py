"""The picture of docs/several-classes.md shows the matrix as the library reads it."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from costboost._core.costs import check_matrix

pytest.importorskip("matplotlib")

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="module")
def drawing() -> ModuleType:
    spec = importlib.util.spec_from_file_location("docs_cost_matrix", DOCS / "cost_matrix.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_matrix_is_a_good_one(drawing: ModuleType) -> None:
    classes = np.array(drawing.CLASSES)
    assert sorted(classes) == list(classes)
    matrix = check_matrix(drawing.MATRIX, classes)
    left, right = drawing.draw().axes
    shown = {text.get_text() for text in left.texts}
    lynx, dog = (list(classes).index(name) for name in ("lynx", "dog"))
    cost = int(matrix[lynx, dog])
    assert f"cost_matrix[{lynx}, {dog}] is {cost}:\na lynx that is predicted as a dog" in shown
    for axes, costs in ((left, matrix), (right, matrix[list(drawing.LABELS)])):
        digits = [text for text in axes.texts if text.get_text().isdigit()]
        where = {text.get_position(): int(text.get_text()) for text in digits}
        found = {(j + 0.5, -i - 0.5): value for (i, j), value in np.ndenumerate(costs)}
        assert where == found


def test_the_page_shows_it(drawing: ModuleType, tmp_path: Path) -> None:
    name = drawing.PICTURE.relative_to(DOCS).as_posix()
    assert f"]({name})" in (DOCS / "several-classes.md").read_text(encoding="utf-8")
    fresh = drawing.render(tmp_path / "picture.png").read_bytes()
    kept = drawing.PICTURE.read_bytes()
    size = slice(16, 24)  # width and height of a PNG
    assert fresh[size] == kept[size]
