// From the nodes of an ensemble to a program (program.hpp).
#pragma once

#include <stdexcept>

#include "program.hpp"

namespace costboost {

class Compiler {
  public:
    // The trees of stage k are ends[k], ..., ends[k + 1] - 1. The nodes must outlive the program: large trees, and rows with
    // infinite values, are walked.
    Compiler(const Nodes& nodes, const std::vector<int64_t>& ends) : nodes_(nodes), collapsed_(ends.size() == 2) {
        program_.nodes = nodes;
        for (size_t k = 0; k + 1 < ends.size(); k++) {
            assert((Range{ends[k], ends[k + 1]}.within(nodes.n_trees)));
            program_.stages.push_back({{ends[k], ends[k + 1]}, {0, 0}, {0, 0}, 0.0});
        }
    }

    Program compiled() {
        std::vector<std::vector<int>> grown(program_.stages.size());
        std::vector<int> stumps;
        for (size_t k = 0; k < grown.size(); k++) sort_trees(program_.stages[k], stumps, grown[k]);
        for (auto& numbers : number_of_) numbers.assign(program_.last_feature + 1, -1);
        for (int t : stumps) note_test(nodes_.first[t], false);
        for (const auto& trees : grown)
            for (int t : trees) for_tests(t, [&](int node) { note_test(node, nodes_.missing_left[node]); });
        lay_out_columns();
        for (int t : stumps) add_stump(nodes_.first[t]);
        sum_tables();
        for (size_t k = 0; k < grown.size(); k++) {
            program_.stages[k].groups.begin = static_cast<int64_t>(program_.groups.size());
            for (size_t first = 0; first < grown[k].size(); first += TOGETHER)
                add_group(grown[k].data() + first, std::min<int>(TOGETHER, static_cast<int>(grown[k].size() - first)));
            program_.stages[k].groups.end = static_cast<int64_t>(program_.groups.size());
        }
        return std::move(program_);
    }

  private:
    const Nodes nodes_;
    const bool collapsed_;  // all stumps on a feature into one table
    Program program_;
    std::vector<int> number_of_[2];  // of an ordered, a categorical feature in the program; -1 if it is not tested
    std::vector<int> needed_;        // vectors that the subtree below each node of a tree needs

    // work(node) for the inner nodes of a tree, parents first.
    template <typename Work>
    void for_tests(int t, Work work) const {
        std::vector<int> waiting = {nodes_.first[t]};
        while (!waiting.empty()) {
            const int node = waiting.back();
            waiting.pop_back();
            if (nodes_.feature[node] < 0) continue;
            work(node);
            waiting.push_back(nodes_.left[node] + 1);
            waiting.push_back(nodes_.left[node]);
        }
    }

    void sort_trees(Stage& stage, std::vector<int>& stumps, std::vector<int>& grown) {
        stage.walked.begin = static_cast<int64_t>(program_.walked.size());
        for (int t = static_cast<int>(stage.trees.begin); t < static_cast<int>(stage.trees.end); t++) {
            const int n_tests = count_tests(t);
            if (n_tests == 0)
                stage.intercept += nodes_.value[nodes_.first[t]];
            else if (n_tests == 1 && collapsed_)
                stumps.push_back(t);
            else if (n_tests < MOST_LEAVES)
                grown.push_back(t);
            else
                program_.walked.push_back(t);
        }
        stage.walked.end = static_cast<int64_t>(program_.walked.size());
    }

    int count_tests(int t) {
        const int begin = nodes_.first[t], end = nodes_.first[t + 1];
        int n = 0;
        for_tests(t, [&](int node) {
            if (nodes_.left[node] <= begin || nodes_.left[node] + 1 >= end || ++n >= end - begin)
                throw std::invalid_argument("the children of a node must be nodes of its tree");
            program_.last_feature = std::max(program_.last_feature, nodes_.feature[node]);
        });
        return n;
    }

    // ---- features ----------------------------------------------------------------------------------------------

