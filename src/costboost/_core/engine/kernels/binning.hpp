// From raw feature values to bins: cuts from a sorted sample, then one pass that maps, partitions by class and tiles.
#pragma once

#include <memory>

#include "drawing.hpp"

namespace costboost {

// ---- order-preserving integer keys, so that floats can be sorted by radix -------------------------------------

inline uint32_t to_key(float x) {
    x += 0.0f;  // -0.0 and 0.0 are one value
    uint32_t u;
    std::memcpy(&u, &x, sizeof u);
    return u ^ (static_cast<uint32_t>(static_cast<int32_t>(u) >> 31) | 0x80000000u);
}
inline uint64_t to_key(double x) {
    x += 0.0;
    uint64_t u;
    std::memcpy(&u, &x, sizeof u);
    return u ^ (static_cast<uint64_t>(static_cast<int64_t>(u) >> 63) | 0x8000000000000000u);
}
inline double from_key(uint32_t u) {
    u = (u & 0x80000000u) ? u ^ 0x80000000u : ~u;
    float x;
    std::memcpy(&x, &u, sizeof x);
    return x;
}
inline double from_key(uint64_t u) {
    u = (u & 0x8000000000000000u) ? u ^ 0x8000000000000000u : ~u;
    double x;
    std::memcpy(&x, &u, sizeof x);
    return x;
}

// A key that stands for several rows.
template <typename Key>
struct Copied {
    Key key;
    int64_t copies;
    bool operator<(const Copied& other) const { return key < other.key; }
};

inline uint32_t bits_of(uint32_t key) { return key; }
inline uint64_t bits_of(uint64_t key) { return key; }
template <typename Key>
inline Key bits_of(const Copied<Key>& item) {
    return item.key;
}

// Sorts keys[0..n); spare must hold as many. Few keys are sorted by bytes, because counters cost time too.
template <int DIGIT, typename Item>
void radix_sort(Item* keys, Item* spare, int64_t n) {
    constexpr int SIZE = 1 << DIGIT, PASSES = (8 * static_cast<int>(sizeof(bits_of(keys[0]))) + DIGIT - 1) / DIGIT;
    uint32_t counts[PASSES][SIZE] = {};
    for (int64_t i = 0; i < n; i++)
        for (int p = 0; p < PASSES; p++) counts[p][(bits_of(keys[i]) >> (DIGIT * p)) & (SIZE - 1)]++;
    Item *from = keys, *to = spare;
    for (int p = 0; p < PASSES; p++) {
        uint32_t* count = counts[p];
        if (count[(bits_of(from[0]) >> (DIGIT * p)) & (SIZE - 1)] == n) continue;  // this digit is the same everywhere
        uint32_t sum = 0;
        for (int v = 0; v < SIZE; v++) {
            const uint32_t c = count[v];
            count[v] = sum;
            sum += c;
        }
        for (int64_t i = 0; i < n; i++) to[count[(bits_of(from[i]) >> (DIGIT * p)) & (SIZE - 1)]++] = from[i];
        std::swap(from, to);
    }
    if (from != keys) std::copy(from, from + n, keys);
}

template <typename Item>
void sort_keys(Item* keys, Item* spare, int64_t n) {
    if (n < 128)
        std::sort(keys, keys + n);
    else if (n < 4096)
        radix_sort<8>(keys, spare, n);
    else
        radix_sort<11>(keys, spare, n);
}

// A cut between two neighbouring values: low <= cut < high even where the midpoint is not representable.
inline double midpoint(double low, double high) {
    double cut = low + (high - low) / 2;
    if (!std::isfinite(cut)) cut = low / 2 + high / 2;
    return (cut >= low && cut < high) ? cut : low;
}

// The values of a column in order, one for each row. A run is all the places of one value.
template <typename Key>
class SortedValues {
  public:
    SortedValues(const Key* keys, int64_t n) : keys_(keys), n_(n) {}
    int64_t size() const { return n_; }
    double value(int64_t i) const { return from_key(keys_[i]); }
    // Most runs are short: steps that double, then bisection.
    int64_t run_begin(int64_t i) const {
        int64_t step = 1;
        while (step <= i && keys_[i - step] == keys_[i]) step *= 2;
        return std::lower_bound(keys_ + std::max<int64_t>(i - step + 1, 0), keys_ + i - step / 2, keys_[i]) - keys_;
    }
    int64_t run_end(int64_t i) const {
        int64_t step = 1;
        while (i + step < n_ && keys_[i + step] == keys_[i]) step *= 2;
        return std::upper_bound(keys_ + i + step / 2, keys_ + std::min(i + step, n_), keys_[i]) - keys_;
    }

