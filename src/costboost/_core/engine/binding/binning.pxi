# Cuts and bins of feature values, and hashes of rows.

cdef extern from "binning.hpp" namespace "costboost" nogil:
    cdef cppclass Matrix[T]:
        const T* data
        int64_t n_rows, n_columns, row_stride, column_stride

    cdef cppclass CutSample:
        const int64_t* rows
        int64_t n
        const int64_t* copies

    cdef cppclass MutableCuts:
        double* value
        int32_t* number

    cdef cppclass Cuts:
        const double* value
        const int32_t* number
        const uint8_t* categorical

    void c_find_cuts "costboost::find_cuts"[T](const Matrix[T]&, const CutSample&, int, const MutableCuts&, int) except +
    void c_bin_rows "costboost::bin_rows"[T](const Matrix[T]&, const Cuts&, const uint8_t*, int, const MutableTiles&, int) except +
    vector[int64_t] c_sample_rows "costboost::sample_rows"(int64_t, int64_t, int64_t, int64_t) except +


cdef extern from "hashing.hpp" namespace "costboost" nogil:
    void c_add_hashes "costboost::add_hashes"[T](const Matrix[T]&, const uint64_t*, uint64_t*)


cdef Matrix[real] matrix_of(const real[:, :] x) except *:
    cdef Matrix[real] m
    if x.strides[0] % <int64_t>sizeof(real) or x.strides[1] % <int64_t>sizeof(real):
        raise ValueError("values are not aligned in memory: strides must be multiples of the item size; copy the array first")
    m.data = NULL
    if x.shape[0] and x.shape[1]:
        m.data = &x[0, 0]
    m.n_rows = x.shape[0]
    m.n_columns = x.shape[1]
    m.row_stride = x.strides[0] // <int64_t>sizeof(real)
    m.column_stride = x.strides[1] // <int64_t>sizeof(real)
    return m


def add_hashes(const real[:, :] x, const uint64_t[::1] factor, uint64_t[::1] total):
    """Add to the hash of each row the bits of its values as single floats, times the factors of their columns."""
    check_length("total", total.shape[0], x.shape[0])
    check_length("factor", factor.shape[0], x.shape[1])
    cdef Matrix[real] m = matrix_of(x)
    if m.data != NULL:
        with nogil:
            c_add_hashes(m, &factor[0], &total[0])


def sample_rows(int64_t first, int64_t n, int64_t n_total, int64_t wanted):
    """About ``wanted`` of ``n_total`` rows; of them those in ``first, ..., first + n - 1``, counted from ``first``."""
    cdef vector[int64_t] rows
    with nogil:
        rows = c_sample_rows(first, n, n_total, wanted)
    out = np.empty(rows.size(), dtype=np.int64)
    cdef int64_t[::1] view = out
    if rows.size():
        memcpy(&view[0], rows.data(), rows.size() * sizeof(int64_t))
    return out


def find_cuts(const real[:, :] x, const int64_t[::1] rows, int max_bins, int n_threads, const int64_t[::1] copies=None):
    """Cuts of every column (n_columns x 255, unused ones +inf) and their numbers.

    copies: how many rows each row stands for, at least one.
    """
    cdef int64_t n_columns = x.shape[1]
    cuts_array = np.full((n_columns, N_BINS - 1), np.inf)
    n_cuts_array = np.zeros(n_columns, dtype=np.int32)
    cdef double[:, ::1] cuts = cuts_array
    cdef int32_t[::1] n_cuts = n_cuts_array
    cdef Matrix[real] m = matrix_of(x)
    cdef CutSample sample
    cdef MutableCuts found
    if not 2 <= max_bins < N_BINS:
        raise ValueError(f"max_bins is {max_bins}, expected 2 to {N_BINS - 1}")
    check_number_of_rows(x.shape[0])
    sample.rows = NULL
    sample.n = x.shape[0]
    sample.copies = copies_of(copies, x.shape[0])
    if rows is not None:
        sample.n = rows.shape[0]
        if sample.n:
            sample.rows = &rows[0]
    if n_columns and sample.n:
        found.value = &cuts[0, 0]
        found.number = &n_cuts[0]
        with nogil:
            c_find_cuts(m, sample, max_bins, found, n_threads)
    return cuts_array, n_cuts_array
