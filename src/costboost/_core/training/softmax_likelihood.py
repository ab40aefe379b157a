"""The likelihood of held-out rows of several classes under the softmax of their scores."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from costboost._core.arithmetic import Floats, interpolate, log
from costboost._core.calibration.softmax import SoftmaxFit, log_softmax, softmax_fit
from costboost._core.training.mixture import mixed
from costboost._core.training.stage_lines import Lines

ENOUGH_OF_ALL = 400
"""Held-out rows of all classes that suffice to drop plans."""
MOST_CELLS = 2**19
"""Most rows times classes for a softmax regression; of more rows some are left out."""
ROUGHLY = 1e-6
"""When Newton's method ends where a regression only decides; see `softmax_fit`."""


class SoftmaxLine(NamedTuple):
    """A softmax regression on one set of scores."""

    fitted: SoftmaxFit

    def losses(self, score: Floats, truth: Any) -> Floats:
        """Log loss of each row."""
        logs = log_softmax(self.fitted.logits([score]))
        return np.asarray(-np.take_along_axis(logs, truth[:, None], axis=1)[:, 0])


class SoftmaxLikelihood:
    """The likelihood of the softmax of scores, for several classes."""

    def enough(self, truth: Any, seen: Floats) -> bool:
        return bool(seen.sum() >= ENOUGH_OF_ALL)

    def line(self, score: Floats, truth: Any, counts: Floats, start: Any = None) -> SoftmaxLine:
        known = None if start is None else start.fitted
        return SoftmaxLine(_fit([score], truth, counts, known, ROUGHLY))

    def mix(self, scores: Sequence[Floats], truth: Any, counts: Floats) -> Floats:
        kept = list(range(len(scores)))
        while True:
            fitted = _fit([scores[k] for k in kept], truth, counts)
            if len(kept) == 1 or (np.all(fitted.weights >= 0) and fitted.weights.sum() > 0):
                break
            sizes = [float(np.sqrt((scores[k] ** 2).mean())) for k in kept]
            kept.pop(int(np.argmin(fitted.weights * sizes)))
        weights = np.zeros(len(scores))
        weights[kept] = 1.0 if len(kept) == 1 else fitted.weights / fitted.weights.sum()
        return weights

    def mixture_losses(self, scores: Sequence[Floats], truth: Any, counts: Floats) -> Floats:
        together = mixed(scores, self.mix(scores, truth, counts))
        return self.line(together, truth, counts).losses(together, truth)

    def stage_lines(
        self, scores: Iterable[Floats], known: NDArray[np.intp], truth: Any, counts: Floats
    ) -> Lines:
        slopes = [max(float(_fit([one], truth, counts).weights[0]), 0.0) for one in scores]
        n_stages = int(known[-1])
        if slopes[-1] == 0:
            return Lines(np.ones(n_stages), None)
        every = log(np.arange(1, n_stages + 1))
        return Lines(interpolate(every, log(known), np.array(slopes) / slopes[-1]), None)


def _fit(
    scores: Sequence[Floats],
    truth: Any,
    counts: Floats,
    start: SoftmaxFit | None = None,
    settled: float = 1e-9,
) -> SoftmaxFit:
    """A softmax regression on some of the rows, without offsets."""
    some = slice(None, None, -(-scores[0].size // MOST_CELLS))
    own = [one[some] for one in scores]
    return softmax_fit(own, truth[some], counts[some], start=start, settled=settled)
