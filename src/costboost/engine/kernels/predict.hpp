// Scores. Leaf values lie on one power-of-two grid, coarse enough that every sum of them is exact: the order of the
// additions does not matter, and the collapsed tables give the same bits as one learner after the other.
#pragma once

#include <numeric>

#include "binning.hpp"
#include "histogram.hpp"

namespace costboost {

// Node arrays of a whole ensemble: children lie side by side, right = left + 1; feature -1 marks a leaf.
struct Nodes {
    const int32_t* first;  // n_trees + 1 offsets
    int n_trees;
    const int32_t* feature;
    const double* threshold;
    const int32_t* left;
    const uint8_t* missing_left;
    const int32_t* category_set;  // row of `categories`, -1 for an ordered feature
    const double* value;
    const uint8_t* categories;  // sets x 256: 1 where that code goes left
};

// All stumps of an ensemble on one feature, as one step function.
template <typename T>
struct StepFunction {
    int feature;
    bool categorical = false;
    std::vector<T> threshold;  // ascending
    std::vector<double> rise;  // what passing each threshold adds
    std::vector<double> level; // value above each threshold, level[0] below all
    double base = 0, missing = 0;
    double by_code[N_BINS];
};

template <typename T>
double collapse(const Nodes& nodes, int from, int to, std::vector<StepFunction<T>>& steps) {
    double intercept = 0;
    int n_features = 0;
    for (int t = from; t < to; t++) n_features = std::max(n_features, nodes.feature[nodes.first[t]] + 1);
    std::vector<int> place(n_features, -1);
    std::vector<std::vector<std::pair<double, double>>> jumps;
    for (int t = from; t < to; t++) {
        const int root = nodes.first[t], f = nodes.feature[root];
        if (f < 0) {
            intercept += nodes.value[root];
            continue;
        }
        if (place[f] < 0) {
            place[f] = static_cast<int>(steps.size());
            steps.emplace_back();
            steps.back().feature = f;
            std::fill(steps.back().by_code, steps.back().by_code + N_BINS, 0.0);
            jumps.emplace_back();
        }
        StepFunction<T>& step = steps[place[f]];
        const double l = nodes.value[nodes.left[root]], r = nodes.value[nodes.left[root] + 1];
        step.missing += nodes.missing_left[root] ? l : r;
        if (nodes.category_set[root] >= 0) {
            step.categorical = true;
            const uint8_t* set = nodes.categories + static_cast<int64_t>(nodes.category_set[root]) * N_BINS;
            for (int c = 0; c < N_BINS; c++) step.by_code[c] += set[c] ? l : r;
        } else {
            step.base += l;
            jumps[place[f]].emplace_back(nodes.threshold[root], r - l);
        }
    }
    for (size_t s = 0; s < steps.size(); s++) {
        std::sort(jumps[s].begin(), jumps[s].end());
        double level = steps[s].base;
        steps[s].level.push_back(level);
        for (auto& [at, rise] : jumps[s]) {
            const T cut = floor_to<T>(at);
            level += rise;
            if (!steps[s].threshold.empty() && steps[s].threshold.back() == cut) {
                steps[s].rise.back() += rise;
                steps[s].level.back() = level;
            } else {
                steps[s].threshold.push_back(cut);
                steps[s].rise.push_back(rise);
                steps[s].level.push_back(level);
            }
        }
    }
    return intercept;
}

constexpr int64_t PREDICT_ROWS = 512;

// work(begin, end) for blocks of at most `rows` rows.
template <typename Work>
void in_blocks(int64_t n_rows, int64_t rows, int n_threads, Work work) {
    const int64_t parts = chunk_count(n_rows, 4 * rows, n_threads);
    for_chunks(parts, n_threads, [&](int64_t chunk, int) {
        const Range part = Range{0, n_rows}.part(chunk, parts);
        for (int64_t begin = part.begin; begin < part.end; begin += rows) work(begin, std::min(part.end, begin + rows));
    });
}

template <typename T>
inline void add_few_steps(const StepFunction<T>& step, const T* v, int64_t m, double* score) {
    for (int64_t i = 0; i < m; i++) score[i] += v[i] == v[i] ? step.base : step.missing;
    for (size_t k = 0; k < step.threshold.size(); k++) {
        const T cut = step.threshold[k];
        const double rise = step.rise[k];
        for (int64_t i = 0; i < m; i++) score[i] += v[i] > cut ? rise : 0.0;
    }
}

template <typename T>
inline bool any_infinite(const T* v, int64_t m) {
    const T inf = std::numeric_limits<T>::infinity();
    int64_t n = 0;
    for (int64_t i = 0; i < m; i++) n += (v[i] == inf) | (v[i] == -inf);
    return n > 0;
}

COSTBOOST_DISPATCH inline void add_steps(const StepFunction<float>& step, const float* v, int64_t m, double* score) {
    add_few_steps(step, v, m, score);
}
COSTBOOST_DISPATCH inline void add_steps(const StepFunction<double>& step, const double* v, int64_t m, double* score) {
    add_few_steps(step, v, m, score);
}

template <typename T>
inline void add_many_steps(const StepFunction<T>& step, const T* v, int64_t m, double* score) {
    const T* cut = step.threshold.data();
    const int n = static_cast<int>(step.threshold.size());
    for (int64_t i = 0; i < m; i++) {
        if (!(v[i] == v[i])) {
            score[i] += step.missing;
            continue;
        }
        int low = 0;
        for (int left = n; left > 0;) {
            const int half = (left + 1) >> 1;
            low += cut[low + half - 1] < v[i] ? half : 0;
            left -= half;
        }
        score[i] += step.level[low];
    }
}

// Adds the trees of a range, all of them stumps or constants, to the scores. Returns whether a value was infinite.
template <typename T>
bool predict_stumps(const Matrix<T>& x, const Nodes& nodes, Range trees, double* score, int n_threads) {
    assert(trees.within(nodes.n_trees));
    constexpr size_t FEW = 24;  // up to here comparing with every threshold is faster than a search
    std::vector<StepFunction<T>> steps;
    const double intercept = collapse(nodes, static_cast<int>(trees.begin), static_cast<int>(trees.end), steps);
    std::sort(steps.begin(), steps.end(), [](const auto& a, const auto& b) { return a.feature < b.feature; });
    const int64_t n_steps = static_cast<int64_t>(steps.size());
    const int64_t rows = std::max<int64_t>(64, std::min<int64_t>(PREDICT_ROWS, 65536 / std::max<int64_t>(n_steps, 1)));
    std::atomic<bool> infinite{false};
    in_blocks(x.n_rows, rows, n_threads, [&](int64_t begin, int64_t end) {
        const int64_t m = end - begin;
        double* out = score + begin;
        for (int64_t i = 0; i < m; i++) out[i] += intercept;
        // Row by row: in a wide matrix the features of a row share a page, those of a column do not.
        std::vector<T> values(static_cast<size_t>(n_steps * m));
        for (int64_t i = 0; i < m; i++)
            for (int64_t s = 0; s < n_steps; s++) values[s * m + i] = x.at(begin + i, steps[s].feature);
        if (any_infinite(values.data(), n_steps * m)) infinite = true;
        for (int64_t s = 0; s < n_steps; s++) {
            const StepFunction<T>& step = steps[s];
            const T* value = values.data() + s * m;
            if (step.categorical)
                for (int64_t i = 0; i < m; i++)
                    out[i] += value[i] >= 0 && value[i] < MISSING_BIN ? step.by_code[static_cast<int>(value[i])] : step.missing;
            else if (step.threshold.size() <= FEW)
                add_steps(step, value, m, out);
            else
                add_many_steps(step, value, m, out);
        }
    });
    return infinite;
}

// Adds trees of any depth. Returns whether a value was infinite.
template <typename T>
bool predict_trees(const Matrix<T>& x, const Nodes& nodes, Range trees, double* score, int n_threads) {
    assert(trees.within(nodes.n_trees));
    const int from = static_cast<int>(trees.begin), to = static_cast<int>(trees.end);
    constexpr int64_t ROWS = 64;
    std::atomic<bool> infinite{false};
    in_blocks(x.n_rows, ROWS, n_threads, [&](int64_t begin, int64_t end) {
        bool met = false;
        for (int t = from; t < to; t++) {
            for (int64_t i = begin; i < end; i++) {
                int node = nodes.first[t];
                while (nodes.feature[node] >= 0) {
                    const T v = x.at(i, nodes.feature[node]);
                    met |= std::isinf(v);
                    bool left;
                    if (!(v == v))
                        left = nodes.missing_left[node];
                    else if (nodes.category_set[node] >= 0)
                        left = v >= 0 && v < MISSING_BIN
                                   ? nodes.categories[static_cast<int64_t>(nodes.category_set[node]) * N_BINS + static_cast<int>(v)]
                                   : nodes.missing_left[node];
                    else
                        left = static_cast<double>(v) <= nodes.threshold[node];
                    node = nodes.left[node] + (left ? 0 : 1);
                }
                score[i] += nodes.value[node];
            }
        }
        if (met) infinite = true;
    });
    return infinite;
}

// ---- on binned rows --------------------------------------------------------------------------------------------

// A tree of tests on bins. Inner nodes are numbered from 0.
struct BinnedTree {
    const int32_t* feature;
    const int32_t* child;  // two of every node, left and right: another inner node, or ~leaf
    const uint8_t* left;   // nodes x 256: 1 where that bin goes left
    Test test(int32_t k) const { return {feature[k], left + static_cast<int64_t>(k) * N_BINS}; }
};

// The leaf of every binned row. Blocks of rows are partitioned node by node, which needs no branch prediction, rather than
// taken through the tree row by row.
inline void find_leaves(const Tiles& tiles, const BinnedTree& tree, int32_t* leaf, int n_threads) {
    struct Group {
        int32_t node;
        Range rows;
    };
    in_blocks(tiles.n_rows, BLOCK, n_threads, [&](int64_t begin, int64_t end) {
        std::vector<uint32_t> order(end - begin), spare(end - begin);
        std::iota(order.begin(), order.end(), static_cast<uint32_t>(begin));
        std::vector<Group> waiting = {{0, {0, end - begin}}};
        while (!waiting.empty()) {
            const Group group = waiting.back();
            waiting.pop_back();
            const int32_t k = group.node;
            if (k < 0) {
                for (int64_t i = group.rows.begin; i < group.rows.end; i++) leaf[order[i]] = ~k;
            } else if (group.rows.size()) {
                const int64_t middle = partition_rows(tiles, tree.test(k), group.rows, order.data(), spare.data());
                waiting.push_back({tree.child[2 * k], {group.rows.begin, middle}});
                waiting.push_back({tree.child[2 * k + 1], {middle, group.rows.end}});
            }
        }
    });
}

COSTBOOST_DISPATCH inline void add_vote(const uint8_t* bin, uint8_t limit, double low, double high, int64_t m, double* score) {
    for (int64_t i = 0; i < m; i++) score[i] += bin[i] <= limit ? low : high;
}

COSTBOOST_DISPATCH inline int64_t count_above(const double* score, double limit, int64_t m) {
    int64_t n = 0;
    for (int64_t i = 0; i < m; i++) n += score[i] > limit;
    return n;
}

inline int64_t amount_above(const double* score, double limit, const double* row_limit, const int64_t* amount, int64_t m) {
    int64_t sum = 0;
    for (int64_t i = 0; i < m; i++) sum += score[i] > limit * (row_limit ? row_limit[i] : 1.0) ? (amount ? amount[i] : 1) : 0;
    return sum;
}

// The stumps of an ensemble, one a round.
struct StumpRounds {
    int n;
    const int32_t* feature;  // negative for a constant
    const uint8_t* left;     // rounds x 256: 1 where that bin goes left
    const double* value;     // rounds x 2: on the left, on the right
};

// What is counted after each round: the amount (1 where null) of rows whose score is above the round's limit, times the
// row's own limit if given.
struct Above {
    const double *limit, *row_limit;
    const int64_t* amount;
};

// After each round: the amount of the rows of each class above the limit. above: n_rounds x 2.
inline void sum_staged(const Tiles& tiles, const StumpRounds& stumps, const Above& counted, int64_t* above, int n_threads) {
    constexpr int64_t ROWS = 2048;
    const int n_rounds = stumps.n;
    const int32_t* feature = stumps.feature;
    const uint8_t* left = stumps.left;
    const double *value = stumps.value, *limit = counted.limit, *row_limit = counted.row_limit;
    const int64_t* amount = counted.amount;
    std::vector<int> threshold(n_rounds);  // last bin that goes left, where the left side is a plain prefix; else -1
    for (int t = 0; t < n_rounds; t++) {
        const uint8_t* l = left + static_cast<int64_t>(t) * N_BINS;
        int k = 0;
        while (k < N_BINS && l[k]) k++;
        bool prefix = k > 0;
        for (int b = k; b < N_BINS; b++) prefix = prefix && !l[b];
        threshold[t] = prefix ? k - 1 : -1;
    }
    std::vector<int> used(feature, feature + n_rounds), place(n_rounds);
    for (int& f : used) f = std::max(f, 0);
    std::sort(used.begin(), used.end());
    used.erase(std::unique(used.begin(), used.end()), used.end());
    for (int t = 0; t < n_rounds; t++)
        place[t] = static_cast<int>(std::lower_bound(used.begin(), used.end(), std::max(feature[t], 0)) - used.begin());
    for (int z = 0; z < 2; z++) {
        const Range rows = tiles.rows(z);
        std::mutex total;
        in_blocks(rows.size(), ROWS, n_threads, [&](int64_t first, int64_t last) {
            const int64_t begin = rows.begin + first, m = last - first;
            std::vector<int64_t> own(n_rounds);
            double score[ROWS] = {};
            std::vector<uint8_t> columns(used.size() * ROWS);
            for (size_t u = 0; u < used.size(); u++) {
                const int64_t stride = tiles.stride(used[u]);
                const uint8_t* from = tiles.column(used[u]) + begin * stride;
                for (int64_t i = 0; i < m; i++) columns[u * ROWS + i] = from[i * stride];
            }
            for (int t = 0; t < n_rounds; t++) {
                const uint8_t* bin = columns.data() + static_cast<int64_t>(place[t]) * ROWS;
                const uint8_t* l = left + static_cast<int64_t>(t) * N_BINS;
                if (threshold[t] >= 0)
                    add_vote(bin, static_cast<uint8_t>(threshold[t]), value[2 * t], value[2 * t + 1], m, score);
                else
                    for (int64_t i = 0; i < m; i++) score[i] += value[2 * t + (l[bin[i]] ? 0 : 1)];
                if (row_limit || amount)
                    own[t] = amount_above(score, limit[t], row_limit ? row_limit + begin : nullptr,
                                          amount ? amount + begin : nullptr, m);
                else
                    own[t] = count_above(score, limit[t], m);
            }
            std::lock_guard<std::mutex> lock(total);
            for (int t = 0; t < n_rounds; t++) above[2 * t + z] += own[t];
        });
    }
}

}  // namespace costboost
