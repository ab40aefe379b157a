// Scores of many rows at a time, by an ensemble that was compiled (compiler.hpp).
//
// The thresholds of each feature are sorted once. In a block of rows, each value is replaced by the number of thresholds below
// it, one byte, and all tests compare bytes:
// - all stumps on a feature are one table, from its byte to the sum of their values;
// - a tree of up to 256 leaves is evaluated from its leaves to its root. The result of a leaf is its number; the result of an
//   inner node is that of one of its children, selected for all rows of the block by comparing vectors of bytes. All nodes
//   are evaluated, but no branch depends on a row, and one instruction evaluates a node for 16 to 64 rows;
// - larger trees are walked row by row.
// Values are added in another order than that of the trees: they lie on a grid on which sums are exact.
#pragma once

#include <array>
#include <memory>

#include "predict.hpp"

namespace costboost {

constexpr int MOST_LEAVES = 256;        // numbers of leaves are bytes
constexpr int CUTS_A_COLUMN = 254;      // 255 codes, and one for missing values
constexpr int WIDE = 256, NARROW = 32;  // rows of a block, of one for few rows
constexpr int TOGETHER = 4;             // trees whose leaf values are added in one pass

// Codes are stored as signed bytes, which all instruction sets compare.
inline int8_t stored(int code) { return static_cast<int8_t>(code - 128); }
inline uint8_t place_of(int code) { return static_cast<uint8_t>(stored(code)); }  // in a table by stored codes

// A feature that is tested: its thresholds, and the columns of bytes that are made of it. If the thresholds are too many for a
// byte, each column counts a run of them. Missing values have the greatest code in columns whose tests send them to the right
// and in those of categories, and the least in columns whose tests send them to the left.
struct CodedFeature {
    int feature;
    bool categorical;
    std::vector<double> cut;  // ascending
    std::vector<float> cut_single;
    int n_runs = 1;
    int column[2] = {-1, -1};  // first of n_runs columns for missing values to the right, to the left; -1 if not needed
    int table = -1;            // first of n_runs tables of stumps

