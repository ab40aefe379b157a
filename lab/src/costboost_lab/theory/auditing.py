"""Audits: the properties of Nikolaou et al. (2016), computed from the rule of an algorithm.

*FGD-consistent*: weights and steps are those of functional gradient descent on one loss.

*Cost-consistent*: decisions minimise the expected cost where the algorithm has converged. If it has
a loss, that is at the population minimiser, and the probability at which the decision changes must
be the cost threshold C- / (C+ + C-). If it has none, points are searched for at which the gradients
of the two classes cancel although the decision is wrong.

*Asymmetry-preserving*: of two rows with the same margin, the one of the costlier class never has
the smaller loss, or the smaller weight where there is no loss.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import pairwise
from textwrap import fill
from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit, logit

from costboost.algorithms import REGISTRY
from costboost_lab.arrays import Floats
from costboost_lab.theory.descent import (
    ALIGNMENTS,
    DIGITS,
    METHODS,
    SEED,
    Analysis,
    Descent,
    analyse,
    listed,
)
from costboost_lab.theory.loss import (
    ANY_STEPS,
    WIDE_STEPS,
    Algorithm,
    Finding,
    Loss,
    Paths,
    algorithm_of,
    simulate_paths,
    steps_can_be_negative,
    unit,
)

PROPERTIES = {
    "fgd_consistent": "FGD-consistent",
    "cost_consistent": "cost-consistent",
    "asymmetry_preserving": "asymmetry-preserving",
}
N_ROUNDS = 5
N_PATHS = 60
PRIOR = 0.3
"""Share of the positives: not one half, so that balanced initial weights are not uniform."""

TABLE_4 = tuple(
    REGISTRY[name].cls(**parameters)
    for name, parameters in (
        ("AdaBoost", {}),
        ("AdaCost", {}),
        ("AdaCost", {"beta": "ting"}),
        *((f"CSB{k}", {}) for k in (0, 1, 2)),
        *((f"AdaC{k}", {}) for k in (1, 2, 3)),
        *((name, {}) for name in ("CSAda", "AdaDB", "AdaMEC", "CGAda", "AsymAda")),
    )
)
"""The algorithms of Nikolaou's table, in its order."""


def audit(algorithm: Any, fn_cost: float = 2.0, fp_cost: float = 1.0) -> Audit:
    """Check the three properties of an algorithm numerically, from its own rule.

    The functions of the rule are called; attributes that the class declares are not used.

    *FGD-consistent*: weights and steps come from greedy descent on one decreasing loss of the
    margin. The loss, if there is one, follows from the update of the weights; the steps are
    compared with its line search or with Newton's step.

    *Cost-consistent*: at the population minimiser of the loss the decision is that of least
    expected cost, ``P > C- / (C+ + C-)``.

    *Asymmetry-preserving*: at the same margin, the loss of a row of the costlier class is never
    less than that of one of the other class.

    The properties are properties of formulas. An algorithm may do well on data without any of them.

    Parameters
    ----------
    algorithm : classifier, class of a classifier, or rule
        Parameters that are part of the algorithm are respected: ``beta`` of AdaCost,
        ``initial_weights``, ``calibration``. The learning rate, which shrinks any step, is not.
    fn_cost, fp_cost : float, default 2 and 1
        Costs of the two classes; those of the classifier are not used.

    Returns
    -------
    Audit
        With ``fgd_consistent``, ``cost_consistent``, ``asymmetry_preserving``, and ``evidence``
        for each, with a counter-example where it fails. ``print`` shows them.

    References
    ----------
    N. Nikolaou et al., "Cost-sensitive boosting algorithms: Do we really need them?", Machine
    Learning 104, 2016, section 3.

    Examples
    --------
    >>> from costboost.algorithms import CSAdaClassifier
    >>> from costboost_lab.theory import audit
    >>> found = audit(CSAdaClassifier, fn_cost=2, fp_cost=1)
    >>> found.fgd_consistent, found.cost_consistent, found.asymmetry_preserving
    (True, True, False)
    >>> found.evidence["cost_consistent"].measured["threshold"]
    0.33333...
    """
    found = analyse(algorithm_of(algorithm, fn_cost, fp_cost, N_ROUNDS, PRIOR))
    costs = found.algorithm.costs
    evidence = {
        "fgd_consistent": fgd_consistent(found),
        "cost_consistent": cost_consistent(found),
        "asymmetry_preserving": asymmetry_preserving(found),
    }
    return Audit(found.algorithm.name, costs.fn, costs.fp, evidence)


