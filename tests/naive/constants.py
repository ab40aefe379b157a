"""Limits and tolerances of the transcriptions."""

from __future__ import annotations

import numpy as np

Array = np.ndarray

TIE = 1e-12  # two criteria this close are equal: the order of the candidates decides
FLOOR = 1e-10  # least weight share under a logarithm, so that a perfect learner's step is finite
CLIP = 1e-10  # least probability in the Newton family
LEAF_LIMIT = 4.0  # greatest leaf value in the Newton family (z itself is never clipped)
HALVINGS = 30  # how often a Newton step may be halved before the ensemble ends
STEP_LIMIT = 50.0  # greatest step of AdaBoost_Reg, whose loss may have no minimum
RIDGE = 1e-6  # on the slope of a logistic regression, so that separable data have a finite one
FLAT = 1e-12  # a logistic slope below this has no threshold: a constant vote
