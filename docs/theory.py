"""Writes the tables and counter-examples of theory.md: ``python docs/theory.py``.

Everything is computed from the rules by ``costboost.theory``. ``tests/theory/test_page.py``
compares the page with what this program would write.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import costboost
from costboost.classifiers.base import BoostingClassifier
from costboost.theory import Audit, audit
from costboost.theory.auditing import N_ROUNDS, TABLE_4
from costboost.theory.report import PROPERTIES

PAGE = Path(__file__).with_name("theory.md")
BEGIN, END = "<!-- {}:begin, written by docs/theory.py -->", "<!-- {}:end -->"
COSTS = 2.0, 1.0


def others() -> list[BoostingClassifier]:
    """Every public classifier that is not in the paper's table, and variants by their parameters.

    A variant that is the same algorithm to the audit is left out.
    """
    public = [getattr(costboost, name) for name in costboost.__all__]
    boosting = [c for c in public if isinstance(c, type) and issubclass(c, BoostingClassifier)]
    outside = [cls() for cls in boosting if cls not in {type(one) for one in TABLE_4}]
    return [
        *outside,
        costboost.AdaMECClassifier(probability="votes"),
        costboost.AdaC1Classifier(step="nyga"),
        costboost.AdaC1Classifier(initial_weights="uniform"),
        costboost.CSAdaClassifier(initial_weights="balanced"),
        costboost.CSLogitBoostClassifier(weighting="margin"),
        costboost.WeightBoostClassifier(beta=0),
        costboost.AdaBoostRegClassifier(C=0),
        costboost.AdaBoostRegClassifier(class_aware=True),
        costboost.AdaBoostClassifier(calibration="platt"),
        costboost.AdaC2Classifier(calibration="platt"),
    ]


# ---- cells ---------------------------------------------------------------------------------------


def code(text: str) -> str:
    return "`" + text.replace("|", r"\|") + "`"


def said(algorithm: Any) -> str:
    """How one writes the classifier, with the parameters that are not the usual ones."""
    return code(" ".join(repr(algorithm).replace("'", '"').split()).removesuffix("()"))


def lined_up(audit: Audit) -> str:
    found = audit.evidence["fgd_consistent"].measured.get("alignments", [])
    return "either way" if len(found) > 1 else ", ".join(found) or "-"


def loss(audit: Audit) -> str:
    """The loss of the last round, of positives and negatives."""
    formula = audit.evidence["fgd_consistent"].measured.get("loss")
    return "none" if formula is None else code(formula)


def turns(audit: Audit) -> str:
    threshold = audit.evidence["cost_consistent"].measured.get("threshold")
    return "-" if threshold is None else f"{threshold:.4g}"


def lines(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    written = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(row) + " |" for row in written)


# ---- sections ------------------------------------------------------------------------------------

Audits = dict[str, Audit]


def audits(algorithms: Iterable[Any]) -> Audits:
    return {said(one): audit(one, *COSTS) for one in algorithms}


def rows(found: Audits) -> Iterator[list[str]]:
    for name, one in found.items():
        verdicts = ["yes" if holds else "no" for holds in one.verdicts]
        yield [name, *verdicts, loss(one), lined_up(one), turns(one)]


def verdicts(found: Audits) -> str:
    header = ["classifier", *PROPERTIES.values(), f"loss in round {N_ROUNDS} of {N_ROUNDS}"]
    return lines([*header, "steps lined up", "positive from P ="], rows(found))


def counter_examples(found: Audits) -> str:
    """Why a property fails; algorithms that fail alike share a paragraph."""
    reasons: dict[str, list[str]] = {}
    for name, one in found.items():
        failed = [
            f"- not {title}: {one.evidence[key].because}."
            for key, title in PROPERTIES.items()
            if not one.evidence[key].holds
        ]
        if failed:
            reasons.setdefault("\n".join(failed), []).append(name)
    return "\n\n".join(f"{', '.join(names)}\n\n{why}" for why, names in reasons.items())


def sections() -> dict[str, str]:
    """What stands between the markers."""
    inside, outside = audits(TABLE_4), audits(others())
    return {
        "table 4": verdicts(inside),
        "others": verdicts(outside),
        "why not": counter_examples(inside),
        "why not, others": counter_examples(outside),
    }


def page() -> str:
    """The page with its sections written anew."""
    text = PAGE.read_text()
    for name, section in sections().items():
        begin, end = BEGIN.format(name), END.format(name)
        before, rest = text.split(begin)
        _, after = rest.split(end)
        text = f"{before}{begin}\n\n{section}\n\n{end}{after}"
    return text


if __name__ == "__main__":
    PAGE.write_text(page())