def table(algorithms: Iterable[Any] = TABLE_4, fn_cost: float = 2.0, fp_cost: float = 1.0) -> Table:
    """Audits of several algorithms, by default those of table 4 of Nikolaou et al.

    Parameters
    ----------
    algorithms : classifiers, classes of classifiers, or rules
        Default: those of the paper's table, in its order.
    fn_cost, fp_cost : float, default 2 and 1
        Costs of the two classes.

    Returns
    -------
    Table
        The audits; ``print`` shows the verdicts, ``markdown()`` and ``rows()`` give them.

    References
    ----------
    N. Nikolaou et al., "Cost-sensitive boosting algorithms: Do we really need them?", Machine
    Learning 104, 2016, table 4.

    Examples
    --------
    >>> from costboost.algorithms import AdaC2Classifier, CGAdaClassifier
    >>> from costboost_lab.theory import table
    >>> print(table([CGAdaClassifier, AdaC2Classifier]))
    algorithm  FGD-consistent  cost-consistent  asymmetry-preserving
    CGAda      yes             yes              yes
    AdaC2      yes             no               yes
    """
    return Table(tuple(audit(one, fn_cost, fp_cost) for one in algorithms))


# ---- results -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Audit:
    """The three properties of an algorithm, with the evidence for each. Use ``print`` to show it.

    Attributes
    ----------
    name : str
        The algorithm.
    fn_cost, fp_cost : float
        The costs it was audited under.
    fgd_consistent, cost_consistent, asymmetry_preserving : bool
        Whether each property holds.
    evidence : dict of `Finding`
        The evidence by name of the property.
    """

    name: str
    fn_cost: float
    fp_cost: float
    evidence: dict[str, Finding] = field(repr=False)

    @property
    def fgd_consistent(self) -> bool:
        """Whether weights and steps come from greedy descent on one loss of the margin."""
        return self.evidence["fgd_consistent"].holds

    @property
    def cost_consistent(self) -> bool:
        """Whether decisions minimise the expected cost where the algorithm has converged."""
        return self.evidence["cost_consistent"].holds

    @property
    def asymmetry_preserving(self) -> bool:
        """Whether a row of the costlier class never counts less than one of the same margin."""
        return self.evidence["asymmetry_preserving"].holds

    @property
    def verdicts(self) -> tuple[bool, bool, bool]:
        """Whether each of the three properties holds, in the order of Nikolaou's table."""
        return self.fgd_consistent, self.cost_consistent, self.asymmetry_preserving

    def __str__(self) -> str:
        lines = [f"{self.name}, fn_cost={self.fn_cost:g}, fp_cost={self.fp_cost:g}"]
        for key, title in PROPERTIES.items():
            start = f"  {title}: {'yes' if self.evidence[key].holds else 'no'}"
            text = fill(self.evidence[key].because, 94, initial_indent=" " * 4)
            lines += [start, text.replace("\n", "\n    ")]
        return "\n".join(lines)


