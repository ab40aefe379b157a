"""Folds that do not separate copies of a row.

Copies of a row in different folds would be scored by ensembles that were trained on them, and a
calibrator fitted to such scores would be too confident.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from costboost._core.arrays import Indices
from costboost._core.tables import Table

Hashes = NDArray[np.uint64]

BY_CHANCE = 0.1
"""Copies are rows of the population if their labels differ this often, in units of any two rows."""

_GOLDEN, _FACTOR = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xD6E8FEB86659FD93)
_HALF = np.uint64(32)


def copies_of(table: Table) -> Indices | None:
    """The number of the first copy of each row of a table; None if all rows are distinct.

    Columns are compared by and by, and only of rows that still have the values of another one.
    Features that are computed when they are read are not compared.
    """
    if table.computed:
        return None
    rows = np.arange(table.n_rows)
    hashes = np.zeros(table.n_rows, dtype=np.uint64)
    end = 0
    while end < table.n_features:
        begin, end = end, min(2 * end + 1, table.n_features)
        part = table if rows.size == table.n_rows else table.take(rows)
        hashes = _joined(hashes, part.mapped(_hashes, begin, end))
        repeated = _repeated(hashes)
        rows, hashes = rows[repeated], hashes[repeated]
        if not rows.size:
            return None
    first = np.arange(table.n_rows)
    _, index, place = np.unique(hashes, return_index=True, return_inverse=True)
    first[rows] = rows[index][place]
    return first


def _repeated(hashes: Hashes) -> NDArray[np.bool_]:
    """Which hashes occur several times."""
    ordered = np.sort(hashes)
    if not np.any(ordered[1:] == ordered[:-1]):
        return np.zeros(hashes.size, dtype=np.bool_)
    _, place, count = np.unique(hashes, return_inverse=True, return_counts=True)
    return np.asarray(count[place] > 1)


def _hashes(table: Table, begin: int, end: int) -> Hashes:
    """Hash of the exact values of some columns; text and categories count by their labels."""
    total = np.zeros(table.n_rows, dtype=np.uint64)
    for j in range(begin, end):
        total = _joined(total, _words(table, j))
    return total


def _joined(hashes: Hashes, others: Hashes) -> Hashes:
    mixed: Hashes = (hashes ^ others) * _FACTOR
    return mixed ^ (mixed >> _HALF)


def _words(table: Table, j: int) -> Hashes:
    """A number for each value of a column, the same for the same value."""
    if table.is_categorical(j):
        column = table.labels(j)
        of_labels = np.array([*(_word(str(one)) for one in column.labels), 0], dtype=np.uint64)
        return np.asarray(of_labels[column.codes])
    values = np.asarray(table.column(j), dtype=np.float64) + 0.0  # one zero, whatever its sign
    bits = np.where(np.isnan(values), np.nan, values).view(np.uint64)
    mixed: Hashes = bits * _GOLDEN
    return mixed ^ (mixed >> _HALF)


def _word(label: str) -> int:
    digest = blake2b(label.encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(digest, "little")


# ---- folds ---------------------------------------------------------------------------------------


def written_again(copies: Indices, code: NDArray[Any]) -> Indices | None:
    """The sets of copies if rows were written several times; None if none were.

    Rows that were written again have the label of the first. Different rows of a population whose
    features have few values have equal features by chance, and the labels of such rows differ; new
    rows are then copies of training rows as often as held-out rows are, and folds stay the usual
    ones. Labels are compared with those of any two rows: copies that differ `BY_CHANCE` times as
    often are rows of the population.
    """
    place, size = np.unique(copies, return_inverse=True, return_counts=True)[1:]
    several = size[place] > 1
    if not several.any():
        return None
    classes, code = np.unique(code, return_inverse=True)
    pair = place[several] * classes.size + code[several]
    _, of_pair, alike = np.unique(pair, return_inverse=True, return_counts=True)
    n = size[place[several]]
    differ = float(np.mean((n - alike[of_pair]) / (n - 1)))
    of_any = 1 - float(((np.bincount(code) / code.size) ** 2).sum())
    return copies if differ < BY_CHANCE * of_any else None


def folds_of_copies(
    code: NDArray[Any], groups: Indices, n_folds: int, seed: int
) -> list[tuple[Indices, Indices]]:
    """Folds of whole groups, stratified by class; of training rows and held-out rows.

    Groups of the rarest class come first, the largest ones of each class before the smaller ones,
    those of equal size in random order. They are dealt to the folds, in one direction and in the
    other by turns.
    """
    groups = np.unique(groups, return_inverse=True)[1]
    classes, code = np.unique(code, return_inverse=True)
    rank = np.argsort(np.argsort(np.bincount(code), kind="stable"))[code]
    n_groups = int(groups.max()) + 1
    rarest = np.full(n_groups, classes.size)
    np.minimum.at(rarest, groups, rank)
    of_rarest = np.bincount(groups, rank == rarest[groups], n_groups)
    chance = np.random.RandomState(seed).permutation(n_groups)
    order = np.lexsort((chance, -np.bincount(groups), -of_rarest, rarest))
    turn, place = np.divmod(np.arange(n_groups), n_folds)
    fold = np.empty(n_groups, dtype=np.intp)
    fold[order] = np.where(turn % 2, n_folds - 1 - place, place)
    of_row = fold[groups]
    return [(np.flatnonzero(of_row != k), np.flatnonzero(of_row == k)) for k in range(n_folds)]


def complete(parts: list[tuple[Indices, Indices]], code: NDArray[Any]) -> bool:
    """Whether every part has rows of all classes, both to train on and held out."""
    n_classes = np.unique(code).size
    return all(np.unique(code[rows]).size == n_classes for part in parts for rows in part)
