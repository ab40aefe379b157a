// What rules splits out before they are evaluated to all digits: bounds of the criterion SQUARES of a regression, and of the rows
// on either side.
#pragma once

#include "sequence.hpp"

namespace costboost {

// How far a bound may be from the least criterion, as a share of it, if no side has less than this share of the weight.
constexpr double BOUND_SLACK = 1e-6, LEAST_SIDE = 1e-8;

// Squares of both sides of a split, from the sums on the left and of all rows; e is added to weights.
struct FreeSquares {
    static constexpr double WHOLE = 1;  // factor of what is computed
    double all_p, all_q, e;

    COSTBOOST_INLINE double operator()(double p_left, double q_left) const {
        const double p_right = all_p - p_left, left = q_left + e, right = all_q - q_left + e;
        return (p_left * p_left * right + p_right * p_right * left) / (left * right);
    }
};

constexpr int MAXIMA = 32;  // so many maxima at once: of fewer, compilers take one value at a time

// The greatest of n values, of which there is room for MAXIMA more.
COSTBOOST_INLINE double greatest_of(double* value, int n) {
    double most[MAXIMA];
    for (int lane = 0; lane < MAXIMA; lane++) most[lane] = -std::numeric_limits<double>::infinity();
    for (int lane = 0; lane < MAXIMA; lane++) value[n + lane] = most[lane];
    for (int k = 0; k < n; k += MAXIMA)
        for (int lane = 0; lane < MAXIMA; lane++) most[lane] = value[k + lane] > most[lane] ? value[k + lane] : most[lane];
    for (int half = MAXIMA / 2; half; half /= 2)
        for (int lane = 0; lane < half; lane++) most[lane] = most[lane + half] > most[lane] ? most[lane + half] : most[lane];
    return most[0];
}

// Constraints of a regression, and what is added to weights.
struct SquaresLimits {
    Bounds bounds;
    int direction;
    double smoothing;

    bool any() const { return direction || bounds.any(); }
};

// Squares of both sides; minus infinity if their means are in the wrong order by more than rounding. Sums have signs such that the mean
// on the left must not be greater.
struct OrderedSquares {
    static constexpr double WHOLE = 1;
    double all_p, all_q, e;

    COSTBOOST_INLINE double operator()(double p_left, double q_left) const {
        const double p_right = all_p - p_left, left = q_left + e, right = all_q - q_left + e;
        const double x = p_left * right, y = p_right * left, slack = 1e-9 * (std::fabs(x) + std::fabs(y));
        const double squares = (p_left * x + p_right * y) / (left * right);
        return x - y > slack ? -std::numeric_limits<double>::infinity() : squares;
    }
};

// The same of means that are moved into bounds, and need to be in order only where that is asked for. Weights are halved, and so are
// the squares: with the weight w the square of a mean m in bounds is 2 (m p - m m w / 2).
template <bool ORDERED>
struct BoundedSquares {
    static constexpr double WHOLE = 2;
    double all_p, half_q, half_e, low, high;

    COSTBOOST_INLINE double operator()(double p_left, double q_left) const {
        const double p_right = all_p - p_left, left = q_left + half_e, right = half_q - q_left;
        const double both = 0.5 / (left * right);  // as divisions take long
        const double x = within(p_left * right * both), y = within(p_right * left * both);
        const double squares = x * (p_left - x * left) + y * (p_right - y * right);
        if (!ORDERED) return squares;
        return x - y > 1e-9 * std::fabs(x + y) ? -std::numeric_limits<double>::infinity() : squares;
    }
    COSTBOOST_INLINE double within(double mean) const {
        const double above = mean < low ? low : mean;
        return above > high ? high : above;
    }
};

// Sums on the left, in units: of pairs ...
struct UnitsOfPairs {
    const int64_t *p, *q;
    double a, b;

    COSTBOOST_INLINE double response(int k) const { return a * as_double(p[k]); }
    COSTBOOST_INLINE double weight(int k) const { return b * as_double(q[k]); }
};

// ... and of words.
struct UnitsOfWords {
    const Word* word;
    double a, b;