@dataclass(frozen=True)
class Table:
    """Audits of several algorithms. Use ``print`` or `markdown` for a table of their properties."""

    audits: tuple[Audit, ...]

    def __iter__(self) -> Iterator[Audit]:
        return iter(self.audits)

    def __len__(self) -> int:
        return len(self.audits)

    def __getitem__(self, index: int) -> Audit:
        return self.audits[index]

    def rows(self) -> list[dict[str, Any]]:
        """A dict for each algorithm: its name, and the three properties as True or False."""
        return [
            {"name": one.name, **dict(zip(PROPERTIES, one.verdicts, strict=True))} for one in self
        ]

    def __str__(self) -> str:
        cells = self._cells()
        widths = [max(len(row[k]) for row in cells) for k in range(len(cells[0]))]
        return "\n".join(
            "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip()
            for row in cells
        )

    def markdown(self) -> str:
        """The table as Markdown text."""
        head, *rows = self._cells()
        written = [head, ["---"] * len(head), *rows]
        return "\n".join("| " + " | ".join(row) + " |" for row in written)

    def _cells(self) -> list[list[str]]:
        rows = [[one.name, *("yes" if v else "no" for v in one.verdicts)] for one in self]
        return [["algorithm", *PROPERTIES.values()], *rows]


# ---- FGD-consistency -----------------------------------------------------------------------------


def fgd_consistent(analysis: Analysis) -> Finding:
    """Whether weights and steps come from greedy descent on one loss of the margin."""
    measured: dict[str, Any] = {}
    if analysis.losses:
        measured["loss"] = analysis.losses[-1].formula(analysis.algorithm.n_rounds)
    if analysis.contradiction is not None:
        why = "the weights are not the slope of a loss of the margin"
        because = f"{why}: {analysis.contradiction.because}"
        return Finding(False, because, measured, analysis.contradiction.numbers)
    assert analysis.descent is not None
    because = f"loss in round {analysis.algorithm.n_rounds}: {measured['loss']}; "
    of_steps = _steps_agree if analysis.descent.holds else _steps_differ
    steps = of_steps(analysis.descent)
    return replace(steps, because=because + steps.because, measured=measured | steps.measured)


def _steps_agree(descent: Descent) -> Finding:
    method = descent.holds[0][1]
    alignments = [one for one, other in descent.holds if other == method]
    gap = max(descent.worst[one, method] for one in alignments)
    which = "either way" if len(alignments) > 1 else f"with {ALIGNMENTS[alignments[0]]}"
    return Finding(
        True,
        f"each of {len(descent.cases)} steps is {METHODS[method]}, aligned "
        f"{which}; the remaining edge is at most {gap:.1g} of the weights",
        {"alignments": alignments, "method": method, "gap": gap},
    )


def _steps_differ(descent: Descent) -> Finding:
    case = max(descent.cases, key=lambda one: one.gap)
    method = case.checks[0].method
    checks = [check for check in case.checks if check.method == method]
    wanted = {check.alignment: check.wanted for check in checks}
    texts = [f"{step:.4g} with {ALIGNMENTS[name]}" for name, step in wanted.items()]
    if len({f"{step:.4g}" for step in wanted.values()}) == 1:
        texts = [f"{next(iter(wanted.values())):.4g}"]
    weights = ", ".join(f"{name} {share:.4g}" for name, share in case.weights.items() if share)
    return Finding(
        False,
        f"where the step of round {case.round} is {case.step:.4g}, "
        f"{METHODS[method]} is {', '.join(texts)} (shares of the weight that the step moves: "
        f"{weights})",
        {"gaps": descent.worst},
        {"round": case.round, "step": case.step, "wanted": wanted, "weights": case.weights},
    )


# ---- cost-consistency ----------------------------------------------------------------------------

SAME_LOG_ODDS = 1e-6
"""Log-odds that differ by less than this are equal."""
BISECTIONS = 100
SUM_OF_STEPS = 1.0
"""Where a score is a share of the votes, the result does not depend on the sum of the steps."""
N_STATIONARY = 100
ITERATIONS = 100


