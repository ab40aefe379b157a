# Sums of exponentials over rows that have costs of their own, and bounds on the losses of leaves.

cdef extern from "row_costs.hpp" namespace "costboost" nogil:
    cdef cppclass CGroupedTerms "costboost::GroupedTerms":
        CGroupedTerms(const double*, const double*, const double*, const int64_t*, int64_t, int64_t) except +
        void greatest(const double*, double*)
        void sum(const double*, const double*, const double*, int64_t*, int64_t*)

    cdef cppclass Smoothing:
        double fn, fp, weight, at

    cdef cppclass LeafMoments:
        const double* moment
        int64_t n
        double error

    void c_sum_moments "costboost::sum_moments"(
        const Tiles&, const double*, const double*, const CNodeRows&, const int32_t*, int, int64_t*, int) except +
    void c_raise_bounds "costboost::raise_bounds"(const LeafMoments&, const Smoothing&, double*, double*, double*)


cdef class GroupedTerms:
    """Terms e^(exponent + rate g) of rows in groups, each group with a g of its own.

    share: what the second of the two sums counts of every term, between -1 and 1.
    """

    cdef CGroupedTerms* terms
    cdef readonly Py_ssize_t n_groups

    def __cinit__(
        self, const double[::1] exponent, const double[::1] rate, const double[::1] share, const int64_t[::1] group,
        Py_ssize_t n_groups,
    ):
        cdef Py_ssize_t n = exponent.shape[0], i
        check_length("rate", rate.shape[0], n)
        check_length("share", share.shape[0], n)
        check_length("group", group.shape[0], n)
        for i in range(n):
            if not 0 <= group[i] < n_groups:
                raise ValueError(f"group {group[i]} of a row, expected one from 0 to {n_groups - 1}")
        self.n_groups = n_groups
        if n:
            self.terms = new CGroupedTerms(&exponent[0], &rate[0], &share[0], &group[0], n, n_groups)

    def __dealloc__(self):
        del self.terms

    def greatest(self, const double[::1] g):
        """The greatest exponent + rate g of every group; minus infinity of an empty one."""
        check_length("g", g.shape[0], self.n_groups)
        out = np.full(self.n_groups, -np.inf)
        cdef double[::1] into = out
        if self.terms != NULL:
            with nogil:
                self.terms.greatest(&g[0], &into[0])
        return out

    def sum(self, const double[::1] g, const double[::1] largest, const double[::1] scale):
        """Sums over every group: terms divided by e^largest, times scale, each rounded; and of these times share."""
        check_length("g", g.shape[0], self.n_groups)
        check_length("largest", largest.shape[0], self.n_groups)
        check_length("scale", scale.shape[0], self.n_groups)
        out = np.zeros((2, self.n_groups), dtype=np.int64)
        cdef int64_t[:, ::1] into = out
        if self.terms != NULL:
            with nogil:
                self.terms.sum(&g[0], &largest[0], &scale[0], &into[0, 0], &into[1, 0])
        return out


def raise_bounds(const double[:, ::1] moments, double error, smoothing, double[::1] low, double[::1] high, double[::1] least):
    """Narrow the intervals of the values of leaves, and raise the lower bounds on their losses, in place.

    moments: four for each leaf, at the last of the numbers in smoothing: costs and weight of its two rows, and a value. error: of
    each moment.
    """
    cdef LeafMoments of
    cdef Smoothing by
    cdef Py_ssize_t n = moments.shape[1]
    check_length("moments", moments.shape[0], 4)
    check_length("low", low.shape[0], n)
    check_length("high", high.shape[0], n)
    check_length("least", least.shape[0], n)
    by.fn, by.fp, by.weight, by.at = smoothing
    of.error = error
    if n:
        of.moment, of.n = &moments[0, 0], n
        with nogil:
            c_raise_bounds(of, by, &low[0], &high[0], &least[0])
