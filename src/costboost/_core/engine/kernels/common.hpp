// What every kernel assumes: how rows, classes, bins and tiles lie in memory.
//
// The machine is little-endian, because eight bins are read as one number whose lowest byte is the first. There are fewer
// than 2^32 rows, because rows are listed by 32-bit numbers; the binding checks that where rows are made. The binding also
// checks once per call that the arrays it passes fit together; in a debug build (without NDEBUG) kernels assert it again.
//
// Rows are partitioned by class: positives are rows [0, n_positive), negatives follow. Bins are bytes, stored in
// tiles of eight features: a tile holds one run of `width` bytes a row, so that one 8-byte load brings eight features
// and the tile's histogram (8 x 256 x 8 bytes) stays in the first-level cache. The last tile is only as wide as the
// features it has, so that the bins take exactly one byte a row and feature.
#pragma once

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

#include "parallel.hpp"
#include "portable.hpp"

namespace costboost {

constexpr int64_t MOST_ROWS = (int64_t{1} << 32) - 1;

constexpr int N_BINS = 256;       // 255 for present values, the last one for missing values
constexpr int MISSING_BIN = 255;
constexpr int TILE = 8;           // features a tile
constexpr int TILE_PADDING = 8;   // bytes behind the last tile that an 8-byte load may touch
constexpr int64_t BLOCK = 4096;   // rows worked on at a time: their lists and deltas stay in the second-level cache

struct Range {
    int64_t begin, end;
    int64_t size() const { return end - begin; }
    bool within(int64_t n) const { return 0 <= begin && begin <= end && end <= n; }
    Range part(int64_t k, int64_t of) const { return {begin + size() * k / of, begin + size() * (k + 1) / of}; }
};

// How many chunks to cut n units of work into: several a thread, so that no thread waits for a slow one, none too small.
inline int64_t chunk_count(int64_t n, int64_t least, int n_threads) {
    return std::max<int64_t>(1, std::min<int64_t>(n / least, n_threads > 1 ? 4 * n_threads : 1));
}

template <typename Byte>
struct TileView {
    Byte* bytes;
    int64_t n_rows;
    int64_t n_positive;
    int n_features;

    int n_tiles() const { return (n_features + TILE - 1) / TILE; }
    int width(int tile) const { return std::min(TILE, n_features - tile * TILE); }
    Byte* tile(int t) const { return bytes + static_cast<int64_t>(t) * TILE * n_rows; }
    Byte* column(int feature) const { return tile(feature / TILE) + feature % TILE; }
    int stride(int feature) const { return width(feature / TILE); }
    Range rows(int class_index) const { return class_index == 0 ? Range{0, n_positive} : Range{n_positive, n_rows}; }
};

// Work with the width of a tile as a constant, so that its loop over features is unrolled.
template <typename Work>
inline void with_width(int width, Work work) {
    switch (width) {
        case 8: return work(std::integral_constant<int, 8>());
        case 7: return work(std::integral_constant<int, 7>());
        case 6: return work(std::integral_constant<int, 6>());
        case 5: return work(std::integral_constant<int, 5>());
        case 4: return work(std::integral_constant<int, 4>());
        case 3: return work(std::integral_constant<int, 3>());
        case 2: return work(std::integral_constant<int, 2>());
        default: return work(std::integral_constant<int, 1>());
    }
}

using Tiles = TileView<const uint8_t>;
using MutableTiles = TileView<uint8_t>;

// Bins of each feature, not counting the one for missing values, and whether they are categories. Draws depend on the places of features
// among those that vary, so that constant ones have no influence.
struct Features {
    int n;
    const int32_t* n_bins;
    const uint8_t* categorical;
    const int8_t* monotone = nullptr;  // 1 where greater values must not lower the score, -1 where they must not raise it; null: 0 for all
    const int32_t* places = nullptr;   // -1 for a constant feature; null: all vary
    int n_places = 0;

    int n_varying() const { return places ? n_places : n; }
    bool varies(int feature) const { return !places || places[feature] >= 0; }
    uint64_t place(int feature) const { return static_cast<uint64_t>(places ? places[feature] : feature); }
    int direction(int feature) const { return monotone ? monotone[feature] : 0; }
};

// The bins of a feature that go left: 256 flags, the last one for missing values.
struct Test {
    int feature;
    const uint8_t* left;
};

// The rows of a node: two runs, positives and negatives, in a list of rows; of all rows where there is no list.
struct NodeRows {
    const uint32_t* listed;
    int64_t bounds[4];

    Range run(int z) const { return {bounds[2 * z], bounds[2 * z + 1]}; }
    int64_t size() const { return run(0).size() + run(1).size(); }
    bool within(int64_t n_rows) const { return run(0).within(n_rows) && run(1).within(n_rows); }
};

// The rows that are worked on: those of a list, or the ones from the first on.
struct ListedRows {
    const uint32_t* row;
    int64_t operator()(int64_t k) const { return row[k]; }
};
struct FollowingRows {
    int64_t first;
    int64_t operator()(int64_t k) const { return first + k; }
};

// Calls work(k) for the first m rows. Those of a list lie far apart: fetch(row) is called some rows ahead.
template <typename Fetch, typename Work>
COSTBOOST_INLINE void over_scattered(int64_t m, const ListedRows& rows, Fetch fetch, Work work) {
    constexpr int64_t AHEAD = 24;
    int64_t k = 0;
    for (; k + AHEAD < m; k++) {
        fetch(rows(k + AHEAD));
        work(k);
    }
    for (; k < m; k++) work(k);
}
template <typename Fetch, typename Work>
COSTBOOST_INLINE void over_scattered(int64_t m, const FollowingRows&, Fetch, Work work) {
    for (int64_t k = 0; k < m; k++) work(k);
}

// Response times weight, and weight, of every row of a regression; quanta are made of each by multiplying with its scale.
struct Responses {
    const double *response, *weight;
    double scale[2];
};

// Amounts of n rows are scaled so that n times the greatest is below 2^62. Of so many rows each is below 2^51 ...
constexpr int64_t MANY_ROWS = 2048;

// ... and rounded to a whole number by adding 1.5 x 2^52, which leaves it in the lower bits.
COSTBOOST_INLINE int64_t quickly_whole(double value) {
    constexpr double LIFT = 6755399441055744.0;
    const double lifted = value + LIFT;
    int64_t bits, zero;
    std::memcpy(&bits, &lifted, 8);
    std::memcpy(&zero, &LIFT, 8);
    return bits - zero;
}

}  // namespace costboost