def cost_consistent(analysis: Analysis) -> Finding:
    """Whether decisions minimise the expected cost where the algorithm has converged."""
    algorithm = analysis.algorithm
    by_votes = algorithm.rule.decides_by_cost and algorithm.rule.link.in_votes
    if by_votes and not algorithm.calibrated:
        return _by_threshold(algorithm, None)
    if analysis.losses and algorithm.calibrated:
        return _by_calibration(algorithm, analysis.losses[-1])
    if analysis.losses:
        found = [_by_threshold(algorithm, loss) for loss in analysis.losses]
        return next((one for one in found if one.holds), found[-1])
    if algorithm.calibrated:
        assert analysis.contradiction is not None
        return Finding(
            False,
            "rows with the same score may have different probabilities, so that no calibrator can "
            f"find them: {analysis.contradiction.because}",
            counter_example=analysis.contradiction.numbers,
        )
    return _by_stationary_points(algorithm)


def _score(algorithm: Algorithm, loss: Loss | None, log_odds: float) -> float:
    """The score where the positive class has these log-odds.

    Without a loss, the score is a share of the votes and is taken as the probability (Ting 2000).
    """
    if loss is None:
        scale = algorithm.scale(SUM_OF_STEPS)
        return float(algorithm.rule.link.score(np.float64(expit(log_odds)), scale))
    return loss.minimiser_at(log_odds, algorithm.n_rounds)


def _predicts_positive(algorithm: Algorithm, score: Any) -> Any:
    """Whether the algorithm predicts the positive class at these scores after all rounds."""
    return algorithm.decision.positive(score, algorithm.costs, SUM_OF_STEPS, algorithm.n_rounds)


def _positive(algorithm: Algorithm, loss: Loss | None, log_odds: float) -> bool:
    """Whether it predicts the positive class where that has these log-odds."""
    return bool(_predicts_positive(algorithm, np.array([_score(algorithm, loss, log_odds)]))[0])


def _threshold(algorithm: Algorithm, loss: Loss | None) -> float:
    """Log-odds above which the positive class is predicted; infinite if there are none."""
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
    """Compare the probability at which the decision changes with the cost threshold."""
    found, least = _threshold(algorithm, loss), float(logit(algorithm.costs.threshold))
    measured = {"threshold": float(expit(found)), "least_cost": float(expit(least))}
    if loss is None:
        where = "taking the share of the votes for P, as Ting does,"
    else:
        where = f"at the minimiser of its loss in round {algorithm.n_rounds}"
    text = f"{where} it predicts positive from P = {measured['threshold']:.4g} on"
    if abs(found - least) < SAME_LOG_ODDS:
        return Finding(True, f"{text}, which is C- / (C+ + C-)", measured)
    between = float(np.clip((found + least) / 2, least - 1, least + 1))
    p, score = float(expit(between)), _score(algorithm, loss, between)
    positive = _positive(algorithm, loss, between)
    return Finding(
        False,
        f"{text}, but it should from C- / (C+ + C-) = {measured['least_cost']:.4g} on; where "
        f"P = {p:.4g}, it has F = {score:.4g} and predicts {_word(positive)}, but "
        f"{_word(not positive)} has the smaller expected cost",
        measured,
        {"probability": p, "score": score, "predicted_positive": positive},
    )


def _by_calibration(algorithm: Algorithm, loss: Loss) -> Finding:
    """A calibrator recovers P from any score that rises with P, and decides by the threshold."""
    threshold = float(algorithm.costs.threshold)
    log_odds = logit(threshold) + np.linspace(-2, 2, 21)
    scores = [loss.minimiser_at(float(one), algorithm.n_rounds) for one in log_odds]
    measured = {"threshold": threshold, "least_cost": threshold}
    if all(low < high for low, high in pairwise(scores)):
        return Finding(
            True,
            f"at the minimiser of its loss the score rises with P, from F = {scores[0]:.4g} where "
            f"P = {expit(log_odds[0]):.4g} to {scores[-1]:.4g} where {expit(log_odds[-1]):.4g}: "
            f"calibrated, it finds P and decides by C- / (C+ + C-) = {threshold:.4g}",
            measured,
        )
    return Finding(
        False,
        "the score does not rise with P, so that no calibrator can find P",
        counter_example={"probabilities": expit(log_odds).tolist(), "scores": scores},
    )