  private:
    const Key* keys_;
    int64_t n_;
};

// The values of a column in order, each repeated as often as its row has copies, without storing the copies.
template <typename Key>
class CopiedValues {
  public:
    CopiedValues(const Copied<Key>* items, int64_t n) {
        int64_t sum = 0;
        for (int64_t i = 0; i < n; i++) {
            sum += items[i].copies;
            if (i + 1 < n && items[i + 1].key == items[i].key) continue;
            keys_.push_back(items[i].key);
            ends_.push_back(sum);
        }
    }
    int64_t size() const { return ends_.empty() ? 0 : ends_.back(); }
    double value(int64_t i) const { return from_key(keys_[run(i)]); }
    int64_t run_begin(int64_t i) const {
        const int64_t k = run(i);
        return k ? ends_[k - 1] : 0;
    }
    int64_t run_end(int64_t i) const { return ends_[run(i)]; }

  private:
    std::vector<Key> keys_;
    std::vector<int64_t> ends_;
    int64_t run(int64_t i) const { return std::upper_bound(ends_.begin(), ends_.end(), i) - ends_.begin(); }
};

// Cuts for one column from its sorted values. At most max_bins distinct values: every midpoint. More: values that alone
// fill a bin get one of their own, and the rest share the remaining bins evenly, so that a column of zeros with a
// long tail still resolves the tail.
template <typename Values>
int cuts_from_sorted(const Values& values, int max_bins, double* cuts) {
    const int64_t n = values.size();
    if (n == 0) return 0;
    int n_cuts = 0;
    auto cut_before = [&](int64_t i) { cuts[n_cuts++] = midpoint(values.value(i - 1), values.value(i)); };
    auto run_end = [&](int64_t i) { return values.run_end(i); };

    int64_t n_values = 0;
    for (int64_t i = 0; i < n && n_values <= max_bins; i = run_end(i)) n_values++;
    if (n_values <= max_bins) {
        for (int64_t i = run_end(0); i < n; i = run_end(i)) cut_before(i);
        return n_cuts;
    }

    // A run of at least n / max_bins equal values covers a multiple of that stride: look there only.
    const int64_t stride = (n + max_bins - 1) / max_bins;
    std::vector<Range> heavy;
    int64_t rest = n;
    for (int64_t i = 0; i < n; i += stride) {
        if (!heavy.empty() && i < heavy.back().end) continue;
        const Range run{values.run_begin(i), run_end(i)};
        if (run.size() < stride) continue;
        heavy.push_back(run);
        rest -= run.size();
    }
    heavy.push_back({n, n});
    int64_t rest_bins = max_bins - static_cast<int64_t>(heavy.size()) + 1;
    int64_t i = 0;
    for (const Range& run : heavy) {
        while (i < run.begin) {  // light values before the next heavy one
            const int64_t share = rest_bins > 0 ? (rest + rest_bins - 1) / rest_bins : rest;
            if (run.begin - i <= share / 2 || rest_bins <= 1) break;  // a crumb joins the heavy value
            int64_t end = i + share >= run.begin ? run.begin : run_end(i + share - 1);
            rest -= end - i;
            rest_bins--;
            i = end;
            if (i < n && n_cuts < max_bins - 1) cut_before(i);
        }
        if (run.begin == n) break;
        i = run.end;
        if (i < n && n_cuts < max_bins - 1) cut_before(i);
    }
    if (n_cuts == 0) cut_before(values.run_begin(n - 1));  // two bins, the heavy value last
    return n_cuts;
}

template <typename T>
struct Matrix {  // raw values with any strides, counted in elements
    const T* data;
    int64_t n_rows, n_columns, row_stride, column_stride;
    T at(int64_t i, int64_t j) const { return data[i * row_stride + j * column_stride]; }
};

// A small set of keys, with a flag that is set once it has had more than its limit.
template <typename Key>
class KeySet {
  public:
    explicit KeySet(int limit) : limit_(limit) {}
    void insert(Key key) {
        if (overfull()) return;
        uint32_t at = static_cast<uint32_t>((key * static_cast<Key>(0x9E3779B97F4A7C15ull)) >> (8 * sizeof(Key) - 10));
        while (used_[at] && slot_[at] != key) at = (at + 1) & (SLOTS - 1);
        if (used_[at]) return;
        used_[at] = true;
        slot_[at] = key;
        keys_.push_back(key);
    }
    bool overfull() const { return static_cast<int>(keys_.size()) > limit_; }
    std::vector<Key>& keys() { return keys_; }

