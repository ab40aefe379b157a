"""The three properties of Nikolaou et al. (2016), checked on the rule of an algorithm."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from costboost.classifiers.adaboost import (
    AdaBoostClassifier,
    AdaMECClassifier,
    AsymAdaClassifier,
    CGAdaClassifier,
)
from costboost.classifiers.adac import AdaC1Classifier, AdaC2Classifier, AdaC3Classifier
from costboost.classifiers.adacost import AdaCostClassifier
from costboost.classifiers.csb import CSB0Classifier, CSB1Classifier, CSB2Classifier
from costboost.classifiers.joint import AdaDBClassifier, CSAdaClassifier
from costboost.theory.algorithm import read
from costboost.theory.asymmetry import asymmetry
from costboost.theory.decision import decision
from costboost.theory.descent import ALIGNMENTS, METHODS, Descent
from costboost.theory.report import Audit, Finding, Table
from costboost.theory.study import Study, study

N_ROUNDS = 5
PRIOR = 0.3
"""Share of the positives: not one half, so that a start which balances the classes is noticed."""

TABLE_4 = (
    AdaBoostClassifier(),
    AdaCostClassifier(),
    AdaCostClassifier(beta="ting"),
    CSB0Classifier(),
    CSB1Classifier(),
    CSB2Classifier(),
    AdaC1Classifier(),
    AdaC2Classifier(),
    AdaC3Classifier(),
    CSAdaClassifier(),
    AdaDBClassifier(),
    AdaMECClassifier(),
    CGAdaClassifier(),
    AsymAdaClassifier(),
)
"""The algorithms of Nikolaou's table, in its order."""


def audit(algorithm: Any, fn_cost: float = 2.0, fp_cost: float = 1.0) -> Audit:
    """Check the three properties of an algorithm numerically, from its own rule.

    What a class declares of itself is not looked at; the functions of the rule are called.

    *FGD-consistent*: weights and steps come from greedy descent on one decreasing loss of the
    margin. The update of the weights says which loss that is, if any; the steps are compared with
    its line search or with Newton's step.

    *Cost-consistent*: at the population minimiser of the loss the decision is that of least
    expected cost, ``P > C- / (C+ + C-)``.

    *Asymmetry-preserving*: at the same margin, the loss of a row of the dearer class is never less
    than that of one of the other class.

    The verdicts are about formulas. An algorithm may do well on data without any of them.

    Parameters
    ----------
    algorithm : classifier, class of a classifier, or rule
        Parameters that are part of the algorithm count: ``beta`` of AdaCost, ``initial_weights``,
        ``calibration``. The learning rate, which shrinks any step, does not.
    fn_cost, fp_cost : float, default 2 and 1
        Costs of the two classes; those of the classifier are not looked at.

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
    >>> from costboost import CSAdaClassifier
    >>> from costboost.theory import audit
    >>> found = audit(CSAdaClassifier, fn_cost=2, fp_cost=1)
    >>> found.fgd_consistent, found.cost_consistent, found.asymmetry_preserving
    (True, True, False)
    >>> found.evidence["cost_consistent"].measured["threshold"]
    0.33333...
    """
    found = study(read(algorithm, fn_cost, fp_cost, N_ROUNDS, PRIOR))
    costs = found.algorithm.costs
    evidence = {
        "fgd_consistent": descent(found),
        "cost_consistent": decision(found),
        "asymmetry_preserving": asymmetry(found),
    }
    return Audit(found.algorithm.name, costs.fn, costs.fp, evidence)


def table(algorithms: Iterable[Any] = TABLE_4, fn_cost: float = 2.0, fp_cost: float = 1.0) -> Table:
    """Table 4 of Nikolaou et al., computed; or the same for other algorithms.

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
    >>> from costboost import AdaC2Classifier, CGAdaClassifier
    >>> from costboost.theory import table
    >>> print(table([CGAdaClassifier, AdaC2Classifier]))
    algorithm  FGD-consistent  cost-consistent  asymmetry-preserving
    CGAda      yes             yes              yes
    AdaC2      yes             no               yes
    """
    return Table(tuple(audit(one, fn_cost, fp_cost) for one in algorithms))


# ---- the first property in words -----------------------------------------------------------------


def descent(found: Study) -> Finding:
    """What the study says about descent."""
    measured: dict[str, Any] = {}
    if found.losses:
        measured["loss"] = found.losses[-1].formula(found.algorithm.n_rounds)
    if found.contradiction is not None:
        why = "the weights are not the slope of a loss of the margin"
        because = f"{why}: {found.contradiction.because}"
        return Finding(False, because, measured, found.contradiction.numbers)
    assert found.descent is not None
    because = f"loss in round {found.algorithm.n_rounds}: {measured['loss']}; "
    of_steps = _held if found.descent.holds else _missed
    steps = of_steps(found.descent)
    return replace(steps, because=because + steps.because, measured=measured | steps.measured)


def _held(descent: Descent) -> Finding:
    method = descent.holds[0][1]
    alignments = [one for one, other in descent.holds if other == method]
    gap = max(descent.worst[one, method] for one in alignments)
    which = "either way" if len(alignments) > 1 else f"with {ALIGNMENTS[alignments[0]]}"
    return Finding(
        True,
        f"each of {len(descent.cases)} steps is {METHODS[method]}, lined up "
        f"{which}; the edge left is at most {gap:.1g} of the weights",
        {"alignments": alignments, "method": method, "gap": gap},
    )


def _missed(descent: Descent) -> Finding:
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
