# Split criteria, splits, and the search for the best one.

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


VOTE = 0
LEAF_ERROR = 1
EXPONENTIAL = 2
SQUARED = 3
COST_EXPONENTIAL = 4
SQUARES = 5
JOINT = 6
ENTROPY = 7


def leaf_loss(int criterion, double smoothing, double cost_positive, double cost_negative, double p, double q):
    """What a leaf with shares p and q of the two classes adds to the criterion."""
    cdef LeafLoss loss
    loss.criterion = <Criterion>criterion
    loss.smoothing = smoothing
    loss.cost[0] = cost_positive
    loss.cost[1] = cost_negative
    return loss.apply(p, q)


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
