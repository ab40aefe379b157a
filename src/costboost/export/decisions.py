"""Probabilities and decisions of least cost as ONNX nodes, with the costs as inputs of the graph.

Those of two classes are the formulas of `costboost.model.decision`, applied to symbols. Those of
several classes are sums over the classes, which are written here term by term, in the order in
which NumPy and the engine add them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any, NamedTuple

import numpy as np

from costboost.calibration.several import SoftmaxCalibrator
from costboost.elementary import exp, log
from costboost.engine._kernels import TIE
from costboost.export.graph import Graph, Symbol, Tensor, double, stacked
from costboost.export.trees import class_scores, scores
from costboost.model import BinaryModel, OneVsRestModel, ScoresModel, SeveralModel
from costboost.rules import Costs
from costboost.rules.newton import LEAST_FLOW, of_log_loss, of_softmax, of_sum_loss
from costboost.rules.votes import cost_shares, log_shares, samme_shares
from costboost.vectors import Floats

OF_OUTCOMES = ("fn_cost", "fp_cost", "tp_cost", "tn_cost")
"""Inputs of two classes: the cost of each outcome."""
OF_CLASSES = "cost_matrix"
"""Input of more classes."""


class Head(NamedTuple):
    """What a graph returns, and the costs that it takes."""

    score: Tensor
    probabilities: Tensor
    code: Tensor
    """Number of the predicted class, among those of the classifier."""
    costs: dict[str, Floats]
    """Inputs for costs, with their values unless they are given."""
    shapes: dict[str, list[Any]]


# ---- two classes ---------------------------------------------------------------------------------


def of_two(graph: Graph, X: Tensor, model: BinaryModel, given: bool) -> Head:
    """Score, probabilities and decision of a model of two classes.

    ``given`` is whether costs are inputs; decisions are those of the costs of training otherwise.
    """
    (score,) = scores(graph, X, [model])
    share = _probability(model, score)
    costs = usual_costs(model) if given and model.decides_by_cost else {}
    decided = model.costs
    if costs:
        fn, fp, tp, tn = (Symbol(graph, name) for name in OF_OUTCOMES)
        decided = Costs(fn - tp, fp - tn)
    by_prior = model.n_iter == 0 and model.decides_by_cost
    positive = share > decided.threshold if by_prior else model.positive(score, decided)
    pair = [1.0 - share, share]
    first = model.positive_index == 0
    return Head(
        model.towards_second(score),
        stacked(pair[::-1] if first else pair),
        graph.add("Cast", ~positive if first else positive, to=7),
        {name: np.array([cost]) for name, cost in costs.items()},
        {name: [f"{name}s"] for name in costs},
    )


def _probability(model: BinaryModel, score: Tensor) -> Tensor:
    """Probability of the positive class; the share of positives before the first round."""
    if model.n_iter:
        return model.probability(score)
    value = float(model.probability(np.zeros(1))[0])
    return np.where(np.equal(score, score), value, value)


def usual_costs(model: BinaryModel) -> dict[str, float]:
    """Costs of the four outcomes in training."""
    tp, tn = model.right_costs or (0.0, 0.0)
    values = (model.costs.fn + tp, model.costs.fp + tn, tp, tn)
    return {name: float(cost) for name, cost in zip(OF_OUTCOMES, values, strict=True)}


# ---- several classes -----------------------------------------------------------------------------


def of_several(graph: Graph, X: Tensor, model: OneVsRestModel, given: bool) -> Head:
    """Scores, probabilities and decision of one class against the rest."""
    members = model.members
    raw = list(scores(graph, X, members))
    score = stacked([s * (m.decision.slope / 2) for s, m in zip(raw, members, strict=True)])
    shares = [_probability(m, s) for s, m in zip(raw, members, strict=True)]
    return _head(graph, model, score, _referred(model, normalised(shares)), given)


def _head(
    graph: Graph, model: SeveralModel, score: Tensor, shares: Sequence[Tensor], given: bool
) -> Head:
    """The decision of a model of several classes by its scores or probabilities."""
    probabilities, k = stacked(shares), len(model.classes)
    if not model.by_cost:
        return Head(score, probabilities, greatest(score), {}, {})
    usual = model.matrix[None]
    if not (given and model.changeable):
        code = least_expected(probabilities, graph.constant(usual), k)
        return Head(score, probabilities, code, {}, {})
    code = least_expected(probabilities, Symbol(graph, OF_CLASSES), k)
    shapes: dict[str, list[Any]] = {OF_CLASSES: ["matrices", k, k]}
    return Head(score, probabilities, code, {OF_CLASSES: usual}, shapes)


def of_scores(graph: Graph, X: Tensor, model: ScoresModel, given: bool) -> Head:
    """Scores, probabilities and decision of one ensemble with a score for each class."""
    k = len(model.classes)
    raw = class_scores(graph, X, model.ensemble, model.coders, k)
    columns = [raw.column(j) for j in range(k)]
    mean = _in_turn(columns) / float(k)
    score = [one - mean for one in columns]
    if not model.n_iter:
        shares = [np.where(np.equal(score[0], score[0]), p, p) for p in model.prior.tolist()]
    elif model.calibrator is not None:
        shares = _calibrated(model.calibrator, score)
    else:
        factors = None if model.rule.factors is None else model.rule.factors(model.matrix)
        shares = OF_RULES[model.rule.probability](score, factors)
    return _head(graph, model, stacked(score), _referred(model, normalised(shares)), given)


def _calibrated(calibrator: Any, score: list[Tensor]) -> list[Tensor]:
    """Probabilities by a calibrator of several classes."""
    if isinstance(calibrator, SoftmaxCalibrator):
        offsets = calibrator.offset_.tolist()
        logits = [calibrator.slope_ * f + b for f, b in zip(score, offsets, strict=True)]
        return [exp(one) for one in _log_softmax(logits)]
    shares = [exp(one) for one in _log_softmax(score)]
    pairs = zip(calibrator.members_, shares, strict=True)
    return normalised([member.probability(share) for member, share in pairs])


def _log_softmax(logits: list[Tensor]) -> list[Tensor]:
    beyond = _beyond_greatest(logits)
    total = log(added([exp(one) for one in beyond]))
    return [one - total for one in beyond]


def _beyond_greatest(score: list[Tensor]) -> list[Tensor]:
    top = reduce(np.maximum, score)
    return [one - top for one in score]


def _softmax(score: list[Tensor], factors: Any) -> list[Tensor]:
    terms = [exp(one) for one in _beyond_greatest(score)]
    total = _in_turn(terms)
    return [one / total for one in terms]


def _by_log_loss(score: list[Tensor], factors: Any) -> list[Tensor]:
    """`of_log_loss` of the rules, class by class."""
    if factors is None:
        return _softmax(score, None)
    terms = [exp(one) for one in _beyond_greatest(score)]
    flow = []
    for y in range(len(score)):
        own = [t * (1.0 if j == y else float(factors[y, j])) for j, t in enumerate(terms)]
        total = np.maximum(_in_turn(own), LEAST_FLOW)
        flow.append([one / total for one in own])
    return _stationary(flow)


def _by_sum_loss(score: list[Tensor], factors: Any) -> list[Tensor]:
    """`of_sum_loss` of the rules, class by class."""
    k = len(score)
    factors = np.ones((k, k)) if factors is None else factors
    beyond = _beyond_greatest(score)
    flow = [
        [
            exp(np.clip(beyond[j] - beyond[y], -300.0, 300.0)) * float(factors[y, j])
            for j in range(k)
        ]
        for y in range(k)
    ]
    return _stationary(flow)


def _stationary(flow: list[list[Tensor]]) -> list[Tensor]:
    """`stationary` of the rules, class by class."""
    k = len(flow)
    for last in range(k - 1, 0, -1):
        out = np.maximum(_in_turn(flow[last][:last]), LEAST_FLOW)
        for y in range(last):
            flow[y][last] = flow[y][last] / out
            for j in range(last):
                flow[y][j] = flow[y][j] + flow[y][last] * flow[last][j]
    shares: list[Tensor] = [np.where(np.equal(flow[0][0], flow[0][0]), 1.0, 1.0)]
    for j in range(1, k):
        shares.append(added([shares[y] * flow[y][j] for y in range(j)]))
        top = reduce(np.maximum, shares)
        shares = [one / top for one in shares]
    total = _in_turn(shares)
    return [one / total for one in shares]


def _by_samme(score: list[Tensor], factors: Any) -> list[Tensor]:
    """`samme_shares` of the rules, class by class."""
    return _softmax([one / float(len(score) - 1) for one in score], None)


def _by_costs(score: list[Tensor], factors: Any) -> list[Tensor]:
    """`cost_shares` of the rules, class by class."""
    shifts = log_shares(factors).tolist()
    return _softmax([one + shift for one, shift in zip(score, shifts, strict=True)], None)


OF_RULES: dict[Any, Callable[[list[Tensor], Any], list[Tensor]]] = {
    of_softmax: _softmax,
    of_log_loss: _by_log_loss,
    of_sum_loss: _by_sum_loss,
    samme_shares: _by_samme,
    cost_shares: _by_costs,
}
"""Probabilities of rules with a score for each class, as nodes."""


def normalised(shares: Sequence[Tensor]) -> list[Tensor]:
    """Shares divided by their sum; uniform where all are 0."""
    total = added(shares)
    some = total > 0.0
    divisor = np.where(some, total, 1.0)
    return [np.where(some, one / divisor, 1 / len(shares)) for one in shares]


def _referred(model: SeveralModel, shares: list[Tensor]) -> list[Tensor]:
    """Probabilities under the shares of the classes that they refer to."""
    if model.prevalence is None and model.sampling is None:
        return shares
    ratio = model.class_prior / model.training_shares
    scaled = [one * float(by) for one, by in zip(shares, ratio / ratio.max(), strict=True)]
    total = added(scaled)
    some = total > 0.0
    divisor = np.where(some, total, 1.0)
    return [np.where(some, s / divisor, p) for s, p in zip(scaled, shares, strict=True)]


def added(terms: Sequence[Any]) -> Any:
    """The sum of the terms in the order of NumPy's sums along an axis that lies in one piece."""
    if len(terms) < 8:
        return _in_turn(terms)
    if len(terms) > 128:
        half = len(terms) // 2
        half -= half % 8
        return added(terms[:half]) + added(terms[half:])
    whole = len(terms) - len(terms) % 8
    r = [_in_turn(terms[j:whole:8]) for j in range(8)]
    total = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]))
    return _in_turn([total, *terms[whole:]])


