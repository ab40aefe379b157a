// The loss that a split minimises.
#pragma once

#include "elementary.hpp"

namespace costboost {

// Weights are shares of the total, so that a tolerance means the same everywhere.
enum class Kind : int {
    VOTE = 0,         // weighted error of one vote, sign p on the right and -p on the left; two constants compete
    LEAF_ERROR = 1,   // weighted error when each side votes for its own majority
    EXPONENTIAL = 2,  // exponential loss when each side takes its best value, shares smoothed by `smoothing`
    SQUARED = 3,      // squared error when each side takes its mean label
    COST_EXPONENTIAL = 4,  // exponential loss whose margin is multiplied by the cost of the class, each side at its best value
    SQUARES = 5,      // weighted squares of a regression: the two sums are response and weight, to which `smoothing` is added
    JOINT = 6,        // exponential loss, margins times costs, of one vote with its own best step; two constants compete
    ENTROPY = 7,      // bits that encode the classes on each side
};

// Levels between which those of a leaf have to be.
struct Bounds {
    double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();

    bool any() const { return !std::isinf(low) || !std::isinf(high); }
    COSTBOOST_INLINE double clip(double level) const {
        const double above = level < low ? low : level;
        return above > high ? high : above;
    }
};

struct Ratio {
    double numerator, denominator;  // the latter above 0

    COSTBOOST_INLINE bool below(double level) const { return numerator < level * denominator; }
    COSTBOOST_INLINE bool above(double level) const { return numerator > level * denominator; }
};

// A loss that is linear in the shares of a leaf.
struct LinearLoss {
    double p, q, constant;
    COSTBOOST_INLINE double operator()(double of_p, double of_q) const { return p * of_p + q * of_q + constant; }
};

// By chance, sorting so many categories gains about as much as the best of many cuts of a number.
constexpr int FREE_CATEGORIES = 8;

struct Criterion {
    Kind kind = Kind::VOTE;
    double smoothing = 0;
    double cost[2] = {1, 1};  // of a mistake on a positive and on a negative row, for the kinds that use costs
    double per_category = 0;  // SQUARES: what a category without any effect gains, by which gains are shrunken; 0 for no shrinkage

    // Whether a candidate is one vote, so that constant votes compete with it.
    bool votes() const { return kind == Kind::VOTE || kind == Kind::JOINT; }

    COSTBOOST_INLINE static double exponential(double p, double q, double e) {
        if (e == 0) return 2 * std::sqrt(p * q);
        return (p * (q + e) + q * (p + e)) / std::sqrt((p + e) * (q + e));
    }
    COSTBOOST_INLINE static double squares(double p, double q, double e) {
        const double sum = q > 0 ? p : 0;
        return -sum * sum / (q > 0 ? q + e : 1);
    }
    COSTBOOST_INLINE static double squared(double p, double q) { return 4 * p * q / (p + q > 0 ? p + q : 1); }
    static double error(double p, double q) { return p < q ? p : q; }
    static double entropy(double p, double q) {
        if (!(p > 0 && q > 0)) return 0;
        return p * elementary::log2((p + q) / p) + q * elementary::log2((p + q) / q);
    }

    // Loss of a leaf with shares p and q of the two classes; as a template, so that no loop has to choose the kind.
    template <Kind KIND>
    COSTBOOST_INLINE double leaf_of_kind(double p, double q) const {
        const double e = smoothing;
        switch (KIND) {
            case Kind::EXPONENTIAL: return exponential(p, q, e);
            case Kind::SQUARES: return squares(p, q, e);
            case Kind::SQUARED: return squared(p, q);
            case Kind::ENTROPY: return entropy(p, q);
            case Kind::COST_EXPONENTIAL: {
                const double g = elementary::log((p + e) * cost[0] / ((q + e) * cost[1])) / (cost[0] + cost[1]);
                return p * elementary::exp(-cost[0] * g) + q * elementary::exp(cost[1] * g);
            }
            default: return error(p, q);
        }
    }

