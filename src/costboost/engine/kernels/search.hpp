// The best split of a histogram. Candidates are ordered by feature, threshold, polarity; among those within TIE of
// the least criterion the first one wins, whatever the number of threads.
#pragma once

#include <type_traits>

#include "common.hpp"

namespace costboost {

constexpr double TIE = 1e-12;

// What a split is judged by. Weights are shares of the total, so that TIE means the same everywhere.
enum class Criterion : int {
    VOTE = 0,         // weighted error of one vote, sign p on the right and -p on the left; two constants compete
    LEAF_ERROR = 1,   // weighted error when each side follows its own majority
    EXPONENTIAL = 2,  // exponential loss when each side takes its best value, shares smoothed by `smoothing`
    SQUARED = 3,      // squared error when each side takes its mean label
    COST_EXPONENTIAL = 4,  // exponential loss whose margin is multiplied by the class's cost, each side at its best value
    SQUARES = 5,      // weighted squares of a regression: the two sums are response and weight instead of classes
};

struct Split {
    int feature = -1;  // -1: a constant, everybody on the right
    int bin = 0;       // bins up to this one go left (ordered features)
    int polarity = 1;  // the vote of the right side, where sides vote
    int missing_left = 0;
    double value = std::numeric_limits<double>::infinity();
    int64_t cell[4] = {0, 0, 0, 0};  // quanta of positives left, right, negatives left, right
    uint8_t left[N_BINS] = {0};      // which bins go left, the missing one included
};

struct SearchInput {
    const int64_t* histogram;  // 2 x n_features x 256
    int n_features;
    double unit[2];  // what a quantum of each class is worth
    const int32_t* n_bins;
    const uint8_t* categorical;
    const int64_t* counts;  // rows, laid out as the histogram; null where min_samples_leaf is 1
    int64_t min_samples_leaf;
    Criterion criterion;
    double smoothing;
    double cost[2];  // of a mistake on either class, for the criteria that ask for it
};

// What a side with shares p and q of the two classes adds to the criterion.
struct LeafLoss {
    Criterion criterion;
    double smoothing, cost[2];

    double operator()(double p, double q) const {
        const double e = smoothing;
        switch (criterion) {
            case Criterion::EXPONENTIAL: {
                if (e == 0) return 2 * std::sqrt(p * q);
                const double odds = std::sqrt((p + e) / (q + e));
                return p / odds + q * odds;
            }
            case Criterion::SQUARES: return q > 0 ? -p * p / q : 0;
            case Criterion::SQUARED: return p + q > 0 ? 4 * p * q / (p + q) : 0;
            case Criterion::COST_EXPONENTIAL: {
                const double g = std::log((p + e) * cost[0] / ((q + e) * cost[1])) / (cost[0] + cost[1]);
                return p * std::exp(-cost[0] * g) + q * std::exp(cost[1] * g);
            }
            default: return std::min(p, q);
        }
    }
};

// Least and greatest of a p - b q; n is at most 256.
COSTBOOST_DISPATCH inline void difference_range(const int64_t* p, const int64_t* q, int n, double a, double b, double* range) {
    constexpr int LANES = 8;  // independent minima, or each would wait for the one before
    double x[N_BINS];
    for (int k = 0; k < n; k++) x[k] = a * static_cast<double>(p[k]) - b * static_cast<double>(q[k]);
    for (int k = n; k < N_BINS && k % LANES; k++) x[k] = x[0];
    double low[LANES], high[LANES];
    for (int lane = 0; lane < LANES; lane++) low[lane] = high[lane] = x[0];
    for (int k = 0; k < n; k += LANES) {
        for (int lane = 0; lane < LANES; lane++) low[lane] = x[k + lane] < low[lane] ? x[k + lane] : low[lane];
        for (int lane = 0; lane < LANES; lane++) high[lane] = x[k + lane] > high[lane] ? x[k + lane] : high[lane];
    }
    range[0] = *std::min_element(low, low + LANES);
    range[1] = *std::max_element(high, high + LANES);
}

class Search {
  public:
    explicit Search(const SearchInput& in) : in_(in) {
        for (int z = 0; z < 2; z++) {
            total_[z] = 0;
            for (int b = 0; b < N_BINS; b++) total_[z] += in.histogram[(static_cast<int64_t>(z) * in.n_features) * N_BINS + b];
        }
        const double sum = in.unit[0] * total_[0] + in.unit[1] * total_[1];
        for (int z = 0; z < 2; z++) share_[z] = sum > 0 ? in.unit[z] / sum : 0;
    }

