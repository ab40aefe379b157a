"""User input is converted, or refused with the position of the invalid value."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from costboost._core.checks import (
    check_labels,
    check_not_negative,
    check_numbers,
    check_scores,
    check_weight,
    distinct,
    some,
)


def test_numbers_of_any_kind_are_floats() -> None:
    for values in ([1, 2], np.array([1, 2], dtype=np.uint8), np.array([1.0, 2.0], dtype=object)):
        found = check_numbers("cost", values)
        assert found.dtype == np.float64
        assert_array_equal(found, [1.0, 2.0])
    assert_array_equal(check_numbers("cost", [True, False]), [1.0, 0.0])


def test_the_array_of_the_caller_is_not_changed() -> None:
    given = np.array([1.0, 2.0])
    check_numbers("cost", given)[0] = 9.0
    assert given[0] == 1.0


def test_no_weights_are_ones() -> None:
    assert_array_equal(check_weight(None, 3), np.ones(3))
    assert_array_equal(check_weight([0, 2, 1], 3), [0, 2, 1])


REFUSED: dict[str, tuple[Any, str]] = {
    "text": (lambda: check_numbers("cost", ["a"]), "cost must be numbers: values of type"),
    "objects": (lambda: check_numbers("cost", [None, "b"]), "cost must be numbers: "),
    "one number": (lambda: check_not_negative("cost", -1), "not negative, got -1"),
    "a row": (lambda: check_not_negative("cost", [1, np.nan]), "got nan in row 1"),
    "an entry": (lambda: check_not_negative("cost", [[0, 1], [-2, 0]]), "got -2 at (1, 0)"),
    "few weights": (lambda: check_weight([1.0], 2), "each of the 2 rows, got an array of shape"),
    "few scores": (lambda: check_weight([1.0], 2, "scores"), "each of the 2 scores"),
    "no weight": (lambda: check_weight([0.0, 0.0], 2), "zero for every row"),
    "too heavy": (lambda: check_weight([1e308, 1e308], 2), "scale it down"),
    "columns": (lambda: check_scores("score", [[0.1], [0.2]]), "shape (2, 1); of the two columns"),
    "infinite": (lambda: check_scores("score", [0.1, np.inf]), "got inf in row 1; drop such rows"),
    "no labels": (lambda: check_labels("y", []), "y is empty"),
    "matrix": (lambda: check_labels("y", [[0, 1]]), "one label for each row"),
    "None": (lambda: check_labels("y", ["a", None]), "y contains labels that are missing"),
    "NaN": (lambda: check_labels("y", [0, np.nan]), "y contains labels that are missing"),
    "mixed": (lambda: distinct(np.array(["a", 1], dtype=object)), "cannot be sorted"),
    "kinds": (lambda: distinct(np.array([0]), np.array(["a"])), "labels must be of one kind"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_messages_name_the_value_and_its_position(case: str) -> None:
    call, message = REFUSED[case]
    with pytest.raises(ValueError, match=re.escape(message)):
        call()


def test_labels_are_found_in_sorted_order() -> None:
    assert_array_equal(distinct(np.array([3, 1, 3]), np.array([2])), [1, 2, 3])
    assert_array_equal(distinct(np.array([1, 0, 1])), [0, 1])
    assert_array_equal(distinct(np.array(["b", "a", "b"])), ["a", "b"])


def test_a_message_names_a_few_labels() -> None:
    assert some(np.array([0, 1])) == "0, 1"
    assert some(np.arange(9)) == "0, 1, 2, 3, 4, ..."
