// Sums of exponentials over rows that have costs of their own, and bounds on the losses of leaves.
#pragma once

#include "rowwise.hpp"

namespace costboost {

// ---- leaves of given values -----------------------------------------------------------------------------------------------

// Terms e^(exponent + rate g) of rows in groups, each group with a g of its own.
class GroupedTerms {
  public:
    // share: what the second sum counts of every term, between -1 and 1.
    GroupedTerms(const double* exponent, const double* rate, const double* share, const int64_t* group, int64_t n, int64_t n_groups)
        : first_(static_cast<size_t>(n_groups) + 1), exponent_(static_cast<size_t>(n)), rate_(exponent_), share_(exponent_), term_(exponent_) {
        for (int64_t i = 0; i < n; i++) first_[group[i] + 1]++;
        for (int64_t k = 0; k < n_groups; k++) first_[k + 1] += first_[k];
        std::vector<int64_t> place(first_);
        for (int64_t i = 0; i < n; i++) {
            const int64_t to = place[group[i]]++;
            exponent_[to] = exponent[i], rate_[to] = rate[i], share_[to] = share[i];
        }
    }

    // The greatest exponent + rate g of every group; minus infinity of an empty one.
    void greatest(const double* g, double* out) const {
        for (size_t k = 0; k + 1 < first_.size(); k++)
            out[k] = greatest_of(exponent_.data() + first_[k], rate_.data() + first_[k], first_[k + 1] - first_[k], g[k]);
    }

    // Whole quanta of the terms divided by e^largest, and of these times share, for every group.
    void sum(const double* g, const double* largest, const double* scale, int64_t* total, int64_t* shared) {
        for (size_t k = 0; k + 1 < first_.size(); k++) {
            const int64_t a = first_[k], m = first_[k + 1] - a;
            less(exponent_.data() + a, rate_.data() + a, m, g[k], largest[k], term_.data() + a);
        }
        elementary::exp_all(term_.data(), first_.back());
        for (size_t k = 0; k + 1 < first_.size(); k++) {
            const int64_t a = first_[k], m = first_[k + 1] - a;
            int64_t sums[2] = {0, 0};
            add(term_.data() + a, share_.data() + a, m, scale[k], sums);
            total[k] = sums[0], shared[k] = sums[1];
        }
    }

  private:
    COSTBOOST_DISPATCH static double greatest_of(const double* exponent, const double* rate, int64_t n, double g) {
        constexpr int LANES = 8;
        double most[LANES];
        std::fill(most, most + LANES, -elementary::INFINITE);
        int64_t i = 0;
        for (; i + LANES <= n; i += LANES)
            for (int k = 0; k < LANES; k++) {
                const double x = exponent[i + k] + rate[i + k] * g;
                most[k] = x > most[k] ? x : most[k];
            }
        for (; i < n; i++) most[0] = std::max(most[0], exponent[i] + rate[i] * g);
        return *std::max_element(most, most + LANES);
    }

    COSTBOOST_DISPATCH static void less(const double* exponent, const double* rate, int64_t n, double g, double largest, double* out) {
        for (int64_t i = 0; i < n; i++) out[i] = (exponent[i] + rate[i] * g) - largest;
    }

    COSTBOOST_DISPATCH static void add(const double* term, const double* share, int64_t n, double scale, int64_t (&sums)[2]) {
        int64_t total = 0, shared = 0;
        for (int64_t i = 0; i < n; i++) {
            total += static_cast<int64_t>(std::nearbyint(term[i] * scale));
            shared += static_cast<int64_t>(std::nearbyint(term[i] * share[i] * scale));
        }
        sums[0] = total, sums[1] = shared;
    }