    // `relative`: shares are of the histogram's own total; else units are taken as they are (a node of a tree).
    Split best(bool relative, int n_threads) {
        if (!relative)
            for (int z = 0; z < 2; z++) share_[z] = in_.unit[z];
        std::vector<double> least(in_.n_features);
        const int64_t parts = chunk_count(in_.n_features, 32, n_threads);
        for_chunks(parts, n_threads, [&](int64_t chunk, int) {
            Sequence seq;
            const Range features = Range{0, in_.n_features}.part(chunk, parts);
            for (int f = static_cast<int>(features.begin); f < features.end; f++) {
                if (plain(f)) {
                    least[f] = least_plain_vote(f);
                } else {
                    load(f, seq);
                    least[f] = scan(f, seq, -std::numeric_limits<double>::infinity(), nullptr);
                }
            }
        });
        double minimum = std::numeric_limits<double>::infinity();
        for (double v : least) minimum = std::min(minimum, v);
        const bool constants = in_.criterion == Criterion::VOTE;
        const double all_right[2] = {share_[1] * total_[1], share_[0] * total_[0]};  // error of "always +1", "always -1"
        if (constants) minimum = std::min(minimum, std::min(all_right[0], all_right[1]));
        Split split;
        for (int f = 0; f < in_.n_features; f++) {
            if (!(least[f] <= minimum + TIE) || std::isinf(least[f])) continue;
            Sequence seq;
            load(f, seq);
            scan(f, seq, minimum + TIE, &split);
            return split;
        }
        if (constants) {
            split.polarity = all_right[0] <= minimum + TIE ? 1 : -1;
            split.value = all_right[split.polarity == 1 ? 0 : 1];
            split.cell[1] = total_[0];
            split.cell[3] = total_[1];
        }
        return split;
    }

  private:
    // One feature's sums up to and including each bin, in the order in which bins may be split.
    struct Sequence {
        int n = 0;
        int64_t up_to[2][N_BINS];
        int64_t rows_up_to[N_BINS];
        int64_t missing[2];
        int64_t rows_missing = 0;
        uint8_t order[N_BINS];
    };

    const SearchInput& in_;
    int64_t total_[2];
    double share_[2];

    const int64_t* bins(int z, int f) const { return in_.histogram + (static_cast<int64_t>(z) * in_.n_features + f) * N_BINS; }
    int64_t rows(int f, int b) const {
        const int64_t at = static_cast<int64_t>(f) * N_BINS + b;
        return in_.counts[at] + in_.counts[at + static_cast<int64_t>(in_.n_features) * N_BINS];
    }

    void load(int f, Sequence& seq) const {
        const int64_t *p = bins(0, f), *q = bins(1, f);
        seq.n = in_.n_bins[f];
        if (in_.categorical[f]) order_categories(p, q, seq);
        int64_t sum_p = 0, sum_q = 0;
        if (in_.categorical[f]) {
            for (int k = 0; k < seq.n; k++) {
                seq.up_to[0][k] = sum_p += p[seq.order[k]];
                seq.up_to[1][k] = sum_q += q[seq.order[k]];
            }
        } else {
            for (int k = 0; k < seq.n; k++) {
                seq.up_to[0][k] = sum_p += p[k];
                seq.up_to[1][k] = sum_q += q[k];
            }
        }
        seq.missing[0] = p[MISSING_BIN];
        seq.missing[1] = q[MISSING_BIN];
        if (!in_.counts) return;
        int64_t sum = 0;
        for (int k = 0; k < seq.n; k++) seq.rows_up_to[k] = sum += rows(f, in_.categorical[f] ? seq.order[k] : k);
        seq.rows_missing = rows(f, MISSING_BIN);
    }

