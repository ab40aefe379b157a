"""The audit against Nikolaou's table 4, and against what the classes declare."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest

import costboost
from costboost._core.rules import discrete
from costboost.algorithms import CLASSES
from costboost.classifiers.base import BoostingClassifier
from costboost_lab.theory import audit, table
from costboost_lab.theory.auditing import PROPERTIES

BOOSTING = list(CLASSES)


def published() -> list[dict[str, Any]]:
    """Table 4 as printed, without the calibrated variants."""
    with Path(__file__).with_name("table4.csv").open() as file:
        return [
            {"name": row["method"], **{key: row[key] == "yes" for key in PROPERTIES}}
            for row in csv.DictReader(file)
        ]


@pytest.mark.parametrize("costs", [(2, 1), (1, 2), (10, 1), (1, 100), (1.05, 1), (0.03, 0.01)])
def test_table_4_is_reproduced(costs: tuple[float, float]) -> None:
    assert table(fn_cost=costs[0], fp_cost=costs[1]).rows() == published()


def test_the_calibrated_rows_of_table_4() -> None:
    calibrated = [
        cls(calibration="platt")
        for cls in (
            costboost.algorithms.AdaMECClassifier,
            costboost.algorithms.CGAdaClassifier,
            costboost.algorithms.AsymAdaClassifier,
        )
    ]
    assert all(one.verdicts == (True, True, True) for one in table(calibrated))


@pytest.mark.parametrize("cls", BOOSTING, ids=lambda cls: cls.__name__)
def test_classes_declare_what_the_audit_finds(cls: type[BoostingClassifier]) -> None:
    declared = cls.fgd_consistent, cls.cost_consistent, cls.asymmetry_preserving
    for costs in ((2.0, 1.0), (1.0, 7.0)):
        assert audit(cls, *costs).verdicts == declared


def test_every_verdict_has_evidence() -> None:
    for one in table(BOOSTING):
        assert set(one.evidence) == set(PROPERTIES)
        for finding in one.evidence.values():
            assert finding.because
            assert bool(finding.counter_example) != finding.holds
            assert "nan" not in finding.because


def test_a_table_can_be_read() -> None:
    found = table([costboost.algorithms.CGAdaClassifier, discrete.ADAC3])
    assert len(found) == 2
    assert found[1].name == "AdaC3"
    assert str(found).splitlines()[1].split() == ["CGAda", "yes", "yes", "yes"]
    assert found.markdown().splitlines() == [
        "| algorithm | FGD-consistent | cost-consistent | asymmetry-preserving |",
        "| --- | --- | --- | --- |",
        "| CGAda | yes | yes | yes |",
        "| AdaC3 | no | no | no |",
    ]
    assert "not" not in str(found[0])
    assert "they swap at the margin" in str(found[1])
