// Shapley values of sums of trees, exact, for two games: interventional and along the paths of the trees.
//
// A leaf is reached if the conditions on every feature on its path are met. Of a row, it matters only which of them are: a
// pattern, with a bit for each feature. All rows of a pattern get the same from a leaf, so that it is computed once for each
// pattern that occurs.
//
// Interventional: a coalition takes its values from the row and all others from a background row. If a are the features whose
// conditions the row meets, and b those of a background row, a leaf of value v that one of them meets everywhere adds
//     v (u - 1)! w! / (u + w)!  to each feature of a without b,  and  -v u! (w - 1)! / (u + w)!  to each of b without a,
// u and w being the numbers of these features. Background rows are counted by pattern.
//
// Path-dependent (Lundberg et al. 2020): where a feature is not in the coalition, both sides of a test count, in proportion to
// the background rows that reach them, or to numbers of rows that were counted before. A leaf is then the product over the features j of o_j (1 or 0: is the condition met?) in
// the coalition, and of the share r_j of the background otherwise. The Shapley value of a product is an integral,
//     v (o_j - r_j) times the integral over t from 0 to 1 of the product over i != j of (1 - t) r_i + t o_i,
// of a polynomial, which Gauss's formula with enough points integrates exactly.
#pragma once

#include <array>
#include <bitset>
#include <memory>
#include <stdexcept>
#include <unordered_map>

#include "limits.hpp"
#include "predict.hpp"

namespace costboost {

constexpr int MOST_PATH_FEATURES = 62;  // a pattern is the bits of an integer

inline int count_bits(uint64_t bits) { return static_cast<int>(std::bitset<64>(bits).count()); }

// Points and weights of Gauss and Legendre on [0, 1]. The zeros of a Legendre polynomial lie between those of the one before,
// where they are found by bisection: by additions, multiplications and divisions only, so that they are the same everywhere.
struct Quadrature {
    std::vector<double> point, weight;

    explicit Quadrature(int n) {
        std::vector<double> zeros;
        for (int degree = 1; degree <= n; degree++) {
            std::vector<double> ends = {-1.0}, found;
            ends.insert(ends.end(), zeros.begin(), zeros.end());
            ends.push_back(1.0);
            for (int k = 0; k < degree; k++) found.push_back(zero_between(degree, ends[k], ends[k + 1]));
            zeros = found;
        }
        for (double x : zeros) {
            const double slope = n * (x * legendre(n, x) - legendre(n - 1, x)) / (x * x - 1);
            point.push_back((1 + x) / 2);
            weight.push_back(1 / ((1 - x * x) * slope * slope));
        }
    }

  private:
    static double legendre(int n, double x) {
        double before = 1, value = x;
        if (n == 0) return before;
        for (int k = 2; k <= n; k++) {
            const double next = ((2 * k - 1) * x * value - (k - 1) * before) / k;
            before = value;
            value = next;
        }
        return value;
    }