    bool categorical(int node) const { return nodes_.category_set[node] >= 0; }
    CodedFeature& feature_of(int node) { return program_.features[number_of_[categorical(node)][nodes_.feature[node]]]; }

    double cut_of(int node) const {  // no value is at most NaN
        const double cut = nodes_.threshold[node];
        return cut == cut ? cut : -std::numeric_limits<double>::infinity();
    }

    void note_test(int node, bool missing_left) {
        int& number = number_of_[categorical(node)][nodes_.feature[node]];
        if (number < 0) {
            number = static_cast<int>(program_.features.size());
            program_.features.emplace_back();
            program_.features.back().feature = nodes_.feature[node];
            program_.features.back().categorical = categorical(node);
        }
        CodedFeature& f = program_.features[number];
        f.column[missing_left && !categorical(node)] = 0;
        if (!categorical(node)) f.cut.push_back(cut_of(node));
    }

    void lay_out_columns() {
        std::vector<CodedFeature>& features = program_.features;
        std::sort(features.begin(), features.end(), [](const auto& a, const auto& b) { return a.feature < b.feature; });
        for (size_t k = 0; k < features.size(); k++) {
            CodedFeature& f = features[k];
            number_of_[f.categorical][f.feature] = static_cast<int>(k);
            std::sort(f.cut.begin(), f.cut.end());
            f.cut.erase(std::unique(f.cut.begin(), f.cut.end()), f.cut.end());
            for (double cut : f.cut) f.cut_single.push_back(floor_to<float>(cut));
            f.n_runs = std::max(1, (static_cast<int>(f.cut.size()) + CUTS_A_COLUMN - 1) / CUTS_A_COLUMN);
            for (int& column : f.column) {
                if (column < 0) continue;
                column = program_.n_columns;
                program_.n_columns += f.n_runs;
            }
        }
    }

    int cut_number(const CodedFeature& f, int node) const {
        return static_cast<int>(std::lower_bound(f.cut.begin(), f.cut.end(), cut_of(node)) - f.cut.begin());
    }

    bool goes_left(int node, int category) const {
        if (category == MISSING_BIN) return nodes_.missing_left[node];
        return nodes_.categories[static_cast<int64_t>(nodes_.category_set[node]) * N_BINS + category];
    }

    // ---- stumps ------------------------------------------------------------------------------------------------

    // Until they are summed, the tables of an ordered feature hold what is added at each code.
    void add_stump(int node) {
        CodedFeature& f = feature_of(node);
        if (f.table < 0) {
            f.table = static_cast<int>(program_.tables.size());
            program_.tables.resize(program_.tables.size() + f.n_runs, StumpTable{});
        }
        StumpTable* table = program_.tables.data() + f.table;
        const double left = nodes_.value[nodes_.left[node]], right = nodes_.value[nodes_.left[node] + 1];
        if (f.categorical) {
            for (int code = 0; code < N_BINS; code++) table[0][place_of(code)] += goes_left(node, code) ? left : right;
            return;
        }
        const int k = cut_number(f, node);
        table[0][place_of(MISSING_BIN)] += nodes_.missing_left[node] ? left : right;
        table[0][place_of(0)] += left;
        table[k / CUTS_A_COLUMN][place_of(k % CUTS_A_COLUMN + 1)] += right - left;
    }

    void sum_tables() {
        for (const CodedFeature& f : program_.features) {
            if (f.table < 0 || f.categorical) continue;
            for (int run = 0; run < f.n_runs; run++) {
                StumpTable& table = program_.tables[f.table + run];
                for (int code = 1; code < MISSING_BIN; code++) table[place_of(code)] += table[place_of(code - 1)];
            }
        }
    }

    // ---- trees -------------------------------------------------------------------------------------------------

    // What the selections of one tree are written to.
    struct Output {
        std::vector<Selection> selections;
        std::vector<uint16_t> free;  // vectors
        int n_leaves = 0;
    };

