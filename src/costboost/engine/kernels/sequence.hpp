// The bins of a feature in the order in which they may be split.
#pragma once

#include "split.hpp"
#include "ties.hpp"

namespace costboost {

// Sums up to and including each bin. A split is a position: the bins up to it go left.
struct BinSequence {
    int n = 0;
    int64_t up_to[2][N_BINS];
    int64_t missing[2];
    bool counted = false;  // whether rows_up_to and rows_missing are filled
    int64_t rows_up_to[N_BINS];
    int64_t rows_missing = 0;
    uint8_t order[N_BINS];  // of categories

    bool some_missing() const { return missing[0] != 0 || missing[1] != 0; }

    // Missing values may go left only if some weight is present on the right.
    bool can_take_missing(int k) const { return up_to[0][k] < up_to[0][n - 1] || up_to[1][k] < up_to[1][n - 1]; }

    // Whether a side has fewer rows than a leaf must have.
    bool too_few(int k, int missing_left, int64_t least) const {
        if (!counted) return false;
        const int64_t left = rows_up_to[k] + (missing_left ? rows_missing : 0);
        const int64_t all = rows_up_to[n - 1] + rows_missing;
        return left < least || all - left < least;
    }
};

}  // namespace costboost
