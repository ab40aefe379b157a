// Nodes of an ensemble, its tests on raw values one after the other, and scores of binned rows. Leaf values lie on one
// power-of-two grid, coarse enough that every sum of them is exact: the order of the additions does not matter, and programs
// (program.hpp) give the same bits as one tree after the other.
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
inline bool any_infinite(const T* v, int64_t m) {
    const T inf = std::numeric_limits<T>::infinity();
    int64_t n = 0;
    for (int64_t i = 0; i < m; i++) n += (v[i] == inf) | (v[i] == -inf);
    return n > 0;
}

// The leaf of a row in one tree; `met` is set if a test of it reads an infinite value.
template <typename T>
inline int walk(const Matrix<T>& x, int64_t i, const Nodes& nodes, int tree, bool& met) {
    int node = nodes.first[tree];
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
    return node;
}

// The most tests of one feature below each other in trees, whose nodes have at most one parent each.
inline int most_tests_on_a_path(const int32_t* feature, const int32_t* left, int n_nodes, int n_features) {
    std::vector<uint8_t> is_child(n_nodes, 0);
    for (int k = 0; k < n_nodes; k++)
        if (feature[k] >= 0) is_child[left[k]] = is_child[left[k] + 1] = 1;
    std::vector<int> n_tests(n_features, 0), waiting;
    int most = 0;
    for (int root = 0; root < n_nodes; root++) {
        if (!is_child[root]) waiting.push_back(root);
        while (!waiting.empty()) {
            const int node = waiting.back();
            waiting.pop_back();
            if (node < 0) {  // all below a test are done
                n_tests[feature[~node]]--;
            } else if (feature[node] >= 0) {
                most = std::max(most, ++n_tests[feature[node]]);
                waiting.insert(waiting.end(), {~node, left[node] + 1, left[node]});
            }
        }
    }
    return most;
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
