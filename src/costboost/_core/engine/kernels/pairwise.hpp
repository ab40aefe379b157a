// Sums in the order in which NumPy adds the entries of an array, so that kernels and Python code give the same bits.
#pragma once

#include "common.hpp"

namespace costboost {

// Up to 128 entries are added in eight lanes, longer runs by halves.
inline double pairwise_sum(const double* values, int64_t n) {
    constexpr int LANES = 8;
    constexpr int64_t MOST_AT_A_TIME = 128;
    if (n < LANES) {
        double sum = 0;
        for (int64_t i = 0; i < n; i++) sum += values[i];
        return sum;
    }
    if (n <= MOST_AT_A_TIME) {
        double lane[LANES];
        for (int k = 0; k < LANES; k++) lane[k] = values[k];
        int64_t i = LANES;
        for (; i < n - n % LANES; i += LANES)
            for (int k = 0; k < LANES; k++) lane[k] += values[i + k];
        double sum = ((lane[0] + lane[1]) + (lane[2] + lane[3])) + ((lane[4] + lane[5]) + (lane[6] + lane[7]));
        for (; i < n; i++) sum += values[i];
        return sum;
    }
    const int64_t half = n / 2 - n / 2 % LANES;
    return pairwise_sum(values, half) + pairwise_sum(values + half, n - half);
}

}  // namespace costboost
