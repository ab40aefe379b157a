"""The door: every algorithm by name, in the dictionary of its family, and how it is fitted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from naive.constants import Array
from naive.constrained import Constraints
from naive.discrete import (
    ADABOOST,
    ADAC2,
    ASYMADA,
    CGADA,
    CSB0,
    CSB1,
    CSB2,
    DiscreteRule,
    adac1_rule,
    adac3_rule,
    adacost_rule,
    fit_discrete,
)
from naive.draws import Draws
from naive.joint import Tally, fit_csada, step_adadb, step_csada
from naive.learners import TreeShape, WeakLearner, midpoints
from naive.model import NaiveModel, Problem, normalised
from naive.newton import NewtonRule, cslb_rule, cslogitboost_rule, fit_newton, logitboost_rule
from naive.real import (
    RealRule,
    csga_rule,
    csra_rule,
    csrealboost_rule,
    fit_rareboost_groups,
    fit_real,
    gentleboost_rule,
    realboost_rule,
)
from naive.regularised import fit_adaboostreg, fit_weightboost
from naive.uneven import UNEVEN, aec_rule

DISCRETE: dict[str, Callable[..., DiscreteRule]] = {
    "adaboost": lambda: ADABOOST,
    "adamec": lambda: ADABOOST,
    "cgada": lambda: CGADA,
    "asymada": lambda: ASYMADA,
    "csb0": lambda: CSB0,
    "csb1": lambda: CSB1,
    "csb2": lambda: CSB2,
    "adacost": adacost_rule,
    "adac1": adac1_rule,
    "adac2": lambda: ADAC2,
    "adac3": adac3_rule,
}
JOINT: dict[str, Callable[[Tally], float]] = {"csada": step_csada, "adadb": step_adadb}
REAL: dict[str, Callable[..., RealRule]] = {
    "realboost": lambda problem, **options: realboost_rule(**options),
    "rareboost": lambda problem, **options: realboost_rule("error", **options),
    "gentleboost": lambda problem, **options: gentleboost_rule(),
    "csra": lambda problem, **options: csra_rule(**options),
    "csga": lambda problem, **options: csga_rule(),
    "csrealboost": csrealboost_rule,
}
NEWTON: dict[str, Callable[..., NewtonRule]] = {
    "logitboost": logitboost_rule,
    "cslb": cslb_rule,
    "cslogitboost": cslogitboost_rule,
    "aec": aec_rule,
}
REGULARISED: dict[str, Callable[..., None]] = {
    "weightboost": fit_weightboost,
    "adaboostreg": fit_adaboostreg,
}
OWN_LEARNER = {"csrealboost": "lookup", "cslogitboost": "linear"}  # the papers' choices


def fit(
    algorithm: str,
    X: Array,
    y: Array,
    fn_cost: float | Array = 1.0,
    fp_cost: float | Array = 1.0,
    sample_weight: Array | None = None,
    n_estimators: int = 10,
    learning_rate: float = 1.0,
    initial_weights: str = "auto",
    negative_step: str = "stop",
    learner: str | None = None,
    n_bins: int = 16,
    max_depth: int | None = None,
    max_leaf_nodes: int | None = None,
    min_samples_leaf: int = 1,
    max_features: int | None = None,
    splitter: str = "best",
    subsample: float = 1.0,
    l2_regularization: float = 0.0,
    seed: int = 0,
    monotone: dict[int, int] | None = None,
    groups: list[set[int]] | None = None,
    **options: Any,
) -> NaiveModel:
    """Fit `algorithm` to labels in {-1, +1}.

    Rows of weight 0 are dropped before anything else; `weights` are those of all rows again.
    `learner` is "stump", "tree" (max_depth, max_leaf_nodes, min_samples_leaf) or "lookup" (n_bins)
    for every algorithm, "logistic" for all but the Newton family and "linear" for that family
    only. A tree that may split once is the stump. Rows and features are drawn for the discrete, the
    real and the Newton family, without lookup tables, and so are cuts if `splitter` is "random".
    `monotone` has 1 or -1 for features that must raise or lower the score, `groups` are features
    that may meet on a path of a tree. `options` are
    the algorithm's own: beta, max_cost, step, criterion, weighting, smoothing, C, p, class_aware,
    learner_weights.
    """
    X, y = np.asarray(X, dtype=float), np.asarray(y, dtype=float)
    n = len(y)
    s = np.ones(n) if sample_weight is None else np.asarray(sample_weight, dtype=float)
    kept = s > 0
    columns = X[kept].T
    problem = Problem(
        X=X[kept],
        y=y[kept],
        s=normalised(s[kept]),
        copies=s[kept] if np.all(s == np.rint(s)) else np.ones(int(kept.sum())),
        fn=np.broadcast_to(np.asarray(fn_cost, dtype=float), n)[kept],
        fp=np.broadcast_to(np.asarray(fp_cost, dtype=float), n)[kept],
        class_costs=np.ndim(fn_cost) == 0 and np.ndim(fp_cost) == 0,
        rounds=n_estimators,
        learning_rate=learning_rate,
        initial_weights=initial_weights,
        negative_step=negative_step,
        cuts=[midpoints(column) for column in columns],
        l2=l2_regularization,
        constraints=Constraints(monotone or {}, groups),
    )
    if max_features is not None or subsample < 1 or splitter == "random":
        number, cuts = max_features or X.shape[1], splitter == "random"
        varying = [f for f, column in enumerate(columns) if np.unique(column).size > 1]
        draws = Draws(seed, subsample, number, np.flatnonzero(kept), varying, cuts)
        problem = replace(problem, draws=draws)
    if learner is None:
        learner = OWN_LEARNER.get(algorithm, "stump")
    shape = TreeShape(max_depth, max_leaf_nodes, min_samples_leaf)
    if learner != "tree":
        shape = TreeShape(1, None, min_samples_leaf)
    elif shape.is_stump:
        learner = "stump"
    model = NaiveModel(algorithm)
    fit_family(model, problem, WeakLearner(learner, shape, n_bins), options)
    model.weights = [spread_over(kept, w) for w in model.weights]
    return model


def fit_family(
    model: NaiveModel, problem: Problem, wanted: WeakLearner, options: dict[str, Any]
) -> None:
    name = model.algorithm
    if name in NEWTON:
        known(wanted, "stump", "tree", "lookup", "linear")
        fit_newton(model, problem, NEWTON[name](problem, **options), wanted)
        return
    known(wanted, "stump", "tree", "lookup", "logistic")
    if name == "rareboost" and wanted.kind in ("tree", "lookup"):
        # A stump's and a regression's two leaves are its two groups; these have more leaves.
        fit_rareboost_groups(model, problem, wanted, **options)
    elif name in REAL:
        fit_real(model, problem, REAL[name](problem, **options), wanted)
    elif name in JOINT:
        fit_csada(model, problem, JOINT[name], wanted)
    elif name in REGULARISED:
        REGULARISED[name](model, problem, wanted, **options)
    elif name in UNEVEN:
        UNEVEN[name](model, problem, wanted, **options)
    else:
        fit_discrete(model, problem, DISCRETE[name](**options), wanted)


def known(wanted: WeakLearner, *allowed: str) -> None:
    if wanted.kind not in allowed:
        raise ValueError(f"learner={wanted.kind!r}: this algorithm is transcribed for {allowed}")


def spread_over(kept: Array, w: Array) -> Array:
    full = np.zeros(len(kept))
    full[kept] = w
    return full
