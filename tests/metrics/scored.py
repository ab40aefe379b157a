"""Labels with scores and weights that tests of measures share."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

Rows = tuple[np.ndarray, np.ndarray, np.ndarray]

probability = st.floats(0, 1) | st.sampled_from([0.0, 0.25, 0.5, 1.0])


@st.composite
def scored(draw: Any, most: int = 30) -> Rows:
    """Labels of both classes, probabilities with ties, and whole weights from 1."""
    row = st.tuples(st.integers(0, 1), probability, st.integers(1, 4))
    rows = draw(st.lists(row, max_size=most))
    rows += [(k, draw(probability), draw(st.integers(1, 4))) for k in (0, 1)]
    y, p, w = (np.array(column) for column in zip(*rows, strict=True))
    return y, p.astype(float), w


def repeated(rows: Rows) -> tuple[np.ndarray, np.ndarray]:
    """Each row as often as its weight."""
    y, p, w = rows
    return np.repeat(y, w), np.repeat(p, w)


def rates(y: np.ndarray, score: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """True and false positive rates at every threshold, one after the other."""
    found = [(0.0, 0.0)]
    for t in np.unique(score)[::-1]:
        found.append((float(np.mean(score[y == 1] >= t)), float(np.mean(score[y == 0] >= t))))
    tpr, fpr = np.array(found).T
    return tpr, fpr
