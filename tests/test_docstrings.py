"""Descriptions written once stand in every docstring that names them."""

from __future__ import annotations

from costboost.docstrings import filled, sharing

ENTRIES = {"X": "\nX : array\n    Rows.\n", "y": "y : array"}


def test_an_entry_is_indented_as_its_place_is() -> None:
    text = "Fit.\n\n    Parameters\n    ----------\n    {X}\n    {y}\n"
    assert filled(text, ENTRIES) == (
        "Fit.\n\n    Parameters\n    ----------\n    X : array\n        Rows.\n    y : array\n"
    )
    assert filled("{X}", ENTRIES) == "X : array\n    Rows."


def test_other_braces_stay() -> None:
    text = 'Takes {X} in a line, {"a", "b"},\n    {unknown}\n    and {y} here.\n'
    assert filled(text, ENTRIES) == text


def test_functions_and_classes_are_documented() -> None:
    documented = sharing(ENTRIES)

    @documented
    def function() -> None:
        """{y}"""

    @documented
    class Described:
        """Holds rows.

        {X}
        """

    @documented
    def silent() -> None: ...

    assert function.__doc__ == "y : array"
    assert Described.__doc__ is not None
    assert "        X : array\n            Rows.\n" in Described.__doc__
    assert silent.__doc__ == ""
