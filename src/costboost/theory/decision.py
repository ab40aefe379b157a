"""Cost-consistency: does the algorithm, content with its score, decide for least expected cost?

On a distribution whose probabilities are known, the algorithm has nothing left to gain at a place x
where the two classes pull alike. For an algorithm with a loss that is the population minimiser,
and the probability at which its decision turns must be the cost threshold C- / (C+ + C-). For one
without, places are looked for that it would leave alone although it decides them wrongly.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import expit, logit

from costboost.cells import Floats
from costboost.theory.algorithm import Algorithm
from costboost.theory.implied import listed
from costboost.theory.loss import Loss
from costboost.theory.plays import ANY, Play, free_play, unit
from costboost.theory.report import Finding
from costboost.theory.study import SEED, Study

EXACT = 1e-6
"""Log-odds this near to one another are the same."""
BISECTIONS = 100
VOTES = 1.0
"""Sum of all steps, where a score is a share of the votes: any number will do."""
N_PLAYS = 100
N_PATHS = 60
ITERATIONS = 100


def decision(study: Study) -> Finding:
    """Whether decisions are those of least expected cost."""
    algorithm = study.algorithm
    by_votes = algorithm.rule.decides_by_cost and algorithm.rule.link.in_votes
    if by_votes and not algorithm.calibrated:
        return _by_threshold(algorithm, None)
    if study.losses and algorithm.calibrated:
        return _calibrated(algorithm, study.losses[-1])
    if study.losses:
        found = [_by_threshold(algorithm, loss) for loss in study.losses]
        return next((one for one in found if one.holds), found[-1])
    if algorithm.calibrated:
        assert study.contradiction is not None
        return Finding(
            False,
            f"rows of one score need not have one probability, so that no calibrator can make it "
            f"out: {study.contradiction.because}",
            counter_example=study.contradiction.numbers,
        )
    return _by_rest(algorithm)


# ---- algorithms with a loss ----------------------------------------------------------------------


def _score(algorithm: Algorithm, loss: Loss | None, log_odds: float) -> float:
    """The score that the algorithm would have where the positive class has these log-odds.

    A score that is a share of the votes is taken for what it claims to be (Ting 2000).
    """
    if loss is None:
        scale = algorithm.scale(VOTES)
        return float(algorithm.rule.link.score(np.float64(expit(log_odds)), scale))
    return loss.minimiser_at(log_odds, algorithm.n_rounds)


def _positive(algorithm: Algorithm, loss: Loss | None, log_odds: float) -> bool:
    """Whether it decides for the positive class there."""
    score = np.array([_score(algorithm, loss, log_odds)])
    called = algorithm.deciding.positive(score, algorithm.costs, VOTES, algorithm.n_rounds)
    return bool(called[0])


def _turn(algorithm: Algorithm, loss: Loss | None) -> float:
    """Log-odds above which it decides for the positive class; infinite if there are none."""
    ratio = abs(float(algorithm.costs.log_ratio))
    reach = 30.0 + 2 * ratio * (algorithm.n_rounds + 2)
    low, high = -reach, reach
    if _positive(algorithm, loss, low):
        return -np.inf
    if not _positive(algorithm, loss, high):
        return np.inf
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        if _positive(algorithm, loss, middle):
            high = middle
        else:
            low = middle
    return high


def _by_threshold(algorithm: Algorithm, loss: Loss | None) -> Finding:
    turn, least = _turn(algorithm, loss), float(logit(algorithm.costs.threshold))
    measured = {"threshold": float(expit(turn)), "least_cost": float(expit(least))}
    if loss is None:
        where = "taking the share of the votes for P, as Ting does,"
    else:
        where = f"at the minimiser of its loss in round {algorithm.n_rounds}"
    said = f"{where} it decides for the positive class from P = {measured['threshold']:.4g} on"
    if abs(turn - least) < EXACT:
        return Finding(True, f"{said}, which is C- / (C+ + C-)", measured)
    between = float(np.clip((turn + least) / 2, least - 1, least + 1))
    p, score = float(expit(between)), _score(algorithm, loss, between)
    called = _positive(algorithm, loss, between)
    return Finding(
        False,
        f"{said}, but it should from C- / (C+ + C-) = {measured['least_cost']:.4g} on; where "
        f"P = {p:.4g}, it has F = {score:.4g} and says {_word(called)}, {_word(not called)} is "
        "cheaper",
        measured,
        {"probability": p, "score": score, "called_positive": called},
    )


def _calibrated(algorithm: Algorithm, loss: Loss) -> Finding:
    """A calibrator learns P from any score that rises with it, and decides by the threshold."""
    threshold = float(algorithm.costs.threshold)
    log_odds = logit(threshold) + np.linspace(-2, 2, 21)
    scores = [loss.minimiser_at(float(one), algorithm.n_rounds) for one in log_odds]
    measured = {"threshold": threshold, "least_cost": threshold}
    if np.all(np.diff(scores) > 0):
        return Finding(
            True,
            f"at the minimiser of its loss the score rises with P, from F = {scores[0]:.4g} where "
            f"P = {expit(log_odds[0]):.4g} to {scores[-1]:.4g} where {expit(log_odds[-1]):.4g}: "
            f"calibrated, it finds P and decides by C- / (C+ + C-) = {threshold:.4g}",
            measured,
        )
    return Finding(
        False,
        "the score does not rise with P, so that no calibrator can make P out",
        counter_example={"probabilities": expit(log_odds).tolist(), "scores": scores},
    )


# ---- algorithms without --------------------------------------------------------------------------


class _Place(NamedTuple):
    """A place that the algorithm leaves alone, and decides wrongly."""

    play: Play
    path: int
    log_odds: float
    score: float


def _at_rest(algorithm: Algorithm, seed: int) -> tuple[Play, Floats]:
    """An ensemble, and the log-odds at which each place of it has two classes that pull alike.

    Weights may depend on how many rows there are, so that the probabilities are found in turns.
    """
    log_odds = np.zeros(N_PATHS)
    for _ in range(ITERATIONS):
        weight = np.concatenate([expit(log_odds), expit(-log_odds)])
        random = np.random.default_rng([SEED, seed])
        play = free_play(algorithm, random, N_PATHS, sizes=ANY, mirrored=True, weight=weight)
        found = play.pull[-1, 1] - play.pull[-1, 0]
        moved = np.abs(found - log_odds).max()
        log_odds = found
        if moved < EXACT / 100:
            break
    return play, log_odds


def _by_rest(algorithm: Algorithm) -> Finding:
    least, wrong, n_places = float(logit(algorithm.costs.threshold)), [], 0
    nothing = EXACT * unit(algorithm)
    for seed in range(N_PLAYS):
        play, log_odds = _at_rest(algorithm, seed)
        score = play.margin[-1, 0]
        called = algorithm.deciding.positive(score, algorithm.costs, VOTES, algorithm.n_rounds)
        clear = (np.abs(log_odds - least) > EXACT) & (np.abs(score) > nothing)
        n_places += int(clear.sum())
        wrong += [
            _Place(play, int(k), float(log_odds[k]), float(score[k]))
            for k in np.flatnonzero(clear & (called != (log_odds > least)))
        ]
    measured = {"places": n_places, "wrong": len(wrong), "least_cost": float(expit(least))}
    if not n_places:
        return Finding(False, "whatever its score, it leaves a place alone at one P only", measured)
    if not wrong:
        return Finding(True, f"at all of {n_places} places that it leaves alone", measured)
    place = max(wrong, key=lambda one: abs(one.log_odds - least))
    p, steps = float(expit(place.log_odds)), place.play.steps
    votes = place.play.outcome[:, place.path]
    said = place.log_odds <= least
    return Finding(
        False,
        f"after rounds with the steps {listed(steps)} and the votes {listed(votes)} it has "
        f"F = {place.score:.4g} and says {_word(said)}; it leaves the place alone if "
        f"P = {p:.4g}, where {_word(not said)} is cheaper, because C- / (C+ + C-) = "
        f"{measured['least_cost']:.4g}",
        measured,
        {
            "steps": steps.tolist(),
            "votes": votes.tolist(),
            "score": place.score,
            "probability": p,
            "called_positive": said,
        },
    )


def _word(positive: bool) -> str:
    return "positive" if positive else "negative"
