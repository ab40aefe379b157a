// Row by row: sums that do not depend on the order of the rows, and the pieces of a logistic likelihood.
#pragma once

#include <mutex>

#include "elementary.hpp"

namespace costboost {

// A logit t = slope F + offset, each a number or one for every row.
struct Logit {
    const double *slope_of, *offset_of;
    double slope, offset;
};

struct LogisticRows {
    int64_t n;
    const double* label;  // +1 or -1
    const double* start;
    const double* share;  // how steep the loss of a row is, against the others; null if all are alike
    Logit logit;
    bool expected;  // whether the loss is the probability of the other class, instead of minus the logarithm of that of its own
};

constexpr int64_t ROWS_AT_A_TIME = 1024;

COSTBOOST_INLINE void logits(const LogisticRows& rows, const double* score, int64_t begin, int64_t m, double* t) {
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

// Where the pieces of Newton's method are written: response times weight, and weight.
struct Working {
    double *response, *weight;
    double limit;  // logits are clipped to this distance from 0
    bool plain;    // whether the weights are those of the logit 2F instead
};

constexpr double FARTHEST = 700;  // of a logit whose exponential is formed

// e^(-|t|)
COSTBOOST_INLINE double against_size(double t) {
    const double size = std::fabs(t);
    return exponential(size > FARTHEST ? -FARTHEST : -size);
}

// By the probability q of the other class: s q for the response, s p (1 - p) for the weight; `small` holds e^(-|t|).
//
// The loss s q has the slope s p q. It is concave where q > 1/2, so that the weight s p q, which is nowhere below the size of
// its second derivative, takes the place of that.
COSTBOOST_INLINE void working_block(const LogisticRows& rows, const double* score, const double* t, const double* small, int64_t begin,
                          int64_t m, const Working& out, double (&greatest)[3]) {
    const double least = exponential(-out.limit);
    double *response = out.response + begin, *weight = out.weight + begin;
    for (int64_t i = 0; i < m; i++) {
        const double e = small[i] > least ? small[i] : least, p = 1 / (1 + e);
        response[i] = t[i] < 0 ? p : e * p;
        weight[i] = e * p * p;
    }
    if (rows.expected) std::copy(weight, weight + m, response);
    if (out.plain)
        for (int64_t i = 0; i < m; i++) {
            const double e = std::max(against_size(2 * score[i]), least), p = 1 / (1 + e), v = e * p * p;
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
    for (int64_t i = 0; i < m; i++) {
        response[i] *= start[i] * label[i];
        weight[i] *= start[i];
    }
    greatest[1] = std::max(greatest[1], greatest_size(response, m));
    greatest[2] = std::max(greatest[2], greatest_size(weight, m));
}

// Losses at these scores and, where wanted, the pieces of Newton's next step; the greatest of each.
COSTBOOST_DISPATCH inline void likelihood_block(const LogisticRows& rows, const double* score, int64_t begin, int64_t m,
                                                double* loss, const Working* working, double (&greatest)[3]) {
    double t[ROWS_AT_A_TIME], small[ROWS_AT_A_TIME];
    logits(rows, score + begin, begin, m, t);
    for (int64_t i = 0; i < m; i++) small[i] = against_size(t[i]);
    const double* start = rows.start + begin;
    loss += begin;
    if (rows.expected)
        for (int64_t i = 0; i < m; i++) loss[i] = start[i] * ((t[i] < 0 ? 1 : small[i]) / (1 + small[i]));
    else
        for (int64_t i = 0; i < m; i++) {
            const double against = t[i] < 0 ? -t[i] : 0;
            loss[i] = start[i] * (against + log_one_plus(small[i]));
        }
    greatest[0] = std::max(greatest[0], greatest_size(loss, m));
    if (working) working_block(rows, score + begin, t, small, begin, m, *working, greatest);
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

struct Three {
    double value[3] = {0, 0, 0};
};

inline void likelihood(const LogisticRows& rows, const double* score, double* loss, const Working* working, double (&greatest)[3],
                       int n_threads) {
    Three all;
    over_short_blocks(
        rows.n, n_threads, Three(),
        [&](int64_t a, int64_t m, Three& own) { likelihood_block(rows, score, a, m, loss, working, own.value); },
        [&](const Three& own) {
            for (int k = 0; k < 3; k++) all.value[k] = std::max(all.value[k], own.value[k]);
        });
    std::copy(all.value, all.value + 3, greatest);
}

// A sum of numbers rounded to whole ones; quickly, where they are many (see MANY_ROWS).
struct WholeSum {
    int64_t sum = 0;

    void add(double value) { sum += static_cast<int64_t>(std::nearbyint(value)); }
    void add_quickly(double value) { sum += quickly_whole(value); }
};

COSTBOOST_DISPATCH inline int64_t sum_of_quanta(const double* values, int64_t n, double scale, bool many) {
    WholeSum sum;
    if (many)
        for (int64_t i = 0; i < n; i++) sum.add_quickly(values[i] * scale);
    else
        for (int64_t i = 0; i < n; i++) sum.add(values[i] * scale);
    return sum.sum;
}

inline int64_t sum_of_quanta(const double* values, int64_t n, double scale, int n_threads) {
    const bool many = n >= MANY_ROWS;
    int64_t sum = 0;
    over_short_blocks(
        n, n_threads, int64_t{0}, [&](int64_t a, int64_t m, int64_t& own) { own += sum_of_quanta(values + a, m, scale, many); },
        [&](int64_t own) { sum += own; });
    return sum;
}

// Weight and label of every row, the direction in which its score moves, and the scale that makes quanta of weights.
struct Direction {
    const double *weight, *label, *direction;
    double scale;
};

// Quanta of the weight on rows whose label and direction differ in sign.
COSTBOOST_DISPATCH inline int64_t quanta_against(const Direction& of, int64_t begin, int64_t n, bool many) {
    const double *weight = of.weight + begin, *label = of.label + begin, *direction = of.direction + begin, scale = of.scale;
    auto counted = [=](int64_t i) { return label[i] * direction[i] < 0 ? weight[i] * scale : 0; };
    WholeSum sum;
    if (many)
        for (int64_t i = 0; i < n; i++) sum.add_quickly(counted(i));
    else
        for (int64_t i = 0; i < n; i++) sum.add(counted(i));
    return sum.sum;
}

inline int64_t weight_against(const Direction& of, int64_t n, int n_threads) {
    const bool many = n >= MANY_ROWS;
    int64_t sum = 0;
    over_short_blocks(
        n, n_threads, int64_t{0}, [&](int64_t a, int64_t m, int64_t& own) { own += quanta_against(of, a, m, many); },
        [&](int64_t own) { sum += own; });
    return sum;
}

// Sums over the rows of w x, w x^2 and r x, in quanta, for x from -1 to 1.
struct Moments {
    int64_t sum[3] = {0, 0, 0};
};

COSTBOOST_DISPATCH inline void add_moments(const double* x, const Responses& of, int64_t begin, int64_t n, bool many, Moments& out) {
    const double *response = of.response + begin, *weight = of.weight + begin;
    const double scale[2] = {of.scale[0], of.scale[1]};
    x += begin;
    WholeSum wx, wxx, rx;
    if (many)
        for (int64_t i = 0; i < n; i++) {
            const double a = weight[i] * scale[1] * x[i];
            wx.add_quickly(a);
            wxx.add_quickly(a * x[i]);
            rx.add_quickly(response[i] * scale[0] * x[i]);
        }
    else
        for (int64_t i = 0; i < n; i++) {
            const double a = weight[i] * scale[1] * x[i];
            wx.add(a);
            wxx.add(a * x[i]);
            rx.add(response[i] * scale[0] * x[i]);
        }
    out.sum[0] += wx.sum;
    out.sum[1] += wxx.sum;
    out.sum[2] += rx.sum;
}

inline Moments moments(const double* x, const Responses& of, int64_t n, int n_threads) {
    const bool many = n >= MANY_ROWS;
    Moments all;
    over_short_blocks(
        n, n_threads, Moments(),
        [&](int64_t a, int64_t m, Moments& own) { add_moments(x, of, a, m, many, own); },
        [&](const Moments& own) {
            for (int k = 0; k < 3; k++) all.sum[k] += own.sum[k];
        });
    return all;
}

// A value for every bin: the only one in it or the mean, NaN where it is empty. Whether no bin holds two. The value in the
// bin of missing ones is not looked at. copies: of every row, or null.
inline bool bin_means(const uint8_t* bins, const double* x, const int64_t* copies, int64_t n, double (&mean)[N_BINS]) {
    double some[N_BINS], sum[N_BINS] = {0};
    int64_t count[N_BINS] = {0};
    for (int64_t i = 0; i < n; i++) {
        const int64_t times = copies ? copies[i] : 1;
        some[bins[i]] = x[i];
        sum[bins[i]] += static_cast<double>(times) * x[i];
        count[bins[i]] += times;
    }
    bool single = true;
    for (int64_t i = 0; i < n && single; i++) single = some[bins[i]] == x[i] || bins[i] == MISSING_BIN;
    for (int b = 0; b < N_BINS; b++)
        mean[b] = !count[b] ? std::numeric_limits<double>::quiet_NaN() : single ? some[b] : sum[b] / static_cast<double>(count[b]);
    return single;
}

inline std::vector<uint32_t> listed_rows(const NodeRows& node) {
    std::vector<uint32_t> row(static_cast<size_t>(node.size()));
    int64_t k = 0;
    for (int z = 0; z < 2; z++)
        for (int64_t i = node.run(z).begin; i < node.run(z).end; i++) row[k++] = node.listed ? node.listed[i] : static_cast<uint32_t>(i);
    return row;
}

// Sums of two amounts over the rows of a node, in quanta, in the bins of some features: out 2 x n x 256.
inline void sum_columns(const Tiles& tiles, const Responses& of, const NodeRows& node, const int32_t* features, int n, int64_t* out,
                        int n_threads) {
    assert(node.within(tiles.n_rows));
    const int64_t size = node.size();
    const double* amounts[2] = {of.response, of.weight};
    const std::vector<uint32_t> row = listed_rows(node);
    std::vector<int64_t> whole(static_cast<size_t>(2 * size));
    for (int64_t k = 0; k < size; k++)
        for (int j = 0; j < 2; j++) whole[2 * k + j] = std::llrint(amounts[j][row[k]] * of.scale[j]);
    for_chunks(n, n_threads, [&](int64_t f, int) {
        const int64_t stride = tiles.stride(features[f]);
        const uint8_t* column = tiles.column(features[f]);
        int64_t sums[2 * N_BINS] = {0};
        for (int64_t i = 0; i < size; i++) {
            int64_t* bin = sums + 2 * column[row[i] * stride];
            bin[0] += whole[2 * i];
            bin[1] += whole[2 * i + 1];
        }
        for (int b = 0; b < N_BINS; b++)
            for (int j = 0; j < 2; j++) out[(j * static_cast<int64_t>(n) + f) * N_BINS + b] = sums[2 * b + j];
    });
}

// The table's value of the bin of every row.
inline void look_up(const Tiles& tiles, int feature, const double* table, double* out, int n_threads) {
    assert(0 <= feature && feature < tiles.n_features);
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
