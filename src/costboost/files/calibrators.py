"""Calibrators: what they have learnt, as numbers."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from costboost.calibration import CALIBRATORS, Calibrator
from costboost.calibration.beta import BetaCalibrator
from costboost.calibration.isotonic import IsotonicCalibrator
from costboost.files.fields import Fields
from costboost.files.tree import Kind
from costboost.multiclass.calibrating import Dirichlet

TINY = float(np.nextafter(0.0, 1.0))

State = dict[str, Any]


def _sigmoid(fields: Fields) -> State:
    """A line: slope (s - center) / scale + offset."""
    state: State = {name: fields.number(name) for name in ("center_", "slope_", "offset_")}
    return {**state, "scale_": fields.number("scale_", least=TINY)}


def _beta(fields: Fields) -> State:
    powers = {name: fields.number(name, least=0.0) for name in ("a_", "b_")}
    return {**powers, "c_": fields.number("c_")}


def _isotonic(fields: Fields) -> State:
    """A function that rises from point to point."""
    thresholds = fields.numbers("thresholds_", None)
    values = fields.numbers("values_", thresholds.size, 0.0, 1.0)
    if not thresholds.size or np.any(np.diff(thresholds) < 0) or np.any(np.diff(values) < 0):
        raise ValueError("thresholds_ and values_ must rise")
    return {"thresholds_": thresholds, "values_": values}


LEARNT: dict[type[Calibrator], Callable[[Fields], State]] = {
    BetaCalibrator: _beta,
    IsotonicCalibrator: _isotonic,
}
"""What other calibrators than sigmoids have learnt."""


def _calibrator(cls: type[Calibrator], fields: Fields) -> Calibrator:
    state = LEARNT.get(cls, _sigmoid)(fields)
    calibrator = cls.from_state({**state, "classes_": fields.labels("classes_", 2)})
    with np.errstate(all="ignore"):
        probability = calibrator.probability(np.array([0.0, 0.5, 1.0]))
    if not np.all((probability >= 0) & (probability <= 1)):
        raise ValueError("these numbers give no probabilities")
    return calibrator


def _parts(calibrator: Calibrator | Dirichlet) -> State:
    return {name: part for name, part in vars(calibrator).items() if name.endswith("_")}


def _dirichlet(fields: Fields) -> Dirichlet:
    """W and b of the classes that have a probability, numbered among all."""
    codes = fields.array("codes_", np.int64, (None,))
    weights = fields.array("weights_", np.float64, (codes.size, None))
    if (
        codes.size < 2
        or codes[0] < 0
        or np.any(np.diff(codes) <= 0)
        or not np.isfinite(weights).all()
    ):
        raise ValueError("codes_ must rise from 0 or above, and weights_ be finite")
    if codes[-1] >= weights.shape[1]:
        raise ValueError(f"codes_ must be below {weights.shape[1]}, got {codes[-1]}")
    offset = fields.numbers("offset_", codes.size)
    return Dirichlet.from_state({"codes_": codes, "weights_": weights, "offset_": offset})


KINDS = (
    *(
        Kind(cls.__name__, (cls,), _parts, partial(_calibrator, cls))
        for cls in CALIBRATORS.values()
    ),
    Kind("DirichletCalibrator", (Dirichlet,), _parts, _dirichlet),
)
