"""Study masnadi2007-faces: patches, quick run, tables, figures and claims."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure as Canvas
from matplotlib.image import imsave

from costboost_lab.studies import CANNOT_BE_JUDGED, NOT_REPRODUCED, REPRODUCED, Claim, Options
from costboost_lab.studies import masnadi_faces as faces
from costboost_lab.studies import masnadi_faces as register
from costboost_lab.studies.masnadi_faces import drawn_patches, folder_patches
from costboost_lab.studies.running import StudyRun, run

CLAIMS = {claim.name: claim for claim in register.CLAIMS}


@pytest.fixture(scope="module")
def quick(tmp_path_factory: pytest.TempPathFactory) -> StudyRun:
    return run(faces.STUDY, out=tmp_path_factory.mktemp("faces"), quick=True, repeats=1, n_jobs=1)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with faces as images and other patches in one array."""
    pixels, y = drawn_patches()
    (tmp_path / "Faces").mkdir()
    (tmp_path / "non-faces").mkdir()
    grey = np.interp(pixels, (pixels.min(), pixels.max()), (0, 255)).round()
    for k, patch in enumerate(grey[y == 1][:20]):
        imsave(tmp_path / "Faces" / f"{k:02}.png", patch, cmap="gray", vmin=0, vmax=255)
    np.save(tmp_path / "non-faces" / "all.npy", grey[y == 0][:18])
    np.save(tmp_path / "non-faces" / "one.npy", grey[y == 0][18])
    (tmp_path / "non-faces" / "notes.txt").write_text("not a patch")
    return tmp_path


def results(loss_of: Any) -> pd.DataFrame:
    """Results with losses by method, training cost and factor, and a little noise."""
    random = np.random.default_rng(0)
    lines = []
    for repeat in range(10):
        for method in faces.METHODS:
            for cost in (1.0,) if method == faces.PLAIN else faces.COSTS:
                for factor in faces.FACTORS:
                    loss = loss_of(method, cost, factor) + random.uniform(0, 0.1)
                    lines.append({"repeat": repeat, "method": method, "training_cost": cost,
                                  "factor": factor, "loss": loss, "least_loss": loss})  # fmt: skip
    return pd.DataFrame(lines)


def as_claimed(method: str, cost: float, factor: int) -> float:
    """Losses of Figure 4."""
    if method == "CSAda":
        return 10 + abs(np.log(cost / factor)) - 0.05 * factor
    of_method = {"AdaBoost": 12.0, "CSB2": 12.0, "CSB0": 40.0, "CSB1": 45.0}
    return of_method.get(method, 20.0)


def reversed_claims(method: str, cost: float, factor: int) -> float:
    """Losses that contradict Figure 4."""
    if method == "CSAda":
        return 50 + abs(np.log(cost * factor / 1200)) + 0.1 * factor
    return {"AdaBoost": 12.0, "CSB2": 20.0, "CSB0": 1.0, "CSB1": 2.0}.get(method, 5.0)


def judged(name: str, frame: Any) -> str:
    check = CLAIMS[name].check
    assert check is not None
    return check(frame).outcome


def test_quick_run(quick: StudyRun) -> None:
    assert not quick.failures
    assert set(quick.frame["method"]) == set(faces.METHODS)
    for table in quick.tables:
        assert len(table.frame)
    for figure in quick.figures:
        canvas = Canvas(figsize=figure.size, layout="constrained")
        figure.draw(canvas)
        canvas.canvas.draw()
    assert (quick.frame["least_loss"] <= quick.frame["loss"]).all()


def test_a_cell_is_deterministic() -> None:
    cell = {"data": "drawn patches", "features": "haar-3", "rounds": 5, "method": "CSB2",
            "training_cost": 10.0, "repeat": 0}  # fmt: skip
    assert faces.compute(cell, 5) == faces.compute(cell, 5) != faces.compute(cell, 6)


