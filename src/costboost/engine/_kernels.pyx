# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# cython: freethreading_compatible=True
"""Thin binding of the C++ kernels: checks shapes, releases the GIL, holds no formula."""

from libc.limits cimport INT_MAX
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset
from libcpp cimport bool as cbool
from libcpp.vector cimport vector

import numpy as np

ctypedef fused real:
    float
    double


cdef extern from "Python.h":
    int PyErr_CheckSignals() noexcept  # leaves the exception to whoever asks


cdef int signalled() noexcept with gil:
    """Not 0 where a signal, such as that of Ctrl-C, has raised an exception."""
    return PyErr_CheckSignals()


cdef extern from "interrupt.hpp" namespace "costboost" nogil:
    cdef cppclass Interrupt:
        int (*asked)() noexcept


cdef extern from "open_leaves.hpp" namespace "costboost" nogil:
    cdef cppclass COpenLeaves "costboost::OpenLeaves":
        void add(double) except +
        void close(int) except +
        int first_of_greatest(double) except +


cdef extern from "parallel.hpp" namespace "costboost" nogil:
    int offered_threads() except +


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


cdef extern from "search.hpp" namespace "costboost" nogil:
    cdef enum class Criterion "costboost::Criterion"(int):
        pass

    cdef cppclass CSplit "costboost::Split":
        int feature, bin, polarity, missing_left
        double value
        int64_t cell[4]
        uint8_t left[256]

    cdef cppclass SearchInput:
        const int64_t* histogram
        int n_features
        double unit[2]
        const int32_t* n_bins
        const uint8_t* categorical
        int64_t min_samples_leaf
        Criterion criterion
        double smoothing
        double cost[2]

    cdef cppclass LeafLoss:
        Criterion criterion
        double smoothing
        double cost[2]
        double apply "operator()"(double, double) except +

    CSplit c_best_split "costboost::best_split"(const SearchInput&, const int64_t*, cbool, int) except +
    void c_table_losses "costboost::table_losses"(const SearchInput&, double*) except +
    void c_line_losses "costboost::line_losses"(const SearchInput&, const double*, double*) except +


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


cdef extern from "rowwise.hpp" namespace "costboost" nogil:
    cdef cppclass Logit:
        const double* slope_of
        const double* offset_of
        double slope, offset

    cdef cppclass LogisticRows:
        const double* label
        const double* start
        const double* share
        Logit logit

    cdef cppclass Working:
        double* response
        double* weight
        double limit
        cbool plain

    void c_likelihood "costboost::likelihood"(const LogisticRows&, const double*, int64_t, double*, const Working*,
                                              double (&)[3], int) except +
    double c_greatest_size "costboost::greatest_size"(const double*, int64_t) except +
    int64_t c_sum_of_quanta "costboost::sum_of_quanta"(const double*, int64_t, double, int) except +
    int64_t c_weight_against "costboost::weight_against"(const double*, const double*, const double*, int64_t, double, int) except +

    cdef cppclass Moments:
        int64_t sum[3]

    Moments c_moments "costboost::moments"(const double*, const double*, const double*, int64_t, const double (&)[2], int) except +
    cbool c_bin_means "costboost::bin_means"(const uint8_t*, const double*, const int64_t*, int64_t, double (&)[256]) except +
    void c_look_up "costboost::look_up"(const Tiles&, int, const double*, double*, int) except +


cdef extern from "predict.hpp" namespace "costboost" nogil:
    cdef cppclass Nodes:
        const int32_t* first
        int n_trees
        const int32_t* feature
        const double* threshold
        const int32_t* left
        const uint8_t* missing_left
        const int32_t* category_set
        const double* value
        const uint8_t* categories

    cbool c_predict_stumps "costboost::predict_stumps"[T](const Matrix[T]&, const Nodes&, int, int, double*, int) except +
    cbool c_predict_trees "costboost::predict_trees"[T](const Matrix[T]&, const Nodes&, int, int, double*, int) except +
    void c_find_leaves "costboost::find_leaves"(const Tiles&, const int32_t*, const int32_t*, const uint8_t*, int32_t*, int) except +
    void c_sum_staged "costboost::sum_staged"(const Tiles&, int, const int32_t*, const uint8_t*, const double*,
                                              const double*, const double*, const int64_t*, int64_t*, int) except +