  private:
    static constexpr uint32_t SLOTS = 1024;
    int limit_;
    Key slot_[SLOTS];
    bool used_[SLOTS] = {};
    std::vector<Key> keys_;
};

// Sorted, and cut. With copies, spare is not needed.
template <typename Key>
int cuts_of_keys(Key* keys, Key* spare, int64_t n, int max_bins, double* cuts) {
    sort_keys(keys, spare, n);
    return cuts_from_sorted(SortedValues<Key>(keys, n), max_bins, cuts);
}
template <typename Key>
int cuts_of_copies(const Key* keys, const int64_t* copies, int64_t n, int max_bins, double* cuts) {
    std::vector<Copied<Key>> items(static_cast<size_t>(n)), spare(static_cast<size_t>(n));
    for (int64_t i = 0; i < n; i++) items[i] = {keys[i], copies[i]};
    sort_keys(items.data(), spare.data(), n);
    return cuts_from_sorted(CopiedValues<Key>(items.data(), n), max_bins, cuts);
}

// The rows that cuts are found from, all where `rows` is null, and copies of every row, one of each where `copies` is null.
struct CutSample {
    const int64_t* rows;
    int64_t n;
    const int64_t* copies;
};

// Cuts of every column, n_columns x 255, and their numbers.
struct MutableCuts {
    double* value;
    int32_t* number;
};

// Cuts of every column, n_columns x 255, their numbers, and which columns are categories.
struct Cuts {
    const double* value;
    const int32_t* number;
    const uint8_t* categorical;
};

// Cuts of every column from the given rows (all of them where rows is null), of which there are so many copies (one of each
// where copies is null; else at least one). cuts: n_columns x 255.
// A column with one present value and missing ones gets a cut at +infinity: present against missing. A column with few
// distinct values in the sample is looked at in all rows, so that a rare value is never lost between two others.
template <typename T>
void find_cuts(const Matrix<T>& x, const CutSample& sample, int max_bins, const MutableCuts& found, int n_threads) {
    const int64_t *rows = sample.rows, *copies = sample.copies, n_sampled = sample.n;
    double* cuts = found.value;
    int32_t* n_cuts = found.number;
    assert(2 <= max_bins && max_bins < N_BINS && x.n_rows <= MOST_ROWS);
    using Key = decltype(to_key(T()));
    constexpr int64_t MOST = 64;
    // Columns read in one sweep: a cache line of float32 at least, more where rows are few, to use whole pages.
    const int64_t together = std::max<int64_t>(16, std::min<int64_t>(MOST, (1 << 20) / std::max<int64_t>(n_sampled, 1)));
    const int64_t n_groups = (x.n_columns + together - 1) / together;
    std::vector<std::vector<Key>> space(std::max(n_threads, 1));
    for_chunks(n_groups, n_threads, [&](int64_t g, int slot) {
        {
            space[slot].resize((together + 1) * n_sampled);
            Key *buffer = space[slot].data(), *spare = buffer + together * n_sampled;
            const int64_t first = g * together, width = std::min(together, x.n_columns - first);
            int64_t present[MOST] = {};
            bool missing[MOST] = {};
            for (int64_t s = 0; s < n_sampled; s++) {
                const int64_t i = rows ? rows[s] : s;
                for (int64_t j = 0; j < width; j++) {
                    const T v = x.at(i, first + j);
                    buffer[j * n_sampled + present[j]] = to_key(v);  // overwritten by the next one if missing
                    present[j] += v == v;
                    missing[j] |= !(v == v);
                }
            }
            std::vector<KeySet<Key>> few;
            std::vector<int64_t> few_at, copies_present;
            for (int64_t j = 0; j < width; j++) {
                Key* keys = buffer + j * n_sampled;
                double* out = cuts + (first + j) * (N_BINS - 1);
                if (copies) {
                    copies_present.clear();
                    for (int64_t s = 0; s < n_sampled; s++) {
                        const int64_t i = rows ? rows[s] : s;
                        const T v = x.at(i, first + j);
                        if (v == v) copies_present.push_back(copies[i]);
                    }
                    n_cuts[first + j] = cuts_of_copies(keys, copies_present.data(), present[j], max_bins, out);
                } else {
                    n_cuts[first + j] = cuts_of_keys(keys, spare, present[j], max_bins, out);
                }
                if (n_cuts[first + j] < max_bins - 1 && rows) {
                    few.emplace_back(max_bins);
                    few_at.push_back(j);
                }
            }
            for (int64_t i = 0; i < (few.empty() ? 0 : x.n_rows); i++) {
                for (size_t k = 0; k < few.size(); k++) {
                    const T v = x.at(i, first + few_at[k]);
                    if (v == v)
                        few[k].insert(to_key(v));
                    else
                        missing[few_at[k]] = true;
                }
            }
            for (size_t k = 0; k < few.size(); k++) {
                if (few[k].overfull()) continue;
                std::vector<Key>& keys = few[k].keys();
                std::sort(keys.begin(), keys.end());
                const int64_t j = first + few_at[k];
                const SortedValues<Key> values(keys.data(), static_cast<int64_t>(keys.size()));
                n_cuts[j] = cuts_from_sorted(values, max_bins, cuts + j * (N_BINS - 1));
                present[few_at[k]] = static_cast<int64_t>(keys.size());
            }
            for (int64_t j = 0; j < width; j++) {
                if (n_cuts[first + j] == 0 && present[j] > 0 && missing[j]) {
                    cuts[(first + j) * (N_BINS - 1)] = std::numeric_limits<double>::infinity();
                    n_cuts[first + j] = 1;
                }
            }
        }
    });
}

// ---- mapping ---------------------------------------------------------------------------------------------------

// The greatest T not above x: for any v of type T, v > x exactly when v > floor_to<T>(x). So float32 input never
// lands on the other side of a float64 threshold.
template <typename T>
inline T floor_to(double x) {
    T t = static_cast<T>(x);
    return static_cast<double>(t) > x ? std::nextafter(t, -std::numeric_limits<T>::infinity()) : t;
}

// Value -> number of cuts below it. A table over equal-width cells gives how many cuts are surely below; the few that
// share the cell are compared with. Where many share one cell, or rows are few, plain bisection.
template <typename T>
class Mapper {
  public:
    void prepare(const double* cuts, int n_cuts, bool categorical, int64_t n_rows) {
        n_ = n_cuts;
        categorical_ = categorical;
        for (int k = 0; k < n_; k++) cut_[k] = floor_to<T>(cuts[k]);
        std::fill(cut_ + n_, cut_ + N_BINS, std::numeric_limits<T>::infinity());
        tabled_ = !categorical && n_rows >= CELLS && n_ > 1 && std::isfinite(cut_[n_ - 1] - cut_[0]);
        if (!tabled_) return;
        low_ = cut_[0];
        scale_ = static_cast<T>(CELLS - 2) / (cut_[n_ - 1] - cut_[0]);
        tabled_ = std::isfinite(scale_);
        crowd_ = 0;
        for (int g = 0, k = 0; g <= CELLS && tabled_; g++) {
            const int before = k;
            while (k < n_ && cell(cut_[k]) < g) k++;
            first_[g] = static_cast<uint8_t>(k);
            crowd_ = std::max(crowd_, k - before);
        }
        tabled_ = tabled_ && crowd_ <= 4;
    }

