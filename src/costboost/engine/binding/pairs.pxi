# Trees over pairs of a row and a label.

cdef extern from "pairs.hpp" namespace "costboost" nogil:
    cdef cppclass PairBits "costboost::Bits":
        uint64_t& operator[](size_t) except +

    cdef cppclass PairNode:
        int32_t feature, left
        PairBits goes_left
        uint8_t accepts
        double gain

    cdef cppclass PairLimits:
        int max_depth
        int64_t min_samples_leaf
        double least_gain
        cbool pruned
        int64_t parallel_cells
        Interrupt interrupt

    cdef cppclass PairGrower:
        PairGrower(const Tiles&, const int64_t*, int, const int32_t*, const uint8_t*, Criterion, const PairLimits&, int) except +
        vector[PairNode] grow() except +

    void c_accept_pairs "costboost::accept_pairs"(const Tiles&, const int32_t*, const int32_t*, const uint64_t*, const uint8_t*, int,
                                                  uint8_t*, int) except +


def grow_pairs(BinnedRows rows, const int64_t[:, ::1] weight, const int32_t[::1] n_bins, const uint8_t[::1] categorical, int criterion,
               max_depth, min_samples_leaf, double least_gain, bint pruned, int64_t parallel_cells):
    """A tree over (row, label): arrays of feature (the label's number is that of the features), left child, what goes left
    (256 bits), whether a leaf accepts, and gain of every node.

    weight: a whole number for every pair, whose sign is its class. n_bins, categorical: of the features and, last, the label.
    """
    cdef int n_features = rows.tiles.n_features
    if weight.shape[0] != rows.tiles.n_rows or not 1 <= weight.shape[1] < N_BINS:
        raise ValueError("one line of weights a row, and at most 255 labels")
    if n_bins.shape[0] != n_features + 1 or categorical.shape[0] != n_features + 1 or n_bins[n_features] != weight.shape[1]:
        raise ValueError("shapes do not belong together")
    cdef PairLimits limits
    limits.max_depth = limit_of(max_depth)
    limits.min_samples_leaf = rows_of(min_samples_leaf)
    limits.least_gain = least_gain
    limits.pruned = pruned
    limits.parallel_cells = parallel_cells
    limits.interrupt.asked = signalled
    cdef PairGrower* grower = new PairGrower(rows.tiles, &weight[0, 0], <int>weight.shape[1], &n_bins[0], &categorical[0],
                                             <Criterion>criterion, limits, rows.n_threads)
    cdef vector[PairNode] nodes
    try:
        with nogil:
            nodes = grower.grow()
    finally:
        del grower
    n = nodes.size()
    features, lefts = np.empty(n, dtype=np.int32), np.empty(n, dtype=np.int32)
    bits, says, gains = np.empty((n, 4), dtype=np.uint64), np.empty(n, dtype=np.uint8), np.empty(n)
    cdef int32_t[::1] feature = features, left = lefts
    cdef uint64_t[:, ::1] goes_left = bits
    cdef uint8_t[::1] accepts = says
    cdef double[::1] gain = gains
    cdef size_t k, w
    for k in range(nodes.size()):
        feature[k], left[k], accepts[k], gain[k] = nodes[k].feature, nodes[k].left, nodes[k].accepts, nodes[k].gain
        for w in range(4):
            goes_left[k, w] = nodes[k].goes_left[w]
    return features, lefts, bits, says, gains


def accept_pairs(BinnedRows rows, const int32_t[::1] feature, const int32_t[::1] left, const uint64_t[:, ::1] goes_left,
                 const uint8_t[::1] accepts, int n_labels):
    """Which labels a tree over pairs accepts, for every row: n_rows x n_labels."""
    out = np.empty((rows.tiles.n_rows, n_labels), dtype=np.uint8)
    cdef uint8_t[:, ::1] accepted = out
    with nogil:
        c_accept_pairs(rows.tiles, &feature[0], &left[0], &goes_left[0, 0], &accepts[0], n_labels, &accepted[0, 0], rows.n_threads)
    return out
