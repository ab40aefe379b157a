"""The records of data sets are consistent."""

from __future__ import annotations

import re

import pytest

from costboost_lab import datasets
from costboost_lab.datasets import loading, records

NAMES = records.names()


def test_number_of_data_sets() -> None:
    assert len(NAMES) == len(set(NAMES)) == 43
    assert datasets.available() == sorted(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_counts_add_up(name: str) -> None:
    record = records.record(name)
    assert record.name == name
    assert sum(record.classes.values()) == record.rows
    assert len({type(label) for label in record.classes}) == 1
    assert record.missing < record.rows * len(record.columns)


@pytest.mark.parametrize("name", NAMES)
def test_names_are_known(name: str) -> None:
    record = records.record(name)
    columns = set(record.columns)
    assert len(columns) == len(record.columns)
    assert set(record.nominal) <= columns
    assert set(record.leaks) <= columns
    assert not columns & {*record.extra, "target"}
    for label in (record.positive, record.against_rest):
        assert label is None or label in record.classes
    assert (record.positive is not None) or len(record.classes) > 2


@pytest.mark.parametrize("name", NAMES)
def test_sources_are_documented(name: str) -> None:
    record = records.record(name)
    assert re.fullmatch("[0-9a-f]{64}", record.file.sha256)
    assert record.file.bytes > 0
    for text in (record.title, record.about, record.citation, record.licence, record.file.origin):
        assert text.strip() == text
        assert text
        assert "\n" not in text


@pytest.mark.parametrize("name", NAMES)
def test_other_copies_have_the_same_labels(name: str) -> None:
    record = records.record(name)
    for copy in (record.wheel, record.openml):
        if copy is not None and copy.labels:
            assert sorted(copy.labels.values()) == sorted(record.classes)
    if record.wheel is not None:
        assert record.wheel.reader in loading.READERS
        assert len(record.wheel.part_names) in (0, len(record.wheel.files))


@pytest.mark.parametrize("name", NAMES)
def test_costs_are_described(name: str) -> None:
    described = records.record(name).costs
    if described is not None:
        assert described["kind"] in records.COST_KINDS
        assert described["unit"]
        assert described["note"]


def test_the_description_has_the_facts() -> None:
    text = records.describe(records.record("bank_marketing"))
    for part in ("Portuguese", "45211", "yes: 5289", "leak: duration", "EUR", "CC BY", "Moro"):
        assert part in text


# ---- reading -------------------------------------------------------------------------------------


def test_an_unknown_name_gets_a_suggestion() -> None:
    with pytest.raises(ValueError, match=r"no data set 'prima'; did you mean pima\?"):
        datasets.load("prima")
    with pytest.raises(ValueError, match=r"available\(\) lists the names"):
        datasets.record("???")


def test_ranges_are_expanded() -> None:
    assert records.expand(["a", "x9..x11", "p08..p10"]) == (
        "a", "x9", "x10", "x11", "p08", "p09", "p10",
    )  # fmt: skip


def test_records_are_frozen() -> None:
    with pytest.raises(AttributeError):
        records.record("pima").rows = 1  # type: ignore[misc]
