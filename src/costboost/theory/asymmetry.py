"""Asymmetry preservation: does a row of the dearer class ever count less at the same margin?

A positive and a negative row go the same way: their margins are the same in every round. The ratio
of their losses, or of their weights where there is no loss, must never fall below 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from costboost.cells import Floats
from costboost.theory.implied import listed
from costboost.theory.loss import Loss
from costboost.theory.plays import WIDE, Play, free_play, steps_can_be_negative
from costboost.theory.report import Finding
from costboost.theory.study import SEED, Study

EXACT = 1e-9
"""A logarithm of a ratio above minus this has not fallen below 0."""
CLEAR = -0.5
"""Logarithm of a ratio that makes a counter-example anyone believes."""
WIDER = 8.0
"""Negative steps are tried in this size too: a ratio may fall slowly."""
N_PLAYS = 40
N_PATHS = 60


def asymmetry(study: Study) -> Finding:
    """Whether the dearer class stays the heavier one."""
    if study.losses:
        found = [_by_loss(study, loss) for loss in study.losses]
        return next((one for one in found if one.holds), found[-1])
    return _by_weight(study)


# ---- algorithms with a loss ----------------------------------------------------------------------


def _by_loss(study: Study, loss: Loss) -> Finding:
    """Along random paths of the margin."""
    random = np.random.default_rng(SEED)
    size = N_PLAYS, loss.n_rounds, N_PATHS
    moves = random.choice([1.0, -1.0], size) * random.choice(WIDE * loss.unit / 4, size)
    margin = np.cumsum(moves, axis=1)
    ratio = np.stack([loss.log_ratio(margin[:, k], k + 1) for k in range(loss.n_rounds)], axis=1)
    lowest = float(np.exp(ratio.min()))
    measured = {"least_ratio": lowest}
    if ratio.min() > -EXACT:
        return Finding(
            True,
            f"along {N_PLAYS * N_PATHS} random paths of the margin the loss of the dearer class "
            f"was never less than {lowest:.4g} times that of the other",
            measured,
        )
    fallen = ratio <= max(ratio.min(), CLEAR)
    nearest = np.unravel_index(np.argmin(np.where(fallen, np.abs(margin), np.inf)), ratio.shape)
    round_at, at = int(nearest[1]) + 1, float(margin[nearest])
    swap = loss.swap(round_at)
    losses = [float(loss(at, positive, round_at)) for positive in (True, False)]
    return Finding(
        False,
        f"in round {round_at}, at the margin {at:.4g}, a positive row has the loss "
        f"{losses[0]:.4g} and a negative one {losses[1]:.4g}; they swap at the margin {swap:.4g}",
        {**measured, "swap": swap},
        {"round": round_at, "margin": at, "losses": losses},
    )


# ---- algorithms without --------------------------------------------------------------------------


def _ratio(study: Study, play: Play) -> Floats:
    sign = 1.0 if study.algorithm.positive_is_dear else -1.0
    return sign * (play.pull[:, 0] - play.pull[:, 1])


class _Fall(NamedTuple):
    """Where the ratio of the weights is below 1 for the first time in an ensemble."""

    steps: Floats
    margin: float
    ratio: float

    @property
    def way(self) -> float:
        """How far the steps have gone until then."""
        return float(np.abs(self.steps).sum())


def _plays(study: Study) -> Iterator[tuple[float, Play]]:
    """Ensembles with steps of any size, by their sign: negative ones if the rule gives such."""
    algorithm, random = study.algorithm, np.random.default_rng(SEED)
    kinds = [(1.0, WIDE)]
    if steps_can_be_negative(algorithm, random):
        kinds += [(-1.0, WIDE), (-1.0, WIDER * WIDE)]
    for sign, sizes in kinds:
        for _ in range(N_PLAYS):
            yield sign, free_play(algorithm, random, N_PATHS, sizes=sizes, sign=sign)


def _fall(play: Play, ratio: Floats) -> _Fall | None:
    time = next((k for k in range(len(ratio)) if ratio[k].min() <= -EXACT), None)
    if time is None:
        return None
    path = int(np.argmin(ratio[time]))
    margin = float(play.margin[time, 0, path])
    return _Fall(play.steps[:time], margin, float(np.exp(ratio[time, path])))


def _by_weight(study: Study) -> Finding:
    """Along the paths of ensembles that positive and negative rows go through alike."""
    found = [(sign, play, _ratio(study, play)) for sign, play in _plays(study)]
    lowest = {
        "least_ratio": float(np.exp(min(ratio.min() for _, _, ratio in found))),
        "positive_steps": float(np.exp(min(ratio.min() for sign, _, ratio in found if sign > 0))),
    }
    falls = [one for one in (_fall(play, ratio) for _, play, ratio in found) if one is not None]
    if not falls:
        return Finding(
            True,
            f"along {len(found) * N_PATHS} random paths of the margin a row of the dearer class "
            f"never weighed less than {lowest['least_ratio']:.4g} times one of the other",
            lowest,
        )
    fall = min(falls, key=lambda one: one.way)
    text = (
        f"after the steps {listed(fall.steps)}, at the margin {fall.margin:.4g}, a row of the "
        f"dearer class weighs {fall.ratio:.4g} times as much as one of the other"
    )
    if lowest["positive_steps"] > 1 - EXACT:
        text += (
            "; the rule gives such steps to hypotheses that are wrong too often, and with positive "
            f"steps alone the least ratio is {lowest['positive_steps']:.4g}"
        )
    example = {"steps": fall.steps.tolist(), "margin": fall.margin, "ratio": fall.ratio}
    return Finding(False, text, lowest, example)
