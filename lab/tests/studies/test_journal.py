"""Journals that are cut off, damaged or of something else."""

from __future__ import annotations

from pathlib import Path

import pytest

from costboost_lab.studies.runner import JOURNAL, Entry, Journal, content_of, key_of, line_of

ENTRIES = [
    Entry({"data": "é", "repeat": k}, k, "costboost 1", [{"loss": 0.1 * k}], 0.5, "today", 7)
    for k in range(3)
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with Journal(tmp_path, "tiny").opened() as journal:
        for entry in ENTRIES:
            journal.add(entry)
    return tmp_path


def entries(folder: Path) -> list[Entry]:
    with Journal(folder, "tiny").opened() as journal:
        return list(journal.entries.values())


def test_entries_are_read_as_they_were_written(folder: Path) -> None:
    assert entries(folder) == ENTRIES
    assert len((folder / JOURNAL).read_bytes().splitlines()) == 4


def test_a_line_that_was_cut_off_is_dropped_at_every_byte(folder: Path) -> None:
    path = folder / JOURNAL
    data = path.read_bytes()
    last = len(data) - len(line_of(ENTRIES[2].__dict__))
    for size in range(last, len(data)):
        path.write_bytes(data[:size])
        with Journal(folder, "tiny").opened() as journal:
            assert list(journal.entries.values()) == ENTRIES[:2]
            journal.add(ENTRIES[2])
        assert path.read_bytes() == data


def test_a_header_that_was_cut_off_is_written_again(folder: Path) -> None:
    path = folder / JOURNAL
    header = path.read_bytes().splitlines(keepends=True)[0]
    for size in range(len(header)):
        path.write_bytes(header[:size])
        assert entries(folder) == []
        assert path.read_bytes() == header


def test_a_last_line_with_wrong_bytes_is_dropped(folder: Path) -> None:
    path = folder / JOURNAL
    data = path.read_bytes()
    for end in (b"\0" * 50, b"\0" * 50 + b"\n", data[-30:]):
        path.write_bytes(data + end)
        assert entries(folder) == ENTRIES
        assert path.read_bytes() == data


def test_damage_elsewhere_is_an_error_with_file_and_line(folder: Path) -> None:
    path = folder / JOURNAL
    lines = path.read_bytes().splitlines(keepends=True)
    for at in range(0, len(lines[1]) - 1, 7):
        wrong = bytearray(lines[1])
        wrong[at] ^= 1
        path.write_bytes(b"".join([lines[0], wrong, *lines[2:]]))
        with pytest.raises(ValueError, match=r"journal\.jsonl, line 2: the line is damaged"):
            entries(folder)
    with Journal(folder, "tiny", fresh=True).opened() as journal:
        assert not journal.entries
    assert entries(folder) == []


def test_the_last_entry_of_a_cell_counts(folder: Path) -> None:
    again = Entry(ENTRIES[0].cell, 0, "costboost 2", [], 0.1, "tomorrow", 8)
    with Journal(folder, "tiny").opened() as journal:
        journal.add(again)
    assert entries(folder)[0] == again


def test_journal_of_another_study(folder: Path) -> None:
    with (
        pytest.raises(ValueError, match="is the journal of 'tiny', format 1, not of 'large'"),
        Journal(folder, "large").opened(),
    ):
        pass


def test_two_runs_at_once_are_refused(folder: Path) -> None:
    with (
        Journal(folder, "tiny").opened(),
        pytest.raises(ValueError, match=r"another run \(process \d+\) is writing to"),
        Journal(folder, "tiny").opened(),
    ):
        pass
    assert entries(folder) == ENTRIES


def test_lines_keep_every_float() -> None:
    values = [0.1, 1e-300, float("inf"), -0.0, 2**60]
    assert content_of(line_of({"values": values}))["values"] == values


def test_keys_ignore_the_order_of_fields() -> None:
    assert key_of({"a": 1, "b": 2}) == key_of({"b": 2, "a": 1})
