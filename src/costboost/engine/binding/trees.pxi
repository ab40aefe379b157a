# Trees grown on binned rows, best gain first.

cdef extern from "grow.hpp" namespace "costboost" nogil:
    cdef cppclass GrowNode:
        int64_t bounds[4]
        double share[2]
        int depth, left
        double gain
        CSplit split

    cdef cppclass GrowLimits:
        int max_depth, max_leaves
        int64_t min_samples_leaf
        double least_gain
        int64_t parallel_cells
        Interrupt interrupt

    cdef cppclass GrowAmounts:
        const double* weight
        const int64_t* copies
        const double* response
        const double* response_weight
        double scale[2]
        PairSums* sums

    cdef cppclass CGrower "costboost::Grower":
        CGrower(const Tiles&, const int32_t*, const uint8_t*) except +
        uint32_t* order() except +
        vector[GrowNode] grow(const SearchInput&, const GrowAmounts&, const int64_t*, const double (&)[2], const GrowLimits&, int64_t*,
                              int) except +


cdef extern from "open_leaves.hpp" namespace "costboost" nogil:
    cdef cppclass COpenLeaves "costboost::OpenLeaves":
        void add(double) except +
        void close(int) except +
        int first_of_greatest(double) except +


cdef class OpenLeaves:
    """The leaves of a growing tree that may be divided, numbered as they come."""

    cdef COpenLeaves c

    def add(self, double gain):
        """One more leaf; without any gain it is never divided."""
        self.c.add(gain)

    def close(self, int leaf):
        """The leaf is divided."""
        self.c.close(leaf)

    def first_of_greatest(self, double tolerance):
        """The first leaf whose gain is the greatest but for the tolerance; None if no gain is above the tolerance."""
        cdef int leaf = self.c.first_of_greatest(tolerance)
        return None if leaf < 0 else leaf


cdef class Grower:
    """Grows trees on the rows of one shard, in memory that is used again and again."""

    cdef CGrower* c
    cdef BinnedRows rows
    cdef const int32_t[::1] n_bins
    cdef const uint8_t[::1] categorical
    cdef readonly object order

    def __cinit__(self, BinnedRows rows, const int32_t[::1] n_bins, const uint8_t[::1] categorical):
        self.rows = rows
        self.n_bins = n_bins
        self.categorical = categorical
        self.c = new CGrower(rows.tiles, &n_bins[0], &categorical[0])
        cdef uint32_t[::1] order = <uint32_t[:rows.tiles.n_rows]>self.c.order()
        self.order = np.asarray(order)

    def __dealloc__(self):
        del self.c

    def grow(self, aim, units, shares, int criterion, double smoothing, double cost_positive, double cost_negative,
             max_depth, max_leaf_nodes, min_samples_leaf, double least_gain, int64_t parallel_cells):
        """The nodes in the order in which they were made: first child or -1, splits of those that have children, then gain, shares and
        bounds of the rows of all.

        aim: None for the weights of the rows, or response, weight and their scales.
        """
        cdef SearchInput given
        cdef GrowAmounts amounts
        cdef GrowLimits limits
        cdef double share[2]
        cdef const double[::1] response, weight
        cdef vector[GrowNode] nodes
        cdef size_t k
        cdef int64_t inner = 0
        given.n_features = self.rows.tiles.n_features
        given.unit[0], given.unit[1] = units
        given.n_bins = &self.n_bins[0]
        given.categorical = &self.categorical[0]
        given.min_samples_leaf = rows_of(min_samples_leaf)
        given.criterion = <Criterion>criterion
        given.smoothing = smoothing
        given.cost[0] = cost_positive
        given.cost[1] = cost_negative
        amounts.weight = self.rows.c_weight
        amounts.copies = self.rows.c_copies
        amounts.response = NULL
        amounts.response_weight = NULL
        amounts.sums = NULL
        if aim is not None:
            response, weight, scales = aim
            amounts.response = &response[0]
            amounts.response_weight = &weight[0]
            amounts.scale[0], amounts.scale[1] = scales
            amounts.sums = self.rows.pair_sums()
        limits.max_depth = limit_of(max_depth)
        limits.max_leaves = limit_of(max_leaf_nodes)
        limits.min_samples_leaf = given.min_samples_leaf
        limits.least_gain = least_gain
        limits.parallel_cells = parallel_cells
        limits.interrupt.asked = signalled
        share[0], share[1] = shares
        with nogil:
            nodes = self.c.grow(given, amounts, self.rows.c_histogram, share, limits, self.rows.c_scratch, self.rows.n_threads)
        n = nodes.size()
        left_of, gain_of, share_of, bounds_of = np.empty(n, np.int32), np.zeros(n), np.empty((n, 2)), np.empty((n, 4), np.int64)
        cdef int32_t[::1] left = left_of
        cdef double[::1] gain = gain_of
        cdef double[:, ::1] shares_of_node = share_of
        cdef int64_t[:, ::1] run = bounds_of
        cdef Splits splits = Splits(n=n // 2)
        for k in range(nodes.size()):
            left[k] = nodes[k].left
            shares_of_node[k, 0], shares_of_node[k, 1] = nodes[k].share[0], nodes[k].share[1]
            memcpy(&run[k, 0], nodes[k].bounds, sizeof(nodes[k].bounds))
            if nodes[k].left >= 0:
                gain[k] = nodes[k].gain
                splits.put(inner, nodes[k].split)
                inner += 1
        return left_of, splits, gain_of, share_of, bounds_of