class _Point(NamedTuple):
    """A point at which the gradients of the two classes cancel."""

    ensemble: Paths
    path: int
    log_odds: float
    score: float


def _stationary_points(algorithm: Algorithm, seed: int) -> tuple[Paths, Floats]:
    """An ensemble, and the log-odds with which the gradients cancel at each of its points.

    Weights may depend on the weight of all rows, so that the log-odds are found by iteration.
    """
    log_odds = np.zeros(N_PATHS)
    for _ in range(ITERATIONS):
        weight = np.concatenate([expit(log_odds), expit(-log_odds)])
        random = np.random.default_rng([SEED, seed])
        ensemble = simulate_paths(
            algorithm, random, N_PATHS, sizes=ANY_STEPS, mirrored=True, sample_weight=weight
        )
        found = ensemble.log_gradient[-1, 1] - ensemble.log_gradient[-1, 0]
        moved = np.abs(found - log_odds).max()
        log_odds = found
        if moved < SAME_LOG_ODDS / 100:
            break
    return ensemble, log_odds


def _by_stationary_points(algorithm: Algorithm) -> Finding:
    """Search for points at which the gradients cancel although the decision is wrong."""
    least, wrong, n_points = float(logit(algorithm.costs.threshold)), [], 0
    smallest = SAME_LOG_ODDS * unit(algorithm)
    for seed in range(N_STATIONARY):
        ensemble, log_odds = _stationary_points(algorithm, seed)
        score = ensemble.margin[-1, 0]
        positive = _predicts_positive(algorithm, score)
        clear = (np.abs(log_odds - least) > SAME_LOG_ODDS) & (np.abs(score) > smallest)
        n_points += int(clear.sum())
        wrong += [
            _Point(ensemble, int(k), float(log_odds[k]), float(score[k]))
            for k in np.flatnonzero(clear & (positive != (log_odds > least)))
        ]
    measured = {"places": n_points, "wrong": len(wrong), "least_cost": float(expit(least))}
    if not n_points:
        return Finding(False, "its gradients cancel at one P only, whatever the score", measured)
    if not wrong:
        because = f"at all of {n_points} points at which its gradients cancel"
        return Finding(True, because, measured)
    point = max(wrong, key=lambda one: round(abs(one.log_odds - least), DIGITS))
    p, steps = float(expit(point.log_odds)), point.ensemble.steps
    votes = point.ensemble.outcome[:, point.path]
    predicted = point.log_odds <= least
    return Finding(
        False,
        f"after rounds with the steps {listed(steps)} and the votes {listed(votes)} it has "
        f"F = {point.score:.4g} and predicts {_word(predicted)}; its gradients cancel there if "
        f"P = {p:.4g}, but then {_word(not predicted)} has the smaller expected cost, because "
        f"C- / (C+ + C-) = {measured['least_cost']:.4g}",
        measured,
        {
            "steps": steps.tolist(),
            "votes": votes.tolist(),
            "score": point.score,
            "probability": p,
            "predicted_positive": predicted,
        },
    )


def _word(positive: bool) -> str:
    return "positive" if positive else "negative"


# ---- preservation of the asymmetry ---------------------------------------------------------------

SAME_LOG_RATIO = 1e-9
"""A ratio whose logarithm is above minus this is not below 1."""
CLEAR_LOG_RATIO = -0.5
"""Logarithm of a ratio that is small enough for a convincing counter-example."""
WIDER = 8.0
"""Factor for further negative steps: a ratio may decrease slowly."""
N_ENSEMBLES = 40


def asymmetry_preserving(analysis: Analysis) -> Finding:
    """Whether a row of the costlier class never counts less than one of the same margin."""
    if analysis.losses:
        found = [_asymmetry_of_loss(loss) for loss in analysis.losses]
        return next((one for one in found if one.holds), found[-1])
    return _asymmetry_of_weights(analysis.algorithm)


