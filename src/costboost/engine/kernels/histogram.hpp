// Exact class histograms. A master weight is a double measured in quanta; what a histogram sums is the weight rounded
// to a whole number of quanta. Integer sums do not depend on order, so neither threads nor shards change a bit of
// them, and an incremental histogram never drifts from the one built anew.
#pragma once

#include <memory>

#include "common.hpp"

namespace costboost {

using Sum = int64_t;

inline Sum quanta(double weight) { return std::llrint(weight); }

// Working space for one block of rows; not initialised, because for few rows that would cost more than the work.
template <typename T>
class Buffer {
  public:
    explicit Buffer(int64_t n) : data_(new T[static_cast<size_t>(std::max<int64_t>(n, 1))]) {}
    T* get() { return data_.get(); }

  private:
    std::unique_ptr<T[]> data_;
};

inline int64_t block_of(Range rows) { return std::min(BLOCK, rows.size()); }

template <int WIDTH, typename RowOf>
inline void add_to_tile(const uint8_t* tile, RowOf row_of, const Sum* amount, int64_t m, Sum* histogram) {
    for (int64_t k = 0; k < m; k++) {
        uint64_t bins;
        std::memcpy(&bins, tile + row_of(k) * WIDTH, 8);
        const Sum a = amount[k];
        for (int f = 0; f < WIDTH; f++) histogram[f * N_BINS + ((bins >> (8 * f)) & 255)] += a;
    }
}

// Adds amounts to the histogram (n_features x 256) of the class, tile by tile.
template <typename RowOf>
inline void add_to_histogram(const Tiles& tiles, RowOf row_of, const Sum* amount, int64_t m, Sum* histogram, Range only) {
    if (m == 0) return;
    for (int t = static_cast<int>(only.begin); t < only.end; t++) {
        const uint8_t* tile = tiles.tile(t);
        Sum* h = histogram + static_cast<int64_t>(t) * TILE * N_BINS;
        with_width(tiles.width(t), [=](auto width) { add_to_tile<decltype(width)::value>(tile, row_of, amount, m, h); });
    }
}

template <typename RowOf>
inline void add_to_histogram(const Tiles& tiles, RowOf row_of, const Sum* amount, int64_t m, Sum* histogram) {
    add_to_histogram(tiles, row_of, amount, m, histogram, {0, tiles.n_tiles()});
}

// Runs work(class, rows, histogram) over the rows of both classes, in chunks. The caller adds to the histogram itself,
// other threads to a scratch of their own, which is then folded in and left zero for the next time.
// Few rows are left to the caller: a scratch would cost more than they do.
// histogram: `size` sums, those of class z from z * class_size on; scratch: (n_threads - 1) such blocks, all zero.
template <typename Work>
void over_rows(const Range (&ranges)[2], int64_t class_size, int64_t size, Sum* histogram, Sum* scratch, int n_threads, Work work) {
    if (ranges[0].size() + ranges[1].size() <= 4 * N_BINS) n_threads = 1;
    int64_t n_chunks[2];
    for (int z = 0; z < 2; z++) n_chunks[z] = ranges[z].size() ? chunk_count(ranges[z].size(), BLOCK, n_threads) : 0;
    std::vector<char> used(std::max(n_threads, 1), 0);
    for_chunks(n_chunks[0] + n_chunks[1], n_threads, [&](int64_t chunk, int slot) {
        used[slot] = 1;
        const int z = chunk < n_chunks[0] ? 0 : 1;
        Sum* own = slot == 0 ? histogram : scratch + (slot - 1) * size;
        work(z, ranges[z].part(z ? chunk - n_chunks[0] : chunk, n_chunks[z]), own + z * class_size);
    });
    for (int slot = 1; slot < n_threads; slot++) {
        if (!used[slot]) continue;
        Sum* from = scratch + (slot - 1) * size;
        const int64_t parts = chunk_count(size, 32768, n_threads);
        for_chunks(parts, n_threads, [&](int64_t chunk, int) {
            const Range part = Range{0, size}.part(chunk, parts);
            for (int64_t i = part.begin; i < part.end; i++) {
                histogram[i] += from[i];
                from[i] = 0;
            }
        });
    }
}

// How many rows of each class, or copies of them, fall into each bin: counts 2 x n_features x 256, zero on entry.
inline void count_rows(const Tiles& tiles, const int64_t* copies, Sum* counts, Sum* scratch, int n_threads) {
    const Range ranges[2] = {tiles.rows(0), tiles.rows(1)};
    const int64_t class_size = static_cast<int64_t>(tiles.n_features) * N_BINS;
    over_rows(ranges, class_size, 2 * class_size, counts, scratch, n_threads,
              [&](int, Range rows, Sum* h) {
                  const std::vector<Sum> one(block_of(rows), 1);
                  for (int64_t a = rows.begin; a < rows.end; a += BLOCK)
                      add_to_histogram(tiles, [a](int64_t k) { return a + k; }, copies ? copies + a : one.data(),
                                       std::min(BLOCK, rows.end - a), h);
              });
}

// Histograms of all rows of the classes asked for, built anew (those blocks are zeroed first).
inline void build_histogram(const Tiles& tiles, const double* weight, const uint8_t (&classes)[2], Sum* histogram,
                            Sum* scratch, int n_threads) {
    const int64_t class_size = static_cast<int64_t>(tiles.n_features) * N_BINS;
    Range ranges[2];
    for (int z = 0; z < 2; z++) {
        ranges[z] = classes[z] ? tiles.rows(z) : Range{0, 0};
        if (classes[z]) std::fill(histogram + z * class_size, histogram + (z + 1) * class_size, 0);
    }
    over_rows(ranges, class_size, 2 * class_size, histogram, scratch, n_threads, [&](int, Range rows, Sum* h) {
        Buffer<Sum> space(block_of(rows));
        Sum* amount = space.get();
        for (int64_t a = rows.begin; a < rows.end; a += BLOCK) {
            const int64_t m = std::min(BLOCK, rows.end - a);
            for (int64_t k = 0; k < m; k++) amount[k] = quanta(weight[a + k]);
            add_to_histogram(tiles, [a](int64_t k) { return a + k; }, amount, m, h);
        }
    });
}

// Histograms of the listed rows (positives first), built anew: a tree's node. Without weights the rows are counted, or
// copies of them.
inline void build_node_histogram(const Tiles& tiles, const double* weight, const int64_t* copies, const uint32_t* rows,
                                 const int64_t (&bounds)[4], Sum* histogram, Sum* scratch, int n_threads) {
    const int64_t class_size = static_cast<int64_t>(tiles.n_features) * N_BINS;
    const Range ranges[2] = {{bounds[0], bounds[1]}, {bounds[2], bounds[3]}};
    std::fill(histogram, histogram + 2 * class_size, 0);
    over_rows(ranges, class_size, 2 * class_size, histogram, scratch, n_threads, [&](int, Range part, Sum* h) {
        Buffer<Sum> space(block_of(part));
        Sum* amount = space.get();
        for (int64_t a = part.begin; a < part.end; a += BLOCK) {
            const int64_t m = std::min(BLOCK, part.end - a);
            const uint32_t* row = rows + a;
            for (int64_t k = 0; k < m; k++) amount[k] = weight ? quanta(weight[row[k]]) : copies ? copies[row[k]] : 1;
            add_to_histogram(tiles, [row](int64_t k) { return static_cast<int64_t>(row[k]); }, amount, m, h);
        }
    });
}

// The rows of a block whose bin is marked, their weights multiplied: fills row and amount (the change in quanta).
inline int64_t reweigh_block(const uint8_t* column, int64_t stride, const uint8_t* marked, Range rows, double ratio, double* weight,
                             int64_t* row, Sum* amount) {
    int64_t m = 0;
    for (int64_t i = rows.begin; i < rows.end; i++) {
        row[m] = i;
        m += marked[column[i * stride]];
    }
    for (int64_t k = 0; k < m; k++) {
        const double before = weight[row[k]], after = before * ratio;
        weight[row[k]] = after;
        amount[k] = quanta(after) - quanta(before);
    }
    return m;
}

// Multiplies the weights of the rows on one side of a split, class by class, and moves the histograms along: only the
// rows that changed are visited. moved[z][bin]: 1 where rows of class z in that bin (of the split's feature) change.
// Many features are cut among the threads by tile: histograms of their own would cost more than the rows.
inline void reweigh_side(const Tiles& tiles, int feature, const uint8_t (*moved)[N_BINS], const double (&ratio)[2],
                         const uint8_t (&classes)[2], double* weight, Sum* histogram, Sum* scratch, int n_threads) {
    constexpr int WIDE = 64;  // tiles
    Range ranges[2];
    for (int z = 0; z < 2; z++) ranges[z] = classes[z] ? tiles.rows(z) : Range{0, 0};
    const uint8_t* column = tiles.column(feature);
    const int64_t stride = tiles.stride(feature), class_size = static_cast<int64_t>(tiles.n_features) * N_BINS;
    if (n_threads > 1 && tiles.n_tiles() >= WIDE) {
        for (int z = 0; z < 2; z++) {
            Buffer<int64_t> row_space(ranges[z].size() + 1);
            Buffer<Sum> amount_space(ranges[z].size());
            int64_t* row = row_space.get();
            Sum* amount = amount_space.get();
            const int64_t m = reweigh_block(column, stride, moved[z], ranges[z], ratio[z], weight, row, amount);
            const int64_t parts = chunk_count(tiles.n_tiles(), 8, n_threads);
            for_chunks(parts, n_threads, [&](int64_t chunk, int) {
                const Range only = Range{0, tiles.n_tiles()}.part(chunk, parts);
                for (int64_t a = 0; a < m; a += BLOCK)
                    add_to_histogram(tiles, [row, a](int64_t k) { return row[a + k]; }, amount + a, std::min(BLOCK, m - a),
                                     histogram + z * class_size, only);
            });
        }
        return;
    }
    over_rows(ranges, class_size, 2 * class_size, histogram, scratch, n_threads, [&](int z, Range rows, Sum* h) {
        Buffer<int64_t> row_space(block_of(rows) + 1);
        Buffer<Sum> amount_space(block_of(rows));
        int64_t* row = row_space.get();
        Sum* amount = amount_space.get();
        for (int64_t a = rows.begin; a < rows.end; a += BLOCK) {
            const Range block{a, std::min(rows.end, a + BLOCK)};
            const int64_t m = reweigh_block(column, stride, moved[z], block, ratio[z], weight, row, amount);
            add_to_histogram(tiles, [row](int64_t k) { return row[k]; }, amount, m, h);
        }
    });
}

// Multiplies every weight by its (class, side) factor; the histograms are left for build_histogram.
inline void reweigh_all(const Tiles& tiles, int feature, const uint8_t* left, const double (&factor)[4],
                        const uint8_t (&classes)[2], double* weight, int n_threads) {
    const uint8_t* column = tiles.column(feature);
    const int64_t stride = tiles.stride(feature);
    for (int z = 0; z < 2; z++) {
        if (!classes[z]) continue;
        const Range rows = tiles.rows(z);
        const double on_left = factor[2 * z], on_right = factor[2 * z + 1];
        const int64_t parts = chunk_count(rows.size(), BLOCK, n_threads);
        for_chunks(parts, n_threads, [&](int64_t chunk, int) {
            const Range part = rows.part(chunk, parts);
            for (int64_t i = part.begin; i < part.end; i++) weight[i] *= left[column[i * stride]] ? on_left : on_right;
        });
    }
}

// Multiplies the weights of the listed rows by one factor: a leaf of a tree.
inline void reweigh_rows(const uint32_t* rows, Range range, double factor, double* weight) {
    for (int64_t k = range.begin; k < range.end; k++) weight[rows[k]] *= factor;
}

// Stable partition of a node's rows of one class: those that go left first. Returns where the right ones begin.
inline int64_t partition_rows(const Tiles& tiles, int feature, const uint8_t* left, Range range, uint32_t* rows,
                              uint32_t* spare) {
    const uint8_t* column = tiles.column(feature);
    const int64_t stride = tiles.stride(feature);
    int64_t l = range.begin, r = 0;
    for (int64_t k = range.begin; k < range.end; k++) {
        const uint32_t row = rows[k];
        const uint8_t goes_left = left[column[row * stride]];
        rows[l] = row;  // overwritten unless it stays
        spare[r] = row;
        l += goes_left;
        r += 1 - goes_left;
    }
    std::copy(spare, spare + r, rows + l);
    return l;
}

}  // namespace costboost