    std::vector<int64_t> first_;
    std::vector<double> exponent_, rate_, share_, term_;
};

// ---- moments --------------------------------------------------------------------------------------------------------------

COSTBOOST_DISPATCH inline void add_four(const uint8_t* column, int64_t stride, const uint32_t* row, const int64_t* whole, int64_t n, int64_t* sums) {
    for (int64_t i = 0; i < n; i++) {
        int64_t* bin = sums + 4 * column[row[i] * stride];
        for (int j = 0; j < 4; j++) bin[j] += whole[4 * i + j];
    }
}

// Sums of amount rate^k, k = 0 to 3, each rounded to a whole number, over the rows of a node in the bins of some features: out
// 4 x n x 256.
inline void sum_moments(const Tiles& tiles, const double* amount, const double* rate, const NodeRows& node, const int32_t* features,
                        int n, int64_t* out, int n_threads) {
    assert(node.within(tiles.n_rows));
    const int64_t size = node.size();
    const std::vector<uint32_t> row = listed_rows(node);
    std::vector<int64_t> whole(static_cast<size_t>(4 * size));
    for (int64_t i = 0; i < size; i++) {
        double term = amount[row[i]];
        for (int j = 0; j < 4; j++, term *= rate[row[i]]) whole[4 * i + j] = static_cast<int64_t>(std::nearbyint(term));
    }
    for_chunks(n, n_threads, [&](int64_t f, int) {
        int64_t sums[4 * N_BINS] = {0};
        add_four(tiles.column(features[f]), tiles.stride(features[f]), row.data(), whole.data(), size, sums);
        for (int b = 0; b < N_BINS; b++)
            for (int j = 0; j < 4; j++) out[(j * static_cast<int64_t>(n) + f) * N_BINS + b] = sums[4 * b + j];
    });
}

// ---- bounds on the losses of leaves ---------------------------------------------------------------------------------------

// Costs of the smoothing rows in units of the greatest cost, their weight, and the value of the leaves at which moments are known.
struct Smoothing {
    double fn, fp, weight, at;
};

// Four moments of n leaves, one after the other, and how far rounding may have moved each of them.
struct LeafMoments {
    const double* moment;
    int64_t n;
    double error;
};

// The logarithm of a positive number, to about 1e-10.
COSTBOOST_INLINE double rough_log(double x) {
    constexpr double P[] = {0.0948, 0.11111111, 0.14285714285, 0.2, 0.333333333333333, 1.0};
    const uint64_t bits = elementary::bits_of(x);
    const uint64_t above = (bits - 0x3fe6a09e00000000ull) >> 52;  // modulo 2^12
    const double f = elementary::of_bits(bits - (above << 52)) - 1, s = f / (2 + f);
    // the lower 12 bits as a signed number, by the same trick as quickly_whole
    const double whole = elementary::of_bits(((above + 2048) & 4095) + 0x4338000000000000ull) - (6755399441055744.0 + 2048);
    return whole * 0.69314718055994530942 + 2 * s * polynomial(P, s * s);
}

COSTBOOST_INLINE double clipped(double x, double low, double high) { return std::max(low, std::min(x, high)); }

// e^x for x of any size; beyond 690 the value there.
COSTBOOST_INLINE double clipped_exponential(double x) { return exponential(clipped(x, -690, 690)); }

// Narrow the interval of the value of each leaf, and raise the bound on its loss: learners/screening.py has the proofs.
COSTBOOST_DISPATCH inline void raise_bounds(const LeafMoments& of, const Smoothing& smoothing, double* low, double* high, double* least) {
    constexpr double ROUNDING = 1e-13;
    const double *m0 = of.moment, *m1 = m0 + of.n, *m2 = m1 + of.n, *m3 = m2 + of.n;
    const double e = of.error, fn = smoothing.fn, fp = smoothing.fp, weight = smoothing.weight, at = smoothing.at;
    const double rises = weight * fp * clipped_exponential(fp * at), falls = weight * fn * clipped_exponential(-fn * at);
    for (int64_t i = 0; i < of.n; i++) {
        const double M0 = m0[i], M1 = m1[i], M2 = m2[i], M3 = m3[i];
        // where the slope of the loss, smoothed, is 0
        const double slack = e + ROUNDING * (std::fabs(M1) + rises + falls), slope = M1 + rises - falls;
        const double up = std::max(1.0, ((slack - M1) / weight + fn) / fp), down = std::max(1.0, ((M1 + slack) / weight + fp) / fn);
        const double below = -(rough_log(down) + 1e-8) / fn, above = (rough_log(up) + 1e-8) / fp;
        const double lowest = slope < -slack ? at : std::min(at, below), highest = slope > slack ? at : std::max(at, above);
        const double lo = std::max(low[i], lowest), hi = std::min(high[i], highest);
        low[i] = lo, high[i] = hi;
        // two rates and weights that have these four moments
        const double share = 1 / M0, a1 = M1 * share, a2 = M2 * share, a3 = M3 * share;
        const double variance = std::max(a2 - a1 * a1, 1e-30), skew = (a3 - 3 * a1 * a2 + 2 * a1 * a1 * a1) / (2 * variance);
        const double root = std::sqrt(skew * skew + variance), far = skew > 0 ? skew + root : skew - root, near = -variance / far;
        const double a = a1 + std::min(far, near), b = a1 + std::max(far, near), part = (a1 - a) / (b - a);
        const double q = M0 * part, p = M0 - q;
        const double r1 = std::fabs(M1 - (p * a + q * b)) + e, r2 = std::fabs(M2 - (p * a * a + q * b * b)) + e;
        const double r3 = std::fabs(M3 - (p * a * a * a + q * b * b * b)) + e;
        const double error = std::max(std::max(e, r1), std::max(r2, r3)) + 4e-15 * M0;
        const double reach = 1 + std::max(std::fabs(a), std::fabs(b));
        const double x = reach * std::max(at - lo, 0.0), y = reach * std::max(hi - at, 0.0);
        const double left = p - error * (1 + x * (1 + x * (0.5 + x / 6))) * (1 + ROUNDING);
        const double right = q - error * (1 + y * (1 + y * (0.5 + y / 6))) * (1 + ROUNDING);
        const bool inside = (a < 0) & (b > 0);
        const double balance = -left * a / (right * b), ratio = (inside & (balance > 1e-290) & (balance < 1e290)) ? balance : 1;
        const bool known = (M0 > 0) & (left > 0) & (right > 0) & (!inside | (ratio == balance));
        const double best = rough_log(ratio) / (b - a);
        const double t = clipped(a >= 0 ? lo - at : b <= 0 ? hi - at : best, lo - at, hi - at);
        const double bound = left * clipped_exponential(a * t) + right * clipped_exponential(b * t);
        // one rate with the first two moments, where the others add nothing
        const double z = std::max(x, y), single = M0 - (2 * e + 4e-15 * M0) * (1 + z), s = a1 < 0 ? hi - at : lo - at;
        const double alone = ((M0 > 0) & (single > 0)) ? single * clipped_exponential(a1 * s) : 0;
        const double found = std::max(known ? bound : 0, alone) * (1 - ROUNDING);
        least[i] = found > least[i] ? found : least[i];
    }
}

}  // namespace costboost