    const double* cuts(double) const { return cut.data(); }
    const float* cuts(float) const { return cut_single.data(); }
};

// The sum of stumps by the stored code of their feature.
using StumpTable = std::array<double, N_BINS>;

// An inner node: result = column > limit ? right : left. Vectors 0 to 255 are constants, the numbers of leaves.
struct Selection {
    int32_t column;
    int32_t category_test;  // -1 for an ordered feature
    uint16_t left, right, result;
    int8_t limit;
};

// Which categories of a column go right.
struct CategoryTest {
    std::vector<std::pair<uint8_t, uint8_t>> left;  // first stored code and length - 1 of each run that goes left, if they are few
    int8_t right[N_BINS];                           // by stored code
};

// Trees that are evaluated together: their selections, in turns, and where the values of their leaves begin. Their results are
// the vectors behind the constants.
struct TreeGroup {
    Range selections;
    int64_t first_value[TOGETHER];
};

// Trees that are added to the same scores.
struct Stage {
    Range trees;    // of the ensemble
    Range groups;   // of the program
    Range walked;   // among the trees that are too large
    double intercept = 0;
};

struct Program {
    Nodes nodes{};
    std::vector<Stage> stages;
    int last_feature = -1;
    std::vector<CodedFeature> features;
    int n_columns = 0;
    std::vector<StumpTable> tables;  // if there is one stage only; else stumps are trees
    std::vector<TreeGroup> groups;
    int n_vectors = MOST_LEAVES + TOGETHER;
    std::vector<Selection> selections;
    std::vector<CategoryTest> tests;
    std::vector<double> values;  // of the leaves
    std::vector<int> walked;     // trees that are too large
};

// ---- codes -----------------------------------------------------------------------------------------------------

// How many of n ascending cuts are below each value; 0 for NaN.
template <typename T, typename Count>
COSTBOOST_INLINE void count_below(const T* cut, int n, const T* v, int m, Count* count) {
    constexpr int FEW = 12;  // up to here comparing with every cut is faster than a search
    for (int i = 0; i < m; i++) count[i] = 0;
    if (n <= FEW) {
        for (int k = 0; k < n; k++) {
            const T at = cut[k];
            for (int i = 0; i < m; i++) count[i] += at < v[i];
        }
        return;
    }
    for (int left = n; left > 0;) {
        const int half = (left + 1) >> 1;
        const T* last = cut + half - 1;
        for (int i = 0; i < m; i++) count[i] += last[count[i]] < v[i] ? half : 0;
        left -= half;
    }
}

constexpr int CODED = 64;  // rows whose values are gathered and coded at a time

// Codes of m values of a feature, in columns that are `rows` bytes long.
template <typename T, typename Count>
COSTBOOST_INLINE void code_any(const CodedFeature& f, const T* v, int m, int8_t* columns, int rows) {
    if (f.categorical) {
        int8_t* out = columns + static_cast<int64_t>(f.column[0]) * rows;
        for (int i = 0; i < m; i++) out[i] = stored(v[i] >= 0 && v[i] < MISSING_BIN ? static_cast<int>(v[i]) : MISSING_BIN);
        return;
    }
    Count count[CODED];
    count_below(f.cuts(T()), static_cast<int>(f.cut.size()), v, m, count);
    bool missing = false;
    for (int i = 0; i < m; i++) missing |= !(v[i] == v[i]);
    for (int side = 0; side < 2; side++) {
        if (f.column[side] < 0) continue;
        for (int run = 0; run < f.n_runs; run++) {
            int8_t* out = columns + static_cast<int64_t>(f.column[side] + run) * rows;
            const Count before = run * CUTS_A_COLUMN;
            if (f.n_runs == 1)
                for (int i = 0; i < m; i++) out[i] = static_cast<int8_t>(count[i] - 128);
            else
                for (int i = 0; i < m; i++)
                    out[i] = stored(static_cast<int>(std::min<Count>(std::max<Count>(count[i] - before, 0), CUTS_A_COLUMN)));
            if (missing)
                for (int i = 0; i < m; i++) out[i] = v[i] == v[i] ? out[i] : stored(side ? 0 : MISSING_BIN);
        }
    }
}

COSTBOOST_DISPATCH inline void code_values(const CodedFeature& f, const double* v, int m, int8_t* columns, int rows) {
    code_any<double, int64_t>(f, v, m, columns, rows);
}
COSTBOOST_DISPATCH inline void code_values(const CodedFeature& f, const float* v, int m, int8_t* columns, int rows) {
    code_any<float, int32_t>(f, v, m, columns, rows);
}

// ---- trees -----------------------------------------------------------------------------------------------------

template <int ROWS>
COSTBOOST_INLINE void test_categories(const CategoryTest& test, const int8_t* __restrict column, int m, int8_t* __restrict out) {
    if (test.left.empty()) {
        for (int i = 0; i < m; i++) out[i] = test.right[static_cast<uint8_t>(column[i])];
        return;
    }
    std::memset(out, 1, ROWS);
    for (const auto& [first, length] : test.left)
        for (int i = 0; i < ROWS; i++) out[i] &= static_cast<uint8_t>(static_cast<uint8_t>(column[i]) - first) > length;
}

template <int ROWS>
COSTBOOST_INLINE void select(const int8_t* __restrict column, int8_t limit, const uint8_t* __restrict left,
                             const uint8_t* __restrict right, uint8_t* __restrict result) {
    for (int i = 0; i < ROWS; i++) {
        const uint8_t l = left[i], r = right[i];  // read in any case, so that the loop has no branch
        result[i] = column[i] > limit ? r : l;
    }
}

// What a block is computed in: columns of codes, vectors of numbers of leaves, and the result of a test of categories.
struct Workspace {
    int8_t* columns;
    uint8_t* vectors;
    int8_t* tested;
};

template <int ROWS>
COSTBOOST_INLINE void add_any_groups(const Program& program, Range groups, const Workspace& space, int m, double* score) {
    const uint8_t* leaf = space.vectors + MOST_LEAVES * ROWS;
    for (int64_t g = groups.begin; g < groups.end; g++) {
        const TreeGroup& group = program.groups[g];
        const Selection* end = program.selections.data() + group.selections.end;
        for (const Selection* node = program.selections.data() + group.selections.begin; node != end; node++) {
            const int8_t* column = space.columns + static_cast<int64_t>(node->column) * ROWS;
            if (node->category_test >= 0) {
                test_categories<ROWS>(program.tests[node->category_test], column, m, space.tested);
                column = space.tested;
            }
            select<ROWS>(column, node->limit, space.vectors + node->left * ROWS, space.vectors + node->right * ROWS,
                         space.vectors + node->result * ROWS);
        }
        const double* value[TOGETHER];
        for (int j = 0; j < TOGETHER; j++) value[j] = program.values.data() + group.first_value[j];
        for (int i = 0; i < m; i++)
            score[i] += (value[0][leaf[i]] + value[1][leaf[ROWS + i]]) + (value[2][leaf[2 * ROWS + i]] + value[3][leaf[3 * ROWS + i]]);
    }
}

COSTBOOST_DISPATCH inline void add_wide_groups(const Program& program, Range groups, const Workspace& space, int m, double* score) {
    add_any_groups<WIDE>(program, groups, space, m, score);
}
COSTBOOST_DISPATCH inline void add_narrow_groups(const Program& program, Range groups, const Workspace& space, int m, double* score) {
    add_any_groups<NARROW>(program, groups, space, m, score);
}

// ---- blocks ----------------------------------------------------------------------------------------------------

// Scores of all rows for each stage.
struct StageScores {
    double* data;
    int64_t stride;  // from one stage to the next
};

// Adds a program to the scores of one block of rows after the other, in memory of its own.
template <typename T>
class Blocks {
  public:
    Blocks(const Program& program, int64_t n_rows)
        : program_(program),
          widest_(n_rows >= LEAST_WIDE && program.n_columns <= MOST_WIDE_COLUMNS ? WIDE : NARROW),
          values_(new T[CODED * FEATURES]),
          bytes_(new uint8_t[ALIGNMENT + widest_ * (int64_t{program.n_columns} + program.n_vectors + 1)]()) {}

