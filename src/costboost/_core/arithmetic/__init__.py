"""Arithmetic with the same bits on every machine, and however rows are divided.

Rows may be divided into shards. A vector with one number for every training row is then a
`RowVector`, with a part in each shard; with one shard in this process it is a plain array.
Elementwise functions of NumPy accept both. Only maxima and whole numbers leave the shards, so a
result never depends on how the rows are divided.

Functions of NumPy, SciPy and the C library, and products of matrices by BLAS, differ in the last
bit between processors. Whatever decides in training, or is stored in a model, or is a probability,
is computed by the functions of this package instead. They accept numbers, for which they return a
float, arrays, and vectors over the rows of several shards.
"""

from costboost._core.arithmetic.functions import (
    exp,
    exp_within,
    expit,
    log,
    log1p,
    logit,
    power,
    sinh,
)
from costboost._core.arithmetic.lines import interpolate
from costboost._core.arithmetic.matrices import matrix_product, symmetric_inverse
from costboost._core.arithmetic.sums import exact_sum, exact_sums, times_power_of_two
from costboost._core.arithmetic.ties import first_least
from costboost._core.arithmetic.vectors import (
    LocalVector,
    RowVector,
    Vector,
    each,
    joined,
    looked_up,
    parts_of,
    results,
    where,
)
from costboost._core.arrays import Floats
from costboost._core.engine._kernels import dot, logistic_point, newton_sums

__all__ = [
    "Floats",
    "LocalVector",
    "RowVector",
    "Vector",
    "dot",
    "each",
    "exact_sum",
    "exact_sums",
    "exp",
    "exp_within",
    "expit",
    "first_least",
    "interpolate",
    "joined",
    "log",
    "log1p",
    "logistic_point",
    "logit",
    "looked_up",
    "matrix_product",
    "newton_sums",
    "parts_of",
    "power",
    "results",
    "sinh",
    "symmetric_inverse",
    "times_power_of_two",
    "where",
]
