# What all bindings share: memory layout, limits, signals, and checks of the arrays that are passed in.

cdef extern from "common.hpp" namespace "costboost" nogil:
    int N_BINS
    int TILE_PADDING

    cdef cppclass Range:
        int64_t begin, end

    cdef cppclass Tiles:
        const uint8_t* bytes
        int64_t n_rows, n_positive
        int n_features

    cdef cppclass MutableTiles:
        uint8_t* bytes
        int64_t n_rows, n_positive
        int n_features


cdef extern from "Python.h":
    int PyErr_CheckSignals() noexcept  # leaves the exception to whoever asks


cdef int signalled() noexcept with gil:
    """Not 0 where a signal, such as that of Ctrl-C, has raised an exception."""
    return PyErr_CheckSignals()


cdef extern from "interrupt.hpp" namespace "costboost" nogil:
    cdef cppclass Interrupt:
        int (*asked)() noexcept


BINS = N_BINS
MISSING = N_BINS - 1
PADDING = TILE_PADDING


MOST_ROWS = 1 << 60


cdef int limit_of(value) except? -2:
    """A limit on depth or leaves, -1 for none; no tree reaches one that no C integer holds."""
    return -1 if value is None else min(value, INT_MAX)


cdef int64_t rows_of(value) except? -2:
    """A number of rows; so many as no 64-bit integer holds are never there either."""
    return min(value, MOST_ROWS)


cdef const int64_t* copies_of(const int64_t[::1] copies, int64_t n_rows) except? NULL:
    if copies is None:
        return NULL
    if copies.shape[0] != n_rows:
        raise ValueError("one number of copies a row")
    return &copies[0]
