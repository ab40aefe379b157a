// Exact class histograms. A master weight is a double measured in quanta; what a histogram sums is the weight rounded
// to a whole number of quanta. Integer sums do not depend on order, so neither threads nor shards change a bit of
// them, and an incremental histogram never drifts from the one built anew.
#pragma once

#include <memory>

#include "common.hpp"

namespace costboost {

using Sum = int64_t;

// Threads, and memory in which all but the first add up their own histograms: (n_threads - 1) blocks of zeros, each as large
// as the histogram that is built. A block is zero again after every use.
struct Workers {
    Sum* scratch;
    int n_threads;
};

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

// A histogram: `size` sums, those of class z from z * class_size on.
struct Histogram {
    Sum* sums;
    int64_t class_size, size;

    Histogram(Sum* sums, const Tiles& tiles)
        : sums(sums), class_size(static_cast<int64_t>(tiles.n_features) * N_BINS), size(2 * class_size) {}
    Histogram(Sum* sums, int64_t class_size, int64_t size) : sums(sums), class_size(class_size), size(size) {}
    Sum* of_class(int z) const { return sums + z * class_size; }
};

// Runs work(class, rows, histogram of the class) over the rows of both classes, in chunks. The caller adds to the histogram
// itself, other threads to their scratch, which is then added to it.
// Few rows are left to the caller: a scratch would cost more than they do.
template <typename Work>
void over_rows(const Range (&ranges)[2], const Histogram& histogram, const Workers& workers, Work work) {
    int n_threads = workers.n_threads;
    if (ranges[0].size() + ranges[1].size() <= 4 * N_BINS) n_threads = 1;
    int64_t n_chunks[2];
    for (int z = 0; z < 2; z++) n_chunks[z] = ranges[z].size() ? chunk_count(ranges[z].size(), BLOCK, n_threads) : 0;
    std::vector<char> used(std::max(n_threads, 1), 0);
    for_chunks(n_chunks[0] + n_chunks[1], n_threads, [&](int64_t chunk, int slot) {
        used[slot] = 1;
        const int z = chunk < n_chunks[0] ? 0 : 1;
        Sum* own = slot == 0 ? histogram.sums : workers.scratch + (slot - 1) * histogram.size;
        work(z, ranges[z].part(z ? chunk - n_chunks[0] : chunk, n_chunks[z]), own + z * histogram.class_size);
    });
    for (int slot = 1; slot < n_threads; slot++) {
        if (!used[slot]) continue;
        Sum *from = workers.scratch + (slot - 1) * histogram.size, *to = histogram.sums;
        const int64_t parts = chunk_count(histogram.size, 32768, n_threads);
        for_chunks(parts, n_threads, [&](int64_t chunk, int) {
            const Range part = Range{0, histogram.size}.part(chunk, parts);
            for (int64_t i = part.begin; i < part.end; i++) {
                to[i] += from[i];
                from[i] = 0;
            }
        });
    }
}

// How many rows of each class, or copies of them, fall into each bin: counts 2 x n_features x 256, zero on entry.
inline void count_rows(const Tiles& tiles, const int64_t* copies, Sum* counts, const Workers& workers) {
    const Range ranges[2] = {tiles.rows(0), tiles.rows(1)};
    over_rows(ranges, Histogram(counts, tiles), workers, [&](int, Range rows, Sum* h) {
        const std::vector<Sum> one(block_of(rows), 1);
        for (int64_t a = rows.begin; a < rows.end; a += BLOCK)
            add_to_histogram(tiles, [a](int64_t k) { return a + k; }, copies ? copies + a : one.data(), std::min(BLOCK, rows.end - a), h);
    });
}

// Histograms of all rows of the chosen classes, built from zero.
inline void build_histogram(const Tiles& tiles, const double* weight, const uint8_t (&classes)[2], Sum* sums, const Workers& workers) {
    const Histogram histogram(sums, tiles);
    Range ranges[2];
    for (int z = 0; z < 2; z++) {
        ranges[z] = classes[z] ? tiles.rows(z) : Range{0, 0};
        if (classes[z]) std::fill(histogram.of_class(z), histogram.of_class(z + 1), 0);
    }
    over_rows(ranges, histogram, workers, [&](int, Range rows, Sum* h) {
        Buffer<Sum> space(block_of(rows));
        Sum* amount = space.get();
        for (int64_t a = rows.begin; a < rows.end; a += BLOCK) {
            const int64_t m = std::min(BLOCK, rows.end - a);
            for (int64_t k = 0; k < m; k++) amount[k] = quanta(weight[a + k]);
            add_to_histogram(tiles, [a](int64_t k) { return a + k; }, amount, m, h);
        }
    });
}

// What is summed over the rows of a node: their weights; without weights, copies of rows, or the rows themselves.
struct RowAmounts {
    const double* weight;
    const int64_t* copies;
    Sum of(uint32_t row) const { return weight ? quanta(weight[row]) : copies ? copies[row] : 1; }
};

// Histograms of the listed rows of a node, built from zero.
inline void build_node_histogram(const Tiles& tiles, const RowAmounts& amounts, const NodeRows& node, Sum* sums, const Workers& workers) {
    assert(node.within(tiles.n_rows));
    const Histogram histogram(sums, tiles);
    const Range ranges[2] = {node.run(0), node.run(1)};
    std::fill(sums, sums + histogram.size, 0);
    over_rows(ranges, histogram, workers, [&](int, Range part, Sum* h) {
        Buffer<Sum> space(block_of(part));
        Sum* amount = space.get();
        for (int64_t a = part.begin; a < part.end; a += BLOCK) {
            const int64_t m = std::min(BLOCK, part.end - a);
            const uint32_t* row = node.listed + a;
            for (int64_t k = 0; k < m; k++) amount[k] = amounts.of(row[k]);
            add_to_histogram(tiles, [row](int64_t k) { return static_cast<int64_t>(row[k]); }, amount, m, h);
        }
    });
}

// The sum of a class in quanta stays in this range; outside of it, its weights are scaled again.
constexpr double LEAST_QUANTA = 18014398509481984.0, MOST_QUANTA = 2305843009213693952.0;  // 2^54, 2^61

// The two sides of a split, within one class: rows, quanta, and the factors by which their weights are multiplied.
struct Sides {
    int64_t rows[2], quanta[2];  // left, right
    double factor[2];
};

// How the weights of a class are multiplied. The factor of the side with more rows goes into the value of a quantum, which is
// a number, not a sum; only rows of the other side are visited.
struct ClassChange {
    double unit = 1;          // factor of the value of a quantum
    double ratio = 1;         // factor of the weights of one side, in quanta
    bool left_side = false;   // which side that is
    bool one_side = false;    // whether there is such a side
    bool anew = false;        // whether all weights have to be multiplied and scaled again
};

inline ClassChange class_change(const Sides& sides) {
    ClassChange change;
    const double left = sides.factor[0], right = sides.factor[1];
    if (sides.rows[0] == 0 || sides.rows[1] == 0 || left == right) {
        change.unit = sides.rows[1] == 0 ? left : right;
        return change;
    }
    change.left_side = sides.rows[0] <= sides.rows[1];
    const int visited = change.left_side ? 0 : 1, other = 1 - visited;
    const double small = sides.factor[visited], large = sides.factor[other];
    if (large > 0 && small / large < MOST_QUANTA / 2) {
        change.ratio = small / large;
        const double rest = static_cast<double>(sides.quanta[other]), moved = static_cast<double>(sides.quanta[visited]);
        // rounding may hide up to half a quantum of each row
        const double most = rest + change.ratio * (moved + static_cast<double>(sides.rows[visited]) / 2);
        change.one_side = rest + change.ratio * moved >= LEAST_QUANTA && most <= MOST_QUANTA;
    }
    if (change.one_side) change.unit = large;
    change.anew = !change.one_side;
    return change;
}

// How the weights on one side of a split change, class by class.
struct SideChange {
    int feature;
    uint8_t moved[2][N_BINS];  // 1 where rows of the class in that bin of the feature change
    double ratio[2];
    uint8_t classes[2];  // which classes change at all
};

// Multiplies the weights of the rows whose bin is marked: fills row and amount (the change in quanta) and returns their number.
inline int64_t reweigh_block(const Tiles& tiles, const SideChange& change, int z, Range rows, double* weight, int64_t* row, Sum* amount) {
    const uint8_t* column = tiles.column(change.feature);
    const int64_t stride = tiles.stride(change.feature);
    const uint8_t* marked = change.moved[z];
    const double ratio = change.ratio[z];
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

// Multiplies the weights of the rows on one side of a split and updates the histograms: only the rows that change are visited.
// Many features are divided among the threads by tile: histograms of their own would cost more than the rows.
inline void reweigh_side(const Tiles& tiles, const SideChange& change, double* weight, Sum* sums, const Workers& workers) {
    constexpr int WIDE = 64;  // tiles
    assert(0 <= change.feature && change.feature < tiles.n_features);
    const Histogram histogram(sums, tiles);
    const int n_threads = workers.n_threads;
    Range ranges[2];
    for (int z = 0; z < 2; z++) ranges[z] = change.classes[z] ? tiles.rows(z) : Range{0, 0};
    if (n_threads > 1 && tiles.n_tiles() >= WIDE) {
        for (int z = 0; z < 2; z++) {
            Buffer<int64_t> row_space(ranges[z].size() + 1);
            Buffer<Sum> amount_space(ranges[z].size());
            int64_t* row = row_space.get();
            Sum* amount = amount_space.get();
            const int64_t m = reweigh_block(tiles, change, z, ranges[z], weight, row, amount);
            const int64_t parts = chunk_count(tiles.n_tiles(), 8, n_threads);
            for_chunks(parts, n_threads, [&](int64_t chunk, int) {
                const Range only = Range{0, tiles.n_tiles()}.part(chunk, parts);
                for (int64_t a = 0; a < m; a += BLOCK)
                    add_to_histogram(tiles, [row, a](int64_t k) { return row[a + k]; }, amount + a, std::min(BLOCK, m - a),
                                     histogram.of_class(z), only);
            });
        }
        return;
    }
    over_rows(ranges, histogram, workers, [&](int z, Range rows, Sum* h) {
        Buffer<int64_t> row_space(block_of(rows) + 1);
        Buffer<Sum> amount_space(block_of(rows));
        int64_t* row = row_space.get();
        Sum* amount = amount_space.get();
        for (int64_t a = rows.begin; a < rows.end; a += BLOCK) {
            const Range block{a, std::min(rows.end, a + BLOCK)};
            const int64_t m = reweigh_block(tiles, change, z, block, weight, row, amount);
            add_to_histogram(tiles, [row](int64_t k) { return row[k]; }, amount, m, h);
        }
    });
}

// How all weights change: factors of positives left, right, negatives left, right.
struct Factors {
    Test test;
    double factor[4];
    uint8_t classes[2];  // which classes change at all
};

// Multiplies every weight by the factor of its class and side; histograms are left as they are.
inline void reweigh_all(const Tiles& tiles, const Factors& factors, double* weight, int n_threads) {
    assert(0 <= factors.test.feature && factors.test.feature < tiles.n_features);
    const uint8_t *column = tiles.column(factors.test.feature), *left = factors.test.left;
    const int64_t stride = tiles.stride(factors.test.feature);
    for (int z = 0; z < 2; z++) {
        if (!factors.classes[z]) continue;
        const Range rows = tiles.rows(z);
        const double on_left = factors.factor[2 * z], on_right = factors.factor[2 * z + 1];
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
// spare holds as many rows as the range.
inline int64_t partition_rows(const Tiles& tiles, const Test& test, Range range, uint32_t* rows, uint32_t* spare) {
    assert(0 <= test.feature && test.feature < tiles.n_features && range.size() >= 0);
    const uint8_t *column = tiles.column(test.feature), *left = test.left;
    const int64_t stride = tiles.stride(test.feature);
    int64_t l = range.begin, r = 0;
    auto put = [&](int64_t k) {
        const uint32_t row = rows[range.begin + k];
        assert(row < tiles.n_rows);
        const uint8_t goes_left = left[column[row * stride]];
        rows[l] = row;  // overwritten unless it stays
        spare[r] = row;
        l += goes_left;
        r += 1 - goes_left;
    };
    over_scattered(range.size(), ListedRows{rows + range.begin}, [=](int64_t row) { prefetch(column + row * stride); }, put);
    std::copy(spare, spare + r, rows + l);
    return l;
}

}  // namespace costboost