    // Bins of m <= 256 values a stride apart, written eight bytes apart.
    void map(const T* values, int64_t stride, int64_t m, uint8_t* out) const {
        T v[256];
        for (int64_t i = 0; i < m; i++) v[i] = values[i * stride];
        if (categorical_) {
            for (int64_t i = 0; i < m; i++) out[i * TILE] = code(v[i]);
            return;
        }
        bool missing = false;
        for (int64_t i = 0; i < m; i++) missing |= !(v[i] == v[i]);
        if (tabled_) {
            int32_t g[256];
            for (int64_t i = 0; i < m; i++) g[i] = cell(v[i]);
            if (crowd_ <= 1) {
                for (int64_t i = 0; i < m; i++) {
                    const uint8_t b = first_[g[i]];
                    out[i * TILE] = static_cast<uint8_t>(b + (cut_[b] < v[i]));
                }
            } else {
                for (int64_t i = 0; i < m; i++) {
                    uint8_t b = first_[g[i]];
                    for (int k = 0; k < crowd_; k++) b = static_cast<uint8_t>(b + (cut_[b] < v[i]));
                    out[i * TILE] = b;
                }
            }
        } else {
            bisect(v, m, out);
        }
        if (missing)
            for (int64_t i = 0; i < m; i++)
                if (!(v[i] == v[i])) out[i * TILE] = MISSING_BIN;
    }

