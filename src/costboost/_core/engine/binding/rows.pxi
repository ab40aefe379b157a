# Binned rows with their weights and histograms.

cdef extern from "gather.hpp" namespace "costboost" nogil:
    void c_gather_rows "costboost::gather_rows"(const Tiles&, const int64_t*, const MutableTiles&, int) except +


cdef extern from "histogram.hpp" namespace "costboost" nogil:
    cdef cppclass Workers:
        int64_t* scratch
        int n_threads

    cdef cppclass RowAmounts:
        const double* weight
        const int64_t* copies

    cdef cppclass SideChange:
        int feature
        uint8_t moved[2][256]
        double ratio[2]
        uint8_t classes[2]

    cdef cppclass Factors:
        CTest test
        double factor[4]
        uint8_t classes[2]

    void c_count_rows "costboost::count_rows"(const Tiles&, const int64_t*, int64_t*, const Workers&) except +
    void c_build_histogram "costboost::build_histogram"(const Tiles&, const double*, const uint8_t (&)[2], int64_t*, const Workers&) except +
    void c_build_node_histogram "costboost::build_node_histogram"(const Tiles&, const RowAmounts&, const CNodeRows&, int64_t*,
                                                                  const Workers&) except +
    void c_reweigh_side "costboost::reweigh_side"(const Tiles&, const SideChange&, double*, int64_t*, const Workers&) except +
    void c_reweigh_all "costboost::reweigh_all"(const Tiles&, const Factors&, double*, int) except +
    void c_reweigh_rows "costboost::reweigh_rows"(const uint32_t*, Range, double, double*) except +
    int64_t c_partition_rows "costboost::partition_rows"(const Tiles&, const CTest&, Range, uint32_t*, uint32_t*) except +


cdef extern from "regression.hpp" namespace "costboost" nogil:
    cdef cppclass ResponseSums:
        ResponseSums(const Tiles&, const int32_t*) except +

    void c_build_responses "costboost::build_responses"(const ResponseSums&, const CResponses&, const CNodeRows&, int64_t*,
                                                            vector[int64_t]&, const Workers&) except +


