"""What all displays share: colours, legends, axes, and drawing apart from numbers."""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.colors import to_hex, to_rgb
from matplotlib.transforms import Bbox
from sklearn.datasets import make_classification

import costboost.plots
from costboost import ActionClassifier
from costboost._core.docstrings import PLACE
from costboost.algorithms import AdaBoostClassifier
from costboost.app.plots import drawing

ROOM = Path(inspect.getfile(drawing)).parent
DISPLAYS = [name for name in costboost.plots.__all__ if name.endswith("Display")]

X, Y = make_classification(80, n_features=2, n_redundant=0, random_state=0)
CLF = AdaBoostClassifier(n_estimators=5).fit(X, Y)
P = CLF.predict_proba(X)[:, 1]
ACTIONS = ActionClassifier(
    CLF, costs={0: {"act": 1, "wait": (0, 0.5)}, 1: {"act": 0, "wait": (2, 9)}}
).fit(X, Y)
TABLE = np.random.default_rng(0).random((5, 4))
CALLS: dict[str, Any] = {
    "BrierCurveDisplay": lambda d, **o: d.from_estimator(CLF, X, Y, **o),
    "CostCurveDisplay": lambda d, **o: d.from_estimator(CLF, X, Y, **o),
    "DecisionCurveDisplay": lambda d, **o: d.from_estimator(CLF, X, Y, **o),
    "ProfitCurveDisplay": lambda d, **o: d.from_estimator(CLF, X, Y, **o),
    "LiftCurveDisplay": lambda d, **o: d.from_estimator(CLF, X, Y, **o),
    "MarginDistributionDisplay": lambda d, **o: d.from_estimator(CLF, X, Y, **o),
    "LossDisplay": lambda d, **o: d.from_losses(lambda m: 2 ** (1 - m), lambda m: 2.0**-m, **o),
    "BoostingProgressDisplay": lambda d, **o: d.from_estimator(CLF, X, Y, **o),
    "DecisionSurfaceDisplay": lambda d, **o: d.from_estimator(CLF, X, Y, resolution=9, **o),
    "CostSweepDisplay": lambda d, **o: d.from_predictions(Y, P, param_range=[1, 2], **o),
    "UncertainCostDisplay": lambda d, **o: d.from_estimator(ACTIONS, X, **o),
    "RankDisplay": lambda d, **o: d.from_values(TABLE, **o),
    "ParetoDisplay": lambda d, **o: d.from_values(TABLE, [1, 2, 3, 4], **o),
    "CriticalDifferenceDisplay": lambda d, **o: d.from_values(TABLE, **o),
}
EVERY = pytest.mark.parametrize("name", DISPLAYS)
WITH_LEGEND = [name for name in DISPLAYS if name[:4] not in ("Rank", "Crit")]


def make(name: str, **options: Any) -> Any:
    return CALLS[name](getattr(costboost.plots, name), **options)


# ---- the idiom -----------------------------------------------------------------------------------


def test_number_of_displays() -> None:
    assert sorted(CALLS) == sorted(DISPLAYS)


@EVERY
def test_axes_and_figure_are_kept(name: str) -> None:
    drawn = make(name)
    assert drawn.ax_.figure is drawn.figure_
    assert plt.get_fignums() == [drawn.figure_.number]
    fig, ax = plt.subplots()
    elsewhere = make(name, ax=ax)
    assert elsewhere.ax_ is ax
    assert elsewhere.figure_ is fig
    again = drawn.plot()
    assert again is drawn
    assert again.figure_ not in (None, fig)


def boxes(figure: Any) -> list[Any]:
    """Extents of all text: labels and ticks of axes, legends, annotations."""
    axes = [axis for ax in figure.axes if ax.axison for axis in (ax.xaxis, ax.yaxis)]
    legends = [ax.get_legend() for ax in figure.axes if ax.get_legend() is not None]
    texts = [text for ax in figure.axes for text in ax.texts]
    found = [axis.get_tightbbox() for axis in axes]
    return [box for box in found if box] + [one.get_window_extent() for one in texts + legends]


