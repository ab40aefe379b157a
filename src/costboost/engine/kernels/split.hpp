// A split, and what a search for one is given.
#pragma once

#include "criterion.hpp"

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

struct SearchInput {
    const int64_t* histogram;  // 2 x n_features x 256
    Features features;
    double unit[2];  // worth of a quantum of each class
    Criterion criterion;
    const RowCounts* counts = nullptr;  // none where min_samples_leaf is 1
    int64_t min_samples_leaf = 1;
    uint8_t* hopeless = nullptr;  // features to leave out; those whose splits all leave a side too few rows are added
    const uint8_t* allowed = nullptr;  // which features compete; all of them where it is null

    const int64_t* bins(int z, int f) const { return histogram + (static_cast<int64_t>(z) * features.n + f) * N_BINS; }
};

}  // namespace costboost
