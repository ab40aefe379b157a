// Sums of the nodes of a tree over pairs (row, label) with a weight for every pair, positive or negative: the expanded sample of
// Abe et al. (2004), which is never written out. A node of such a tree is a set of rows times a set of labels, because each test on
// the way to it is of one or the other. So a row's weights are summed over the labels of the node first, and only the two sums
// go into the histograms of the row's features.
#pragma once

#include <array>
#include <memory>
#include <numeric>

#include "frontier.hpp"
#include "histogram.hpp"
#include "search.hpp"

namespace costboost {

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

// The pairs of one block of rows. Trees of pairs grow where a split was found last, so that few histograms are kept at a time.
class PairSource {
  public:
    // features: those of the rows and, last, the label.
    PairSource(const Tiles& tiles, const PairWeights& pairs, const Features& features, const Criterion& criterion, const TreeLimits& limits,
               int n_threads, const Frontier& tree)
        : tiles_(tiles), weight_(pairs.weight), n_labels_(pairs.n_labels), limits_(limits), n_threads_(n_threads), tree_(tree),
          order_(tiles.n_rows), spare_(tiles.n_rows), counting_(limits.min_samples_leaf > 1), sums_(tiles, pairs, counting_),
          only_label_(features.n, 0) {
        assert(features.n == tiles.n_features + 1 && features.n_bins[label()] == n_labels_ && n_labels_ < N_BINS);
        in_.features = features;
        in_.min_samples_leaf = limits.min_samples_leaf;
        in_.criterion = criterion;
        only_label_[label()] = 1;
    }

    const double* build() {
        Node root;
        root.labels.resize(n_labels_);
        for (int y = 0; y < n_labels_; y++) root.labels[y] = static_cast<uint8_t>(y);
        for (int64_t i = 0; i < tiles_.n_rows; i++)
            if (weighs(i)) order_[root.rows.end++] = static_cast<uint32_t>(i);
        root.block = take_block();
        build(root);
        Sum total[2];
        for (int z = 0; z < 2; z++) total[z] = sum_of_labels(block(root) + z * class_size());
        const double all = static_cast<double>(total[0]) + static_cast<double>(total[1]);
        in_.unit[0] = in_.unit[1] = all > 0 ? 1 / all : 0;
        for (int z = 0; z < 2; z++) share_[z] = in_.unit[z] * static_cast<double>(total[z]);
        nodes_.push_back(std::move(root));
        return share_;
    }

    // The split of greatest gain. In the first round of boosting the weights of a row add up to 0, so that no test of a row
    // gains anything before labels are separated: without any gain, the label is split.
    Candidate search(int k) {
        Node& node = nodes_[k];
        limits_.interrupt.after(node.rows.size() * in_.features.n);
        node.pairs = pairs_of(node);
        const double whole = in_.criterion.leaf(tree_.node(k).share[0], tree_.node(k).share[1]);
        Candidate best;
        if (tree_.searchable(k) && whole > limits_.least_gain) {  // no split can gain more than that
            best.split = best_split(node, nullptr);
            best.gain = best.split.feature < 0 ? 0 : whole - best.split.value;
            if (!(best.gain > limits_.least_gain)) {
                best.gain = 0;
                best.split = best_split(node, only_label_.data());
            }
            best.open = best.split.feature >= 0;
            best.set_shares(in_.unit);
        }
        if (!best.open) free_.push_back(node.block);
        return best;
    }

    // The larger side takes the histogram of its parent and loses that of the smaller one.
    void divide(int k, int left) {
        nodes_.resize(left + 2);
        Node *parent = &nodes_[k], *sides = &nodes_[left];
        divide_pairs(*parent, tree_.node(k).best.split, sides);
        Node &large = sides[larger(left)], &small = sides[1 - larger(left)];
        large.block = parent->block;
        small.block = take_block();
        build(small);
        Sum *rest = block(large), *part = block(small);
        over_bins(
            [=](int64_t at, int n) {
                for (int b = 0; b < n; b++) rest[at + b] -= part[at + b];
            },
            [=](int64_t at) { rest[at] -= part[at]; });
    }

    // The smaller one last, which is then divided first.
    std::array<int, 2> sides(int left) const { return {left + larger(left), left + 1 - larger(left)}; }

    // How many pairs each node has; those whose weight is 0 are not counted, if others are counted at all.
    std::vector<int64_t> n_pairs() const {
        std::vector<int64_t> numbers;
        for (const Node& node : nodes_) numbers.push_back(node.pairs);
        return numbers;
    }

  private:
    struct Node {
        Range rows{0, 0};  // in the order; sides that differ in their labels share it
        std::vector<uint8_t> labels;
        int block = -1;
        int64_t pairs = 0;
        int64_t size() const { return rows.size() * static_cast<int64_t>(labels.size()); }
    };

    Tiles tiles_;
    const Sum* weight_;
    int n_labels_;
    TreeLimits limits_;
    int n_threads_;
    const Frontier& tree_;
    SearchInput in_;
    std::vector<uint32_t> order_, spare_;
    std::vector<std::unique_ptr<Sum[]>> blocks_;  // histograms, and counts behind them
    std::vector<int> free_;
    std::vector<Node> nodes_;
    double share_[2] = {0, 0};
    bool counting_;
    PairSums sums_;
    std::vector<uint8_t> only_label_;  // flags of the features

    int label() const { return tiles_.n_features; }
    int64_t class_size() const { return sums_.class_size(); }
    int64_t size() const { return sums_.size(); }
    Sum* block(const Node& node) { return blocks_[node.block].get(); }
    int larger(int left) const { return nodes_[left].size() <= nodes_[left + 1].size() ? 1 : 0; }

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

    // The sum over the labels, given the sums of a class.
    Sum sum_of_labels(const Sum* sums) const {
        const Sum* of_label = sums + static_cast<int64_t>(label()) * N_BINS;
        return std::accumulate(of_label, of_label + n_labels_, Sum{0});
    }

    int64_t pairs_of(const Node& node) {
        if (!counting_) return node.size();
        const Sum* counts = block(node) + size();
        return sum_of_labels(counts) + sum_of_labels(counts + class_size());
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

    Split best_split(const Node& node, const uint8_t* allowed) {
        in_.histogram = block(node);
        in_.allowed = allowed;
        const CountTable counts(block(node) + size(), in_.features.n);
        in_.counts = counting_ ? &counts : nullptr;
        return Search(in_).best(false, 1);
    }

    void divide_pairs(const Node& parent, const Split& split, Node* sides) {
        for (int side = 0; side < 2; side++) sides[side].rows = parent.rows;
        if (split.feature == label()) {
            for (uint8_t y : parent.labels) sides[split.left[y] ? 0 : 1].labels.push_back(y);
            return;
        }
        for (int side = 0; side < 2; side++) sides[side].labels = parent.labels;
        sides[0].rows.end = sides[1].rows.begin =
            partition_rows(tiles_, {split.feature, split.left}, parent.rows, order_.data(), spare_.data());
    }

    void build(const Node& node) {
        Sum* out = block(node);
        over_bins([=](int64_t at, int n) { std::fill(out + at, out + at + n, 0); }, [=](int64_t at) { out[at] = 0; });
        const bool many = node.rows.size() * tiles_.n_features >= limits_.parallel_cells;
        sums_.add(order_.data() + node.rows.begin, node.rows.size(), node.labels, out, many ? n_threads_ : 1);
    }
};

}  // namespace costboost
