"""Labels of a categorical column as codes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray


class Labels:
    """A categorical column: the code of each row (-1: missing) and the label of each code."""

    def __init__(self, codes: NDArray[Any], labels: Sequence[Any]) -> None:
        self.codes = codes
        self.labels = list(labels)

    @classmethod
    def of(cls, values: Any) -> Labels:
        """Labels of any array; NaN, None and NA are missing."""
        values = np.asarray(values)
        if values.dtype != object:
            can_miss = values.dtype.kind in "fmM"
            missing = np.isnan(values) if can_miss else np.zeros(len(values), bool)
            labels, codes = np.unique(values, return_inverse=True)
            return cls(np.where(missing, -1, codes.reshape(-1)), labels.tolist())
        code_of: dict[Any, int] = {}
        codes = np.array(
            [-1 if is_missing(v) else code_of.setdefault(v, len(code_of)) for v in values.tolist()],
            dtype=np.intp,
        )
        return cls(codes, list(code_of))

    @property
    def n_known(self) -> int:
        """Number of rows that have a label."""
        return int((self.codes >= 0).sum())

    def take(self, rows: Any) -> Labels:
        """Select rows (a slice or an index array)."""
        return Labels(self.codes[rows], self.labels)


class Coder:
    """Encoder of one categorical feature: maps labels to codes.

    The ``max_codes`` most frequent labels have a code each, in sorted order where they can be
    sorted; if there are more, the others share the last code. Labels that did not occur in
    training get the shared code if there is one, else NaN.
    """

    def __init__(
        self, column: Labels, max_codes: int, copies: NDArray[np.int64] | None = None
    ) -> None:
        there = column.codes >= 0
        weights = None if copies is None else copies[there]
        counts = np.bincount(column.codes[there], weights, minlength=len(column.labels))
        seen = [k for k in range(len(column.labels)) if counts[k]]
        self.shared = len(seen) > max_codes
        if self.shared:
            in_order = {label: k for k, label in enumerate(_sorted(column.labels))}
            rank = [(-counts[k], in_order[column.labels[k]]) for k in range(len(column.labels))]
            seen = sorted(seen, key=lambda k: rank[k])[: max_codes - 1]
        self._take(_sorted([column.labels[k] for k in seen]))

    def _take(self, labels: Sequence[Any]) -> None:
        self.code_of = {label: code for code, label in enumerate(labels)}
        self.n_codes = len(labels) + self.shared

    def __getstate__(self) -> dict[str, Any]:
        """Labels as a list, since some file formats cannot distinguish the keys True and "True"."""
        return {"labels": list(self.code_of), "shared": self.shared}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.shared = state["shared"]
        self._take(state["labels"])

    def __call__(self, column: Labels) -> NDArray[np.float64]:
        """Codes of a column as floats."""
        other = float(len(self.code_of)) if self.shared else np.nan
        table = np.array([self.code_of.get(label, other) for label in column.labels] + [np.nan])
        codes: NDArray[np.float64] = table[column.codes]
        return codes


def is_missing(value: Any) -> bool:
    """Whether a label stands for a missing value."""
    return value is None or type(value).__name__ in {"NAType", "NaTType"} or value != value


def _sorted(labels: list[Any]) -> list[Any]:
    try:
        return sorted(labels)
    except TypeError:
        return sorted(labels, key=lambda label: (type(label).__name__, str(label)))
