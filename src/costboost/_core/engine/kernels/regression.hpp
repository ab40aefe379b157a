// Sums of a regression: response and weight of the rows in each bin of each feature.
#pragma once

#include <numeric>

#include "words.hpp"

namespace costboost {

// Response and weight.
using ResponsePair = PairOfNumbers;

// The bins times sizeof(ResponsePair) are cut out of the row's eight bytes by one shift and one mask.
template <int WIDTH, typename RowOf>
inline void add_responses_to_tile(const uint8_t* tile, RowOf row_of, const ResponsePair* amount, int64_t m, ResponsePair* histogram) {
    static_assert(sizeof(ResponsePair) == 16, "four bits");
    char* const first = reinterpret_cast<char*>(histogram);
    auto add = [=](int64_t k) {
        uint64_t bins;
        std::memcpy(&bins, tile + row_of(k) * WIDTH, 8);
        const ResponsePair a = amount[k];
        for (int f = 0; f < WIDTH; f++) {
            const uint64_t offset = (f == 0 ? bins << 4 : bins >> (8 * f - 4)) & 0xff0;
            *reinterpret_cast<ResponsePair*>(first + f * N_BINS * sizeof(ResponsePair) + offset) += a;
        }
    };
    over_scattered(m, row_of, [=](int64_t row) { prefetch(tile + row * WIDTH); }, add);
}

template <typename RowOf>
inline void add_responses(const Tiles& tiles, RowOf row_of, const ResponsePair* amount, int64_t m, ResponsePair* histogram) {
    for (int t = 0; t < tiles.n_tiles(); t++) {
        const uint8_t* tile = tiles.tile(t);
        ResponsePair* h = histogram + static_cast<int64_t>(t) * TILE * N_BINS;
        with_width(tiles.width(t), [=](auto width) { add_responses_to_tile<decltype(width)::value>(tile, row_of, amount, m, h); });
    }
}

COSTBOOST_DISPATCH inline void responses_of_block(const Responses& of, int64_t begin, int64_t m, bool many, ResponsePair* amount) {
    const double *response = of.response + begin, *weight = of.weight + begin;
    const double scale[2] = {of.scale[0], of.scale[1]};
    if (many)
        for (int64_t k = 0; k < m; k++)
            amount[k] = ResponsePair{quickly_whole(response[k] * scale[0]), quickly_whole(weight[k] * scale[1])};
    else
        for (int64_t k = 0; k < m; k++) amount[k] = ResponsePair{quanta(response[k] * scale[0]), quanta(weight[k] * scale[1])};
}

// Response and weight of every row in quanta, side by side. Returns a number that no weight exceeds.
inline int64_t all_responses(const Responses& of, int64_t n, ResponsePair* out) {
    double heaviest = 0;
    for (int64_t a = 0; a < n; a += BLOCK) {
        const int64_t m = std::min(BLOCK, n - a);
        responses_of_block(of, a, m, n >= MANY_ROWS, out + a);
        heaviest = std::max(heaviest, greatest_size(of.weight + a, m));
    }
    return quanta(heaviest * of.scale[1]) + 1;
}

// Adds the pairs that fill(first, number, out) writes for the rows of a node: n_features x 256 pairs.
template <typename Fill>
void sum_responses(const Tiles& tiles, Fill fill, const NodeRows& node, Sum* pairs, const Workers& workers) {
    const Range ranges[2] = {node.run(0), node.run(1)};
    const Histogram both(pairs, 0, 2 * static_cast<int64_t>(tiles.n_features) * N_BINS);  // rows of both classes together
    const uint32_t* listed = node.listed;
    over_rows(ranges, both, workers, [&](int, Range part, Sum* h) {
        Buffer<ResponsePair> space(block_of(part));
        ResponsePair* amount = space.get();
        for (int64_t a = part.begin; a < part.end; a += BLOCK) {
            const int64_t m = std::min(BLOCK, part.end - a);
            fill(a, m, amount);
            if (listed) {
                add_responses(tiles, ListedRows{listed + a}, amount, m, reinterpret_cast<ResponsePair*>(h));
            } else {
                add_responses(tiles, FollowingRows{a}, amount, m, reinterpret_cast<ResponsePair*>(h));
            }
        }
    });
}

// Sums the pairs of at most BLOCK rows tile by tile: take(first feature, number of features, sums) gets the sums of each tile,
// which stay in the first-level cache, and leaves zeros.
template <typename Fill, typename Take>
void sum_responses_by_tile(const Tiles& tiles, Fill fill, const NodeRows& node, Take take, int n_threads) {
    const int64_t n[2] = {node.run(0).size(), node.run(1).size()};
    Buffer<ResponsePair> space(n[0] + n[1]);
    ResponsePair* amount = space.get();
    std::vector<uint32_t> row(static_cast<size_t>(n[0] + n[1]));
    for (int z = 0, k = 0; z < 2; z++) {
        const Range run = node.run(z);
        fill(run.begin, n[z], amount + k);
        for (int64_t i = run.begin; i < run.end; i++) row[k++] = node.listed ? node.listed[i] : static_cast<uint32_t>(i);
    }
    const ListedRows row_of{row.data()};
    const int64_t parts = chunk_count(tiles.n_tiles(), 8, n_threads);
    for_chunks(parts, n_threads, [&](int64_t chunk, int) {
        const Range part = Range{0, tiles.n_tiles()}.part(chunk, parts);
        ResponsePair sums[TILE * N_BINS] = {};
        for (int t = static_cast<int>(part.begin); t < part.end; t++) {
            with_width(tiles.width(t), [&](auto width) {
                add_responses_to_tile<decltype(width)::value>(tiles.tile(t), row_of, amount, n[0] + n[1], sums);
            });
            take(t * TILE, tiles.width(t), sums);
        }
    });
}

// Separate sums that lie side by side: write them to two histograms, or subtract them from two.
COSTBOOST_DISPATCH inline void write_apart(const Sum* pairs, int n, Sum* first, Sum* second) {
    for (int i = 0; i < n; i++) {
        first[i] = pairs[2 * i];
        second[i] = pairs[2 * i + 1];
    }
}
COSTBOOST_DISPATCH inline void take_apart(const Sum* pairs, int n, Sum* first, Sum* second) {
    for (int i = 0; i < n; i++) {
        first[i] -= pairs[2 * i];
        second[i] -= pairs[2 * i + 1];
    }
}
COSTBOOST_DISPATCH inline void subtract(const Sum* sums, int n, Sum* from) {
    for (int i = 0; i < n; i++) from[i] -= sums[i];
}

// Where the sums of a bin belong: they are written to one histogram and taken from another; either may be null. Histograms hold
// 2 x n_features x 256 sums, or n_features x 256 pairs where both sums of a bin lie side by side.
struct ResponseTarget {
    Sum *histogram, *whole;
    int64_t class_size;
    bool side_by_side;

