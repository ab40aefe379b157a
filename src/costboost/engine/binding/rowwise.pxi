# Sums over rows that do not depend on their order, and logistic likelihoods.

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