  private:
    static constexpr int CELLS = 2048;
    T cut_[N_BINS];
    uint8_t first_[CELLS + 1];
    T low_ = 0, scale_ = 1;
    int n_ = 0, crowd_ = 0;
    bool tabled_ = false, categorical_ = false;

    int32_t cell(T v) const {  // monotone in v, so cuts in lower cells are below v
        T z = (v - low_) * scale_ + 1;
        z = z > 0 ? z : 0;
        z = z < CELLS - 1 ? z : CELLS - 1;
        return static_cast<int32_t>(z);
    }
    // All values take a step at a time: no branch depends on a value.
    void bisect(const T* v, int64_t m, uint8_t* out) const {
        int32_t b[256] = {};
        for (int step = N_BINS / 2; step >= 1; step >>= 1)
            for (int64_t i = 0; i < m; i++) b[i] += step * static_cast<int32_t>(cut_[b[i] + step - 1] < v[i]);
        for (int64_t i = 0; i < m; i++) out[i * TILE] = static_cast<uint8_t>(std::min(b[i], n_));
    }
    // categories arrive as their codes; what was never seen is missing
    uint8_t code(T v) const { return v >= 0 && v <= n_ ? static_cast<uint8_t>(v) : MISSING_BIN; }
};

// Bins the columns of x as features first_feature, ... of the tiles, rows partitioned by class as they are read.
template <typename T>
void bin_rows(const Matrix<T>& x, const Cuts& cuts, const uint8_t* positive, int first_feature, const MutableTiles& tiles, int n_threads) {
    assert(x.n_rows == tiles.n_rows && first_feature >= 0 && first_feature + x.n_columns <= tiles.n_features);
    constexpr int64_t ROWS = 256;  // their eight values a tile fit the first-level cache
    const int64_t n_blocks = (x.n_rows + ROWS - 1) / ROWS;
    std::vector<int64_t> positives_before(n_blocks + 1, 0);
    for (int64_t b = 0; b < n_blocks; b++) {
        int64_t sum = 0;
        for (int64_t i = b * ROWS; i < std::min(x.n_rows, (b + 1) * ROWS); i++) sum += positive[i];
        positives_before[b + 1] = positives_before[b] + sum;
    }
    const int last_feature = first_feature + static_cast<int>(x.n_columns);
    const int first_tile = first_feature / TILE, n_tiles = (last_feature + TILE - 1) / TILE - first_tile;
    const int64_t parts = chunk_count(n_blocks, 64, n_threads);
    struct Space {
        Mapper<T> mappers[TILE];
        int prepared = -1;
    };
    std::vector<std::unique_ptr<Space>> spaces(std::max(n_threads, 1));
    for_chunks(n_tiles * parts, n_threads, [&](int64_t chunk, int slot) {
        const int t = first_tile + static_cast<int>(chunk / parts);
        const Range blocks = Range{0, n_blocks}.part(chunk % parts, parts);
        const int f0 = std::max(first_feature, t * TILE), f1 = std::min(last_feature, (t + 1) * TILE);
        const int width = tiles.width(t);
        if (!spaces[slot]) spaces[slot] = std::make_unique<Space>();
        Space& space = *spaces[slot];
        if (space.prepared != t)
            for (int f = f0; f < f1; f++) {
                const int j = f - first_feature;
                space.mappers[f - f0].prepare(cuts.value + static_cast<int64_t>(j) * (N_BINS - 1), cuts.number[j], cuts.categorical[j], x.n_rows);
            }
        space.prepared = t;
        int64_t place[ROWS];
        uint8_t bins[ROWS][TILE];
        for (int64_t b = blocks.begin; b < blocks.end; b++) {
            const int64_t begin = b * ROWS, m = std::min(x.n_rows, begin + ROWS) - begin;
            int64_t p = positives_before[b], q = tiles.n_positive + begin - p;
            for (int64_t i = 0; i < m; i++) place[i] = positive[begin + i] ? p++ : q++;
            for (int f = f0; f < f1; f++) {
                const T* values = x.data + begin * x.row_stride + (f - first_feature) * x.column_stride;
                space.mappers[f - f0].map(values, x.row_stride, m, &bins[0][f - f0]);
            }
            uint8_t* out = tiles.tile(t) + (f0 - t * TILE);
            if (f1 - f0 == TILE)
                for (int64_t i = 0; i < m; i++) std::memcpy(out + place[i] * TILE, bins[i], TILE);
            else
                for (int64_t i = 0; i < m; i++)
                    for (int f = 0; f < f1 - f0; f++) out[place[i] * width + f] = bins[i][f];
        }
    });
}

// About `wanted` of n rows, each in or out by a hash of its own number: the same rows however the data are cut up.
inline std::vector<int64_t> sample_rows(int64_t first, int64_t n, int64_t n_total, int64_t wanted) {
    std::vector<int64_t> rows;
    const double keep = static_cast<double>(wanted) / static_cast<double>(n_total);
    const uint64_t limit = keep >= 1 ? ~0ull : static_cast<uint64_t>(keep * 18446744073709551615.0);
    rows.reserve(static_cast<size_t>(std::min<double>(n, n * keep * 1.1 + 64)));
    for (int64_t i = 0; i < n; i++) {
        if (mixed(static_cast<uint64_t>(first + i) + GOLDEN) <= limit) rows.push_back(i);
    }
    return rows;
}

}  // namespace costboost