    // Calls work(kind), the kind as a constant; kinds whose leaves count their mistakes are LEAF_ERROR.
    template <typename Work>
    auto with_kind(Work work) const {
        switch (kind) {
            case Kind::EXPONENTIAL: return work(std::integral_constant<Kind, Kind::EXPONENTIAL>());
            case Kind::SQUARED: return work(std::integral_constant<Kind, Kind::SQUARED>());
            case Kind::SQUARES: return work(std::integral_constant<Kind, Kind::SQUARES>());
            case Kind::ENTROPY: return work(std::integral_constant<Kind, Kind::ENTROPY>());
            case Kind::COST_EXPONENTIAL: return work(std::integral_constant<Kind, Kind::COST_EXPONENTIAL>());
            default: return work(std::integral_constant<Kind, Kind::LEAF_ERROR>());
        }
    }

    double leaf(double p, double q) const {
        return with_kind([&](auto kind) { return leaf_of_kind<decltype(kind)::value>(p, q); });
    }

    // ---- levels, in which leaves are ordered and bounded: odds where values are their logarithms, else the values ----------

    static constexpr double LEVEL_SMOOTHING = 1e-4;  // where shares are not smoothed, so that no level is infinite

    bool levels_are_odds() const { return kind != Kind::SQUARED && kind != Kind::SQUARES; }

    // The level of a leaf of shares p and q.
    template <Kind KIND>
    COSTBOOST_INLINE Ratio level_of_kind(double p, double q) const {
        if (KIND == Kind::SQUARES) return {q > 0 ? p : 0, q > 0 ? q + smoothing : 1};
        if (KIND == Kind::SQUARED) return {p - q, p + q > 0 ? p + q : 1};
        const double e = smoothing > 0 ? smoothing : LEVEL_SMOOTHING;
        return {p + e, q + e};
    }
    double level(double p, double q) const {
        const Ratio ratio = with_kind([&](auto kind) { return level_of_kind<decltype(kind)::value>(p, q); });
        return ratio.numerator / ratio.denominator;
    }

    // The level whose value is in the middle of two.
    double middle(double a, double b) const { return levels_are_odds() ? std::sqrt(a * b) : 0.5 * (a + b); }

    // The value of a leaf of this level.
    double value_at(double level) const {
        if (!levels_are_odds() || std::isinf(level)) return level;
        if (kind == Kind::COST_EXPONENTIAL) return elementary::log(level * cost[0] / cost[1]) / (cost[0] + cost[1]);
        return 0.5 * elementary::log(level);
    }

    // The loss of leaves that take a given level.
    LinearLoss loss_at(double level) const {
        if (std::isinf(level)) return {0, 0, 0};
        switch (kind) {
            case Kind::EXPONENTIAL: return {1 / std::sqrt(level), std::sqrt(level), 0};
            case Kind::SQUARES: return {-2 * level, level * level, smoothing * level * level};
            case Kind::SQUARED: return {(1 - level) * (1 - level), (1 + level) * (1 + level), 0};
            case Kind::COST_EXPONENTIAL: {
                const double g = value_at(level);
                return {elementary::exp(-cost[0] * g), elementary::exp(cost[1] * g), 0};
            }
            default: return level > 1 ? LinearLoss{0, 1, 0} : LinearLoss{1, 0, 0};
        }
    }

    // Bounds of the sides of a split, left first: where its feature has a direction, the middle of both levels parts them.
    void bounds_of_sides(const Bounds& bounds, int direction, const double* left, const double* right, Bounds* sides) const {
        sides[0] = sides[1] = bounds;
        if (direction == 0) return;
        const double parting = middle(bounds.clip(level(left[0], left[1])), bounds.clip(level(right[0], right[1])));
        sides[direction > 0 ? 0 : 1].high = parting;
        sides[direction > 0 ? 1 : 0].low = parting;
    }
};

// A criterion whose leaves have levels within bounds: one whose own level is outside takes the nearest bound.
struct BoundedCriterion {
    Criterion criterion;
    Bounds bounds;
    LinearLoss at_low, at_high;