@EVERY
def test_nothing_is_clipped_on_given_axes_of_usual_size(name: str) -> None:
    """Six by four inches, without a layout engine, as scikit-learn's examples have them."""
    fig, ax = plt.subplots(figsize=(6, 4))
    drawn = make(name, ax=ax)
    fig.canvas.draw()
    legend = drawn.ax_.get_legend()
    assert legend is None or not legend.get_window_extent().overlaps(drawn.ax_.bbox)
    around = Bbox.union(boxes(fig))
    assert np.all(around.min >= -1)
    assert np.all(around.max <= fig.bbox.max + 1)
    fig.subplots_adjust(left=0.2)  # neither of them warns
    fig.tight_layout()


@pytest.mark.parametrize("kind", ["RankDisplay", "CriticalDifferenceDisplay"])
def test_long_names_are_not_clipped(kind: str) -> None:
    fig, ax = plt.subplots(figsize=(6, 4))
    names = ["AdaMEC, calibrated, 20", "GentleBoost, 3 rounds", "CostBoostClassifier", "AdaC2"]
    make(kind, ax=ax, names=names)
    fig.canvas.draw()
    found = [text.get_text() for text in (*ax.get_yticklabels(), *ax.texts)]
    assert all(any(name in text for text in found) for name in names)
    around = Bbox.union(boxes(fig))
    assert np.all(around.min >= -1)
    assert np.all(around.max <= fig.bbox.max + 1)


def test_a_wide_legend_goes_below() -> None:
    for name, beside in (("a", True), ("a classifier with quite a long name for a legend", False)):
        fig, ax = plt.subplots(figsize=(6, 4))
        display = costboost.plots.CostCurveDisplay
        legend = display.from_predictions(Y, P, name=name, trivial=False, ax=ax).ax_.get_legend()
        fig.canvas.draw()
        box = legend.get_window_extent()
        assert (box.x0 >= ax.bbox.x1) == beside
        assert (box.y1 <= ax.bbox.y0) == (not beside)


@pytest.mark.parametrize("name", [one for one in DISPLAYS if one[:4] not in ("Crit", "Deci")])
def test_colours_as_keywords(name: str) -> None:
    drawn = make(name, color="#123456", alpha=0.5)
    marks = [*drawn.ax_.lines, *drawn.ax_.collections, *drawn.ax_.patches]
    colours = {to_hex(c) for one in marks for c in colours_of(one)}
    assert "#123456" in colours


def colours_of(mark: Any) -> Any:
    if hasattr(mark, "get_color"):
        return [mark.get_color()]
    return [*np.atleast_2d(mark.get_facecolor()), *np.atleast_2d(mark.get_edgecolor())]


@EVERY
def test_inside_a_part_of_a_figure(name: str) -> None:
    fig = plt.figure(figsize=(14, 6), layout="constrained")
    left, _ = fig.subfigures(1, 2)
    assert make(name, ax=left.subplots()).figure_ is left
    fig.canvas.draw()


@EVERY
def test_axes_are_labelled(name: str) -> None:
    drawn = make(name)
    if drawn.ax_.axison:
        assert drawn.ax_.get_xlabel()
        assert drawn.ax_.get_ylabel() or name == "RankDisplay"  # whose ticks are names


@EVERY
def test_labels_of_the_user_stay(name: str) -> None:
    _, ax = plt.subplots()
    ax.set_xlabel("mine")
    make(name, ax=ax)
    assert ax.get_xlabel() == "mine"


@EVERY
def test_parameters_are_documented(name: str) -> None:
    cls = getattr(costboost.plots, name)
    methods = [one for one in dir(cls) if one == "plot" or one.startswith("from_")]
    for method in [cls, *(getattr(cls, one) for one in methods)]:
        section = method.__doc__.split("Parameters\n")[1].split("Returns\n")[0]
        for parameter in inspect.signature(method).parameters:
            if parameter != "self":
                assert parameter in section, (method, parameter)
        assert not PLACE.search(method.__doc__)


