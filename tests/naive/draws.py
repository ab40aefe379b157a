"""Rows, features and cuts drawn in every round, by hashes of their numbers."""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace

import numpy as np

from naive.constants import Array
from naive.model import Problem, normalised

MODULUS = 2**64
ROWS, FEATURES = 0, 1


def hash_of(key: int, number: int) -> int:
    """Output number of splitmix64 (Steele, Lea & Flood 2014), started at the key."""
    h = (key + (number + 1) * 0x9E3779B97F4A7C15) % MODULUS
    h = (h ^ (h >> 30)) * 0xBF58476D1CE4E5B9 % MODULUS
    h = (h ^ (h >> 27)) * 0x94D049BB133111EB % MODULUS
    return h ^ (h >> 31)


@dataclass(frozen=True)
class Draws:
    seed: int
    share: float
    n_features: int
    numbers: Array  # of the rows in the data given
    varying: list[int]  # features with several values; only these are drawn, by their places
    cuts: bool = False  # whether one cut of each feature competes in a node

    def rows(self, m: int) -> Array:
        """Mask of the rows of round m."""
        key = hash_of(hash_of(self.seed, ROWS), m)
        return np.array([hash_of(key, int(i)) / MODULUS < self.share for i in self.numbers])

    def features(self, m: int, node: int, among: set[int]) -> list[list[int]]:
        """Features that compete in a node; if no split gains, the others compete one by one."""
        key = hash_of(hash_of(hash_of(self.seed, FEATURES), m), node)
        order = sorted(among & set(self.varying), key=lambda f: hash_of(key, self.varying.index(f)))
        k = self.n_features
        return [sorted(order[:k]), *([f] for f in order[k:])]

    def cut(self, m: int, node: int, feature: int, bins: Array) -> list[int]:
        """The cut, by its number, that competes in a node whose rows have these bins."""
        low, high = int(bins.min(initial=256)), int(bins.max(initial=-1))
        if low >= high:
            return []
        of_node = hash_of(hash_of(hash_of(self.seed, FEATURES), m), node)
        key, place = hash_of(of_node, len(self.varying)), self.varying.index(feature)
        return [low + hash_of(key, place) % (high - low)]


def drawn(problem: Problem, w: Array, m: int) -> tuple[Problem, Array]:
    """The rows of round m, counted from 1, and their weights, which sum to 1."""
    if problem.draws is None:
        return problem, w
    rows = problem.draws.rows(m)
    part = replace(
        problem,
        X=problem.X[rows],
        y=problem.y[rows],
        s=problem.s[rows],
        copies=problem.copies[rows],
        fn=problem.fn[rows],
        fp=problem.fp[rows],
        features=lambda node, among: problem.draws.features(m, node, among),
        drawn_cut=functools.partial(problem.draws.cut, m) if problem.draws.cuts else None,
    )
    return part, normalised(w[rows])