    void put(int64_t at, const ResponsePair* sums, int n) const {
        const Sum* pairs = reinterpret_cast<const Sum*>(sums);
        if (side_by_side) {
            if (histogram) std::copy(pairs, pairs + 2 * n, histogram + 2 * at);
            if (whole) subtract(pairs, 2 * n, whole + 2 * at);
            return;
        }
        if (histogram) write_apart(pairs, n, histogram + at, histogram + class_size + at);
        if (whole) take_apart(pairs, n, whole + at, whole + class_size + at);
    }
    // The bins that a feature has: the first ones and the missing one. The sums are left zero for the next time.
    void take_feature(int feature, int n_bins, ResponsePair* sums) const {
        const int64_t at = static_cast<int64_t>(feature) * N_BINS;
        put(at, sums, n_bins);
        put(at + MISSING_BIN, sums + MISSING_BIN, 1);
        std::fill(sums, sums + n_bins, ResponsePair{0, 0});
        sums[MISSING_BIN] = ResponsePair{0, 0};
    }
};

// Features of few bins, several to a byte. The rows are summed for each combination of their bins; each feature's sums follow from
// those. All are whole numbers, so that nothing but time depends on it.
class Bundles {
  public:
    Bundles(const Tiles& tiles, const int32_t* n_bins) : n_bins_(n_bins) {
        plan(tiles);
        if (10 * bundles_.size() > 7 * static_cast<size_t>(tiles.n_features)) return;
        saved_ = tiles.n_features - static_cast<int64_t>(bundles_.size());
        bytes_.resize(bundles_.size() * tiles.n_rows + TILE_PADDING);
        tiles_ = {bytes_.data(), tiles.n_rows, tiles.n_positive, static_cast<int>(bundles_.size())};
        fill(tiles);
    }

    // Whether it takes less time to sum so many rows in this way.
    bool pays(int64_t n_rows) const { return n_rows * saved_ > parting_; }
    const Tiles& tiles() const { return tiles_; }

