# Random draws of rows and features, by hashes of their numbers.

cdef extern from "drawing.hpp" namespace "costboost" nogil:
    uint64_t C_ALL_DRAWN "costboost::ALL_DRAWN"

    cdef cppclass FeatureDraw:
        uint64_t key
        int number
        cbool cuts
        vector[int] order(int) except +

    uint64_t c_hash_of "costboost::hash_of"(uint64_t, uint64_t)
    int64_t c_draw_rows "costboost::draw_rows"(uint64_t, uint64_t, const int64_t*, Range, uint32_t*) except +
    void c_sum_leaves "costboost::sum_leaves"(const double*, const int32_t*, int64_t, int64_t, int64_t, int64_t*) except +


def hash_of(uint64_t key, uint64_t number):
    """The random number of 64 bits that belongs to a key and a number; itself a key for further numbers."""
    return c_hash_of(key, number)


cdef FeatureDraw draw_of(given) except *:
    """Key, number of the features to draw (0 for all), and whether one cut of each is drawn; None for all splits."""
    cdef FeatureDraw draw
    if given is not None:
        draw.key, draw.number, draw.cuts = given
        if draw.number < 0:
            raise ValueError(f"{draw.number} features are too few to draw")
    return draw


def draw_features(key, n_features):
    """All features in random order, of which the first ones are drawn."""
    cdef FeatureDraw draw
    draw.key = key
    return np.array(draw.order(n_features), dtype=np.intp)


def draw_rows(uint64_t key, double share, const int64_t[::1] number, int64_t n_positive, uint32_t[::1] out):
    """List the rows that are drawn, each with the same probability, positives first; return the four bounds of both classes.

    number: of every row in the whole data. out: room for all rows.
    """
    cdef int64_t n = number.shape[0], p, q
    cdef Range positives, negatives
    cdef uint64_t limit = <uint64_t>np.ceil(share * <double>C_ALL_DRAWN)
    check_length("out", out.shape[0], n)
    check_run(0, n_positive, n)
    check_some("number", n)
    positives.begin = 0
    positives.end = negatives.begin = n_positive
    negatives.end = n
    with nogil:
        p = c_draw_rows(key, limit, &number[0], positives, &out[0])
        q = c_draw_rows(key, limit, &number[0], negatives, &out[0] + p)
    return [0, p, p, p + q]


def sum_leaves(const double[::1] weight, const int32_t[::1] leaf, int64_t n_positive, int64_t n_leaves):
    """Weight of the rows of each class in each leaf, in whole quanta."""
    cdef int64_t n = weight.shape[0]
    check_length("leaf", leaf.shape[0], n)
    check_run(0, n_positive, n)
    if n and not 0 <= np.min(leaf) <= np.max(leaf) < n_leaves:
        raise ValueError(f"leaves must be numbered from 0 to {n_leaves - 1}")
    out = np.zeros((2, n_leaves), dtype=np.int64)
    cdef int64_t[:, ::1] sums = out
    if n:
        with nogil:
            c_sum_leaves(&weight[0], &leaf[0], n_positive, n, n_leaves, &sums[0, 0])
    return out
