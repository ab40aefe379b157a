// The bins of a feature in the order in which they may be split.
#pragma once

#include "drawing.hpp"
#include "split.hpp"
#include "ties.hpp"

namespace costboost {

// Sums up to and including each bin. A split is a position: the bins up to it go left.
struct BinSequence {
    int n = 0;
    Range splits{0, 0};  // the positions that compete
    int64_t up_to[2][N_BINS];
    int64_t missing[2];
    bool counted = false;  // whether rows_up_to and rows_missing are filled
    int64_t rows_up_to[N_BINS];
    int64_t rows_missing = 0;
    uint8_t order[N_BINS];  // of categories

    bool some_missing() const { return missing[0] != 0 || missing[1] != 0; }

    // Missing values may go left only if some weight is present on the right.
    bool can_take_missing(int k) const { return up_to[0][k] < up_to[0][n - 1] || up_to[1][k] < up_to[1][n - 1]; }

    // Whether a side has fewer rows than a leaf must have.
    bool too_few(int k, int missing_left, int64_t least) const {
        if (!counted) return false;
        const int64_t left = rows_up_to[k] + (missing_left ? rows_missing : 0);
        const int64_t all = rows_up_to[n - 1] + rows_missing;
        return left < least || all - left < least;
    }

    // Adds up the bins of a feature; categories in the order of their shares of weight.
    void load(const SearchInput& in, const double* share, int f, bool with_rows) {
        if (!in.rows) return load(in, share, f, {in.sums(0, f), in.sums(1, f)}, with_rows);
        if (!in.features.categorical[f]) return take(in.rows->cut(f, hash_of(in.cut_key, in.features.place(f))), with_rows && in.counts);
        int64_t pairs[2 * N_BINS];
        in.rows->of(f, in.features.n_bins[f], pairs);
        load(in, share, f, {BinSums{pairs, 2}, BinSums{pairs + 1, 2}}, with_rows);
    }

    // The bin of a position of ordered bins.
    int bin_at(int k) const { return only_cut < 0 ? k : only_cut; }

  private:
    struct BothSums {
        BinSums first, second;
    };
    int only_cut = -1;  // the bin of the first position, where the second one is that of all other bins

    // A cut as a sequence of two positions.
    void take(const Cut& cut, bool with_rows) {
        n = 2;
        only_cut = cut.bin;
        splits = {0, cut.bin < 0 ? 0 : 1};
        for (int z = 0; z < 2; z++) {
            up_to[z][0] = cut.left[z];
            up_to[z][1] = cut.present[z];
            missing[z] = cut.missing[z];
        }
        counted = with_rows;
        rows_up_to[0] = cut.rows_left;
        rows_up_to[1] = cut.rows_present;
        rows_missing = cut.rows_missing;
    }

    void load(const SearchInput& in, const double* share, int f, const BothSums& sums, bool with_rows) {
        const BinSums &p = sums.first, &q = sums.second;
        only_cut = -1;
        n = in.features.n_bins[f];
        if (in.features.categorical[f]) order_bins(in, share, p, q);
        int64_t sum_p = 0, sum_q = 0;
        if (in.features.categorical[f]) {
            for (int k = 0; k < n; k++) {
                up_to[0][k] = sum_p += p[order[k]];
                up_to[1][k] = sum_q += q[order[k]];
            }
        } else {
            for (int k = 0; k < n; k++) {
                up_to[0][k] = sum_p += p[k];
                up_to[1][k] = sum_q += q[k];
            }
        }
        missing[0] = p[MISSING_BIN];
        missing[1] = q[MISSING_BIN];
        splits = in.draws_cuts ? drawn_cut(in, f) : Range{0, n - 1};
        counted = with_rows && in.counts;
        if (!counted) return;
        int64_t rows[N_BINS], sum = 0;
        in.counts->of(f, in.features.n_bins[f], rows);
        for (int k = 0; k < n; k++) rows_up_to[k] = sum += rows[in.features.categorical[f] ? order[k] : k];
        rows_missing = rows[MISSING_BIN];
    }

    Range drawn_cut(const SearchInput& in, int f) const {
        const bool squares = in.criterion.kind == Kind::SQUARES;  // of which the first sum is not a weight
        const auto weight_up_to = [&](int64_t k) { return (squares ? 0 : up_to[0][k]) + up_to[1][k]; };
        if (n < 2 || weight_up_to(n - 1) == 0) return {0, 0};
        int64_t low = 0, high = n - 1;
        while (weight_up_to(low) == 0) low++;
        while (high > low && weight_up_to(high - 1) == weight_up_to(n - 1)) high--;
        if (high == low) return {0, 0};
        const int cut = drawn_between(low, high, hash_of(in.cut_key, in.features.place(f)));
        return {cut, cut + 1};
    }

    void order_bins(const SearchInput& in, const double* share, const BinSums& p, const BinSums& q) {
        double first[N_BINS], whole[N_BINS];
        for (int b = 0; b < n; b++) {
            const double second = share[1] * q[b];
            first[b] = share[0] * p[b];
            whole[b] = in.criterion.kind == Kind::SQUARES ? second : first[b] + second;
        }
        n = order_categories(first, whole, n, order);
    }
};

}  // namespace costboost
