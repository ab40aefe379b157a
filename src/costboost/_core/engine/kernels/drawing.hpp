// Random draws of rows and of features. They depend on numbers alone (of the stream, the round, the node, the row or the place of a feature), so
// that they are the same for any number of threads and however the rows are divided.
#pragma once

#include <utility>

#include "common.hpp"

namespace costboost {

constexpr uint64_t GOLDEN = 0x9E3779B97F4A7C15ull;

// The output function of splitmix64.
COSTBOOST_INLINE uint64_t mixed(uint64_t h) {
    h = (h ^ (h >> 30)) * 0xBF58476D1CE4E5B9ull;
    h = (h ^ (h >> 27)) * 0x94D049BB133111EBull;
    return h ^ (h >> 31);
}

// The random number that belongs to a key and a number from 0 on; itself a key for further numbers.
COSTBOOST_INLINE uint64_t hash_of(uint64_t key, uint64_t number) { return mixed(key + (number + 1) * GOLDEN); }

constexpr uint64_t ALL_DRAWN = uint64_t{1} << 53;

// Lists the rows of a range that are drawn, by their numbers in the whole data: each with the probability limit / 2^53. Returns how
// many there are. `out` has room for all of them.
COSTBOOST_DISPATCH inline int64_t draw_rows(uint64_t key, uint64_t limit, const int64_t* number, Range rows, uint32_t* out) {
    uint8_t drawn[BLOCK];
    int64_t n = 0;
    for (int64_t a = rows.begin; a < rows.end; a += BLOCK) {
        const int64_t m = std::min(BLOCK, rows.end - a);
        for (int64_t k = 0; k < m; k++) drawn[k] = (hash_of(key, static_cast<uint64_t>(number[a + k])) >> 11) < limit;
        for (int64_t k = 0; k < m; k++) {
            out[n] = static_cast<uint32_t>(a + k);
            n += drawn[k];
        }
    }
    return n;
}

// A random number and the feature it belongs to.
using Drawn = std::pair<uint64_t, int>;

// The features in random order, of which the first ones are drawn; where `number` is 0, all features compete. Where `cuts` are drawn,
// one split of each feature competes.
struct FeatureDraw {
    uint64_t key = 0;
    int number = 0;
    bool cuts = false;

    FeatureDraw of_node(uint64_t node) const { return {hash_of(key, node), number, cuts}; }

    // The features that vary and are allowed (all of them where that is null) in a random order, as far as it decides which ones are
    // the first n.
    std::vector<Drawn> first(size_t n, const Features& given, const uint8_t* allowed) const {
        std::vector<Drawn> features;
        features.reserve(static_cast<size_t>(given.n));
        for (int f = 0; f < given.n; f++)
            if (given.varies(f) && (!allowed || allowed[f])) features.push_back({hash_of(key, given.place(f)), f});
        if (n >= features.size()) return features;
        if (n > FEW)
            std::nth_element(features.begin(), features.begin() + static_cast<int64_t>(n), features.end());
        else if (n > 0)
            bring_forward(features, n);
        return features;
    }

    static constexpr size_t FEW = 32;

    // The first n to the front. Most of the others are compared once, with the last of these.
    static void bring_forward(std::vector<Drawn>& features, size_t n) {
        const auto end = features.begin() + static_cast<int64_t>(n);
        auto last = std::max_element(features.begin(), end);
        for (auto other = end; other != features.end(); ++other) {
            if (!(*other < *last)) continue;
            std::swap(*other, *last);
            last = std::max_element(features.begin(), end);
        }
    }

    std::vector<int> order(int n_features) const {
        std::vector<Drawn> drawn = first(static_cast<size_t>(n_features), {n_features, nullptr, nullptr}, nullptr);
        std::sort(drawn.begin(), drawn.end());
        std::vector<int> features;
        for (const Drawn& one : drawn) features.push_back(one.second);
        return features;
    }
};

// Sums the weights, in whole quanta, of the rows of each class in each leaf: sums 2 x n_leaves, zero on entry.
inline void sum_leaves(const double* weight, const int32_t* leaf, int64_t n_positive, int64_t n_rows, int64_t n_leaves, int64_t* sums) {
    for (int64_t i = 0; i < n_positive; i++) sums[leaf[i]] += std::llrint(weight[i]);
    for (int64_t i = n_positive; i < n_rows; i++) sums[n_leaves + leaf[i]] += std::llrint(weight[i]);
}

}  // namespace costboost
