// Rows of one set of tiles copied into another, in any order: bins are found once and gathered for every subset.
#pragma once

#include "common.hpp"

namespace costboost {

// Row i of `to` is row order[i] of `from`.
inline void gather_rows(const Tiles& from, const int64_t* order, const MutableTiles& to, int n_threads) {
    const int64_t parts = chunk_count(to.n_rows, 16384, n_threads);
    for_chunks(to.n_tiles() * parts, n_threads, [&](int64_t chunk, int) {
        const int t = static_cast<int>(chunk / parts);
        const Range rows = Range{0, to.n_rows}.part(chunk % parts, parts);
        with_width(to.width(t), [&](auto width) {
            const uint8_t* in = from.tile(t);
            uint8_t* out = to.tile(t);
            for (int64_t i = rows.begin; i < rows.end; i++) std::memcpy(out + i * width, in + order[i] * width, width);
        });
    });
}

}  // namespace costboost
