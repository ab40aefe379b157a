// Trees over pairs (row, label) with a weight for every pair, positive or negative: the expanded sample of Abe et al. (2004),
// which is never written out. A node of such a tree is a set of rows times a set of labels, because each test on the way
// to it is of one or the other. So a row's weights are summed over the labels of the node first, and only the two sums
// go into the histograms of the row's features.
#pragma once

#include <array>
#include <memory>

#include "histogram.hpp"
#include "limits.hpp"
#include "search.hpp"

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

// Weights of all pairs, n_rows x n_labels in quanta, whose signs are the classes.
struct PairWeights {
    const Sum* weight;
    int n_labels;
};

// Adds up pairs in the bins of the features of their rows and, last, of the label: weights by class and, with `counting`, numbers of
// pairs behind them.
class PairSums {
  public:
    PairSums(const Tiles& tiles, const PairWeights& pairs, bool counting)
        : tiles_(tiles), weight_(pairs.weight), n_labels_(pairs.n_labels), counting_(counting), lists_(new std::array<Listed, 2>) {}

    int64_t class_size() const { return (static_cast<int64_t>(tiles_.n_features) + 1) * N_BINS; }
    int64_t size() const { return 2 * class_size(); }

    void add(const uint32_t* rows, int64_t n, const std::vector<uint8_t>& labels, Sum* out, int n_threads) {
        Sum* of_label[2] = {out + static_cast<int64_t>(tiles_.n_features) * N_BINS, nullptr};
        of_label[1] = of_label[0] + class_size();
        for (int64_t a = 0; a < n; a += BLOCK) {
            list(rows + a, std::min<int64_t>(BLOCK, n - a), labels, of_label);
            for_chunks(tiles_.n_tiles(), n_threads, [&](int64_t t, int) {
                for (int z = 0; z < 2; z++) {
                    const Listed& listed = (*lists_)[z];
                    auto row_of = [&listed](int64_t k) { return static_cast<int64_t>(listed.row[k]); };
                    add_to_histogram(tiles_, row_of, listed.amount, listed.n, out + z * class_size(), {t, t + 1});
                    if (counting_) add_to_histogram(tiles_, row_of, listed.pairs, listed.n, out + size() + z * class_size(), {t, t + 1});
                }
            });
        }
    }

  private:
    // The rows of one block that have an amount of a class, which goes into the histograms of their features.
    struct Listed {
        uint32_t row[BLOCK];
        Sum amount[BLOCK];
        Sum pairs[BLOCK];
        int64_t n = 0;
    };

    Tiles tiles_;
    const Sum* weight_;
    int n_labels_;
    bool counting_;
    std::unique_ptr<std::array<Listed, 2>> lists_;  // which are longer than most nodes: they are neither made nor cleared for each

    void list(const uint32_t* rows, int64_t n, const std::vector<uint8_t>& labels, Sum* (&of_label)[2]) {
        std::array<Listed, 2>& lists = *lists_;
        lists[0].n = lists[1].n = 0;
        for (int64_t i = 0; i < n; i++) {
            const uint32_t row = rows[i];
            const Sum* w = weight_ + static_cast<int64_t>(row) * n_labels_;
            Sum sum[2] = {0, 0}, pairs[2] = {0, 0};
            for (uint8_t y : labels) {
                if (w[y] == 0) continue;
                const int z = w[y] < 0;
                const Sum amount = z ? -w[y] : w[y];
                sum[z] += amount;
                pairs[z]++;
                of_label[z][y] += amount;
                if (counting_) of_label[z][y + size()]++;
            }
            for (int z = 0; z < 2; z++) {
                if (!pairs[z]) continue;
                Listed& listed = lists[z];
                listed.row[listed.n] = row;
                listed.amount[listed.n] = sum[z];
                listed.pairs[listed.n++] = pairs[z];
            }
        }
    }
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

class PairGrower {
  public:
    // features: those of the rows and, last, the label.
    PairGrower(const Tiles& tiles, const PairWeights& pairs, const Features& features, const Criterion& criterion, const TreeLimits& limits,
               int n_threads)
        : tiles_(tiles), weight_(pairs.weight), n_labels_(pairs.n_labels), limits_(limits), n_threads_(n_threads), order_(tiles.n_rows),
          spare_(tiles.n_rows), counting_(limits.min_samples_leaf > 1), sums_(tiles, pairs, counting_) {
        assert(features.n == tiles.n_features + 1 && features.n_bins[tiles.n_features] == n_labels_ && n_labels_ < N_BINS);
        in_.features = features;
        in_.min_samples_leaf = limits.min_samples_leaf;
        in_.criterion = criterion;
    }

