# Trees grown on binned rows, best gain first.

cdef extern from "grow.hpp" namespace "costboost" nogil:
    cdef cppclass GrowNode:
        int64_t bounds[4]
        double share[2]
        int depth, left
        double gain
        CSplit split
        CBounds levels

    cdef cppclass GrowInput:
        CCriterion criterion
        double unit[2]
        double share[2]
        const int64_t* root
        RowAmounts rows
        CResponses responses
        const ResponseSums* sums
        CNodeRows drawn
        FeatureDraw draw

    cdef cppclass CGrower "costboost::Grower":
        CGrower(const Tiles&, const CFeatures&, int) except +
        uint32_t* order() except +
        const int64_t* totals()
        const vector[GrowNode]& grow(const GrowInput&, const CTreeLimits&, const Workers&) except +


cdef extern from "open_leaves.hpp" namespace "costboost" nogil:
    cdef cppclass COpenLeaves "costboost::OpenLeaves":
        void add(double) except +
        void close(int) except +
        int first_of_greatest(double) except +


cdef class OpenLeaves:
    """The leaves of a growing tree that may be divided, numbered as they come."""

    cdef COpenLeaves c

    def add(self, double gain):
        """Add a leaf; one without gain is never divided."""
        self.c.add(gain)

    def close(self, int leaf):
        """Remove a leaf that is divided."""
        self.c.close(leaf)

    def first_of_greatest(self, double tolerance):
        """The first leaf whose gain is within the tolerance of the greatest; None if no gain is above the tolerance."""
        cdef int leaf = self.c.first_of_greatest(tolerance)
        return None if leaf < 0 else leaf


cdef class Grower:
    """Grows trees on the rows of one shard, in memory that is used again for each.

    n_growers: how many growers share the memory that histograms of a tree may take.
    """

    cdef CGrower* c
    cdef BinnedRows rows
    cdef object features
    cdef readonly object order

    def __cinit__(self, BinnedRows rows, features, int n_growers=1):
        self.rows = rows
        self.features = features
        self.c = new CGrower(rows.tiles, features_of(features, rows.tiles.n_features), max(1, n_growers))
        cdef uint32_t[::1] order = <uint32_t[:rows.tiles.n_rows]>self.c.order()
        self.order = np.asarray(order)

    def __dealloc__(self):
        del self.c

    def grow(self, responses, units, shares, criterion, limits, drawn=None, draw=None):
        """The nodes in the order in which they were made: first child or -1, splits of those that have children, then gain, shares,
        bounds of the rows and least and greatest level of all; and two sums over all rows in quanta, or None if units are given.

        responses: None for the weights of the rows, or response times weight, weight and their scales. units, shares: worth of a
        quantum, and sum over the rows that the tree is grown on, of either class. drawn: these rows and four bounds, or None for all;
        the histogram of the rows must be theirs. Without units and shares, the histogram of the responses of all rows is built here,
        and units are such that their weights add up to 1. draw: for all nodes; see `draw_of`.
        """
        cdef GrowInput given
        cdef CTreeLimits limit = limits_of(limits)
        cdef const vector[GrowNode]* nodes
        cdef size_t k
        cdef int64_t inner = 0
        self.rows.check_prepared()
        check_groups(limits.interactions, self.rows.tiles.n_features)
        given.criterion = criterion_of(criterion)
        given.root = NULL
        if units is not None:
            given.unit[0], given.unit[1] = units
            given.share[0], given.share[1] = shares
            given.root = self.rows.c_histogram
        elif responses is None or drawn is not None:
            raise ValueError("units and shares are missing: only of responses of all rows they are computed")
        given.rows.weight = self.rows.c_weight
        given.rows.copies = self.rows.c_copies
        given.sums = NULL
        given.drawn = node_of(drawn, self.rows.tiles.n_rows)
        if drawn is None:
            given.drawn.bounds[1] = given.drawn.bounds[2] = self.rows.tiles.n_positive
        given.draw = draw_of(draw)
        if responses is not None:
            given.responses = responses_of(responses, self.rows.tiles.n_rows)
            given.sums = self.rows.response_sums()
        with nogil:
            nodes = &self.c.grow(given, limit, self.rows.workers)
        n = nodes.size()
        left_of, gain_of, share_of, runs_of = np.empty(n, np.int32), np.zeros(n), np.empty((n, 2)), np.empty((n, 4), np.int64)
        levels_of = np.empty((n, 2))
        cdef double[:, ::1] levels = levels_of
        cdef int32_t[::1] left = left_of
        cdef double[::1] gain = gain_of
        cdef double[:, ::1] shares_of_node = share_of
        cdef int64_t[:, ::1] run = runs_of
        cdef Splits splits = Splits(n=n // 2)
        cdef const GrowNode* node
        for k in range(nodes.size()):
            node = &nodes[0][k]
            left[k] = node.left
            shares_of_node[k, 0], shares_of_node[k, 1] = node.share[0], node.share[1]
            memcpy(&run[k, 0], node.bounds, sizeof(node.bounds))
            levels[k, 0], levels[k, 1] = node.levels.low, node.levels.high
            if node.left >= 0:
                gain[k] = node.gain
                splits.put(inner, node.split)
                inner += 1
        sums = None if units is not None else (self.c.totals()[0], self.c.totals()[1])
        return left_of, splits, gain_of, share_of, runs_of, levels_of, sums


def leaf_means(const double[:, ::1] share, double penalty, double largest):
    """Mean response of each leaf: its share of the response by its share of the weight and the penalty, clipped.

    share: of response and weight, of each leaf. A leaf without weight has the mean 0.
    """
    cdef Py_ssize_t k, n = share.shape[0]
    check_shape("share", n, share.shape[1], n, 2)
    out = np.empty(n)
    cdef double[::1] mean = out
    for k in range(n):
        mean[k] = share[k, 0] / (share[k, 1] + penalty) if share[k, 1] > 0 else 0.0
        mean[k] = min(max(mean[k], -largest), largest)
    return out