    // Sorted by the share of positives, or the mean response, the best two-way partition is a prefix (Breiman et al. 1984, theorem 4.5).
    // Categories without weight take no part.
    void order_categories(const int64_t* p, const int64_t* q, Sequence& seq) const {
        double ratio[N_BINS];
        int n = 0;
        for (int b = 0; b < seq.n; b++) {
            const double first = share_[0] * p[b], second = share_[1] * q[b];
            const double whole = in_.criterion == Criterion::SQUARES ? second : first + second;
            if (!(whole > 0)) continue;
            ratio[b] = first / whole;
            seq.order[n++] = static_cast<uint8_t>(b);
        }
        std::stable_sort(seq.order, seq.order + n, [&](uint8_t a, uint8_t b) { return ratio[a] < ratio[b]; });
        seq.n = n;
    }

    bool too_few(const Sequence& seq, int k, int missing_left) const {
        if (!in_.counts) return false;
        const int64_t left = seq.rows_up_to[k] + (missing_left ? seq.rows_missing : 0);
        const int64_t all = seq.rows_up_to[seq.n - 1] + seq.rows_missing;
        return left < in_.min_samples_leaf || all - left < in_.min_samples_leaf;
    }

    // The common case of scan_votes, without its branches: ordered bins, nothing missing, leaves of any size.
    bool plain(int f) const {
        return in_.criterion == Criterion::VOTE && !in_.counts && !in_.categorical[f] && bins(0, f)[MISSING_BIN] == 0 &&
               bins(1, f)[MISSING_BIN] == 0;
    }
    double least_plain_vote(int f) const {
        const int64_t *p = bins(0, f), *q = bins(1, f);
        const int n = in_.n_bins[f] - 1;
        int64_t up_to[2][N_BINS];
        int64_t sum_p = 0, sum_q = 0;
        for (int k = 0; k < n; k++) {
            up_to[0][k] = sum_p += p[k];
            up_to[1][k] = sum_q += q[k];
        }
        if (n < 1) return std::numeric_limits<double>::infinity();
        double range[2];
        difference_range(up_to[0], up_to[1], n, share_[0], share_[1], range);
        return std::min(share_[1] * total_[1] + range[0], share_[0] * total_[0] - range[1]);
    }

    // Least criterion over the feature's candidates; where `found` is given, the first candidate not above the limit.
    double scan(int f, const Sequence& seq, double limit, Split* found) const {
        if (in_.criterion == Criterion::VOTE) return scan_votes(f, seq, limit, found);
        // One copy of the loop for each criterion, so that the switch is outside of it.
        const LeafLoss loss{in_.criterion, in_.smoothing, {in_.cost[0], in_.cost[1]}};
        auto scan_with = [&](auto criterion) {
            return scan_leaves(f, seq, limit, found, [loss](double p, double q) {
                return LeafLoss{decltype(criterion)::value, loss.smoothing, {loss.cost[0], loss.cost[1]}}(p, q);
            });
        };
        switch (in_.criterion) {
            case Criterion::EXPONENTIAL: return scan_with(std::integral_constant<Criterion, Criterion::EXPONENTIAL>());
            case Criterion::SQUARED: return scan_with(std::integral_constant<Criterion, Criterion::SQUARED>());
            case Criterion::SQUARES: return scan_with(std::integral_constant<Criterion, Criterion::SQUARES>());
            case Criterion::COST_EXPONENTIAL: return scan_with(std::integral_constant<Criterion, Criterion::COST_EXPONENTIAL>());
            default: return scan_with(std::integral_constant<Criterion, Criterion::LEAF_ERROR>());
        }
    }