    static double zero_between(int n, double low, double high) {
        const bool rises = legendre(n, high) > 0;
        for (int k = 0; k < 80; k++) {
            const double middle = (low + high) / 2;
            (((legendre(n, middle) > 0) == rises) ? high : low) = middle;
        }
        return (low + high) / 2;
    }
};

// What a leaf adds for the patterns of rows.
struct ShapleyLeaf {
    double value;
    std::vector<int> features;
    std::vector<std::pair<uint64_t, double>> background;  // patterns of the background, and their shares of it
    std::vector<double> share;                            // of the background, for each feature: along the paths
};

// Whether rows [begin, end) of a matrix pass the test of a node.
inline void pass_test(const Matrix<double>& x, Range rows, const Nodes& nodes, int node, uint8_t* left) {
    const int64_t n = rows.size();
    const int feature = nodes.feature[node];
    const uint8_t missing = nodes.missing_left[node] ? 1 : 0;
    if (nodes.category_set[node] < 0) {
        const double threshold = nodes.threshold[node];
        for (int64_t i = 0; i < n; i++) {
            const double v = x.at(rows.begin + i, feature);
            left[i] = v == v ? v <= threshold : missing;
        }
        return;
    }
    const uint8_t* set = nodes.categories + static_cast<int64_t>(nodes.category_set[node]) * N_BINS;
    for (int64_t i = 0; i < n; i++) {
        const double v = x.at(rows.begin + i, feature);
        left[i] = v >= 0 && v < MISSING_BIN ? set[static_cast<int>(v)] : missing;
    }
}

// Adds, for every node of a tree, the rows that reach it.
inline void count_reached(const Nodes& nodes, int tree, const Matrix<double>& x, int64_t n_rows, int64_t* count) {
    const int root = nodes.first[tree];
    for (int64_t i = 0; i < n_rows; i++)
        for (int node = root;;) {
            count[node - root]++;
            if (nodes.feature[node] < 0) break;
            uint8_t left;
            pass_test(x, {i, i + 1}, nodes, node, &left);
            node = nodes.left[node] + (left ? 0 : 1);
        }
}

// Walks over the leaves of a tree and keeps which rows meet the conditions on each feature of the path. The path is in memory of
// its own: a tree may be deeper than the stack of a thread is long.
class PathWalk {
  public:
    // count: rows that reach each node of the tree, for the shares of the paths; may be null.
    PathWalk(const Nodes& nodes, const Matrix<double>& x, Range rows, const int64_t* count = nullptr)
        : nodes_(nodes), x_(x), rows_(rows), count_(count) {}

    std::vector<int> features;
    std::vector<double> share;  // of the rows that are counted, which takes the path at all tests of each feature

    // work(node) for every leaf of a tree, from left to right.
    template <typename Work>
    void over_leaves(int root, Work& work) {
        root_ = root;
        for (int node = root;;) {
            if (nodes_.feature[node] >= 0) {
                enter(node);
            } else {
                work(node);
                while (!path_.empty() && path_.back().side == 1) leave();
                if (path_.empty()) return;
                path_.back().side = 1;
            }
            node = descend();
        }
    }

    // The pattern of every row at the present leaf.
    void patterns(uint64_t* pattern) const {
        const int64_t n = rows_.size();
        std::fill(pattern, pattern + n, uint64_t{0});
        for (size_t slot = 0; slot < met_.size(); slot++)
            for (int64_t i = 0; i < n; i++) pattern[i] |= static_cast<uint64_t>(met_[slot][i]) << slot;
    }

  private:
    struct Step {
        int node, side;
        size_t slot;  // of its feature
        bool added;   // whether it is the first on the path that tests it
        double share;               // of the feature, before
        std::vector<uint8_t> rows;  // bit 0: which met the conditions before, bit 1: which pass the test
    };

    const Nodes& nodes_;
    const Matrix<double>& x_;
    const Range rows_;
    const int64_t* count_;
    int root_ = 0;
    std::vector<Step> path_;
    std::vector<std::vector<uint8_t>> met_;

    void enter(int node) {
        const size_t n = static_cast<size_t>(rows_.size());
        const int feature = nodes_.feature[node];
        const size_t slot = std::find(features.begin(), features.end(), feature) - features.begin();
        const bool added = slot == features.size();
        if (added) {
            if (slot == MOST_PATH_FEATURES)
                throw std::invalid_argument(
                    "a tree tests more than 62 features one below the other, too many to explain; train with a smaller max_depth");
            features.push_back(feature);
            share.push_back(1.0);
            met_.emplace_back(n, uint8_t{1});
        }
        path_.push_back({node, 0, slot, added, share[slot], std::vector<uint8_t>(n)});
        std::vector<uint8_t>& both = path_.back().rows;
        pass_test(x_, rows_, nodes_, node, both.data());
        for (size_t i = 0; i < n; i++) both[i] = static_cast<uint8_t>(both[i] << 1 | met_[slot][i]);
    }

