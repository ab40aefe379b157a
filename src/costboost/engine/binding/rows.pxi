# Binned rows with their weights and histograms.

cdef extern from "histogram.hpp" namespace "costboost" nogil:
    void c_count_rows "costboost::count_rows"(const Tiles&, const int64_t*, int64_t*, int64_t*, int) except +
    void c_build_histogram "costboost::build_histogram"(const Tiles&, const double*, const uint8_t (&)[2], int64_t*,
                                                        int64_t*, int) except +
    void c_build_node_histogram "costboost::build_node_histogram"(const Tiles&, const double*, const int64_t*, const uint32_t*,
                                                                  const int64_t (&)[4], int64_t*, int64_t*, int) except +
    void c_reweigh_side "costboost::reweigh_side"(const Tiles&, int, const uint8_t (*)[256], const double (&)[2],
                                                  const uint8_t (&)[2], double*, int64_t*, int64_t*, int) except +
    void c_reweigh_all "costboost::reweigh_all"(const Tiles&, int, const uint8_t*, const double (&)[4],
                                                const uint8_t (&)[2], double*, int) except +
    void c_reweigh_rows "costboost::reweigh_rows"(const uint32_t*, Range, double, double*) except +
    int64_t c_partition_rows "costboost::partition_rows"(const Tiles&, int, const uint8_t*, Range, uint32_t*, uint32_t*) except +


cdef extern from "regression.hpp" namespace "costboost" nogil:
    cdef cppclass PairSums:
        PairSums(const Tiles&, const int32_t*) except +

    void c_build_pairs "costboost::build_pairs"(PairSums&, const double*, const double*, const double (&)[2], const uint32_t*,
                                                const int64_t (&)[4], int64_t*, int64_t*, int) except +