def _in_turn(terms: Sequence[Any]) -> Any:
    total = terms[0]
    for one in terms[1:]:
        total = total + one
    return total


def greatest(score: Tensor) -> Tensor:
    """The class with the largest score; of equal ones, the first."""
    graph = score.graph
    size = graph.add("ReduceMax", np.abs(score), np.array([1]), keepdims=1)
    top = graph.add("ReduceMax", score, np.array([1]), keepdims=1)
    return _first(score >= top - TIE * size)


def _first(flags: Tensor) -> Tensor:
    """Number of the first column that is true."""
    return flags.graph.add("ArgMax", flags.graph.add("Cast", flags, to=7), axis=1, keepdims=0)


def least_expected(probability: Tensor, matrix: Tensor, k: int) -> Tensor:
    """Class of least expected cost, as `costboost.costs.least_expected` finds it.

    ``matrix`` has one cost matrix for all rows, or one for each.
    """
    graph = probability.graph
    n_rows = graph.add("Shape", probability, end=1)
    every = graph.add("Expand", matrix, graph.add("Concat", n_rows, np.array([k, k]), axis=0))
    best = _least(_expected(probability, every, k))
    best = _least(_beyond(probability, every, k, best)[0])
    beyond, size = _beyond(probability, every, k, best)
    return _least(np.where(beyond <= TIE * size, 0.0, beyond))


def _expected(probability: Tensor, matrix: Tensor, k: int) -> Any:
    """Expected cost of each class, added in the order of the true classes."""
    graph = probability.graph
    return _in_turn(
        [
            probability.column(i).as_column() * graph.add("Gather", matrix, np.int64(i), axis=1)
            for i in range(k)
        ]
    )


def _beyond(probability: Tensor, matrix: Tensor, k: int, best: Tensor) -> tuple[Any, Any]:
    """Expected cost of each class minus that of the best, and the sum of absolute terms."""
    graph = probability.graph
    place = graph.add("Unsqueeze", best, np.array([1, 2]))
    place = graph.add("Tile", place, np.array([1, k, 1]))
    differences = matrix - graph.add("GatherElements", matrix, place, axis=2)
    size = _expected(probability, np.abs(differences), k)
    return _expected(probability, differences, k), size


def _least(values: Tensor) -> Tensor:
    return values.graph.add("ArgMin", values, axis=1, keepdims=0)


def described_costs(graph: Graph, head: Head) -> list[Any]:
    """The inputs of costs: one for all rows, or one for each."""
    return [double(graph.helper, name, head.shapes[name]) for name in head.costs]