    // With `pruned`, subtrees that are not expected to lower the error become leaves.
    std::vector<PairNode> grow(bool pruned) {
        Branch root;
        root.labels.resize(n_labels_);
        for (int y = 0; y < n_labels_; y++) root.labels[y] = static_cast<uint8_t>(y);
        int64_t n = 0;
        for (int64_t i = 0; i < tiles_.n_rows; i++)
            if (weighs(i)) order_[n++] = static_cast<uint32_t>(i);
        root.rows = {0, n};
        root.block = take_block();
        build(root);
        for (int z = 0; z < 2; z++) total_[z] = sum_of(root, z);
        const double all = static_cast<double>(total_[0]) + static_cast<double>(total_[1]);
        in_.unit[0] = in_.unit[1] = all > 0 ? 1 / all : 0;
        for (int z = 0; z < 2; z++) root.share[z] = in_.unit[z] * static_cast<double>(total_[z]);
        nodes_.assign(1, PairNode());
        std::vector<Branch> open;
        open.push_back(std::move(root));
        while (!open.empty()) {  // depth first, so that few histograms are open at a time
            Branch branch = std::move(open.back());
            open.pop_back();
            grow_from(branch, open);
        }
        if (pruned) prune_pairs(nodes_);
        return std::move(nodes_);
    }

  private:
    struct Branch {
        Range rows{0, 0};  // in the order; children that differ in their labels share it
        std::vector<uint8_t> labels;
        double share[2] = {0, 0};
        int node = 0, depth = 0, block = -1;
        int64_t size() const { return rows.size() * static_cast<int64_t>(labels.size()); }
    };

    Tiles tiles_;
    const Sum* weight_;
    int n_labels_;
    TreeLimits limits_;
    int n_threads_;
    SearchInput in_;
    std::vector<uint32_t> order_, spare_;
    std::vector<std::unique_ptr<Sum[]>> blocks_;  // histograms, and counts behind them
    std::vector<int> free_;
    std::vector<PairNode> nodes_;
    Sum total_[2] = {0, 0};
    bool counting_;
    PairSums sums_;

    int64_t class_size() const { return sums_.class_size(); }
    int64_t size() const { return sums_.size(); }
    Sum* block(const Branch& branch) { return blocks_[branch.block].get(); }

    int take_block() {
        if (free_.empty()) {
            blocks_.emplace_back(new Sum[(counting_ ? 2 : 1) * size()]);
            return static_cast<int>(blocks_.size()) - 1;
        }
        const int b = free_.back();
        free_.pop_back();
        return b;
    }

    bool weighs(int64_t row) const {
        const Sum* w = weight_ + row * n_labels_;
        return std::any_of(w, w + n_labels_, [](Sum one) { return one != 0; });
    }

    Sum sum_of(const Branch& branch, int z) {
        const Sum* h = block(branch) + z * class_size() + static_cast<int64_t>(tiles_.n_features) * N_BINS;
        Sum sum = 0;
        for (int y = 0; y < n_labels_; y++) sum += h[y];
        return sum;
    }

    int64_t pairs_of(const Branch& branch) {
        if (!counting_) return branch.size();
        const Sum* h = block(branch) + size() + static_cast<int64_t>(tiles_.n_features) * N_BINS;
        int64_t n = 0;
        for (int y = 0; y < n_labels_; y++) n += h[y] + h[y + class_size()];
        return n;
    }

    // The bins that features have: run(first, number) of the ordered ones, one(bin) of the missing one.
    template <typename Run, typename One>
    void over_bins(Run run, One one) const {
        for (int z = 0; z < (counting_ ? 4 : 2); z++)
            for (int f = 0; f < in_.features.n; f++) {
                const int64_t at = z * class_size() + static_cast<int64_t>(f) * N_BINS;
                run(at, in_.features.n_bins[f]);
                one(at + MISSING_BIN);
            }
    }

