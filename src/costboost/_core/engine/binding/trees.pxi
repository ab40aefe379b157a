# Trees grown on binned rows, best gain first.

cdef extern from "block_source.hpp" namespace "costboost" nogil:
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

    cdef cppclass BlockSource:
        BlockSource(const Tiles&, const CFeatures&, int) except +
        uint32_t* order() except +
        const int64_t* bounds(int)
        const int64_t* totals()
        void begin(const GrowInput&, const CTreeLimits&, const Workers&, const CFrontier&) except +

    void c_grow "costboost::grow"(BlockSource&, CFrontier&) except +


cdef class Grower:
    """Grows trees on the rows of one shard, in memory that is used again for each.

    n_growers: how many growers share the memory that histograms of a tree may take.
    """

    cdef BlockSource* source
    cdef CFrontier tree
    cdef BinnedRows rows
    cdef object features
    cdef readonly object order

    def __cinit__(self, BinnedRows rows, features, int n_growers=1):
        self.rows = rows
        self.features = features
        self.source = new BlockSource(rows.tiles, features_of(features, rows.tiles.n_features), max(1, n_growers))
        cdef uint32_t[::1] order = <uint32_t[:rows.tiles.n_rows]>self.source.order()
        self.order = np.asarray(order)

    def __dealloc__(self):
        del self.source

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
        cdef int k
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
            self.tree.begin(limit, Order.GREATEST_GAIN)
            self.source.begin(given, limit, self.rows.workers, self.tree)
            c_grow(self.source[0], self.tree)
        left, splits, gain, share, levels = laid_of(self.tree)
        bounds = np.empty((len(left), 4), np.int64)
        cdef int64_t[:, ::1] bounds_view = bounds
        for k in range(self.tree.size()):
            memcpy(&bounds_view[k, 0], self.source.bounds(k), 4 * sizeof(int64_t))
        sums = None if units is not None else (self.source.totals()[0], self.source.totals()[1])
        return left, splits, gain, share, bounds, levels, sums


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