    // The child on the present side of the last step; half of no rows goes either way.
    int descend() {
        const Step& step = path_.back();
        const int child = nodes_.left[step.node] + step.side;
        uint8_t* met = met_[step.slot].data();
        for (size_t i = 0; i < step.rows.size(); i++) met[i] = step.rows[i] & ((step.rows[i] >> 1) ^ static_cast<uint8_t>(step.side));
        if (count_) {
            const int64_t all = count_[step.node - root_];
            share[step.slot] = step.share * (all ? static_cast<double>(count_[child - root_]) / static_cast<double>(all) : 0.5);
        }
        return child;
    }

    void leave() {
        const Step& step = path_.back();
        share[step.slot] = step.share;
        for (size_t i = 0; i < step.rows.size(); i++) met_[step.slot][i] = step.rows[i] & 1;
        if (step.added) {
            features.pop_back();
            share.pop_back();
            met_.pop_back();
        }
        path_.pop_back();
    }
};

class Shapley {
  public:
    // reached: rows that reach each node, which take the place of a background along the paths; null to count the background.
    Shapley(const Nodes& nodes, const Matrix<double>& background, int64_t n_background, bool along_paths, const int64_t* reached,
            const Interrupt& interrupt)
        : nodes_(nodes),
          background_(background),
          n_background_(n_background),
          along_paths_(along_paths),
          reached_(reached),
          interrupt_(interrupt) {}

    // Adds the values of trees [trees.begin, trees.end) for n_rows rows; values: n_rows x n_features.
    void add(Range trees, const Matrix<double>& x, int64_t n_rows, double* values, int n_features, int n_threads) {
        std::vector<std::vector<ShapleyLeaf>> leaves(trees.size());
        for_chunks(trees.size(), n_threads, [&](int64_t t, int slot) {
            Watch watch(*this, slot);
            leaves[t] = prepared(static_cast<int>(trees.begin + t), watch);
        });
        prepare_factors(leaves);
        const int64_t n_blocks = (n_rows + ROWS - 1) / ROWS;
        for_chunks(n_blocks, n_threads, [&](int64_t block, int slot) {
            Watch watch(*this, slot);
            const Range rows = {block * ROWS, std::min(n_rows, (block + 1) * ROWS)};
            for (int64_t t = 0; t < trees.size(); t++)
                add_tree(static_cast<int>(trees.begin + t), leaves[t], x, rows, values, n_features, watch);
        });
    }

  private:
    // Looks for an interrupt as work is done: the caller itself, and every other thread whether the caller has found one.
    class Watch {
      public:
        Watch(Shapley& shapley, int slot) : shapley_(shapley), interrupt_(shapley.interrupt_) {
            if (slot) interrupt_.requested = nullptr;
        }
        void after(int64_t n_cells) {
            if (shapley_.interrupted_.load(std::memory_order_relaxed)) throw Interrupted();
            try {
                interrupt_.after(n_cells);
            } catch (const Interrupted&) {
                shapley_.interrupted_ = true;
                throw;
            }
        }

      private:
        Shapley& shapley_;
        Interrupt interrupt_;
    };

    static constexpr int64_t ROWS = 1024;
    static constexpr size_t FEW = 12;  // features up to which patterns are looked up in a table

    const Nodes& nodes_;
    const Matrix<double>& background_;
    const int64_t n_background_;
    const bool along_paths_;
    const int64_t* const reached_;
    const Interrupt interrupt_;
    std::atomic<bool> interrupted_{false};
    std::vector<std::unique_ptr<Quadrature>> quadrature_;  // for each number of features
    std::vector<std::array<double, 2>> factor_;            // (u - 1)! w! / (u + w)! and u! (w - 1)! / (u + w)!

