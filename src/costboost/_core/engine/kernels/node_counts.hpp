// How many rows of a node, or copies of them, are in each bin of a feature, for splits that must leave enough on either side.
#pragma once

#include "split.hpp"

namespace costboost {

// Counts the rows of a node, or copies of them.
struct NodeCounts : RowCounts {
    NodeCounts(const Tiles& tiles, const int64_t* copies, const NodeRows& node) : tiles_(tiles), copies_(copies), node_(node) {}
    void of(int feature, int n_bins, int64_t* rows) const override {
        const uint8_t* column = tiles_.column(feature);
        const int64_t stride = tiles_.stride(feature);
        if (copies_) return add_copies(column, stride, n_bins, rows);
        int64_t other[N_BINS];  // every second row, or each would wait for the one before
        for (int64_t* count : {rows, other}) {
            std::fill(count, count + n_bins, 0);
            count[MISSING_BIN] = 0;
        }
        const uint32_t* order = node_.listed;
        for (int z = 0; z < 2; z++) {
            const int64_t end = node_.run(z).end;
            int64_t i = node_.run(z).begin;
            for (; i + 2 <= end; i += 2) {
                rows[column[order[i] * stride]]++;
                other[column[order[i + 1] * stride]]++;
            }
            if (i < end) rows[column[order[i] * stride]]++;
        }
        for (int b = 0; b < n_bins; b++) rows[b] += other[b];
        rows[MISSING_BIN] += other[MISSING_BIN];
    }
    bool cheap(int n_bins) const override { return node_.size() <= n_bins; }

  private:
    const Tiles& tiles_;
    const int64_t* copies_;
    const NodeRows node_;

    void add_copies(const uint8_t* column, int64_t stride, int n_bins, int64_t* rows) const {
        std::fill(rows, rows + n_bins, 0);
        rows[MISSING_BIN] = 0;
        const uint32_t* order = node_.listed;
        for (int z = 0; z < 2; z++)
            for (int64_t i = node_.run(z).begin; i < node_.run(z).end; i++) rows[column[order[i] * stride]] += copies_[order[i]];
    }
};

// The rows of a node that have been counted in every bin.
struct KnownCounts : RowCounts {
    explicit KnownCounts(const uint32_t* counts) : counts_(counts) {}
    void of(int feature, int n_bins, int64_t* rows) const override {
        const uint32_t* count = counted(feature);
        std::copy(count, count + n_bins, rows);
        rows[MISSING_BIN] = count[MISSING_BIN];
    }
    bool cheap(int) const override { return true; }
    const uint32_t* counted(int feature) const override { return counts_ + static_cast<int64_t>(feature) * N_BINS; }

  private:
    const uint32_t* counts_;
};

// Counts the listed rows of a node in every bin of every feature: n_features x 256.
inline void count_rows_in_bins(const Tiles& tiles, const NodeRows& node, uint32_t* counts) {
    std::fill(counts, counts + static_cast<int64_t>(tiles.n_features) * N_BINS, 0);
    for (int t = 0; t < tiles.n_tiles(); t++, counts += TILE * N_BINS) {
        const uint8_t* tile = tiles.tile(t);
        with_width(tiles.width(t), [&](auto width) {
            for (int z = 0; z < 2; z++)
                for (int64_t k = node.run(z).begin; k < node.run(z).end; k++) {
                    uint64_t bins;
                    std::memcpy(&bins, tile + node.listed[k] * static_cast<int64_t>(width), 8);
                    for (int f = 0; f < width; f++) counts[f * N_BINS + ((bins >> (8 * f)) & 255)]++;
                }
        });
    }
}

}  // namespace costboost