BINS = N_BINS
MISSING = N_BINS - 1
PADDING = TILE_PADDING

VOTE = 0
LEAF_ERROR = 1
EXPONENTIAL = 2
SQUARED = 3
COST_EXPONENTIAL = 4
SQUARES = 5
JOINT = 6
ENTROPY = 7


MOST_ROWS = 1 << 60


cdef int limit_of(value) except? -2:
    """A limit on depth or leaves, -1 for none; no tree reaches one that no C integer holds."""
    return -1 if value is None else min(value, INT_MAX)


cdef int64_t rows_of(value) except? -2:
    """A number of rows; so many as no 64-bit integer holds are never there either."""
    return min(value, MOST_ROWS)


def leaf_loss(int criterion, double smoothing, double cost_positive, double cost_negative, double p, double q):
    """What a leaf with shares p and q of the two classes adds to the criterion."""
    cdef LeafLoss loss
    loss.criterion = <Criterion>criterion
    loss.smoothing = smoothing
    loss.cost[0] = cost_positive
    loss.cost[1] = cost_negative
    return loss.apply(p, q)


def available_threads() -> int:
    """Threads OpenMP would use here: threadpoolctl, OMP_NUM_THREADS and nesting are respected."""
    return offered_threads()


# ---- row by row ------------------------------------------------------------------------------------------------

cdef const int64_t* copies_of(const int64_t[::1] copies, int64_t n_rows) except? NULL:
    if copies is None:
        return NULL
    if copies.shape[0] != n_rows:
        raise ValueError("one number of copies a row")
    return &copies[0]


def greatest_size(const double[::1] values):
    """The greatest absolute value; 0 if there are none."""
    return c_greatest_size(&values[0], values.shape[0]) if values.shape[0] else 0.0


def sum_of_quanta(const double[::1] values, double scale, int n_threads=1):
    """The sum of the values times scale, each rounded to a whole number."""
    cdef int64_t total = 0
    if values.shape[0]:
        with nogil:
            total = c_sum_of_quanta(&values[0], values.shape[0], scale, n_threads)
    return total


def weight_against(const double[::1] weight, const double[::1] label, const double[::1] direction, double scale, int n_threads):
    """Quanta of the weight on rows whose label and direction differ in sign."""
    cdef int64_t total = 0
    if not weight.shape[0] == label.shape[0] == direction.shape[0]:
        raise ValueError("one of each a row")
    if weight.shape[0]:
        with nogil:
            total = c_weight_against(&weight[0], &label[0], &direction[0], weight.shape[0], scale, n_threads)
    return total


def moments(const double[::1] x, const double[::1] response, const double[::1] weight, scales, int n_threads):
    """Quanta of w x, w x^2 and r x over all rows, for x from -1 to 1; scales make quanta of response and weight."""
    cdef Moments found
    cdef double scale[2]
    if not x.shape[0] == response.shape[0] == weight.shape[0] or not x.shape[0]:
        raise ValueError("one of each a row")
    scale[0], scale[1] = scales
    with nogil:
        found = c_moments(&x[0], &response[0], &weight[0], x.shape[0], scale, n_threads)
    return found.sum[0], found.sum[1], found.sum[2]


def fill_runs(const uint32_t[::1] order, const int64_t[:, ::1] bounds, const double[::1] values, double[::1] out):
    """The k-th value for the rows of the k-th two runs of the order."""
    cdef Py_ssize_t k, z
    cdef int64_t i
    if bounds.shape[0] != values.shape[0] or bounds.shape[1] != 4 or order.shape[0] != out.shape[0]:
        raise ValueError("two runs for every value, a place for every row")
    for k in range(bounds.shape[0]):
        for z in range(2):
            if not 0 <= bounds[k, 2 * z] <= bounds[k, 2 * z + 1] <= order.shape[0]:
                raise ValueError("runs lie within the order")
    with nogil:
        for k in range(bounds.shape[0]):
            for z in range(2):
                for i in range(bounds[k, 2 * z], bounds[k, 2 * z + 1]):
                    out[order[i]] = values[k]


