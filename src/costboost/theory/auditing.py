"""Audits: the properties of Nikolaou et al. (2016), computed from the rule of an algorithm."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from textwrap import fill
from typing import Any

from costboost.registry import REGISTRY
from costboost.theory.implied import analyse
from costboost.theory.loss import Finding, algorithm_of
from costboost.theory.properties import (
    asymmetry_preserving,
    cost_consistent,
    fgd_consistent,
)

PROPERTIES = {
    "fgd_consistent": "FGD-consistent",
    "cost_consistent": "cost-consistent",
    "asymmetry_preserving": "asymmetry-preserving",
}
N_ROUNDS = 5
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
    >>> from costboost import CSAdaClassifier
    >>> from costboost.theory import audit
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
    >>> from costboost import AdaC2Classifier, CGAdaClassifier
    >>> from costboost.theory import table
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