cdef class BinnedRows:
    """Binned rows, positives first, with their weights (in quanta) and class histograms."""

    cdef Tiles tiles
    cdef readonly object bytes
    cdef readonly object weight
    cdef readonly object histogram
    cdef readonly object n_bins
    cdef readonly object copies
    cdef object scratch
    cdef Workers workers
    cdef shared_ptr[ResponseSums] sums
    cdef vector[int64_t] own_sums
    cdef uint8_t* c_bytes
    cdef double* c_weight
    cdef int64_t* c_histogram
    cdef const int64_t* c_copies
    cdef readonly int n_threads

    def __init__(self, int64_t n_rows, int64_t n_positive, int n_features, int n_threads=1, bytes=None):
        """Room for bins, or rows whose bins are those of other rows."""
        if not 0 <= n_positive <= n_rows or n_rows < 1 or n_features < 1:
            raise ValueError("rows need at least one row and one feature")
        check_number_of_rows(n_rows)
        self.bytes = np.empty(n_rows * n_features + TILE_PADDING, dtype=np.uint8) if bytes is None else bytes
        cdef uint8_t[::1] view = self.bytes
        if view.shape[0] != n_rows * n_features + TILE_PADDING:
            raise ValueError("bytes must be those of as many rows and features")
        self.c_bytes = &view[0]
        if bytes is None:
            memset(self.c_bytes + n_rows * n_features, 0, TILE_PADDING)
        self.tiles.bytes = self.c_bytes
        self.tiles.n_rows = n_rows
        self.tiles.n_positive = n_positive
        self.tiles.n_features = n_features
        self.n_threads = max(1, n_threads)
        self.n_bins = np.full(n_features, N_BINS - 1, dtype=np.int32)
        self.c_weight = NULL
        self.c_histogram = NULL
        self.c_copies = NULL
        self.workers.scratch = NULL
        self.workers.n_threads = 1

    def count_copies(self, const int64_t[::1] copies):
        """Count every row as several where the rows of a leaf are counted."""
        self.c_copies = copies_of(copies, self.tiles.n_rows)
        self.copies = copies

    cdef const ResponseSums* response_sums(self) except NULL:
        """Built at the first call, when the bins have been filled."""
        cdef const int32_t[::1] n_bins = self.n_bins
        if self.sums.get() == NULL:
            self.sums = make_shared[ResponseSums](self.tiles, &n_bins[0])
        return self.sums.get()

    cdef int check_prepared(self) except -1:
        if self.c_weight == NULL:
            raise ValueError("rows have no weights yet: call prepare() first")
        return 0

    cdef Workers some_workers(self, int n_threads):
        cdef Workers workers = self.workers
        workers.n_threads = max(1, min(n_threads, workers.n_threads))
        return workers

    @property
    def n_rows(self):
        return self.tiles.n_rows

    @property
    def n_positive(self):
        return self.tiles.n_positive

    @property
    def n_features(self):
        return self.tiles.n_features

    def fill(self, const real[:, :] x, const double[:, ::1] cuts, const int32_t[::1] n_cuts,
             const uint8_t[::1] categorical, const uint8_t[::1] positive, int first_feature=0):
        """Bin the columns of x as features first_feature, ... ; positive marks the rows of the positive class."""
        check_length("x", x.shape[0], self.tiles.n_rows)
        check_length("positive", positive.shape[0], self.tiles.n_rows)
        if first_feature < 0 or first_feature + x.shape[1] > self.tiles.n_features:
            raise ValueError(f"columns {first_feature} to {first_feature + x.shape[1]} are not within 0 to {self.tiles.n_features}")
        check_shape("cuts", cuts.shape[0], cuts.shape[1], x.shape[1], N_BINS - 1)
        check_length("n_cuts", n_cuts.shape[0], x.shape[1])
        check_length("categorical", categorical.shape[0], x.shape[1])
        cdef Matrix[real] m = matrix_of(x)
        cdef Cuts given
        given.value = &cuts[0, 0]
        given.number = &n_cuts[0]
        given.categorical = &categorical[0]
        cdef MutableTiles out
        out.bytes = self.c_bytes
        out.n_rows = self.tiles.n_rows
        out.n_positive = self.tiles.n_positive
        out.n_features = self.tiles.n_features
        self.n_bins[first_feature : first_feature + x.shape[1]] = np.add(n_cuts, 1)
        with nogil:
            c_bin_rows(m, given, &positive[0], first_feature, out, self.n_threads)

    def take(self, const int64_t[::1] order, int64_t n_positive, int n_threads):
        """Rows of these numbers, in this order, positives first. Bins are copied; weights are not."""
        cdef int64_t n = order.shape[0]
        if n < 1 or np.min(order) < 0 or np.max(order) >= self.tiles.n_rows:
            raise ValueError(f"rows must be numbered from 0 to {self.tiles.n_rows - 1}")
        taken = BinnedRows(n, n_positive, self.tiles.n_features, n_threads)
        taken.n_bins[:] = self.n_bins
        cdef MutableTiles out
        out.bytes = taken.c_bytes
        out.n_rows = n
        out.n_positive = n_positive
        out.n_features = self.tiles.n_features
        with nogil:
            c_gather_rows(self.tiles, &order[0], out, n_threads)
        return taken

    def share(self, int n_threads):
        """The same rows with the same bins in memory, and with weights of their own."""
        shared = BinnedRows(self.tiles.n_rows, self.tiles.n_positive, self.tiles.n_features, n_threads, self.bytes)
        shared.n_bins[:] = self.n_bins
        return shared

    def beside(self):
        """The same rows for another thread: bins in the same memory, and weights and sums of its own."""
        cdef BinnedRows other = self.share(1)
        self.response_sums()
        other.n_bins, other.sums = self.n_bins, self.sums  # which refer to these numbers of bins
        other.copies, other.c_copies = self.copies, self.c_copies
        other.prepare()
        return other

    def column(self, int feature):
        """Bins of one feature, as a strided view."""
        check_feature(feature, self.tiles.n_features)
        cdef int64_t tile = feature // 8, width = min(8, self.tiles.n_features - 8 * tile)
        start = tile * 8 * self.tiles.n_rows + feature % 8
        return self.bytes[start : start + (self.tiles.n_rows - 1) * width + 1 : width]

    def look_up(self, int feature, const double[::1] table):
        """The table's value of the bin of every row."""
        check_length("table", table.shape[0], N_BINS)
        check_feature(feature, self.tiles.n_features)
        out = np.empty(self.tiles.n_rows)
        cdef double[::1] view = out
        with nogil:
            c_look_up(self.tiles, feature, &table[0], &view[0], self.n_threads)
        return out

    def prepare(self):
        """Allocate weights, histograms and the scratch of threads."""
        shape = (2, self.tiles.n_features, N_BINS)
        self.weight = np.empty(self.tiles.n_rows)
        self.histogram = np.zeros(shape, dtype=np.int64)
        self.scratch = np.zeros((self.n_threads - 1, *shape), dtype=np.int64)
        cdef double[::1] w = self.weight
        cdef int64_t[:, :, ::1] h = self.histogram
        cdef int64_t[:, :, :, ::1] s = self.scratch
        self.c_weight = &w[0]
        self.c_histogram = &h[0, 0, 0]
        self.workers.scratch = &s[0, 0, 0, 0] if self.n_threads > 1 else NULL
        self.workers.n_threads = self.n_threads

    def count(self, bint copies=False):
        """Rows of each class in each bin, or copies of rows."""
        counts = np.zeros((2, self.tiles.n_features, N_BINS), dtype=np.int64)
        cdef int64_t[:, :, ::1] c = counts
        with nogil:
            c_count_rows(self.tiles, self.c_copies if copies else NULL, &c[0, 0, 0], self.workers)
        return counts

    def build(self, bint positives=True, bint negatives=True):
        """Build the histograms of the chosen classes from zero."""
        cdef uint8_t classes[2]
        self.check_prepared()
        classes[0] = positives
        classes[1] = negatives
        with nogil:
            c_build_histogram(self.tiles, self.c_weight, classes, self.c_histogram, self.workers)

    def build_responses(self, responses, node, int64_t[:, :, ::1] histogram, int n_threads):
        """Sum response and weight in quanta over all rows, or over those of a node.

        responses: response times weight, weight, and the scales that make quanta of both. node: None, or rows and four bounds of
        two runs of them. Bins that a feature does not have are left as they are.
        """
        cdef const ResponseSums* sums = self.response_sums()
        cdef CResponses of = responses_of(responses, self.tiles.n_rows)
        cdef CNodeRows rows = node_of(node, self.tiles.n_rows)
        cdef Workers workers = self.some_workers(n_threads)
        check_histogram("histogram", histogram, self.tiles.n_features)
        with nogil:
            c_build_responses(sums[0], of, rows, &histogram[0, 0, 0], self.own_sums, workers)

    def sum_columns(self, responses, node, const int32_t[::1] features):
        """Sum two amounts in the bins of some features, over all rows or those of a node; see `build_responses`."""
        cdef CResponses of = responses_of(responses, self.tiles.n_rows)
        cdef CNodeRows rows = node_of(node, self.tiles.n_rows)
        cdef int n = features.shape[0], k
        for k in range(n):
            check_feature(features[k], self.tiles.n_features)
        sums = np.empty((2, n, N_BINS), dtype=np.int64)
        cdef int64_t[:, :, ::1] view = sums
        if n:
            with nogil:
                c_sum_columns(self.tiles, of, rows, &features[0], n, &view[0, 0, 0], self.n_threads)
        return sums

    def sum_moments(self, const double[::1] amount, const double[::1] rate, node, const int32_t[::1] features):
        """Sum amount times rate^k, k = 0 to 3, each rounded to a whole number; see `sum_columns`."""
        cdef CNodeRows rows = node_of(node, self.tiles.n_rows)
        cdef int n = features.shape[0], k
        check_length("amount", amount.shape[0], self.tiles.n_rows)
        check_length("rate", rate.shape[0], self.tiles.n_rows)
        for k in range(n):
            check_feature(features[k], self.tiles.n_features)
        sums = np.empty((4, n, N_BINS), dtype=np.int64)
        cdef int64_t[:, :, ::1] view = sums
        if n:
            with nogil:
                c_sum_moments(self.tiles, &amount[0], &rate[0], rows, &features[0], n, &view[0, 0, 0], self.n_threads)
        return sums

    def build_node(self, node, int64_t[:, :, ::1] histogram, bint counting, int n_threads):
        """Sum the weights of a node's rows by class, or count the rows (copies of rows, if there are any).

        node: rows and four bounds of two runs of them, positives and negatives.
        """
        cdef CNodeRows rows = node_of(node, self.tiles.n_rows)
        cdef Workers workers = self.some_workers(n_threads)
        cdef RowAmounts amounts
        self.check_prepared()
        check_histogram("histogram", histogram, self.tiles.n_features)
        if rows.listed == NULL:
            raise ValueError("node is None, expected rows and four bounds")
        amounts.weight = self.c_weight
        if counting:
            amounts.weight = NULL
        amounts.copies = self.c_copies
        with nogil:
            c_build_node_histogram(self.tiles, amounts, rows, &histogram[0, 0, 0], workers)

    def reweigh_side(self, Split split, ratios, moves_left, which):
        """Multiply the weights of one side, the left one where moves_left, of the classes in which; histograms follow.

        ratios, moves_left, which: one entry for the positives, one for the negatives.
        """
        cdef SideChange change
        cdef int b
        cdef bint left_positive, left_negative
        self.check_prepared()
        left_positive, left_negative = moves_left
        for b in range(N_BINS):
            change.moved[0][b] = split.c.left[b] == left_positive
            change.moved[1][b] = split.c.left[b] == left_negative
        change.classes[0], change.classes[1] = which
        change.ratio[0], change.ratio[1] = ratios
        change.feature = self.feature_of(split)
        with nogil:
            c_reweigh_side(self.tiles, change, self.c_weight, self.c_histogram, self.workers)

    def reweigh_all(self, Split split, factors, which):
        """Multiply every weight of the classes in which by its (class, side) factor; histograms are left as they are."""
        cdef Factors f
        self.check_prepared()
        f.factor[0], f.factor[1], f.factor[2], f.factor[3] = factors
        f.classes[0], f.classes[1] = which
        f.test = self.test_of(split)
        with nogil:
            c_reweigh_all(self.tiles, f, self.c_weight, self.n_threads)

    cdef int feature_of(self, Split split) except -1:
        """The feature of a split; the first one for a constant, whose bins all go right."""
        cdef int feature = max(split.c.feature, 0)
        check_feature(feature, self.tiles.n_features)
        return feature

    cdef CTest test_of(self, Split split) except *:
        cdef CTest test
        test.feature = self.feature_of(split)
        test.left = split.c.left
        return test

    def reweigh_rows(self, const uint32_t[::1] rows, int64_t begin, int64_t end, double factor):
        """Multiply the weights of rows[begin:end]."""
        cdef Range r
        self.check_prepared()
        check_run(begin, end, rows.shape[0])
        r.begin = begin
        r.end = end
        if begin < end:
            with nogil:
                c_reweigh_rows(&rows[0], r, factor, self.c_weight)

    def partition(self, Split split, int64_t begin, int64_t end, uint32_t[::1] rows, uint32_t[::1] spare):
        """Bring the rows[begin:end] that go left to the front; return where the right ones begin.

        spare: room for as many rows.
        """
        cdef Range r
        cdef int64_t middle
        cdef CTest test = self.test_of(split)
        check_run(begin, end, rows.shape[0])
        check_run(0, end - begin, spare.shape[0])
        if begin == end:
            return end
        r.begin = begin
        r.end = end
        with nogil:
            middle = c_partition_rows(self.tiles, test, r, &rows[0], &spare[0])
        return middle

    def leaves(self, Splits splits, const int32_t[::1] child):
        """The leaf of every row in a tree of tests.

        splits: those of the inner nodes, at least one. child: two of each, left and right, another inner node or ~leaf.
        """
        cdef BinnedTree tree = self.tree_of(splits, child)
        out = np.empty(self.tiles.n_rows, dtype=np.int32)
        cdef int32_t[::1] leaf = out
        with nogil:
            c_find_leaves(self.tiles, tree, &leaf[0], self.n_threads)
        return out

    cdef BinnedTree tree_of(self, Splits splits, const int32_t[::1] child) except *:
        cdef BinnedTree tree
        cdef int64_t k, n = splits.c_feature.shape[0]
        check_some("splits", n)
        check_length("child", child.shape[0], 2 * n)
        for k in range(n):
            check_feature(splits.c_feature[k], self.tiles.n_features)
            if child[2 * k] >= n or child[2 * k + 1] >= n:
                raise ValueError(f"node {k} has a child that does not exist: there are {n} nodes")
        tree.feature = &splits.c_feature[0]
        tree.child = &child[0]
        tree.left = &splits.c_left[0, 0]
        return tree

    def sum_staged(self, Splits splits, const double[:, ::1] value, const double[::1] limit, const double[::1] row_limit,
                   const int64_t[::1] amount):
        """For an ensemble of stumps, the amount of each class whose score is above the limit after each round: n_rounds x 2.

        value: on the left and on the right, of each round. row_limit, amount: of every row, or None.
        """
        cdef StumpRounds stumps
        cdef Above counted
        cdef int64_t k, n = splits.c_feature.shape[0]
        above = np.zeros((n, 2), dtype=np.int64)
        cdef int64_t[:, ::1] a = above
        check_shape("value", value.shape[0], value.shape[1], n, 2)
        check_length("limit", limit.shape[0], n)
        for k in range(n):
            check_feature(max(splits.c_feature[k], 0), self.tiles.n_features)
        counted.row_limit = NULL
        counted.amount = NULL
        if row_limit is not None:
            check_length("row_limit", row_limit.shape[0], self.tiles.n_rows)
            counted.row_limit = &row_limit[0]
        if amount is not None:
            check_length("amount", amount.shape[0], self.tiles.n_rows)
            counted.amount = &amount[0]
        if n:
            counted.limit = &limit[0]
            stumps.n = <int>n
            stumps.feature = &splits.c_feature[0]
            stumps.left = &splits.c_left[0, 0]
            stumps.value = &value[0, 0]
            with nogil:
                c_sum_staged(self.tiles, stumps, counted, &a[0, 0], self.n_threads)
        return above
