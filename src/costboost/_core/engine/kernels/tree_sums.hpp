// Sums of the leaf values of trees on binned rows that are not trained on, such as those held out.
//
// In a block of rows a tree is evaluated from its leaves to its root, as in program.hpp, but on bins: nothing has to be compiled, as is
// worth it for trees that are used once or twice.
#pragma once

#include "pairwise.hpp"
#include "predict.hpp"

namespace costboost {

// Rounds leaf values, those of tree t being first[t], ..., first[t + 1] - 1, so that any partial sum of them fits 53 bits.
inline void round_to_grid(double* value, const int64_t* first, int64_t n_trees) {
    if (n_trees == 0 || first[n_trees] == first[0]) return;
    std::vector<double> greatest(n_trees);
    for (int exponent = 0, n_times = 0;; n_times++) {  // twice at most: rounding may lift the reach to the next power of two
        for (int64_t t = 0; t < n_trees; t++) {
            double most = 0;
            for (int64_t k = first[t]; k < first[t + 1]; k++) most = std::max(most, std::fabs(value[k]));
            greatest[t] = most;
        }
        const double reach = pairwise_sum(greatest.data(), n_trees);
        int power;
        std::frexp(reach, &power);
        if (reach == 0 || (n_times && power == exponent)) return;
        exponent = power;
        const double quantum = std::ldexp(1.0, exponent + 2 - 52);
        for (int64_t k = first[0]; k < first[n_trees]; k++) value[k] = std::nearbyint(value[k] / quantum) * quantum;
    }
}

// Trees one behind the other, and the leaf values that they add.
class TreeSums {
  public:
    // categorical: whether the bins of a feature are categories.
    TreeSums(const Tiles& tiles, const uint8_t* categorical) : tiles_(tiles), categorical_(categorical) {}

    // A tree begins; its nodes follow, parents before their children, whose numbers are counted from the root.
    void begin_tree() {
        trees_.push_back({static_cast<int64_t>(nodes_.size()), 0});
        values_begin_.push_back(static_cast<int64_t>(values_.size()));
    }
    void add_leaf(double value) {
        nodes_.push_back({nullptr, -1, static_cast<int32_t>(trees_.back().n_leaves++), 0, 0});
        values_.push_back(value);
    }
    // goes_left: 256 flags, which must outlive the sums.
    void add_test(int feature, int bin, bool missing_left, const uint8_t* goes_left, int32_t left_child) {
        assert(0 <= feature && feature < tiles_.n_features);
        nodes_.push_back({categorical_[feature] ? goes_left : nullptr, feature, left_child, static_cast<uint8_t>(bin), missing_left});
    }
    int64_t n_trees() const { return static_cast<int64_t>(trees_.size()); }

    // Whether children follow their parents, and are nodes of their tree.
    bool is_valid() const {
        for (size_t t = 0; t < trees_.size(); t++) {
            const int64_t n = end(t) - trees_[t].first;
            if (n == 0) return false;
            for (int64_t k = 0; k < n; k++) {
                const Node& node = nodes_[trees_[t].first + k];
                if (node.feature >= 0 && (node.child <= k || node.child + 1 >= n)) return false;
            }
        }
        return true;
    }

    void round() {
        values_begin_.push_back(static_cast<int64_t>(values_.size()));
        round_to_grid(values_.data(), values_begin_.data(), n_trees());
        values_begin_.pop_back();
    }

    // Scores after the first ends[0], ends[1], ... trees, in ascending order: n_ends x n_rows.
    void staged(const std::vector<int64_t>& ends, double* scores, int n_threads) {
        number_columns();
        const int64_t parts = chunk_count(tiles_.n_rows, 4 * ROWS, n_threads);
        for_chunks(parts, n_threads, [&](int64_t chunk, int) {
            const Range rows = Range{0, tiles_.n_rows}.part(chunk, parts);
            Workspace space{std::vector<uint8_t>(columns_.size() * ROWS), std::vector<uint8_t>(most_nodes() * ROWS)};
            for (int64_t begin = rows.begin; begin < rows.end; begin += ROWS)
                add_block(ends, {begin, std::min(begin + ROWS, rows.end)}, space, scores);
        });
    }

  private:
    static constexpr int ROWS = 256, MOST_NUMBERED = 256;

