// Response and weight of a row in one word, so that both are summed by one addition: half the memory of two numbers.
//
// The response is in the upper half of the word and the weight, which is not negative, in the lower one. That takes amounts of few
// bits and sums of few rows; sums of more rows are added to pairs of 64-bit sums from time to time. All are whole numbers: what
// is summed in words is what pairs would hold.
#pragma once

#include "histogram.hpp"
#include "rowwise.hpp"

namespace costboost {

using Word = uint64_t;

constexpr int64_t WORD_AMOUNT = 1 << 19;  // no response or weight in a word is larger
constexpr int64_t WORD_ROWS = 4095;       // of so many rows at most the sums fit in either half

COSTBOOST_INLINE Word word_of(int64_t response, int64_t weight) { return (static_cast<Word>(response) << 32) + static_cast<Word>(weight); }
COSTBOOST_INLINE int64_t response_of(Word word) { return static_cast<int32_t>(word >> 32); }
COSTBOOST_INLINE int64_t weight_of(Word word) { return static_cast<int64_t>(word & 0xFFFFFFFFull); }

COSTBOOST_DISPATCH inline bool none_negative(const double* values, int64_t n) {
    int64_t negative = 0;
    for (int64_t i = 0; i < n; i++) negative += values[i] < 0;
    return negative == 0;
}

// Whether the quanta of all rows fit in words, in which weights are not negative.
inline bool fit_in_words(const Responses& of, int64_t n) {
    constexpr double MOST = static_cast<double>(WORD_AMOUNT) - 0.5;
    for (int64_t a = 0; a < n; a += BLOCK) {
        const int64_t m = std::min(BLOCK, n - a);
        if (!(greatest_size(of.response + a, m) * of.scale[0] < MOST && greatest_size(of.weight + a, m) * of.scale[1] < MOST)) return false;
        if (!none_negative(of.weight + a, m)) return false;
    }
    return true;
}

COSTBOOST_DISPATCH inline void words_of_block(const Responses& of, int64_t begin, int64_t m, Word* out) {
    const double *response = of.response + begin, *weight = of.weight + begin;
    const double scale[2] = {of.scale[0], of.scale[1]};
    for (int64_t k = 0; k < m; k++) out[k] = word_of(quickly_whole(response[k] * scale[0]), quickly_whole(weight[k] * scale[1]));
}

template <int WIDTH, typename RowOf>
inline void add_words_to_tile(const uint8_t* tile, RowOf row_of, const Word* amount, int64_t m, Word* sums) {
    auto add = [=](int64_t k) {
        uint64_t bins;
        std::memcpy(&bins, tile + row_of(k) * WIDTH, 8);
        const Word a = amount[k];
        for (int f = 0; f < WIDTH; f++) sums[f * N_BINS + ((bins >> (8 * f)) & 255)] += a;
    };
    over_scattered(m, row_of, [=](int64_t row) { prefetch(tile + row * WIDTH); }, add);
}

// Adds the words of at most WORD_ROWS rows to the sums of all bins: n_features x 256.
template <typename RowOf>
inline void add_words(const Tiles& tiles, RowOf row_of, const Word* amount, int64_t m, Word* sums) {
    for (int t = 0; t < tiles.n_tiles(); t++) {
        const uint8_t* tile = tiles.tile(t);
        Word* s = sums + static_cast<int64_t>(t) * TILE * N_BINS;
        with_width(tiles.width(t), [=](auto width) { add_words_to_tile<decltype(width)::value>(tile, row_of, amount, m, s); });
    }
}

// Words and pairs of sums (response and weight side by side) of n bins: words added to pairs, and set to zero ...
COSTBOOST_DISPATCH inline void move_words(Word* words, int n, Sum* pairs) {
    for (int i = 0; i < n; i++) {
        pairs[2 * i] += response_of(words[i]);
        pairs[2 * i + 1] += weight_of(words[i]);
        words[i] = 0;
    }
}
// ... subtracted from pairs ...
COSTBOOST_DISPATCH inline void subtract_words(const Word* words, int n, Sum* pairs) {
    for (int i = 0; i < n; i++) {
        pairs[2 * i] -= response_of(words[i]);
        pairs[2 * i + 1] -= weight_of(words[i]);
    }
}
// ... and made of pairs.
COSTBOOST_DISPATCH inline void words_of_pairs(const Sum* pairs, int n, Word* words) {
    for (int i = 0; i < n; i++) words[i] = word_of(pairs[2 * i], pairs[2 * i + 1]);
}

// The bins that features have: the first ones, and the missing one.
template <typename Work>
inline void over_bins(int n_features, const int32_t* n_bins, Work work) {
    for (int f = 0; f < n_features; f++) {
        const int64_t at = static_cast<int64_t>(f) * N_BINS;
        work(at, n_bins[f]);
        work(at + MISSING_BIN, 1);
    }
}

// Adds the words that fill(first, number, out) writes for the rows of a node to pairs of sums: n_features x 256.
template <typename Fill>
void sum_words(const Tiles& tiles, const int32_t* n_bins, Fill fill, const NodeRows& node, Sum* pairs, const Workers& workers) {
    const Range ranges[2] = {node.run(0), node.run(1)};
    const Histogram both(pairs, 0, 2 * static_cast<int64_t>(tiles.n_features) * N_BINS);  // rows of both classes together
    over_rows(ranges, both, workers, [&](int, Range part, Sum* h) {
        std::vector<Word> sums(static_cast<size_t>(tiles.n_features) * N_BINS);
        Word amount[WORD_ROWS];
        for (int64_t a = part.begin; a < part.end; a += WORD_ROWS) {
            const int64_t m = std::min(WORD_ROWS, part.end - a);
            fill(a, m, amount);
            if (node.listed)
                add_words(tiles, ListedRows{node.listed + a}, amount, m, sums.data());
            else
                add_words(tiles, FollowingRows{a}, amount, m, sums.data());
            over_bins(tiles.n_features, n_bins, [&](int64_t at, int n) { move_words(sums.data() + at, n, h + 2 * at); });
        }
    });
}

// The words of the rows of a node, at most WORD_ROWS: n_features x 256.
template <typename Fill>
void sum_few_words(const Tiles& tiles, const int32_t* n_bins, Fill fill, const NodeRows& node, Word* sums) {
    over_bins(tiles.n_features, n_bins, [&](int64_t at, int n) { std::fill(sums + at, sums + at + n, 0); });
    Word amount[WORD_ROWS];
    for (int z = 0; z < 2; z++) {
        const Range run = node.run(z);
        fill(run.begin, run.size(), amount);
        add_words(tiles, ListedRows{node.listed + run.begin}, amount, run.size(), sums);
    }
}

}  // namespace costboost
