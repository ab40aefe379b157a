// The root of an increasing function; Python reaches it through the binding.
#pragma once

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

}  // namespace costboost