def bin_means(const uint8_t[::1] bins, const double[::1] x, const int64_t[::1] copies=None):
    """The only value in each of the 256 bins, or their mean (NaN where there are none), and whether all bins hold one."""
    cdef double means[256]
    cdef bint single
    cdef const int64_t* times = copies_of(copies, x.shape[0])
    if bins.shape[0] != x.shape[0] or not x.shape[0]:
        raise ValueError("a bin for every value")
    with nogil:
        single = c_bin_means(&bins[0], &x[0], times, x.shape[0], means)
    return np.array(<double[:256]> means), bool(single)


cdef class Likelihood:
    """A logistic likelihood of labels +1 and -1, its logit slope F + offset; numbers, or one of each for every row."""

    cdef LogisticRows rows
    cdef object kept
    cdef int64_t n

    def __init__(self, const double[::1] label, const double[::1] start, share, slope, offset):
        cdef const double[::1] view
        self.kept = [label, start]
        self.n = label.shape[0]
        if start.shape[0] != self.n:
            raise ValueError("one start a row")
        self.rows.label = &label[0]
        self.rows.start = &start[0]
        self.rows.share = self._pointer(share)
        self.rows.logit.slope_of = self._pointer(slope)
        self.rows.logit.offset_of = self._pointer(offset)
        self.rows.logit.slope = 0.0 if np.ndim(slope) else slope
        self.rows.logit.offset = 0.0 if np.ndim(offset) else offset

    cdef const double* _pointer(self, values) except? NULL:
        cdef const double[::1] view
        if not np.ndim(values):
            return NULL
        view = np.ascontiguousarray(values, dtype=np.float64)
        if view.shape[0] != self.n:
            raise ValueError("one value a row")
        self.kept.append(view)
        return &view[0]

    def loss(self, const double[::1] score, double[::1] losses, int n_threads):
        """Fill in the loss of every row; the greatest."""
        cdef double greatest[3]
        if score.shape[0] != self.n or losses.shape[0] != self.n:
            raise ValueError("one of each a row")
        with nogil:
            c_likelihood(self.rows, &score[0], self.n, &losses[0], NULL, greatest, n_threads)
        return greatest[0]

    def working(
        self, const double[::1] score, double limit, bint plain,
        double[::1] losses, double[::1] response, double[::1] weight, int n_threads,
    ):
        """Fill in loss, Newton's response times weight, and weight of every row; the greatest of each."""
        cdef double greatest[3]
        cdef Working working
        if not score.shape[0] == losses.shape[0] == response.shape[0] == weight.shape[0] == self.n:
            raise ValueError("one of each a row")
        working.response, working.weight = &response[0], &weight[0]
        working.limit, working.plain = limit, plain
        with nogil:
            c_likelihood(self.rows, &score[0], self.n, &losses[0], &working, greatest, n_threads)
        return greatest[0], greatest[1], greatest[2]


# ---- binning ---------------------------------------------------------------------------------------------------

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


# ---- splits ----------------------------------------------------------------------------------------------------

