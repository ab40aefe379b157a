# Exponentials and logarithms of numbers and arrays, and sums of products, with the same bits on every machine.

from cpython.buffer cimport PyBUF_C_CONTIGUOUS, PyBUF_WRITABLE, PyBuffer_Release, PyObject_GetBuffer
from cpython.float cimport PyFloat_Check


cdef extern from "elementary.hpp" namespace "costboost::elementary" nogil:
    double c_exp "costboost::elementary::exp"(double) noexcept
    double c_log "costboost::elementary::log"(double) noexcept
    double c_log1p "costboost::elementary::log1p"(double) noexcept
    double c_log2 "costboost::elementary::log2"(double) noexcept
    double c_expit "costboost::elementary::expit"(double) noexcept
    double c_logit "costboost::elementary::logit"(double) noexcept
    double c_sinh "costboost::elementary::sinh"(double) noexcept
    void map_exp "costboost::elementary::exp_all"(double*, int64_t) noexcept
    void map_log "costboost::elementary::map<costboost::elementary::log>"(double*, int64_t) noexcept
    void map_log1p "costboost::elementary::map<costboost::elementary::log1p>"(double*, int64_t) noexcept
    void map_log2 "costboost::elementary::map<costboost::elementary::log2>"(double*, int64_t) noexcept
    void map_expit "costboost::elementary::map<costboost::elementary::expit>"(double*, int64_t) noexcept
    void map_logit "costboost::elementary::map<costboost::elementary::logit>"(double*, int64_t) noexcept
    void map_sinh "costboost::elementary::map<costboost::elementary::sinh>"(double*, int64_t) noexcept
    double c_power "costboost::elementary::power"(double, double) noexcept
    double c_dot "costboost::elementary::dot"(const double*, const double*, int64_t) noexcept
    void c_matrix_product "costboost::elementary::matrix_product"(const double*, const double*, int64_t, int64_t, int64_t, double*) noexcept


ctypedef void (*Map)(double*, int64_t) noexcept nogil

cdef object FLOAT64 = np.dtype(np.float64)
cdef object ARRAY = np.ndarray


cdef copied(x):
    """A contiguous copy of an array, or of what can be made one, as 64-bit floats."""
    if type(x) is ARRAY and x.dtype is FLOAT64:
        return x.copy()
    return np.array(x, dtype=np.float64, order="C", copy=True, subok=False)


cdef mapped(Map function, x):
    """The function of a number, as a float, or of every entry of an array."""
    cdef Py_buffer view
    cdef int64_t n
    cdef double* values
    out = copied(x)
    PyObject_GetBuffer(out, &view, PyBUF_C_CONTIGUOUS | PyBUF_WRITABLE)
    try:
        n, values = view.len // sizeof(double), <double*>view.buf
        if n < 1000:
            function(values, n)
        else:
            with nogil:
                function(values, n)
        return out if view.ndim else values[0]
    finally:
        PyBuffer_Release(&view)


def exp(x):
    """e^x."""
    return c_exp(x) if PyFloat_Check(x) else mapped(map_exp, x)


cdef bint map_exp_within(double* values, int64_t n, double rate, double most) noexcept nogil:
    cdef int64_t i
    for i in range(n):
        values[i] *= rate
        if values[i] <= -most or values[i] >= most:
            return False
    map_exp(values, n)
    return True


def exp_within(x, double rate, double most):
    """e^(rate x) of every entry of an array; None if the absolute value of an exponent is most or more."""
    cdef Py_buffer view
    cdef int64_t n
    cdef double* values
    cdef bint within
    out = copied(x)
    PyObject_GetBuffer(out, &view, PyBUF_C_CONTIGUOUS | PyBUF_WRITABLE)
    n, values = view.len // sizeof(double), <double*>view.buf
    if n < 1000:
        within = map_exp_within(values, n, rate, most)
    else:
        with nogil:
            within = map_exp_within(values, n, rate, most)
    PyBuffer_Release(&view)
    return out if within else None


def log(x):
    """The natural logarithm."""
    return c_log(x) if PyFloat_Check(x) else mapped(map_log, x)


def log1p(x):
    """log(1 + x)."""
    return c_log1p(x) if PyFloat_Check(x) else mapped(map_log1p, x)


def log2(x):
    """The logarithm to base 2."""
    return c_log2(x) if PyFloat_Check(x) else mapped(map_log2, x)


def expit(x):
    """1 / (1 + e^-x)."""
    return c_expit(x) if PyFloat_Check(x) else mapped(map_expit, x)


def logit(p):
    """log(p / (1 - p))."""
    return c_logit(p) if PyFloat_Check(p) else mapped(map_logit, p)


def sinh(x):
    """(e^x - e^-x) / 2."""
    return c_sinh(x) if PyFloat_Check(x) else mapped(map_sinh, x)


def power(x, double exponent):
    """x^exponent, for x from 0 on."""
    cdef double[::1] values
    cdef Py_ssize_t i
    if PyFloat_Check(x):
        return c_power(x, exponent)
    out = copied(x)
    values = out.reshape(-1)
    with nogil:
        for i in range(values.shape[0]):
            values[i] = c_power(values[i], exponent)
    return out if out.ndim else values[0]


def dot(a, b):
    """The sum of the products of two vectors, added in their order."""
    cdef Py_buffer first, second
    cdef Py_ssize_t n
    if not (type(a) is ARRAY and a.dtype is FLOAT64 and a.flags.c_contiguous):
        a = np.ascontiguousarray(a, dtype=np.float64)
    if not (type(b) is ARRAY and b.dtype is FLOAT64 and b.flags.c_contiguous):
        b = np.ascontiguousarray(b, dtype=np.float64)
    PyObject_GetBuffer(a, &first, PyBUF_C_CONTIGUOUS)
    try:
        PyObject_GetBuffer(b, &second, PyBUF_C_CONTIGUOUS)
        try:
            if first.ndim != 1 or second.ndim != 1:
                raise ValueError(f"vectors are expected, got arrays of {first.ndim} and {second.ndim} dimensions")
            n = first.len // sizeof(double)
            check_length("b", second.len // sizeof(double), n)
            return c_dot(<const double*>first.buf, <const double*>second.buf, n)
        finally:
            PyBuffer_Release(&second)
    finally:
        PyBuffer_Release(&first)


def matrix_product(const double[:, ::1] a, const double[:, ::1] b):
    """The product of two matrices; every entry is added in the order of the columns of a."""
    out = np.zeros((a.shape[0], b.shape[1]))
    cdef double[:, ::1] into = out
    check_length("b", b.shape[0], a.shape[1])
    if a.shape[0] and a.shape[1] and b.shape[1]:
        with nogil:
            c_matrix_product(&a[0, 0], &b[0, 0], a.shape[0], a.shape[1], b.shape[1], &into[0, 0])
    return out