    // Returns whether a value that a row was tested for is infinite.
    bool add(const Matrix<T>& x, Range rows, const StageScores& scores) {
        bool infinite = false;
        for (int64_t begin = rows.begin; begin < rows.end;) {
            const int64_t left = rows.end - begin;
            const int length = widest_ == WIDE && left >= LEAST_WIDE ? WIDE : NARROW;
            const int m = static_cast<int>(std::min<int64_t>(left, length));
            lay_out(length);
            const bool any_infinite = code(x, begin, m);
            for (const Stage& stage : program_.stages) {
                double* own = scores.data + (&stage - program_.stages.data()) * scores.stride + begin;
                infinite |= add_stage(stage, x, {begin, begin + m}, own, any_infinite);
            }
            begin += m;
        }
        return infinite;
    }

  private:
    static constexpr int LEAST_WIDE = 97;  // so many rows are faster in one wide block than in narrow ones
    static constexpr int MOST_WIDE_COLUMNS = 4096;
    static constexpr int FEATURES = 64;  // gathered at a time
    static constexpr int ALIGNMENT = 64;

    const Program& program_;
    int widest_, length_ = 0;
    std::unique_ptr<T[]> values_;
    std::unique_ptr<uint8_t[]> bytes_;
    Workspace space_{};

    bool add_stage(const Stage& stage, const Matrix<T>& x, Range rows, double* score, bool any_infinite) {
        const int m = static_cast<int>(rows.size());
        for (int i = 0; i < m; i++) score[i] += stage.intercept;
        if (!program_.tables.empty()) add_stumps(m, score);
        if (stage.groups.size()) (length_ == WIDE ? add_wide_groups : add_narrow_groups)(program_, stage.groups, space_, m, score);
        bool met = false;
        for (int64_t k = stage.walked.begin; k < stage.walked.end; k++)
            for (int i = 0; i < m; i++) score[i] += program_.nodes.value[walk(x, rows.begin + i, program_.nodes, program_.walked[k], met)];
        if (any_infinite && !met)  // of a tree only the tests on the path of a row count
            for (int64_t t = stage.trees.begin; t < stage.trees.end; t++)
                for (int64_t i = rows.begin; i < rows.end; i++) walk(x, i, program_.nodes, static_cast<int>(t), met);
        return met;
    }

    void add_stumps(int m, double* score) const {
        for (const CodedFeature& f : program_.features) {
            if (f.table < 0) continue;
            for (int run = 0; run < f.n_runs; run++) {
                const StumpTable& table = program_.tables[f.table + run];
                const int8_t* column = space_.columns + int64_t{f.column[0] + run} * length_;
                for (int i = 0; i < m; i++) score[i] += table[static_cast<uint8_t>(column[i])];
            }
        }
    }

    void lay_out(int length) {
        if (length == length_) return;
        length_ = length;
        const auto address = reinterpret_cast<uintptr_t>(bytes_.get());
        uint8_t* start = bytes_.get() + (ALIGNMENT - address % ALIGNMENT) % ALIGNMENT;
        space_.vectors = start;
        space_.tested = reinterpret_cast<int8_t*>(start + program_.n_vectors * length);
        space_.columns = space_.tested + length;
        for (int k = 0; k < MOST_LEAVES; k++) std::memset(space_.vectors + k * length, k, length);
        std::memset(space_.vectors + MOST_LEAVES * length, 0, TOGETHER * length);
    }

    // Codes of all features. Returns whether one of the values is infinite.
    bool code(const Matrix<T>& x, int64_t begin, int m) {
        bool infinite = false;
        const int n = static_cast<int>(program_.features.size());
        for (int first = 0; first < n; first += FEATURES) {
            const CodedFeature* f = program_.features.data() + first;
            const int n_together = std::min(FEATURES, n - first);
            for (int at = 0; at < m; at += CODED) {
                const int k = std::min(CODED, m - at);
                // Row by row: in a wide matrix the features of a row share a page, those of a column do not.
                for (int i = 0; i < k; i++)
                    for (int j = 0; j < n_together; j++) values_[j * k + i] = x.at(begin + at + i, f[j].feature);
                infinite |= any_infinite(values_.get(), n_together * k);
                for (int j = 0; j < n_together; j++) code_values(f[j], values_.get() + j * k, k, space_.columns + at, length_);
            }
        }
        return infinite;
    }
};

// Adds the trees of each stage to its scores. Returns whether a value that a row was tested for is infinite.
template <typename T>
bool add_scores(const Program& program, const Matrix<T>& x, const StageScores& scores, int n_threads) {
    std::atomic<bool> infinite{false};
    const int64_t parts = chunk_count(x.n_rows, 4 * WIDE, n_threads);
    for_chunks(parts, n_threads, [&](int64_t chunk, int) {
        const Range rows = Range{0, x.n_rows}.part(chunk, parts);
        if (Blocks<T>(program, rows.size()).add(x, rows, scores)) infinite = true;
    });
    return infinite;
}

}  // namespace costboost
