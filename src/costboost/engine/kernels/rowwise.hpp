// Row by row: sums that do not depend on the order of the rows, and the pieces of a logistic likelihood.
#pragma once

#include <mutex>

#include "common.hpp"

namespace costboost {

// e^x for |x| below 700, in operations that a compiler can do for several values at once; exact to about an ulp.
inline double exponential(double x) {
    const double n = std::nearbyint(x * 1.4426950408889634074);
    const double r = (x - n * 6.93147180369123816490e-01) - n * 1.90821492927058770002e-10;
    double e = 1.0 / 6227020800.0;
    e = e * r + 1.0 / 479001600.0;
    e = e * r + 1.0 / 39916800.0;
    e = e * r + 1.0 / 3628800.0;
    e = e * r + 1.0 / 362880.0;
    e = e * r + 1.0 / 40320.0;
    e = e * r + 1.0 / 5040.0;
    e = e * r + 1.0 / 720.0;
    e = e * r + 1.0 / 120.0;
    e = e * r + 1.0 / 24.0;
    e = e * r + 1.0 / 6.0;
    e = e * r + 0.5;
    e = e * r * r + r + 1;
    const uint64_t bits = static_cast<uint64_t>(static_cast<int64_t>(static_cast<int32_t>(n) + 1023)) << 52;
    double scale;
    std::memcpy(&scale, &bits, 8);
    return e * scale;
}

// log(1 + e) for e from 0 to 1: twice the artanh of e / (2 + e).
inline double log_one_plus(double e) {
    const double s = e / (2 + e), z = s * s;
    double sum = 1.0 / 33;
    for (int k = 31; k >= 1; k -= 2) sum = sum * z + 1.0 / k;
    return 2 * s * sum;
}

// A logit t = slope F + offset, each a number or one for every row.
struct Logit {
    const double *slope_of, *offset_of;
    double slope, offset;
};

struct LogisticRows {
    const double* label;  // +1 or -1
    const double* start;
    const double* share;  // how steep the loss of a row is, against the others; null if all are alike
    Logit logit;
};

constexpr int64_t ROWS_AT_A_TIME = 1024;

inline void logits(const LogisticRows& rows, const double* score, int64_t begin, int64_t m, double* t) {
    const Logit& g = rows.logit;
    if (g.slope_of)
        for (int64_t i = 0; i < m; i++) t[i] = g.slope_of[begin + i] * score[i];
    else
        for (int64_t i = 0; i < m; i++) t[i] = g.slope * score[i];
    if (g.offset_of)
        for (int64_t i = 0; i < m; i++) t[i] += g.offset_of[begin + i];
    else if (g.offset != 0)
        for (int64_t i = 0; i < m; i++) t[i] += g.offset;
    for (int64_t i = 0; i < m; i++) t[i] *= rows.label[begin + i];
}

inline double clipped(double x, double limit) { return x < -limit ? -limit : x > limit ? limit : x; }

// Response times weight, and weight, of Newton's method on the likelihood: s (y* - p) and s p (1 - p), by the probability q
// of the other class. With `plain` the weights are those of a logit 2F. Returns the greatest of either.
COSTBOOST_DISPATCH inline void working_block(const LogisticRows& rows, const double* score, int64_t begin, int64_t m, double limit,
                                             bool plain, double* response, double* weight, double (&greatest)[2]) {
    double t[ROWS_AT_A_TIME];
    logits(rows, score, begin, m, t);
    for (int64_t i = 0; i < m; i++) {
        const double odds = exponential(clipped(t[i], limit)), q = 1 / (1 + odds);
        response[i] = q;
        weight[i] = odds * q * q;
    }
    if (plain)
        for (int64_t i = 0; i < m; i++) {
            const double odds = exponential(clipped(2 * score[i], limit)), q = 1 / (1 + odds), v = odds * q * q;
            response[i] *= v / weight[i];
            weight[i] = v;
        }
    const double *label = rows.label + begin, *start = rows.start + begin;
    if (rows.share)
        for (int64_t i = 0; i < m; i++) {
            const double share = rows.share[begin + i];
            response[i] *= share;
            weight[i] *= share * share;
        }
    double most_response = 0, most_weight = 0;
    for (int64_t i = 0; i < m; i++) {
        response[i] *= start[i];
        weight[i] *= start[i];
        most_response = response[i] > most_response ? response[i] : most_response;
        most_weight = weight[i] > most_weight ? weight[i] : most_weight;
        response[i] *= label[i];
    }
    greatest[0] = std::max(greatest[0], most_response);
    greatest[1] = std::max(greatest[1], most_weight);
}

COSTBOOST_DISPATCH inline void loss_block(const LogisticRows& rows, const double* score, const double* direction, double step,
                                          int64_t begin, int64_t m, double* loss) {
    double t[ROWS_AT_A_TIME], moved[ROWS_AT_A_TIME];
    for (int64_t i = 0; i < m; i++) moved[i] = score[i] + step * direction[i];
    logits(rows, moved, begin, m, t);
    for (int64_t i = 0; i < m; i++) {
        const double size = std::fabs(t[i]), against = t[i] < 0 ? -t[i] : 0;
        loss[i] = rows.start[begin + i] * (against + log_one_plus(exponential(size > 700 ? -700 : -size)));
    }
}

// Calls work(begin, number of rows, own) for short blocks of rows, by several threads, each of which starts from a copy of
// `own`; join(own) is called for every copy, one at a time.
template <typename Own, typename Work, typename Join>
void over_short_blocks(int64_t n, int n_threads, Own own, Work work, Join join) {
    std::mutex lock;
    const int64_t parts = chunk_count(n, 16 * ROWS_AT_A_TIME, n_threads);
    for_chunks(parts, n_threads, [&](int64_t chunk, int) {
        const Range part = Range{0, n}.part(chunk, parts);
        Own mine = own;
        for (int64_t a = part.begin; a < part.end; a += ROWS_AT_A_TIME) work(a, std::min(ROWS_AT_A_TIME, part.end - a), mine);
        std::lock_guard<std::mutex> guard(lock);
        join(mine);
    });
}

struct Two {
    double value[2] = {0, 0};
};

inline void logistic_working(const LogisticRows& rows, const double* score, int64_t n, double limit, bool plain, double* response,
                             double* weight, double (&greatest)[2], int n_threads) {
    greatest[0] = greatest[1] = 0;
    over_short_blocks(
        n, n_threads, Two(),
        [&](int64_t a, int64_t m, Two& own) {
            working_block(rows, score + a, a, m, limit, plain, response + a, weight + a, own.value);
        },
        [&](const Two& own) {
            for (int k = 0; k < 2; k++) greatest[k] = std::max(greatest[k], own.value[k]);
        });
}

// Fills in the losses and returns the greatest.
inline double logistic_loss(const LogisticRows& rows, const double* score, const double* direction, double step, int64_t n,
                            double* loss, int n_threads) {
    double greatest = 0;
    over_short_blocks(
        n, n_threads, 0.0,
        [&](int64_t a, int64_t m, double& own) {
            loss_block(rows, score + a, direction + a, step, a, m, loss + a);
            own = std::max(own, *std::max_element(loss + a, loss + a + m));
        },
        [&](double own) { greatest = std::max(greatest, own); });
    return greatest;
}

COSTBOOST_DISPATCH inline double greatest_size(const double* values, int64_t n) {
    constexpr int LANES = 16;
    double most[LANES] = {0};
    int64_t i = 0;
    for (; i + LANES <= n; i += LANES)
        for (int k = 0; k < LANES; k++) {
            const double size = std::fabs(values[i + k]);
            most[k] = size > most[k] ? size : most[k];
        }
    double result = *std::max_element(most, most + LANES);
    for (; i < n; i++) result = std::max(result, std::fabs(values[i]));
    return result;
}

COSTBOOST_DISPATCH inline int64_t sum_of_quanta(const double* values, int64_t n, double scale) {
    int64_t sum = 0;
    for (int64_t i = 0; i < n; i++) sum += static_cast<int64_t>(std::nearbyint(values[i] * scale));
    return sum;
}

inline int64_t sum_of_quanta(const double* values, int64_t n, double scale, int n_threads) {
    int64_t sum = 0;
    over_short_blocks(
        n, n_threads, int64_t{0}, [&](int64_t a, int64_t m, int64_t& own) { own += sum_of_quanta(values + a, m, scale); },
        [&](int64_t own) { sum += own; });
    return sum;
}

// Quanta of the weight on rows whose label and direction differ in sign.
COSTBOOST_DISPATCH inline int64_t quanta_against(const double* weight, const double* label, const double* direction, int64_t n,
                                                 double scale) {
    int64_t sum = 0;
    for (int64_t i = 0; i < n; i++) {
        const double counted = label[i] * direction[i] < 0 ? weight[i] * scale : 0;
        sum += static_cast<int64_t>(std::nearbyint(counted));
    }
    return sum;
}

inline int64_t weight_against(const double* weight, const double* label, const double* direction, int64_t n, double scale,
                              int n_threads) {
    int64_t sum = 0;
    over_short_blocks(
        n, n_threads, int64_t{0},
        [&](int64_t a, int64_t m, int64_t& own) { own += quanta_against(weight + a, label + a, direction + a, m, scale); },
        [&](int64_t own) { sum += own; });
    return sum;
}

// Sums over the rows of w x, w x^2 and r x, in quanta, for x from -1 to 1.
struct Moments {
    int64_t sum[3] = {0, 0, 0};
};

COSTBOOST_DISPATCH inline void add_moments(const double* x, const double* response, const double* weight, int64_t n,
                                           const double (&scale)[2], Moments& out) {
    int64_t wx = 0, wxx = 0, rx = 0;
    for (int64_t i = 0; i < n; i++) {
        const double a = weight[i] * scale[1] * x[i];
        wx += static_cast<int64_t>(std::nearbyint(a));
        wxx += static_cast<int64_t>(std::nearbyint(a * x[i]));
        rx += static_cast<int64_t>(std::nearbyint(response[i] * scale[0] * x[i]));
    }
    out.sum[0] += wx;
    out.sum[1] += wxx;
    out.sum[2] += rx;
}

inline Moments moments(const double* x, const double* response, const double* weight, int64_t n, const double (&scale)[2],
                       int n_threads) {
    Moments all;
    over_short_blocks(
        n, n_threads, Moments(),
        [&](int64_t a, int64_t m, Moments& own) { add_moments(x + a, response + a, weight + a, m, scale, own); },
        [&](const Moments& own) {
            for (int k = 0; k < 3; k++) all.sum[k] += own.sum[k];
        });
    return all;
}

// What a bin is worth, for every row.
inline void look_up(const Tiles& tiles, int feature, const double* table, double* out, int n_threads) {
    const int64_t stride = tiles.stride(feature);
    const uint8_t* column = tiles.column(feature);
    over_short_blocks(
        tiles.n_rows, n_threads, 0,
        [&](int64_t a, int64_t m, int&) {
            for (int64_t i = a; i < a + m; i++) out[i] = table[column[i * stride]];
        },
        [](int) {});
}

}  // namespace costboost