cdef class BinnedRows:
    """Binned rows, positives first, with their weights (in quanta) and class histograms."""

    cdef Tiles tiles
    cdef readonly object bytes
    cdef readonly object weight
    cdef readonly object histogram
    cdef readonly object n_bins
    cdef readonly object copies
    cdef object scratch
    cdef PairSums* sums
    cdef uint8_t* c_bytes
    cdef double* c_weight
    cdef int64_t* c_histogram
    cdef int64_t* c_scratch
    cdef const int64_t* c_copies
    cdef readonly int n_threads

    def __init__(self, int64_t n_rows, int64_t n_positive, int n_features, int n_threads=1):
        if not 0 <= n_positive <= n_rows or n_rows < 1 or n_features < 1:
            raise ValueError("rows need at least one row and one feature")
        self.bytes = np.empty(n_rows * n_features + TILE_PADDING, dtype=np.uint8)
        cdef uint8_t[::1] view = self.bytes
        self.c_bytes = &view[0]
        memset(self.c_bytes + n_rows * n_features, 0, TILE_PADDING)
        self.tiles.bytes = self.c_bytes
        self.tiles.n_rows = n_rows
        self.tiles.n_positive = n_positive
        self.tiles.n_features = n_features
        self.n_threads = max(1, n_threads)
        self.n_bins = np.full(n_features, N_BINS - 1, dtype=np.int32)
        self.c_weight = NULL
        self.c_copies = NULL

    def __dealloc__(self):
        del self.sums

    def count_copies(self, const int64_t[::1] copies):
        """Let every row stand for so many rows where the rows of a leaf are counted."""
        self.c_copies = copies_of(copies, self.tiles.n_rows)
        self.copies = copies

    cdef PairSums* pair_sums(self) except NULL:
        """Made when they are first asked for: the rows have to be there."""
        cdef const int32_t[::1] n_bins = self.n_bins
        if self.sums == NULL:
            self.sums = new PairSums(self.tiles, &n_bins[0])
        return self.sums

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
        if (x.shape[0] != self.tiles.n_rows or positive.shape[0] != self.tiles.n_rows
                or first_feature + x.shape[1] > self.tiles.n_features or cuts.shape[0] != x.shape[1]
                or cuts.shape[1] != N_BINS - 1 or n_cuts.shape[0] != x.shape[1] or categorical.shape[0] != x.shape[1]):
            raise ValueError("shapes do not belong together")
        cdef Matrix[real] m = matrix_of(x)
        cdef MutableTiles out
        out.bytes = self.c_bytes
        out.n_rows = self.tiles.n_rows
        out.n_positive = self.tiles.n_positive
        out.n_features = self.tiles.n_features
        self.n_bins[first_feature : first_feature + x.shape[1]] = np.add(n_cuts, 1)
        with nogil:
            c_bin_rows(m, &cuts[0, 0], &n_cuts[0], &categorical[0], &positive[0], first_feature, out, self.n_threads)

    def column(self, int feature):
        """Bins of one feature, as a strided view."""
        cdef int64_t tile = feature // 8, width = min(8, self.tiles.n_features - 8 * tile)
        start = tile * 8 * self.tiles.n_rows + feature % 8
        return self.bytes[start : start + (self.tiles.n_rows - 1) * width + 1 : width]

    def look_up(self, int feature, const double[::1] table):
        """What the bin of every row is worth."""
        if table.shape[0] != N_BINS or not 0 <= feature < self.tiles.n_features:
            raise ValueError("a table has 256 entries, a feature a number")
        out = np.empty(self.tiles.n_rows)
        cdef double[::1] view = out
        with nogil:
            c_look_up(self.tiles, feature, &table[0], &view[0], self.n_threads)
        return out

    def prepare(self):
        """Allocate what training needs, once."""
        shape = (2, self.tiles.n_features, N_BINS)
        self.weight = np.empty(self.tiles.n_rows)
        self.histogram = np.zeros(shape, dtype=np.int64)
        self.scratch = np.zeros((self.n_threads - 1, *shape), dtype=np.int64)
        cdef double[::1] w = self.weight
        cdef int64_t[:, :, ::1] h = self.histogram
        cdef int64_t[:, :, :, ::1] s = self.scratch
        self.c_weight = &w[0]
        self.c_histogram = &h[0, 0, 0]
        self.c_scratch = &s[0, 0, 0, 0] if self.n_threads > 1 else NULL

    def count(self, bint copies=False):
        """Rows of each class in each bin, or copies of rows."""
        counts = np.zeros((2, self.tiles.n_features, N_BINS), dtype=np.int64)
        cdef int64_t[:, :, ::1] c = counts
        with nogil:
            c_count_rows(self.tiles, self.c_copies if copies else NULL, &c[0, 0, 0], self.c_scratch, self.n_threads)
        return counts

    def build(self, bint positives=True, bint negatives=True):
        """Histograms of the classes asked for, anew."""
        cdef uint8_t classes[2]
        classes[0] = positives
        classes[1] = negatives
        with nogil:
            c_build_histogram(self.tiles, self.c_weight, classes, self.c_histogram, self.c_scratch, self.n_threads)

    def build_pairs(self, const double[::1] response, const double[::1] weight, scales, rows, bounds,
                    int64_t[:, :, ::1] histogram, int n_threads):
        """Sums of response and weight in quanta, of which scales make one, over all rows or two runs of those listed.

        Bins that a feature does not have are left as they are.
        """
        cdef PairSums* sums = self.pair_sums()
        cdef int64_t b[4]
        cdef double scale[2]
        scale[0], scale[1] = scales
        cdef const uint32_t[::1] listed
        cdef const uint32_t* c_listed = NULL
        if rows is None:
            b[0] = 0
            b[1] = b[2] = b[3] = self.tiles.n_rows
        else:
            for i in range(4):
                b[i] = bounds[i]
            listed = rows
            c_listed = &listed[0]
        with nogil:
            c_build_pairs(sums[0], &response[0], &weight[0], scale, c_listed, b, &histogram[0, 0, 0], self.c_scratch,
                          min(n_threads, self.n_threads))

    def build_node(self, const uint32_t[::1] rows, bounds, int64_t[:, :, ::1] histogram, bint counting, int n_threads):
        """Histogram of weights, or of row counts (copies of rows, if there are any), of rows[bounds[0]:bounds[1]] and rows[bounds[2]:bounds[3]]."""
        cdef int64_t b[4]
        cdef const double* weight = self.c_weight
        if counting:
            weight = NULL
        for i in range(4):
            b[i] = bounds[i]
        with nogil:
            c_build_node_histogram(self.tiles, weight, self.c_copies, &rows[0], b, &histogram[0, 0, 0], self.c_scratch,
                                   min(n_threads, self.n_threads))

    def reweigh_side(self, Split split, ratios, moves_left, which):
        """Multiply the weights of one side, the left one where moves_left, of the classes in which; histograms follow.

        ratios, moves_left, which: one entry for the positives, one for the negatives.
        """
        cdef uint8_t moved[2][256]
        cdef uint8_t classes[2]
        cdef double ratio[2]
        cdef int b
        cdef bint left_positive, left_negative
        left_positive, left_negative = moves_left
        for b in range(N_BINS):
            moved[0][b] = split.c.left[b] == left_positive
            moved[1][b] = split.c.left[b] == left_negative
        classes[0], classes[1] = which
        ratio[0], ratio[1] = ratios
        cdef int feature = max(split.c.feature, 0)
        with nogil:
            c_reweigh_side(self.tiles, feature, moved, ratio, classes, self.c_weight, self.c_histogram, self.c_scratch,
                           self.n_threads)

    def reweigh_all(self, Split split, factors, which):
        """Multiply every weight of the classes in which by its (class, side) factor; histograms are left as they are."""
        cdef double f[4]
        cdef uint8_t classes[2]
        for i in range(4):
            f[i] = factors[i]
        classes[0], classes[1] = which
        cdef int feature = max(split.c.feature, 0)
        with nogil:
            c_reweigh_all(self.tiles, feature, split.c.left, f, classes, self.c_weight, self.n_threads)

    def reweigh_rows(self, const uint32_t[::1] rows, int64_t begin, int64_t end, double factor):
        """Multiply the weights of rows[begin:end]."""
        cdef Range r
        r.begin = begin
        r.end = end
        if begin < end:
            with nogil:
                c_reweigh_rows(&rows[0], r, factor, self.c_weight)

    def partition(self, Split split, int64_t begin, int64_t end, uint32_t[::1] rows, uint32_t[::1] spare):
        """Bring the rows[begin:end] that go left to the front; where the right ones begin."""
        cdef Range r
        cdef int64_t middle
        r.begin = begin
        r.end = end
        with nogil:
            middle = c_partition_rows(self.tiles, max(split.c.feature, 0), split.c.left, r, &rows[0], &spare[0])
        return middle

    def leaves(self, const int32_t[::1] feature, const int32_t[::1] child, const uint8_t[:, ::1] left):
        """The leaf of every row; see kernels/predict.hpp for the arrays."""
        out = np.empty(self.tiles.n_rows, dtype=np.int32)
        cdef int32_t[::1] leaf = out
        with nogil:
            c_find_leaves(self.tiles, &feature[0], &child[0], &left[0, 0], &leaf[0], self.n_threads)
        return out

    def sum_staged(self, const int32_t[::1] feature, const uint8_t[:, ::1] left, const double[:, ::1] value,
                   const double[::1] limit, const double[::1] row_limit, const int64_t[::1] amount):
        """For an ensemble of stumps, the amount of each class above each round's limit: n_rounds x 2."""
        above = np.zeros((feature.shape[0], 2), dtype=np.int64)
        cdef int64_t[:, ::1] a = above
        cdef const double* limits = NULL
        cdef const int64_t* amounts = NULL
        if row_limit is not None:
            limits = &row_limit[0]
        if amount is not None:
            amounts = &amount[0]
        if feature.shape[0]:
            with nogil:
                c_sum_staged(self.tiles, <int>feature.shape[0], &feature[0], &left[0, 0], &value[0, 0], &limit[0],
                             limits, amounts, &a[0, 0], self.n_threads)
        return above
