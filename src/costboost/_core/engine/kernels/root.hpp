// Roots of functions of one number; Python reaches them through the binding.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace costboost {

struct ValueAndSlope {
    double value, slope;
};

// A function in another language, which returns a value other than 0 when it fails.
struct Callback {
    void* function;
    int (*call)(void*, double, ValueAndSlope*);

    ValueAndSlope operator()(double x) const {
        ValueAndSlope at{0, 0};
        if (call(function, x, &at)) throw std::runtime_error("the function failed");
        return at;
    }
};

// The root from 0 on of a function that grows with x, by Newton's method within a bracket; 0 if the function is not negative
// at 0. evaluate(x) returns value and slope; a positive guess is tried after 0.
template <typename Function>
double increasing_root(Function evaluate, double guess) {
    double low = 0, high = std::numeric_limits<double>::infinity(), x = 0;
    for (int iteration = 0; iteration < 200; iteration++) {
        const ValueAndSlope at = evaluate(x);
        if (x == 0 && at.value >= 0) return 0;
        if (at.value == 0) return x;
        (at.value < 0 ? low : high) = x;
        double next = iteration == 0 && guess > 0 ? guess : x - at.value / at.slope;
        if (!(next > low && next < high)) next = std::isinf(high) ? 2 * low + 1 : 0.5 * (low + high);
        if (std::fabs(next - x) <= 1e-15 * next) return next;
        x = next;
    }
    return x;
}

// The root between two points at which a function has different signs, by inverse quadratic interpolation, secants and bisection
// (Brent 1973). It ends when the bracket is within absolute + relative |x|.
template <typename Function>
double bracketed_root(Function evaluate, double before, double at, double absolute, double relative) {
    double f_before = evaluate(before).value, f_at = evaluate(at).value;
    if (f_before == 0) return before;
    if (f_at == 0) return at;
    if ((f_before > 0) == (f_at > 0)) throw std::invalid_argument("the function has the same sign at both ends");
    double other = before, f_other = f_before, step = at - before, last_step = step;  // the root is between `at` and `other`
    for (int iteration = 0; iteration < 200; iteration++) {
        if ((f_at > 0) == (f_other > 0)) {
            other = before, f_other = f_before;
            step = last_step = at - before;
        }
        if (std::fabs(f_other) < std::fabs(f_at)) {
            before = at, at = other, other = before;
            f_before = f_at, f_at = f_other, f_other = f_before;
        }
        const double half = 0.5 * (other - at), least = 0.5 * (absolute + relative * std::fabs(at));
        if (f_at == 0 || std::fabs(half) <= least) return at;
        double p = half, q = 1;  // the step is p / q
        if (std::fabs(last_step) >= least && std::fabs(f_before) > std::fabs(f_at)) {
            const double s = f_at / f_before;
            if (before == other) {
                p = 2 * half * s, q = 1 - s;
            } else {
                const double u = f_before / f_other, v = f_at / f_other;
                p = s * (2 * half * u * (u - v) - (at - before) * (v - 1)), q = (u - 1) * (v - 1) * (s - 1);
            }
            if (p > 0) q = -q;
            p = std::fabs(p);
            const bool inside = 2 * p < std::min(3 * half * q - std::fabs(least * q), std::fabs(last_step * q));
            if (!inside) p = half, q = 1;
            last_step = inside ? step : half;
        } else {
            last_step = half;
        }
        step = p / q;
        before = at, f_before = f_at;
        at += std::fabs(step) > least ? step : half > 0 ? least : -least;
        f_at = evaluate(at).value;
    }
    return at;
}

}  // namespace costboost