    // Brings the sums of combinations, 256 for each of some bundles, where they belong.
    void part(int first, int n, ResponsePair* sums, const ResponseTarget& target) const {
        for (int k = first; k < first + n; k++) {
            const Bundle& bundle = bundles_[k];
            if (bundle.size() == 1)
                target.take_feature(bundle[0].feature, n_bins_[bundle[0].feature], sums);
            else
                part(bundle, sums, target);
            sums += N_BINS;
        }
    }

  private:
    struct Member {
        int feature, digits;  // one for each bin, and one for missing values where there are any
    };
    using Bundle = std::vector<Member>;  // the first member's digit counts ones; a single member keeps its bins

    const int32_t* n_bins_;
    std::vector<Bundle> bundles_;
    std::vector<uint8_t> bytes_;
    Tiles tiles_{nullptr, 0, 0, 0};
    int64_t saved_ = 0, parting_ = 0;  // additions: saved for each row, made to part the bundles

    static int combinations(const Bundle& bundle) {
        return std::accumulate(bundle.begin(), bundle.end(), 1, [](int n, const Member& member) { return n * member.digits; });
    }

    // The more rows, the more combinations pay.
    void plan(const Tiles& tiles) {
        const int most = tiles.n_rows < (1 << 14) ? 16 : N_BINS;
        auto narrow = [&](int digits) { return 2 * digits <= most; };
        std::vector<Member> members;
        for (int f = 0; f < tiles.n_features; f++)
            members.push_back({f, n_bins_[f] + (narrow(n_bins_[f]) && some_missing(tiles, f))});
        std::stable_sort(members.begin(), members.end(), [](const Member& a, const Member& b) { return a.digits < b.digits; });
        for (const Member& member : members) {
            const bool joins = !bundles_.empty() && narrow(member.digits) && combinations(bundles_.back()) * member.digits <= most;
            if (!joins) bundles_.emplace_back();
            bundles_.back().push_back(member);
        }
        for (const Bundle& bundle : bundles_)
            for (int64_t n = combinations(bundle), m = bundle.size(); bundle.size() > 1 && m > 0; n /= bundle[--m].digits) parting_ += 2 * n;
    }

    static bool some_missing(const Tiles& tiles, int feature) {
        const uint8_t* column = tiles.column(feature);
        const int64_t stride = tiles.stride(feature);
        for (int64_t i = 0; i < tiles.n_rows; i++)
            if (column[i * stride] == MISSING_BIN) return true;
        return false;
    }

    void fill(const Tiles& from) {
        const MutableTiles to{bytes_.data(), tiles_.n_rows, tiles_.n_positive, tiles_.n_features};
        for (int k = 0; k < to.n_features; k++) {
            uint8_t* out = to.column(k);
            const int64_t out_stride = to.stride(k);
            int ones = 1;
            for (const Member& member : bundles_[k]) {
                const uint8_t* in = from.column(member.feature);
                const int64_t stride = from.stride(member.feature);
                const int last = bundles_[k].size() == 1 ? MISSING_BIN : member.digits - 1;  // of the missing ones, if any
                for (int64_t i = 0; i < to.n_rows; i++) {
                    const int digit = std::min<int>(in[i * stride], last);
                    out[i * out_stride] = static_cast<uint8_t>((ones == 1 ? 0 : out[i * out_stride]) + ones * digit);
                }
                ones *= member.digits;
            }
        }
    }

    // From the last member on: its sums are those of whole runs; without it, the runs are added up.
    void part(const Bundle& bundle, ResponsePair* sums, const ResponseTarget& target) const {
        ResponsePair found[N_BINS];
        const int all = combinations(bundle);
        for (int n = all, m = static_cast<int>(bundle.size()) - 1; m >= 0; m--) {
            const Member& member = bundle[m];
            const int run = n / member.digits, n_bins = n_bins_[member.feature];
            found[n_bins] = ResponsePair{0, 0};  // nothing is missing
            for (int d = 0; d < member.digits; d++) found[d] = std::accumulate(sums + d * run, sums + (d + 1) * run, ResponsePair{0, 0});
            for (int d = 1; d < member.digits; d++)
                for (int i = 0; i < run; i++) sums[i] += sums[d * run + i];
            target.put(static_cast<int64_t>(member.feature) * N_BINS, found, n_bins);
            target.put(static_cast<int64_t>(member.feature) * N_BINS + MISSING_BIN, found + n_bins, 1);
            n = run;
        }
        std::fill(sums, sums + all, ResponsePair{0, 0});
    }
};

// Sums of response and weight over rows, all of them or those listed. Threads may use it at the same time, each with sums of its
// own: side by side, zero between calls, empty before the first of many rows.
class ResponseSums {
  public:
    ResponseSums(const Tiles& tiles, const int32_t* n_bins)
        : tiles_(tiles), n_bins_(n_bins), bundles_(tiles, n_bins) {}