    void grow_from(Branch& branch, std::vector<Branch>& open) {
        limits_.interrupt.after(branch.rows.size() * in_.features.n);
        for (int z = 0; z < 2; z++) nodes_[branch.node].share[z] = branch.share[z];
        nodes_[branch.node].pairs = pairs_of(branch);
        nodes_[branch.node].accepts = branch.share[0] > branch.share[1] + TIE;
        Split split;
        const double gain = search(branch, split);
        if (split.feature < 0) {
            free_.push_back(branch.block);
            return;
        }
        Branch sides[2];
        divide(branch, split, sides);
        PairNode& node = nodes_[branch.node];
        node.feature = split.feature;
        node.gain = gain;
        node.left = static_cast<int32_t>(nodes_.size());
        for (int b = 0; b < N_BINS; b++)
            if (split.left[b]) node.goes_left[b >> 6] |= uint64_t{1} << (b & 63);
        for (int s = 0; s < 2; s++) sides[s].node = node.left + s;
        nodes_.resize(nodes_.size() + 2);
        const int small = sides[0].size() <= sides[1].size() ? 0 : 1;
        sides[small].block = take_block();
        sides[1 - small].block = branch.block;  // the larger side takes the parent's and loses the smaller's
        build(sides[small]);
        Sum *rest = block(sides[1 - small]), *part = block(sides[small]);
        over_bins(
            [=](int64_t at, int n) {
                for (int b = 0; b < n; b++) rest[at + b] -= part[at + b];
            },
            [=](int64_t at) { rest[at] -= part[at]; });
        open.push_back(std::move(sides[1 - small]));
        open.push_back(std::move(sides[small]));
    }

    // The split of greatest gain. In the first round of boosting the weights of a row add up to 0, so that no test of a row
    // gains anything before labels are separated: without any gain, the label is split.
    double search(const Branch& branch, Split& split) {
        if (limits_.max_depth >= 0 && branch.depth >= limits_.max_depth) return 0;
        const double own = in_.criterion.leaf(branch.share[0], branch.share[1]);
        if (!(own > limits_.least_gain)) return 0;  // no split can gain more than that
        in_.histogram = block(branch);
        const CountTable counts(block(branch) + size(), in_.features.n);
        in_.counts = counting_ ? &counts : nullptr;
        split = Search(in_).best(false, 1);
        if (split.feature >= 0 && own - split.value > limits_.least_gain) return own - split.value;
        split = label_split(in_);
        return 0;
    }

    Split label_split(SearchInput in) const {
        Sum histogram[2 * N_BINS], counts[2 * N_BINS];
        const int64_t at = static_cast<int64_t>(tiles_.n_features) * N_BINS;
        for (int z = 0; z < 2; z++) {
            std::copy_n(in.histogram + z * class_size() + at, N_BINS, histogram + z * N_BINS);
            if (counting_) std::copy_n(in.histogram + size() + z * class_size() + at, N_BINS, counts + z * N_BINS);
        }
        in.histogram = histogram;
        const CountTable of_label(counts, 1);
        in.counts = counting_ ? &of_label : nullptr;
        in.features = {1, in.features.n_bins + tiles_.n_features, in.features.categorical + tiles_.n_features};
        Split split = Search(in).best(false, 1);
        if (split.feature == 0) split.feature = tiles_.n_features;
        return split;
    }

    void divide(const Branch& branch, const Split& split, Branch (&sides)[2]) {
        const bool by_label = split.feature == tiles_.n_features;
        for (int s = 0; s < 2; s++) {
            sides[s].depth = branch.depth + 1;
            sides[s].rows = branch.rows;
            for (int z = 0; z < 2; z++) sides[s].share[z] = in_.unit[z] * static_cast<double>(split.cell[2 * z + s]);
            if (!by_label) sides[s].labels = branch.labels;
        }
        if (by_label) {
            for (uint8_t y : branch.labels) sides[split.left[y] ? 0 : 1].labels.push_back(y);
            return;
        }
        const int64_t middle = partition_rows(tiles_, {split.feature, split.left}, branch.rows, order_.data(), spare_.data());
        sides[0].rows.end = sides[1].rows.begin = middle;
    }

    void build(const Branch& branch) {
        Sum* out = block(branch);
        over_bins([=](int64_t at, int n) { std::fill(out + at, out + at + n, 0); }, [=](int64_t at) { out[at] = 0; });
        const bool many = branch.rows.size() * tiles_.n_features >= limits_.parallel_cells;
        sums_.add(order_.data() + branch.rows.begin, branch.rows.size(), branch.labels, out, many ? n_threads_ : 1);
    }
};

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
