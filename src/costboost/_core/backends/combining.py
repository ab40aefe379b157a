"""Answers of several shards as one, by the type that a message returns.

`Total` is the sum of the answers: whole numbers, arrays, sequences of such, or records that can be
added. `Greatest` is the greatest of the answers, or of each of their entries. A named tuple has a
rule for each field. A type variable stands for a vector with one value a row, None for no answer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any, TypeVar, get_origin, get_type_hints

import numpy as np

T = TypeVar("T")

Total = Annotated[T, "total"]
Greatest = Annotated[T, "greatest"]

Combine = Callable[[Sequence[Any]], Any]


def added(answers: Sequence[Any]) -> Any:
    """The sum of the answers of all shards."""
    if len(answers) == 1:
        return answers[0]
    if isinstance(answers[0], (tuple, list)):
        return type(answers[0])(map(added, zip(*answers, strict=True)))
    total = answers[0] + answers[1]
    for answer in answers[2:]:
        if isinstance(total, np.ndarray):
            total += answer
        else:
            total = total + answer
    return total


def greatest(answers: Sequence[Any]) -> Any:
    """The greatest answer of all shards."""
    if len(answers) == 1:
        return answers[0]
    if isinstance(answers[0], tuple):
        return _of_kind(answers[0], list(map(max, zip(*answers, strict=True))))
    return max(answers)


def _of_kind(answer: Any, fields: Sequence[Any]) -> Any:
    """A tuple of the same kind: a named one with these fields, or a plain one."""
    return type(answer)(*fields) if hasattr(answer, "_fields") else tuple(fields)


class Answer:
    """What a message returns, and how the answers of several shards become one."""

    def __init__(self, method: Callable[..., Any]) -> None:
        returned = get_type_hints(method, include_extras=True)["return"]
        self.is_vector = isinstance(returned, TypeVar)
        self.is_awaited = not self.is_vector and returned is not type(None)
        """Whether the driver needs it at once."""
        self.combine: Combine = _rule(returned) if self.is_awaited else _none


RULES: dict[str, Combine] = {"total": added, "greatest": greatest}


def _none(answers: Sequence[Any]) -> None:
    """No answer."""


def _rule(returned: Any) -> Combine:
    if get_origin(returned) is Annotated:
        return RULES[returned.__metadata__[0]]
    fields = get_type_hints(returned, include_extras=True)
    rules = [_rule(fields[name]) for name in returned._fields]

    def combine(answers: Sequence[Any]) -> Any:
        columns = zip(*answers, strict=True)
        return returned(*(rule(column) for rule, column in zip(rules, columns, strict=True)))

    return combine
