// A split, and what a search for one is given.
#pragma once

#include "criterion.hpp"
#include "words.hpp"

namespace costboost {

struct Split {
    int feature = -1;  // -1: a constant, all rows on the right
    int bin = 0;       // bins up to this one go left (ordered features)
    int polarity = 1;  // the vote of the right side, where sides vote
    int missing_left = 0;
    double value = std::numeric_limits<double>::infinity();
    int64_t cell[4] = {0, 0, 0, 0};  // quanta of positives left, right, negatives left, right
    uint8_t left[N_BINS] = {0};      // which bins go left, the missing one included
};

// Counts the rows in each bin of a feature, for splits that must leave enough of them on either side.
struct RowCounts {
    // Fills rows[0], ..., rows[n_bins - 1] and rows[MISSING_BIN].
    virtual void of(int feature, int n_bins, int64_t* rows) const = 0;
    // Whether that takes less time than to evaluate as many splits.
    virtual bool cheap(int n_bins) const = 0;
    // The rows in each bin, if they have been counted.
    virtual const uint32_t* counted(int) const { return nullptr; }
    virtual ~RowCounts() = default;
};

// From a table of both classes, laid out as a histogram.
struct CountTable : RowCounts {
    CountTable(const int64_t* counts, int n_features) : counts_(counts), n_features_(n_features) {}
    void of(int feature, int n_bins, int64_t* rows) const override {
        const int64_t* p = counts_ + static_cast<int64_t>(feature) * N_BINS;
        const int64_t* q = p + static_cast<int64_t>(n_features_) * N_BINS;
        for (int b = 0; b < n_bins; b++) rows[b] = p[b] + q[b];
        rows[MISSING_BIN] = p[MISSING_BIN] + q[MISSING_BIN];
    }
    bool cheap(int) const override { return true; }

  private:
    const int64_t* counts_;
    int n_features_;
};

// A cut of an ordered feature: both sums, and the rows or their copies, left of it, of all present values, and of missing ones.
struct Cut {
    int bin = -1;  // the last one on the left; -1 if there is no cut
    int64_t left[2] = {0, 0}, present[2] = {0, 0}, missing[2] = {0, 0};
    int64_t rows_left = 0, rows_present = 0, rows_missing = 0;
};

// Sums of the rows of a node, for one feature at a time, where there is no histogram.
struct NodeSums {
    // Both sums of each bin side by side: of the first n_bins and of MISSING_BIN.
    virtual void of(int feature, int n_bins, int64_t* pairs) const = 0;
    // The cut that belongs to a random number.
    virtual Cut cut(int feature, uint64_t number) const = 0;
    virtual ~NodeSums() = default;
};

// One of the positions between the first and the last bin with any weight, all being equally probable.
inline int drawn_between(int64_t first, int64_t last, uint64_t number) {
    return static_cast<int>(first + static_cast<int64_t>(number % static_cast<uint64_t>(last - first)));
}

// One of the two sums of a feature's bins.
struct BinSums {
    const int64_t* first;
    int stride;
    const Word* words = nullptr;  // where both sums are in one
    int half = 0;
    int64_t operator[](int bin) const {
        if (words) return half == 0 ? response_of(words[bin]) : weight_of(words[bin]);
        return first[bin * stride];
    }
};

struct SearchInput {
    const int64_t* histogram = nullptr;  // 2 x n_features x 256, or n_features x 256 x 2 where both sums of a bin lie side by side
    Features features;
    double unit[2];  // worth of a quantum of each class
    Criterion criterion;
    const RowCounts* counts = nullptr;  // none where min_samples_leaf is 1
    int64_t min_samples_leaf = 1;
    uint8_t* hopeless = nullptr;  // features to leave out; those whose splits all leave a side too few rows are added
    const uint8_t* allowed = nullptr;  // which features compete; all of them where it is null
    Bounds bounds;  // of the levels of both sides
    bool side_by_side = false;
    const Word* words = nullptr;  // of a regression of few rows: the sums of n_features x 256 bins, instead of a histogram
    int64_t heaviest = 0;  // of a regression: no row has a greater weight, in quanta; 0 if that is not known
    bool draws_cuts = false;           // whether one position of each feature competes, drawn by the key
    uint64_t cut_key = 0;
    const NodeSums* rows = nullptr;  // of a node without a histogram, whose cuts are drawn
    const int64_t* total = nullptr;  // both sums over all rows, where they are known

    const int64_t* bins(int z, int f) const {
        assert(!side_by_side);
        return histogram + (static_cast<int64_t>(z) * features.n + f) * N_BINS;
    }
    BinSums sums(int z, int f) const {
        if (words) return {nullptr, 0, words + static_cast<int64_t>(f) * N_BINS, z};
        if (!side_by_side) return {bins(z, f), 1};
        return {histogram + static_cast<int64_t>(f) * N_BINS * 2 + z, 2};
    }
};

}  // namespace costboost
