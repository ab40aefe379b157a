# Cuts and bins of feature values, and hashes of rows.

cdef extern from "binning.hpp" namespace "costboost" nogil:
    cdef cppclass Matrix[T]:
        const T* data
        int64_t n_rows, n_columns, row_stride, column_stride

    void c_find_cuts "costboost::find_cuts"[T](const Matrix[T]&, const int64_t*, int64_t, const int64_t*, int, double*, int32_t*, int) except +
    void c_bin_rows "costboost::bin_rows"[T](const Matrix[T]&, const double*, const int32_t*, const uint8_t*,
                                             const uint8_t*, int, MutableTiles, int) except +
    vector[int64_t] c_sample_rows "costboost::sample_rows"(int64_t, int64_t, int64_t, int64_t) except +


cdef extern from "hashing.hpp" namespace "costboost" nogil:
    void c_add_hashes "costboost::add_hashes"[T](const Matrix[T]&, const uint64_t*, uint64_t*)


cdef Matrix[real] matrix_of(const real[:, :] x) except *:
    cdef Matrix[real] m
    if x.strides[0] % <int64_t>sizeof(real) or x.strides[1] % <int64_t>sizeof(real):
        raise ValueError("values lie askew in memory: strides must be multiples of the item size; copy the array first")
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
    if x.shape[0] != total.shape[0] or x.shape[1] != factor.shape[0]:
        raise ValueError("one factor a column, and one hash a row")
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
    cdef const int64_t* chosen = NULL
    cdef const int64_t* times = copies_of(copies, x.shape[0])
    cdef int64_t n_sampled = x.shape[0]
    if rows is not None:
        n_sampled = rows.shape[0]
        if n_sampled:
            chosen = &rows[0]
    if n_columns and n_sampled:
        with nogil:
            c_find_cuts(m, chosen, n_sampled, times, max_bins, &cuts[0, 0], &n_cuts[0], n_threads)
    return cuts_array, n_cuts_array
