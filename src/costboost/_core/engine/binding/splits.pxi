# Split criteria, splits, and the search for the best one.

cdef extern from "criterion.hpp" namespace "costboost" nogil:
    cdef enum class Kind "costboost::Kind"(int):
        VOTE
        LEAF_ERROR
        EXPONENTIAL
        SQUARED
        COST_EXPONENTIAL
        SQUARES
        JOINT
        ENTROPY

    cdef cppclass CBounds "costboost::Bounds":
        double low, high

    cdef cppclass CCriterion "costboost::Criterion":
        Kind kind
        double smoothing
        double cost[2]
        double per_category
        double value_at(double)
        void bounds_of_sides(const CBounds&, int, const double*, const double*, CBounds*)

    cdef cppclass BoundedCriterion:
        BoundedCriterion(const CCriterion&, const CBounds&)
        double leaf(double, double)


cdef extern from "split.hpp" namespace "costboost" nogil:
    cdef cppclass CSplit "costboost::Split":
        int feature, bin, polarity, missing_left
        double value
        int64_t cell[4]
        uint8_t left[256]

    cdef cppclass SearchInput:
        const int64_t* histogram
        CFeatures features
        double unit[2]
        CCriterion criterion
        int64_t min_samples_leaf
        const uint8_t* allowed
        CBounds bounds


cdef extern from "histogram.hpp" namespace "costboost" nogil:
    cdef cppclass Sides:
        int64_t rows[2]
        int64_t quanta[2]
        double factor[2]

    cdef cppclass ClassChange:
        double unit, ratio
        bint left_side, one_side, anew

    ClassChange c_class_change "costboost::class_change"(const Sides&)


cdef extern from "search.hpp" namespace "costboost" nogil:
    CSplit c_best_split "costboost::best_split"(const SearchInput&, const int64_t*, const FeatureDraw&, cbool, int) except +


cdef extern from "feature_losses.hpp" namespace "costboost" nogil:
    void c_pool_bins "costboost::pool_bins"(const CCriterion&, int, double*, double*, int) except +
    void c_table_losses "costboost::table_losses"(const SearchInput&, double*) except +
    void c_line_losses "costboost::line_losses"(const SearchInput&, const double*, double*) except +


cdef extern from "ties.hpp" namespace "costboost" nogil:
    double C_TIE "costboost::TIE"
    int c_order_categories "costboost::order_categories"(const double*, const double*, int, uint8_t*)
    cbool c_heavier_left "costboost::heavier_left"(double, double)

    cdef enum class Side "costboost::Side"(int):
        RIGHT
        LEFT
        HEAVIER

    Side c_side_of_missing "costboost::side_of_missing"(double, double)


# ---- criteria --------------------------------------------------------------------------------------------------

KINDS = {
    "vote": <int>Kind.VOTE,
    "error": <int>Kind.LEAF_ERROR,
    "exponential": <int>Kind.EXPONENTIAL,
    "squared": <int>Kind.SQUARED,
    "cost exponential": <int>Kind.COST_EXPONENTIAL,
    "squares": <int>Kind.SQUARES,
    "joint": <int>Kind.JOINT,
    "entropy": <int>Kind.ENTROPY,
}


cdef CCriterion criterion_of(given) except *:
    """Kind, smoothing, costs of a mistake on a positive and on a negative row, gain of a category by chance."""
    cdef CCriterion criterion
    cdef int number
    kind, criterion.smoothing, criterion.cost[0], criterion.cost[1], criterion.per_category = given
    if kind not in KINDS:
        raise ValueError(f"unknown criterion {kind!r}; known are {', '.join(KINDS)}")
    number = KINDS[kind]
    criterion.kind = <Kind>number
    return criterion


cdef CBounds bounds_of(given) except *:
    """Least and greatest level of a leaf."""
    cdef CBounds bounds
    bounds.low, bounds.high = given
    return bounds


ALL_LEVELS = (-INFINITY, INFINITY)


def leaf_loss(criterion, double p, double q, bounds=ALL_LEVELS):
    """The criterion of a leaf with shares p and q of the two classes, whose level is within bounds."""
    cdef BoundedCriterion* bounded = new BoundedCriterion(criterion_of(criterion), bounds_of(bounds))
    cdef double loss = bounded.leaf(p, q)
    del bounded
    return loss


