# Trees over pairs of a row and a label.

cdef extern from "pair_source.hpp" namespace "costboost" nogil:
    cdef cppclass PairWeights:
        const int64_t* weight
        int n_labels

    cdef cppclass PairSums:
        PairSums(const Tiles&, const PairWeights&, cbool)
        void add(const uint32_t*, int64_t, const vector[uint8_t]&, int64_t*, int) except +

    cdef cppclass PairSource:
        PairSource(
            const Tiles&, const PairWeights&, const CFeatures&, const CCriterion&, const CTreeLimits&, int, const CFrontier&
        ) except +
        vector[int64_t] n_pairs() except +

    void c_grow_pairs "costboost::grow"(PairSource&, CFrontier&) except +


cdef extern from "pair_trees.hpp" namespace "costboost" nogil:
    cdef cppclass PairBits "costboost::Bits":
        uint64_t& operator[](size_t) except +

    cdef cppclass PairNode:
        int32_t feature, left
        PairBits goes_left
        uint8_t accepts
        double gain

    vector[PairNode] c_lay_pairs "costboost::lay_pairs"(const CFrontier&, const vector[int64_t]&, cbool) except +

    cdef cppclass CPairTree "costboost::PairTree":
        const int32_t* feature
        const int32_t* left
        const uint64_t* goes_left
        const uint8_t* accepts

    void c_accept_pairs "costboost::accept_pairs"(const Tiles&, const CPairTree&, int, uint8_t*, int) except +


def grow_pairs(BinnedRows rows, const int64_t[:, ::1] weight, features, criterion, limits, bint pruned):
    """A tree over (row, label), as of `lay_pairs`.

    weight: a whole number for every pair, whose sign is its class. features: those of the rows and, last, the label.
    """
    cdef int n_features = rows.tiles.n_features
    if not 1 <= weight.shape[1] < N_BINS:
        raise ValueError(f"there are {weight.shape[1]} labels, expected 1 to {N_BINS - 1}")
    check_length("weight", weight.shape[0], rows.tiles.n_rows)
    cdef CFeatures given = features_of(features, n_features + 1)
    if given.n_bins[n_features] != weight.shape[1]:
        raise ValueError(f"weight has {weight.shape[1]} labels, features have {given.n_bins[n_features]}")
    cdef PairWeights pairs
    pairs.weight = &weight[0, 0]
    pairs.n_labels = <int>weight.shape[1]
    cdef Frontier tree = Frontier(limits, n_features + 1, True)
    cdef PairSource* source = new PairSource(
        rows.tiles, pairs, given, criterion_of(criterion), limits_of(limits), rows.n_threads, tree.c
    )
    try:
        with nogil:
            c_grow_pairs(source[0], tree.c)
        return lay_pairs(tree, source.n_pairs(), pruned)
    finally:
        del source


def lay_pairs(Frontier tree, n_pairs, bint pruned):
    """A grown tree as arrays: feature (the label's number is that of the features), left child, bins or labels that go left (256 bits),
    whether a leaf accepts, and gain of every node.

    n_pairs: of each node. pruned: subtrees that are not expected to lower the error become leaves.
    """
    cdef vector[int64_t] numbers = n_pairs
    cdef vector[PairNode] nodes
    cdef size_t k, w, n = tree.c.size()
    check_length("n_pairs", numbers.size(), n)
    with nogil:
        nodes = c_lay_pairs(tree.c, numbers, pruned)
    features, lefts = np.empty(n, dtype=np.int32), np.empty(n, dtype=np.int32)
    bits, accepting, gains = np.empty((n, 4), dtype=np.uint64), np.empty(n, dtype=np.uint8), np.empty(n)
    cdef int32_t[::1] feature = features, left = lefts
    cdef uint64_t[:, ::1] goes_left = bits
    cdef uint8_t[::1] accepts = accepting
    cdef double[::1] gain = gains
    for k in range(n):
        feature[k], left[k], accepts[k], gain[k] = nodes[k].feature, nodes[k].left, nodes[k].accepts, nodes[k].gain
        for w in range(4):
            goes_left[k, w] = nodes[k].goes_left[w]
    return features, lefts, bits, accepting, gains


def sum_pairs(BinnedRows rows, const int64_t[:, ::1] weight, const uint32_t[::1] listed, const uint8_t[::1] labels,
              int64_t[:, :, ::1] sums, bint parallel):
    """Add the weights of the pairs of some rows and labels to sums, by class, in the bins of each feature and, last, of the label.

    sums: of shape (2, n_features + 1, 256), or (4, ...) with the numbers of pairs behind the weights.
    """
    cdef PairWeights pairs
    cdef vector[uint8_t] some
    cdef Py_ssize_t k
    check_length("weight", weight.shape[0], rows.tiles.n_rows)
    check_shape("sums", sums.shape[1], sums.shape[2], rows.tiles.n_features + 1, N_BINS)
    if sums.shape[0] not in (2, 4):
        raise ValueError(f"sums has length {sums.shape[0]}, expected 2 or 4")
    for k in range(labels.shape[0]):
        if labels[k] >= weight.shape[1]:
            raise ValueError(f"label {labels[k]} is not among the {weight.shape[1]} of weight")
        some.push_back(labels[k])
    if not listed.shape[0]:
        return
    pairs.weight = &weight[0, 0]
    pairs.n_labels = <int>weight.shape[1]
    cdef PairSums* adding = new PairSums(rows.tiles, pairs, sums.shape[0] == 4)
    cdef int n_threads = rows.n_threads if parallel else 1
    try:
        with nogil:
            adding.add(&listed[0], listed.shape[0], some, &sums[0, 0, 0], n_threads)
    finally:
        del adding


def accept_pairs(BinnedRows rows, const int32_t[::1] feature, const int32_t[::1] left, const uint64_t[:, ::1] goes_left,
                 const uint8_t[::1] accepts, int n_labels):
    """Which labels a tree over pairs accepts, for every row: n_rows x n_labels."""
    cdef CPairTree tree
    cdef Py_ssize_t n = feature.shape[0]
    check_some("feature", n)
    check_length("left", left.shape[0], n)
    check_shape("goes_left", goes_left.shape[0], goes_left.shape[1], n, 4)
    check_length("accepts", accepts.shape[0], n)
    if not 1 <= n_labels < N_BINS:
        raise ValueError(f"there are {n_labels} labels, expected 1 to {N_BINS - 1}")
    tree.feature, tree.left, tree.goes_left, tree.accepts = &feature[0], &left[0], &goes_left[0, 0], &accepts[0]
    out = np.empty((rows.tiles.n_rows, n_labels), dtype=np.uint8)
    cdef uint8_t[:, ::1] accepted = out
    with nogil:
        c_accept_pairs(rows.tiles, tree, n_labels, &accepted[0, 0], rows.n_threads)
    return out