    double scan_votes(int f, const Sequence& seq, double limit, Split* found) const {
        const double inf = std::numeric_limits<double>::infinity();
        const double positives = share_[0] * total_[0], negatives = share_[1] * total_[1];
        const double absent = share_[0] * seq.missing[0] - share_[1] * seq.missing[1];
        const bool some_missing = seq.missing[0] != 0 || seq.missing[1] != 0;
        double least = inf;
        for (int k = 0; k + 1 < seq.n; k++) {
            const double present = share_[0] * seq.up_to[0][k] - share_[1] * seq.up_to[1][k];
            const bool left_allowed = some_missing && can_take_missing(seq, k) && !too_few(seq, k, 1);
            const bool right_allowed = !too_few(seq, k, 0);
            for (int polarity = 1; polarity >= -1; polarity -= 2) {
                const double base = polarity == 1 ? negatives : positives;
                const double right = right_allowed ? base + polarity * present : inf;
                const double left = left_allowed ? base + polarity * (present + absent) : inf;
                const double value = std::min(left, right);
                if (found && value <= limit) return settle(f, seq, k, polarity, side(left, right, some_missing), value, found);
                least = std::min(least, value);
            }
        }
        return least;
    }

    template <typename Leaf>
    double scan_leaves(int f, const Sequence& seq, double limit, Split* found, Leaf leaf) const {
        const double inf = std::numeric_limits<double>::infinity();
        const bool some_missing = seq.missing[0] != 0 || seq.missing[1] != 0;
        double least = inf;
        for (int k = 0; k + 1 < seq.n; k++) {
            double value[2] = {inf, inf};  // missing values right, left
            for (int left = 0; left < (some_missing && can_take_missing(seq, k) ? 2 : 1); left++) {
                if (too_few(seq, k, left)) continue;
                const int64_t p = seq.up_to[0][k] + left * seq.missing[0], q = seq.up_to[1][k] + left * seq.missing[1];
                value[left] = leaf(share_[0] * p, share_[1] * q) + leaf(share_[0] * (total_[0] - p), share_[1] * (total_[1] - q));
            }
            const double v = std::min(value[0], value[1]);
            if (found && v <= limit) return settle(f, seq, k, 1, side(value[1], value[0], some_missing), v, found);
            least = std::min(least, v);
        }
        return least;
    }

    // Where missing values go: the better side; without evidence, the heavier one.
    enum class Side { RIGHT, LEFT, HEAVIER };
    static Side side(double left, double right, bool some_missing) {
        if (!some_missing || std::fabs(left - right) <= TIE) return Side::HEAVIER;
        return left < right ? Side::LEFT : Side::RIGHT;
    }

    // Missing rows may join the left only where somebody present is left on the right.
    bool can_take_missing(const Sequence& seq, int k) const {
        return seq.up_to[0][k] < seq.up_to[0][seq.n - 1] || seq.up_to[1][k] < seq.up_to[1][seq.n - 1];
    }

    double settle(int f, const Sequence& seq, int k, int polarity, Side missing, double value, Split* out) const {
        double weight_left = 0, weight_right = 0;
        for (int z = in_.criterion == Criterion::SQUARES ? 1 : 0; z < 2; z++) {
            weight_left += share_[z] * seq.up_to[z][k];
            weight_right += share_[z] * (seq.up_to[z][seq.n - 1] - seq.up_to[z][k]);
        }
        const bool heavier_left = weight_right <= weight_left + TIE;
        bool missing_left = can_take_missing(seq, k) && (missing == Side::LEFT || (missing == Side::HEAVIER && heavier_left));
        if (missing == Side::HEAVIER && too_few(seq, k, missing_left)) missing_left = !missing_left;  // rows without weight
        out->feature = f;
        out->bin = k;
        out->polarity = polarity;
        out->missing_left = missing_left;
        out->value = value;
        if (in_.categorical[f]) {
            // categories nobody had here follow the heavier side, as missing values without evidence do
            std::fill(out->left, out->left + N_BINS, heavier_left ? 1 : 0);
            for (int i = 0; i < seq.n; i++) out->left[seq.order[i]] = i <= k;
        } else {
            for (int b = 0; b < N_BINS; b++) out->left[b] = b <= k;
        }
        out->left[MISSING_BIN] = missing_left;
        for (int z = 0; z < 2; z++) {
            const int64_t left = seq.up_to[z][k] + (missing_left ? seq.missing[z] : 0);
            out->cell[2 * z] = left;
            out->cell[2 * z + 1] = total_[z] - left;
        }
        return value;
    }
};

}  // namespace costboost