def bounds_of_sides(criterion, bounds, int direction, left, right):
    """Bounds of the levels of the two sides of a split on a feature of this direction, from the shares of both classes on each."""
    cdef CBounds sides[2]
    cdef double of_left[2]
    cdef double of_right[2]
    of_left[0], of_left[1] = left
    of_right[0], of_right[1] = right
    criterion_of(criterion).bounds_of_sides(bounds_of(bounds), direction, of_left, of_right, sides)
    return (sides[0].low, sides[0].high), (sides[1].low, sides[1].high)


def values_at(criterion, const double[:, ::1] level):
    """Values of leaves of the given levels."""
    cdef CCriterion by = criterion_of(criterion)
    out = np.empty((level.shape[0], level.shape[1]))
    cdef double[:, ::1] value = out
    cdef Py_ssize_t i, j
    for i in range(level.shape[0]):
        for j in range(level.shape[1]):
            value[i, j] = by.value_at(level[i, j])
    return out


def pool_bins(criterion, int direction, double[::1] p, double[::1] q):
    """Give neighbouring bins whose levels are in the wrong order the mean of their shares, in place."""
    check_length("q", q.shape[0], p.shape[0])
    check_some("p", p.shape[0])
    c_pool_bins(criterion_of(criterion), direction, &p[0], &q[0], <int>p.shape[0])


# ---- ties ------------------------------------------------------------------------------------------------------

TIE = C_TIE


def order_categories(const double[::1] first, const double[::1] whole):
    """Bins with weight, in the order in which the best two-way partition is a prefix: by first / whole."""
    cdef uint8_t order[256]
    if first.shape[0] > N_BINS:
        raise ValueError(f"there are at most {N_BINS} bins")
    check_length("whole", whole.shape[0], first.shape[0])
    cdef int n = 0
    if first.shape[0]:
        n = c_order_categories(&first[0], &whole[0], <int>first.shape[0], order)
    return np.array([order[k] for k in range(n)], dtype=np.intp)


def heavier_left(double left, double right):
    """Whether the left side weighs more; it does when both weigh the same."""
    return bool(c_heavier_left(left, right))


def missing_left(double loss_left, double loss_right, bint heavier_left):
    """Whether missing values go left: to the side of less loss, or to the heavier one if the losses are equal."""
    cdef Side side = c_side_of_missing(loss_left, loss_right)
    return bool(heavier_left) if side == Side.HEAVIER else side == Side.LEFT


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

    def __reduce__(self):
        given = self.feature, self.bin, self.polarity, self.missing_left, self.left
        return Split, given, (self.value, self.quanta)

    def __setstate__(self, state):
        self.c.value, self.quanta = state

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

    @quanta.setter
    def quanta(self, values):
        self.c.cell[0], self.c.cell[1], self.c.cell[2], self.c.cell[3] = values

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
        """Set the quanta of the four cells from a histogram, and return the split."""
        cdef int z, b
        cdef int f = max(self.c.feature, 0)
        check_histogram("histogram", histogram, histogram.shape[1])
        check_feature(f, <int>histogram.shape[1])
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
        cdef int64_t on_left[2]
        self.count_left(counts, on_left)
        return on_left[0], on_left[1]

    cdef int count_left(self, const int64_t[:, :, ::1] counts, int64_t* on_left) except -1:
        cdef int z, b
        cdef int f = max(self.c.feature, 0)
        check_histogram("counts", counts, counts.shape[1])
        check_feature(f, <int>counts.shape[1])
        for z in range(2):
            on_left[z] = 0
            for b in range(N_BINS):
                on_left[z] += self.c.left[b] * counts[z, f, b]
        return 0

    def class_changes(self, const int64_t[:, :, ::1] counts, sizes, factors):
        """How factors of positives left, right, negatives left, right change the weights of the two classes.

        counts: rows in each bin. sizes: rows of each class. Returns five pairs with an entry for each class: the factor of the
        value of a quantum, the factor of the weights on one side, whether that is the left side, whether there is such a side,
        and whether all weights have to be multiplied instead; see ClassChange.
        """
        cdef int64_t on_left[2]
        cdef int64_t size[2]
        cdef double factor[4]
        cdef Sides sides
        cdef ClassChange change[2]
        cdef int z, k
        self.count_left(counts, on_left)
        size[0], size[1] = sizes
        factor[0], factor[1], factor[2], factor[3] = factors
        for z in range(2):
            sides.rows[0] = on_left[z]
            sides.rows[1] = size[z] - on_left[z]
            for k in range(2):
                sides.quanta[k] = self.c.cell[2 * z + k]
                sides.factor[k] = factor[2 * z + k]
            change[z] = c_class_change(sides)
        return (
            (change[0].unit, change[1].unit),
            (change[0].ratio, change[1].ratio),
            (change[0].left_side, change[1].left_side),
            (change[0].one_side, change[1].one_side),
            (change[0].anew, change[1].anew),
        )


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

    def __reduce__(self):
        return Splits, ((), len(self)), (self.feature, self.bin, self.missing_left, self.left)

    def __setstate__(self, state):
        for own, given in zip((self.feature, self.bin, self.missing_left, self.left), state):
            own[:] = given

    cdef void put(self, int64_t k, const CSplit& split) noexcept:
        self.c_feature[k] = split.feature
        self.c_bin[k] = split.bin
        self.c_missing_left[k] = split.missing_left
        memcpy(&self.c_left[k, 0], split.left, N_BINS)

    def __len__(self):
        return self.feature.size


