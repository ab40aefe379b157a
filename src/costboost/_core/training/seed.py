"""A seed that is drawn when it is first needed."""

from __future__ import annotations

from typing import Any

from sklearn.utils import check_random_state


class Seed:
    """A seed that is drawn from ``random_state`` when it is first needed.

    If that is None, a whole number is drawn in its place: as ``random_state`` it gives the same.
    """

    def __init__(
        self, random_state: Any, value: int | None = None, in_place: int | None = None
    ) -> None:
        self.random_state = random_state
        self.value = value
        self.in_place = in_place

    def __call__(self) -> int:
        if self.value is None:
            state = self.random_state
            if state is None:
                state = self.in_place = int(check_random_state(None).randint(2**31 - 1))
            self.value = int(check_random_state(state).randint(2**31 - 1))
        return self.value