    struct Node {
        const uint8_t* table;  // of a test of categories, else null
        int32_t feature;       // -1 for a leaf
        int32_t child;         // left one; of a leaf its number
        uint8_t bin, missing_left;
    };
    struct Tree {
        int64_t first;
        int64_t n_leaves;
    };
    struct Workspace {
        std::vector<uint8_t> columns, results;
    };

    const Tiles tiles_;
    const uint8_t* categorical_;
    std::vector<Node> nodes_;
    std::vector<Tree> trees_;
    std::vector<double> values_;
    std::vector<int64_t> values_begin_;
    std::vector<int> columns_, column_of_;  // features that are tested, and the place of each among them

    int64_t end(size_t t) const { return t + 1 < trees_.size() ? trees_[t + 1].first : static_cast<int64_t>(nodes_.size()); }

    void number_columns() {
        column_of_.assign(tiles_.n_features, -1);
        for (const Node& node : nodes_) {
            if (node.feature < 0 || column_of_[node.feature] >= 0) continue;
            column_of_[node.feature] = static_cast<int>(columns_.size());
            columns_.push_back(node.feature);
        }
    }

    int64_t most_nodes() const {
        int64_t most = 0;
        for (size_t t = 0; t < trees_.size(); t++)
            if (trees_[t].n_leaves <= MOST_NUMBERED) most = std::max(most, end(t) - trees_[t].first);
        return most;
    }

    void add_block(const std::vector<int64_t>& ends, Range rows, Workspace& space, double* scores) const {
        const int m = static_cast<int>(rows.size());
        double score[ROWS] = {0};
        for (size_t c = 0; c < columns_.size(); c++) {
            const int64_t stride = tiles_.stride(columns_[c]);
            const uint8_t* from = tiles_.column(columns_[c]) + rows.begin * stride;
            uint8_t* to = space.columns.data() + c * ROWS;
            for (int i = 0; i < m; i++) to[i] = from[i * stride];
        }
        size_t t = 0;
        for (size_t k = 0; k < ends.size(); k++) {
            for (; t < static_cast<size_t>(ends[k]); t++) add_tree(t, m, space, score);
            std::copy(score, score + m, scores + static_cast<int64_t>(k) * tiles_.n_rows + rows.begin);
        }
    }

    void add_tree(size_t t, int m, Workspace& space, double* score) const {
        const Node* nodes = nodes_.data() + trees_[t].first;
        const double* value = values_.data() + values_begin_[t];
        if (trees_[t].n_leaves > MOST_NUMBERED) {
            walk(nodes, value, m, space, score);
            return;
        }
        uint8_t* results = space.results.data();
        for (int64_t k = end(t) - trees_[t].first - 1; k >= 0; k--) {
            const Node& node = nodes[k];
            uint8_t* result = results + k * ROWS;
            if (node.feature < 0) {
                std::memset(result, node.child, m);
                continue;
            }
            const uint8_t* column = space.columns.data() + static_cast<int64_t>(column_of_[node.feature]) * ROWS;
            const uint8_t *left = results + node.child * int64_t{ROWS}, *right = left + ROWS;
            if (node.table)
                for (int i = 0; i < m; i++) result[i] = node.table[column[i]] ? left[i] : right[i];
            else
                select(column, node.missing_left, static_cast<uint8_t>(node.bin + node.missing_left), left, right, m, result);
        }
        for (int i = 0; i < m; i++) score[i] += value[results[i]];
    }

    // Bins up to the limit go left. Where missing values do as well, 1 is added to all bins, which makes 0 of the last one.
    COSTBOOST_DISPATCH static void select(const uint8_t* __restrict column, uint8_t added, uint8_t limit, const uint8_t* __restrict left,
                                          const uint8_t* __restrict right, int m, uint8_t* __restrict result) {
        for (int i = 0; i < m; i++) {
            const uint8_t l = left[i], r = right[i];  // read in any case, so that the loop has no branch
            result[i] = static_cast<uint8_t>(column[i] + added) <= limit ? l : r;
        }
    }

    void walk(const Node* nodes, const double* value, int m, const Workspace& space, double* score) const {
        for (int i = 0; i < m; i++) {
            const Node* node = nodes;
            while (node->feature >= 0) {
                const uint8_t bin = space.columns[static_cast<int64_t>(column_of_[node->feature]) * ROWS + i];
                const bool left = node->table ? node->table[bin] : static_cast<uint8_t>(bin + node->missing_left) <= node->bin + node->missing_left;
                node = nodes + node->child + (left ? 0 : 1);
            }
            score[i] += value[node->child];
        }
    }
};

}  // namespace costboost
