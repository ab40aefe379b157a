# Sums over rows that do not depend on their order, and logistic likelihoods.

cdef extern from "rowwise.hpp" namespace "costboost" nogil:
    cdef cppclass Logit:
        const double* slope_of
        const double* offset_of
        double slope, offset

    cdef cppclass LogisticRows:
        int64_t n
        const double* label
        const double* start
        const double* share
        Logit logit
        cbool expected

    cdef cppclass Working:
        double* response
        double* weight
        double limit
        cbool plain

    cdef cppclass Direction:
        const double* weight
        const double* label
        const double* direction
        double scale

    void c_likelihood "costboost::likelihood"(const LogisticRows&, const double*, double*, const Working*, double (&)[3], int) except +
    double c_greatest_size "costboost::greatest_size"(const double*, int64_t) except +
    int64_t c_sum_of_quanta "costboost::sum_of_quanta"(const double*, int64_t, double, int) except +
    int64_t c_weight_against "costboost::weight_against"(const Direction&, int64_t, int) except +

    cdef cppclass Moments:
        int64_t sum[3]

    Moments c_moments "costboost::moments"(const double*, const CResponses&, int64_t, int) except +
    cbool c_bin_means "costboost::bin_means"(const uint8_t*, const double*, const int64_t*, int64_t, double (&)[256]) except +
    void c_sum_columns "costboost::sum_columns"(const Tiles&, const CResponses&, const CNodeRows&, const int32_t*, int, int64_t*, int) except +
    void c_look_up "costboost::look_up"(const Tiles&, int, const double*, double*, int) except +


def greatest_size(const double[::1] values):
    """The greatest absolute value; 0 of an empty array."""
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
    cdef Direction of
    check_length("label", label.shape[0], weight.shape[0])
    check_length("direction", direction.shape[0], weight.shape[0])
    if weight.shape[0]:
        of.weight, of.label, of.direction, of.scale = &weight[0], &label[0], &direction[0], scale
        with nogil:
            total = c_weight_against(of, weight.shape[0], n_threads)
    return total


def moments(const double[::1] x, responses, int n_threads):
    """Quanta of w x, w x^2 and r x over all rows, for x from -1 to 1.

    responses: response times weight r, weight w, and the scales that make quanta of both.
    """
    cdef Moments found
    check_some("x", x.shape[0])
    cdef CResponses of = responses_of(responses, x.shape[0])
    with nogil:
        found = c_moments(&x[0], of, x.shape[0], n_threads)
    return found.sum[0], found.sum[1], found.sum[2]


def fill_runs(const uint32_t[::1] order, const int64_t[:, ::1] bounds, const double[::1] values, double[::1] out):
    """Write the k-th value for the rows of the k-th two runs of the order."""
    cdef Py_ssize_t k, z
    cdef int64_t i
    check_shape("bounds", bounds.shape[0], bounds.shape[1], values.shape[0], 4)
    check_length("out", out.shape[0], order.shape[0])
    for k in range(bounds.shape[0]):
        for z in range(2):
            check_run(bounds[k, 2 * z], bounds[k, 2 * z + 1], order.shape[0])
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
    check_some("x", x.shape[0])
    check_length("bins", bins.shape[0], x.shape[0])
    with nogil:
        single = c_bin_means(&bins[0], &x[0], times, x.shape[0], means)
    return np.array(<double[:256]> means), bool(single)


cdef class Likelihood:
    """A logistic likelihood of labels +1 and -1, its logit slope F + offset; numbers, or one of each for every row.

    If expected, the loss of a row is the probability of the other class, instead of minus the logarithm of that of its own.
    """

    cdef LogisticRows rows
    cdef object kept

    def __init__(self, const double[::1] label, const double[::1] start, share, slope, offset, bint expected=False):
        cdef const double[::1] view
        self.kept = [label, start]
        self.rows.n = label.shape[0]
        check_length("start", start.shape[0], self.rows.n)
        self.rows.label = &label[0]
        self.rows.start = &start[0]
        self.rows.share = self._pointer(share)
        self.rows.logit.slope_of = self._pointer(slope)
        self.rows.logit.offset_of = self._pointer(offset)
        self.rows.logit.slope = 0.0 if np.ndim(slope) else slope
        self.rows.logit.offset = 0.0 if np.ndim(offset) else offset
        self.rows.expected = expected

    cdef const double* _pointer(self, values) except? NULL:
        cdef const double[::1] view
        if not np.ndim(values):
            return NULL
        view = np.ascontiguousarray(values, dtype=np.float64)
        check_length("share, slope or offset", view.shape[0], self.rows.n)
        self.kept.append(view)
        return &view[0]

    def loss(self, const double[::1] score, double[::1] losses, int n_threads):
        """Fill in the loss of every row and return the greatest."""
        cdef double greatest[3]
        check_length("score", score.shape[0], self.rows.n)
        check_length("losses", losses.shape[0], self.rows.n)
        with nogil:
            c_likelihood(self.rows, &score[0], &losses[0], NULL, greatest, n_threads)
        return greatest[0]

    def working(
        self, const double[::1] score, double limit, bint plain,
        double[::1] losses, double[::1] response, double[::1] weight, int n_threads,
    ):
        """Fill in loss, Newton's response times weight, and weight of every row; return the greatest of each."""
        cdef double greatest[3]
        cdef Working working
        check_length("score", score.shape[0], self.rows.n)
        check_length("losses", losses.shape[0], self.rows.n)
        check_length("response", response.shape[0], self.rows.n)
        check_length("weight", weight.shape[0], self.rows.n)
        working.response, working.weight = &response[0], &weight[0]
        working.limit, working.plain = limit, plain
        with nogil:
            c_likelihood(self.rows, &score[0], &losses[0], &working, greatest, n_threads)
        return greatest[0], greatest[1], greatest[2]
