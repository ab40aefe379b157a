// Trees over pairs of a row and a label: how they are laid out and pruned, and which labels they accept.
#pragma once

#include <array>

#include "frontier.hpp"
#include "parallel.hpp"
#include "ties.hpp"

namespace costboost {

// Which of 256 bins, or labels.
using Bits = std::array<uint64_t, 4>;

inline bool has(const Bits& bits, int b) { return (bits[b >> 6] >> (b & 63)) & 1; }

struct PairNode {
    int32_t feature = -1;  // of a row; n_features: the label; -1: a leaf
    int32_t left = -1;     // its children: left and the one behind it
    Bits goes_left{};      // bins of the feature, or labels
    uint8_t accepts = 0;   // whether it accepts its pairs, as a leaf
    double gain = 0;
    double share[2] = {0, 0};
    int64_t pairs = 0;
};

// The share of all weight on which a node, as a leaf, is expected to err on new pairs: the upper end of Wilson's interval at the
// confidence of 25% that C4.5 takes. With weights, the share of errors among its pairs is that of its weight.
inline double expected_errors(const PairNode& node) {
    constexpr double Z = 0.6744897501960817, Z2 = Z * Z;
    const double n = static_cast<double>(node.pairs), sum = node.share[0] + node.share[1];
    if (!(sum > 0) || n < 1) return 0;
    const double f = std::min(node.share[0], node.share[1]) / sum;
    return sum * (f + Z2 / (2 * n) + Z * std::sqrt(f * (1 - f) / n + Z2 / (4 * n * n))) / (1 + Z2 / n);
}

// Makes a leaf of every node whose subtree is not expected to err less. Children are behind their parents.
inline void prune_pairs(std::vector<PairNode>& nodes) {
    std::vector<double> errors(nodes.size());
    for (size_t k = nodes.size(); k-- > 0;) {
        PairNode& node = nodes[k];
        errors[k] = expected_errors(node);
        if (node.feature < 0) continue;
        const double subtree = errors[node.left] + errors[node.left + 1];
        if (errors[k] > subtree + TIE)
            errors[k] = subtree;
        else
            node.feature = -1;
    }
}

// The nodes of a grown tree, by their numbers of pairs; if pruned, subtrees that are not expected to lower the error become leaves.
inline std::vector<PairNode> lay_pairs(const Frontier& tree, const std::vector<int64_t>& n_pairs, bool pruned) {
    std::vector<PairNode> nodes(n_pairs.size());
    for (size_t k = 0; k < nodes.size(); k++) {
        const TreeNode& grown = tree.node(static_cast<int>(k));
        PairNode& node = nodes[k];
        std::copy_n(grown.share, 2, node.share);
        node.pairs = n_pairs[k];
        node.accepts = node.share[0] > node.share[1] + TIE;
        if (grown.left < 0) continue;
        node.left = grown.left;
        node.feature = grown.best.split.feature;
        node.gain = grown.best.gain;
        for (int b = 0; b < N_BINS; b++)
            if (grown.best.split.left[b]) node.goes_left[b >> 6] |= uint64_t{1} << (b & 63);
    }
    if (pruned) prune_pairs(nodes);
    return nodes;
}

// The nodes of a tree over pairs.
struct PairTree {
    const int32_t *feature, *left;  // see PairNode
    const uint64_t* goes_left;      // four words for each node
    const uint8_t* accepts;
};

// Which labels the tree accepts for every row: accepted, n_rows x n_labels. A row goes down with all labels at once and
// continues with some of them on either side of a test of the label.
inline void accept_pairs(const Tiles& tiles, const PairTree& tree, int n_labels, uint8_t* accepted, int n_threads) {
    struct Group {
        int32_t node;
        Bits labels;
    };
    Bits all{};
    for (int y = 0; y < n_labels; y++) all[y >> 6] |= uint64_t{1} << (y & 63);
    const int64_t parts = chunk_count(tiles.n_rows, BLOCK, n_threads);
    for_chunks(parts, n_threads, [&](int64_t chunk, int) {
        std::vector<Group> groups;
        const Range rows = Range{0, tiles.n_rows}.part(chunk, parts);
        for (int64_t i = rows.begin; i < rows.end; i++) {
            uint8_t* out = accepted + i * n_labels;
            groups.assign(1, {0, all});
            while (!groups.empty()) {
                Group group = groups.back();
                groups.pop_back();
                while (tree.feature[group.node] >= 0) {
                    const uint64_t* bits = tree.goes_left + static_cast<int64_t>(group.node) * 4;
                    const int f = tree.feature[group.node];
                    int32_t next = tree.left[group.node];
                    if (f < tiles.n_features) {
                        const uint8_t bin = tiles.column(f)[i * tiles.stride(f)];
                        next += !((bits[bin >> 6] >> (bin & 63)) & 1);
                    } else {
                        Bits one, other;
                        uint64_t any_left = 0, any_right = 0;
                        for (int w = 0; w < 4; w++) {
                            any_left |= one[w] = group.labels[w] & bits[w];
                            any_right |= other[w] = group.labels[w] & ~bits[w];
                        }
                        if (any_left && any_right) groups.push_back({next + 1, other});
                        if (!any_left) next++;
                        group.labels = any_left ? one : other;
                    }
                    group.node = next;
                }
                const uint8_t accepted_here = tree.accepts[group.node];
                for (int y = 0; y < n_labels; y++)
                    if (has(group.labels, y)) out[y] = accepted_here;
            }
        }
    });
}

}  // namespace costboost