    // Selections of the trees take turns, so that one need not wait for the result of the one before. Trees that are missing
    // have the value 0 whatever their leaf.
    void add_group(const int* trees, int n) {
        Output outputs[TOGETHER];
        TreeGroup group;
        size_t longest = 0;
        int n_vectors = MOST_LEAVES + TOGETHER;
        for (int j = 0; j < TOGETHER; j++) {
            group.first_value[j] = static_cast<int64_t>(program_.values.size());
            if (j >= n) {
                program_.values.resize(program_.values.size() + MOST_LEAVES, 0.0);
                continue;
            }
            n_vectors = add_tree(trees[j], n_vectors, outputs[j]);
            outputs[j].selections.back().result = static_cast<uint16_t>(MOST_LEAVES + j);
            longest = std::max(longest, outputs[j].selections.size());
        }
        program_.n_vectors = std::max(program_.n_vectors, n_vectors);
        group.selections.begin = static_cast<int64_t>(program_.selections.size());
        for (size_t k = 0; k < longest; k++)
            for (const Output& output : outputs)
                if (k < output.selections.size()) program_.selections.push_back(output.selections[k]);
        group.selections.end = static_cast<int64_t>(program_.selections.size());
        program_.groups.push_back(group);
    }

    // Returns the number of vectors in use, of which n_vectors are those of other trees.
    int add_tree(int t, int n_vectors, Output& output) {
        const int root = nodes_.first[t];
        std::vector<int> tests;
        for_tests(t, [&](int node) { tests.push_back(node); });
        needed_.assign(nodes_.first[t + 1] - root, 0);
        for (auto node = tests.rbegin(); node != tests.rend(); ++node) {
            const int left = needed_[nodes_.left[*node] - root], right = needed_[nodes_.left[*node] + 1 - root];
            needed_[*node - root] = std::max({left, right, std::min(left, right) + 1});
        }
        const int end = n_vectors + needed_[0] + 1;  // a result never replaces what it is selected from
        for (int vector = n_vectors; vector < end; vector++) output.free.push_back(static_cast<uint16_t>(vector));
        add_selections(root, root, output);
        return end;
    }

    // Selections of a subtree, the side that needs more vectors first. Returns the vector of the result.
    uint16_t add_selections(int root, int node, Output& output) {
        if (nodes_.feature[node] < 0) {
            program_.values.push_back(nodes_.value[node]);
            return static_cast<uint16_t>(output.n_leaves++);
        }
        const int first = nodes_.left[node];
        const bool right_first = needed_[first + 1 - root] > needed_[first - root];
        uint16_t side[2];
        side[right_first] = add_selections(root, first + right_first, output);
        side[!right_first] = add_selections(root, first + !right_first, output);
        assert(!output.free.empty());
        const uint16_t result = output.free.back();
        output.free.pop_back();
        output.selections.push_back(selection(node, side, result));
        for (uint16_t vector : side)
            if (vector >= MOST_LEAVES) output.free.push_back(vector);
        return result;
    }

    Selection selection(int node, const uint16_t* side, uint16_t result) {
        const CodedFeature& f = feature_of(node);
        if (f.categorical) return {f.column[0], category_test(node), side[0], side[1], result, 0};
        const int k = cut_number(f, node), column = f.column[nodes_.missing_left[node] != 0] + k / CUTS_A_COLUMN;
        return {column, -1, side[0], side[1], result, stored(k % CUTS_A_COLUMN)};
    }

    int32_t category_test(int node) {
        constexpr size_t FEW = 16;  // up to here comparing with every run is faster than a table
        CategoryTest test{};
        for (int code = 0; code < N_BINS; code++) {
            const bool left = goes_left(node, code);
            test.right[place_of(code)] = !left;
            if (left && code > 0 && goes_left(node, code - 1))
                test.left.back().second++;
            else if (left)
                test.left.emplace_back(place_of(code), uint8_t{0});
        }
        if (test.left.size() > FEW) test.left.clear();
        program_.tests.push_back(test);
        return static_cast<int32_t>(program_.tests.size()) - 1;
    }
};

inline Program compile(const Nodes& nodes, const std::vector<int64_t>& ends) { return Compiler(nodes, ends).compiled(); }

}  // namespace costboost