cdef class Split:
    """Which bins of which feature go left, and the quanta of the four cells (class, side) at training."""

    cdef CSplit c

    def __init__(self, int feature=-1, int bin=0, int polarity=1, bint missing_left=False, left=None):
        self.c.feature = feature
        self.c.bin = bin
        self.c.polarity = polarity
        self.c.missing_left = missing_left
        cdef const uint8_t[::1] table
        if left is not None:
            table = np.ascontiguousarray(left, dtype=np.uint8)
            if table.shape[0] != N_BINS:
                raise ValueError("left must have 256 entries")
            memcpy(self.c.left, &table[0], N_BINS)

    @property
    def feature(self):
        return self.c.feature

    @property
    def bin(self):
        return self.c.bin

    @property
    def polarity(self):
        return self.c.polarity

    @property
    def missing_left(self):
        return bool(self.c.missing_left)

    @property
    def value(self):
        return self.c.value

    @value.setter
    def value(self, double value):
        self.c.value = value

    @property
    def quanta(self):
        """Positives left, right, negatives left, right."""
        return (self.c.cell[0], self.c.cell[1], self.c.cell[2], self.c.cell[3])

    @property
    def left(self):
        out = np.empty(N_BINS, dtype=np.uint8)
        cdef uint8_t[::1] view = out
        memcpy(&view[0], self.c.left, N_BINS)
        return out

    def shares(self, double unit_positive, double unit_negative):
        """Weights of the four cells, all together 1."""
        out = np.empty(4)
        cdef double[::1] share = out
        cdef double total = 0
        cdef int i
        for i in range(4):
            share[i] = self.c.cell[i] * (unit_positive if i < 2 else unit_negative)
            total += share[i]
        for i in range(4):
            share[i] /= total
        return out

    def measure(self, const int64_t[:, :, ::1] histogram):
        """Take the four cells from a histogram of the rows as they are now."""
        cdef int z, b
        cdef int f = max(self.c.feature, 0)
        cdef int64_t on_left, total
        for z in range(2):
            on_left = total = 0
            for b in range(N_BINS):
                total += histogram[z, f, b]
                if self.c.left[b]:
                    on_left += histogram[z, f, b]
            self.c.cell[2 * z] = on_left
            self.c.cell[2 * z + 1] = total - on_left
        return self

    def rows_left(self, const int64_t[:, :, ::1] counts):
        """How many positives and negatives go left."""
        cdef int b
        cdef int f = max(self.c.feature, 0)
        cdef int64_t positives = 0, negatives = 0
        for b in range(N_BINS):
            if self.c.left[b]:
                positives += counts[0, f, b]
                negatives += counts[1, f, b]
        return positives, negatives


cdef class Splits:
    """Splits as arrays: feature and bin of each, whether missing values go left, and which bins do (n_splits x 256)."""

    cdef readonly object feature, bin, missing_left, left
    cdef int32_t[::1] c_feature
    cdef int32_t[::1] c_bin
    cdef uint8_t[::1] c_missing_left
    cdef uint8_t[:, ::1] c_left

    def __cinit__(self, splits=(), int64_t n=-1):
        if n < 0:
            n = len(splits)
        self.feature, self.bin = np.empty((2, n), dtype=np.int32)
        self.missing_left = np.empty(n, dtype=np.uint8)
        self.left = np.empty((n, N_BINS), dtype=np.uint8)
        self.c_feature, self.c_bin, self.c_missing_left, self.c_left = self.feature, self.bin, self.missing_left, self.left
        cdef Split split
        cdef int64_t k = 0
        for split in splits:
            self.put(k, split.c)
            k += 1

    cdef void put(self, int64_t k, const CSplit& split) noexcept:
        self.c_feature[k] = split.feature
        self.c_bin[k] = split.bin
        self.c_missing_left[k] = split.missing_left
        memcpy(&self.c_left[k, 0], split.left, N_BINS)

    def __len__(self):
        return self.feature.size


def search(const int64_t[:, :, ::1] histogram, double unit_positive, double unit_negative, const int32_t[::1] n_bins,
           const uint8_t[::1] categorical, const int64_t[:, :, ::1] counts, min_samples_leaf, int criterion,
           double smoothing, bint relative, int n_threads, double cost_positive=1.0, double cost_negative=1.0):
    """The best split of a histogram; see kernels/search.hpp for candidates and ties."""
    cdef SearchInput given
    given.histogram = &histogram[0, 0, 0]
    given.n_features = <int>histogram.shape[1]
    given.unit[0] = unit_positive
    given.unit[1] = unit_negative
    given.n_bins = &n_bins[0]
    given.categorical = &categorical[0]
    given.min_samples_leaf = rows_of(min_samples_leaf)
    given.criterion = <Criterion>criterion
    given.smoothing = smoothing
    given.cost[0] = cost_positive
    given.cost[1] = cost_negative
    cdef Split split = Split.__new__(Split)
    cdef const int64_t* counted = NULL
    if counts is not None:
        counted = &counts[0, 0, 0]
    with nogil:
        split.c = c_best_split(given, counted, relative, n_threads)
    return split


