"""The methods of Abe, Zadrozny & Langford (2004), transcribed from the figures of the paper.

Slow, one example at a time, and without the library, as a reference for tests. Examples are pairs
(x, C) with C[y] the cost of predicting y. A component learner is a function of weighted examples,
(x, label, weight), that returns a function of x. Every method returns its outputs for an x: a list
with one share for each label. Nothing is sampled here; weights are weights.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

Vector = Sequence[float]
Example = tuple[Vector, Vector]
"""x and the cost of every label."""
Weighted = tuple[Vector, int, float]
"""x, label, importance."""
Learner = Callable[[list[Weighted]], Callable[[Vector], int]]
Stochastic = Callable[[Vector], list[float]]
"""x -> H(y|x) for every label y."""
Relation = Callable[[Vector, int], int]
"""(x, y) -> 0 or 1."""


def normalised(sample: Sequence[Example]) -> list[Example]:
    """Section 2.1: without loss of generality the least cost of every example is 0."""
    return [(x, [c - min(costs) for c in costs]) for x, costs in sample]


def cheapest(costs: Vector) -> int:
    """The minimum cost label, the first one among equals."""
    return min(range(len(costs)), key=lambda y: costs[y])


def expected_cost(costs: Vector, shares: Vector) -> float:
    """C_H(x) = E_{y ~ H(y|x)} C_y."""
    return sum(share * cost for share, cost in zip(shares, costs, strict=True))


def empirical_cost(sample: Sequence[Example], H: Stochastic) -> float:
    """The mean over the sample of C_H(x)."""
    return sum(expected_cost(costs, H(x)) for x, costs in sample) / len(sample)


def one(label: int, k: int) -> list[float]:
    """A functional hypothesis as a stochastic one."""
    return [1.0 if y == label else 0.0 for y in range(k)]


# ---- Figure 1: Iterative Weighting ---------------------------------------------------------------


def iw(
    sample: Sequence[Example], A: Learner, T: int, alpha: Callable[[int], float]
) -> tuple[Stochastic, list[Weighted]]:
    """h_T, and the importance-weighted sample as it is then."""
    sample = normalised(sample)
    k = len(sample[0][1])
    S = [(x, cheapest(costs), max(costs)) for x, costs in sample]
    for t in range(1, T + 1):
        h = A(S)
        a = alpha(t)
        changed = []
        for (x, y, c), (_, costs) in zip(S, sample, strict=True):
            predicted = h(x)
            if predicted != y:
                c = a * costs[predicted] + (1 - a) * c
            changed.append((x, y, c))
        S = changed
    return (lambda x: one(h(x), k)), S


# ---- Figure 2: Data Space Expansion --------------------------------------------------------------


def expanded(sample: Sequence[Example]) -> list[Weighted]:
    """S' = {(x, y, max C - C_y)}."""
    return [
        (x, y, max(costs) - costs[y]) for x, costs in normalised(sample) for y in range(len(costs))
    ]


def dse(sample: Sequence[Example], A: Learner) -> Stochastic:
    h = A(expanded(sample))
    k = len(sample[0][1])
    return lambda x: one(h(x), k)


# ---- Figures 3 to 5: Gradient Boosting with Stochastic Ensembles ---------------------------------


def stochastic(h: Relation, H: Stochastic, k: int) -> Stochastic:
    """Figure 4: uniform over the labels that h accepts, or H where it accepts none."""

    def f(x: Vector) -> list[float]:
        accepted = [y for y in range(k) if h(x, y) == 1]
        if not accepted:
            return H(x)
        return [1 / len(accepted) if y in accepted else 0.0 for y in range(k)]

    return f


def mixed(H: Stochastic, f: Stochastic, a: float) -> Stochastic:
    """(1 - a) H + a f."""
    return lambda x: [(1 - a) * u + a * v for u, v in zip(H(x), f(x), strict=True)]


def remembered(H: Stochastic) -> Stochastic:
    """H with a cache of its outputs; without it, every round doubles the work."""
    cache: dict[tuple[float, ...], list[float]] = {}

    def again(x: Vector) -> list[float]:
        key = tuple(x)
        if key not in cache:
            cache[key] = H(x)
        return cache[key]

    return again


def with_label(x: Vector, y: int, k: int) -> list[float]:
    """The expanded instance: x, and the label as k columns of 0 and 1."""
    return [*x, *one(y, k)]


def gbse(
    sample: Sequence[Example],
    A: Learner,
    T: int,
    alpha: Callable[[int], float],
    theoretical: bool = False,
) -> list[Stochastic]:
    """H_0, ..., H_T. A learns from ((x, y), l, w); ``theoretical`` is GBSE-T (Figure 5)."""
    sample = normalised(sample)
    k = len(sample[0][1])
    H: Stochastic = lambda x: [1 / k] * k  # noqa: E731
    found = [H]
    for t in range(1, T + 1):
        S = []
        for x, costs in sample:
            expected = expected_cost(costs, H(x))
            for y in range(k):
                w = (expected / k if theoretical else expected) - costs[y]
                S.append((with_label(x, y, k), 1 if w >= 0 else 0, abs(w)))
        classifier = A(S)

        def h(x: Vector, y: int, classifier: Callable[[Vector], int] = classifier) -> int:
            return classifier(with_label(x, y, k))

        H = remembered(mixed(H, stochastic(h, H, k), alpha(t)))
        found.append(H)
    return found


# ---- Section 4: the methods compared with --------------------------------------------------------


def costing(sample: Sequence[Example], A: Learner) -> Stochastic:
    """The cheapest label, weighted by the greatest difference of costs."""
    h = A([(x, cheapest(costs), max(costs)) for x, costs in normalised(sample)])
    k = len(sample[0][1])
    return lambda x: one(h(x), k)


def average_cost(sample: Sequence[Example], A: Learner) -> Stochastic:
    """The cheapest label, weighted by the average cost."""
    k = len(sample[0][1])
    h = A([(x, cheapest(costs), sum(costs) / k) for x, costs in normalised(sample)])
    return lambda x: one(h(x), k)


def metacost(probabilities: Sequence[Vector], matrix: Sequence[Vector]) -> list[int]:
    """The label of least expected cost; matrix[i][j]: cost of predicting j where i is true."""
    k = len(matrix)
    predicted = []
    for p in probabilities:
        risk = [sum(p[i] * matrix[i][j] for i in range(k)) for j in range(k)]
        predicted.append(min(range(k), key=lambda j: risk[j]))
    return predicted
