// The order, the numbering and the limits of a growing tree. It knows no rows: a source of node sums finds and carries out the splits.
#pragma once

#include "limits.hpp"
#include "split.hpp"

namespace costboost {

// The gains of the leaves that may be divided, 0 for all other nodes. To choose one takes a time that grows with the logarithm of their
// number: the greatest gain of any 2^k neighbours is known.
class OpenLeaves {
  public:
    void clear() {
        greatest_.clear();
        capacity_ = 0;
    }

    void set(size_t leaf, double gain) {
        while (leaf >= capacity_) reserve(std::max<size_t>(1, 2 * capacity_));
        size_t at = capacity_ + leaf;
        greatest_[at] = gain;
        while (at >>= 1) greatest_[at] = std::max(greatest_[2 * at], greatest_[2 * at + 1]);
    }

    // The first leaf whose gain is the greatest but for the tolerance; -1 where no gain is above the tolerance.
    int first_of_greatest(double tolerance) const {
        if (!capacity_ || !(greatest_[1] > tolerance)) return -1;
        const double enough = greatest_[1] - tolerance;
        size_t at = 1;
        while (at < capacity_) at = 2 * at + (greatest_[2 * at] >= enough ? 0 : 1);
        return static_cast<int>(at - capacity_);
    }

  private:
    std::vector<double> greatest_;  // a binary tree, its root at 1 and its leaves from capacity_ on
    size_t capacity_ = 0;

    void reserve(size_t capacity) {
        std::vector<double> larger(2 * capacity, 0.0);
        for (size_t leaf = 0; leaf < capacity_; leaf++) larger[capacity + leaf] = greatest_[capacity_ + leaf];
        for (size_t at = capacity - 1; at > 0; at--) larger[at] = std::max(larger[2 * at], larger[2 * at + 1]);
        greatest_ = std::move(larger);
        capacity_ = capacity;
    }
};

// The split by which a leaf may be divided, with the shares of both classes on either side and the bounds of their levels.
struct Candidate {
    bool open = false;  // whether the leaf may be divided at all
    double gain = 0;
    Split split;
    double share[2][2] = {{0, 0}, {0, 0}};  // of each side, by class
    Bounds levels[2];

    // Sets the shares by the worth of a quantum of each class.
    void set_shares(const double (&unit)[2]) {
        for (int side = 0; side < 2; side++)
            for (int z = 0; z < 2; z++) share[side][z] = unit[z] * static_cast<double>(split.cell[2 * z + side]);
    }
};

struct TreeNode {
    double share[2] = {0, 0};  // of both classes
    Bounds levels;             // between which those of its leaves are
    int depth = 0;
    int left = -1;          // its children: left and the one behind it; -1 for a leaf
    std::vector<int> path;  // the features that lead to it, where interactions are limited
    Candidate best;
};

// Which leaf is divided next: the first one whose gain is the greatest but for ties, or the one that was found last.
enum class Order { GREATEST_GAIN, LAST_FOUND };

class Frontier {
  public:
    // A new tree, in the memory of the last one.
    void begin(const TreeLimits& limits, Order order) {
        limits_ = limits;
        order_ = order;
        n_leaves_ = 1;
        nodes_.clear();
        gains_.clear();
        waiting_.clear();
    }

    // Node 0, by the shares of both classes in all rows.
    void root(const double* share) {
        nodes_.emplace_back();
        std::copy_n(share, 2, nodes_[0].share);
    }

    int size() const { return static_cast<int>(nodes_.size()); }
    const TreeNode& node(int k) const { return nodes_[k]; }

    // Whether a node may be divided as far as its depth is concerned.
    bool searchable(int k) const { return limits_.max_depth < 0 || node(k).depth < limits_.max_depth; }

    // Flags of the features that may be tested in a node, written to `flags`; null where all of them may be.
    const uint8_t* allowed(int k, int n_features, std::vector<uint8_t>& flags) const {
        if (!limits_.interactions.any()) return nullptr;
        flags.resize(n_features);
        limits_.interactions.mark(node(k).path, n_features, flags.data());
        return flags.data();
    }

    // The best split of a new leaf.
    void found(int k, const Candidate& best) {
        if (!best.open) return;
        nodes_[k].best = best;
        if (order_ == Order::GREATEST_GAIN)
            gains_.set(k, best.gain);
        else
            waiting_.push_back(k);
    }

    // The leaf to divide next; -1 where the tree is complete.
    int next() const {
        if (limits_.max_leaves >= 0 && n_leaves_ >= limits_.max_leaves) return -1;
        if (order_ == Order::GREATEST_GAIN) return gains_.first_of_greatest(limits_.least_gain);
        return waiting_.empty() ? -1 : waiting_.back();
    }

    // Divides a leaf; its sides are the node that is returned and the one behind it.
    int divide(int k) {
        const int left = size();
        nodes_.resize(left + 2);
        TreeNode& node = nodes_[k];
        node.left = left;
        for (int side = 0; side < 2; side++) {
            TreeNode& child = nodes_[left + side];
            std::copy_n(node.best.share[side], 2, child.share);
            child.levels = node.best.levels[side];
            child.depth = node.depth + 1;
            if (limits_.interactions.any()) child.path = Interactions::longer(node.path, node.best.split.feature);
        }
        n_leaves_++;
        if (order_ == Order::GREATEST_GAIN)
            gains_.set(k, 0);
        else
            waiting_.erase(std::find(waiting_.begin(), waiting_.end(), k));
        return left;
    }

    // Leaves that will probably be divided soon, the greatest gains first.
    std::vector<int> promising() const {
        std::vector<int> leaves;
        for (int k = 0; k < size(); k++)
            if (node(k).left < 0 && node(k).best.open) leaves.push_back(k);
        std::stable_sort(leaves.begin(), leaves.end(), [this](int a, int b) { return node(a).best.gain > node(b).best.gain; });
        if (limits_.max_leaves >= 0) leaves.resize(std::min(leaves.size(), static_cast<size_t>(std::max(0, limits_.max_leaves - n_leaves_))));
        return leaves;
    }

    // Whether there are as many leaves as there may be, so that the last sides need not be searched.
    bool last() const { return n_leaves_ == limits_.max_leaves; }

  private:
    TreeLimits limits_{};
    Order order_ = Order::GREATEST_GAIN;
    int n_leaves_ = 1;
    std::vector<TreeNode> nodes_;
    OpenLeaves gains_;
    std::vector<int> waiting_;
};

// Grows a tree. The source has build(), the shares of the root; search(k), the best split of a node; divide(k, left), which divides its
// rows; sides(left), both sides in the order in which they are searched. Several shards grow trees by the same loop in Python, in
// `growing/grow.py`: the sums are whole numbers, and the trees are equal.
template <typename Source>
void grow(Source& source, Frontier& tree) {
    tree.root(source.build());
    tree.found(0, source.search(0));
    for (int k; (k = tree.next()) >= 0;) {
        const int left = tree.divide(k);
        source.divide(k, left);
        if (!tree.last())
            for (int side : source.sides(left)) tree.found(side, source.search(side));
    }
}

}  // namespace costboost