# ---- search ----------------------------------------------------------------------------------------------------

cdef SearchInput search_input(const int64_t[:, :, ::1] histogram, units, features, criterion) except *:
    cdef SearchInput given
    check_histogram("histogram", histogram, histogram.shape[1])
    given.features = features_of(features, histogram.shape[1])
    given.histogram = &histogram[0, 0, 0]
    given.unit[0], given.unit[1] = units
    given.criterion = criterion_of(criterion)
    return given


def search(const int64_t[:, :, ::1] histogram, units, features, criterion, const int64_t[:, :, ::1] counts=None, min_samples_leaf=1,
           bint relative=True, int n_threads=1, draw=None, bounds=ALL_LEVELS, const uint8_t[::1] allowed=None):
    """The best split of a histogram; see kernels/search.hpp for candidates and ties.

    units: worth of a quantum of each class. counts: rows in each bin, needed if min_samples_leaf is above 1. relative: whether
    weights are shares of the histogram's total; if not, units make shares of a larger one. draw: see `draw_of`. bounds: of the levels
    of both sides. allowed: flags of the features that compete, or None for all.
    """
    cdef SearchInput given = search_input(histogram, units, features, criterion)
    given.min_samples_leaf = n_rows_of(min_samples_leaf)
    given.bounds = bounds_of(bounds)
    if allowed is not None:
        check_length("allowed", allowed.shape[0], histogram.shape[1])
        given.allowed = &allowed[0]
    cdef FeatureDraw drawn = draw_of(draw)
    cdef Split split = Split.__new__(Split)
    cdef const int64_t* counted = NULL
    if counts is not None:
        check_histogram("counts", counts, histogram.shape[1])
        counted = &counts[0, 0, 0]
    with nogil:
        split.c = c_best_split(given, counted, drawn, relative, n_threads)
    return split


def table_losses(const int64_t[:, :, ::1] histogram, units, features, criterion):
    """The criterion of every feature when each of its bins is a leaf."""
    cdef SearchInput given = search_input(histogram, units, features, criterion)
    out = np.empty(histogram.shape[1])
    cdef double[::1] loss = out
    with nogil:
        c_table_losses(given, &loss[0])
    return out


def line_losses(const int64_t[:, :, ::1] histogram, units, features, const double[:, ::1] x):
    """The squares of every feature when a line is fitted to the values x of its bins."""
    cdef SearchInput given = search_input(histogram, units, features, ("squares", 0.0, 1.0, 1.0, 0.0))
    check_shape("x", x.shape[0], x.shape[1], histogram.shape[1], N_BINS - 1)
    out = np.empty(histogram.shape[1])
    cdef double[::1] loss = out
    with nogil:
        c_line_losses(given, &x[0, 0], &loss[0])
    return out
