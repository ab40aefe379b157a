# Logistic regressions on one feature each.

cdef extern from "logistic.hpp" namespace "costboost" nogil:
    double C_RIDGE "costboost::RIDGE"
    void c_logistic_thresholds "costboost::logistic_thresholds"(
        const double*, const double*, int, double*, int64_t*, uint8_t*) except +
    CSplit c_best_logistic_vote "costboost::best_logistic_vote"(const SearchInput&, const double*, double*) except +


RIDGE = C_RIDGE


def logistic_thresholds(const double[:, :, ::1] weight, const double[:, ::1] values):
    """Threshold and sign of the slope of every feature's regression, and which features have one.

    Where the slope is 0, the threshold is NaN and the sign that of a constant vote. weight: (class, feature, bin) without the bin
    of missing values, values: (feature, bin).
    """
    cdef Py_ssize_t n = values.shape[0]
    check_shape("values", n, values.shape[1], n, N_BINS - 1)
    check_length("weight", weight.shape[0], 2)
    check_shape("weight", weight.shape[1], weight.shape[2], n, N_BINS - 1)
    check_some("values", n)
    thresholds, signs, fitted = np.empty(n), np.empty(n, dtype=np.int64), np.empty(n, dtype=np.uint8)
    cdef double[::1] threshold = thresholds
    cdef int64_t[::1] sign = signs
    cdef uint8_t[::1] has = fitted
    with nogil:
        c_logistic_thresholds(&weight[0, 0, 0], &values[0, 0], <int>n, &threshold[0], &sign[0], &has[0])
    return thresholds, signs, fitted.astype(bool)


def best_logistic_vote(const int64_t[:, :, ::1] histogram, units, features, const double[:, ::1] values):
    """The regression whose vote has the least weighted error: its split and its threshold, NaN for a constant vote.

    None if no feature has a regression. units: share of the total weight of a quantum of each class; values: (feature, bin).
    """
    cdef SearchInput given = search_input(histogram, units, features, ("vote", 0.0, 1.0, 1.0, 0.0))
    check_shape("values", values.shape[0], values.shape[1], histogram.shape[1], N_BINS - 1)
    cdef Split split = Split.__new__(Split)
    cdef double threshold = 0
    with nogil:
        split.c = c_best_logistic_vote(given, &values[0, 0], &threshold)
    return None if isinf(split.c.value) else (split, threshold)