    COSTBOOST_INLINE double response(int k) const { return a * static_cast<int32_t>(word[k] >> 32); }
    COSTBOOST_INLINE double weight(int k) const { return b * static_cast<int32_t>(word[k] & 0xFFFFFFFFull); }
};

// What squares are computed for, which are not exact and may be below 0: a bound of the criterion of all splits by the greatest ...
struct BoundOfAll {
    template <typename Units, typename Squares>
    COSTBOOST_INLINE double of(const Units& given, int n, const Squares& by) const {
        const Squares squares = by;
        const Units left = given;
        double value[N_BINS + MAXIMA];
        for (int k = 0; k < n; k++) value[k] = squares(left.response(k), left.weight(k));
        const double greatest = Squares::WHOLE * greatest_of(value, n);
        return std::isinf(greatest) ? -greatest : -(greatest + BOUND_SLACK * std::fabs(greatest));
    }
};

// ... or the first split whose criterion may be as low as a limit; n if there is none.
struct FirstBelow {
    double limit;

    template <typename Units, typename Squares>
    COSTBOOST_INLINE int of(const Units& given, int n, const Squares& by) const {
        const Squares squares = by;
        const Units left = given;
        double value[N_BINS];
        for (int k = 0; k < n; k++) value[k] = squares(left.response(k), left.weight(k));
        const double least = -(limit + TIE) / Squares::WHOLE, near = least - 2 * BOUND_SLACK * std::fabs(least);
        int k = 0;
        while (k < n && value[k] < near) k++;
        return k;
    }
};

// Responses are multiplied by the direction.
template <typename Units, typename Purpose>
COSTBOOST_INLINE auto with_squares(Units left, int n, double all_p, double all_q, const SquaresLimits& limits, const Purpose& purpose) {
    const double e = limits.smoothing, sign = limits.direction < 0 ? -1 : 1;
    left.a *= sign;
    all_p *= sign;
    if (!limits.bounds.any())
        return limits.direction ? purpose.of(left, n, OrderedSquares{all_p, all_q, e}) : purpose.of(left, n, FreeSquares{all_p, all_q, e});
    const double low = sign < 0 ? -limits.bounds.high : limits.bounds.low, high = sign < 0 ? -limits.bounds.low : limits.bounds.high;
    left.b /= 2;
    const double half_q = (all_q + e) / 2;
    if (limits.direction) return purpose.of(left, n, BoundedSquares<true>{all_p, half_q, e / 2, low, high});
    return purpose.of(left, n, BoundedSquares<false>{all_p, half_q, e / 2, low, high});
}

// A lower bound of the criterion SQUARES of n splits, near the least, none of which has a light side (see LEAST_SIDE).
COSTBOOST_DISPATCH inline double squares_bound(const LeftSums& left, const SquaresLimits& limits) {
    const double a = left.share[0], b = left.share[1];
    return with_squares(UnitsOfPairs{left.p, left.q, a, b}, left.n, a * as_double(left.total[0]), b * as_double(left.total[1]), limits,
                        BoundOfAll{});
}

// The first of such splits whose criterion may be as low as the limit; n if there is none.
COSTBOOST_DISPATCH inline int first_below(const LeftSums& left, const SquaresLimits& limits, double limit) {
    const double a = left.share[0], b = left.share[1];
    return with_squares(UnitsOfPairs{left.p, left.q, a, b}, left.n, a * as_double(left.total[0]), b * as_double(left.total[1]), limits,
                        FirstBelow{limit});
}

// The same of sums in words.
COSTBOOST_DISPATCH inline double squares_bound(const Word* left, int n, const int64_t* total, const double* share, const SquaresLimits& limits) {
    const double a = share[0], b = share[1];
    return with_squares(UnitsOfWords{left, a, b}, n, a * as_double(total[0]), b * as_double(total[1]), limits, BoundOfAll{});
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
