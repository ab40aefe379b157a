# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# cython: freethreading_compatible=True
"""Thin binding of the C++ kernels: checks shapes, releases the GIL, holds no formula.

One extension rather than one for each part, because all kernels share a pool of threads, which every library that is loaded
separately would have for itself.
"""

from libc.limits cimport INT_MAX
from libc.math cimport INFINITY, isinf
from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset
from libcpp cimport bool as cbool
from libcpp.memory cimport make_shared, shared_ptr
from libcpp.vector cimport vector

from collections import namedtuple

import numpy as np

ctypedef fused real:
    float
    double


cdef extern from "parallel.hpp" namespace "costboost" nogil:
    int offered_threads() except +
    void count_training(int)
    int threads_of_training(int)


def available_threads() -> int:
    """Threads OpenMP would use here: threadpoolctl, OMP_NUM_THREADS and nesting are respected."""
    return offered_threads()


def share_threads(int change) -> None:
    """Count one training more (1) or less (-1) among those that run side by side and share the threads."""
    count_training(change)


def shared_threads(int n_threads) -> int:
    """How many of so many threads a training has, if others run at its side; at least 1."""
    return max(1, threads_of_training(n_threads))


include "binding/common.pxi"
include "binding/elementary.pxi"
include "binding/rowwise.pxi"
include "binding/newton.pxi"
include "binding/scores.pxi"
include "binding/row_costs.pxi"
include "binding/root.pxi"
include "binding/binning.pxi"
include "binding/drawing.pxi"
include "binding/splits.pxi"
include "binding/logistic.pxi"
include "binding/predict.pxi"
include "binding/shapley.pxi"
include "binding/rows.pxi"
include "binding/frontier.pxi"
include "binding/trees.pxi"
include "binding/tree_sums.pxi"
include "binding/pairs.pxi"
