// What rules splits out before they are evaluated to all digits: bounds of the criterion SQUARES of a regression, and of the rows
// on either side.
#pragma once

#include "sequence.hpp"

namespace costboost {

// How far a bound may be from the least criterion, as a share of it, if no side has less than this share of the weight.
constexpr double BOUND_SLACK = 1e-6, LEAST_SIDE = 1e-8;

// Squares of both sides of a split, from the sums on the left and of all rows; e is added to weights.
COSTBOOST_INLINE double both_squares(double p_left, double q_left, double all_p, double all_q, double e) {
    const double p_right = all_p - p_left, left = q_left + e, right = all_q - q_left + e;
    return (p_left * p_left * right + p_right * p_right * left) / (left * right);
}

// A bound by the greatest of n squares, of which there is room for LANES more.
COSTBOOST_INLINE double bound_by_greatest(double* value, int n) {
    double most[LANES] = {0};
    for (int k = n; k < n + LANES; k++) value[k] = 0;
    for (int k = 0; k < n; k += LANES)
        for (int lane = 0; lane < LANES; lane++) most[lane] = value[k + lane] > most[lane] ? value[k + lane] : most[lane];
    double greatest = 0;
    for (int lane = 0; lane < LANES; lane++) greatest = most[lane] > greatest ? most[lane] : greatest;
    return -(1 + BOUND_SLACK) * greatest;
}

// Constraints of a regression, and what is added to weights.
struct SquaresLimits {
    Bounds bounds;
    int direction;
    double smoothing;

    bool any() const { return direction || bounds.any(); }
};

// Squares of both sides whose means are within bounds; minus infinity if the means are in the wrong order by more than rounding.
struct BoundedSquares {
    double all_p, all_q, e, low, high, sign;

    BoundedSquares(const SquaresLimits& limits, double of_p, double of_q)
        : all_p(of_p), all_q(of_q), e(limits.smoothing), low(limits.bounds.low), high(limits.bounds.high), sign(limits.direction) {}

    // What a side adds, as numerator and denominator.
    COSTBOOST_INLINE void side(double p, double q, double& numerator, double& denominator) const {
        const bool below = p < low * q, above = p > high * q;
        const double at = below ? low : high, outside = at * (2 * p - q * at), inside = p * p;
        numerator = below | above ? outside : inside;
        denominator = below | above ? 1 : q;
    }
    COSTBOOST_INLINE double operator()(double p_left, double q_left) const {
        const double p_right = all_p - p_left, left = q_left + e, right = all_q - q_left + e;
        double a, b, c, d;
        side(p_left, left, a, b);
        side(p_right, right, c, d);
        const double squares = (a * d + c * b) / (b * d);
        const double x = sign * p_left * right, y = sign * p_right * left, slack = 1e-9 * (std::fabs(x) + std::fabs(y));
        // the mean that must not be greater is above its bound, and the other one below its own
        const bool left_first = sign > 0;
        const double p_first = left_first ? p_left : p_right, first = left_first ? left : right;
        const double p_second = left_first ? p_right : p_left, second = left_first ? right : left;
        const bool wrong = (x - y > slack) & (p_first > low * first) & (p_second < high * second);
        return wrong ? -std::numeric_limits<double>::infinity() : squares;
    }
};

// A bound by the greatest of n squares, some of which may be below 0, with room for LANES more.
COSTBOOST_INLINE double bound_by_any(double* value, int n) {
    const double none = -std::numeric_limits<double>::infinity();
    double most[LANES];
    for (int lane = 0; lane < LANES; lane++) most[lane] = none;
    for (int k = n; k < n + LANES; k++) value[k] = none;
    for (int k = 0; k < n; k += LANES)
        for (int lane = 0; lane < LANES; lane++) most[lane] = value[k + lane] > most[lane] ? value[k + lane] : most[lane];
    const double greatest = *std::max_element(most, most + LANES);
    return std::isinf(greatest) ? -greatest : -(greatest + BOUND_SLACK * std::fabs(greatest));
}

// A lower bound of the criterion SQUARES of n splits, near the least, none of which has a light side (see LEAST_SIDE).
COSTBOOST_DISPATCH inline double squares_bound(const LeftSums& left, const SquaresLimits& limits) {
    const int64_t *p = left.p, *q = left.q;
    const int n = left.n;
    const double a = left.share[0], b = left.share[1], all_p = a * as_double(left.total[0]), all_q = b * as_double(left.total[1]);
    const double e = limits.smoothing;
    double value[N_BINS + LANES];
    if (limits.any()) {
        const BoundedSquares squares(limits, all_p, all_q);
        for (int k = 0; k < n; k++) value[k] = squares(a * as_double(p[k]), b * as_double(q[k]));
        return bound_by_any(value, n);
    }
    for (int k = 0; k < n; k++) value[k] = both_squares(a * as_double(p[k]), b * as_double(q[k]), all_p, all_q, e);
    return bound_by_greatest(value, n);
}

// The same of sums in words.
COSTBOOST_DISPATCH inline double squares_bound(const Word* left, int n, const int64_t* total, const double* share, const SquaresLimits& limits) {
    const double a = share[0], b = share[1], all_p = a * as_double(total[0]), all_q = b * as_double(total[1]), e = limits.smoothing;
    double value[N_BINS + LANES];
    if (limits.any()) {
        const BoundedSquares squares(limits, all_p, all_q);
        for (int k = 0; k < n; k++)
            value[k] = squares(a * static_cast<int32_t>(left[k] >> 32), b * static_cast<int32_t>(left[k] & 0xFFFFFFFFull));
        return bound_by_any(value, n);
    }
    for (int k = 0; k < n; k++)
        value[k] = both_squares(a * static_cast<int32_t>(left[k] >> 32), b * static_cast<int32_t>(left[k] & 0xFFFFFFFFull), all_p, all_q, e);
    return bound_by_greatest(value, n);
}

// Sums of response and weight on the left of a feature's splits, which grow with the split: two numbers ...
struct LeftPairs {
    const int64_t *p, *q;

