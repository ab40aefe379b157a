"""Four pictures look as they did, from some distance.

Versions of matplotlib draw letters differently, and lay axes out by them. So pictures are compared
without letters, in grey and block by block. If a change of looks is meant,
``python tests/plots/test_looks.py`` writes them anew.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest

mpl.use("Agg")

from matplotlib import pyplot as plt
from matplotlib.image import imread
from matplotlib.text import Text

from costboost.plots import (
    Band,
    BoostingProgressDisplay,
    BrierCurveDisplay,
    CriticalDifferenceDisplay,
    DecisionSurfaceDisplay,
    Surface,
    confidence_band,
)

FOLDER = Path(__file__).parent / "baseline"
BLOCK = 10
"""Pixels."""
DPI = 50
TOLERANCE = 0.004
"""Mean difference of blocks that is no difference; black and white differ by 1."""
PLACE = (0.08, 0.12, 0.6, 0.8)
"""Of the axes, as shares of the figure."""


# ---- pictures of numbers that no algorithm can change --------------------------------------------


def brier(flip: float = 0.0, **options: Any) -> Any:
    rng = np.random.default_rng(0)
    z = np.linspace(0, 1, 101)
    runs = 0.9 * z * (1 - z) + 0.03 * rng.normal(size=(6, 1)) * np.sin(np.pi * z)
    display = BrierCurveDisplay.from_runs(z, np.abs(runs - flip * z), name="banded", **options)
    p = np.clip(rng.random(400), 0.05, 0.95)
    y = (rng.random(400) < p).astype(int)
    return BrierCurveDisplay.from_predictions(y, p, name="one run", ax=display.ax_, **options)


def progress() -> Any:
    rounds = np.arange(1, 61)
    noise = 0.02 * np.random.default_rng(0).normal(size=(4, 60))
    error = confidence_band(0.3 / np.sqrt(rounds) + 0.1 + noise, least=0, most=1)
    values = {"recall": Band(1 - 0.5 / rounds), "error": error, "cost": Band(8 / (3 + rounds))}
    train = {"error": Band(0.4 / rounds)}
    return BoostingProgressDisplay(values=values, train_values=train, pos_label=1).plot()


def surface() -> Any:
    x, y = np.linspace(-2, 2, 80), np.linspace(-1.5, 1.5, 80)
    score = np.sin(2 * x)[None, :] + y[:, None]
    rng = np.random.default_rng(0)
    points = np.column_stack([rng.uniform(-2, 2, 60), rng.uniform(-1.5, 1.5, 60)])
    return DecisionSurfaceDisplay(
        surface=Surface(x, y, score > 0, np.abs(score)),
        points=points,
        positive=np.sin(2 * points[:, 0]) + points[:, 1] > 0.2,
        weight=rng.exponential(size=60),
        classes=("well", "ill"),
    ).plot()


def critical() -> Any:
    table = np.random.default_rng(0).normal(size=(10, 6)) + np.arange(6) / 2
    return CriticalDifferenceDisplay.from_values(table, names=list("ABCDEF"))


PICTURES: dict[str, Callable[[], Any]] = {
    "brier": brier,
    "progress": progress,
    "surface": surface,
    "critical": critical,
}


# ---- comparison ----------------------------------------------------------------------------------


def blocks(path: Path) -> np.ndarray:
    """Mean grey of each block."""
    grey = imread(path)[..., :3].mean(axis=2)
    height, width = (size // BLOCK for size in grey.shape)
    cut = grey[: height * BLOCK, : width * BLOCK]
    return cut.reshape(height, BLOCK, width, BLOCK).mean(axis=(1, 3))


def difference(one: Path, other: Path) -> float:
    """Mean difference of the blocks that are not white in both."""
    a, b = blocks(one), blocks(other)
    if a.shape != b.shape:
        return 1.0
    drawn = (a < 0.995) | (b < 0.995)
    return float(np.abs(a - b)[drawn].mean()) if drawn.any() else 0.0


def saved(display: Any, path: Path) -> Path:
    """Write a picture without its letters, its axes where no layout can move them."""
    figure = display.figure_
    figure.canvas.draw()
    figure.set_layout_engine("none")
    for ax in figure.axes:
        ax.set_position((0.85, 0.1, 0.04, 0.8) if ax.get_label() == "<colorbar>" else PLACE)
    for text in figure.findobj(Text):
        text.set_visible(False)
    figure.savefig(path, dpi=DPI)
    plt.close("all")
    return path


@pytest.mark.parametrize("name", PICTURES)
def test_looks(name: str, tmp_path: Path) -> None:
    now = saved(PICTURES[name](), tmp_path / f"{name}.png")
    assert difference(now, FOLDER / f"{name}.png") < TOLERANCE


def test_a_change_is_noticed(tmp_path: Path) -> None:
    baseline = FOLDER / "brier.png"
    changes = [
        brier(trivial=False),
        brier(flip=0.3),
        brier(line_kw={"lw": 6}),
        surface(),
    ]
    for k, display in enumerate(changes):
        assert difference(saved(display, tmp_path / f"{k}.png"), baseline) > 1.3 * TOLERANCE, k


def test_baselines_are_few_and_small() -> None:
    found = sorted(FOLDER.glob("*"))
    assert [path.stem for path in found] == sorted(PICTURES)
    assert all(path.stat().st_size < 40_000 for path in found)


if __name__ == "__main__":
    for each, draw in PICTURES.items():
        saved(draw(), FOLDER / f"{each}.png")