def _asymmetry_of_loss(loss: Loss) -> Finding:
    """The ratio of the losses along random paths of the margin."""
    random = np.random.default_rng(SEED)
    size = N_ENSEMBLES, loss.n_rounds, N_PATHS
    moves = random.choice([1.0, -1.0], size) * random.choice(WIDE_STEPS * loss.unit / 4, size)
    margin = np.cumsum(moves, axis=1)
    ratio = np.stack([loss.log_ratio(margin[:, k], k + 1) for k in range(loss.n_rounds)], axis=1)
    lowest = float(np.exp(ratio.min()))
    measured = {"least_ratio": lowest}
    if ratio.min() > -SAME_LOG_RATIO:
        return Finding(
            True,
            f"along {N_ENSEMBLES * N_PATHS} random paths of the margin the loss of the costlier "
            f"class was never less than {lowest:.4g} times that of the other",
            measured,
        )
    fallen = ratio <= max(ratio.min(), CLEAR_LOG_RATIO) + SAME_LOG_RATIO
    distance = np.where(fallen, np.abs(margin).round(DIGITS), np.inf)
    nearest = np.unravel_index(np.argmin(distance), ratio.shape)
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


class _Swap(NamedTuple):
    """The first point of an ensemble at which the ratio of the weights is below 1."""

    steps: Floats
    margin: float
    ratio: float

    @property
    def length(self) -> float:
        """Sum of the sizes of the steps."""
        return float(np.abs(self.steps).sum())


def _ensembles(algorithm: Algorithm) -> Iterator[tuple[float, Paths]]:
    """Ensembles with positive steps, and with negative ones if the rule has such steps."""
    random = np.random.default_rng(SEED)
    kinds = [(1.0, WIDE_STEPS)]
    if steps_can_be_negative(algorithm, random):
        kinds += [(-1.0, WIDE_STEPS), (-1.0, WIDER * WIDE_STEPS)]
    for sign, sizes in kinds:
        for _ in range(N_ENSEMBLES):
            yield sign, simulate_paths(algorithm, random, N_PATHS, sizes=sizes, sign=sign)


def _first_swap(ensemble: Paths, ratio: Floats) -> _Swap | None:
    time = next((k for k in range(len(ratio)) if ratio[k].min() <= -SAME_LOG_RATIO), None)
    if time is None:
        return None
    path = int(np.argmin(ratio[time].round(DIGITS)))
    margin = float(ensemble.margin[time, 0, path])
    return _Swap(ensemble.steps[:time], margin, float(np.exp(ratio[time, path])))


def _asymmetry_of_weights(algorithm: Algorithm) -> Finding:
    """The ratio of the weights of positive and negative rows with the same outcomes."""
    costlier = 1.0 if algorithm.positive_is_costlier else -1.0
    found = [
        (sign, one, costlier * (one.log_gradient[:, 0] - one.log_gradient[:, 1]))
        for sign, one in _ensembles(algorithm)
    ]
    lowest = {
        "least_ratio": float(np.exp(min(ratio.min() for _, _, ratio in found))),
        "positive_steps": float(np.exp(min(ratio.min() for sign, _, ratio in found if sign > 0))),
    }
    swaps = [one for one in (_first_swap(paths, ratio) for _, paths, ratio in found) if one]
    if not swaps:
        return Finding(
            True,
            f"along {len(found) * N_PATHS} random paths of the margin a row of the costlier class "
            f"never weighed less than {lowest['least_ratio']:.4g} times one of the other",
            lowest,
        )
    swap = min(swaps, key=lambda one: one.length)
    text = (
        f"after the steps {listed(swap.steps)}, at the margin {swap.margin:.4g}, a row of the "
        f"costlier class weighs {swap.ratio:.4g} times as much as one of the other"
    )
    if lowest["positive_steps"] > 1 - SAME_LOG_RATIO:
        text += (
            "; the rule gives such steps to hypotheses that are wrong too often, and with positive "
            f"steps alone the least ratio is {lowest['positive_steps']:.4g}"
        )
    example = {"steps": swap.steps.tolist(), "margin": swap.margin, "ratio": swap.ratio}
    return Finding(False, text, lowest, example)