# ---- legends -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", WITH_LEGEND)
def test_the_legend_is_beside_the_data(name: str) -> None:
    drawn = make(name)
    drawn.figure_.canvas.draw()
    legend = drawn.ax_.get_legend().get_window_extent()
    assert not legend.overlaps(drawn.ax_.get_window_extent())
    whole = drawn.figure_.bbox
    assert whole.x0 <= legend.x0
    assert legend.x1 <= whole.x1
    assert whole.y0 <= legend.y0
    assert legend.y1 <= whole.y1


def test_the_legend_is_beside_the_right_axis_too() -> None:
    drawn = costboost.plots.BoostingProgressDisplay.from_estimator(
        CLF, X, Y, measures=["error", "cost"], fn_cost=1e6
    )
    drawn.figure_.canvas.draw()
    legend = drawn.ax_.get_legend().get_window_extent()
    assert not legend.overlaps(drawn.cost_ax_.yaxis.get_tightbbox())


@pytest.mark.parametrize("name", WITH_LEGEND)
def test_locations_of_legends(name: str) -> None:
    _, ax = plt.subplots()
    assert make(name, ax=ax).ax_.get_legend() is not None
    assert make(name, legend="lower right").ax_.get_legend() is not None
    assert make(name, legend=None).ax_.get_legend() is None


# ---- colours -------------------------------------------------------------------------------------


def luminance(colour: str) -> float:
    parts = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(colour)]
    return float(np.dot(parts, [0.2126, 0.7152, 0.0722]))


def seen_without(colour: str, matrix: Any) -> np.ndarray:
    """A colour as it appears without one kind of cones (Vienot, Brettel and Mollon 1999)."""
    linear = np.array(to_rgb(colour)) ** 2.2
    return np.clip(np.array(matrix) @ linear, 0, 1) ** (1 / 2.2)


PROTANOPIA = [[0.1124, 0.8876, 0.0], [0.1124, 0.8876, 0.0], [0.004, -0.004, 1.0]]
DEUTERANOPIA = [[0.2927, 0.7073, 0.0], [0.2927, 0.7073, 0.0], [-0.0223, 0.0223, 1.0]]


@pytest.mark.parametrize("matrix", [np.eye(3), PROTANOPIA, DEUTERANOPIA])
def test_colours_can_be_told_apart(matrix: Any) -> None:
    seen = [seen_without(colour, matrix) for colour in drawing.COLOURS]
    apart = [np.linalg.norm(a - b) for k, a in enumerate(seen) for b in seen[:k]]
    assert min(apart) > 0.1


def test_no_colour_is_too_faint_on_white() -> None:
    assert all(1.05 / (luminance(colour) + 0.05) > 1.9 for colour in drawing.COLOURS)


def test_many_curves_look_different() -> None:
    looks = [tuple(map(str, drawing.style(k).values())) for k in range(49)]
    assert len(set(looks)) == 49


# ---- matplotlib ----------------------------------------------------------------------------------


WITHOUT = """
import sys
sys.modules["matplotlib"] = None
from costboost.plots import BrierCurveDisplay, RankDisplay, confidence_band
print(confidence_band([[1.0], [1.0]]).middle)
for make in (
    lambda: BrierCurveDisplay.from_predictions([0, 1], [0.1, 0.9]),
    lambda: RankDisplay.from_values([[1, 2]]),
    lambda: BrierCurveDisplay(z=[0, 1], q=[0, 0]).plot(),
):
    try:
        make()
    except ImportError as error:
        print(error)
"""


def test_without_matplotlib() -> None:
    done = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True)
    message = 'drawing needs matplotlib, which is not installed: pip install "costboost[plots]"'
    assert done.stdout.splitlines() == ["[1.]", message, message, message], done.stderr


def test_matplotlib_is_imported_only_to_draw() -> None:
    code = "import sys, costboost.plots; print('matplotlib' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


@pytest.mark.parametrize("path", sorted((ROOM / "numbers").glob("*.py")), ids=lambda p: p.stem)
def test_numbers_are_computed_without_matplotlib(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            module = node.module or ""
            assert "matplotlib" not in module
            assert not module.startswith("costboost.app.plots") or ".numbers" in module