def table_losses(const int64_t[:, :, ::1] histogram, double unit_positive, double unit_negative, const int32_t[::1] n_bins,
                 int criterion, double smoothing, double cost_positive, double cost_negative):
    """The criterion of every feature when each of its bins is a leaf."""
    cdef SearchInput given
    given.histogram = &histogram[0, 0, 0]
    given.n_features = <int>histogram.shape[1]
    given.unit[0] = unit_positive
    given.unit[1] = unit_negative
    given.n_bins = &n_bins[0]
    given.criterion = <Criterion>criterion
    given.smoothing = smoothing
    given.cost[0] = cost_positive
    given.cost[1] = cost_negative
    out = np.empty(histogram.shape[1])
    cdef double[::1] loss = out
    with nogil:
        c_table_losses(given, &loss[0])
    return out


def line_losses(const int64_t[:, :, ::1] histogram, units, const int32_t[::1] n_bins, const double[:, ::1] x):
    """The squares of every feature when a line is fitted to the values x of its bins."""
    if x.shape[0] != histogram.shape[1] or x.shape[1] != N_BINS - 1 or n_bins.shape[0] != histogram.shape[1]:
        raise ValueError("shapes do not belong together")
    cdef SearchInput given
    given.histogram = &histogram[0, 0, 0]
    given.n_features = <int>histogram.shape[1]
    given.unit[0], given.unit[1] = units
    given.n_bins = &n_bins[0]
    out = np.empty(histogram.shape[1])
    cdef double[::1] loss = out
    with nogil:
        c_line_losses(given, &x[0, 0], &loss[0])
    return out


# ---- rows ------------------------------------------------------------------------------------------------------

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


# ---- trees -----------------------------------------------------------------------------------------------------

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


# ---- pairs of rows and labels ----------------------------------------------------------------------------------

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


# ---- prediction ------------------------------------------------------------------------------------------------

def predict(const real[:, :] x, ensemble, int first_tree, int last_tree, bint stumps, double[::1] score, int n_threads):
    """Add the trees first_tree, ..., last_tree - 1 of the ensemble to the scores; whether they met an infinite value."""
    cdef const int32_t[::1] first = ensemble.first
    cdef const int32_t[::1] feature = ensemble.feature
    cdef const double[::1] threshold = ensemble.threshold
    cdef const int32_t[::1] left = ensemble.left
    cdef const uint8_t[::1] missing_left = ensemble.missing_left
    cdef const int32_t[::1] category_set = ensemble.category_set
    cdef const double[::1] value = ensemble.value
    cdef const uint8_t[:, ::1] categories = ensemble.categories
    if x.shape[0] != score.shape[0]:
        raise ValueError("one score a row")
    if last_tree <= first_tree or x.shape[0] == 0:
        return False
    cdef Nodes nodes
    nodes.first = &first[0]
    nodes.n_trees = <int>first.shape[0] - 1
    nodes.feature = &feature[0]
    nodes.threshold = &threshold[0]
    nodes.left = &left[0]
    nodes.missing_left = &missing_left[0]
    nodes.category_set = &category_set[0]
    nodes.value = &value[0]
    nodes.categories = NULL
    if categories.shape[0]:
        nodes.categories = &categories[0, 0]
    cdef Matrix[real] m = matrix_of(x)
    cdef cbool infinite
    with nogil:
        if stumps:
            infinite = c_predict_stumps(m, nodes, first_tree, last_tree, &score[0], n_threads)
        else:
            infinite = c_predict_trees(m, nodes, first_tree, last_tree, &score[0], n_threads)
    return bool(infinite)
