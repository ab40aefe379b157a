"""What an audit found, for people and for programs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from textwrap import fill
from typing import Any

PROPERTIES = {
    "fgd_consistent": "FGD-consistent",
    "cost_consistent": "cost-consistent",
    "asymmetry_preserving": "asymmetry-preserving",
}


@dataclass(frozen=True)
class Finding:
    """Whether a property holds, and why.

    Attributes
    ----------
    holds : bool
    because : str
        The evidence in a sentence or two, with its numbers.
    measured : dict
        The numbers.
    counter_example : dict
        Where the property fails: steps, margins, weights, probabilities. Empty where it holds.
    """

    holds: bool
    because: str
    measured: dict[str, Any] = field(default_factory=dict)
    counter_example: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Audit:
    """The three properties of an algorithm, with the evidence for each; ``print`` shows it.

    Attributes
    ----------
    name : str
        The algorithm.
    fn_cost, fp_cost : float
        The costs it was audited under.
    fgd_consistent, cost_consistent, asymmetry_preserving : bool
        The verdicts.
    evidence : dict of `Finding`
        Under the names of the three properties.
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
        """Whether it decides for least expected cost where it has nothing left to gain."""
        return self.evidence["cost_consistent"].holds

    @property
    def asymmetry_preserving(self) -> bool:
        """Whether a row of the dearer class never counts less than one of the same margin."""
        return self.evidence["asymmetry_preserving"].holds

    @property
    def verdicts(self) -> tuple[bool, bool, bool]:
        """The three of them."""
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
    """Audits under one another; ``print`` shows their verdicts, `markdown` writes them."""

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
        """The table in Markdown."""
        head, *rows = self._cells()
        written = [head, ["---"] * len(head), *rows]
        return "\n".join("| " + " | ".join(row) + " |" for row in written)

    def _cells(self) -> list[list[str]]:
        rows = [[one.name, *("yes" if v else "no" for v in one.verdicts)] for one in self]
        return [["algorithm", *PROPERTIES.values()], *rows]