    int64_t response(int64_t k) const { return p[k]; }
    int64_t weight(int64_t k) const { return q[k]; }
    bool equal(int64_t k, int64_t l) const { return p[k] == p[l] && q[k] == q[l]; }
    int64_t first_of_weight(int64_t least, Range splits) const { return std::lower_bound(q + splits.begin, q + splits.end, least) - q; }
    double bound(Range splits, const int64_t* total, const double* share, const SquaresLimits& limits) const {
        return squares_bound({p + splits.begin, q + splits.begin, static_cast<int>(splits.size()), total, share}, limits);
    }
};

// ... or one word.
struct LeftWords {
    const Word* word;

    int64_t response(int64_t k) const { return response_of(word[k]); }
    int64_t weight(int64_t k) const { return weight_of(word[k]); }
    bool equal(int64_t k, int64_t l) const { return word[k] == word[l]; }
    int64_t first_of_weight(int64_t least, Range splits) const {
        auto lighter = [](Word one, int64_t than) { return weight_of(one) < than; };
        return std::lower_bound(word + splits.begin, word + splits.end, least, lighter) - word;
    }
    double bound(Range splits, const int64_t* total, const double* share, const SquaresLimits& limits) const {
        return squares_bound(word + splits.begin, static_cast<int>(splits.size()), total, share, limits);
    }
};

// Sums on the left of the first n splits of a feature whose bins are ordered and whose sums are in words.
inline void add_up_words(const SearchInput& in, int f, int n, Word* up_to) {
    const Word* words = in.words + static_cast<int64_t>(f) * N_BINS;
    Word sum = 0;
    for (int k = 0; k < n; k++) up_to[k] = sum += words[k];
}

// Sums on the left of the splits of a feature with ordered bins, missing values being on the right.
struct Prefix {
    int n;  // splits
    int64_t up_to[2][N_BINS], present[2], missing[2];

    void add_up(const SearchInput& in, int f) {
        const BinSums first = in.sums(0, f), second = in.sums(1, f);
        n = in.features.n_bins[f] - 1;
        if (in.words)
            add([&](int k) { return first[k]; }, [&](int k) { return second[k]; });
        else if (in.side_by_side)
            add([p = first.first](int k) { return p[2 * k]; }, [q = second.first](int k) { return q[2 * k]; });
        else
            add([p = first.first](int k) { return p[k]; }, [q = second.first](int k) { return q[k]; });
    }

    bool some_missing() const { return missing[0] != 0 || missing[1] != 0; }

    // Brings missing values to the left, in some splits: those that keep a present value on the right are moved to the front,
    // and their number is returned.
    int take_missing(Range splits) {
        int m = 0;
        for (int64_t k = splits.begin; k < splits.end; k++) {
            const bool can_take = up_to[0][k] < present[0] || up_to[1][k] < present[1];
            up_to[0][m] = up_to[0][k] + missing[0];
            up_to[1][m] = up_to[1][k] + missing[1];
            m += can_take;
        }
        return m;
    }

  private:
    template <typename First, typename Second>
    void add(First p, Second q) {
        int64_t sum_p = 0, sum_q = 0;
        for (int k = 0; k < n; k++) {
            up_to[0][k] = sum_p += p(k);
            up_to[1][k] = sum_q += q(k);
        }
        present[0] = sum_p + p(n), present[1] = sum_q + q(n);
        missing[0] = p(MISSING_BIN), missing[1] = q(MISSING_BIN);
    }
};

// The splits that leave either side enough rows, as no row is heavier than the heaviest; the sums of weights grow.
inline Range surely_enough(const SearchInput& in, const int64_t* up_to, int n, int64_t present) {
    if (in.heaviest > std::numeric_limits<int64_t>::max() / 2 / in.min_samples_leaf) return {0, 0};
    const int64_t enough = in.heaviest * in.min_samples_leaf;
    const int64_t begin = std::lower_bound(up_to, up_to + n, enough) - up_to;
    const int64_t end = std::upper_bound(up_to + begin, up_to + n, present - enough) - up_to;
    return {begin, end};
}

// The splits with at least so many rows on the left and on the right, of a feature with n bins.
inline Range splits_between(const uint32_t* rows, int n, int64_t on_left, int64_t on_right) {
    int begin = 0, end = n - 1;
    for (int64_t sum = rows[0]; sum < on_left && begin < n - 1;) sum += rows[++begin];
    for (int64_t sum = rows[n - 1]; sum < on_right && end > 0;) sum += rows[--end];
    return {begin, std::max(begin, end)};
}

}  // namespace costboost
