# Roots of functions of one number.

cdef extern from "root.hpp" namespace "costboost":
    cdef cppclass ValueAndSlope:
        double value, slope

    cdef cppclass Callback:
        void* function
        int (*call)(void*, double, ValueAndSlope*) except -1

    double c_increasing_root "costboost::increasing_root"(Callback, double) except +
    double c_bracketed_root "costboost::bracketed_root"(Callback, double, double, double, double) except +


cdef int call_function(void* function, double x, ValueAndSlope* at) except -1:
    at.value, at.slope = (<object>function)(x)
    return 0


cdef int call_for_value(void* function, double x, ValueAndSlope* at) except -1:
    at.value = (<object>function)(x)
    return 0


def increasing_root(function, double guess=0.0):
    """The root from 0 on of a function that grows with x; 0 if it is not negative at 0.

    function: returns value and slope at x. guess: tried after 0 if it is positive.
    """
    cdef Callback callback
    callback.function = <void*>function
    callback.call = call_function
    return c_increasing_root(callback, guess)


def bracketed_root(function, double low, double high, double absolute, double relative):
    """The root between two points at which the function has different signs, to absolute + relative |x|."""
    cdef Callback callback
    callback.function = <void*>function
    callback.call = call_for_value
    return c_bracketed_root(callback, low, high, absolute, relative)
