// When two candidates are as good as each other, and which one wins. Python reaches these rules through the binding, so
// that learners without a kernel of their own follow them too.
#pragma once

#include "common.hpp"

namespace costboost {

// Losses and weights are shares of a total; two of them that differ by less than this are equal but for rounding.
constexpr double TIE = 1e-12;

// Puts the categories with weight into the order in which the best two-way partition is a prefix: by the share of positives,
// or the mean response (Breiman et al. 1984, theorem 4.5). Returns how many there are; categories without weight are left out.
inline int order_categories(const double* first, const double* whole, int n, uint8_t* order) {
    assert(n <= N_BINS);
    double ratio[N_BINS];
    int m = 0;
    for (int b = 0; b < n; b++) {
        if (!(whole[b] > 0)) continue;
        ratio[b] = first[b] / whole[b];
        order[m++] = static_cast<uint8_t>(b);
    }
    std::stable_sort(order, order + m, [&](uint8_t a, uint8_t b) { return ratio[a] < ratio[b]; });
    return m;
}

// Whether the left side weighs more; it does when both weigh the same.
inline bool heavier_left(double left, double right) { return right <= left + TIE; }

// Where missing values go: to the side on which the loss is less; if that makes no difference, to the heavier one.
enum class Side { RIGHT, LEFT, HEAVIER };

inline Side side_of_missing(double loss_left, double loss_right) {
    if (std::fabs(loss_left - loss_right) <= TIE) return Side::HEAVIER;
    return loss_left < loss_right ? Side::LEFT : Side::RIGHT;
}

}  // namespace costboost