    BoundedCriterion(const Criterion& given, const Bounds& within)
        : criterion(given), bounds(within), at_low(given.loss_at(within.low)), at_high(given.loss_at(within.high)) {}

    template <Kind KIND>
    COSTBOOST_INLINE double leaf_of_kind(const Ratio& level, double p, double q) const {
        const double own = criterion.leaf_of_kind<KIND>(p, q), lowest = at_low(p, q), highest = at_high(p, q);
        const double above = level.below(bounds.low) ? lowest : own;
        return level.above(bounds.high) ? highest : above;
    }
    double leaf(double p, double q) const {
        return criterion.with_kind([&](auto kind) {
            constexpr Kind KIND = decltype(kind)::value;
            return leaf_of_kind<KIND>(criterion.level_of_kind<KIND>(p, q), p, q);
        });
    }

    // Both sides of a split; where these are to be in order, infinite if the first level is greater than the second.
    template <Kind KIND>
    COSTBOOST_INLINE double sides(bool ordered, double p_first, double q_first, double p_second, double q_second) const {
        const Ratio first = criterion.level_of_kind<KIND>(p_first, q_first), second = criterion.level_of_kind<KIND>(p_second, q_second);
        const double loss = leaf_of_kind<KIND>(first, p_first, q_first) + leaf_of_kind<KIND>(second, p_second, q_second);
        const int asked = ordered, greater = first.numerator * second.denominator > second.numerator * first.denominator;
        const int above_low = first.above(bounds.low), below_high = second.below(bounds.high);
        return (asked & greater & above_low & below_high) ? std::numeric_limits<double>::infinity() : loss;
    }
};

// About base^exponent, to 1e-11 of its size, in operations that a compiler can do for several values at once.
inline double roughly_power(double base, double exponent) {
    uint64_t bits;
    std::memcpy(&bits, &base, 8);
    const uint64_t mantissa = (bits & 0xFFFFFFFFFFFFFull) | 0x3FF0000000000000ull;
    double m;
    std::memcpy(&m, &mantissa, 8);
    const int high = m > 1.4142135623730951 ? 1 : 0;
    const double whole = static_cast<double>(static_cast<int32_t>(bits >> 52) - 1023 + high);
    m = high ? 0.5 * m : m;
    const double s = (m - 1) / (m + 1), t = s * s;  // log m = 2 artanh s
    const double series = 1 + t * (1.0 / 3 + t * (1.0 / 5 + t * (1.0 / 7 + t * (1.0 / 9 + t * (1.0 / 11 + t / 13)))));
    const double x = exponent * (whole + 2.885390081777926815 * s * series);
    const double n = std::nearbyint(x), f = (x - n) * 0.69314718055994530942;
    const double e = 1 + f * (1 + f / 2 * (1 + f / 3 * (1 + f / 4 * (1 + f / 5 * (1 + f / 6 * (1 + f / 7 * (1 + f / 8 * (1 + f / 9 * (1 + f / 10)))))))));
    const uint64_t scale = static_cast<uint64_t>(static_cast<int64_t>(static_cast<int32_t>(n) + 1023)) << 52;
    double power;
    std::memcpy(&power, &scale, 8);
    return e * power;
}

// A whole number as a double, correctly rounded, in operations that a compiler can do for several values at once.
COSTBOOST_INLINE double as_double(int64_t value) {
    const uint64_t lifted = static_cast<uint64_t>(value) ^ 0x8000000000000000ull;
    const uint64_t high_bits = (lifted >> 32) | 0x4530000000000000ull;          // 2^84 + 2^32 (upper half)
    const uint64_t low_bits = (lifted & 0xFFFFFFFFull) | 0x4330000000000000ull;  // 2^52 + lower half
    double high, low;
    std::memcpy(&high, &high_bits, 8);
    std::memcpy(&low, &low_bits, 8);
    return (high - 0x1.00000801p+84) + low;  // 2^84 + 2^63 + 2^52
}

// Sums on the left of n splits, and what they are compared with.
struct LeftSums {
    const int64_t *p, *q;
    int n;  // at most 256
    const int64_t* total;  // of both classes
    const double* share;   // of one quantum of either class
};

// Shares on both sides of n splits.
struct SideShares {
    double p_left[N_BINS], q_left[N_BINS], p_right[N_BINS], q_right[N_BINS];
};

COSTBOOST_INLINE void take_shares(const LeftSums& left, SideShares& of) {
    const int64_t *p = left.p, *q = left.q;
    const double a = left.share[0], b = left.share[1];
    const int64_t all_p = left.total[0], all_q = left.total[1];
    for (int k = 0; k < left.n; k++) {
        of.p_left[k] = a * as_double(p[k]);
        of.q_left[k] = b * as_double(q[k]);
        of.p_right[k] = a * as_double(all_p - p[k]);
        of.q_right[k] = b * as_double(all_q - q[k]);
    }
}

template <Kind KIND>
COSTBOOST_INLINE void bounded_losses(const BoundedCriterion& given, int direction, const SideShares& of, int n, double* value) {
    const BoundedCriterion criterion = given;
    const bool ordered = direction != 0, rises = direction >= 0;
    const double *p_first = rises ? of.p_left : of.p_right, *q_first = rises ? of.q_left : of.q_right;
    const double *p_second = rises ? of.p_right : of.p_left, *q_second = rises ? of.q_right : of.q_left;
    if (criterion.criterion.smoothing == 0)  // one loop for either case, so that it is not decided in it
        for (int k = 0; k < n; k++) value[k] = criterion.sides<KIND>(ordered, p_first[k], q_first[k], p_second[k], q_second[k]);
    else
        for (int k = 0; k < n; k++) value[k] = criterion.sides<KIND>(ordered, p_first[k], q_first[k], p_second[k], q_second[k]);
}

// The criterion of n splits of a feature of this direction, within bounds.
COSTBOOST_DISPATCH inline void bounded_split_losses(const BoundedCriterion& criterion, int direction, const LeftSums& left, double* value) {
    SideShares of;
    take_shares(left, of);
    switch (criterion.criterion.kind) {  // not by with_kind, which would not be compiled for the instruction set of this function
        case Kind::EXPONENTIAL: return bounded_losses<Kind::EXPONENTIAL>(criterion, direction, of, left.n, value);
        case Kind::SQUARED: return bounded_losses<Kind::SQUARED>(criterion, direction, of, left.n, value);
        case Kind::SQUARES: return bounded_losses<Kind::SQUARES>(criterion, direction, of, left.n, value);
        case Kind::COST_EXPONENTIAL: return bounded_losses<Kind::COST_EXPONENTIAL>(criterion, direction, of, left.n, value);
        default: return bounded_losses<Kind::LEAF_ERROR>(criterion, direction, of, left.n, value);
    }
}

// Criterion::entropy of n leaves: the same bits, in operations of which compilers do several at once.
COSTBOOST_INLINE void entropies(const double* p, const double* q, int n, double* value) {
    bool finite = true;  // the ratios below
    for (int k = 0; k < n; k++) {
        const double least = p[k] < q[k] ? p[k] : q[k];
        finite &= (least > 0 ? least : 1) > (p[k] + q[k]) * 0x1p-1022;
    }
    if (!finite) {
        for (int k = 0; k < n; k++) value[k] = Criterion::entropy(p[k], q[k]);
        return;
    }
    for (int k = 0; k < n; k++) {
        const bool both = (p[k] < q[k] ? p[k] : q[k]) > 0;
        const double sum = p[k] + q[k], of_p = both ? sum / p[k] : 1, of_q = both ? sum / q[k] : 1;
        value[k] = p[k] * elementary::log2_from_one(of_p) + q[k] * elementary::log2_from_one(of_q);
    }
}

// The criterion of n splits; of COST_EXPONENTIAL only an approximation.
COSTBOOST_DISPATCH inline void split_losses(const Criterion& criterion, const LeftSums& left, double* value) {
    const int n = left.n;
    const double e = criterion.smoothing;
    SideShares of;
    take_shares(left, of);
    const double *p_left = of.p_left, *q_left = of.q_left, *p_right = of.p_right, *q_right = of.q_right;
    switch (criterion.kind) {
        case Kind::EXPONENTIAL:
            if (e == 0)
                for (int k = 0; k < n; k++)
                    value[k] = 2 * std::sqrt(p_left[k] * q_left[k]) + 2 * std::sqrt(p_right[k] * q_right[k]);
            else
                for (int k = 0; k < n; k++)
                    value[k] = Criterion::exponential(p_left[k], q_left[k], e) + Criterion::exponential(p_right[k], q_right[k], e);
            break;
        case Kind::SQUARES:
            for (int k = 0; k < n; k++) value[k] = Criterion::squares(p_left[k], q_left[k], e) + Criterion::squares(p_right[k], q_right[k], e);
            break;
        case Kind::SQUARED:
            for (int k = 0; k < n; k++) value[k] = Criterion::squared(p_left[k], q_left[k]) + Criterion::squared(p_right[k], q_right[k]);
            break;
        case Kind::ENTROPY: {
            double of_left[N_BINS], of_right[N_BINS];
            entropies(p_left, q_left, n, of_left);
            entropies(p_right, q_right, n, of_right);
            for (int k = 0; k < n; k++) value[k] = of_left[k] + of_right[k];
            break;
        }
        case Kind::COST_EXPONENTIAL: {
            // with R the smoothed ratio of the two sums times costs and t = C+ / (C+ + C-): R^-t (p + q R)
            const double ratio = criterion.cost[0] / criterion.cost[1], power = -criterion.cost[0] / (criterion.cost[0] + criterion.cost[1]);
            for (int k = 0; k < n; k++) {
                const double odds = (p_left[k] + e) / (q_left[k] + e) * ratio;
                value[k] = roughly_power(odds, power) * (p_left[k] + q_left[k] * odds);
            }
            for (int k = 0; k < n; k++) {
                const double odds = (p_right[k] + e) / (q_right[k] + e) * ratio;
                value[k] += roughly_power(odds, power) * (p_right[k] + q_right[k] * odds);
            }
            break;
        }
        default:
            for (int k = 0; k < n; k++) value[k] = Criterion::error(p_left[k], q_left[k]) + Criterion::error(p_right[k], q_right[k]);
    }
}

constexpr int LANES = 8;  // independent minima, or each would wait for the one before

COSTBOOST_DISPATCH inline double least_value(const double* value, int n) {
    double low[LANES];
    std::fill(low, low + LANES, std::numeric_limits<double>::infinity());
    int k = 0;
    for (; k + LANES <= n; k += LANES)
        for (int lane = 0; lane < LANES; lane++) low[lane] = value[k + lane] < low[lane] ? value[k + lane] : low[lane];
    for (; k < n; k++) low[0] = value[k] < low[0] ? value[k] : low[0];
    return *std::min_element(low, low + LANES);
}

// Least and greatest difference of the two weights on the left.
COSTBOOST_DISPATCH inline void difference_range(const LeftSums& left, double* range) {
    const int64_t *p = left.p, *q = left.q;
    const int n = left.n;
    const double a = left.share[0], b = left.share[1];
    double x[N_BINS];
    x[0] = 0;  // there is at least one, which compilers do not know
    for (int k = 0; k < n; k++) x[k] = a * static_cast<double>(p[k]) - b * static_cast<double>(q[k]);
    for (int k = n; k < N_BINS && k % LANES; k++) x[k] = x[0];
    double low[LANES], high[LANES];
    for (int lane = 0; lane < LANES; lane++) low[lane] = high[lane] = x[0];
    for (int k = 0; k < n; k += LANES) {
        for (int lane = 0; lane < LANES; lane++) low[lane] = x[k + lane] < low[lane] ? x[k + lane] : low[lane];
        for (int lane = 0; lane < LANES; lane++) high[lane] = x[k + lane] > high[lane] ? x[k + lane] : high[lane];
    }
    range[0] = *std::min_element(low, low + LANES);
    range[1] = *std::max_element(high, high + LANES);
}

}  // namespace costboost
