"""Answers of several shards as one, by the type that a message returns.

`Total` is the sum of the answers: whole numbers, arrays or tuples of such, or records that can be
added. `Greatest` is the greatest of each entry. A record has a rule for each field. The type of a
vector stands for one value a row, None for no answer.
"""

from __future__ import annotations

from typing import Annotated, TypeVar

T = TypeVar("T")

Total = Annotated[T, "total"]
Greatest = Annotated[T, "greatest"]