    std::vector<ShapleyLeaf> prepared(int tree, Watch& watch) const {
        const Range rows = {0, n_background_};
        std::vector<int64_t> counted_here(along_paths_ && !reached_ ? nodes_.first[tree + 1] - nodes_.first[tree] : 0, 0);
        if (along_paths_ && !reached_) count_reached(nodes_, tree, background_, n_background_, counted_here.data());
        const int64_t* count = !along_paths_ ? nullptr : reached_ ? reached_ + nodes_.first[tree] : counted_here.data();
        std::vector<ShapleyLeaf> leaves;
        PathWalk walk(nodes_, background_, along_paths_ ? Range{0, 0} : rows, count);
        std::vector<uint64_t> pattern(along_paths_ ? 0 : n_background_);
        auto work = [&](int node) {
            ShapleyLeaf leaf{nodes_.value[node], walk.features, {}, {}};
            watch.after(n_background_ * static_cast<int64_t>(walk.features.size() + 1));
            if (along_paths_) {
                leaf.share = walk.share;
            } else {
                walk.patterns(pattern.data());
                leaf.background = counted(pattern);
            }
            leaves.push_back(std::move(leaf));
        };
        walk.over_leaves(nodes_.first[tree], work);
        return leaves;
    }

    std::vector<std::pair<uint64_t, double>> counted(std::vector<uint64_t>& pattern) const {
        std::vector<uint64_t> sorted = pattern;
        std::sort(sorted.begin(), sorted.end());
        std::vector<std::pair<uint64_t, double>> found;
        for (size_t i = 0; i < sorted.size();) {
            size_t end = i;
            while (end < sorted.size() && sorted[end] == sorted[i]) end++;
            found.emplace_back(sorted[i], static_cast<double>(end - i) / static_cast<double>(n_background_));
            i = end;
        }
        return found;
    }

    void prepare_factors(const std::vector<std::vector<ShapleyLeaf>>& leaves) {
        size_t most = 0;
        for (const auto& tree : leaves)
            for (const auto& leaf : tree) most = std::max(most, leaf.features.size());
        quadrature_.resize(most + 1);
        if (along_paths_)
            for (size_t m = 1; m <= most; m++)
                if (!quadrature_[m]) quadrature_[m] = std::make_unique<Quadrature>(static_cast<int>(m + 1) / 2);
        factor_.resize((MOST_PATH_FEATURES + 1) * (MOST_PATH_FEATURES + 1));
        for (int u = 0; u <= MOST_PATH_FEATURES; u++)
            for (int w = 0; u + w <= MOST_PATH_FEATURES; w++) {
                double choices = 1;  // (u + w)! / (u! w!)
                for (int k = 1; k <= w; k++) choices = choices * (u + k) / k;
                factor_[place(u, w)] = {u ? 1 / (choices * u) : 0.0, w ? 1 / (choices * w) : 0.0};
            }
    }

    static size_t place(int u, int w) { return static_cast<size_t>(u) * (MOST_PATH_FEATURES + 1) + w; }

    void add_tree(int tree, const std::vector<ShapleyLeaf>& leaves, const Matrix<double>& x, Range rows, double* values, int n_features,
                  Watch& watch) const {
        PathWalk walk(nodes_, x, rows);
        std::vector<uint64_t> pattern(rows.size());
        std::vector<double> gains;
        std::vector<int32_t> place_of, row, at;
        size_t number = 0;
        auto work = [&](int) {
            const ShapleyLeaf& leaf = leaves[number++];
            const size_t m = leaf.features.size();
            if (m == 0) return;
            watch.after(static_cast<int64_t>(m * (pattern.size() + leaf.background.size())));
            walk.patterns(pattern.data());
            find_gains(leaf, pattern, gains, place_of, row, at);
            for (size_t k = 0; k < row.size(); k++) {
                double* own = values + (rows.begin + row[k]) * n_features;
                const double* gain = gains.data() + static_cast<size_t>(at[k]) * m;
                for (size_t j = 0; j < m; j++) own[leaf.features[j]] += gain[j];
            }
        };
        walk.over_leaves(nodes_.first[tree], work);
    }