def test_losses_against_a_naive_search() -> None:
    random = np.random.default_rng(0)
    for _ in range(20):
        truth, score = random.integers(0, 2, 30), random.normal(size=30).round(1)
        truth[:4], half = [0, 1, 0, 1], np.arange(30) % 4 < 2
        for factor in faces.FACTORS:

            def loss(at: float, rows: Any, truth: Any = truth, score: Any = score,
                     factor: int = factor) -> float:  # fmt: skip
                said = score[rows] >= at
                missed, alarms = truth[rows] > said, truth[rows] < said
                return float(alarms.sum() + factor * missed.sum())

            every = np.ones(30, bool)
            found = faces.losses(truth, score, half, factor)
            assert found["least_loss"] == min(loss(at, every) for at in [*score, np.inf])
            assert found["chosen_loss_1"] == min(loss(at, half) for at in [*score[half], np.inf])
            assert found["other_loss_1"] >= min(loss(at, ~half) for at in [*score, np.inf])
            assert found["loss"] == loss(1e-9, every)


@pytest.mark.parametrize("claim", register.CLAIMS, ids=lambda claim: claim.name)
def test_claims(claim: Claim, quick: StudyRun) -> None:
    assert claim.check is not None
    for frame in (quick.frame, pd.DataFrame(), quick.frame[quick.frame["method"] == "AdaC2"]):
        verdict = claim.check(frame)
        assert verdict.outcome in (REPRODUCED, NOT_REPRODUCED, CANNOT_BE_JUDGED)
        assert verdict.measured or verdict.reason
    assert judged(claim.name, results(as_claimed)) == REPRODUCED
    assert judged(claim.name, results(reversed_claims)) == NOT_REPRODUCED


# ---- folders of patches --------------------------------------------------------------------------


def test_a_folder_of_patches(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    patches = folder_patches(str(folder))
    assert patches.pixels.shape == (39, 12, 12)
    assert patches.y.tolist() == [1] * 20 + [0] * 19
    expected, y = drawn_patches()
    grey = np.interp(expected, (expected.min(), expected.max()), (0, 255)).round()
    np.testing.assert_array_equal(patches.pixels[20:], grey[y == 0][:19])
    np.testing.assert_allclose(patches.pixels[:20], grey[y == 1][:20], atol=1)
    out = tmp_path_factory.mktemp("out")
    done = run(faces.STUDY, out=out, quick=True, repeats=1, folder=folder, n_jobs=1)
    assert not done.failures
    assert set(done.frame["data"]) == {faces.FOLDER}


def test_other_patches_are_other_cells(folder: Path) -> None:
    first = faces.cells(Options(quick=True, folder=folder))[0]
    np.save(folder / "non-faces" / "two.npy", np.zeros((12, 12)))
    folder_patches.cache_clear()
    second = faces.cells(Options(quick=True, folder=folder))[0]
    assert first["digest"] != second["digest"]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("two.npy", np.zeros((13, 12)), "13 x 12 pixels"),
        ("two.npy", np.full((12, 12), np.nan), "NaN"),
        ("two.npy", np.zeros(12), "shape"),
        ("two.npy", np.full((12, 12), "a"), "numbers"),
        ("two.png", None, "not an image"),
        ("two.npy", None, "not an array"),
    ],
)
def test_bad_files(folder: Path, name: str, content: Any, message: str) -> None:
    path = folder / "non-faces" / name
    if content is None:
        path.write_bytes(b"nothing")
    else:
        np.save(path, content)
    with pytest.raises(ValueError, match=message):
        folder_patches(str(folder))


def test_bad_folders(folder: Path) -> None:
    (folder / "Faces").rename(folder / "people")
    with pytest.raises(ValueError, match="none of its subfolders is named 'faces'"):
        folder_patches(str(folder))
    (folder / "people").rename(folder / "face")
    (folder / "pos").mkdir()
    with pytest.raises(ValueError, match="several of its subfolders are"):
        folder_patches(str(folder))
    (folder / "pos").rmdir()
    for path in (folder / "face").glob("*.png"):
        path.unlink()
    with pytest.raises(ValueError, match="holds no patches"):
        folder_patches(str(folder))
    np.save(folder / "face" / "few.npy", np.zeros((3, 12, 12)))
    with pytest.raises(ValueError, match="3 faces; at least 10"):
        folder_patches(str(folder))
