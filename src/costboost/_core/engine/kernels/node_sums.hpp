// Sums of the few rows of a node by the rows themselves, without a histogram: where cuts are drawn, only few features are asked for,
// and only one cut of each.
#pragma once

#include "regression.hpp"
#include "split.hpp"

namespace costboost {

// Bins from the first to the last one.
struct BinRange {
    uint8_t first, last;
    bool has(uint8_t bin) const { return static_cast<uint8_t>(bin - first) <= static_cast<uint8_t>(last - first); }
};
constexpr BinRange MISSING_ONLY{MISSING_BIN, MISSING_BIN};

// Both amounts of the rows whose bins are in a range, and how many rows these are.
struct RangeSums {
    int64_t amount[2], rows;
};
COSTBOOST_DISPATCH inline RangeSums sums_in_range(const uint8_t* bins, const int64_t* first, const int64_t* second, int64_t m, BinRange range) {
    RangeSums sums{{0, 0}, 0};
    for (int64_t k = 0; k < m; k++) {
        const int64_t within = range.has(bins[k]) ? -1 : 0;
        sums.amount[0] += first[k] & within;
        sums.amount[1] += second[k] & within;
        sums.rows -= within;
    }
    return sums;
}

// The least and the greatest bin of some rows that is not the missing one (the first is greater if there is none), and whether some
// values are missing.
struct PresentBins {
    BinRange range;
    bool some_missing;
};
COSTBOOST_DISPATCH inline PresentBins present_bins(const uint8_t* bins, int64_t m) {
    uint8_t least = MISSING_BIN, greatest = 0, after_greatest = 0;
    for (int64_t k = 0; k < m; k++) {
        const uint8_t after = static_cast<uint8_t>(bins[k] + 1);  // of the missing one it is 0
        least = std::min(least, bins[k]);
        greatest = std::max(greatest, bins[k]);
        after_greatest = std::max(after_greatest, after);
    }
    return {{least, static_cast<uint8_t>(after_greatest - 1)}, greatest == MISSING_BIN};
}

// The rows of a node, at most MOST: their amounts, gathered once.
class FewRows : public NodeSums {
  public:
    static constexpr int64_t MOST = WORD_ROWS;

    FewRows(const Tiles& tiles, int64_t n_rows) : tiles_(tiles) {
        const size_t most = static_cast<size_t>(std::min(MOST, n_rows));
        row_.resize(most);
        for (std::vector<int64_t>& amount : amount_) amount.resize(most);
    }

    // Takes the rows of a node, both sums of which are given by amounts_of(row, class, out). Of a
    // regression only the second one is a weight.
    template <typename AmountsOf>
    void take(const NodeRows& node, AmountsOf amounts_of, const int64_t* copies, bool both_are_weights) {
        assert(node.size() <= MOST);
        n_ = 0;
        total_[0] = total_[1] = 0;
        bool weightless = false;
        for (int z = 0; z < 2; z++)
            for (int64_t i = node.run(z).begin; i < node.run(z).end; i++, n_++) {
                const uint32_t row = node.listed[i];
                int64_t amount[2];
                amounts_of(row, z, amount);
                row_[n_] = row;
                for (int k = 0; k < 2; k++) total_[k] += amount_[k][n_] = amount[k];
                weightless |= (both_are_weights ? amount[0] : 0) + amount[1] == 0;
            }
        weightless_.clear();
        if (weightless)
            for (int64_t k = 0; k < n_; k++) weightless_.push_back((both_are_weights ? amount_[0][k] : 0) + amount_[1][k] == 0);
        copies_.clear();
        n_copies_ = copies ? 0 : n_;
        for (int64_t k = 0; copies && k < n_; k++) {
            copies_.push_back(copies[row_[k]]);
            n_copies_ += copies_.back();
        }
    }

    const int64_t* total() const { return total_; }

    void of(int feature, int n_bins, int64_t* pairs) const override {
        std::fill(pairs, pairs + 2 * n_bins, 0);
        std::fill(pairs + 2 * MISSING_BIN, pairs + 2 * N_BINS, 0);
        const uint8_t* column = tiles_.column(feature);
        const int64_t stride = tiles_.stride(feature);
        for (int64_t k = 0; k < n_; k++) {
            int64_t* sums = pairs + 2 * column[row_[k] * stride];
            sums[0] += amount_[0][k];
            sums[1] += amount_[1][k];
        }
    }

    Cut cut(int feature, uint64_t number) const override {
        uint8_t bins[MOST];
        const uint8_t* column = tiles_.column(feature);
        const int64_t stride = tiles_.stride(feature);
        for (int64_t k = 0; k < n_; k++) bins[k] = column[row_[k] * stride];
        const PresentBins present = present_bins(bins, n_);
        const BinRange heavy = weightless_.empty() ? present.range : bins_with_weight(bins);
        Cut cut;
        if (heavy.first >= heavy.last || heavy.first == MISSING_BIN) return cut;
        cut.bin = drawn_between(heavy.first, heavy.last, number);
        const RangeSums left = sums(bins, {0, static_cast<uint8_t>(cut.bin)});
        const RangeSums missing = present.some_missing ? sums(bins, MISSING_ONLY) : RangeSums{{0, 0}, 0};
        for (int z = 0; z < 2; z++) {
            cut.left[z] = left.amount[z];
            cut.missing[z] = missing.amount[z];
            cut.present[z] = total_[z] - missing.amount[z];
        }
        cut.rows_left = left.rows;
        cut.rows_missing = missing.rows;
        cut.rows_present = n_copies_ - missing.rows;
        return cut;
    }

  private:
    Tiles tiles_;
    int64_t n_ = 0, n_copies_ = 0;
    std::vector<uint32_t> row_;
    std::vector<int64_t> amount_[2];
    std::vector<int64_t> copies_;      // of the rows, where they are counted
    std::vector<uint8_t> weightless_;  // which rows are, where some are
    int64_t total_[2];

    // Where rows have copies, these are counted.
    RangeSums sums(const uint8_t* bins, BinRange range) const {
        RangeSums found = sums_in_range(bins, amount_[0].data(), amount_[1].data(), n_, range);
        if (copies_.empty()) return found;
        found.rows = 0;
        for (int64_t k = 0; k < n_; k++) found.rows += range.has(bins[k]) ? copies_[k] : 0;
        return found;
    }

    BinRange bins_with_weight(const uint8_t* bins) const {
        BinRange found{MISSING_BIN, 0};
        for (int64_t k = 0; k < n_; k++) {
            if (weightless_[k] || bins[k] == MISSING_BIN) continue;
            found = {std::min(found.first, bins[k]), std::max(found.last, bins[k])};
        }
        return found;
    }
};

}  // namespace costboost