    // Sums the pairs that fill(first, number, out) writes for the rows of a node, in the bins that features have.
    template <typename Fill>
    void build(Fill fill, const NodeRows& node, const ResponseTarget& target, std::vector<Sum>& own, const Workers& workers) const {
        assert(node.within(tiles_.n_rows));
        const int64_t n_rows = node.size();
        const bool bundled = bundles_.pays(n_rows);
        const Tiles& tiles = bundled ? bundles_.tiles() : tiles_;
        auto take = [&](int first, int n, ResponsePair* sums) {
            if (bundled) return bundles_.part(first, n, sums, target);
            for (int f = first; f < first + n; f++, sums += N_BINS) target.take_feature(f, n_bins_[f], sums);
        };
        if (n_rows <= BLOCK && tiles.n_tiles() >= WIDE) return sum_responses_by_tile(tiles, fill, node, take, workers.n_threads);
        if (target.side_by_side && target.histogram && !bundled) return build_in_place(fill, node, target, workers);
        own.resize(static_cast<size_t>(2) * tiles_.n_features * N_BINS);
        sum_responses(tiles, fill, node, own.data(), workers);
        take(0, tiles.n_features, reinterpret_cast<ResponsePair*>(own.data()));
    }

    // Sums the words that fill(first, number, out) writes; only where no bundles pay.
    template <typename Fill>
    void build_of_words(Fill fill, const NodeRows& node, const ResponseTarget& target, std::vector<Sum>& own, const Workers& workers) const {
        assert(node.within(tiles_.n_rows));
        own.resize(static_cast<size_t>(2) * tiles_.n_features * N_BINS);
        sum_words(tiles_, n_bins_, fill, node, own.data(), workers);
        ResponsePair* sums = reinterpret_cast<ResponsePair*>(own.data());
        for (int f = 0; f < tiles_.n_features; f++, sums += N_BINS) target.take_feature(f, n_bins_[f], sums);
    }

    const Tiles& tiles() const { return tiles_; }
    bool bundled() const { return bundles_.pays(tiles_.n_rows); }

  private:
    static constexpr int WIDE = 64;  // tiles whose sums, side by side, are too large for the second-level cache
    Tiles tiles_;
    const int32_t* n_bins_;
    Bundles bundles_;

    // Adds to the histogram itself. The bins that a feature has are the first ones and the missing one.
    template <typename Fill>
    void build_in_place(Fill fill, const NodeRows& node, const ResponseTarget& target, const Workers& workers) const {
        auto over_bins = [&](auto work) {
            for (int64_t f = 0; f < tiles_.n_features; f++) {
                work(2 * f * N_BINS, 2 * n_bins_[f]);
                work(2 * (f * N_BINS + MISSING_BIN), 2);
            }
        };
        over_bins([&](int64_t at, int n) { std::fill(target.histogram + at, target.histogram + at + n, 0); });
        sum_responses(tiles_, fill, node, target.histogram, workers);
        if (target.whole) over_bins([&](int64_t at, int n) { subtract(target.histogram + at, n, target.whole + at); });
    }
};

// In quanta after they are scaled: histogram 2 x n_features x 256.
inline void build_responses(const ResponseSums& sums, const Responses& of, const NodeRows& node, Sum* histogram, std::vector<Sum>& own,
                            const Workers& workers) {
    const uint32_t* listed = node.listed;
    const ResponseTarget target{histogram, nullptr, static_cast<int64_t>(sums.tiles().n_features) * N_BINS, false};
    if (!listed && !sums.bundled() && fit_in_words(of, sums.tiles().n_rows)) {
        auto words = [&](int64_t a, int64_t m, Word* amount) { words_of_block(of, a, m, amount); };
        return sums.build_of_words(words, node, target, own, workers);
    }
    auto fill = [&](int64_t a, int64_t m, ResponsePair* amount) {
        if (!listed) return responses_of_block(of, a, m, sums.tiles().n_rows >= MANY_ROWS, amount);
        for (int64_t k = 0; k < m; k++)
            amount[k] = ResponsePair{quanta(of.response[listed[a + k]] * of.scale[0]), quanta(of.weight[listed[a + k]] * of.scale[1])};
    };
    sums.build(fill, node, target, own, workers);
}

}  // namespace costboost