    // What the leaf adds to its features for each different pattern, and which rows get which, those without anything left out.
    void find_gains(const ShapleyLeaf& leaf, const std::vector<uint64_t>& pattern, std::vector<double>& gains, std::vector<int32_t>& place_of,
                    std::vector<int32_t>& row, std::vector<int32_t>& at) const {
        constexpr int32_t UNKNOWN = -1, NOTHING = -2;
        const size_t m = leaf.features.size();
        std::unordered_map<uint64_t, int32_t> many;
        if (m <= FEW) place_of.assign(size_t{1} << m, UNKNOWN);
        gains.clear();
        row.clear();
        at.clear();
        int32_t n = 0;
        for (size_t i = 0; i < pattern.size(); i++) {
            int32_t& found = m <= FEW ? place_of[pattern[i]] : many.emplace(pattern[i], UNKNOWN).first->second;
            if (found == UNKNOWN) {
                gains.resize((static_cast<size_t>(n) + 1) * m);
                double* own = gains.data() + static_cast<size_t>(n) * m;
                found = (along_paths_ ? gain_along_paths(leaf, pattern[i], own) : gain(leaf, pattern[i], own)) ? n++ : NOTHING;
            }
            if (found != NOTHING) {
                row.push_back(static_cast<int32_t>(i));
                at.push_back(found);
            }
        }
    }

    // Interventional. As one of the two meets each condition, b contains all that a lacks. Returns whether anything is added.
    bool gain(const ShapleyLeaf& leaf, uint64_t a, double* gains) const {
        const int m = static_cast<int>(leaf.features.size());
        const uint64_t lacking = ((uint64_t{1} << m) - 1) & ~a;
        const int w = count_bits(lacking);
        std::fill(gains, gains + m, 0.0);
        double for_lacking = 0;
        bool some = false;
        for (const auto& [b, share] : leaf.background) {
            if (lacking & ~b) continue;
            const uint64_t mine = a & ~b;
            const int u = count_bits(mine);
            const auto& factor = factor_[place(u, w)];
            for_lacking += share * factor[1];
            const double added = leaf.value * share * factor[0];
            for (int j = 0; j < m; j++) gains[j] += (mine >> j & 1) ? added : 0.0;
            some |= u + w > 0;
        }
        for (int j = 0; j < m; j++)
            if (lacking >> j & 1) gains[j] = -leaf.value * for_lacking;
        return some;
    }

    bool gain_along_paths(const ShapleyLeaf& leaf, uint64_t a, double* gains) const {
        const int m = static_cast<int>(leaf.features.size());
        const Quadrature& gauss = *quadrature_[m];
        std::array<double, MOST_PATH_FEATURES> term{}, behind{};
        std::fill(gains, gains + m, 0.0);
        for (size_t q = 0; q < gauss.point.size(); q++) {
            const double t = gauss.point[q];
            for (int j = 0; j < m; j++) term[j] = (1 - t) * leaf.share[j] + t * static_cast<double>(a >> j & 1);
            double product = 1;
            for (int j = m - 1; j >= 0; j--) {
                behind[j] = product;
                product *= term[j];
            }
            product = gauss.weight[q];
            for (int j = 0; j < m; j++) {
                gains[j] += product * behind[j];
                product *= term[j];
            }
        }
        bool some = false;
        for (int j = 0; j < m; j++) {
            gains[j] *= leaf.value * (static_cast<double>(a >> j & 1) - leaf.share[j]);
            some |= gains[j] != 0;
        }
        return some;
    }
};

inline void add_shapley(const Nodes& nodes, const Matrix<double>& x, int64_t n_rows, const Matrix<double>& background, int64_t n_background,
                        Range trees, bool along_paths, const int64_t* reached, double* values, int n_features, int n_threads,
                        const Interrupt& interrupt) {
    Shapley(nodes, background, n_background, along_paths, reached, interrupt).add(trees, x, n_rows, values, n_features, n_threads);
}

// Adds the rows that reach each node of all trees.
inline void add_reached(const Nodes& nodes, const Matrix<double>& x, int64_t n_rows, int64_t* count, int n_threads) {
    for_chunks(nodes.n_trees, n_threads,
               [&](int64_t t, int) { count_reached(nodes, static_cast<int>(t), x, n_rows, count + nodes.first[t]); });
}

}  // namespace costboost
