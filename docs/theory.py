"""Writes the tables and counter-examples of theory.md: ``python docs/theory.py``.

Everything is computed from the rules by ``costboost_lab.theory``. ``lab/tests/theory/test_page.py``
compares the page with what this program would write.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import costboost
from costboost.algorithms import CLASSES
from costboost.classifiers.base import BoostingClassifier
from costboost_lab.theory import Audit, audit
from costboost_lab.theory.auditing import N_ROUNDS, PROPERTIES, TABLE_4

PAGE = Path(__file__).with_name("theory.md")
BEGIN, END = "<!-- {}:begin, written by docs/theory.py -->", "<!-- {}:end -->"
COSTS = 2.0, 1.0


def others() -> list[BoostingClassifier]:
    """Every public classifier that is not in the paper's table, and variants by their parameters.

    A variant that has the same audit is omitted.
    """
    outside = [cls() for cls in CLASSES if cls not in {type(one) for one in TABLE_4}]
    return [
        *outside,
        costboost.algorithms.AdaMECClassifier(probability="votes"),
        costboost.algorithms.AdaC1Classifier(step="nyga"),
        costboost.algorithms.AdaC1Classifier(initial_weights="uniform"),
        costboost.algorithms.CSAdaClassifier(initial_weights="balanced"),
        costboost.algorithms.CSLogitBoostClassifier(weighting="margin"),
        costboost.algorithms.AdaUBoostClassifier(learner_weights="slope"),
        costboost.algorithms.BAdaCostClassifier(criterion="gradient"),
        costboost.algorithms.WeightBoostClassifier(beta=0),
        costboost.algorithms.AdaBoostRegClassifier(C=0),
        costboost.algorithms.AdaBoostRegClassifier(class_aware=True),
        costboost.algorithms.AdaBoostClassifier(calibration="platt"),
        costboost.algorithms.AdaC2Classifier(calibration="platt"),
    ]


# ---- cells ---------------------------------------------------------------------------------------


def code(text: str) -> str:
    return "`" + text.replace("|", r"\|") + "`"


def written(algorithm: Any) -> str:
    """The classifier as code, with the parameters that differ from their defaults."""
    return code(" ".join(repr(algorithm).replace("'", '"').split()).removesuffix("()"))


def alignment(audit: Audit) -> str:
    found = audit.evidence["fgd_consistent"].measured.get("alignments", [])
    return "either way" if len(found) > 1 else ", ".join(found) or "-"


def loss(audit: Audit) -> str:
    """The loss of the last round, of positives and negatives."""
    formula = audit.evidence["fgd_consistent"].measured.get("loss")
    return "none" if formula is None else code(formula)


def threshold(audit: Audit) -> str:
    found = audit.evidence["cost_consistent"].measured.get("threshold")
    return "-" if found is None else f"{found:.4g}"


def markdown(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    table = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(row) + " |" for row in table)


# ---- sections ------------------------------------------------------------------------------------

Audits = dict[str, Audit]


def audits(algorithms: Iterable[Any]) -> Audits:
    return {written(one): audit(one, *COSTS) for one in algorithms}


def rows(found: Audits) -> Iterator[list[str]]:
    for name, one in found.items():
        verdicts = ["yes" if holds else "no" for holds in one.verdicts]
        yield [name, *verdicts, loss(one), alignment(one), threshold(one)]


def verdicts(found: Audits) -> str:
    header = ["classifier", *PROPERTIES.values(), f"loss in round {N_ROUNDS} of {N_ROUNDS}"]
    return markdown([*header, "steps aligned", "positive from P ="], rows(found))


def counter_examples(found: Audits) -> str:
    """The evidence against properties; algorithms with the same evidence share a paragraph."""
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
    """The text between each pair of markers."""
    inside, outside = audits(TABLE_4), audits(others())
    return {
        "table 4": verdicts(inside),
        "others": verdicts(outside),
        "why not": counter_examples(inside),
        "why not, others": counter_examples(outside),
    }


def page() -> str:
    """The page with its computed sections replaced."""
    text = PAGE.read_text()
    for name, section in sections().items():
        begin, end = BEGIN.format(name), END.format(name)
        before, rest = text.split(begin)
        _, after = rest.split(end)
        text = f"{before}{begin}\n\n{section}\n\n{end}{after}"
    return text


if __name__ == "__main__":
    PAGE.write_text(page())
